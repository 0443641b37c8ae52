//! Agents in processes of their own, through the built binary.
//!
//! What: processes that are killed, stopped, fed what is no frame, and that grow or spin past their limits (`children/alone`
//! without a service, and here under one). Why: whatever one of them does, the others and the service go on, and nothing is
//! left running. Not here: how often one is started again (`orchestrator_machine::supervision`), what agents do.

mod alone;
mod intake;

use crate::support::{Service, wait::until};
use aura_process::fork_server::process_of;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::Command,
};
use tempfile::TempDir;

const AGENTS: [&str; 4] = ["calendar", "comms", "finance", "wellness"];

fn send(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), signal).unwrap();
}

/// Whether a process is there; one that has ended and was not waited for is not.
fn lives(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat
        .rsplit_once(')')
        .map(|(_, rest)| rest.trim_start().chars().next());
    !matches!(state, None | Some(None | Some('Z' | 'X')))
}

/// A field of `/proc/PID/stat`, counted from 1 as its manual does; from the third on.
fn stat(pid: u32, field: usize) -> String {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let rest = stat.rsplit_once(')').unwrap().1;
    rest.split_whitespace().nth(field - 3).unwrap().to_owned()
}

struct Home(TempDir);

impl Home {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("home.toml"), "zone = \"UTC\"\n").unwrap();
        Self(dir)
    }

    fn data(&self) -> PathBuf {
        self.0.path().join("data")
    }

    fn start(&self) -> Service {
        Service::start(&self.0.path().join("home.toml"), &self.data())
    }
}

/// The one JSON document that a command prints.
fn asked(args: &[&str], data: &Path) -> Value {
    let done = Command::new(env!("CARGO_BIN_EXE_aura"))
        .args(args)
        .args(["--json", "--data"])
        .arg(data)
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    serde_json::from_slice(&done.stdout).unwrap()
}

fn service_pid(service: &Service) -> u32 {
    service.pid().as_raw_nonzero().get().cast_unsigned()
}

/// The process that a service's agents are forked from.
fn forks(service: &Service) -> u32 {
    until("what agents are forked from", || {
        process_of(service_pid(service), None)
    })
}

/// The process of an agent, once it is ready.
fn process(data: &Path, agent: &str) -> u32 {
    until("process", || {
        let status = asked(&["status"], data);
        status["processes"][agent]["pid"].as_u64()
    })
    .try_into()
    .unwrap()
}

fn restarts(data: &Path, agent: &str) -> u64 {
    asked(&["status"], data)["processes"][agent]["restarts"]
        .as_u64()
        .unwrap()
}

/// How each agent took part in a tick, in the order of their names.
fn statuses(trace: &Value) -> Vec<(String, String)> {
    let status = trace["decision"]["agent_status"]
        .as_object()
        .unwrap_or_else(|| panic!("{trace}"));
    let mut all: Vec<_> = status
        .iter()
        .map(|(agent, status)| (agent.clone(), status.as_str().unwrap_or_default().to_owned()))
        .collect();
    all.sort();
    all
}

#[test]
fn each_agent_is_a_process_of_its_own_group_with_its_limits() {
    let home = Home::new();
    let service = home.start();
    let pids = AGENTS.map(|agent| process(&home.data(), agent));
    for pid in pids {
        assert_eq!(stat(pid, 5), pid.to_string(), "its own group");
        assert_eq!(
            stat(pid, 4),
            service_pid(&service).to_string(),
            "the service's child"
        );
        // `Max NAME SOFT HARD UNITS`, as the kernel prints them.
        let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).unwrap();
        let limit = |name: &str| -> Vec<String> {
            let line = limits.lines().find(|line| line.starts_with(name)).unwrap();
            let values = line.strip_prefix(name).unwrap().split_whitespace();
            values.take(2).map(str::to_owned).collect()
        };
        assert_eq!(limit("Max address space"), ["1073741824", "1073741824"]);
        assert_eq!(limit("Max open files"), ["64", "64"]);
        assert_eq!(limit("Max core file size"), ["0", "0"]);
    }
    // Each answers.
    let trace = asked(&["tick"], &home.data());
    let expected = AGENTS.map(|agent| (agent.to_owned(), "answered".to_owned()));
    assert_eq!(statuses(&trace), expected);
    service.kill();
}

