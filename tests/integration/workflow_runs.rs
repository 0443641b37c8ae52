//! Runs of workflows, by the built binary and real programs.
//!
//! What: what an owner does with a run: watches, holds back, answers, ends, undoes; and agents that are asked alone. Why: these are the
//! sentences of `docs/agents/workflows.md`. Not here: a process that is killed (`workflow_kill.rs`), each rule by itself
//! (`orchestrator/machine/tests`).

use crate::support::{
    wait::until,
    workflows::{LEFT, Place, owned},
};
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead as _, BufReader},
    process::{Child, Stdio},
};

const RUN: [&str; 5] = ["workflow", "run", "whole", "--feature", "f1"];

/// Runs it, and says its exit code and the JSON that it printed, one value a line.
fn json_of(place: &Place, args: &[&str]) -> (i32, Vec<Value>) {
    let done = place.run(&[args, &["--json"]].concat());
    let text = String::from_utf8(done.stdout).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    (done.status.code().unwrap(), lines.collect())
}

fn stderr(done: &std::process::Output) -> String {
    String::from_utf8_lossy(&done.stderr).into_owned()
}

#[test]
fn a_run_prints_its_events_and_where_it_stands() {
    let place = Place::new();
    let (code, lines) = json_of(&place, &RUN);
    assert_eq!((code, place.files()), (0, owned(&LEFT)));
    let (last, events) = lines.split_last().unwrap();
    let names: Vec<&str> = events
        .iter()
        .map(|line| line["what"]["event"].as_str().unwrap())
        .collect();
    assert_eq!(
        (names.len(), &names[..5]),
        (21, &["started", "asked", "ended", "applying", "applied"][..])
    );
    for (event, n) in events.iter().zip(0_u64..) {
        assert_eq!((&event["n"], &event["run"]), (&json!(n), &last["run"]));
    }
    assert_eq!(
        (&last["phase"], &last["asked"], &last["changed"]),
        (
            &json!("completed"),
            &json!(6),
            &json!(["spec.md", "survey.md", "tests.md"])
        )
    );
    // What Aura measured stands beside what the agent says.
    let survey = events
        .iter()
        .find(|line| line["what"]["event"] == "ended" && line["what"]["of"]["step"] == "survey")
        .unwrap();
    assert_eq!(
        (
            &survey["what"]["claimed"],
            &survey["what"]["measured"]["messages"]
        ),
        (&json!({ "tokens_used": 7, "tools_called": [] }), &json!(1))
    );
    let (code, log) = json_of(&place, &["workflow", "log", "last"]);
    assert_eq!((code, log.as_slice()), (0, events));
    let (_, status) = json_of(&place, &["workflow", "status", "last"]);
    assert_eq!(status.first(), Some(last));
}

#[test]
fn a_dry_run_writes_nothing_until_it_is_resumed_and_undo_takes_all_back() {
    let place = Place::new();
    let held = place.run(&[&RUN[..], &["--dry-run"]].concat());
    let said = String::from_utf8(held.stdout).unwrap();
    assert_eq!((held.status.code(), place.files()), (Some(0), vec![]));
    assert!(
        said.contains("--- /dev/null\n+++ b/spec.md\n@@ -0,0 +1 @@\n+spec 1\n"),
        "{said}"
    );
    let (_, diff) = json_of(&place, &["workflow", "diff", "last"]);
    let spec = |text: &str| json!([{ "path": "spec.md", "after": text }]);
    assert_eq!(
        (&diff[0]["changed"], &diff[0]["to_write"]),
        (&json!([]), &spec("spec 1\n"))
    );
    assert_eq!(json_of(&place, &["workflow", "resume", "last"]).0, 0);
    assert_eq!(place.files(), owned(&LEFT));
    // Not over the owner's own work: all or nothing.
    place.set_files(&owned(&[("spec.md", "mine\n"), LEFT[1], LEFT[2]]));
    let refused = place.run(&["workflow", "undo", "last"]);
    assert_eq!((refused.status.code(), place.files().len()), (Some(1), 3));
    place.set_files(&owned(&LEFT));
    assert_eq!(json_of(&place, &["workflow", "undo", "last"]).0, 0);
    assert_eq!(place.files(), vec![]);
    assert_eq!(json_of(&place, &["workflow", "undo", "last"]).0, 1);
}

