//! What pages ask about notifications in the owner's browsers.
//!
//! What: [`WebPushBackend`] for [`ServiceBackend`]. Why: a browser is checked here once, and once more whenever it is told. Not here: sending
//! (`crate::outbound::web_push`).

use super::ServiceBackend;
use crate::{
    outbound::{
        OutboundTimeouts,
        web_push::{PushHost, WebPush, WebPushError},
    },
    reads::{NotRecorded, ReadRecorder, RecordedSend},
    with_cause::with_cause,
};
use aura_memory::audit::{AuditSubject, Kind, Op};
use std::time::Duration;
use surfaces::push;
use surfaces_base::{
    backend::{
        BackendError, BackendFuture,
        notify::NotifyOutcome,
        web_push::{
            SubscriptionRefusal, SubscriptionWish, ToldBrowserState, ToldBrowserView, WebPushBackend,
            WebPushView,
        },
    },
    devices::{DeviceId, PairedDevice, PushSubscription, SubscriptionConflict, SubscriptionId},
};

/// How long a trial is worth bringing.
const TRIAL_LIVES: Duration = Duration::from_mins(1);

impl WebPush {
    fn views(&self) -> Vec<ToldBrowserView> {
        let of_device = |device: &PairedDevice| {
            let view = |state| ToldBrowserView {
                device: device.id.clone(),
                name: device.name.clone(),
                state,
            };
            let told = device.push.iter().map(|told| ToldBrowserState::Told {
                id: told.id(),
                host: told.host().to_owned(),
                since: told.since,
            });
            let ended = device.push_ended.map(ToldBrowserState::Ended);
            told.chain(ended).map(view).collect::<Vec<_>>()
        };
        self.devices.told_devices().iter().flat_map(of_device).collect()
    }

    /// Tells the browsers of a device. Blocks. The names of those that their services do not know any more.
    fn try_all(
        &self,
        browsers: Vec<PushSubscription>,
        at: toolcall_schema::Timestamp,
        reads: &ReadRecorder,
    ) -> (NotifyOutcome, Vec<SubscriptionId>) {
        let (agent, mut gone) = (self.agent(), Vec::new());
        let record = |browser: PushSubscription| {
            let recorded = reads.record_send(at, browser.host())?;
            Ok((browser, recorded))
        };
        let recorded: Result<Vec<(PushSubscription, RecordedSend)>, NotRecorded> =
            browsers.into_iter().map(record).collect();
        let browsers = match recorded {
            Ok(browsers) => browsers,
            Err(error) => return (NotifyOutcome::Failed(with_cause(&error)), gone),
        };
        let message = serde_json::to_vec(&push::web_trial()).unwrap_or_default();
        let mut outcome = NotifyOutcome::NobodyThere;
        let times = (at, TRIAL_LIVES);
        let sent = self.send_all(
            &agent,
            &browsers,
            &message,
            times,
            OutboundTimeouts::SERVICE.publish,
        );
        for ((to, _), sent) in browsers.iter().zip(sent) {
            match sent {
                Ok(()) if outcome == NotifyOutcome::NobodyThere => outcome = NotifyOutcome::Sent,
                Ok(()) => {}
                Err(error) => {
                    if matches!(error, WebPushError::Gone) {
                        gone.push(to.id());
                    }
                    outcome = NotifyOutcome::Failed(with_cause(&error));
                }
            }
        }
        (outcome, gone)
    }
}

impl ServiceBackend {
    /// Removes a subscription that its service does not know any more, and keeps for the page that it was so.
    ///
    /// # Errors
    /// A store that takes nothing.
    pub(crate) async fn end_subscription(&self, id: &SubscriptionId) -> Result<(), BackendError> {
        let Some(push) = &self.web_push else { return Ok(()) };
        self.record_act(Op::Write, Kind::Settings).await?;
        push.devices.end_subscription(id, self.clock.wall()).await?;
        Ok(())
    }
}

impl WebPushBackend for ServiceBackend {
    fn web_push(&self) -> BackendFuture<Option<WebPushView>> {
        let me = self.clone();
        Box::pin(async move {
            let push = me.web_push.as_ref()?;
            let look = me.look().await.ok()?;
            Some(WebPushView {
                key: push.key.public().to_owned(),
                hosts: push
                    .hosts
                    .iter()
                    .map(PushHost::as_str)
                    .map(str::to_owned)
                    .collect(),
                browsers: push.views(),
                at: look.state.wall(look.at),
                zone: look.env.settings.zone.name().to_owned(),
            })
        })
    }

    fn subscribe(
        &self,
        device: DeviceId,
        wish: SubscriptionWish,
    ) -> BackendFuture<Result<Result<(), SubscriptionRefusal>, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let Some(push) = &me.web_push else {
                return Ok(Err(SubscriptionRefusal::Off));
            };
            let SubscriptionWish {
                endpoint,
                p256dh,
                auth,
            } = wish;
            let since = me.clock.wall();
            let subscription = PushSubscription {
                endpoint,
                p256dh,
                auth,
                since,
            };
            if let Err(refusal) = push.check(&subscription) {
                return Ok(Err(refusal));
            }
            me.record_act(Op::Write, Kind::Settings).await?;
            let kept = push.devices.subscribe(&device, subscription).await?;
            if kept.is_ok() {
                me.record_settings(["push:yes".to_owned()]).await;
            }
            Ok(kept.map_err(|conflict| match conflict {
                SubscriptionConflict::TooMany => SubscriptionRefusal::TooMany,
                // Revoked in this moment: the next request is told so.
                SubscriptionConflict::Elsewhere | SubscriptionConflict::NoDevice => {
                    SubscriptionRefusal::Elsewhere
                }
            }))
        })
    }

    fn unsubscribe(&self, id: SubscriptionId) -> BackendFuture<Result<bool, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let Some(push) = &me.web_push else {
                return Ok(false);
            };
            me.record_act(Op::Write, Kind::Settings).await?;
            let was_there = push.devices.unsubscribe(&id).await?;
            if was_there {
                me.record_settings(["push:no".to_owned()]).await;
            }
            Ok(was_there)
        })
    }

    fn try_web_push(&self, device: DeviceId) -> BackendFuture<Result<NotifyOutcome, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let Some(push) = me.web_push.clone() else {
                return Ok(NotifyOutcome::NotSetUp);
            };
            me.shows(AuditSubject::all_of(Kind::Settings)).await?;
            let mut browsers = push.devices.subscriptions();
            browsers.retain(|(known, _)| *known == device);
            let browsers: Vec<PushSubscription> = browsers.into_iter().map(|(_, browser)| browser).collect();
            let at = me.clock.wall();
            let (trying, reads) = (push.clone(), me.reads.clone());
            let tried = tokio::task::spawn_blocking(move || trying.try_all(browsers, at, &reads)).await;
            let (outcome, gone) = tried.map_err(|_| BackendError::Busy)?;
            for id in gone {
                me.end_subscription(&id).await?;
            }
            Ok(outcome)
        })
    }
}
