//! Asking a server that gives out tokens, as the owner signs in by her provider (OAuth 2).
//!
//! What: [`TokenRequest`], [`ask_token_server`], which has a worker ask it, and what is answered. Why: a token is worth a password, so that what
//! a server says of one is parsed where nothing can be reached. Not here: the asking itself (`token_server`), when it is asked and what is kept
//! (the runtime).

use super::{
    AccountRequest, AccountWorker, LookFailure, ServerPlace, WorkerEnd,
    wire::{FromAccountWorker, MARK_MAX},
};
use crate::WorkerProgram;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};
use std::{fmt, net::TcpStream, time::Instant};
use zeroize::{Zeroize as _, Zeroizing};

/// What stands in a field as it is (RFC 3986, 2.3).
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// What a server is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenRequestKind {
    /// Which addresses it has (RFC 8414); the place is its issuer.
    Metadata,
    /// A code for the owner to type elsewhere (RFC 8628).
    Device,
    /// Tokens (RFC 6749).
    Tokens,
    /// To forget a token (RFC 7009).
    Revoke,
}

/// One question. Never shown, wiped when dropped: it holds codes and tokens.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenRequest {
    pub kind: TokenRequestKind,
    pub fields: Vec<(String, String)>,
}

impl fmt::Debug for TokenRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TokenRequest({:?}, ..)", self.kind)
    }
}

impl Drop for TokenRequest {
    fn drop(&mut self) {
        for (_, value) in &mut self.fields {
            value.zeroize();
        }
    }
}

impl TokenRequest {
    /// Of fields, without those that are empty.
    pub fn new(kind: TokenRequestKind, fields: &[(&str, &str)]) -> Self {
        let fields = fields.iter().filter(|(_, value)| !value.is_empty());
        let fields = fields.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Self {
            kind,
            fields: fields.collect(),
        }
    }

    /// As a form is sent.
    pub(super) fn form(&self) -> Zeroizing<String> {
        form_of(
            self.fields
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str())),
        )
    }
}

fn form_of<'a>(fields: impl Iterator<Item = (&'a str, &'a str)>) -> Zeroizing<String> {
    let mut form = Zeroizing::new(String::new());
    for (name, value) in fields {
        if !form.is_empty() {
            form.push('&');
        }
        form.push_str(name);
        form.push('=');
        form.extend(utf8_percent_encode(value, ENCODED));
    }
    form
}

/// An address with fields more in its query, for the owner's browser.
pub fn address_with(place: &ServerPlace, fields: &[(&str, &str)]) -> String {
    let sign = if place.path.contains('?') { '&' } else { '?' };
    let fields = fields.iter().filter(|(_, value)| !value.is_empty()).copied();
    format!("{}{sign}{}", place.address(), *form_of(fields))
}

/// The addresses of a server, as it says itself. They are texts of a stranger's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenServerMetadata {
    pub authorize: Option<String>,
    pub token: Option<String>,
    pub device: Option<String>,
    pub revoke: Option<String>,
}

/// A code that the owner types at an address. `device_code` is a secret.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceCode {
    pub device_code: String,
    pub user_code: String,
    pub address: String,
    pub expires_s: u64,
    pub interval_s: u64,
}

impl fmt::Debug for DeviceCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DeviceCode(..)")
    }
}

/// Tokens that were given out. Never shown, wiped when dropped.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IssuedTokens {
    pub access: String,
    /// Absent: the one before stays.
    pub refresh: Option<String>,
    pub expires_s: Option<u64>,
}

impl fmt::Debug for IssuedTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IssuedTokens(..)")
    }
}

impl Drop for IssuedTokens {
    fn drop(&mut self) {
        self.access.zeroize();
        self.refresh.zeroize();
    }
}

/// Why a server gives no token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenRefusal {
    /// The owner has not answered yet.
    Pending,
    /// It wants to be asked less often.
    SlowDown,
    /// The owner, or her provider, said no.
    Denied,
    /// The code has expired.
    Expired,
    /// The code or token that was shown counts no more.
    GrantEnded,
    /// Another reason, by its name: small letters, digits and `_` alone.
    Other(String),
}

impl TokenRefusal {
    /// By the name that a server gives it.
    pub fn from_name(name: &str) -> Self {
        const NAME_MAX: usize = 40;
        let signs = name
            .chars()
            .filter(|sign| sign.is_ascii_alphanumeric() || *sign == '_');
        match name {
            "authorization_pending" => Self::Pending,
            "slow_down" => Self::SlowDown,
            "access_denied" => Self::Denied,
            "expired_token" => Self::Expired,
            "invalid_grant" => Self::GrantEnded,
            _ => Self::Other(signs.take(NAME_MAX).collect()),
        }
    }
}

/// What a server answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenAnswer {
    Metadata(TokenServerMetadata),
    Device(DeviceCode),
    Tokens(IssuedTokens),
    Revoked,
    Refused(TokenRefusal),
}

/// Whether a text of a server can be shown and sent on: visible, and not too long.
pub(super) fn is_visible(text: &str) -> bool {
    (1..=MARK_MAX).contains(&text.len()) && text.bytes().all(|byte| (b'!'..=b'~').contains(&byte))
}

/// Has a worker ask a server for tokens on a connection that `connect` opens. Blocks as [`super::read_account`] does.
///
/// # Errors
/// [`LookFailure`]; a server that says no is none.
pub fn ask_token_server(
    program: &WorkerProgram,
    name: &str,
    request: &AccountRequest,
    connect: &mut dyn FnMut() -> Result<TcpStream, LookFailure>,
) -> Result<TokenAnswer, LookFailure> {
    let until = Instant::now() + super::LOOK_WITHIN;
    let worker = AccountWorker::start(program, name)?;
    let ended = worker.converse(request, until, connect, &mut |_: FromAccountWorker| {
        // Nothing else is asked of it.
        Err(LookFailure::Broken)
    });
    worker.end(&ended);
    match ended? {
        WorkerEnd::Answered(answer) => Ok(answer),
        WorkerEnd::Read(_) | WorkerEnd::Changed(_) => Err(LookFailure::WorkerEnded),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_sent_as_a_form_and_secrets_are_never_shown() {
        let request = TokenRequest::new(
            TokenRequestKind::Tokens,
            &[
                ("code", "a b&c=d/ü"),
                ("client_secret", ""),
                ("client_id", "x-1.y_2~"),
            ],
        );
        assert_eq!(
            request.form().as_str(),
            "code=a%20b%26c%3Dd%2F%C3%BC&client_id=x-1.y_2~"
        );
        assert!(!format!("{request:?}").contains("a b"));
        let place = ServerPlace::parse("https://login.example/authorize?tenant=1").unwrap();
        assert_eq!(
            address_with(&place, &[("scope", "mail read"), ("none", "")]),
            "https://login.example/authorize?tenant=1&scope=mail%20read"
        );
    }

    #[test]
    fn refusals_are_known_by_their_names_and_other_text_is_cut() {
        assert_eq!(TokenRefusal::from_name("slow_down"), TokenRefusal::SlowDown);
        assert_eq!(
            TokenRefusal::from_name("<b>\u{202e}invalid_client</b>"),
            TokenRefusal::Other("binvalid_clientb".to_owned())
        );
        assert!(
            matches!(TokenRefusal::from_name(&"x".repeat(900)), TokenRefusal::Other(name) if name.len() == 40)
        );
    }
}
