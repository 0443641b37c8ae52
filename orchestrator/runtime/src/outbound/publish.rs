//! Publishing: the card that is to be seen, as a notification.
//!
//! What: follows the same changes as the pages, and has a thread of its own publish the newest card on one [`CardChannel`]. Why: a server that hangs
//! holds up this thread and nothing else. One message waits at most: a newer one, or the end of its card, takes its place. Not here: which
//! card is pushed (`orchestrator_machine::cards::card_to_push`), how a channel says it (`ntfy`, `web_push`).

use super::{
    OutboundTimeouts,
    ntfy::{NtfyError, NtfyServer},
};
use crate::backend::ServiceBackend;
use crate::outbound_health::{OutboundHealth, PublishWay};
use crate::reads::{NotRecorded, ReadRecorder, RecordedSend};
use aura_platform::clock::Clock;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TrySendError, bounded};
use orchestrator_machine::cards::{self, PushCard};
use std::{error::Error, io, thread, time::Duration};
use surfaces::push;
use surfaces_base::{
    backend::{Backend, UiEvent, UiEventKind},
    locale,
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
    way: &'static str,
    health: OutboundHealth,
}

impl PublishInbox {
    fn put(&self, job: PublishJob) {
        let mut job = job;
        while let Err(TrySendError::Full(back)) = self.to.try_send(job) {
            if matches!(self.from.try_recv(), Ok(Some(_))) {
                self.health.count(self.way, "dropped");
            }
            job = back;
        }
    }
}

/// A way for cards to the owner's phone.
pub(super) trait CardChannel: Send + 'static {
    const WAY: PublishWay;

    /// Another card follows, or the same one once more.
    fn begin(&mut self) {}

    /// Tells of the card whom nobody told yet. Nothing goes to a machine that `sends` did not record. Blocks.
    fn deliver(
        &mut self,
        card: &Card,
        now: Timestamp,
        ends: Timestamp,
        sends: &mut SendRecorder,
    ) -> DeliveryReport;
}

/// Records to which machines a card is sent, before it is: once for each, however often it is tried.
pub(super) struct SendRecorder {
    audit: ReadRecorder,
    recorded: Vec<RecordedSend>,
}

impl SendRecorder {
    fn new(audit: ReadRecorder) -> Self {
        Self {
            audit,
            recorded: Vec::new(),
        }
    }

    /// Records one; done when it is on disk.
    pub(super) fn record(&mut self, now: Timestamp, host: &str) -> Result<RecordedSend, NotRecorded> {
        if let Some(recorded) = self.recorded.iter().find(|sent| sent.host() == host) {
            return Ok(recorded.clone());
        }
        let recorded = self.audit.record_send(now, host)?;
        self.recorded.push(recorded.clone());
        Ok(recorded)
    }
}

/// What came of an attempt.
#[derive(Debug, Default)]
pub(super) struct DeliveryReport {
    /// How many were told by it.
    pub(super) told: usize,
    /// Why others were not; it is worth another attempt.
    failure: Option<DeliveryFailure>,
}

#[derive(Debug)]
struct DeliveryFailure {
    why: String,
    /// Not before.
    wait: Duration,
}

impl DeliveryReport {
    /// Notes a failure; the first is kept, with the shortest wait.
    pub(super) fn fail(&mut self, error: &dyn Error, wait: Duration) {
        let failure = self.failure.get_or_insert_with(|| DeliveryFailure {
            why: error.to_string(),
            wait,
        });
        failure.wait = failure.wait.min(wait);
    }
}

/// The owner's ntfy server, as a way for cards.
pub(super) struct NtfyChannel {
    ntfy: NtfyServer,
    agent: ureq::Agent,
    patience: OutboundTimeouts,
}

impl NtfyChannel {
    pub(super) fn new(ntfy: &NtfyServer, patience: OutboundTimeouts) -> Self {
        Self {
            agent: ntfy.agent(),
            ntfy: ntfy.clone(),
            patience,
        }
    }

