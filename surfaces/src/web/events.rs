//! What changed, from whoever tells it to every open page.
//!
//! What: [`UiEvents`], by which the program tells what changed; [`EventFeed`], which follows it and holds the newest [`FEED_MAX`] events of this process;
//! `GET /events`, one server-sent-event stream a page. Why: an open stream is what "this surface is connected" means; events say that something
//! changed, the page then reads its fragment; a card that comes is sent along, drawn when it is sent and kept nowhere. A page that comes back with the id of its last event gets what it missed, once, or is told to read
//! everything anew. Not here: what the fragment shows (`pages`).

use super::{
    connections::StreamReader,
    error::WebError,
    pages,
    state::AppState,
    visitor::{self, RequestIdentity},
};
use axum::{
    extract::{Query, State, rejection::QueryRejection},
    http::HeaderMap,
    response::{
        Sse,
        sse::{Event, KeepAlive},
    },
};
use futures_util::{Stream, StreamExt, stream};
use serde::Deserialize;
use std::{
    collections::VecDeque,
    convert::Infallible,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use surfaces_base::{
    backend::{UiEvent, UiEventKind},
    devices::{DeviceId, DeviceScope},
    locale::{self, Locale},
};
use tokio::sync::{
    broadcast::{self, error::RecvError},
    watch,
};
use toolcall_schema::Surface;

/// Events that are kept for pages that come back.
const FEED_MAX: usize = 256;

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
enum FeedStep {
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
    fn id(&self, number: u64) -> String {
        format!("{}-{number}", self.process)
    }

    /// The number in an id of this process; `None`: another's, or no id at all.
    fn number(&self, id: &str) -> Option<u64> {
        id.strip_prefix(self.process.as_str())?
            .strip_prefix('-')?
            .parse()
            .ok()
    }

    /// The number of the newest event.
    fn last(&self) -> u64 {
        *self.last.borrow()
    }

    /// Tells of newer events.
    fn subscribe(&self) -> watch::Receiver<u64> {
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
    fn step_after(&self, cursor: u64) -> FeedStep {
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

/// An open stream: dropped when the stream ends, however it ends.
struct StreamConnection {
    app: Arc<AppState>,
    surface: Option<Surface>,
    number: u64,
}

impl StreamConnection {
    fn open(app: &Arc<AppState>, surface: Option<Surface>, device: DeviceId) -> Result<Self, WebError> {
        let number = app
            .connections
            .add(StreamReader::OwnerPage(surface), device)
            .ok_or(WebError::TooManyStreams)?;
        if let Some(surface) = surface {
            app.backend.connected(surface, number);
        }
        Ok(Self {
            app: Arc::clone(app),
            surface,
            number,
        })
    }
}

impl Drop for StreamConnection {
    fn drop(&mut self) {
        self.app.connections.remove(self.number);
        if let Some(surface) = self.surface {
            self.app.backend.disconnected(surface, self.number);
        }
    }
}

/// The parameters of `GET /events`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EventsQuery {
    surface: StreamLayout,
}

/// The two layouts, as they are named in an address, and pages that show no cards.
#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum StreamLayout {
    Phone,
    Watch,
    App,
    Runs,
}

/// `GET /events?surface=phone|watch|app|runs`
pub(super) async fn events(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    which: Result<Query<EventsQuery>, QueryRejection>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, WebError> {
    let Query(EventsQuery { surface }) = which.map_err(|_| WebError::BadBody)?;
    let surface = match surface {
        StreamLayout::Phone => Some(Surface::PhoneCard),
        StreamLayout::Watch => Some(Surface::Watch),
        StreamLayout::App | StreamLayout::Runs => None,
    };
    let RequestIdentity { device, scope, .. } = visitor::visitor().ok_or(WebError::SignedOut)?;
    // Who only looks is not where the owner is.
    if surface.is_some() && scope != DeviceScope::Owner {
        return Err(WebError::OutOfScope);
    }
    let resumed = headers
        .get("last-event-id")
        .and_then(|id| id.to_str().ok())
        .and_then(|id| app.feed.number(id));
    // Where the feed stands before the backend hears of the page: nothing that follows from that is missed.
    let start = app.feed.last();
    let gone = app.door.devices.revoked(device.clone());
    let connection = StreamConnection::open(&app, surface, device)?;
    let mut stopping = app.stopping.clone();
    let hello = Event::default()
        .event("hello")
        .retry(Duration::from_secs(1))
        // A page that stays open over a restart of this process goes on with the new process's token.
        // The last word: whether what it missed follows, in place of the word to read everything anew.
        .data(format!(
            "{} {}{}",
            connection.number,
            app.door.keys.page(),
            if resumed.is_some() { " resumed" } else { "" }
        ));
    let mut first = vec![hello];
    if resumed.is_none() {
        first.push(anew(&connection.app, start));
    }
    let position = StreamPosition {
        newer: app.feed.subscribe(),
        connection,
        cursor: resumed.unwrap_or(start),
        locale: locale::current(),
    };
    let events = stream::iter(first)
        .chain(stream::unfold(position, following).map(stream::iter).flatten())
        .map(Ok)
        .take_until(async move {
            tokio::select! {
                _ = stopping.wait_for(|stop| *stop) => {}
                () = gone => {}
            }
        });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(Duration::from_secs(15))))
}

/// Where a stream stands. Owns the connection: it lives as long as the stream.
struct StreamPosition {
    connection: StreamConnection,
    cursor: u64,
    newer: watch::Receiver<u64>,
    /// What a card that comes is said in: nothing here runs within the request.
    locale: Locale,
}

impl StreamPosition {
    /// The card that comes, as its page shows it, so that the page need not ask before it stands there. It has no id: a page that was away reads its fragment.
    async fn card(&self, lives: &[UiEvent]) -> Option<Event> {
        let StreamConnection { app, surface, .. } = &self.connection;
        let comes = lives.iter().any(|live| matches!(live.what, UiEventKind::Card(_)));
        let surface = surface.filter(|_| comes)?;
        let region = locale::speaking_during(self.locale, pages::card_region(app, surface)).await;
        // What cannot be said now the page asks for.
        Some(Event::default().event("now").data(region.ok()??.into_string()))
    }
}

/// Waits for what follows.
async fn following(mut position: StreamPosition) -> Option<(Vec<Event>, StreamPosition)> {
    loop {
        // Marked as seen before it is looked at: what comes meanwhile ends the wait.
        position.newer.borrow_and_update();
        let feed = &position.connection.app.feed;
        match feed.step_after(position.cursor) {
            FeedStep::Events(lives) => {
                position.cursor = lives.last().map_or(position.cursor, |live| live.id);
                let card = position.card(&lives).await;
                let feed = &position.connection.app.feed;
                let events = lives.iter().map(|live| {
                    let (name, data) = sse_name_and_data(live);
                    Event::default().id(feed.id(live.id)).event(name).data(data)
                });
                return Some((card.into_iter().chain(events).collect(), position));
            }
            FeedStep::Anew(number) => {
                let event = anew(&position.connection.app, number);
                position.cursor = number;
                return Some((vec![event], position));
            }
            FeedStep::Wait => position.newer.changed().await.ok()?,
        }
    }
}

/// Of an event that is about no thing: a browser tells a page of no event without data (HTML, 9.2.6).
const NO_ID: &str = "-";

/// Read everything anew; what follows has higher numbers.
fn anew(app: &AppState, number: u64) -> Event {
    Event::default().id(app.feed.id(number)).event("anew").data(NO_ID)
}

/// An event's name and its id of a thing; nothing else is told.
fn sse_name_and_data(live: &UiEvent) -> (&'static str, &str) {
    match &live.what {
        UiEventKind::Card(card) => ("card", card.as_str()),
        UiEventKind::Closed(card) => ("closed", card.as_str()),
        UiEventKind::Tick(trace) => ("tick", trace.as_str()),
        UiEventKind::Status => ("status", NO_ID),
        UiEventKind::Runs => ("runs", NO_ID),
        UiEventKind::Trial => ("trial", NO_ID),
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
        assert_eq!(ids(feed.step_after(44)), (45..=300).collect::<Vec<_>>());
        assert_eq!(feed.step_after(43), FeedStep::Anew(300));
        assert_eq!(ids(feed.step_after(299)), [300]);
        assert_eq!(feed.step_after(300), FeedStep::Wait);
        // Numbers that were never given out.
        assert_eq!(feed.step_after(301), FeedStep::Anew(300));
        assert_eq!(feed.step_after(u64::MAX), FeedStep::Anew(300));
    }

    #[test]
    fn a_gap_is_never_passed_over() {
        let feed = EventFeed::new("p".to_owned());
        feed.push(live(57));
        assert_eq!(feed.step_after(0), FeedStep::Anew(57));
        feed.push(live(58));
        assert_eq!(ids(feed.step_after(57)), [58]);
        feed.push(live(61));
        assert_eq!(feed.step_after(58), FeedStep::Anew(61));
        assert_eq!(feed.step_after(57), FeedStep::Anew(61));
        feed.push(live(62));
        assert_eq!(ids(feed.step_after(61)), [62]);
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
