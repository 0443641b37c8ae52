//! Days: all-day events, and more instances than a look or an answer has room for.

use super::*;

#[test]
fn all_day_events_are_of_the_day_and_no_meetings() {
    // An owner in Kolkata, on Tuesday 3 November at 07:45. Opaque all of them.
    for (lines, today) in [
        ("DTSTART;VALUE=DATE:20261103", 1),
        ("DTSTART;VALUE=DATE:20261103\nTRANSP:TRANSPARENT", 1),
        ("DTSTART;VALUE=DATE:20261101\nDTEND;VALUE=DATE:20261104", 1),
        ("DTSTART;VALUE=DATE:20261101\nDTEND;VALUE=DATE:20261103", 0),
        ("DTSTART;VALUE=DATE:20261104", 0),
        ("DTSTART;VALUE=DATE:20241103\nRRULE:FREQ=YEARLY", 1),
        ("DTSTART;VALUE=DATE:20261027\nRRULE:FREQ=WEEKLY;UNTIL=20261103", 1),
        // Instants where a date should stand: the date in UTC, or the day that begins then for the owner.
        (
            "DTSTART;VALUE=DATE:20261027\nRRULE:FREQ=WEEKLY;UNTIL=20261103T000000Z",
            1,
        ),
        (
            "DTSTART;VALUE=DATE:20261027\nRRULE:FREQ=WEEKLY;UNTIL=20261102T183000Z",
            1,
        ),
        (
            "DTSTART;VALUE=DATE:20261027\nRRULE:FREQ=WEEKLY;UNTIL=20261102T235959Z",
            0,
        ),
        (
            "DTSTART;VALUE=DATE:20261027\nRRULE:FREQ=WEEKLY\nEXDATE;VALUE=DATE:20261103",
            0,
        ),
        (
            "DTSTART;VALUE=DATE:20261027\nRRULE:FREQ=WEEKLY\nEXDATE:20261103T000000Z",
            0,
        ),
        ("DTSTART;VALUE=DATE:20261027\nRDATE;VALUE=DATE:20261103", 1),
        ("DTSTART;VALUE=DATE:20261027\nRDATE:20261103T090000", 1),
        ("DTSTART;VALUE=DATE:20261103\nSTATUS:CANCELLED", 0),
    ] {
        let meeting = ("m", "DTSTART:20261103T060000Z\nDTEND:20261103T070000Z");
        let (agent, answer) = with(&[("d", lines), meeting], t(MORNING));
        assert_eq!(answer.skips, [], "{lines}");
        let answer_at = agent.tick(&question(t(MORNING)), t(MORNING));
        let counted = (answer_at.readings[0].value, answer_at.readings[1].value);
        assert_eq!(counted, (f64::from(today + 1), 0.0), "{lines}");
        let told: Vec<&IngestFact> = answer.facts.iter().collect();
        assert!(
            matches!(told.as_slice(), [IngestFact::EventChanged { event, .. }] if *event == id("m", "2026-11-03T06:00:00Z")),
            "{lines}"
        );
    }
    // A way and an open invitation of a whole day are nothing to leave for or to decline.
    let lines = "DTSTART;VALUE=DATE:20261104\nX-AURA-TRAVEL-MIN:40\nORGANIZER:mailto:a@b.test\nATTENDEE:mailto:rohan@example.org";
    let (mut agent, answer) = with(&[("d", lines)], t(MORNING));
    assert_eq!(answer.facts, []);
    let before = t("2026-11-03T17:30:00Z");
    assert_eq!(agent.tick(&question(before), before).candidates, []);
    let alert = toolcall_schema::catalogue::calendar::TravelAwareAlert {
        event_id: id("d", "2026-11-03T18:30:00Z"),
        user_loc: None,
        buffer_min: 15,
    };
    let tool = Tool::Calendar(CalendarTool::TravelAwareAlert(alert));
    assert_eq!(agent.act(&tool, before), Err(ToolErrorCode::NotFound));
}

#[test]
fn an_all_day_series_is_replaced_by_day() {
    let series = "DTSTART;VALUE=DATE:20261027\nRRULE:FREQ=DAILY";
    let starts = |others: &[&str]| {
        let mut events = vec![("s", series)];
        events.extend(others.iter().map(|lines| ("s", *lines)));
        let (agent, _) = with(&events, t(MORNING));
        let found: Vec<(String, bool)> = agent
            .instances()
            .iter()
            .map(|i| (i.start.to_string()[5..16].to_owned(), i.all_day))
            .collect();
        found
    };
    // 18:30 UTC is midnight in Kolkata; the day before yesterday ends where the window begins.
    let day = |text: &str| (text.to_owned(), true);
    let all = ["10-31T18:30", "11-01T18:30", "11-02T18:30", "11-03T18:30"].map(day);
    assert_eq!(starts(&[]), all);
    for replaced in [
        "RECURRENCE-ID;VALUE=DATE:20261103",
        "RECURRENCE-ID:20261103T000000Z",
        "RECURRENCE-ID:20261102T183000Z",
    ] {
        let gone = format!("{replaced}\nDTSTART;VALUE=DATE:20261203");
        assert_eq!(
            starts(&[&gone]),
            [all[0].clone(), all[1].clone(), all[3].clone()],
            "{replaced}"
        );
        let timed = format!("{replaced}\nDTSTART:20261103T060000Z");
        let expected = [
            all[0].clone(),
            all[1].clone(),
            ("11-03T06:00".to_owned(), false),
            all[3].clone(),
        ];
        assert_eq!(starts(&[&timed]), expected, "{replaced}");
    }
}

