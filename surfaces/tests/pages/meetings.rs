//! Before a meeting: the card, and the page about an event.

use crate::{
    client::{Server, server},
    morning::{TOKEN, silent_trace, ts},
    owner_double,
    people_double::{ALONE, ASHA, CANCELLED, MEETING, meeting_card},
};
use chrono_tz::Tz;
use std::sync::Arc;
use surfaces::{
    push,
    render::{
        card::card,
        section::event_reasons::{EventContext, EventReasons, event_reasons, past_reasons},
    },
};
use surfaces_base::backend::{DisplayNames, drafts::DeclineDraft};
use toolcall_schema::{
    ActionKind, AgentName, ReasonCode, SubmitAct, Surface,
    catalogue::{
        calendar::MeetingDescription,
        shared::{DisplayLabel, ThingId},
    },
    ids::{EventId, TraceId, sha256_hex},
    rule::{OwnerRule, RuleName},
    tick::{ReadingKey, SignalReading, Subject},
};

const MAIL: &str = "it_00000000000000b2";

fn give_names(server: &Server, pairs: &[(&str, &str)]) {
    let pairs = pairs
        .iter()
        .map(|(id, name)| ((*id).to_owned(), (*name).to_owned()));
    *server.double.labels.lock().unwrap() = pairs.collect();
}

async fn with_card(names: &[(&str, &str)]) -> Server {
    let server = server("meeting").await;
    give_names(&server, names);
    server
}

#[tokio::test]
async fn the_card_names_who_is_there_what_waits_and_where_it_is() {
    let names = [(MEETING, "Loom <demo>"), (ASHA, "Asha Rao"), (MAIL, "Asha Rao")];
    let server = with_card(&names).await;
    let now = server.get("/fragment/now").await.body;
    for says in [
        "Something in your calendar came near at 08:50.",
        "<h2 id=\"card-title\" dir=\"auto\">Loom &lt;demo&gt;</h2>",
        "<strong>09:00</strong> <span dir=\"auto\">it starts</span>",
        &format!("<a href=\"/people/{ASHA}\"><bdi>Asha Rao</bdi></a>"),
        "<bdi>\u{5d0}\u{5e1}\u{5ea}\u{5e8} &lt;b&gt;</bdi>",
        "and 12 more",
        "Studio &lt;4&gt;",
        "22 min to get there.",
        &format!("href=\"/people/{MAIL}\""),
        "since 06:00",
        &format!("href=\"/calendar/{MEETING}\""),
        "data-act=\"useful\"",
        "data-act=\"dismiss\"",
    ] {
        assert!(now.contains(says), "{says}: {now}");
    }
    // Who never wrote has no page, and what stands in words does not stand in numbers beside it.
    assert!(
        !now.contains("pe_0000000000000009") && !now.contains("With 14 others"),
        "{now}"
    );
    // Leaving in time lies behind.
    assert!(!now.contains("Leave by"), "{now}");

    // The copy for the browser's disk asks nobody and names nobody.
    let headers = format!("{}authorization: Bearer {TOKEN}\nx-aura-keep: 1\n", server.host());
    let kept = server.raw("GET /", &headers, "").await.body;
    assert!(
        kept.contains("With 14 others.")
            && kept.contains("About this event")
            && !kept.contains("Asha")
            && !kept.contains("Studio"),
        "{kept}"
    );
}

