//! Under a dismissed card stands what dismissing may have meant, and one tap makes it so.

use crate::{
    client::{Server, server},
    morning::ts,
};
use surfaces::render::rule_request::RuleRequest;
use toolcall_schema::{
    ids::TraceId,
    rule::{OwnerRule, RuleName},
};

const SPEND: &str = "tr_spend0000001";
const MUTE: &str = "tr_mute00000001";
const DRAFT: &str = "tr_offer0000001";
const QUOTE: &str = "&quot;";

/// The part of a page about one act.
fn row<'a>(page: &'a str, id: &str) -> &'a str {
    let link = format!("<a class=\"what\" href=\"/trace/{id}\"");
    assert!(page.contains(&link), "no {id}: {page}");
    let (_, row) = page.split_once(&link).unwrap();
    let ends = row.find("<a class=\"what\"").unwrap_or(row.len());
    &row[..ends]
}

/// What was dismissed among the cards that asked nothing.
fn put_away(server: &Server) {
    server.double.view.lock().unwrap().untraced.dismissed = vec![TraceId::parse(SPEND).unwrap()];
}

fn stands(server: &Server, name: &str, rule: &str) -> OwnerRule {
    let request: RuleRequest = serde_json::from_str(rule).unwrap();
    let rule = request.under_name(RuleName::parse(name).unwrap());
    server.double.view.lock().unwrap().rules.push(rule.clone());
    rule
}

