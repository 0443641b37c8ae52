//! What a mail says is settled already, and what it says plainly is not.
//!
//! What: [`PlainText`], asked for a payment that is taken by itself or not owed, a sum with its day, a time that is fixed or agreed on, and a program
//! that carries a person's words. Why: the scorers weigh words, and a phrase that decides need not be learned anew. Not here: what the scorers see
//! (`mail_class`, `mail_cues`).

/// A judged text with one blank between its words, in small letters.
pub(super) struct PlainText(String);

impl PlainText {
    pub(super) fn new(subject: &str, text: &str) -> Self {
        let words = subject.split_whitespace().chain(text.split_whitespace());
        let mut plain = String::with_capacity(subject.len() + text.len() + 2);
        for word in words {
            plain.push(' ');
            plain.extend(word.chars().map(|c| if c == '’' { '\'' } else { c }));
        }
        Self(plain)
    }

    /// What stands before each of the phrases that begins with a word of the text.
    fn heads(&self, phrases: &[&str]) -> impl Iterator<Item = &str> {
        phrases
            .iter()
            .flat_map(|phrase| self.0.match_indices(phrase))
            .filter_map(|(at, _)| self.0.get(..at))
            .filter(|head| head.chars().next_back().is_none_or(|c| !c.is_alphanumeric()))
    }

    fn says(&self, phrases: &[&str]) -> bool {
        self.heads(phrases).next().is_some()
    }

    /// Whether it says so of what is, and not of what would be: "if you want to let it go, no action is needed".
    fn says_flatly(&self, phrases: &[&str]) -> bool {
        self.heads(phrases).any(|head| {
            let sentence = head.rsplit(['.', '!', '?']).next().unwrap_or_default();
            let mut words = sentence.split(' ');
            !words.any(|word| matches!(word, "if" | "unless" | "wenn" | "falls" | "sofern"))
        })
    }

    /// Whether nobody has to pay: it is collected, or nothing is owed.
    pub(super) fn is_paid_by_itself(&self) -> bool {
        self.says_flatly(PAID_BY_ITSELF) && !self.says(MAY_FAIL)
    }

    /// Whether a sum is due on a day, as statements say it.
    pub(super) fn names_due_day(&self) -> bool {
        self.says(DUE_DAY) && self.says(DUE_SUM) && !self.is_paid_by_itself()
    }

    /// Whether something of the owner's ends unless they renew it.
    pub(super) fn names_expiry(&self) -> bool {
        self.says(EXPIRES) && self.says(RENEW) && !self.says(OFFER) && !self.is_paid_by_itself()
    }

    /// Whether something is to be handed in by a day, and nothing is to be won.
    pub(super) fn names_filing(&self) -> bool {
        self.says_flatly(FILING) && !self.says(CONTEST)
    }

    /// Whether a program tells of a time that nobody has to say yes to.
    pub(super) fn is_fixed(&self) -> bool {
        self.says_flatly(FIXED) && !self.says(TO_CONFIRM)
    }

    /// Whether somebody agrees to a time, and proposes no other.
    pub(super) fn agrees(&self) -> bool {
        self.says(AGREED) && !self.says(TO_AGREE)
    }

    /// Whether a program says that a person wrote to the owner or wants an act of theirs.
    pub(super) fn relays(&self) -> bool {
        self.says(RELAYED)
    }
}

const PAID_BY_ITSELF: &[&str] = &[
    "nothing is due",
    "nothing due",
    "nothing to pay",
    "no payment is due",
    "no payment due",
    "no payment is required",
    "no payment is needed",
    "no payment required",
    "no amount is due",
    "no balance due",
    "due: $0.00",
    "due $0.00",
    "due: £0.00",
    "due £0.00",
    "due: €0.00",
    "due €0.00",
    "you don't owe",
    "you owe nothing",
    "no action is required",
    "no action is needed",
    "no action required",
    "no action needed",
    "nothing else to do",
    "nothing you need to do",
    "you don't need to do anything",
    "you do not need to do anything",
    "will be charged automatically",
    "will be automatically charged",
    "will automatically be charged",
    "will be paid automatically",
    "will be collected automatically",
    "will be collected by direct debit",
    "will be debited from your",
    "will be taken from your",
    "will be charged to your",
    "autopay is on",
    "autopay is scheduled",
    "autopay is set",
    "enrolled in autopay",
    "konto abgebucht",
    "konto eingezogen",
    "wird abgebucht",
    "wird eingezogen",
    "automatisch abgebucht",
    "automatisch eingezogen",
    "buchen wir",
    "ziehen wir",
    "per lastschrift",
    "per sepa-lastschrift",
    "müssen nichts",
    "musst nichts",
    "brauchen nichts",
    "nichts weiter tun",
    "nichts weiter zu tun",
    "nichts zu zahlen",
    "keine zahlung erforderlich",
    "kein handlungsbedarf",
];

