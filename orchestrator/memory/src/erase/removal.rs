//! Rows that go, a few at a time.
//!
//! What: [`RowRemoval`], a list of statements with the keys of the rows that each is run for; [`RemovalTask`], how far the writer has come.
//! Why: a commit that somebody waits for is never behind more than one slice. Not here: which rows (`plan`, `purge`), the writer's
//! thread (`crate::writer`).

use super::RemovedCounts;
use rusqlite::{Transaction, params_from_iter, types::Value};
use std::time::{Duration, Instant};

/// A slice ends after this time at the latest, with what it has done.
const LONGEST: Duration = Duration::from_millis(20);
/// And after this time at the earliest.
const SHORTEST: Duration = Duration::from_millis(1);
/// A slice and its commit together aim at this time: where rows are searchable, the commit takes ten times as long as the slice.
const WITH_COMMIT: Duration = Duration::from_millis(40);

/// Told what went, when all of it is committed; dropped where it could not be done to its end.
pub(crate) type RemovalAck = Box<dyn FnOnce(RemovedCounts) + Send>;

/// One key: the values that a row is found by.
pub(super) type RowKey = Box<[Value]>;

/// A statement, and what the rows that it removes are counted as; `None`: they are not.
pub(super) type CountedStatement = (&'static str, Option<&'static str>);

/// Statements that are run one after the other for each key.
struct RemovalStep {
    statements: &'static [CountedStatement],
    keys: Vec<RowKey>,
    /// What the keys are counted as before they go.
    counted: Option<&'static str>,
}

/// The rows that go, in the order in which they do.
#[derive(Default)]
pub struct RowRemoval {
    steps: Vec<RemovalStep>,
}

impl RowRemoval {
    /// Adds rows, each counted once as what the last statement removes.
    pub(super) fn add(&mut self, statements: &'static [CountedStatement], keys: Vec<RowKey>) {
        if !keys.is_empty() {
            self.steps.push(RemovalStep {
                counted: statements.last().and_then(|(_, counted)| *counted),
                statements,
                keys,
            });
        }
    }

    /// Adds what another removes.
    pub(super) fn append(&mut self, mut other: RowRemoval) {
        self.steps.append(&mut other.steps);
    }

    /// What goes, without anything going.
    pub fn counts(&self) -> RemovedCounts {
        let mut removed = RemovedCounts::default();
        for step in &self.steps {
            if let Some(counted) = step.counted {
                removed.add(counted, step.keys.len() as u64);
            }
        }
        removed
    }
}

/// One key of numbers.
pub(super) fn number(id: i64) -> RowKey {
    Box::new([Value::Integer(id)])
}

/// One key of texts.
pub(super) fn text(key: String) -> RowKey {
    Box::new([Value::Text(key)])
}

/// Where a removal is: the step, and how many of its keys are done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct RemovalCursor {
    step: usize,
    key: usize,
}

/// A removal that the writer works on.
pub(crate) struct RemovalTask {
    removal: RowRemoval,
    at: RemovalCursor,
    removed: RemovedCounts,
    /// What the last slice came to, until it is known to be committed.
    tried: Option<(RemovalCursor, RemovedCounts)>,
    /// How long the next slice lasts.
    slice: Duration,
    ack: RemovalAck,
}

impl RemovalTask {
    pub(crate) fn new(removal: RowRemoval, ack: RemovalAck) -> Self {
        Self {
            removal,
            at: RemovalCursor::default(),
            removed: RemovedCounts::default(),
            tried: None,
            slice: SHORTEST,
            ack,
        }
    }

    /// Runs one slice in a transaction that the caller commits; then [`Self::committed`].
    pub(crate) fn slice(&mut self, tx: &Transaction<'_>) -> rusqlite::Result<()> {
        let begun = Instant::now();
        let (mut at, mut removed) = (self.at.clone(), self.removed.clone());
        while let Some(step) = self.removal.steps.get(at.step) {
            let Some(key) = step.keys.get(at.key) else {
                at = RemovalCursor {
                    step: at.step + 1,
                    key: 0,
                };
                continue;
            };
            for (statement, counted) in step.statements {
                let rows = tx
                    .prepare_cached(statement)?
                    .execute(params_from_iter(key.iter()))?;
                if let Some(counted) = counted {
                    removed.add(counted, rows as u64);
                }
            }
            at.key += 1;
            if begun.elapsed() >= self.slice {
                break;
            }
        }
        self.tried = Some((at, removed));
        Ok(())
    }

    /// A slice and its commit took so long.
    pub(crate) fn pace(&mut self, took: Duration) {
        self.slice = next_slice(self.slice, took);
    }

    /// The last slice is on the disk.
    pub(crate) fn committed(&mut self) {
        if let Some((at, removed)) = self.tried.take() {
            (self.at, self.removed) = (at, removed);
        }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.at.step >= self.removal.steps.len()
    }

    /// Tells who asked.
    pub(crate) fn tell(self) {
        (self.ack)(self.removed);
    }
}

/// How long the next slice lasts, after one that took so long with its commit: the cost of a commit grows with what its slice did.
fn next_slice(last: Duration, took: Duration) -> Duration {
    let took = took.max(last).as_micros().max(1);
    let fits = last.as_micros().saturating_mul(WITH_COMMIT.as_micros()) / took;
    Duration::from_micros(u64::try_from(fits).unwrap_or(u64::MAX)).clamp(SHORTEST, LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_gets_shorter_where_its_commit_is_long_and_longer_again() {
        let ms = Duration::from_millis;
        for (last, took, next) in [
            // A commit of ten times the slice: 20 of 200 ms are 4 of 40.
            (ms(20), ms(200), ms(4)),
            // It went as long as it should.
            (ms(10), ms(40), ms(10)),
            // There was room for twice as much.
            (ms(5), ms(20), ms(10)),
            // Never more than 20 ms, never less than 1, also when a disk hangs.
            (ms(20), ms(25), ms(20)),
            (ms(1), ms(30_000), ms(1)),
            (ms(1), ms(0), ms(20)),
        ] {
            assert_eq!(next_slice(last, took), next, "{last:?} took {took:?}");
        }
    }
}
