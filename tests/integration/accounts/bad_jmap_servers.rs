//! Servers of mail by JMAP that lie, stall, send too much, or say no after all.
//!
//! What: one clear failure each, by the worker as the service starts it; what was not asked for is not taken; the server's own bounds are kept to; news are told, and
//! a server that forgot what changed is read again without anything being there twice. Why: whoever runs the server must not be able to do more. Not here: a real server (`jmap`).

use super::{
    bad_servers::{ok, serve},
    jmap_stand_in::{JmapStandIn, jmap_request},
    mail_host::{ReadMailbox, mail_of},
};
use aura_process::source::{AccessToken, LookFailure, MailBytes, MailOrder, MailPart, OrderOutcome};
use std::sync::{Arc, Mutex};

fn json_answer(body: &str) -> String {
    ok("200 OK", "Content-Type: application/json\r\n", body)
}

fn method(name: &str, said: &str) -> String {
    json_answer(&format!("{{\"methodResponses\":[[\"{name}\",{said},\"a\"]]}}"))
}

fn reader(stand_in: &JmapStandIn) -> ReadMailbox {
    let mut request = jmap_request("http://mail.example/");
    request.request_ms = 1500;
    ReadMailbox::start(request, stand_in.start())
}

/// The texts that came.
fn words(parts: &[MailPart]) -> Vec<String> {
    let texts = parts.iter().filter_map(mail_of);
    texts
        .map(|(_, text)| text.rsplit("\r\n").next().unwrap().to_owned())
        .collect()
}

