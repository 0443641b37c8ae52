//! Dates and times of a message.
//!
//! What: [`find_dates`] and [`find_times`], places among the tokens; [`DateParts::resolved`], the day that a date means. Why: the same
//! digits are another day in another country, so the place is found first and the day decided when the currency is known.
//! Not here: the instant of a payment (`sources`).

use super::text::{MessageText, TokenKind};
use chrono::{Datelike, Days, NaiveDate, NaiveTime};

/// Years that are tried for a date without one: enough for a 29 February.
const YEARS_BACK: i32 = 8;
/// A date in the other order counts when it is so near before the message, in days, and the usual order is not.
const NEAR_DAYS: u64 = 7;
/// A message is about a day of its last year: an older one is no reading where another order gives such a day.
const RECENT_DAYS: u64 = 366;

/// Which number of a date stands first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DateOrder {
    DayFirst,
    MonthFirst,
}

impl DateOrder {
    /// How the country of a currency writes dates.
    pub(super) fn of_currency(code: &str) -> Self {
        if code == "USD" {
            Self::MonthFirst
        } else {
            Self::DayFirst
        }
    }
}

/// A date as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DateParts {
    first: u32,
    second: u32,
    /// Its digits and value.
    year: Option<(usize, i32)>,
    /// Whether the second is known to be the month.
    named: bool,
}

/// A place among tokens: from one to before another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TokenRange {
    pub(super) from: usize,
    pub(super) to: usize,
}

impl TokenRange {
    pub(super) fn has(self, at: usize) -> bool {
        (self.from..self.to).contains(&at)
    }
}

impl DateParts {
    /// The day it is; `None` when there is no such day or it is after `latest`. A year of two digits is of this century; a missing
    /// one is the latest that is not after `latest`.
    pub(super) fn resolved(self, order: DateOrder, latest: NaiveDate) -> Option<NaiveDate> {
        if self.named {
            return self.day(self.first, self.second, latest);
        }
        let (usual, other) = match order {
            DateOrder::DayFirst => ((self.first, self.second), (self.second, self.first)),
            DateOrder::MonthFirst => ((self.second, self.first), (self.first, self.second)),
        };
        let usual = self.day(usual.0, usual.1, latest);
        let within = |days: u64, date: &NaiveDate| {
            latest
                .checked_sub_days(Days::new(days))
                .is_some_and(|since| *date >= since)
        };
        let near = |date: &NaiveDate| within(NEAR_DAYS, date);
        let recent = |date: &NaiveDate| within(RECENT_DAYS, date);
        if usual.as_ref().is_some_and(near) {
            return usual;
        }
        self.day(other.0, other.1, latest)
            .filter(near)
            .or_else(|| self.year_first(latest).filter(near))
            .or_else(|| usual.filter(recent))
            .or_else(|| self.year_first(latest).filter(recent))
            .or(usual)
    }

    /// `26-11-03`: a year of two digits may stand first.
    fn year_first(self, latest: NaiveDate) -> Option<NaiveDate> {
        let (_, day) = self.year.filter(|(digits, _)| *digits == 2)?;
        let year = 2000 + i32::try_from(self.first).ok()?;
        NaiveDate::from_ymd_opt(year, self.second, u32::try_from(day).ok()?).filter(|date| *date <= latest)
    }

    fn day(self, day: u32, month: u32, latest: NaiveDate) -> Option<NaiveDate> {
        let exact = |year: i32| NaiveDate::from_ymd_opt(year, month, day).filter(|date| *date <= latest);
        match self.year {
            Some((2, short)) => exact(2000 + short),
            Some((_, long)) => exact(long),
            None => (0..=YEARS_BACK).find_map(|back| exact(latest.year() - back)),
        }
    }
}

/// The month that a word is, in English or German.
pub(super) fn month(word: &str) -> Option<u32> {
    const MONTHS: [&[&str]; 12] = [
        &["january", "januar", "jänner"],
        &["february", "februar"],
        &["march", "märz", "maerz", "mrz"],
        &["april"],
        &["may", "mai"],
        &["june", "juni"],
        &["july", "juli"],
        &["august"],
        &["september"],
        &["october", "oktober"],
        &["november"],
        &["december", "dezember"],
    ];
    if word.len() < 3 {
        return None;
    }
    let index = MONTHS
        .iter()
        .position(|names| names.iter().any(|name| name.starts_with(word)))?;
    u32::try_from(index + 1).ok()
}

