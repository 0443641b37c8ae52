//! What the pages around a card say.
//!
//! What: titles, names for what a screen reader meets, and short sentences. Why: one place, ready for another language. Not here: the
//! sections (`sections`), the script (`script`).

use crate::language::{Text, say, text};
use toolcall_schema::{AgentName, catalogue::comms::WAITING_DAYS};

/// The watch's title.
pub const WATCH_TITLE: Text = Text("page-watch-title");
/// The drawer's title, as a page.
pub const WHY_TITLE: Text = Text("page-why-title");
/// The part with what workflows ask.
pub const QUESTIONS: Text = Text("page-questions");
/// The part with the ledger.
pub const ATTENTION: Text = Text("page-attention");
/// The part with the pause.
pub const QUIET: Text = Text("page-quiet");
/// The part with what is not as it should be.
pub const HEALTH: Text = Text("page-health");
/// A prompt that cannot be answered any more.
pub const ANSWER_OVER: Text = Text("page-answer-over");
/// Behind the seconds of a countdown.
pub const S_LEFT: Text = Text("page-s-left");
/// The same, spoken.
pub const SECONDS_LEFT: Text = Text("page-seconds-left");
/// There is no card.
pub const NOTHING_WORTH: Text = Text("page-nothing-worth");
/// The same where something was kept back for want of a page.
pub const MISSED_SOMETHING: Text = Text("page-missed-something");
/// The same where somebody waits.
pub fn wait_for_you(count: u32) -> String {
    say!("page-wait-for-you", count)
}
/// Above those who wait, where the title counts them.
pub fn longest_first() -> String {
    say!("page-longest-first", days = WAITING_DAYS)
}

/// The same above one.
pub const WHO_IT_IS: Text = Text("page-who-it-is");
pub const MISSED_WITHOUT_PAGE: Text = Text("page-missed-without-page");
/// The same on the watch.
pub const NOTHING_NOW: Text = Text("page-nothing-now");
/// Quiet hours, or a signal.
pub const DND_IS_ON: Text = Text("page-dnd-is-on");
/// The day's list is empty.
pub const NO_DECISION: Text = Text("page-no-decision");
/// The name of links at the top.
pub const OTHER_VIEWS: Text = Text("page-other-views");
/// The way back.
pub const BACK: Text = Text("page-back");
/// The way back from a page that could not be shown.
pub const TO_THE_START: Text = Text("page-to-the-start");
/// Nothing has that address.
pub const NO_SUCH_PAGE: Text = Text("page-no-such-page");
/// The device's scope does not cover it.
pub const PAGE_OUT_OF_SCOPE: Text = Text("page-page-out-of-scope");
/// Every other refusal; its own sentence follows.
pub const PAGE_FAILED: Text = Text("page-page-failed");
/// Closes the drawer.
pub const CLOSE: Text = Text("page-close");

/// The part that says why a page is empty.
pub const NOTHING_READ: Text = Text("page-nothing-read");
/// Leads to allowing a source.
pub const TO_SOURCES: Text = Text("page-to-sources");
/// Whatever would fill it is paused.
pub const ALL_PAUSED: Text = Text("page-all-paused");
/// Leads to going on.
pub const TO_PAUSED: Text = Text("page-to-paused");

/// What would fill an empty page of an agent's; `None`: any page.
pub fn nothing_read(of: Option<AgentName>) -> &'static str {
    match of {
        Some(AgentName::Comms) => text("page-nothing-read-i-read-no"),
        Some(AgentName::Finance) => text("page-nothing-read-i-read-no-2"),
        Some(AgentName::Wellness) => text("page-nothing-read-i-read-no-3"),
        Some(AgentName::Calendar) => text("page-nothing-read-i-read-no-4"),
        Some(AgentName::Orchestrator) | None => text("page-nothing-read-i-read-nothing"),
    }
}

/// Before the title of the event that comes next. `when`: `at 09:00`, `tomorrow at 09:00`.
pub fn next_event(when: &str) -> String {
    say!("page-next-event", when)
}

/// Heading of the events after the next one.
pub const LATER_TODAY: Text = Text("page-later-today");

/// When to leave for it.
pub fn leave_for_it(when: &str) -> String {
    say!("page-leave-for-it", when)
}

/// How long the pause lasts.
pub fn paused_until(at: &str) -> String {
    say!("page-paused-until", at)
}

/// A rule that lets nothing be said.
pub fn rule_keeps_quiet(rule: &str) -> String {
    say!("page-rule-keeps-quiet", rule)
}

/// What the dots stand for: full, ringed, empty.
pub fn interruptions_legend(free: u8, held: u8, used: u8) -> String {
    say!("page-interruptions-legend", free, held, used)
}

/// Of an interruption that is neither left nor used yet.
pub const INTERRUPTION_HELD: Text = Text("page-interruptions-held");

/// What is left of the day's interruptions.
pub fn interruptions(free: u8, ceiling: u8) -> String {
    if ceiling == 0 {
        text("page-interruptions-aura-does-not").to_owned()
    } else {
        say!("page-interruptions-of-interruptions-left", free, ceiling)
    }
}

/// What the owner set today and what holds from the next day on.
pub fn interruptions_from_midnight(ceiling: u8) -> String {
    say!("page-interruptions-from-midnight", ceiling)
}
