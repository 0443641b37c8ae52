//! The page of a changed catalogue.
//!
//! What: who sees it and who may accept on it, over a real server without a machine. Why: accepting changes what Aura may do, so only the
//! owner's own page does it. Not here: what a start does with it (`tests/integration/catalogue.rs`).

use crate::{
    client::{Server, within},
    morning::{self, Double, TOKEN},
};
use serde_json::json;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use surfaces::{AcceptCatalogue, WebConfig};
use surfaces_base::{
    backend::{BackendError, BackendFuture},
    devices::{DeviceName, DeviceScope},
};
use tokio::sync::oneshot;
use toolcall_schema::catalogue::lock::{CATALOGUE_LOCK, CatalogueDiff, CatalogueLock};

/// How often the owner accepted.
#[derive(Default)]
struct Accepted(AtomicUsize);

impl AcceptCatalogue for Accepted {
    fn accept(&self) -> BackendFuture<Result<(), BackendError>> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Box::pin(async { Ok(()) })
    }
}

/// As if there had been a tool that is gone, one that asked first, and one with other words.
fn diff() -> CatalogueDiff {
    let mut before = CatalogueLock::parse(CATALOGUE_LOCK).unwrap();
    let entry = before.tools.get("comms.classify").unwrap().clone();
    before.tools.insert("comms.shout".to_owned(), entry);
    let change = |lock: &mut CatalogueLock, tool: &str, column: &str, value: serde_json::Value| {
        let entry = lock.tools.get_mut(tool).unwrap();
        entry.insert(column.to_owned(), value);
    };
    change(&mut before, "comms.snooze", "confirm", json!("always"));
    change(&mut before, "comms.mute_channel", "surface", json!("PHONE_CARD"));
    change(&mut before, "comms.describe", "description", json!("other words"));
    CatalogueDiff::between(&before, &CatalogueLock::parse(CATALOGUE_LOCK).unwrap())
}

async fn waiting() -> (Server, Arc<Accepted>) {
    let listener = surfaces::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
    let address = listener.local_addr().unwrap();
    let accepted = Arc::new(Accepted::default());
    let accept = accepted.clone();
    let (stop, stopped) = oneshot::channel();
    let config: WebConfig = morning::config();
    let devices = config.devices.clone();
    let ended = tokio::spawn(async move {
        surfaces::serve_changed_catalogue(listener, config, &diff(), accept, async {
            let _ = stopped.await;
        })
        .await
    });
    let double = Arc::new(Double::of_scene("brief"));
    let server = Server {
        address,
        double,
        devices,
        stop,
        ended,
    };
    (server, accepted)
}

#[tokio::test]
async fn the_page_says_at_every_address_what_changed_and_programs_hear_the_code() {
    let (server, _) = waiting().await;
    let browser = format!("{}{}accept: text/html\n", server.host(), server.cookie());
    for path in ["/", "/money", "/ops", "/trace/tr_000000000000"] {
        let page = server.raw(&format!("GET {path}"), &browser, "").await;
        assert_eq!(page.status, 503, "{path}");
        for sentence in [
            "Some of Aura&#39;s tools changed",
            "comms.shout</span></p><p>It is gone.</p>",
            "<p>It no longer asks you first.</p>",
            "<p>It shows itself elsewhere: on the watch, before on the phone.</p>",
            "Accept and start</button>",
            "name=\"aura-page\"",
        ] {
            let body = page.body.replace('\'', "&#39;");
            assert!(body.contains(sentence), "{path}: {sentence}: {body}");
        }
        // Other words are nobody's concern.
        assert!(!page.body.contains("comms.describe"), "{path}");
        for header in [
            "content-security-policy: default-src 'none';",
            "cache-control: no-store",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "cross-origin-opener-policy: same-origin",
        ] {
            assert!(page.head.contains(header), "{path}: {header}: {}", page.head);
        }
    }
    for (method, path, headers) in [
        ("GET", "/healthz", server.host()),
        ("GET", "/readyz", server.host()),
        (
            "GET",
            "/v1/now",
            format!("{}authorization: Bearer {TOKEN}\n", server.host()),
        ),
        (
            "POST",
            "/v1/signals",
            format!("{}authorization: Bearer {TOKEN}\n", server.host()),
        ),
    ] {
        let answer = server.raw(&format!("{method} {path}"), &headers, "").await;
        let body: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!((answer.status, &body["code"]), (503, &json!("CAT-001")), "{path}");
    }
    for path in [
        "/pair",
        "/assets/aura.js",
        "/assets/aura.css",
        "/sw.js",
        "/manifest.webmanifest",
    ] {
        let open = server.raw(&format!("GET {path}"), &server.host(), "").await;
        assert_eq!(open.status, 200, "{path}");
    }
    server.stop.send(()).unwrap();
    within(server.ended).await.unwrap().unwrap();
}

#[tokio::test]
async fn only_the_owners_own_page_accepts() {
    let (server, accepted) = waiting().await;
    let (host, cookie) = (server.host(), server.cookie());
    let browser = format!("{host}{cookie}accept: text/html\n");
    let page = server.raw("GET /", &browser, "").await.body;
    let (_, rest) = page.split_once("name=\"aura-page\" content=\"").unwrap();
    let token = rest.split('"').next().unwrap();
    let bearer = async |scope: DeviceScope| {
        let name = DeviceName::parse("Other").unwrap();
        let (_, token) = server.devices.add(name, scope).await.unwrap();
        format!("{host}authorization: Bearer {}\n", token.text())
    };
    let (operator, sender) = (
        bearer(DeviceScope::Operator).await,
        bearer(DeviceScope::SignalsWrite).await,
    );
    let post = "POST /v1/catalogue/accept";
    for (case, line, headers, status, code) in [
        ("a stranger", post, host.clone(), 401, "WEB-003"),
        ("no page's token", post, format!("{host}{cookie}"), 403, "WEB-005"),
        (
            "another page's token",
            post,
            format!("{host}{cookie}x-aura-page: {}\n", "0".repeat(64)),
            403,
            "WEB-005",
        ),
        (
            "another origin",
            post,
            format!("{host}{cookie}x-aura-page: {token}\norigin: http://evil.example\n"),
            403,
            "WEB-004",
        ),
        (
            "a rebound name",
            post,
            format!("host: evil.example\n{cookie}x-aura-page: {token}\n"),
            403,
            "WEB-004",
        ),
        ("who looks only", post, operator.clone(), 403, "WEB-020"),
        ("who sends signals", post, sender.clone(), 403, "WEB-020"),
        (
            "a link",
            "GET /v1/catalogue/accept",
            format!("{host}{cookie}"),
            404,
            "WEB-008",
        ),
        ("signals", "POST /v1/signals", sender, 503, "CAT-001"),
    ] {
        let answer = server.raw(line, &headers, "").await;
        let body: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(
            (answer.status, body["code"].as_str()),
            (status, Some(code)),
            "{case}"
        );
    }
    assert_eq!(
        server
            .raw("GET /", &format!("{host}accept: text/html\n"), "")
            .await
            .status,
        303
    );
    let looked = server
        .raw("GET /", &format!("{operator}accept: text/html\n"), "")
        .await;
    assert!(
        looked.status == 503 && !looked.body.contains("data-accept"),
        "{}",
        looked.body
    );
    assert_eq!(accepted.0.load(Ordering::SeqCst), 0);
    let answer = server
        .raw(post, &format!("{host}{cookie}x-aura-page: {token}\n"), "")
        .await;
    assert_eq!((answer.status, accepted.0.load(Ordering::SeqCst)), (204, 1));
}
