//! A decision in the order in which it came about.
//!
//! What: [`course`]: what came in, what it was taken for, what else was in the way, what was decided, how it ended; a sentence each. Why: whoever asks why reads
//! the cause before the end. Not here: the full record below it (`drawer`), the one sentence of a decision (`sentence`).

use super::{
    body::facts,
    drawer::ToldAct,
    explanation::{CandidateRole, DecisionReasons, held_back},
    sentence::{is_gone, is_plain, lesson, not_heard, of_call, thing},
    sorted_payments::sorted_payments,
    why_now,
};
use chrono_tz::Tz;
use surfaces_base::{backend::DisplayNames, words};
use toolcall_schema::{
    Outcome, ReasonCode, Surface,
    trace::{Asker, ChosenAction, ConsideredCandidate, Decision, RationaleSource, Trace},
};

/// Other candidates that are named.
const NAMED_MAX: usize = 2;

/// The sentences of a decision. `over`: its trace, where it is over, with what the owner did with it.
pub(super) fn course(
    decision: &Decision,
    over: Option<(&Trace, Option<&ToldAct>)>,
    labels: &DisplayNames,
    zone: Tz,
) -> Vec<String> {
    let mut says = vec![why_now(&decision.trigger, decision.ts, zone, labels)];
    let ended = over.map(|(trace, _)| trace);
    if decision.call.is_some() {
        // What the owner did says it with the thing.
        if over.is_none_or(|(_, done)| done.is_none()) {
            says.push(ended.map_or_else(
                || words::asked_for(None).to_owned(),
                |trace| of_call(trace, labels),
            ));
        }
    } else if let Some(chosen) = &decision.chosen {
        says.extend(words_before(decision, chosen));
        says.push(taken_for(decision, ended, chosen, labels));
        says.extend(also_weighed(decision, labels));
        says.extend(not_heard(decision));
        says.push(decided(chosen));
    } else {
        says.extend(silence(decision, labels));
    }
    if let Some((trace, done)) = over {
        says.extend(end(trace, done, zone));
    }
    says
}

/// Whose wish it was, where it was not Aura's own.
fn words_before(decision: &Decision, chosen: &ChosenAction) -> Option<String> {
    if decision.put_off > 0 {
        return Some(words::COURSE_PUT_OFF.say().to_owned());
    }
    match chosen.asker {
        Some(Asker::Program) => Some(words::COURSE_PROGRAM.say().to_owned()),
        Some(Asker::OwnerPage | Asker::OwnerCommand | Asker::OwnerCard) | None => None,
    }
}

/// What was chosen, and what spoke for it; a language model's sentence as long as it is plain.
fn taken_for(
    decision: &Decision,
    ended: Option<&Trace>,
    chosen: &ChosenAction,
    labels: &DisplayNames,
) -> String {
    let what = words::chosen(&thing(chosen.kind, &chosen.subject, labels));
    let by_model = ended.filter(|trace| trace.rationale_source == RationaleSource::Model);
    if let Some(trace) = by_model.filter(|trace| is_plain(&trace.rationale)) {
        return format!("{what} {}", trace.rationale);
    }
    let facts = facts(decision, chosen.kind);
    if facts.is_empty() {
        what
    } else {
        format!("{what} {}", words::full_stop(&words::one_sentence(&facts)))
    }
}

/// What was proposed beside it.
fn also_weighed(decision: &Decision, labels: &DisplayNames) -> Option<String> {
    let others: Vec<&ConsideredCandidate> = decision
        .candidates
        .iter()
        .filter(|one| CandidateRole::in_decision(one, decision) == CandidateRole::PassedOver)
        .collect();
    candidates_named(&others, labels)
        .map(|what| words::also_weighed(&what, others.len().saturating_sub(NAMED_MAX)))
}

fn candidates_named(some: &[&ConsideredCandidate], labels: &DisplayNames) -> Option<String> {
    let names: Vec<String> = some
        .iter()
        .take(NAMED_MAX)
        .map(|one| thing(one.kind, &one.subject, labels))
        .collect();
    (!names.is_empty()).then(|| names.join("; "))
}

fn decided(chosen: &ChosenAction) -> String {
    match (chosen.surface, chosen.confirm_required) {
        (Surface::Silent, _) => words::DECIDED_QUIETLY.say().to_owned(),
        (surface, true) => words::decided_to_ask(words::surface(surface)),
        (surface, false) => words::decided_to_show(words::surface(surface)),
    }
}

/// What came closest, what stood in its way, and that nothing was said.
fn silence(decision: &Decision, labels: &DisplayNames) -> Vec<String> {
    let reason = decision.reason_code.unwrap_or(ReasonCode::NoCandidate);
    let of_reason: Vec<&ConsideredCandidate> = held_back(decision).collect();
    let gone = is_gone(decision).then(|| words::PUT_OFF_IS_GONE.say().to_owned());
    let closest = of_reason
        .first()
        .map(|best| words::taken_for(&thing(best.kind, &best.subject, labels)));
    let mut says: Vec<String> = gone.into_iter().chain(closest).collect();
    let others: Vec<&ConsideredCandidate> = of_reason.iter().skip(1).copied().collect();
    says.extend(
        candidates_named(&others, labels)
            .map(|what| words::also_weighed(&what, others.len().saturating_sub(NAMED_MAX))),
    );
    says.push(words::reason(reason).to_owned());
    says.extend(not_heard(decision));
    says.push(words::DECIDED_NOTHING.say().to_owned());
    says
}

/// How it ended, and of silence when it could end.
fn end(trace: &Trace, done: Option<&ToldAct>, zone: Tz) -> Vec<String> {
    let reasons = DecisionReasons::from_trace(trace, zone);
    let chosen = trace.decision.chosen.as_ref();
    let was_shown = trace.outcome == Outcome::ExecutedAuto
        && chosen.is_some_and(|chosen| chosen.surface != Surface::Silent);
    let mut says: Vec<String> = Vec::new();
    // What was only shown has no other end, and what was silent is said already.
    if let Some(sorted) = sorted_payments(trace) {
        says.push(words::full_stop(&sorted));
    }
    if let Some(act) = done {
        // What was asked for by name has it as its title.
        says.extend((trace.decision.call.is_none()).then(|| act.says.clone()));
    } else if !was_shown && trace.outcome != Outcome::Silent && lesson(trace).is_none() {
        says.push(reasons.outcome.to_owned());
    }
    if chosen.is_some() {
        says.extend(reasons.reason.map(str::to_owned));
    }
    says.extend(reasons.failures.into_iter().map(str::to_owned));
    says.extend(reasons.next_possible);
    says
}