#[tokio::test]
async fn each_meaning_is_a_button_that_names_its_effect() {
    let server = server("dismissed").await;
    put_away(&server);
    let page = server.get("/history").await.body;
    let spend = row(&page, SPEND);
    for part in [
        "Dismissed: unusual spending on eating out and delivery.".to_owned(),
        // Closed on History: there it is looked up.
        format!(r#"<details class="meant" id="meant-{SPEND}"><summary"#),
        "data-not-now>".to_owned(),
        "That's fine".to_owned(),
        "You know about it. I go on telling you of unusual spending.".to_owned(),
        r#"data-usual="food_delivery" data-day="2026-11-03" data-is="true""#.to_owned(),
        "So much in a day is usual. I speak about eating out and delivery only when a day costs more than that one."
            .to_owned(),
        format!(
            r#"data-teach="{{{QUOTE}kind{QUOTE}:{QUOTE}SURFACE_ANOMALY{QUOTE},{QUOTE}subject{QUOTE}:{QUOTE}food_delivery{QUOTE}}}""#
        ),
        format!(
            r#"{QUOTE}hours{QUOTE}:[{QUOTE}20:00:00{QUOTE},{QUOTE}21:00:00{QUOTE}]}}" data-about="{SPEND}""#
        ),
        "I will not speak about unusual spending between 20:00 and 21:00.".to_owned(),
    ] {
        assert!(spend.contains(&part), "{part}: {spend}");
    }
    assert!(
        !spend.contains("data-correct") && !spend.contains("data-undo-act"),
        "{spend}"
    );
    let mute = row(&page, MUTE);
    assert!(
        mute.contains("I will not suggest muting Garden committee any more.")
            && mute.contains("Nothing more happens.")
            && mute.contains("between 22:00 and 23:00."),
        "{mute}"
    );
}

#[tokio::test]
async fn what_was_put_off_says_until_when_and_asks_nothing() {
    let server = server("dismissed").await;
    let spend = (TraceId::parse(SPEND).unwrap(), ts("2026-11-04T02:00:00Z"));
    {
        let mut view = server.double.view.lock().unwrap();
        (view.untraced.put_off, view.untraced.waiting) = (vec![spend.clone()], vec![spend]);
    }
    // The card came an hour before.
    let answered = ts("2026-11-03T17:05:00Z");
    let trace = TraceId::parse(SPEND).unwrap();
    server
        .double
        .view
        .lock()
        .unwrap()
        .untraced
        .at
        .insert(trace, answered);
    let page = server.get("/history").await.body;
    let spend = row(&page, SPEND);
    assert!(spend.contains("22:35 · From the card of "), "{spend}");
    let says = "Put off: unusual spending on eating out and delivery. Asked again tomorrow at 07:30.";
    assert!(spend.contains(says), "{spend}");
    assert!(!spend.contains("meant"), "{spend}");
    // Its hour has not come: it is taken back with a tap, which says what it does.
    assert!(
        spend.contains(&format!("data-undo-act=\"{SPEND}\"")) && spend.contains("Undo: I ask again now."),
        "{spend}"
    );
    let undo = format!("/v1/acts/{SPEND}/undo");
    let answer = server.post(&undo, "").await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let asked = server.double.log.borrow().join("\n");
    assert!(
        asked.contains(&format!("end UndoLater(TraceId(\"{SPEND}\"))")),
        "{asked}"
    );
    server.double.view.lock().unwrap().at = ts("2026-11-04T03:00:00Z");
    let page = server.get("/history").await.body;
    assert!(!row(&page, SPEND).contains("data-undo-act"), "{page}");
    let late = server.post(&undo, "").await;
    assert_eq!(
        (late.status, late.body.contains("CALL-007")),
        (409, true),
        "{}",
        late.body
    );
}

#[tokio::test]
async fn a_message_that_wanted_no_answer_is_let_go_by_one_tap() {
    let server = server("dismissed").await;
    {
        let mut view = server.double.view.lock().unwrap();
        view.at = ts("2026-11-03T17:11:50Z");
    }
    let page = server.get("/history").await.body;
    let draft = row(&page, DRAFT);
    for part in [
        "data-not-waiting=\"it_00000000000000b2\"",
        "no longer waits for your answer, and I offer such messages a little less.",
    ] {
        assert!(draft.contains(part), "{part}: {draft}");
    }
    assert!(!row(&page, MUTE).contains("data-not-waiting"), "{page}");
    // A day later the message is not known any more.
    server.double.view.lock().unwrap().at = ts("2026-11-04T18:00:00Z");
    let page = server.get("/history").await.body;
    assert!(!page.contains("data-not-waiting"), "{page}");
}

#[tokio::test]
async fn only_what_was_dismissed_a_moment_ago_is_asked_about_beside_the_card() {
    let server = server("dismissed").await;
    put_away(&server);
    // The spending was decided hours ago and may have been dismissed then; the chat was not muted ten minutes ago.
    let page = server.get("/").await.body;
    assert!(row(&page, MUTE).contains("open>"), "{page}");
    assert!(!page.contains(&format!("meant-{SPEND}")), "{page}");
    let dismiss = r#"{"act":"dismiss","surface":"PHONE_CARD"}"#;
    let answer = server.post("/v1/cards/c_spend0000001/answer", dismiss).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let page = server.get("/fragment/now").await.body;
    assert!(row(&page, SPEND).contains("open>"), "{page}");
    // What a browser keeps can change nothing.
    let keep = format!(
        "{}authorization: Bearer {}\nx-aura-keep: 1\n",
        server.host(),
        crate::morning::TOKEN
    );
    let kept = server.raw("GET /", &keep, "").await.body;
    assert!(!kept.contains("data-teach"), "{kept}");
}

#[tokio::test]
async fn a_card_that_was_not_dismissed_is_no_act() {
    let server = server("dismissed").await;
    let page = server.get("/history").await.body;
    assert!(!page.contains(SPEND) && page.contains(MUTE), "{page}");
    let answer = server.post(&format!("/v1/acts/{SPEND}/undo"), "").await;
    assert_eq!(answer.status, 404, "{}", answer.body);
}

#[tokio::test]
async fn a_rule_that_stands_is_told_in_the_place_of_the_offers_and_undone_newest_first() {
    let server = server("dismissed").await;
    put_away(&server);
    let undo = format!("/v1/acts/{SPEND}/undo");
    // Nothing was said yet: there is nothing to take back.
    let answer = server.post(&undo, "").await;
    assert_eq!(
        (answer.status, answer.body.contains("CALL-008")),
        (409, true),
        "{}",
        answer.body
    );
    let hour = r#"{"kind":"SURFACE_ANOMALY","hours":["20:00:00","21:00:00"]}"#;
    stands(&server, "surface-anomaly-1", hour);
    stands(&server, "no-spending", r#"{"kind":"SURFACE_ANOMALY"}"#);
    let page = server.get("/history").await.body;
    let spend = row(&page, SPEND);
    let newest = "I will not speak about unusual spending any more.";
    for part in [
        "I will not speak about unusual spending between 20:00 and 21:00.",
        &format!(r#"data-undo-act="{SPEND}" aria-label="Undo: {newest}""#),
    ] {
        assert!(spend.contains(part), "{part}: {spend}");
    }
    assert!(!spend.contains("data-teach"), "{spend}");
    for _ in 0..2 {
        let answer = server.post(&undo, "").await;
        assert!(answer.body.contains("Undone."), "{}", answer.body);
    }
    let log = server.log();
    let ended: Vec<&String> = log
        .iter()
        .filter(|line| line.starts_with("end RemoveRule"))
        .collect();
    assert_eq!(
        ended,
        [
            r#"end RemoveRule(RuleName("no-spending")) None"#,
            r#"end RemoveRule(RuleName("surface-anomaly-1")) None"#
        ]
    );
    assert!(row(&server.get("/history").await.body, SPEND).contains("data-teach"));
}

#[tokio::test]
async fn a_rule_that_says_the_same_is_not_added_again() {
    let server = server("dismissed").await;
    let body = r#"{"kind":"SURFACE_ANOMALY","hours":["23:00:00","00:00:00"]}"#;
    let rule = stands(&server, "late", body);
    let answer = server.post("/v1/rules", body).await;
    assert_eq!(
        (
            answer.status,
            serde_json::from_str::<OwnerRule>(&answer.body).unwrap()
        ),
        (200, rule)
    );
    assert!(!server.log().iter().any(|line| line.starts_with("Rule {")));
    // What says more or less is another.
    for other in [
        r#"{"kind":"SURFACE_ANOMALY"}"#,
        r#"{"hours":["23:00:00","00:00:00"]}"#,
        r#"{"kind":"SURFACE_ANOMALY","hours":["23:00:00","00:00:00"],"days":[1]}"#,
    ] {
        assert_eq!(server.post("/v1/rules", other).await.status, 201, "{other}");
    }
}

#[tokio::test]
async fn settings_name_what_a_rule_is_about() {
    let server = server("dismissed").await;
    stands(
        &server,
        "mute-group-30-1",
        r#"{"kind":"MUTE_GROUP_30","subject":"ch_00000000000000c3"}"#,
    );
    stands(
        &server,
        "surface-anomaly-1",
        r#"{"kind":"SURFACE_ANOMALY","subject":"food_delivery"}"#,
    );
    stands(&server, "one-event", r#"{"subject":"ev_0000000000000042"}"#);
    let page = server.get("/settings").await.body;
    for part in [
        "Not: Mute a chat for 30 minutes about Garden committee",
        "Not: Unusual spending about eating out and delivery",
        "Nothing about one thing",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(page.contains("href=\"/chats#learned\""), "{page}");
}

#[tokio::test]
async fn a_dismissal_of_yesterday_is_said_with_its_day() {
    let server = server("dismissed").await;
    put_away(&server);
    server.double.view.lock().unwrap().at = ts("2026-11-04T06:00:00Z");
    let page = server.get("/history").await.body;
    assert!(row(&page, SPEND).contains("Tue 3 Nov, 20:00"), "{page}");
}

/// Its interruption came back: a second tap could do nothing.
#[tokio::test]
async fn a_card_that_was_called_useful_offers_that_no_more() {
    let server = server("meeting").await;
    let useful = "data-act=\"useful\"";
    assert!(server.get("/fragment/now").await.body.contains(useful));
    server.double.view.lock().unwrap().is_refunded = true;
    let now = server.get("/fragment/now").await.body;
    assert!(
        !now.contains(useful) && now.contains("data-act=\"dismiss\""),
        "{now}"
    );
}
