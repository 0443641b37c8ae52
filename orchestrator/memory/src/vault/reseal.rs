//! Sealing a whole folder anew: one that was plain, and one whose key changes.
//!
//! What: [`change`], and [`finish`], which goes on where a crash stopped it. Why: every file is sealed with the new key before the
//! old one is forgotten, and at each moment either key opens the folder. Not here: the box (`keybox`), places (`place`).
//!
//! In this order, each step repeatable: the box with both keys; each database written sealed beside the old one, checked, and put in
//! its place; each raw trace and audit record that waits; the box with the new key alone. What was plain is overwritten before it goes.

use super::{
    keybox::{self, KeyBox, KeySeal},
    keys::{DatabaseKey, FolderKeys, PreviousSeal, SecretBytes},
    place::KeyPlace,
};
use crate::{
    audit::pending,
    database,
    error::StoreError,
    files::{self, IfExists},
    raw,
    schema::FILES,
};
use rusqlite::Connection;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// How far a change is: called before each step. What it returns ends the change, which the next opening goes on with.
pub type ResealProgress<'a> = dyn FnMut(ResealStep<'_>) -> Result<(), StoreError> + 'a;

/// One step of sealing a folder anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResealStep<'a> {
    /// What is done now, e.g. `seal aura.db`.
    pub doing: &'a str,
    /// How many files are done.
    pub done: usize,
    /// How many there are.
    pub of: usize,
}

/// What a change would seal anew: each file and its bytes.
///
/// # Errors
/// STORE-007 when the folder cannot be read.
pub fn plan(dir: &Path) -> Result<Vec<(PathBuf, u64)>, StoreError> {
    let databases = FILES
        .iter()
        .map(|name| dir.join(name))
        .filter(|path| path.exists());
    let mut files: Vec<PathBuf> = databases.collect();
    files.extend(raw::files(dir)?);
    files.extend(pending::files(dir)?);
    files
        .into_iter()
        .map(|path| {
            let meta = fs::metadata(&path).map_err(StoreError::file("read", &path))?;
            Ok((path, meta.len()))
        })
        .collect()
}

/// Seals a folder with a new data key, whose box opens with a new place. The folder's locks are held.
pub(super) fn change(
    dir: &Path,
    before: PreviousSeal,
    seed: SecretBytes,
    old: Option<(KeyPlace, SecretBytes)>,
    (place, key): (KeyPlace, SecretBytes),
    progress: &mut ResealProgress<'_>,
) -> Result<(KeyBox, FolderKeys), StoreError> {
    let mut keys = FolderKeys::new(SecretBytes::random()?, seed);
    let after = KeySeal::close(place.clone(), &key, &keys)?;
    keys.before = Some(before);
    let both = KeySeal::close(place, &key, &keys)?;
    progress(ResealStep {
        doing: "seal the keys",
        done: 0,
        of: 0,
    })?;
    // An earlier Aura's seed, until it can be overwritten.
    if keys.before == Some(PreviousSeal::Plain) {
        files::second_name(&dir.join(keybox::NAME), &plain_name(dir, keybox::NAME))?;
    }
    let old = old
        .map(|(place, key)| KeySeal::close(place, &key, &keys))
        .transpose()?;
    let changing = KeyBox::changing(old.into_iter().chain([both]).collect(), after);
    changing.write(dir, IfExists::Replace)?;
    Ok((changing, keys))
}

/// Goes on with what [`change`] began, to its end. The folder's locks are held.
pub(super) fn finish(
    dir: &Path,
    found: &KeyBox,
    keys: &FolderKeys,
    progress: &mut ResealProgress<'_>,
) -> Result<(), StoreError> {
    let Some(before) = &keys.before else { return Ok(()) };
    let single = single_files(dir)?;
    let of = FILES.len() + single.len();
    for (done, name) in FILES.iter().enumerate() {
        let mut progress = |doing: &str| {
            progress(ResealStep {
                doing: &format!("{doing} {name}"),
                done,
                of,
            })
        };
        database(dir, name, before, keys, &mut progress)?;
    }
    for (file, done) in single.iter().zip(FILES.len()..) {
        progress(ResealStep {
            doing: file.doing,
            done,
            of,
        })?;
        file.seal_anew(before, keys)?;
    }
    progress(ResealStep {
        doing: "forget the old key",
        done: of,
        of,
    })?;
    files::shred(&plain_name(dir, keybox::NAME))?;
    let Some(after) = found.after() else { return Ok(()) };
    after.write(dir, IfExists::Replace)?;
    for place in found
        .places()
        .filter(|old| !after.places().any(|place| place == *old))
    {
        // The box does not need it any more; one that stays opens nothing.
        if let Err(error) = KeyPlace::destroy(place) {
            tracing::warn!(
                code = error.code(),
                "the old key could not be removed from where it was kept"
            );
        }
    }
    Ok(())
}

