//! Supervises an agent's process and queues calls to it.
//!
//! What: [`AgentProcessClient`], the place in which an agent's process is kept alive: started, handed what was journalled, asked,
//! pinged, ended, started again as the supervision table says. Why: the actor before it sees one host that is there or
//! answers that it is down. Not here: one life of the process (`child`), the table (`orchestrator_machine::supervision`).

use super::{
    AgentStatusRegistry,
    child::{AgentLaunch, AgentProcess, ExitReason, both_in_words, own_fault},
    set_aside::PoisonList,
    source_look::{FileIdentities, SourceLook},
};
use agents::{
    actor::QUEUE,
    contract::{AgentCall, AgentCallError, AgentCheckpoint, AgentReply, AgentSetup, AgentTransport},
};
use aura_platform::{
    metrics::METRICS,
    supervise::{FailureTracker, end_process},
};
use orchestrator_machine::supervision::{RestartDecision, SupervisedRole};
use std::{process::ExitStatus, time::Duration};
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
pub const PING: Duration = Duration::from_secs(5);
/// Signals in one frame: 16 of the largest fit.
const SIGNALS_MAX: usize = 16;

type CallReply = oneshot::Sender<Result<Vec<u8>, AgentCallError>>;

/// What the process is to be given.
enum AgentJob {
    Call(Box<AgentCall>, CallReply),
    Journalled(AgentCheckpoint),
    SetUp(Box<AgentSetup>),
}

/// The place: hands jobs to the task that keeps the process. The process ends with it.
pub struct AgentProcessClient {
    jobs: mpsc::Sender<AgentJob>,
}

/// Starts an agent's process and keeps it until the place is gone; the handle ends when the process has. Must run on the
/// arbiter's own thread.
pub fn start(launch: AgentLaunch, board: AgentStatusRegistry) -> (AgentProcessClient, JoinHandle<()>) {
    let (jobs, queue) = mpsc::channel(QUEUE);
    let keeping = AgentSupervisor {
        sources: SourceLook::new(launch.sources.clone()),
        launch,
        board,
        checkpoint: AgentCheckpoint::default(),
        aside: PoisonList::default(),
        first: None,
        failures: FailureTracker::of(SupervisedRole::AgentProcess),
    };
    (AgentProcessClient { jobs }, actix::spawn(keeping.run(queue)))
}

impl AgentProcessClient {
    fn hand_over(&self, job: AgentJob) -> Result<(), AgentCallError> {
        self.jobs.try_send(job).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => AgentCallError::Busy,
            mpsc::error::TrySendError::Closed(_) => AgentCallError::Down,
        })
    }
}

impl AgentTransport for AgentProcessClient {
    fn ask(&mut self, call: AgentCall) -> AgentReply {
        let (reply, answer) = oneshot::channel();
        match self.hand_over(AgentJob::Call(Box::new(call), reply)) {
            Ok(()) => AgentReply::Later(answer),
            Err(error) => AgentReply::Now(Err(error)),
        }
    }

    fn set_checkpoint(&mut self, checkpoint: AgentCheckpoint) {
        // Not taken: the next ingest names it again.
        let _ = self.hand_over(AgentJob::Journalled(checkpoint));
    }

    fn reconfigure(&mut self, setup: AgentSetup) -> bool {
        self.hand_over(AgentJob::SetUp(Box::new(setup))).is_ok()
    }
}

/// The task that keeps one agent's process.
struct AgentSupervisor {
    sources: SourceLook,
    launch: AgentLaunch,
    board: AgentStatusRegistry,
    /// Where a new process begins.
    checkpoint: AgentCheckpoint,
    aside: PoisonList,
    /// A job that waits for the next life.
    first: Option<AgentJob>,
    failures: FailureTracker,
}

/// What a life ended with, or `None` when it is over for good.
type SessionEnd = Option<(ExitReason, Option<ExitStatus>)>;

/// A call that is not answered yet, with who waits for it.
type UnansweredCall = (Box<AgentCall>, CallReply);

