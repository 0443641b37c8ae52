//! Who may come in, and what they get.
//!
//! What: a table of requests over a real server. Why: any page in the owner's browser can reach the loopback. Not here:
//! streams (`live`). The backend is a double.

use crate::{
    client::{Server, server},
    morning::{self, CAPABILITY, CARD, PANICKING, TOKEN},
};
use serde_json::{Value, json};
use surfaces::web::{BindError, CODES};

#[tokio::test]
async fn only_our_own_host_origin_and_signed_in_visitors_read() {
    let server = server("brief").await;
    let (port, cookie) = (server.address.port(), server.cookie().await);
    let good = format!("host: 127.0.0.1:{port}\n{cookie}");
    for (case, path, headers, status, code) in [
        ("a page with its cookie", "/v1/now", good.clone(), 200, ""),
        (
            "localhost",
            "/v1/now",
            format!("host: LocalHost:{port}\n{cookie}"),
            200,
            "",
        ),
        (
            "IPv6 loopback",
            "/v1/now",
            format!("host: [::1]:{port}\n{cookie}"),
            200,
            "",
        ),
        (
            "the owner's proxy",
            "/v1/now",
            format!("host: aura.example\n{cookie}origin: https://aura.example\n"),
            200,
            "",
        ),
        (
            "our own origin",
            "/v1/now",
            format!("{good}origin: http://localhost:{port}\n"),
            200,
            "",
        ),
        ("nobody", "/v1/now", server.host(), 401, "WEB-003"),
        (
            "a wrong cookie",
            "/v1/now",
            format!("{}cookie: aura_{port}=0\n", server.host()),
            401,
            "WEB-003",
        ),
        (
            "a wrong bearer",
            "/v1/now",
            format!("{}authorization: Bearer x\n", server.host()),
            401,
            "WEB-003",
        ),
        (
            "the token as cookie",
            "/v1/now",
            format!("{}cookie: aura_{port}={TOKEN}\n", server.host()),
            401,
            "WEB-003",
        ),
        (
            "nobody, a stream",
            "/events?surface=phone",
            server.host(),
            401,
            "WEB-003",
        ),
        ("no host", "/v1/now", cookie.clone(), 403, "WEB-004"),
        (
            "two hosts",
            "/v1/now",
            format!("{good}host: evil.example\n"),
            403,
            "WEB-004",
        ),
        (
            "rebound name",
            "/v1/now",
            format!("host: evil.example:{port}\n{cookie}"),
            403,
            "WEB-004",
        ),
        (
            "another port",
            "/v1/now",
            format!("host: 127.0.0.1:1\n{cookie}"),
            403,
            "WEB-004",
        ),
        (
            "another origin",
            "/v1/now",
            format!("{good}origin: http://evil.example\n"),
            403,
            "WEB-004",
        ),
        (
            "origin null",
            "/v1/now",
            format!("{good}origin: null\n"),
            403,
            "WEB-004",
        ),
        (
            "another port's script",
            "/v1/now",
            format!("{good}sec-fetch-site: same-site\n"),
            403,
            "WEB-004",
        ),
        (
            "foreign host, open path",
            "/healthz",
            "host: evil.example\n".to_owned(),
            403,
            "WEB-004",
        ),
        (
            "a link from elsewhere",
            "/watch",
            format!("{good}sec-fetch-site: cross-site\nsec-fetch-mode: navigate\n"),
            200,
            "",
        ),
        ("health needs no token", "/healthz", server.host(), 200, ""),
        ("a page sends the visitor to sign in", "/", server.host(), 303, ""),
        ("a wrong token does too", "/?token=x", server.host(), 303, ""),
        ("the signed-out page", "/signed-out", server.host(), 200, ""),
        ("nothing there", "/v1/other", good.clone(), 404, "WEB-008"),
        (
            "no such trace",
            "/v1/traces/tr_000000000000",
            good.clone(),
            404,
            "WEB-008",
        ),
        ("not an id", "/trace/..%2f..%2fetc", good.clone(), 404, "WEB-008"),
        (
            "a bad parameter",
            "/v1/traces?limit=many",
            good.clone(),
            400,
            "WEB-007",
        ),
        (
            "an unknown surface",
            "/events?surface=fridge",
            good.clone(),
            400,
            "WEB-007",
        ),
        ("a trace", "/v1/traces/tr_brief0000001", good.clone(), 200, ""),
        ("a drawer", "/trace/tr_silent000001", good.clone(), 200, ""),
    ] {
        let answer = server.raw(&format!("GET {path}"), &headers, "").await;
        assert_eq!(answer.status, status, "{case}: {}", answer.body);
        assert!(answer.body.contains(code), "{case}: {}", answer.body);
    }
}

