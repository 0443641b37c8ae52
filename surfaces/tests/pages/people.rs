//! People and chats: the list, the page about one, and what leads there.

use crate::{
    client::{Answer, Server, server},
    morning::{silent_trace, ts},
    people_double::{ASHA, FORGOTTEN},
};
use serde_json::json;
use std::sync::Arc;
use surfaces::render::section::known_rows::known_sorts;
use surfaces_base::backend::{DisplayNames, people::KeptAbout};
use toolcall_schema::{
    ReasonCode,
    catalogue::{allowed_spending::AllowedSpending, correspondent::SamePeopleRow, learning::LearnedThing},
    ids::ItemId,
    rule::OwnerRule,
};

const CHAT: &str = "ch_00000000000000c3";
const DENTIST: &str = "pe_0000000000000002";

async fn find(server: &Server, body: &serde_json::Value) -> Answer {
    server.post("/form/people/find", &body.to_string()).await
}

/// Names with what stands beside them.
fn give_names(server: &Server, pairs: &[(&str, &str)]) {
    let pairs = pairs
        .iter()
        .map(|(id, name)| ((*id).to_owned(), (*name).to_owned()));
    *server.double.labels.lock().unwrap() = pairs.collect();
}

#[tokio::test]
async fn the_list_names_the_loudest_first_and_finds_by_a_part_of_a_name() {
    let server = server("brief").await;
    give_names(
        &server,
        &[
            (ASHA, "Asha <script>alert(1)</script>"),
            (CHAT, "Garden committee"),
        ],
    );
    let page = server.get("/people").await;
    assert_eq!(page.status, 200);
    let places: Vec<usize> = ["Garden committee", "Asha &lt;script&gt;", "My dentist"]
        .iter()
        .map(|name| {
            page.body
                .find(name)
                .unwrap_or_else(|| panic!("{name}: {}", page.body))
        })
        .collect();
    assert!(places.is_sorted(), "{places:?}");
    assert!(!page.body.contains("<script>alert"), "{}", page.body);
    for (body, found, not) in [
        (json!({"name": "GARDEN"}), "412 messages", "My dentist"),
        (
            json!({"whom": "people", "order": "recent"}),
            "31 messages",
            "Garden",
        ),
        // The next page, which a name is not looked for in.
        (json!({"behind": "2"}), "My dentist", "Garden"),
        (
            json!({"behind": "2", "name": "GARDEN"}),
            "412 messages",
            "My dentist",
        ),
        (
            json!({"name": "miriam"}),
            "I remember nobody of that name.",
            "Garden",
        ),
    ] {
        let answer = find(&server, &body).await;
        assert!(
            answer.body.contains(found) && !answer.body.contains(not),
            "{body}: {}",
            answer.body
        );
    }
    for bad in [
        json!({"whom": "shops"}),
        json!({"order": "oldest"}),
        json!({"name": "x".repeat(101)}),
        json!({"more": 1}),
    ] {
        assert_eq!(find(&server, &bad).await.status, 400, "{bad}");
    }
}

