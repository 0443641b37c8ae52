//! The graph: written once however often, found by words with reasons, counted.

use aura_memory::{
    Store, StoreOptions, StoreReader, StoreWrite, Vault,
    audit::{AuditEntry, AuditSubject, Kind, Op},
    graph::{EdgeType, GraphEdge, GraphNode, NodeData, NodeKey, NodeType, SearchField},
};
use tempfile::TempDir;
use toolcall_schema::{
    ActionKind, Category, Outcome, ReasonCode, Timestamp,
    ids::{ChannelHash, MerchantHash, OwnerSeed, PersonHash, TxnId},
};

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn write(store: &Store, group: Vec<StoreWrite>) {
    store.write(group).unwrap();
    store.commit_now().unwrap();
}

fn node(key: NodeKey, at: Timestamp, data: NodeData) -> StoreWrite {
    StoreWrite::Node {
        node: GraphNode { key, at, data },
        sentence: None,
    }
}

fn edge(from: &NodeKey, edge_type: EdgeType, to: &NodeKey, at: Timestamp, weight: f64) -> StoreWrite {
    StoreWrite::Edge(GraphEdge {
        from: from.clone(),
        edge_type,
        to: to.clone(),
        at,
        weight,
    })
}

fn chat() -> ChannelHash {
    ChannelHash::parse("ch_0123456789abcdef").unwrap()
}

fn talk(messages: u32, actionable: u32) -> NodeData {
    NodeData::Conversation {
        channel: chat(),
        day: "2026-11-03".parse().unwrap(),
        messages,
        actionable,
    }
}

#[test]
fn writing_twice_changes_nothing_and_counts_of_a_day_never_fall() {
    let dir = TempDir::new().unwrap();
    let (store, _) = Store::open(&Vault::demo(dir.path()).unwrap(), StoreOptions::default()).unwrap();
    let key = NodeKey::conversation(&chat(), "2026-11-03".parse().unwrap());
    let who = NodeKey::from(&PersonHash::parse("pe_00000000000000aa").unwrap());
    let (early, late) = (at("2026-11-03T08:00:00Z"), at("2026-11-03T09:00:00Z"));
    let once = vec![
        node(key.clone(), late, talk(12, 3)),
        node(who.clone(), late, NodeData::Person { merchant: false }),
        edge(&who, EdgeType::SentTo, &key, early, 12.0),
    ];
    write(&store, once.clone());
    write(&store, once);
    // A reader that was started anew saw only the end of the day.
    write(&store, vec![node(key.clone(), early, talk(5, 4))]);
    let reader = StoreReader::open(&Vault::demo(dir.path()).unwrap()).unwrap();
    let row = reader.node(&key).unwrap().unwrap();
    assert_eq!((row.node.data, row.node.at), (talk(12, 4), late));
    let linked = reader.linked(&key, 10).unwrap();
    assert_eq!(linked.len(), 1);
    let one = &linked[0];
    assert_eq!(
        (one.edge_type, one.out, &one.other, one.other_type, one.weight),
        (EdgeType::SentTo, false, &who, NodeType::Person, 12.0)
    );
    let stats = reader.stats().unwrap();
    let counts: Vec<_> = stats.nodes.iter().map(|(of, stats)| (*of, stats.count)).collect();
    assert_eq!(counts, [(NodeType::Person, 1), (NodeType::Conversation, 1)]);
    assert_eq!(stats.edges, [(EdgeType::SentTo, 1)].into());
}

#[test]
fn edge_between_nodes_that_are_not_there_is_nothing() {
    let dir = TempDir::new().unwrap();
    let (store, _) = Store::open(&Vault::demo(dir.path()).unwrap(), StoreOptions::default()).unwrap();
    let day = "2026-11-03".parse().unwrap();
    let when = at("2026-11-03T08:00:00Z");
    write(
        &store,
        vec![edge(
            &NodeKey::user(),
            EdgeType::Attended,
            &NodeKey::conversation(&chat(), day),
            when,
            1.0,
        )],
    );
    assert_eq!(
        StoreReader::open(&Vault::demo(dir.path()).unwrap())
            .unwrap()
            .stats()
            .unwrap()
            .edges
            .len(),
        0
    );
}

