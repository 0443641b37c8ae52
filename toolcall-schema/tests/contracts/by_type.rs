//! What the gate decides by type is what the schemas say.
//!
//! What: generated traces and calls, damaged ones among them, judged both ways; and every limit of a trace's schemas exceeded by one. Why: the gate makes no
//! tree where the types answer, and they may never admit what a schema refuses. Not here: the schemas' verdicts (`differential.rs`).
//! `AURA_CASES` sets how many are tried, `AURA_SEED` which.

use crate::support::{Generator, cases, seed};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use toolcall_schema::{
    Code, Confirm, Surface, Timestamp, ToolCall, ToolName,
    gate::{self, GateClock},
    ids::CallId,
    trace::Trace,
    validate::all_published,
};
use toolcall_validators as schemas;

const AT: &str = "2026-11-03T02:15:00.000Z";
const ID: &str = "t_abcde01234";

fn id() -> CallId {
    CallId::parse(ID).unwrap()
}

fn schema(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// A document's own form: as its type writes it. `None`: the type does not read it.
fn own_form<T: Serialize + DeserializeOwned>(document: &Value) -> Option<(T, String)> {
    let typed: T = serde_json::from_value(document.clone()).ok()?;
    let text = serde_json::to_string(&typed).unwrap();
    Some((typed, text))
}

/// Changes a text as no type would write it, and not always into something wrong.
fn damage_text(generator: &mut Generator, text: &str) -> String {
    let (from, to) = generator.one(&[
        (":{", ": {"),
        (":false", ":null"),
        (":0", ":0.0"),
        (":0", ":-0.0"),
        (":0.0", ":-0.0"),
        (".0,", ","),
        (":1", ":1e0"),
        (",\"", ",\"note\":1,\""),
        ("\"self\"", "\"sel\\u0066\""),
        ("{\"rule\"", "{\"rule\":\"mute\",\"rule\""),
        ("Z\"", "+00:00\""),
        ("}", "},"),
        ("true", "9007199254740993"),
        ("\"args\":{}", "\"args\":{\"a\":1.0}"),
        ("\"args\":{}", "\"args\":{\"a\":1,\"a\":1}"),
        ("\"args\":{}", "\"args\":{\"a\":9007199254740993}"),
        ("\"args\":{}", "\"args\":{\"a\":0.5,\"b\":[null]}"),
    ]);
    text.replacen(from, to, 1 + generator.below(2))
}

/// The same in the types' own words: `PartialEq` of a zero does not see its sign, so texts are compared.
fn told<T: std::fmt::Debug>(verdict: &T) -> String {
    format!("{verdict:?}")
}

#[test]
fn calls_of_every_tool_have_the_verdict_of_the_schemas() {
    let seed = seed();
    let mut generator = Generator::new(seed);
    let now = Timestamp::parse(AT).unwrap();
    let (mut admitted, mut refused) = (0, 0);
    for case in 0..cases(2000) {
        let tool = generator.one(ToolName::ALL);
        let columns = tool.columns();
        let mut args = generator.instance(&schema(tool.doc().args_schema));
        if generator.once_in(4) {
            generator.damage(&mut args);
        }
        let surfaces = [
            None,
            Some(Surface::Silent),
            Some(columns.surface),
            Some(Surface::Watch),
        ];
        let call = ToolCall {
            call_id: id(),
            agent: columns.agent,
            tool: tool.tool().to_owned(),
            args: Arc::new(args),
            ts: now.plus_ms(generator.one(&[0, 0, 0, 0, -1999, -2000, 5000, 5001])),
            confirm_required: (columns.confirm == Confirm::Always) != generator.once_in(24),
            expected_surface: generator.one(&surfaces),
            deadline_ms: generator.one(&[None, Some(50), Some(2000), Some(10_000), Some(10_001)]),
        };
        let text = String::from_utf8(call.to_bytes()).unwrap();
        let text = match generator.below(4) {
            0 => damage_text(&mut generator, &text),
            // The members in another order.
            1 => schema(&text).to_string(),
            _ => text,
        };
        let by_schema = gate::admit_by_schema(text.as_bytes(), GateClock::At(now));
        let whole = gate::admit(text.as_bytes(), GateClock::At(now));
        assert_eq!(told(&whole), told(&by_schema), "seed {seed}, case {case}: {text}");
        *(if whole.is_ok() {
            &mut admitted
        } else {
            &mut refused
        }) += 1;
    }
    assert!(
        admitted * 4 > cases(2000) && refused * 8 > cases(2000),
        "{admitted} and {refused}"
    );
}

#[test]
fn traces_that_the_types_admit_the_schema_admits() {
    let seed = seed();
    let mut generator = Generator::new(seed);
    let document = schema(schemas::Trace::SCHEMA);
    let (mut sure, mut asked, mut refused) = (0_u64, 0_u64, 0_u64);
    for case in 0..cases(1500) {
        let mut instance = generator.instance(&document);
        for _ in 0..case % 3 {
            generator.damage(&mut instance);
        }
        let Some((trace, text)) = own_form::<Trace>(&instance) else {
            continue;
        };
        let verdict = gate::check_trace_json(&text);
        assert_eq!(
            gate::check_kept_trace(&trace, &text),
            verdict,
            "seed {seed}, case {case}: {text}"
        );
        match (gate::is_trace_within_schema(&trace), verdict) {
            (true, _) => sure += 1,
            (false, Ok(())) => asked += 1,
            (false, Err(error)) => {
                assert_eq!(error.code, Code::Trace001);
                refused += 1;
            }
        }
    }
    assert!(
        sure * 6 > cases(1500),
        "{sure} by type, {asked} by the schema, {refused} refused"
    );
    assert!(
        refused * 100 > cases(1500),
        "{sure} by type, {asked} by the schema, {refused} refused"
    );
}

/// Instances with one limit of their schema exceeded by as little as can be, and which limit.
struct BrokenLimits {
    documents: BTreeMap<String, Value>,
    found: Vec<(String, Value)>,
}

impl BrokenLimits {
    fn of(schema: &Value, instance: &Value) -> Vec<(String, Value)> {
        let documents = all_published()
            .map(|(name, text)| (format!("{name}.json"), serde_json::from_str(text).unwrap()))
            .collect();
        let mut limits = Self {
            documents,
            found: Vec::new(),
        };
        limits.walk(schema, (schema, "#".to_owned()), instance, "");
        let whole = instance;
        let broken = limits.found.into_iter().map(|(limit, change)| {
            let mut instance = whole.clone();
            let place = change["at"].as_str().unwrap();
            if let Some(value) = change.get("is") {
                *instance.pointer_mut(place).unwrap() = value.clone();
            } else {
                let (parent, name) = place.rsplit_once('/').unwrap();
                instance
                    .pointer_mut(parent)
                    .unwrap()
                    .as_object_mut()
                    .unwrap()
                    .remove(name);
            }
            (limit, instance)
        });
        broken.collect()
    }

    fn walk(&mut self, root: &Value, (words, limit): (&Value, String), instance: &Value, at: &str) {
        if let Some(reference) = words.get("$ref").and_then(Value::as_str) {
            let (document, place) = reference.split_once('#').unwrap_or((reference, ""));
            let root = if document.is_empty() {
                root.clone()
            } else {
                self.documents[document].clone()
            };
            let target = root.pointer(place).unwrap().clone();
            return self.walk(&root, (&target, reference.to_owned()), instance, at);
        }
        let Some(words) = words.as_object() else { return };
        for (word, value) in words {
            let length = || usize::try_from(value.as_u64().unwrap()).unwrap();
            let broken: Vec<Value> = match (word.as_str(), instance) {
                ("minimum", _) => vec![
                    json!(value.as_f64().unwrap() - 0.001),
                    json!(value.as_i64().map_or(-1e16, |n| n as f64 - 1.0)),
                    json!(value.as_i64().map_or(0, |n| n - 1)),
                ],
                ("maximum", _) => vec![
                    json!(value.as_f64().unwrap() + 1.0),
                    json!(value.as_f64().unwrap() + 0.001),
                    json!(value.as_u64().map_or(0, |n| n + 1)),
                ],
                ("minLength", _) => vec![json!("x".repeat(length().saturating_sub(1)))],
                ("maxLength", _) => vec![json!("x".repeat(length() + 1)), json!("é".repeat(length() + 1))],
                ("pattern", Value::String(text)) => {
                    vec![
                        json!(format!("{text}\n")),
                        json!(""),
                        json!(format!("É{text}")),
                        json!(text.repeat(40)),
                    ]
                }
                ("format", _) => vec![json!("+12026-11-03"), json!("x")],
                ("maxItems", Value::Array(items)) if !items.is_empty() => {
                    vec![items.iter().cloned().cycle().take(length() + 1).collect()]
                }
                ("minItems", _) => vec![json!([])],
                ("maxProperties", _) => {
                    let members = (0..=length()).map(|n| (format!("m{n}"), json!(n)));
                    vec![Value::Object(members.collect())]
                }
                ("enum" | "const", _) => vec![
                    json!("orchestrator"),
                    json!("call"),
                    json!("PUSH"),
                    json!("x"),
                    json!(false),
                ],
                ("type", _) => [
                    json!(null),
                    json!({}),
                    json!([]),
                    json!("x"),
                    json!(0),
                    json!(true),
                ]
                .to_vec(),
                // Walked below, of the form of an object alone, or true of nothing or everything.
                (
                    "maxItems"
                    | "pattern"
                    | "required"
                    | "properties"
                    | "items"
                    | "additionalProperties"
                    | "$ref"
                    | "$id"
                    | "$schema"
                    | "title"
                    | "description",
                    _,
                ) => Vec::new(),
                // Between the members of one object: types of their own hold them, or the test of reasons does.
                ("allOf" | "if" | "then" | "else", _) => Vec::new(),
                (other, _) => panic!("{limit}: nothing is known of {other}"),
            };
            for value in broken {
                self.found
                    .push((format!("{limit} {word}"), json!({"at": at, "is": value})));
            }
        }
        for name in words
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let name = name.as_str().unwrap();
            if instance.get(name).is_some() {
                self.found
                    .push((format!("{limit} required"), json!({"at": format!("{at}/{name}")})));
            }
        }
        for (name, words) in words
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            if let Some(member) = instance.get(name) {
                self.walk(
                    root,
                    (words, format!("{limit}/{name}")),
                    member,
                    &format!("{at}/{name}"),
                );
            }
        }
        if let (Some(words), Value::Array(items)) = (words.get("items"), instance) {
            for (i, item) in items.iter().enumerate() {
                self.walk(root, (words, format!("{limit}/[]")), item, &format!("{at}/{i}"));
            }
        }
    }
}

