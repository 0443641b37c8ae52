//! Calling a tool.
//!
//! What: a read, which is answered at once; a proposal, which is answered when the owner has decided, or with the way to find out; looking up
//! and taking back. Why: clients differ in how they wait, and none of them may answer for the owner. What a client says about a question
//! to the owner can only take the proposal back. Not here: what may be asked and what comes of it ([`surfaces_base::backend::asks::AskBackend`]).
//!
//! | The client can | A proposal is answered with |
//! |---|---|
//! | tasks (2026-07-28) | a task at once; its state is the ask's |
//! | open an address for its user (2026-07-28) | the address of the owner's page; the repeated call is held 20 s at a time, eight times |
//! | neither, or 2025-11-25 | the end, where the owner decides within 20 s; else the state, and where to look it up |

use super::{
    DoorState,
    catalogue::{self, ASK_STATE, ASKABLE_THINGS, WAIT_SECONDS_MAX},
    resources::away,
    round_trip::{CallRound, ROUNDS_MAX, TaskKey},
};
use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CreateTaskResult,
        DetailedTask, ElicitRequest, ElicitRequestParams, ErrorCode, GetTaskResult, InputRequest,
        InputRequests, InputRequiredResult, InputResponses, JsonObject, ProgressNotificationParam,
        ProtocolVersion, Task, TaskPayload, TaskStatus,
    },
    service::RequestContext,
};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use surfaces::web::ConnectedProgram;
use surfaces_base::{
    backend::{
        BackendError,
        asks::{AskDoor, AskKind, AskProposal, AskRefusal, AskView, AskWait, AskableTool, ProgramClient},
    },
    devices::DeviceId,
};
use toolcall_schema::{AskState, ToolName, canonical, ids::RequestId};

/// How long a proposal's answer is held back: clients give up after 30 to 60 s.
const HELD: Duration = Duration::from_secs(20);
/// How often a client may look a task up.
const TASK_POLL_MS: u64 = 2000;
/// Under which name the owner's page is given, and what the client's user did with it is told.
const OWNER: &str = "owner";
/// A program's own name for a call, in its `_meta`.
const OWN_KEY: &str = "local.aura/idempotencyKey";

/// How a client learns what the owner said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConfirmWay {
    Task,
    OwnerPage,
    LookUp,
}

/// One request of one program.
pub(super) struct Caller<'a> {
    pub(super) door: &'a DoorState,
    pub(super) program: &'a ConnectedProgram,
    pub(super) context: &'a RequestContext<RoleServer>,
}

