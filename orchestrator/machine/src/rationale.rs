//! Sentences with real numbers: the template rationale, and the true sentences a model may pick from.
//!
//! What: from a decision's readings to at most 500 characters of plain English. Why: a reason without its numbers cannot
//! be checked. Not here: text from outside (there is none in a decision), the model (`llm-runtime`).

use crate::event::ModelFault;
use toolcall_schema::{
    ActionKind, AgentName, AgentStatus, ReasonCode,
    milli::Milli,
    tick::ReadingKey,
    trace::{Chosen, Decision},
};

/// The longest rationale, in characters (ADR-0009).
pub const CHARS_MAX: usize = 500;

/// The template's sentence about a decision.
pub fn template(decision: &Decision, threshold: Milli) -> String {
    bounded(match &decision.chosen {
        Some(chosen) => of_action(decision, chosen),
        None => of_nothing(decision, threshold),
    })
}

/// One to three true sentences about a decision for a model to pick from; the first is the decision's own.
pub fn sentences(decision: &Decision, threshold: Milli) -> Vec<String> {
    let mut out = vec![decision.rationale.clone()];
    if let Some(chosen) = &decision.chosen {
        let score = decision
            .candidates
            .iter()
            .find(|c| c.kind == chosen.kind && c.subject == chosen.subject);
        if let Some(parts) = score.and_then(|c| c.score.as_ref()) {
            out.push(format!(
                "{} scored {} against the {} it needs, the best of {} candidates.",
                chosen.kind,
                parts.score,
                threshold,
                decision.candidates.len()
            ));
        }
        if let Some(load) = reading(decision, ReadingKey::LoadScore) {
            out.push(format!(
                "The load score is {load} of 100 and the state {}.",
                decision.user.state
            ));
        }
    }
    out.into_iter().map(bounded).collect()
}

fn bounded(mut sentence: String) -> String {
    if let Some((end, _)) = sentence.char_indices().nth(CHARS_MAX) {
        sentence.truncate(end);
    }
    sentence
}

/// The sentence for staying silent when no candidate explains it.
pub fn of_silence(reason: ReasonCode) -> String {
    let text = match reason {
        ReasonCode::NoCandidate => "No agent proposed anything.",
        ReasonCode::BelowThreshold => "Nothing reached the score that is worth an interruption.",
        ReasonCode::CapDnd => "Do not disturb is on.",
        ReasonCode::CapRecovering => "It is quiet for 60 minutes after a stressful time.",
        ReasonCode::CapWindow => "Something was shown less than 30 minutes ago.",
        ReasonCode::CapDaily => "Today's attention is spent.",
        ReasonCode::Rule => "A rule of yours stands against it.",
        ReasonCode::Paused => "You paused Aura.",
        ReasonCode::DeliberationTimeout => {
            "The decision could not be kept on disk within 1500 ms, so nothing was done."
        }
        ReasonCode::NoSurface => "There was nowhere to ask.",
        ReasonCode::GateRefused => "The proposed call did not pass the gate.",
        ReasonCode::OwnerDismissed => "You said no.",
        ReasonCode::ConfirmTimeout => "Nobody answered in time.",
        ReasonCode::Edited => "You corrected it.",
        ReasonCode::ToolFailed => "The tool did not do its work.",
        ReasonCode::ResultRejected => "The tool's result did not pass its schema.",
        ReasonCode::UnknownAfterCrash => "A crash left it unknown whether it ran; it was not run again.",
        ReasonCode::Superseded => "The policy or the catalogue changed meanwhile.",
    };
    text.to_owned()
}

/// Why the model's answer was not used.
pub fn model_fault(fault: ModelFault) -> &'static str {
    match fault {
        ModelFault::Absent => "no model",
        ModelFault::Failed => "the model failed",
        ModelFault::Unusable => "not one of the offered numbers",
    }
}

fn of_nothing(decision: &Decision, threshold: Milli) -> String {
    let reason = decision.reason_code.unwrap_or(ReasonCode::NoCandidate);
    let missing: Vec<&str> = decision
        .agent_status
        .iter()
        .filter(|(_, status)| **status != AgentStatus::Answered)
        .map(|(agent, _)| agent.as_str())
        .collect();
    let removed = (reason != ReasonCode::BelowThreshold).then_some(reason);
    let mut text = match decision
        .candidates
        .iter()
        .find(|candidate| candidate.removed == removed)
    {
        None => of_silence(reason),
        Some(best) => match &best.score {
            Some(parts) => format!(
                "{} scored {} of the {threshold} it needs.",
                best.kind, parts.score
            ),
            None => format!("{} was held back. {}", best.kind, of_silence(reason)),
        },
    };
    if !missing.is_empty() {
        text.push_str(" Not heard: ");
        text.push_str(&missing.join(", "));
        text.push('.');
    }
    text
}

