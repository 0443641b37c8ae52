//! The attention of one day.
//!
//! What: the account and its rows. Why: what is free follows from the rows, and whoever doubts can add them up. Not here: the rules of
//! the account (`orchestrator-machine`).

use chrono::NaiveDate;
use toolcall_schema::{Timestamp, ids::TraceId, ledger::LedgerEntry, trace::LedgerView};

/// The book of a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerDay {
    /// When this was put together (wall clock).
    pub at: Timestamp,
    /// The owner's time zone, an IANA name.
    pub zone: String,
    /// Which day.
    pub day: NaiveDate,
    /// What the rows make; absent: no decision of that day is kept, so its ceiling is not known.
    pub account: Option<LedgerView>,
    /// In the order of writing.
    pub rows: Vec<LedgerDayRow>,
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerDayRow {
    /// When (wall clock).
    pub at: Timestamp,
    /// What happened.
    pub entry: LedgerEntry,
    /// How many.
    pub tokens: u8,
    /// For which decision.
    pub trace_id: Option<TraceId>,
    /// Free tokens after it; absent where the ceiling is not known.
    pub free: Option<u8>,
}
