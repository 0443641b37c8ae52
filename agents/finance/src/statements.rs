//! The folders of statements and journals.
//!
//! What: [`StatementFolders`], which reads files that are new or changed, as much of them as there is room for. Why: a file of
//! gigabytes is read over many ingests, and one that did not change costs a look. Not here: formats (`sources`).

use super::{
    claim::CsvReading,
    code,
    sources::{StatementItem, statement::StatementFile},
};
use agents_base::{
    contract::FinancePreferences,
    shared::{IngestReport, SOURCE_UNREADABLE, SourceFile, walk_sources},
    zone,
};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};
use toolcall_schema::{Timestamp, ids::sha256_hex};

/// Items that are read before it is asked again whether there is room.
const BATCH: usize = 256;

/// Enters an item; false where it is too old.
type EnterItem<'a> = dyn FnMut(StatementItem, Option<&CsvReading>, &mut IngestReport) -> bool + 'a;

/// A file that was read to its end: its size, its time, and when to read it again because something in it is dated later
/// (0: never).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FinishedFile(u64, i64, i64);

/// The files that were read, and the one that is being read.
#[derive(Default)]
pub(super) struct StatementFolders {
    done: BTreeMap<String, FinishedFile>,
    open: Option<OpenStatement>,
    /// Journals that include others: nothing tells whether those changed, so they are read whenever somebody looks.
    including: BTreeSet<String>,
    /// Exports that leave something open: after a start they are told of again, for who shows them forgets them with it.
    asked: BTreeSet<String>,
}

struct OpenStatement {
    file: SourceFile,
    statement: StatementFile,
    /// When the first item is due that is dated later, in milliseconds; 0: none is.
    again: i64,
    /// Bytes that were counted.
    counted: u64,
    /// Payments that were too old.
    too_old: u32,
    /// Of an export: how it is read, and whether something is left open.
    reading: Option<CsvReading>,
    is_asked: bool,
}

impl StatementFolders {
    /// What was read, for the state. A file that is being read is read anew after a restart: each of its items is entered
    /// once, however often it is read.
    pub(super) fn marks(&self) -> BTreeMap<String, FinishedFile> {
        let is_lasting = |key: &String| !self.including.contains(key) && !self.asked.contains(key);
        let lasting = self.done.iter().filter(|(key, _)| is_lasting(key));
        lasting.map(|(key, done)| (key.clone(), *done)).collect()
    }

    /// Goes on where [`StatementFolders::marks`] was.
    pub(super) fn restore(&mut self, marks: BTreeMap<String, FinishedFile>) {
        *self = Self {
            done: marks,
            ..Self::default()
        };
    }

    /// Gives `each` what is new in the sources and not dated after the local day of `at`, of an export with how it is read. What it does not keep for its age is
    /// counted. How the exports were read that came to their end.
    pub(super) fn read(
        &mut self,
        sources: &[PathBuf],
        (preferences, zone): ((&FinancePreferences, Option<&str>), Tz),
        at: Timestamp,
        report: &mut IngestReport,
        each: &mut EnterItem<'_>,
    ) -> Vec<CsvReading> {
        let mut finished = Vec::new();
        let mut present = BTreeSet::new();
        let mut open = self.open.take();
        for source in sources {
            let named = source.is_file();
            let wanted = |path: &std::path::Path| path == source || StatementFile::reads(path);
            for file in walk_sources(source, &wanted, &|_| false, report) {
                present.insert(file.key.clone());
                let begun = open.take_if(|open| open.file == file);
                let due = self
                    .done
                    .get(&file.key)
                    .is_none_or(|FinishedFile(len, modified, again)| {
                        *len != file.len || *modified != file.modified_ms || (*again > 0 && *again <= at.ms())
                    });
                // What a journal includes may have changed; there is no mark for that.
                if !due && begun.is_none() && !self.including.contains(&file.key) {
                    continue;
                }
                let rest = begun
                    .as_ref()
                    .map_or(file.len, |open| file.len.saturating_sub(open.counted));
                if !report.has_room() || self.open.is_some() {
                    report.leave(&file, rest);
                    continue;
                }
                let Some(mut now) =
                    begun.or_else(|| OpenStatement::open(file.clone(), named, preferences, zone))
                else {
                    report.skip(SOURCE_UNREADABLE, &file.name, None);
                    continue;
                };
                // A journal that is read at every look tells once what is too old.
                let told = self.including.contains(&file.key);
                if now.read_on(at, zone, report, each) {
                    if !told {
                        report.skip_many(code::TOO_OLD, &file.name, None, now.too_old);
                    }
                    if now.statement.has_included() {
                        self.including.insert(file.key.clone());
                    }
                    if now.is_asked {
                        self.asked.insert(file.key.clone());
                    } else {
                        self.asked.remove(&file.key);
                    }
                    finished.extend(now.reading);
                    self.done.insert(
                        file.key.clone(),
                        FinishedFile(file.len, file.modified_ms, now.again),
                    );
                } else {
                    report.leave(&file, file.len.saturating_sub(now.counted).max(1));
                    self.open = Some(now);
                }
            }
        }
        self.done.retain(|key, _| present.contains(key));
        self.including.retain(|key| present.contains(key));
        self.asked.retain(|key| present.contains(key));
        finished
    }
}

