//! The fields of a bank's text: dates, wording.
//!
//! What: dates that must exist, the words of refunds and fees. Why: banks write them in a dozen ways, and a wrong guess is
//! worse than a skip. Not here: amounts (`amount`), where in the text they stand (`sms`).

use chrono::{Datelike, NaiveDate};
use regex::Regex;
use std::sync::LazyLock;

/// Years that are tried for a date without one: enough for a 29 February.
const YEARS_BACK: i32 = 8;

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
    let shape = r"(?x)^ (?P<day>[0-9]{1,2}) [-/.\ ]? (?: (?P<word>[A-Za-z]{3})[A-Za-z]* | (?P<month>[0-9]{1,2}) )
        (?: [-/.\ ]? (?P<year>[0-9]{4}|[0-9]{2}) )? $";
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
    LazyLock::new(|| Regex::new(r"(?i)(?-u:\b)(?:refund(?:ed)?|revers(?:ed|al))(?-u:\b)").ok());
static FEE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)(?-u:\b)(?:fees?|charges?|chrgs?|chgs?)(?-u:\b)").ok());

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
