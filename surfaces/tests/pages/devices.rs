//! Devices: each route with each scope, pairing, revoking.
//!
//! What: the table of routes walked over a real server, codes exchanged, streams that end. Why: these are the claims of
//! `docs/adr/0039`. Not here: hosts, origins and page tokens (`door`), limits (`limits`).

use crate::settings_double::home;
use crate::{
    client::{Server, proven_cookie, send, server, server_with, within},
    morning::{TOKEN, ts},
};
use serde_json::json;
use surfaces::web::access::{ROUTES, RouteAccess, RouteRule};
use surfaces_base::{
    DeviceRegistry,
    devices::{DeviceId, DeviceName, DeviceScope, PushSubscription, SubscriptionConflict},
};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};

fn name(text: &str) -> DeviceName {
    DeviceName::parse(text).unwrap()
}

/// Status and `location` of a route, whose answer may be a stream without end.
async fn status(server: &Server, route: &RouteRule, headers: &str) -> (u16, Option<String>) {
    let path = route
        .path
        .replace("{id}", "x")
        .replace("{name}", "x")
        .replace("{card_id}", "x");
    let path = if path == "/events" {
        "/events?surface=runs".to_owned()
    } else {
        path
    };
    let line = format!("{} {path}", route.method);
    let stream = server
        .open(&line, &format!("{}{headers}", server.host()), "")
        .await;
    let mut lines = BufReader::new(stream).lines();
    let (mut status, mut location) = (None, None);
    while let Some(line) = within(lines.next_line())
        .await
        .unwrap()
        .filter(|line| !line.is_empty())
    {
        if let Some(rest) = line.strip_prefix("HTTP/1.1 ") {
            status = rest.split(' ').next().map(|code| code.parse().unwrap());
        }
        location = location.or(line.strip_prefix("location: ").map(str::to_owned));
    }
    (status.unwrap(), location)
}

#[tokio::test]
async fn each_route_lets_in_the_scopes_of_its_entry_and_nobody_else() {
    let server = server("brief").await;
    *server.double.home.lock().unwrap() = Some(home());
    for route in ROUTES {
        let (open, _) = status(&server, route, "").await;
        match route.access {
            RouteAccess::Open => assert!(!matches!(open, 303 | 401), "{route:?}: {open}"),
            RouteAccess::Needs(_) | RouteAccess::AnyOf(_) => {
                assert!(matches!(open, 303 | 401), "{route:?}: {open}");
            }
        }
        for scope in DeviceScope::ALL {
            let (_, token) = server.devices.add(name("Walker"), scope).await.unwrap();
            let bearer = format!("authorization: Bearer {}\n", token.text());
            let (got, location) = status(&server, route, &bearer).await;
            let may = match route.access {
                RouteAccess::Open => true,
                RouteAccess::Needs(needed) => {
                    needed == scope || (scope == DeviceScope::Owner && needed != DeviceScope::Ask)
                }
                RouteAccess::AnyOf(scopes) => scopes.contains(&scope),
            };
            if may {
                assert!(!matches!(got, 303 | 401 | 403), "{route:?} {scope}: {got}");
                assert!(got != 404 || route.path.contains('{'), "{route:?} is not there");
            } else if (route.path, scope) == ("/", DeviceScope::Operator) {
                assert_eq!((got, location.as_deref()), (303, Some("/ops")));
            } else {
                assert_eq!(got, 403, "{route:?} {scope}");
            }
            let (id, _) = server.devices.with_secret(token.text()).unwrap();
            assert!(server.devices.revoke(&id).await.unwrap());
        }
    }
}

#[tokio::test]
async fn what_is_not_in_the_table_is_there_for_nobody() {
    let server = server("brief").await;
    let bearer = format!("authorization: Bearer {TOKEN}\n");
    for line in [
        "POST /v1/now",
        "PUT /v1/tick",
        "DELETE /v1/signals",
        "POST /",
        "GET /v1/tick",
        "OPTIONS /",
    ] {
        let answer = server.raw(line, &format!("{}{bearer}", server.host()), "").await;
        assert_eq!(
            (answer.status, answer.body.contains("WEB-008")),
            (404, true),
            "{line}"
        );
    }
}

#[tokio::test]
async fn an_operators_stream_is_no_surface_of_the_owners() {
    let server = server("brief").await;
    let (_, token) = server
        .devices
        .add(name("Console"), DeviceScope::Operator)
        .await
        .unwrap();
    let headers = format!("{}authorization: Bearer {}\n", server.host(), token.text());
    for (surface, status) in [("phone", 403), ("watch", 403)] {
        let answer = server
            .raw(&format!("GET /events?surface={surface}"), &headers, "")
            .await;
        assert_eq!(answer.status, status, "{surface}");
    }
    assert!(server.log().iter().all(|line| !line.starts_with("connected")));
}

