//! What the store promises, as its users see it.
//!
//! What: one file for each part: rows and queue (`store`), what a failure leaves (`reopen`, `kill`, `repair`), the quarantine, backups. Why one
//! program: each program of tests would link the store's database and its seal once more. Not here: the store's own parts (`src`).

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests fail by panicking, as tests do"
)]

mod backup;
mod graph;
mod hostile;
mod kill;
mod log_snapshot;
mod quarantine;
mod quarantine_kill;
mod raw;
mod remote_log;
mod reopen;
mod repair;
mod store;
mod wipe;
mod workflows;
mod writes_format;
