//! Words about what memory keeps of money and body.

use crate::language::{Text, say, text};

/// No payment of the week is known, and none is kept.
pub const NO_PAYMENT_KNOWN: Text = Text("kept-no-payment-known");
/// Payments are kept, but none of this week.
pub const NO_PAYMENT_THIS_WEEK: Text = Text("kept-no-payment-this-week");
/// Payments are kept, but none went out today.
pub const NOTHING_SPENT: Text = Text("kept-nothing-spent");

/// How many payments are kept, and the day of the newest.
pub fn payments_kept(all: u64, newest: &str) -> String {
    say!(
        "kept-payments-kept-the-newest-of",
        count = say!("kept-count-payments-are", count = all),
        newest
    )
}

/// The week's sum, in how many payments, and its most expensive day.
pub fn spent_in_week(total: &str, payments: usize, most: &str) -> String {
    let payments = say!("kept-count-payments", count = payments as u64);
    say!("kept-spent-in-week-you-spent-in", total, payments, most)
}

/// Payments that the sums leave out because they are in another currency.
pub fn payments_in_other_currencies(n: usize) -> String {
    let left_out = say!("kept-count-payments", count = n as u64);
    say!("kept-payments-in-other-currencies-not-in-these", left_out)
}

/// Payments that the sums leave out because nobody knows which way the money went.
pub fn payments_without_direction(n: usize) -> String {
    let left_out = say!("kept-count-payments-that", count = n as u64);
    say!("kept-payments-without-direction-not-in-these", left_out)
}

/// How many days are kept, and the newest of them.
pub fn body_days_kept(all: u64, newest: &str) -> String {
    say!(
        "kept-body-days-kept-the-newest-of",
        count = say!("kept-count-days-are", count = all),
        newest
    )
}

/// Where a figure of memory is from: the median of a day.
pub fn median_of(day: &str) -> String {
    say!("kept-median-of", day)
}

/// Where a figure of memory is from: the sleep that ended on a day.
pub fn night_before(day: &str) -> String {
    say!("kept-night-before", day)
}

/// Title, and where it is linked.
pub const BODY_DAYS: Text = Text("kept-body-days");
/// How many days are looked at.
pub const BODY_DAYS_WHICH: Text = Text("kept-body-days-which");
/// Heading of a picture.
pub const HEART_RATE_VARIABILITY: Text = Text("kept-heart-rate-variability");
/// Heading of a picture, and name of a figure.
pub const RESTING_HEART_RATE: Text = Text("kept-resting-heart-rate");
/// What it is in.
pub const BEATS_A_MINUTE: Text = Text("kept-beats-a-minute");

/// A heart rate.
pub fn beats(number: &str) -> String {
    say!("kept-beats", number)
}

/// Heading of a picture.
pub const SLEEP: Text = Text("kept-sleep");
/// Nothing was measured in the days that are looked at.
pub const NOT_MEASURED_THEN: Text = Text("kept-not-measured-then");

/// A number of days, as a link.
pub fn days(n: u64) -> String {
    say!("kept-count-days", count = n)
}

/// On how many of the days there is a value.
pub fn measured_on_days(measured: usize, of: usize) -> String {
    say!("kept-measured-on-days", measured, days = days(of as u64))
}

/// The one value that there is.
pub fn only_value(value: &str) -> String {
    say!("kept-only-value", value)
}

/// The value in the middle, and the extremes.
pub fn middle_of_days(middle: &str, least: &str, most: &str) -> String {
    say!("kept-middle-of-days", middle, least, most)
}

/// What is usual for the owner.
pub fn usual_for_you(low: &str, high: &str) -> String {
    say!("kept-usual-for-you", low, high)
}

/// How what is usual comes about.
pub const BASELINE_SAYS: Text = Text("kept-baseline-says");
/// Heading of measurements that are left out, and why they are.
pub const NOT_BELIEVABLE: Text = Text("kept-not-believable");
pub const NOT_BELIEVABLE_SAYS: Text = Text("kept-not-believable-says");
/// The way to what drove the load score.
pub const WHAT_DROVE_LOAD: Text = Text("kept-what-drove-load");
/// The load of a day.
pub const LOAD_SCORE: Text = Text("kept-load-score");

/// Signs of a day that lie outside of what is usual, two at least.
pub fn out_of_range(day: &str, signs: &[&str]) -> String {
    let named = match signs {
        [first, second] => say!("kept-out-of-range-and", first, second),
        _ => signs.join(", "),
    };
    say!("kept-out-of-range-not-as-usual", day, named)
}
/// Signs of the body, below and above what is usual.
pub const LOW_VARIABILITY: Text = Text("kept-low-variability");
pub const HIGH_VARIABILITY: Text = Text("kept-high-variability");
pub const LOW_RESTING_RATE: Text = Text("kept-low-resting-rate");
pub const HIGH_RESTING_RATE: Text = Text("kept-high-resting-rate");
pub const SHORT_SLEEP: Text = Text("kept-short-sleep");
pub const LONG_SLEEP: Text = Text("kept-long-sleep");
pub const LOW_LOAD: Text = Text("kept-low-load");
pub const HIGH_LOAD: Text = Text("kept-high-load");

/// Heading of the form that marks a day.
pub const MARK_A_DAY: Text = Text("kept-mark-a-day");
/// What marking does.
pub const MARK_A_DAY_SAYS: Text = Text("kept-mark-a-day-says");
/// Fields of that form.
pub const MARK_DAY: Text = Text("kept-mark-day");
pub const MARK_WHY: Text = Text("kept-mark-why");
/// Its button.
pub const MARK_THE_DAY: Text = Text("kept-mark-the-day");
/// Takes a mark away.
pub const AS_USUAL: Text = Text("kept-as-usual");

/// What a day was marked as.
pub fn day_tag(tag: &str) -> &str {
    match tag {
        "ill" => text("kept-day-tag-ill"),
        "travel" => text("kept-day-tag-on-the-road"),
        "other" => text("kept-day-tag-not-as-usual"),
        tag => tag,
    }
}

/// A day was marked, or its mark taken away.
pub fn day_marked(day: &str, tag: Option<&str>) -> String {
    tag.map_or_else(
        || say!("kept-day-marked-counts-as-usual", day),
        |tag| say!("kept-day-marked-is-marked", day, day_tag = day_tag(tag)),
    )
}

/// A number with its groups of three.
pub fn in_groups(count: u64) -> String {
    say!("kept-in-groups", count)
}
