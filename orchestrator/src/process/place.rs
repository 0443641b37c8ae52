//! An agent's host in a process of its own.
//!
//! What: [`Processes`], the place in which an agent's process is kept alive: started, handed what was journalled, asked,
//! pinged, ended, started again as the supervision table says. Why: the actor before it sees one host that is there or
//! answers that it is down. Not here: one life of the process (`child`), the table (`orchestrator_machine::supervision`).

use super::{
    Board,
    child::{Child, End, Launch, both_in_words, own_fault},
    set_aside::SetAside,
};
use crate::{
    metrics::METRICS,
    supervise::{Failures, end_process},
};
use agents::{
    actor::{Answer, Call, Place, QUEUE},
    keeper::{AskError, Kept},
};
use orchestrator_machine::supervision::{Decision, Role};
use serde_json::Value;
use std::{fs, os::unix::fs::MetadataExt as _, path::PathBuf, process::ExitStatus, time::Duration};
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinHandle,
    time::sleep,
};
use toolcall_schema::{
    signal::Signal,
    wire::{self, ToAgent},
};

/// How often a process that is not asked anything is pinged.
pub const PING: Duration = Duration::from_secs(1);
/// Signals in one frame: 16 of the largest fit.
const SIGNALS_MAX: usize = 16;

type Reply = oneshot::Sender<Result<Vec<u8>, AskError>>;

/// What the process is to be given.
enum Job {
    Call(Box<Call>, Reply),
    Signals(Vec<Signal>),
    Restore(Value),
    Journalled(Option<Value>),
}

/// The place: hands jobs to the task that keeps the process. The process ends with it.
pub struct Processes {
    jobs: mpsc::Sender<Job>,
}

/// Starts an agent's process and keeps it until the place is gone; the handle ends when the process has. Must run on the
/// arbiter's own thread.
pub fn start(launch: Launch, board: Board) -> (Processes, JoinHandle<()>) {
    let (jobs, queue) = mpsc::channel(QUEUE);
    let keeping = Keeping {
        launch,
        board,
        kept: Kept::default(),
        aside: SetAside::default(),
        first: None,
        failures: Failures::of(Role::AgentProcess),
    };
    (Processes { jobs }, actix::spawn(keeping.run(queue)))
}

impl Processes {
    fn hand_over(&self, job: Job) -> Result<(), AskError> {
        self.jobs.try_send(job).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => AskError::Busy,
            mpsc::error::TrySendError::Closed(_) => AskError::Down,
        })
    }
}

impl Place for Processes {
    fn ask(&mut self, call: Call) -> Answer {
        let (reply, answer) = oneshot::channel();
        match self.hand_over(Job::Call(Box::new(call), reply)) {
            Ok(()) => Answer::Later(answer),
            Err(error) => Answer::Now(Err(error)),
        }
    }

    fn deliver(&mut self, signals: Vec<Signal>) -> Result<(), AskError> {
        self.hand_over(Job::Signals(signals))
    }

    fn restore(&mut self, state: Value) -> Result<(), AskError> {
        self.hand_over(Job::Restore(state))
    }

    fn journalled(&mut self, state: Option<Value>) {
        // Not taken: after a crash the agent reads again what it had read since. That is idempotent.
        let _ = self.hand_over(Job::Journalled(state));
    }
}

/// The task that keeps one agent's process.
struct Keeping {
    launch: Launch,
    board: Board,
    kept: Kept,
    aside: SetAside,
    /// A job that waits for the next life.
    first: Option<Job>,
    failures: Failures,
}

/// Which files and folders these are at this moment.
fn which(sources: &[PathBuf]) -> Vec<Option<(u64, u64)>> {
    let one = |path: &PathBuf| fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino()));
    sources.iter().map(one).collect()
}

/// What a life ended with, or `None` when it is over for good.
type Lived = Option<(End, Option<ExitStatus>)>;