#[test]
fn searching_finds_all_words_by_their_beginnings_and_says_where() {
    let dir = TempDir::new().unwrap();
    let (store, _) = Store::open(&Vault::demo(dir.path()).unwrap(), StoreOptions::default()).unwrap();
    let seed = OwnerSeed::from_day_seed("search");
    let when = at("2026-11-03T08:00:00Z");
    let merchant = MerchantHash::parse("mh_00000000000000bb").unwrap();
    let paid = |n: u8, category| {
        node(
            NodeKey::from(&TxnId::parse(&format!("tx_00000000000000{n:02x}")).unwrap()),
            when.plus_min(i64::from(n)),
            NodeData::Transaction {
                merchant: merchant.clone(),
                amount: "-450.00".parse().unwrap(),
                currency: "INR".to_owned(),
                account_last4: "8841".to_owned(),
                category,
            },
        )
    };
    let trace = seed.trace_id(7);
    write(
        &store,
        vec![
            paid(1, Category::FoodDelivery),
            paid(2, Category::Transport),
            node(
                NodeKey::from(&merchant),
                when,
                NodeData::Person { merchant: true },
            ),
            StoreWrite::Node {
                node: GraphNode {
                    key: NodeKey::from(&trace),
                    at: when,
                    data: NodeData::Trace {
                        tick: 7,
                        outcome: Outcome::Silent,
                        reason: Some(ReasonCode::BelowThreshold),
                        chosen: None,
                    },
                },
                sentence: Some("Nothing reached 0.45.".to_owned()),
            },
            StoreWrite::Label {
                of: NodeKey::from(&merchant),
                text: Some("Chai corner, Öffi".to_owned()),
                at: when,
            },
        ],
    );
    let reader = StoreReader::open(&Vault::demo(dir.path()).unwrap()).unwrap();
    let found = |text: &str| {
        let found = reader.search(text, None, 10).unwrap();
        found
            .into_iter()
            .map(|found| (found.row.node.key.as_str().to_owned(), found.because))
            .collect::<Vec<_>>()
    };
    let why = |word: &str, field| (word.to_owned(), field);
    assert_eq!(
        found("FOOD inr"),
        [(
            "tx_0000000000000001".to_owned(),
            vec![
                why("food", SearchField::Category),
                why("inr", SearchField::Amount)
            ]
        )]
    );
    assert_eq!(
        found("öffi chai"),
        [(
            merchant.as_str().to_owned(),
            vec![why("öffi", SearchField::Label), why("chai", SearchField::Label)]
        )]
    );
    assert_eq!(
        found("reached"),
        [(trace.as_str().to_owned(), vec![])],
        "the trace itself was not kept, so its sentence cannot be shown"
    );
    assert_eq!(
        found("below_thresh"),
        [(
            trace.as_str().to_owned(),
            vec![
                why("below", SearchField::Outcome),
                why("thresh", SearchField::Outcome)
            ]
        )]
    );
    assert_eq!(found("food rent"), []);
    for nothing in ["", "\" OR *", "***", "--"] {
        assert_eq!(found(nothing).len(), 0, "{nothing:?}");
    }
    let only = reader.search("inr", Some(NodeType::Person), 10).unwrap();
    assert_eq!(only.len(), 0);
    write(
        &store,
        vec![StoreWrite::Label {
            of: NodeKey::from(&merchant),
            text: None,
            at: when,
        }],
    );
    assert_eq!(found("chai"), []);
}