fn small_number(text: &str) -> Option<u32> {
    ((1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

fn year(text: &str) -> Option<(usize, i32)> {
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    let value: i32 = text.parse().ok().filter(|_| digits)?;
    match text.len() {
        2 => Some((2, value)),
        4 if (1990..2100).contains(&value) => Some((4, value)),
        _ => None,
    }
}

/// All dates, with their places.
pub(super) fn find_dates(text: &MessageText) -> Vec<(TokenRange, DateParts)> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < text.len() {
        match date_at(text, at) {
            Some((to, parts)) if valid(parts) => {
                out.push((TokenRange { from: at, to }, parts));
                at = to;
            }
            Some(_) | None => at += 1,
        }
    }
    out
}

/// Whether the numbers can be a day and a month in any order. A day that does not exist is found all the same: it is skipped by name.
fn valid(parts: DateParts) -> bool {
    let (a, b) = (parts.first, parts.second);
    a <= 31 && b <= 31 && (a <= 12 || b <= 12)
}

fn date_at(text: &MessageText, at: usize) -> Option<(usize, DateParts)> {
    let sign = |at: usize| text.is_sign(at, &['-', '/', '.']);
    let word = text.low(at);
    match text.kind(at) {
        TokenKind::Number => {
            // A number directly behind a sign that belongs to it is a part of something longer.
            if at > 0
                && !text.is_spaced(at)
                && text.is_sign(at - 1, &['/'])
                && !matches!(text.kind(at.wrapping_sub(2)), TokenKind::Word | TokenKind::Line)
            {
                return None;
            }
            if let Some(parts) = dotted(word) {
                return Some((at + 1, parts));
            }
            // "am 04.11.": a day and a month with a point behind them.
            let told = at
                .checked_sub(1)
                .is_some_and(|at| matches!(text.low(at), "am" | "vom"));
            if told
                && text.is_sign(at + 1, &['.'])
                && !text.is_spaced(at + 1)
                && let Some((day, month)) = word.split_once('.')
            {
                let named = DateParts {
                    first: small_number(day)?,
                    second: small_number(month)?,
                    year: None,
                    named: true,
                };
                return Some((at + 2, named));
            }
            // "2026:11:03 10:14:20": a book's own form.
            let colons = text.is_sign(at + 1, &[':']) && text.is_sign(at + 3, &[':']);
            if word.len() == 4 && (colons || sign(at + 1) && sign(at + 3)) {
                let year = year(word)?;
                let month = small_number(text.low(at + 2))?;
                let last = text.low(at + 4);
                let day = small_number(last.split_once('t').map_or(last, |(day, _)| day))?;
                let named = DateParts {
                    first: day,
                    second: month,
                    year: Some(year),
                    named: true,
                };
                return Some((at + 5, named));
            }
            let first = small_number(word)?;
            if sign(at + 1)
                && !text.is_sign(at + 1, &['.'])
                && let Some(second) = small_number(text.low(at + 2))
            {
                let same = text.raw(at + 1) == text.raw(at + 3);
                if let Some(year) = Some(text.low(at + 4)).filter(|_| same).and_then(year) {
                    let to = at + 5;
                    return Some((
                        to,
                        DateParts {
                            first,
                            second,
                            year: Some(year),
                            named: false,
                        },
                    ));
                }
                let told = at > 0
                    && matches!(
                        text.low(at - 1),
                        "on" | "dt" | "date" | "dated" | "am" | "vom" | "dt."
                    );
                let ends = !text.is_sign(at + 3, &['/', '-']) || text.is_spaced(at + 3);
                return (told && ends).then_some((
                    at + 3,
                    DateParts {
                        first,
                        second,
                        year: None,
                        named: false,
                    },
                ));
            }
            // "3rd Nov 2026", "03-Nov-26", "03-Nov26".
            let mut next = at + 1;
            if matches!(text.low(next), "st" | "nd" | "rd" | "th") {
                next += 1;
            }
            if text.is_sign(next, &['-', '/', '.', ' ']) {
                next += 1;
            }
            if text.low(next) == "of" {
                next += 1;
            }
            if text.kind(next) == TokenKind::Mixed {
                let (name, digits) = split_letters(text.low(next))?;
                return Some((
                    next + 1,
                    DateParts {
                        first,
                        second: month(name)?,
                        year: Some(year(digits)?),
                        named: true,
                    },
                ));
            }
            let second = (text.kind(next) == TokenKind::Word).then(|| month(text.low(next)))??;
            let (to, year) = year_behind(text, next + 1);
            Some((
                to,
                DateParts {
                    first,
                    second,
                    year,
                    named: true,
                },
            ))
        }
        TokenKind::Mixed => {
            let digits = word.bytes().take_while(u8::is_ascii_digit).count();
            let first = small_number(word.get(..digits)?)?;
            let rest = word.get(digits..)?;
            let letters = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
            let second = month(rest.get(..letters)?)?;
            let tail = rest.get(letters..)?;
            if tail.is_empty() {
                let (to, year) = year_behind(text, at + 1);
                return Some((
                    to,
                    DateParts {
                        first,
                        second,
                        year,
                        named: true,
                    },
                ));
            }
            Some((
                at + 1,
                DateParts {
                    first,
                    second,
                    year: Some(year(tail)?),
                    named: true,
                },
            ))
        }
        TokenKind::Word => {
            // "Nov 3, 2026".
            let second = month(word)?;
            let mut next = at + 1;
            if text.is_sign(next, &['.', '-']) {
                next += 1;
            }
            let first = small_number(text.low(next)).filter(|day| (1..=31).contains(day))?;
            next += 1;
            if matches!(text.low(next), "st" | "nd" | "rd" | "th") {
                next += 1;
            }
            let behind = if text.is_sign(next, &[',', '-']) {
                next + 1
            } else {
                next
            };
            let year = year(text.low(behind)).filter(|(len, _)| *len == 4);
            // A month, a small number and no year: a date only where it is told as one.
            let told = at > 0 && matches!(text.low(at - 1), "on" | "dt" | "date" | "dated");
            match year {
                Some(year) => Some((
                    behind + 1,
                    DateParts {
                        first,
                        second,
                        year: Some(year),
                        named: true,
                    },
                )),
                None => told.then_some((
                    next,
                    DateParts {
                        first,
                        second,
                        year: None,
                        named: true,
                    },
                )),
            }
        }
        TokenKind::Address | TokenKind::Link | TokenKind::Sign(_) | TokenKind::Line => None,
    }
}

fn year_behind(text: &MessageText, at: usize) -> (usize, Option<(usize, i32)>) {
    let joined = text.is_sign(at, &['-', '/', '\'', ',', '.']);
    let next = if joined { at + 1 } else { at };
    match year(text.low(next)) {
        Some(found) if found.0 == 4 || (joined && !text.is_sign(at, &[',', '.'])) => (next + 1, Some(found)),
        // "3 Nov 26": not before a time.
        Some(found) if !text.is_sign(next + 1, &[':']) && !joined && text.kind(next) == TokenKind::Number => {
            (next + 1, Some(found))
        }
        _ => (at, None),
    }
}

fn split_letters(word: &str) -> Option<(&str, &str)> {
    let at = word.find(|c: char| c.is_ascii_digit())?;
    Some((word.get(..at)?, word.get(at..)?))
}

/// `03.11.2026`, which is one number among the tokens.
fn dotted(word: &str) -> Option<DateParts> {
    let mut parts = word.split('.');
    let (first, second, third) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    Some(DateParts {
        first: small_number(first)?,
        second: small_number(second)?,
        year: Some(year(third)?),
        named: false,
    })
}

/// All times of day outside the dates, with their places.
pub(super) fn find_times(text: &MessageText, dates: &[TokenRange]) -> Vec<(TokenRange, NaiveTime)> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let free = !dates.iter().any(|range| range.has(at));
        match free.then(|| time_at(text, at)).flatten() {
            Some((to, time)) => {
                out.push((TokenRange { from: at, to }, time));
                at = to;
            }
            None => at += 1,
        }
    }
    out
}