#[tokio::test]
async fn a_card_that_offers_a_decline_says_for_what_and_leads_to_what_is_free() {
    let server = server("mute").await;
    give_names(&server, &[(MEETING, "Design sync"), (ALONE, "Loom <demo>")]);
    {
        let mut view = server.double.view.lock().unwrap();
        let card = view.card.as_mut().unwrap();
        let chosen = Arc::make_mut(&mut card.decision).chosen.as_mut().unwrap();
        chosen.kind = ActionKind::DeclineEvent;
        chosen.subject = Subject::parse(ALONE).unwrap();
        // When the owner has to leave for another event.
        let leaves = SignalReading::new(ReadingKey::LeaveInMin, 803.0);
        let signals = &mut Arc::make_mut(&mut card.decision).signals;
        signals.insert(AgentName::Calendar, vec![leaves]);
    }
    let now = server.get("/fragment/now").await.body;
    assert!(!now.contains("have to leave"), "{now}");
    for says in [
        "Draft a decline for Loom &lt;demo&gt;?",
        // When it is itself.
        "<p>09:00 to 10:00</p>",
        "It came later than what it clashes with:",
        &format!("<a class=\"what\" href=\"/calendar/{MEETING}\"><bdi>Design sync</bdi></a>"),
        "09:00",
        "href=\"/agenda?view=day&amp;day=2026-11-03\"",
    ] {
        assert!(now.contains(says), "{says}: {now}");
    }
    // Nobody else is in the later one, which lasts an hour. It is half past ten at night: nothing is free any more that day.
    assert!(!now.contains("can move"), "{now}");
    server.double.view.lock().unwrap().at = ts("2026-11-03T02:31:00Z");
    let morning = server.get("/fragment/now").await.body;
    for says in [
        "Loom &lt;demo&gt; can move: nobody else is in it. You are free:",
        // From 10:30 to noon.
        "<a class=\"what\" href=\"/agenda?view=day&amp;day=2026-11-03\">10:30 to 11:30</a>",
    ] {
        assert!(morning.contains(says), "{says}: {morning}");
    }
    // The copy for the browser's disk says nothing of it.
    let headers = format!("{}authorization: Bearer {TOKEN}\nx-aura-keep: 1\n", server.host());
    let kept = server.raw("GET /", &headers, "").await.body;
    assert!(
        !kept.contains("It came later") && !kept.contains("Design"),
        "{kept}"
    );
}

#[test]
fn outside_the_page_the_card_says_an_hour_and_no_name() {
    let (one, at) = (meeting_card(), ts("2026-11-03T03:20:01Z"));
    let names: DisplayNames = [(MEETING.to_owned(), "Loom demo".to_owned())]
        .into_iter()
        .collect();
    assert_eq!(card(&one, &names, at).unwrap().watch_line, "A meeting at 09:00");
    let pushed = serde_json::to_string(&push::message(&one, at, "t", "https://x.example").unwrap()).unwrap();
    assert!(
        pushed.contains("A meeting at 09:00") && !pushed.contains("Loom"),
        "{pushed}"
    );
}

#[test]
fn it_is_put_off_while_the_meeting_lasts() {
    use SubmitAct::{LaterHour, LaterQuarter};
    // It is over at 10:00, 70 minutes later.
    for (at, choices) in [
        ("2026-11-03T03:20:00Z", vec![LaterQuarter, LaterHour]),
        ("2026-11-03T03:30:00Z", vec![LaterQuarter]),
        ("2026-11-03T04:15:00Z", vec![]),
    ] {
        let view = card(&meeting_card(), &DisplayNames::default(), ts(at)).unwrap();
        assert_eq!(view.answers_on(Surface::PhoneCard).later, choices, "{at}");
    }
}

#[tokio::test]
async fn what_was_called_off_is_found_stands_in_the_agenda_and_says_so() {
    let server = server("brief").await;
    let page = server.get(&format!("/calendar/{CANCELLED}")).await;
    assert_eq!(page.status, 200);
    for says in [
        "Dentist &lt;x&gt;",
        "11:00 to 11:30",
        "It was called off",
        "That is why I do not tell you when to leave for it",
        // The way on.
        "<a href=\"/agenda?day=2026-11-03\">What is on that day</a>",
    ] {
        assert!(page.body.contains(says), "{says}: {}", page.body);
    }
    let link =
        format!("<a class=\"what\" href=\"/calendar/{CANCELLED}\"><s><bdi>Dentist &lt;x&gt;</bdi></s></a>");
    let agenda = server.get("/agenda?day=2026-11-03").await.body;
    assert!(
        agenda.contains(&link) && agenda.contains("called off"),
        "{agenda}"
    );
    let asked =
        serde_json::json!({"words": "dentist", "kind": "", "came": "", "from": "", "to": "", "before": ""});
    let found = server.post("/form/history/find", &asked.to_string()).await.body;
    assert!(found.contains(&link) && found.contains("11:00"), "{found}");
}

