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

/// The page for newcomers, typed: each block that names a file in the sentence before it becomes that file, each of the shell is run.
#[test]
fn the_page_about_an_own_agent_works_word_by_word_without_a_keyring() {
    let page = fs::read_to_string(root().join("docs/agents/your-own-agent.md")).unwrap();
    let home = tempfile::tempdir().unwrap();
    let mut script = String::from("set -e\n");
    let mut before = "";
    for (n, part) in page.split("```").enumerate() {
        if n % 2 == 0 {
            before = part;
            continue;
        }
        let (language, text) = part.split_once('\n').unwrap();
        if language == "sh" {
            // The test's binary in the place of a release build.
            script += &text.replace("$AURA/target/release", "$BUILT");
        } else {
            let paragraph = before.trim_end().rsplit("\n\n").next().unwrap();
            let file = paragraph.split('`').nth(1).unwrap();
            script += &["cat > ", file, " <<'EOF'\n", text, "EOF\n"].concat();
        }
    }
    let built = PathBuf::from(env!("CARGO_BIN_EXE_aura"));
    let done = Command::new("/bin/bash")
        .args(["-c", &script])
        .current_dir(root().canonicalize().unwrap())
        .env_clear()
        .env("HOME", home.path())
        .env("PATH", "/usr/bin:/bin")
        .env("BUILT", built.parent().unwrap())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(0), "{said}");
    // Counted by hand: The, the, The; printer, printer; every other word once.
    assert!(said.contains("- the: 3\n- printer: 2\n"), "{said}");
    assert!(!home.path().join(".local").exists(), "{said}");
}

/// Typed as `aura agent new` says, in each language, without a keyring; a second time it changes nothing.
#[test]
fn agent_that_was_just_made_passes_the_check_and_does_its_work() {
    for language in ["python", "shell"] {
        let home = tempfile::tempdir().unwrap();
        let project = home.path().join("project");
        let run = |args: &[&str]| {
            let done = Command::new(env!("CARGO_BIN_EXE_aura"))
                .args(args)
                .current_dir(&project)
                .env_clear()
                .env("HOME", home.path())
                .env("PATH", "/usr/bin:/bin")
                .env("AURA_DATA", home.path().join("data"))
                .env("AURA_KEY_FILE", home.path().join("key"))
                .output()
                .unwrap();
            let said =
                String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
            (done.status.code(), said)
        };
        fs::create_dir(&project).unwrap();
        let new = ["agent", "new", "words", "--language", language];
        let (code, said) = run(&new);
        assert_eq!(code, Some(0), "{language}: {said}");
        assert!(said.contains("`aura agent check agents.d/words.toml`"), "{said}");
        let (code, said) = run(&["agent", "check", "agents.d/words.toml"]);
        assert_eq!(code, Some(0), "{language}: {said}");
        let (code, said) = run(&[
            "memory",
            "key",
            "init",
            "--file",
            home.path().join("key").to_str().unwrap(),
        ]);
        assert_eq!(code, Some(0), "{language}: {said}");
        // Counted by hand: The printer is out of paper. A second run finds its own file there.
        for _ in 0..2 {
            let (code, said) = run(&["workflow", "run", "words", "--feature", "first"]);
            assert_eq!(code, Some(0), "{language}: {said}");
            let written = fs::read_to_string(project.join("notes/first/words.md")).unwrap();
            assert_eq!(written, "# Counted\n\n6 words.\n", "{language}");
        }
        let before = fs::read_to_string(project.join("agents.d/words.toml")).unwrap();
        let (code, said) = run(&new);
        assert_eq!(code, Some(1), "{language}: {said}");
        assert!(said.contains("nothing was changed"), "{said}");
        assert_eq!(
            fs::read_to_string(project.join("agents.d/words.toml")).unwrap(),
            before
        );
        // From elsewhere: what it says next works as it stands.
        let (code, said) = run(&[
            "agent",
            "new",
            "words",
            "--language",
            language,
            "--project",
            "other",
        ]);
        assert_eq!(code, Some(0), "{language}: {said}");
        let commands: Vec<&str> = said.split('`').skip(1).step_by(2).collect();
        assert_eq!(commands.len(), 2, "{said}");
        for command in commands {
            let args: Vec<&str> = command.split(' ').skip(1).collect();
            let (code, said) = run(&args);
            assert_eq!(code, Some(0), "{language}: {command}: {said}");
        }
    }
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
