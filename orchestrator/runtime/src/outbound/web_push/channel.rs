//! Cards on their way to the owner's browsers.
//!
//! What: [`WebPushChannel`], for the thread that publishes. Why: several browsers are one phone to the machine: the card is shown when the first was told, and
//! the others are tried again without telling that one twice. Not here: sending to one (`WebPush::send`), when it is tried again (`publish`).

use super::{WebPush, WebPushError};
use crate::{
    outbound::{
        OutboundTimeouts,
        publish::{CardChannel, DeliveryReport, SendRecorder},
    },
    outbound_health::PublishWay,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};
use surfaces::push;
use surfaces_base::devices::{PushSubscription, SubscriptionId};
use tokio::sync::mpsc;
use toolcall_schema::{Timestamp, trace::Card};
use ureq::Agent;

/// Browsers that are told at once.
const AT_ONCE: usize = 8;

/// The owner's browsers, as a way for cards.
pub(in crate::outbound) struct WebPushChannel {
    push: WebPush,
    agent: Agent,
    patience: OutboundTimeouts,
    /// Told of those that their services do not know any more.
    ended: mpsc::Sender<SubscriptionId>,
    told: BTreeSet<SubscriptionId>,
    /// Until when each service wants to be left alone. It holds for the next card as well.
    quiet: BTreeMap<String, Instant>,
}

impl WebPushChannel {
    pub(in crate::outbound) fn new(
        push: WebPush,
        patience: OutboundTimeouts,
        ended: mpsc::Sender<SubscriptionId>,
    ) -> Self {
        Self {
            agent: push.agent(),
            push,
            patience,
            ended,
            told: BTreeSet::new(),
            quiet: BTreeMap::new(),
        }
    }

    /// How long its service still wants to be left alone.
    fn left_alone(&self, browser: &PushSubscription) -> Option<Duration> {
        let until = self.quiet.get(browser.host())?;
        until.checked_duration_since(Instant::now())
    }

    /// What came of one.
    fn note(
        &mut self,
        browser: &PushSubscription,
        sent: Result<(), WebPushError>,
        report: &mut DeliveryReport,
    ) {
        match sent {
            Ok(()) => {
                report.told += 1;
                self.told.insert(browser.id());
            }
            Err(WebPushError::Gone) => {
                tracing::info!(
                    "a push service does not know a browser any more: it is told nothing from now on"
                );
                self.told.insert(browser.id());
                // Not taken: the next card finds it out again.
                let _ = self.ended.try_send(browser.id());
            }
            // Its service was taken back: nothing goes there, and it is no failure.
            Err(WebPushError::NotAccepted) => {
                self.told.insert(browser.id());
            }
            Err(error) => {
                let mut wait = Duration::ZERO;
                if let WebPushError::Later(later) = error {
                    wait = later;
                    self.quiet
                        .insert(browser.host().to_owned(), Instant::now() + later);
                }
                report.fail(&error, wait);
            }
        }
    }
}

impl CardChannel for WebPushChannel {
    const WAY: PublishWay = PublishWay::Browsers;

    fn begin(&mut self) {
        self.told.clear();
    }

    fn deliver(
        &mut self,
        card: &Card,
        now: Timestamp,
        ends: Timestamp,
        sends: &mut SendRecorder,
    ) -> DeliveryReport {
        let mut report = DeliveryReport::default();
        let message = push::web_message(card, now).and_then(|message| serde_json::to_vec(&message).ok());
        let Some(message) = message else { return report };
        let lives = Duration::from_millis(u64::try_from(ends.since(now)).unwrap_or(0));
        let mut untold = Vec::new();
        for (_, browser) in self.push.devices.subscriptions() {
            if self.told.contains(&browser.id()) {
                continue;
            }
            match self.left_alone(&browser) {
                Some(left) => report.fail(&WebPushError::Later(left), left),
                None => match sends.record(now, browser.host()) {
                    Ok(recorded) => untold.push((browser, recorded)),
                    Err(error) => report.fail(&error, Duration::ZERO),
                },
            }
        }
        for some in untold.chunks(AT_ONCE) {
            let times = (now, lives);
            let sent = self
                .push
                .send_all(&self.agent, some, &message, times, self.patience.publish);
            for ((browser, _), sent) in some.iter().zip(sent) {
                self.note(browser, sent, &mut report);
            }
        }
        report
    }
}
