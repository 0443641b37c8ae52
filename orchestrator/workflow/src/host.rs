//! The runs of a folder, for who has its store open: a service, or a command where none runs.
//!
//! What: [`RunHost`], which does what a [`RunRequest`] asks: begins runs, executes each on a thread of its own, ends them, and tells those
//! who follow of each event when it is on disk. Why: one owner of the folder, so a run needs no lock and nobody has to look again and again.
//! Not here: the loop of one run ([`super::runner`]), who asks (`aura_runtime::control`).

use super::{
    RunHistory, RunJournal, RunOptions, RunOutcome, StopRequest, WorkflowError,
    execution::RunExecution,
    inbox,
    journal::{self, JournalLine},
    proposals::ProposalPort,
    protocol::{FailureKind, RunFailure, RunReply, RunRequest},
};
use aura_memory::{
    Store, StoreReader,
    workflows::{RunWrite, open_runs},
};
use aura_platform::clock::Clock;
use orchestrator_machine::workflow::{
    event::{RunEventKind, RunStart},
    run::{NextAction, RunPhase},
};
use std::{
    collections::BTreeMap,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
};

/// Whose folder it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunHostKind {
    /// What it executes goes on at its next start.
    Service,
    /// It ends with its own run.
    Command,
}

/// Why a host lets go of the folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloseReason {
    /// Its process ends. Who follows goes on elsewhere, where the host is a command's.
    Ends,
    /// A service takes over the folder with its runs.
    HandsOver,
}

/// Told of each event that is on disk.
pub type ChangeListener = Box<dyn Fn() + Send + Sync>;

/// The runs of a folder.
#[derive(Clone)]
pub struct RunHost(Arc<HostInner>);

struct HostInner {
    store: Arc<Store>,
    kind: RunHostKind,
    listener: ChangeListener,
    state: Mutex<HostState>,
    /// With each event, and when an execution ends.
    changed: Condvar,
}

#[derive(Default)]
struct HostState {
    /// Counts what happened.
    version: u64,
    executions: BTreeMap<String, Arc<RunInHand>>,
    closing: Option<CloseReason>,
    /// The way to who may ask the owner, while there is one.
    owner: Option<Arc<dyn ProposalPort>>,
    /// Of the executions; some may have ended.
    threads: Vec<JoinHandle<()>>,
}

/// A run that is executed.
#[derive(Default)]
struct RunInHand {
    stop: StopRequest,
    outcome: Mutex<Option<Result<RunOutcome, RunFailure>>>,
}

/// Told of each event of a run; `false`: nobody listens any more.
pub type LineListener<'a> = &'a mut dyn FnMut(JournalLine) -> bool;

impl RunHost {
    /// Of a folder that is open. `listener` is told of each event.
    pub fn new(store: Arc<Store>, kind: RunHostKind, listener: ChangeListener) -> Self {
        Self(Arc::new(HostInner {
            store,
            kind,
            listener,
            state: Mutex::default(),
            changed: Condvar::new(),
        }))
    }

    /// From now on runs may ask the owner, until this closes.
    pub fn asks_the_owner_by(&self, owner: Arc<dyn ProposalPort>) {
        self.state().owner = Some(owner);
    }

    fn owner(&self) -> Option<Arc<dyn ProposalPort>> {
        self.state().owner.clone()
    }

    /// A run that is over asks for nothing any more.
    fn withdraw(&self, run: &str) {
        if let Some(owner) = self.owner() {
            owner.withdraw(run);
        }
    }

    /// The folder.
    pub fn store(&self) -> &Arc<Store> {
        &self.0.store
    }

    fn state(&self) -> MutexGuard<'_, HostState> {
        // Each change is one call: a poisoned state is whole.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells who follows, and whoever listens.
    fn changed(&self) {
        self.state().version += 1;
        self.0.changed.notify_all();
        (self.0.listener)();
    }

