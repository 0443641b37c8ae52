//! Trying the ways in which Aura reaches its owner.
//!
//! What: [`NotifyBackend`], and what crosses it. Why: that something would arrive is best known by having it arrive once. Not here: doing it (the
//! backend), words.

use super::{BackendError, BackendFuture};
use serde::{Deserialize, Serialize};

/// What trying needs from the rest of Aura.
pub trait NotifyBackend: Send + Sync + 'static {
    /// Sends something that says that it is a trial, once.
    fn try_channel(&self, channel: NotifyChannel) -> BackendFuture<Result<NotifyOutcome, BackendError>>;
}

/// A way to the owner beside the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotifyChannel {
    /// The owner's browsers, of which each tries itself.
    Browser,
    /// The owner's own ntfy server.
    Phone,
    Watch,
    Speech,
}

impl NotifyChannel {
    /// Those without a place of their own, as a page lists them.
    pub const LISTED: [Self; 3] = [Self::Phone, Self::Watch, Self::Speech];

    /// As a form sends it.
    pub fn as_str(self) -> &'static str {
        match self {
            NotifyChannel::Browser => "browser",
            NotifyChannel::Phone => "phone",
            NotifyChannel::Watch => "watch",
            NotifyChannel::Speech => "speech",
        }
    }
}

/// What came of a trial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotifyOutcome {
    /// It went out: the server took it, the watch's page was told, the sentence was spoken.
    Sent,
    /// Nothing of that kind is set up.
    NotSetUp,
    /// Set up, and nobody is there who would see it.
    NobodyThere,
    /// It did not go out, and why.
    Failed(String),
}
