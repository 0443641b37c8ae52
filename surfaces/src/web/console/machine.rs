//! `/ops/machine`: the seven states and what they wait for.
//!
//! What: the page, read again each second while a tick runs. Why: whoever waits for a decision sees what it waits for.
//! Not here: an answer: no capability leaves the owner's own pages.

use super::{LiveUpdates, facts, framed, table};
use crate::{
    render::section::brief::brief_hour,
    web::{error::WebError, state::AppState},
};
use axum::{extract::State, response::Html};
use chrono_tz::Tz;
use maud::{Markup, html};
use std::sync::Arc;
use surfaces_base::{
    backend::console::MachineView,
    format,
    words::{self, console as say},
};
use toolcall_schema::{StateName, Surface};

/// While a tick runs the fragment is asked for again after so many milliseconds.
const AGAIN_MS: u32 = 1000;

/// `GET /ops/machine`
pub(super) async fn page(State(app): State<Arc<AppState>>) -> Result<Html<String>, WebError> {
    let view = app.backend.machine().await?;
    Ok(framed(
        &app,
        say::MACHINE.say(),
        LiveUpdates::Yes,
        &machine(&view),
    ))
}

fn machine(view: &MachineView) -> Markup {
    let zone = format::zone(&view.zone);
    let runs = view.state != StateName::Idle;
    let timers: Vec<Vec<Markup>> = view
        .timers
        .iter()
        .map(|timer| {
            let left = timer.at.since(view.at);
            vec![
                html! { (say::timer(timer.name)) },
                html! { time { (format::clock_on(timer.at, view.at, zone)) } },
                html! { @if left > 0 { (format::duration_ms(left)) } @else { (say::DUE) } },
            ]
        })
        .collect();
    html! {
        section #states data-region data-again-ms=[runs.then_some(AGAIN_MS)] {
            h2 { (say::STATES) }
            ol.steps {
                @for state in StateName::ALL {
                    @let current = *state == view.state;
                    li aria-current=[current.then_some("step")] class=[visited(view, *state).then_some("visited")] {
                        (say::state_name(*state))
                        @if current { span.visually-hidden { " (" (say::NOW) ")" } }
                    }
                }
            }
            p { (state_sentence(view, zone)) }
            @if let Some(pending) = &view.pending { p { (say::pending(pending.kind, pending.shown)) } }
            @if !view.path.is_empty() {
                ol.path {
                    @for visit in &view.path {
                        li {
                            time { (format::clock_s(visit.at, zone)) }
                            span.what { (say::state_name(visit.state)) }
                            span.long { (format::duration_ms(visit.ms)) }
                        }
                    }
                }
            }
        }
        section #timers data-region {
            h2 { (say::TIMERS) }
            (table(None, &say::TIMER_COLUMNS, &timers))
            // The timer knows the hour alone; what it really brings follows from what the owner said.
            @if view.brief.against.is_some() {
                @let hour = brief_hour(&view.brief, view.at, zone);
                p.note { (say::BRIEF_NOTE) " " (hour.says.join(" "))
                    @if let Some((address, way)) = hour.change { " " a href=(address) { (way) } }
                }
            }
        }
        div.columns {
            section #queue data-region { h2 { (say::TRIGGERS) } (queue(view, zone)) }
            section #attention data-region { h2 { (say::ATTENTION) } (attention(view, zone)) }
        }
    }
}

fn visited(view: &MachineView, state: StateName) -> bool {
    view.path.iter().any(|visit| visit.state == state)
}

fn state_sentence(view: &MachineView, zone: Tz) -> String {
    match (view.since, view.trigger) {
        (Some(since), Some(trigger)) => {
            let long = format::duration_ms(view.at.since(since));
            say::at_work(view.state, &long, trigger)
        }
        (_, _) => say::idle_since(&format::clock_on(view.last_event, view.at, zone)),
    }
}

fn queue(view: &MachineView, zone: Tz) -> Markup {
    let rows: Vec<Vec<Markup>> = view
        .queue
        .iter()
        .map(|(source, at)| {
            vec![
                html! { (say::trigger_name(*source)) },
                html! { time { (format::clock_on(*at, view.at, zone)) } },
            ]
        })
        .collect();
    html! {
        @if rows.is_empty() { p.none { (say::NO_TRIGGER) } }
        @else { (table(None, &say::TRIGGER_COLUMNS, &rows)) }
    }
}

fn attention(view: &MachineView, zone: Tz) -> Markup {
    let paused = view.paused_until.filter(|until| *until > view.at);
    let open: Vec<&str> = view
        .surfaces
        .iter()
        .map(|surface: &Surface| words::surface(*surface))
        .collect();
    html! {
        p { (say::tokens(&view.ledger)) }
        (facts(&[
            (say::PAUSED_UNTIL.say(), html! {
                @if let Some(until) = paused { (format::clock_on(until, view.at, zone)) } @else { (say::NONE) }
            }),
            (say::DND.say(), html! { (if view.dnd { say::ON.say() } else { say::OFF.say() }) }),
            (say::SURFACES_OPEN.say(), html! { @if open.is_empty() { (say::NONE) } @else { (open.join(", ")) } }),
        ]))
    }
}
