//! A week of the demo household, lived day by day.
//!
//! What: seven mornings of `fixtures/home` through the real actors and their pages, under a clock that is set. Each day a card comes, is put off, taken back and
//! dismissed; somebody who waits is done with, not, and done with after all; a chat is muted and unmuted; a chat is said to be misjudged. Then everything is started
//! anew, and the pages tell all of it. Why: what one act leaves must be there beside fifty others, days later. Not here: the first morning's arithmetic
//! (`fixtures/home/README.md`), each act by itself (`acts`, `later`, `mutes`, `learned`).

use aura_memory::{StoreOptions, Vault};
use aura_platform::{clock::Clock, in_flight::InFlight};
use aura_runtime::{
    accounts::LiveAccounts,
    actors::orchestrator::Stop,
    config::HomeConfig,
    wiring::{self, AgentHosting, RunningSystem, SystemParts},
};
use llm_runtime::AbsentModel;
use orchestrator_machine::{
    MachineEnv, cards,
    policy::{DEFAULT_TEXT, Policy},
};
use serde_json::{Value, json};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use surfaces::{WebConfig, web::PageNames};
use surfaces_base::{DeviceRegistry, backend::Backend};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    sync::oneshot,
    task::JoinHandle,
};
use toolcall_schema::{Surface, Timestamp, gate, ids::OwnerSeed, trace::Card};

/// Of the owner's only device.
const SECRET: &str = "a-secret-of-a-device-that-nobody-else-has";
const SEED: &str = "demo-household";
const DAY_MIN: i64 = 24 * 60;
const SECOND: i64 = 1000;
/// A chat of the household's own file, which names it after a restart.
const CHAT: &str = "Five-a-side";

fn household() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/home/home.toml")
}

/// One life of the actors, with their pages.
struct WeekService {
    system: RunningSystem,
    busy: InFlight,
    clock: Clock,
    port: u16,
    stop: oneshot::Sender<()>,
    ended: JoinHandle<std::io::Result<()>>,
}

impl WeekService {
    async fn begin(vault: &Vault, at: Timestamp, life: u128) -> Self {
        let busy = InFlight::default();
        let clock = Clock::at_rest(at, busy.clone());
        let home = HomeConfig::load(&household()).unwrap();
        let seed = OwnerSeed::from_day_seed(SEED);
        let env = Arc::new(MachineEnv {
            policy: Policy::parse(DEFAULT_TEXT).unwrap(),
            settings: home.settings.clone(),
            seed: seed.clone(),
            catalogue_hash: gate::catalogue_hash().to_owned(),
        });
        let opened = wiring::open(vault, &env, StoreOptions::default()).unwrap();
        let system = wiring::start(SystemParts {
            env,
            vault: vault.clone(),
            opened,
            setup: home.setup(&seed),
            agents: AgentHosting::Inline,
            clock: clock.clone(),
            busy: busy.clone(),
            faults: Arc::new(aura_runtime::fault_plan::NoFaults),
            model: Box::new(AbsentModel),
            model_board: aura_process::model_supervisor::ModelStatus::default(),
            policy_text: DEFAULT_TEXT.to_owned(),
            day_seed: Some(SEED.to_owned()),
            accounts: LiveAccounts::default(),
        })
        .unwrap();
        busy.quiet().await;
        let listener = surfaces::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let config = WebConfig {
            devices: Arc::new(DeviceRegistry::fixed(SECRET)),
            names: PageNames {
                own: "aura-week00.localhost".to_owned(),
                added: vec![],
                is_one_of_several: false,
            },
            nonce: life.to_le_bytes(),
            outside: None,
            mcp: None,
            locale: Arc::clone(&system.backend.locale),
        };
        let page: Arc<dyn Backend> = Arc::new(system.backend.clone());
        let (stop, stopped) = oneshot::channel::<()>();
        let ended = actix::spawn(surfaces::serve(listener, config, page, async {
            let _ = stopped.await;
        }));
        system.backend.connected(Surface::PhoneCard, 1);
        busy.quiet().await;
        Self {
            system,
            busy,
            clock,
            port,
            stop,
            ended,
        }
    }

    /// Until everything so far is on disk.
    async fn flush(&self) {
        let (told, heard) = oneshot::channel();
        let commit = self
            .system
            .store
            .commit(Box::new(move |result| drop(told.send(result))));
        commit.unwrap();
        assert!(heard.await.unwrap().is_ok());
    }

    /// Stopped as by its owner: everything is on disk.
    async fn end(self) -> Timestamp {
        self.flush().await;
        let _ = self.system.backend.orchestrator.send(Stop).await;
        let _ = self.stop.send(());
        self.ended.await.unwrap().unwrap();
        self.clock.at()
    }

    /// Lets the clock run; what is due on the way happens at its own time.
    async fn advance(&self, to: Timestamp) {
        while let Some(next) = self.clock.next_waiter().filter(|next| *next <= to) {
            self.clock.set(next);
            self.busy.quiet().await;
        }
        self.clock.set(to);
        self.busy.quiet().await;
    }

    async fn wait(&self, ms: i64) {
        self.advance(self.clock.at().plus_ms(ms)).await;
    }

