//! Aura's plain words: one sentence or phrase for every name of the vocabularies.
//!
//! What: the only file with sentences that are shown to the owner about kinds, reasons, triggers, states. Why: one voice,
//! and a new name in a vocabulary does not compile until it has its words. Not here: numbers (`format`), the layout
//! (`render`, `web`). All texts are ours: none comes from outside.

use crate::{
    backend::{Act, HealthFlag},
    format::WEEK,
    runs::Standing,
};
use toolcall_schema::{
    ActionKind, AgentName, AgentStatus, Category, Outcome, ReasonCode, Severity, StateName, Surface, Tone,
    WellnessState,
    result::ToolErrorCode,
    rule::OwnerRule,
    tick::{ReadingKey, TriggerSource},
};

/// The last line of each drawer: how the owner says when not to speak. Words between backquotes are typed.
pub const TELL_ME_WHEN_NOT_TO: &str = "Tell me when not to: a rule for this kind or this chat, for hours and days (on Aura's page, \
    or `aura rule add`), or quiet for a time (`aura pause 2h`). Quiet hours for everything (`dnd`) are in your home file.";

/// The title of the operator's page.
pub const REFUSED_TITLE: &str = "Refused calls, results and messages";

/// What the empty pointer means.
pub const WHOLE_DOCUMENT: &str = "the whole of it";

/// How many are shown.
pub fn refused_count(more: bool, count: usize) -> String {
    match (more, count) {
        (_, 0) => "Nothing was refused.".to_owned(),
        (false, 1) => "One, and nothing came of it.".to_owned(),
        (false, count) => format!("{count}, newest first. Nothing came of them."),
        (true, count) => format!("The newest {count}. Nothing came of them; `aura quarantine list` has all."),
    }
}

/// What unfolds to show the kept bytes.
pub fn refused_bytes(bytes: u64, base64: bool) -> String {
    let how = if base64 { ", no text, shown as base64" } else { "" };
    format!("{bytes} bytes{how}")
}

/// Where a run of a workflow stands.
pub fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Running => "at work",
        Standing::Interrupted => "interrupted",
        Standing::Waiting => "waits for you",
        Standing::Stopped => "stopped",
        Standing::Completed => "completed",
        Standing::Expired => "not answered in time",
        Standing::Cancelled => "ended by you",
        Standing::Undone => "taken back",
    }
}

/// How often, in words.
pub fn times(count: u16) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        more => format!("{more} times"),
    }
}

/// What a rule of the owner forbids, in words.
pub fn rule(rule: &OwnerRule) -> String {
    let kinds: Vec<&str> = rule.kinds.iter().map(|kind| action(*kind)).collect();
    let mut parts = vec![if kinds.is_empty() {
        "Nothing".to_owned()
    } else {
        format!("Not: {}", kinds.join(", "))
    }];
    if let Some(subject) = &rule.subject {
        parts.push(
            if subject.as_str().starts_with("ch_") {
                "about one chat"
            } else {
                "about one thing"
            }
            .to_owned(),
        );
    }
    let clock = |time: chrono::NaiveTime| time.format("%H:%M").to_string();
    parts.extend(
        rule.hours
            .map(|(from, to)| format!("from {} to {}", clock(from), clock(to))),
    );
    if !rule.days.is_empty() {
        let name = |day: &u8| {
            WEEK.get(usize::from(*day).wrapping_sub(1))
                .copied()
                .unwrap_or_default()
        };
        parts.push(format!(
            "on {}",
            rule.days.iter().map(name).collect::<Vec<_>>().join(", ")
        ));
    }
    if rule.until.is_some() {
        parts.push("for a time".to_owned());
    }
    format!("{} ({})", parts.join(" "), rule.name)
}

/// An agent's name.
pub fn agent(agent: AgentName) -> &'static str {
    match agent {
        AgentName::Comms => "Comms",
        AgentName::Calendar => "Calendar",
        AgentName::Finance => "Finance",
        AgentName::Wellness => "Wellness",
        AgentName::Orchestrator => "Aura",
    }
}

