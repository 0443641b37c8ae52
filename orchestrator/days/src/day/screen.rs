//! Where the owner's stand-in looks and answers.
//!
//! What: [`Screen`], the surfaces of a recorded day as the player uses them, and [`Direct`], which says to the actors what
//! pages would say. Why: the same day is played with nothing on a screen and in a real browser. Not here: when something
//! is done (`player`), what an act comes to (`stand_in`), browsers (`tests/browser`).

use super::stand_in::Submitted;
use aura_runtime::{actors::orchestrator::Submit, backend::Actors};
use orchestrator_machine::{effect::Verdict, supervision::Role};
use std::{future::Future, pin::Pin};
use surfaces::backend::Backend as _;
use tokio::sync::oneshot;
use toolcall_schema::{Surface, day::SubmitAnswer, ids::CardId};

/// What a screen does; an error says, in a sentence, what it could not.
pub type Done<'a, T> = Pin<Box<dyn Future<Output = Result<T, String>> + 'a>>;

/// The surfaces of a day. Each call returns when it is done and the actors have heard of it.
pub trait Screen {
    /// A life of the actors begins.
    fn begin<'a>(&'a mut self, backend: &'a Actors) -> Done<'a, ()>;

    /// The surface connects.
    fn connect<'a>(&'a mut self, backend: &'a Actors, surface: Surface) -> Done<'a, ()>;

    /// The surface goes away.
    fn disconnect<'a>(&'a mut self, backend: &'a Actors, surface: Surface) -> Done<'a, ()>;

    /// This card is to be seen there.
    fn see<'a>(&'a mut self, backend: &'a Actors, card: CardId, surface: Surface) -> Done<'a, ()>;

    /// The owner answers; gives what came back, if anything did.
    fn submit<'a>(
        &'a mut self,
        backend: &'a Actors,
        submitted: &'a Submitted,
    ) -> Done<'a, Option<SubmitAnswer>>;

    /// The actors stop; what is open stays open.
    fn end(&mut self) -> Done<'_, ()>;
}

/// No screen: the actors are told what pages would have said.
pub struct Direct;

fn done<'a, T: 'a>(value: T) -> Done<'a, T> {
    Box::pin(std::future::ready(Ok(value)))
}

/// The number of a surface's only connection.
const CONNECTION: u64 = 1;

impl Screen for Direct {
    fn begin<'a>(&'a mut self, _backend: &'a Actors) -> Done<'a, ()> {
        done(())
    }

    fn connect<'a>(&'a mut self, backend: &'a Actors, surface: Surface) -> Done<'a, ()> {
        backend.connected(surface, CONNECTION);
        done(())
    }

    fn disconnect<'a>(&'a mut self, backend: &'a Actors, surface: Surface) -> Done<'a, ()> {
        backend.disconnected(surface, CONNECTION);
        done(())
    }

    fn see<'a>(&'a mut self, backend: &'a Actors, card: CardId, surface: Surface) -> Done<'a, ()> {
        backend.shown(card, surface);
        done(())
    }

    fn submit<'a>(
        &'a mut self,
        backend: &'a Actors,
        submitted: &'a Submitted,
    ) -> Done<'a, Option<SubmitAnswer>> {
        let (reply, mut verdict) = oneshot::channel();
        let submit = Submit {
            card_id: submitted.card_id.clone(),
            surface: submitted.surface,
            act: submitted.act,
            capability: submitted.capability.clone(),
            reply,
            ticket: backend.busy.ticket_to(Role::Orchestrator),
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

    fn end(&mut self) -> Done<'_, ()> {
        done(())
    }
}

/// A verdict by the name that a recorded day has for it.
pub fn answer(verdict: Verdict) -> Option<SubmitAnswer> {
    match verdict {
        Verdict::Accepted { refunded: false, .. } => Some(SubmitAnswer::Accepted),
        Verdict::Accepted { refunded: true, .. } => Some(SubmitAnswer::Refunded),
        Verdict::Refused(code) => SubmitAnswer::parse(code.as_str()),
    }
}
