//! The API of other people's programs: propose, look up, take back, read.
//!
//! What: one short handler for each route of scope `ask`. Why: REST is a translator over [`AskBackend`](surfaces_base::backend::asks::AskBackend) as
//! every other protocol is. Not here: whether a device may (the backend, by its grant), a card's answer, which no program gives (`api`).

use super::{api::JsonBody, error::WebError, owner::OwnerResult, state::AppState, visitor};
use axum::{
    Json,
    extract::{Path, Query, State, rejection::QueryRejection},
    http::StatusCode,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{sync::Arc, time::Duration};
use surfaces_base::{
    backend::asks::{
        AskDoor, AskProposal, AskRefusal, AskView, AskWait, AskableThing, AskableTool, ProgramClient,
    },
    devices::DeviceId,
};
use toolcall_schema::{AskState, ToolName, ids::RequestId};

/// The device that asks. The guard lets nobody else come here.
fn device() -> OwnerResult<DeviceId> {
    let visitor = visitor::visitor().ok_or(WebError::SignedOut)?;
    Ok(visitor.device)
}

fn over_http(device: DeviceId) -> ProgramClient {
    ProgramClient {
        device,
        door: AskDoor::Api,
    }
}

fn ask_id(text: &str) -> OwnerResult<RequestId> {
    RequestId::parse(text).map_err(|_| WebError::Ask(AskRefusal::NoSuchAsk))
}

#[derive(Serialize)]
pub(super) struct AskableTools {
    tools: Vec<AskableTool>,
}

/// `GET /v1/askable`: what this device may ask for and read.
pub(super) async fn askable(State(app): State<Arc<AppState>>) -> OwnerResult<Json<AskableTools>> {
    let tools = app.backend.tools_for(device()?).await?;
    Ok(Json(AskableTools { tools }))
}

#[derive(Serialize)]
pub(super) struct AskableChats {
    chats: Vec<AskableThing>,
}

/// `GET /v1/askable/chats`: the chats that this device may name.
pub(super) async fn chats(State(app): State<Arc<AppState>>) -> OwnerResult<Json<AskableChats>> {
    let chats = app.backend.askable_things(device()?).await??;
    Ok(Json(AskableChats { chats }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AskBody {
    tool: String,
    args: Value,
    key: String,
    #[serde(default)]
    wait_min: Option<u16>,
}

/// `POST /v1/asks`: 202 while it waits for the owner, 200 where it is over.
pub(super) async fn ask(
    State(app): State<Arc<AppState>>,
    body: OwnerResult<JsonBody>,
) -> OwnerResult<(StatusCode, Json<AskView>)> {
    let device = device()?;
    let AskBody {
        tool,
        args,
        key,
        wait_min,
    } = body?.read()?;
    let tool = ToolName::parse(&tool).ok_or(AskRefusal::NotAllowed)?;
    let client = over_http(device);
    let proposal = AskProposal {
        tool,
        args,
        key,
        wait_min,
    };
    let view = app.backend.ask(client, proposal).await??;
    let status = if view.report.state.is_over() {
        StatusCode::OK
    } else {
        StatusCode::ACCEPTED
    };
    Ok((status, Json(view)))
}

/// The parameters of `GET /v1/asks/{id}`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StateParams {
    /// Seconds, 0 to 25; more counts as 25.
    #[serde(default)]
    wait: u64,
    #[serde(default)]
    seen: Option<AskState>,
}

/// `GET /v1/asks/{id}?wait=&seen=`
pub(super) async fn state(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
    params: Result<Query<StateParams>, QueryRejection>,
) -> OwnerResult<Json<AskView>> {
    let Query(StateParams { wait, seen }) = params.map_err(|_| WebError::BadBody)?;
    let wait = AskWait {
        up_to: Duration::from_secs(wait),
        seen,
    };
    let view = app.backend.ask_state(device()?, ask_id(&id)?, wait).await??;
    Ok(Json(view))
}

/// `POST /v1/asks/{id}/cancel`
pub(super) async fn cancel(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
) -> OwnerResult<Json<AskView>> {
    let client = over_http(device()?);
    let view = app.backend.cancel_ask(client, ask_id(&id)?).await??;
    Ok(Json(view))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadBody {
    tool: String,
    args: Value,
}

#[derive(Serialize)]
pub(super) struct ReadAnswer {
    result: Value,
}

/// `POST /v1/reads`
pub(super) async fn read(
    State(app): State<Arc<AppState>>,
    body: OwnerResult<JsonBody>,
) -> OwnerResult<Json<ReadAnswer>> {
    let device = device()?;
    let ReadBody { tool, args } = body?.read()?;
    let tool = ToolName::parse(&tool).ok_or(AskRefusal::NotAllowed)?;
    let result = app.backend.read(device, tool, args).await??;
    Ok(Json(ReadAnswer { result }))
}

impl From<AskRefusal> for WebError {
    fn from(refusal: AskRefusal) -> Self {
        WebError::Ask(refusal)
    }
}
