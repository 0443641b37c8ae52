//! Why a decision went as it did, for whoever says it.
//!
//! What: [`DecisionReasons`], the sentences about a finished decision; what part a candidate has in one ([`CandidateRole`]); how far
//! its score is from the threshold. Why: the drawer and `aura why` are two renderings of this. Not here: their own layout
//! (`drawer`, the command), the words for codes (`words`).

use super::{next_possible, why_now};
use chrono_tz::Tz;
use std::cmp::Ordering;
use surfaces_base::language::text;
use surfaces_base::{backend::DisplayNames, words};
use toolcall_schema::{
    ReasonCode,
    milli::Milli,
    trace::{ConsideredCandidate, Decision, ScoreParts, Trace},
};

/// One millionth of the unit in which scores are compared exactly.
const MILLI: i128 = 1_000_000;

/// What is said of a decision, a sentence each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionReasons {
    pub why_now: String,
    pub outcome: &'static str,
    pub reason: Option<&'static str>,
    /// Why tools failed.
    pub failures: Vec<&'static str>,
    /// When Aura could speak again.
    pub next_possible: Option<String>,
}

impl DecisionReasons {
    /// Of a finished decision, with local times.
    pub fn from_trace(trace: &Trace, zone: Tz) -> Self {
        let next = trace.next_possible_at.as_ref();
        Self {
            why_now: why_now(
                &trace.decision.trigger,
                trace.decision.ts,
                zone,
                &DisplayNames::default(),
            ),
            outcome: words::outcome(trace.outcome),
            reason: trace.reason_code.map(words::reason),
            failures: trace
                .tool_calls
                .iter()
                .filter_map(|call| call.error.map(words::tool_error))
                .collect(),
            next_possible: next.map(|next| next_possible(next, trace.ts, zone)),
        }
    }
}

/// What of a silence is held back for the reason that is said, the best first.
pub(super) fn held_back(decision: &Decision) -> impl Iterator<Item = &ConsideredCandidate> {
    let reason = decision.reason_code.unwrap_or(ReasonCode::NoCandidate);
    // What did not reach the threshold was removed for no reason of its own.
    let removed = (reason != ReasonCode::BelowThreshold).then_some(reason);
    decision
        .candidates
        .iter()
        .filter(move |one| one.removed == removed)
}

/// What part a candidate has in a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CandidateRole {
    Chosen,
    /// It goes along on the card of what was chosen.
    Companion,
    PassedOver,
}

impl CandidateRole {
    /// Of one of a decision's candidates.
    pub fn in_decision(candidate: &ConsideredCandidate, decision: &Decision) -> Self {
        match &decision.chosen {
            // An agent and a program may have proposed one thing.
            Some(chosen)
                if (chosen.kind, &chosen.subject, chosen.asker)
                    == (candidate.kind, &candidate.subject, candidate.asker) =>
            {
                CandidateRole::Chosen
            }
            Some(chosen) if chosen.companion == Some(candidate.kind) => CandidateRole::Companion,
            Some(_) | None => CandidateRole::PassedOver,
        }
    }
}

/// How far a score is from the threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScoreMargin {
    /// On which side, exactly.
    pub side: Ordering,
    /// Rounded half away from zero to three decimals.
    pub shown: Milli,
}

impl ScoreMargin {
    /// The stored score is rounded; the machine compared the exact product, in thousand-millionths. So is done here.
    pub fn from_score(score: &ScoreParts, confidence: Milli, threshold: Milli) -> Self {
        let utility = [score.priority, confidence, score.m].map(|milli| i128::from(milli.0));
        let exact = utility.iter().product::<i128>() - wanted(score, threshold);
        let rounded = (exact + exact.signum() * MILLI / 2) / MILLI;
        // A policy's parts are below ten, so only a forged record could leave no room.
        Self {
            side: exact.cmp(&0),
            shown: Milli(i64::try_from(rounded).unwrap_or_default()),
        }
    }
}

/// The least confidence with which a candidate passes; `None`: none is enough.
pub fn confidence_to_pass(score: &ScoreParts, threshold: Milli) -> Option<Milli> {
    let worth = i128::from(score.priority.0) * i128::from(score.m.0);
    if worth <= 0 {
        return None;
    }
    // In thousandths, rounded up, so that it really passes.
    let least = (wanted(score, threshold) + worth - 1) / worth;
    i64::try_from(least)
        .ok()
        .filter(|least| *least <= 1000)
        .map(Milli)
}

