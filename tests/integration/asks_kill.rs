//! Five hundred asks through every door, while the service is killed again and again.
//!
//! What: programs at each door propose, take back or wait for the owner, and go on with the same key after each kill; the owner confirms and
//! dismisses meanwhile. Each ask ends in one state and keeps it, no ask that was told is lost, and no tool runs twice. Why: the
//! promise is of the built binary and of every protocol. With `AURA_ASKS_KILL=writes` each life ends at a write of the service, forty of
//! them at the first one, the second and so on (`make crash`). Not here: each single write of one ask (`asks_writes`), the same
//! trace through each door (`orchestrator/machine/tests/asks_doors.rs`).

#![expect(clippy::unwrap_used, reason = "a helper of a test may panic")]

use crate::support::{
    Service,
    ask_doors::{
        CommandDoor, Door, HttpDoor, RestDoor, Running, StdioDoor, WorkflowDoor, add_workflows_that_ask,
    },
    plain_http::{http, object},
    signal, token, wait,
    workflows::Place,
    write_fault::WriteFault,
};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};
use toolcall_schema::ToolName;

/// How many asks each door makes.
const REST: [usize; 2] = [120, 120];
const HTTP: usize = 150;
const STDIO: usize = 60;
const COMMAND: usize = 30;
const WORKFLOW: usize = 10;
const FRAME: usize = 10;
const ALL: usize = REST[0] + REST[1] + HTTP + STDIO + COMMAND + WORKFLOW + FRAME;

/// Requests between two kills, from one to twice as many.
const STEPS: u64 = 60;
/// Where lives end at writes: the first ones at the first write, the second and so on up to this one.
const FIRST_WRITES: u64 = 40;
/// The later ones at one of so many.
const WRITES: u64 = 300;
/// How long one of them waits for the owner before it is taken back all the same.
const OWNER: Duration = Duration::from_secs(8);

#[derive(Default)]
struct Shared {
    running: Option<Running>,
    /// Requests of programs.
    steps: u64,
    /// Doors that have asked all they have to.
    finished: usize,
    /// Something is wrong already: nobody goes on.
    failed: bool,
    /// How each ask ended, as it was told.
    ends: BTreeMap<String, String>,
    /// Traces that asks which were done name.
    done: BTreeSet<String>,
    /// What the owner did with each decision that asked, and the confirms that were told to be kept.
    acts: BTreeMap<String, &'static str>,
    confirmed: BTreeSet<String>,
    /// Asks that wait for her.
    patient: BTreeSet<String>,
}

impl Shared {
    /// Whether she is to be asked: four times, over all that is asked. Her last token is for none of them.
    fn wants_card(&self) -> bool {
        self.acts.len() < 4 && self.ends.len() >= self.acts.len() * ALL / 5
    }
}

/// What the doors, the owner and who kills have in common.
#[derive(Default)]
struct Stage(Mutex<Shared>, Condvar);

impl Stage {
    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a change after which this finds something.
    fn until<T>(&self, what: &str, mut look: impl FnMut(&mut Shared) -> Option<T>) -> T {
        let end = Instant::now() + wait::PATIENCE;
        let mut shared = self.shared();
        loop {
            if let Some(found) = look(&mut shared) {
                return found;
            }
            assert!(!shared.failed, "no {what}: something else is wrong");
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "no {what} in time");
            let waited = self.1.wait_timeout(shared, left);
            shared = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn change(&self, change: impl FnOnce(&mut Shared)) {
        change(&mut self.shared());
        self.1.notify_all();
    }

    /// The service, once it is another one than this.
    fn after(&self, life: u64) -> Running {
        self.until("service", |shared| {
            shared.running.clone().filter(|running| running.life > life)
        })
    }

    /// One request more; then the service as it is, once there is one.
    fn step(&self) -> Running {
        self.change(|shared| shared.steps += 1);
        self.after(0)
    }

    /// What an ask was told to be; an end is the same ever after.
    fn told(&self, ask: &str, view: &Value) -> bool {
        let state = view["state"].as_str().unwrap_or_default().to_owned();
        if ["queued", "asking"].contains(&state.as_str()) {
            let shared = self.shared();
            assert_eq!(shared.ends.get(ask), None, "{ask} is {state} after its end");
            return false;
        }
        let known = ["done", "refused", "dismissed", "expired", "cancelled", "unknown"];
        assert!(known.contains(&state.as_str()), "{ask}: {view}");
        self.change(|shared| {
            if state == "done" {
                let trace = view["trace_id"].as_str().unwrap();
                shared.done.insert(trace.to_owned());
            }
            let before = shared.ends.insert(ask.to_owned(), state.clone());
            assert!(
                before.as_ref().is_none_or(|before| *before == state),
                "{ask}: {before:?}, then {state}"
            );
        });
        true
    }
}

/// Tells the others of a panic.
struct Alarm<'a>(&'a Stage);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.change(|shared| shared.failed = true);
        }
    }
}

