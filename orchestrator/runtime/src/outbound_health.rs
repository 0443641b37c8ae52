//! Whether what is said aloud or pushed fails, and what came of each attempt.
//!
//! What: [`OutboundHealth`], set by the surfaces that are no page and read by the pages. Why: both know it, and neither the other.
//! Not here: saying and pushing (`outbound`).

use crate::outbound::telemetry::CollectorReport;
use aura_platform::metrics::METRICS;
use std::sync::Arc;
use surfaces_base::backend::HealthFlag;
use tokio::sync::watch;

/// Which of them fails now. Cloning it shares it.
#[derive(Debug, Clone, Default)]
pub struct OutboundHealth(watch::Sender<OutboundFailures>);

/// How the surfaces that are no page stand.
#[derive(Debug, Clone, Default)]
pub struct OutboundFailures {
    speech: bool,
    /// The owner's ntfy server.
    publishing: bool,
    listening: bool,
    /// Her browsers.
    web_push: bool,
    /// The machine that is asked for her answers.
    listens_at: Option<Arc<str>>,
    /// Her collector of ticks and figures; absent: none.
    collector: Option<CollectorReport>,
}

/// A way for cards to the owner's phone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PublishWay {
    /// Her ntfy server.
    Ntfy,
    /// The push services of her browsers.
    Browsers,
}

impl PublishWay {
    /// As figures name it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            PublishWay::Ntfy => "push",
            PublishWay::Browsers => "web_push",
        }
    }
}

impl OutboundHealth {
    /// For the pages; empty: all well, or not configured.
    pub fn flags(&self) -> Vec<HealthFlag> {
        let failing = self.0.borrow();
        let speech = failing.speech.then_some(HealthFlag::SpeechFailing);
        let push = (failing.publishing || failing.listening).then_some(HealthFlag::PushFailing);
        let web_push = failing.web_push.then_some(HealthFlag::WebPushFailing);
        speech.into_iter().chain(push).chain(web_push).collect()
    }

    /// Tells of each change and of each result.
    pub fn watch(&self) -> watch::Receiver<OutboundFailures> {
        self.0.subscribe()
    }

    /// Counts what came of an attempt.
    pub(crate) fn count(&self, way: &'static str, result: &'static str) {
        METRICS.outbound(way, result);
        self.0.send_modify(|_| {});
    }

    /// Notes which machine is asked for the owner's answers, from now until the end of the process.
    pub(crate) fn listens_at(&self, host: &str) {
        self.0
            .send_modify(|standing| standing.listens_at = Some(host.into()));
    }

    /// Which machine that is.
    pub(crate) fn listening_host(&self) -> Option<String> {
        self.0.borrow().listens_at.as_deref().map(str::to_owned)
    }

    /// Notes how the collector stands.
    pub(crate) fn collector(&self, report: CollectorReport) {
        self.0.send_modify(|standing| standing.collector = Some(report));
    }

    /// How it stands.
    pub(crate) fn collector_report(&self) -> Option<CollectorReport> {
        self.0.borrow().collector.clone()
    }

    /// The machine outside that it is on, once something was sent there.
    pub(crate) fn collector_outside(&self) -> Option<String> {
        let report = self.collector_report()?;
        (report.is_outside && report.reached_at.is_some()).then_some(report.host)
    }

    pub(crate) fn speech(&self, is_failing: bool) {
        self.0.send_modify(|failing| failing.speech = is_failing);
    }

    pub(crate) fn publishing(&self, way: PublishWay, is_failing: bool) {
        self.0.send_modify(|failing| match way {
            PublishWay::Ntfy => failing.publishing = is_failing,
            PublishWay::Browsers => failing.web_push = is_failing,
        });
    }

    pub(crate) fn listening(&self, is_failing: bool) {
        self.0.send_modify(|failing| failing.listening = is_failing);
    }
}