#[tokio::test]
async fn the_page_says_the_same_without_a_card_and_a_gone_event_is_404_in_words() {
    let server = server("brief").await;
    give_names(&server, &[(MEETING, "Loom demo"), (ASHA, "Asha Rao")]);
    let page = server.get(&format!("/calendar/{MEETING}")).await;
    assert_eq!(page.status, 200);
    for says in [
        "Loom demo",
        "09:00 to 10:00",
        "Who will be there",
        "Asha Rao",
        "and 12 more",
        "Somebody",
        "since 06:00",
        "Studio &lt;4&gt;",
        "22 min to get there. Leave by 08:23.",
        "href=\"/settings#calendar.before_meetings\"",
        // The browser's history keeps a title.
        "<title>Aura: An event</title>",
    ] {
        assert!(page.body.contains(says), "{says}: {}", page.body);
    }
    let alone = server.get(&format!("/calendar/{ALONE}")).await.body;
    for says in [
        "An event without a title",
        "Nobody else is invited.",
        "The event names no place.",
    ] {
        assert!(alone.contains(says), "{says}: {alone}");
    }
    assert!(!alone.contains("Waiting for your answer"), "{alone}");
    // What was said, and why the rest was not.
    for says in [
        "What I said about it",
        "What else I could say, and why I did not",
        "data-drawer=\"tr_brief0000001\"",
        "07:45: shown.",
        "I speak ten minutes before meetings only where that is switched on.",
        &format!("It overlaps with <a href=\"/calendar/{ALONE}\"><bdi>an event without a title</bdi></a>."),
    ] {
        assert!(page.body.contains(says), "{says}: {}", page.body);
    }
    for says in [
        "Why I said nothing about it so far",
        "It names no place, so I do not know when you have to leave.",
        "Nobody else is invited, so there is nothing to get ready for.",
        "The brief counts the events of its day and names only the next one.",
    ] {
        assert!(alone.contains(says), "{says}: {alone}");
    }
    for gone in ["ev_00000000000000ff", ASHA, "x"] {
        let page = server.get(&format!("/calendar/{gone}")).await;
        assert_eq!(page.status, 404, "{gone}");
        assert!(page.body.contains("I know no such event now"), "{}", page.body);
    }
}

/// The draft of a decline.
pub(crate) fn decline(text: &str) -> DeclineDraft {
    let file = "BEGIN:VCALENDAR\r\n";
    DeclineDraft {
        event: EventId::parse("ev_00000000000000b2").unwrap(),
        text: text.to_owned(),
        shown: sha256_hex(file.as_bytes()),
        address: Some("desk@brightloom.test".to_owned()),
        file: file.to_owned(),
    }
}

#[tokio::test]
async fn a_drafted_decline_stands_on_the_events_page_and_is_offered_nowhere() {
    let server = server("brief").await;
    server.double.view.lock().unwrap().at = ts("2026-11-03T02:30:00Z");
    let event = EventId::parse(ALONE).unwrap();
    let pages = [format!("/calendar/{ALONE}"), "/agenda?day=2026-11-03".to_owned()];
    for page in &pages {
        let page = server.get(page).await.body;
        assert!(page.contains(&format!("data-decline=\"{ALONE}\"")), "{page}");
    }
    let text = "</textarea>Sorry,\nnot then.";
    let shown = sha256_hex(b"BEGIN:VCALENDAR\r\n");
    *server.double.decline.lock().unwrap() = Some(DeclineDraft {
        event: event.clone(),
        ..decline(text)
    });
    let there = ThingId::Event(event);
    server
        .double
        .view
        .lock()
        .unwrap()
        .untraced
        .outbox
        .there
        .insert(there);
    for page in &pages {
        let page = server.get(page).await.body;
        assert!(!page.contains("data-decline="), "{page}");
    }
    let page = server.get(&pages[0]).await.body;
    for part in [
        format!("data-draft=\"{ALONE}\" data-shown=\"{shown}\""),
        ">\n&lt;/textarea&gt;Sorry,\nnot then.</textarea>".to_owned(),
        "href=\"mailto:desk@brightloom.test?subject=Declined%3A%20An%20event%20without%20a%20title&amp;body="
            .to_owned(),
        format!("href=\"/calendar/{ALONE}/decline.ics\" download"),
    ] {
        assert!(page.contains(&part), "{part}: {page}");
    }
    let agenda = server.get(&pages[1]).await.body;
    let way = format!("<a href=\"/calendar/{ALONE}#decline\">Your decline is drafted</a>");
    assert!(agenda.contains(&way), "{agenda}");
    let file = server.get(&format!("/calendar/{ALONE}/decline.ics")).await;
    assert_eq!((file.status, file.body.as_str()), (200, "BEGIN:VCALENDAR\r\n"));
    assert_eq!(
        server
            .get(&format!("/calendar/{MEETING}/decline.ics"))
            .await
            .status,
        404
    );
    for (event, body, status) in [
        (ALONE, serde_json::json!({"text": "No.", "shown": shown}), 200),
        (
            ALONE,
            serde_json::json!({"text": "No.", "shown": sha256_hex(b"x")}),
            409,
        ),
        (ALONE, serde_json::json!({"text": " ", "shown": shown}), 422),
        (MEETING, serde_json::json!({"text": "No.", "shown": shown}), 404),
        ("x", serde_json::json!({"text": "No.", "shown": shown}), 404),
    ] {
        let path = format!("/v1/events/{event}/draft");
        assert_eq!(
            server.post(&path, &body.to_string()).await.status,
            status,
            "{event} {body}"
        );
    }
}

