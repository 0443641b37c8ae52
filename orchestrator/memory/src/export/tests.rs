//! What an export shows, and to whom.

use super::*;
use crate::{
    Store, StoreOptions, StoreWrite as Kept, TraceRow, Vault,
    audit::AuditFilter,
    graph::{EdgeType, GraphEdge, GraphNode, NodeData, NodeKey},
};
use proptest::prelude::*;
use serde_json::Value;
use std::sync::mpsc;
use tempfile::TempDir;
use toolcall_schema::{
    ActionKind, Category, Outcome, Surface, WellnessState,
    cell::GridCell,
    ids::{ChannelHash, EventId, MerchantHash, PersonHash, TraceId, TxnId},
    tick::Subject,
};

const CHANNEL: &str = "ch_c0ffee00000000c1";
const PERSON: &str = "pe_c0ffee00000000c2";
const MERCHANT: &str = "mh_c0ffee00000000c3";
const TXN: &str = "tx_c0ffee00000000c4";
const EVENT: &str = "ev_c0ffee00000000c5";

/// What must not be there when a class is removed, or shown less exactly.
fn canaries(class: Class) -> &'static [&'static str] {
    match class {
        Class::Channel => &[CHANNEL, "CANARY-CHAT"],
        Class::Location => &["64321", "-54321", "CANARY-PLACE"],
        Class::Health => &["31.4159", "57.25", "417.25", "STRESSED"],
        Class::Text => &["CANARY-EVENT", "CANARY-SENTENCE"],
        Class::Phone => &["98765 43210"],
        Class::Money => &["4242.42"],
        Class::Person => &[PERSON, "CANARY-FRIEND"],
        Class::Merchant => &[MERCHANT, TXN, "8841", "food_delivery", "CANARY-SHOP"],
    }
}

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn noon() -> Timestamp {
    at("2026-11-03T12:34:56.000Z")
}

/// One of everything.
fn everything() -> Vec<Kept> {
    let node = |key: NodeKey, data| Kept::Node {
        node: GraphNode {
            key,
            at: noon(),
            data,
        },
        sentence: None,
    };
    let label = |of: &NodeKey, text: &str| Kept::Label {
        of: of.clone(),
        text: Some(text.to_owned()),
        at: noon(),
    };
    let channel = ChannelHash::parse(CHANNEL).unwrap();
    let cell = GridCell {
        row: 64321,
        column: -54321,
    };
    let (person, merchant) = (
        NodeKey::from(&PersonHash::parse(PERSON).unwrap()),
        NodeKey::from(&MerchantHash::parse(MERCHANT).unwrap()),
    );
    let event = NodeKey::from(&EventId::parse(EVENT).unwrap());
    let txn = NodeKey::from(&TxnId::parse(TXN).unwrap());
    let trace_id = TraceId::parse("tr_000000000001").unwrap();
    let day = "2026-11-03".parse().unwrap();
    let chat = NodeKey::conversation(&channel, day);
    vec![
        node(NodeKey::user(), NodeData::User {}),
        node(
            event.clone(),
            NodeData::Event {
                end: at("2026-11-03T13:00:00.000Z"),
                focus: false,
                cancelled: false,
            },
        ),
        node(person.clone(), NodeData::Person { merchant: false }),
        node(merchant.clone(), NodeData::Person { merchant: true }),
        node(NodeKey::place(cell), NodeData::Place { cell }),
        node(
            txn.clone(),
            NodeData::Transaction {
                merchant: MerchantHash::parse(MERCHANT).unwrap(),
                amount: "-4242.42".parse().unwrap(),
                currency: "INR".to_owned(),
                account_last4: "8841".to_owned(),
                category: Category::parse("food_delivery").unwrap(),
            },
        ),
        node(
            chat.clone(),
            NodeData::Conversation {
                channel: channel.clone(),
                day,
                messages: 47,
                actionable: 3,
            },
        ),
        node(
            NodeKey::health(noon()),
            NodeData::HealthSnapshot {
                score: Some(78),
                state: Some(WellnessState::Stressed),
                rmssd_ms: Some(31.4159),
                resting_bpm: Some(57.25),
                sleep_min: Some(417.25),
            },
        ),
        node(
            NodeKey::action(&trace_id),
            NodeData::Action {
                kind: ActionKind::parse("MUTE_GROUP_30").unwrap(),
                subject: Subject::parse(CHANNEL).unwrap(),
                surface: Surface::parse("WATCH").unwrap(),
                outcome: Outcome::Confirmed,
            },
        ),
        Kept::Edge(GraphEdge {
            from: txn,
            edge_type: EdgeType::PaidTo,
            to: merchant.clone(),
            at: noon(),
            weight: 1.0,
        }),
        label(&event, "CANARY-EVENT"),
        label(&person, "CANARY-FRIEND +91 98765 43210"),
        label(&merchant, "CANARY-SHOP"),
        label(&NodeKey::place(cell), "CANARY-PLACE"),
        label(&NodeKey::parse(CHANNEL).unwrap(), "CANARY-CHAT"),
        Kept::Trace(TraceRow {
            trace_id,
            tick: 1,
            call: None,
            at_ms: noon().ms(),
            outcome: Outcome::Confirmed,
            chosen: None,
            json: format!("{{\"rationale\":\"CANARY-SENTENCE {CHANNEL} {PERSON} 4242.42\"}}"),
        }),
    ]
}

