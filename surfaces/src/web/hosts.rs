//! Under which names the server is reached.
//!
//! What: [`HostPolicy`], which admits a request by its Host and Origin. Why: a page of somebody else's can send requests to the loopback, and
//! a name of somebody else's can be made to lead here. Not here: who asks (`guard`).

use axum::{
    extract::Request,
    http::{HeaderMap, HeaderValue, Method, header, uri::Authority},
};
use std::net::SocketAddr;

/// The hosts and origins that the server accepts.
pub(super) struct HostPolicy {
    /// `aura-abc123.localhost:7878`
    own: String,
    /// 127.0.0.1, localhost and `[::1]`, with the port.
    bare: Vec<String>,
    /// What the owner added, with and without the port of a door of ours.
    added: Vec<String>,
    origins: Vec<String>,
    /// The cookie's name.
    pub(super) cookie: String,
}

/// Under which host a request came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HostKind {
    /// Under a name that is Aura's alone.
    Name,
    /// Under a name that every program on this machine shares. Cookies know no ports: here they are neither set nor read.
    Bare,
}

impl HostPolicy {
    /// The installation's own name and the loopback's names with the bound port, and what the owner added.
    pub(super) fn new(address: SocketAddr, name: &str, added: &[String]) -> Self {
        let port = address.port();
        let own = format!("{name}:{port}");
        let bare = ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}"));
        let added: Vec<String> = added.iter().map(|host| host.to_ascii_lowercase()).collect();
        let plain = bare.iter().chain([&own]).map(|host| format!("http://{host}"));
        let both = |host: &String| [format!("https://{host}"), format!("http://{host}")];
        Self {
            origins: plain.chain(added.iter().flat_map(both)).collect(),
            own,
            bare: bare.into(),
            added,
            cookie: format!("aura_{port}"),
        }
    }

    /// The same page under the installation's own name.
    pub(super) fn own_address(&self, path: &str) -> String {
        format!("http://{}{path}", self.own)
    }

    /// The same under the first name that the owner gave Aura for other devices. `None`: only this machine reaches it.
    pub(super) fn outside_address(&self, path: &str) -> Option<String> {
        Some(format!("https://{}{path}", self.added.first()?))
    }

    /// Whether a request came under the installation's own name, which leads to this machine alone.
    pub(super) fn is_own(&self, headers: &HeaderMap) -> bool {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
        let origin = headers
            .get(header::ORIGIN)
            .and_then(|origin| origin.to_str().ok());
        host.is_some_and(|host| host.eq_ignore_ascii_case(&self.own))
            && origin.is_none_or(|origin| !origin.starts_with("https://"))
    }

    /// `None`: not one of ours.
    pub(super) fn admit(&self, request: &Request) -> Option<HostKind> {
        let headers = request.headers();
        let mut hosts = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return None;
        };
        let host = host.to_str().ok()?.to_ascii_lowercase();
        // A request line with a whole address names a host of its own, which must be the same one.
        let named = request.uri().authority().map(Authority::as_str);
        if named.is_some_and(|named| !named.eq_ignore_ascii_case(&host)) {
            return None;
        }
        let ours = |origin: &HeaderValue| {
            let origin = origin.to_str().ok().map(str::to_ascii_lowercase);
            origin.is_some_and(|origin| self.origins.contains(&origin))
        };
        let good =
            headers.get_all(header::ORIGIN).iter().all(ours) && fetch_site_ok(headers, request.method());
        if !good {
            None
        } else if host == self.own || self.added.contains(&host) {
            Some(HostKind::Name)
        } else {
            self.bare.contains(&host).then_some(HostKind::Bare)
        }
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
