//! Authentication and authorization of every request.
//!
//! What: the checks before every handler (host, origin, device, scope, page token, time limit) and the headers after it. Why:
//! any page in the owner's browser can send requests to the loopback; only ours, and programs that the owner let in, may read
//! or change anything. Not here: whether an answer to a card is good (the backend), which devices there are (`devices`).

use super::{
    access::{self, RouteAccess},
    access_control::AccessControl,
    error::{WebError, error_page},
    hosts::{HostKind, HostPolicy},
    limits::SeldomAct,
    visitor::{CredentialKind, PageTokens, RequestIdentity, VISITOR},
};
use axum::{
    body::Body,
    extract::{MatchedPath, Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use futures_util::FutureExt;
use sha2::{Digest, Sha256};
use std::{
    panic::AssertUnwindSafe,
    sync::Arc,
    time::{Duration, Instant},
};
use surfaces_base::{
    backend::asks::ASK_HELD_MAX,
    devices::{DeviceRegistry, DeviceScope},
    locale,
};

/// The header that carries the page token.
pub(super) const PAGE_HEADER: &str = "x-aura-page";

/// How long a handler may take, including reading its body.
const LIMIT: Duration = Duration::from_secs(10);
/// The same where the state of an ask is held back until it changes: that, and as long as any other takes.
const HELD_LIMIT: Duration = Duration::from_secs(ASK_HELD_MAX.as_secs() + LIMIT.as_secs());
/// The same where a file travels: 128 MiB over a slow radio. Its page says how far it is, and stops it.
const UPLOAD_LIMIT: Duration = Duration::from_mins(10);

/// The same where a source is looked into: two looks that go on, and its own.
const LOOK_LIMIT: Duration = Duration::from_secs(30);

/// The same where a server of somebody else's is asked: as long as one look may take, and a little more.
const SERVER_LIMIT: Duration = Duration::from_secs(100);

fn time_limit(route: Option<&str>) -> Duration {
    match route {
        Some("/form/sources/drop") => UPLOAD_LIMIT,
        Some("/form/sources/look") => LOOK_LIMIT,
        Some("/v1/asks/{id}" | "/mcp") => HELD_LIMIT,
        Some(
            "/form/accounts/look"
            | "/form/accounts/login"
            | "/form/accounts/test"
            | "/form/accounts/sign-in"
            | "/signed-in",
        ) => SERVER_LIMIT,
        Some(_) | None => LIMIT,
    }
}

/// Equal texts, in a time that says nothing about where they differ: both sides are hashed first.
fn constant_time_eq(given: &str, expected: &str) -> bool {
    Sha256::digest(given.as_bytes()) == Sha256::digest(expected.as_bytes())
}

/// Paths that answer a program, not a person.
fn is_api(path: &str) -> bool {
    ["/v1/", "/fragment/", "/events", "/metrics", "/mcp"]
        .iter()
        .any(|prefix| path.starts_with(prefix))
}

/// Whether a person looks at the answer: a browser asks for a page, and its script for what is in one.
pub(super) fn wants_page(request: &Request) -> bool {
    let accepts = request.headers().get(header::ACCEPT);
    let html = accepts.is_some_and(|value| value.to_str().is_ok_and(|text| text.contains("text/html")));
    html && *request.method() == Method::GET && !is_api(request.uri().path())
}

/// The device that a request's headers show.
fn authenticate(
    devices: &DeviceRegistry,
    keys: &PageTokens,
    hosts: &HostPolicy,
    via: HostKind,
    headers: &HeaderMap,
) -> Option<RequestIdentity> {
    let bearer = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.strip_prefix("Bearer "));
    if let Some((device, scope)) = bearer.and_then(|secret| devices.with_secret(secret)) {
        let by = CredentialKind::Bearer;
        return Some(RequestIdentity { device, scope, by });
    }
    if via == HostKind::Bare {
        return None;
    }
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .filter(|(name, _)| *name == hosts.cookie)
        .find_map(|(_, secret)| {
            let (device, scope) = devices.with_secret(secret)?;
            let page = keys.page_of(secret);
            let by = CredentialKind::Cookie { page };
            Some(RequestIdentity { device, scope, by })
        })
}

/// Why the guard does not pass a request on.
enum Rejection {
    /// Answered with the error.
    Refuse(WebError),
    /// Sent to another address.
    Redirect(String),
}

impl IntoResponse for Rejection {
    fn into_response(self) -> Response {
        match self {
            Rejection::Refuse(refusal) => refusal.into_response(),
            Rejection::Redirect(address) => {
                (StatusCode::SEE_OTHER, [(header::LOCATION, address)]).into_response()
            }
        }
    }
}

/// Checks in order: host, rate limit, route, authentication, scope, page token. Returns the identity or the rejection.
fn admit(
    door: &AccessControl,
    route: Option<&str>,
    request: &Request,
) -> Result<Option<RequestIdentity>, Rejection> {
    let (headers, method, path) = (request.headers(), request.method(), request.uri().path());
    let refuse = |refusal| Err(Rejection::Refuse(refusal));
    let see = |address: &str| Err(Rejection::Redirect(address.to_owned()));
    let via = match door.hosts.admit(request) {
        Ok(via) => via,
        Err(refusal) => return refuse(refusal),
    };
    let visitor = authenticate(&door.devices, &door.keys, &door.hosts, via, headers);
    let act = match path {
        "/pair" if method == Method::POST => Some(SeldomAct::Pairing),
        // Nobody guesses a passphrase quickly either.
        "/form/key/proof" => Some(SeldomAct::Pairing),
        "/form/push" | "/form/push/remove" | "/form/notify/try" => Some(SeldomAct::Notifying),
        _ => None,
    };
    let device = visitor.as_ref().map(|visitor| &visitor.device);
    if let Err(wait) = door.limits.take(device, act, Instant::now()) {
        return refuse(WebError::TooOften(wait.as_secs() + 1));
    }
    let looks = matches!(*method, Method::GET | Method::HEAD);
    let page = looks && !is_api(path) && !path.starts_with("/assets/");
    let access = route.map_or(Some(RouteAccess::Needs(DeviceScope::Owner)), |route| {
        access::access_of(door.routes, method.as_str(), route)
    });
    let Some(access) = access else {
        return refuse(WebError::NotFound);
    };
    match (access, visitor) {
        // A browser signs in under the name that is Aura's alone.
        (_, None)
            if via == HostKind::Bare && page && !matches!(path, "/healthz" | "/readyz" | "/signed-in") =>
        {
            let path = request.uri().path_and_query().map_or(path, |all| all.as_str());
            see(&door.hosts.own_address(path))
        }
        (RouteAccess::Open, visitor) => Ok(visitor),
        (RouteAccess::Needs(_) | RouteAccess::AnyOf(_), None) if page => see("/pair"),
        (RouteAccess::Needs(_) | RouteAccess::AnyOf(_), None) => refuse(WebError::SignedOut),
        (access, Some(visitor)) if !access.admits(visitor.scope) => {
            // Unknown routes return 404 regardless of scope.
            match route {
                None => refuse(WebError::NotFound),
                Some("/") if visitor.scope == DeviceScope::Operator => see("/ops"),
                Some(_) => refuse(WebError::OutOfScope),
            }
        }
        (RouteAccess::Needs(_) | RouteAccess::AnyOf(_), Some(visitor)) => {
            let good = match &visitor.by {
                CredentialKind::Bearer => true,
                CredentialKind::Cookie { page } => {
                    let token = headers.get(PAGE_HEADER).and_then(|value| value.to_str().ok());
                    looks || token.is_some_and(|token| constant_time_eq(token, page))
                }
            };
            if good {
                Ok(Some(visitor))
            } else {
                refuse(WebError::NoPage)
            }
        }
    }
}

/// Around every handler.
pub(super) async fn guard(State(door): State<Arc<AccessControl>>, request: Request, next: Next) -> Response {
    let reader = door.locale.for_page(accept_language(&request));
    locale::speaking_during(reader, guarded(&door, request, next)).await
}

/// What the browser asks for.
pub(super) fn accept_language(request: &Request) -> Option<&str> {
    request.headers().get(header::ACCEPT_LANGUAGE)?.to_str().ok()
}

async fn guarded(door: &AccessControl, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().cloned();
    let limit = time_limit(route.as_ref().map(MatchedPath::as_str));
    let person = wants_page(&request);
    let response = match admit(door, route.as_ref().map(MatchedPath::as_str), &request) {
        Ok(visitor) => {
            VISITOR
                .scope(visitor, run_handler(limit, next.run(request)))
                .await
        }
        Err(turned) => turned.into_response(),
    };
    with_security_headers(if person { error_page(response) } else { response })
}

/// The headers of every answer.
pub(super) fn with_security_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in [
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; font-src 'self'; \
             worker-src 'self'; manifest-src 'self'; \
             base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
        ),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // A handler that says so itself sends nothing of the owner's (`assets`).
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    for name in ["cross-origin-opener-policy", "cross-origin-resource-policy"] {
        headers.insert(name, HeaderValue::from_static("same-origin"));
    }
    response
}

