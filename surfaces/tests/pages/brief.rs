//! The page Brief: when the next one comes, and the events of two days.
//!
//! What: the hour that is announced, events by name, and what is changed where it stands. Why: these are claims of `docs/surfaces.md`. Not here: what a brief
//! says (`render`), the page about an event (`meetings`).

use crate::{client::server, morning::ts, sections::kept};
use surfaces::render::section;
use surfaces_base::backend::{
    DisplayNames,
    meetings::{PlannedEvent, TwoDays},
    owner::{BriefObstacle, NextBrief},
};
use toolcall_schema::{ReasonCode, ids::EventId, rule::RuleName};

/// Kolkata's 07:30 is 02:00 UTC.
#[test]
fn the_brief_is_announced_for_the_hour_at_which_it_may_come() {
    let (now, zone) = (
        ts("2026-11-03T02:31:00Z"),
        surfaces_base::format::zone("Asia/Kolkata"),
    );
    let due = ts("2026-11-04T02:00:00Z");
    let rule = || BriefObstacle::Rule(RuleName::parse("show-brief-1").unwrap());
    for (against, comes, says, leads_to) in [
        (
            None,
            Some(due),
            vec!["The next brief may come from Wed 4 Nov, 07:30 on."],
            None,
        ),
        (
            Some(rule()),
            Some(ts("2026-11-04T03:30:00Z")),
            vec![
                "It is due at Wed 4 Nov, 07:30, but a rule of yours forbids it then.",
                "So it may come from Wed 4 Nov, 09:00 on.",
            ],
            Some("/settings#rules"),
        ),
        (
            Some(BriefObstacle::QuietHours),
            None,
            vec![
                "It is due at Wed 4 Nov, 07:30, but those are quiet hours.",
                "So no brief comes in the next days.",
            ],
            Some("/settings#quiet"),
        ),
    ] {
        let brief = NextBrief { due, against, comes };
        let hour = section::brief::brief_hour(&brief, now, zone);
        assert_eq!(hour.says, says);
        assert_eq!(hour.change.map(|(address, _)| address), leads_to);
    }
}

