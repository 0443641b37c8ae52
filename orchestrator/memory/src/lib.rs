//! Everything Aura writes to disk.
//!
//! What: the data folder with its keys ([`Vault`]), the store ([`Store`], [`StoreReader`]), the quarantine's files, the outbox.
//! Why: one crate knows the paths, the modes and the order of syncs. Not here: decisions; what a record means
//! (`toolcall-schema`, `orchestrator-machine`).
//!
//! ```text
//! <data folder>/ 0700           all files 0600
//!   lock                        the process that works on it
//!   key                         the key box: where the key is kept, and the folder's keys sealed with it
//!   log-roots                   sealed: what seals the keys of the folder's log beside its seed, where a host was taken from it
//!   aura.db (-wal, -shm)        sealed: journal, snapshot, decisions, traces, ledger, agent states, policies, graph, audit log,
//!                               the journals of workflows' runs
//!   aura.db.head                its first page as it was at the last start, for when it is damaged
//!   aura.db.damaged-<time>      sealed: a damaged store that was repaired, with what was lost in .json beside it
//!   traces/raw/<trace_id>.json  sealed: traces the store did not take in time, with what was not committed then
//!   audit/<random>              sealed: what was read while nobody wrote, until the next writer takes it into the audit log
//!   errors/quarantine_*.jsonl   what was refused
//!   outbox/                     drafts for the owner
//!   models/                     model files, checked by hash
//! ```

#[macro_use]
mod named;

pub mod accounts;
mod ageing;
mod apply;
pub mod audit;
pub mod backup;
pub mod backup_note;
pub mod baseline_bench;
mod behind;
mod checkpoint;
pub mod chosen;
mod commit_change;
mod committed;
mod database;
pub mod demo;
mod draft_change;
pub mod erase;
mod error;
pub mod export;
mod files;
mod folder_lock;
pub mod graph;
mod log_snapshot;
mod mentions;
pub mod models;
pub mod outbox;
mod process_end;
pub mod quarantine;
mod raw;
mod reader;
mod reader_pool;
mod recover;
pub mod relocate;
mod remote_log;
pub mod repair;
mod rows;
mod run_write;
pub mod scan;
mod schema;
mod signals;
mod store;
#[cfg(debug_assertions)]
pub mod test_support;
mod uncommitted;
pub mod vault;
pub mod wipe;
pub mod workflows;
mod writer;

pub use ageing::{AgeReference, ExpiredRanges, MisdatedPeriod};
pub use committed::{CommitFaults, ContentVersion};
pub use error::{CommitError, StoreError, is_temporary, is_temporary_cause};
pub use files::rename_new;
pub use folder_lock::{check_free, is_free};
pub use quarantine::QuarantineWriter;
pub use reader::{ContentCounts, EventRow, RowCounts, StoreReader};
pub use reader_pool::ReaderPool;
pub use recover::RecoveredState;
pub use remote_log::{LogPage, LoggedWrites, OpenRemoteLog, RemoteLog, RemoteSnapshot, leave_log};
pub use rows::{AgentStateRows, LedgerRow, StoreWrite, TraceRow, WRITES_FORMAT};
pub use signals::{ReadSignal, SignalFate, SignalKey};
pub use store::{CAPACITY, CommitAck, OnDeath, Store, StoreDeath, StoreHealth, StoreOptions};
pub use vault::Vault;
pub use writer::DraftAck;
