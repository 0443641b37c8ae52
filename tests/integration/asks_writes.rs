//! An ask by each door, and the service killed at each write of its store.
//!
//! What: from outside, at the n-th write after a program may ask, for each n until the ask has ended before it; by every door, for each way in which
//! the owner, the program or time ends it. After the next start it ends in one state and keeps it, and its tool ran at most once; where nothing was
//! killed, its trace is the same by every door. Why: what is promised of a crash is promised of the built binary. A sample; with
//! `AURA_ASKS_KILL=writes` each write (`make crash`). Not here: five hundred asks by every door at once (`asks_kill`), what else stands against an
//! ask (`asks_doors`), the writes of recorded days (`crash`).

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
    write_fault::WriteFault,
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, env, fs, net::TcpStream, path::PathBuf};
use toolcall_schema::{Timestamp, ToolName};

/// From one write that is the last to the next one that is tried, in a sample.
const SAMPLED: usize = 29;
/// How long before its deadline a service is started in which time ends an ask; where a start takes longer, twice as long each time.
const LEAD_MS: i64 = 1000;
const LEAD_MAX_MS: i64 = 32_000;
/// What the program calls its ask.
const KEY: &str = "break";

/// How an ask comes to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AskEnding {
    Confirmed,
    Dismissed,
    TakenBackWaiting,
    TakenBackOnCard,
    /// Nobody looks, and its hour is over.
    ExpiredWaiting,
    /// She looks and says nothing.
    ExpiredOnCard,
}

impl AskEnding {
    const ALL: [Self; 6] = [
        Self::Confirmed,
        Self::Dismissed,
        Self::TakenBackWaiting,
        Self::TakenBackOnCard,
        Self::ExpiredWaiting,
        Self::ExpiredOnCard,
    ];

    fn is_by_time(self) -> bool {
        matches!(self, Self::ExpiredWaiting | Self::ExpiredOnCard)
    }

    /// The states that it may end in, and how often its tool may have run then.
    fn allowed(self) -> &'static [(&'static str, &'static [usize])] {
        match self {
            // She said yes, and it was killed before what came of it was kept.
            Self::Confirmed => &[("done", &[1]), ("unknown", &[0, 1])],
            Self::Dismissed => &[("dismissed", &[0])],
            Self::TakenBackWaiting | Self::TakenBackOnCard => &[("cancelled", &[0])],
            Self::ExpiredWaiting | Self::ExpiredOnCard => &[("expired", &[0])],
        }
    }
}

impl AskEnding {
    /// What its trace says where nothing was killed, by whichever door it came: of five tokens one is spent, once the owner has seen it.
    fn trace(self) -> Vec<Value> {
        let (outcome, reason, calls) = match self {
            Self::Confirmed => (
                "confirmed",
                Value::Null,
                json!([["wellness.permit_leisure", {"window_min": 90}]]),
            ),
            Self::Dismissed => ("dismissed", json!("owner_dismissed"), json!([])),
            Self::TakenBackOnCard => ("dismissed", json!("superseded"), json!([])),
            Self::ExpiredOnCard => ("dismissed", json!("confirm_timeout"), json!([])),
            // No card was made of it.
            Self::TakenBackWaiting | Self::ExpiredWaiting => return Vec::new(),
        };
        vec![
            json!({"kind": "PERMIT_LEISURE", "outcome": outcome, "reason": reason, "calls": calls, "free": 4}),
        ]
    }
}

/// What came of all points.
struct WriteTally {
    /// How long before its deadline a service is started in which time ends an ask.
    lead_ms: i64,
    asked: usize,
    killed: usize,
    ended: BTreeMap<String, usize>,
    ran_twice: usize,
}

/// A household in which one ask comes to its end.
struct Household<'a> {
    place: &'a Place,
    home: PathBuf,
    clock: TestClock,
    ending: AskEnding,
}

impl<'a> Household<'a> {
    fn new(place: &'a Place, ending: AskEnding) -> Self {
        let home = place.data().with_file_name("home.toml");
        fs::write(&home, format!("zone = \"{}\"\nceiling = 5\n", afternoon_zone())).unwrap();
        add_workflows_that_ask(place);
        let clock = TestClock::new(place.data().with_extension("clock"));
        Self {
            place,
            home,
            clock,
            ending,
        }
    }

    /// Starts its service for the n-th time, for a device of its owner's that it knows or a new one.
    fn start(&self, n: u64, known: Option<&str>) -> Life {
        // A command that works on runs may have the folder for a moment.
        let service = wait::until("a free folder", || {
            Service::try_start_as(&self.home, &self.place.data(), known, |command| {
                // Where time ends nothing, nothing of a test is in it.
                if self.ending.is_by_time() {
                    self.clock.of(command)
                } else {
                    command
                }
            })
        });
        Life {
            // Where nobody looks there is nowhere to ask.
            _page: (self.ending != AskEnding::ExpiredWaiting).then(|| service.phone()),
            running: Running::of(&service, n),
            service,
        }
    }
}

/// One life of the service, and its owner's phone.
struct Life {
    service: Service,
    running: Running,
    _page: Option<TcpStream>,
}

