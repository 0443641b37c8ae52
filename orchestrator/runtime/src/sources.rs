//! What a file or folder of the owner's is to Aura.
//!
//! What: [`kind_of`], by a file's name and first line; [`found_here`], the usual places of usual programs. Why: `aura import`, `aura init` and the welcome page know the same things by the
//! same rules. Not here: reading (`agents`), looking into one (`source_look`).

mod discovery;
mod unfit;

use crate::{
    config::ConfigError,
    home_edit::HomeEdit,
    home_file::{HomeFile, HomeFileError},
};
pub(crate) use discovery::place_below;
pub use discovery::{FoundSource, found_here};
pub(crate) use unfit::may_be_unfit;
pub use unfit::unfit;

use agents::{
    calendar::{is_task_export, is_task_file},
    finance::{CSV_HEAD_BYTES, holds_statements, is_xml_statement, recognise_csv},
    wellness::{is_health_json, is_health_table},
};
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

/// Folders in which Fitbit (within Google Takeout) and Garmin hand out an account.
const ACCOUNTS: [&str; 4] = [
    "Takeout/Fitbit",
    "Fitbit/Global Export Data",
    "Global Export Data",
    "DI_CONNECT",
];

/// Adds sources to the owner's file `home`, which no service has read; none of them may lie in the folder `data`.
///
/// # Errors
/// [`AllowError`]; the file stays as it was.
pub fn allow(home: &Path, data: &Path, sources: &[(SourceKind, PathBuf)]) -> Result<(), AllowError> {
    let file = HomeFile {
        path: home.to_owned(),
        data: data.to_owned(),
    };
    let shown = file.read()?.sha256;
    let edits: Vec<HomeEdit> = sources
        .iter()
        .map(|(kind, path)| HomeEdit::AddSource(*kind, path.clone()))
        .collect();
    match file.change(&shown, &edits, true) {
        Ok(_) => Ok(()),
        Err(HomeFileError::Config(error)) => Err(error.into()),
        Err(
            error @ (HomeFileError::Changed
            | HomeFileError::Edit(_)
            | HomeFileError::NothingToUndo
            | HomeFileError::NeedsProof
            | HomeFileError::Outside(_)
            | HomeFileError::Write(_)),
        ) => Err(AllowError::Write(error.to_string())),
    }
}

/// Sources that could not be added to the owner's file.
#[derive(Debug, thiserror::Error)]
pub enum AllowError {
    /// The file cannot be used, or could not with them.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// It could not be changed, and why.
    #[error("{0}")]
    Write(String),
}

/// What a file or folder is; `None` when its name and its first line do not say.
pub fn kind_of(path: &Path) -> Option<SourceKind> {
    if path.is_dir() {
        return kind_of_folder(path);
    }
    if is_task_file(path) {
        return Some(SourceKind::Calendar);
    }
    let ending = path.extension().and_then(|ending| ending.to_str())?;
    Some(match ending.to_ascii_lowercase().as_str() {
        "eml" | "mbox" => SourceKind::Mail,
        "vcf" | "vcard" => SourceKind::Contacts,
        "ics" => SourceKind::Calendar,
        "ofx" | "qfx" | "camt" | "sta" | "940" | "mt940" => SourceKind::Finance,
        "journal" | "hledger" | "ledger" | "beancount" => SourceKind::Finance,
        // An export of Apple Health has the ending of many banks' statements.
        "xml" if is_xml_statement(&head_of(path, HEAD)?) => SourceKind::Finance,
        // Banks and phones hand out archives.
        "zip" if holds_statements(path) => SourceKind::Finance,
        "xml" | "zip" | "fit" | "db" | "sqlite" | "sqlite3" => SourceKind::Wellness,
        "jsonl" | "ndjson" => of_signals(path)?,
        "csv" => of_table(path)?,
        "json" => {
            let head = head_of(path, HEAD)?;
            if is_task_export(&head) {
                SourceKind::Calendar
            } else if is_health_json(&head) {
                SourceKind::Wellness
            } else {
                return None;
            }
        }
        _ => return None,
    })
}

