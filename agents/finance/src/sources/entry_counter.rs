//! Which of several equal entries of a day one is.
//!
//! What: [`EntryCounter`]. Why: two equal coffees in one statement are two payments, and the same statement read again tells of the
//! same two. Not here: one payment in two statements (`matching`).

use super::{FoundPayment, PaymentOrdinal};
use agents_base::zone;
use chrono::NaiveDate;
use chrono_tz::Tz;
use rust_decimal::Decimal;
use std::collections::BTreeMap;
use toolcall_schema::signal::Direction;

/// Different entries that are remembered; beyond it only those of the present day.
const MAX: usize = 65_536;

type EntryKey = (NaiveDate, Decimal, &'static str, String, String, String);

/// Counts equal entries of one file.
#[derive(Debug, Default)]
pub(super) struct EntryCounter(BTreeMap<EntryKey, u32>);

impl EntryCounter {
    /// The entry with its number among those that equal it. One that the bank numbered keeps the bank's.
    pub(super) fn numbered(&mut self, mut found: FoundPayment, zone: Tz) -> FoundPayment {
        if let PaymentOrdinal::Id(..) = found.which {
            return found;
        }
        let day = zone::local_date(found.ts, zone);
        if self.0.len() >= MAX {
            self.0.retain(|(on, ..), _| *on == day);
        }
        let direction: Direction = found.direction;
        let entry = (
            day,
            found.amount,
            direction.as_str(),
            found.currency.clone(),
            found.account_last4.clone(),
            format!(
                "{}|{}",
                &*found.merchant,
                found.reference.as_deref().unwrap_or_default()
            ),
        );
        let count = self.0.entry(entry).or_default();
        found.which = PaymentOrdinal::Nth(*count);
        *count = count.saturating_add(1);
        found
    }
}