fn of_action(decision: &Decision, chosen: &Chosen) -> String {
    let n = |key| reading(decision, key);
    let with = |parts: Vec<Option<String>>, tail: &str| {
        let facts: Vec<String> = parts.into_iter().flatten().collect();
        if facts.is_empty() {
            tail.to_owned()
        } else {
            format!("{}: {tail}", facts.join(", "))
        }
    };
    let load = || n(ReadingKey::LoadScore).map(|v| format!("load score {v} of 100"));
    let busy = || n(ReadingKey::BusiestChannel).map(|v| format!("{v} messages in one channel"));
    let text = match chosen.kind {
        ActionKind::MuteGroup30 => with(vec![load(), busy()], "mute that channel for 30 minutes?"),
        ActionKind::Breathe478 => with(vec![load()], "a minute of breathing may help."),
        ActionKind::Nap15 => with(
            vec![
                load(),
                n(ReadingKey::SleepMin).map(|v| format!("{v} min of sleep")),
            ],
            "a nap of 15 minutes may help.",
        ),
        ActionKind::PermitLeisure => with(
            vec![load(), n(ReadingKey::LoadDrop).map(|v| format!("down by {v}"))],
            "a break of 90 minutes is fine now.",
        ),
        ActionKind::BatchDigest => with(
            vec![
                busy(),
                n(ReadingKey::Actionable).map(|v| format!("{v} of all messages want an answer")),
            ],
            "here is the digest.",
        ),
        ActionKind::ShowBrief => with(
            vec![
                n(ReadingKey::EventsToday).map(|v| format!("{v} events today")),
                n(ReadingKey::Conflicts)
                    .filter(|v| v != "0")
                    .map(|v| format!("{v} in conflict")),
                n(ReadingKey::Actionable).map(|v| format!("{v} messages want an answer")),
                chosen.companion.and(leave(decision)),
            ],
            "here is the morning brief.",
        ),
        ActionKind::LeaveByAlert => with(vec![leave(decision)], "it is time to think of leaving."),
        ActionKind::CategorizeTxn => with(
            vec![n(ReadingKey::Uncategorized).map(|v| format!("{v} transactions without a category"))],
            "they were given one.",
        ),
        ActionKind::SurfaceAnomaly => with(
            vec![
                n(ReadingKey::SpentToday).map(|v| format!("{v} {} spent today", currency(decision))),
                n(ReadingKey::ZScore).map(|v| format!("{v} robust deviations from the usual day")),
            ],
            &format!("unusual spending on {}.", chosen.subject),
        ),
        ActionKind::ProjectBalance => with(
            vec![
                n(ReadingKey::BalanceEndOfMonth)
                    .map(|v| format!("{v} {} at the end of the month", currency(decision))),
                n(ReadingKey::DaysToZero).map(|v| format!("zero in {v} days")),
            ],
            "the balance runs out before the month does.",
        ),
        ActionKind::DraftReply => with(
            vec![n(ReadingKey::Actionable).map(|v| format!("{v} messages want an answer"))],
            "shall I draft a reply to the most urgent one?",
        ),
        ActionKind::DeclineEvent => with(
            vec![n(ReadingKey::Conflicts).map(|v| format!("{v} overlapping events"))],
            "shall I draft a decline of the later one?",
        ),
    };
    let mut chars = text.chars();
    chars
        .next()
        .map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// Leave-by, in minutes from now, with what it is made of.
fn leave(decision: &Decision) -> Option<String> {
    let leave_in = reading(decision, ReadingKey::LeaveInMin)?;
    let travel = reading(decision, ReadingKey::TravelMin)?;
    let buffer = reading(decision, ReadingKey::BufferMin)?;
    Some(format!(
        "leave in {leave_in} min ({travel} min travel, {buffer} min spare)"
    ))
}

fn currency(decision: &Decision) -> String {
    let mut finance = decision.signals.get(&AgentName::Finance).into_iter().flatten();
    finance.find_map(|r| r.currency.clone()).unwrap_or_default()
}

/// The value of a reading as people write it: no trailing zeros, at most three decimals.
fn reading(decision: &Decision, key: ReadingKey) -> Option<String> {
    let value = decision
        .signals
        .values()
        .flatten()
        .find(|reading| reading.key == key)?
        .value;
    let text = format!("{value:.3}");
    Some(text.trim_end_matches('0').trim_end_matches('.').to_owned())
}
