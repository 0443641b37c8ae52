//! Up to when time is borne out.
//!
//! What: [`ConfirmedTime`], which takes what a clock shows as evidence and says up to when ages may be counted. Why: a clock can be
//! wrong for an hour or a year, and nothing is to be erased because of it (ADR 0059). Pure. Not here: reading the clock (`clock`),
//! keeping this and asking it (`retention_clock`), what is removed (`aura_memory`).
//!
//! A moment is borne out by a kernel whose clock is synchronised; by the owner; or by a later local date at least 20 hours on. The last
//! one counts for steps of at most 30 days, and the first one must be seen twice for a longer step, an hour awake apart.

#[cfg(test)]
mod tests;

use aura_memory::{AgeReference, MisdatedPeriod};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use toolcall_schema::{RetentionHold, Timestamp};

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;
/// A longer step of the clock needs more than a later date.
pub(crate) const STEP_MAX_MS: i64 = 30 * DAY_MS;
/// A day is borne out by a later date that is at least so far on.
const LATER_MS: i64 = 20 * HOUR_MS;
/// How far a clock may be off what was expected before that counts as having been set.
const SLACK_MS: i64 = HOUR_MS;
/// Confirmed time may lag so far behind without anybody having to know: dates alone bear out a day after it is over.
const LAG_MS: i64 = 2 * DAY_MS;
/// Nothing that has an age is kept for longer: ten years.
const KEEP_MAX_MS: i64 = 3660 * DAY_MS;
/// At most so many unconfirmed runs, and dates that a wrong clock gave, are remembered.
const REMEMBERED_MAX: usize = 32;

/// What a clock shows, and what it goes by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClockEvidence {
    /// The wall clock.
    pub wall: Timestamp,
    /// Whether the kernel reports a synchronised clock and its own time agrees with the wall clock.
    pub synchronised: bool,
    /// How long this machine has been up.
    pub uptime: Uptime,
}

/// How long a machine has been up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Uptime {
    /// Since which boot; empty: not known.
    pub boot: String,
    /// Milliseconds since that boot, asleep or not.
    pub total_ms: i64,
    /// Those of them that it was awake.
    pub awake_ms: i64,
}

impl Uptime {
    /// Milliseconds since an earlier look, when it was of the same boot.
    fn since(&self, earlier: &Self) -> Option<i64> {
        (!self.boot.is_empty() && self.boot == earlier.boot).then(|| self.total_ms - earlier.total_ms)
    }
}

/// What a clock showed at one look.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ClockReading {
    at: Timestamp,
    uptime: Uptime,
}

/// What a clock showed from one look to another while nobody set it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SteadyPeriod {
    from: Timestamp,
    to: Timestamp,
}

/// Up to when time is borne out, and what else has to be remembered to go on from there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfirmedTime {
    /// The last moment that was borne out.
    confirmed: Timestamp,
    /// The first look of the day that a later date may bear out.
    candidate: ClockReading,
    /// The first of two looks at a synchronised clock that is more than a step away.
    synchronised: Option<ClockReading>,
    /// The last look.
    last: ClockReading,
    /// What the clock showed since the last confirmation, in that order; the last one goes on.
    runs: Vec<SteadyPeriod>,
    /// Dates that turned out to be wrong.
    misdated: Vec<MisdatedPeriod>,
}

impl ConfirmedTime {
    /// For a folder in which nothing of this was kept. `recorded` is the wall clock of the journal's last event: what an earlier Aura
    /// went by is believed as far as the clock does not contradict it.
    pub fn begin(seen: &ClockEvidence, recorded: Option<Timestamp>) -> Self {
        let look = ClockReading {
            at: seen.wall,
            uptime: seen.uptime.clone(),
        };
        let run = |at| SteadyPeriod { from: at, to: at };
        Self {
            confirmed: recorded.map_or(seen.wall, |at| at.min(seen.wall)),
            candidate: look.clone(),
            synchronised: None,
            last: look,
            runs: recorded.map(run).into_iter().chain([run(seen.wall)]).collect(),
            misdated: vec![],
        }
    }

