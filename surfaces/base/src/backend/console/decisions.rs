//! Which decisions are meant.
//!
//! What: [`TraceFilter`], closed names, dates and a cursor, and a page of what passes it. Why: the filter stands in the address, so
//! nothing private may be in it. Not here: reading (the backend), one decision in full (`render::drawer`).

use crate::format;
use chrono::{NaiveDate, NaiveTime};
use toolcall_schema::{
    ActionKind, AgentName, AgentStatus, Outcome, ReasonCode, StateName,
    tick::TriggerSource,
    trace::{StateVisit, Trace},
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
    /// From this time of the owner's day on.
    pub from_time: Option<NaiveTime>,
    /// Before this one; where it comes before `from_time`, the span goes over midnight.
    pub to_time: Option<NaiveTime>,
    /// Only ticks before this one: the cursor of the page before.
    pub before: Option<u64>,
    /// Which come first.
    pub order: TraceOrder,
}

/// Which decisions come first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TraceOrder {
    #[default]
    Newest,
    /// Those that took longest, by [`own_time_ms`]: one page of all that were looked at.
    Slowest,
}

/// How long a tick took, without the time in which the owner was asked.
pub fn own_time_ms(trace: &Trace) -> i64 {
    own_states(trace).map(|visit| visit.ms).sum()
}

/// The state in which most of that time went by.
pub fn longest_state(trace: &Trace) -> Option<&StateVisit> {
    own_states(trace).max_by_key(|visit| visit.ms)
}

fn own_states(trace: &Trace) -> impl Iterator<Item = &StateVisit> {
    let waits = StateName::AwaitingConfirm;
    trace.state_path.iter().filter(move |visit| visit.state != waits)
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
            && self.admits_time(trace)
    }

    fn admits_time(&self, trace: &Trace) -> bool {
        let decision = &trace.decision;
        let zone = format::zone(&decision.user.zone);
        let time = decision.ts.utc().with_timezone(&zone).time();
        match (self.from_time, self.to_time) {
            (Some(from), Some(to)) if to < from => from <= time || time < to,
            (from, to) => from.is_none_or(|from| from <= time) && to.is_none_or(|to| time < to),
        }
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

/// A page of decisions, in the order that was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct TracePage {
    /// At most [`PAGE`].
    pub traces: Vec<Trace>,
    /// The cursor of the next page; absent: there is none.
    pub next: Option<u64>,
    /// How many decisions were looked at.
    pub looked_at: usize,
}
