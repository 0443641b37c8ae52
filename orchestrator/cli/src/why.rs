//! Why Aura spoke, or stayed silent.
//!
//! What: [`explain`], from one trace and its policy to plain sentences with the numbers in them. Why: "which cap or score, by
//! how much, when could it speak next" is answered from the record alone. Not here: finding the trace (`trace`), the words
//! for codes (`surfaces_base::words`).

use super::{moment::MomentReport, names, records::zone};
use orchestrator_machine::policy::Policy;
use serde::Serialize;
use std::cmp::Ordering;
use surfaces::render::explanation::{
    CandidateRole, DecisionReasons, ScoreMargin, confidence_to_pass, largest_cost,
};
use surfaces_base::{
    format,
    language::{say, text},
    words,
};
use toolcall_schema::{
    ActionKind, AgentName, Outcome, ReasonCode, Surface, Timestamp,
    ids::TraceId,
    milli::Milli,
    tick::Subject,
    trace::{ConsideredCandidate, NextPossible, Trace},
};

/// A decision, explained.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct TraceExplanation {
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
    pub(crate) fn to_text(&self) -> String {
        let mut lines: Vec<String> = Vec::new();
        if let Some(moment) = &self.moment {
            lines.extend(moment.sentences.iter().cloned());
            lines.push(String::new());
        }
        lines.extend(self.sentences.iter().cloned());
        if !self.candidates.is_empty() {
            lines.push(format!("\n{}", text("cli-why-proposed")));
        }
        lines.extend(self.candidates.iter().map(|candidate| {
            let mark = if candidate.chosen { "*" } else { "-" };
            let needed = candidate.needed.as_ref().map(|needed| format!(" {needed}"));
            format!("  {mark} {}{}", candidate.sentence, needed.unwrap_or_default())
        }));
        let id = self.trace_id.to_string();
        lines.push(format!("\n{}", say!("cli-why-all-of-it", id)));
        lines.join("\n")
    }
}

