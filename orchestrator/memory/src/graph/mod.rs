//! What Aura remembers, as a graph.
//!
//! What: ten types of node and eight of edge, each node with data of its own type. Why: one shape for all that is kept about
//! the owner's days, so that it can be counted, searched, exported and erased in one way. Not here: what a tick adds to it
//! (`aura_runtime::remember`), the journal and the traces (`rows`).
//!
//! People, chats, programs and merchants are here as hashes keyed per installation; what the owner calls them is a label.
//! No node holds text from outside.

mod about;
mod read;
mod words;
mod write;

pub use about::{KeptRows, SenderTotal};
pub use read::{GraphStats, KeptNodes, LinkedNode, NodeRow, SearchHit, TypeStats};
pub use words::SearchField;
pub(crate) use write::{label, link, put, write};

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use std::fmt;
use toolcall_schema::{
    ActionKind, Category, Outcome, ReasonCode, Surface, Timestamp, WellnessState,
    cell::GridCell,
    ids::{AppHash, ChannelHash, EventId, MerchantHash, PersonHash, TraceId, TxnId},
    money::SignedAmount,
    tick::Subject,
};

named!(
    /// What a node is.
    NodeType {
        /// The owner; there is one.
        User = "user",
        /// An instance of a calendar event.
        Event = "event",
        /// A program that messages came through.
        App = "app",
        /// Somebody who wrote, or a firm that was paid.
        Person = "person",
        /// A cell of 200 m.
        Place = "place",
        /// A payment.
        Transaction = "transaction",
        /// A chat or mail folder on one local day.
        Conversation = "conversation",
        /// The owner's load at a tick, or what was measured on a day.
        HealthSnapshot = "health_snapshot",
        /// What Aura did, or asked to do.
        Action = "action",
        /// One decision with its outcome.
        Trace = "trace",
    }
);

named!(
    /// What an edge says.
    EdgeType {
        /// User → Event: it stands in the owner's calendar.
        Attended = "attended",
        /// Person → Conversation; App → Conversation. The weight counts messages.
        SentTo = "sent_to",
        /// User → Place.
        LocatedAt = "located_at",
        /// Transaction → Person.
        PaidTo = "paid_to",
        /// Action → what it was about: a conversation, an event, a transaction.
        TalkedAbout = "talked_about",
        /// Snapshot of the load → Event that ran then.
        FeltDuring = "felt_during",
        /// Action → Trace that decided it.
        TriggeredBy = "triggered_by",
        /// Action → User, who said yes.
        ConfirmedByUser = "confirmed_by_user",
    }
);

/// What names a node: one key per thing, made from its id, so that writing it again changes the same node.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct NodeKey(String);

impl NodeKey {
    /// A key from outside (the command line, an import): 1 to 64 of `a-z0-9_:@-`.
    ///
    /// # Errors
    /// When it has another shape.
    pub fn parse(text: &str) -> Result<Self, KeyShape> {
        let plain = text
            .bytes()
            .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b':' | b'@' | b'-'));
        if plain && (1..=64).contains(&text.len()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(KeyShape)
        }
    }

    /// The owner.
    pub fn user() -> Self {
        Self("self".to_owned())
    }

    /// A chat on one local day.
    pub fn conversation(channel: &ChannelHash, day: NaiveDate) -> Self {
        Self(format!("{channel}@{day}"))
    }

    /// The owner's load at a moment.
    pub fn health(at: Timestamp) -> Self {
        Self(format!("hs_{}", at.ms()))
    }

    /// What was measured of the owner's body on a local day.
    pub fn body(day: NaiveDate) -> Self {
        Self(format!("hd_{day}"))
    }

    /// What a tick chose.
    pub fn action(trace: &TraceId) -> Self {
        Self(format!("ac_{}", trace.as_str().trim_start_matches("tr_")))
    }

    /// A cell.
    pub fn place(cell: GridCell) -> Self {
        Self(cell.key())
    }

    /// The key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

macro_rules! key_of {
    ($($id:ty),+) => { $(impl From<&$id> for NodeKey {
        fn from(id: &$id) -> Self { Self(id.as_str().to_owned()) }
    })+ };
}
key_of!(AppHash, EventId, MerchantHash, PersonHash, TraceId, TxnId);

impl TryFrom<String> for NodeKey {
    type Error = KeyShape;

    fn try_from(text: String) -> Result<Self, KeyShape> {
        Self::parse(&text)
    }
}

impl From<NodeKey> for String {
    fn from(key: NodeKey) -> Self {
        key.0
    }
}

impl fmt::Display for NodeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text that is no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a key has 1 to 64 of a-z0-9_:@-, as `aura memory search` prints it")]
pub struct KeyShape;

