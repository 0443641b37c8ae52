//! What the console says of a policy that is tried and put into force.
//!
//! What: the form with its fields, the difference, the confirmation and what came of it. Not here: the answer day by day (`console`).

use crate::{
    backend::console::PolicyOutcome,
    language::{Text, text},
};

/// Above the fields.
pub const TRY_FIELDS: Text = Text("policy-trial-try-fields");
/// Folds the whole text.
pub const TRY_WHOLE_TEXT: Text = Text("policy-trial-try-whole-text");
/// Heading of what differs.
pub const TRY_DIFFERS: Text = Text("policy-trial-try-differs");
/// Nothing does.
pub const TRY_DIFFERS_NOT: Text = Text("policy-trial-try-differs-not");
/// Of the table of constants.
pub const TRY_COLUMNS: [Text; 3] = [
    Text("policy-trial-columns-constant"),
    Text("policy-trial-columns-in-force"),
    Text("policy-trial-columns-tried"),
];
/// Heading of the form below the answer.
pub const PUT_HEADING: Text = Text("policy-trial-put-heading");
/// What that does.
pub const PUT_MEANS: Text = Text("policy-trial-put-means");
/// The box.
pub const PUT_SURE: Text = Text("policy-trial-put-sure");
/// The button.
pub const PUT_DO: Text = Text("policy-trial-put-do");
/// Where there is no such file.
pub const PUT_NO_FILE: Text = Text("policy-trial-put-no-file");

/// What came of it.
pub fn put_outcome(outcome: &PolicyOutcome) -> &'static str {
    match outcome {
        PolicyOutcome::InForce(_) => text("policy-trial-in-force"),
        PolicyOutcome::Unusable(_) => text("policy-trial-unusable"),
        PolicyOutcome::Changed => text("policy-trial-changed"),
        PolicyOutcome::NoFile => PUT_NO_FILE.say(),
        PolicyOutcome::NotWritten => text("policy-trial-not-written"),
    }
}
