//! What is usual for the owner's body, and which signs of the newest day are not.
//!
//! What: [`BodyBaselines`], [`daily_loads`] and [`out_of_range`], pure functions over what memory keeps. Why: a number means something beside one's own. Not here:
//! pictures (`picture::lines`), the load score (Wellness).

use chrono::NaiveDate;
use chrono_tz::Tz;
use std::collections::BTreeMap;
use surfaces_base::{backend::KeptBody, format, words};
use toolcall_schema::Timestamp;

/// Days of which the baseline is.
const BASELINE_DAYS: u64 = 90;
/// Days that are needed for one.
const LEAST_DAYS: usize = 14;
/// What makes a median distance as wide as a standard deviation where values are spread normally (Leys et al., J. Exp. Soc. Psychol. 49, 2013, 764).
const SCALE: f64 = 1.4826;
/// Signs that are spoken of: one alone is chance.
const SIGNS_MIN: usize = 2;

/// A sign that is outside of what is usual.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodySign {
    LowVariability,
    HighVariability,
    LowRestingRate,
    HighRestingRate,
    ShortSleep,
    LongSleep,
    HighLoad,
    LowLoad,
}

impl BodySign {
    fn name(self) -> &'static str {
        match self {
            Self::LowVariability => words::LOW_VARIABILITY.say(),
            Self::HighVariability => words::HIGH_VARIABILITY.say(),
            Self::LowRestingRate => words::LOW_RESTING_RATE.say(),
            Self::HighRestingRate => words::HIGH_RESTING_RATE.say(),
            Self::ShortSleep => words::SHORT_SLEEP.say(),
            Self::LongSleep => words::LONG_SLEEP.say(),
            Self::HighLoad => words::HIGH_LOAD.say(),
            Self::LowLoad => words::LOW_LOAD.say(),
        }
    }
}

/// What is said of the signs of a day.
pub(crate) fn signs_say(day: NaiveDate, signs: &[BodySign]) -> String {
    let names: Vec<&str> = signs.iter().map(|sign| sign.name()).collect();
    words::out_of_range(&format::date(day), &names)
}

/// What is usual: `median ± 1.4826 MAD`, never below 0, with the MAD the median distance from the median. `None` with fewer than 14 values.
fn baseline(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let mut values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    if values.len() < LEAST_DAYS {
        return None;
    }
    let middle = median(&mut values)?;
    let mut distances: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    let off = SCALE * median(&mut distances)?;
    Some(((middle - off).max(0.0), middle + off))
}

/// The median load score of each local day, at its newest instant, oldest first. `loads`: oldest first.
pub(crate) fn daily_loads(loads: &[(Timestamp, u8)], zone: Tz) -> Vec<(Timestamp, f64)> {
    let mut by_day: BTreeMap<NaiveDate, (Timestamp, Vec<f64>)> = BTreeMap::new();
    for (at, load) in loads {
        let (newest, of_day) = by_day
            .entry(format::local_date(*at, zone))
            .or_insert((*at, Vec::new()));
        *newest = (*newest).max(*at);
        of_day.push(f64::from(*load));
    }
    by_day
        .into_values()
        .filter_map(|(at, mut of_day)| Some((at, median(&mut of_day)?)))
        .collect()
}

/// From when on days are read where so many are shown: what is usual is of the longest time, whatever is looked at.
pub(crate) fn baseline_start(now: Timestamp, shown_days: u64) -> Timestamp {
    let days = i64::try_from(shown_days.max(BASELINE_DAYS)).unwrap_or(i64::MAX);
    now.plus_min(days.saturating_mul(-24 * 60))
}

/// What is usual for heart-rate variability, the rate at rest, sleep and load, of the days that the owner did not mark.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct BodyBaselines {
    pub rmssd_ms: Option<(f64, f64)>,
    pub resting_bpm: Option<(f64, f64)>,
    pub sleep_min: Option<(f64, f64)>,
    pub load: Option<(f64, f64)>,
}

impl BodyBaselines {
    /// Of all days that are given.
    pub(crate) fn new(kept: &KeptBody, loads: &[(Timestamp, f64)], zone: Tz) -> Self {
        let is_usual = |at: Timestamp| !kept.tags.contains_key(&format::local_date(at, zone));
        let days = || kept.days.iter().filter(|day| is_usual(day.at));
        let loads = loads.iter().filter(|(at, _)| is_usual(*at));
        Self {
            rmssd_ms: baseline(days().filter_map(|day| day.rmssd_ms)),
            resting_bpm: baseline(days().filter_map(|day| day.resting_bpm)),
            sleep_min: baseline(days().filter_map(|day| day.sleep_min)),
            load: baseline(loads.map(|(_, load)| *load)),
        }
    }
}

