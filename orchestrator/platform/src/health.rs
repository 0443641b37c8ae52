//! Health: counters and flags that people and `doctor` read.
//!
//! What: what went wrong since the start, by kind. Why: nothing is lost silently. Not here: what is done about it.

use agents::skip_codes::is_source_cut_short;
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use toolcall_schema::{
    AgentName, Timestamp,
    tick::{SkippedItem, SourceRest},
};

/// Since the start of the process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServiceHealth {
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
    /// Commits that the disk did not take. What they held is kept in memory and written with the next one.
    pub failed_commits: u64,
    /// Whether the last turn or commit failed: nothing surfaces and nothing is carried out.
    pub journal_down: bool,
    /// Jumps of the wall clock.
    pub clock_jumps: u64,
    /// Agents whose last call got no answer.
    pub down: BTreeMap<AgentName, bool>,
    /// What agents could not read.
    pub skipped: BTreeMap<AgentName, SkippedReport>,
    /// How far agents have read.
    pub reading: BTreeMap<AgentName, ReadProgress>,
    /// What is left of sources, by [`toolcall_schema::tick::source_key`] of their paths, of the agents that have not read everything.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rests: BTreeMap<AgentName, BTreeMap<String, u64>>,
    /// When each agent last looked at its files (wall clock).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub read_at: BTreeMap<AgentName, Timestamp>,
    /// What each agent read on the owner's local day on which it read last.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub read_on: BTreeMap<AgentName, DayReading>,
}

/// What one agent read on a local day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DayReading {
    pub day: NaiveDate,
    pub items: u64,
}

/// How far one agent has read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadProgress {
    /// Its answers.
    pub answers: u64,
    /// Items read and kept.
    pub items: u64,
    /// Bytes of files that were read.
    pub bytes: u64,
    /// Bytes that were left for later by its last answer.
    pub left: u64,
    /// Items that it has now, whenever they were read, where it counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holds: Option<u32>,
}

/// What one answer of an agent says of its reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadingReport {
    /// Items read and kept.
    pub items: u32,
    /// Bytes of files that were read, and that were left for later.
    pub taken: u64,
    pub left: u64,
    /// The sources that those are of.
    pub rests: Vec<SourceRest>,
    /// Items that it has now.
    pub holds: Option<u32>,
}

impl ReadProgress {
    /// Adds what one answer says. `of_signals`: it read signals and no files.
    fn add(&mut self, answer: &ReadingReport, of_signals: bool) {
        self.items += u64::from(answer.items);
        self.holds = answer.holds;
        if !of_signals {
            self.answers += 1;
            self.bytes = self.bytes.saturating_add(answer.taken);
            self.left = answer.left;
        }
    }
}

/// What one agent could not read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SkippedReport {
    /// All of them.
    pub count: u64,
    /// The last ones, at most 16.
    pub last: Vec<SkippedItem>,
    /// How many reports named a source that is not read to its end; each look counts.
    pub cut_short: u64,
    /// For each of `last`, the number of the report that named it last.
    #[serde(skip)]
    reported_by: Vec<u64>,
    #[serde(skip)]
    reports: u64,
}

impl SkippedReport {
    fn note(&mut self, agent: AgentName, count: u32, skips: Vec<SkippedItem>) {
        self.reports += 1;
        self.count += u64::from(count);
        for skip in skips {
            self.cut_short += u64::from(is_source_cut_short(&skip.code));
            if let Some(place) = self.last.iter().position(|known| is_same(known, &skip)) {
                self.count = self.count.saturating_sub(u64::from(self.last[place].count));
                self.last[place] = skip;
                self.reported_by[place] = self.reports;
                continue;
            }
            tracing::warn!(
                agent = agent.as_str(),
                code = skip.code,
                line = skip.line,
                "skipped: aura status names it"
            );
            if self.last.len() >= SKIPS_MAX {
                self.last.remove(0);
                self.reported_by.remove(0);
            }
            self.last.push(skip);
            self.reported_by.push(self.reports);
        }
    }

    /// What was told after an earlier look, what had been told before it and was told again included.
    fn since(mut self, earlier: &SkippedReport) -> Self {
        self.count = self.count.saturating_sub(earlier.count);
        self.cut_short = self.cut_short.saturating_sub(earlier.cut_short);
        let mut reported_by = std::mem::take(&mut self.reported_by).into_iter();
        self.last
            .retain(|_| reported_by.next().is_some_and(|report| report > earlier.reports));
        let again = |known: &&SkippedItem| self.last.iter().any(|skip| is_same(known, skip));
        let known = earlier.last.iter().filter(again);
        self.count += known.map(|skip| u64::from(skip.count)).sum::<u64>();
        self
    }
}

fn is_same(a: &SkippedItem, b: &SkippedItem) -> bool {
    (&a.code, &a.item, a.line) == (&b.code, &b.item, b.line)
}

/// At most this many skips are remembered an agent.
const SKIPS_MAX: usize = 16;

