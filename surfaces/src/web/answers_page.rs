//! *Answer these*: everybody whom the owner has to answer, with what can be done about each.
//!
//! What: the section of Chats, and the handlers of its acts and of a draft that is edited. Why: who waits is dealt with where they are named, and a draft
//! reaches its reader through the owner's own hands. Not here: who is listed in which order (`render::section::answers`), putting off
//! (`owner`), discarding (`acts_page`); nothing here sends.

use super::{
    api::JsonBody,
    error::WebError,
    icons::{EmptyDrawing, drawing, icon_of_block, initial},
    names,
    owner::{ActionResponse, OwnerResult, end},
    person_page::{framed, missing_page},
    shell::way_to,
    state::AppState,
    waiting_page,
};
use crate::render::section::answers::{AnswerRow, DraftRow, MailLink, MailTo, mail_by_id};
use axum::{
    Json,
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Redirect, Response},
};
use maud::{Markup, html};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, sync::Arc};
use surfaces_base::{
    backend::{
        DisplayNames, OwnerCall,
        drafts::{DRAFT_BYTES_MAX, DraftRefusal, ReplyDraft, ReplyEdit},
    },
    words,
};
use toolcall_schema::{
    AgentName,
    catalogue::shared::ThingId,
    ids::{ItemId, TraceId},
};

/// Bytes of a request with a draft: so many that a text which is too long is told so by its own code.
pub(super) const EDIT_BYTES_MAX: usize = 2 * 1024 * 1024;
/// Drafts whose addresses a page asks for.
const ADDRESSES_MAX: usize = 32;
/// Characters of a hash.
const HASH_CHARS: usize = 64;

/// `POST /v1/messages/{message}/done`
pub(super) async fn mark_done(
    State(app): State<Arc<AppState>>,
    Path(message): Path<String>,
    headers: HeaderMap,
) -> OwnerResult<Json<ActionResponse>> {
    end(&app, OwnerCall::MarkAnswered(item(&message)?), &headers).await
}

/// `POST /v1/messages/{message}/not-for-me`
pub(super) async fn not_for_me(
    State(app): State<Arc<AppState>>,
    Path(message): Path<String>,
    headers: HeaderMap,
) -> OwnerResult<Json<ActionResponse>> {
    end(&app, OwnerCall::MarkNotForOwner(item(&message)?), &headers).await
}

/// `POST /v1/messages/{message}/draft-reply`
pub(super) async fn draft_reply(
    State(app): State<Arc<AppState>>,
    Path(message): Path<String>,
    headers: HeaderMap,
) -> OwnerResult<Json<ActionResponse>> {
    end(&app, OwnerCall::DraftReply(item(&message)?), &headers).await
}

/// `GET /mail/{message}`: leads to the mail in the owner's mail program. Its Message-ID is read where the mail lies, and kept nowhere.
pub(super) async fn open_mail(
    State(app): State<Arc<AppState>>,
    Path(message): Path<String>,
) -> OwnerResult<Response> {
    let item = item(&message)?;
    Ok(match app.backend.message_id(item.clone()).await {
        Some(id) => Redirect::to(&mail_by_id(&id)).into_response(),
        None => match who_sent(&app, &item).await {
            Some(who) => moved_page(&app, &item, &who),
            None => missing_page(&app, words::MAIL_GONE.say(), &words::mail_gone_says()),
        },
    })
}

/// Who wrote a message that still waits for the owner; `None`: it does not.
async fn who_sent(app: &AppState, item: &ItemId) -> Option<String> {
    let waiting = app.backend.waiting().await?;
    if !waiting.urgent.iter().any(|waits| waits.item_id == *item) {
        return None;
    }
    let names = app
        .backend
        .names(BTreeSet::from([ThingId::Item(item.clone())]))
        .await;
    let who = names.get(item.as_str()).unwrap_or(words::SOMEBODY_WROTE.say());
    Some(who.to_owned())
}

/// A mail that waits and lies no longer where it was read: what to do with who waits is said in its place.
fn moved_page(app: &AppState, item: &ItemId, who: &str) -> Response {
    let button = words::on_row(words::ANSWERED_ELSEWHERE.say(), who);
    let content = html! {
        section.block #waits aria-labelledby="who-title" {
            p.says { (words::MAIL_MOVED_SAYS) }
            ul.rows {
                li {
                    p.head { a.what href={ "/people/" (item) } { bdi { (who) } } }
                    p.row-buttons {
                        button.plain type="button" data-done-with=(item) data-as="done" aria-label=(button) { (words::ANSWERED_ELSEWHERE) }
                    }
                }
            }
        }
    };
    let page = framed(app, None, words::MAIL_MOVED.say(), &content);
    (StatusCode::NOT_FOUND, page).into_response()
}

