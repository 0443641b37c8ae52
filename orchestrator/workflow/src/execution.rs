//! Who executes a run: one process at a time.
//!
//! What: [`RunExecution`], the right to it with the programs and a folder for them; ending a run that another process executes; having
//! one executed in the background. Why: two that execute one run would ask everybody twice. Not here: the loop
//! ([`super::runner`]).

use super::{
    ProjectFolder, ProjectPrograms, RunJournal, RunOptions, RunOutcome, StopRequest, WorkflowError,
    journal::JournalLine,
    runner::{self, StepExecutor as _},
};
use crate::programs::ProgramHost;
use aura_memory::{
    Vault,
    quarantine::MessageQuarantine,
    workflows::{RunLock, RunOwnership as Held},
};
use aura_platform::clock::Clock;
use aura_process::WorkerProgram;
use orchestrator_machine::workflow::{
    event::{RunEvent, RunEventKind, StepRefusal},
    run::{NextAction, RunPhase},
};
use rustix::process::{Pid, Signal, getuid, kill_process};
use std::{
    env, fs,
    io::{self, Read as _, Write as _, stdin},
    os::unix::{fs::DirBuilderExt as _, process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};
use toolcall_schema::ids::sha256_hex;
use zeroize::Zeroizing;

/// A folder's keys are at most so long.
const KEYS_BYTES_MAX: usize = 96;

/// The right to execute a run, with all that it needs.
pub struct RunExecution {
    /// The run.
    pub journal: RunJournal,
    // In the order in which they go: the programs before their folder, and both before somebody else may begin.
    programs: ProjectPrograms,
    _scratch: RunScratch,
    _lock: RunLock,
}

/// A folder for the programs of a run, removed with all that is in it.
struct RunScratch(PathBuf);

impl RunExecution {
    /// Takes a run up.
    ///
    /// # Errors
    /// `WORKFLOW-003` when another process executes it; a journal, project or agent that cannot be used.
    pub fn take(vault: &Vault, id: &str) -> Result<Self, WorkflowError> {
        let journal = RunJournal::open(vault, id)?;
        let lock = match RunLock::take(vault.dir(), id)? {
            Held::Ours(lock) => lock,
            Held::Theirs(pid) => {
                return Err(WorkflowError::Busy {
                    run: id.to_owned(),
                    pid,
                });
            }
        };
        // What happened until the lock was ours.
        let mut journal = journal;
        journal.refresh()?;
        let project = ProjectFolder::open(Path::new(&journal.run().started.project))?;
        let agents = project.agents()?;
        let scratch = RunScratch::new(programs_folder(vault.dir()).join(format!("{id}.d")))?;
        let folder = project.folder().to_owned();
        let quarantine = Some(MessageQuarantine::new(vault.dir().to_owned()));
        let host = ProgramHost::new(folder.clone(), scratch.0.clone(), quarantine);
        Ok(Self {
            journal,
            programs: ProjectPrograms::new(host, agents, folder),
            _scratch: scratch,
            _lock: lock,
        })
    }

    /// Does what is next until nothing is. A run that stopped is asked once more where it stopped.
    ///
    /// # Errors
    /// `WORKFLOW-002` for a run that is over or cannot be resumed; the journal cannot be written, or `tell` says so.
    pub fn go_on<E: From<WorkflowError>>(
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
        runner::go_on(&mut self.journal, &self.programs, options, stop, tell)
    }

    /// Puts the files back as they were before the run.
    ///
    /// # Errors
    /// `WORKFLOW-002` while the run goes on; a refusal when a file is no longer as the run left it: nothing is put back then.
    pub fn undo(&mut self) -> Result<Result<JournalLine, StepRefusal>, WorkflowError> {
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
    fn finish_writing(&mut self) -> Result<(), WorkflowError> {
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

/// Where the programs of a data folder's runs write: outside of it, so that what a program is told of its own folder does not lead
/// to the keys. In the owner's cache, in the system's folder for temporary files where there is none.
pub fn programs_folder(data: &Path) -> PathBuf {
    let absolute = |name| {
        env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    let data = data.canonicalize().unwrap_or_else(|_| data.to_owned());
    let name: String = sha256_hex(data.as_os_str().as_encoded_bytes())
        .chars()
        .take(16)
        .collect();
    let user = || env::temp_dir().join(format!("aura-{}", getuid().as_raw()));
    cache
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

/// How long files may be written while somebody wants to end the run: 50 times 100 ms.
const WRITING_TRIES: u32 = 50;

/// Ends a run for good, and the process that executes it.
///
/// # Errors
/// `WORKFLOW-002` when it is over; a journal that cannot be written.
pub fn cancel(vault: &Vault, id: &str) -> Result<JournalLine, WorkflowError> {
    let mut journal = RunJournal::open(vault, id)?;
    for _ in 0..WRITING_TRIES {
        let is_writing = matches!(journal.run().next_action(), NextAction::Apply(..));
        if !is_writing {
            let line = journal.append(Clock::real(None).wall(), RunEventKind::Cancelled)?;
            let holder = RunLock::holder(vault.dir(), id)?.and_then(|pid| i32::try_from(pid).ok());
            if let Some(pid) = holder.and_then(Pid::from_raw) {
                // It may have ended by itself.
                let _ = kill_process(pid, Signal::TERM);
            }
            return Ok(line);
        }
        // Files are being written, by somebody who is at it or who was killed at it: that is ended first.
        match RunExecution::take(vault, id) {
            Ok(mut execution) => execution.finish_writing()?,
            Err(WorkflowError::Busy { .. }) => thread::park_timeout(Duration::from_millis(100)),
            Err(error) => return Err(error),
        }
        journal.refresh()?;
    }
    journal.append(Clock::real(None).wall(), RunEventKind::Cancelled)
}

/// Has a run executed by a process of its own, which outlives this one and its terminal.
///
/// # Errors
/// `WORKFLOW-007` when it cannot be started.
pub fn detach(vault: &Vault, id: &str) -> Result<Child, WorkflowError> {
    let program = WorkerProgram::default().0;
    let mut command = Command::new(program);
    command
        .arg0("aura")
        .args(["workflow", "resume", id, "--detached", "--json", "--data"])
        .arg(vault.dir())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0);
    let failed = |source| WorkflowError::System {
        doing: "start a process for the run",
        source,
    };
    let mut child = command.spawn().map_err(failed)?;
    // It cannot be asked for a passphrase.
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(&vault.hand_over()).map_err(failed)?;
    }
    Ok(child)
}

/// The folder with the keys that [`detach`] hands over on the standard input.
///
/// # Errors
/// `WORKFLOW-007` when there are none; a folder that is not theirs.
pub fn handed_over(data: &Path) -> Result<Vault, WorkflowError> {
    let mut keys = Zeroizing::new(Vec::with_capacity(KEYS_BYTES_MAX));
    let read = stdin().lock().take(KEYS_BYTES_MAX as u64).read_to_end(&mut keys);
    read.map_err(|source| WorkflowError::System {
        doing: "read the folder's keys",
        source,
    })?;
    Ok(Vault::handed(data, &keys)?)
}