    /// The journal's last event was written at `at` by the wall clock: where that is after the last look, the clock showed it, and a
    /// crash kept it from being remembered.
    pub fn recorded(&mut self, at: Timestamp) {
        match self.runs.last_mut() {
            Some(run) if at <= run.to => {}
            Some(run) if at.since(run.to) <= DAY_MS => run.to = at,
            Some(_) | None => self.push(SteadyPeriod { from: at, to: at }),
        }
    }

    /// Takes a look at the clock.
    pub fn observe(&mut self, seen: &ClockEvidence, zone: Tz) {
        self.follow(seen);
        let look = ClockReading {
            at: seen.wall,
            uptime: seen.uptime.clone(),
        };
        let ahead_ms = seen.wall.since(self.candidate.at);
        if !(-SLACK_MS..=STEP_MAX_MS).contains(&ahead_ms) {
            self.candidate = look.clone();
        }
        if seen.synchronised {
            if is_step(seen.wall, self.confirmed) || self.is_second(&look) {
                self.settle(seen.wall, look);
            } else if self
                .synchronised
                .as_ref()
                .is_none_or(|first| !goes_on(first, &look))
            {
                self.synchronised = Some(look);
            }
        } else if is_step(self.candidate.at, self.confirmed) && is_later_day(&self.candidate, &look, zone) {
            self.settle(self.candidate.at, look);
        }
    }

    /// The owner says that the clock is right.
    pub fn confirm(&mut self, seen: &ClockEvidence) {
        self.follow(seen);
        let look = ClockReading {
            at: seen.wall,
            uptime: seen.uptime.clone(),
        };
        self.settle(seen.wall, look);
    }

    /// The last moment that was borne out.
    pub fn confirmed(&self) -> Timestamp {
        self.confirmed
    }

    /// What ages are counted by.
    pub fn ageing(&self) -> AgeReference {
        // Until a clock that is behind is corrected, nobody knows how old what it dated is.
        let behind = self.runs.iter().filter(|run| is_behind(run.from, self.confirmed));
        let unknown = behind.map(|run| run.misdated(run.from, None));
        AgeReference {
            now: self.confirmed,
            misdated: self.misdated.iter().copied().chain(unknown).collect(),
        }
    }

    /// Why nothing more is removed for now, when the clock shows `wall`; `None`: things go as usual.
    pub fn waits(&self, wall: Timestamp) -> Option<RetentionHold> {
        let ahead_ms = wall.since(self.confirmed);
        if is_behind(wall, self.confirmed) {
            Some(RetentionHold::Behind)
        } else if ahead_ms > STEP_MAX_MS {
            Some(RetentionHold::Ahead)
        } else {
            (ahead_ms > LAG_MS).then_some(RetentionHold::LaterDay)
        }
    }

    /// Whether this says something else than what was kept, beside that time went on for less than an hour.
    pub(crate) fn is_worth_keeping(&self, kept: &Self) -> bool {
        let near = |at: Timestamp, other: Timestamp| at.since(other).abs() < HOUR_MS;
        let alike =
            |run: &SteadyPeriod, other: &SteadyPeriod| near(run.from, other.from) && near(run.to, other.to);
        !near(self.confirmed, kept.confirmed)
            || !near(self.candidate.at, kept.candidate.at)
            || self.synchronised != kept.synchronised
            || self.misdated != kept.misdated
            || self.runs.len() != kept.runs.len()
            || !self
                .runs
                .iter()
                .zip(&kept.runs)
                .all(|(run, other)| alike(run, other))
    }

    /// Goes on with the run that the clock is in, or begins another when it was set.
    fn follow(&mut self, seen: &ClockEvidence) {
        let elapsed_ms = seen.uptime.since(&self.last.uptime);
        let as_long_ms = elapsed_ms.map_or(DAY_MS, |elapsed_ms| elapsed_ms + SLACK_MS);
        let was_set = elapsed_ms.is_some_and(|ms| (seen.wall.since(self.last.at) - ms).abs() > SLACK_MS);
        let goes_on =
            |run: &SteadyPeriod| !was_set && (-SLACK_MS..=as_long_ms).contains(&seen.wall.since(run.to));
        match self.runs.last_mut() {
            Some(run) if goes_on(run) => run.to = run.to.max(seen.wall),
            Some(_) | None => {
                // It was set at some time since the last look.
                let from = seen.wall.plus_ms(-elapsed_ms.unwrap_or(0).max(0));
                self.push(SteadyPeriod { from, to: seen.wall });
            }
        }
        self.last = ClockReading {
            at: seen.wall,
            uptime: seen.uptime.clone(),
        };
    }

