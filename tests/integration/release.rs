//! `make release`.
//!
//! What: version, changelog, commit and tag of a clone of its own, and when it refuses. Why: a release is made seldom, so nobody would notice that it cannot be.
//! Not here: packages (`scripts/dist.sh`).

use std::{fs, path::Path, process::Command};
use tempfile::TempDir;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// A program in the clone, as somebody with a name: whether it succeeded, and what it said.
fn run(clone: &Path, program: &str, args: &[&str]) -> (bool, String) {
    let mut command = Command::new(program);
    command.args(args).current_dir(clone);
    for who in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{who}_NAME"), "Kim")
            .env(format!("GIT_{who}_EMAIL"), "kim@example.org");
    }
    let done = command.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout) + String::from_utf8_lossy(&done.stderr);
    (done.status.success(), said.trim().to_owned())
}

#[test]
fn release_sets_the_version_closes_the_changelog_and_tags_once() {
    let dir = TempDir::new().unwrap();
    let clone = dir.path();
    let git = |args: &[&str]| {
        let (good, said) = run(clone, "git", args);
        assert!(good, "{args:?}: {said}");
        said
    };
    let release = |version: &str| {
        run(
            clone,
            "/usr/bin/python3",
            &[&format!("{ROOT}/scripts/release.py"), version, "."],
        )
    };
    for name in ["Cargo.toml", "Cargo.lock"] {
        fs::copy(Path::new(ROOT).join(name), clone.join(name)).unwrap();
    }
    let changes = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- Something.\n";
    fs::write(clone.join("CHANGELOG.md"), changes).unwrap();
    git(&["init", "--quiet"]);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message", "begin"]);

    for (version, why) in [("0.0.1", "is not greater"), ("99.1", "is not MAJOR.MINOR.PATCH")] {
        let (good, said) = release(version);
        assert!(!good && said.contains(why), "{said}");
    }
    fs::write(clone.join("more"), "").unwrap();
    assert_eq!(
        release("99.0.0"),
        (false, "release: something is not committed".to_owned())
    );
    fs::remove_file(clone.join("more")).unwrap();

    let (good, said) = release("99.0.0");
    assert!(good, "{said}");
    assert_eq!(git(&["describe", "--exact-match"]), "v99.0.0");
    assert_eq!(git(&["log", "-1", "--format=%s"]), "release: Aura 99.0.0");
    let read = |name: &str| fs::read_to_string(clone.join(name)).unwrap();
    assert!(read("Cargo.toml").contains("[workspace.package]\nversion = \"99.0.0\"\n"));
    let lock = read("Cargo.lock");
    for (name, version) in [("surfaces", "99.0.0"), ("aura-cli", "99.0.0")] {
        assert!(
            lock.contains(&format!("name = \"{name}\"\nversion = \"{version}\"\n")),
            "{name}"
        );
    }
    // Nobody else's crate has that version now.
    let others = lock
        .split("[[package]]")
        .filter(|block| block.contains("\nsource = "));
    assert!(
        others
            .filter(|block| block.contains("\nversion = \"99.0.0\""))
            .count()
            == 0
    );
    let changelog = read("CHANGELOG.md");
    assert!(
        changelog.contains("## [Unreleased]\n\n## [99.0.0] - 20"),
        "{changelog}"
    );
    assert!(changelog.ends_with("### Added\n\n- Something.\n"), "{changelog}");

    let (good, said) = release("99.0.1");
    assert!(
        !good && said.contains("nothing stands under Unreleased"),
        "{said}"
    );
}
