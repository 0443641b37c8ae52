//! The watch with nothing to ask.
//!
//! What: the time, the next event of today and tomorrow, and what is left of the day's interruptions. Why: a glance at a watch is for the time, and for what comes
//! next. The event's title is asked of Calendar for this page and kept nowhere. Not here: a card (`pages`), the clock's ticking (`assets/phone.js`).

use super::state::AppState;
use crate::{
    backend::{DisplayNames, NowView},
    format,
    render::section::agenda::ids,
    words,
};
use maud::{Markup, html};
use toolcall_schema::{
    Timestamp,
    catalogue::{
        calendar::{EventList, ListedEvent},
        shared::DisplayLabel,
    },
    trace::LedgerView,
};

/// Days in which the next event is looked for.
const DAYS: u32 = 2;

/// The face at rest. `dots`: the day's interruptions.
pub(super) async fn face(app: &AppState, now: &NowView, dots: fn(&LedgerView) -> Markup) -> Markup {
    let zone = format::zone(&now.zone);
    let list = app.backend.agenda(format::local_date(now.at, zone), DAYS).await;
    let next = list.as_ref().and_then(|list| next_event(list, now.at));
    let names = match next {
        Some(event) if event.title.is_none() => {
            let alone = EventList {
                events: vec![event.clone()],
                free: Vec::new(),
                truncated: false,
            };
            app.backend.names(ids(&alone)).await
        }
        Some(_) | None => DisplayNames::default(),
    };
    // The face itself is read aloud when it changes: a minute that passes is no news.
    html! {
        div.idle aria-live="off" {
            time.clock data-clock=(zone.name()) data-at=(now.at.ms()) { (format::clock(now.at, zone)) }
            @if let Some(event) = next {
                p.next {
                    time { (format::clock_on(event.start, now.at, zone)) } " " bdi { (title(event, &names)) }
                    // Once it has begun the next one is asked for.
                    span data-left-ms=(event.start.since(now.at)) {}
                }
            }
            (dots(&now.ledger))
        }
    }
}

/// What begins next and lasts no whole day.
fn next_event(list: &EventList, now: Timestamp) -> Option<&ListedEvent> {
    let to_come = list
        .events
        .iter()
        .filter(|event| !event.all_day && event.start > now);
    to_come.min_by_key(|event| event.start)
}

fn title<'a>(event: &'a ListedEvent, names: &'a DisplayNames) -> &'a str {
    let said = event.title.as_ref().map(DisplayLabel::as_str);
    names
        .get(event.event_id.as_str())
        .or(said)
        .unwrap_or(words::UNTITLED_EVENT.say())
}
