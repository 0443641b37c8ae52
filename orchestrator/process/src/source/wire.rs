//! What the service and the worker of an account say to each other.
//!
//! What: the one frame to the worker ([`AccountRequest`]) and those from it ([`FromAccountWorker`]), with their bounds. Why: both sides are one
//! build, and neither trusts the other's sizes. Not here: descriptors, which go beside the frames (the parent module).

use super::mail_wire::{MailPart, MailboxTask, OrderOutcome};
use super::server_change::{ChangeOutcome, ServerChange};
use super::token_request::{TokenAnswer, TokenRequest};
use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, fmt};
pub use toolcall_schema::accounts::LookFailure;
use toolcall_schema::wire::VERSION;
use zeroize::Zeroize as _;

/// Bytes of a frame: one event of the largest size, every character escaped.
pub(super) const ACCOUNT_FRAME_MAX: usize = 4 << 20;

/// Bytes of one part's text, before it is escaped.
pub(super) const PART_BYTES_MAX: usize = 1 << 20;

/// How long a request may take, with all that comes back.
const REQUEST_MS: u64 = 30_000;

/// The usual ports of servers of mail.
const IMAPS_PORT: u16 = 993;
const IMAP_PORT: u16 = 143;

/// Characters of a calendar's name, and of a name or mark that the server gave a thing.
pub(super) const NAME_MAX: usize = 120;
pub(super) const MARK_MAX: usize = 2048;

/// The first and the last object of a bank account, around its payments.
pub const STATEMENT_HEAD: &str = "head";
pub const STATEMENT_TAIL: &str = "tail";

/// How a server is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccountProtocol {
    /// One iCalendar file at an address.
    CalendarAddress,
    /// CalDAV (RFC 4791).
    CalDav,
    /// CardDAV (RFC 6352), read only: names, addresses and numbers alone.
    CardDav,
    /// IMAP (RFC 3501, RFC 9051): mail, read without a mark on it.
    Imap,
    /// JMAP (RFC 8620, RFC 8621): mail, read without a mark on it.
    Jmap,
    /// SimpleFIN: bank accounts with their payments.
    SimpleFin,
    /// A sensor of Home Assistant, read only.
    HomeAssistant,
    /// A setup token of SimpleFIN is turned into an address, once.
    SimpleFinClaim,
    /// A server that gives out tokens (OAuth 2).
    TokenServer,
}

/// A host and a port that the owner configured, and where on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerPlace {
    /// Whether it is spoken to over TLS from the first byte on.
    pub is_tls: bool,
    /// A name or an address, without brackets.
    pub host: String,
    pub port: u16,
    /// With its query; begins with `/`. Empty: a server of mail, which has none.
    pub path: String,
}

impl ServerPlace {
    /// As the header `Host` names it.
    pub fn authority(&self) -> String {
        let host = if self.host.contains(':') {
            format!("[{}]", self.host)
        } else {
            self.host.clone()
        };
        if self.port == self.usual_port() {
            host
        } else {
            format!("{host}:{}", self.port)
        }
    }

    fn usual_port(&self) -> u16 {
        match (self.path.is_empty(), self.is_tls) {
            (false, true) => 443,
            (false, false) => 80,
            (true, true) => IMAPS_PORT,
            (true, false) => IMAP_PORT,
        }
    }

    /// As a login belongs to it: scheme, host and port.
    pub fn server(&self) -> String {
        let scheme = match (self.path.is_empty(), self.is_tls) {
            (false, true) => "https",
            (false, false) => "http",
            (true, true) => "imaps",
            (true, false) => "imap",
        };
        format!("{scheme}://{}", self.authority())
    }

    /// As it is written whole.
    pub fn address(&self) -> String {
        format!("{}{}", self.server(), self.path)
    }