#[test]
fn an_agent_that_is_killed_is_started_again_and_the_ticks_go_on() {
    let home = Home::new();
    let service = home.start();
    for killed in 1..=3 {
        let pid = process(&home.data(), "comms");
        send(pid, Signal::KILL);
        let trace = asked(&["tick"], &home.data());
        let (agents, how): (Vec<_>, Vec<_>) = statuses(&trace).into_iter().unzip();
        assert_eq!(agents, AGENTS, "all four were asked");
        // The one that was killed had answered before, failed, or answers from its new life; the others are untouched.
        assert!(["answered", "failed"].contains(&how[1].as_str()), "{how:?}");
        assert_eq!([&how[0], &how[2], &how[3]], ["answered"; 3]);
        until("new process", || {
            (restarts(&home.data(), "comms") == killed).then_some(())
        });
        assert_ne!(process(&home.data(), "comms"), pid);
    }
    let status = asked(&["status"], &home.data());
    assert_eq!(status["processes"]["comms"]["last_end"], "it ended (signal 9)");
    assert_eq!(status["processes"]["comms"]["set_aside"], serde_json::json!([]));
    for agent in ["calendar", "finance", "wellness"] {
        assert_eq!(status["processes"][agent]["restarts"], 0, "{agent}");
    }
    service.kill();
}

#[test]
fn an_agent_that_is_stopped_is_noticed_and_replaced() {
    let home = Home::new();
    let service = home.start();
    let pid = process(&home.data(), "wellness");
    send(pid, Signal::STOP);
    until("end of the stopped process", || (!lives(pid)).then_some(()));
    assert_ne!(process(&home.data(), "wellness"), pid);
    let status = asked(&["status"], &home.data());
    // By a ping, or by a call that was under way.
    let how = status["processes"]["wellness"]["last_end"].as_str().unwrap();
    assert!(
        [
            "it hung: no answer to a ping in time (signal 9)",
            "it was stopped by somebody (signal 9)"
        ]
        .contains(&how),
        "{how}"
    );
    service.kill();
}

#[test]
fn agents_live_on_without_the_process_they_were_forked_from_and_the_next_ones_have_another() {
    let home = Home::new();
    let service = home.start();
    let pids = AGENTS.map(|agent| process(&home.data(), agent));
    let first = forks(&service);
    // One that hangs is given up, one that was killed is noticed: nobody is asked for an agent before there is need of one.
    for (signal, agent) in [(Signal::KILL, 1), (Signal::STOP, 2)] {
        let before = forks(&service);
        send(before, signal);
        let trace = asked(&["tick"], &home.data());
        let expected = AGENTS.map(|agent| (agent.to_owned(), "answered".to_owned()));
        assert_eq!(statuses(&trace), expected, "nobody needs it to answer");
        let pid = process(&home.data(), AGENTS[agent]);
        send(pid, Signal::KILL);
        until("new agent", || {
            (process(&home.data(), AGENTS[agent]) != pid).then_some(())
        });
        assert_ne!(forks(&service), before);
        assert!(!lives(before));
    }
    assert_ne!(forks(&service), first);
    assert_eq!(process(&home.data(), AGENTS[0]), pids[0]);
    assert_eq!(process(&home.data(), AGENTS[3]), pids[3]);
    service.kill();
}

#[test]
fn an_agent_has_nothing_open_but_its_own_socket_and_output() {
    let home = Home::new();
    let service = home.start();
    for agent in AGENTS {
        let pid = process(&home.data(), agent);
        // Another user than root may not look.
        let Ok(open) = std::fs::read_dir(format!("/proc/{pid}/fd")) else {
            continue;
        };
        let open: BTreeSet<_> = open
            .map(|entry| std::fs::read_link(entry.unwrap().path()).unwrap())
            .collect();
        let kinds: Vec<_> = open
            .iter()
            .filter_map(|file| Some(file.to_str()?.split_once(':')?.0))
            .collect();
        assert_eq!(kinds, ["pipe", "pipe", "socket"], "{agent}: {open:?}");
    }
    service.kill();
}

#[test]
fn no_agent_outlives_a_service_that_is_killed_or_stopped() {
    let home = Home::new();
    for stop in [false, true] {
        let service = home.start();
        let mut pids = AGENTS.map(|agent| process(&home.data(), agent)).to_vec();
        pids.push(forks(&service));
        if stop {
            asked(&["stop"], &home.data());
        } else {
            service.kill();
        }
        until("end of all agents", || {
            pids.iter().all(|pid| !lives(*pid)).then_some(())
        });
    }
}
