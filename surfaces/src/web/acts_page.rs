//! What the owner did, and taking it back.
//!
//! What: the page of a week's acts, the rows of the last ones on other pages, and the one way to take one back. Why: an act that cannot be taken back
//! where it is told of is not controlled by its owner. Not here: what an act is (`render::acts`), the calls (`backend`).

use super::{
    api::trace_id,
    error::WebError,
    owner::{OwnerResult, key},
    shell::page,
    state::AppState,
};
use crate::{
    backend::{DisplayNames, OwnerCallError},
    format,
    render::acts::{self, ActKind, DoneAct, UndoState, undo_request},
    words,
};
use axum::{
    Json,
    extract::{Path, State},
    http::HeaderMap,
    response::Html,
};
use chrono_tz::Tz;
use maud::{Markup, html};
use serde::Serialize;
use std::{collections::BTreeMap, sync::Arc};
use toolcall_schema::{
    Timestamp,
    ids::{ChannelHash, TraceId},
    trace::Trace,
};

/// An act is told of beside the card for so long, in milliseconds.
const JUST_MS: i64 = 15 * 60 * 1000;
/// So many are.
const JUST_MAX: usize = 3;

/// A row of an act.
struct ActRow {
    trace_id: TraceId,
    at: String,
    says: String,
    undo: UndoState,
    discards: bool,
}

/// What a page that shows acts is made with.
pub(super) struct ActsInForce<'a> {
    pub(super) mutes: &'a BTreeMap<ChannelHash, Timestamp>,
    pub(super) now: Timestamp,
    pub(super) zone: Tz,
}

impl ActsInForce<'_> {
    fn row(&self, act: &DoneAct, all: &[DoneAct], names: &DisplayNames) -> ActRow {
        ActRow {
            trace_id: act.trace_id.clone(),
            at: format::clock_on(act.at, self.now, self.zone),
            says: act.says(names, self.now, self.zone),
            undo: act.undo(all, self.mutes, self.now),
            discards: matches!(act.act, ActKind::DraftedReply(_) | ActKind::DraftedDecline(_)),
        }
    }
}

/// Whether any of these traces is of an act that is still told of.
pub(super) fn has_news(traces: &[Trace], now: Timestamp) -> bool {
    traces
        .iter()
        .any(|trace| now.since(trace.decision.ts) < JUST_MS && DoneAct::from_trace(trace).is_some())
}

/// What was done a moment ago, with Undo; nothing when that is nothing.
pub(super) async fn just_done(
    app: &AppState,
    traces: &[Trace],
    (now, zone): (Timestamp, Tz),
) -> Result<Markup, WebError> {
    if !has_news(traces, now) {
        return Ok(html! {});
    }
    let all = acts::acts(traces);
    let last: Vec<DoneAct> = all
        .iter()
        .filter(|act| now.since(act.at) < JUST_MS)
        .take(JUST_MAX)
        .cloned()
        .collect();
    let names = app.backend.names(acts::things(&last)).await;
    let mutes = app.backend.status().await?.mutes;
    let in_force = ActsInForce {
        mutes: &mutes,
        now,
        zone,
    };
    let rows: Vec<ActRow> = last.iter().map(|act| in_force.row(act, &all, &names)).collect();
    Ok(html! {
        ul.rows.acts aria-label=(words::JUST_DONE) { @for row in &rows { (act_row(row)) } }
        p.more { a href="/history" { (words::ALL_YOU_DID) } }
    })
}

fn act_row(row: &ActRow) -> Markup {
    html! {
        li {
            p.head {
                a.what href={ "/trace/" (row.trace_id) } data-drawer=(row.trace_id) { bdi { (row.says) } }
                @match row.undo {
                    UndoState::Offered => {
                        @let button = if row.discards { words::DISCARD } else { words::UNDO };
                        button.plain type="button" data-undo-act=(row.trace_id) aria-label=(words::undo_act(button, &row.says)) {
                            (button)
                        }
                    },
                    UndoState::Undone(_) | UndoState::Over | UndoState::Nothing => span.value { (row.at) },
                }
            }
            @match row.undo {
                UndoState::Offered => p.note { (row.at) },
                UndoState::Undone(_) => p.note { (words::UNDONE_ALREADY) },
                UndoState::Over | UndoState::Nothing => {},
            }
        }
    }
}

