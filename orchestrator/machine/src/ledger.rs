//! The attention ledger: what the silence budget holds, per local day.
//!
//! What: reservations, settlements, releases and refunds of tokens. Why: one account, so that a cap and a budget can
//! never disagree. Not here: what a surface costs (`deliberate`), keeping the rows (`aura-memory`).

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use toolcall_schema::{ids::TraceId, ledger::LedgerEntry, trace::LedgerView};

/// One row: so many tokens, for this trace, on that day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerPosting {
    /// The day whose account it is.
    pub day: NaiveDate,
    /// The trace, when it is about one.
    pub trace_id: Option<TraceId>,
    /// What happened.
    pub entry: LedgerEntry,
    /// How many tokens.
    pub tokens: u8,
}

/// The greatest ceiling an owner may set.
pub const CEILING_MAX: u8 = 5;

/// By so many days the local date may go back without the clock having been wrong: the owner travelled, or set it by a
/// day. The later day's account then stays in force.
const BACK_DAYS: i64 = 2;

/// The account of one local day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct DailyAccount {
    day: NaiveDate,
    ceiling: u8,
    refunded: u8,
    /// Traces that settled a token on that day, and whether it was refunded.
    settled: BTreeMap<TraceId, bool>,
}

impl DailyAccount {
    fn open(day: NaiveDate, ceiling: u8) -> Self {
        Self {
            day,
            ceiling,
            refunded: 0,
            settled: BTreeMap::new(),
        }
    }
}

/// The account of the current local day, and the reservations that are still open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttentionLedger {
    today: DailyAccount,
    /// What the next day opens with, where that is not today's ceiling.
    ceiling_from_midnight: Option<u8>,
    /// Open reservations, each with the day it was made on.
    reserved: BTreeMap<TraceId, NaiveDate>,
    /// The account that the current one took the place of when the day went on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<DailyAccount>,
    /// The account of a later day that was left when the clock was set back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ahead: Option<DailyAccount>,
}

impl AttentionLedger {
    /// A fresh account. `ceiling` above [`CEILING_MAX`] counts as that.
    pub fn new(day: NaiveDate, ceiling: u8) -> Self {
        Self {
            today: DailyAccount::open(day, ceiling.min(CEILING_MAX)),
            ceiling_from_midnight: None,
            reserved: BTreeMap::new(),
            before: None,
            ahead: None,
        }
    }

    fn reserved_today(&self) -> u8 {
        count(
            self.reserved
                .values()
                .filter(|day| **day == self.today.day)
                .count(),
        )
    }

    /// Tokens that can still be reserved today.
    pub fn free(&self) -> u8 {
        (self.today.ceiling + self.today.refunded)
            .saturating_sub(count(self.today.settled.len()))
            .saturating_sub(self.reserved_today())
    }

    /// Whether a trace has a token of today's, reserved or spent.
    pub(crate) fn holds(&self, trace: &TraceId) -> bool {
        self.reserved.get(trace) == Some(&self.today.day) || self.today.settled.contains_key(trace)
    }

    /// The ceiling that the next day opens with, where that is not today's.
    pub fn ceiling_from_midnight(&self) -> Option<u8> {
        self.ceiling_from_midnight
    }

    /// The account as it stands in traces.
    pub fn view(&self) -> LedgerView {
        LedgerView {
            day: self.today.day,
            ceiling: self.today.ceiling,
            free: self.free(),
            reserved: self.reserved_today(),
            settled: count(self.today.settled.len()),
            refunded: self.today.refunded,
        }
    }

    /// Goes to a local day. A later one opens its account. An earlier one does not, unless it is earlier by more than
    /// two days, which only a clock that was wrong can bring about: that day's account is gone back to, or opened,
    /// without a token more than were free just now, so that nothing is gained by setting the clock.
    pub fn roll_over_to(&mut self, day: NaiveDate) -> Option<LedgerPosting> {
        let back = self.today.day.signed_duration_since(day).num_days();
        if (0..=BACK_DAYS).contains(&back) {
            return None;
        }
        let left = self.free();
        // What the owner wants a day to have, whatever becomes of this one.
        let usual = self.ceiling_from_midnight.unwrap_or(self.today.ceiling);
        let (known, ceiling) = if back < 0 {
            let known = self.ahead.take_if(|ahead| ahead.day <= day);
            (known.filter(|known| known.day == day), usual)
        } else {
            (self.before.take_if(|before| before.day == day), left)
        };
        let is_known = known.is_some();
        let account = known.unwrap_or_else(|| DailyAccount::open(day, ceiling));
        let old = std::mem::replace(&mut self.today, account);
        *(if back < 0 {
            &mut self.before
        } else {
            &mut self.ahead
        }) = Some(old);
        let row = if is_known {
            self.lower_ceiling_to(left)
        } else {
            Some(self.posting(None, LedgerEntry::Ceiling, ceiling))
        };
        self.ceiling_from_midnight = (usual != self.today.ceiling).then_some(usual);
        row
    }

