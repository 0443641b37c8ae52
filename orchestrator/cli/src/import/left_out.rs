//! What an import leaves out because it was forgotten.
//!
//! What: [`since`], from when on it does. Why: a file that was read is not looked into
//! twice, so what the owner deleted stays away until the owner says otherwise; an import that says nothing of it looks broken. Not here:
//! how far files were read (`agents::kept_state`).

use super::super::{error::CliError, records::local};
use aura_memory::{
    StoreReader, Vault,
    audit::{AuditFilter, Op, TargetId},
};
use aura_runtime::deletion::SOURCES;
use chrono_tz::Tz;
use surfaces_base::language::say;
use toolcall_schema::Timestamp;

/// When the owner last deleted something that no import has read again since; `None`: nothing is left out.
///
/// # Errors
/// The store cannot be read.
pub(super) fn since(vault: &Vault) -> Result<Option<Timestamp>, CliError> {
    let reader = StoreReader::open(vault)?;
    let newest = |op, id| {
        let filter = AuditFilter {
            op: Some(op),
            id,
            ..AuditFilter::default()
        };
        reader.audit(&filter, 1).map(|records| records.into_iter().next())
    };
    let deleted = newest(Op::Delete, None)?;
    let again = newest(Op::Import, TargetId::parse(SOURCES).ok())?;
    Ok(deleted
        .filter(|deleted| again.is_none_or(|again| again.seq < deleted.seq))
        .map(|deleted| Timestamp::from_ms(deleted.at_ms)))
}

/// What is said of it.
pub(super) fn sentence(at: Timestamp, zone: Tz) -> String {
    say!("cli-import-left-out", at = local(at, zone))
}
