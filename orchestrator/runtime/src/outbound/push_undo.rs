//! What a notification's button did, told with the way back.
//!
//! What: [`PushedActs`], which remembers the last answers that came by the owner's server, publishes what each did once that is known, and takes it back for who
//! has the right that came with the question. Why: an act is undone where it was done. Not here: the words (`surfaces::push`), how an act is taken back
//! (`surfaces::render::undo`), browsers, whose service worker asks the page itself (`surfaces/assets/sw.js`).

use super::{OutboundTimeouts, ntfy::NtfyServer};
use crate::{backend::ServiceBackend, outbound_health::PublishWay};
use orchestrator_machine::cards;
use std::{collections::VecDeque, time::Duration};
use surfaces::{
    push::{self, UndoRight},
    render::{
        acts::{ActId, UndoState},
        undo::plain_line,
    },
    undoing::{KnownActs, TakingBack, take_back},
};
use surfaces_base::{
    backend::{AnswerSubmission, Backend as _, BackendError, UiEvent, UiEventKind},
    locale,
};
use tokio::sync::broadcast::error::RecvError;
use toolcall_schema::{SubmitAct, ids::TraceId};

/// So many answers are remembered.
const REMEMBERED: usize = 8;
/// What was not done by then is told on the page alone.
const DONE_WITHIN: Duration = Duration::from_secs(10);

/// The last answers that came by notifications.
pub(super) struct PushedActs {
    ntfy: NtfyServer,
    patience: OutboundTimeouts,
    backend: ServiceBackend,
    rights: VecDeque<UndoRight>,
}

impl PushedActs {
    pub(super) fn new(ntfy: &NtfyServer, patience: OutboundTimeouts, backend: &ServiceBackend) -> Self {
        Self {
            ntfy: ntfy.clone(),
            patience,
            backend: backend.clone(),
            rights: VecDeque::new(),
        }
    }

    /// The right that goes with an answer, before it is given; `None`: nothing is done by it, or it answers what is not asked.
    pub(super) async fn right(&self, submission: &AnswerSubmission) -> Option<UndoRight> {
        if submission.act == SubmitAct::Dismiss {
            return None;
        }
        let look = self.backend.look().await.ok()?;
        let asked = cards::card_to_push(&look.state)?.card;
        let capability = submission.capability.clone()?;
        (asked.card_id == submission.card_id).then_some(UndoRight {
            undo: asked.decision.trace_id.clone(),
            capability,
        })
    }

    /// Tells what was done, once it is.
    pub(super) fn offer(&mut self, right: Option<UndoRight>) {
        let Some(right) = right else { return };
        self.rights.push_back(right.clone());
        if self.rights.len() > REMEMBERED {
            self.rights.pop_front();
        }
        let (ntfy, patience, backend) = (self.ntfy.clone(), self.patience, self.backend.clone());
        actix::spawn(async move {
            let told = tokio::time::timeout(DONE_WITHIN, done_line(&backend, &right.undo)).await;
            let Ok(Some(says)) = told else { return };
            let health = backend.outbound.clone();
            let publishing =
                tokio::task::spawn_blocking(move || publish(&ntfy, patience, &backend, &right, says));
            let result = match publishing.await {
                Ok(Ok(())) => "done",
                Ok(Err(error)) => {
                    tracing::warn!(error, "what a button did was not told");
                    "failed"
                }
                Err(_) => "failed",
            };
            health.count(PublishWay::Ntfy.as_str(), result);
        });
    }

    /// What came of it, as it is counted.
    pub(super) async fn take_back(&self, right: &UndoRight) -> &'static str {
        if !self.rights.contains(right) {
            return "refused";
        }
        match undo(&self.backend, &right.undo).await {
            Ok(true) => "accepted",
            Ok(false) => "refused",
            Err(_) => "dropped",
        }
    }
}

/// Records where it goes, then publishes.
fn publish(
    ntfy: &NtfyServer,
    patience: OutboundTimeouts,
    backend: &ServiceBackend,
    right: &UndoRight,
    says: String,
) -> Result<(), String> {
    let recorded = backend.reads.record_send(backend.clock.wall(), ntfy.host());
    let recorded = recorded.map_err(|error| error.to_string())?;
    let message = locale::speaking(backend.locale.for_notices(), || {
        push::done_message(says, right, &ntfy.topic, &ntfy.answers())
    });
    let message = serde_json::to_vec(&message).map_err(|error| error.to_string())?;
    ntfy.publish(&ntfy.agent(), &message, patience.publish, &recorded)
        .map_err(|error| error.to_string())
}

/// What was done, once its trace is there; `None`: nothing that can be taken back.
async fn done_line(backend: &ServiceBackend, trace: &TraceId) -> Option<String> {
    let mut live = backend.events();
    while backend.trace(trace.clone()).await.ok()?.is_none() {
        let is_it = |event: &UiEvent| matches!(&event.what, UiEventKind::Tick(ended) if ended == trace);
        loop {
            match live.recv().await {
                Ok(event) if is_it(&event) => break,
                Ok(_) => {}
                Err(RecvError::Lagged(_)) => break,
                Err(RecvError::Closed) => return None,
            }
        }
    }
    let known = KnownActs::read(backend).await.ok()?;
    let act = known.find(backend, &ActId::Trace(trace.clone())).await.ok()??;
    let context = known.context();
    let is_offered = act.undo(&known.all, &context) == UndoState::Offered;
    is_offered.then(|| locale::speaking(backend.locale.for_notices(), || plain_line(&act.act, &context)))
}

/// Whether it is taken back now, or was before.
async fn undo(backend: &ServiceBackend, trace: &TraceId) -> Result<bool, BackendError> {
    let end = |call| backend.end(call, None);
    let came_to = take_back(backend, &ActId::Trace(trace.clone()), end).await?;
    Ok(matches!(came_to, TakingBack::Already | TakingBack::Done(_)))
}
