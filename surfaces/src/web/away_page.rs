//! What is answered while the machine is away: the folder's key is changed, or an export is brought back.
//!
//! What: 503 with `Retry-After` for every address: a page for a person, JSON for a program. `/healthz` says that the process lives. Why: who
//! looks or posts meanwhile is told for how long, and keeps what they have. Not here: who may come in, which nobody can look up now
//! (`guard`); the work itself (`orchestrator`).

use super::{
    api::ProbeResponse,
    guard::{accept_language, wants_page, with_security_headers},
    hosts::HostPolicy,
    shared_routes, shell,
};
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
use surfaces_base::{language::Language, locale, words};

/// For about how long it takes from now on.
pub type TimeLeft = Arc<dyn Fn() -> Duration + Send + Sync>;

/// Why the machine is away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AwayReason {
    /// The folder is sealed anew.
    KeyChange,
    /// A raw export is brought back.
    Import,
    /// The machine starts with changed settings.
    Settings,
}

impl AwayReason {
    fn title(self) -> &'static str {
        match self {
            AwayReason::KeyChange => words::KEY_CHANGE_TITLE.say(),
            AwayReason::Import => words::IMPORT_TITLE.say(),
            AwayReason::Settings => words::NEW_SETTINGS_TITLE.say(),
        }
    }

    fn message(self, seconds: u64) -> String {
        match self {
            AwayReason::KeyChange => words::key_change(seconds),
            AwayReason::Import => words::import_of_export(seconds),
            AwayReason::Settings => words::new_settings(seconds),
        }
    }
}

struct AwayPage {
    hosts: HostPolicy,
    why: AwayReason,
    left: TimeLeft,
}

/// Every route while the machine is away.
pub(super) fn router(hosts: HostPolicy, why: AwayReason, left: TimeLeft) -> Router {
    let alive = || async { Json(ProbeResponse::new("ok")) };
    Router::new()
        .route("/healthz", get(alive))
        // The page's own looks; they say nothing about the owner.
        .route("/assets/{name}", get(shared_routes::asset))
        .fallback(closed)
        .with_state(Arc::new(AwayPage { hosts, why, left }))
}

/// In the browser's language: the owner's choice is not known here.
async fn closed(State(page): State<Arc<AwayPage>>, request: Request) -> Response {
    let asked = accept_language(&request).and_then(Language::of_accept_language);
    locale::speaking(asked.unwrap_or_default(), || closed_page(&page, &request))
}

fn closed_page(page: &AwayPage, request: &Request) -> Response {
    if let Err(refusal) = page.hosts.admit(request) {
        return with_security_headers(refusal.into_response());
    }
    let left = (page.left)();
    let seconds = left.as_secs().max(1);
    let message = page.why.message(seconds);
    let status = StatusCode::SERVICE_UNAVAILABLE;
    let mut response = if wants_page(request) {
        let body = html! {
            div.page {
                header.top { h1.brand { (words::APP_NAME) } }
                main.empty {
                    h2 { (page.why.title()) }
                    p { (message) }
                    p { a href="/" { (words::TRY_AGAIN) } }
                    p.code { "WEB-025" }
                }
            }
        };
        let page = shell::page(words::AWAY_TITLE_PAGE.say(), None, None, &body);
        (status, page).into_response()
    } else {
        let body = json!({ "code": "WEB-025", "message": message });
        (status, Json(body)).into_response()
    };
    let headers = response.headers_mut();
    headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    // The page that is shown meanwhile goes on by itself.
    headers.insert(header::REFRESH, HeaderValue::from(seconds));
    with_security_headers(response)
}
