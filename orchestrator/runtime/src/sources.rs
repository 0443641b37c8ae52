//! What a file or folder of the owner's is to Aura.
//!
//! What: [`SourceKind`], the lists of `[sources]`; [`kind_of`], by a file's name and first line; [`found`], the usual places of
//! usual programs. Why: `aura import` and `aura init` know the same things by the same rules. Not here: reading
//! (`agents`).

use agents::contract::SourcePaths;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, File},
    io::{BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
};
use toolcall_schema::signal::{Signal, SignalKind};

/// One of the lists of `[sources]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// Maildir, mbox, .eml
    Mail,
    /// Notifications, a signal a line
    Notifications,
    /// .ics files and folders of them
    Calendar,
    /// Bank messages, a signal a line
    Sms,
    /// Statements (OFX, QFX, CSV), journals (hledger, beancount)
    Finance,
    /// Mail with receipts of shops
    Receipts,
    /// Apple Health, FIT, Gadgetbridge, CSV, signals
    Wellness,
}

impl SourceKind {
    /// All of them, in the order of the configuration.
    pub const ALL: [Self; 7] = [
        Self::Mail,
        Self::Notifications,
        Self::Calendar,
        Self::Sms,
        Self::Finance,
        Self::Receipts,
        Self::Wellness,
    ];

    /// Its key in `[sources]`.
    pub fn key(self) -> &'static str {
        match self {
            Self::Mail => "mail",
            Self::Notifications => "notifications",
            Self::Calendar => "calendar",
            Self::Sms => "sms",
            Self::Finance => "finance",
            Self::Receipts => "receipts",
            Self::Wellness => "wellness",
        }
    }

    /// Its list.
    pub fn list(self, sources: &mut SourcePaths) -> &mut Vec<PathBuf> {
        match self {
            Self::Mail => &mut sources.mail,
            Self::Notifications => &mut sources.notifications,
            Self::Calendar => &mut sources.calendar,
            Self::Sms => &mut sources.sms,
            Self::Finance => &mut sources.finance,
            Self::Receipts => &mut sources.receipts,
            Self::Wellness => &mut sources.wellness,
        }
    }
}

/// The first bytes of a file that are looked at.
const HEAD: u64 = 64 * 1024;
/// Entries of a folder that are looked at.
const ENTRIES: usize = 4096;

/// What a file or folder is; `None` when its name and its first line do not say.
pub fn kind_of(path: &Path) -> Option<SourceKind> {
    if path.is_dir() {
        return kind_of_folder(path);
    }
    let ending = path.extension().and_then(|ending| ending.to_str())?;
    Some(match ending.to_ascii_lowercase().as_str() {
        "eml" | "mbox" => SourceKind::Mail,
        "ics" => SourceKind::Calendar,
        "ofx" | "qfx" | "journal" | "hledger" | "ledger" | "beancount" => SourceKind::Finance,
        "xml" | "zip" | "fit" | "db" | "sqlite" | "sqlite3" => SourceKind::Wellness,
        "jsonl" | "ndjson" => of_signals(path)?,
        "csv" => of_table(path)?,
        _ => return None,
    })
}

fn kind_of_folder(folder: &Path) -> Option<SourceKind> {
    if is_maildir(folder) {
        return Some(SourceKind::Mail);
    }
    let entries = fs::read_dir(folder).ok()?.flatten().take(ENTRIES);
    let files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    let mut kinds: Vec<SourceKind> = files
        .iter()
        .filter(|path| path.is_file())
        .filter_map(|path| kind_of(path))
        .collect();
    if files.iter().any(|path| is_maildir(path)) {
        kinds.push(SourceKind::Mail);
    }
    kinds.sort_unstable();
    kinds.dedup();
    match kinds.as_slice() {
        [one] => Some(*one),
        _ => None,
    }
}

/// Whether a folder is a Maildir.
pub fn is_maildir(folder: &Path) -> bool {
    folder.join("cur").is_dir() && folder.join("new").is_dir()
}

