//! The hour of the briefs, as one host has it.
//!
//! What: [`simulate`], a queue of owners whose briefs are due within a few minutes: each waits for a place and for a core, is served, stays for a
//! moment and is parked. Why: a host is large enough when nobody waits long in the morning, and ten thousand real owners do not fit in a test. Not
//! here: what an owner costs, which `bench host` measures.

use super::hosted_owners::percentile;
use crate::random::mixed;
use serde::Serialize;
use std::{
    cmp::Reverse,
    collections::{BinaryHeap, VecDeque},
};

/// One host, and what its owners cost. Times are in milliseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PeakHost {
    pub owners: usize,
    pub cores: usize,
    /// How many owners are served at once.
    pub places: usize,
    /// Over how long the briefs of one hour are spread.
    pub spread_ms: u64,
    /// Processor time that an owner takes until her brief is there, and from then until she is parked.
    pub brief_cpu_ms: u64,
    pub park_cpu_ms: u64,
    /// How long she stays after her brief where somebody waits for her place, and where nobody does.
    pub stays_ms: u64,
    pub lingers_ms: u64,
}

/// What such a morning is like.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct PeakFigures {
    pub owners: usize,
    /// How long after it was due a brief is there.
    pub late_p50_ms: f64,
    pub late_p99_ms: f64,
    pub late_most_ms: f64,
    /// From the first moment that a brief is due until the last owner is parked.
    pub over_ms: u64,
    /// How many were served at once.
    pub places_most: usize,
    /// Share of the processor time of that while, in percent.
    pub busy_percent: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PeakEvent {
    Due,
    BriefDone { due: u64 },
    Lingered { guest: usize },
    Parked,
}

/// What a core works on.
#[derive(Debug, Clone, Copy)]
enum CoreWork {
    Brief { due: u64 },
    Parking,
}

/// The morning so far.
struct PeakMorning {
    host: PeakHost,
    now: u64,
    events: BinaryHeap<Reverse<(u64, PeakEvent)>>,
    /// When the briefs of those were due who wait for a place.
    waiting: VecDeque<u64>,
    /// What waits for a core.
    work: VecDeque<CoreWork>,
    idle_cores: usize,
    taken: usize,
    /// Those who stay after their brief, by number, with the time from which they can be parked.
    guests: VecDeque<(usize, u64)>,
    next_guest: usize,
    late: Vec<f64>,
    places_most: usize,
    busy_ms: u64,
}

impl PeakMorning {
    fn schedule(&mut self, time: u64, event: PeakEvent) {
        self.events.push(Reverse((time, event)));
    }

    fn take(&mut self, event: PeakEvent) {
        match event {
            PeakEvent::Due => self.waiting.push_back(self.now),
            PeakEvent::BriefDone { due } => {
                self.idle_cores += 1;
                self.late.push((self.now - due) as f64);
                let guest = self.next_guest;
                self.next_guest += 1;
                self.guests.push_back((guest, self.now + self.host.stays_ms));
                // Looked at when she can be parked, and when she is in any case.
                self.schedule(
                    self.now + self.host.stays_ms,
                    PeakEvent::Lingered { guest: usize::MAX },
                );
                self.schedule(self.now + self.host.lingers_ms, PeakEvent::Lingered { guest });
            }
            PeakEvent::Lingered { guest } => {
                let before = self.guests.len();
                self.guests.retain(|(number, _)| *number != guest);
                if self.guests.len() < before {
                    self.work.push_back(CoreWork::Parking);
                }
            }
            PeakEvent::Parked => {
                self.idle_cores += 1;
                self.taken -= 1;
            }
        }
        self.give_turns();
    }

    /// Gives places and cores to those who wait for them.
    fn give_turns(&mut self) {
        while self.taken < self.host.places
            && let Some(due) = self.waiting.pop_front()
        {
            self.taken += 1;
            self.places_most = self.places_most.max(self.taken);
            self.work.push_back(CoreWork::Brief { due });
        }
        // As many are parked as places are wanted and not on their way back.
        let mut wanted = self.waiting.len();
        let on_its_way = |work: &&CoreWork| matches!(work, CoreWork::Parking);
        wanted = wanted.saturating_sub(self.work.iter().filter(on_its_way).count());
        while wanted > 0
            && let Some((_, from)) = self.guests.front()
            && *from <= self.now
        {
            self.guests.pop_front();
            self.work.push_back(CoreWork::Parking);
            wanted -= 1;
        }
        while self.idle_cores > 0
            && let Some(work) = self.work.pop_front()
        {
            self.idle_cores -= 1;
            let (takes, done) = match work {
                CoreWork::Brief { due } => (self.host.brief_cpu_ms, PeakEvent::BriefDone { due }),
                CoreWork::Parking => (self.host.park_cpu_ms, PeakEvent::Parked),
            };
            self.busy_ms += takes;
            self.schedule(self.now + takes, done);
        }
    }
}

