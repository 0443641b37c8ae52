//! Signals that are posted.
//!
//! What: the fate of each signal from the store, and what its sender is told; a post of a health app as signals. Why: a sender is told item by item, in time.
//! Not here: the page's side of it (`surfaces`, which admits them), offering a signal to its agent (`actors::orchestrator::intake`).

use super::{ServiceBackend, read};
use crate::{
    actors::orchestrator::{PostSignals, PostedSignal},
    config::AGENTS_KEY,
    post_progress::PostOutcome,
};
use agents::wellness::HealthPost;
use aura_memory::SignalKey;
use aura_platform::mailbox::send;
use orchestrator_machine::supervision::SupervisedRole;
use std::time::{Duration, Instant};
use surfaces::backend::{BackendError, HealthPostReply, RejectedSignal, SIGNALS_MAX, SignalReply};
use tokio::sync::oneshot;
use toolcall_schema::{
    gate::admit_signal,
    signal::{AdmittedSignal, Signal},
};

/// How long a post of a health app waits in all: a request has 10 s.
const HEALTH_WAIT: Duration = Duration::from_secs(6);

/// How long the sender of signals waits: then it is told which ones to send again.
const POST_WAIT: Duration = Duration::from_secs(3);

/// A signal as the gate lets it in: it is read as if it had come by a post.
fn admit(signal: &Signal) -> Option<AdmittedSignal> {
    let bytes = serde_json::to_vec(signal).ok()?;
    admit_signal(&bytes).ok()
}

impl ServiceBackend {
    /// Takes signals in, and says what became of each.
    pub(super) async fn take_signals(
        &self,
        signals: Vec<AdmittedSignal>,
    ) -> Result<SignalReply, BackendError> {
        let count = signals.len();
        let outcome = match tokio::time::timeout(POST_WAIT, self.post(signals)).await {
            Ok(outcome) => outcome?,
            // Whatever it waits for goes on; what is read meanwhile is not read again.
            Err(_) => PostOutcome {
                again: (0..count).collect(),
                ..PostOutcome::default()
            },
        };
        let refused = outcome.refused.into_iter().map(|index| RejectedSignal {
            index,
            code: "SIGNAL-005".to_owned(),
            message: "reading this signal ended its agent three times: it is not read any more".to_owned(),
        });
        Ok(SignalReply {
            accepted: outcome.read,
            refused: refused.collect(),
            again: outcome.again,
            full: outcome.full,
        })
    }

    /// Takes a post of Health Auto Export in: its sleep goes the way of signals, in lists as others send them.
    pub(super) async fn take_health_post(
        &self,
        body: Vec<u8>,
    ) -> Result<Option<HealthPostReply>, BackendError> {
        let begun = Instant::now();
        let (key, now) = (self.vault.seed().key(AGENTS_KEY), self.clock.wall());
        let read = tokio::task::spawn_blocking(move || {
            let mut post = HealthPost::parse(&body, &key, now)?;
            let signals = std::mem::take(&mut post.signals);
            let admitted: Vec<AdmittedSignal> = signals.iter().filter_map(admit).collect();
            Some((post, admitted))
        });
        let Some((post, mut signals)) = read.await.map_err(|_| BackendError::Stopping)? else {
            return Ok(None);
        };
        let mut out = HealthPostReply {
            broken: post.broken,
            ahead: post.ahead,
            too_old: post.too_old,
            unused: post.unused,
            ..HealthPostReply::default()
        };
        while !signals.is_empty() {
            if begun.elapsed() > HEALTH_WAIT {
                out.again += signals.len();
                break;
            }
            let later = signals.split_off(signals.len().min(SIGNALS_MAX));
            let reply = self.take_signals(std::mem::replace(&mut signals, later)).await?;
            out.read += reply.accepted;
            out.refused += reply.refused.len();
            out.again += reply.again.len();
            out.full |= reply.full;
            if !reply.again.is_empty() {
                out.again += signals.len();
                break;
            }
        }
        Ok(Some(out))
    }

    /// Posts signals with what the store knows of each, and waits for what becomes of them.
    async fn post(&self, signals: Vec<AdmittedSignal>) -> Result<PostOutcome, BackendError> {
        let seed = self.vault.seed();
        let keys: Vec<SignalKey> = signals
            .iter()
            .map(|admitted| SignalKey::from_signal(seed, admitted.signal()))
            .collect();
        let looked_up = keys.clone();
        let fates = read(self.vault.clone(), move |reader| reader.signal_fates(&looked_up)).await?;
        let posted = signals.into_iter().zip(keys).map(|(signal, key)| PostedSignal {
            fate: fates.get(&key).copied(),
            key,
            signal,
        });
        let (reply, wait) = oneshot::channel();
        let post = PostSignals {
            signals: posted.collect(),
            reply,
            ticket: self.busy.ticket_to(SupervisedRole::Orchestrator),
        };
        send(&self.orchestrator, "orchestrator", post).map_err(|_| BackendError::Busy)?;
        wait.await.map_err(|_| BackendError::Busy)
    }
}
