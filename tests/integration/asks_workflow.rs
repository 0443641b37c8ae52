//! Workflows that ask their owner, beside a running service.
//!
//! What: a step proposes over a kill and a start, on a card that names its workflow; ending the run takes it back; an agent has the owner asked
//! by a frame and is told each change. Why: a run is a program as others are, with the same states. Not here: where each end leads (the
//! machine's `tests/workflow_asks.rs`).

use crate::support::{Service, wait, workflows::Place};
use serde_json::{Value, json};
use std::{
    fs,
    process::{Child, Stdio},
};

const REST: &str = "name = \"rest\"\n[[step]]\nname = \"pause\"\nkind = \"ask\"\ntool = \"wellness.permit_leisure\"\nargs = { window_min = 90 }\non = { dismissed = \"end\" }\n";

const AGENT: &str = "name = \"frames\"\n[[step]]\nname = \"look\"\nagent = \"framer\"\ntask = \"research\"\nobjective = \"Find what there is\"\n\
    [step.asks.pause]\ntool = \"wellness.permit_leisure\"\nargs = { window_min = 90 }\n\
    [[step]]\nname = \"try\"\nagent = \"framer\"\ntask = \"test\"\nobjective = \"Find what is tried\"\n";

/// Has the owner asked what stands under `pause`, and answers with what it was told last.
const FRAMER: &str = r#"while IFS= read -r line; do
case "$line" in
*'"cancel"'*|*'"state":"queued"'*|*'"state":"asking"'*) continue;;
*'"state":'*|*'"refused":'*)
  said=$(printf '%s' "$line" | tr -d '"{}')
  printf '{"id":%s,"message":{"status":"completed","data":{"summary":"%s"},"meta":{}}}\n' "$id" "$said"; continue;;
esac
id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
printf '{"id":%s,"ask":"pause"}\n{"id":%s,"ask":"pause"}\n' "$id" "$id"
done
"#;

fn place() -> Place {
    let place = Place::new();
    let write = |name: &str, text: &str| fs::write(place.project().join(name), text).unwrap();
    write("workflows/rest.toml", REST);
    write("workflows/frames.toml", AGENT);
    place.add_agent("framer", FRAMER);
    place
}

fn start(place: &Place) -> Service {
    let home = place.data().with_file_name("home.toml");
    fs::write(&home, "zone = \"UTC\"\n").unwrap();
    // A command that works on runs may have the folder for a moment.
    wait::until("a free folder", || Service::try_start(&home, &place.data(), None))
}

fn run(place: &Place, workflow: &str) -> Child {
    place
        .aura(&["workflow", "run", workflow, "--json"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// What programs asked for, as the command line lists it.
fn asks(place: &Place) -> Vec<Value> {
    let done = place.run(&["ask", "--list", "--json"]);
    let text = String::from_utf8(done.stdout).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The one ask there is, once it has come so far.
fn one_ask(place: &Place, state: &str) -> Value {
    wait::until(format!("an ask that is {state}"), || {
        let asks = asks(place);
        assert!(asks.len() < 2, "{asks:?}");
        asks.into_iter().find(|ask| ask["state"] == state)
    })
}

/// The events of the newest run.
fn log(place: &Place) -> Vec<Value> {
    let done = place.run(&["workflow", "log", "last", "--json"]);
    let text = String::from_utf8(done.stdout).unwrap();
    text.lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["what"].clone())
        .collect()
}

#[test]
fn a_step_proposes_over_a_kill_and_goes_on_when_the_owner_has_confirmed() {
    let place = place();
    let service = start(&place);
    let mut command = run(&place, "rest");
    let queued = one_ask(&place, "queued");
    assert!(queued["device"].as_str().unwrap().starts_with("run_"), "{queued}");
    service.kill();
    let service = start(&place);
    let again = one_ask(&place, "queued");
    assert_eq!(again["ask"], queued["ask"], "it is the same ask");
    let _page = service.phone();
    let card = service.look_until_asked();
    let (_, page) = service.request("GET", "/", None);
    assert!(
        page.as_str().unwrap().contains("Asked for by Workflow rest."),
        "the card says who asks: {page}"
    );
    service.confirm(&card);
    let exit = wait::exit_within(&mut command, wait::PATIENCE);
    assert_eq!(exit.code(), Some(0));
    let events = log(&place);
    let ends: Vec<&Value> = events.iter().filter(|event| event["event"] == "ended").collect();
    assert_eq!(ends.len(), 1, "{events:?}");
    let answer = &ends[0]["answer"];
    assert_eq!(
        (&answer["kind"], &answer["ask"], &answer["report"]["state"]),
        (&json!("ask"), &queued["ask"], &json!("done"))
    );
    let path = format!("/v1/traces/{}", answer["report"]["trace_id"].as_str().unwrap());
    let (_, trace) = service.request("GET", &path, None);
    assert_eq!(
        (&trace["outcome"], &trace["tool_calls"][0]["args"]),
        (&json!("confirmed"), &json!({"window_min": 90})),
        "{trace}"
    );
}

#[test]
fn who_ends_a_run_takes_back_what_it_proposed() {
    let place = place();
    let service = start(&place);
    let mut command = run(&place, "rest");
    one_ask(&place, "queued");
    let done = place.run(&["workflow", "cancel", "last"]);
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    one_ask(&place, "cancelled");
    wait::exit_within(&mut command, wait::PATIENCE);
    drop(service);
}

#[test]
fn an_agent_has_the_owner_asked_what_the_step_names_and_nothing_else() {
    let place = place();
    let service = start(&place);
    let mut command = run(&place, "frames");
    one_ask(&place, "queued");
    let _page = service.phone();
    let card = service.look_until_asked();
    service.confirm(&card);
    assert_eq!(wait::exit_within(&mut command, wait::PATIENCE).code(), Some(0));
    let ends: Vec<Value> = log(&place)
        .into_iter()
        .filter(|event| event["event"] == "ended")
        .map(|event| event["answer"]["response"]["data"]["summary"].clone())
        .collect();
    let said = |n: usize| ends[n].as_str().unwrap().to_owned();
    assert!(
        said(0).contains("ask:pause") && said(0).contains("state:done"),
        "{ends:?}"
    );
    // The other step names nothing.
    assert!(said(1).contains("ASK-001"), "{ends:?}");
}

#[test]
fn without_a_service_nobody_can_be_asked_and_one_that_starts_takes_the_run_over() {
    let place = place();
    let mut command = run(&place, "rest");
    wait::until("a step that waits", || {
        let events = log(&place);
        events.iter().any(|event| event["event"] == "asked").then_some(())
    });
    let service = start(&place);
    one_ask(&place, "queued");
    place.run(&["workflow", "cancel", "last"]);
    one_ask(&place, "cancelled");
    wait::exit_within(&mut command, wait::PATIENCE);
    drop(service);
}