struct Folder {
    dir: TempDir,
    vault: Vault,
}

fn folder(rows: Vec<Kept>) -> Folder {
    let dir = TempDir::new().unwrap();
    let vault = Vault::ephemeral(&dir.path().join("data")).unwrap();
    let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
    let (tell, told) = mpsc::channel();
    store.write(rows).unwrap();
    store
        .commit(Box::new(move |done| tell.send(done.is_ok()).unwrap()))
        .unwrap();
    assert!(told.recv().unwrap());
    drop(store);
    Folder { dir, vault }
}

fn exported(vault: &Vault, table: &ProfileRules) -> (String, ExportSummary) {
    let (reader, keys) = (StoreReader::open(vault).unwrap(), AuditKeys::derive(vault.seed()));
    let mut out = Vec::new();
    let done = by_table(&reader, &keys, ("raw", table), noon(), &mut out, &mut |_| {}).unwrap();
    (String::from_utf8(out).unwrap(), done)
}

#[test]
fn each_profile_shows_what_its_row_of_the_table_says() {
    let folder = folder(everything());
    // (profile, classes whose canaries are there)
    for (profile, shown) in [
        (Profile::Raw, Class::ALL),
        (Profile::Friend, &[]),
        (Profile::Clinician, &[Class::Health]),
        (Profile::Minimal, &[]),
    ] {
        let (text, done) = exported(&folder.vault, profile.table());
        let value: Value = serde_json::from_str(&text).unwrap();
        for class in Class::ALL {
            for canary in canaries(*class) {
                assert_eq!(
                    text.contains(canary),
                    shown.contains(class),
                    "{profile}: {canary}"
                );
            }
        }
        assert_eq!(
            value["removed"],
            serde_json::to_value(&done.removed).unwrap(),
            "{profile}"
        );
        let removed: Vec<Class> = done.removed.iter().map(|removed| removed.class).collect();
        let without_phone = |class: &&Class| **class != Class::Phone;
        let wanted: Vec<Class> = Class::ALL
            .iter()
            .filter(|class| !shown.contains(class))
            // A number stands in a name that is removed as a whole.
            .filter(without_phone)
            .copied()
            .collect();
        assert_eq!(removed, wanted, "{profile}");
    }
}

#[test]
fn a_friend_gets_days_amounts_and_places_roughly() {
    let folder = folder(everything());
    let (text, _) = exported(&folder.vault, Profile::Friend.table());
    let value: Value = serde_json::from_str(&text).unwrap();
    let data = |node_type: &str| {
        let nodes = value["nodes"].as_array().unwrap();
        let found = nodes
            .iter()
            .find(|node| node["data"]["type"] == node_type)
            .unwrap();
        found["data"].clone()
    };
    assert_eq!(
        data("transaction"),
        serde_json::json!({ "type": "transaction", "amount": "-4000", "currency": "INR" })
    );
    // 64321 and −54321 in cells of 50: from 64300 and from −54350 on.
    assert_eq!(
        data("place"),
        serde_json::json!({ "type": "place", "cell": { "row": 64300, "column": -54350 } })
    );
    assert!(!text.contains("12:34"), "{text}");
    assert_eq!(value["exported_at"], "2026-11-03");
}