#[tokio::test]
async fn the_first_visit_leaves_no_token_in_the_address_and_a_strict_cookie() {
    let server = server("brief").await;
    let answer = server
        .raw(&format!("GET /?token={TOKEN}"), &server.host(), "")
        .await;
    assert_eq!(answer.status, 303);
    assert!(answer.head.contains("\r\nlocation: /\r\n"), "{}", answer.head);
    let cookie = answer
        .head
        .lines()
        .find(|line| line.starts_with("set-cookie: "))
        .unwrap();
    assert!(
        cookie.contains("; Path=/; HttpOnly; SameSite=Strict;") && !cookie.contains("Domain"),
        "{cookie}"
    );
    assert!(!cookie.contains(TOKEN), "the cookie is not the token");
}

#[tokio::test]
async fn every_answer_carries_the_strict_headers() {
    let server = server("brief").await;
    let cookie = server.cookie().await;
    for path in [
        "/",
        "/watch",
        "/signed-out",
        "/assets/aura.js",
        "/v1/now",
        "/nothing",
    ] {
        let head = server
            .raw(&format!("GET {path}"), &format!("{}{cookie}", server.host()), "")
            .await
            .head;
        for wanted in [
            "content-security-policy: default-src 'none'; style-src 'self'; script-src 'self';",
            "frame-ancestors 'none'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "cache-control: no-store",
        ] {
            assert!(head.contains(wanted), "{path}: {head}");
        }
    }
}

