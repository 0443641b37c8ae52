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

/// The date that begins at a token, and the token behind it.
fn date_at(text: &MessageText, at: usize) -> Option<(usize, DateParts)> {
    match text.kind(at) {
        TokenKind::Number if is_part_of_longer(text, at) => None,
        TokenKind::Number => dotted(text.low(at))
            .map(|parts| (at + 1, parts))
            .or_else(|| day_and_month_with_point(text, at))
            .or_else(|| {
                if is_year_first(text, at) {
                    year_first(text, at)
                } else {
                    day_first(text, at)
                }
            }),
        TokenKind::Mixed => in_one_word(text, at),
        TokenKind::Word => month_first(text, at),
        TokenKind::Address | TokenKind::Link | TokenKind::Sign(_) | TokenKind::Line => None,
    }
}

/// Whether a number stands directly behind a sign that belongs to it, as a part of something longer.
fn is_part_of_longer(text: &MessageText, at: usize) -> bool {
    at > 0
        && !text.is_spaced(at)
        && text.is_sign(at - 1, &['/'])
        && !matches!(text.kind(at.wrapping_sub(2)), TokenKind::Word | TokenKind::Line)
}

/// Whether the word before is one of those that tell a date.
fn is_told_by(text: &MessageText, at: usize, words: &[&str]) -> bool {
    at.checked_sub(1)
        .is_some_and(|before| words.contains(&text.low(before)))
}

/// "am 04.11.": a day and a month with a point behind them.
fn day_and_month_with_point(text: &MessageText, at: usize) -> Option<(usize, DateParts)> {
    if !is_told_by(text, at, &["am", "vom"]) || !text.is_sign(at + 1, &['.']) || text.is_spaced(at + 1) {
        return None;
    }
    let (day, month) = text.low(at).split_once('.')?;
    let parts = DateParts {
        first: small_number(day)?,
        second: small_number(month)?,
        year: None,
        named: true,
    };
    Some((at + 2, parts))
}

fn is_year_first(text: &MessageText, at: usize) -> bool {
    let both = |signs: &[char]| text.is_sign(at + 1, signs) && text.is_sign(at + 3, signs);
    text.low(at).len() == 4 && (both(&[':']) || both(&['-', '/', '.']))
}

/// "2026-11-03"; "2026:11:03 10:14:20", a book's own form.
fn year_first(text: &MessageText, at: usize) -> Option<(usize, DateParts)> {
    let last = text.low(at + 4);
    let parts = DateParts {
        first: small_number(last.split_once('t').map_or(last, |(day, _)| day))?,
        second: small_number(text.low(at + 2))?,
        year: Some(year(text.low(at))?),
        named: true,
    };
    Some((at + 5, parts))
}

/// "3/11/2026", "3-11" behind a word that tells a date, "3rd Nov 2026".
fn day_first(text: &MessageText, at: usize) -> Option<(usize, DateParts)> {
    let first = small_number(text.low(at))?;
    if text.is_sign(at + 1, &['-', '/'])
        && let Some(second) = small_number(text.low(at + 2))
    {
        return in_numbers(text, at, (first, second));
    }
    with_named_month(text, at, first)
}

/// A date of numbers alone, which may have its day or its month first.
fn in_numbers(text: &MessageText, at: usize, (first, second): (u32, u32)) -> Option<(usize, DateParts)> {
    let parts = |year| DateParts {
        first,
        second,
        year,
        named: false,
    };
    let is_same_sign = text.raw(at + 1) == text.raw(at + 3);
    if let Some(year) = year(text.low(at + 4)).filter(|_| is_same_sign) {
        return Some((at + 5, parts(Some(year))));
    }
    let told = is_told_by(text, at, &["on", "dt", "date", "dated", "am", "vom", "dt."]);
    let ends = !text.is_sign(at + 3, &['/', '-']) || text.is_spaced(at + 3);
    (told && ends).then(|| (at + 3, parts(None)))
}

/// "3rd Nov 2026", "03-Nov-26", "03-Nov26".
fn with_named_month(text: &MessageText, at: usize, first: u32) -> Option<(usize, DateParts)> {
    let mut next = behind_ordinal(text, at + 1);
    if text.is_sign(next, &['-', '/', '.', ' ']) {
        next += 1;
    }
    if text.low(next) == "of" {
        next += 1;
    }
    let (name, (to, year)) = match text.kind(next) {
        TokenKind::Mixed => {
            let (name, digits) = split_letters(text.low(next))?;
            (name, (next + 1, Some(year(digits)?)))
        }
        TokenKind::Word => (text.low(next), year_behind(text, next + 1)),
        TokenKind::Number | TokenKind::Address | TokenKind::Link | TokenKind::Sign(_) | TokenKind::Line => {
            return None;
        }
    };
    let parts = DateParts {
        first,
        second: month(name)?,
        year,
        named: true,
    };
    Some((to, parts))
}

/// "03Nov", "03Nov26".
fn in_one_word(text: &MessageText, at: usize) -> Option<(usize, DateParts)> {
    let word = text.low(at);
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let (day, rest) = word.split_at_checked(digits)?;
    let letters = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
    let (name, tail) = rest.split_at_checked(letters)?;
    let (to, year) = if tail.is_empty() {
        year_behind(text, at + 1)
    } else {
        (at + 1, Some(year(tail)?))
    };
    let parts = DateParts {
        first: small_number(day)?,
        second: month(name)?,
        year,
        named: true,
    };
    Some((to, parts))
}

/// "Nov 3, 2026"; without a year only where it is told as a date.
fn month_first(text: &MessageText, at: usize) -> Option<(usize, DateParts)> {
    let second = month(text.low(at))?;
    let mut next = at + 1;
    if text.is_sign(next, &['.', '-']) {
        next += 1;
    }
    let first = small_number(text.low(next)).filter(|day| (1..=31).contains(day))?;
    next = behind_ordinal(text, next + 1);
    let behind = next + usize::from(text.is_sign(next, &[',', '-']));
    let year = year(text.low(behind)).filter(|(len, _)| *len == 4);
    if year.is_none() && !is_told_by(text, at, &["on", "dt", "date", "dated"]) {
        return None;
    }
    let parts = DateParts {
        first,
        second,
        year,
        named: true,
    };
    Some((if year.is_some() { behind + 1 } else { next }, parts))
}

/// The token behind the letters of "3rd".
fn behind_ordinal(text: &MessageText, at: usize) -> usize {
    at + usize::from(matches!(text.low(at), "st" | "nd" | "rd" | "th"))
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
