//! Every recorded day through the real actors under a virtual clock, against its `expected.json`.
//!
//! What: the folders of `fixtures/days`. Why: their results were worked out by hand from the specification; adding a case
//! adds a folder, not code. Each day is played by the real actors, by the pure machine alone and by the built binary. Not
//! here: kills (`kill.rs`).

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use orchestrator::{
    day::{Script, differences},
    rig::Rig,
};
use orchestrator_machine::{What, cards, state::Phase};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    process::Command,
};
use toolcall_schema::{
    Surface, Timestamp,
    day::Act,
    gate,
    names::SubmitAct,
    rule::OwnerRule,
    trace::{Card, Trace},
};

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
        let traces = script.play(data.path()).unwrap();
        let expected = script.day.expected.as_deref().unwrap_or_default();
        assert!(!expected.is_empty(), "{} expects nothing", path.display());
        for line in differences(expected, &traces) {
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

/// The owner of a day that is played on the pure machine: sees what can be seen on the connected surfaces.
#[derive(Default)]
struct Owner {
    connected: BTreeSet<Surface>,
    seen: BTreeSet<(u64, Surface)>,
    cards: BTreeMap<u64, Card>,
}

impl Owner {
    fn look(&mut self, rig: &mut Rig) {
        while let Some(card) = cards::current(rig.state()) {
            let tick = card.decision.tick;
            self.cards.insert(tick, card.clone());
            let on = |surface: &Surface| {
                if card.prompts.is_empty() {
                    *surface == Surface::PhoneCard
                } else {
                    card.prompts.iter().any(|prompt| prompt.surface == *surface)
                }
            };
            let new: Vec<Surface> = self
                .connected
                .iter()
                .copied()
                .filter(|s| on(s) && !self.seen.contains(&(tick, *s)))
                .collect();
            if new.is_empty() {
                return;
            }
            for surface in new {
                self.seen.insert((tick, surface));
                rig.happen(What::Shown {
                    card_id: card.card_id.clone(),
                    surface,
                });
            }
        }
    }

    fn act(&mut self, at: Timestamp, act: &Act, rig: &mut Rig) {
        let mut submit = |tick: u64, surface: Surface, act: SubmitAct| {
            if let Some(card) = self.cards.get(&tick) {
                let prompt = card.prompts.iter().find(|prompt| prompt.surface == surface);
                let capability = prompt.map(|prompt| prompt.capability.clone());
                rig.happen(What::Submitted {
                    request: tick,
                    card_id: card.card_id.clone(),
                    surface,
                    act,
                    capability,
                });
            }
        };
        match act {
            Act::Connect { surface } => {
                self.connected.insert(*surface);
                rig.happen(What::Connected { surface: *surface });
            }
            Act::Disconnect { surface } => {
                self.connected.remove(surface);
                rig.happen(What::Disconnected { surface: *surface });
            }
            Act::Confirm { surface, tick } => submit(*tick, *surface, SubmitAct::Confirm),
            Act::Dismiss { surface, tick } => submit(*tick, *surface, SubmitAct::Dismiss),
            Act::Edit { surface, tick } => submit(*tick, *surface, SubmitAct::Edit),
            Act::Useful { surface, tick } => {
                submit(*tick, surface.unwrap_or(Surface::PhoneCard), SubmitAct::Useful);
            }
            Act::Rule {
                name,
                kind,
                subject,
                hours,
                days,
            } => rig.happen(What::RuleSet {
                rule: OwnerRule {
                    kinds: kind.iter().copied().collect(),
                    subject: subject.clone(),
                    hours: *hours,
                    days: days.clone(),
                    ..OwnerRule::named(name.clone())
                },
            }),
            Act::Pause { minutes } => rig.happen(What::Paused {
                until: Some(at.plus_min(i64::from(*minutes))),
            }),
        }
    }
}

/// Plays a day on the machine alone: no actors, no store, no threads.
fn play_pure(script: &Script) -> Vec<Trace> {
    let (mut rig, mut owner, day) = (script.rig(), Owner::default(), &script.day);
    let advance = |rig: &mut Rig, owner: &mut Owner, to: Timestamp| {
        while let Some(at) = rig.next().filter(|at| *at <= to) {
            rig.advance(at);
            owner.look(rig);
        }
        rig.advance(to);
    };
    let mut times: BTreeSet<Timestamp> = day.signals.iter().map(|signal| signal.at).collect();
    times.extend(day.owner.iter().map(|act| act.at));
    owner.look(&mut rig);
    for at in &times {
        advance(&mut rig, &mut owner, *at);
        let batch: Vec<_> = day.signals.iter().filter(|signal| signal.at == *at).collect();
        if !batch.is_empty() {
            rig.post(
                batch
                    .into_iter()
                    .map(|signal| (signal.clone(), signal.payload().unwrap()))
                    .collect(),
            );
            owner.look(&mut rig);
        }
        for act in day.owner.iter().filter(|act| act.at == *at) {
            owner.act(*at, &act.act, &mut rig);
            owner.look(&mut rig);
        }
    }
    let last = times.last().copied().unwrap_or(day.day.start);
    advance(&mut rig, &mut owner, last.plus_ms(60_000));
    while !matches!(rig.state().phase, Phase::Idle) {
        let next = rig.next().unwrap();
        advance(&mut rig, &mut owner, next);
    }
    rig.traces
}

#[test]
fn the_pure_machine_alone_leaves_the_same_bytes_as_the_actors() {
    for path in days() {
        let script = Script::read(&path).unwrap();
        let bytes = |traces: &[Trace]| {
            traces
                .iter()
                .map(|t| serde_json::to_string(t).unwrap())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            bytes(&play_pure(&script)),
            bytes(&play(&path)),
            "{}",
            path.display()
        );
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
