//! What others wrote, in a browser that would run it.
//!
//! What: markup and characters that steer in each field of a signal that takes text, and in the name of a device; then every page.
//! Why: a name is shown as it was written and does nothing. Not here: what the server answers to hostile requests
//! (`surfaces/tests`, `tests/door.rs`).

use crate::{
    driver::{Browser, DESK},
    journeys::{House, card, stress},
    page::{Page, paired},
    support::{Service, signal},
};
use serde_json::{Value, json};

/// Runs where it is taken for markup, and turns the line around where it is taken for text.
const HOSTILE: &str =
    "<img src=x onerror=\"window.taken=1\"><script>window.taken=1</script>'\"&lt;\u{202e}\u{7}\u{200b}";

/// A chat that is loud enough to be spoken of, every text of it hostile.
fn a_loud_chat(service: &Service) {
    let notifications: Vec<Value> = (0..60)
        .map(|n| {
            let text = json!({ "app": HOSTILE, "channel": HOSTILE, "sender": HOSTILE, "text": HOSTILE });
            signal(&format!("n{n}"), "notification", &text)
        })
        .collect();
    let (status, reply) = service.request("POST", "/v1/signals", Some(&json!(notifications)));
    assert_eq!(status, 202, "{reply}");
}

async fn is_untouched(page: &Page, path: &str) {
    let taken =
        page.run("return window.taken || document.querySelectorAll('img, script:not([src])').length;");
    assert_eq!(taken.await.unwrap(), json!(0), "{path}");
    assert_eq!(page.console().await.unwrap(), Vec::<String>::new(), "{path}");
}

#[tokio::test]
async fn what_others_wrote_is_text_on_every_page() {
    let (house, mut browser) = (House::new(), Browser::start().unwrap());
    let service = house.start();
    let page = paired(&mut browser, DESK, &house.path("data"), &service).await;
    a_loud_chat(&service);
    stress(&service);
    let card = card(&service);
    page.until_card(&card).await.unwrap();
    is_untouched(&page, "/").await;
    let trace = service.now()["card"]["decision"]["trace_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let mut told = 0;
    for path in [
        "/brief",
        "/chats",
        "/money",
        "/body",
        "/memory",
        "/settings",
        "/devices",
        "/workflows",
        "/watch",
        "/ops",
        "/ops/quarantine",
        "/ops/traces",
        "/ops/machine",
        "/ops/policy",
        "/ops/what-if",
        "/ops/ledger",
        &format!("/trace/{trace}"),
    ] {
        page.go(path).await.unwrap();
        page.until("document.readyState === 'complete'").await.unwrap();
        is_untouched(&page, path).await;
        let text = page.text().await.unwrap();
        assert!(
            !text.contains('\u{202e}') && !text.contains('\u{7}'),
            "{path} steers: {text}"
        );
        told += usize::from(text.contains("<img src=x"));
    }
    assert!(told > 0, "the chat's name stands somewhere as it was written");
}
