//! The balances beside the payments of a CSV export.
//!
//! What: [`BalanceTrail`], which checks that from row to row the balance changes by the amount, and then tells the newest. Why: a balance that
//! does not add up is of a sorted, cut or mixed file. Not here: reading the cells (`csv`).

use super::{KnownBalance, StatementItem};
use crate::code;
use agents_base::shared::SkipCode;
use rust_decimal::Decimal;
use std::collections::BTreeMap;

/// Accounts of one file.
const MAX_ACCOUNTS: usize = 64;

/// The balances of each account and currency, row by row.
#[derive(Debug, Default)]
pub(super) struct BalanceTrail(BTreeMap<(String, String), AccountTrail>);

#[derive(Debug)]
struct AccountTrail {
    first: KnownBalance,
    last: KnownBalance,
    /// What the last row changed.
    change: Decimal,
    /// Pairs of rows, and those that add up with the older or the newer row first.
    pairs: u64,
    older_first: u64,
    newer_first: u64,
}

/// So many pairs that add up say how the file is written.
const ENOUGH_PAIRS: u64 = 3;

impl BalanceTrail {
    /// Whether from this row on the amount stands where the balance stood: all rows before added up, and this one does when both are exchanged.
    pub(super) fn is_exchanged(&self, change: Decimal, known: &KnownBalance) -> bool {
        let account = (known.account_last4.clone(), known.currency.clone());
        let Some(trail) = self.0.get(&account).filter(|trail| trail.pairs >= ENOUGH_PAIRS) else {
            return false;
        };
        let held = known.amount;
        let older = |change: Decimal, held: Decimal| trail.last.amount + change == held;
        let newer = |held: Decimal| held + trail.change == trail.last.amount;
        if trail.older_first == trail.pairs {
            !older(change, held) && older(held, change)
        } else {
            trail.newer_first == trail.pairs && !newer(held) && newer(change)
        }
    }

    /// The next row: what it changes, and what there is after it.
    pub(super) fn enter(&mut self, change: Decimal, known: KnownBalance) {
        let account = (known.account_last4.clone(), known.currency.clone());
        let accounts = self.0.len();
        match self.0.get_mut(&account) {
            Some(trail) => {
                trail.pairs += 1;
                trail.older_first += u64::from(trail.last.amount + change == known.amount);
                trail.newer_first += u64::from(known.amount + trail.change == trail.last.amount);
                trail.change = change;
                trail.last = known;
            }
            None if accounts < MAX_ACCOUNTS => {
                let trail = AccountTrail {
                    first: known.clone(),
                    last: known,
                    change,
                    pairs: 0,
                    older_first: 0,
                    newer_first: 0,
                };
                self.0.insert(account, trail);
            }
            None => {}
        }
    }

    /// The newest balance of each account; the code where nine in ten pairs do not add up.
    pub(super) fn into_items(self) -> Vec<Result<StatementItem, SkipCode>> {
        let newest = |trail: AccountTrail| {
            let adds_up = |pairs: u64| pairs * 10 >= trail.pairs * 9;
            if adds_up(trail.older_first) {
                Ok(StatementItem::Balance(trail.last))
            } else if adds_up(trail.newer_first) {
                Ok(StatementItem::Balance(trail.first))
            } else {
                Err(code::BALANCES)
            }
        };
        self.0.into_values().map(newest).collect()
    }
}
