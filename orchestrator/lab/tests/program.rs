//! The program `aura-lab`, as `aura bench` and `aura selftest` start it.

use std::{path::Path, process::Command};

#[test]
fn a_benchmark_runs_and_prints_figures_as_json() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let done = Command::new(env!("CARGO_BIN_EXE_aura-lab"))
        .args(["bench", "tick", "--count", "3", "--json"])
        .current_dir(root)
        .output()
        .unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(0), "{said}");
    let figures: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert!(figures["cpu_median_ns"].is_number(), "{figures}");
}
