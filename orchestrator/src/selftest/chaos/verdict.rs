//! What was lost.
//!
//! What: [`judge`] holds what the users were told and what left against what the data folder has kept. Why: the service's own
//! word that all is well proves nothing. Not here: how it came to it.

use super::{Report, house::House, ledger, load::Told, tried};
use crate::service::ServiceError;
use aura_memory::Reader;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::{Outcome, trace::Trace};

/// At most so many lines of one kind.
const LINES: usize = 10;

/// Fills in what is known after the end.
pub(super) fn judge(house: &House, told: &Told, report: &mut Report) -> Result<(), ServiceError> {
    let rows = Reader::open(&house.vault()?)?.traces(usize::MAX, None)?;
    report.asked = told.asked;
    report.completed = rows.len() as u64;

    let ticks: BTreeSet<u64> = rows.iter().map(|row| row.tick).collect();
    let last = ticks.last().copied().unwrap_or_default();
    let left_out = (1..=last).filter(|tick| !ticks.contains(tick));
    let mut lost: Vec<String> = left_out.map(|tick| format!("tick {tick} has no trace")).collect();
    let kept: BTreeSet<&str> = rows.iter().map(|row| row.trace_id.as_str()).collect();
    let handed_out = told.traces.iter().map(|seen| seen.trace.as_str());
    lost.extend(
        handed_out
            .filter(|trace| !kept.contains(trace))
            .map(|trace| format!("trace {trace} was handed out and is not kept")),
    );
    report.lost = lost.len() as u64;

    let left = house.left();
    report.actions = left.values().map(|times| u64::from(*times)).sum();
    let twice: Vec<String> = left
        .iter()
        .filter(|(_, times)| **times > 1)
        .map(|((tick, slot), times)| format!("the {slot} action of tick {tick} left {times} times"))
        .collect();
    report.double_actions = twice.len() as u64;

    let traces: Vec<Trace> = rows
        .iter()
        .filter_map(|row| serde_json::from_str(&row.json).ok())
        .collect();
    let ends: BTreeMap<&str, &Trace> = traces
        .iter()
        .filter_map(|trace| Some((trace.decision.chosen.as_ref()?.card_id.as_str(), trace)))
        .collect();
    let in_vain: Vec<String> = told
        .confirmed
        .iter()
        .filter(|card| {
            let trace = ends.get(card.as_str());
            // A tool may have failed, and a crash may have hidden its answer: the confirmation stands in the trace all the same.
            !trace.is_some_and(|trace| trace.outcome == Outcome::Confirmed || trace.confirm.is_some())
        })
        .map(|card| format!("the confirmation of {card} was accepted and is in no trace"))
        .collect();
    report.lost_confirms = in_vain.len() as u64;

    let unlike = unlike(house)?;
    report.not_replayed = unlike.len() as u64;
    let unkept = ledger::judge(house, &told.ledger, report)?;
    for lines in [lost, twice, in_vain, unkept, unlike] {
        report.wrong.extend(lines.into_iter().take(LINES));
    }
    Ok(())
}

/// What `aura replay --verify` finds in the folder, one line each.
fn unlike(house: &House) -> Result<Vec<String>, ServiceError> {
    let done = house
        .command(&["replay", "--verify", "--json"])
        .arg(house.data())
        .output();
    let done = done.map_err(tried("make the traces again"))?;
    let lines = done.stdout.split(|byte| *byte == b'\n');
    let found: Vec<Value> = lines
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect();
    let said = |line: &Value| {
        let of = |name| line.get(name).and_then(Value::as_str).unwrap_or_default();
        format!("trace {}: {}", of("trace_id"), of("problem"))
    };
    let mut unlike: Vec<String> = found
        .iter()
        .filter(|line| line.get("code").is_some())
        .map(said)
        .collect();
    if unlike.is_empty() && !done.status.success() {
        unlike.push("the journal cannot be replayed: aura replay --verify".to_owned());
    }
    Ok(unlike)
}
