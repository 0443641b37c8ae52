//! The journal's log outside the process.
//!
//! What: [`JournalLog`], the ordered log of what an owner's store is given, kept where another host can go on with it; its entries, which are sealed
//! before they leave ([`EntryCipher`]); two places to keep it ([`SqliteLog`], and `JetStream` behind the feature `jetstream`); what a store follows it
//! by ([`open_with`]); which host serves which owners ([`ShardKeeper`]); what an owner grants to a host, so that it has her keys ([`OwnerGrant`]). Why: a host
//! that dies takes nothing along that was acknowledged, and one that only seems dead can write nothing more. Not here: the store itself, which appends
//! before it commits (`aura-memory`); a host (`aura-runtime`); why so (docs/adr/0180, 0199, 0200, 0203, 0204).

#[cfg(feature = "contract-tests")]
pub mod contract;
mod grants;
#[cfg(feature = "program")]
mod host_channel;
mod host_key;
#[cfg(feature = "jetstream")]
pub mod jetstream;
mod lease;
mod log;
#[cfg(feature = "jetstream")]
mod log_access;
mod owner_grant;
mod owner_log;
mod owner_record;
mod private_file;
mod records;
mod roots;
mod seal;
mod shard_keeper;
mod shards;
mod sqlite;
mod sqlite_lease;

pub use grants::{GrantStore, SqliteGrants};
#[cfg(feature = "program")]
pub use host_channel::{
    ANSWER_BYTES, ChannelOffer, FRAME_BYTES_MAX, FRAME_SEAL, HostChannel, OFFER_BYTES, answer_offer,
};
pub use host_key::{HostAddress, HostKey, HostPublicKey};
pub use lease::{HostLease, LEASE, LeaseHold, LeaseKeeper, LeaseName, LeaseTable, LeaseText, wait_for_lease};
pub use log::{
    AppendError, JournalLog, LogEntry, LogError, LogPosition, PART_BYTES_MAX, SealedEntry, SnapshotHead,
    SnapshotParts,
};
#[cfg(feature = "jetstream")]
pub use log_access::{LogAccess, LogAccessError, LogServers};
pub use owner_grant::{GrantError, GrantNote, GrantPlace, OwnerGrant, SealedGrant};
pub use owner_log::{ENTRIES_MAX, ENTRY_BYTES_MIN, open_with, to_store_error};
pub use owner_record::OwnerRecord;
pub use private_file::{ExistingFile, write_private};
pub use records::{RecordStore, SealedRecord, SqliteRecords};
pub use roots::LogRoots;
pub use seal::{EntryCipher, KeyCipher, LeaseHolder, OwnerSubject, PartPlace, SealError, key_number};
pub use shard_keeper::{HostRecord, OpenLeases, ServiceLease, ShardKeeper, ShardTable, living_hosts};
pub use shards::{ShardPlan, ShardView, plan_shards, shard_of_name};
pub use sqlite::SqliteLog;
pub use sqlite_lease::SqliteLeases;

use rustix::rand::{GetRandomFlags, getrandom};

/// A word that nobody else has.
///
/// # Errors
/// When the system has no random numbers.
pub fn random_word() -> Result<String, LogError> {
    let mut random = [0; 16];
    getrandom(&mut random[..], GetRandomFlags::empty())
        .map_err(|errno| LogError::Unavailable(errno.to_string()))?;
    Ok(format!("{:032x}", u128::from_be_bytes(random)))
}
