//! Alerts and declines.

use super::*;
use toolcall_schema::{
    DeclineReason,
    catalogue::calendar::{AutoDecline, AutoDeclineResult, HoldTime, LeaveBy, TravelAwareAlert},
};

fn act(
    agent: &mut CalendarAgent,
    tool: CalendarTool,
    at: &str,
) -> Result<(Value, Vec<ToolEffect>), ToolErrorCode> {
    agent.act(&Tool::Calendar(tool), t(at))
}

fn alert_for(event_id: EventId) -> CalendarTool {
    CalendarTool::TravelAwareAlert(TravelAwareAlert {
        event_id,
        user_loc: None,
        buffer_min: 15,
    })
}

#[test]
fn says_when_to_leave_until_it_is_too_late() {
    let (mut agent, _) = with(&[REVIEW], t(MORNING));
    let review = id("review", REVIEW_START);
    let leave = LeaveBy {
        event_id: review.clone(),
        start: t(REVIEW_START),
        leave_by: t("2026-11-03T02:53:00Z"),
        travel_min: 22,
    };
    let answer = Ok((serde_json::to_value(leave).unwrap(), vec![ToolEffect::CardShow]));
    assert_eq!(act(&mut agent, alert_for(review.clone()), MORNING), answer);
    assert_eq!(
        act(&mut agent, alert_for(review.clone()), "2026-11-03T02:53:00Z"),
        answer
    );
    let late = act(&mut agent, alert_for(review), "2026-11-03T02:53:00.001Z");
    assert_eq!(late, Err(ToolErrorCode::TooLate));
    let unknown = act(&mut agent, alert_for(id("?", REVIEW_START)), MORNING);
    assert_eq!(unknown, Err(ToolErrorCode::NotFound));
}

#[test]
fn the_way_starts_where_the_arguments_say() {
    let (mut agent, _) = with(&[("far", "DTSTART:20261103T060000Z\nGEO:0.0;0.1")], t(MORNING));
    let tool = CalendarTool::TravelAwareAlert(TravelAwareAlert {
        event_id: id("far", "2026-11-03T06:00:00Z"),
        user_loc: Some(LocationData { lat: 0.0, lon: 0.0 }),
        buffer_min: 5,
    });
    // 11.119 km at 22 km/h: 30 min.
    let (result, _) = act(&mut agent, tool, MORNING).unwrap();
    assert_eq!(
        (&result["travel_min"], &result["leave_by"]),
        (&json!(30), &json!("2026-11-03T05:25:00.000Z"))
    );
}

const FIRST: (&str, &str) = (
    "grant",
    "CREATED:20261020T080000Z\nDTSTART:20261103T093000Z\nDTEND:20261103T103000Z\nORGANIZER:mailto:x@y.test\nATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:rohan@example.org",
);

fn later(extra: &str) -> String {
    format!(
        "CREATED:20261102T080000Z\nSEQUENCE:3\nDTSTART:20261103T100000Z\nDTEND:20261103T110000Z\nSUMMARY:Demo\n{extra}"
    )
}

const INVITED: &str = "ORGANIZER;CN=Desk:mailto:desk@brightloom.test\nATTENDEE;CN=Rohan;PARTSTAT=NEEDS-ACTION:MAILTO:Rohan@Example.org";

fn declines(agent: &CalendarAgent, at: &str) -> Vec<Candidate> {
    let mut candidates = agent.tick(&question(t(at)), t(at)).candidates;
    candidates.retain(|c| c.kind == ActionKind::DeclineEvent);
    candidates
}

fn decline_of(event: &EventId) -> Candidate {
    Candidate {
        kind: ActionKind::DeclineEvent,
        subject: Subject::from(event),
        confidence: Milli(850),
        args: json!({"event_id": event, "reason_template": "conflict"}),
        valid_until: None,
        evidence: vec![],
        let_through: false,
    }
}