#[test]
fn label_of_a_chat_is_found_on_each_of_its_days() {
    let dir = TempDir::new().unwrap();
    let (store, _) = Store::open(&Vault::demo(dir.path()).unwrap(), StoreOptions::default()).unwrap();
    let when = at("2026-11-03T08:00:00Z");
    let day = |text: &str| NodeKey::conversation(&chat(), text.parse().unwrap());
    write(
        &store,
        vec![
            node(day("2026-11-03"), when, talk(1, 0)),
            node(
                NodeKey::parse("ch_0123456789abcdee@2026-11-03").unwrap(),
                when,
                talk(1, 0),
            ),
            StoreWrite::Label {
                of: NodeKey::parse(chat().as_str()).unwrap(),
                text: Some("Hostel".to_owned()),
                at: when,
            },
            // Written after the name was given.
            node(day("2026-11-04"), when.plus_min(1440), talk(2, 0)),
        ],
    );
    let reader = StoreReader::open(&Vault::demo(dir.path()).unwrap()).unwrap();
    let mut keys: Vec<_> = reader
        .search("hostel", None, 10)
        .unwrap()
        .into_iter()
        .map(|found| (found.row.node.key, found.row.label))
        .collect();
    keys.sort();
    let name = Some("Hostel".to_owned());
    assert_eq!(
        keys,
        [(day("2026-11-03"), name.clone()), (day("2026-11-04"), name)]
    );
}

#[test]
fn each_change_has_a_version_of_its_own() {
    let dir = TempDir::new().unwrap();
    let vault = Vault::demo(dir.path()).unwrap();
    let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
    let noon = at("2026-11-03T12:00:00Z");
    let versions = || {
        let reader = StoreReader::open(&vault).unwrap();
        (
            reader.content_version().unwrap(),
            reader.payments_version().unwrap(),
        )
    };
    let first = versions();
    let looked = AuditEntry {
        at_ms: noon.ms(),
        op: Op::Read,
        meaning: AuditSubject::all_of(Kind::Graph),
    };
    write(&store, vec![StoreWrite::Audit(looked)]);
    // A look changes nothing of what is looked at.
    assert_eq!(versions(), first);
    let asha = NodeKey::parse("pe_00000000000000aa").unwrap();
    write(
        &store,
        vec![node(asha, noon, NodeData::Person { merchant: false })],
    );
    let second = versions();
    assert!(second.0 != first.0 && second.1 == first.1);
    let key = OwnerSeed::from_day_seed("versions").key("test");
    let paid = NodeData::Transaction {
        merchant: key.merchant("shop"),
        amount: "-4".parse().unwrap(),
        currency: "EUR".to_owned(),
        account_last4: "1122".to_owned(),
        category: Category::Groceries,
    };
    write(&store, vec![node(NodeKey::from(&key.txn("1")), noon, paid)]);
    let third = versions();
    assert!(third.0 != second.0 && third.1 != second.1);
    // Another process may have written between two openings.
    drop(store);
    drop(Store::open(&vault, StoreOptions::default()).unwrap());
    let fourth = versions();
    assert!(fourth.0 != third.0 && fourth.1 != third.1);
}

