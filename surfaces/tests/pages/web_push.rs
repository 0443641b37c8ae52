//! Notifications in browsers, as pages turn them on.
//!
//! What: what the section shows to whom, what each route takes, and the service worker's part. Why: a browser asks its owner after a click alone, and what opens
//! addresses is accepted in her own browser alone. Not here: which address may be opened, and sending (`orchestrator`).

use crate::{
    client::{Answer, Server, proven_cookie, send, server},
    settings_double::home,
};
use serde_json::{Value, json};
use surfaces_base::{
    backend::web_push::{PUSH_SERVICES, ToldBrowserState, ToldBrowserView},
    devices::{DeviceId, DeviceName},
    words,
};

async fn owners() -> Server {
    let server = server("brief").await;
    *server.double.home.lock().unwrap() = Some(home());
    server
}

async fn settings(server: &Server, cookie: &str) -> String {
    let headers = format!("{}{cookie}", server.host());
    server.raw("GET /settings", &headers, "").await.body
}

fn code(answer: &Answer) -> (u16, String) {
    let body: Value = serde_json::from_str(&answer.body).unwrap_or_default();
    (
        answer.status,
        body["code"].as_str().unwrap_or_default().to_owned(),
    )
}

fn accept(server: &Server, hosts: &[&str]) {
    server.double.web_push.lock().unwrap().hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
}

fn wish() -> Value {
    json!({ "endpoint": "https://fcm.googleapis.com/fcm/send/abc", "p256dh": "BA1H", "auth": "eW91" })
}