    /// Does what is asked, and blocks until it is done. `line` is told of the events of the run that is begun, resumed or followed.
    pub fn answer(&self, request: RunRequest, line: LineListener<'_>) -> RunReply {
        self.try_answer(request, line)
            .unwrap_or_else(|error| RunReply::Failed(RunFailure::from(&error)))
    }

    fn try_answer(&self, request: RunRequest, line: LineListener<'_>) -> Result<RunReply, WorkflowError> {
        let store = self.store();
        let done = |written: JournalLine| {
            self.changed();
            RunReply::Done(Some(Box::new(written)))
        };
        Ok(match request {
            RunRequest::Executed => self.executed(),
            // Who serves the socket lets go of the folder.
            RunRequest::HandOver if self.0.kind == RunHostKind::Command => RunReply::Done(None),
            RunRequest::HandOver => RunReply::Failed(RunFailure {
                kind: FailureKind::Busy,
                text: "a service hands its folder over to nobody".to_owned(),
            }),
            RunRequest::Follow { run, from } => {
                let in_hand = self.state().executions.get(&run).cloned();
                self.follow(&run, from, in_hand, line)?
            }
            _ if self.state().closing.is_some() => RunReply::Moved,
            RunRequest::Begin { started, dry_run } => {
                let run = self.begin(*started)?;
                let in_hand = self.execute(&run, dry_run, true)?;
                self.follow(&run, 0, in_hand, line)?
            }
            RunRequest::Resume {
                run,
                dry_run,
                from,
                joins,
            } => {
                let in_hand = self.execute(&run, dry_run, joins)?;
                self.follow(&run, from, in_hand, line)?
            }
            RunRequest::Leave { started, run } => {
                if let Some(started) = started {
                    self.begin(*started)?;
                }
                if self.0.kind == RunHostKind::Service {
                    self.execute(&run, false, true)?;
                }
                self.executed()
            }
            RunRequest::Interrupt { run } => {
                self.interrupt(&run)?;
                RunReply::Done(None)
            }
            RunRequest::Cancel { run } => done(self.cancel(&run)?),
            RunRequest::Undo { run } => match RunExecution::take(store, &run, None)?.undo()? {
                Ok(written) => done(written),
                Err(refusal) => RunReply::NotPutBack(refusal),
            },
            RunRequest::Answer { run, text } => {
                let answered = inbox::answer(store, &run, &text);
                self.changed();
                RunReply::Done(Some(Box::new(answered?)))
            }
            RunRequest::Dismiss { run } => done(inbox::dismiss(store, &run)?),
        })
    }

    fn executed(&self) -> RunReply {
        RunReply::Executed {
            process: std::process::id(),
            is_service: self.0.kind == RunHostKind::Service,
            runs: self.state().executions.keys().cloned().collect(),
        }
    }

    /// Whether a run is executed.
    pub fn is_busy(&self) -> bool {
        !self.state().executions.is_empty()
    }

    fn begin(&self, started: RunStart) -> Result<String, WorkflowError> {
        let journal = RunJournal::begin(self.store(), started, Clock::real(None).wall())?;
        self.changed();
        Ok(journal.id().to_owned())
    }

    /// Records that the owner is told of a question; `false`: it was recorded already.
    ///
    /// # Errors
    /// A data folder or journal that cannot be written.
    pub fn announce(&self, run: &str) -> Result<bool, WorkflowError> {
        let announced = inbox::announce(self.store(), run)?;
        if announced {
            self.changed();
        }
        Ok(announced)
    }

