//! Which files of a source hold mail, and how.
//!
//! What: [`MailListing`] of a source, [`MailFormat`] of a file. Why: a folder of fifty thousand mails that did not change is not walked again.
//! Not here: reading them (`mail`).

use super::mbox::is_separator;
use crate::shared::{IngestReport, SourceFile, walk_sources};
use std::{
    cell::RefCell,
    collections::BTreeMap,
    fs::{self, File},
    io::Read as _,
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use toolcall_schema::Timestamp;

/// A folder that changed less than this before it was looked at may change again within the same tick of its clock.
const SETTLED: Duration = Duration::from_secs(2);

/// Folders in a source folder, one in the other.
const MAX_DEPTH: u32 = 9;

/// Folders and files whose mail wants nothing of anybody, whatever their case, with or without a point before them: as programs call them
/// in English, German, French, Spanish, Italian and Dutch, some also in the letters of IMAP.
const LEFT_OUT: [&str; 46] = [
    "trash",
    "bin",
    "deleted",
    "deleted messages",
    "deleted items",
    "junk",
    "junk e-mail",
    "junk email",
    "junk mail",
    "bulk mail",
    "spam",
    "templates",
    "unsent messages",
    "outbox",
    "papierkorb",
    "gelöscht",
    "gel&apy-scht",
    "gelöschte elemente",
    "gel&apy-schte elemente",
    "gelöschte objekte",
    "gel&apy-schte objekte",
    "junk-e-mail",
    "spamverdacht",
    "unerwünscht",
    "unerw&apw-nscht",
    "unerwünschte werbung",
    "postausgang",
    "vorlagen",
    "corbeille",
    "éléments supprimés",
    "messages supprimés",
    "courrier indésirable",
    "indésirables",
    "boîte d'envoi",
    "papelera",
    "elementos eliminados",
    "correo no deseado",
    "bandeja de salida",
    "cestino",
    "posta eliminata",
    "posta indesiderata",
    "posta in uscita",
    "prullenbak",
    "prullenmand",
    "verwijderde items",
    "ongewenste e-mail",
];

/// Folders of what is not sent yet, in the same languages.
const DRAFTS: [&str; 8] = [
    "drafts",
    "draft",
    "entwürfe",
    "entw&apw-rfe",
    "brouillons",
    "borradores",
    "bozze",
    "concepten",
];

/// What was found in a source.
pub struct MailListing {
    /// The files that hold mail, sorted by path.
    pub files: Vec<SourceFile>,
    /// All folders with the time of their last change, when every file lies in a Maildir: such a file never changes, and one that comes
    /// or goes changes its folder. Empty otherwise.
    folders: Vec<(PathBuf, SystemTime)>,
}

impl MailListing {
    /// Walks a source at `at`.
    pub(super) fn walk(
        source: &Path,
        forms: &MailFormats<'_>,
        at: Timestamp,
        report: &mut IngestReport,
    ) -> Self {
        let mail_folder = |folder: &Path| folder.join("cur").is_dir();
        // Before the walk: what changes during it is seen the next time.
        let mut folders = Vec::new();
        let whole = changed(source, 0, &mut folders);
        let skipped = report.skipped;
        let files = walk_sources(source, &|path| forms.form(path).is_some(), &mail_folder, report);
        let in_maildirs = files
            .iter()
            .all(|file| file.path.parent().is_some_and(|folder| forms.is_maildir(folder)));
        let now = UNIX_EPOCH + Duration::from_millis(u64::try_from(at.ms()).unwrap_or(0));
        let settled = folders
            .iter()
            .all(|(_, time)| now.duration_since(*time).is_ok_and(|ago| ago > SETTLED));
        if !(whole && in_maildirs && settled && report.skipped == skipped) {
            folders.clear();
        }
        Self { files, folders }
    }

    /// Whether a walk would find the same.
    pub(super) fn is_current(&self) -> bool {
        let same = |(folder, time): &(PathBuf, SystemTime)| modified(folder) == Some(*time);
        !self.folders.is_empty() && self.folders.iter().all(same)
    }
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::symlink_metadata(path).and_then(|meta| meta.modified()).ok()
}

/// Collects a folder and those below it. False when something cannot be told.
fn changed(folder: &Path, depth: u32, out: &mut Vec<(PathBuf, SystemTime)>) -> bool {
    let (Some(time), Ok(entries)) = (modified(folder), fs::read_dir(folder)) else {
        return false;
    };
    out.push((folder.to_owned(), time));
    entries.flatten().all(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => depth < MAX_DEPTH && changed(&entry.path(), depth + 1, out),
        // What a link points at changes without its folder.
        Ok(kind) => !kind.is_symlink(),
        Err(_) => false,
    })
}

/// How a file holds mail.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MailFormat {
    /// One mail.
    One {
        answered: bool,
        read: bool,
    },
    Mbox,
}

