//! Workflows that read, beside a running service.
//!
//! What: a step and an agent's frame read as the device that their owner let in for the workflow, recorded before, and not without it. Why: a
//! file in a project opens nothing by itself. Not here: what may be read and where it leads (the machine's `tests/workflow_reads.rs`), the same
//! of devices (`asks_api`).

use crate::support::{
    Service,
    plain_http::{http, object},
    token, wait,
    workflows::Place,
};
use serde_json::{Value, json};
use std::fs;
use toolcall_schema::ToolName;

const FREE: &str = "name = \"free\"\n[[step]]\nname = \"when\"\nkind = \"read\"\ntool = \"calendar.suggest_slots\"\nargs = { duration_min = 60, after = \"{now}\" }\n";

const AGENT: &str = "name = \"frames\"\n[[step]]\nname = \"look\"\nagent = \"reader\"\ntask = \"research\"\nobjective = \"Find what there is\"\n\
    [step.reads.clashes]\ntool = \"calendar.detect_conflicts\"\nargs = { day = \"{today}\" }\n\
    [[step]]\nname = \"try\"\nagent = \"reader\"\ntask = \"test\"\nobjective = \"Find what is tried\"\n";

/// Reads what stands under `clashes`, twice, and answers with what it was told first.
const READER: &str = r#"while IFS= read -r line; do
case "$line" in
*'"cancel"'*) continue;;
*'"answer":'*|*'"refused":'*)
  said=$(printf '%s' "$line" | tr -d '"{}[]')
  printf '{"id":%s,"message":{"status":"completed","data":{"summary":"%s"},"meta":{}}}\n' "$id" "$said"; continue;;
esac
id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
printf '{"id":%s,"read":"clashes"}\n{"id":%s,"read":"clashes"}\n' "$id" "$id"
done
"#;

fn place() -> Place {
    let place = Place::new();
    let write = |name: &str, text: &str| fs::write(place.project().join(name), text).unwrap();
    write("workflows/free.toml", FREE);
    write("workflows/frames.toml", AGENT);
    place.add_agent("reader", READER);
    write(
        "../home.toml",
        "zone = \"UTC\"\n[sources]\ncalendar = [\"home.ics\"]\n",
    );
    let event = "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\nBEGIN:VEVENT\nUID:demo\nDTSTAMP:20261101T000000Z\n\
                 DTSTART:20261102T100000Z\nDTEND:20261102T110000Z\nSUMMARY:Choir\nEND:VEVENT\nEND:VCALENDAR\n";
    write("../home.ics", &event.replace('\n', "\r\n"));
    place
}

/// A service that has read its calendar.
fn start(place: &Place) -> Service {
    let home = place.data().with_file_name("home.toml");
    let service = wait::until("a free folder", || Service::try_start(&home, &place.data(), None));
    let token = token::program_token(&place.data(), "Waits", [ToolName::SuggestSlots]);
    let slots = json!({"tool": "calendar.suggest_slots", "args": {"duration_min": 60, "after": "2026-11-03T09:00:00Z"}});
    let head = format!("Authorization: Bearer {token}\r\n");
    wait::until("a calendar that was read", || {
        let (status, _) = http(service.port, "POST /v1/reads", &head, &slots.to_string()).ok()?;
        (status == 200).then_some(())
    });
    service
}

fn said(place: &Place, args: &[&str]) -> String {
    let done = place.run(args);
    assert_eq!(done.status.code(), Some(0), "{args:?}: {done:?}");
    String::from_utf8(done.stdout).unwrap()
}

/// Lets a device in as which these workflows read; its id.
fn let_read(place: &Place, tools: &str, workflows: &[&str]) -> String {
    let add = [
        "device", "add", "Reader", "--scope", "ask", "--tools", tools, "--json",
    ];
    let added = object(&said(place, &add)).unwrap();
    let id = added["device"]["id"].as_str().unwrap().to_owned();
    for workflow in workflows {
        said(place, &["device", "allow", &id, workflow]);
    }
    id
}

/// Runs a workflow; its exit code and the answers of its steps.
fn ran(place: &Place, workflow: &str) -> (Option<i32>, Vec<Value>) {
    let done = place.run(&["workflow", "run", workflow, "--json"]);
    let log = said(place, &["workflow", "log", "last", "--json"]);
    let events = log.lines().filter_map(object).map(|line| line["what"].clone());
    let ends = events.filter(|what| what["event"] == "ended");
    (
        done.status.code(),
        ends.map(|end| end["answer"].clone()).collect(),
    )
}

/// How many records of the audit log hold this.
fn recorded(place: &Place, what: &str) -> usize {
    let list = [
        "memory", "audit", "list", "--limit", "1000", "--json", "--op", "read", "--kind", "call",
    ];
    said(place, &list).matches(what).count()
}

#[test]
fn a_workflow_reads_as_the_device_that_was_let_in_for_it_and_not_without() {
    let place = place();
    let service = start(&place);
    let refused = |place: &Place, workflow: &str| {
        let (code, answers) = ran(place, workflow);
        assert_eq!(answers.len(), 1, "{answers:?}");
        assert_ne!(code, Some(0), "{answers:?}");
        answers[0]["refusal"]["code"].as_str().unwrap().to_owned()
    };
    assert_eq!(refused(&place, "free"), "ASK-001", "nobody let it");
    // Another project's workflow of the same name is another one.
    let other = place.data().with_file_name("other");
    fs::create_dir_all(other.join("workflows")).unwrap();
    fs::write(other.join("workflows/free.toml"), FREE).unwrap();
    let other = other.join("workflows/free.toml").display().to_string();
    let id = let_read(&place, "calendar.suggest_slots", &[&other]);
    assert_eq!(refused(&place, "free"), "ASK-001");
    said(&place, &["device", "allow", &id, "workflows/free.toml"]);
    let before = recorded(&place, &id);
    let (code, answers) = ran(&place, "free");
    assert_eq!(code, Some(0), "{answers:?}");
    assert_eq!(answers[0]["kind"], "read", "{answers:?}");
    assert_eq!(
        answers[0]["answer"]["slots"].as_array().unwrap().len(),
        3,
        "{answers:?}"
    );
    assert!(!answers[0].to_string().contains("Choir"), "{answers:?}");
    assert_eq!(
        (before, recorded(&place, &format!("{id}:calendar.suggest_slots"))),
        (0, 1)
    );
    // The page shows it, and takes it back as the command line does.
    let (_, page) = service.request("GET", "/devices", None);
    assert!(page.as_str().unwrap().contains("free@"), "{page}");
    said(&place, &["device", "allow", &id, "workflows/free.toml", "--not"]);
    assert_eq!(refused(&place, "free"), "ASK-001");
    said(&place, &["device", "allow", &id, "workflows/free.toml"]);
    said(&place, &["device", "revoke", &id]);
    assert_eq!(refused(&place, "free"), "ASK-001");
}

#[test]
fn an_agent_reads_what_the_step_names_once_and_nothing_else() {
    let place = place();
    let service = start(&place);
    let id = let_read(&place, "calendar.detect_conflicts", &["workflows/frames.toml"]);
    let (code, answers) = ran(&place, "frames");
    assert_eq!(code, Some(0), "{answers:?}");
    let summary = |n: usize| {
        answers[n]["response"]["data"]["summary"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert!(
        summary(0).contains("read:clashes") && summary(0).contains("conflicts:"),
        "{answers:?}"
    );
    // The other step names nothing.
    assert!(summary(1).contains("ASK-001"), "{answers:?}");
    assert_eq!(recorded(&place, &id), 1, "each name once in an asking");
    drop(service);
}
