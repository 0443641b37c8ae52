//! The API: answers, signals, a tick, and JSON reads.
//!
//! What: one short handler each. Why: programs and the page's script use the same door. Not here: whether they may
//! (`guard`), what comes of it (the backend).

use super::{error::WebError, state::AppState};
use axum::{
    Json,
    body::Bytes,
    extract::{FromRequest, Path, Query, Request, State, rejection::QueryRejection},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::sync::Arc;
use surfaces_base::{
    backend::{
        AnswerReply, AnswerSubmission, HealthFlag, NowView, RejectedSignal, SIGNALS_MAX, SignalReply,
        TRACES_MAX,
    },
    format, words,
};
use toolcall_schema::{
    SubmitAct, Surface,
    gate::admit_signal,
    ids::{CardId, TraceId},
    trace::{LedgerView, Trace},
};

type ApiResult<T> = Result<T, WebError>;

/// A body that says it is JSON, within the limit.
pub(super) struct JsonBody(Bytes);

impl<S: Send + Sync> FromRequest<S> for JsonBody {
    type Rejection = WebError;

    async fn from_request(request: Request, state: &S) -> ApiResult<Self> {
        if !is_json(request.headers()) {
            return Err(WebError::NotJson);
        }
        let body = Bytes::from_request(request, state).await;
        body.map(JsonBody).map_err(|rejection| {
            if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
                WebError::TooLarge
            } else {
                WebError::BadBody
            }
        })
    }
}

/// Another site's form cannot send this type without asking first.
fn is_json(headers: &HeaderMap) -> bool {
    let mut types = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(one), None) = (types.next(), types.next()) else {
        return false;
    };
    let kind = one.to_str().ok().and_then(|text| text.split(';').next());
    kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

impl JsonBody {
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0.into()
    }

    /// JSON of a known form. serde's message would quote the value: the fixed sentence of the refusal does not.
    pub(super) fn read<'a, T: Deserialize<'a>>(&'a self) -> ApiResult<T> {
        serde_json::from_slice(&self.0).map_err(|_| WebError::BadBody)
    }
}

/// A trace id in a path; anything else is not there.
pub(super) fn trace_id(text: &str) -> ApiResult<TraceId> {
    TraceId::parse(text).map_err(|_| WebError::NotFound)
}

/// `GET /v1/now`
pub(super) async fn now(State(app): State<Arc<AppState>>) -> ApiResult<Json<NowView>> {
    Ok(Json(app.backend.now().await?))
}

/// `GET /v1/ledger`
pub(super) async fn ledger(State(app): State<Arc<AppState>>) -> ApiResult<Json<LedgerView>> {
    Ok(Json(app.backend.now().await?.ledger))
}

/// The parameters of `GET /v1/traces`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TraceLimit {
    limit: Option<usize>,
}

/// `GET /v1/traces?limit=`
pub(super) async fn traces(
    State(app): State<Arc<AppState>>,
    limit: Result<Query<TraceLimit>, QueryRejection>,
) -> ApiResult<Json<Vec<Trace>>> {
    let Query(TraceLimit { limit }) = limit.map_err(|_| WebError::BadBody)?;
    let limit = limit.unwrap_or(50).clamp(1, TRACES_MAX);
    Ok(Json(app.backend.traces(limit).await?))
}

/// `GET /v1/traces/{id}`
pub(super) async fn trace(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
) -> ApiResult<Json<Trace>> {
    let found = app.backend.trace(trace_id(&id)?).await?;
    found.map(Json).ok_or(WebError::NotFound)
}