    /// Of an address of a server of mail: `imaps://HOST[:PORT]` (993), `imap://HOST[:PORT]` (143, where TLS begins by STARTTLS) or `HOST[:PORT]`,
    /// which is the first of them unless the port is 143. `None`: it is none, or names a user or a folder.
    pub fn parse_imap(address: &str) -> Option<Self> {
        let address = address.trim();
        let (scheme, rest) = match address.split_once("://") {
            Some((scheme, rest)) => (scheme.to_ascii_lowercase(), rest),
            None => (String::new(), address),
        };
        let authority: http::uri::Authority = rest.trim_end_matches('/').parse().ok()?;
        if authority.as_str().contains('@') {
            return None;
        }
        let port = authority.port_u16();
        if port.is_none() && authority.as_str().ends_with(':') {
            return None;
        }
        let is_tls = match scheme.as_str() {
            "imaps" => true,
            "imap" => false,
            "" => port != Some(IMAP_PORT),
            _ => return None,
        };
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        Some(Self {
            is_tls,
            host: host.to_ascii_lowercase(),
            port: port.unwrap_or(if is_tls { IMAPS_PORT } else { IMAP_PORT }),
            path: String::new(),
        })
    }

    /// Of an address; `None`: it is none of `http`, `https`, `webcal` and `webcals`, or names a user.
    pub fn parse(address: &str) -> Option<Self> {
        let (scheme, rest) = address.trim().split_once("://")?;
        let is_tls = match scheme.to_ascii_lowercase().as_str() {
            // A program that is given one asks for it over TLS, as all do today.
            "https" | "webcal" | "webcals" => true,
            "http" => false,
            _ => return None,
        };
        let scheme = if is_tls { "https" } else { "http" };
        // What comes after # is the browser's alone.
        let rest = rest.split('#').next().unwrap_or_default();
        let uri: http::Uri = format!("{scheme}://{rest}").parse().ok()?;
        let authority = uri.authority()?;
        if authority.as_str().contains('@') {
            return None;
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        Some(Self {
            is_tls,
            host: host.to_ascii_lowercase(),
            port: uri.port_u16().unwrap_or(if is_tls { 443 } else { 80 }),
            path: if path.is_empty() {
                "/".to_owned()
            } else {
                path.to_owned()
            },
        })
    }

    /// Of an address with a login in it, `https://user:password@host/path`: the place without it, who, and the password. `None`: it is none.
    pub fn parse_with_login(address: &str) -> Option<(Self, String, String)> {
        let (scheme, rest) = address.trim().split_once("://")?;
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at_checked(end)?;
        let (login, host) = authority.rsplit_once('@')?;
        let (user, password) = login.split_once(':')?;
        let place = Self::parse(&format!("{scheme}://{host}{path}"))?;
        Some((place, percent_decoded(user)?, percent_decoded(password)?))
    }

    /// Whether both are on one port of one host, spoken to in one way.
    pub fn is_same_server(&self, other: &Self) -> bool {
        (self.is_tls, &self.host, self.port) == (other.is_tls, &other.host, other.port)
    }

    /// The path that a link on it leads to.
    ///
    /// # Errors
    /// [`LookFailure::Elsewhere`] with the host that it names.
    pub(super) fn follow(&self, link: &str, from: &str) -> Result<String, LookFailure> {
        if link.contains("://") {
            return match Self::parse(link) {
                Some(place) if self.is_same_server(&place) => Ok(place.path),
                Some(place) => Err(elsewhere(&place)),
                None => Err(LookFailure::Broken),
            };
        }
        if let Some(rest) = link.strip_prefix("//") {
            let scheme = if self.is_tls { "https" } else { "http" };
            return self.follow(&format!("{scheme}://{rest}"), from);
        }
        let path = if link.starts_with('/') {
            link.to_owned()
        } else {
            let folder = from.split('?').next().unwrap_or_default();
            let folder = folder.rsplit_once('/').map_or("", |(folder, _)| folder);
            format!("{folder}/{link}")
        };
        // What can be no request's target is not asked for.
        path.parse::<http::uri::PathAndQuery>()
            .map(|_| path)
            .map_err(|_| LookFailure::Broken)
    }
}

/// A part of an address without its `%40` and the like (RFC 3986, 2.1); `None`: it is no text.
fn percent_decoded(part: &str) -> Option<String> {
    let text = percent_decode_str(part).decode_utf8();
    text.ok().map(Cow::into_owned)
}

fn elsewhere(place: &ServerPlace) -> LookFailure {
    let host: String = place.server().chars().take(NAME_MAX).collect();
    // One that is too long to be shown is not accepted by a tap.
    let path = place.path.as_str();
    let path = if path.len() <= MARK_MAX { path } else { "" };
    LookFailure::Elsewhere {
        host,
        path: path.to_owned(),
    }
}

/// Who the owner is there. Wiped when dropped, never shown.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccountLogin {
    pub user: String,
    pub password: String,
}

