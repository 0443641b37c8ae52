//! Wellness: reads heart rate, sleep and activity, and says when the owner's load is high.
//!
//! What: [`WellnessAgent`], the agent, with its codes and its state. Why: the host and the actor see one [`Agent`]. Not here:
//! formats (`sources`), formulas (`model`, `baseline`, `sleep`), proposals (`tick`), tools (`tools`).

mod baseline;
pub mod code;
mod forgotten;
mod model;
mod nights;
mod novelty;
mod sleep;
mod sources;
#[cfg(test)]
#[path = "../../base/src/testing.rs"]
pub mod testing;
#[cfg(test)]
mod tests;
mod tick;
mod tools;

use agents_base::{
    contract::{Agent, AgentSetup, AgentStateError, KeptState, state_json},
    shared::{IngestReport, JsonlReader, ReadMark, SignalInbox, answer},
    zone,
};
pub use sources::{
    HealthPost, is_health_json,
    tables::{HealthTable, is_health_table},
};

use baseline::HourlyMeasurements;
use chrono::NaiveDate;
use chrono_tz::Tz;
use forgotten::ForgottenMeasurements;
use model::{FeatureSample, NewestSamples, SampleOutcome, ScoreHistory};
use nights::NightLog;
use novelty::{KEPT_MS, ReadingNovelty, TooOldCount};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sleep::SleepLog;
use sources::{
    SourceReading,
    csv::CsvReader,
    exports::{self, ExportProgress, ExportReader},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};
use toolcall_schema::{
    AgentName, Timestamp, Tool,
    catalogue::WellnessTool,
    forget::{ErasureScope, MeasuredKind},
    result::{ToolEffect, ToolErrorCode},
    signal::{Signal, SignalKind},
    tick::{GraphObservation, IngestArgs, IngestFact, IngestResult, SEEN_MAX, TickArgs, TickResult},
};

/// The agent. Not `Debug`: signals wait in it.
pub struct WellnessAgent {
    setup: AgentSetup,
    inbox: SignalInbox,
    jsonl: JsonlReader,
    csv: CsvReader,
    exports: ExportReader,
    newest: NewestSamples,
    history: ScoreHistory,
    baseline: HourlyMeasurements,
    resting: HourlyMeasurements,
    sleep: SleepLog,
    nights: NightLog,
    /// The configured median and 10th percentile of RMSSD; those of `setup` follow the history.
    start: (f64, f64),
    forgotten: ForgottenMeasurements,
    cursor: u64,
    /// Up to when ages count in the next ingest.
    ages_upto: Option<Timestamp>,
}

/// `agent_state` of Wellness, version 1. Numbers and instants only.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WellnessAgentState {
    version: WellnessStateVersion,
    newest: NewestSamples,
    history: ScoreHistory,
    files: BTreeMap<String, ReadMark>,
    #[serde(default)]
    exports: BTreeMap<String, ExportProgress>,
    #[serde(default)]
    baseline: HourlyMeasurements,
    #[serde(default, skip_serializing_if = "HourlyMeasurements::is_empty")]
    resting: HourlyMeasurements,
    #[serde(default)]
    sleep: SleepLog,
    #[serde(default)]
    nights: NightLog,
    #[serde(default, skip_serializing_if = "ForgottenMeasurements::is_empty")]
    forgotten: ForgottenMeasurements,
}

impl WellnessAgentState {
    /// When the newest of a kind was measured.
    fn newest_of(&self, kind: MeasuredKind) -> Option<Timestamp> {
        let sample = self.newest.newest_of(kind);
        match kind {
            MeasuredKind::HeartRateVariability => sample.max(self.baseline.newest()),
            MeasuredKind::RestingHeartRate => self.resting.newest(),
            MeasuredKind::Sleep => sample.max(self.sleep.newest()).max(self.nights.newest()),
            MeasuredKind::PhoneUse | MeasuredKind::Load => sample,
        }
    }
}

