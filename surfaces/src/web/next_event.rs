//! What comes next in the owner's day.
//!
//! What: [`NextEvent`], the next event of today and tomorrow, and [`DayAhead`], with those of its day that follow. Why: it is what a glance at a quiet page or a watch is for. Its title is asked of Calendar for the
//! page and kept nowhere. Not here: the day as a whole (`agenda_page`).

use super::state::AppState;
use std::collections::BTreeSet;
use surfaces_base::{
    backend::{DisplayNames, NowView},
    format, words,
};
use toolcall_schema::{
    Timestamp,
    catalogue::{
        calendar::ListedEvent,
        shared::{DisplayLabel, ThingId},
    },
    ids::EventId,
};

/// Days in which the next event is looked for.
const DAYS: u32 = 2;

/// The next event, and what follows on its day.
pub(super) struct DayAhead {
    pub(super) next: NextEvent,
    /// In the order of their hours.
    pub(super) later: Vec<LaterEvent>,
}

/// An event that begins after the next one.
pub(super) struct LaterEvent {
    pub(super) event: EventId,
    pub(super) title: String,
    /// From when to when, in words.
    pub(super) when: String,
}

/// The event that begins next and lasts no whole day.
pub(super) struct NextEvent {
    pub(super) event: EventId,
    pub(super) title: String,
    pub(super) start: Timestamp,
    /// When to leave for it; `None`: no way is known, or it is time already.
    pub(super) leave_by: Option<Timestamp>,
}

impl NextEvent {
    /// When it is shown otherwise: once it is time to leave, and once it has begun.
    pub(super) fn changes_at(&self) -> Timestamp {
        self.leave_by.unwrap_or(self.start)
    }
}

/// Asks Calendar; `None`: nothing comes today or tomorrow, or Calendar does not answer.
pub(super) async fn next_event(app: &AppState, now: &NowView) -> Option<NextEvent> {
    let event = to_come(app, now).await.into_iter().next()?;
    let names = names_of(app, std::slice::from_ref(&event)).await;
    Some(next_of(event, &names, now))
}

/// The same with the events that follow on the day of the next one.
pub(super) async fn day_ahead(app: &AppState, now: &NowView) -> Option<DayAhead> {
    let zone = format::zone(&now.zone);
    let mut events = to_come(app, now).await;
    let day = format::local_date(events.first()?.start, zone);
    events.retain(|event| format::local_date(event.start, zone) == day);
    let names = names_of(app, &events).await;
    let mut events = events.into_iter();
    let next = next_of(events.next()?, &names, now);
    let later = events.map(|event| LaterEvent {
        title: title(&event, &names).to_owned(),
        when: words::from_to(
            &format::clock(event.start, zone),
            &format::clock_on(event.end, event.start, zone),
        ),
        event: event.event_id,
    });
    Some(DayAhead {
        next,
        later: later.collect(),
    })
}

/// What begins today or tomorrow and lasts no whole day, the next first.
async fn to_come(app: &AppState, now: &NowView) -> Vec<ListedEvent> {
    let zone = format::zone(&now.zone);
    let list = app.backend.agenda(format::local_date(now.at, zone), DAYS).await;
    let mut events = list.map_or_else(Vec::new, |list| list.events);
    events.retain(|event| !event.all_day && event.start > now.at);
    events.sort_by_key(|event| event.start);
    events
}

/// The names of those that Calendar gives no title.
async fn names_of(app: &AppState, events: &[ListedEvent]) -> DisplayNames {
    let unnamed = events.iter().filter(|event| event.title.is_none());
    let unnamed: BTreeSet<ThingId> = unnamed
        .map(|event| ThingId::Event(event.event_id.clone()))
        .collect();
    if unnamed.is_empty() {
        return DisplayNames::default();
    }
    app.backend.names(unnamed).await
}

fn next_of(event: ListedEvent, names: &DisplayNames, now: &NowView) -> NextEvent {
    NextEvent {
        title: title(&event, names).to_owned(),
        start: event.start,
        leave_by: event.leave_by.filter(|leave| *leave > now.at),
        event: event.event_id,
    }
}

fn title<'a>(event: &'a ListedEvent, names: &'a DisplayNames) -> &'a str {
    let said = event.title.as_ref().map(DisplayLabel::as_str);
    names
        .get(event.event_id.as_str())
        .or(said)
        .unwrap_or(words::UNTITLED_EVENT.say())
}
