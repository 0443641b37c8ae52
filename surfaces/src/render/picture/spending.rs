//! What was spent each day, and where the balance is heading.
//!
//! What: [`picture`]: a bar a day against the usual range, and the forecast with its interval in words and table. Why: one day means little
//! beside none. Not here: sums and forecasts (`agents`).

use super::{
    DayRange, LEFT, PictureShape, PictureView, RIGHT, ShapeRole, TOP, TextAnchor, date, day_labels,
    day_reading, grid, midnight, readings, sheet_below, unit,
};
use chrono::NaiveDate;
use chrono_tz::Tz;
use rust_decimal::{Decimal, prelude::ToPrimitive};
use std::collections::BTreeMap;
use surfaces_base::language::{say, text};
use surfaces_base::{
    backend::{KeptMoney, KeptPayment, WeekView},
    format, words,
};
use toolcall_schema::{
    Timestamp,
    money::MoneyFlow,
    tick::{ReadingKey, SignalReading},
};

/// The height of the sheet.
const HEIGHT: f64 = 200.0;
/// The share of a day that its bar takes.
const SHARE: f64 = 0.6;

/// Above the sheet, for the end of a bar that is cut off.
const CUT_ROOM: f64 = 40.0;
/// How far a jagged line goes up and down, and in how many strokes.
const JAG: f64 = 4.0;
const JAGS: u8 = 4;

/// Half of the longest sum above a bar, as a phone shows it.
const LABEL_ROOM: f64 = 70.0;

/// What went out on the days of a span.
#[derive(Debug, Default)]
pub(in crate::render) struct DailySpending {
    /// The currency that most of the payments are in; the sums are in it. Empty: nothing went out.
    pub(in crate::render) currency: String,
    /// The sum of each day.
    pub(in crate::render) days: BTreeMap<NaiveDate, Decimal>,
    /// How many payments they hold.
    payments: usize,
    /// How many went out in another currency.
    foreign: usize,
    /// Their sums, by currency.
    others: BTreeMap<String, Decimal>,
    /// How many have no known direction.
    unclear: usize,
}

/// The sums of the payments from `from` on and before `to`.
pub(in crate::render) fn spent(
    payments: &[KeptPayment],
    (from, to): (Timestamp, Timestamp),
    zone: Tz,
) -> DailySpending {
    let inside: Vec<_> = payments
        .iter()
        .filter(|payment| payment.at >= from && payment.at < to)
        .collect();
    let out = || inside.iter().filter(|p| p.amount.flow() == Some(MoneyFlow::Out));
    let mut currencies = BTreeMap::<&str, usize>::new();
    for payment in out() {
        *currencies.entry(&payment.currency).or_default() += 1;
    }
    // Of two that are as frequent the first by name, so that a page does not change its mind.
    let most = currencies.iter().rev().max_by_key(|(_, n)| **n);
    let currency = most.map_or_else(String::new, |(name, _)| (*name).to_owned());
    let mut spent = DailySpending {
        unclear: inside.iter().filter(|p| p.amount.flow().is_none()).count(),
        ..DailySpending::default()
    };
    for payment in out() {
        if payment.currency == currency {
            *spent.days.entry(date(payment.at, zone)).or_default() += payment.amount.size();
            spent.payments += 1;
        } else {
            spent.foreign += 1;
            *spent.others.entry(payment.currency.clone()).or_default() += payment.amount.size();
        }
    }
    spent.currency = currency;
    spent
}

impl DailySpending {
    /// What went out in each currency, that of most payments of `main` first, as a person would say it; `None`: nothing did.
    pub(in crate::render) fn in_each_currency(&self, main: &str) -> Option<String> {
        let own = (!self.days.is_empty()).then(|| (self.currency.as_str(), self.days.values().sum()));
        let others = self
            .others
            .iter()
            .map(|(currency, sum)| (currency.as_str(), *sum));
        let mut sums: Vec<(&str, Decimal)> = own.into_iter().chain(others).collect();
        sums.sort_by_key(|(currency, _)| *currency != main);
        let said: Vec<String> = sums
            .iter()
            .map(|(currency, sum)| format::money(*sum, currency))
            .collect();
        (!said.is_empty()).then(|| said.join(" + "))
    }
}

