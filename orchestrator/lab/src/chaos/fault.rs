//! What is done to which part.
//!
//! What: [`pairs`] of part and fault, and [`inject`], which does a step's deed and says when it was over. Why: one place says what the
//! service is held to survive. Not here: in which order (`plan`), whether it did (`check`, `verdict`).

use super::{
    children::child_of,
    clocks::ClockFault,
    disk::{DiskFaultPlan, FailingDisk},
    house::ChaosHousehold,
    http,
    load::LoadGenerator,
    plan::ChaosAction,
    tried,
};
use aura_process::fork_server::process_of;
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
pub(super) enum FaultTarget {
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

impl fmt::Display for FaultTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FaultTarget::Service => "service",
            FaultTarget::Agent(agent) => agent.as_str(),
            FaultTarget::Model => "model",
            FaultTarget::Disk => "disk",
            FaultTarget::Page => "page",
        })
    }
}

/// What is done to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ProcessFault {
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

impl fmt::Display for ProcessFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ProcessFault::Kill => "kill",
            ProcessFault::Stop => "stop",
            ProcessFault::Slow => "slow",
            ProcessFault::Flood => "flood",
            ProcessFault::Starve => "starve",
        })
    }
}

/// An agent is killed or stopped while it is given what was just posted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HandOver {
    pub(super) agent: AgentName,
    pub(super) fault: ProcessFault,
    /// So long after the post was begun.
    pub(super) after_us: u64,
}

impl fmt::Display for HandOver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} during a post", self.agent, self.fault)
    }
}

/// Every fault of every part.
pub(super) fn pairs() -> impl Iterator<Item = (FaultTarget, ProcessFault)> {
    const ALL: &[ProcessFault] = &[
        ProcessFault::Kill,
        ProcessFault::Stop,
        ProcessFault::Slow,
        ProcessFault::Flood,
        ProcessFault::Starve,
    ];
    let of = |part: FaultTarget| {
        let faults = match part {
            FaultTarget::Service | FaultTarget::Agent(_) => ALL,
            // Nobody but the service can ask it anything.
            FaultTarget::Model => &[
                ProcessFault::Kill,
                ProcessFault::Stop,
                ProcessFault::Slow,
                ProcessFault::Starve,
            ],
            FaultTarget::Disk => &[ProcessFault::Starve],
            FaultTarget::Page => &[ProcessFault::Kill, ProcessFault::Stop, ProcessFault::Flood],
        };
        faults.iter().map(move |fault| (part, *fault))
    };
    let agents = AgentName::FOUR.map(FaultTarget::Agent);
    let others = [
        FaultTarget::Service,
        FaultTarget::Model,
        FaultTarget::Disk,
        FaultTarget::Page,
    ];
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
pub(super) fn inject(
    deed: ChaosAction,
    house: &mut ChaosHousehold,
    load: &LoadGenerator,
) -> Result<Option<Instant>, ServiceError> {
    match deed {
        ChaosAction::Hurt { part, fault } => hurt(part, fault, house, load),
        ChaosAction::HandOver(fault) => Ok(hand_over(fault, house, load)),
        ChaosAction::Disk(fault) => disk(fault, house),
        ChaosAction::Clock(fault) => clock(fault, house).map(Some),
    }
}

fn hand_over(fault: HandOver, house: &ChaosHousehold, load: &LoadGenerator) -> Option<Instant> {
    let mut met = None;
    for n in 1..=POSTS {
        let Some(pid) = agent_of(house.pid(), fault.agent) else {
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
                    ProcessFault::Stop => Signal::STOP,
                    ProcessFault::Kill | ProcessFault::Slow | ProcessFault::Flood | ProcessFault::Starve => {
                        Signal::KILL
                    }
                },
            );
        });
        met = Some(Instant::now());
    }
    met
}

fn disk(fault: DiskFaultPlan, house: &mut ChaosHousehold) -> Result<Option<Instant>, ServiceError> {
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

fn clock(fault: ClockFault, house: &mut ChaosHousehold) -> Result<Instant, ServiceError> {
    let set = |house: &mut ChaosHousehold, ahead_ms| {
        if fault.is_at_start() {
            house.kill()?;
        }
        house.set_clock(ahead_ms)?;
        if fault.is_at_start() {
            house.start()?;
        }
        Ok::<(), ServiceError>(())
    };
    set(house, fault.ahead_ms(super::wall(), ChaosHousehold::ZONE))?;
    thread::park_timeout(Duration::from_millis(fault.lasts_ms()));
    set(house, 0)?;
    Ok(Instant::now())
}

fn hurt(
    part: FaultTarget,
    fault: ProcessFault,
    house: &mut ChaosHousehold,
    load: &LoadGenerator,
) -> Result<Option<Instant>, ServiceError> {
    let service = house.pid();
    let pid = match part {
        FaultTarget::Service | FaultTarget::Disk => service,
        FaultTarget::Agent(agent) => agent_of(service, agent),
        FaultTarget::Model => {
            child_of(service, &["aura-llm"]).or_else(|| child_of(service, &["worker", "llm"]))
        }
        FaultTarget::Page => return Ok(page(fault, house)),
    };
    let Some(pid) = pid else { return Ok(None) };
    match (part, fault) {
        (_, ProcessFault::Kill) => signal(pid, Signal::KILL),
        (FaultTarget::Service, ProcessFault::Stop) => {
            signal(pid, Signal::STOP);
            thread::park_timeout(LASTS);
            signal(pid, Signal::CONT);
        }
        (_, ProcessFault::Stop) => signal(pid, Signal::STOP),
        (_, ProcessFault::Slow) => slow(pid),
        (FaultTarget::Service, ProcessFault::Flood) => flood(house),
        (FaultTarget::Agent(agent), ProcessFault::Flood) => {
            for _ in 0..BATCHES {
                load.flood(agent);
            }
        }
        (FaultTarget::Service, ProcessFault::Starve) => starve(pid, FILES, open_files(pid))?,
        (FaultTarget::Disk, _) => starve(pid, FILE_SIZE, house.largest_file()?)?,
        (FaultTarget::Agent(_) | FaultTarget::Model, ProcessFault::Starve) => {
            // Whatever it needs next is refused, and an allocation that is refused ends it.
            limit(pid, MEMORY, 1 << 20)?;
        }
        (FaultTarget::Model | FaultTarget::Page, _) => return Ok(None),
    }
    Ok(Some(Instant::now()))
}

/// The process of an agent.
fn agent_of(service: Option<Pid>, agent: AgentName) -> Option<Pid> {
    let service = service?.as_raw_nonzero().get().cast_unsigned();
    Pid::from_raw(process_of(service, Some(agent))?.cast_signed())
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
fn flood(house: &ChaosHousehold) {
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
fn page(fault: ProcessFault, house: &ChaosHousehold) -> Option<Instant> {
    let door = house.door()?;
    let listen = || {
        let mut stream = TcpStream::connect(("127.0.0.1", door.port)).ok()?;
        let head = http::head("GET", "/events?surface=watch", &door, 0);
        stream.write_all(head.as_bytes()).ok()?;
        Some(stream)
    };
    match fault {
        // In the middle of its stream.
        ProcessFault::Kill => drop(listen()),
        // Nothing is ever read from it.
        ProcessFault::Stop => {
            let stream = listen();
            thread::park_timeout(LASTS);
            drop(stream);
        }
        ProcessFault::Flood => {
            let streams: Vec<TcpStream> = (0..CONNECTIONS).filter_map(|_| listen()).collect();
            thread::park_timeout(LASTS);
            drop(streams);
        }
        ProcessFault::Slow | ProcessFault::Starve => return None,
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
