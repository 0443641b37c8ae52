//! Figures that the service promises to who sends it something: a post, a flood, a first bank message, a deletion beside everything else.
//!
//! What: the shipped program as a process of its own, asked over HTTP by one that knows nothing of its insides; the wait for the disk
//! while a year is deleted, on the store itself. Why: what a sender sees is what counts. Not here: pages (`web`), how fast files are
//! read (`agents`), faults (`chaos`).

mod people;

use super::{
    BenchError, files,
    memory::{aura, shared},
    shipped::{LOOK, ShippedService, WAIT},
    store::record,
    threads::cpu_time,
};
use aura_memory::{Store, StoreOptions, Vault, vault::NoPrompt};
use aura_platform::clock::Clock;
use aura_runtime::{config::HomeConfig, deletion, journal::ReplayContext};
use orchestrator_machine::policy::Policy;
use serde::Serialize;
use serde_json::{Value, json};
use std::{
    fs,
    path::Path,
    process::Stdio,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};
use toolcall_schema::{Timestamp, forget::ErasureScope};

/// Between two requests of one device, which may make a hundred a second.
const PACE: Duration = Duration::from_millis(12);
/// Signals in one post of the flood, and how many posts are made at once.
const BATCH: usize = 256;
const SENDERS: usize = 8;

/// What is to be measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PromiseSizes {
    /// Posts of one notification each.
    pub posts: usize,
    /// Megabytes of mail that are read beside posts.
    pub mail_mb: u64,
    /// Posts of 256 notifications, all within a second.
    pub flood: usize,
    /// Starts, each with a first bank message; and as many, each with 64 people named.
    pub starts: usize,
    /// Pages of people who wait, and acts on them.
    pub people: usize,
    /// Ticks of the year that is deleted; some hundred a day.
    pub year: u64,
}

/// A span of time beside what is promised of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct PromiseFigure {
    /// What was measured.
    pub what: &'static str,
    /// How many times.
    pub count: usize,
    /// Milliseconds: the median, the 95th and the 99th of a hundred, the shortest and the longest.
    pub p50_ms: f64,
    pub p95_ms: f64,
    pub p99_ms: f64,
    pub min_max_ms: (f64, f64),
    /// Which of them is promised to stay below how many milliseconds.
    pub promised: (&'static str, f64),
    pub is_kept: bool,
}

/// What became of a flood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct FloodFigures {
    /// Notifications that were sent.
    pub sent: u64,
    /// Milliseconds from the first post to the last answer.
    pub ms: u64,
    /// Answered with 429 or 503, to be sent again.
    pub refused: u64,
    /// Counted in memory afterwards.
    pub counted: u64,
}

impl FloodFigures {
    /// Whether each was counted or refused.
    pub(crate) fn is_kept(&self) -> bool {
        self.counted + self.refused == self.sent
    }
}

/// What `aura bench promises` says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct PromiseFigures {
    pub spans: Vec<PromiseFigure>,
    pub flood: FloodFigures,
}

/// Measures in `dir`, which must be new.
///
/// # Errors
/// [`BenchError`]
pub(crate) fn promises(
    home_file: &Path,
    (home, policy, wall): (&HomeConfig, &Policy, Timestamp),
    sizes: PromiseSizes,
    dir: &Path,
) -> Result<PromiseFigures, BenchError> {
    let empty = dir.join("home.toml");
    fs::write(&empty, "zone = \"UTC\"\n")?;
    let mut spans = vec![posts(&empty, &dir.join("posts"), sizes.posts)?];
    spans.push(beside_mail(&empty, dir, sizes.mail_mb << 20)?);
    let flood = flood(&empty, &dir.join("flood"), sizes.flood)?;
    spans.push(first_messages(&empty, &dir.join("bank"), sizes.starts)?);
    spans.extend(people::people(&dir.join("people"), sizes.people)?);
    spans.push(people::names(&dir.join("names"), sizes.starts)?);
    let year = dir.join("year");
    record(home, policy.clone(), wall, sizes.year, &shared(&year)?)?;
    let copy = dir.join("again");
    copy_folder(&year, &copy)?;
    spans.push(health_beside_deletion(home_file, &year)?);
    spans.push(disk_beside_deletion(home, &copy)?);
    Ok(PromiseFigures { spans, flood })
}

