//! Wellness: reads heart rate, sleep and activity, and says when the owner's load is high.
//!
//! What: [`Wellness`], the agent, with its codes and its state. Why: the host and the actor see one [`Agent`]. Not here:
//! formats (`sources`), formulas (`model`, `baseline`, `sleep`), proposals (`tick`), tools (`tools`).

mod baseline;
mod model;
mod sleep;
mod sources;
#[cfg(test)]
mod tests;
mod tick;
mod tools;

use crate::{
    again::HasReadMarks,
    agent::{Agent, Setup, StateError},
    forget::Keeps,
    shared::{Inbox, Jsonl, Mark, Report, answer},
    zone,
};
use baseline::Baseline;
use chrono::NaiveDate;
use chrono_tz::Tz;
use model::{History, Newest, Sample, Taken};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sleep::Sleep;
use sources::{
    Told,
    csv::CsvFiles,
    exports::{self, Exports, Progress},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};
use toolcall_schema::{
    AgentName, Timestamp, Tool,
    catalogue::WellnessTool,
    forget::Forget,
    result::{ToolEffect, ToolErrorCode},
    signal::{Signal, SignalKind},
    tick::{Fact, IngestArgs, IngestResult, SEEN_MAX, Seen, TickArgs, TickResult},
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
        message: "the header must have `at` and one of rmssd_ms, rr_ms, asleep_min, typing_entropy, app_switch_rate, notif_dismiss_rate, screen_on_min",
    };
    /// A row of a CSV file that is none.
    pub(super) const ROW: SkipCode = SkipCode {
        code: "AGENT-204",
        message: "in this row `at` is not an RFC 3339 instant with its offset, or a known column is not a number",
    };
    /// An XML file or an archive of something else.
    pub(super) const NOT_HEALTH: SkipCode = SkipCode {
        code: "AGENT-205",
        message: "this is not an Apple Health export: there is no HealthData in its first MiB, or no XML file in its archive",
    };
    /// A broken item of a file whose others are kept.
    pub(super) const BROKEN: SkipCode = SkipCode {
        code: "AGENT-206",
        message: "this record or message is broken: its tag, dates, kind or length cannot be read; the others were kept",
    };
    /// A file that ends too early.
    pub(super) const CUT: SkipCode = SkipCode {
        code: "AGENT-207",
        message: "this file ends in the middle: what came before was read; wait until it is written, or export it again",
    };
    /// An archive that cannot be unpacked.
    pub(super) const ZIP: SkipCode = SkipCode {
        code: "AGENT-208",
        message: "this archive is damaged, encrypted or packed by another method than deflate: export it again, without a password",
    };
    /// An archive that unpacks to too much.
    pub(super) const BOMB: SkipCode = SkipCode {
        code: "AGENT-209",
        message: "the export in this archive is more than 200 times as large as it is packed: unpack it yourself if you trust it",
    };
    /// A file with the name of a FIT file.
    pub(super) const NOT_FIT: SkipCode = SkipCode {
        code: "AGENT-210",
        message: "this is not a FIT file, or its checksum is wrong: nothing after this byte was read, copy it from the watch again",
    };
    /// A database of something else, or a damaged one.
    pub(super) const DATABASE: SkipCode = SkipCode {
        code: "AGENT-211",
        message: "this database is damaged, or has no table of heartbeats or sleep as Gadgetbridge writes them: export it again",
    };
    /// A database with more than is read.
    pub(super) const ROWS: SkipCode = SkipCode {
        code: "AGENT-212",
        message: "a table of this database has more than 250000 rows of the last 90 days (sleep: 3): only the newest were read",
    };
    /// Too much that is dated in the future.
    pub(super) const LATER: SkipCode = SkipCode {
        code: "AGENT-213",
        message: "more than 4096 measurements are dated after now and wait: the rest was dropped, check the clock of the device",
    };
    /// A file in a health folder that tells nothing.
    pub(super) const NOTHING_READ: SkipCode = SkipCode {
        code: "AGENT-214",
        message: "nothing in this file is read: a FIT file needs heartbeats or stages of sleep, and JSON has to be JSONL of signals",
    };
    /// Older than what memory keeps.
    pub(super) const TOO_OLD: SkipCode = SkipCode {
        code: "AGENT-215",
        message: "these heart rates and nights are more than 90 days old: memory is not told of them; if only the clock was wrong, correct it and run `aura import --again`",
    };
}

/// How long memory keeps what was measured, unless the owner says otherwise; of older days it is not told.
const KEPT_MS: i64 = 90 * 24 * 60 * 60 * 1000;

