//! The page about one event, and its part on the card before a meeting.
//!
//! What: who will be there, which of their messages wait for the owner, where it is and how far; what was said about it and why the rest was not. Why: it can
//! be looked up, and asked about, also when no card came. Not here: figures and sentences (`render::section::meeting` and `event_reasons`), the card's frame
//! (`pages`).

use super::{
    cancelled, decline,
    error::WebError,
    owner::things_of_rules,
    sections,
    shell::{self, AppSection, BelowFrame},
    state::AppState,
};
use crate::render::section::{
    agenda::is_declinable,
    event_reasons::{EventContext, EventReason, EventReasons, event_reasons, past_reasons},
    meeting::{self, MeetingBlock},
};
use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::{Html, IntoResponse as _, Response},
};
use chrono_tz::Tz;
use maud::{Markup, html};
use std::sync::Arc;
use surfaces_base::{
    backend::{meetings::MeetingView, settings::HomeFileView},
    format, words,
};
use toolcall_schema::{Timestamp, catalogue::shared::ThingId, ids::EventId};

/// The setting that asks for a card before meetings.
const BEFORE_MEETINGS: &str = "calendar.before_meetings";

/// `GET /calendar/{id}`
pub(super) async fn event(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
) -> Result<Response, WebError> {
    let Ok(event) = EventId::parse(&id) else {
        return Ok(gone(&app, None));
    };
    let status = app.backend.status().await?;
    let (now, zone) = (status.at, format::zone(&status.settings.zone));
    let traces = app.backend.event_decisions(event.clone()).await?;
    let Some(view) = app.backend.meeting(event.clone()).await else {
        let past = past_reasons(&event, &traces, now, zone);
        let today = (format::local_date(now, zone), zone);
        return Ok(match cancelled::page(&app, &event, &past, today).await {
            Some(page) => page.into_response(),
            None => gone(&app, Some(&past)),
        });
    };
    let said = &view.said;
    let clashes = app.backend.clashes(event, said.start).await;
    let (home, state) = (app.backend.home_file().await?, app.backend.now().await?);
    let ids = meeting::ids(&view).into_iter().chain(things_of_rules(&state));
    let ids = ids.chain(clashes.iter().cloned().map(ThingId::Event));
    let names = app.backend.names(ids.collect()).await;
    let block = meeting::block(&view, &names, now, zone);
    let is_on = |home: &HomeFileView| {
        let mut fields = home.fields.iter();
        fields
            .find(|field| field.key == BEFORE_MEETINGS)
            .map(|field| field.value == "yes")
    };
    let context = EventContext {
        now,
        zone,
        traces: &traces,
        status: &status,
        rules: &state.rules,
        paused_until: state.paused_until,
        prepares_meetings: home.as_ref().and_then(is_on),
        clashes: &clashes,
        names: &names,
    };
    let reasons = event_reasons(said, context);
    let listed = app.backend.agenda(format::local_date(said.start, zone), 1).await;
    let is_invitation = listed.is_some_and(|list| {
        let mut events = list.events.iter();
        events
            .any(|event| event.event_id == said.event_id && is_declinable(event, &state.untraced.outbox, now))
    });
    let decline = decline::part(&app, (&said.event_id, &block.title), is_invitation).await?;
    let names_gone = said.others > 0 && block.people.is_empty();
    let fragment = format!("/calendar/{}", said.event_id);
    let main = html! {
        (whole(&block, names_gone, home.as_ref().and_then(is_on) == Some(true)))
        (decline)
    };
    let content = shell::panes(&main, &why(&reasons));
    let heading = Some((fragment.as_str(), block.title.as_str()));
    Ok(framed(&app, heading, &content).into_response())
}

/// What was said about the event, and why the rest was not.
pub(super) fn why(reasons: &EventReasons) -> Markup {
    html! {
        section.block #said data-region aria-labelledby="said-title" {
            @if reasons.told.is_empty() {
                h2 #said-title { (words::WHY_NOT_SAID) }
            } @else {
                h2 #said-title { (words::SAID_ABOUT_IT) }
                (rows(&reasons.told))
            }
            @if !reasons.untold.is_empty() {
                @if !reasons.told.is_empty() { h3 { (words::WHAT_ELSE) } }
                (rows(&reasons.untold))
            }
        }
    }
}

fn rows(reasons: &[EventReason]) -> Markup {
    html! {
        ul.rows {
            @for reason in reasons {
                li {
                    p.head { span.what { (words::action(reason.kind)) } }
                    @if !reason.clashes.is_empty() {
                        p.note {
                            (words::IT_CLASHES_WITH) " "
                            @for (place, (event, name)) in reason.clashes.iter().enumerate() {
                                @if place > 0 { ", " }
                                a href={ "/calendar/" (event) } { bdi { (name) } }
                            }
                            "."
                        }
                    }
                    p.note dir="auto" { (reason.says.join(" ")) }
                    @if let Some(trace) = &reason.trace {
                        p.note { a href={ "/trace/" (trace) } data-drawer=(trace) aria-label=(words::on_row(words::WHY_THEN.say(), words::action(reason.kind))) { (words::WHY_THEN) } }
                    }
                    @if let Some((address, way)) = reason.change { p.note { a href=(address) { (way) } } }
                }
            }
        }
    }
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

fn whole(block: &MeetingBlock, names_gone: bool, is_prepared: bool) -> Markup {
    html! {
        section.block #meeting data-region aria-labelledby="meeting-title" {
            p.says { (block.when) }
            h2 { (words::MEETING_PEOPLE) }
            @if names_gone { p.says { (words::meeting_others(block.more)) " " (words::MEETING_NAMES_GONE) } }
            @else if block.people.is_empty() { p.says { (words::MEETING_ALONE) } }
            @else { p.people { (people(block)) } }
            @if !block.people.is_empty() {
                h2 { (words::MEETING_WAITS) }
                @if block.waiting.is_empty() { p.says { (words::MEETING_NOTHING_WAITS) } }
                @else { (waiting(block)) }
            }
            h2 { (words::MEETING_WHERE) }
            @if block.place.is_none() && block.way.is_none() { p.says { (words::MEETING_NO_PLACE) } }
            (place(block))
            p.more { a href="/settings#calendar.before_meetings" { (if is_prepared { words::MEETING_SWITCHED_ON } else { words::MEETING_SWITCH }) } }
        }
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

/// There is no such event now: in words, with 404, and with what was said about it as long as that is known.
fn gone(app: &AppState, past: Option<&EventReasons>) -> Response {
    let content = html! {
        section.block aria-labelledby="gone-title" {
            h2 #gone-title { (words::EVENT_GONE) }
            p.says { (words::EVENT_GONE_SAYS) }
            @if past.is_some_and(EventReasons::is_empty) { p.says { (words::NOTHING_SAID_EVER) } }
        }
        @if let Some(past) = past.filter(|past| !past.is_empty()) { (why(past)) }
    };
    (StatusCode::NOT_FOUND, framed(app, None, &content)).into_response()
}

/// `event`: what its script reads anew, and its name; the browser's history keeps none.
fn framed(app: &AppState, event: Option<(&str, &str)>, content: &Markup) -> Html<String> {
    let frame = BelowFrame {
        up: ("/agenda", words::AGENDA.say()),
        surface: if event.is_some() { "app" } else { "none" },
        fragment: event.map(|(fragment, _)| fragment),
        heading: event.map_or(words::MEETING.say(), |(_, name)| name),
        heading_id: "meeting-title",
        ..BelowFrame::new(AppSection::Brief, "/agenda/", words::MEETING.say())
    };
    frame.page(app, content)
}
