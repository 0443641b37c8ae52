//! What the pages about people and chats ask, answered over the store and Comms.
//!
//! What: [`PeopleBackend`] for [`ServiceBackend`]. Why: beside the owner's other questions (`owner`), in a file of its own. Not here: which rows name
//! somebody (`aura_memory::graph`), names (`owner`).

use super::{ServiceBackend, decisions::trace_of, read};
use crate::{config::AGENTS_KEY, kept_things};
use aura_memory::{
    StoreError, StoreReader,
    audit::{AuditSubject, Kind},
    graph::{EdgeType, GraphEdge, KeptRows, NodeData, NodeKey, NodeRow, NodeType},
};
use chrono::NaiveDate;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use surfaces::render::section::people::thing_of;
use surfaces_base::backend::{
    BackendError, BackendFuture,
    people::{
        GivenName, KeptAbout, KeptFact, KeptRow, KeptSender, LISTED_MAX, MessageWay, NAMES_SHOWN_MAX,
        PeopleBackend, SenderWays, TRACES_SHOWN_MAX,
    },
};
use toolcall_schema::{
    ToolName,
    catalogue::{
        comms::DescribedMessages,
        correspondent::{Correspondent, DescribeCorrespondent, SamePeopleList},
        learning::LearnedThing,
        shared::ThingId,
    },
    ids::{AppHash, ChannelHash, ItemId, PersonHash, SecretKey, TraceId},
};

/// Days of chats that are counted: a chat has one a day.
const CHAT_DAYS_MAX: u32 = LISTED_MAX * 31;

impl PeopleBackend for ServiceBackend {
    fn people(&self) -> BackendFuture<Result<Vec<KeptSender>, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            me.shows(AuditSubject::all_of(Kind::Graph)).await?;
            read(me.readers.clone(), |reader| {
                let mut all = people(reader)?;
                all.extend(chats(reader)?);
                Ok(all)
            })
            .await
        })
    }

    fn kept_about(&self, about: LearnedThing) -> BackendFuture<Result<KeptAbout, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let kind = match about {
                LearnedThing::Person(_) => Kind::Person,
                LearnedThing::Channel(_) => Kind::Node,
            };
            me.shows(AuditSubject::one(kind, about.as_str())).await?;
            let Some(key) = kept_things::key_of(&thing_of(&about)) else {
                return Ok(KeptAbout::default());
            };
            read(me.readers.clone(), move |reader| {
                Ok(combine_rows(reader.rows_about(&key, TRACES_SHOWN_MAX)?))
            })
            .await
        })
    }

    fn ways(&self, of: BTreeSet<LearnedThing>) -> BackendFuture<Result<SenderWays, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            if of.is_empty() {
                return Ok(SenderWays::new());
            }
            me.shows(AuditSubject::all_of(Kind::Graph)).await?;
            let key = me.vault.seed().key(AGENTS_KEY);
            read(me.readers.clone(), move |reader| {
                let mut found = SenderWays::new();
                for about in of {
                    let Some(node) = kept_things::key_of(&thing_of(&about)) else {
                        continue;
                    };
                    let mut ways: Vec<MessageWay> = Vec::new();
                    for program in reader.programs_of(&node)? {
                        let way = message_way(&key, program.as_ref());
                        if !ways.contains(&way) {
                            ways.push(way);
                        }
                    }
                    if !ways.is_empty() {
                        found.insert(about, ways);
                    }
                }
                Ok(found)
            })
            .await
        })
    }

    fn message_id(&self, item: ItemId) -> BackendFuture<Option<String>> {
        let me = self.clone();
        Box::pin(async move {
            let there = me.message_id_there(&item).await;
            if there.is_some() || !me.accounts.has_mail() {
                return there;
            }
            // A mail of an account that is not in memory.
            me.accounts.fetch_again().await;
            me.message_id_there(&item).await
        })
    }

    fn sender_address(&self, item: ItemId) -> BackendFuture<Option<String>> {
        let me = self.clone();
        Box::pin(async move {
            let described = me.described_alone(&item).await?;
            described.address.map(|address| address.as_str().to_owned())
        })
    }

    fn given_names(&self) -> BackendFuture<Result<Vec<GivenName>, BackendError>> {
        // The owner's own words: reading them is no look into what is kept of others.
        Box::pin(read(self.readers.clone(), |reader| {
            let labels = reader.newest_labels(NAMES_SHOWN_MAX)?.into_iter();
            Ok(labels
                .filter_map(|(key, name, at)| {
                    let thing = ThingId::parse(key.as_str()).ok()?;
                    Some(GivenName { thing, name, at })
                })
                .collect())
        }))
    }

    fn same_people(&self) -> BackendFuture<Option<SamePeopleList>> {
        let me = self.clone();
        Box::pin(async move {
            me.ask(ToolName::ListSamePeople, Value::Object(serde_json::Map::new()))
                .await
        })
    }

    fn correspondent(&self, about: ThingId) -> BackendFuture<Option<Correspondent>> {
        let me = self.clone();
        Box::pin(async move {
            let args = serde_json::to_value(DescribeCorrespondent { about }).ok()?;
            me.ask(ToolName::DescribeCorrespondent, args).await
        })
    }
}

