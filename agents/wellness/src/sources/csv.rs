//! CSV files of measurements.
//!
//! What: [`CsvReader`], files whose header names `at` and at least one known column, or is that of a known app. Why: almost every app can
//! export such a table. Not here: the tables of apps (`tables`), what a sample changes (`model`).

use super::{
    super::{
        code,
        model::{FeatureSample, WellnessFeature},
        novelty::{ReadingNovelty, TooOldCount},
    },
    RestingRate, SourceReading, accounts,
    rmssd::{self, RmssdWindows},
    tables::LocatedTable,
};
use agents_base::shared::{self, IngestReport};
use chrono_tz::Tz;
use std::{collections::BTreeMap, path::PathBuf};
use toolcall_schema::{Timestamp, ids::SecretKey};

/// How far a file was read, in memory only: after a restart it is read once more, which tells nothing new.
#[derive(Debug, Default)]
pub(super) struct CsvProgress {
    len: u64,
    modified_ms: i64,
    /// Bad rows up to this line were told.
    line: u64,
    /// The first row that was dated after the ingest: when it is due, the file is read again.
    next: Option<Timestamp>,
}

/// The CSV files of some sources. A file is read whole, again when it changed. The last line of a table with `at` counts once it ends in
/// a line break, because a torn number would be a wrong one. Apps leave that break out: of theirs it counts once it has all columns.
#[derive(Debug, Default)]
pub(in super::super) struct CsvReader {
    seen: BTreeMap<String, CsvProgress>,
}

impl CsvReader {
    /// Hands each reading of a new or changed file that is not dated after `at` to `each`, which says whether
    /// it was news.
    pub(in super::super) fn read(
        &mut self,
        sources: &[PathBuf],
        (key, zone): (&SecretKey, Tz),
        at: Timestamp,
        report: &mut IngestReport,
        each: &mut dyn FnMut(SourceReading) -> ReadingNovelty,
    ) {
        for file in shared::files(sources, &["csv"], report) {
            let seen = self.seen.entry(file.key.clone()).or_default();
            let unchanged = seen.len == file.len && seen.modified_ms == file.modified_ms;
            if unchanged && seen.next.is_none_or(|next| next > at) {
                continue;
            }
            if !report.has_room() {
                report.leave(&file, file.len);
                continue;
            }
            if file.len < seen.len {
                seen.line = 0;
            }
            match shared::read_whole(&file) {
                Ok(bytes) => {
                    (seen.len, seen.modified_ms) = (file.len, file.modified_ms);
                    let mut out = TableSink {
                        key,
                        zone,
                        name: &file.name,
                        is_of_account: accounts::is_in_account(&file.path),
                        report,
                        each,
                    };
                    seen.table(&bytes, at, &mut out);
                }
                Err(code) => report.skip(code, &file.name, None),
            }
        }
    }
}

/// Receives the rows of a table.
pub(super) struct TableSink<'a> {
    pub(super) key: &'a SecretKey,
    pub(super) zone: Tz,
    pub(super) name: &'a str,
    /// Whether it lies among the files of an account, of which most hold nothing that is read.
    pub(super) is_of_account: bool,
    pub(super) report: &'a mut IngestReport,
    pub(super) each: &'a mut dyn FnMut(SourceReading) -> ReadingNovelty,
}

