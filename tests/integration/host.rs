//! Asking anybody's programs, started by the built binary.
//!
//! What: each thing that a program can do when it is asked, in both modes, and what comes of it. Why: a workflow trusts no program and
//! hangs on none. Not here: `aura agent check` (`programs.rs`), what is written (`programs::feature`), the sandbox (`sandbox.rs`).

use crate::support::wait::until;
use aura_memory::quarantine::{
    MessageQuarantine, QuarantineKind, QuarantineLine, ReplayVerdict, list, replay,
};
use aura_process::WorkerProgram;
use aura_workflow::programs::{ProgramAgent, ProgramHost};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};
use tempfile::TempDir;
use toolcall_schema::rejection::RefusalReason;

const LONG: Duration = Duration::from_secs(20);

/// A project with one agent in shell, and a host for it.
struct Tried {
    dir: TempDir,
    agent: ProgramAgent,
    host: ProgramHost,
}

impl Tried {
    fn new(protocol: &str, mode: &str, script: &str) -> Self {
        let dir = TempDir::new().unwrap();
        let at = |path: &str| dir.path().join(path);
        for folder in ["agents.d", "specs/one", "programs", "data"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        fs::write(at("specs/one/spec.md"), "the spec\n").unwrap();
        fs::write(at("secret"), "secret\n").unwrap();
        fs::write(at("programs/run.sh"), script).unwrap();
        let asked = match protocol {
            "base" => "task_types = [\"research\"]",
            _ => "skills = [\"agent-protocol\"]\nactions = [\"try\"]",
        };
        let manifest = format!(
            "name = \"tried\"\nprotocol = \"{protocol}\"\nmode = \"{mode}\"\ncommand = [\"sh\", \"../programs/run.sh\"]\n\
             {asked}\nroots = [\"../specs\"]\n[limits]\nmemory_mib = 64\n"
        );
        fs::write(at("agents.d/tried.toml"), manifest).unwrap();
        let agent = ProgramAgent::load(&at("agents.d/tried.toml")).unwrap();
        let quarantine = MessageQuarantine::new(at("data"));
        let program = WorkerProgram(PathBuf::from(env!("CARGO_BIN_EXE_aura")));
        let host = ProgramHost::new(program, dir.path().to_owned(), at("scratch"), Some(quarantine));
        Self { dir, agent, host }
    }

    fn envelope(&self, word: &str, limit: Duration) -> Result<Value, RefusalReason> {
        let answered = self.host.envelope(&self.agent, &input(word), limit)?;
        assert_eq!(answered.measured.messages, 1);
        Ok(answered.message.value().clone())
    }

    /// The statuses on the way, the last message, and how many there were.
    fn base(&self, request: &Value, limit: Duration) -> (Vec<String>, Result<(Value, u64), RefusalReason>) {
        let mut seen = vec![];
        let mut note = |message: &toolcall_schema::protocol::ProtocolMessage<_>| {
            seen.push(message.value()["status"].as_str().unwrap().to_owned());
        };
        let answered = self.host.base(&self.agent, request, limit, &mut note);
        let answered =
            answered.map(|answered| (answered.message.value().clone(), answered.measured.messages));
        (seen, answered)
    }

    /// Code and beginning of what was said of each quarantined line.
    fn quarantined(&self) -> Vec<(String, String)> {
        let lines = list(&self.dir.path().join("data"), QuarantineKind::Messages).unwrap();
        let entries = lines.map(|line| match line.unwrap().1 {
            QuarantineLine::Entry(entry) => {
                assert_eq!(entry.program.as_deref(), Some("tried"));
                (entry.code, entry.raw)
            }
            QuarantineLine::Lost(_) | QuarantineLine::Unreadable { .. } | QuarantineLine::Torn { .. } => {
                unreachable!("only whole lines of ours")
            }
        });
        entries.collect()
    }
}

fn input(word: &str) -> Value {
    json!({
        "context": { "feature_id": "one", "workflow": "trial", "iteration": 1 },
        "paths": { "feature_root": "specs/one", "spec": "specs/one/spec.md" },
        "task": { "action": "try", "params": { "word": word } },
    })
}

fn request(format: Option<&str>) -> Value {
    let mut constraints = json!({ "max_iterations": 1, "time_limit_seconds": 30 });
    if let Some(format) = format {
        constraints["output_format"] = json!(format);
    }
    json!({
        "meta": {
            "version": "1.0.0",
            "timestamp": "2026-11-03T08:00:00Z",
            "session_id": "00000000-0000-4000-8000-000000000000",
            "agent_id": "TRY_001",
        },
        "request": {
            "task": { "type": "research", "objective": "Find out what happens", "constraints": constraints },
            "parameters": {},
        },
        "context": { "user_query": "?", "previous_results": [] },
    })
}

fn code<T: std::fmt::Debug>(answer: Result<T, RefusalReason>) -> String {
    answer.unwrap_err().code
}

/// An output envelope with these words in place of its members.
const GOOD: &str = r#"{"success":true,"summary":"done","artifacts":[],"recommendation":"proceed"}"#;

fn response(status: &str, data: &str) -> String {
    format!(r#"{{"status":"{status}","data":{data},"meta":{{}}}}"#)
}

#[test]
fn each_bad_answer_of_a_program_that_ends_has_its_code_and_is_kept() {
    let one_gib = "head -c 1073741824 /dev/zero".to_owned();
    let notes = vec!["x"; 65];
    for (script, expected, kept) in [
        ("exit 0".to_owned(), "PROGRAM-006", ""),
        ("exit 3".to_owned(), "PROGRAM-005", ""),
        (format!("echo '{GOOD}'; exit 3"), "PROGRAM-005", GOOD),
        ("kill -9 $$".to_owned(), "PROGRAM-005", ""),
        ("sleep 60".to_owned(), "PROGRAM-004", ""),
        ("yes ''".to_owned(), "PROGRAM-003", "\n\n"),
        (one_gib, "PROGRAM-003", "\0\0"),
        ("echo hello".to_owned(), "PROTO-001", "hello"),
        (format!("echo '{GOOD}{GOOD}'"), "PROTO-001", GOOD),
        ("echo '{\"a\":1,\"a\":1}'".to_owned(), "PROTO-001", "{\"a\":1"),
        ("echo '{}'".to_owned(), "PROTO-002", "{}"),
        (
            format!("echo '{}'", response("completed", "{}")),
            "PROTO-002",
            "{\"status\"",
        ),
        (
            format!("echo '{}'", GOOD.replace("true", "false")),
            "PROTO-004",
            "{\"success\":false",
        ),
        (
            format!(
                "echo '{}'",
                GOOD.replacen('{', &format!("{{\"notes\":{},", json!(notes)), 1)
            ),
            "PROTO-007",
            "{\"notes\"",
        ),
    ] {
        let tried = Tried::new("envelope", "once", &script);
        let why = tried.envelope("", Duration::from_secs(2)).unwrap_err();
        assert_eq!(why.code, expected, "{script:.60}: {why}");
        let quarantined = tried.quarantined();
        match (kept, quarantined.as_slice()) {
            ("", []) => {}
            (kept, [(code, raw)]) => {
                assert!(
                    code == expected && raw.starts_with(kept),
                    "{script:.60}: {code} {raw:.40}"
                );
                assert!(raw.len() <= 64 << 10);
            }
            (_, other) => unreachable!("{script:.60}: {} lines", other.len()),
        }
        assert_eq!(fs::read_dir(tried.dir.path().join("scratch")).unwrap().count(), 0);
    }
    // The most that this process ever held, in KiB: programs wrote to it for as long as they were let.
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let most = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    let kib: u64 = most.split_whitespace().next().unwrap().parse().unwrap();
    assert!(kib < 256 << 10, "{kib} KiB");
}

#[test]
fn each_response_is_held_against_what_was_asked() {
    let findings = r#"{"findings":[{"a":1}]}"#;
    for (format, status, data, expected) in [
        (None, "completed", "{}", None),
        (None, "pending", "{}", Some("PROTO-005")),
        (None, "processing", "{}", Some("PROTO-005")),
        (None, "failed", "{}", Some("PROTO-004")),
        (Some("markdown"), "completed", r##"{"summary":"# Found"}"##, None),
        (
            Some("markdown"),
            "completed",
            r#"{"summary":" \n"}"#,
            Some("PROTO-006"),
        ),
        (Some("markdown"), "partial", findings, Some("PROTO-006")),
        (Some("markdown"), "failed", r#"{"summary":""}"#, None),
        (Some("json"), "completed", r#"{"findings":[]}"#, None),
        (Some("json"), "completed", r#"{"findings":[1,"a"]}"#, None),
        (Some("json"), "completed", r#"{"summary":"x"}"#, Some("PROTO-006")),
        (Some("structured_data"), "completed", findings, None),
        (
            Some("structured_data"),
            "completed",
            r#"{"findings":[{},1]}"#,
            Some("PROTO-006"),
        ),
        (Some("structured_data"), "partial", "{}", Some("PROTO-006")),
    ] {
        let script = format!(
            "cat >/dev/null; printf '%s' '{}'",
            response(status, data).replace('\n', "\\n")
        );
        let tried = Tried::new("base", "once", &script);
        let (seen, answer) = tried.base(&request(format), LONG);
        let got = answer.err().map(|why| why.code);
        assert_eq!(
            (got.as_deref(), seen.len()),
            (expected, 0),
            "{format:?} {status} {data}"
        );
    }
}

#[test]
fn nobody_is_asked_for_what_the_manifest_does_not_name_or_may_not_read() {
    let tried = Tried::new("envelope", "once", &format!("echo '{GOOD}'"));
    let with = |pointer: &str, value: Value| {
        let mut input = input("");
        *input.pointer_mut(pointer).unwrap() = value;
        tried
            .host
            .envelope(&tried.agent, &input, LONG)
            .err()
            .map(|why| (why.code, why.pointer))
    };
    let refused = |code: &str, pointer: &str| Some((code.to_owned(), pointer.to_owned()));
    assert_eq!(with("/paths/spec", json!("specs/one/not-there-yet.md")), None);
    for outside in ["secret", "specs/../secret", "/etc/passwd", ".", "programs/run.sh"] {
        assert_eq!(
            with("/paths/spec", json!(outside)),
            refused("PROGRAM-007", "/paths/spec"),
            "{outside}"
        );
    }
    // Of a list each path is looked at.
    let list = json!(["specs/one/spec.md", "specs/one/not-there-yet.md"]);
    assert_eq!(with("/paths/spec", list), None);
    assert_eq!(
        with("/paths/spec", json!(["specs/one/spec.md", "secret"])),
        refused("PROGRAM-007", "/paths/spec/1")
    );
    assert_eq!(with("/context/feature_id", Value::Null), None);
    assert_eq!(
        with("/task/action", json!("juggle")),
        refused("PROGRAM-008", "/task/action")
    );
    assert_eq!(
        with("/task/action", json!(1)),
        refused("PROTO-002", "/task/action")
    );
    let (_, answer) = tried.base(&request(None), LONG);
    assert_eq!(code(answer), "PROGRAM-008", "another protocol");
    assert!(
        tried.quarantined().is_empty(),
        "none of it was said by the program"
    );
}

#[test]
fn a_program_works_in_the_project_reads_its_roots_and_writes_to_its_own_folder_alone() {
    // Each line that is not as it should be is printed before the answer, which makes it no message.
    let script = format!(
        r#"[ "$(cat specs/one/spec.md)" = "the spec" ] || echo spec
        cat secret 2>/dev/null && echo secret
        ls . >/dev/null 2>&1 && echo project
        (echo x > specs/one/new.md) 2>/dev/null && echo root
        (echo x > new) 2>/dev/null && echo folder
        [ "$TMPDIR" = "$HOME" ] && echo x > "$HOME/new" || echo home
        echo '{GOOD}'"#
    );
    for mode in ["once", "lines"] {
        let framed = script.replace(GOOD, &format!("{{\"id\":1,\"message\":{GOOD}}}"));
        let script = if mode == "once" {
            &script
        } else {
            &(framed + "\nread -r line")
        };
        let tried = Tried::new("envelope", mode, script);
        let answer = tried.envelope("", LONG);
        assert!(answer.is_ok(), "{mode}: {answer:?} {:?}", tried.quarantined());
        assert!(!tried.dir.path().join("new").exists());
    }
}

/// Reads frames; `$id` and `$word` of each, and `$cancel` when it is one.
const READ: &str = r#"
answer() { printf '{"id":%s,"message":%s}\n' "$1" "$2"; }
next() {
    read -r line || exit 0
    id=${line#*\"id\":}; id=${id%%,*}
    word=${line#*\"word\":\"}; word=${word%%\"*}
    case $line in *'"cancel":true'*) cancel=yes ;; *) cancel= ;; esac
}
"#;

fn saying(word: &str) -> String {
    GOOD.replace("done", word)
}

#[test]
fn answers_come_to_who_asked_in_whatever_order() {
    // It answers three at a time, the last one first.
    let good = saying("$w1").replace('"', "\\\"");
    let script = format!(
        "{READ}\nwhile :; do\nnext; i1=$id w1=$word; next; i2=$id w2=$word; next; i3=$id w3=$word\n\
         answer $i3 \"{}\"; answer $i2 \"{}\"; answer $i1 \"{good}\"\ndone",
        good.replace("$w1", "$w3"),
        good.replace("$w1", "$w2"),
    );
    let tried = Tried::new("envelope", "lines", &script);
    thread::scope(|scope| {
        let asked: Vec<_> = (0..12)
            .map(|n| {
                let (word, tried) = (format!("word{n}"), &tried);
                scope.spawn(move || (tried.envelope(&word, LONG).unwrap()["summary"].clone(), word))
            })
            .collect();
        for one in asked {
            let (summary, word) = one.join().unwrap();
            assert_eq!(summary, word);
        }
    });
    assert!(tried.quarantined().is_empty());
}

#[test]
fn statuses_on_the_way_are_seen_and_none_may_go_back() {
    let (pending, processing) = (
        response("pending", "{}"),
        response("processing", r#"{"summary":"half"}"#),
    );
    let (completed, failed) = (
        response("completed", r#"{"summary":"all"}"#),
        response("failed", r#"{"summary":"no"}"#),
    );
    let script = |messages: &[&String]| {
        let answers: Vec<String> = messages
            .iter()
            .map(|message| format!("answer $id '{message}'"))
            .collect();
        format!(
            "{READ}\nwhile :; do next; [ -n \"$cancel\" ] || {{ :; {}; }}; done",
            answers.join("; ") + if answers.is_empty() { ":" } else { "" }
        )
    };
    let limit = Duration::from_millis(1500);
    for (messages, seen, last, strays) in [
        (&[&completed][..], &[][..], Ok(("completed", 1)), 0),
        (
            &[&pending, &processing, &processing, &completed],
            &["pending", "processing", "processing"],
            Ok(("completed", 4)),
            0,
        ),
        (&[&failed, &completed], &[], Ok(("failed", 1)), 1),
        (
            &[&processing, &pending, &completed],
            &["processing"],
            Err("PROTO-005"),
            0,
        ),
        // Its time is over: the last that it said counts.
        (
            &[&pending, &processing],
            &["pending", "processing"],
            Ok(("partial", 2)),
            0,
        ),
        (&[], &[], Err("PROGRAM-004"), 0),
    ] {
        let tried = Tried::new("base", "lines", &script(messages));
        let limit = if strays > 0 || last.is_err() || last.is_ok_and(|(status, _)| status == "partial") {
            limit
        } else {
            LONG
        };
        let (got, answer) = tried.base(&request(None), limit);
        assert_eq!(got, seen);
        let answer = answer.map(|(message, count)| (message["status"].as_str().unwrap().to_owned(), count));
        let expected = last.map(|(status, count)| (status.to_owned(), count));
        assert_eq!(
            answer.map_err(|why| why.code),
            expected.map_err(str::to_owned),
            "{messages:?}"
        );
        if strays > 0 {
            // What came after the end is met by the reader, before the answer to what is asked next.
            let (_, again) = tried.base(&request(None), LONG);
            assert_eq!(again.unwrap().0["status"], "failed");
            let quarantined = tried.quarantined();
            assert!(quarantined.iter().all(|(code, _)| code == "PROTO-005") && !quarantined.is_empty());
        }
    }
}

#[test]
fn an_asking_that_is_given_up_is_cancelled_and_the_others_go_on() {
    // It never answers `stall`; it counts what it is told to cancel, and says so when it is asked.
    let script = format!(
        "{READ}\nn=0\nwhile :; do next; if [ -n \"$cancel\" ]; then n=$((n + 1)); answer $id '{GOOD}'\n\
         elif [ \"$word\" != stall ]; then answer $id \"{}\"; fi; done",
        saying("$word $n").replace('"', "\\\"")
    );
    let tried = Tried::new("envelope", "lines", &script);
    thread::scope(|scope| {
        let stalled = scope.spawn(|| code(tried.envelope("stall", Duration::from_millis(1500))));
        for _ in 0..20 {
            assert_eq!(tried.envelope("a", LONG).unwrap()["summary"], "a 0");
        }
        assert_eq!(stalled.join().unwrap(), "PROGRAM-004");
    });
    assert_eq!(tried.envelope("b", LONG).unwrap()["summary"], "b 1");
    // What it answered to the cancelled one is no fault.
    assert!(tried.quarantined().is_empty());
}

#[test]
fn a_line_that_nobody_asked_for_harms_nobody_and_is_kept() {
    let script = format!("{READ}\nwhile :; do next; answer 99 '{{}}'; answer $id '{GOOD}'; done");
    let tried = Tried::new("envelope", "lines", &script);
    for _ in 0..3 {
        tried.envelope("", LONG).unwrap();
    }
    let stray = ("PROTO-005".to_owned(), "{\"id\":99,\"message\":{}}\n".to_owned());
    assert_eq!(tried.quarantined(), vec![stray; 3]);
}

#[test]
fn a_program_that_dies_hangs_or_cannot_be_understood_fails_what_is_open_and_is_started_again() {
    let long = "head -c 5000000 /dev/zero | tr '\\\\0' x";
    for (bad, expected) in [
        ("exit 3", "PROGRAM-005"),
        ("kill -9 $$", "PROGRAM-005"),
        ("exec >&-; sleep 60", "PROGRAM-005"),
        ("echo debugging", "PROTO-001"),
        ("echo '{\"id\":1}'", "PROTO-001"),
        (long, "PROGRAM-003"),
        ("sleep 60", "PROGRAM-004"),
        ("while :; do :; done", "PROGRAM-004"),
    ] {
        let script = format!(
            "{READ}\nwhile :; do next; [ \"$word\" = bad ] && {{ {bad}; }}; answer $id '{GOOD}'; done"
        );
        let tried = Tried::new("envelope", "lines", &script);
        assert!(tried.envelope("good", LONG).is_ok(), "{bad}");
        let limit = if expected == "PROGRAM-004" {
            Duration::from_millis(500)
        } else {
            LONG
        };
        assert_eq!(code(tried.envelope("bad", limit)), expected, "{bad}");
        // The first may still meet the old one on its way out.
        let again = (0..10).any(|_| tried.envelope("good", LONG).is_ok());
        assert!(again, "{bad}: it was started again");
    }
}

#[test]
fn a_program_that_always_dies_rests_in_the_end_and_says_so() {
    let tried = Tried::new("envelope", "lines", "exit 1");
    // Five restarts, 0, 20, 40, 80 and 160 ms apart; then a rest of a second.
    for _ in 0..6 {
        let why = tried.envelope("", Duration::from_millis(900)).unwrap_err();
        assert!(
            why.code == "PROGRAM-005" && why.message.contains("exit code 1"),
            "{why}"
        );
    }
    let why = tried.envelope("", Duration::from_millis(900)).unwrap_err();
    assert!(
        why.code == "PROGRAM-005" && why.message.contains("rests"),
        "{why}"
    );
}

#[test]
fn what_is_kept_can_be_judged_again_by_its_protocol() {
    let bad = GOOD.replace("true", "false");
    let large = format!("{{\"x\":\"{}\"}}", "y".repeat(100_000));
    for (said, expected) in [(bad.as_str(), true), (large.as_str(), false)] {
        let script = format!("cat >/dev/null; cat {}", "specs/one/said.json");
        let tried = Tried::new("envelope", "once", &script);
        fs::write(tried.dir.path().join("specs/one/said.json"), said).unwrap();
        let refused = code(tried.envelope("", LONG));
        let lines = list(&tried.dir.path().join("data"), QuarantineKind::Messages).unwrap();
        let lines: Vec<_> = lines.map(|line| line.unwrap().1).collect();
        let [QuarantineLine::Entry(entry)] = lines.as_slice() else {
            unreachable!("one entry")
        };
        assert_eq!(entry.bytes, said.len() as u64);
        match replay(QuarantineKind::Messages, entry) {
            ReplayVerdict::Refused(error) => assert!(expected && error.code.as_str() == refused),
            ReplayVerdict::NotReplayable(_) => assert!(!expected, "it was cut"),
            other @ (ReplayVerdict::Passes | ReplayVerdict::PassesOtherwise) => unreachable!("{other:?}"),
        }
    }
}

#[test]
fn several_processes_keep_lines_at_once_and_none_is_torn() {
    let dir = TempDir::new().unwrap();
    let each = |n: usize| {
        let quarantine = MessageQuarantine::new(dir.path().to_owned());
        for i in 0..40 {
            let why = toolcall_schema::rejection::RefusalReason {
                code: "PROTO-001".to_owned(),
                pointer: String::new(),
                message: String::new(),
            };
            let who = ("tried", toolcall_schema::protocol::manifest::Protocol::Base);
            let said = format!("{n} {i} {}", "x".repeat(n * 300 + i));
            let ts = toolcall_schema::Timestamp::from_ms(1);
            quarantine.keep(ts, who, why, said.as_bytes()).unwrap();
        }
    };
    // Each opens its own lock file, as a process of its own would.
    thread::scope(|scope| {
        for n in 0..4 {
            scope.spawn(move || each(n));
        }
    });
    let lines = list(dir.path(), QuarantineKind::Messages).unwrap();
    let whole = lines
        .filter(|line| matches!(line, Ok((_, QuarantineLine::Entry(_)))))
        .count();
    assert_eq!(whole, 160);
}

#[test]
fn a_program_dies_with_aura_killed() {
    for mode in ["once", "lines"] {
        let tried = Tried::new("envelope", mode, "echo $$ > \"$HOME/pid\"; sleep 60; sleep 60");
        let tmp = tried.dir.path().join("tmp");
        fs::create_dir(&tmp).unwrap();
        let mut aura = std::process::Command::new(env!("CARGO_BIN_EXE_aura"))
            .args(["agent", "check"])
            .arg(tried.dir.path().join("agents.d/tried.toml"))
            .env("TMPDIR", &tmp)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let pid = until("process", || {
            find(&tmp, "pid").and_then(|path| fs::read_to_string(path).ok()?.trim().parse::<u32>().ok())
        });
        aura.kill().unwrap();
        aura.wait().unwrap();
        let gone = |pid: u32| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat"));
            stat.map_or(true, |stat| stat.contains(") Z "))
        };
        until("end of the process", || gone(pid).then_some(()));
    }
}

/// A file of that name below a folder.
fn find(dir: &Path, name: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(dir).ok()?.flatten();
    let mut paths = entries.map(|entry| entry.path());
    paths.find_map(|path| {
        if path.is_dir() {
            find(&path, name)
        } else {
            (path.file_name()? == name).then_some(path)
        }
    })
}
