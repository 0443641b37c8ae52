//! Pictures of the week and the day, as data.
//!
//! What: [`PictureView`]: shapes on a sheet, the sentence that says the same, and the table behind it; [`day`],
//! [`measured`] and [`spending`] make them. Why: people would rather look than read, and who cannot look reads the same. Pure: made from traces and times
//! alone. Not here: SVG (`web::figure`), what is worth an interruption (the machine).

mod day;
mod lines;
mod spending;

use self::spending::DailySpending;
use chrono::{Days, NaiveDate};
use chrono_tz::Tz;
use std::collections::BTreeMap;
use surfaces_base::{
    backend::{DisplayNames, KeptBody, KeptMoney, KeptPayment, WeekView},
    format::{self, local_date as date, midnight},
};
use toolcall_schema::{
    Timestamp,
    ids::{EventId, TraceId},
    tick::{ReadingKey, SignalReading},
    trace::Trace,
};

/// The sheet's width; all numbers are in its units.
pub(crate) const WIDTH: f64 = 640.0;
/// Where the drawing begins, beside the labels.
const LEFT: f64 = 48.0;
/// Where the labels of the axis end, and where what they are in begins.
const AXIS_X: f64 = LEFT - 6.0;
const UNIT_X: f64 = 0.0;
/// Where it ends.
const RIGHT: f64 = WIDTH - 12.0;
/// Above the sheet, for what is read where one points, and for the unit.
pub(crate) const HEADROOM: f64 = 22.0;
/// Above the drawing.
const TOP: f64 = 12.0;
/// Below it, for the labels.
const BOTTOM: f64 = 28.0;

/// The role of a shape; the style sheet styles each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShapeRole {
    /// What was measured.
    Value,
    /// What is usual.
    Usual,
    /// A line that means something, such as 70.
    Mark,
    /// A line to read off.
    Grid,
    /// An event.
    Event,
    /// A focus block.
    Focus,
    /// The way to an event.
    Way,
    /// Something that was shown.
    Spoke,
    /// A decision to stay silent.
    Silent,
    /// Where a bar was cut off.
    Cut,
}

impl ShapeRole {
    /// Whether it is something that was or will be, and nothing to read off.
    fn is_content(self) -> bool {
        match self {
            ShapeRole::Value
            | ShapeRole::Event
            | ShapeRole::Focus
            | ShapeRole::Way
            | ShapeRole::Spoke
            | ShapeRole::Silent => true,
            ShapeRole::Usual | ShapeRole::Mark | ShapeRole::Grid | ShapeRole::Cut => false,
        }
    }

    /// Its class in the style sheet.
    pub(crate) fn class(self) -> &'static str {
        match self {
            ShapeRole::Value => "value",
            ShapeRole::Usual => "usual",
            ShapeRole::Mark => "mark",
            ShapeRole::Grid => "grid",
            ShapeRole::Event => "event",
            ShapeRole::Focus => "focus",
            ShapeRole::Way => "way",
            ShapeRole::Spoke => "spoke",
            ShapeRole::Silent => "silent",
            ShapeRole::Cut => "cut",
        }
    }
}

/// Which point of a text its position names (`text-anchor`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextAnchor {
    /// At its beginning.
    Start,
    /// At its middle.
    Middle,
    /// At its end.
    End,
}

/// Something on the sheet. x to the right, y downwards.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PictureShape {
    /// A line through points.
    Line(ShapeRole, Vec<(f64, f64)>),
    /// A box: left, top, width, height.
    Box(ShapeRole, [f64; 4]),
    /// A box that leads to the page of an event with that title; the table behind the picture leads there too.
    Event(ShapeRole, [f64; 4], EventId, String),
    /// A dot.
    Dot(ShapeRole, (f64, f64)),
    /// A stretch that says what was measured there while somebody points at it: its left and right end, where the value stands, and the words.
    Reading((f64, f64), (f64, f64), String),
    /// A label.
    Text(TextAnchor, (f64, f64), String),
}

/// A picture with what it says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PictureView {
    /// Unique on its page; a part of element ids.
    pub name: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// The same in a sentence or two.
    pub says: String,
    /// The height of its sheet.
    pub height: f64,
    /// From back to front.
    pub shapes: Vec<PictureShape>,
    /// The head of its table.
    pub head: Vec<&'static str>,
    /// The table.
    pub rows: Vec<Vec<String>>,
    /// The events that rows are about, by the row's number.
    pub events: BTreeMap<usize, EventId>,
    /// What was said or done, each with its decision.
    pub spoke: Vec<(String, TraceId)>,
}

