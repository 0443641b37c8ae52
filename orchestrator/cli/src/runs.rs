//! Asking who works on the runs of a folder.
//!
//! What: [`ask`] and [`drive`], which ask the service, or a command that works on the folder, and work on it themselves where nobody does;
//! [`executed`]; [`leave`], for a run that nobody waits for. Why: one way for all commands, whoever has the folder. Not here: what is done
//! with a run (`aura_workflow::host`).

use super::{
    error::CliError,
    line::in_line,
    service::{self, unexpected},
};
use aura_memory::Vault;
use aura_process::WorkerProgram;
use aura_runtime::{
    control::{self, ControlError, ControlReply, ControlRequest, RequestProgress},
    runs::work_on,
};
use aura_workflow::{
    RunHost, RunOutcome, StopRequest, WorkflowError,
    journal::JournalLine,
    protocol::{RunReply, RunRequest},
};
use orchestrator_machine::workflow::event::RunStart;
use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Read as _, Write as _, stdin},
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};
use surfaces_base::language::text;
use zeroize::Zeroizing;

/// A folder's keys are at most so long.
const KEYS_BYTES_MAX: usize = 96;

/// How long a run may be between two who execute it, and how often it is looked for.
const PATIENCE: Duration = Duration::from_secs(20);
const AGAIN: Duration = Duration::from_millis(50);

/// Told of each event.
type Lines<'a> = &'a mut dyn FnMut(JournalLine) -> Result<(), CliError>;

/// Asks who works on the folder; works on it for this request where nobody does.
///
/// # Errors
/// What it failed with.
pub(super) fn ask(vault: &Vault, request: &RunRequest) -> Result<RunReply, CliError> {
    let begun = Instant::now();
    loop {
        let reply = once(vault, request, &mut |_| Ok(()), &RunningHost::default())?;
        if let RunReply::Failed(failure) = reply {
            return Err(WorkflowError::from(failure).into());
        }
        if reply != RunReply::Moved {
            return Ok(reply);
        }
        if begun.elapsed() > PATIENCE {
            return Err(nobody());
        }
        thread::sleep(AGAIN);
    }
}

/// The same for something that is written down.
///
/// # Errors
/// As [`ask`].
pub(super) fn ask_line(vault: &Vault, request: &RunRequest) -> Result<JournalLine, CliError> {
    let RunReply::Done(Some(line)) = ask(vault, request)? else {
        return Err(CliError::Bug("nothing was written down"));
    };
    Ok(*line)
}

fn nobody() -> CliError {
    CliError::Busy(text("cli-runs-nobody").to_owned())
}

/// The host of this process, while it has one.
type RunningHost = Arc<Mutex<Option<RunHost>>>;

fn once(
    vault: &Vault,
    request: &RunRequest,
    lines: Lines<'_>,
    running: &RunningHost,
) -> Result<RunReply, CliError> {
    in_line(|| {
        let mut failed = None;
        let mut underway = |progress| {
            if let RequestProgress::Run(line) = progress
                && failed.is_none()
                && let Err(error) = lines(*line)
            {
                // Nobody sees what happens any more, so it ends.
                failed = Some(error);
                interrupt(vault.dir(), request, running);
            }
        };
        let control = ControlRequest::Run { run: request.clone() };
        let asked = control::ask_patiently(vault.dir(), &control, &mut underway);
        if let Some(error) = failed {
            return Err(error);
        }
        match asked {
            Ok(Some(ControlReply::Run(reply))) => Ok(reply),
            Ok(Some(other)) => Err(unexpected(other)),
            Ok(None) => here(vault, request, lines, running),
            // It ended, and somebody else may go on.
            Err(ControlError::NoAnswer(_)) => Ok(RunReply::Moved),
            Err(error) => Err(error.into()),
        }
    })
}

fn here(
    vault: &Vault,
    request: &RunRequest,
    lines: Lines<'_>,
    running: &RunningHost,
) -> Result<RunReply, CliError> {
    let mut failed = None;
    let set = |host| *running.lock().unwrap_or_else(PoisonError::into_inner) = host;
    let reply = work_on(vault, |host| {
        set(Some(host.clone()));
        let reply = host.answer(request.clone(), &mut |line| match lines(line) {
            Ok(()) => true,
            Err(error) => {
                failed = Some(error);
                false
            }
        });
        set(None);
        reply
    })?;
    failed.map_or(Ok(reply), Err)
}

/// Ends what was asked for, wherever it is executed.
fn interrupt(dir: &Path, request: &RunRequest, running: &RunningHost) {
    let run = if let RunRequest::Begin { started, .. } = request {
        started.run.clone()
    } else if let RunRequest::Resume { run, .. } = request {
        run.clone()
    } else {
        return;
    };
    let request = RunRequest::Interrupt { run };
    let host = running.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some(host) = host {
        host.answer(request, &mut |_| true);
    } else if let Err(error) = control::ask(dir, &ControlRequest::Run { run: request }) {
        tracing::warn!(%error, "the run could not be interrupted");
    }
}

