//! Looking for texts in every byte that is kept.
//!
//! What: [`scan`], which opens all that is sealed, page by page, and looks into pages in use and free ones, the logs, and every other
//! file. Why: that something is not kept, or is gone, can be tried by anybody on their own folder. Not here: finding things by their
//! words (`graph`).

use crate::{
    audit::pending,
    error::StoreError,
    raw::{self, RawTraces},
    vault::Vault,
};
use aes::cipher::{BlockModeDecrypt as _, KeyIvInit as _, block_padding::NoPadding};
use std::{
    fs,
    path::{Path, PathBuf},
};
use zeroize::Zeroizing;

/// `SQLCipher` 4: bytes of a page; of them the last 80 are an initialization vector and a checksum.
const PAGE: usize = 4096;
const RESERVED: usize = 80;
/// The first page begins with the salt, which is not sealed.
const SALT: usize = 16;
/// Bytes before the log's frames, and before each page in it.
const LOG_HEADER: usize = 32;
const FRAME_HEADER: usize = 24;

/// Where a text was found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScanMatch {
    /// Which of the texts, from 0.
    pub text: usize,
    /// The file, relative to the data folder.
    pub file: PathBuf,
    /// The page of a database or of its log, from 1; absent for other files.
    pub page: Option<usize>,
}

/// Every place in a data folder where one of some texts stands. A text that lies across the end of a page is not seen; models are not
/// looked into.
///
/// # Errors
/// STORE-007 when a file cannot be read.
pub fn scan(vault: &Vault, texts: &[Vec<u8>]) -> Result<Vec<ScanMatch>, StoreError> {
    let mut found = Vec::new();
    let mut folders = vec![vault.dir().to_owned()];
    while let Some(folder) = folders.pop() {
        let wrong = || StoreError::file("list", &folder);
        for entry in fs::read_dir(&folder).map_err(wrong())? {
            let entry = entry.map_err(wrong())?;
            let (path, kind) = (entry.path(), entry.file_type().map_err(wrong())?);
            if kind.is_dir() && entry.file_name() != "models" {
                folders.push(path);
            } else if kind.is_file() {
                look(vault, &path, texts, &mut found)?;
            }
        }
    }
    found.sort();
    Ok(found)
}

fn look(vault: &Vault, path: &Path, texts: &[Vec<u8>], found: &mut Vec<ScanMatch>) -> Result<(), StoreError> {
    let bytes = fs::read(path).map_err(StoreError::file("read", path))?;
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let mut see = |bytes: &[u8], page: Option<usize>| {
        let standing = texts.iter().enumerate().filter(|(_, text)| holds(bytes, text));
        found.extend(standing.map(|(text, _)| ScanMatch {
            text,
            file: path.strip_prefix(vault.dir()).unwrap_or(path).to_owned(),
            page,
        }));
    };
    // What is not a sealed page is looked at as it is.
    see(&bytes, None);
    if let Some(database) = database_of(&name) {
        let Some(key) = key_of(vault, database) else {
            return Ok(());
        };
        for (n, page) in pages(&bytes, name.ends_with("-wal")).enumerate() {
            if let Some(plain) = opened(&key, page) {
                see(&plain, Some(n + 1));
            }
        }
    } else if let Some(id) = raw::trace_of(path)
        && let Some(plain) = RawTraces::open(vault)?.unseal(&id, &bytes)
    {
        see(&plain, None);
    } else if let Some(plain) = pending::unseal(vault, path, &bytes) {
        see(&plain, None);
    }
    Ok(())
}

/// The database that a file is, belongs to, or was: `aura.db`, `aura.db-wal`, `aura.db.damaged-…`.
fn database_of(name: &str) -> Option<&'static str> {
    ["aura.db", "workflows.db"]
        .into_iter()
        .find(|database| name.starts_with(database))
        .filter(|_| !name.ends_with("-shm"))
}

