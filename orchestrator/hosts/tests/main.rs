//! The journal's log outside the process.
//!
//! What: the contract for each implementation, sealing, a store made from a log, a real server that is killed, and what is built without any of it. Why: one
//! binary links once. Not here: the store (`orchestrator/memory/tests`).

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod default_build;
mod jetstream;
mod kill;
mod rebuild;
mod seal;
mod sqlite;
mod support;
