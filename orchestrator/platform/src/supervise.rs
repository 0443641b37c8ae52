//! Actors that survive their own panics.
//!
//! What: runs an actor so that a panic in a handler, a future or a timer ends only that: it is restarted at the same
//! address with the same mailbox, as the supervision table says; past its limit the process ends. Why: actix closes an
//! actor's mailbox for good when a handler panics (probed with 0.13.5). Not here: the table and the decision
//! (`orchestrator_machine::supervision`), agents' processes (`process`), an arbiter that is blocked (`watchdog`).

#[cfg(test)]
mod tests;
pub mod watchdog;

use crate::metrics::METRICS;
use actix::{Actor, Addr, AsyncContext, Context, Supervised, dev::ContextFut};
use orchestrator_machine::supervision::{FailureHistory, RestartDecision, SupervisedRole, decide_restart};
use std::{
    cell::RefCell,
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::Arc,
    task::{Context as Task, Poll},
    time::{Duration, Instant},
};

/// The exit code of a process that ended because of a bug.
pub const EXIT_BUG: i32 = 70;
/// The exit code of a process that another host took over from: in use now, as a folder that another process works on.
pub const EXIT_FENCED: i32 = 75;

/// When things failed, and what is done about it: the table's decision under the real clock.
#[derive(Debug)]
pub struct FailureTracker {
    role: SupervisedRole,
    begun: Instant,
    history: FailureHistory,
}

impl FailureTracker {
    /// None yet.
    pub fn for_role(role: SupervisedRole) -> Self {
        Self {
            role,
            begun: Instant::now(),
            history: FailureHistory::default(),
        }
    }

    /// It failed just now.
    pub fn failed(&mut self) -> RestartDecision {
        let now_ms = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.history.record_failure(now_ms);
        decide_restart(self.role, &self.history, now_ms)
    }
}

struct ActorSupervisor<A: Actor<Context = Context<A>> + Supervised, E: FnOnce()> {
    actor: ContextFut<A, Context<A>>,
    name: &'static str,
    failures: FailureTracker,
    pause: Option<Pin<Box<tokio::time::Sleep>>>,
    escalate: Option<E>,
}

impl<A, E> Future for ActorSupervisor<A, E>
where
    A: Actor<Context = Context<A>> + Supervised,
    E: FnOnce() + Unpin,
{
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<()> {
        let this = &mut *self;
        loop {
            if let Some(pause) = &mut this.pause {
                if pause.as_mut().poll(task).is_pending() {
                    return Poll::Pending;
                }
                this.pause = None;
                match catch_unwind(AssertUnwindSafe(|| this.actor.restart())) {
                    Ok(true) => {}
                    // Nobody holds an address any more.
                    Ok(false) => return Poll::Ready(()),
                    Err(_) => return this.give_up(),
                }
            }
            match catch_unwind(AssertUnwindSafe(|| Pin::new(&mut this.actor).poll(task))) {
                Ok(Poll::Pending) => return Poll::Pending,
                // A clean stop: on purpose.
                Ok(Poll::Ready(())) => return Poll::Ready(()),
                Err(_) => {
                    let RestartDecision::Restart { after_ms, .. } = this.failures.failed() else {
                        return this.give_up();
                    };
                    tracing::error!(actor = this.name, after_ms, "an actor panicked and is restarted");
                    METRICS.restarted(this.name);
                    let pause = Duration::from_millis(after_ms);
                    this.pause = Some(Box::pin(tokio::time::sleep(pause)));
                }
            }
        }
    }
}

impl<A, E> ActorSupervisor<A, E>
where
    A: Actor<Context = Context<A>> + Supervised,
    E: FnOnce(),
{
    fn give_up(&mut self) -> Poll<()> {
        tracing::error!(actor = self.name, "an actor panicked too often");
        if let Some(escalate) = self.escalate.take() {
            escalate();
        }
        Poll::Ready(())
    }
}

/// Starts an actor that survives panics within its role's limit; past it, `escalate` is called once and the actor is gone.
pub fn start<A>(
    actor: A,
    name: &'static str,
    role: SupervisedRole,
    escalate: impl FnOnce() + Unpin + 'static,
) -> Addr<A>
where
    A: Actor<Context = Context<A>> + Supervised,
{
    let ctx = Context::new();
    let addr = ctx.address();
    actix::spawn(ActorSupervisor {
        actor: ctx.into_future(actor),
        name,
        failures: FailureTracker::for_role(role),
        pause: None,
        escalate: Some(escalate),
    });
    addr
}

/// What ends a service that nobody told to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FatalFailure {
    /// A part of it has failed past its limit.
    Broken,
    /// Another host runs its owner, or its log is damaged.
    Fenced,
}

/// What is done then.
pub type Escalation = Arc<dyn Fn(FatalFailure) + Send + Sync>;

thread_local! {
    /// Of the owner whose service this thread is; absent: the process ends.
    static ESCALATION: RefCell<Option<Escalation>> = const { RefCell::new(None) };
}

/// From now on this does not end the process when the service of this thread cannot go on: in a host of several owners each has a thread.
pub fn escalate_to(escalation: Escalation) {
    ESCALATION.set(Some(escalation));
}

/// What is done when the service of this thread cannot go on, for another thread that works for it.
pub fn escalation() -> Escalation {
    ESCALATION.with_borrow(Clone::clone).unwrap_or_else(|| {
        Arc::new(|failure| match failure {
            FatalFailure::Broken => end_process(),
            FatalFailure::Fenced => end_fenced(),
        })
    })
}

/// A part of this thread has failed past its limit.
pub fn escalate() {
    escalation()(FatalFailure::Broken);
}

/// Ends the process because another host runs its owner.
fn end_fenced() {
    tracing::error!(
        code = EXIT_FENCED,
        "the process ends: another host runs this owner, or its log is damaged"
    );
    std::process::exit(EXIT_FENCED);
}

/// Ends the process with the documented code of a bug; its parent (systemd, a person) starts it again, and it goes on
/// from its journal.
pub fn end_process() {
    tracing::error!(code = EXIT_BUG, "the process ends");
    std::process::exit(EXIT_BUG);
}
