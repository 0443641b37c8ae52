//! What was lost.
//!
//! What: [`judge`] holds what the users were told and what left against what the data folder has kept. Why: the service's own
//! word that all is well proves nothing. Not here: how it came to it.

use super::{ChaosReport, check, house::ChaosHousehold, load::LoadOutcome};
use aura_runtime::service::ServiceError;

/// At most so many lines of one kind.
const LINES: usize = 10;

/// Fills in what is known after the end.
pub(super) fn judge(
    house: &ChaosHousehold,
    told: &LoadOutcome,
    report: &mut ChaosReport,
) -> Result<(), ServiceError> {
    let mut traces = told.kept.clone();
    traces.look(&house.data())?;
    report.asked = told.asked;
    report.completed = traces.count();

    let left_out = traces.left_out().into_iter();
    let mut lost: Vec<String> = left_out.map(|tick| format!("tick {tick} has no trace")).collect();
    lost.extend(
        told.traces
            .iter()
            .filter(|seen| !traces.accounts_for(seen.trace.as_str(), seen.tick))
            .map(|seen| format!("trace {} was handed out and is not kept", seen.trace)),
    );
    report.lost = lost.len() as u64;

    let left = house.sent_actions();
    report.actions = left.values().map(|times| u64::from(*times)).sum();
    let twice: Vec<String> = left
        .iter()
        .filter(|(_, times)| **times > 1)
        .map(|((tick, slot), times)| format!("the {slot} action of tick {tick} left {times} times"))
        .collect();
    report.double_actions = twice.len() as u64;

    report.confirms = told.confirmed.len() as u64;
    let in_vain: Vec<String> = traces
        .unconfirmed(&told.confirmed)
        .into_iter()
        .map(|card| format!("the confirmation of {card} was accepted and is in no trace"))
        .collect();
    report.lost_confirms = in_vain.len() as u64;

    let unlike = check::unlike(house)?;
    report.not_replayed = unlike.len() as u64;
    let unkept = told.ledger.compare(&told.ledger, &check::stored(house)?);
    report.payments = told.ledger.payments();
    report.lost_payments = unkept.lost.len() as u64;
    report.doubled_payments = unkept.doubled.len() as u64;
    report.lost_rules = unkept.rules.len() as u64;
    report.imports = told.ledger.imports();
    report.deletions = told.ledger.deletions();
    report.undeleted = unkept.undeleted.len() as u64;
    let refused: Vec<String> = told.ledger.refused().cloned().collect();
    report.refused_commands = refused.len() as u64;
    let all = [
        lost,
        twice,
        in_vain,
        unlike,
        unkept.lost,
        unkept.doubled,
        unkept.undeleted,
        unkept.rules,
        refused,
    ];
    for line in all.into_iter().flat_map(|lines| lines.into_iter().take(LINES)) {
        report.wrong.insert(line);
    }
    Ok(())
}
