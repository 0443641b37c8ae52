//! Trying the ways to the owner, over what is configured.
//!
//! What: [`NotifyBackend`] for [`ServiceBackend`]. Why: the very server, program and page that a card takes are tried. Not here: cards on these ways
//! (`crate::outbound`).

use super::ServiceBackend;
use crate::{
    config::HomeConfig,
    outbound::{OutboundConfig, OutboundTimeouts},
    with_cause::with_cause,
};
use aura_memory::audit::{AuditSubject, Kind};
use surfaces::push;
use surfaces_base::{
    backend::{
        BackendError, BackendFuture, UiEventKind,
        notify::{NotifyBackend, NotifyChannel, NotifyOutcome},
    },
    language, words,
};
use toolcall_schema::Surface;

impl ServiceBackend {
    /// As the owner's file says now.
    async fn outbound_config(&self) -> OutboundConfig {
        let Some(path) = self.home.clone() else {
            return OutboundConfig::default();
        };
        let loaded = tokio::task::spawn_blocking(move || HomeConfig::load(&path)).await;
        loaded
            .ok()
            .and_then(Result::ok)
            .map(|home| home.outbound)
            .unwrap_or_default()
    }

    async fn try_phone(&self) -> NotifyOutcome {
        let Some(ntfy) = self.outbound_config().await.ntfy else {
            return NotifyOutcome::NotSetUp;
        };
        let (reads, at) = (self.reads.clone(), self.clock.wall());
        let publish = move || {
            let recorded = reads
                .record_send(at, ntfy.host())
                .map_err(|error| with_cause(&error))?;
            let message = serde_json::to_vec(&push::trial(&ntfy.topic)).unwrap_or_default();
            ntfy.publish(
                &ntfy.agent(),
                &message,
                OutboundTimeouts::SERVICE.publish,
                &recorded,
            )
            .map_err(|error| with_cause(&error))
        };
        match tokio::task::spawn_blocking(publish).await {
            Ok(Ok(())) => NotifyOutcome::Sent,
            Ok(Err(why)) => NotifyOutcome::Failed(why),
            Err(_) => NotifyOutcome::Failed("it was interrupted".to_owned()),
        }
    }

    async fn try_watch(&self) -> Result<NotifyOutcome, BackendError> {
        if !self.look().await?.state.surfaces.contains(&Surface::Watch) {
            return Ok(NotifyOutcome::NobodyThere);
        }
        self.live.tell(UiEventKind::Trial);
        Ok(NotifyOutcome::Sent)
    }

    async fn try_speech(&self) -> NotifyOutcome {
        let speech = self.outbound_config().await.speech;
        if !speech.enabled {
            return NotifyOutcome::NotSetUp;
        }
        let said = match speech.engine() {
            // Shorter than a page waits for its answer.
            Ok(engine) => {
                engine
                    .say(
                        (language::spoken(), words::TRIAL_SPEECH.say()),
                        OutboundTimeouts::SERVICE.publish,
                    )
                    .await
            }
            Err(error) => Err(error),
        };
        said.map_or_else(
            |error| NotifyOutcome::Failed(with_cause(&error)),
            |()| NotifyOutcome::Sent,
        )
    }
}

impl NotifyBackend for ServiceBackend {
    fn try_channel(&self, channel: NotifyChannel) -> BackendFuture<Result<NotifyOutcome, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            me.shows(AuditSubject::all_of(Kind::Settings)).await?;
            match channel {
                // Each browser tries itself (`try_web_push`).
                NotifyChannel::Browser => Ok(NotifyOutcome::NobodyThere),
                NotifyChannel::Phone => Ok(me.try_phone().await),
                NotifyChannel::Watch => me.try_watch().await,
                NotifyChannel::Speech => Ok(me.try_speech().await),
            }
        })
    }
}