/// A meeting with somebody else from 10:00 to 11:00 UTC, half an hour away: leave by 09:15.
fn dentist() -> MeetingDescription {
    MeetingDescription {
        event_id: EventId::parse(MEETING).unwrap(),
        title: None,
        start: ts("2026-11-03T10:00:00Z"),
        end: ts("2026-11-03T11:00:00Z"),
        all_day: false,
        people: Vec::new(),
        others: 1,
        place: DisplayLabel::sanitize("Lindenstr. 3"),
        travel_min: 30,
        leave_by: Some(ts("2026-11-03T09:15:00Z")),
    }
}

fn rule(kind: ActionKind, hours: Option<(&str, &str)>) -> OwnerRule {
    let hour = |text: &str| text.parse().unwrap();
    OwnerRule {
        kinds: vec![kind],
        hours: hours.map(|(from, to)| (hour(from), hour(to))),
        ..OwnerRule::named(RuleName::parse("r").unwrap())
    }
}

#[test]
fn what_was_not_said_about_an_event_has_a_reason_and_a_way_to_change_it() {
    use ActionKind::{DeclineEvent, LeaveByAlert, PrepareMeeting};
    let (before, near, over) = (
        "2026-11-03T07:00:00Z",
        "2026-11-03T08:40:00Z",
        "2026-11-03T09:30:00Z",
    );
    let all_day = MeetingDescription {
        all_day: true,
        leave_by: None,
        ..dentist()
    };
    let nowhere = MeetingDescription {
        place: None,
        travel_min: 0,
        leave_by: None,
        others: 0,
        ..dentist()
    };
    let unknown = MeetingDescription {
        travel_min: 0,
        leave_by: None,
        ..dentist()
    };
    let short = MeetingDescription {
        travel_min: 5,
        leave_by: Some(ts("2026-11-03T09:40:00Z")),
        ..dentist()
    };
    let (on, off) = (Some(true), Some(false));
    let quiet = || vec![owner_double::quiet_hours(8, 10)];
    let to_rules = Some("/settings#rules");
    for (event, now, switch, rules, dnd, kind, says, leads_to) in [
        (
            dentist(),
            before,
            on,
            vec![],
            vec![],
            LeaveByAlert,
            "I say it from an hour before you have to leave, at 08:15, if it is the next thing then.",
            None,
        ),
        (
            dentist(),
            near,
            on,
            vec![],
            vec![],
            LeaveByAlert,
            "I may say it at my next look, if nothing else comes first.",
            None,
        ),
        (
            dentist(),
            over,
            on,
            vec![],
            vec![],
            LeaveByAlert,
            "You had to leave at 09:15. In the hour before, I did not look, or another event was still to come before it.",
            None,
        ),
        (
            dentist(),
            before,
            on,
            vec![rule(LeaveByAlert, None)],
            vec![],
            LeaveByAlert,
            "I say it from an hour before you have to leave, at 08:15, if it is the next thing then. But a rule of yours forbids it then. Not: When to leave.",
            to_rules,
        ),
        (
            dentist(),
            near,
            on,
            vec![rule(LeaveByAlert, Some(("08:00:00", "09:00:00")))],
            vec![],
            LeaveByAlert,
            "I may say it at my next look, if nothing else comes first. A rule of yours forbids it. Not: When to leave from 08:00 to 09:00.",
            to_rules,
        ),
        // At nine, when it would be raised, the rule is over.
        (
            dentist(),
            before,
            on,
            vec![rule(LeaveByAlert, Some(("08:00:00", "09:00:00")))],
            vec![],
            LeaveByAlert,
            "I say it from an hour before you have to leave, at 08:15, if it is the next thing then.",
            None,
        ),
        (
            dentist(),
            before,
            on,
            vec![],
            quiet(),
            LeaveByAlert,
            "I say it from an hour before you have to leave, at 08:15, if it is the next thing then. But those are quiet hours.",
            Some("/settings#quiet"),
        ),
        (
            all_day,
            before,
            on,
            vec![],
            vec![],
            LeaveByAlert,
            "It lasts all day, so there is no hour at which you have to leave.",
            None,
        ),
        (
            nowhere.clone(),
            before,
            on,
            vec![],
            vec![],
            LeaveByAlert,
            "It names no place, so I do not know when you have to leave. Add the place in your calendar.",
            None,
        ),
        (
            unknown,
            before,
            on,
            vec![],
            vec![],
            LeaveByAlert,
            "I do not know how long the way there is.",
            Some("/settings#home-town"),
        ),
        (
            short,
            before,
            on,
            vec![],
            vec![],
            LeaveByAlert,
            "The way takes 5 min. I say when to leave from 10 min on.",
            None,
        ),
        (
            nowhere,
            before,
            on,
            vec![],
            vec![],
            PrepareMeeting,
            "Nobody else is invited, so there is nothing to get ready for.",
            None,
        ),
        (
            dentist(),
            before,
            off,
            vec![],
            vec![],
            PrepareMeeting,
            "You have not asked me to speak before meetings.",
            Some("/settings#calendar.before_meetings"),
        ),
        (
            dentist(),
            before,
            on,
            vec![],
            vec![],
            PrepareMeeting,
            "I say who is there ten minutes before, at 09:50.",
            None,
        ),
        (
            dentist(),
            "2026-11-03T10:05:00Z",
            on,
            vec![],
            vec![],
            PrepareMeeting,
            "In the ten minutes before it, I did not look, or something else came first.",
            None,
        ),
        (
            dentist(),
            before,
            on,
            vec![],
            vec![],
            DeclineEvent,
            "It overlaps with nothing.",
            None,
        ),
    ] {
        let mut status = owner_double::standing(ts(now), "UTC");
        status.settings.dnd = dnd;
        let context = EventContext {
            now: ts(now),
            zone: Tz::UTC,
            traces: &[],
            status: &status,
            rules: &rules,
            paused_until: None,
            prepares_meetings: switch,
            clashes: &[],
            names: &DisplayNames::default(),
        };
        let reasons = event_reasons(&event, context);
        assert!(reasons.told.is_empty());
        let found = reasons.untold.iter().find(|one| one.kind == kind).unwrap();
        assert_eq!(found.says.join(" "), says, "{now}");
        assert_eq!(found.change.map(|(address, _)| address), leads_to, "{says}");
    }
}

