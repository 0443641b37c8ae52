//! What ends a command before it is done.
//!
//! What: [`CliError`] with its exit code. Why: every command fails in the same few ways, and each names the file and the
//! remedy. Not here: the errors of the parts, which keep their codes and pages.

use super::exit::Exit;
use crate::{
    accepted::CatalogueError,
    config::ConfigError,
    day::PlayError,
    erase::EraseError,
    journal::JournalError,
    models::ModelError,
    process::{sandbox::SandboxError, worker::WorkerError},
    programs::LoadError,
    reads::NotRecorded,
    service::ServiceError,
    wiring::WiringError,
    workflow::WorkflowError,
};
use aura_memory::{
    StoreError,
    export::{ExportError, ImportError},
    models::ModelFileError,
};
use std::{error::Error, io, path::PathBuf};

/// Why a command ended early. No variant holds text from outside.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// An argument that clap could not know to be wrong.
    #[error("{0}")]
    Usage(String),
    /// What was asked for is not there.
    #[error("{0}")]
    NotThere(String),
    /// The configuration cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The running service says that the configuration cannot be used.
    #[error("{0}")]
    Refused(String),
    /// The journal cannot be folded.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// An erasure cannot be planned.
    #[error(transparent)]
    Erase(#[from] EraseError),
    /// Neither flag nor environment says where the data folder is.
    #[error("no data folder is named and HOME is not set: use --data DIR or set AURA_DATA")]
    NoDataFolder,
    /// The data folder cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An export that could not be made.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// Nothing was imported.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// A read that could not be recorded.
    #[error(transparent)]
    NotRecorded(#[from] NotRecorded),
    /// The service could not be started, or did not do what was asked.
    #[error(transparent)]
    Service(#[from] ServiceError),
    /// A catalogue that cannot be compared or recorded.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// A recorded day, or a journal, cannot be played.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// The sandbox is not as it has to be.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// A program's manifest cannot be taken up.
    #[error(transparent)]
    Program(#[from] LoadError),
    /// A workflow or a run cannot be used as it was asked.
    #[error(transparent)]
    Workflow(#[from] WorkflowError),
    /// A process of an agent ended early.
    #[error(transparent)]
    Worker(#[from] WorkerError),
    /// A model that cannot be had or used.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A file or folder that a command makes or removes could not be.
    #[error("could not write a file or folder: check the data folder and the space on its disk")]
    File(#[from] io::Error),
    /// A file that was named on the command line cannot be read.
    #[error("could not read {path}: name a readable file, or - for the standard input")]
    Input {
        /// Which.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
    /// The reader of our output is gone: it has seen enough.
    #[error("the output was closed")]
    Closed,
    /// The output cannot be written.
    #[error("could not write the output")]
    Output(#[source] io::Error),
    /// Something of ours is not as it must be.
    #[error("this is a bug in aura: {0}")]
    Bug(&'static str),
}

impl CliError {
    /// The exit code that goes with it.
    pub fn exit(&self) -> Exit {
        match self {
            CliError::Closed => Exit::Ok,
            CliError::NotThere(_) => Exit::Bad,
            CliError::Usage(_) | CliError::Input { .. } => Exit::Usage,
            CliError::Config(_) | CliError::Refused(_) | CliError::NoDataFolder => Exit::Config,
            CliError::Journal(error) | CliError::Erase(EraseError::Journal(error)) => of_journal(error),
            CliError::Store(_)
            | CliError::Erase(EraseError::Store(_))
            | CliError::File(_)
            | CliError::NotRecorded(_) => Exit::Data,
            CliError::Export(ExportError::Store(_)) | CliError::Import(ImportError::Store(_)) => Exit::Data,
            CliError::Export(ExportError::Write(_)) => Exit::Usage,
            CliError::Import(_) => Exit::Bad,
            CliError::Service(error) => of_service(error),
            CliError::Play(error) => of_play(error),
            CliError::Catalogue(error) => of_catalogue(error),
            CliError::Sandbox(error) => of_sandbox(error),
            CliError::Program(_) => Exit::Config,
            CliError::Workflow(error) => of_workflow(error),
            CliError::Worker(error) => of_worker(error),
            CliError::Model(error) => of_model(error),
            CliError::Output(_) | CliError::Bug(_) => Exit::Bug,
        }
    }

    /// The error with its causes, one line. A cause that its error already quotes is not said twice.
    pub fn with_causes(&self) -> String {
        let mut text = self.to_string();
        let mut cause = self.source();
        while let Some(error) = cause {
            let why = error.to_string();
            if !text.contains(why.trim_end()) {
                text = format!("{text}: {why}");
            }
            cause = error.source();
        }
        text.trim_end().to_owned()
    }
}

/// A port that cannot be had is configuration: another one is named there.
fn of_service(error: &ServiceError) -> Exit {
    match error {
        ServiceError::Config(_) | ServiceError::Bind(_) | ServiceError::NotADemo => Exit::Config,
        ServiceError::Wiring(error) => of_wiring(error),
        ServiceError::Play(error) => of_play(error),
        ServiceError::Io { .. } => Exit::Data,
    }
}

fn of_workflow(error: &WorkflowError) -> Exit {
    match error {
        WorkflowError::Project { .. } => Exit::Usage,
        WorkflowError::Unusable { .. } | WorkflowError::Agent(_) | WorkflowError::Nobody { .. } => {
            Exit::Config
        }
        WorkflowError::Busy { .. } | WorkflowError::Damaged { .. } | WorkflowError::Store(_) => Exit::Data,
        WorkflowError::Illegal(_)
        | WorkflowError::NotOne { .. }
        | WorkflowError::Request { .. }
        | WorkflowError::System { .. } => Exit::Bad,
    }
}

/// What the supervisor wrote is what is checked here.
fn of_worker(error: &WorkerError) -> Exit {
    match error {
        WorkerError::Alone => Exit::Usage,
        WorkerError::Orphan | WorkerError::Wire(_) | WorkerError::Setup(_) | WorkerError::Socket(_) => {
            Exit::Bad
        }
        WorkerError::Sandbox(error) => of_sandbox(error),
        WorkerError::Limit { .. } => Exit::Bug,
    }
}

/// A model is what is checked or asked for; only the folder it belongs into is the data folder's.
fn of_model(error: &ModelError) -> Exit {
    match error {
        ModelError::File(ModelFileError::Store(_)) => Exit::Data,
        ModelError::From { .. } => Exit::Usage,
        ModelError::NoWorker
        | ModelError::NoFile
        | ModelError::File(ModelFileError::Length { .. } | ModelFileError::Hash { .. })
        | ModelError::Unknown { .. }
        | ModelError::Manifest { .. }
        | ModelError::Program { .. }
        | ModelError::NoOrigin
        | ModelError::Trial(_)
        | ModelError::Refused { .. } => Exit::Bad,
    }
}

fn of_play(error: &PlayError) -> Exit {
    match error {
        PlayError::Unreadable { .. } | PlayError::Day { .. } => Exit::Bad,
        PlayError::Config(_) => Exit::Config,
        PlayError::Wiring(error) => of_wiring(error),
        PlayError::Ended | PlayError::Screen(_) => Exit::Bug,
    }
}

fn of_wiring(error: &WiringError) -> Exit {
    match error {
        WiringError::Store(_) => Exit::Data,
        WiringError::Journal(error) => of_journal(error),
        WiringError::Catalogue(error) => of_catalogue(error),
        WiringError::Setup(_) => Exit::Config,
    }
}

/// What is missing of an older journal is in a configuration; everything else is the folder's.
fn of_journal(error: &JournalError) -> Exit {
    match error {
        JournalError::NoSettings { .. } => Exit::Config,
        JournalError::Store(_)
        | JournalError::Unreadable { .. }
        | JournalError::Text { .. }
        | JournalError::Hole { .. }
        | JournalError::NoKey => Exit::Data,
    }
}

fn of_sandbox(error: &SandboxError) -> Exit {
    match error {
        SandboxError::Program { .. } => Exit::Usage,
        SandboxError::NotWhole { .. }
        | SandboxError::Threads { .. }
        | SandboxError::Environment { .. }
        | SandboxError::Step { .. } => Exit::Config,
    }
}

fn of_catalogue(error: &CatalogueError) -> Exit {
    match error {
        CatalogueError::NotAccepted { .. } => Exit::Config,
        CatalogueError::Unreadable { .. } | CatalogueError::Store(_) => Exit::Data,
    }
}

/// An error of writing the output.
pub fn of_output(error: io::Error) -> CliError {
    if error.kind() == io::ErrorKind::BrokenPipe {
        CliError::Closed
    } else {
        CliError::Output(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_said_once_each() {
        let error = CliError::Input {
            path: "calls.ndjson".into(),
            source: io::ErrorKind::NotFound.into(),
        };
        assert_eq!(
            error.with_causes(),
            "could not read calls.ndjson: name a readable file, or - for the standard input: entity not found"
        );
        let missing = CliError::from(StoreError::Missing { dir: "d".into() });
        assert_eq!(
            (missing.exit(), missing.with_causes()),
            (
                Exit::Data,
                "STORE-004: no store in d: name the right folder, or start the service once to create it"
                    .to_owned()
            )
        );
    }

    #[test]
    fn a_reader_that_has_seen_enough_is_no_failure() {
        assert_eq!(
            of_output(io::Error::from(io::ErrorKind::BrokenPipe)).exit(),
            Exit::Ok
        );
        assert_eq!(
            of_output(io::Error::from(io::ErrorKind::StorageFull)).exit(),
            Exit::Bug
        );
    }
}
