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

/// What the agent's thread is given.
enum Job {
    Call {
        raw: Vec<u8>,
        authority: Authority,
        at: Timestamp,
        answer: oneshot::Sender<Result<Vec<u8>, AskError>>,
    },
    Deliver(Vec<Signal>),
    Restore(Value),
}

/// How the agent is reached. The sandboxed child process of a later issue replaces the thread.
enum Transport {
    /// Answered in the handler: replay, tests, bench.
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
    for job in queue {
        match job {
            // Nobody waits any more: the deadline passed while it was queued.
            Job::Call { answer, .. } if answer.is_closed() => {}
            Job::Call {
                raw,
                authority,
                at,
                answer,
            } => {
                let result = keeper.call(&raw, authority, at);
                // The asker may have given up meanwhile; a late answer is dropped by design.
                drop(answer.send(result));
            }
            Job::Deliver(signals) => keeper.deliver(signals),
            Job::Restore(state) => {
                if keeper.restore(state).is_err() {
                    tracing::warn!(agent = %keeper.name(), "the agent's state cannot be restored, it starts empty");
                }
            }
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
        match &mut self.transport {
            Transport::Inline(keeper) => {
                let result = keeper.call(&ask.raw, ask.authority, ask.at);
                Box::pin(std::future::ready(result))
            }
            Transport::Thread(jobs) => {
                let (answer, result) = oneshot::channel();
                let job = Job::Call {
                    raw: ask.raw,
                    authority: ask.authority,
                    at: ask.at,
                    answer,
                };
                let handed = hand_over(jobs, job);
                Box::pin(async move {
                    handed?;
                    match tokio::time::timeout(ask.deadline, result).await {
                        Ok(Ok(result)) => result,
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
        match &mut self.transport {
            Transport::Inline(keeper) => {
                keeper.deliver(signals);
                Ok(())
            }
            Transport::Thread(jobs) => hand_over(jobs, Job::Deliver(signals)),
        }
    }
}

impl<T: AgentTools> Handler<Restore> for AgentActor<T> {
    type Result = Result<(), AskError>;

    fn handle(&mut self, Restore(state): Restore, _: &mut Context<Self>) -> Self::Result {
        match &mut self.transport {
            Transport::Inline(keeper) => keeper.restore(state),
            Transport::Thread(jobs) => hand_over(jobs, Job::Restore(state)),
        }
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
