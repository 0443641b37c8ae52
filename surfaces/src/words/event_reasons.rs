//! Why something was, or was not, said about an event.
//!
//! What: a sentence for each reason, and what would change it. Why: who asks "why was I not told?" gets an answer where the event stands. Not here: which
//! reason it is (`render::section::event_reasons`).

use toolcall_schema::ActionKind;

/// Heading where something was said.
pub const SAID_ABOUT_IT: &str = "What I said about it";
/// Heading where nothing was.
pub const WHY_NOT_SAID: &str = "Why I said nothing about it so far";
/// Heading of what else could be said.
pub const WHAT_ELSE: &str = "What else I could say, and why I did not";
/// Of an event that Calendar does not know now: nothing more can be told.
pub const NOTHING_SAID_EVER: &str = "I said nothing about it in the last eight days.";
/// The brief named it.
pub const NAMED_IN_BRIEF: &str = "I named it in the morning brief.";
/// Opens the decision.
pub const WHY_THEN: &str = "Why, and what would have changed it";
/// The way to the places and speeds.
pub const TO_PLACES: &str = "Say where you are and how you travel";
/// The way to the switch of cards before meetings.
pub const SWITCH_IT_ON: &str = "Switch it on";
/// The brief counts it.
pub const BRIEF_COUNTS: &str = "The brief counts the events of its day and names only the next one.";

/// What was said then, and how that ended.
pub fn said_at(when: &str, came: &str) -> String {
    format!("{when}: {came}.")
}

/// It was held back, once or more often.
pub fn held_back_at(when: &str, times: u32, why: &str) -> String {
    if times == 1 {
        format!("Held back {when}. {why}")
    } else {
        format!("Held back {times} times, the last time {when}. {why}")
    }
}

/// Something else came first.
pub fn other_came_first(other: ActionKind) -> String {
    format!("Something else came first: {}.", super::action(other))
}

/// Nobody has to leave for it.
pub const LASTS_ALL_DAY: &str = "It lasts all day, so there is no hour at which you have to leave.";
/// It says no place.
pub const NO_PLACE_TO_GO: &str =
    "It names no place, so I do not know when you have to leave. Add the place in your calendar.";
/// Its place is not known.
pub const WAY_NOT_KNOWN: &str = "I do not know how long the way there is.";

/// The way is short.
pub fn way_is_short(travel: &str, least: &str) -> String {
    format!("The way takes {travel}. I say when to leave from {least} on.")
}

/// It will be said.
pub fn will_say_leave(when: &str) -> String {
    format!("I say it from an hour before you have to leave, {when}, if it is the next thing then.")
}

/// It may be said at any moment.
pub const MAY_SAY_NOW: &str = "I may say it at my next look, if nothing else comes first.";

/// The moment passed.
pub fn leave_is_over(when: &str) -> String {
    format!(
        "You had to leave {when}. In the hour before, I did not look, or another event was still to come before it."
    )
}

/// Nobody else is there.
pub const NOBODY_TO_PREPARE_FOR: &str = "Nobody else is invited, so there is nothing to get ready for.";
/// The owner did not ask for it.
pub const PREPARE_IS_OFF: &str = "You have not asked me to speak before meetings.";
/// It cannot be told whether the owner asked for it.
pub const PREPARE_IF_ON: &str = "I speak ten minutes before meetings only where that is switched on.";

/// It will come.
pub fn will_prepare(when: &str) -> String {
    format!("I say who is there ten minutes before, {when}.")
}

/// It has begun.
pub const PREPARE_IS_OVER: &str =
    "In the ten minutes before it, I did not look, or something else came first.";

/// Nothing overlaps.
pub const CLASHES_WITH_NOTHING: &str = "It overlaps with nothing.";
/// Something does.
pub const CLASH_OFFER: &str =
    "I offer to decline the one that was put in later, as long as you have not answered its invitation.";

/// With what it overlaps, before the names.
pub const IT_CLASHES_WITH: &str = "It overlaps with";

/// The owner paused Aura for longer.
pub const PAUSED_THEN: &str = "But you paused me for longer than that.";
/// Quiet hours.
pub const QUIET_THEN: &str = "But those are quiet hours.";

/// No interruption is allowed.
pub const NO_INTERRUPTION_THEN: &str = "But you allow me no interruption a day.";

/// A rule stands against it.
pub fn rule_then(rule: &str) -> String {
    format!("But a rule of yours forbids it then. {rule}.")
}

/// The same of what could come now.
pub fn rule_forbids(rule: &str) -> String {
    format!("A rule of yours forbids it. {rule}.")
}
