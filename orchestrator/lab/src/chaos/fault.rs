//! What is done to which part.
//!
//! What: [`pairs`] of part and fault, and [`inject`], which does a step's deed and says when it was over. Why: one place says what the
//! service is held to survive. Not here: in which order (`plan`), whether it did (`check`, `verdict`).

use super::{
    children::child_of,
    clocks::ClockFault,
    disk::{DiskFault, FailingDisk},
    house::House,
    http,
    load::Load,
    plan::Deed,
    tried,
};
use aura_runtime::service::ServiceError;
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};
use serde::{Deserialize, Serialize};
use std::{
    fmt,
    io::{self, Write as _},
    net::TcpStream,
    os::unix::net::UnixStream,
    thread,
    time::{Duration, Instant},
};
use toolcall_schema::AgentName;

/// A part of a running Aura.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Part {
    /// The process with machine, store and page.
    Service,
    /// An agent's process.
    Agent(AgentName),
    /// The model's process.
    Model,
    /// What the service writes to.
    Disk,
    /// Who looks at the page.
    Page,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Part::Service => "service",
            Part::Agent(agent) => agent.as_str(),
            Part::Model => "model",
            Part::Disk => "disk",
            Part::Page => "page",
        })
    }
}

/// What is done to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Fault {
    /// `SIGKILL`. A page's connection is cut.
    Kill,
    /// `SIGSTOP`: the service goes on after 3 s, a child never. A page takes its bytes no more.
    Stop,
    /// Stopped nine tenths of 3 s, in slices.
    Slow,
    /// More than it can take.
    Flood,
    /// A child gets no more memory, the service no more descriptors, the disk is full; the last two for 3 s.
    Starve,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fault::Kill => "kill",
            Fault::Stop => "stop",
            Fault::Slow => "slow",
            Fault::Flood => "flood",
            Fault::Starve => "starve",
        })
    }
}

/// An agent is killed or stopped while it is given what was just posted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HandOver {
    pub(super) agent: AgentName,
    pub(super) fault: Fault,
    /// So long after the post was begun.
    pub(super) after_us: u64,
}

impl fmt::Display for HandOver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} during a post", self.agent, self.fault)
    }
}

/// Every fault of every part.
pub(super) fn pairs() -> impl Iterator<Item = (Part, Fault)> {
    const ALL: &[Fault] = &[Fault::Kill, Fault::Stop, Fault::Slow, Fault::Flood, Fault::Starve];
    let of = |part: Part| {
        let faults = match part {
            Part::Service | Part::Agent(_) => ALL,
            // Nobody but the service can ask it anything.
            Part::Model => &[Fault::Kill, Fault::Stop, Fault::Slow, Fault::Starve],
            Part::Disk => &[Fault::Starve],
            Part::Page => &[Fault::Kill, Fault::Stop, Fault::Flood],
        };
        faults.iter().map(move |fault| (part, *fault))
    };
    let agents = AgentName::FOUR.map(Part::Agent);
    let others = [Part::Service, Part::Model, Part::Disk, Part::Page];
    others.into_iter().chain(agents).flat_map(of)
}

/// What can be limited, and as `/proc/PID/limits` names it.
const FILES: (Resource, &str) = (Resource::Nofile, "Max open files");
const FILE_SIZE: (Resource, &str) = (Resource::Fsize, "Max file size");
const MEMORY: (Resource, &str) = (Resource::As, "Max address space");

/// How long what passes by itself lasts.
const LASTS: Duration = Duration::from_secs(3);
/// Connections of a flood.
const CONNECTIONS: usize = 300;
/// Batches of a flood of signals, each as large as the service takes.
const BATCHES: usize = 8;

/// How often an agent is hurt during a post, each time somewhat later.
const POSTS: u32 = 4;

/// Does it. When it was over; `None`: the part is not there, or nothing was met.
pub(super) fn inject(deed: Deed, house: &mut House, load: &Load) -> Result<Option<Instant>, ServiceError> {
    match deed {
        Deed::Hurt { part, fault } => hurt(part, fault, house, load),
        Deed::HandOver(fault) => Ok(hand_over(fault, house, load)),
        Deed::Disk(fault) => disk(fault, house),
        Deed::Clock(fault) => clock(fault, house).map(Some),
    }
}

