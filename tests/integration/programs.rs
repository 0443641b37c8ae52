//! Anybody's programs, started by the built binary.
//!
//! What: a good agent passes the check, and each way to misbehave is told apart. Why: programs are trusted in nothing. Not here:
//! messages alone (`toolcall-schema/tests/contracts/protocol.rs`), what the sandbox forbids (`sandbox.rs`).

use serde_json::Value;
use std::{
    fs,
    path::Path,
    process::{Command, Output},
    time::{Duration, Instant},
};

fn check(manifest: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_aura"))
        .args(["agent", "check", "--json"])
        .arg(manifest)
        .env("AURA_TEST_SECRET", "x")
        .output()
        .unwrap()
}

/// The report of a program in shell, as claims with whether they hold and what it did.
fn report(script: &str) -> Vec<(String, bool, String)> {
    report_within(script, "wall_s = 2\nmemory_mib = 64\ncpu_s = 1\n")
}

fn report_within(script: &str, limits: &str) -> Vec<(String, bool, String)> {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("run.sh"), script).unwrap();
    let manifest = dir.path().join("agent.toml");
    let text = format!(
        "name = \"tried\"\nprotocol = \"envelope\"\nskills = [\"agent-protocol\"]\n\
         command = [\"sh\", \"run.sh\"]\nactions = [\"try\"]\n[limits]\n{limits}"
    );
    fs::write(&manifest, text).unwrap();
    trials(&check(&manifest))
}

/// The claims of a report, whether each holds, and what the program did.
fn trials(done: &Output) -> Vec<(String, bool, String)> {
    let report: Value = serde_json::from_slice(&done.stdout)
        .unwrap_or_else(|_| unreachable!("{}", String::from_utf8_lossy(&done.stderr)));
    let trials = report["trials"].as_array().unwrap();
    let read = |trial: &Value| {
        (
            trial["claim"].as_str().unwrap().to_owned(),
            trial["holds"].as_bool().unwrap(),
            trial["detail"].as_str().unwrap().to_owned(),
        )
    };
    let trials: Vec<_> = trials.iter().map(read).collect();
    assert_eq!(done.status.success(), trials.iter().all(|(_, holds, _)| *holds));
    trials
}

#[test]
fn the_agent_in_ten_lines_of_shell_passes_every_trial() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let done = check(&root.join("agents/programs/shell-notes/agent.toml"));
    assert_eq!(
        done.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&done.stdout)
    );
}

#[test]
fn each_way_to_misbehave_has_its_code() {
    let good = r#"{"success":true,"summary":"","artifacts":[],"recommendation":"proceed"}"#;
    for (script, code) in [
        ("exit 3".to_owned(), "PROGRAM-005"),
        ("kill -9 $$".to_owned(), "PROGRAM-005"),
        ("exit 0".to_owned(), "PROGRAM-006"),
        ("yes".to_owned(), "PROGRAM-003"),
        ("sleep 60".to_owned(), "PROGRAM-004"),
        // Its output is closed and its child holds on: the child goes with it.
        (
            "sleep 60 >&- 2>&- & exec 1>&-; sleep 60".to_owned(),
            "PROGRAM-004",
        ),
        ("echo hello".to_owned(), "PROTO-001"),
        (format!("echo '{good}'; echo '{good}'"), "PROTO-001"),
        (r#"echo '{"success":true}'"#.to_owned(), "PROTO-002"),
        (
            good.replace("true", "false").replacen('{', "echo '{", 1) + "'",
            "PROTO-004",
        ),
        // More processor time than it has.
        ("while :; do :; done".to_owned(), "PROGRAM-00"),
    ] {
        let begun = Instant::now();
        let trials = report(&script);
        let (claim, holds, detail) = &trials[0];
        assert_eq!(claim, "answers `try` with a message of its protocol");
        assert!(!holds && detail.contains(code), "{script}: {detail}");
        // Five questions of at most 2 s each.
        assert!(begun.elapsed() < Duration::from_secs(30), "{script}");
    }
}

#[test]
fn a_program_that_dies_says_why_and_which_limit_it_likely_met() {
    let memory = "limits.memory_mib = 64";
    let mut cases = vec![
        (
            "echo 'the plan is missing' >&2; exit 3",
            vec![
                "exit code 3",
                "its standard error ended with: the plan is missing",
            ],
        ),
        (
            "while :; do :; done",
            vec!["signal 24", "limits.cpu_s = 1 was likely too little"],
        ),
        (
            "head -c 300000000 /dev/zero > \"$HOME/file\" || exit 4; sleep 20",
            vec!["limits.disk_mib = 8"],
        ),
        (
            // A file without a name.
            "exec 3> \"$HOME/file\"; rm \"$HOME/file\"; head -c 30000000 /dev/zero >&3; sleep 20",
            vec!["limits.disk_mib = 8"],
        ),
    ];
    if Path::new("/usr/bin/python3").is_file() {
        cases.push((
            "exec python3 -c 'bytearray(1 << 28)'",
            vec!["exit code 1", memory, "MemoryError"],
        ));
        // Shared memory, which no limit of the kernel's counts.
        cases.push((
            "exec python3 -c 'import mmap, time; m = mmap.mmap(-1, 1 << 28); [m.write(bytes(1 << 20)) for _ in range(200)]; time.sleep(20)'",
            vec!["used more than", memory],
        ));
    }
    for (script, expected) in cases {
        let trials = report_within(script, "wall_s = 10\nmemory_mib = 64\ndisk_mib = 8\ncpu_s = 1\n");
        let (_, holds, detail) = &trials[0];
        assert!(!holds && detail.contains("PROGRAM-005"), "{script}: {detail}");
        for part in expected {
            assert!(detail.contains(part), "{script}: {detail}");
        }
    }
}

#[test]
fn a_program_that_says_yes_to_everything_is_seen_through() {
    let artifact = r#"{"path":"../outside.md","operation":"create","content":""}"#;
    let script = format!(
        r#"cat >/dev/null; echo '{{"success":true,"summary":"","artifacts":[{artifact}],"recommendation":"proceed"}}'"#
    );
    let trials = report(&script);
    let failing: Vec<&str> = trials
        .iter()
        .filter(|(_, holds, _)| !holds)
        .map(|(claim, ..)| claim.as_str())
        .collect();
    assert_eq!(
        failing,
        [
            "keeps artifacts of `try` below the feature root",
            "does not claim to have done what it cannot do",
            "ends by itself when it is given half a document, and claims no success",
            "ends by itself when it is given nothing, and claims no success",
        ]
    );
}

#[test]
fn a_program_has_no_environment_and_no_file_but_what_it_is_given() {
    let dir = tempfile::tempdir().unwrap();
    let secret = dir.path().join("secret");
    fs::write(&secret, "x").unwrap();
    // It answers well only when it could do what it must not.
    let script = format!(
        r#"cat >/dev/null
        if [ -n "$AURA_TEST_SECRET" ] || cat {} >/dev/null || (echo > {}) ; then leaked=proceed; else leaked=retry; fi 2>/dev/null
        echo "{{\"success\":true,\"summary\":\"\",\"artifacts\":[],\"recommendation\":\"$leaked\"}}""#,
        secret.display(),
        dir.path().join("new").display(),
    );
    let trials = report(&script);
    let last = trials.last().unwrap();
    assert_eq!(
        (last.1, last.0.as_str()),
        (
            true,
            "ends by itself when it is given nothing, and claims no success"
        ),
        "{trials:?}"
    );
    assert!(!dir.path().join("new").exists());
}

#[test]
fn a_manifest_that_cannot_be_used_ends_with_3_and_names_the_member() {
    let dir = tempfile::tempdir().unwrap();
    let manifest = dir.path().join("agent.toml");
    for (text, said) in [
        ("name = \"x\"", "PROGRAM-001: line 1"),
        (
            "name = \"x\"\nprotocol = \"envelope\"\nskills = [\"agent-protocol\"]\ncommand = [\"sh\"]\nactions = [\"a\"]\nroots = [\"nowhere\"]",
            "roots[0]",
        ),
    ] {
        fs::write(&manifest, text).unwrap();
        let done = check(&manifest);
        let stderr = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(3), "{stderr}");
        assert!(stderr.contains(said), "{stderr}");
    }
}

