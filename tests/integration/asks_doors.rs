//! The table of an ask: each door, and each thing that stands against it.
//!
//! What: by each door a program proposes while Aura is paused, must not disturb, and has given programs their card of the day; wants something else
//! beside it; is in another program's way; is confirmed with a capability that nobody gave out, by a program, and by its owner; asks again; and is
//! not heard in time. Each door is told the same, and every trace is the same but for ids and moments. Why: a door that differs is a side door.
//! Not here: kills (`asks_writes`, `asks_kill`), each crash in the machine (`orchestrator/machine/tests/asks_doors.rs`).

use crate::support::{
    Service, afternoon_zone,
    ask_doors::{
        CommandDoor, Door, HttpDoor, RestDoor, Running, StdioDoor, WorkflowDoor, add_workflows_that_ask,
    },
    plain_http::{http, object},
    signal,
    test_clock::TestClock,
    token, wait,
    workflows::Place,
};
use serde_json::{Map, Value, json};
use std::{fs, path::PathBuf};
use toolcall_schema::{Timestamp, ToolName};

const MINUTE_MS: i64 = 60_000;

/// A household in which a program asks, and what is seen of it.
struct Scene<'a> {
    place: &'a Place,
    home: PathBuf,
    clock: TestClock,
    service: Service,
    running: Running,
    looks: usize,
    seen: Vec<(&'static str, Value)>,
}

impl<'a> Scene<'a> {
    fn begin(place: &'a Place) -> Self {
        add_workflows_that_ask(place);
        let data = place.data();
        let home = data.with_file_name("home.toml");
        fs::write(&home, format!("zone = \"{}\"\nceiling = 5\n", afternoon_zone())).unwrap();
        // Nothing but the programs' own cap is in the way of their second card.
        let policy = include_str!("../../orchestrator/machine/src/policy.toml");
        let policy = policy.replacen("window_min = 30", "window_min = 0", 1);
        fs::write(data.with_file_name("policy.toml"), policy).unwrap();
        let clock = TestClock::new(data.with_extension("clock"));
        let service = Service::start_as(&home, &data, |command| clock.of(command));
        Self {
            place,
            home,
            clock,
            running: Running::of(&service, 1),
            service,
            looks: 0,
            seen: Vec::new(),
        }
    }

    fn program(&self, name: &str) -> String {
        let tools = [ToolName::PermitLeisure, ToolName::StartNapTimer];
        token::program_token(&self.place.data(), name, tools)
    }

    fn note(&mut self, what: &'static str, seen: Value) {
        self.seen.push((what, seen));
    }

    fn pause(&self, length: &str) {
        let (status, said) = self
            .service
            .request("POST", "/v1/pause", Some(&json!({"for": length})));
        assert!((200..300).contains(&status), "{said}");
    }

    fn do_not_disturb(&mut self, active: bool) {
        self.looks += 1;
        let told = signal(&format!("dnd-{}", self.looks), "dnd", &json!({"active": active}));
        let (status, said) = self.service.request("POST", "/v1/signals", Some(&json!([told])));
        assert_eq!(status, 202, "{said}");
    }

    /// What programs asked for, as their owner lists it.
    fn asks(&self) -> Vec<Value> {
        let done = self.place.run(&["ask", "--list", "--json"]);
        let text = String::from_utf8(done.stdout).unwrap();
        text.lines().filter_map(object).collect()
    }

    /// The one that is not over.
    fn open_ask(&self) -> Value {
        let mut open = self.asks();
        open.retain(|ask| ask["state"] == "queued" || ask["state"] == "asking");
        assert_eq!(open.len(), 1, "{open:?}");
        open.remove(0)
    }

    fn traces(&self) -> Vec<Value> {
        let (_, traces) = self.service.request("GET", "/v1/traces?limit=100", None);
        traces.as_array().unwrap().clone()
    }

    fn look(&mut self) {
        self.looks += 1;
        self.service.look(&format!("look-{}", self.looks));
    }

    /// The owner looks at her phone, and is told nothing: how far the ask is, and why there is silence.
    fn look_in_vain(&mut self, what: &'static str) {
        let before = self.traces().len();
        self.look();
        let traces = wait::until("a decision", || {
            Some(self.traces()).filter(|traces| traces.len() > before)
        });
        assert_eq!(traces.len(), before + 1, "{what}: {traces:#?}");
        assert_eq!(self.service.now()["card"], Value::Null, "{what}");
        let removed: Vec<Value> = traces[0]["decision"]["candidates"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|found| json!([found["kind"], found["removed"]]))
            .collect();
        self.note(
            what,
            json!([self.open_ask()["state"], traces[0]["reason_code"], removed]),
        );
    }

