//! Agents' processes, forked from one that has read nothing.
//!
//! What: [`ForkServer`], the service's side: it starts `aura worker forks`, has an agent's process made there for each that is wanted, and starts
//! another one once that has ended. Why: what the loader and a program's first lines write into memory is written once for all agents, and an
//! agent is there in a millisecond or two. Not here: the process itself (`serving`), what is said to an agent (`agent_process`).
//!
//! One for all owners of a host: it is told which agent and which limits, and passes on three descriptors, from which it reads nothing.

pub mod serving;
pub(crate) mod sibling;

use super::{
    ChildProcess, ProcessLimits, WorkerProgram,
    descriptors::{Stdio, pass_stdio},
};
use rustix::{
    io::{Errno, retry_on_intr},
    net::{
        AddressFamily, RecvFlags, SocketFlags, SocketType, recv, socketpair,
        sockopt::{Timeout, set_socket_timeout},
    },
    process::Pid,
};
use serde::{Deserialize, Serialize};
use std::{
    fs, io,
    os::fd::OwnedFd,
    sync::{OnceLock, mpsc},
    thread,
    time::Duration,
};
use tokio::sync::oneshot;
use toolcall_schema::AgentName;

/// How long a process may take to be made: the first one waits for its parent to start.
const ANSWER: Duration = Duration::from_secs(10);

/// The longest request in bytes.
const REQUEST_MAX: usize = 256;

/// The name of a process that is forked, and of the one that they are forked from, as the kernel tells it. Their command lines are all the same.
pub fn process_name(of: Option<AgentName>) -> String {
    format!("aura {}", of.map_or("forks", AgentName::as_str))
}

/// The process of a service that has such a name.
pub fn process_of(service: u32, of: Option<AgentName>) -> Option<u32> {
    let wanted = process_name(of);
    let processes = fs::read_dir("/proc").ok()?.flatten();
    let mut numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.find(|pid: &u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        is_child_named(&stat, service, &wanted)
    })
}

/// Whether that is what the kernel tells of a child with this name (`proc_pid_stat(5)`).
fn is_child_named(stat: &str, parent: u32, name: &str) -> bool {
    let named = stat
        .split_once(" (")
        .and_then(|(_, rest)| rest.strip_prefix(name)?.strip_prefix(") "));
    named.and_then(|rest| rest.split(' ').nth(1)) == Some(parent.to_string().as_str())
}

/// The process that is wanted.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ForkRequest {
    agent: AgentName,
    memory_mib: u64,
    cpu_s: u64,
}

/// Makes agents' processes, for as long as it or a copy of it is there. They end with it.
#[derive(Debug, Clone)]
pub struct ForkServer {
    orders: mpsc::Sender<ForkOrder>,
}

/// A process that is wanted, and who waits for it.
#[derive(Debug)]
struct ForkOrder {
    request: Vec<u8>,
    stdio: Stdio,
    reply: oneshot::Sender<io::Result<ChildProcess>>,
}

impl ForkServer {
    /// The one of this process, for as long as that lives.
    pub fn of_service() -> Self {
        static OF_SERVICE: OnceLock<ForkServer> = OnceLock::new();
        OF_SERVICE
            .get_or_init(|| Self::new(WorkerProgram::default()))
            .clone()
    }

    /// One whose processes run this program. Nothing is started before a process is wanted.
    pub fn new(program: WorkerProgram) -> Self {
        let (orders, taken) = mpsc::channel();
        // The kernel ends the processes with the thread that started their parent.
        let started = thread::Builder::new()
            .name("fork server".to_owned())
            .spawn(move || serve_orders(&program, taken));
        if let Err(error) = started {
            tracing::error!(%error, "no agent can be started");
        }
        Self { orders }
    }

    /// Has an agent's process made that has these as its standard input, output and error.
    ///
    /// # Errors
    /// It could not be made.
    pub async fn fork(
        &self,
        agent: AgentName,
        limits: ProcessLimits,
        stdio: [OwnedFd; 3],
    ) -> io::Result<ChildProcess> {
        let (reply, answer) = oneshot::channel();
        let request = serde_json::to_vec(&ForkRequest {
            agent,
            memory_mib: limits.memory_mib,
            cpu_s: limits.cpu_s,
        })?;
        let order = ForkOrder {
            request,
            stdio,
            reply,
        };
        let gone = |_| io::Error::other("the thread that starts agents has ended");
        self.orders.send(order).map_err(|error| gone(error.to_string()))?;
        answer.await.map_err(|error| gone(error.to_string()))?
    }
}

