//! Every recorded day through the real actors under a virtual clock, against its `expected.json`.
//!
//! What: the folders of `fixtures/days`. Why: their results were worked out by hand from the specification; adding a case
//! adds a folder, not code. Each day is played by the real actors, by the pure machine alone and by the built binary. Not
//! here: kills (`kill.rs`).

use aura_days::day::{DayOutcome, DayScript, alone::SimulatedDay, differences};
use std::{
    path::{Path, PathBuf},
    process::Command,
};
use toolcall_schema::{gate, trace::Trace};

fn days() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/days");
    let mut days: Vec<PathBuf> = std::fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    days.sort();
    assert!(days.len() >= 12, "the days of the issue are there");
    days
}

fn play(day: &Path) -> Vec<Trace> {
    let data = tempfile::tempdir().unwrap();
    DayScript::read(day).unwrap().play(data.path()).unwrap()
}

#[test]
fn every_recorded_day_ends_as_worked_out_by_hand() {
    let mut wrong = Vec::new();
    for path in days() {
        let script = DayScript::read(&path).unwrap();
        let data = tempfile::tempdir().unwrap();
        let played = script.played(data.path()).unwrap();
        let expected = script.day.expected.as_deref().unwrap_or_default();
        assert!(!expected.is_empty(), "{} expects nothing", path.display());
        for line in differences(expected, &played) {
            wrong.push(format!("{}: {line}", path.file_name().unwrap().display()));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_trace_of_every_day_is_a_valid_trace_v1_and_comes_out_twice_with_the_same_bytes() {
    for path in days() {
        let (first, second) = (play(&path), play(&path));
        for trace in &first {
            gate::check_trace(trace).unwrap();
        }
        let bytes = |traces: &[Trace]| serde_json::to_string(traces).unwrap();
        assert_eq!(bytes(&first), bytes(&second), "{}", path.display());
    }
}

#[test]
fn the_pure_machine_alone_leaves_the_same_bytes_as_the_actors() {
    for path in days() {
        let script = DayScript::read(&path).unwrap();
        let data = tempfile::tempdir().unwrap();
        let (pure, actors) = (SimulatedDay::play(&script), script.played(data.path()).unwrap());
        let bytes = |played: &DayOutcome| {
            let traces = played.traces.iter();
            let traces: Vec<_> = traces.map(|t| serde_json::to_string(t).unwrap()).collect();
            (traces, played.surprises.clone())
        };
        assert_eq!(bytes(&pure), bytes(&actors), "{}", path.display());
    }
}

#[test]
fn the_built_binary_replays_every_day_as_expected() {
    for path in days() {
        let done = Command::new(env!("CARGO_BIN_EXE_aura"))
            .arg("replay")
            .arg(&path)
            .arg("--json")
            .output()
            .unwrap();
        assert_eq!(
            done.status.code(),
            Some(0),
            "{}: {}",
            path.display(),
            String::from_utf8_lossy(&done.stderr)
        );
        let script = DayScript::read(&path).unwrap();
        let ticks = script.day.expected.unwrap_or_default().len();
        assert_eq!(
            String::from_utf8(done.stdout).unwrap().lines().count(),
            ticks,
            "one trace per tick"
        );
    }
}
