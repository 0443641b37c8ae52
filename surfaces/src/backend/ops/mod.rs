//! What the operator's console needs from the rest of Aura.
//!
//! What: the trait [`Ops`] and the plain values that cross it, a file for each page. Why: whoever is called when something is wrong sees
//! the same figures that programs get from `/metrics` and `aura status`. Not here: anything that changes something: a dry replay and a
//! what-if change nothing, and there is no more.

mod book;
mod decisions;
mod machine;
mod overview;
mod policy;
mod refused;

pub use book::{Book, BookRow};
pub use decisions::{PAGE, TraceFilter, TracePage};
pub use machine::{MachineView, Pending, TimerView};
pub use overview::{Counters, Overview, Part, PartName, PartStanding, Queue, QueueName, StoreView};
pub use policy::{CatalogueView, Constant, Finding, POLICY_BYTES_MAX, PolicyView, WhatIf, WhatIfQuestion};
pub use refused::{REFUSED_MAX, Refused, RefusedFilter, RefusedKind, RefusedLine, Verdict};

use super::types::{BackendError, Fut};
use chrono::NaiveDate;

/// What the console asks. Every call is bounded by the server's request timeout, and none changes anything.
pub trait Ops: Send + Sync + 'static {
    /// How the service is.
    fn overview(&self) -> Fut<Result<Overview, BackendError>>;

    /// The machine: its state, what it waits for, what is queued.
    fn machine(&self) -> Fut<Result<MachineView, BackendError>>;

    /// What was refused, newest first, at most [`REFUSED_MAX`].
    fn refused(&self, filter: RefusedFilter) -> Fut<Result<Vec<Refused>, BackendError>>;

    /// What today's gate says of a refused line, without its deadline and without doing anything; `None` when it is not there any more.
    fn dry_replay(&self, line: RefusedLine) -> Fut<Result<Option<Verdict>, BackendError>>;

    /// Decisions that pass a filter, newest first, [`PAGE`] at a time.
    fn find_traces(&self, filter: TraceFilter) -> Fut<Result<TracePage, BackendError>>;

    /// The policy and the catalogue in force.
    fn policy(&self) -> Fut<Result<PolicyView, BackendError>>;

    /// The days that were, decided under another policy; or what is wrong with that policy.
    fn what_if(&self, question: WhatIfQuestion) -> Fut<Result<Result<WhatIf, Vec<Finding>>, BackendError>>;

    /// The attention of one local day; absent: the newest one.
    fn book(&self, day: Option<NaiveDate>) -> Fut<Result<Book, BackendError>>;
}
