//! Hosts that are killed in turn, over and over.
//!
//! What: three hosts of one owner over one log; the one that serves her is killed every 20 s and started again 15 s later, while she presses one button
//! after the other. Counted is what was accepted, what of it is in the log, what was done, and for how long nothing was accepted. Why: the promise is
//! kept at any moment, not only where a test looks. `make hosts` lets it run for ten minutes over three servers; without that it is a short one.
//! Not here: what happens at one moment (`takeover`, `between`, `cut`).

use crate::support::{
    NatsCluster,
    service::{HttpRequest, OwnerKey, new_token, port_in, serving, until},
};
use aura_hosts::{
    ENTRIES_MAX,
    jetstream::{BusConnection, BusOptions, JetStreamLog},
    open_with,
};
use aura_memory::{Store, StoreOptions, StoreReader};
use serde_json::json;
use std::{
    collections::BTreeMap,
    env,
    io::{BufRead as _, BufReader},
    path::PathBuf,
    process::Child,
    sync::{
        Arc,
        atomic::{AtomicU16, Ordering},
    },
    thread,
    time::{Duration, Instant},
};
use toolcall_schema::trace::Trace;

/// For how long it runs, and over how many servers; a short time over one where it is not said.
const MINUTES: &str = "AURA_HOSTS_MINUTES";
const SERVERS: &str = "AURA_HOSTS_SERVERS";
const SHORT: Duration = Duration::from_secs(30);

const HOSTS: usize = 3;
const KILL_EVERY: Duration = Duration::from_secs(20);
const START_AFTER: Duration = Duration::from_secs(15);
/// Between two presses of the owner.
const PRESS_EVERY: Duration = Duration::from_millis(250);
/// How long she waits for an answer before she presses again.
const PATIENCE: Duration = Duration::from_secs(3);

/// A host that may be dead or stand by.
struct SoakHost {
    data: PathBuf,
    child: Option<Child>,
    /// 0: it does not serve her.
    port: Arc<AtomicU16>,
    start_at: Instant,
}

impl SoakHost {
    fn start(&mut self, owner: &OwnerKey, log: &[&str]) {
        let mut child = serving(owner, &self.data, log).spawn().unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        self.port = Arc::default();
        let port = Arc::clone(&self.port);
        // Until it serves her or has died.
        thread::spawn(move || {
            let mut line = String::new();
            if said.read_line(&mut line).is_ok() {
                port.store(port_in(&line).unwrap_or_default(), Ordering::Release);
            }
        });
        self.child = Some(child);
    }

    fn port(&self) -> Option<u16> {
        Some(self.port.load(Ordering::Acquire)).filter(|port| *port != 0)
    }

    fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            // It may have ended.
            let _ = child.kill();
            child.wait().unwrap();
        }
        self.port.store(0, Ordering::Release);
        self.start_at = Instant::now() + START_AFTER;
    }

    /// One that another host took her over from has ended by itself: a service manager would start it again.
    fn is_dead(&mut self) -> bool {
        let ended = |child: &mut Child| child.try_wait().unwrap().is_some();
        if self.child.as_mut().is_some_and(ended) {
            self.kill();
            self.start_at = Instant::now();
        }
        self.child.is_none()
    }
}

