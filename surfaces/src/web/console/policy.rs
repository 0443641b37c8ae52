//! `/ops/policy`: what Aura decides with, and what it may do.
//!
//! What: the policy in force with its comments, what differs from the built-in one, and the catalogue. Why: a trace names both by their
//! hashes. Not here: another policy on trial, and putting it into force (`what_if`).

use super::{LiveUpdates, framed, hash, table};
use crate::web::{error::WebError, state::AppState};
use axum::{extract::State, response::Html};
use maud::{Markup, html};
use std::sync::Arc;
use surfaces_base::{
    backend::console::{ConstantChange, PolicyView},
    language::Text,
    visible::visible,
    words::{self, console as say},
};
use toolcall_schema::ToolName;

/// `GET /ops/policy`
pub(super) async fn page(State(app): State<Arc<AppState>>) -> Result<Html<String>, WebError> {
    let view = app.backend.policy().await?;
    let tools: Vec<Vec<Markup>> = ToolName::ALL.iter().map(|tool| tool_row(*tool)).collect();
    let markup = html! {
        section {
            p { (say::policy_origin(view.built_in, view.differences.len())) }
            p { (say::HASH) ": " code.whole { (view.hash) } }
            (differences(&view))
            details {
                summary { (say::POLICY_TEXT) }
                // TOML of many lines: each is made visible for itself.
                pre { @for line in view.text.lines() { (visible(line)) "\n" } }
            }
        }
        section {
            h2 { (say::CATALOGUE) }
            p { (say::catalogue_standing(&view.catalogue.hash, view.catalogue.accepted.as_deref())) }
            p { (say::HASH) ": " code.whole { (view.catalogue.hash) } }
            @if let Some(accepted) = view.catalogue.accepted.as_ref().filter(|it| **it != view.catalogue.hash) {
                p { (say::ACCEPTED) ": " (hash(accepted)) }
            }
            div.catalogue { (table(None, &say::TOOL_COLUMNS, &tools)) }
        }
    };
    Ok(framed(&app, say::POLICY.say(), LiveUpdates::No, &markup))
}

fn differences(view: &PolicyView) -> Markup {
    html! {
        @if !view.differences.is_empty() {
            h2 { (say::DIFFERENCES) }
            (changes(&say::CONSTANT_COLUMNS, &view.differences))
        }
    }
}

/// Constants of two policies.
pub(super) fn changes(columns: &[Text; 3], all: &[ConstantChange]) -> Markup {
    let row = |it: &ConstantChange| {
        vec![
            html! { (words::policy_constant_alone(it.key)) br; code.key { (it.key) } },
            html! { (words::policy_amount(&it.before)) },
            html! { (words::policy_amount(&it.after)) },
        ]
    };
    let rows: Vec<Vec<Markup>> = all.iter().map(row).collect();
    table(None, columns, &rows)
}

fn tool_row(tool: ToolName) -> Vec<Markup> {
    let columns = tool.columns();
    let effects: Vec<&str> = columns
        .effects
        .iter()
        .map(|effect| words::tool_effect(*effect))
        .collect();
    vec![
        html! { code { (tool) } },
        html! { (words::tool_confirm(columns.confirm)) },
        html! { (words::tool_class(columns.class)) },
        html! { (words::surface(columns.surface)) },
        html! { @if effects.is_empty() { (say::NONE) } @else { (effects.join(", ")) } },
        html! { (words::tool_purpose(tool)) },
    ]
}
