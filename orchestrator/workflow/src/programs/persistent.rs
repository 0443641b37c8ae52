//! A persistent program with line-framed requests.
//!
//! What: [`PersistentProgram`], one program that is started when it is first asked and again when it has ended; [`PendingRequest`], one question to it
//! with the messages that come. Why: starting an interpreter or loading a model for each asking costs more than the answer. Not here:
//! what the messages say (`host`), how often it is started again (`orchestrator_machine::supervision`).
//!
//! A line is a frame: `{"id": N, "message": {…}}` both ways, and `{"id": N, "cancel": true}` to the program. The id stands outside of
//! the message, because both protocols say what a message is and neither says how to tell two of them apart. With `{"id": N, "ask": NAME}`
//! a program that is asked has the owner asked; with the same and `state` or `refused` it is told how far that is.
//!
//! ```text
//! asking ──► queue of 64 lines ──► writer ──► program ──► reader ──► the asking whose id it is: at most 256 messages, 8 MiB
//! ```

use super::{
    AskTerms, ConnectionRecorder, LaunchContext, ProgramAgent, host, refusal,
    running::{ProcessGroups, RunningProgram, ScratchFolder},
};
use crate::proposals::{self, AgentProposals};
use aura_memory::quarantine::MessageQuarantine;
use aura_platform::{
    line_frame::{LineEnd, read_line},
    supervise::FailureTracker,
};
use aura_process::WorkerProgram;
use crossbeam_channel::{Receiver, RecvTimeoutError, SendTimeoutError, Sender, TrySendError, bounded};
use orchestrator_machine::supervision::{RestartDecision, SupervisedRole};
use rustix::process::{Pid, Signal, kill_process_group};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};
use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufReader, Read, Write},
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};
use tokio::sync::watch;
use toolcall_schema::{protocol::MAX_MESSAGE_BYTES, rejection::RefusalReason};

/// Lines that wait to be written to one program.
const QUEUE: usize = 64;
/// Messages of one asking that nobody has looked at yet ...
const WAITING: usize = 256;
/// ... and their bytes, beyond the first.
const WAITING_BYTES: usize = 8 << 20;
/// Messages of one asking.
const MESSAGES_MAX: u32 = 1000;
/// One line: a message and its frame.
const LINE_MAX: usize = MAX_MESSAGE_BYTES + 256;
/// Lines that answer nothing that was asked; after that many the program is ended.
const STRAYS_MAX: u32 = 100;
/// Askings that were given up and may still be answered, which is no fault.
const GIVEN_UP_MAX: usize = 4096;
/// How long the word to cancel waits for room.
const CANCEL: Duration = Duration::from_millis(100);
/// How long a program may take to end after it has closed its output.
const END: Duration = Duration::from_secs(1);

/// A frame from a program: one of the two. Other members are left alone.
#[derive(Deserialize)]
struct ProgramFrame<'a> {
    id: u64,
    #[serde(borrow, default)]
    message: Option<&'a RawValue>,
    #[serde(default)]
    ask: Option<String>,
    #[serde(default)]
    read: Option<String>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a program is started with.
#[derive(Clone)]
pub(super) struct ProgramLaunch {
    pub(super) agent: ProgramAgent,
    pub(super) program: WorkerProgram,
    pub(super) project: PathBuf,
    /// Its own folder, made when it starts and removed when it has ended.
    pub(super) scratch: PathBuf,
    pub(super) quarantine: Option<MessageQuarantine>,
    pub(super) groups: ProcessGroups,
    pub(super) record: ConnectionRecorder,
}

impl ProgramLaunch {
    fn keep(&self, why: &RefusalReason, said: &[u8]) {
        host::keep(self.quarantine.as_ref(), &self.agent.manifest, why, said);
    }
}

/// One program, kept. Dropping it ends the program.
pub(super) struct PersistentProgram {
    launch: ProgramLaunch,
    state: Mutex<PersistentState>,
}

struct PersistentState {
    started: Option<StartedProgram>,
    failures: FailureTracker,
    /// Before then it is not started again.
    not_before: Instant,
}