impl Caller<'_> {
    fn device(&self) -> DeviceId {
        self.program.device.clone()
    }

    fn client(&self) -> ProgramClient {
        ProgramClient {
            device: self.device(),
            door: AskDoor::Mcp,
        }
    }

    /// Whether it speaks the version without sessions, in which who closes the connection takes the call back.
    fn is_modern(&self) -> bool {
        let version = self.context.protocol_version();
        version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
    }

    fn shows_addresses(&self) -> bool {
        let abilities = self.context.client_capabilities();
        self.is_modern()
            && abilities
                .and_then(|all| all.elicitation)
                .is_some_and(|ways| ways.url.is_some())
    }

    fn way(&self) -> ConfirmWay {
        let abilities = self.context.client_capabilities();
        if self.is_modern() && abilities.is_some_and(|all| all.supports_tasks()) {
            ConfirmWay::Task
        } else if self.shows_addresses() {
            ConfirmWay::OwnerPage
        } else {
            ConfirmWay::LookUp
        }
    }

    /// `tools/call`
    ///
    /// # Errors
    /// A tool that is not there for this device, or a `requestState` that is not this call's.
    pub(super) async fn call(&self, request: CallToolRequestParams) -> Result<CallToolResponse, ErrorData> {
        let tools = self.door.asks.tools_for(self.device()).await;
        let tools = tools.map_err(away)?;
        let name = request.name.as_ref();
        let has_any = !tools.is_empty();
        if let Some(tool) = tools.iter().find(|tool| catalogue::wire_name(tool.tool) == name) {
            return match tool.kind {
                AskKind::Read => self.read(tool, request.arguments).await,
                AskKind::Propose => self.propose(tool, request).await,
            };
        }
        match name {
            ASKABLE_THINGS if has_any => {
                let things = self.door.asks.askable_things(self.device()).await;
                let things = things.map_err(away)?;
                Ok(tool_answer(things.map(|things| json!({ "things": things }))))
            }
            ASK_STATE if has_any => self.look_up(request.arguments).await,
            _ => Err(ErrorData::invalid_params("this program has no such tool", None)),
        }
    }

    async fn read(
        &self,
        tool: &AskableTool,
        arguments: Option<JsonObject>,
    ) -> Result<CallToolResponse, ErrorData> {
        let args = with_fixed(arguments, &tool.fixed);
        let read = self.door.asks.read(self.device(), tool.tool, args).await;
        Ok(tool_answer(read.map_err(away)?))
    }

    /// `aura_ask_state`
    async fn look_up(&self, arguments: Option<JsonObject>) -> Result<CallToolResponse, ErrorData> {
        let arguments = arguments.unwrap_or_default();
        let ask = arguments.get("ask").and_then(Value::as_str);
        let wait = arguments.get("wait_seconds").map_or(Some(0), Value::as_u64);
        let known = arguments
            .keys()
            .all(|key| matches!(key.as_str(), "ask" | "wait_seconds"));
        let (Some(Ok(ask)), Some(wait @ 0..=WAIT_SECONDS_MAX), true) =
            (ask.map(RequestId::parse), wait, known)
        else {
            return Ok(refusal_answer(AskRefusal::Arguments));
        };
        let seen = self
            .door
            .asks
            .ask_state(self.device(), ask, AskWait::default())
            .await;
        let view = match seen.map_err(away)? {
            Ok(view) => view,
            Err(refusal) => return Ok(refusal_answer(refusal)),
        };
        let view = if wait > 0 {
            self.wait_for_end(view, Duration::from_secs(wait), false).await?
        } else {
            view
        };
        Ok(CallToolResponse::Complete(self.told_view(&view)))
    }

    async fn propose(
        &self,
        tool: &AskableTool,
        request: CallToolRequestParams,
    ) -> Result<CallToolResponse, ErrorData> {
        let args = with_fixed(request.arguments, &tool.fixed);
        let about = subject_of(tool.tool, &args);
        if let Some(state) = request.request_state {
            let round = self.door.trips.open_call(&state, &self.program.device, &about);
            let round = round.ok_or_else(|| {
                ErrorData::invalid_params("this requestState is not of this call, or it is too old", None)
            })?;
            let responses = request.input_responses.unwrap_or_default();
            return self.answer_round(round, &about, &responses).await;
        }
        let key = match self.context.meta.get(OWN_KEY) {
            None | Some(Value::Null) => self.door.keys.key_of(&self.program.device, &about),
            Some(Value::String(own)) => own.clone(),
            Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                return Err(ErrorData::invalid_params(format!("{OWN_KEY} is a text"), None));
            }
        };
        let proposal = AskProposal {
            tool: tool.tool,
            args,
            key,
            wait_min: None,
        };
        let asked = self.door.asks.ask(self.client(), proposal).await;
        let view = match asked.map_err(away)? {
            Ok(view) => view,
            Err(refusal) => {
                self.door.keys.forget(&self.program.device, &about);
                return Ok(refusal_answer(refusal));
            }
        };
        if view.report.state.is_over() {
            return Ok(self.ended(&view, &about));
        }
        match self.way() {
            ConfirmWay::Task => self.task_for(&view).await,
            ConfirmWay::OwnerPage => {
                let round = CallRound {
                    ask: view.ask,
                    round: 0,
                };
                let state = self.sealed(&round, &about)?;
                Ok(InputRequiredResult::new(Some(self.owners_page()), Some(state)).into())
            }
            ConfirmWay::LookUp => {
                let view = self.wait_for_end(view, HELD, true).await?;
                Ok(self.ended(&view, &about))
            }
        }
    }

    /// A call that is repeated with its `requestState`.
    async fn answer_round(
        &self,
        round: CallRound,
        about: &str,
        responses: &InputResponses,
    ) -> Result<CallToolResponse, ErrorData> {
        let view = if was_declined(responses) {
            self.take_back(round.ask.clone()).await?
        } else {
            let seen = self
                .door
                .asks
                .ask_state(self.device(), round.ask.clone(), AskWait::default())
                .await;
            match seen.map_err(away)? {
                Ok(view) => self.wait_for_end(view, HELD, true).await?,
                Err(refusal) => return Ok(refusal_answer(refusal)),
            }
        };
        if view.report.state.is_over() || round.round + 1 >= ROUNDS_MAX {
            return Ok(self.ended(&view, about));
        }
        let next = CallRound {
            ask: round.ask,
            round: round.round + 1,
        };
        // The address was given once: a client that opens it would open it every 20 s.
        Ok(InputRequiredResult::from_request_state(self.sealed(&next, about)?).into())
    }

    fn sealed(&self, round: &CallRound, about: &str) -> Result<String, ErrorData> {
        let state = self.door.trips.seal_call(round, &self.program.device, about);
        state.ok_or_else(|| ErrorData::internal_error("the call's state could not be written", None))
    }

    fn owners_page(&self) -> InputRequests {
        let params = ElicitRequestParams::UrlElicitationParams {
            meta: None,
            message: "Aura asks the owner on her own page. Only there can this be confirmed; opening the page confirms nothing.".to_owned(),
            url: self.program.page.clone(),
            elicitation_id: String::new(),
        };
        InputRequests::from([(
            OWNER.to_owned(),
            InputRequest::Elicitation(ElicitRequest::new(params)),
        )])
    }

    /// Waits until an ask is over, so long at most; tells a client that wants to know how far it is. `takes_back`: a client that closes
    /// meanwhile takes the ask back with it.
    async fn wait_for_end(
        &self,
        mut view: AskView,
        up_to: Duration,
        takes_back: bool,
    ) -> Result<AskView, ErrorData> {
        let request = self.context.id.clone().into_json_value();
        let Some(held) = self.door.held.begin(&self.program.device, request) else {
            return Ok(view);
        };
        let until = Instant::now() + up_to;
        while !view.report.state.is_over() {
            self.tell_progress(view.report.state).await;
            let wait = AskWait {
                up_to: until.saturating_duration_since(Instant::now()),
                seen: Some(view.report.state),
            };
            if wait.up_to.is_zero() {
                break;
            }
            let next = self.door.asks.ask_state(self.device(), view.ask.clone(), wait);
            let next = tokio::select! {
                next = next => next,
                () = held.taken_back() => return self.given_up(view, takes_back).await,
                () = self.context.ct.cancelled() => {
                    return self.given_up(view, takes_back && self.is_modern()).await;
                }
            };
            let before = view.report.state;
            view = settled(next)?;
            if view.report.state == before {
                // Held as long as it may be.
                break;
            }
        }
        Ok(view)
    }

    /// Nobody waits for this call any more.
    async fn given_up(&self, view: AskView, takes_back: bool) -> Result<AskView, ErrorData> {
        if takes_back {
            self.take_back(view.ask).await
        } else {
            Ok(view)
        }
    }

    async fn tell_progress(&self, state: AskState) {
        let Some(token) = self.context.meta.get_progress_token() else {
            return;
        };
        let step = if state == AskState::Queued { 1.0 } else { 2.0 };
        let progress = ProgressNotificationParam::new(token, step)
            .with_total(3.0)
            .with_message(sentence(state));
        if self.context.peer.notify_progress(progress).await.is_err() {
            tracing::debug!("a program was not told how far its ask is");
        }
    }

    /// Takes an ask back: `cancelled`, or what it has come to.
    ///
    /// # Errors
    /// No such ask of this device.
    pub(super) async fn take_back(&self, ask: RequestId) -> Result<AskView, ErrorData> {
        settled(self.door.asks.cancel_ask(self.client(), ask).await)
    }

    /// An answer with how far it is. An end is told once; the same call is then another ask.
    fn ended(&self, view: &AskView, about: &str) -> CallToolResponse {
        if view.report.state.is_over() {
            self.door.keys.forget(&self.program.device, about);
        }
        CallToolResponse::Complete(self.told_view(view))
    }

    fn told_view(&self, view: &AskView) -> CallToolResult {
        let mut told = json!(view);
        told["says"] = sentence(view.report.state).into();
        if !view.report.state.is_over() {
            told["confirm_at"] = self.program.page.clone().into();
        }
        if failed(view.report.state) {
            CallToolResult::structured_error(told)
        } else {
            CallToolResult::structured(told)
        }
    }

    async fn task_for(&self, view: &AskView) -> Result<CallToolResponse, ErrorData> {
        let now = self.door.resources.now_view().await;
        let key = TaskKey {
            ask: view.ask.clone(),
            at: now.map_err(away)?.at,
        };
        let id = self.door.trips.seal_task(&key, &self.program.device);
        let id = id.ok_or_else(|| ErrorData::internal_error("the task's id could not be written", None))?;
        let task = Task::new(id, TaskStatus::Working, key.at.to_string(), key.at.to_string())
            .with_status_message(sentence(view.report.state))
            .with_poll_interval_ms(TASK_POLL_MS);
        Ok(CreateTaskResult::new(task).into())
    }

    /// The task of that id.
    ///
    /// # Errors
    /// None of this device.
    pub(super) fn task(&self, id: &str) -> Result<TaskKey, ErrorData> {
        let task = self.door.trips.open_task(id, &self.program.device);
        task.ok_or_else(|| ErrorData::invalid_params("this program has no such task", None))
    }

    /// `tasks/get`
    ///
    /// # Errors
    /// No such task of this device.
    pub(super) async fn look_up_task(&self, id: &str) -> Result<GetTaskResult, ErrorData> {
        let key = self.task(id)?;
        let seen = self
            .door
            .asks
            .ask_state(self.device(), key.ask, AskWait::default());
        let view = settled(seen.await)?;
        let now = self.door.resources.now_view().await.map_err(away)?.at;
        let task = Task::new(id, TaskStatus::Working, key.at.to_string(), now.to_string())
            .with_status_message(sentence(view.report.state))
            .with_poll_interval_ms(TASK_POLL_MS);
        let payload = match view.report.state {
            AskState::Asking if self.shows_addresses() => TaskPayload::InputRequired {
                input_requests: self.owners_page(),
            },
            AskState::Queued | AskState::Asking => TaskPayload::Working,
            AskState::Done => TaskPayload::Completed {
                result: catalogue::object(json!(self.told_view(&view))),
            },
            AskState::Cancelled => TaskPayload::Cancelled,
            AskState::Refused | AskState::Dismissed | AskState::Expired | AskState::Unknown => {
                TaskPayload::Failed {
                    error: catalogue::object(json!({
                        "code": ErrorCode::INTERNAL_ERROR.0,
                        "message": sentence(view.report.state),
                        "data": view,
                    })),
                }
            }
        };
        Ok(GetTaskResult::new(DetailedTask::new(task, payload)))
    }
}

