//! `aura trace`: what was decided, and why.
//!
//! What: the list, one drawer as text, and the explanation. Why: every decision and every silence can be looked up
//! beside a running service. Not here: the words of a drawer (`surfaces::render`), of an explanation (`why`).

use super::{
    args::{TraceCommand, TraceListArgs, TraceShowArgs, TraceWhyArgs},
    error::CliError,
    exit::CommandExit,
    moment, moments, names,
    out::CommandOutput,
    records::{StoreAccess, local, zone},
    why,
};
use aura_memory::{
    TraceRow,
    audit::{AuditSubject, Kind},
};
use aura_runtime::journal::JournalReplay;
use orchestrator_machine::policy::{self, Policy};
use serde::Serialize;
use std::borrow::Cow;
use surfaces::render::{drawer, text};
use surfaces_base::{
    backend::DisplayNames,
    language::{self, say},
};
use toolcall_schema::{Outcome, ReasonCode, Timestamp, ids::TraceId, tick::TriggerSource, trace::Trace};

/// One line of the list.
#[derive(Serialize)]
struct TraceListRow<'a> {
    trace_id: &'a TraceId,
    tick: u64,
    at: Timestamp,
    local: String,
    trigger: TriggerSource,
    chosen: &'static str,
    outcome: Outcome,
    reason_code: Option<ReasonCode>,
    #[serde(skip)]
    trace: &'a Trace,
}

impl<'a> TraceListRow<'a> {
    fn from_trace(trace: &'a Trace) -> Self {
        Self {
            trace_id: &trace.trace_id,
            tick: trace.decision.tick,
            at: trace.decision.ts,
            local: local(trace.decision.ts, zone(trace)),
            trigger: trace.decision.trigger.source,
            chosen: trace.chosen_name(),
            outcome: trace.outcome,
            reason_code: trace.reason_code,
            trace,
        }
    }

    fn cells(&self, moment: String) -> [String; 6] {
        [
            self.trace_id.to_string(),
            moment,
            names::trigger(self.trigger).into_owned(),
            names::chosen(self.trace).into_owned(),
            names::ended(self.trace).into_owned(),
            self.reason_code
                .map_or(Cow::Borrowed("-"), names::reason)
                .into_owned(),
        ]
    }
}

/// Runs `aura trace …`.
///
/// # Errors
/// [`CliError`] when the store or the trace cannot be read.
pub(crate) fn run(command: &TraceCommand, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    match command {
        TraceCommand::List(args) => list(args, out),
        TraceCommand::Show(args) => show(args, out),
        TraceCommand::Why(args) => explain(args, out),
    }
}

/// A trace that cannot be read is said and passed over, so that it does not hide the others; the exit code tells.
fn list(args: &TraceListArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let records = StoreAccess::open_to_show(&args.data.vault()?)?;
    records.shows(AuditSubject::all_of(Kind::Traces))?;
    let mut exit = CommandExit::Ok;
    let mut cells = Vec::new();
    let mut left = args.limit;
    for row in records.newest_first() {
        if left == 0 {
            break;
        }
        let Ok(trace) = records
            .parse(&row?)
            .inspect_err(|error| tracing::error!(%error, "a trace cannot be read"))
        else {
            exit = CommandExit::Data;
            continue;
        };
        // A clock that was wrong may have put days out of order, so an earlier one does not end the search.
        let day = trace.decision.ledger_before.day;
        if args.day.is_some_and(|wanted| day != wanted) {
            continue;
        }
        left -= 1;
        let listed = TraceListRow::from_trace(&trace);
        if args.format.json {
            out.json(&listed)?;
        } else {
            cells.push(listed.cells(out.moment(listed.at, zone(&trace))));
        }
    }
    if !args.format.json {
        if cells.is_empty() {
            out.text(language::text("cli-trace-none"))?;
        } else {
            out.table(
                [
                    language::text("cli-trace-column-trace"),
                    language::text("cli-trace-column-when"),
                    language::text("cli-trace-column-trigger"),
                    language::text("cli-trace-column-chosen"),
                    language::text("cli-trace-column-outcome"),
                    language::text("cli-trace-column-reason"),
                ],
                &cells,
            )?;
        }
    }
    Ok(exit)
}

fn show(args: &TraceShowArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let records = StoreAccess::open_to_show(&args.data.vault()?)?;
    let row = records.row(&args.id)?;
    records.shows(AuditSubject::one(Kind::Trace, row.trace_id.as_str()))?;
    if args.format.json {
        out.stored_json(&row.json)?;
    } else {
        let trace = records.parse(&row)?;
        out.text(&text::drawer(&drawer::drawer_of_trace(
            &trace,
            &DisplayNames::default(),
            None,
        )))?;
    }
    Ok(CommandExit::Ok)
}

fn explain(args: &TraceWhyArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let records = StoreAccess::open_to_show(&args.data.vault()?)?;
    let (row, asked) = match (&args.id, &args.at) {
        (Some(id), _) => (records.row(id)?, None),
        (None, Some(time)) => in_force_at(&records, time)?,
        (None, None) => return Err(CliError::Usage(language::text("cli-trace-name-one").to_owned())),
    };
    records.shows(AuditSubject::one(Kind::Trace, row.trace_id.as_str()))?;
    let trace = records.parse(&row)?;
    let policy = policy_of(&records, &trace.decision.policy_hash)?;
    let moment = match asked {
        Some(at) => JournalReplay::open(&args.data.vault()?, None)
            .map_err(CliError::from)
            .and_then(|journal| moment::moment_at(journal, at))
            .inspect_err(|error| tracing::warn!("how it stood then cannot be said: {}", error.with_causes()))
            .ok()
            .flatten(),
        None => None,
    };
    let explained = why::explain(&trace, policy.as_ref(), asked, moment);
    if args.format.json {
        out.json(&explained)?;
    } else {
        out.text(&explained.to_text())?;
    }
    Ok(CommandExit::Ok)
}

/// The policy that a trace was made with: the built-in one, or a stored one.
fn policy_of(records: &StoreAccess, hash: &str) -> Result<Option<Policy>, CliError> {
    let built_in = Policy::parse(policy::DEFAULT_TEXT)
        .ok()
        .filter(|policy| policy.hash() == hash);
    if built_in.is_some() {
        return Ok(built_in);
    }
    Ok(records
        .reader
        .policy(hash)?
        .and_then(|text| Policy::parse(&text).ok()))
}

/// The last decision up to a time, and that time.
fn in_force_at(records: &StoreAccess, time: &str) -> Result<(TraceRow, Option<Timestamp>), CliError> {
    let none = || CliError::NotThere(language::text("cli-trace-none-until-then").to_owned());
    let newest = records.newest()?.ok_or_else(none)?;
    let day = newest.decision.ledger_before.day;
    let at = moments::instant_by_the_end(time, day, zone(&newest)).ok_or_else(|| {
        let zone = &newest.decision.user.zone;
        CliError::Usage(say!("cli-trace-time", zone))
    })?;
    for row in records.newest_first() {
        let row = row?;
        if records.parse(&row)?.decision.ts <= at {
            return Ok((row, Some(at)));
        }
    }
    Err(none())
}
