//! Policy, settings and the owner's word, through the built binary.
//!
//! What: what was in force is kept, replayed, compared, decided again; policies are checked, shown and reloaded; pauses and
//! rules are said. Why: each is a promise of the command line. Not here: what a policy or a rule does (the machine's tests).

use crate::support::Service;
use aura_days::day::DayScript;
use aura_memory::{Vault, test_support, vault::NoPrompt};
use aura_runtime::journal::JournalReplay;
use orchestrator_machine::{Effect, EventKind, policy::DEFAULT_TEXT};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};
use tempfile::TempDir;

const DAYS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/days");

fn days() -> Vec<PathBuf> {
    let mut days: Vec<PathBuf> = fs::read_dir(DAYS)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    days.sort();
    days
}

fn aura(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_aura"))
        .args(args)
        .env_clear()
        .output()
        .unwrap()
}

fn out(done: &Output) -> String {
    String::from_utf8(done.stdout.clone()).unwrap()
}

fn err(done: &Output) -> String {
    String::from_utf8(done.stderr.clone()).unwrap()
}

fn json_of(done: &Output) -> Value {
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    serde_json::from_str(out(done).trim()).unwrap()
}

/// A data folder as a recorded day leaves it.
fn after(day: &Path) -> (TempDir, String) {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    DayScript::read(day).unwrap().play(&data).unwrap();
    let text = data.to_str().unwrap().to_owned();
    (dir, text)
}

#[test]
fn a_data_folder_is_replayed_to_the_same_bytes_from_the_folder_alone() {
    for day in days() {
        let (_dir, data) = after(&day);
        let expected = DayScript::read(&day).unwrap().day.expected.unwrap_or_default();
        let replayed = out(&aura(&["replay", &data, "--json"]));
        let is_call = |line: &str| {
            let trace: Value = serde_json::from_str(line).unwrap();
            !trace["decision"]["call"].is_null()
        };
        let (calls, ticks): (Vec<&str>, Vec<&str>) = replayed.lines().partition(|line| is_call(line));
        assert_eq!(ticks.len(), expected.len(), "{}", day.display());
        let done = aura(&["replay", &data, "--verify", "--json"]);
        assert_eq!(
            json_of(&done),
            json!({ "traces": ticks.len() + calls.len(), "different": 0, "not_compared": 0, "of_other_rules": 0 }),
            "{}",
            day.display()
        );
    }
}

fn edit(data: &Path, statement: &str) -> usize {
    test_support::edit(&Vault::open(data, &NoPrompt).unwrap(), statement).unwrap()
}

#[test]
fn a_trace_edited_by_hand_is_named_with_its_first_differing_place() {
    let (_dir, data) = after(&Path::new(DAYS).join("watch-timeout"));
    // The outcome of the only trace, by somebody who has the key.
    let edited = edit(
        Path::new(&data),
        "UPDATE traces SET json = replace(json, '\"outcome\":\"dismissed\"', '\"outcome\":\"confirmed\"')",
    );
    assert_eq!(edited, 1);
    let done = aura(&["replay", &data, "--verify"]);
    assert_eq!(done.status.code(), Some(1), "{done:?}");
    let said = out(&done);
    assert!(
        said.starts_with("JOUR-006: trace tr_")
            && said.contains("at \"/outcome\": what is stored is not what the journal makes"),
        "{said}"
    );
    assert!(said.ends_with("1 trace made again, 1 differ\n"), "{said}");
}

#[test]
fn what_comes_before_a_damage_is_shown_and_the_damage_is_named() {
    // An event that this build does not know: written by a newer one.
    let (_dir, data) = after(&Path::new(DAYS).join("budget-exhausted"));
    let edited = edit(
        Path::new(&data),
        "UPDATE events SET json = replace(json, '\"event\":\"phone_unlocked\"', '\"event\":\"phone_exploded\"')
         WHERE seq = (SELECT max(seq) FROM events WHERE json LIKE '%\"event\":\"phone_unlocked\"%')",
    );
    assert_eq!(edited, 1);
    let done = aura(&["replay", &data, "--json"]);
    assert_eq!(done.status.code(), Some(4), "{done:?}");
    assert!(err(&done).contains("JOUR-001: event "), "{}", err(&done));
    // Three ticks and the lesson of the first one's confirmation come before the second unlock.
    assert_eq!(out(&done).lines().count(), 4, "{}", out(&done));
}

