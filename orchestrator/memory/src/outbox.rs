//! Drafts for the owner.
//!
//! What: [`put`], which files a draft in `outbox/`, [`remove`], which discards one, [`change`], which does what a turn says, and [`edit`], by which its
//! owner changes one. A discarded draft lies beside the others for its undo time. Why: Aura writes drafts and sends nothing; what it wrote once stays as it was, but for its owner's own word. Not here: what
//! a draft says (`agents`), in which order all that is done (`writer`).
//!
//! A turn's change may be done again after a crash. That must not bring a text back that its owner has changed since, so beside an edited draft stands
//! the hash of what was drafted (`NAME.sha256`): the same draft put once more is known by it.

pub use crate::draft_change::{DraftChange, DraftEdit};
use crate::{
    error::StoreError,
    files::{self, IfExists},
    rows::StoreWrite,
};
use std::{
    fs::{self, File},
    io::{self, ErrorKind, Read as _},
    os::unix::fs::MetadataExt as _,
    path::Path,
    time::Duration,
};
use toolcall_schema::ids::sha256_hex;

/// How many different files may share a name but for their number.
const SAME_NAME: u32 = 999;

/// Bytes of a draft, at most: as many as the gate lets an agent write.
pub const DRAFT_BYTES_MAX: usize = 16 * 1024;

/// Drafts that are listed, at most.
const LISTED_MAX: usize = 512;

/// A draft as it lies there.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredDraft {
    pub name: String,
    pub text: String,
}

impl StoredDraft {
    /// The hash of its text.
    pub fn hash(&self) -> String {
        sha256_hex(self.text.as_bytes())
    }
}

/// What became of an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DraftEditOutcome {
    /// The draft says that now.
    Kept,
    /// It says something else than they saw: it is as it was.
    Changed,
    /// There is none any more.
    Gone,
}

const WRONG_NAME: StoreError = StoreError::Outbox {
    what: "its name must match ^[a-z0-9_-]{1,60}\\.(eml|ics|txt)$",
};

/// Files a draft under `name` and returns the name it got; it is on disk when this returns.
///
/// `name` matches `^[a-z0-9_-]{1,60}\.(eml|ics|txt)$`. A file is never overwritten: an equal one is enough, beside a
/// different one the draft gets `-2`, `-3` and so on before the dot.
///
/// # Errors
/// STORE-010 for another name or when 999 different files have it, STORE-007 when the file cannot be written.
pub fn put(data_dir: &Path, name: &str, text: &str) -> Result<String, StoreError> {
    let (stem, extension) = split(name).ok_or(WRONG_NAME)?;
    let dir = data_dir.join("outbox");
    files::private_dir(&dir)?;
    for n in 1..=SAME_NAME {
        let name = match n {
            1 => name.to_owned(),
            n => format!("{stem}-{n}.{extension}"),
        };
        let path = dir.join(&name);
        let taken = match fs::read(&path) {
            Ok(bytes) if bytes == text.as_bytes() || was_drafted_as(&dir, &name, text) => return Ok(name),
            Ok(_) => true,
            Err(error) if error.kind() == ErrorKind::NotFound => false,
            Err(error) => return Err(StoreError::file("read", &path)(error)),
        };
        if !taken {
            // Of a draft before this one.
            for before in [first_hash_file(&name), discarded_file(&name)] {
                files::remove(&dir.join(before))?;
            }
        }
        if !taken && files::write_atomic(&dir, &name, text.as_bytes(), IfExists::Keep)? {
            return Ok(name);
        }
    }
    Err(StoreError::Outbox {
        what: "999 different files have that name: move some away",
    })
}

/// Discards a draft; one that is gone already is gone. It lies beside the others under another name, until [`restore`] or [`remove_discarded`].
///
/// # Errors
/// STORE-010 for another name, STORE-007 when the file cannot be moved.
pub fn remove(data_dir: &Path, name: &str) -> Result<(), StoreError> {
    split(name).ok_or(WRONG_NAME)?;
    let dir = data_dir.join("outbox");
    for beside in [unfinished_file(&first_hash_file(name)), unfinished_file(name)] {
        files::remove(&dir.join(beside))?;
    }
    move_file(&dir, name, &discarded_file(name)).map(|_| ())
}