async fn exchange(server: &Server, body: &str, more: &str) -> crate::client::Answer {
    server
        .raw("POST /pair", &format!("{}{more}", server.host()), body)
        .await
}

#[tokio::test]
async fn a_code_is_exchanged_once_for_a_strict_cookie_that_signs_in() {
    let server = server("brief").await;
    let code = server.devices.open(DeviceScope::Owner, None).unwrap();
    let body = format!(
        r#"{{"code":"{}","name":"Anna's phone"}}"#,
        code.text().to_ascii_lowercase()
    );
    let answer = exchange(&server, &body, "").await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(!answer.body.contains("sha256"), "{}", answer.body);
    let set = answer
        .head
        .lines()
        .find_map(|line| line.strip_prefix("set-cookie: "))
        .unwrap();
    let port = server.address.port();
    let secret = set
        .strip_prefix(&format!("aura_{port}="))
        .unwrap()
        .split(';')
        .next()
        .unwrap();
    assert_eq!(secret.len(), 64, "256 bits");
    assert_eq!(
        set.replacen(secret, "", 1),
        format!("aura_{port}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000"),
        "this host only, not for scripts, not from other sites"
    );
    let cookie = format!("{}cookie: aura_{port}={secret}\n", server.host());
    assert_eq!(server.raw("GET /v1/now", &cookie, "").await.status, 200);
    let page = server.raw("GET /devices", &cookie, "").await.body;
    assert!(
        page.contains("Anna&#39;s phone · this one") || page.contains("Anna's phone · this one"),
        "{page}"
    );

    let again = exchange(&server, &body, "").await;
    assert_eq!((again.status, again.body.contains("WEB-021")), (403, true));
}

