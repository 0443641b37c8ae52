//! Work in flight.
//!
//! What: a count of messages that are on their way, and waiting for it to be zero. Why: a recorded day may advance its
//! clock only when nothing is moving any more; the service shows the count in its health. Not here: queues and their
//! bounds (each actor's).

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio::sync::Notify;

/// The count.
#[derive(Clone, Default)]
pub struct Busy(Arc<Inner>);

#[derive(Default)]
struct Inner {
    count: AtomicUsize,
    quiet: Notify,
}

/// One thing in flight; dropping it is its end.
pub struct Ticket(Arc<Inner>);

impl Busy {
    /// Begins one thing.
    pub fn ticket(&self) -> Ticket {
        self.0.count.fetch_add(1, Ordering::SeqCst);
        Ticket(self.0.clone())
    }

    /// How many things are in flight.
    pub fn count(&self) -> usize {
        self.0.count.load(Ordering::SeqCst)
    }

    /// Waits until nothing is in flight.
    pub async fn quiet(&self) {
        loop {
            let notified = self.0.quiet.notified();
            if self.count() == 0 {
                return;
            }
            notified.await;
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if self.0.count.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.0.quiet.notify_waiters();
        }
    }
}
