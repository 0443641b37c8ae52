//! A store made from its log alone says what the first one says.
//!
//! What: what a released build's store holds, and rows of the kinds that it lacks, go to a store that follows a log; a second store is made from the log.
//! Why: the folder of an owner is what her log led to, on any host. Not here: what is never in a group of writes (docs/adr/0180 lists it).

use crate::support::NatsServer;
use aura_hosts::{
    ENTRIES_MAX, OwnerSubject, SqliteLog,
    jetstream::{BusConnection, JetStreamLog},
    open_with,
};
use aura_memory::{
    EventRow, LedgerRow, OpenRemoteLog, RecoveredState, RowCounts, Store, StoreError, StoreOptions,
    StoreReader, StoreWrite, TraceRow, Vault,
    accounts::AccountEntry,
    graph::{EdgeType, GraphEdge, GraphNode, GraphStats, LinkedNode, NodeData, NodeKey},
    outbox,
    vault::{KeyPrompt, Passphrase},
};
use chrono::NaiveDate;
use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};
use tempfile::TempDir;
use toolcall_schema::{Timestamp, ids::ChannelHash};

const RELEASED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/folders/rules-1");

struct KeyFile(PathBuf);

impl KeyPrompt for KeyFile {
    fn passphrase(&self) -> Result<Option<Passphrase>, StoreError> {
        Ok(None)
    }

    fn key_file(&self) -> Option<&Path> {
        Some(&self.0)
    }
}

/// Copies a file so that it is its owner's alone, as `git` does not keep it.
fn copy(from: &Path, to: &Path) {
    fs::copy(from, to).unwrap();
    fs::set_permissions(to, fs::Permissions::from_mode(0o600)).unwrap();
}

/// A copy of the released folder, opened.
fn released() -> (TempDir, Vault) {
    let dir = TempDir::new().unwrap();
    let (key, data) = (dir.path().join("data.key"), dir.path().join("data"));
    copy(&Path::new(RELEASED).join("data.key"), &key);
    fs::create_dir(&data).unwrap();
    fs::set_permissions(&data, fs::Permissions::from_mode(0o700)).unwrap();
    for entry in fs::read_dir(Path::new(RELEASED).join("data")).unwrap() {
        let path = entry.unwrap().path();
        copy(&path, &data.join(path.file_name().unwrap()));
    }
    let vault = Vault::open(&data, &KeyFile(key)).unwrap();
    (dir, vault)
}

/// What a store says.
#[derive(Debug, PartialEq)]
struct StoreContent {
    recovered: RecoveredState,
    counts: RowCounts,
    events: Vec<EventRow>,
    traces: Vec<TraceRow>,
    decisions: Vec<Option<String>>,
    ledger: Vec<LedgerRow>,
    devices: Vec<String>,
    graph: GraphStats,
    linked: Vec<LinkedNode>,
    drafts: Vec<(String, String)>,
    damage: Option<String>,
}

/// Opens a folder and reads all of it.
fn content(vault: &Vault, options: StoreOptions) -> StoreContent {
    let (store, recovered) = Store::open(vault, options).unwrap();
    store.commit_now().unwrap();
    drop(store);
    let reader = StoreReader::open(vault).unwrap();
    let events = reader.events_from(1, u32::MAX).unwrap();
    let traces = reader.traces_and_calls(usize::MAX, None).unwrap();
    let days: BTreeSet<NaiveDate> = events
        .iter()
        .flat_map(|event| {
            let day = Timestamp::from_ms(event.at_ms).utc().date_naive();
            [day.pred_opt().unwrap(), day, day.succ_opt().unwrap()]
        })
        .collect();
    let drafts = outbox::list(vault.dir(), "").unwrap();
    StoreContent {
        recovered,
        counts: reader.counts().unwrap(),
        decisions: traces
            .iter()
            .map(|row| reader.decision(&row.trace_id).unwrap())
            .collect(),
        ledger: days
            .into_iter()
            .flat_map(|day| reader.ledger_rows(day).unwrap())
            .collect(),
        devices: reader.devices().unwrap(),
        graph: reader.stats().unwrap(),
        linked: reader.linked(&NodeKey::user(), 100).unwrap(),
        drafts: drafts.into_iter().map(|draft| (draft.name, draft.text)).collect(),
        damage: reader.damage().unwrap(),
        events,
        traces,
    }
}

