//! What the owner confirmed, on its way to a server, as pages show it.
//!
//! What: [`DeliveryView`]. Why: that something lies in the outbox does not say whether the server has it. Not here: delivering (`orchestrator`),
//! the words (`words`).

use toolcall_schema::{accounts::LookFailure, delivery::DeliveryProblem, ids::TraceId};

/// How one act stands on its server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryView {
    /// The act.
    pub trace_id: TraceId,
    /// Its host; absent while it is not known.
    pub server: Option<String>,
    pub progress: DeliveryProgress,
}

/// How far it is; with why the last try failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryProgress {
    Waits(Option<LookFailure>),
    /// It was sent, and the server did not say whether it has it.
    Unknown(Option<LookFailure>),
    There,
    /// The owner took it back, and the server may still have it.
    IsTakenBack(Option<LookFailure>),
    /// The server has it no more.
    Gone,
    /// The server does not have it, and it is not tried again.
    Failed(DeliveryProblem),
    /// The server has it, and it cannot be taken back.
    Stays(DeliveryProblem),
}