/// What was taken off most, when anything was.
pub fn largest_cost(score: &ScoreParts) -> Option<(&'static str, Milli)> {
    let costs = [
        (text("explanation-largest-cost-its-surface"), score.surface_cost),
        (text("explanation-largest-cost-having-to-ask"), score.confirm_cost),
        (text("explanation-largest-cost-being-shown-lately"), score.recent),
        (text("explanation-largest-cost-do-not-disturb"), score.dnd),
    ];
    costs
        .into_iter()
        .filter(|(_, cost)| cost.0 > 0)
        .max_by_key(|(_, cost)| *cost)
}

/// What a candidate has to be worth, in thousand-millionths: all that is taken off, and the threshold.
fn wanted(score: &ScoreParts, threshold: Milli) -> i128 {
    [
        score.surface_cost,
        score.confirm_cost,
        score.recent,
        score.dnd,
        threshold,
    ]
    .iter()
    .map(|cost| i128::from(cost.0) * MILLI)
    .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(priority: i64, m: i64, costs: [i64; 4]) -> ScoreParts {
        let [surface_cost, confirm_cost, recent, dnd] = costs.map(Milli);
        // What is stored rounded is not looked at here.
        let (utility, score) = (Milli(0), Milli(450));
        ScoreParts {
            priority: Milli(priority),
            m: Milli(m),
            utility,
            surface_cost,
            confirm_cost,
            recent,
            dnd,
            score,
        }
    }

    #[test]
    fn the_margin_is_that_of_the_exact_score() {
        for (priority, confidence, m, costs, side, shown) in [
            // 0.95 × 0.9 × 1 = 0.855; less 0.1 is 0.755; 0.305 over 0.45.
            (950, 900, 1000, [100, 0, 0, 0], Ordering::Greater, 305),
            // 0.85 × 0.8 × 0.5 = 0.34; less 0.1 is 0.24; 0.21 short.
            (850, 800, 500, [100, 0, 0, 0], Ordering::Less, -210),
            // 0.55 × 1 × 1 less 0.1 is 0.45: exactly.
            (550, 1000, 1000, [100, 0, 0, 0], Ordering::Equal, 0),
            // 0.999 × 0.501 × 0.9 = 0.4504491; less 0.0 is 0.0004491 over: rounded to nothing, and still over.
            (999, 501, 900, [0, 0, 0, 0], Ordering::Greater, 0),
            // 0.999 × 0.5 × 0.9 = 0.44955: 0.00045 short.
            (999, 500, 900, [0, 0, 0, 0], Ordering::Less, 0),
        ] {
            let found = ScoreMargin::from_score(&parts(priority, m, costs), Milli(confidence), Milli(450));
            let shown = Milli(shown);
            assert_eq!(
                found,
                ScoreMargin { side, shown },
                "{priority} × {confidence} × {m}"
            );
        }
    }

    #[test]
    fn the_least_confidence_really_passes() {
        for (priority, m, costs, least) in [
            // (0.1 + 0.45) ÷ 0.85 = 0.6470…
            (850, 1000, [100, 0, 0, 0], Some(648)),
            // 0.45 ÷ 0.45 = 1.
            (900, 500, [0, 0, 0, 0], Some(1000)),
            // 0.451 ÷ 0.45 is more than 1.
            (900, 500, [1, 0, 0, 0], None),
            (0, 1000, [0, 0, 0, 0], None),
        ] {
            let found = confidence_to_pass(&parts(priority, m, costs), Milli(450));
            assert_eq!(found, least.map(Milli), "{priority} × {m}");
        }
    }

    #[test]
    fn the_largest_cost_is_named_when_there_is_one() {
        for (costs, largest) in [
            ([100, 50, 0, 0], Some(("its surface", Milli(100)))),
            ([100, 50, 0, 300], Some(("do not disturb", Milli(300)))),
            ([0, 0, 0, 0], None),
        ] {
            assert_eq!(largest_cost(&parts(0, 0, costs)), largest);
        }
    }
}
