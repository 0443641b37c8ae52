//! How far a request is.
//!
//! What: [`ProgressSender`], the way back to who asked while the work goes on. Why: who works says what is waited for, and knows
//! nothing of sockets. Not here: what is said ([`RequestProgress`]).

use super::RequestProgress;
use tokio::sync::mpsc::UnboundedSender;

/// Tells who asked what is waited for.
#[derive(Debug, Clone, Default)]
pub struct ProgressSender(Option<UnboundedSender<RequestProgress>>);

impl ProgressSender {
    /// To somebody who listens until the other end is closed.
    pub fn to(listener: UnboundedSender<RequestProgress>) -> Self {
        Self(Some(listener))
    }

    pub(crate) fn say(&self, what: String) {
        self.progress(RequestProgress::Waiting(what));
    }

    /// Says how far it is.
    pub fn progress(&self, progress: RequestProgress) {
        if let Some(listener) = &self.0 {
            // The requester may be gone.
            let _ = listener.send(progress);
        }
    }

    /// Whether somebody listens.
    pub fn is_heard(&self) -> bool {
        self.0.as_ref().is_some_and(|listener| !listener.is_closed())
    }

    /// Until nobody listens any more.
    pub(crate) async fn gone(&self) {
        match &self.0 {
            Some(listener) => listener.closed().await,
            None => std::future::pending().await,
        }
    }
}
