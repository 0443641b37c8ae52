//! What the gate promises, seen from outside: fixtures, results, arbitrary bytes.

use proptest::prelude::*;
use serde_json::{Value, json};
use std::{collections::BTreeMap, path::Path, sync::Arc};
use toolcall_schema::{
    AgentName, Authority, Code, Dispatch, Surface, Timestamp, ToolCall, ToolName,
    gate::{self, AdmittedAnswer, GateClock},
    ids::{CallId, IdPurpose, OwnerSeed},
    names::Confirm,
    result::{ToolEffect, ToolErrorCode},
};

fn now() -> GateClock {
    GateClock::At(Timestamp::parse("2026-11-03T02:15:00.500Z").unwrap())
}

/// What a fixture says about itself, `None` for one that is admitted.
fn expected(call: &Path) -> Option<(String, String)> {
    let text = std::fs::read(call.with_extension("expected")).ok()?;
    let expected: Value = serde_json::from_slice(&text).unwrap();
    let text = |member: &str| expected[member].as_str().unwrap().to_owned();
    Some((text("code"), text("pointer")))
}

#[test]
fn every_rejected_fixture_is_refused_with_its_code_at_its_place() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/rejections");
    let mut codes = BTreeMap::new();
    let mut expectations = 0;
    for path in std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        expectations += u32::from(path.extension().is_some_and(|end| end == "expected"));
        if path.extension().is_none_or(|end| end != "json") {
            continue;
        }
        let name = path.file_stem().unwrap().to_str().unwrap();
        let verdict = gate::admit(&std::fs::read(&path).unwrap(), now())
            .map_err(|refusal| (refusal.error.code.to_string(), refusal.error.pointer))
            .err();
        assert_eq!(verdict, expected(&path), "{name}");
        let code = verdict.map_or_else(|| "ADMITTED".to_owned(), |(code, _)| code);
        assert!(name.starts_with(&format!("{code}-")), "{name} is {code}");
        *codes.entry(code).or_insert(0) += 1;
    }
    let refused: u32 = codes
        .iter()
        .filter(|(code, _)| *code != "ADMITTED")
        .map(|(_, n)| n)
        .sum();
    assert_eq!(
        refused, expectations,
        "each refused call has its expectation, and no other"
    );
    // GATE-012 depends on what was confirmed, which no file says.
    let all: Vec<String> = (1..=11).map(|n| format!("GATE-{n:03}")).collect();
    let found: Vec<&String> = codes.keys().filter(|code| *code != "ADMITTED").collect();
    assert_eq!(found, all.iter().collect::<Vec<_>>());
}

#[test]
fn size_is_looked_at_before_anything_else() {
    let refusal = gate::admit(&vec![0xff; gate::MAX_CALL_BYTES + 1], now()).unwrap_err();
    assert_eq!(refusal.error.code, Code::Gate001);
    let refusal = gate::admit(&vec![0xff; gate::MAX_CALL_BYTES], now()).unwrap_err();
    assert_eq!(refusal.error.code, Code::Gate002);
}

fn call_id() -> CallId {
    CallId::parse("t_abcde01234").unwrap()
}

fn draft() -> Value {
    json!({
        "call_id": "t_abcde01234",
        "result": {"item_id": "it_00112233445566aa", "tone": "brief", "chars": 7},
        "effects": [{"effect": "outbox_file", "name": "reply-1.eml", "text": "Will do"}]
    })
}

fn answer(tool: ToolName, result: &Value) -> Result<AdmittedAnswer, (Code, String)> {
    let bytes = serde_json::to_vec(result).unwrap();
    gate::admit_result(&bytes, tool, &call_id()).map_err(|e| (e.code, e.pointer))
}

#[test]
fn a_result_comes_back_typed_with_its_effects() {
    let done = AdmittedAnswer::Done {
        result: draft()["result"].clone(),
        effects: vec![ToolEffect::OutboxFile {
            name: "reply-1.eml".to_owned(),
            text: "Will do".to_owned(),
        }],
    };
    assert_eq!(answer(ToolName::DraftReply, &draft()), Ok(done));
    let failed = json!({"call_id": "t_abcde01234", "error": "too_late", "effects": []});
    assert_eq!(
        answer(ToolName::DraftReply, &failed),
        Ok(AdmittedAnswer::Failed(ToolErrorCode::TooLate))
    );
}

