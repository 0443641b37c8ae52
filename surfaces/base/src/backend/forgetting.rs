//! What the owner has forgotten on a page.
//!
//! What: [`ForgettingBackend`], and what crosses it. Why: what is forgotten is counted before it goes, and can be called off for a moment. Not here: doing it
//! (the backend), how it is said (`words`).

use super::{BackendError, BackendFuture, memory::KeptKind};
use chrono::NaiveDate;
use std::{collections::BTreeMap, time::Duration};
use toolcall_schema::{catalogue::shared::ThingId, forget::MeasuredKind};

/// How long a deletion can be called off.
pub const CALL_OFF_WITHIN: Duration = Duration::from_secs(10);

/// What forgetting on a page needs from the rest of Aura.
pub trait ForgettingBackend: Send + Sync + 'static {
    /// How many of each sort would go now. Nothing is changed. `None`: nothing can be forgotten on this page.
    fn count_forgettable(
        &self,
        what: ForgetChoice,
    ) -> BackendFuture<Result<Option<RemovedBySort>, BackendError>>;

    /// Begins to forget, in [`CALL_OFF_WITHIN`]; what is under way already goes on instead.
    fn forget_soon(&self, what: ForgetChoice) -> BackendFuture<Result<Option<Forgetting>, BackendError>>;

    /// Calls off what has not begun to go.
    fn call_off(&self) -> BackendFuture<Result<Option<Forgetting>, BackendError>>;

    /// What is being forgotten, or came of it last; `None`: nothing since the start.
    fn forgetting(&self) -> BackendFuture<Result<Option<Forgetting>, BackendError>>;
}

/// How many of each sort went or would go, as `aura memory delete` names the sorts.
pub type RemovedBySort = BTreeMap<String, u64>;

/// What the owner chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ForgetChoice {
    /// A local day.
    Day(NaiveDate),
    /// Somebody, a chat, a shop, a payment or an event, with all that tells of it.
    Thing(ThingId),
    /// All things of a kind, each with all that tells of it.
    Kind(KeptKind),
    /// Everything that was measured of a kind, with what was decided by it.
    Measured(MeasuredKind),
    /// All there is.
    Everything,
}

/// A deletion that was asked for on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forgetting {
    /// What goes.
    pub what: ForgetChoice,
    /// How far it is.
    pub stage: ForgetStage,
}

/// How far a deletion is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ForgetStage {
    /// It has not begun, and can be called off for so long.
    Waits(Duration),
    /// It has begun.
    Goes,
    /// All of it has gone.
    Gone(RemovedBySort),
    /// It was called off, and nothing went.
    CalledOff,
    /// It could not be done; the text says why, and whether some of it has gone.
    Failed(String),
}