/// Brings a discarded draft back as it was; whether it is there. One that was drafted since stays.
///
/// Called on the writer's thread alone, as [`edit`].
///
/// # Errors
/// As [`remove`].
fn restore(data_dir: &Path, name: &str) -> Result<bool, StoreError> {
    split(name).ok_or(WRONG_NAME)?;
    let dir = data_dir.join("outbox");
    Ok(files::is_there(&dir.join(name))? || move_file(&dir, &discarded_file(name), name)?)
}

/// Whether there was such a file.
fn move_file(dir: &Path, from: &str, to: &str) -> Result<bool, StoreError> {
    match fs::rename(dir.join(from), dir.join(to)) {
        Ok(()) => files::sync_dir(dir).map(|()| true),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(false),
        Err(error) => Err(StoreError::file("move", &dir.join(from))(error)),
    }
}

/// Lets go of what was discarded that long before `now`, since the epoch.
///
/// # Errors
/// STORE-007 when the folder cannot be listed or a file not be removed.
pub fn remove_discarded(data_dir: &Path, now: Duration, age: Duration) -> Result<(), StoreError> {
    let dir = data_dir.join("outbox");
    for name in names(data_dir)?.1 {
        let path = dir.join(format!("{name}{DISCARDED}"));
        // It was given that name when it was discarded.
        let Ok(since) = fs::metadata(&path).map(|meta| meta.ctime()) else {
            continue;
        };
        let since = Duration::from_secs(u64::try_from(since).unwrap_or_default());
        if now.saturating_sub(since) >= age {
            files::remove(&path)?;
            if !files::is_there(&dir.join(&name))? {
                files::remove(&dir.join(first_hash_file(&name)))?;
            }
        }
    }
    Ok(())
}

/// The names of the drafts that lie there, and of those that were discarded and can be brought back.
///
/// # Errors
/// STORE-007 when the folder cannot be listed.
pub fn names(data_dir: &Path) -> Result<(Vec<String>, Vec<String>), StoreError> {
    let (mut there, mut discarded) = (Vec::new(), Vec::new());
    for file in files_in(&data_dir.join("outbox"))? {
        if let Some(name) = file.strip_suffix(DISCARDED) {
            discarded.push(name.to_owned());
        } else {
            there.push(file);
        }
    }
    for names in [&mut there, &mut discarded] {
        names.retain(|name| split(name).is_some());
        names.sort();
    }
    Ok((there, discarded))
}

/// What lies in the folder, by its names, where there is one.
fn files_in(dir: &Path) -> Result<Vec<String>, StoreError> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(StoreError::file("list", dir)(error)),
    };
    let name = |entry: io::Result<fs::DirEntry>| entry.ok()?.file_name().into_string().ok();
    Ok(entries.filter_map(name).collect())
}

/// The drafts whose names begin so, in the order of their names; none that is larger than [`DRAFT_BYTES_MAX`] or is no text.
///
/// # Errors
/// STORE-007 when the folder cannot be listed.
pub fn list(data_dir: &Path, begin: &str) -> Result<Vec<StoredDraft>, StoreError> {
    let dir = data_dir.join("outbox");
    let (mut names, _) = names(data_dir)?;
    names.retain(|name| name.starts_with(begin));
    names.truncate(LISTED_MAX);
    // One that went meanwhile is not there.
    let draft = |name: String| {
        let text = read(&dir.join(&name)).ok()??;
        Some(StoredDraft { name, text })
    };
    Ok(names.into_iter().filter_map(draft).collect())
}

/// Does with a draft what its owner says.
///
/// # Errors
/// As [`edit`] and [`restore`].
pub(crate) fn change_draft(data_dir: &Path, change: &DraftChange) -> Result<DraftEditOutcome, StoreError> {
    match change {
        DraftChange::Edit(edited) => edit(data_dir, edited),
        DraftChange::Restore(name) => restore(data_dir, name).map(|is_there| {
            if is_there {
                DraftEditOutcome::Kept
            } else {
                DraftEditOutcome::Gone
            }
        }),
    }
}

