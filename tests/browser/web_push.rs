//! Notifications in a browser, as their owner turns them on.
//!
//! What: a push service is accepted, the browser is turned on, tried and turned off, and the service worker shows what comes. Chromium has no push service that a
//! test could reach: that it says so is seen, and the subscription is one that the test made. Not here: sending (`tests/integration/outbound/web_push.rs`).
//!
//! `AURA_WELCOME_PICTURES` names a folder for pictures.

use crate::{
    access::{axe, look},
    driver::Browser,
    first_day::{NewOwner, click, is_there},
    memory::with_calendar,
    page::says,
};
use serde_json::{Value, json};
use std::fs;

/// A host that is nowhere, by RFC 6761.
const HOST: &str = "push.example.invalid";

/// The keys of RFC 8291, appendix A.
fn made_up() -> Value {
    json!({
        "endpoint": format!("https://{HOST}/send/made-up"),
        "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "auth": "BTBZMqHH6r4Tts7J_aSIgg",
    })
}

#[tokio::test]
async fn push_service_is_accepted_and_the_browser_turned_on_tried_and_turned_off() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let owner = NewOwner::new();
    let page = with_calendar(&owner, &mut browser).await;
    says(&page, "web-push-now", "Off. I may use no push service yet.").await;
    look(&page, &axe, "web-push", "web-push-off").await;

    page.run(&format!(
        "document.querySelector('#web-push-services input[type=\"text\"]').value = '{HOST}';"
    ))
    .await
    .unwrap();
    click(&page, "#web-push-services [value=\"fcm.googleapis.com\"]").await;
    click(&page, "#web-push-services button[type=\"submit\"]").await;
    says(&page, "status", "Saved").await;
    is_there(&page, "#web-push [data-push-on]").await;
    let home = fs::read_to_string(owner.at(".config/aura/home.toml")).unwrap();
    assert!(
        home.contains(&format!(
            "[web_push]\nhosts = [\"fcm.googleapis.com\", \"{HOST}\"]"
        )),
        "{home}"
    );

    // Nobody was asked by the page's being there.
    let asked = page.run("return Notification.permission;").await.unwrap();
    assert_ne!(asked, "granted");
    let origin = page.run("return location.origin;").await.unwrap();
    page.devtools(
        "Browser.grantPermissions",
        json!({ "origin": origin, "permissions": ["notifications"] }),
    )
    .await
    .unwrap();
    click(&page, "#web-push [data-push-on]").await;
    says(
        &page,
        "status",
        "did not answer it, so notifications stay off here",
    )
    .await;
    look(&page, &axe, "web-push", "web-push-unreachable").await;

    let kept = page.send("/form/push", &made_up()).await.unwrap();
    assert_eq!(kept.status, 204, "{kept:?}");
    page.go("/settings").await.unwrap();
    says(&page, "web-push-now", &format!("through {HOST}")).await;
    look(&page, &axe, "web-push", "web-push-told").await;
    click(&page, "#web-push-now form button").await;
    says(
        &page,
        "notify-browser",
        "It did not go out: the push service does not answer",
    )
    .await;
    look(&page, &axe, "notify-browser", "web-push-tried").await;

    page.go("/welcome/5").await.unwrap();
    says(&page, "web-push-now", "This browser gets notifications.").await;
    look(&page, &axe, "web-push", "welcome-web-push").await;

    page.go("/settings").await.unwrap();
    click(&page, "#web-push-now [data-push-off]").await;
    says(&page, "web-push-now", "This browser gets none.").await;
}

#[tokio::test]
async fn worker_shows_what_a_push_service_brings() {
    let mut browser = Browser::start_with_notifications().unwrap();
    let owner = NewOwner::new();
    let page = with_calendar(&owner, &mut browser).await;
    let origin = page.run("return location.origin;").await.unwrap();
    page.devtools(
        "Browser.grantPermissions",
        json!({ "origin": origin, "permissions": ["notifications"] }),
    )
    .await
    .unwrap();
    page.run_async(
        "const done = arguments[arguments.length - 1]; navigator.serviceWorker.ready.then(({ active }) => { \
         const look = () => { if (active.state === 'activated') done(1); }; active.addEventListener('statechange', look); look(); });",
        vec![],
    )
    .await
    .unwrap();
    page.devtools("ServiceWorker.enable", json!({})).await.unwrap();
    let asks = json!({ "title": "Aura", "body": "A moment to breathe?", "answer": { "card": "c_1", "capability": "k", "acts": [
        { "act": "confirm", "label": "Breathe" }, { "act": "dismiss", "label": "Not now" },
    ] } })
    .to_string();
    for (data, title, body, buttons) in [
        (
            r#"{"title":"Aura","body":"Leave by 16:13"}"#,
            "Aura",
            "Leave by 16:13",
            "",
        ),
        // A question has its buttons.
        (
            asks.as_str(),
            "Aura",
            "A moment to breathe?",
            "confirm Breathe, dismiss Not now",
        ),
        ("not json", "Aura", "", ""),
    ] {
        // The first worker of a new profile.
        let push = json!({ "origin": origin, "registrationId": "0", "data": data });
        let shown = "const done = arguments[arguments.length - 1]; const end = Date.now() + 3000; const look = async () => { \
            const worker = await navigator.serviceWorker.ready; const all = await worker.getNotifications(); \
            const found = all.find((one) => one.body === arguments[0]); \
            if (found || Date.now() > end) done(found ? \
            [found.title, found.body, all.length, found.actions.map((one) => one.action + ' ' + one.title).join(', ')] : null); else setTimeout(look, 50); }; look();";
        let mut found = Value::Null;
        // What the browser's tools bring to a worker that is still being made is lost without a word: it is brought again.
        for _ in 0..5 {
            page.devtools("ServiceWorker.deliverPushMessage", push.clone())
                .await
                .unwrap();
            found = page.run_async(shown, vec![json!(body)]).await.unwrap();
            if !found.is_null() {
                break;
            }
        }
        // One notification at a time: the newest.
        assert_eq!(found, json!([title, body, 1, buttons]));
    }
}