impl ServiceHealth {
    /// What agents have read, and could not read, since an earlier look.
    #[must_use]
    pub fn read_since(mut self, earlier: &ServiceHealth) -> Self {
        for (agent, reading) in &mut self.reading {
            let before = earlier.reading.get(agent).copied().unwrap_or_default();
            reading.items = reading.items.saturating_sub(before.items);
            reading.bytes = reading.bytes.saturating_sub(before.bytes);
        }
        for (agent, skipped) in &mut self.skipped {
            if let Some(before) = earlier.skipped.get(agent) {
                *skipped = std::mem::take(skipped).since(before);
            }
        }
        self
    }

    /// Notes what an agent read, at a moment of a local day. `of_signals`: signals and no files.
    pub fn read(
        &mut self,
        agent: AgentName,
        (at, day): (Timestamp, NaiveDate),
        answer: ReadingReport,
        of_signals: bool,
    ) {
        self.reading.entry(agent).or_default().add(&answer, of_signals);
        if !of_signals {
            let rests = answer.rests.into_iter().map(|rest| (rest.source, rest.left));
            self.rests.insert(agent, rests.collect());
            self.rests.retain(|_, rests| !rests.is_empty());
        }
        self.read_at.insert(agent, at);
        let none = DayReading { day, items: 0 };
        let of = self.read_on.entry(agent).or_insert(none);
        if of.day != day {
            *of = none;
        }
        of.items += u64::from(answer.items);
    }

    /// Notes whether an agent answered.
    pub fn agent(&mut self, agent: AgentName, answered: bool) {
        self.down.insert(agent, !answered);
    }

    /// Notes whether a commit reached the disk.
    pub fn committed(&mut self, ok: bool) {
        self.failed_commits += u64::from(!ok);
        self.journal_down = !ok;
    }

    /// Notes a turn that the store did not take.
    pub fn not_written(&mut self) {
        self.not_written += 1;
        self.journal_down = true;
    }

    /// Notes what an agent could not read, and logs the code and the line. The item's name can come from outside (a file that a
    /// mail program named): the owner reads it with `aura status`, and no log has it. What is still
    /// as bad as it was at the last look (a missing folder, say) is neither counted nor logged again; where it is another number of
    /// items, that is the one that counts.
    pub fn skipped(&mut self, agent: AgentName, count: u32, skips: Vec<SkippedItem>) {
        if count == 0 && skips.is_empty() {
            return;
        }
        self.skipped.entry(agent).or_default().note(agent, count, skips);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skip(code: &str, item: &str) -> SkippedItem {
        SkippedItem {
            code: code.to_owned(),
            item: item.to_owned(),
            line: None,
            count: 1,
            message: String::new(),
        }
    }

    #[test]
    fn a_folder_that_stays_missing_is_counted_once_and_hides_nothing_else() {
        let mut health = ServiceHealth::default();
        let (gone, torn) = (skip("AGENT-001", "gone"), skip("AGENT-010", "torn.eml"));
        health.skipped(AgentName::Comms, 2, vec![gone.clone(), torn.clone()]);
        for _ in 0..100 {
            health.skipped(AgentName::Comms, 1, vec![gone.clone()]);
        }
        let comms = &health.skipped[&AgentName::Comms];
        assert_eq!((comms.count, &comms.last), (2, &vec![gone, torn]));
        // 101 looks found it missing.
        assert_eq!(comms.cut_short, 101);
        // 40 more than are named: all are counted, the last 16 named.
        let many: Vec<SkippedItem> = (0..16).map(|n| skip("AGENT-010", &n.to_string())).collect();
        health.skipped(AgentName::Comms, 56, many.clone());
        let comms = &health.skipped[&AgentName::Comms];
        assert_eq!((comms.count, &comms.last), (58, &many));
    }

    #[test]
    fn what_was_left_out_since_a_look_is_what_was_told_after_it() {
        let (gone, torn) = (skip("AGENT-001", "gone"), skip("AGENT-010", "torn.eml"));
        let mut health = ServiceHealth::default();
        health.skipped(AgentName::Comms, 2, vec![gone.clone(), torn.clone()]);
        let before = health.clone();
        let since = |health: &ServiceHealth| {
            let skipped = health.clone().read_since(&before).skipped;
            let comms = skipped[&AgentName::Comms].clone();
            (comms.count, comms.last, comms.cut_short)
        };
        // The folder is there by now.
        assert_eq!(since(&health), (0, vec![], 0));
        // It is still missing, which is said again and stays one.
        health.skipped(AgentName::Comms, 1, vec![gone.clone()]);
        assert_eq!(since(&health), (1, vec![gone.clone()], 1));
        // 20 bad mails push it out of what is named; that a source is cut short is known all the same.
        let many: Vec<SkippedItem> = (0..20).map(|n| skip("AGENT-010", &n.to_string())).collect();
        health.skipped(AgentName::Comms, 20, many.clone());
        let (count, last, cut_short) = since(&health);
        assert_eq!((last, cut_short), (many[4..].to_vec(), 1));
        assert_eq!(count, 20);
    }

    #[test]
    fn the_journal_is_down_until_a_commit_succeeds() {
        let mut health = ServiceHealth::default();
        health.not_written();
        health.committed(false);
        assert_eq!(
            (health.not_written, health.failed_commits, health.journal_down),
            (1, 1, true)
        );
        health.committed(true);
        assert_eq!(
            (health.not_written, health.failed_commits, health.journal_down),
            (1, 1, false)
        );
    }
}
