//! What leads outside beside the pages: the earbud, the phone's notifications, the owner's collector of ticks and figures.
//!
//! What: starts them beside a running system, and remembers which of them fails. Why: each can be absent, slow or broken without
//! anything else waiting for it: the machine hears from them by events only, and its timers run on. Not here: what is to be said or
//! pushed (the machine decides), words (`surfaces`).

pub mod listen;
pub mod ntfy;
pub mod publish;
mod push_undo;
pub(crate) mod settings;
pub mod speech;
pub mod telemetry;
pub mod web_push;

pub use settings::{OutboundConfig, SpeechConfig};

use crate::{backend::ServiceBackend, outbound_health::PublishWay};
use orchestrator_machine::{EventKind, supervision::longer_pause};
use publish::NtfyChannel;
use std::time::Duration;
use surfaces_base::devices::SubscriptionId;
use tokio::sync::{mpsc, watch};
use toolcall_schema::Surface;
use web_push::{WebPush, WebPushChannel};

/// Ended subscriptions that wait to be removed.
const ENDED_WAITING: usize = 32;

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
        longer_pause(pause, Self::LONGEST)
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
        let channel = NtfyChannel::new(ntfy, patience);
        let started = publish::start(channel, patience, backend, stopped.clone())
            .and_then(|()| listen::start(ntfy, patience, backend, stopped.clone()));
        if let Err(error) = started {
            tracing::warn!(%error, "nothing is pushed: no thread for it");
            backend.outbound.publishing(PublishWay::Ntfy, true);
        }
    }
    if let Some(collector) = &outbound.telemetry {
        let started = telemetry::start(collector, patience, backend, stopped.clone());
        if let Err(error) = started {
            tracing::warn!(%error, "nothing is sent to the collector: no thread for it");
        }
    }
    if let Some(push) = backend.web_push.clone().filter(WebPush::is_on) {
        let (ended, ends) = mpsc::channel(ENDED_WAITING);
        let channel = WebPushChannel::new(push.clone(), patience, ended);
        if let Err(error) = publish::start(channel, patience, backend, stopped.clone()) {
            tracing::warn!(%error, "no browser is told: no thread for it");
            backend.outbound.publishing(PublishWay::Browsers, true);
        }
        actix::spawn(remove_ended(backend.clone(), ends));
        // With a server of the owner's the surface is there anyway.
        if outbound.ntfy.is_none() {
            actix::spawn(follow_browsers(push, backend.clone(), stopped.clone()));
        }
    }
}

/// Removes what push services do not know any more, until there is nobody who finds that out.
async fn remove_ended(backend: ServiceBackend, mut ends: mpsc::Receiver<SubscriptionId>) {
    while let Some(id) = ends.recv().await {
        if let Err(error) = backend.end_subscription(&id).await {
            tracing::warn!(%error, "a subscription that has ended could not be removed");
        }
    }
}

/// Tells the machine whether there is a browser that notifications reach.
async fn follow_browsers(push: WebPush, backend: ServiceBackend, mut stopped: watch::Receiver<bool>) {
    let (surface, mut count) = (Surface::Push, push.devices.subscription_count());
    let mut is_there = false;
    loop {
        let now = *count.borrow_and_update() > 0;
        if now != is_there {
            let told = if now {
                EventKind::Connected { surface }
            } else {
                EventKind::Disconnected { surface }
            };
            match backend.inject_event(told) {
                Ok(()) => is_there = now,
                Err(error) => {
                    tracing::warn!(%error, "the machine does not know whether a browser can be told");
                }
            }
        }
        tokio::select! {
            _ = stopped.wait_for(|stop| *stop) => return,
            changed = count.changed() => if changed.is_err() { return },
        }
    }
}

/// Said to the machine itself: these are no pages that come and go.
fn connects(backend: &ServiceBackend, surface: Surface) {
    if let Err(error) = backend.inject_event(EventKind::Connected { surface }) {
        tracing::warn!(%error, surface = surface.as_str(), "not connected");
    }
}
