//! Who is with an owner's service.
//!
//! What: [`Visits`], which counts open connections and commands, and tells when somebody comes and when nobody has come for a while, and
//! [`VisitQueue`], in which they wait while nobody serves. Why: a
//! host ends the service of an owner whom nobody visits, and starts it again with the next visit. Not here: who decides that (the host).

use std::{
    sync::Arc,
    task::{Context, Poll, Waker},
    time::Duration,
};
use tokio::sync::{mpsc, watch};

/// The visits of one owner.
#[derive(Clone)]
pub struct Visits(Arc<watch::Sender<usize>>);

/// One visit; dropping it is its end.
pub struct VisitGuard(Arc<watch::Sender<usize>>);

impl Default for Visits {
    fn default() -> Self {
        Self(Arc::new(watch::channel(0).0))
    }
}

impl Visits {
    /// Somebody comes.
    pub fn begin(&self) -> VisitGuard {
        self.0.send_modify(|open| *open += 1);
        VisitGuard(Arc::clone(&self.0))
    }

    /// Whether nobody is there.
    pub fn is_quiet(&self) -> bool {
        *self.0.borrow() == 0
    }

    /// Waits until somebody is there.
    pub async fn begun(&self) {
        let mut open = self.0.subscribe();
        // The sender lives as long as this.
        let _ = open.wait_for(|open| *open > 0).await;
    }

    /// Waits until nobody has been there for so long.
    pub async fn quiet_for(&self, time: Duration) {
        let mut open = self.0.subscribe();
        loop {
            let _ = open.wait_for(|open| *open == 0).await;
            tokio::select! {
                _ = open.changed() => {}
                () = tokio::time::sleep(time) => return,
            }
        }
    }
}

/// Visits that wait for whoever serves, in the order in which they came. It outlives who serves.
pub struct VisitQueue<T> {
    /// Taken while nobody served.
    first: Option<T>,
    others: mpsc::Receiver<T>,
}

impl<T> From<mpsc::Receiver<T>> for VisitQueue<T> {
    fn from(others: mpsc::Receiver<T>) -> Self {
        Self { first: None, others }
    }
}

impl<T> VisitQueue<T> {
    /// The next one. Dropped before its end, it loses none; `None`: none can come any more.
    pub async fn next(&mut self) -> Option<T> {
        match self.first.take() {
            Some(first) => Some(first),
            None => self.others.recv().await,
        }
    }

    /// Lets go of who waited last and has ended: what would wake it holds on to its thread's descriptors.
    pub fn forget_waiter(&mut self) {
        if self.first.is_none()
            && let Poll::Ready(came) = self.others.poll_recv(&mut Context::from_waker(Waker::noop()))
        {
            self.first = came;
        }
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        usize::from(self.first.is_some()) + self.others.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Drop for VisitGuard {
    fn drop(&mut self) {
        self.0.send_modify(|open| *open = open.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{future::poll_fn, pin::Pin, task::Poll, time::Instant};

    #[tokio::test]
    async fn a_visit_that_comes_while_the_last_server_is_forgotten_is_served_first() {
        let (send, receive) = mpsc::channel(2);
        let mut queue = VisitQueue::from(receive);
        queue.forget_waiter();
        assert!(queue.is_empty());
        send.send(1).await.unwrap();
        send.send(2).await.unwrap();
        queue.forget_waiter();
        queue.forget_waiter();
        assert_eq!(queue.len(), 2);
        assert_eq!((queue.next().await, queue.next().await), (Some(1), Some(2)));
        drop(send);
        assert_eq!(queue.next().await, None);
    }

    #[tokio::test]
    async fn a_visit_in_between_begins_the_quiet_time_anew() {
        const TIME: Duration = Duration::from_millis(50);
        let visits = Visits::default();
        let first = visits.begin();
        assert!(!visits.is_quiet());
        let mut quiet = Box::pin(visits.quiet_for(TIME));
        assert!(!is_over(&mut quiet).await);
        drop(first);
        assert!(!is_over(&mut quiet).await);
        let second = visits.begin();
        visits.begun().await;
        let left = Instant::now();
        drop(second);
        quiet.await;
        assert!(left.elapsed() >= TIME);
        assert!(visits.is_quiet());
    }

    /// Whether it is over now.
    async fn is_over(future: &mut Pin<Box<impl Future<Output = ()>>>) -> bool {
        poll_fn(|cx| Poll::Ready(future.as_mut().poll(cx).is_ready())).await
    }
}
