//! The sentences of the page's script.
//!
//! What: [`SCRIPT`], which each page carries in a template. Why: no sentence stands in the script, so that all of them are here. Not here:
//! what a refusal says (`web::error`); the server sends it.

/// By the names under which the script asks for them. `{}` is filled in by it.
pub const SCRIPT: [(&str, &str); 40] = [
    ("lost", "Not connected. Trying again."),
    ("again", "Not connected. Try again."),
    ("browser", "Browser"),
    (
        "offline",
        "Not connected; as of {}. Nothing can be answered until Aura is there again.",
    ),
    ("failed", "That did not work."),
    ("looking", "Aura is looking."),
    ("sent", "Sent. Waiting for what comes of it."),
    ("thanks", "Noted. What is left today stands below."),
    ("hours", "Hours need a beginning and an end."),
    ("days", "Choose a day."),
    ("stands", "Not then: the rule stands."),
    ("starting", "Accepted. Aura is starting."),
    ("saved", "Saved."),
    ("taking", "Saved. Aura takes it up; that needs a few seconds."),
    ("there", "There now: {}"),
    ("draft-copied", "Copied."),
    (
        "draft-select",
        "Your browser does not let me copy. The draft is selected: copy it yourself.",
    ),
    ("tick", "Tick what I may read first."),
    ("same", "Nothing was changed."),
    (
        "again-read",
        "I read everything once more; below it says how far I am.",
    ),
    ("answer", "Answer each question first."),
    (
        "drop-folder",
        "That is a folder. Choose it under “Show my folders”: I see then what is new in it.",
    ),
    (
        "drop-many",
        "Those are more than 50 files. Put them into a folder, and choose that under “Show my folders”.",
    ),
    (
        "drop-large",
        "“{}” is more than 128 MB. Choose it under “Show my folders”: I read it then where it is.",
    ),
    ("drop-taking", "I am taking “{}”."),
    ("drop-sent", "{} of {}"),
    ("drop-way", "“{}”: {}."),
    ("drop-stopped", "Stopped. I keep nothing of “{}”."),
    (
        "drop-cut",
        "“{}” broke off after {}. I keep nothing of it; drop it again.",
    ),
    (
        "drop-busy",
        "A file is still on its way. Wait for it, or cancel it.",
    ),
    ("trial", "This is a trial: your watch hears from Aura."),
    (
        "push-none",
        "This browser takes no notifications from a page. On an iPhone, add Aura to the home screen first.",
    ),
    (
        "push-denied",
        "Your browser was not allowed to show notifications. Its settings for this page change that.",
    ),
    ("push-asking", "Your browser asks its push service."),
    (
        "push-failed",
        "Your browser's push service did not answer it, so notifications stay off here.",
    ),
    ("push-on", "On. Send a test notification to see one."),
    ("copying", "I am writing the copy."),
    ("copied", "The copy is in your browser's downloads."),
    ("mark-amount", "Tap the amount first."),
    ("gone", "This decision is not kept any more."),
];

/// The page that stands in for one that was not loaded before.
pub const OFFLINE_TITLE: &str = "Not connected";
/// What it says.
pub const OFFLINE_SAYS: &str = "Aura does not answer, and this page was not loaded while it did. Start Aura on its computer, and try again.";
/// The link on it.
pub const TRY_AGAIN: &str = "Try again";

/// What the installed app is called.
pub const APP_NAME: &str = "Aura";
/// What it is.
pub const APP_SAYS: &str = "A quiet assistant on your own machine";