/// `GET /history`
pub(super) async fn history(State(app): State<Arc<AppState>>) -> Result<Html<String>, WebError> {
    let status = app.backend.status().await?;
    let zone = format::zone(&status.settings.zone);
    let traces = app.backend.acts().await?;
    let all = acts::acts(&traces);
    let names = app.backend.names(acts::things(&all)).await;
    let in_force = ActsInForce {
        mutes: &status.mutes,
        now: status.at,
        zone,
    };
    let rows: Vec<ActRow> = all.iter().map(|act| in_force.row(act, &all, &names)).collect();
    let body = html! {
        div.page {
            header.top {
                h1.brand { a href="/" { (words::APP_NAME) } }
                nav aria-label=(words::OTHER_VIEWS) { a href="/history/days" { (words::HISTORY) } a href="/" { (words::BACK) } }
            }
            main #live {
                section.block #acts data-region aria-labelledby="acts-title" {
                    h2 #acts-title { (words::WHAT_YOU_DID) }
                    @if rows.is_empty() { p.says { (words::NOTHING_DONE) } }
                    @else {
                        p.says { (words::WHAT_YOU_DID_SAYS) }
                        ul.rows.acts { @for row in &rows { (act_row(row)) } }
                    }
                }
            }
            p #status .status role="status" {}
            dialog #drawer aria-labelledby="drawer-title" {}
        }
    };
    Ok(page(
        words::WHAT_YOU_DID,
        Some("app"),
        Some(app.door.keys.page()),
        &body,
    ))
}

/// What came of taking an act back.
#[derive(Serialize)]
pub(super) struct UndoResponse {
    /// The trace of the call that did it; absent: it was taken back before.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace_id: Option<TraceId>,
    says: &'static str,
}

/// `POST /v1/acts/{id}/undo`
pub(super) async fn undo(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> OwnerResult<Json<UndoResponse>> {
    let trace = app
        .backend
        .trace(trace_id(&id)?)
        .await?
        .ok_or(WebError::NotFound)?;
    let act = DoneAct::from_trace(&trace).ok_or(WebError::NotFound)?;
    let request = undo_request(&act.act).ok_or(WebError::Call(OwnerCallError::NothingToUndo))?;
    let already = || UndoResponse {
        trace_id: None,
        says: words::UNDONE_ALREADY,
    };
    // The page may have been open for long: what was done since then to the same thing is another act.
    let status = app.backend.status().await?;
    let all = acts::acts(&app.backend.acts().await?);
    match act.undo(&all, &status.mutes, status.at) {
        UndoState::Offered => {}
        UndoState::Undone(_) => return Ok(Json(already())),
        UndoState::Over | UndoState::Nothing => return Err(WebError::Call(OwnerCallError::UndoTooLate)),
    }
    match app.backend.end(request, key(&headers)?).await? {
        Ok(trace_id) => Ok(Json(UndoResponse {
            trace_id: Some(trace_id),
            says: words::UNDONE_NOW,
        })),
        Err(OwnerCallError::NotMuted) => Ok(Json(already())),
        Err(problem) => Err(WebError::Call(problem)),
    }
}

/// What a decision came to, where it was an act of the owner's.
pub(super) async fn outcome(app: &AppState, trace: &Trace) -> Result<Option<String>, WebError> {
    let Some(act) = DoneAct::from_trace(trace).filter(|act| act.thing().is_some()) else {
        return Ok(None);
    };
    let names = app.backend.names(act.thing().into_iter().collect()).await;
    let now = app.backend.now().await?;
    Ok(Some(act.says(&names, now.at, format::zone(&now.zone))))
}
