//! The page about one event, and its part on the card before a meeting.
//!
//! What: who will be there, which of their messages wait for the owner, where it is and how far. Why: it can be looked up also when no card came. Not here:
//! figures and sentences (`render::section::meeting`), the card's frame (`pages`).

use super::{
    error::WebError,
    sections,
    shell::{self, AppSection},
    state::AppState,
};
use crate::{
    backend::meetings::MeetingView,
    format,
    render::section::meeting::{self, MeetingBlock},
    words,
};
use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::{Html, IntoResponse as _, Response},
};
use chrono_tz::Tz;
use maud::{Markup, html};
use std::sync::Arc;
use toolcall_schema::{Timestamp, ids::EventId};

/// `GET /calendar/{id}`
pub(super) async fn event(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
) -> Result<Response, WebError> {
    let Ok(event) = EventId::parse(&id) else {
        return Ok(gone(&app));
    };
    let Some(view) = app.backend.meeting(event).await else {
        return Ok(gone(&app));
    };
    let status = app.backend.status().await?;
    let now = (status.at, format::zone(&status.settings.zone));
    let block = named(&app, &view, now).await;
    let names_gone = view.said.others > 0 && block.people.is_empty();
    let fragment = format!("/calendar/{}", view.said.event_id);
    Ok(framed(&app, Some(&fragment), &whole(&block, names_gone)).into_response())
}

/// What a card shows of the meeting that it is about; `None`: Calendar does not say.
pub(super) async fn on_card(app: &AppState, event: &str, now: (Timestamp, Tz)) -> Option<MeetingBlock> {
    let view = app.backend.meeting(EventId::parse(event).ok()?).await?;
    Some(named(app, &view, now).await)
}

async fn named(app: &AppState, view: &MeetingView, (now, zone): (Timestamp, Tz)) -> MeetingBlock {
    let names = app.backend.names(meeting::ids(view)).await;
    meeting::block(view, &names, now, zone)
}

fn whole(block: &MeetingBlock, names_gone: bool) -> Markup {
    html! {
        section.block #meeting data-region aria-labelledby="meeting-title" {
            h2 #meeting-title dir="auto" { (block.title) }
            p.says { (block.when) }
            h3 { (words::MEETING_PEOPLE) }
            @if names_gone { p.says { (words::meeting_others(block.more)) " " (words::MEETING_NAMES_GONE) } }
            @else if block.people.is_empty() { p.says { (words::MEETING_ALONE) } }
            @else { p.people { (people(block)) } }
            @if !block.people.is_empty() {
                h3 { (words::MEETING_WAITS) }
                @if block.waiting.is_empty() { p.says { (words::MEETING_NOTHING_WAITS) } }
                @else { (waiting(block)) }
            }
            h3 { (words::MEETING_WHERE) }
            @if block.place.is_none() && block.way.is_none() { p.says { (words::MEETING_NO_PLACE) } }
            (place(block))
        }
        p.more { a href="/settings#calendar.before_meetings" { (words::MEETING_SWITCH) } }
    }
}

/// The part of a card.
pub(super) fn part(block: &MeetingBlock) -> Markup {
    html! {
        div.meeting {
            (place(block))
            @if block.people.is_empty() { p.says { (words::meeting_others(block.more)) } }
            @else { p.people { (words::MEETING_WITH) " " (people(block)) } }
            (waiting(block))
        }
    }
}

/// The names, with commas between them.
fn people(block: &MeetingBlock) -> Markup {
    html! {
        @for (place, one) in block.people.iter().enumerate() {
            @if place > 0 { ", " }
            @if let Some(person) = &one.page { a href={ "/people/" (person) } { bdi { (one.name) } } }
            @else { bdi { (one.name) } }
        }
        @if block.more > 0 { " " (words::meeting_more(block.more)) }
    }
}

fn waiting(block: &MeetingBlock) -> Markup {
    html! {
        @if !block.waiting.is_empty() {
            ul.rows.waiting aria-label=(words::MEETING_WAITS) {
                @for item in &block.waiting {
                    li {
                        p.head { (sections::name_of(item)) span.value { (item.value) } }
                        @if let Some(note) = &item.note { p.note dir="auto" { (note) } }
                    }
                }
            }
            p.more { a href="/chats#waits" { (words::ALL_THAT_WAITS) } }
        }
    }
}

fn place(block: &MeetingBlock) -> Markup {
    html! {
        @if let Some(place) = &block.place { p.says dir="auto" { (place) } }
        @if let Some(way) = &block.way { p.says { (way) } }
    }
}

/// There is no such event now: in words, with 404.
fn gone(app: &AppState) -> Response {
    let content = html! {
        section.block aria-labelledby="gone-title" {
            h2 #gone-title { (words::EVENT_GONE) }
            p.says { (words::EVENT_GONE_SAYS) }
        }
    };
    (StatusCode::NOT_FOUND, framed(app, None, &content)).into_response()
}

fn framed(app: &AppState, fragment: Option<&str>, content: &Markup) -> Html<String> {
    let body = html! {
        div.page {
            header.top {
                h1.brand { a href="/" { (words::APP_NAME) } }
                nav aria-label=(words::OTHER_VIEWS) { a href="/" { (words::BACK) } a href="/brief" { (words::BRIEF) } }
            }
            p #status .status role="status" {}
            main #live data-fragment=[fragment] { (content) }
            dialog #drawer aria-labelledby="drawer-title" {}
        }
    };
    let surface = if fragment.is_some() { "app" } else { "none" };
    let token = Some(app.door.keys.page());
    shell::page_below(
        (AppSection::Brief, ""),
        words::MEETING,
        Some(surface),
        token,
        &body,
    )
}
