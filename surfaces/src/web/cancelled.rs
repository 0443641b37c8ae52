//! Events that were called off: found by their name, and why nothing is said about them.
//!
//! What: [`find_named`] for the palette and the history, and [`page`] about one. Why: whoever asks "why was I not told about the dentist?" learns that there is none.
//! Not here: which are called off (Calendar), their row in the agenda (`agenda_page`).

use super::{
    history_page::holds_words,
    meeting_page::why,
    shell::{AppSection, BelowFrame},
    state::AppState,
};
use crate::render::section::{
    agenda::{cancelled_hours, cancelled_title},
    event_reasons::EventReasons,
};
use axum::response::Html;
use chrono::{Days, NaiveDate};
use chrono_tz::Tz;
use maud::html;
use surfaces_base::{format, words};
use toolcall_schema::{
    catalogue::{
        calendar::{CancelledEvent, LISTED_DAYS_MAX},
        shared::ThingId,
    },
    ids::EventId,
};

/// Days before today whose events are looked through.
const DAYS_BACK: u64 = 7;

/// What was called off in the last and the next weeks, each with its name; empty also when Calendar does not say soon.
async fn cancelled_events(app: &AppState, today: NaiveDate) -> Vec<(CancelledEvent, String)> {
    let first = today.checked_sub_days(Days::new(DAYS_BACK)).unwrap_or(today);
    let Some(list) = app.backend.agenda(first, LISTED_DAYS_MAX).await else {
        return Vec::new();
    };
    let ids = list.cancelled.iter();
    let ids = ids.map(|event| ThingId::Event(event.event_id.clone())).collect();
    let names = app.backend.names(ids).await;
    let with_name = |event: CancelledEvent| {
        let name = cancelled_title(&event, &names);
        (event, name)
    };
    list.cancelled.into_iter().map(with_name).collect()
}

/// Those whose name holds all of the words.
pub(super) async fn find_named(
    app: &AppState,
    words: &str,
    today: NaiveDate,
) -> Vec<(CancelledEvent, String)> {
    let mut found = cancelled_events(app, today).await;
    found.retain(|(_, name)| holds_words(name, words));
    found
}

/// The page about one; `None`: it was not called off.
pub(super) async fn page(
    app: &AppState,
    event: &EventId,
    past: &EventReasons,
    (today, zone): (NaiveDate, Tz),
) -> Option<Html<String>> {
    let mut all = cancelled_events(app, today).await.into_iter();
    let (event, name) = all.find(|(one, _)| one.event_id == *event)?;
    let date = format::local_date(event.start, zone);
    let day = format::date_near(date, today);
    let when = if event.all_day {
        day
    } else {
        format!("{day}, {}", cancelled_hours(&event, zone))
    };
    let content = html! {
        section.block #cancelled aria-labelledby="cancelled-title" {
            h2 #cancelled-title { (words::CANCELLED_TITLE) }
            p.says { (when) }
            p.says { (words::CANCELLED_SAYS) }
            p.more { a href={ "/agenda?day=" (date) } { (words::CANCELLED_DAY) } }
        }
        @if !past.is_empty() { (why(past)) }
    };
    let frame = BelowFrame {
        up: ("/agenda", words::AGENDA.say()),
        surface: "none",
        heading: &name,
        heading_id: "meeting-title",
        ..BelowFrame::new(AppSection::Brief, "/agenda/", words::MEETING.say())
    };
    Some(frame.page(app, &content))
}
