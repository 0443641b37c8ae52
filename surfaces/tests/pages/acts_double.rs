//! What the double's owner did.
//!
//! What: a mute that was confirmed, a draft, a message that was put off, as traces. Not here: any claim.

use crate::morning::{brief_trace, mute_card, silent_trace, spend_card, ts};
use serde_json::{Value, json};
use std::sync::Arc;
use toolcall_schema::{
    ActionKind, Outcome, ReasonCode,
    ids::TraceId,
    tick::Subject,
    trace::{Card, Trace},
};

const MAIL: &str = "it_00000000000000b2";

/// A call that the owner asked for on a page.
pub(crate) fn call(id: &str, at: &str, tool: &str, result: &Value) -> Trace {
    let mut trace = silent_trace();
    trace.trace_id = TraceId::parse(id).unwrap();
    trace.ts = ts(at);
    let decision = Arc::make_mut(&mut trace.decision);
    decision.trace_id = trace.trace_id.clone();
    decision.ts = ts(at);
    decision.call = serde_json::from_value(json!({"number": 1, "asker": "owner_page"})).unwrap();
    decision.reason_code = None;
    (trace.reason_code, trace.next_possible_at) = (None, None);
    trace.outcome = Outcome::Confirmed;
    trace.tool_calls = serde_json::from_value(json!([
        {"call_id": "t_call000001", "tool": tool, "args": {}, "result": result}
    ]))
    .unwrap();
    "You asked for this.".clone_into(&mut trace.rationale);
    trace
}

/// The decision of a card, ended so.
fn ended(card: Card, outcome: Outcome, reason_code: Option<ReasonCode>) -> Trace {
    let mut trace = brief_trace();
    trace.trace_id = card.decision.trace_id.clone();
    trace.ts = card.decision.ts;
    trace.decision = card.decision;
    trace.tool_calls = card.tool_calls;
    (trace.outcome, trace.reason_code) = (outcome, reason_code);
    trace
}

/// A mute that was confirmed on its card at 22:31 in Kolkata.
fn mute_trace() -> Trace {
    ended(mute_card(true), Outcome::Confirmed, None)
}

/// Oldest last: at 22:31 in Kolkata the owner did not want a chat muted; at 20:00 unusual spending was shown. Whether that was dismissed its trace
/// does not say.
pub(crate) fn dismissed_traces() -> Vec<Trace> {
    let refused = Some(ReasonCode::OwnerDismissed);
    // The offer of a reply to a message that wanted none.
    let mut offer = mute_card(false);
    let decision = Arc::make_mut(&mut offer.decision);
    decision.trace_id = TraceId::parse("tr_offer0000001").unwrap();
    decision.ts = ts("2026-11-03T16:00:00Z");
    let chosen = decision.chosen.as_mut().unwrap();
    chosen.kind = ActionKind::DraftReply;
    chosen.subject = Subject::parse(MAIL).unwrap();
    vec![
        ended(mute_card(false), Outcome::Dismissed, refused),
        ended(offer, Outcome::Dismissed, refused),
        ended(spend_card(), Outcome::ExecutedAuto, None),
    ]
}

/// Oldest last: a draft, a mute, a message that was put off.
pub(crate) fn act_traces() -> Vec<Trace> {
    vec![
        call(
            "tr_putoff000001",
            "2026-11-03T17:05:00Z",
            "comms.snooze",
            &json!({"item_id": MAIL, "until": "2026-11-04T00:30:00Z"}),
        ),
        mute_trace(),
        call(
            "tr_draft0000001",
            "2026-11-03T06:00:00Z",
            "comms.draft_reply",
            &json!({"item_id": MAIL, "tone": "casual", "chars": 40}),
        ),
    ]
}
