//! Taking an act back, and what that came to.
//!
//! What: the one route, and the sentence that says of what thing. Why: "Undone." does not say what. Not here: whether and how an act is taken back
//! (`undoing`), the rows that offer it (`acts_page`).

use super::{
    acts_page::named_acts,
    error::WebError,
    owner::{OwnerResult, key},
    state::AppState,
};
use crate::{
    render::{acts::ActId, undo::reversal_of},
    undoing::{KnownActs, TakingBack, take_back},
};
use axum::{
    Json,
    extract::{Path, State},
    http::HeaderMap,
};
use serde::Serialize;
use std::sync::Arc;
use surfaces_base::words;
use toolcall_schema::ids::TraceId;

/// What came of taking an act back.
#[derive(Serialize)]
pub(super) struct UndoResponse {
    /// The trace of the call that did it; absent: it was taken back before, or needed no call.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace_id: Option<TraceId>,
    /// Without a name, for a notification.
    says: &'static str,
    /// What is so again, or was undone already, with its name; absent: it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    named: Option<String>,
}

/// What taking an act back came to, in a sentence that names the thing. `by`: the trace of the call that did it; absent: it needed none.
async fn undone_says(app: &AppState, id: &ActId, by: Option<&TraceId>) -> Result<Option<String>, WebError> {
    let known = KnownActs::read(app.backend.as_ref()).await?;
    let of = by.map_or_else(|| id.clone(), |trace| ActId::Trace(trace.clone()));
    let Some(act) = known.find(app.backend.as_ref(), &of).await? else {
        return Ok(None);
    };
    let act = if by.is_some() { act } else { reversal_of(act) };
    let names = named_acts(app, [&act]).await?;
    let context = known.context();
    Ok(Some(act.says(&names, false, context.now, context.zone)))
}

/// That an act was undone before, with what it did.
async fn undone_before(app: &AppState, id: &ActId) -> Result<Option<String>, WebError> {
    let known = KnownActs::read(app.backend.as_ref()).await?;
    let Some(act) = known.find(app.backend.as_ref(), id).await? else {
        return Ok(None);
    };
    let names = named_acts(app, [&act]).await?;
    let context = known.context();
    let says = act.says(&names, true, context.now, context.zone);
    Ok(Some(format!("{} {says}", words::UNDONE_ALREADY)))
}

/// `POST /v1/acts/{id}/undo`
pub(super) async fn undo(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> OwnerResult<Json<UndoResponse>> {
    let id = ActId::parse(&id).ok_or(WebError::NotFound)?;
    let mut key = key(&headers)?;
    let end = |call| app.backend.end(call, key.take());
    match take_back(app.backend.as_ref(), &id, end).await? {
        TakingBack::Done(trace_id) => Ok(Json(UndoResponse {
            says: words::UNDONE_NOW.say(),
            named: undone_says(&app, &id, trace_id.as_ref()).await?,
            trace_id,
        })),
        TakingBack::Already => Ok(Json(UndoResponse {
            trace_id: None,
            says: words::UNDONE_ALREADY.say(),
            named: undone_before(&app, &id).await?,
        })),
        TakingBack::NoSuchAct => Err(WebError::NotFound),
        TakingBack::Failed(why) => Err(WebError::Call(why)),
    }
}