    /// Lowers today's ceiling until no more than so many tokens are free.
    fn lower_ceiling_to(&mut self, free: u8) -> Option<LedgerPosting> {
        let before = self.free();
        while self.free() > free {
            self.today.ceiling -= 1;
        }
        let lost = before - self.free();
        (lost > 0).then(|| self.posting(None, LedgerEntry::Forfeit, lost))
    }

    /// As if the day had begun with so many tokens more. For a machine that only answers "what if": nothing is posted.
    pub(crate) fn imagine_more(&mut self, tokens: u8) {
        self.today.ceiling = self.today.ceiling.saturating_add(tokens);
    }

    /// Holds a token for a trace. Nothing when none is free; the caller has checked the daily cap before.
    pub fn reserve(&mut self, trace: &TraceId) -> Option<LedgerPosting> {
        if self.free() == 0 {
            return None;
        }
        self.reserved.insert(trace.clone(), self.today.day);
        Some(self.posting(Some(trace), LedgerEntry::Reserve, 1))
    }

    /// The card was shown. Spends the trace's reservation on the day it was made on; only the first time.
    pub fn settle(&mut self, trace: &TraceId) -> Option<LedgerPosting> {
        let day = self.reserved.remove(trace)?;
        let accounts = [Some(&mut self.today), self.before.as_mut(), self.ahead.as_mut()];
        if let Some(account) = accounts.into_iter().flatten().find(|account| account.day == day) {
            account.settled.insert(trace.clone(), false);
        }
        Some(LedgerPosting {
            day,
            trace_id: Some(trace.clone()),
            entry: LedgerEntry::Settle,
            tokens: 1,
        })
    }

    /// The card was never shown. Frees the trace's reservation.
    pub fn release(&mut self, trace: &TraceId) -> Option<LedgerPosting> {
        let day = self.reserved.remove(trace)?;
        Some(LedgerPosting {
            day,
            trace_id: Some(trace.clone()),
            entry: LedgerEntry::Release,
            tokens: 1,
        })
    }

    /// "Useful": gives the token of a trace back, once, on the same day, never above the ceiling.
    pub fn refund(&mut self, trace: &TraceId) -> Option<LedgerPosting> {
        let room = self.free() < self.today.ceiling;
        let refunded = self.today.settled.get_mut(trace).filter(|done| room && !**done)?;
        *refunded = true;
        self.today.refunded += 1;
        Some(self.posting(Some(trace), LedgerEntry::Refund, 1))
    }

    /// Whether "Useful" gave the token of this trace back today.
    pub fn is_refunded(&self, trace: &TraceId) -> bool {
        self.today.settled.get(trace).is_some_and(|refunded| *refunded)
    }

    /// Sets the owner's ceiling (0 to 5): lower counts now and forfeits free tokens, higher counts from midnight.
    pub fn set_ceiling(&mut self, ceiling: u8) -> Option<LedgerPosting> {
        let ceiling = ceiling.min(CEILING_MAX);
        if ceiling >= self.today.ceiling {
            self.ceiling_from_midnight = (ceiling > self.today.ceiling).then_some(ceiling);
            return None;
        }
        let before = self.free();
        self.today.ceiling = ceiling;
        self.ceiling_from_midnight = None;
        let lost = before - self.free();
        (lost > 0).then(|| self.posting(None, LedgerEntry::Forfeit, lost))
    }

    fn posting(&self, trace: Option<&TraceId>, entry: LedgerEntry, tokens: u8) -> LedgerPosting {
        LedgerPosting {
            day: self.today.day,
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
        OwnerSeed::from_day_seed("ledger").trace_id(n)
    }

    fn day(d: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 11, d).unwrap()
    }

    #[test]
    fn a_refund_buys_another_surface_and_never_exceeds_the_ceiling() {
        let mut ledger = AttentionLedger::new(day(3), 1);
        assert!(ledger.reserve(&trace(1)).is_some());
        assert!(ledger.reserve(&trace(2)).is_none(), "no free token");
        assert!(ledger.refund(&trace(1)).is_none(), "not settled yet");
        assert!(!ledger.is_refunded(&trace(1)));
        assert!(ledger.settle(&trace(1)).is_some());
        assert!(ledger.settle(&trace(1)).is_none(), "only the first Shown settles");
        assert_eq!(ledger.free(), 0);
        assert!(ledger.refund(&trace(1)).is_some());
        assert!(ledger.refund(&trace(1)).is_none(), "once");
        assert!(ledger.is_refunded(&trace(1)) && !ledger.is_refunded(&trace(2)));
        assert_eq!(ledger.free(), 1);
        assert!(ledger.reserve(&trace(2)).is_some());
    }

