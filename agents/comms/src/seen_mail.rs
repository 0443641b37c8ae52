//! A mail as it is judged: its words without disguise, what they hold, and to whom it goes.
//!
//! What: [`SeenMail`], made once of a parsed mail, and what is plain about it. Why: gate and classes look at the same. Not here: what follows from it
//! (`judging`, `spam_look`), the counting (`mail_text`).

use super::{
    folding::{FoldedText, fold},
    mail_class::{MailScores, MailStanding},
    mail_cues::MailCue,
    mail_pieces::{MailPiece, MailPieces, word_hash},
    mail_text::MailScan,
    spam_gate::{ONE, gate_features},
    standing::{OwnerIdentity, SenderStanding},
};
use agents_base::mail::{
    eml::ParsedMail,
    headers::{HeadSign, MailOrigin},
};

/// Bytes of a new text that are judged.
const JUDGED: usize = 4096;
/// Up to so many words are no sign of spam.
const FEW_WORDS: usize = 20;
/// Up to so many words a stranger's request is short, …
const SHORT_WORDS: usize = 60;
/// … and from so far below the threshold of spam on it is nothing like it.
const FAR: i64 = -4 * ONE;
/// Bytes at the end of a mail where a program says why it wrote.
const FOOTER: usize = 1500;

/// A mail, looked over once.
pub(super) struct SeenMail {
    pub(super) subject: FoldedText,
    pub(super) text: FoldedText,
    pub(super) scan: MailScan,
    /// What the spam gate sees of it.
    pub(super) gate: Vec<u16>,
    pub(super) standing: MailStanding,
    pub(super) sender_disguised: bool,
    /// What other scorers than this build's say.
    pub(super) scores: Option<MailScores>,
}

impl SeenMail {
    pub(super) fn look(mail: &ParsedMail, owner: &OwnerIdentity<'_>) -> Self {
        let subject = fold(&mail.subject, 512);
        // A mail without words of its own is known by the rest of its text: else a spammer quotes himself.
        let own = mail
            .new_text
            .bytes()
            .filter(u8::is_ascii_alphanumeric)
            .take(15)
            .count()
            >= 15
            || !mail.new_text.is_ascii();
        let text = fold(if own { &mail.new_text } else { mail.body() }, JUDGED);
        let names = names_of(owner);
        let called = |piece: &MailPiece<'_>| {
            names
                .iter()
                .any(|(hash, name)| *hash == piece.hash && *name == piece.word)
        };
        let pieces = MailPieces::split(&text.text);
        let gate = gate_features(&subject.text, &pieces);
        let scan = if own {
            MailScan::scan(&subject.text, &pieces, &called)
        } else {
            MailScan::scan(&subject.text, &MailPieces::split(""), &called)
        };
        let origin = &mail.origin;
        // What goes to the address of a list goes to all of it, whoever reads that address.
        let is_owner = |address: &String| {
            owner.addresses.contains(address) && origin.list_address.as_ref() != Some(address)
        };
        let in_to = mail.to.iter().any(is_owner);
        let standing = MailStanding {
            alone: in_to && mail.to.len() == 1 && origin.cc.is_empty(),
            in_to,
            in_cc: origin.cc.iter().any(is_owner),
            list: origin.list,
            automatic: (origin.automatic.is_some() || origin.template)
                && (origin.auto_replied || !scan.has(MailCue::Desk)),
            reply: origin.has(HeadSign::Answers) || origin.has(HeadSign::FakeReply),
            quotes: mail.quotes,
            forwards: mail.forwards,
            addressees: mail.to.len() + origin.cc.len(),
            unsubscribe: origin.unsubscribe,
            business: origin.business,
            linked: origin.linked,
        };
        Self {
            scores: None,
            sender_disguised: fold(&mail.sender, 256).disguises > 0,
            subject,
            text,
            scan,
            gate,
            standing,
        }
    }

    pub(super) fn disguised(&self) -> bool {
        self.sender_disguised || self.subject.disguises > 0 || self.text.disguises >= 2
    }

    /// Whether a reply may be drafted for a stranger, whose mail scores so far beyond spam: the owner is the only one addressed and called by name,
    /// or the mail has a few words of a sender who stands by it, or is short and nothing like spam; and nothing in head or text is as those write
    /// who write to many. Where mails of the owner's are known, one that says it answers another is as odd as one that answers nothing.
    pub(super) fn may_be_answered(&self, mail: &ParsedMail, sender: SenderStanding, beyond: i64) -> bool {
        let (origin, scan) = (&mail.origin, &self.scan);
        let odd = [
            HeadSign::FakeReply,
            HeadSign::ReplyElsewhere,
            HeadSign::Pretends,
            HeadSign::Unnamed,
        ];
        let false_answer = origin.has(HeadSign::Answers) && sender.knows_own_mail && !sender.answers_owner;
        let odd = odd.into_iter().any(|sign| origin.has(sign)) || false_answer || self.disguised();
        let called = scan.greets_owner || scan.names_owner;
        let vouched = !origin.received || origin.stands_by() > 0;
        let meant =
            called || (scan.words <= FEW_WORDS && vouched) || (scan.words <= SHORT_WORDS && beyond < FAR);
        // A link or a sum of money in the first mail of somebody is for its reader to think about.
        let baits = origin.linked || scan.amount || scan.has(MailCue::Pitch);
        self.standing.alone && meant && !origin.business && !origin.is_announced() && !odd && !baits
    }

    /// What phrases that are said to strangers add to the score of spam.
    pub(super) fn pitch(&self) -> i64 {
        match self.scan.count(MailCue::Pitch) {
            0 => 0,
            1 => ONE,
            2 => 3 * ONE,
            _ => 5 * ONE,
        }
    }

    /// A few words, or a greeting of the owner by name in a mail to nobody else, with nothing to click: no text by which a stranger is doubted.
    pub(super) fn is_plain(&self, origin: &MailOrigin) -> bool {
        let (scan, is) = (&self.scan, self.standing);
        let personal = is.alone && !is.automatic && !is.list && scan.greets_owner;
        (scan.words <= FEW_WORDS || personal)
            && !origin.linked
            && !self.disguised()
            && !self.scan.has(MailCue::Pitch)
    }

    /// A short mail with a code and at most two links.
    pub(super) fn is_plain_code(&self, origin: &MailOrigin) -> bool {
        !origin.upstream_spam
            && self.scan.words < 150
            && self.scan.has(MailCue::CodeWord)
            && self.scan.digits
            && self.scan.links() <= 2
    }
}

/// The words by which somebody calls the owner, each with its hash: parts of names, and what stands before the `@` of addresses.
fn names_of<'a>(owner: &OwnerIdentity<'a>) -> Vec<(u32, &'a str)> {
    let parts = owner.names.iter().flat_map(|name| name.split(' '));
    let local = owner
        .addresses
        .iter()
        .filter_map(|address| address.split('@').next());
    parts
        .chain(local)
        .filter(|name| name.len() >= 2)
        .map(|name| (word_hash(name), name))
        .collect()
}

/// Whether a program says at the end that this mail is about its reader: they were named, asked or given something.
pub(super) fn names_reader(body: &str) -> bool {
    const SAID: [&str; 4] = [
        "because you were mentioned",
        "because your review was requested",
        "because you were assigned",
        "because you are mentioned",
    ];
    let from = body.ceil_char_boundary(body.len().saturating_sub(FOOTER));
    let end = body.get(from..).unwrap_or_default().to_lowercase();
    SAID.iter().any(|said| end.contains(said))
}