/// Changes a draft whole or not at all, if it still says what its owner saw. The same edit once more changes nothing.
///
/// Called on the writer's thread alone, when all that turns said is done: so no change of a turn is done again after it.
///
/// # Errors
/// STORE-010 for another name or a text that is too long, STORE-007 when the file cannot be read or written.
fn edit(data_dir: &Path, edit: &DraftEdit) -> Result<DraftEditOutcome, StoreError> {
    let DraftEdit { name, shown, text } = edit;
    split(name).ok_or(WRONG_NAME)?;
    if text.len() > DRAFT_BYTES_MAX {
        return Err(StoreError::Outbox {
            what: "a draft has at most 16 KiB",
        });
    }
    let dir = data_dir.join("outbox");
    let path = dir.join(name);
    let there = match read(&path) {
        Ok(Some(there)) => there,
        Ok(None) => return Ok(DraftEditOutcome::Changed),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(DraftEditOutcome::Gone),
        Err(error) => return Err(StoreError::file("read", &path)(error)),
    };
    if there == *text {
        return Ok(DraftEditOutcome::Kept);
    }
    let hash = sha256_hex(there.as_bytes());
    if hash != *shown {
        return Ok(DraftEditOutcome::Changed);
    }
    // First, so that there is no moment at which an edited draft is not known as the one that was drafted.
    let first = first_hash_file(name);
    if !files::is_there(&dir.join(&first))? {
        files::write_atomic(&dir, &first, hash.as_bytes(), IfExists::Replace)?;
    }
    files::write_atomic(&dir, name, text.as_bytes(), IfExists::Replace)?;
    Ok(DraftEditOutcome::Kept)
}

/// A draft's text; `None`: it is too long, or no text.
fn read(path: &Path) -> std::io::Result<Option<String>> {
    let mut bytes = Vec::new();
    File::open(path)?
        .take(DRAFT_BYTES_MAX as u64 + 1)
        .read_to_end(&mut bytes)?;
    Ok((bytes.len() <= DRAFT_BYTES_MAX)
        .then_some(bytes)
        .and_then(|bytes| String::from_utf8(bytes).ok()))
}

/// Whether a draft that its owner has changed was this text.
fn was_drafted_as(dir: &Path, name: &str, text: &str) -> bool {
    fs::read(dir.join(first_hash_file(name))).is_ok_and(|hash| hash == sha256_hex(text.as_bytes()).as_bytes())
}

/// Holds the hash of what was drafted, once its owner has changed it.
fn first_hash_file(name: &str) -> String {
    format!("{name}.sha256")
}

/// Ends the name of a draft that was discarded.
const DISCARDED: &str = ".discarded";

fn discarded_file(name: &str) -> String {
    format!("{name}{DISCARDED}")
}

/// What an edit leaves that was killed.
fn unfinished_file(name: &str) -> String {
    format!(".{name}.tmp")
}

/// The draft that a file of the outbox belongs to: itself, or the one beside which it stands.
pub(crate) fn draft_of(file: &str) -> &str {
    let unfinished = file.strip_prefix('.').and_then(|name| name.strip_suffix(".tmp"));
    let name = unfinished.unwrap_or(file);
    [".sha256", DISCARDED]
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .unwrap_or(name)
}

/// Changes the files that `writes` name, before they are committed: a kill between the two has them changed once more, which changes nothing.
/// What cannot be changed is logged and left as it is.
pub(crate) fn change<'a>(data_dir: &Path, writes: impl IntoIterator<Item = &'a StoreWrite>) {
    for write in writes {
        let changed = if let StoreWrite::Outbox { name, text } = write {
            match text {
                Some(text) => put(data_dir, name, text).map(Some),
                None => remove(data_dir, name).map(|()| None),
            }
        } else if let StoreWrite::DraftChange(changed) = write {
            // Its owner is told what became of it.
            if let Err(error) = change_draft(data_dir, changed) {
                tracing::error!(code = error.code(), %error, "a draft is not changed");
            }
            continue;
        } else {
            continue;
        };
        match changed {
            Ok(Some(name)) => tracing::info!(name, "put into the outbox"),
            Ok(None) => tracing::info!("taken out of the outbox"),
            Err(error) => tracing::error!(code = error.code(), %error, "the outbox is not changed"),
        }
    }
}

