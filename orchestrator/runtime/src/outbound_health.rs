//! Whether what is said aloud or pushed fails, and what came of each attempt.
//!
//! What: [`OutboundHealth`], set by the surfaces that are no page and read by the pages. Why: both know it, and neither the other.
//! Not here: saying and pushing (`outbound`).

use aura_platform::metrics::METRICS;
use surfaces::backend::HealthFlag;
use tokio::sync::watch;

/// Which of them fails now. Cloning it shares it.
#[derive(Debug, Clone, Default)]
pub struct OutboundHealth(watch::Sender<OutboundFailures>);

/// Which of the surfaces that are no page fail.
#[derive(Debug, Clone, Copy, Default)]
pub struct OutboundFailures {
    speech: bool,
    publishing: bool,
    listening: bool,
}

impl OutboundHealth {
    /// For the pages; empty: all well, or not configured.
    pub fn flags(&self) -> Vec<HealthFlag> {
        let failing = *self.0.borrow();
        let speech = failing.speech.then_some(HealthFlag::SpeechFailing);
        let push = (failing.publishing || failing.listening).then_some(HealthFlag::PushFailing);
        speech.into_iter().chain(push).collect()
    }

    /// Tells of each change and of each result.
    pub fn watch(&self) -> watch::Receiver<OutboundFailures> {
        self.0.subscribe()
    }

    /// Counts what came of an attempt.
    pub(crate) fn count(&self, way: &'static str, result: &'static str) {
        METRICS.outbound(way, result);
        self.0.send_modify(|_| {});
    }

    pub(crate) fn speech(&self, is_failing: bool) {
        self.0.send_modify(|failing| failing.speech = is_failing);
    }

    pub(crate) fn publishing(&self, is_failing: bool) {
        self.0.send_modify(|failing| failing.publishing = is_failing);
    }

    pub(crate) fn listening(&self, is_failing: bool) {
        self.0.send_modify(|failing| failing.listening = is_failing);
    }
}
