//! Signals that are posted.
//!
//! What: the fate of each signal from the store, and what its sender is told. Why: a sender is told item by item, in time.
//! Not here: the page's side of it (`surfaces`, which admits them), offering a signal to its agent (`actors::orchestrator::intake`).

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
use toolcall_schema::signal::AdmittedSignal;

/// How long the sender of signals waits: then it is told which ones to send again.
const POST_WAIT: Duration = Duration::from_secs(3);

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
