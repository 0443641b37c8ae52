//! An agent's process, from the service's side.
//!
//! What: [`AgentProcessClient`], which hands over calls and checkpoints; what `supervisor` needs to keep the process alive, with its sources
//! and its checkpoint; and [`AgentProcess`], one life of it, spoken to in frames with a deadline on every wait. Why: the actor before it
//! sees one host that is there or answers that it is down; a refused frame, silence and a death are all an [`ExitReason`]. Not here: when
//! it is started again (`supervisor`), socket and process (`link`), its own side (`worker`).
//!
//! One thing is asked at a time, so neither side ever writes while the other waits to be read.

use super::{
    AgentStatusRegistry, ForkServer, ProcessEnd, ProcessLimits, WorkerProgram,
    child_process::is_own_fault,
    lines,
    link::{ExitReason, ProcessLink},
    poison_list::PoisonList,
    progress::{Stall, StallDetector},
    source_look::{FileIdentities, SourceLook},
    supervisor::{ChildSession, JobQueue, PONG, SessionEnd, SupervisedChild, plain_sandbox, supervise},
};
use agents::{
    actor::QUEUE,
    contract::{
        AgentCall, AgentCallError, AgentCheckpoint, AgentReply, AgentSetup, AgentTransport, AnsweredCall,
    },
};
use orchestrator_machine::supervision::SupervisedRole;
use serde_json::{Value, value::RawValue};
use std::{
    io, ops::ControlFlow, os::unix::net::UnixStream as StdStream, path::PathBuf, pin::Pin,
    process::ExitStatus, time::Duration,
};
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinHandle,
    time::{Instant, Sleep, sleep, timeout},
};
use toolcall_schema::{
    AgentName,
    catalogue::shared::ThingNames,
    gate,
    process_end::ProcessEndCause,
    wire::{self, FrameDecoder, FromAgent, ToAgent, WireError},
};

/// Signals in one frame: 16 of the largest fit.
const SIGNALS_MAX: usize = 16;
/// How long a process may take to say that it is ready.
const READY: Duration = Duration::from_secs(10);
/// How often a process that was called is looked at: three looks without progress, and it counts as stuck.
const LOOK: Duration = Duration::from_secs(1);
/// After so many looks at one call the process counts as hung. Its caller has stopped waiting long before: reading an archive for the first
/// time takes its time.
const LOOKS_MAX: u32 = 60;

/// Where an agent's process comes from.
#[derive(Debug, Clone)]
pub enum AgentOrigin {
    Forked(ForkServer),
    /// A program that speaks as an agent does, with its name as the last argument: what tests put in an agent's place.
    Program(WorkerProgram),
}

/// What an agent's process is started with.
pub struct AgentLaunch {
    /// Which of the four.
    pub agent: AgentName,
    /// Where it comes from.
    pub origin: AgentOrigin,
    /// `agents::contract::AgentSetup`, for its first frame.
    pub setup: Box<RawValue>,
    /// What it reads: the files and folders of `setup`.
    pub sources: Vec<PathBuf>,
    /// What it may use.
    pub limits: ProcessLimits,
}

type CallReply = oneshot::Sender<Result<AnsweredCall, AgentCallError>>;

/// A result and what an act changed in the state, or why there is no answer although the process goes on.
type ProcessAnswer = Result<(Vec<u8>, Option<Value>), AgentCallError>;

/// What the process is to be given.
enum AgentJob {
    Call(Box<AgentCall>, CallReply),
    Journalled(AgentCheckpoint),
    SetUp(Box<AgentSetup>),
}

/// Queues jobs for the task that keeps the process. The process ends when this is dropped.
pub struct AgentProcessClient {
    jobs: mpsc::Sender<AgentJob>,
}

/// Starts an agent's process and keeps it until the client is dropped; the handle ends when the process has. Must run on the
/// arbiter's own thread.
pub fn start(launch: AgentLaunch, registry: AgentStatusRegistry) -> (AgentProcessClient, JoinHandle<()>) {
    let (jobs, queue) = mpsc::channel(QUEUE);
    let agent = AgentSupervisor {
        sources: SourceLook::new(launch.sources.clone()),
        launch,
        registry,
        checkpoint: AgentCheckpoint::default(),
        names: ThingNames::new(),
        poison_list: PoisonList::default(),
        seen: FileIdentities::new(),
        at: None,
        acts: 0,
        unanswered: None,
    };
    (AgentProcessClient { jobs }, actix::spawn(supervise(agent, queue)))
}

