//! The owner's app: sections, what a browser keeps of them, rules tried before they are made.
//!
//! What: the sections over the double, the service worker's door, the preview of a rule. Why: these are claims of `docs/surfaces.md`.
//! Not here: the card (`live`, `render`), who may come in (`door`).

use crate::{
    client::{Answer, Server, server},
    morning::{CAPABILITY, TOKEN, brief_trace, silent_trace, spend_card, ts},
    owner_double,
};
use serde_json::{Value, json};
use std::sync::Arc;
use surfaces::render::{named, rule_trial::try_rule, section};
use surfaces_base::backend::{DisplayNames, owner::RecentCards};
use toolcall_schema::{
    ActionKind,
    rule::{OwnerRule, RuleName},
    tick::Subject,
    trace::Trace,
};

const SECTIONS: [&str; 7] = ["/", "/brief", "/chats", "/money", "/body", "/memory", "/settings"];

pub(crate) async fn kept(server: &Server, path: &str) -> Answer {
    let headers = format!("{}authorization: Bearer {TOKEN}\nx-aura-keep: 1\n", server.host());
    server.raw(&format!("GET {path}"), &headers, "").await
}

#[tokio::test]
async fn each_section_names_itself_in_the_tab_bar() {
    let server = server("brief").await;
    for path in SECTIONS {
        let body = server.get(path).await.body;
        assert!(
            body.contains(&format!(r#"<a href="{path}" aria-current="page">"#)),
            "{path}: {body}"
        );
        assert_eq!(body.matches("aria-current").count(), 1, "{path}");
        for section in SECTIONS {
            assert!(
                body.contains(&format!(r#"<a href="{section}""#)),
                "{path}: {section}"
            );
        }
        assert!(body.contains(r#"<html lang="en" dir="ltr">"#), "{path}");
    }
}

#[tokio::test]
async fn each_page_of_the_owners_leads_to_every_section_and_marks_where_it_is() {
    let server = server("brief").await;
    for (path, section, below) in [
        ("/people", "/chats", Some(("/people", "page"))),
        ("/people/pe_0000000000000001", "/chats", Some(("/people", "true"))),
        ("/people/pe_00000000000000ff", "/chats", Some(("/people", "true"))),
        ("/history", "/", Some(("/history", "page"))),
        ("/history/days", "/", Some(("/history/days", "page"))),
        ("/trace/tr_brief0000001", "/", None),
        (
            "/calendar/ev_00000000000000a1",
            "/brief",
            Some(("/agenda", "true")),
        ),
        ("/devices", "/settings", Some(("/devices", "page"))),
        ("/doctor", "/settings", None),
        ("/workflows", "/settings", Some(("/workflows", "page"))),
        ("/month", "/settings", None),
        ("/ops", "/settings", Some(("/ops", "true"))),
        ("/ops/policy", "/settings", Some(("/ops", "true"))),
    ] {
        let body = server.get(path).await.body;
        let (_, tabs) = body
            .split_once("<nav class=\"tabs\"")
            .unwrap_or_else(|| panic!("{path}: {body}"));
        let (tabs, _) = tabs.split_once("</nav>").unwrap();
        for other in SECTIONS {
            assert!(
                tabs.contains(&format!("<a href=\"{other}\"")),
                "{path}: {other}: {tabs}"
            );
        }
        assert!(
            tabs.contains(&format!("<a href=\"{section}\" aria-current=\"true\">")),
            "{path}: {tabs}"
        );
        let here = below.map(|(below, mark)| format!("href=\"{below}\" aria-current=\"{mark}\""));
        assert_eq!(
            tabs.matches("aria-current").count(),
            1 + usize::from(below.is_some()),
            "{path}"
        );
        assert!(here.is_none_or(|here| tabs.contains(&here)), "{path}: {tabs}");
    }
    // The face of a watch has no room for them, and a way back.
    let watch = server.get("/watch").await.body;
    assert!(
        watch.contains("<a href=\"/\">Back</a>") && !watch.contains("class=\"tabs\""),
        "{watch}"
    );
}

#[tokio::test]
async fn a_chat_is_muted_where_it_stands_and_where_nothing_is_read_one_sentence_says_so() {
    let server = server("brief").await;
    let chats = server.get("/chats").await.body;
    let (_, muted) = chats.split_once("id=\"muted\"").unwrap();
    let (muted, _) = muted.split_once("</section>").unwrap();
    // The chat that asks something is muted already in the double, and the other has no name.
    assert!(muted.contains("data-unmute=\"ch_00000000000000c3\""), "{muted}");
    assert!(muted.contains("<a href=\"/people\">Mute a chat</a>"), "{muted}");
    let named = [
        ("ch_00000000000000c4", "Lab"),
        ("ch_00000000000000c3", "Garden committee"),
    ];
    *server.double.labels.lock().unwrap() = named
        .map(|(id, name)| (id.to_owned(), name.to_owned()))
        .into_iter()
        .collect();
    let chats = server.get("/chats").await.body;
    assert!(
        chats
            .contains("data-mute=\"ch_00000000000000c4\" data-for=\"1h\" aria-label=\"Mute Lab for 1 hour\""),
        "{chats}"
    );
    assert!(!chats.contains("data-mute=\"ch_00000000000000c3\""), "{chats}");
    // What was muted before stands among the muted alone.
    let (_, here) = chats.split_once("id=\"mute-here\"").unwrap();
    let (here, _) = here.split_once("</ul>").unwrap();
    assert!(
        here.contains("<bdi>Lab</bdi>") && !here.contains("Garden committee"),
        "{here}"
    );
    // What a browser keeps can change nothing.
    assert!(!kept(&server, "/chats").await.body.contains("data-mute"));
}

#[tokio::test]
async fn what_is_not_known_or_not_read_is_said_so() {
    let server = server("brief").await;
    // The double's day has no sleep debt and no forecast, its only brief left Finance out.
    for (path, told) in [
        ("/brief", "Finance: not read when I decided this."),
        (
            "/money",
            r#"Tell me your balance and I can show where the month ends.</p><p class="more"><a href="/settings#balance">Add balance</a>"#,
        ),
        ("/chats", "None has ended today."),
        ("/settings", "none; my sentences are fixed ones"),
    ] {
        let body = server.get(path).await.body;
        assert!(body.contains(told), "{path}: {body}");
    }
    // A row of nothing is left out.
    let body = server.get("/body").await.body;
    assert!(
        body.contains("Slept last night") && !body.contains("Short of the sleep you want"),
        "{body}"
    );
}

#[tokio::test]
async fn a_section_says_its_figures_with_unit_range_and_origin() {
    let server = server("brief").await;
    for (path, told) in [
        // 2026-11-03T02:15:01Z and 20 minutes are 08:05 in Kolkata; the mute that is over is not named.
        (
            "/chats",
            r#"<bdi>Garden committee</bdi></a><span class="value">until 08:05</span>"#,
        ),
        (
            "/body",
            r#"<p class="figure"><strong>78</strong> <span>Load score, of 100</span></p><meter min="0" max="100" value="78" aria-hidden="true">"#,
        ),
        (
            "/body",
            r#"<meter min="0" max="1" value="0.612" aria-hidden="true">"#,
        ),
        ("/body", "usually 22.1 to 54 ms; at 08:00"),
        ("/memory", "kept for 30 days; the oldest from Mon 5 Oct"),
        ("/memory", "2.1 MB"),
        (
            "/settings",
            r#"22:00 to 07:00</span></p><p class="note" dir="auto">from your file"#,
        ),
        (
            "/settings",
            r#">3</span></p><p class="note" dir="auto">the default"#,
        ),
    ] {
        let body = server.get(path).await.body;
        assert!(body.contains(told), "{path} lacks {told}: {body}");
    }
    let chats = server.get("/chats").await.body;
    assert_eq!(chats.matches(">until ").count(), 1, "{chats}");
}

#[tokio::test]
async fn who_waits_is_named_longest_first_and_can_be_put_off_on_chats_and_on_the_card() {
    let server = server("brief").await;
    let chats = server.get("/chats").await.body;
    let at = |part: &str| chats.find(part).unwrap_or_else(|| panic!("{part}: {chats}"));
    // 00:30 UTC is 06:00 in Kolkata.
    let lab = at(r#"<bdi>the lab's mail</bdi></a><span class="value">since 06:00</span>"#);
    let nameless = at(r#"<bdi>Somebody</bdi></a><span class="value">since 06:30</span>"#);
    assert!(lab < nameless, "{chats}");
    at("Asks the group. In Garden committee.");
    at("Asks you something.");
    at(r#"data-put-off="it_00000000000000b2" aria-label="Tomorrow: the lab's mail""#);
    // The card of the brief names them, and leads to all of them.
    let now = server.get("/").await.body;
    assert!(now.contains("<bdi>the lab's mail</bdi>"), "{now}");
    // Two waited when it was made; four wait now, two of them with a row and what can be done. The day has its clash by name, and what can move.
    for says in [
        "4 messages wait for your answer:",
        r#"<summary aria-label="Deal with it: the lab's mail">Deal with it</summary>"#,
        r#"data-put-off="it_00000000000000b2""#,
        r#"<a href="/chats#waits" dir="auto">2 more messages wait</a>"#,
        "Two things today.",
        r#"<a class="what" href="/calendar/ev_00000000000000a1">"#,
        "What can move",
    ] {
        assert!(now.contains(says), "{says}: {now}");
    }
    for counted in ["2 messages wait", "Two of them clash", "pair"] {
        assert!(!now.contains(counted), "{counted}: {now}");
    }
    // Of a chat that may be muted, who would not be heard of.
    let mute = crate::client::server("mute").await.get("/").await.body;
    for says in [
        "One message waits for your answer:",
        "<bdi>the lab's mail</bdi>",
        "Until then I speak of nothing that is written there.",
    ] {
        assert!(mute.contains(says), "{says}: {mute}");
    }
}

#[tokio::test]
async fn what_was_learned_stands_on_the_page_of_chats_and_can_be_taken_back_there() {
    let chats = server("mute").await.get("/chats").await.body;
    for part in [
        "What I learned from you",
        "I learn from how you answer, and from 6 things you did so far.",
        "I treat this sender as something that needs you: you answered 6 of 12 messages.",
        "I treat this list as news: 12 messages, and you never answered.",
        r#"data-correct="ch_0000000000000007" data-class="needs_you""#,
        r#"data-correct="pe_0000000000000001" data-class="news""#,
        r#"data-unlearn="pe_0000000000000001" aria-label="Reset: Somebody you get mail from""#,
        r#"data-unlearn="all""#,
        "You wait for",
        "You asked, and there is no answer yet.",
    ] {
        assert!(chats.contains(part), "{part}: {chats}");
    }
    // Nothing was learned of whom the owner waits for: there is nothing to correct.
    assert!(
        !chats.contains(r#"data-correct="pe_0000000000000002""#),
        "{chats}"
    );
}

#[tokio::test]
async fn money_asks_what_could_not_be_read_and_whose_word_counts() {
    let server = server("mute").await;
    let money = server.get("/money").await.body;
    for part in [
        // 09:00 UTC in Kolkata.
        "From a sender, Tue 3 Nov at 14:30",
        r#"<button type="button" data-word-at="1" data-amount aria-pressed="false">12,50</button>"#,
        r#"<button type="button" data-word-at="4" aria-pressed="false">Forno</button>"#,
        r#"<button type="button" data-paid="debit">I paid this</button>"#,
        r#"<button type="button" data-paid="credit">I received this</button>"#,
        r#"<button type="button" data-paid="none">Nothing was paid</button>"#,
        "3 payments wait in KES, the newest of Mon 2 Nov. None of it counts yet.",
        r#"data-sender="ch_00000000000000d1" data-standing="counts" aria-label="Count this sender: PESABANK""#,
        r#"data-sender="ch_00000000000000d1" data-standing="not_a_bank" aria-label="Not a bank: PESABANK""#,
        r#"data-sender="ch_00000000000000d2" data-standing="undecided" aria-label="Ask me again: "#,
        r#"data-sender="ch_00000000000000d3" data-standing="undecided" aria-label="Forget its forms: "#,
    ] {
        assert!(money.contains(part), "{part}: {money}");
    }
    // The browser keeps none of it.
    let kept = kept(&server, "/money").await.body;
    for part in ["Forno", "PESABANK", "data-question", "data-sender", "KES"] {
        assert!(!kept.contains(part), "{part}: {kept}");
    }
}

#[tokio::test]
async fn the_browser_keeps_no_name_no_token_and_no_right_to_answer() {
    for scene in ["mute", "brief"] {
        let server = server(scene).await;
        let names = ["Garden committee", "Standup at the lake office", "the lab's mail"];
        let mut seen = 0;
        for path in SECTIONS {
            let live = server.get(path).await.body;
            seen += names.iter().filter(|name| live.contains(**name)).count();
            assert!(live.contains("aura-page"), "{path}");
            let answer = kept(&server, path).await;
            assert_eq!(answer.status, 200);
            for secret in names.iter().chain(&[CAPABILITY, "aura-page", TOKEN]) {
                assert!(!answer.body.contains(secret), "{scene} {path} keeps {secret}");
            }
            assert!(answer.body.contains("data-as-of=\""), "{path}");
        }
        assert!(seen > 0, "{scene}: the live pages do name something");
    }
}

#[tokio::test]
async fn the_worker_keeps_the_look_and_nothing_that_is_live() {
    let server = server("quiet").await;
    // Open, because a browser fetches them without asking the page; nothing in them is the owner's.
    for (path, kind) in [
        ("/sw.js", "text/javascript"),
        ("/manifest.webmanifest", "application/manifest+json"),
        ("/offline", "text/html"),
    ] {
        let answer = server.raw(&format!("GET {path}"), &server.host(), "").await;
        assert_eq!(answer.status, 200, "{path}");
        assert!(answer.head.contains(&format!("content-type: {kind}")), "{path}");
        assert!(answer.head.contains("cache-control: no-store"), "{path}");
        assert!(
            answer.head.contains("worker-src 'self'; manifest-src 'self'"),
            "{path}"
        );
    }
    let worker = server.get("/sw.js").await.body;
    let version = worker
        .strip_prefix("const VERSION = \"")
        .and_then(|rest| rest.split_once('"'))
        .unwrap()
        .0;
    let page = server.get("/").await.body;
    for asset in ["aura.css", "aura.js", "aura.svg"] {
        let versioned = format!("/assets/{asset}?v={version}");
        assert!(page.contains(&versioned), "{versioned}");
        assert_eq!(server.get(&versioned).await.status, 200);
    }
    // What is kept, by name; it answers a card as well, which is not kept.
    let kept: Vec<&str> = worker
        .lines()
        .filter(|line| {
            ["const ASSETS", "const SECTIONS"]
                .iter()
                .any(|name| line.starts_with(name))
        })
        .collect();
    assert_eq!(kept.len(), 2);
    for live in ["/v1", "/events", "/pair", "/fragment", "/watch"] {
        assert!(
            kept.iter().all(|line| !line.contains(live)),
            "{live} is never kept"
        );
    }
    let manifest: Value = serde_json::from_str(&server.get("/manifest.webmanifest").await.body).unwrap();
    assert_eq!(
        (
            &manifest["start_url"],
            &manifest["display"],
            &manifest["icons"][0]["sizes"]
        ),
        (&json!("/"), &json!("standalone"), &json!("any"))
    );
    // A home screen that takes no SVG, and what a finger that rests on the icon offers.
    let shortcuts = (0..3).map(|number| &manifest["shortcuts"][number]["url"]);
    for address in shortcuts.chain([&manifest["icons"][1]["src"]]) {
        assert_eq!(
            server.get(address.as_str().unwrap()).await.status,
            200,
            "{address}"
        );
    }
    let share = &manifest["share_target"];
    assert_eq!(
        (
            &share["action"],
            &share["method"],
            &share["params"]["files"][0]["name"]
        ),
        (&json!("/share"), &json!("POST"), &json!("files"))
    );
    // Without the worker nothing is taken: a post without a page's token is refused before it is read.
    let posted = server
        .raw(
            "POST /share",
            &format!("{}{}", server.host(), server.cookie()),
            "files=x",
        )
        .await;
    assert_eq!(posted.status, 403, "{}", posted.body);
    // Whoever is signed out leaves nothing behind.
    let out = server.raw("GET /pair", &server.host(), "").await;
    assert!(out.head.contains("clear-site-data: \"storage\""), "{}", out.head);
}

#[tokio::test]
async fn names_are_asked_for_what_is_shown_and_nothing_else() {
    let server = server("mute").await;
    server.get("/fragment/watch").await;
    server.get("/v1/now").await;
    server.get("/v1/traces").await;
    kept(&server, "/chats").await;
    server.get("/").await;
    let asked = server.double.named.lock().unwrap().clone();
    let asked: Vec<Value> = asked.iter().map(|ids| json!(ids)).collect();
    // The watch says which chat it means, and so does the page, which also names who waits there.
    let chat = json!(["ch_00000000000000c3"]);
    let waiting = json!(["it_00000000000000b2", "ch_00000000000000c3"]);
    assert_eq!(asked, [chat.clone(), chat, waiting]);
    // Of the spending card: the payment that began it; its category is no thing with a name.
    assert_eq!(json!(named::card(&spend_card())), json!(["tx_00000000000000d4"]));
}

fn rule(change: impl FnOnce(&mut OwnerRule)) -> OwnerRule {
    let mut rule = OwnerRule::named(RuleName::parse("tried").unwrap());
    change(&mut rule);
    rule
}

#[test]
fn a_rule_keeps_back_what_it_forbids_at_the_moment_it_was_decided() {
    let zone = surfaces_base::format::zone("Asia/Kolkata");
    let hours = |from, to| Some((chrono_time(from), chrono_time(to)));
    let shown = owner_double::shown_lately();
    for (case, rule, kept_back) in [
        (
            "a kind",
            rule(|r| r.kinds = vec![ActionKind::ShowBrief]),
            vec!["tr_brief0000001"],
        ),
        (
            "another kind",
            rule(|r| r.kinds = vec![ActionKind::Nap15]),
            vec![],
        ),
        // 17:01Z is 22:31 in Kolkata, over midnight.
        (
            "the night",
            rule(|r| r.hours = hours(22, 7)),
            vec!["tr_mute00000001"],
        ),
        // 02:15Z is 07:45 there.
        (
            "the morning",
            rule(|r| r.hours = hours(7, 8)),
            vec!["tr_brief0000001"],
        ),
        // 2026-11-02 is a Monday, the 3rd a Tuesday.
        ("Mondays", rule(|r| r.days = vec![1]), vec!["tr_brief0000001"]),
        (
            "all days",
            rule(|r| r.days = vec![1, 2]),
            vec!["tr_mute00000001", "tr_brief0000001"],
        ),
        // A rule that ends tomorrow is tried as if it had stood.
        (
            "for a time",
            rule(|r| {
                r.kinds = vec![ActionKind::ShowBrief];
                r.from = Some(ts("2026-11-03T18:00:00Z"));
                r.until = Some(ts("2026-11-04T18:00:00Z"));
            }),
            vec!["tr_brief0000001"],
        ),
    ] {
        let found = try_rule(&rule, &shown, zone);
        let ids: Vec<&str> = found.examples.iter().map(|one| one.trace_id.as_str()).collect();
        assert_eq!((found.cards, ids), (kept_back.len(), kept_back), "{case}");
        assert_eq!(found.since, ts("2026-10-04T18:30:00Z"), "{case}");
    }
    let nothing = try_rule(
        &rule(|r| r.kinds = vec![ActionKind::ShowBrief]),
        &RecentCards::default(),
        zone,
    );
    assert_eq!((nothing.cards, nothing.examples.len()), (0, 0));
}

fn chrono_time(hour: u32) -> chrono::NaiveTime {
    chrono::NaiveTime::from_hms_opt(hour, 0, 0).unwrap()
}

#[tokio::test]
async fn a_rule_is_tried_before_it_is_made_and_nothing_changes() {
    let server = server("brief").await;
    let answer = server
        .post("/v1/rules/preview", r#"{"kind":"MUTE_GROUP_30","days":[2]}"#)
        .await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let tried: Value = serde_json::from_str(&answer.body).unwrap();
    // From midnight of 5 October in Kolkata on.
    assert_eq!(
        tried,
        json!({
            "cards": 1, "since": "2026-10-04T18:30:00.000Z",
            "examples": [{"trace_id": "tr_mute00000001", "at": "2026-11-03T17:01:47.000Z", "kind": "MUTE_GROUP_30"}],
            "says": "Since Mon 5 Oct this would have kept back 1 card of 2."
        })
    );
    for (body, status) in [("{}", 400), (r#"{"kind":"SING"}"#, 400), (r#"{"days":[8]}"#, 400)] {
        assert_eq!(
            server.post("/v1/rules/preview", body).await.status,
            status,
            "{body}"
        );
    }
    assert_eq!(server.log(), Vec::<String>::new());
}

#[tokio::test]
async fn what_came_of_an_answer_is_what_the_decision_says() {
    let server = server("brief").await;
    let answer = server.get("/fragment/trace/tr_brief0000001/outcome").await;
    assert_eq!(
        (answer.status, answer.body.as_str()),
        (200, "I did it without asking, as its kind allows.")
    );
    // While it is not over there is nothing to say.
    let answer = server.get("/fragment/trace/tr_mute00000001/outcome").await;
    assert_eq!((answer.status, answer.body.contains("WEB-008")), (404, true));
}

#[test]
fn a_failure_is_told_with_its_reason() {
    let mut trace = brief_trace();
    trace.outcome = toolcall_schema::Outcome::Failed;
    trace.reason_code = Some(toolcall_schema::ReasonCode::ToolFailed);
    trace.tool_calls[0].result = None;
    trace.tool_calls[0].error = Some(toolcall_schema::result::ToolErrorCode::TooLate);
    assert_eq!(
        surfaces::render::outcome_line(&trace),
        "I tried, and it did not work. It failed, or took longer than 5 seconds. \
         What it was about is over."
    );
}

#[test]
fn a_brief_that_was_not_shown_says_what_would_stand_in_it_and_what_was_not_read() {
    let mut trace: Trace = silent_trace();
    Arc::make_mut(&mut trace.decision).agent_status.insert(
        toolcall_schema::AgentName::Calendar,
        toolcall_schema::AgentStatus::Timeout,
    );
    let standing = owner_double::standing(ts("2026-11-03T02:31:00Z"), "Asia/Kolkata");
    // What the owner had done since then asked no agent.
    let mut act = trace.clone();
    let decision = Arc::make_mut(&mut act.decision);
    decision.agent_status.clear();
    decision.signals.clear();
    let traces = [act.clone(), trace];
    // That decision counted two who waited: what is told is how many wait now.
    for (waiting, row) in [
        (None, None),
        (Some(0), None),
        (Some(14), Some(("Waiting for your answer", "14"))),
    ] {
        let blocks = section::brief::blocks(&traces, &standing, &DisplayNames::default(), false, waiting);
        let rows: Vec<(&str, &str)> = blocks[0]
            .items
            .iter()
            .map(|item| (item.name.as_str(), item.value.as_str()))
            .collect();
        let expected: Vec<(&str, &str)> = [("Messages", "12")]
            .into_iter()
            .chain(row)
            .chain([("Calendar", "not read")])
            .collect();
        assert_eq!(rows, expected, "{waiting:?}");
    }
    let nothing = &section::brief::blocks(&[act], &standing, &DisplayNames::default(), false, None)[0];
    assert_eq!((nothing.says.len(), nothing.items.len()), (1, 0));
}

#[tokio::test]
async fn the_drawer_draws_its_scores_and_states_and_offers_the_record() {
    let server = server("brief").await;
    let body = server.get("/trace/tr_brief0000001").await.body;
    for told in [
        // The score of the brief, 0.623, and the cost of its surface.
        r#"<span class="score">0.623</span><meter min="0" max="1" value="0.623" aria-hidden="true">"#,
        r#"<dd>−0.100</dd><meter min="0" max="1" value="0.100" aria-hidden="true">"#,
        r#"<details class="json" data-json="tr_brief0000001">"#,
    ] {
        assert!(body.contains(told), "{told}: {body}");
    }
    // Four states in 450 ms: 8 units each, and 608 shared: 340 ms are 459, 50 are 67, 55 are 74, 5 are 6.
    for (state, x, width) in [
        ("Listening", 0, 465),
        ("Deliberating", 467, 73),
        ("Executing", 542, 80),
        ("LoggingTrace", 624, 12),
    ] {
        let stretch = format!(r#"<rect class="{state}" x="{x}" y="0" width="{width}""#);
        assert!(body.contains(&stretch), "{stretch}: {body}");
    }
    // The other three of the seven are named too; this double's trace begins with its second state.
    assert_eq!(body.matches("<li class=\"never\">").count(), 3);
    assert_eq!(body.matches(">not entered<").count(), 2);
    assert_eq!(body.matches(">follows<").count(), 1);
}

#[tokio::test]
async fn the_drawer_says_the_end_first_then_what_would_have_changed_it_then_the_record() {
    let server = server("brief").await;
    let body = server.get("/trace/tr_brief0000001").await.body;
    let places = [
        "id=\"drawer-title\"",
        "class=\"says\"",
        "What you can do",
        "What would have changed it",
        "data-post=\"/fragment/trace/tr_brief0000001/again\"",
        "<input type=\"radio\" name=\"more\" value=\"1\" checked><span>one more</span>",
        "<legend>Time</legend><label><input type=\"radio\" name=\"later\" value=\"0\" checked><span>as it was</span>",
        "<input type=\"radio\" name=\"later\" value=\"30\"><span>half an hour later</span>",
        "<details class=\"record\"><summary>The full record",
        "Why now",
        "What I saw",
        "What I considered",
        "What I chose and why",
    ]
    .map(|told| body.find(told).unwrap_or_else(|| panic!("{told}: {body}")));
    assert!(places.is_sorted(), "{places:?}");
}

#[tokio::test]
async fn a_moment_is_decided_once_more_with_what_is_offered_and_nothing_else() {
    let server = server("brief").await;
    let path = "/fragment/trace/tr_brief0000001/again";
    let ask = |more: &str, later: &str| json!({"more": more, "later": later}).to_string();
    for (more, later, says) in [
        ("1", "0", vec!["It would have come out the same."]),
        (
            "0",
            "30",
            vec![
                "I would have said nothing.",
                "I had spoken less than 30 minutes before.",
            ],
        ),
        ("2", "240", vec!["is not kept any more, so I cannot tell."]),
    ] {
        let answer = server.post(path, &ask(more, later)).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        for said in says {
            assert!(answer.body.contains(said), "{said}: {}", answer.body);
        }
    }
    assert_eq!(
        server.log()[0],
        "again tr_brief0000001 2026-11-03T02:15:00.400+00:00 ImaginedMoment { more: 1, later_min: 0 }"
    );
    for (path, body, status) in [
        (path, ask("3", "0"), 400),
        (path, ask("1", "31"), 400),
        (path, ask("-1", "0"), 400),
        (path, "{}".to_owned(), 400),
        ("/fragment/trace/tr_nobody000001/again", ask("1", "0"), 404),
    ] {
        assert_eq!(server.post(path, &body).await.status, status, "{path} {body}");
    }
}

#[tokio::test]
async fn a_card_that_offers_a_reply_names_who_waits_and_first_whose_message_it_is_about() {
    let server = server("mute").await;
    let later = "it_0000000000000002";
    {
        let mut view = server.double.view.lock().unwrap();
        let card = view.card.as_mut().unwrap();
        let chosen = Arc::make_mut(&mut card.decision).chosen.as_mut().unwrap();
        chosen.kind = ActionKind::DraftReply;
        chosen.subject = Subject::parse(later).unwrap();
    }
    let now = server.get("/fragment/now").await.body;
    let at = |part: &str| now.find(part).unwrap_or_else(|| panic!("{part}: {now}"));
    // The other has waited half an hour longer.
    let asked = at(&format!(r#"data-put-off="{later}""#));
    let longer = at(r#"data-put-off="it_00000000000000b2""#);
    assert!(
        at("4 messages wait for your answer:") < asked && asked < longer,
        "{now}"
    );
    at(r#"<a href="/chats#waits" dir="auto">2 more messages wait</a>"#);
    // What is named is not counted besides.
    assert!(!now.contains("3 wait for your answer"), "{now}");
}
