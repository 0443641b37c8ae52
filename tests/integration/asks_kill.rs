//! Five hundred asks through every door, while the service is killed again and again.
//!
//! What: programs at each door propose, take back or wait for the owner, and go on with the same key after each kill; the owner confirms and
//! dismisses meanwhile. Each ask ends in one state and keeps it, no ask that was told is lost, and no tool runs twice. Why: the
//! promise is of the built binary and of every protocol. Not here: each write of the machine (the machine's tests), the same
//! trace through each door (`orchestrator/machine/tests/asks_doors.rs`).

#![expect(clippy::unwrap_used, reason = "a helper of a test may panic")]

use crate::support::{
    Service,
    plain_http::{http, object},
    signal, token, wait,
    workflows::Place,
};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, ChildStdout, Command, Stdio},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};
use toolcall_schema::ToolName;

/// How many asks each door makes.
const REST: [usize; 2] = [125, 125];
const HTTP: usize = 150;
const STDIO: usize = 60;
const COMMAND: usize = 30;
const WORKFLOW: usize = 10;
const ALL: usize = REST[0] + REST[1] + HTTP + STDIO + COMMAND + WORKFLOW;

/// Requests between two kills, from one to twice as many.
const STEPS: u64 = 60;
/// How long one of them waits for the owner before it is taken back all the same.
const OWNER: Duration = Duration::from_secs(8);

const NEW: &str = "2026-07-28";

/// The service as it runs now.
#[derive(Clone)]
struct Running {
    /// Counts the starts.
    life: u64,
    port: u16,
    /// Of the owner's device.
    owner: String,
}

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

/// A door, as one program uses it: every method is told `None` when the service has gone meanwhile.
trait Door {
    /// Proposes under this key, or asks again what came of it.
    fn propose(&mut self, running: &Running, key: &str) -> Option<Value>;
    /// Takes it back, and says what came of it where this protocol does.
    fn cancel(&mut self, running: &Running, key: &str, view: &Value) -> Option<Value>;
}

struct RestDoor {
    token: String,
}

impl RestDoor {
    fn request(&self, running: &Running, line: &str, body: &str) -> Option<Value> {
        let head = format!("Authorization: Bearer {}\r\n", self.token);
        let (status, text) = http(running.port, line, &head, body).ok()?;
        // 503: it is stopping or has no time.
        (status != 503).then(|| object(&text)).flatten()
    }
}

impl Door for RestDoor {
    fn propose(&mut self, running: &Running, key: &str) -> Option<Value> {
        let body = json!({"tool": "wellness.permit_leisure", "args": {"window_min": 90}, "key": key});
        self.request(running, "POST /v1/asks", &body.to_string())
    }

    fn cancel(&mut self, running: &Running, _: &str, view: &Value) -> Option<Value> {
        let line = format!("POST /v1/asks/{}/cancel", view["ask"].as_str()?);
        self.request(running, &line, "")
    }
}

/// A message of the newer version; with its key it is the same ask.
fn message(id: u64, method: &str, mut params: Value, key: &str) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": NEW,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}},
        "local.aura/idempotencyKey": key,
    });
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// What `tools/call` answered, as the other doors say it.
fn task_view(answer: &Value) -> Option<Value> {
    let result = answer.get("result")?;
    if let Some(task) = result["taskId"].as_str() {
        return Some(json!({"state": "queued", "task": task}));
    }
    let view = result["structuredContent"].clone();
    // A refusal is a text: too many wait.
    Some(if view.is_object() {
        view
    } else {
        json!({"code": result["content"][0]["text"]})
    })
}

struct HttpDoor {
    token: String,
}

impl HttpDoor {
    fn request(
        &self,
        running: &Running,
        method: &str,
        about: &str,
        params: Value,
        key: &str,
    ) -> Option<Value> {
        let head = format!(
            "Authorization: Bearer {}\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: {NEW}\r\n\
             Mcp-Method: {method}\r\nMcp-Name: {about}\r\n",
            self.token
        );
        let body = message(1, method, params, key).to_string();
        let (_, text) = http(running.port, "POST /mcp", &head, &body).ok()?;
        object(&text)
    }
}