#[test]
fn a_question_waits_for_its_owner_and_putting_it_away_does_not_answer_it() {
    let place = Place::new();
    let (code, lines) = json_of(&place, &["workflow", "run", "asks", "--feature", "f1"]);
    assert_eq!(code, 5);
    let run = lines.last().unwrap()["run"].as_str().unwrap().to_owned();
    let (_, asked) = json_of(&place, &["inbox", "list"]);
    assert_eq!(
        (
            asked.len(),
            &asked[0]["question"]["summary"],
            &asked[0]["question"]["notes"]
        ),
        (1, &json!("Which way?"), &json!(["left or right"]))
    );
    assert_eq!(json_of(&place, &["inbox", "dismiss", &run[..8]]).0, 0);
    let (_, shown) = json_of(&place, &["inbox", "show", "last"]);
    assert_eq!(shown[0]["question"]["dismissed"], true);
    // Another answer than it wants: it asks once more.
    assert_eq!(json_of(&place, &["inbox", "answer", &run, "left"]).0, 5);
    let (code, _) = json_of(&place, &["inbox", "answer", &run, "go on", "--later"]);
    assert_eq!((code, json_of(&place, &["inbox", "list"]).1), (0, vec![]));
    assert_eq!(json_of(&place, &["workflow", "resume", &run]).0, 0);
    let again = place.run(&["inbox", "answer", &run, "go on"]);
    assert_eq!(again.status.code(), Some(1));
    assert!(stderr(&again).contains("WORKFLOW-002"), "{}", stderr(&again));
}

/// The run `asks`, whose agent waits until `hold` is gone; as soon as the agent is asked.
fn held(place: &Place) -> Child {
    fs::write(place.project().join("hold/hold"), "").unwrap();
    let child = place
        .aura(&["workflow", "run", "asks", "--feature", "f1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until("agent that is asked", || {
        (json_of(place, &["workflow", "log", "last"]).1.len() >= 2).then_some(())
    });
    child
}

#[test]
fn a_run_is_executed_once_and_cancel_ends_run_and_process() {
    let place = Place::new();
    let child = held(&place);
    let second = place.run(&["workflow", "resume", "last"]);
    assert_eq!(second.status.code(), Some(75));
    assert!(stderr(&second).contains("WORKFLOW-003"), "{}", stderr(&second));
    let (_, status) = json_of(&place, &["workflow", "status", "last"]);
    assert_eq!(
        (&status[0]["phase"], &status[0]["process"]),
        (&json!("working"), &json!(child.id()))
    );
    let follower = place
        .aura(&["workflow", "log", "last", "--follow"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    assert_eq!(json_of(&place, &["workflow", "cancel", "last"]).0, 0);
    let followed = follower.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&followed.stdout).ends_with("cancelled\n"));
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&done.stdout).ends_with("cancelled\n"));
    assert_eq!(json_of(&place, &["workflow", "resume", "last"]).0, 1);
}

