//! The compiled validators and the gate say what the run-time validator says.
//!
//! What: for generated instances, whole calls and damage to both, the same verdict and the same first fault; what is admitted
//! is admitted again. Why: the gate runs code that a macro wrote, and `aura schema validate` speaks for it. Not here: the drafts
//! (`drafts.rs`). `AURA_CASES` sets how many are tried, `AURA_SEED` which.

use crate::support::{Generator, INSTANTS, cases, seed};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use toolcall_schema::{
    Code, Surface, Timestamp, ToolName,
    gate::{self, GateClock},
    names::Confirm,
    strict::{self, SyntaxFaultKind},
    validate::{SchemaFaults, SchemaValidator, ValidatorOptions},
};
use toolcall_validators as schemas;

fn run_time(text: &str) -> SchemaValidator {
    let options = ValidatorOptions {
        draft: None,
        assert_format: true,
    };
    SchemaValidator::new(&serde_json::from_str(text).unwrap(), options).unwrap()
}

/// Where and by which keyword an instance was refused.
type Place = (String, String);

/// Every place that the run-time validator names; none: it admits.
fn places(validator: &SchemaValidator, instance: &Value) -> Vec<Place> {
    let Err(SchemaFaults { listed, more }) = validator.check(instance) else {
        return Vec::new();
    };
    assert_eq!(more, 0, "more faults than are listed");
    listed
        .into_iter()
        .map(|fault| (fault.pointer, fault.keyword))
        .collect()
}

#[test]
fn the_compiled_validators_say_what_the_run_time_validator_says() {
    let seed = seed();
    let each = cases(3700) / schemas::CHECKS.len() as u64 + 1;
    let texts = schemas::ALL.iter().chain(schemas::MESSAGES);
    let checks = schemas::CHECKS.iter().chain(schemas::MESSAGE_CHECKS);
    for ((name, text), (path, check)) in texts.zip(checks) {
        assert_eq!(name, path);
        let schema: Value = serde_json::from_str(text).unwrap();
        let validator = run_time(text);
        let mut generator = Generator::new(seed);
        let mut valid = 0;
        for case in 0..each {
            let mut instance = generator.instance(&schema);
            for _ in 0..case % 3 {
                generator.damage(&mut instance);
            }
            let at_run_time = places(&validator, &instance);
            let compiled = check(&instance).err().map(|error| {
                let keyword = error.kind().keyword().to_owned();
                (error.instance_path().as_str().to_owned(), keyword)
            });
            // Of several faults the two may come upon different ones first: they look at the words in another order.
            let agree = compiled
                .as_ref()
                .map_or(at_run_time.is_empty(), |place| at_run_time.contains(place));
            assert!(
                agree,
                "{name}, seed {seed}, case {case}: {compiled:?} against {at_run_time:?} of {instance}"
            );
            valid += u64::from(compiled.is_none());
        }
        // Neither side is asked one sort of question only.
        assert!(
            valid * 20 > each && valid < each,
            "{name}: {valid} of {each} are valid"
        );
    }
}

/// What the gate is to say, from the run-time validators and the rules as they stand in the specification.
struct Oracle {
    envelope: SchemaValidator,
    arguments: BTreeMap<ToolName, SchemaValidator>,
}

impl Oracle {
    fn new() -> Self {
        Self {
            envelope: run_time(schemas::ToolCall::SCHEMA),
            arguments: ToolName::ALL
                .iter()
                .map(|tool| (*tool, run_time(tool.doc().args_schema)))
                .collect(),
        }
    }

    /// The tool, or the code and the places of which the gate may name any.
    fn judge(&self, bytes: &[u8], now: Timestamp) -> Result<ToolName, (Code, Vec<Place>)> {
        let refuse =
            |code, pointer: &str, keyword: &str| Err((code, vec![(pointer.to_owned(), keyword.to_owned())]));
        let call = match strict::parse(bytes, 65_536) {
            Ok(call) => call,
            Err(fault) => {
                let (code, keyword) = match fault.kind {
                    SyntaxFaultKind::Size => (Code::Gate001, "size"),
                    SyntaxFaultKind::Utf8(_) => (Code::Gate002, "utf-8"),
                    SyntaxFaultKind::Syntax(..) => (Code::Gate003, "syntax"),
                    SyntaxFaultKind::DuplicateKey => (Code::Gate004, "duplicate key"),
                    SyntaxFaultKind::Depth => (Code::Gate005, "depth"),
                    SyntaxFaultKind::Number => (Code::Gate006, "number"),
                };
                return refuse(code, &fault.pointer, keyword);
            }
        };
        let faults = places(&self.envelope, &call);
        if !faults.is_empty() {
            return Err((Code::Gate007, faults));
        }
        let full = format!(
            "{}.{}",
            call["agent"].as_str().unwrap(),
            call["tool"].as_str().unwrap()
        );
        let Some(tool) = ToolName::parse(&full) else {
            return refuse(Code::Gate008, "/tool", "catalogue");
        };
        let faults = places(&self.arguments[&tool], &call["args"]);
        if !faults.is_empty() {
            let under_args = |(pointer, keyword)| (format!("/args{pointer}"), keyword);
            return Err((Code::Gate009, faults.into_iter().map(under_args).collect()));
        }
        let always = tool.columns().confirm == Confirm::Always;
        if call["confirm_required"] != always {
            return refuse(Code::Gate010, "/confirm_required", "confirm");
        }
        let announced = tool.columns().surface == Surface::PhoneCard && !always;
        let fits = call
            .get("expected_surface")
            .and_then(Value::as_str)
            .is_none_or(|surface| {
                surface == "SILENT"
                    || surface == tool.columns().surface.as_str()
                    || (surface == "EARBUD_TTS" && announced)
            });
        if !fits {
            return refuse(Code::Gate010, "/expected_surface", "surface");
        }
        let ts = Timestamp::parse(call["ts"].as_str().unwrap()).unwrap();
        let deadline = call.get("deadline_ms").and_then(Value::as_i64).unwrap_or(2000);
        if ts.ms() > now.ms() + 5000 {
            return refuse(Code::Gate011, "/ts", "deadline");
        }
        if now.ms() >= ts.ms() + deadline {
            return refuse(Code::Gate011, "/deadline_ms", "deadline");
        }
        Ok(tool)
    }
}