impl PictureView {
    /// Whether it would be axes alone.
    pub(crate) fn is_empty(&self) -> bool {
        !self.shapes.iter().any(|shape| match shape {
            PictureShape::Line(role, _) | PictureShape::Box(role, _) | PictureShape::Dot(role, _) => {
                role.is_content()
            }
            PictureShape::Event(..) => true,
            PictureShape::Reading(..) | PictureShape::Text(..) => false,
        })
    }

    /// The lowest and the highest value that its axis names, with what they are in: what is left of the labels where there is no room for them.
    pub(crate) fn axis_ends(&self) -> Option<[String; 2]> {
        let labels = |at: TextAnchor, x: f64| {
            self.shapes.iter().filter_map(move |shape| match shape {
                PictureShape::Text(anchor, (left, _), text) if *anchor == at && (left - x).abs() < 0.5 => {
                    Some(text.as_str())
                }
                PictureShape::Text(..)
                | PictureShape::Line(..)
                | PictureShape::Box(..)
                | PictureShape::Event(..)
                | PictureShape::Dot(..)
                | PictureShape::Reading(..) => None,
            })
        };
        let unit = labels(TextAnchor::Start, UNIT_X).next().unwrap_or_default();
        let with_unit = |value: &str| {
            if unit.chars().any(char::is_alphabetic) {
                format!("{value} {unit}")
            } else {
                format::with_currency_sign(value, unit)
            }
        };
        let mut axis = labels(TextAnchor::End, AXIS_X);
        let (lowest, highest) = (axis.next()?, axis.next_back()?);
        Some([with_unit(lowest), with_unit(highest)])
    }

    /// Whether it would be a dot alone: the sentence below says the same.
    pub(crate) fn is_one_dot(&self) -> bool {
        let is_drawn = |shape: &&PictureShape| match shape {
            PictureShape::Line(role, _) | PictureShape::Box(role, _) => {
                role.is_content() || *role == ShapeRole::Usual
            }
            PictureShape::Dot(..) | PictureShape::Event(..) => true,
            PictureShape::Reading(..) | PictureShape::Text(..) => false,
        };
        let mut drawn = self.shapes.iter().filter(is_drawn);
        matches!((drawn.next(), drawn.next()), (Some(PictureShape::Dot(..)), None))
    }
}

/// Today as a strip.
pub(crate) fn day(view: &WeekView, names: &DisplayNames, zone: Tz) -> PictureView {
    day::picture(view, names, zone)
}

/// Load score and RMSSD of the seven days that end with `at`'s, over what is usual in `kept`, as [`body_days`] draws it.
pub(crate) fn measured(view: &WeekView, kept: &KeptBody, zone: Tz) -> [PictureView; 2] {
    let days = DayRange::days(view.at, zone, 7);
    [
        lines::load(&view.traces, days, zone),
        lines::rmssd(view, kept, days, zone),
    ]
}

/// RMSSD, the rate at rest where one is known, sleep and load of the `n` days that end with `at`'s, as memory keeps them, with what is usual as the newest of `traces` that says it.
pub(crate) fn body_days(
    kept: &KeptBody,
    traces: &[Trace],
    at: Timestamp,
    n: u64,
    zone: Tz,
) -> Vec<PictureView> {
    let said = traces.iter().filter_map(|trace| {
        let reading = reading(trace, ReadingKey::RmssdMs)?;
        Some((trace.decision.ts, reading.low.zip(reading.high)?))
    });
    let usual = said.max_by_key(|(at, _)| *at).map(|(_, usual)| usual);
    lines::each_day(kept, usual, DayRange::days(at, zone, n), zone)
}

/// What went out in the seven days that end with a moment's, and on the last of them.
#[derive(Debug, Default)]
pub(crate) struct LatelySpent {
    week: DailySpending,
    today: DailySpending,
}

impl LatelySpent {
    pub(crate) fn from_payments(payments: &[KeptPayment], at: Timestamp, zone: Tz) -> Self {
        let of = |n| {
            let days = DayRange::days(at, zone, n);
            spending::spent(payments, (days.from, days.to), zone)
        };
        Self {
            week: of(7),
            today: of(1),
        }
    }

