//! A full disk and a clock that is set, through the real actors under a virtual clock.
//!
//! What: the store's own fault seam, and the recorded day of a full disk. Why: what is tested is what runs. Not here: the
//! machine alone (its `tests/clock.rs`), a database that is really full (`aura-memory`).

use aura_days::day::DayScript;
use aura_memory::{
    Store, StoreError, StoreOptions, StoreReader, Vault,
    quarantine::{self, QuarantineKind, file_path},
};
use aura_platform::{clock::Clock, in_flight::InFlight};
use aura_runtime::{
    accounts::LiveAccounts,
    actors::orchestrator::{StateSnapshot, Stop},
    config::HomeConfig,
    wiring::{self, AgentHosting, OpenedFolder, RunningSystem, SystemParts},
};
use llm_runtime::AbsentModel;
use orchestrator_machine::{
    MachineEnv,
    policy::{DEFAULT_TEXT, Policy},
};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};
use surfaces_base::backend::{Backend, BackendError, HealthFlag};
use tokio::sync::oneshot;
use toolcall_schema::{
    AgentStatus, Outcome, ReasonCode, StateName, Surface, Timestamp, gate,
    ids::OwnerSeed,
    signal::{AdmittedSignal, SignalKind},
    trace::Trace,
};

/// The real actors under a virtual clock, in the afternoon of the recorded days: 14:28 in Kolkata.
pub(super) struct Afternoon {
    pub(super) clock: Clock,
    pub(super) busy: InFlight,
    pub(super) system: RunningSystem,
}

/// The store's own seam: while the first is set, no commit succeeds; the second is set when the process would end.
#[derive(Default)]
pub(super) struct FullDisk(pub(super) AtomicBool, pub(super) AtomicBool);

impl aura_memory::CommitFaults for FullDisk {
    fn before_commit(&self) -> Result<(), StoreError> {
        if self.0.load(Ordering::SeqCst) {
            return Err(StoreError::disk_full(Path::new("aura.db")));
        }
        Ok(())
    }
}