/// A whole call, mostly one that passes.
fn call(generator: &mut Generator, tool: ToolName) -> Value {
    let schema: Value = serde_json::from_str(tool.doc().args_schema).unwrap();
    let mut call = Map::new();
    call.insert("call_id".to_owned(), json!("t_abcde01234"));
    call.insert("agent".to_owned(), json!(tool.agent()));
    call.insert("tool".to_owned(), json!(tool.tool()));
    call.insert("args".to_owned(), generator.instance(&schema));
    let instants = if generator.once_in(8) {
        &INSTANTS[..]
    } else {
        &INSTANTS[..5]
    };
    call.insert("ts".to_owned(), json!(generator.one(instants)));
    let confirm = (tool.columns().confirm == Confirm::Always) != generator.once_in(24);
    call.insert("confirm_required".to_owned(), json!(confirm));
    if generator.once_in(3) {
        let surface = generator.one(&[
            "SILENT",
            "SILENT",
            tool.columns().surface.as_str(),
            "EARBUD_TTS",
            "WATCH",
        ]);
        call.insert("expected_surface".to_owned(), json!(surface));
    }
    if generator.once_in(2) {
        call.insert(
            "deadline_ms".to_owned(),
            json!(generator.one(&[50, 51, 1999, 2000, 5000, 10_000])),
        );
    }
    Value::Object(call)
}

/// Damage that no JSON value can hold.
fn damage_bytes(generator: &mut Generator, bytes: &mut Vec<u8>) {
    let at = generator.below(bytes.len());
    match generator.below(6) {
        0 => bytes.truncate(at),
        1 => drop(bytes.remove(at)),
        2 => bytes[at] = u8::try_from(generator.below(256)).unwrap(),
        3 => bytes.extend_from_slice(generator.one(&[&b" "[..], b"\n", b"{}", b"\0", b"null"])),
        4 => {
            // The first member again at the end.
            bytes.pop();
            bytes.extend_from_slice(br#","args":{}}"#);
        }
        _ => {
            let piece = generator.one(&[
                &b"1e400"[..],
                b"9007199254740993",
                b"-0.0",
                b"1.80e3",
                b"\"\\ud800\"",
                b"\xc0\xaf",
                b"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
            ]);
            // Depth counts wherever it stands, and at the front it is never inside a text.
            let at = if piece.starts_with(b"[") { 0 } else { at };
            bytes.splice(at..at, piece.iter().copied());
        }
    }
}

#[test]
fn the_gate_says_what_its_parts_say_and_admits_again_what_it_admitted() {
    let seed = seed();
    let oracle = Oracle::new();
    let mut generator = Generator::new(seed);
    let mut seen: BTreeMap<Option<Code>, u64> = BTreeMap::new();
    for case in 0..cases(4000) {
        let tool = generator.one(ToolName::ALL);
        let mut document = call(&mut generator, tool);
        if generator.once_in(3) {
            generator.damage(&mut document);
        }
        let mut bytes = serde_json::to_vec(&document).unwrap();
        if generator.once_in(6) {
            damage_bytes(&mut generator, &mut bytes);
        }
        // At the edges of the deadline and of the future, as of the instant of most calls.
        let offset = generator.one(&[0, 49, 50, 1999, 2000, -5000, -5001, 500]);
        let now = Timestamp::from_ms(Timestamp::parse(INSTANTS[0]).unwrap().ms() + offset);
        let want = oracle.judge(&bytes, now);
        let got = gate::admit(&bytes, GateClock::At(now));
        let agree = match (&got, &want) {
            (Ok(call), Ok(tool)) => call.tool().name() == *tool,
            (Err(refusal), Err((code, places))) => {
                let place = (refusal.error.pointer.clone(), refusal.error.keyword.clone());
                refusal.error.code == *code && places.contains(&place)
            }
            (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
        };
        let text = String::from_utf8_lossy(&bytes);
        assert!(
            agree,
            "seed {seed}, case {case}: {got:?} against {want:?} of {text}"
        );
        *seen.entry(want.err().map(|(code, _)| code)).or_default() += 1;
        if let Ok(call) = got {
            // As its types write it.
            let mut typed: Value = serde_json::from_slice(&bytes).unwrap();
            typed["args"] = call.args();
            typed["ts"] = json!(call.ts());
            let again = gate::admit(typed.to_string().as_bytes(), GateClock::At(now)).unwrap();
            assert_eq!(again, call, "seed {seed}, case {case}");
            assert_eq!(again.args_hash(), call.args_hash());
        }
    }
    // Every code that one call can have came up, but for its size.
    let codes: Vec<_> = seen.keys().copied().flatten().collect();
    let wanted: Vec<_> = Code::ALL
        .iter()
        .copied()
        .filter(|code| code.as_str().starts_with("GATE-") && !matches!(code, Code::Gate001 | Code::Gate012))
        .collect();
    assert_eq!(codes, wanted, "{seen:?}");
    assert!(seen[&None] * 4 > cases(4000), "{seen:?}");
}
