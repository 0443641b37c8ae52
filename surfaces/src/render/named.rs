//! Which ids a card or a decision shows.
//!
//! What: the ids of chats, messages, events, payments and shops in it. Why: names are asked for what is about to be shown and for
//! nothing else. Not here: the names (`owner::Owner::names`).

use serde_json::Value;
use std::collections::BTreeSet;
use toolcall_schema::{
    catalogue::shared::ThingId,
    trace::{CallRecord, Card, Decision, Trace},
};

/// Of a card.
pub fn card(card: &Card) -> BTreeSet<ThingId> {
    decided(&card.decision, &card.tool_calls)
}

/// Of a decision that is over.
pub fn trace(trace: &Trace) -> BTreeSet<ThingId> {
    decided(&trace.decision, &trace.tool_calls)
}

/// Of a decision alone.
pub fn decision(decision: &Decision) -> BTreeSet<ThingId> {
    decided(decision, &[])
}

fn decided(decision: &Decision, calls: &[CallRecord]) -> BTreeSet<ThingId> {
    let mut ids: BTreeSet<ThingId> = decision
        .candidates
        .iter()
        .map(|candidate| &candidate.subject)
        .chain(decision.chosen.as_ref().map(|chosen| &chosen.subject))
        .chain(decision.trigger.subject.as_ref())
        .filter_map(|subject| ThingId::parse(subject.as_str()).ok())
        .collect();
    for call in calls {
        for value in [Some(&*call.args), call.result.as_deref()].into_iter().flatten() {
            collect(value, &mut ids);
        }
    }
    ids
}

/// Arguments and results passed their schemas: they are a few levels deep at most.
fn collect(value: &Value, ids: &mut BTreeSet<ThingId>) {
    match value {
        Value::String(text) => ids.extend(ThingId::parse(text).ok()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, ids)),
        Value::Object(members) => members.values().for_each(|item| collect(item, ids)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
