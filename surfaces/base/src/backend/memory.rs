//! What the page Memory needs beside figures.
//!
//! What: [`MemoryBackend`], and what crosses it: the things that are remembered, by their kind, and copies to take away. Why: what is kept is
//! looked through, forgotten and taken along where it is shown. Not here: forgetting (`forgetting`), figures (`owner`), names (`owner`).

use super::{BackendError, BackendFuture};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use toolcall_schema::{Timestamp, catalogue::shared::ThingId};

/// Things of a kind that a page looks through.
pub const KEPT_LISTED_MAX: u32 = 512;

/// What the page Memory needs from the rest of Aura.
pub trait MemoryBackend: Send + Sync + 'static {
    /// What of a kind is remembered, newest first, at most [`KEPT_LISTED_MAX`]. Without the names that agents know.
    fn kept_things(&self, kind: KeptKind) -> BackendFuture<Result<Vec<KeptThing>, BackendError>>;

    /// What a copy would hold. Nothing leaves, and that it was looked at is recorded first.
    fn preview_copy(&self, choice: CopyChoice) -> BackendFuture<Result<CopyPreview, BackendError>>;

    /// A copy, as it is written. That it was asked for is recorded first. It ends with an error, or whole.
    fn write_copy(&self, choice: CopyChoice) -> BackendFuture<Result<CopyStream, BackendError>>;

    /// The owner says that this computer's clock is right.
    fn confirm_clock(&self) -> BackendFuture<Result<(), BackendError>>;
}

/// A copy while it is written.
pub type CopyStream = mpsc::Receiver<Result<Vec<u8>, BackendError>>;

/// A kind of what is remembered that can be forgotten as a whole: things whose ids lead to all that tells of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeptKind {
    People,
    Chats,
    Shops,
    Payments,
    Events,
}

impl KeptKind {
    /// Every one, as a page lists them.
    pub const ALL: [Self; 5] = [
        Self::People,
        Self::Chats,
        Self::Shops,
        Self::Payments,
        Self::Events,
    ];

    /// As a form sends it.
    pub fn as_str(self) -> &'static str {
        match self {
            KeptKind::People => "people",
            KeptKind::Chats => "chats",
            KeptKind::Shops => "shops",
            KeptKind::Payments => "payments",
            KeptKind::Events => "events",
        }
    }

    /// Of which kind a thing is; `None`: of none that can be forgotten alone.
    pub fn from_thing(thing: &ThingId) -> Option<Self> {
        match thing {
            ThingId::Person(_) => Some(KeptKind::People),
            ThingId::Channel(_) => Some(KeptKind::Chats),
            ThingId::Merchant(_) => Some(KeptKind::Shops),
            ThingId::Txn(_) => Some(KeptKind::Payments),
            ThingId::Event(_) => Some(KeptKind::Events),
            ThingId::Item(_) => None,
        }
    }
}

/// Something that is remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptThing {
    pub thing: ThingId,
    /// When it was, or was seen last (wall clock).
    pub at: Timestamp,
    /// What the owner calls it.
    pub own_name: Option<String>,
}

/// Who a copy is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CopyReader {
    Myself,
    Friend,
    Clinician,
    Anybody,
}

/// In which form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CopyForm {
    /// Everything, as JSON.
    Whole,
    /// Events of the calendar (iCalendar).
    Calendar,
    /// Payments, as a journal (hledger).
    Journal,
}

/// A copy that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CopyChoice {
    pub reader: CopyReader,
    pub form: CopyForm,
}

/// What a copy would hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CopyPreview {
    pub rows: u64,
    pub bytes: u64,
    /// What was left out or made rougher, as `aura memory export` names it: class, what was done, how often.
    pub removed: Vec<(String, String, u64)>,
    /// The first lines.
    pub begins: Vec<String>,
}
