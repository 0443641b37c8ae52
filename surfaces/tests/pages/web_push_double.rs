//! The double's answers about notifications in browsers.
//!
//! What: a list of browsers in memory, with the push services of the made-up owner. Not here: any claim.

#![expect(clippy::unwrap_used, reason = "made-up values of fixed shape")]

use crate::morning::{Double, ts};
use surfaces_base::{
    backend::{
        BackendError, BackendFuture,
        notify::NotifyOutcome,
        web_push::{
            SubscriptionRefusal, SubscriptionWish, ToldBrowserState, ToldBrowserView, WebPushBackend,
            WebPushView,
        },
    },
    devices::{DeviceId, DeviceName, PushSubscription, SubscriptionId},
};

/// Nobody is told, and nothing is accepted.
pub(crate) fn off() -> WebPushView {
    WebPushView {
        key: "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"
            .to_owned(),
        hosts: vec![],
        browsers: vec![],
        at: ts("2026-11-03T02:15:01Z"),
        zone: "Asia/Kolkata".to_owned(),
    }
}

fn subscription(wish: &SubscriptionWish) -> PushSubscription {
    PushSubscription {
        endpoint: wish.endpoint.clone(),
        p256dh: wish.p256dh.clone(),
        auth: wish.auth.clone(),
        since: ts("2026-11-03T02:15:01Z"),
    }
}

impl WebPushBackend for Double {
    fn web_push(&self) -> BackendFuture<Option<WebPushView>> {
        let view = self.web_push.lock().unwrap().clone();
        Box::pin(std::future::ready(Some(view)))
    }

    fn subscribe(
        &self,
        device: DeviceId,
        wish: SubscriptionWish,
    ) -> BackendFuture<Result<Result<(), SubscriptionRefusal>, BackendError>> {
        let mut view = self.web_push.lock().unwrap();
        let subscription = subscription(&wish);
        if !view.hosts.iter().any(|host| host == subscription.host()) {
            return Self::ready(Err(SubscriptionRefusal::Host));
        }
        view.browsers.push(ToldBrowserView {
            device,
            name: DeviceName::parse("Anna's phone").unwrap(),
            state: ToldBrowserState::Told {
                id: subscription.id(),
                host: subscription.host().to_owned(),
                since: subscription.since,
            },
        });
        Self::ready(Ok(()))
    }

    fn unsubscribe(&self, id: SubscriptionId) -> BackendFuture<Result<bool, BackendError>> {
        let mut view = self.web_push.lock().unwrap();
        let before = view.browsers.len();
        view.browsers.retain(
            |browser| !matches!(&browser.state, ToldBrowserState::Told { id: told, .. } if *told == id),
        );
        Self::ready(view.browsers.len() < before)
    }

    fn try_web_push(&self, device: DeviceId) -> BackendFuture<Result<NotifyOutcome, BackendError>> {
        self.note(format!("try browser {}", device.as_str()));
        let view = self.web_push.lock().unwrap();
        let is_told = view.browsers.iter().any(|browser| browser.device == device);
        Self::ready(if is_told {
            NotifyOutcome::Failed("the push service answered 500".to_owned())
        } else {
            NotifyOutcome::NobodyThere
        })
    }
}