#[test]
fn the_recorded_policy_would_have_decided_what_was_decided() {
    for day in days() {
        let (_dir, data) = after(&day);
        let mut journal =
            JournalReplay::open(&Vault::open(Path::new(&data), &NoPrompt).unwrap(), None).unwrap();
        let (mut other, mut decisions) = (None, 0);
        while let Some((_, event)) = journal.read().unwrap() {
            let env = journal.env().unwrap().clone();
            let before = journal.state().cloned();
            let effects = journal.apply(event.clone());
            let Some(before) = before else {
                assert!(matches!(event.what, EventKind::Started { .. }));
                continue;
            };
            let other = other.get_or_insert_with(|| {
                orchestrator_machine::whatif::WhatIf::new(
                    orchestrator_machine::whatif::ImaginedTerms::of_policy(env.policy.clone()),
                )
            });
            if let Some(pair) = other.follow_event(&env, &before, &event, &effects) {
                assert_eq!(pair.real, pair.other, "{}", day.display());
                decisions += 1;
            }
        }
        assert!(decisions > 0, "{}", day.display());
    }
}

#[test]
fn another_policy_adds_and_removes_what_its_numbers_say() {
    let dir = tempfile::tempdir().unwrap();
    let policy = dir.path().join("policy.toml");
    // (day, from, to, recorded, what if, a line that differs)
    for (day, from, to, recorded, what_if, line) in [
        // DRAFT_REPLY: 0.85 × 0.85 − 0.20 − 0.05 = 0.4725. Not shown, it spends nothing: at tick 4 the other draft is scored. The owner's
        // confirmation taught Comms +6 for the class and +3 for the quarter of the day: 0.859 × 0.85 − 0.25 = 0.480, too low again.
        (
            "budget-exhausted",
            "threshold = 0.45",
            "threshold = 0.481",
            1,
            0,
            "(now below_threshold at 0.473, threshold 0.481)",
        ),
        // BREATHE_478 at tick 1: 0.41, shown as the watch or phone is there; it holds back the mute five minutes later (0049).
        (
            "quiet-group-chat",
            "threshold = 0.45",
            "threshold = 0.41",
            2,
            2,
            "BREATHE_478 self score 0.410 (was below_threshold at 0.410, threshold 0.450)",
        ),
        // SURFACE_ANOMALY again at tick 2, without a window: 0.655 − 0.25 for being shown today = 0.405, still too low.
        ("spend-mirror", "window_min = 30", "window_min = 0", 1, 1, ""),
        // A card on the phone costs 0.30: the brief scores 0.85 × 0.85 − 0.30 = 0.4225.
        (
            "morning-brief",
            "PHONE_CARD = 0.20",
            "PHONE_CARD = 0.30",
            1,
            0,
            "(now below_threshold at 0.423, threshold 0.450)",
        ),
    ] {
        assert!(DEFAULT_TEXT.contains(from));
        fs::write(&policy, DEFAULT_TEXT.replace(from, to)).unwrap();
        let day = Path::new(DAYS).join(day);
        let args = [
            "replay",
            day.to_str().unwrap(),
            "--what-if",
            policy.to_str().unwrap(),
        ];
        let answer = json_of(&aura(&[&args[..], &["--json"]].concat()));
        assert_eq!(
            [&answer["recorded"], &answer["what_if"]],
            [&json!(recorded), &json!(what_if)],
            "{answer}"
        );
        let text = out(&aura(&args));
        assert!(text.contains(line), "{text}");
        // The day, what differs in it, and the sum.
        let differences = answer["days"][0]["differences"].as_array().unwrap().len();
        assert_eq!(differences == 0, line.is_empty(), "{text}");
        assert_eq!(text.lines().count(), 2 + differences, "{text}");
        // Twice the same.
        assert_eq!(out(&aura(&args)), text);
    }
}

