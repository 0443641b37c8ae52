//! What is said of money that is still to come and to go.
//!
//! What: headings and sentences of the page *Safe to spend*. Why: one place, ready for another language. Not here: sums (`render::section::safe_to_spend`).

use crate::format;

/// Title, and where it is linked.
pub const AHEAD: &str = "Safe to spend";
/// What there is.
pub const BALANCE_NOW: &str = "In your accounts";
/// What is expected to go out.
pub const EXPECTED_BEFORE: &str = "Expected before then";
/// What budgets keep.
pub const SET_ASIDE: &str = "Set aside for your budgets";
/// What is left.
pub const LEFT_OVER: &str = "Safe to spend";
/// Above the payments that are expected.
pub const EXPECTED_LIST: &str = "What is expected before then";
/// How the last line comes about.
pub const SAFE_IS: &str = "What you have, without what is expected and what is set aside.";
/// What budgets keep, said below it.
pub const SET_ASIDE_MEANS: &str =
    "What is left of this month's budgets, without the expected payments that belong to them.";
/// Heading of the budgets, before the month.
pub const BUDGETS: &str = "Budgets";
/// The way to where budgets are set.
pub const SET_BUDGETS: &str = "Set budgets";
/// No budget is set.
pub const NO_BUDGETS: &str =
    "You have set no budget. I can show what is left of one, for each thing you spend on.";
/// Heading of what comes again.
pub const COMES_AGAIN: &str = "What comes again";
/// What goes out.
pub const GOES_OUT: &str = "Goes out";
/// What comes in.
pub const CAME_IN_AGAIN: &str = "Comes in";
/// Nothing comes again.
pub const NOTHING_COMES_AGAIN: &str = "I know of nothing that comes again. I need three payments to the same place, a week, a month or a quarter apart, or two a year apart.";
/// Where what is unusual stands.
pub const SEE_UNUSUAL: &str = "What was unusual";
/// Where payments are confirmed.
pub const SEE_QUESTIONS: &str = "Messages about money that I could not read";
/// Where the month's end stands.
pub const SEE_MONTHS_END: &str = "Where the month ends";

/// How long it has to last.
pub fn until_income(day: &str, from: &str) -> String {
    format!("until {day}, when {from} is due")
}

/// The same a day.
pub fn each_day_until(sum: &str) -> String {
    format!("{sum} a day.")
}

/// More is expected than there is.
pub fn short_of(sum: &str) -> String {
    format!("You are {sum} short.")
}

/// What the balance is made of.
pub fn balance_since(told: &str, day: &str) -> String {
    format!("{told} on {day}, with all that came in and went out since.")
}

/// Payments that the balance does not hold.
pub fn balance_without(count: usize) -> String {
    format!(
        "{} left out: whether it came in or went out is not known.",
        super::payments(count)
    )
}

/// No balance was told.
pub const NO_BALANCE: &str = "Tell me your balance and I can show what is safe to spend.";
/// It is of a time whose payments are not at hand.
pub const BALANCE_TOO_OLD: &str = "The balance you told me is too old, or of a time to come. Tell me what you have today and I can show what is safe to spend.";
/// Numbers that cannot be added up.
pub const SUMS_TOO_LARGE: &str = "The figures are too large to add up. Look at the balance you told me.";
/// The way to where the balance is told.
pub const ADD_BALANCE: &str = "Add balance";
/// The way to where it is told anew.
pub const CHANGE_BALANCE: &str = "Change balance";

/// What is left of a budget.
pub fn left_of(left: &str, amount: &str) -> String {
    format!("{left} left of {amount}")
}

/// How far a budget was passed.
pub fn over_budget(over: &str, amount: &str) -> String {
    format!("{over} over {amount}")
}

/// What was spent of a budget, and what could not be counted.
pub fn budget_spent(spent: &str, foreign: usize) -> String {
    if foreign == 0 {
        return format!("{spent} spent this month.");
    }
    format!(
        "{spent} spent this month, without {} in another currency.",
        super::payments(foreign)
    )
}

/// How often something comes.
pub const EVERY_WEEK: &str = "every week";
pub const EVERY_MONTH: &str = "every month";
pub const EVERY_QUARTER: &str = "every quarter";
pub const EVERY_YEAR: &str = "every year";

/// When it comes, and when it came.
pub fn next_and_last(next: &str, last: &str) -> String {
    format!("next {next}, last {last}")
}

/// It did not come.
pub fn late_by(days: i64) -> String {
    let days = u32::try_from(days).unwrap_or(u32::MAX);
    format!("{} late", format::count(days, "day", "days"))
}

/// It cost something else before.
pub fn changed_from(was: &str) -> String {
    format!("{was} before")
}

/// How many payments are expected.
pub fn expected_count(count: usize) -> String {
    match count {
        0 => "Nothing that comes again is due before then.".to_owned(),
        1 => "One payment that comes again.".to_owned(),
        _ => format!("{} that come again.", super::payments(count)),
    }
}

/// More than are listed.
pub fn more_that_come_again(count: usize) -> String {
    format!("and {count} more")
}
