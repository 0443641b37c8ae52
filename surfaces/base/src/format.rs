//! Numbers, money and times as people read them.
//!
//! What: pure functions from values to text. Why: a card has real numbers, in the owner's zone and currency, written the
//! same way everywhere. Not here: what a number means (`words`), where it stands (`render`).

use crate::{
    language::{self, Language, Text, say, text},
    locale,
};
use chrono::{Datelike as _, NaiveDate, NaiveTime, TimeDelta, TimeZone as _};
use chrono_tz::Tz;
use rust_decimal::{Decimal, prelude::FromPrimitive};
use toolcall_schema::{
    Timestamp,
    milli::Milli,
    tick::{ReadingKey, SignalReading},
};

/// The zone of an IANA name; UTC when there is no such zone.
pub fn zone(name: &str) -> Tz {
    name.parse().unwrap_or(Tz::UTC)
}

/// The days of the week, Monday first.
pub const WEEK: [Text; 7] = [
    Text("format-mon"),
    Text("format-tue"),
    Text("format-wed"),
    Text("format-thu"),
    Text("format-fri"),
    Text("format-sat"),
    Text("format-sun"),
];

const WEEK_IN_FULL: [Text; 7] = [
    Text("format-monday"),
    Text("format-tuesday"),
    Text("format-wednesday"),
    Text("format-thursday"),
    Text("format-friday"),
    Text("format-saturday"),
    Text("format-sunday"),
];

const MONTHS: [Text; 12] = [
    Text("format-jan"),
    Text("format-feb"),
    Text("format-mar"),
    Text("format-apr"),
    Text("format-may"),
    Text("format-jun"),
    Text("format-jul"),
    Text("format-aug"),
    Text("format-sep"),
    Text("format-oct"),
    Text("format-nov"),
    Text("format-dec"),
];

const MONTHS_IN_FULL: [Text; 12] = [
    Text("format-january"),
    Text("format-february"),
    Text("format-march"),
    Text("format-april"),
    Text("format-may-in-full"),
    Text("format-june"),
    Text("format-july"),
    Text("format-august"),
    Text("format-september"),
    Text("format-october"),
    Text("format-november"),
    Text("format-december"),
];

/// A name of one of the days or months by its number from zero on, which chrono keeps within the table.
fn name_of<const N: usize>(names: [Text; N], number: u32) -> &'static str {
    let number = usize::try_from(number).unwrap_or(usize::MAX);
    names.get(number).map_or("", |name| name.say())
}

/// The name of a day of the week, short: `Mon`.
pub fn weekday(date: NaiveDate) -> &'static str {
    name_of(WEEK, date.weekday().num_days_from_monday())
}

/// The names of the months in full, from January on, with commas.
pub fn months() -> String {
    MONTHS_IN_FULL.map(Text::say).join(",")
}

/// The names of the days of the week in full, from Monday on, with commas.
pub fn weekdays() -> String {
    WEEK_IN_FULL.map(Text::say).join(",")
}

fn month(date: NaiveDate) -> &'static str {
    name_of(MONTHS, date.month0())
}

fn month_in_full(date: NaiveDate) -> &'static str {
    name_of(MONTHS_IN_FULL, date.month0())
}

/// The local time, `08:23`, or as its owner's clock has it.
pub fn clock(t: Timestamp, zone: Tz) -> String {
    time_of_day(t.utc().with_timezone(&zone).time())
}

/// The time of a payment. Statements that tell a day alone are put at noon to the millisecond, which is no time that anybody told.
pub fn told_clock(t: Timestamp, zone: Tz) -> Option<String> {
    let local = t.utc().with_timezone(&zone).time();
    (NaiveTime::from_hms_opt(12, 0, 0) != Some(local)).then(|| time_of_day(local))
}

/// A time of day, `08:23`, or as its owner's clock has it.
pub fn time_of_day(time: NaiveTime) -> String {
    locale::current().clock.write(time)
}

