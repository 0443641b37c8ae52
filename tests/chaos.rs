//! A sample of `aura selftest chaos`.
//!
//! What: some seconds of faults on the built service. Why: what an hour of it holds must not rot between two hours. Not here:
//! every fault of every part (`make chaos`), recorded days (`crash.rs`).

use orchestrator::selftest::chaos::{self, Options};
use std::{path::Path, time::Duration};

#[test]
fn nothing_is_lost_or_done_twice_while_parts_of_a_living_service_are_hurt() {
    let days = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/days");
    let dir = tempfile::tempdir().unwrap();
    let options = Options {
        program: env!("CARGO_BIN_EXE_aura").into(),
        days: ["quiet-group-chat", "recovery", "spend-mirror"]
            .map(|day| days.join(day))
            .into(),
        model: None,
        length: Duration::from_secs(12),
        seed: 1,
    };
    let report = chaos::run(&options, dir.path(), |_| {}).unwrap();
    assert!(report.is_good(), "{report:#?}");
    assert!(report.injected > 0 && report.completed > 5, "{report:#?}");
}