#[test]
fn what_another_policy_shows_at_another_time_has_moved() {
    let dir = tempfile::tempdir().unwrap();
    let policy = dir.path().join("policy.toml");
    let text = DEFAULT_TEXT.replace("window_min = 30", "window_min = 10");
    fs::write(&policy, text).unwrap();
    // The draft is seen at 14:31. With a window of 10 minutes the leave-by need not wait for 15:01: the interval of 14:44
    // shows it, 0.80 × 0.85 − 0.20 = 0.480. At 15:01 it was shown once today, 17 minutes ago: 0.480 − 0.25 = 0.230.
    let day = Path::new(DAYS).join("window-then-leave-by");
    let args = [
        "replay",
        day.to_str().unwrap(),
        "--what-if",
        policy.to_str().unwrap(),
    ];
    let answer = json_of(&aura(&[&args[..], &["--json"]].concat()));
    let counts = ["recorded", "what_if", "added", "removed", "moved", "changed"].map(|name| &answer[name]);
    assert_eq!(counts, [2, 2, 0, 0, 1, 0].map(Value::from).each_ref(), "{answer}");
    let moved = &answer["days"][0]["differences"][0];
    let at = |name: &str| toolcall_schema::Timestamp::parse(moved[name].as_str().unwrap()).unwrap();
    let clock = |text: &str| toolcall_schema::Timestamp::parse(text).unwrap();
    assert_eq!(
        [at("at"), at("moved_to")],
        [
            clock("2026-11-03T15:01:00+05:30"),
            clock("2026-11-03T14:44:00+05:30")
        ]
    );
    let said = out(&aura(&args));
    let line = said
        .lines()
        .find(|line| line.trim_start().starts_with('~'))
        .unwrap();
    for part in [
        "15:01",
        "→ 14:44",
        "LEAVE_BY_ALERT",
        "score 0.480 (now below_threshold at 0.230, threshold 0.450)",
    ] {
        assert!(line.contains(part), "{line}");
    }
}

/// A program that ends with the test.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_hangup_reads_the_policy_again_and_a_bad_one_is_refused_with_the_old_kept() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (home, data, policy) = (path("home.toml"), path("data"), path("policy.toml"));
    fs::write(&home, "zone = \"UTC\"\n").unwrap();
    fs::write(&policy, DEFAULT_TEXT).unwrap();
    let mut service = Killed(
        Command::new(env!("CARGO_BIN_EXE_aura"))
            .args(["run", "--port", "0", "--json", "--home", &home])
            .args(["--data", &data, "--policy", &policy])
            .env("AURA_KEY_FILE", path("key-file"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap(),
    );
    let mut ready = String::new();
    let mut stdout = BufReader::new(service.0.stdout.take().unwrap());
    stdout.read_line(&mut ready).unwrap();
    let mut log = BufReader::new(service.0.stderr.take().unwrap()).lines();
    let pid = service.0.id();
    let hang_up = || {
        let kill = format!("kill -HUP {pid}");
        let done = Command::new("sh").args(["-c", &kill]).status().unwrap();
        assert!(done.success());
    };
    let hash = || json_of(&aura(&["tick", "--json", "--data", &data]))["decision"]["policy_hash"].clone();
    let old = hash();

    fs::write(
        &policy,
        DEFAULT_TEXT.replace("threshold = 0.45", "threshold = 45"),
    )
    .unwrap();
    hang_up();
    let refused = log
        .find(|line| line.as_ref().unwrap().contains("nothing was changed"))
        .unwrap()
        .unwrap();
    assert!(
        refused.contains("POLICY-005: line 11, column 13: threshold must be from 0.0 to 1.0"),
        "{refused}"
    );
    assert_eq!(hash(), old);

    fs::write(
        &policy,
        DEFAULT_TEXT.replace("threshold = 0.45", "threshold = 0.5"),
    )
    .unwrap();
    hang_up();
    assert!((0..200).any(|_| hash() != old), "the new policy is in force");
}

#[test]
fn a_policy_is_checked_shown_and_compared() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mine.toml");
    let file = path.to_str().unwrap();
    fs::write(
        &path,
        DEFAULT_TEXT
            .replace("threshold = 0.45", "threshold = 1.5")
            .replace("dnd = 1.0", "dmd = 1.0"),
    )
    .unwrap();
    let done = aura(&["policy", "check", file]);
    assert_eq!(done.status.code(), Some(1));
    let said = out(&done);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(
        lines[0],
        format!("{file}:11:13: POLICY-005: threshold must be from 0.0 to 1.0")
    );
    assert!(
        lines[1].contains(": POLICY-002: unknown key \"dmd\"; [cost] may hold"),
        "{said}"
    );
    assert!(lines[2].contains(": POLICY-003: cost.dnd is missing"), "{said}");

    fs::write(
        &path,
        DEFAULT_TEXT
            .replace("threshold = 0.45", "threshold = 0.5")
            .replace("window_min = 30", "window_min = 45"),
    )
    .unwrap();
    assert_eq!(aura(&["policy", "check", file]).status.code(), Some(0));
    let answer = json_of(&aura(&["policy", "diff", "default", file, "--json"]));
    assert_eq!(
        answer["differences"],
        json!([
            { "key": "threshold", "a": "0.45", "b": "0.5", "means": "the least score that passes, itself included" },
            { "key": "caps.window_min", "a": "30 min", "b": "45 min", "means": "in so long at most one proactive surface is shown" },
        ])
    );
    assert_eq!(
        out(&aura(&["policy", "show", "--default"])).trim_end(),
        DEFAULT_TEXT.trim_end()
    );
    assert_eq!(
        aura(&["policy", "show", "--hash", "0123456789", "--data", file])
            .status
            .code(),
        Some(4)
    );
    let home = dir.path().join("home.toml");
    fs::write(&home, "zone = \"UTC\"\n").unwrap();
    fs::write(&path, "threshold = 1").unwrap();
    let done = aura(&[
        "run",
        "--home",
        home.to_str().unwrap(),
        "--data",
        dir.path().join("data").to_str().unwrap(),
        "--key-file",
        dir.path().join("key-file").to_str().unwrap(),
        "--policy",
        file,
    ]);
    assert_eq!(done.status.code(), Some(3));
    assert!(
        err(&done).contains("CONF-004")
            && err(&done).contains("mine.toml")
            && err(&done).contains("POLICY-003: line 1"),
        "{}",
        err(&done)
    );
}

