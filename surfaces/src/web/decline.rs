//! Declining an invitation that the owner has not answered.
//!
//! What: the buttons beside it, and the one way that drafts the answer. Why: an event that clashes is answered where it stands, not only when a card
//! offers it. Not here: the answer (`agents`), the server that gets it (`orchestrator`), taking it back (`acts_page`), its sentences (`words`).

use super::{
    api::JsonBody,
    error::WebError,
    owner::{ActionResponse, OwnerResult, end},
    state::AppState,
};
use crate::{backend::OwnerCall, words};
use axum::{
    Json,
    extract::{Path, State},
    http::HeaderMap,
};
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;
use toolcall_schema::{DeclineReason, ids::EventId};

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
    let event = EventId::parse(&event).map_err(|_| WebError::NotFound)?;
    let DeclineBody { reason } = body?.read()?;
    end(&app, OwnerCall::Decline(event, reason), &headers).await
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