impl ShippedService {
    fn export(&self) -> Result<Value, BenchError> {
        let done = aura(&self.data)?
            .args(["memory", "export", "--data"])
            .arg(&self.data)
            .stderr(Stdio::null())
            .output()?;
        if !done.status.success() {
            return Err(BenchError::Child("aura memory export"));
        }
        serde_json::from_slice(&done.stdout).map_err(|_| BenchError::Child("aura memory export"))
    }
}

fn ms(begun: Instant) -> f64 {
    begun.elapsed().as_secs_f64() * 1000.0
}

fn now() -> Timestamp {
    Clock::real(None).wall()
}

fn notification(id: &str, channel: &str) -> Value {
    let at = now();
    let payload = json!({ "app": "org.example.chat", "channel": channel, "sender": "Asha", "text": "the kettle is on" });
    json!({ "id": id, "at": at, "source": "bench", "kind": "notification", "payload": payload })
}

/// One notification a post, with all agents healthy and nothing else to do.
fn posts(home: &Path, data: &Path, count: usize) -> Result<PromiseFigure, BenchError> {
    let service = ShippedService::start(home, data)?;
    let mut took = Vec::new();
    for n in 0..count {
        let signal = notification(&format!("post-{n}"), &format!("chat-{}", n % 8));
        took.push(service.post(&json!([signal]))?);
        thread::sleep(PACE);
    }
    Ok(figure(
        "post to 202, one notification, agents healthy",
        took,
        ("p95", 15.0),
    ))
}

/// The same while a mailbox of today is read, every mail judged in full.
fn beside_mail(home: &Path, dir: &Path, bytes: u64) -> Result<PromiseFigure, BenchError> {
    let mail = dir.join("mail.mbox");
    let day = now().ms() / 1000 - 43_200;
    files::mbox(&mail, bytes, (day, 0), 14)?;
    let data = dir.join("mail");
    let service = ShippedService::start(home, &data)?;
    let mut reading = aura(&data)?
        .arg("import")
        .arg(&mail)
        .args(["--as", "mail", "--json", "--home"])
        .arg(home)
        .arg("--data")
        .arg(&data)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let mut took = Vec::new();
    let status = loop {
        if let Some(status) = reading.try_wait()? {
            break status;
        }
        let n = took.len();
        let signal = notification(&format!("beside-{n}"), &format!("chat-{}", n % 8));
        took.push(service.post(&json!([signal]))?);
        thread::sleep(PACE);
    };
    fs::remove_file(&mail)?;
    if !status.success() {
        return Err(BenchError::Child("aura import"));
    }
    Ok(figure("post to 202 while mail is read", took, ("p95", 250.0)))
}

/// As many notifications as eight senders can send at once; then what memory counts.
fn flood(home: &Path, data: &Path, posts: usize) -> Result<FloodFigures, BenchError> {
    let service = ShippedService::start(home, data)?;
    let bodies: Vec<String> = (0..posts)
        .map(|post| {
            let one = |n: usize| notification(&format!("flood-{post}-{n}"), &format!("chat-{}", n % 32));
            Value::from((0..BATCH).map(one).collect::<Vec<_>>()).to_string()
        })
        .collect();
    let begun = Instant::now();
    let refused = thread::scope(|scope| {
        let (service, bodies) = (&service, &bodies);
        let senders: Vec<_> = (0..SENDERS)
            .map(|sender| {
                scope.spawn(move || -> Result<u64, BenchError> {
                    let mut refused = 0;
                    for body in bodies.iter().skip(sender).step_by(SENDERS) {
                        refused += refused_of(service.http.post_any("/v1/signals", body)?)?;
                    }
                    Ok(refused)
                })
            })
            .collect();
        let mut sum = 0;
        for sender in senders {
            sum += sender.join().map_err(|_| BenchError::NoAnswer)??;
        }
        Ok::<u64, BenchError>(sum)
    })?;
    let ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let sent = (posts * BATCH) as u64;
    // What a tick adds to memory comes after its answer.
    let end = Instant::now() + Duration::from_secs(30);
    let mut counted = counted(&service.export()?);
    while counted + refused < sent && Instant::now() < end {
        thread::sleep(LOOK * 10);
        counted = self::counted(&service.export()?);
    }
    Ok(FloodFigures {
        sent,
        ms,
        refused,
        counted,
    })
}

