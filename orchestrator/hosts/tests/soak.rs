//! Hosts that are killed in turn, over and over.
//!
//! What: three hosts of the same owners over one log; one of them is killed every 20 s and started again 15 s later, while every owner presses one button
//! after the other at whichever host answers. Counted is what was accepted, what of it is in each log, what was done, and for how long an owner who
//! pressed was not accepted. Why: the promise is kept at any moment, not only where a test looks. `make hosts` lets it run for ten minutes with 200 owners
//! over three servers; without that it is a short one. Not here: what happens at one moment (`shared`, `takeover`, `between`, `cut`).

use crate::support::{
    NatsCluster,
    hosted::{SharedFolders, SharedHost, free_ports, page_name},
    service::{HttpRequest, until},
};
use aura_hosts::{
    ENTRIES_MAX, LogServers,
    jetstream::{BusConnection, BusOptions, JetStreamLog},
    open_with,
};
use aura_memory::{Store, StoreOptions, StoreReader, Vault, vault::NoPrompt};
use serde_json::json;
use std::{
    collections::BTreeMap,
    env,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};
use toolcall_schema::trace::Trace;

/// For how long it runs, with how many owners, over how many servers, and what is killed (`one` host at a time, `both` others at once, or `bus`: one
/// server at a time); short and small where it is not said.
const MINUTES: &str = "AURA_HOSTS_MINUTES";
const OWNERS: &str = "AURA_HOSTS_OWNERS";
const SERVERS: &str = "AURA_HOSTS_SERVERS";
const KILLED: &str = "AURA_HOSTS_KILLED";
const SHORT: Duration = Duration::from_secs(24);
/// No owner is to wait so long for an answer, whoever dies (docs/hosts.md).
const WAIT_MAX: Duration = Duration::from_secs(15);

const HOSTS: usize = 3;
const KILL_EVERY: Duration = Duration::from_secs(20);
/// A server that came back has to catch up before another one may be missed.
const KILL_SERVER_EVERY: Duration = Duration::from_secs(40);
const START_AFTER: Duration = Duration::from_secs(15);
/// So many owners press at the same time.
const PRESSERS: usize = 6;
/// Between two presses.
const PRESS_EVERY: Duration = Duration::from_millis(100);
/// How long an owner waits for an answer before she presses again.
const PATIENCE: Duration = Duration::from_secs(3);

#[derive(Clone, Copy, PartialEq, Eq)]
enum KilledPart {
    OneHost,
    BothOthers,
    BusServer,
}

impl KilledPart {
    fn from_environment() -> Self {
        match env::var(KILLED).as_deref() {
            Err(_) | Ok("one") => KilledPart::OneHost,
            Ok("both") => KilledPart::BothOthers,
            Ok("bus") => KilledPart::BusServer,
            Ok(other) => panic!("{KILLED}: one, both or bus, not {other}"),
        }
    }
}

/// How a host is started, and the one that runs.
struct SoakHost {
    folder: PathBuf,
    arguments: Vec<String>,
    running: Option<SharedHost>,
    start_at: Instant,
}

impl SoakHost {
    fn start(&mut self) {
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        self.running = Some(SharedHost::start(&self.folder, &arguments));
    }

    fn kill(&mut self) {
        self.running = None;
        self.start_at = Instant::now() + START_AFTER;
    }
}

/// The chat that a press mutes: each another one.
fn channel(press: u64) -> String {
    format!("ch_{press:016x}")
}

/// An owner who presses, and what was accepted of it.
struct PressingOwner {
    name: String,
    token: String,
    /// By press, the trace that the answer named.
    accepted: BTreeMap<u64, String>,
    next: u64,
    longest_wait: Duration,
    /// What she was answered in that time: since when, and by which host.
    answers_in_it: Vec<(u128, usize, String)>,
    /// How often each answer was given that accepted nothing; status 0: none.
    refusals: BTreeMap<String, u64>,
}

/// What the owners share.
struct PressedHosts {
    /// Where each host takes requests; 0: it is dead.
    ports: [AtomicU64; HOSTS],
    presses: AtomicU64,
    ends: AtomicBool,
}

