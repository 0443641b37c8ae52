//! An ask, and the service killed at each write of its store.
//!
//! What: from outside, at the n-th write after a program may ask, for each n until the ask has ended before it. After the next start it ends
//! in one state and keeps it, and its tool ran at most once. Why: what is promised of a crash is promised of the built binary, with nothing
//! of a test in it. Not here: five hundred asks by every door (`asks_kill`), the writes of recorded days (`crash`).

use crate::support::{
    Service,
    plain_http::{http, object},
    signal, token, wait,
    write_killer::WriteKiller,
};
use serde_json::{Value, json};
use std::fs;
use toolcall_schema::ToolName;

/// From one write that is the last to the next one that is tried.
const STEP: usize = 3;

/// Asks until the ask has ended, with an owner who confirms; `None`: the service has gone.
fn end_of_ask(service: &Service, program: &str) -> Option<Value> {
    let ask = |token: &str, line: &str, body: &Value| {
        let head = format!("Authorization: Bearer {token}\r\n");
        let (_, text) = http(service.port, line, &head, &body.to_string()).ok()?;
        Some(object(&text).unwrap_or_default())
    };
    let mut looks = 0;
    let mut step = || {
        let break_of_90 =
            json!({"tool": "wellness.permit_leisure", "args": {"window_min": 90}, "key": "break"});
        let view = ask(program, "POST /v1/asks", &break_of_90)?;
        let state = view["state"].as_str().unwrap_or_default();
        if state == "queued" && looks % 20 == 0 {
            let unlock = json!([signal(&format!("u{looks}"), "phone_unlock", &json!({}))]);
            ask(&service.token, "POST /v1/signals", &unlock)?;
        }
        looks += 1;
        let card = ask(&service.token, "GET /v1/now", &Value::Null)?["card"].clone();
        if let Some(id) = card["card_id"].as_str() {
            ask(&service.token, "GET /fragment/now?c=1", &Value::Null)?;
            let capability = &card["prompts"][0]["capability"];
            let yes = json!({"act": "confirm", "surface": "PHONE_CARD", "capability": capability});
            ask(&service.token, &format!("POST /v1/cards/{id}/answer"), &yes)?;
        }
        Some(view)
    };
    wait::until("an end of the ask", || match step() {
        None => Some(None),
        Some(view) => {
            let goes_on = ["queued", "asking"].map(Value::from).contains(&view["state"]);
            // 503: it has no time just now.
            (!goes_on && view.get("state").is_some()).then_some(Some(view))
        }
    })
}

#[test]
fn an_ask_ends_once_at_whichever_write_the_service_is_killed() {
    let mut ends: Vec<String> = Vec::new();
    for n in (1..).step_by(STEP) {
        let dir = tempfile::tempdir().unwrap();
        let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
        fs::write(&home, "zone = \"UTC\"\nceiling = 5\n").unwrap();
        let service = Service::start(&home, &data);
        let program = token::program_token(&data, "Writes", [ToolName::PermitLeisure]);
        let owner = service.token.clone();
        let page = service.phone();
        let killer = WriteKiller::new(&service, n);
        let told = end_of_ask(&service, &program);
        drop((page, service, killer));
        let service = wait::until("a free folder", || Service::try_start(&home, &data, Some(&owner)));
        let _page = service.phone();
        let end = end_of_ask(&service, &program).unwrap();
        assert_eq!(end_of_ask(&service, &program).unwrap(), end, "write {n}");
        let (_, traces) = service.request("GET", "/v1/traces?limit=100", None);
        let calls = traces.as_array().unwrap().iter().flat_map(|trace| {
            let calls = trace["tool_calls"].as_array().unwrap();
            calls.iter().map(|call| call["tool"] == "wellness.permit_leisure")
        });
        let ran = calls.filter(|of_ask| *of_ask).count();
        let state = end["state"].as_str().unwrap();
        match state {
            "done" => assert_eq!(ran, 1, "write {n}: {traces}"),
            // She said yes, and it was killed before what came of it was kept.
            "unknown" => assert!(ran <= 1, "write {n}: {traces}"),
            other => panic!("write {n}: {other}"),
        }
        if let Some(told) = told {
            assert_eq!(told["state"], end["state"], "write {n}");
            break;
        }
        ends.push(state.to_owned());
    }
    // Before the owner's yes was kept, and after it.
    for state in ["done", "unknown"] {
        assert!(ends.iter().any(|end| end == state), "no {state}: {ends:?}");
    }
}
