//! Everything Aura writes to disk.
//!
//! What: the data folder: the store ([`Store`], [`Reader`]), the quarantine's files, the outbox, the installation key.
//! Why: one crate knows the paths, the modes and the order of syncs. Not here: decisions; what a record means
//! (`toolcall-schema`, `orchestrator-machine`).
//!
//! ```text
//! <data folder>/ 0700           all files 0600
//!   lock                        the process that works on it
//!   key                         32 random bytes
//!   aura.db (-wal, -shm)        journal, snapshot, decisions, traces, ledger, agent states, policies
//!   workflows.db (-wal, -shm)  the journals of workflows' runs
//!   workflows/<run>.lock        the process that executes a run
//!   traces/raw/<trace_id>.json  traces the store did not take in time
//!   errors/quarantine_*.jsonl   what was refused
//!   outbox/                     drafts for the owner
//!   models/                     model files, checked by hash
//! ```

pub mod chosen;
mod database;
pub mod demo;
pub mod erase;
mod error;
mod files;
pub mod graph;
mod installation;
pub mod models;
pub mod outbox;
pub mod peer;
pub mod quarantine;
mod raw;
mod reader;
mod rows;
mod store;
pub mod workflows;
mod writer;

pub use database::{Encryption, encryption};
pub use error::{CommitError, StoreError};
pub use installation::Installation;
pub use quarantine::Quarantine;
pub use reader::{Counts, EventRow, Reader};
pub use rows::{LedgerEntry, LedgerRow, TraceRow, Write};
pub use store::{Ack, CAPACITY, Faults, Options, Recovered, Store, StoreHealth};