/// Explains a trace. `policy`: the one it was decided with, when it is known. `asked`: the time the owner asked about.
/// `moment`: how it stood then.
pub(crate) fn explain(
    trace: &Trace,
    policy: Option<&Policy>,
    asked: Option<Timestamp>,
    moment: Option<MomentReport>,
) -> TraceExplanation {
    let decision = &trace.decision;
    let threshold = policy.map(Policy::threshold);
    let candidates = decision
        .candidates
        .iter()
        .map(|candidate| {
            let role = CandidateRole::in_decision(candidate, decision);
            let margin = candidate
                .score
                .as_ref()
                .zip(threshold)
                .map(|(score, t)| ScoreMargin::from_score(score, candidate.confidence, t));
            CandidateExplanation {
                kind: candidate.kind,
                subject: candidate.subject.clone(),
                agent: candidate.agent,
                chosen: role != CandidateRole::PassedOver,
                removed: candidate.removed,
                score: candidate.score.as_ref().map(|score| score.score),
                margin: margin.map(|margin| margin.shown),
                needed: needed(candidate, margin, threshold),
                sentence: sentence(candidate, margin, threshold, role),
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
    let reasons = DecisionReasons::from_trace(trace, zone);
    let mut lines = Vec::new();
    if let Some(asked) = asked.filter(|asked| *asked != decision.ts) {
        lines.push(say!(
            "cli-why-last-decision",
            asked = when(asked),
            at = when(decision.ts)
        ));
    } else {
        lines.push(format!("{}.", when(decision.ts)));
    }
    lines.push(reasons.why_now);
    lines.push(match &decision.chosen {
        Some(chosen) => {
            let chosen = say!("cli-why-chosen", action = words::action(chosen.kind));
            format!("{chosen} {}", reasons.outcome)
        }
        None => reasons.outcome.to_owned(),
    });
    lines.extend(reasons.reason.map(str::to_owned));
    if trace.reason_code == Some(ReasonCode::CapDaily) {
        let ledger = &decision.ledger_before;
        lines.push(say!(
            "cli-why-tokens",
            free = ledger.free,
            ceiling = ledger.ceiling,
            day = ledger.day.to_string(),
            spent = ledger.settled,
            held = ledger.reserved,
            given_back = ledger.refunded
        ));
    }
    lines.extend(decision.agent_status.iter().filter_map(|(agent, status)| {
        use toolcall_schema::AgentStatus::{Answered, Failed, Rejected, Timeout};
        match status {
            Answered => None,
            Timeout | Failed | Rejected => Some(say!(
                "cli-why-agent-status",
                agent = words::agent(*agent),
                status = words::status(*status)
            )),
        }
    }));
    let next = trace.next_possible_at.as_ref().zip(reasons.next_possible);
    lines.extend(next.map(|(next, possible)| {
        let left = format::duration_ms(next.at.since(decision.ts));
        format!("{possible} {}", say!("cli-why-so-long-after", left))
    }));
    lines
}

fn sentence(
    c: &ConsideredCandidate,
    margin: Option<ScoreMargin>,
    threshold: Option<Milli>,
    role: CandidateRole,
) -> String {
    let who = match c.asker {
        Some(asker) => format!("{} ({})", words::action(c.kind), words::asker(asker)),
        None => say!(
            "cli-why-by-agent",
            action = words::action(c.kind),
            agent = words::agent(c.agent),
            confidence = c.confidence.to_string()
        ),
    };
    if let Some(reason) = c.removed {
        let code = names::reason(reason);
        let removed = match &c.rule {
            Some(rule) => say!("cli-why-removed-by-rule", who, code, rule),
            None => say!("cli-why-removed", who, code),
        };
        return format!("{removed} {}", words::reason(reason));
    }
    let Some(score) = &c.score else {
        return say!("cli-why-not-scored", who);
    };
    let against = match (margin, threshold) {
        (Some(margin), Some(threshold)) => {
            let far = if margin.shown.0 == 0 && margin.side != Ordering::Equal {
                text("cli-why-very-little").to_owned()
            } else {
                Milli(margin.shown.0.abs()).to_string()
            };
            let threshold = threshold.to_string();
            match margin.side {
                Ordering::Less => say!("cli-why-short-of", far, threshold),
                Ordering::Equal => say!("cli-why-exactly", threshold),
                Ordering::Greater => say!("cli-why-over", far, threshold),
            }
        }
        (_, _) => text("cli-why-no-threshold").to_owned(),
    };
    let silent = c.kind.tool().columns().surface == Surface::Silent;
    let fate = match (role, margin.map(|m| m.side)) {
        (CandidateRole::Chosen, _) => Some(text("cli-why-was-chosen")),
        (CandidateRole::Companion, _) => Some(text("cli-why-went-along")),
        (CandidateRole::PassedOver, Some(Ordering::Greater | Ordering::Equal)) if silent => {
            Some(text("cli-why-silent-comes-last"))
        }
        (CandidateRole::PassedOver, Some(Ordering::Greater | Ordering::Equal)) => {
            Some(text("cli-why-other-first"))
        }
        (CandidateRole::PassedOver, Some(Ordering::Less) | None) => None,
    };
    let scored = score.score.to_string();
    let scored = match largest_cost(score) {
        Some((name, cost)) => {
            let cost = cost.to_string();
            say!("cli-why-scored-with-cost", who, scored, against, name, cost)
        }
        None => say!("cli-why-scored", who, scored, against),
    };
    let by_rule = c.passes_by_rule().then(|| words::LET_THROUGH_BY_RULE.say());
    let sentences = std::iter::once(scored.as_str()).chain(by_rule).chain(fate);
    sentences.collect::<Vec<_>>().join(" ")
}

/// What would have had to be different for a candidate to pass.
fn needed(c: &ConsideredCandidate, margin: Option<ScoreMargin>, threshold: Option<Milli>) -> Option<String> {
    if let Some(reason) = c.removed {
        return Some(say!("cli-why-considered-again", once = words::once(reason)));
    }
    let (score, threshold) = (c.score.as_ref()?, threshold?);
    if c.passes_by_rule() || margin.is_none_or(|margin| margin.side != Ordering::Less) {
        return None;
    }
    Some(match confidence_to_pass(score, threshold) {
        Some(confidence) => say!("cli-why-confidence-needed", confidence = confidence.to_string()),
        None => text("cli-why-no-confidence-enough").to_owned(),
    })
}
