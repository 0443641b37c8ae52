//! Sentences with real numbers: the template rationale, and the true sentences a model may pick from.
//!
//! What: from a decision's readings to at most 500 characters of plain English. Why: a reason without its numbers cannot
//! be checked. Not here: text from outside (there is none in a decision), the model (`llm-runtime`).

use crate::{
    rank::{NanoScore, exact_score},
    record,
};
use toolcall_schema::{
    ActionKind, AgentName, AgentStatus, Class, ReasonCode, ToolName,
    milli::Milli,
    tick::{PerAgent, ReadingKey, SignalReading, Subject, TriggerSource},
    trace::{Asker, ConsideredCandidate, Decision},
};

/// The longest rationale, in characters (ADR-0009).
pub const CHARS_MAX: usize = 500;

/// The template's sentence about a decision.
pub fn template(decision: &Decision, threshold: Milli) -> String {
    bounded(match &decision.chosen {
        Some(chosen) => {
            let action = of_action(&decision.signals, chosen.kind, &chosen.subject, chosen.companion);
            if decision.put_off > 0 {
                return bounded(format!("You put it off until now. {action}"));
            }
            if by_rule(decision, threshold) {
                return bounded(format!("You always let this through. {action}"));
            }
            match chosen.asker {
                Some(Asker::Program) => format!("A program asks for it. {action}"),
                Some(Asker::OwnerPage | Asker::OwnerCommand | Asker::OwnerCard) | None => action,
            }
        }
        None => of_nothing(decision, threshold),
    })
}

/// What was chosen, as it was considered.
fn chosen_candidate(decision: &Decision) -> Option<&ConsideredCandidate> {
    let chosen = decision.chosen.as_ref()?;
    decision.candidates.iter().find(|c| record::is_chosen(c, chosen))
}

/// Whether what was chosen passed because the owner always lets it through: its score was too low.
fn by_rule(decision: &Decision, threshold: Milli) -> bool {
    let is_low = |c: &ConsideredCandidate| {
        let parts = c.score.as_ref();
        parts.is_some_and(|parts| exact_score(parts, c.confidence) < NanoScore::from_milli(threshold))
    };
    chosen_candidate(decision).is_some_and(|c| c.passes_by_rule() && is_low(c))
}

/// Three or four true sentences about a decision that chose something, for a model to pick from; the first is the decision's own.
/// One where nothing was chosen. They are short: each token of them is time.
pub fn sentences(decision: &Decision, threshold: Milli) -> Vec<String> {
    let mut out = vec![decision.rationale.clone()];
    let Some(chosen) = &decision.chosen else {
        return out;
    };
    if let Some(parts) = chosen_candidate(decision).and_then(|c| c.score.as_ref()) {
        out.push(if by_rule(decision, threshold) {
            format!(
                "Its score is {}: your rule lets it through all the same.",
                parts.score
            )
        } else {
            format!("Its score is {}, and {threshold} is enough.", parts.score)
        });
    }
    out.push(match reading(&decision.signals, ReadingKey::LoadScore) {
        Some(load) => format!("The load score is {load} of 100."),
        None => format!("The state is {}.", decision.user.state),
    });
    let free = decision.ledger_before.free;
    out.push(if chosen.class == Class::Safety || decision.put_off > 0 {
        "It costs no interruption.".to_owned()
    } else {
        format!("It takes one of {free} interruptions left today.")
    });
    out.into_iter().map(bounded).collect()
}

/// One of the actions between which a model may choose, as a true sentence.
pub(crate) fn of_tied(signals: &PerAgent<Vec<SignalReading>>, kind: ActionKind, subject: &Subject) -> String {
    bounded(format!("{kind}: {}", of_action(signals, kind, subject, None)))
}

/// Whether a sentence is one that a trace may hold.
pub(crate) fn is_short(sentence: &str) -> bool {
    (1..=CHARS_MAX).contains(&sentence.chars().count())
}

fn bounded(mut sentence: String) -> String {
    if let Some((end, _)) = sentence.char_indices().nth(CHARS_MAX) {
        sentence.truncate(end);
    }
    sentence
}

