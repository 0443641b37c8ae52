//! The last events, with their numbers.
//!
//! What: [`Feed`], which holds the newest [`FEED_MAX`] events of this process, and a cursor's way through them. Why: a page that lost its
//! connection gets what it missed, once; a page that was away too long is told to read everything anew. Not here: the stream (`events`).

use crate::backend::{Live, LiveKind};
use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};
use tokio::sync::watch;

/// Events that are kept for pages that come back.
pub(super) const FEED_MAX: usize = 256;

/// What follows a cursor.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// These, in order; never empty.
    Events(Vec<Live>),
    /// Some of what followed is not there any more: read everything anew, and go on from this number.
    Anew(u64),
    /// Nothing yet.
    Wait,
}

/// The newest events of this process.
pub(super) struct Feed {
    process: String,
    events: Mutex<VecDeque<Live>>,
    last: watch::Sender<u64>,
}

impl Feed {
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
    pub(super) fn push(&self, live: Live) {
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

    /// What follows `cursor`.
    pub(super) fn after(&self, cursor: u64) -> Next {
        let events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        let last = self.last();
        if cursor == last {
            return Next::Wait;
        }
        let complete = events
            .front()
            .is_some_and(|first| first.id <= cursor.saturating_add(1) && cursor < last);
        if !complete {
            return Next::Anew(last);
        }
        Next::Events(events.iter().filter(|live| live.id > cursor).cloned().collect())
    }
}

/// An event's name and its id of a thing; nothing else is told.
pub(super) fn told(live: &Live) -> (&'static str, &str) {
    match &live.what {
        LiveKind::Card(card) => ("card", card.as_str()),
        LiveKind::Closed(card) => ("closed", card.as_str()),
        LiveKind::Tick(trace) => ("tick", trace.as_str()),
        LiveKind::Status => ("status", ""),
        LiveKind::Runs => ("runs", ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live(id: u64) -> Live {
        Live {
            id,
            what: LiveKind::Status,
        }
    }

    fn ids(next: Next) -> Vec<u64> {
        match next {
            Next::Events(events) => events.iter().map(|live| live.id).collect(),
            Next::Anew(_) | Next::Wait => vec![],
        }
    }

    #[test]
    fn a_cursor_gets_each_event_once_or_is_told_to_read_anew() {
        let feed = Feed::new("p".to_owned());
        for id in 1..=300 {
            feed.push(live(id));
        }
        // 256 are kept: 45 to 300.
        assert_eq!(ids(feed.after(44)), (45..=300).collect::<Vec<_>>());
        assert_eq!(feed.after(43), Next::Anew(300));
        assert_eq!(ids(feed.after(299)), [300]);
        assert_eq!(feed.after(300), Next::Wait);
        // Numbers that were never given out.
        assert_eq!(feed.after(301), Next::Anew(300));
        assert_eq!(feed.after(u64::MAX), Next::Anew(300));
    }

    #[test]
    fn a_gap_is_never_passed_over() {
        let feed = Feed::new("p".to_owned());
        feed.push(live(57));
        assert_eq!(feed.after(0), Next::Anew(57));
        feed.push(live(58));
        assert_eq!(ids(feed.after(57)), [58]);
        feed.push(live(61));
        assert_eq!(feed.after(58), Next::Anew(61));
        assert_eq!(feed.after(57), Next::Anew(61));
        feed.push(live(62));
        assert_eq!(ids(feed.after(61)), [62]);
    }

    #[test]
    fn ids_of_another_process_say_nothing() {
        let feed = Feed::new("ab12".to_owned());
        assert_eq!(feed.number(&feed.id(7)), Some(7));
        for id in ["ab13-7", "ab12", "ab12-", "ab12-x", "7", "", "ab127"] {
            assert_eq!(feed.number(id), None, "{id}");
        }
    }
}
