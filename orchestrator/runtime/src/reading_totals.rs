//! How much was read, over the starts of the machine.
//!
//! What: [`ReadingTotals`], items and bytes left of each agent. Why: the machine starts anew when settings change, and a bar that fell back would say
//! that something was lost. Not here: what is read (`reading`), the bar (`surfaces`).

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};
use toolcall_schema::AgentName;

/// What each agent had read and had to read, over the lives of the machine: what it has read it does not read again when the machine starts anew.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReadingTotals(Arc<Mutex<BTreeMap<AgentName, AgentTotals>>>);

#[derive(Debug, Clone, Copy, Default)]
struct AgentTotals {
    /// In earlier lives of the machine, and in this one.
    before: u64,
    items: u64,
    most_left: u64,
}

impl ReadingTotals {
    fn change_of<T>(&self, agent: AgentName, change: impl FnOnce(&mut AgentTotals) -> T) -> T {
        let mut totals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        change(totals.entry(agent).or_default())
    }

    /// Another machine begins.
    pub(crate) fn begin(&self) {
        for agent in AgentName::FOUR {
            self.change_of(agent, |totals| {
                // A calendar lies in memory alone, and is read anew.
                if agent != AgentName::Calendar {
                    totals.before += totals.items;
                    totals.items = 0;
                }
            });
        }
    }

    /// All that it has read, with so much in this life.
    pub(crate) fn raise(&self, agent: AgentName, items: u64) -> u64 {
        self.change_of(agent, |totals| {
            totals.items = totals.items.max(items);
            totals.before + totals.items
        })
    }

    /// The most bytes that were left since none were.
    pub(crate) fn most_left(&self, agent: AgentName, left: u64) -> u64 {
        self.change_of(agent, |totals| {
            totals.most_left = if left == 0 { 0 } else { totals.most_left.max(left) };
            totals.most_left
        })
    }
}