#[tokio::test]
async fn todays_and_tomorrows_events_are_named_and_lead_to_their_pages() {
    let server = server("brief").await;
    *server.double.home.lock().unwrap() = Some(crate::settings_double::home());
    let brief = server.get("/brief").await.body;
    for says in [
        "Two things today.",
        "Standup at the lake office and An event without a title clash at 09:30.",
        r#"<a class="what" href="/calendar/ev_00000000000000a1"><bdi>Standup at the lake office</bdi></a><span class="value">09:00 to 10:00</span>"#,
        "Studio &lt;4&gt;",
        "One thing tomorrow, at 10:30.",
        r#"href="/calendar/ev_00000000000000a3""#,
        // The strip and the table behind it.
        r#"data-goes="/calendar/ev_00000000000000a1""#,
        "<title>Standup at the lake office</title>",
        r#"<td><a href="/calendar/ev_00000000000000a1"><bdi>Standup at the lake office</bdi></a></td>"#,
        "The next brief may come from Wed 4 Nov, 07:30 on.",
        r#"href="/settings#brief_time">Change when the brief may come</a>"#,
    ] {
        assert!(brief.contains(says), "{says}: {brief}");
    }
    let kept = kept(&server, "/brief").await.body;
    assert!(!kept.contains("Standup") && !kept.contains("Studio"), "{kept}");
    // The machine's page says what its timer really brings.
    let machine = server.get("/ops/machine").await.body;
    assert!(
        machine.contains("a rule of yours forbids it then.")
            && machine.contains(r#"<a href="/settings#rules">Your rules</a>"#),
        "{machine}"
    );
}

#[tokio::test]
async fn the_brief_and_the_quiet_hours_are_changed_where_they_stand() {
    let server = server("brief").await;
    assert!(!server.get("/brief").await.body.contains("data-settings"));
    *server.double.home.lock().unwrap() = Some(crate::settings_double::home());
    let brief = server.get("/brief").await.body;
    for part in [
        r#"<details class="in-place"><summary>Change the hour, or the quiet hours</summary><form class="settings" data-settings"#,
        r#"id="brief_time" name="brief_time" data-as="text""#,
        r#"<fieldset class="spans" id="quiet" data-as="spans" data-name="quiet">"#,
    ] {
        assert!(brief.contains(part), "{part}: {brief}");
    }
    assert!(!brief.contains(r#"name="ceiling""#), "{brief}");
    let settings = server.get("/settings").await.body;
    for id in [r#"id="ceiling""#, r#"id="brief_time""#, r#"id="quiet""#] {
        assert_eq!(settings.matches(id).count(), 1, "{id}");
    }
    for (reason, leads_to) in [
        (ReasonCode::CapDnd, "/settings#quiet"),
        (ReasonCode::Rule, "/settings#rules"),
        (ReasonCode::CapDaily, "/settings#ceiling"),
    ] {
        {
            let mut now = server.double.view.lock().unwrap();
            now.card = None;
            now.last_silent = Some(reason);
        }
        let page = server.get("/").await.body;
        assert!(page.contains(&format!("href=\"{leads_to}\"")), "{reason}: {page}");
    }
}

/// The brief, its card and its why lead to the field of its hour.
#[tokio::test]
async fn the_hour_of_the_brief_is_one_tap_from_where_it_is_told() {
    let server = server("brief").await;
    *server.double.home.lock().unwrap() = Some(crate::settings_double::home());
    let trace = server
        .double
        .view
        .lock()
        .unwrap()
        .card
        .as_ref()
        .unwrap()
        .decision
        .trace_id
        .clone();
    for path in [
        "/brief".to_owned(),
        "/fragment/now".to_owned(),
        format!("/fragment/trace/{trace}"),
    ] {
        let page = server.get(&path).await.body;
        assert!(page.contains(r#"href="/settings#brief_time""#), "{path}: {page}");
    }
}

/// What lasts all day is counted by the brief and by the day beside it.
#[test]
fn a_day_counts_what_lasts_all_day() {
    let zone = surfaces_base::format::zone("Asia/Kolkata");
    let event = |id: u32, start: &str, end: &str, all_day| PlannedEvent {
        id: EventId::parse(&format!("ev_{id:016}")).unwrap(),
        start: ts(start),
        end: ts(end),
        all_day,
        place: None,
    };
    // Midnight in Kolkata is 18:30 UTC.
    let mut days = TwoDays {
        at: ts("2026-11-03T02:31:00Z"),
        events: vec![
            event(1, "2026-11-02T18:30:00Z", "2026-11-03T18:30:00Z", true),
            event(2, "2026-11-03T03:30:00Z", "2026-11-03T04:30:00Z", false),
            event(3, "2026-11-03T18:30:00Z", "2026-11-04T18:30:00Z", true),
        ],
        conflicts: vec![],
    };
    let names = DisplayNames::default();
    let blocks = section::two_days::blocks(&days, &names, zone);
    assert_eq!(blocks[0].says, ["Two things today."]);
    let hours: Vec<&str> = blocks[0].items.iter().map(|item| item.value.as_str()).collect();
    assert_eq!(hours, ["all day", "09:00 to 10:00"]);
    assert_eq!(blocks[1].says, ["One thing tomorrow, all day."]);
    days.events
        .push(event(4, "2026-11-04T05:00:00Z", "2026-11-04T05:30:00Z", false));
    let blocks = section::two_days::blocks(&days, &names, zone);
    assert_eq!(blocks[1].says, ["Two things tomorrow. The first is at 10:30."]);
}

/// Three weeks away: that they began three days ago is known by now.
#[test]
fn of_an_event_that_began_before_today_the_end_is_said() {
    let zone = surfaces_base::format::zone("Asia/Kolkata");
    let event = |id: u32, start: &str, end: &str| PlannedEvent {
        id: EventId::parse(&format!("ev_{id:016}")).unwrap(),
        start: ts(start),
        end: ts(end),
        all_day: false,
        place: None,
    };
    let days = TwoDays {
        at: ts("2026-11-03T02:31:00Z"),
        events: vec![
            event(1, "2026-10-31T03:30:00Z", "2026-11-21T05:30:00Z"),
            event(2, "2026-11-02T16:30:00Z", "2026-11-03T01:30:00Z"),
            event(3, "2026-11-03T16:30:00Z", "2026-11-04T01:30:00Z"),
        ],
        conflicts: vec![],
    };
    let blocks = section::two_days::blocks(&days, &DisplayNames::default(), zone);
    let hours: Vec<&str> = blocks[0].items.iter().map(|item| item.value.as_str()).collect();
    assert_eq!(
        hours,
        [
            "until Sat 21 Nov, 11:00",
            "until 07:00",
            "22:00 to Wed 4 Nov, 07:00"
        ]
    );
}

/// The brief and *Now* count who waits in one place: as it is now.
#[tokio::test]
async fn the_brief_counts_who_waits_as_now_does() {
    let server = server("brief").await;
    let brief = server.get("/brief").await.body;
    let row =
        r#"<a class="what" href="/chats/waiting">Waiting for your answer</a><span class="value">4</span>"#;
    assert!(brief.contains(row), "{brief}");
    // When it was put together, two waited.
    assert!(!brief.contains("2 messages wait"), "{brief}");
    server.double.view.lock().unwrap().card = None;
    let now = server.get("/").await.body;
    assert!(now.contains("4 messages wait for your answer"), "{now}");
}
