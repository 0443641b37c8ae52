//! The clock that ages are counted by.
//!
//! What: [`RetentionClock`], a running service's [`ConfirmedTime`] with the clock it watches and the store that keeps it; [`FolderTime`]
//! for a stopped folder. Why: whatever removes by age asks here and nowhere else. Not here: what bears a moment out
//! (`confirmed_time`), what is removed (`aura_memory`).

use crate::{
    clock::Clock,
    confirmed_time::{ClockEvidence, ConfirmedTime, STEP_MAX_MS},
};
use aura_memory::{AgeReference, ExpiredRanges, Store, StoreWrite};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use std::{
    ops::Range,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use toolcall_schema::{RetentionHold, Timestamp};

/// The clock that a service counts ages by.
#[derive(Clone)]
pub struct RetentionClock(Arc<RetentionClockInner>);

struct RetentionClockInner {
    clock: Clock,
    zone: Tz,
    store: Arc<Store>,
    /// `None` on a clock that nothing has to bear out.
    time: Mutex<Option<WatchedTime>>,
}

struct WatchedTime {
    time: ConfirmedTime,
    kept: Option<ConfirmedTime>,
    waits: Option<RetentionHold>,
}

/// Confirmed time, as reported to the owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClockReport {
    /// What the wall clock shows.
    pub wall: Timestamp,
    /// The last moment that was borne out: what is kept ages up to it.
    pub confirmed: Timestamp,
    /// Why nothing more is removed by its age for now; `None`: it is, as usual.
    pub waits: Option<RetentionHold>,
}

impl RetentionClock {
    /// Takes up what was kept. `recorded` is the wall clock of the journal's last event.
    pub fn open(
        clock: Clock,
        zone: Tz,
        store: Arc<Store>,
        kept: Option<&str>,
        recorded: Option<Timestamp>,
    ) -> Self {
        let looked = FolderTime::look(&clock, zone, kept, recorded).looked;
        let time = looked.map(|(time, _)| WatchedTime {
            time,
            kept: kept.and_then(read),
            waits: None,
        });
        let me = Self(Arc::new(RetentionClockInner {
            clock,
            zone,
            store,
            time: Mutex::new(time),
        }));
        me.observe();
        me
    }

    /// Looks at the clock, keeps what is new, and says so when things begin or cease to wait. To be called every few minutes.
    pub fn observe(&self) {
        let Some(evidence) = self.0.clock.evidence() else {
            return;
        };
        let mut time = self.time();
        let Some(watched) = time.as_mut() else { return };
        watched.time.observe(&evidence, self.0.zone);
        watched.told(evidence.wall);
        watched.keep(&self.0.store);
    }

    /// The owner says that the clock is right.
    pub fn confirm(&self) {
        let Some(evidence) = self.0.clock.evidence() else {
            return;
        };
        let mut time = self.time();
        let Some(watched) = time.as_mut() else { return };
        watched.time.confirm(&evidence);
        watched.told(evidence.wall);
        watched.keep(&self.0.store);
    }

    /// What ages are counted by now.
    pub fn ageing(&self) -> AgeReference {
        self.observe();
        let time = self.time();
        time.as_ref().map_or_else(
            || AgeReference::at(self.0.clock.wall()),
            |watched| watched.time.ageing(),
        )
    }

    /// What is older than the owner says.
    pub fn older_than(&self, ms: i64) -> ExpiredRanges {
        older_than(&self.ageing(), self.report(), ms)
    }

    /// Dates that are more than 30 days back by a wall clock that nothing bore out, and are not by confirmed time.
    pub fn dates_in_doubt(&self) -> Range<Timestamp> {
        let report = self.report();
        let back = |at: Timestamp| at.plus_ms(-STEP_MAX_MS);
        match report.waits {
            Some(RetentionHold::Ahead) => back(report.confirmed)..back(report.wall),
            Some(RetentionHold::LaterDay | RetentionHold::Behind) | None => report.wall..report.wall,
        }
    }

    /// Up to when ages of what agents read count, while the wall clock may be far ahead; `None`: up to now.
    pub fn ages_upto(&self) -> Option<Timestamp> {
        let report = self.report();
        (report.waits == Some(RetentionHold::Ahead)).then_some(report.confirmed)
    }

    /// Up to when time is borne out.
    pub fn report(&self) -> ClockReport {
        let wall = self.0.clock.wall();
        report(self.time().as_ref().map(|watched| &watched.time), wall)
    }

