//! What the pages about people and chats need.
//!
//! What: [`PeopleBackend`], and what crosses it: who is remembered and how much they wrote, and every row that is kept about one. Why: who somebody is
//! to the owner is said in one place. Not here: names (`owner`), forgetting (`forgetting`), how it is said (`words`).

use super::{BackendError, BackendFuture};
use chrono::NaiveDate;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};
use toolcall_schema::{
    ActionKind, Outcome, Timestamp,
    catalogue::{
        correspondent::{Correspondent, SamePeopleList},
        learning::LearnedThing,
        shared::ThingId,
    },
    ids::{ChannelHash, ItemId, PersonHash, TraceId},
    trace::Trace,
};

/// People that a page looks through, and chats.
pub const LISTED_MAX: u32 = 512;

/// Traces of one that a page shows.
pub const TRACES_SHOWN_MAX: u32 = 50;

/// Names of the owner's that a page shows.
pub const NAMES_SHOWN_MAX: u32 = 50;

/// What the pages about people and chats need from the rest of Aura.
pub trait PeopleBackend: Send + Sync + 'static {
    /// Who is remembered, at most [`LISTED_MAX`] people and as many chats, in any order. Without the names that agents know.
    fn people(&self) -> BackendFuture<Result<Vec<KeptSender>, BackendError>>;

    /// Every row that is kept about one, of the traces the newest. That it was looked at is recorded first.
    fn kept_about(&self, about: LearnedThing) -> BackendFuture<Result<KeptAbout, BackendError>>;

    /// By what each of these writes, or is written in, the newest first; those of whom nothing is kept are left out. That it was looked at is recorded
    /// first.
    fn ways(&self, of: BTreeSet<LearnedThing>) -> BackendFuture<Result<SenderWays, BackendError>>;

    /// The Message-ID of a mail, without angle brackets, read for this answer where the mail lies; `None`: it is no mail, lies there no more, or Comms does
    /// not say soon.
    fn message_id(&self, item: ItemId) -> BackendFuture<Option<String>>;

    /// The address that a mail was written from, for whoever answers it; `None`: it is no mail, is known no more, or Comms does not say soon.
    fn sender_address(&self, item: ItemId) -> BackendFuture<Option<String>>;

    /// What the owner calls things, the newest name first, at most [`NAMES_SHOWN_MAX`].
    fn given_names(&self) -> BackendFuture<Result<Vec<GivenName>, BackendError>>;

    /// Who is one person by the owner's word; `None` when Comms does not say soon.
    fn same_people(&self) -> BackendFuture<Option<SamePeopleList>>;

    /// What Comms says of a person, a chat, or who sent a message; `None` when it knows no such message, or does not say soon.
    fn correspondent(&self, about: ThingId) -> BackendFuture<Option<Correspondent>>;
}

/// A person or a chat, as memory keeps them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptSender {
    pub about: LearnedThing,
    /// Messages that are kept as counts.
    pub messages: u64,
    /// When they were seen last (wall clock).
    pub at: Timestamp,
    /// What the owner calls them.
    pub own_name: Option<String>,
    /// Of a person: the chat they wrote in last.
    pub wrote_in: Option<ChannelHash>,
}

/// By what messages come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MessageWay {
    Mail,
    /// A program that people know by this name.
    Program(&'static str),
    /// Another program.
    Other,
}

/// By what people write and chats are written in.
pub type SenderWays = BTreeMap<LearnedThing, Vec<MessageWay>>;

/// A name that the owner typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenName {
    pub thing: ThingId,
    pub name: String,
    /// When it was typed (wall clock).
    pub at: Timestamp,
}

/// Everything that is kept about one, as an export holds it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KeptAbout {
    /// What the owner calls them.
    pub own_name: Option<String>,
    /// Rows of the graph that name them: things and links, newest first.
    pub things: Vec<KeptRow>,
    pub links: Vec<KeptRow>,
    /// The newest traces that name them, newest first, at most [`TRACES_SHOWN_MAX`].
    pub traces: Vec<Trace>,
    /// All of those traces.
    pub traces_all: u64,
}

impl KeptAbout {
    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.total() == 0
    }

    /// Adds what is kept of another address of the same person.
    pub fn add(&mut self, other: Self) {
        if self.own_name.is_none() {
            self.own_name = other.own_name;
        }
        self.things.extend(other.things);
        self.links.extend(other.links);
        for rows in [&mut self.things, &mut self.links] {
            rows.sort_by_key(|row| Reverse(row.at));
        }
        self.traces_all = self.traces_all.saturating_add(other.traces_all);
        for trace in other.traces {
            // One that names both is one.
            if self.traces.iter().any(|known| known.trace_id == trace.trace_id) {
                self.traces_all = self.traces_all.saturating_sub(1);
            } else {
                self.traces.push(trace);
            }
        }
        self.traces.sort_by_key(|trace| Reverse(trace.decision.ts));
        self.traces
            .truncate(usize::try_from(TRACES_SHOWN_MAX).unwrap_or(usize::MAX));
    }

    /// Rows of all sorts.
    pub fn total(&self) -> u64 {
        let rows = self.things.len() + self.links.len() + usize::from(self.own_name.is_some());
        u64::try_from(rows)
            .unwrap_or(u64::MAX)
            .saturating_add(self.traces_all)
    }
}

/// One row of the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptRow {
    /// When it was (wall clock).
    pub at: Timestamp,
    pub fact: KeptFact,
}

/// What a row of the graph says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeptFact {
    /// Somebody writes.
    Writes,
    /// So many messages came in the chat that day, and so many wanted something.
    ChatDay(NaiveDate, u32, u32),
    /// Somebody wrote so many messages in a chat that day.
    Wrote(PersonHash, ChannelHash, NaiveDate, u32),
    /// So many messages of the chat came through a program that day.
    CameThrough(NaiveDate, u32),
    /// What Aura did about it, or asked to do.
    Action(ActionKind, Outcome, Option<TraceId>),
    /// That an action was about the chat as it was that day.
    ActionOnDay(NaiveDate),
    /// Of another sort.
    Other,
}