#[test]
fn more_instances_than_the_limit_lose_the_far_end() {
    // Kolkata: yesterday began at 18:30 UTC on 1 November, today a day later, the window ends on 4 November at 18:30.
    let begin = t("2026-11-01T18:30:00Z");
    // Every minute of three days: 1440 a day.
    let events: Vec<(String, String)> = (0..3 * 1440)
        .map(|n| {
            let start = begin.plus_min(n).utc().format("%Y%m%dT%H%M%SZ");
            (format!("e{n}"), format!("DTSTART:{start}"))
        })
        .collect();
    let as_text = |events: &[(String, String)]| {
        let events: Vec<(&str, &str)> = events.iter().map(|(uid, l)| (uid.as_str(), l.as_str())).collect();
        ics(&events)
    };
    let mut agent = calendar();
    let answer = post(&mut agent, "c-1", t(MORNING), &as_text(&events));
    // Of today the first 1024; what is left out is counted, with its place.
    let skips: Vec<_> = answer
        .skips
        .iter()
        .map(|s| (s.code.as_str(), s.item.as_str()))
        .collect();
    assert_eq!(
        (skips, answer.skipped),
        (vec![("AGENT-016", "instances")], 4320 - 1024)
    );
    let (first, last) = (&agent.instances()[0], &agent.instances()[1023]);
    assert_eq!(
        (first.start, last.start),
        (begin.plus_min(1440), begin.plus_min(1440 + 1023))
    );
    // Yesterday's are kept as far as there is room: the newest.
    let mut agent = calendar();
    let few: Vec<(String, String)> = events.iter().take(1440 + 1000).cloned().collect();
    assert_eq!(
        post(&mut agent, "c-1", t(MORNING), &as_text(&few)).skipped,
        1440 - 24
    );
    assert_eq!(agent.instances()[0].start, begin.plus_min(1440 - 24));
    assert_eq!(agent.instances().len(), 1024);
}

#[test]
fn what_does_not_fit_into_one_answer_is_told_in_the_next() {
    let events: Vec<(String, &str)> = (0..600)
        .map(|n| {
            (
                format!("e{n}"),
                "DTSTART:20261103T040000Z\nDTEND:20261103T050000Z",
            )
        })
        .collect();
    let events: Vec<(&str, &str)> = events.iter().map(|(uid, lines)| (uid.as_str(), *lines)).collect();
    let (mut agent, answer) = with(&events, t(MORNING));
    let mut told: BTreeSet<EventId> = BTreeSet::new();
    let mut take = |facts: &[IngestFact]| {
        for fact in facts {
            if let IngestFact::EventChanged { event, .. } = fact {
                assert!(told.insert(event.clone()), "told once");
            }
        }
        told.len()
    };
    assert_eq!(take(&answer.facts), 512);
    assert_eq!(take(&ingest(&mut agent, t(MORNING)).facts), 600);
    assert_eq!(ingest(&mut agent, t(MORNING)).facts, []);
}

#[test]
fn an_uncertain_time_hides_no_alert_and_is_of_the_day() {
    // As in the recorded day zone-of-its-own, in Kolkata: a visit at 16:45 in nobody's zone, a hearing at 17:30 with 20 minutes on the way.
    let visit = (
        "v",
        "DTSTART;TZID=Nobody's Time:20261103T164500\nDURATION:PT1H\nX-AURA-TRAVEL-MIN:30",
    );
    let hearing = ("h", "DTSTART:20261103T120000Z\nX-AURA-TRAVEL-MIN:20");
    let kinds = |events: &[(&str, &str)], at: &str| {
        let (agent, _) = with(events, t(MORNING));
        let mut asked = question(t(at));
        asked.user.brief_due = true;
        let answer = agent.tick(&asked, t(at));
        let kinds: Vec<ActionKind> = answer.candidates.iter().map(|c| c.kind).collect();
        (kinds, answer.readings[0].value)
    };
    // 16:00 in Kolkata: the alert is for the hearing, from 15:55 to 16:55. Both are of the day.
    let both = (vec![ActionKind::LeaveByAlert, ActionKind::ShowBrief], 2.0);
    assert_eq!(kinds(&[visit, hearing], "2026-11-03T10:30:00Z"), both);
    // The visit alone is reason enough for a brief until it would begin.
    let brief = (vec![ActionKind::ShowBrief], 1.0);
    assert_eq!(kinds(&[visit], "2026-11-03T10:30:00Z"), brief);
    assert_eq!(kinds(&[visit], "2026-11-03T11:30:00Z"), (vec![], 1.0));
}
