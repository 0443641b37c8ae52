//! The page on which the owner accepts a changed catalogue.
//!
//! What: one page for every address, and the button that accepts. Why: an owner without a terminal at hand sees why nothing runs, and can
//! go on. Not here: authentication (`guard`), what accepting does ([`AcceptCatalogue`], implemented by `orchestrator`).

use super::{
    access_control::AccessControl, error::WebError, guard, shared_routes::guarded, shell::page, visitor,
};
use axum::{
    Router,
    extract::{Request, State},
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::{any, get, post},
};
use maud::{Markup, html};
use std::sync::Arc;
use surfaces_base::{
    backend::{BackendError, BackendFuture},
    devices::DeviceScope,
    words,
};
use toolcall_schema::{ToolName, catalogue::lock::CatalogueDiff};

/// Records this build's catalogue as accepted, once the owner has said so.
pub trait AcceptCatalogue: Send + Sync {
    /// Done when it is on disk.
    fn accept(&self) -> BackendFuture<Result<(), BackendError>>;
}

struct CatalogueState {
    door: Arc<AccessControl>,
    tools: Markup,
    accept: Arc<dyn AcceptCatalogue>,
}

/// Every route while a changed catalogue waits.
pub(super) fn router(
    door: &Arc<AccessControl>,
    diff: &CatalogueDiff,
    accept: Arc<dyn AcceptCatalogue>,
) -> Router {
    let changed = CatalogueState {
        door: Arc::clone(door),
        tools: tools(diff),
        accept,
    };
    let routes = Router::new()
        .route("/healthz", get(refused))
        .route("/readyz", get(refused))
        .route("/v1/catalogue/accept", post(accepted))
        .route("/", any(waiting))
        .route("/{*path}", any(waiting))
        .with_state(Arc::new(changed));
    guarded(door, routes)
}

/// What each tool that has to be accepted was and is.
fn tools(diff: &CatalogueDiff) -> Markup {
    html! {
        ul.refused {
            @for tool in diff.tools_to_accept() {
                li {
                    p.head { span.what { (tool) } }
                    @if let Some(known) = ToolName::ALL.iter().find(|name| name.as_str() == tool) {
                        p { (known.doc().description) }
                    }
                    @if diff.removed.iter().any(|gone| gone == tool) { p { (words::TOOL_GONE) } }
                    @for change in diff.changed.iter().filter(|change| change.tool == tool && change.needs_accept) {
                        p { (words::tool_change(change)) }
                    }
                }
            }
        }
    }
}

/// Liveness and readiness: nothing works until the owner has accepted.
async fn refused() -> WebError {
    WebError::CatalogueChanged
}

/// Every other address: the page for a person, its code for a program. Never 200, so that no browser keeps it in place of a section.
async fn waiting(State(changed): State<Arc<CatalogueState>>, request: Request) -> Response {
    if !guard::wants_page(&request) {
        return WebError::CatalogueChanged.into_response();
    }
    let may = visitor::visitor().is_some_and(|visitor| visitor.scope == DeviceScope::Owner);
    let body = html! {
        div.page {
            header.top { h1.brand { (words::APP_NAME) } }
            main #live {
                h2 { (words::CATALOGUE_TITLE) }
                p { (words::CATALOGUE_WHY) }
                (changed.tools)
                p { (words::CATALOGUE_UNEXPECTED) }
                @if may {
                    p { button.main type="button" data-accept { (words::CATALOGUE_ACCEPT) } }
                    noscript { p { (words::CATALOGUE_SCRIPT) } }
                } @else {
                    p { (words::CATALOGUE_NOT_HERE) }
                }
                p.code { "CAT-001" }
            }
            p #status .status role="status" {}
        }
    };
    let token = Some(changed.door.keys.page());
    let page = page(words::CATALOGUE_TITLE_PAGE.say(), Some("none"), token, &body);
    (StatusCode::SERVICE_UNAVAILABLE, page).into_response()
}

/// `POST /v1/catalogue/accept`
async fn accepted(State(changed): State<Arc<CatalogueState>>) -> Result<StatusCode, WebError> {
    changed.accept.accept().await?;
    Ok(StatusCode::NO_CONTENT)
}
