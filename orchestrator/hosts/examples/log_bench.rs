//! What a durable append costs.
//!
//! What: appends to `JetStream`, with a sync each, beside commits of as many bytes to a sealed database under the settings of the store, turn by turn on one
//! disk. Why: journal before effect becomes the server's answer before effect, and must not be much slower. Not here: the benches of `aura-lab`, which is
//! built without this package.
//!
//! usage: `cargo run --release -p aura-hosts --features jetstream --example log_bench -- NATS-SERVER FOLDER COUNT`

use aura_hosts::{
    JournalLog, KeyCipher, LogPosition, LogServers, SealedEntry, SqliteLog,
    jetstream::{BusConnection, BusOptions, JetStreamLog},
};
use aura_memory::{Store, StoreOptions, StoreWrite, Vault, baseline_bench::BaselineBench};
use std::{
    env,
    error::Error,
    fs,
    io::{self, BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Of the text of the one event that a group has.
const SIZES: [usize; 4] = [200, 900, 4_000, 64_000];

/// Before anything counts.
const WARM: u64 = 50;

/// The server. It is killed when it is dropped.
struct BenchServer(Child);

impl Drop for BenchServer {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(program: &str, folder: &Path) -> Result<(BenchServer, String), Box<dyn Error>> {
    let (config, store) = (folder.join("nats.conf"), folder.join("nats"));
    let store = store.display();
    fs::write(
        &config,
        format!("jetstream {{ store_dir: \"{store}\", sync_interval: always }}\n"),
    )?;
    let mut child = Command::new(program)
        .arg("--config")
        .arg(config)
        .args(["--addr", "127.0.0.1", "--port", "-1"])
        .stderr(Stdio::piped())
        .spawn()?;
    let mut lines = BufReader::new(child.stderr.take().ok_or("no standard error")?).lines();
    let server = BenchServer(child);
    let mut address = None;
    loop {
        let line = lines.next().ok_or("the server has ended")??;
        if let Some((_, at)) = line.split_once("Listening for client connections on ") {
            address = Some(format!("nats://{}", at.trim()));
        }
        if line.contains("Server is ready") {
            break;
        }
    }
    // It would wait for somebody who reads.
    thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
    Ok((server, address.ok_or("the server does not say where it is")?))
}

fn timed<E: Error + 'static>(
    times: &mut Vec<Duration>,
    done: impl FnOnce() -> Result<(), E>,
) -> Result<(), Box<dyn Error>> {
    let begun = Instant::now();
    done()?;
    times.push(begun.elapsed());
    Ok(())
}

/// Appends one more entry to a log.
fn append(
    log: &mut impl JournalLog,
    position: &mut LogPosition,
    entry: &SealedEntry,
) -> Result<(), aura_hosts::AppendError> {
    *position = log.append(*position, entry)?;
    Ok(())
}

fn print(
    out: &mut impl io::Write,
    size: usize,
    name: &str,
    times: &mut [Duration],
    peer: Option<Duration>,
) -> io::Result<Duration> {
    times.sort_unstable();
    let at = |percent: usize| {
        times
            .get(times.len() * percent / 100)
            .copied()
            .unwrap_or_default()
    };
    let (median, p95, p99) = (at(50), at(95), at(99));
    let ratio = peer.map_or(1.0, |peer| median.as_secs_f64() / peer.as_secs_f64());
    let us = |time: Duration| time.as_micros();
    writeln!(
        out,
        "{size:>6} B  {name:<28} n {:>5}  median {:>6} us  p95 {:>6} us  p99 {:>6} us  x{ratio:.2}",
        times.len(),
        us(median),
        us(p95),
        us(p99)
    )?;
    Ok(median)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [program, folder, count] = arguments.as_slice() else {
        return Err("usage: log_bench NATS-SERVER FOLDER COUNT".into());
    };
    let count: u64 = count.parse()?;
    let folder = Path::new(folder);
    fs::create_dir_all(folder)?;
    let (_server, address) = start(program, folder)?;
    let bus = BusConnection::open(BusOptions {
        servers: LogServers::parse(&address)?,
        ..BusOptions::default()
    })?;
    let vault = Vault::ephemeral(&folder.join("data"))?;
    let keys = KeyCipher::derive(vault.seed());
    let cipher = keys.open_key(1, &keys.make_key(1)?)?;
    let (store, _) = Store::open(&vault, StoreOptions::default())?;
    let mut peer = BaselineBench::open(&vault)?;
    let mut bus_log = JetStreamLog::open(&bus, keys.subject())?;
    let mut file_log = SqliteLog::open(&folder.join("log.db"), keys.subject())?;
    let (mut bus_position, mut file_position) = (LogPosition::START, LogPosition::START);
    let mut seq = 0;
    let mut out = io::stdout().lock();
    for size in SIZES {
        let [
            mut sealed_row,
            mut bus_times,
            mut question_times,
            mut file_times,
            mut store_times,
        ] = [const { Vec::new() }; 5];
        for round in 0..WARM + count {
            seq += 1;
            let group = vec![StoreWrite::Event {
                seq,
                at_ms: 1_700_000_000_000,
                json: "x".repeat(size),
            }];
            let to_bus = cipher.seal_group(bus_position.next(), &group)?;
            let to_file = cipher.seal_group(file_position.next(), &group)?;
            let as_row = "x".repeat(to_bus.bytes().len());
            timed(&mut sealed_row, || peer.commit(&as_row))?;
            timed(&mut bus_times, || {
                append(&mut bus_log, &mut bus_position, &to_bus)
            })?;
            timed(&mut question_times, || bus_log.head().map(drop))?;
            timed(&mut file_times, || {
                append(&mut file_log, &mut file_position, &to_file)
            })?;
            store.write(group)?;
            timed(&mut store_times, || store.commit_now())?;
            if round + 1 == WARM {
                for times in [
                    &mut sealed_row,
                    &mut bus_times,
                    &mut question_times,
                    &mut file_times,
                    &mut store_times,
                ] {
                    times.clear();
                }
            }
        }
        let base = print(&mut out, size, "sealed commit of a row", &mut sealed_row, None)?;
        print(&mut out, size, "append, JetStream", &mut bus_times, Some(base))?;
        print(
            &mut out,
            size,
            "read of the last, JetStream",
            &mut question_times,
            Some(base),
        )?;
        print(&mut out, size, "append, SQLite file", &mut file_times, Some(base))?;
        print(
            &mut out,
            size,
            "commit of the store",
            &mut store_times,
            Some(base),
        )?;
    }
    Ok(())
}
