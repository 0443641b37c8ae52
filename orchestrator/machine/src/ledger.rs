//! The attention ledger: what the silence budget holds, per local day.
//!
//! What: reservations, settlements, releases and refunds of tokens. Why: one account, so that a cap and a budget can
//! never disagree. Not here: which kinds cost a token (`caps`), keeping the rows (`aura-memory`).

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use toolcall_schema::{ids::TraceId, trace::LedgerView};

/// What a row of the ledger records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Entry {
    /// A token is held for a card.
    Reserve,
    /// The card was shown: the token is spent.
    Settle,
    /// The card was never shown: the token is free again.
    Release,
    /// "Useful": the token came back.
    Refund,
    /// The ceiling was lowered: free tokens are gone.
    Forfeit,
    /// A new day, with its ceiling.
    Open,
}

impl Entry {
    /// The name in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Entry::Reserve => "reserve",
            Entry::Settle => "settle",
            Entry::Release => "release",
            Entry::Refund => "refund",
            Entry::Forfeit => "forfeit",
            Entry::Open => "open",
        }
    }
}

/// One row: so many tokens, for this trace, on that day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The day whose account it is.
    pub day: NaiveDate,
    /// The trace, when it is about one.
    pub trace_id: Option<TraceId>,
    /// What happened.
    pub entry: Entry,
    /// How many tokens.
    pub tokens: u8,
}

/// The greatest ceiling an owner may set.
pub const CEILING_MAX: u8 = 5;

/// The account of the current local day, and the reservations that are still open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    day: NaiveDate,
    ceiling: u8,
    ceiling_from_midnight: Option<u8>,
    refunded: u8,
    /// Open reservations, each with the day it was made on.
    reserved: BTreeMap<TraceId, NaiveDate>,
    /// Traces that settled a token today, and whether it was refunded.
    settled: BTreeMap<TraceId, bool>,
}

impl Ledger {
    /// A fresh account. `ceiling` above [`CEILING_MAX`] counts as that.
    pub fn new(day: NaiveDate, ceiling: u8) -> Self {
        Self {
            day,
            ceiling: ceiling.min(CEILING_MAX),
            ceiling_from_midnight: None,
            refunded: 0,
            reserved: BTreeMap::new(),
            settled: BTreeMap::new(),
        }
    }

    fn reserved_today(&self) -> u8 {
        count(self.reserved.values().filter(|day| **day == self.day).count())
    }

    /// Tokens that can still be reserved today.
    pub fn free(&self) -> u8 {
        (self.ceiling + self.refunded)
            .saturating_sub(count(self.settled.len()))
            .saturating_sub(self.reserved_today())
            .min(self.ceiling)
    }

    /// The account as it stands in traces.
    pub fn view(&self) -> LedgerView {
        LedgerView {
            day: self.day,
            ceiling: self.ceiling,
            free: self.free(),
            reserved: self.reserved_today(),
            settled: count(self.settled.len()),
            refunded: self.refunded,
        }
    }

    /// Opens the account of a later local day. The day never goes back.
    pub fn roll(&mut self, day: NaiveDate) -> Option<Row> {
        if day <= self.day {
            return None;
        }
        self.day = day;
        self.ceiling = self.ceiling_from_midnight.take().unwrap_or(self.ceiling);
        self.refunded = 0;
        self.settled.clear();
        Some(self.row(None, Entry::Open, self.ceiling))
    }

    /// Holds a token for a trace. Nothing when none is free; the caller has checked the daily cap before.
    pub fn reserve(&mut self, trace: &TraceId) -> Option<Row> {
        if self.free() == 0 {
            return None;
        }
        self.reserved.insert(trace.clone(), self.day);
        Some(self.row(Some(trace), Entry::Reserve, 1))
    }

    /// The card was shown. Spends the trace's reservation on the day it was made on; only the first time.
    pub fn settle(&mut self, trace: &TraceId) -> Option<Row> {
        let day = self.reserved.remove(trace)?;
        if day == self.day {
            self.settled.insert(trace.clone(), false);
        }
        Some(Row {
            day,
            trace_id: Some(trace.clone()),
            entry: Entry::Settle,
            tokens: 1,
        })
    }