/// The groups that lead to what the released store holds: an event each, with what followed from it, then what the store does not have.
fn groups(content: &StoreContent, policies: Vec<(String, String)>, vault: &Vault) -> Vec<Vec<StoreWrite>> {
    let mut groups: Vec<Vec<StoreWrite>> = Vec::new();
    let (mut traces, mut ledger) = (content.traces.clone(), content.ledger.clone());
    for event in &content.events {
        let mut group = vec![StoreWrite::Event {
            seq: event.seq,
            at_ms: event.at_ms,
            json: event.json.clone(),
        }];
        group.extend(
            ledger
                .extract_if(.., |row| row.seq == event.seq)
                .map(StoreWrite::Ledger),
        );
        for row in traces.extract_if(.., |row| row.at_ms <= event.at_ms) {
            let decision = content.traces.iter().position(|other| other == &row);
            if let Some(json) = decision.and_then(|at| content.decisions[at].clone()) {
                let trace_id = row.trace_id.clone();
                group.push(StoreWrite::Decision { trace_id, json });
            }
            group.push(StoreWrite::Trace(row));
        }
        groups.push(group);
    }
    groups.push(traces.into_iter().map(StoreWrite::Trace).collect());
    groups.push(
        policies
            .into_iter()
            .map(|(hash, text)| StoreWrite::Policy { hash, text })
            .collect(),
    );
    if let Some((seq, json)) = content.recovered.snapshot.clone() {
        groups.push(vec![StoreWrite::Snapshot { seq, json }]);
    }
    if let Some((hash, lock)) = content.recovered.catalogue.clone() {
        groups.push(vec![StoreWrite::Catalogue { hash, lock }]);
    }
    for (agent, rows) in &content.recovered.agent_states {
        let state = StoreWrite::agent_state(*agent, &rows.to_state().unwrap());
        groups.push(vec![state]);
    }
    let at = Timestamp::parse("2026-11-03T09:00:00.000Z").unwrap();
    let (channel, day) = (
        ChannelHash::parse("ch_0123456789abcdef").unwrap(),
        NaiveDate::from_ymd_opt(2026, 11, 3).unwrap(),
    );
    let talk = NodeKey::conversation(&channel, day);
    groups.push(vec![
        StoreWrite::Node {
            node: GraphNode {
                key: NodeKey::user(),
                at,
                data: NodeData::User {},
            },
            sentence: None,
        },
        StoreWrite::Node {
            node: GraphNode {
                key: talk.clone(),
                at,
                data: NodeData::Conversation {
                    channel,
                    day,
                    messages: 12,
                    actionable: 2,
                },
            },
            sentence: Some("Twelve messages, two of them for her.".to_owned()),
        },
        StoreWrite::Edge(GraphEdge {
            from: NodeKey::user(),
            edge_type: EdgeType::ALL[0],
            to: talk.clone(),
            at,
            // No sum of powers of two: JSON has to give it back to the bit.
            weight: 0.1 + 0.2,
        }),
        StoreWrite::Label {
            of: talk,
            text: Some("Loom".to_owned()),
            at,
        },
    ]);
    groups.push(vec![
        StoreWrite::Device {
            id: "phone".to_owned(),
            json: Some(r#"{"id":"phone"}"#.to_owned()),
        },
        StoreWrite::Device {
            id: "lost".to_owned(),
            json: Some(r#"{"id":"lost"}"#.to_owned()),
        },
        StoreWrite::ConfirmedTime {
            json: r#"{"ms":1}"#.to_owned(),
        },
        StoreWrite::Outbox {
            name: "draft.txt".to_owned(),
            text: Some("See you at nine.".to_owned()),
        },
        AccountEntry::new("home", "calendar")
            .put(vault, &[0, 159, 255])
            .unwrap(),
        StoreWrite::Head { day },
    ]);
    groups.push(vec![StoreWrite::Device {
        id: "lost".to_owned(),
        json: None,
    }]);
    groups
}

/// Of the released store: what it says, and the texts that its traces and runs name by their hash.
fn recorded() -> (StoreContent, Vec<(String, String)>) {
    let (_dir, vault) = released();
    let content = content(&vault, StoreOptions::default());
    let reader = StoreReader::open(&vault).unwrap();
    let texts = content
        .events
        .iter()
        .map(|row| &row.json)
        .chain(content.traces.iter().map(|row| &row.json));
    let is_hex = |c: char| c.is_ascii_hexdigit();
    let hashes: BTreeSet<&str> = texts
        .flat_map(|json| json.split(|c| !is_hex(c)))
        .filter(|word| word.len() == 64)
        .collect();
    let policies = hashes
        .into_iter()
        .filter_map(|hash| Some((hash.to_owned(), reader.policy(hash).unwrap()?)));
    let policies = policies.collect();
    (content, policies)
}

/// An owner's folder on another host: her key box alone.
fn new_folder() -> (TempDir, Vault) {
    let dir = TempDir::new().unwrap();
    let (key, data) = (dir.path().join("data.key"), dir.path().join("data"));
    copy(&Path::new(RELEASED).join("data.key"), &key);
    fs::create_dir(&data).unwrap();
    fs::set_permissions(&data, fs::Permissions::from_mode(0o700)).unwrap();
    copy(&Path::new(RELEASED).join("data/key"), &data.join("key"));
    let vault = Vault::open(&data, &KeyFile(key)).unwrap();
    (dir, vault)
}

fn following(log: OpenRemoteLog) -> StoreOptions {
    StoreOptions {
        remote_log: Some(log),
        ..StoreOptions::default()
    }
}

/// Writes to a store that follows a log, then has a second store follow it, which `reopen` opens as another host does.
fn written_and_rebuilt(open: OpenRemoteLog, reopen: impl FnOnce() -> OpenRemoteLog) {
    let (recorded, policies) = recorded();
    assert_eq!((recorded.traces.len(), recorded.damage.as_deref()), (3, None));
    let ((_first, vault), (_second, other)) = (new_folder(), new_folder());
    let (store, _) = Store::open(&vault, following(open.clone())).unwrap();
    for group in groups(&recorded, policies, &vault) {
        store.write(group).unwrap();
    }
    store.commit_now().unwrap();
    drop(store);
    let written = content(&vault, following(open));
    assert_eq!(written.events, recorded.events);
    assert_eq!(written.traces, recorded.traces);
    assert_eq!(written.decisions, recorded.decisions);
    assert_eq!(written.ledger, recorded.ledger);
    assert_eq!(written.recovered.agent_states, recorded.recovered.agent_states);
    assert_eq!(
        (written.devices.len(), written.drafts.len(), written.graph.labels),
        (1, 1, 1)
    );
    // Another host has the owner's keys, and none of her files.
    assert_eq!(content(&other, following(reopen())), written);
}

#[test]
fn store_made_from_a_log_in_a_file_says_what_the_first_one_says() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("log.db");
    let open = || {
        let file = file.clone();
        open_with(ENTRIES_MAX, move |owner| SqliteLog::open(&file, owner))
    };
    written_and_rebuilt(open(), open);
    // Who has not her keys reads nothing, even under her name.
    let hers = OwnerSubject::derive(new_folder().1.seed());
    let others = open_with(ENTRIES_MAX, move |_| SqliteLog::open(&file, &hers));
    let third = TempDir::new().unwrap();
    let refused = Store::open(&Vault::ephemeral(third.path()).unwrap(), following(others));
    assert_eq!(refused.unwrap_err().code(), "STORE-019");
}

#[test]
fn store_made_from_a_log_on_a_killed_server_says_what_the_first_one_says() {
    let mut server = NatsServer::start();
    let bus = server.connect();
    let open = |bus: Arc<BusConnection>| open_with(ENTRIES_MAX, move |owner| JetStreamLog::open(&bus, owner));
    written_and_rebuilt(open(bus), || {
        server.kill();
        server.start_again();
        open(server.connect())
    });
}
