//! `aura ledger`: the attention of one day.
//!
//! What: the account and its rows. Why: three interruptions a day is a promise, and here is its book. Not here: the rules of
//! the account (`orchestrator_machine::ledger`).

use super::{
    args::LedgerArgs,
    error::CliError,
    exit::CommandExit,
    out::CommandOutput,
    records::{StoreAccess, local, zone},
};
use aura_memory::{
    LedgerRow,
    audit::{AuditSubject, Kind},
};
use aura_runtime::book::account;
use chrono::NaiveDate;
use chrono_tz::Tz;
use serde::Serialize;
use surfaces_base::language::{say, text};
use toolcall_schema::{Timestamp, ids::TraceId, ledger::LedgerEntry, trace::LedgerView};

#[derive(Serialize)]
struct LedgerReport {
    /// Absent: no decision of that day is kept, so its ceiling is not known.
    account: Option<LedgerView>,
    day: NaiveDate,
    rows: Vec<LedgerReportRow>,
}

#[derive(Serialize)]
struct LedgerReportRow {
    at: Timestamp,
    entry: &'static str,
    tokens: u8,
    trace_id: Option<TraceId>,
}

/// Runs `aura ledger`.
///
/// # Errors
/// [`CliError`] when the store cannot be read, or nothing is recorded and no day was named.
pub(crate) fn run(args: &LedgerArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let records = StoreAccess::open_to_show(&args.data.vault()?)?;
    let newest = records.newest()?;
    let zone = newest.as_ref().map_or(Tz::UTC, zone);
    let none = || CliError::NotThere(text("cli-ledger-no-decision").to_owned());
    let day = match (args.day, &newest) {
        (Some(day), _) => day,
        (None, Some(trace)) => trace.ledger_after.day,
        (None, None) => return Err(none()),
    };
    records.shows(AuditSubject::all_of(Kind::Ledger))?;
    let rows = records.reader.ledger_rows(day)?;
    let book = LedgerReport {
        account: ceiling(&records, day, &rows)?.map(|ceiling| account(day, ceiling, &rows)),
        day,
        rows: rows.iter().map(LedgerReportRow::from_row).collect(),
    };
    if args.format.json {
        out.json(&book)?;
        return Ok(CommandExit::Ok);
    }
    out.text(&match &book.account {
        Some(a) => say!(
            "cli-ledger-day",
            day = day.to_string(),
            free = a.free,
            ceiling = a.ceiling,
            spent = a.settled,
            held = a.reserved,
            back = a.refunded
        ),
        None => say!("cli-ledger-no-decision-of-day", day = day.to_string()),
    })?;
    let cells: Vec<[String; 4]> = rows.iter().map(|row| cells_of(row, zone)).collect();
    if !cells.is_empty() {
        let head = [
            text("cli-ledger-column-time"),
            text("cli-ledger-column-entry"),
            text("cli-ledger-column-tokens"),
            text("cli-ledger-column-trace"),
        ];
        out.table(head, &cells)?;
    }
    Ok(CommandExit::Ok)
}

impl LedgerReportRow {
    fn from_row(row: &LedgerRow) -> Self {
        let at = Timestamp::from_ms(row.at_ms);
        Self {
            at,
            entry: row.entry.as_str(),
            tokens: row.tokens,
            trace_id: row.trace_id.clone(),
        }
    }
}

fn cells_of(row: &LedgerRow, zone: Tz) -> [String; 4] {
    let trace = row.trace_id.as_ref().map_or("-", |id| id.as_str());
    [
        local(Timestamp::from_ms(row.at_ms), zone),
        entry_in_words(row.entry).to_owned(),
        row.tokens.to_string(),
        trace.to_owned(),
    ]
}

fn entry_in_words(entry: LedgerEntry) -> &'static str {
    match entry {
        LedgerEntry::Reserve => text("cli-ledger-entry-reserve"),
        LedgerEntry::Settle => text("cli-ledger-entry-settle"),
        LedgerEntry::Release => text("cli-ledger-entry-release"),
        LedgerEntry::Refund => text("cli-ledger-entry-refund"),
        LedgerEntry::Forfeit => text("cli-ledger-entry-forfeit"),
        LedgerEntry::Ceiling => text("cli-ledger-entry-ceiling"),
    }
}

/// The day's ceiling: that of its newest trace, or of the row that opened it when there is no trace of it.
fn ceiling(records: &StoreAccess, day: NaiveDate, rows: &[LedgerRow]) -> Result<Option<u8>, CliError> {
    for row in records.newest_first() {
        let trace = records.parse(&row?)?;
        if trace.ledger_after.day == day {
            return Ok(Some(trace.ledger_after.ceiling));
        }
    }
    let opened = rows.iter().rev().find(|row| row.entry == LedgerEntry::Ceiling);
    Ok(opened.map(|row| row.tokens))
}
