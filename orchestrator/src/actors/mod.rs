//! The actors: one file each, with its messages and short handlers.
//!
//! What: orchestrator, memory, surfaces, quarantine and the model's client as actix actors. Why: each has one address, a
//! bounded mailbox and a life of its own. Not here: decisions (`orchestrator-machine`), the four agents' actors
//! (`agents::actor`), who starts whom (`wiring`).

pub mod memory;
pub mod model;
pub mod orchestrator;
pub mod quarantine;
pub mod surfaces;

use crate::metrics::METRICS;
use actix::{Actor, Addr, Handler, Message, dev::ToEnvelope};

/// Sends without waiting; a refusal (full or closed mailbox) is logged by the receiver's name and given back.
///
/// # Errors
/// The message was not taken.
pub fn send<A, M>(to: &Addr<A>, name: &'static str, message: M) -> Result<(), NotTaken>
where
    A: Actor + Handler<M>,
    A::Context: ToEnvelope<A, M>,
    M: Message + Send + 'static,
    M::Result: Send,
{
    to.try_send(message).map_err(|error| {
        let full = matches!(error, actix::prelude::SendError::Full(_));
        tracing::warn!(to = name, full, "message not taken");
        METRICS.not_taken(name);
        NotTaken
    })
}

/// A mailbox was full or closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a mailbox is full or closed")]
pub struct NotTaken;
