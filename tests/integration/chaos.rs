//! A sample of `aura selftest chaos`.
//!
//! What: some seconds of faults on the built service. Why: what an hour of it holds must not rot between two hours. Not here:
//! every fault of every part (`make chaos`), recorded days (`crash.rs`).

use aura_days::day::DayScript;
use aura_lab::chaos::{self, ChaosCourse, ChaosOptions, ChaosPlan, ChaosReport};
use std::{
    fs,
    path::Path,
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// One household at a time: three of them keep each other from being well again.
static ONE: Mutex<()> = Mutex::new(());

fn run(course: ChaosCourse) -> ChaosReport {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let days = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/days");
    let dir = tempfile::tempdir().unwrap();
    let options = ChaosOptions {
        program: env!("CARGO_BIN_EXE_aura").into(),
        days: ["quiet-group-chat", "recovery", "spend-mirror"]
            .map(|day| DayScript::read(&days.join(day)).unwrap().day)
            .into(),
        model: None,
        course,
    };
    let report = chaos::run(&options, dir.path(), |_| {}).unwrap();
    assert!(report.is_good(), "{report:#?}");
    assert!(report.completed > 5, "{report:#?}");
    // Without a confirmed card nothing was tried of confirmations.
    assert!(report.confirms > 0, "{report:#?}");
    report
}

/// A plan of `fixtures/chaos`.
fn planned(name: &str) -> ChaosReport {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../fixtures/chaos")
        .join(name);
    run(ChaosCourse::Planned(
        ChaosPlan::parse(&fs::read_to_string(file).unwrap()).unwrap(),
    ))
}

#[test]
fn nothing_is_lost_or_done_twice_while_parts_of_a_living_service_are_hurt() {
    let report = run(ChaosCourse::Drawn {
        seed: 1,
        length: Duration::from_secs(12),
    });
    assert!(report.injected > 0, "{report:#?}");
}

#[test]
fn nothing_is_lost_or_done_twice_while_the_disk_fails() {
    let report = planned("disk.toml");
    // Root may trace the service, and so may who started this in a user namespace of their own. Everybody else is told of each fault that it
    // was absent.
    if rustix::process::geteuid().is_root() {
        let met = report.faults.values().filter(|row| row.injected > 0).count();
        assert_eq!(met, report.faults.len(), "{report:#?}");
    }
}

#[test]
fn nothing_is_lost_or_done_twice_while_the_clock_jumps_and_agents_end_during_a_post() {
    let report = planned("clock-and-post.toml");
    assert!(report.injected > 0, "{report:#?}");
}

#[test]
fn nothing_is_lost_or_done_twice_while_more_comes_than_a_full_disk_takes() {
    let report = planned("flood-and-full-disk.toml");
    assert!(report.injected > 0, "{report:#?}");
}