fn ts(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn env_of(home: &HomeConfig, seed: &OwnerSeed) -> Arc<MachineEnv> {
    Arc::new(MachineEnv {
        policy: Policy::parse(DEFAULT_TEXT).unwrap(),
        settings: home.settings.clone(),
        seed: seed.clone(),
        catalogue_hash: gate::catalogue_hash().to_owned(),
    })
}

impl Afternoon {
    pub(super) async fn begin(dir: &Path, disk: Arc<FullDisk>) -> Self {
        let busy = InFlight::default();
        let clock = Clock::at_rest(ts("2026-11-03T14:28:00+05:30"), busy.clone());
        let home = HomeConfig::of_day(Path::new("day.toml"), "Asia/Kolkata", 3).unwrap();
        let seed = OwnerSeed::from_day_seed("bad-input");
        let vault = Vault::demo(dir).unwrap();
        let ended = disk.clone();
        let (store, _) = Store::open(
            &vault,
            StoreOptions {
                on_death: Some(Arc::new(move |_| ended.1.store(true, Ordering::SeqCst))),
                faults: Some(disk),
                ..StoreOptions::default()
            },
        )
        .unwrap();
        let system = wiring::start(SystemParts {
            env: env_of(&home, &seed),
            vault,
            opened: OpenedFolder {
                store,
                state: None,
                next_seq: 1,
                kept_ticks: 0,
                agent_states: BTreeMap::new(),
                confirmed_time: None,
            },
            setup: home.setup(&seed),
            agents: AgentHosting::Inline,
            clock: clock.clone(),
            busy: busy.clone(),
            faults: std::sync::Arc::new(aura_runtime::fault_plan::NoFaults),
            model: Box::new(AbsentModel),
            model_board: aura_process::model_supervisor::ModelStatus::default(),
            policy_text: DEFAULT_TEXT.to_owned(),
            day_seed: None,
            accounts: LiveAccounts::default(),
        })
        .unwrap();
        busy.quiet().await;
        system.backend.connected(Surface::PhoneCard, 1);
        busy.quiet().await;
        Self { clock, busy, system }
    }

    /// Posts signals as the page's API does.
    pub(super) async fn post(&self, signals: Vec<AdmittedSignal>) -> Result<usize, BackendError> {
        let reply = self.system.backend.signals(signals).await;
        self.busy.quiet().await;
        reply.map(|reply| reply.accepted)
    }

    /// Lets the clock run; everything that is due on the way happens.
    pub(super) async fn until(&self, to: &str) {
        let to = ts(to);
        self.busy.quiet().await;
        while let Some(next) = self.clock.next_waiter().filter(|next| *next <= to) {
            self.clock.set(next);
            self.busy.quiet().await;
        }
        self.clock.set(to);
        self.busy.quiet().await;
    }

    /// `[chosen, outcome, reason]` of every tick so far, from the store.
    fn ticks(&self) -> Vec<(u64, String, Outcome, Option<ReasonCode>)> {
        let reader = StoreReader::open(&self.system.backend.vault).unwrap();
        let mut rows = reader.traces(100, None).unwrap();
        rows.reverse();
        let of = |json: &str| {
            let trace: Trace = serde_json::from_str(json).unwrap();
            (
                trace.decision.tick,
                trace.chosen_name().to_owned(),
                trace.outcome,
                trace.reason_code,
            )
        };
        rows.iter().map(|row| of(&row.json)).collect()
    }

    pub(super) async fn look(&self) -> Box<StateSnapshot> {
        self.system.backend.look().await.unwrap()
    }
}

/// A visit at 16:00 with 30 minutes of travel: leave by 15:15, offered from 14:15 on. 0.80 × 0.85 − 0.20 = 0.480.
fn visit() -> AdmittedSignal {
    let ics = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//aura//bad input//EN\r\nBEGIN:VEVENT\r\nUID:visit@example.org\r\n\
               DTSTAMP:20261101T060000Z\r\nDTSTART:20261103T103000Z\r\nDTEND:20261103T113000Z\r\nX-AURA-TRAVEL-MIN:30\r\n\
               END:VEVENT\r\nEND:VCALENDAR\r\n";
    of("visit", SignalKind::Calendar, &json!({ "ics": ics }))
}

pub(super) fn unlock(id: &str) -> AdmittedSignal {
    of(id, SignalKind::PhoneUnlock, &json!({}))
}

fn of(id: &str, kind: SignalKind, payload: &Value) -> AdmittedSignal {
    let at = ts("2026-11-03T14:28:00+05:30");
    let signal = json!({ "id": id, "at": at, "source": "test", "kind": kind, "payload": payload });
    gate::admit_signal(signal.to_string().as_bytes()).unwrap()
}

#[test]
fn while_the_disk_is_full_nothing_surfaces_and_afterwards_nothing_is_lost() {
    let dir = tempfile::tempdir().unwrap();
    let disk = Arc::new(FullDisk::default());
    actix::System::new().block_on(async {
        let day = Afternoon::begin(dir.path(), disk.clone()).await;
        disk.0.store(true, Ordering::SeqCst);
        // Not on disk is not acknowledged: whoever posted it keeps it and posts it again.
        assert_eq!(day.post(vec![visit()]).await, Ok(0));
        day.until("2026-11-03T14:30:00+05:30").await;
        assert_eq!(day.post(vec![unlock("u1")]).await, Ok(0));
        day.until("2026-11-03T14:31:00+05:30").await;
        day.system.backend.tick().await.unwrap();
        day.until("2026-11-03T14:32:00+05:30").await;

        let look = day.look().await;
        let health = &look.health;
        assert_eq!(
            (look.state.ticks, look.state.phase.name()),
            (2, StateName::Idle),
            "silent ticks go on"
        );
        assert_eq!(
            (health.raw_traces, health.journal_down),
            (2, true),
            "and are counted"
        );
        assert_eq!((look.state.cards.len(), look.state.ledger.free()), (0, 3));
        assert_eq!(day.ticks(), vec![], "nothing is on disk");
        let now = day.system.backend.now().await.unwrap();
        assert!(now.health.contains(&HealthFlag::JournalDown) && now.card.is_none());

        disk.0.store(false, Ordering::SeqCst);
        assert_eq!(day.post(vec![visit(), unlock("u2")]).await, Ok(2));
        day.until("2026-11-03T14:33:00+05:30").await;
        let late = |tick| {
            (
                tick,
                "do_nothing".to_owned(),
                Outcome::Silent,
                Some(ReasonCode::DeliberationTimeout),
            )
        };
        let alert = (3, "LEAVE_BY_ALERT".to_owned(), Outcome::ExecutedAuto, None);
        assert_eq!(day.ticks(), [late(1), late(2), alert]);
        let now = day.system.backend.now().await.unwrap();
        assert!(!now.health.contains(&HealthFlag::JournalDown) && now.card.is_some());
        assert_eq!(day.system.store.health().conflicts, 0);
        let raw = fs::read_dir(dir.path().join("traces/raw")).unwrap().count();
        assert_eq!(raw, 0, "raw traces were taken in");

        // What the journal holds is the state as it is: nothing was lost while it could not be written.
        let state = day.look().await.state;
        let env = look.env.clone();
        let Afternoon { system, .. } = day;
        system.backend.orchestrator.send(Stop).await.unwrap();
        let (told, heard) = oneshot::channel();
        system
            .store
            .commit(Box::new(move |result| told.send(result.is_ok()).unwrap()))
            .unwrap();
        assert_eq!(heard.await, Ok(true));
        let copy = tempfile::tempdir().unwrap();
        for name in ["demo", "demo.key", "key", "aura.db", "aura.db-wal"] {
            fs::copy(dir.path().join(name), copy.path().join(name)).unwrap();
        }
        assert_eq!(
            wiring::open(&Vault::demo(copy.path()).unwrap(), &env, StoreOptions::default())
                .unwrap()
                .state
                .as_ref(),
            Some(&*state)
        );
    });
}

#[test]
fn a_recorded_full_disk_leaves_no_call_in_its_trace_and_both_traces_in_the_store() {
    let dir = tempfile::tempdir().unwrap();
    let day = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/days/disk-full");
    let traces = DayScript::read(&day).unwrap().play(dir.path()).unwrap();
    let calls: Vec<(u64, usize)> = traces
        .iter()
        .map(|trace| (trace.decision.tick, trace.tool_calls.len()))
        .collect();
    assert_eq!(calls, [(1, 0), (2, 1)]);
    assert_eq!(fs::read_dir(dir.path().join("traces/raw")).unwrap().count(), 0);
}

#[test]
fn a_clock_that_is_set_costs_no_answer_and_moves_no_day_back() {
    for (wall, day_after, chosen) in [
        // Within the hour before 15:15, and before 15:00, when the alert would ask for a tick of its own.
        ("2026-11-03T14:50:00+05:30", "2026-11-03", "LEAVE_BY_ALERT"),
        // The visit was yesterday.
        ("2026-11-04T14:29:00+05:30", "2026-11-04", "do_nothing"),
        // The visit is tomorrow; the ledger's day stays.
        ("2026-11-02T14:29:00+05:30", "2026-11-03", "do_nothing"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        actix::System::new().block_on(async {
            let day = Afternoon::begin(dir.path(), Arc::default()).await;
            assert_eq!(day.post(vec![visit()]).await, Ok(1));
            day.until("2026-11-03T14:29:00+05:30").await;
            day.clock.set_wall(ts(wall));
            assert_eq!(day.post(vec![unlock("u1")]).await, Ok(1));
            day.until("2026-11-03T14:29:10+05:30").await;

            let look = day.look().await;
            assert_eq!(
                (look.health.clock_jumps, look.health.refused_calls),
                (1, 0),
                "{wall}"
            );
            assert_eq!(look.state.ledger.view().day.to_string(), day_after, "{wall}");
            // The timeline goes on: the tick took its second of cooldown and nothing else.
            assert_eq!(
                (look.state.ticks, look.state.at),
                (1, ts("2026-11-03T14:29:01+05:30")),
                "{wall}"
            );
            let rows = StoreReader::open(&Vault::demo(dir.path()).unwrap())
                .unwrap()
                .traces(1, None)
                .unwrap();
            let trace: Trace = serde_json::from_str(&rows[0].json).unwrap();
            assert_eq!(trace.chosen_name(), chosen, "{wall}");
            let answered = trace
                .decision
                .agent_status
                .values()
                .all(|s| *s == AgentStatus::Answered);
            assert!(answered, "{wall}: {:?}", trace.decision.agent_status);
        });
    }
}

#[test]
fn when_refused_calls_cannot_be_kept_the_page_says_so_until_they_can() {
    let dir = tempfile::tempdir().unwrap();
    let path = file_path(QuarantineKind::Calls, dir.path());
    fs::create_dir(path.parent().unwrap()).unwrap();
    // Every write to this device fails as on a full disk.
    std::os::unix::fs::symlink("/dev/full", &path).unwrap();
    let refuse = async |day: &Afternoon| {
        let error = gate::admit(b"{", gate::GateClock::Skip).unwrap_err().error;
        let entry = quarantine::QuarantineEntry::new(day.clock.wall(), &error, "cafe", b"{");
        day.system.quarantine.record(QuarantineKind::Calls, entry);
        let (told, heard) = oneshot::channel();
        let ack = Box::new(move || told.send(()).unwrap());
        day.system.quarantine.flush(ack).unwrap();
        heard.await.unwrap();
        day.system.backend.now().await.unwrap().health
    };
    actix::System::new().block_on(async {
        let day = Afternoon::begin(dir.path(), Arc::new(FullDisk::default())).await;
        assert!(refuse(&day).await.contains(&HealthFlag::QuarantineDown));
        fs::remove_file(&path).unwrap();
        assert!(!refuse(&day).await.contains(&HealthFlag::QuarantineDown));
        let health = day.system.quarantine.health();
        assert_eq!((health.written, health.failed, health.failing), (1, 1, false));
    });
}
