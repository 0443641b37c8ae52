//! `/ops/traces/{id}`: one tick as a waterfall.
//!
//! What: its steps on one time axis with what went in and came out, the same as a table, and what belongs to it: its refused lines, its entries in
//! the ledger, restarts, its neighbours. Why: "why was it slow?" is answered where it is asked. Not here: the steps (`render::waterfall`).

use super::{LiveUpdates, facts, framed, refused, table};
use crate::{
    render::{
        self,
        waterfall::{AXIS_WIDTH, StepRole, StepSide, TickWaterfall, WaterfallRow, waterfall},
    },
    web::{api::trace_id, error::WebError, state::AppState},
};
use axum::{
    extract::{Path, State},
    response::{IntoResponse, Redirect, Response},
};
use chrono_tz::Tz;
use maud::{Markup, html};
use serde_json::Value;
use std::sync::Arc;
use surfaces_base::{
    backend::console::{LedgerDayRow, TickView, longest_state, own_time_ms},
    format,
    language::Text,
    visible::{json_visible, visible},
    words::{console as words, tick as say},
};
use toolcall_schema::trace::Trace;

/// What an instant gets on the axis.
const INSTANT_WIDTH: i64 = 4;

/// `GET /ops/traces/{id}`; a decision that is still open has its own page.
pub(super) async fn page(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
) -> Result<Response, WebError> {
    let id = trace_id(&id)?;
    let Some(view) = app.backend.recorded_tick(id.clone()).await? else {
        let now = app.backend.now().await?;
        let is_open = now.card.is_some_and(|card| card.decision.trace_id == id);
        return if is_open {
            Ok(Redirect::to(&format!("/trace/{id}")).into_response())
        } else {
            Err(WebError::NotFound)
        };
    };
    Ok(framed(&app, words::TRACES.say(), LiveUpdates::No, &tick(&view)).into_response())
}

fn tick(view: &TickView) -> Markup {
    let zone = format::zone(&view.trace.decision.user.zone);
    let picture = waterfall(view);
    html! {
        (headline(view, &picture, zone))
        nav.beside aria-label=(say::TICK) {
            @if let Some(older) = &view.older { a href={ "/ops/traces/" (older) } rel="prev" { (say::OLDER) } }
            @if let Some(newer) = &view.newer { a href={ "/ops/traces/" (newer) } rel="next" { (say::NEWER) } }
            a href={ "/ops/traces/" (view.trace.trace_id) "/replay" } { (say::STEP_THROUGH) }
            a href={ "/trace/" (view.trace.trace_id) } { (say::EXPLAINED) }
        }
        section aria-labelledby="steps-title" {
            h2 #steps-title { (say::STEPS) }
            p.note { (say::STEPS_NOTE) }
            @if view.events.is_none() { p.flag { (say::NO_EVENTS) } }
            @if let Some((from, to)) = picture.short_wait { p.note { (say::short_wait(&format::duration_ms(to - from))) } }
            (axis(&picture))
            ol.waterfall { @for row in &picture.rows { li { (step(&picture, row)) } } }
            details { summary { (say::AS_TABLE) } (step_table(&picture)) }
        }
        section aria-labelledby="around-title" {
            h2 #around-title { (say::AROUND) }
            (around(view, zone))
        }
        (compare_ways(view))
    }
}

fn headline(view: &TickView, picture: &TickWaterfall, zone: Tz) -> Markup {
    let trace = &view.trace;
    let line = render::row(trace);
    let [when, took, longest, ended, id, number] = say::FACTS.map(Text::say);
    let date = format::date(format::local_date(trace.decision.ts, zone));
    html! {
        p { strong { (line.what) } }
        (facts(&[
            (when, html! { (date) ", " time { (format::clock_s(trace.decision.ts, zone)) } }),
            (took, html! { (format::duration_ms(if trace.state_path.is_empty() { picture.ms } else { own_time_ms(trace) })) }),
            (longest, html! {
                @match longest_part(trace, picture) {
                    Some((name, ms)) => { (say::longest(name, &format::duration_ms(ms))) },
                    None => { (words::NONE) },
                }
            }),
            (ended, html! { (line.ended) }),
            (id, html! { code.whole { (trace.trace_id) } }),
            (number, html! { (trace.decision.tick) }),
        ]))
    }
}

/// Where most of the time went by: in a state, or on the disk, which no state waits for at the end.
fn longest_part<'a>(trace: &Trace, picture: &'a TickWaterfall) -> Option<(&'a str, i64)> {
    let state = longest_state(trace).map(|visit| (words::state_name(visit.state), visit.ms));
    let barriers = picture.rows.iter().filter(|row| row.role == StepRole::Barrier);
    let barrier = barriers
        .filter_map(|row| Some((row.name.as_str(), row.ms?)))
        .max_by_key(|(_, ms)| *ms);
    match (state, barrier) {
        (Some(state), Some(barrier)) if barrier.1 > state.1 => Some(barrier),
        (None, barrier) => barrier,
        (state, _) => state,
    }
}

/// Where the axis begins, its middle and its end; with a shortened wait there is no middle.
fn axis(picture: &TickWaterfall) -> Markup {
    html! {
        p.axis aria-hidden="true" {
            span { "0 ms" }
            @if picture.short_wait.is_none() && picture.ms > 1 { span { (format::duration_ms(picture.ms / 2)) } }
            span { (format::duration_ms(picture.ms)) }
        }
    }
}

