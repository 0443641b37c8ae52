//! One sentence about a decision, from its typed values.
//!
//! What: [`of_decision`] and [`of_trace`]. Why: the sentence that a trace keeps is the machine's own and names kinds by their codes; a person reads words. Not
//! here: the trace's sentence (`orchestrator_machine::rationale`), what came of it (`explanation`).

use super::{about, body::facts};
use serde::Deserialize as _;
use surfaces_base::{backend::DisplayNames, words};
use toolcall_schema::{
    ActionKind, AgentStatus, ReasonCode, ToolName,
    catalogue::learning::LearnFromAct,
    tick::{Subject, TriggerSource},
    trace::{Asker, ChosenAction, Decision, RationaleSource, Trace},
};

/// Of a finished decision. What was asked for says what it did; a language model's sentence stands as long as it is plain.
pub(crate) fn of_trace(trace: &Trace, labels: &DisplayNames) -> String {
    if trace.decision.call.is_some() {
        return of_call(trace, labels);
    }
    let by_model = trace.rationale_source == RationaleSource::Model && is_plain(&trace.rationale);
    if by_model {
        return trace.rationale.clone();
    }
    of_decision(&trace.decision, labels)
}

/// What the owner asked for, as a trace names the tool; of what was learned, from which act on which card.
pub(crate) fn of_call(trace: &Trace, labels: &DisplayNames) -> String {
    let call = trace.tool_calls.first();
    let tool = call.and_then(|call| ToolName::parse(&call.tool));
    if tool == Some(ToolName::UndoLater) {
        return words::UNDID_LATER.say().to_owned();
    }
    let lesson = lesson(trace).and_then(|lesson| {
        let card = thing(lesson.kind, &lesson.subject, labels);
        words::lesson(lesson.kind, lesson.act, &card)
    });
    lesson.unwrap_or_else(|| words::asked_for(tool).to_owned())
}

/// What an act on a card taught; `None`: the trace tells of something else.
pub(super) fn lesson(trace: &Trace) -> Option<LearnFromAct> {
    let call = trace.tool_calls.first()?;
    let is_lesson = ToolName::parse(&call.tool) == Some(ToolName::LearnFromAct);
    is_lesson.then(|| LearnFromAct::deserialize(&*call.args).ok())?
}

/// Of a decision, finished or not.
pub(crate) fn of_decision(decision: &Decision, labels: &DisplayNames) -> String {
    if decision.call.is_some() {
        return words::asked_for(None).to_owned();
    }
    match &decision.chosen {
        Some(chosen) => of_choice(decision, chosen),
        None => of_silence(decision, labels),
    }
}

fn of_choice(decision: &Decision, chosen: &ChosenAction) -> String {
    let facts = facts(decision, chosen.kind);
    let why = if facts.is_empty() {
        words::full_stop(words::action(chosen.kind))
    } else {
        words::full_stop(&words::one_sentence(&facts))
    };
    if decision.put_off > 0 {
        return words::put_off_until_now(&why);
    }
    match chosen.asker {
        Some(Asker::Program) => words::program_asks(&why),
        Some(Asker::OwnerPage | Asker::OwnerCommand | Asker::OwnerCard) | None => why,
    }
}

/// What came closest and why it was held back, as the machine tells it: the first that the reason of the silence removed.
fn of_silence(decision: &Decision, labels: &DisplayNames) -> String {
    let reason = decision.reason_code.unwrap_or(ReasonCode::NoCandidate);
    let removed = (reason != ReasonCode::BelowThreshold).then_some(reason);
    let best = decision
        .candidates
        .iter()
        .find(|candidate| candidate.removed == removed);
    let mut says = match best {
        None => words::reason(reason).to_owned(),
        Some(best) if best.score.is_some() => words::came_closest(&thing(best.kind, &best.subject, labels)),
        Some(best) => words::held_back(&thing(best.kind, &best.subject, labels), words::reason(reason)),
    };
    if is_gone(decision) {
        says = format!("{} {says}", words::PUT_OFF_IS_GONE.say());
    }
    if let Some(missing) = not_heard(decision) {
        says = format!("{says} {missing}");
    }
    says
}

/// Whether what was put off came up no more, as far as all agents were heard.
pub(super) fn is_gone(decision: &Decision) -> bool {
    let is_again = |subject: &Subject| Some(subject) == decision.trigger.subject.as_ref();
    let comes_up = decision.candidates.iter().any(|one| is_again(&one.subject));
    decision.trigger.source == TriggerSource::Later && !comes_up && not_heard(decision).is_none()
}

/// Which agents were not heard; `None`: all were.
pub(super) fn not_heard(decision: &Decision) -> Option<String> {
    let missing: Vec<&str> = decision
        .agent_status
        .iter()
        .filter(|(_, status)| **status != AgentStatus::Answered)
        .map(|(agent, _)| words::agent(*agent))
        .collect();
    (!missing.is_empty()).then(|| words::not_heard(&missing.join(", ")))
}

/// A kind, and about what.
pub(super) fn thing(kind: ActionKind, subject: &Subject, labels: &DisplayNames) -> String {
    match about(subject, labels) {
        Some(name) => format!("{} · {name}", words::action(kind)),
        None => words::action(kind).to_owned(),
    }
}

/// Whether a sentence holds no name of the mechanism: those are written in capitals, or with an underscore.
pub(super) fn is_plain(sentence: &str) -> bool {
    let is_code = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.contains('_') || word.chars().count() > 4 && word.chars().all(char::is_uppercase)
    };
    !sentence.split_whitespace().any(is_code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_models_sentence_with_a_name_of_the_mechanism_is_not_plain() {
        for (sentence, plain) in [
            ("It takes one of 3 interruptions left today.", true),
            ("The load score is 78 of 100.", true),
            ("IBAN and HRV are words of people.", true),
            ("The state is STRESSED.", false),
            ("DRAFT_REPLY was held back.", false),
            ("unusual spending on food_delivery.", false),
        ] {
            assert_eq!(is_plain(sentence), plain, "{sentence}");
        }
    }
}
