//! Why Aura spoke, or stayed silent.
//!
//! What: [`of`], from one trace and its policy to plain sentences with the numbers in them. Why: "which cap or score, by
//! how much, when could it speak next" is answered from the record alone. Not here: finding the trace (`trace`), the words
//! for codes (`surfaces::words`).

use super::{moment::MomentReport, records::zone};
use orchestrator_machine::policy::Policy;
use serde::Serialize;
use std::cmp::Ordering;
use surfaces::{format, render, words};
use toolcall_schema::{
    ActionKind, AgentName, Outcome, ReasonCode, Surface, Timestamp,
    ids::TraceId,
    milli::Milli,
    tick::Subject,
    trace::{ConsideredCandidate, NextPossible, ScoreParts, Trace},
};

/// A decision, explained.
#[derive(Debug, PartialEq, Serialize)]
pub struct TraceExplanation {
    trace_id: TraceId,
    /// The time that was asked for, when it was not the decision itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    asked: Option<Timestamp>,
    at: Timestamp,
    outcome: Outcome,
    reason_code: Option<ReasonCode>,
    chosen: &'static str,
    /// The threshold of the policy it was decided with; absent when that policy is not kept.
    threshold: Option<Milli>,
    /// What happened and why, in order.
    sentences: Vec<String>,
    candidates: Vec<CandidateExplanation>,
    next_possible_at: Option<NextPossible>,
    /// How it stood at the time that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    moment: Option<MomentReport>,
}

/// One candidate, explained.
#[derive(Debug, PartialEq, Serialize)]
struct CandidateExplanation {
    kind: ActionKind,
    subject: Subject,
    agent: AgentName,
    chosen: bool,
    /// The cap or rule that removed it.
    removed: Option<ReasonCode>,
    score: Option<Milli>,
    /// The score less the threshold; negative: so much is missing.
    margin: Option<Milli>,
    /// What would have had to be different for it to pass; absent when it passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    needed: Option<String>,
    sentence: String,
}

impl TraceExplanation {
    /// The sentences, one a line, then the candidates.
    pub fn to_text(&self) -> String {
        let mut lines: Vec<String> = Vec::new();
        if let Some(moment) = &self.moment {
            lines.extend(moment.sentences.iter().cloned());
            lines.push(String::new());
        }
        lines.extend(self.sentences.iter().cloned());
        if !self.candidates.is_empty() {
            lines.push("\nWhat was proposed:".to_owned());
        }
        lines.extend(self.candidates.iter().map(|candidate| {
            let mark = if candidate.chosen { "*" } else { "-" };
            let needed = candidate.needed.as_ref().map(|needed| format!(" {needed}"));
            format!("  {mark} {}{}", candidate.sentence, needed.unwrap_or_default())
        }));
        lines.push(format!("\nAll of it: aura trace show {}", self.trace_id));
        lines.join("\n")
    }
}

/// Explains a trace. `policy`: the one it was decided with, when it is known. `asked`: the time the owner asked about.
/// `moment`: how it stood then.
pub fn of(
    trace: &Trace,
    policy: Option<&Policy>,
    asked: Option<Timestamp>,
    moment: Option<MomentReport>,
) -> TraceExplanation {
    let decision = &trace.decision;
    let threshold = policy.map(Policy::threshold);
    let chosen = decision.chosen.as_ref();
    let candidates = decision
        .candidates
        .iter()
        .map(|candidate| {
            let picked = chosen
                .is_some_and(|chosen| chosen.kind == candidate.kind && chosen.subject == candidate.subject);
            let beside = chosen.is_some_and(|chosen| chosen.companion == Some(candidate.kind));
            let margin = candidate
                .score
                .as_ref()
                .zip(threshold)
                .map(|(score, t)| margin(score, candidate.confidence, t));
            CandidateExplanation {
                kind: candidate.kind,
                subject: candidate.subject.clone(),
                agent: candidate.agent,
                chosen: picked || beside,
                removed: candidate.removed,
                score: candidate.score.as_ref().map(|score| score.score),
                margin: margin.map(|margin| margin.shown),
                needed: needed(candidate, margin, threshold),
                sentence: sentence(candidate, margin, threshold, picked, beside),
            }
        })
        .collect();
    TraceExplanation {
        trace_id: trace.trace_id.clone(),
        asked,
        at: decision.ts,
        outcome: trace.outcome,
        reason_code: trace.reason_code,
        chosen: trace.chosen_name(),
        threshold,
        sentences: sentences(trace, asked),
        candidates,
        next_possible_at: trace.next_possible_at.clone(),
        moment,
    }
}

