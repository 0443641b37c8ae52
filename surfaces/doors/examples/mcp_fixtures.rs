//! The tools, resources and prompts that the protocol's own conformance suite asks for, behind Aura's guard.
//!
//! What: a server with Aura's own transport and guard, over a backend that only holds values. Why: the suite tries a library by fixtures that
//! no product has; what is fixture here is no part of Aura. Not here: anything real. `scripts/conformance.sh` starts it. Prints its port and
//! the token of a device.

#![expect(clippy::print_stdout, reason = "an example prints its port")]

#[path = "../../tests/pages/accounts_double.rs"]
mod accounts_double;
#[path = "../../tests/pages/acts_double.rs"]
#[expect(clippy::unwrap_used, reason = "what it reads stands there")]
mod acts_double;
#[path = "../../tests/pages/asks_double.rs"]
#[expect(clippy::unwrap_used, reason = "what it reads stands there")]
mod asks_double;
#[path = "../../tests/pages/backups_double.rs"]
mod backups_double;
#[path = "../../tests/pages/doctor_double.rs"]
mod doctor_double;
#[path = "../../tests/pages/drafts_double.rs"]
mod drafts_double;
#[path = "../../tests/pages/forgetting_double.rs"]
mod forgetting_double;
#[path = "../../tests/pages/keys_double.rs"]
mod keys_double;
#[path = "../../tests/pages/memory_double.rs"]
mod memory_double;
#[path = "../../tests/pages/models_double.rs"]
mod models_double;
#[path = "../../tests/pages/morning.rs"]
#[expect(dead_code, reason = "the tests of pages read more of it")]
mod morning;
#[path = "../../tests/pages/notify_double.rs"]
mod notify_double;
#[path = "../../tests/pages/owner_double.rs"]
mod owner_double;
#[path = "../../tests/pages/people_double.rs"]
mod people_double;
#[path = "../../tests/pages/settings_double.rs"]
#[expect(dead_code, reason = "the tests of pages read more of it")]
mod settings_double;
#[path = "../../tests/pages/web_push_double.rs"]
mod web_push_double;

use aura_doors::mcp::RpcDoor;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, CompleteRequestParams,
        CompleteResult, CompletionInfo, ContentBlock, GetPromptRequestParams, GetPromptResponse,
        GetPromptResult, InputRequests, InputRequiredResult, JsonObject, ListPromptsResult,
        ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
        ProgressNotificationParam, Prompt, PromptArgument, PromptMessage, ReadResourceRequestParams,
        ReadResourceResponse, ReadResourceResult, RequestStateCodec, Resource, ResourceContents,
        ResourceTemplate, Role, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
};
use serde_json::{Value, json};
use std::sync::Arc;
use surfaces_base::devices::{DeviceName, DeviceScope};

/// One red pixel, and silence.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

const TOOLS: [&str; 19] = [
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_error_handling",
    "test_tool_with_progress",
    "test_missing_capability",
    "test_streaming_elicitation",
    "test_logging_tool",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "test_input_required_result_capabilities",
    "test_input_required_result_prompt",
];

#[derive(Clone)]
struct FixtureServer(RequestStateCodec);

fn asks_for(message: &str, key: &str) -> Value {
    json!({"method": "elicitation/create", "params": {"message": message, "requestedSchema": {
        "type": "object", "properties": {key: {"type": if key == "ok" { "boolean" } else { "string" }}}, "required": [key]
    }}})
}

fn samples(text: &str, tokens: u32) -> Value {
    json!({"method": "sampling/createMessage", "params": {
        "messages": [{"role": "user", "content": {"type": "text", "text": text}}], "maxTokens": tokens
    }})
}

/// What a tool asks for at first; null: nothing.
fn first_questions(tool: &str) -> Value {
    let name = || asks_for("What is your name?", "name");
    match tool {
        "test_input_required_result_elicitation" | "test_streaming_elicitation" => {
            json!({"user_name": name()})
        }
        "test_input_required_result_sampling" => {
            json!({"capital_question": samples("What is the capital of France?", 100)})
        }
        "test_input_required_result_list_roots" => {
            json!({"client_roots": {"method": "roots/list", "params": {}}})
        }
        "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => {
            json!({"confirm": asks_for("Please confirm", "ok")})
        }
        "test_input_required_result_multiple_inputs" => json!({
            "user_name": name(), "greeting": samples("Generate a greeting", 50),
            "client_roots": {"method": "roots/list", "params": {}}
        }),
        "test_input_required_result_multi_round" => {
            json!({"step1": asks_for("Step 1: What is your name?", "name")})
        }
        "test_input_required_result_prompt" => {
            json!({"user_context": asks_for("What context should the prompt use?", "context")})
        }
        _ => Value::Null,
    }
}