struct StartedProgram {
    process: Arc<RunningProcess>,
    /// Closed when nothing of it is left.
    gone: Receiver<()>,
}

impl PersistentProgram {
    pub(super) fn new(launch: ProgramLaunch) -> Self {
        Self {
            launch,
            state: Mutex::new(PersistentState {
                started: None,
                failures: FailureTracker::for_role(SupervisedRole::AgentProcess),
                not_before: Instant::now(),
            }),
        }
    }

    /// Asks it; the messages come out of [`PendingRequest::next`] until the terms' time is over.
    ///
    /// # Errors
    /// It cannot be started, rests, or takes no line in time.
    pub(super) fn ask(
        &self,
        document: &Value,
        terms: impl Into<AskTerms>,
    ) -> Result<PendingRequest, RefusalReason> {
        let terms = terms.into();
        let begun = Instant::now();
        let until = begun + terms.limit;
        let process = self.process(until)?;
        process.ask(&self.launch, document, (begun, until), terms)
    }

    /// The running program, started if there is none.
    fn process(&self, until: Instant) -> Result<Arc<RunningProcess>, RefusalReason> {
        loop {
            let not_before = {
                let mut state = lock(&self.state);
                if let Some(started) = &state.started {
                    if lock(&started.process.table).over.is_none() {
                        return Ok(Arc::clone(&started.process));
                    }
                    state.started = None;
                    let after_ms = match state.failures.failed() {
                        RestartDecision::Restart { after_ms, .. } => after_ms,
                        // Not of this role.
                        RestartDecision::Escalate => 0,
                    };
                    state.not_before = Instant::now() + Duration::from_millis(after_ms);
                }
                if state.not_before <= Instant::now() {
                    let started = start(&self.launch)?;
                    let process = Arc::clone(&started.process);
                    state.started = Some(started);
                    return Ok(process);
                }
                state.not_before
            };
            if not_before > until {
                return Err(refusal::new(
                    "PROGRAM-005",
                    "it ended too often and rests; what it wrote to its standard error is in the log",
                ));
            }
            if self.launch.groups.ended_by(not_before) {
                return Err(refusal::ended("the run has ended"));
            }
        }
    }
}

impl Drop for PersistentProgram {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(started) = state.started.take() {
            started.process.kill();
            // Closed, or something that it started holds its output: then that is not waited for.
            let _ = started.gone.recv_timeout(END);
        }
    }
}

/// A program that runs, as those who ask it see it.
struct RunningProcess {
    /// `None`: it was waited for, so the number may be somebody else's.
    group: Mutex<Option<Pid>>,
    lines: Sender<Vec<u8>>,
    table: Mutex<RequestTable>,
}

/// Who waits for what.
struct RequestTable {
    last: u64,
    open: BTreeMap<u64, OpenRequest>,
    given_up: BTreeSet<u64>,
    strays: u32,
    last_line: Instant,
    /// It has ended, and why.
    over: Option<RefusalReason>,
}

struct OpenRequest {
    tell: Sender<ProgramMessage>,
    waiting_bytes: Arc<AtomicUsize>,
    messages: u32,
}

enum ProgramMessage {
    Message(Vec<u8>),
    /// It wants the owner asked what stands under this name.
    Ask(String),
    /// It wants to read what stands under this name.
    Read(String),
    Refused(RefusalReason),
}

