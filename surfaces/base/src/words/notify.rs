//! What is said of the ways to the owner beside the page, and of trying them.
//!
//! What: a row for each, and what came of a trial. Not here: how they are set up (`settings_form`, `welcome`).

use super::web_push::WEB_PUSH_MEANS;
use crate::backend::notify::{NotifyChannel, NotifyOutcome};
use crate::language::{Text, say, text};

/// Heading of the section.
pub const NOTIFY: Text = Text("notify-notify");
/// Tries one.
pub const NOTIFY_TRY: Text = Text("notify-notify-try");
/// Why it cannot be tried here.
pub const NOTIFY_NOT_HERE: Text = Text("notify-notify-not-here");
/// What a phone shows.
pub const TRIAL_PUSH: Text = Text("notify-trial-push");
/// What a browser shows.
pub const TRIAL_WEB_PUSH: Text = Text("notify-trial-web-push");
/// What is spoken.
pub const TRIAL_SPEECH: Text = Text("notify-trial-speech");

/// A way to the owner.
pub fn notify_channel(channel: NotifyChannel) -> &'static str {
    match channel {
        NotifyChannel::Browser => text("notify-notify-channel-notifications-in-your"),
        NotifyChannel::Phone => text("notify-notify-channel-notifications-on-your"),
        NotifyChannel::Watch => text("notify-notify-channel-your-watch"),
        NotifyChannel::Speech => text("notify-notify-channel-a-sentence-aloud"),
    }
}

/// The name of its button.
pub fn notify_try(channel: NotifyChannel) -> String {
    format!("{NOTIFY_TRY}: {}", notify_channel(channel))
}

/// What it is.
pub fn notify_means(channel: NotifyChannel) -> &'static str {
    match channel {
        NotifyChannel::Browser => WEB_PUSH_MEANS.say(),
        NotifyChannel::Phone => text("notify-notify-means-by-your-own"),
        NotifyChannel::Watch => text("notify-notify-means-the-page-for"),
        NotifyChannel::Speech => text("notify-notify-means-by-this-computers"),
    }
}

/// What came of a trial.
pub fn notify_outcome(channel: NotifyChannel, outcome: &NotifyOutcome) -> String {
    match (channel, outcome) {
        (NotifyChannel::Browser, NotifyOutcome::Sent) => {
            text("notify-notify-outcome-the-push-service").to_owned()
        }
        (NotifyChannel::Browser, NotifyOutcome::NotSetUp | NotifyOutcome::NobodyThere) => {
            text("notify-notify-outcome-this-browser-gets").to_owned()
        }
        (NotifyChannel::Phone, NotifyOutcome::Sent) => {
            text("notify-notify-outcome-your-server-took").to_owned()
        }
        (NotifyChannel::Watch, NotifyOutcome::Sent) => text("notify-notify-outcome-the-page-on").to_owned(),
        (NotifyChannel::Speech, NotifyOutcome::Sent) => {
            text("notify-notify-outcome-it-was-spoken").to_owned()
        }
        (NotifyChannel::Phone, NotifyOutcome::NotSetUp) => {
            text("notify-notify-outcome-no-server-for").to_owned()
        }
        (NotifyChannel::Speech, NotifyOutcome::NotSetUp) => {
            text("notify-notify-outcome-speaking-is-off").to_owned()
        }
        (NotifyChannel::Watch, NotifyOutcome::NotSetUp | NotifyOutcome::NobodyThere) => {
            text("notify-notify-outcome-the-watchs-page").to_owned()
        }
        (_, NotifyOutcome::NobodyThere) => text("notify-notify-outcome-nobody-is-there").to_owned(),
        (_, NotifyOutcome::Failed(why)) => say!("notify-notify-outcome-it-did-not", why),
    }
}
