//! Calling tools: what answers at once, what waits for the owner, and what no client can do for her.

use crate::{
    asks_double::ASK,
    client::{Door, NEW, OLD, PAGE, door, heard, program, request, within},
};
use serde_json::{Value, json};
use std::sync::{Arc, atomic::Ordering};
use surfaces_base::{backend::asks::AskRefusal, devices::DeviceScope};
use toolcall_schema::AskState;

const CHAT: &str = "ch_00000000000000b2";
const ASKED: &str =
    "ask dev_one mcp comms.mute_channel {\"channel_hash\":\"ch_00000000000000b2\",\"ttl_seconds\":1800}";

fn mute() -> Value {
    json!({"name": "comms_mute_channel", "arguments": {"channel_hash": CHAT}})
}

/// A client that can show an address.
fn shows() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}})
}

fn with_tasks() -> Value {
    json!({"extensions": {"io.modelcontextprotocol/tasks": {}}, "elicitation": {"url": {}}})
}

/// Lets the owner decide once somebody waits for it.
fn decides(
    door: &Door,
    states: impl IntoIterator<Item = AskState> + Send + 'static,
) -> tokio::task::JoinHandle<()>
where
{
    let double = Arc::clone(&door.double);
    let states: Vec<_> = states.into_iter().collect();
    tokio::spawn(async move {
        let mut waiting = double.waiting.subscribe();
        for (number, state) in states.into_iter().enumerate() {
            within(waiting.wait_for(|count| *count > number)).await.unwrap();
            double.state.send_replace(state);
        }
    })
}

#[tokio::test]
async fn a_read_answers_at_once_with_what_the_schema_says() {
    let door = door();
    for version in [OLD, NEW] {
        let args = json!({"duration_min": 60, "after": "2026-11-03T08:00:00Z"});
        let said = door.call(version, "calendar_suggest_slots", args).await;
        let result = said.result();
        let slots =
            json!({"slots": [{"start": "2026-11-03T09:00:00.000Z", "end": "2026-11-03T10:00:00.000Z"}]});
        assert_eq!(result["structuredContent"], slots);
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), slots);
        assert_eq!((said.is_stream, &result["isError"]), (false, &json!(false)));
    }
    let things = door.call(OLD, "aura_askable_things", json!({})).await;
    assert_eq!(
        things.result()["structuredContent"],
        json!({"things": [{"id": CHAT, "label": "Five-a-side"}]})
    );
    assert_eq!(door.double.log().len(), 2);
}

#[tokio::test]
async fn a_refusal_is_an_answer_that_a_model_can_read() {
    let door = door();
    *door.double.refusal.lock().unwrap() = Some(AskRefusal::TooOften(90));
    let said = door.call(NEW, "calendar_suggest_slots", json!({})).await;
    let result = said.result();
    assert_eq!(result["isError"], json!(true));
    let text = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(
        text,
        "ASK-006: this device has read 60 times or asked 300 times within an hour: come again in 90 s"
    );
    *door.double.refusal.lock().unwrap() = Some(AskRefusal::TooMany);
    let said = door
        .call(OLD, "comms_mute_channel", json!({"channel_hash": CHAT}))
        .await;
    assert!(
        said.result()["content"][0]["text"]
            .as_str()
            .unwrap()
            .starts_with("ASK-004")
    );
    assert!(said.result().get("structuredContent").is_none());
}

#[tokio::test]
async fn a_proposal_is_held_until_the_owner_has_decided() {
    for (end, is_error, says) in [
        (AskState::Done, false, "The owner said yes, and it was done."),
        (AskState::Dismissed, false, "The owner said no."),
        (
            AskState::Refused,
            true,
            "The owner said yes, and it could not be done.",
        ),
    ] {
        let door = door();
        let owner = decides(&door, [AskState::Asking, end]);
        let said = door.ask(OLD, "tools/call", mute()).await;
        owner.await.unwrap();
        let result = said.result();
        let told = &result["structuredContent"];
        assert_eq!((&told["ask"], &told["says"]), (&json!(ASK), &json!(says)));
        assert!(
            told.get("confirm_at").is_none() && told.get("until").is_none(),
            "{told}"
        );
        assert_eq!(result["isError"], json!(is_error));
        // Nothing that could confirm a card is ever in an answer.
        assert!(!said.one().to_string().contains("capability"));
        assert_eq!(door.double.log(), [ASKED]);
    }
}