fn sentences(trace: &Trace, asked: Option<Timestamp>) -> Vec<String> {
    let (decision, zone) = (&trace.decision, zone(trace));
    let when = |at| format!("{}, {}", format::day(at, zone), format::clock_s(at, zone));
    let mut lines = Vec::new();
    if let Some(asked) = asked.filter(|asked| *asked != decision.ts) {
        lines.push(format!(
            "The last decision up to {} was made {}.",
            when(asked),
            when(decision.ts)
        ));
    } else {
        lines.push(format!("{}.", when(decision.ts)));
    }
    lines.push(render::why_now(&decision.trigger, zone));
    lines.push(match &decision.chosen {
        Some(chosen) => format!(
            "Chosen: {}. {}",
            words::action(chosen.kind),
            words::outcome(trace.outcome)
        ),
        None => words::outcome(trace.outcome).to_owned(),
    });
    lines.extend(trace.reason_code.map(|reason| words::reason(reason).to_owned()));
    if trace.reason_code == Some(ReasonCode::CapDaily) {
        let ledger = &decision.ledger_before;
        lines.push(format!(
            "{} of {} tokens were free on {}: {} spent, {} held, {} given back.",
            ledger.free, ledger.ceiling, ledger.day, ledger.settled, ledger.reserved, ledger.refunded
        ));
    }
    lines.extend(decision.agent_status.iter().filter_map(|(agent, status)| {
        use toolcall_schema::AgentStatus::{Answered, Failed, Rejected, Timeout};
        match status {
            Answered => None,
            Timeout | Failed | Rejected => {
                Some(format!("{} {}.", words::agent(*agent), words::status(*status)))
            }
        }
    }));
    lines.extend(trace.next_possible_at.as_ref().map(|next| {
        let left = format::duration_ms(next.at.since(decision.ts));
        format!(
            "{} That is {left} after this decision.",
            render::next_possible(next, trace.ts, zone)
        )
    }));
    lines
}

/// How far a score is from the threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ScoreMargin {
    /// On which side, exactly.
    side: Ordering,
    /// Rounded half away from zero to three decimals.
    shown: Milli,
}

/// The stored score is rounded; the machine compared the exact product, in thousand-millionths. So is done here.
fn margin(score: &ScoreParts, confidence: Milli, threshold: Milli) -> ScoreMargin {
    const MILLI: i128 = 1_000_000;
    let wide = |milli: Milli| i128::from(milli.0);
    let utility = wide(score.priority) * wide(confidence) * wide(score.m);
    let costs = [
        score.surface_cost,
        score.confirm_cost,
        score.recent,
        score.dnd,
        threshold,
    ];
    let exact = utility - costs.into_iter().map(|cost| wide(cost) * MILLI).sum::<i128>();
    let rounded = (exact + exact.signum() * MILLI / 2) / MILLI;
    // A policy's parts are below ten, so only a forged record could leave no room.
    ScoreMargin {
        side: exact.cmp(&0),
        shown: Milli(i64::try_from(rounded).unwrap_or_default()),
    }
}