impl PressingOwner {
    /// Presses once, always by the same key until it is accepted; the trace that the answer names, else what it says.
    fn try_press(&mut self, port: u16) -> Result<String, String> {
        let (headers, host) = (
            format!("Idempotency-Key: press-{}\r\n", self.next),
            page_name(&self.name),
        );
        let asked = HttpRequest {
            port,
            host: Some(&host),
            token: &self.token,
            headers: &headers,
            patience: PATIENCE,
        };
        let path = format!("/v1/mutes/{}", channel(self.next));
        let (status, answer) = asked.send("POST", &path, Some(&json!({ "for": "1h" })));
        assert!(
            matches!(status, 0 | 200 | 408 | 421 | 429 | 500..),
            "{} {}: {status} {answer}",
            self.name,
            self.next
        );
        if status == 200 {
            return Ok(answer["trace_id"].as_str().unwrap().to_owned());
        }
        let code = answer["code"]
            .as_str()
            .or_else(|| answer.as_str()?.split(' ').next());
        let refusal = format!("{status} {}", code.unwrap_or("-"));
        *self.refusals.entry(refusal.clone()).or_default() += 1;
        Err(refusal)
    }

    /// She waited since then, and was answered so meanwhile.
    fn note_wait(&mut self, begun: Instant, answers: Vec<(u128, usize, String)>) {
        let waited = begun.elapsed();
        if waited > self.longest_wait {
            (self.longest_wait, self.answers_in_it) = (waited, answers);
        }
    }

    /// Until one press is accepted, at whichever host.
    fn press(&mut self, hosts: &PressedHosts) {
        let begun = Instant::now();
        let (mut tried, mut answers) = (usize::try_from(self.next).unwrap(), Vec::new());
        while !hosts.ends.load(Ordering::Relaxed) {
            tried += 1;
            let port = hosts.ports[tried % HOSTS].load(Ordering::Relaxed);
            let Some(port) = u16::try_from(port).ok().filter(|port| *port != 0) else {
                thread::park_timeout(Duration::from_millis(5));
                continue;
            };
            hosts.presses.fetch_add(1, Ordering::Relaxed);
            let asked_at = begun.elapsed().as_millis();
            match self.try_press(port) {
                Ok(trace) => {
                    answers.push((asked_at, tried % HOSTS, "200".to_owned()));
                    self.note_wait(begun, answers);
                    self.accepted.insert(self.next, trace);
                    self.next += 1;
                    return;
                }
                Err(refusal) => answers.push((asked_at, tried % HOSTS, refusal)),
            }
            thread::park_timeout(PRESS_EVERY);
        }
        // Cut short by the end: nobody has answered until then.
        self.note_wait(begun, answers);
    }
}

/// Kills what is to be killed, and starts it again, until time is over.
fn kill_in_turn(
    hosts: &mut [SoakHost],
    servers: &mut NatsCluster,
    pressed: &PressedHosts,
    (part, lasts): (KilledPart, Duration),
) -> u32 {
    let begun = Instant::now();
    let (mut kill_at, mut kills, mut server) = (begun + KILL_EVERY / 4, 0, None);
    while begun.elapsed() < lasts {
        let now = Instant::now();
        for (index, host) in hosts.iter_mut().enumerate() {
            let has_ended = host.running.as_mut().is_some_and(SharedHost::has_ended);
            assert!(!has_ended, "a host has ended by itself");
            if host.running.is_none() && host.start_at <= now {
                host.start();
                let port = host.running.as_ref().map_or(0, |host| host.port);
                pressed.ports[index].store(port.into(), Ordering::Relaxed);
            }
        }
        if let Some((dead, _)) = server.filter(|(_, start_at)| *start_at <= now) {
            servers.start_again(dead);
            server = None;
        }
        if kill_at <= now {
            let turn = usize::try_from(kills).unwrap();
            let dying: &[usize] = match part {
                KilledPart::OneHost => &[turn % HOSTS],
                KilledPart::BothOthers => &[(turn + 1) % HOSTS, (turn + 2) % HOSTS],
                KilledPart::BusServer => &[],
            };
            for index in dying {
                pressed.ports[*index].store(0, Ordering::Relaxed);
                hosts[*index].kill();
            }
            if part == KilledPart::BusServer {
                let dead = turn % servers.servers();
                servers.kill(dead);
                server = Some((dead, now + START_AFTER));
            }
            kills += 1;
            kill_at += if part == KilledPart::BusServer {
                KILL_SERVER_EVERY
            } else {
                KILL_EVERY
            };
        }
        thread::park_timeout(Duration::from_millis(50));
    }
    kills
}

