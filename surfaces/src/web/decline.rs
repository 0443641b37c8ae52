//! Declining an invitation that the owner has not answered.
//!
//! What: the buttons beside it, the one way that drafts the answer, and the draft on the event's page. Why: an event that clashes is answered where it stands, not only when a card
//! offers it. Not here: the answer (`agents`), the server that gets it (`orchestrator`), taking it back (`acts_page`), its sentences (`words`).

use super::{
    acts_page::undo_of,
    answers_page::{DraftForm, EditResponse, draft_form, edit_draft},
    api::JsonBody,
    error::WebError,
    owner::{ActionResponse, OwnerResult, end},
    state::AppState,
};
use crate::{
    render::{
        acts::{ActKind, DoneAct, UndoState},
        section::answers::MailTo,
    },
    undoing::KnownActs,
};
use axum::{
    Json,
    extract::{Path, State},
    http::{HeaderMap, header::CONTENT_TYPE},
    response::{IntoResponse as _, Response},
};
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;
use surfaces_base::{
    backend::{
        OwnerCall,
        deliveries::{DeliveryProgress, DeliveryView},
    },
    words,
};
use toolcall_schema::{DeclineReason, catalogue::shared::ThingId, ids::EventId};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DeclineBody {
    reason: DeclineReason,
}

/// `POST /v1/events/{event}/decline`
pub(super) async fn decline(
    State(app): State<Arc<AppState>>,
    Path(event): Path<String>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> OwnerResult<Json<ActionResponse>> {
    let event = parsed(&event)?;
    let DeclineBody { reason } = body?.read()?;
    end(&app, OwnerCall::Decline(event, reason), &headers).await
}

/// `POST /v1/events/{event}/draft`
pub(super) async fn edit(
    State(app): State<Arc<AppState>>,
    Path(event): Path<String>,
    body: OwnerResult<JsonBody>,
) -> OwnerResult<Json<EditResponse>> {
    edit_draft(&app, ThingId::Event(parsed(&event)?), body).await
}

/// `GET /calendar/{id}/decline.ics`: the draft as a calendar program takes it.
pub(super) async fn file(
    State(app): State<Arc<AppState>>,
    Path(event): Path<String>,
) -> OwnerResult<Response> {
    let draft = app.backend.decline_draft(parsed(&event)?).await?;
    let file = draft.ok_or(WebError::NotFound)?.file;
    Ok((
        [(CONTENT_TYPE, "text/calendar; method=REPLY; charset=utf-8")],
        file,
    )
        .into_response())
}

fn parsed(event: &str) -> OwnerResult<EventId> {
    EventId::parse(event).map_err(|_| WebError::NotFound)
}

/// What stands on the event's page: the draft, with what can be done with it; else the way back to one that was discarded, and what declines it.
pub(super) async fn part(
    app: &AppState,
    (event, name): (&EventId, &str),
    is_invitation: bool,
) -> Result<Markup, WebError> {
    let draft = app.backend.decline_draft(event.clone()).await?;
    let known = KnownActs::read(app.backend.as_ref()).await?;
    let context = known.context();
    let find = |is: &dyn Fn(&ActKind) -> bool| {
        let mut acts = known.all.iter().filter(|act| is(&act.act));
        acts.find(|act| act.undo(&known.all, &context) == UndoState::Offered)
    };
    let is_draft = |act: &ActKind| matches!(act, ActKind::DraftedDecline(of) if of == event);
    let is_discard = |act: &ActKind| matches!(act, ActKind::DiscardedDecline(of) if of == event);
    let drafted = draft.as_ref().and_then(|_| find(&is_draft));
    let discarded = find(&is_discard).filter(|_| draft.is_none());
    let delivery = match drafted.and_then(|act| act.id.trace()) {
        Some(trace) => {
            let mut all = app.backend.deliveries().await.into_iter();
            all.find(|delivery| delivery.trace_id == *trace)
        }
        None => None,
    };
    let mail = MailTo {
        address: draft.as_ref().and_then(|draft| draft.address.clone()),
        subject: Some(words::decline_subject(name)),
    };
    let file = format!("/calendar/{event}/decline.ics");
    let form = draft.as_ref().map(|draft| DraftForm {
        id: event.as_str(),
        shown: &draft.shown,
        text: &draft.text,
        who: name,
        mail: Some(&mail),
        file: Some(&file),
        act: drafted.and_then(|act| act.id.trace()),
    });
    Ok(html! {
        section.block #decline data-region aria-label=(if draft.is_some() { words::YOUR_DECLINE } else { words::DECLINE }) hidden[draft.is_none() && discarded.is_none() && !is_invitation] {
            @if let Some(form) = &form {
                h2 { (words::YOUR_DECLINE) }
                @match (&delivery, drafted) {
                    // A server has it, or is to have it, as it was drafted.
                    (Some(delivery), Some(act)) if !is_failed(delivery) => (on_its_way(delivery, act, name)),
                    _ => { p.says dir="auto" { (words::decline_drafted(name)) } (draft_form(form)) },
                }
            } @else {
                @if let Some(act) = discarded {
                    p.says dir="auto" { (words::decline_discarded(name)) " " (undo_of(act, &words::decline_discarded(name))) }
                }
                @if is_invitation { (offer(event, name)) }
            }
        }
    })
}

fn is_failed(delivery: &DeliveryView) -> bool {
    matches!(delivery.progress, DeliveryProgress::Failed(_))
}

fn on_its_way(delivery: &DeliveryView, act: &DoneAct, name: &str) -> Markup {
    let says = words::you_decline(name);
    html! {
        p.says dir="auto" { (says) " " (undo_of(act, &says)) }
        p.note dir="auto" { (words::delivery_says(delivery)) }
    }
}

/// Buttons that decline it, a reason each: it is written into the answer.
pub(super) fn offer(event: &EventId, name: &str) -> Markup {
    html! {
        details.deal {
            summary aria-label=(words::on_row(words::DECLINE.say(), name)) { (words::DECLINE) }
            p.note { (words::DECLINE_SAYS) }
            p.buttons {
                @for reason in DeclineReason::ALL.iter().copied() {
                    @let why = words::decline_reason(reason);
                    button.plain type="button" data-decline=(event) data-reason=(reason)
                        aria-label=(words::on_row(why.say(), name)) { (why) }
                }
            }
        }
    }
}