#[tokio::test]
async fn it_is_off_until_the_proven_browser_accepts_a_push_service() {
    let server = owners().await;
    let (own, paired, proven) = (server.host(), server.cookie(), proven_cookie(&server).await);
    let page = settings(&server, &paired).await;
    assert!(page.contains("Off. I may use no push service yet."), "{page}");
    for hidden in ["data-push-on", r#"data-name="web_push.hosts""#] {
        assert!(!page.contains(hidden), "{hidden}: {page}");
    }
    let page = settings(&server, &proven).await;
    for service in PUSH_SERVICES {
        let offered = format!(r#"<input type="checkbox" value="{service}">"#);
        assert!(
            page.contains(&offered) && words::push_service(service) != service,
            "{page}"
        );
    }
    // A paired phone, found or stolen, accepts none.
    let shown = server.double.home.lock().unwrap().as_ref().unwrap().shown.clone();
    let body = json!({ "shown": shown, "more": { "web_push.hosts": "push.example.net" } });
    let refused = send(&server, &own, &paired, "/form/settings", &body).await;
    assert_eq!(code(&refused), (403, "WEB-027".to_owned()));
    let taken = send(&server, &own, &proven, "/form/settings", &body).await;
    assert_eq!(taken.status, 200, "{}", taken.body);
}

#[tokio::test]
async fn browser_is_told_after_its_button_tried_by_itself_and_turned_off_by_any() {
    let server = owners().await;
    let (own, paired, proven) = (server.host(), server.cookie(), proven_cookie(&server).await);
    accept(&server, &["fcm.googleapis.com", "push.example.net"]);
    let page = settings(&server, &paired).await;
    assert!(page.contains("This browser gets none."), "{page}");
    assert!(page.contains("data-push-on=\"BA1Hxzyi1RUM"), "{page}");
    let refused = send(
        &server,
        &own,
        &paired,
        "/form/push",
        &json!({ "endpoint": "https://evil.example/x", "p256dh": "BA1H", "auth": "eW91" }),
    )
    .await;
    assert_eq!(code(&refused), (403, "PUSH-002".to_owned()));
    let kept = send(&server, &own, &paired, "/form/push", &wish()).await;
    assert_eq!(kept.status, 204, "{}", kept.body);

    let page = settings(&server, &paired).await;
    for says in [
        "This browser gets notifications.",
        "Send a test notification",
        "Since 07:45, through fcm.googleapis.com.",
        "data-here",
    ] {
        assert!(page.contains(says), "{says}: {page}");
    }
    // Its address is a secret of the browser's.
    assert!(!page.contains("/fcm/send/"), "{page}");
    let other = settings(&server, &proven).await;
    assert!(other.contains("This browser gets none."), "{other}");
    assert!(other.contains(r#"value="push.example.net" checked"#), "{other}");

    let trial = json!({ "channel": "browser" });
    let tried = send(&server, &own, &paired, "/form/notify/try", &trial).await;
    assert!(
        tried
            .body
            .contains("It did not go out: the push service answered 500."),
        "{}",
        tried.body
    );
    let tried = send(&server, &own, &proven, "/form/notify/try", &trial).await;
    assert!(tried.body.contains("This browser gets none."), "{}", tried.body);

    let (_, id) = page.split_once("data-push-off=\"").unwrap();
    let id = json!({ "id": id.split('"').next().unwrap() });
    let gone = send(&server, &own, &proven, "/form/push/remove", &id).await;
    assert_eq!(gone.status, 204, "{}", gone.body);
    let again = send(&server, &own, &proven, "/form/push/remove", &id).await;
    assert_eq!(code(&again), (404, "WEB-008".to_owned()));
}

#[tokio::test]
async fn browser_that_its_service_does_not_know_any_more_is_said_so() {
    let server = owners().await;
    accept(&server, &["fcm.googleapis.com"]);
    server.double.web_push.lock().unwrap().browsers = vec![ToldBrowserView {
        device: DeviceId::from_text("dev_other"),
        name: DeviceName::parse("Old <phone>").unwrap(),
        state: ToldBrowserState::Ended(crate::morning::ts("2026-11-03T02:00:00Z")),
    }];
    let page = settings(&server, &server.cookie()).await;
    for says in [
        "Old &lt;phone&gt;",
        "Its push service did not know it any more (07:30), so I removed it.",
    ] {
        assert!(page.contains(says), "{says}: {page}");
    }
    assert!(!page.contains("data-push-off"), "{page}");
}

#[tokio::test]
async fn what_is_no_subscription_is_refused_and_a_program_subscribes_to_nothing() {
    let server = owners().await;
    let (own, paired) = (server.host(), server.cookie());
    accept(&server, &["fcm.googleapis.com"]);
    for bad in [
        json!({}),
        json!({ "endpoint": "https://fcm.googleapis.com/x" }),
        json!({ "endpoint": 7, "p256dh": "", "auth": "" }),
        json!({ "endpoint": "", "p256dh": "", "auth": "", "device": "dev_other" }),
    ] {
        let refused = send(&server, &own, &paired, "/form/push", &bad).await;
        assert_eq!(code(&refused), (400, "WEB-007".to_owned()), "{bad}");
    }
    // The bearer of a program is no browser.
    let refused = server.post("/form/push", &wish().to_string()).await;
    assert_eq!(code(&refused), (403, "WEB-020".to_owned()));
}

#[tokio::test]
async fn changes_of_notifications_are_few_for_one_device_and_cost_the_others_nothing() {
    let server = owners().await;
    let (own, paired, proven) = (server.host(), server.cookie(), proven_cookie(&server).await);
    let remove = json!({ "id": "0123456789abcdef" });
    for _ in 0..5 {
        let answer = send(&server, &own, &paired, "/form/push/remove", &remove).await;
        assert_eq!(answer.status, 404);
    }
    let answer = send(&server, &own, &paired, "/form/push/remove", &remove).await;
    assert_eq!(code(&answer), (429, "WEB-023".to_owned()));
    assert!(
        answer.head.to_ascii_lowercase().contains("retry-after: "),
        "{}",
        answer.head
    );
    let other = send(&server, &own, &proven, "/form/push/remove", &remove).await;
    assert_eq!(other.status, 404);
}

#[tokio::test]
async fn worker_shows_what_comes_and_a_click_opens_the_card_under_the_same_strict_policy() {
    let server = owners().await;
    let worker = server.get("/sw.js").await;
    for part in [
        "addEventListener(\"push\"",
        "showNotification(String(title)",
        "addEventListener(\"notificationclick\"",
        "openWindow(\"/\")",
    ] {
        assert!(worker.body.contains(part), "{part}");
    }
    assert!(worker.head.contains("default-src 'none'"), "{}", worker.head);
    // Never by itself: permission is asked for in the function behind the button, and nowhere else.
    let script = server.get("/assets/aura.js").await.body;
    assert_eq!(script.matches("requestPermission").count(), 1);
    let (_, after) = script.split_once("async function turnPushOn(button) {").unwrap();
    assert!(after.split("\n}\n").next().unwrap().contains("requestPermission"));
}