fn kind_of_folder(folder: &Path) -> Option<SourceKind> {
    if is_maildir(folder) {
        return Some(SourceKind::Mail);
    }
    if ACCOUNTS.iter().any(|below| folder.join(below).is_dir()) {
        return Some(SourceKind::Wellness);
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
    const MEASURES: [&str; 8] = [
        "resting_bpm",
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
    let head = head_of(path, CSV_HEAD_BYTES)?;
    if is_health_table(&head) {
        return Some(SourceKind::Wellness);
    }
    let complete = (head.len() as u64) < CSV_HEAD_BYTES;
    recognise_csv(&head, complete, None, Tz::UTC).map(|_| SourceKind::Finance)
}

fn head_of(path: &Path, bytes: u64) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    File::open(path)
        .and_then(|file| file.take(bytes).read_to_end(&mut head))
        .ok()?;
    Some(head)
}

fn first_line(path: &Path) -> Option<String> {
    let mut line = Vec::new();
    BufReader::new(File::open(path).ok()?.take(HEAD))
        .read_until(b'\n', &mut line)
        .ok()?;
    // Banks of Europe write Latin-1.
    Some(String::from_utf8_lossy(&line).into_owned())
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
            ("a.VCF", "", Some(SourceKind::Contacts)),
            ("a.qfx", "", Some(SourceKind::Finance)),
            ("main.beancount", "", Some(SourceKind::Finance)),
            ("export.xml", "", Some(SourceKind::Wellness)),
            (
                "export-2.xml",
                "<?xml version=\"1.0\"?>\n<HealthData>",
                Some(SourceKind::Wellness),
            ),
            (
                "auszug.XML",
                "<?xml version=\"1.0\"?>\n<Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:camt.053.001.08\">\n<BkToCstmrStmt>",
                Some(SourceKind::Finance),
            ),
            (
                "a.xml",
                "<?xml version=\"1.0\"?>\n<?OFX OFXHEADER=\"200\"?>\n<OFX>",
                Some(SourceKind::Finance),
            ),
            ("a.camt", "", Some(SourceKind::Finance)),
            ("a.STA", "", Some(SourceKind::Finance)),
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
            (
                "sleeps.csv",
                "Cycle timezone,Sleep onset,Wake onset,Asleep duration (min)\n",
                Some(SourceKind::Wellness),
            ),
            (
                "sleep-2026-11-01.json",
                r#"[{"logId":1,"dateOfSleep":"2026-11-05"}]"#,
                Some(SourceKind::Wellness),
            ),
            ("other.json", r#"[{"a":1}]"#, None),
            (
                "export.json",
                r#"[{"id":1,"description":"x","entry":"20261103T090000Z","status":"pending","uuid":"00000000-0000-4000-8000-000000000001"}]"#,
                Some(SourceKind::Calendar),
            ),
            ("todo.txt", "", Some(SourceKind::Calendar)),
            ("pending.data", "", Some(SourceKind::Calendar)),
            ("taskchampion.sqlite3", "", Some(SourceKind::Calendar)),
            ("other.sqlite3", "", Some(SourceKind::Wellness)),
            ("a.txt", "", None),
            ("nothing", "", None),
        ] {
            let path = dir.path().join(name);
            touch(&path, text);
            assert_eq!(kind_of(&path), kind, "{name}");
        }
        // A bank's own encoding, ISO 8859-1.
        let path = dir.path().join("umsaetze.csv");
        let head = b"Buchungstag;Empf\xe4nger;Betrag (EUR)\n29.08.2026;B\xe4cker;-20,29\n";
        fs::write(&path, head).unwrap();
        assert_eq!(kind_of(&path), Some(SourceKind::Finance));
    }

    #[test]
    fn a_folder_is_what_all_in_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        touch(&at("m/cur/1"), "");
        fs::create_dir_all(at("m/new")).unwrap();
        touch(&at("v/1.ics"), "");
        touch(&at("people/1.vcf"), "");
        touch(&at("both/1.ics"), "");
        touch(&at("both/1.ofx"), "");
        fs::create_dir(at("empty")).unwrap();
        fs::create_dir_all(at("t/Takeout/Fitbit")).unwrap();
        fs::create_dir_all(at("g/DI_CONNECT")).unwrap();
        let kinds = ["m", "v", "people", "both", "empty", "t", "g"].map(|name| kind_of(&at(name)));
        let wellness = Some(SourceKind::Wellness);
        assert_eq!(
            kinds,
            [
                Some(SourceKind::Mail),
                Some(SourceKind::Calendar),
                Some(SourceKind::Contacts),
                None,
                None,
                wellness,
                wellness
            ]
        );
    }
}
