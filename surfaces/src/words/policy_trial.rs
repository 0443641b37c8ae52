//! What the console says of a policy that is tried and put into force.
//!
//! What: the form with its fields, the difference, the confirmation and what came of it. Not here: the answer day by day (`console`).

use crate::backend::console::PolicyOutcome;

/// Above the fields.
pub const TRY_FIELDS: &str = "Change a number, and see what would have differed. Nothing is put into force before you say so below the answer.";
/// The constants without a table.
pub const TRY_FIRST_TABLE: &str = "threshold";
/// Folds the whole text.
pub const TRY_WHOLE_TEXT: &str = "Or the whole text";
/// Heading of what differs.
pub const TRY_DIFFERS: &str = "What differs from the policy in force";
/// Nothing does.
pub const TRY_DIFFERS_NOT: &str = "No constant differs from the policy in force.";
/// Of the table of constants.
pub const TRY_COLUMNS: [&str; 4] = ["Constant", "In force", "Tried", "What it means"];
/// Heading of the form below the answer.
pub const PUT_HEADING: &str = "Put it into force";
/// What that does.
pub const PUT_MEANS: &str = "It is written into the file that Aura was started with, and counts from the next tick on. It needs the browser that Aura itself has opened.";
/// The box.
pub const PUT_SURE: &str = "Yes, decide with this policy from now on";
/// The button.
pub const PUT_DO: &str = "Put into force";
/// Where there is no such file.
pub const PUT_NO_FILE: &str = "Aura was started without a file for its policy, so the next start would not know of it. Start it with --policy and a file, and put it into force then.";

/// What came of it.
pub fn put_outcome(outcome: &PolicyOutcome) -> &'static str {
    match outcome {
        PolicyOutcome::InForce(_) => "In force, from the next tick on.",
        PolicyOutcome::Unusable(_) => "This policy cannot be used. Nothing was changed:",
        PolicyOutcome::Changed => {
            "Another policy is in force, or stands in the file, than this one was compared with. Nothing was changed; load the page anew."
        }
        PolicyOutcome::NoFile => PUT_NO_FILE,
        PolicyOutcome::NotWritten => "It could not be written or taken up. The policy of before is in force.",
    }
}