/// What an owner's log holds of her presses: how many that were accepted are there once, and how many were done more than once.
fn check_owner(owner: &PressingOwner, options: &BusOptions, folder: &Path) -> (usize, usize) {
    let vault = Vault::open(folder, &NoPrompt).unwrap();
    let options = options.clone();
    let opens = open_with(ENTRIES_MAX, move |owner| {
        JetStreamLog::open(&BusConnection::open(options.clone())?, owner)
    });
    let following = StoreOptions {
        remote_log: Some(opens),
        ..StoreOptions::default()
    };
    // What the log holds is what a new host makes of it.
    drop(Store::open(&vault, following).unwrap());
    let reader = StoreReader::open(&vault).unwrap();
    let events = reader.events_from(1, u32::MAX).unwrap();
    assert!(
        events.windows(2).all(|pair| pair[0].seq + 1 == pair[1].seq),
        "{}: an event is missing, or there twice",
        owner.name
    );
    let rows = reader.traces_and_calls(usize::MAX, None).unwrap();
    let number = |trace: &String| rows.iter().find(|row| row.trace_id.as_str() == trace)?.call;
    assert!(
        owner.accepted.values().filter_map(number).is_sorted(),
        "{}: she pressed in another order",
        owner.name
    );
    let traces: Vec<Trace> = rows
        .iter()
        .map(|row| serde_json::from_str(&row.json).unwrap())
        .collect();
    let with = |press: u64| {
        let named = channel(press);
        let is_of = move |trace: &&Trace| {
            let calls = trace.tool_calls.iter();
            calls
                .map(|call| serde_json::to_string(call).unwrap())
                .any(|call| call.contains(&named))
        };
        traces.iter().filter(is_of)
    };
    let is_once = |(press, trace): &(&u64, &String)| {
        let same = with(**press).filter(|there| there.trace_id.as_str() == trace.as_str());
        same.count() == 1
    };
    let done = |press: u64| {
        let calls = with(press).flat_map(|trace| &trace.tool_calls);
        calls.filter(|call| call.result.is_some()).count()
    };
    let once = owner.accepted.iter().filter(is_once).count();
    let twice = (1..=owner.next).filter(|press| done(*press) > 1).count();
    (once, twice)
}