impl Drop for SoakHost {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The chat that a press mutes: each another one.
fn channel(press: u64) -> String {
    format!("ch_{press:016x}")
}

/// Presses once; the trace that the answer names.
fn press(port: u16, token: &str, press: u64) -> Option<String> {
    let headers = format!("Idempotency-Key: press-{press}\r\n");
    let asked = HttpRequest {
        port,
        token,
        headers: &headers,
        patience: PATIENCE,
    };
    let path = format!("/v1/mutes/{}", channel(press));
    let (status, answer) = asked.send("POST", &path, Some(&json!({ "for": "1h" })));
    assert!(
        matches!(status, 0 | 200 | 408 | 429 | 500..),
        "press {press}: {status} {answer}"
    );
    (status == 200).then(|| answer["trace_id"].as_str().unwrap().to_owned())
}

#[derive(Default)]
struct SoakCounts {
    kills: u32,
    /// By press, the trace that the answer named.
    accepted: BTreeMap<u64, String>,
    presses: u64,
    longest_gap: Duration,
}

fn run(owner: &OwnerKey, hosts: &mut [SoakHost], log: &[&str], lasts: Duration) -> SoakCounts {
    let mut counts = SoakCounts::default();
    for host in hosts.iter_mut() {
        host.start(owner, log);
    }
    let first = until("host that serves her", || {
        hosts.iter().position(|host| host.port().is_some())
    });
    let token = new_token(&hosts[first].data);
    let begun = Instant::now();
    let (mut kill_at, mut accepted_at, mut next) = (begun + KILL_EVERY / 2, begun, 1);
    while begun.elapsed() < lasts {
        let now = Instant::now();
        for host in hosts.iter_mut() {
            if host.is_dead() && host.start_at <= now {
                host.start(owner, log);
            }
        }
        let serving = hosts.iter().position(|host| host.port().is_some());
        if kill_at <= now
            && let Some(serving) = serving
        {
            hosts[serving].kill();
            counts.kills += 1;
            kill_at += KILL_EVERY;
        }
        for port in hosts.iter().filter_map(SoakHost::port) {
            counts.presses += 1;
            if let Some(trace) = press(port, &token, next) {
                counts.longest_gap = counts.longest_gap.max(accepted_at.elapsed());
                accepted_at = Instant::now();
                counts.accepted.insert(next, trace);
                next += 1;
                break;
            }
        }
        thread::park_timeout(PRESS_EVERY);
    }
    for host in hosts {
        host.kill();
    }
    counts
}

#[test]
fn hosts_that_are_killed_in_turn_lose_nothing_that_was_accepted() {
    let number = |name| env::var(name).ok().and_then(|text| text.parse::<u32>().ok());
    let lasts = number(MINUTES).map_or(SHORT, |minutes| Duration::from_mins(1) * minutes);
    let servers = NatsCluster::start(number(SERVERS).map_or(1, |servers| servers as usize));
    let (address, replicas) = (servers.address(), servers.servers());
    let shown = replicas.to_string();
    let log = [
        "--log",
        &address,
        "--log-streams",
        "4",
        "--log-replicas",
        &shown,
        // So that it is cut many times.
        "--log-entries",
        "64",
    ];
    let owner = OwnerKey::new();
    let mut hosts: Vec<SoakHost> = (0..HOSTS)
        .map(|number| SoakHost {
            data: owner.folder(&format!("host-{number}")),
            child: None,
            port: Arc::default(),
            start_at: Instant::now(),
        })
        .collect();
    let counts = run(&owner, &mut hosts, &log, lasts);

    // What the log holds is what a new host makes of it.
    let fresh = owner.folder("fresh");
    let options = BusOptions {
        address,
        shards: 4,
        replicas,
        ..BusOptions::default()
    };
    let vault = owner.vault(&fresh);
    let opens = open_with(ENTRIES_MAX, move |owner| {
        JetStreamLog::open(&BusConnection::open(options.clone())?, owner)
    });
    let snapshot = opens(&vault)
        .unwrap()
        .snapshot()
        .unwrap()
        .map(|there| there.position);
    let following = StoreOptions {
        remote_log: Some(opens),
        ..StoreOptions::default()
    };
    drop(Store::open(&vault, following).unwrap());
    let reader = StoreReader::open(&vault).unwrap();
    let traces: Vec<Trace> = reader
        .traces_and_calls(usize::MAX, None)
        .unwrap()
        .iter()
        .map(|row| serde_json::from_str(&row.json).unwrap())
        .collect();
    let with = |press: u64| {
        let named = channel(press);
        traces.iter().filter(move |trace| {
            trace
                .tool_calls
                .iter()
                .any(|call| serde_json::to_string(call).unwrap().contains(&named))
        })
    };
    let once = counts
        .accepted
        .iter()
        .filter(|(press, trace)| {
            with(**press)
                .filter(|there| there.trace_id.as_str() == trace.as_str())
                .count()
                == 1
        })
        .count();
    let done = |press: u64| {
        let calls = with(press).flat_map(|trace| &trace.tool_calls);
        calls.filter(|call| call.result.is_some()).count()
    };
    let pressed = counts.accepted.keys().next_back().map_or(1, |last| last + 1);
    let twice = (1..=pressed).filter(|press| done(*press) > 1).count();
    println!(
        "{}",
        json!({
            "seconds": lasts.as_secs(),
            "servers": replicas,
            "kills": counts.kills,
            "presses": counts.presses,
            "accepted": counts.accepted.len(),
            "accepted_and_in_the_log_once": once,
            "done_more_than_once": twice,
            "longest_without_an_accepted_press_ms": counts.longest_gap.as_millis(),
            "log_cut_at": snapshot,
        })
    );
    assert!(counts.kills > 0 && counts.accepted.len() > 10);
    assert!(snapshot.is_some(), "it was never cut");
    assert_eq!((once, twice), (counts.accepted.len(), 0));
}
