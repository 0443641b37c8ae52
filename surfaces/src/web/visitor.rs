//! Who asks, and the tokens of the pages they got.

use crate::devices::{DeviceId, Scope};
use toolcall_schema::ids::{hex, sha256_hex};

tokio::task_local! {
    /// Who asked, while a handler runs: pages put the asker's own token into themselves.
    pub(super) static VISITOR: Option<Visitor>;
}

/// A device at the door.
#[derive(Clone)]
pub(super) struct Visitor {
    pub(super) device: DeviceId,
    pub(super) scope: Scope,
    pub(super) by: By,
}

#[derive(Clone)]
pub(super) enum By {
    /// A browser with its cookie; the token of this process's pages for it.
    Cookie { page: String },
    /// A program that sent its secret.
    Bearer,
}

/// Who asked; `None`: a stranger at an open route. Only while a handler runs.
pub(super) fn visitor() -> Option<Visitor> {
    VISITOR.try_with(Clone::clone).ok().flatten()
}

/// Makes the tokens of pages.
pub(super) struct Keys {
    nonce: String,
}

impl Keys {
    /// From the process's own random bytes.
    pub(super) fn new(nonce: [u8; 16]) -> Self {
        Self { nonce: hex(&nonce) }
    }

    /// Bound to the device's secret and to this process.
    pub(super) fn page_of(&self, secret: &str) -> String {
        sha256_hex(format!("aura.page:{}:{secret}", self.nonce).as_bytes())
    }

    /// What the meta tag of the asker's page holds; empty for a program, which needs none.
    #[expect(clippy::unused_self, reason = "only who makes the tokens may hand one out")]
    pub(super) fn page(&self) -> String {
        match visitor().map(|visitor| visitor.by) {
            Some(By::Cookie { page }) => page,
            Some(By::Bearer) | None => String::new(),
        }
    }
}

/// This process's name in the ids of its events; says nothing about the random bytes that it is made from.
pub(super) fn process(nonce: [u8; 16]) -> String {
    let name = sha256_hex(format!("aura.process:{}", hex(&nonce)).as_bytes());
    name.chars().take(12).collect()
}
