//! Journals of entries, whatever their syntax.
//!
//! What: [`JournalItems`], an iterator over the payments of a journal, and [`JournalSyntax`], what a line means. Why: hledger's and
//! beancount's journals differ in their lines and in nothing else. Not here: the lines (`journal`, `beancount`), what an
//! entry means (`postings`).

use super::{
    EntryCounter, SourceLocation, StatementItem,
    accounts::DeclaredAccounts,
    inputs::{InputStack, JournalInput},
    postings::JournalEntry,
};
use crate::code;
use agents_base::shared::{SOURCE_UNREADABLE, SkipCode};
use chrono_tz::Tz;
use std::collections::VecDeque;

/// What the lines of a journal mean.
pub(crate) trait JournalSyntax: Default {
    /// Takes one line.
    fn line(&mut self, open: &mut OpenJournal, line: &str, place: SourceLocation);

    /// Leaves a file that another includes.
    fn leave(&mut self) {}
}

/// What of a journal is being read.
pub(crate) struct OpenJournal {
    pub(super) inputs: InputStack,
    /// The entry whose lines are being read.
    pub(super) entry: Option<JournalEntry>,
    /// What was said about accounts.
    pub(super) accounts: DeclaredAccounts,
    out: VecDeque<(SourceLocation, Result<StatementItem, SkipCode>)>,
    zone: Tz,
    made: EntryCounter,
    over: bool,
}

impl OpenJournal {
    /// Tells of something that cannot be read.
    pub(super) fn skip(&mut self, place: SourceLocation, code: SkipCode) {
        self.out.push_back((place, Err(code)));
    }

    /// Ends the entry that was read.
    pub(super) fn close(&mut self) {
        if let Some(entry) = self.entry.take() {
            let place = self.inputs.place(entry.line);
            match entry.payments(&self.accounts, self.zone) {
                Ok(found) => {
                    for found in found {
                        let found = self.made.numbered(found, self.zone);
                        self.out
                            .push_back((place.clone(), Ok(StatementItem::Payment(found))));
                    }
                }
                Err(code) => self.skip(place, code),
            }
        }
    }
}

/// A journal that is read.
pub(crate) struct JournalItems<S> {
    syntax: S,
    open: OpenJournal,
}

impl<S: JournalSyntax> JournalItems<S> {
    /// A journal of an owner in `zone`.
    pub(super) fn new(input: JournalInput, zone: Tz) -> Self {
        Self {
            syntax: S::default(),
            open: OpenJournal {
                inputs: InputStack::new(input),
                entry: None,
                accounts: DeclaredAccounts::default(),
                out: VecDeque::new(),
                zone,
                made: EntryCounter::default(),
                over: false,
            },
        }
    }

    /// Bytes that were read.
    pub(super) fn read(&self) -> u64 {
        self.open.inputs.read()
    }

    /// Whether any file was included.
    pub(super) fn has_included(&self) -> bool {
        self.open.inputs.has_included()
    }
}

impl<S: JournalSyntax> Iterator for JournalItems<S> {
    type Item = (SourceLocation, Result<StatementItem, SkipCode>);

    fn next(&mut self) -> Option<Self::Item> {
        let Self { syntax, open } = self;
        loop {
            if let Some(told) = open.out.pop_front() {
                return Some(told);
            }
            if open.over {
                return None;
            }
            match open.inputs.line() {
                Ok(Some((Some(line), place))) => syntax.line(open, &line, place),
                Ok(Some((None, place))) => return Some((place, Err(code::ROW_TOO_LONG))),
                Ok(None) => {
                    open.close();
                    open.over = !open.inputs.leave();
                    syntax.leave();
                }
                Err(_) => {
                    open.over = true;
                    return Some((open.inputs.place(0), Err(SOURCE_UNREADABLE)));
                }
            }
        }
    }
}