/// A shop's name that is kept in small letters, as a sign has it: each word with a capital.
pub fn shop_name(name: &str) -> String {
    let word = |word: &str| -> String {
        let mut letters = word.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        first.chain(letters).collect()
    };
    name.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// A full hour of a day, as its owner's clock has it.
pub fn hour_of_day(hour: u32) -> String {
    time_of_day(NaiveTime::from_hms_opt(hour, 0, 0).unwrap_or(NaiveTime::MIN))
}

/// The local time with seconds, `08:23:05`.
pub fn clock_s(t: Timestamp, zone: Tz) -> String {
    t.utc().with_timezone(&zone).format("%H:%M:%S").to_string()
}

/// The local time, with the day in front when it is another day than `today`'s: `08:23`, `Wed 4 Nov, 08:23`.
pub fn clock_on(t: Timestamp, today: Timestamp, zone: Tz) -> String {
    let local = t.utc().with_timezone(&zone);
    if local.date_naive() == today.utc().with_timezone(&zone).date_naive() {
        clock(t, zone)
    } else {
        clock_of_day(t, zone)
    }
}

fn clock_of_day(t: Timestamp, zone: Tz) -> String {
    say!(
        "format-date-and-time",
        date = date(local_date(t, zone)),
        time = clock(t, zone)
    )
}

/// The same within a sentence: `at 18:00`, `tomorrow at 07:30`, `on Tue 3 Nov, 07:30`.
pub fn on_day(t: Timestamp, today: Timestamp, zone: Tz) -> String {
    let (then, today) = (local_date(t, zone), local_date(today, zone));
    if then == today {
        say!("format-at", time = clock(t, zone))
    } else if Some(then) == today.succ_opt() {
        say!("format-tomorrow-at", time = clock(t, zone))
    } else {
        say!("format-on", day = clock_of_day(t, zone))
    }
}

/// The local day, `Tuesday 3 November`.
pub fn day(t: Timestamp, zone: Tz) -> String {
    weekday_in_full(local_date(t, zone))
}

/// A day with its weekday in full, `Tuesday 3 November`.
pub(crate) fn weekday_in_full(date: NaiveDate) -> String {
    say!(
        "format-weekday-in-full",
        weekday = name_of(WEEK_IN_FULL, date.weekday().num_days_from_monday()),
        date = day_and_month(date)
    )
}

/// A day with its weekday and its year, `Tuesday 3 November 2026`.
pub fn whole_date(date: NaiveDate) -> String {
    with_year(&weekday_in_full(date), date)
}

/// A day without its weekday, `3 November`.
pub fn day_and_month(date: NaiveDate) -> String {
    say!(
        "format-day-and-month",
        day = date.day().to_string(),
        month = month_in_full(date)
    )
}

/// A day without its weekday, short, `3 Nov`.
pub fn short_date(date: NaiveDate) -> String {
    say!(
        "format-short-date",
        day = date.day().to_string(),
        month = month(date)
    )
}

/// A month with its year, `November 2026`.
pub fn month_and_year(date: NaiveDate) -> String {
    with_year(month_in_full(date), date)
}

/// What is said of a day, with the day's year behind it.
pub fn with_year(said: &str, date: NaiveDate) -> String {
    format!("{said} {}", date.year())
}

/// The local day of an instant.
pub fn local_date(t: Timestamp, zone: Tz) -> NaiveDate {
    t.utc().with_timezone(&zone).date_naive()
}

/// The beginning of a local day: where the clocks leave midnight out, the first hour that exists.
pub fn midnight(date: NaiveDate, zone: Tz) -> Timestamp {
    let local = |time| zone.from_local_datetime(&date.and_time(time)).earliest();
    let one = NaiveTime::from_hms_opt(1, 0, 0).unwrap_or(NaiveTime::MIN);
    let begins = local(NaiveTime::MIN).or_else(|| local(one));
    begins.map_or_else(Timestamp::default, |at| at.to_utc().into())
}

/// The instant of a local time of a day: of two the first, and where the clocks leave it out the first after it.
pub(crate) fn local_time(date: NaiveDate, time: NaiveTime, zone: Tz) -> Timestamp {
    let local = date.and_time(time);
    let found = (0..=24).find_map(|hours| {
        let later = local.checked_add_signed(TimeDelta::hours(hours))?;
        zone.from_local_datetime(&later).earliest()
    });
    found.map_or_else(|| midnight(date, zone), |at| at.to_utc().into())
}

/// A date, `Wed 13 May`.
pub fn date(date: NaiveDate) -> String {
    say!("format-date", weekday = weekday(date), date = short_date(date))
}

/// A day as [`date`], with its year where that is not today's: `Tue 3 Nov`, `Mon 3 Nov 2025`.
pub fn date_near(day: NaiveDate, today: NaiveDate) -> String {
    if day.year() == today.year() {
        date(day)
    } else {
        with_year(&date(day), day)
    }
}

/// How long, in the largest unit that reads well: `40 ms`, `1.2 s`, `12 s`, `1 min 30 s`, `2 h 5 min`. Negative is
/// treated as nothing.
pub fn duration_ms(ms: i64) -> String {
    let ms = ms.max(0);
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..10_000 => format!("{}{}{} s", ms / 1_000, marks().point, ms % 1_000 / 100),
        10_000..60_000 => format!("{} s", ms / 1_000),
        60_000..3_600_000 if ms % 60_000 < 1_000 => format!("{} min", ms / 60_000),
        60_000..3_600_000 => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1_000),
        _ => minutes(ms / 60_000),
    }
}