    /// The program asks until it is told this.
    fn until_told(&self, door: &mut dyn Door, key: &str, state: &str) -> Value {
        wait::until(format!("an ask that is {state}"), || {
            let view = door.propose(&self.running, key);
            view.filter(|view| view["state"] == state)
        })
    }

    /// What another program is told of an ask whose id, and task, it has come by.
    fn is_told_another(&self, token: &str, ask: &str, task: &str) -> Value {
        let head = format!("Authorization: Bearer {token}\r\n");
        let rest = |line: String| {
            let (status, text) = http(self.running.port, &line, &head, "").unwrap();
            json!([status, object(&text).unwrap()["code"]])
        };
        let mcp = HttpDoor {
            token: token.to_owned(),
        };
        let of_task = |method: &str| {
            let answer = mcp.request(&self.running, method, task, json!({"taskId": task}), "");
            let answer = answer.unwrap();
            json!([answer["error"]["code"], answer.get("result").is_some()])
        };
        json!([
            rest(format!("GET /v1/asks/{ask}")),
            rest(format!("POST /v1/asks/{ask}/cancel")),
            of_task("tasks/get"),
            of_task("tasks/cancel"),
        ])
    }

    /// Whoever says yes to a card: with which status, and by which code it is refused.
    fn yes(&self, token: &str, card: &Value, capability: &Value) -> Value {
        let head = format!("Authorization: Bearer {token}\r\n");
        let line = format!("POST /v1/cards/{}/answer", card["card_id"].as_str().unwrap());
        let body = json!({"act": "confirm", "surface": "PHONE_CARD", "capability": capability});
        let (status, text) = http(self.running.port, &line, &head, &body.to_string()).unwrap();
        json!([status, object(&text).unwrap_or_default()["code"]])
    }

    /// It is killed, and starts when so much time has passed.
    fn kill_and_start_in(&mut self, ms: i64) {
        self.service.kill_at_once();
        self.clock.set_ahead(ms);
        let (data, known) = (self.place.data(), self.running.owner.clone());
        // A command that works on runs may have the folder for a moment.
        self.service = wait::until("a free folder", || {
            Service::try_start_as(&self.home, &data, Some(&known), |command| self.clock.of(command))
        });
        self.running = Running::of(&self.service, self.running.life + 1);
    }
}

/// Whether a text is of an id or a moment, which differ each time.
fn is_of_its_own(text: &str) -> bool {
    let is_id = text.rsplit_once('_').is_some_and(|(kind, tail)| {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        kind.len() <= 6 && tail.len() >= 10 && tail.bytes().all(plain)
    });
    is_id || Timestamp::parse(text).is_ok()
}

/// A trace without its ids and moments.
fn plain(trace: &Value) -> Value {
    match trace {
        Value::String(text) if is_of_its_own(text) => Value::from("…"),
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(members) => {
            let kept = members.iter().filter(|(name, _)| *name != "ms");
            let kept = kept.map(|(name, value)| (name.clone(), plain(value)));
            Value::Object(kept.collect::<Map<_, _>>())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => trace.clone(),
    }
}

/// A household, and the door in question with what it needs.
type OpenDoor = for<'a> fn(&'a Place, String) -> Box<dyn Door + 'a>;