impl Keeping {
    async fn run(mut self, mut queue: mpsc::Receiver<Job>) {
        loop {
            let sources = which(&self.launch.sources);
            let lived = match Child::start(&self.launch).await {
                Ok(child) => self.live(child, &sources, &mut queue).await,
                Err(end) => Some(end),
            };
            let Some((end, status)) = lived else { return };
            if matches!(end, End::Renewed) {
                continue;
            }
            let decision = self.failures.failed();
            self.say(&end, status, decision);
            let Decision::Restart { after_ms, rest } = decision else {
                return end_process();
            };
            if rest {
                // What it is handed may be what it dies of.
                self.kept.forget(|_| true);
            }
            if !self.pause(Duration::from_millis(after_ms), &mut queue).await {
                return;
            }
        }
    }

    /// Waits before the next start. Calls are answered at once; `false`: the place is gone.
    async fn pause(&mut self, after: Duration, queue: &mut mpsc::Receiver<Job>) -> bool {
        if after.is_zero() {
            return true;
        }
        let over = sleep(after);
        tokio::pin!(over);
        loop {
            let job = tokio::select! {
                () = &mut over => return true,
                job = queue.recv() => job,
            };
            match job {
                None => return false,
                // Who asked may have stopped waiting.
                Some(Job::Call(_, reply)) => drop(reply.send(Err(AskError::Down))),
                Some(Job::Signals(signals)) => self.take(&signals),
                Some(Job::Restore(state)) => self.kept.restored(state),
                Some(Job::Journalled(state)) => self.kept.journalled(state),
            }
        }
    }

    fn take(&mut self, signals: &[Signal]) {
        self.kept.delivered(signals);
        let aside = &self.aside;
        if !aside.is_empty() {
            self.kept.forget(|signal| aside.refuses(signal.id.as_str()));
        }
    }

    /// One life, from ready to its end.
    async fn live(
        &mut self,
        mut child: Child,
        sources: &[Option<(u64, u64)>],
        queue: &mut mpsc::Receiver<Job>,
    ) -> Lived {
        let (pid, sandbox) = (child.pid(), child.sandbox.clone());
        self.board.note(self.launch.agent, |report| {
            (report.pid, report.sandbox, report.rests) = (pid, Some(sandbox), false);
        });
        let lived = match self.hand_back(&mut child).await {
            Ok(()) => self.serve(&mut child, sources, queue).await,
            Err(end) => Some((end, None)),
        };
        self.board.note(self.launch.agent, |report| report.pid = None);
        let grace = Duration::from_millis(Role::AgentProcess.row().grace_ms);
        let (end, on) = match lived {
            None => {
                child.stop(grace).await;
                return None;
            }
            Some((End::Renewed, _)) => return Some((End::Renewed, child.stop(grace).await)),
            Some(lived) => lived,
        };
        let status = child.end().await;
        let own = match &end {
            End::Closed => status.is_some_and(own_fault),
            End::Hung(_) | End::Wire(_) => true,
            End::Start(_) | End::Socket(_) | End::Refused(_) | End::Stopped | End::Renewed => false,
        };
        if let Some(call) = on.filter(|_| own) {
            self.blame(&call);
        }
        Some((end, status))
    }

    /// What a new process is given: the state of the last journalled ingest, and the signals that it has not read.
    async fn hand_back(&mut self, child: &mut Child) -> Result<(), End> {
        if let Some(state) = self.kept.state() {
            let state = state.clone();
            child.tell(&ToAgent::Restore { state }).await?;
        }
        let waiting = self.kept.waiting().to_vec();
        deliver(child, &waiting).await
    }

