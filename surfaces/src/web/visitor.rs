//! The identity behind a request, and the tokens of its pages.

use surfaces_base::devices::{DeviceId, DeviceScope};
use toolcall_schema::ids::{hex, sha256_hex};

tokio::task_local! {
    /// The identity behind the running request: its token goes into the page.
    pub(super) static VISITOR: Option<RequestIdentity>;
}

/// The device that sent a request.
#[derive(Clone)]
pub(super) struct RequestIdentity {
    pub(super) device: DeviceId,
    pub(super) scope: DeviceScope,
    pub(super) by: CredentialKind,
}

#[derive(Clone)]
pub(super) enum CredentialKind {
    /// A browser with its cookie; the token of this process's pages for it.
    Cookie { page: String },
    /// A program that sent its secret.
    Bearer,
}

/// The identity behind the running request; `None`: not authenticated, at an open route.
pub(super) fn visitor() -> Option<RequestIdentity> {
    VISITOR.try_with(Clone::clone).ok().flatten()
}

/// Makes the tokens of pages.
pub(super) struct PageTokens {
    nonce: String,
}

impl PageTokens {
    /// From the process's own random bytes.
    pub(super) fn new(nonce: [u8; 16]) -> Self {
        Self { nonce: hex(&nonce) }
    }

    /// Bound to the device's secret and to this process.
    pub(super) fn page_of(&self, secret: &str) -> String {
        sha256_hex(format!("aura.page:{}:{secret}", self.nonce).as_bytes())
    }

    /// The token for the meta tag of the requested page; empty for a program, which needs none.
    #[expect(clippy::unused_self, reason = "only who makes the tokens may hand one out")]
    pub(super) fn page(&self) -> String {
        match visitor().map(|visitor| visitor.by) {
            Some(CredentialKind::Cookie { page }) => page,
            Some(CredentialKind::Bearer) | None => String::new(),
        }
    }
}

/// This process's name in the ids of its events; says nothing about the random bytes that it is made from.
pub(super) fn process_name(nonce: [u8; 16]) -> String {
    let name = sha256_hex(format!("aura.process:{}", hex(&nonce)).as_bytes());
    name.chars().take(12).collect()
}
