//! What a file or folder of the owner's is to Aura.
//!
//! What: [`kind_of`], by a file's name and first line; [`found`], the usual places of usual programs. Why: `aura import`, `aura init` and the welcome page know the same things by the
//! same rules. Not here: reading (`agents`), looking into one (`source_look`).

mod discovery;

pub use discovery::{FoundSource, found, place_below};

use agents::finance::{CSV_HEAD_BYTES, recognise_csv};
use chrono_tz::Tz;
use std::{
    fs::{self, File},
    io::{BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
};
use toolcall_schema::{
    SourceKind,
    signal::{Signal, SignalKind},
};

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

/// A table of body data names one of its measures; a bank's is recognised by its rows; else it may be anything.
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
    if MEASURES.iter().any(|measure| header.contains(measure)) {
        return Some(SourceKind::Wellness);
    }
    let mut head = Vec::new();
    File::open(path)
        .and_then(|file| file.take(CSV_HEAD_BYTES).read_to_end(&mut head))
        .ok()?;
    let complete = (head.len() as u64) < CSV_HEAD_BYTES;
    recognise_csv(&head, complete, None, Tz::UTC).map(|_| SourceKind::Finance)
}

fn first_line(path: &Path) -> Option<String> {
    let mut line = String::new();
    BufReader::new(File::open(path).ok()?.take(HEAD))
        .read_line(&mut line)
        .ok()?;
    Some(line)
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
            (
                "c.csv",
                "Date,Payee,Debit,Credit\n13/11/2026,shop,1.00,\n",
                Some(SourceKind::Finance),
            ),
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
}