fn leisure() -> Value {
    json!({"name": "wellness_permit_leisure", "arguments": {}})
}

impl Door for HttpDoor {
    fn propose(&mut self, running: &Running, key: &str) -> Option<Value> {
        let answer = self.request(running, "tools/call", "wellness_permit_leisure", leisure(), key);
        task_view(&answer?)
    }

    fn cancel(&mut self, running: &Running, key: &str, view: &Value) -> Option<Value> {
        let task = view["task"].as_str()?;
        self.request(running, "tasks/cancel", task, json!({"taskId": task}), key);
        None
    }
}

/// `aura mcp`, one process for each life of the service.
struct StdioDoor {
    token: String,
    process: Option<(u64, Child, BufReader<ChildStdout>)>,
    next: u64,
}

impl StdioDoor {
    fn request(&mut self, running: &Running, method: &str, params: Value, key: &str) -> Option<Value> {
        if self
            .process
            .as_ref()
            .is_none_or(|(life, ..)| *life != running.life)
        {
            self.end();
            let mut child = Command::new(env!("CARGO_BIN_EXE_aura"))
                .args(["mcp", "--url", &format!("http://127.0.0.1:{}/mcp", running.port)])
                .env("AURA_DEVICE_TOKEN", &self.token)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let lines = BufReader::new(child.stdout.take().unwrap());
            self.process = Some((running.life, child, lines));
        }
        self.next += 1;
        let asked = message(self.next, method, params, key);
        let (_, child, lines) = self.process.as_mut()?;
        writeln!(child.stdin.as_mut()?, "{asked}").ok()?;
        let mut line = String::new();
        if lines.read_line(&mut line).ok()? == 0 {
            self.end();
            return None;
        }
        let answer = object(&line)?;
        assert!(answer["id"].is_null() || answer["id"] == asked["id"], "{answer}");
        Some(answer)
    }

    fn end(&mut self) {
        if let Some((_, mut child, _)) = self.process.take() {
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for StdioDoor {
    fn drop(&mut self) {
        self.end();
    }
}

impl Door for StdioDoor {
    fn propose(&mut self, running: &Running, key: &str) -> Option<Value> {
        let answer = self.request(running, "tools/call", leisure(), key)?;
        task_view(&answer)
    }

    fn cancel(&mut self, running: &Running, key: &str, view: &Value) -> Option<Value> {
        let task = json!({"taskId": view["task"].as_str()?});
        self.request(running, "tasks/cancel", task, key);
        None
    }
}

struct CommandDoor<'a> {
    place: &'a Place,
}

impl CommandDoor<'_> {
    fn ask(&self, args: &[&str]) -> Option<Value> {
        let done = self.place.run(&[&["ask", "--json"], args].concat());
        object(&String::from_utf8(done.stdout).unwrap())
    }
}

impl Door for CommandDoor<'_> {
    fn propose(&mut self, _: &Running, key: &str) -> Option<Value> {
        let args = ["wellness.permit_leisure", "--args", r#"{"window_min":90}"#];
        self.ask(&[&args[..], &["--idempotency-key", key]].concat())
    }

    fn cancel(&mut self, _: &Running, _: &str, view: &Value) -> Option<Value> {
        self.ask(&["--cancel", view["ask"].as_str()?])
    }
}

/// A run for each key, which is left to who executes it.
struct WorkflowDoor<'a> {
    place: &'a Place,
    runs: BTreeMap<String, (String, Child)>,
}

impl WorkflowDoor<'_> {
    /// The id of the newest run.
    fn newest(&self) -> Option<String> {
        let done = self.place.run(&["workflow", "status", "last", "--json"]);
        Some(
            object(&String::from_utf8(done.stdout).unwrap())?["run"]
                .as_str()?
                .to_owned(),
        )
    }
}

