//! Figures of a host as it is used: most owners parked, some awake.
//!
//! What: a host of invented owners, each with one mail; how long one takes to be added, what all take while they are parked, how soon one answers
//! who is woken, how late what is due begins, and what all take while some are awake. Why: issues name goals for a thousand owners and for ten
//! thousand. Not here: goals (`cli::host`).

use super::{
    BenchError,
    hosted_owners::{
        HostProcess, add, add_by_command, agents_of, ask_page, cpu_ms, get, percentile, share_kib, standing,
        start, states, with_ended_children_ms,
    },
    shipped::WAIT,
    threads::{ThreadCounts, voluntary_switches},
    web::token,
};
use aura_process::fork_server::process_of;
use aura_runtime::control::{self, ControlReply, ControlRequest, OwnerState};
use chrono::Utc;
use serde::Serialize;
use std::{
    collections::{BTreeMap, btree_map::Entry},
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};
use toolcall_schema::{AgentName, Timestamp};

/// How many owners are added by the command; the others are made by what it calls.
const ADDED: usize = 20;
/// How many parked owners are woken by a visit, and how many by something that is due.
const WOKEN: usize = 40;
/// How long after her last visit an owner is parked.
const PARK_AFTER: &str = "5";
/// What is due begins so long after it was asked for: an owner with something due within a minute is not parked.
const DUE_IN: Duration = Duration::from_mins(2);
/// Between two pages that are asked for while some owners are awake, so that each is asked before she is parked.
const BETWEEN_PAGES: Duration = Duration::from_millis(40);
/// How many mails come to each of them: a page names only those who have waited longest.
const MAILS_EACH: usize = 4;
/// Between two looks at who stands how.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);
/// More than any owner needs to be served and parked.
const AN_OWNER: Duration = Duration::from_secs(1);

/// Milliseconds of what was done so often.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Times {
    pub count: usize,
    pub p50_ms: f64,
    pub p95_ms: f64,
    pub p99_ms: f64,
    pub most_ms: f64,
}

impl Times {
    fn from_samples(mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        Self {
            count: times.len(),
            p50_ms: percentile(&times, 50),
            p95_ms: percentile(&times, 95),
            p99_ms: percentile(&times, 99),
            most_ms: percentile(&times, 100),
        }
    }
}

/// A host of so many owners.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct HostFigures {
    pub owners: usize,
    /// `aura owner add`, one after the other.
    pub added: Times,
    /// From the host's start until every owner was served once and parked.
    pub all_parked_s: f64,
    /// Processor time of that for each owner, in milliseconds, of all processes.
    pub served_once_cpu_ms: f64,
    /// From a second start of the same host until every owner is parked.
    pub parked_again_s: f64,
    /// While every owner is parked, of the host's process, which is the only one: proportional share of memory,
    pub parked_kib: u64,
    /// open files,
    pub parked_files: usize,
    /// threads,
    pub parked_threads: usize,
    /// milliseconds of processor time a minute,
    pub parked_cpu_ms: f64,
    /// and how often one of its threads woke, a minute.
    pub parked_wakeups: f64,
    /// From a request for the page of a parked owner to its answer, one owner after the other.
    pub woken: Times,
    /// How long after its moment the service of a parked owner is there for what is due, as it is seen every tenth of a second.
    pub late: Times,
    /// Processor time of being woken by that, served and parked for each owner, in milliseconds, of all processes.
    pub due_cpu_ms: f64,
    /// How many are awake from here on.
    pub awake: usize,
    pub processes: usize,
    /// Of all processes, by proportional share.
    pub awake_kib: u64,
    pub awake_cpu_ms: f64,
    /// Pages of those who are awake.
    pub pages: Times,
    /// From a mail that comes to one of them until her page shows it.
    pub mails: Times,
}

/// The owners of the measurement, and where they lie.
struct Household {
    folder: PathBuf,
    folders: Vec<PathBuf>,
}

impl Household {
    fn name(n: usize) -> String {
        format!("owner-{n}")
    }

    fn data(&self, n: usize) -> Result<&Path, BenchError> {
        self.folders
            .get(n)
            .map(PathBuf::as_path)
            .ok_or(BenchError::NoAnswer)
    }

    fn count(&self) -> usize {
        self.folders.len()
    }

    fn all_parked(&self) -> Result<bool, BenchError> {
        Ok(standing(&self.folder, OwnerState::Parked)? == self.count())
    }

    /// Waits until every owner is parked. How long that took.
    fn until_parked(&self) -> Result<f64, BenchError> {
        let begun = Instant::now();
        let most = WAIT + AN_OWNER.saturating_mul(u32::try_from(self.count()).unwrap_or(u32::MAX));
        while begun.elapsed() < most {
            if self.all_parked()? {
                return Ok(begun.elapsed().as_secs_f64());
            }
            thread::sleep(BETWEEN_LOOKS);
        }
        Err(BenchError::NotSeen("not every owner was parked"))
    }

