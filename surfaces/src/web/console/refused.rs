//! `/ops/quarantine`: what was refused.
//!
//! What: the list with its filter, the kept bytes with the place that was wrong, and the dry replay of one line. Why: why a call did not
//! run can be seen without a terminal. Not here: purging, statistics, fixtures (`aura quarantine`), judging (the backend).

use super::{LiveUpdates, choice, field, framed, hash};
use crate::{
    render::kept_content::{KeptContent, kept},
    web::{api::JsonBody, error::WebError, state::AppState},
};
use axum::{
    extract::{Query, State, rejection::QueryRejection},
    response::Html,
};
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;
use surfaces_base::{
    backend::console::{DryReplayVerdict, REFUSED_MAX, RefusedFilter, RefusedItem, RefusedLine},
    format,
    visible::visible,
    words::{self, console as say},
};
use toolcall_schema::{AgentName, Code, QuarantineKind, ids::TraceId};

/// The filter in the address; empty is any.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RefusedQuery {
    kind: String,
    code: String,
    agent: String,
    trace: String,
}

impl RefusedQuery {
    fn filter(&self) -> Result<RefusedFilter, WebError> {
        Ok(RefusedFilter {
            kind: field(&self.kind, QuarantineKind::parse)?,
            code: field(&self.code, Code::parse)?,
            agent: field(&self.agent, AgentName::parse)?,
            trace: field(&self.trace, |text| TraceId::parse(text).ok())?,
        })
    }
}

/// `GET /ops/quarantine?kind=&code=&agent=`
pub(super) async fn page(
    State(app): State<Arc<AppState>>,
    asked: Result<Query<RefusedQuery>, QueryRejection>,
) -> Result<Html<String>, WebError> {
    let Query(asked) = asked.map_err(|_| WebError::BadBody)?;
    let filter = asked.filter()?;
    let refused = app.backend.refused(filter.clone()).await?;
    let now = app.backend.now().await?;
    let zone = format::zone(&now.zone);
    let markup = html! {
        (form(&filter))
        p { (words::refused_count(refused.len() == REFUSED_MAX, refused.len())) }
        ol.refused {
            @for (n, entry) in refused.iter().enumerate() {
                li id=(anchor(&entry.line)) {
                    p.head {
                        time { (format::clock_on(entry.at, now.at, zone)) }
                        span.what { (what(entry)) }
                        span.code { (visible(&entry.code)) }
                    }
                    p { (visible(&entry.message)) }
                    @if !entry.raw.is_empty() { (entry_details(n, entry)) }
                }
            }
        }
    };
    Ok(framed(&app, say::QUARANTINE.say(), LiveUpdates::No, &markup))
}

fn form(filter: &RefusedFilter) -> Markup {
    let kinds: Vec<(&str, String)> = QuarantineKind::ALL
        .iter()
        .map(|kind| (kind.as_str(), say::refused_kind(*kind).to_owned()))
        .collect();
    let codes: Vec<(&str, String)> = Code::ALL
        .iter()
        .map(|code| (code.as_str(), code.to_string()))
        .collect();
    let agents: Vec<(&str, String)> = AgentName::ALL
        .iter()
        .map(|agent| (agent.as_str(), words::agent(*agent).to_owned()))
        .collect();
    html! {
        form.filter method="get" action="/ops/quarantine" {
            (choice("kind", say::KIND.say(), &kinds, filter.kind.map(QuarantineKind::as_str)))
            (choice("code", say::CODE.say(), &codes, filter.code.map(Code::as_str)))
            (choice("agent", say::AGENT.say(), &agents, filter.agent.map(AgentName::as_str)))
            label { (say::TRACE_ID)
                input type="text" name="trace" value=[filter.trace.as_ref()] maxlength="64" pattern="tr_[a-z0-9]+" autocomplete="off";
            }
            button.side type="submit" { (say::FILTER) }
        }
    }
}

