//! Where programs usually keep what Aura reads.
//!
//! What: [`found_here`], mail, address books, calendars, tasks, journals, statements and health data below the owner's folder.
//! Why: nobody knows by heart where a program keeps its files. A few known folders are looked at, one level deep, at most 4096 entries
//! each; what is in a file is only looked at where its name does not say what it is. Not here: what a file is (`sources`), reading
//! (`agents`).

use super::{ENTRIES, is_maildir, kind_of};
use agents::calendar::is_task_file;
use aura_platform::user_folders;
use std::{
    cmp::Reverse,
    collections::BTreeMap,
    fs::{self, File},
    io::{Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
};
use toolcall_schema::SourceKind;

/// Files of one folder that are offered, of each kind, the newest.
const OFFERED: usize = 24;
/// The first and the last bytes of an archive, in which its first names and its table of contents stand.
const ARCHIVE_ENDS: u64 = 64 * 1024;
/// A name that stands in the archive of each account.
const ARCHIVES: [(&[u8], &str); 7] = [
    (b"apple_health_export/", "Apple Health"),
    (b"Takeout/Fitbit/", "Fitbit"),
    (b"DI_CONNECT/", "Garmin"),
    (b"physiological_cycles.csv", "Whoop"),
    (b"health_connect_export.db", "Health Connect"),
    (b"sleep_result_", "Polar"),
    (b"database/Gadgetbridge", "Gadgetbridge"),
];

/// The data folder of Evolution as a flatpak.
const EVOLUTION_FLATPAK: &str = ".var/app/org.gnome.Evolution/data";
/// Folders of their own into which a phone's files are synchronised.
const GADGETBRIDGE: [&str; 4] = [
    "Gadgetbridge",
    "Documents/Gadgetbridge",
    "Sync/Gadgetbridge",
    "Nextcloud/Gadgetbridge",
];

/// A source that was found where programs usually keep it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FoundSource {
    /// What it is.
    pub kind: SourceKind,
    /// Whose it usually is, in words.
    pub program: &'static str,
    pub path: PathBuf,
}

impl FoundSource {
    /// Where it is as a page may show it: below the owner's folder, `~/Downloads/a.csv`; elsewhere its name alone.
    pub fn place(&self, home: &Path) -> String {
        place_below(&self.path, home)
    }
}

/// A path as a page may show it: below the owner's folder, `~/Downloads/a.csv`; elsewhere its name alone.
pub(crate) fn place_below(path: &Path, home: &Path) -> String {
    let shown = match path.strip_prefix(home) {
        Ok(below) if !home.as_os_str().is_empty() => format!("~/{}", below.display()),
        Ok(_) | Err(_) => path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
    };
    shown
        .chars()
        .map(|c| if c.is_control() { '?' } else { c })
        .collect()
}

/// The folders below which programs keep things: the owner's, the two XDG folders.
struct UsualFolders<'a> {
    home: &'a Path,
    config: &'a Path,
    data: &'a Path,
}

/// What is collected; a place that is below another one is left out.
struct FoundSources(Vec<FoundSource>);

impl FoundSources {
    fn add(&mut self, kind: SourceKind, program: &'static str, path: PathBuf) {
        let below = |known: &FoundSource| path.starts_with(&known.path);
        if path.exists() && !self.0.iter().any(below) {
            self.0.push(FoundSource { kind, program, path });
        }
    }
}

/// What is in the usual places of whoever runs this; `None` without a home folder.
pub fn found_here() -> Option<Vec<FoundSource>> {
    let (home, config, data) = (
        user_folders::home()?,
        user_folders::config()?,
        user_folders::data()?,
    );
    let ledger = user_folders::path_in("LEDGER_FILE");
    Some(found(&home, &config, &data, ledger.as_deref()))
}

