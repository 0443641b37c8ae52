//! Why something was decided, and how it ended.
//!
//! What: one sentence for each trigger, reason, outcome, state and failure. Why: silence and failure are told as plainly as success. Not here: times and scores (`render::drawer`).

use toolcall_schema::{
    AgentStatus, Outcome, ReasonCode, StateName, Surface, WellnessState, result::ToolErrorCode,
    tick::TriggerSource,
};

/// Why a tick started, without its time: "… at 07:45." follows.
pub fn trigger(source: TriggerSource) -> &'static str {
    match source {
        TriggerSource::PhoneUnlock => "You unlocked the phone",
        TriggerSource::CommsBurst => "One chat got loud",
        TriggerSource::Transaction => "A payment came in",
        TriggerSource::LoadCrossed => "Your load score rose past 70",
        TriggerSource::BriefTime => "It was the time of your morning brief",
        TriggerSource::AlertAt => "Something in your calendar came near",
        TriggerSource::MuteEnded => "A muted chat came back",
        TriggerSource::RuleEnded => "A pause or a rule of yours ended",
        TriggerSource::WindowEnded => "The quiet half hour ended while something was waiting for it",
        TriggerSource::Later => "Something you had put off was due",
        TriggerSource::Interval => "The regular look, every 15 minutes,",
        TriggerSource::Owner => "You asked",
        TriggerSource::Call => "You did this yourself",
    }
}

/// Why a tick ended as it did, or why a candidate was removed.
pub fn reason(code: ReasonCode) -> &'static str {
    match code {
        ReasonCode::NoCandidate => "I looked at what I may read, and nothing in it needs you now.",
        ReasonCode::BelowThreshold => "Nothing scored high enough to be worth an interruption.",
        ReasonCode::CapDnd => "Do not disturb is on.",
        ReasonCode::CapRecovering => "You are recovering: Aura stays quiet for 60 minutes.",
        ReasonCode::CapWindow => "Something was shown less than 30 minutes earlier.",
        ReasonCode::CapDaily => "The day's attention is spent.",
        ReasonCode::Rule => "A rule of yours, or a mute, says no.",
        ReasonCode::Paused => "You paused Aura.",
        ReasonCode::DeliberationTimeout => "There was no decision within 1.5 seconds, so nothing was done.",
        ReasonCode::NoSurface => "There was nowhere to show it: no page was open.",
        ReasonCode::GateRefused => "Its tool call would not have passed the check.",
        ReasonCode::OwnerDismissed => "You said no.",
        ReasonCode::ConfirmTimeout => "It was not answered in time.",
        ReasonCode::Edited => "You wanted it otherwise.",
        ReasonCode::ToolFailed => "The tool failed, or did not answer within 5 seconds.",
        ReasonCode::ResultRejected => "The tool's answer did not pass the check.",
        ReasonCode::UnknownAfterCrash => {
            "Aura was interrupted while doing it; whether it was done is unknown, and it was not done twice."
        }
        ReasonCode::Superseded => "Aura, its policy or its tools changed while the question was open.",
        ReasonCode::Later => "You put it off.",
    }
}

/// What has to change before Aura could speak: "It could speak again at 10:15, …".
pub fn once(code: ReasonCode) -> &'static str {
    match code {
        ReasonCode::NoCandidate => "once something needs you",
        ReasonCode::BelowThreshold => "once something matters more",
        ReasonCode::CapDnd => "once do not disturb ends",
        ReasonCode::CapRecovering => "once the 60 quiet minutes are over",
        ReasonCode::CapWindow => "30 minutes after the last card",
        ReasonCode::CapDaily => "when the new day brings new attention",
        ReasonCode::Rule => "once your rule or the mute ends",
        ReasonCode::Paused => "once your pause ends",
        ReasonCode::NoSurface => "once a page is open",
        ReasonCode::Later => "as you asked",
        ReasonCode::DeliberationTimeout
        | ReasonCode::GateRefused
        | ReasonCode::OwnerDismissed
        | ReasonCode::ConfirmTimeout
        | ReasonCode::Edited
        | ReasonCode::ToolFailed
        | ReasonCode::ResultRejected
        | ReasonCode::UnknownAfterCrash
        | ReasonCode::Superseded => "at the next look",
    }
}

/// How a tick ended.
pub fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Silent => "Aura stayed silent.",
        Outcome::ExecutedAuto => "It was done without asking, as its kind allows.",
        Outcome::Confirmed => "You confirmed it and it was done.",
        Outcome::Dismissed => "It was not done.",
        Outcome::Failed => "It was chosen, and it did not work.",
    }
}

/// How a tick ended, in one word for a list.
pub fn outcome_short(outcome: Outcome, surface: Option<Surface>) -> &'static str {
    match outcome {
        Outcome::Silent => "silent",
        // An action without a card is not shown.
        Outcome::ExecutedAuto if surface == Some(Surface::Silent) => "done",
        Outcome::ExecutedAuto => "shown",
        Outcome::Confirmed => "confirmed",
        Outcome::Dismissed => "dismissed",
        Outcome::Failed => "failed",
    }
}

/// What Aura does in a state.
pub fn state(state: StateName) -> &'static str {
    match state {
        StateName::Idle => "waited",
        StateName::Listening => "asked the four agents",
        StateName::Deliberating => "weighed what they proposed",
        StateName::AwaitingConfirm => "waited for your answer",
        StateName::Executing => "carried it out",
        StateName::LoggingTrace => "wrote this trace",
        StateName::Cooldown => "paused",
    }
}

/// How an agent's part of a tick ended.
pub fn status(status: AgentStatus) -> &'static str {
    match status {
        AgentStatus::Answered => "answered",
        AgentStatus::Timeout => "did not answer in time",
        AgentStatus::Failed => "was not able to answer",
        AgentStatus::Rejected => "gave an answer that did not pass the check",
    }
}

/// The owner's state as Wellness sees it.
pub fn wellness(state: WellnessState) -> &'static str {
    match state {
        WellnessState::Baseline => "nothing unusual",
        WellnessState::Stressed => "under stress",
        WellnessState::Recovering => "recovering",
        WellnessState::Focused => "in a focus block",
        WellnessState::Unknown => "not known",
    }
}

/// Why a tool did not do its work.
pub fn tool_error(code: ToolErrorCode) -> &'static str {
    match code {
        ToolErrorCode::NotFound => "What it was about is not there any more.",
        ToolErrorCode::TooLate => "What it was about is over.",
        ToolErrorCode::NotEnoughData => "There is not enough data for it yet.",
        ToolErrorCode::TextUnknown => {
            "What it said is no longer known (AGENT-009): Aura keeps what a message told, not its text."
        }
        ToolErrorCode::Unavailable => "The agent was not able to do it at the moment.",
    }
}
