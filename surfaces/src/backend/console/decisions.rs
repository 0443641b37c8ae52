//! Which decisions are meant.
//!
//! What: [`TraceFilter`], closed names, dates and a cursor, and a page of what passes it. Why: the filter stands in the address, so
//! nothing private may be in it. Not here: reading (the backend), one decision in full (`render::drawer`).

use chrono::NaiveDate;
use toolcall_schema::{
    ActionKind, AgentName, AgentStatus, Outcome, ReasonCode, tick::TriggerSource, trace::Trace,
};

/// Decisions on one page.
pub const PAGE: usize = 50;

/// Which decisions are meant. Nothing set: all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TraceFilter {
    /// How it ended.
    pub outcome: Option<Outcome>,
    /// Why it ended so.
    pub reason: Option<ReasonCode>,
    /// What was chosen.
    pub kind: Option<ActionKind>,
    /// Whether anything was.
    pub choice: Option<TraceChoice>,
    /// Why it began.
    pub trigger: Option<TriggerSource>,
    /// Only those in which an agent's part ended so; `status` alone: any of the four, `agent` alone: it did not answer.
    pub agent: Option<AgentName>,
    /// As above.
    pub status: Option<AgentStatus>,
    /// The first local day.
    pub from: Option<NaiveDate>,
    /// The last one, itself included.
    pub to: Option<NaiveDate>,
    /// Only ticks before this one: the cursor of the page before.
    pub before: Option<u64>,
}

impl TraceFilter {
    /// Whether a decision is meant; the cursor is the reader's.
    pub fn admits(&self, trace: &Trace) -> bool {
        let decision = &trace.decision;
        let day = decision.ledger_before.day;
        self.outcome.is_none_or(|outcome| trace.outcome == outcome)
            && self.reason.is_none_or(|reason| trace.reason_code == Some(reason))
            && self
                .kind
                .is_none_or(|kind| decision.chosen.as_ref().is_some_and(|chosen| chosen.kind == kind))
            && self.choice.is_none_or(|choice| choice.admits(trace))
            && self
                .trigger
                .is_none_or(|source| decision.trigger.source == source)
            && self.admits_agents(trace)
            && self.from.is_none_or(|from| from <= day)
            && self.to.is_none_or(|to| day <= to)
    }

    fn admits_agents(&self, trace: &Trace) -> bool {
        if self.agent.is_none() && self.status.is_none() {
            return true;
        }
        let fits = |status: AgentStatus| {
            self.status
                .map_or(status != AgentStatus::Answered, |wanted| wanted == status)
        };
        trace
            .decision
            .agent_status
            .iter()
            .any(|(agent, status)| self.agent.is_none_or(|wanted| wanted == *agent) && fits(*status))
    }
}

/// Whether something came of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceChoice {
    /// Something was chosen, or asked for.
    Spoke,
    /// Something was proposed, and nothing was chosen.
    HeldBack,
}

impl TraceChoice {
    fn admits(self, trace: &Trace) -> bool {
        let decision = &trace.decision;
        let spoke = decision.chosen.is_some() || decision.call.is_some();
        match self {
            TraceChoice::Spoke => spoke,
            TraceChoice::HeldBack => !spoke && !decision.candidates.is_empty(),
        }
    }
}

/// A page of decisions, newest first.
#[derive(Debug, Clone, PartialEq)]
pub struct TracePage {
    /// At most [`PAGE`].
    pub traces: Vec<Trace>,
    /// The cursor of the next page; absent: there is none.
    pub next: Option<u64>,
    /// How many decisions were looked at.
    pub looked_at: usize,
}
