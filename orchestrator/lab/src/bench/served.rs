//! Figures of a tick as it is served: the shipped program with its processes, its sealed store and a page.
//!
//! What: the bundled household's day as a process of its own; a phone that is unlocked again and again, each time until the tick is over; what the
//! processor did for it, thread by thread of all processes; and the bare sealed commits of a tick in the same run. Why: what runs on the owner's machine is
//! more than the machine. The machine waits a second between two ticks, so each one meets cold caches and threads that sleep, as on a laptop. Not here: the
//! tick in this process (`bench`), goals (`docs/performance.md`).

use super::{
    BenchError, CpuFigures,
    shipped::{LOOK, ShippedService, WAIT},
    store::commit_cpu_us,
    threads::{ThreadCounts, ThreadShare, cpu_time},
    tick,
    web::{EventStream, HttpClient},
};
use aura_runtime::{config::HomeConfig, host::OWNER_THREAD};
use orchestrator_machine::policy::Policy;
use serde::Serialize;
use serde_json::json;
use std::{
    collections::BTreeMap,
    path::Path,
    thread,
    time::{Duration, Instant},
};
use toolcall_schema::Timestamp;

/// From one tick to the next: the machine rests a second after each.
const PACE: Duration = Duration::from_millis(1100);
/// Ticks in this process, for the figure beside.
const IN_PROCESS: usize = 2000;
/// Ticks whose commits are made bare.
const COMMITTED: usize = 200;

/// What `aura bench tick --as-served` says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ServedFigures {
    /// Without a page, and with one.
    pub runs: [ServedRun; 2],
    /// CPU of the bare sealed commits of a tick, in microseconds.
    pub commits_us: f64,
    /// The tick in this process.
    pub in_process: CpuFigures,
}

/// Some ticks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ServedRun {
    pub page: bool,
    pub ticks: u64,
    /// How often which outcome.
    pub outcomes: BTreeMap<String, u64>,
    /// Nanoseconds of CPU of all ticks, thread by thread.
    pub threads: Vec<ThreadShare>,
    /// Milliseconds from the post to the end of the tick, as a page hears of it; shortest first. Empty without a page.
    pub ms: Vec<f64>,
}

/// What a thread does in a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TickPart {
    /// Machine, gate, transport, page: all on the arbiter.
    Arbiter,
    /// Commits, audit, graph, words.
    Store,
    Agents,
    Rest,
}

impl TickPart {
    pub(crate) const ALL: [(Self, &str); 4] = [
        (Self::Arbiter, "machine, gate, transport, page (one thread)"),
        (Self::Agents, "four agents"),
        (Self::Store, "store, audit, graph, words (one thread)"),
        (Self::Rest, "what pages read, and everything else"),
    ];

    fn of_thread(share: &ThreadShare) -> Self {
        match (share.process.as_str(), share.thread.as_str()) {
            ("supervisor", "aura-store") => Self::Store,
            ("supervisor", OWNER_THREAD) => Self::Arbiter,
            ("supervisor" | "model", _) => Self::Rest,
            _ => Self::Agents,
        }
    }
}

impl ServedRun {
    /// Microseconds of a part a tick.
    pub(crate) fn part_us(&self, part: TickPart) -> f64 {
        let of_it = self
            .threads
            .iter()
            .filter(|share| TickPart::of_thread(share) == part);
        of_it.map(|share| share.count).sum::<u64>() as f64 / 1000.0 / self.ticks.max(1) as f64
    }

    pub(crate) fn all_us(&self) -> f64 {
        TickPart::ALL.iter().map(|(part, _)| self.part_us(*part)).sum()
    }
}

/// Measures so many ticks without and with a page, in `dir`, which must be new.
///
/// # Errors
/// A service that does not start or tick.
pub(crate) fn served(
    home_file: &Path,
    (home, policy, wall): (&HomeConfig, &Policy, Timestamp),
    count: u64,
    dir: &Path,
) -> Result<ServedFigures, BenchError> {
    let service = ShippedService::start_demo(home_file, &dir.join("served"))?;
    // The morning's own card is over.
    service.until(|status| status["ticks"].as_u64() > Some(0) && status["state"] == "Idle")?;
    let mut posts = UnlockPosts {
        service: &service,
        at: home.start.unwrap_or(wall),
        sent: 0,
    };
    let alone = posts.run(count, false)?;
    let seen = posts.run(count, true)?;
    service.stop()?;
    Ok(ServedFigures {
        runs: [alone, seen],
        commits_us: commit_cpu_us((home, policy.clone(), wall), COMMITTED, &dir.join("bare"))?,
        in_process: tick(home, policy.clone(), wall, IN_PROCESS)?,
    })
}

