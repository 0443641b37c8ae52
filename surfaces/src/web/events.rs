//! The event stream, and who is connected.
//!
//! What: `GET /events`, one server-sent-event stream a page. Why: an open stream is what "this surface is connected"
//! means; events say that something changed, the page then reads its fragment. A page that comes back with the id of its last event gets
//! what it missed, or is told to read everything anew. Not here: what the fragment shows (`pages`), the events (`feed`).

use super::{
    error::WebError,
    feed::{self, FeedStep},
    state::AppState,
    visitor::{self, RequestIdentity},
};
use crate::devices::{DeviceId, DeviceScope};
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
use std::{convert::Infallible, sync::Arc, time::Duration};
use tokio::sync::watch;
use toolcall_schema::Surface;

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
            .add(surface, device)
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
        .data(format!("{} {}", connection.number, app.door.keys.page()));
    let mut first = vec![hello];
    if resumed.is_none() {
        first.push(anew(&connection.app, start));
    }
    let position = StreamPosition {
        newer: app.feed.subscribe(),
        connection,
        cursor: resumed.unwrap_or(start),
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
}

/// Waits for what follows.
async fn following(mut position: StreamPosition) -> Option<(Vec<Event>, StreamPosition)> {
    loop {
        // Marked as seen before it is looked at: what comes meanwhile ends the wait.
        position.newer.borrow_and_update();
        let feed = &position.connection.app.feed;
        match feed.after(position.cursor) {
            FeedStep::Events(lives) => {
                position.cursor = lives.last().map_or(position.cursor, |live| live.id);
                let events = lives.iter().map(|live| {
                    let (name, data) = feed::sse_name_and_data(live);
                    Event::default().id(feed.id(live.id)).event(name).data(data)
                });
                return Some((events.collect(), position));
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

/// Read everything anew; what follows has higher numbers.
fn anew(app: &AppState, number: u64) -> Event {
    Event::default().id(app.feed.id(number)).event("anew").data("")
}
