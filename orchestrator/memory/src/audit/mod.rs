//! The audit log: what was done to what is kept, and that nothing of it was taken back.
//!
//! What: records that are only appended ([`record`]), a chain and a hash tree over them ([`tree`]), signed heads for the owner
//! to copy elsewhere ([`head`]), and the check of all of it ([`verify`]). Why: who may read and write the whole folder can
//! change a record, take one out, move one or cut the log off, and each of that shows; and what is erased is erased here too,
//! without a proof less. Not here: when something is recorded (the writer, the commands, the page).
//!
//! Reads are recorded before anything is shown: a read whose record cannot be written is refused.

pub mod head;
pub mod hexed;
mod log;
pub mod pending;
pub mod read;
pub mod record;
pub mod tree;
pub mod verify;

#[cfg(test)]
mod tests;

pub use head::{AuditKeys, InclusionProof, ProofError, SignedTreeHead};
pub use hexed::HexBytes;
pub use log::FORGET;
pub(crate) use log::{AuditLog, records_in_span, records_naming};
pub use read::{AuditFilter, NoProof};
pub use record::{AuditEntry, AuditRecord, AuditSubject, Kind, Op, RevealedSubject, TargetId};
pub use verify::{AuditFault, AuditFinding, VerifiedLog};
