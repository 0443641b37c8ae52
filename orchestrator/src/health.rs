//! Health: counters and flags that people and `doctor` read.
//!
//! What: what went wrong since the start, by kind. Why: nothing is lost silently. Not here: what is done about it.

use serde::Serialize;
use std::collections::BTreeMap;
use toolcall_schema::{AgentName, tick::Skip};

/// Since the start of the process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Health {
    /// Calls that the gate refused on the way out.
    pub refused_calls: u64,
    /// Results that the gate refused on the way back.
    pub refused_results: u64,
    /// Events that made no sense when they came (late answers and the like).
    pub ignored: u64,
    /// Traces that went to a raw file because the store was slow.
    pub raw_traces: u64,
    /// Turns that could not be handed to the store.
    pub not_written: u64,
    /// Jumps of the wall clock.
    pub clock_jumps: u64,
    /// Agents whose last call got no answer.
    pub down: BTreeMap<AgentName, bool>,
    /// What agents could not read.
    pub skipped: BTreeMap<AgentName, Skipped>,
}

/// What one agent could not read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// All of them.
    pub count: u64,
    /// The last ones, at most 16.
    pub last: Vec<Skip>,
}

/// At most this many skips are remembered an agent.
const SKIPS_MAX: usize = 16;

impl Health {
    /// Notes whether an agent answered.
    pub fn agent(&mut self, agent: AgentName, answered: bool) {
        self.down.insert(agent, !answered);
    }

    /// Notes what an agent could not read, and logs it: the code and the place, never what stood there.
    pub fn skipped(&mut self, agent: AgentName, count: u32, skips: Vec<Skip>) {
        if count == 0 {
            return;
        }
        let entry = self.skipped.entry(agent).or_default();
        entry.count += u64::from(count);
        for skip in skips {
            tracing::warn!(
                agent = agent.as_str(),
                code = skip.code,
                item = skip.item,
                line = skip.line,
                "skipped"
            );
            if entry.last.len() >= SKIPS_MAX {
                entry.last.remove(0);
            }
            entry.last.push(skip);
        }
    }
}