/// Asks so many times, each until it is over.
fn asks(stage: &Stage, name: &str, many: usize, door: &mut impl Door) {
    let _alarm = Alarm(stage);
    let mut last: Option<String> = None;
    for n in 0..many {
        let key = format!("{name}-{n}");
        // One in ten is left to the owner for a while, when she is to be asked.
        let mut is_patient = false;
        stage.change(|shared| {
            is_patient = n % 10 == 6 && shared.wants_card() && shared.patient.insert(key.clone());
        });
        let begun = Instant::now();
        loop {
            assert!(begun.elapsed() < wait::PATIENCE, "{key} does not end");
            let running = stage.step();
            let Some(view) = door.propose(&running, &key) else {
                thread::park_timeout(Duration::from_millis(10));
                continue;
            };
            if view.get("state").is_none() {
                // Too many wait: of a life before.
                thread::park_timeout(Duration::from_millis(10));
                continue;
            }
            if stage.told(&key, &view) {
                break;
            }
            if is_patient && begun.elapsed() < OWNER {
                thread::park_timeout(Duration::from_millis(100));
                continue;
            }
            let running = stage.step();
            let end = door.cancel(&running, &key, &view);
            // Where that does not say what came of it, the next look does.
            if end.is_some_and(|end| end.get("state").is_some() && stage.told(&key, &end)) {
                break;
            }
        }
        stage.change(|shared| {
            shared.patient.remove(&key);
        });
        // An end that was told stays, over every kill.
        if let Some(last) = last.replace(key).filter(|_| n % 5 == 0) {
            let running = stage.step();
            if let Some(view) = door
                .propose(&running, &last)
                .filter(|view| view.get("state").is_some())
            {
                assert!(stage.told(&last, &view), "{last}: {view}");
            }
        }
    }
    stage.change(|shared| shared.finished += 1);
}

/// The owner: looks at her phone from time to time, confirms a card, dismisses the next.
fn owner(stage: &Stage, doors: usize) {
    let _alarm = Alarm(stage);
    let mut looks = 0;
    let mut page: Option<(u64, TcpStream)> = None;
    loop {
        let running = {
            let shared = stage.shared();
            if shared.finished == doors || shared.failed {
                return;
            }
            shared.running.clone()
        };
        thread::park_timeout(Duration::from_millis(40));
        let Some(running) = running else { continue };
        let head = format!("Authorization: Bearer {}\r\n", running.owner);
        if page.as_ref().is_none_or(|(life, _)| *life != running.life) {
            page = TcpStream::connect(("127.0.0.1", running.port))
                .ok()
                .and_then(|mut stream| {
                    write!(
                        stream,
                        "GET /events?surface=phone HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{head}\r\n",
                        running.port
                    )
                    .ok()?;
                    stream.read_exact(&mut [0; 15]).ok()?;
                    Some((running.life, stream))
                });
        }
        let ask = |line: &str, body: &str| http(running.port, line, &head, body).ok();
        let now = ask("GET /v1/now", "").and_then(|(_, text)| object(&text));
        let card = now.map(|now| now["card"].clone()).unwrap_or_default();
        let (Some(id), Some(trace)) = (card["card_id"].as_str(), card["decision"]["trace_id"].as_str())
        else {
            let wants = {
                let shared = stage.shared();
                shared.wants_card() && !shared.patient.is_empty()
            };
            if looks % 8 == 0 && wants {
                let unlock = json!([signal(&format!("u{looks}"), "phone_unlock", &json!({}))]);
                let _ = ask("POST /v1/signals", &unlock.to_string());
            }
            looks += 1;
            continue;
        };
        let mut act = "";
        stage.change(|shared| {
            let next = if shared.acts.len() % 2 == 0 {
                "confirm"
            } else {
                "dismiss"
            };
            act = shared.acts.entry(trace.to_owned()).or_insert(next);
        });
        let _ = ask("GET /fragment/now?c=1", "");
        let capability = &card["prompts"][0]["capability"];
        let answer = json!({"act": act, "surface": "PHONE_CARD", "capability": capability});
        let answered = ask(&format!("POST /v1/cards/{id}/answer"), &answer.to_string());
        if act == "confirm" && answered.is_some_and(|(status, _)| status == 200) {
            stage.change(|shared| {
                shared.confirmed.insert(trace.to_owned());
            });
        }
    }
}

