//! An ask by each door, and the service killed at each write of its store.
//!
//! What: from outside, at the n-th write after a program may ask, for each n until the ask has ended before it; by every door, for each way in which
//! the owner or the program ends it. After the next start it ends in one state and keeps it, and its tool ran at most once; where nothing was
//! killed, its trace is the same by every door. Why: what is promised of a crash is promised of the built binary, with nothing of a test in it. A
//! sample; with `AURA_ASKS_KILL=writes` each write (`make crash`). Not here: five hundred asks by every door at once (`asks_kill`), the writes of
//! recorded days (`crash`).

use crate::support::{
    Service,
    ask_doors::{
        CommandDoor, Door, HttpDoor, RestDoor, Running, StdioDoor, WorkflowDoor, add_workflow_that_asks,
    },
    plain_http::{http, object},
    signal, token, wait,
    workflows::Place,
    write_fault::WriteFault,
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, env, fs};
use toolcall_schema::ToolName;

/// From one write that is the last to the next one that is tried, in a sample.
const SAMPLED: usize = 29;
/// What the program calls its ask.
const KEY: &str = "break";

/// How an ask comes to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AskEnding {
    Confirmed,
    Dismissed,
    TakenBackWaiting,
    TakenBackOnCard,
}

impl AskEnding {
    const ALL: [Self; 4] = [
        Self::Confirmed,
        Self::Dismissed,
        Self::TakenBackWaiting,
        Self::TakenBackOnCard,
    ];

    /// The states that it may end in, and how often its tool may have run then.
    fn allowed(self) -> &'static [(&'static str, &'static [usize])] {
        match self {
            // She said yes, and it was killed before what came of it was kept.
            Self::Confirmed => &[("done", &[1]), ("unknown", &[0, 1])],
            Self::Dismissed => &[("dismissed", &[0])],
            Self::TakenBackWaiting | Self::TakenBackOnCard => &[("cancelled", &[0])],
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
            // No card was made of it.
            Self::TakenBackWaiting => return Vec::new(),
        };
        vec![
            json!({"kind": "PERMIT_LEISURE", "outcome": outcome, "reason": reason, "calls": calls, "free": 4}),
        ]
    }
}

/// What came of all points.
#[derive(Default)]
struct WriteTally {
    asked: usize,
    killed: usize,
    ended: BTreeMap<String, usize>,
    ran_twice: usize,
}

/// One life of the service, and its owner's phone.
struct Life {
    service: Service,
    running: Running,
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
            match self.step(door, ending, &mut looks) {
                Some(view) => (!is_open(&view) && view.get("state").is_some()).then_some(Some(view)),
                // It has no time just now, or the run is at its beginning.
                None => self.service.has_ended().then_some(None),
            }
        })
    }

    /// The program asks how far it is; then each does what it does next.
    fn step(&self, door: &mut dyn Door, ending: AskEnding, looks: &mut usize) -> Option<Value> {
        let view = door.propose(&self.running, KEY)?;
        if !is_open(&view) {
            return Some(view);
        }
        if ending == AskEnding::TakenBackWaiting {
            door.cancel(&self.running, KEY, &view);
            return Some(view);
        }
        let card = self.owner("GET /v1/now", &Value::Null)?["card"].clone();
        let Some(id) = card["card_id"].as_str() else {
            if looks.is_multiple_of(20) {
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
        };
        let capability = &card["prompts"][0]["capability"];
        let answer = json!({"act": act, "surface": "PHONE_CARD", "capability": capability});
        self.owner(&format!("POST /v1/cards/{id}/answer"), &answer)?;
        Some(view)
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

/// A household, and the door in question with what it needs.
type OpenDoor = for<'a> fn(&'a Place, String) -> Box<dyn Door + 'a>;

/// An ask that is killed at a write, if it has so many: whether it was.
fn kill_at_write(open: OpenDoor, ending: AskEnding, n: usize, tally: &mut WriteTally) -> bool {
    let place = Place::new();
    let data = place.data();
    let home = data.with_file_name("home.toml");
    fs::write(&home, "zone = \"UTC\"\nceiling = 5\n").unwrap();
    add_workflow_that_asks(&place);
    let service = Service::start(&home, &data);
    let program = token::program_token(&data, "Writes", [ToolName::PermitLeisure]);
    let owner = service.token.clone();
    let mut door = open(&place, program);
    let page = service.phone();
    let killer = WriteFault::kill_at(&service, u64::try_from(n).unwrap());
    let mut life = Life {
        running: Running::of(&service, 1),
        service,
    };
    tally.asked += 1;
    let told = life.end_of_ask(&mut *door, ending);
    drop((page, killer, life));
    // A command that works on runs may have the folder for a moment.
    let service = wait::until("a free folder", || Service::try_start(&home, &data, Some(&owner)));
    let _page = service.phone();
    let mut life = Life {
        running: Running::of(&service, 2),
        service,
    };
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
        assert_eq!(life.said_of_programs(), ending.trace(), "{at}");
    }
    tally.killed += usize::from(told.is_none());
    *tally.ended.entry(state.to_owned()).or_default() += 1;
    tally.ran_twice += usize::from(ran > 1);
    told.is_none()
}

#[expect(clippy::print_stdout, reason = "how much was tried is what it shows")]
fn by_door(name: &str, open: OpenDoor) {
    let is_whole = env::var("AURA_ASKS_KILL").is_ok_and(|at| at == "writes");
    let mut tally = WriteTally::default();
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
    for state in ["done", "dismissed", "cancelled"] {
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
    by_door("workflow", |place, _| Box::new(WorkflowDoor::new(place)));
}
