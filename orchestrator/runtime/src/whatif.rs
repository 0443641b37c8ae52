//! The days that were, decided under another policy or other settings.
//!
//! What: leads a second machine through a journal and says which interruptions it would have added, dropped or moved, and
//! why. Why: the command line and the operator's console answer alike. Not here: how the second machine is led
//! (`orchestrator_machine::whatif`), how the answer is shown.

use crate::journal::{JournalError, JournalReplay};
use chrono::NaiveDate;
use orchestrator_machine::{
    Effect, MachineState, RULES_NUMBER,
    whatif::{DecisionPair, ImaginedTerms, WhatIf, decide_again, decision_among},
};
use std::collections::BTreeMap;
use surfaces_base::backend::DecidedAgain;
use toolcall_schema::{
    ReasonCode, Surface, Timestamp,
    ids::TraceId,
    milli::Milli,
    trace::{ChosenAction, ConsideredCandidate, Decision, Trace},
    whatif::{
        ImaginedMoment, InterruptionChange, InterruptionDifference, InterruptionReason, NotChosenReason,
        WhatIfAnswer, WhatIfDay,
    },
};

/// What was asked.
pub struct WhatIfQuery {
    /// What is imagined.
    pub terms: ImaginedTerms,
    /// The first day that is decided anew; absent: all.
    pub from: Option<NaiveDate>,
    /// The last day, itself included; absent: all.
    pub to: Option<NaiveDate>,
}

/// One local day that is being compared.
#[derive(Default)]
struct OpenDay {
    day: WhatIfDay,
    /// Decided to be shown as recorded, and not over; whether under the other policy too.
    open: BTreeMap<u64, bool>,
}

/// Answers the question for a journal; `goes_on` is asked before each event, and ends it.
///
/// # Errors
/// When the journal cannot be folded.
pub fn answer(
    mut journal: JournalReplay,
    question: &WhatIfQuery,
    mut goes_on: impl FnMut() -> bool,
) -> Result<WhatIfAnswer, JournalError> {
    let (mut cut, mut of_other_rules) = (false, 0);
    let mut days: BTreeMap<NaiveDate, OpenDay> = BTreeMap::new();
    let mut other = WhatIf::new(question.terms.clone());
    while let Some((_, event)) = journal.read()? {
        cut = !goes_on();
        if cut {
            break;
        }
        let Some(env) = journal.env().cloned() else {
            continue;
        };
        let before = journal
            .state()
            .cloned()
            .unwrap_or_else(|| MachineState::new(&env, event.at));
        let effects = journal.apply(event.clone());
        if before.rules_number() != RULES_NUMBER {
            let ended = |effect: &&Effect| matches!(effect, Effect::KeepTrace(_));
            of_other_rules += effects.iter().filter(ended).count();
            continue;
        }
        let (today, _) = env.local(before.wall(event.at));
        if question.to.is_some_and(|to| to < today) {
            break;
        }
        if question.from.is_some_and(|from| today < from) {
            continue;
        }
        for effect in &effects {
            if let Effect::KeepTrace(trace) = effect {
                let (date, _) = env.local(trace.decision.ts);
                if let Some(day) = days.get_mut(&date) {
                    day.ended(trace);
                }
            }
        }
        if let Some(pair) = other.follow_event(&env, &before, &event, &effects) {
            let zone = env.settings.zone;
            let (date, _) = env.local(pair.real.ts);
            let day = days.entry(date).or_insert_with(|| OpenDay {
                day: WhatIfDay {
                    date,
                    zone: Some(zone),
                    ..WhatIfDay::default()
                },
                ..OpenDay::default()
            });
            let imagined = question.terms.policy.as_ref().unwrap_or(&env.policy);
            day.take(&pair, env.policy.threshold(), imagined.threshold());
        }
    }
    let mut days: Vec<WhatIfDay> = days.into_values().map(|open| open.day).collect();
    for day in &mut days {
        join_moved(&mut day.differences);
    }
    let in_force = journal.env().map(|env| &env.policy);
    let policy = question.terms.policy.as_ref().or(in_force);
    let policy = policy.map(|policy| policy.hash().to_owned());
    let count = |change| {
        let of = |day: &WhatIfDay| day.differences.iter().filter(|d| d.change == change).count();
        days.iter().map(of).sum()
    };
    Ok(WhatIfAnswer {
        policy_hash: policy.unwrap_or_default(),
        recorded: days.iter().map(|day| day.recorded).sum(),
        what_if: days.iter().map(|day| day.what_if).sum(),
        added: count(InterruptionChange::Added),
        removed: count(InterruptionChange::Removed),
        moved: count(InterruptionChange::Moved),
        changed: count(InterruptionChange::Changed),
        days,
        of_other_rules,
        cut,
    })
}

/// How far on the wall clock may stand behind a decision before its events are taken for gone, in minutes.
const PAST_MIN: i64 = 60;