impl OpenStatement {
    fn open(
        file: SourceFile,
        named: bool,
        preferences: (&FinancePreferences, Option<&str>),
        zone: Tz,
    ) -> Option<Self> {
        let statement = StatementFile::open(&file.path, named, preferences, zone).ok()?;
        Some(Self {
            file,
            statement,
            again: 0,
            counted: 0,
            too_old: 0,
            reading: None,
            is_asked: false,
        })
    }

    /// Reads on. True at the end of the file.
    fn read_on(
        &mut self,
        at: Timestamp,
        zone: Tz,
        report: &mut IngestReport,
        each: &mut EnterItem<'_>,
    ) -> bool {
        let today = zone::local_date(at, zone);
        loop {
            for _ in 0..BATCH {
                let Some((place, told)) = self.statement.next() else {
                    self.count(report);
                    return true;
                };
                if self.reading.is_none() {
                    self.reading = self.statement.reading(&self.file.key);
                }
                match told {
                    Ok(told) if zone::local_date(told.at(), zone) > today => {
                        let due = zone::day_start(zone::local_date(told.at(), zone), zone).ms();
                        self.again = if self.again == 0 { due } else { self.again.min(due) };
                    }
                    Ok(told) => self.too_old += u32::from(!each(told, self.reading.as_ref(), report)),
                    Err(code) => {
                        let name = place.name.as_deref().unwrap_or(&self.file.name);
                        let line = (place.line > 0).then_some(place.line);
                        report.skip(code, name, line);
                        self.is_asked |= code == code::QUESTION;
                        // A whole file that nothing is known of needs no more than that.
                        let of_whole = [code::UNMAPPED, code::QUESTION, code::NOT_A_STATEMENT];
                        if place.name.is_none() && of_whole.contains(&code) {
                            self.count(report);
                            return true;
                        }
                    }
                }
            }
            self.count(report);
            if !report.has_room() {
                return false;
            }
        }
    }

    fn count(&mut self, report: &mut IngestReport) {
        let read = self.statement.read();
        report.take(read.saturating_sub(self.counted));
        self.counted = read;
    }
}

/// Raised when more files are recognised than before, so that those that were left out are read; the last time, so that it is known how each was read.
const RECOGNITION: &str = "csv 3";

/// What the marks of files depend on besides the files: other wishes read them anew.
pub(super) fn preferences_digest(preferences: &FinancePreferences, currency: Option<&str>) -> String {
    let json = serde_json::to_string(preferences).unwrap_or_default();
    sha256_hex(format!("{RECOGNITION} {} {json}", currency.unwrap_or_default()).as_bytes())
        .chars()
        .take(16)
        .collect()
}