fn hand_over(fault: HandOver, house: &House, load: &Load) -> Option<Instant> {
    let mut met = None;
    for n in 1..=POSTS {
        let words = ["worker", "agent", fault.agent.as_str()];
        let Some(pid) = child_of(house.pid(), &words) else {
            // It is being started again.
            thread::park_timeout(Duration::from_millis(300));
            continue;
        };
        thread::scope(|scope| {
            scope.spawn(|| load.post_to(fault.agent));
            thread::park_timeout(Duration::from_micros(fault.after_us * u64::from(n)));
            signal(
                pid,
                match fault.fault {
                    Fault::Stop => Signal::STOP,
                    Fault::Kill | Fault::Slow | Fault::Flood | Fault::Starve => Signal::KILL,
                },
            );
        });
        met = Some(Instant::now());
    }
    met
}

fn disk(fault: DiskFault, house: &mut House) -> Result<Option<Instant>, ServiceError> {
    let lasts = Duration::from_millis(fault.for_ms);
    let until = Instant::now() + lasts;
    let failed = if fault.at_start {
        house.kill()?;
        house.start_with(fault, until)?
    } else {
        let Some(pid) = house.pid() else { return Ok(None) };
        let disk = FailingDisk::begin(pid, fault, &house.data(), until);
        thread::park_timeout(lasts);
        disk.end()
    };
    match failed {
        Ok(failed) => {
            let calls: Vec<String> = failed.iter().map(|(call, n)| format!("{n} {call}")).collect();
            tracing::info!(calls = calls.join(", "), "{fault}");
            Ok((!failed.is_empty()).then(Instant::now))
        }
        Err(error) => {
            tracing::warn!(%error, "disks cannot be made to fail: this user may not trace the service; root may, and `unshare --map-root-user`");
            Ok(None)
        }
    }
}

fn clock(fault: ClockFault, house: &mut House) -> Result<Instant, ServiceError> {
    let set = |house: &mut House, ahead_ms| {
        if fault.is_at_start() {
            house.kill()?;
        }
        house.set_clock(ahead_ms)?;
        if fault.is_at_start() {
            house.start()?;
        }
        Ok::<(), ServiceError>(())
    };
    set(house, fault.ahead_ms(super::wall(), House::ZONE))?;
    thread::park_timeout(Duration::from_millis(fault.lasts_ms()));
    set(house, 0)?;
    Ok(Instant::now())
}

fn hurt(part: Part, fault: Fault, house: &mut House, load: &Load) -> Result<Option<Instant>, ServiceError> {
    let service = house.pid();
    let pid = match part {
        Part::Service | Part::Disk => service,
        Part::Agent(agent) => child_of(service, &["worker", "agent", agent.as_str()]),
        Part::Model => child_of(service, &["aura-llm"]).or_else(|| child_of(service, &["worker", "llm"])),
        Part::Page => return Ok(page(fault, house)),
    };
    let Some(pid) = pid else { return Ok(None) };
    match (part, fault) {
        (_, Fault::Kill) => signal(pid, Signal::KILL),
        (Part::Service, Fault::Stop) => {
            signal(pid, Signal::STOP);
            thread::park_timeout(LASTS);
            signal(pid, Signal::CONT);
        }
        (_, Fault::Stop) => signal(pid, Signal::STOP),
        (_, Fault::Slow) => slow(pid),
        (Part::Service, Fault::Flood) => flood(house),
        (Part::Agent(agent), Fault::Flood) => {
            for _ in 0..BATCHES {
                load.flood(agent);
            }
        }
        (Part::Service, Fault::Starve) => starve(pid, FILES, open_files(pid))?,
        (Part::Disk, _) => starve(pid, FILE_SIZE, house.written()?)?,
        (Part::Agent(_) | Part::Model, Fault::Starve) => {
            // Whatever it needs next is refused, and an allocation that is refused ends it.
            limit(pid, MEMORY, 1 << 20)?;
        }
        (Part::Model | Part::Page, _) => return Ok(None),
    }
    Ok(Some(Instant::now()))
}

/// It may have ended meanwhile.
fn signal(pid: Pid, signal: Signal) {
    let _ = kill_process(pid, signal);
}

fn slow(pid: Pid) {
    let until = Instant::now() + LASTS;
    while Instant::now() < until {
        signal(pid, Signal::STOP);
        thread::park_timeout(Duration::from_millis(45));
        signal(pid, Signal::CONT);
        thread::park_timeout(Duration::from_millis(5));
    }
}

