//! Supervises an agent's process and queues calls to it.
//!
//! What: [`AgentProcessClient`], which hands over calls and checkpoints; the process behind it is handed what was journalled, asked,
//! and started anew where its sources or its checkpoint changed. Why: the actor before it sees one host that is there or answers
//! that it is down. Not here: one life of the process (`agent_process`), the loop (`supervisor`).

use super::{
    AgentStatusRegistry,
    agent_process::{AgentLaunch, AgentProcess},
    child_process::is_own_fault,
    link::{ExitReason, both_in_words},
    poison_list::PoisonList,
    source_look::{FileIdentities, SourceLook},
    supervisor::{ChildSession as _, JobQueue, SessionEnd, SupervisedChild, supervise},
};
use agents::{
    actor::QUEUE,
    contract::{AgentCall, AgentCallError, AgentCheckpoint, AgentReply, AgentSetup, AgentTransport},
};
use orchestrator_machine::supervision::SupervisedRole;
use std::{ops::ControlFlow, process::ExitStatus};
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinHandle,
};
use toolcall_schema::{
    signal::Signal,
    wire::{self, ToAgent},
};

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
    let agent = AgentSupervisor {
        sources: SourceLook::new(launch.sources.clone()),
        launch,
        board,
        checkpoint: AgentCheckpoint::default(),
        aside: PoisonList::default(),
        seen: FileIdentities::new(),
        at: None,
        unanswered: None,
    };
    (AgentProcessClient { jobs }, actix::spawn(supervise(agent, queue)))
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

/// What keeps one agent's process.
struct AgentSupervisor {
    sources: SourceLook,
    launch: AgentLaunch,
    board: AgentStatusRegistry,
    /// Where a new process begins.
    checkpoint: AgentCheckpoint,
    aside: PoisonList,
    /// The sources when the process was started: its sandbox knows only those.
    seen: FileIdentities,
    /// The checkpoint at which the process is; `None`: at none.
    at: Option<u64>,
    /// The call that the process is on.
    unanswered: Option<(Box<AgentCall>, CallReply)>,
}

impl SupervisedChild for AgentSupervisor {
    const ROLE: SupervisedRole = SupervisedRole::AgentProcess;
    const JOBS_WAIT_FOR_RESTART: bool = false;
    type Session = AgentProcess;
    type Job = AgentJob;