/// By the kind of its first signal.
fn of_signals(path: &Path) -> Option<SourceKind> {
    let signal: Signal = serde_json::from_str(&first_line(path)?).ok()?;
    match signal.kind {
        SignalKind::Notification | SignalKind::Mail => Some(SourceKind::Notifications),
        SignalKind::BankSms | SignalKind::Transaction => Some(SourceKind::Sms),
        SignalKind::Hrv | SignalKind::Sleep | SignalKind::Activity => Some(SourceKind::Wellness),
        SignalKind::Calendar | SignalKind::PhoneUnlock | SignalKind::Location | SignalKind::Dnd => None,
    }
}

/// A table of body data names one of its measures; else it may be a bank's, or anything.
fn of_table(path: &Path) -> Option<SourceKind> {
    const MEASURES: [&str; 7] = [
        "rmssd_ms",
        "rr_ms",
        "asleep_min",
        "typing_entropy",
        "app_switch_rate",
        "notif_dismiss_rate",
        "screen_on_min",
    ];
    let header = first_line(path)?;
    MEASURES
        .iter()
        .any(|measure| header.contains(measure))
        .then_some(SourceKind::Wellness)
}

fn first_line(path: &Path) -> Option<String> {
    let mut line = String::new();
    BufReader::new(File::open(path).ok()?.take(HEAD))
        .read_line(&mut line)
        .ok()?;
    Some(line)
}

/// A source that was found where programs usually keep it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FoundSource {
    /// What it is.
    pub kind: SourceKind,
    /// Whose it usually is, in words.
    pub program: &'static str,
    pub path: PathBuf,
}

/// What is in the usual places below the owner's folder. `config` and `data` are the XDG folders; `ledger` what
/// `LEDGER_FILE` names.
pub fn found(home: &Path, config: &Path, data: &Path, ledger: Option<&Path>) -> Vec<FoundSource> {
    let mut out = Vec::new();
    let mut add = |kind, program, path: PathBuf| {
        if path.exists()
            && !out
                .iter()
                .any(|found: &FoundSource| path.starts_with(&found.path))
        {
            out.push(FoundSource { kind, program, path });
        }
    };
    for name in ["Maildir", ".maildir", "Mail", ".mail", ".local/share/mail"] {
        let folder = home.join(name);
        if is_maildir(&folder) || folders(&folder).iter().any(|below| holds_maildirs(below)) {
            add(SourceKind::Mail, "mbsync, offlineimap or a mail server", folder);
        }
    }
    for place in [
        ".thunderbird",
        "snap/thunderbird/common/.thunderbird",
        ".var/app/org.mozilla.Thunderbird/.thunderbird",
    ] {
        for profile in folders(&home.join(place)) {
            for mail in ["ImapMail", "Mail"] {
                add(SourceKind::Mail, "Thunderbird", profile.join(mail));
            }
        }
    }
    for name in ["khal/config", "vdirsyncer/config"] {
        for path in paths_in(&config.join(name), home) {
            if holds(&path, "ics") {
                add(SourceKind::Calendar, "khal or vdirsyncer", path);
            }
        }
    }
    for path in [
        home.join(".calendars"),
        home.join(".calendar"),
        data.join("khal/calendars"),
        data.join("vdirsyncer/calendars"),
    ] {
        if holds(&path, "ics") {
            add(SourceKind::Calendar, "khal or vdirsyncer", path);
        }
    }
    if let Some(ledger) = ledger {
        add(SourceKind::Finance, "hledger", ledger.to_owned());
    }
    for name in [".hledger.journal", "finance", "ledger", "hledger", "beancount"] {
        let path = home.join(name);
        let journals = ["journal", "hledger", "ledger", "beancount", "ofx", "qfx"];
        if path.is_file() || journals.iter().any(|ending| holds(&path, ending)) {
            add(SourceKind::Finance, "hledger or beancount", path);
        }
    }
    for name in ["", "Documents", "Downloads"] {
        let folder = home.join(name);
        add(
            SourceKind::Wellness,
            "Apple Health",
            folder.join("apple_health_export/export.xml"),
        );
        add(
            SourceKind::Wellness,
            "Gadgetbridge",
            folder.join("Gadgetbridge.db"),
        );
    }
    out
}

/// The folders in a folder, in their order.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut below: Vec<PathBuf> = entries
        .flatten()
        .take(ENTRIES)
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    below.sort();
    below
}