/// The agent. Not `Debug`: signals wait in it.
pub struct Wellness {
    setup: Setup,
    inbox: Inbox,
    jsonl: Jsonl,
    csv: CsvFiles,
    exports: Exports,
    newest: Newest,
    history: History,
    baseline: Baseline,
    sleep: Sleep,
    /// The configured median and 10th percentile of RMSSD; those of `setup` follow the history.
    start: (f64, f64),
    cursor: u64,
    /// Up to when ages count in the next ingest.
    ages_upto: Option<Timestamp>,
}

/// `agent_state` of Wellness, version 1. Numbers and instants only.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct State {
    version: Version,
    newest: Newest,
    history: History,
    files: BTreeMap<String, Mark>,
    #[serde(default)]
    exports: BTreeMap<String, Progress>,
    #[serde(default)]
    baseline: Baseline,
    #[serde(default)]
    sleep: Sleep,
}

impl Keeps for State {
    const AGENT: AgentName = AgentName::Wellness;

    fn forget(&mut self, what: &Forget) {
        self.newest.forget(what);
        self.history.forget(what);
        self.baseline.forget(what);
        self.sleep.forget(what);
    }
}

impl HasReadMarks for State {
    fn clear_read_marks(&mut self) {
        self.files.clear();
        self.exports.clear();
    }
}

/// The local days of which an ingest measured something.
#[derive(Debug, Default)]
struct Body {
    /// Days with a new RMSSD.
    hearts: BTreeSet<NaiveDate>,
    /// Days on which a sleep ended: its minutes, and when.
    nights: BTreeMap<NaiveDate, (f64, Timestamp)>,
}

impl Body {
    /// What memory keeps of these days. By a clock far ahead, more than 90 days before the newest can be told: those that the
    /// baseline does not reach, or an answer has no room for, are counted.
    fn told(&self, baseline: &Baseline, zone: Tz, report: &mut Report) -> Vec<Seen> {
        let days: BTreeSet<NaiveDate> = self.hearts.iter().chain(self.nights.keys()).copied().collect();
        let mut first = None;
        let told = days.iter().rev().filter_map(|day| {
            let (heart, night) = (baseline.of_day(*day, zone), self.nights.get(day).copied());
            let at = heart.map(|(_, at)| at).max(night.map(|(_, at)| at))?;
            first = Some(*day);
            Some(Seen::Body {
                day: *day,
                at,
                rmssd_ms: heart.map(|(median, _)| median),
                sleep_min: night.map(|(minutes, _)| minutes),
            })
        });
        let told = told.take(SEEN_MAX).collect();
        let untold = first.map_or(0, |first| days.range(..first).count());
        report.skip_many(
            code::TOO_OLD,
            "days",
            None,
            u32::try_from(untold).unwrap_or(u32::MAX),
        );
        told
    }
}

/// What something that was read is to Wellness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Novelty {
    News,
    Known,
    /// Memory is not told of it. What is usual, and the newest values, may be learned from it all the same.
    TooOld,
}

impl Novelty {
    fn of(is_old: bool, is_news: bool) -> Self {
        match (is_old, is_news) {
            (true, _) => Self::TooOld,
            (false, true) => Self::News,
            (false, false) => Self::Known,
        }
    }
}

/// What is too old, counted by file: where the first of it is, and how many.
#[derive(Debug, Default)]
struct TooOld(BTreeMap<String, (Option<u64>, u32)>);

impl TooOld {
    fn add(&mut self, file: &str, line: Option<u64>) {
        let (_, count) = self.0.entry(file.to_owned()).or_insert((line, 0));
        *count = count.saturating_add(1);
    }

