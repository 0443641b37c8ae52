//! Executing a run: the right to it, with the programs and a folder for them.
//!
//! What: [`RunExecution`]. Why: two that execute one run would ask everybody twice. Not here: the loop ([`super::runner`]), which runs are
//! executed ([`super::host`]).

use super::{
    ProjectFolder, ProjectPrograms, RunJournal, RunOptions, RunOutcome, StopRequest, WorkflowError,
    journal::JournalLine,
    proposals::{ProposalPort, RunProposals},
    runner::{self, StepExecutor as _},
};
use crate::programs::{ConnectionRecorder, ProgramHost};
use aura_memory::{
    CommitError, Store, StoreWrite,
    audit::{AuditEntry, AuditSubject, Kind, Op},
    quarantine::MessageQuarantine,
    workflows::RunHold,
};
use aura_platform::{clock::Clock, user_folders};
use aura_process::WorkerProgram;
use orchestrator_machine::workflow::{
    event::{RunEvent, RunEventKind},
    run::{NextAction, RunPhase},
};
use rustix::process::getuid;
use std::{
    env, fs, io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
};
use toolcall_schema::{ids::sha256_hex, rejection::RefusalReason};

/// The right to execute a run, with all that it needs.
pub struct RunExecution {
    /// The run.
    pub journal: RunJournal,
    // In the order in which they go: the programs before their folder, and both before somebody else may begin.
    programs: ProjectPrograms,
    _scratch: RunScratch,
    _hold: RunHold,
}

/// A folder for the programs of a run, removed with all that is in it.
struct RunScratch(PathBuf);

impl RunExecution {
    /// Takes a run up. `owner`: the way to who may ask the owner; absent where nobody may.
    ///
    /// # Errors
    /// `WORKFLOW-003` when it is executed; a journal, project or agent that cannot be used.
    pub fn take(
        store: &Arc<Store>,
        id: &str,
        owner: Option<Arc<dyn ProposalPort>>,
    ) -> Result<Self, WorkflowError> {
        let hold = store.hold_run(id).ok_or_else(|| WorkflowError::Busy {
            run: id.to_owned(),
            pid: Some(std::process::id()),
        })?;
        let dir = store.vault().dir();
        let journal = RunJournal::open(store, id)?;
        let project = ProjectFolder::open(Path::new(&journal.run().started.project))?;
        let agents = project.agents()?;
        let scratch = RunScratch::new(programs_folder(dir).join(format!("{id}.d")))?;
        let folder = project.folder().to_owned();
        let quarantine = Some(MessageQuarantine::new(dir.to_owned()));
        let host = ProgramHost::new(
            WorkerProgram::default(),
            folder.clone(),
            scratch.0.clone(),
            quarantine,
        );
        let host = host.recording(recorder(store));
        Ok(Self {
            journal,
            programs: ProjectPrograms::new(host, agents, folder, RunProposals::new(owner)),
            _scratch: scratch,
            _hold: hold,
        })
    }

    /// Does what is next until nothing is. A run that stopped is asked once more where it stopped.
    ///
    /// # Errors
    /// `WORKFLOW-002` for a run that is over or cannot be resumed; the journal cannot be written, or `tell` says so.
    pub fn run_until_blocked<E: From<WorkflowError>>(
        &mut self,
        options: RunOptions,
        stop: &StopRequest,
        tell: &mut dyn FnMut(&JournalLine) -> Result<(), E>,
    ) -> Result<RunOutcome, E> {
        if matches!(
            self.journal.run().phase,
            RunPhase::Stopped { .. } | RunPhase::Over(_)
        ) {
            let line = self
                .journal
                .append(Clock::real(None).wall(), RunEventKind::Resumed)?;
            tell(&line)?;
        }
        runner::run_until_blocked(&mut self.journal, &self.programs, options, stop, tell)
    }

    /// Puts the files back as they were before the run.
    ///
    /// # Errors
    /// `WORKFLOW-002` while the run goes on; a refusal when a file is no longer as the run left it: nothing is put back then.
    pub fn undo(&mut self) -> Result<Result<JournalLine, RefusalReason>, WorkflowError> {
        let run = self.journal.run();
        run.clone().apply_event(&now(RunEventKind::Undone))?;
        let changes = run.net_changes();
        if let Err(refusal) = self.programs.undo(run, &changes) {
            return Ok(Err(refusal));
        }
        self.journal
            .append(Clock::real(None).wall(), RunEventKind::Undone)
            .map(Ok)
    }

    /// Ends a writing that was begun.
    pub(super) fn finish_writing(&mut self) -> Result<(), WorkflowError> {
        if let NextAction::Apply(of, changes) = self.journal.run().next_action() {
            let what = match self.programs.apply(self.journal.run(), &changes) {
                Ok(()) => RunEventKind::Applied(of),
                Err(refusal) => RunEventKind::Unwritten { of, refusal },
            };
            self.journal.append(Clock::real(None).wall(), what)?;
        }
        Ok(())
    }
}

/// Who records in the audit log to whom a program is connected, before it is.
fn recorder(store: &Arc<Store>) -> ConnectionRecorder {
    let store = Arc::clone(store);
    Arc::new(move |host| {
        let entry = AuditEntry {
            at_ms: Clock::real(None).wall().ms(),
            op: Op::Send,
            meaning: AuditSubject::one(Kind::Connection, &host.to_string()),
        };
        let (tell, told) = mpsc::channel();
        let written = store.write(vec![StoreWrite::Audit(entry)]);
        let ack = Box::new(move |done: Result<(), CommitError>| {
            // Nobody listens any more when it was not taken.
            let _ = tell.send(done.is_ok());
        });
        let asked = written.and_then(|()| store.commit(ack));
        asked.is_ok() && told.recv() == Ok(true)
    })
}

/// Where the programs of a data folder's runs write: outside of it, so that what a program is told of its own folder does not lead
/// to the keys. In the owner's cache, in the system's folder for temporary files where there is none.
pub fn programs_folder(data: &Path) -> PathBuf {
    let data = data.canonicalize().unwrap_or_else(|_| data.to_owned());
    let name: String = sha256_hex(data.as_os_str().as_encoded_bytes())
        .chars()
        .take(16)
        .collect();
    let user = || env::temp_dir().join(format!("aura-{}", getuid().as_raw()));
    user_folders::cache()
        .map_or_else(user, |cache| cache.join("aura"))
        .join("programs")
        .join(name)
}

impl RunScratch {
    /// A new one; what a process that was killed has left there is removed.
    fn new(path: PathBuf) -> Result<Self, WorkflowError> {
        remove(&path)
            .and_then(|()| match path.parent() {
                Some(parent) => fs::DirBuilder::new().recursive(true).mode(0o700).create(parent),
                None => Ok(()),
            })
            // Not one that somebody else has made there.
            .and_then(|()| fs::DirBuilder::new().mode(0o700).create(&path))
            .map_err(|source| WorkflowError::Project {
                path: path.clone(),
                what: "cannot be made or removed: check the folder in which it lies",
                source: Some(source),
            })?;
        Ok(Self(path))
    }
}

impl Drop for RunScratch {
    fn drop(&mut self) {
        if let Err(error) = remove(&self.0) {
            tracing::warn!(%error, "the folder of a run's programs could not be removed");
        }
        if let Some(parent) = self.0.parent() {
            // While another run has its folder in there it stays.
            let _ = fs::remove_dir(parent);
        }
    }
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn now(what: RunEventKind) -> RunEvent {
    RunEvent {
        at: Clock::real(None).wall(),
        what,
    }
}