    /// Has a run executed by a thread of its own. `joins`: it may be executed already, or be at rest.
    fn execute(
        &self,
        run: &str,
        dry_run: bool,
        joins: bool,
    ) -> Result<Option<Arc<RunInHand>>, WorkflowError> {
        // Before anything is begun: whether there is such a run, and it can be read.
        let history = RunHistory::read(&StoreReader::open(self.store().vault())?, run)?;
        let is_working = matches!(history.run().phase, RunPhase::Working(_));
        let in_hand = Arc::new(RunInHand::default());
        {
            let mut state = self.state();
            if state.closing.is_some() {
                return Ok(None);
            }
            if let Some(executed) = state.executions.get(run) {
                if joins {
                    return Ok(Some(Arc::clone(executed)));
                }
                return Err(WorkflowError::Busy {
                    run: run.to_owned(),
                    pid: Some(std::process::id()),
                });
            }
            if joins && !is_working {
                // It came to rest before who joins had found us.
                return Ok(None);
            }
            state.executions.insert(run.to_owned(), Arc::clone(&in_hand));
        }
        let (host, run) = (self.clone(), run.to_owned());
        let thread = thread::Builder::new().name(format!("run {run}"));
        let (name, executed) = (run.clone(), Arc::clone(&in_hand));
        let spawned = thread.spawn(move || {
            let guard = ExecutionGuard { host, run, in_hand };
            let outcome = guard
                .host
                .run_to_its_end(&guard.run, dry_run, &guard.in_hand.stop);
            guard.set(outcome.map_err(|error| RunFailure::from(&error)));
        });
        match spawned {
            Ok(thread) => {
                let mut state = self.state();
                state.threads.retain(|thread| !thread.is_finished());
                state.threads.push(thread);
                Ok(Some(executed))
            }
            Err(source) => {
                self.state().executions.remove(&name);
                Err(WorkflowError::System {
                    doing: "start a thread for the run",
                    source,
                })
            }
        }
    }

    /// Executes a run on this thread.
    fn run_to_its_end(
        &self,
        run: &str,
        dry_run: bool,
        stop: &StopRequest,
    ) -> Result<RunOutcome, WorkflowError> {
        let mut execution = RunExecution::take(self.store(), run, self.owner())?;
        if self.0.kind == RunHostKind::Service && !dry_run {
            self.goes_on(run, true)?;
        }
        let came = execution.run_until_blocked::<WorkflowError>(RunOptions { dry_run }, stop, &mut |_| {
            self.changed();
            Ok(())
        });
        drop(execution);
        if matches!(came, Ok(RunOutcome::Over(_))) {
            self.withdraw(run);
        }
        let closing = self.state().closing;
        let goes_on = match (&came, self.0.kind, closing) {
            (Ok(RunOutcome::Interrupted), RunHostKind::Service, Some(_))
            | (Ok(RunOutcome::Interrupted), RunHostKind::Command, Some(CloseReason::HandsOver)) => true,
            (_, _, _) => false,
        };
        self.goes_on(run, goes_on)?;
        came
    }

    fn goes_on(&self, run: &str, goes_on: bool) -> Result<(), WorkflowError> {
        let written = self.store().write_run(RunWrite::GoesOn {
            run: run.to_owned(),
            goes_on,
        });
        written.map(drop).map_err(WorkflowError::from)
    }

