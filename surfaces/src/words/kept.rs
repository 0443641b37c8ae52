//! Words about what memory keeps of money and body.

use crate::format;

/// No payment of the week is known, and none is kept.
pub const NO_PAYMENT_KNOWN: &str = "Nothing is known of what was spent in these seven days.";
/// Payments are kept, but none of this week.
pub const NO_PAYMENT_THIS_WEEK: &str = "No payment in these seven days.";
/// Payments are kept, but none went out today.
pub const NOTHING_SPENT: &str = "nothing";

fn count(n: u64, one: &str, many: &str) -> String {
    format::count(u32::try_from(n).unwrap_or(u32::MAX), one, many)
}

/// How many payments are kept, and the day of the newest.
pub fn payments_kept(all: u64, newest: &str) -> String {
    format!(
        "{}, the newest of {newest}.",
        count(all, "payment is kept", "payments are kept")
    )
}

/// The week's sum, in how many payments, and its most expensive day.
pub fn spent_in_week(total: &str, payments: usize, most: &str) -> String {
    let payments = count(payments as u64, "payment", "payments");
    format!("You spent {total} in seven days, in {payments}. The most on one day was {most}.")
}

/// Payments that the sums leave out because they are in another currency.
pub fn payments_in_other_currencies(n: usize) -> String {
    let left_out = count(n as u64, "payment", "payments");
    format!("Not in these sums: {left_out} in other currencies.")
}

/// Payments that the sums leave out because nobody knows which way the money went.
pub fn payments_without_direction(n: usize) -> String {
    let left_out = count(n as u64, "payment that does", "payments that do");
    format!("Not in these sums: {left_out} not say whether money went out or came in.")
}

/// How many days are kept, and the newest of them.
pub fn body_days_kept(all: u64, newest: &str) -> String {
    format!(
        "{}, the newest of {newest}.",
        count(all, "day is kept", "days are kept")
    )
}

/// Where a figure of memory is from: the median of a day.
pub fn median_of(day: &str) -> String {
    format!("the median of {day}")
}

/// Where a figure of memory is from: the sleep that ended on a day.
pub fn night_before(day: &str) -> String {
    format!("the night before {day}")
}

/// Title, and where it is linked.
pub const BODY_DAYS: &str = "Sleep and heart over the months";
/// How many days are looked at.
pub const BODY_DAYS_WHICH: &str = "How many days";
/// Heading of a picture.
pub const HEART_RATE_VARIABILITY: &str = "Heart-rate variability";
/// Heading of a picture.
pub const SLEEP: &str = "Sleep";
/// Nothing was measured in the days that are looked at.
pub const NOT_MEASURED_THEN: &str = "Nothing was measured on these days.";

/// A number of days, as a link.
pub fn days(n: u64) -> String {
    count(n, "day", "days")
}

/// On how many of the days there is a value.
pub fn measured_on_days(measured: usize, of: usize) -> String {
    format!("Known of {measured} of {}.", days(of as u64))
}

/// The value in the middle, and the extremes.
pub fn middle_of_days(middle: &str, least: &str, most: &str) -> String {
    format!("In the middle {middle}; least {least}, most {most}.")
}

/// What is usual for the owner.
pub fn usual_for_you(low: &str, high: &str) -> String {
    format!("Usual for you is {low} to {high}.")
}

/// How what is usual comes about.
pub const BASELINE_SAYS: &str = "Usual is the middle of your last 90 days, give or take what two days in three stay within. I need 14 days for it.";
/// The way to what drove the load score.
pub const WHAT_DROVE_LOAD: &str = "What drives the load score now";
/// The load of a day.
pub const LOAD_SCORE: &str = "Load";

/// Signs of a day that lie outside of what is usual, two at least.
pub fn out_of_range(day: &str, signs: &[&str]) -> String {
    let named = match signs {
        [first, second] => format!("{first} and {second}"),
        _ => signs.join(", "),
    };
    format!("Not as usual on {day}: {named}.")
}
/// Signs of the body, below and above what is usual.
pub const LOW_VARIABILITY: &str = "low heart-rate variability";
pub const HIGH_VARIABILITY: &str = "high heart-rate variability";
pub const SHORT_SLEEP: &str = "short sleep";
pub const LONG_SLEEP: &str = "long sleep";
pub const LOW_LOAD: &str = "low load";
pub const HIGH_LOAD: &str = "high load";

/// Heading of the form that marks a day.
pub const MARK_A_DAY: &str = "A day that was not as usual";
/// What marking does.
pub const MARK_A_DAY_SAYS: &str = "A day that you mark does not count in what is usual for you.";
/// Fields of that form.
pub const MARK_DAY: &str = "Day";
pub const MARK_WHY: &str = "It was";
/// Its button.
pub const MARK_THE_DAY: &str = "Mark this day";
/// Takes a mark away.
pub const AS_USUAL: &str = "a day as usual";

/// What a day was marked as.
pub fn day_tag(tag: &str) -> &str {
    match tag {
        "travel" => "on the road",
        "other" => "not as usual",
        tag => tag,
    }
}

/// A day was marked, or its mark taken away.
pub fn day_marked(day: &str, tag: Option<&str>) -> String {
    tag.map_or_else(
        || format!("{day} counts as usual."),
        |tag| format!("{day} is marked: {}.", day_tag(tag)),
    )
}
