//! Publishing: the card that is to be seen, as a notification.
//!
//! What: follows the same changes as the pages, and has a thread of its own publish the newest card. Why: a server that hangs holds
//! up this thread and nothing else. One message waits at most: a newer one, or the end of its card, takes its place. Not here: which
//! card is pushed (`orchestrator_machine::cards::to_push`).

use super::{
    OutboundTimeouts,
    ntfy::{NtfyError, NtfyServer},
};
use crate::backend::ServiceBackend;
use crate::outbound_health::OutboundHealth;
use aura_platform::clock::Clock;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TrySendError, bounded};
use orchestrator_machine::cards::{self, PushCard};
use std::{io, thread};
use surfaces::{
    backend::{Backend, UiEvent, UiEventKind},
    push,
};
use tokio::sync::{broadcast::error::RecvError, watch};
use toolcall_schema::{Surface, Timestamp, ids::CardId, trace::Card};

/// What the thread is to do; absent: nothing any more.
type PublishJob = Option<Box<Card>>;

/// The thread's inbox. It holds one job: the newest.
struct PublishInbox {
    to: Sender<PublishJob>,
    /// To take out what was not begun.
    from: Receiver<PublishJob>,
    standing: OutboundHealth,
}

impl PublishInbox {
    fn put(&self, job: PublishJob) {
        let mut job = job;
        while let Err(TrySendError::Full(back)) = self.to.try_send(job) {
            if matches!(self.from.try_recv(), Ok(Some(_))) {
                self.standing.count("push", "dropped");
            }
            job = back;
        }
    }
}

/// Follows the changes until told to stop.
///
/// # Errors
/// The system gives no thread.
pub(super) fn start(
    ntfy: &NtfyServer,
    patience: OutboundTimeouts,
    backend: &ServiceBackend,
    mut stopped: watch::Receiver<bool>,
) -> io::Result<()> {
    let (to, from) = bounded(1);
    let publisher = NtfyPublisher {
        ntfy: ntfy.clone(),
        patience,
        backend: backend.clone(),
        clock: backend.clock.clone(),
        standing: backend.outbound.clone(),
        jobs: from.clone(),
    };
    thread::Builder::new()
        .name("push".to_owned())
        .spawn(move || publisher.run())?;
    let (mut live, backend) = (backend.events(), backend.clone());
    actix::spawn(async move {
        let inbox = PublishInbox {
            to,
            from,
            standing: backend.outbound.clone(),
        };
        let mut sent: Option<CardId> = None;
        // What waits since before this start is looked at first.
        let mut handed = None;
        loop {
            if let Ok(look) = backend.look().await {
                let pushed = cards::card_to_push(&look.state);
                if let Some(job) = next(&mut sent, handed.as_ref(), pushed) {
                    inbox.put(job);
                }
            }
            handed = tokio::select! {
                _ = stopped.wait_for(|stop| *stop) => break,
                event = live.recv() => match event {
                    Ok(UiEvent { what: UiEventKind::Card(card), .. }) => Some(card),
                    Ok(_) | Err(RecvError::Lagged(_)) => None,
                    Err(RecvError::Closed) => break,
                },
            };
        }
        inbox.put(None);
    });
    Ok(())
}

/// What the thread is to be told, when the machine's state says that `pushed` is to be seen: a card that nobody has seen and that
/// was not sent before, one that the machine hands over (again), or that there is none any more.
fn next(sent: &mut Option<CardId>, handed: Option<&CardId>, pushed: Option<PushCard>) -> Option<PublishJob> {
    let Some(PushCard { card, seen }) = pushed else {
        return sent.take().map(|_| None);
    };
    let again = handed == Some(&card.card_id);
    let new = !seen && sent.as_ref() != Some(&card.card_id);
    (again || new).then(|| {
        *sent = Some(card.card_id.clone());
        Some(Box::new(card))
    })
}

/// The thread that talks to the server.
struct NtfyPublisher {
    ntfy: NtfyServer,
    patience: OutboundTimeouts,
    backend: ServiceBackend,
    clock: Clock,
    standing: OutboundHealth,
    jobs: Receiver<PublishJob>,
}

impl NtfyPublisher {
    fn run(self) {
        let agent = self.ntfy.agent();
        let mut job = self.jobs.recv().ok();
        while let Some(now) = job {
            job = match now {
                Some(card) => self.publish(&agent, &card),
                None => self.jobs.recv().ok(),
            };
        }
    }

    /// Tries until it is published, its card is over, or there is another job; gives the next job, `None` when there will be none.
    fn publish(&self, agent: &ureq::Agent, card: &Card) -> Option<PublishJob> {
        let mut pause = self.patience.pause;
        while self.clock.wall() < ends(card) {
            match self.attempt(agent, card) {
                Ok(()) => {
                    self.standing.publishing(false);
                    self.standing.count("push", "done");
                    self.backend.card_shown(card.card_id.clone(), Surface::Push);
                    return self.jobs.recv().ok();
                }
                Err(error) => {
                    self.standing.publishing(true);
                    self.standing.count("push", "failed");
                    tracing::warn!(%error, "a card was not pushed");
                }
            }
            match self.jobs.recv_timeout(pause) {
                Err(RecvTimeoutError::Timeout) => pause = OutboundTimeouts::longer(pause),
                next => return next.ok(),
            }
        }
        self.standing.count("push", "expired");
        self.jobs.recv().ok()
    }

    fn attempt(&self, agent: &ureq::Agent, card: &Card) -> Result<(), NtfyError> {
        let message = push::message(card, self.clock.wall(), &self.ntfy.topic, &self.ntfy.answers());
        let message = message.and_then(|message| serde_json::to_vec(&message).ok());
        let message = message.ok_or(NtfyError::Message)?;
        self.ntfy.publish(agent, &message, self.patience.publish)
    }
}

/// When a card is no longer worth an attempt (wall clock).
fn ends(card: &Card) -> Timestamp {
    let asked = card.prompts.iter().find(|prompt| prompt.surface == Surface::Push);
    asked.map_or(card.valid_until, |prompt| prompt.expires_at)
}