impl KeptState for WellnessAgentState {
    const AGENT: AgentName = AgentName::Wellness;
    const ROWS: &'static [&'static str] = &[];

    fn forget(&mut self, what: &ErasureScope) {
        let mut forgotten = std::mem::take(&mut self.forgotten);
        forgotten.add(what, |kind| self.newest_of(kind));
        self.forgotten = forgotten;
        for kind in &what.measured {
            match kind {
                MeasuredKind::HeartRateVariability => self.baseline = HourlyMeasurements::default(),
                MeasuredKind::RestingHeartRate => self.resting = HourlyMeasurements::default(),
                MeasuredKind::Sleep => {
                    self.sleep = SleepLog::default();
                    self.nights = NightLog::default();
                }
                MeasuredKind::PhoneUse => {}
                MeasuredKind::Load => self.history.forget_scores(),
            }
            self.newest.forget_kind(*kind);
        }
        self.newest.forget(what);
        self.history.forget(what);
        self.baseline.forget(what);
        self.resting.forget(what);
        self.sleep.forget(what);
        self.nights.forget(what);
    }

    fn clear_read_marks(&mut self) {
        self.files.clear();
        self.exports.clear();
        self.nights = NightLog::default();
        self.forgotten = ForgottenMeasurements::default();
    }
}

/// The local days of which an ingest measured something.
#[derive(Debug, Default)]
struct MeasuredDays {
    /// Days with a new RMSSD.
    hearts: BTreeSet<NaiveDate>,
    /// Days with a new rate at rest.
    rests: BTreeSet<NaiveDate>,
    /// Days on which a sleep ended: its minutes, and when.
    nights: BTreeMap<NaiveDate, (f64, Timestamp)>,
}

