//! What the machine promises, shown and not sampled.
//!
//! What: the table of kinds and states, what a crash leaves, and every interleaving within a stated bound. Why: a promise about every day needs more than the days somebody thought of.
//! Not here: random events against invariants (`properties.rs`), recorded days (`/tests`), kills of the whole service
//! (`aura selftest crash`).

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod acts;
mod common;
mod explore;
mod kinds;
mod promises;
mod restart;
mod world;