#[test]
fn a_cancelled_run_starts_no_program_again() {
    let place = Place::new();
    let agents = place.project().join("agents.d");
    fs::write(agents.join("liner.sh"), "echo \"liner is started\" >&2").unwrap();
    let workflow = "name = \"dies\"\n[[step]]\nname = \"look\"\nagent = \"liner\"\ntask = \"research\"\nobjective = \"Find what there is\"\nmax_iterations = 10\n";
    fs::write(place.project().join("workflows/dies.toml"), workflow).unwrap();
    let mut child = place
        .aura(&["workflow", "run", "dies"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut started = || {
        lines
            .by_ref()
            .find(|line| line.as_ref().unwrap().contains("a program says"))
    };
    // Five restarts, and one after a second: the next one comes after two.
    for n in 1..=7 {
        assert!(started().is_some(), "{n}");
    }
    assert_eq!(json_of(&place, &["workflow", "cancel", "last"]).0, 0);
    assert!(started().is_none(), "it is started again");
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn a_run_that_is_interrupted_ends_its_programs_and_can_be_resumed() {
    let place = Place::new();
    let child = held(&place);
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(1), "{}", stderr(&done));
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(said.contains("Interrupted."), "{said}");
    fs::remove_file(place.project().join("hold/hold")).unwrap();
    // Its socket is gone with it.
    assert!(!place.data().join("aura.sock").exists());
    assert_eq!(json_of(&place, &["workflow", "resume", "last"]).0, 5);
}

#[test]
fn what_cannot_be_used_says_so_by_its_exit_code() {
    let place = Place::new();
    let file = place.project().join("workflows/whole.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("action = \"write\"", "action = \"paint\"")).unwrap();
    for (args, code, said) in [
        (&RUN[..], 3, "WORKFLOW-001: line 5"),
        (&["workflow", "check"], 1, ""),
        (&["workflow", "check", "asks"], 0, ""),
        (&["workflow", "run", "asks"], 2, "--feature"),
        (
            &["workflow", "run", "nothing", "--feature", "f1"],
            2,
            "WORKFLOW-006",
        ),
        (
            &["workflow", "run", "asks", "--feature", "../f1"],
            2,
            "invalid value",
        ),
        (&["workflow", "status", "last"], 1, "WORKFLOW-004"),
        (&["workflow", "list", "--project", "nowhere"], 2, "WORKFLOW-006"),
        (&["inbox", "answer", "last", "x"], 1, "WORKFLOW-004"),
    ] {
        let done = place.run(args);
        assert_eq!(done.status.code(), Some(code), "{args:?}: {}", stderr(&done));
        assert!(stderr(&done).contains(said), "{args:?}: {}", stderr(&done));
    }
    let (_, found) = json_of(&place, &["workflow", "check", "whole"]);
    assert_eq!(found[0]["findings"][0]["line"], 5);
    assert!(!place.data().exists(), "looking makes nothing");
}

#[test]
fn an_agent_that_goes_on_serves_a_group_and_says_how_far_it_is() {
    let place = Place::new();
    let (code, lines) = json_of(&place, &["workflow", "run", "lines"]);
    assert_eq!(code, 0, "{lines:?}");
    let of = |event: &str, step: &str| {
        let is = |line: &&Value| line["what"]["event"] == event && line["what"]["of"]["step"] == step;
        lines
            .iter()
            .filter(is)
            .map(|line| line["what"].clone())
            .collect::<Vec<_>>()
    };
    for (step, task) in [("look", "research"), ("try", "test")] {
        let (progressed, ended) = (of("progressed", step), of("ended", step));
        assert_eq!(
            (
                progressed.len(),
                &progressed[0]["response"]["status"],
                &ended[0]["measured"]["messages"]
            ),
            (1, &json!("processing"), &json!(2))
        );
        assert_eq!(
            ended[0]["answer"]["response"]["data"]["summary"],
            format!("Found for {task}")
        );
    }
}

#[test]
fn files_that_cannot_be_written_are_refused_kept_and_told_to_the_agent() {
    let place = Place::new();
    let spec = place.project().join("specs/f1/spec.md");
    // What is no plain file cannot be written, and nothing is.
    fs::create_dir(&spec).unwrap();
    let (code, lines) = json_of(&place, &RUN);
    assert_eq!((code, &lines.last().unwrap()["phase"]), (1, &json!("stopped")));
    let unwritten = lines.iter().filter(|line| line["what"]["event"] == "unwritten");
    let codes: Vec<&str> = unwritten
        .map(|line| line["what"]["refusal"]["code"].as_str().unwrap())
        .collect();
    assert!(
        codes.len() == 2 && codes.iter().all(|code| code.starts_with("ARTIFACT-")),
        "{codes:?}"
    );
    let (_, kept) = json_of(&place, &["quarantine", "list", "--kind", "messages"]);
    assert_eq!(kept.len(), 2, "{kept:?}");
    // Put right and resumed: one asking more.
    fs::remove_dir(&spec).unwrap();
    let (_, lines) = json_of(&place, &["workflow", "resume", "last"]);
    assert_eq!(lines[0]["what"]["event"], "resumed");
    assert_eq!(fs::read_to_string(&spec).unwrap(), "spec 3\n");
}

fn request(place: &Place, name: &str, mode: &str, task: &str, fail: bool) -> String {
    let request = json!({
        "meta": {
            "version": "1.0.0", "timestamp": "2025-09-06T10:00:00Z",
            "session_id": "550e8400-e29b-41d4-a716-446655440000", "agent_id": "research_001",
            "execution_mode": mode,
        },
        "request": {
            "task": { "type": task, "objective": "Find what there is", "constraints": { "time_limit_seconds": 30 } },
            "parameters": { "fail": fail },
        },
        "context": { "user_query": "What is there?", "previous_results": [] },
    });
    fs::write(place.project().join(name), request.to_string()).unwrap();
    name.to_owned()
}

#[test]
fn a_request_is_answered_at_once_later_or_beside_others() {
    let place = Place::new();
    let sync = request(&place, "sync.json", "sync", "research", false);
    let (code, answer) = json_of(&place, &["agent", "ask", "--agent", "surveyor", &sync]);
    assert_eq!(
        (code, &answer[0]["status"], &answer[0]["data"]),
        (
            0,
            &json!("completed"),
            &json!({ "summary": "Found for research" })
        )
    );
    // Measured, and nothing else beside what the agent claims.
    let meta = answer[0]["meta"].as_object().unwrap();
    assert!(meta["processing_time_ms"].is_u64(), "{meta:?}");
    assert_eq!(
        (meta.get("claimed"), meta.len()),
        (Some(&json!({ "tokens_used": 7 })), 2),
        "{meta:?}"
    );
    let fails = request(&place, "fails.json", "sync", "test", true);
    let (code, answer) = json_of(&place, &["agent", "ask", "--agent", "surveyor", &fails]);
    assert_eq!((code, &answer[0]["status"]), (1, &json!("failed")));

    let later = request(&place, "later.json", "async", "test", false);
    let (code, answer) = json_of(&place, &["agent", "ask", "--agent", "surveyor", &later]);
    assert_eq!((code, &answer[0]["status"]), (0, &json!("pending")));
    let id = answer[0]["id"].as_str().unwrap().to_owned();
    let (code, stream) = json_of(&place, &["agent", "stream", &id]);
    let rank = |value: &Value| {
        ["pending", "processing", "completed"]
            .iter()
            .position(|one| value["status"] == *one)
    };
    let ranks: Vec<usize> = stream.iter().map(|value| rank(value).unwrap()).collect();
    assert!(ranks.is_sorted() && ranks.last() == Some(&2), "{stream:?}");
    assert_eq!(
        (code, &json_of(&place, &["agent", "poll", &id]).1[0]),
        (0, stream.last().unwrap())
    );
    let waited = json_of(&place, &["agent", "ask", "--agent", "surveyor", &later, "--wait"]);
    assert_eq!((waited.0, &waited.1[0]["status"]), (0, &json!("completed")));

    let beside = |name, task, fail| request(&place, name, "parallel", task, fail);
    let (one, two, bad) = (
        beside("one.json", "research", false),
        beside("two.json", "test", false),
        beside("bad.json", "test", true),
    );
    for (requests, status, summary, code) in [
        ([&one, &two], "completed", "2 of 2 completed", 0),
        ([&one, &bad], "partial", "1 of 2 completed", 0),
        ([&bad, &bad], "failed", "0 of 2 completed", 1),
    ] {
        let (exit, joined) = json_of(
            &place,
            &["agent", "ask", "--agent", "surveyor", requests[0], requests[1]],
        );
        assert_eq!(
            (exit, &joined[0]["status"], &joined[0]["data"]["summary"]),
            (code, &json!(status), &json!(summary))
        );
    }
    let (_, joined) = json_of(&place, &["agent", "ask", "--agent", "surveyor", &one, &two]);
    let found = |task: &str| &joined[0]["results"][task][0]["data"]["summary"];
    assert_eq!(
        (found("research"), found("test")),
        (&json!("Found for research"), &json!("Found for test"))
    );
}

#[test]
fn a_request_that_nobody_serves_or_that_is_none_is_refused() {
    let place = Place::new();
    let ux = request(&place, "ux.json", "sync", "ux_design", false);
    let sync = request(&place, "sync.json", "sync", "research", false);
    fs::write(place.project().join("none.json"), "{}").unwrap();
    for (args, code, said) in [
        (&["agent", "ask", &ux][..], 3, "WORKFLOW-006"),
        (
            &["agent", "ask", &sync, "--agent", "writer"],
            3,
            "writer for research",
        ),
        (
            &["agent", "ask", "--agent", "surveyor", &sync, &sync],
            2,
            "parallel",
        ),
        (&["agent", "ask", "none.json"], 1, "PROTO-002"),
        (&["agent", "poll", "last"], 1, "WORKFLOW-004"),
    ] {
        let done = place.run(args);
        assert_eq!(done.status.code(), Some(code), "{args:?}: {}", stderr(&done));
        assert!(stderr(&done).contains(said), "{args:?}: {}", stderr(&done));
    }
}

#[test]
fn what_was_asked_in_the_background_can_be_ended() {
    let place = Place::new();
    let script = place.project().join("agents.d/surveyor.sh");
    fs::write(&script, "cat >/dev/null; sleep 600").unwrap();
    let later = request(&place, "later.json", "async", "test", false);
    let (_, answer) = json_of(&place, &["agent", "ask", "--agent", "surveyor", &later]);
    let id = answer[0]["id"].as_str().unwrap().to_owned();
    until("program at work", || {
        (json_of(&place, &["agent", "poll", &id]).1[0]["status"] == "processing").then_some(())
    });
    let (code, ended) = json_of(&place, &["agent", "stop", &id]);
    assert_eq!((code, &ended[0]["status"]), (0, &json!("failed")));
    // Who executed it is gone as well.
    until("end of the process", || {
        (json_of(&place, &["workflow", "status", &id]).1[0]["process"] == Value::Null).then_some(())
    });
}
