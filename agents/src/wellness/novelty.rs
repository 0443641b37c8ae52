//! Whether a measurement is news, and how old it may be.

use super::code;
use crate::shared::Report;
use std::collections::BTreeMap;

/// How long memory keeps what was measured, unless the owner says otherwise; of older days it is not told.
pub(super) const KEPT_MS: i64 = 90 * 24 * 60 * 60 * 1000;

/// What something that was read is to Wellness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Novelty {
    News,
    Known,
    /// Memory is not told of it. What is usual, and the newest values, may be learned from it all the same.
    TooOld,
}

impl Novelty {
    pub(super) fn of(is_old: bool, is_news: bool) -> Self {
        match (is_old, is_news) {
            (true, _) => Self::TooOld,
            (false, true) => Self::News,
            (false, false) => Self::Known,
        }
    }
}

/// What is too old, counted by file: where the first of it is, and how many.
#[derive(Debug, Default)]
pub(super) struct TooOld(BTreeMap<String, (Option<u64>, u32)>);

impl TooOld {
    pub(super) fn add(&mut self, file: &str, line: Option<u64>) {
        let (_, count) = self.0.entry(file.to_owned()).or_insert((line, 0));
        *count = count.saturating_add(1);
    }

    pub(super) fn tell(self, report: &mut Report) {
        for (file, (line, count)) in self.0 {
            report.skip_many(code::TOO_OLD, &file, line, count);
        }
    }
}
