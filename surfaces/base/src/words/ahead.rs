//! What is said of money that is still to come and to go.
//!
//! What: headings and sentences of the page *Safe to spend*. Why: one place, ready for another language. Not here: sums (`render::section::safe_to_spend`).

use crate::language::{Text, say, text};

/// Title, and where it is linked.
pub const AHEAD: Text = Text("ahead-ahead");
/// What there is.
pub const BALANCE_NOW: Text = Text("ahead-balance-now");
/// What is expected to go out.
pub const EXPECTED_BEFORE: Text = Text("ahead-expected-before");
/// What budgets keep.
pub const SET_ASIDE: Text = Text("ahead-set-aside");
/// What is left.
pub const LEFT_OVER: Text = Text("ahead-left-over");
/// Above the payments that are expected.
pub const EXPECTED_LIST: Text = Text("ahead-expected-list");
/// How the last line comes about.
pub const SAFE_IS: Text = Text("ahead-safe-is");
/// What budgets keep, said below it.
pub const SET_ASIDE_MEANS: Text = Text("ahead-set-aside-means");
/// Heading of the budgets, before the month.
pub const BUDGETS: Text = Text("ahead-budgets");
/// The way to where budgets are set.
pub const SET_BUDGETS: Text = Text("ahead-set-budgets");
/// No budget is set.
pub const NO_BUDGETS: Text = Text("ahead-no-budgets");
/// Heading of what comes again.
pub const COMES_AGAIN: Text = Text("ahead-comes-again");
/// What goes out.
pub const GOES_OUT: Text = Text("ahead-goes-out");
/// What comes in.
pub const CAME_IN_AGAIN: Text = Text("ahead-came-in-again");
/// Nothing comes again.
pub const NOTHING_COMES_AGAIN: Text = Text("ahead-nothing-comes-again");
/// Where what is unusual stands.
pub const SEE_UNUSUAL: Text = Text("ahead-see-unusual");
/// Where payments are confirmed.
pub const SEE_QUESTIONS: Text = Text("ahead-see-questions");
/// Where the month's end stands.
pub const SEE_MONTHS_END: Text = Text("ahead-see-months-end");

/// How long it has to last.
pub fn until_income(day: &str, from: &str) -> String {
    say!("ahead-until-income", day, from)
}

/// What is due on the day of the next income itself.
pub fn due_with_income(day: &str, named: &str, more: usize) -> String {
    let named = if more == 0 {
        named.to_owned()
    } else {
        format!("{named} {}", more_that_come_again(more))
    };
    say!("ahead-due-with-income", day, named)
}

/// The same a day.
pub fn each_day_until(sum: &str) -> String {
    say!("ahead-each-day-until", sum)
}

/// More is expected than there is.
pub fn short_of(sum: &str) -> String {
    say!("ahead-short-of", sum)
}

/// What the balance is made of.
pub fn balance_since(told: &str, day: &str) -> String {
    say!("ahead-balance-since", told, day)
}

/// Payments that the balance does not hold.
pub fn balance_without(count: usize) -> String {
    say!("ahead-balance-without", payments = super::payments(count))
}

/// No balance was told.
pub const NO_BALANCE: Text = Text("ahead-no-balance");
/// It is of a time whose payments are not at hand.
pub const BALANCE_TOO_OLD: Text = Text("ahead-balance-too-old");
/// Nothing comes in again and again.
pub const NO_INCOME: Text = Text("ahead-no-income");
/// Numbers that cannot be added up.
pub const SUMS_TOO_LARGE: Text = Text("ahead-sums-too-large");
/// The way to where the balance is told.
pub const ADD_BALANCE: Text = Text("ahead-add-balance");
/// The way to where it is told anew.
pub const CHANGE_BALANCE: Text = Text("ahead-change-balance");

/// What is left of a budget.
pub fn left_of(left: &str, amount: &str) -> String {
    say!("ahead-left-of", left, amount)
}

/// How far a budget was passed.
pub fn over_budget(over: &str, amount: &str) -> String {
    say!("ahead-over-budget", over, amount)
}

/// What was spent of a budget, and what could not be counted.
pub fn budget_spent(spent: &str, foreign: usize) -> String {
    if foreign == 0 {
        return say!("ahead-budget-spent-spent-this-month", spent);
    }
    say!(
        "ahead-budget-spent-spent-this-month-2",
        spent,
        payments = super::payments(foreign)
    )
}

/// How often something comes.
pub const EVERY_WEEK: Text = Text("ahead-every-week");
pub const EVERY_MONTH: Text = Text("ahead-every-month");
pub const EVERY_QUARTER: Text = Text("ahead-every-quarter");
pub const EVERY_YEAR: Text = Text("ahead-every-year");

/// When it comes, and when it came.
pub fn next_and_last(next: &str, last: &str) -> String {
    say!("ahead-next-and-last", next, last)
}

/// It did not come.
pub fn late_by(days: i64) -> String {
    let days = u32::try_from(days).unwrap_or(u32::MAX);
    say!(
        "ahead-late-by-late",
        count = say!("ahead-count-days", count = days)
    )
}

/// It cost something else before.
pub fn changed_from(was: &str) -> String {
    say!("ahead-changed-from", was)
}

/// How many payments are expected.
pub fn expected_count(count: usize) -> String {
    match count {
        0 => text("ahead-expected-count-nothing-that-comes").to_owned(),
        1 => text("ahead-expected-count-one-payment-that").to_owned(),
        _ => say!(
            "ahead-expected-count-that-come-again",
            payments = super::payments(count)
        ),
    }
}

/// More than are listed.
pub fn more_that_come_again(count: usize) -> String {
    say!("ahead-more-that-come-again", count)
}