#[tokio::test]
async fn pages_hold_no_inline_script_or_style_and_no_foreign_address() {
    let server = server("mute").await;
    for path in ["/", "/watch", "/signed-out", "/trace/tr_brief0000001"] {
        let body = server.get(path).await.body;
        for banned in [
            "style=",
            "onclick",
            "<style",
            "http://",
            "https://",
            "javascript:",
        ] {
            assert!(!body.contains(banned), "{path} has {banned}");
        }
        assert_eq!(body.matches("<script").count(), 1, "{path}");
        assert!(
            body.contains(r#"<script src="/assets/aura.js" defer></script>"#),
            "{path}"
        );
    }
}

async fn page_token(server: &Server, cookie: &str) -> String {
    let page = server
        .raw("GET /", &format!("{}{cookie}", server.host()), "")
        .await
        .body;
    let (_, rest) = page.split_once(r#"<meta name="aura-page" content=""#).unwrap();
    rest.split('"').next().unwrap().to_owned()
}

#[tokio::test]
async fn a_change_needs_the_pages_own_token() {
    let server = server("brief").await;
    let cookie = server.cookie().await;
    let token = page_token(&server, &cookie).await;
    let base = format!("{}{cookie}", server.host());
    for (case, headers, status) in [
        ("cookie only", base.clone(), 403),
        (
            "a wrong page token",
            format!("{base}x-aura-page: {}\n", "0".repeat(64)),
            403,
        ),
        (
            "page token without cookie",
            format!("{}x-aura-page: {token}\n", server.host()),
            401,
        ),
        (
            "from another origin",
            format!("{base}x-aura-page: {token}\norigin: http://localhost:1\n"),
            403,
        ),
        (
            "from another site, navigating",
            format!("{base}x-aura-page: {token}\nsec-fetch-site: cross-site\nsec-fetch-mode: navigate\n"),
            403,
        ),
        ("both", format!("{base}x-aura-page: {token}\n"), 202),
        (
            "a program",
            format!("{}authorization: Bearer {TOKEN}\n", server.host()),
            202,
        ),
    ] {
        let answer = server.raw("POST /v1/tick", &headers, "").await;
        assert_eq!(answer.status, status, "{case}: {}", answer.body);
    }
    assert_eq!(server.log(), ["tick", "tick"]);
}

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
    for (card, body, status) in [
        ("c_short", confirm.as_str(), 404),
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
    let submission = |surface, capability| {
        format!(
            "Submission {{ card_id: CardId({CARD:?}), act: Confirm, surface: {surface}, capability: {capability} }}"
        )
    };
    assert_eq!(
        server.log(),
        [
            submission("Watch", r#"Some("..")"#),
            submission("PhoneCard", "None")
        ]
    );
}

fn unlock(id: &str) -> Value {
    json!({"id": id, "at": "2026-11-03T07:45:00+05:30", "source": "phone", "kind": "phone_unlock", "payload": {}})
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
    assert!(message.starts_with("\"/kind\": "), "names the field: {message}");
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
async fn a_panic_behind_a_handler_is_a_500_and_the_server_lives_on() {
    let server = server("brief").await;
    let answer = server.get(&format!("/v1/traces/{PANICKING}")).await;
    assert_eq!((answer.status, answer.body.contains("WEB-012")), (500, true));
    assert_eq!(server.get("/v1/ledger").await.status, 200);
}

#[tokio::test]
async fn hostile_names_are_text_on_every_page() {
    let server = server("brief").await;
    let hostile = r#"<img src=x onerror=alert(1)>"'&</script>"#;
    {
        let mut view = server.double.view.lock().unwrap();
        view.labels = [("ev_00000000000000a1", hostile), ("it_00000000000000b2", hostile)]
            .into_iter()
            .map(|(id, name)| (id.to_owned(), name.to_owned()))
            .collect();
    }
    for path in [
        "/",
        "/fragment/now",
        "/trace/tr_brief0000001",
        "/fragment/trace/tr_brief0000001",
    ] {
        let body = server.get(path).await.body;
        assert!(!body.contains("<img") && !body.contains("\"'&<"), "{path}");
        assert!(
            body.contains("&lt;img src=x onerror=alert(1)&gt;&quot;'&amp;&lt;/script&gt;"),
            "{path}"
        );
    }
    // Names are for the screen only: the API does not repeat them.
    assert!(!server.get("/v1/now").await.body.contains("onerror"));
}

#[tokio::test]
async fn only_the_loopback_is_bound_and_a_busy_port_is_named() {
    let other: std::net::SocketAddr = ([0, 0, 0, 0], 7787).into();
    let refused = surfaces::bind(other).await.unwrap_err();
    assert!(matches!(refused, BindError::NotLoopback { address } if address == other));
    assert!(
        refused
            .to_string()
            .starts_with("WEB-001: 0.0.0.0:7787 is not a loopback address")
    );

    let taken = surfaces::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
    let port = taken.local_addr().unwrap().port();
    let refused = surfaces::bind(taken.local_addr().unwrap()).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!(
            "WEB-002: port {port} is in use: stop the program that has it (perhaps another aura), or choose another port"
        )
    );

    let open = tokio::net::TcpListener::bind("0.0.0.0:0").await.unwrap();
    let backend = std::sync::Arc::new(morning::Double::of_scene("quiet"));
    let refused = surfaces::serve(open, morning::config(), backend, std::future::pending())
        .await
        .unwrap_err();
    assert!(refused.to_string().starts_with("WEB-001"), "{refused}");
}

#[test]
fn every_code_has_its_page_and_every_page_its_code() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/errors");
    let mut pages: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| name.strip_suffix(".md").map(str::to_owned))
        .filter(|name| name.starts_with("WEB-"))
        .collect();
    pages.sort();
    assert_eq!(pages, CODES);
    for code in CODES {
        let text = std::fs::read_to_string(folder.join(format!("{code}.md"))).unwrap();
        for part in ["Cause", "Effect", "Remedy"] {
            assert!(text.contains(part), "{code} lacks {part}");
        }
    }
}
