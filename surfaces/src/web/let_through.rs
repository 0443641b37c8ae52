//! Whom the owner always lets through.
//!
//! What: the button on somebody's page, the rows among the rules, and the one way that sets and takes back. Why: a rule that lets speak is set where
//! somebody is, and taken back wherever rules stand. Not here: which messages that marks (`agents`), what a mark is worth (the machine), its sentences (`words`).

use super::{
    api::JsonBody,
    error::WebError,
    owner::{ActionResponse, OwnerResult, end},
    shell,
    state::AppState,
};
use crate::render::{
    feedback::{learned_name, nameless_within},
    section::people::thing_of,
};
use axum::{
    Json,
    extract::{Path, State},
    http::HeaderMap,
};
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;
use surfaces_base::{
    backend::{DisplayNames, OwnerCall},
    words,
};
use toolcall_schema::catalogue::{
    learning::{LearnedList, LearnedThing},
    shared::ThingId,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LetThroughBody {
    always: bool,
}

/// `POST /v1/let-through/{about}`
pub(super) async fn set(
    State(app): State<Arc<AppState>>,
    Path(about): Path<String>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> OwnerResult<Json<ActionResponse>> {
    let about = LearnedThing::parse(&about).map_err(|_| WebError::NotFound)?;
    let LetThroughBody { always } = body?.read()?;
    end(&app, OwnerCall::LetThrough(about, always), &headers).await
}

/// On somebody's page: the button with its effect, or that it stands.
pub(super) fn switch(about: &LearnedThing, name: Option<&str>, stands: bool, ceiling: u8) -> Markup {
    let effect = words::let_through_effect(about, name, ceiling);
    let name = name.unwrap_or(nameless_within(about));
    html! {
        div.let-through {
            @if stands {
                ul.rules { li { span dir="auto" { (words::is_let_through(name)) } (take_back(about, name)) } }
                p.says dir="auto" { (effect) }
            } @else {
                div.meanings {
                    button type="button" data-let-through=(about.as_str()) data-always="true" {
                        b dir="auto" { (words::let_through(name)) } " " span dir="auto" { (effect) }
                    }
                }
            }
        }
    }
}

/// Whom a page with the rows has to name.
pub(super) fn to_name(learned: Option<&LearnedList>) -> impl Iterator<Item = ThingId> {
    learned
        .into_iter()
        .flat_map(|list| &list.let_through)
        .map(thing_of)
}

/// Among the rules: everybody who is let through, each with the way to take it back.
pub(super) fn rows(learned: Option<&LearnedList>, names: &DisplayNames) -> Markup {
    html! {
        @match learned {
            None => p.says data-again-ms=(shell::AGAIN_MS) { (words::LET_THROUGH_NOT_READ) },
            Some(list) if list.let_through.is_empty() => {},
            Some(list) => {
                h3 #let-through-title { (words::LET_THROUGH) }
                ul.rules aria-labelledby="let-through-title" {
                    @for about in &list.let_through {
                        @let name = learned_name(about, names);
                        li {
                            a href={ "/people/" (about.as_str()) } dir="auto" { (words::is_let_through(name)) }
                            (take_back(about, name))
                        }
                    }
                }
            },
        }
    }
}

fn take_back(about: &LearnedThing, name: &str) -> Markup {
    let says = words::is_let_through(name);
    html! {
        button.plain type="button" data-let-through=(about.as_str()) data-always="false" aria-label=(words::on_row(words::LET_NO_LONGER.say(), &says)) {
            (words::LET_NO_LONGER)
        }
    }
}