/// What a node knows, by type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum NodeData {
    /// The owner.
    User {},
    /// An instance of a calendar event; the node's time is its start.
    Event {
        /// When it ends.
        end: Timestamp,
        /// Whether it is a focus block.
        focus: bool,
        /// Whether it was called off.
        cancelled: bool,
    },
    /// A program.
    App {},
    /// Somebody, or a firm.
    Person {
        /// Whether it is a firm that was paid.
        merchant: bool,
    },
    /// The middle of a cell.
    Place { cell: GridCell },
    /// A payment: with the node's time these are the six fields that may be kept.
    Transaction {
        /// To or from whom.
        merchant: MerchantHash,
        /// How much, and which way it went; rows of releases before this one do not tell the direction.
        amount: SignedAmount,
        /// ISO 4217.
        currency: String,
        /// The last four digits of the account.
        account_last4: String,
        /// What for.
        category: Category,
    },
    /// A chat or mail folder on one local day; the node's time is its last message.
    Conversation {
        channel: ChannelHash,
        /// The owner's local day.
        day: NaiveDate,
        messages: u32,
        /// Of them, those that want something of the owner.
        actionable: u32,
    },
    /// The owner's load at a tick, with score and state, or what was measured on one local day, without them.
    HealthSnapshot {
        /// 0 to 100; of a tick.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        score: Option<u8>,
        /// The state; of a tick.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        state: Option<WellnessState>,
        /// RMSSD, milliseconds; of a day the median.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rmssd_ms: Option<f64>,
        /// Beats a minute at rest; of a day.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resting_bpm: Option<f64>,
        /// Minutes asleep the night before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sleep_min: Option<f64>,
    },
    /// What Aura did, or asked to do.
    Action {
        kind: ActionKind,
        /// About what.
        subject: Subject,
        surface: Surface,
        /// How it ended.
        outcome: Outcome,
    },
    /// One decision with its outcome; all of it is in the traces.
    Trace {
        /// The tick's number.
        tick: u64,
        /// How it ended.
        outcome: Outcome,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<ReasonCode>,
        /// What was chosen; absent: nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        chosen: Option<ActionKind>,
    },
}

impl NodeData {
    /// Its type.
    pub fn node_type(&self) -> NodeType {
        match self {
            NodeData::User {} => NodeType::User,
            NodeData::Event { .. } => NodeType::Event,
            NodeData::App {} => NodeType::App,
            NodeData::Person { .. } => NodeType::Person,
            NodeData::Place { .. } => NodeType::Place,
            NodeData::Transaction { .. } => NodeType::Transaction,
            NodeData::Conversation { .. } => NodeType::Conversation,
            NodeData::HealthSnapshot { .. } => NodeType::HealthSnapshot,
            NodeData::Action { .. } => NodeType::Action,
            NodeData::Trace { .. } => NodeType::Trace,
        }
    }

    /// What stands in the table when `later` is written over it: the later one, but counts of a conversation never fall, because
    /// a reader that was started anew may see only the end of a day, and a day's heart and sleep are measured apart.
    #[must_use]
    pub fn and_then(&self, later: &NodeData) -> NodeData {
        match (self, later) {
            (
                NodeData::Conversation {
                    messages: m,
                    actionable: a,
                    ..
                },
                NodeData::Conversation {
                    channel,
                    day,
                    messages,
                    actionable,
                },
            ) => NodeData::Conversation {
                channel: channel.clone(),
                day: *day,
                messages: *messages.max(m),
                actionable: *actionable.max(a),
            },
            (
                NodeData::HealthSnapshot {
                    rmssd_ms: heart,
                    resting_bpm: rest,
                    sleep_min: sleep,
                    ..
                },
                NodeData::HealthSnapshot {
                    score,
                    state,
                    rmssd_ms,
                    resting_bpm,
                    sleep_min,
                },
            ) => NodeData::HealthSnapshot {
                score: *score,
                state: *state,
                rmssd_ms: rmssd_ms.or(*heart),
                resting_bpm: resting_bpm.or(*rest),
                sleep_min: sleep_min.or(*sleep),
            },
            (_, later) => later.clone(),
        }
    }
}

/// One thing that is remembered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphNode {
    /// Its key.
    pub key: NodeKey,
    /// When it was; for what has no time of its own, when it was seen last.
    pub at: Timestamp,
    /// What it is.
    pub data: NodeData,
}

/// One relation. (from, type, to, time) is its identity: writing it again changes its weight.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphEdge {
    /// From which node.
    pub from: NodeKey,
    /// What it says.
    #[serde(rename = "type")]
    pub edge_type: EdgeType,
    /// To which node.
    pub to: NodeKey,
    pub at: Timestamp,
    /// How much; 1 unless the type says otherwise.
    pub weight: f64,
}
