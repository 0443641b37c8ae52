//! Recorded days with another model.
//!
//! What: each day is played with the model off and with each [`Kind`] of model; what was chosen, what ran, how it ended and the
//! ledger must be the same bytes. Why: the model may be absent, slow, dead or hostile, and never drives. Not here: llama.cpp, which stands behind the
//! same trait.

use crate::day::{PlayError, Script};
use llm_runtime::{Choice, Fault, Generate, read_pick};
use serde::Serialize;
use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};
use toolcall_schema::trace::{RationaleSource, Trace};

/// A model that is put in the place of none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Always the last sentence, after 100 ms.
    Scripted,
    /// Any answer after any time up to 2 s, the same in each run.
    Random,
    /// Names tools, breaks the form, exceeds every limit, never ends.
    Hostile,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 3] = [Kind::Scripted, Kind::Random, Kind::Hostile];
}

/// After how long a hostile model says what; `None`: it dies, and the empty text stands for 1 MiB of digits.
const HOSTILE: [(u32, Option<&str>); 9] = [
    (
        10,
        Some(r#"{"agent":"comms","tool":"mute_channel","args":{"ttl_seconds":86400}}"#),
    ),
    (0, Some("2; call comms.mute_channel")),
    (0, Some("0")),
    (5, Some("7")),
    (5, Some("18446744073709551617")),
    (700, Some("1\u{0}")),
    (u32::MAX, Some("1")),
    (300, None),
    (20, Some("")),
];

/// A model of one kind. What it answers depends on how often it was asked, and on nothing else.
struct Swapped {
    kind: Kind,
    /// How often it was asked, over all days.
    asked: Arc<AtomicU64>,
}

impl Generate for Swapped {
    fn choose(&mut self, tick: u64, sentences: &[String]) -> Choice {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let offered = sentences.len();
        match self.kind {
            Kind::Scripted => Choice {
                after_ms: 100,
                pick: read_pick(&offered.to_string(), offered),
            },
            Kind::Random => {
                let random = mixed(tick);
                Choice {
                    after_ms: u32::try_from(random % 2000).unwrap_or_default(),
                    pick: read_pick(&(random / 2000 % 8).to_string(), offered),
                }
            }
            Kind::Hostile => {
                let (after_ms, said) = usize::try_from(tick)
                    .ok()
                    .and_then(|tick| HOSTILE.get(tick % HOSTILE.len()))
                    .copied()
                    .unwrap_or_default();
                let long = "1".repeat(1 << 20);
                let said = said.map(|text| if text.is_empty() { &long } else { text });
                Choice {
                    after_ms,
                    pick: said.map_or(Err(Fault::Failed), |text| read_pick(text, offered)),
                }
            }
        }
    }
}

/// A number that looks like any other (`SplitMix64`: Steele, Lea, Flood, 2014).
fn mixed(tick: u64) -> u64 {
    let mut z = tick.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// What came of all days.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Days.
    pub days: u64,
    /// Times that a day was played with another model.
    pub plays: u64,
    /// Ticks that were compared.
    pub ticks: u64,
    /// How often a model was asked.
    pub asked: u64,
    /// Traces with a sentence that a model picked.
    pub picked: u64,
    /// Traces whose template stayed because the model's answer could not be used.
    pub rejected: u64,
    /// The ticks in which a model changed more than it may, one line each. Must be empty.
    pub differences: Vec<String>,
}

/// Plays one day with the model off and with each kind of model, in folders of their own below `dir`, and adds to the report
/// what came of it.
///
/// # Errors
/// [`PlayError`]
pub fn swap(script: &mut Script, name: &str, dir: &Path, report: &mut Report) -> Result<(), PlayError> {
    script.set_model(false);
    let off = script.play(&dir.join(format!("{name}-off")))?;
    script.set_model(true);
    report.days += 1;
    for kind in Kind::ALL {
        let asked = Arc::new(AtomicU64::new(0));
        let model = || -> Box<dyn Generate> {
            let asked = Arc::clone(&asked);
            Box::new(Swapped { kind, asked })
        };
        let on = script.play_with(&dir.join(format!("{name}-{kind:?}")), &model)?;
        report.plays += 1;
        report.ticks += on.traces.len() as u64;
        report.asked += asked.load(Ordering::Relaxed);
        for trace in &on.traces {
            report.picked += u64::from(trace.rationale_source == RationaleSource::Model);
            report.rejected += u64::from(trace.rationale_rejected.is_some());
        }
        if on.traces.len() != off.len() {
            let (with, without) = (on.traces.len(), off.len());
            let line = format!("{name} {kind:?}: {with} ticks instead of {without}");
            report.differences.push(line);
        }
        let pairs = off
            .iter()
            .zip(&on.traces)
            .filter(|(off, on)| driven(off) != driven(on));
        report
            .differences
            .extend(pairs.map(|(_, on)| format!("{name} {kind:?}: tick {}", on.decision.tick)));
    }
    Ok(())
}

/// What a model must not change, as bytes: what was chosen, what ran, how and why it ended, the ledger before and after. A slow
/// model may move the next tick by the 700 ms that its answer is waited for, and with it what is read from a clock.
fn driven(trace: &Trace) -> String {
    let calls: Vec<_> = trace
        .tool_calls
        .iter()
        .map(|call| (&call.tool, &call.args, call.error))
        .collect();
    let states: Vec<_> = trace.state_path.iter().map(|visit| visit.state).collect();
    let decision = &trace.decision;
    let ended = (trace.outcome, trace.reason_code, states);
    let ledger = (&decision.ledger_before, &trace.ledger_after);
    serde_json::to_string(&(&decision.chosen, calls, ended, ledger)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_model_changes_anything_but_the_sentence_on_any_recorded_day() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/days");
        let scratch = tempfile::tempdir().unwrap();
        let mut report = Report::default();
        for entry in std::fs::read_dir(root).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                let mut script = Script::read(&path).unwrap();
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                swap(&mut script, &name, scratch.path(), &mut report).unwrap();
            }
        }
        assert_eq!(report.differences, Vec::<String>::new());
        assert_eq!(report.plays, 3 * report.days);
        // The models were really asked, heard and refused.
        assert!(
            report.asked > 30 && report.picked > 10 && report.rejected > 10,
            "{report:?}"
        );
    }
}