#[tokio::test]
async fn who_can_do_nothing_else_looks_the_end_up() {
    let door = door();
    door.double.impatient.store(true, Ordering::Relaxed);
    let said = door.ask(NEW, "tools/call", mute()).await;
    let told = &said.result()["structuredContent"];
    assert_eq!(
        (&told["state"], &told["confirm_at"]),
        (&json!("queued"), &json!(PAGE))
    );
    // The same again while it waits is the same ask.
    let again = door.ask(NEW, "tools/call", mute()).await;
    assert_eq!(again.result()["structuredContent"]["ask"], told["ask"]);
    assert_eq!(door.double.log(), [ASKED]);
    let state = async |arguments: Value| door.call(NEW, "aura_ask_state", arguments).await;
    let said = state(json!({"ask": ASK, "wait_seconds": 20})).await;
    assert_eq!(said.result()["structuredContent"]["state"], "queued");
    door.double.state.send_replace(AskState::Done);
    let said = state(json!({"ask": ASK})).await;
    assert_eq!(said.result()["structuredContent"]["state"], "done");
    // Its end is told once; then the same call is another ask.
    door.ask(NEW, "tools/call", mute()).await;
    door.double.state.send_replace(AskState::Queued);
    door.ask(NEW, "tools/call", mute()).await;
    assert_eq!(door.double.log(), [ASKED, ASKED]);
    for wrong in [
        json!({}),
        json!({"ask": "rq_1"}),
        json!({"ask": ASK, "wait_seconds": 21}),
        json!({"ask": ASK, "wait_seconds": -1}),
        json!({"ask": ASK, "capability": "x"}),
    ] {
        let said = state(wrong.clone()).await;
        assert_eq!(said.result()["isError"], json!(true), "{wrong}");
    }
    let other = program("dev_other", DeviceScope::Ask);
    let call = json!({"name": "aura_ask_state", "arguments": {"ask": ASK}});
    let said = door
        .post(other, request(NEW, "tools/call", call, &json!({})))
        .await;
    assert!(
        said.result()["content"][0]["text"]
            .as_str()
            .unwrap()
            .starts_with("ASK-005")
    );
}

#[tokio::test]
async fn a_key_of_its_own_is_a_text_or_the_call_is_refused() {
    let door = door();
    // By a number, two calls that are two for their program would be one ask.
    for key in [json!(1), json!(true), json!(["a"]), json!({})] {
        let mut call = mute();
        call["_meta"] = json!({"local.aura/idempotencyKey": key});
        let said = door.ask(NEW, "tools/call", call).await;
        assert_eq!(said.error_code(), -32602, "{key}");
    }
    assert_eq!(door.double.log(), Vec::<String>::new());
    for key in [json!("1"), json!(null)] {
        let mut call = mute();
        call["_meta"] = json!({"local.aura/idempotencyKey": key});
        door.able(NEW, "tools/call", call, &with_tasks()).await.result();
    }
}

#[tokio::test]
async fn a_client_that_accepts_everything_moves_nothing() {
    let door = door();
    door.double.impatient.store(true, Ordering::Relaxed);
    let said = door.able(NEW, "tools/call", mute(), &shows()).await;
    let first = said.result();
    assert_eq!(first["resultType"], "input_required");
    let question = &first["inputRequests"]["owner"];
    assert_eq!(question["method"], "elicitation/create");
    assert_eq!(
        (&question["params"]["mode"], &question["params"]["url"]),
        (&json!("url"), &json!(PAGE))
    );
    let mut state = first["requestState"].clone();
    for round in 1..=8 {
        let mut again = mute();
        again["requestState"] = state.clone();
        again["inputResponses"] =
            json!({"owner": {"action": "accept", "content": {"confirm": true, "capability": "x"}}});
        let said = door.able(NEW, "tools/call", again, &shows()).await;
        let result = said.result();
        if round < 8 {
            assert_eq!(result["resultType"], "input_required", "{round}");
            // The address is given once.
            assert!(result.get("inputRequests").is_none(), "{round}");
            state = result["requestState"].clone();
        } else {
            assert_eq!(result["structuredContent"]["state"], "queued");
        }
    }
    assert_eq!(door.double.log(), [ASKED]);
    // The owner's own button is what counts.
    door.double.state.send_replace(AskState::Done);
    let mut again = mute();
    again["requestState"] = state;
    let said = door.able(NEW, "tools/call", again, &shows()).await;
    assert_eq!(said.result()["structuredContent"]["state"], "done");
}