/// What a call asks for: the tool and its arguments, whoever wrote the spaces.
fn subject_of(tool: ToolName, args: &Value) -> String {
    canonical::hash(&json!([tool.as_str(), args]))
}

/// The arguments, with those that have one value only put in where they are left out.
fn with_fixed(arguments: Option<JsonObject>, fixed: &Value) -> Value {
    let mut args = arguments.unwrap_or_default();
    for (name, value) in fixed.as_object().into_iter().flatten() {
        if !args.contains_key(name) {
            args.insert(name.clone(), value.clone());
        }
    }
    Value::Object(args)
}

/// Whether the client's user did not want the owner's page. Nothing else that a client says of it means anything.
pub(super) fn was_declined(responses: &InputResponses) -> bool {
    let action = responses.get(OWNER).and_then(|response| response.get("action"));
    action
        .and_then(Value::as_str)
        .is_some_and(|action| matches!(action, "decline" | "cancel"))
}

/// Where a refusal cannot be an answer of a tool.
fn settled(answer: Result<Result<AskView, AskRefusal>, BackendError>) -> Result<AskView, ErrorData> {
    match answer {
        Ok(Ok(view)) => Ok(view),
        Ok(Err(refusal)) => Err(ErrorData::invalid_params(refusal.to_string(), None)),
        Err(error) => Err(away(error)),
    }
}

