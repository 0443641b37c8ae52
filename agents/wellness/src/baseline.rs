//! What is usual for the owner's heart, learned from the owner's own history.
//!
//! What: [`HourlyMeasurements`], one value an hour of the 90 days before the newest: RMSSD, and the rate at rest. Of RMSSD the median and 10th percentile of the last 60 days. Why: 30 ms is
//! calm for one heart and stress for another; memory is told of the medians of days. Not here: what follows from being below it (`model`).

use super::novelty::KEPT_MS;
use agents_base::zone;
use chrono::{Datelike as _, NaiveDate};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::{Timestamp, forget::ErasureScope};

const HOUR_MS: i64 = 3_600_000;
/// How far back values count for what is usual, in hours before the newest.
const WINDOW_H: i64 = 60 * 24;
/// How far back values are kept: what is at most [`KEPT_MS`] old now is in these hours.
const KEPT_H: i64 = KEPT_MS / HOUR_MS + 1;
/// Days from the begin of the common era to 1970.
const FIRST_DAY: i32 = 719_163;
/// Days with a value from which on the owner's own history counts, and from which on nothing else does.
const FIRST_DAYS: usize = 14;
const WHOLE_DAYS: f64 = 28.0;

/// The first value of each hour, of one instant the least. By the instants of measuring alone: in which order they come, and how often, is the same.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct HourlyMeasurements(
    /// By hours since 1970: the millisecond in it, and the value in tenths, of a millisecond or of a beat a minute.
    BTreeMap<i64, (u32, u16)>,
);

