//! What a look into a source says before the source is read.
//!
//! What: [`SourceFigures`], [`StatementColumns`], [`StatementRow`] and [`TaskCount`]. Why: the process that looks, the orchestrator that asks it and the page that shows it say the same. Not here: looking
//! (`agents::source_preview`), how it is said (`surfaces_base::words`).

use crate::{Timestamp, signal::Direction, tick::SkippedItem};
use chrono::NaiveDate;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

/// How much a source holds, and from when to when.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFigures {
    /// Things that were read: mails, people, events, payments, measurements.
    pub items: u32,
    /// Of people, their addresses and numbers.
    pub addresses: u32,
    /// Of mails, those of the last day.
    pub lately: u32,
    /// Payments that would be entered.
    pub payments: u32,
    /// Nights with a length of sleep.
    pub nights: u32,
    /// The owner's local day of the first and of the last of them, where they have one.
    pub first: Option<NaiveDate>,
    pub last: Option<NaiveDate>,
    /// When the newest was.
    pub newest: Option<Timestamp>,
    /// Things that were left out, and why: each code once, with how many it stands for and where the first of them is.
    pub skipped: u32,
    pub skips: Vec<SkippedItem>,
    /// Whether all of it was read; a large source is looked at in part.
    pub complete: bool,
    /// Of a calendar or list: its tasks, which are not among the items.
    pub tasks: TaskCount,
}

/// Which columns of a bank's export hold what, by their names; `#3` is the third of a file without a header.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StatementColumns {
    pub date: String,
    /// One column of amounts,
    pub amount: Option<String>,
    /// or one of what went out and one of what came in.
    pub money_out: Option<String>,
    pub money_in: Option<String>,
    pub payee: Option<String>,
    /// What is taken where the payee's is empty.
    pub text: Option<String>,
    pub balance: Option<String>,
}

impl StatementColumns {
    /// All names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let others = [
            &self.amount,
            &self.money_out,
            &self.money_in,
            &self.payee,
            &self.text,
            &self.balance,
        ];
        let others = others.into_iter().flatten().map(String::as_str);
        std::iter::once(self.date.as_str()).chain(others)
    }
}

/// A row as it would be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatementRow {
    pub line: u64,
    /// The local day, `2026-11-03`.
    pub day: String,
    /// The day by the other order of day and month, while that is a question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_day: Option<String>,
    pub amount: Decimal,
    /// Empty while it is a question.
    pub currency: String,
    pub direction: Direction,
    /// The payee's name as it would be read; empty: nobody is named.
    pub payee: String,
}

/// How many tasks a source has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskCount {
    /// All of them, also what is done.
    pub read: u32,
    /// What is not done.
    pub open: u32,
    /// Of those, due today or within the six days after it.
    pub due: u32,
    /// Of those, due before today.
    pub overdue: u32,
}