/// One database: sealed beside the old one, checked, put in its place.
fn database(
    dir: &Path,
    name: &str,
    before: &PreviousSeal,
    keys: &FolderKeys,
    progress: &mut dyn FnMut(&str) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let (file, sealing, plain) = (
        dir.join(name),
        dir.join(format!(".{name}.sealing")),
        plain_name(dir, name),
    );
    let key = DatabaseKey::derive(&keys.data, name);
    if !file.exists() || fs::metadata(&file).is_ok_and(|meta| meta.len() == 0) {
        return Ok(());
    }
    // Put in its place before a crash?
    if database::open_reading(&key, &file).is_err() {
        progress("seal")?;
        files::remove(&sealing)?;
        let old = match before {
            PreviousSeal::Plain => Connection::open(&file).map_err(|e| StoreError::sql(&file, e))?,
            PreviousSeal::Key(old) => database::open_as_it_is(&DatabaseKey::derive(old, name), &file)?,
        };
        export(&old, &file, &sealing, &key)?;
        progress("put in place")?;
        if *before == PreviousSeal::Plain {
            files::second_name(&file, &plain)?;
        }
        drop(old);
        fs::rename(&sealing, &file).map_err(StoreError::file("replace", &file))?;
        files::sync_dir(dir)?;
    }
    progress("overwrite the old")?;
    files::shred(&plain)?;
    for log in ["-wal", "-shm"] {
        // Emptied before, and of the old file.
        files::shred(&dir.join(format!("{name}{log}")))?;
    }
    Ok(())
}

/// All of a database into a new sealed file, which is on disk and was read again when this returns.
fn export(old: &Connection, file: &Path, sealing: &Path, key: &DatabaseKey) -> Result<(), StoreError> {
    let sql = |e| StoreError::sql(file, e);
    // What the log holds goes into the file first, and nobody else has it open.
    old.pragma_update(None, "locking_mode", "EXCLUSIVE")
        .map_err(sql)?;
    old.pragma_update(None, "journal_mode", "DELETE").map_err(sql)?;
    if let Some(what) = database::damage(old).map_err(sql)? {
        return Err(StoreError::Damaged {
            file: file.to_owned(),
            what,
        });
    }
    let version: i64 = old
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .map_err(sql)?;
    files::private_file()
        .append(true)
        .open(sealing)
        .map_err(StoreError::file("create", sealing))?;
    let path = sealing.to_string_lossy();
    let attach = zeroize::Zeroizing::new(format!("ATTACH DATABASE ?1 AS sealing KEY \"{}\"", key.text()));
    old.execute(&attach, [path.as_ref()]).map_err(sql)?;
    old.query_row("SELECT sqlcipher_export('sealing')", [], |_| Ok(()))
        .map_err(sql)?;
    old.pragma_update(Some("sealing"), "user_version", version)
        .map_err(sql)?;
    old.execute_batch("DETACH DATABASE sealing").map_err(sql)?;
    fs::File::open(sealing)
        .and_then(|file| file.sync_all())
        .map_err(StoreError::file("sync", sealing))?;
    let new = database::open_reading(key, sealing)?;
    let found = database::damage(&new).map_err(|e| StoreError::sql(sealing, e))?;
    let (rows, kept) = (counts(old).map_err(sql)?, counts(&new).map_err(sql)?);
    match found {
        None if rows == kept => Ok(()),
        found => Err(StoreError::Damaged {
            file: sealing.to_owned(),
            what: found.unwrap_or_else(|| "the sealed copy is not whole".to_owned()),
        }),
    }
}

/// How many rows each table has.
fn counts(conn: &Connection) -> rusqlite::Result<Vec<(String, i64)>> {
    let names = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
    let names: Vec<String> = conn
        .prepare(names)?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    names
        .into_iter()
        .map(|name| {
            let count = conn.query_row(&format!("SELECT count(*) FROM \"{name}\""), [], |row| row.get(0))?;
            Ok((name, count))
        })
        .collect()
}

/// A file that is sealed by itself.
struct SingleFile {
    path: PathBuf,
    doing: &'static str,
    /// What its key is for.
    usage: &'static str,
    /// What its seal is about.
    about: String,
}

/// All of a folder.
fn single_files(dir: &Path) -> Result<Vec<SingleFile>, StoreError> {
    let traces = raw::files(dir)?.into_iter().filter_map(|path| {
        Some(SingleFile {
            doing: "seal a raw trace",
            usage: raw::KEY,
            about: raw::trace_of(&path)?.to_string(),
            path,
        })
    });
    let records = pending::files(dir)?.into_iter().filter_map(|path| {
        Some(SingleFile {
            doing: "seal an audit record",
            usage: pending::KEY,
            about: pending::name_of(&path)?.to_owned(),
            path,
        })
    });
    Ok(traces.chain(records).collect())
}

impl SingleFile {
    /// What cannot be read with either key stays as it is, as it would without a change.
    fn seal_anew(&self, before: &PreviousSeal, keys: &FolderKeys) -> Result<(), StoreError> {
        let (path, about) = (&self.path, self.about.as_bytes());
        let (Some(dir), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
            return Ok(());
        };
        let plain = plain_name(dir, name);
        let new = keys.data.derive(self.usage);
        let bytes = fs::read(path).map_err(StoreError::file("read", path))?;
        if new.unseal(about, &bytes).is_none() {
            let text = match before {
                PreviousSeal::Plain => Some(zeroize::Zeroizing::new(bytes)),
                PreviousSeal::Key(old) => old.derive(self.usage).unseal(about, &bytes),
            };
            let Some(text) = text else { return Ok(()) };
            if *before == PreviousSeal::Plain {
                files::second_name(path, &plain)?;
            }
            files::write_atomic(dir, name, &new.seal(about, &text)?, IfExists::Replace)?;
        }
        files::shred(&plain)
    }
}

/// What is plain, between being replaced and being overwritten.
fn plain_name(dir: &Path, name: &str) -> PathBuf {
    dir.join(format!(".{name}.plain"))
}
