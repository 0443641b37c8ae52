//! What is remembered, by the kinds that pages show.
//!
//! What: [`newest`], the things of a kind; [`keys`], the keys of all of them, which a deletion names. Why: a page shows people, chats and shops; the
//! graph has nodes. Not here: names (agents), deleting (`page_deletions`).

use aura_memory::{
    StoreError, StoreReader,
    graph::{NodeData, NodeKey, NodeRow, NodeType},
};
use std::collections::BTreeSet;
use surfaces_base::backend::memory::{KEPT_LISTED_MAX, KeptKind, KeptThing};
use toolcall_schema::catalogue::shared::ThingId;

/// Rows that are read for a page: a chat has one a day.
const ROWS_MAX: u32 = KEPT_LISTED_MAX * 16;

/// How the nodes of a kind are kept.
fn nodes(kind: KeptKind) -> (NodeType, &'static str) {
    match kind {
        KeptKind::People => (NodeType::Person, "pe_"),
        KeptKind::Shops => (NodeType::Person, "mh_"),
        KeptKind::Chats => (NodeType::Conversation, "ch_"),
        KeptKind::Payments => (NodeType::Transaction, "tx_"),
        KeptKind::Events => (NodeType::Event, "ev_"),
    }
}

/// The thing that a node tells of: of a day of a chat, the chat.
fn thing(row: &NodeRow) -> Option<ThingId> {
    if let NodeData::Conversation { channel, .. } = &row.node.data {
        return Some(ThingId::Channel(channel.clone()));
    }
    ThingId::parse(row.node.key.as_str()).ok()
}

/// The things of a kind, newest first, each once.
///
/// # Errors
/// STORE-003 or STORE-007.
pub(crate) fn newest(reader: &StoreReader, kind: KeptKind) -> Result<Vec<KeptThing>, StoreError> {
    let (node_type, prefix) = nodes(kind);
    let limit = if kind == KeptKind::Chats {
        ROWS_MAX
    } else {
        KEPT_LISTED_MAX
    };
    let mut seen = BTreeSet::new();
    let rows = reader.newest_nodes(node_type, prefix, limit)?;
    let things = rows.into_iter().filter_map(|row| {
        let thing = thing(&row)?;
        seen.insert(thing.clone()).then_some(KeptThing {
            thing,
            at: row.node.at,
            own_name: row.label,
        })
    });
    Ok(things.take(KEPT_LISTED_MAX as usize).collect())
}

/// The keys of all things of a kind.
///
/// # Errors
/// STORE-003 or STORE-007.
pub(crate) fn keys(reader: &StoreReader, kind: KeptKind) -> Result<Vec<NodeKey>, StoreError> {
    let (node_type, prefix) = nodes(kind);
    let keys = reader.keys_of(node_type, prefix)?;
    let whole = keys.into_iter().filter_map(|key| {
        // The chat goes, and every day of it with it.
        let of = key.as_str().split('@').next()?;
        NodeKey::parse(of).ok()
    });
    Ok(whole.collect::<BTreeSet<_>>().into_iter().collect())
}

