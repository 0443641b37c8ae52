//! The words by which a mail shows what it wants, in the languages that mail programs of our owners speak.
//!
//! What: [`MailCue`], the kinds, and [`phrases`], what speaks for each. Why: one list to read and extend. Not here: finding them in a text
//! (`mail_vocabulary`), what a cue weighs (`mail_class`), words of chats (`words`).

/// What a phrase speaks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum MailCue {
    /// "please"
    Please,
    /// "could you"
    CouldYou,
    /// "let me know"
    TellMe,
    /// "I need", "it would help me"
    Need,
    /// "I wonder whether"
    Wonder,
    /// What opens a request: "send", "check"
    Imperative,
    /// A word that opens a question.
    Which,
    /// "you"
    You,
    /// "I"
    Me,
    /// "does anybody"
    Anybody,
    /// "hi all"
    Everybody,
    /// "hello"
    Greeting,
    Thanks,
    /// "no need to answer"
    NoAnswer,
    /// "please find attached", "please ignore"
    Courtesy,
    /// "by Friday", "deadline"
    Deadline,
    /// A day, "tomorrow"
    Day,
    /// "would Tuesday suit"
    Suits,
    /// "meet", "appointment"
    Meeting,
    /// "invoice", "fee"
    Bill,
    /// "overdue", "expires"
    Due,
    /// "paid", "receipt", "no action needed"
    Settled,
    /// "verification code"
    CodeWord,
    /// "confirm your address", "reset your password"
    ConfirmIt,
    /// "unsubscribe", "this week's"
    Newsletter,
    /// "waiting for you", "reminder"
    Waits,
    /// "what do you think"
    Opinion,
    /// "fyi"
    Informs,
    /// "decide", "approve"
    Decide,
    /// "sorry to bother", "a favour"
    Favour,
    /// A program tells that a person waits: "requested access"
    Relays,
    /// What is said to strangers to sell or to steal: "guest post", "next of kin"
    Pitch,
    /// "reply above this line": a program carries what a person wrote.
    Desk,
    /// What does not work, or is not understood: "no luck", "error"
    Trouble,
    /// A question for facts that the other has: "what do you mean", "which version"
    Probes,
    /// A question that nobody is to answer: "who cares", "what else is new"
    Rhetoric,
    /// Who works on something together: "patch", "invoice", "draft"
    Work,
    /// A service tells that somebody shared a file: "shared a document with you"
    Shares,
}

/// How many kinds there are.
pub(crate) const CUES: usize = MailCue::Shares as usize + 1;

/// The kinds by their names in the list.
const NAMES: [(&str, MailCue); CUES] = [
    ("please", MailCue::Please),
    ("could_you", MailCue::CouldYou),
    ("tell_me", MailCue::TellMe),
    ("need", MailCue::Need),
    ("wonder", MailCue::Wonder),
    ("which", MailCue::Which),
    ("imperative", MailCue::Imperative),
    ("you", MailCue::You),
    ("me", MailCue::Me),
    ("anybody", MailCue::Anybody),
    ("everybody", MailCue::Everybody),
    ("greeting", MailCue::Greeting),
    ("thanks", MailCue::Thanks),
    ("no_answer", MailCue::NoAnswer),
    ("courtesy", MailCue::Courtesy),
    ("deadline", MailCue::Deadline),
    ("day", MailCue::Day),
    ("suits", MailCue::Suits),
    ("meeting", MailCue::Meeting),
    ("bill", MailCue::Bill),
    ("due", MailCue::Due),
    ("settled", MailCue::Settled),
    ("code_word", MailCue::CodeWord),
    ("confirm_it", MailCue::ConfirmIt),
    ("newsletter", MailCue::Newsletter),
    ("waits", MailCue::Waits),
    ("opinion", MailCue::Opinion),
    ("informs", MailCue::Informs),
    ("decide", MailCue::Decide),
    ("favour", MailCue::Favour),
    ("relays", MailCue::Relays),
    ("pitch", MailCue::Pitch),
    ("desk", MailCue::Desk),
    ("trouble", MailCue::Trouble),
    ("probes", MailCue::Probes),
    ("rhetoric", MailCue::Rhetoric),
    ("work", MailCue::Work),
    ("shares", MailCue::Shares),
];

/// The phrases of each kind.
const PHRASES: &str = include_str!("mail_cues.txt");

/// Every phrase with its cue, in the order of the list; one that stands in it twice counts twice.
pub(super) fn phrases() -> impl Iterator<Item = (&'static str, MailCue)> {
    let lines = PHRASES.lines().filter_map(|line| line.split_once(": "));
    lines.flat_map(|(name, phrases)| {
        let cue = NAMES
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, cue)| *cue);
        phrases
            .split(" | ")
            .filter_map(move |phrase| Some((phrase, cue?)))
    })
}

/// Cues, a bit each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct CueSet(u64);

impl CueSet {
    pub(super) fn has(self, cue: MailCue) -> bool {
        self.0 & (1 << cue as u64) != 0
    }

    pub(super) fn add(&mut self, cue: MailCue) {
        self.0 |= 1 << cue as u64;
    }

    pub(super) fn join(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_list_is_read() {
        for line in PHRASES.lines().skip(1) {
            let (name, phrases) = line.split_once(": ").unwrap();
            assert!(NAMES.iter().any(|(known, _)| *known == name), "{name}");
            let bare = |phrase: &str| {
                !phrase.trim().is_empty() && phrase.trim() == phrase && phrase.to_lowercase() == phrase
            };
            assert!(phrases.split(" | ").all(bare), "{line}");
        }
    }

    #[test]
    fn a_set_holds_every_cue() {
        let mut set = CueSet::default();
        for (_, cue) in NAMES {
            set.add(cue);
        }
        assert!(NAMES.iter().all(|(_, cue)| set.has(*cue)));
        assert!(NAMES.iter().all(|(_, cue)| !CueSet::default().has(*cue)));
    }
}
