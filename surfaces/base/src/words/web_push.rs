//! What is said of notifications in the owner's browsers.
//!
//! What: the sentences of their section. Not here: what a refusal says (`web::error`), what the script says (`script`).

use crate::language::{Text, say, text};

/// What they are, and what the maker of a browser learns.
pub const WEB_PUSH_MEANS: Text = Text("web-push-web-push-means");
/// No service is accepted.
pub const WEB_PUSH_OFF: Text = Text("web-push-web-push-off");
/// This browser gets them.
pub const WEB_PUSH_HERE: Text = Text("web-push-web-push-here");
/// It is not.
pub const WEB_PUSH_NOT_HERE: Text = Text("web-push-web-push-not-here");
/// Has the browser ask its owner.
pub const WEB_PUSH_TURN_ON: Text = Text("web-push-web-push-turn-on");
/// Heading of the list.
pub const WEB_PUSH_BROWSERS: Text = Text("web-push-web-push-browsers");
/// The one that shows the page.
pub const WEB_PUSH_THIS: Text = Text("web-push-web-push-this");
/// The service that it uses.
pub const WEB_PUSH_OF_THIS: Text = Text("web-push-web-push-of-this");
/// Removes one.
pub const WEB_PUSH_REMOVE: Text = Text("web-push-web-push-remove");
/// Sends something.
pub const WEB_PUSH_TRY: Text = Text("web-push-web-push-try");
/// Heading of the services.
pub const WEB_PUSH_SERVICES: Text = Text("web-push-web-push-services");
/// What accepting one means.
pub const WEB_PUSH_SERVICES_MEAN: Text = Text("web-push-web-push-services-mean");
/// One that is not listed.
pub const WEB_PUSH_OTHER: Text = Text("web-push-web-push-other");
/// Saves them.
pub const WEB_PUSH_ACCEPT: Text = Text("web-push-web-push-accept");
/// Where that is possible.
pub const WEB_PUSH_ACCEPT_NOT_HERE: Text = Text("web-push-web-push-accept-not-here");

/// Through whom a browser is told, and since when.
pub fn web_push_told(host: &str, since: &str) -> String {
    say!("web-push-web-push-told", since, host)
}

/// Why one is not told any more.
pub fn web_push_ended(at: &str) -> String {
    say!("web-push-web-push-ended", at)
}

/// Whose a push service is, and which browsers use it.
pub fn push_service(host: &str) -> &str {
    match host {
        "updates.push.services.mozilla.com" => text("web-push-push-service-mozilla-firefox"),
        "fcm.googleapis.com" => text("web-push-push-service-google-chrome-chromium"),
        "web.push.apple.com" => text("web-push-push-service-apple-safari-iphone"),
        "*.notify.windows.com" => text("web-push-push-service-microsoft-edge"),
        other => other,
    }
}
