//! Who may come in, and what they get.
//!
//! What: a table of requests over a real server. Why: any page in the owner's browser can reach the loopback. Not here:
//! what is sent in (`sent`), streams (`live`). The backend is a double.

use crate::{
    client::{Server, server},
    morning::{self, NAME, PANICKING, TOKEN},
};
use std::sync::atomic::Ordering;
use surfaces::web::{BindError, CODES};
use surfaces_base::backend::HealthFlag;

#[tokio::test]
async fn only_our_own_host_origin_and_signed_in_visitors_read() {
    let server = server("brief").await;
    let (port, cookie) = (server.address.port(), server.cookie());
    let good = format!("host: {NAME}:{port}\n{cookie}");
    for (case, path, headers, status, code) in [
        ("a page with its cookie", "/v1/now", good.clone(), 200, ""),
        (
            "in any case",
            "/v1/now",
            format!("host: AURA-000000.LocalHost:{port}\n{cookie}"),
            200,
            "",
        ),
        (
            "IPv6 loopback",
            "/v1/now",
            format!("host: [::1]:{port}\nauthorization: Bearer {TOKEN}\n"),
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
            format!("host: {NAME}:1\n{cookie}"),
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
        ("nor does readiness", "/readyz", server.host(), 200, ""),
        ("figures do", "/metrics", server.host(), 401, "WEB-003"),
        ("and are there with it", "/metrics", good.clone(), 200, ""),
        ("a page sends the visitor to pair", "/", server.host(), 303, ""),
        (
            "a secret in an address is none",
            "/?token=x",
            server.host(),
            303,
            "",
        ),
        ("the page for the code", "/pair", server.host(), 200, ""),
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
async fn a_whole_address_in_the_request_line_names_the_same_host() {
    let server = server("brief").await;
    let port = server.address.port();
    let host = format!("{NAME}:{port}");
    let headers = format!("{}authorization: Bearer {TOKEN}\n", server.host());
    for (address, status) in [
        (format!("http://{host}/v1/now"), 200),
        (format!("HTTP://{}/v1/now", host.to_ascii_uppercase()), 200),
        (format!("http://evil.example:{port}/v1/now"), 403),
        ("http://evil.example/healthz".to_owned(), 403),
        // Of ours, but not the one that `Host` names.
        (format!("http://127.0.0.1:{port}/v1/now"), 403),
        (format!("http://{NAME}/v1/now"), 403),
        (format!("http://evil@{host}/v1/now"), 403),
    ] {
        let answer = server.raw(&format!("GET {address}"), &headers, "").await;
        assert_eq!(answer.status, status, "{address}: {}", answer.body);
        assert_eq!(answer.body.contains("WEB-004"), status == 403, "{address}");
    }
    let foreign = "host: evil.example\n";
    let answer = server
        .raw(&format!("GET http://{host}/healthz"), foreign, "")
        .await;
    assert_eq!(answer.status, 403, "the host of the header counts too");
}

#[tokio::test]
async fn every_answer_carries_the_strict_headers() {
    let server = server("brief").await;
    let cookie = server.cookie();
    for path in ["/", "/watch", "/pair", "/assets/aura.js", "/v1/now", "/nothing"] {
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
    for path in [
        "/",
        "/watch",
        "/ops",
        "/ops/quarantine",
        "/ops/traces",
        "/ops/machine",
        "/ops/policy",
        "/ops/what-if",
        "/ops/ledger",
        "/pair",
        "/workflows",
        "/brief",
        "/chats",
        "/money",
        "/body",
        "/memory",
        "/settings",
        "/offline",
        "/trace/tr_brief0000001",
    ] {
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
        assert!(body.contains(r#"<script src="/assets/aura.js?v="#), "{path}");
    }
}

#[tokio::test]
async fn a_person_who_is_refused_gets_a_page_and_a_program_gets_json() {
    let server = server("brief").await;
    let base = format!("{}{}", server.host(), server.cookie());
    let browser = format!("{base}accept: text/html,application/xhtml+xml,*/*;q=0.8\n");
    for (case, path, headers, status, kind, said) in [
        (
            "no such page",
            "/nothing",
            &browser,
            404,
            "text/html",
            "This page does not exist",
        ),
        (
            "no such trace",
            "/trace/tr_aaaaaaaaaaaa",
            &browser,
            404,
            "text/html",
            "WEB-008",
        ),
        (
            "a program",
            "/nothing",
            &base,
            404,
            "application/json",
            "\"WEB-008\"",
        ),
        (
            "a script's fetch",
            "/fragment/trace/tr_aaaaaaaaaaaa",
            &browser,
            404,
            "application/json",
            "WEB-008",
        ),
        (
            "the API",
            "/v1/nothing",
            &browser,
            404,
            "application/json",
            "WEB-008",
        ),
    ] {
        let answer = server.raw(&format!("GET {path}"), headers, "").await;
        let head = answer.head.to_ascii_lowercase();
        assert_eq!(answer.status, status, "{case}");
        assert!(head.contains(&format!("content-type: {kind}")), "{case}: {head}");
        assert!(head.contains("content-security-policy: "), "{case}: {head}");
        assert!(answer.body.contains(said), "{case}: {}", answer.body);
        assert_eq!(answer.body.contains("<title>"), kind == "text/html", "{case}");
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
    let cookie = server.cookie();
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
    // The page itself asks how free the day is.
    assert_eq!(server.log(), ["agenda 2026-11-03 7", "tick", "tick"]);
}

#[tokio::test]
async fn liveness_and_readiness_do_not_ask_for_the_state() {
    let server = server("brief").await;
    let looks = || server.double.looks.load(Ordering::SeqCst);
    let before = looks();
    for (flags, health, ready) in [
        (vec![], 200, 200),
        (vec![HealthFlag::PartSandbox], 200, 200),
        (vec![HealthFlag::Starting], 200, 503),
        (vec![HealthFlag::JournalDown], 503, 503),
    ] {
        server.double.view.lock().unwrap().health.clone_from(&flags);
        let status = async |path: &str| {
            server
                .raw(&format!("GET {path}"), &server.host(), "")
                .await
                .status
        };
        assert_eq!(
            (status("/healthz").await, status("/readyz").await),
            (health, ready),
            "{flags:?}"
        );
    }
    assert_eq!(looks(), before);
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
        let mut labels = server.double.labels.lock().unwrap();
        *labels = [("ev_00000000000000a1", hostile), ("it_00000000000000b2", hostile)]
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
async fn what_was_refused_is_shown_and_steers_nothing() {
    let server = server("quiet").await;
    let body = server.get("/ops/quarantine").await.body;
    for shown in [
        "GATE-009",
        "comms.mute\\u{1b}[2J&lt;i&gt;",
        "/args/&lt;b&gt;\\u{202e}",
        "&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;",
        "\\u001b]0;evil\\u0007\\u009b\\u202e\\u000d\\u000a\\ufeff",
        r#"<a href="/ops/traces/tr_brief0000001">"#,
    ] {
        assert!(body.contains(shown), "{shown}");
    }
    let steers = |c: &char| c.is_control() && *c != '\n' || matches!(c, '\u{202e}' | '\u{feff}');
    assert_eq!(body.chars().find(steers), None);
    assert_eq!(body.matches("<script").count(), 1);
}

#[tokio::test]
async fn each_picture_is_named_told_in_a_sentence_and_stands_in_a_table() {
    let server = server("quiet").await;
    let mut body = String::new();
    for (path, names) in [("/brief", &["day"][..]), ("/body", &["load", "rmssd"])] {
        let page = server.get(path).await.body;
        for name in names {
            for part in [
                format!(r#"role="img" aria-labelledby="{name}-title {name}-says">"#),
                format!(r#"<h2 id="{name}-title">"#),
                format!(r#"<figcaption id="{name}-says">"#),
            ] {
                assert_eq!(page.matches(&part).count(), 1, "{path}: {part}");
            }
        }
        body.push_str(&page);
    }
    assert_eq!(body.matches("<table>").count(), 3);
    // Of what nobody knows no axes are drawn: a sentence says so.
    let page = server.get("/money").await.body;
    assert!(page.contains("<figcaption id=\"spending-says\">"), "{page}");
    assert!(
        !page.contains("role=\"img\"") && !page.contains("<table>"),
        "{page}"
    );
    // The trace of 07:45 in Kolkata, the brief's morning: a load score of 42, and one event with a way.
    for told in [
        "1 event with a time. I kept quiet once.",
        "What I said or did:",
        r#"<th scope="row">08:23–09:00</th><td>On the way, with time to spare</td>"#,
        "Its highest was 42, and none was at 70 or above",
        "Usual for you is 22.1 to 54 ms",
    ] {
        assert!(body.contains(told), "{told}");
    }
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
        .filter(|name| {
            ["ASK-", "DRAFT-", "PUSH-", "WEB-"]
                .iter()
                .any(|start| name.starts_with(start))
        })
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
