//! The last events, with their numbers.
//!
//! What: [`UiEvents`], by which the program tells what changed; [`EventFeed`], which follows it, holds the newest [`FEED_MAX`] events of this
//! process, and says what comes after a cursor. Why: a page that lost its connection gets what it missed, once; a page that was away too
//! long is told to read everything anew. Not here: the stream to a page (`events`).

use crate::backend::{UiEvent, UiEventKind};
use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};
use tokio::sync::{
    broadcast::{self, error::RecvError},
    watch,
};

/// Events that are kept for pages that come back.
pub(super) const FEED_MAX: usize = 256;

/// Changes that may wait for a listener; past that it sees a gap in the numbers.
const WAITING_MAX: usize = 1024;

/// Tells what changed, numbered in the order in which it is told.
pub struct UiEvents {
    events: broadcast::Sender<UiEvent>,
    /// The number of the last one.
    last: Mutex<u64>,
}

impl Default for UiEvents {
    fn default() -> Self {
        Self {
            events: broadcast::Sender::new(WAITING_MAX),
            last: Mutex::new(0),
        }
    }
}

impl UiEvents {
    /// Tells everybody who listens.
    pub fn tell(&self, what: UiEventKind) {
        // Held until it is sent, so that the numbers ascend on the way. A poisoned lock still holds a number.
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last += 1;
        // Nobody may be listening.
        let _ = self.events.send(UiEvent { id: *last, what });
    }

    /// Listens from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<UiEvent> {
        self.events.subscribe()
    }
}

/// What follows a cursor.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FeedStep {
    /// These, in order; never empty.
    Events(Vec<UiEvent>),
    /// Some of what followed is not there any more: read everything anew, and go on from this number.
    Anew(u64),
    /// Nothing yet.
    Wait,
}

/// The newest events of this process.
pub(super) struct EventFeed {
    process: String,
    events: Mutex<VecDeque<UiEvent>>,
    last: watch::Sender<u64>,
}

impl EventFeed {
    /// Empty. `process` is new in each process and stands in each event's id.
    pub(super) fn new(process: String) -> Self {
        Self {
            process,
            events: Mutex::default(),
            last: watch::Sender::new(0),
        }
    }

    /// An event's id on the wire.
    pub(super) fn id(&self, number: u64) -> String {
        format!("{}-{number}", self.process)
    }

    /// The number in an id of this process; `None`: another's, or no id at all.
    pub(super) fn number(&self, id: &str) -> Option<u64> {
        id.strip_prefix(self.process.as_str())?
            .strip_prefix('-')?
            .parse()
            .ok()
    }

    /// The number of the newest event.
    pub(super) fn last(&self) -> u64 {
        *self.last.borrow()
    }

    /// Tells of newer events.
    pub(super) fn subscribe(&self) -> watch::Receiver<u64> {
        self.last.subscribe()
    }

    /// Takes an event in. After a gap in the numbers nothing before it is offered any more.
    fn push(&self, live: UiEvent) {
        // A poisoned lock still holds a whole list: each change is one call.
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        let number = live.id;
        if number != self.last().wrapping_add(1) {
            events.clear();
        }
        if events.len() == FEED_MAX {
            events.pop_front();
        }
        events.push_back(live);
        self.last.send_replace(number);
    }

    /// Takes in what the program tells, as long as the server runs. What a full channel dropped shows as a gap in the numbers.
    pub(super) async fn follow(&self, mut told: broadcast::Receiver<UiEvent>) {
        loop {
            match told.recv().await {
                Ok(event) => self.push(event),
                Err(RecvError::Lagged(_)) => {}
                // The program's side is gone; the server ends when it is told to.
                Err(RecvError::Closed) => std::future::pending().await,
            }
        }
    }

    /// What follows `cursor`.
    pub(super) fn after(&self, cursor: u64) -> FeedStep {
        let events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        let last = self.last();
        if cursor == last {
            return FeedStep::Wait;
        }
        let complete = events
            .front()
            .is_some_and(|first| first.id <= cursor.saturating_add(1) && cursor < last);
        if !complete {
            return FeedStep::Anew(last);
        }
        FeedStep::Events(events.iter().filter(|live| live.id > cursor).cloned().collect())
    }
}

/// An event's name and its id of a thing; nothing else is told.
pub(super) fn sse_name_and_data(live: &UiEvent) -> (&'static str, &str) {
    match &live.what {
        UiEventKind::Card(card) => ("card", card.as_str()),
        UiEventKind::Closed(card) => ("closed", card.as_str()),
        UiEventKind::Tick(trace) => ("tick", trace.as_str()),
        UiEventKind::Status => ("status", ""),
        UiEventKind::Runs => ("runs", ""),
        UiEventKind::Trial => ("trial", ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live(id: u64) -> UiEvent {
        UiEvent {
            id,
            what: UiEventKind::Status,
        }
    }

    fn ids(next: FeedStep) -> Vec<u64> {
        match next {
            FeedStep::Events(events) => events.iter().map(|live| live.id).collect(),
            FeedStep::Anew(_) | FeedStep::Wait => vec![],
        }
    }

    #[test]
    fn a_cursor_gets_each_event_once_or_is_told_to_read_anew() {
        let feed = EventFeed::new("p".to_owned());
        for id in 1..=300 {
            feed.push(live(id));
        }
        // 256 are kept: 45 to 300.
        assert_eq!(ids(feed.after(44)), (45..=300).collect::<Vec<_>>());
        assert_eq!(feed.after(43), FeedStep::Anew(300));
        assert_eq!(ids(feed.after(299)), [300]);
        assert_eq!(feed.after(300), FeedStep::Wait);
        // Numbers that were never given out.
        assert_eq!(feed.after(301), FeedStep::Anew(300));
        assert_eq!(feed.after(u64::MAX), FeedStep::Anew(300));
    }

    #[test]
    fn a_gap_is_never_passed_over() {
        let feed = EventFeed::new("p".to_owned());
        feed.push(live(57));
        assert_eq!(feed.after(0), FeedStep::Anew(57));
        feed.push(live(58));
        assert_eq!(ids(feed.after(57)), [58]);
        feed.push(live(61));
        assert_eq!(feed.after(58), FeedStep::Anew(61));
        assert_eq!(feed.after(57), FeedStep::Anew(61));
        feed.push(live(62));
        assert_eq!(ids(feed.after(61)), [62]);
    }

    #[test]
    fn ids_of_another_process_say_nothing() {
        let feed = EventFeed::new("ab12".to_owned());
        assert_eq!(feed.number(&feed.id(7)), Some(7));
        for id in ["ab13-7", "ab12", "ab12-", "ab12-x", "7", "", "ab127"] {
            assert_eq!(feed.number(id), None, "{id}");
        }
    }
}