    /// Every `n`-th owner, so many of them.
    fn spread(&self, most: usize) -> impl Iterator<Item = usize> {
        let every = (self.count() / most.max(1)).max(1);
        (0..self.count()).step_by(every).take(most)
    }
}

/// Measures a host of so many owners in `dir`, which must be new; each figure over a time over so long.
///
/// # Errors
/// A host that does not start, or an owner who is not served.
pub(crate) fn measure(
    owners: usize,
    awake: usize,
    span: Duration,
    dir: &Path,
) -> Result<HostFigures, BenchError> {
    let folder = dir.join("owners");
    let folders: Vec<PathBuf> = (0..owners).map(|n| folder.join(Household::name(n))).collect();
    let household = Household { folder, folders };
    let mut added = Vec::new();
    for (n, data) in household.folders.iter().enumerate() {
        if n < ADDED {
            added.push(add_by_command(data)?);
        } else {
            add(data)?;
        }
    }

    let begun = Instant::now();
    let (host, _) = start(&household.folder, PARK_AFTER)?;
    household.until_parked()?;
    let all_parked_s = begun.elapsed().as_secs_f64();
    let served_once_cpu_ms = host_cpu_ms(host.pid()) / owners as f64;
    let begun = Instant::now();
    host.end()?;
    let (host, port) = start(&household.folder, PARK_AFTER)?;
    household.until_parked()?;
    let parked_again_s = begun.elapsed().as_secs_f64();

    thread::sleep(span);
    let pid = host.pid();
    let mut counts = ThreadCounts::by_counter(voluntary_switches);
    let process = [("host".to_owned(), pid)];
    counts.read(&process);
    counts.begin();
    let (cpu, begun) = (cpu_ms(&[pid]), Instant::now());
    thread::sleep(span);
    let minutes = begun.elapsed().as_secs_f64() / 60.0;
    let parked_cpu_ms = cpu_ms(&[pid]).saturating_sub(cpu) as f64 / minutes;
    counts.read(&process);
    let wakeups: u64 = counts.by_thread().iter().map(|one| one.count).sum();
    // Agents are forked from the other process, which stays.
    let parked_kib = share_kib(pid) + process_of(pid, None).map_or(0, share_kib);
    let entries = |of: &str| fs::read_dir(format!("/proc/{pid}/{of}")).map_or(0, Iterator::count);
    let (parked_files, parked_threads) = (entries("fd"), entries("task"));

    let mut tokens = BTreeMap::new();
    for n in household.spread(WOKEN).chain(household.spread(awake)) {
        if let Entry::Vacant(entry) = tokens.entry(n) {
            entry.insert(token(household.data(n)?)?);
        }
    }
    let token_of = |n: usize| tokens.get(&n).map(String::as_str).ok_or(BenchError::NoAnswer);
    household.until_parked()?;
    let mut woken = Vec::new();
    for n in household.spread(WOKEN) {
        woken.push(ask_page(port, &Household::name(n), token_of(n)?)?);
    }
    let (late, due_cpu_ms) = lateness(&household, pid)?;

    let who: Vec<usize> = household.spread(awake).collect();
    for n in &who {
        ask_page(port, &Household::name(*n), token_of(*n)?)?;
    }
    let is_over = AtomicBool::new(false);
    let awake_figures = thread::scope(|scope| {
        let reader = scope.spawn(|| -> Result<Vec<f64>, BenchError> {
            let mut times = Vec::new();
            for n in who.iter().cycle() {
                if is_over.load(Ordering::SeqCst) {
                    break;
                }
                times.push(ask_page(port, &Household::name(*n), token_of(*n)?)?);
                thread::sleep(BETWEEN_PAGES);
            }
            Ok(times)
        });
        let figures = while_awake(&household, (&host, port), &who, &token_of, span);
        is_over.store(true, Ordering::SeqCst);
        let pages = reader.join().map_err(|_| BenchError::NoAnswer)??;
        figures.map(|figures| (figures, pages))
    });
    let (awake_figures, pages) = awake_figures?;
    host.end()?;
    Ok(HostFigures {
        owners,
        added: Times::from_samples(added),
        all_parked_s,
        served_once_cpu_ms,
        parked_again_s,
        parked_kib,
        parked_files,
        parked_threads,
        parked_cpu_ms,
        parked_wakeups: wakeups as f64 / minutes,
        woken: Times::from_samples(woken),
        late: Times::from_samples(late),
        due_cpu_ms,
        awake: who.len(),
        processes: awake_figures.processes,
        awake_kib: awake_figures.kib,
        awake_cpu_ms: awake_figures.cpu_ms,
        pages: Times::from_samples(pages),
        mails: Times::from_samples(awake_figures.mails),
    })
}

