//! Wellness: reads heart rate, sleep and activity, and says when the owner's load is high.
//!
//! What: [`Wellness`], the agent, with its codes and its state. Why: the host and the actor see one [`Agent`]. Not here:
//! formats (`sources`), formulas (`model`), proposals (`tick`), tools (`tools`).

mod model;
mod sources;
#[cfg(test)]
mod tests;
mod tick;
mod tools;

use crate::{
    agent::{Agent, Setup, StateError},
    forget::Keeps,
    shared::{Inbox, Jsonl, Mark, Report, answer},
    zone,
};
use model::{History, Newest, Taken};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sources::csv::CsvFiles;
use std::{collections::BTreeMap, path::PathBuf};
use toolcall_schema::{
    AgentName, Timestamp, Tool,
    catalogue::WellnessTool,
    forget::Forget,
    result::{ToolEffect, ToolErrorCode},
    signal::{Signal, SignalKind},
    tick::{Fact, IngestArgs, IngestResult, TickArgs, TickResult},
};

/// The codes of Wellness, 201 to 299.
mod code {
    use crate::shared::SkipCode;

    /// Not plausible.
    pub(super) const RANGE: SkipCode = SkipCode {
        code: "AGENT-201",
        message: "this value is not plausible and was ignored: RMSSD 3..250 ms, sleep 1..1200 min, entropy 0..8, switches 0..120, dismissed 0..1, screen 0..60 min",
    };
    /// Nothing in it, or too few clean heartbeats.
    pub(super) const NO_VALUE: SkipCode = SkipCode {
        code: "AGENT-202",
        message: "this measurement has no value: no field was set, or fewer than 20 differences of heartbeats are clean",
    };
    /// A CSV file of something else.
    pub(super) const HEADER: SkipCode = SkipCode {
        code: "AGENT-203",
        message: "the header must have `at` and one of rmssd_ms, asleep_min, typing_entropy, app_switch_rate, notif_dismiss_rate, screen_on_min",
    };
    /// A row of a CSV file that is none.
    pub(super) const ROW: SkipCode = SkipCode {
        code: "AGENT-204",
        message: "in this row `at` is not an RFC 3339 instant with its offset, or a known column is not a number",
    };
}

/// The agent. Not `Debug`: signals wait in it.
pub struct Wellness {
    setup: Setup,
    inbox: Inbox,
    jsonl: Jsonl,
    csv: CsvFiles,
    newest: Newest,
    history: History,
    cursor: u64,
}

/// `agent_state` of Wellness, version 1. Numbers and instants only.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct State {
    version: Version,
    newest: Newest,
    history: History,
    files: BTreeMap<String, Mark>,
}

impl Keeps for State {
    const AGENT: AgentName = AgentName::Wellness;

    fn forget(&mut self, what: &Forget) {
        self.newest.forget(what);
        self.history.forget(what);
    }
}

#[derive(Debug, Serialize, Deserialize)]
enum Version {
    #[serde(rename = "wellness.v1")]
    V1,
}

impl Wellness {
    /// An agent that knows nothing yet.
    pub fn new(setup: Setup) -> Self {
        Self {
            setup,
            inbox: Inbox::default(),
            jsonl: Jsonl::default(),
            csv: CsvFiles::default(),
            newest: Newest::default(),
            history: History::default(),
            cursor: 0,
        }
    }

    fn state(&self) -> Value {
        let state = State {
            version: Version::V1,
            newest: self.newest.clone(),
            history: self.history.clone(),
            files: self.jsonl.marks(),
        };
        // Nothing in it lacks a shape in JSON; null would mean "unchanged", which is harmless too.
        serde_json::to_value(state).unwrap_or(Value::Null)
    }

    /// Computes the score anew, keeps it, and says what it means.
    fn score(&mut self, at: Timestamp) -> Fact {
        let owner = &self.setup.owner;
        let score = model::load_score(&self.newest, at, zone::local_hour(at, owner.zone), owner);
        let standing = self.history.add(score, at, zone::local_date(at, owner.zone));
        Fact::Load {
            score,
            state: standing.condition.into(),
            entered_at: standing.entered_at,
            at,
        }
    }
}

impl Agent for Wellness {
    fn name(&self) -> AgentName {
        AgentName::Wellness
    }

