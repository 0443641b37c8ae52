//! Journals of hledger and ledger.
//!
//! What: [`Journal`], an iterator over the payments of a journal. Why: who keeps a journal has sorted already. A subset:
//! entries with everything that may stand in them, `include`, `account`, `commodity`, `decimal-mark`, `D`, `P`, `Y`, `apply
//! year`, comments. Not here: what an entry means (`postings`); periodic and automated entries, aliases and timeclock, which
//! are left out.

use super::{
    Made, Place, Told,
    inputs::{Input, Inputs},
    postings::{Entry, Mark, Posting, amounts, money},
};
use crate::{
    finance::code,
    shared::{SOURCE_UNREADABLE, SkipCode},
};
use chrono::NaiveDate;
use chrono_tz::Tz;
use std::collections::{BTreeMap, VecDeque};

/// Commodities whose style is remembered.
const MAX_STYLES: usize = 256;

/// A journal that is read.
pub(in crate::finance) struct Journal {
    inputs: Inputs,
    zone: Tz,
    year: Option<i32>,
    /// The commodity of amounts without one.
    usual: String,
    mark: Option<Mark>,
    styles: BTreeMap<String, Mark>,
    entry: Option<Entry>,
    /// Within `comment` and `end comment`.
    comment: bool,
    out: VecDeque<(Place, Result<Told, SkipCode>)>,
    made: Made,
    over: bool,
}

impl Journal {
    /// A journal of an owner in `zone`.
    pub(super) fn new(input: Input, zone: Tz) -> Self {
        Self {
            inputs: Inputs::new(input),
            zone,
            year: None,
            usual: String::new(),
            mark: None,
            styles: BTreeMap::new(),
            entry: None,
            comment: false,
            out: VecDeque::new(),
            made: Made::default(),
            over: false,
        }
    }

    /// Bytes that were read.
    pub(super) fn read(&self) -> u64 {
        self.inputs.read()
    }

    /// Whether any file was included.
    pub(super) fn has_included(&self) -> bool {
        self.inputs.has_included()
    }

    fn line(&mut self, line: &str, place: Place) {
        if self.comment {
            self.comment = line.trim() != "end comment";
            return;
        }
        if line.starts_with([' ', '\t']) {
            let line = line.trim();
            // A directive's own lines belong to nothing that is kept, but for a commodity's format.
            if let Some(format) = line.strip_prefix("format ") {
                self.style(format);
            } else if let Some(mut entry) = self.entry.take() {
                self.posting(line, &mut entry);
                self.entry = Some(entry);
            }
            return;
        }
        self.close();
        let word = line.split_whitespace().next().unwrap_or_default();
        let rest = line.get(word.len()..).unwrap_or_default().trim();
        match word {
            "comment" => self.comment = true,
            "include" | "!include" => {
                if let Err(code) = self.inputs.include(rest) {
                    self.out.push_back((place, Err(code)));
                }
            }
            "commodity" => self.style(rest),
            "decimal-mark" => {
                self.mark = Some(if rest.starts_with(',') {
                    Mark::Comma
                } else {
                    Mark::Point
                });
            }
            "D" => {
                self.style(rest);
                if let Some(money) = money(rest, Mark::Unsaid, "") {
                    self.usual = money.currency;
                }
            }
            "year" => self.year = rest.parse().ok(),
            "apply" => {
                if let Some(year) = rest.strip_prefix("year") {
                    self.year = year.trim().parse().ok();
                }
            }
            "end" if rest.starts_with("apply year") => self.year = None,
            _ if line.starts_with('Y') && line.get(1..).is_some_and(|rest| is_year(rest.trim())) => {
                self.year = line.get(1..).and_then(|rest| rest.trim().parse().ok());
            }
            _ if line.starts_with(|c: char| c.is_ascii_digit()) => match self.head(line, place.line) {
                Some(entry) => self.entry = Some(entry),
                None => self.out.push_back((place, Err(code::JOURNAL_ENTRY))),
            },
            _ => {}
        }
    }

    /// Remembers how numbers of a commodity are written: `1.000,00 EUR`.
    fn style(&mut self, format: &str) {
        let format = format.split(';').next().unwrap_or_default();
        let mark = match (format.rfind('.'), format.rfind(',')) {
            (Some(point), Some(comma)) if comma > point => Mark::Comma,
            (None, Some(_)) => Mark::Comma,
            (Some(_), _) => Mark::Point,
            (None, None) => return,
        };
        if let Some(money) = money(format, mark, "")
            && self.styles.len() < MAX_STYLES
        {
            self.styles.insert(money.currency, mark);
        }
    }

