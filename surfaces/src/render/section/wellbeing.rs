//! Body: the load score with what drives it, and what was measured.
//!
//! What: [`blocks`]. Why: a score without its parts is a verdict. Not here: the score (`agents::wellness`).

use super::{SectionBlock, SectionItem, measured, newest};
use crate::{
    backend::owner::OwnerStatus,
    backend::{KeptBody, KeptBodyDay},
    format, words,
};
use chrono_tz::Tz;
use toolcall_schema::{
    catalogue::wellness::LoadScored,
    tick::{ReadingKey, SignalReading},
    trace::Trace,
};

/// The score now, its drivers, and the newest measurements: of today's decisions, which stand newest first, else as memory keeps
/// them.
pub fn blocks(
    traces: &[Trace],
    kept: &KeptBody,
    standing: &OwnerStatus,
    load: Option<&LoadScored>,
) -> Vec<SectionBlock> {
    let zone = format::zone(&standing.settings.zone);
    let score = load.map(|load| load.load_score).or(standing.load_score);
    let mut says = vec![words::state_now(standing.state)];
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
            ..SectionItem::new(
                words::feature(driver.feature),
                words::points(&format::number(driver.points.to_f64().round())),
            )
        })
        .collect();
    let known: Vec<SectionItem> = [
        ReadingKey::RmssdMs,
        ReadingKey::SleepMin,
        ReadingKey::SleepDebtMin,
    ]
    .into_iter()
    .filter_map(|key| {
        newest(traces, key)
            .map(|found| measured(found, zone))
            .or_else(|| remembered(kept, key, zone))
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
                Some(_) if drivers.is_empty() => vec![words::NO_DRIVER.say().to_owned()],
                Some(_) => Vec::new(),
            },
            items: drivers,
        },
        SectionBlock {
            id: "measured",
            title: words::MEASURED.say(),
            says: if known.is_empty() {
                vec![words::NOTHING_MEASURED.say().to_owned()]
            } else {
                Vec::new()
            },
            items: known,
        },
    ]
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
fn remembered(kept: &KeptBody, key: ReadingKey, zone: Tz) -> Option<SectionItem> {
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
    let day = format::date(format::local_date(at, zone));
    let note = if key == ReadingKey::SleepMin {
        words::night_before(&day)
    } else {
        words::median_of(&day)
    };
    let reading = SignalReading::new(key, value);
    Some(SectionItem::new(words::reading(key), format::reading_value(&reading, value)).note(note))
}
