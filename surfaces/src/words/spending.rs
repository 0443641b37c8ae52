//! What is said of what was spent.
//!
//! What: headings and sentences of the page Spending. Why: one place, ready for another language. Not here: sums and order
//! (`render::section::spending`).

use crate::format;

/// Title, and where it is linked.
pub const SPENDING: &str = "Spending";
/// What came in.
pub const CAME_IN: &str = "Came in";
/// What it was for.
pub const BY_CATEGORY: &str = "What for";
/// To whom it went.
pub const BY_MERCHANT: &str = "Where";
/// From which account.
pub const BY_ACCOUNT: &str = "From which account";
/// Each payment.
pub const EACH_PAYMENT: &str = "Each payment";
/// Shops beyond those that are named.
pub const OTHER_MERCHANTS: &str = "all others";
/// A shop whose name is not known now.
pub const UNNAMED_MERCHANT: &str = "a shop that I cannot name now";
/// A payment that says no account.
pub const NO_ACCOUNT: &str = "an account that was not named";
/// Nothing was paid in the time that is looked at.
pub const NO_PAYMENT_THEN: &str = "I know of no payment in this time.";
/// What the sums are of.
pub const SPENDING_SAYS: &str =
    "Sums of the payments that I keep. Money between your own accounts is not among them.";
/// Money in, among payments.
pub const MONEY_IN: &str = "came in";
/// A direction that is not known.
pub const NO_DIRECTION: &str = "in or out is not known";

/// Heading of the bars.
pub const SPENT_EACH_DAY: &str = "Each day";

/// What the bars show.
pub fn spent_in_days(total: &str, payments: usize, most: &str) -> String {
    format!(
        "{total} in {}; {most} on the day of most.",
        self::payments(payments)
    )
}

/// An account by what is known of its number.
pub fn account(last4: &str) -> String {
    format!("account …{last4}")
}

/// What was spent in the time before, under its name.
pub fn spent_before(sum: &str, when: &str) -> String {
    format!("{sum} in the time before, {when}.")
}

/// How many payments a sum holds.
pub fn payments(count: usize) -> String {
    format::count(u32::try_from(count).unwrap_or(u32::MAX), "payment", "payments")
}

/// Payments that no sum holds.
pub fn payments_left_out(count: usize) -> String {
    format!(
        "{} left out: whether it came in or went out is not known.",
        payments(count)
    )
}

/// More payments than are listed.
pub fn more_payments(count: usize) -> String {
    format!("and {} more", payments(count))
}

/// Heading of what went from one own account to another.
pub const BETWEEN_ACCOUNTS: &str = "Between your accounts";
/// The way to where own accounts are named.
pub const NAME_YOUR_ACCOUNTS: &str = "Name your accounts";

/// From which own account to which.
pub fn from_account_to(out: &str, into: &str) -> String {
    format!("{} to {}", account(out), account(into))
}

/// More transfers than are listed.
pub fn more_transfers(count: usize) -> String {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    format!("and {} more", format::count(count, "transfer", "transfers"))
}

/// Payments that may be transfers between own accounts, and between which the newest was.
pub fn likely_transfers(count: usize, out: &str, into: &str) -> String {
    let between = format!("{} and {}", account(out), account(into));
    if count == 1 {
        return format!(
            "One payment looks like money between {between}. It is in the sums until I know that both are yours."
        );
    }
    format!(
        "{count} payments look like money between your accounts, such as {between}. They are in the sums until I know which accounts are yours."
    )
}