fn tool_answer(answer: Result<Value, AskRefusal>) -> CallToolResponse {
    match answer {
        Ok(value) => CallToolResponse::Complete(CallToolResult::structured(value)),
        Err(refusal) => refusal_answer(refusal),
    }
}

/// A refusal, for whoever reads the client's window: a model can do something about most of them.
fn refusal_answer(refusal: AskRefusal) -> CallToolResponse {
    let mut text = refusal.to_string();
    if let AskRefusal::TooOften(seconds) = refusal {
        text = format!("{text}: come again in {seconds} s");
    }
    CallToolResponse::Complete(CallToolResult::error(vec![ContentBlock::text(text)]))
}

fn failed(state: AskState) -> bool {
    match state {
        AskState::Refused | AskState::Unknown => true,
        AskState::Queued
        | AskState::Asking
        | AskState::Done
        | AskState::Dismissed
        | AskState::Expired
        | AskState::Cancelled => false,
    }
}

/// How far an ask is, for whoever reads the client's window.
fn sentence(state: AskState) -> &'static str {
    match state {
        AskState::Queued => "Aura has not asked the owner yet: it waits for a moment in which it may.",
        AskState::Asking => "Aura is asking the owner.",
        AskState::Done => "The owner said yes, and it was done.",
        AskState::Refused => "The owner said yes, and it could not be done.",
        AskState::Dismissed => "The owner said no.",
        AskState::Expired => "Nobody answered in time; nothing was done.",
        AskState::Cancelled => "It was taken back; nothing was done.",
        AskState::Unknown => {
            "The owner said yes, and Aura stopped before it was known whether it was done. It is not done again."
        }
    }
}
