//! Drafts of replies and of declines that lie in the outbox.
//!
//! What: [`DraftBackend`], and what crosses it. Why: a draft that was confirmed is Aura's own text, which its owner may change, copy and hand to a mail
//! program; nothing is sent. Not here: drafting and discarding, which are calls ([`super::Backend::end`]).

use super::{BackendError, BackendFuture};
use std::{collections::BTreeSet, fmt, time::Duration};
use toolcall_schema::{
    catalogue::shared::ThingId,
    ids::{EventId, ItemId},
};

/// Bytes of a draft, at most.
pub const DRAFT_BYTES_MAX: usize = 16 * 1024;

/// A discarded draft can be brought back for so long.
pub const DISCARDED_FOR: Duration = Duration::from_hours(1);

/// What drafts need from the rest of Aura.
pub trait DraftBackend: Send + Sync + 'static {
    /// Every draft of a reply that lies in the outbox and can be read.
    fn drafts(&self) -> BackendFuture<Result<Vec<ReplyDraft>, BackendError>>;

    /// The draft of a decline of that event, where one lies in the outbox and can be read.
    fn decline_draft(&self, event: EventId) -> BackendFuture<Result<Option<DeclineDraft>, BackendError>>;

    /// Changes a draft whole or not at all, if it still says what its owner saw. Answered when it is on disk; with the hash of what it says now.
    fn edit_draft(
        &self,
        edit: ReplyEdit,
    ) -> BackendFuture<Result<Result<String, DraftRefusal>, BackendError>>;

    /// Brings the discarded draft of a reply or of a decline back as its owner left it; whether it is there. Answered when it is on disk.
    fn restore_draft(&self, of: ThingId) -> BackendFuture<Result<bool, BackendError>>;
}

/// Which drafts lie in the outbox, by the message that they answer or the event that they decline.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OutboxDrafts {
    pub there: BTreeSet<ThingId>,
    /// Those that were discarded and can be brought back.
    pub discarded: BTreeSet<ThingId>,
}

/// The draft of a reply. Its `Debug` hides the text, which names somebody.
#[derive(Clone, PartialEq, Eq)]
pub struct ReplyDraft {
    /// The message that it answers.
    pub item: ItemId,
    pub text: String,
    /// The hash of the text: whoever changes it says what they saw.
    pub shown: String,
}

/// The draft of a decline, the owner's reply to an invitation. Its `Debug` hides the text, which names somebody.
#[derive(Clone, PartialEq, Eq)]
pub struct DeclineDraft {
    pub event: EventId,
    /// What its owner says in it.
    pub text: String,
    /// The hash of the file: whoever changes it says what they saw.
    pub shown: String,
    /// The mail address of whom it is for.
    pub address: Option<String>,
    /// The file, as a calendar or mail program takes it.
    pub file: String,
}

/// What its owner makes of a draft.
#[derive(Clone, PartialEq, Eq)]
pub struct ReplyEdit {
    /// The message that it answers, or the event that it declines.
    pub of: ThingId,
    pub text: String,
    /// The hash of what was shown.
    pub shown: String,
}

impl fmt::Debug for ReplyDraft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReplyDraft({})", self.item)
    }
}

impl fmt::Debug for DeclineDraft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeclineDraft({})", self.event)
    }
}

impl fmt::Debug for ReplyEdit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReplyEdit({:?})", self.of)
    }
}

/// Why a draft was not changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DraftRefusal {
    /// More than [`DRAFT_BYTES_MAX`].
    TooLong,
    /// Nothing but blanks.
    Empty,
    /// It says something else than was shown.
    Changed,
    /// There is none any more.
    Gone,
}