fn questions(value: Value) -> Result<InputRequests, ErrorData> {
    serde_json::from_value(value).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

fn text(says: &str) -> CallToolResponse {
    CallToolResult::success(vec![ContentBlock::text(says)]).into()
}

/// The value is one of the library's own, written as it is on the wire.
fn blocks(value: Value) -> Result<CallToolResponse, ErrorData> {
    let content =
        serde_json::from_value(value).map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    Ok(CallToolResult::success(content).into())
}

impl FixtureServer {
    fn with_state(&self, asks: Value, state: &str) -> Result<CallToolResponse, ErrorData> {
        let sealed = self.0.seal(state.as_bytes());
        Ok(InputRequiredResult::new(Some(questions(asks)?), Some(sealed)).into())
    }

    /// A tool that asks first.
    fn ask(&self, request: &CallToolRequestParams) -> Result<CallToolResponse, ErrorData> {
        let tool = request.name.as_ref();
        let asks = first_questions(tool);
        let responses = request.input_responses.clone().unwrap_or_default();
        let has_state = matches!(
            tool,
            "test_input_required_result_request_state"
                | "test_input_required_result_tampered_state"
                | "test_input_required_result_multiple_inputs"
                | "test_input_required_result_multi_round"
        );
        let state = match &request.request_state {
            Some(sealed) if has_state => {
                let opened = self
                    .0
                    .open(sealed)
                    .map_err(|_| ErrorData::invalid_params("another requestState", None))?;
                Some(String::from_utf8_lossy(&opened).into_owned())
            }
            Some(_) | None => None,
        };
        if tool == "test_input_required_result_multi_round"
            && state.as_deref() == Some("one")
            && responses.contains_key("step1")
        {
            return self.with_state(
                json!({"step2": asks_for("Step 2: What is your favorite color?", "color")}),
                "two",
            );
        }
        let wanted: Vec<String> = if state.as_deref() == Some("two") {
            vec!["step2".to_owned()]
        } else {
            asks.as_object()
                .into_iter()
                .flat_map(JsonObject::keys)
                .cloned()
                .collect()
        };
        let well_formed = |key: &String| responses.get(key).is_some_and(Value::is_object);
        let is_answered = wanted.iter().all(well_formed) && (!has_state || state.is_some());
        if !is_answered {
            return if has_state {
                self.with_state(asks, "one")
            } else {
                Ok(InputRequiredResult::from_input_requests(questions(asks)?).into())
            };
        }
        let told: Vec<String> = responses.values().map(Value::to_string).collect();
        Ok(text(&format!("state-ok: Hello, {}!", told.join(" "))))
    }
}

impl ServerHandler for FixtureServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_prompts()
            .enable_resources()
            .enable_tools()
            .build();
        ServerConfig::new(capabilities)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema: Arc<JsonObject> = Arc::new(JsonObject::from_iter([("type".to_owned(), json!("object"))]));
        let tools = TOOLS.iter().filter(|name| !name.ends_with("_prompt"));
        let tools = tools.map(|name| Tool::new(*name, "A fixture", Arc::clone(&schema)));
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let abilities = context.client_capabilities().unwrap_or_default();
        let resource = json!({"type": "resource", "resource": {
            "uri": "test://embedded-resource", "mimeType": "text/plain", "text": "This is an embedded resource content."
        }});
        let image = json!({"type": "image", "data": PNG, "mimeType": "image/png"});
        match request.name.as_ref() {
            "test_simple_text" => Ok(text("This is a simple text response for testing.")),
            "test_logging_tool" => Ok(text("Nothing was logged.")),
            "test_image_content" => blocks(json!([image])),
            "test_audio_content" => blocks(json!([{"type": "audio", "data": WAV, "mimeType": "audio/wav"}])),
            "test_embedded_resource" => blocks(json!([resource])),
            "test_multiple_content_types" => blocks(json!([
                {"type": "text", "text": "Multiple content types test:"}, image,
                {"type": "resource", "resource": {"uri": "test://mixed-content-resource", "mimeType": "application/json",
                    "text": "{\"test\":\"data\",\"value\":123}"}}
            ])),
            "test_error_handling" => {
                let says = "This tool intentionally returns an error for testing";
                Ok(CallToolResult::error(vec![ContentBlock::text(says)]).into())
            }
            "test_tool_with_progress" => {
                if let Some(token) = context.meta.get_progress_token() {
                    for step in [0.0, 50.0, 100.0] {
                        let progress = ProgressNotificationParam::new(token.clone(), step).with_total(100.0);
                        // A client that is gone needs no progress.
                        let _ = context.peer.notify_progress(progress).await;
                    }
                }
                Ok(text("All steps are done."))
            }
            "test_missing_capability" if abilities.sampling.is_none() => {
                let mut needed = ClientCapabilities::default();
                needed.sampling = Some(rmcp::model::SamplingCapability::default());
                Err(ErrorData::missing_required_client_capability(needed))
            }
            "test_missing_capability" => Ok(text("The client can sample.")),
            "test_input_required_result_capabilities" => {
                let mut asks = JsonObject::new();
                if abilities.sampling.is_some() {
                    asks.insert("greeting".to_owned(), samples("Generate a greeting", 50));
                }
                if abilities.elicitation.is_some() {
                    asks.insert("user_name".to_owned(), asks_for("What is your name?", "name"));
                }
                Ok(InputRequiredResult::from_input_requests(questions(Value::Object(asks))?).into())
            }
            name if name.ends_with("_prompt") || first_questions(name).is_null() => {
                Err(ErrorData::invalid_params("there is no such tool", None))
            }
            _ => self.ask(&request),
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resource = |uri: &str, name: &str| Resource::new(uri, name).with_description("A fixture");
        Ok(ListResourcesResult::with_all_items(vec![
            resource("test://static-text", "text"),
            resource("test://static-binary", "binary"),
        ]))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template =
            ResourceTemplate::new("test://template/{id}/data", "template").with_description("A fixture");
        Ok(ListResourceTemplatesResult::with_all_items(vec![template]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.as_str();
        let template = uri
            .strip_prefix("test://template/")
            .and_then(|rest| rest.strip_suffix("/data"));
        let contents = match (uri, template) {
            ("test://static-text", _) => {
                ResourceContents::text("This is the content of the static text resource.", uri)
            }
            ("test://static-binary", _) => ResourceContents::blob(PNG, uri).with_mime_type("image/png"),
            (_, Some(id)) => {
                let data = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
                ResourceContents::text(data.to_string(), uri).with_mime_type("application/json")
            }
            _ => {
                let data = Some(json!({ "uri": uri }));
                return Err(ErrorData::resource_not_found("there is no such resource", data));
            }
        };
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompt = |name: &str, arguments: &[&str]| {
            let arguments = arguments
                .iter()
                .map(|name| PromptArgument::new(*name).with_required(true));
            Prompt::new(name, Some("A fixture"), Some(arguments.collect()))
        };
        Ok(ListPromptsResult::with_all_items(vec![
            prompt("test_simple_prompt", &[]),
            prompt("test_prompt_with_arguments", &["arg1", "arg2"]),
            prompt("test_prompt_with_embedded_resource", &["resourceUri"]),
            prompt("test_prompt_with_image", &[]),
            prompt("test_input_required_result_prompt", &[]),
        ]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let argument = |name: &str| {
            arguments
                .get(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let says = |text: &str| PromptMessage::new_text(Role::User, text);
        let block = |value: Value| {
            serde_json::from_value(value)
                .map(|block| PromptMessage::new(Role::User, block))
                .map_err(|error| ErrorData::internal_error(error.to_string(), None))
        };
        let messages = match request.name.as_str() {
            "test_simple_prompt" => vec![says("This is a simple prompt for testing.")],
            "test_prompt_with_arguments" => vec![says(&format!(
                "Prompt with arguments: arg1='{}', arg2='{}'",
                argument("arg1"),
                argument("arg2")
            ))],
            "test_prompt_with_embedded_resource" => vec![
                block(
                    json!({"type": "resource", "resource": {"uri": argument("resourceUri"), "mimeType": "text/plain",
                    "text": "Embedded resource content for testing."}}),
                )?,
                says("Please process the embedded resource above."),
            ],
            "test_prompt_with_image" => vec![
                block(json!({"type": "image", "data": PNG, "mimeType": "image/png"}))?,
                says("Please analyze the image above."),
            ],
            name @ "test_input_required_result_prompt" => {
                let responses = request.input_responses.unwrap_or_default();
                if !responses.contains_key("user_context") {
                    let asks = questions(first_questions(name))?;
                    return Ok(GetPromptResponse::InputRequired(
                        InputRequiredResult::from_input_requests(asks),
                    ));
                }
                vec![says("The context is known.")]
            }
            _ => return Err(ErrorData::invalid_params("there is no such prompt", None)),
        };
        Ok(GetPromptResult::new(messages).into())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let values = CompletionInfo::new(vec!["paris".to_owned(), "park".to_owned()]);
        values
            .map(CompleteResult::new)
            .map_err(|error| ErrorData::internal_error(error, None))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let listener = surfaces::bind(([127, 0, 0, 1], 0).into()).await?;
    let backend = Arc::new(morning::Double::of_scene("brief"));
    let mut config = morning::config();
    let name = DeviceName::parse("Suite").ok_or("no name")?;
    let (_, token) = config.devices.add(name, DeviceScope::Ask).await?;
    let states = RequestStateCodec::try_new(b"a key for fixtures only, 32 bytes or more".to_vec())?;
    config.mcp = Some(Arc::new(RpcDoor::new(FixtureServer(states))));
    println!("{} {}", listener.local_addr()?.port(), token.text());
    surfaces::serve(listener, config, backend, std::future::pending()).await?;
    Ok(())
}