fn step(picture: &TickWaterfall, row: &WaterfallRow) -> Markup {
    let left = picture.place(row.from);
    let (left, width) = match row.ms {
        Some(ms) => {
            let right = picture.place(row.from.plus_ms(ms));
            (
                left.min(AXIS_WIDTH - INSTANT_WIDTH),
                (right - left).max(INSTANT_WIDTH),
            )
        }
        None => (left.min(AXIS_WIDTH - INSTANT_WIDTH), INSTANT_WIDTH),
    };
    let class = format!(
        "{}{}{}",
        row.role.class(),
        if row.ms.is_none() { " instant" } else { "" },
        if row.is_bad { " bad" } else { "" }
    );
    html! {
        details.step {
            summary class=[row.is_nested.then_some("nested")] {
                span.what { (visible(&row.name)) }
                svg.bar viewBox={ "0 0 " (AXIS_WIDTH) " 16" } preserveAspectRatio="none" aria-hidden="true" {
                    rect class=(class) x=(left) y="2" width=(width) height="12" {
                        title { (say::step_title(&visible(&row.name), &row.says)) }
                    }
                }
                span.long { @if let Some(ms) = row.ms { (format::duration_ms(ms)) } @else { (words::NONE) } }
                // How long a state lasted stands beside it already.
                @if row.role != StepRole::State || row.ms.is_none() { span.says.bad[row.is_bad] { (visible(&row.says)) } }
            }
            div.sides {
                div { h3 { (say::INPUT) } (side(&row.input)) }
                div { h3 { (say::OUTPUT) } (side(&row.output)) }
            }
            @if let Some(place) = row.refused { p { a href={ "#refused-" (place) } { (say::REFUSED) } } }
        }
    }
}

fn side(side: &StepSide) -> Markup {
    match side {
        StepSide::Json(Value::String(text)) => html! { pre tabindex="0" { (visible(text)) } },
        StepSide::Json(value) => {
            let text = serde_json::to_string_pretty(value).unwrap_or_default();
            html! { pre tabindex="0" { @for line in text.lines() { (json_visible(line)) "\n" } } }
        }
        StepSide::Nothing => html! { p.note { (say::NOTHING) } },
        StepSide::NotKept => html! { p.note { (say::INPUT_NOT_KEPT) } },
    }
}

fn step_table(picture: &TickWaterfall) -> Markup {
    let rows: Vec<Vec<Markup>> = picture
        .rows
        .iter()
        .map(|row| {
            vec![
                html! { (visible(&row.name)) },
                html! { (format::duration_ms(row.from.since(picture.from))) },
                html! { @if let Some(ms) = row.ms { (format::duration_ms(ms)) } @else { (words::NONE) } },
                html! { (visible(&row.says)) },
                html! { (row.role.word()) },
            ]
        })
        .collect();
    table(None, &say::STEP_COLUMNS, &rows)
}

fn around(view: &TickView, zone: Tz) -> Markup {
    let id = &view.trace.trace_id;
    let day = view.trace.decision.ledger_before.day;
    html! {
        h3 { (say::REFUSED) }
        @if view.refused.is_empty() { p.none { (say::NO_LINE) } }
        @else {
            ul.rows {
                @for (place, item) in view.refused.iter().enumerate() {
                    li id={ "refused-" (place) } {
                        a href={ "/ops/quarantine?trace=" (id) "#" (refused::anchor(&item.line)) } {
                            time { (format::clock_s(item.at, zone)) } " " (visible(&item.code)) " " (refused::what(item))
                        }
                    }
                }
            }
        }
        h3 { (say::LEDGER) }
        @if view.ledger.is_empty() { p.none { (say::NO_ENTRY) } }
        @else {
            ul.rows { @for entry in &view.ledger { li { (ledger_link(entry, &format!("/ops/ledger?day={day}#{id}"), zone)) } } }
        }
        h3 { (say::RESTARTS) }
        @if view.restarts.is_empty() { p.none { (say::NO_RESTART) } }
        @else {
            ul.rows {
                @for seen in &view.restarts {
                    li {
                        a href="/ops#restarts" {
                            (words::part(seen.name)) ", " time { (format::clock_s(seen.at, zone)) }
                        }
                    }
                }
            }
        }
    }
}

fn ledger_link(entry: &LedgerDayRow, address: &str, zone: Tz) -> Markup {
    html! {
        a href=(address) {
            time { (format::clock_s(entry.at, zone)) } " " (words::entry(entry.entry)) " (" (entry.tokens) ")"
        }
    }
}

fn compare_ways(view: &TickView) -> Markup {
    let id = &view.trace.trace_id;
    html! {
        section aria-labelledby="compare-title" {
            h2 #compare-title { (say::COMPARE) }
            ul.links {
                @if let Some(older) = &view.older {
                    li { a href={ "/ops/compare?left=" (older) "&right=" (id) } { (say::BESIDE_OLDER) } }
                }
                @if let Some(newer) = &view.newer {
                    li { a href={ "/ops/compare?left=" (id) "&right=" (newer) } { (say::BESIDE_NEWER) } }
                }
                li { a href={ "/ops/traces?left=" (id) } { (say::BESIDE) } }
            }
        }
    }
}

/// Where most of a tick's own time went by, for the list.
pub(super) fn took(trace: &Trace) -> String {
    let long = format::duration_ms(own_time_ms(trace));
    match longest_state(trace) {
        Some(visit) => {
            let in_it = format::duration_ms(visit.ms);
            say::took(&long, words::state_name(visit.state), &in_it)
        }
        // A call goes through no states.
        None => words::NONE.to_owned(),
    }
}