/// What is in the usual places below the owner's folder. `config` and `data` are the XDG folders; `ledger` what `LEDGER_FILE` names.
fn found(home: &Path, config: &Path, data: &Path, ledger: Option<&Path>) -> Vec<FoundSource> {
    let folders = UsualFolders { home, config, data };
    let mut out = FoundSources(Vec::new());
    mail(&folders, &mut out);
    address_books(&folders, &mut out);
    calendars(&folders, &mut out);
    task_lists(&folders, &mut out);
    journals(&folders, ledger, &mut out);
    let synchronised = GADGETBRIDGE.into_iter().map(|name| home.join(name));
    for folder in saved_files(&folders).into_iter().chain(synchronised) {
        downloads(&folder, &mut out);
    }
    out.0
}

fn mail(at: &UsualFolders<'_>, out: &mut FoundSources) {
    for config in [at.home.join(".mbsyncrc"), at.config.join("isyncrc")] {
        for path in paths_in(&config, "Path", ' ', at.home) {
            if holds_maildirs(&path) {
                out.add(SourceKind::Mail, "mbsync", path);
            }
        }
    }
    for name in ["Maildir", ".maildir", "Mail", ".mail", ".local/share/mail"] {
        let folder = at.home.join(name);
        if is_maildir(&folder) || folders_in(&folder).iter().any(|below| holds_maildirs(below)) {
            out.add(SourceKind::Mail, "mbsync, offlineimap or a mail server", folder);
        }
    }
    for place in [
        ".thunderbird",
        "snap/thunderbird/common/.thunderbird",
        ".var/app/org.mozilla.Thunderbird/.thunderbird",
        ".var/app/net.thunderbird.Thunderbird/.thunderbird",
    ] {
        for profile in folders_in(&at.home.join(place)) {
            for mail in ["ImapMail", "Mail"] {
                out.add(SourceKind::Mail, "Thunderbird", profile.join(mail));
            }
        }
    }
    for data in [at.data.to_owned(), at.home.join(EVOLUTION_FLATPAK)] {
        let evolution = data.join("evolution/mail/local");
        if is_maildir(&evolution) || folders_in(&evolution).iter().any(|below| is_maildir(below)) {
            out.add(SourceKind::Mail, "Evolution", evolution);
        }
    }
}

/// vCards as vdirsyncer, khard and their like keep them. Evolution and Thunderbird keep theirs in databases that nobody else reads.
fn address_books(at: &UsualFolders<'_>, out: &mut FoundSources) {
    for (name, program) in [("khard/khard.conf", "khard"), ("vdirsyncer/config", "vdirsyncer")] {
        for path in paths_in(&at.config.join(name), "path", '=', at.home) {
            if holds(&path, "vcf") {
                out.add(SourceKind::Contacts, program, path);
            }
        }
    }
    for path in [
        at.home.join(".contacts"),
        at.data.join("vdirsyncer/contacts"),
        at.data.join("contacts"),
    ] {
        if holds(&path, "vcf") {
            out.add(SourceKind::Contacts, "khard or vdirsyncer", path);
        }
    }
}

fn calendars(at: &UsualFolders<'_>, out: &mut FoundSources) {
    for calendar in folders_in(&at.data.join("evolution/calendar")) {
        out.add(SourceKind::Calendar, "GNOME", calendar.join("calendar.ics"));
    }
    for name in ["khal/config", "vdirsyncer/config"] {
        for path in paths_in(&at.config.join(name), "path", '=', at.home) {
            if holds(&path, "ics") {
                out.add(SourceKind::Calendar, "khal or vdirsyncer", path);
            }
        }
    }
    for path in [
        at.home.join(".calendars"),
        at.home.join(".calendar"),
        at.data.join("khal/calendars"),
        at.data.join("vdirsyncer/calendars"),
    ] {
        if holds(&path, "ics") {
            out.add(SourceKind::Calendar, "khal or vdirsyncer", path);
        }
    }
}