/// The sentence for a call that was asked for.
pub fn of_call(tool: ToolName) -> &'static str {
    if tool == ToolName::DraftReply {
        "You had a reply drafted."
    } else if tool == ToolName::UnmuteChannel {
        "You ended this chat's mute."
    } else if tool == ToolName::MuteChannel {
        "You muted this chat."
    } else if tool == ToolName::EndPause {
        "You ended the pause."
    } else if tool == ToolName::RemoveRule {
        "You took a rule back."
    } else if tool == ToolName::UndoLater {
        "You took back that a card was put off."
    } else if tool == ToolName::LearnFromAct {
        "Comms learned from what you did with a card."
    } else if tool == ToolName::CorrectLearned {
        "You corrected what Comms had learned."
    } else if tool == ToolName::LetThrough {
        "You said whether this always gets through."
    } else if tool == ToolName::SamePerson {
        "You said who is one person."
    } else if tool == ToolName::ResetLearned {
        "You had Comms unlearn this."
    } else if tool == ToolName::JudgeSender {
        "You said whether this sender's payments count."
    } else if tool == ToolName::AnswerQuestion {
        "You said what was paid in a message."
    } else if tool == ToolName::AllowSpending {
        "You said what spending is usual."
    } else if tool == ToolName::SortShop {
        "You said where a shop's payments count."
    } else if tool == ToolName::Snooze {
        "You put a message off."
    } else if tool == ToolName::TakeBack {
        "You took back what was done with a message."
    } else if tool == ToolName::AutoDecline {
        "You had a decline drafted."
    } else if tool == ToolName::DiscardDecline {
        "You discarded the draft of a decline."
    } else if tool == ToolName::HoldTime {
        "You kept a time free, or no longer."
    } else {
        "You asked for this."
    }
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
        ReasonCode::Superseded => {
            "What was asked for was taken back, or the policy or the catalogue changed meanwhile."
        }
        ReasonCode::Later => "You put it off.",
    };
    text.to_owned()
}

fn of_nothing(decision: &Decision, threshold: Milli) -> String {
    let reason = decision.reason_code.unwrap_or(ReasonCode::NoCandidate);
    let again = |c: &ConsideredCandidate| Some(&c.subject) == decision.trigger.subject.as_ref();
    let late = decision.trigger.source == TriggerSource::Later && !decision.candidates.iter().any(again);
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
    // Whoever was not heard might still propose it.
    if late && missing.is_empty() {
        text.insert_str(0, "What you had put off does not come up any more. ");
    }
    if !missing.is_empty() {
        text.push_str(" Not heard: ");
        text.push_str(&missing.join(", "));
        text.push('.');
    }
    text
}

fn of_action(
    signals: &PerAgent<Vec<SignalReading>>,
    kind: ActionKind,
    subject: &Subject,
    companion: Option<ActionKind>,
) -> String {
    let n = |key| reading(signals, key);
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
    let text = match kind {
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
                companion.and(leave(signals)),
            ],
            "here is the morning brief.",
        ),
        ActionKind::LeaveByAlert => with(vec![leave(signals)], "it is time to think of leaving."),
        ActionKind::PrepareMeeting => with(vec![], "a meeting begins soon."),
        ActionKind::CategorizeTxn => with(
            vec![n(ReadingKey::Uncategorized).map(|v| format!("{v} transactions without a category"))],
            "they were given one.",
        ),
        ActionKind::SurfaceAnomaly => with(
            vec![
                n(ReadingKey::SpentToday).map(|v| format!("{v} {} spent today", currency(signals))),
                n(ReadingKey::ZScore).map(|v| format!("{v} robust deviations from the usual day")),
            ],
            &format!("unusual spending on {subject}."),
        ),
        ActionKind::ProjectBalance => with(
            vec![
                n(ReadingKey::BalanceEndOfMonth)
                    .map(|v| format!("{v} {} at the end of the month", currency(signals))),
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
fn leave(signals: &PerAgent<Vec<SignalReading>>) -> Option<String> {
    let leave_in = reading(signals, ReadingKey::LeaveInMin)?;
    let travel = reading(signals, ReadingKey::TravelMin)?;
    let buffer = reading(signals, ReadingKey::BufferMin)?;
    Some(format!(
        "leave in {leave_in} min ({travel} min travel, {buffer} min spare)"
    ))
}

fn currency(signals: &PerAgent<Vec<SignalReading>>) -> String {
    let mut finance = signals.get(&AgentName::Finance).into_iter().flatten();
    finance.find_map(|r| r.currency.clone()).unwrap_or_default()
}

/// The value of a reading as people write it.
fn reading(signals: &PerAgent<Vec<SignalReading>>, key: ReadingKey) -> Option<String> {
    let found = signals.values().flatten().find(|reading| reading.key == key);
    found.map(SignalReading::shown)
}
