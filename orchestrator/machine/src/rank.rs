//! Merging and scores: pure functions over candidates.
//!
//! What: what several agents propose becomes one candidate for each action, and what one is worth. Why: the formulas of the
//! specification stand together, in whole numbers. Not here: what must not be shown whatever it is worth (`caps`), which one is chosen
//! (`choose`).

use crate::{env::MachineEnv, policy::class_of, state::HistoryEntry};
use chrono::NaiveDate;
use serde_json::Value;
use std::sync::Arc;
use toolcall_schema::{
    ActionKind, AgentName, Class, Confirm, Severity, Timestamp, WellnessState,
    catalogue::comms::EvidenceCode,
    milli::Milli,
    tick::{Candidate, Subject, Trigger, TriggerSource},
    trace::{Asker, ScoreParts},
};

/// A candidate after merging.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MergedCandidate {
    /// What to do.
    pub(crate) kind: ActionKind,
    /// About what.
    pub(crate) subject: Subject,
    /// Whose copy won.
    pub(crate) agent: AgentName,
    /// Who asked for it, where no agent proposed it.
    pub(crate) asker: Option<Asker>,
    /// Its class with that agent.
    pub(crate) class: Class,
    /// How sure that agent is.
    pub(crate) confidence: Milli,
    /// The tool's arguments.
    pub(crate) args: Arc<Value>,
    /// Until when it makes sense (wall clock).
    pub(crate) valid_until: Option<Timestamp>,
    /// Why that agent is this sure.
    pub(crate) evidence: Vec<EvidenceCode>,
    /// Whether an agent says that the owner always lets it through.
    pub(crate) let_through: bool,
}

/// Merges candidates by (kind, subject), in the order of the agents: a safety copy (Wellness) wins, then the surer one,
/// then the first. The sections of a brief are put together whoever wins, and what one of them says is let through is.
pub(crate) fn merge(proposed: impl IntoIterator<Item = (AgentName, Candidate)>) -> Vec<MergedCandidate> {
    let mut merged: Vec<MergedCandidate> = Vec::new();
    for (agent, candidate) in proposed {
        let class = class_of(candidate.kind, agent);
        let mut new = MergedCandidate {
            kind: candidate.kind,
            subject: candidate.subject,
            agent,
            asker: None,
            class,
            confidence: candidate.confidence,
            args: Arc::new(candidate.args),
            valid_until: candidate.valid_until,
            evidence: candidate.evidence,
            let_through: candidate.let_through,
        };
        let Some(old) = merged
            .iter_mut()
            .find(|old| old.kind == new.kind && old.subject == new.subject)
        else {
            merged.push(new);
            continue;
        };
        let sections = (new.kind == ActionKind::ShowBrief)
            .then(|| join_sections(Arc::make_mut(&mut old.args), Arc::make_mut(&mut new.args)));
        let wins =
            (new.class == Class::Safety, new.confidence) > (old.class == Class::Safety, old.confidence);
        let let_through = old.let_through || new.let_through;
        if wins {
            *old = new;
        }
        old.let_through = let_through;
        if let Some(args) = sections {
            old.args = Arc::new(args);
        }
    }
    merged
}

/// Both briefs' sections in one; they are taken out of the two, whose arguments it replaces.
fn join_sections(old: &mut Value, new: &mut Value) -> Value {
    let of = |args: &mut Value| match args.get_mut("sections").map(Value::take) {
        Some(Value::Array(sections)) => sections,
        Some(_) | None => Vec::new(),
    };
    let mut sections = of(old);
    sections.append(&mut of(new));
    let members = [("sections".to_owned(), Value::Array(sections))];
    Value::Object(members.into_iter().collect())
}

/// Whether it is the digest of the channel whose mute ended, at that moment or when it is tried again.
pub(crate) fn ends_a_mute(trigger: &Trigger, kind: ActionKind, subject: &Subject) -> bool {
    let ended = match trigger.source {
        TriggerSource::MuteEnded | TriggerSource::WindowEnded => true,
        TriggerSource::PhoneUnlock
        | TriggerSource::CommsBurst
        | TriggerSource::Transaction
        | TriggerSource::LoadCrossed
        | TriggerSource::BriefTime
        | TriggerSource::AlertAt
        | TriggerSource::RuleEnded
        | TriggerSource::Later
        | TriggerSource::Interval
        | TriggerSource::Owner
        | TriggerSource::Call => false,
    };
    ended && kind == ActionKind::BatchDigest && trigger.subject.as_ref() == Some(subject)
}

