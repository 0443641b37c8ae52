//! The account of one day's attention.
//!
//! What: [`account`], what the rows make, and [`free_after`], how it stood after each. Why: the command line and the operator's console add
//! up alike. Not here: the rules of the account (`orchestrator_machine::ledger`), the rows (`aura_memory`).

use aura_memory::LedgerRow;
use chrono::NaiveDate;
use toolcall_schema::{ledger::LedgerEntry, trace::LedgerView};

/// How many tokens were free after each row.
pub(crate) fn free_after(day: NaiveDate, ceiling: u8, rows: &[LedgerRow]) -> impl Iterator<Item = u8> {
    (1..=rows.len()).map(move |n| account(day, ceiling, rows.get(..n).unwrap_or(rows)).free)
}

/// The account that the rows make. A card may be shown after its trace was written, so the traces alone would not do.
pub fn account(day: NaiveDate, ceiling: u8, rows: &[LedgerRow]) -> LedgerView {
    let sum = |entry| {
        let of_entry = rows.iter().filter(|row| row.entry == entry);
        of_entry.fold(0_u8, |sum, row| sum.saturating_add(row.tokens))
    };
    let (settled, refunded) = (sum(LedgerEntry::Settle), sum(LedgerEntry::Refund));
    let ended = settled.saturating_add(sum(LedgerEntry::Release));
    let reserved = sum(LedgerEntry::Reserve).saturating_sub(ended);
    let free = ceiling
        .saturating_add(refunded)
        .saturating_sub(settled)
        .saturating_sub(reserved)
        .min(ceiling);
    LedgerView {
        day,
        ceiling,
        free,
        reserved,
        settled,
        refunded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_account_is_what_its_rows_make() {
        use LedgerEntry::{Ceiling, Forfeit, Refund, Release, Reserve, Settle};
        let day = NaiveDate::from_ymd_opt(2026, 11, 3).unwrap();
        // (ceiling, rows, free, reserved, settled, refunded), free = ceiling + refunded − settled − reserved.
        for (ceiling, entries, wanted) in [
            (3, vec![], (3, 0, 0, 0)),
            (3, vec![Ceiling, Reserve], (2, 1, 0, 0)),
            (3, vec![Reserve, Settle, Reserve], (1, 1, 1, 0)),
            (3, vec![Reserve, Release], (3, 0, 0, 0)),
            (3, vec![Reserve, Settle, Refund], (3, 0, 1, 1)),
            (1, vec![Reserve, Settle, Forfeit], (0, 0, 1, 0)),
        ] {
            let rows: Vec<LedgerRow> = (1..)
                .zip(&entries)
                .map(|(seq, entry)| LedgerRow {
                    seq,
                    day,
                    trace_id: None,
                    entry: *entry,
                    tokens: 1,
                    at_ms: 0,
                })
                .collect();
            let (free, reserved, settled, refunded) = wanted;
            let expected = LedgerView {
                day,
                ceiling,
                free,
                reserved,
                settled,
                refunded,
            };
            assert_eq!(account(day, ceiling, &rows), expected, "{entries:?}");
        }
    }
}