    fn attempt(&self, card: &Card, now: Timestamp, recorded: &RecordedSend) -> Result<(), NtfyError> {
        let message = push::message(card, now, &self.ntfy.topic, &self.ntfy.answers());
        let message = message.and_then(|message| serde_json::to_vec(&message).ok());
        let message = message.ok_or(NtfyError::Message)?;
        self.ntfy
            .publish(&self.agent, &message, self.patience.publish, recorded)
    }
}

impl CardChannel for NtfyChannel {
    const WAY: PublishWay = PublishWay::Ntfy;

    fn deliver(
        &mut self,
        card: &Card,
        now: Timestamp,
        _: Timestamp,
        sends: &mut SendRecorder,
    ) -> DeliveryReport {
        let mut report = DeliveryReport::default();
        let recorded = match sends.record(now, self.ntfy.host()) {
            Ok(recorded) => recorded,
            Err(error) => {
                report.fail(&error, Duration::ZERO);
                return report;
            }
        };
        match self.attempt(card, now, &recorded) {
            Ok(()) => report.told = 1,
            Err(error) => report.fail(&error, Duration::ZERO),
        }
        report
    }
}

/// Follows the changes until told to stop.
///
/// # Errors
/// The system gives no thread.
pub(super) fn start<C: CardChannel>(
    channel: C,
    patience: OutboundTimeouts,
    backend: &ServiceBackend,
    mut stopped: watch::Receiver<bool>,
) -> io::Result<()> {
    let (to, from) = bounded(1);
    let publisher = CardPublisher {
        channel,
        patience,
        backend: backend.clone(),
        clock: backend.clock.clone(),
        health: backend.outbound.clone(),
        jobs: from.clone(),
    };
    thread::Builder::new()
        .name(C::WAY.as_str().to_owned())
        .spawn(move || publisher.run())?;
    let (mut live, backend) = (backend.events(), backend.clone());
    actix::spawn(async move {
        let inbox = PublishInbox {
            to,
            from,
            way: C::WAY.as_str(),
            health: backend.outbound.clone(),
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

/// The thread that talks to a server.
struct CardPublisher<C> {
    channel: C,
    patience: OutboundTimeouts,
    backend: ServiceBackend,
    clock: Clock,
    health: OutboundHealth,
    jobs: Receiver<PublishJob>,
}

impl<C: CardChannel> CardPublisher<C> {
    fn run(mut self) {
        let mut job = self.jobs.recv().ok();
        while let Some(now) = job {
            job = match now {
                Some(card) => self.publish(&card),
                None => self.jobs.recv().ok(),
            };
        }
    }

    /// Tries until all were told, its card is over, or there is another job; gives the next job, `None` when there will be none.
    fn publish(&mut self, card: &Card) -> Option<PublishJob> {
        let (mut pause, ends) = (self.patience.pause, ends(card));
        let mut sends = SendRecorder::new(self.backend.reads.clone());
        self.channel.begin();
        loop {
            let now = self.clock.wall();
            if now >= ends {
                self.health.count(C::WAY.as_str(), "expired");
                return self.jobs.recv().ok();
            }
            let DeliveryReport { told, failure } =
                locale::speaking(self.backend.locale.for_notices(), || {
                    self.channel.deliver(card, now, ends, &mut sends)
                });
            // Counted before the way is said to be well again: who waits for that finds the count.
            if told > 0 {
                self.health.count(C::WAY.as_str(), "done");
                self.backend.card_shown(card.card_id.clone(), Surface::Push);
            }
            self.health.publishing(C::WAY, failure.is_some());
            let Some(failure) = failure else {
                return self.jobs.recv().ok();
            };
            self.health.count(C::WAY.as_str(), "failed");
            tracing::warn!(
                way = C::WAY.as_str(),
                error = failure.why,
                "a card was not pushed"
            );
            match self.jobs.recv_timeout(pause.max(failure.wait)) {
                Err(RecvTimeoutError::Timeout) => pause = OutboundTimeouts::longer(pause),
                next => return next.ok(),
            }
        }
    }
}

/// When a card is no longer worth an attempt (wall clock).
fn ends(card: &Card) -> Timestamp {
    let asked = card.prompts.iter().find(|prompt| prompt.surface == Surface::Push);
    asked.map_or(card.valid_until, |prompt| prompt.expires_at)
}
