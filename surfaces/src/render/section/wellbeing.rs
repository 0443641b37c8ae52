//! Body: the load score with what drives it, and what was measured.
//!
//! What: [`blocks`]. Why: a score without its parts is a verdict. Not here: the score (`agents::wellness`).

use super::{SectionBlock, SectionItem, measured, newest};
use chrono::NaiveDate;
use chrono_tz::Tz;
use surfaces_base::{
    backend::owner::OwnerStatus,
    backend::{KeptBody, KeptBodyDay},
    format, words,
};
use toolcall_schema::{
    WellnessState,
    catalogue::wellness::{LOAD_BASE, LoadScored},
    tick::{ReadingKey, SignalReading},
    trace::Trace,
};

/// The score now, its drivers, and the newest measurements: of today's decisions, which stand newest first, else as memory keeps
/// them.
pub(crate) fn blocks(
    traces: &[Trace],
    kept: &KeptBody,
    standing: &OwnerStatus,
    load: Option<&LoadScored>,
    has_signs: bool,
) -> Vec<SectionBlock> {
    let zone = format::zone(&standing.settings.zone);
    let score = load.map(|load| load.load_score).or(standing.load_score);
    let mut says = vec![says_state(standing.state, standing.load_score, score, has_signs)];
    says.extend(
        standing
            .recovering_until
            .filter(|until| *until > standing.at)
            .map(|until| words::recovering_until(&format::clock(until, zone))),
    );
    let drivers: Vec<SectionItem> = load
        .iter()
        .flat_map(|load| &load.drivers)
        .map(|driver| SectionItem {
            bar: Some((driver.share.to_f64(), 1.0)),
            ..SectionItem::new(words::feature(driver.feature), points(driver.points.to_f64()))
        })
        .collect();
    let no_driver = drivers.is_empty();
    let parts = load.map(|load| parts_of(load, drivers)).unwrap_or_default();
    let today = format::local_date(standing.at, zone);
    let keys = [
        ReadingKey::RmssdMs,
        ReadingKey::SleepMin,
        ReadingKey::SleepDebtMin,
    ];
    let is_of_today = keys.iter().any(|key| newest(traces, *key).is_some())
        || kept
            .days
            .last()
            .is_some_and(|day| format::local_date(day.at, zone) == today);
    let known: Vec<SectionItem> = keys
        .into_iter()
        .filter_map(|key| {
            newest(traces, key)
                .map(|found| measured(found, zone))
                .or_else(|| remembered(kept, key, (today, zone)))
        })
        .chain(resting(kept, zone))
        .collect();
    vec![
        SectionBlock {
            id: "score",
            title: words::LOAD_NOW.say(),
            says,
            items: score
                .map(|score| SectionItem {
                    bar: Some((f64::from(score), 100.0)),
                    ..SectionItem::new(words::reading(ReadingKey::LoadScore), score.to_string())
                        .note(words::LOAD_RANGE.say())
                })
                .into_iter()
                .collect(),
        },
        SectionBlock {
            id: "drivers",
            title: words::WHAT_DRIVES_IT.say(),
            says: match load {
                None => vec![words::DRIVERS_NOT_SAID.say().to_owned()],
                Some(_) if no_driver => vec![words::NO_DRIVER.say().to_owned()],
                Some(_) => Vec::new(),
            },
            items: parts,
        },
        SectionBlock {
            id: "measured",
            title: if is_of_today || known.is_empty() {
                words::MEASURED.say()
            } else {
                words::MEASURED_LAST.say()
            },
            says: if known.is_empty() {
                vec![words::NOTHING_MEASURED.say().to_owned()]
            } else {
                Vec::new()
            },
            items: known,
        },
    ]
}

fn points(points: f64) -> String {
    words::points(&format::number(points.round()))
}

/// The parts of a score, which add up to it as they are shown: where it starts, the drivers, and what is left.
fn parts_of(load: &LoadScored, drivers: Vec<SectionItem>) -> Vec<SectionItem> {
    let shown: f64 = load
        .drivers
        .iter()
        .map(|driver| driver.points.to_f64().round())
        .sum();
    let rest = f64::from(load.load_score) - LOAD_BASE - shown;
    let base = SectionItem::new(words::LOAD_BASE.say(), points(LOAD_BASE));
    let rest = (rest.abs() >= 1.0)
        .then(|| SectionItem::new(words::LOAD_REST.say(), points(rest)).note(words::LOAD_REST_SAYS.say()));
    std::iter::once(base).chain(drivers).chain(rest).collect()
}

/// From this score on the owner counts as stressed,
const STRESSED_FROM: u8 = 70;
/// until it is below this one (`docs/agents/wellness.md`).
const STRESSED_UNTIL: u8 = 65;