#[test]
fn anybody_gets_how_many_of_what_on_which_day() {
    let folder = folder(everything());
    let (text, _) = exported(&folder.vault, Profile::Minimal.table());
    let value: Value = serde_json::from_str(&text).unwrap();
    for rows in ["nodes", "edges", "labels", "traces", "ledger", "heads"] {
        assert_eq!(value[rows], serde_json::json!([]), "{rows}");
    }
    let days = value["days"].as_array().unwrap();
    let persons = days.iter().find(|row| row["type"] == "person").unwrap();
    assert_eq!(
        *persons,
        serde_json::json!({ "day": "2026-11-03", "type": "person", "count": 2 })
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_table_lets_a_class_through_that_it_removes(
        actions in proptest::array::uniform8(prop_oneof![Just(Action::Keep), Just(Action::Coarsen), Just(Action::Remove)]),
        exact_times: bool,
    ) {
        let folder = folder(everything());
        let table = ProfileRules { classes: actions, exact_times, keys: false, rows: true };
        let (text, _) = exported(&folder.vault, &table);
        for class in Class::ALL {
            for canary in canaries(*class) {
                let shown = text.contains(canary);
                if table.action(*class) == Action::Keep {
                    // Keys are not shown, and a number only where its person's name is.
                    let number = *class == Class::Phone && table.action(Class::Person) != Action::Keep;
                    prop_assert!(shown || number || [TXN, PERSON].contains(canary), "{canary}");
                } else {
                    let document = table.action(Class::Text) == Action::Keep;
                    prop_assert!(!shown || document, "{canary}");
                }
            }
        }
    }
}

#[test]
fn the_profiles_keep_keys_only_where_they_keep_everything() {
    for profile in Profile::ALL {
        let table = profile.table();
        let all = table.classes.iter().all(|action| *action == Action::Keep);
        assert_eq!(table.keys, all, "{profile}");
        // The document of a trace holds fields of every class.
        assert!(all || table.action(Class::Text) != Action::Keep, "{profile}");
    }
}

#[test]
fn standard_formats_are_read_back_as_they_were() {
    let folder = folder(everything());
    let reader = StoreReader::open(&folder.vault).unwrap();
    let mut out = Vec::new();
    formats::ics(&reader, Profile::Raw, noon(), &mut out, &mut |_| {}).unwrap();
    let text = String::from_utf8(out).unwrap();
    let calendar: icalendar::Calendar = text.parse().unwrap();
    use icalendar::Component as _;
    let events: Vec<_> = calendar.components.iter().filter_map(|c| c.as_event()).collect();
    let [event] = events.as_slice() else {
        panic!("{text}")
    };
    assert_eq!(event.get_summary(), Some("CANARY-EVENT"));
    assert_eq!(event.get_uid(), Some(format!("{EVENT}@aura").as_str()));
    assert_eq!(event.get_start(), Some(noon().utc().into()));
    assert_eq!(event.get_end(), Some(at("2026-11-03T13:00:00.000Z").utc().into()));

    let mut out = Vec::new();
    formats::hledger(&reader, Profile::Raw, &mut out, &mut |_| {}).unwrap();
    let wanted = format!(
        "; days are those of UTC\n\n2026-11-03 {MERCHANT}  ; id:{TXN}\n    expenses:food_delivery  INR 4242.42\n    assets:bank:8841\n"
    );
    assert_eq!(String::from_utf8(out).unwrap(), wanted);

    let dir = folder.dir.path().join("csv");
    formats::csv(&reader, Profile::Friend, &dir, &mut |_| {}).unwrap();
    let mut payments = csv::Reader::from_path(dir.join("transaction.csv")).unwrap();
    let rows: Vec<Vec<String>> = payments.deserialize().map(Result::unwrap).collect();
    assert_eq!(
        rows,
        [["n_6", "2026-11-03", "", "", "-4000", "INR", "", ""]
            .map(str::to_owned)
            .to_vec()]
    );
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 8);
    assert!(formats::csv(&reader, Profile::Friend, &dir, &mut |_| {}).is_err());
}

#[test]
fn a_journal_has_money_in_and_out_and_no_sum_of_what_has_no_direction() {
    let paid = |n: u8, amount: &str, category| {
        let key = NodeKey::from(&TxnId::parse(&format!("tx_00000000000000{n:02x}")).unwrap());
        let data = NodeData::Transaction {
            merchant: MerchantHash::parse(MERCHANT).unwrap(),
            amount: amount.parse().unwrap(),
            currency: "INR".to_owned(),
            account_last4: "8841".to_owned(),
            category,
        };
        Kept::Node {
            node: GraphNode {
                key,
                at: noon(),
                data,
            },
            sentence: None,
        }
    };
    let folder = folder(vec![
        paid(1, "-320.00", Category::FoodDelivery),
        paid(2, "+85000", Category::Other),
        // As releases before this one wrote every amount.
        paid(3, "77.70", Category::Other),
    ]);
    let mut out = Vec::new();
    let reader = StoreReader::open(&folder.vault).unwrap();
    formats::hledger(&reader, Profile::Raw, &mut out, &mut |_| {}).unwrap();
    let wanted = format!(
        "; days are those of UTC\n\n2026-11-03 {MERCHANT}  ; id:tx_0000000000000001\n    expenses:food_delivery  INR 320.00\n    assets:bank:8841\n\n2026-11-03 {MERCHANT}  ; id:tx_0000000000000002\n    assets:bank:8841  INR 85000\n    income:other\n\n; 2026-11-03 {MERCHANT}  INR 77.70, direction not known  ; id:tx_0000000000000003\n"
    );
    assert_eq!(String::from_utf8(out).unwrap(), wanted);
    let (raw, _) = exported(&folder.vault, Profile::Raw.table());
    for amount in ["\"-320.00\"", "\"+85000\"", "\"77.70\""] {
        assert!(raw.contains(amount), "{amount} in {raw}");
    }
}