    /// One request of the owner's device: status, and the JSON or the page.
    async fn request(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        let body = body.map(Value::to_string).unwrap_or_default();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {SECRET}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.port,
            body.len()
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        self.busy.quiet().await;
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        let text = answer.split_once("\r\n\r\n").unwrap().1;
        let read = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
        (status, read)
    }

    async fn page(&self, path: &str) -> String {
        let (status, page) = self.request("GET", path, None).await;
        assert_eq!(status, 200, "{path}: {page}");
        page.as_str().unwrap().to_owned()
    }

    /// Something that the owner does: the trace of it.
    async fn act(&self, path: &str, body: Option<&Value>) -> String {
        let (status, reply) = self.request("POST", path, body).await;
        assert_eq!(status, 200, "{path}: {reply}");
        // What is done next is done later.
        self.wait(SECOND).await;
        reply["trace_id"].as_str().unwrap_or_default().to_owned()
    }

    /// Takes an act back, and says that it was taken back when asked again.
    async fn undo(&self, trace: &str) {
        for says in ["Undone.", "It was undone already."] {
            let path = format!("/v1/acts/{trace}/undo");
            let (status, reply) = self.request("POST", &path, None).await;
            assert_eq!((status, &reply["says"]), (200, &json!(says)), "{trace}: {reply}");
            self.wait(SECOND).await;
        }
    }

    async fn post(&self, signals: &Value) {
        let (status, reply) = self.request("POST", "/v1/signals", Some(signals)).await;
        assert_eq!(
            (status, &reply["refused"]),
            (202, &json!([])),
            "{signals}: {reply}"
        );
    }

    /// The card that is to be seen now, seen.
    async fn card(&self) -> Card {
        let look = self.system.backend.look().await.unwrap();
        let card = cards::current_card(&look.state);
        let card = card.unwrap_or_else(|| panic!("no card at {}: {:?}", self.clock.wall(), look.state.phase));
        self.system
            .backend
            .card_shown(card.card_id.clone(), Surface::PhoneCard);
        self.busy.quiet().await;
        card
    }

    async fn answer(&self, card: &Card, act: &str) {
        let prompts = card.prompts.iter();
        let mut here = prompts.filter(|prompt| prompt.surface == Surface::PhoneCard);
        let mut body = json!({ "act": act, "surface": "PHONE_CARD" });
        if let Some(prompt) = here.next() {
            body["capability"] = prompt.capability.clone().into();
        }
        self.act(&format!("/v1/cards/{}/answer", card.card_id), Some(&body))
            .await;
    }

    /// The id of a chat by its name.
    async fn chat(&self, name: &str) -> String {
        self.flush().await;
        let asked = json!({ "name": name, "whom": "chats" });
        let (status, list) = self.request("POST", "/form/people/find", Some(&asked)).await;
        assert_eq!(status, 200, "{list}");
        let list = list.as_str().unwrap();
        let (_, id) = list
            .split_once("href=\"/people/ch_")
            .unwrap_or_else(|| panic!("{name}: {list}"));
        format!("ch_{}", &id[..16])
    }
}

/// What was done on one day: the traces of it.
struct DayOfActs {
    put_off: String,
    done: String,
    done_after_all: String,
    muted: String,
    misjudged: String,
    /// The chat of that.
    chat: String,
}

fn signal(id: &str, at: Timestamp, kind: &str, payload: &Value) -> Value {
    json!({ "id": id, "at": at, "source": "phone", "kind": kind, "payload": payload })
}

/// A morning: a card that is put off, taken back and dismissed, and four acts beside it.
async fn morning(life: &WeekService, day: i64, loud: &str) -> DayOfActs {
    let at = life.clock.wall();
    let chat = format!("Club {day}");
    let note = json!({
        "app": "org.example.chat", "channel": chat, "sender": format!("Noor {day}"),
        "text": "@kavin please send me the list by 5 pm today",
    });
    let note = signal(&format!("note-{day}"), at, "notification", &note);
    life.post(&json!([note])).await;
    life.wait(10 * SECOND).await;
    let unlock = signal(
        &format!("unlock-{day}"),
        life.clock.wall(),
        "phone_unlock",
        &json!({}),
    );
    life.post(&json!([unlock])).await;
    life.wait(2 * SECOND).await;

    let first = life.card().await;
    let trace = first.decision.trace_id.to_string();
    life.answer(&first, "later_1_hour").await;
    life.wait(30 * SECOND).await;
    life.undo(&trace).await;
    life.wait(2 * SECOND).await;
    let again = life.card().await;
    let about = |card: &Card| {
        let chosen = card.decision.chosen.clone().unwrap();
        (chosen.kind, chosen.subject)
    };
    assert_eq!(about(&again), about(&first), "day {day}");
    assert_eq!(again.decision.put_off, 1, "day {day}");
    life.answer(&again, "dismiss").await;
    life.wait(30 * SECOND).await;

    // Who waits is done with, waits again, and is done with.
    let chats = life.page("/chats").await;
    let (_, message) = chats
        .split_once("data-done-with=\"")
        .unwrap_or_else(|| panic!("nobody waits on day {day}: {chats}"));
    let (message, _) = message.split_once('"').unwrap();
    let answered = format!("/v1/messages/{message}/done");
    let done = life.act(&answered, None).await;
    life.undo(&done).await;
    let done_after_all = life.act(&answered, None).await;

    let muted = life
        .act(&format!("/v1/mutes/{loud}"), Some(&json!({ "for": "1h" })))
        .await;
    life.undo(&muted).await;

    let chat = life.chat(&chat).await;
    let class = json!({ "class": "news" });
    let misjudged = life
        .act(&format!("/v1/learned/{chat}/correct"), Some(&class))
        .await;
    DayOfActs {
        put_off: trace,
        done,
        done_after_all,
        muted,
        misjudged,
        chat,
    }
}