impl Life {
    fn owner(&self, line: &str, body: &Value) -> Option<Value> {
        let head = format!("Authorization: Bearer {}\r\n", self.running.owner);
        let (_, text) = http(self.running.port, line, &head, &body.to_string()).ok()?;
        Some(object(&text).unwrap_or_default())
    }

    /// Asks until the ask has ended as it is to; `None`: the service has gone.
    fn end_of_ask(&mut self, door: &mut dyn Door, ending: AskEnding) -> Option<Value> {
        let mut looks = 0;
        wait::until("an end of the ask", || {
            let told = self.step(door, ending, &mut looks);
            let ended = told.filter(|view| !is_open(view) && view.get("state").is_some());
            // Else it has no time just now, or the run is at its beginning; or it has gone, and a command that works on runs has the folder.
            ended
                .map(Some)
                .or_else(|| self.service.has_ended().then_some(None))
        })
    }

    /// The program asks how far it is; then each does what it does next.
    fn step(&self, door: &mut dyn Door, ending: AskEnding, looks: &mut usize) -> Option<Value> {
        let view = door.propose(&self.running, KEY)?;
        if !is_open(&view) {
            return Some(view);
        }
        match ending {
            AskEnding::TakenBackWaiting => {
                door.cancel(&self.running, KEY, &view);
                return Some(view);
            }
            AskEnding::ExpiredWaiting => return Some(view),
            AskEnding::Confirmed
            | AskEnding::Dismissed
            | AskEnding::TakenBackOnCard
            | AskEnding::ExpiredOnCard => {}
        }
        let card = self.owner("GET /v1/now", &Value::Null)?["card"].clone();
        let Some(id) = card["card_id"].as_str() else {
            if looks.is_multiple_of(5) {
                let unlock = json!([signal(&format!("u{looks}"), "phone_unlock", &json!({}))]);
                self.owner("POST /v1/signals", &unlock)?;
            }
            *looks += 1;
            return Some(view);
        };
        self.owner("GET /fragment/now?c=1", &Value::Null)?;
        let act = match ending {
            AskEnding::Confirmed => "confirm",
            AskEnding::Dismissed => "dismiss",
            AskEnding::TakenBackWaiting | AskEnding::TakenBackOnCard => {
                door.cancel(&self.running, KEY, &view);
                return Some(view);
            }
            AskEnding::ExpiredWaiting | AskEnding::ExpiredOnCard => return Some(view),
        };
        let capability = &card["prompts"][0]["capability"];
        let answer = json!({"act": act, "surface": "PHONE_CARD", "capability": capability});
        self.owner(&format!("POST /v1/cards/{id}/answer"), &answer)?;
        Some(view)
    }

    /// Until when the ask waits as it is to: behind everything else, or on a card that she has seen.
    fn deadline(&self, door: &mut dyn Door, ending: AskEnding, place: &Place) -> Timestamp {
        let mut looks = 0;
        let until = wait::until("an ask that waits", || {
            self.step(door, ending, &mut looks)?;
            if ending == AskEnding::ExpiredWaiting {
                return Some(only_ask(place)?["until"].clone());
            }
            let card = self.owner("GET /v1/now", &Value::Null)?["card"].clone();
            self.owner("GET /fragment/now?c=1", &Value::Null)?;
            Some(card["prompts"][0]["expires_at"].clone()).filter(Value::is_string)
        });
        Timestamp::parse(until.as_str().unwrap()).unwrap()
    }

    fn traces(&self) -> Vec<Value> {
        let (_, traces) = self.service.request("GET", "/v1/traces?limit=100", None);
        traces.as_array().unwrap().clone()
    }

    /// How often the ask's tool ran, by the traces.
    fn runs_of_tool(&self) -> usize {
        let is_call = |call: &&Value| call["tool"] == "wellness.permit_leisure";
        let ran = |trace: &Value| {
            trace["tool_calls"]
                .as_array()
                .unwrap()
                .iter()
                .filter(is_call)
                .count()
        };
        self.traces().iter().map(ran).sum()
    }

    /// What the traces say of whatever a program asked for: which door it came by is in none.
    fn said_of_programs(&self) -> Vec<Value> {
        let asked = |trace: &Value| {
            let chosen = trace["decision"]
                .get("chosen")
                .filter(|chosen| chosen["asker"] == "program")?;
            let calls = trace["tool_calls"].as_array().unwrap();
            Some(json!({
                "kind": chosen["kind"],
                "outcome": trace["outcome"],
                "reason": trace["reason_code"],
                "calls": calls.iter().map(|call| json!([call["tool"], call["args"]])).collect::<Value>(),
                "free": trace["ledger_after"]["free"],
            }))
        };
        self.traces().iter().filter_map(asked).collect()
    }
}

fn is_open(view: &Value) -> bool {
    ["queued", "asking"].map(Value::from).contains(&view["state"])
}

/// What the one program asked for, as its owner lists it; `None`: the service has gone.
fn only_ask(place: &Place) -> Option<Value> {
    let done = place.run(&["ask", "--list", "--json"]);
    object(&String::from_utf8(done.stdout).unwrap())
}

