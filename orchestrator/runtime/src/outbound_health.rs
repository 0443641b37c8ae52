//! Whether what is said aloud or pushed fails.
//!
//! What: [`OutboundHealth`], set by the surfaces that are no page and read by the pages. Why: both know it, and neither the other.
//! Not here: saying and pushing (`outbound`).

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use surfaces::backend::HealthFlag;

/// Which of them fails now. Cloning it shares it.
#[derive(Debug, Clone, Default)]
pub struct OutboundHealth(Arc<FailureFlags>);

#[derive(Debug, Default)]
struct FailureFlags {
    speech: AtomicBool,
    publishing: AtomicBool,
    listening: AtomicBool,
}

impl OutboundHealth {
    /// For the pages; empty: all well, or not configured.
    pub fn flags(&self) -> Vec<HealthFlag> {
        let is = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        let speech = is(&self.0.speech).then_some(HealthFlag::SpeechFailing);
        let push = (is(&self.0.publishing) || is(&self.0.listening)).then_some(HealthFlag::PushFailing);
        speech.into_iter().chain(push).collect()
    }

    pub(crate) fn speech(&self, failing: bool) {
        self.0.speech.store(failing, Ordering::Relaxed);
    }

    pub(crate) fn publishing(&self, failing: bool) {
        self.0.publishing.store(failing, Ordering::Relaxed);
    }

    pub(crate) fn listening(&self, failing: bool) {
        self.0.listening.store(failing, Ordering::Relaxed);
    }
}