/// `POST /v1/tick`
pub(super) async fn tick(State(app): State<Arc<AppState>>) -> ApiResult<StatusCode> {
    app.backend.tick().await?;
    Ok(StatusCode::ACCEPTED)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CardAnswerBody {
    act: SubmitAct,
    surface: Surface,
    #[serde(default)]
    capability: Option<String>,
}

/// What an answer is answered.
#[derive(Serialize)]
struct AnswerResponse {
    #[serde(flatten)]
    reply: AnswerReply,
    /// When a card comes back that was put off, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    says: Option<String>,
}

/// `POST /v1/cards/{card_id}/answer`
pub(super) async fn answer(
    State(app): State<Arc<AppState>>,
    Path(card): Path<String>,
    body: ApiResult<JsonBody>,
) -> ApiResult<Response> {
    let card_id = CardId::parse(&card).map_err(|_| WebError::NotFound)?;
    let CardAnswerBody {
        act,
        surface,
        capability,
    } = body?.read()?;
    // A question that was pushed is answered on the page that the notification opens.
    if !matches!(surface, Surface::Watch | Surface::PhoneCard | Surface::Push) {
        return Err(WebError::BadBody);
    }
    let submission = AnswerSubmission {
        card_id,
        act,
        surface,
        capability,
    };
    let put_away = act == SubmitAct::Dismiss || act.is_later();
    let dismissed = put_away.then(|| submission.card_id.clone());
    let reply = app.backend.answer(submission).await?;
    if let (Some(card_id), AnswerReply::Accepted { .. }) = (dismissed, &reply) {
        app.dismissals.note(card_id);
    }
    let status = match reply {
        AnswerReply::Accepted { .. } => StatusCode::OK,
        AnswerReply::Refused { .. } => StatusCode::CONFLICT,
    };
    let says = match &reply {
        AnswerReply::Accepted {
            again_at: Some(at), ..
        } => {
            // The answer counts, whether or not its hour can be said now.
            let now = app.backend.now().await.ok();
            now.map(|now| words::asks_again(&format::on_day(*at, now.at, format::zone(&now.zone))))
        }
        AnswerReply::Accepted { again_at: None, .. } | AnswerReply::Refused { .. } => None,
    };
    Ok((status, Json(AnswerResponse { reply, says })).into_response())
}

/// Why something that was sent is to be sent again.
#[derive(Serialize)]
pub(super) struct UnsettledCode {
    code: &'static str,
    message: &'static str,
}

impl UnsettledCode {
    pub(super) fn new(is_full: bool) -> (StatusCode, Self) {
        if is_full {
            let message = "more signals wait than can be held: send those of `again` again in a second";
            let code = "SIGNAL-004";
            (StatusCode::TOO_MANY_REQUESTS, Self { code, message })
        } else {
            let message = "not all signals were read in time: send those of `again` again in a second";
            let code = "SIGNAL-003";
            (StatusCode::SERVICE_UNAVAILABLE, Self { code, message })
        }
    }
}

/// The answer to posted signals that are not all settled: as the others, with the reason.
#[derive(Serialize)]
struct UnsettledSignals {
    #[serde(flatten)]
    reply: SignalReply,
    #[serde(flatten)]
    why: UnsettledCode,
}

/// `POST /v1/signals`
pub(super) async fn signals(
    State(app): State<Arc<AppState>>,
    body: ApiResult<JsonBody>,
) -> ApiResult<Response> {
    let body = body?;
    let items: Vec<&RawValue> = match body.0.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'[') => body.read()?,
        Some(b'{') => vec![body.read()?],
        Some(_) | None => return Err(WebError::BadBody),
    };
    if items.len() > SIGNALS_MAX {
        return Err(WebError::TooLarge);
    }
    let (mut places, mut good, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    for (index, item) in items.into_iter().enumerate() {
        match admit_signal(item.get().as_bytes()) {
            Ok(signal) => {
                places.push(index);
                good.push(signal);
            }
            Err(error) => refused.push(RejectedSignal {
                index,
                code: error.code.to_string(),
                message: format!("{:?} ({}): {}", error.pointer, error.broken_rule(), error.message),
            }),
        }
    }
    let mut reply = if good.is_empty() {
        SignalReply::default()
    } else {
        app.backend.signals(good).await?
    };
    // The backend counts in the list it was given; the caller counts in the one it sent.
    for item in &mut reply.refused {
        item.index = places.get(item.index).copied().unwrap_or(item.index);
    }
    for index in &mut reply.again {
        *index = places.get(*index).copied().unwrap_or(*index);
    }
    reply.refused.append(&mut refused);
    reply.refused.sort_by_key(|item| item.index);
    if reply.again.is_empty() {
        return Ok((StatusCode::ACCEPTED, Json(reply)).into_response());
    }
    let (status, why) = UnsettledCode::new(reply.full);
    let body = Json(UnsettledSignals { reply, why });
    Ok((status, [(header::RETRY_AFTER, "1")], body).into_response())
}

/// What a probe is told.
#[derive(Serialize)]
pub(super) struct ProbeResponse {
    status: &'static str,
    version: &'static str,
}

impl ProbeResponse {
    pub(super) fn new(status: &'static str) -> Self {
        let version = env!("CARGO_PKG_VERSION");
        Self { status, version }
    }
}

/// `GET /healthz`: whether the service answers; says nothing about the owner.
pub(super) async fn healthz(State(app): State<Arc<AppState>>) -> ApiResult<Response> {
    Ok(match app.backend.health().await {
        Ok(flags) if flags.contains(&HealthFlag::JournalDown) => (
            StatusCode::SERVICE_UNAVAILABLE,
            Json(ProbeResponse::new("journal_down")),
        )
            .into_response(),
        Ok(_) => Json(ProbeResponse::new("ok")).into_response(),
        Err(error) => return Err(error.into()),
    })
}

/// `GET /readyz`: whether it can do its work now: all agents answer, and the journal can be written.
pub(super) async fn readyz(State(app): State<Arc<AppState>>) -> ApiResult<Response> {
    let flags = app.backend.health().await?;
    let waits = flags.iter().any(|flag| match flag {
        HealthFlag::Starting | HealthFlag::AgentDown(_) | HealthFlag::JournalDown => true,
        HealthFlag::NoSandbox
        | HealthFlag::PartSandbox
        | HealthFlag::QuarantineDown
        | HealthFlag::SpeechFailing
        | HealthFlag::PushFailing
        | HealthFlag::WebPushFailing => false,
    });
    let (code, status) = if waits {
        (StatusCode::SERVICE_UNAVAILABLE, "not_ready")
    } else {
        (StatusCode::OK, "ready")
    };
    Ok((code, Json(ProbeResponse::new(status))).into_response())
}

/// `GET /metrics`, for a monitoring system with the token.
pub(super) async fn metrics(State(app): State<Arc<AppState>>) -> ApiResult<Response> {
    let text = app.backend.metrics().await?;
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
}