/// Sets the limit that counts, and leaves the one up to which it can be set. What it was before; `None`: the process has ended.
fn limit(pid: Pid, (resource, name): (Resource, &str), most: u64) -> Result<Option<u64>, ServiceError> {
    let text = std::fs::read_to_string(format!("/proc/{}/limits", pid.as_raw_nonzero()));
    let Some((current, maximum)) = text.ok().as_deref().and_then(|text| limits_of(text, name)) else {
        return Ok(None);
    };
    let new = Rlimit {
        current: Some(most.min(maximum.unwrap_or(u64::MAX))).filter(|most| *most < u64::MAX),
        maximum,
    };
    match prlimit(Some(pid), resource, new) {
        Ok(_) => Ok(Some(current.unwrap_or(u64::MAX))),
        Err(rustix::io::Errno::SRCH) => Ok(None),
        Err(errno) => Err(tried("set a limit of a process")(errno.into())),
    }
}

/// The two limits of that name in `/proc/PID/limits`, in the system's units; `None` for each that is none.
fn limits_of(text: &str, name: &str) -> Option<(Option<u64>, Option<u64>)> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let mut fields = line.split_whitespace().map(|field| field.parse().ok());
    Some((fields.next()?, fields.next()?))
}

fn starve(pid: Pid, of: (Resource, &str), most: u64) -> Result<(), ServiceError> {
    let Some(before) = limit(pid, of, most)? else {
        return Ok(());
    };
    thread::park_timeout(LASTS);
    limit(pid, of, before).map(drop)
}

fn open_files(pid: Pid) -> u64 {
    let open = std::fs::read_dir(format!("/proc/{}/fd", pid.as_raw_nonzero()));
    open.map_or(0, |open| open.count() as u64)
}

/// Requests that are none, to page and socket, and many that are left open.
fn flood(house: &House) {
    let mut open: Vec<Box<dyn io::Write>> = vec![];
    for n in 0..CONNECTIONS {
        if let Some(door) = house.door()
            && let Ok(mut stream) = TcpStream::connect(("127.0.0.1", door.port))
        {
            let line: &[u8] = match n % 3 {
                0 => b"GET /events?surface=phone HTTP/1.1\r\n",
                1 => b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
                _ => b"POST /v1/tick HTTP/1.1\r\nContent-Length: 18446744073709551615\r\n\r\n",
            };
            // Refused or cut off is fine.
            let _ = stream.write_all(line);
            open.push(Box::new(stream));
        }
        if let Ok(mut stream) = UnixStream::connect(aura_runtime::control::path(&house.data())) {
            let _ = stream.write_all(b"{\"do\":\"everything\"}\n");
            open.push(Box::new(stream));
        }
    }
    thread::park_timeout(LASTS);
}

/// What somebody can do to the page from outside.
fn page(fault: Fault, house: &House) -> Option<Instant> {
    let door = house.door()?;
    let listen = || {
        let mut stream = TcpStream::connect(("127.0.0.1", door.port)).ok()?;
        let head = http::head("GET", "/events?surface=watch", &door, 0);
        stream.write_all(head.as_bytes()).ok()?;
        Some(stream)
    };
    match fault {
        // In the middle of its stream.
        Fault::Kill => drop(listen()),
        // Nothing is ever read from it.
        Fault::Stop => {
            let stream = listen();
            thread::park_timeout(LASTS);
            drop(stream);
        }
        Fault::Flood => {
            let streams: Vec<TcpStream> = (0..CONNECTIONS).filter_map(|_| listen()).collect();
            thread::park_timeout(LASTS);
            drop(streams);
        }
        Fault::Slow | Fault::Starve => return None,
    }
    Some(Instant::now())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_as_the_kernel_writes_them() {
        let text = "Limit                     Soft Limit           Hard Limit           Units     \n\
                    Max file size             unlimited            unlimited            bytes     \n\
                    Max open files            64                   4096                 files     \n\
                    Max address space         1048576              unlimited            bytes     \n";
        for ((_, name), expected) in [
            (FILE_SIZE, Some((None, None))),
            (FILES, Some((Some(64), Some(4096)))),
            (MEMORY, Some((Some(1_048_576), None))),
        ] {
            assert_eq!(limits_of(text, name), expected, "{name}");
        }
        assert_eq!(limits_of(text, "Max pages"), None);
    }

    #[test]
    fn all_parts_are_hurt_and_no_pair_is_named_twice() {
        let names: Vec<String> = pairs().map(|(part, fault)| format!("{part} {fault}")).collect();
        let mut once = names.clone();
        once.sort();
        once.dedup();
        // Five faults each for the service and four agents, four for the model, one for the disk, three for the page.
        assert_eq!((names.len(), once.len()), (33, 33), "{names:?}");
    }
}
