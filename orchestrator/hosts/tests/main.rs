//! The journal's log outside the process.
//!
//! What: the contract for each implementation, sealing, a store made from a log, a real server that is killed, processes that take an owner over, owners
//! whom several hosts have, what is cut and forgotten, what an owner grants to a host, whom servers let in, and what is built without any of it. Why: one binary links once.
//! Not here: the store (`orchestrator/memory/tests`).

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod between;
mod cut;
mod default_build;
mod grant;
mod guarded;
mod jetstream;
mod kill;
mod lease;
mod rebuild;
mod seal;
mod shared;
mod soak;
mod sqlite;
mod support;
mod takeover;
mod travel;
mod unfit;
