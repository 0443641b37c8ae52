//! What a program may read of Aura itself.
//!
//! What: now, the attention ledger and the policy for every program, one trace for an operator. Why: a program that knows that Aura is
//! paused, or that no attention is left, need not ask in vain. Not here: anything of a person, a message or a payment: that is read by tools,
//! one at a time, and recorded.

use rmcp::{
    ErrorData,
    model::{CacheScope, ReadResourceResult, Resource, ResourceContents, ResourceTemplate},
};
use serde_json::{Value, json};
use std::sync::Arc;
use surfaces::web::ConnectedProgram;
use surfaces_base::{
    Backend,
    backend::{BackendError, BackendFuture, NowView, UiEvent, UiEventKind, console::PolicyView},
    devices::DeviceScope,
};
use tokio::sync::broadcast;
use toolcall_schema::{ids::TraceId, trace::Trace};

const NOW: &str = "aura://now";
const LEDGER: &str = "aura://ledger";
const POLICY: &str = "aura://policy";
const TRACE: &str = "aura://trace/";

/// What changes by itself, and can be subscribed to.
pub(super) const SUBSCRIBABLE: [&str; 2] = [NOW, LEDGER];

/// What the resources are made from.
pub trait ResourceBackend: Send + Sync + 'static {
    /// How Aura is now.
    fn now_view(&self) -> BackendFuture<Result<NowView, BackendError>>;

    /// The policy in force.
    fn policy_view(&self) -> BackendFuture<Result<PolicyView, BackendError>>;

    /// One trace; `None`: there is none of that id.
    fn one_trace(&self, id: TraceId) -> BackendFuture<Result<Option<Trace>, BackendError>>;

    /// What changes from now on.
    fn changes(&self) -> broadcast::Receiver<UiEvent>;
}

impl ResourceBackend for Arc<dyn Backend> {
    fn now_view(&self) -> BackendFuture<Result<NowView, BackendError>> {
        self.now()
    }

    fn policy_view(&self) -> BackendFuture<Result<PolicyView, BackendError>> {
        self.policy()
    }

    fn one_trace(&self, id: TraceId) -> BackendFuture<Result<Option<Trace>, BackendError>> {
        self.trace(id)
    }

    fn changes(&self) -> broadcast::Receiver<UiEvent> {
        self.events()
    }
}

/// The resources that have one address.
pub(super) fn listed() -> Vec<Resource> {
    let resource = |uri: &str, name: &str, title: &str, about: &str| {
        Resource::new(uri, name)
            .with_title(title)
            .with_description(about)
            .with_mime_type("application/json")
    };
    vec![
        resource(
            NOW,
            "now",
            "Now",
            "Whether Aura may speak: pause, do not disturb, a question that is open, and when it could speak next.",
        ),
        resource(
            LEDGER,
            "ledger",
            "Attention ledger",
            "How many interruptions today may have, and how many are left.",
        ),
        resource(
            POLICY,
            "policy",
            "Policy",
            "The constants that Aura decides with, each with what it means.",
        ),
    ]
}

/// Those whose address has a part to fill in: an operator's.
pub(super) fn templates(program: &ConnectedProgram) -> Vec<ResourceTemplate> {
    if program.scope != DeviceScope::Operator {
        return vec![];
    }
    let template = ResourceTemplate::new("aura://trace/{id}", "trace")
        .with_title("Trace")
        .with_description("One decision with its scores, calls and outcome.")
        .with_mime_type("application/json");
    vec![template]
}

/// Reads one.
///
/// # Errors
/// No such resource for this program, or a backend that does not answer.
pub(super) async fn read(
    backend: &dyn ResourceBackend,
    program: &ConnectedProgram,
    uri: &str,
) -> Result<ReadResourceResult, ErrorData> {
    let absent = || ErrorData::resource_not_found("there is no such resource", Some(json!({ "uri": uri })));
    let document = match uri {
        NOW => now_document(&backend.now_view().await.map_err(away)?),
        LEDGER => {
            let now = backend.now_view().await.map_err(away)?;
            json!(now.ledger)
        }
        POLICY => policy_document(&backend.policy_view().await.map_err(away)?),
        other => {
            let id = other
                .strip_prefix(TRACE)
                .filter(|_| program.scope == DeviceScope::Operator)
                .and_then(|id| TraceId::parse(id).ok())
                .ok_or_else(absent)?;
            let trace = backend.one_trace(id).await.map_err(away)?;
            json!(trace.ok_or_else(absent)?)
        }
    };
    let contents = ResourceContents::text(document.to_string(), uri).with_mime_type("application/json");
    Ok(ReadResourceResult::new(vec![contents])
        .with_ttl_ms(0)
        .with_cache_scope(CacheScope::Private))
}

/// What a program is told when the backend does not answer.
pub(super) fn away(error: BackendError) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

/// Neither the card, which says what about whom, nor rules, which name chats, nor the zone, which says where the owner is.
fn now_document(now: &NowView) -> Value {
    json!({
        "at": now.at,
        "dnd": now.dnd,
        "paused_until": now.paused_until,
        "question_open": now.card.is_some(),
        "attention_free": now.ledger.free,
        "looks_again": now.looks_again,
        "next_possible": now.next_possible.as_ref().map(|next| next.at),
        "healthy": now.health.is_empty(),
    })
}

/// Without the text, in which the owner may have written comments.
fn policy_document(policy: &PolicyView) -> Value {
    let constants = policy.constants.iter().map(|constant| {
        let told = json!({ "value": constant.value, "unit": constant.unit, "means": constant.means });
        (constant.key.to_owned(), told)
    });
    json!({
        "hash": policy.hash,
        "built_in": policy.built_in,
        "constants": constants.collect::<serde_json::Map<String, Value>>(),
    })
}

/// Which of them an event changes.
pub(super) fn changed_by(event: &UiEventKind) -> &'static [&'static str] {
    match event {
        UiEventKind::Card(_) | UiEventKind::Closed(_) | UiEventKind::Tick(_) | UiEventKind::Status => {
            &SUBSCRIBABLE
        }
        UiEventKind::Runs | UiEventKind::Trial => &[],
    }
}