impl ServiceBackend {
    /// The Message-ID of a mail, where that can be read now.
    async fn message_id_there(&self, item: &ItemId) -> Option<String> {
        let described = self.described_alone(item).await?;
        described.message_id.map(|id| id.as_str().to_owned())
    }

    /// What Comms says of one message alone.
    async fn described_alone(&self, item: &ItemId) -> Option<DescribedMessages> {
        self.ask(ToolName::CommsDescribe, serde_json::json!({ "ids": [item] }))
            .await
    }
}

fn message_way(key: &SecretKey, program: Option<&NodeKey>) -> MessageWay {
    let Some(program) = program else {
        return MessageWay::Mail;
    };
    let app = AppHash::parse(program.as_str()).ok();
    let name = app.and_then(|app| agents::comms::program_name(key, &app));
    name.map_or(MessageWay::Other, MessageWay::Program)
}

fn people(reader: &StoreReader) -> Result<Vec<KeptSender>, StoreError> {
    let totals = reader.sender_totals(LISTED_MAX)?.into_iter();
    Ok(totals
        .filter_map(|total| {
            Some(KeptSender {
                about: LearnedThing::Person(PersonHash::parse(total.key.as_str()).ok()?),
                messages: total.messages,
                at: total.at,
                own_name: total.label,
                wrote_in: total.wrote_in.and_then(|key| Some(chat_day(&key)?.0)),
            })
        })
        .collect())
}

fn chats(reader: &StoreReader) -> Result<Vec<KeptSender>, StoreError> {
    let mut chats: BTreeMap<ChannelHash, KeptSender> = BTreeMap::new();
    for row in reader.newest_nodes(NodeType::Conversation, "ch_", CHAT_DAYS_MAX)? {
        let NodeData::Conversation {
            channel, messages, ..
        } = row.node.data
        else {
            continue;
        };
        let chat = chats.entry(channel.clone()).or_insert(KeptSender {
            about: LearnedThing::Channel(channel),
            messages: 0,
            at: row.node.at,
            own_name: row.label,
            wrote_in: None,
        });
        chat.messages = chat.messages.saturating_add(u64::from(messages));
        chat.at = chat.at.max(row.node.at);
    }
    let mut chats: Vec<KeptSender> = chats.into_values().collect();
    chats.sort_by_key(|chat| std::cmp::Reverse(chat.at));
    chats.truncate(LISTED_MAX as usize);
    Ok(chats)
}

fn combine_rows(rows: KeptRows) -> KeptAbout {
    KeptAbout {
        own_name: rows.label,
        things: rows.nodes.iter().map(thing_row).collect(),
        links: rows.edges.iter().map(link_row).collect(),
        traces: rows.traces.iter().filter_map(|row| trace_of(&row.json)).collect(),
        traces_all: rows.traces_all,
    }
}

fn thing_row(row: &NodeRow) -> KeptRow {
    let fact = match &row.node.data {
        NodeData::Person { merchant: false } => KeptFact::Writes,
        NodeData::Conversation {
            day,
            messages,
            actionable,
            ..
        } => KeptFact::ChatDay(*day, *messages, *actionable),
        NodeData::Action { kind, outcome, .. } => {
            let trace = row.node.key.as_str().strip_prefix("ac_");
            let trace = trace.and_then(|id| TraceId::parse(&format!("tr_{id}")).ok());
            KeptFact::Action(*kind, *outcome, trace)
        }
        NodeData::User {}
        | NodeData::Event { .. }
        | NodeData::App {}
        | NodeData::Person { .. }
        | NodeData::Place { .. }
        | NodeData::Transaction { .. }
        | NodeData::HealthSnapshot { .. }
        | NodeData::Trace { .. } => KeptFact::Other,
    };
    KeptRow {
        at: row.node.at,
        fact,
    }
}

fn link_row(edge: &GraphEdge) -> KeptRow {
    let fact = chat_day(&edge.to).and_then(|(channel, day)| match edge.edge_type {
        EdgeType::SentTo => Some(match PersonHash::parse(edge.from.as_str()) {
            Ok(person) => KeptFact::Wrote(person, channel, day, whole(edge.weight)),
            Err(_) => KeptFact::CameThrough(day, whole(edge.weight)),
        }),
        EdgeType::TalkedAbout => Some(KeptFact::ActionOnDay(day)),
        EdgeType::Attended
        | EdgeType::LocatedAt
        | EdgeType::PaidTo
        | EdgeType::FeltDuring
        | EdgeType::TriggeredBy
        | EdgeType::ConfirmedByUser => None,
    });
    KeptRow {
        at: edge.at,
        fact: fact.unwrap_or(KeptFact::Other),
    }
}

/// The chat and the day of a conversation's key.
fn chat_day(key: &NodeKey) -> Option<(ChannelHash, NaiveDate)> {
    let (channel, day) = key.as_str().split_once('@')?;
    Some((ChannelHash::parse(channel).ok()?, day.parse().ok()?))
}

/// A count of messages, which an edge keeps as its weight.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is cut to what fits before"
)]
fn whole(weight: f64) -> u32 {
    weight.clamp(0.0, f64::from(u32::MAX)) as u32
}
