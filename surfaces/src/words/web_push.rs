//! What is said of notifications in the owner's browsers.
//!
//! What: the sentences of their section. Not here: what a refusal says (`web::error`), what the script says (`script`).

/// What they are, and what the maker of a browser learns.
pub const WEB_PUSH_MEANS: &str = "A notification comes also when no page of mine is open. It goes through the push service of the browser's maker, sealed for your browser: that service sees when one comes and how long it is, and cannot read it.";
/// No service is accepted.
pub const WEB_PUSH_OFF: &str = "Off. I may use no push service yet.";
/// This browser gets them.
pub const WEB_PUSH_HERE: &str = "This browser gets notifications.";
/// It is not.
pub const WEB_PUSH_NOT_HERE: &str = "This browser gets none.";
/// Has the browser ask its owner.
pub const WEB_PUSH_TURN_ON: &str = "Turn on in this browser";
/// Heading of the list.
pub const WEB_PUSH_BROWSERS: &str = "Browsers that get them";
/// The one that shows the page.
pub const WEB_PUSH_THIS: &str = "this one";
/// Removes one.
pub const WEB_PUSH_REMOVE: &str = "Turn off";
/// Sends something.
pub const WEB_PUSH_TRY: &str = "Send a test notification";
/// Heading of the services.
pub const WEB_PUSH_SERVICES: &str = "Push services I may use";
/// What accepting one means.
pub const WEB_PUSH_SERVICES_MEAN: &str =
    "Tick that of each browser you want notifications in. I open no address at any other.";
/// One that is not listed.
pub const WEB_PUSH_OTHER: &str = "Another one, by its host name";
/// Saves them.
pub const WEB_PUSH_ACCEPT: &str = "Save what I may use";
/// Where that is possible.
pub const WEB_PUSH_ACCEPT_NOT_HERE: &str = "Which push services I may use is said only in the browser that Aura itself has opened on its computer, within half an hour.";

/// Through whom a browser is told, and since when.
pub fn web_push_told(host: &str, since: &str) -> String {
    format!("Since {since}, through {host}.")
}

/// Why one is not told any more.
pub fn web_push_ended(at: &str) -> String {
    format!(
        "Its push service did not know it any more ({at}), so I removed it. Turn notifications on there again."
    )
}

/// Whose a push service is, and which browsers use it.
pub fn push_service(host: &str) -> &str {
    match host {
        "updates.push.services.mozilla.com" => "Mozilla (Firefox)",
        "fcm.googleapis.com" => "Google (Chrome, Chromium, Brave, Android)",
        "web.push.apple.com" => "Apple (Safari, iPhone, iPad)",
        "*.notify.windows.com" => "Microsoft (Edge)",
        other => other,
    }
}