/// A service with a policy file of its own.
struct Running {
    dir: TempDir,
    data: String,
    service: Service,
}

impl Running {
    fn start() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (home, data, policy) = (
            dir.path().join("home.toml"),
            dir.path().join("data"),
            dir.path().join("policy.toml"),
        );
        fs::write(&home, "zone = \"Asia/Kolkata\"\n").unwrap();
        fs::write(&policy, DEFAULT_TEXT).unwrap();
        let service = Service::start_with(&home, &data, &["--policy", policy.to_str().unwrap()]);
        let data = data.to_str().unwrap().to_owned();
        Self { dir, data, service }
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.dir.path().join(name), text).unwrap();
    }

    fn ask(&self, args: &[&str]) -> Output {
        aura(&[args, &["--data", &self.data]].concat())
    }
}

#[test]
fn a_reload_is_in_force_from_the_next_idle_on_and_a_bad_file_changes_nothing() {
    let running = Running::start();
    let first = json_of(&running.ask(&["tick", "--json"]));
    running.write(
        "policy.toml",
        &DEFAULT_TEXT.replace("threshold = 0.45", "threshold = 45"),
    );
    let done = running.ask(&["policy", "reload"]);
    assert_eq!(done.status.code(), Some(3), "{done:?}");
    assert!(
        err(&done).contains("policy.toml: POLICY-005: line 11, column 13: threshold must be from 0.0 to 1.0"),
        "{}",
        err(&done)
    );

    running.write(
        "policy.toml",
        &DEFAULT_TEXT.replace("threshold = 0.45", "threshold = 0.5"),
    );
    running.write("home.toml", "zone = \"Asia/Kolkata\"\nceiling = 2\n");
    let reloaded = json_of(&running.ask(&["policy", "reload", "--json"]));
    assert_eq!(
        [&reloaded["policy_changed"], &reloaded["settings_changed"]],
        [&json!(true), &json!(true)]
    );
    let second = json_of(&running.ask(&["tick", "--json"]));
    assert_eq!(second["decision"]["policy_hash"], reloaded["policy_hash"]);
    assert_ne!(first["decision"]["policy_hash"], reloaded["policy_hash"]);
    // The lower ceiling counts at once.
    assert_eq!(
        [
            &second["ledger_after"]["ceiling"],
            &second["ledger_after"]["free"]
        ],
        [&json!(2), &json!(2)]
    );
    let again = json_of(&running.ask(&["policy", "reload", "--json"]));
    assert_eq!(
        [&again["policy_changed"], &again["settings_changed"]],
        [&json!(false), &json!(false)]
    );
    // Both texts are kept, and both decisions are made again under their own.
    let hash = first["decision"]["policy_hash"].as_str().unwrap();
    assert_eq!(
        out(&running.ask(&["policy", "show", "--hash", &hash[..12]])).trim_end(),
        DEFAULT_TEXT.trim_end()
    );
    let shown = out(&running.ask(&["policy", "show"]));
    assert!(shown.contains("threshold = 0.5"), "{shown}");
    let data = running.data.clone();
    assert_eq!(
        json_of(&aura(&["replay", &data, "--verify", "--json"]))["different"],
        0
    );
    let Running { dir, service, .. } = running;
    service.kill();
    // And a start rebuilds that past under the terms of its time.
    let service = Service::start(&dir.path().join("home.toml"), Path::new(&data));
    assert_eq!(service.now()["ledger"]["ceiling"], 2);
    service.kill();
    let mut journal = JournalReplay::open(&Vault::open(Path::new(&data), &NoPrompt).unwrap(), None).unwrap();
    // A trace whose keeping was not in the journal yet is kept once more, with the same bytes.
    let mut traces = BTreeSet::new();
    while let Some((_, event)) = journal.read().unwrap() {
        for effect in journal.apply(event) {
            if let Effect::KeepTrace(trace) = effect {
                traces.insert(serde_json::to_string(&trace).unwrap());
            }
        }
    }
    assert_eq!(traces.len(), 2);
}