#[test]
fn servers_that_lie_or_say_no_have_one_clear_failure_each() {
    let deep = json_answer(&format!("{}{}", "[".repeat(10_000), "]".repeat(10_000)));
    let session = |api: &str| {
        json_answer(&format!(
            "{{\"capabilities\":{{\"urn:ietf:params:jmap:core\":{{}}}},\"primaryAccounts\":{{\"urn:ietf:params:jmap:mail\":\"A1\"}},\"apiUrl\":\"{api}\"}}"
        ))
    };
    let metadata = "HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/latest/meta-data\r\nContent-Length: 0\r\n\r\n";
    let elsewhere = |host: &str, path: &str| LookFailure::Elsewhere {
        host: host.to_owned(),
        path: path.to_owned(),
    };
    let large =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2147483648\r\n\r\n{\"list\":[";
    let many: Vec<String> = (0..100_000)
        .map(|n| format!("{{\"id\":\"f{n}\",\"name\":\"f{n}\"}}"))
        .collect();
    let many = method("Mailbox/get", &format!("{{\"list\":[{}]}}", many.join(",")));
    let same_for_ever = method(
        "Email/changes",
        "{\"newState\":\"7\",\"hasMoreChanges\":true,\"created\":[],\"updated\":[],\"destroyed\":[]}",
    );
    let well_known = "/.well-known/jmap";
    let cases: Vec<(&str, (&'static str, String), LookFailure)> = vec![
        (
            "2 GB of a session",
            (well_known, large.to_owned()),
            LookFailure::TooLarge,
        ),
        (
            "2 GB of mails",
            ("Email/get", large.to_owned()),
            LookFailure::TooLarge,
        ),
        ("10,000 deep", ("Mailbox/get", deep.clone()), LookFailure::Broken),
        ("a session 10,000 deep", (well_known, deep), LookFailure::Broken),
        (
            "100,000 mailboxes",
            ("Mailbox/get", many),
            LookFailure::TooManyFolders,
        ),
        (
            "metadata of a cloud",
            (well_known, metadata.to_owned()),
            elsewhere("http://169.254.169.254", "/latest/meta-data"),
        ),
        (
            "the same for what is asked",
            ("Mailbox/get", metadata.to_owned()),
            elsewhere("http://169.254.169.254", "/latest/meta-data"),
        ),
        (
            "an API elsewhere",
            (well_known, session("http://169.254.169.254/api")),
            elsewhere("http://169.254.169.254", "/.well-known/jmap"),
        ),
        (
            "nothing there",
            (well_known, ok("404 Not Found", "", "")),
            LookFailure::NoJmap,
        ),
        (
            "a page",
            (well_known, ok("200 OK", "Content-Type: text/html\r\n", "<p>")),
            LookFailure::NoJmap,
        ),
        (
            "calendars alone",
            (well_known, json_answer("{\"capabilities\":{},\"apiUrl\":\"/\"}")),
            LookFailure::NoJmap,
        ),
        (
            "a wrong password",
            (well_known, ok("401 Unauthorized", "", "")),
            LookFailure::LoginRefused,
        ),
        // The login is taken, and then each call refused.
        (
            "no to each",
            ("Mailbox/get", ok("403 Forbidden", "", "")),
            LookFailure::Refused { status: 403 },
        ),
        (
            "a token taken back",
            ("Email/query", ok("401 Unauthorized", "", "")),
            LookFailure::LoginRefused,
        ),
        (
            "no by method",
            ("Mailbox/get", method("error", "{\"type\":\"forbidden\"}")),
            LookFailure::SaysNo,
        ),
        (
            "too often",
            (
                "Email/query",
                ok("429 Too Many Requests", "Retry-After: 90\r\n", ""),
            ),
            LookFailure::TooOften { after_s: Some(90) },
        ),
        (
            "a limit of the whole request",
            (
                "Email/query",
                ok(
                    "400 Bad Request",
                    "Content-Type: application/problem+json\r\n",
                    "{\"type\":\"urn:ietf:params:jmap:error:limit\",\"limit\":\"maxConcurrentRequests\"}",
                ),
            ),
            LookFailure::TooOften { after_s: None },
        ),
        (
            "another's answer",
            ("Mailbox/get", method("Mailbox/set", "{}")),
            LookFailure::Broken,
        ),
        (
            "half an answer",
            (
                "Mailbox/get",
                "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"meth\u{2}".to_owned(),
            ),
            LookFailure::Broken,
        ),
        ("nothing", ("Mailbox/get", String::new()), LookFailure::Silent),
        (
            "no state",
            ("Email/get", method("Email/get", "{\"state\":\"\",\"list\":[]}")),
            LookFailure::Broken,
        ),
    ];
    for (name, (to, says), expected) in cases {
        let stand_in = JmapStandIn::new(&[(to, says.as_str())]);
        assert_eq!(reader(&stand_in).end().1, Some(expected), "{name}");
    }
    // What changed has no end.
    let stand_in = JmapStandIn::new(&[("Email/changes", &same_for_ever)]);
    let mut request = jmap_request("http://mail.example/");
    request.mail.as_mut().unwrap().mark = Some("7".to_owned());
    assert_eq!(
        ReadMailbox::start(request, stand_in.start()).end().1,
        Some(LookFailure::Broken)
    );
}

#[test]
fn ids_that_lie_are_passed_over_and_nothing_comes_that_was_not_asked_for() {
    let query = "{\"queryState\":\"1\",\"ids\":[\"M1\",\"M1\",\"../../x\",\"\",\"a\\r\\nb\"]}";
    let mail = |id: &str| {
        format!(
            "{{\"id\":\"{id}\",\"mailboxIds\":{{\"box-in\":true}},\"receivedAt\":\"2099-01-01T00:00:00Z\",\"headers\":[],\"textBody\":[{{\"partId\":\"1\",\"type\":\"text/plain\"}}],\"bodyValues\":{{\"1\":{{\"value\":\"of {id}\"}}}}}}"
        )
    };
    let list = format!(
        "{{\"state\":\"1\",\"list\":[{0},{0},{1}]}}",
        mail("M1"),
        mail("M9")
    );
    let stand_in = JmapStandIn::new(&[
        ("Email/query", &method("Email/query", query)),
        ("Email/get", &method("Email/get", &list)),
    ]);
    let (parts, folders) = reader(&stand_in).look();
    assert_eq!(folders.unwrap(), ["INBOX"]);
    assert_eq!(words(&parts), ["of M1"]);
}

#[test]
fn news_are_told_and_a_server_that_forgot_is_read_again_without_anything_twice() {
    let stand_in = JmapStandIn {
        tells: true,
        ..JmapStandIn::new(&[])
    };
    let mut reader = reader(&stand_in);
    let (parts, _) = reader.look();
    assert_eq!(words(&parts), ["Words of M1"]);
    stand_in.change("M2", true);
    let found = reader.until(|parts| Some(words(parts)).filter(|words| !words.is_empty()));
    assert_eq!(found, ["Words of M2"]);
    // One that goes is told as well.
    stand_in.change("M1", false);
    reader.until(|parts| {
        parts
            .iter()
            .any(|part| matches!(part, MailPart::Gone { .. }))
            .then_some(())
    });
    stand_in.forget();
    stand_in.change("M3", true);
    let found = reader.until(|parts| {
        let is_whole = parts
            .iter()
            .any(|part| matches!(part, MailPart::Folder { is_whole: true, .. }));
        assert!(!is_whole, "{parts:?}");
        Some(words(parts)).filter(|words| !words.is_empty())
    });
    assert_eq!(found, ["Words of M3"]);
    let heard = stand_in.heard();
    assert_eq!(
        heard
            .iter()
            .filter(|one| one.starts_with("/events/?types=Email&closeafter=no&ping=300"))
            .count(),
        1
    );
}

#[test]
fn draft_whose_answer_was_lost_lies_there_once_and_the_bounds_of_the_server_are_kept_to() {
    let stand_in = JmapStandIn::new(&[]);
    let mut first = reader(&stand_in);
    first.look();
    let put = || MailOrder::PutDraft {
        number: 1,
        message_id: "<aura-1@aura.invalid>".to_owned(),
        answers: Some("<M1@example.com>".to_owned()),
        message: MailBytes(b"Message-ID: <aura-1@aura.invalid>\r\n\r\nHello\r\n".to_vec()),
    };
    let OrderOutcome::Put { version } = first.ordered(put()) else {
        panic!("it was not put")
    };
    let was_there = OrderOutcome::WasThere { version };
    assert_eq!(first.ordered(put()), was_there);
    let mut second = reader(&stand_in);
    second.look();
    assert_eq!(second.ordered(put()), was_there);
    // More than the server takes at once.
    let large = MailOrder::PutDraft {
        number: 2,
        message_id: "<aura-2@aura.invalid>".to_owned(),
        answers: None,
        message: MailBytes([b"\r\n\r\n".as_slice(), &vec![b'x'; 120_000]].concat()),
    };
    assert_eq!(second.ordered(large), OrderOutcome::Refused);
    // The connection ends between the order and its answer: nobody knows, and nothing says otherwise.
    let lost = JmapStandIn::new(&[("Email/set", "\u{2}")]);
    let mut reader = reader(&lost);
    reader.look();
    assert!(matches!(reader.ordered(put()), OrderOutcome::Unknown { .. }));
    assert_eq!(lost.heard().iter().filter(|one| *one == "Email/set").count(), 1);
}

#[test]
fn token_is_shown_as_one_and_a_password_with_its_name() {
    for (token, shown) in [
        (true, "Bearer token-of-kim"),
        (false, "Basic a2ltOmNvcnJlY3QgaG9yc2UgNzc="),
    ] {
        let seen = Arc::new(Mutex::new(String::new()));
        let keep = Arc::clone(&seen);
        let at = serve(None, move |_, asked, stream| {
            keep.lock().unwrap().push_str(asked);
            let _ = stream.write_all(ok("401 Unauthorized", "", "").as_bytes());
        });
        let mut request = jmap_request("http://mail.example/");
        request.token = token.then(|| AccessToken {
            user: String::new(),
            token: "token-of-kim".to_owned(),
        });
        assert_eq!(
            ReadMailbox::start(request, at).end().1,
            Some(LookFailure::LoginRefused)
        );
        let seen = seen.lock().unwrap().clone();
        assert!(seen.contains(&format!("authorization: {shown}")), "{seen}");
    }
}
