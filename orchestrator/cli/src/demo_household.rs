//! The demo household, in the program itself.
//!
//! What: [`write`], which puts the household's files beside the demo's data folder. Why: who has the program alone, without a clone, sees the demo as well.
//! Not here: what is in the files (`fixtures/home`), the demo (`run`).

use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

macro_rules! household {
    ($($name:literal)*) => {
        &[$(($name, include_bytes!(concat!("../../../fixtures/home/", $name)).as_slice())),*]
    };
}

/// The files by their place in the household's folder.
const FILES: &[(&str, &[u8])] = household![
    "calendar/private.ics"
    "calendar/work.ics"
    "home.toml"
    "mail/2026-11-02-1004-orchard-offers.eml"
    "mail/2026-11-02-1130-receipt.eml"
    "mail/2026-11-02-1215-notice.eml"
    "mail/2026-11-02-1340-terrace-photos.eml"
    "mail/2026-11-02-1502-invitation.eml"
    "mail/2026-11-02-1620-hamburg.eml"
    "mail/2026-11-02-1730-osaka.eml"
    "mail/2026-11-02-1742-abstract.eml"
    "mail/2026-11-02-1905-statement.eml"
    "mail/2026-11-02-2110-rent.eml"
    "mail/2026-11-03-0612-seminar.eml"
    "mail/2026-11-03-0655-keys.eml"
    "mail/2026-11-03-0830-later.eml"
    "mail/broken-not-a-mail.eml"
    "notifications.jsonl"
    "signals.jsonl"
    "sms.jsonl"
    "todo.txt"
    "wellness/activity.jsonl"
    "wellness/hrv.jsonl"
    "wellness/sleep.csv"
];

/// Puts the household into the folder beside that data folder, as it is in this program, and returns its file. What is there already stays untouched, so that
/// nothing is read twice.
///
/// # Errors
/// What the system says.
pub(crate) fn write(data: &Path) -> io::Result<PathBuf> {
    let mut name = data
        .file_name()
        .map_or_else(|| OsString::from("demo"), OsString::from);
    name.push("-household");
    let folder = data.with_file_name(name);
    for (name, bytes) in FILES {
        let file = folder.join(name);
        if fs::read(&file).is_ok_and(|there| there == *bytes) {
            continue;
        }
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&file, bytes)?;
    }
    Ok(folder.join("home.toml"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn all(folder: &Path, below: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                all(&path, below, found);
            } else {
                let name = path.strip_prefix(below).unwrap().to_str().unwrap().to_owned();
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }

    fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
        let mut found = BTreeMap::new();
        all(folder, folder, &mut found);
        found.remove("README.md");
        found
    }

    #[test]
    fn the_program_holds_the_whole_household_and_writes_it_once() {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("new/demo");
        let home = write(&data).unwrap();
        let folder = home.parent().unwrap();
        assert!(
            !folder.starts_with(&data),
            "sources lie outside of the data folder"
        );
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/home");
        assert_eq!(files(folder), files(&fixtures));
        let changed = |file: &Path| fs::metadata(file).unwrap().modified().unwrap();
        let before = changed(&home);
        fs::write(folder.join("sms.jsonl"), "cut").unwrap();
        write(&data).unwrap();
        assert_eq!(changed(&home), before);
        assert_eq!(files(folder), files(&fixtures));
    }
}