/// The owner's state. It is of the last score; where the score by now speaks against it, which only time brings, both are said. With
/// `has_signs`, single measurements of today are outside of their range, so that nothing is called usual.
fn says_state(state: WellnessState, scored: Option<u8>, by_now: Option<u8>, has_signs: bool) -> String {
    match (state, scored, by_now) {
        (WellnessState::Stressed, Some(scored), Some(now)) if now < STRESSED_UNTIL => {
            words::was_stressed(scored, now)
        }
        (WellnessState::Baseline, Some(scored), Some(now)) if now >= STRESSED_FROM => {
            words::was_as_usual(scored, now)
        }
        (WellnessState::Baseline, _, _) if has_signs => words::NOT_RAISED.say().to_owned(),
        _ => words::state_now(state),
    }
}

/// The newest heart rate at rest, where one is known.
fn resting(kept: &KeptBody, zone: Tz) -> Option<SectionItem> {
    let (at, bpm) = kept
        .days
        .iter()
        .rev()
        .find_map(|day| Some((day.at, day.resting_bpm?)))?;
    let shown = words::beats(&format::number(bpm.round()));
    let day = format::date(format::local_date(at, zone));
    Some(SectionItem::new(words::RESTING_HEART_RATE.say(), shown).note(day))
}

/// The newest value that memory keeps of a day, as a row.
fn remembered(kept: &KeptBody, key: ReadingKey, (today, zone): (NaiveDate, Tz)) -> Option<SectionItem> {
    let of_day = |day: &KeptBodyDay| {
        let value = if key == ReadingKey::RmssdMs {
            day.rmssd_ms
        } else if key == ReadingKey::SleepMin {
            day.sleep_min
        } else {
            None
        };
        value.map(|value| (day.at, value))
    };
    let (at, value) = kept.days.iter().rev().find_map(of_day)?;
    let date = format::local_date(at, zone);
    let day = format::date(date);
    let note = if key == ReadingKey::SleepMin {
        words::night_before(&day)
    } else {
        words::median_of(&day)
    };
    let reading = SignalReading::new(key, value);
    let name = if key == ReadingKey::SleepMin && date != today {
        words::SLEPT.say()
    } else {
        words::reading(key)
    };
    Some(SectionItem::new(name, format::reading_value(&reading, value)).note(note))
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolcall_schema::{
        catalogue::wellness::{FeatureName, LoadDriver},
        milli::Milli,
    };

    #[test]
    fn the_parts_of_a_score_add_up_to_it_as_they_are_shown() {
        let driver = |feature, points: f64| LoadDriver {
            feature,
            points: Milli::from_f64(points).unwrap(),
            share: Milli::from_f64(0.5).unwrap(),
        };
        // 38 + 12 + 8.4 = 58.4, and 3.5 that are not named.
        for (load_score, rest) in [(62, Some("4 points")), (58, None), (50, Some("−8 points"))] {
            let load = LoadScored {
                load_score,
                drivers: vec![
                    driver(FeatureName::RmssdMs, 12.0),
                    driver(FeatureName::AsleepMin, 8.4),
                ],
            };
            let parts = parts_of(&load, Vec::new());
            let values: Vec<&str> = parts.iter().map(|part| part.value.as_str()).collect();
            let expected: Vec<&str> = std::iter::once("38 points").chain(rest).collect();
            assert_eq!(values, expected, "{load_score}");
        }
    }

    #[test]
    fn state_and_the_score_beside_it_do_not_contradict_each_other() {
        let stressed = "You look stressed.";
        let was = "You looked stressed at the last measurement (78 of 100). By now it is 53.";
        let was_usual = "You looked as usual at the last measurement (60 of 100). By now it is 71.";
        for (state, scored, by_now, says) in [
            (WellnessState::Stressed, Some(78), Some(78), stressed),
            // Stress ends below 65.
            (WellnessState::Stressed, Some(78), Some(65), stressed),
            (WellnessState::Stressed, Some(78), Some(53), was),
            (WellnessState::Stressed, Some(78), None, stressed),
            (WellnessState::Baseline, Some(60), Some(69), "You look as usual."),
            (WellnessState::Baseline, Some(60), Some(71), was_usual),
            (
                WellnessState::Recovering,
                Some(40),
                Some(71),
                "You are recovering.",
            ),
        ] {
            assert_eq!(
                says_state(state, scored, by_now, false),
                says,
                "{state:?} {by_now:?}"
            );
        }
        let not_raised = "Your load is not raised, but some of its signs are out of their range.";
        for (state, scored, by_now, says) in [
            (WellnessState::Baseline, Some(50), Some(50), not_raised),
            (WellnessState::Baseline, Some(60), Some(71), was_usual),
            (WellnessState::Stressed, Some(78), Some(78), stressed),
        ] {
            assert_eq!(
                says_state(state, scored, by_now, true),
                says,
                "{state:?} {by_now:?}"
            );
        }
    }
}
