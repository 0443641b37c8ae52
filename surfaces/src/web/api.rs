//! The API: answers, signals, a tick, and JSON reads.
//!
//! What: one short handler each. Why: programs and the page's script use the same door. Not here: whether they may
//! (`guard`), what comes of it (the backend).

use super::{
    App,
    error::{BAD_SIGNAL, Refusal},
};
use crate::backend::{
    Act, AnswerReply, NowView, RefusedSignal, SIGNALS_MAX, SignalReply, Submission, TRACES_MAX,
};
use axum::{
    Json,
    body::Bytes,
    extract::{
        Path, Query, State,
        rejection::{BytesRejection, QueryRejection},
    },
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use toolcall_schema::{
    Surface, Timestamp,
    ids::{CardId, SignalId, TraceId},
    signal::{Signal, SignalKind},
    trace::{LedgerView, Trace},
};

type Reply<T> = Result<T, Refusal>;

/// A body within the limit, as JSON.
fn json<T: for<'de> Deserialize<'de>>(body: Result<Bytes, BytesRejection>) -> Reply<T> {
    let bytes = body.map_err(|rejection| {
        if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
            Refusal::TooLarge
        } else {
            Refusal::BadBody
        }
    })?;
    // serde's message would quote the value: the fixed sentence does not.
    serde_json::from_slice(&bytes).map_err(|_| Refusal::BadBody)
}

/// A trace id in a path; anything else is not there.
pub(super) fn trace_id(text: &str) -> Reply<TraceId> {
    TraceId::parse(text).map_err(|_| Refusal::NotFound)
}

/// `GET /v1/now`
pub(super) async fn now(State(app): State<Arc<App>>) -> Reply<Json<NowView>> {
    Ok(Json(app.backend.now().await?))
}

/// `GET /v1/ledger`
pub(super) async fn ledger(State(app): State<Arc<App>>) -> Reply<Json<LedgerView>> {
    Ok(Json(app.backend.now().await?.ledger))
}

/// The parameters of `GET /v1/traces`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Limit {
    limit: Option<usize>,
}

/// `GET /v1/traces?limit=`
pub(super) async fn traces(
    State(app): State<Arc<App>>,
    limit: Result<Query<Limit>, QueryRejection>,
) -> Reply<Json<Vec<Trace>>> {
    let Query(Limit { limit }) = limit.map_err(|_| Refusal::BadBody)?;
    let limit = limit.unwrap_or(50).clamp(1, TRACES_MAX);
    Ok(Json(app.backend.traces(limit).await?))
}

/// `GET /v1/traces/{id}`
pub(super) async fn trace(State(app): State<Arc<App>>, Path(id): Path<String>) -> Reply<Json<Trace>> {
    let found = app.backend.trace(trace_id(&id)?).await?;
    found.map(Json).ok_or(Refusal::NotFound)
}

/// `POST /v1/tick`
pub(super) async fn tick(State(app): State<Arc<App>>) -> Reply<StatusCode> {
    app.backend.tick().await?;
    Ok(StatusCode::ACCEPTED)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerBody {
    act: Act,
    surface: Surface,
    #[serde(default)]
    capability: Option<String>,
}

/// `POST /v1/cards/{card_id}/answer`
pub(super) async fn answer(
    State(app): State<Arc<App>>,
    Path(card): Path<String>,
    body: Result<Bytes, BytesRejection>,
) -> Reply<Response> {
    let card_id = CardId::parse(&card).map_err(|_| Refusal::NotFound)?;
    let AnswerBody {
        act,
        surface,
        capability,
    } = json(body)?;
    if !matches!(surface, Surface::Watch | Surface::PhoneCard) {
        return Err(Refusal::BadBody);
    }
    let submission = Submission {
        card_id,
        act,
        surface,
        capability,
    };
    let reply = app.backend.answer(submission).await?;
    let status = match reply {
        AnswerReply::Accepted { .. } => StatusCode::OK,
        AnswerReply::Refused { .. } => StatusCode::CONFLICT,
    };
    Ok((status, Json(reply)).into_response())
}

/// `POST /v1/signals`
pub(super) async fn signals(
    State(app): State<Arc<App>>,
    body: Result<Bytes, BytesRejection>,
) -> Reply<(StatusCode, Json<SignalReply>)> {
    let values = match json::<Value>(body)? {
        Value::Array(values) => values,
        one @ Value::Object(_) => vec![one],
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return Err(Refusal::BadBody),
    };
    if values.len() > SIGNALS_MAX {
        return Err(Refusal::TooLarge);
    }
    let (mut places, mut good, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    for (index, value) in values.into_iter().enumerate() {
        match signal(value) {
            Ok(signal) => {
                places.push(index);
                good.push(signal);
            }
            Err(message) => refused.push(RefusedSignal {
                index,
                code: BAD_SIGNAL.to_owned(),
                message,
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
    reply.refused.append(&mut refused);
    reply.refused.sort_by_key(|item| item.index);
    Ok((StatusCode::ACCEPTED, Json(reply)))
}

/// One signal, checked field by field, so that a refusal can name the field without quoting it.
fn signal(value: Value) -> Result<Signal, String> {
    let fields = "a signal has exactly id, at, source, kind and payload";
    let Value::Object(mut map) = value else {
        return Err(fields.to_owned());
    };
    if map.len() != 5 {
        return Err(fields.to_owned());
    }
    let mut take = |name: &str| map.remove(name).ok_or_else(|| fields.to_owned());
    let text = |value: Value| value.as_str().map(str::to_owned).unwrap_or_default();
    let id = SignalId::parse(&text(take("id")?)).map_err(|error| format!("id: {error}"))?;
    let at = Timestamp::parse(&text(take("at")?)).map_err(|_| "at: not an RFC 3339 date-time".to_owned())?;
    let source = text(take("source")?);
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-');
    if !(1..=40).contains(&source.len()) || !source.bytes().all(plain) {
        return Err("source: 1 to 40 of a-z, 0-9, _ and -".to_owned());
    }
    let Some(kind) = SignalKind::parse(&text(take("kind")?)) else {
        let known: Vec<&str> = SignalKind::ALL.iter().map(|kind| kind.as_str()).collect();
        return Err(format!("kind: one of {}", known.join(", ")));
    };
    let signal = Signal {
        id,
        at,
        source,
        kind,
        payload: take("payload")?,
    };
    match signal.payload() {
        Ok(_) => Ok(signal),
        Err(_) => Err(format!(
            "payload: not the fields of a {kind}, see docs/surfaces.md"
        )),
    }
}

#[derive(Serialize)]
struct Health {
    status: &'static str,
    version: &'static str,
}

/// `GET /healthz`: whether the service answers; says nothing about the owner.
pub(super) async fn healthz(State(app): State<Arc<App>>) -> Reply<Response> {
    let version = env!("CARGO_PKG_VERSION");
    Ok(match app.backend.now().await {
        Ok(now) if now.health.contains(&crate::backend::HealthFlag::JournalDown) => (
            StatusCode::SERVICE_UNAVAILABLE,
            Json(Health {
                status: "journal_down",
                version,
            }),
        )
            .into_response(),
        Ok(_) => Json(Health {
            status: "ok",
            version,
        })
        .into_response(),
        Err(error) => return Err(error.into()),
    })
}
