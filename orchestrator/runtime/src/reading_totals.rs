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
use surfaces_base::backend::settings::SourceRestView;
use toolcall_schema::AgentName;

/// What each agent had read and had to read, over the lives of the machine: what it has read it does not read again when the machine starts anew.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReadingTotals(Arc<Mutex<BTreeMap<AgentName, AgentTotals>>>);

#[derive(Debug, Clone, Default)]
struct AgentTotals {
    /// In earlier lives of the machine, and in this one.
    before: u64,
    items: u64,
    most_left: u64,
    /// Of each source of which something was left.
    most_left_of: BTreeMap<String, u64>,
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

    /// What it has, where it counts that; else all that it has read, with so much in this life.
    pub(crate) fn raise(&self, agent: AgentName, (items, holds): (u64, Option<u32>)) -> u64 {
        let read = self.change_of(agent, |totals| {
            totals.items = totals.items.max(items);
            totals.before + totals.items
        });
        // What it read before a start counts too, and what it read twice once.
        holds.map_or(read, u64::from)
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

    /// For each source of which something is left, that and the most there was until it is read.
    pub(crate) fn rests(
        &self,
        agent: AgentName,
        left: &BTreeMap<String, u64>,
    ) -> BTreeMap<String, SourceRestView> {
        self.change_of(agent, |totals| {
            totals.most_left_of.retain(|source, _| left.contains_key(source));
            let view = |(source, left): (&String, &u64)| {
                let most = totals.most_left_of.entry(source.clone()).or_default();
                *most = (*most).max(*left);
                (
                    source.clone(),
                    SourceRestView {
                        left: *left,
                        most: *most,
                    },
                )
            };
            left.iter().map(view).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_has_counts_however_often_it_was_read() {
        let totals = ReadingTotals::default();
        // A calendar of 9 events was read twice; of 39 messages that are kept, none was read since the start.
        assert_eq!(totals.raise(AgentName::Calendar, (18, Some(9))), 9);
        assert_eq!(totals.raise(AgentName::Comms, (0, Some(39))), 39);
        // Of measurements it is not known how many there are.
        assert_eq!(totals.raise(AgentName::Wellness, (7, None)), 7);
        totals.begin();
        assert_eq!(totals.raise(AgentName::Wellness, (2, None)), 9);
    }

    #[test]
    fn a_source_has_its_own_bar_until_nothing_is_left_of_it() {
        let totals = ReadingTotals::default();
        let left = |sources: &[(&str, u64)]| {
            let left = sources.iter().map(|(source, left)| ((*source).to_owned(), *left));
            let views = totals.rests(AgentName::Comms, &left.collect());
            views
                .into_values()
                .map(|view| (view.left, view.most))
                .collect::<Vec<_>>()
        };
        assert_eq!(left(&[("a", 100), ("b", 40)]), [(100, 100), (40, 40)]);
        assert_eq!(left(&[("a", 30), ("b", 40)]), [(30, 100), (40, 40)]);
        assert_eq!(left(&[("b", 10)]), [(10, 40)]);
        // It has grown since it was read to its end.
        assert_eq!(left(&[("a", 5)]), [(5, 5)]);
    }

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
