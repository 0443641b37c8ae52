//! CSV files of measurements.
//!
//! What: [`CsvReader`], files whose header names `at` and at least one known column. Why: almost every app can export
//! such a table. Not here: what a sample changes (`model`).

use super::{
    super::{
        code,
        model::{FeatureSample, WellnessFeature},
        novelty::{ReadingNovelty, TooOldCount},
    },
    rmssd::{self, RmssdWindows},
};
use crate::shared::{self, IngestReport, SourceFile};
use std::{collections::BTreeMap, path::PathBuf};
use toolcall_schema::Timestamp;

/// How far a file was read, in memory only: after a restart it is read once more, which tells nothing new.
#[derive(Debug, Default)]
struct CsvProgress {
    len: u64,
    modified_ms: i64,
    /// Bad rows up to this line were told.
    line: u64,
    /// The first row that was dated after the ingest: when it is due, the file is read again.
    next: Option<Timestamp>,
}

/// The CSV files of some sources. A file is read whole, again when it changed; its last line counts once it ends in a
/// line break, because a torn number would be a wrong one.
#[derive(Debug, Default)]
pub(in super::super) struct CsvReader {
    seen: BTreeMap<String, CsvProgress>,
}

impl CsvReader {
    /// Hands each sample of a new or changed file that is not dated after `at` to `each`, which says whether
    /// it was news.
    pub(in super::super) fn read(
        &mut self,
        sources: &[PathBuf],
        at: Timestamp,
        report: &mut IngestReport,
        each: &mut dyn FnMut(FeatureSample) -> ReadingNovelty,
    ) {
        for file in shared::files(sources, &["csv"], report) {
            let seen = self.seen.entry(file.key.clone()).or_default();
            let unchanged = seen.len == file.len && seen.modified_ms == file.modified_ms;
            if unchanged && seen.next.is_none_or(|next| next > at) {
                continue;
            }
            if !report.has_room() {
                report.leave(file.len);
                continue;
            }
            if file.len < seen.len {
                seen.line = 0;
            }
            match shared::read_whole(&file) {
                Ok(bytes) => seen.table(&bytes, &file, at, report, each),
                Err(code) => report.skip(code, &file.name, None),
            }
        }
    }
}

impl CsvProgress {
    fn table(
        &mut self,
        bytes: &[u8],
        file: &SourceFile,
        at: Timestamp,
        report: &mut IngestReport,
        each: &mut dyn FnMut(FeatureSample) -> ReadingNovelty,
    ) {
        report.take(bytes.len() as u64);
        (self.len, self.modified_ms, self.next) = (file.len, file.modified_ms, None);
        let whole = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1);
        let mut table = csv::ReaderBuilder::new()
            .flexible(true)
            .trim(csv::Trim::All)
            .from_reader(bytes.get(..whole).unwrap_or_default());
        let header = table.headers().map(columns).ok().flatten();
        let Some((at_column, features)) = header else {
            // An empty file may get its header yet.
            if whole > 0 && self.line == 0 {
                self.line = 1;
                report.skip(code::HEADER, &file.name, Some(1));
            }
            return;
        };
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
                    report.skip(code, &file.name, line);
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
            for (column, what) in &features {
                let Some(cell) = row.get(*column).filter(|cell| !cell.is_empty()) else {
                    continue;
                };
                let sample = match (cell.parse(), what) {
                    (Ok(value), CsvColumn::Feature(feature)) => {
                        FeatureSample::new(*feature, value, row_at).ok_or(code::RANGE)
                    }
                    (Ok(interval), CsvColumn::Interval) => match windows.beat(row_at, interval) {
                        Some(window) => rmssd::sample(window),
                        None => continue,
                    },
                    (Err(_), _) => Err(code::ROW),
                };
                match sample {
                    Ok(sample) => match each(sample) {
                        ReadingNovelty::News => kept = true,
                        ReadingNovelty::Known => {}
                        ReadingNovelty::TooOld => old = true,
                    },
                    Err(code) => skip(code),
                }
            }
            if old && line.is_none_or(|line| line > told) {
                too_old.add(&file.name, line);
            } else if kept {
                report.keep();
            }
        }
        let last = windows.close().map(|window| rmssd::sample(window).map(each));
        match last {
            Some(Ok(ReadingNovelty::News)) => report.keep(),
            Some(Ok(ReadingNovelty::TooOld)) if self.line > told => too_old.add(&file.name, Some(self.line)),
            Some(Err(code)) if self.line > told => report.skip(code, &file.name, Some(self.line)),
            Some(_) | None => {}
        }
        too_old.report_skips(report);
    }
}

/// What a known column holds.
enum CsvColumn {
    Feature(WellnessFeature),
    /// The interval of a beat that ended at the row's instant; the rows are a series.
    Interval,
}

/// Where `at` and the known columns are; `None` when one of both is missing.
fn columns(header: &csv::StringRecord) -> Option<(usize, Vec<(usize, CsvColumn)>)> {
    let at = header.iter().position(|name| name == "at")?;
    let column = |name| match name {
        "rr_ms" => Some(CsvColumn::Interval),
        _ => WellnessFeature::of_column(name).map(CsvColumn::Feature),
    };
    let features: Vec<(usize, CsvColumn)> = header
        .iter()
        .enumerate()
        .filter_map(|(place, name)| Some((place, column(name)?)))
        .collect();
    (!features.is_empty()).then_some((at, features))
}
