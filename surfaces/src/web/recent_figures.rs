//! The last hour of a few figures.
//!
//! What: [`RecentFigures`], one [`ServiceSample`] a minute and the restarts seen between two of them, in memory alone. Why: a figure says more
//! beside those before it. Not here: their pictures (`console::sparks`), figures over weeks (`/metrics` and whoever reads it).

use crate::backend::{
    Backend,
    console::{ProcessName, ServiceSample},
};
use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::Duration,
};
use toolcall_schema::Timestamp;

/// From one figure to the next.
const EVERY: Duration = Duration::from_mins(1);

/// An hour of figures, both ends included.
const SAMPLES_MAX: usize = 61;

/// Restarts that are remembered, newest last.
const RESTARTS_MAX: usize = 32;

/// A process that was started again between two looks (wall clock).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SeenRestart {
    pub(super) name: ProcessName,
    pub(super) from: Timestamp,
    pub(super) to: Timestamp,
}

#[derive(Default)]
struct FigureMemory {
    samples: VecDeque<ServiceSample>,
    restarts: VecDeque<SeenRestart>,
}

impl FigureMemory {
    fn take(&mut self, sample: ServiceSample) {
        if let Some(last) = self.samples.back() {
            let again = sample
                .restarts
                .iter()
                .filter(|(name, count)| last.restarts.get(name).is_some_and(|before| before < count));
            self.restarts.extend(again.map(|(name, _)| SeenRestart {
                name: *name,
                from: last.at,
                to: sample.at,
            }));
        }
        self.samples.push_back(sample);
        while self.samples.len() > SAMPLES_MAX {
            self.samples.pop_front();
        }
        while self.restarts.len() > RESTARTS_MAX {
            self.restarts.pop_front();
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

    /// Restarts that may have been between two instants.
    pub(super) fn restarts_within(&self, from: Timestamp, to: Timestamp) -> Vec<SeenRestart> {
        let may_be = |seen: &&SeenRestart| seen.from <= to && from <= seen.to;
        self.locked(|memory| memory.restarts.iter().filter(may_be).cloned().collect())
    }

    /// All that is remembered, oldest first.
    pub(super) fn snapshot(&self) -> (Vec<ServiceSample>, Vec<SeenRestart>) {
        self.locked(|memory| {
            (
                memory.samples.iter().cloned().collect(),
                memory.restarts.iter().cloned().collect(),
            )
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::{FigureMemory, RESTARTS_MAX, SAMPLES_MAX, SeenRestart};
    use crate::backend::console::{ProcessName, ServiceSample};
    use toolcall_schema::{AgentName, Timestamp};

    const FINANCE: ProcessName = ProcessName::Agent(AgentName::Finance);

    /// The service in that minute, with so many ticks begun and so many restarts of Finance.
    pub(in crate::web) fn sample(minute: i64, ticks: u64, restarts: u64) -> ServiceSample {
        ServiceSample {
            at: Timestamp::from_ms(minute * 60_000),
            zone: "UTC".to_owned(),
            ticks,
            waiting: ticks % 2,
            refused: 0,
            memory_kib: (minute > 1).then_some(2049),
            restarts: [(FINANCE, restarts)].into(),
        }
    }

    #[test]
    fn an_hour_is_kept_and_each_restart_once() {
        let mut memory = FigureMemory::default();
        for minute in 0..100 {
            memory.take(sample(minute, 1, u64::from(minute >= 70)));
        }
        assert_eq!(memory.samples.len(), SAMPLES_MAX);
        assert_eq!(memory.samples[0].at, Timestamp::from_ms(39 * 60_000));
        assert_eq!(
            memory.restarts,
            [SeenRestart {
                name: FINANCE,
                from: Timestamp::from_ms(69 * 60_000),
                to: Timestamp::from_ms(70 * 60_000),
            }]
        );
        for times in 0..100 {
            memory.take(sample(100, 1, 2 + times));
        }
        assert_eq!(memory.restarts.len(), RESTARTS_MAX);
    }
}
