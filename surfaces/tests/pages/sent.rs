//! What is sent in: answers and signals.
//!
//! What: what reaches the backend, what is refused, with which limits. Why: surfaces only forward what was submitted, and a
//! refusal quotes nothing of it. Not here: who may send (`door`). The backend is a double.

use crate::{
    client::server,
    morning::{CAPABILITY, CARD, TOKEN, ts},
};
use serde_json::{Value, json};

#[tokio::test]
async fn an_answer_is_forwarded_as_it_was_submitted() {
    let server = server("mute").await;
    let path = format!("/v1/cards/{CARD}/answer");
    let confirm = json!({"act": "confirm", "surface": "WATCH", "capability": CAPABILITY}).to_string();
    let answer = server.post(&path, &confirm).await;
    assert_eq!(
        (answer.status, answer.body.as_str()),
        (200, r#"{"reply":"accepted","outcome":"confirmed"}"#)
    );
    let answer = server
        .post(&path, r#"{"act":"confirm","surface":"PHONE_CARD"}"#)
        .await;
    assert_eq!(
        (answer.status, answer.body.as_str()),
        (
            409,
            r#"{"reply":"refused","code":"CONFIRM-002","message":"this is not its capability"}"#
        )
    );
    // 23:30 in Kolkata, where it is 22:31.
    let later = server
        .post(&path, r#"{"act":"later_1_hour","surface":"PHONE_CARD"}"#)
        .await;
    assert_eq!(
        (later.status, later.body.as_str()),
        (
            200,
            r#"{"reply":"accepted","outcome":"confirmed","again_at":"2026-11-03T18:00:00.000Z","says":"I'll ask again at 23:30."}"#
        )
    );
    for (card, body, status) in [
        ("c_short", confirm.as_str(), 404),
        (CARD, r#"{"act":"later","surface":"PHONE_CARD"}"#, 400),
        (CARD, r#"{"act":"confirm","surface":"SILENT"}"#, 400),
        (CARD, r#"{"act":"explode","surface":"WATCH"}"#, 400),
        (CARD, r#"{"act":"edit","surface":"WATCH","args":{}}"#, 400),
        (CARD, "not json", 400),
    ] {
        assert_eq!(
            server
                .post(&format!("/v1/cards/{card}/answer"), body)
                .await
                .status,
            status,
            "{body}"
        );
    }
    // The capability is not in what may be logged.
    let submission = |act, surface, capability| {
        format!(
            "AnswerSubmission {{ card_id: CardId({CARD:?}), act: {act}, surface: {surface}, capability: {capability} }}"
        )
    };
    assert_eq!(
        server.log(),
        [
            submission("Confirm", "Watch", r#"Some("..")"#),
            submission("Confirm", "PhoneCard", "None"),
            submission("LaterHour", "PhoneCard", "None")
        ]
    );
}

fn unlock(id: &str) -> Value {
    json!({"id": id, "at": "2026-11-03T07:45:00+05:30", "source": "phone", "kind": "phone_unlock", "payload": {}})
}

#[tokio::test]
async fn a_body_is_read_only_when_it_is_marked_as_json() {
    let server = server("brief").await;
    let signal = unlock("a").to_string();
    for (kind, status) in [
        ("content-type: application/json\n", 202),
        ("content-type: Application/JSON; charset=utf-8\n", 202),
        ("content-type: text/plain\n", 415),
        ("content-type: application/x-www-form-urlencoded\n", 415),
        ("content-type: application/json-patch+json\n", 415),
        ("content-type: \n", 415),
        ("content-type: application/json\ncontent-type: text/plain\n", 415),
        ("x-no-content-type: application/json\n", 415),
    ] {
        let headers = format!("{}authorization: Bearer {TOKEN}\n{kind}", server.host());
        let answer = server.raw("POST /v1/signals", &headers, &signal).await;
        assert_eq!(answer.status, status, "{kind}: {}", answer.body);
        assert_eq!(answer.body.contains("WEB-026"), status == 415, "{kind}");
    }
    // For a browser's pairing too.
    let headers = format!("{}content-type: text/plain\n", server.host());
    let body = r#"{"code":"AAAA-AAAA","name":"phone"}"#;
    assert_eq!(server.raw("POST /pair", &headers, body).await.status, 415);
}

#[tokio::test]
async fn good_signals_are_kept_and_bad_ones_named_by_place_and_field() {
    let server = server("brief").await;
    let with = |field: &str, value: Value| {
        let mut signal = unlock("s");
        signal[field] = value;
        signal
    };
    let secret = "private words";
    let batch = json!([
        unlock("a"),
        with("kind", json!(secret)),
        unlock("b"),
        with("at", json!(secret)),
        with("source", json!("Private Words")),
        with("payload", json!({"text": secret})),
        with("extra", json!(1)),
        secret,
        with("id", json!("private words")),
    ]);
    let answer = server.post("/v1/signals", &batch.to_string()).await;
    assert_eq!(answer.status, 202);
    let reply: Value = serde_json::from_str(&answer.body).unwrap();
    let refused: Vec<(u64, &str)> = reply["refused"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (item["index"].as_u64().unwrap(), item["code"].as_str().unwrap()))
        .collect();
    // The double refuses the second of what it gets: `b`, third of the request.
    assert_eq!(reply["accepted"], json!(1));
    assert_eq!(
        refused,
        [
            (1, "SIGNAL-002"),
            (2, "TEST-001"),
            (3, "SIGNAL-002"),
            (4, "SIGNAL-002"),
            (5, "SIGNAL-002"),
            (6, "SIGNAL-002"),
            (7, "SIGNAL-002"),
            (8, "SIGNAL-002"),
        ]
    );
    let message = reply["refused"][0]["message"].as_str().unwrap();
    assert!(
        message.starts_with("\"/kind\" (enum "),
        "names the field: {message}"
    );
    assert!(
        !answer.body.to_lowercase().contains(secret),
        "no value of the document is quoted"
    );
    assert_eq!(server.log(), ["signals a b"]);
}

#[tokio::test]
async fn one_signal_needs_no_list_and_limits_are_exact() {
    let server = server("brief").await;
    assert_eq!(
        server.post("/v1/signals", &unlock("one").to_string()).await.body,
        r#"{"accepted":1,"refused":[]}"#
    );
    assert_eq!(
        server.post("/v1/signals", "[]").await.body,
        r#"{"accepted":0,"refused":[]}"#
    );
    let batch = |n: usize| Value::Array((0..n).map(|i| unlock(&format!("s{i}"))).collect()).to_string();
    assert_eq!(server.post("/v1/signals", &batch(256)).await.status, 202);
    assert_eq!(server.post("/v1/signals", &batch(257)).await.status, 413);
    let padded = |bytes: usize| format!("[]{}", " ".repeat(bytes - 2));
    assert_eq!(server.post("/v1/signals", &padded(256 * 1024)).await.status, 202);
    let answer = server.post("/v1/signals", &padded(256 * 1024 + 1)).await;
    assert_eq!((answer.status, answer.body.contains("WEB-006")), (413, true));
    let answer = server
        .post(&format!("/v1/cards/{CARD}/answer"), &padded(4 * 1024 + 1))
        .await;
    assert_eq!(answer.status, 413);
    assert_eq!(server.post("/v1/signals", "7").await.status, 400);
}

#[tokio::test]
async fn a_pause_and_a_rule_are_said_as_the_page_says_them() {
    let server = server("mute").await;
    // It is 2026-11-03 in Kolkata; tomorrow begins at 18:30 UTC.
    for (path, body, status) in [
        ("/v1/pause", r#"{"for":"tomorrow"}"#, 204),
        ("/v1/pause", r#"{"for":"off"}"#, 204),
        ("/v1/pause", r#"{"for":"ever"}"#, 400),
        ("/v1/pause", "{}", 400),
        (
            "/v1/rules",
            r#"{"kind":"SHOW_BRIEF","hours":["22:00:00","07:00:00"],"days":[1,2]}"#,
            201,
        ),
        ("/v1/rules", r#"{"kind":"SING"}"#, 400),
        ("/v1/rules", r#"{"hours":["22:00","22:00"]}"#, 400),
        ("/v1/rules", "{}", 400),
        ("/v1/rules", r#"{"kind":"SHOW_BRIEF","name":"mine"}"#, 400),
        ("/v1/rules/show-brief-1/remove", "", 404),
        ("/v1/rules/Not%20a%20name/remove", "", 404),
        ("/v1/mutes/ch_0000000000000001/end", "", 200),
        ("/v1/mutes/ch_0000000000000002/end", "", 404),
        ("/v1/mutes/family/end", "", 404),
        ("/v1/messages/it_0000000000000001/put-off", "", 200),
        ("/v1/messages/ch_0000000000000001/put-off", "", 404),
        (
            "/v1/learned/ch_0000000000000007/correct",
            r#"{"class":"needs_you"}"#,
            200,
        ),
        (
            "/v1/learned/ch_0000000000000007/correct",
            r#"{"class":"boring"}"#,
            400,
        ),
        (
            "/v1/learned/it_0000000000000007/correct",
            r#"{"class":"news"}"#,
            404,
        ),
        ("/v1/learned/pe_0000000000000001/reset", "", 200),
        ("/v1/learned/asha/reset", "", 404),
        ("/v1/learned/reset", "", 200),
        ("/v1/let-through/pe_0000000000000001", r#"{"always":true}"#, 200),
        ("/v1/let-through/pe_0000000000000001", "{}", 400),
        ("/v1/let-through/it_0000000000000001", r#"{"always":true}"#, 404),
        (
            "/v1/senders/ch_0000000000000007/judge",
            r#"{"standing":"counts"}"#,
            200,
        ),
        (
            "/v1/senders/ch_0000000000000007/judge",
            r#"{"standing":"maybe"}"#,
            400,
        ),
        ("/v1/senders/CANBNK/judge", r#"{"standing":"counts"}"#, 404),
        (
            "/v1/questions/it_0000000000000007/answer",
            r#"{"payments":[{"direction":"debit","amount":{"from":1,"to":2}}]}"#,
            200,
        ),
        (
            "/v1/questions/it_0000000000000007/answer",
            r#"{"payments":[{"direction":"debit","amount":"500"}]}"#,
            400,
        ),
        ("/v1/questions/it_7/answer", r#"{"payments":[]}"#, 404),
    ] {
        let answer = server.post(path, body).await;
        assert_eq!(answer.status, status, "{path} {body}: {}", answer.body);
    }
    let log = server.log();
    assert_eq!(
        log[0],
        format!("Pause {{ until: {:?} }}", ts("2026-11-03T18:30:00Z"))
    );
    assert_eq!(log[1], "end EndPause None");
    assert!(
        log[2].contains(r#"RuleName("show-brief-1")"#) && log[2].contains("kinds: [ShowBrief]"),
        "{}",
        log[2]
    );
    let taught: Vec<&String> = log
        .iter()
        .filter(|line| {
            ["end Correct(", "end Unlearn(", "end LetThrough("]
                .iter()
                .any(|act| line.contains(act))
        })
        .collect();
    assert_eq!(
        taught,
        [
            r#"end Correct(Channel(ChannelHash("ch_0000000000000007")), NeedsYou) None"#,
            r#"end Unlearn(Some(Person(PersonHash("pe_0000000000000001")))) None"#,
            "end Unlearn(None) None",
            r#"end LetThrough(Person(PersonHash("pe_0000000000000001")), true) None"#,
        ]
    );
    let asked: Vec<&String> = log
        .iter()
        .filter(|line| line.contains("Sender(") || line.contains("Question("))
        .collect();
    assert_eq!(
        asked,
        [
            r#"end JudgeSender(ChannelHash("ch_0000000000000007"), Counts) None"#,
            r#"end AnswerQuestion(AnswerQuestion { item_id: ItemId("it_0000000000000007"), payments: [MarkedPayment { direction: Debit, amount: WordRange { from: 1, to: 2 }, payee: None }] }) None"#,
        ]
    );
    assert!(server.post("/v1/rules", "{}").await.body.contains("RULE-001"));
    let removed = server.post("/v1/rules/show-brief-1/remove", "").await;
    assert!(removed.body.contains("RULE-003"), "{}", removed.body);
}

#[tokio::test]
async fn signals_that_were_not_read_are_named_by_their_place_and_sent_again() {
    let server = server("brief").await;
    for (name, status, code) in [("late", 503, "SIGNAL-003"), ("full", 429, "SIGNAL-004")] {
        let batch = json!([
            "no signal",
            unlock("a"),
            unlock(&format!("{name}-1")),
            unlock("b"),
            unlock(&format!("{name}-2"))
        ]);
        let answer = server.post("/v1/signals", &batch.to_string()).await;
        assert_eq!(answer.status, status);
        assert!(
            answer.head.to_lowercase().contains("retry-after: 1"),
            "{}",
            answer.head
        );
        let reply: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(
            (&reply["accepted"], &reply["again"], &reply["code"]),
            (&json!(2), &json!([2, 4]), &json!(code))
        );
        assert_eq!(reply["refused"][0]["index"], json!(0));
    }
}

#[tokio::test]
async fn each_health_app_is_read_by_its_own_form() {
    let server = server("brief").await;
    for (path, app) in [
        ("/v1/health-auto-export", "AutoExport"),
        ("/v1/health-connect", "HealthConnect"),
    ] {
        assert_eq!(server.post(path, r#"{"data":{}}"#).await.status, 202, "{path}");
        let log = server.log();
        assert_eq!(log.last(), Some(&format!("health {app} 11")), "{log:?}");
    }
}

#[tokio::test]
async fn a_health_app_is_told_what_was_read_and_what_was_not_used() {
    let server = server("brief").await;
    let path = "/v1/health-auto-export";
    let answer = server.post(path, r#"{"data":{}}"#).await;
    let reply: Value = serde_json::from_str(&answer.body).unwrap();
    let expected = json!({"read": 2, "refused": 0, "broken": 0, "ahead": 0, "too_old": 0, "unused": {"heart_rate": 1440}});
    assert_eq!((answer.status, reply), (202, expected));
    let answer = server.post(path, r#"{"data":"late"}"#).await;
    let reply: Value = serde_json::from_str(&answer.body).unwrap();
    assert!(answer.head.to_lowercase().contains("retry-after: 1"));
    assert_eq!(
        (answer.status, &reply["again"], &reply["code"]),
        (503, &json!(3), &json!("SIGNAL-003"))
    );
    // Its CSV, something else, more than 16 MiB.
    let form = format!(
        "{}authorization: Bearer {TOKEN}\ncontent-type: text/csv\n",
        server.host()
    );
    assert_eq!(
        server.raw(&format!("POST {path}"), &form, "a,b").await.status,
        415
    );
    assert_eq!(server.post(path, "[]").await.status, 400);
    let of = |spaces: usize| format!("{{\"data\":{{}}}}{}", " ".repeat(spaces - 11));
    assert_eq!(server.post(path, &of(16 * 1024 * 1024)).await.status, 202);
    let answer = server.post(path, &of(16 * 1024 * 1024 + 1)).await;
    assert_eq!((answer.status, answer.body.contains("WEB-006")), (413, true));
}
