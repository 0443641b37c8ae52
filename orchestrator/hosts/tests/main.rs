//! The journal's log outside the process.
//!
//! What: the contract for each implementation, sealing, a store made from a log, and a real server that is killed. Why: one binary links once. Not
//! here: what a package that does not know of logs is built from (`tests/integration/architecture.rs`).

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod jetstream;
mod kill;
mod rebuild;
mod seal;
mod sqlite;
mod support;
