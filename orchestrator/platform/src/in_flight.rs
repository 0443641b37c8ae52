//! Work in flight.
//!
//! What: a count of messages that are on their way, by the actor that is to handle them, and waiting for it to be zero. Why: a
//! recorded day may advance its clock only when nothing is moving any more; the service shows the counts. Not here: queues
//! and their bounds (each actor's).

use orchestrator_machine::supervision::SupervisedRole;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio::sync::Notify;

/// The count.
#[derive(Clone, Default)]
pub struct InFlight(Arc<InFlightCounts>);

#[derive(Default)]
struct InFlightCounts {
    count: AtomicUsize,
    /// Of these, the messages to an actor, by its place in [`SupervisedRole::ALL`].
    to: [AtomicUsize; SupervisedRole::ALL.len()],
    quiet: Notify,
}

impl InFlightCounts {
    fn to(&self, role: SupervisedRole) -> Option<&AtomicUsize> {
        let place = SupervisedRole::ALL.iter().position(|one| *one == role)?;
        self.to.get(place)
    }
}

/// One thing in flight; dropping it is its end.
pub struct InFlightGuard {
    inner: Arc<InFlightCounts>,
    to: Option<SupervisedRole>,
}

impl InFlight {
    /// Begins one thing that waits for no actor.
    pub fn ticket(&self) -> InFlightGuard {
        self.begin(None)
    }

    /// Begins a message to an actor: it waits in the mailbox, or is being handled, until the ticket is dropped.
    pub fn ticket_to(&self, role: SupervisedRole) -> InFlightGuard {
        self.begin(Some(role))
    }

    fn begin(&self, to: Option<SupervisedRole>) -> InFlightGuard {
        self.0.count.fetch_add(1, Ordering::SeqCst);
        if let Some(waiting) = to.and_then(|role| self.0.to(role)) {
            waiting.fetch_add(1, Ordering::Relaxed);
        }
        let inner = Arc::clone(&self.0);
        InFlightGuard { inner, to }
    }

    /// How many messages to that actor wait or are being handled.
    pub fn waiting(&self, role: SupervisedRole) -> usize {
        self.0
            .to(role)
            .map_or(0, |waiting| waiting.load(Ordering::Relaxed))
    }

    /// How many things are in flight.
    pub fn count(&self) -> usize {
        self.0.count.load(Ordering::SeqCst)
    }

    /// The next time at which nothing is in flight any more, from this call on, whenever it is awaited.
    pub fn next_quiet(&self) -> impl Future<Output = ()> {
        self.0.quiet.notified()
    }

    /// Waits until nothing is in flight.
    pub async fn quiet(&self) {
        loop {
            let quiet = self.next_quiet();
            if self.count() == 0 {
                return;
            }
            quiet.await;
        }
    }
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        if let Some(waiting) = self.to.and_then(|role| self.inner.to(role)) {
            waiting.fetch_sub(1, Ordering::Relaxed);
        }
        if self.inner.count.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.inner.quiet.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_counted_by_who_is_to_handle_them_until_their_tickets_are_gone() {
        let busy = InFlight::default();
        let counts = |busy: &InFlight| {
            let to = [SupervisedRole::Memory, SupervisedRole::Surfaces].map(|role| busy.waiting(role));
            (busy.count(), to)
        };
        let (one, other) = (
            busy.ticket_to(SupervisedRole::Memory),
            busy.ticket_to(SupervisedRole::Memory),
        );
        let (shown, plain) = (busy.ticket_to(SupervisedRole::Surfaces), busy.ticket());
        assert_eq!(counts(&busy), (4, [2, 1]));
        drop((one, plain));
        assert_eq!(counts(&busy), (2, [1, 1]));
        drop((other, shown));
        assert_eq!(counts(&busy), (0, [0, 0]));
    }
}
