//! Sending to an actor without waiting.
//!
//! A full or closed mailbox is logged, counted and given back to the sender. Not here: who is sent what.

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