#[test]
fn a_result_with_one_fault_is_refused_with_code_and_place() {
    let table: &[(&str, Value, Code, &str)] = &[
        ("", json!([]), Code::Result002, ""),
        ("/effects", json!(null), Code::Result002, "/effects"),
        ("/error", json!("too_late"), Code::Result002, "/effects"),
        (
            "/effects/0/effect",
            json!("send_mail"),
            Code::Result002,
            "/effects/0/effect",
        ),
        (
            "/effects/0/name",
            json!("../x.eml"),
            Code::Result002,
            "/effects/0/name",
        ),
        (
            "/effects/0/text",
            json!("é".repeat(8193)),
            Code::Result002,
            "/effects/0/text",
        ),
        ("/call_id", json!("t_abcde01235"), Code::Result004, "/call_id"),
        (
            "/effects/0",
            json!({"effect": "card_show"}),
            Code::Result005,
            "/effects/0",
        ),
        ("/result/chars", json!(281), Code::Result003, "/result/chars"),
        ("/result/text", json!("Will do"), Code::Result003, "/result"),
    ];
    for (pointer, value, code, place) in table {
        let mut result = draft();
        if let Some(slot) = result.pointer_mut(pointer) {
            *slot = value.clone();
        } else {
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            result.pointer_mut(parent).unwrap()[key] = value.clone();
        }
        let got = answer(ToolName::DraftReply, &result).map(|_| ());
        assert_eq!(got, Err((*code, (*place).to_owned())), "{pointer}");
    }
    let twice = json!({"call_id": "t_abcde01234", "result": {"ends_at": "2026-11-03T02:16:00Z"},
        "effects": [{"effect": "timer_set", "at": "2026-11-03T02:16:00Z"}, {"effect": "timer_set", "at": "2026-11-03T02:17:00Z"}]});
    let got = answer(ToolName::GuideBreathing, &twice).map(|_| ());
    assert_eq!(got, Err((Code::Result005, "/effects/1".to_owned())));
    let got = gate::admit_result(b"{} {}", ToolName::CommsTick, &call_id()).map_err(|e| e.code);
    assert_eq!(got, Err(Code::Result001));
}

#[test]
fn a_call_that_needs_a_confirmation_is_not_dispatched_without_one() {
    for name in ToolName::ALL {
        let call = gate::admit(&example(*name).to_bytes(), now()).unwrap();
        let always = name.columns().confirm == Confirm::Always;
        let auto = Dispatch::new(call.clone(), Authority::Auto).map_err(|e| e.code);
        assert_eq!(auto.is_err(), always, "{name}");
        assert!(
            Dispatch::new(call.clone(), Authority::Confirmed).is_ok(),
            "{name}"
        );
        let changed = call.require_args_hash(&"0".repeat(64)).map_err(|e| e.code);
        assert_eq!(changed, Err(Code::Gate012), "{name}");
        let asked = gate::pre_admit(*name, &example(*name).args, always).unwrap();
        assert_eq!(call.require_args_hash(&asked.args_hash), Ok(()), "{name}");
    }
}

#[test]
fn one_instant_spelled_in_two_ways_is_one_argument_with_one_hash() {
    let with_since = |since: &str| {
        let call = ToolCall {
            args: json!({ "since": since }).into(),
            ..example(ToolName::BatchSummarize)
        };
        gate::admit(&call.to_bytes(), now()).unwrap()
    };
    let (east, utc) = (
        with_since("2025-11-03T08:15:00+05:30"),
        with_since("2025-11-03T02:45:00Z"),
    );
    assert_eq!(east, utc);
    assert_eq!(east.args(), json!({"since": "2025-11-03T02:45:00.000Z"}));
    assert_eq!(east.args_hash(), utc.args_hash());
}

