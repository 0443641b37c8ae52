//! What was spent each day, and where the balance is heading.
//!
//! What: [`picture`]: a bar a day against the usual range, and the forecast with its interval in words and table. Why: one day means little
//! beside none. Not here: sums and forecasts (`agents`).

use super::{Ink, Picture, Shape, Span, date, day_labels, grid, midnight, readings, sheet};
use crate::format;
use chrono_tz::Tz;
use std::collections::BTreeMap;
use toolcall_schema::{
    tick::{Reading, ReadingKey},
    trace::Trace,
};

/// The height of the sheet.
const HEIGHT: f64 = 200.0;
/// The share of a day that its bar takes.
const SHARE: f64 = 0.6;

/// The spending of the days, in the currency of the newest reading; the others are left out.
pub(super) fn picture(traces: &[Trace], days: Span, zone: Tz) -> Picture {
    let measured = readings(traces, ReadingKey::SpentToday, days);
    let newest = measured.last().map(|(_, one)| *one);
    // The last reading of a day is what the day came to, as far as is known.
    let spent: BTreeMap<_, &Reading> = measured
        .iter()
        .filter(|(_, one)| newest.is_some_and(|newest| newest.currency == one.currency))
        .map(|(at, one)| (date(*at, zone), *one))
        .collect();
    let usual = newest.and_then(|one| one.low.zip(one.high));
    let (scale, mut shapes) = sheet(spent.values().map(|one| one.value), usual, HEIGHT);
    for share in [0.0, 0.5, 1.0] {
        let value = scale.high * share;
        shapes.extend(grid(scale, value, short(value)));
    }
    for (day, one) in &spent {
        let (from, to) = (
            days.x(midnight(*day, zone)),
            days.x(midnight(day.succ_opt().unwrap_or(*day), zone)),
        );
        let (top, width) = (scale.y(one.value), (to - from) * SHARE);
        let left = f64::midpoint(from, to) - width / 2.0;
        shapes.push(Shape::Box(Ink::Value, [left, top, width, scale.y(0.0) - top]));
    }
    shapes.extend(day_labels(days, zone, HEIGHT));
    let mut rows: Vec<Vec<String>> = days
        .each()
        .map(|day| {
            let shown = spent
                .get(&day)
                .map_or_else(|| "–".to_owned(), |one| format::reading_value(one, one.value));
            vec![format::date(day), shown]
        })
        .collect();
    let forecast = readings(traces, ReadingKey::BalanceEndOfMonth, days)
        .last()
        .map(|(_, one)| *one);
    rows.extend(forecast.map(|one| vec!["Balance at the month's end".to_owned(), interval(one)]));
    Picture {
        name: "spending",
        title: "Spending",
        says: said(
            &spent.values().copied().collect::<Vec<_>>(),
            usual.zip(newest),
            forecast,
        ),
        height: HEIGHT,
        shapes,
        head: vec!["Day", "Spent"],
        rows,
    }
}

/// A number beside the sheet, where there is little room: `500`, `12k`, `3.5M`.
fn short(value: f64) -> String {
    match value {
        v if v >= 1e6 => format!("{}M", format::number(v / 1e6)),
        v if v >= 1e4 => format!("{}k", format::number(v / 1e3)),
        v => format::number(v),
    }
}

/// The forecast with the range in which it probably lies.
fn interval(one: &Reading) -> String {
    let expected = format::reading_value(one, one.value);
    match format::usual(one) {
        Some(range) => format!("{expected} (probably {range})"),
        None => expected,
    }
}

fn said(spent: &[&Reading], usual: Option<((f64, f64), &Reading)>, forecast: Option<&Reading>) -> String {
    let Some(highest) = spent.iter().max_by(|a, b| a.value.total_cmp(&b.value)) else {
        return "Nothing is known of what was spent in these seven days.".to_owned();
    };
    let most = format!(
        "The most on one day was {}.",
        format::reading_value(highest, highest.value)
    );
    let usual = usual.map(|((low, high), newest)| {
        let shown = |value| format::reading_value(newest, value);
        format!("A usual day is {} to {}.", shown(low), shown(high))
    });
    let heading = forecast.map_or_else(
        || "Where the balance is heading is not known.".to_owned(),
        |one| format!("Balance at the month's end: {}.", interval(one)),
    );
    let said: Vec<String> = [Some(most), usual, Some(heading)].into_iter().flatten().collect();
    said.join(" ")
}