    #[test]
    fn a_reservation_belongs_to_the_day_it_was_made_on() {
        let mut ledger = AttentionLedger::new(day(3), 3);
        ledger.reserve(&trace(1));
        ledger.roll_over_to(day(4));
        assert_eq!(ledger.free(), 3);
        let row = ledger.settle(&trace(1)).unwrap();
        assert_eq!(row.day, day(3));
        assert_eq!(ledger.view().settled, 0);
        assert!(ledger.refund(&trace(1)).is_none(), "not of this day");
    }

    #[test]
    fn lowering_the_ceiling_forfeits_now_and_raising_it_waits_for_midnight() {
        let mut ledger = AttentionLedger::new(day(3), 3);
        ledger.reserve(&trace(1));
        ledger.settle(&trace(1));
        let row = ledger.set_ceiling(1).unwrap();
        assert_eq!(
            (row.entry, row.tokens, ledger.free()),
            (LedgerEntry::Forfeit, 2, 0)
        );
        assert!(ledger.set_ceiling(5).is_none());
        assert_eq!(ledger.free(), 0);
        ledger.roll_over_to(day(4));
        assert_eq!(ledger.free(), 5);
        assert!(ledger.roll_over_to(day(3)).is_none(), "a day back is no new day");
    }

    /// Shows a card at once.
    fn spend(ledger: &mut AttentionLedger, n: u64) -> bool {
        ledger.reserve(&trace(n)).is_some() && ledger.settle(&trace(n)).is_some()
    }

    #[test]
    fn a_day_or_two_back_keeps_the_later_account() {
        for back in [1, 2] {
            let mut ledger = AttentionLedger::new(day(10), 3);
            assert!(spend(&mut ledger, 1));
            assert!(ledger.roll_over_to(day(10 - back)).is_none());
            assert_eq!((ledger.view().day, ledger.free()), (day(10), 2));
        }
    }

    #[test]
    fn a_clock_that_was_a_year_ahead_costs_no_year_of_tokens() {
        let ahead = NaiveDate::from_ymd_opt(2027, 11, 10).unwrap();
        // The clock was right, then a year ahead, where two cards were shown, then right again.
        let mut ledger = AttentionLedger::new(day(10), 3);
        ledger.roll_over_to(ahead);
        assert!(spend(&mut ledger, 1) && spend(&mut ledger, 2));
        let row = ledger.roll_over_to(day(10)).unwrap();
        // The tenth had three tokens; one was left ahead, so two are forfeited.
        assert_eq!(
            (row.entry, row.day, row.tokens),
            (LedgerEntry::Forfeit, day(10), 2)
        );
        assert_eq!((ledger.view().day, ledger.free()), (day(10), 1));
        // And the next day is a day like any other.
        let row = ledger.roll_over_to(day(11)).unwrap();
        assert_eq!(
            (row.entry, row.tokens, ledger.free()),
            (LedgerEntry::Ceiling, 3, 3)
        );
    }

    #[test]
    fn a_clock_that_was_ahead_from_the_start_gives_the_right_day_what_is_left() {
        let mut ledger = AttentionLedger::new(NaiveDate::from_ymd_opt(2027, 11, 10).unwrap(), 3);
        assert!(spend(&mut ledger, 1));
        let row = ledger.roll_over_to(day(10)).unwrap();
        assert_eq!(
            (row.entry, row.day, row.tokens),
            (LedgerEntry::Ceiling, day(10), 2)
        );
        assert_eq!(ledger.view().settled, 0);
        ledger.roll_over_to(day(11));
        assert_eq!((ledger.view().ceiling, ledger.free()), (3, 3));
    }

    #[test]
    fn nothing_is_gained_by_setting_the_clock_back_and_forth() {
        // The battery died: the clock says 1970, then is right again. What was spent stays spent.
        let epoch = NaiveDate::from_ymd_opt(1970, 1, 1).unwrap();
        let mut ledger = AttentionLedger::new(day(10), 2);
        assert!(spend(&mut ledger, 1) && spend(&mut ledger, 2));
        for _ in 0..3 {
            ledger.roll_over_to(epoch);
            assert_eq!((ledger.view().day, ledger.free()), (epoch, 0));
            assert!(ledger.roll_over_to(day(10)).is_none(), "the account as it was");
            assert_eq!(
                ledger.view(),
                LedgerView {
                    day: day(10),
                    ceiling: 2,
                    free: 0,
                    reserved: 0,
                    settled: 2,
                    refunded: 0
                }
            );
        }
        // Spent there, it is spent here.
        let mut ledger = AttentionLedger::new(day(10), 2);
        ledger.roll_over_to(epoch);
        assert!(spend(&mut ledger, 1));
        let row = ledger.roll_over_to(day(10)).unwrap();
        assert_eq!(
            (row.entry, row.tokens, ledger.free()),
            (LedgerEntry::Forfeit, 1, 1)
        );
        ledger.roll_over_to(day(11));
        assert_eq!(ledger.free(), 2);
    }
}