/// The spending of the days as memory keeps it; what is usual and where the balance is heading as Finance said last.
pub(super) fn picture(view: &WeekView, spent: &DailySpending, days: DayRange, zone: Tz) -> PictureView {
    let measured = readings(&view.traces, ReadingKey::SpentToday, days);
    let usual = measured
        .last()
        .map(|(_, one)| *one)
        .filter(|one| spent.days.is_empty() || one.currency.as_deref() == Some(&spent.currency));
    let band = usual.and_then(|one| one.low.zip(one.high));
    let (shapes, mut rows) = bars(spent, band, days, zone);
    let forecast = readings(&view.traces, ReadingKey::BalanceEndOfMonth, days)
        .last()
        .map(|(_, one)| *one);
    rows.extend(forecast.map(|one| {
        vec![
            text("picture-spending-picture-balance-at-the").to_owned(),
            interval(one),
        ]
    }));
    PictureView {
        name: "spending",
        title: text("picture-spending-picture-spending"),
        says: description(spent, &view.money, zone, usual.zip(band), forecast),
        height: HEIGHT,
        shapes,
        head: vec![
            text("picture-spending-picture-day"),
            text("picture-spending-picture-spent"),
        ],
        rows,
        events: BTreeMap::new(),
        spoke: Vec::new(),
    }
}

/// The spending of some days of one's choice in the currency that most payments are in; `None`: nothing went out.
pub(super) fn of_days(payments: &[KeptPayment], days: DayRange, zone: Tz) -> Option<PictureView> {
    let spent = spent(payments, (days.from, days.to), zone);
    let highest = spent.days.values().max()?;
    let total: Decimal = spent.days.values().sum();
    let shown = |sum: Decimal| format::money(sum, &spent.currency);
    let (shapes, rows) = bars(&spent, None, days, zone);
    Some(PictureView {
        name: "days",
        title: words::SPENT_EACH_DAY.say(),
        says: words::spent_in_days(&shown(total), spent.payments, &shown(*highest)),
        height: HEIGHT,
        shapes,
        head: vec![
            text("picture-spending-of-days-day"),
            text("picture-spending-of-days-spent"),
        ],
        rows,
        events: BTreeMap::new(),
        spoke: Vec::new(),
    })
}

/// A bar a day over the band of what is usual, and the same as rows.
fn bars(
    spent: &DailySpending,
    band: Option<(f64, f64)>,
    days: DayRange,
    zone: Tz,
) -> (Vec<PictureShape>, Vec<Vec<String>>) {
    let height_of = |sum: &Decimal| sum.to_f64().unwrap_or(0.0);
    // One day far above all others would flatten them: it is cut off, and says its sum.
    let (usual_most, cut) = split_peak(spent.days.values().map(height_of), band);
    let top = if cut.is_some() { TOP + CUT_ROOM } else { TOP };
    let (scale, mut shapes) = sheet_below(usual_most, band, (HEIGHT, top));
    let is_cut = |sum: &Decimal| cut.is_some_and(|cut| height_of(sum) > cut);
    let y_of = |sum: &Decimal| if is_cut(sum) { TOP } else { scale.y(height_of(sum)) };
    for share in [0.0, 0.5, 1.0] {
        let value = scale.high * share;
        shapes.extend(grid(scale, value, short(value)));
    }
    for (day, sum) in &spent.days {
        let (from, to) = (
            days.x(midnight(*day, zone)),
            days.x(midnight(day.succ_opt().unwrap_or(*day), zone)),
        );
        let (top, width) = (y_of(sum), (to - from) * SHARE);
        let left = f64::midpoint(from, to) - width / 2.0;
        shapes.push(PictureShape::Box(
            ShapeRole::Value,
            [left, top, width, scale.y(0.0) - top],
        ));
        if is_cut(sum) {
            // A jagged gap where the bar was cut, above all others, and over it what it stands for.
            shapes.push(PictureShape::Line(
                ShapeRole::Cut,
                jagged((left - 4.0, left + width + 4.0), f64::midpoint(TOP, scale.top)),
            ));
            // At the left edge the figures of the axis stand, at the right the sheet ends.
            let (anchor, x) = match f64::midpoint(from, to) {
                middle if middle < LEFT + LABEL_ROOM => (TextAnchor::Start, left),
                middle if middle > RIGHT - LABEL_ROOM => (TextAnchor::End, left + width),
                middle => (TextAnchor::Middle, middle),
            };
            let says = format::money(*sum, &spent.currency);
            shapes.push(PictureShape::Text(anchor, (x, top - 4.0), says));
        }
    }
    shapes.extend(unit(format::currency_sign(&spent.currency)));
    shapes.extend(day_labels(days, zone, HEIGHT));
    shapes.extend(spent.days.iter().map(|(day, sum)| {
        let says = format::money(*sum, &spent.currency);
        day_reading(*day, (days, zone), y_of(sum), &says)
    }));
    let rows = days.each().map(|day| {
        let sum = spent.days.get(&day);
        let shown = sum.map_or_else(|| "–".to_owned(), |sum| format::money(*sum, &spent.currency));
        vec![format::date(day), shown]
    });
    (shapes, rows.collect())
}

