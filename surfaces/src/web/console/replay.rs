//! `/ops/traces/{id}/replay`: a tick done again, event by event.
//!
//! What: one event with the machine's state before and after it, and the way to the event and the tick beside it. Why: what an event did is
//! seen, not guessed. Not here: doing it again (the backend, with the machine itself).

use super::{LiveUpdates, framed, table};
use crate::{
    render::leaves::{ComparedLeaf, compare_leaves},
    web::{api::trace_id, error::WebError, state::AppState},
};
use axum::{
    extract::{Path, Query, State, rejection::QueryRejection},
    response::Html,
};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;
use surfaces_base::{
    backend::console::{ReplayAnswer, TickReplay, TickView},
    format,
    language::Text,
    visible::{json_visible, visible},
    words::{console as words, tick as say},
};
use toolcall_schema::StateName;

/// Which event, from 1; absent: the first.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ReplayQuery {
    step: Option<usize>,
}

/// `GET /ops/traces/{id}/replay?step=`
pub(super) async fn page(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
    asked: Result<Query<ReplayQuery>, QueryRejection>,
) -> Result<Html<String>, WebError> {
    let Query(ReplayQuery { step }) = asked.map_err(|_| WebError::BadBody)?;
    let id = trace_id(&id)?;
    let view = app
        .backend
        .recorded_tick(id.clone())
        .await?
        .ok_or(WebError::NotFound)?;
    let step = step.unwrap_or(1).max(1) - 1;
    let markup = match app.backend.replay_tick(id, step).await? {
        ReplayAnswer::Replayed(replay) => replay_markup(&view, &replay),
        ReplayAnswer::NotKept => no_replay_markup(&view, say::REPLAY_NOT_KEPT.say()),
        ReplayAnswer::TooLong => no_replay_markup(&view, say::REPLAY_TOO_LONG.say()),
    };
    Ok(framed(&app, words::TRACES.say(), LiveUpdates::No, &markup))
}

fn no_replay_markup(view: &TickView, why: &str) -> Markup {
    html! {
        p { strong { (say::REPLAY) } }
        (ways(view, None))
        p.flag { (why) }
    }
}

/// Event before and after, tick before and after, and back.
fn ways(view: &TickView, replay: Option<&TickReplay>) -> Markup {
    let own = format!("/ops/traces/{}", view.trace.trace_id);
    let step = |number: usize| format!("{own}/replay?step={number}");
    let beside = |id| format!("/ops/traces/{id}/replay");
    html! {
        nav.beside aria-label=(say::REPLAY) {
            @if let Some(replay) = replay {
                @if replay.chosen > 0 { a href=(step(replay.chosen)) rel="prev" { (say::EVENT_BEFORE) } }
                @if replay.chosen + 1 < replay.steps.len() { a href=(step(replay.chosen + 2)) rel="next" { (say::EVENT_AFTER) } }
            }
            @if let Some(older) = &view.older { a href=(beside(older)) { (say::OLDER) } }
            @if let Some(newer) = &view.newer { a href=(beside(newer)) { (say::NEWER) } }
            a href=(own) { (say::BACK) }
        }
    }
}

fn replay_markup(view: &TickView, replay: &TickReplay) -> Markup {
    let Some(step) = replay.steps.get(replay.chosen) else {
        return no_replay_markup(view, say::REPLAY_NOT_KEPT.say());
    };
    let state = |value: &Value| {
        let name = value.pointer("/phase/state").and_then(Value::as_str);
        // Deliberating before its decision is Weighing inside the machine.
        let name = name.map(|name| if name == "Weighing" { "Deliberating" } else { name });
        name.and_then(StateName::parse)
            .map_or(words::NOT_KNOWN.say(), words::state_name)
    };
    let changes: Vec<ComparedLeaf> = compare_leaves(&replay.before, &replay.after)
        .into_iter()
        .filter(ComparedLeaf::is_different)
        .collect();
    html! {
        p { strong { (say::event_number(replay.chosen + 1, replay.steps.len(), &visible(&step.name))) } }
        p.note { (say::REPLAY_NOTE) }
        (ways(view, Some(replay)))
        p { (say::from_state_to(state(&replay.before), state(&replay.after))) }
        section aria-labelledby="changed-title" {
            h2 #changed-title { (say::CHANGED) }
            @if changes.is_empty() { p.none { (say::NO_CHANGE) } }
            @else { (leaf_table(&say::CHANGE_COLUMNS, &changes)) }
        }
        section aria-labelledby="effects-title" {
            h2 #effects-title { (say::EFFECTS) }
            @if replay.effects.is_empty() { p.none { (say::NO_EFFECT) } }
            @else { (table(None, &say::EFFECT_COLUMNS, &effects(replay))) }
        }
        section aria-labelledby="event-title" {
            h2 #event-title { (say::EVENT) }
            pre tabindex="0" {
                @for line in serde_json::to_string_pretty(&replay.event).unwrap_or_default().lines() { (json_visible(line)) "\n" }
            }
        }
        section aria-labelledby="events-title" {
            h2 #events-title { (say::ALL_EVENTS) }
            (table(None, &say::EVENT_COLUMNS, &events(view, replay)))
        }
    }
}

fn effects(replay: &TickReplay) -> Vec<Vec<Markup>> {
    let row = |effect: &surfaces_base::backend::console::ReplayedEffect| {
        vec![
            html! { code { (effect.name) } },
            html! { @if effect.detail.is_null() { (words::NONE) } @else { code.whole { (json_visible(&effect.detail.to_string())) } } },
        ]
    };
    replay.effects.iter().map(row).collect()
}

fn events(view: &TickView, replay: &TickReplay) -> Vec<Vec<Markup>> {
    let id = &view.trace.trace_id;
    let began = replay.steps.first().map(|step| step.at);
    let numbered = replay.steps.iter().enumerate();
    numbered
        .map(|(number, step)| {
            let current = (number == replay.chosen).then_some("step");
            vec![
                html! { a href={ "/ops/traces/" (id) "/replay?step=" (number + 1) } aria-current=[current] { (step.seq) } },
                html! { (format::duration_ms(began.map_or(0, |began| step.at.since(began)))) },
                html! { code { (visible(&step.name)) } },
                html! { (words::state_name(step.state)) },
            ]
        })
        .collect()
}

/// Places with what stands there on either side.
fn leaf_table(columns: &[Text; 3], leaves: &[ComparedLeaf]) -> Markup {
    let text = |text: Option<&String>| html! { @if let Some(text) = text { code { (text) } } @else { (words::NONE) } };
    let rows: Vec<Vec<Markup>> = leaves
        .iter()
        .map(|leaf| {
            vec![
                html! { (leaf.place) },
                text(leaf.left.as_ref()),
                text(leaf.right.as_ref()),
            ]
        })
        .collect();
    html! { div.leaves { (table(None, columns, &rows)) } }
}