#[test]
fn all_that_names_a_person_or_a_chat_is_found_and_nothing_else() {
    let dir = TempDir::new().unwrap();
    let vault = Vault::demo(dir.path()).unwrap();
    let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
    let key = |text: &str| NodeKey::parse(text).unwrap();
    let (asha, bo) = (key("pe_00000000000000aa"), key("pe_00000000000000bb"));
    let day = NodeKey::conversation(&chat(), "2026-11-03".parse().unwrap());
    let other = key("ch_00000000000000ff@2026-11-03");
    let act = key("ac_0123456789ab");
    let noon = at("2026-11-03T12:00:00Z");
    let person = || NodeData::Person { merchant: false };
    let acted = NodeData::Action {
        kind: ActionKind::MuteGroup30,
        subject: toolcall_schema::tick::Subject::from(&chat()),
        surface: toolcall_schema::Surface::Watch,
        outcome: Outcome::Confirmed,
    };
    let elsewhere = NodeData::Conversation {
        channel: ChannelHash::parse("ch_00000000000000ff").unwrap(),
        day: "2026-11-03".parse().unwrap(),
        messages: 2,
        actionable: 0,
    };
    let label = |of: &NodeKey, text: &str| StoreWrite::Label {
        of: of.clone(),
        text: Some(text.to_owned()),
        at: noon,
    };
    write(
        &store,
        vec![
            node(asha.clone(), noon, person()),
            node(bo.clone(), noon, person()),
            node(day.clone(), noon, talk(40, 2)),
            node(other.clone(), noon, elsewhere),
            node(act.clone(), noon, acted),
            edge(&asha, EdgeType::SentTo, &day, noon, 31.0),
            edge(&bo, EdgeType::SentTo, &day, noon, 9.0),
            edge(&bo, EdgeType::SentTo, &other, noon, 2.0),
            edge(&act, EdgeType::TalkedAbout, &day, noon, 1.0),
            label(&asha, "My sister"),
        ],
    );
    drop(store);
    let reader = StoreReader::open(&vault).unwrap();
    // (of whom, things, links, label)
    for (of, things, links, label) in [
        ("pe_00000000000000aa", 1, 1, Some("My sister")),
        ("pe_00000000000000bb", 1, 2, None),
        (chat().as_str(), 2, 3, None),
        ("pe_00000000000000cc", 0, 0, None),
    ] {
        let rows = reader.rows_about(&key(of), 10).unwrap();
        assert_eq!(
            (rows.nodes.len(), rows.edges.len(), rows.label.as_deref()),
            (things, links, label),
            "{of}"
        );
        assert_eq!((rows.traces.len(), rows.traces_all), (0, 0), "{of}");
    }
    let totals = reader.sender_totals(10).unwrap();
    let mut totals: Vec<_> = totals
        .iter()
        .map(|total| (total.key.as_str(), total.messages, total.label.as_deref()))
        .collect();
    totals.sort_unstable();
    assert_eq!(
        totals,
        [
            ("pe_00000000000000aa", 31, Some("My sister")),
            ("pe_00000000000000bb", 11, None)
        ]
    );
    assert_eq!(
        reader.newest_labels(10).unwrap(),
        [(asha, "My sister".to_owned(), noon)]
    );
}

#[test]
fn every_name_of_a_type_is_one_the_tables_take() {
    let dir = TempDir::new().unwrap();
    let (store, _) = Store::open(&Vault::demo(dir.path()).unwrap(), StoreOptions::default()).unwrap();
    let when = at("2026-11-03T08:00:00Z");
    let (from, to) = (NodeKey::user(), NodeKey::parse("x").unwrap());
    let mut group = vec![
        node(from.clone(), when, NodeData::User {}),
        node(to.clone(), when, NodeData::App {}),
    ];
    group.extend(EdgeType::ALL.iter().map(|of| edge(&from, *of, &to, when, 1.0)));
    write(&store, group);
    let reader = StoreReader::open(&Vault::demo(dir.path()).unwrap()).unwrap();
    assert_eq!(reader.stats().unwrap().edges.len(), EdgeType::ALL.len());
    assert_eq!((NodeType::ALL.len(), EdgeType::ALL.len()), (10, 8));
    assert!(
        NodeType::ALL
            .iter()
            .all(|of| NodeType::parse(of.as_str()) == Some(*of))
    );
    let action = NodeData::Action {
        kind: ActionKind::ShowBrief,
        subject: toolcall_schema::tick::Subject::all(),
        surface: toolcall_schema::Surface::PhoneCard,
        outcome: Outcome::ExecutedAuto,
    };
    write(&store, vec![node(to.clone(), when, action.clone())]);
    assert_eq!(reader.node(&to).unwrap().unwrap().node.data, action);
}
