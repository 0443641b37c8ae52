//! What the operator's console needs from the rest of Aura.
//!
//! What: the trait [`ConsoleBackend`] and the plain values that cross it, a file for each page. Why: whoever is called when something is wrong sees
//! the same figures that programs get from `/metrics` and `aura status`. Not here: anything that changes something: a dry replay and a
//! what-if change nothing, and there is no more.

mod decisions;
mod ledger_day;
mod machine;
mod overview;
mod policy;
mod refused;
mod sample;
mod tick;

pub use decisions::{PAGE, TraceChoice, TraceFilter, TraceOrder, TracePage, longest_state, own_time_ms};
pub use ledger_day::{LedgerDay, LedgerDayRow};
pub use machine::{MachineView, PendingQuestion, TimerView};
pub use overview::{
    ProcessEndView, ProcessName, ProcessRestart, ProcessStatus, ProcessView, QueueName, QueueView,
    ServiceCounters, ServiceOverview, StoreView,
};
pub use policy::{
    CatalogueView, ConstantChange, ConstantField, POLICY_BYTES_MAX, PolicyOutcome, PolicyTrial, PolicyView,
    PolicyWish, WhatIfQuestion, WhatIfReport,
};
pub use refused::{DryReplayVerdict, REFUSED_MAX, RefusedFilter, RefusedItem, RefusedLine};
pub use sample::ServiceSample;
pub use tick::{
    AnswerEnding, NEAR_MS, REPLAY_STEPS_MAX, ReplayAnswer, ReplayedEffect, ReplayedStep, TickEvent,
    TickEventKind, TickReplay, TickView, restarts_near,
};

use super::types::{BackendError, BackendFuture};
use chrono::NaiveDate;
use toolcall_schema::{ids::TraceId, policy_diagnostic::PolicyDiagnostic};

/// What the console asks. Every call is bounded by the server's request timeout, and none changes anything.
pub trait ConsoleBackend: Send + Sync + 'static {
    /// How the service is.
    fn overview(&self) -> BackendFuture<Result<ServiceOverview, BackendError>>;

    /// The machine: its state, what it waits for, what is queued.
    fn machine(&self) -> BackendFuture<Result<MachineView, BackendError>>;

    /// What was refused, newest first, at most [`REFUSED_MAX`].
    fn refused(&self, filter: RefusedFilter) -> BackendFuture<Result<Vec<RefusedItem>, BackendError>>;

    /// What today's gate says of a refused line, without its deadline and without doing anything; `None` when it is not there any more.
    fn dry_replay(&self, line: RefusedLine) -> BackendFuture<Result<Option<DryReplayVerdict>, BackendError>>;

    /// Everything that is kept of a tick; `None`: no such trace.
    fn recorded_tick(&self, id: TraceId) -> BackendFuture<Result<Option<TickView>, BackendError>>;

    /// A tick done again by the pure machine, with its event number `step` (from 0) in full, or its last where there are fewer.
    fn replay_tick(&self, id: TraceId, step: usize) -> BackendFuture<Result<ReplayAnswer, BackendError>>;

    /// A few figures of this moment.
    fn sample(&self) -> BackendFuture<Result<ServiceSample, BackendError>>;

    /// Decisions that pass a filter, [`PAGE`] at a time.
    fn find_traces(&self, filter: TraceFilter) -> BackendFuture<Result<TracePage, BackendError>>;

    /// The policy and the catalogue in force.
    fn policy(&self) -> BackendFuture<Result<PolicyView, BackendError>>;

    /// The days that were, decided under another policy; or what is wrong with that policy.
    fn what_if(
        &self,
        question: WhatIfQuestion,
    ) -> BackendFuture<Result<Result<PolicyTrial, Vec<PolicyDiagnostic>>, BackendError>>;

    /// The attention of one local day; absent: the newest one.
    fn book(&self, day: Option<NaiveDate>) -> BackendFuture<Result<LedgerDay, BackendError>>;
}
