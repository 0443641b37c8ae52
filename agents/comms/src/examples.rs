//! Mails as the models of mail are trained on them.
//!
//! What: [`ScorerExample`] of the scorers, [`GateExample`] of the spam gate. Why: what is trained sees what is judged with. Not here: the
//! training (`agents/training`).

use super::{
    mail_class::mail_facts,
    mail_pieces::MailPieces,
    seen_mail::SeenMail,
    spam_gate::{HeadKind, gate_features_without},
    spam_look::threshold,
    standing::OwnerIdentity,
};
use agents_base::mail::{eml, headers::MailOrigin};

/// What the scorers see of a mail, for their training.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScorerExample {
    pub facts: Vec<bool>,
    /// Hashed words and pairs of words.
    pub words: Vec<u16>,
    /// The sender's address.
    pub sender: String,
    /// A program sent it.
    pub automatic: bool,
}

/// A mail as the scorers are trained on it. `None`: these bytes are no mail.
pub fn scorer_example(bytes: &[u8], owner: &OwnerIdentity<'_>) -> Option<ScorerExample> {
    let mail = eml::parse(bytes).ok()?;
    let seen = SeenMail::look(&mail, owner);
    Some(ScorerExample {
        facts: mail_facts(&seen.scan, seen.standing).to_vec(),
        words: seen.scan.lexicon,
        sender: mail.from,
        automatic: seen.standing.automatic,
    })
}

/// What the gate sees of a mail, for its training.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateExample {
    /// The sender's address and name: mails of one sender are not taught and asked apart.
    pub sender: String,
    /// Of the text, without the words that were to be left out.
    pub features: Vec<u16>,
    /// Signs of the head, a bit each.
    pub signs: u32,
    /// What it came with.
    pub kind: HeadKind,
    /// What its score must be for spam, with its head and by its text alone, in 65536ths of a logit.
    pub threshold: i64,
    pub threshold_alone: i64,
}

/// A mail as the gate is trained on it. `skip` names words that are not to be learned.
pub fn gate_example(bytes: &[u8], skip: &dyn Fn(&str) -> bool) -> Option<GateExample> {
    let mail = eml::parse(bytes).ok()?;
    let nobody = OwnerIdentity {
        names: &[],
        addresses: &[],
    };
    let seen = SeenMail::look(&mail, &nobody);
    Some(GateExample {
        features: gate_features_without(&seen.subject.text, &MailPieces::split(&seen.text.text), skip),
        sender: [mail.from.as_str(), " ", &mail.sender].concat(),
        signs: mail.origin.signs,
        kind: HeadKind::of_origin(&mail.origin),
        threshold: threshold(&mail.origin, seen.standing.automatic),
        threshold_alone: threshold(&MailOrigin::default(), false),
    })
}
