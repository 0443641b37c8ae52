//! The agents as actors, each with its typed tools as messages.
//!
//! What: [`AgentActor`] and its messages [`Ask`], [`Deliver`], [`Restore`], [`Health`]. Why: the orchestrator asks four
//! agents at once, with a deadline each, and none of them can block or end another. Not here: what agents do (`comms`,
//! `calendar`, …), surviving a panic (`keeper`), which agents there are (`orchestrator::wiring`).

use crate::keeper::{AskError, Build, Keeper};
use actix::{Actor, Context, Handler, Message, ResponseFuture, Supervised};
use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use serde_json::Value;
use std::{
    io,
    marker::PhantomData,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::Duration,
};
use tokio::sync::oneshot;
use toolcall_schema::{
    AgentName, Authority, Dispatch, Timestamp, Tool,
    catalogue::{CalendarTool, CommsTool, FinanceTool, WellnessTool},
    signal::Signal,
    wire::{self, FromAgent, ToAgent},
};

/// Messages that may wait for an actor, and jobs that may wait for its thread.
pub const QUEUE: usize = 64;

/// The tools of one agent: the typed content of its messages.
pub trait AgentTools: Clone + Unpin + Send + 'static {
    /// Whose.
    const AGENT: AgentName;

    /// The tool as one of this agent's; `None` when it is another's.
    fn of(tool: &Tool) -> Option<Self>;
}

macro_rules! agent_tools {
    ($($(#[$doc:meta])* $actor:ident: $tools:ident = $variant:ident),+) => { $(
        impl AgentTools for $tools {
            const AGENT: AgentName = AgentName::$variant;

            fn of(tool: &Tool) -> Option<Self> {
                if let Tool::$variant(tool) = tool { Some(tool.clone()) } else { None }
            }
        }

        $(#[$doc])*
        pub type $actor = AgentActor<$tools>;
    )+ };
}
agent_tools!(
    /// Mail and notifications.
    CommsActor: CommsTool = Comms,
    /// Events, travel, conflicts.
    CalendarActor: CalendarTool = Calendar,
    /// Bank messages and spending.
    FinanceActor: FinanceTool = Finance,
    /// Heart rate, sleep, load.
    WellnessActor: WellnessTool = Wellness
);

/// From the orchestrator: run one dispatched call. Answered with the bytes of `toolresult.v1`, at the latest at the
/// call's deadline. An answer that comes later is dropped.
pub struct Ask<T: AgentTools> {
    tool: T,
    raw: Vec<u8>,
    authority: Authority,
    deadline: Duration,
    at: Timestamp,
}

impl<T: AgentTools> Ask<T> {
    /// A question from a dispatched call, its raw bytes (they pass the gate again on the agent's side) and the time.
    ///
    /// # Errors
    /// `NotMine` when the call is of another agent.
    pub fn new(dispatch: &Dispatch, raw: Vec<u8>, at: Timestamp) -> Result<Self, AskError> {
        let call = dispatch.call();
        Ok(Self {
            tool: T::of(call.tool()).ok_or(AskError::NotMine)?,
            raw,
            authority: dispatch.authority(),
            deadline: Duration::from_millis(u64::from(call.deadline_ms())),
            at,
        })
    }

    /// What is asked.
    pub fn tool(&self) -> &T {
        &self.tool
    }
}

/// From the orchestrator: signals for the next ingest. `Busy` when the agent's queue is full: nothing was taken.
pub struct Deliver(pub Vec<Signal>);

/// From the orchestrator, first of all: the `agent_state` of the agent's last ingest. `State` when it cannot be taken
/// up; with a thread this shows in the log only, and the agent starts empty.
pub struct Restore(pub Value);

/// From whoever shows health: how often the agent was built again after a crash.
#[derive(Debug, Clone, Copy)]
pub struct Health;

impl<T: AgentTools> Message for Ask<T> {
    type Result = Result<Vec<u8>, AskError>;
}

impl Message for Deliver {
    type Result = Result<(), AskError>;
}

impl Message for Restore {
    type Result = Result<(), AskError>;
}

impl Message for Health {
    type Result = u32;
}

/// What the agent's thread is given: a frame, as a child process will be.
struct Job {
    frame: Vec<u8>,
    at: Timestamp,
    /// Absent for frames without an answer.
    answer: Option<oneshot::Sender<Result<Vec<u8>, AskError>>>,
}

/// How the agent is reached. The sandboxed child process of a later issue replaces the thread.
enum Transport {
    /// Answered in the handler: replay, tests.
    Inline(Box<Keeper>),
    /// A thread of its own, so that reading files blocks nobody.
    Thread(Sender<Job>),
}

/// One agent as an actor.
pub struct AgentActor<T: AgentTools> {
    transport: Transport,
    restarts: Arc<AtomicU32>,
    tools: PhantomData<T>,
}

impl<T: AgentTools> AgentActor<T> {
    /// An actor that answers in its handlers, on the arbiter it is started on.
    pub fn inline(build: Build) -> Self {
        let keeper = Keeper::new(build);
        Self {
            restarts: keeper.restarts(),
            transport: Transport::Inline(Box::new(keeper)),
            tools: PhantomData,
        }
    }

    /// An actor whose agent lives on a thread of its own, named `agent-` and its name. The thread ends with the actor.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn threaded(build: Build) -> io::Result<Self> {
        let (jobs, queue) = bounded(QUEUE);
        let keeper = Keeper::new(build);
        let restarts = keeper.restarts();
        thread::Builder::new()
            .name(format!("agent-{}", T::AGENT))
            .spawn(move || serve(keeper, &queue))?;
        Ok(Self {
            restarts,
            transport: Transport::Thread(jobs),
            tools: PhantomData,
        })
    }
}

/// The thread's loop. It ends when the actor has dropped its end.
fn serve(mut keeper: Keeper, queue: &Receiver<Job>) {
    for Job { frame, at, answer } in queue {
        match answer {
            // Nobody waits any more: the deadline passed while it was queued.
            Some(answer) if answer.is_closed() => {}
            Some(answer) => {
                let result = exchange(&mut keeper, &frame, at);
                // The asker may have given up meanwhile; a late answer is dropped by design.
                drop(answer.send(result));
            }
            None => {
                if let Err(error) = exchange(&mut keeper, &frame, at) {
                    tracing::warn!(agent = %keeper.name(), %error, "a frame without an answer was not taken");
                }
            }
        }
    }
}

/// The agent's side of the frame interface: one frame in, the frame of its answer out (empty where there is none).
fn exchange(keeper: &mut Keeper, frame: &[u8], at: Timestamp) -> Result<Vec<u8>, AskError> {
    let body = wire::body(frame).map_err(|_| AskError::Refused)?;
    match ToAgent::decode(body).map_err(|_| AskError::Refused)? {
        ToAgent::Call { authority, call } => {
            let result = keeper.call(call.get().as_bytes(), authority, at)?;
            let result = wire::raw(&result).map_err(|_| AskError::Refused)?;
            FromAgent::Result { result }
                .encode()
                .map_err(|_| AskError::Refused)
        }
        ToAgent::Signals { signals } => {
            keeper.deliver(signals);
            Ok(Vec::new())
        }
        ToAgent::Restore { state } => keeper.restore(state).map(|()| Vec::new()),
    }
}

/// The supervisor's side: the result's bytes out of the answer's frame.
fn result_of(frame: &[u8]) -> Result<Vec<u8>, AskError> {
    let body = wire::body(frame).map_err(|_| AskError::Refused)?;
    match FromAgent::decode(body) {
        Ok(FromAgent::Result { result }) => Ok(result.get().as_bytes().to_vec()),
        Ok(FromAgent::Poke) | Err(_) => Err(AskError::Refused),
    }
}

impl<T: AgentTools> AgentActor<T> {
    /// Sends a frame that has no answer.
    fn tell(&mut self, message: &ToAgent) -> Result<(), AskError> {
        let frame = message.encode().map_err(|_| AskError::State)?;
        let at = Timestamp::default();
        match &mut self.transport {
            Transport::Inline(keeper) => exchange(keeper, &frame, at).map(drop),
            Transport::Thread(jobs) => hand_over(
                jobs,
                Job {
                    frame,
                    at,
                    answer: None,
                },
            ),
        }
    }
}

fn hand_over(jobs: &Sender<Job>, job: Job) -> Result<(), AskError> {
    jobs.try_send(job).map_err(|e| match e {
        TrySendError::Full(_) => AskError::Busy,
        TrySendError::Disconnected(_) => AskError::Down,
    })
}

impl<T: AgentTools> Actor for AgentActor<T> {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Context<Self>) {
        ctx.set_mailbox_capacity(QUEUE);
    }
}

