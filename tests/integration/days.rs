//! Every recorded day through the real actors under a virtual clock, against its `expected.json`.
//!
//! What: the folders of `fixtures/days`. Why: their results were worked out by hand from the specification; adding a case
//! adds a folder, not code. Each day is played by the real actors, by the pure machine alone and by the built binary. Not
//! here: kills (`kill.rs`).

use aura_days::day::{DayOutcome, DayScript, alone::SimulatedDay, differences};
use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::Barrier,
};
use toolcall_schema::gate;

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

/// A third of the days, each played once by the real actors and once by the pure machine alone: what was expected, valid
/// traces, and the same bytes both times.
fn plays_as_expected(third: usize) {
    let mut wrong = Vec::new();
    for path in days().into_iter().skip(third).step_by(3) {
        let day = path.file_name().unwrap().display();
        let script = DayScript::read(&path).unwrap();
        let data = tempfile::tempdir().unwrap();
        let (pure, actors) = (SimulatedDay::play(&script), script.played(data.path()).unwrap());
        let expected = script.day.expected.as_deref().unwrap_or_default();
        assert!(!expected.is_empty(), "{day} expects nothing");
        for line in differences(expected, &actors) {
            wrong.push(format!("{day}: {line}"));
        }
        for trace in &actors.traces {
            gate::check_trace(trace).unwrap();
        }
        let bytes = |played: &DayOutcome| {
            let traces = played.traces.iter();
            let traces: Vec<_> = traces.map(|t| serde_json::to_string(t).unwrap()).collect();
            (traces, played.surprises.clone())
        };
        assert_eq!(bytes(&pure), bytes(&actors), "{day}");
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_third_recorded_day_ends_as_worked_out_by_hand_with_actors_and_without() {
    plays_as_expected(0);
}

#[test]
fn so_do_the_days_after_those() {
    plays_as_expected(1);
}

#[test]
fn and_the_rest() {
    plays_as_expected(2);
}

/// What an owner has in common with the others of her host is the process: each has a thread with her actors. Whatever they share, a lock, a
/// cache or a count, changes no byte of anybody's day.
#[test]
fn every_day_among_a_hundred_owners_in_one_process_is_that_of_one_owner_alone() {
    const OWNERS: usize = 100;
    let scripts: Vec<DayScript> = days().iter().map(|path| DayScript::read(path).unwrap()).collect();
    assert!(scripts.len() <= OWNERS, "each day is somebody's");
    let bytes = |played: &DayOutcome| {
        let traces = played.traces.iter();
        let traces: Vec<_> = traces
            .map(|trace| serde_json::to_string(trace).unwrap())
            .collect();
        (traces, played.surprises.clone())
    };
    let together = Barrier::new(OWNERS);
    std::thread::scope(|scope| {
        for owner in 0..OWNERS {
            let (scripts, together) = (&scripts, &together);
            scope.spawn(move || {
                let day = owner % scripts.len();
                let data = tempfile::tempdir().unwrap();
                // All begin at once.
                together.wait();
                let played = scripts[day].played(data.path()).unwrap();
                let alone = SimulatedDay::play(&scripts[day]);
                assert_eq!(bytes(&played), bytes(&alone), "owner {owner}, day {day}");
            });
        }
    });
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