impl fmt::Debug for AccountLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AccountLogin(..)")
    }
}

impl Drop for AccountLogin {
    fn drop(&mut self) {
        self.password.zeroize();
    }
}

/// A token in place of a password, as her provider gave it (RFC 6750). Wiped when dropped, never shown.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccessToken {
    /// Who the owner is there; of mail alone.
    pub user: String,
    pub token: String,
}

impl fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AccessToken(..)")
    }
}

impl Drop for AccessToken {
    fn drop(&mut self) {
        self.token.zeroize();
    }
}

/// A calendar that was read before, with what the server said of how far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownCalendar {
    pub id: String,
    pub mark: String,
}

/// The one frame to the worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccountRequest {
    v: u32,
    pub protocol: AccountProtocol,
    pub place: ServerPlace,
    /// SHA-256 of the one certificate that is trusted, 64 hexadecimal digits; absent: those that this computer trusts.
    pub pin: Option<String>,
    pub login: Option<AccountLogin>,
    /// In place of a login.
    pub token: Option<AccessToken>,
    /// From when to when is asked for: of calendars `20261127T000000Z`, of payments seconds since 1970, of a sensor as RFC 3339 has it.
    pub span: [String; 2],
    /// What need not be read whole again.
    pub known: Vec<KnownCalendar>,
    /// What is to be changed there, in place of reading.
    pub change: Option<ServerChange>,
    /// How long each request may take, in milliseconds.
    pub request_ms: u64,
    /// How mail is read; absent: calendars are.
    pub mail: Option<MailboxTask>,
    /// What is asked of a server that gives out tokens.
    pub token_request: Option<TokenRequest>,
}

impl AccountRequest {
    /// For a place, without anything that is known.
    pub fn new(protocol: AccountProtocol, place: ServerPlace, span: [String; 2]) -> Self {
        Self {
            v: VERSION,
            protocol,
            place,
            pin: None,
            login: None,
            token: None,
            span,
            known: Vec::new(),
            change: None,
            request_ms: REQUEST_MS,
            mail: None,
            token_request: None,
        }
    }

    pub(super) fn version(&self) -> u64 {
        u64::from(self.v)
    }
}

/// A piece of what a look found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "part", rename_all = "snake_case", deny_unknown_fields)]
pub enum AccountPart {
    /// What follows is of this calendar.
    Calendar {
        id: String,
        name: String,
        /// Whether what was known of it goes.
        is_whole: bool,
        /// How far it is read now.
        mark: Option<String>,
        /// Whether events may be put there, as far as the server says.
        takes_events: bool,
    },
    /// An object of it, new or changed: iCalendar as the server sent it.
    Object { id: String, text: String },
    /// One that is there no more.
    Gone { id: String },
}

impl AccountPart {
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Calendar { id, name, .. } => id.len() + name.len(),
            Self::Object { id, text } => id.len() + text.len(),
            Self::Gone { id } => id.len(),
        }
    }
}

/// The frames from the worker.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum FromAccountWorker {
    /// It is in its sandbox, which is that.
    Ready {
        sandbox: String,
    },
    /// It wants a connection; the descriptor comes with one byte.
    Connect,
    Part(AccountPart),
    /// All of it was handed over. These are the calendars that there are.
    Done {
        calendars: Vec<String>,
    },
    Failed {
        failure: LookFailure,
    },
    /// From here on something may be changed there.
    Changing,
    /// What became of the change.
    Changed(ChangeOutcome),
    /// What a server said of tokens.
    Token(TokenAnswer),
    /// A piece of mail.
    Mail(MailPart),
    /// A look at mail is done, and it waits. These are the folders that there are, where all were looked at.
    Looked {
        folders: Option<Vec<String>>,
    },
    /// An order was carried out, or not.
    Ordered {
        number: u64,
        outcome: OrderOutcome,
    },
}

