//! Recorded days beside a program that asks a thousand times a day.
//!
//! What: each folder of `fixtures/days` as it is and with the program, by the gate and the four agents; some by the service's actors as well. Until
//! a program is heard nothing differs, and it is heard once a day at most. Why: the ceiling of interruptions is the owner's whatever
//! programs do. Not here: what may differ afterwards, day by day over a year (the machine's `asks_year`).

use aura_days::day::{DayOutcome, DayScript, alone::SimulatedDay};
use serde_json::json;
use std::path::{Path, PathBuf};
use toolcall_schema::{
    ActionKind, Timestamp, ToolName,
    day::{OwnerAct, OwnerActKind},
    ids::TraceId,
};

/// Asks a day.
const ASKS: i64 = 1000;
const DAY_MS: i64 = 24 * 3_600_000;

fn days() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/days");
    let entries = std::fs::read_dir(root).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut days: Vec<PathBuf> = paths.filter(|path| path.is_dir()).collect();
    days.sort();
    days
}

/// The day with a program that asks evenly from its first minute to its last act.
fn with_program(mut script: DayScript) -> DayScript {
    let start = script.day.day.start;
    let signals = script.day.signals.iter().map(|signal| signal.signal().at);
    let acts = script.day.owner.iter().map(|act| act.at);
    let end = signals.chain(acts).max().unwrap_or(start);
    let every = DAY_MS / ASKS;
    let many = (end.ms() - start.ms()) / every;
    let asks = (0..many).map(|n| OwnerAct {
        at: start.plus_ms(n * every),
        act: OwnerActKind::Ask {
            key: format!("chatty {n}"),
            tool: ToolName::PermitLeisure,
            args: json!({"window_min": 90}),
            wait_min: None,
        },
    });
    script.day.owner.extend(asks);
    script.day.owner.sort_by_key(|act| act.at);
    script
}

/// When something was chosen, what, and whether a program had asked for it.
type Choice = (Timestamp, ActionKind, TraceId, bool);

fn choices(outcome: &DayOutcome) -> Vec<Choice> {
    let chosen = outcome.traces.iter().filter_map(|trace| {
        let decision = &trace.decision;
        let chosen = decision.chosen.as_ref()?;
        Some((
            decision.ts,
            chosen.kind,
            decision.trace_id.clone(),
            chosen.asker.is_some(),
        ))
    });
    chosen.collect()
}

/// How often programs are heard beside whom they do not ask anyway.
fn compare(day: &str, quiet: &DayOutcome, loud: &DayOutcome) -> usize {
    let (quiet, loud) = (choices(quiet), choices(loud));
    let first = loud.iter().position(|choice| choice.3);
    let same = first.unwrap_or(loud.len());
    assert_eq!(
        quiet.get(..same),
        loud.get(..same),
        "{day}: nothing differs before a program is heard"
    );
    if first.is_none() {
        assert_eq!(quiet, loud, "{day}: no program is heard");
    }
    let heard = loud.iter().filter(|choice| choice.3).count();
    // One a local day; a recorded day has two of them at most.
    assert!(heard <= 2, "{day}: {loud:?}");
    heard
}

#[test]
fn a_program_that_asks_a_thousand_times_is_heard_once_in_a_recorded_day() {
    let (mut played, mut heard) = (0, 0);
    for path in days() {
        let day = path.file_name().unwrap().display().to_string();
        let quiet = DayScript::read(&path).unwrap();
        // Who asks there is heard already.
        let asks = |act: &OwnerAct| matches!(act.act, OwnerActKind::Ask { .. });
        if quiet.day.owner.iter().any(asks) {
            continue;
        }
        let quiet = SimulatedDay::play(&quiet);
        let script = with_program(DayScript::read(&path).unwrap());
        let loud = SimulatedDay::play(&script);
        heard += compare(&day, &quiet, &loud);
        played += 1;
        if played % 30 == 1 {
            let data = tempfile::tempdir().unwrap();
            let actors = script.played(data.path()).unwrap();
            assert_eq!(choices(&actors), choices(&loud), "{day} by the actors");
        }
    }
    println!("{played} days, a program was heard {heard} times");
    assert!(played > 80 && heard > 10, "{played} {heard}");
}
