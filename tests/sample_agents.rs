//! The agents that come with Aura, and their sample project.
//!
//! What: each manifest of `fixtures/project` passes the check that anybody's agent is held to, and the Python agents pass their own
//! tests. Why: whoever writes an agent begins with a copy of one of these. Not here: workflows (`workflows.rs`).

use std::{fs, path::PathBuf, process::Command};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[test]
fn every_sample_agent_passes_the_check() {
    let mut tried = 0;
    for entry in fs::read_dir(root().join("fixtures/project/agents.d")).unwrap() {
        let manifest = entry.unwrap().path();
        let done = Command::new(env!("CARGO_BIN_EXE_aura"))
            .args(["agent", "check"])
            .arg(&manifest)
            .output()
            .unwrap();
        assert_eq!(
            done.status.code(),
            Some(0),
            "{}: {}{}",
            manifest.display(),
            String::from_utf8_lossy(&done.stdout),
            String::from_utf8_lossy(&done.stderr)
        );
        tried += 1;
    }
    assert_eq!(tried, 7);
    // The surveyor is found by its bare name because it stands beside the binary.
    assert!(PathBuf::from(env!("CARGO_BIN_EXE_aura-surveyor")).is_file());
}

#[test]
fn the_python_agents_pass_their_own_tests() {
    let done = Command::new("/usr/bin/python3")
        .args(["-B", "-m", "unittest"])
        .current_dir(root().join("agents/programs/python"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}");
    assert!(said.contains("\nOK\n"), "{said}");
}