/// What an action is, as an item of a list.
pub fn action(kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::MuteGroup30 => "Mute a chat for 30 minutes",
        ActionKind::Breathe478 => "A short breathing break",
        ActionKind::Nap15 => "A 15-minute nap",
        ActionKind::PermitLeisure => "A break without a bad conscience",
        ActionKind::BatchDigest => "A digest of many messages",
        ActionKind::ShowBrief => "The morning brief",
        ActionKind::LeaveByAlert => "When to leave",
        ActionKind::CategorizeTxn => "Sort new payments",
        ActionKind::SurfaceAnomaly => "Unusual spending",
        ActionKind::ProjectBalance => "The balance at the month's end",
        ActionKind::DraftReply => "Draft a reply",
        ActionKind::DeclineEvent => "Draft a decline",
    }
}

/// The title of a card that asks, or that has no result yet.
pub fn title(kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::MuteGroup30 => "Mute this chat for 30 minutes?",
        ActionKind::Breathe478 => "Take a moment to breathe?",
        ActionKind::Nap15 => "Take a 15-minute nap?",
        ActionKind::PermitLeisure => "Take a break now?",
        ActionKind::BatchDigest => "Your messages, in short",
        ActionKind::ShowBrief => "Your morning",
        ActionKind::LeaveByAlert => "Time to think of leaving",
        ActionKind::CategorizeTxn => "New payments, sorted",
        ActionKind::SurfaceAnomaly => "More spent than usual today",
        ActionKind::ProjectBalance => "Where this month ends",
        ActionKind::DraftReply => "Draft a reply?",
        ActionKind::DeclineEvent => "Draft a decline?",
    }
}

/// The one line of the watch: at most 40 characters, at most one number, nothing from outside.
pub fn watch_line(kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::MuteGroup30 => "Mute this chat for 30 minutes?",
        ActionKind::Breathe478 => "A moment to breathe?",
        ActionKind::Nap15 => "A 15-minute nap?",
        ActionKind::PermitLeisure => "Take a break now?",
        ActionKind::BatchDigest => "Your messages, in short",
        ActionKind::ShowBrief => "Your morning brief is ready",
        ActionKind::LeaveByAlert => "Time to think of leaving",
        ActionKind::CategorizeTxn => "New payments are sorted",
        ActionKind::SurfaceAnomaly => "More spent than usual today",
        ActionKind::ProjectBalance => "Where this month ends",
        ActionKind::DraftReply => "Draft a reply?",
        ActionKind::DeclineEvent => "Draft a decline?",
    }
}

/// What the earbud says about a card that is on the phone: the action kind only.
pub fn earbud(kind: ActionKind) -> String {
    format!("On your phone: {}.", action(kind))
}

/// The button that confirms.
pub fn confirm(kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::MuteGroup30 => "Mute",
        ActionKind::Breathe478 => "Breathe",
        ActionKind::Nap15 => "Start the nap",
        ActionKind::PermitLeisure => "Take the break",
        ActionKind::DraftReply | ActionKind::DeclineEvent => "Write the draft",
        ActionKind::BatchDigest
        | ActionKind::ShowBrief
        | ActionKind::LeaveByAlert
        | ActionKind::CategorizeTxn
        | ActionKind::SurfaceAnomaly
        | ActionKind::ProjectBalance => "Confirm",
    }
}

/// The buttons.
pub fn act(act: Act, kind: ActionKind) -> &'static str {
    match act {
        Act::Confirm => confirm(kind),
        Act::Dismiss => "Dismiss",
        Act::Useful => "Useful",
        Act::Edit => "Not like this",
    }
}

/// Why a tick started, without its time: "… at 07:45." follows.
pub fn trigger(source: TriggerSource) -> &'static str {
    match source {
        TriggerSource::PhoneUnlock => "You unlocked the phone",
        TriggerSource::CommsBurst => "One chat got loud",
        TriggerSource::Transaction => "A payment came in",
        TriggerSource::LoadCrossed => "Your load score rose past 70",
        TriggerSource::BriefTime => "It was the time of your morning brief",
        TriggerSource::AlertAt => "It was time to think of leaving",
        TriggerSource::MuteEnded => "A muted chat came back",
        TriggerSource::RuleEnded => "A pause or a rule of yours ended",
        TriggerSource::WindowEnded => "The quiet half hour ended while a departure was waiting",
        TriggerSource::Interval => "The regular look, every 15 minutes,",
        TriggerSource::Owner => "You asked",
    }
}