impl RunningProcess {
    fn kill(&self) {
        if let Some(group) = *lock(&self.group) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    fn ask(
        self: Arc<Self>,
        launch: &ProgramLaunch,
        document: &Value,
        (begun, until): (Instant, Instant),
        terms: AskTerms,
    ) -> Result<PendingRequest, RefusalReason> {
        let limit = terms.limit;
        // One for the word that it ended.
        let (tell, said) = bounded(WAITING + 1);
        let waiting_bytes = Arc::new(AtomicUsize::new(0));
        let id = {
            let mut table = lock(&self.table);
            if let Some(why) = &table.over {
                return Err(why.clone());
            }
            table.last += 1;
            let id = table.last;
            let open = OpenRequest {
                tell,
                waiting_bytes: Arc::clone(&waiting_bytes),
                messages: 0,
            };
            table.open.insert(id, open);
            id
        };
        let asking = PendingRequest {
            process: self,
            launch: launch.clone(),
            id,
            said,
            waiting_bytes,
            begun,
            until,
            limit,
            is_over: false,
            proposals: terms.proposals,
            proposed: BTreeSet::new(),
            was_read: BTreeSet::new(),
            over: watch::channel(false).0,
        };
        let line = format!("{{\"id\":{id},\"message\":{document}}}\n");
        match asking.process.lines.send_deadline(line.into_bytes(), until) {
            // Nobody writes any more: that it ended is said to who waits.
            Ok(()) | Err(SendTimeoutError::Disconnected(_)) => Ok(asking),
            Err(SendTimeoutError::Timeout(_)) => Err(refusal::late(limit)),
        }
    }

    /// Takes in a line.
    fn take(&self, launch: &ProgramLaunch, line: &[u8]) -> Result<(), RefusalReason> {
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        let frame = serde_json::from_slice::<ProgramFrame<'_>>(line).ok();
        let said = frame.and_then(|frame| match (frame.message, frame.ask, frame.read) {
            (Some(message), None, None) => {
                let bytes = message.get().as_bytes().to_vec();
                Some((frame.id, bytes.len(), ProgramMessage::Message(bytes)))
            }
            (None, Some(name), None) => Some((frame.id, name.len(), ProgramMessage::Ask(name))),
            (None, None, Some(name)) => Some((frame.id, name.len(), ProgramMessage::Read(name))),
            (..) => None,
        });
        let Some((id, bytes, said)) = said else {
            let why = refusal::new(
                "PROTO-001",
                "a line of its standard output is no frame, and it was ended; print one {\"id\": N, \"message\": {…}} a line, and what is for a person to the standard error",
            );
            launch.keep(&why, line);
            return Err(why);
        };
        let mut table = lock(&self.table);
        table.last_line = Instant::now();
        if let Some(open) = table.open.get_mut(&id) {
            open.messages += 1;
            let waiting = open.waiting_bytes.fetch_add(bytes, Ordering::Relaxed);
            let too_much =
                open.messages > MESSAGES_MAX || waiting > WAITING_BYTES || open.tell.len() >= WAITING;
            let said = if too_much {
                ProgramMessage::Refused(refusal::new(
                    "PROGRAM-003",
                    "it sent more than 1000 messages for one asking, or more at once than could be read; send fewer",
                ))
            } else {
                said
            };
            let gone = matches!(open.tell.try_send(said), Err(TrySendError::Disconnected(_)));
            if too_much || gone {
                table.give_up(id);
            }
            return Ok(());
        }
        if table.given_up.contains(&id) {
            return Ok(());
        }
        table.strays += 1;
        let strays = table.strays;
        drop(table);
        let why = stray();
        launch.keep(&why, line);
        if strays >= STRAYS_MAX { Err(why) } else { Ok(()) }
    }

    /// It has ended: says so to all who wait.
    fn ended(&self, why: &RefusalReason) {
        let mut table = lock(&self.table);
        table.over = Some(why.clone());
        for open in std::mem::take(&mut table.open).into_values() {
            // There is one place more than messages are let in.
            let _ = open.tell.try_send(ProgramMessage::Refused(why.clone()));
        }
    }
}

impl RequestTable {
    /// Nobody waits for it any more; answers that still come are no fault.
    fn give_up(&mut self, id: u64) {
        self.open.remove(&id);
        self.given_up.insert(id);
        if self.given_up.len() > GIVEN_UP_MAX {
            self.given_up.pop_first();
        }
    }
}

fn stray() -> RefusalReason {
    refusal::at(
        "PROTO-005",
        "/id",
        "nothing of this id is open: it was never asked, or is answered already; answer each id once, in the base protocol up to the first status that is over",
    )
}

/// One question. Dropping it before it is over tells the program to cancel.
pub(super) struct PendingRequest {
    process: Arc<RunningProcess>,
    launch: ProgramLaunch,
    id: u64,
    said: Receiver<ProgramMessage>,
    waiting_bytes: Arc<AtomicUsize>,
    begun: Instant,
    until: Instant,
    limit: Duration,
    is_over: bool,
    proposals: Option<Arc<AgentProposals>>,
    /// What it has proposed: each name is told of once.
    proposed: BTreeSet<String>,
    /// What it has read: each name once as well.
    was_read: BTreeSet<String>,
    /// Dropped with this: then nothing is told any more.
    over: watch::Sender<bool>,
}

impl PendingRequest {
    /// The next message that it sends.
    ///
    /// # Errors
    /// It ended, sends too much, or the time is over (`PROGRAM-004`).
    pub(super) fn next(&mut self) -> Result<Vec<u8>, RefusalReason> {
        loop {
            match self.said.recv_deadline(self.until) {
                Ok(ProgramMessage::Message(bytes)) => {
                    self.waiting_bytes.fetch_sub(bytes.len(), Ordering::Relaxed);
                    return Ok(bytes);
                }
                Ok(ProgramMessage::Ask(name)) => {
                    self.waiting_bytes.fetch_sub(name.len(), Ordering::Relaxed);
                    self.propose(&name);
                }
                Ok(ProgramMessage::Read(name)) => {
                    self.waiting_bytes.fetch_sub(name.len(), Ordering::Relaxed);
                    self.read(&name);
                }
                Ok(ProgramMessage::Refused(why)) => return Err(why),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    return Err(refusal::late(self.limit));
                }
            }
        }
    }