    fn name(&self) -> &'static str {
        self.launch.agent.as_str()
    }

    async fn start(&mut self, _: &mut JobQueue<AgentJob>) -> Result<AgentProcess, SessionEnd> {
        self.seen = self.sources.now().await;
        let mut process = AgentProcess::start(&self.launch)
            .await
            .map_err(|(reason, status)| SessionEnd::Failed(reason, status))?;
        self.at = Some(self.checkpoint.number);
        if let Err(reason) = self.restore(&mut process).await {
            return Err(SessionEnd::Failed(reason, process.end().await));
        }
        let (pid, sandbox) = (Some(process.pid()), process.sandbox.clone());
        self.board.note(self.launch.agent, |report| {
            (report.pid, report.sandbox, report.rests) = (pid, Some(sandbox), false);
        });
        Ok(process)
    }

    async fn replaced(&self) {
        std::future::pending::<()>().await;
    }

    async fn handle(
        &mut self,
        process: &mut AgentProcess,
        job: AgentJob,
        queue: &mut JobQueue<AgentJob>,
    ) -> ControlFlow<SessionEnd> {
        match job {
            // Nobody waits any more: its deadline passed in the queue.
            AgentJob::Call(_, reply) if reply.is_closed() => {}
            AgentJob::Call(call, reply) => {
                if call.is_ingest() && !self.can_ingest(&call).await {
                    self.checkpoint = call.input.from.clone();
                    queue.put_first(AgentJob::Call(call, reply));
                    return ControlFlow::Break(SessionEnd::Renewed);
                }
                match self.call(process, &call).await {
                    Ok(answer) => {
                        if call.is_ingest() {
                            self.at = answer.is_ok().then_some(call.input.from.number + 1);
                        }
                        // A late answer is dropped by design.
                        let _ = reply.send(answer);
                    }
                    Err(reason) => {
                        self.unanswered = Some((call, reply));
                        return ControlFlow::Break(SessionEnd::Failed(reason, None));
                    }
                }
            }
            AgentJob::SetUp(setup) => {
                self.set_up(&setup);
                return ControlFlow::Break(SessionEnd::Renewed);
            }
            AgentJob::Journalled(checkpoint) => {
                let knows_nothing = self.at == Some(0) && checkpoint.number > 0;
                let apart = self.at.is_some_and(|at| checkpoint.number > at + 1);
                self.checkpoint = checkpoint;
                if knows_nothing {
                    self.at = Some(self.checkpoint.number);
                    if let Err(reason) = self.restore(process).await {
                        return ControlFlow::Break(SessionEnd::Failed(reason, None));
                    }
                } else if apart {
                    return ControlFlow::Break(SessionEnd::Renewed);
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn handle_without_process(&mut self, job: AgentJob) {
        match job {
            // Who asked may have stopped waiting.
            AgentJob::Call(_, reply) => drop(reply.send(Err(AgentCallError::Down))),
            AgentJob::Journalled(checkpoint) => self.checkpoint = checkpoint,
            AgentJob::SetUp(setup) => self.set_up(&setup),
        }
    }

    fn note_session_end(&mut self, _: &SessionEnd) {
        self.board.note(self.launch.agent, |report| report.pid = None);
    }

    fn note_failure(&mut self, reason: &ExitReason, status: Option<ExitStatus>, rest: bool) {
        self.board.note(self.launch.agent, |report| {
            report.restarts += 1;
            report.rests = rest;
            report.last_end = Some(both_in_words(reason, status));
        });
        let own = match reason {
            ExitReason::Closed => status.is_some_and(is_own_fault),
            ExitReason::Hung(_) | ExitReason::Wire(_) => true,
            ExitReason::Start(_) | ExitReason::Socket(_) | ExitReason::Refused(_) | ExitReason::Stopped => {
                false
            }
        };
        if let Some((call, reply)) = self.unanswered.take() {
            // What an ingest was to read is offered again by whoever handed it over, and set aside there.
            if own && !call.is_ingest() {
                self.blame(&call);
            }
            // Who asked may have stopped waiting.
            let _ = reply.send(Err(AgentCallError::Ended { own }));
        }
    }
}

impl AgentSupervisor {
    /// Whether the process is where an ingest begins, and may read what that is to read.
    async fn can_ingest(&mut self, call: &AgentCall) -> bool {
        let reads_files = call.input.signals.is_empty();
        self.at == Some(call.input.from.number) && (!reads_files || self.sources.now().await == self.seen)
    }

    /// Gives a process that knows nothing yet what was journalled.
    async fn restore(&self, process: &mut AgentProcess) -> Result<(), ExitReason> {
        let Some(state) = &self.checkpoint.state else {
            return Ok(());
        };
        let state = state.as_ref().clone();
        process.tell(&ToAgent::Restore { state }).await
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
        process: &mut AgentProcess,
        call: &AgentCall,
    ) -> Result<Result<Vec<u8>, AgentCallError>, ExitReason> {
        if !self.aside.is_empty() && self.aside.refuses(&id_of(call)) {
            return Ok(Err(AgentCallError::Down));
        }
        deliver(process, &call.input.signals).await?;
        let frame = wire::raw(&call.raw).and_then(|raw| {
            ToAgent::Call {
                n: process.number(),
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
        Ok(process.call(&frame).await?.ok_or(AgentCallError::Refused))
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
}

/// A call is the same call when it asks the same tool for the same: its own id is new each time.
fn id_of(call: &AgentCall) -> String {
    let call = call.dispatch.call();
    format!("{}@{}", call.tool().name(), call.args_hash())
}

async fn deliver(process: &mut AgentProcess, signals: &[Signal]) -> Result<(), ExitReason> {
    for some in signals.chunks(SIGNALS_MAX) {
        let signals = some.to_vec();
        process.tell(&ToAgent::Signals { signals }).await?;
    }
    Ok(())
}