fn key_of(vault: &Vault, database: &str) -> Option<Zeroizing<[u8; 32]>> {
    let key = vault.database_key(database);
    let hex = key.text().strip_prefix("x'")?.get(..64)?;
    let mut bytes = Zeroizing::new([0; 32]);
    for (byte, at) in bytes.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(hex.get(at..at + 2)?, 16).ok()?;
    }
    Some(bytes)
}

fn pages(bytes: &[u8], is_log: bool) -> impl Iterator<Item = &[u8]> {
    let (header, before) = if is_log {
        (LOG_HEADER, FRAME_HEADER)
    } else {
        (0, 0)
    };
    let rest = bytes.get(header..).unwrap_or_default();
    rest.chunks_exact(before + PAGE)
        .filter_map(move |frame| frame.get(before..))
}

/// A page as `SQLite` sees it: AES-256 in CBC mode. The first page's sealed part begins behind the salt; opening any other page as if it
/// were the first, or the other way round, only spoils one block, and both are tried.
fn opened(key: &[u8; 32], page: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let iv = page.get(PAGE - RESERVED..PAGE - RESERVED + 16)?;
    let mut plain = Zeroizing::new(page.get(..PAGE - RESERVED)?.to_vec());
    let behind_salt = Zeroizing::new(page.get(SALT..PAGE - RESERVED)?.to_vec());
    let open = |bytes: &mut [u8]| -> Option<()> {
        cbc::Decryptor::<aes::Aes256>::new_from_slices(key, iv)
            .ok()?
            .decrypt_padded::<NoPadding>(bytes)
            .ok()?;
        Some(())
    };
    open(&mut plain)?;
    let mut first = behind_salt;
    open(&mut first)?;
    plain.extend_from_slice(&first);
    Some(plain)
}

fn holds(bytes: &[u8], text: &[u8]) -> bool {
    !text.is_empty() && memchr::memmem::find(bytes, text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Store, StoreOptions, StoreWrite, outbox};
    use tempfile::TempDir;
    use toolcall_schema::ids::OwnerSeed;

    #[test]
    fn what_is_sealed_is_found_in_pages_in_the_log_and_in_files_and_nowhere_when_it_is_not_there() {
        let dir = TempDir::new().unwrap();
        let vault = Vault::ephemeral(dir.path()).unwrap();
        let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
        let texts: Vec<Vec<u8>> = [
            "in the journal",
            "in the outbox",
            "in a raw trace",
            "nowhere at all",
        ]
        .into_iter()
        .map(|text| text.as_bytes().to_vec())
        .collect();
        let json = format!("{:?}", "in the journal");
        store
            .write(vec![StoreWrite::Event {
                seq: 1,
                at_ms: 0,
                json,
            }])
            .unwrap();
        outbox::put(dir.path(), "a.txt", "something in the outbox").unwrap();
        let (told, heard) = std::sync::mpsc::channel();
        store
            .commit(Box::new(move |done| told.send(done.is_ok()).unwrap()))
            .unwrap();
        assert!(heard.recv().unwrap());
        let found = |vault: &Vault| -> Vec<(usize, String)> {
            let mut places: Vec<(usize, String)> = scan(vault, &texts)
                .unwrap()
                .into_iter()
                .map(|place| (place.text, place.file.display().to_string()))
                .collect();
            places.dedup();
            places
        };
        let in_outbox = (1, "outbox/a.txt".to_owned());
        assert_eq!(found(&vault), [(0, "aura.db-wal".to_owned()), in_outbox.clone()]);
        drop(store);
        assert_eq!(found(&vault), [(0, "aura.db".to_owned()), in_outbox.clone()]);
        // With another key there is nothing to be seen in what is sealed.
        let stranger = Vault::ephemeral(dir.path()).unwrap();
        assert_eq!(found(&stranger), [in_outbox]);
        let id = OwnerSeed::from_day_seed("scan").trace_id(1);
        assert!(raw::trace_of(&dir.path().join(format!("{id}.json"))).is_some());
    }
}