#[test]
fn proposes_to_decline_the_later_made_of_two_only_while_it_is_open() {
    let demo = id("demo", "2026-11-03T10:00:00Z");
    for (extra, proposed) in [
        (INVITED, true),
        // A missing PARTSTAT is NEEDS-ACTION.
        (
            "ORGANIZER:mailto:a@b.test\nATTENDEE:mailto:rohan@example.org",
            true,
        ),
        (
            "ORGANIZER:mailto:a@b.test\nATTENDEE;PARTSTAT=ACCEPTED:mailto:rohan@example.org",
            false,
        ),
        (
            "ORGANIZER:mailto:a@b.test\nATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:else@example.org",
            false,
        ),
        // Nobody to answer.
        ("ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:rohan@example.org", false),
        ("", false),
    ] {
        let (agent, _) = with(&[FIRST, ("demo", &later(extra))], t(MORNING));
        let expected = if proposed { vec![decline_of(&demo)] } else { vec![] };
        assert_eq!(declines(&agent, MORNING), expected, "{extra}");
        assert_eq!(declines(&agent, "2026-11-03T10:00:00Z"), [], "begun: {extra}");
    }
    let transparent = later(&format!("TRANSP:TRANSPARENT\n{INVITED}"));
    let (agent, _) = with(&[FIRST, ("demo", &transparent)], t(MORNING));
    assert_eq!(declines(&agent, MORNING), []);
    for own in [
        "ATTENDEE;PARTSTAT=DECLINED:mailto:rohan@example.org",
        // As Apple's server writes it.
        "ATTENDEE;PARTSTAT=DECLINED;EMAIL=Rohan@example.org:/123/principal/",
    ] {
        let declined = later(&format!("ORGANIZER:mailto:a@b.test\n{own}"));
        let (agent, _) = with(&[FIRST, ("demo", &declined)], t(MORNING));
        assert_eq!(
            agent.instances().len(),
            1,
            "what the owner declined is no event of theirs: {own}"
        );
    }
}

#[test]
fn writes_an_itip_reply_and_proposes_it_no_more() {
    let (mut agent, _) = with(&[FIRST, ("demo,1;x", &later(INVITED))], t(MORNING));
    let demo = id("demo,1;x", "2026-11-03T10:00:00Z");
    assert_eq!(declines(&agent, MORNING), [decline_of(&demo)]);
    let tool = || {
        CalendarTool::AutoDecline(AutoDecline {
            event_id: demo.clone(),
            reason_template: DeclineReason::Conflict,
        })
    };
    let text = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Aura//Aura//EN",
        "METHOD:REPLY",
        "BEGIN:VEVENT",
        "UID:demo\\,1\\;x",
        "DTSTAMP:20261103T021500Z",
        "SEQUENCE:3",
        "DTSTART:20261103T100000Z",
        "ORGANIZER:mailto:desk@brightloom.test",
        "ATTENDEE;PARTSTAT=DECLINED:mailto:rohan@example.org",
        "COMMENT:I have another appointment at that time.",
        "END:VEVENT",
        "END:VCALENDAR",
        "",
    ]
    .join("\r\n");
    let declined = AutoDeclineResult {
        event_id: demo.clone(),
        bytes: u32::try_from(text.len()).unwrap(),
    };
    let file = ToolEffect::OutboxFile {
        name: format!("decline-{demo}.ics"),
        text,
    };
    let answer = act(&mut agent, tool(), MORNING);
    assert_eq!(answer, Ok((serde_json::to_value(declined).unwrap(), vec![file])));
    assert_eq!(declines(&agent, MORNING), []);
    assert_eq!(
        act(&mut agent, tool(), "2026-11-03T10:00:00Z"),
        Err(ToolErrorCode::TooLate)
    );
    // After a restart the text of the invitation is gone.
    let mut restored = calendar();
    restored.restore(&agent.state(t(MORNING))).unwrap();
    ingest(&mut restored, t(MORNING));
    assert_eq!(
        act(&mut restored, tool(), MORNING),
        Err(ToolErrorCode::TextUnknown)
    );
}

#[test]
fn a_reply_for_one_of_a_series_names_it_and_long_lines_are_folded() {
    let uid = "u".repeat(100);
    let series = format!("DTSTART:20261101T100000Z\nDTEND:20261101T110000Z\nRRULE:FREQ=DAILY\n{INVITED}");
    let (mut agent, _) = with(&[(&uid, &series)], t(MORNING));
    let tool = CalendarTool::AutoDecline(AutoDecline {
        event_id: id(&uid, "2026-11-03T10:00:00Z"),
        reason_template: DeclineReason::Focus,
    });
    let (_, effects) = act(&mut agent, tool, MORNING).unwrap();
    let [ToolEffect::OutboxFile { text, .. }] = effects.as_slice() else {
        panic!("one file")
    };
    assert!(text.contains("\r\nRECURRENCE-ID:20261103T100000Z\r\n"), "{text}");
    assert!(
        text.contains(&format!("UID:{}\r\n {}\r\n", "u".repeat(71), "u".repeat(29))),
        "{text}"
    );
    assert!(text.split("\r\n").all(|line| line.len() <= 75));
}

