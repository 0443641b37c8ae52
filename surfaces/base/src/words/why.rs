//! Why something was decided, and how it ended.
//!
//! What: one sentence for each trigger, reason, outcome, state and failure. Why: silence and failure are told as plainly as success. Not here: times and scores (`render::drawer`).

use crate::language::{Text, say, text};
use toolcall_schema::{
    AgentStatus, Outcome, ReasonCode, StateName, Surface, WellnessState, result::ToolErrorCode,
    tick::TriggerSource, trace::Trace,
};

/// Why a tick started, without its time: "… at 07:45." follows.
pub fn trigger(source: TriggerSource) -> &'static str {
    match source {
        TriggerSource::PhoneUnlock => text("why-trigger-you-unlocked-the"),
        TriggerSource::CommsBurst => text("why-trigger-one-chat-got"),
        TriggerSource::Transaction => text("why-trigger-a-payment-came"),
        TriggerSource::LoadCrossed => text("why-trigger-your-load-score"),
        TriggerSource::BriefTime => text("why-trigger-it-was-the"),
        TriggerSource::AlertAt => text("why-trigger-something-in-your"),
        TriggerSource::MuteEnded => text("why-trigger-a-muted-chat"),
        TriggerSource::RuleEnded => text("why-trigger-a-pause-or"),
        TriggerSource::WindowEnded => text("why-trigger-the-quiet-half"),
        TriggerSource::Later => text("why-trigger-something-you-had"),
        TriggerSource::Interval => text("why-trigger-the-regular-look"),
        TriggerSource::Owner => text("why-trigger-you-asked"),
        TriggerSource::Call => text("why-trigger-you-did-this"),
    }
}

/// A card that was put off was due, with what it is about.
pub fn card_was_due(thing: &str) -> String {
    say!("why-card-was-due", thing)
}

/// Why a tick ended as it did, or why a candidate was removed.
pub fn reason(code: ReasonCode) -> &'static str {
    match code {
        ReasonCode::NoCandidate => text("why-reason-i-looked-at"),
        ReasonCode::BelowThreshold => text("why-reason-nothing-scored-high"),
        ReasonCode::CapDnd => text("why-reason-do-not-disturb"),
        ReasonCode::CapRecovering => text("why-reason-you-are-recovering"),
        ReasonCode::CapWindow => text("why-reason-something-was-shown"),
        ReasonCode::CapDaily => text("why-reason-the-days-attention"),
        ReasonCode::Rule => text("why-reason-a-rule-of"),
        ReasonCode::Paused => text("why-reason-you-paused-aura"),
        ReasonCode::DeliberationTimeout => text("why-reason-there-was-no"),
        ReasonCode::NoSurface => text("why-reason-there-was-nowhere"),
        ReasonCode::GateRefused => text("why-reason-its-tool-call"),
        ReasonCode::OwnerDismissed => text("why-reason-you-said-no"),
        ReasonCode::ConfirmTimeout => text("why-reason-it-was-not"),
        ReasonCode::Edited => text("why-reason-you-wanted-it"),
        ReasonCode::ToolFailed => text("why-reason-the-tool-failed"),
        ReasonCode::ResultRejected => text("why-reason-the-tools-answer"),
        ReasonCode::UnknownAfterCrash => text("why-reason-aura-was-interrupted"),
        ReasonCode::Superseded => text("why-reason-aura-its-policy"),
        ReasonCode::Later => text("why-reason-you-put-it"),
    }
}

/// The same in few words, to choose from.
pub fn reason_short(code: ReasonCode) -> &'static str {
    match code {
        ReasonCode::NoCandidate => text("why-short-no-candidate"),
        ReasonCode::BelowThreshold => text("why-short-below-threshold"),
        ReasonCode::CapDnd => text("why-short-cap-dnd"),
        ReasonCode::CapRecovering => text("why-short-cap-recovering"),
        ReasonCode::CapWindow => text("why-short-cap-window"),
        ReasonCode::CapDaily => text("why-short-cap-daily"),
        ReasonCode::Rule => text("why-short-rule"),
        ReasonCode::Paused => text("why-short-paused"),
        ReasonCode::DeliberationTimeout => text("why-short-deliberation-timeout"),
        ReasonCode::NoSurface => text("why-short-no-surface"),
        ReasonCode::GateRefused => text("why-short-gate-refused"),
        ReasonCode::OwnerDismissed => text("why-short-owner-dismissed"),
        ReasonCode::ConfirmTimeout => text("why-short-confirm-timeout"),
        ReasonCode::Edited => text("why-short-edited"),
        ReasonCode::ToolFailed => text("why-short-tool-failed"),
        ReasonCode::ResultRejected => text("why-short-result-rejected"),
        ReasonCode::UnknownAfterCrash => text("why-short-unknown-after-crash"),
        ReasonCode::Superseded => text("why-short-superseded"),
        ReasonCode::Later => text("why-short-later"),
    }
}

