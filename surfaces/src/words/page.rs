//! What the pages around a card say.
//!
//! What: titles, names for what a screen reader meets, and short sentences. Why: one place, ready for another language. Not here: the
//! sections (`sections`), the script (`script`).

use toolcall_schema::AgentName;

/// The watch's title.
pub const WATCH_TITLE: &str = "Aura watch";
/// The drawer's title, as a page.
pub const WHY_TITLE: &str = "Aura: why";
/// The part with what workflows ask.
pub const QUESTIONS: &str = "Questions of workflows";
/// The part with the ledger.
pub const ATTENTION: &str = "Attention";
/// The part with the pause.
pub const QUIET: &str = "Quiet";
/// The part with what is not as it should be.
pub const HEALTH: &str = "Health";
/// A prompt that cannot be answered any more.
pub const ANSWER_OVER: &str = "The time to answer is over.";
/// Behind the seconds of a countdown.
pub const S_LEFT: &str = "s left";
/// The same, spoken.
pub const SECONDS_LEFT: &str = "seconds left";
/// There is no card.
pub const NOTHING_WORTH: &str = "Nothing worth your time";
/// The same on the watch.
pub const NOTHING_NOW: &str = "Nothing now";
/// Quiet hours, or a signal.
pub const DND_IS_ON: &str = "Do not disturb is on.";
/// The day's list is empty.
pub const NO_DECISION: &str = "No decision yet today.";
/// The name of links at the top.
pub const OTHER_VIEWS: &str = "Other views";
/// The way back.
pub const BACK: &str = "Back";
/// The way back from a page that could not be shown.
pub const TO_THE_START: &str = "Go to the start page";
/// Nothing has that address.
pub const NO_SUCH_PAGE: &str = "This page does not exist";
/// The device's scope does not cover it.
pub const PAGE_OUT_OF_SCOPE: &str = "This device may not see this page";
/// Every other refusal; its own sentence follows.
pub const PAGE_FAILED: &str = "This page could not be shown";
/// Closes the drawer.
pub const CLOSE: &str = "Close";

/// The part that says why a page is empty.
pub const NOTHING_READ: &str = "Nothing is read";
/// Leads to allowing a source.
pub const TO_SOURCES: &str = "Choose what I may read";
/// Whatever would fill it is paused.
pub const ALL_PAUSED: &str = "Everything that would stand here is paused.";
/// Leads to going on.
pub const TO_PAUSED: &str = "Go on reading";

/// What would fill an empty page of an agent's; `None`: any page.
pub fn nothing_read(of: Option<AgentName>) -> &'static str {
    match of {
        Some(AgentName::Comms) => {
            "I read no messages yet. Allow your mail, and who waits for your answer stands here."
        }
        Some(AgentName::Finance) => {
            "I read no payments yet. Allow a statement of your bank, and what you spend stands here."
        }
        Some(AgentName::Wellness) => {
            "I read no measurements yet. Allow what your watch or your health app exports, and your sleep and your load stand here."
        }
        Some(AgentName::Calendar) => {
            "I read no events yet. Allow your calendar, and what comes next stands here."
        }
        Some(AgentName::Orchestrator) | None => {
            "I read nothing yet. Allow your mail, your calendar or a statement of your bank, and what matters in it stands here."
        }
    }
}

/// How long the pause lasts.
pub fn paused_until(at: &str) -> String {
    format!("Paused until {at}.")
}

/// What is left of the day's interruptions.
pub fn interruptions(free: u8, ceiling: u8) -> String {
    if ceiling == 0 {
        "Aura does not interrupt today".to_owned()
    } else {
        format!("{free} of {ceiling} interruptions left today")
    }
}