/// What History says of one act, and with which button.
fn row<'a>(page: &'a str, trace: &str) -> &'a str {
    let link = format!("<a class=\"what\" href=\"/trace/{trace}\"");
    let (_, row) = page
        .split_once(&link)
        .unwrap_or_else(|| panic!("no {trace}: {page}"));
    &row[..row.find("<a class=\"what\"").unwrap_or(row.len())]
}

#[test]
fn a_week_of_the_demo_household_is_told_day_by_day_after_all_agents_were_restarted() {
    let dir = tempfile::tempdir().unwrap();
    let vault = Vault::demo(dir.path()).unwrap();
    let start = Timestamp::parse("2026-11-03T07:44:50+05:30").unwrap();
    let (days, at) = actix::System::new().block_on(async {
        let life = WeekService::begin(&vault, start, 1).await;
        let mut days = Vec::new();
        // The owner's own name for it stays whatever its file says.
        let loud = life.chat(CHAT).await;
        let name = format!("/v1/things/{loud}/name");
        let (status, reply) = life.request("POST", &name, Some(&json!({ "name": CHAT }))).await;
        assert_eq!(status, 204, "{reply}");
        for day in 0..7 {
            life.advance(start.plus_min(day * DAY_MIN)).await;
            days.push(morning(&life, day, &loud).await);
            for page in ["/", "/brief", "/history"] {
                life.page(page).await;
            }
            // Nothing of the day before stands in the way of the next.
            life.wait(60 * SECOND).await;
        }
        (days, life.end().await)
    });
    actix::System::new().block_on(async {
        let life = WeekService::begin(&vault, at.plus_min(10), 2).await;
        life.wait(60 * SECOND).await;
        let history = life.page("/history").await;
        for (day, acts) in days.iter().enumerate() {
            for (trace, says, is_undone) in [
                (&acts.put_off, "Put off, and taken back: ", true),
                (&acts.done, "no longer waits for your answer.", true),
                (&acts.done_after_all, "no longer waits for your answer.", false),
                (&acts.muted, "Five-a-side was muted until ", true),
                (&acts.misjudged, "because you said so.", false),
            ] {
                let told = row(&history, trace);
                assert!(told.contains(says), "day {day}, {says}: {told}");
                // A message is known for a day, and an hour is over by itself: then nobody can tell any more.
                let over = day < 6 && !says.starts_with("Put off");
                assert_eq!(
                    told.contains("Undone."),
                    is_undone && !over,
                    "day {day}, {says}: {told}"
                );
            }
            assert!(
                row(&history, &acts.misjudged).contains("data-undo-act"),
                "day {day}: {history}"
            );
        }
        for (says, times) in [
            ("<bdi dir=\"ltr\">Asked again: ", 7),
            ("waits for your answer again.</bdi>", 7),
            ("<bdi dir=\"ltr\">Five-a-side is no longer muted.</bdi>", 7),
            ("<bdi dir=\"ltr\">Dismissed: ", 7),
        ] {
            assert_eq!(history.matches(says).count(), times, "{says}: {history}");
        }
        // What stands is listed where it can be taken back, and every day can be looked through.
        let chats = life.page("/chats").await;
        for acts in &days {
            let reset = format!("data-unlearn=\"{}\"", acts.chat);
            assert!(chats.contains(&reset), "{reset}: {chats}");
        }
        for day in 3..10 {
            let asked = json!({ "from": format!("2026-11-{day:02}"), "to": format!("2026-11-{day:02}") });
            let (status, found) = life.request("POST", "/form/history/find", Some(&asked)).await;
            assert_eq!(status, 200, "{found}");
            assert!(found.as_str().unwrap().contains("/trace/"), "{day}: {found}");
        }
        // Who never was there is nowhere, and a week without one kind of card can be tried.
        let without = json!({ "kind": "SHOW_BRIEF", "wish": "none" });
        let (status, tried) = life.request("POST", "/form/month/kind", Some(&without)).await;
        assert_eq!(status, 200, "{tried}");
        assert!(
            tried.as_str().unwrap().contains("With this I would have come"),
            "{tried}"
        );
        for page in [
            "/",
            "/brief",
            "/money",
            "/body",
            "/memory",
            "/settings",
            "/agenda",
            "/month",
            "/people",
        ] {
            life.page(page).await;
        }
        life.end().await;
    });
}
