//! Who may come in.
//!
//! What: the checks before every handler (host, origin, device, scope, page token, time limit) and the headers after it. Why:
//! any page in the owner's browser can send requests to the loopback; only ours, and programs that the owner let in, may read
//! or change anything. Not here: whether an answer to a card is good (the backend), which devices there are (`devices`).

use super::{
    access::{self, Access},
    door::Door,
    error::{Refusal, refusal_page},
    hosts::{Hosts, Via},
    visitor::{By, Keys, VISITOR, Visitor},
};
use crate::devices::{Devices, Scope};
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

/// The header that carries the page token.
pub(super) const PAGE_HEADER: &str = "x-aura-page";

/// How long a handler may take, the reading of its body included.
const LIMIT: Duration = Duration::from_secs(10);

/// Equal texts, in a time that says nothing about where they differ: both sides are hashed first.
fn same(given: &str, expected: &str) -> bool {
    Sha256::digest(given.as_bytes()) == Sha256::digest(expected.as_bytes())
}

/// Paths that answer a program, not a person.
fn is_api(path: &str) -> bool {
    ["/v1/", "/fragment/", "/events", "/metrics"]
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
fn known(devices: &Devices, keys: &Keys, hosts: &Hosts, via: Via, headers: &HeaderMap) -> Option<Visitor> {
    let bearer = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.strip_prefix("Bearer "));
    if let Some((device, scope)) = bearer.and_then(|secret| devices.with_secret(secret)) {
        let by = By::Bearer;
        return Some(Visitor { device, scope, by });
    }
    if via == Via::Bare {
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
            let by = By::Cookie { page };
            Some(Visitor { device, scope, by })
        })
}

/// Who is not let through.
enum Turned {
    /// Told why.
    Away(Refusal),
    /// Led somewhere else.
    To(String),
}

impl IntoResponse for Turned {
    fn into_response(self) -> Response {
        match self {
            Turned::Away(refusal) => refusal.into_response(),
            Turned::To(address) => (StatusCode::SEE_OTHER, [(header::LOCATION, address)]).into_response(),
        }
    }
}

/// The checks in order: ours, not too often, a route of ours, signed in, in scope, allowed to change. Who asks is let through, or gets this answer.
fn admit(door: &Door, route: Option<&str>, request: &Request) -> Result<Option<Visitor>, Turned> {
    let (headers, method, path) = (request.headers(), request.method(), request.uri().path());
    let refuse = |refusal| Err(Turned::Away(refusal));
    let see = |address: &str| Err(Turned::To(address.to_owned()));
    let Some(via) = door.hosts.admit(request) else {
        return refuse(Refusal::Foreign);
    };
    let visitor = known(&door.devices, &door.keys, &door.hosts, via, headers);
    let pairing = path == "/pair" && method == Method::POST;
    let device = visitor.as_ref().map(|visitor| &visitor.device);
    if let Err(wait) = door.limits.take(device, pairing, Instant::now()) {
        return refuse(Refusal::TooOften(wait.as_secs() + 1));
    }
    let looks = matches!(*method, Method::GET | Method::HEAD);
    let page = looks && !is_api(path) && !path.starts_with("/assets/");
    let access = route.map_or(Some(Access::Needs(Scope::Owner)), |route| {
        access::of(door.routes, method.as_str(), route)
    });
    let Some(access) = access else {
        return refuse(Refusal::NotFound);
    };
    match (access, visitor) {
        // A browser signs in under the name that is Aura's alone.
        (_, None) if via == Via::Bare && page && !matches!(path, "/healthz" | "/readyz") => {
            let path = request.uri().path_and_query().map_or(path, |all| all.as_str());
            see(&door.hosts.own_address(path))
        }
        (Access::Open, visitor) => Ok(visitor),
        (Access::Needs(_), None) if page => see("/pair"),
        (Access::Needs(_), None) => refuse(Refusal::SignedOut),
        (Access::Needs(scope), Some(visitor)) if !visitor.scope.covers(scope) => {
            // Unknown routes return 404 regardless of scope.
            match route {
                None => refuse(Refusal::NotFound),
                Some("/") if visitor.scope == Scope::Operator => see("/ops"),
                Some(_) => refuse(Refusal::OutOfScope),
            }
        }
        (Access::Needs(_), Some(visitor)) => {
            let good = match &visitor.by {
                By::Bearer => true,
                By::Cookie { page } => {
                    let token = headers.get(PAGE_HEADER).and_then(|value| value.to_str().ok());
                    looks || token.is_some_and(|token| same(token, page))
                }
            };
            if good {
                Ok(Some(visitor))
            } else {
                refuse(Refusal::NoPage)
            }
        }
    }
}

/// Around every handler.
pub(super) async fn guard(State(door): State<Arc<Door>>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().cloned();
    let person = wants_page(&request);
    let response = match admit(&door, route.as_ref().map(MatchedPath::as_str), &request) {
        Ok(visitor) => VISITOR.scope(visitor, run(next.run(request))).await,
        Err(turned) => turned.into_response(),
    };
    headed(if person { refusal_page(response) } else { response })
}

/// The headers of every answer.
pub(super) fn headed(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in [
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; \
             worker-src 'self'; manifest-src 'self'; \
             base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
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