#[test]
fn what_was_held_back_is_counted_by_its_reason_and_leads_to_its_decision() {
    let held = |at: &str, id: &str, removed: Option<ReasonCode>| {
        let mut trace = silent_trace();
        trace.trace_id = TraceId::parse(id).unwrap();
        let decision = Arc::make_mut(&mut trace.decision);
        decision.ts = ts(at);
        let one = serde_json::json!({
            "kind": "LEAVE_BY_ALERT", "subject": MEETING, "agent": "calendar", "class": "time-critical", "confidence": 0.8,
        });
        decision.candidates = vec![serde_json::from_value(one).unwrap()];
        decision.candidates[0].removed = removed;
        trace
    };
    // Newest first; Kolkata is half past five ahead.
    let traces = [
        held(
            "2026-11-03T03:00:00Z",
            "tr_held00000003",
            Some(ReasonCode::CapDnd),
        ),
        held(
            "2026-11-03T02:45:00Z",
            "tr_held00000002",
            Some(ReasonCode::CapDnd),
        ),
        held("2026-11-03T02:30:00Z", "tr_held00000001", Some(ReasonCode::Rule)),
    ];
    let event = EventId::parse(MEETING).unwrap();
    let zone = surfaces_base::format::zone("Asia/Kolkata");
    let reasons = past_reasons(&event, &traces, ts("2026-11-03T03:10:00Z"), zone);
    let rows: Vec<_> = reasons
        .untold
        .iter()
        .map(|one| {
            let trace = one.trace.as_ref().unwrap().as_str();
            (one.says.join(" "), trace, one.change.map(|(address, _)| address))
        })
        .collect();
    let says = |text: &str| text.to_owned();
    assert_eq!(
        rows,
        [
            // One row, however many reasons there were; the newest leads to its decision.
            (
                says(
                    "Held back 2 times, the last time at 08:30. Do not disturb is on. Held back at 08:00. A rule of yours forbade it."
                ),
                "tr_held00000003",
                Some("/settings#rules")
            ),
        ]
    );
    assert!(reasons.told.is_empty());
    // Of an event that Calendar knows no more, what was decided is still told.
    let other = EventId::parse(ALONE).unwrap();
    assert_eq!(
        past_reasons(&other, &traces, ts("2026-11-03T03:10:00Z"), zone),
        EventReasons::default()
    );
}