    fn time(&self) -> MutexGuard<'_, Option<WatchedTime>> {
        self.0.time.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WatchedTime {
    fn told(&mut self, wall: Timestamp) {
        let (waits, confirmed) = (self.time.waits(wall), self.time.confirmed());
        if waits == self.waits {
            return;
        }
        self.waits = waits;
        match waits {
            None => {
                tracing::info!(%confirmed, "the clock is borne out: what was kept long enough goes as usual");
            }
            Some(RetentionHold::LaterDay) => {
                tracing::info!(%wall, %confirmed, "a later day has to bear the clock out before more is removed by its age");
            }
            Some(RetentionHold::Ahead | RetentionHold::Behind) => tracing::warn!(
                %wall, %confirmed,
                "the clock is not borne out: nothing more is removed by its age until it is synchronised or `aura clock confirm` says that it is right"
            ),
        }
    }

    fn keep(&mut self, store: &Store) {
        if self
            .kept
            .as_ref()
            .is_some_and(|kept| !self.time.is_worth_keeping(kept))
        {
            return;
        }
        let json = serde_json::to_string(&self.time).unwrap_or_default();
        match store.write(vec![StoreWrite::ConfirmedTime { json }]) {
            Ok(()) => self.kept = Some(self.time.clone()),
            // The next look tries again.
            Err(error) => tracing::warn!(code = error.code(), %error, "confirmed time is not kept"),
        }
    }
}

/// What a stopped folder's ages are counted by.
pub struct FolderTime {
    wall: Timestamp,
    /// With what it was looked at; `None` on a clock that nothing has to bear out.
    looked: Option<(ConfirmedTime, ClockEvidence)>,
}

impl FolderTime {
    /// Takes up what the folder keeps of it, and looks at the clock. `recorded` is the wall clock of the journal's last event.
    pub fn look(clock: &Clock, zone: Tz, kept: Option<&str>, recorded: Option<Timestamp>) -> Self {
        let wall = clock.wall();
        let looked = clock.evidence().map(|evidence| {
            let kept = kept.and_then(read);
            let mut time = match (kept, recorded) {
                (Some(mut time), Some(recorded)) => {
                    time.recorded(recorded);
                    time
                }
                (Some(time), None) => time,
                (None, recorded) => ConfirmedTime::begin(&evidence, recorded),
            };
            time.observe(&evidence, zone);
            (time, evidence)
        });
        Self { wall, looked }
    }

    /// The owner says that the clock is right.
    pub fn confirm(&mut self) {
        if let Some((time, evidence)) = &mut self.looked {
            time.confirm(evidence);
        }
    }

    /// What ages are counted by.
    pub fn ageing(&self) -> AgeReference {
        let looked = self.looked.as_ref();
        looked.map_or_else(|| AgeReference::at(self.wall), |(time, _)| time.ageing())
    }

    /// What is older than the owner says.
    pub fn older_than(&self, ms: i64) -> ExpiredRanges {
        older_than(&self.ageing(), self.report(), ms)
    }

    /// Up to when time is borne out.
    pub fn report(&self) -> ClockReport {
        let time = self.looked.as_ref().map(|(time, _)| time);
        report(time, self.wall)
    }

    /// What the folder is to keep of it.
    pub fn json(&self) -> Option<String> {
        let (time, _) = self.looked.as_ref()?;
        serde_json::to_string(time).ok()
    }
}

fn read(json: &str) -> Option<ConfirmedTime> {
    serde_json::from_str(json)
        .inspect_err(|error| tracing::warn!(%error, "confirmed time is of another version: it begins with the journal's last event"))
        .ok()
}

/// Who names an age means it by the clock of now, as long as nothing waits because of that.
fn older_than(ageing: &AgeReference, report: ClockReport, ms: i64) -> ExpiredRanges {
    let ageing = AgeReference {
        now: if report.waits.is_none() {
            report.wall
        } else {
            ageing.now
        },
        misdated: ageing.misdated.clone(),
    };
    ageing.expired(ms)
}

fn report(time: Option<&ConfirmedTime>, wall: Timestamp) -> ClockReport {
    ClockReport {
        wall,
        confirmed: time.map_or(wall, ConfirmedTime::confirmed),
        waits: time.and_then(|time| time.waits(wall)),
    }
}
