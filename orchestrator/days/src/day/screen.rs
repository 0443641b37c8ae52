//! Where the owner's stand-in looks and answers.
//!
//! What: [`DayScreen`], the surfaces of a recorded day as the player uses them, and [`DirectScreen`], which says to the actors what
//! pages would say. Why: the same day is played with nothing on a screen and in a real browser. Not here: when something
//! is done (`player`), what an act comes to (`stand_in`), browsers (`tests/browser`).

use super::stand_in::PageSubmission;
use aura_runtime::{actors::orchestrator::SubmitCard, backend::ServiceBackend};
use orchestrator_machine::{effect::SubmissionVerdict, supervision::SupervisedRole};
use std::{future::Future, pin::Pin};
use surfaces_base::backend::Backend as _;
use tokio::sync::oneshot;
use toolcall_schema::{Surface, day::SubmitAnswer, ids::CardId};

/// What a screen does; an error says, in a sentence, what it could not.
pub type ScreenFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, String>> + 'a>>;

/// The surfaces of a day. Each call returns when it is done and the actors have heard of it.
pub trait DayScreen {
    /// A life of the actors begins.
    fn begin<'a>(&'a mut self, backend: &'a ServiceBackend) -> ScreenFuture<'a, ()>;

    /// The surface connects.
    fn connect<'a>(&'a mut self, backend: &'a ServiceBackend, surface: Surface) -> ScreenFuture<'a, ()>;

    /// The surface goes away.
    fn disconnect<'a>(&'a mut self, backend: &'a ServiceBackend, surface: Surface) -> ScreenFuture<'a, ()>;

    /// This card is to be seen there.
    fn see<'a>(
        &'a mut self,
        backend: &'a ServiceBackend,
        card: CardId,
        surface: Surface,
    ) -> ScreenFuture<'a, ()>;

    /// The owner answers; gives what came back, if anything did.
    fn submit<'a>(
        &'a mut self,
        backend: &'a ServiceBackend,
        submitted: &'a PageSubmission,
    ) -> ScreenFuture<'a, Option<SubmitAnswer>>;

    /// The actors stop; what is open stays open.
    fn end(&mut self) -> ScreenFuture<'_, ()>;
}

/// No screen: the actors are told what pages would have said.
pub struct DirectScreen;

fn done<'a, T: 'a>(value: T) -> ScreenFuture<'a, T> {
    Box::pin(std::future::ready(Ok(value)))
}

/// The number of a surface's only connection.
const CONNECTION: u64 = 1;

impl DayScreen for DirectScreen {
    fn begin<'a>(&'a mut self, _backend: &'a ServiceBackend) -> ScreenFuture<'a, ()> {
        done(())
    }

    fn connect<'a>(&'a mut self, backend: &'a ServiceBackend, surface: Surface) -> ScreenFuture<'a, ()> {
        backend.connected(surface, CONNECTION);
        done(())
    }

    fn disconnect<'a>(&'a mut self, backend: &'a ServiceBackend, surface: Surface) -> ScreenFuture<'a, ()> {
        backend.disconnected(surface, CONNECTION);
        done(())
    }

    fn see<'a>(
        &'a mut self,
        backend: &'a ServiceBackend,
        card: CardId,
        surface: Surface,
    ) -> ScreenFuture<'a, ()> {
        backend.card_shown(card, surface);
        done(())
    }

    fn submit<'a>(
        &'a mut self,
        backend: &'a ServiceBackend,
        submitted: &'a PageSubmission,
    ) -> ScreenFuture<'a, Option<SubmitAnswer>> {
        let (reply, mut verdict) = oneshot::channel();
        let submit = SubmitCard {
            card_id: submitted.card_id.clone(),
            surface: submitted.surface,
            act: submitted.act,
            capability: submitted.capability.clone(),
            reply,
            ticket: backend.busy.ticket_to(SupervisedRole::Orchestrator),
        };
        Box::pin(async move {
            backend
                .orchestrator
                .try_send(submit)
                .map_err(|_| "the actors ended before the day did".to_owned())?;
            backend.busy.quiet().await;
            Ok(verdict.try_recv().ok().and_then(answer))
        })
    }

    fn end(&mut self) -> ScreenFuture<'_, ()> {
        done(())
    }
}

/// A verdict by the name that a recorded day has for it.
pub fn answer(verdict: SubmissionVerdict) -> Option<SubmitAnswer> {
    match verdict {
        SubmissionVerdict::Accepted { refunded: false, .. } => Some(SubmitAnswer::Accepted),
        SubmissionVerdict::Accepted { refunded: true, .. } => Some(SubmitAnswer::Refunded),
        SubmissionVerdict::Refused(code) => SubmitAnswer::parse(code.as_str()),
    }
}