    fn restore(&mut self, state: &Value) -> Result<(), StateError> {
        let state = State::deserialize(state).map_err(|source| StateError {
            agent: AgentName::Wellness,
            source,
        })?;
        self.newest = state.newest.plausible();
        self.history = state.history.bounded();
        self.jsonl.restore(state.files);
        Ok(())
    }

    fn accept(&mut self, signals: Vec<Signal>) {
        self.inbox.accept(signals);
    }

    fn ingest(&mut self, args: &IngestArgs, at: Timestamp) -> IngestResult {
        let Self { setup, newest, .. } = self;
        let mut report = Report::default();
        // New samples, and whether any of them counts now.
        let (mut learned, mut fresh) = (false, false);
        let mut take = |sample| {
            let taken = newest.take(sample, at);
            learned |= taken != Taken::Known;
            fresh |= taken == Taken::Fresh;
            taken != Taken::Known
        };
        let mut read = |signal: &Signal, item: &str, line: Option<u64>, report: &mut Report| {
            let mut kept = false;
            for sample in sources::signal(signal) {
                match sample {
                    Ok(sample) => kept |= take(sample),
                    Err(code) => report.skip(code, item, line),
                }
            }
            if kept {
                report.keep();
            }
        };
        let marks = self.jsonl.marks();
        // A folder is walked by both readers; a file goes to the one of its format.
        let is_csv = |path: &PathBuf| path.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv"));
        let (tables, others): (Vec<_>, Vec<_>) = setup.sources.wellness.iter().cloned().partition(is_csv);
        let folders = others.iter().filter(|path| path.is_dir()).cloned();
        let tables: Vec<PathBuf> = tables.into_iter().chain(folders).collect();
        self.jsonl
            .read(&others, at, &mut report, &mut |signal, place, report| {
                read(signal, place.item, place.line, report);
            });
        let kinds = [SignalKind::Hrv, SignalKind::Sleep, SignalKind::Activity];
        for signal in self.inbox.take(at, &kinds, &mut report) {
            read(&signal, signal.id.as_str(), None, &mut report);
        }
        self.csv.read(&tables, at, &mut report, &mut take);
        let facts = if fresh { vec![self.score(at)] } else { Vec::new() };
        let changed = learned || marks != self.jsonl.marks();
        let asked_again = args.cursor != self.cursor;
        self.cursor = self.cursor.max(args.cursor).saturating_add(u64::from(changed));
        IngestResult {
            cursor: self.cursor,
            facts,
            seen: Vec::new(),
            read: report.read,
            skipped: report.skipped,
            skips: report.skips,
            taken: report.taken,
            left: report.left,
            agent_state: if changed || asked_again {
                self.state()
            } else {
                Value::Null
            },
        }
    }

    fn tick(&self, args: &TickArgs, at: Timestamp) -> TickResult {
        tick::tick((&self.newest, &self.history, &self.setup.owner), args, at)
    }

    fn act(&mut self, tool: &Tool, at: Timestamp) -> Result<(Value, Vec<ToolEffect>), ToolErrorCode> {
        let Tool::Wellness(tool) = tool else {
            return Err(ToolErrorCode::Unavailable);
        };
        let known = (&self.newest, &self.history, &self.setup.owner);
        match tool {
            WellnessTool::ComputeLoadScore(args) => {
                let result = tools::load_score(&self.newest, &self.setup.owner, args, at)?;
                answer(&result, Vec::new())
            }
            WellnessTool::InterventionSelect(args) => answer(&tools::select(known, args, at), Vec::new()),
            WellnessTool::CorrelationCheck(args) => answer(&tools::correlation(args)?, Vec::new()),
            WellnessTool::RecoveryCheck(args) => answer(&tools::recovery(&self.history, args)?, Vec::new()),
            // Of the rest, the host answers ingest and tick itself.
            WellnessTool::GuideBreathing(_)
            | WellnessTool::StartNapTimer(_)
            | WellnessTool::PermitLeisure(_)
            | WellnessTool::Ingest(_)
            | WellnessTool::Tick(_) => {
                let started = tools::started(tool, at).ok_or(ToolErrorCode::Unavailable)?;
                answer(&started, vec![ToolEffect::TimerSet { at: started.ends_at }])
            }
        }
    }
}