    /// Tells of the events of a run, until nobody executes it.
    fn follow(
        &self,
        run: &str,
        mut from: u64,
        in_hand: Option<Arc<RunInHand>>,
        line: LineListener<'_>,
    ) -> Result<RunReply, WorkflowError> {
        let reader = open_runs(self.store().vault())?.ok_or(WorkflowError::NotOne {
            what: "there is no run yet",
        })?;
        loop {
            let (seen, is_executed, closing) = {
                let state = self.state();
                (state.version, state.executions.contains_key(run), state.closing)
            };
            for next in journal::lines(&reader, run, from)? {
                from = next.n + 1;
                if !line(next) {
                    return Ok(RunReply::AtRest(None));
                }
            }
            if !is_executed {
                let outcome = in_hand.and_then(|in_hand| in_hand.outcome());
                let moves = closing == Some(CloseReason::HandsOver)
                    || (closing.is_some() && self.0.kind == RunHostKind::Command);
                return Ok(match outcome {
                    Some(Ok(RunOutcome::Interrupted)) | None if moves => RunReply::Moved,
                    Some(Ok(outcome)) => RunReply::AtRest(Some(outcome)),
                    Some(Err(failure)) => RunReply::Failed(failure),
                    None => RunReply::AtRest(None),
                });
            }
            let state = self.state();
            let waited = self.0.changed.wait_while(state, |state| state.version == seen);
            drop(waited.unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Ends the execution of a run, if it is executed, and waits for that.
    fn interrupt(&self, run: &str) -> Result<(), WorkflowError> {
        let in_hand = self.state().executions.get(run).cloned();
        if let Some(in_hand) = in_hand {
            in_hand.stop.ask();
            self.wait(|state| !state.executions.contains_key(run));
        }
        // Its owner ended it: also what a stopped service had left.
        self.goes_on(run, false)
    }

    /// Ends a run for good, and its execution.
    fn cancel(&self, run: &str) -> Result<JournalLine, WorkflowError> {
        let mut journal = RunJournal::open(self.store(), run)?;
        // Files that are being written are written to the end, by who is at it or, where that was killed, by us.
        while matches!(journal.run().next_action(), NextAction::Apply(..)) {
            let (seen, is_executed) = {
                let state = self.state();
                (state.version, state.executions.contains_key(run))
            };
            if is_executed {
                journal.refresh()?;
                if matches!(journal.run().next_action(), NextAction::Apply(..)) {
                    self.wait(|state| state.version != seen);
                }
            } else {
                RunExecution::take(self.store(), run, None)?.finish_writing()?;
            }
            journal.refresh()?;
        }
        let line = journal.append(Clock::real(None).wall(), RunEventKind::Cancelled)?;
        self.interrupt(run)?;
        self.withdraw(run);
        Ok(line)
    }

    /// Ends all that is executed, as its owner does.
    pub fn interrupt_all(&self) {
        let runs: Vec<String> = self.state().executions.keys().cloned().collect();
        for run in runs {
            if let Err(error) = self.interrupt(&run) {
                tracing::error!(run, %error, "a run is ended, which cannot be written down");
            }
        }
    }

    fn wait(&self, until: impl Fn(&HostState) -> bool) {
        let state = self.state();
        let waited = self.0.changed.wait_while(state, |state| !until(state));
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    /// Takes up what the last service left, or a command handed over.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub fn take_up(&self) -> Result<(), WorkflowError> {
        let reader = StoreReader::open(self.store().vault())?;
        for left in reader.runs_that_go_on()? {
            let run = left.run;
            let is_working = RunHistory::read(&reader, &run)
                .is_ok_and(|history| matches!(history.run().phase, RunPhase::Working(_)));
            let taken = if is_working {
                tracing::info!(run, "a run is taken up");
                self.execute(&run, false, true).map(drop)
            } else {
                self.goes_on(&run, false)
            };
            if let Err(error) = taken {
                tracing::error!(run, %error, "a run cannot be taken up");
            }
        }
        Ok(())
    }

    /// Takes nothing in any more, ends what is executed, and waits for that.
    pub fn close(&self, reason: CloseReason) {
        let executed: Vec<Arc<RunInHand>> = {
            let mut state = self.state();
            state.closing.get_or_insert(reason);
            state.executions.values().cloned().collect()
        };
        for in_hand in executed {
            in_hand.stop.ask();
        }
        self.wait(|state| state.executions.is_empty());
        // It holds this.
        self.state().owner = None;
        // None of them holds the store any more then.
        let threads = std::mem::take(&mut self.state().threads);
        for thread in threads {
            if thread.join().is_err() {
                tracing::error!("the thread of a run panicked");
            }
        }
    }
}

impl RunInHand {
    fn outcome(&self) -> Option<Result<RunOutcome, RunFailure>> {
        self.outcome
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// Says that an execution is over, however it ends.
struct ExecutionGuard {
    host: RunHost,
    run: String,
    in_hand: Arc<RunInHand>,
}

impl ExecutionGuard {
    fn set(&self, outcome: Result<RunOutcome, RunFailure>) {
        *self
            .in_hand
            .outcome
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(outcome);
    }
}

impl Drop for ExecutionGuard {
    fn drop(&mut self) {
        self.host.state().executions.remove(&self.run);
        self.host.changed();
    }
}