#[tokio::test]
async fn who_waits_is_found_though_their_message_was_never_counted() {
    let server = server("brief").await;
    give_names(
        &server,
        &[
            (FORGOTTEN, "Ben Okoro"),
            ("it_0000000000000002", "Ben Okoro"),
            (CHAT, "Garden committee"),
        ],
    );
    let page = server.get("/people").await.body;
    let row = format!("<a class=\"what\" href=\"/people/{FORGOTTEN}\"><bdi>Ben Okoro</bdi></a>");
    assert_eq!(page.matches(&row).count(), 1, "{page}");
    assert!(
        page.contains("<span class=\"value\">waits for your answer</span>"),
        "{page}"
    );
    // Whoever is counted already stands there once.
    assert_eq!(page.matches("Garden committee").count(), 1, "{page}");
    for (body, is_found) in [
        (json!({"name": "okoro"}), true),
        (json!({"whom": "people"}), true),
        (json!({"whom": "chats"}), false),
    ] {
        let answer = find(&server, &body).await;
        assert_eq!(
            answer.body.contains("Ben Okoro"),
            is_found,
            "{body}: {}",
            answer.body
        );
    }
    let found = server.post("/form/palette/find", r#"{"name":"okoro"}"#).await;
    assert!(found.body.contains("Ben Okoro"), "{}", found.body);
}

#[tokio::test]
async fn two_of_one_name_are_told_apart_by_what_they_write() {
    let server = server("brief").await;
    give_names(
        &server,
        &[
            (ASHA, "Asha Rao"),
            (DENTIST, "Asha Rao"),
            (CHAT, "Garden committee"),
        ],
    );
    let page = server.get("/people").await.body;
    for says in [
        "By mail. Last seen",
        // The owner's own name stands before others.
        "On WhatsApp. Last seen",
        "<bdi>Garden committee</bdi>",
        "A chat on WhatsApp. ",
    ] {
        assert!(page.contains(says), "{says}: {page}");
    }
    // In who waits: a chat that is called as whoever writes in it says by its program what it is.
    give_names(
        &server,
        &[
            ("it_00000000000000b2", "Asha Rao"),
            (CHAT, "Asha Rao"),
            ("it_0000000000000002", "Asha Rao"),
            ("ch_00000000000000c4", "mail:Inbox"),
        ],
    );
    let chats = server.get("/chats").await.body;
    for says in ["Asks the group. On WhatsApp.", "Asks you something. By mail."] {
        assert!(chats.contains(says), "{says}: {chats}");
    }
}

#[tokio::test]
async fn a_page_says_who_it_is_how_loud_what_stands_and_all_that_is_kept() {
    let server = server("brief").await;
    give_names(&server, &[(ASHA, "Asha Rao"), (CHAT, "Garden committee")]);
    let page = server.get(&format!("/people/{ASHA}")).await.body;
    for says in [
        ">Asha Rao</h1>",
        "So your contacts say.",
        "2 addresses and numbers count as this one, by your contacts or because you said so.",
        "4 messages",
        "31 messages",
        "1, the oldest since 06:00",
        "9 of the 31 messages that I have counted, within 20 minutes as a rule",
        "Writes in",
        &format!("href=\"/people/{CHAT}\""),
        "31 messages in Garden committee on Mon 2 Nov.",
        "2 entries name them: 1 note, 1 count of who wrote. If you take a copy of everything, they are in it.",
        &format!("value=\"{ASHA}\""),
        "Only news: Asha Rao",
    ] {
        assert!(page.contains(says), "{says}: {page}");
    }
    // The browser's history keeps a title.
    assert!(page.contains("<title>Aura: People and chats</title>"), "{page}");
    assert!(
        page.contains(&format!("data-mute=\"{ASHA}\" data-for=\"8h\"")),
        "{page}"
    );
    let log = server.double.log.borrow().clone();
    assert!(log.contains(&format!("kept about {ASHA}")), "{log:?}");

    let chat = server.get(&format!("/people/{CHAT}")).await.body;
    for says in [
        "Muted until",
        &format!("data-unmute=\"{CHAT}\""),
        "Not about Garden committee",
        "I will not say anything about Garden committee any more.",
        "Who writes here",
        "412 messages, 3 wanted something of you.",
        "/trace/tr_brief0000001",
        "The morning brief (shown).",
    ] {
        assert!(chat.contains(says), "{says}: {chat}");
    }
    let dentist = server.get(&format!("/people/{DENTIST}")).await.body;
    // What another program is called is not known.
    assert!(
        dentist.contains("<p class=\"says\">On WhatsApp.</p>"),
        "{dentist}"
    );
    for says in [
        "You call them so.",
        "You call it My dentist.",
        "Take your name away",
        "data-again-ms",
        // What Comms will say has its row already: none comes between buttons and who reaches for them.
        "<span class=\"value\">…</span>",
        "<bdi>Waiting for your answer</bdi>",
    ] {
        assert!(dentist.contains(says), "{says}: {dentist}");
    }
}

#[tokio::test]
async fn who_is_always_let_through_is_said_first_and_taken_back_where_rules_stand() {
    let server = server("brief").await;
    give_names(&server, &[(ASHA, "Asha Rao"), (CHAT, "Garden committee")]);
    let button = format!("data-let-through=\"{ASHA}\" data-always=\"true\"");
    let page = server.get(&format!("/people/{ASHA}")).await.body;
    for says in [
        button.as_str(),
        "Always let Asha Rao through",
        "I tell you of a message from Asha Rao that wants an answer even when I would keep quiet about it. Still at most 3 cards a day in all, and never \
         in quiet hours, in a pause, or against a mute or another rule of yours.",
    ] {
        assert!(page.contains(says), "{says}: {page}");
    }
    assert!(!page.contains("You always let"), "{page}");
    let back = format!("data-let-through=\"{CHAT}\" data-always=\"false\"");
    let rule = "You always let Garden committee through.";
    let chat = server.get(&format!("/people/{CHAT}")).await.body;
    let (_, known) = chat.split_once("id=\"known\"").unwrap();
    assert!(chat.contains(&back) && known.contains(rule), "{chat}");
    assert!(
        chat.contains("a message in Garden committee that wants"),
        "{chat}"
    );
    for path in ["/settings", "/history"] {
        let page = server.get(path).await.body;
        assert!(
            page.contains("Always let through") && page.contains(&back) && page.contains(rule),
            "{path}: {page}"
        );
        assert!(!page.contains("You have no rule"), "{path}: {page}");
    }
}

#[tokio::test]
async fn who_is_the_same_person_is_found_by_name_said_and_taken_back_where_rules_stand() {
    let server = server("brief").await;
    give_names(
        &server,
        &[(ASHA, "Asha Rao"), (DENTIST, "A. Rao"), (CHAT, "Rao family")],
    );
    let page = server.get(&format!("/people/{ASHA}")).await.body;
    let form = format!("data-post=\"/form/people/{ASHA}/same\"");
    for says in [
        "The same person as …",
        form.as_str(),
        "From then on both count as one person",
    ] {
        assert!(page.contains(says), "{says}: {page}");
    }
    let chat = server.get(&format!("/people/{CHAT}")).await.body;
    assert!(!chat.contains("The same person as"), "{chat}");

    // The dentist is called so by the owner; chats and Asha herself are not offered.
    let look_for = |name: &str| json!({ "name": name }).to_string();
    let path = format!("/form/people/{ASHA}/same");
    let found = server.post(&path, &look_for("dentist")).await.body;
    let button = format!("data-same=\"{ASHA}\" data-other=\"{DENTIST}\" data-is=\"true\"");
    assert!(found.contains(&button), "{found}");
    let nobody = server.post(&path, &look_for("rao")).await.body;
    assert!(!nobody.contains("data-same"), "{nobody}");
    let empty = server.post(&path, &look_for("  ")).await.body;
    assert!(empty.contains("Type a part of their name first."), "{empty}");
    let long = server.post(&path, &look_for(&"a".repeat(101))).await;
    assert_eq!(long.status, 400);
    let nowhere = server.post("/form/people/asha/same", &look_for("a")).await;
    assert_eq!(nowhere.status, 404);

    let set = format!("/v1/people/{ASHA}/same");
    for (body, status) in [
        (json!({ "other": DENTIST, "same": true }), 200),
        (json!({ "other": CHAT, "same": true }), 400),
        (json!({ "other": DENTIST }), 400),
    ] {
        let answer = server.post(&set, &body.to_string()).await;
        assert_eq!(answer.status, status, "{body}: {}", answer.body);
    }
    let said =
        r#"end SamePerson(PersonHash("pe_0000000000000001"), PersonHash("pe_0000000000000002"), true) None"#;
    let log = server.log();
    assert!(log.iter().any(|line| line == said), "{log:?}");

    let id = |text: &str| toolcall_schema::ids::PersonHash::parse(text).unwrap();
    server.double.same.lock().unwrap().push(SamePeopleRow {
        person: id(ASHA),
        other: id(DENTIST),
        first: id(ASHA),
    });
    let back = format!("data-same=\"{ASHA}\" data-other=\"{DENTIST}\" data-is=\"false\"");
    let rule = "You said that A. Rao is the same person as Asha Rao.";
    let page = server.get(&format!("/people/{ASHA}")).await.body;
    let (_, known) = page.split_once("id=\"known\"").unwrap();
    assert!(page.contains(&back) && known.contains(rule), "{page}");
    // What was kept of both is said of one: two rows of each.
    assert!(known.contains("data-total=\"4\""), "{known}");
    for path in ["/settings", "/history"] {
        let page = server.get(path).await.body;
        assert!(page.contains(&back) && page.contains(rule), "{path}: {page}");
    }
    let list = find(&server, &json!({ "name": "", "whom": "people" })).await.body;
    assert!(list.contains(ASHA) && !list.contains(DENTIST), "{list}");
    assert!(list.contains("33 messages"), "{list}");
}

#[tokio::test]
async fn spending_that_is_usual_stands_among_the_rules() {
    let server = server("brief").await;
    for path in ["/settings", "/history"] {
        let page = server.get(path).await.body;
        assert!(!page.contains("is usual to you"), "{path}: {page}");
    }
    server.double.usual.lock().unwrap().push(AllowedSpending {
        category: toolcall_schema::Category::Groceries,
        day: chrono::NaiveDate::from_ymd_opt(2026, 11, 3).unwrap(),
        allowed: true,
        upto: rust_decimal::Decimal::new(450_000, 2),
        currency: "INR".to_owned(),
    });
    for path in ["/settings", "/history"] {
        let page = server.get(path).await.body;
        for says in [
            "Up to ₹4,500.00 a day for groceries is usual to you.",
            "data-usual=\"groceries\" data-day=\"2026-11-03\" data-is=\"false\"",
        ] {
            assert!(page.contains(says), "{path} {says}: {page}");
        }
    }
    for (path, body, status) in [
        (
            "/v1/spending/groceries/usual",
            r#"{"day":"2026-11-03","usual":true}"#,
            200,
        ),
        (
            "/v1/spending/groceries/usual",
            r#"{"day":"2026-02-30","usual":true}"#,
            400,
        ),
        (
            "/v1/spending/cars/usual",
            r#"{"day":"2026-11-03","usual":true}"#,
            404,
        ),
    ] {
        let answer = server.post(path, body).await;
        assert_eq!(answer.status, status, "{path} {body}: {}", answer.body);
    }
}

#[tokio::test]
async fn other_addresses_and_messages_lead_to_their_person_and_what_is_gone_says_so() {
    let server = server("brief").await;
    for other in ["pe_0000000000000003", "it_00000000000000b2"] {
        let answer = server.get(&format!("/people/{other}")).await;
        assert_eq!(answer.status, 303, "{other}");
        assert!(
            answer
                .head
                .to_lowercase()
                .contains(&format!("location: /people/{ASHA}")),
            "{}",
            answer.head
        );
    }
    let (nothing, unsaid) = ("I keep nothing about them", "I cannot say who sent it");
    for (gone, says) in [
        ("pe_00000000000000ff", nothing),
        ("ch_00000000000000ff", nothing),
        // Whether there is such a message Comms alone knows, and it does not say.
        ("it_00000000000000ff", unsaid),
        ("ev_00000000000000ff", nothing),
        ("Miriam", nothing),
        ("pe_1", nothing),
    ] {
        let answer = server.get(&format!("/people/{gone}")).await;
        assert_eq!(answer.status, 404, "{gone}");
        assert!(answer.body.contains(says), "{gone}: {}", answer.body);
    }
    // A page that is open stays, so that it can say what was forgotten, and offers nothing about nobody.
    let path = format!("/people/{}?open=true&c=7", crate::people_double::FORGOTTEN);
    let forgotten = server.get(&path).await.body;
    assert!(
        forgotten.contains("I keep nothing about them") && forgotten.contains("You had me forget this"),
        "{forgotten}"
    );
    for offered in ["data-mute", "data-let-through", "data-correct"] {
        assert!(!forgotten.contains(offered), "{offered}: {forgotten}");
    }
    let open = server.get("/people/pe_00000000000000ff?open=true&c=7").await;
    assert_eq!(open.status, 200);
    assert!(
        open.body.contains("I keep nothing that names them."),
        "{}",
        open.body
    );
}

#[tokio::test]
async fn a_mail_that_waits_is_opened_in_the_mail_program_by_its_id() {
    let server = server("brief").await;
    give_names(
        &server,
        &[
            ("it_0000000000000002", "Asha"),
            ("ch_00000000000000c4", "mail:Inbox"),
        ],
    );
    let chats = server.get("/chats").await.body;
    // The other one is in a chat.
    assert_eq!(chats.matches("href=\"/mail/").count(), 1, "{chats}");
    assert!(
        chats.contains("href=\"/mail/it_0000000000000002\" aria-label=\"Open the mail: Asha\""),
        "{chats}"
    );
    let opened = server.get("/mail/it_00000000000000b2").await;
    assert_eq!(opened.status, 303, "{}", opened.head);
    assert!(
        opened
            .head
            .to_lowercase()
            .contains("location: mid:ca+1=x%2fy%3fz@mail.example.net"),
        "{}",
        opened.head
    );
    // It lies no longer where it was read, and its sender still waits: the row says so, and leads to no mail program.
    let names = server.double.labels.lock().unwrap().clone();
    *server.double.labels.lock().unwrap() = names.with_gone([ItemId::parse("it_0000000000000002").unwrap()]);
    for path in ["/chats", "/chats/waiting", "/fragment/now"] {
        let page = server.get(path).await.body;
        assert_eq!(
            page.matches("The mail is no longer where I read it.").count(),
            1,
            "{path}: {page}"
        );
        assert!(
            !page.contains("href=\"/mail/")
                && page.contains("data-done-with=\"it_0000000000000002\" data-as=\"done\""),
            "{path}: {page}"
        );
    }
    let moved = server.get("/mail/it_0000000000000002").await;
    assert_eq!(moved.status, 404);
    for says in [
        "This mail is no longer where I read it",
        "data-done-with=\"it_0000000000000002\"",
        "Asha",
    ] {
        assert!(moved.body.contains(says), "{says}: {}", moved.body);
    }
    // Nobody waits there any more.
    let gone = server.get("/mail/it_00000000000000ff").await;
    assert_eq!(gone.status, 404);
    assert!(gone.body.contains("I cannot find this mail now"), "{}", gone.body);
    assert_eq!(server.get("/mail/asha").await.status, 404);
}

#[tokio::test]
async fn a_chat_is_muted_for_one_of_three_times() {
    let server = server("brief").await;
    for (long, seconds) in [("1h", 3600), ("8h", 28_800), ("24h", 86_400)] {
        let answer = server
            .post(&format!("/v1/mutes/{CHAT}"), &json!({"for": long}).to_string())
            .await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        let log = server.double.log.borrow().clone();
        assert!(
            log.iter()
                .any(|line| line.contains("end Mute(") && line.contains(&seconds.to_string())),
            "{log:?}"
        );
    }
    for (path, body, status) in [
        (CHAT, json!({"for": "1y"}), 400),
        (CHAT, json!({}), 400),
        ("garden", json!({"for": "1h"}), 404),
    ] {
        let answer = server.post(&format!("/v1/mutes/{path}"), &body.to_string()).await;
        assert_eq!(answer.status, status, "{path} {body}");
    }
}

#[tokio::test]
async fn a_person_is_muted_on_their_page_and_the_page_says_until_when() {
    let server = server("brief").await;
    give_names(&server, &[(ASHA, "Asha")]);
    let page = server.get(&format!("/people/{ASHA}")).await.body;
    assert!(
        page.contains(&format!("data-mute=\"{ASHA}\" data-for=\"8h\""))
            && page.contains("Mute Asha for 8 hours"),
        "{page}"
    );
    let answer = server.post(&format!("/v1/mutes/{ASHA}"), r#"{"for":"8h"}"#).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let rule: OwnerRule = serde_json::from_str(&answer.body).unwrap();
    let now = server.double.view.lock().unwrap().at;
    let (person, until) = rule.muted_person().unwrap();
    assert_eq!((person.as_str(), until.since(now)), (ASHA, 8 * 3_600_000));

    server.double.view.lock().unwrap().rules = vec![rule.clone()];
    let page = server.get(&format!("/people/{ASHA}")).await.body;
    for says in [
        "Muted until",
        &format!("data-unmute=\"{ASHA}\""),
        "Muted, I do not speak of what Asha writes",
    ] {
        assert!(page.contains(says), "{says}: {page}");
    }
    // Whoever looks for what is muted looks on Chats.
    let chats = server.get("/chats").await.body;
    let (_, muted) = chats.split_once("id=\"muted\"").unwrap();
    let (muted, _) = muted.split_once("</section>").unwrap();
    for says in ["<bdi>Asha</bdi>", "until ", &format!("data-unmute=\"{ASHA}\"")] {
        assert!(muted.contains(says), "{says}: {muted}");
    }
    // What you did says until when, not only that it ends.
    let done = server.get("/history").await.body;
    assert!(done.contains("Nothing about Asha until "), "{done}");
    // It is said once, and not among the other rules.
    assert!(!page.contains("Your rules about it"), "{page}");
    // Once more takes its place.
    let again = server
        .post(&format!("/v1/mutes/{ASHA}"), r#"{"for":"24h"}"#)
        .await;
    let again: OwnerRule = serde_json::from_str(&again.body).unwrap();
    assert_eq!(again.name, rule.name);
    let ended = server.post(&format!("/v1/mutes/{ASHA}/end"), "").await;
    assert_eq!(ended.status, 200, "{}", ended.body);
    let ended = server.post(&format!("/v1/mutes/{DENTIST}/end"), "").await;
    assert_eq!(ended.status, 404, "{}", ended.body);
}

#[tokio::test]
async fn names_elsewhere_lead_to_the_page() {
    let server = server("mute").await;
    give_names(&server, &[(CHAT, "Garden committee"), (ASHA, "Asha")]);
    for (path, link) in [
        ("/chats", format!("/people/{CHAT}")),
        ("/chats", "/people/it_00000000000000b2".to_owned()),
        ("/chats", format!("/people/{ASHA}")),
        ("/chats", "href=\"/people\"".to_owned()),
        ("/", format!("/people/{CHAT}")),
        ("/settings", "href=\"/people\"".to_owned()),
    ] {
        let page = server.get(path).await.body;
        assert!(page.contains(&link), "{path} {link}: {page}");
    }
}

#[test]
fn what_was_decided_about_an_event_is_not_told_of_a_chat() {
    let told = |subject: &str| {
        let mut trace = silent_trace();
        trace.reason_code = Some(ReasonCode::CapWindow);
        let decision = Arc::make_mut(&mut trace.decision);
        decision.ts = ts("2026-11-03T02:30:00Z");
        let one = json!({
            "kind": "DECLINE_EVENT", "subject": subject, "agent": "calendar", "class": "time-critical", "confidence": 0.8,
            "removed": "cap_window",
        });
        decision.candidates = vec![serde_json::from_value(one).unwrap()];
        let kept = KeptAbout {
            traces: vec![trace],
            traces_all: 1,
            ..KeptAbout::default()
        };
        let now = (ts("2026-11-03T03:00:00Z"), chrono_tz::Asia::Kolkata);
        let chat = LearnedThing::parse(CHAT).unwrap();
        known_sorts(&chat, &kept, &DisplayNames::default(), now)[0].rows[0]
            .says
            .clone()
    };
    // 02:30 in UTC is 08:00 there.
    assert_eq!(
        told("ev_00000000000000a1"),
        "08:00: weighed beside something else."
    );
    assert_eq!(
        told("ch_00000000000000ff"),
        "08:00: weighed beside something else."
    );
    assert!(
        told(CHAT).starts_with("08:00: Draft a decline was held back."),
        "{}",
        told(CHAT)
    );
}
