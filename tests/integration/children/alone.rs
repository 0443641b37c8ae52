//! One process of an agent without a service: its own refusals, and its place's.

use super::until;
use agents::contract::{
    AgentCall, AgentCallError, AgentCheckpoint, AgentReply, AgentSetup, AgentTransport, AnsweredCall,
    IngestInput,
};
use aura_process::{
    AgentLaunch, AgentOrigin, AgentProcessReport, AgentStatusRegistry, ForkServer, ProcessLimits,
    WorkerProgram,
    agent_process::{self, AgentProcessClient},
    sandbox::SandboxLevel,
};
use aura_runtime::config::HomeConfig;
use serde_json::{Value, json};
use std::{
    io::{Read as _, Write as _},
    os::unix::{fs::PermissionsExt as _, net::UnixStream},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};
use toolcall_schema::{
    AgentName, Authority, Dispatch, Timestamp,
    gate::{self, GateClock},
    ids::OwnerSeed,
    signal::Signal,
    wire::{FrameDecoder, FromAgent, ToAgent, raw},
};

const AT: &str = "2026-11-03T12:00:00Z";

fn at() -> Timestamp {
    Timestamp::parse(AT).unwrap()
}

fn setup() -> AgentSetup {
    let home = HomeConfig::of_day(Path::new("day.toml"), "UTC", 3).unwrap();
    home.setup(&OwnerSeed::from_day_seed("children"))
}

fn begin() -> Vec<u8> {
    let setup = serde_json::value::to_raw_value(&setup()).unwrap();
    ToAgent::Begin { setup }.encode().unwrap()
}

fn framed(body: &str) -> Vec<u8> {
    let mut bytes = u32::try_from(body.len()).unwrap().to_be_bytes().to_vec();
    bytes.extend_from_slice(body.as_bytes());
    bytes
}

/// A process that is given some bytes and then the end of the stream: exit code, frames' bytes, standard error.
fn fed(bytes: &[u8]) -> (Option<i32>, Vec<u8>, String) {
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    let (mut printed, stdout) = std::io::pipe().unwrap();
    let (mut told, stderr) = std::io::pipe().unwrap();
    let stdio = [theirs.into(), stdout.into(), stderr.into()];
    let server = ForkServer::new(WorkerProgram(aura()));
    let forked = server.fork(AgentName::Comms, ProcessLimits::AGENT, stdio);
    let mut child = actix::System::new().block_on(forked).unwrap();
    ours.write_all(bytes).unwrap();
    ours.shutdown(std::net::Shutdown::Write).unwrap();
    let mut said = Vec::new();
    ours.read_to_end(&mut said).unwrap();
    let (mut out, mut err) = (String::new(), String::new());
    printed.read_to_string(&mut out).unwrap();
    told.read_to_string(&mut err).unwrap();
    assert_eq!(out, "", "nothing is printed");
    (child.wait().unwrap().code(), said, err)
}

