//! What is said where another policy is tried and put into force.
//!
//! What: the sentences of `/ops/what-if` beside those of the trial itself. Why: what changes is said before it does. Not here: what would have come out
//! (`console`), what a constant means (the policy's own phrases).

use crate::words::language::{Text, say};

/// Above the form.
pub const POLICY_TRIAL_NOTE: Text = Text("policy-trial-note");
/// Over the fields.
pub const POLICY_TRIAL_FIELDS: Text = Text("policy-trial-fields");
/// The constants that stand in no table.
pub const POLICY_TRIAL_TOP: Text = Text("policy-trial-top");
/// Over the text.
pub const POLICY_TRIAL_AS_TEXT: Text = Text("policy-trial-as-text");
/// Heading of what differs.
pub const POLICY_TRIAL_DIFF: Text = Text("policy-trial-diff");
/// Nothing does.
pub const POLICY_TRIAL_SAME: Text = Text("policy-trial-same");
/// Only comments or the table of combinations differ.
pub const POLICY_TRIAL_NO_NUMBER: Text = Text("policy-trial-no-number");
/// The lines of the file.
pub const POLICY_TRIAL_LINES: Text = Text("policy-trial-lines");
/// Heading of what would have come out.
pub const POLICY_TRIAL_DAYS: Text = Text("policy-trial-days");
/// Heading of the last step.
pub const POLICY_PUT: Text = Text("policy-trial-put");
/// The box before the button.
pub const POLICY_PUT_CONFIRM: Text = Text("policy-trial-put-confirm");
/// The button.
pub const POLICY_PUT_NOW: Text = Text("policy-trial-put-now");
/// Who may not.
pub const POLICY_PUT_OWNER: Text = Text("policy-trial-put-owner");
/// Where it cannot be.
pub const POLICY_PUT_NOT_HERE: Text = Text("policy-trial-put-not-here");
/// The box was not ticked.
pub const POLICY_PUT_UNCONFIRMED: Text = Text("policy-trial-put-unconfirmed");
/// Another policy came between.
pub const POLICY_PUT_CHANGED: Text = Text("policy-trial-put-changed");
/// Constants that differ.
pub const POLICY_TRIAL_COLUMNS: [Text; 4] = [
    Text("policy-trial-columns-constant"),
    Text("policy-trial-columns-in-force"),
    Text("policy-trial-columns-tried"),
    Text("policy-trial-columns-means"),
];

/// It is done.
pub fn policy_put_taken(file: &str) -> String {
    say!("policy-trial-put-taken", file)
}

/// It is not.
pub fn policy_put_failed(why: &str) -> String {
    say!("policy-trial-put-failed", why)
}

/// Within which limits a field is; `unit`: empty for a plain number.
pub fn policy_limits(low: &str, high: &str, unit: &str) -> String {
    if unit.is_empty() {
        say!("policy-trial-limits", low, high)
    } else {
        say!("policy-trial-limits-unit", low, high, unit)
    }
}
