//! What other settings would have changed.
//!
//! What: the words of the page that tries settings on the last 30 days. Why: one place, ready for another language. Not here: the settings' own words
//! (`settings_form`), the operator's question about another policy (`console`).

use toolcall_schema::whatif::InterruptionChange;

/// The page and its form.
pub const MONTH: &str = "The last 30 days";
/// The way to it.
pub const MONTH_WAY: &str = "Try other settings on the last 30 days";
/// The same in the first days of a month.
pub const MONTH_OVER: &str = "A month is over: see what I learned, and try other settings on it.";
/// Above the form.
pub const MONTH_SAYS: &str =
    "Change when and how often I speak, and see what would have come. Nothing changes until you save it.";
/// Decides the days once more.
pub const MONTH_TRY: &str = "Show what would have come";
/// Saves what stands in the form.
pub const MONTH_USE: &str = "Save this for the future";
/// The way to what was learned.
pub const MONTH_LEARNED_WAY: &str = "See it, correct it or take it back";
/// There is no file of settings.
pub const MONTH_NO_FILE: &str = "Here the settings cannot be changed, so there is nothing to try.";
/// No day can be decided again.
pub const MONTH_NO_DAY: &str = "Nothing of these days can be decided again: I have not been here long enough, or it is not kept any more.";
/// It took too long.
pub const MONTH_CUT: &str = "There was not enough time for all 30 days; these are the first of them. `aura replay --what-if` takes the time it needs.";
/// Nothing differs.
pub const MONTH_SAME: &str = "Nothing would have been different.";

/// Before what that rule forbids.
pub const MONTH_KIND_MEANS: &str = "That makes a rule:";
/// Makes the rule.
pub const MONTH_KIND_USE: &str = "Leave it out from now on";

/// How many interruptions there were, and how many there would have been.
pub fn month_sums(days: usize, recorded: usize, what_if: usize) -> String {
    let over = if days == 1 {
        "On 1 day".to_owned()
    } else {
        format!("On {days} days")
    };
    let times = |count: usize| {
        if count == 1 {
            "once".to_owned()
        } else {
            format!("{count} times")
        }
    };
    format!(
        "{over} I came {}. With this I would have come {}.",
        times(recorded),
        times(what_if)
    )
}

/// What would have been different about one interruption.
pub fn would_have(change: InterruptionChange) -> &'static str {
    match change {
        InterruptionChange::Added => "Would have come",
        InterruptionChange::Removed => "Would not have come",
        InterruptionChange::Moved => "Would have come at another time",
        InterruptionChange::Changed => "Would have come with something else",
    }
}
