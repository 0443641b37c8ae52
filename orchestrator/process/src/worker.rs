//! An agent's own process, from its first line to its last.
//!
//! What: [`confine`], which is called before anything else, and [`serve`], which answers frames until the stream ends.
//! Why: all reading and parsing of what comes from outside happens here, where it can end nothing but itself. Not here:
//! the supervisor's side (`agent_process`), agents (`agents`), the command line (`cli::worker`).
//!
//! It is one thread, and does one thing at a time: nothing is to be locked, and a sandbox may forbid threads.

use super::{
    ProcessLimits,
    blocking_frames::BlockingFrames,
    sandbox::{self, SandboxError, SandboxProfile},
};
use agents::{
    contract::AgentSetup,
    host::{AgentHost, ServedCall},
    registry,
};
use rustix::{
    process::{
        DumpableBehavior, Pid, Resource, Rlimit, Signal, getppid, set_dumpable_behavior,
        set_parent_process_death_signal, setrlimit,
    },
    time::{ClockId, clock_gettime},
};
use std::io::{self, Read, Write};
use toolcall_schema::{
    AgentName,
    catalogue::shared::ThingNames,
    gate,
    wire::{self, FrameDecoder, FromAgent, ToAgent, WireError},
};

/// Descriptors that an agent may have open at once.
const FILES_MAX: u64 = 64;