fn item(message: &str) -> OwnerResult<ItemId> {
    ItemId::parse(message).map_err(|_| WebError::NotFound)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EditBody {
    text: String,
    /// The hash of the text that the page showed.
    shown: String,
}

/// What the draft says now, by its hash.
#[derive(Serialize)]
pub(super) struct EditResponse {
    shown: String,
}

/// `POST /v1/messages/{message}/draft`
pub(super) async fn edit(
    State(app): State<Arc<AppState>>,
    Path(message): Path<String>,
    body: OwnerResult<JsonBody>,
) -> OwnerResult<Json<EditResponse>> {
    edit_draft(&app, ThingId::Item(item(&message)?), body).await
}

/// Changes the draft about a thing, if it still says what was shown.
pub(super) async fn edit_draft(
    app: &AppState,
    of: ThingId,
    body: OwnerResult<JsonBody>,
) -> OwnerResult<Json<EditResponse>> {
    let body = body.map_err(|refused| {
        if refused == WebError::TooLarge {
            WebError::Draft(DraftRefusal::TooLong)
        } else {
            refused
        }
    })?;
    let EditBody { text, shown } = body.read()?;
    if shown.len() != HASH_CHARS || !shown.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(WebError::BadBody);
    }
    // As a browser sends what was typed.
    let text = text.replace("\r\n", "\n");
    if text.len() > DRAFT_BYTES_MAX {
        return Err(WebError::Draft(DraftRefusal::TooLong));
    }
    if text.trim().is_empty() {
        return Err(WebError::Draft(DraftRefusal::Empty));
    }
    let edit = ReplyEdit { of, text, shown };
    let shown = app.backend.edit_draft(edit).await?.map_err(WebError::Draft)?;
    Ok(Json(EditResponse { shown }))
}

/// The same names with the addresses that drafts of replies by mail go to.
pub(super) async fn with_addresses(
    app: &AppState,
    names: DisplayNames,
    drafts: &[ReplyDraft],
) -> DisplayNames {
    let mut addresses = Vec::new();
    for draft in drafts.iter().take(ADDRESSES_MAX) {
        let address = app.backend.sender_address(draft.item.clone()).await;
        addresses.extend(address.map(|address| (draft.item.clone(), address)));
    }
    names.with_addresses(addresses)
}

/// Who stands there, and folded what the buttons do.
pub(super) fn says() -> Markup {
    html! {
        p.says { (words::answer_these_says()) }
        details.in-place { summary { (words::ANSWER_BUTTONS) } p.says { (words::ANSWER_BUTTONS_SAY) } }
    }
}

/// Whether Comms has read all that it may, so that nobody waits whom it does not name.
pub(super) async fn is_all_read(app: &AppState) -> Result<bool, WebError> {
    let reading = app.backend.reading().await?;
    Ok(reading.get(&AgentName::Comms).is_some_and(|read| read.left == 0))
}

/// The section on the page. `is_read`: whether Comms said who waits. `more`: how many stand on the next pages. `is_fed`: whether any message can come; else
/// another part says why none does.
pub(super) fn section(is_read: bool, (rows, more): (&[AnswerRow], usize), is_fed: bool) -> Markup {
    html! {
        section.block.answering #waits data-region aria-labelledby="waits-title" hidden[rows.is_empty() && !is_fed] {
            h2 #waits-title tabindex="-1" { (icon_of_block("waits")) (words::ANSWER_THESE) }
            @if rows.is_empty() && !is_read {
                p.says { (words::WAITING_NOT_READ) }
            } @else if rows.is_empty() {
                div.empty { (drawing(EmptyDrawing::Done)) p.says { (words::nothing_waits()) } }
            } @else {
                (says())
            }
            (list(rows))
            @if more > 0 { (way_to(waiting_page::PATH, &words::more_wait(more))) }
        }
    }
}

/// The rows of a page.
pub(super) fn list(rows: &[AnswerRow]) -> Markup {
    html! { @if !rows.is_empty() { ul.rows { @for row in rows { (row_of(row)) } } } }
}

fn row_of(row: &AnswerRow) -> Markup {
    html! {
        // Another page leads to one of them.
        li id=(row.item) {
            (who_waits(row))
            @if let Some(draft) = &row.draft { (draft_of(draft, &row.told_apart)) }
            @if row.waits { (acts_of(row)) }
            @if let Some(chat) = &row.chat { (names::form(chat, &row.told_apart)) }
        }
    }
}

