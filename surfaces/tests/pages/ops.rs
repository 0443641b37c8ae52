//! The operator's console.
//!
//! What: what each page shows of what the backend says, its filters, dry replay and what-if. Why: whoever is called when something is wrong
//! must see it, and must not be steered by what was refused. Not here: what is true. The backend is a double.

use crate::{
    client::{proven_cookie, send, server},
    morning::TOKEN,
};
use serde_json::{Value, json};

const PAGES: [&str; 7] = [
    "/ops",
    "/ops/quarantine",
    "/ops/traces",
    "/ops/machine",
    "/ops/policy",
    "/ops/what-if",
    "/ops/ledger",
];

#[tokio::test]
async fn each_page_of_the_console_leads_to_each_other_and_says_where_it_is() {
    let server = server("brief").await;
    for path in PAGES {
        let body = server.get(path).await.body;
        for other in PAGES.iter().chain(&["/workflows"]) {
            assert!(body.contains(&format!(r#"href="{other}""#)), "{path} -> {other}");
        }
        assert!(
            body.contains(&format!(r#"href="{path}" aria-current="page""#)),
            "{path}"
        );
        assert_eq!(body.matches("aria-current=\"page\"").count(), 1, "{path}");
        assert_eq!(body.matches("<h1").count(), 1, "{path}");
    }
}

#[tokio::test]
async fn what_is_wrong_stands_first_and_each_figure_where_it_belongs() {
    let server = server("brief").await;
    {
        let (path, body) = ("/ops", server.get("/ops").await.body);
        for shown in [
            "Finance is down and being restarted.",
            // 2049 KiB are more than 2 MiB.
            r#"<th scope="row">The service</th><td data-label="Standing">runs</td><td data-label="Process id">7</td><td data-label="Memory">3 MiB</td>"#,
            r#"<th scope="row">Agent Finance</th><td data-label="Standing">rests after too many failures</td>"#,
            "it ended (signal 9)",
            r#"<th scope="row">Triggers</th><td data-label="Waiting">3</td><td data-label="At most">256</td><td data-label="Refused or dropped">1</td>"#,
            "<dt>Commits the disk did not take</dt><dd>4242</dd>",
            "Landlock ABI 4 fully, seccomp",
            "9.9.9",
        ] {
            assert!(body.contains(shown), "{path} lacks {shown}: {body}");
        }
        assert!(!body.contains("All agents answer"), "{path}");
    }
}

#[tokio::test]
async fn the_machine_shows_its_state_and_asks_again_only_while_a_tick_runs() {
    let idle = server("quiet").await;
    let body = idle.get("/ops/machine").await.body;
    assert!(body.contains(r#"<li aria-current="step">Idle"#), "{body}");
    // 02:30 in Kolkata is 08:00.
    assert!(body.contains("The last event came at 08:00."), "{body}");
    assert!(!body.contains("data-again-ms"), "{body}");
    for shown in ["The regular look</th>", "1 min 30 s", "A payment"] {
        assert!(body.contains(shown), "{shown}: {body}");
    }
    let asks = server("mute").await;
    let body = asks.get("/ops/machine").await.body;
    for shown in [
        r#"data-again-ms="1000""#,
        r#"<li aria-current="step" class="visited">Awaiting confirmation"#,
        r#"<li class="visited">Listening"#,
        "The owner is asked: Mute a chat for 30 minutes (shown).",
        // Asked at 17:01:47, looked at 17:01:49.
        "Awaiting confirmation for 2.0 s. This tick began with: A loud chat.",
    ] {
        assert!(body.contains(shown), "{shown}: {body}");
    }
    assert!(
        !body.contains(crate::morning::CAPABILITY),
        "nobody can answer from here"
    );
}

#[tokio::test]
async fn the_failing_leaf_is_marked_and_what_is_no_json_at_its_byte() {
    let server = server("brief").await;
    let body = server.get("/ops/quarantine").await.body;
    let marked =
        |text: &str| format!(r#"<mark><span class="visually-hidden">wrong here: </span>{text}</mark>"#);
    for shown in [
        format!(
            "    {}\n    &quot;z&quot;: 2\n",
            marked("&quot;ttl_seconds&quot;: -1,")
        ),
        // The comma is followed by the 12th byte, which begins no member.
        format!("{{&quot;args&quot;:{{}},{}", marked("}")),
        "It is no JSON from line 1, byte 12 on.".to_owned(),
        "It is no text (UTF-8) from byte 2 on".to_owned(),
        "writer&lt;b&gt;".to_owned(),
    ] {
        assert!(body.contains(&shown), "{shown}: {body}");
    }
}

#[tokio::test]
async fn what_was_refused_is_chosen_by_kind_code_and_agent() {
    let server = server("brief").await;
    for (query, lines) in [
        ("", 4),
        ("?kind=&code=&agent=", 4),
        ("?kind=messages", 1),
        ("?kind=results", 0),
        ("?code=GATE-009", 2),
        ("?kind=calls&agent=finance", 1),
        ("?code=GATE-009&agent=finance", 0),
        ("?trace=tr_brief0000001", 4),
        ("?trace=tr_silent000001", 0),
    ] {
        let body = server.get(&format!("/ops/quarantine{query}")).await.body;
        assert_eq!(body.matches("<p class=\"head\">").count(), lines, "{query}");
    }
    for query in [
        "?kind=letters",
        "?code=x",
        "?agent=fridge",
        "?trace=../x",
        "?word=x",
    ] {
        assert_eq!(
            server.get(&format!("/ops/quarantine{query}")).await.status,
            400,
            "{query}"
        );
    }
    let old = server.get("/quarantine").await;
    assert_eq!(old.status, 308);
    assert!(
        old.head.contains("\r\nlocation: /ops/quarantine\r\n"),
        "{}",
        old.head
    );
}

#[tokio::test]
async fn a_line_is_judged_again_and_named_by_number_and_hash() {
    let server = server("brief").await;
    let line =
        |number: &str, sha: &str| json!({"kind": "calls", "number": number, "sha256": sha}).to_string();
    let path = "/fragment/ops/quarantine/replay";
    let sha = "ab".repeat(32);
    for (body, status, said) in [
        (line("1", &sha), 200, "Still refused, for another reason:"),
        (
            line("1", &sha),
            200,
            "<code>GATE-007</code> /&lt;b&gt;: no such member",
        ),
        (line("2", &sha), 200, "It would pass today."),
        (line("9", &sha), 200, "This line was purged meanwhile"),
        (line("many", &sha), 400, "WEB-007"),
        ("{}".to_owned(), 400, "WEB-007"),
    ] {
        let answer = server.post(path, &body).await;
        assert_eq!(
            (answer.status, answer.body.contains(said)),
            (status, true),
            "{body}: {}",
            answer.body
        );
    }
    assert_eq!(server.log().len(), 4);
    assert!(
        server.log()[0].contains(&format!("kind: Calls, number: 1, sha256: {sha:?}")),
        "{:?}",
        server.log()
    );
}

#[tokio::test]
async fn decisions_are_found_by_closed_names_and_days_a_page_at_a_time() {
    let server = server("brief").await;
    // The double holds a brief that was shown and a silent look, both of 2026-11-03.
    for (query, found) in [
        ("", 2),
        ("?outcome=silent", 1),
        ("?outcome=silent&kind=SHOW_BRIEF", 0),
        ("?kind=SHOW_BRIEF&trigger=phone_unlock", 1),
        ("?reason=cap_window", 1),
        ("?from=2026-11-03&to=2026-11-03", 2),
        ("?from=2026-11-04", 0),
        ("?to=2026-11-02", 0),
        // In Kolkata the brief was at 07:45 and the look at 08:00.
        ("?from_time=07:46", 1),
        ("?to_time=08:00", 1),
        ("?from_time=08:00&to_time=07:45", 1),
        ("?order=slowest&from_time=07:45&to_time=08:01", 2),
    ] {
        let answer = server.get(&format!("/ops/traces{query}")).await;
        assert_eq!(answer.status, 200, "{query}: {}", answer.body);
        assert_eq!(
            answer.body.matches("<th scope=\"row\"><a").count(),
            found,
            "{query}"
        );
    }
    let first = server
        .get("/ops/traces?outcome=silent&from=2026-11-03")
        .await
        .body;
    assert!(
        first.contains(r#"href="/ops/traces?outcome=silent&amp;from=2026-11-03&amp;before=12" rel="next""#),
        "{first}"
    );
    assert!(
        !server
            .get("/ops/traces?before=12")
            .await
            .body
            .contains(r#"rel="next""#)
    );
    for query in [
        "?outcome=fine",
        "?from=yesterday",
        "?before=x",
        "?from_time=8",
        "?order=loudest",
        "?q=word",
        "?id=../x",
    ] {
        let status = server.get(&format!("/ops/traces{query}")).await.status;
        assert!(matches!(status, 400 | 404), "{query}: {status}");
    }
    let one = server.get("/ops/traces?id=tr_brief0000001").await;
    assert_eq!(one.status, 303);
    assert!(
        one.head.contains("\r\nlocation: /ops/traces/tr_brief0000001\r\n"),
        "{}",
        one.head
    );
}

#[tokio::test]
async fn the_policy_stands_with_its_comments_and_what_differs() {
    let body = server("brief").await.get("/ops/policy").await.body;
    for shown in [
        "one constant differs",
        "<pre># &lt;why&gt;\nthreshold = 0.5\n</pre>",
        r#"<td data-label="Built-in">0.45</td><td data-label="In force">0.5</td>"#,
        "This build&#39;s catalogue is the one accepted for this folder.",
        "comms.mute_channel",
        // A name that people know, its key as a note.
        r#"Least score that passes, itself included<br><code class="key">threshold</code>"#,
        "Mutes one channel for a time.",
    ] {
        let shown = shown.replace("&#39;", "'");
        assert!(body.contains(&shown), "{shown}: {body}");
    }
    let tools = body.matches("<th scope=\"row\"><code>").count();
    assert_eq!(tools, toolcall_schema::ToolName::ALL.len());
}

#[tokio::test]
async fn a_what_if_says_what_would_differ_or_where_the_policy_is_wrong() {
    let server = server("brief").await;
    let path = "/fragment/ops/what-if";
    let ask =
        |policy: &str, from: &str, to: &str| json!({"policy": policy, "from": from, "to": to}).to_string();
    let answer = server.post(path, &ask("threshold = 0.7", "2026-11-01", "")).await;
    for shown in [
        "One day: 2 interruptions, what if 1; 0 added, 1 removed, 0 moved, 0 changed.",
        "There was time for these days only",
        "The morning brief (0.664)",
        "<time>07:45</time>",
    ] {
        assert!(answer.body.contains(shown), "{shown}: {}", answer.body);
    }
    assert_eq!(server.log(), ["what if Some(2026-11-01) None"]);
    // What differs from the policy in force, and what puts it there.
    for shown in [
        r#"<td data-label="In force">0.5</td><td data-label="Tried">0.7</td>"#,
        "# &lt;tried&gt;\nthreshold = 0.7\n</textarea>",
        r#"<input type="checkbox" name="sure" value="yes" required>"#,
        // What comes of it takes the form's place.
        r#"<section id="put" role="status"><p class="note">"#,
    ] {
        assert!(answer.body.contains(shown), "{shown}: {}", answer.body);
    }
    // A field that says what is in force already changes nothing.
    let page = server.get("/ops/what-if").await.body;
    for named in [
        "<summary>How often, at most</summary>",
        r#"<span class="what">Between two things that are shown unasked (min)</span>"#,
        r#"<code class="key">caps.window_min</code>"#,
    ] {
        assert!(page.contains(named), "{named}: {page}");
    }
    assert!(!page.contains("set.version"), "it has one value: {page}");
    assert!(
        page.contains(r#"name="set.caps.window_min" value="30""#),
        "{page}"
    );
    let fields = json!({ "policy": "x", "set.threshold": "0.7", "set.caps.window_min": "30" }).to_string();
    assert_eq!(server.post(path, &fields).await.status, 200);
    assert_eq!(server.log()[1..], ["what if None None", "with threshold = 0.7"]);
    for unknown in ["set.kindness", "threshold"] {
        let body = json!({ "policy": "x", unknown: "1" }).to_string();
        assert_eq!(server.post(path, &body).await.status, 400, "{unknown}");
    }
    let bad = server.post(path, &ask("!", "", "")).await.body;
    assert!(
        bad.contains("<code>POLICY-001</code> line 1, column 1: no TOML: &lt;b&gt;"),
        "{bad}"
    );
    let long = "x".repeat(64 * 1024 + 1);
    for (body, status) in [
        (ask("a", "2026-11-03", "2026-11-02"), 400),
        (ask("a", "now", ""), 400),
        (ask(&long, "", ""), 413),
        (ask(&"\n".repeat(64 * 1024), "", ""), 200),
        (ask(&"\n".repeat(128 * 1024), "", ""), 413),
        ("{}".to_owned(), 400),
    ] {
        assert_eq!(
            server.post(path, &body).await.status,
            status,
            "{} bytes",
            body.len()
        );
    }
}

#[tokio::test]
async fn a_policy_is_put_into_force_by_the_owners_own_browser_once_it_is_confirmed() {
    let server = server("brief").await;
    let (host, proven) = (server.host(), proven_cookie(&server).await);
    let body = |shown: &str, sure: &str| json!({ "policy": "threshold = 0.7", "shown": shown, "sure": sure });
    let put =
        async |cookie: &str, body: Value| send(&server, &host, cookie, "/fragment/ops/policy", &body).await;
    let in_force = "a".repeat(64);
    assert_eq!(put(&server.cookie(), body(&in_force, "yes")).await.status, 403);
    assert_eq!(put(&proven, body(&in_force, "")).await.status, 400);
    let done = put(&proven, body(&in_force, "yes")).await.body;
    assert!(
        done.contains("In force, from the next tick on.") && done.contains(&"d".repeat(64)),
        "{done}"
    );
    let late = put(&proven, body("b", "yes")).await.body;
    assert!(
        late.contains("Nothing was changed; load the page anew."),
        "{late}"
    );
    let puts: Vec<String> = server
        .log()
        .into_iter()
        .filter(|line| line.starts_with("put"))
        .collect();
    assert_eq!(puts, [r#"put "threshold = 0.7""#; 2]);
}

#[tokio::test]
async fn the_book_of_a_day_stands_row_by_row_and_adds_up() {
    let server = server("brief").await;
    let body = server.get("/ops/ledger").await.body;
    for shown in [
        "It adds up: 2 free + 0 held + 1 spent − 0 given back = 3, and the day has 3.",
        "spent: it was shown",
        r#"value="2026-11-03""#,
        r#"<time id="tr_brief0000001">"#,
        r#"href="/ops/traces/tr_brief0000001""#,
    ] {
        assert!(body.contains(shown), "{shown}: {body}");
    }
    let other = server.get("/ops/ledger?day=2026-11-02").await.body;
    assert!(
        other.contains("its ceiling is not known") && other.contains("No entry on this day."),
        "{other}"
    );
    assert_eq!(server.get("/ops/ledger?day=monday").await.status, 400);
}

#[tokio::test]
async fn nobody_looks_at_the_console_without_being_signed_in_or_asks_without_the_page() {
    let server = server("brief").await;
    for path in PAGES {
        assert_eq!(
            server
                .raw(&format!("GET {path}"), &server.host(), "")
                .await
                .status,
            303,
            "{path}"
        );
    }
    let cookie = server.cookie();
    for path in [
        "/fragment/ops/what-if",
        "/fragment/ops/policy",
        "/fragment/ops/quarantine/replay",
    ] {
        let headers = format!("{}{cookie}", server.host());
        let answer = server.raw(&format!("POST {path}"), &headers, "{}").await;
        assert_eq!(answer.status, 403, "{path}");
        assert!(!answer.body.contains(TOKEN));
    }
}
