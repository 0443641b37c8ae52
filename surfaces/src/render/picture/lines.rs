//! What is measured over a week: the load score, and RMSSD with its usual range.
//!
//! What: [`load`] and [`rmssd`]. Why: a number says how it is, a line says where it goes. Not here: scores (`agents`).

use super::{
    DayRange, PictureShape, PictureView, ShapeRole, ValueScale, date, day_labels, day_reading, grid,
    midnight, readings, sheet, sheet_of_tens, unit,
};
use crate::render::baseline::{self, BodyBaselines};
use chrono::NaiveDate;
use chrono_tz::Tz;
use std::collections::{BTreeMap, BTreeSet};
use surfaces_base::language::{say, text};
use surfaces_base::{
    backend::{KeptBody, KeptBodyDay, WeekView},
    format, words,
};
use toolcall_schema::{
    Timestamp,
    tick::{ReadingKey, SignalReading},
    trace::Trace,
};

/// The height of the sheet.
const HEIGHT: f64 = 200.0;
/// A pause that is longer is a gap in the line: nobody measured. Milliseconds.
const GAP_MS: i64 = 3 * 3_600_000;
/// The same of values a day: a day without one, whatever the hour of the others.
const DAILY_GAP_MS: i64 = 47 * 3_600_000;
/// From here on the owner counts as stressed (`docs/agents/wellness.md`).
const STRESSED: f64 = 70.0;

/// The load score of the days, 0 to 100.
pub(super) fn load(traces: &[Trace], days: DayRange, zone: Tz) -> PictureView {
    let measured = values(&readings(traces, ReadingKey::LoadScore, days));
    let scale = ValueScale {
        low: 0.0,
        high: 100.0,
        height: HEIGHT,
        top: super::TOP,
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
    let more = |highest| {
        let above = measured.iter().filter(|(_, value)| *value >= STRESSED).count();
        let above = u32::try_from(above).unwrap_or(u32::MAX);
        say!(
            "picture-lines-load-its-highest-was",
            number = format::number(highest),
            count = say!("picture-lines-count-measurements-were", count = above)
        )
    };
    // It is no measurement: each look at what is measured works it out.
    let highest = measured.iter().map(|(_, value)| *value).reduce(f64::max);
    let says = highest.map_or_else(
        || description(&measured, text("picture-lines-load-load-score"), more),
        |highest| {
            let count = measured.len();
            say!("picture-lines-load-in-seven", count, more = more(highest))
        },
    );
    shapes.extend(unit(words::OF_100.say()));
    finished(
        "load",
        text("picture-lines-load-load-score-2"),
        says,
        &measured,
        (scale, days, zone, GAP_MS),
        shapes,
    )
}

/// Milliseconds: a tenth is as exact as they were measured.
fn tenths(value: f64) -> String {
    format::number((value * 10.0).round() / 10.0)
}

/// RMSSD of the days in milliseconds, with what is usual for the owner: what decisions saw, and of days without one the median
/// that memory keeps.
pub(super) fn rmssd(view: &WeekView, kept: &KeptBody, days: DayRange, zone: Tz) -> PictureView {
    let seen = readings(&view.traces, ReadingKey::RmssdMs, days);
    let said = seen.last().and_then(|(_, one)| one.low.zip(one.high));
    let own = BodyBaselines::new(kept, &baseline::daily_loads(&kept.loads, zone), zone);
    let usual = own.rmssd_ms.or(said);
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
    let mut says = description(
        &measured,
        text("picture-lines-rmssd-heart-rate-variability"),
        |_| {
            let Some((low, high)) = usual else {
                return text("picture-lines-rmssd-what-is-usual").to_owned();
            };
            let below = measured.iter().filter(|(_, value)| *value < low).count();
            let below = u32::try_from(below).unwrap_or(u32::MAX);
            say!(
                "picture-lines-rmssd-usual-for-you",
                number = tenths(low),
                number2 = tenths(high),
                count = say!("picture-lines-count-measurements-were", count = below)
            )
        },
    );
    // What was measured of sleep within these days says nothing of earlier ones.
    let is_earlier = |newest: &Timestamp| measured.is_empty() && *newest < days.from;
    if let Some(newest) = view.body.newest.filter(is_earlier) {
        let kept = words::body_days_kept(view.body.all, &format::date(date(newest, zone)));
        says = format!("{says} {kept}");
    }
    shapes.extend(unit(words::MS.say()));
    finished(
        "rmssd",
        text("picture-lines-rmssd-heart-rate-variability-2"),
        says,
        &measured,
        (scale, days, zone, DAILY_GAP_MS),
        shapes,
    )
}

/// RMSSD, the rate at rest where one is known, sleep and load of each of many days as memory keeps them, each over the owner's own baseline of all that is given; `usual`: of RMSSD, as Wellness said
/// last, where there is none yet.
pub(super) fn each_day(
    body: &KeptBody,
    usual: Option<(f64, f64)>,
    days: DayRange,
    zone: Tz,
) -> Vec<PictureView> {
    let kept = &body.days;
    let loads = baseline::daily_loads(&body.loads, zone);
    let own = BodyBaselines::new(body, &loads, zone);
    let of = |value: fn(&KeptBodyDay) -> Option<f64>| -> Vec<(Timestamp, f64)> {
        let inside = kept.iter().filter(|day| day.at >= days.from && day.at < days.to);
        inside.filter_map(|day| Some((day.at, value(day)?))).collect()
    };
    let heart = daily(
        ("rmssd", words::HEART_RATE_VARIABILITY.say()),
        &of(|day| day.rmssd_ms),
        own.rmssd_ms.or(usual),
        (days, zone, &body.tags),
        |value| format!("{} {}", tenths(value), words::MS.say()),
    );
    let resting = kept.iter().any(|day| day.resting_bpm.is_some()).then(|| {
        daily(
            (RESTING, words::RESTING_HEART_RATE.say()),
            &of(|day| day.resting_bpm),
            own.resting_bpm,
            (days, zone, &body.tags),
            |value| words::beats(&format::number(value.round())),
        )
    });
    let sleep = daily(
        ("sleep", words::SLEEP.say()),
        &of(|day| day.sleep_min.map(|minutes| minutes / 60.0)),
        own.sleep_min.map(|(low, high)| (low / 60.0, high / 60.0)),
        (days, zone, &body.tags),
        // Whole minutes of a night.
        #[expect(clippy::cast_possible_truncation, reason = "minutes of a night are few")]
        |hours| format::minutes((hours * 60.0).round() as i64),
    );
    let of_days: Vec<(Timestamp, f64)> = loads
        .iter()
        .copied()
        .filter(|(at, _)| *at >= days.from && *at < days.to)
        .collect();
    let load = daily(
        ("load", words::LOAD_SCORE.say()),
        &of_days,
        own.load,
        (days, zone, &body.tags),
        format::number,
    );
    [Some(heart), resting, Some(sleep), Some(load)]
        .into_iter()
        .flatten()
        .collect()
}

/// The picture whose values are never near 0.
const RESTING: &str = "resting";

/// What the values of a picture with that name are in.
fn unit_of(name: &str) -> &'static str {
    match name {
        "rmssd" => words::MS.say(),
        "sleep" => words::HOURS.say(),
        "load" => words::OF_100.say(),
        RESTING => words::BEATS_A_MINUTE.say(),
        _ => "",
    }
}