/// Taskwarrior's folder, todo.txt, and the lists of GNOME's Evolution. Tasks beside events lie in the folders of calendars.
fn task_lists(at: &UsualFolders<'_>, out: &mut FoundSources) {
    for list in folders_in(&at.data.join("evolution/tasks")) {
        out.add(SourceKind::Calendar, "GNOME", list.join("tasks.ics"));
    }
    let taskrc = [at.home.join(".taskrc"), at.config.join("task/taskrc")];
    let named = taskrc
        .iter()
        .flat_map(|file| paths_in(file, "data.location", '=', at.home));
    for folder in named.chain([at.home.join(".task"), at.data.join("task")]) {
        if files_in(&folder).iter().any(|file| is_task_file(file)) {
            out.add(SourceKind::Calendar, "Taskwarrior", folder);
        }
    }
    // A folder of its own has what is done beside it.
    for folder in ["todo", ".todo", "Documents/todo"] {
        let folder = at.home.join(folder);
        if folder.join("todo.txt").is_file() {
            out.add(SourceKind::Calendar, "todo.txt", folder);
        }
    }
    let mut folders = saved_files(at);
    folders.sort();
    for folder in folders {
        out.add(SourceKind::Calendar, "todo.txt", folder.join("todo.txt"));
    }
}

fn journals(at: &UsualFolders<'_>, ledger: Option<&Path>, out: &mut FoundSources) {
    if let Some(ledger) = ledger {
        out.add(SourceKind::Finance, "hledger", ledger.to_owned());
    }
    for name in [
        ".hledger.journal",
        "finance",
        "ledger",
        "hledger",
        "beancount",
        "Documents/finance",
        "Documents/ledger",
        "Documents/beancount",
    ] {
        let path = at.home.join(name);
        let journals = ["journal", "hledger", "ledger", "beancount", "ofx", "qfx"];
        if path.is_file() || journals.iter().any(|ending| holds(&path, ending)) {
            out.add(SourceKind::Finance, "hledger or beancount", path);
        }
    }
}

/// Where the owner saves files: the folders that `user-dirs.dirs` names in the owner's language, and the usual ones.
fn saved_files(at: &UsualFolders<'_>) -> Vec<PathBuf> {
    let mut out: Vec<PathBuf> = Vec::new();
    let named = fs::read_to_string(at.config.join("user-dirs.dirs")).unwrap_or_default();
    for key in ["XDG_DOWNLOAD_DIR=", "XDG_DOCUMENTS_DIR="] {
        let value = named.lines().find_map(|line| line.trim().strip_prefix(key));
        let below = value.and_then(|value| value.trim_matches('"').strip_prefix("$HOME/"));
        out.extend(
            below
                .filter(|below| !below.is_empty())
                .map(|below| at.home.join(below)),
        );
    }
    for name in ["Downloads", "Documents", ""] {
        let folder = if name.is_empty() {
            at.home.to_owned()
        } else {
            at.home.join(name)
        };
        if !out.contains(&folder) {
            out.push(folder);
        }
    }
    out
}