/// A frame with its version.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FromAccountWorkerEnvelope {
    pub(super) v: u32,
    pub(super) frame: FromAccountWorker,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(address: &str) -> ServerPlace {
        ServerPlace::parse(address).unwrap()
    }

    #[test]
    fn addresses_are_read_with_their_usual_ports_and_none_with_a_user_in_it() {
        for (address, is_tls, host, port, path) in [
            ("https://dav.example.org", true, "dav.example.org", 443, "/"),
            (
                "webcal://Example.org/a.ics?key=1#x",
                true,
                "example.org",
                443,
                "/a.ics?key=1",
            ),
            ("http://[::1]:5232/kim/", false, "::1", 5232, "/kim/"),
        ] {
            let expected = ServerPlace {
                is_tls,
                host: host.to_owned(),
                port,
                path: path.to_owned(),
            };
            assert_eq!(ServerPlace::parse(address), Some(expected));
        }
        for wrong in [
            "ftp://example.org/a",
            "example.org",
            "https://kim:pass@example.org/",
            "https://",
        ] {
            assert_eq!(ServerPlace::parse(wrong), None, "{wrong}");
        }
        assert_eq!(place("http://[::1]:5232/").authority(), "[::1]:5232");
        assert_eq!(
            place("https://example.org:8443/x").server(),
            "https://example.org:8443"
        );
        assert_eq!(place("https://example.org/").authority(), "example.org");
    }

    #[test]
    fn servers_of_mail_are_named_by_their_host() {
        for (address, is_tls, port, server) in [
            ("mail.example.org", true, 993, "imaps://mail.example.org"),
            ("Mail.example.org:143", false, 143, "imap://mail.example.org"),
            (
                "mail.example.org:1993",
                true,
                1993,
                "imaps://mail.example.org:1993",
            ),
            ("imaps://mail.example.org/", true, 993, "imaps://mail.example.org"),
            (
                "imap://mail.example.org:1143",
                false,
                1143,
                "imap://mail.example.org:1143",
            ),
            ("imaps://[::1]:1993", true, 1993, "imaps://[::1]:1993"),
        ] {
            let place = ServerPlace::parse_imap(address).unwrap();
            assert_eq!(
                (place.is_tls, place.port, place.server().as_str()),
                (is_tls, port, server)
            );
        }
        for wrong in [
            "https://mail.example.org",
            "imaps://kim:pass@mail.example.org",
            "kim@mail.example.org",
            "imaps://mail.example.org/INBOX",
            "mail.example.org:",
            "",
        ] {
            assert_eq!(ServerPlace::parse_imap(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn links_stay_on_the_server_that_the_owner_named() {
        let dav = place("https://dav.example.org/");
        for (link, path) in [
            ("/kim/", "/kim/"),
            ("work/", "/kim/work/"),
            ("https://dav.example.org/x", "/x"),
            ("https://DAV.example.org:443/x?y", "/x?y"),
            ("//dav.example.org/x", "/x"),
        ] {
            assert_eq!(dav.follow(link, "/kim/a.ics"), Ok(path.to_owned()), "{link}");
        }
        for (link, host, path) in [
            (
                "http://169.254.169.254/latest",
                "http://169.254.169.254",
                "/latest",
            ),
            ("//evil.example", "https://evil.example", "/"),
            (
                "https://dav.example.org:8443/",
                "https://dav.example.org:8443",
                "/",
            ),
            ("http://dav.example.org/a?b", "http://dav.example.org", "/a?b"),
        ] {
            let (host, path) = (host.to_owned(), path.to_owned());
            assert_eq!(
                dav.follow(link, "/"),
                Err(LookFailure::Elsewhere { host, path }),
                "{link}"
            );
        }
        assert_eq!(dav.follow("/a b", "/"), Err(LookFailure::Broken));
        assert_eq!(dav.follow("file:///etc/passwd", "/"), Err(LookFailure::Broken));
    }
}