fn holds_maildirs(folder: &Path) -> bool {
    is_maildir(folder) || folders(folder).iter().any(|below| is_maildir(below))
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
    has(folder) || folders(folder).iter().any(|below| has(below))
}

/// The folders that a configuration of khal or vdirsyncer names in lines `path = …`, up to their first wildcard.
fn paths_in(file: &Path, home: &Path) -> Vec<PathBuf> {
    let Ok(text) = fs::read_to_string(file) else {
        return Vec::new();
    };
    text.lines()
        .filter_map(|line| {
            let (key, value) = line.split_once('=')?;
            let value = value.trim().trim_matches(['"', '\'']);
            let whole = value.split(['*', '?', '[']).next().unwrap_or_default();
            let path = whole
                .strip_prefix("~/")
                .map_or_else(|| PathBuf::from(whole), |rest| home.join(rest));
            (key.trim() == "path" && path.is_absolute()).then_some(path)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn a_file_is_known_by_its_name_or_its_first_line() {
        let dir = tempfile::tempdir().unwrap();
        let sms = r#"{"id":"a","at":"2026-11-03T07:00:00Z","source":"phone","kind":"bank_sms","payload":{"from":"x","body":"y"}}"#;
        for (name, text, kind) in [
            ("a.mbox", "", Some(SourceKind::Mail)),
            ("a.ICS", "", Some(SourceKind::Calendar)),
            ("a.qfx", "", Some(SourceKind::Finance)),
            ("main.beancount", "", Some(SourceKind::Finance)),
            ("export.xml", "", Some(SourceKind::Wellness)),
            ("a.fit", "", Some(SourceKind::Wellness)),
            ("a.jsonl", sms, Some(SourceKind::Sms)),
            ("b.jsonl", "{}", None),
            ("a.csv", "at,rmssd_ms\n", Some(SourceKind::Wellness)),
            ("b.csv", "Date,Amount\n", None),
            ("a.txt", "", None),
            ("nothing", "", None),
        ] {
            let path = dir.path().join(name);
            touch(&path, text);
            assert_eq!(kind_of(&path), kind, "{name}");
        }
    }

    #[test]
    fn a_folder_is_what_all_in_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        touch(&at("m/cur/1"), "");
        fs::create_dir_all(at("m/new")).unwrap();
        touch(&at("v/1.ics"), "");
        touch(&at("both/1.ics"), "");
        touch(&at("both/1.ofx"), "");
        fs::create_dir(at("empty")).unwrap();
        let kinds = ["m", "v", "both", "empty"].map(|name| kind_of(&at(name)));
        assert_eq!(
            kinds,
            [Some(SourceKind::Mail), Some(SourceKind::Calendar), None, None]
        );
    }

    #[test]
    fn usual_programs_are_found_in_their_places() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path();
        touch(&home.join("Mail/work/INBOX/cur/1"), "");
        fs::create_dir_all(home.join("Mail/work/INBOX/new")).unwrap();
        touch(&home.join(".thunderbird/x.default/ImapMail/host/INBOX"), "");
        fs::create_dir_all(home.join("snap")).unwrap();
        touch(&home.join("cals/private/1.ics"), "");
        touch(
            &home.join(".config/khal/config"),
            "[calendars]\n[[all]]\npath = ~/cals/*\ntype = discover\n[default]\nhighlight = true\n",
        );
        touch(&home.join(".hledger.journal"), "");
        touch(&home.join("Downloads/apple_health_export/export.xml"), "");
        let all = found(home, &home.join(".config"), &home.join(".local/share"), None);
        let all: Vec<_> = all
            .iter()
            .map(|one| (one.kind, one.path.strip_prefix(home).unwrap().to_str().unwrap()))
            .collect();
        assert_eq!(
            all,
            [
                (SourceKind::Mail, "Mail"),
                (SourceKind::Mail, ".thunderbird/x.default/ImapMail"),
                (SourceKind::Calendar, "cals"),
                (SourceKind::Finance, ".hledger.journal"),
                (SourceKind::Wellness, "Downloads/apple_health_export/export.xml"),
            ]
        );
        // Nothing is made up where nothing is.
        assert_eq!(found(&home.join("snap"), home, home, None), []);
    }
}