impl AgentProcessClient {
    fn hand_over(&self, job: AgentJob) -> Result<(), AgentCallError> {
        self.jobs.try_send(job).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => AgentCallError::Busy,
            mpsc::error::TrySendError::Closed(_) => AgentCallError::NotBegun,
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
    registry: AgentStatusRegistry,
    /// Where a new process begins.
    checkpoint: AgentCheckpoint,
    /// What the process before it called what is known there.
    names: ThingNames,
    poison_list: PoisonList,
    /// The sources when the process was started: its sandbox knows only those.
    seen: FileIdentities,
    /// The checkpoint at which the process is; `None`: at none.
    at: Option<u64>,
    /// By how many numbers it came there through acts whose answers went out, since the journal was last known to be there.
    acts: u64,
    /// The call that the process is on.
    unanswered: Option<(Box<AgentCall>, CallReply)>,
}

impl SupervisedChild for AgentSupervisor {
    const ROLE: SupervisedRole = SupervisedRole::AgentProcess;
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
        self.is_at(Some(self.checkpoint.number));
        if let Err(reason) = self.restore(&mut process).await {
            return Err(SessionEnd::Failed(reason, process.end().await));
        }
        let names = std::mem::take(&mut self.names);
        if !names.is_empty()
            && let Err(reason) = process.tell(&ToAgent::Names { names }).await
        {
            return Err(SessionEnd::Failed(reason, process.end().await));
        }
        let (pid, sandbox) = (Some(process.pid()), process.sandbox.clone());
        self.registry.note(self.launch.agent, |report| {
            (report.pid, report.sandbox) = (pid, Some(sandbox));
            (report.rests, report.failed) = (false, false);
        });
        Ok(process)
    }