/// What is seen of an ask by one door, and the traces. `else_refused`: by which word what it wants beside is refused.
fn by_door(open: OpenDoor, else_refused: &str) -> (Vec<(&'static str, Value)>, Vec<Value>) {
    let place = Place::new();
    let mut scene = Scene::begin(&place);
    let (program, other) = (scene.program("Program"), scene.program("Other"));
    let mut door = open(&place, program.clone());
    let page = scene.service.phone();

    scene.pause("2h");
    let queued = scene.until_told(&mut *door, "break", "queued");
    scene.look_in_vain("paused");
    scene.do_not_disturb(true);
    scene.pause("off");
    scene.look_in_vain("do not disturb");
    let told = door.want_else(&scene.running, "break");
    assert!(told.contains(else_refused), "{told}");
    let ask = scene.open_ask();
    scene.note("other arguments", ask["state"].clone());
    let id = ask["ask"].as_str().unwrap();
    // Only the Model Context Protocol has tasks.
    let told = scene.is_told_another(&other, id, queued["task"].as_str().unwrap_or(id));
    scene.note("another program", told);
    let kept = scene.open_ask()["state"].clone();
    scene.note("after another program", kept);

    scene.do_not_disturb(false);
    scene.look();
    let card = scene.service.asked();
    let state = scene.open_ask()["state"].clone();
    scene.note("on a card", state);
    scene.service.request("GET", "/fragment/now?c=1", None);
    let (owner, capability) = (scene.running.owner.clone(), &card["prompts"][0]["capability"]);
    let forged = scene.yes(&owner, &card, &Value::from("0".repeat(64)));
    scene.note("forged", forged);
    let by_program = scene.yes(&program, &card, capability);
    scene.note("confirmed by a program", by_program);
    let state = scene.open_ask()["state"].clone();
    scene.note("after both", state);
    let confirmed = scene.yes(&owner, &card, capability);
    scene.note("confirmed", confirmed);
    scene.until_told(&mut *door, "break", "done");
    scene.until_told(&mut *door, "break", "done");
    let asks = scene.asks().len();
    scene.note("asked again", json!(asks));

    scene.until_told(&mut *door, "night", "queued");
    scene.look_in_vain("cap");
    let traces = scene.traces().iter().map(plain).collect();
    drop(page);
    scene.kill_and_start_in(61 * MINUTE_MS);
    scene.until_told(&mut *door, "night", "expired");
    let calls = |trace: &Value| trace["tool_calls"].as_array().unwrap().clone();
    let ran: Vec<Value> = scene.traces().iter().flat_map(calls).collect();
    let ran = ran
        .iter()
        .filter(|call| call["tool"] == "wellness.permit_leisure");
    let ran = ran.count();
    scene.note("ran", json!(ran));
    (scene.seen, traces)
}

/// What is seen by each door.
fn wanted() -> Vec<(&'static str, Value)> {
    let held_back = |why: &str| json!(["queued", why, [["PERMIT_LEISURE", why]]]);
    // REST and tasks, to look it up and to take it back: it has no such ask.
    let of_another = json!([
        [404, "ASK-005"],
        [404, "ASK-005"],
        [-32602, false],
        [-32602, false]
    ]);
    vec![
        ("paused", held_back("paused")),
        ("do not disturb", held_back("cap_dnd")),
        ("other arguments", json!("queued")),
        ("another program", of_another),
        ("after another program", json!("queued")),
        ("on a card", json!("asking")),
        ("forged", json!([409, "CONFIRM-002"])),
        ("confirmed by a program", json!([403, "WEB-020"])),
        ("after both", json!("asking")),
        ("confirmed", json!([200, null])),
        ("asked again", json!(1)),
        // What only the programs' own cap holds back explains no silence.
        (
            "cap",
            json!(["queued", "no_candidate", [["PERMIT_LEISURE", "cap_daily"]]]),
        ),
        ("ran", json!(1)),
    ]
}

#[test]
fn by_whichever_door_a_program_asks_it_is_told_the_same_and_leaves_the_same_traces() {
    let doors: [(&str, OpenDoor, &str); 6] = [
        ("api", |_, token| Box::new(RestDoor { token }), "ASK-003"),
        ("mcp", |_, token| Box::new(HttpDoor { token }), "ASK-003"),
        ("stdio", |_, token| Box::new(StdioDoor::new(token)), "ASK-003"),
        (
            "command",
            |place, _| Box::new(CommandDoor { place }),
            "another request",
        ),
        (
            "workflow",
            |place, _| Box::new(WorkflowDoor::step(place)),
            "WORKFLOW-001",
        ),
        (
            "frame",
            |place, _| Box::new(WorkflowDoor::frame(place)),
            "ASK-001",
        ),
    ];
    let mut first: Option<Vec<Value>> = None;
    for (name, open, else_refused) in doors {
        let (seen, traces) = by_door(open, else_refused);
        assert_eq!(seen, wanted(), "{name}");
        // A decision of each look, and the owner's own end of the pause.
        assert_eq!(traces.len(), 5, "{name}");
        let first = first.get_or_insert_with(|| traces.clone());
        assert_eq!(&traces, first, "{name}");
    }
}