#[tokio::test]
async fn a_client_can_take_back_and_no_more() {
    for action in ["decline", "cancel"] {
        let door = door();
        let said = door.able(NEW, "tools/call", mute(), &shows()).await;
        let mut again = mute();
        again["requestState"] = said.result()["requestState"].clone();
        again["inputResponses"] = json!({"owner": {"action": action}});
        let said = door.able(NEW, "tools/call", again.clone(), &shows()).await;
        assert_eq!(said.result()["structuredContent"]["state"], "cancelled");
        assert_eq!(door.double.log(), [ASKED, "cancel mcp dev_one"]);
        // Replayed, it is told the same, and nothing is asked anew.
        again.as_object_mut().unwrap().remove("inputResponses");
        for _ in 0..3 {
            let said = door.able(NEW, "tools/call", again.clone(), &shows()).await;
            assert_eq!(said.result()["structuredContent"]["state"], "cancelled");
        }
        assert_eq!(door.double.log(), [ASKED, "cancel mcp dev_one"]);
    }
}

#[tokio::test]
async fn a_request_state_is_good_for_its_device_tool_and_arguments_alone() {
    let door = door();
    let said = door.able(NEW, "tools/call", mute(), &shows()).await;
    let state = said.result()["requestState"].as_str().unwrap().to_owned();
    let with = |mut call: Value, state: &str| {
        call["requestState"] = json!(state);
        call
    };
    let nap = json!({"name": "wellness_start_nap_timer", "arguments": {}});
    let other_chat =
        json!({"name": "comms_mute_channel", "arguments": {"channel_hash": "ch_00000000000000b3"}});
    let altered = format!("{}x", &state[..state.len() - 1]);
    for (case, device, call) in [
        ("another device", "dev_other", with(mute(), &state)),
        ("another tool", "dev_one", with(nap, &state)),
        ("other arguments", "dev_one", with(other_chat, &state)),
        ("an altered one", "dev_one", with(mute(), &altered)),
        ("none at all", "dev_one", with(mute(), "")),
    ] {
        let who = program(device, DeviceScope::Ask);
        let said = door.post(who, request(NEW, "tools/call", call, &shows())).await;
        assert_eq!(said.error_code(), -32602, "{case}");
    }
    assert_eq!(door.double.log(), [ASKED]);
}

#[tokio::test]
async fn a_client_with_tasks_has_the_ask_as_a_task() {
    let door = door();
    let said = door.able(NEW, "tools/call", mute(), &with_tasks()).await;
    let task = said.result();
    assert_eq!(
        (&task["resultType"], &task["status"]),
        (&json!("task"), &json!("working"))
    );
    assert_eq!(task["createdAt"], "2026-11-03T02:15:00.000Z");
    let id = task["taskId"].clone();
    let get = async || {
        door.able(NEW, "tasks/get", json!({"taskId": id}), &with_tasks())
            .await
    };
    assert_eq!(get().await.result()["status"], "working");
    door.double.state.send_replace(AskState::Asking);
    let asking = get().await;
    assert_eq!(asking.result()["status"], "input_required");
    assert_eq!(asking.result()["inputRequests"]["owner"]["params"]["url"], PAGE);
    let accept =
        json!({"taskId": id, "inputResponses": {"owner": {"action": "accept", "content": {"yes": true}}}});
    door.able(NEW, "tasks/update", accept, &with_tasks())
        .await
        .result();
    assert_eq!(get().await.result()["status"], "input_required");
    for (state, status) in [
        (AskState::Done, "completed"),
        (AskState::Dismissed, "failed"),
        (AskState::Expired, "failed"),
        (AskState::Unknown, "failed"),
        (AskState::Cancelled, "cancelled"),
    ] {
        door.double.state.send_replace(state);
        let said = get().await;
        assert_eq!(said.result()["status"], status, "{state:?}");
        if status == "failed" {
            assert_eq!(said.result()["error"]["data"]["state"], json!(state));
        }
    }
    // A task of another device is none.
    let other = program("dev_other", DeviceScope::Ask);
    for (method, extra) in [
        ("tasks/get", json!({})),
        ("tasks/cancel", json!({})),
        ("tasks/update", json!({})),
    ] {
        let params = json!({"taskId": id, "inputResponses": extra});
        let said = door
            .post(other.clone(), request(NEW, method, params, &with_tasks()))
            .await;
        assert_eq!(said.error_code(), -32602, "{method}");
    }
    door.double.state.send_replace(AskState::Queued);
    door.able(NEW, "tasks/cancel", json!({"taskId": id}), &with_tasks())
        .await
        .result();
    assert_eq!(door.double.log(), [ASKED, "cancel mcp dev_one"]);
}