/// A handler under its time limit; a panic becomes a 500 and the server lives on.
async fn run_handler(limit: Duration, handler: impl Future<Output = Response>) -> Response {
    let caught = AssertUnwindSafe(handler).catch_unwind();
    match tokio::time::timeout(limit, caught).await {
        Ok(Ok(response)) => response,
        Ok(Err(_)) => {
            tracing::error!("a handler panicked");
            WebError::Bug.into_response()
        }
        Err(_) => WebError::Timeout.into_response(),
    }
}

/// Answers unknown routes.
pub(super) async fn not_found() -> Response<Body> {
    WebError::NotFound.into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::access::ROUTES;

    #[test]
    fn a_file_may_travel_for_minutes_and_a_server_be_waited_for() {
        let long: Vec<&str> = ROUTES
            .iter()
            .map(|rule| rule.path)
            .filter(|path| time_limit(Some(path)) > LIMIT)
            .collect();
        assert_eq!(
            long,
            [
                "/form/accounts/look",
                "/form/accounts/login",
                "/form/accounts/test",
                "/form/accounts/sign-in",
                "/form/sources/look",
                "/form/sources/drop",
                "/signed-in",
                "/v1/asks/{id}",
                "/mcp",
                "/mcp",
                "/mcp"
            ]
        );
        assert_eq!(time_limit(Some("/v1/asks/{id}")), Duration::from_secs(35));
        // A look is waited for until the process that takes it is ended, also behind another one.
        assert!(time_limit(Some("/form/sources/look")) > 2 * Duration::from_secs(12));
        assert_eq!(time_limit(None), LIMIT);
    }
}
