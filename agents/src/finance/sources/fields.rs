//! The fields of a bank's text: amounts, dates, wording.
//!
//! What: amounts with any grouping of thousands, dates that must exist, the words of refunds and fees. Why: banks
//! write them in a dozen ways, and a wrong guess is worse than a skip. Not here: where in the text they stand (`sms`).

use chrono::{Datelike, NaiveDate};
use regex::Regex;
use rust_decimal::Decimal;
use std::sync::LazyLock;

/// Years that are tried for a date without one: enough for a 29 February.
const YEARS_BACK: i32 = 8;

/// Reads an amount, e.g. `1,23,456.78`, `1'234.50`, `1 234.5`, `1.234,56`, `76`. `None` when its separators do not
/// make sense, or leave open whether they group or mark decimals (`1.234`).
pub(super) fn amount(text: &str) -> Option<Decimal> {
    let text = text.trim_end_matches(['.', ',', '\'', '’']);
    let point = text.rfind('.');
    let comma = text.rfind(',');
    // The last of both kinds marks the decimals; one kind alone does when one or two digits follow its only occurrence.
    let mark = match (point, comma) {
        (Some(p), Some(c)) => Some(p.max(c)),
        (Some(p), None) if text.matches('.').count() == 1 => Some(p),
        (None, Some(c)) if text.len() - c <= 3 && text.matches(',').count() == 1 => Some(c),
        (Some(_) | None, None) | (None, Some(_)) => None,
    };
    let (whole, decimals) = match mark {
        Some(i) => (text.get(..i)?, text.get(i + 1..)?),
        None => (text, ""),
    };
    let decimals_ok = match mark {
        Some(_) => (1..=2).contains(&decimals.len()) && decimals.bytes().all(|b| b.is_ascii_digit()),
        None => true,
    };
    if !decimals_ok {
        return None;
    }
    let digits = ungrouped(whole)?;
    Decimal::from_str_exact(&format!("{digits}.{decimals}0")).ok()
}

/// The digits of a whole number, when its groups are those of thousands (3) or of lakh and crore (2, the last 3), all
/// by the same separator.
fn ungrouped(whole: &str) -> Option<String> {
    let is_separator = |c: char| !c.is_ascii_digit();
    let separators: Vec<char> = whole.chars().filter(|c| is_separator(*c)).collect();
    if separators.windows(2).any(|pair| pair.first() != pair.last()) {
        return None;
    }
    let groups: Vec<&str> = whole.split(is_separator).collect();
    let (first, rest) = groups.split_first()?;
    let (last, middle) = match rest.split_last() {
        Some((last, middle)) => (Some(last), middle),
        None => (None, rest),
    };
    let first_ok = !first.is_empty() && (last.is_none() || first.len() <= 3);
    let last_ok = last.is_none_or(|group| group.len() == 3);
    let middle_ok = middle.iter().all(|g| g.len() == 3) || middle.iter().all(|g| g.len() == 2);
    (first_ok && last_ok && middle_ok && whole.len() <= 30).then(|| groups.concat())
}

/// Reads a date in day-month-year order: `03-11-26`, `03/11/2026`, `03-Nov-26`, `03NOV26`, `03-NOV`, or `2026-11-03`.
/// `None` when there is no such day, or it is after `latest`. A year of two digits is of this century; a missing one is
/// the latest that is not after `latest`.
pub(super) fn date(text: &str, latest: NaiveDate) -> Option<NaiveDate> {
    if text.as_bytes().get(4) == Some(&b'-') {
        return NaiveDate::parse_from_str(text, "%Y-%m-%d")
            .ok()
            .filter(|date| *date <= latest);
    }
    let found = PARTS.as_ref()?.captures(text)?;
    let number = |name: &str| found.name(name).and_then(|m| m.as_str().parse::<u32>().ok());
    let day = number("day")?;
    let month = match found.name("word") {
        Some(word) => month(word.as_str())?,
        None => number("month")?,
    };
    let year = found
        .name("year")
        .map(|year| (year.as_str().len(), number("year")));
    let exact = |year: i32| NaiveDate::from_ymd_opt(year, month, day).filter(|date| *date <= latest);
    match year {
        Some((2, short)) => exact(2000 + i32::try_from(short?).ok()?),
        Some((_, long)) => exact(i32::try_from(long?).ok()?),
        None => (0..=YEARS_BACK).find_map(|back| exact(latest.year() - back)),
    }
}

static PARTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let shape = r"(?x)^ (?P<day>\d{1,2}) [-/.\ ]? (?: (?P<word>[A-Za-z]{3})[A-Za-z]* | (?P<month>\d{1,2}) )
        (?: [-/.\ ]? (?P<year>\d{4}|\d{2}) )? $";
    Regex::new(shape).ok()
});

fn month(word: &str) -> Option<u32> {
    const MONTHS: [&str; 12] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let index = MONTHS.iter().position(|m| m.eq_ignore_ascii_case(word))?;
    u32::try_from(index + 1).ok()
}

static REFUND: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)\b(?:refund(?:ed)?|revers(?:ed|al))\b").ok());
static FEE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)\b(?:fees?|charges?|chrgs?|chgs?)\b").ok());

/// Whether a text speaks of a refund or a reversal.
pub(super) fn speaks_of_refund(text: &str) -> bool {
    REFUND.as_ref().is_some_and(|r| r.is_match(text))
}

/// Whether a text has a word of fees or charges.
pub(super) fn speaks_of_fee(text: &str) -> bool {
    FEE.as_ref().is_some_and(|r| r.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_with_any_clear_grouping_and_nothing_else() {
        for (text, expected) in [
            ("76", Some("76.00")),
            ("212.50", Some("212.50")),
            ("6,400.00", Some("6400.00")),
            ("1,23,456.78", Some("123456.78")),
            ("12,34,56,789", Some("123456789.00")),
            ("1,234,567.8", Some("1234567.80")),
            ("1'234.50", Some("1234.50")),
            ("1’234’567", Some("1234567.00")),
            ("1 234 567.89", Some("1234567.89")),
            ("1.234,56", Some("1234.56")),
            ("1.234.567", Some("1234567.00")),
            ("12,50", Some("12.50")),
            ("500.", Some("500.00")),
            // One kind of mark, three digits after the point: thousands or decimals, nobody knows.
            ("1.234", None),
            ("1,23", Some("1.23")),
            ("1,2345", None),
            ("1234,567", None),
            ("1,234'567", None),
            (",5", None),
            ("", None),
            ("1.2.3", None),
            ("12345678901234567890123456789012345", None),
        ] {
            let read = amount(text).map(|a| format!("{a:.2}"));
            assert_eq!(read.as_deref(), expected, "{text:?}");
        }
    }

    #[test]
    fn dates_exist_and_are_not_after_the_latest_day() {
        let latest = NaiveDate::from_ymd_opt(2026, 11, 4).unwrap();
        for (text, expected) in [
            ("03-11-26", Some("2026-11-03")),
            ("03/11/2026", Some("2026-11-03")),
            ("03.11.2026", Some("2026-11-03")),
            ("3-Nov-26", Some("2026-11-03")),
            ("03NOV26", Some("2026-11-03")),
            ("03 November 2026", Some("2026-11-03")),
            ("03-NOV", Some("2026-11-03")),
            // Without a year: the latest that is not after the message.
            ("05-NOV", Some("2025-11-05")),
            ("29-FEB", Some("2024-02-29")),
            ("2026-11-03", Some("2026-11-03")),
            ("31-02-26", None),
            ("31-02", None),
            ("29-02-2025", None),
            ("05-11-26", None),
            ("10-Foo-26", None),
            ("00-11-26", None),
        ] {
            let read = date(text, latest).map(|d| d.to_string());
            assert_eq!(read.as_deref(), expected, "{text:?}");
        }
    }
}
