//! What comes next in the owner's day.
//!
//! What: [`NextEvent`], the next event of today and tomorrow. Why: it is what a glance at a quiet page or a watch is for. Its title is asked of Calendar for the
//! page and kept nowhere. Not here: the day as a whole (`agenda_page`).

use super::state::AppState;
use crate::{
    backend::{DisplayNames, NowView},
    format, words,
};
use std::collections::BTreeSet;
use toolcall_schema::{
    Timestamp,
    catalogue::{
        calendar::{EventList, ListedEvent},
        shared::{DisplayLabel, ThingId},
    },
    ids::EventId,
};

/// Days in which the next event is looked for.
const DAYS: u32 = 2;

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
    let zone = format::zone(&now.zone);
    let list = app.backend.agenda(format::local_date(now.at, zone), DAYS).await?;
    let event = first_to_come(list, now.at)?;
    let names = match event.title {
        None => {
            let unnamed = ThingId::Event(event.event_id.clone());
            app.backend.names(BTreeSet::from([unnamed])).await
        }
        Some(_) => DisplayNames::default(),
    };
    Some(NextEvent {
        title: title(&event, &names).to_owned(),
        start: event.start,
        leave_by: event.leave_by.filter(|leave| *leave > now.at),
        event: event.event_id,
    })
}

fn first_to_come(list: EventList, now: Timestamp) -> Option<ListedEvent> {
    let to_come = list.events.into_iter();
    to_come
        .filter(|event| !event.all_day && event.start > now)
        .min_by_key(|event| event.start)
}

fn title<'a>(event: &'a ListedEvent, names: &'a DisplayNames) -> &'a str {
    let said = event.title.as_ref().map(DisplayLabel::as_str);
    names
        .get(event.event_id.as_str())
        .or(said)
        .unwrap_or(words::UNTITLED_EVENT.say())
}