/// What a score depends on beside the candidate.
#[derive(Debug, Clone)]
pub(crate) struct ScoreContext<'a> {
    /// The policy, and what the owner wants more or less of.
    pub(crate) env: &'a MachineEnv,
    /// The owner's state, FOCUSED while a focus block is on.
    pub(crate) state: WellnessState,
    /// What started the tick.
    pub(crate) trigger: &'a Trigger,
    /// Whether do not disturb is on.
    pub(crate) dnd: bool,
    /// What was shown or carried out.
    pub(crate) history: &'a [HistoryEntry],
    /// What is on cards that wait to be seen.
    pub(crate) waiting: &'a [(ActionKind, Subject)],
    pub(crate) day: NaiveDate,
    /// Now, on the timeline.
    pub(crate) at: Timestamp,
}

/// A score in billionths, so that the comparison with the threshold is exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NanoScore(pub(crate) i64);

impl NanoScore {
    /// Thousandths as billionths.
    pub(crate) fn from_milli(milli: Milli) -> Self {
        Self(milli.0 * 1_000_000)
    }

    /// The nearest thousandth, half away from zero: for display only.
    pub(crate) fn round(self) -> Milli {
        let half = if self.0 < 0 { -500_000 } else { 500_000 };
        Milli((self.0 + half) / 1_000_000)
    }
}

/// `priority × confidence × M - surface_cost - confirm_cost - recent - dnd` (spec section 4), exactly and in parts.
pub(crate) fn score(scene: &ScoreContext<'_>, candidate: &MergedCandidate) -> (NanoScore, ScoreParts) {
    let columns = candidate.kind.tool().columns();
    let severity = candidate
        .args
        .get("severity")
        .and_then(Value::as_str)
        .and_then(Severity::parse);
    let policy = &scene.env.policy;
    let priority = scene.env.priority(candidate.kind, candidate.agent, severity);
    let ends_a_mute = ends_a_mute(scene.trigger, candidate.kind, &candidate.subject);
    let m = policy.state_weight(scene.state, candidate.class, ends_a_mute);
    let surface_cost = policy.surface_cost(columns.surface);
    let confirm_cost = match columns.confirm {
        Confirm::Always => policy.confirm_cost(),
        Confirm::Never => Milli(0),
    };
    let same = || {
        scene
            .history
            .iter()
            .filter(|past| past.kind == candidate.kind && past.subject == candidate.subject)
            .filter(|past| past.is_recent(scene.at))
    };
    // What waits to be seen counts as seen now: nothing is put beside itself.
    let waiting = scene.waiting.iter();
    let waiting = waiting
        .filter(|(kind, subject)| (*kind, subject) == (candidate.kind, &candidate.subject))
        .count();
    let today = waiting + same().filter(|past| past.day == scene.day).count();
    let in_window = waiting
        + same()
            .filter(|past| scene.at.since(past.at) < policy.window_ms())
            .count();
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let recent = policy.recent_cost(count(today), count(in_window));
    let dnd = policy.dnd_cost(scene.dnd, columns.surface);
    let mut parts = ScoreParts {
        priority,
        m,
        utility: NanoScore(priority.0 * candidate.confidence.0 * m.0).round(),
        surface_cost,
        confirm_cost,
        recent,
        dnd,
        score: Milli(0),
    };
    let exact = exact_score(&parts, candidate.confidence);
    parts.score = exact.round();
    (exact, parts)
}

/// The score that its parts and a confidence make, before it is rounded.
pub(crate) fn exact_score(parts: &ScoreParts, confidence: Milli) -> NanoScore {
    let utility = parts.priority.0 * confidence.0 * parts.m.0;
    let costs = Milli(parts.surface_cost.0 + parts.confirm_cost.0 + parts.recent.0 + parts.dnd.0);
    NanoScore(utility - NanoScore::from_milli(costs).0)
}
