//! What is said of what Aura finds when it looks after itself.
//!
//! What: a sentence for each check that is not well, and where its remedy is. Not here: the checks (`aura doctor`).

use crate::language::{Text, say, text};

/// The title.
pub const DOCTOR: Text = Text("doctor-doctor");
/// What it does.
pub const DOCTOR_SAYS: Text = Text("doctor-doctor-says");
/// Why it cannot look here.
pub const DOCTOR_NOT_HERE: Text = Text("doctor-doctor-not-here");
/// The button that begins the checks.
pub const DOCTOR_LOOK: Text = Text("doctor-doctor-look");
/// All is well.
pub const DOCTOR_WELL: Text = Text("doctor-doctor-well");
/// Somebody looks already.
pub const DOCTOR_BUSY: Text = Text("doctor-doctor-busy");
/// What was found, as it is.
pub const DOCTOR_EXACTLY: Text = Text("doctor-doctor-exactly");

/// How many are well.
pub fn doctor_fine(count: usize) -> String {
    if count == 1 {
        text("doctor-doctor-fine-1-more-is").to_owned()
    } else {
        say!("doctor-doctor-fine-checks-are-fine", count)
    }
}

/// A check, as a name.
pub fn doctor_check(name: &str) -> String {
    match name {
        "data folder" => text("doctor-doctor-check-my-folder").to_owned(),
        "key" => text("doctor-doctor-check-its-key").to_owned(),
        "modes" => text("doctor-doctor-check-who-may-read").to_owned(),
        "lock" => text("doctor-doctor-check-one-of-me").to_owned(),
        "service" => text("doctor-doctor-check-the-running-service").to_owned(),
        "clock" => text("doctor-doctor-check-this-computers-clock").to_owned(),
        "space" => text("doctor-doctor-check-room-on-the").to_owned(),
        "raw traces" => text("doctor-doctor-check-decisions-that-wait").to_owned(),
        "store" => text("doctor-doctor-check-what-i-keep").to_owned(),
        "newest trace" => text("doctor-doctor-check-the-last-decision").to_owned(),
        "runs" => text("doctor-doctor-check-workflows").to_owned(),
        "configuration" => text("doctor-doctor-check-your-settings").to_owned(),
        "source" => text("doctor-doctor-check-a-source").to_owned(),
        "speech" => text("doctor-doctor-check-speaking-aloud").to_owned(),
        "ntfy" => text("doctor-doctor-check-your-server-for").to_owned(),
        "web push" => text("doctor-doctor-check-the-push-services").to_owned(),
        "telemetry" => text("telemetry-check").to_owned(),
        "model" => text("doctor-doctor-check-the-language-model").to_owned(),
        "policy" => text("doctor-doctor-check-how-i-decide").to_owned(),
        "catalogue" => text("doctor-doctor-check-what-i-may").to_owned(),
        "sandbox" => text("doctor-doctor-check-what-keeps-the").to_owned(),
        "account sandbox" => text("doctor-doctor-check-what-keeps-accounts").to_owned(),
        "programs" => text("doctor-doctor-check-what-keeps-programs").to_owned(),
        other => other.to_owned(),
    }
}

/// What is wrong, and what to do, in a sentence or two.
pub fn doctor_says(name: &str) -> &'static str {
    match name {
        "data folder" => text("doctor-doctor-says-my-folder-is"),
        "key" => text("doctor-doctor-says-my-folder-is-2"),
        "modes" => text("doctor-doctor-says-others-who-use"),
        "lock" => text("doctor-doctor-says-i-cannot-tell"),
        "service" => text("doctor-doctor-says-a-part-of"),
        "clock" => text("doctor-doctor-says-i-do-not"),
        "space" => text("doctor-doctor-says-the-disk-is"),
        "raw traces" => text("doctor-doctor-says-some-decisions-wait"),
        "repaired" => text("doctor-doctor-says-what-i-keep"),
        "store" => text("doctor-doctor-says-what-i-keep-2"),
        "newest trace" => text("doctor-doctor-says-the-last-decision"),
        "runs" => text("doctor-doctor-says-a-workflow-was"),
        "refused calls" | "refused results" | "refused traces" | "refused messages" => {
            text("doctor-doctor-says-i-refused-something")
        }
        "quarantine" => text("doctor-doctor-says-what-i-refuse"),
        "configuration" => text("doctor-doctor-says-your-settings-file"),
        "source" => text("doctor-doctor-says-a-source-cannot"),
        "sources" => text("doctor-doctor-says-i-may-not"),
        "speech" => text("doctor-doctor-says-speaking-is-on"),
        "ntfy" => text("doctor-doctor-says-your-server-for"),
        "web push" => text("doctor-doctor-says-a-push-service"),
        "telemetry" => text("telemetry-check-fails"),
        "model" => text("doctor-doctor-says-the-language-model"),
        "policy" | "catalogue" => text("doctor-doctor-says-this-copy-of"),
        "sandbox" => text("doctor-doctor-says-this-computer-does"),
        "account sandbox" => text("doctor-doctor-says-this-computer-does-3"),
        "programs" => text("doctor-doctor-says-this-computer-does-2"),
        _ => text("doctor-doctor-says-something-is-not"),
    }
}

/// Where its remedy is, and what the link says.
pub fn doctor_remedy(name: &str) -> Option<(&'static str, &'static str)> {
    match name {
        "clock" => Some(("/memory#clock", text("doctor-doctor-remedy-say-that-it"))),
        "space" | "quarantine" => Some(("/memory#forget", text("doctor-doctor-remedy-forget-something"))),
        "source" => Some(("/settings#sources", text("doctor-doctor-remedy-see-your-sources"))),
        "sources" => Some(("/welcome/3", text("doctor-doctor-remedy-allow-something"))),
        "configuration" => Some(("/settings", text("doctor-doctor-remedy-see-your-settings"))),
        "speech" => Some(("/settings#more", text("doctor-doctor-remedy-change-it"))),
        "ntfy" => Some(("/settings#notify", text("doctor-doctor-remedy-try-it"))),
        "web push" => Some(("/settings#web-push", text("doctor-doctor-remedy-try-it"))),
        "telemetry" => Some(("/settings#more", text("doctor-doctor-remedy-change-it"))),
        "runs" => Some(("/workflows", text("doctor-doctor-remedy-see-the-workflows"))),
        "refused calls" | "refused results" | "refused traces" | "refused messages" => {
            Some(("/quarantine", text("doctor-doctor-remedy-look-at-it")))
        }
        _ => None,
    }
}