    fn push(&mut self, run: SteadyPeriod) {
        self.runs.push(run);
        if self.runs.len() > REMEMBERED_MAX {
            // Of what both and the time between them dated, less goes.
            let oldest = self.runs.remove(0);
            if let Some(next) = self.runs.first_mut() {
                *next = SteadyPeriod {
                    from: next.from.min(oldest.from),
                    to: next.to.max(oldest.to),
                };
            }
        }
    }

    /// Whether a synchronised clock was seen an hour awake before, and went on since as it should.
    fn is_second(&self, look: &ClockReading) -> bool {
        let awake_ms = |first: &ClockReading| look.uptime.awake_ms - first.uptime.awake_ms;
        self.synchronised
            .as_ref()
            .is_some_and(|first| goes_on(first, look) && awake_ms(first) >= HOUR_MS)
    }

    /// `to` is borne out, by a look that was right. What the clock showed before was right too, or ages from now on.
    fn settle(&mut self, to: Timestamp, look: ClockReading) {
        let right = look.at;
        let current = self.runs.pop();
        for run in std::mem::take(&mut self.runs) {
            if run.to > right.plus_ms(SLACK_MS) {
                self.misdate(run.misdated(run.from.max(right), Some(to)));
            } else if is_behind(run.from, self.confirmed) {
                self.misdate(run.misdated(run.from, Some(to)));
            }
        }
        self.runs.extend(current);
        // Where the clock has come to dates that it gave before, they are those of today.
        for dates in &mut self.misdated {
            if dates.since.is_some_and(|since| since <= dates.from) {
                dates.from = dates.from.max(right);
            }
        }
        self.misdated.retain(|dates| {
            let aged = dates.since.is_some_and(|since| to.since(since) > KEEP_MAX_MS);
            dates.from < dates.to && !aged
        });
        self.confirmed = to;
        self.candidate = look;
        self.synchronised = None;
    }

    /// Remembers dates that are wrong, as one with those they overlap: these age from the later correction.
    fn misdate(&mut self, dates: MisdatedPeriod) {
        let mut whole = dates;
        self.misdated.retain(|other| {
            let apart = other.to < whole.from || whole.to < other.from;
            if !apart {
                whole = MisdatedPeriod {
                    from: whole.from.min(other.from),
                    to: whole.to.max(other.to),
                    since: whole.since.max(other.since),
                };
            }
            apart
        });
        self.misdated.push(whole);
        if self.misdated.len() > REMEMBERED_MAX {
            self.misdated.remove(0);
        }
    }
}

impl SteadyPeriod {
    fn misdated(&self, from: Timestamp, since: Option<Timestamp>) -> MisdatedPeriod {
        // Something may have been written after the last look.
        let to = self.to.plus_ms(SLACK_MS);
        MisdatedPeriod { from, to, since }
    }
}

/// Whether a clock went from one look to another as the uptime says.
fn goes_on(first: &ClockReading, look: &ClockReading) -> bool {
    let elapsed_ms = look.uptime.since(&first.uptime);
    elapsed_ms.is_some_and(|elapsed_ms| (look.at.since(first.at) - elapsed_ms).abs() <= MINUTE_MS)
}

/// Whether it is at most 30 days from one to the other.
fn is_step(a: Timestamp, b: Timestamp) -> bool {
    a.since(b).abs() <= STEP_MAX_MS
}

fn is_behind(wall: Timestamp, confirmed: Timestamp) -> bool {
    confirmed.since(wall) > DAY_MS
}

/// Whether a look is of a later local date and at least 20 hours on, by the uptime too where that is known.
fn is_later_day(first: &ClockReading, look: &ClockReading, zone: Tz) -> bool {
    let date = |at: Timestamp| at.utc().with_timezone(&zone).date_naive();
    let passed_ms = look.at.since(first.at);
    let awake = look.uptime.since(&first.uptime).is_none_or(|ms| ms >= LATER_MS);
    awake && passed_ms >= LATER_MS && date(look.at) > date(first.at)
}