#[tokio::test]
async fn progress_is_told_to_who_wants_it() {
    let door = door();
    let owner = decides(&door, [AskState::Asking, AskState::Done]);
    let mut call = mute();
    call["_meta"] = json!({"progressToken": "p1"});
    let said = door.ask(NEW, "tools/call", call).await;
    owner.await.unwrap();
    assert!(said.is_stream);
    let steps: Vec<_> = said
        .messages
        .iter()
        .filter(|message| message["method"] == "notifications/progress")
        .map(|message| {
            let params = &message["params"];
            (
                params["progressToken"].as_str().unwrap(),
                params["progress"].as_f64().unwrap(),
            )
        })
        .collect();
    assert_eq!(steps, [("p1", 1.0), ("p1", 2.0)]);
    assert_eq!(said.result()["structuredContent"]["state"], "done");
}

#[tokio::test]
async fn closing_takes_back_in_the_newer_version_and_a_notification_in_the_older() {
    // The newer: the connection is closed.
    let door = Arc::new(door());
    let held = {
        let door = Arc::clone(&door);
        tokio::spawn(async move { door.ask(NEW, "tools/call", mute()).await })
    };
    let mut waiting = door.double.waiting.subscribe();
    within(waiting.wait_for(|count| *count == 1)).await.unwrap();
    held.abort();
    let mut state = door.double.state.subscribe();
    within(state.wait_for(|state| *state == AskState::Cancelled))
        .await
        .unwrap();
    // The older: it is said, by another request.
    let door = Arc::new(crate::client::door());
    let held = {
        let door = Arc::clone(&door);
        tokio::spawn(async move { door.ask(OLD, "tools/call", mute()).await })
    };
    let mut waiting = door.double.waiting.subscribe();
    within(waiting.wait_for(|count| *count == 1)).await.unwrap();
    let (headers, _) = request(OLD, "ping", json!({}), &json!({}));
    let told = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    let who = program("dev_one", DeviceScope::Ask);
    let response = door
        .send(who, http::Method::POST, headers, &told.to_string())
        .await;
    assert_eq!(heard(response).await.status, 202);
    let said = held.await.unwrap();
    assert_eq!(said.result()["structuredContent"]["state"], "cancelled");
    assert_eq!(door.double.log(), [ASKED, "cancel mcp dev_one"]);
}

#[tokio::test]
async fn of_a_thousand_calls_at_once_eight_wait_and_the_others_are_told_where_to_look() {
    let door = Arc::new(door());
    let calls: Vec<_> = (0..1000)
        .map(|_| {
            let door = Arc::clone(&door);
            tokio::spawn(async move { door.ask(OLD, "tools/call", mute()).await })
        })
        .collect();
    let double = Arc::clone(&door.double);
    within(async {
        while double.asked.load(Ordering::Relaxed) < 1000 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    double.state.send_replace(AskState::Done);
    let mut told = std::collections::BTreeMap::new();
    for call in calls {
        let said = within(call).await.unwrap();
        let state = said.result()["structuredContent"]["state"]
            .as_str()
            .unwrap()
            .to_owned();
        *told.entry(state).or_insert(0) += 1;
    }
    assert!(*double.waiting.borrow() <= 8);
    assert_eq!(told.values().sum::<i32>(), 1000);
    assert_eq!(double.log(), [ASKED]);
}
