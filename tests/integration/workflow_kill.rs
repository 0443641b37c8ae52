//! A run whose process is killed, by the built binary and real programs.
//!
//! What: a run begun with every beginning of its journal, and one that is really killed after every event, come to the same end. Why: what
//! finished must not be asked again, and files must be whole, wherever it happened. Not here: the same of invented answers
//! (`orchestrator/machine/tests/workflow.rs`).

#![expect(
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "a helper of a test may panic"
)]

use crate::support::workflows::{LEFT, Place, owned};
use aura_memory::{
    Store, StoreOptions, Vault,
    vault::{NewPlace, NoPrompt},
    workflows::open_runs,
};
use aura_workflow::{
    RunJournal,
    journal::{JournalLine, lines},
};
use orchestrator_machine::workflow::event::{RunEventKind, StepAttempt};
use std::{collections::BTreeMap, fs, path::Path, process::Stdio, sync::Arc, thread, time::Duration};

/// All events of the only run of a data folder.
fn journal(data: &Path) -> Vec<JournalLine> {
    // Killed before there was a folder?
    let Ok(vault) = Vault::open(data, &NoPrompt) else {
        return Vec::new();
    };
    // Killed before there was a store, or while it was made?
    let Ok(Some(reader)) = open_runs(&vault) else {
        return Vec::new();
    };
    let run = reader.find_runs("last").unwrap().pop();
    run.map_or_else(Vec::new, |run| lines(&reader, &run.run, 0).unwrap())
}

fn ended(lines: &[JournalLine]) -> Vec<StepAttempt> {
    let of = |line: &JournalLine| match &line.what {
        RunEventKind::Ended { of, .. } => Some(of.clone()),
        _ => None,
    };
    let mut all: Vec<StepAttempt> = lines.iter().filter_map(of).collect();
    all.sort();
    all
}

/// The agents that said that they are asked, by what the command logged.
fn asked(stderr: &[u8]) -> BTreeMap<&'static str, usize> {
    let text = String::from_utf8_lossy(stderr);
    ["writer", "validator", "research", "test"]
        .into_iter()
        .map(|agent| (agent, text.matches(&format!("{agent} is asked")).count()))
        .collect()
}

/// The askings of a whole run: written twice, looked at twice, then both of the group.
const WHOLE: [(&str, u16); 6] = [
    ("survey", 1),
    ("tests", 1),
    ("validate", 1),
    ("validate", 1),
    ("write", 1),
    ("write", 2),
];

fn whole() -> Vec<StepAttempt> {
    let at = |(step, iteration): &(&str, u16)| StepAttempt {
        step: (*step).to_owned(),
        iteration: *iteration,
    };
    WHOLE.iter().map(at).collect()
}

/// Which agent serves a step.
fn agent(step: &str) -> &'static str {
    match step {
        "write" => "writer",
        "validate" => "validator",
        "survey" => "research",
        _ => "test",
    }
}

/// Of each agent, how many askings of a whole run are not ended in a journal.
fn missing(lines: &[JournalLine]) -> BTreeMap<&'static str, usize> {
    let mut left: BTreeMap<&'static str, usize> = asked(b"");
    for at in whole() {
        *left.get_mut(agent(&at.step)).unwrap() += 1;
    }
    for at in ended(lines) {
        *left.get_mut(agent(&at.step)).unwrap() -= 1;
    }
    left
}

#[test]
fn every_beginning_of_a_journal_comes_to_the_same_end() {
    let place = Place::new();
    let done = place.run(&["workflow", "run", "whole", "--feature", "f1"]);
    assert_eq!(
        done.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    let lines = journal(&place.data());
    assert_eq!((ended(&lines), place.files()), (whole(), owned(&LEFT)));
    let mut tried = 0;
    for kept in 1..lines.len() {
        // What was written when the process was killed there; of files that were being written, both.
        let (mut files, mut after) = (BTreeMap::new(), BTreeMap::new());
        for line in &lines[..kept] {
            if let RunEventKind::Applying { changes, .. } = &line.what {
                after.extend(changes.iter().map(|one| (one.path.clone(), one.after.clone())));
            }
            if matches!(line.what, RunEventKind::Applied(_)) {
                files.clone_from(&after);
            }
        }
        let mut states = vec![files.clone()];
        if files != after {
            states.push(after);
        }
        for state in states {
            let _ = fs::remove_dir_all(place.data());
            place.set_files(&state.into_iter().collect::<Vec<_>>());
            let RunEventKind::Started(started) = &lines[0].what else {
                unreachable!("a run begins so")
            };
            let key = NewPlace::File(place.data().with_file_name("data.key"));
            let vault = Vault::create(&place.data(), &key).unwrap();
            let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
            let mut begun = RunJournal::begin(&Arc::new(store), (**started).clone(), lines[0].at).unwrap();
            for line in &lines[1..kept] {
                begun.append(line.at, line.what.clone()).unwrap();
            }
            drop(begun);
            let done = place.run(&["workflow", "resume", "last"]);
            assert_eq!(done.status.code(), Some(0), "{kept}");
            let now = journal(&place.data());
            assert_eq!((ended(&now), place.files()), (whole(), owned(&LEFT)), "{kept}");
            for (agent, times) in asked(&done.stderr) {
                let most = missing(&lines[..kept])[agent];
                assert!(
                    times <= most,
                    "{kept}: {agent} is asked {times} times, at most {most} were left"
                );
            }
            tried += 1;
        }
    }
    // Six askings of two events, four writings of two, and the beginning; the last one leaves nothing to do.
    assert_eq!((lines.len(), tried), (21, 20 + 4));
}

#[test]
fn a_process_that_is_really_killed_after_any_event_can_be_gone_on_with() {
    let mut points = Vec::new();
    for kill_at in 1..21 {
        let place = Place::new();
        let mut child = place
            .aura(&["workflow", "run", "whole", "--feature", "f1"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // As soon as so much is in the journal; by then there may be more.
        while journal(&place.data()).len() < kill_at && child.try_wait().unwrap().is_none() {
            thread::park_timeout(Duration::from_micros(200));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let before = journal(&place.data());
        points.push(before.len());
        let done = place.run(&["workflow", "resume", "last"]);
        if before.len() == 21 {
            // It came to its end before it was killed.
            assert_eq!(done.status.code(), Some(1));
        } else {
            assert_eq!(
                done.status.code(),
                Some(0),
                "{}",
                String::from_utf8_lossy(&done.stderr)
            );
        }
        let now = journal(&place.data());
        assert_eq!((ended(&now), place.files()), (whole(), owned(&LEFT)), "{kill_at}");
        for (agent, times) in asked(&done.stderr) {
            assert!(times <= missing(&before)[agent], "{kill_at}: {agent} {times}");
        }
    }
    points.dedup();
    assert!(points.len() >= 5, "killed at too few places: {points:?}");
}
