//! The surfaces actor: who is connected, and what they have shown.
//!
//! What: counts connections per surface. Why: the machine wants to know whether anybody can see a card, not how many tabs there are. Not
//! here: pages (`surfaces` crate), what is shown (the machine's state), telling pages of changes (`surfaces::web::UiEvents`).

use crate::actors::orchestrator::{InjectEvent, OrchestratorActor};
use actix::{Actor, Addr, Context, Handler, Message, Supervised};
use aura_platform::{
    in_flight::{InFlight, InFlightGuard},
    mailbox::send,
};
use orchestrator_machine::{EventKind, supervision::SupervisedRole};
use std::collections::BTreeSet;
use toolcall_schema::{Surface, ids::CardId};

/// The pages: one came or went. No reply.
#[derive(Message)]
#[rtype(result = "()")]
pub struct ConnectionChanged {
    /// Of which surface.
    pub surface: Surface,
    pub id: u64,
    /// Came or went.
    pub here: bool,
    /// In flight until it is handled.
    pub ticket: InFlightGuard,
}

/// The pages: this card was really shown. No reply.
#[derive(Message)]
#[rtype(result = "()")]
pub struct CardSeen {
    pub card_id: CardId,
    pub surface: Surface,
    /// In flight until it is handled.
    pub ticket: InFlightGuard,
}

/// The actor.
pub struct SurfacesActor {
    /// Who is told about connections and shown cards.
    pub orchestrator: Addr<OrchestratorActor>,
    /// Counts what is on its way.
    pub busy: InFlight,
    /// Open connections.
    pub connections: BTreeSet<(Surface, u64)>,
}

/// Messages that may wait.
pub const MAILBOX: usize = 1024;

impl SurfacesActor {
    fn tell(&self, what: EventKind) {
        // Not taken: the page will say so again with its next fragment.
        let _ = send(
            &self.orchestrator,
            "orchestrator",
            InjectEvent {
                what,
                ticket: self.busy.ticket_to(SupervisedRole::Orchestrator),
            },
        );
    }

    fn any(&self, surface: Surface) -> bool {
        self.connections.iter().any(|(one, _)| *one == surface)
    }
}

impl Actor for SurfacesActor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.set_mailbox_capacity(MAILBOX);
    }
}

impl Supervised for SurfacesActor {}

impl Handler<ConnectionChanged> for SurfacesActor {
    type Result = ();

    fn handle(&mut self, connection: ConnectionChanged, _ctx: &mut Self::Context) {
        let ConnectionChanged {
            surface,
            id,
            here,
            ticket,
        } = connection;
        let before = self.any(surface);
        if here {
            self.connections.insert((surface, id));
        } else {
            self.connections.remove(&(surface, id));
        }
        match (before, self.any(surface)) {
            (false, true) => self.tell(EventKind::Connected { surface }),
            (true, false) => self.tell(EventKind::Disconnected { surface }),
            (true, true) | (false, false) => {}
        }
        drop(ticket);
    }
}

impl Handler<CardSeen> for SurfacesActor {
    type Result = ();

    fn handle(&mut self, seen: CardSeen, _ctx: &mut Self::Context) {
        self.tell(EventKind::Shown {
            card_id: seen.card_id,
            surface: seen.surface,
        });
        drop(seen.ticket);
    }
}