impl<T: AgentTools> Supervised for AgentActor<T> {}

impl<T: AgentTools> Handler<Ask<T>> for AgentActor<T> {
    type Result = ResponseFuture<Result<Vec<u8>, AskError>>;

    fn handle(&mut self, ask: Ask<T>, _: &mut Context<Self>) -> Self::Result {
        let Ask {
            raw,
            authority,
            deadline,
            at,
            ..
        } = ask;
        let framed = wire::raw(&raw).and_then(|call| ToAgent::Call { authority, call }.encode());
        // Every admitted call fits into a frame; were one not to, the deadline is to pass.
        let Ok(frame) = framed else {
            return Box::pin(std::future::ready(Err(AskError::Refused)));
        };
        match &mut self.transport {
            Transport::Inline(keeper) => {
                let result = exchange(keeper, &frame, at).and_then(|frame| result_of(&frame));
                Box::pin(std::future::ready(result))
            }
            Transport::Thread(jobs) => {
                let (answer, result) = oneshot::channel();
                let handed = hand_over(
                    jobs,
                    Job {
                        frame,
                        at,
                        answer: Some(answer),
                    },
                );
                Box::pin(async move {
                    handed?;
                    match tokio::time::timeout(deadline, result).await {
                        Ok(Ok(result)) => result_of(&result?),
                        Ok(Err(_)) => Err(AskError::Down),
                        Err(_) => Err(AskError::Deadline),
                    }
                })
            }
        }
    }
}

impl<T: AgentTools> Handler<Deliver> for AgentActor<T> {
    type Result = Result<(), AskError>;

    fn handle(&mut self, Deliver(signals): Deliver, _: &mut Context<Self>) -> Self::Result {
        self.tell(&ToAgent::Signals { signals })
    }
}

impl<T: AgentTools> Handler<Restore> for AgentActor<T> {
    type Result = Result<(), AskError>;

    fn handle(&mut self, Restore(state): Restore, _: &mut Context<Self>) -> Self::Result {
        self.tell(&ToAgent::Restore { state })
    }
}

impl<T: AgentTools> Handler<Health> for AgentActor<T> {
    type Result = u32;

    fn handle(&mut self, _: Health, _: &mut Context<Self>) -> u32 {
        self.restarts.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests;
