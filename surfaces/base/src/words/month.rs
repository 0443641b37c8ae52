//! What other settings would have changed.
//!
//! What: the words of the page that tries settings on the last 30 days. Why: one place, ready for another language. Not here: the settings' own words
//! (`settings_form`), the operator's question about another policy (`console`).

use crate::language::{Text, say, text};
use toolcall_schema::whatif::InterruptionChange;

/// The page and its form.
pub const MONTH: Text = Text("month-month");
/// The way to it.
pub const MONTH_WAY: Text = Text("month-month-way");
/// The same in the first days of a month.
pub const MONTH_OVER: Text = Text("month-month-over");
/// Above the form.
pub const MONTH_SAYS: Text = Text("month-month-says");
/// Decides the days once more.
pub const MONTH_TRY: Text = Text("month-month-try");
/// Saves what stands in the form.
pub const MONTH_USE: Text = Text("month-month-use");
/// The way to what was learned.
pub const MONTH_LEARNED_WAY: Text = Text("month-month-learned-way");
/// There is no file of settings.
pub const MONTH_NO_FILE: Text = Text("month-month-no-file");
/// No day can be decided again.
pub const MONTH_NO_DAY: Text = Text("month-month-no-day");
/// It took too long.
pub const MONTH_CUT: Text = Text("month-month-cut");
/// Nothing differs.
pub const MONTH_SAME: Text = Text("month-month-same");
/// The hour of the brief cannot be tried.
pub const MONTH_BRIEF: Text = Text("month-month-brief");

/// Before what that rule forbids.
pub const MONTH_KIND_MEANS: Text = Text("month-month-kind-means");
/// Makes the rule.
pub const MONTH_KIND_USE: Text = Text("month-month-kind-use");

/// How many interruptions there were, and how many there would have been.
pub fn month_sums(days: usize, recorded: usize, what_if: usize) -> String {
    let over = if days == 1 {
        text("month-month-sums-on-1-day").to_owned()
    } else {
        say!("month-month-sums-on-days", days)
    };
    let times = |count: usize| {
        if count == 1 {
            text("month-month-sums-once").to_owned()
        } else {
            say!("month-month-sums-times", count)
        }
    };
    say!(
        "month-month-sums-i-came-with",
        over,
        times = times(recorded),
        times2 = times(what_if)
    )
}

/// What would have been different about one interruption.
pub fn would_have(change: InterruptionChange) -> &'static str {
    match change {
        InterruptionChange::Added => text("month-would-have-would-have-come"),
        InterruptionChange::Removed => text("month-would-have-would-not-have"),
        InterruptionChange::Moved => text("month-would-have-would-have-come-2"),
        InterruptionChange::Changed => text("month-would-have-would-have-come-3"),
    }
}