/// Why an agent's process ends early.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// It was not started by a supervisor.
    #[error(
        "`aura worker` is started by `aura run` and speaks to it over its standard input; use `aura run`"
    )]
    Alone,
    /// The supervisor has ended, or another process started this one.
    #[error("the supervisor has ended")]
    Orphan,
    /// A limit could not be set.
    #[error("could not set {what}")]
    Limit {
        what: &'static str,
        #[source]
        source: io::Error,
    },
    /// The supervisor's frame cannot be read, or was not its turn.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// The sandbox could not be entered.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The first frame holds nothing that an agent can be built from.
    #[error("the agent's setup cannot be read; run one build on both sides")]
    Setup(#[source] serde_json::Error),
    /// The stream failed.
    #[error("the supervisor's socket failed")]
    Socket(#[from] io::Error),
}

/// Binds this process to its supervisor and to its limits: it dies with `parent`, has no descriptor but the first three,
/// leaves no core, cannot be looked into by others of the same user, and has bounded memory and descriptors.
///
/// # Errors
/// [`WorkerError`]; nothing may be read then.
pub fn confine(parent: u32, limits: ProcessLimits) -> Result<(), WorkerError> {
    die_with(parent)?;
    bind(limits)
}

/// The same without a supervisor.
///
/// # Errors
/// [`WorkerError`]; nothing may be read then.
pub fn bind(limits: ProcessLimits) -> Result<(), WorkerError> {
    sandbox::close_inherited()?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(limit("that it cannot be dumped"))?;
    let hard = |most| Rlimit {
        current: Some(most),
        maximum: Some(most),
    };
    setrlimit(Resource::Core, hard(0)).map_err(limit("that it leaves no core"))?;
    setrlimit(Resource::Nofile, hard(FILES_MAX)).map_err(limit("the number of its files"))?;
    let bytes = limits.memory_mib.saturating_mul(1024 * 1024);
    setrlimit(Resource::As, hard(bytes)).map_err(limit("the size of its memory"))?;
    Ok(())
}

/// Lets this process die with its supervisor, also when it becomes another program.
///
/// # Errors
/// [`WorkerError::Orphan`] when that one is dead already, or is not the parent.
pub fn die_with(parent: u32) -> Result<(), WorkerError> {
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(limit("the signal of the parent's death"))?;
    // It may have died before that line: then this process has another parent by now.
    let parent = i32::try_from(parent).ok().and_then(Pid::from_raw);
    if parent.is_none() || getppid() != parent {
        return Err(WorkerError::Orphan);
    }
    Ok(())
}

/// For `map_err`: the limit that could not be set.
pub(super) fn limit(what: &'static str) -> impl FnOnce(rustix::io::Errno) -> WorkerError {
    move |errno| WorkerError::Limit {
        what,
        source: errno.into(),
    }
}

/// Gives the process so many more seconds of CPU time; past them the kernel ends it (SIGXCPU).
pub(super) fn more_cpu(limits: ProcessLimits) -> Result<(), WorkerError> {
    give_cpu(cpu_seconds(), limits)
}

/// Whole seconds of CPU time that the process has used.
fn cpu_seconds() -> u64 {
    u64::try_from(clock_gettime(ClockId::ProcessCPUTime).tv_sec).unwrap_or(0)
}

fn give_cpu(used_s: u64, limits: ProcessLimits) -> Result<(), WorkerError> {
    let more = Rlimit {
        // One more: the seconds used are rounded down.
        current: Some(used_s.saturating_add(limits.cpu_s).saturating_add(1)),
        maximum: None,
    };
    setrlimit(Resource::Cpu, more).map_err(limit("its CPU time"))
}

/// Serves one agent until the supervisor says stop or closes the stream.
///
/// # Errors
/// [`WorkerError`]: the framing is in doubt, so the process ends and is started again.
pub fn serve(name: AgentName, limits: ProcessLimits, stream: impl Read + Write) -> Result<(), WorkerError> {
    let mut frames = BlockingFrames::new(stream, FrameDecoder::default());
    let setup = match next(&mut frames)? {
        None | Some(ToAgent::Stop) => return Ok(()),
        Some(ToAgent::Begin { setup }) => setup,
        Some(other) => return Err(unexpected(&other, "`begin`")),
    };
    let setup: AgentSetup = serde_json::from_str(setup.get()).map_err(WorkerError::Setup)?;
    // Before anything from outside is read. From here on only its own sources can be opened.
    let read_only = setup.sources.paths().cloned().collect();
    let sandbox = sandbox::enter(&SandboxProfile::Agent { read_only })?.to_string();
    let agent = registry::build(name, setup).ok_or(WorkerError::Alone)?;
    let mut host = AgentHost::new(agent);
    let catalogue = gate::catalogue_hash().to_owned();
    send(&mut frames, &FromAgent::Ready { catalogue, sandbox })?;
    // The limit counts from whole seconds: within one of them it stays as it is.
    let mut given_at = None;
    while let Some(frame) = next(&mut frames)? {
        match frame {
            ToAgent::Call {
                n,
                at,
                authority,
                ages_upto,
                call,
            } => {
                let used_s = cpu_seconds();
                if given_at != Some(used_s) {
                    give_cpu(used_s, limits)?;
                    given_at = Some(used_s);
                }
                host.count_ages(ages_upto);
                let result = host.call(call.get().as_bytes(), authority, at);
                // What fits no frame is as good as refused: the call's deadline passes.
                let answer = result.and_then(|ServedCall { result, state_change }| {
                    let result = wire::raw(&result).ok()?;
                    let state = state_change;
                    FromAgent::Result { n, result, state }.encode().ok()
                });
                match answer {
                    Some(bytes) => frames.send(&bytes)?,
                    None => send(&mut frames, &FromAgent::Refused { n })?,
                }
            }
            ToAgent::Ping { n } => send(&mut frames, &FromAgent::Pong { n })?,
            ToAgent::Signals { signals } => host.deliver(signals),
            ToAgent::Restore { state } => {
                // A state that cannot be taken up leaves the agent empty: it reads its folders anew.
                if host.restore(state).is_err() {
                    tracing::warn!("the agent's state cannot be restored, it starts empty");
                }
            }
            ToAgent::TellNames { n, state } => {
                let names = host.names_in(state);
                let whole = FromAgent::Names { n, names }.encode();
                let none = || {
                    let names = ThingNames::new();
                    FromAgent::Names { n, names }.encode()
                };
                frames.send(&whole.or_else(|_| none())?)?;
            }
            ToAgent::Names { names } => host.take_names(names),
            ToAgent::Stop => return Ok(()),
            ToAgent::Begin { .. } => return Err(unexpected(&frame, "a call, a ping or what has no answer")),
        }
    }
    Ok(())
}

fn unexpected(found: &ToAgent, expected: &'static str) -> WorkerError {
    WireError::OutOfOrder {
        found: found.name(),
        expected,
    }
    .into()
}

fn next<S: Read>(frames: &mut BlockingFrames<S>) -> Result<Option<ToAgent>, WorkerError> {
    frames.next_frame(ToAgent::decode)
}

fn send<S: Write>(frames: &mut BlockingFrames<S>, frame: &FromAgent) -> Result<(), WorkerError> {
    Ok(frames.send(&frame.encode()?)?)
}