    /// The sum of the days that the bars show, in their currency; `None`: nothing went out.
    pub(super) fn in_week(&self) -> Option<String> {
        let sum: rust_decimal::Decimal = self.week.days.values().sum();
        (!self.week.days.is_empty()).then(|| format::money(sum, &self.week.currency))
    }

    /// What went out today as memory keeps it; `None` where it keeps no payment at all.
    pub(super) fn today(&self, kept: &KeptMoney) -> Option<String> {
        let nothing = || (kept.all > 0).then(|| surfaces_base::words::NOTHING_SPENT.say().to_owned());
        self.today.in_each_currency(&self.week.currency).or_else(nothing)
    }
}

/// Spending of the seven days that end with `at`'s.
pub(crate) fn spending(view: &WeekView, lately: &LatelySpent, zone: Tz) -> PictureView {
    spending::picture(view, &lately.week, DayRange::days(view.at, zone, 7), zone)
}

/// Spending of the days from `first` on and before `next`; `None`: nothing went out.
pub(crate) fn spent_each_day(
    payments: &[KeptPayment],
    (first, next): (NaiveDate, NaiveDate),
    zone: Tz,
) -> Option<PictureView> {
    let days = DayRange {
        first,
        last: next.pred_opt().unwrap_or(first),
        from: midnight(first, zone),
        to: midnight(next, zone),
    };
    spending::of_days(payments, days, zone)
}

/// A stretch of whole local days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct DayRange {
    first: NaiveDate,
    last: NaiveDate,
    from: Timestamp,
    to: Timestamp,
}

impl DayRange {
    /// The `n` local days that end with the one of `at`.
    fn days(at: Timestamp, zone: Tz, n: u64) -> Self {
        let last = date(at, zone);
        let first = last
            .checked_sub_days(Days::new(n.saturating_sub(1)))
            .unwrap_or(last);
        let next = last.succ_opt().unwrap_or(last);
        Self {
            first,
            last,
            from: midnight(first, zone),
            to: midnight(next, zone),
        }
    }

    /// Its days in order.
    fn each(self) -> impl Iterator<Item = NaiveDate> {
        self.first.iter_days().take_while(move |day| *day <= self.last)
    }

    /// Where an instant stands on the sheet.
    fn x(self, at: Timestamp) -> f64 {
        let whole = self.to.since(self.from).max(1) as f64;
        let share = at.since(self.from) as f64 / whole;
        LEFT + share.clamp(0.0, 1.0) * (RIGHT - LEFT)
    }
}

/// One reading of a trace, whoever measured it.
fn reading(trace: &Trace, key: ReadingKey) -> Option<&SignalReading> {
    let mut all = trace.decision.signals.values().flatten();
    all.find(|reading| reading.key == key && reading.value.is_finite())
}

/// Readings by time, oldest first.
fn readings(traces: &[Trace], key: ReadingKey, span: DayRange) -> Vec<(Timestamp, &SignalReading)> {
    let mut all: Vec<_> = traces
        .iter()
        .filter(|trace| trace.decision.ts >= span.from && trace.decision.ts < span.to)
        .filter_map(|trace| Some((trace.decision.ts, reading(trace, key)?)))
        .collect();
    all.sort_by_key(|(at, _)| *at);
    all
}

/// A height on the sheet for values from `low` to `high`.
#[derive(Debug, Clone, Copy)]
struct ValueScale {
    low: f64,
    high: f64,
    height: f64,
    /// Where the highest value stands.
    top: f64,
}

impl ValueScale {
    fn y(self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low).max(f64::MIN_POSITIVE);
        let (top, bottom) = (self.top, self.height - BOTTOM);
        bottom - share.clamp(0.0, 1.0) * (bottom - top)
    }
}

/// The least round number that is not below, whose half is read as easily: 1, 2, 3, 4, 5, 6 or 8 times a power of ten.
fn round_up(value: f64) -> f64 {
    if !value.is_finite() || value <= 0.0 {
        return 1.0;
    }
    let power = 10_f64.powf(value.log10().floor());
    [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0]
        .into_iter()
        .map(|step| step * power)
        .find(|round| *round >= value * (1.0 - 1e-12))
        .unwrap_or(value)
}