/// It is to be paid all the same, or was to be.
const MAY_FAIL: &[&str] = &[
    "late fee",
    "overdue",
    "past due",
    "past-due",
    "could not",
    "couldn't",
    "unable to",
    "was declined",
    "has failed",
    "payment failed",
    "insufficient",
    "not hold enough",
    "please pay",
    "pay by",
    "pay now",
    "make a payment",
    "update your payment",
    "konnte nicht",
    "konnten nicht",
    "nicht eingelöst",
    "nicht eingezogen",
    "nicht abgebucht",
    "überfällig",
    "säumnis",
    "mahngebühr",
    "bitte überweisen",
    "bitte zahlen",
    "bitte begleichen",
    "rücklastschrift",
];

/// Of a sum …
const DUE_SUM: &[&str] = &[
    "amount due",
    "balance due",
    "total due",
    "minimum payment",
    "minimum amount",
    "minimum due",
    "payment due",
    "statement balance",
    "bill amount",
    "total amount",
    "new balance",
    "bitte überweisen",
    "überweisen sie",
    "bitte begleichen",
    "begleichen sie",
    "bitte zahlen",
    "offener betrag",
    "offenen betrag",
    "gesamtbetrag",
    "rechnungsbetrag",
    "zahlbetrag",
];

/// … and its day.
const DUE_DAY: &[&str] = &[
    "due date",
    "due on",
    "due by",
    "payment due is",
    "pay by",
    "payable by",
    "is due",
    "bis zum",
    "bis spätestens",
    "fällig am",
    "fällig zum",
    "fälligkeit",
    "zahlbar bis",
    "zu zahlen bis",
    "zahlungsziel",
];

const EXPIRES: &[&str] = &[
    "expires on",
    "expires in",
    "expires today",
    "expires tomorrow",
    "expires soon",
    "will expire",
    "about to expire",
    "due to expire",
    "cover ends",
    "läuft am",
    "läuft in",
    "läuft bald ab",
    "läuft heute ab",
    "laufen am",
    "endet am",
];

const RENEW: &[&str] = &[
    "renew it",
    "renew your",
    "renew by",
    "renew before",
    "renew now",
    "renew in",
    "renew online",
    "to renew",
    "if it is not renewed",
    "if you don't renew",
    "if you do not renew",
    "auto-renew is off",
    "auto-renew is switched off",
    "unless you renew",
    "verlängern sie",
    "verlängere",
    "erneuern sie",
    "erneuere",
    "beantragen sie",
];

/// What ends is an offer, or a link.
const OFFER: &[&str] = &[
    "offer",
    "sale ",
    "discount",
    "% off",
    "coupon",
    "voucher",
    "points",
    "free trial",
    "this link",
    "the link",
    "angebot",
    "rabatt",
    "gutschein",
    "aktion",
    "punkte",
    "der link",
    "dieser link",
    "renews automatically",
    "renew automatically",
    "verlängert sich automatisch",
    "automatisch verlängert",
];

/// What is due on a day without being money: a form, a return, a proof.
const FILING: &[&str] = &[
    "must be filed by",
    "must be filed before",
    "must be filed on or before",
    "must be submitted by",
    "must be submitted before",
    "must be submitted no later",
    "must be received by",
    "must be received before",
    "must be received no later",
    "must be returned by",
    "must be returned before",
    "must be completed by",
    "must be completed before",
    "must be renewed by",
    "must be renewed before",
    "has to be filed by",
    "has to be submitted by",
    "has to be renewed before",
    "has to be renewed by",
    "have to be submitted by",
    "is due by",
    "are due by",
    "due to be filed by",
    "submit it before",
    "submit it by",
    "submit your return by",
    "file your return by",
    "file by",
    "ist bis zum",
    "sind bis zum",
    "frist endet am",
    "spätestens bis zum",
    "einzureichen bis",
    "debe presentarse antes",
    "deben presentarse antes",
    "debe presentarlo antes",
    "date limite de dépôt",
    "doit être déposée avant",
    "doit être déposé avant",
    "doit nous parvenir avant",
];

