//! The earbud, the phone's notifications and the owner's collector, through the real actors under a virtual clock.
//!
//! What: what is published and said, whose answer counts, and what a server or a program that hangs, refuses, breaks or is not there
//! changes: nothing but that it was not shown. Why: the machine's timers do not wait for anybody outside. The servers and programs here
//! are stand-ins. Not here: the machine's part alone (its `tests/push`), pages.

mod answers;
mod collector;
mod ntfy;
mod push_service;
mod speech;
mod telemetry;
mod web_push;

use aura_memory::{
    StoreOptions, StoreReader, Vault,
    audit::{AuditFilter, AuditRecord, Op},
};
use aura_platform::{clock::Clock, in_flight::InFlight};
use aura_runtime::{
    accounts::LiveAccounts,
    actors::orchestrator::Stop,
    config::HomeConfig,
    devices,
    outbound::{
        self, OutboundConfig, OutboundTimeouts, SpeechConfig,
        ntfy::NtfyFile,
        web_push::{VapidKey, WebPush, test_support},
    },
    wiring::{self, AgentHosting, RunningSystem, SystemParts},
};
use llm_runtime::AbsentModel;
use ntfy::{Manner, Server};
use orchestrator_machine::{
    MachineEnv,
    policy::{DEFAULT_TEXT, Policy},
    state::MachinePhase,
};
use push_service::PushService;
use serde_json::{Value, json};
use std::{
    io::{Read, Write},
    net::TcpStream,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use surfaces_base::{
    DeviceRegistry, OwnerBackend,
    backend::{Backend, HealthFlag},
};
use tokio::{
    sync::watch,
    time::{Instant, timeout_at},
};
use toolcall_schema::{
    Outcome, ReasonCode, StateName, Surface, Timestamp, gate, ids::OwnerSeed, signal::AdmittedSignal,
    trace::Trace,
};

const TOPIC: &str = "cards-0123456789abcdef";
const ANSWERS: &str = "answers-0123456789abcdef";

/// Short enough for a test, long enough for a loaded machine.
const PATIENCE: OutboundTimeouts = OutboundTimeouts {
    speech: Duration::from_secs(10),
    publish: Duration::from_millis(300),
    silence: Duration::from_secs(30),
    pause: Duration::from_millis(20),
};

fn ts(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// `[ntfy]` with a server.
fn push(server: &str) -> OutboundConfig {
    let file = json!({"server": server, "topic": TOPIC, "answers": ANSWERS, "token": "tk_stand_in"});
    let file: NtfyFile = serde_json::from_value(file).unwrap();
    OutboundConfig {
        ntfy: Some(file.check().unwrap()),
        ..OutboundConfig::default()
    }
}

/// The real actors on a recorded day's signals, with surfaces that are no pages.
struct Afternoon {
    clock: Clock,
    busy: InFlight,
    system: RunningSystem,
    signals: Vec<AdmittedSignal>,
    /// The paired devices, where browsers may be told.
    devices: Option<Arc<DeviceRegistry>>,
    /// The text of `/metrics` when it began.
    figures_before: String,
    /// Told to stop when dropped.
    _stop: watch::Sender<bool>,
    _dir: tempfile::TempDir,
}

impl Afternoon {
    async fn begin(day: &str, start: &str, outbound: &OutboundConfig) -> Self {
        Self::begin_with(day, start, outbound, None).await
    }

    /// The same with a stand-in for every push service.
    async fn begin_with(
        day: &str,
        start: &str,
        outbound: &OutboundConfig,
        service: Option<&PushService>,
    ) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let busy = InFlight::default();
        let clock = Clock::at_rest(ts(start), busy.clone());
        let home = HomeConfig::of_day(Path::new("day.toml"), "Asia/Kolkata", 3).unwrap();
        let seed = OwnerSeed::from_day_seed(day);
        let vault = Vault::demo(dir.path()).unwrap();
        let env = Arc::new(MachineEnv {
            policy: Policy::parse(DEFAULT_TEXT).unwrap(),
            settings: home.settings.clone(),
            seed: seed.clone(),
            catalogue_hash: gate::catalogue_hash().to_owned(),
        });
        let mut system = wiring::start(SystemParts {
            opened: wiring::open(&vault, &env, StoreOptions::default()).unwrap(),
            env,
            vault: vault.clone(),
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
        let devices = service.map(|service| {
            let zone = home.settings.zone;
            let devices = devices::open(&vault, &system.store, clock.clone(), zone, &Arc::default()).unwrap();
            system.backend.web_push = Some(WebPush::new(
                Arc::clone(&devices),
                &outbound.web_push,
                VapidKey::of_installation(&seed).unwrap(),
                test_support::stand_in(service.address, &service.certificate),
            ));
            devices
        });
        let figures_before = system.backend.metrics().await.unwrap();
        let (stop, stopped) = watch::channel(false);
        outbound::start(outbound, PATIENCE, &system.backend, &stopped);
        busy.quiet().await;
        let file = format!(
            "{}/../fixtures/days/{day}/signals.jsonl",
            env!("CARGO_MANIFEST_DIR")
        );
        let lines = std::fs::read_to_string(file).unwrap();
        Self {
            clock,
            busy,
            system,
            signals: lines
                .lines()
                .map(|line| gate::admit_signal(line.as_bytes()).unwrap())
                .collect(),
            devices,
            figures_before,
            _stop: stop,
            _dir: dir,
        }
    }

    /// Lets the clock run; what is due and what comes in on the way happens.
    async fn until(&mut self, to: &str) {
        let to = ts(to);
        self.busy.quiet().await;
        loop {
            let signal = self.signals.first().map(|signal| signal.signal().at);
            let due = self.clock.next_waiter().into_iter().chain(signal).min();
            let Some(due) = due.filter(|due| *due <= to) else {
                break;
            };
            self.clock.set(due);
            self.busy.quiet().await;
            let now = self
                .signals
                .iter()
                .take_while(|signal| signal.signal().at <= due)
                .count();
            let now: Vec<AdmittedSignal> = self.signals.drain(..now).collect();
            if !now.is_empty() {
                self.system.backend.signals(now).await.unwrap();
                self.busy.quiet().await;
            }
        }
        self.clock.set(to);
        self.busy.quiet().await;
    }

    /// Waits for what another thread brings about.
    async fn sign(&self, what: &str, mut is: impl AsyncFnMut(&Self) -> bool) {
        let end = Instant::now() + Duration::from_secs(20);
        let mut outbound = self.system.backend.outbound.watch();
        loop {
            // Both listened to before the look, so that nothing after it is missed.
            let handled = self.busy.next_quiet();
            outbound.mark_unchanged();
            if is(self).await {
                return;
            }
            let told = async {
                tokio::select! {
                    () = handled => {}
                    changed = outbound.changed() => changed.unwrap(),
                }
            };
            assert!(timeout_at(end, told).await.is_ok(), "no {what} within 20 s");
        }
    }

    /// Where the open question was really shown; `None`: there is none.
    async fn shown(&self) -> Option<Vec<Surface>> {
        let look = self.system.backend.look().await.unwrap();
        let MachinePhase::AwaitingConfirm { shown, .. } = &look.state.phase else {
            return None;
        };
        Some(shown.iter().copied().collect())
    }

    async fn is_shown_on_push(&self) {
        self.sign("push", async |me| me.shown().await == Some(vec![Surface::Push]))
            .await;
    }

    /// Without those of the agents, which have no sandbox here.
    async fn flags(&self) -> Vec<HealthFlag> {
        let mut flags = self.system.backend.now().await.unwrap().health;
        flags.retain(|flag| {
            matches!(
                flag,
                HealthFlag::SpeechFailing | HealthFlag::PushFailing | HealthFlag::WebPushFailing
            )
        });
        flags
    }

    /// One figure of ours since the afternoon began: figures are the process's, and so are other tests' where all run in one.
    async fn count(&self, way: &str, result: &str) -> u64 {
        let name = format!("aura_outbound_total{{way=\"{way}\",result=\"{result}\"}} ");
        let of = |text: &str| -> u64 {
            let line = text.lines().find_map(|line| line.strip_prefix(&name));
            line.map_or(0, |count| count.parse().unwrap())
        };
        of(&self.system.backend.metrics().await.unwrap()) - of(&self.figures_before)
    }

    /// To which machines something was sent, as the audit log has it.
    fn sent(&self) -> Vec<String> {
        let reader = StoreReader::open(&self.system.backend.vault).unwrap();
        let filter = AuditFilter {
            op: Some(Op::Send),
            ..AuditFilter::default()
        };
        let records = reader.audit(&filter, 100).unwrap().into_iter();
        let host = |record: AuditRecord| record.revealed.unwrap().meaning.id.unwrap();
        records.map(|record| host(record).as_str().to_owned()).collect()
    }

    /// How many cards come back later.
    async fn put_off(&self) -> usize {
        self.system.backend.look().await.unwrap().state.later.len()
    }

    fn traces(&self) -> Vec<Trace> {
        let reader = StoreReader::open(&self.system.backend.vault).unwrap();
        let rows = reader.traces(100, None).unwrap();
        rows.iter()
            .rev()
            .map(|row| serde_json::from_str(&row.json).unwrap())
            .collect()
    }

    async fn end(self) {
        self.system.backend.orchestrator.send(Stop).await.unwrap();
    }
}

/// One at a time, also where all tests run in one process, because they count in its figures.
fn on_actors(test: impl Future<Output = ()>) {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    actix::System::new().block_on(test);
}

/// What a phone does when a button is pressed: status of the server.
fn press(button: &Value) -> u16 {
    assert_eq!(
        (&button["action"], &button["method"]),
        (&json!("http"), &json!("POST"))
    );
    let url = button["url"].as_str().unwrap().strip_prefix("http://").unwrap();
    let (host, path) = url.split_once('/').unwrap();
    post(host, path, button["body"].as_str().unwrap())
}

fn post(host: &str, path: &str, body: &str) -> u16 {
    let mut stream = TcpStream::connect(host).unwrap();
    let length = body.len();
    write!(
        stream,
        "POST /{path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut status = [0; 12];
    stream.read_exact(&mut status).unwrap();
    String::from_utf8_lossy(&status[9..]).parse().unwrap()
}

/// `BREATHE_478` is asked at 14:03:00 (`fixtures/days/watch-timeout`), with a push and nothing else.
async fn asked(server: &str) -> Afternoon {
    let mut day = Afternoon::begin("watch-timeout", "2026-11-04T14:00:00+05:30", &push(server)).await;
    day.until("2026-11-04T14:03:00+05:30").await;
    day
}

fn url(server: &Server) -> String {
    format!("http://{}", server.address)
}

#[test]
fn a_question_is_published_with_three_buttons_and_no_name_and_the_button_confirms_it() {
    on_actors(async {
        let server = Server::start(Manner::Well);
        let mut day = asked(&url(&server)).await;
        let (bearer, message) = server.attempt();
        assert_eq!(bearer.as_deref(), Some("Bearer tk_stand_in"));
        // It was recorded before it came, and the page says so.
        assert_eq!(day.sent(), ["127.0.0.1"]);
        let now = day.system.backend.now().await.unwrap();
        let sent = day.system.backend.sent_today().await.unwrap();
        let sent = sent.iter().map(|sent| (sent.host.as_deref(), sent.count));
        assert_eq!(sent.collect::<Vec<_>>(), [(Some("127.0.0.1"), 1)]);
        assert_eq!(now.listens_at.as_deref(), Some("127.0.0.1"));
        let buttons = message["actions"].as_array().unwrap().clone();
        let labels: Vec<&str> = buttons.iter().map(|b| b["label"].as_str().unwrap()).collect();
        assert_eq!(labels, ["Breathe", "Dismiss", "In an hour"]);
        let said =
            json!({"topic": TOPIC, "title": "Aura", "message": "A moment to breathe?", "actions": buttons});
        assert_eq!(message, said);
        for button in &buttons {
            assert_eq!(button["url"], format!("http://{}/{ANSWERS}", server.address));
            assert_eq!(button["clear"], true);
            // The token is for Aura and its server, not for whoever reads the notification.
            assert!(!button.to_string().contains("tk_stand_in"));
        }
        day.is_shown_on_push().await;
        assert_eq!(press(&buttons[0]), 200);
        day.sign("confirmation", async |me| me.shown().await.is_none())
            .await;
        day.until("2026-11-04T14:03:10+05:30").await;
        let trace = day.traces().pop().unwrap();
        assert_eq!(trace.outcome, Outcome::Confirmed);
        assert_eq!(trace.confirm.unwrap().surface, Surface::Push);
        assert!(server.is_quiet(), "published once");
        day.end().await;
    });
}

#[test]
fn the_other_button_dismisses_it() {
    on_actors(async {
        let server = Server::start(Manner::Well);
        let mut day = asked(&url(&server)).await;
        let (_, message) = server.attempt();
        day.is_shown_on_push().await;
        press(&message["actions"][1]);
        day.sign("dismissal", async |me| me.shown().await.is_none()).await;
        day.until("2026-11-04T14:03:10+05:30").await;
        let trace = day.traces().pop().unwrap();
        let dismissed = (Outcome::Dismissed, Some(ReasonCode::OwnerDismissed));
        assert_eq!((trace.outcome, trace.reason_code), dismissed);
        day.end().await;
    });
}

/// However the server fails: the question is over at 14:04:00.000 and not a millisecond before, nothing was shown, and it is known
/// that the push fails.
fn runs_its_60_seconds(server: String, attempts: impl Fn()) {
    on_actors(async move {
        let mut day = asked(&server).await;
        attempts();
        day.sign("flag", async |me| me.flags().await == [HealthFlag::PushFailing])
            .await;
        day.sign("record", async |me| !me.sent().is_empty()).await;
        day.until("2026-11-04T14:03:59.999+05:30").await;
        assert_eq!(day.shown().await, Some(vec![]));
        day.until("2026-11-04T14:04:00+05:30").await;
        assert_eq!(day.shown().await, None);
        day.until("2026-11-04T14:04:10+05:30").await;
        let trace = day.traces().pop().unwrap();
        let over = (Outcome::Dismissed, Some(ReasonCode::ConfirmTimeout));
        assert_eq!((trace.outcome, trace.reason_code), over);
        let waited = trace
            .state_path
            .iter()
            .find(|visit| visit.state == StateName::AwaitingConfirm);
        assert_eq!(waited.unwrap().ms, 60_000);
        assert_eq!(
            day.sent(),
            ["127.0.0.1"],
            "one record, however often it was tried"
        );
        day.end().await;
    });
}

#[test]
fn a_server_that_fails_changes_no_timer() {
    for manner in [
        Manner::Status(500),
        Manner::Status(302),
        Manner::Hangs,
        Manner::Breaks,
    ] {
        let server = Server::start(manner);
        // It is tried again while the question stands.
        runs_its_60_seconds(url(&server), || {
            server.attempt();
            server.attempt();
        });
    }
}

#[test]
fn a_server_that_is_gone_changes_no_timer() {
    // A port that was free a moment ago.
    let gone = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    runs_its_60_seconds(format!("http://{gone}"), || {});
}

#[test]
fn a_watch_has_its_8_seconds_beside_a_server_that_hangs() {
    on_actors(async {
        let server = Server::start(Manner::Hangs);
        let mut day =
            Afternoon::begin("watch-timeout", "2026-11-04T14:00:00+05:30", &push(&url(&server))).await;
        day.system.backend.connected(Surface::Watch, 1);
        day.until("2026-11-04T14:03:00+05:30").await;
        server.attempt();
        let card = day.system.backend.now().await.unwrap().card.unwrap().card_id;
        day.system.backend.card_shown(card, Surface::Watch);
        day.until("2026-11-04T14:03:07.999+05:30").await;
        assert_eq!(day.shown().await, Some(vec![Surface::Watch]));
        day.until("2026-11-04T14:03:08+05:30").await;
        assert_eq!(day.shown().await, None);
        day.end().await;
    });
}

#[test]
fn a_server_that_comes_back_gets_the_card_while_it_stands_and_nothing_afterwards() {
    on_actors(async {
        let server = Server::start(Manner::Status(503));
        let mut day = asked(&url(&server)).await;
        server.attempt();
        day.sign("flag", async |me| me.flags().await == [HealthFlag::PushFailing])
            .await;
        server.behave(Manner::Well);
        day.is_shown_on_push().await;
        // That it is well again is heard of on its own, behind the card.
        day.sign("no flag", async |me| me.flags().await.is_empty()).await;
        server.behave(Manner::Status(503));
        while !server.is_quiet() {}
        day.until("2026-11-04T14:10:00+05:30").await;
        assert!(server.is_quiet(), "no attempt outlives its card");
        day.end().await;
    });
}

#[test]
fn a_lost_stream_goes_on_after_the_last_answer_that_was_read() {
    on_actors(async {
        let server = Server::start(Manner::Well);
        let mut day = asked(&url(&server)).await;
        assert_eq!(server.stream(), "1m");
        let (_, message) = server.attempt();
        day.is_shown_on_push().await;
        let host = server.address.to_string();
        post(&host, ANSWERS, "something else");
        // Neither JSON nor short, an id that could lead elsewhere, and an event of which nothing is known.
        server.noise(&vec![b'x'; 20_000]);
        server.noise(br#"{"id":"../v1/health?","event":"message","message":"{}"}"#);
        server.noise(br#"{"id":"later1","event":"poll_request"}"#);
        day.sign("four lines", async |me| {
            me.count("answers", "unreadable").await == 4
        })
        .await;
        server.cut();
        assert_eq!(server.stream(), "answer1");
        press(&message["actions"][0]);
        day.sign("confirmation", async |me| me.shown().await.is_none())
            .await;
        day.sign("an answer", async |me| me.count("answers", "accepted").await == 1)
            .await;
        day.until("2026-11-04T14:03:10+05:30").await;
        day.end().await;
    });
}

#[test]
fn what_needs_no_answer_is_pushed_without_buttons_and_costs_its_token_then() {
    on_actors(async {
        let server = Server::start(Manner::Well);
        let mut day =
            Afternoon::begin("nobody-there", "2026-11-03T15:00:00+05:30", &push(&url(&server))).await;
        day.until("2026-11-03T15:01:30+05:30").await;
        assert!(server.is_quiet(), "a draft is not asked about by push");
        day.until("2026-11-03T15:15:10+05:30").await;
        let (_, message) = server.attempt();
        assert_eq!(message.get("actions"), None);
        // Leave at 16:13: the meeting of 16:58, half an hour away, with a quarter to spare. Its name is not said.
        assert_eq!(message["message"], "Leave by 16:13");
        let settled = async |me: &Afternoon| me.system.backend.now().await.unwrap().ledger.settled == 1;
        day.sign("token", settled).await;
        day.end().await;
    });
}

#[test]
fn with_the_phones_page_open_nothing_is_pushed() {
    on_actors(async {
        let server = Server::start(Manner::Well);
        let mut day =
            Afternoon::begin("nobody-there", "2026-11-03T15:00:00+05:30", &push(&url(&server))).await;
        day.system.backend.connected(Surface::PhoneCard, 1);
        day.until("2026-11-03T15:20:00+05:30").await;
        assert!(day.system.backend.now().await.unwrap().card.is_some());
        assert!(server.is_quiet());
        day.end().await;
    });
}

#[test]
fn a_server_is_reached_with_tls_or_at_home_and_a_topic_cannot_be_guessed() {
    let check = |server: &str, topic: &str, answers: &str| {
        let file = json!({"server": server, "topic": topic, "answers": answers});
        serde_json::from_value::<NtfyFile>(file).unwrap().check()
    };
    for good in [
        "https://ntfy.example.org",
        "https://ntfy.example.org:8443/",
        "http://127.0.0.1:2586",
        "http://localhost:2586",
        "http://[::1]:2586",
        "http://[fd00::1]",
        "http://10.0.0.2",
        "http://192.168.1.2:80",
        "http://172.31.255.255",
        "http://100.64.0.1",
    ] {
        assert!(check(good, TOPIC, ANSWERS).is_ok(), "{good}");
    }
    for bad in [
        "http://ntfy.example.org",
        "http://ntfy.lan",
        "http://8.8.8.8",
        "http://172.32.0.1",
        "http://100.128.0.1",
        "http://[2001:db8::1]",
        "https://",
        "ftp://127.0.0.1",
        "ntfy.example.org",
        "https://ntfy.example.org/sub",
        "https://ntfy.example.org?x=1",
        "https://me:secret@ntfy.example.org",
    ] {
        assert!(check(bad, TOPIC, ANSWERS).is_err(), "{bad}");
    }
    let server = "https://ntfy.example.org";
    for (topic, answers) in [
        ("short", ANSWERS),
        (TOPIC, "a/b/c/d/e/f/g/h/i/j/k/l/m"),
        (TOPIC, TOPIC),
        (&"a".repeat(65), ANSWERS),
    ] {
        let problem = check(server, topic, answers).unwrap_err();
        assert!(
            problem.contains("`aura ntfy setup`") && !problem.contains(topic),
            "{problem}"
        );
    }
}

#[test]
fn the_earbud_says_what_is_on_the_phone_once_it_was_seen_and_the_kind_only() {
    on_actors(async {
        let dir = tempfile::tempdir().unwrap();
        let program = speech::writes_down(dir.path());
        let outbound = OutboundConfig {
            speech: SpeechConfig {
                enabled: true,
                program: Some(program),
                ..SpeechConfig::default()
            },
            ..OutboundConfig::default()
        };
        let mut day = Afternoon::begin("nobody-there", "2026-11-03T15:00:00+05:30", &outbound).await;
        day.system.backend.connected(Surface::PhoneCard, 1);
        day.until("2026-11-03T15:15:10+05:30").await;
        // The draft of 15:01 asked, so it was not said; nobody has looked at this card yet.
        assert_eq!(day.count("speech", "done").await, 0);
        let card = day.system.backend.now().await.unwrap().card.unwrap().card_id;
        day.system.backend.card_shown(card.clone(), Surface::PhoneCard);
        day.sign("sentence", async |me| me.count("speech", "done").await == 1)
            .await;
        day.system.backend.card_shown(card, Surface::PhoneCard);
        day.busy.quiet().await;
        assert_eq!(speech::said(dir.path()), "On your phone: When to leave.");
        day.end().await;
    });
}

#[test]
fn a_speech_program_that_is_not_there_is_a_flag_and_nothing_else() {
    on_actors(async {
        let outbound = OutboundConfig {
            speech: SpeechConfig {
                enabled: true,
                program: Some("/nowhere/espeak-ng".into()),
                ..SpeechConfig::default()
            },
            ..OutboundConfig::default()
        };
        let day = Afternoon::begin("nobody-there", "2026-11-03T15:00:00+05:30", &outbound).await;
        assert_eq!(day.flags().await, [HealthFlag::SpeechFailing]);
        let look = day.system.backend.look().await.unwrap();
        let connected = &look.state.surfaces;
        assert!(!connected.contains(&Surface::EarbudTts));
        day.end().await;
    });
}
