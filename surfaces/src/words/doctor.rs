//! What is said of what Aura finds when it looks after itself.
//!
//! What: a sentence for each check that is not well, and where its remedy is. Not here: the checks (`aura doctor`).

/// The title.
pub const DOCTOR: &str = "Is everything all right?";
/// What it does.
pub const DOCTOR_SAYS: &str =
    "I look at my folder, my settings, your sources and this computer. Nothing is changed.";
/// Why it cannot look here.
pub const DOCTOR_NOT_HERE: &str =
    "I can look only in the browser that Aura itself has opened on this computer, within half an hour.";
/// The button that begins the checks.
pub const DOCTOR_LOOK: &str = "Look now";
/// All is well.
pub const DOCTOR_WELL: &str = "All is well.";
/// Somebody looks already.
pub const DOCTOR_BUSY: &str = "I am looking already. Try again in a moment.";
/// What was found, as it is.
pub const DOCTOR_EXACTLY: &str = "Exactly";

/// How many are well.
pub fn doctor_fine(count: usize) -> String {
    if count == 1 {
        "1 more is as it should be".to_owned()
    } else {
        format!("{count} checks are fine")
    }
}

/// A check, as a name.
pub fn doctor_check(name: &str) -> String {
    match name {
        "data folder" => "my folder".to_owned(),
        "key" => "its key".to_owned(),
        "modes" => "who may read it".to_owned(),
        "lock" => "one of me at a time".to_owned(),
        "service" => "the running service".to_owned(),
        "clock" => "this computer's clock".to_owned(),
        "socket" => "the way commands reach me".to_owned(),
        "space" => "room on the disk".to_owned(),
        "raw traces" => "decisions that wait to be kept".to_owned(),
        "store" => "what I keep".to_owned(),
        "newest trace" => "the last decision".to_owned(),
        "runs" => "workflows".to_owned(),
        "configuration" => "your settings".to_owned(),
        "source" => "a source".to_owned(),
        "speech" => "speaking aloud".to_owned(),
        "ntfy" => "your server for notifications".to_owned(),
        "web push" => "the push services of your browsers".to_owned(),
        "telemetry" => "your collector of ticks and figures".to_owned(),
        "model" => "the language model".to_owned(),
        "policy" => "how I decide".to_owned(),
        "catalogue" => "what I may do".to_owned(),
        "sandbox" => "what keeps the readers of your files apart".to_owned(),
        "programs" => "what keeps programs of yours apart".to_owned(),
        other => other.to_owned(),
    }
}

/// What is wrong, and what to do, in a sentence or two.
pub fn doctor_says(name: &str) -> &'static str {
    match name {
        "data folder" => "My folder is not there or cannot be used. See whether its disk is connected.",
        "key" => "My folder is not sealed as it should be, or its key can be read by others.",
        "modes" => "Others who use this computer can read some of my files.",
        "lock" => "I cannot tell whether another Aura works on my folder.",
        "service" => {
            "A part of me does not answer. I start it again by myself; if that lasts, start me anew."
        }
        "clock" => "I do not know whether this computer's clock is right, so nothing old is deleted.",
        "socket" => "Commands cannot reach me, because the path of my folder is too long.",
        "space" => "The disk is nearly full. Make room, or I can keep nothing more.",
        "raw traces" => "Some decisions wait to be kept. That ends by itself once the disk takes them.",
        "repaired" => {
            "What I keep was damaged and is repaired. Check the disk; a backup may have what was lost."
        }
        "store" => "What I keep cannot be read, or is not there yet. A backup brings it back.",
        "newest trace" => {
            "The last decision was made by another version of me, which is expected after an update."
        }
        "runs" => "A workflow was interrupted, or its record cannot be read.",
        "refused calls" | "refused results" | "refused traces" | "refused messages" => {
            "I refused something that was not as it must be, and kept it for you to look at."
        }
        "quarantine" => "What I refuse cannot be kept. Make room on the disk.",
        "configuration" => "Your settings file cannot be used as it stands.",
        "source" => "A source cannot be read. See whether it is there, or stop reading it.",
        "sources" => "I may not read anything yet, so I have nothing to tell you.",
        "speech" => "Speaking is on, and no program for it is here.",
        "ntfy" => "Your server for notifications does not answer.",
        "web push" => "A push service of your browsers does not answer.",
        "telemetry" => "Your collector of ticks and figures does not answer.",
        "model" => "The language model that was chosen cannot run, so sentences are made from templates.",
        "policy" | "catalogue" => "This copy of me is not as it was built. Install it anew.",
        "sandbox" => {
            "This computer does not keep the readers of your files apart as it should. Allow only files that you trust."
        }
        "programs" => {
            "This computer does not keep programs of yours apart as it should. Run only those that you trust."
        }
        _ => "Something is not as it should be.",
    }
}

/// Where its remedy is, and what the link says.
pub fn doctor_remedy(name: &str) -> Option<(&'static str, &'static str)> {
    match name {
        "clock" => Some(("/memory#clock", "Say that it is right")),
        "space" | "quarantine" => Some(("/memory#forget", "Forget something")),
        "source" => Some(("/settings#sources", "See your sources")),
        "sources" => Some(("/welcome/3", "Allow something")),
        "configuration" => Some(("/settings", "See your settings")),
        "speech" => Some(("/settings#more", "Change it")),
        "ntfy" => Some(("/settings#notify", "Try it")),
        "web push" => Some(("/settings#web-push", "Try it")),
        "telemetry" => Some(("/settings#more", "Change it")),
        "runs" => Some(("/workflows", "See the workflows")),
        "refused calls" | "refused results" | "refused traces" | "refused messages" => {
            Some(("/quarantine", "Look at it"))
        }
        _ => None,
    }
}
