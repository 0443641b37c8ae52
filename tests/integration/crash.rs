//! A sample of `aura selftest crash`.
//!
//! What: every 53rd point of the recorded days. Why: what the whole run holds must not rot between two runs of it. Not
//! here: all points (`make crash`), one machine alone (`orchestrator/machine/tests/proof`), the built service (`kill.rs`).

use aura_days::crash::{CrashDay, CrashReport};
use std::path::Path;

#[test]
fn nothing_is_lost_done_twice_or_free_at_a_sample_of_points() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/days");
    let mut days: Vec<_> = std::fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    days.retain(|path| path.is_dir());
    days.sort();
    let scratch = tempfile::tempdir().unwrap();
    let mut sum = CrashReport::default();
    for day in days.iter().map(|path| CrashDay::read(path).unwrap()) {
        for point in (0..day.points()).step_by(53) {
            sum.add(day.try_point(point, scratch.path()).unwrap());
        }
    }
    let points = sum.points;
    assert_eq!(
        sum,
        CrashReport {
            points,
            ..CrashReport::default()
        }
    );
    assert!(points > 100, "{points} points are no sample");
}