    /// Until it ends; `None`: the place is gone. With the call that it was on.
    async fn serve(
        &mut self,
        child: &mut Child,
        sources: &[Option<(u64, u64)>],
        queue: &mut mpsc::Receiver<Job>,
    ) -> Option<(End, Option<Box<Call>>)> {
        loop {
            let first = self.first.take();
            let job = tokio::select! {
                biased;
                job = async { if first.is_some() { first } else { queue.recv().await } } => job?,
                end = child.idle() => return Some((end, None)),
                () = sleep(PING) => match child.ping().await {
                    Ok(()) => continue,
                    Err(end) => return Some((end, None)),
                },
            };
            let told = match job {
                // Nobody waits any more: its deadline passed in the queue.
                Job::Call(_, reply) if reply.is_closed() => Ok(()),
                Job::Call(call, reply) if call.is_ingest() && which(&self.launch.sources) != sources => {
                    self.first = Some(Job::Call(call, reply));
                    return Some((End::Renewed, None));
                }
                Job::Call(call, reply) => match self.call(child, &call).await {
                    Ok(answer) => {
                        // A late answer is dropped by design.
                        let _ = reply.send(answer);
                        Ok(())
                    }
                    Err(end) => {
                        let _ = reply.send(Err(AskError::Down));
                        return Some((end, Some(call)));
                    }
                },
                Job::Signals(signals) => {
                    let aside = &self.aside;
                    let signals: Vec<Signal> = signals
                        .into_iter()
                        .filter(|signal| !aside.refuses(signal.id.as_str()))
                        .collect();
                    self.kept.delivered(&signals);
                    deliver(child, &signals).await
                }
                Job::Restore(state) => {
                    self.kept.restored(state.clone());
                    child.tell(&ToAgent::Restore { state }).await
                }
                Job::Journalled(state) => {
                    self.kept.journalled(state);
                    Ok(())
                }
            };
            if let Err(end) = told {
                return Some((end, None));
            }
        }
    }

    async fn call(&mut self, child: &mut Child, call: &Call) -> Result<Result<Vec<u8>, AskError>, End> {
        if !self.aside.is_empty() && self.aside.refuses(&id_of(call)) {
            return Ok(Err(AskError::Down));
        }
        if call.is_ingest() {
            self.kept.ingest_asked();
        }
        let frame = wire::raw(&call.raw).and_then(|raw| {
            ToAgent::Call {
                n: child.number(),
                at: call.at,
                authority: call.dispatch.authority(),
                call: raw,
            }
            .encode()
        });
        // Every admitted call fits into a frame; were one not to, its deadline is to pass.
        let Ok(frame) = frame else {
            return Ok(Err(AskError::Refused));
        };
        Ok(child.call(&frame).await?.ok_or(AskError::Refused))
    }

    /// It crashed on this call: what it was handling is suspected, and set aside the second time.
    fn blame(&mut self, call: &Call) {
        let ids: Vec<String> = if call.is_ingest() {
            // The question itself is always the same; what it was to read is not.
            let asked = self.kept.asked().iter();
            asked.map(|signal| signal.id.as_str().to_owned()).collect()
        } else {
            vec![id_of(call)]
        };
        if !self.aside.blame(ids) {
            return;
        }
        let aside = &self.aside;
        self.kept.forget(|signal| aside.refuses(signal.id.as_str()));
        let ids = aside.ids();
        tracing::error!(
            agent = self.launch.agent.as_str(),
            set_aside = ids.len(),
            "an agent crashed twice on the same thing: it is refused from now on"
        );
        self.board
            .note(self.launch.agent, |report| report.set_aside = ids);
    }

    fn say(&self, end: &End, status: Option<ExitStatus>, decision: Decision) {
        let words = both_in_words(end, status);
        let (after_ms, rest) = match decision {
            Decision::Restart { after_ms, rest } => (after_ms, rest),
            Decision::Escalate => (0, false),
        };
        tracing::error!(
            agent = self.launch.agent.as_str(),
            after_ms,
            rest,
            cause = std::error::Error::source(end).map(tracing::field::display),
            "an agent's process is started again: {words}"
        );
        METRICS.restarted(self.launch.agent.as_str());
        self.board.note(self.launch.agent, |report| {
            report.restarts += 1;
            report.rests = rest;
            report.last_end = Some(words);
        });
    }
}

/// A call is the same call when it asks the same tool for the same: its own id is new each time.
fn id_of(call: &Call) -> String {
    let call = call.dispatch.call();
    format!("{}@{}", call.tool().name(), call.args_hash())
}

async fn deliver(child: &mut Child, signals: &[Signal]) -> Result<(), End> {
    for some in signals.chunks(SIGNALS_MAX) {
        let signals = some.to_vec();
        child.tell(&ToAgent::Signals { signals }).await?;
    }
    Ok(())
}
