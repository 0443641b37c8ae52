//! What the agenda, the card before a meeting, the page about an event and the days of the brief need.
//!
//! What: [`MeetingBackend`], and what crosses it: who is invited, which of their messages wait, where it is; the events of two days; what was decided about
//! one. Why: Calendar knows who is invited and Comms what waits, and only a page may see both. Not here: names that the owner gave (`owner`), how it is said
//! (`words`).

use super::{BackendError, BackendFuture};
use chrono::NaiveDate;
use toolcall_schema::{
    Timestamp,
    catalogue::{
        calendar::{EventConflict, EventList, MeetingDescription, TaskList},
        comms::TriagedItem,
    },
    ids::{EventId, PersonHash},
    trace::Trace,
};

/// What the agenda, the card before a meeting and the page about an event need from the rest of Aura.
pub trait MeetingBackend: Send + Sync + 'static {
    /// What is known of an event now; `None` when Calendar knows no such event, or does not say within [`super::owner::SOON_MS`].
    fn meeting(&self, event: EventId) -> BackendFuture<Option<MeetingView>>;

    /// What stands on `days` local days from `first` on, 1 to [`toolcall_schema::catalogue::calendar::LISTED_DAYS_MAX`]; `None` when Calendar has read nothing, or does not say within
    /// [`super::owner::SOON_MS`].
    fn agenda(&self, first: NaiveDate, days: u32) -> BackendFuture<Option<EventList>>;

    /// The tasks of these days, and when today is one of them what is overdue and what has no date; `None` when Calendar does not say within
    /// [`super::owner::SOON_MS`].
    fn tasks(&self, first: NaiveDate, days: u32) -> BackendFuture<Option<TaskList>>;

    /// The events of today and of tomorrow. Calendar may not say soon where each is.
    fn two_days(&self) -> BackendFuture<Result<TwoDays, BackendError>>;

    /// What overlaps with an event: empty also when Calendar does not say within [`super::owner::SOON_MS`].
    fn clashes(&self, event: EventId, start: Timestamp) -> BackendFuture<Vec<EventId>>;

    /// The decisions of the last [`EVENT_DAYS`] days in which an event was proposed or named, newest first.
    fn event_decisions(&self, event: EventId) -> BackendFuture<Result<Vec<Trace>, BackendError>>;
}

/// Days in which decisions about an event are looked for.
pub const EVENT_DAYS: i64 = 8;

/// The events of today and of tomorrow, for one page.
#[derive(Debug, Clone, PartialEq)]
pub struct TwoDays {
    /// When this was put together (wall clock).
    pub at: Timestamp,
    /// By their start.
    pub events: Vec<PlannedEvent>,
    /// The pairs that overlap.
    pub conflicts: Vec<EventConflict>,
}

/// An event that is planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedEvent {
    pub id: EventId,
    pub start: Timestamp,
    pub end: Timestamp,
    pub all_day: bool,
    /// What its place is called; from outside.
    pub place: Option<String>,
}

/// An event with its people, for one page: it holds names from outside.
#[derive(Debug, Clone, PartialEq)]
pub struct MeetingView {
    /// What Calendar says; who is one person at two addresses is counted once.
    pub said: MeetingDescription,
    /// Who is there, as Comms knows them.
    pub people: Vec<MeetingPerson>,
    /// Their messages that wait for the owner's answer.
    pub waiting: Vec<TriagedItem>,
}

/// Somebody who is invited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeetingPerson {
    /// The address that stands for all of theirs.
    pub person: PersonHash,
    /// What the invitation calls them.
    pub invited_as: String,
    /// Whether there is a page about them.
    pub is_known: bool,
}