#[test]
fn a_process_that_is_fed_what_is_no_frame_ends_with_1_and_the_code() {
    let ping = ToAgent::Ping { n: 1 }.encode().unwrap();
    let signals = framed(r#"{"v":1,"frame":"signals","signals":[{"id":"n-1"}]}"#);
    for (bytes, code) in [
        (vec![0xff; 4096], "WIRE-001"),
        (begin()[..20].to_vec(), "WIRE-002"),
        (framed(r#"{"v":0,"frame":"stop"}"#), "WIRE-003"),
        (framed("no frame"), "WIRE-004"),
        (
            framed(r#"{"v":1,"frame":"ready","catalogue":"","sandbox":""}"#),
            "WIRE-004",
        ),
        ([begin(), signals].concat(), "WIRE-005"),
        (ping, "WIRE-006"),
        ([begin(), begin()].concat(), "WIRE-006"),
    ] {
        let (exit, _, err) = fed(&bytes);
        assert_eq!(exit, Some(1), "{code}: {err}");
        assert!(err.contains(&format!("aura: {code}: ")), "{code}: {err}");
    }
}

#[test]
fn a_process_says_ready_answers_in_order_and_ends_with_its_stream() {
    let stop = ToAgent::Stop.encode().unwrap();
    let ping = |n| ToAgent::Ping { n }.encode().unwrap();
    let (exit, said, err) = fed(&[begin(), ping(7), ping(8), stop, vec![0xff; 8]].concat());
    // What comes after `stop` is not read.
    assert_eq!((exit, err.as_str()), (Some(0), ""));
    let mut frames = FrameDecoder::default();
    frames.push(&said);
    let ready = FromAgent::decode(frames.next_body().unwrap().unwrap()).unwrap();
    let FromAgent::Ready { catalogue, sandbox } = &ready else {
        panic!("{ready:?}")
    };
    assert_eq!(catalogue, gate::catalogue_hash());
    assert!(
        sandbox.parse::<SandboxLevel>().is_ok(),
        "it says what is enforced: {sandbox}"
    );
    let pong = |n| FromAgent::Pong { n }.encode().unwrap();
    assert_eq!(said, [ready.encode().unwrap(), pong(7), pong(8)].concat());
    assert_eq!(fed(&[]).0, Some(0), "nobody began");
}

#[test]
fn a_process_that_nobody_of_ours_started_says_so() {
    let run = |parent: u32| {
        let done = Command::new(aura())
            .args(["worker", "forks", "--parent", &parent.to_string()])
            .env_clear()
            .stdin(Stdio::null())
            .output()
            .unwrap();
        (done.status.code(), String::from_utf8(done.stderr).unwrap())
    };
    let (exit, err) = run(std::process::id());
    assert_eq!(exit, Some(2));
    assert!(err.contains("is started by `aura run`"), "{err}");
    // 1 is the parent of nothing that a test starts.
    let (exit, err) = run(1);
    assert_eq!(exit, Some(1));
    assert!(err.contains("the supervisor has ended"), "{err}");
}

/// A place with its board.
struct Kept {
    place: AgentProcessClient,
    board: AgentStatusRegistry,
    /// Where the agent is by the journal.
    checkpoint: AgentCheckpoint,
}

fn kept(origin: AgentOrigin, limits: ProcessLimits, setup: &AgentSetup) -> Kept {
    let launch = AgentLaunch {
        agent: AgentName::Comms,
        origin,
        setup: serde_json::value::to_raw_value(setup).unwrap(),
        sources: setup.sources.paths().cloned().collect(),
        limits,
    };
    let board = AgentStatusRegistry::default();
    let (place, _) = agent_process::start(launch, board.clone());
    Kept {
        place,
        board,
        checkpoint: AgentCheckpoint::default(),
    }
}

impl Kept {
    fn report(&self) -> AgentProcessReport {
        self.board
            .reports()
            .get(&AgentName::Comms)
            .cloned()
            .unwrap_or_default()
    }

    /// Waits until the report satisfies something, at most 60 s.
    async fn until(&self, what: &str, is: impl Fn(&AgentProcessReport) -> bool) -> AgentProcessReport {
        let mut reports = self.board.watch();
        let mut of_comms = |reports: &std::collections::BTreeMap<_, AgentProcessReport>| {
            reports.get(&AgentName::Comms).is_some_and(&is)
        };
        let wait = tokio::time::timeout(Duration::from_mins(1), reports.wait_for(&mut of_comms));
        assert!(wait.await.is_ok(), "no {what} within 60 s: {:?}", self.report());
        self.report()
    }

    async fn ask(&mut self, args: &Value, signals: Vec<Signal>) -> Result<Value, AgentCallError> {
        let answer = self.answer("ingest", args, signals).await?;
        Ok(serde_json::from_slice(&answer.result).unwrap())
    }

    async fn answer(
        &mut self,
        tool: &str,
        args: &Value,
        signals: Vec<Signal>,
    ) -> Result<AnsweredCall, AgentCallError> {
        let call = json!({
            "call_id": "t_abcdefghij", "agent": "comms", "tool": tool, "args": args, "ts": AT, "confirm_required": tool == "reset_learned",
        });
        let raw = serde_json::to_vec(&call).unwrap();
        let admitted = gate::admit(&raw, GateClock::At(at())).unwrap();
        let dispatch = Dispatch::new(admitted, Authority::Confirmed).unwrap();
        match self.place.ask(AgentCall {
            dispatch,
            raw,
            at: at(),
            input: IngestInput {
                from: self.checkpoint.clone(),
                signals,
                ages_upto: None,
            },
        }) {
            AgentReply::Now(answer) => answer,
            AgentReply::Later(answer) => tokio::time::timeout(Duration::from_mins(1), answer)
                .await
                .unwrap()
                .unwrap_or(Err(AgentCallError::NotBegun)),
        }
    }

    /// Looks at the files; the answer is not journalled.
    async fn ingest(&mut self) -> Result<Value, AgentCallError> {
        self.read(vec![]).await
    }

    /// Reads signals; the answer is not journalled.
    async fn read(&mut self, signals: Vec<Signal>) -> Result<Value, AgentCallError> {
        let ids: Vec<&str> = signals.iter().map(|signal| signal.id.as_str()).collect();
        let args = json!({"cursor": 0, "signal_ids": ids});
        self.ask(&args, signals).await
    }

    /// An answer is in the journal.
    fn journalled(&mut self, answer: &Value) {
        let change = Some(answer["result"]["agent_state"].clone()).filter(|change| !change.is_null());
        self.checkpoint = self.checkpoint.following(change);
        self.place.set_checkpoint(self.checkpoint.clone());
    }
}

fn aura() -> PathBuf {
    env!("CARGO_BIN_EXE_aura").into()
}

fn by_fork_server() -> AgentOrigin {
    AgentOrigin::Forked(ForkServer::new(WorkerProgram(aura())))
}

fn note(id: &str, text: &str) -> Signal {
    let payload = json!({"app": "org.example.chat", "channel": "Hilltop", "sender": "Wim", "text": text});
    let signal = json!({"id": id, "at": AT, "source": "phone", "kind": "notification", "payload": payload});
    serde_json::from_value(signal).unwrap()
}

#[actix::test]
async fn a_new_process_goes_on_from_the_journalled_state_and_reads_again_what_was_not_journalled() {
    let mut kept = kept(by_fork_server(), ProcessLimits::AGENT, &setup());
    let first = kept.read(vec![note("n-1", "one")]).await.unwrap();
    assert_eq!(first["result"]["read"], 1);
    kept.journalled(&first);
    let pid = |report: &AgentProcessReport| report.pid;
    let before = kept.until("process", |report| report.pid.is_some()).await;
    // Read, and not journalled: the process is elsewhere than the journal, and another one begins where the journal is.
    assert_eq!(
        kept.read(vec![note("n-2", "two")]).await.unwrap()["result"]["read"],
        1
    );
    let again = kept
        .read(vec![note("n-1", "one"), note("n-2", "two")])
        .await
        .unwrap();
    assert_eq!(again["result"]["read"], 1, "n-1 is known from the state: {again}");
    assert_ne!(pid(&kept.report()), pid(&before));
    assert_eq!(kept.report().restarts, 0, "that is no failure");
    // The same after a death.
    super::send(kept.report().pid.unwrap(), rustix::process::Signal::KILL);
    kept.until("restart", |report| report.restarts == 1 && report.pid.is_some())
        .await;
    let again = kept
        .read(vec![note("n-1", "one"), note("n-2", "two")])
        .await
        .unwrap();
    assert_eq!(again["result"]["read"], 1, "{again}");
    // The state went on from the first ingest, whose cursor was 1.
    let cursor = first["result"]["cursor"].as_u64().unwrap();
    assert!(again["result"]["cursor"].as_u64().unwrap() > cursor, "{again}");
    // Journalled: the same process goes on.
    let before = kept.report();
    kept.journalled(&again);
    assert_eq!(
        kept.read(vec![note("n-3", "three")]).await.unwrap()["result"]["read"],
        1
    );
    assert_eq!(pid(&kept.report()), pid(&before));
}

#[actix::test]
async fn an_act_leaves_its_state_and_what_is_read_behind_it_goes_on_from_there() {
    let mut kept = kept(by_fork_server(), ProcessLimits::AGENT, &setup());
    let first = kept.read(vec![note("n-1", "one")]).await.unwrap();
    kept.journalled(&first);
    let before = kept.until("process", |report| report.pid.is_some()).await;
    let act = kept.answer("reset_learned", &json!({}), vec![]).await.unwrap();
    assert!(act.state_change.is_some_and(|state| state.is_object()));
    assert_eq!(act.from, Some(1));
    // The act is on its way into the journal: the same process reads on, and says that it began behind the act.
    let signals = vec![note("n-2", "two")];
    let args = json!({"cursor": 0, "signal_ids": ["n-2"]});
    let read = kept.answer("ingest", &args, signals).await.unwrap();
    assert_eq!((read.from, read.state_change), (Some(2), None));
    assert_eq!(kept.report().pid, before.pid);
    // Neither came into the journal: another process begins where that is.
    let again = kept.read(vec![note("n-2", "two")]).await.unwrap();
    assert_eq!(again["result"]["read"], 1, "{again}");
    assert_ne!(kept.report().pid, before.pid);
    // What only looks leaves no state.
    let looked = kept.answer("list_learned", &json!({}), vec![]).await.unwrap();
    assert_eq!(looked.state_change, None);
}

#[actix::test]
async fn a_call_in_flight_when_the_process_dies_is_answered_at_once() {
    // It says ready, takes a call and dies of it.
    let dir = tempfile::tempdir().unwrap();
    let ready = FromAgent::Ready {
        catalogue: gate::catalogue_hash().to_owned(),
        sandbox: "none".to_owned(),
    };
    let some_of_the_call = begin().len() + 20;
    let program = script(
        dir.path(),
        &ready.encode().unwrap(),
        &format!("head -c {some_of_the_call} <&0 >/dev/null; kill -KILL $$"),
    );
    let mut kept = kept(
        AgentOrigin::Program(WorkerProgram(program)),
        ProcessLimits::AGENT,
        &setup(),
    );
    assert_eq!(kept.ingest().await, Err(AgentCallError::Ended { own: false }));
    assert_eq!(
        kept.until("end", |report| report.restarts > 0)
            .await
            .ends
            .last()
            .map(ToString::to_string)
            .as_deref(),
        Some("it ended (signal 9)")
    );
}

/// A program that is no agent: writes these bytes to its supervisor, then does something.
fn script(dir: &Path, bytes: &[u8], then: &str) -> PathBuf {
    let path = dir.join("program");
    let octal: Vec<String> = bytes.iter().map(|byte| format!("\\{byte:03o}")).collect();
    let octal = octal.concat();
    std::fs::write(&path, format!("#!/bin/sh\nprintf '{octal}' >&0\n{then}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
    path
}

#[actix::test]
async fn whatever_a_process_writes_its_supervisor_refuses_it_with_a_code_and_goes_on() {
    let other = FromAgent::Ready {
        catalogue: "another".to_owned(),
        sandbox: "none".to_owned(),
    };
    let pong = FromAgent::Pong { n: 1 }.encode().unwrap();
    let hold = "exec sleep 60";
    // Nothing that it was told is left unread: the stream ends in order.
    let read_all = format!("head -c {} <&0 >/dev/null", begin().len());
    for (bytes, then, end) in [
        (vec![0xff; 64], hold, "WIRE-001: "),
        (vec![0, 0, 0, 9, b'{'], read_all.as_str(), "WIRE-002: "),
        (framed(r#"{"v":9,"frame":"ready"}"#), hold, "WIRE-003: "),
        (framed("garbage"), hold, "WIRE-004: "),
        (framed(r#"{"v":1,"frame":"stop"}"#), hold, "WIRE-004: "),
        (pong, hold, "WIRE-006: a frame `pong`"),
        (other.encode().unwrap(), hold, "WIRE-007: "),
        (vec![], "exit 3", "it ended (exit code 3)"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let program = WorkerProgram(script(dir.path(), &bytes, then));
        let mut kept = kept(AgentOrigin::Program(program), ProcessLimits::AGENT, &setup());
        let report = kept.until(end, |report| report.restarts > 0).await;
        assert!(
            report.ends.last().unwrap().to_string().starts_with(end),
            "{end}: {report:?}"
        );
        // Five times, and then it rests: a question is answered at once.
        kept.until("rest", |report| report.rests).await;
        assert_eq!(kept.ingest().await, Err(AgentCallError::NotBegun));
    }
}

/// The address space of a process in MiB: what the limit counts, its program's code included.
fn size_mib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmSize:"))
        .unwrap();
    let kib: u64 = line.trim().strip_suffix(" kB").unwrap().parse().unwrap();
    kib.div_ceil(1024)
}

#[actix::test]
async fn a_process_that_grows_past_its_memory_dies_alone_and_lives_again() {
    let program = {
        let mut roomy = kept(by_fork_server(), ProcessLimits::AGENT, &setup());
        roomy.ingest().await.unwrap();
        size_mib(roomy.report().pid.unwrap())
    };
    let limits = ProcessLimits {
        memory_mib: program + 16,
        ..ProcessLimits::AGENT
    };
    let mut kept = kept(by_fork_server(), limits, &setup());
    kept.ingest().await.unwrap();
    // 48 KiB each: so many in one ingest are more than its memory, with the program itself.
    let payload = json!({"message": "x".repeat(48 * 1024)});
    let mail = |n: usize| -> Signal {
        let id = format!("m-{n}");
        let mail = json!({"id": id, "at": AT, "source": "phone", "kind": "mail", "payload": payload});
        serde_json::from_value(mail).unwrap()
    };
    let too_much: Vec<Signal> = (0..1024).map(mail).collect();
    let args = json!({"cursor": 0, "signal_ids": ["m-0"]});
    let answer = kept.ask(&args, too_much).await;
    assert_eq!(answer, Err(AgentCallError::Ended { own: true }));
    let report = kept.until("death", |report| report.restarts > 0).await;
    assert_eq!(report.ends.last().unwrap().to_string(), "it ended (signal 6)");
    kept.until("life after it", |report| report.pid.is_some()).await;
    assert!(kept.ingest().await.is_ok(), "{:?}", kept.report());
}

#[actix::test]
async fn a_process_that_spins_over_its_files_is_ended_and_its_signals_are_read_by_the_next() {
    // More than a process may do within the one second of CPU time that it has here.
    // What is read is bounded; looking for it is not, when somebody names one folder six hundred times.
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("mail");
    std::fs::create_dir(&folder).unwrap();
    for n in 0..1000 {
        std::fs::write(folder.join(n.to_string()), "no mail").unwrap();
    }
    let mut setup = setup();
    setup.sources.mail = vec![folder.clone(); 600];
    let limits = ProcessLimits {
        cpu_s: 0,
        ..ProcessLimits::AGENT
    };
    let mut kept = kept(by_fork_server(), limits, &setup);
    for crashes in 1..=2 {
        assert_eq!(kept.ingest().await, Err(AgentCallError::Ended { own: true }));
        let report = kept
            .until("restart", |report| {
                report.restarts == crashes && report.pid.is_some()
            })
            .await;
        assert_eq!(report.ends.last().unwrap().to_string(), "it ended (signal 24)");
    }
    assert_eq!(
        kept.report().set_aside,
        Vec::<String>::new(),
        "what an ingest reads is set aside elsewhere"
    );
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(
        kept.read(vec![note("n-2", "good")]).await.unwrap()["result"]["read"],
        1
    );
}

#[actix::test]
async fn a_source_that_comes_or_is_replaced_is_read_by_a_process_whose_sandbox_knows_it() {
    let dir = tempfile::tempdir().unwrap();
    let (file, new) = (dir.path().join("notes.jsonl"), dir.path().join("new.jsonl"));
    let line = |id| serde_json::to_string(&note(id, "a line")).unwrap() + "\n";
    let mut setup = setup();
    setup.sources.notifications = vec![file.clone()];
    let mut kept = kept(by_fork_server(), ProcessLimits::AGENT, &setup);
    assert_eq!(
        kept.ingest().await.unwrap()["result"]["read"],
        0,
        "it is not there"
    );
    std::fs::write(&file, line("n-1")).unwrap();
    let first = kept.ingest().await.unwrap();
    assert_eq!(first["result"]["read"], 1, "{first}");
    kept.journalled(&first);
    // Written anew beside it and moved over it, as careful programs do.
    std::fs::write(&new, line("n-1") + &line("n-2")).unwrap();
    std::fs::rename(&new, &file).unwrap();
    let second = kept.ingest().await.unwrap();
    assert_eq!(second["result"]["skipped"], 0, "{second}");
    assert!(second["result"]["read"].as_u64().unwrap() > 0, "{second}");
    // Neither was a failure.
    assert_eq!(kept.report().restarts, 0);
}

#[test]
fn nothing_of_a_place_is_left_when_it_is_gone() {
    let pid = actix::System::new().block_on(async {
        let kept = kept(by_fork_server(), ProcessLimits::AGENT, &setup());
        kept.until("process", |report| report.pid.is_some())
            .await
            .pid
            .unwrap()
    });
    until("end", || (!super::lives(pid)).then_some(()));
}

#[test]
fn a_frame_holds_any_admitted_call() {
    // The largest call that the gate admits is 64 KiB.
    let call = raw(format!("\"{}\"", "x".repeat(gate::MAX_CALL_BYTES - 2)).as_bytes()).unwrap();
    let frame = ToAgent::Call {
        n: u64::MAX,
        at: at(),
        authority: Authority::Confirmed,
        ages_upto: None,
        call,
    };
    assert!(frame.encode().is_ok());
}
