//! The routes that every server of pages has, and the guard around all of them.
//!
//! What: [`guarded`], which adds pairing, the files of the pages, the manifest and the service worker. Why: the service's pages and the
//! page of a changed catalogue share them. Not here: the checks (`guard`).

use super::{
    access_control::AccessControl,
    assets::{self, AssetFile},
    devices_page,
    error::WebError,
    guard, shell,
};
use axum::{
    Router,
    extract::{DefaultBodyLimit, Path, RawQuery},
    http::{HeaderMap, header},
    middleware,
    response::{Html, IntoResponse, Response},
    routing::get,
};
use maud::html;
use serde_json::json;
use std::sync::Arc;
use surfaces_base::{language, words};

/// Bytes of a body, where a route says nothing else.
const BODY_BYTES_MAX: usize = 4 * 1024;

/// What another app may share: a browser wants both endings and kinds.
const SHARED_KINDS: [&str; 14] = [
    ".ics",
    ".csv",
    ".ofx",
    ".xml",
    ".zip",
    ".eml",
    "text/calendar",
    "text/csv",
    "text/xml",
    "application/xml",
    "application/x-ofx",
    "application/vnd.intu.qfx",
    "application/zip",
    "message/rfc822",
];

/// These routes and the shared ones, behind the guard.
pub(super) fn guarded(door: &Arc<AccessControl>, routes: Router) -> Router {
    let shared = Router::new()
        .route("/offline", get(offline))
        .route("/sw.js", get(worker))
        .route("/manifest.webmanifest", get(manifest))
        .route("/pair", get(devices_page::pair_page).post(devices_page::pair))
        .route("/assets/{name}", get(asset))
        .with_state(Arc::clone(door));
    routes
        .merge(shared)
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .layer(middleware::from_fn_with_state(Arc::clone(door), guard::guard))
}

/// `GET /assets/{name}`. Under the address that names this build a browser need not ask again: another build has another address.
pub(super) async fn asset(
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
    asked: HeaderMap,
) -> Result<Response, WebError> {
    let AssetFile { kind, plain, gzip } = assets::file(&name).ok_or(WebError::NotFound)?;
    let accept = asked
        .get(header::ACCEPT_ENCODING)
        .and_then(|accept| accept.to_str().ok());
    let gzip = gzip.filter(|_| accept.is_some_and(assets::takes_gzip));
    let names_this_build =
        query.is_some_and(|query| query.strip_prefix("v=") == Some(assets::VERSION.as_str()));
    let cache = if names_this_build {
        "public, max-age=31536000, immutable"
    } else {
        "no-store"
    };
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, cache),
        (header::VARY, "accept-encoding"),
    ];
    Ok(match gzip {
        Some(gzip) => (headers, [(header::CONTENT_ENCODING, "gzip")], gzip).into_response(),
        None => (headers, plain).into_response(),
    })
}

/// `GET /sw.js`: its first line names the build, so that a new build is a new worker.
async fn worker() -> Response {
    let script = format!("const VERSION = \"{}\";\n{}", *assets::VERSION, *assets::WORKER);
    ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8")], script).into_response()
}

/// `GET /manifest.webmanifest`
async fn manifest() -> Response {
    let shortcut = |name: &str, url: &str| json!({"name": name, "url": url});
    let manifest = json!({
        "id": "/", "name": words::APP_NAME.say(), "short_name": words::APP_NAME.say(), "description": words::APP_SAYS.say(),
        "lang": language::spoken().tag(), "dir": "ltr", "start_url": "/", "scope": "/", "display": "standalone",
        "background_color": "#FAF8F5", "theme_color": "#FAF8F5",
        "icons": [
            {"src": "/assets/aura.svg", "sizes": "any", "type": "image/svg+xml", "purpose": "any"},
            {"src": "/assets/aura.png", "sizes": "180x180", "type": "image/png", "purpose": "maskable"},
        ],
        // What a finger that rests on the icon offers.
        "shortcuts": [
            shortcut(words::AGENDA.say(), "/agenda"), shortcut(words::WHO_WAITS.say(), "/chats/waiting"), shortcut(words::AHEAD.say(), "/money/ahead"),
        ],
        // The service worker takes it: what another app shares never comes to the server by itself.
        "share_target": {"action": "/share", "method": "POST", "enctype": "multipart/form-data", "params": {
            "files": [{"name": "files", "accept": SHARED_KINDS}]
        }}
    });
    (
        [(header::CONTENT_TYPE, "application/manifest+json")],
        manifest.to_string(),
    )
        .into_response()
}

/// `GET /offline`: what the service worker shows for a page that was never loaded.
async fn offline() -> Html<String> {
    shell::page(
        words::OFFLINE_TITLE.say(),
        None,
        None,
        &html! {
            div.page {
                header.top { h1.brand { (words::APP_NAME) } }
                main.empty {
                    h2 { (words::OFFLINE_TITLE) }
                    p { (words::OFFLINE_SAYS) }
                    p { a href="/" { (words::TRY_AGAIN) } }
                }
            }
        },
    )
}
