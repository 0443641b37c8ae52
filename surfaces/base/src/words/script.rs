//! The sentences of the page's script.
//!
//! What: [`SCRIPT`], which each page carries in a template. Why: no sentence stands in the script, so that all of them are here. Not here:
//! what a refusal says (`web::error`); the server sends it.

use crate::language::Text;

/// By the names under which the script asks for them. `{}` is filled in by it.
pub const SCRIPT: [(&str, Text); 45] = [
    ("look-ended", Text("source-look-look-ended")),
    ("lost", Text("script-not-connected-trying")),
    ("again", Text("script-not-connected-try")),
    ("browser", Text("script-browser")),
    ("offline", Text("script-not-connected-as")),
    ("failed", Text("script-that-did-not")),
    ("looking", Text("script-aura-is-looking")),
    ("looking-after", Text("script-looking-after")),
    ("looked", Text("script-i-looked")),
    ("sent", Text("script-sent-waiting-for")),
    ("thanks", Text("script-noted-what-is")),
    ("hours", Text("script-hours-need-a")),
    ("days", Text("script-choose-a-day")),
    ("stands", Text("script-not-then-the")),
    ("starting", Text("script-accepted-aura-is")),
    ("saved", Text("script-saved")),
    ("saved-waits", Text("script-saved-waits")),
    ("undoing", Text("script-undoing")),
    ("taking", Text("script-saved-aura-takes")),
    ("there", Text("script-there-now")),
    ("draft-copied", Text("script-copied")),
    ("draft-select", Text("script-your-browser-does")),
    ("tick", Text("script-tick-what-i")),
    ("same", Text("script-nothing-was-changed")),
    ("again-read", Text("script-i-read-everything")),
    ("answer", Text("script-answer-each-question")),
    ("drop-folder", Text("script-that-is-a")),
    ("drop-many", Text("script-those-are-more")),
    ("drop-large", Text("script-is-more-than")),
    ("drop-taking", Text("script-i-am-taking")),
    ("drop-sent", Text("script-of")),
    ("drop-way", Text("script-drop-way")),
    ("drop-stopped", Text("script-stopped-i-keep")),
    ("drop-cut", Text("script-broke-off-after")),
    ("drop-busy", Text("script-a-file-is")),
    ("trial", Text("script-this-is-a")),
    ("push-none", Text("script-this-browser-takes")),
    ("push-denied", Text("script-your-browser-was")),
    ("push-asking", Text("script-your-browser-asks")),
    ("push-failed", Text("script-your-browsers-push")),
    ("push-on", Text("script-on-send-a")),
    ("copying", Text("script-i-am-writing")),
    ("copied", Text("script-the-copy-is")),
    ("mark-amount", Text("script-tap-the-amount")),
    ("gone", Text("script-this-decision-is")),
];

/// The page that stands in for one that was not loaded before.
pub const OFFLINE_TITLE: Text = Text("script-offline-title");
/// What it says.
pub const OFFLINE_SAYS: Text = Text("script-offline-says");
/// The link on it.
pub const TRY_AGAIN: Text = Text("script-try-again");

/// What the installed app is called.
pub const APP_NAME: Text = Text("script-app-name");
/// What it is.
pub const APP_SAYS: Text = Text("script-app-says");
