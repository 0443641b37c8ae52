//! Rows that go, a few at a time.
//!
//! What: [`RowRemoval`], a list of statements with the keys of the rows that each is run for; [`RemovalTask`], how far the writer has come.
//! Why: a commit that somebody waits for is never behind more than one slice. Not here: which rows (`plan`, `purge`), the writer's
//! thread (`crate::writer`).

use super::RemovedCounts;
use rusqlite::{Transaction, params_from_iter, types::Value};
use std::time::{Duration, Instant};

/// A slice ends after this time, with what it has done.
const SLICE: Duration = Duration::from_millis(20);

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
    ack: RemovalAck,
}

impl RemovalTask {
    pub(crate) fn new(removal: RowRemoval, ack: RemovalAck) -> Self {
        Self {
            removal,
            at: RemovalCursor::default(),
            removed: RemovedCounts::default(),
            tried: None,
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
            if begun.elapsed() >= SLICE {
                break;
            }
        }
        self.tried = Some((at, removed));
        Ok(())
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