/// A line that goes up and down from the left to the right around `y`.
fn jagged((left, right): (f64, f64), y: f64) -> Vec<(f64, f64)> {
    let point = |at: u8| {
        let x = left + (right - left) * f64::from(at) / f64::from(JAGS);
        (x, if at.is_multiple_of(2) { y + JAG } else { y - JAG })
    };
    (0..=JAGS).map(point).collect()
}

/// How many times as high as the next a day must be to be cut off.
const PEAK: f64 = 3.0;

/// The values that a sheet is made for, and above which a bar is cut off: where one is more than [`PEAK`] times all others and what is usual, theirs.
fn split_peak(
    values: impl Iterator<Item = f64>,
    band: Option<(f64, f64)>,
) -> (impl Iterator<Item = f64>, Option<f64>) {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    let next = match sorted.as_slice() {
        [.., next, _] => next.max(band.map_or(0.0, |(_, high)| high)),
        _ => 0.0,
    };
    let is_peak = next > 0.0 && sorted.last().is_some_and(|most| *most > PEAK * next);
    if is_peak {
        sorted.pop();
    }
    (sorted.into_iter(), is_peak.then_some(next))
}

/// A number beside the sheet, where there is little room: `500`, `12k`, `3.5M`.
fn short(value: f64) -> String {
    match value {
        v if v >= 1e6 => say!(
            "picture-spending-short-millions",
            number = format::number(v / 1e6)
        ),
        v if v >= 1e4 => say!(
            "picture-spending-short-thousands",
            number = format::number(v / 1e3)
        ),
        v => format::number(v),
    }
}

/// The forecast with the range in which it probably lies.
fn interval(one: &SignalReading) -> String {
    let expected = format::reading_value(one, one.value);
    match format::usual(one) {
        Some(range) => say!("picture-spending-interval", expected, range),
        None => expected,
    }
}

fn description(
    spent: &DailySpending,
    kept: &KeptMoney,
    zone: Tz,
    usual: Option<(&SignalReading, (f64, f64))>,
    forecast: Option<&SignalReading>,
) -> String {
    let Some(highest) = spent.days.values().max() else {
        let kept = kept
            .newest
            .map(|at| words::payments_kept(kept.all, &format::date(date(at, zone))));
        return kept.map_or_else(
            || words::NO_PAYMENT_KNOWN.say().to_owned(),
            |kept| format!("{} {kept}", words::NO_PAYMENT_THIS_WEEK.say()),
        );
    };
    let total: Decimal = spent.days.values().sum();
    let shown = |sum: Decimal| format::money(sum, &spent.currency);
    let mut said = vec![words::spent_in_week(
        &shown(total),
        spent.payments,
        &shown(*highest),
    )];
    said.extend(usual.map(|(newest, (low, high))| {
        let shown = |value| format::reading_value(newest, value);
        say!(
            "picture-spending-description-a-usual-day",
            shown = shown(low),
            shown2 = shown(high)
        )
    }));
    said.extend((spent.foreign > 0).then(|| words::payments_in_other_currencies(spent.foreign)));
    said.extend((spent.unclear > 0).then(|| words::payments_without_direction(spent.unclear)));
    said.push(forecast.map_or_else(
        || text("picture-spending-description-where-the-balance").to_owned(),
        |one| {
            say!(
                "picture-spending-description-balance-at-the",
                interval = interval(one)
            )
        },
    ));
    said.join(" ")
}

#[cfg(test)]
mod tests {
    use super::split_peak;

    #[test]
    fn one_day_far_above_all_others_is_cut_off_and_no_other_is() {
        let of = |values: &[f64], band| {
            let (made_for, cut) = split_peak(values.iter().copied(), band);
            (made_for.collect::<Vec<_>>(), cut)
        };
        // More than three times 1700, the next.
        assert_eq!(
            of(&[18920.0, 600.0, 1700.0], None),
            (vec![600.0, 1700.0], Some(1700.0))
        );
        assert_eq!(
            of(&[5100.0, 600.0, 1700.0], None),
            (vec![600.0, 1700.0, 5100.0], None)
        );
        // What is usual reaches higher than the next day.
        assert_eq!(
            of(&[5200.0, 1700.0], Some((0.0, 2000.0))),
            (vec![1700.0, 5200.0], None)
        );
        // Two that are as high, one alone, and none.
        assert_eq!(of(&[900.0, 900.0, 10.0], None), (vec![10.0, 900.0, 900.0], None));
        assert_eq!(of(&[900.0], None), (vec![900.0], None));
        assert_eq!(of(&[], None), (vec![], None));
    }
}