fn serve_orders(program: &WorkerProgram, orders: mpsc::Receiver<ForkOrder>) {
    let mut server = None;
    for order in orders {
        if order.reply.is_closed() {
            continue;
        }
        let forked = fork_by(&mut server, program, &order);
        // The child alone has the far ends now: what it reads and writes ends with it.
        drop(order.stdio);
        // A child that nobody waits for any more is killed.
        drop(order.reply.send(forked));
    }
}

fn fork_by(
    server: &mut Option<ServerProcess>,
    program: &WorkerProgram,
    order: &ForkOrder,
) -> io::Result<ChildProcess> {
    if let Some(running) = server {
        match running.fork(order) {
            Ok(forked) => return forked,
            Err(error) => tracing::warn!(%error, "the process that agents are forked from is started again"),
        }
    }
    // Before another one takes its place.
    drop(server.take());
    let started = server.insert(ServerProcess::start(program)?);
    match started.fork(order) {
        Ok(forked) => forked,
        Err(error) => {
            drop(server.take());
            Err(error)
        }
    }
}

/// The parent of all agents' processes, by memory; by the kernel's count they are this process's own children.
struct ServerProcess {
    /// Kills it when it is dropped.
    _process: ChildProcess,
    socket: OwnedFd,
}

impl ServerProcess {
    fn start(program: &WorkerProgram) -> io::Result<Self> {
        let (socket, theirs) = socketpair(
            AddressFamily::UNIX,
            SocketType::SEQPACKET,
            SocketFlags::CLOEXEC,
            None,
        )?;
        set_socket_timeout(&socket, Timeout::Recv, Some(ANSWER))?;
        set_socket_timeout(&socket, Timeout::Send, Some(ANSWER))?;
        let mut command = program.command_on(&["forks"], theirs);
        // It reads nothing of anybody's, so it has nothing to say of that.
        command.stderr(std::process::Stdio::inherit());
        let process = ChildProcess::spawn(&mut command)?;
        Ok(Self {
            _process: process,
            socket,
        })
    }

    /// A child, or why the system gives none.
    ///
    /// # Errors
    /// This process has ended, or hangs.
    fn fork(&self, order: &ForkOrder) -> io::Result<io::Result<ChildProcess>> {
        pass_stdio(&self.socket, &order.request, &order.stdio)?;
        let mut answer = [0; 4];
        let (count, _) = retry_on_intr(|| recv(&self.socket, &mut answer, RecvFlags::empty()))?;
        if count != answer.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let answer = i32::from_ne_bytes(answer);
        Ok(match Pid::from_raw(answer).filter(|_| answer > 0) {
            Some(pid) => Ok(ChildProcess::adopt(pid)),
            None => Err(Errno::from_raw_os_error(answer.saturating_neg()).into()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_known_by_its_name_and_its_parent() {
        let stat = "17 (aura comms) S 1 17 17 0";
        assert!(is_child_named(stat, 1, &process_name(Some(AgentName::Comms))));
        assert!(!is_child_named(stat, 17, "aura comms"));
        for name in ["aura", "aura com", "aura comms) S", "forks"] {
            assert!(!is_child_named(stat, 1, name), "{name}");
        }
        assert!(!is_child_named("", 1, "aura comms"));
        let longest = AgentName::FOUR
            .map(|agent| process_name(Some(agent)).len())
            .into_iter()
            .max();
        assert!(longest < Some(16), "the kernel cuts what is longer");
    }

    #[test]
    fn the_longest_request_fits() {
        for agent in AgentName::FOUR {
            let request = ForkRequest {
                agent,
                memory_mib: u64::MAX,
                cpu_s: u64::MAX,
            };
            assert!(serde_json::to_vec(&request).unwrap().len() <= REQUEST_MAX);
        }
    }
}
