//! What was decided in the made-up scenes.
//!
//! What: cards and traces with their arithmetic, as values of the contract. Why: they change with the contract alone. Not here: the double that
//! holds them (`morning`).

use super::{CAPABILITY, CARD, ledger, ts};
use serde_json::{Value, json};
use std::sync::Arc;
use toolcall_schema::{
    Outcome, ReasonCode,
    ids::TraceId,
    trace::{Card, NextPossible, Trace},
};

fn parts(priority: f64, m: f64, utility: f64, surface: f64, confirm: f64, score: f64) -> Value {
    json!({
        "priority": priority, "m": m, "utility": utility, "surface_cost": surface, "confirm_cost": confirm,
        "recent": 0.0, "dnd": 0.0, "score": score
    })
}

/// 07:45 in Kolkata: a brief with a departure on the same card.
fn brief_decision() -> Value {
    json!({
        "trace_id": "tr_brief0000001", "tick": 12, "ts": "2026-11-03T02:15:00.400Z",
        "trigger": {"source": "phone_unlock", "at": "2026-11-03T02:15:00Z", "valid_until": "2026-11-03T02:25:00Z"},
        "user": {"load_score": 42, "state": "BASELINE", "in_focus": false, "in_meeting": false, "dnd": false,
                 "brief_due": true, "zone": "Asia/Kolkata"},
        "agent_status": {"comms": "answered", "calendar": "answered", "finance": "answered", "wellness": "answered"},
        "signals": {
            "comms": [{"key": "messages", "value": 12}, {"key": "actionable", "value": 2}],
            "calendar": [{"key": "events_today", "value": 2}, {"key": "travel_min", "value": 22},
                         {"key": "buffer_min", "value": 15}, {"key": "leave_in_min", "value": 38}],
            "finance": [],
            "wellness": [{"key": "load_score", "value": 42, "low": 20, "high": 60},
                         {"key": "rmssd_ms", "value": 26.5, "low": 22.1, "high": 54.0},
                         {"key": "sleep_min", "value": 280, "low": 390, "high": 480}]
        },
        "candidates": [
            {"kind": "SHOW_BRIEF", "subject": "2026-11-03", "agent": "comms", "class": "normal", "confidence": 0.85,
             "score": parts(0.85, 1.0, 0.723, 0.1, 0.0, 0.623)},
            {"kind": "LEAVE_BY_ALERT", "subject": "ev_00000000000000a1", "agent": "calendar", "class": "time-critical",
             "confidence": 0.8, "score": parts(0.9, 1.0, 0.72, 0.1, 0.0, 0.62)},
            {"kind": "NAP_15", "subject": "self", "agent": "wellness", "class": "safety", "confidence": 0.6,
             "score": parts(0.7, 0.8, 0.336, 0.1, 0.08, 0.156)},
            {"kind": "DRAFT_REPLY", "subject": "it_00000000000000b2", "agent": "comms", "class": "normal",
             "confidence": 0.85, "removed": "rule", "rule": "no drafts before nine"}
        ],
        "chosen": {"kind": "SHOW_BRIEF", "subject": "2026-11-03", "class": "normal", "surface": "PHONE_CARD",
                   "confirm_required": false, "companion": "LEAVE_BY_ALERT", "args_hash": "0".repeat(64), "card_id": CARD},
        "rationale": "12 messages, 2 want an answer; to be there at 09:00 you leave by 08:23.",
        "ledger_before": ledger(3, 0, 0), "policy_hash": "a".repeat(64), "catalogue_hash": "b".repeat(64),
        "stale_triggers": [{"source": "transaction", "at": "2026-11-02T20:00:00Z"}]
    })
}

fn brief_calls() -> Value {
    json!([
        {"call_id": "t_brief00001", "tool": "orchestrator.show_brief",
         "args": {"sections": [
            {"section": "messages", "total": 12, "actionable": 2},
            {"section": "day", "events": 2, "conflicts": 0, "next_event": "ev_00000000000000a1",
             "next_start": "2026-11-03T03:30:00Z"},
            {"section": "not_read", "agent": "finance"}]},
         "result": {"sections": 3, "not_read": 1}},
        {"call_id": "t_leave00001", "tool": "calendar.travel_aware_alert",
         "args": {"event_id": "ev_00000000000000a1", "buffer_min": 15},
         "result": {"event_id": "ev_00000000000000a1", "start": "2026-11-03T03:30:00Z",
                    "leave_by": "2026-11-03T02:53:00Z", "travel_min": 22}}
    ])
}