/// The report of a program that goes on, in shell: `$id` is what it is asked.
fn report_of_lines(answers: &str) -> Vec<(String, bool, String)> {
    let dir = tempfile::tempdir().unwrap();
    let script = format!(
        "while read -r line; do\n\
         case $line in *'\"cancel\":true'*) continue ;; esac\n\
         id=${{line#*\\\"id\\\":}}; id=${{id%%,*}}\n\
         case $line in *juggle*) can=retry ;; *) can=proceed ;; esac\n\
         good=\"{{\\\"id\\\":$id,\\\"message\\\":{{\\\"success\\\":true,\\\"summary\\\":\\\"\\\",\\\"artifacts\\\":[],\\\"recommendation\\\":\\\"$can\\\"}}}}\"\n\
         {answers}\ndone"
    );
    fs::write(dir.path().join("run.sh"), script).unwrap();
    let text = "name = \"tried\"\nprotocol = \"envelope\"\nmode = \"lines\"\nskills = [\"agent-protocol\"]\n\
                command = [\"sh\", \"run.sh\"]\nactions = [\"try\"]\n[limits]\nwall_s = 1\nmemory_mib = 64\n";
    fs::write(dir.path().join("agent.toml"), text).unwrap();
    trials(&check(&dir.path().join("agent.toml")))
}

#[test]
fn a_program_that_goes_on_is_tried_with_two_at_once_and_with_cancelling() {
    let claims = |trials: &[(String, bool, String)]| {
        let claims = trials.iter().map(|(claim, holds, _)| (claim.clone(), *holds));
        claims.collect::<Vec<_>>()
    };
    let all = |holds: [bool; 6]| {
        let claims = [
            "answers `try` with a message of its protocol",
            "keeps artifacts of `try` below the feature root",
            "takes no notice of members that it does not know",
            "does not claim to have done what it cannot do",
            "answers two askings at once, each under its id",
            "goes on after it was told to cancel something",
        ];
        claims
            .into_iter()
            .map(str::to_owned)
            .zip(holds)
            .collect::<Vec<_>>()
    };
    assert_eq!(claims(&report_of_lines("echo \"$good\"")), all([true; 6]));
    // Of the two at once it answers only the later one.
    let four = report_of_lines("n=$((n + 1)); [ $n = 4 ] || echo \"$good\"");
    assert_eq!(
        claims(&four),
        all([true, true, true, true, false, true]),
        "{four:?}"
    );
}
