//! The actors: one file each, with its messages and short handlers.
//!
//! What: orchestrator, surfaces, quarantine and the model's client as actix actors. Why: each has one address, a
//! bounded mailbox and a life of its own. Not here: decisions (`orchestrator-machine`), the four agents' actors
//! (`agents::actor`), who starts whom (`wiring`).

pub mod model;
pub mod orchestrator;
pub mod quarantine;
pub mod surfaces;
