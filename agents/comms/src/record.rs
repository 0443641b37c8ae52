//! One message as Comms keeps it.
//!
//! What: [`MessageRecord`] and how it stands in the state. Why: the window of a day and the list of those who wait longer hold the same. Not here: the
//! window (`model`), the list (`older`), reading and judging (`reading`, `intent`).

use super::{intent::Intent, judging::class_of, message::RequestVerb};
use agents_base::shared::SourceLocator;
use serde::{Deserialize, Serialize};
use toolcall_schema::{
    Timestamp,
    catalogue::comms::{EVIDENCE_MAX, EvidenceCode, MessageClass},
    forget::ErasureScope,
    ids::{AppHash, ChannelHash, ItemId, PersonHash},
    milli::Milli,
};

/// One message. Holds no text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "MessageRow", into = "MessageRow")]
pub(crate) struct MessageRecord {
    /// Its name.
    pub(crate) item_id: ItemId,
    /// Its chat, group or mail folder.
    pub(crate) channel: ChannelHash,
    /// When it was sent.
    pub(crate) at: Timestamp,
    /// What it wants.
    pub(crate) intent: Intent,
    /// 0 to 1.
    pub(crate) urgency: Milli,
    /// Whether it speaks to the owner.
    pub(crate) mention: bool,
    /// Whether it is a mail.
    pub(crate) mail: bool,
    /// Whether the owner answered it.
    pub(crate) answered: bool,
    /// Whether a reply was drafted.
    pub(crate) drafted: bool,
    /// Whether the owner opened it, as far as its mailbox says.
    pub(crate) read: bool,
    /// The first mail of its thread; absent for chats.
    pub(crate) thread: Option<ItemId>,
    /// The mailing list that it came through.
    pub(crate) list: Option<ChannelHash>,
    /// What it asks for.
    pub(crate) verb: RequestVerb,
    /// Who wrote it; absent: the owner, or it was read by an Aura that did not keep it.
    pub(crate) person: Option<PersonHash>,
    /// Through which program; absent for mail.
    pub(crate) app: Option<AppHash>,
    /// What it is, in people's words.
    pub(crate) class: MessageClass,
    /// What its class rests on.
    pub(crate) evidence: Vec<EvidenceCode>,
    /// No reply may be drafted for it.
    pub(crate) no_draft: bool,
    /// Its receiving server says that its sender did not send it.
    pub(crate) forged: bool,
    /// Where its sender's name stands; absent: it was posted.
    pub(crate) locator: Option<SourceLocator>,
}

impl MessageRecord {
    /// An actionable mail that waits for an answer.
    pub(crate) fn important(&self) -> bool {
        self.mail && self.intent == Intent::Actionable && !self.answered
    }

    /// Whether it is among what the owner wants forgotten, by time, id, chat or sender.
    pub(super) fn is_covered_by(&self, what: &ErasureScope) -> bool {
        let person = self.person.as_ref();
        what.covers_time(self.at)
            || what.covers_thing(self.item_id.as_str())
            || what.covers_thing(self.channel.as_str())
            || person.is_some_and(|who| what.covers_thing(who.as_str()))
    }

    /// Whether what is read again of it may judge it anew: it is a mail, or a message of the owner's files.
    pub(super) fn may_be_judged_by(&self, item: &MessageRecord) -> bool {
        self.mail || item.locator.is_some()
    }

    /// Takes over what the same message was judged as when it was read again; other flags stay.
    pub(super) fn judge_as(&mut self, item: &MessageRecord) {
        self.locator = item.locator.or(self.locator);
        self.intent = item.intent;
        self.urgency = item.urgency;
        self.mention = item.mention;
        self.read |= item.read;
        self.verb = item.verb;
        self.class = item.class;
        self.evidence.clone_from(&item.evidence);
        self.no_draft = item.no_draft;
        self.forged = item.forged;
    }
}

/// An [`MessageRecord`] as it stands in the state: the flags are mention 1, mail 2, answered 4, drafted 8, read 16,
/// no draft 32, forged 64.
#[derive(Serialize, Deserialize)]
struct MessageRow(
    ItemId,
    ChannelHash,
    i64,
    Intent,
    i64,
    u8,
    RequestVerb,
    #[serde(default)] Option<PersonHash>,
    #[serde(default)] Option<AppHash>,
    #[serde(default)] Option<ItemId>,
    #[serde(default)] Option<ChannelHash>,
    #[serde(default)] Option<MessageClass>,
    #[serde(default)] Vec<EvidenceCode>,
    #[serde(default)] Option<SourceLocator>,
);

impl From<MessageRow> for MessageRecord {
    fn from(row: MessageRow) -> Self {
        let MessageRow(
            item_id,
            channel,
            ms,
            intent,
            urgency,
            flags,
            verb,
            person,
            app,
            thread,
            list,
            class,
            mut evidence,
            locator,
        ) = row;
        evidence.truncate(EVIDENCE_MAX);
        MessageRecord {
            item_id,
            channel,
            at: Timestamp::from_ms(ms),
            intent,
            urgency: Milli(urgency.clamp(0, 1000)),
            mention: flags & 1 != 0,
            mail: flags & 2 != 0,
            answered: flags & 4 != 0,
            drafted: flags & 8 != 0,
            read: flags & 16 != 0,
            thread,
            list,
            verb,
            person,
            app,
            class: class.unwrap_or(class_of(intent)),
            evidence,
            no_draft: flags & 32 != 0,
            forged: flags & 64 != 0,
            locator,
        }
    }
}

impl From<MessageRecord> for MessageRow {
    fn from(item: MessageRecord) -> Self {
        let flags = u8::from(item.mention)
            | u8::from(item.mail) << 1
            | u8::from(item.answered) << 2
            | u8::from(item.drafted) << 3
            | u8::from(item.read) << 4
            | u8::from(item.no_draft) << 5
            | u8::from(item.forged) << 6;
        MessageRow(
            item.item_id,
            item.channel,
            item.at.ms(),
            item.intent,
            item.urgency.0,
            flags,
            item.verb,
            item.person,
            item.app,
            item.thread,
            item.list,
            Some(item.class),
            item.evidence,
            item.locator,
        )
    }
}