/// What a host and all that it started have used of the processors so far, in milliseconds, while nobody is served.
fn host_cpu_ms(pid: u32) -> f64 {
    let forks = process_of(pid, None).map_or(0, |forks| cpu_ms(&[forks]));
    (with_ended_children_ms(pid) + forks) as f64
}

/// Has a pause of some owners end while they are parked, each at another moment. By how many milliseconds their services began after that (whose did
/// not within two minutes is not among them), and the processor time of each until she was parked again.
fn lateness(household: &Household, pid: u32) -> Result<(Vec<f64>, f64), BenchError> {
    let mut due = BTreeMap::new();
    for n in household.spread(WOKEN) {
        let request = ControlRequest::Pause {
            until: Some(Timestamp::from_ms(Utc::now().timestamp_millis()).plus_ms(ms(DUE_IN))),
        };
        let Some(ControlReply::Standing(told)) = control::ask(household.data(n)?, &request)? else {
            return Err(BenchError::NotSeen("a pause was not taken"));
        };
        let until = told.paused_until.ok_or(BenchError::NoAnswer)?;
        due.insert(Household::name(n), until);
    }
    household.until_parked()?;
    let cpu = host_cpu_ms(pid);
    let mut late = Vec::new();
    let end = Instant::now() + DUE_IN + WAIT;
    while !due.is_empty() && Instant::now() < end {
        let now = Timestamp::from_ms(Utc::now().timestamp_millis());
        for owner in states(&household.folder)? {
            if owner.state != OwnerState::Parked
                && let Some(until) = due.remove(&owner.name)
            {
                late.push(now.since(until) as f64);
            }
        }
        thread::sleep(BETWEEN_LOOKS);
    }
    household.until_parked()?;
    let took = (host_cpu_ms(pid) - cpu) / late.len().max(1) as f64;
    Ok((late, took))
}

fn ms(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

struct AwakeFigures {
    processes: usize,
    kib: u64,
    cpu_ms: f64,
    mails: Vec<f64>,
}

/// What a host takes whose owners `who` are kept awake by somebody else, and how soon a mail of theirs is seen.
fn while_awake<'a>(
    household: &Household,
    (host, port): (&HostProcess, u16),
    who: &[usize],
    token_of: &impl Fn(usize) -> Result<&'a str, BenchError>,
    span: Duration,
) -> Result<AwakeFigures, BenchError> {
    let mut processes = vec![host.pid()];
    processes.extend(process_of(host.pid(), None));
    for n in who {
        let end = Instant::now() + WAIT;
        loop {
            let agents = agents_of(household.data(*n)?)?;
            if agents.len() == AgentName::FOUR.len() {
                processes.extend(agents);
                break;
            }
            if Instant::now() > end {
                return Err(BenchError::NotSeen("the agents of an owner were not there"));
            }
            thread::sleep(BETWEEN_LOOKS);
        }
    }
    let (cpu, begun) = (cpu_ms(&processes), Instant::now());
    let mut mails = Vec::new();
    for (round, n) in who.iter().cycle().take(MAILS_EACH * who.len()).enumerate() {
        if begun.elapsed() >= span {
            break;
        }
        let inbox = super::hosted_owners::files_of(household.data(*n)?)?.join("Inbox");
        let sender = format!("Sender{round}");
        let come = Instant::now();
        write!(
            fs::File::options().append(true).open(inbox)?,
            "From - Tue Nov  3 10:00:00 2026\nFrom: {sender} <s{round}@example.net>\nTo: owner@example.org\nMessage-ID: <r{round}@example.net>\n\
             Date: {}\nSubject: Keys\n\nDo you have the keys?\n\n",
            Utc::now().to_rfc2822()
        )?;
        loop {
            let page = get(port, &Household::name(*n), token_of(*n)?, "/chats")?;
            if page.contains(&sender) {
                break;
            }
            if come.elapsed() > WAIT {
                return Err(BenchError::NotSeen("a mail was not on its owner's page"));
            }
            thread::sleep(BETWEEN_PAGES);
        }
        mails.push(come.elapsed().as_secs_f64() * 1000.0);
    }
    thread::sleep(span.saturating_sub(begun.elapsed()));
    let minutes = begun.elapsed().as_secs_f64() / 60.0;
    Ok(AwakeFigures {
        kib: processes.iter().map(|pid| share_kib(*pid)).sum(),
        cpu_ms: cpu_ms(&processes).saturating_sub(cpu) as f64 / minutes,
        processes: processes.len(),
        mails,
    })
}
