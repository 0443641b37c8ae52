//! Actors that survive their own panics.
//!
//! What: runs an actor so that a panic in a handler, a future or a timer ends only that: after a short pause the actor is
//! restarted at the same address with the same mailbox, within a limit; past it the process ends. Why: actix closes an
//! actor's mailbox for good when a handler panics (probed with 0.13.5). Not here: the agents, which are rebuilt by
//! `agents::keeper`; processes.

use crate::metrics::METRICS;
use actix::{Actor, Addr, AsyncContext, Context, Supervised, dev::ContextFut};
use std::{
    collections::VecDeque,
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    task::{Context as Task, Poll},
    time::{Duration, Instant},
};

/// The exit code of a process that ended because of a bug.
pub const EXIT_BUG: i32 = 70;

/// How often an actor may be restarted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// So many restarts ...
    pub restarts: usize,
    /// ... within this time.
    pub window: Duration,
}

impl Limit {
    /// Five in ten seconds.
    pub const FIVE: Limit = Limit {
        restarts: 5,
        window: Duration::from_secs(10),
    };
    /// None: the first panic escalates. For the orchestrator, which is rebuilt from its journal by a new process.
    pub const NONE: Limit = Limit {
        restarts: 0,
        window: Duration::from_secs(10),
    };
}

/// Whether one more restart is within the limit. Pure: `past` holds the ages of the earlier ones.
fn may_restart(limit: Limit, past: &VecDeque<Instant>, now: Instant) -> bool {
    past.iter()
        .filter(|at| now.duration_since(**at) < limit.window)
        .count()
        < limit.restarts
}

struct Supervisor<A: Actor<Context = Context<A>> + Supervised, E: FnOnce()> {
    actor: ContextFut<A, Context<A>>,
    name: &'static str,
    limit: Limit,
    restarts: VecDeque<Instant>,
    pause: Option<Pin<Box<tokio::time::Sleep>>>,
    escalate: Option<E>,
}

impl<A, E> Future for Supervisor<A, E>
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
                    let now = Instant::now();
                    if !may_restart(this.limit, &this.restarts, now) {
                        return this.give_up();
                    }
                    tracing::error!(actor = this.name, "an actor panicked and is restarted");
                    METRICS.restarted(this.name);
                    this.restarts.push_back(now);
                    if this.restarts.len() > this.limit.restarts {
                        this.restarts.pop_front();
                    }
                    let pause = Duration::from_millis(20 << this.restarts.len().min(6));
                    this.pause = Some(Box::pin(tokio::time::sleep(pause)));
                }
            }
        }
    }
}

impl<A, E> Supervisor<A, E>
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

/// Starts an actor that survives panics within the limit; past it, `escalate` is called once and the actor is gone.
pub fn start<A>(
    actor: A,
    name: &'static str,
    limit: Limit,
    escalate: impl FnOnce() + Unpin + 'static,
) -> Addr<A>
where
    A: Actor<Context = Context<A>> + Supervised,
{
    let ctx = Context::new();
    let addr = ctx.address();
    actix::spawn(Supervisor {
        actor: ctx.into_future(actor),
        name,
        limit,
        restarts: VecDeque::new(),
        pause: None,
        escalate: Some(escalate),
    });
    addr
}

/// Ends the process with the documented code of a bug; its parent (systemd, a person) starts it again, and it goes on
/// from its journal.
pub fn end_process() {
    tracing::error!(code = EXIT_BUG, "the process ends");
    std::process::exit(EXIT_BUG);
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix::{Handler, Message};
    use std::sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    };

    #[derive(Message)]
    #[rtype(result = "u32")]
    struct Count(bool);

    #[derive(Default)]
    struct Counter(u32);

    impl Actor for Counter {
        type Context = Context<Self>;
    }

    impl Supervised for Counter {
        fn restarting(&mut self, _ctx: &mut Self::Context) {
            self.0 = 0;
        }
    }

    impl Handler<Count> for Counter {
        type Result = u32;

        fn handle(&mut self, count: Count, _ctx: &mut Self::Context) -> u32 {
            assert!(!count.0, "asked to panic");
            self.0 += 1;
            self.0
        }
    }

    #[actix::test]
    async fn a_panic_in_a_handler_is_survived_at_the_same_address() {
        let addr = start(Counter::default(), "counter", Limit::FIVE, || unreachable!());
        assert_eq!(addr.send(Count(false)).await.unwrap(), 1);
        let (crashed, queued) = tokio::join!(addr.send(Count(true)), addr.send(Count(false)));
        assert!(crashed.is_err(), "only the failing caller is told");
        assert_eq!(
            queued.unwrap(),
            1,
            "what was queued is handled, with a fresh state"
        );
    }

    #[actix::test]
    async fn past_its_limit_an_actor_escalates_once() {
        let escalated = Arc::new(AtomicU32::new(0));
        let count = escalated.clone();
        let addr = start(Counter::default(), "counter", Limit::NONE, move || {
            count.fetch_add(1, Ordering::SeqCst);
        });
        assert!(addr.send(Count(true)).await.is_err());
        assert!(addr.send(Count(false)).await.is_err());
        assert_eq!(escalated.load(Ordering::SeqCst), 1);
    }
}
