//! Why something was, or was not, said about an event.
//!
//! What: a sentence for each reason, and what would change it. Why: who asks "why was I not told?" gets an answer where the event stands. Not here: which
//! reason it is (`render::section::event_reasons`).

use crate::language::{Text, say};
use toolcall_schema::ActionKind;

/// Heading where something was said.
pub const SAID_ABOUT_IT: Text = Text("event-reasons-said-about-it");
/// Heading where nothing was.
pub const WHY_NOT_SAID: Text = Text("event-reasons-why-not-said");
/// Heading of what else could be said.
pub const WHAT_ELSE: Text = Text("event-reasons-what-else");
/// Of an event that Calendar does not know now: nothing more can be told.
pub const NOTHING_SAID_EVER: Text = Text("event-reasons-nothing-said-ever");
/// The brief named it.
pub const NAMED_IN_BRIEF: Text = Text("event-reasons-named-in-brief");
/// Opens the decision.
pub const WHY_THEN: Text = Text("event-reasons-why-then");
/// The way to the places and speeds.
pub const TO_PLACES: Text = Text("event-reasons-to-places");
/// The way to the switch of cards before meetings.
pub const SWITCH_IT_ON: Text = Text("event-reasons-switch-it-on");
/// The brief counts it.
pub const BRIEF_COUNTS: Text = Text("event-reasons-brief-counts");

/// What was said then, and how that ended.
pub fn said_at(when: &str, came: &str) -> String {
    format!("{when}: {came}.")
}

/// It was held back, once or more often.
pub fn held_back_at(when: &str, times: u32, why: &str) -> String {
    if times == 1 {
        say!("event-reasons-held-back-at-held-back", when, why)
    } else {
        say!("event-reasons-held-back-at-held-back-times", times, when, why)
    }
}

/// Something else came first.
pub fn other_came_first(other: ActionKind) -> String {
    say!("event-reasons-other-came-first", action = super::action(other))
}

/// Nobody has to leave for it.
pub const LASTS_ALL_DAY: Text = Text("event-reasons-lasts-all-day");
/// It says no place.
pub const NO_PLACE_TO_GO: Text = Text("event-reasons-no-place-to-go");
/// Its place is not known.
pub const WAY_NOT_KNOWN: Text = Text("event-reasons-way-not-known");

/// The way is short.
pub fn way_is_short(travel: &str, least: &str) -> String {
    say!("event-reasons-way-is-short", travel, least)
}

/// It will be said.
pub fn will_say_leave(when: &str) -> String {
    say!("event-reasons-will-say-leave", when)
}

/// It may be said at any moment.
pub const MAY_SAY_NOW: Text = Text("event-reasons-may-say-now");

/// The moment passed.
pub fn leave_is_over(when: &str) -> String {
    say!("event-reasons-leave-is-over", when)
}

/// Nobody else is there.
pub const NOBODY_TO_PREPARE_FOR: Text = Text("event-reasons-nobody-to-prepare-for");
/// The owner did not ask for it.
pub const PREPARE_IS_OFF: Text = Text("event-reasons-prepare-is-off");
/// It cannot be told whether the owner asked for it.
pub const PREPARE_IF_ON: Text = Text("event-reasons-prepare-if-on");

/// It will come.
pub fn will_prepare(when: &str) -> String {
    say!("event-reasons-will-prepare", when)
}

/// It has begun.
pub const PREPARE_IS_OVER: Text = Text("event-reasons-prepare-is-over");

/// Nothing overlaps.
pub const CLASHES_WITH_NOTHING: Text = Text("event-reasons-clashes-with-nothing");
/// Something does.
pub const CLASH_OFFER: Text = Text("event-reasons-clash-offer");

/// With what it overlaps, before the names.
pub const IT_CLASHES_WITH: Text = Text("event-reasons-it-clashes-with");

/// The owner paused Aura for longer.
pub const PAUSED_THEN: Text = Text("event-reasons-paused-then");
/// Quiet hours.
pub const QUIET_THEN: Text = Text("event-reasons-quiet-then");

/// No interruption is allowed.
pub const NO_INTERRUPTION_THEN: Text = Text("event-reasons-no-interruption-then");

/// A rule stands against it.
pub fn rule_then(rule: &str) -> String {
    say!("event-reasons-rule-then", rule)
}

/// The same of what could come now.
pub fn rule_forbids(rule: &str) -> String {
    say!("event-reasons-rule-forbids", rule)
}
