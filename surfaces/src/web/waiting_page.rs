//! Everybody who waits, page by page, found by a name.
//!
//! What: the page with its form, and what it finds. Why: on a day with many messages nobody is only counted. A name that is looked for comes in a body, never
//! in an address, and is kept and recorded nowhere. Not here: the first of them on Chats and what can be done about each (`answers_page`), which stand on
//! which page (`render::section::waiting`).

use super::{
    answers_page,
    api::JsonBody,
    error::WebError,
    people_page::NAME_MAX,
    shell::{AppSection, BelowFrame, tool_panes},
    state::AppState,
};
use crate::render::{
    acts,
    section::{
        answers,
        waiting::{self, WaitingPage},
    },
};
use axum::{extract::State, response::Html};
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;
use surfaces_base::{
    backend::{DisplayNames, UntracedActs},
    format, words,
};
use toolcall_schema::{Timestamp, catalogue::comms::WaitingPlace, ids::ItemId};

pub(super) const PATH: &str = "/chats/waiting";
const FIND: &str = "/form/waiting/find";

/// What the form sends.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct WaitingForm {
    /// Empty: everybody.
    name: String,
    /// Where the page before ended: when that message was sent, and its id. Both or neither.
    at: String,
    item: String,
}

impl WaitingForm {
    fn place_before(&self) -> Result<Option<WaitingPlace>, WebError> {
        if self.at.is_empty() && self.item.is_empty() {
            return Ok(None);
        }
        let at = Timestamp::parse(&self.at).map_err(|_| WebError::BadBody)?;
        let item_id = ItemId::parse(&self.item).map_err(|_| WebError::BadBody)?;
        Ok(Some(WaitingPlace { at, item_id }))
    }
}

/// `GET /chats/waiting`
pub(super) async fn everybody(State(app): State<Arc<AppState>>) -> Result<Html<String>, WebError> {
    let found = look(&app, &WaitingForm::default()).await?;
    let tools = html! {
        section.block aria-label=(words::WHO_WAITS) {
            (answers_page::says())
            form.settings data-post=(FIND) data-into="waiting-found" {
                label { (words::FIND_NAME) input type="search" name="name" autocomplete="off" maxlength=(NAME_MAX); }
                p.buttons { button.side type="submit" { (words::FIND_DO) } }
            }
        }
    };
    let found = html! {
        section.block.answering #waits aria-labelledby="waits-title" {
            h2.visually-hidden #waits-title tabindex="-1" { (words::ANSWER_THESE) }
            div #waiting-found aria-live="polite" { (found) }
        }
    };
    let frame = BelowFrame::new(AppSection::Chats, PATH, words::WHO_WAITS.say());
    Ok(frame.page(&app, &tool_panes(&tools, &found)))
}

/// `POST /form/waiting/find`
pub(super) async fn find(
    State(app): State<Arc<AppState>>,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let form: WaitingForm = body?.read()?;
    Ok(Html(look(&app, &form).await?.into_string()))
}

async fn look(app: &AppState, form: &WaitingForm) -> Result<Markup, WebError> {
    if form.name.chars().count() > NAME_MAX {
        return Err(WebError::BadBody);
    }
    let after = form.place_before()?;
    let Some(mut triage) = app.backend.waiting().await else {
        let says = if answers_page::is_all_read(app).await? {
            words::nothing_waits()
        } else {
            words::WAITING_NOT_READ.say().to_owned()
        };
        return Ok(html! { p.says { (says) } });
    };
    let is_search = !form.name.trim().is_empty();
    let mut names = DisplayNames::default();
    let mut unnamed = 0;
    if is_search {
        names = app.backend.names(waiting::ids(Some(&triage))).await;
        let waiting = triage.urgent.iter();
        unnamed = waiting
            .filter(|item| names.get(item.item_id.as_str()).is_none())
            .count();
        triage = waiting::named_like(triage, &names, &form.name);
    }
    let mut drafts = app.backend.drafts().await?;
    let WaitingPage { triage, next } = waiting::page_of(triage, &drafts, after.as_ref());
    // A promise whose message is known no more stands on the first page of all.
    if is_search || after.is_some() {
        drafts.retain(|draft| triage.urgent.iter().any(|item| item.item_id == draft.item));
    }
    if !is_search {
        names = app.backend.names(answers::ids(Some(&triage), &drafts)).await;
    }
    names = answers_page::with_addresses(app, names, &drafts).await;
    let done = if drafts.is_empty() {
        Vec::new()
    } else {
        acts::acts(&app.backend.acts().await?, &UntracedActs::default())
    };
    let ways = app.backend.ways(waiting::unclear(Some(&triage), &names)).await?;
    let status = app.backend.status().await?;
    let at = (status.at, format::zone(&status.settings.zone));
    let rows = answers::rows((Some(&triage), &drafts), &done, at, &names, &ways);
    Ok(html! {
        @if rows.is_empty() {
            p.none { (if is_search { words::NOBODY_OF_THAT_NAME_WAITS.say().to_owned() } else { words::nothing_waits() }) }
        }
        (answers_page::list(&rows))
        @if let Some((last, behind)) = &next { (show_more(&form.name, last, *behind)) }
        @if unnamed > 0 { p.note { (words::people_unnamed(unnamed)) } }
    })
}

/// Asks for those that stand behind that place; its answer takes the button's place.
fn show_more(name: &str, last: &WaitingPlace, behind: usize) -> Markup {
    let into = format!("waiting-{}", last.item_id);
    html! {
        div id=(into) {
            p.note { (words::more_behind(behind)) }
            form data-post=(FIND) data-into=(into) {
                @for (field, value) in [("name", name), ("at", &last.at.to_string()), ("item", last.item_id.as_str())] {
                    input type="hidden" name=(field) value=(value);
                }
                p.buttons { button.side type="submit" { (words::SHOW_MORE_PEOPLE) } }
            }
        }
    }
}
