//! How good Aura's judgement of messages is.
//!
//! What: real messages that lie outside the repository ([`mail`]), invented ones ([`invented`]), and the figures of both by commit ([`record`]).
//! Why: everything Aura says rests on whether a message wants something, and a figure from the generator of the training proves
//! nothing. Not here: judging (`agents`), training (`agents/training`, which this package does not know), fetching (`scripts/judge-data.sh`).
//!
//! Nothing is tuned by what this package reads. It prints figures, ids and names of files, never a text.

mod classes;
pub mod corpus;
pub mod correspondence;
pub mod estimate;
pub mod head;
pub mod invented;
pub mod mail;
pub mod payments;
mod random;
pub mod record;
pub mod short_messages;
pub mod tables;
pub mod written_mail;
pub mod year;