fn time_at(text: &MessageText, at: usize) -> Option<(usize, NaiveTime)> {
    if text.kind(at) != TokenKind::Number {
        return None;
    }
    let hour = small_number(text.low(at))?;
    let half = |at: usize| match text.low(at) {
        "am" | "a" => Some(false),
        "pm" | "p" => Some(true),
        _ => None,
    };
    let clock = |hour: u32, half: Option<bool>| match (hour, half) {
        (12, Some(false)) => 0,
        (1..=11, Some(true)) => hour + 12,
        _ => hour,
    };
    if !text.is_sign(at + 1, &[':']) {
        let half = half(at + 1).filter(|_| matches!(text.low(at + 1), "am" | "pm"))?;
        return Some((at + 2, NaiveTime::from_hms_opt(clock(hour, Some(half)), 0, 0)?));
    }
    let minute = text.low(at + 2);
    let minute = small_number(minute).filter(|_| minute.len() == 2)?;
    let mut to = at + 3;
    let mut second = 0;
    if text.is_sign(to, &[':'])
        && let Some(found) = small_number(text.low(to + 1))
    {
        second = found;
        to += 2;
    }
    let told = half(to).filter(|_| matches!(text.low(to), "am" | "pm"));
    if told.is_some() {
        to += 1;
    }
    Some((to, NaiveTime::from_hms_opt(clock(hour, told), minute, second)?))
}
