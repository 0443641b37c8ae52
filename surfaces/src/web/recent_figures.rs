//! The last hour of a few figures.
//!
//! What: [`RecentFigures`], one [`ServiceSample`] a minute, in memory alone. Why: a figure says more beside those before it. Not here: their pictures
//! (`console::sparks`), restarts (the backend has each with its time), figures over weeks (`/metrics` and whoever reads it).

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::Duration,
};
use surfaces_base::backend::{Backend, console::ServiceSample};

/// From one figure to the next.
const EVERY: Duration = Duration::from_mins(1);

/// An hour of figures, both ends included.
const SAMPLES_MAX: usize = 61;

#[derive(Default)]
struct FigureMemory(VecDeque<ServiceSample>);

impl FigureMemory {
    fn take(&mut self, sample: ServiceSample) {
        self.0.push_back(sample);
        while self.0.len() > SAMPLES_MAX {
            self.0.pop_front();
        }
    }
}

/// What the console remembers of the last hour.
#[derive(Default)]
pub(super) struct RecentFigures {
    memory: Mutex<FigureMemory>,
}

impl RecentFigures {
    /// Takes a figure now and each minute, as long as the server runs.
    pub(super) async fn follow(&self, backend: &dyn Backend) {
        let mut minutes = tokio::time::interval(EVERY);
        minutes.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            minutes.tick().await;
            // Not told: the hour has a gap there.
            if let Ok(sample) = backend.sample().await {
                self.locked(|memory| memory.take(sample));
            }
        }
    }

    fn locked<T>(&self, job: impl FnOnce(&mut FigureMemory) -> T) -> T {
        // A poisoned lock still holds whole figures.
        job(&mut self.memory.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// All that is remembered, oldest first.
    pub(super) fn snapshot(&self) -> Vec<ServiceSample> {
        self.locked(|memory| memory.0.iter().cloned().collect())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::{FigureMemory, SAMPLES_MAX};
    use surfaces_base::backend::console::ServiceSample;
    use toolcall_schema::Timestamp;

    /// The service in that minute, with so many ticks begun.
    pub(in crate::web) fn sample(minute: i64, ticks: u64) -> ServiceSample {
        ServiceSample {
            at: Timestamp::from_ms(minute * 60_000),
            zone: "UTC".to_owned(),
            ticks,
            waiting: ticks % 2,
            refused: 0,
            memory_kib: (minute > 1).then_some(2049),
        }
    }

    #[test]
    fn an_hour_is_kept() {
        let mut memory = FigureMemory::default();
        for minute in 0..100 {
            memory.take(sample(minute, 1));
        }
        assert_eq!(memory.0.len(), SAMPLES_MAX);
        assert_eq!(memory.0[0].at, Timestamp::from_ms(39 * 60_000));
    }
}
