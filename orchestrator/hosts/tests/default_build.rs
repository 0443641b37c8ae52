//! What is built without this package.
//!
//! What: neither the client of a server nor a line of this package is in `aura`, or in anything that is built where nobody asks for it. Why: who has one
//! machine does not pay for several. Not here: who may depend on whom otherwise (`tests/integration/architecture.rs`).

use std::{env, process::Command};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The names of the packages that are built, by cargo's own account. What only another feature needs may not have been fetched yet.
fn built(arguments: &[&str]) -> Vec<String> {
    let tree = Command::new(env::var_os("CARGO").unwrap())
        .args([
            "tree",
            "--locked",
            "--prefix",
            "none",
            "--format",
            "{p}",
            "--edges",
            "normal,build",
        ])
        .args(arguments)
        .current_dir(ROOT)
        .output()
        .unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let lines = String::from_utf8(tree.stdout).unwrap();
    lines
        .lines()
        .filter_map(|line| line.split(' ').next().map(str::to_owned))
        .collect()
}

fn has(packages: &[String], name: &str) -> bool {
    packages.iter().any(|package| package == name)
}

#[test]
fn nothing_of_several_hosts_is_in_the_programs_and_no_client_in_a_build_that_does_not_ask() {
    for program in ["orchestrator", "aura-lab"] {
        let packages = built(&["--package", program, "--all-features"]);
        assert!(has(&packages, "aura-memory"), "{program}: {packages:?}");
        for package in ["aura-hosts", "async-nats"] {
            assert!(!has(&packages, package), "{program} is built from {package}");
        }
    }
    let workspace = built(&["--workspace"]);
    assert!(has(&workspace, "aura-hosts") && !has(&workspace, "async-nats"));
    let asked = built(&["--package", "aura-hosts", "--features", "jetstream"]);
    assert!(has(&asked, "async-nats"), "it was looked for by the right name");
}