/// How many of a post are to be sent again.
fn refused_of((status, reply): (u16, Value)) -> Result<u64, BenchError> {
    match status {
        202 => Ok(0),
        429 | 503 => Ok(reply["again"].as_array().map_or(BATCH, Vec::len) as u64),
        _ => Err(BenchError::NoAnswer),
    }
}

/// The messages that memory counts in all conversations.
fn counted(export: &Value) -> u64 {
    let nodes = export["nodes"].as_array().into_iter().flatten();
    nodes
        .filter(|node| node["data"]["type"] == "conversation")
        .filter_map(|node| node["data"]["messages"].as_u64())
        .sum()
}

/// CPU of the agent for money from a post of its first bank message to 202, each after a new start.
fn first_messages(home: &Path, data: &Path, starts: usize) -> Result<PromiseFigure, BenchError> {
    let mut took = Vec::new();
    for n in 0..starts {
        let service = ShippedService::start(home, data)?;
        let status = service.until(|status| status["state"] == "Idle")?;
        let pid = status["processes"]["finance"]["pid"]
            .as_u64()
            .ok_or(BenchError::NoAnswer)?;
        let at = now();
        let body = format!(
            "Sent Rs.{}.50 from A/C *8841 To VPA chaipoint@ybl On {}",
            n + 1,
            at.utc().format("%d-%m-%y")
        );
        let payload = json!({ "from": "VK-HDFCBK", "body": body });
        let message = json!([{ "id": format!("sms-{n}"), "at": at, "source": "bench", "kind": "bank_sms", "payload": payload }]);
        let before = cpu_ms(pid)?;
        service.post(&message)?;
        took.push(cpu_ms(pid)? - before);
        service.stop()?;
    }
    Ok(figure(
        "first bank message after a start, CPU of its agent",
        took,
        ("most", 20.0),
    ))
}

/// The CPU time of a process so far, in milliseconds, to the nanosecond.
fn cpu_ms(pid: u64) -> Result<f64, BenchError> {
    let mut ns: u64 = 0;
    for task in fs::read_dir(format!("/proc/{pid}/task"))? {
        ns += cpu_time(&task?.path()).unwrap_or_default();
    }
    Ok(ns as f64 / 1_000_000.0)
}

/// `/healthz` on an open port, from before a deletion of everything begins until it is done, by the same process.
fn health_beside_deletion(home: &Path, data: &Path) -> Result<PromiseFigure, BenchError> {
    let service = ShippedService::start(home, data)?;
    let pid = fs::read_to_string(data.join("lock"))?;
    let mut deleting = aura(data)?
        .args(["memory", "delete", "--everything", "--yes", "--data"])
        .arg(data)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let mut took = Vec::new();
    let status = loop {
        if let Some(status) = deleting.try_wait()? {
            break status;
        }
        let begun = Instant::now();
        service.http.get("/healthz")?;
        took.push(ms(begun));
        thread::sleep(PACE);
    };
    if !status.success() || fs::read_to_string(data.join("lock"))? != pid {
        return Err(BenchError::Child("aura memory delete"));
    }
    Ok(figure("/healthz while a year is deleted", took, ("p99", 50.0)))
}