/// The key that names a thing.
pub(crate) fn key_of(thing: &ThingId) -> Option<NodeKey> {
    match thing {
        ThingId::Person(id) => Some(id.into()),
        ThingId::Merchant(id) => Some(id.into()),
        ThingId::Txn(id) => Some(id.into()),
        ThingId::Event(id) => Some(id.into()),
        ThingId::Channel(id) => NodeKey::parse(id.as_str()).ok(),
        // A message is no node: its chat or its sender is.
        ThingId::Item(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aura_memory::{
        Store, StoreOptions, StoreWrite, Vault,
        graph::{EdgeType, GraphEdge, GraphNode},
    };
    use toolcall_schema::{
        Timestamp,
        ids::{AppHash, ChannelHash, PersonHash},
    };

    const ASHA: &str = "pe_0000000000000001";
    const JONAS: &str = "pe_0000000000000002";
    const SHOP: &str = "mh_0000000000000003";
    const PAIR: &str = "ch_000000000000000a";
    const GROUP: &str = "ch_000000000000000b";
    const LEA: &str = "pe_0000000000000003";
    const LEAS: &str = "ch_000000000000000c";

    fn at(day: u32) -> Timestamp {
        Timestamp::parse(&format!("2026-11-{day:02}T08:00:00Z")).unwrap()
    }

    fn person(id: &str, day: u32) -> GraphNode {
        let merchant = id == SHOP;
        GraphNode {
            key: NodeKey::parse(id).unwrap(),
            at: at(day),
            data: NodeData::Person { merchant },
        }
    }

    fn chat(id: &str, day: u32) -> GraphNode {
        let channel = ChannelHash::parse(id).unwrap();
        let date = chrono::NaiveDate::from_ymd_opt(2026, 11, day).unwrap();
        GraphNode {
            key: NodeKey::conversation(&channel, date),
            at: at(day),
            data: NodeData::Conversation {
                channel,
                day: date,
                messages: 2,
                actionable: 0,
            },
        }
    }

    /// Asha wrote in a chat of two on two days, both wrote in a group; a shop.
    fn reader(dir: &std::path::Path) -> StoreReader {
        let vault = Vault::ephemeral(dir).unwrap();
        let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
        let nodes = [
            person(ASHA, 4),
            person(JONAS, 2),
            person(SHOP, 3),
            chat(PAIR, 1),
            chat(PAIR, 4),
            chat(GROUP, 2),
        ];
        let wrote = |from: &str, to: &GraphNode| GraphEdge {
            from: NodeKey::from(&PersonHash::parse(from).unwrap()),
            edge_type: EdgeType::SentTo,
            to: to.key.clone(),
            at: to.at,
            weight: 1.0,
        };
        let edges = [
            wrote(ASHA, &chat(PAIR, 4)),
            wrote(ASHA, &chat(GROUP, 2)),
            wrote(JONAS, &chat(GROUP, 2)),
        ];
        let writes = nodes
            .into_iter()
            .map(|node| StoreWrite::Node { node, sentence: None });
        let writes = writes.chain(edges.into_iter().map(StoreWrite::Edge));
        store.write(writes.collect()).unwrap();
        store.commit_now().unwrap();
        StoreReader::open(&vault).unwrap()
    }

    #[test]
    fn things_of_a_kind_are_listed_newest_first_each_once() {
        let dir = tempfile::tempdir().unwrap();
        let reader = reader(dir.path());
        for (kind, ids) in [
            (KeptKind::People, vec![(ASHA, 4), (JONAS, 2)]),
            (KeptKind::Shops, vec![(SHOP, 3)]),
            (KeptKind::Chats, vec![(PAIR, 4), (GROUP, 2)]),
            (KeptKind::Payments, vec![]),
            (KeptKind::Events, vec![]),
        ] {
            let wanted: Vec<_> = ids
                .iter()
                .map(|(id, day)| (ThingId::parse(id).unwrap(), at(*day)))
                .collect();
            let found = newest(&reader, kind).unwrap();
            let found: Vec<_> = found.into_iter().map(|kept| (kept.thing, kept.at)).collect();
            assert_eq!(found, wanted, "{kind:?}");
            // Every one of them is named by a deletion of the kind.
            let named = keys(&reader, kind).unwrap();
            let mut ids: Vec<&str> = ids.into_iter().map(|(id, _)| id).collect();
            ids.sort_unstable();
            assert_eq!(
                named.iter().map(NodeKey::as_str).collect::<Vec<_>>(),
                ids,
                "{kind:?}"
            );
        }
    }

    #[test]
    fn mails_are_told_from_what_came_by_a_program() {
        let dir = tempfile::tempdir().unwrap();
        let vault = Vault::ephemeral(dir.path()).unwrap();
        let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
        let app = AppHash::parse("ap_0000000000000001").unwrap();
        let other = AppHash::parse("ap_0000000000000002").unwrap();
        let app_node = |app: &AppHash| GraphNode {
            key: NodeKey::from(app),
            at: at(4),
            data: NodeData::App {},
        };
        let nodes = [
            person(ASHA, 4),
            person(JONAS, 4),
            person(LEA, 5),
            chat(PAIR, 1),
            chat(PAIR, 4),
            chat(GROUP, 2),
            chat(LEAS, 5),
            app_node(&app),
            app_node(&other),
        ];
        let wrote = |from: NodeKey, to: &GraphNode| GraphEdge {
            from,
            edge_type: EdgeType::SentTo,
            to: to.key.clone(),
            at: to.at,
            weight: 1.0,
        };
        let asha = || NodeKey::parse(ASHA).unwrap();
        // The pair's messages came by the program, the group is a folder of mail.
        let edges = [
            wrote(asha(), &chat(PAIR, 1)),
            wrote(asha(), &chat(PAIR, 4)),
            wrote(asha(), &chat(GROUP, 2)),
            wrote(NodeKey::parse(JONAS).unwrap(), &chat(GROUP, 2)),
            wrote(NodeKey::from(&app), &chat(PAIR, 1)),
            wrote(NodeKey::from(&app), &chat(PAIR, 4)),
            // Lea writes under one name by two programs, by the second last.
            wrote(NodeKey::parse(LEA).unwrap(), &chat(LEAS, 5)),
            wrote(NodeKey::from(&app), &chat(LEAS, 5)),
            GraphEdge {
                at: at(6),
                ..wrote(NodeKey::from(&other), &chat(LEAS, 5))
            },
        ];
        let writes = nodes
            .into_iter()
            .map(|node| StoreWrite::Node { node, sentence: None });
        let writes = writes.chain(edges.into_iter().map(StoreWrite::Edge));
        store.write(writes.collect()).unwrap();
        store.commit_now().unwrap();
        let reader = StoreReader::open(&vault).unwrap();
        let by_program = Some(NodeKey::from(&app));
        for (of, programs) in [
            (ASHA, vec![by_program.clone(), None]),
            (JONAS, vec![None]),
            (PAIR, vec![by_program.clone()]),
            (GROUP, vec![None]),
            (LEA, vec![Some(NodeKey::from(&other)), by_program.clone()]),
            (LEAS, vec![Some(NodeKey::from(&other)), by_program]),
            ("pe_00000000000000ff", vec![]),
        ] {
            let found = reader.programs_of(&NodeKey::parse(of).unwrap()).unwrap();
            assert_eq!(found, programs, "{of}");
        }
    }

    #[test]
    fn chats_go_with_the_people_who_alone_wrote_in_them() {
        let dir = tempfile::tempdir().unwrap();
        let reader = reader(dir.path());
        for (gone, chats) in [
            (vec![ASHA], vec![PAIR]),
            (vec![JONAS], vec![]),
            (vec![ASHA, JONAS], vec![PAIR, GROUP]),
            (vec![GROUP], vec![GROUP]),
        ] {
            let keys: Vec<_> = gone
                .iter()
                .map(|id| key_of(&ThingId::parse(id).unwrap()).unwrap())
                .collect();
            let things = reader.closure(&keys).unwrap();
            let found: Vec<&str> = things
                .iter()
                .map(String::as_str)
                .filter(|id| id.starts_with("ch_"))
                .collect();
            assert_eq!(found, chats, "{gone:?}");
        }
    }
}