/// A value a day, with the band of what is usual behind it.
fn daily(
    (name, title): (&'static str, &'static str),
    measured: &[(Timestamp, f64)],
    usual: Option<(f64, f64)>,
    (days, zone, tags): (DayRange, Tz, &BTreeMap<NaiveDate, String>),
    shown: impl Fn(f64) -> String,
) -> PictureView {
    let values = measured.iter().map(|(_, value)| *value);
    let (scale, mut shapes) = if name == RESTING {
        sheet_of_tens(values, usual, HEIGHT)
    } else {
        sheet(values, usual, HEIGHT)
    };
    for share in [0.0, 0.5, 1.0] {
        let value = scale.low + (scale.high - scale.low) * share;
        shapes.extend(grid(scale, value, format::number(value)));
    }
    shapes.extend(unit(unit_of(name)));
    // A day that the owner marked stands out, and is left out of what is usual.
    shapes.extend(days.each().filter(|day| tags.contains_key(day)).map(|day| {
        let x = days.x(midnight(day, zone).plus_min(12 * 60));
        PictureShape::Line(
            ShapeRole::Mark,
            vec![(x, scale.y(scale.low)), (x, scale.y(scale.high))],
        )
    }));
    shapes.extend(lines(measured, scale, days, DAILY_GAP_MS));
    shapes.extend(day_labels(days, zone, HEIGHT));
    shapes.extend(days.each().filter_map(|day| {
        let (_, value) = measured.iter().rfind(|(at, _)| date(*at, zone) == day)?;
        Some(day_reading(day, (days, zone), scale.y(*value), &shown(*value)))
    }));
    let mut sorted: Vec<f64> = measured.iter().map(|(_, value)| *value).collect();
    sorted.sort_by(f64::total_cmp);
    let says = match (sorted.first(), sorted.get(sorted.len() / 2), sorted.last()) {
        (Some(least), Some(middle), Some(most)) => {
            let known = words::measured_on_days(measured.len(), days.each().count());
            let middle = match sorted.as_slice() {
                [only] => words::only_value(&shown(*only)),
                _ => words::middle_of_days(&shown(*middle), &shown(*least), &shown(*most)),
            };
            let usual = usual.map(|(low, high)| words::usual_for_you(&shown(low), &shown(high)));
            [Some(known), Some(middle), usual]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(" ")
        }
        _ => words::NOT_MEASURED_THEN.say().to_owned(),
    };
    let rows = days.each().map(|day| {
        let value = measured.iter().rfind(|(at, _)| date(*at, zone) == day);
        let value = value.map_or_else(|| "–".to_owned(), |(_, value)| shown(*value));
        let tag = tags.get(&day).map(|tag| words::day_tag(tag).to_owned());
        vec![format::date(day), value, tag.unwrap_or_default()]
    });
    PictureView {
        name,
        title,
        says,
        height: HEIGHT,
        shapes,
        head: vec![
            text("picture-lines-daily-day"),
            text("picture-lines-daily-value"),
            text("picture-lines-daily-marked"),
        ],
        rows: rows.collect(),
        events: BTreeMap::new(),
        spoke: Vec::new(),
    }
}