#[test]
fn private_text_does_not_reach_the_quarantine() {
    let key = OwnerSeed::from_day_seed("x").key("quarantine");
    let bytes = serde_json::to_vec(&draft()).unwrap();
    let (raw, encoding) = gate::redact(&bytes, Some(ToolName::DraftReply), &key);
    let mut want = draft();
    let kept: Value = serde_json::from_str(&raw).unwrap();
    let placeholder = kept["effects"][0]["text"].as_str().unwrap();
    assert!(placeholder.starts_with("[private: 7 bytes, "), "{placeholder}");
    want["effects"][0]["text"] = placeholder.into();
    assert_eq!((kept, encoding), (want, None));

    let (raw, _) = gate::redact(
        b"{\"effects\": [{\"text\": \"Will do\"",
        Some(ToolName::DraftReply),
        &key,
    );
    assert!(raw.starts_with("[private: 31 bytes, "), "{raw}");
    // Each of several.
    let (raw, _) = gate::redact(
        br#"{"effects":[{"text":"one"},{"text":"two"}]}"#,
        Some(ToolName::DraftReply),
        &key,
    );
    assert_eq!(raw.matches("[private: 3 bytes, ").count(), 2, "{raw}");
    // Nothing private in it: byte for byte, so that it can be judged again. Of a key that stands twice only one is looked
    // at, so such bytes are written anew.
    for (bytes, kept) in [
        (
            r#"{ "args": {"tone": "rude"} }"#,
            r#"{ "args": {"tone": "rude"} }"#,
        ),
        (
            r#"{ "effects": [{}], "result": 1.0 }"#,
            r#"{ "effects": [{}], "result": 1.0 }"#,
        ),
        (
            r#"{"effects": [{"text": "Will do"}], "effects": []}"#,
            r#"{"effects":[]}"#,
        ),
    ] {
        let (raw, _) = gate::redact(bytes.as_bytes(), Some(ToolName::DraftReply), &key);
        assert_eq!(raw, kept);
    }
    let public = gate::redact(b"{\"text\": 1}", Some(ToolName::MuteChannel), &key);
    assert_eq!(public, ("{\"text\": 1}".to_owned(), None));
    assert_eq!(
        gate::redact(b"\xff", None, &key),
        ("/w==".to_owned(), Some("base64"))
    );
}

#[test]
fn each_tool_says_at_which_surfaces_it_may_be_announced() {
    use Surface::{EarbudTts, PhoneCard, Silent, Watch};
    for name in ToolName::ALL {
        let admitted: Vec<Surface> = [Watch, PhoneCard, EarbudTts, Silent]
            .into_iter()
            .filter(|surface| {
                let call = ToolCall {
                    expected_surface: Some(*surface),
                    ..example(*name)
                };
                gate::admit(&call.to_bytes(), now()).is_ok()
            })
            .collect();
        let columns = name.columns();
        let want = match (columns.surface, columns.confirm) {
            (Silent, _) => vec![Silent],
            (PhoneCard, Confirm::Never) => vec![PhoneCard, EarbudTts, Silent],
            (other, _) => vec![other, Silent],
        };
        assert_eq!(admitted, want, "{name}");
    }
}

/// A call with the tool's example arguments.
fn example(name: ToolName) -> ToolCall {
    ToolCall {
        call_id: OwnerSeed::from_day_seed("x").call_id(IdPurpose::ActionCall, 1, name.as_str(), 0),
        agent: name.agent(),
        tool: name.tool().to_owned(),
        args: serde_json::from_str(name.examples().valid).unwrap(),
        ts: Timestamp::parse("2026-11-03T02:15:00Z").unwrap(),
        confirm_required: name.columns().confirm == Confirm::Always,
        expected_surface: None,
        deadline_ms: None,
    }
}

fn calls() -> impl Strategy<Value = ToolCall> {
    let any_tool = prop::sample::select(ToolName::ALL);
    let deadline = prop::option::of(50_u32..=10_000);
    (any_tool, deadline, 0_i64..4_000_000_000_000, any::<bool>()).prop_map(
        |(name, deadline_ms, ms, silent)| ToolCall {
            deadline_ms,
            ts: Timestamp::from_ms(ms),
            expected_surface: silent.then_some(Surface::Silent),
            ..example(name)
        },
    )
}

proptest! {
    #[test]
    fn an_admitted_call_is_admitted_again_to_an_equal_call(call in calls()) {
        let once = gate::admit(&call.to_bytes(), GateClock::Skip).unwrap();
        let typed = ToolCall { args: Arc::new(once.args()), ts: once.ts(), ..call.clone() };
        let again = gate::admit(&typed.to_bytes(), GateClock::Skip).unwrap();
        prop_assert_eq!(once.ts(), call.ts);
        prop_assert_eq!(once.args_hash(), again.args_hash());
        prop_assert_eq!(once, again);
    }

    #[test]
    fn no_bytes_make_the_gate_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = gate::admit(&bytes, now());
        let _ = gate::admit_signal(&bytes);
        let _ = gate::admit_result(&bytes, ToolName::CommsTick, &call_id());
    }

    #[test]
    fn no_damage_to_a_call_makes_the_gate_panic(call in calls(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = call.to_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Err(refusal) = gate::admit(&bytes, GateClock::Skip) {
            prop_assert!(refusal.error.message.is_ascii() || refusal.error.code == Code::Gate006);
        }
    }
}

#[test]
fn a_foreign_agent_name_is_not_repeated() {
    let refusal = gate::admit(br#"{"agent":"weather","tool":"WILL CALL","call_id":"x"}"#, now()).unwrap_err();
    assert_eq!(
        (refusal.agent, refusal.tool, refusal.call_id),
        (None::<AgentName>, None, None)
    );
}