/// What a browser holds open.
struct OpenPage {
    stream: EventStream,
    connection: String,
}

impl OpenPage {
    fn open(service: &ShippedService, at_most: Duration) -> Result<Self, BenchError> {
        let mut stream = EventStream::open(&service.http, "phone", at_most)?;
        let hello = stream.until("hello")?;
        let connection = hello.split(' ').next().unwrap_or_default().to_owned();
        Ok(Self { stream, connection })
    }

    /// Reads the page anew for each event, as its script does, up to a tick's end; when that was heard of. A card that is not read counts as never shown: it
    /// would be asked again and again.
    fn until_tick(&mut self, http: &HttpClient) -> Result<Instant, BenchError> {
        loop {
            let (event, _) = self.stream.next_event()?;
            let heard = Instant::now();
            http.get(&format!("/fragment/now?c={}", self.connection))?;
            if event == "tick" {
                return Ok(heard);
            }
        }
    }
}

/// A phone that is unlocked.
struct UnlockPosts<'s> {
    service: &'s ShippedService,
    at: Timestamp,
    sent: u64,
}

impl UnlockPosts<'_> {
    fn post(&mut self) -> Result<(), BenchError> {
        self.sent += 1;
        let id = format!("unlock-{}", self.sent);
        let signal =
            json!([{ "id": id, "at": self.at, "source": "bench", "kind": "phone_unlock", "payload": {} }]);
        self.service.post(&signal).map(drop)
    }

    fn run(&mut self, count: u64, page: bool) -> Result<ServedRun, BenchError> {
        let at_most = WAIT + PACE * 3 * u32::try_from(count).unwrap_or(u32::MAX);
        let mut page = page.then(|| OpenPage::open(self.service, at_most)).transpose()?;
        // The first one may ask the page something, and wait for its answer; the household is not asked again at once.
        self.tick(page.as_mut())?;
        let before = self.ticks()?;
        let processes = self.service.processes()?;
        thread::sleep(PACE);
        let mut counts = ThreadCounts::by_counter(cpu_time);
        counts.read(&processes);
        counts.begin();
        let mut ms = Vec::new();
        for _ in 0..count {
            ms.extend(self.tick(page.as_mut())?);
            counts.read(&processes);
            thread::sleep(PACE);
        }
        counts.read(&processes);
        let ticks = self.ticks()? - before;
        ms.sort_by(f64::total_cmp);
        Ok(ServedRun {
            page: page.is_some(),
            ticks,
            outcomes: self.outcomes(ticks)?,
            threads: counts.by_thread(),
            ms,
        })
    }

    /// One tick. With a page, milliseconds until that heard of its end.
    fn tick(&mut self, page: Option<&mut OpenPage>) -> Result<Option<f64>, BenchError> {
        let begun = Instant::now();
        self.post()?;
        let Some(page) = page else { return Ok(None) };
        let heard = page.until_tick(&self.service.http)?;
        Ok(Some(heard.duration_since(begun).as_secs_f64() * 1000.0))
    }

    fn ticks(&self) -> Result<u64, BenchError> {
        let status = self.service.until(|status| status["state"] == "Idle")?;
        status["ticks"].as_u64().ok_or(BenchError::NoAnswer)
    }

    /// Of the latest ticks.
    fn outcomes(&self, count: u64) -> Result<BTreeMap<String, u64>, BenchError> {
        thread::sleep(LOOK);
        let mut outcomes = BTreeMap::new();
        for trace in self.service.traces(count)? {
            let outcome = trace["outcome"].as_str().unwrap_or("unknown");
            *outcomes.entry(outcome.to_owned()).or_default() += 1;
        }
        Ok(outcomes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thread_is_counted_in_one_part() {
        let share = |process: &str, thread: &str, us: u64| ThreadShare {
            process: process.to_owned(),
            thread: thread.to_owned(),
            count: us * 2000,
        };
        let run = ServedRun {
            page: false,
            ticks: 2,
            outcomes: BTreeMap::new(),
            threads: vec![
                share("supervisor", "owner", 100),
                share("supervisor", "aura", 4),
                share("supervisor", "aura-store", 20),
                share("supervisor", "watchdog", 3),
                share("comms", "exe", 5),
                share("finance", "exe", 6),
            ],
            ms: Vec::new(),
        };
        let parts = TickPart::ALL.map(|(part, _)| run.part_us(part));
        // Whole microseconds, as they were put in.
        assert_eq!(parts.map(|us| format!("{us:.0}")), ["100", "11", "20", "7"]);
        assert!((run.all_us() - 138.0).abs() < 1e-9);
    }
}