#[test]
fn pauses_and_rules_are_said_to_the_service_and_to_a_folder_without_one() {
    let running = Running::start();
    assert_eq!(out(&running.ask(&["pause", "show"])), "Not paused.\n");
    for (args, code) in [
        (&["pause", "soon"][..], 2),
        (&["pause", "0m"], 2),
        (&["pause", "40d"], 1),
        (&["rule", "add", "Night!", "--hours", "22:00-07:00"], 2),
        (&["rule", "add", "all"], 2),
        (&["rule", "add", "odd", "--hours", "9:00-9:00"], 2),
        (&["rule", "add", "odd", "--kind", "SING"], 2),
        (&["rule", "remove", "nothing"], 1),
        (&["rule", "show", "nothing"], 1),
    ] {
        let done = running.ask(args);
        assert_eq!(done.status.code(), Some(code), "{args:?} {done:?}");
    }
    let paused = json_of(&running.ask(&["pause", "2h", "--json"]));
    assert_ne!(paused["paused_until"], Value::Null);
    assert_eq!(running.service.now()["paused_until"], paused["paused_until"]);
    let night = running.ask(&[
        "rule",
        "add",
        "night",
        "--kind",
        "SHOW_BRIEF",
        "--kind",
        "BATCH_DIGEST",
        "--hours",
        "22:00-07:00",
        "--days",
        "mon-fri",
    ]);
    assert_eq!(
        out(&night),
        "night: Aura does not show SHOW_BRIEF or BATCH_DIGEST from 22:00 to 07:00 on mon, tue, wed, thu, fri.\n"
    );
    // What the page says stands beside it, and is taken back there.
    let post = |path: &str, body: Value| running.service.request("POST", path, Some(&body));
    let (status, made) = post("/v1/rules", json!({ "kind": "NAP_15", "days": [7] }));
    assert_eq!((status, &made["name"]), (201, &json!("nap-15-1")), "{made}");
    assert_eq!(out(&running.ask(&["rule", "list", "--json"])).lines().count(), 2);
    assert_eq!(post("/v1/rules/nap-15-1/remove", json!({})).0, 204);
    assert_eq!(post("/v1/rules/nap-15-1/remove", json!({})).0, 404);
    // Taken back by a tool, in a trace.
    let (_, traces) = running.service.request("GET", "/v1/traces?limit=5", None);
    let removed = &traces[0]["tool_calls"][0];
    assert_eq!(
        (&removed["tool"], &removed["args"]),
        (&json!("orchestrator.remove_rule"), &json!({ "name": "nap-15-1" })),
        "{traces}"
    );
    let Running { dir, data, service } = running;
    service.kill();

    // The folder alone: what was said is there, and more can be said.
    let home = dir.path().join("home.toml");
    let home = home.to_str().unwrap();
    let ask = |args: &[&str]| aura(&[args, &["--data", &data, "--home", home]].concat());
    assert_eq!(
        json_of(&ask(&["pause", "show", "--json"]))["paused_until"],
        paused["paused_until"]
    );
    let rule = json_of(&ask(&["rule", "show", "night", "--json"]));
    assert_eq!(
        rule,
        json!({ "name": "night", "kinds": ["SHOW_BRIEF", "BATCH_DIGEST"], "hours": ["22:00:00", "07:00:00"], "days": [1, 2, 3, 4, 5] })
    );
    assert_eq!(out(&ask(&["pause", "off"])), "Not paused.\n");
    assert_eq!(out(&ask(&["rule", "remove", "night"])), "No rule stands.\n");
    let service = Service::start(Path::new(home), Path::new(&data));
    assert_eq!(service.now()["paused_until"], Value::Null);
    assert_eq!(out(&ask(&["rule", "list"])), "No rule stands.\n");
    service.kill();
}

