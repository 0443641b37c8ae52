//! What Comms learned, on the page of chats, and the two buttons of each row.
//!
//! What: the block, and the routes that correct and unlearn. Why: what is believed of somebody's mail stands where it can be taken back. Not
//! here: the sentences (`words::learned`), what the call goes through (the machine).

use super::{
    api::JsonBody,
    error::WebError,
    icons::{IconName, icon},
    owner::{ActionResponse, OwnerResult, end},
    shell,
    state::AppState,
};
use crate::render::section;
use axum::{
    Json,
    extract::{Path, State},
    http::HeaderMap,
};
use chrono_tz::Tz;
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;
use surfaces_base::{
    backend::{DisplayNames, OwnerCall},
    words,
};
use toolcall_schema::{
    Timestamp,
    catalogue::{
        comms::MessageClass,
        learning::{LearnedList, LearnedRow, LearnedThing},
        shared::ThingId,
    },
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CorrectionBody {
    class: MessageClass,
}

/// `POST /v1/learned/{about}/correct`
pub(super) async fn correct(
    State(app): State<Arc<AppState>>,
    Path(about): Path<String>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> OwnerResult<Json<ActionResponse>> {
    let about = LearnedThing::parse(&about).map_err(|_| WebError::NotFound)?;
    let CorrectionBody { class } = body?.read()?;
    end(&app, OwnerCall::Correct(about, class), &headers).await
}

/// `POST /v1/learned/{about}/reset`
pub(super) async fn reset(
    State(app): State<Arc<AppState>>,
    Path(about): Path<String>,
    headers: HeaderMap,
) -> OwnerResult<Json<ActionResponse>> {
    let about = LearnedThing::parse(&about).map_err(|_| WebError::NotFound)?;
    end(&app, OwnerCall::Unlearn(Some(about)), &headers).await
}

/// `POST /v1/learned/reset`
pub(super) async fn reset_all(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
) -> OwnerResult<Json<ActionResponse>> {
    end(&app, OwnerCall::Unlearn(None), &headers).await
}

/// Whom a page has to name.
pub(super) fn to_name(learned: Option<&LearnedList>) -> impl Iterator<Item = ThingId> {
    let rows = learned.into_iter().flat_map(|list| &list.rows);
    rows.map(|row| section::people::thing_of(&row.about))
}

/// The block on the page.
pub(super) fn block(learned: Option<&LearnedList>, names: &DisplayNames) -> Markup {
    let rows = learned.map(|list| list.rows.as_slice()).unwrap_or_default();
    let rows: Vec<&LearnedRow> = rows.iter().filter(|row| !is_waiting(row)).collect();
    html! {
        section.block #learned data-region aria-labelledby="learned-title" {
            h2 #learned-title { (icon(IconName::People)) (words::LEARNED) }
            @match learned {
                None => p.says data-again-ms=(shell::AGAIN_MS) { (words::LEARNED_NOT_READ) },
                Some(list) if rows.is_empty() => p.says { (words::nothing_learned(list.labels)) },
                Some(list) => p.says { (words::learned_from(list.labels)) },
            }
            @if !rows.is_empty() {
                ul.rows { @for row in rows { (row_of(row, names)) } }
                button.plain type="button" data-unlearn="all" { (words::RESET_ALL) }
            }
        }
    }
}

/// For whom the owner waits, and after how long somebody stands there. `is_fed`: whether any message can come.
pub(super) fn waited_for(
    learned: Option<&LearnedList>,
    (now, zone): (Timestamp, Tz),
    names: &DisplayNames,
    is_fed: bool,
) -> Markup {
    let rows = section::answers::waited_for(learned, now, zone);
    html! {
        // Always there, so that the page can be read anew.
        section.block #waiting data-region aria-labelledby="waiting-title" hidden[rows.is_empty() && (learned.is_none() || !is_fed)] {
            h2 #waiting-title { (words::YOU_WAIT_FOR) }
            p.says { (words::you_wait_for_says(rows.is_empty())) }
            @if !rows.is_empty() { ul.rows {
                @for (row, since) in rows {
                    li {
                        p.head {
                            a.what href={ "/people/" (row.about.as_str()) } {
                                bdi { (names.get(row.about.as_str()).unwrap_or(words::SOMEBODY_ASKED.say())) }
                            }
                            @if let Some(since) = since { span.value { (since) } }
                        }
                        p.note { (words::learned(row)) }
                    }
                }
            } }
        }
    }
}

/// Whether it tells whom the owner waits for: nothing was learned, so there is nothing to take back.
fn is_waiting(row: &LearnedRow) -> bool {
    row.class == MessageClass::Waiting && !row.corrected
}

fn row_of(row: &LearnedRow, names: &DisplayNames) -> Markup {
    let about = row.about.as_str();
    let nameless = match row.about {
        LearnedThing::Person(_) => words::SOMEBODY.say(),
        LearnedThing::Channel(_) => words::ONE_LIST.say(),
    };
    let name = names.get(about).unwrap_or(nameless);
    html! {
        li {
            p.head { a.what href={ "/people/" (about) } { bdi { (name) } } }
            (belief(row, name))
        }
    }
}

/// What is believed of one, on its own page.
pub(super) fn row_about(row: &LearnedRow, name: &str) -> Markup {
    html! { li { (belief(row, name)) } }
}

/// What is believed, and the way to correct it and to take it back.
fn belief(row: &LearnedRow, name: &str) -> Markup {
    let about = row.about.as_str();
    let (class, button) = match row.class {
        MessageClass::News | MessageClass::Spam => (MessageClass::NeedsYou, words::MATTERS.say()),
        MessageClass::NeedsYou
        | MessageClass::Group
        | MessageClass::Date
        | MessageClass::Bill
        | MessageClass::Code
        | MessageClass::Talk
        | MessageClass::Waiting => (MessageClass::News, words::ONLY_NEWS.say()),
    };
    html! {
        p.note { (words::learned(row)) }
        p.head {
            (class_button(about, name, class, button))
            button.plain type="button" data-unlearn=(about) aria-label=(words::on_row(words::RESET.say(), name)) { (words::RESET) }
        }
    }
}

/// The two ways to say what somebody's messages are, where nothing was learned.
pub(super) fn class_buttons(about: &str, name: &str) -> Markup {
    html! {
        (class_button(about, name, MessageClass::NeedsYou, words::MATTERS.say()))
        (class_button(about, name, MessageClass::News, words::ONLY_NEWS.say()))
    }
}

fn class_button(about: &str, name: &str, class: MessageClass, button: &str) -> Markup {
    html! {
        button.plain type="button" data-correct=(about) data-class=(class) aria-label=(words::on_row(button, name)) { (button) }
    }
}
