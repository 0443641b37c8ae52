//! Signing in to an account by its provider, as pages begin and end it.
//!
//! What: [`SignInDraft`], what the owner's file says of it; how a sign-in begins, stands and fails. Why: the page, the command line and the service
//! speak of it in the same words. Not here: asking a provider (`orchestrator`), the words (`words`).

use serde::{Deserialize, Serialize};
use std::fmt;
use toolcall_schema::{Timestamp, accounts::LookFailure};

/// How an account is signed in to, as the file names it (OAuth 2). No secret stands in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SignInDraft {
    /// What the provider calls the owner's Aura.
    pub client_id: String,
    /// Where the other addresses are asked for (RFC 8414).
    pub issuer: Option<String>,
    /// Hosts besides that one which its addresses may be on.
    pub hosts: Vec<String>,
    /// Where the owner's browser is sent,
    pub authorize: Option<String>,
    /// where tokens are asked for,
    pub token: Option<String>,
    /// where a code to type is asked for,
    pub device: Option<String>,
    /// and where a token is given back.
    pub revoke: Option<String>,
    /// What is asked for, in the provider's words.
    pub scope: Option<String>,
    /// Under which name of this computer the browser comes back; absent: 127.0.0.1.
    pub redirect: Option<String>,
}

impl SignInDraft {
    /// Its texts that are not there always, by their keys.
    pub fn optional_texts(&self) -> [(&'static str, Option<&String>); 7] {
        [
            ("issuer", self.issuer.as_ref()),
            ("authorize", self.authorize.as_ref()),
            ("token", self.token.as_ref()),
            ("device", self.device.as_ref()),
            ("revoke", self.revoke.as_ref()),
            ("scope", self.scope.as_ref()),
            ("redirect", self.redirect.as_ref()),
        ]
    }

    /// All its texts, for a bound on each.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let optional = self.optional_texts().into_iter().filter_map(|(_, text)| text);
        let hosts = self.hosts.iter();
        std::iter::once(&self.client_id)
            .chain(optional)
            .chain(hosts)
            .map(String::as_str)
    }
}

/// How the owner signs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignInWay {
    /// In a browser on this computer, which comes back to Aura.
    Browser,
    /// By a code that she types on any device.
    Device,
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignInStanding {
    NotYet,
    /// It was begun, and the provider is waited for.
    Underway,
    SignedIn,
    /// The provider takes it no more.
    Ended,
}

/// What the owner does next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignInBegun {
    /// Opens that address in a browser on this computer.
    Browser { address: String, host: String },
    /// Types that code there.
    Device {
        code: String,
        address: String,
        until: Timestamp,
    },
}

/// Why nobody is signed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignInFailure {
    /// There is no such account.
    NoAccount,
    /// It is logged in to by a password.
    ByPassword,
    /// The provider has no such way.
    NoWay,
    /// The owner, or the provider, said no.
    Denied,
    /// It took too long.
    Expired,
    /// It was not begun here, or is over: nothing was sent anywhere.
    NotBegun,
    /// The provider refuses, by a name of its own.
    Refused { why: String },
    /// The provider cannot be asked.
    Unreachable { failure: LookFailure },
    /// It could not be kept.
    NotKept,
}

/// With what the browser comes back. Never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct SignInRedirect {
    pub state: String,
    pub code: Option<String>,
    pub error: Option<String>,
    /// Who sent it (RFC 9207).
    pub issuer: Option<String>,
}

impl fmt::Debug for SignInRedirect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SignInRedirect(..)")
    }
}