    /// Has the owner asked what stands under this name, and the program told each change.
    fn propose(&mut self, name: &str) {
        let tell = self.teller("ask", name);
        match &self.proposals {
            Some(proposals) => {
                let is_known = proposals.has(name);
                if !is_known || self.proposed.insert(name.to_owned()) {
                    proposals.propose(name, self.over.subscribe(), tell);
                }
            }
            None => proposals::nothing_allowed(tell),
        }
    }

    /// Reads what stands under this name, and has the program told the answer.
    fn read(&mut self, name: &str) {
        let tell = self.teller("read", name);
        match &self.proposals {
            Some(proposals) => {
                if !proposals.has_read(name) || self.was_read.insert(name.to_owned()) {
                    proposals.read(name, tell);
                }
            }
            None => proposals::nothing_allowed(tell),
        }
    }

    /// Who tells the program what came of something that it named.
    fn teller(&self, what: &'static str, name: &str) -> impl Fn(Value) -> bool + Send + use<> {
        let (id, lines, over) = (self.id, self.process.lines.clone(), self.over.subscribe());
        let name = name.to_owned();
        move |mut said: Value| {
            said["id"] = id.into();
            said[what] = name.clone().into();
            // Where so many lines wait, it does not read what it is told.
            over.has_changed().is_ok() && lines.try_send(format!("{said}\n").into_bytes()).is_ok()
        }
    }

    /// How long it has taken.
    pub(super) fn took(&self) -> Duration {
        self.begun.elapsed()
    }

    /// That was the last message. What came after it is refused.
    pub(super) fn finish(mut self) {
        self.is_over = true;
        let mut table = lock(&self.process.table);
        table.open.remove(&self.id);
        let strays: Vec<ProgramMessage> = self.said.try_iter().collect();
        table.strays += u32::try_from(strays.len()).unwrap_or(u32::MAX);
        drop(table);
        for said in strays {
            match said {
                ProgramMessage::Message(bytes) => self.launch.keep(&stray(), &bytes),
                ProgramMessage::Ask(_) | ProgramMessage::Read(_) | ProgramMessage::Refused(_) => {}
            }
        }
    }
}