pub(crate) fn brief_card() -> Card {
    serde_json::from_value(json!({
        "card_id": CARD, "decision": brief_decision(), "tool_calls": brief_calls(), "prompts": [],
        "valid_until": "2026-11-03T06:15:00Z"
    }))
    .unwrap()
}

pub(crate) fn brief_trace() -> Trace {
    serde_json::from_value(json!({
        "trace_id": "tr_brief0000001", "ts": "2026-11-03T02:15:00.460Z", "decision": brief_decision(),
        "outcome": "executed_auto", "tool_calls": brief_calls(), "ledger_after": ledger(2, 1, 0),
        "state_path": [
            {"state": "Listening", "at": "2026-11-03T02:15:00.010Z", "ms": 340},
            {"state": "Deliberating", "at": "2026-11-03T02:15:00.350Z", "ms": 50},
            {"state": "Executing", "at": "2026-11-03T02:15:00.400Z", "ms": 55},
            {"state": "LoggingTrace", "at": "2026-11-03T02:15:00.455Z", "ms": 5}],
        "rationale": "12 messages, 2 want an answer; to be there at 09:00 you leave by 08:23.",
        "rationale_source": "template"
    }))
    .unwrap()
}

/// 22:31:47 in Kolkata: one loud chat, the owner is under stress; asked on the watch, mirrored on the phone.
pub(crate) fn mute_card(done: bool) -> Card {
    let calls = json!([
        {"call_id": "t_mute000001", "tool": "comms.mute_channel",
         "args": {"channel_hash": "ch_00000000000000c3", "ttl_seconds": 1800},
         "result": {"channel_hash": "ch_00000000000000c3", "until": "2026-11-03T17:31:50Z"}}
    ]);
    let prompts = json!([
        {"surface": "WATCH", "expires_at": "2026-11-03T17:01:55Z", "capability": CAPABILITY},
        {"surface": "PHONE_CARD", "expires_at": "2026-11-03T17:02:47Z", "capability": CAPABILITY}
    ]);
    serde_json::from_value(json!({
        "card_id": "c_mute00000001",
        "decision": {
            "trace_id": "tr_mute00000001", "tick": 40, "ts": "2026-11-03T17:01:47Z",
            "trigger": {"source": "comms_burst", "subject": "ch_00000000000000c3", "at": "2026-11-03T17:01:46Z",
                        "valid_until": "2026-11-03T17:11:46Z"},
            "user": {"load_score": 78, "state": "STRESSED", "in_focus": false, "in_meeting": false, "dnd": false,
                     "active_channel": "ch_00000000000000c3", "brief_due": false, "zone": "Asia/Kolkata"},
            "agent_status": {"comms": "answered", "calendar": "timeout", "finance": "failed", "wellness": "answered"},
            "signals": {
                "comms": [{"key": "busiest_channel", "value": 137}, {"key": "actionable", "value": 3}],
                "wellness": [{"key": "load_score", "value": 78, "low": 20, "high": 60},
                             {"key": "rmssd_ms", "value": 24.1, "low": 22.1}]
            },
            "candidates": [
                {"kind": "MUTE_GROUP_30", "subject": "ch_00000000000000c3", "agent": "wellness", "class": "safety",
                 "confidence": 0.92, "score": parts(0.95, 1.0, 0.874, 0.05, 0.06, 0.764)},
                {"kind": "BATCH_DIGEST", "subject": "all", "agent": "comms", "class": "normal", "confidence": 0.8,
                 "removed": "cap_daily"}
            ],
            "chosen": {"kind": "MUTE_GROUP_30", "subject": "ch_00000000000000c3", "class": "safety", "surface": "WATCH",
                       "confirm_required": true, "args_hash": "1".repeat(64), "card_id": "c_mute00000001"},
            "rationale": "137 messages in one chat at a load of 78; 3 of them want an answer.",
            "ledger_before": ledger(0, 0, 3), "policy_hash": "a".repeat(64), "catalogue_hash": "b".repeat(64),
            "stale_triggers": []
        },
        "tool_calls": if done { calls } else { json!([]) },
        "prompts": if done { json!([]) } else { prompts },
        "valid_until": "2026-11-03T21:01:47Z"
    }))
    .unwrap()
}