/// A household, and the door in question with what it needs.
type OpenDoor = for<'a> fn(&'a Place, String) -> Box<dyn Door + 'a>;

/// An ask that is killed at a write, if it has so many: whether it was.
fn kill_at_write(open: OpenDoor, ending: AskEnding, n: usize, tally: &mut WriteTally) -> bool {
    let place = Place::new();
    let house = Household::new(&place, ending);
    let mut life = house.start(1, None);
    let program = token::program_token(&place.data(), "Writes", [ToolName::PermitLeisure]);
    let owner = life.service.token.clone();
    let mut door = open(&place, program);
    if ending.is_by_time() {
        // The next life begins a moment before that.
        let until = life.deadline(&mut *door, ending, &place);
        drop(life);
        let now = Timestamp::from(chrono::Utc::now());
        house.clock.set_ahead(until.since(now) - tally.lead_ms);
        life = house.start(2, Some(&owner));
    }
    let killer = WriteFault::kill_at(&life.service, u64::try_from(n).unwrap());
    if ending.is_by_time() && only_ask(&place).is_some_and(|ask| !is_open(&ask)) {
        // Over before anything could be killed: this machine needs longer.
        tally.lead_ms *= 2;
        assert!(tally.lead_ms <= LEAD_MAX_MS, "a start takes too long");
        drop(killer);
        drop((door, life));
        return kill_at_write(open, ending, n, tally);
    }
    tally.asked += 1;
    let told = life.end_of_ask(&mut *door, ending);
    // Whoever has the folder then may have told it: a command that goes on with a run.
    let killed = told.is_none() || life.service.has_ended();
    drop((killer, life));
    let mut life = house.start(3, Some(&owner));
    let end = life.end_of_ask(&mut *door, ending).unwrap();
    let at = format!("{ending:?}, write {n}");
    assert_eq!(life.end_of_ask(&mut *door, ending).unwrap(), end, "{at}");
    let ran = life.runs_of_tool();
    let state = end["state"].as_str().unwrap();
    let mut allowed = ending.allowed().iter();
    assert!(
        allowed.any(|(allowed, times)| *allowed == state && times.contains(&ran)),
        "{at}: {state}, and ran {ran} times"
    );
    if let Some(told) = &told {
        assert_eq!(told["state"], end["state"], "{at}: what was told stays");
    }
    if !killed {
        assert_eq!(life.said_of_programs(), ending.trace(), "{at}");
    }
    tally.killed += usize::from(killed);
    *tally.ended.entry(state.to_owned()).or_default() += 1;
    tally.ran_twice += usize::from(ran > 1);
    killed
}

#[expect(clippy::print_stdout, reason = "how much was tried is what it shows")]
fn by_door(name: &str, open: OpenDoor) {
    let is_whole = env::var("AURA_ASKS_KILL").is_ok_and(|at| at == "writes");
    let mut tally = WriteTally {
        lead_ms: LEAD_MS,
        asked: 0,
        killed: 0,
        ended: BTreeMap::new(),
        ran_twice: 0,
    };
    for (n, ending) in AskEnding::ALL.into_iter().enumerate() {
        let mut write = if is_whole { 1 } else { 1 + 7 * n };
        while kill_at_write(open, ending, write, &mut tally) {
            write += if is_whole { 1 } else { SAMPLED };
        }
        println!("{name}: {ending:?} by way of {write} writes at most");
    }
    println!(
        "{name}: asked {}, killed {}, ended {:?}, ran twice {}",
        tally.asked, tally.killed, tally.ended, tally.ran_twice
    );
    assert_eq!(tally.ended.values().sum::<usize>(), tally.asked);
    assert_eq!(tally.ran_twice, 0);
    for state in ["done", "dismissed", "cancelled", "expired"] {
        assert!(tally.ended.contains_key(state), "no {state}");
    }
    // Before the owner's yes was kept, and after it.
    assert!(!is_whole || tally.ended.contains_key("unknown"));
}

#[test]
fn an_ask_over_http_ends_once_at_whichever_write_the_service_is_killed() {
    by_door("api", |_, token| Box::new(RestDoor { token }));
}

#[test]
fn an_ask_by_the_model_context_protocol_ends_once_at_whichever_write_the_service_is_killed() {
    by_door("mcp", |_, token| Box::new(HttpDoor { token }));
}

#[test]
fn an_ask_by_aura_mcp_ends_once_at_whichever_write_the_service_is_killed() {
    by_door("stdio", |_, token| Box::new(StdioDoor::new(token)));
}

#[test]
fn an_ask_at_the_command_line_ends_once_at_whichever_write_the_service_is_killed() {
    by_door("command", |place, _| Box::new(CommandDoor { place }));
}

#[test]
fn an_ask_of_a_workflow_ends_once_at_whichever_write_the_service_is_killed() {
    by_door("workflow", |place, _| Box::new(WorkflowDoor::step(place)));
}

#[test]
fn an_ask_of_an_agent_ends_once_at_whichever_write_the_service_is_killed() {
    by_door("frame", |place, _| Box::new(WorkflowDoor::frame(place)));
}
