//! Signals that are posted.
//!
//! What: each signal through the gate, its fate from the store, and what its sender is told. Why: a sender is told item by item, in time.
//! Not here: the page's side of it (`surfaces`), offering a signal to its agent (`actors::orchestrator::intake`).

use super::{ServiceBackend, read};
use crate::{
    actors::orchestrator::{PostSignals, PostedSignal},
    post_progress::PostOutcome,
};
use aura_memory::SignalKey;
use aura_platform::mailbox::send;
use orchestrator_machine::supervision::SupervisedRole;
use std::time::Duration;
use surfaces::backend::{BackendError, RejectedSignal, SignalReply};
use tokio::sync::oneshot;
use toolcall_schema::{
    gate,
    signal::{Signal, SignalPayload},
};

/// How long the sender of signals waits: then it is told which ones to send again.
const POST_WAIT: Duration = Duration::from_secs(3);

impl ServiceBackend {
    /// Takes signals in, and says what became of each.
    pub(super) async fn take_signals(&self, signals: Vec<Signal>) -> Result<SignalReply, BackendError> {
        let mut refused = Vec::new();
        let (mut places, mut admitted) = (Vec::new(), Vec::new());
        for (index, signal) in signals.into_iter().enumerate() {
            match gate::admit_signal(&serde_json::to_vec(&signal).unwrap_or_default()) {
                Ok(pair) => {
                    places.push(index);
                    admitted.push(pair);
                }
                Err(error) => refused.push(RejectedSignal {
                    index,
                    code: error.code.as_str().to_owned(),
                    message: error.message,
                }),
            }
        }
        if admitted.is_empty() {
            return Ok(SignalReply {
                refused,
                ..SignalReply::default()
            });
        }
        let place = |at: usize| places.get(at).copied().unwrap_or(at);
        let outcome = match tokio::time::timeout(POST_WAIT, self.post(admitted)).await {
            Ok(outcome) => outcome?,
            // Whatever it waits for goes on; what is read meanwhile is not read again.
            Err(_) => PostOutcome {
                again: (0..places.len()).collect(),
                ..PostOutcome::default()
            },
        };
        refused.extend(outcome.refused.into_iter().map(|at| RejectedSignal {
            index: place(at),
            code: "SIGNAL-005".to_owned(),
            message: "reading this signal ended its agent three times: it is not read any more".to_owned(),
        }));
        refused.sort_by_key(|signal| signal.index);
        Ok(SignalReply {
            accepted: outcome.read,
            refused,
            again: outcome.again.into_iter().map(place).collect(),
            full: outcome.full,
        })
    }

    /// Posts signals that passed the gate, with what the store knows of each, and waits for what becomes of them.
    async fn post(&self, admitted: Vec<(Signal, SignalPayload)>) -> Result<PostOutcome, BackendError> {
        let seed = self.vault.seed();
        let keys: Vec<SignalKey> = admitted
            .iter()
            .map(|(signal, _)| SignalKey::of(seed, signal))
            .collect();
        let looked_up = keys.clone();
        let fates = read(self.vault.clone(), move |reader| reader.signal_fates(&looked_up)).await?;
        let posted = admitted
            .into_iter()
            .zip(keys)
            .map(|((signal, payload), key)| PostedSignal {
                fate: fates.get(&key).copied(),
                key,
                signal,
                payload,
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