    /// The first line of an entry: `2026-11-03=2026-11-05 * (123) payee | note ; comment`.
    fn head(&self, line: &str, at: u64) -> Option<Entry> {
        let line = line.split(';').next().unwrap_or_default();
        let end = line.find(char::is_whitespace).unwrap_or(line.len());
        let (dates, rest) = (line.get(..end)?, line.get(end..)?.trim());
        let date = date(dates.split('=').next()?, self.year)?;
        let rest = rest.strip_prefix(['*', '!']).unwrap_or(rest).trim();
        let (reference, payee) = match rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
            Some((code, payee)) => (super::narration::number(code), payee),
            None => (None, rest),
        };
        Some(Entry {
            line: at,
            date,
            payee: payee.split('|').next().unwrap_or_default().trim().to_owned(),
            reference,
            postings: Vec::new(),
            broken: false,
        })
    }

    /// A line of an entry: `* account  amount ; comment`.
    fn posting(&self, line: &str, entry: &mut Entry) {
        let line = line.split(';').next().unwrap_or_default().trim();
        let line = line.strip_prefix(['*', '!']).unwrap_or(line).trim();
        // A virtual posting is no money.
        if line.is_empty() || line.starts_with(['(', '[']) {
            return;
        }
        let end = line
            .find("  ")
            .into_iter()
            .chain(line.find('\t'))
            .min()
            .unwrap_or(line.len());
        let (account, amount) = (
            line.get(..end).unwrap_or_default(),
            line.get(end..).unwrap_or_default(),
        );
        let mark = self.mark.unwrap_or_else(|| {
            let styled = self.styles.iter().find(|(name, _)| {
                !name.is_empty() && amount.contains(name.as_str()) || is_symbol_of(name, amount)
            });
            styled.map_or(Mark::Unsaid, |(_, mark)| *mark)
        });
        match amounts(amount, mark, &self.usual) {
            Some((amount, cost)) => entry.postings.push(Posting {
                account: account.to_owned(),
                amount,
                cost,
            }),
            None => entry.broken = true,
        }
    }

    /// Ends the entry that was read.
    fn close(&mut self) {
        if let Some(entry) = self.entry.take() {
            let place = self.inputs.place(entry.line);
            match entry.payments(self.zone) {
                Ok(found) => {
                    for found in found {
                        let found = self.made.told(found, self.zone);
                        self.out.push_back((place.clone(), Ok(Told::Payment(found))));
                    }
                }
                Err(code) => self.out.push_back((place, Err(code))),
            }
        }
    }
}

impl Iterator for Journal {
    type Item = (Place, Result<Told, SkipCode>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(told) = self.out.pop_front() {
                return Some(told);
            }
            if self.over {
                return None;
            }
            match self.inputs.line() {
                Ok(Some((line, place))) => match line {
                    Some(line) => self.line(&line, place),
                    None => return Some((place, Err(code::ROW_TOO_LONG))),
                },
                Ok(None) => {
                    self.close();
                    self.over = !self.inputs.leave();
                }
                Err(_) => {
                    self.over = true;
                    return Some((self.inputs.place(0), Err(SOURCE_UNREADABLE)));
                }
            }
        }
    }
}

fn is_year(text: &str) -> bool {
    text.len() == 4 && text.bytes().all(|b| b.is_ascii_digit())
}

/// Whether an amount is written with the sign of a commodity whose name is known.
fn is_symbol_of(name: &str, amount: &str) -> bool {
    let symbol = match name {
        "INR" => "₹",
        "USD" => "$",
        "EUR" => "€",
        "GBP" => "£",
        "JPY" => "¥",
        _ => return false,
    };
    amount.contains(symbol)
}

/// A date by `-`, `/` or `.`, year first, or without a year.
fn date(text: &str, year: Option<i32>) -> Option<NaiveDate> {
    let parts: Vec<&str> = text.split(['-', '/', '.']).collect();
    let number = |text: &str| text.parse::<u32>().ok();
    match parts.as_slice() {
        [y, m, d] if y.len() == 4 => NaiveDate::from_ymd_opt(y.parse().ok()?, number(m)?, number(d)?),
        [m, d] => NaiveDate::from_ymd_opt(year?, number(m)?, number(d)?),
        _ => None,
    }
}
