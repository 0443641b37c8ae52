//! What is said of what the owner did.
//!
//! What: a sentence for each act that names the thing and its end, and the words of taking it back. Why: "it was done" does not say what. Not here:
//! which acts there are (`render::acts`).

use crate::language::{Text, say};

/// Heading of what was done a moment ago.
pub const JUST_DONE: Text = Text("acts-just-done");
/// The page of all acts.
pub const WHAT_YOU_DID: Text = Text("acts-what-you-did");
/// What stands on it.
pub const WHAT_YOU_DID_SAYS: Text = Text("acts-what-you-did-says");
/// There is nothing.
pub const NOTHING_DONE: Text = Text("acts-nothing-done");
/// The link to that page.
pub const ALL_YOU_DID: Text = Text("acts-all-you-did");
/// Takes an act back.
pub const UNDO: Text = Text("acts-undo");
/// What was taken back is there again: a change, a rule, a draft.
pub const REDO_CHANGE: Text = Text("acts-redo-change");
pub const ADD_AGAIN: Text = Text("acts-add-again");
pub const BRING_BACK: Text = Text("acts-bring-back");
/// Takes a draft back.
pub const DISCARD: Text = Text("acts-discard");
/// It was taken back before.
pub const UNDONE_ALREADY: Text = Text("acts-undone-already");
/// It is taken back.
pub const UNDONE_NOW: Text = Text("acts-undone-now");
/// A later change of the same setting took its place.
pub const CHANGED_AGAIN: Text = Text("acts-changed-again");
/// A chat without a name.
pub const THIS_CHAT: Text = Text("acts-this-chat");
/// An event without a name.
pub const AN_EVENT: Text = Text("acts-an-event");
/// The pause was ended.
pub const PAUSE_IS_OVER: Text = Text("acts-pause-is-over");

/// When a card came that was put away.
pub fn of_card(at: &str) -> String {
    say!("acts-of-card", at)
}

/// The name of a button on an act.
pub fn undo_act(button: &str, says: &str) -> String {
    format!("{button}: {says}")
}

/// Opens the form that names a chat.
pub const NAME_THIS_CHAT: Text = Text("acts-name-this-chat");
/// The form's field.
pub const YOUR_NAME_FOR_IT: Text = Text("acts-your-name-for-it");
/// Keeps the name.
pub const SAVE_NAME: Text = Text("acts-save-name");

/// The same, for which chat.
pub fn name_this_chat(called: &str) -> String {
    say!("acts-name-this-chat-2", called)
}

/// A chat is quiet until then.
pub fn is_muted(chat: &str, until: &str) -> String {
    say!("acts-is-muted", chat, until)
}

/// A chat was quiet until then.
pub fn was_muted(chat: &str, until: &str) -> String {
    say!("acts-was-muted", chat, until)
}

/// A chat is no longer muted.
pub fn speaks_again(chat: &str) -> String {
    say!("acts-speaks-again", chat)
}

/// A reply lies in the outbox.
pub fn reply_drafted(who: &str) -> String {
    say!("acts-reply-drafted", who)
}

/// A decline lies in the outbox.
pub fn decline_drafted(event: &str) -> String {
    say!("acts-decline-drafted", event)
}

/// A discarded draft lies there again.
pub fn reply_restored(who: &str) -> String {
    say!("acts-reply-restored", who)
}

/// A reply is discarded.
pub fn reply_discarded(who: &str) -> String {
    say!("acts-reply-discarded", who)
}

/// A decline is discarded.
pub fn decline_discarded(event: &str) -> String {
    say!("acts-decline-discarded", event)
}

/// Somebody waits until then.
pub fn is_put_off(who: &str, until: &str) -> String {
    say!("acts-is-put-off", who, until)
}

/// Somebody waited until then.
pub fn was_put_off(who: &str, until: &str) -> String {
    say!("acts-was-put-off", who, until)
}

/// Somebody's message is done with.
pub fn waits_no_more(who: &str) -> String {
    say!("acts-waits-no-more", who)
}

/// Somebody waits as before.
pub fn waits_again(who: &str) -> String {
    say!("acts-waits-again", who)
}

/// There was to be quiet until then.
pub fn was_paused(until: &str) -> String {
    say!("acts-was-paused", until)
}

/// A rule stands.
pub fn rule_is_added(rule: &str) -> String {
    say!("acts-rule-is-added", rule)
}

/// A rule stands no more, by the owner's word.
pub fn rule_is_removed(rule: &str) -> String {
    say!("acts-rule-is-removed", rule)
}

/// When a pause or a rule ended.
pub fn ended_at(at: &str) -> String {
    say!("acts-ended-at", at)
}

/// A rule stood.
pub fn rule_was_added(rule: &str) -> String {
    say!("acts-rule-was-added", rule)
}

/// A rule is no more, and what it said is not known.
pub const RULE_IS_GONE: Text = Text("acts-rule-is-gone");

/// Something that was chosen did not happen.
pub fn did_not_work(what: &str, thing: Option<&str>) -> String {
    if let Some(thing) = thing {
        return say!("acts-did-not-work-with", what, thing);
    }
    say!("acts-did-not-work", what)
}

/// A name of a list as a sentence.
pub fn full_stop(text: &str) -> String {
    format!("{text}.")
}
