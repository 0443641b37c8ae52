//! What the store keeps, as the owner's sections show it.
//!
//! What: how much of each sort, the cards that were shown, and what statements told. Why: each is read from rows alone, without an agent. Not here:
//! who asks (`owner`).

use super::PAGE;
use agents::kept_state::told_balances;
use aura_memory::{
    ContentCounts, StoreError, StoreReader,
    audit::{AuditFilter, AuditRecord},
    erase::{RetentionPeriod, RetentionPolicy},
    graph::GraphStats,
};
use serde::Deserialize;
use surfaces_base::backend::{
    money_terms::StatementBalance,
    owner::{ACTS_MAX, AuditAct, KeptSortCount, KeptSummary, RecentCards, ShownCard},
};
use toolcall_schema::{
    AgentName, Outcome, Surface, Timestamp, ids::TraceId, money::AccountBalance, trace::ChosenAction,
};

fn days(keep: RetentionPeriod) -> Option<u32> {
    match keep {
        RetentionPeriod::Days(days) => Some(days),
        RetentionPeriod::Always => None,
    }
}

pub(super) fn count_kept(
    (reader, (stats, rows)): (&StoreReader, &(GraphStats, ContentCounts)),
    retention: &RetentionPolicy,
    midnight: Timestamp,
) -> Result<KeptSummary, StoreError> {
    let last = reader.audit(&AuditFilter::default(), ACTS_MAX)?;
    let acts = last.into_iter().map(audit_act);
    Ok(KeptSummary {
        sorts: stats
            .nodes
            .iter()
            .map(|(sort, stats)| KeptSortCount {
                name: sort.to_string(),
                count: stats.count,
                oldest: stats.oldest,
                days: days(retention.period(*sort)),
            })
            .collect(),
        traces: rows.traces,
        // Of an event alone nothing else that was counted changes.
        events: rows.events + reader.events_after(rows.newest_event)?,
        names: stats.labels,
        bytes: reader.size_bytes(),
        trace_days: days(retention.traces),
        audit: reader.audit_counts(midnight.ms())?,
        acts: acts.collect(),
        waits: None,
    })
}

pub(super) fn audit_act(record: AuditRecord) -> AuditAct {
    let meaning = record.revealed.map(|revealed| revealed.meaning);
    AuditAct {
        at: Timestamp::from_ms(record.at_ms),
        op: record.op.to_string(),
        kind: meaning.as_ref().map(|meaning| meaning.kind.to_string()),
        count: meaning.as_ref().and_then(|meaning| meaning.count),
        id: meaning.and_then(|meaning| Some(meaning.id?.as_str().to_owned())),
    }
}

/// Of a trace, what a rule may be tried on.
#[derive(Deserialize)]
struct TriedTrace {
    trace_id: TraceId,
    outcome: Outcome,
    decision: TriedDecision,
}

#[derive(Deserialize)]
struct TriedDecision {
    ts: Timestamp,
    #[serde(default)]
    chosen: Option<ChosenAction>,
}

pub(super) fn shown_since(reader: &StoreReader, since: Timestamp) -> Result<RecentCards, StoreError> {
    let mut cards = Vec::new();
    let (mut before, mut oldest) = (None, None);
    loop {
        let rows = reader.traces(PAGE, before)?;
        let whole = rows.len() == PAGE;
        for row in &rows {
            before = Some(row.tick);
            // A trace that cannot be read is the doctor's to name.
            let Ok(trace) = serde_json::from_str::<TriedTrace>(&row.json) else {
                continue;
            };
            if trace.decision.ts < since {
                return Ok(RecentCards { since, cards });
            }
            oldest = Some(trace.decision.ts);
            cards.extend(shown_card(trace));
        }
        if !whole {
            // Nothing older is kept: from the oldest on it is complete.
            let since = oldest.unwrap_or(since).max(since);
            return Ok(RecentCards { since, cards });
        }
    }
}

/// What statements and banks told of accounts, as Finance keeps it.
pub(super) fn statement_balances(reader: &StoreReader) -> Result<Vec<StatementBalance>, StoreError> {
    let Some(rows) = reader.agent_state(AgentName::Finance)? else {
        return Ok(Vec::new());
    };
    let told = told_balances(&rows.whole, &rows.changes).unwrap_or_else(|error| {
        tracing::warn!(%error, "what Finance keeps cannot be read");
        Vec::new()
    });
    let of_account =
        |(account_last4, told): (String, AccountBalance)| StatementBalance { account_last4, told };
    Ok(told.into_iter().map(of_account).collect())
}

fn shown_card(trace: TriedTrace) -> Option<ShownCard> {
    let at = trace.decision.ts;
    let chosen = trace
        .decision
        .chosen
        .filter(|chosen| chosen.surface != Surface::Silent && trace.outcome != Outcome::Silent)?;
    Some(ShownCard {
        trace_id: trace.trace_id,
        at,
        kind: chosen.kind,
        subject: chosen.subject,
    })
}
