//! Journals of beancount.
//!
//! What: [`Beancount`], an iterator over the payments of a journal. Why: its entries are hledger's with another syntax. A
//! subset: transactions with flags, texts, tags, links, metadata, costs and prices, and `include`. Not here: what an entry
//! means (`postings`); other directives, which say nothing about payments, and arithmetic in amounts.

use super::{
    Made, Place, Told,
    inputs::{Input, Inputs},
    postings::{Entry, Mark, Posting, amounts},
};
use crate::{
    finance::code,
    shared::{SOURCE_UNREADABLE, SkipCode},
};
use chrono::NaiveDate;
use chrono_tz::Tz;
use std::collections::VecDeque;

/// A journal that is read.
pub(in crate::finance) struct Beancount {
    inputs: Inputs,
    zone: Tz,
    entry: Option<Entry>,
    out: VecDeque<(Place, Result<Told, SkipCode>)>,
    made: Made,
    over: bool,
}

impl Beancount {
    /// A journal of an owner in `zone`.
    pub(super) fn new(input: Input, zone: Tz) -> Self {
        Self {
            inputs: Inputs::new(input),
            zone,
            entry: None,
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
        let line = without_comment(line);
        if line.trim().is_empty() {
            return;
        }
        if line.starts_with([' ', '\t']) {
            if let Some(entry) = &mut self.entry {
                posting(line.trim(), entry);
            }
            return;
        }
        self.close();
        if let Some(path) = line.strip_prefix("include ") {
            if let Err(code) = self.inputs.include(path.trim().trim_matches('"')) {
                self.out.push_back((place, Err(code)));
            }
        } else if line.starts_with(|c: char| c.is_ascii_digit()) {
            match head(line, place.line) {
                Ok(entry) => self.entry = entry,
                Err(code) => self.out.push_back((place, Err(code))),
            }
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

impl Iterator for Beancount {
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

/// The first line of a dated directive: `2026-11-03 * "Payee" "Narration" #tag ^link`. `None` for another directive.
fn head(line: &str, at: u64) -> Result<Option<Entry>, SkipCode> {
    let (date, rest) = line.split_once(char::is_whitespace).ok_or(code::JOURNAL_ENTRY)?;
    let date =
        NaiveDate::parse_from_str(&date.replace('/', "-"), "%Y-%m-%d").map_err(|_| code::JOURNAL_ENTRY)?;
    let rest = rest.trim();
    let word = rest
        .split(|c: char| c.is_whitespace() || c == '"')
        .next()
        .unwrap_or_default();
    if !(word.is_empty()
        || matches!(
            word,
            "txn" | "*" | "!" | "&" | "#" | "?" | "%" | "P" | "S" | "T" | "C" | "U" | "R" | "M"
        ))
    {
        return Ok(None);
    }
    let texts: Vec<&str> = rest.split('"').skip(1).step_by(2).collect();
    // With one text only, it is the narration.
    let payee = texts.first().copied().unwrap_or_default();
    Ok(Some(Entry {
        line: at,
        date,
        payee: payee.trim().to_owned(),
        reference: rest
            .split_whitespace()
            .filter_map(|word| word.strip_prefix('^'))
            .find_map(super::narration::number),
        postings: Vec::new(),
        broken: false,
    }))
}

/// A line of an entry: `! Account  amount {cost} @ price`, or `key: value`.
fn posting(line: &str, entry: &mut Entry) {
    let line = line
        .strip_prefix(['*', '!', '&', '?', '%'])
        .unwrap_or(line)
        .trim();
    // Accounts begin with a capital, keys of metadata do not; tags and links may stand on lines of their own.
    if line.starts_with(|c: char| c.is_lowercase() || c == '#' || c == '^') {
        return;
    }
    let end = line.find(char::is_whitespace).unwrap_or(line.len());
    let (account, amount) = (
        line.get(..end).unwrap_or_default(),
        line.get(end..).unwrap_or_default(),
    );
    match amounts(amount, Mark::Point, "") {
        Some((amount, cost)) => entry.postings.push(Posting {
            account: account.to_owned(),
            amount,
            cost,
        }),
        None => entry.broken = true,
    }
}

/// A line up to a `;` that stands in no text.
fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    let end = line.char_indices().find(|(_, c)| {
        quoted ^= *c == '"';
        *c == ';' && !quoted
    });
    end.and_then(|(at, _)| line.get(..at)).unwrap_or(line)
}