#[test]
fn what_is_no_raw_export_is_refused_and_nothing_is_imported() {
    let (from, to) = (folder(Vec::new()), folder(Vec::new()));
    let (whole, _) = exported(&from.vault, Profile::Raw.table());
    let edge = r#"{"from":"self","type":"attended","to":"ev_c0ffee00000000c5","at":"2026-11-03T12:00:00.000Z","weight":1.0}"#;
    let node = r#"{"id":"self","at":"2026-11-03T12:00:00.000Z","data":{"type":"user"}}"#;
    for (what, text, code) in [
        ("cut off", whole[..whole.len() - 20].to_owned(), "EXPORT-001"),
        ("nothing", String::new(), "EXPORT-001"),
        ("another version", whole.replace("export.v1", "export.v2"), "EXPORT-001"),
        ("another profile", whole.replace("\"raw\"", "\"minimal\""), "EXPORT-002"),
        ("another section", whole.replace("\"heads\"", "\"tails\""), "EXPORT-001"),
        ("a section less", whole.replace("\"heads\":[],\n", ""), "EXPORT-001"),
        ("a section twice", whole.replace("\"heads\":[]", "\"days\":[]"), "EXPORT-001"),
        ("something after", format!("{whole}[]"), "EXPORT-001"),
        ("a loose edge", whole.replace("\"edges\":[", &format!("\"edges\":[{edge}")), "EXPORT-001"),
        ("a field more", whole.replace("\"nodes\":[", &format!("\"nodes\":[{}", node.replace("{\"id\"", "{\"x\":1,\"id\""))), "EXPORT-001"),
        ("a trace that is none", whole.replace("\"traces\":[", r#""traces":[{"trace_id":"tr_000000000001","tick":1,"at":"2026-11-03T12:00:00.000Z","outcome":"silent","document":{}}"#), "EXPORT-001"),
    ] {
        let error = import(&to.vault, text.as_bytes(), noon(), &mut |_| {}).unwrap_err();
        assert!(error.to_string().starts_with(code), "{what}: {error}");
        let reader = StoreReader::open(&to.vault).unwrap();
        assert_eq!(reader.export_size().unwrap(), 0, "{what}");
        assert_eq!(reader.audit_size().unwrap(), 0, "{what}");
    }
    let good = whole.replace("\"nodes\":[", &format!("\"nodes\":[{node}"));
    for known in [0, 1] {
        let done = import(&to.vault, good.as_bytes(), noon(), &mut |_| {}).unwrap();
        assert_eq!((done.rows, done.known), (1 - known, known));
    }
    let records = StoreReader::open(&to.vault)
        .unwrap()
        .audit(&AuditFilter::default(), 9)
        .unwrap();
    assert_eq!(records.len(), 2);
}

#[test]
fn the_manual_has_the_table_that_is_applied() {
    let row = |name: &str, cell: &dyn Fn(Profile) -> &'static str| {
        let cells: Vec<&str> = Profile::ALL.iter().map(|profile| cell(*profile)).collect();
        format!("| {name} | {} |\n", cells.join(" | "))
    };
    let mut table = row("Fields", &|profile| profile.as_str());
    table.push_str("|---|---|---|---|---|\n");
    for class in Class::ALL {
        table.push_str(&row(class.as_str(), &|profile| {
            profile.table().action(*class).as_str()
        }));
    }
    let say = |yes: bool, one: &'static str, other: &'static str| if yes { one } else { other };
    table.push_str(&row("times", &|p| {
        say(p.table().exact_times, "exact", "days (UTC)")
    }));
    table.push_str(&row("keys", &|p| say(p.table().keys, "shown", "numbers")));
    table.push_str(&row("rows", &|p| say(p.table().rows, "shown", "counts of days")));
    assert!(
        include_str!("../../../../docs/memory/export.md").contains(&table),
        "{table}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_damaged_export_is_taken_in_whole_or_not_at_all(changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4), cut: Option<prop::sample::Index>) {
        // But for the trace, which is none.
        let rows = everything().into_iter().filter(|row| !matches!(row, Kept::Trace(_)));
        let (from, to) = (folder(rows.collect()), folder(Vec::new()));
        let (text, _) = exported(&from.vault, Profile::Raw.table());
        let mut bytes = text.into_bytes();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let done = import(&to.vault, bytes.as_slice(), noon(), &mut |_| {});
        let reader = StoreReader::open(&to.vault).unwrap();
        let there = reader.export_size().unwrap();
        if let Ok(done) = done {
            prop_assert_eq!(there, done.rows);
        } else {
            prop_assert_eq!((there, reader.audit_size().unwrap()), (0, 0));
        }
    }
}
