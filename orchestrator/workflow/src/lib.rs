//! Workflows of the owner's programs: executing a run, and looking at one.
//!
//! What: the journal of a run ([`journal`]), what a project holds ([`project`]), the loop that asks and writes ([`runner`]), executing one
//! ([`execution`]), the runs of a folder ([`host`]) and what is asked of them ([`protocol`]), what runs want of their owner ([`inbox`]).
//! Why: the machine says what is next, and here it is done, by who has the folder's store open.
//! Not here: what follows from what (`orchestrator_machine::workflow`), programs and files (`programs`).

pub mod execution;
pub mod host;
pub mod inbox;
pub mod journal;
pub mod programs;
pub mod project;
pub mod proposals;
pub mod protocol;
pub mod response;
mod runner;
mod stop;
mod text_file;
mod world;

pub use host::{CloseReason, RunHost, RunHostKind};
pub use journal::{RunHistory, RunJournal};
pub use project::ProjectFolder;
pub use runner::{RunOptions, RunOutcome};
pub use stop::StopRequest;
pub use world::{ProjectPrograms, diff, planned};

use crate::programs::LoadError;
use aura_memory::StoreError;
use orchestrator_machine::workflow::{definition::WorkflowDiagnostic, run::IllegalEvent};
use std::{io, path::PathBuf};
use toolcall_schema::rejection::SchemaError;

/// Why a run or a workflow cannot be used as it was asked.
#[derive(Debug, thiserror::Error)]
pub enum WorkflowError {
    /// The file is no workflow: the first of what is wrong.
    #[error("{path}: {finding}", path = path.display())]
    Unusable {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        finding: WorkflowDiagnostic,
    },
    /// Not what can be done where the run stands.
    #[error(transparent)]
    Illegal(#[from] IllegalEvent),
    /// The run is executed already.
    #[error(
        "WORKFLOW-003: run {run} is being executed by process {pid}: wait for it, or end it with aura workflow cancel",
        pid = pid.map_or_else(|| "unknown".to_owned(), |pid| pid.to_string())
    )]
    Busy {
        run: String,
        /// By whom.
        pid: Option<u32>,
    },
    /// No run is meant, or more than one.
    #[error("WORKFLOW-004: {what}: `aura workflow status` lists the runs by their ids")]
    NotOne {
        /// What was found.
        what: &'static str,
    },
    /// The journal of a run is not what was written.
    #[error("WORKFLOW-005: event {n} of run {run} cannot be read: {what}")]
    Damaged {
        /// Which run.
        run: String,
        /// Which event, from 0.
        n: u64,
        what: String,
    },
    /// The project, or something of it, is not there.
    #[error("WORKFLOW-006: {path} {what}", path = path.display())]
    Project {
        /// Which file or folder.
        path: PathBuf,
        /// What is wrong and the remedy.
        what: &'static str,
        #[source]
        source: Option<io::Error>,
    },
    /// A manifest of the project's cannot be taken up.
    #[error(transparent)]
    Agent(#[from] LoadError),
    /// The data folder cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It could not be done by who works on the folder.
    #[error(transparent)]
    Elsewhere(#[from] protocol::RunFailure),
    /// A request that cannot be asked.
    #[error("{path}: {error}", path = path.display())]
    Request {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        error: Box<SchemaError>,
    },
    /// Nobody can be asked.
    #[error(
        "WORKFLOW-006: agents.d has no agent {what}: `aura agent ask --agent NAME` names one that has it in its task_types"
    )]
    Nobody { what: String },
    /// The process cannot listen for signals, or start another.
    #[error("WORKFLOW-007: could not {doing}")]
    System {
        /// What was tried.
        doing: &'static str,
        /// Why not.
        #[source]
        source: io::Error,
    },
}