/// Begins or resumes a run, or follows it, and says what it came to; `None`: nobody executed it. Goes on wherever the run goes on. SIGINT
/// and SIGTERM interrupt what was begun or resumed.
///
/// # Errors
/// As [`ask`]; what `lines` says.
pub(super) fn drive(
    vault: &Vault,
    request: RunRequest,
    lines: Lines<'_>,
) -> Result<Option<RunOutcome>, CliError> {
    let running = RunningHost::default();
    let stop = StopRequest::default();
    if !matches!(request, RunRequest::Follow { .. }) {
        stop.listen()?;
        let (dir, request, running) = (vault.dir().to_owned(), request.clone(), Arc::clone(&running));
        stop.wakes(move || interrupt(&dir, &request, &running));
    }
    let came = follow_to_rest(vault, request, lines, &running, &stop);
    // A signal may be on its way to the run: the folder is not held when this returns.
    stop.wakes_nobody();
    came
}

fn follow_to_rest(
    vault: &Vault,
    mut request: RunRequest,
    lines: Lines<'_>,
    running: &RunningHost,
    stop: &StopRequest,
) -> Result<Option<RunOutcome>, CliError> {
    let mut heard = Instant::now();
    loop {
        let mut next = None;
        let reply = once(
            vault,
            &request,
            &mut |line| {
                next = Some(line.n + 1);
                lines(line)
            },
            running,
        )?;
        if let RunReply::Failed(failure) = reply {
            return Err(WorkflowError::from(failure).into());
        }
        if let RunReply::AtRest(outcome) = reply {
            return Ok(outcome);
        }
        if reply != RunReply::Moved {
            return Err(CliError::Bug("a run that is followed comes to rest"));
        }
        if stop.is_asked() {
            return Ok(Some(RunOutcome::Interrupted));
        }
        if let Some(next) = next {
            heard = Instant::now();
            request = from(request, next);
        } else if heard.elapsed() > PATIENCE {
            return Err(nobody());
        }
        thread::sleep(AGAIN);
    }
}

/// What is asked next, after the events up to `from` were heard.
fn from(request: RunRequest, from: u64) -> RunRequest {
    let joins = true;
    if let RunRequest::Begin { started, dry_run } = request {
        let run = started.run;
        return RunRequest::Resume {
            run,
            dry_run,
            from,
            joins,
        };
    }
    if let RunRequest::Resume { run, dry_run, .. } = request {
        return RunRequest::Resume {
            run,
            dry_run,
            from,
            joins,
        };
    }
    if let RunRequest::Follow { run, .. } = request {
        return RunRequest::Follow { run, from };
    }
    request
}

/// The runs that are executed now, and by which process.
///
/// # Errors
/// A service that does not answer.
pub(super) fn executed(vault: &Vault) -> Result<BTreeMap<String, u32>, CliError> {
    let request = ControlRequest::Run {
        run: RunRequest::Executed,
    };
    match service::ask(vault.dir(), &request) {
        Ok(Some(ControlReply::Run(RunReply::Executed { process, runs, .. }))) => {
            Ok(runs.into_iter().map(|run| (run, process)).collect())
        }
        // Nobody works on the folder, or on something else; or its end was met.
        Ok(_) | Err(CliError::Control(ControlError::NoAnswer(_))) => Ok(BTreeMap::new()),
        Err(error) => Err(error),
    }
}

/// Begins a run that nobody waits for: a service executes it, else a process of its own that outlives this one and its terminal.
///
/// # Errors
/// As [`ask`]; `WORKFLOW-007` when no process can be started.
pub(super) fn leave(vault: &Vault, started: RunStart) -> Result<(), CliError> {
    let run = started.run.clone();
    let request = RunRequest::Leave {
        started: Some(Box::new(started)),
        run: run.clone(),
    };
    if let RunReply::Executed { is_service: true, .. } = ask(vault, &request)? {
        return Ok(());
    }
    Ok(detach(vault, &run)?)
}

fn detach(vault: &Vault, id: &str) -> Result<(), WorkflowError> {
    let program = WorkerProgram::default().0;
    let mut command = Command::new(program);
    command
        .arg0("aura")
        .args(["workflow", "resume", id, "--detached", "--json", "--data"])
        .arg(vault.dir())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
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
    // It says something as soon as it is at it. Nobody waits for it after that: it is not ours any more.
    if let Some(stdout) = child.stdout.take() {
        let mut said = String::new();
        BufReader::new(stdout).read_line(&mut said).map_err(failed)?;
    }
    Ok(())
}

/// The folder with the keys that [`leave`] hands over on the standard input.
///
/// # Errors
/// `WORKFLOW-007` when there are none; a folder that is not theirs.
pub(super) fn handed_over(data: &Path) -> Result<Vault, WorkflowError> {
    let mut keys = Zeroizing::new(Vec::with_capacity(KEYS_BYTES_MAX));
    let read = stdin().lock().take(KEYS_BYTES_MAX as u64).read_to_end(&mut keys);
    read.map_err(|source| WorkflowError::System {
        doing: "read the folder's keys",
        source,
    })?;
    Ok(Vault::handed(data, &keys)?)
}
