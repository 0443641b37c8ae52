//! What is said of what the owner did.
//!
//! What: a sentence for each act that names the thing and its end, and the words of taking it back. Why: "it was done" does not say what. Not here:
//! which acts there are (`render::acts`).

use toolcall_schema::rule::RuleName;

/// Heading of what was done a moment ago.
pub const JUST_DONE: &str = "What you just did";
/// The page of all acts.
pub const WHAT_YOU_DID: &str = "What you did";
/// What stands on it.
pub const WHAT_YOU_DID_SAYS: &str =
    "The last seven days, newest first. Undo stands beside what can still be taken back.";
/// There is nothing.
pub const NOTHING_DONE: &str = "You have not had anything done in the last seven days.";
/// The link to that page.
pub const ALL_YOU_DID: &str = "Everything you did";
/// Takes an act back.
pub const UNDO: &str = "Undo";
/// Takes a draft back.
pub const DISCARD: &str = "Discard draft";
/// It ended before it was taken back.
pub const UNDO_OVER: &str = "over";
/// It was taken back before.
pub const UNDONE_ALREADY: &str = "It was undone already.";
/// It is taken back.
pub const UNDONE_NOW: &str = "Undone.";
/// A chat without a name.
pub const THIS_CHAT: &str = "The chat";
/// An event without a name.
pub const AN_EVENT: &str = "an event";
/// The pause was ended.
pub const PAUSE_IS_OVER: &str = "Your pause is over: I may speak again.";

/// The name of a button on an act.
pub fn undo_act(button: &str, says: &str) -> String {
    format!("{button}: {says}")
}

/// When it was taken back.
pub fn undone_at(at: &str) -> String {
    format!("undone at {at}")
}

/// Opens the form that names a chat.
pub const NAME_THIS_CHAT: &str = "Name this chat";
/// The form's field.
pub const YOUR_NAME_FOR_IT: &str = "Your name for it";
/// Keeps the name.
pub const SAVE_NAME: &str = "Save";

/// The same, for which chat.
pub fn name_this_chat(called: &str) -> String {
    format!("Name this chat: {called}")
}

/// A chat is quiet until then.
pub fn is_muted(chat: &str, until: &str) -> String {
    format!("{chat} is muted until {until}.")
}

/// A chat was quiet until then.
pub fn was_muted(chat: &str, until: &str) -> String {
    format!("{chat} was muted until {until}.")
}

/// A chat is no longer muted.
pub fn speaks_again(chat: &str) -> String {
    format!("{chat} is no longer muted.")
}

/// A reply lies in the outbox.
pub fn reply_drafted(who: &str) -> String {
    format!("A reply to {who} is drafted. It lies in your outbox; nothing was sent.")
}

/// A decline lies in the outbox.
pub fn decline_drafted(event: &str) -> String {
    format!("A decline of {event} is drafted. It lies in your outbox; nothing was sent.")
}

/// A reply is discarded.
pub fn reply_discarded(who: &str) -> String {
    format!("The reply to {who} is discarded.")
}

/// A decline is discarded.
pub fn decline_discarded(event: &str) -> String {
    format!("The decline of {event} is discarded.")
}

/// Somebody waits until then.
pub fn is_put_off(who: &str, until: &str) -> String {
    format!("{who} is put off until {until}.")
}

/// Somebody waited until then.
pub fn was_put_off(who: &str, until: &str) -> String {
    format!("{who} was put off until {until}.")
}

/// Somebody's message is done with.
pub fn waits_no_more(who: &str) -> String {
    format!("{who} no longer waits for your answer.")
}

/// Somebody waits as before.
pub fn waits_again(who: &str) -> String {
    format!("{who} waits for your answer again.")
}

/// A rule is no more.
pub fn rule_is_gone(name: &RuleName) -> String {
    format!("The rule {} is gone.", name.as_str().replace('-', " "))
}

/// Something that was chosen did not happen.
pub fn did_not_work(what: &str) -> String {
    format!("{what} It did not work.")
}

/// A name of a list as a sentence.
pub fn full_stop(text: &str) -> String {
    format!("{text}.")
}