fn split(name: &str) -> Option<(&str, &str)> {
    let (stem, extension) = name.split_once('.')?;
    let plain = stem
        .bytes()
        .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-'));
    let ok = plain && (1..=60).contains(&stem.len()) && matches!(extension, "eml" | "ics" | "txt");
    ok.then_some((stem, extension))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        collections::BTreeMap,
        time::{SystemTime, UNIX_EPOCH},
    };
    use tempfile::TempDir;

    fn now() -> Duration {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap()
    }

    #[test]
    fn nothing_is_ever_overwritten() {
        let dir = TempDir::new().unwrap();
        for (text, got) in [
            ("one", "reply.eml"),
            ("two", "reply-2.eml"),
            ("one", "reply.eml"),
            ("three", "reply-3.eml"),
            ("two", "reply-2.eml"),
        ] {
            assert_eq!(put(dir.path(), "reply.eml", text).unwrap(), got);
        }
        let files: BTreeMap<String, (String, u32)> = fs::read_dir(dir.path().join("outbox"))
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let text = fs::read_to_string(entry.path()).unwrap();
                let mode = entry.metadata().unwrap().mode() & 0o7777;
                (entry.file_name().into_string().unwrap(), (text, mode))
            })
            .collect();
        let expected = [
            ("reply.eml", "one"),
            ("reply-2.eml", "two"),
            ("reply-3.eml", "three"),
        ];
        assert_eq!(
            files,
            expected
                .map(|(name, text)| (name.to_owned(), (text.to_owned(), 0o600)))
                .into()
        );
    }

    #[test]
    fn a_draft_that_is_discarded_is_gone_and_stays_so_when_it_is_discarded_again() {
        let dir = TempDir::new().unwrap();
        remove(dir.path(), "reply.txt").unwrap();
        put(dir.path(), "reply.txt", "one").unwrap();
        put(dir.path(), "other.txt", "two").unwrap();
        for _ in 0..2 {
            remove(dir.path(), "reply.txt").unwrap();
            let left = fs::read_dir(dir.path().join("outbox")).unwrap();
            let mut left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
            left.sort();
            assert_eq!(left, ["other.txt", "reply.txt.discarded"]);
        }
        assert_eq!(remove(dir.path(), "../key.txt").unwrap_err().code(), "STORE-010");
    }

    const DRAFT: &str = "reply-it_0000000000000001.txt";

    fn edited(dir: &TempDir, shown: &str, text: &str) -> DraftEditOutcome {
        let edit = DraftEdit {
            name: DRAFT.to_owned(),
            shown: sha256_hex(shown.as_bytes()),
            text: text.to_owned(),
        };
        super::edit(dir.path(), &edit).unwrap()
    }

    fn texts(dir: &TempDir) -> Vec<String> {
        let drafts = list(dir.path(), "reply-").unwrap();
        drafts.into_iter().map(|draft| draft.text).collect()
    }

    #[test]
    fn an_edit_replaces_what_was_seen_and_nothing_newer() {
        let dir = TempDir::new().unwrap();
        assert_eq!(edited(&dir, "one", "two"), DraftEditOutcome::Gone);
        put(dir.path(), DRAFT, "one").unwrap();
        assert_eq!(edited(&dir, "one", "two"), DraftEditOutcome::Kept);
        // The same edit whose answer was lost; then a page that is older.
        assert_eq!(edited(&dir, "one", "two"), DraftEditOutcome::Kept);
        assert_eq!(edited(&dir, "one", "three"), DraftEditOutcome::Changed);
        assert_eq!(texts(&dir), ["two"]);
        assert_eq!(edited(&dir, "two", "three"), DraftEditOutcome::Kept);
        assert_eq!(texts(&dir), ["three"]);
        let mode = fs::metadata(dir.path().join("outbox").join(DRAFT))
            .unwrap()
            .mode();
        assert_eq!(mode & 0o7777, 0o600);
        // Discarded while it was edited.
        remove(dir.path(), DRAFT).unwrap();
        assert_eq!(edited(&dir, "three", "four"), DraftEditOutcome::Gone);
        assert!(texts(&dir).is_empty());
        // Brought back it says what its owner wrote, also when that is asked twice.
        for _ in 0..2 {
            assert!(restore(dir.path(), DRAFT).unwrap());
            assert_eq!(texts(&dir), ["three"]);
        }
        put(dir.path(), DRAFT, "one").unwrap();
        assert_eq!(texts(&dir), ["three"]);
        // When the time of its undo is over, nothing is left.
        remove(dir.path(), DRAFT).unwrap();
        remove_discarded(dir.path(), now(), Duration::from_hours(1)).unwrap();
        assert_eq!(names(dir.path()).unwrap(), (vec![], vec![DRAFT.to_owned()]));
        remove_discarded(dir.path(), now(), Duration::ZERO).unwrap();
        assert_eq!(fs::read_dir(dir.path().join("outbox")).unwrap().count(), 0);
        assert!(!restore(dir.path(), DRAFT).unwrap());
    }

    #[test]
    fn what_is_drafted_anew_takes_the_place_of_what_was_discarded() {
        let dir = TempDir::new().unwrap();
        put(dir.path(), DRAFT, "one").unwrap();
        edited(&dir, "one", "two");
        remove(dir.path(), DRAFT).unwrap();
        put(dir.path(), DRAFT, "one").unwrap();
        assert_eq!(texts(&dir), ["one"]);
        assert_eq!(names(dir.path()).unwrap(), (vec![DRAFT.to_owned()], vec![]));
    }

    #[test]
    fn what_is_put_again_after_a_crash_leaves_an_edited_draft_alone() {
        let dir = TempDir::new().unwrap();
        let outbox = dir.path().join("outbox");
        for _ in 0..2 {
            put(dir.path(), DRAFT, "one").unwrap();
            edited(&dir, "one", "two");
            edited(&dir, "two", "three");
            assert_eq!(put(dir.path(), DRAFT, "one").unwrap(), DRAFT);
            assert_eq!(texts(&dir), ["three"]);
            // Another draft of that name stands beside it, as always.
            assert_eq!(
                put(dir.path(), DRAFT, "other").unwrap(),
                DRAFT.replace(".txt", "-2.txt")
            );
            assert_eq!(texts(&dir), ["other", "three"]);
            remove(dir.path(), &DRAFT.replace(".txt", "-2.txt")).unwrap();
            remove(dir.path(), DRAFT).unwrap();
        }
        // Killed between the two files of an edit: nothing is changed yet, and the next edit goes on.
        put(dir.path(), DRAFT, "one").unwrap();
        fs::write(outbox.join(first_hash_file(DRAFT)), sha256_hex(b"one")).unwrap();
        fs::write(outbox.join(unfinished_file(DRAFT)), "tw").unwrap();
        assert_eq!(put(dir.path(), DRAFT, "one").unwrap(), DRAFT);
        assert_eq!(texts(&dir), ["one"]);
        assert_eq!(edited(&dir, "one", "two"), DraftEditOutcome::Kept);
        fs::write(outbox.join(unfinished_file(DRAFT)), "thr").unwrap();
        remove(dir.path(), DRAFT).unwrap();
        remove_discarded(dir.path(), now(), Duration::ZERO).unwrap();
        assert_eq!(
            fs::read_dir(&outbox).unwrap().count(),
            0,
            "nothing is left of a discarded draft when its hour is over"
        );
        // What a kill left of the one before says nothing of a new one.
        fs::write(outbox.join(first_hash_file(DRAFT)), sha256_hex(b"old")).unwrap();
        put(dir.path(), DRAFT, "new").unwrap();
        edited(&dir, "new", "newer");
        assert_eq!(put(dir.path(), DRAFT, "new").unwrap(), DRAFT);
    }

    #[test]
    fn a_draft_that_is_too_long_or_no_text_is_neither_listed_nor_written() {
        let dir = TempDir::new().unwrap();
        put(dir.path(), DRAFT, "one").unwrap();
        let edit = DraftEdit {
            name: DRAFT.to_owned(),
            shown: sha256_hex(b"one"),
            text: "x".repeat(DRAFT_BYTES_MAX + 1),
        };
        assert_eq!(super::edit(dir.path(), &edit).unwrap_err().code(), "STORE-010");
        let longest = DraftEdit {
            text: "x".repeat(DRAFT_BYTES_MAX),
            ..edit.clone()
        };
        assert_eq!(super::edit(dir.path(), &longest).unwrap(), DraftEditOutcome::Kept);
        for bytes in [vec![b'x'; DRAFT_BYTES_MAX + 1], vec![0xff, 0xfe]] {
            fs::write(dir.path().join("outbox").join(DRAFT), bytes).unwrap();
            assert_eq!(texts(&dir), Vec::<String>::new());
            assert_eq!(edited(&dir, "one", "two"), DraftEditOutcome::Changed);
        }
        let wrong = DraftEdit {
            name: "../key.txt".to_owned(),
            ..longest
        };
        assert_eq!(super::edit(dir.path(), &wrong).unwrap_err().code(), "STORE-010");
    }

    #[test]
    fn only_plain_names_are_taken() {
        let dir = TempDir::new().unwrap();
        let long = format!("{}.txt", "a".repeat(61));
        for name in [
            "", ".eml", "a", "a.exe", "../a.eml", "a/b.eml", "A.eml", "a.eml\n", "a.b.eml", "é.eml", &long,
        ] {
            let error = put(dir.path(), name, "text").unwrap_err();
            assert_eq!(error.code(), "STORE-010", "{name:?}");
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        let longest = format!("{}.ics", "a".repeat(60));
        assert_eq!(put(dir.path(), &longest, "text").unwrap(), longest);
    }
}