/// What was saved in a folder: address books, calendars, statements, health data. In their order, the newest 24 of a kind.
fn downloads(folder: &Path, out: &mut FoundSources) {
    out.add(
        SourceKind::Wellness,
        "Apple Health",
        folder.join("apple_health_export/export.xml"),
    );
    out.add(SourceKind::Wellness, "Fitbit", folder.join("Takeout/Fitbit"));
    out.add(SourceKind::Wellness, "Garmin", folder.join("DI_CONNECT"));
    let mut offered: BTreeMap<SourceKind, Vec<(&'static str, PathBuf)>> = BTreeMap::new();
    for path in files_in(folder) {
        let ending = path
            .extension()
            .and_then(|ending| ending.to_str())
            .unwrap_or_default();
        let (kind, program) = match ending.to_ascii_lowercase().as_str() {
            "vcf" | "vcard" => (SourceKind::Contacts, "a contacts file"),
            "ics" => (SourceKind::Calendar, "a calendar file"),
            "ofx" | "qfx" | "camt" | "sta" | "mt940" => (SourceKind::Finance, "a bank's statement"),
            "xml" if kind_of(&path) == Some(SourceKind::Finance) => {
                (SourceKind::Finance, "a bank's statement")
            }
            "csv" => match kind_of(&path) {
                Some(SourceKind::Finance) => (SourceKind::Finance, "a bank's statement"),
                Some(SourceKind::Wellness) => (SourceKind::Wellness, "measurements"),
                Some(_) | None => continue,
            },
            "zip" => match health_archive(&path) {
                Some(program) => (SourceKind::Wellness, program),
                None => continue,
            },
            "json" if kind_of(&path) == Some(SourceKind::Wellness) => {
                (SourceKind::Wellness, "an account's sleep")
            }
            "db" if is_named(&path, "health_connect_export") => (SourceKind::Wellness, "Health Connect"),
            "db" if is_named(&path, "Gadgetbridge") => (SourceKind::Wellness, "Gadgetbridge"),
            "fit" => (SourceKind::Wellness, "a watch's activity file"),
            _ => continue,
        };
        offered.entry(kind).or_default().push((program, path));
    }
    let mut kept: Vec<(PathBuf, SourceKind, &'static str)> = Vec::new();
    for (kind, mut files) in offered {
        if files.len() > OFFERED {
            let saved = |(_, path): &(&str, PathBuf)| {
                let saved = fs::metadata(path).and_then(|file| file.modified());
                Reverse(saved.ok())
            };
            files.sort_by_cached_key(saved);
            files.truncate(OFFERED);
        }
        kept.extend(files.into_iter().map(|(program, path)| (path, kind, program)));
    }
    kept.sort();
    for (path, kind, program) in kept {
        out.add(kind, program, path);
    }
}

fn is_named(path: &Path, name: &str) -> bool {
    path.file_stem()
        .is_some_and(|stem| stem.eq_ignore_ascii_case(name))
}

/// Whose health data an archive is, by the names at its two ends.
fn health_archive(path: &Path) -> Option<&'static str> {
    let mut file = File::open(path).ok()?;
    let mut ends = Vec::new();
    file.by_ref().take(ARCHIVE_ENDS).read_to_end(&mut ends).ok()?;
    if !ends.starts_with(b"PK") {
        return None;
    }
    let len = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(len.saturating_sub(ARCHIVE_ENDS)))
        .ok()?;
    file.take(ARCHIVE_ENDS).read_to_end(&mut ends).ok()?;
    let is_named = |name: &[u8]| ends.windows(name.len()).any(|bytes| bytes == name);
    ARCHIVES
        .iter()
        .find(|(name, _)| is_named(name))
        .map(|(_, program)| *program)
}

/// The folders in a folder, in their order.
fn folders_in(folder: &Path) -> Vec<PathBuf> {
    entries(folder, &|path| path.is_dir())
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    entries(folder, &|path| path.is_file())
}

fn entries(folder: &Path, wanted: &dyn Fn(&Path) -> bool) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut below: Vec<PathBuf> = entries
        .flatten()
        .take(ENTRIES)
        .map(|entry| entry.path())
        .filter(|path| wanted(path))
        .collect();
    below.sort();
    below
}

fn holds_maildirs(folder: &Path) -> bool {
    is_maildir(folder) || folders_in(folder).iter().any(|below| is_maildir(below))
}

/// Whether a folder, or a folder in it, holds a file with this ending.
fn holds(folder: &Path, ending: &str) -> bool {
    let has = |folder: &Path| {
        fs::read_dir(folder).is_ok_and(|entries| {
            entries.flatten().take(ENTRIES).any(|entry| {
                entry
                    .path()
                    .extension()
                    .is_some_and(|e| e.eq_ignore_ascii_case(ending))
            })
        })
    };
    has(folder) || folders_in(folder).iter().any(|below| has(below))
}

