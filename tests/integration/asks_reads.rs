//! What programs read with: it changes nothing, takes no text and tells none.
//!
//! What: each tool that [`call_rights::is_readable`] names, over the demo household's agents and its schemas. Why: a read is answered without the
//! owner, so what it may be is proven and not claimed. Not here: who may read, and its record (`asks_api`).

use agents::registry;
use aura_runtime::config::HomeConfig;
use orchestrator_machine::call_rights;
use serde_json::{Value, json};
use std::{fs, path::Path};
use toolcall_schema::{AgentName, Confirm, Timestamp, ToolName, gate, ids::OwnerSeed, tick::IngestArgs};

fn readable() -> Vec<ToolName> {
    let tools = ToolName::ALL.iter().copied();
    tools.filter(|tool| call_rights::is_readable(*tool)).collect()
}

fn arguments(tool: ToolName) -> Value {
    match tool.as_str() {
        "calendar.detect_conflicts" | "finance.predict_eom_balance" => json!({"day": "2026-11-03"}),
        "calendar.suggest_slots" => json!({"duration_min": 60, "after": "2026-11-03T09:00:00+05:30"}),
        "finance.suggest_substitution" => json!({"category": "food_delivery", "day": "2026-11-03"}),
        "wellness.compute_load_score" | "wellness.recovery_check" => json!({}),
        other => panic!("{other} is readable: say with what it is read here, and look at what it leaves"),
    }
}

/// What an agent keeps once it has read the demo household, as bytes. `between`: with this tool called before the last look.
fn kept(agent: AgentName, between: Option<ToolName>) -> (String, bool) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let home = HomeConfig::load(&root.join("fixtures/home/home.toml")).unwrap();
    let at = home.start.unwrap();
    let mut agent = registry::build(agent, home.setup(&OwnerSeed::from_day_seed("reads"))).unwrap();
    let mut cursor = 0;
    let mut look = |agent: &mut Box<dyn agents::contract::Agent>, at: Timestamp| loop {
        let signal_ids = vec![];
        let read = agent.ingest(&IngestArgs { cursor, signal_ids }, at);
        cursor = read.cursor;
        if read.left == 0 {
            return read.agent_state;
        }
    };
    look(&mut agent, at);
    let mut told = false;
    if let Some(tool) = between {
        let call = gate::pre_admit(tool, &arguments(tool), false).unwrap().tool;
        for _ in 0..3 {
            told |= agent.act(&call, at).is_ok();
            assert_eq!(agent.state_after_act(at), None, "{tool} left a state");
        }
    }
    (look(&mut agent, at.plus_min(1)).to_string(), told)
}

#[test]
fn what_programs_read_with_leaves_its_agents_state_byte_for_byte() {
    let mut told = 0;
    for tool in readable() {
        let (with, answered) = kept(tool.agent(), Some(tool));
        let (without, _) = kept(tool.agent(), None);
        assert!(with.len() > 2 && with == without, "{tool}");
        told += u32::from(answered);
    }
    assert!(told >= 3, "of the demo household something can be told: {told}");
}

#[test]
fn nothing_that_reads_needs_the_owner_or_names_what_is_outside() {
    for tool in readable() {
        assert_eq!(tool.columns().confirm, Confirm::Never, "{tool}");
        let name = tool.tool();
        let never = ["ingest", "tick", "describe"]
            .iter()
            .any(|part| name.contains(part));
        assert!(!never && !["snooze", "categorize"].contains(&name), "{tool}");
        assert_eq!(tool.private_leaves(), [""; 0], "{tool}");
    }
}

/// Each place of a schema that may hold text: not an enum, a date, or what a pattern of ours bounds.
fn texts(schema: &Value, defs: &Value, place: &str, found: &mut Vec<String>) {
    if let Some(name) = schema["$ref"].as_str().and_then(|to| to.split_once("#/$defs/")) {
        return texts(&defs["$defs"][name.1], defs, place, found);
    }
    if schema["type"] == "string" {
        // A pattern that only says what is not in it bounds no text.
        let of_ours = |pattern: &str| ["[^", ".*", "\\P"].iter().all(|part| !pattern.contains(part));
        let bounded = schema.get("enum").is_some()
            || schema.get("const").is_some()
            || schema["pattern"].as_str().is_some_and(of_ours);
        let is_time = matches!(schema["format"].as_str(), Some("date" | "date-time"));
        if !bounded && !is_time {
            found.push(place.to_owned());
        }
    }
    match schema {
        Value::Object(members) => {
            for (name, value) in members {
                texts(value, defs, &format!("{place}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for item in items {
                texts(item, defs, place, found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn neither_arguments_nor_results_of_a_program_hold_free_text() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../toolcall-schema/src/schemas");
    let read = |path: &str| -> Value {
        let text = fs::read_to_string(folder.join(path)).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let defs = read("defs.v1.json");
    let mut found = Vec::new();
    for tool in readable() {
        let name = tool.tool();
        for part in ["args", "results"] {
            let place = format!("{part}/{name}.v1.json");
            texts(&read(&place), &defs, &place, &mut found);
        }
    }
    for args in [
        "mute_channel",
        "guide_breathing",
        "start_nap_timer",
        "permit_leisure",
    ] {
        let place = format!("args/{args}.v1.json");
        texts(&read(&place), &defs, &place, &mut found);
    }
    assert_eq!(found, Vec::<String>::new());
    // The walk finds what it looks for.
    texts(&read("results/describe.v1.json"), &defs, "describe", &mut found);
    assert!(!found.is_empty());
}
