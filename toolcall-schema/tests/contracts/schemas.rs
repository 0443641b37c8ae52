//! Schemas, Rust types, seeds and error pages say the same.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::{collections::BTreeSet, fs, path::PathBuf};
use toolcall_schema::{
    ActionKind, AgentName, AgentStatus, Category, Class, Code, DeclineReason, Outcome, ReasonCode, Severity,
    StateName, SubmitAct, Surface, Tone, ToolName, WellnessState,
    catalogue::{
        comms::{EvidenceCode, Intent, MessageClass, TakenBackAct, TriageAction, TriageScope, UrgentReason},
        correspondent::NameSource,
        finance::Instead,
        learning::TeachingAct,
        money_questions::SenderAcceptance,
        wellness::{FeatureName, Intervention},
    },
    day::{DayCode, DayHeader, ExpectedTrace, ReplyError, SubmitAnswer},
    gate,
    result::{ToolErrorCode, ToolResult},
    signal::{Direction, Signal, SignalKind},
    tick::{IngestArgs, IngestResult, ReadingKey, TickArgs, TickResult, TickStatus, TriggerSource},
    trace::{Asker, Card, Decision, Trace},
    validate::SchemaCode,
    wire::WireCode,
};
use toolcall_validators as schemas;

fn repository(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

fn all_schemas() -> Vec<(&'static str, Value)> {
    let defs = ("defs", schemas::DEFS);
    let all = schemas::ALL.iter().chain(std::iter::once(&defs));
    all.map(|(path, text)| (*path, serde_json::from_str(text).unwrap()))
        .collect()
}

/// Calls `visit` with every schema object within a schema.
fn walk(schema: &Value, visit: &mut impl FnMut(&serde_json::Map<String, Value>)) {
    match schema {
        Value::Object(members) => {
            visit(members);
            for (key, value) in members {
                // What stands under these is data, not a schema.
                if !["enum", "const", "required"].contains(&key.as_str()) {
                    walk(value, visit);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| walk(item, visit)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn every_list_of_a_schema_is_a_list_of_the_code() {
    macro_rules! lists {
        ($($name:ident),+ $(,)?) => { vec![$($name::ALL.iter().map(|v| v.as_str()).collect::<Vec<_>>()),+] };
    }
    let whole = lists![
        AgentName,
        Surface,
        ActionKind,
        Class,
        WellnessState,
        AgentStatus,
        Outcome,
        ReasonCode,
        StateName,
        Category,
        Severity,
        Tone,
        DeclineReason,
        ToolName,
        ToolErrorCode,
        SignalKind,
        Direction,
        ReadingKey,
        TickStatus,
        TriggerSource,
        ReplyError,
        Intent,
        MessageClass,
        EvidenceCode,
        TeachingAct,
        SenderAcceptance,
        TriageScope,
        TakenBackAct,
        NameSource,
        UrgentReason,
        TriageAction,
        Asker,
        Instead,
        FeatureName,
        Intervention,
    ];
    let kinds = ActionKind::ALL.iter().map(|kind| kind.as_str());
    let parts: Vec<Vec<&str>> = vec![
        AgentName::FOUR.iter().map(|agent| agent.as_str()).collect(),
        // The envelope's, as the seeds have them; what a day may connect; where a question may be answered.
        vec!["WATCH", "PHONE_CARD", "EARBUD_TTS", "SILENT"],
        vec!["WATCH", "PHONE_CARD", "EARBUD_TTS", "PUSH"],
        vec!["WATCH", "PHONE_CARD", "PUSH"],
        vec!["WATCH", "PHONE_CARD"],
        vec!["executed_auto", "confirmed"],
        // What can start a tick.
        TriggerSource::ALL
            .iter()
            .filter(|source| **source != TriggerSource::Call)
            .map(|source| source.as_str())
            .collect(),
        kinds.chain(["do_nothing"]).collect(),
        // Tags of Rust enums, the first four also held by the values below.
        vec!["mute", "forbidden", "forbidden_person"],
        vec![
            "burst",
            "transaction",
            "load",
            "event_changed",
            "schedule",
            "meeting",
        ],
        vec!["talk", "payment", "place", "body"],
        vec!["messages", "day", "not_read"],
        // Of the store's graph, ledger and exports: its own tests hold what they write against these.
        vec![
            "user",
            "event",
            "app",
            "person",
            "place",
            "transaction",
            "conversation",
            "health_snapshot",
            "action",
            "trace",
        ],
        vec![
            "attended",
            "sent_to",
            "located_at",
            "paid_to",
            "talked_about",
            "felt_during",
            "triggered_by",
            "confirmed_by_user",
        ],
        vec!["reserve", "settle", "release", "refund", "forfeit", "ceiling"],
        vec!["raw", "share-with-friend", "share-with-clinician", "minimal"],
        vec![
            "channel", "location", "health", "text", "phone", "money", "person", "merchant",
        ],
        vec!["coarsen", "remove"],
        vec![
            "rule_set",
            "rule_cleared",
            "pause_ended",
            "owner_rule_removed",
            "later_undone",
            "outbox_file",
            "outbox_removed",
            "timer_set",
            "card_show",
        ],
        vec![
            "connect",
            "disconnect",
            "confirm",
            "dismiss",
            "useful",
            "edit",
            "later",
            "rule",
            "pause",
            "end_mute",
            "end_pause",
            "end_rule",
            "undo_later",
            "let_through",
            "ask",
            "settings",
            "clock",
            "suspend",
            "restart",
        ],
        // What an answer to a card may be: "refunded" is "useful"'s alone, which is answered in no other way than these.
        vec![
            "accepted",
            "CONFIRM-001",
            "CONFIRM-002",
            "CONFIRM-003",
            "CONFIRM-004",
            "CONFIRM-005",
        ],
        // A card that is put off can also be refused because of that.
        SubmitAnswer::ALL
            .iter()
            .filter(|answer| **answer != SubmitAnswer::Refunded)
            .map(|answer| answer.as_str())
            .collect(),
        SubmitAct::LATER.iter().map(|act| act.as_str()).collect(),
        vec!["accepted", "refunded", "CONFIRM-001"],
        vec!["altered", "absent", "foreign"],
        vec![
            "silent",
            "slow_ms",
            "panic",
            "raw_result",
            "raw_call",
            "tool_error",
            "disk",
        ],
        vec!["template", "model"],
        // `TaskFormat` and `TaskPriority`, as serde writes them.
        vec!["icalendar", "todo_txt", "taskwarrior"],
        vec!["high", "medium", "low"],
    ];
    let mut used = BTreeSet::new();
    for (path, schema) in all_schemas() {
        walk(&schema, &mut |members| {
            let Some(list) = members.get("enum").and_then(Value::as_array) else {
                return;
            };
            let list: Vec<&str> = list.iter().map(|v| v.as_str().unwrap()).collect();
            assert!(whole.contains(&list) || parts.contains(&list), "{path}: {list:?}");
            used.insert(list.join(" "));
        });
    }
    for list in &whole {
        assert!(used.contains(&list.join(" ")), "no schema lists {list:?}");
    }
}

#[test]
fn every_tool_is_named_by_the_decision_that_added_it() {
    let pages: Vec<PathBuf> = fs::read_dir(repository("docs/adr"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    for name in ToolName::ALL {
        let number = format!("{}-", name.doc().adr);
        let page = pages
            .iter()
            .find(|page| page.file_name().unwrap().to_str().unwrap().starts_with(&number))
            .unwrap_or_else(|| panic!("{name}: there is no page {number} in docs/adr"));
        let text = fs::read_to_string(page).unwrap();
        assert!(
            text.contains(&format!("`{name}`")),
            "{name} is not in {}",
            page.display()
        );
    }
}

#[test]
fn every_schema_is_closed_and_bounded() {
    for (path, schema) in all_schemas() {
        let envelope = path.ends_with("toolcall.v1.json");
        walk(&schema, &mut |members| {
            let is = |kind: &str| members.get("type").is_some_and(|t| t == kind);
            let has = |key: &str| members.contains_key(key);
            if is("object") && has("properties") {
                // An object whose members depend on its tag is closed within each case.
                assert!(
                    has("additionalProperties") || has("allOf"),
                    "{path}: open {members:?}"
                );
            }
            if is("array") {
                assert!(has("maxItems"), "{path}: unbounded {members:?}");
            }
            if is("string") && !envelope {
                let bounded =
                    has("maxLength") || has("pattern") || members.get("format") == Some(&json!("date"));
                assert!(bounded, "{path}: unbounded {members:?}");
            }
            if is("integer") || is("number") {
                let above = has("minimum") || has("exclusiveMinimum");
                assert!(above && has("maximum"), "{path}: unbounded {members:?}");
            }
        });
    }
}

#[test]
fn the_envelope_is_the_seed_word_for_word() {
    let seed = fs::read_to_string(repository("fixtures/seeds/toolcall.v1.json")).unwrap();
    let seed: Value = serde_json::from_str(&seed).unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(schemas::ToolCall::SCHEMA).unwrap(),
        seed
    );
}

#[test]
fn every_error_code_has_a_page_and_every_page_of_ours_a_code() {
    let codes: BTreeSet<&str> = Code::ALL
        .iter()
        .map(|code| code.as_str())
        .chain(WireCode::ALL.iter().map(|code| code.as_str()))
        .chain(DayCode::ALL.iter().map(|code| code.as_str()))
        .chain(SchemaCode::ALL.iter().map(|code| code.as_str()))
        // Of a post of signals, said by the page's server and by the delivery to agents.
        .chain(["SIGNAL-003", "SIGNAL-004", "SIGNAL-005"])
        .collect();
    let families: BTreeSet<&str> = codes.iter().map(|code| code.split('-').next().unwrap()).collect();
    let mut pages = BTreeSet::new();
    for path in fs::read_dir(repository("docs/errors"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        let code = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if !families.contains(code.split('-').next().unwrap()) {
            continue;
        }
        let page = fs::read_to_string(&path).unwrap();
        assert!(page.starts_with(&format!("# {code}: ")), "{code}");
        for part in ["**Cause.**", "**Effect.**", "**Remedy.**"] {
            assert!(page.contains(part), "{code} has no {part}");
        }
        pages.insert(code);
    }
    assert_eq!(pages.iter().map(String::as_str).collect::<BTreeSet<_>>(), codes);
}

/// The value passes its schema, its type reads it, and writes it again unchanged.
fn round_trip<T: Serialize + DeserializeOwned>(schema: &str, value: &Value) {
    let (path, _) = schemas::ALL
        .iter()
        .find(|(path, _)| path.ends_with(&format!("/{schema}")))
        .unwrap();
    check(path, value);
    let typed: T = serde_json::from_value(value.clone()).unwrap_or_else(|e| panic!("{schema}: {e}"));
    assert_eq!(&serde_json::to_value(&typed).unwrap(), value, "{schema}");
}

fn check(path: &str, value: &Value) {
    let result = match path.rsplit("/schemas/").next().unwrap() {
        "tick_args.v1.json" => schemas::TickArgs::check(value),
        "tick_result.v1.json" => schemas::TickResult::check(value),
        "ingest_args.v1.json" => schemas::IngestArgs::check(value),
        "ingest_result.v1.json" => schemas::IngestResult::check(value),
        "toolresult.v1.json" => schemas::ToolResult::check(value),
        "decision.v1.json" => schemas::Decision::check(value),
        "trace.v1.json" => schemas::Trace::check(value),
        "card.v1.json" => schemas::Card::check(value),
        "signal.v1.json" => schemas::Signal::check(value),
        "day/day.v1.json" => schemas::Day::check(value),
        "day/expected.v1.json" => schemas::Expected::check(value),
        other => panic!("no validator named for {other}"),
    };
    if let Err(error) = result {
        panic!("{path}: {error} at {}", error.instance_path().as_str());
    }
}

const AT: &str = "2026-11-03T02:15:00.000Z";
const CH: &str = "ch_00112233445566aa";
const EV: &str = "ev_00112233445566aa";
const TX: &str = "tx_00112233445566aa";

fn user(full: bool) -> Value {
    let mut user = json!({"state": "BASELINE", "in_focus": false, "in_meeting": true, "dnd": false, "brief_due": true, "zone": "Asia/Kolkata"});
    if full {
        user["load_score"] = json!(78);
        user["active_channel"] = json!(CH);
    }
    user
}

fn trigger(full: bool) -> Value {
    let mut trigger = json!({"source": "comms_burst", "at": AT, "valid_until": "2026-11-03T02:25:00.000Z"});
    if full {
        trigger["subject"] = json!(CH);
    }
    trigger
}

#[test]
fn what_agents_and_orchestrator_exchange_fits_schema_and_type() {
    round_trip::<TickArgs>(
        "tick_args.v1.json",
        &json!({"tick": 1, "trigger": trigger(true), "user": user(true), "rules": [{"rule": "mute", "channel": CH, "until": AT}]}),
    );
    round_trip::<TickArgs>(
        "tick_args.v1.json",
        &json!({"tick": 9_007_199_254_740_992_u64, "trigger": trigger(false), "user": user(false), "rules": []}),
    );
    round_trip::<TickResult>(
        "tick_result.v1.json",
        &json!({
            "candidates": [{"kind": "MUTE_GROUP_30", "subject": CH, "confidence": 0.65, "args": {"channel_hash": CH, "ttl_seconds": 1800}, "valid_until": AT}],
            "readings": [{"key": "spent_today", "value": 4795.5, "low": 100.5, "high": 900.5, "currency": "INR"}],
            "status": "ok"
        }),
    );
    round_trip::<TickResult>(
        "tick_result.v1.json",
        &json!({"candidates": [], "readings": [], "status": "no_data"}),
    );
    round_trip::<IngestArgs>(
        "ingest_args.v1.json",
        &json!({"cursor": 0, "signal_ids": ["mail-17"]}),
    );
    round_trip::<IngestResult>(
        "ingest_result.v1.json",
        &json!({
            "cursor": 7,
            "facts": [
                {"fact": "burst", "channel": CH, "count": 30, "at": AT},
                {"fact": "transaction", "txn": TX, "at": AT},
                {"fact": "load", "score": 78, "state": "STRESSED", "entered_at": AT, "at": AT},
                {"fact": "event_changed", "event": EV, "start": AT, "end": AT, "focus": false},
                {"fact": "schedule", "event": EV, "alert_at": AT, "leave_by": AT},
                {"fact": "meeting", "event": EV, "prepare_at": AT, "start": AT}
            ],
            "read": 12, "skipped": 1,
            "skips": [{"code": "AGENT-004", "item": "inbox/cur/17", "line": 3, "message": "a line is too long"}],
            "taken": 4096, "left": 8192, "rests": [{"source": "0123456789abcdef", "left": 8192}], "holds": 31,
            "agent_state": {"seen": 12}
        }),
    );
    round_trip::<IngestResult>(
        "ingest_result.v1.json",
        &json!({"cursor": 0, "facts": [], "read": 0, "skipped": 0, "skips": [], "agent_state": null}),
    );
}

#[test]
fn a_result_fits_schema_and_type() {
    round_trip::<ToolResult>(
        "toolresult.v1.json",
        &json!({"call_id": "t_abcde01234", "result": {}, "effects": [
            {"effect": "rule_set", "channel": CH, "until": AT},
            {"effect": "rule_cleared", "channel": CH},
            {"effect": "pause_ended"},
            {"effect": "owner_rule_removed", "name": "evening-1"},
            {"effect": "outbox_file", "name": "a.ics", "text": ""},
            {"effect": "outbox_removed", "name": "a.ics"},
            {"effect": "timer_set", "at": AT},
            {"effect": "card_show"}
        ]}),
    );
    round_trip::<ToolResult>(
        "toolresult.v1.json",
        &json!({"call_id": "t_abcde01234", "result": {}, "effects": [
            {"effect": "later_undone", "trace_id": "tr_abcdef012345"}
        ]}),
    );
    round_trip::<ToolResult>(
        "toolresult.v1.json",
        &json!({"call_id": "t_abcde01234", "error": "not_found", "effects": []}),
    );
    for bad in [
        json!({"call_id": "t_abcde01234", "effects": []}),
        json!({"call_id": "t_abcde01234", "result": {}, "error": "not_found", "effects": []}),
        json!({"call_id": "t_abcde01234", "error": "not_found", "effects": [{"effect": "card_show"}]}),
        json!({"call_id": "t_abcde01234", "result": {}, "effects": [{"effect": "card_show", "text": "hello"}]}),
    ] {
        assert!(schemas::ToolResult::check(&bad).is_err(), "{bad}");
    }
}

fn ledger() -> Value {
    json!({"day": "2026-11-03", "ceiling": 3, "free": 2, "reserved": 0, "settled": 2, "refunded": 1})
}

fn decision(full: bool) -> Value {
    let hash = "0123456789abcdef".repeat(4);
    let mut decision = json!({
        "trace_id": "tr_abcde0123456", "tick": 1, "ts": AT, "trigger": trigger(full), "user": user(full),
        "agent_status": {}, "signals": {}, "candidates": [], "rationale": "", "ledger_before": ledger(),
        "policy_hash": hash, "catalogue_hash": hash, "stale_triggers": [], "reason_code": "no_candidate"
    });
    if full {
        decision["agent_status"] =
            json!({"comms": "answered", "calendar": "timeout", "finance": "failed", "wellness": "rejected"});
        decision["signals"] = json!({"comms": [{"key": "messages", "value": 137.5}], "wellness": []});
        decision["candidates"] = json!([
            {"kind": "MUTE_GROUP_30", "subject": CH, "agent": "wellness", "class": "safety", "confidence": 0.65, "score": {
                "priority": 1.5, "m": 1.4, "utility": 0.91, "surface_cost": 0.1, "confirm_cost": 0.05, "recent": 0.25, "dnd": 0.5, "score": 0.76}},
            {"kind": "BATCH_DIGEST", "subject": "all", "agent": "comms", "class": "normal", "confidence": 0.8, "removed": "rule", "rule": "dinner"}
        ]);
        decision["chosen"] = json!({"kind": "MUTE_GROUP_30", "subject": CH, "class": "safety", "surface": "WATCH",
            "confirm_required": true, "companion": "LEAVE_BY_ALERT", "args_hash": hash, "card_id": "c_abcde0123456"});
        decision["stale_triggers"] = json!([{"source": "interval", "at": AT}]);
        decision["rationale"] = json!("x".repeat(500));
    }
    decision
}

#[test]
fn decisions_traces_and_cards_fit_schema_and_type() {
    for full in [false, true] {
        round_trip::<Decision>("decision.v1.json", &decision(full));
    }
    let mut chosen = decision(true);
    chosen.as_object_mut().unwrap().remove("reason_code");
    let call = json!({"call_id": "t_abcde01234", "tool": "comms.mute_channel", "args": {"ttl_seconds": 1800}, "result": {"until": AT}});
    let failed =
        json!({"call_id": "t_abcde01234", "tool": "calendar.tick", "args": {}, "error": "unavailable"});
    round_trip::<Trace>(
        "trace.v1.json",
        &json!({
            "trace_id": "tr_abcde0123456", "ts": AT, "decision": chosen, "outcome": "confirmed", "tool_calls": [call, failed],
            "confirm": {"surface": "PHONE_CARD", "at": AT}, "ledger_after": ledger(),
            "state_path": [{"state": "Idle", "at": AT, "ms": 0}, {"state": "AwaitingConfirm", "at": AT, "ms": 12}],
            "rationale": "Muted.", "rationale_source": "model", "rationale_rejected": "number not in signals",
            "next_possible_at": {"at": AT, "when": "cap_window"}
        }),
    );
    let silent = json!({
        "trace_id": "tr_abcde0123456", "ts": AT, "decision": decision(false), "outcome": "silent", "reason_code": "no_candidate",
        "tool_calls": [], "ledger_after": ledger(), "state_path": [], "rationale": "", "rationale_source": "template"
    });
    round_trip::<Trace>("trace.v1.json", &silent);
    for (outcome, reason) in [
        ("silent", None),
        ("confirmed", Some("rule")),
        ("executed_auto", Some("rule")),
    ] {
        let mut bad = silent.clone();
        bad["outcome"] = json!(outcome);
        bad.as_object_mut().unwrap().remove("reason_code");
        if let Some(reason) = reason {
            bad["reason_code"] = json!(reason);
        }
        assert!(schemas::Trace::check(&bad).is_err(), "{outcome} {reason:?}");
        // Read over one memory, a refused trace changes nothing for the next.
        for (text, expected) in [
            (bad.to_string(), Some(Code::Trace001)),
            (silent.to_string(), None),
            (silent.to_string().replace('{', "{{"), Some(Code::Trace001)),
            (silent.to_string(), None),
        ] {
            let verdict = gate::check_trace_json(&text);
            assert_eq!(verdict.err().map(|error| error.code), expected, "{text}");
        }
    }
    round_trip::<Card>(
        "card.v1.json",
        &json!({"card_id": "c_abcde0123456", "decision": decision(true), "tool_calls": [], "valid_until": AT,
            "prompts": [{"surface": "WATCH", "expires_at": AT, "capability": "0123456789abcdef".repeat(4)}]}),
    );
}

#[test]
fn signals_of_every_kind_fit_schema_and_type() {
    let payloads = [
        (
            "notification",
            json!({"app": "org.example.chat", "channel": "", "sender": "", "text": ""}),
        ),
        (
            "notification",
            json!({"app": "org.example.chat", "channel": "Hilltop", "sender": "Wim"}),
        ),
        ("mail", json!({"message": "Subject: x\r\n\r\n"})),
        ("calendar", json!({"ics": "BEGIN:VCALENDAR"})),
        ("bank_sms", json!({"from": "VK-HDFCBK", "body": "Sent Rs.1.00"})),
        (
            "transaction",
            json!({"amount": "212.50", "currency": "INR", "direction": "debit", "merchant": "Tea", "account_last4": "8841"}),
        ),
        ("hrv", json!({"rr_ms": [812.5, 800.5], "rmssd_ms": 42.5})),
        ("hrv", json!({"rmssd_ms": 42.5})),
        ("sleep", json!({"asleep_min": 420})),
        (
            "sleep",
            json!({"asleep_min": 420, "rem_min": 90, "deep_min": 60, "efficiency": 0.9}),
        ),
        (
            "activity",
            json!({"typing_entropy": 3.5, "app_switch_rate": 4.5, "notif_dismiss_rate": 0.5, "screen_on_min": 20.5}),
        ),
        ("phone_unlock", json!({})),
        ("location", json!({"lat": 12.5, "lon": 77.5})),
        ("dnd", json!({"active": true, "until": AT})),
        ("dnd", json!({"active": false})),
    ];
    let mut seen = BTreeSet::new();
    for (kind, payload) in payloads {
        let signal = json!({"id": "s-1", "at": AT, "source": "phone", "kind": kind, "payload": payload});
        round_trip::<Signal>("signal.v1.json", &signal);
        serde_json::from_value::<Signal>(signal.clone())
            .unwrap()
            .payload()
            .unwrap();
        let mut open = signal.clone();
        open["payload"]["note"] = json!("hello");
        assert!(schemas::Signal::check(&open).is_err(), "{open}");
        seen.insert(kind);
    }
    assert_eq!(seen.len(), SignalKind::ALL.len());
    for bad in ["0", "0.00", "-1", "1e3", "1,5", "", " 1"] {
        let signal = json!({"id": "s-1", "at": AT, "source": "phone", "kind": "transaction",
            "payload": {"amount": bad, "currency": "INR", "direction": "debit", "merchant": "Tea", "account_last4": "8841"}});
        assert!(schemas::Signal::check(&signal).is_err(), "{bad:?}");
    }
}

#[test]
fn files_of_a_day_fit_schema_and_type() {
    let start = json!({"zone": "Asia/Kolkata", "start": AT, "seed": "a", "ceiling": 0});
    round_trip::<DayHeader>("day.v1.json", &start);
    let mut full = start;
    full["policy"] = json!("quiet.toml");
    round_trip::<DayHeader>("day.v1.json", &full);
    round_trip::<Vec<ExpectedTrace>>(
        "expected.v1.json",
        &json!([{"tick": 1, "trigger": "owner", "chosen": "NAP_15", "surface": "PHONE_CARD", "outcome": "executed_auto",
            "reason_code": null, "caps": {"SHOW_BRIEF": "cap_dnd"}, "scores": {"NAP_15": 0.6}, "tokens_after": 3}]),
    );
}