/// Minutes as hours and minutes from an hour up: `40 min`, `4 h`, `4 h 40 min`.
pub fn minutes(min: i64) -> String {
    let sign = if min < 0 { "−" } else { "" };
    let min = min.unsigned_abs();
    match (min / 60, min % 60) {
        (0, m) => format!("{sign}{m} min"),
        (h, 0) => format!("{sign}{h} h"),
        (h, m) => format!("{sign}{h} h {m} min"),
    }
}

/// With three decimals, as scores are written: `0.500`.
pub fn thousandths(value: Milli) -> String {
    value.to_string().replace('.', &marks().point.to_string())
}

/// With one decimal: 14 is `1.4`.
pub fn tenths(value: u32) -> String {
    format!("{}{}{}", value / 10, marks().point, value % 10)
}

/// A plain number: at most two decimals, no trailing zeros, thousands apart.
pub fn number(value: f64) -> String {
    match Decimal::from_f64(value) {
        Some(exact) => {
            let rounded = exact.round_dp(2).normalize();
            grouped(rounded, rounded.scale(), false)
        }
        None => text("format-unknown").to_owned(),
    }
}

/// Money with its currency: `₹4,795.00`, `₹1,25,000.00`, `$12.50`, `CHF 12.50`, `−₹500.00`. Never rounds an amount away:
/// more decimals than usual are kept.
pub fn money(amount: Decimal, currency: &str) -> String {
    let usual = minor_digits(currency);
    let symbol = currency_sign(currency);
    let amount = amount.normalize();
    let sign = if amount.is_sign_negative() && !amount.is_zero() {
        "−"
    } else {
        ""
    };
    let digits = grouped(amount.abs(), amount.scale().max(usual), currency == "INR");
    if marks().currency_follows {
        format!("{sign}{digits} {symbol}")
    } else if symbol == currency {
        format!("{sign}{currency} {digits}")
    } else {
        format!("{sign}{symbol}{digits}")
    }
}

/// The same of what was worked out, as between two payments: rounded to what is paid in that currency.
pub fn money_rounded(amount: Decimal, currency: &str) -> String {
    money(amount.round_dp(minor_digits(currency)), currency)
}

/// Digits behind the point that are usual in a currency.
fn minor_digits(currency: &str) -> u32 {
    match currency {
        "JPY" | "KRW" | "VND" | "CLP" | "ISK" => 0,
        "BHD" | "KWD" | "OMR" | "TND" | "JOD" => 3,
        _ => 2,
    }
}

/// An amount's digits with the sign of its currency, where the language has it.
pub fn with_currency_sign(digits: &str, sign: &str) -> String {
    if marks().currency_follows {
        format!("{digits} {sign}")
    } else {
        format!("{sign}{digits}")
    }
}

