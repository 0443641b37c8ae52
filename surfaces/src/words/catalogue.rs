//! Words about a changed catalogue.
//!
//! What: the sentences of the page on which the owner accepts what another build changed in its tools. Why: they stand with all the others.
//! Not here: finding what differs (`toolcall_schema::catalogue::lock`), the page (`web::catalogue_page`).

use serde_json::Value;
use toolcall_schema::catalogue::lock::ColumnChange;

/// The page's title in the browser's list.
pub const CATALOGUE_TITLE_PAGE: &str = "Aura: changed tools";
/// Its heading.
pub const CATALOGUE_TITLE: &str = "Some of Aura's tools changed";
/// Why Aura does not just go on.
pub const CATALOGUE_WHY: &str = "This version of Aura works differently from the one that you used before, in ways that its \
    makers did not announce. Aura does nothing until you accept.";
/// The remedy for who expected no change.
pub const CATALOGUE_UNEXPECTED: &str = "If you did not install another version, do not accept: start the one from before. Nothing of yours has been changed.";
/// The button.
pub const CATALOGUE_ACCEPT: &str = "Accept and start";
/// In place of the button, on a device that may change nothing.
pub const CATALOGUE_NOT_HERE: &str = "Accept on one of your own devices: this one may only look.";
/// Without the script.
pub const CATALOGUE_SCRIPT: &str = "Accepting needs this page's own script.";
/// Of a tool that the build does not have any more.
pub const TOOL_GONE: &str = "It is gone.";

/// What is different about a tool, for somebody who decides whether to go on.
pub fn tool_change(change: &ColumnChange) -> String {
    let text = |value: &Value| value.as_str().unwrap_or("nothing").to_lowercase();
    match (change.column.as_str(), change.new.as_str()) {
        ("confirm", Some("always")) => "It asks you each time; before, it did not.".to_owned(),
        ("confirm", _) => "It no longer asks you first.".to_owned(),
        ("class", Some("safety")) => {
            "It counts as a matter of your safety: limits on interruptions no longer stop it.".to_owned()
        }
        ("class", _) => "It no longer counts as a matter of your safety.".to_owned(),
        ("surface", _) => format!(
            "It shows itself elsewhere: {}, before {}.",
            text(&change.new).replace('_', " "),
            text(&change.old).replace('_', " ")
        ),
        ("effects", _) => "It changes other things than before.".to_owned(),
        ("private", _) => "Other parts of its answers are kept out of logs.".to_owned(),
        ("args", _) => "It is told other things than before.".to_owned(),
        ("result", _) => "It answers other things than before.".to_owned(),
        (other, _) => format!("Its {other} is different."),
    }
}
