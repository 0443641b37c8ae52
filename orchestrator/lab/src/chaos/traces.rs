//! The traces that a folder held at some time.
//!
//! A deletion takes traces with it, so who looks at the end alone cannot tell what was deleted from what was lost. [`TraceObserver`] are looked at
//! before and after each deletion too; only ticks that ended in between are not judged. Not here: what is made of it (`verdict`).

use aura_memory::{StoreError, StoreReader, TraceRow, Vault, vault::NoPrompt};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};
use toolcall_schema::{Outcome, trace::Trace};

/// What was seen of them.
#[derive(Debug, Clone, Default)]
pub(super) struct TraceObserver {
    /// By id the tick.
    ticks: BTreeMap<String, u64>,
    /// Cards whose confirmation stands in a trace.
    confirmed: BTreeSet<String>,
    last: u64,
    /// Of these nobody knows.
    excused: BTreeSet<u64>,
    /// Where a deletion began that was not looked at since.
    deleting_from: Option<u64>,
}

impl TraceObserver {
    /// Looks at what the folder holds now, beside the service or without one.
    pub(super) fn look(&mut self, data: &Path) -> Result<(), StoreError> {
        let reader = StoreReader::open(&Vault::open(data, &NoPrompt)?)?;
        self.note(&reader.traces(usize::MAX, None)?);
        Ok(())
    }

    fn note(&mut self, rows: &[TraceRow]) {
        for row in rows {
            let id = row.trace_id.as_str();
            self.last = self.last.max(row.tick);
            if self.ticks.insert(id.to_owned(), row.tick).is_some() {
                continue;
            }
            let Ok(trace) = serde_json::from_str::<Trace>(&row.json) else {
                continue;
            };
            // A tool may have failed, and a crash may have hidden its answer: the confirmation stands in the trace all the same.
            if let Some(chosen) = &trace.decision.chosen
                && (trace.outcome == Outcome::Confirmed || trace.confirm.is_some())
            {
                self.confirmed.insert(chosen.card_id.as_str().to_owned());
            }
        }
        // The last of them may have gone unseen: how far they reach only a later tick tells.
        if let Some(from) = self.deleting_from.take_if(|from| *from <= self.last) {
            self.excused.extend(from..=self.last);
        }
    }

    /// Something is about to be deleted: what ended since the last look may go without having been seen.
    pub(super) fn deletion_begins(&mut self) {
        self.deleting_from.get_or_insert(self.last + 1);
    }

    pub(super) fn count(&self) -> u64 {
        self.ticks.len() as u64
    }

    /// Ticks that no look found.
    pub(super) fn left_out(&self) -> Vec<u64> {
        let seen: BTreeSet<u64> = self.ticks.values().copied().collect();
        (1..=self.last)
            .filter(|tick| !seen.contains(tick) && !self.excused.contains(tick))
            .collect()
    }

    /// Whether a look found the trace, or could not have.
    pub(super) fn accounts_for(&self, trace: &str, tick: u64) -> bool {
        self.ticks.contains_key(trace) || self.excused.contains(&tick)
    }

    /// Confirmed cards that no look found confirmed. Of as many as ticks were not seen nobody knows.
    pub(super) fn unconfirmed<'a>(&self, cards: &'a BTreeSet<String>) -> Vec<&'a String> {
        let seen: BTreeSet<u64> = self.ticks.values().copied().collect();
        let unseen = self.excused.iter().filter(|tick| !seen.contains(tick)).count();
        let open = cards.iter().filter(|card| !self.confirmed.contains(*card));
        open.skip(unseen).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolcall_schema::{Outcome, ids::TraceId};

    fn row(tick: u64) -> TraceRow {
        TraceRow {
            tick,
            call: None,
            trace_id: TraceId::parse(&format!("tr_{tick:012}")).unwrap(),
            at_ms: 0,
            outcome: Outcome::Confirmed,
            chosen: None,
            json: String::new(),
        }
    }

    #[test]
    fn what_a_deletion_took_is_not_lost_and_what_is_missing_without_one_is() {
        let mut traces = TraceObserver::default();
        traces.note(&[row(1), row(2), row(4)]);
        assert_eq!(traces.left_out(), [3]);
        traces.deletion_begins();
        // 5 ended meanwhile and went with 1 and 2; 7 is missing and was begun after it.
        traces.note(&[row(4), row(6)]);
        traces.note(&[row(8)]);
        assert_eq!(traces.left_out(), [3, 7]);
        assert!(traces.accounts_for("tr_unseen", 5) && !traces.accounts_for("tr_unseen", 7));
        assert_eq!(traces.count(), 5);
        // One tick was not seen: of one confirmation nobody knows.
        let cards = BTreeSet::from(["a".to_owned(), "b".to_owned()]);
        assert_eq!(traces.unconfirmed(&cards), ["b"]);
        // 9 ended meanwhile and was the last of all.
        traces.deletion_begins();
        traces.note(&[]);
        traces.note(&[row(10)]);
        assert_eq!(traces.left_out(), [3, 7]);
    }
}