/// How many decimals the amounts of one column have, whose currency is not known: none where no amount has any, else two, or more where one
/// has more.
pub fn decimals_of(amounts: impl IntoIterator<Item = Decimal>) -> u32 {
    match amounts.into_iter().map(|amount| amount.normalize().scale()).max() {
        None | Some(0) => 0,
        Some(most) => most.max(2),
    }
}

/// An amount of that column.
pub fn bare_amount(amount: Decimal, decimals: u32) -> String {
    grouped(amount, decimals, false)
}

/// How a currency is written: its sign where it has one that nobody mistakes, else its code.
pub fn currency_sign(currency: &str) -> &str {
    match currency {
        "INR" => "₹",
        "USD" => "$",
        "EUR" => "€",
        "GBP" => "£",
        "JPY" => "¥",
        code => code,
    }
}

/// How a language writes numbers.
struct NumberMarks {
    /// Between thousands.
    group: char,
    /// Before the decimals.
    point: char,
    /// Whether a sum's currency stands behind it.
    currency_follows: bool,
}

fn marks() -> NumberMarks {
    match language::spoken() {
        Language::English => NumberMarks {
            group: ',',
            point: '.',
            currency_follows: false,
        },
        Language::German => NumberMarks {
            group: '.',
            point: ',',
            currency_follows: true,
        },
    }
}

/// A decimal with its thousands apart; `indian`: 1,25,000 (three, then twos).
fn grouped(value: Decimal, decimals: u32, indian: bool) -> String {
    let sign = if value.is_sign_negative() && !value.is_zero() {
        "−"
    } else {
        ""
    };
    let decimals = usize::try_from(decimals).unwrap_or(28);
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let marks = marks();
    let mut out = String::new();
    for (position, digit) in whole.chars().enumerate() {
        // Digits still to come, this one included: a mark stands where a whole group follows.
        let left = whole.len() - position;
        let boundary = if indian {
            left == 3 || left > 3 && left % 2 == 1
        } else {
            left % 3 == 0
        };
        if position > 0 && boundary {
            out.push(marks.group);
        }
        out.push(digit);
    }
    if fraction.is_empty() {
        format!("{sign}{out}")
    } else {
        format!("{sign}{out}{}{fraction}", marks.point)
    }
}

/// From this much above an average day on it is told how many times as much it is.
const MANY_TIMES_PCT: f64 = 1000.0;

/// A value of a reading with its unit, rounded as a person would say it: `22 min`, `₹4,795.00`, `+701 %`, `24.1 ms`.
pub fn reading_value(reading: &SignalReading, value: f64) -> String {
    let whole_minutes = value.is_finite() && value.fract() == 0.0 && value.abs() < 1e9;
    match (reading.key.unit(), &reading.currency) {
        ("currency", Some(currency)) => Decimal::from_f64(value).map_or_else(
            || text("format-unknown").to_owned(),
            |d| money(d.round_dp(2), currency),
        ),
        ("min", _) if whole_minutes => {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "whole and below 1e9, tested just above"
            )]
            let min = value as i64;
            minutes(min)
        }
        // Nobody reads what "+44,744 %" is.
        ("%", _) if reading.key == ReadingKey::VersusUsualPct && value >= MANY_TIMES_PCT => {
            say!(
                "format-times-as-much",
                times = number((1.0 + value / 100.0).round())
            )
        }
        ("%", _) if reading.key == ReadingKey::VersusUsualPct && value > 0.0 => {
            format!("+{} %", number(value.round()))
        }
        ("%", _) => format!("{} %", number(value.round())),
        ("ms", _) => format!("{} ms", number((value * 10.0).round() / 10.0)),
        ("" | "currency", _) => number(value),
        (unit, _) => format!("{} {unit}", number(value)),
    }
}