/// Decides the moment of one trace once more; `goes_on` is asked before each event, and ends it. Where its events are gone, or other rules held
/// then, nothing is told.
///
/// # Errors
/// When the journal cannot be folded.
pub fn moment(
    mut journal: JournalReplay,
    trace: &TraceId,
    decided_at: Timestamp,
    otherwise: ImaginedMoment,
    mut goes_on: impl FnMut() -> bool,
) -> Result<DecidedAgain, JournalError> {
    while let Some((_, event)) = journal.read()? {
        if !goes_on() {
            return Ok(DecidedAgain::TooLong);
        }
        let wall = journal.state().map(|state| state.wall(event.at));
        // A copy of the state costs more than an event.
        let is_near = wall.is_some_and(|wall| wall >= decided_at);
        if wall.is_some_and(|wall| wall > decided_at.plus_min(PAST_MIN)) {
            break;
        }
        let then = if is_near {
            journal.env().cloned().zip(journal.state().cloned())
        } else {
            None
        };
        let effects = journal.apply(event.clone());
        let (Some((env, before)), Some(real)) = (then, decision_among(&effects)) else {
            continue;
        };
        if &real.trace_id != trace {
            continue;
        }
        if before.rules_number() != RULES_NUMBER {
            break;
        }
        let other = decide_again(&env, &before, &event, otherwise);
        return Ok(other.map_or(DecidedAgain::NotKept, |other| {
            DecidedAgain::Decided(Box::new(other))
        }));
    }
    Ok(DecidedAgain::NotKept)
}

/// What would be shown.
fn shown_action(decision: &Decision) -> Option<&ChosenAction> {
    let surface = |chosen: &&ChosenAction| chosen.kind.tool().columns().surface != Surface::Silent;
    decision.chosen.as_ref().filter(surface)
}

/// The candidate that a decision chose, or would have had to.
fn candidate<'a>(decision: &'a Decision, chosen: &ChosenAction) -> Option<&'a ConsideredCandidate> {
    decision
        .candidates
        .iter()
        .find(|c| (c.kind, &c.subject, c.asker) == (chosen.kind, &chosen.subject, chosen.asker))
}

impl OpenDay {
    fn take(&mut self, pair: &DecisionPair, real_threshold: Milli, other_threshold: Milli) {
        let (real, other) = (shown_action(&pair.real), shown_action(&pair.other));
        self.day.recorded += usize::from(real.is_some());
        self.day.what_if += usize::from(other.is_some());
        if real.is_some() {
            self.open.insert(pair.real.tick, pair.is_same());
        }
        if pair.is_same() {
            return;
        }
        let made = |change, by: &Decision, chosen: &ChosenAction, why| InterruptionDifference {
            change,
            at: by.ts,
            moved_to: None,
            tick: by.tick,
            kind: chosen.kind,
            subject: chosen.subject.clone(),
            score: candidate(by, chosen).and_then(|c| Some(c.score.as_ref()?.score)),
            why,
        };
        if let (Some(a), Some(b)) = (real, other)
            && (a.kind, &a.subject) == (b.kind, &b.subject)
        {
            let why = InterruptionReason::Companion {
                now: b.companion,
                was: a.companion,
            };
            self.day
                .differences
                .push(made(InterruptionChange::Changed, &pair.other, b, why));
            return;
        }
        if let Some(chosen) = real {
            let why = InterruptionReason::Now(against(&pair.other, chosen, other_threshold));
            self.day
                .differences
                .push(made(InterruptionChange::Removed, &pair.real, chosen, why));
        }
        if let Some(chosen) = other {
            let why = InterruptionReason::Was(against(&pair.real, chosen, real_threshold));
            self.day
                .differences
                .push(made(InterruptionChange::Added, &pair.other, chosen, why));
        }
    }

    /// A decision whose time was over before it was on disk was nobody's interruption.
    fn ended(&mut self, trace: &Trace) {
        if trace.decision.call.is_some() {
            return;
        }
        let Some(same) = self.open.remove(&trace.decision.tick) else {
            return;
        };
        if trace.decision.chosen.is_none() {
            self.day.recorded -= 1;
            self.day.what_if -= usize::from(same);
        }
    }
}

/// What was dropped at one time and added at another on the same day has moved.
fn join_moved(differences: &mut Vec<InterruptionDifference>) {
    let mut left: Vec<InterruptionDifference> = Vec::new();
    for difference in std::mem::take(differences) {
        let opposite = match difference.change {
            InterruptionChange::Added => InterruptionChange::Removed,
            InterruptionChange::Removed => InterruptionChange::Added,
            InterruptionChange::Moved | InterruptionChange::Changed => {
                left.push(difference);
                continue;
            }
        };
        let pair = left.iter_mut().find(|old| {
            old.change == opposite && (old.kind, &old.subject) == (difference.kind, &difference.subject)
        });
        let Some(old) = pair else {
            left.push(difference);
            continue;
        };
        let (removed_why, to) = if opposite == InterruptionChange::Removed {
            (old.why.clone(), difference.at)
        } else {
            let to = old.at;
            old.at = difference.at;
            (difference.why, to)
        };
        old.change = InterruptionChange::Moved;
        old.moved_to = Some(to);
        old.why = removed_why;
    }
    left.sort_by_key(|difference| (difference.at, difference.tick));
    *differences = left;
}

/// Why a decision did not choose something.
fn against(decision: &Decision, chosen: &ChosenAction, threshold: Milli) -> NotChosenReason {
    let Some(considered) = candidate(decision, chosen) else {
        return NotChosenReason::NotProposed;
    };
    if let Some(reason) = considered.removed {
        let rule = considered.rule.clone().filter(|_| reason == ReasonCode::Rule);
        return NotChosenReason::Removed(reason, rule);
    }
    match (&considered.score, &decision.chosen) {
        (Some(score), None) => NotChosenReason::BelowThreshold {
            score: score.score,
            threshold,
        },
        (Some(score), Some(first)) if score.score < threshold && !considered.passes_by_rule() => {
            NotChosenReason::BelowThresholdWhile {
                score: score.score,
                chosen: first.kind,
            }
        }
        (_, Some(first)) => NotChosenReason::Behind(first.kind),
        (None, None) => NotChosenReason::NotScored,
    }
}
