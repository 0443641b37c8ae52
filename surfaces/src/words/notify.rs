//! What is said of the ways to the owner beside the page, and of trying them.
//!
//! What: a row for each, and what came of a trial. Not here: how they are set up (`settings_form`, `welcome`).

use super::web_push::WEB_PUSH_MEANS;
use crate::backend::notify::{NotifyChannel, NotifyOutcome};

/// Heading of the section.
pub const NOTIFY: &str = "Reaching you";
/// Tries one.
pub const NOTIFY_TRY: &str = "Try it";
/// Why it cannot be tried here.
pub const NOTIFY_NOT_HERE: &str = "Trying them is possible only in the browser that Aura itself has opened on this computer, within half an hour.";
/// What a phone shows.
pub const TRIAL_PUSH: &str = "This is a trial: your phone hears from Aura.";
/// What a browser shows.
pub const TRIAL_WEB_PUSH: &str = "This is a trial: this browser hears from Aura.";
/// What is spoken.
pub const TRIAL_SPEECH: &str = "This is a trial. You can hear Aura.";

/// A way to the owner.
pub fn notify_channel(channel: NotifyChannel) -> &'static str {
    match channel {
        NotifyChannel::Browser => "Notifications in your browsers",
        NotifyChannel::Phone => "Notifications on your phone",
        NotifyChannel::Watch => "Your watch",
        NotifyChannel::Speech => "A sentence aloud",
    }
}

/// The name of its button.
pub fn notify_try(channel: NotifyChannel) -> String {
    format!("{NOTIFY_TRY}: {}", notify_channel(channel))
}

/// What it is.
pub fn notify_means(channel: NotifyChannel) -> &'static str {
    match channel {
        NotifyChannel::Browser => WEB_PUSH_MEANS,
        NotifyChannel::Phone => "By your own server for notifications, which only you can read.",
        NotifyChannel::Watch => "The page for a round screen, open on your watch.",
        NotifyChannel::Speech => "By this computer's speaker or your earbud. Others may hear it.",
    }
}

/// What came of a trial.
pub fn notify_outcome(channel: NotifyChannel, outcome: &NotifyOutcome) -> String {
    match (channel, outcome) {
        (NotifyChannel::Browser, NotifyOutcome::Sent) => {
            "The push service took it. This browser should show it within a few seconds.".to_owned()
        }
        (NotifyChannel::Browser, NotifyOutcome::NotSetUp | NotifyOutcome::NobodyThere) => {
            "This browser gets none. Turn notifications on here first.".to_owned()
        }
        (NotifyChannel::Phone, NotifyOutcome::Sent) => {
            "Your server took it. It should be on your phone within a few seconds.".to_owned()
        }
        (NotifyChannel::Watch, NotifyOutcome::Sent) => {
            "The page on your watch was told: it says so, and it may have buzzed.".to_owned()
        }
        (NotifyChannel::Speech, NotifyOutcome::Sent) => "It was spoken.".to_owned(),
        (NotifyChannel::Phone, NotifyOutcome::NotSetUp) => {
            "No server for notifications is set up, so your phone hears nothing.".to_owned()
        }
        (NotifyChannel::Speech, NotifyOutcome::NotSetUp) => "Speaking is off.".to_owned(),
        (NotifyChannel::Watch, NotifyOutcome::NotSetUp | NotifyOutcome::NobodyThere) => {
            "The watch's page is not open anywhere. Open it on your watch, and try again.".to_owned()
        }
        (_, NotifyOutcome::NobodyThere) => "Nobody is there who would notice it.".to_owned(),
        (_, NotifyOutcome::Failed(why)) => format!("It did not go out: {why}."),
    }
}
