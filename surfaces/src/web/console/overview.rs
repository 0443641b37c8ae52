//! `/ops`: how the service is.
//!
//! What: the page, which stays current. Why: one look says whether something is wrong, and where. Not here: where the figures come from
//! (the backend).

use super::{LiveUpdates, decisions, facts, framed, hash, sparks, table, tick};
use crate::{
    render,
    web::{drawer_page::code_spans, error::WebError, state::AppState},
};
use axum::{extract::State, response::Html};
use chrono_tz::Tz;
use maud::{Markup, html};
use std::sync::Arc;
use surfaces_base::{
    backend::console::{ProcessView, QueueView, ServiceOverview},
    format,
    language::Text,
    words::{self, console as say, tick as tick_words},
};
use toolcall_schema::{Timestamp, trace::Trace};

/// `GET /ops`
pub(super) async fn page(State(app): State<Arc<AppState>>) -> Result<Html<String>, WebError> {
    let view = app.backend.overview().await?;
    let newest = app.backend.traces(TAIL).await?;
    let markup = html! {
        (overview(&view))
        (tail(&newest, view.at, format::zone(&app.backend.now().await?.zone)))
        (sparks::last_hour(&app.figures, &view))
        (service(&view))
    };
    Ok(framed(&app, say::OVERVIEW.say(), LiveUpdates::Yes, &markup))
}

/// Decisions in the list that follows the stream.
const TAIL: usize = 8;

/// The newest decisions. The script reads the page anew at each, and not the list while it is held.
fn tail(newest: &[Trace], now: Timestamp, here: Tz) -> Markup {
    let columns = [
        say::TRACE_COLUMNS[0],
        say::TRACE_COLUMNS[1],
        say::TRACE_COLUMNS[2],
        say::TRACE_COLUMNS[5],
    ];
    let rows: Vec<Vec<Markup>> = newest
        .iter()
        .map(|trace| {
            let line = render::row(trace);
            let zone = format::zone(&trace.decision.user.zone);
            vec![
                html! { a href={ "/ops/traces/" (line.trace_id) } { time { (format::clock_on(trace.decision.ts, now, zone)) } } },
                html! { (line.what) },
                html! { (line.ended) },
                html! { (tick::took(trace)) },
            ]
        })
        .collect();
    html! {
        section aria-labelledby="tail-title" {
            h2 #tail-title { (tick_words::TAIL) }
            (decisions::shortcuts(format::local_date(now, here)))
            p.buttons { button.side type="button" aria-pressed="false" data-hold="tail" { (tick_words::HOLD) } }
            div #tail data-region {
                @if rows.is_empty() { p.none { (tick_words::NO_TAIL) } }
                @else { (table(None, &columns, &rows)) }
            }
        }
    }
}

fn overview(view: &ServiceOverview) -> Markup {
    html! {
        section #health data-region aria-live="polite" {
            @if view.health.is_empty() { p.well { (say::ALL_WELL) } }
            @else {
                p { (say::NOT_WELL) }
                @for flag in &view.health { p.flag { (words::health(*flag)) } }
            }
        }
    }
}

fn service(view: &ServiceOverview) -> Markup {
    let parts: Vec<Vec<Markup>> = view.parts.iter().map(part_row).collect();
    let queues: Vec<Vec<Markup>> = view.queues.iter().map(queue_row).collect();
    html! {
        section #parts data-region {
            h2 { (say::PARTS) }
            (table(None, &say::PART_COLUMNS, &parts))
        }
        section #queues data-region {
            h2 { (say::QUEUES) }
            (table(None, &say::QUEUE_COLUMNS, &queues))
        }
        div.columns {
            section #counters data-region { h2 { (say::SINCE_START) } (counters(view)) }
            section #store data-region { h2 { (say::KEPT) } (store(view)) }
            section #versions data-region { h2 { (say::IN_FORCE) } (versions(view)) }
        }
    }
}

fn part_row(part: &ProcessView) -> Vec<Markup> {
    let memory = part.memory_kib.map_or_else(
        || say::NOT_KNOWN.say().to_owned(),
        |kib| format!("{} MiB", kib.div_ceil(1024)),
    );
    vec![
        html! { (words::console::part(part.name)) },
        code_spans(say::part_standing(part.standing)),
        html! { @if let Some(pid) = part.pid { (pid) } @else { (say::NONE) } },
        html! { @if part.pid.is_some() { (memory) } @else { (say::NONE) } },
        html! { (part.restarts) },
        html! { @if let Some(end) = part.last_end { (say::process_end(end)) } @else { (say::NONE) } },
    ]
}

fn queue_row(queue: &QueueView) -> Vec<Markup> {
    vec![
        html! { (say::queue(queue.name)) },
        html! { (queue.waiting) },
        html! { (queue.bound) },
        html! { @if let Some(lost) = queue.lost { (lost) } @else { (say::NONE) } },
    ]
}

fn counters(view: &ServiceOverview) -> Markup {
    let it = &view.counters;
    let figures = [
        it.refused_calls,
        it.refused_results,
        it.refusals_lost,
        it.failed_commits,
        it.raw_traces,
        it.ignored,
        it.clock_jumps,
        it.skipped,
    ];
    let rows: Vec<(&str, Markup)> = say::COUNTERS
        .into_iter()
        .zip(figures)
        .map(|(name, figure)| (name.say(), html! { (figure) }))
        .collect();
    facts(&rows)
}

fn store(view: &ServiceOverview) -> Markup {
    let it = &view.store;
    let [bytes, ticks, events, traces, ledger] = say::STORE.map(Text::say);
    facts(&[
        (bytes, html! { (it.bytes.div_ceil(1024)) " KiB" }),
        (ticks, html! { (it.ticks) }),
        (events, html! { (it.events) }),
        (traces, html! { (it.traces) }),
        (ledger, html! { (it.ledger) }),
    ])
}

fn versions(view: &ServiceOverview) -> Markup {
    let [version, policy, catalogue, sandbox] = say::VERSIONS.map(Text::say);
    facts(&[
        (version, html! { (view.version) }),
        (policy, hash(&view.policy_hash)),
        (catalogue, hash(&view.catalogue_hash)),
        (sandbox, html! { (view.sandbox) }),
    ])
}