/// Where a line stands on the page: its file and its number there.
pub(super) fn anchor(line: &RefusedLine) -> String {
    format!("{}-{}", line.kind, line.number)
}

/// `comms.mute_channel`, as far as known, or the program that said it.
pub(super) fn what(entry: &RefusedItem) -> String {
    if let Some(program) = &entry.program {
        return visible(program).into_owned();
    }
    let agent = entry.agent.map_or("?", |agent| agent.as_str());
    format!("{agent}.{}", visible(entry.tool.as_deref().unwrap_or("?")))
}

/// What is kept of it, where it was wrong, and the button that judges it again.
fn entry_details(n: usize, entry: &RefusedItem) -> Markup {
    let verdict = format!("verdict-{n}");
    html! {
        details {
            summary { (words::refused_bytes(entry.bytes, entry.base64.is_some())) }
            dl.facts {
                div { dt { (words::PLACE) } dd { code { (place(&entry.pointer)) } } }
                div { dt { (say::HASH) } dd { (hash(&visible(&entry.line.sha256))) } }
                @if let Some(id) = &entry.trace_id {
                    div { dt { (words::OF_DECISION) } dd { a href={ "/ops/traces/" (id) } { (id) } } }
                }
            }
            (bytes(entry))
            form data-post="/fragment/ops/quarantine/replay" data-into=(verdict) {
                input type="hidden" name="kind" value=(entry.line.kind);
                input type="hidden" name="number" value=(entry.line.number);
                input type="hidden" name="sha256" value=(entry.line.sha256);
                button.side type="submit" { (say::JUDGE) }
                span.note { (say::JUDGE_NOTE) }
            }
            div id=(verdict) .verdict role="status" {}
        }
    }
}

/// The empty pointer is the whole document.
fn place(pointer: &str) -> String {
    if pointer.is_empty() {
        words::WHOLE_DOCUMENT.say().to_owned()
    } else {
        visible(pointer).into_owned()
    }
}

fn bytes(entry: &RefusedItem) -> Markup {
    if let Some(first) = entry.base64 {
        return html! {
            p.note { (say::no_text(first)) }
            pre { (visible(&entry.raw)) }
        };
    }
    match kept(&entry.raw, &entry.pointer) {
        KeptContent::Json { lines, nearest } => html! {
            @if nearest { p.note { (say::NEAREST) } }
            pre {
                @for line in &lines {
                    ("  ".repeat(line.depth))
                    @if line.marked { mark { span.visually-hidden { (say::WRONG_HERE) } (line.text) } }
                    @else { (line.text) }
                    "\n"
                }
            }
        },
        KeptContent::Text {
            before,
            bad,
            after,
            line,
            column,
        } => html! {
            p.note { (say::no_json(line, column, bad.is_empty())) }
            pre {
                (before)
                @if !bad.is_empty() { mark { span.visually-hidden { (say::WRONG_HERE) } (bad) } }
                (after)
            }
        },
    }
}

/// A line as a form names it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RefusedLineForm {
    kind: QuarantineKind,
    number: String,
    sha256: String,
}

/// `POST /fragment/ops/quarantine/replay`: changes nothing.
pub(super) async fn replay(
    State(app): State<Arc<AppState>>,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let RefusedLineForm { kind, number, sha256 } = body?.read()?;
    let number = number.parse().map_err(|_| WebError::BadBody)?;
    let line = RefusedLine { kind, number, sha256 };
    let markup = match app.backend.dry_replay(line).await? {
        None => html! { p { (say::LINE_GONE) } },
        Some(verdict) => html! {
            p { (say::verdict(&verdict)) }
            @if let DryReplayVerdict::Refused { code, pointer, message, same: false } = &verdict {
                p { code { (visible(code)) } " " (place(pointer)) ": " (visible(message)) }
            }
        },
    };
    Ok(Html(markup.into_string()))
}
