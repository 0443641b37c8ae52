//! What is asked of who executes runs, and what is answered.
//!
//! What: [`RunRequest`], [`RunReply`] and [`RunFailure`]. Why: a command asks the service, another command or itself in one way. Not here:
//! doing it ([`super::host`]), the socket (`aura_runtime::control`).

use super::{RunOutcome, WorkflowError, journal::JournalLine};
use orchestrator_machine::workflow::event::RunStart;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use toolcall_schema::rejection::RefusalReason;

/// What can be asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "run_do", rename_all = "snake_case", deny_unknown_fields)]
pub enum RunRequest {
    /// Begin a run and execute it; its events as they are written, until it is at rest.
    Begin {
        started: Box<RunStart>,
        /// Stop before anything is written.
        dry_run: bool,
    },
    /// Execute a run; its events from `from` on, until it is at rest. A run that stopped is asked once more where it stopped.
    Resume {
        run: String,
        dry_run: bool,
        from: u64,
        /// It may be executed already, or be at rest: then it is only followed.
        joins: bool,
    },
    /// Its events from `from` on, until it is at rest or nobody executes it.
    Follow {
        run: String,
        from: u64,
    },
    /// Begin a run, or take it up, and leave it to who is asked. A service executes it, a command only begins it.
    Leave {
        started: Option<Box<RunStart>>,
        run: String,
    },
    /// End its execution; it can be resumed.
    Interrupt {
        run: String,
    },
    /// End it for good.
    Cancel {
        run: String,
    },
    /// Put its files back.
    Undo {
        run: String,
    },
    Answer {
        run: String,
        text: String,
    },
    Dismiss {
        run: String,
    },
    /// Which runs are executed.
    Executed,
    /// A service wants the folder: end, and let it go on with what is executed.
    HandOver,
}

/// What is answered last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunReply {
    /// It is at rest; where it was executed until then, what it came to.
    AtRest(Option<RunOutcome>),
    /// Who was asked lets go of the folder: ask again, it will be another.
    Moved,
    /// It is done; what was written down for it, if anything was.
    Done(Option<Box<JournalLine>>),
    /// The files were not put back, and why.
    NotPutBack(RefusalReason),
    Executed {
        /// By which process.
        process: u32,
        /// Whether that is a service.
        is_service: bool,
        /// Their ids.
        runs: BTreeSet<String>,
    },
    /// It could not be done.
    Failed(RunFailure),
}

/// Why something could not be done, in another process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(deny_unknown_fields)]
#[error("{text}")]
pub struct RunFailure {
    pub kind: FailureKind,
    /// The error with its causes.
    pub text: String,
}

/// What sort of failure it is: exit codes follow from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// Not what can be done where the run stands.
    Illegal,
    /// There is no such run, or the system refuses something.
    Refused,
    /// A project's folder or file.
    Project,
    /// A manifest or a workflow.
    Unusable,
    /// The data folder.
    Data,
    /// Later it may be done.
    Busy,
}

impl WorkflowError {
    /// What sort it is.
    pub fn kind(&self) -> FailureKind {
        if aura_memory::is_temporary_cause(self) {
            return FailureKind::Busy;
        }
        match self {
            WorkflowError::Project { .. } => FailureKind::Project,
            WorkflowError::Unusable { .. } | WorkflowError::Agent(_) | WorkflowError::Nobody { .. } => {
                FailureKind::Unusable
            }
            WorkflowError::Busy { .. } => FailureKind::Busy,
            WorkflowError::Store(_) | WorkflowError::Damaged { .. } => FailureKind::Data,
            WorkflowError::Illegal(_) => FailureKind::Illegal,
            WorkflowError::NotOne { .. } | WorkflowError::Request { .. } | WorkflowError::System { .. } => {
                FailureKind::Refused
            }
            WorkflowError::Elsewhere(failure) => failure.kind,
        }
    }
}

impl From<&WorkflowError> for RunFailure {
    fn from(error: &WorkflowError) -> Self {
        let mut text = error.to_string();
        let mut cause = std::error::Error::source(error);
        while let Some(next) = cause {
            let said = next.to_string();
            if !text.contains(said.trim_end()) {
                text = format!("{text}: {said}");
            }
            cause = next.source();
        }
        Self {
            kind: error.kind(),
            text,
        }
    }
}