    fn tell(self, report: &mut Report) {
        for (file, (line, count)) in self.0 {
            report.skip_many(code::TOO_OLD, &file, line, count);
        }
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
            start: model::baseline(&setup.owner),
            setup,
            inbox: Inbox::default(),
            jsonl: Jsonl::default(),
            csv: CsvFiles::default(),
            exports: Exports::default(),
            newest: Newest::default(),
            history: History::default(),
            baseline: Baseline::default(),
            sleep: Sleep::default(),
            cursor: 0,
            ages_upto: None,
        }
    }

    fn state(&self) -> Value {
        let state = State {
            version: Version::V1,
            newest: self.newest.clone(),
            history: self.history.clone(),
            files: self.jsonl.marks(),
            exports: self.exports.marks(),
            baseline: self.baseline.clone(),
            sleep: self.sleep.clone(),
        };
        // Nothing in it lacks a shape in JSON; null would mean "unchanged", which is harmless too.
        serde_json::to_value(state).unwrap_or(Value::Null)
    }

    /// What is usual for the owner follows the history.
    fn learn(&mut self) {
        let owner = &mut self.setup.owner;
        owner.rmssd_p50_p10 = self.baseline.usual(self.start, owner.zone);
        if self.baseline.counts(owner.zone) {
            self.history.add_days(self.baseline.days(owner.zone));
        }
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
        self.baseline = state.baseline.bounded();
        self.sleep = state.sleep.bounded();
        self.jsonl.restore(state.files);
        self.exports.restore(state.exports);
        self.learn();
        Ok(())
    }

    fn accept(&mut self, signals: Vec<Signal>) {
        self.inbox.accept(signals);
    }

    fn count_ages(&mut self, upto: Option<Timestamp>) {
        self.ages_upto = upto;
    }

    fn ingest(&mut self, args: &IngestArgs, at: Timestamp) -> IngestResult {
        let aged = self.ages_upto.take().map_or(at, |upto| upto.min(at));
        let is_old = |of: Timestamp| aged.since(of) > KEPT_MS;
        let Self {
            setup,
            newest,
            baseline,
            sleep,
            ..
        } = self;
        let mut report = Report::default();
        // New measurements, and whether any of them counts now; what else the history learned.
        let (mut learned, mut fresh, mut heart, mut slept) = (false, false, false, false);
        let zone = setup.owner.zone;
        let mut body = Body::default();
        let mut take = |sample: Sample| {
            let day = zone::local_date(sample.at(), zone);
            let usual = sample
                .rmssd()
                .is_some_and(|value| baseline.take(value, sample.at()));
            let kept_by_memory = sample.rmssd().or(sample.sleep_min()).is_some();
            let old = kept_by_memory && is_old(sample.at());
            if usual && !old {
                body.hearts.insert(day);
            }
            if let Some(minutes) = sample.sleep_min().filter(|_| !old) {
                body.nights.insert(day, (minutes, sample.at()));
            }
            heart |= usual;
            let taken = newest.take(sample, at);
            learned |= taken != Taken::Known;
            fresh |= taken == Taken::Fresh;
            Novelty::of(old, taken != Taken::Known || usual)
        };
        let mut too_old = TooOld::default();
        let mut read = |signal: &Signal, item: &str, line: Option<u64>, report: &mut Report| {
            let mut kept = false;
            for sample in sources::signal(signal) {
                match sample.map(&mut take) {
                    Ok(Novelty::News) => kept = true,
                    Ok(Novelty::Known) => {}
                    Ok(Novelty::TooOld) => too_old.add(item, line),
                    Err(code) => report.skip(code, item, line),
                }
            }
            if kept {
                report.keep();
            }
        };
        let marks = (self.jsonl.marks(), self.exports.marks());
        // A folder is walked by all readers; a file goes to the one of its format.
        let is_csv = |path: &Path| path.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv"));
        let of = |wanted: &dyn Fn(&Path) -> bool| -> Vec<PathBuf> {
            let sources = setup.sources.wellness.iter();
            sources
                .filter(|path| path.is_dir() || wanted(path))
                .cloned()
                .collect()
        };
        let others = of(&|path| !is_csv(path) && !exports::is_export(path));
        let files = args.signal_ids.is_empty();
        if files {
            self.jsonl
                .read(&others, at, &mut report, &mut |signal, place, report| {
                    read(signal, place.item, place.line, report);
                });
        }
        let kinds = [SignalKind::Hrv, SignalKind::Sleep, SignalKind::Activity];
        for signal in self.inbox.take(at, &kinds, &mut report) {
            read(&signal, signal.id.as_str(), None, &mut report);
        }
        too_old.tell(&mut report);
        if files {
            self.csv.read(&of(&is_csv), at, &mut report, &mut take);
            self.exports.read(
                &of(&exports::is_export),
                &setup.key,
                at,
                &mut report,
                &mut |told| match told {
                    Told::Sample(sample) => take(sample),
                    Told::Asleep(stretch) => {
                        let until = stretch.until;
                        let news = sleep.take(stretch);
                        slept |= news;
                        Novelty::of(is_old(until), news)
                    }
                },
            );
        }
        if let Some((minutes, end)) = sleep.last(setup.owner.zone).filter(|_| slept) {
            let taken = newest.take_night(minutes, end, at);
            fresh |= taken == Taken::Fresh;
            if !is_old(end) {
                body.nights.insert(zone::local_date(end, zone), (minutes, end));
            }
        }
        if heart {
            self.learn();
        }
        let facts = if fresh { vec![self.score(at)] } else { Vec::new() };
        let changed = learned || heart || slept || marks != (self.jsonl.marks(), self.exports.marks());
        let asked_again = args.cursor != self.cursor;
        self.cursor = self.cursor.max(args.cursor).saturating_add(u64::from(changed));
        let seen = body.told(&self.baseline, zone, &mut report);
        IngestResult {
            cursor: self.cursor,
            facts,
            seen,
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