impl MeasuredDays {
    /// What memory keeps of these days. By a clock far ahead, more than 90 days before the newest can be told: those that the
    /// baseline does not reach, or an answer has no room for, are counted.
    fn to_seen(
        &self,
        (baseline, resting): (&HourlyMeasurements, &HourlyMeasurements),
        zone: Tz,
        report: &mut IngestReport,
    ) -> Vec<GraphObservation> {
        let days: BTreeSet<NaiveDate> = self
            .hearts
            .iter()
            .chain(&self.rests)
            .chain(self.nights.keys())
            .copied()
            .collect();
        let mut first = None;
        let told = days.iter().rev().filter_map(|day| {
            let (heart, night) = (baseline.of_day(*day, zone), self.nights.get(day).copied());
            let rest = resting.of_day(*day, zone);
            let at = [heart, rest, night]
                .into_iter()
                .flatten()
                .map(|(_, at)| at)
                .max()?;
            first = Some(*day);
            Some(GraphObservation::Body {
                day: *day,
                at,
                rmssd_ms: heart.map(|(median, _)| median),
                resting_bpm: rest.map(|(median, _)| median),
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

#[derive(Debug, Serialize, Deserialize)]
enum WellnessStateVersion {
    #[serde(rename = "wellness.v1")]
    V1,
}

impl WellnessAgent {
    /// An agent that knows nothing yet.
    pub fn new(setup: AgentSetup) -> Self {
        Self {
            start: model::baseline(&setup.owner),
            setup,
            inbox: SignalInbox::default(),
            jsonl: JsonlReader::default(),
            csv: CsvReader::default(),
            exports: ExportReader::default(),
            newest: NewestSamples::default(),
            history: ScoreHistory::default(),
            baseline: HourlyMeasurements::default(),
            resting: HourlyMeasurements::default(),
            sleep: SleepLog::default(),
            nights: NightLog::default(),
            forgotten: ForgottenMeasurements::default(),
            cursor: 0,
            ages_upto: None,
        }
    }

    fn state(&self) -> Value {
        let state = WellnessAgentState {
            version: WellnessStateVersion::V1,
            newest: self.newest.clone(),
            history: self.history.clone(),
            files: self.jsonl.marks(),
            exports: self.exports.marks(),
            baseline: self.baseline.clone(),
            resting: self.resting.clone(),
            sleep: self.sleep.clone(),
            nights: self.nights.clone(),
            forgotten: self.forgotten.clone(),
        };
        // Nothing in it lacks a shape in JSON; null would mean "unchanged", which is harmless too.
        state_json::<WellnessAgentState>(&state).unwrap_or(Value::Null)
    }

    /// What is usual for the owner follows the history.
    fn learn(&mut self) {
        let owner = &mut self.setup.owner;
        owner.rmssd_p50_p10 = self.baseline.usual(self.start, owner.zone);
        if self.baseline.counts(owner.zone) {
            self.history.add_days(self.baseline.days(owner.zone));
        }
    }

    /// Computes and keeps the score, and returns what it means.
    fn score(&mut self, at: Timestamp) -> IngestFact {
        let owner = &self.setup.owner;
        let score = model::load_score(&self.newest, at, zone::local_hour(at, owner.zone), owner);
        let standing = self.history.add(score, at, zone::local_date(at, owner.zone));
        IngestFact::Load {
            score,
            state: standing.condition.into(),
            entered_at: standing.entered_at,
            at,
        }
    }
}

impl Agent for WellnessAgent {
    fn name(&self) -> AgentName {
        AgentName::Wellness
    }

    fn restore(&mut self, state: &Value) -> Result<(), AgentStateError> {
        let state = WellnessAgentState::from_json(state)?;
        self.newest = state.newest.plausible();
        self.history = state.history.bounded();
        self.baseline = state.baseline.bounded();
        self.resting = state.resting.bounded();
        self.sleep = state.sleep.bounded();
        self.nights = state.nights.bounded();
        self.forgotten = state.forgotten;
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
            resting,
            sleep,
            nights,
            forgotten,
            ..
        } = self;
        let mut report = IngestReport::default();
        // New measurements, and whether any of them counts now; what else the history learned.
        let (mut learned, mut fresh, mut heart, mut slept, mut rested) = (false, false, false, false, false);
        let zone = setup.owner.zone;
        let is_forgotten = |kind: MeasuredKind, at: Timestamp| forgotten.covers(kind, at, zone);
        let mut body = MeasuredDays::default();
        let mut rests = BTreeSet::new();
        let mut take = |sample: FeatureSample| {
            if is_forgotten(sample.kind(), sample.at()) {
                return ReadingNovelty::Known;
            }
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
            learned |= taken != SampleOutcome::Known;
            fresh |= taken == SampleOutcome::Fresh;
            ReadingNovelty::from_flags(old, taken != SampleOutcome::Known || usual)
        };
        let mut tell = |told: SourceReading| match told {
            SourceReading::Sample(sample) => take(sample),
            SourceReading::Resting(rate) if is_forgotten(MeasuredKind::RestingHeartRate, rate.at) => {
                ReadingNovelty::Known
            }
            SourceReading::Resting(rate) => {
                let old = is_old(rate.at);
                let is_news = resting.take(rate.bpm, rate.at);
                if is_news && !old {
                    rests.insert(zone::local_date(rate.at, zone));
                }
                rested |= is_news;
                ReadingNovelty::from_flags(old, is_news)
            }
            SourceReading::Asleep(stretch) if is_forgotten(MeasuredKind::Sleep, stretch.until) => {
                ReadingNovelty::Known
            }
            SourceReading::Asleep(stretch) => {
                let old = is_old(stretch.until);
                let earlier = !old && nights.take(&stretch, sleep, zone);
                let last = sleep.take(stretch);
                slept |= last;
                ReadingNovelty::from_flags(old, last || earlier)
            }
        };
        let mut too_old = TooOldCount::default();
        let mut read = |signal: &Signal, item: &str, line: Option<u64>, report: &mut IngestReport| {
            let mut kept = false;
            for told in sources::signal(signal) {
                match told.map(&mut tell) {
                    Ok(ReadingNovelty::News) => kept = true,
                    Ok(ReadingNovelty::Known) => {}
                    Ok(ReadingNovelty::TooOld) => too_old.add(item, line),
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
        too_old.report_skips(&mut report);
        if files {
            let from = (&setup.key, zone);
            self.csv.read(&of(&is_csv), from, at, &mut report, &mut tell);
            self.exports
                .read(&of(&exports::is_export), from, at, &mut report, &mut tell);
        }
        if let Some((minutes, end)) = sleep.last(zone).filter(|_| slept) {
            let taken = newest.take_night(minutes, end, at);
            fresh |= taken == SampleOutcome::Fresh;
        }
        let told = nights.told(zone, report.left > 0, is_old);
        slept |= !told.is_empty();
        body.nights.extend(told);
        body.rests = rests;
        if heart {
            self.learn();
        }
        let facts = if fresh { vec![self.score(at)] } else { Vec::new() };
        let changed =
            learned || heart || slept || rested || marks != (self.jsonl.marks(), self.exports.marks());
        let asked_again = args.cursor != self.cursor;
        self.cursor = self.cursor.max(args.cursor).saturating_add(u64::from(changed));
        let seen = body.to_seen((&self.baseline, &self.resting), zone, &mut report);
        let state = (changed || asked_again).then(|| self.state());
        report.into_result(self.cursor, (facts, seen), None, state)
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
