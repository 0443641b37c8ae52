//! What each request of the protocol means.
//!
//! What: [`AskServer`], which `rmcp` asks. Why: one place says what Aura offers, in which version, and to whom. Not here: calling a tool
//! (`calls`), what a tool looks like (`catalogue`), the documents (`resources`).

use super::{
    DoorState,
    calls::{self, Caller},
    prompts,
    resources::{self, SUBSCRIBABLE, away},
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams, GetPromptRequestParams,
        GetPromptResponse, GetTaskParams, GetTaskResult, Implementation, InitializeRequestParams,
        InitializeResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
        ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
        ReadResourceResponse, ServerCapabilities, ServerConfig, SubscriptionFilter, UpdateTaskParams,
    },
    service::{RequestContext, SubscriptionContext},
};
use std::{borrow::Cow, sync::Arc};
use surfaces::web::ConnectedProgram;
use tokio::sync::broadcast::error::RecvError;

/// The versions that are spoken, oldest first.
const VERSIONS: [ProtocolVersion; 2] = [ProtocolVersion::V_2025_11_25, ProtocolVersion::V_2026_07_28];

/// How long a client may keep a list of tools: the owner may allow another one.
const TOOLS_FRESH_MS: u64 = 10_000;
/// How long lists that are the same for everybody.
const LISTS_FRESH_MS: u64 = 3_600_000;

const INSTRUCTIONS: &str = "Aura is the owner's own assistant. Tools that only read answer at once. Every other tool proposes: Aura asks the \
    owner, on a page of hers that this program cannot reach, and nothing is done before she has said yes. She is asked at a moment of Aura's \
    choosing, seldom, and may say no. Ids of chats come from aura_askable_things and are good for this program alone. aura_ask_state says how \
    far a proposal is.";

/// Answers every program's requests; who asks stands beside each.
#[derive(Clone)]
pub(super) struct AskServer(pub(super) Arc<DoorState>);

impl AskServer {
    fn caller<'a>(&'a self, context: &'a RequestContext<RoleServer>) -> Result<Caller<'a>, ErrorData> {
        let program = program(context)?;
        Ok(Caller {
            door: &self.0,
            program,
            context,
        })
    }
}

/// Who asks, as the guard found it.
fn program(context: &RequestContext<RoleServer>) -> Result<&ConnectedProgram, ErrorData> {
    context
        .extensions
        .get::<http::request::Parts>()
        .and_then(|head| head.extensions.get::<ConnectedProgram>())
        .ok_or_else(|| ErrorData::internal_error("it is not known who asks", None))
}

impl ServerHandler for AskServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_tools()
            .enable_tasks()
            .build();
        let server = Implementation::new("aura", env!("CARGO_PKG_VERSION")).with_title("Aura");
        ServerConfig::new(capabilities)
            .with_server_info(server)
            .with_instructions(INSTRUCTIONS)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(&VERSIONS)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut info = self.negotiate_initialize(&request)?;
        // Both are of the newer version: the older one's need a session.
        info.capabilities.extensions = None;
        if let Some(resources) = &mut info.capabilities.resources {
            resources.subscribe = None;
        }
        Ok(info)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let device = program(&context)?.device.clone();
        let tools = self.0.asks.tools_for(device).await;
        let tools = tools.map_err(away)?;
        Ok(ListToolsResult::with_all_items(self.0.tools.list(&tools))
            .with_ttl_ms(TOOLS_FRESH_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.caller(&context)?.call(request).await
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::listed())
            .with_ttl_ms(LISTS_FRESH_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = resources::templates(program(&context)?);
        Ok(ListResourceTemplatesResult::with_all_items(templates)
            .with_ttl_ms(LISTS_FRESH_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let program = program(&context)?;
        let read = resources::read(self.0.resources.as_ref(), program, &request.uri).await?;
        Ok(read.into())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut accepted = SubscriptionFilter::builder();
        for uri in requested.resource_subscriptions.iter().flatten() {
            if SUBSCRIBABLE.contains(&uri.as_str()) {
                accepted = accepted.resource_subscription(uri);
            }
        }
        Some(accepted.build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.0.resources.changes();
        let wanted = context
            .accepted()
            .resource_subscriptions
            .clone()
            .unwrap_or_default();
        loop {
            let change = tokio::select! {
                () = context.cancelled() => return Ok(()),
                change = changes.recv() => change,
            };
            let touched: &[&str] = match change {
                Ok(event) => resources::changed_by(&event.what),
                // Which of them is not known any more.
                Err(RecvError::Lagged(_)) => &SUBSCRIBABLE,
                Err(RecvError::Closed) => return Ok(()),
            };
            for uri in touched
                .iter()
                .filter(|uri| wanted.iter().any(|wanted| wanted == *uri))
            {
                if context.sink().notify_resource_updated(*uri).await.is_err() {
                    return Ok(());
                }
            }
        }
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::listed())
            .with_ttl_ms(LISTS_FRESH_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::prompt_named(&request.name)
            .map(GetPromptResponse::from)
            .ok_or_else(|| ErrorData::invalid_params("there is no such prompt", None))
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.caller(&context)?.look_up_task(&request.task_id).await
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let caller = self.caller(&context)?;
        let task = caller.task(&request.task_id)?;
        if calls::was_declined(&request.input_responses) {
            caller.take_back(task.ask).await?;
        }
        Ok(())
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let caller = self.caller(&context)?;
        let task = caller.task(&request.task_id)?;
        caller.take_back(task.ask).await?;
        Ok(())
    }
}
