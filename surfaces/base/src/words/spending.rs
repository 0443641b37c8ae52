//! What is said of what was spent.
//!
//! What: headings and sentences of the page Spending. Why: one place, ready for another language. Not here: sums and order
//! (`render::section::spending`).

use crate::language::{Text, say};

/// Title, and where it is linked.
pub const SPENDING: Text = Text("spending-spending");
/// What came in.
pub const CAME_IN: Text = Text("spending-came-in");
/// What it was for.
pub const BY_CATEGORY: Text = Text("spending-by-category");
/// To whom it went.
pub const BY_MERCHANT: Text = Text("spending-by-merchant");
/// From which account.
pub const BY_ACCOUNT: Text = Text("spending-by-account");
/// Each payment.
pub const EACH_PAYMENT: Text = Text("spending-each-payment");
/// Shops beyond those that are named.
pub const OTHER_MERCHANTS: Text = Text("spending-other-merchants");
/// A shop whose name is not known now.
pub const UNNAMED_MERCHANT: Text = Text("spending-unnamed-merchant");
/// A payment that says no account.
pub const NO_ACCOUNT: Text = Text("spending-no-account");
/// Nothing was paid in the time that is looked at.
pub const NO_PAYMENT_THEN: Text = Text("spending-no-payment-then");
/// Why there may be payments that are not known.
pub fn older_than_read(days: u64) -> String {
    say!("spending-older-than-read", days)
}

/// What the sums are of.
pub const SPENDING_SAYS: Text = Text("spending-spending-says");
/// Money in, among payments.
pub const MONEY_IN: Text = Text("spending-money-in");
/// A direction that is not known.
pub const NO_DIRECTION: Text = Text("spending-no-direction");

/// Heading of the bars.
pub const SPENT_EACH_DAY: Text = Text("spending-spent-each-day");

/// What the bars show.
pub fn spent_in_days(total: &str, payments: usize, most: &str) -> String {
    say!(
        "spending-spent-in-days",
        total,
        payments = self::payments(payments),
        most
    )
}

/// An account by what is known of its number.
pub fn account(last4: &str) -> String {
    say!("spending-account", last4)
}

/// What was spent in the time before, under its name. `by_now`: up to the day that corresponds to today.
pub fn spent_before(sum: &str, by_now: Option<&str>, when: &str) -> String {
    match by_now {
        Some(part) => say!("spending-spent-before-by-now", part, sum, when),
        None => say!("spending-spent-before", sum, when),
    }
}

/// How many payments a sum holds.
pub fn payments(count: usize) -> String {
    say!(
        "spending-count-payments",
        count = u32::try_from(count).unwrap_or(u32::MAX)
    )
}

/// Payments that no sum holds.
pub fn payments_left_out(count: usize) -> String {
    say!("spending-payments-left-out", payments = payments(count))
}

/// More payments than are listed.
pub fn more_payments(count: usize) -> String {
    say!("spending-more-payments", payments = payments(count))
}

/// Heading of what went from one own account to another.
pub const BETWEEN_ACCOUNTS: Text = Text("spending-between-accounts");
/// The way to where own accounts are named.
pub const NAME_YOUR_ACCOUNTS: Text = Text("spending-name-your-accounts");

/// From which own account to which.
pub fn from_account_to(out: &str, into: &str) -> String {
    say!(
        "spending-from-account-to",
        account = account(out),
        account2 = account(into)
    )
}

/// More transfers than are listed.
pub fn more_transfers(count: usize) -> String {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    say!(
        "spending-more-transfers-and-more",
        count = say!("spending-count-transfers", count = count)
    )
}

/// Payments that may be transfers between own accounts, and between which the newest was.
pub fn likely_transfers(count: usize, out: &str, into: &str) -> String {
    let between = say!(
        "spending-likely-transfers-and",
        account = account(out),
        account2 = account(into)
    );
    if count == 1 {
        return say!("spending-likely-transfers-one-payment-looks", between);
    }
    say!("spending-likely-transfers-payments-look-like", count, between)
}
