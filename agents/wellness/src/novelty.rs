//! Whether a measurement is news, and how old it may be.

use super::code;
use agents_base::shared::IngestReport;
use std::collections::BTreeMap;

/// How long memory keeps what was measured, unless the owner says otherwise; of older days it is not told.
pub(super) const KEPT_MS: i64 = 90 * 24 * 60 * 60 * 1000;

/// What something that was read is to Wellness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadingNovelty {
    News,
    Known,
    /// Not reported to memory. The baseline and the newest values may still use it.
    TooOld,
}

impl ReadingNovelty {
    pub(super) fn from_flags(is_old: bool, is_news: bool) -> Self {
        match (is_old, is_news) {
            (true, _) => Self::TooOld,
            (false, true) => Self::News,
            (false, false) => Self::Known,
        }
    }
}

/// What is too old, counted by file: where the first of it is, and how many.
#[derive(Debug, Default)]
pub(super) struct TooOldCount(BTreeMap<String, (Option<u64>, u32)>);

impl TooOldCount {
    pub(super) fn add(&mut self, file: &str, line: Option<u64>) {
        let (_, count) = self.0.entry(file.to_owned()).or_insert((line, 0));
        *count = count.saturating_add(1);
    }

    pub(super) fn report_skips(self, report: &mut IngestReport) {
        for (file, (line, count)) in self.0 {
            report.skip_many(code::TOO_OLD, &file, line, count);
        }
    }
}
