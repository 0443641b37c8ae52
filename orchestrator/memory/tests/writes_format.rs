//! What a log holds is read by each newer version, and a change of it has a number of its own.
//!
//! What: `writes_N.jsonl` has each kind of write as format N holds it. Why: hosts of two versions read one log, and refuse by the number alone
//! (STORE-020). Not here: what the JSON texts within a write say (`fixtures`), who refuses (`aura-hosts`).

use aura_memory::{StoreWrite, WRITES_FORMAT};
use std::collections::BTreeSet;

/// Of each format there was, from 1.
const FORMATS: [&str; 1] = [include_str!("writes_1.jsonl")];

/// A kind of write by its name. A new one is missing here, and then in the newest file.
fn kind_of(write: &StoreWrite) -> &'static str {
    match write {
        StoreWrite::Event { .. } => "Event",
        StoreWrite::Snapshot { .. } => "Snapshot",
        StoreWrite::Base(_) => "Base",
        StoreWrite::Erasing(_) => "Erasing",
        StoreWrite::Decision { .. } => "Decision",
        StoreWrite::Trace(_) => "Trace",
        StoreWrite::Ledger(_) => "Ledger",
        StoreWrite::AgentState { .. } => "AgentState",
        StoreWrite::AgentStateChange { .. } => "AgentStateChange",
        StoreWrite::Policy { .. } => "Policy",
        StoreWrite::Node { .. } => "Node",
        StoreWrite::Label { .. } => "Label",
        StoreWrite::Device { .. } => "Device",
        StoreWrite::Account { .. } => "Account",
        StoreWrite::ConfirmedTime { .. } => "ConfirmedTime",
        StoreWrite::Signal(_) => "Signal",
        StoreWrite::Outbox { .. } => "Outbox",
        StoreWrite::DraftChange(_) => "DraftChange",
        StoreWrite::QuarantineLine { .. } => "QuarantineLine",
        StoreWrite::Run(_) => "Run",
        StoreWrite::Edge(_) => "Edge",
        StoreWrite::Catalogue { .. } => "Catalogue",
        StoreWrite::Audit(_) => "Audit",
        StoreWrite::Head { .. } => "Head",
    }
}
const KINDS: usize = 24;

fn writes(file: &str) -> Vec<StoreWrite> {
    let read = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    file.lines().map(read).collect()
}

#[test]
fn each_format_there_was_is_read() {
    assert!(FORMATS.iter().all(|file| !writes(file).is_empty()));
}

#[test]
fn what_is_written_is_what_its_format_number_stands_for() {
    assert_eq!(WRITES_FORMAT, u32::try_from(FORMATS.len()).unwrap());
    let newest = FORMATS.last().unwrap();
    for (line, write) in newest.lines().zip(writes(newest)) {
        let written = serde_json::to_string(&write).unwrap();
        assert_eq!(
            written, line,
            "an older version would not read this as it is meant: raise WRITES_FORMAT, and add a file of writes"
        );
    }
    let kinds: BTreeSet<&str> = writes(newest).iter().map(kind_of).collect();
    assert_eq!(kinds.len(), KINDS, "{kinds:?}");
}
