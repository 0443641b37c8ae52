//! `/ops/compare`: two ticks side by side.
//!
//! What: what each agent answered to both, each line of their traces beside its like, and which differ. Why: "yesterday it spoke and today it did not" is read off. Not here: how
//! lines find their like (`render::leaves`).

use super::{LiveUpdates, framed};
use crate::{
    render::{
        leaves::{ComparedLeaf, compare_leaves},
        waterfall::{StepRole, WaterfallRow, waterfall},
    },
    web::{api::trace_id, error::WebError, state::AppState},
};
use axum::{
    extract::{Query, State, rejection::QueryRejection},
    response::Html,
};
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;
use surfaces_base::{
    backend::console::TickView,
    format,
    visible::visible,
    words::{console as words, tick as say},
};
use toolcall_schema::ids::TraceId;

/// The two, and which lines of them.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct CompareQuery {
    left: String,
    right: String,
    lines: String,
}

/// `GET /ops/compare?left=&right=&lines=all`
pub(super) async fn page(
    State(app): State<Arc<AppState>>,
    asked: Result<Query<CompareQuery>, QueryRejection>,
) -> Result<Html<String>, WebError> {
    let Query(CompareQuery { left, right, lines }) = asked.map_err(|_| WebError::BadBody)?;
    let shows_all = match lines.as_str() {
        "" => false,
        "all" => true,
        _ => return Err(WebError::BadBody),
    };
    let markup = if left.is_empty() || right.is_empty() {
        html! { p { (say::COMPARE_NONE) } p { a href="/ops/traces" { (say::IN_LIST) } } (form(&left, &right)) }
    } else {
        let (left, right) = (trace_id(&left)?, trace_id(&right)?);
        let one = tick(&app, left).await?;
        let other = tick(&app, right).await?;
        compare_markup(&one, &other, shows_all)
    };
    Ok(framed(&app, words::TRACES.say(), LiveUpdates::No, &markup))
}

async fn tick(app: &AppState, id: TraceId) -> Result<TickView, WebError> {
    app.backend.recorded_tick(id).await?.ok_or(WebError::NotFound)
}

fn form(left: &str, right: &str) -> Markup {
    let field = |label: &str, name: &str, value: &str| {
        html! {
            label { (label)
                input type="text" name=(name) value=(value) maxlength="64" pattern="tr_[a-z0-9]+" autocomplete="off" required;
            }
        }
    };
    html! {
        form.filter method="get" action="/ops/compare" {
            (field(say::LEFT.say(), "left", left))
            (field(say::RIGHT.say(), "right", right))
            button.side type="submit" { (say::COMPARE_NOW) }
        }
    }
}

fn compare_markup(left: &TickView, right: &TickView, shows_all: bool) -> Markup {
    let json = |view: &TickView| serde_json::to_value(&view.trace).unwrap_or_default();
    let agents = agents(left, right);
    let all = compare_leaves(&json(left), &json(right));
    let different = all.iter().filter(|leaf| leaf.is_different()).count();
    let (left, right) = (left.trace.trace_id.as_str(), right.trace.trace_id.as_str());
    let address = format!("/ops/compare?left={left}&right={right}");
    html! {
        p { strong { (say::COMPARE) } }
        @if !agents.is_empty() {
            h2 { (say::COMPARE_AGENTS) }
            p.note { (say::COMPARE_AGENTS_NOTE) }
            table.listing {
                thead { tr {
                    th scope="col" { (words::AGENT) }
                    @for id in [left, right] { th scope="col" { a href={ "/ops/traces/" (id) } { (id) } } }
                } }
                tbody { @for agent in &agents { (answers(agent, [left, right])) } }
            }
            h2 { (say::COMPARE_LINES) }
        }
        p { (say::lines_differ(different, all.len())) }
        p {
            @if shows_all { a href=(address) { (say::DIFFERENT_LINES) } }
            @else { a href={ (address) "&lines=all" } { (say::ALL_LINES) } }
        }
        div.leaves {
            table.listing {
                thead { tr {
                    th scope="col" { (say::COMPARE_PLACE) }
                    @for id in [left, right] { th scope="col" { a href={ "/ops/traces/" (id) } { (id) } } }
                } }
                tbody { @for leaf in all.iter().filter(|leaf| shows_all || leaf.is_different()) { (line(leaf, [left, right])) } }
            }
        }
        (form(left, right))
    }
}

/// Two answers of one agent that are less apart than this took the same time.
const SAME_MS: i64 = 100;

/// What an agent answered to both, with how long it took.
struct AgentAnswers {
    agent: String,
    texts: [String; 2],
    is_different: bool,
}

fn agents(left: &TickView, right: &TickView) -> Vec<AgentAnswers> {
    let rows = |view: &TickView| -> Vec<WaterfallRow> {
        let rows = waterfall(view).rows.into_iter();
        rows.filter(|row| row.role == StepRole::Agent).collect()
    };
    let said = |row: &WaterfallRow| match row.ms {
        Some(ms) => format!("{}, {}", visible(&row.says), format::duration_ms(ms)),
        None => visible(&row.says).into_owned(),
    };
    rows(left)
        .iter()
        .zip(&rows(right))
        .map(|(left, right)| {
            let apart = left.ms.zip(right.ms).map(|(left, right)| (left - right).abs());
            let is_same = left.result == right.result
                && left.is_bad == right.is_bad
                && apart.is_none_or(|ms| ms < SAME_MS);
            AgentAnswers {
                agent: left.name.clone(),
                texts: [said(left), said(right)],
                is_different: !is_same,
            }
        })
        .collect()
}

fn answers(both: &AgentAnswers, ids: [&str; 2]) -> Markup {
    let is_marked = both.is_different;
    html! {
        tr.differs[is_marked] {
            th scope="row" {
                @if is_marked { span.visually-hidden { (say::DIFFERS) } }
                (both.agent)
            }
            @for (id, text) in ids.into_iter().zip(&both.texts) {
                td data-label=(id) { @if is_marked { mark { (text) } } @else { (text) } }
            }
        }
    }
}

fn line(leaf: &ComparedLeaf, ids: [&str; 2]) -> Markup {
    let is_marked = leaf.is_different();
    html! {
        tr.differs[is_marked] {
            th scope="row" {
                @if is_marked { span.visually-hidden { (say::DIFFERS) } }
                (leaf.place)
            }
            @for (id, text) in ids.into_iter().zip([&leaf.left, &leaf.right]) {
                td data-label=(id) {
                    @match text {
                        Some(text) if is_marked => { mark { (text) } },
                        Some(text) => { code { (text) } },
                        None => { (words::NONE) },
                    }
                }
            }
        }
    }
}