#[tokio::test]
async fn code_for_the_owners_own_browser_proves_it_and_adds_no_second_device() {
    let server = server("brief").await;
    let plain = server.devices.open(DeviceScope::Owner, None).unwrap();
    let body = format!(r#"{{"code":"{}","name":"Desk"}}"#, plain.text());
    let answer = exchange(&server, &body, "").await;
    let port = server.address.port();
    let start = format!("set-cookie: aura_{port}=");
    let secret = answer.head.lines().find_map(|line| line.strip_prefix(&start));
    let secret = secret.and_then(|rest| rest.split(';').next()).unwrap();
    let (desk, _) = server.devices.with_secret(secret).unwrap();
    let before = server.devices.list().len();
    assert!(
        !server.devices.is_proven(&desk),
        "a code of the other kind proves nothing"
    );

    let code = server.devices.open_for_owner().unwrap();
    let body = format!(r#"{{"code":"{}","name":"Desk"}}"#, code.text());
    let answer = exchange(&server, &body, &format!("cookie: aura_{port}={secret}\n")).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(!answer.head.contains("set-cookie"), "{}", answer.head);
    assert_eq!(server.devices.list().len(), before);
    assert!(server.devices.is_proven(&desk));
    // The code is used up, whoever shows it.
    let again = exchange(&server, &body, "").await;
    assert_eq!((again.status, again.body.contains("WEB-021")), (403, true));

    // A browser that is not paired yet is let in and proven by the same code.
    let code = server.devices.open_for_owner().unwrap();
    let body = format!(r#"{{"code":"{}","name":"Other"}}"#, code.text());
    let answer = exchange(&server, &body, "").await;
    let secret = answer.head.lines().find_map(|line| line.strip_prefix(&start));
    let secret = secret.and_then(|rest| rest.split(';').next()).unwrap();
    let (other, scope) = server.devices.with_secret(secret).unwrap();
    assert_eq!(
        (scope, server.devices.is_proven(&other)),
        (DeviceScope::Owner, true)
    );
    server.devices.revoke(&other).await.unwrap();
    assert!(!server.devices.is_proven(&other));
}

#[tokio::test]
async fn behind_tls_the_cookie_is_secure() {
    let server = server("brief").await;
    let code = server.devices.open(DeviceScope::Owner, None).unwrap();
    let body = format!(r#"{{"code":"{}","name":"Phone"}}"#, code.text());
    let host = "host: aura.example\norigin: https://aura.example\n";
    let answer = server.raw("POST /pair", host, &body).await;
    assert!(
        answer.head.contains("Max-Age=31536000; Secure\r\n"),
        "{}",
        answer.head
    );
}

#[tokio::test]
async fn a_wrong_code_lets_nobody_in_and_quotes_nothing() {
    let server = server("brief").await;
    for body in [
        r#"{"code":"AAAAA-AAAAA","name":"x"}"#,
        r#"{"code":"","name":"x"}"#,
    ] {
        let answer = exchange(&server, body, "").await;
        assert_eq!(
            (answer.status, answer.body.contains("WEB-021")),
            (403, true),
            "{body}"
        );
        assert!(
            !answer.head.contains("set-cookie") && !answer.body.contains("AAAAA"),
            "{body}"
        );
    }
    for body in [
        r#"{"code":"AAAAA-AAAAA","name":""}"#,
        "{\"code\":\"AAAAA-AAAAA\",\"name\":\"a\\u202eb\"}",
        r#"{"code":7,"name":"x"}"#,
    ] {
        assert_eq!(exchange(&server, body, "").await.status, 400, "{body}");
    }
    // From a page of somebody else's it is not even tried.
    let code = server.devices.open(DeviceScope::Owner, None).unwrap();
    let body = format!(r#"{{"code":"{}","name":"x"}}"#, code.text());
    let foreign = server
        .raw(
            "POST /pair",
            &format!("{}origin: http://evil.example\n", server.host()),
            &body,
        )
        .await;
    assert_eq!(foreign.status, 403);
    assert!(foreign.body.contains("WEB-004"));
}

#[tokio::test]
async fn a_revoked_device_is_shut_out_and_its_open_streams_end() {
    let server = server("brief").await;
    let (device, token) = server
        .devices
        .add(name("Lost phone"), DeviceScope::Owner)
        .await
        .unwrap();
    let bearer = format!("{}authorization: Bearer {}\n", server.host(), token.text());
    let mut stream = server.open("GET /events?surface=phone", &bearer, "").await;
    server.called("connected PHONE_CARD 1").await;

    let path = format!("/v1/devices/{}/revoke", device.id.as_str());
    assert_eq!(server.post(&path, "").await.status, 204);
    let mut all = Vec::new();
    within(stream.read_to_end(&mut all)).await.unwrap();
    server.called("disconnected PHONE_CARD 1").await;
    assert_eq!(server.raw("GET /v1/now", &bearer, "").await.status, 401);
    assert_eq!(
        server.post(&path, "").await.status,
        404,
        "there is no such device any more"
    );
    assert_eq!(server.get("/v1/now").await.status, 200, "the others stay");
}

#[tokio::test]
async fn under_a_name_that_other_programs_share_no_cookie_counts() {
    let server = server("brief").await;
    let (port, cookie) = (server.address.port(), server.cookie());
    for host in ["127.0.0.1", "localhost", "[::1]"] {
        let headers = format!("host: {host}:{port}\n{cookie}");
        assert_eq!(
            server.raw("GET /v1/now", &headers, "").await.status,
            401,
            "{host}"
        );
        // A page leads to the name that is Aura's alone, path and all.
        let answer = server.raw("GET /trace/tr_brief0000001?a=1", &headers, "").await;
        let to = format!("location: http://aura-000000.localhost:{port}/trace/tr_brief0000001?a=1\r\n");
        assert_eq!(
            (answer.status, answer.head.contains(&to)),
            (303, true),
            "{host}: {}",
            answer.head
        );
        // A program needs no name.
        let bearer = format!("host: {host}:{port}\nauthorization: Bearer {TOKEN}\n");
        assert_eq!(server.raw("GET /v1/now", &bearer, "").await.status, 200, "{host}");
    }
}

#[tokio::test]
async fn a_health_app_is_let_in_with_a_token_that_sends_and_sees_nothing() {
    let server = server_with("brief", |config| config.names.added.clear()).await;
    *server.double.home.lock().unwrap() = Some(home());
    let (own, paired, proven) = (server.host(), server.cookie(), proven_cookie(&server).await);
    let path = "/form/devices/health";
    let count = server.devices.list().len();
    assert_eq!(send(&server, &own, &paired, path, &json!({})).await.status, 403);
    assert_eq!(server.devices.list().len(), count);
    let shown = send(&server, &own, &proven, path, &json!({})).await.body;
    // Nobody but this machine reaches it: no picture for a camera.
    assert!(
        shown.contains("Your phone does not reach this computer yet"),
        "{shown}"
    );
    assert!(!shown.contains("<svg"));
    let token = shown.split("Bearer ").nth(1).unwrap().get(..64).unwrap();
    let (id, scope) = server.devices.with_secret(token).unwrap();
    assert_eq!(scope, DeviceScope::SignalsWrite);
    let listed = server.devices.list();
    let app = listed.iter().find(|device| device.id == id).unwrap();
    assert_eq!(app.name.as_str(), "Health Auto Export");
    let headers = format!("{own}authorization: Bearer {token}\n");
    let post = server
        .raw("POST /v1/health-auto-export", &headers, r#"{"data":{}}"#)
        .await;
    assert_eq!(post.status, 202);
    assert_eq!(server.raw("GET /v1/now", &headers, "").await.status, 403);
}

#[tokio::test]
async fn an_android_phone_is_let_in_with_a_token_that_sends_and_sees_nothing() {
    let server = server_with("brief", |config| {
        config.names.added = vec!["aura.example:7879".to_owned()];
    })
    .await;
    *server.double.home.lock().unwrap() = Some(home());
    let (own, paired, proven) = (server.host(), server.cookie(), proven_cookie(&server).await);
    let path = "/form/devices/health-connect";
    assert_eq!(send(&server, &own, &paired, path, &json!({})).await.status, 403);
    let shown = send(&server, &own, &proven, path, &json!({})).await.body;
    assert!(
        shown.contains("https://aura.example:7879/v1/health-connect") && !shown.contains("<svg"),
        "{shown}"
    );
    let token = shown.split("Bearer ").nth(1).unwrap().get(..64).unwrap();
    let (id, scope) = server.devices.with_secret(token).unwrap();
    assert_eq!(scope, DeviceScope::SignalsWrite);
    let listed = server.devices.list();
    let app = listed.iter().find(|device| device.id == id).unwrap();
    assert_eq!(app.name.as_str(), "HC Webhook");
    let headers = format!("{own}authorization: Bearer {token}\n");
    let post = server
        .raw("POST /v1/health-connect", &headers, r#"{"data":{}}"#)
        .await;
    assert_eq!(post.status, 202);
}

#[tokio::test]
async fn a_phone_that_reaches_aura_is_shown_a_picture_with_everything_in_it() {
    let server = server_with("brief", |config| {
        config.names.added = vec!["aura.example:7879".to_owned()];
    })
    .await;
    *server.double.home.lock().unwrap() = Some(home());
    let (own, proven) = (server.host(), proven_cookie(&server).await);
    let page = server
        .raw("GET /devices", &format!("{own}{proven}"), "")
        .await
        .body;
    assert!(page.contains(r#"data-shows="/form/devices/health""#), "{page}");
    let shown = send(&server, &own, &proven, "/form/devices/health", &json!({}))
        .await
        .body;
    assert!(
        shown.contains("https://aura.example:7879/v1/health-auto-export"),
        "{shown}"
    );
    assert!(shown.contains(r#"<svg class="qr" role="img""#), "{shown}");
}

fn subscription(number: usize) -> PushSubscription {
    PushSubscription {
        endpoint: format!("https://push.example.net/send/{number}"),
        p256dh: "BA1H".to_owned(),
        auth: "eW91".to_owned(),
        since: ts("2026-11-03T02:15:00Z"),
    }
}

#[tokio::test]
async fn subscription_lies_with_its_device_and_goes_with_it() {
    let devices = DeviceRegistry::fixed(TOKEN);
    let (phone, _) = devices.add(name("Phone"), DeviceScope::Owner).await.unwrap();
    let (desk, _) = devices.add(name("Desk"), DeviceScope::Owner).await.unwrap();
    let count = devices.subscription_count();
    for (device, number, expected) in [
        (&phone.id, 1, Ok(())),
        // The same once more is the same.
        (&phone.id, 1, Ok(())),
        (&desk.id, 1, Err(SubscriptionConflict::Elsewhere)),
        (&phone.id, 2, Ok(())),
        (&phone.id, 3, Ok(())),
        (&phone.id, 4, Err(SubscriptionConflict::TooMany)),
        (&desk.id, 5, Ok(())),
        (
            &DeviceId::from_text("dev_gone"),
            6,
            Err(SubscriptionConflict::NoDevice),
        ),
    ] {
        let kept = devices.subscribe(device, subscription(number)).await.unwrap();
        assert_eq!(kept, expected, "{number}");
    }
    assert_eq!(*count.borrow(), 4);
    assert!(devices.unsubscribe(&subscription(2).id()).await.unwrap());
    assert!(!devices.unsubscribe(&subscription(2).id()).await.unwrap());
    assert_eq!(*count.borrow(), 3);

    let at = ts("2026-11-03T08:00:00Z");
    assert!(devices.end_subscription(&subscription(5).id(), at).await.unwrap());
    let told = devices.told_devices();
    assert_eq!(told.len(), 2);
    for device in told {
        let ended = (device.id == desk.id).then_some(at);
        assert_eq!(device.push_ended, ended);
    }
    // Subscribed anew, it is as if that had not been.
    devices
        .subscribe(&desk.id, subscription(7))
        .await
        .unwrap()
        .unwrap();
    assert!(
        devices
            .told_devices()
            .iter()
            .all(|device| device.push_ended.is_none())
    );

    assert!(devices.revoke(&phone.id).await.unwrap());
    let left = devices.subscriptions();
    assert_eq!(left, [(desk.id, subscription(7))]);
    assert_eq!(*count.borrow(), 1);
}