/// The usual range of a reading, where one is known: `30 to 45 ms`, `6 h 30 min to 8 h`, `at least 22.1 ms`, `at most 60`.
pub fn usual(reading: &SignalReading) -> Option<String> {
    let show = |value| reading_value(reading, value);
    let unit = reading.key.unit();
    match (reading.low, reading.high) {
        (Some(low), Some(high)) if !matches!(unit, "" | "currency" | "min") => Some(say!(
            "format-from-to",
            low = show(low).trim_end_matches(unit).trim_end(),
            high = show(high)
        )),
        (Some(low), Some(high)) => Some(say!("format-from-to", low = show(low), high = show(high))),
        (Some(low), None) => Some(say!("format-at-least", least = show(low))),
        (None, Some(high)) => Some(say!("format-at-most", most = show(high))),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shops_name_has_capitals_as_its_sign() {
        for (kept, shown) in [
            ("saffron stove restaurant", "Saffron Stove Restaurant"),
            ("7 eleven", "7 Eleven"),
            ("öffi", "Öffi"),
            ("straße", "Straße"),
            ("H&M", "H&M"),
            ("", ""),
            (" a  b", " A  B"),
        ] {
            assert_eq!(shop_name(kept), shown);
        }
    }

    #[test]
    fn a_payment_of_a_day_alone_has_no_time() {
        for (at, told) in [
            ("2026-11-03T06:30:00Z", None),
            ("2026-11-03T06:30:00.001Z", Some("12:00")),
            ("2026-11-03T06:31:00Z", Some("12:01")),
            ("2026-11-03T12:00:00Z", Some("17:30")),
        ] {
            let said = told_clock(Timestamp::parse(at).unwrap(), Tz::Asia__Kolkata);
            assert_eq!(said.as_deref(), told, "{at}");
        }
    }

    #[test]
    fn amounts_of_one_column_have_the_same_decimals() {
        for (amounts, expected) in [
            (&["50000", "800.00"][..], &["50,000", "800"][..]),
            (&["800", "12.5", "7.50"], &["800.00", "12.50", "7.50"]),
            (&["1.2345", "2"], &["1.2345", "2.0000"]),
        ] {
            let amounts: Vec<Decimal> = amounts.iter().map(|amount| amount.parse().unwrap()).collect();
            let decimals = decimals_of(amounts.iter().copied());
            let shown = amounts.into_iter().map(|amount| bare_amount(amount, decimals));
            assert_eq!(shown.collect::<Vec<_>>(), expected);
        }
        assert_eq!(decimals_of([]), 0);
        let german = || bare_amount("1394.1".parse().unwrap(), 2);
        let said = crate::locale::speaking(crate::language::Language::German, german);
        assert_eq!(said, "1.394,10");
    }

    #[test]
    fn what_was_worked_out_is_rounded_to_what_is_paid_in_its_currency() {
        for (amount, currency, says) in [
            ("13.896", "USD", "$13.90"),
            ("12.5", "JPY", "¥12"),
            ("1.2346", "KWD", "KWD 1.235"),
        ] {
            assert_eq!(money_rounded(amount.parse().unwrap(), currency), says);
        }
    }

    #[test]
    fn money_has_symbol_groups_and_all_its_decimals() {
        for (amount, currency, expected) in [
            ("4795", "INR", "₹4,795.00"),
            ("125000", "INR", "₹1,25,000.00"),
            ("12345678.9", "INR", "₹1,23,45,678.90"),
            ("125000", "USD", "$125,000.00"),
            ("-500", "INR", "−₹500.00"),
            ("-0", "INR", "₹0.00"),
            ("1200", "JPY", "¥1,200"),
            ("12.345", "EUR", "€12.345"),
            ("999", "CHF", "CHF 999.00"),
            ("1.5", "KWD", "KWD 1.500"),
        ] {
            assert_eq!(money(amount.parse().unwrap(), currency), expected);
        }
    }

    #[test]
    fn numbers_keep_two_decimals_at_most() {
        for (value, expected) in [
            (24.1, "24.1"),
            (700.9, "700.9"),
            (2.449, "2.45"),
            (1_234_567.0, "1,234,567"),
            (-3.0, "−3"),
            (0.0, "0"),
            (f64::NAN, "unknown"),
        ] {
            assert_eq!(number(value), expected);
        }
    }

    #[test]
    fn minutes_and_durations_read_well() {
        for (min, expected) in [
            (0, "0 min"),
            (22, "22 min"),
            (240, "4 h"),
            (280, "4 h 40 min"),
            (-5, "−5 min"),
        ] {
            assert_eq!(minutes(min), expected);
        }
        for (ms, expected) in [
            (-3, "0 ms"),
            (40, "40 ms"),
            (1_234, "1.2 s"),
            (12_000, "12 s"),
            (60_000, "1 min"),
            (90_000, "1 min 30 s"),
            (7_500_000, "2 h 5 min"),
        ] {
            assert_eq!(duration_ms(ms), expected);
        }
    }

    #[test]
    fn times_are_the_owners_and_name_another_day() {
        // Kolkata is UTC+5:30: 02:15Z is 07:45; 20:00Z is 01:30 of the next day.
        let kolkata = zone("Asia/Kolkata");
        let morning = Timestamp::parse("2026-11-03T02:15:00Z").unwrap();
        let night = Timestamp::parse("2026-11-03T20:00:00Z").unwrap();
        assert_eq!(clock(morning, kolkata), "07:45");
        assert_eq!(clock_on(night, morning, kolkata), "Wed 4 Nov, 01:30");
        assert_eq!(day(morning, kolkata), "Tuesday 3 November");
        // Berlin left summer time on 25 October 2026 at 01:00Z: 00:30Z is 02:30, 01:30Z is 02:30 again.
        let berlin = zone("Europe/Berlin");
        assert_eq!(
            clock(Timestamp::parse("2026-10-25T00:30:00Z").unwrap(), berlin),
            "02:30"
        );
        assert_eq!(
            clock(Timestamp::parse("2026-10-25T01:30:00Z").unwrap(), berlin),
            "02:30"
        );
        assert_eq!(clock(morning, zone("Not/AZone")), "02:15");
    }

    #[test]
    fn readings_have_unit_and_range() {
        let mut rmssd = SignalReading::new(ReadingKey::RmssdMs, 24.1);
        assert_eq!(usual(&rmssd), None);
        rmssd.low = Some(22.1);
        assert_eq!(usual(&rmssd).unwrap(), "at least 22.1 ms");
        rmssd.high = Some(38.2);
        assert_eq!(usual(&rmssd).unwrap(), "22.1 to 38.2 ms");
        let mut spent = SignalReading::new(ReadingKey::SpentToday, 4795.0);
        spent.currency = Some("INR".to_owned());
        assert_eq!(reading_value(&spent, spent.value), "₹4,795.00");
        let versus = SignalReading::new(ReadingKey::VersusUsualPct, 700.9);
        assert_eq!(reading_value(&versus, versus.value), "+701 %");
        for (percent, english, german) in [
            (999.4, "+999 %", "+999 %"),
            (1000.0, "11 times as much", "11-mal so viel"),
            (44_744.0, "448 times as much", "448-mal so viel"),
        ] {
            assert_eq!(reading_value(&versus, percent), english);
            locale::speaking(Language::German, || {
                assert_eq!(reading_value(&versus, percent), german);
            });
        }
        let sleep = SignalReading::new(ReadingKey::SleepMin, 280.0);
        assert_eq!(reading_value(&sleep, sleep.value), "4 h 40 min");
    }

    #[test]
    fn german_has_its_own_marks_and_names() {
        locale::speaking(Language::German, || {
            let sum = |amount: &str, currency| money(amount.parse().unwrap(), currency);
            assert_eq!(sum("125000.5", "EUR"), "125.000,50 €");
            assert_eq!(sum("-500", "CHF"), "−500,00 CHF");
            assert_eq!(number(1_234_567.25), "1.234.567,25");
            assert_eq!(duration_ms(1_234), "1,2 s");
            let zone = zone("Europe/Berlin");
            let at = Timestamp::parse("2026-11-03T07:15:00Z").unwrap();
            let next_day = Timestamp::parse("2026-11-04T17:00:00Z").unwrap();
            assert_eq!(day(at, zone), "Dienstag, 3. November");
            assert_eq!(clock_on(next_day, at, zone), "Mi, 4. Nov, 18:00");
            assert_eq!(on_day(next_day, at, zone), "morgen um 18:00");
            assert_eq!(month_and_year(local_date(at, zone)), "November 2026");
        });
    }
}
