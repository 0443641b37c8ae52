//! What is answered while the folder's key is changed.
//!
//! What: 503 with `Retry-After` for every address: a page for a person, JSON for a program. `/healthz` says that the process lives. Why: who
//! looks or posts meanwhile is told for how long, and keeps what they have. Not here: who may come in, which nobody can look up now
//! (`guard`); changing the key (`orchestrator`).

use super::{
    api::ProbeResponse,
    error::WebError,
    guard::{wants_page, with_security_headers},
    hosts::HostPolicy,
    shared_routes, shell,
};
use crate::words;
use axum::{
    Json, Router,
    extract::{Request, State},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use maud::html;
use serde_json::json;
use std::{sync::Arc, time::Duration};

/// For about how long it takes from now on.
pub type TimeLeft = Arc<dyn Fn() -> Duration + Send + Sync>;

struct KeyChangePage {
    hosts: HostPolicy,
    left: TimeLeft,
}

/// Every route while the key is changed.
pub(super) fn router(hosts: HostPolicy, left: TimeLeft) -> Router {
    let alive = || async { Json(ProbeResponse::new("ok")) };
    Router::new()
        .route("/healthz", get(alive))
        // The page's own looks; they say nothing about the owner.
        .route("/assets/{name}", get(shared_routes::asset))
        .fallback(closed)
        .with_state(Arc::new(KeyChangePage { hosts, left }))
}

async fn closed(State(page): State<Arc<KeyChangePage>>, request: Request) -> Response {
    if page.hosts.admit(&request).is_none() {
        return with_security_headers(WebError::Foreign.into_response());
    }
    let left = (page.left)();
    let seconds = left.as_secs().max(1);
    let message = words::key_change(seconds);
    let status = StatusCode::SERVICE_UNAVAILABLE;
    let mut response = if wants_page(&request) {
        let body = html! {
            div.page {
                header.top { h1.brand { (words::APP_NAME) } }
                main.empty {
                    h2 { (words::KEY_CHANGE_TITLE) }
                    p { (message) }
                    p { a href="/" { (words::TRY_AGAIN) } }
                    p.code { "WEB-025" }
                }
            }
        };
        let page = shell::page(words::KEY_CHANGE_TITLE_PAGE, None, None, &body);
        (status, page).into_response()
    } else {
        let body = json!({ "code": "WEB-025", "message": message });
        (status, Json(body)).into_response()
    };
    let headers = response.headers_mut();
    headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    with_security_headers(response)
}