#[test]
fn a_reply_reads_back_as_one_answer_of_one_attendee() {
    let series = format!(
        "DTSTART;TZID=Europe/Berlin:20261020T090000\nDURATION:PT1H\nRRULE:FREQ=DAILY\nSEQUENCE:4\nSUMMARY:Secret; plan\nATTENDEE;PARTSTAT=ACCEPTED:mailto:else@example.org\n{INVITED}"
    );
    let change = format!(
        "RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Berlin:20261026T090000\nSEQUENCE:5\nDTSTART;TZID=Europe/Berlin:20261026T113000\nDURATION:PT1H\n{INVITED}"
    );
    // 9:00 in Berlin is 07:00 UTC in October and 08:00 in November: that is what 11:30 (10:30 UTC) was meant to be.
    let (mut agent, _) = with(&[("so,me", &series), ("so,me", &change)], t(MORNING));
    let tool = CalendarTool::AutoDecline(AutoDecline {
        event_id: id("so,me", "2026-11-03T08:00:00Z"),
        reason_template: DeclineReason::Travel,
    });
    let (_, effects) = act(&mut agent, tool, MORNING).unwrap();
    let [ToolEffect::OutboxFile { text, .. }] = effects.as_slice() else {
        panic!("one file")
    };
    assert!(!text.contains("Secret"), "nothing but what an answer needs");
    let read = icalendar::parser::read_calendar(text).unwrap();
    let of = |properties: &[icalendar::parser::Property<'_>]| -> Vec<(String, String)> {
        let pair = |p: &icalendar::parser::Property<'_>| (p.name.to_string(), p.val.to_string());
        properties.iter().map(pair).collect()
    };
    let owned = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs
            .iter()
            .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
            .collect()
    };
    assert_eq!(
        of(&read.properties),
        owned(&[
            ("VERSION", "2.0"),
            ("PRODID", "-//Aura//Aura//EN"),
            ("METHOD", "REPLY")
        ])
    );
    let [event] = read.components.as_slice() else {
        panic!("one event")
    };
    assert_eq!(
        of(&event.properties),
        owned(&[
            ("UID", "so,me"),
            ("DTSTAMP", "20261103T021500Z"),
            ("SEQUENCE", "5"),
            ("DTSTART", "20261103T103000Z"),
            ("RECURRENCE-ID", "20261103T080000Z"),
            ("ORGANIZER", "mailto:desk@brightloom.test"),
            ("ATTENDEE", "mailto:rohan@example.org"),
            ("COMMENT", "I cannot be there in time."),
        ])
    );
}

#[test]
fn a_line_is_folded_between_characters_at_75_octets() {
    // UID: and 70 letters are 74 octets; an ü is two: it goes to the next line.
    let uid = format!("{}ü{}", "u".repeat(70), "v".repeat(80));
    let event = format!("DTSTART:20261103T100000Z\n{INVITED}");
    let (mut agent, _) = with(&[(&uid, &event)], t(MORNING));
    let tool = CalendarTool::AutoDecline(AutoDecline {
        event_id: id(&uid, "2026-11-03T10:00:00Z"),
        reason_template: DeclineReason::Conflict,
    });
    let (_, effects) = act(&mut agent, tool, MORNING).unwrap();
    let [ToolEffect::OutboxFile { text, .. }] = effects.as_slice() else {
        panic!("one file")
    };
    // A fold's space counts: 1 + 2 + 72 letters fill the second line.
    let folded = format!(
        "\r\nUID:{}\r\n ü{}\r\n {}\r\n",
        "u".repeat(70),
        "v".repeat(72),
        "v".repeat(8)
    );
    assert!(text.contains(&folded), "{text}");
}

#[test]
fn time_is_kept_free_by_one_event_of_ours_and_given_back_by_its_name() {
    let (mut agent, _) = with(&[], t(MORNING));
    let hold = |start: &str, held| {
        CalendarTool::HoldTime(HoldTime {
            start: t(start),
            duration_min: 90,
            held,
        })
    };
    let (result, effects) = act(&mut agent, hold("2026-11-03T10:00:31Z", true), MORNING).unwrap();
    let start = serde_json::to_value(t("2026-11-03T10:00:00Z")).unwrap();
    assert_eq!(result, json!({"start": start, "duration_min": 90, "held": true}));
    let [ToolEffect::OutboxFile { name, text }] = effects.as_slice() else {
        panic!("one file")
    };
    assert_eq!(name, "hold-20261103t1000z-90.ics");
    for line in [
        "UID:aura-hold-20261103t1000z-90",
        "DTSTART:20261103T100000Z",
        "DTEND:20261103T113000Z",
        "SUMMARY:Kept free",
    ] {
        assert!(text.contains(&format!("\r\n{line}\r\n")), "{text}");
    }
    let (_, effects) = act(&mut agent, hold("2026-11-03T10:00:31Z", false), MORNING).unwrap();
    assert_eq!(effects, [ToolEffect::OutboxRemoved { name: name.clone() }]);
    let late = act(&mut agent, hold("2026-11-02T10:00:00Z", true), MORNING);
    assert_eq!(late.unwrap_err(), ToolErrorCode::TooLate);
}