/// The hour in which the briefs of all owners are due, each at a moment of her own within the spread.
pub(crate) fn simulate(host: PeakHost) -> PeakFigures {
    let mut morning = PeakMorning {
        host,
        now: 0,
        events: BinaryHeap::new(),
        waiting: VecDeque::new(),
        work: VecDeque::new(),
        idle_cores: host.cores,
        taken: 0,
        guests: VecDeque::new(),
        next_guest: 0,
        late: Vec::new(),
        places_most: 0,
        busy_ms: 0,
    };
    for owner in 0..host.owners {
        let moment = mixed(owner as u64) % host.spread_ms.max(1);
        morning.schedule(moment, PeakEvent::Due);
    }
    while let Some(Reverse((time, event))) = morning.events.pop() {
        morning.now = time;
        morning.take(event);
    }
    let mut late = morning.late;
    late.sort_by(f64::total_cmp);
    let capacity = morning.now.max(1) as f64 * host.cores as f64;
    PeakFigures {
        owners: host.owners,
        late_p50_ms: percentile(&late, 50),
        late_p99_ms: percentile(&late, 99),
        late_most_ms: percentile(&late, 100),
        over_ms: morning.now,
        places_most: morning.places_most,
        busy_percent: morning.busy_ms as f64 / capacity * 100.0,
    }
}

/// The most owners, to a hundred, of whom all but one in a hundred have their brief within `late_ms`.
pub(crate) fn most_owners(host: PeakHost, late_ms: f64) -> usize {
    let fits = |hundreds: usize| {
        let owners = hundreds * 100;
        simulate(PeakHost { owners, ..host }).late_p99_ms <= late_ms
    };
    let mut beyond = 1;
    while beyond < 100_000 && fits(beyond) {
        beyond *= 2;
    }
    let mut within = beyond / 2;
    while beyond - within > 1 {
        let middle = usize::midpoint(within, beyond);
        if fits(middle) {
            within = middle;
        } else {
            beyond = middle;
        }
    }
    within * 100
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: PeakHost = PeakHost {
        owners: 1,
        cores: 1,
        places: 10,
        spread_ms: 1,
        brief_cpu_ms: 100,
        park_cpu_ms: 10,
        stays_ms: 1_000,
        lingers_ms: 60_000,
    };

    #[test]
    fn one_owner_waits_for_nobody_and_is_parked_a_minute_later() {
        let figures = simulate(HOST);
        assert_eq!((figures.late_p50_ms, figures.late_most_ms), (100.0, 100.0));
        assert_eq!((figures.over_ms, figures.places_most), (60_110, 1));
    }

    #[test]
    fn who_finds_the_core_taken_waits_for_it() {
        // Three at once on one core: done after 100, 200 and 300 ms; on three cores all after 100.
        let three = PeakHost { owners: 3, ..HOST };
        let on_one = simulate(three);
        assert_eq!((on_one.late_most_ms, on_one.places_most), (300.0, 3));
        let on_three = simulate(PeakHost { cores: 3, ..three });
        assert_eq!((on_three.late_most_ms, on_three.places_most), (100.0, 3));
    }

    #[test]
    fn who_finds_no_place_waits_until_somebody_has_stayed_and_is_parked() {
        // The second has the place once the first was served (100), has stayed (1,000) and was parked (10).
        let two = PeakHost {
            owners: 2,
            cores: 2,
            places: 1,
            ..HOST
        };
        let figures = simulate(two);
        assert_eq!((figures.late_most_ms, figures.places_most), (1_210.0, 1));
    }

    #[test]
    fn every_brief_is_counted_however_full_a_host_is() {
        let full = PeakHost {
            owners: 5_000,
            places: 20,
            spread_ms: 60_000,
            ..HOST
        };
        let figures = simulate(full);
        // 5,000 × 110 ms of one core are 550 s, in which it is never idle but for the first and the last moment.
        assert!(
            figures.over_ms >= 550_000 && figures.places_most == 20,
            "{figures:?}"
        );
        assert!(most_owners(full, 1_000.0) < most_owners(full, 60_000.0));
    }
}