/// A sheet from 0 up to a round number that nothing exceeds, with what is usual as a band behind.
fn sheet(
    values: impl Iterator<Item = f64>,
    usual: Option<(f64, f64)>,
    height: f64,
) -> (ValueScale, Vec<PictureShape>) {
    sheet_below(values, usual, (height, TOP))
}

/// The same with its highest value at `top`: above it stands what is higher than the sheet.
fn sheet_below(
    values: impl Iterator<Item = f64>,
    usual: Option<(f64, f64)>,
    height_and_top: (f64, f64),
) -> (ValueScale, Vec<PictureShape>) {
    let highest = values.chain(usual.map(|(_, high)| high)).fold(0.0, f64::max);
    banded((0.0, round_up(highest)), usual, height_and_top)
}

/// A sheet between the tens around all that stands on it: of a value that is never near 0, what changes is seen.
fn sheet_of_tens(
    values: impl Iterator<Item = f64>,
    usual: Option<(f64, f64)>,
    height: f64,
) -> (ValueScale, Vec<PictureShape>) {
    let all = values.chain(usual.into_iter().flat_map(|(low, high)| [low, high]));
    let (low, high) = all.fold((f64::MAX, f64::MIN), |(low, high), one| {
        (low.min(one), high.max(one))
    });
    let tens = |value: f64| value.clamp(0.0, 1000.0) / 10.0;
    let low = tens(low).floor() * 10.0;
    banded(
        (low, (tens(high).ceil() * 10.0).max(low + 10.0)),
        usual,
        (height, TOP),
    )
}

fn banded(
    (low, high): (f64, f64),
    usual: Option<(f64, f64)>,
    (height, top): (f64, f64),
) -> (ValueScale, Vec<PictureShape>) {
    let scale = ValueScale {
        low,
        high,
        height,
        top,
    };
    let band = usual.map(|(low, high)| {
        let (top, bottom) = (scale.y(high), scale.y(low));
        PictureShape::Box(ShapeRole::Usual, [LEFT, top, RIGHT - LEFT, bottom - top])
    });
    (scale, band.into_iter().collect())
}

/// The days' names below, in the middle of each; of more than ten every fifth by its date, of more than forty every fifteenth.
fn day_labels(days: DayRange, zone: Tz, height: f64) -> Vec<PictureShape> {
    let count = days.each().count();
    let is_long = count > 10;
    let every = match count {
        0..=10 => 1,
        11..=40 => 5,
        _ => 15,
    };
    days.each()
        // The first would stand over the figures at the side.
        .skip(every / 2)
        .step_by(every)
        .map(|day| {
            let next = day.succ_opt().unwrap_or(day);
            let middle = f64::midpoint(days.x(midnight(day, zone)), days.x(midnight(next, zone)));
            let name = if is_long {
                format::short_date(day)
            } else {
                format::weekday(day).to_owned()
            };
            PictureShape::Text(TextAnchor::Middle, (middle, height - 8.0), name)
        })
        .collect()
}

/// What the values are in, above them; nothing where that is not known.
fn unit(text: &str) -> Option<PictureShape> {
    let shape = || PictureShape::Text(TextAnchor::Start, (UNIT_X, 8.0 - HEADROOM), text.to_owned());
    (!text.is_empty()).then(shape)
}

/// The reading of a day: over its whole width, its value at `y`.
fn day_reading(day: NaiveDate, (days, zone): (DayRange, Tz), y: f64, says: &str) -> PictureShape {
    let next = day.succ_opt().unwrap_or(day);
    let (from, to) = (days.x(midnight(day, zone)), days.x(midnight(next, zone)));
    let words = format!("{}: {says}", surfaces_base::format::date(day));
    PictureShape::Reading((from, to), (f64::midpoint(from, to), y), words)
}

/// A line to read off, with its value beside it.
fn grid(scale: ValueScale, value: f64, text: String) -> [PictureShape; 2] {
    let y = scale.y(value);
    [
        PictureShape::Line(ShapeRole::Grid, vec![(LEFT, y), (RIGHT, y)]),
        PictureShape::Text(TextAnchor::End, (AXIS_X, y + 4.0), text),
    ]
}

#[cfg(test)]
mod tests;
