//! The checks of a data folder's key and of what a repair lost.
//!
//! What: how the folder is sealed and where its key is kept; damaged stores that are still there. Why: both can be told without
//! opening anything. Not here: what the folder holds (`folder`).

use super::{DoctorFinding, bad, ok, warn};
use crate::error::CliError;
use aura_memory::{
    Vault, demo,
    repair::{self, RepairLoss, TableLoss},
    vault::{self, VaultStatus},
};
use std::path::Path;
use surfaces_base::language::{say, text};

/// How the folder is sealed, and where its key is kept; needs no key.
pub(super) fn key(dir: &Path) -> DoctorFinding {
    match vault::standing(dir) {
        Ok(VaultStatus::Sealed(_)) if demo::is_marked(dir) => ok("key", text("cli-doctor-folder-key-demo")),
        Ok(VaultStatus::Sealed(place)) => ok(
            "key",
            say!("cli-doctor-folder-key-sealed", place = place.to_string()),
        ),
        Ok(VaultStatus::New) => warn(
            "key",
            text("cli-doctor-folder-key-none"),
            text("cli-doctor-folder-key-make"),
        ),
        Ok(VaultStatus::Plain) => bad(
            "key",
            text("cli-doctor-folder-key-plain"),
            text("cli-doctor-folder-key-seal"),
        ),
        Err(error) => bad(
            "key",
            CliError::from(error).with_causes(),
            text("cli-doctor-folder-help-code-keys"),
        ),
    }
}

/// The folder with its key; `None` where there is nothing to open yet.
pub(super) fn opened(
    dir: &Path,
    open: impl FnOnce() -> Result<Vault, CliError>,
) -> Result<Option<Vault>, CliError> {
    match vault::standing(dir)? {
        VaultStatus::New => Ok(None),
        VaultStatus::Sealed(_) | VaultStatus::Plain => open().map(Some),
    }
}

/// What a damaged store lost, as long as its file is still there.
pub(super) fn repaired(dir: &Path) -> Vec<DoctorFinding> {
    let losses = repair::losses(dir).unwrap_or_default();
    let said = |loss: RepairLoss| {
        let of = |table: TableLoss| match table.lost {
            Some(lost) => say!(
                "cli-doctor-folder-rows-lost",
                lost = lost.to_string(),
                rows = (lost + table.kept).to_string(),
                table = table.table
            ),
            None => say!("cli-doctor-folder-rows-unknown", table = table.table),
        };
        let tables: Vec<String> = loss.tables.into_iter().map(of).collect();
        let what = if tables.is_empty() {
            text("cli-doctor-folder-repaired-nothing").to_owned()
        } else {
            say!("cli-doctor-folder-repaired-lost", tables = tables.join(", "))
        };
        let path = dir.join(loss.set_aside).display().to_string();
        warn("repaired", what, say!("cli-doctor-folder-repaired-remove", path))
    };
    losses.into_iter().map(said).collect()
}

#[cfg(test)]
mod tests {
    use super::{super::DoctorLevel, *};
    use std::{
        fs::{self, Permissions},
        os::unix::fs::PermissionsExt as _,
    };

    #[test]
    fn key_is_bad_when_others_may_read_it_or_it_is_no_box() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        assert_eq!(key(dir.path()).level, DoctorLevel::Warn);
        Vault::demo(dir.path()).unwrap();
        let sealed = fs::read(&path).unwrap();
        for (bytes, mode, level) in [
            (&sealed[..], 0o600, DoctorLevel::Ok),
            (&sealed[..], 0o640, DoctorLevel::Bad),
            (&sealed[1..], 0o600, DoctorLevel::Bad),
            // The seed of an earlier Aura.
            (&sealed[..32], 0o600, DoctorLevel::Bad),
        ] {
            fs::write(&path, bytes).unwrap();
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            assert_eq!(
                key(dir.path()).level,
                level,
                "{} bytes, mode {mode:o}",
                bytes.len()
            );
        }
    }
}