/// Why a tick ended as it did, or why a candidate was removed.
pub fn reason(code: ReasonCode) -> &'static str {
    match code {
        ReasonCode::NoCandidate => "No agent proposed anything.",
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
        ReasonCode::Superseded => "The policy or the tools changed while the question was open.",
    }
}

/// What has to change before Aura could speak: "It could speak again at 10:15, …".
pub fn once(code: ReasonCode) -> &'static str {
    match code {
        ReasonCode::NoCandidate => "once an agent finds something",
        ReasonCode::BelowThreshold => "once something matters more",
        ReasonCode::CapDnd => "once do not disturb ends",
        ReasonCode::CapRecovering => "once the 60 quiet minutes are over",
        ReasonCode::CapWindow => "30 minutes after the last card",
        ReasonCode::CapDaily => "when the new day brings new attention",
        ReasonCode::Rule => "once your rule or the mute ends",
        ReasonCode::Paused => "once your pause ends",
        ReasonCode::NoSurface => "once a page is open",
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

/// How an agent's part of a tick ended.
pub fn status(status: AgentStatus) -> &'static str {
    match status {
        AgentStatus::Answered => "answered",
        AgentStatus::Timeout => "did not answer in time",
        AgentStatus::Failed => "was not able to answer",
        AgentStatus::Rejected => "gave an answer that did not pass the check",
    }
}

/// What a reading measures.
pub fn reading(key: ReadingKey) -> &'static str {
    match key {
        ReadingKey::Messages => "Messages",
        ReadingKey::Actionable => "Want an answer",
        ReadingKey::BusiestChannel => "In the busiest chat",
        ReadingKey::ImportantMail => "Important unread mail",
        ReadingKey::EventsToday => "Events left today",
        ReadingKey::Conflicts => "Overlapping events",
        ReadingKey::TravelMin => "Way to the next event",
        ReadingKey::BufferMin => "Kept free before leaving",
        ReadingKey::LeaveInMin => "Until you have to leave",
        ReadingKey::SpentToday => "Spent today",
        ReadingKey::VersusUsualPct => "Against a usual day",
        ReadingKey::ZScore => "How far out (robust z)",
        ReadingKey::Uncategorized => "Payments not sorted yet",
        ReadingKey::BalanceEndOfMonth => "Balance at the month's end",
        ReadingKey::DaysToZero => "Until the balance is zero",
        ReadingKey::LoadScore => "Load score, of 100",
        ReadingKey::RmssdMs => "Heart-rate variability (RMSSD)",
        ReadingKey::RmssdZ => "Variability against your median (z)",
        ReadingKey::SleepMin => "Slept last night",
        ReadingKey::SleepDebtMin => "Sleep missing",
        ReadingKey::TypingEntropy => "Typing entropy",
        ReadingKey::AppSwitchRate => "Program switches",
        ReadingKey::DismissRate => "Share of notifications dismissed",
        ReadingKey::ScreenOnMin => "Screen in the last hour",
        ReadingKey::LoadDrop => "Load below its recent peak by",
    }
}

/// A reading as a line of a card that asks: the value with its unit stands in it.
pub fn reading_line(key: ReadingKey, value: &str) -> String {
    match key {
        ReadingKey::Messages => format!("{value} messages"),
        ReadingKey::Actionable => format!("{value} want an answer"),
        ReadingKey::BusiestChannel => format!("{value} messages in the busiest chat"),
        ReadingKey::LoadScore => format!("Load {value} of 100"),
        ReadingKey::LoadDrop => format!("Load fell by {value}"),
        ReadingKey::SleepMin => format!("Slept {value}"),
        ReadingKey::SleepDebtMin => format!("{value} of sleep missing"),
        ReadingKey::EventsToday => format!("{value} events left today"),
        ReadingKey::TravelMin => format!("{value} to get there"),
        ReadingKey::SpentToday => format!("{value} spent today"),
        ReadingKey::ImportantMail
        | ReadingKey::Conflicts
        | ReadingKey::BufferMin
        | ReadingKey::LeaveInMin
        | ReadingKey::VersusUsualPct
        | ReadingKey::ZScore
        | ReadingKey::Uncategorized
        | ReadingKey::BalanceEndOfMonth
        | ReadingKey::DaysToZero
        | ReadingKey::RmssdMs
        | ReadingKey::RmssdZ
        | ReadingKey::TypingEntropy
        | ReadingKey::AppSwitchRate
        | ReadingKey::DismissRate
        | ReadingKey::ScreenOnMin => format!("{}: {value}", reading(key)),
    }
}

