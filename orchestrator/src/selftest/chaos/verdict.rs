//! What was lost.
//!
//! What: [`judge`] holds what the users were told and what left against what the data folder has kept. Why: the service's own
//! word that all is well proves nothing. Not here: how it came to it.

use super::{Report, check, house::House, load::Told};
use crate::service::ServiceError;
use aura_memory::Reader;
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

    let unlike = check::unlike(house)?;
    report.not_replayed = unlike.len() as u64;
    let unkept = told.ledger.compare(&told.ledger, &check::kept(house)?);
    report.payments = told.ledger.payments();
    report.lost_payments = unkept.lost.len() as u64;
    report.doubled_payments = unkept.doubled.len() as u64;
    report.lost_rules = unkept.rules.len() as u64;
    let refused: Vec<String> = told.ledger.refused().cloned().collect();
    report.refused_commands = refused.len() as u64;
    let all = [
        lost,
        twice,
        in_vain,
        unlike,
        unkept.lost,
        unkept.doubled,
        unkept.rules,
        refused,
    ];
    for line in all.into_iter().flat_map(|lines| lines.into_iter().take(LINES)) {
        report.wrong.insert(line);
    }
    Ok(())
}