/// Who it is, since when, and what about.
pub(super) fn who_waits(row: &AnswerRow) -> Markup {
    let label = (row.told_apart != row.name).then_some(row.told_apart.as_str());
    html! {
        (initial(&row.name))
        p.head {
            // Who sent what is not known any more is not known either.
            @if row.waits { a.what href={ "/people/" (row.item) } aria-label=[label] { bdi { (row.name) } } }
            @else { span.what { bdi { (row.name) } } }
            span.value { (row.since) }
        }
        @if !row.note.is_empty() { p.note dir="auto" { (row.note) } }
    }
}

/// What can be done about somebody who waits.
pub(super) fn acts_of(row: &AnswerRow) -> Markup {
    let button = |says: &str| words::on_row(says, &row.told_apart);
    html! {
        p.row-buttons {
            @if row.may_be_drafted {
                button.plain type="button" data-write-reply=(row.item) aria-label=(button(words::DRAFT_ANSWER.say())) { (words::DRAFT_ANSWER) }
            }
            @if row.is_mail {
                a.plain href={ "/mail/" (row.item) } aria-label=(button(words::OPEN_MAIL.say())) { (words::OPEN_MAIL) }
            }
            button.plain type="button" data-done-with=(row.item) data-as="done" aria-label=(button(words::ANSWERED_ELSEWHERE.say())) {
                (words::ANSWERED_ELSEWHERE)
            }
            button.plain type="button" data-put-off=(row.item) aria-label=(words::tomorrow(&row.told_apart)) {
                (words::TOMORROW)
            }
            button.plain type="button" data-done-with=(row.item) data-as="not-for-me" aria-label=(button(words::NOT_FOR_ME.say())) {
                (words::NOT_FOR_ME)
            }
        }
    }
}

fn draft_of(row: &DraftRow, who: &str) -> Markup {
    draft_form(&DraftForm {
        id: row.draft.item.as_str(),
        shown: &row.draft.shown,
        text: &row.draft.text,
        who,
        mail: row.mail.as_ref(),
        file: None,
        act: row.act.as_ref(),
    })
}

/// The form of a draft.
pub(super) struct DraftForm<'a> {
    /// What it is about.
    pub id: &'a str,
    pub shown: &'a str,
    pub text: &'a str,
    /// Whose it is, by name.
    pub who: &'a str,
    /// To whom it goes in a mail program.
    pub mail: Option<&'a MailTo>,
    /// Where it is fetched as a file for a calendar.
    pub file: Option<&'a str>,
    /// The act that drafted it, by which it is discarded.
    pub act: Option<&'a TraceId>,
}

pub(super) fn draft_form(form: &DraftForm<'_>) -> Markup {
    let link = form.mail.map(|to| MailLink::new(to, form.text));
    let too_long = link.as_ref().is_some_and(|link| link.whole.is_none());
    let button = |says: &str| words::on_row(says, form.who);
    html! {
        form.draft data-draft=(form.id) data-shown=(form.shown) {
            label {
                span { (words::YOUR_DRAFT) }
                // A first line that is empty would be eaten by the parser.
                textarea name="text" rows="4" dir="auto" autocomplete="off" aria-label=(button(words::YOUR_DRAFT.say())) { "\n" (form.text) }
            }
            p.row-buttons {
                button.plain type="submit" aria-label=(button(words::SAVE_DRAFT.say())) { (words::SAVE_DRAFT) }
                button.plain type="button" data-copy aria-label=(button(words::COPY_DRAFT.say())) { (words::COPY_DRAFT) }
                @if let Some(act) = form.act {
                    button.plain type="button" data-undo-act=(act) aria-label=(button(words::DISCARD.say())) { (words::DISCARD_IT) }
                }
                @if link.is_some() || form.file.is_some() {
                    span.ways {
                        (words::OPEN_IN)
                        @if let Some(link) = &link {
                            a.plain href=(link.whole.as_ref().unwrap_or(&link.bare)) data-mail=(link.bare) aria-label=(button(words::OPEN_IN_MAIL.say())) { (words::MAIL_PROGRAM) }
                        }
                        @if let Some(file) = form.file {
                            a.plain href=(file) download aria-label=(button(words::OPEN_IN_CALENDAR.say())) { (words::CALENDAR_PROGRAM) }
                        }
                    }
                }
            }
            @if too_long { p.note { (words::TOO_LONG_FOR_MAIL) } }
            output.note data-there {}
        }
    }
}
