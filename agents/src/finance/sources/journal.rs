//! Journals of hledger and ledger.
//!
//! What: [`Hledger`], the syntax of their lines. Why: who keeps a journal has sorted already. A subset:
//! entries with everything that may stand in them, `include`, `account`, `commodity`, `decimal-mark`, `D`, `P`, `Y`, `apply
//! year`, comments. Not here: what an entry means (`postings`); periodic and automated entries, aliases and timeclock, which
//! are left out.

use super::{
    Place,
    entries::{Entries, Open, Syntax},
    postings::{Entry, Mark, Posting, amounts, money},
};
use crate::finance::code;
use chrono::NaiveDate;
use std::collections::BTreeMap;

/// Commodities whose style is remembered.
const MAX_STYLES: usize = 256;

/// A journal of hledger or ledger.
pub(in crate::finance) type Journal = Entries<Hledger>;

/// What earlier lines said about those that follow.
#[derive(Default)]
pub(in crate::finance) struct Hledger {
    year: Option<i32>,
    /// The commodity of amounts without one.
    usual: String,
    mark: Option<Mark>,
    styles: BTreeMap<String, Mark>,
    /// Within `comment` and `end comment`.
    comment: bool,
}

impl Syntax for Hledger {
    fn line(&mut self, open: &mut Open, line: &str, place: Place) {
        if self.comment {
            self.comment = line.trim() != "end comment";
            return;
        }
        if line.starts_with([' ', '\t']) {
            let line = line.trim();
            // A directive's own lines belong to nothing that is kept, but for a commodity's format.
            if let Some(format) = line.strip_prefix("format ") {
                self.style(format);
            } else if let Some(mut entry) = open.entry.take() {
                self.posting(line, &mut entry);
                open.entry = Some(entry);
            }
            return;
        }
        open.close();
        let word = line.split_whitespace().next().unwrap_or_default();
        let rest = line.get(word.len()..).unwrap_or_default().trim();
        match word {
            "comment" => self.comment = true,
            "include" | "!include" => {
                if let Err(code) = open.inputs.include(rest) {
                    open.skip(place, code);
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
                Some(entry) => open.entry = Some(entry),
                None => open.skip(place, code::JOURNAL_ENTRY),
            },
            _ => {}
        }
    }
}

impl Hledger {
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