fn sentence(
    c: &ConsideredCandidate,
    margin: Option<ScoreMargin>,
    threshold: Option<Milli>,
    picked: bool,
    beside: bool,
) -> String {
    let who = format!(
        "{} ({}, confidence {})",
        words::action(c.kind),
        words::agent(c.agent),
        c.confidence
    );
    if let Some(reason) = c.removed {
        let rule = c
            .rule
            .as_ref()
            .map_or_else(String::new, |rule| format!(" ({rule})"));
        return format!(
            "{who}: removed before scoring by {reason}{rule}. {}",
            words::reason(reason)
        );
    }
    let Some(score) = &c.score else {
        return format!("{who}: not scored.");
    };
    let against = match (margin, threshold) {
        (Some(margin), Some(threshold)) => {
            let far = if margin.shown.0 == 0 && margin.side != Ordering::Equal {
                "less than 0.001".to_owned()
            } else {
                Milli(margin.shown.0.abs()).to_string()
            };
            match margin.side {
                Ordering::Less => format!("{far} short of the threshold {threshold}"),
                Ordering::Equal => format!("exactly the threshold {threshold}, which passes"),
                Ordering::Greater => format!("{far} over the threshold {threshold}"),
            }
        }
        (_, _) => "its policy is not kept, so the threshold is not known".to_owned(),
    };
    let silent = c.kind.tool().columns().surface == Surface::Silent;
    let fate = match (picked, beside, margin.map(|m| m.side)) {
        (true, _, _) => " It was chosen.",
        (false, true, _) => " It went along on the same card.",
        (false, false, Some(Ordering::Greater | Ordering::Equal)) if silent => {
            " What shows nothing comes after everything that does, or nothing could be done."
        }
        (false, false, Some(Ordering::Greater | Ordering::Equal)) => {
            " Something else ranked first, or nothing could be done."
        }
        (false, false, Some(Ordering::Less) | None) => "",
    };
    format!(
        "{who}: scored {}, {against}{}.{fate}",
        score.score,
        largest_cost(score)
    )
}

/// What would have had to be different for a candidate to pass.
fn needed(c: &ConsideredCandidate, margin: Option<ScoreMargin>, threshold: Option<Milli>) -> Option<String> {
    if let Some(reason) = c.removed {
        return Some(format!("It is considered again {}.", words::once(reason)));
    }
    let (score, threshold) = (c.score.as_ref()?, threshold?);
    if margin.is_none_or(|margin| margin.side != Ordering::Less) {
        return None;
    }
    let worth = score.priority.0 * score.m.0;
    let costs = [
        score.surface_cost,
        score.confirm_cost,
        score.recent,
        score.dnd,
        threshold,
    ];
    let wanted = costs.into_iter().map(|cost| cost.0).sum::<i64>() * 1_000_000;
    // The least confidence in thousandths, rounded up, so that it really passes.
    let confidence = if worth > 0 {
        (wanted + worth - 1) / worth
    } else {
        i64::MAX
    };
    Some(if confidence <= 1000 {
        format!("With a confidence of {} it would have passed.", Milli(confidence))
    } else {
        "No confidence would have been enough in this state and so soon.".to_owned()
    })
}

/// What was taken off most, when anything was.
fn largest_cost(score: &ScoreParts) -> String {
    let costs = [
        ("its surface", score.surface_cost),
        ("having to ask", score.confirm_cost),
        ("being shown lately", score.recent),
        ("do not disturb", score.dnd),
    ];
    let most = costs
        .into_iter()
        .filter(|(_, cost)| cost.0 > 0)
        .max_by_key(|(_, cost)| *cost);
    most.map_or_else(String::new, |(name, cost)| {
        format!("; {name} took off most, {cost}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(priority: i64, m: i64, costs: [i64; 4]) -> ScoreParts {
        let [surface_cost, confirm_cost, recent, dnd] = costs.map(Milli);
        // What is stored rounded is not looked at by `margin`.
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
            let found = margin(&parts(priority, m, costs), Milli(confidence), Milli(450));
            assert_eq!(
                found,
                ScoreMargin {
                    side,
                    shown: Milli(shown)
                },
                "{priority} × {confidence} × {m}"
            );
        }
    }

    #[test]
    fn the_largest_cost_is_named_when_there_is_one() {
        assert_eq!(
            largest_cost(&parts(0, 0, [100, 50, 0, 0])),
            "; its surface took off most, 0.100"
        );
        assert_eq!(
            largest_cost(&parts(0, 0, [100, 50, 0, 300])),
            "; do not disturb took off most, 0.300"
        );
        assert_eq!(largest_cost(&parts(0, 0, [0, 0, 0, 0])), "");
    }
}