#[test]
fn hosts_that_are_killed_in_turn_lose_nothing_that_was_accepted() {
    let number = |name| env::var(name).ok().and_then(|text| text.parse::<u32>().ok());
    let lasts = number(MINUTES).map_or(SHORT, |minutes| Duration::from_mins(1) * minutes);
    let count = number(OWNERS).map_or(5, |owners| owners as usize);
    let mut servers = NatsCluster::start(number(SERVERS).map_or(1, |servers| servers as usize));
    let address = servers.address();
    let options = BusOptions {
        servers: LogServers::parse(&address).unwrap(),
        shards: 4,
        replicas: servers.servers(),
        ..BusOptions::default()
    };
    let folders = SharedFolders::new(count);
    folders.add_all(HOSTS + 1);
    let ports = free_ports(HOSTS);
    let addresses: Vec<String> = ports.iter().map(|port| format!("127.0.0.1:{port}")).collect();
    let peer = |index| folders.peer(index, &addresses[index]);
    let peers: Vec<String> = (0..HOSTS).map(peer).collect();
    let mut hosts: Vec<SoakHost> = (0..HOSTS)
        .map(|index| SoakHost {
            folder: folders.of_host(index),
            arguments: [
                ("--log", address.clone()),
                ("--log-streams", options.shards.to_string()),
                ("--log-replicas", options.replicas.to_string()),
                // So that it is cut many times.
                ("--log-entries", "64".to_owned()),
                ("--address", addresses[index].clone()),
                ("--hosts", peers.join(",")),
                ("--host-key", folders.host_key(index).0.display().to_string()),
                // The three have one user's instances of inotify among them.
                ("--awake-max", "32".to_owned()),
            ]
            .map(|(name, value)| [name.to_owned(), value])
            .concat(),
            running: None,
            start_at: Instant::now(),
        })
        .collect();
    for host in &mut hosts {
        host.start();
    }
    let new_token = |name: &String| {
        until("token", || {
            let mut running = hosts.iter().filter_map(|host| host.running.as_ref());
            running.find_map(|host| host.new_token(name))
        })
    };
    let pressing = |name: &String| {
        Mutex::new(PressingOwner {
            name: name.clone(),
            token: new_token(name),
            accepted: BTreeMap::new(),
            next: 1,
            longest_wait: Duration::ZERO,
            answers_in_it: Vec::new(),
            refusals: BTreeMap::new(),
        })
    };
    let owners: Vec<Mutex<PressingOwner>> = thread::scope(|scope| {
        let pressing = &pressing;
        let parts = folders.names.chunks(count.div_ceil(PRESSERS));
        let parts: Vec<_> = parts
            .map(|names| scope.spawn(move || names.iter().map(pressing).collect::<Vec<_>>()))
            .collect();
        parts.into_iter().flat_map(|part| part.join().unwrap()).collect()
    });
    let port = |host: &SoakHost| AtomicU64::new(host.running.as_ref().map_or(0, |host| host.port.into()));
    let pressed = Arc::new(PressedHosts {
        ports: std::array::from_fn(|index| port(&hosts[index])),
        presses: AtomicU64::new(0),
        ends: AtomicBool::new(false),
    });
    let begun = Instant::now();
    let kills = thread::scope(|scope| {
        for presser in 0..PRESSERS {
            let (owners, pressed) = (&owners, &pressed);
            scope.spawn(move || {
                let mine: Vec<_> = owners.iter().skip(presser).step_by(PRESSERS).collect();
                while !mine.is_empty() && !pressed.ends.load(Ordering::Relaxed) {
                    for owner in &mine {
                        owner.lock().unwrap().press(pressed);
                        thread::park_timeout(PRESS_EVERY);
                    }
                }
            });
        }
        let part = KilledPart::from_environment();
        let kills = kill_in_turn(&mut hosts, &mut servers, &pressed, (part, lasts));
        pressed.ends.store(true, Ordering::Relaxed);
        kills
    });
    let seconds = begun.elapsed().as_secs();
    for host in &mut hosts {
        host.kill();
    }
    let (mut accepted, mut once, mut twice, mut waits) = (0, 0, 0, Vec::new());
    let mut refusals: BTreeMap<String, u64> = BTreeMap::new();
    for owner in owners {
        let owner = owner.into_inner().unwrap();
        let (is_once, is_twice) = check_owner(&owner, &options, &folders.of_host(HOSTS).join(&owner.name));
        accepted += owner.accepted.len();
        (once, twice) = (once + is_once, twice + is_twice);
        waits.push((owner.longest_wait, owner.answers_in_it));
        for (answer, count) in owner.refusals {
            *refusals.entry(answer).or_default() += count;
        }
    }
    waits.sort_unstable();
    // Where the time went: of the longest ones, in the order of answers, each when it changed.
    for (wait, answers) in waits.iter().rev().take(5).filter(|_| lasts > SHORT) {
        let mut changes = answers.clone();
        changes.dedup_by(|later, before| later.2 == before.2);
        println!("waited {} ms: {}", wait.as_millis(), json!(changes));
    }
    println!(
        "{}",
        json!({
            "seconds": seconds,
            "owners": count,
            "servers": options.replicas,
            "kills": kills,
            "presses": pressed.presses.load(Ordering::Relaxed),
            "refused_by_answer": refusals,
            "accepted": accepted,
            "accepted_and_in_the_log_once": once,
            "done_more_than_once": twice,
            "longest_wait_of_an_owner_ms": waits.last().map(|(wait, _)| wait.as_millis()),
            "over_8_s": waits.iter().filter(|(wait, _)| wait.as_secs() >= 8).count(),
            "median_of_the_owners_longest_waits_ms": waits.get(count / 2).map(|(wait, _)| wait.as_millis()),
        })
    );
    assert!(kills > 0 && accepted > 10);
    let longest = waits.last().map_or(Duration::ZERO, |(wait, _)| *wait);
    assert!(lasts == SHORT || longest < WAIT_MAX, "{longest:?}");
    assert_eq!((once, twice), (accepted, 0));
}
