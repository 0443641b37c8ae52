//! Surfaces that are not a page: the earbud and the phone's notifications.
//!
//! What: starts them beside a running system, and remembers which of them fails. Why: each can be absent, slow or broken without
//! anything else waiting for it: the machine hears from them by events only, and its timers run on. Not here: what is to be said or
//! pushed (the machine decides), words (`surfaces`).

pub mod listen;
pub mod ntfy;
pub mod publish;
pub(crate) mod settings;
pub mod speech;

pub use settings::{OutboundConfig, SpeechConfig};

use crate::backend::ServiceBackend;
use orchestrator_machine::EventKind;
use std::time::Duration;
use tokio::sync::watch;
use toolcall_schema::Surface;

/// How long anything outside may take.
#[derive(Debug, Clone, Copy)]
pub struct OutboundTimeouts {
    /// A sentence, then its program is killed.
    pub speech: Duration,
    /// One attempt to publish.
    pub publish: Duration,
    /// Silence on the answers' stream; ntfy gives a sign of life every 45 s.
    pub silence: Duration,
    /// The first pause before another attempt; each next one is twice as long, up to [`OutboundTimeouts::LONGEST`].
    pub pause: Duration,
}

impl OutboundTimeouts {
    /// The service's.
    pub const SERVICE: Self = Self {
        speech: Duration::from_secs(10),
        publish: Duration::from_secs(5),
        silence: Duration::from_mins(2),
        pause: Duration::from_secs(1),
    };
    /// The longest pause.
    pub const LONGEST: Duration = Duration::from_mins(1);

    /// The pause after one of this length.
    pub(crate) fn longer(pause: Duration) -> Duration {
        (pause * 2).min(Self::LONGEST)
    }
}

/// Starts what is configured; it ends when told to stop. Must run inside an actix system, after the machine was started.
pub fn start(
    outbound: &OutboundConfig,
    patience: OutboundTimeouts,
    backend: &ServiceBackend,
    stopped: &watch::Receiver<bool>,
) {
    if outbound.speech.enabled {
        match outbound.speech.engine() {
            Ok(engine) => {
                connects(backend, Surface::EarbudTts);
                speech::start(engine, patience, backend, stopped.clone());
            }
            Err(error) => {
                tracing::warn!(%error, "nothing is said aloud");
                backend.outbound.speech(true);
            }
        }
    }
    if let Some(ntfy) = &outbound.ntfy {
        connects(backend, Surface::Push);
        let started = publish::start(ntfy, patience, backend, stopped.clone())
            .and_then(|()| listen::start(ntfy, patience, backend, stopped.clone()));
        if let Err(error) = started {
            tracing::warn!(%error, "nothing is pushed: no thread for it");
            backend.outbound.publishing(true);
        }
    }
}

/// Said to the machine itself: these are no pages that come and go.
fn connects(backend: &ServiceBackend, surface: Surface) {
    if let Err(error) = backend.inject_event(EventKind::Connected { surface }) {
        tracing::warn!(%error, surface = surface.as_str(), "not connected");
    }
}
