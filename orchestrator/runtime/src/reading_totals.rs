//! How much was read, over the starts of the machine.
//!
//! What: [`ReadingTotals`], items and bytes left of each agent. Why: the machine starts anew when settings change, and a bar that fell back would say
//! that something was lost. Not here: what is read (`reading`), the bar (`surfaces`).

use aura_platform::health::DayReading;
use chrono::NaiveDate;
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
    today: DayTotals,
}

/// Of one local day.
#[derive(Debug, Clone, Copy, Default)]
struct DayTotals {
    day: NaiveDate,
    /// In earlier lives of the machine, and in this one.
    before: u64,
    items: u64,
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
                    totals.today.before += totals.today.items;
                    totals.today.items = 0;
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

    /// All that it has read on a day, with so much of it in this life.
    pub(crate) fn raise_day(&self, agent: AgentName, DayReading { day, items }: DayReading) -> u64 {
        self.change_of(agent, |totals| {
            if totals.today.day != day {
                totals.today = DayTotals {
                    day,
                    ..DayTotals::default()
                };
            }
            totals.today.items = totals.today.items.max(items);
            totals.today.before + totals.today.items
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_counted_over_the_starts_of_the_machine_and_ends() {
        let totals = ReadingTotals::default();
        let on = |day: u32, items| DayReading {
            day: NaiveDate::from_ymd_opt(2026, 11, day).unwrap(),
            items,
        };
        for (agent, begins, read, all) in [
            (AgentName::Comms, false, on(3, 12), 12),
            (AgentName::Comms, false, on(3, 15), 15),
            (AgentName::Comms, true, on(3, 2), 17),
            // A calendar is read anew at each start.
            (AgentName::Calendar, false, on(3, 9), 9),
            (AgentName::Calendar, true, on(3, 9), 9),
            (AgentName::Comms, false, on(4, 1), 1),
        ] {
            if begins {
                totals.begin();
            }
            assert_eq!(totals.raise_day(agent, read), all, "{agent} {read:?}");
        }
    }
}
