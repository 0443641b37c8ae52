//! What the owner calls a thing.
//!
//! What: the handler that keeps or takes a name away, and its form. Why: what came by post has no name after a restart, and nobody but the owner can
//! give it one that stays. Not here: names that sources give (agents), the same at the command line (`aura memory label`).

use super::{api::JsonBody, error::WebError, owner::OwnerResult, state::AppState};
use axum::{
    extract::{Path, State},
    http::StatusCode,
};
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;
use surfaces_base::words;
use toolcall_schema::{
    catalogue::{learning::LearnedThing, shared::ThingId},
    ids::ChannelHash,
};

/// Characters of a name, at most.
pub(super) const NAME_MAX: usize = 80;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NameBody {
    /// Empty: the name goes.
    name: String,
}

/// `POST /v1/things/{thing}/name`
pub(super) async fn name_thing(
    State(app): State<Arc<AppState>>,
    Path(thing): Path<String>,
    body: OwnerResult<JsonBody>,
) -> OwnerResult<StatusCode> {
    let thing = ThingId::parse(&thing).map_err(|_| WebError::NotFound)?;
    // A message is no thing that a name stays with: its chat or its sender is.
    if matches!(thing, ThingId::Item(_)) {
        return Err(WebError::NotFound);
    }
    let NameBody { name } = body?.read()?;
    let name = name.trim();
    if name.chars().count() > NAME_MAX || name.chars().any(char::is_control) {
        return Err(WebError::BadBody);
    }
    let name = (!name.is_empty()).then(|| name.to_owned());
    app.backend.name_thing(thing, name).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The form that names a chat; `called`: what it is called now.
pub(super) fn form(chat: &ChannelHash, called: &str) -> Markup {
    html! {
        details.name {
            summary aria-label=(words::name_this_chat(called)) { (words::NAME_THIS_CHAT) }
            (field(chat.as_str(), None))
        }
    }
}

/// The form that names a person or a chat on its own page, and takes the owner's name away where there is one.
pub(super) fn form_for(about: &LearnedThing, called: &str, own: Option<&str>) -> Markup {
    let (id, says) = (about.as_str(), words::name_one(about));
    html! {
        details.name {
            summary aria-label=(words::on_row(says, called)) { (says) }
            (field(id, own))
            @if own.is_some() {
                form data-naming=(id) {
                    input type="hidden" name="name" value="";
                    button.plain type="submit" { (words::TAKE_NAME_AWAY) }
                }
            }
        }
    }
}

fn field(id: &str, own: Option<&str>) -> Markup {
    html! {
        form data-naming=(id) {
            label { (words::YOUR_NAME_FOR_IT) " " input type="text" name="name" value=[own] maxlength=(NAME_MAX) autocomplete="off" dir="auto"; }
            button.plain type="submit" { (words::SAVE_NAME) }
        }
    }
}
