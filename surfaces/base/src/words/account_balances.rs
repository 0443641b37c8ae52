//! What is said of balances that statements and banks told.
//!
//! What: the heading and the rows of accounts on *Safe to spend*. Why: a figure that the owner did not type says whose word it is. Not here: the rest of
//! that page (`ahead`).

use crate::language::{Text, say};

/// Above the accounts.
pub const ACCOUNT_BALANCES: Text = Text("account-balances-title");

/// What the figure in all accounts is made of.
pub fn statement_balances_since(told: &str, day: &str) -> String {
    say!("account-balances-since", told, day)
}

/// A figure that cannot be counted on from.
pub fn balance_on(day: &str) -> String {
    say!("account-balances-on", day)
}
