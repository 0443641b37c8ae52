//! The sentence of a decision.
//!
//! What: what was asked for, what came closest, what was held back. Why: one place, ready for another language. Not here: which of them is said
//! (`render::sentence`), reasons and kinds by themselves (`why`, `kinds`).

use toolcall_schema::ToolName;

/// What the owner asked for; `None`: it is not known which tool that was.
pub fn asked_for(tool: Option<ToolName>) -> &'static str {
    let of = |one: ToolName| tool == Some(one);
    if of(ToolName::UnmuteChannel) {
        "You ended a chat's mute."
    } else if of(ToolName::MuteChannel) {
        "You muted a chat."
    } else if of(ToolName::EndPause) {
        "You ended the pause."
    } else if of(ToolName::RemoveRule) {
        "You took a rule back."
    } else if of(ToolName::LearnFromAct) {
        "I learned from what you did with a card."
    } else if of(ToolName::CorrectLearned) {
        "You corrected what I had learned."
    } else if of(ToolName::ResetLearned) {
        "You had me unlearn something."
    } else if of(ToolName::JudgeSender) {
        "You said whether a sender's payments count."
    } else if of(ToolName::AnswerQuestion) {
        "You said what was paid in a message."
    } else if of(ToolName::SamePerson) {
        "You said who is one person."
    } else if of(ToolName::AllowSpending) {
        "You said what spending is usual."
    } else if of(ToolName::Snooze) {
        "You put a message off."
    } else if of(ToolName::TakeBack) {
        "You took back what was done with a message."
    } else if of(ToolName::DiscardDecline) {
        "You discarded the draft of a decline."
    } else {
        "You asked for this."
    }
}

/// It came back because the owner had put it off.
pub fn put_off_until_now(why: &str) -> String {
    format!("You put it off until now. {why}")
}

/// It came because a program asks.
pub fn program_asks(why: &str) -> String {
    format!("A program asks for it. {why}")
}

/// What had been put off has gone.
pub const PUT_OFF_IS_GONE: &str = "What you had put off does not come up any more.";

/// The best of what was proposed was not worth it.
pub fn came_closest(what: &str) -> String {
    format!("{what} came closest, and was not worth an interruption.")
}

/// Something was held back.
pub fn held_back(what: &str, reason: &str) -> String {
    format!("{what} was held back. {reason}")
}

/// Who did not answer.
pub fn not_heard(who: &str) -> String {
    format!("Not heard: {who}.")
}

/// A chat that is quiet already.
pub const ALREADY_MUTED: &str = "This chat is muted already.";
/// A rule of the owner's forbade it.
pub const RULE_FORBADE: &str = "A rule of yours forbade it.";