/// The folders that a configuration names in lines of a key, up to their first wildcard: `path = ~/cals/*` of khal, `Path ~/Mail/` of mbsync.
fn paths_in(file: &Path, key: &str, separator: char, home: &Path) -> Vec<PathBuf> {
    let Ok(text) = fs::read_to_string(file) else {
        return Vec::new();
    };
    text.lines()
        .filter_map(|line| {
            let (named, value) = line.trim().split_once(separator)?;
            let value = value.trim().trim_matches(['"', '\'']);
            let whole = value.split(['*', '?', '[']).next().unwrap_or_default();
            let path = whole
                .strip_prefix("~/")
                .map_or_else(|| PathBuf::from(whole), |rest| home.join(rest));
            (named.trim() == key && path.is_absolute()).then_some(path)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    fn touch(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn found_below(home: &Path) -> Vec<FoundSource> {
        found(home, &home.join(".config"), &home.join(".local/share"), None)
    }

    #[test]
    fn usual_programs_are_found_in_their_places() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path();
        let statement = "Date,Payee,Debit EUR,Credit EUR\n13/11/2026,shop,1.00,\n";
        for (name, text) in [
            ("Mail/work/INBOX/cur/1", ""),
            ("Mail/work/INBOX/new/2", ""),
            ("post/INBOX/cur/1", ""),
            ("post/INBOX/new/2", ""),
            (
                ".mbsyncrc",
                "MaildirStore near\nPath ~/post/\nInbox ~/post/INBOX\n",
            ),
            (".thunderbird/x.default/ImapMail/host/INBOX", ""),
            (".local/share/evolution/mail/local/cur/1", ""),
            (".local/share/evolution/mail/local/new/1", ""),
            (".local/share/evolution/calendar/system/calendar.ics", ""),
            ("cals/private/1.ics", ""),
            (
                ".config/khal/config",
                "[calendars]\n[[all]]\npath = ~/cals/*\ntype = discover\n[default]\nhighlight = true\n",
            ),
            ("people/friends/1.vcf", ""),
            (
                ".config/khard/khard.conf",
                "[addressbooks]\n[[friends]]\npath = ~/people/friends/\n",
            ),
            (".contacts/all/1.vcf", ""),
            (
                ".config/vdirsyncer/config",
                "[storage c]\ntype = \"filesystem\"\npath = \"~/.contacts/\"\nfileext = \".vcf\"\n",
            ),
            (".hledger.journal", ""),
            (".config/user-dirs.dirs", "XDG_DOWNLOAD_DIR=\"$HOME/Saved\"\n"),
            ("Saved/term.ics", ""),
            ("Saved/november.csv", statement),
            ("Saved/sleep.csv", "at,asleep_min\n"),
            ("Saved/people.csv", "First,Last\nKim,Lee\n"),
            ("Saved/people.vcf", ""),
            ("Saved/photo.jpg", ""),
            ("Saved/album.zip", "PK\u{3}\u{4}photos/1.jpg"),
            ("Saved/export.zip", "PK\u{3}\u{4}apple_health_export/export.xml"),
            (
                "Saved/whoop.zip",
                "PK\u{3}\u{4}sleeps.csv PK\u{1}\u{2}physiological_cycles.csv",
            ),
            ("Saved/sleep-2026-11-01.json", r#"[{"dateOfSleep":"2026-11-05"}]"#),
            ("Saved/package.json", "{}"),
            ("Downloads/Takeout/Fitbit/Global Export Data/x.json", ""),
            ("Downloads/apple_health_export/export.xml", ""),
            ("Documents/health_connect_export.db", ""),
            ("Documents/Gadgetbridge.db", ""),
            ("Documents/other.db", ""),
            ("Sync/Gadgetbridge/Gadgetbridge.db", ""),
            (
                "Sync/Gadgetbridge/backup.zip",
                "PK\u{3}\u{4}database/Gadgetbridge",
            ),
            (".var/app/org.gnome.Evolution/data/evolution/mail/local/cur/1", ""),
            (".var/app/org.gnome.Evolution/data/evolution/mail/local/new/1", ""),
            ("card.qfx", ""),
        ] {
            touch(&home.join(name), text);
        }
        let all: Vec<_> = found_below(home)
            .iter()
            .map(|one| (one.kind, one.place(home)))
            .collect();
        let expected = [
            (SourceKind::Mail, "~/post"),
            (SourceKind::Mail, "~/Mail"),
            (SourceKind::Mail, "~/.thunderbird/x.default/ImapMail"),
            (SourceKind::Mail, "~/.local/share/evolution/mail/local"),
            (
                SourceKind::Mail,
                "~/.var/app/org.gnome.Evolution/data/evolution/mail/local",
            ),
            (SourceKind::Contacts, "~/people/friends"),
            (SourceKind::Contacts, "~/.contacts"),
            (
                SourceKind::Calendar,
                "~/.local/share/evolution/calendar/system/calendar.ics",
            ),
            (SourceKind::Calendar, "~/cals"),
            (SourceKind::Finance, "~/.hledger.journal"),
            (SourceKind::Wellness, "~/Saved/export.zip"),
            (SourceKind::Finance, "~/Saved/november.csv"),
            (SourceKind::Contacts, "~/Saved/people.vcf"),
            (SourceKind::Wellness, "~/Saved/sleep-2026-11-01.json"),
            (SourceKind::Wellness, "~/Saved/sleep.csv"),
            (SourceKind::Calendar, "~/Saved/term.ics"),
            (SourceKind::Wellness, "~/Saved/whoop.zip"),
            (SourceKind::Wellness, "~/Downloads/apple_health_export/export.xml"),
            (SourceKind::Wellness, "~/Downloads/Takeout/Fitbit"),
            (SourceKind::Wellness, "~/Documents/Gadgetbridge.db"),
            (SourceKind::Wellness, "~/Documents/health_connect_export.db"),
            (SourceKind::Finance, "~/card.qfx"),
            (SourceKind::Wellness, "~/Sync/Gadgetbridge/Gadgetbridge.db"),
            (SourceKind::Wellness, "~/Sync/Gadgetbridge/backup.zip"),
        ];
        let expected: Vec<_> = expected
            .iter()
            .map(|(kind, place)| (*kind, (*place).to_owned()))
            .collect();
        assert_eq!(all, expected);
        // Nothing is made up where nothing is, and nothing above the owner's folder is named.
        let empty = tempfile::tempdir().unwrap();
        assert_eq!(found_below(empty.path()), []);
        let elsewhere = FoundSource {
            kind: SourceKind::Finance,
            program: "hledger",
            path: PathBuf::from("/srv/books/all.journal"),
        };
        assert_eq!(elsewhere.place(home), "all.journal");
    }

    #[test]
    fn lists_of_tasks_are_found_in_their_places() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path();
        for (name, text) in [
            (".local/share/evolution/tasks/system/tasks.ics", ""),
            (".taskrc", "# mine\ndata.location=~/lists/work\n"),
            ("lists/work/taskchampion.sqlite3", ""),
            (".task/pending.data", ""),
            (".local/share/task/undo.data", ""),
            ("todo/todo.txt", ""),
            ("todo.txt", ""),
            ("Documents/todo.txt", ""),
            ("Documents/done.txt", ""),
            ("Downloads/other.txt", ""),
        ] {
            touch(&home.join(name), text);
        }
        let all: Vec<_> = found_below(home)
            .iter()
            .map(|one| (one.kind, one.program, one.place(home)))
            .collect();
        let expected = [
            ("GNOME", "~/.local/share/evolution/tasks/system/tasks.ics"),
            ("Taskwarrior", "~/lists/work"),
            ("Taskwarrior", "~/.task"),
            ("todo.txt", "~/todo"),
            ("todo.txt", "~/todo.txt"),
            ("todo.txt", "~/Documents/todo.txt"),
        ];
        let expected = expected.map(|(program, place)| (SourceKind::Calendar, program, place.to_owned()));
        assert_eq!(all, expected);
    }

    #[test]
    fn a_folder_with_very_many_files_is_offered_in_part() {
        let dir = tempfile::tempdir().unwrap();
        for i in 0..40 {
            touch(&dir.path().join(format!("Downloads/{i:02}.ics")), "");
        }
        assert_eq!(found_below(dir.path()).len(), OFFERED);
        // What was saved last is what its owner is looking for, whatever it is called.
        let newest = dir.path().join("Downloads/39.ics");
        let later = SystemTime::now() + Duration::from_mins(1);
        File::options()
            .write(true)
            .open(&newest)
            .and_then(|file| file.set_modified(later))
            .unwrap();
        let found = found_below(dir.path());
        assert_eq!(found.len(), OFFERED);
        assert_eq!(found.last().unwrap().path, newest);
    }
}
