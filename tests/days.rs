//! Every recorded day through the real actors under a virtual clock, against its `expected.json`.
//!
//! What: the folders of `fixtures/days`. Why: their results were worked out by hand from the specification; adding a case
//! adds a folder, not code. Each day is played by the real actors, by the pure machine alone and by the built binary. Not
//! here: kills (`kill.rs`).

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use orchestrator::{
    day::{
        Played, Script, differences,
        stand_in::{Deed, Entry, StandIn, entries},
    },
    rig::Rig,
};
use orchestrator_machine::{What, cards, state::Phase};
use std::{
    path::{Path, PathBuf},
    process::Command,
};
use toolcall_schema::{Surface, Timestamp, day::Act, gate, trace::Trace};

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
    Script::read(day).unwrap().play(data.path()).unwrap()
}

#[test]
fn every_recorded_day_ends_as_worked_out_by_hand() {
    let mut wrong = Vec::new();
    for path in days() {
        let script = Script::read(&path).unwrap();
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

/// A day on the machine alone: no actors, no store, no threads.
struct Pure {
    rig: Rig,
    stand_in: StandIn,
    surprises: Vec<String>,
}

impl Pure {
    fn play(script: &Script) -> Played {
        let (rig, stand_in, surprises) = (script.rig(), script.stand_in(), vec![]);
        let mut day = Self {
            rig,
            stand_in,
            surprises,
        };
        day.look();
        for (at, entry) in entries(&script.day) {
            day.advance(at);
            match entry {
                Entry::Signals(signals) => day.rig.post(signals),
                Entry::Act(act) => day.act(act),
            }
            day.look();
        }
        day.advance(day.rig.state().at.max(day.now()).plus_ms(60_000));
        while !matches!(day.rig.state().phase, Phase::Idle) {
            day.advance(day.rig.next().unwrap());
        }
        Played {
            traces: day.rig.traces,
            surprises: day.surprises,
        }
    }

    fn now(&self) -> Timestamp {
        self.rig.state().timeline(self.rig.wall())
    }

    /// Sees what can be seen on the connected surfaces.
    fn look(&mut self) {
        while let Some(card) = cards::current(self.rig.state()) {
            let card_id = card.card_id.clone();
            let new = self.stand_in.look(card);
            if new.is_empty() {
                return;
            }
            for surface in new {
                let card_id = card_id.clone();
                self.rig.happen(What::Shown { card_id, surface });
            }
        }
    }

    fn advance(&mut self, to: Timestamp) {
        while let Some(at) = self.rig.next().filter(|at| *at <= to) {
            self.rig.advance(at);
            self.look();
        }
        self.rig.advance(to);
    }

    fn connect(&mut self, surface: Surface) {
        self.rig.happen(What::Connected { surface });
    }

    fn act(&mut self, act: &Act) {
        match self.stand_in.does(act, self.rig.wall()) {
            Ok(Deed::Connect(surface)) => self.connect(surface),
            Ok(Deed::Disconnect(surface)) => self.rig.happen(What::Disconnected { surface }),
            Ok(Deed::Submit(submitted)) => {
                self.rig.verdict = None;
                self.rig.happen(What::Submitted {
                    request: submitted.tick,
                    card_id: submitted.card_id.clone(),
                    surface: submitted.surface,
                    act: submitted.act,
                    capability: submitted.capability.clone(),
                });
                self.surprises.extend(submitted.surprise(self.rig.verdict));
            }
            Ok(Deed::Say(what)) => self.rig.happen(what),
            Ok(Deed::Settings) => self.rig.reload(&self.stand_in.home.settings),
            Ok(Deed::Clock(ms)) => self.rig.set_clock(ms),
            Ok(Deed::Suspend(ms)) => self.rig.suspend(ms),
            Ok(Deed::Restart(ms)) => {
                self.rig.restart(&self.stand_in.home, ms);
                let again = self.stand_in.began_again();
                self.look();
                for surface in again {
                    self.stand_in.connect(surface);
                    self.connect(surface);
                    self.look();
                }
            }
            Err(surprise) => self.surprises.push(surprise),
        }
    }
}

#[test]
fn the_pure_machine_alone_leaves_the_same_bytes_as_the_actors() {
    for path in days() {
        let script = Script::read(&path).unwrap();
        let data = tempfile::tempdir().unwrap();
        let (pure, actors) = (Pure::play(&script), script.played(data.path()).unwrap());
        let bytes = |played: &Played| {
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
        let script = Script::read(&path).unwrap();
        let ticks = script.day.expected.unwrap_or_default().len();
        assert_eq!(
            String::from_utf8(done.stdout).unwrap().lines().count(),
            ticks,
            "one trace per tick"
        );
    }
}
