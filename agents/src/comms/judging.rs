//! What a mail wants, from its bytes.
//!
//! What: [`judge_bytes`]. Why: whoever measures how well mails are judged (`agents/judge`) goes through the parser and the rules that the agent goes
//! through, and through nothing else. Not here: the rules (`intent`), the parser (`mail`).

use super::{intent::judge, message::JudgedMessage};
use crate::mail::eml;
use toolcall_schema::catalogue::comms::{Intent, MessageClass};

/// By which names and addresses others mean the owner, in lower case.
#[derive(Debug, Clone, Copy)]
pub struct OwnerIdentity<'a> {
    pub names: &'a [String],
    pub addresses: &'a [String],
}

/// What the owner's history says of a sender. The default is a sender nobody knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SenderStanding {
    /// The owner wrote to this sender.
    pub wrote_to: bool,
    /// Mails of this sender that the owner answered.
    pub answered: u32,
    /// Those that the owner saw and did not answer.
    pub ignored: u32,
    /// What the owner taught, in thousandths.
    pub taught: i32,
}

/// What is said of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailJudgement {
    /// In the words people have for it.
    pub class: MessageClass,
    /// In the machine's.
    pub intent: Intent,
    /// Whether a reply may be drafted for it.
    pub may_draft: bool,
}

/// Judges a mail, RFC 5322. `None`: these bytes are no mail.
pub fn judge_bytes(
    bytes: &[u8],
    owner: &OwnerIdentity<'_>,
    _sender: &SenderStanding,
) -> Option<MailJudgement> {
    let mail = eml::parse(bytes).ok()?;
    let message = JudgedMessage {
        text: &mail.text,
        sender: &mail.sender,
        sender_host: mail.host(),
        channel: "",
        to_owner: mail.to.iter().any(|to| owner.addresses.contains(to)),
        bulk: mail.bulk,
    };
    let judgement = judge(&message, owner.names);
    Some(MailJudgement {
        class: match judgement.intent {
            Intent::Actionable => MessageClass::NeedsYou,
            Intent::Social => MessageClass::Talk,
            Intent::Broadcast => MessageClass::News,
            Intent::Spam => MessageClass::Spam,
        },
        intent: judgement.intent,
        may_draft: judgement.intent == Intent::Actionable && judgement.mention,
    })
}
