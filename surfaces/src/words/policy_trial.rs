//! What is said where another policy is tried and put into force.
//!
//! What: the sentences of `/ops/what-if` beside those of the trial itself. Why: what changes is said before it does. Not here: what would have come out
//! (`console`), what a constant means (the policy's own phrases).

/// Above the form.
pub const POLICY_TRIAL_NOTE: &str =
    "Decides the days that were again, with other numbers. Nothing changes until you put them into force.";
/// Over the fields.
pub const POLICY_TRIAL_FIELDS: &str = "Numbers";
/// The constants that stand in no table.
pub const POLICY_TRIAL_TOP: &str = "general";
/// Over the text.
pub const POLICY_TRIAL_AS_TEXT: &str = "Or a whole policy as text";
/// Heading of what differs.
pub const POLICY_TRIAL_DIFF: &str = "What would change";
/// Nothing does.
pub const POLICY_TRIAL_SAME: &str = "It is the policy in force.";
/// Only comments or the table of combinations differ.
pub const POLICY_TRIAL_NO_NUMBER: &str = "No number differs.";
/// Constants that differ.
pub const POLICY_TRIAL_COLUMNS: [&str; 4] = ["Constant", "In force", "Tried", "Means"];
/// The lines of the file.
pub const POLICY_TRIAL_LINES: &str = "Line by line";
/// Heading of what would have come out.
pub const POLICY_TRIAL_DAYS: &str = "The days that were";
/// Heading of the last step.
pub const POLICY_PUT: &str = "Put into force";
/// The box before the button.
pub const POLICY_PUT_CONFIRM: &str = "I have seen what changes. From now on decide so.";
/// The button.
pub const POLICY_PUT_NOW: &str = "Put into force";
/// Who may not.
pub const POLICY_PUT_OWNER: &str = "Only a browser of the owner's can put it into force.";
/// Where it cannot be.
pub const POLICY_PUT_NOT_HERE: &str = "It cannot be put into force here.";
/// The box was not ticked.
pub const POLICY_PUT_UNCONFIRMED: &str = "Nothing was changed: tick the box first.";
/// Another policy came between.
pub const POLICY_PUT_CHANGED: &str =
    "Nothing was changed: another policy is in force meanwhile. Load this page again.";

/// It is done.
pub fn policy_put_taken(file: &str) -> String {
    format!("In force as soon as Aura is idle. It stands in {file}, and what stood there before beside it.")
}

/// It is not.
pub fn policy_put_failed(why: &str) -> String {
    format!("Nothing was changed: {why}.")
}

/// Within which limits a field is.
pub fn policy_limits(low: &str, high: &str, unit: &str) -> String {
    let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
    format!("{low} to {high}{unit}")
}
