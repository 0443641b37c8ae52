//! The nights that memory was told of.
//!
//! What: [`NightLog`], what is known of the night of each local day, and the stretches around the place where a file is being read. Why: an
//! export tells of years, source by source and slice by slice, and memory is told of each night once, and again where more of it becomes
//! known. Not here: the last sleep, by which the owner's load is judged (`sleep`).

use super::sleep::{KEPT_MIN, MAX_SOURCES, MAX_SPANS, SleepLog, SleepStretch, nights};
use agents_base::zone;
use chrono::NaiveDate;
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::{Timestamp, forget::ErasureScope};

/// More days than memory keeps.
const DAYS_MAX: usize = 96;
/// Stretches of a source that are held before nights are made of them.
const HELD_MAX: usize = 4096;
/// What a sleep has at most, as a sample has.
const MINUTES_MAX: i64 = 1200;

/// What memory was told, and what is being read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NightLog {
    days: BTreeMap<NaiveDate, KnownNight>,
    /// By source; empty when everything is read.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    reading: BTreeMap<String, SourceStretches>,
    /// Days of which more is known than was told.
    #[serde(skip)]
    untold: BTreeSet<NaiveDate>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownNight {
    staged: bool,
    minutes: i64,
    end: Timestamp,
    /// From when until when any source saw it.
    seen: (Timestamp, Timestamp),
}

