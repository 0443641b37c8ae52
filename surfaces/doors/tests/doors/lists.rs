//! What a program is told that there is.

use crate::client::{Listening, NEW, OLD, door, heard, program, request, within};
use serde_json::{Value, json};
use std::sync::Arc;
use surfaces_base::{
    backend::{UiEvent, UiEventKind},
    devices::DeviceScope,
};

fn names(list: &Value) -> Vec<&str> {
    let names = list.as_array().unwrap().iter();
    names.map(|item| item["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn the_older_version_begins_with_initialize_and_needs_no_session() {
    let door = door();
    let hello =
        json!({"protocolVersion": OLD, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    let said = door.ask(OLD, "initialize", hello).await;
    let result = said.result();
    assert_eq!(result["protocolVersion"], OLD);
    assert_eq!(result["serverInfo"]["name"], "aura");
    // Neither tasks nor subscriptions, which need the newer one, nor what the protocol gives up.
    let can: Vec<&String> = result["capabilities"].as_object().unwrap().keys().collect();
    assert_eq!(can, ["prompts", "resources", "tools"]);
    assert_eq!(result["capabilities"]["resources"], json!({}));
    let list = door.ask(OLD, "tools/list", json!({})).await;
    assert_eq!((list.status, list.is_stream), (200, false));
    let tools = &list.result()["tools"];
    let expected = [
        "comms_mute_channel",
        "calendar_suggest_slots",
        "wellness_start_nap_timer",
        "aura_askable_things",
        "aura_ask_state",
    ];
    assert_eq!(names(tools), expected);
    assert_eq!(tools[1]["outputSchema"]["properties"]["slots"]["maxItems"], 3);
    assert_eq!(tools[0]["inputSchema"]["required"], json!(["channel_hash"]));
}

#[tokio::test]
async fn the_newer_version_asks_what_there_is_and_says_who_it_is_each_time() {
    let door = door();
    let said = door.ask(NEW, "server/discover", json!({})).await;
    let result = said.result();
    assert_eq!(result["supportedVersions"], json!([OLD, NEW]));
    assert_eq!(result["capabilities"]["resources"], json!({"subscribe": true}));
    assert!(result["capabilities"]["extensions"]["io.modelcontextprotocol/tasks"].is_object());
    let list = door.ask(NEW, "tools/list", json!({})).await;
    assert_eq!(list.result()["cacheScope"], "private");
    assert_eq!(list.result()["ttlMs"], 10_000);
    assert_eq!(list.result()["resultType"], "complete");
    // A request that does not say who it is.
    let (headers, mut body) = request(NEW, "tools/list", json!({}), &json!({}));
    body["params"]["_meta"]
        .as_object_mut()
        .unwrap()
        .remove("io.modelcontextprotocol/clientCapabilities");
    let said = door
        .post(program("dev_one", DeviceScope::Ask), (headers, body))
        .await;
    assert_eq!((said.status, said.error_code()), (400, -32602));
}

#[tokio::test]
async fn a_head_that_disagrees_with_its_body_is_refused() {
    let door = door();
    let who = || program("dev_one", DeviceScope::Ask);
    let call = json!({"name": "calendar_suggest_slots", "arguments": {}});
    for (name, value) in [
        ("mcp-method", "tools/list"),
        ("mcp-name", "comms_mute_channel"),
        ("mcp-protocol-version", OLD),
    ] {
        let (mut headers, body) = request(NEW, "tools/call", call.clone(), &json!({}));
        headers.insert(name, value.parse().unwrap());
        let said = door.post(who(), (headers, body)).await;
        assert_eq!(said.status, 400, "{name}: {said:?}");
    }
    let (mut headers, body) = request(NEW, "tools/call", call, &json!({}));
    headers.remove("mcp-method");
    let said = door.post(who(), (headers, body)).await;
    assert_eq!((said.status, said.error_code()), (400, -32020));
    assert!(door.double.log().is_empty());
}

#[tokio::test]
async fn what_is_no_message_or_no_method_is_refused() {
    let door = door();
    let (headers, _) = request(OLD, "ping", json!({}), &json!({}));
    let who = || program("dev_one", DeviceScope::Ask);
    for body in ["", "{", "[]", "\"x\"", "{\"jsonrpc\":\"2.0\"}"] {
        let response = door.send(who(), http::Method::POST, headers.clone(), body).await;
        let said = heard(response).await;
        assert!((400..500).contains(&said.status), "{body}: {said:?}");
    }
    for method in [http::Method::GET, http::Method::DELETE] {
        let response = door.send(who(), method.clone(), headers.clone(), "").await;
        assert_eq!(response.headers()["allow"], "POST", "{method}");
        assert_eq!(response.status(), 405, "{method}");
    }
    for method in [
        "sampling/createMessage",
        "logging/setLevel",
        "roots/list",
        "completion/complete",
    ] {
        let said = door.ask(OLD, method, json!({"level": "debug"})).await;
        assert!(said.one()["error"].is_object(), "{method}: {said:?}");
    }
}

#[tokio::test]
async fn who_may_nothing_has_no_tools() {
    let door = door();
    let who = || program("dev_nothing", DeviceScope::Ask);
    let said = door
        .post(who(), request(NEW, "tools/list", json!({}), &json!({})))
        .await;
    assert_eq!(said.result()["tools"], json!([]));
    for tool in [
        "calendar_suggest_slots",
        "aura_ask_state",
        "aura_askable_things",
        "comms.mute_channel",
    ] {
        let call = request(
            OLD,
            "tools/call",
            json!({"name": tool, "arguments": {}}),
            &json!({}),
        );
        let said = door.post(who(), call).await;
        assert_eq!(said.error_code(), -32602, "{tool}");
    }
    assert!(door.double.log().is_empty());
}

#[tokio::test]
async fn resources_say_how_aura_is_and_nothing_of_anybody() {
    let door = door();
    let listed = door.ask(NEW, "resources/list", json!({})).await;
    assert_eq!(names(&listed.result()["resources"]), ["now", "ledger", "policy"]);
    let read = async |uri: &str| {
        let said = door.ask(NEW, "resources/read", json!({"uri": uri})).await;
        let text = said.result()["contents"][0]["text"].as_str().unwrap().to_owned();
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let now = json!({
        "at": "2026-11-03T02:15:00.000Z", "dnd": false, "paused_until": null, "question_open": false, "attention_free": 2,
        "looks_again": "2026-11-03T02:30:00.000Z", "next_possible": null, "healthy": true
    });
    assert_eq!(read("aura://now").await, now);
    assert_eq!(read("aura://ledger").await["settled"], 1);
    let policy = read("aura://policy").await;
    assert_eq!(policy["constants"]["caps.window_min"]["value"], "30");
    assert!(!policy.to_string().contains("a note"), "{policy}");
    // A trace is an operator's to read.
    let templates = json!({});
    let said = door.ask(NEW, "resources/templates/list", templates.clone()).await;
    assert_eq!(said.result()["resourceTemplates"], json!([]));
    let operator = || program("dev_two", DeviceScope::Operator);
    let said = door
        .post(
            operator(),
            request(NEW, "resources/templates/list", templates, &json!({})),
        )
        .await;
    assert_eq!(names(&said.result()["resourceTemplates"]), ["trace"]);
    for uri in [
        "aura://trace/tr_000000000001",
        "aura://trace/x",
        "aura://other",
        "file:///etc/passwd",
        "",
    ] {
        let said = door.ask(NEW, "resources/read", json!({"uri": uri})).await;
        assert_eq!(said.error_code(), -32602, "{uri}");
    }
    let old = door
        .ask(OLD, "resources/read", json!({"uri": "aura://other"}))
        .await;
    assert_eq!(old.error_code(), -32002);
}

#[tokio::test]
async fn a_subscription_tells_what_changed_of_what_it_asked_for() {
    let door = door();
    let wanted = json!({"notifications": {"resourceSubscriptions": ["aura://now", "aura://trace/1", "aura://policy"]}});
    let (headers, body) = request(NEW, "subscriptions/listen", wanted, &json!({}));
    let who = program("dev_one", DeviceScope::Ask);
    let response = door
        .send(who, http::Method::POST, headers, &body.to_string())
        .await;
    assert_eq!(response.status(), 200);
    let event = |id, what| UiEvent { id, what };
    let double = Arc::clone(&door.double);
    let mut stream = Listening::new(response);
    let acknowledged = stream.next().await;
    within(async {
        while double.changes.receiver_count() == 0 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    double.changes.send(event(1, UiEventKind::Runs)).unwrap();
    double.changes.send(event(2, UiEventKind::Status)).unwrap();
    let updated = stream.next().await;
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    let accepted = &acknowledged["params"]["notifications"]["resourceSubscriptions"];
    assert_eq!(*accepted, json!(["aura://now"]));
    assert_eq!(updated["method"], "notifications/resources/updated");
    assert_eq!(updated["params"]["uri"], "aura://now");
    // Nobody listens any more, and so nothing is left.
    drop(stream);
    within(async {
        while double.changes.receiver_count() > 0 {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test]
async fn two_prompts_are_ours() {
    let door = door();
    let said = door.ask(OLD, "prompts/list", json!({})).await;
    assert_eq!(names(&said.result()["prompts"]), ["why_silent", "my_day"]);
    let said = door.ask(OLD, "prompts/get", json!({"name": "why_silent"})).await;
    let text = said.result()["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("aura://now"), "{text}");
    let said = door.ask(OLD, "prompts/get", json!({"name": "other"})).await;
    assert_eq!(said.error_code(), -32602);
}