/// Breaks each limit of the schema in many valid instances. Gives the limits that a type would read although the schema refuses.
fn limits_hold<T: Serialize + DeserializeOwned>(
    text: &str,
    is_refused: impl Fn(&Value) -> bool,
    is_sure: impl Fn(&T) -> bool,
) -> BTreeSet<String> {
    let schema = schema(text);
    let mut generator = Generator::new(seed());
    let mut told_by_type = BTreeSet::new();
    let mut sure = 0;
    for _ in 0..30 {
        let Some((valid, text)) = own_form::<T>(&generator.instance(&schema)) else {
            continue;
        };
        sure += usize::from(is_sure(&valid));
        let whole = serde_json::from_str(&text).unwrap();
        for (limit, broken) in BrokenLimits::of(&schema, &whole) {
            let Some((typed, text)) = own_form::<T>(&broken) else {
                continue;
            };
            if is_refused(&serde_json::from_str(&text).unwrap()) {
                assert!(!is_sure(&typed), "{limit}: the schema refuses {text}");
                told_by_type.insert(limit);
            }
        }
    }
    assert!(sure > 7, "{sure} of 30 valid ones are admitted by type");
    told_by_type
}

#[test]
fn every_limit_of_a_trace_that_its_types_do_not_hold_is_looked_at() {
    let broken = limits_hold::<Trace>(
        schemas::Trace::SCHEMA,
        |json| schemas::Trace::check(json).is_err(),
        gate::is_trace_within_schema,
    );
    let told: Vec<&str> = broken.iter().map(String::as_str).collect();
    // What the schemas limit and the types do not.
    let wanted = [
        "#/rationale maxLength",
        "#/rationale_rejected maxLength",
        "#/rationale_rejected minLength",
        "#/state_path maxItems",
        "#/state_path/[]/ms maximum",
        "#/state_path/[]/ms minimum",
        "#/tool_calls maxItems",
        "decision.v1.json/call/number minimum",
        "decision.v1.json/candidates maxItems",
        "decision.v1.json/candidates/[]/confidence maximum",
        "decision.v1.json/candidates/[]/confidence minimum",
        "decision.v1.json/candidates/[]/rule maxLength",
        "decision.v1.json/candidates/[]/rule minLength",
        "decision.v1.json/rationale maxLength",
        "decision.v1.json/signals/comms maxItems",
        "decision.v1.json/stale_triggers maxItems",
        "defs.v1.json#/$defs/call_record/args type",
        "defs.v1.json#/$defs/call_record/result type",
        "defs.v1.json#/$defs/call_record/tool enum",
        "defs.v1.json#/$defs/evidence maxItems",
        "defs.v1.json#/$defs/ledger/ceiling maximum",
        "defs.v1.json#/$defs/ledger/day format",
        "defs.v1.json#/$defs/ledger/free maximum",
        "defs.v1.json#/$defs/reading/currency pattern",
        "defs.v1.json#/$defs/sha256 pattern",
        "defs.v1.json#/$defs/user_state/load_score maximum",
        "defs.v1.json#/$defs/zone pattern",
    ];
    for limit in wanted {
        assert!(told.contains(&limit), "{limit} is not in {told:#?}");
    }
}

#[test]
fn a_trace_with_a_reason_too_many_or_too_few_is_left_to_its_schema() {
    let document = schema(schemas::Trace::SCHEMA);
    let mut generator = Generator::new(seed());
    let mut seen = [0, 0];
    for _ in 0..60 {
        let mut instance = generator.instance(&document);
        if !own_form::<Trace>(&instance).is_some_and(|(trace, _)| gate::is_trace_within_schema(&trace)) {
            continue;
        }
        let members = instance.as_object_mut().unwrap();
        let had = members.remove("reason_code").is_some();
        if !had {
            members.insert("reason_code".to_owned(), json!("rule"));
        }
        let (trace, text) = own_form::<Trace>(&instance).unwrap();
        assert!(!gate::is_trace_within_schema(&trace), "{text}");
        assert!(gate::check_kept_trace(&trace, &text).is_err(), "{text}");
        seen[usize::from(had)] += 1;
    }
    assert!(seen.iter().all(|count| *count > 3), "{seen:?}");
}