/// Numbers that only look random: the same in each run.
fn drawn(seed: &mut u64) -> u64 {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

/// At which write a life ends.
fn last_write(life: u64) -> u64 {
    if life <= FIRST_WRITES {
        life
    } else {
        1 + life * 37 % WRITES
    }
}

#[test]
fn five_hundred_asks_end_once_each_however_often_the_service_is_killed() {
    let place = Place::new();
    let policy = include_str!("../../orchestrator/machine/src/policy.toml");
    // As many cards a day as there may be, one after the other.
    let policy = policy.replacen("window_min = 30", "asks_per_day = 5\nwindow_min = 0", 1);
    let dir = place.data();
    let home = dir.with_file_name("home.toml");
    fs::write(dir.with_file_name("policy.toml"), policy).unwrap();
    fs::write(&home, "zone = \"UTC\"\nceiling = 5\n").unwrap();
    add_workflows_that_ask(&place);

    // A command that works on runs may have the folder for a moment.
    let start = |known: Option<&str>| wait::until("a free folder", || Service::try_start(&home, &dir, known));
    let mut service = start(None);
    let [one, two, three, four] = ["One", "Two", "Three", "Four"]
        .map(|name| token::program_token(&dir, name, [ToolName::PermitLeisure]));
    let stage = Stage::default();
    let doors = 7;
    let at_writes = env::var("AURA_ASKS_KILL").is_ok_and(|at| at == "writes");
    let mut lives: u64 = 0;
    let service = thread::scope(|scope| {
        let stage = &stage;
        let place = &place;
        let _alarm = Alarm(stage);
        for (name, token, many) in [("one", one, REST[0]), ("two", two, REST[1])] {
            scope.spawn(move || asks(stage, name, many, &mut RestDoor { token }));
        }
        scope.spawn(move || asks(stage, "http", HTTP, &mut HttpDoor { token: three }));
        scope.spawn(move || asks(stage, "stdio", STDIO, &mut StdioDoor::new(four)));
        scope.spawn(move || asks(stage, "command", COMMAND, &mut CommandDoor { place }));
        scope.spawn(move || asks(stage, "workflow", WORKFLOW, &mut WorkflowDoor::step(place)));
        scope.spawn(move || asks(stage, "frame", FRAME, &mut WorkflowDoor::frame(place)));
        scope.spawn(move || owner(stage, doors));
        let mut seed = 25;
        loop {
            lives += 1;
            let running = Running::of(&service, lives);
            let mut until = 0;
            stage.change(|shared| {
                until = shared.steps + STEPS + drawn(&mut seed) % STEPS;
                shared.running = Some(running);
            });
            // At a write, or in the middle of whatever it does for each of them.
            let killer = at_writes.then(|| WriteFault::kill_at(&service, last_write(lives)));
            let is_over = stage.until("progress", |shared| {
                let over = shared.finished == doors;
                let is_due = if at_writes {
                    service.has_ended()
                } else {
                    shared.steps >= until
                };
                (over || is_due).then_some(over)
            });
            drop(killer);
            if is_over {
                return service;
            }
            let known = service.token.clone();
            service.kill();
            stage.change(|shared| shared.running = None);
            service = start(Some(&known));
        }
    });

    let shared = stage.shared();
    assert_eq!(shared.ends.len(), ALL, "each has ended");
    assert!(lives >= 8, "it was killed {} times", lives - 1);
    // What ran is what she confirmed, once; where she was told that it is kept, it ran or may have.
    let (_, traces) = service.request("GET", "/v1/traces?limit=100", None);
    for trace in traces.as_array().unwrap() {
        let calls = trace["tool_calls"].as_array().unwrap();
        let id = trace["trace_id"].as_str().unwrap();
        let ran = calls
            .iter()
            .filter(|call| call["tool"] == "wellness.permit_leisure")
            .count();
        assert!(ran <= 1, "{trace}");
        assert!(ran == 0 || shared.acts.get(id) == Some(&"confirm"), "{trace}");
    }
    for id in &shared.confirmed {
        let (_, trace) = service.request("GET", &format!("/v1/traces/{id}"), None);
        let outcome = trace["outcome"].as_str().unwrap();
        assert!(["confirmed", "failed"].contains(&outcome), "{trace}");
    }
    for id in &shared.done {
        let (_, trace) = service.request("GET", &format!("/v1/traces/{id}"), None);
        assert_eq!(
            (&trace["outcome"], trace["tool_calls"].as_array().unwrap().len()),
            (&json!("confirmed"), 1)
        );
        assert_eq!(shared.acts.get(id), Some(&"confirm"), "{trace}");
    }
    let of = |end: &str| shared.ends.values().filter(|found| *found == end).count();
    let ends = ["done", "refused", "dismissed", "expired", "cancelled", "unknown"].map(|end| (end, of(end)));
    println!(
        "{} kills, {ALL} asks: {ends:?}; {} confirmed cards",
        lives - 1,
        shared.confirmed.len()
    );
    assert!(of("done") > 0 && of("cancelled") > 0, "{:?}", shared.acts);
    // At most as many as were under way at a kill.
    assert!(of("unknown") <= 8 * shared.acts.len(), "{:?}", shared.ends);
    // What is listed is over, and of each run there is one.
    let listed = place.run(&["ask", "--list", "--json"]);
    let listed = String::from_utf8(listed.stdout).unwrap();
    for ask in listed.lines().filter_map(object) {
        assert!(ask["state"] != "queued" && ask["state"] != "asking", "{ask}");
    }
}
