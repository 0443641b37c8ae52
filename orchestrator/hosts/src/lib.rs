//! The journal's log outside the process.
//!
//! What: [`JournalLog`], the ordered log of what an owner's store is given, kept where another host can go on with it; its entries, which are sealed
//! before they leave ([`EntryCipher`]); two places to keep it ([`SqliteLog`], and `JetStream` behind the feature `jetstream`); a store made from it
//! alone ([`rebuild()`]). Why: a host that dies takes nothing along that was acknowledged, and one that only seems dead can write nothing more.
//! Not here: the store itself (`aura-memory`), who runs an owner, a service that writes to a log (docs/adr/0180).

#[cfg(feature = "contract-tests")]
pub mod contract;
#[cfg(feature = "jetstream")]
pub mod jetstream;
mod log;
mod rebuild;
mod seal;
mod sqlite;

pub use log::{AppendError, JournalLog, LogEntry, LogError, LogPosition, LogSnapshot, SealedEntry};
pub use rebuild::{RebuildError, rebuild};
pub use seal::{EntryCipher, OwnerSubject, SealError};
pub use sqlite::SqliteLog;
