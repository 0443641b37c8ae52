//! Other people's programs over HTTP: propose, look up, take back, read; what each may, and who says so.
//!
//! What: each route with a device of scope `ask`, bad input, the device's place on `/devices`, and the card that says which device asks. Why:
//! these are the claims of `docs/asks.md`. Not here: what becomes of an ask (the machine's tests, `tests/integration/asks_api.rs`). The
//! backend is a double.

use crate::{
    asks_double::ASK,
    client::{Server, proven_cookie, send, server},
    morning::{TOKEN, mute_card},
};
use serde_json::json;
use std::sync::Arc;
use surfaces_base::devices::{AskGrant, DeviceId, DeviceName, DeviceScope};
use toolcall_schema::{ToolName, trace::Asker};

/// Of a device that may ask for breaks, free times, the balance and quiet chats.
pub(crate) async fn asking_token(server: &Server) -> String {
    let grant = AskGrant::of_tools([
        ToolName::PermitLeisure,
        ToolName::SuggestSlots,
        ToolName::PredictEomBalance,
        ToolName::MuteChannel,
    ]);
    let name = DeviceName::parse("Desktop client").unwrap();
    let (_, token) = server.devices.add_asking(name, grant).await.unwrap();
    token.text().to_owned()
}

#[tokio::test]
async fn a_program_proposes_looks_up_takes_back_and_reads() {
    let server = server("brief").await;
    let token = asking_token(&server).await;
    let leisure = |key: &str| {
        json!({"tool": "wellness.permit_leisure", "args": {"window_min": 90}, "key": key, "wait_min": 20})
            .to_string()
    };
    let (state, cancel) = (
        format!("GET /v1/asks/{ASK}"),
        format!("POST /v1/asks/{ASK}/cancel"),
    );
    let held = format!("{state}?wait=25&seen=queued");
    let slots = json!({"tool": "calendar.suggest_slots", "args": {"duration_min": 60}}).to_string();
    let ask = |state: &str| format!(r#"{{"ask":"{ASK}","state":"{state}"}}"#);
    for (line, body, status, says) in [
        ("POST /v1/asks", leisure("a"), 202, ask("queued")),
        ("POST /v1/asks", leisure("over"), 200, ask("expired")),
        (&held, String::new(), 200, ask("asking")),
        (&cancel, String::new(), 200, ask("cancelled")),
        (
            "POST /v1/reads",
            slots,
            200,
            r#"{"result":{"slots":[]}}"#.to_owned(),
        ),
        (
            "GET /v1/askable",
            String::new(),
            200,
            r#"{"tools":[{"tool":"wellness.permit_leisure","kind":"propose","fixed":{"window_min":90}}]}"#
                .to_owned(),
        ),
        (
            "GET /v1/askable/chats",
            String::new(),
            200,
            r#"{"chats":[{"id":"ch_00000000000000aa","label":"Choir"}]}"#.to_owned(),
        ),
    ] {
        let answer = server.request_as(&token, line, &body).await;
        assert_eq!((answer.status, answer.body), (status, says), "{line} {body}");
    }
    let log = server.log();
    assert!(log.contains(&format!("state {ASK} 25 Some(Queued)")), "{log:?}");
    assert!(log.contains(&format!("cancel api {ASK}")), "{log:?}");
    let proposed = log.iter().find(|line| line.starts_with("ask api")).unwrap();
    assert!(
        proposed.contains("PermitLeisure") && proposed.contains("wait_min: Some(20)"),
        "{proposed}"
    );
}

#[tokio::test]
async fn what_a_program_sends_wrong_is_refused_with_a_code() {
    let server = server("brief").await;
    let token = asking_token(&server).await;
    let ask = |tool: &str, key: &str| json!({"tool": tool, "args": {}, "key": key}).to_string();
    let leisure = "wellness.permit_leisure";
    let more = json!({"tool": leisure, "args": {}, "key": "a", "confirm": true}).to_string();
    let often = json!({"tool": "calendar.detect_conflicts", "args": {"day": "2026-11-03"}}).to_string();
    for (line, body, status, code) in [
        ("POST /v1/asks", ask("comms.no_tool", "a"), 403, "ASK-001"),
        ("POST /v1/asks", ask("\u{202e}evil", "a"), 403, "ASK-001"),
        ("POST /v1/asks", ask(leisure, "other"), 409, "ASK-003"),
        ("POST /v1/asks", ask(leisure, "many"), 429, "ASK-004"),
        // Nothing in a body confirms anything, and nothing is taken that is not known.
        ("POST /v1/asks", more, 400, "WEB-007"),
        ("POST /v1/asks", "{}".to_owned(), 400, "WEB-007"),
        ("POST /v1/asks", "[".repeat(2000), 400, "WEB-007"),
        ("POST /v1/asks", "[".repeat(20_000), 413, "WEB-006"),
        ("GET /v1/asks/rq_0000000000000002", String::new(), 404, "ASK-005"),
        ("GET /v1/asks/..%2f..%2fnow", String::new(), 404, "ASK-005"),
        (
            "GET /v1/asks/rq_0000000000000001?wait=-1",
            String::new(),
            400,
            "WEB-007",
        ),
        (
            "GET /v1/asks/rq_0000000000000001?seen=yes",
            String::new(),
            400,
            "WEB-007",
        ),
        (
            "POST /v1/asks/rq_0000000000000002/cancel",
            String::new(),
            404,
            "ASK-005",
        ),
        ("POST /v1/reads", often, 429, "ASK-006"),
        ("GET /v1/now", String::new(), 403, "WEB-020"),
        ("POST /v1/signals", "[]".to_owned(), 403, "WEB-020"),
        ("GET /events", String::new(), 403, "WEB-020"),
        ("GET /v1/traces", String::new(), 403, "WEB-020"),
        (
            "POST /v1/cards/c_brief0000001/answer",
            r#"{"act":"confirm","surface":"PHONE_CARD"}"#.to_owned(),
            403,
            "WEB-020",
        ),
    ] {
        let answer = server.request_as(&token, line, &body).await;
        let found = (answer.status, answer.body.contains(code));
        assert_eq!(found, (status, true), "{line} {body}: {}", answer.body);
        if code == "ASK-006" {
            assert!(answer.head.contains("retry-after: 7"), "{}", answer.head);
        }
    }
    // From another site, and with another device's token.
    let headers = format!(
        "host: {}:{}\norigin: https://evil.example\nauthorization: Bearer {token}\n",
        crate::morning::NAME,
        server.address.port()
    );
    let foreign = server.raw("POST /v1/asks", &headers, &ask(leisure, "a")).await;
    assert_eq!(foreign.status, 403, "{}", foreign.body);
    // The owner's own browser is no program, whatever it may do besides.
    let own = server.post("/v1/asks", &ask(leisure, "a")).await;
    assert_eq!((own.status, own.body.contains("WEB-020")), (403, true));
}

#[tokio::test]
async fn the_owner_sees_ticks_and_revokes_what_a_device_may_name() {
    let server = server("brief").await;
    let token = asking_token(&server).await;
    let (own, cookie) = (server.host(), proven_cookie(&server).await);
    let (id, scope) = server.devices.with_secret(&token).unwrap();
    assert_eq!(scope, DeviceScope::Ask);
    let page = server.get("/devices").await.body;
    for says in [
        "asks; you decide",
        "muting a chat for 30 minutes",
        "a break of 90 minutes",
        "your next free times",
        "Reading about your money: not allowed",
        "Garden committee: not allowed",
    ] {
        assert!(page.contains(says), "{says}: {page}");
    }
    assert!(
        !page.contains("Reading about your body"),
        "a break is not read: {page}"
    );
    let balance = "your balance at the end of the month";
    assert!(!page.contains(balance), "money is not allowed: {page}");
    let path = "/form/devices/asks";
    let tick = |what: &str, allowed: &str| json!({"device": id.as_str(), "what": what, "allowed": allowed});
    let chat = "ch_00000000000000c3";
    for (what, says) in [
        ("finance", "Reading about your money: allowed"),
        (chat, "Garden committee: allowed"),
    ] {
        let shown = send(&server, &own, &cookie, path, &tick(what, "true")).await;
        assert!(shown.status == 200 && shown.body.contains(says), "{}", shown.body);
    }
    assert!(server.get("/devices").await.body.contains(balance));
    let grant = server.devices.grant_of(&id).unwrap();
    assert!(grant.has(ToolName::PredictEomBalance), "{grant:?}");
    assert_eq!(grant.chats.len(), 1);
    // What is nothing to tick, a chat without a name, another device, and who is not the owner.
    for (body, status) in [
        (tick("calendar", "true"), 400),
        (tick("finance", "perhaps"), 400),
        (tick("ch_0000000000000009", "true"), 404),
        (
            json!({"device": "dev_other", "what": "finance", "allowed": "true"}),
            404,
        ),
    ] {
        assert_eq!(
            send(&server, &own, &cookie, path, &body).await.status,
            status,
            "{body}"
        );
    }
    let by_itself = server
        .request_as(
            &token,
            &format!("POST {path}"),
            &tick("wellness", "true").to_string(),
        )
        .await;
    assert_eq!(by_itself.status, 403);
    let shown = send(&server, &own, &cookie, path, &tick("finance", "false")).await;
    assert!(shown.body.contains("Reading about your money: not allowed"));
    assert!(
        !server
            .devices
            .grant_of(&id)
            .unwrap()
            .has(ToolName::PredictEomBalance)
    );
    // Shut out: it is told nothing more, and what it asked for is taken back.
    let gone = server
        .post(&format!("/v1/devices/{}/revoke", id.as_str()), "")
        .await;
    assert_eq!(gone.status, 204);
    server.called(&format!("revoked {}", id.as_str())).await;
    assert_eq!(server.devices.grant_of(&id), None);
    assert_eq!(server.request_as(&token, "GET /v1/askable", "").await.status, 401);
    // Nobody else has a grant.
    let owner = DeviceId::from_text("dev_fixed");
    assert_eq!(server.devices.grant_of(&owner), None);
    assert!(server.devices.with_secret(TOKEN).is_some());
}

#[tokio::test]
async fn the_card_says_which_device_asks_by_the_owners_name_for_it() {
    let server = server("mute").await;
    {
        let mut view = server.double.view.lock().unwrap();
        let mut card = mute_card(false);
        let chosen = Arc::make_mut(&mut card.decision).chosen.as_mut().unwrap();
        chosen.asker = Some(Asker::Program);
        view.card = Some(card);
        view.asked_by = vec!["Desk <b>".to_owned(), "Phone\u{202e}".to_owned()];
    }
    let page = server.get("/").await.body;
    assert!(
        page.contains("Asked for by Desk &lt;b&gt;, Phone\\u{202e}."),
        "{page}"
    );
    let watch = server.get("/watch").await.body;
    assert!(watch.contains("From Desk &lt;b&gt;, Phone\\u{202e}: "), "{watch}");
    // What is kept on the browser's disk names nobody.
    server.double.view.lock().unwrap().asked_by = vec![];
    let page = server.get("/").await.body;
    assert!(page.contains("A program asks for it."), "{page}");
}
