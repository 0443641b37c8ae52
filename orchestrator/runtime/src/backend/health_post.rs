//! A post of a health app, as signals.
//!
//! What: reads the whole post, and sends its sleep the way of signals, in lists as others send them. Why: the app waits for one answer about all of it. Not
//! here: reading it (`agents::wellness`), what becomes of a signal (`super`).

use super::ServiceBackend;
use crate::config::AGENTS_KEY;
use agents::wellness::HealthPost;
use std::time::{Duration, Instant};
use surfaces_base::backend::{BackendError, HealthApp, HealthPostReply, SIGNALS_MAX};
use toolcall_schema::{
    gate::admit_signal,
    signal::{AdmittedSignal, Signal},
};

/// How long a post of a health app waits in all: a request has 10 s.
const HEALTH_WAIT: Duration = Duration::from_secs(6);

/// A signal as the gate lets it in: it is read as if it had come by a post.
fn admit(signal: &Signal) -> Option<AdmittedSignal> {
    let bytes = serde_json::to_vec(signal).ok()?;
    admit_signal(&bytes).ok()
}

impl ServiceBackend {
    /// Takes a post of a health app in: its sleep goes the way of signals, in lists as others send them.
    pub(super) async fn take_health_post(
        &self,
        app: HealthApp,
        body: Vec<u8>,
    ) -> Result<Option<HealthPostReply>, BackendError> {
        let begun = Instant::now();
        let (key, now) = (self.vault.seed().key(AGENTS_KEY), self.clock.wall());
        let read = tokio::task::spawn_blocking(move || {
            let parse = match app {
                HealthApp::AutoExport => HealthPost::from_auto_export,
                HealthApp::HealthConnect => HealthPost::from_health_connect,
            };
            let mut post = parse(&body, &key, now)?;
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
}