impl CsvProgress {
    /// Reads a table as of `at`.
    pub(super) fn table(&mut self, bytes: &[u8], at: Timestamp, out: &mut TableSink<'_>) {
        out.report.take(bytes.len() as u64);
        self.next = None;
        let whole = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1);
        let whole = bytes.get(..whole).unwrap_or_default();
        let mut table = csv::ReaderBuilder::new()
            .flexible(true)
            .trim(csv::Trim::All)
            .from_reader(whole);
        if let Some((at_column, features)) = table.headers().map(columns).ok().flatten() {
            self.own_rows(&mut table, (at_column, &features), at, out);
        } else if let Some(located) = LocatedTable::find(bytes) {
            self.app_rows(&located, at, out);
        } else if !whole.is_empty() && self.line == 0 {
            // An empty file may get its header yet.
            self.line = 1;
            if out.is_of_account {
                out.report.note(code::NOTHING_READ, out.name);
            } else {
                out.report.skip(code::HEADER, out.name, Some(1));
            }
        }
    }

    /// The rows of an app's table.
    fn app_rows(&mut self, located: &LocatedTable<'_>, at: Timestamp, out: &mut TableSink<'_>) {
        if self.line == 0 {
            for column in located.unread() {
                let item = format!("{}: {column}", out.name);
                out.report.note(code::NIGHT_MEAN, &item);
            }
        }
        let told = self.line;
        let mut too_old = TooOldCount::default();
        let mut rows = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .trim(csv::Trim::All)
            .delimiter(located.delimiter)
            .from_reader(located.rows);
        let mut records = rows.records().peekable();
        while let Some(row) = records.next() {
            // A last line without its end may be torn.
            let is_torn = records.peek().is_none()
                && !located.rows.ends_with(b"\n")
                && row.as_ref().is_ok_and(|row| row.len() < located.columns());
            if is_torn {
                break;
            }
            let position = row.as_ref().map_or_else(
                |error| error.position().map(csv::Position::line),
                |row| row.position().map(csv::Position::line),
            );
            let line = position.map_or(located.line, |line| located.line + line - 1);
            let is_new = line > told;
            self.line = self.line.max(line);
            let reading = row
                .map_err(|_| code::ROW)
                .and_then(|row| located.reading(&row, out.zone, out.key));
            match reading {
                Ok(None) => {}
                Ok(Some(reading)) if reading.at() > at => {
                    self.next = Some(self.next.map_or(reading.at(), |next| next.min(reading.at())));
                }
                Ok(Some(reading)) => match (out.each)(reading) {
                    ReadingNovelty::News => out.report.keep(),
                    ReadingNovelty::TooOld if is_new => too_old.add(out.name, Some(line)),
                    ReadingNovelty::TooOld | ReadingNovelty::Known => {}
                },
                Err(code) if is_new => out.report.skip(code, out.name, Some(line)),
                Err(_) => {}
            }
        }
        self.line = self.line.max(1);
        too_old.report_skips(out.report);
    }

    /// The rows below a header with `at`.
    fn own_rows(
        &mut self,
        table: &mut csv::Reader<&[u8]>,
        (at_column, features): (usize, &[(usize, CsvColumn)]),
        at: Timestamp,
        out: &mut TableSink<'_>,
    ) {
        let TableSink {
            name, report, each, ..
        } = out;
        let told = self.line;
        let mut too_old = TooOldCount::default();
        let mut windows = RmssdWindows::default();
        for row in table.records() {
            let line = row.as_ref().map_or_else(
                |error| error.position().map(csv::Position::line),
                |row| row.position().map(csv::Position::line),
            );
            self.line = self.line.max(line.unwrap_or(0));
            let mut skip = |code| {
                if line.is_none_or(|line| line > told) {
                    report.skip(code, name, line);
                }
            };
            let Some((row, row_at)) = row
                .ok()
                .and_then(|row| Some((Timestamp::parse(row.get(at_column)?).ok()?, row)))
                .map(|(row_at, row)| (row, row_at))
            else {
                skip(code::ROW);
                continue;
            };
            if row_at > at {
                self.next = Some(self.next.map_or(row_at, |next| next.min(row_at)));
                continue;
            }
            let (mut kept, mut old) = (false, false);
            for (column, what) in features {
                let Some(cell) = row.get(*column).filter(|cell| !cell.is_empty()) else {
                    continue;
                };
                let told = match (cell.parse(), what) {
                    (Ok(value), CsvColumn::Feature(feature)) => FeatureSample::new(*feature, value, row_at)
                        .map(SourceReading::Sample)
                        .ok_or(code::RANGE),
                    (Ok(bpm), CsvColumn::Resting) => {
                        RestingRate::new(bpm, row_at).map(SourceReading::Resting)
                    }
                    (Ok(interval), CsvColumn::Interval) => match windows.beat(row_at, interval) {
                        Some(window) => rmssd::sample(window).map(SourceReading::Sample),
                        None => continue,
                    },
                    (Err(_), _) => Err(code::ROW),
                };
                match told {
                    Ok(told) => match each(told) {
                        ReadingNovelty::News => kept = true,
                        ReadingNovelty::Known => {}
                        ReadingNovelty::TooOld => old = true,
                    },
                    Err(code) => skip(code),
                }
            }
            if old && line.is_none_or(|line| line > told) {
                too_old.add(name, line);
            } else if kept {
                report.keep();
            }
        }
        let last = windows
            .close()
            .map(|window| rmssd::sample(window).map(|sample| each(SourceReading::Sample(sample))));
        match last {
            Some(Ok(ReadingNovelty::News)) => report.keep(),
            Some(Ok(ReadingNovelty::TooOld)) if self.line > told => too_old.add(name, Some(self.line)),
            Some(Err(code)) if self.line > told => report.skip(code, name, Some(self.line)),
            Some(_) | None => {}
        }
        too_old.report_skips(report);
    }
}

/// What a known column holds.
enum CsvColumn {
    Feature(WellnessFeature),
    Resting,
    /// The interval of a beat that ended at the row's instant; the rows are a series.
    Interval,
}

/// Where `at` and the known columns are; `None` when one of both is missing.
fn columns(header: &csv::StringRecord) -> Option<(usize, Vec<(usize, CsvColumn)>)> {
    let at = header.iter().position(|name| name == "at")?;
    let column = |name| match name {
        "rr_ms" => Some(CsvColumn::Interval),
        "resting_bpm" => Some(CsvColumn::Resting),
        _ => WellnessFeature::of_column(name).map(CsvColumn::Feature),
    };
    let features: Vec<(usize, CsvColumn)> = header
        .iter()
        .enumerate()
        .filter_map(|(place, name)| Some((place, column(name)?)))
        .collect();
    (!features.is_empty()).then_some((at, features))
}