/// The numbers of readings.
fn values(readings: &[(Timestamp, &SignalReading)]) -> Vec<(Timestamp, f64)> {
    readings.iter().map(|(at, one)| (*at, one.value)).collect()
}

/// How much there is to see, and then what stands out in it, given the highest value.
fn description(measured: &[(Timestamp, f64)], what: &str, more: impl Fn(f64) -> String) -> String {
    let highest = measured.iter().map(|(_, value)| *value).reduce(f64::max);
    match highest {
        None => say!("picture-lines-description-no-was-measured", what),
        Some(highest) => {
            say!(
                "picture-lines-description-your-in-seven",
                what,
                count = measured.len(),
                more = more(highest)
            )
        }
    }
}

fn finished(
    name: &'static str,
    title: &'static str,
    says: String,
    measured: &[(Timestamp, f64)],
    (scale, days, zone, gap_ms): (ValueScale, DayRange, Tz, i64),
    mut shapes: Vec<PictureShape>,
) -> PictureView {
    shapes.extend(lines(measured, scale, days, gap_ms));
    shapes.extend(day_labels(days, zone, HEIGHT));
    shapes.extend(days.each().filter_map(|day| {
        let of_day = || measured.iter().filter(|(at, _)| date(*at, zone) == day);
        let values = || of_day().map(|(_, value)| *value);
        let (least, most) = (values().reduce(f64::min)?, values().reduce(f64::max)?);
        let (_, last) = of_day().next_back()?;
        let says = words::span_of_day(&format::number(least), &format::number(most));
        Some(day_reading(day, (days, zone), scale.y(*last), &says))
    }));
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
        head: vec![
            text("picture-lines-finished-day"),
            text("picture-lines-finished-lowest"),
            text("picture-lines-finished-highest"),
            text("picture-lines-finished-last"),
            text("picture-lines-finished-measured"),
        ],
        rows,
        events: BTreeMap::new(),
        spoke: Vec::new(),
    }
}

/// The width of a dot, in the sheet's units: a line that is shorter is not seen.
const DOT: f64 = 8.0;

/// A line for each stretch without a gap; a measurement alone is a dot, and so is the end of a stretch that is no wider.
fn lines(measured: &[(Timestamp, f64)], scale: ValueScale, days: DayRange, gap_ms: i64) -> Vec<PictureShape> {
    measured
        .chunk_by(|(before, _), (after, _)| after.since(*before) <= gap_ms)
        .flat_map(|stretch| {
            let points: Vec<(f64, f64)> = stretch
                .iter()
                .map(|(at, value)| (days.x(*at), scale.y(*value)))
                .collect();
            match points.as_slice() {
                [alone] => vec![PictureShape::Dot(ShapeRole::Value, *alone)],
                [first, .., last] if last.0 - first.0 < DOT => {
                    let end = PictureShape::Dot(ShapeRole::Value, *last);
                    vec![PictureShape::Line(ShapeRole::Value, points), end]
                }
                _ => vec![PictureShape::Line(ShapeRole::Value, points)],
            }
        })
        .collect()
}