impl Door for WorkflowDoor<'_> {
    fn propose(&mut self, _: &Running, key: &str) -> Option<Value> {
        if !self.runs.contains_key(key) {
            let before = self.newest();
            let mut child = self
                .place
                .aura(&["workflow", "run", "rest", "--json"])
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let mut line = String::new();
            let mut lines = BufReader::new(child.stdout.take().unwrap());
            lines.read_line(&mut line).unwrap();
            // Nobody reads on, and it writes little.
            let run = object(&line).and_then(|line| Some(line["run"].as_str()?.to_owned()));
            let run = run.or_else(|| self.newest().filter(|run| Some(run) != before.as_ref()));
            let Some(run) = run else {
                child.wait().unwrap();
                return None;
            };
            thread::spawn(move || lines.read_to_string(&mut String::new()));
            self.runs.insert(key.to_owned(), (run, child));
        }
        let (run, _) = &self.runs[key];
        let asker = format!("run_{}", run.replace('-', ""));
        let done = self.place.run(&["ask", "--list", "--json"]);
        let text = String::from_utf8(done.stdout).unwrap();
        let mut asks = text.lines().filter_map(object);
        asks.find(|ask| ask["device"] == json!(asker))
    }

    fn cancel(&mut self, _: &Running, key: &str, _: &Value) -> Option<Value> {
        let (run, child) = self.runs.get_mut(key)?;
        let done = self.place.run(&["workflow", "cancel", run]);
        // It may have come to its end meanwhile.
        if done.status.code() != Some(75) {
            wait::exit_within(child, wait::PATIENCE);
        }
        None
    }
}

impl Drop for WorkflowDoor<'_> {
    fn drop(&mut self) {
        for (_, child) in self.runs.values_mut() {
            let _ = child.kill();
            let _ = child.wait();
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
    let rest = "name = \"rest\"\n[[step]]\nname = \"pause\"\nkind = \"ask\"\ntool = \"wellness.permit_leisure\"\nargs = { window_min = 90 }\n";
    fs::write(place.project().join("workflows/rest.toml"), rest).unwrap();

    // A command that works on runs may have the folder for a moment.
    let start = |known: Option<&str>| wait::until("a free folder", || Service::try_start(&home, &dir, known));
    let mut service = start(None);
    let [one, two, three, four] = ["One", "Two", "Three", "Four"]
        .map(|name| token::program_token(&dir, name, [ToolName::PermitLeisure]));
    let stage = Stage::default();
    let doors = 6;
    let mut lives = 0;
    let service = thread::scope(|scope| {
        let stage = &stage;
        let place = &place;
        let _alarm = Alarm(stage);
        for (name, token, many) in [("one", one, REST[0]), ("two", two, REST[1])] {
            scope.spawn(move || asks(stage, name, many, &mut RestDoor { token }));
        }
        scope.spawn(move || asks(stage, "http", HTTP, &mut HttpDoor { token: three }));
        scope.spawn(move || {
            let mut door = StdioDoor {
                token: four,
                process: None,
                next: 0,
            };
            asks(stage, "stdio", STDIO, &mut door);
        });
        scope.spawn(move || asks(stage, "command", COMMAND, &mut CommandDoor { place }));
        scope.spawn(move || {
            let runs = BTreeMap::new();
            asks(stage, "workflow", WORKFLOW, &mut WorkflowDoor { place, runs });
        });
        scope.spawn(move || owner(stage, doors));
        let mut seed = 25;
        loop {
            lives += 1;
            let running = Running {
                life: lives,
                port: service.port,
                owner: service.token.clone(),
            };
            let mut until = 0;
            stage.change(|shared| {
                until = shared.steps + STEPS + drawn(&mut seed) % STEPS;
                shared.running = Some(running);
            });
            let is_over = stage.until("progress", |shared| {
                let over = shared.finished == doors;
                (over || shared.steps >= until).then_some(over)
            });
            if is_over {
                return service;
            }
            // In the middle of whatever it does for each of them.
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