/// How the files of one source hold mail. Which folders are Maildirs is looked up once each.
pub(super) struct MailFormats<'a> {
    source: &'a Path,
    maildirs: RefCell<BTreeMap<PathBuf, bool>>,
}

impl<'a> MailFormats<'a> {
    pub(super) fn new(source: &'a Path) -> Self {
        Self {
            source,
            maildirs: RefCell::default(),
        }
    }

    pub(super) fn form(&self, path: &Path) -> Option<MailFormat> {
        form(self.source, path, |folder| self.is_maildir(folder))
    }

    fn is_maildir(&self, folder: &Path) -> bool {
        if let Some(known) = self.maildirs.borrow().get(folder) {
            return *known;
        }
        let is = is_maildir(folder);
        self.maildirs.borrow_mut().insert(folder.to_owned(), is);
        is
    }
}

/// Whether a folder of mail is called as those that want nothing of anybody.
pub fn is_left_out_folder(name: &str) -> bool {
    let name = name.trim_start_matches('.');
    let name = name.rsplit_once('.').map_or(name, |(_, last)| last);
    is_left_out_name(name)
}

/// Whether a folder is called as those of drafts.
pub fn is_drafts_folder(name: &str) -> bool {
    DRAFTS.contains(&name.to_lowercase().as_str())
}

/// Whether a folder or a label has one of these names.
pub(super) fn is_left_out_name(name: &str) -> bool {
    LEFT_OUT.contains(&name.to_lowercase().as_str()) || is_drafts_folder(name)
}

/// How a file of a source holds mail; `None`: it does not, or its mail is left out.
fn form(source: &Path, path: &Path, is_maildir: impl Fn(&Path) -> bool) -> Option<MailFormat> {
    // A name may be in another code page.
    let name = path.file_name()?.to_string_lossy();
    let below = path.strip_prefix(source).ok()?;
    // A subfolder of Maildir++ is `.Archive.Trash`; a file's ending is no name.
    let bare = name.split_once('.').map_or(&*name, |(bare, _)| bare);
    let mut folders = below.parent().into_iter().flat_map(Path::components);
    if folders.any(|part| part.as_os_str().to_str().is_some_and(is_left_out_folder))
        || (!below.as_os_str().is_empty() && is_left_out_folder(bare))
    {
        return None;
    }
    if let Some(folder) = path.parent().filter(|folder| is_maildir(folder)) {
        let flags = name.rsplit_once([':', ';', '!']).map_or("", |(_, info)| info);
        let flags = flags.strip_prefix("2,").unwrap_or_default();
        let gone = flags.contains(['T', 'D']) || folder.ends_with("tmp");
        return (!gone).then_some(MailFormat::One {
            answered: flags.contains('R'),
            read: flags.contains('S'),
        });
    }
    match path.extension().and_then(|ending| ending.to_str()) {
        Some(ending) if ending.eq_ignore_ascii_case("eml") => Some(MailFormat::One {
            answered: false,
            read: false,
        }),
        Some(ending) if ending.eq_ignore_ascii_case("mbox") => Some(MailFormat::Mbox),
        None if begins_with_a_separator(path) => Some(MailFormat::Mbox),
        // A file that the owner named is a mail, whatever it is called.
        Some(_) | None if below.as_os_str().is_empty() => Some(if begins_with_a_separator(path) {
            MailFormat::Mbox
        } else {
            MailFormat::One {
                answered: false,
                read: false,
            }
        }),
        Some(_) | None => None,
    }
}

/// Whether a folder is one of the three of a Maildir.
fn is_maildir(folder: &Path) -> bool {
    let is_part = ["cur", "new", "tmp"].iter().any(|name| folder.ends_with(name));
    let beside = |name| folder.with_file_name(name).is_dir();
    is_part && beside("cur") && beside("new")
}

fn begins_with_a_separator(path: &Path) -> bool {
    // A pipe would be waited for.
    if !path.is_file() {
        return false;
    }
    let mut line = Vec::new();
    let read = File::open(path).and_then(|file| file.take(512).read_to_end(&mut line));
    let end = line
        .iter()
        .position(|byte| *byte == b'\n')
        .map_or(line.len(), |at| at + 1);
    read.is_ok() && is_separator(line.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_want_nothing_of_anybody_are_known_in_the_languages_of_programs() {
        for (name, is) in [
            ("Trash", true),
            (".Archive.Trash", true),
            ("[Gmail]", false),
            ("Papierkorb", true),
            ("GELÖSCHTE ELEMENTE", true),
            (".Entw&APw-rfe", true),
            ("Entwürfe", true),
            ("Junk-E-Mail", true),
            ("Corbeille", true),
            ("Bozze", true),
            ("Concepten", true),
            ("Spam reports", false),
            ("Rechnungen", false),
            ("INBOX", false),
        ] {
            assert_eq!(is_left_out_folder(name), is, "{name}");
        }
        assert!(is_drafts_folder("Brouillons") && !is_drafts_folder("Papierkorb"));
    }
}
