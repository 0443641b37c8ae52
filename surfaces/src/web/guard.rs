//! Who may come in.
//!
//! What: the checks before every handler (host, origin, token, page token, time limit) and the headers after it. Why:
//! any page in the owner's browser can send requests to the loopback; only ours, and programs with the token, may read
//! or change anything. Not here: whether an answer to a card is good (the backend).

use super::{App, error::Refusal};
use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use futures_util::FutureExt;
use sha2::{Digest, Sha256};
use std::{net::SocketAddr, panic::AssertUnwindSafe, sync::Arc, time::Duration};
use toolcall_schema::ids::{hex, sha256_hex};

/// The header that carries the page token.
pub(super) const PAGE_HEADER: &str = "x-aura-page";

/// How long a handler may take.
const LIMIT: Duration = Duration::from_secs(10);

/// What a visitor must know. Everything is derived from the owner's token, which itself is not kept.
pub(super) struct Keys {
    bearer: [u8; 32],
    session: String,
    page: String,
}

impl Keys {
    /// From the owner's token and the process's own random bytes.
    pub(super) fn new(token: &str, nonce: [u8; 16]) -> Self {
        Self {
            bearer: digest(token),
            session: sha256_hex(format!("aura.session:{token}").as_bytes()),
            page: sha256_hex(format!("aura.page:{}:{token}", hex(&nonce)).as_bytes()),
        }
    }

    /// What the page's meta tag holds.
    pub(super) fn page(&self) -> &str {
        &self.page
    }

    fn is_token(&self, given: &str) -> bool {
        digest(given) == self.bearer
    }
}

/// This process's name in the ids of its events; says nothing about the random bytes that it is made from.
pub(super) fn process(nonce: [u8; 16]) -> String {
    let name = sha256_hex(format!("aura.process:{}", hex(&nonce)).as_bytes());
    name.chars().take(12).collect()
}

fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

/// Equal texts, in a time that says nothing about where they differ: both sides are hashed first.
fn same(given: &str, expected: &str) -> bool {
    digest(given) == digest(expected)
}

/// The hosts and origins that are ours.
pub(super) struct Hosts {
    names: Vec<String>,
    origins: Vec<String>,
    cookie: String,
}

impl Hosts {
    /// The loopback names with the bound port, and what the owner added.
    pub(super) fn new(address: SocketAddr, added: &[String]) -> Self {
        let port = address.port();
        let own = ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}"));
        let added: Vec<String> = added.iter().map(|host| host.to_ascii_lowercase()).collect();
        Self {
            origins: own
                .iter()
                .map(|host| format!("http://{host}"))
                .chain(
                    added
                        .iter()
                        .flat_map(|host| [format!("https://{host}"), format!("http://{host}")]),
                )
                .collect(),
            names: own.into_iter().chain(added).collect(),
            // Cookies know no ports: two installations on one machine must not overwrite each other's.
            cookie: format!("aura_{port}"),
        }
    }

    fn admits(&self, headers: &HeaderMap, method: &Method) -> bool {
        let mut hosts = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return false;
        };
        let is_ours = |value: &HeaderValue, list: &[String]| {
            value
                .to_str()
                .is_ok_and(|text| list.contains(&text.to_ascii_lowercase()))
        };
        let origin_ok = headers
            .get_all(header::ORIGIN)
            .iter()
            .all(|origin| is_ours(origin, &self.origins));
        is_ours(host, &self.names) && origin_ok && fetch_site_ok(headers, method)
    }
}

/// Browsers say where a request comes from. Another site (also another port of this machine) may only link to a page.
fn fetch_site_ok(headers: &HeaderMap, method: &Method) -> bool {
    let text = |name| {
        headers
            .get(name)
            .and_then(|value: &HeaderValue| value.to_str().ok())
    };
    match text("sec-fetch-site") {
        None | Some("same-origin" | "none") => true,
        Some(_) => method == Method::GET && text("sec-fetch-mode") == Some("navigate"),
    }
}

/// Paths that need no token: they say nothing about the owner.
fn is_open(path: &str) -> bool {
    matches!(
        path,
        "/healthz" | "/readyz" | "/signed-out" | "/offline" | "/sw.js" | "/manifest.webmanifest"
    ) || path.starts_with("/assets/")
}

/// Paths that answer a program, not a person.
fn is_api(path: &str) -> bool {
    ["/v1/", "/fragment/", "/events", "/metrics"]
        .iter()
        .any(|prefix| path.starts_with(prefix))
}

enum Visitor {
    /// A page with our cookie.
    Page,
    /// A program with the token.
    Bearer,
}

fn visitor(app: &App, headers: &HeaderMap) -> Option<Visitor> {
    let bearer = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.strip_prefix("Bearer "));
    if bearer.is_some_and(|token| app.keys.is_token(token)) {
        return Some(Visitor::Bearer);
    }
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .any(|(name, value)| name == app.hosts.cookie && same(value, &app.keys.session))
        .then_some(Visitor::Page)
}

/// The token in the address, on the first visit.
fn token_in_query(request: &Request) -> Option<&str> {
    if request.uri().path() != "/" || request.method() != Method::GET {
        return None;
    }
    request
        .uri()
        .query()?
        .split('&')
        .find_map(|pair| pair.strip_prefix("token="))
}

fn sign_in(app: &App, token: &str) -> Response {
    if !app.keys.is_token(token) {
        return see("/signed-out");
    }
    let cookie = format!(
        "{}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000",
        app.hosts.cookie, app.keys.session
    );
    ([(header::SET_COOKIE, cookie)], see("/")).into_response()
}

fn see(path: &'static str) -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, path)]).into_response()
}

/// The checks in order: ours, signed in, allowed to change. `None`: let it through.
fn refusal(app: &App, request: &Request) -> Option<Response> {
    let (headers, method, path) = (request.headers(), request.method(), request.uri().path());
    if !app.hosts.admits(headers, method) {
        return Some(Refusal::Foreign.into_response());
    }
    if let Some(token) = token_in_query(request) {
        return Some(sign_in(app, token));
    }
    if is_open(path) {
        return None;
    }
    match visitor(app, headers) {
        None if is_api(path) => Some(Refusal::SignedOut.into_response()),
        None => Some(see("/signed-out")),
        Some(Visitor::Bearer) => None,
        Some(Visitor::Page) if matches!(*method, Method::GET | Method::HEAD) => None,
        Some(Visitor::Page) => {
            let token = headers.get(PAGE_HEADER).and_then(|value| value.to_str().ok());
            let ours = token.is_some_and(|token| same(token, app.keys.page()));
            (!ours).then(|| Refusal::NoPage.into_response())
        }
    }
}

/// Around every handler.
pub(super) async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let mut response = match refusal(&app, &request) {
        None => run(next.run(request)).await,
        Some(refused) => refused,
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; \
             worker-src 'self'; manifest-src 'self'; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    for name in ["cross-origin-opener-policy", "cross-origin-resource-policy"] {
        headers.insert(name, HeaderValue::from_static("same-origin"));
    }
    response
}

/// A handler under its time limit; a panic becomes a 500 and the server lives on.
async fn run(handler: impl Future<Output = Response>) -> Response {
    let caught = AssertUnwindSafe(handler).catch_unwind();
    match tokio::time::timeout(LIMIT, caught).await {
        Ok(Ok(response)) => response,
        Ok(Err(_)) => {
            tracing::error!("a handler panicked");
            Refusal::Bug.into_response()
        }
        Err(_) => Refusal::Timeout.into_response(),
    }
}

/// Nothing of that name.
pub(super) async fn nothing() -> Response<Body> {
    Refusal::NotFound.into_response()
}
