//! Settings, and kinds of cards, that are tried on the last 30 days.
//!
//! What: what a trial shows, what puts it into force, and what takes that back. Not here: deciding days again (`orchestrator`), the page in a browser
//! (`tests/browser/settings.rs`).

use crate::{
    client::send,
    morning::ts,
    settings::{code, owners},
};
use serde_json::{Value, json};

#[tokio::test]
async fn settings_are_tried_on_the_last_days_and_nothing_else_is() {
    let server = owners(None).await;
    let (own, paired) = (server.host(), server.cookie());
    let page = server.get("/month").await.body;
    for says in [
        "What I learned from you",
        "The last 30 days",
        "data-path=\"/form/month/try\"",
        "name=\"ceiling\"",
    ] {
        assert!(page.contains(says), "{says}: {page}");
    }
    assert!(server.get("/settings").await.body.contains("href=\"/month\""));
    let shown = server.double.home.lock().unwrap().as_ref().unwrap().shown.clone();
    let tried = async |mut change: Value| {
        change["shown"] = shown.clone().into();
        send(&server, &own, &paired, "/form/month/try", &change).await
    };
    // Newest first: 14:30 without a card, and a brief at 9 in place of 7:30.
    let answer = tried(json!({ "ceiling": 2 })).await.body;
    for says in [
        "On 2 days I came 5 times. With this I would have come 4 times.",
        "Would not have come.",
        "14:30",
        "Would have come at another time",
        "07:30",
        "09:00",
    ] {
        assert!(answer.contains(says), "{says}: {answer}");
    }
    let (newer, older) = (answer.find("14:30").unwrap(), answer.find("07:30").unwrap());
    assert!(newer < older, "{answer}");
    assert!(!answer.contains("more</p>"), "{answer}");
    // The newest 20 of 27 are listed, and the others counted.
    let many = tried(json!({ "ceiling": 0 })).await.body;
    assert_eq!(many.matches("Would not have come.").count(), 20, "{many}");
    assert!(many.contains("and 7 more</p>"), "{many}");
    // What a brief would have held at another hour nobody knows, and so nothing is said of it.
    let brief = tried(json!({ "brief_time": "09:30" })).await.body;
    assert!(
        brief.contains("cannot be tried on past days") && !brief.contains("days I came"),
        "{brief}"
    );
    let both = tried(json!({ "ceiling": 2, "brief_time": "09:30" })).await.body;
    for says in [
        "cannot be tried on past days",
        "With this I would have come 4 times.",
    ] {
        assert!(both.contains(says), "{says}: {both}");
    }
    let refused = tried(json!({ "ceiling": 6 })).await.body;
    assert!(
        refused.contains("It would not be saved: ceiling is from 0 to 5"),
        "{refused}"
    );
    // A source cannot be allowed by trying it.
    let more = tried(json!({ "ceiling": 2, "allow": [{ "list": "mail", "path": "Mail" }] })).await;
    assert_eq!(more.status, 400, "{}", more.body);
    let old = json!({ "ceiling": 2, "shown": "0".repeat(64) });
    let old = send(&server, &own, &paired, "/form/month/try", &old).await;
    assert_eq!(code(&old), (409, "WEB-028".to_owned()));

    // No kind of card at all is tried in the same way, and put into force by a rule.
    let without = json!({ "kind": "NAP_15", "wish": "none", "shown": shown });
    let answer = send(&server, &own, &paired, "/form/month/kind", &without)
        .await
        .body;
    for says in [
        "On 2 days I came 5 times. With this I would have come 4 times.",
        "data-teach=\"{&quot;kind&quot;:&quot;NAP_15&quot;}\"",
        "I will not suggest a nap any more.",
    ] {
        assert!(answer.contains(says), "{says}: {answer}");
    }
    assert!(
        server
            .double
            .log
            .borrow()
            .iter()
            .any(|line| line == "try [Nap15]")
    );
    for wrong in [
        json!({ "kind": "REBOOT", "wish": "none" }),
        json!({ "kind": "NAP_15", "wish": "always" }),
        json!({ "kind": "NAP_15" }),
    ] {
        let nothing = send(&server, &own, &paired, "/form/month/kind", &wrong).await;
        assert_eq!(nothing.status, 400, "{}", nothing.body);
    }
}

