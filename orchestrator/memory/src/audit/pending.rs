//! Records of what was read on a folder that nobody writes.
//!
//! What: `audit/<random>`, one sealed file a record, made by whoever reads a stopped folder; `take_in`, with which the next opening for
//! writing appends them to the log. Why: reading needs no lock and repairs nothing, and still leaves its record before anything is shown.
//! Not here: the log (`log`), reading beside a service, which records at once.
//!
//! A file holds the blind of its record, so the record's commitment is known before it is appended: one that the log has already is not
//! appended again, wherever a writer was killed.

use super::{
    hexed::HexBytes,
    log::{AuditLog, commitments_since},
    record::AuditEntry,
};
use crate::{
    error::StoreError,
    files::{self, IfExists},
    vault::{Vault, keys::random},
};
use rusqlite::{Connection, TransactionBehavior};
use rustix::fs::{Access, access};
use serde::{Deserialize, Serialize};
use std::{
    fs, io,
    path::{Path, PathBuf},
};
use toolcall_schema::ids::hex;
use zeroize::Zeroizing;

/// What the files' key is for.
pub(crate) const KEY: &str = "pending audit records v1";
/// The folder of the files.
pub(crate) const DIR: &str = "audit";

/// What a file holds, sealed about its name.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PendingRecord {
    entry: AuditEntry,
    blind: HexBytes<32>,
}

/// Whether a record could be kept; so that nothing is opened where nothing may be shown.
///
/// # Errors
/// STORE-007 when the folder takes no files.
pub fn check_writable(vault: &Vault) -> Result<(), StoreError> {
    let dir = vault.dir();
    access(dir, Access::WRITE_OK).map_err(|errno| StoreError::file("write", dir)(errno.into()))
}

/// Keeps a record as a file of its own; it is on disk when this returns.
///
/// # Errors
/// STORE-007 when it cannot be written.
pub fn write_pending(vault: &Vault, entry: AuditEntry) -> Result<(), StoreError> {
    let dir = vault.dir().join(DIR);
    files::private_dir(&dir)?;
    let name = hex(&random::<16>()?);
    let document = PendingRecord {
        entry,
        blind: HexBytes(random()?),
    };
    // Names and numbers: serializing cannot fail; a file without a document is none when it is read.
    let plain = Zeroizing::new(serde_json::to_vec(&document).unwrap_or_default());
    let sealed = vault.key_of(KEY).seal(name.as_bytes(), &plain)?;
    files::write_atomic(&dir, &name, &sealed, IfExists::Keep)?;
    Ok(())
}

/// The records that are not in the log yet, oldest first.
///
/// # Errors
/// STORE-007 when they cannot be read.
pub fn load_pending(vault: &Vault) -> Result<Vec<AuditEntry>, StoreError> {
    Ok(read_all(vault)?
        .into_iter()
        .map(|(_, document)| document.entry)
        .collect())
}

/// Appends the records that wait to the log, each once, and removes their files. The folder's lock is held.
///
/// # Errors
/// STORE-003 or STORE-007; nothing was appended then.
pub(crate) fn append_pending(
    vault: &Vault,
    conn: &mut Connection,
    file: &Path,
    log: &mut AuditLog,
) -> Result<(), StoreError> {
    let dir = vault.dir().join(DIR);
    remove_abandoned(&dir)?;
    let waiting = read_all(vault)?;
    let Some((_, oldest)) = waiting.first() else {
        return Ok(());
    };
    let sql = |e| StoreError::sql(file, e);
    let tx = conn
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(sql)?;
    let there = commitments_since(&tx, oldest.entry.at_ms).map_err(sql)?;
    let mut appended = log.clone();
    for (_, PendingRecord { entry, blind }) in &waiting {
        if !there.contains(&entry.meaning.commitment(&blind.0)) {
            appended.append_blinded(&tx, entry, &blind.0).map_err(sql)?;
        }
    }
    tx.commit().map_err(sql)?;
    *log = appended;
    for (path, _) in &waiting {
        if let Err(error) = files::remove(path) {
            tracing::warn!(code = error.code(), %error, "a record that was taken in could not be removed");
        }
    }
    files::sync_dir(&dir)
}

/// The records that wait, for a store that follows a log outside the process, and their files, which are to be removed when that log has them. Whoever is
/// killed in between records them twice.
///
/// # Errors
/// STORE-007 when they cannot be read.
pub(crate) fn waiting(vault: &Vault) -> Result<(Vec<AuditEntry>, Vec<PathBuf>), StoreError> {
    remove_abandoned(&vault.dir().join(DIR))?;
    let records = read_all(vault)?.into_iter();
    Ok(records.map(|(path, document)| (document.entry, path)).unzip())
}

/// The files, with what they hold, by their time. What does not open is left alone.
fn read_all(vault: &Vault) -> Result<Vec<(PathBuf, PendingRecord)>, StoreError> {
    let mut all = Vec::new();
    for path in files(vault.dir())? {
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            // Taken in meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(StoreError::file("read", &path)(error)),
        };
        let document = unseal(vault, &path, &bytes).and_then(|plain| serde_json::from_slice(&plain).ok());
        match document {
            Some(document) => all.push((path, document)),
            None => {
                tracing::warn!(code = "STORE-003", file = %path.display(), "it is no audit record of this folder: left alone");
            }
        }
    }
    all.sort_by(|(a, x): &(PathBuf, PendingRecord), (b, y)| (x.entry.at_ms, a).cmp(&(y.entry.at_ms, b)));
    Ok(all)
}