/// What has to change before Aura could speak: "I could speak again at 10:15, …".
pub fn once(code: ReasonCode) -> &'static str {
    match code {
        ReasonCode::NoCandidate => text("why-once-once-something-needs"),
        ReasonCode::BelowThreshold => text("why-once-once-something-matters"),
        ReasonCode::CapDnd => text("why-once-once-do-not"),
        ReasonCode::CapRecovering => text("why-once-once-the-60"),
        ReasonCode::CapWindow => text("why-once-30-minutes-after"),
        ReasonCode::CapDaily => text("why-once-when-the-new"),
        ReasonCode::Rule => text("why-once-once-your-rule"),
        ReasonCode::Paused => text("why-once-once-your-pause"),
        ReasonCode::NoSurface => text("why-once-once-a-page"),
        ReasonCode::Later => text("why-once-as-you-asked"),
        ReasonCode::DeliberationTimeout
        | ReasonCode::GateRefused
        | ReasonCode::OwnerDismissed
        | ReasonCode::ConfirmTimeout
        | ReasonCode::Edited
        | ReasonCode::ToolFailed
        | ReasonCode::ResultRejected
        | ReasonCode::UnknownAfterCrash
        | ReasonCode::Superseded => text("why-once-at-the-next"),
    }
}

/// How a tick ended.
pub fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Silent => text("why-outcome-aura-stayed-silent"),
        Outcome::ExecutedAuto => text("why-outcome-it-was-done"),
        Outcome::Confirmed => text("why-outcome-you-confirmed-it"),
        Outcome::Dismissed => text("why-outcome-it-was-not"),
        Outcome::Failed => text("why-outcome-it-was-chosen"),
    }
}

/// How a tick ended, in one word for a list.
pub fn outcome_short(outcome: Outcome, surface: Option<Surface>) -> &'static str {
    match outcome {
        Outcome::Silent => text("why-outcome-short-silent"),
        // An action without a card is not shown.
        Outcome::ExecutedAuto if surface == Some(Surface::Silent) => text("why-outcome-short-done"),
        Outcome::ExecutedAuto => text("why-outcome-short-shown"),
        Outcome::Confirmed => text("why-outcome-short-confirmed"),
        Outcome::Dismissed => text("why-outcome-short-dismissed"),
        Outcome::Failed => text("why-outcome-short-failed"),
    }
}

/// How the tick of a trace ended, in a word for a list: what was put off or nobody answered was not dismissed.
pub fn ended_short(trace: &Trace) -> &'static str {
    match (trace.outcome, trace.reason_code) {
        (Outcome::Dismissed, Some(ReasonCode::Later)) => super::PUT_OFF.say(),
        (Outcome::Dismissed, Some(ReasonCode::ConfirmTimeout)) => text("why-outcome-short-unanswered"),
        // Whoever asks for something by name has not confirmed it: it was done.
        (Outcome::Confirmed, _) if trace.decision.call.is_some() => {
            outcome_short(Outcome::ExecutedAuto, Some(Surface::Silent))
        }
        (outcome, _) => outcome_short(
            outcome,
            match (&trace.decision.call, &trace.decision.chosen) {
                // What was asked for is done; no card comes of it.
                (Some(_), _) => Some(Surface::Silent),
                (None, chosen) => chosen.as_ref().map(|chosen| chosen.surface),
            },
        ),
    }
}

/// What Aura does in a state.
pub fn state(state: StateName) -> &'static str {
    match state {
        StateName::Idle => text("why-state-waited"),
        StateName::Listening => text("why-state-asked-the-four"),
        StateName::Deliberating => text("why-state-weighed-what-they"),
        StateName::AwaitingConfirm => text("why-state-waited-for-your"),
        StateName::Executing => text("why-state-carried-it-out"),
        StateName::LoggingTrace => text("why-state-wrote-this-trace"),
        StateName::Cooldown => text("why-state-paused"),
    }
}

/// How an agent's part of a tick ended.
pub fn status(status: AgentStatus) -> &'static str {
    match status {
        AgentStatus::Answered => text("why-status-answered"),
        AgentStatus::Timeout => text("why-status-did-not-answer"),
        AgentStatus::Failed => text("why-status-was-not-able"),
        AgentStatus::Rejected => text("why-status-gave-an-answer"),
    }
}

/// Between an agent's name and how its part ended.
pub const BEFORE_STATUS: Text = Text("why-before-status");

/// An agent, and how its part ended.
pub fn agent_status(agent: &str, status: &str) -> String {
    say!("why-agent-status", agent, status)
}

/// The owner's state as Wellness sees it.
pub fn wellness(state: WellnessState) -> &'static str {
    match state {
        WellnessState::Baseline => text("why-wellness-nothing-unusual"),
        WellnessState::Stressed => text("why-wellness-under-stress"),
        WellnessState::Recovering => text("why-wellness-recovering"),
        WellnessState::Focused => text("why-wellness-in-a-focus"),
        WellnessState::Unknown => text("why-wellness-not-known"),
    }
}

/// Why a tool did not do its work.
pub fn tool_error(code: ToolErrorCode) -> &'static str {
    match code {
        ToolErrorCode::NotFound => text("why-tool-error-what-it-was"),
        ToolErrorCode::TooLate => text("why-tool-error-what-it-was-2"),
        ToolErrorCode::NotEnoughData => text("why-tool-error-there-is-not"),
        ToolErrorCode::TextUnknown => text("why-tool-error-what-it-said"),
        ToolErrorCode::Unavailable => text("why-tool-error-the-agent-was"),
    }
}