#[tokio::test]
async fn month_is_over_only_for_who_had_one() {
    let server = owners(None).await;
    let leads = async |at: &str| {
        server.double.view.lock().unwrap().at = ts(at);
        let page = server.get("/").await.body;
        page.contains("A month is over") && page.contains("href=\"/month\"")
    };
    // The decisions that are kept are of 3 November, 02:15 and later.
    for (at, is_said) in [
        // Her first day, although it is the third of a month.
        ("2026-11-03T12:00:00Z", false),
        // 28 days and some hours later.
        ("2026-12-01T12:00:00Z", true),
        ("2026-12-03T12:00:00Z", true),
        // Local time is ahead of UTC: it is the 4th.
        ("2026-12-03T23:00:00Z", false),
        ("2026-12-20T12:00:00Z", false),
    ] {
        assert_eq!(leads(at).await, is_said, "{at}");
    }
}

#[tokio::test]
async fn more_or_less_of_a_kind_is_tried_saved_by_a_tap_and_taken_back_in_two_places() {
    let server = owners(None).await;
    let (own, paired) = (server.host(), server.cookie());
    let shown = server.double.home.lock().unwrap().as_ref().unwrap().shown.clone();
    // What is in force, with its way back.
    let page = server.get("/month").await.body;
    let less = "Less: Draft a reply";
    let usual = "<select name=\"kinds.DRAFT_REPLY\" data-as=\"more\" data-was=\"\" hidden><option value=\"usual\" selected>";
    for says in [
        less,
        usual,
        "As usual</button>",
        "href=\"/settings#kinds.DRAFT_REPLY\"",
    ] {
        assert!(page.contains(says), "{says}: {page}");
    }
    let settings = server.get("/settings").await.body;
    for says in [
        "More or less of a kind of card",
        "id=\"kinds.DRAFT_REPLY\"",
        "<option value=\"less\" selected>Less</option>",
    ] {
        assert!(settings.contains(says), "{says}: {settings}");
    }
    for (wish, says) in [
        ("more", "More: A 15-minute nap"),
        ("less", "Less: A 15-minute nap"),
    ] {
        let body = json!({ "kind": "NAP_15", "wish": wish, "shown": shown });
        let answer = send(&server, &own, &paired, "/form/month/kind", &body).await.body;
        let saves = format!(
            "<select name=\"kinds.NAP_15\" data-as=\"more\" data-was=\"\" hidden><option value=\"{wish}\" selected>"
        );
        for says in [
            "On 2 days I came 5 times. With this I would have come 4 times.",
            "Do that from now on</button>",
            says,
            &saves,
        ] {
            assert!(answer.contains(says), "{says}: {answer}");
        }
        let tried = format!("try {{\"kinds.NAP_15\": \"{wish}\"}}");
        assert!(server.double.log.borrow().contains(&tried), "{tried}");
    }
    // The file says something else by now.
    let old = json!({ "kind": "NAP_15", "wish": "less", "shown": "0".repeat(64) });
    let old = send(&server, &own, &paired, "/form/month/kind", &old).await;
    assert_eq!(code(&old), (409, "WEB-028".to_owned()));
    // Without a file there is the rule alone.
    *server.double.home.lock().unwrap() = None;
    let page = server.get("/month").await.body;
    assert!(
        page.contains("Not at all") && !page.contains("value=\"less\""),
        "{page}"
    );
}

#[tokio::test]
async fn a_year_without_a_card_is_told_on_every_page() {
    let server = crate::client::server("silent").await;
    let days = server.get("/history/days").await.body;
    assert!(
        days.contains("I said, did and held back nothing that fits."),
        "{days}"
    );
    let asked = json!({"words": "", "kind": "", "came": "silent", "from": "", "to": "", "before": ""});
    let silent = server.post("/form/history/find", &asked.to_string()).await.body;
    assert!(silent.contains("tr_silent000001"), "{silent}");
    let now = server.get("/fragment/now").await.body;
    assert!(
        now.contains("id=\"now\"") && !now.contains("data-card") && !now.contains("data-undo-act"),
        "{now}"
    );
    for path in [
        "/",
        "/watch",
        "/brief",
        "/chats",
        "/money",
        "/body",
        "/history",
        "/month",
        "/agenda",
        "/settings",
    ] {
        assert_eq!(server.get(path).await.status, 200, "{path}");
    }
}
