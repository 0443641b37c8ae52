//! What the agenda, the card before a meeting and the page about an event need.
//!
//! What: [`MeetingBackend`], and what crosses it: what stands on some days, who is invited, which of their messages wait, where it is. Why: Calendar knows who is invited and Comms
//! what waits, and only a page may see both. Not here: names that the owner gave (`owner`), how it is said (`words`).

use super::BackendFuture;
use chrono::NaiveDate;
use toolcall_schema::{
    catalogue::{
        calendar::{EventList, MeetingDescription},
        comms::TriagedItem,
    },
    ids::{EventId, PersonHash},
};

/// What the agenda, the card before a meeting and the page about an event need from the rest of Aura.
pub trait MeetingBackend: Send + Sync + 'static {
    /// What is known of an event now; `None` when Calendar knows no such event, or does not say within [`super::owner::SOON_MS`].
    fn meeting(&self, event: EventId) -> BackendFuture<Option<MeetingView>>;

    /// What stands on `days` local days from `first` on, 1 to [`toolcall_schema::catalogue::calendar::LISTED_DAYS_MAX`]; `None` when Calendar has read nothing, or does not say within
    /// [`super::owner::SOON_MS`].
    fn agenda(&self, first: NaiveDate, days: u32) -> BackendFuture<Option<EventList>>;
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