    // What is read is offered again by whoever handed it over.
    fn is_awaited(job: &AgentJob) -> bool {
        matches!(job, AgentJob::Call(call, _) if !call.is_ingest())
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
                    return self.renew(process).await;
                }
                match self.call(process, &call).await {
                    Ok(answer) => self.answered(&call, answer, reply),
                    Err(reason) => {
                        self.unanswered = Some((call, reply));
                        return ControlFlow::Break(SessionEnd::Failed(reason, None));
                    }
                }
            }
            AgentJob::SetUp(setup) => {
                self.set_up(&setup);
                return self.renew(process).await;
            }
            AgentJob::Journalled(checkpoint) => {
                let knows_nothing = self.at == Some(0) && checkpoint.number > 0;
                let apart = self.at.is_some_and(|at| checkpoint.number > at + 1);
                self.checkpoint = checkpoint;
                if self.at == Some(self.checkpoint.number) {
                    self.acts = 0;
                }
                if knows_nothing {
                    self.is_at(Some(self.checkpoint.number));
                    if let Err(reason) = self.restore(process).await {
                        return ControlFlow::Break(SessionEnd::Failed(reason, None));
                    }
                } else if apart {
                    return self.renew(process).await;
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn handle_without_process(&mut self, job: AgentJob) {
        match job {
            // Who asked may have stopped waiting.
            AgentJob::Call(_, reply) => drop(reply.send(Err(AgentCallError::NotBegun))),
            AgentJob::Journalled(checkpoint) => self.checkpoint = checkpoint,
            AgentJob::SetUp(setup) => self.set_up(&setup),
        }
    }

    fn note_session_end(&mut self, _: &SessionEnd) {
        self.registry.note(self.launch.agent, |report| report.pid = None);
    }

    fn note_failure(&mut self, end: ProcessEnd, rest: bool) {
        let (cause, status) = (end.cause, end.status);
        self.registry.note(self.launch.agent, |report| {
            report.restarts += 1;
            (report.rests, report.failed) = (rest, true);
            report.ends.note(end);
        });
        let own = match cause {
            ProcessEndCause::Closed => status.is_some_and(is_own_fault),
            ProcessEndCause::Hung | ProcessEndCause::BadFrame(_) => true,
            ProcessEndCause::NotStarted
            | ProcessEndCause::SocketFailed
            | ProcessEndCause::CannotWork(_)
            | ProcessEndCause::Stopped => false,
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
    /// The process is where the journal is.
    fn is_at(&mut self, at: Option<u64>) {
        (self.at, self.acts) = (at, 0);
    }

    /// Whether the process is where an ingest begins, or further only by acts that are on their way into the journal, and may read what
    /// that is to read.
    async fn can_ingest(&mut self, call: &AgentCall) -> bool {
        let reads_files = call.input.signals.is_empty();
        let ahead = self.at.and_then(|at| at.checked_sub(call.input.from.number));
        ahead.is_some_and(|ahead| ahead <= self.acts)
            && (!reads_files || self.sources.now().await == self.seen)
    }

    /// Hands an answer over, with where the process began and what it left.
    fn answered(&mut self, call: &AgentCall, answer: ProcessAnswer, reply: CallReply) {
        let from = self.at;
        let answer = answer.map(|(result, state_change)| AnsweredCall {
            result,
            state_change,
            from,
        });
        let acted = answer.as_ref().is_ok_and(|answer| answer.state_change.is_some());
        if call.is_ingest() {
            self.is_at(from.filter(|_| answer.is_ok()).map(|from| from + 1));
        } else if acted {
            self.at = from.map(|from| from + 1);
            self.acts += 1;
        }
        // A late answer is dropped by design; an act with it: the next ingest begins in a new process.
        if reply.send(answer).is_err() && acted {
            self.is_at(None);
        }
    }

    /// Has the next process go on from the checkpoint, with what this one calls those who are known there.
    async fn renew(&mut self, process: &mut AgentProcess) -> ControlFlow<SessionEnd> {
        self.names = match &self.checkpoint.state {
            // Whoever does not say it is ended anyway.
            Some(state) => process.names_in(state.to_value()).await.unwrap_or_default(),
            None => ThingNames::new(),
        };
        ControlFlow::Break(SessionEnd::Renewed)
    }

    /// Gives a process that knows nothing yet what was journalled.
    async fn restore(&self, process: &mut AgentProcess) -> Result<(), ExitReason> {
        let Some(state) = &self.checkpoint.state else {
            return Ok(());
        };
        let state = state.to_value();
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

    async fn call(&self, process: &mut AgentProcess, call: &AgentCall) -> Result<ProcessAnswer, ExitReason> {
        if !self.poison_list.is_empty() && self.poison_list.refuses(&id_of(call)) {
            return Ok(Err(AgentCallError::NotBegun));
        }
        process.call(call).await
    }

    /// It crashed on this call, which is suspected, and set aside the second time.
    fn blame(&mut self, call: &AgentCall) {
        if !self.poison_list.blame([id_of(call)]) {
            return;
        }
        let ids = self.poison_list.ids();
        tracing::error!(
            agent = self.launch.agent.as_str(),
            set_aside = ids.len(),
            "an agent crashed twice on the same thing: it is refused from now on"
        );
        self.registry
            .note(self.launch.agent, |report| report.set_aside = ids);
    }
}

/// A call is the same call when it asks the same tool for the same: its own id is new each time.
fn id_of(call: &AgentCall) -> String {
    let call = call.dispatch.call();
    format!("{}@{}", call.tool().name(), call.args_hash())
}

/// A process that said it is ready.
struct AgentProcess {
    link: ProcessLink,
    /// Of the last call or ping.
    n: u64,
    /// What it says of its sandbox.
    sandbox: String,
    /// When the process is looked at, while it is on a call. One timer for all calls: a timer that is only put off costs the thread neither a lock nor a
    /// wake-up.
    look: Pin<Box<Sleep>>,
}

impl AgentProcess {
    /// Starts a process and waits until it is ready.
    ///
    /// # Errors
    /// [`ExitReason`]
    async fn start(launch: &AgentLaunch) -> Result<Self, (ExitReason, Option<ExitStatus>)> {
        let link = spawn(launch)
            .await
            .map_err(|error| (ExitReason::Start(error), None))?;
        let mut child = Self {
            link,
            n: 0,
            sandbox: String::new(),
            look: Box::pin(sleep(LOOK)),
        };
        match timeout(READY, child.begin(launch)).await {
            Ok(Ok(())) => Ok(child),
            Ok(Err(end)) => Err((end, child.end().await)),
            Err(_) => Err((ExitReason::Hung("`ready`"), child.end().await)),
        }
    }

    async fn begin(&mut self, launch: &AgentLaunch) -> Result<(), ExitReason> {
        let setup = launch.setup.clone();
        self.link.tell(&ToAgent::Begin { setup }.encode()?).await?;
        let frame = self.read().await?;
        let FromAgent::Ready { catalogue, sandbox } = frame else {
            return Err(unexpected(&frame, "`ready`"));
        };
        if catalogue != gate::catalogue_hash() {
            return Err(WireError::OtherBuild.into());
        }
        self.sandbox = plain_sandbox(&sandbox);
        Ok(())
    }

    /// Sends a frame that has no answer.
    ///
    /// # Errors
    /// [`ExitReason`]
    async fn tell(&mut self, frame: &ToAgent) -> Result<(), ExitReason> {
        let bytes = frame.encode()?;
        self.link.tell(&bytes).await
    }

    /// The number of the next call or ping.
    fn number(&mut self) -> u64 {
        self.n += 1;
        self.n
    }

    /// Hands over the signals that a call is to read, then the call, and waits for its answer: the result's bytes, or why there is none
    /// although the process goes on.
    ///
    /// # Errors
    /// [`ExitReason`]
    async fn call(&mut self, call: &AgentCall) -> Result<ProcessAnswer, ExitReason> {
        for some in call.input.signals.chunks(SIGNALS_MAX) {
            let signals = some.to_vec();
            self.tell(&ToAgent::Signals { signals }).await?;
        }
        let n = self.number();
        let frame = wire::raw(&call.raw).and_then(|raw| {
            ToAgent::Call {
                n,
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
        self.link.tell(&frame).await?;
        match self.read_while_it_gets_on().await? {
            FromAgent::Result { n, result, state } if n == self.n => {
                Ok(Ok((Box::<str>::from(result).into_string().into_bytes(), state)))
            }
            FromAgent::Refused { n } if n == self.n => Ok(Err(AgentCallError::Refused)),
            other @ (FromAgent::Ready { .. }
            | FromAgent::Result { .. }
            | FromAgent::Refused { .. }
            | FromAgent::Names { .. }
            | FromAgent::Pong { .. }) => Err(unexpected(&other, "the answer to its call")),
        }
    }

    /// Asks what things are called that a state knows.
    ///
    /// # Errors
    /// [`ExitReason`]
    async fn names_in(&mut self, state: Value) -> Result<ThingNames, ExitReason> {
        let n = self.number();
        self.tell(&ToAgent::TellNames { n, state }).await?;
        match timeout(PONG, self.read()).await {
            Ok(Ok(FromAgent::Names { n, names })) if n == self.n => Ok(names),
            Ok(Ok(other)) => Err(unexpected(&other, "names")),
            Ok(Err(end)) => Err(end),
            Err(_) => Err(ExitReason::Hung("names")),
        }
    }

    /// The next frame of a process that is on a call, and is looked at meanwhile.
    ///
    /// # Errors
    /// [`ExitReason`]
    async fn read_while_it_gets_on(&mut self) -> Result<FromAgent, ExitReason> {
        let (mut stall_detector, pid) = (StallDetector::default(), self.pid());
        for _ in 0..LOOKS_MAX {
            self.look.as_mut().reset(Instant::now() + LOOK);
            tokio::select! {
                biased;
                frame = self.link.read(FromAgent::decode) => return frame,
                () = self.look.as_mut() => {}
            }
            match stall_detector.look(pid) {
                Some(Stall::Stopped) => return Err(ExitReason::Stopped),
                Some(Stall::Asleep) => return Err(ExitReason::Hung("progress with a call")),
                None => {}
            }
        }
        Err(ExitReason::Hung("answer to a call"))
    }

    async fn read(&mut self) -> Result<FromAgent, ExitReason> {
        self.link.read(FromAgent::decode).await
    }
}

impl ChildSession for AgentProcess {
    async fn idle(&mut self) -> ExitReason {
        match self.read().await {
            Ok(other) => unexpected(&other, "nothing, as nothing was asked,"),
            Err(end) => end,
        }
    }

    async fn ping(&mut self) -> Result<(), ExitReason> {
        let n = self.number();
        self.tell(&ToAgent::Ping { n }).await?;
        match timeout(PONG, self.read()).await {
            Ok(Ok(FromAgent::Pong { n })) if n == self.n => Ok(()),
            Ok(Ok(other)) => Err(unexpected(&other, "the answer to its ping")),
            Ok(Err(end)) => Err(end),
            Err(_) => Err(ExitReason::Hung("answer to a ping")),
        }
    }

    fn pid(&self) -> u32 {
        self.link.pid()
    }

    fn stop_frame() -> Result<Vec<u8>, WireError> {
        ToAgent::Stop.encode()
    }

    fn into_link(self) -> ProcessLink {
        self.link
    }
}

fn unexpected(found: &FromAgent, expected: &'static str) -> ExitReason {
    WireError::OutOfOrder {
        found: found.name(),
        expected,
    }
    .into()
}

/// Starts the process.
async fn spawn(launch: &AgentLaunch) -> io::Result<ProcessLink> {
    let name = launch.agent.as_str();
    match &launch.origin {
        AgentOrigin::Forked(server) => {
            let (ours, theirs) = StdStream::pair()?;
            let (said, stdout) = io::pipe()?;
            let (told, stderr) = io::pipe()?;
            let stdio = [theirs.into(), stdout.into(), stderr.into()];
            let process = server.fork(launch.agent, launch.limits, stdio).await?;
            lines::log(name, "stdout", said);
            lines::log(name, "stderr", told);
            ProcessLink::with_process(process, ours, FrameDecoder::default())
        }
        AgentOrigin::Program(program) => {
            let (mut command, ours) = program.command(&["agent", name])?;
            ProcessLink::start(&mut command, ours, FrameDecoder::default(), name)
        }
    }
}
