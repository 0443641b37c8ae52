//! Drafts for the owner.
//!
//! What: [`put`], which files a draft in `outbox/`, [`remove`], which discards one, and [`change`], which does what a turn says. Why: Aura writes drafts and
//! sends nothing; what it wrote once stays as it was. Not here: what a draft says (`agents`).

use crate::{
    error::StoreError,
    files::{self, IfExists},
    rows::StoreWrite,
};
use std::{fs, io::ErrorKind, path::Path};

/// How many different files may share a name but for their number.
const SAME_NAME: u32 = 999;

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
            Ok(bytes) if bytes == text.as_bytes() => return Ok(name),
            Ok(_) => true,
            Err(error) if error.kind() == ErrorKind::NotFound => false,
            Err(error) => return Err(StoreError::file("read", &path)(error)),
        };
        if !taken && files::write_atomic(&dir, &name, text.as_bytes(), IfExists::Keep)? {
            return Ok(name);
        }
    }
    Err(StoreError::Outbox {
        what: "999 different files have that name: move some away",
    })
}

/// Discards a draft; one that is gone already is gone.
///
/// # Errors
/// STORE-010 for another name, STORE-007 when the file cannot be removed.
pub fn remove(data_dir: &Path, name: &str) -> Result<(), StoreError> {
    split(name).ok_or(WRONG_NAME)?;
    let path = data_dir.join("outbox").join(name);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(StoreError::file("remove", &path)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Changes the files that `writes` name, before they are committed: a kill between the two has them changed once more, which changes nothing.
/// What cannot be changed is logged and left as it is.
pub(crate) fn change<'a>(data_dir: &Path, writes: impl IntoIterator<Item = &'a StoreWrite>) {
    for write in writes {
        let StoreWrite::Outbox { name, text } = write else {
            continue;
        };
        let changed = match text {
            Some(text) => put(data_dir, name, text).map(Some),
            None => remove(data_dir, name).map(|()| None),
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
    use std::{collections::BTreeMap, os::unix::fs::MetadataExt as _};
    use tempfile::TempDir;

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
            let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
            assert_eq!(left, ["other.txt"]);
        }
        assert_eq!(remove(dir.path(), "../key.txt").unwrap_err().code(), "STORE-010");
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