/// Something is to be won, or somebody calls for contributions.
const CONTEST: &[&str] = &[
    "chance to win",
    "to win",
    "prize",
    "competition",
    "contest",
    "giveaway",
    "your entry",
    "entries",
    "abstracts",
    "papers",
    "proposals",
    "gewinnspiel",
    "verlosung",
    "teilnahmeschluss",
    "concours",
    "sorteo",
];

const FIXED: &[&str] = &[
    "has been scheduled",
    "have been scheduled",
    "has been booked",
    "is booked",
    "is confirmed",
    "are confirmed",
    "has been confirmed",
    "booking confirmed",
    "booking confirmation",
    "appointment confirmed",
    "appointment confirmation",
    "reservation confirmed",
    "has accepted",
    "has declined",
    "has been cancelled",
    "has been canceled",
    "was cancelled",
    "was canceled",
    "ist bestätigt",
    "wurde bestätigt",
    "terminbestätigung",
    "buchungsbestätigung",
    "wurde gebucht",
    "ist gebucht",
    "hat zugesagt",
    "hat abgesagt",
    "hat angenommen",
    "wurde abgesagt",
    "fällt aus",
];

const TO_CONFIRM: &[&str] = &[
    "please confirm",
    "please respond",
    "please reply",
    "please let us know",
    "confirm your",
    "confirm or",
    "to confirm",
    "rsvp",
    "is not confirmed",
    "until it is confirmed",
    "once it is confirmed",
    "another time",
    "new time",
    "other time",
    "which time",
    "bitte bestätigen",
    "bitte bestätige",
    "bestätigen sie",
    "geben sie bescheid",
    "noch nicht bestätigt",
    "anderen termin",
    "neuen termin",
];

const AGREED: &[&str] = &[
    "it is then",
    "it is!",
    "it is.",
    "it is,",
    "works for me",
    "works for us",
    "works well",
    "works great",
    "works perfectly",
    "suits me",
    "fine by me",
    "fine with me",
    "sounds good",
    "sounds great",
    "sounds perfect",
    "is perfect",
    "is fine",
    "is great",
    "see you then",
    "see you on",
    "see you at",
    "see you there",
    "looking forward to",
    "look forward to",
    "i'll be there",
    "i will be there",
    "we'll be there",
    "passt mir",
    "passt uns",
    "passt gut",
    "passt super",
    "passt perfekt",
    "passt wunderbar",
    "passt prima",
    "passt bestens",
    "passt!",
    "passt.",
    "passt,",
    "bis dann",
    "freue mich",
    "freu mich",
    "freuen uns",
    "einverstanden",
    "abgemacht",
    "geht klar",
    "bin dabei",
    "sind dabei",
];

const TO_AGREE: &[&str] = &[
    "works for you",
    "work for you",
    "suits you",
    "suit you",
    "would ",
    "could ",
    "can you",
    "can we",
    "or ",
    "if ",
    "instead",
    "unless",
    "let me know",
    "tell me",
    "rather",
    "can't",
    "cannot",
    "unfortunately",
    "but ",
    "how about",
    "what about",
    "passt dir",
    "passt ihnen",
    "passt es dir",
    "passt es ihnen",
    "ihnen das passt",
    "dir das passt",
    "bescheid",
    "vorschlag",
    "schlage",
    "stattdessen",
    "lieber ",
    "oder ",
    "falls",
    "wenn ",
    "leider",
    "kann nicht",
    "können wir",
    "könnten",
    "aber ",
];

const RELAYED: &[&str] = &[
    "sent you a direct message",
    "sent you a private message",
    "new direct message",
    "assigned a task to you",
    "assigned you a task",
    "assigned an issue to you",
    "requested your signature",
    "requests your signature",
    "document to review and sign",
    "document to sign",
    "asked you to sign",
    "mentioned you in a comment",
    "hat sie erwähnt",
    "hat dich erwähnt",
    "hat dir eine nachricht",
    "hat ihnen eine nachricht",
    "hat dir eine direktnachricht",
    "hat dir eine aufgabe",
    "hat ihnen eine aufgabe",
    "hat ihnen ein dokument zur unterschrift",
    "hat dir ein dokument zur unterschrift",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_begins_with_a_word_and_its_blanks_are_any() {
        let plain = PlainText::new("your bill", "you  don’t\nowe anything");
        assert!(plain.is_paid_by_itself());
        // "for" is no "or", "Entscheidung" no "bescheid".
        assert!(PlainText::new("", "thank you for that, see you on monday").agrees());
        assert!(!PlainText::new("", "see you on monday or on tuesday").agrees());
    }
}