impl HourlyMeasurements {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes a plausible value in; whether it changes anything.
    pub(super) fn take(&mut self, value: f64, at: Timestamp) -> bool {
        let hour = at.ms().div_euclid(HOUR_MS);
        let newest = self.0.last_key_value().map_or(hour, |(newest, _)| *newest);
        if hour <= newest - KEPT_H {
            return false;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "saturates; a plausible value is at most 250"
        )]
        let value = (value * 10.0).round() as u16;
        let measured = (u32::try_from(at.ms().rem_euclid(HOUR_MS)).unwrap_or(0), value);
        if self.0.get(&hour).is_some_and(|known| *known <= measured) {
            return false;
        }
        self.0.insert(hour, measured);
        self.0 = self.0.split_off(&(newest.max(hour) - KEPT_H + 1));
        true
    }

    /// The values that count for what is usual, by their hours.
    fn window(&self) -> impl Iterator<Item = (&i64, u16)> {
        let newest = self.0.last_key_value().map_or(0, |(newest, _)| *newest);
        let window = self.0.range(newest - WINDOW_H + 1..);
        window.map(|(hour, (_, value))| (hour, *value))
    }

    /// Median and 10th percentile in milliseconds, each day with the same weight: `w` of the own ones and `1 - w` of those
    /// at the start, `w = min(1, days / 28)` from 14 days on, before that 0. A percentile is the least value that so many are not above.
    pub(super) fn usual(&self, start: (f64, f64), zone: Tz) -> (f64, f64) {
        let mut days = BTreeMap::<_, u32>::new();
        let day = |hour: &i64| zone::local_date(Timestamp::from_ms(hour * HOUR_MS), zone);
        for (hour, _) in self.window() {
            *days.entry(day(hour)).or_default() += 1;
        }
        let mut values: Vec<(u16, f64)> = self
            .window()
            .map(|(hour, value)| (value, days.get(&day(hour)).map_or(0.0, |n| 1.0 / f64::from(*n))))
            .collect();
        values.sort_by_key(|(value, _)| *value);
        let all = days.len() as f64;
        let percentile = |share: f64| {
            let mut below = 0.0;
            let found = values.iter().find(|(_, weight)| {
                below += weight;
                // The weights of a day add up to 1 but for the last binary digits.
                below >= share * all - 1e-9
            });
            found.map_or(0.0, |(value, _)| f64::from(*value) / 10.0)
        };
        let w = if days.len() < FIRST_DAYS {
            0.0
        } else {
            (all / WHOLE_DAYS).min(1.0)
        };
        let mix = |own: f64, start: f64| w * own + (1.0 - w) * start;
        (mix(percentile(0.5), start.0), mix(percentile(0.1), start.1))
    }

    /// Whether there are days enough.
    pub(super) fn counts(&self, zone: Tz) -> bool {
        self.days(zone).len() >= FIRST_DAYS
    }

    /// Local days with a value that counts for what is usual.
    pub(super) fn days(&self, zone: Tz) -> BTreeSet<NaiveDate> {
        let day = |hour: &i64| zone::local_date(Timestamp::from_ms(hour * HOUR_MS), zone);
        self.window().map(|(hour, _)| day(hour)).collect()
    }

    /// The median of a local day's values, and when the last was measured. A median is the least value that
    /// half of them are not above.
    pub(super) fn of_day(&self, day: NaiveDate, zone: Tz) -> Option<(f64, Timestamp)> {
        let measured = |(hour, (ms, value)): (&i64, &(u32, u16))| {
            let at = Timestamp::from_ms(hour * HOUR_MS + i64::from(*ms));
            (zone::local_date(at, zone) == day).then_some((*value, at))
        };
        // Every zone's day lies within 15 hours before and 13 after the day in UTC.
        let first = i64::from(day.num_days_from_ce() - FIRST_DAY) * 24;
        let near = self.0.range(first - 15..first + 24 + 13);
        let mut values: Vec<(u16, Timestamp)> = near.filter_map(measured).collect();
        let last = values.last()?.1;
        values.sort_unstable();
        let (median, _) = values.get((values.len() - 1) / 2)?;
        Some((f64::from(*median) / 10.0, last))
    }

    /// When the newest value was measured.
    pub(super) fn newest(&self) -> Option<Timestamp> {
        let (hour, (ms, _)) = self.0.last_key_value()?;
        Some(Timestamp::from_ms(hour * HOUR_MS + i64::from(*ms)))
    }

    /// Removes what the owner wants forgotten.
    pub(super) fn forget(&mut self, what: &ErasureScope) {
        self.0
            .retain(|hour, (ms, _)| !what.covers_time(Timestamp::from_ms(hour * HOUR_MS + i64::from(*ms))));
    }

    /// The same within its limits (of a state that was tampered with).
    pub(super) fn bounded(mut self) -> Self {
        let whole = i64::MAX / HOUR_MS;
        self.0.retain(|hour, (ms, value)| {
            (0..whole).contains(hour) && i64::from(*ms) < HOUR_MS && (30..=2500).contains(value)
        });
        let newest = self.0.last_key_value().map_or(0, |(newest, _)| *newest);
        self.0 = self.0.split_off(&(newest - KEPT_H + 1));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const START: (f64, f64) = (42.0, 24.0);

    /// Day `day` of 2026-11, hour and minute in UTC.
    fn at(day: i64, hour: i64, minute: i64) -> Timestamp {
        let first = Timestamp::parse("2026-11-01T00:00:00Z").unwrap();
        first.plus_min((day * 24 + hour) * 60 + minute)
    }

    fn of(values: &[(f64, Timestamp)]) -> HourlyMeasurements {
        let mut baseline = HourlyMeasurements::default();
        for (value, at) in values {
            baseline.take(*value, *at);
        }
        baseline
    }

    /// So many days from day 0 on, each with these values at hours from 1 on.
    fn days(n: i64, values: &[f64]) -> Vec<(f64, Timestamp)> {
        let hours = || (1..).zip(values);
        (0..n)
            .flat_map(|day| hours().map(move |(hour, value)| (*value, at(day, hour, 0))))
            .collect()
    }

    #[test]
    fn it_comes_from_the_start_to_the_owners_own_in_28_days() {
        let ten: Vec<f64> = (1..=10).map(|i| f64::from(i) * 10.0).collect();
        for (name, values, expected) in [
            ("nothing", vec![], START),
            // Median and 10th percentile of 10, 20, …, 100: the 5th and the 1st.
            ("28 days", days(28, &ten), (50.0, 10.0)),
            ("60 days", days(60, &ten), (50.0, 10.0)),
            ("13 days", days(13, &ten), START),
            // Three quarters of 50 and one of 42; three of 10 and one of 24.
            ("21 days", days(21, &ten), (48.0, 13.5)),
            // One value of 14 days, half: (60 + 42) / 2, (60 + 24) / 2.
            ("14 even days", days(14, &[60.0]), (51.0, 42.0)),
            // 28 days of 40 and one of 24 times 250: the days have the same weight, so 40 is the median still.
            (
                "a day of artefacts",
                [
                    days(28, &[40.0]),
                    (0..24).map(|hour| (250.0, at(28, hour, 0))).collect(),
                ]
                .concat(),
                (40.0, 40.0),
            ),
        ] {
            let (p50, p10) = of(&values).usual(START, Tz::UTC);
            assert!(
                (p50 - expected.0).abs() < 1e-9 && (p10 - expected.1).abs() < 1e-9,
                "{name}: {p50} {p10}"
            );
        }
    }

    #[test]
    fn the_first_of_an_hour_counts_for_60_days_and_is_kept_for_90() {
        let hour = of(&[(30.0, at(0, 5, 40)), (50.0, at(0, 5, 20)), (70.0, at(0, 5, 59))]);
        assert_eq!(hour, of(&[(50.0, at(0, 5, 20))]));
        // 14 days of 60 count until the hour 60 days later: half of them, half of the start.
        let mut old = of(&days(14, &[60.0]));
        assert!(old.take(60.0, at(60, 0, 0)));
        assert_eq!(old.days(Tz::UTC).len(), 15);
        assert!(old.take(60.0, at(60, 1, 0)));
        let first = NaiveDate::from_ymd_opt(2026, 11, 1).unwrap();
        assert_eq!(
            (old.days(Tz::UTC).len(), old.days(Tz::UTC).contains(&first)),
            (14, false)
        );
        assert_eq!(old.of_day(first, Tz::UTC), Some((60.0, at(0, 1, 0))));
        let mut old = of(&[(30.0, at(0, 0, 0)), (50.0, at(0, 1, 0))]);
        assert!(old.take(50.0, at(90, 1, 30)));
        assert_eq!(old, of(&[(50.0, at(0, 1, 0)), (50.0, at(90, 1, 30))]));
        assert!(!old.take(30.0, at(0, 0, 0)));
    }

    #[test]
    fn days_are_the_owners() {
        // 18:00 and 19:00 UTC of one day are 23:30 and 00:30 in Kolkata.
        let evening = of(&[(40.0, at(0, 18, 0)), (40.0, at(0, 19, 0))]);
        assert_eq!(
            (evening.days(Tz::UTC).len(), evening.days(Tz::Asia__Kolkata).len()),
            (1, 2)
        );
    }

    proptest! {
        #[test]
        fn the_order_of_coming_and_coming_twice_change_nothing(
            values in proptest::collection::vec((3.0..250.0, 0..4000_i64), 0..60),
            cut in 0..60_usize,
        ) {
            let values: Vec<_> = values.into_iter().map(|(value, hour)| (value, at(0, hour, hour % 7))).collect();
            let cut = cut.min(values.len());
            let mut other: Vec<_> = values.iter().rev().copied().collect();
            other.extend_from_slice(&values[..cut]);
            let (one, two) = (of(&values), of(&other));
            prop_assert_eq!(&one, &two);
            let (p50, p10) = one.usual(START, Tz::UTC);
            prop_assert!(p10 <= p50 && p10.is_finite() && p50.is_finite());
        }
    }
}