/// The newest day of which something is known, with its signs outside of what is usual; `None` when there are fewer than two, or the owner marked it.
pub(crate) fn out_of_range(kept: &KeptBody, zone: Tz) -> Option<(NaiveDate, Vec<BodySign>)> {
    let loads = daily_loads(&kept.loads, zone);
    let day_of = |at: Timestamp| format::local_date(at, zone);
    let newest = kept.days.last().map(|day| day_of(day.at));
    let newest = newest.max(loads.last().map(|(at, _)| day_of(*at)))?;
    if kept.tags.contains_key(&newest) {
        return None;
    }
    let usual = BodyBaselines::new(kept, &loads, zone);
    let of_day = kept.days.iter().rfind(|day| day_of(day.at) == newest);
    let load = loads.iter().rfind(|(at, _)| day_of(*at) == newest);
    let sign = |value: Option<f64>, usual: Option<(f64, f64)>, below: BodySign, above: BodySign| {
        let (value, (low, high)) = value.zip(usual)?;
        if value < low {
            Some(below)
        } else {
            (value > high).then_some(above)
        }
    };
    let signs: Vec<BodySign> = [
        sign(
            of_day.and_then(|day| day.rmssd_ms),
            usual.rmssd_ms,
            BodySign::LowVariability,
            BodySign::HighVariability,
        ),
        sign(
            of_day.and_then(|day| day.resting_bpm),
            usual.resting_bpm,
            BodySign::LowRestingRate,
            BodySign::HighRestingRate,
        ),
        sign(
            of_day.and_then(|day| day.sleep_min),
            usual.sleep_min,
            BodySign::ShortSleep,
            BodySign::LongSleep,
        ),
        sign(
            load.map(|(_, load)| *load),
            usual.load,
            BodySign::LowLoad,
            BodySign::HighLoad,
        ),
    ]
    .into_iter()
    .flatten()
    .collect();
    (signs.len() >= SIGNS_MIN).then_some((newest, signs))
}

/// The middle one, or of an even number the mean of both; sorts them.
fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    if !values.len().is_multiple_of(2) {
        return Some(upper);
    }
    let lower = *values.get(values.len() / 2 - 1)?;
    Some(f64::midpoint(lower, upper))
}

#[cfg(test)]
mod tests {
    use super::*;
    use surfaces_base::backend::KeptBodyDay;

    #[test]
    fn what_is_usual_is_the_middle_and_the_scaled_median_distance() {
        // 1 to 15: the middle is 8, the distances are 0, 1, 1, … 7, 7; of these fifteen the eighth is 4.
        let usual = baseline((1..=15).map(f64::from)).unwrap();
        assert!((usual.0 - (8.0 - 5.9304)).abs() < 1e-9, "{usual:?}");
        assert!((usual.1 - (8.0 + 5.9304)).abs() < 1e-9, "{usual:?}");
        // One night of 30 hours moves it little, and thirteen days are too few.
        let outlier = baseline((1..=14).map(f64::from).chain([1800.0])).unwrap();
        assert_eq!(outlier, usual);
        assert_eq!(baseline((1..=13).map(f64::from)), None);
        assert_eq!(baseline((1..=13).map(f64::from).chain([f64::NAN])), None);
    }

    #[test]
    fn two_signs_of_the_newest_day_are_spoken_of_and_one_is_not() {
        let first = Timestamp::parse("2026-10-01T06:00:00Z").unwrap();
        let day = |nth: i64, rmssd_ms: f64, sleep_min: f64| KeptBodyDay {
            at: first.plus_min(nth * 24 * 60),
            rmssd_ms: Some(rmssd_ms),
            resting_bpm: None,
            sleep_min: Some(sleep_min),
        };
        let usual = (0..15).map(|nth| day(nth, 40.0 + nth as f64, 420.0 + nth as f64));
        let with = |last: KeptBodyDay| {
            let kept = KeptBody {
                days: usual.clone().chain([last]).collect(),
                ..KeptBody::default()
            };
            out_of_range(&kept, Tz::UTC).map(|(day, signs)| (day.to_string(), signs))
        };
        assert_eq!(
            with(day(15, 20.0, 200.0)),
            Some((
                "2026-10-16".to_owned(),
                vec![BodySign::LowVariability, BodySign::ShortSleep]
            ))
        );
        let ill = KeptBody {
            days: usual.clone().chain([day(15, 20.0, 200.0)]).collect(),
            tags: [("2026-10-16".parse().unwrap(), "ill".to_owned())].into(),
            ..KeptBody::default()
        };
        assert_eq!(out_of_range(&ill, Tz::UTC), None);
        // 40 to 54 without the day that was marked: the middle is 47, the median distance 4.
        let own = BodyBaselines::new(&ill, &[], Tz::UTC).rmssd_ms.unwrap();
        assert!((own.0 - (47.0 - 5.9304)).abs() < 1e-9, "{own:?}");
        assert_eq!(with(day(15, 20.0, 427.0)), None);
        // 50 to 64 beats: the middle is 57, the median distance 4, so 70 is a second sign.
        let mut beating: Vec<KeptBodyDay> = usual.clone().collect();
        for (bpm, day) in (50..).zip(&mut beating) {
            day.resting_bpm = Some(f64::from(bpm));
        }
        beating.push(KeptBodyDay {
            resting_bpm: Some(70.0),
            ..day(15, 20.0, 427.0)
        });
        let kept = KeptBody {
            days: beating,
            ..KeptBody::default()
        };
        let signs = out_of_range(&kept, Tz::UTC).map(|(_, signs)| signs);
        assert_eq!(
            signs,
            Some(vec![BodySign::LowVariability, BodySign::HighRestingRate])
        );
        assert_eq!(with(day(15, 47.0, 427.0)), None);
        assert_eq!(out_of_range(&KeptBody::default(), Tz::UTC), None);
    }

    #[test]
    fn the_load_of_a_day_is_the_middle_of_its_scores_by_the_owners_clock() {
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let zone: Tz = "Asia/Kolkata".parse().unwrap();
        let loads = [
            (at("2026-11-01T10:00:00Z"), 30),
            (at("2026-11-01T18:00:00Z"), 50),
            // Half past midnight of the 2nd in Kolkata.
            (at("2026-11-01T19:00:00Z"), 80),
        ];
        assert_eq!(
            daily_loads(&loads, zone),
            [
                (at("2026-11-01T18:00:00Z"), 40.0),
                (at("2026-11-01T19:00:00Z"), 80.0)
            ]
        );
    }
}