/// 20:00 in Kolkata: unusual spending with the month's end on the same card.
pub(crate) fn spend_card() -> Card {
    serde_json::from_value(json!({
        "card_id": "c_spend0000001",
        "decision": {
            "trace_id": "tr_spend0000001", "tick": 31, "ts": "2026-11-03T14:30:00Z",
            "trigger": {"source": "transaction", "subject": "tx_00000000000000d4", "at": "2026-11-03T14:29:58Z",
                        "valid_until": "2026-11-03T14:39:58Z"},
            "user": {"state": "UNKNOWN", "in_focus": false, "in_meeting": false, "dnd": false, "brief_due": false,
                     "zone": "Asia/Kolkata"},
            "agent_status": {"comms": "answered", "calendar": "answered", "finance": "answered", "wellness": "answered"},
            "signals": {"finance": [
                {"key": "spent_today", "value": 4795, "low": 240, "high": 1150, "currency": "INR"},
                {"key": "versus_usual_pct", "value": 700.9}, {"key": "z_score", "value": 2.45}]},
            "candidates": [
                {"kind": "SURFACE_ANOMALY", "subject": "food_delivery", "agent": "finance", "class": "normal",
                 "confidence": 0.8, "score": parts(0.85, 1.0, 0.68, 0.1, 0.0, 0.58)}],
            "chosen": {"kind": "SURFACE_ANOMALY", "subject": "food_delivery", "class": "normal", "surface": "PHONE_CARD",
                       "confirm_required": false, "companion": "PROJECT_BALANCE", "args_hash": "2".repeat(64),
                       "card_id": "c_spend0000001"},
            "rationale": "₹4,795.00 today against ₹598.70 on a usual day.",
            "ledger_before": ledger(2, 0, 1), "policy_hash": "a".repeat(64), "catalogue_hash": "b".repeat(64),
            "stale_triggers": []
        },
        "tool_calls": [
            {"call_id": "t_spend00001", "tool": "finance.anomaly_flag",
             "args": {"category": "food_delivery", "severity": "medium", "day": "2026-11-03", "window_days": 30},
             "result": {"category": "food_delivery", "severity": "medium", "z_score": 2.45, "spent_today": "4795",
                        "usual": "598.7", "could_save": "220", "currency": "INR"}},
            {"call_id": "t_spend00002", "tool": "finance.predict_eom_balance", "args": {"day": "2026-11-03"},
             "result": {"balance_eom": "12300", "hits_zero": "2026-11-28", "confidence": 0.62, "currency": "INR"}}],
        "prompts": [], "valid_until": "2026-11-03T18:30:00Z"
    }))
    .unwrap()
}

pub(crate) fn silent_trace() -> Trace {
    let mut trace = brief_trace();
    trace.trace_id = TraceId::parse("tr_silent000001").unwrap();
    let decision = Arc::make_mut(&mut trace.decision);
    decision.trace_id = trace.trace_id.clone();
    decision.ts = ts("2026-11-03T02:30:00Z");
    decision.trigger = serde_json::from_value(
        json!({"source": "interval", "at": "2026-11-03T02:30:00Z", "valid_until": "2026-11-03T02:40:00Z"}),
    )
    .unwrap();
    decision.chosen = None;
    decision.candidates.clear();
    decision.stale_triggers.clear();
    decision.reason_code = Some(ReasonCode::CapWindow);
    trace.ts = ts("2026-11-03T02:30:00Z");
    trace.outcome = Outcome::Silent;
    trace.reason_code = Some(ReasonCode::CapWindow);
    trace.tool_calls.clear();
    "Nothing passed: the last card was shown at 07:45.".clone_into(&mut trace.rationale);
    trace.next_possible_at = Some(NextPossible {
        at: ts("2026-11-03T02:45:00Z"),
        when: ReasonCode::CapWindow,
    });
    trace
}

/// The brief, proposed and not chosen.
pub(crate) fn held_trace() -> Trace {
    let mut held = brief_trace();
    held.outcome = Outcome::Silent;
    Arc::make_mut(&mut held.decision).chosen = None;
    held
}