/// What a file says; `None` when it is not sealed by this folder.
pub(crate) fn unseal(vault: &Vault, path: &Path, sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    vault.key_of(KEY).unseal(name_of(path)?.as_bytes(), sealed)
}

/// The files of a data folder that hold such records.
pub(crate) fn files(data_dir: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let mut found = entries(&data_dir.join(DIR))?;
    found.retain(|path| name_of(path).is_some());
    found.sort();
    Ok(found)
}

/// The name that a file's seal is about; `None` for other files, e.g. a temporary one.
pub(crate) fn name_of(path: &Path) -> Option<&str> {
    let ours = path.parent()?.file_name()? == DIR;
    let name = path.file_name()?.to_str()?;
    (ours && name.len() == 32 && name.bytes().all(|b| b.is_ascii_hexdigit())).then_some(name)
}

/// Removes what a reader left that was killed while it wrote: it has shown nothing.
fn remove_abandoned(dir: &Path) -> Result<(), StoreError> {
    for path in entries(dir)? {
        let pid = path.file_name().and_then(|name| {
            let (_, pid) = name.to_str()?.strip_suffix(".tmp")?.rsplit_once('.')?;
            pid.parse::<u32>().ok()
        });
        if pid.is_some_and(|pid| !Path::new("/proc").join(pid.to_string()).exists()) {
            files::remove(&path)?;
        }
    }
    Ok(())
}

fn entries(dir: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let wrong = || StoreError::file("read", dir);
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(wrong()(error)),
    };
    entries.map(|entry| Ok(entry.map_err(wrong())?.path())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Store, StoreOptions, StoreReader,
        audit::{AuditFilter, AuditKeys, AuditSubject, Kind, Op},
    };
    use tempfile::TempDir;

    fn read_at(at_ms: i64, kind: Kind) -> AuditEntry {
        AuditEntry {
            at_ms,
            op: Op::Read,
            meaning: AuditSubject::all_of(kind),
        }
    }

    /// Number, time and kind of each record, oldest first.
    fn log(vault: &Vault) -> Vec<(u64, i64, Kind)> {
        let reader = StoreReader::open(vault).unwrap();
        let mut all = reader.audit(&AuditFilter::default(), 100).unwrap();
        all.reverse();
        let sound = reader.verify_audit(&AuditKeys::derive(vault.seed()), &[], |_| {});
        sound.unwrap().unwrap();
        all.into_iter()
            .map(|record| {
                let meaning = record.revealed.unwrap().meaning;
                (record.seq, record.at_ms, meaning.kind)
            })
            .collect()
    }

    #[test]
    fn records_are_taken_in_by_their_time_and_once() {
        let dir = TempDir::new().unwrap();
        let vault = Vault::ephemeral(dir.path()).unwrap();
        drop(Store::open(&vault, StoreOptions::default()).unwrap());
        for (at_ms, kind) in [(30, Kind::Ledger), (10, Kind::Traces), (20, Kind::Graph)] {
            write_pending(&vault, read_at(at_ms, kind)).unwrap();
        }
        let kept: Vec<(PathBuf, Vec<u8>)> = files(dir.path())
            .unwrap()
            .into_iter()
            .map(|path| (path.clone(), fs::read(&path).unwrap()))
            .collect();
        let torn = dir.path().join("audit/.0123.999999999.tmp");
        fs::write(&torn, "half").unwrap();
        drop(Store::open(&vault, StoreOptions::default()).unwrap());
        let expected = [(1, 10, Kind::Traces), (2, 20, Kind::Graph), (3, 30, Kind::Ledger)];
        assert_eq!(log(&vault), expected);
        assert_eq!((files(dir.path()).unwrap(), torn.exists()), (Vec::new(), false));
        // A clock that was set back: the record counts as of the last one, and is still known.
        write_pending(&vault, read_at(5, Kind::Audit)).unwrap();
        for (path, bytes) in &kept {
            fs::write(path, bytes).unwrap();
        }
        drop(Store::open(&vault, StoreOptions::default()).unwrap());
        let last = log(&vault);
        assert_eq!((last.len(), last[3]), (4, (4, 30, Kind::Audit)));
    }

    #[test]
    fn what_is_not_of_this_folder_is_left_alone() {
        let (one, two) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let [stranger, vault] = [&one, &two].map(|dir| Vault::ephemeral(dir.path()).unwrap());
        write_pending(&stranger, read_at(1, Kind::Graph)).unwrap();
        write_pending(&vault, read_at(2, Kind::Ledger)).unwrap();
        let strange = files(one.path()).unwrap().remove(0);
        let copy = two.path().join(DIR).join(strange.file_name().unwrap());
        fs::copy(&strange, &copy).unwrap();
        drop(Store::open(&vault, StoreOptions::default()).unwrap());
        assert_eq!(log(&vault), [(1, 2, Kind::Ledger)]);
        assert!(copy.exists());
    }
}