impl AgentSupervisor {
    async fn run(mut self, mut queue: mpsc::Receiver<AgentJob>) {
        loop {
            let sources = self.sources.now().await;
            let lived = match AgentProcess::start(&self.launch).await {
                Ok(child) => self.live(child, &sources, &mut queue).await,
                Err(end) => Some(end),
            };
            let Some((end, status)) = lived else { return };
            if matches!(end, ExitReason::Renewed) {
                continue;
            }
            let decision = self.failures.failed();
            self.say(&end, status, decision);
            let RestartDecision::Restart { after_ms, .. } = decision else {
                return end_process();
            };
            if !self.pause(Duration::from_millis(after_ms), &mut queue).await {
                return;
            }
        }
    }

    /// Waits before the next start. Calls are answered at once; `false`: the place is gone.
    async fn pause(&mut self, after: Duration, queue: &mut mpsc::Receiver<AgentJob>) -> bool {
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
                Some(AgentJob::Call(_, reply)) => drop(reply.send(Err(AgentCallError::Down))),
                Some(AgentJob::Journalled(checkpoint)) => self.checkpoint = checkpoint,
                Some(AgentJob::SetUp(setup)) => self.set_up(&setup),
            }
        }
    }

    /// One life, from ready to its end.
    async fn live(
        &mut self,
        mut child: AgentProcess,
        sources: &FileIdentities,
        queue: &mut mpsc::Receiver<AgentJob>,
    ) -> SessionEnd {
        let (pid, sandbox) = (child.pid(), child.sandbox.clone());
        self.board.note(self.launch.agent, |report| {
            (report.pid, report.sandbox, report.rests) = (pid, Some(sandbox), false);
        });
        let lived = match self.hand_back(&mut child).await {
            Ok(()) => self.serve(&mut child, sources, queue).await,
            Err(end) => Some((end, None)),
        };
        self.board.note(self.launch.agent, |report| report.pid = None);
        let grace = Duration::from_millis(SupervisedRole::AgentProcess.restart_policy().grace_ms);
        let (end, on) = match lived {
            None => {
                child.stop(grace).await;
                return None;
            }
            Some((ExitReason::Renewed, _)) => return Some((ExitReason::Renewed, child.stop(grace).await)),
            Some(lived) => lived,
        };
        let status = child.end().await;
        let own = match &end {
            ExitReason::Closed => status.is_some_and(own_fault),
            ExitReason::Hung(_) | ExitReason::Wire(_) => true,
            ExitReason::Start(_)
            | ExitReason::Socket(_)
            | ExitReason::Refused(_)
            | ExitReason::Stopped
            | ExitReason::Renewed => false,
        };
        if let Some((call, reply)) = on {
            // What an ingest was to read is offered again by whoever handed it over, and set aside there.
            if own && !call.is_ingest() {
                self.blame(&call);
            }
            // Who asked may have stopped waiting.
            let _ = reply.send(Err(AgentCallError::Ended { own }));
        }
        Some((end, status))
    }

    /// What a process is given that knows nothing yet.
    async fn hand_back(&self, child: &mut AgentProcess) -> Result<(), ExitReason> {
        let Some(state) = &self.checkpoint.state else {
            return Ok(());
        };
        let state = state.as_ref().clone();
        child.tell(&ToAgent::Restore { state }).await
    }

    /// Until it ends; `None`: the place is gone. With the call that it was on.
    async fn serve(
        &mut self,
        child: &mut AgentProcess,
        sources: &FileIdentities,
        queue: &mut mpsc::Receiver<AgentJob>,
    ) -> Option<(ExitReason, Option<UnansweredCall>)> {
        // The checkpoint at which this process is; `None`: at none.
        let mut at = Some(self.checkpoint.number);
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
            match job {
                // Nobody waits any more: its deadline passed in the queue.
                AgentJob::Call(_, reply) if reply.is_closed() => {}
                AgentJob::Call(call, reply) if call.is_ingest() => {
                    let from = &call.input.from;
                    let files = call.input.signals.is_empty();
                    if at != Some(from.number) || (files && self.sources.now().await != *sources) {
                        self.checkpoint = from.clone();
                        self.first = Some(AgentJob::Call(call, reply));
                        return Some((ExitReason::Renewed, None));
                    }
                    let after = from.number + 1;
                    match self.call(child, &call).await {
                        Ok(answer) => {
                            at = answer.is_ok().then_some(after);
                            let _ = reply.send(answer);
                        }
                        Err(end) => return Some((end, Some((call, reply)))),
                    }
                }
                AgentJob::Call(call, reply) => match self.call(child, &call).await {
                    Ok(answer) => {
                        // A late answer is dropped by design.
                        let _ = reply.send(answer);
                    }
                    Err(end) => return Some((end, Some((call, reply)))),
                },
                AgentJob::SetUp(setup) => {
                    self.set_up(&setup);
                    return Some((ExitReason::Renewed, None));
                }
                AgentJob::Journalled(checkpoint) => {
                    let knows_nothing = at == Some(0) && checkpoint.number > 0;
                    let apart = at.is_some_and(|at| checkpoint.number > at + 1);
                    self.checkpoint = checkpoint;
                    if apart && !knows_nothing {
                        return Some((ExitReason::Renewed, None));
                    }
                    if knows_nothing {
                        at = Some(self.checkpoint.number);
                        if let Err(end) = self.hand_back(child).await {
                            return Some((end, None));
                        }
                    }
                }
            }
        }
    }

    /// The next process is given this.
    fn set_up(&mut self, setup: &AgentSetup) {
        match serde_json::value::to_raw_value(setup) {
            Ok(raw) => {
                self.launch.setup = raw;
                self.launch.sources = setup.sources.paths().cloned().collect();
                self.sources = SourceLook::new(self.launch.sources.clone());
            }
            Err(error) => tracing::error!(%error, "a source's path cannot be handed to an agent"),
        }
    }

    async fn call(
        &mut self,
        child: &mut AgentProcess,
        call: &AgentCall,
    ) -> Result<Result<Vec<u8>, AgentCallError>, ExitReason> {
        if !self.aside.is_empty() && self.aside.refuses(&id_of(call)) {
            return Ok(Err(AgentCallError::Down));
        }
        deliver(child, &call.input.signals).await?;
        let frame = wire::raw(&call.raw).and_then(|raw| {
            ToAgent::Call {
                n: child.number(),
                at: call.at,
                authority: call.dispatch.authority(),
                ages_upto: call.input.ages_upto,
                call: raw,
            }
            .encode()
        });
        // Every admitted call fits into a frame; were one not to, its deadline is to pass.
        let Ok(frame) = frame else {
            return Ok(Err(AgentCallError::Refused));
        };
        Ok(child.call(&frame).await?.ok_or(AgentCallError::Refused))
    }

    /// It crashed on this call, which is suspected, and set aside the second time.
    fn blame(&mut self, call: &AgentCall) {
        if !self.aside.blame([id_of(call)]) {
            return;
        }
        let ids = self.aside.ids();
        tracing::error!(
            agent = self.launch.agent.as_str(),
            set_aside = ids.len(),
            "an agent crashed twice on the same thing: it is refused from now on"
        );
        self.board
            .note(self.launch.agent, |report| report.set_aside = ids);
    }

    fn say(&self, end: &ExitReason, status: Option<ExitStatus>, decision: RestartDecision) {
        let words = both_in_words(end, status);
        let (after_ms, rest) = match decision {
            RestartDecision::Restart { after_ms, rest } => (after_ms, rest),
            RestartDecision::Escalate => (0, false),
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
fn id_of(call: &AgentCall) -> String {
    let call = call.dispatch.call();
    format!("{}@{}", call.tool().name(), call.args_hash())
}

async fn deliver(child: &mut AgentProcess, signals: &[Signal]) -> Result<(), ExitReason> {
    for some in signals.chunks(SIGNALS_MAX) {
        let signals = some.to_vec();
        child.tell(&ToAgent::Signals { signals }).await?;
    }
    Ok(())
}
