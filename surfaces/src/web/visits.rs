//! Who is with an owner's service.
//!
//! What: [`Visits`], which counts open connections and commands, and tells when somebody comes and when nobody has come for a while. Why: a
//! host ends the service of an owner whom nobody visits, and starts it again with the next visit. Not here: who decides that (the host).

use std::{sync::Arc, time::Duration};
use tokio::sync::watch;

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