    /// The card was never shown. Frees the trace's reservation.
    pub fn release(&mut self, trace: &TraceId) -> Option<Row> {
        let day = self.reserved.remove(trace)?;
        Some(Row {
            day,
            trace_id: Some(trace.clone()),
            entry: Entry::Release,
            tokens: 1,
        })
    }

    /// "Useful": gives the token of a trace back, once, on the same day, never above the ceiling.
    pub fn refund(&mut self, trace: &TraceId) -> Option<Row> {
        let room = self.free() < self.ceiling;
        let refunded = self.settled.get_mut(trace).filter(|done| room && !**done)?;
        *refunded = true;
        self.refunded += 1;
        Some(self.row(Some(trace), Entry::Refund, 1))
    }

    /// Sets the owner's ceiling (0 to 5): lower counts now and forfeits free tokens, higher counts from midnight.
    pub fn set_ceiling(&mut self, ceiling: u8) -> Option<Row> {
        let ceiling = ceiling.min(CEILING_MAX);
        if ceiling >= self.ceiling {
            self.ceiling_from_midnight = (ceiling > self.ceiling).then_some(ceiling);
            return None;
        }
        let before = self.free();
        self.ceiling = ceiling;
        self.ceiling_from_midnight = None;
        let lost = before - self.free();
        (lost > 0).then(|| self.row(None, Entry::Forfeit, lost))
    }

    fn row(&self, trace: Option<&TraceId>, entry: Entry, tokens: u8) -> Row {
        Row {
            day: self.day,
            trace_id: trace.cloned(),
            entry,
            tokens,
        }
    }
}

/// A count of traces of one day: bounded by the ceiling and the refunds, so far below 255.
fn count(n: usize) -> u8 {
    u8::try_from(n).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolcall_schema::ids::OwnerSeed;

    fn trace(n: u64) -> TraceId {
        OwnerSeed::of_day("ledger").trace_id(n)
    }

    fn day(d: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 11, d).unwrap()
    }

    #[test]
    fn a_refund_buys_another_surface_and_never_exceeds_the_ceiling() {
        let mut ledger = Ledger::new(day(3), 1);
        assert!(ledger.reserve(&trace(1)).is_some());
        assert!(ledger.reserve(&trace(2)).is_none(), "no free token");
        assert!(ledger.refund(&trace(1)).is_none(), "not settled yet");
        assert!(ledger.settle(&trace(1)).is_some());
        assert!(ledger.settle(&trace(1)).is_none(), "only the first Shown settles");
        assert_eq!(ledger.free(), 0);
        assert!(ledger.refund(&trace(1)).is_some());
        assert!(ledger.refund(&trace(1)).is_none(), "once");
        assert_eq!(ledger.free(), 1);
        assert!(ledger.reserve(&trace(2)).is_some());
    }

    #[test]
    fn a_reservation_belongs_to_the_day_it_was_made_on() {
        let mut ledger = Ledger::new(day(3), 3);
        ledger.reserve(&trace(1));
        ledger.roll(day(4));
        assert_eq!(ledger.free(), 3);
        let row = ledger.settle(&trace(1)).unwrap();
        assert_eq!(row.day, day(3));
        assert_eq!(ledger.view().settled, 0);
        assert!(ledger.refund(&trace(1)).is_none(), "not of this day");
    }

    #[test]
    fn lowering_the_ceiling_forfeits_now_and_raising_it_waits_for_midnight() {
        let mut ledger = Ledger::new(day(3), 3);
        ledger.reserve(&trace(1));
        ledger.settle(&trace(1));
        let row = ledger.set_ceiling(1).unwrap();
        assert_eq!((row.entry, row.tokens, ledger.free()), (Entry::Forfeit, 2, 0));
        assert!(ledger.set_ceiling(5).is_none());
        assert_eq!(ledger.free(), 0);
        ledger.roll(day(4));
        assert_eq!(ledger.free(), 5);
        assert!(ledger.roll(day(3)).is_none(), "the day never goes back");
    }
}