impl KnownNight {
    /// The night that is believed is the greatest: of a source that tells stages apart, the longest, the last.
    fn rank(&self) -> (bool, i64, Timestamp) {
        (self.staged, self.minutes, self.end)
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.seen.0 < other.seen.1 && other.seen.0 < self.seen.1
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SourceStretches {
    staged: bool,
    /// Where reading is.
    at: Timestamp,
    /// By their begins, none touching the next.
    spans: BTreeMap<Timestamp, Timestamp>,
}

impl SourceStretches {
    /// Joins a span with those that it touches; whether it says anything new.
    fn add(&mut self, (mut from, mut until): (Timestamp, Timestamp)) -> bool {
        if let Some((begin, end)) = self.spans.range(..=from).next_back()
            && *end >= from
        {
            if *end >= until {
                return false;
            }
            from = *begin;
        }
        while let Some((begin, end)) = self.spans.range(from..=until).next().map(|(b, e)| (*b, *e)) {
            until = until.max(end);
            self.spans.remove(&begin);
        }
        self.spans.insert(from, until);
        true
    }

    /// Lets go of what is far from where reading is.
    fn cut(&mut self) {
        let at = self.at;
        self.spans
            .retain(|_, until| until.since(at).abs() <= KEPT_MIN * 60_000);
        while self.spans.len() > MAX_SPANS {
            self.spans.pop_first();
        }
    }
}

impl NightLog {
    /// Takes a plausible stretch in that memory has room for; whether it says anything new. `sleep`: what is known of the last days.
    pub(super) fn take(&mut self, stretch: &SleepStretch, sleep: &SleepLog, zone: Tz) -> bool {
        let is_told = self.is_told(stretch, zone);
        let mut source = self
            .reading
            .remove(&stretch.source)
            .unwrap_or_else(|| SourceStretches {
                staged: false,
                at: stretch.until,
                spans: sleep.spans(&stretch.source).iter().copied().collect(),
            });
        source.staged |= stretch.staged;
        source.at = stretch.until;
        let is_new = source.add((stretch.from, stretch.until));
        if source.spans.len() > HELD_MAX {
            self.find(&source, zone);
            source.cut();
        }
        if self.reading.len() >= MAX_SOURCES
            && let Some((_, whole)) = self.reading.pop_first()
        {
            self.find(&whole, zone);
        }
        self.reading.insert(stretch.source.clone(), source);
        is_new && !is_told
    }

    /// Whether it lies in a night that is known.
    fn is_told(&self, stretch: &SleepStretch, zone: Tz) -> bool {
        let day = zone::local_date(stretch.until, zone);
        [Some(day), day.succ_opt()].into_iter().flatten().any(|day| {
            self.days
                .get(&day)
                .is_some_and(|night| night.seen.0 <= stretch.from && stretch.until <= night.seen.1)
        })
    }

    /// Makes nights of what a source saw.
    fn find(&mut self, source: &SourceStretches, zone: Tz) {
        let spans: Vec<_> = source.spans.iter().map(|(from, until)| (*from, *until)).collect();
        for (minutes, from, end) in nights(&spans, zone) {
            let night = KnownNight {
                staged: source.staged,
                minutes: minutes.min(MINUTES_MAX),
                end,
                seen: (from, end),
            };
            self.learn(night, zone::local_date(end, zone));
        }
    }

    fn learn(&mut self, mut night: KnownNight, day: NaiveDate) {
        // Another source saw it end on the other side of midnight.
        let beside = [day.pred_opt(), day.succ_opt()].into_iter().flatten();
        if beside
            .filter_map(|day| self.days.get(&day))
            .any(|known| known.overlaps(&night))
        {
            return;
        }
        if let Some(known) = self.days.get_mut(&day) {
            let seen = (known.seen.0.min(night.seen.0), known.seen.1.max(night.seen.1));
            known.seen = seen;
            if known.rank() >= night.rank() {
                return;
            }
            night.seen = seen;
        }
        self.days.insert(day, night);
        self.untold.insert(day);
    }

    /// The nights of which memory is told now: minutes, and when each ended. `more`: the rest of a file is read later. What `is_old` was
    /// counted as such, and is among these where it ended shortly before one that is not.
    pub(super) fn told(
        &mut self,
        zone: Tz,
        more: bool,
        is_old: impl Fn(Timestamp) -> bool,
    ) -> Vec<(NaiveDate, (f64, Timestamp))> {
        let mut reading = std::mem::take(&mut self.reading);
        for source in reading.values_mut() {
            self.find(source, zone);
            source.cut();
        }
        if more {
            self.reading = reading;
        }
        let untold = std::mem::take(&mut self.untold);
        let told = untold.iter().filter_map(|day| {
            let night = self.days.get(day).filter(|night| !is_old(night.end))?;
            Some((*day, (night.minutes as f64, night.end)))
        });
        let told = told.collect();
        while self.days.len() > DAYS_MAX {
            self.days.pop_first();
        }
        told
    }

    /// When the last of what is known ended.
    pub(super) fn newest(&self) -> Option<Timestamp> {
        let held = self.reading.values().flat_map(|source| source.spans.values());
        self.days
            .values()
            .map(|night| night.end.max(night.seen.1))
            .chain(held.copied())
            .max()
    }

    /// Takes away what has to go.
    pub(super) fn forget(&mut self, what: &ErasureScope) {
        let goes = |from: Timestamp, until: Timestamp| what.covers_time(from) || what.covers_time(until);
        self.days
            .retain(|_, night| !goes(night.seen.0, night.seen.1) && !what.covers_time(night.end));
        for source in self.reading.values_mut() {
            source.spans.retain(|from, until| !goes(*from, *until));
        }
        self.reading.retain(|_, source| !source.spans.is_empty());
    }

    /// The same within its limits (of a state that was tampered with).
    pub(super) fn bounded(mut self) -> Self {
        self.days
            .retain(|_, night| (1..=MINUTES_MAX).contains(&night.minutes));
        while self.days.len() > DAYS_MAX {
            self.days.pop_first();
        }
        let sources = self.reading.into_iter().take(MAX_SOURCES);
        self.reading = sources
            .map(|(name, mut source)| {
                source.spans.retain(|from, until| from < until);
                source.cut();
                (name.chars().take(16).collect(), source)
            })
            .collect();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Minutes after 2026-11-05T18:00:00Z.
    fn at(minute: i64) -> Timestamp {
        Timestamp::parse("2026-11-05T18:00:00Z").unwrap().plus_min(minute)
    }

    fn day(day: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 11, day).unwrap()
    }

    fn take(nights: &mut NightLog, (source, staged, from, until): (&str, bool, i64, i64)) -> bool {
        let stretch = SleepStretch {
            from: at(from),
            until: at(until),
            source: source.to_owned(),
            staged,
        };
        nights.take(&stretch, &SleepLog::default(), Tz::UTC)
    }

    #[test]
    fn each_night_is_told_once_and_again_when_more_of_it_is_known() {
        let mut nights = NightLog::default();
        // 23:00 to 06:00 of three nights, of the second one only until 02:00; a slice ends there.
        for (from, until) in [(300, 720), (1740, 1920)] {
            assert!(take(&mut nights, ("w", true, from, until)));
        }
        let first = vec![(day(6), (420.0, at(720))), (day(7), (180.0, at(1920)))];
        // 02:00 is no morning; three hours are a night at any hour.
        assert_eq!(nights.told(Tz::UTC, true, |_| false), first);
        let kept: NightLog = serde_json::from_value(serde_json::to_value(&nights).unwrap()).unwrap();
        assert_eq!(kept, nights);
        let mut nights = kept.bounded();
        // 02:10 to 06:00, and the third.
        take(&mut nights, ("w", true, 1930, 2160));
        take(&mut nights, ("w", true, 3180, 3600));
        let second = vec![(day(7), (410.0, at(2160))), (day(8), (420.0, at(3600)))];
        assert_eq!(nights.told(Tz::UTC, false, |_| false), second);
        // The whole file again, and a phone that saw more of the first night and alone the one before it.
        for stretch in [
            ("w", true, 300, 720),
            ("w", true, 1740, 1920),
            ("w", true, 3180, 3600),
        ] {
            assert!(!take(&mut nights, stretch));
        }
        take(&mut nights, ("p", false, 200, 800));
        take(&mut nights, ("p", false, -1140, -720));
        assert_eq!(
            nights.told(Tz::UTC, false, |_| false),
            vec![(day(5), (420.0, at(-720)))]
        );
    }

    #[test]
    fn a_night_that_two_sources_saw_end_around_midnight_is_one() {
        let mut nights = NightLog::default();
        // 20:00 to 23:50, and 20:00 to 00:10.
        take(&mut nights, ("a", true, 120, 350));
        take(&mut nights, ("b", false, 120, 370));
        assert_eq!(
            nights.told(Tz::UTC, false, |_| false),
            vec![(day(5), (230.0, at(350)))]
        );
    }

    #[test]
    fn a_year_of_stages_keeps_a_small_state() {
        let mut nights = NightLog::default();
        for night in 0..365 {
            for stage in 0..40 {
                let from = night * 1440 + 300 + stage * 10;
                take(&mut nights, ("w", true, from, from + 9));
            }
        }
        assert_eq!(nights.told(Tz::UTC, true, |_| false).len(), 365);
        assert_eq!(nights.days.len(), DAYS_MAX);
        assert!(serde_json::to_string(&nights).unwrap().len() < 32 << 10);
    }

    proptest! {
        #[test]
        fn the_order_of_coming_and_where_slices_end_change_no_night(
            lengths in proptest::collection::vec(200..540_i64, 1..30),
            order in any::<proptest::sample::Index>(),
            cut in 1..40_usize,
        ) {
            let mut stretches: Vec<_> = (0..).zip(&lengths)
                .map(|(night, length)| ("w", true, night * 1440 + 300, night * 1440 + 300 + length))
                .collect();
            let mut whole = NightLog::default();
            for stretch in &stretches {
                take(&mut whole, *stretch);
            }
            let expected = whole.told(Tz::UTC, false, |_| false);
            stretches.rotate_left(order.index(lengths.len()));
            let (mut sliced, mut told) = (NightLog::default(), BTreeMap::new());
            for slice in stretches.chunks(cut) {
                for stretch in slice {
                    take(&mut sliced, *stretch);
                }
                told.extend(sliced.told(Tz::UTC, true, |_| false));
            }
            prop_assert_eq!(told.into_iter().collect::<Vec<_>>(), expected);
        }
    }
}
