//! What ends a command before it is done.
//!
//! What: [`CliError`] with its exit code. Why: every command fails in the same few ways, and each names the file and the
//! remedy. Not here: the errors of the parts, which keep their codes and pages.

use super::exit::CommandExit;
use aura_days::day::PlayError;
use aura_memory::{
    StoreError,
    export::{ExportError, ImportError},
    models::ModelFileError,
};
use aura_process::{models::ModelError, sandbox::SandboxError, worker::WorkerError};
use aura_runtime::{
    accepted::CatalogueError, config::ConfigError, control::ControlError, deletion::DeletionError,
    erase::EraseError, journal::JournalError, reads::NotRecorded, service::ServiceError, wiring::WiringError,
};

use aura_workflow::{WorkflowError, programs::LoadError, protocol::FailureKind};
use std::{
    error::Error,
    io,
    path::{Path, PathBuf},
};
use surfaces_base::{
    language::{say, text},
    visible::shortened,
};

/// Why a command ended early. No variant holds text from outside.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// An argument that clap could not know to be wrong.
    #[error("{0}")]
    Usage(String),
    /// What was asked for is not there.
    #[error("{0}")]
    NotThere(String),
    /// It cannot be done now; later it may be.
    #[error("{0}")]
    Busy(String),
    /// The service that was started has ended, and why.
    #[error("{why}")]
    NotStarted { exit: CommandExit, why: String },
    /// The service that runs on the folder was asked and gave no answer.
    #[error(transparent)]
    Control(#[from] ControlError),
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
    Deletion(#[from] DeletionError),
    /// Neither flag nor environment says where the data folder is.
    #[error("{}", text("cli-common-no-data-folder"))]
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
    #[error("{}", text("cli-common-file-not-written"))]
    File(#[from] io::Error),
    /// A file that was named on the command line cannot be read.
    #[error("{}", file_not_read(.path))]
    Input {
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
    /// The reader of our output is gone: it has seen enough.
    #[error("{}", text("cli-common-output-closed"))]
    Closed,
    /// The output cannot be written.
    #[error("{}", text("cli-common-output-not-written"))]
    Output(#[source] io::Error),
    /// Something of ours is not as it must be.
    #[error("{}", bug(.0))]
    Bug(&'static str),
}

impl CliError {
    /// The exit code that goes with it. Whatever trying again may cure is worth trying again, whoever met it.
    pub fn exit(&self) -> CommandExit {
        let exit = self.lasting_exit();
        if exit != CommandExit::Ok && aura_memory::is_temporary_cause(self) {
            CommandExit::Busy
        } else {
            exit
        }
    }

    fn lasting_exit(&self) -> CommandExit {
        match self {
            CliError::Closed => CommandExit::Ok,
            CliError::NotThere(_) => CommandExit::Bad,
            CliError::Usage(_) | CliError::Input { .. } => CommandExit::Usage,
            CliError::Config(_) | CliError::Refused(_) | CliError::NoDataFolder => CommandExit::Config,
            CliError::Busy(_) => CommandExit::Busy,
            CliError::NotStarted { exit, .. } => *exit,
            CliError::Control(error) => of_control(error),
            CliError::Journal(error) => of_journal(error),
            CliError::Deletion(error) => of_deletion(error),
            CliError::Store(error)
            | CliError::Export(ExportError::Store(error))
            | CliError::Import(ImportError::Store(error)) => of_store(error),
            CliError::File(_) => CommandExit::Data,
            CliError::NotRecorded(error) => of_not_recorded(error),
            // The reader of an export that is piped has seen enough.
            CliError::Export(ExportError::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
                CommandExit::Ok
            }
            CliError::Export(ExportError::Write(_) | ExportError::Taken(_)) => CommandExit::Usage,
            CliError::Import(_) => CommandExit::Bad,
            CliError::Service(error) => of_service(error),
            CliError::Play(error) => of_play(error),
            CliError::Catalogue(error) => of_catalogue(error),
            CliError::Sandbox(error) => of_sandbox(error),
            CliError::Program(_) => CommandExit::Config,
            CliError::Workflow(error) => of_workflow(error),
            CliError::Worker(error) => of_worker(error),
            CliError::Model(error) => of_model(error),
            CliError::Output(_) | CliError::Bug(_) => CommandExit::Bug,
        }
    }

    /// What the data folder's store says, when that is what is wrong.
    pub(super) fn of_store(&self) -> Option<&StoreError> {
        let (CliError::Store(error)
        | CliError::Deletion(
            DeletionError::Store(error) | DeletionError::Erase(EraseError::Store(error)),
        )
        | CliError::NotRecorded(NotRecorded::Store(error))
        | CliError::Service(ServiceError::Wiring(WiringError::Store(error)))
        | CliError::Catalogue(CatalogueError::Store(error))
        | CliError::Export(ExportError::Store(error))
        | CliError::Import(ImportError::Store(error))) = self
        else {
            return None;
        };
        Some(error)
    }

    /// The error with its causes, one line. A cause that its error already quotes is not said twice.
    pub(crate) fn with_causes(&self) -> String {
        let mut text = shortened(&self.to_string()).into_owned();
        let mut cause = self.source();
        while let Some(error) = cause {
            let why = error.to_string();
            let why = shortened(&why);
            if !text.contains(why.trim_end()) {
                text = format!("{text}: {why}");
            }
            cause = error.source();
        }
        text.trim_end().to_owned()
    }
}

fn file_not_read(path: &Path) -> String {
    say!("cli-common-file-not-read", path = path.display().to_string())
}

fn bug(what: &str) -> String {
    say!("cli-common-bug", what)
}

/// What has no cause of its own to be found by: the folder is in use.
fn of_store(error: &StoreError) -> CommandExit {
    if error.is_temporary() {
        CommandExit::Busy
    } else {
        CommandExit::Data
    }
}

fn of_not_recorded(error: &NotRecorded) -> CommandExit {
    match error {
        NotRecorded::Store(error) => of_store(error),
        NotRecorded::Commit(error) => of_store(&error.cause),
        NotRecorded::Service(error) => of_control(error),
        NotRecorded::Busy(_) => CommandExit::Busy,
        NotRecorded::Said(_) => CommandExit::Data,
    }
}

fn of_control(error: &ControlError) -> CommandExit {
    match error {
        ControlError::NoAnswer(_) => CommandExit::Busy,
        ControlError::NotUnderstood(_) | ControlError::Refused(_) => CommandExit::Bad,
    }
}

/// A port that cannot be had is configuration: another one is named there.
fn of_service(error: &ServiceError) -> CommandExit {
    if error.is_temporary() {
        return CommandExit::Busy;
    }
    match error {
        ServiceError::Config(_) | ServiceError::Bind(_) | ServiceError::NotADemo => CommandExit::Config,
        ServiceError::Wiring(error) => of_wiring(error),
        ServiceError::Unreadable(_) => CommandExit::Bad,
        ServiceError::Io { .. } => CommandExit::Data,
        ServiceError::OtherHost | ServiceError::OpenPrompt { .. } => CommandExit::Busy,
    }
}

fn of_workflow(error: &WorkflowError) -> CommandExit {
    match error {
        WorkflowError::Project { .. } => CommandExit::Usage,
        WorkflowError::Unusable { .. } | WorkflowError::Agent(_) | WorkflowError::Nobody { .. } => {
            CommandExit::Config
        }
        WorkflowError::Busy { .. } => CommandExit::Busy,
        WorkflowError::Store(error) => of_store(error),
        WorkflowError::Damaged { .. } => CommandExit::Data,
        WorkflowError::Illegal(_)
        | WorkflowError::NotOne { .. }
        | WorkflowError::Request { .. }
        | WorkflowError::System { .. } => CommandExit::Bad,
        WorkflowError::Elsewhere(failure) => match failure.kind {
            FailureKind::Illegal | FailureKind::Refused => CommandExit::Bad,
            FailureKind::Project => CommandExit::Usage,
            FailureKind::Unusable => CommandExit::Config,
            FailureKind::Data => CommandExit::Data,
            FailureKind::Busy => CommandExit::Busy,
        },
    }
}

/// What the supervisor wrote is what is checked here.
fn of_worker(error: &WorkerError) -> CommandExit {
    match error {
        WorkerError::Alone => CommandExit::Usage,
        WorkerError::Orphan | WorkerError::Wire(_) | WorkerError::Setup(_) | WorkerError::Socket(_) => {
            CommandExit::Bad
        }
        WorkerError::Sandbox(error) => of_sandbox(error),
        WorkerError::Limit { .. } => CommandExit::Bug,
    }
}

/// A model is what is checked or asked for; only the folder it belongs into is the data folder's.
fn of_model(error: &ModelError) -> CommandExit {
    match error {
        ModelError::File(ModelFileError::Store(error)) => of_store(error),
        ModelError::From { .. } => CommandExit::Usage,
        ModelError::NoWorker
        | ModelError::NoFile
        | ModelError::File(ModelFileError::Length { .. } | ModelFileError::Hash { .. })
        | ModelError::Unknown { .. }
        | ModelError::Manifest { .. }
        | ModelError::Program { .. }
        | ModelError::NoOrigin
        | ModelError::Trial(_)
        | ModelError::Refused { .. } => CommandExit::Bad,
    }
}

fn of_play(error: &PlayError) -> CommandExit {
    match error {
        PlayError::Unreadable(_) | PlayError::Day { .. } => CommandExit::Bad,
        PlayError::Config(_) => CommandExit::Config,
        PlayError::Wiring(error) => of_wiring(error),
        PlayError::Ended | PlayError::Screen(_) => CommandExit::Bug,
    }
}

fn of_deletion(error: &DeletionError) -> CommandExit {
    match error {
        DeletionError::Store(error) | DeletionError::Erase(EraseError::Store(error)) => of_store(error),
        DeletionError::Commit(error) => of_store(&error.cause),
        DeletionError::Erase(EraseError::Journal(error)) => of_journal(error),
    }
}

fn of_wiring(error: &WiringError) -> CommandExit {
    match error {
        WiringError::Deletion(error) => of_deletion(error),
        WiringError::Store(error) => of_store(error),
        WiringError::Journal(error) => of_journal(error),
        WiringError::Catalogue(error) => of_catalogue(error),
        WiringError::Setup(_) => CommandExit::Config,
    }
}

/// What is missing of an older journal is in a configuration; everything else is the folder's.
fn of_journal(error: &JournalError) -> CommandExit {
    match error {
        JournalError::NoSettings { .. } => CommandExit::Config,
        JournalError::Store(error) => of_store(error),
        JournalError::Unreadable { .. }
        | JournalError::Text { .. }
        | JournalError::Hole { .. }
        | JournalError::NoKey
        | JournalError::NewerRules { .. } => CommandExit::Data,
    }
}

fn of_sandbox(error: &SandboxError) -> CommandExit {
    match error {
        SandboxError::Program { .. } => CommandExit::Usage,
        SandboxError::NotWhole { .. }
        | SandboxError::NotHeld { .. }
        | SandboxError::Threads { .. }
        | SandboxError::Environment { .. }
        | SandboxError::OwnNetwork { .. }
        | SandboxError::Step { .. } => CommandExit::Config,
    }
}

fn of_catalogue(error: &CatalogueError) -> CommandExit {
    match error {
        CatalogueError::NotAccepted { .. } => CommandExit::Config,
        CatalogueError::Unreadable { .. } => CommandExit::Data,
        CatalogueError::Store(error) => of_store(error),
    }
}

/// An error of writing the output.
pub(crate) fn of_output(error: io::Error) -> CliError {
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
                CommandExit::Data,
                "STORE-004: no store in d: name the right folder, or start the service once to create it"
                    .to_owned()
            )
        );
    }

    #[test]
    fn a_reader_that_has_seen_enough_is_no_failure() {
        assert_eq!(
            of_output(io::Error::from(io::ErrorKind::BrokenPipe)).exit(),
            CommandExit::Ok
        );
        assert_eq!(
            of_output(io::Error::from(io::ErrorKind::PermissionDenied)).exit(),
            CommandExit::Bug
        );
    }

    #[test]
    fn a_disk_that_is_full_or_fails_now_is_worth_another_try_whoever_meets_it() {
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        let path = || "home.toml".into();
        let cases = [
            CliError::Output(full()),
            CliError::File(full()),
            CliError::Export(ExportError::Write(full())),
            CliError::Input {
                path: path(),
                source: full(),
            },
            CliError::Config(ConfigError::Unreadable {
                path: path(),
                source: full(),
            }),
            CliError::Workflow(WorkflowError::Store(StoreError::disk_full(std::path::Path::new(
                "x",
            )))),
        ];
        for error in cases {
            assert_eq!(error.exit(), CommandExit::Busy, "{error}");
        }
    }
}
