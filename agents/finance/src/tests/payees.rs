//! Names of payees after a restart: read again where a source still tells of them, and only of payments that are known.

use super::{statements::with_sources, *};
use crate::testing::ask;
use agents_base::{
    contract::{KeptState as _, SourcePaths},
    host::AgentHost,
};
use std::fs;
use tempfile::TempDir;
use toolcall_schema::{forget::ErasureScope, ids::MerchantHash};

/// What the file does not say.
const RUPEES: &str = r#"{"currency": "INR"}"#;

/// Twelve payments of November at twelve shops.
fn csv() -> String {
    let rows = (1..=12).map(|n| format!("2026-11-{n:02},Corner Shop {n},-{n}.50,900.00\n"));
    std::iter::once("Date,Description,Amount,Balance\n".to_owned())
        .chain(rows)
        .collect()
}

fn sources(dir: &TempDir) -> SourcePaths {
    SourcePaths {
        finance: vec![dir.path().join("statement.csv")],
        sms: vec![dir.path().join("sms.jsonl")],
        ..SourcePaths::default()
    }
}

/// What is called how by an agent that was just started with that state and has read nothing.
fn named(dir: &TempDir, state: &Value, ids: &[impl serde::Serialize]) -> Vec<String> {
    let mut agent = with_sources(sources(dir), RUPEES);
    agent.restore(state).unwrap();
    let mut host = AgentHost::new(Box::new(agent));
    let answer = ask(&mut host, ToolName::FinanceDescribe, &json!({"ids": ids}), t(NOW)).unwrap();
    let labels = answer["labels"].as_array().unwrap();
    let mut names: Vec<String> = labels
        .iter()
        .map(|one| one["label"].as_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn payees_are_named_after_a_restart_and_what_was_forgotten_stays_so() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("statement.csv"), csv()).unwrap();
    let told = json!({"from": "AX-SBIINB", "body":
        "Dear Customer, Rs.89.00 debited from A/c X2207 on 03-11-26 to VPA rapido@okaxis Ref 900112. -SBI"});
    let line = json!({"id": "s-1", "at": "2026-11-03T20:00:00+05:30", "source": "phone", "kind": "bank_sms", "payload": told});
    fs::write(dir.path().join("sms.jsonl"), format!("{line}\n")).unwrap();
    let mut agent = with_sources(sources(&dir), RUPEES);
    let state = ingest(&mut agent, t(NOW)).agent_state;
    let ids: Vec<TxnId> = agent.book.reported();
    assert_eq!(ids.len(), 13, "{}", agent.book.merchants().len());
    let names = named(&dir, &state, &ids);
    assert_eq!(names.len(), 13, "{names:?}");
    assert!(names.contains(&"Rapido".to_owned()), "{names:?}");
    assert!(!state.to_string().to_lowercase().contains("corner"));
    // One is forgotten: its row in the file names nobody and enters nothing.
    let mut without = FinanceAgentState::from_json(&state).unwrap();
    without.forget(&ErasureScope::naming([ids[0].as_str().to_owned()]));
    let without = serde_json::to_value(without).unwrap();
    assert_eq!(named(&dir, &without, &ids).len(), 12);
    let mut again = with_sources(sources(&dir), RUPEES);
    again.restore(&without).unwrap();
    ingest(&mut again, t(NOW));
    assert_eq!(again.book.reported().len(), 12);
    // Where no file tells of them any more they have no name.
    fs::remove_file(dir.path().join("statement.csv")).unwrap();
    assert_eq!(named(&dir, &state, &ids), ["Rapido"]);
}

#[test]
fn shops_of_payments_that_the_state_had_no_room_for_are_named_after_a_restart() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("statement.csv"), csv()).unwrap();
    let mut agent = with_sources(sources(&dir), RUPEES);
    let state = ingest(&mut agent, t(NOW)).agent_state;
    let ids: Vec<MerchantHash> = agent.book.merchants().into_iter().cloned().collect();
    assert_eq!(ids.len(), 12);
    // There was room for those of the 12th to the 9th of November.
    let mut kept = FinanceAgentState::from_json(&state).unwrap();
    kept.txns.sort_by_key(|row| std::cmp::Reverse(row.ts()));
    kept.cut = Some(kept.txns[4].ts());
    kept.txns.truncate(4);
    let newest = kept.txns[0].id().as_str().to_owned();
    let state = serde_json::to_value(kept).unwrap();
    let shops = |from: usize| -> Vec<String> {
        let mut names: Vec<String> = (from..=12).map(|n| format!("Corner Shop {n}")).collect();
        names.sort();
        names
    };
    assert_eq!(named(&dir, &state, &ids), shops(1));
    // One of those that were read anew was forgotten.
    let mut without = FinanceAgentState::from_json(&state).unwrap();
    without.forget(&ErasureScope::naming([newest]));
    let without = serde_json::to_value(without).unwrap();
    assert_eq!(named(&dir, &without, &ids).len(), 11);
    // Where the owner's names go from one process to the next, only those of payments do that the state has.
    let mut old = with_sources(sources(&dir), RUPEES);
    old.restore(&state).unwrap();
    ingest(&mut old, t(NOW));
    assert_eq!(old.names().len(), 4);
}