#[test]
fn a_silence_between_two_looks_is_explained_too() {
    let (_dir, data) = after(&Path::new(DAYS).join("quiet-group-chat"));
    // The mute was confirmed at tick 2; ten minutes later nothing happens, and its card keeps others away for half an hour.
    let shown = aura(&["trace", "list", "--data", &data, "--json"]);
    let ticks: Vec<Value> = out(&shown)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mute = ticks
        .iter()
        .find(|tick| tick["chosen"] == "MUTE_GROUP_30")
        .unwrap();
    let at = toolcall_schema::Timestamp::parse(mute["at"].as_str().unwrap())
        .unwrap()
        .plus_min(10);
    let why = json_of(&aura(&[
        "trace",
        "why",
        "--at",
        &at.to_string(),
        "--data",
        &data,
        "--json",
    ]));
    let moment = &why["moment"];
    assert_eq!(
        [
            &moment["state"],
            &moment["muted_channels"],
            &moment["paused_until"]
        ],
        [&json!("Idle"), &json!(1), &Value::Null],
        "{moment}"
    );
    let until = toolcall_schema::Timestamp::parse(moment["window_until"].as_str().unwrap()).unwrap();
    // It was shown at the moment of the decision: 30 minutes from then, 20 from now.
    assert_eq!(until.since(at), 20 * 60_000);
    let text = out(&aura(&["trace", "why", "--at", &at.to_string(), "--data", &data]));
    assert!(
        text.contains("nothing that starts a look had happened since the last one")
            && text.contains("The last card kept others away until"),
        "{text}"
    );
    // BREATHE_478 at tick 1 scored 0.41: 1.0 × 0.7 × 0.8 − 0.15 or the like; 0.04 were missing.
    let first = ticks.iter().find(|tick| tick["tick"] == 1).unwrap();
    let why = json_of(&aura(&[
        "trace",
        "why",
        first["trace_id"].as_str().unwrap(),
        "--data",
        &data,
        "--json",
    ]));
    let breathe = &why["candidates"][0];
    let needed = breathe["needed"].as_str().unwrap();
    assert!(needed.starts_with("With a confidence of 0."), "{needed}");
    // (0.45 + 0.10 + 0.05) / M, and M is 0.56 / its confidence.
    assert_eq!(breathe["margin"], json!(-0.04));
}

#[test]
fn only_the_days_that_are_asked_for_are_decided_again() {
    let dir = tempfile::tempdir().unwrap();
    let policy = dir.path().join("policy.toml");
    fs::write(
        &policy,
        DEFAULT_TEXT.replace("threshold = 0.45", "threshold = 0.479"),
    )
    .unwrap();
    let day = Path::new(DAYS).join("budget-exhausted");
    let ask = |from: &str, to: &str| {
        let args = [
            "replay",
            day.to_str().unwrap(),
            "--what-if",
            policy.to_str().unwrap(),
            "--from",
            from,
            "--to",
            to,
            "--json",
        ];
        aura(&args)
    };
    let start = DayScript::read(&day).unwrap().day.day.start.utc().date_naive();
    let (before, after) = (start - chrono::Days::new(9), start + chrono::Days::new(9));
    assert_eq!(
        json_of(&ask(&before.to_string(), &after.to_string()))["removed"],
        1
    );
    let earlier = before - chrono::Days::new(9);
    assert_eq!(
        json_of(&ask(&earlier.to_string(), &before.to_string()))["days"],
        json!([])
    );
    assert_eq!(
        json_of(&ask(&after.to_string(), &after.to_string()))["days"],
        json!([])
    );
    assert_eq!(
        ask(&after.to_string(), &before.to_string()).status.code(),
        Some(2)
    );
}
