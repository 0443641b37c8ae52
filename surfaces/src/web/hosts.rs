//! Under which names the server is reached.
//!
//! What: [`HostPolicy`], which admits a request by its Host and Origin. Why: a page of somebody else's can send requests to the loopback, and
//! a name of somebody else's can be made to lead here. Not here: who asks (`guard`).

use super::error::WebError;
use axum::{
    extract::Request,
    http::{HeaderMap, HeaderValue, Method, header, uri::Authority},
};
use std::net::SocketAddr;

/// The host names of a server's pages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageNames {
    /// The name that is this installation's or this owner's alone, e.g. `aura-abc123.localhost`: cookies know no ports, so that a name which
    /// other programs on this machine share would show them ours.
    pub own: String,
    /// Other hosts (`name` or `name:port`) under which the owner's own devices ask, directly or through a reverse proxy; usually none.
    pub added: Vec<String>,
    /// Whether other owners' pages have the same port: then 127.0.0.1 and `localhost` are nobody's.
    pub is_one_of_several: bool,
}

/// The hosts and origins that the server accepts.
pub(super) struct HostPolicy {
    /// `aura-abc123.localhost:7878`
    own: String,
    /// 127.0.0.1, localhost and `[::1]`, with the port.
    bare: Vec<String>,
    /// What the owner added, with and without the port of a door of ours.
    added: Vec<String>,
    origins: Vec<String>,
    is_one_of_several: bool,
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
    /// The installation's own name and, where they are nobody else's, the loopback's names with the bound port, and what the owner added.
    pub(super) fn new(address: SocketAddr, names: &PageNames) -> Self {
        let port = address.port();
        let own = format!("{}:{port}", names.own);
        let shared: &[&str] = if names.is_one_of_several {
            &[]
        } else {
            &["127.0.0.1", "localhost", "[::1]"]
        };
        let bare: Vec<String> = shared.iter().map(|name| format!("{name}:{port}")).collect();
        let added: Vec<String> = names.added.iter().map(|host| host.to_ascii_lowercase()).collect();
        let plain = bare.iter().chain([&own]).map(|host| format!("http://{host}"));
        let both = |host: &String| [format!("https://{host}"), format!("http://{host}")];
        Self {
            origins: plain.chain(added.iter().flat_map(both)).collect(),
            own,
            bare,
            added,
            is_one_of_several: names.is_one_of_several,
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

    /// Under which of our names a request came.
    ///
    /// # Errors
    /// [`WebError::Foreign`] under none of ours, or from a page of somebody else's; [`WebError::Misdirected`] where the name may be another owner's.
    pub(super) fn admit(&self, request: &Request) -> Result<HostKind, WebError> {
        let kind = self.find_kind(request).ok_or(if self.is_one_of_several {
            WebError::Misdirected
        } else {
            WebError::Foreign
        })?;
        let headers = request.headers();
        let ours = |origin: &HeaderValue| {
            let origin = origin.to_str().ok().map(str::to_ascii_lowercase);
            origin.is_some_and(|origin| self.origins.contains(&origin))
        };
        if headers.get_all(header::ORIGIN).iter().all(ours) && fetch_site_ok(headers, request.method()) {
            Ok(kind)
        } else {
            Err(WebError::Foreign)
        }
    }

    /// `None`: under none of our names.
    fn find_kind(&self, request: &Request) -> Option<HostKind> {
        let mut hosts = request.headers().get_all(header::HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return None;
        };
        let host = host.to_str().ok()?.to_ascii_lowercase();
        // A request line with a whole address names a host of its own, which must be the same one.
        let named = request.uri().authority().map(Authority::as_str);
        if named.is_some_and(|named| !named.eq_ignore_ascii_case(&host)) {
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