/// From a write to its being on the disk, while everything is deleted beside it.
fn disk_beside_deletion(home: &HomeConfig, data: &Path) -> Result<PromiseFigure, BenchError> {
    let vault = Vault::open(data, &NoPrompt)?;
    let (store, _) = Store::open(&vault, StoreOptions::default())?;
    let known = ReplayContext {
        seed: Some(vault.seed().clone()),
        settings: Some(home.settings.clone()),
    };
    let (done, store) = (AtomicBool::new(false), &store);
    let took = thread::scope(|scope| {
        let deleting = scope.spawn(|| {
            let forget = ErasureScope::everything();
            let removed = deletion::on_stopped(store, &known, &forget, home.settings.zone);
            done.store(true, Ordering::Release);
            removed
        });
        let mut took = Vec::new();
        while !done.load(Ordering::Acquire) {
            let begun = Instant::now();
            store.put_policy(format!("{:064x}", took.len() + 1), "nothing".to_owned())?;
            if store.commit_now().is_err() {
                return Err(BenchError::NoAnswer);
            }
            took.push(ms(begun));
            thread::sleep(LOOK / 10);
        }
        deleting.join().map_err(|_| BenchError::NoAnswer)??;
        Ok(took)
    })?;
    Ok(figure("a barrier while a year is deleted", took, ("most", 250.0)))
}

/// A copy of a data folder whose key lies beside it.
fn copy_folder(from: &Path, to: &Path) -> Result<(), BenchError> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
        if path.is_dir() {
            copy_folder(&path, &to.join(name))?;
        } else if path.is_file() {
            fs::copy(&path, to.join(name))?;
        }
    }
    Ok(())
}

fn figure(what: &'static str, mut ms: Vec<f64>, promised: (&'static str, f64)) -> PromiseFigure {
    ms.sort_by(f64::total_cmp);
    let at = |percent: usize| {
        // Nearest rank: the least that so many of a hundred do not exceed.
        let rank = (ms.len() * percent).div_ceil(100).max(1);
        ms.get(rank - 1).copied().unwrap_or(0.0)
    };
    let held = match promised.0 {
        "p95" => at(95),
        "p99" => at(99),
        _ => at(100),
    };
    PromiseFigure {
        what,
        count: ms.len(),
        p50_ms: at(50),
        p95_ms: at(95),
        p99_ms: at(99),
        min_max_ms: (at(0), at(100)),
        promised,
        is_kept: !ms.is_empty() && held < promised.1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_promise_is_kept_by_what_it_is_made_of() {
        let hundred = || (1..=100).rev().map(f64::from).collect::<Vec<f64>>();
        for (promised, kept) in [
            (("p95", 95.5), true),
            (("p95", 95.0), false),
            (("p99", 99.5), true),
            (("p99", 98.0), false),
            (("most", 100.5), true),
            (("most", 99.5), false),
        ] {
            let figure = figure("x", hundred(), promised);
            assert_eq!((figure.count, figure.is_kept), (100, kept), "{promised:?}");
            assert_eq!(
                (figure.p50_ms, figure.p95_ms, figure.p99_ms, figure.min_max_ms),
                (50.0, 95.0, 99.0, (1.0, 100.0))
            );
        }
        assert!(!figure("nothing measured", vec![], ("p95", 1.0)).is_kept);
    }

    #[test]
    fn what_memory_counts_is_the_sum_over_conversations() {
        let export = json!({ "nodes": [
            { "data": { "type": "conversation", "messages": 3 } },
            { "data": { "type": "conversation", "messages": 4 } },
            { "data": { "type": "transaction", "messages": 9 } },
        ] });
        assert_eq!(counted(&export), 7);
        let all: BTreeSet<u64> = [
            (202, json!({})),
            (503, json!({ "again": [0, 5] })),
            (429, json!({})),
        ]
        .into_iter()
        .map(|answer| refused_of(answer).unwrap())
        .collect();
        assert_eq!(all, BTreeSet::from([0, 2, 256]));
    }
}