/// A spending category, as it stands after "on".
pub fn category(category: Category) -> &'static str {
    match category {
        Category::FoodDelivery => "eating out and delivery",
        Category::Groceries => "groceries",
        Category::Transport => "getting around",
        Category::Shopping => "shopping",
        Category::Entertainment => "entertainment",
        Category::BillsUtilities => "bills",
        Category::Rent => "rent",
        Category::Education => "education",
        Category::Health => "health",
        Category::Travel => "travel",
        Category::P2pTransfer => "transfers to people",
        Category::Subscriptions => "subscriptions",
        Category::Investment => "investments",
        Category::Other => "other things",
    }
}

/// How unusual.
pub fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Low => "slightly unusual",
        Severity::Medium => "clearly unusual",
        Severity::High => "far from usual",
    }
}

/// The tone of a draft.
pub fn tone(tone: Tone) -> &'static str {
    match tone {
        Tone::Casual => "casual",
        Tone::Formal => "formal",
        Tone::Brief => "brief",
    }
}

/// Where something was shown or answered.
pub fn surface(surface: Surface) -> &'static str {
    match surface {
        Surface::Watch => "on the watch",
        Surface::PhoneCard => "on the phone",
        Surface::EarbudTts => "in the earbud",
        Surface::Silent => "nowhere",
    }
}

/// Why a tool did not do its work.
pub fn tool_error(code: ToolErrorCode) -> &'static str {
    match code {
        ToolErrorCode::NotFound => "What it was about is not there any more.",
        ToolErrorCode::TooLate => "What it was about is over.",
        ToolErrorCode::NotEnoughData => "There is not enough data for it yet.",
        ToolErrorCode::Unavailable => "The agent was not able to do it at the moment.",
    }
}

/// What is not as it should be.
pub fn health(flag: HealthFlag) -> String {
    match flag {
        HealthFlag::Starting => "Aura is starting.".to_owned(),
        HealthFlag::AgentDown(name) => format!("{} is down and being restarted.", agent(name)),
        HealthFlag::NoSandbox => "The agents run without a sandbox.".to_owned(),
        HealthFlag::PartSandbox => {
            "Only part of the agents' sandbox is enforced here. See aura doctor.".to_owned()
        }
        HealthFlag::JournalDown => {
            "The journal cannot be written: nothing is shown or done. See aura doctor.".to_owned()
        }
        HealthFlag::QuarantineDown => {
            "Refused calls cannot be written down, perhaps because the disk is full. They are refused all the same."
                .to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn watch_lines_are_short_and_hold_one_number_at_most() {
        for kind in ActionKind::ALL {
            let line = watch_line(*kind);
            assert!(line.chars().count() <= 40, "{line}");
            let numbers = line
                .split(|c: char| !c.is_ascii_digit())
                .filter(|part| !part.is_empty())
                .count();
            assert!(numbers <= 1, "{line}");
        }
    }

    #[test]
    fn sentences_end_with_a_full_stop_and_say_no_code() {
        let sentences = ReasonCode::ALL
            .iter()
            .map(|code| reason(*code))
            .chain(Outcome::ALL.iter().map(|o| outcome(*o)))
            .chain(ToolErrorCode::ALL.iter().map(|code| tool_error(*code)));
        for sentence in sentences {
            assert!(sentence.ends_with('.'), "{sentence}");
            assert!(!sentence.contains('_') && !sentence.contains('!'), "{sentence}");
        }
    }
}
