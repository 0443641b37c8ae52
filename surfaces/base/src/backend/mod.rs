//! What the surfaces need from the rest of Aura.
//!
//! What: the trait [`Backend`] and the plain values that cross it. Why: crates beside each other never import each
//! other; `orchestrator` implements this trait over its actors, tests implement it with a double. Not here: any answer to
//! "may this be shown" or "is this confirmation good": the backend says, the surfaces show.

pub mod accounts;
pub mod asks;
pub mod backups;
pub mod console;
pub mod deliveries;
pub mod doctor;
pub mod drafts;
pub mod forgetting;
pub mod home_fields;
pub mod keys;
pub mod last_result;
pub mod meetings;
pub mod memory;
pub mod models;
pub mod money_terms;
pub mod notify;
pub mod owner;
pub mod people;
pub mod runs;
pub mod settings;
pub mod sign_in;
pub mod source_look;
mod types;
pub mod web_push;

use accounts::AccountBackend;
use asks::AskBackend;
use backups::BackupBackend;
use console::ConsoleBackend;
use doctor::DoctorBackend;
use drafts::DraftBackend;
use forgetting::ForgettingBackend;
use keys::KeyBackend;
use meetings::MeetingBackend;
use memory::MemoryBackend;
use models::ModelBackend;
use notify::NotifyBackend;
use owner::OwnerBackend;
use people::PeopleBackend;
use runs::{NoOpenQuestion, QuestionReply, RunView};
use settings::SettingsBackend;
use tokio::sync::broadcast;
use toolcall_schema::{
    Surface, Timestamp,
    ids::{CardId, TraceId},
    rule::{OwnerInstruction, RuleError},
    signal::AdmittedSignal,
    trace::Trace,
    whatif::ImaginedMoment,
};
pub use types::*;
use web_push::WebPushBackend;

/// What the pages need from the rest of Aura. Every call is bounded by the server's request timeout; an implementation that
/// cannot answer soon says [`BackendError::Busy`].
pub trait Backend:
    AccountBackend
    + AskBackend
    + BackupBackend
    + ConsoleBackend
    + DoctorBackend
    + DraftBackend
    + ForgettingBackend
    + KeyBackend
    + MeetingBackend
    + MemoryBackend
    + ModelBackend
    + NotifyBackend
    + OwnerBackend
    + PeopleBackend
    + SettingsBackend
    + WebPushBackend
{
    /// What the pages show now.
    fn now(&self) -> BackendFuture<Result<NowView, BackendError>>;

    /// Health problems, without reading the state or the store.
    fn health(&self) -> BackendFuture<Result<Vec<HealthFlag>, BackendError>>;

    /// Today's traces, newest first, at most `limit` (1 to [`TRACES_MAX`]).
    fn traces(&self, limit: usize) -> BackendFuture<Result<Vec<Trace>, BackendError>>;

    /// Whether a decision that was made before an instant is kept.
    fn decided_before(&self, before: Timestamp) -> BackendFuture<Result<bool, BackendError>>;

    /// Seven local days, today the last.
    fn week(&self) -> BackendFuture<Result<WeekView, BackendError>>;

    /// What memory keeps of the owner's body from an instant on.
    fn body_since(&self, since: Timestamp) -> BackendFuture<Result<KeptBody, BackendError>>;

    /// The payments that memory keeps from an instant on and before another, newest first.
    fn payments(
        &self,
        from: Timestamp,
        to: Timestamp,
    ) -> BackendFuture<Result<Vec<KeptPayment>, BackendError>>;

    /// The version of the payments that memory keeps: equal ones mean equal payments. That they are looked at is recorded first.
    fn payments_version(&self) -> BackendFuture<Result<KeptVersion, BackendError>>;

    /// One trace of any day; `None` when there is none of that id (yet).
    fn trace(&self, id: TraceId) -> BackendFuture<Result<Option<Trace>, BackendError>>;

    /// Decides the moment of a trace (or of the open card that becomes it) once more; changes nothing. `at`: when it was decided.
    fn decide_again(
        &self,
        id: TraceId,
        at: Timestamp,
        otherwise: ImaginedMoment,
    ) -> BackendFuture<Result<DecidedAgain, BackendError>>;

    /// What the owner did with a card. An identical repeat gets the first reply.
    fn answer(&self, submission: AnswerSubmission) -> BackendFuture<Result<AnswerReply, BackendError>>;

    /// Signals from outside, 1 to [`SIGNALS_MAX`]. The same id twice is one signal. The reply comes when what was taken is
    /// journalled.
    fn signals(&self, signals: Vec<AdmittedSignal>) -> BackendFuture<Result<SignalReply, BackendError>>;

    /// A post of a health app: its sleep goes the way of signals. `None`: it is none of that app, or not whole.
    fn health_post(
        &self,
        app: HealthApp,
        body: Vec<u8>,
    ) -> BackendFuture<Result<Option<HealthPostReply>, BackendError>>;

    /// Pauses Aura or adds a rule. Answered when it is on disk.
    fn instruct(&self, word: OwnerInstruction) -> BackendFuture<Result<Result<(), RuleError>, BackendError>>;

    /// Carries out what the owner asks for outside of a card. Answered when its trace is on disk; a repeated idempotency key gets the first answer.
    fn end(
        &self,
        what: OwnerCall,
        key: Option<String>,
    ) -> BackendFuture<Result<Result<TraceId, OwnerCallError>, BackendError>>;

    /// Runs of workflows, newest first, at most `limit` (0 to [`runs::RUNS_MAX`]); those with an open question are always
    /// among them.
    fn runs(&self, limit: usize) -> BackendFuture<Result<Vec<RunView>, BackendError>>;

    /// One run; `None` when there is none of that id.
    fn run(&self, id: String) -> BackendFuture<Result<Option<RunView>, BackendError>>;

    /// The owner replies to a run's question. Replied to when that is on disk; an answered run is then taken up again.
    fn reply(
        &self,
        run: String,
        reply: QuestionReply,
    ) -> BackendFuture<Result<Result<(), NoOpenQuestion>, BackendError>>;

    /// A fragment with this run's question was handed to the network for a connected page of this surface. May repeat.
    fn question_announced(&self, run: String, surface: Surface);

    /// The owner asked to think now: queues a trigger and returns.
    fn tick(&self) -> BackendFuture<Result<(), BackendError>>;

    /// Figures of this process, in the text format of Prometheus.
    fn metrics(&self) -> BackendFuture<Result<String, BackendError>>;

    /// A page of this surface opened its stream. `connection` is new in this process.
    fn connected(&self, surface: Surface, connection: u64);

    /// The stream with that number ended. Called exactly once for each `connected`.
    fn disconnected(&self, surface: Surface, connection: u64);

    /// A fragment with this card was handed to the network for a connected page of this surface. May repeat.
    fn card_shown(&self, card: CardId, surface: Surface);

    /// What changes from now on. A receiver that falls behind is told so by tokio and reads everything anew.
    fn events(&self) -> broadcast::Receiver<UiEvent>;
}

/// Signals in one request.
pub const SIGNALS_MAX: usize = 256;

/// Traces in one answer.
pub const TRACES_MAX: usize = 500;
