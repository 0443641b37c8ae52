//! What is measured over a week: the load score, and RMSSD with its usual range.
//!
//! What: [`load`] and [`rmssd`]. Why: a number says how it is, a line says where it goes. Not here: scores (`agents`).

use super::{
    DayRange, PictureShape, PictureView, ShapeRole, ValueScale, date, day_labels, grid, readings, sheet,
};
use crate::{backend::WeekView, format, words};
use chrono_tz::Tz;
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::{
    Timestamp,
    tick::{ReadingKey, SignalReading},
    trace::Trace,
};

/// The height of the sheet.
const HEIGHT: f64 = 200.0;
/// A pause that is longer is a gap in the line: nobody measured. Milliseconds.
const GAP_MS: i64 = 3 * 3_600_000;
/// From here on the owner counts as stressed (`docs/agents/wellness.md`).
const STRESSED: f64 = 70.0;

/// The load score of the days, 0 to 100.
pub(super) fn load(traces: &[Trace], days: DayRange, zone: Tz) -> PictureView {
    let measured = values(&readings(traces, ReadingKey::LoadScore, days));
    let scale = ValueScale {
        low: 0.0,
        high: 100.0,
        height: HEIGHT,
    };
    let mut shapes = Vec::new();
    for value in [0.0, 50.0, 100.0] {
        shapes.extend(grid(scale, value, format::number(value)));
    }
    let at = scale.y(STRESSED);
    shapes.push(PictureShape::Line(
        ShapeRole::Mark,
        vec![(super::LEFT, at), (super::RIGHT, at)],
    ));
    let says = description(&measured, "load score", |highest| {
        let above = measured.iter().filter(|(_, value)| *value >= STRESSED).count();
        let above = u32::try_from(above).unwrap_or(u32::MAX);
        format!(
            "Its highest was {}, and {} at 70 or above, where stress begins.",
            format::number(highest),
            format::count(above, "measurement was", "measurements were")
        )
    });
    finished("load", "Load score", says, &measured, (scale, days, zone), shapes)
}

/// RMSSD of the days in milliseconds, with what is usual for the owner: what decisions saw, and of days without one the median
/// that memory keeps.
pub(super) fn rmssd(view: &WeekView, days: DayRange, zone: Tz) -> PictureView {
    let seen = readings(&view.traces, ReadingKey::RmssdMs, days);
    let usual = seen.last().and_then(|(_, one)| one.low.zip(one.high));
    let mut measured = values(&seen);
    let seen_days: BTreeSet<_> = seen.iter().map(|(at, _)| date(*at, zone)).collect();
    measured.extend(view.body.days.iter().filter_map(|day| {
        let inside = day.at >= days.from && day.at < days.to;
        (inside && !seen_days.contains(&date(day.at, zone))).then_some((day.at, day.rmssd_ms?))
    }));
    measured.sort_by_key(|(at, _)| *at);
    let (scale, mut shapes) = sheet(measured.iter().map(|(_, value)| *value), usual, HEIGHT);
    for share in [0.0, 0.5, 1.0] {
        let value = scale.high * share;
        shapes.extend(grid(scale, value, format::number(value)));
    }
    let mut says = description(&measured, "heart-rate variability (RMSSD)", |_| {
        let Some((low, high)) = usual else {
            return "What is usual for you is not known yet.".to_owned();
        };
        let below = measured.iter().filter(|(_, value)| *value < low).count();
        let below = u32::try_from(below).unwrap_or(u32::MAX);
        format!(
            "Usual for you is {} to {} ms; {} below.",
            format::number(low),
            format::number(high),
            format::count(below, "measurement was", "measurements were")
        )
    });
    if let Some(newest) = view.body.newest.filter(|_| measured.is_empty()) {
        let kept = words::body_days_kept(view.body.all, &format::date(date(newest, zone)));
        says = format!("{says} {kept}");
    }
    finished(
        "rmssd",
        "Heart-rate variability",
        says,
        &measured,
        (scale, days, zone),
        shapes,
    )
}

/// The numbers of readings.
fn values(readings: &[(Timestamp, &SignalReading)]) -> Vec<(Timestamp, f64)> {
    readings.iter().map(|(at, one)| (*at, one.value)).collect()
}

/// How much there is to see, and then what stands out in it, given the highest value.
fn description(measured: &[(Timestamp, f64)], what: &str, more: impl Fn(f64) -> String) -> String {
    let highest = measured.iter().map(|(_, value)| *value).reduce(f64::max);
    match highest {
        None => format!("No {what} was measured in these seven days."),
        Some(highest) => {
            let n = u32::try_from(measured.len()).unwrap_or(u32::MAX);
            let times = format::count(n, "measurement", "measurements");
            format!("Your {what}, {times} in seven days. {}", more(highest))
        }
    }
}

fn finished(
    name: &'static str,
    title: &'static str,
    says: String,
    measured: &[(Timestamp, f64)],
    (scale, days, zone): (ValueScale, DayRange, Tz),
    mut shapes: Vec<PictureShape>,
) -> PictureView {
    shapes.extend(lines(measured, scale, days));
    shapes.extend(day_labels(days, zone, HEIGHT));
    let rows = days
        .each()
        .map(|day| {
            let of_day: Vec<f64> = measured
                .iter()
                .filter(|(at, _)| date(*at, zone) == day)
                .map(|(_, value)| *value)
                .collect();
            let shown = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), format::number);
            vec![
                format::date(day),
                shown(of_day.iter().copied().reduce(f64::min)),
                shown(of_day.iter().copied().reduce(f64::max)),
                shown(of_day.last().copied()),
                of_day.len().to_string(),
            ]
        })
        .collect();
    PictureView {
        name,
        title,
        says,
        height: HEIGHT,
        shapes,
        head: vec!["Day", "Lowest", "Highest", "Last", "Measured"],
        rows,
        events: BTreeMap::new(),
    }
}

/// A line for each stretch without a gap; a measurement alone is a dot.
fn lines(measured: &[(Timestamp, f64)], scale: ValueScale, days: DayRange) -> Vec<PictureShape> {
    measured
        .chunk_by(|(before, _), (after, _)| after.since(*before) <= GAP_MS)
        .map(|stretch| {
            let points: Vec<(f64, f64)> = stretch
                .iter()
                .map(|(at, value)| (days.x(*at), scale.y(*value)))
                .collect();
            match points.as_slice() {
                [alone] => PictureShape::Dot(ShapeRole::Value, *alone),
                _ => PictureShape::Line(ShapeRole::Value, points),
            }
        })
        .collect()
}