impl Drop for PendingRequest {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let hangs = {
            let mut table = lock(&self.process.table);
            table.give_up(self.id);
            // It said nothing to anybody for the whole time of this one, and nobody else waits.
            Instant::now() >= self.until && table.last_line < self.begun && table.open.is_empty()
        };
        let cancel = format!("{{\"id\":{},\"cancel\":true}}\n", self.id);
        // Where the queue is full a little longer it is not told: what it answers is left alone all the same.
        let _ = self.process.lines.send_timeout(cancel.into_bytes(), CANCEL);
        if hangs {
            tracing::warn!(agent = self.launch.agent.manifest.name, "it hangs, and is ended");
            self.process.kill();
        }
    }
}

/// Starts the program on a thread of its own, which reads what it says and waits for its end: the kernel ends a program with the
/// thread that started it.
fn start(launch: &ProgramLaunch) -> Result<StartedProgram, RefusalReason> {
    let (tell, told) = bounded(1);
    let (left, gone) = bounded(0);
    let launch = launch.clone();
    let thread = thread::Builder::new().name(format!("program {}", launch.agent.manifest.name));
    thread
        .spawn(move || {
            let _left: Sender<()> = left;
            serve(&launch, &tell);
        })
        .map_err(|error| refusal::not_started(&error))?;
    let process = told
        .recv()
        .unwrap_or_else(|_| Err(refusal::ended("it ended before it was asked anything")))?;
    Ok(StartedProgram { process, gone })
}

/// One life of the program.
fn serve(launch: &ProgramLaunch, tell: &Sender<Result<Arc<RunningProcess>, RefusalReason>>) {
    let begin = || {
        let scratch = ScratchFolder::new(launch.scratch.clone())?;
        let place = LaunchContext {
            program: &launch.program,
            project: &launch.project,
            scratch: scratch.path(),
            groups: &launch.groups,
            record: &launch.record,
        };
        let running = RunningProgram::start(&launch.agent, &place)?;
        Ok((scratch, running))
    };
    let (_scratch, mut running) = match begin() {
        Ok(begun) => begun,
        Err(error) => {
            let _ = tell.send(Err(refusal::not_started(&error)));
            return;
        }
    };
    let group = running.child.pid();
    let (stdin, stdout) = (running.take_stdin(), running.child.take_stdout());
    let (lines, queue) = bounded(QUEUE);
    let process = Arc::new(RunningProcess {
        group: Mutex::new(Some(group)),
        lines,
        table: Mutex::new(RequestTable {
            last: 0,
            open: BTreeMap::new(),
            given_up: BTreeSet::new(),
            strays: 0,
            last_line: Instant::now(),
            over: None,
        }),
    });
    thread::spawn(move || stdin.map(|pipe| write(pipe, &queue)));
    // Who asked for it may have gone.
    let _ = tell.send(Ok(Arc::clone(&process)));
    let fault = stdout.and_then(|pipe| read(pipe, &process, launch).err());
    let status = match fault {
        None => running.ended(Instant::now() + END),
        Some(_) => None,
    };
    *lock(&process.group) = None;
    let why = fault.unwrap_or_else(|| refusal::ended(running.why(status)));
    drop(running);
    tracing::info!(agent = launch.agent.manifest.name, %why, "a long-running program ended");
    process.ended(&why);
}

fn write(mut pipe: impl Write, queue: &Receiver<Vec<u8>>) {
    while let Ok(line) = queue.recv() {
        // Its end is seen by who reads.
        if pipe.write_all(&line).is_err() {
            return;
        }
    }
}

/// Reads until it closes its output.
///
/// # Errors
/// It says what cannot be told apart any more.
fn read(pipe: impl Read, process: &RunningProcess, launch: &ProgramLaunch) -> Result<(), RefusalReason> {
    let mut reader = BufReader::with_capacity(64 << 10, pipe);
    let mut line = Vec::new();
    loop {
        match read_line(&mut reader, LINE_MAX, &mut line) {
            // A line without an end is its last, torn by its end.
            Ok(LineEnd::Torn) | Err(_) => return Ok(()),
            Ok(LineEnd::TooLong) => {
                let why = refusal::too_much();
                launch.keep(&why, &line);
                return Err(why);
            }
            Ok(LineEnd::Whole) => process.take(launch, &line)?,
        }
    }
}
