//! What replaces, adds and takes away instances of a series, and what a calendar is sent for.

use super::*;
use chrono_tz::Tz;

/// The starts of an owner's instances in the window around `at`, without year, seconds and `Z`.
fn starts(zone: Tz, at: &str, events: &[(&str, &str)]) -> Vec<String> {
    let mut setup = setup();
    setup.owner.zone = zone;
    let mut agent = CalendarAgent::new(setup);
    let answer = post(&mut agent, "c-1", t(at), &ics(events));
    assert_eq!(answer.skips, []);
    short(&agent)
}

fn short(agent: &CalendarAgent) -> Vec<String> {
    let starts = times(agent).into_iter().map(|(start, _)| start);
    starts
        .map(|start| start.replace(":00.000Z", "").replace("2026-", ""))
        .collect()
}

/// Every day at 9:00 in Berlin since 20 March, an hour each.
const SERIES: &str =
    "DTSTART;TZID=Europe/Berlin:20260320T090000\nDTEND;TZID=Europe/Berlin:20260320T100000\nRRULE:FREQ=DAILY";
/// The window around it is 28 to 30 March: winter time, summer time from 29 March on.
const DAY: &str = "2026-03-29T12:00:00Z";

#[test]
fn this_and_future_moves_all_that_follow_on_the_wall() {
    for (overrides, expected) in [
        (vec![], ["03-28T08:00", "03-29T07:00", "03-30T07:00"].as_slice()),
        // From the 21st on at 10:30: it stays 10:30 over the change of the clocks.
        (
            vec![
                "RECURRENCE-ID;TZID=Europe/Berlin;RANGE=THISANDFUTURE:20260321T090000\nDTSTART;TZID=Europe/Berlin:20260321T103000",
            ],
            &["03-28T09:30", "03-29T08:30", "03-30T08:30"],
        ),
        // From the 29th on; the 28th stays.
        (
            vec![
                "RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Berlin:20260329T090000\nDTSTART;TZID=Europe/Berlin:20260329T083000",
            ],
            &["03-28T08:00", "03-29T06:30", "03-30T06:30"],
        ),
        // Of two the later one counts for what follows it; one instance alone counts most.
        (
            vec![
                "RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Berlin:20260321T090000\nDTSTART;TZID=Europe/Berlin:20260321T103000",
                "RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Berlin:20260329T090000\nDTSTART;TZID=Europe/Berlin:20260329T120000",
                "RECURRENCE-ID;TZID=Europe/Berlin:20260330T090000\nDTSTART;TZID=Europe/Berlin:20260330T150000",
            ],
            &["03-28T09:30", "03-29T10:00", "03-30T13:00"],
        ),
        // Moved by a day: the window shows what was meant for the days before, and the last one from behind it.
        (
            vec![
                "RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Berlin:20260321T090000\nDTSTART;TZID=Europe/Berlin:20260322T090000",
            ],
            &["03-28T08:00", "03-29T07:00", "03-30T07:00"],
        ),
        // Two days earlier: what was meant for 1 April is in it.
        (
            vec![
                "RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Berlin:20260321T090000\nDTSTART;TZID=Europe/Berlin:20260319T100000",
            ],
            &["03-28T09:00", "03-29T08:00", "03-30T08:00"],
        ),
        // The rest of it is cancelled.
        (
            vec![
                "RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Berlin:20260329T090000\nDTSTART;TZID=Europe/Berlin:20260329T090000\nSTATUS:CANCELLED",
            ],
            &["03-28T08:00"],
        ),
    ] {
        let mut events = vec![("s", SERIES)];
        events.extend(overrides.iter().map(|lines| ("s", *lines)));
        assert_eq!(starts(Tz::UTC, DAY, &events), expected, "{overrides:?}");
        events.reverse();
        assert_eq!(starts(Tz::UTC, DAY, &events), expected, "reversed: {overrides:?}");
    }
}

#[test]
fn what_follows_lasts_and_is_named_as_what_speaks_for_it() {
    let change = "RECURRENCE-ID;RANGE=THISANDFUTURE:20261101T090000Z\nDTSTART:20261101T110000Z\nDURATION:PT3H\nTRANSP:TRANSPARENT";
    let series = "DTSTART:20261020T090000Z\nDTEND:20261020T100000Z\nRRULE:FREQ=DAILY";
    let (agent, _) = with(&[("s", series), ("s", change)], t(MORNING));
    let third = agent
        .instances()
        .iter()
        .find(|i| i.start == t("2026-11-03T11:00:00Z"));
    let third = third.unwrap();
    // Its name is that of the time for which it was meant.
    assert_eq!(
        (&third.id, third.end, third.transparent),
        (&id("s", "2026-11-03T09:00:00Z"), t("2026-11-03T14:00:00Z"), true)
    );
}

#[test]
fn an_instance_is_named_by_date_in_utc_or_without_its_zone() {
    for named in [
        "RECURRENCE-ID;VALUE=DATE:20260329",
        "RECURRENCE-ID:20260329T070000Z",
        "RECURRENCE-ID:20260329T090000",
        "RECURRENCE-ID;TZID=America/New_York:20260329T030000",
        "RECURRENCE-ID;TZID=W. Europe Standard Time:20260329T090000",
    ] {
        let moved = format!("{named}\nDTSTART;TZID=Europe/Berlin:20260329T140000");
        let events = [("s", SERIES), ("s", moved.as_str())];
        assert_eq!(
            starts(Tz::UTC, DAY, &events),
            ["03-28T08:00", "03-29T12:00", "03-30T07:00"],
            "{named}"
        );
        let cancelled = format!("{named}\nDTSTART;TZID=Europe/Berlin:20260329T090000\nSTATUS:CANCELLED");
        let events = [("s", cancelled.as_str()), ("s", SERIES)];
        assert_eq!(
            starts(Tz::UTC, DAY, &events),
            ["03-28T08:00", "03-30T07:00"],
            "{named}"
        );
    }
}

#[test]
fn an_override_may_bring_an_instance_into_the_window_and_take_one_out_of_it() {
    let into = "RECURRENCE-ID;TZID=Europe/Berlin:20260610T090000\nDTSTART;TZID=Europe/Berlin:20260329T200000";
    let out = "RECURRENCE-ID;TZID=Europe/Berlin:20260328T090000\nDTSTART;TZID=Europe/Berlin:20260610T200000";
    let events = [("s", SERIES), ("s", into), ("s", out)];
    assert_eq!(
        starts(Tz::UTC, DAY, &events),
        ["03-29T07:00", "03-29T18:00", "03-30T07:00"]
    );
    // All day now; and one whose series is in no file is itself.
    let all_day = "RECURRENCE-ID;TZID=Europe/Berlin:20260328T090000\nDTSTART;VALUE=DATE:20260328";
    assert_eq!(
        starts(Tz::UTC, DAY, &[("s", SERIES), ("s", all_day)]),
        ["03-28T00:00", "03-29T07:00", "03-30T07:00"]
    );
    assert_eq!(starts(Tz::UTC, DAY, &[("s", into)]), ["03-29T18:00"]);
    // Some programs exclude the date of what they move: it is there where it was moved to.
    let excluded = format!("{SERIES}\nEXDATE;TZID=Europe/Berlin:20260329T090000");
    let moved =
        "RECURRENCE-ID;TZID=Europe/Berlin:20260329T090000\nDTSTART;TZID=Europe/Berlin:20260329T200000";
    assert_eq!(
        starts(Tz::UTC, DAY, &[("s", &excluded), ("s", moved)]),
        ["03-28T08:00", "03-29T18:00", "03-30T07:00"]
    );
}

#[test]
fn excluded_dates_are_instants_local_times_or_days() {
    for excluded in [
        "EXDATE;TZID=Europe/Berlin:20260329T090000",
        "EXDATE:20260329T070000Z",
        "EXDATE;TZID=Asia/Kolkata:20260329T123000",
        "EXDATE:20260329T090000",
        "EXDATE;VALUE=DATE:20260329",
        "EXDATE;VALUE=DATE:20250101,20260329\nEXDATE:20200101T000000Z",
    ] {
        let lines = format!("{SERIES}\n{excluded}");
        assert_eq!(
            starts(Tz::Asia__Kolkata, DAY, &[("s", &lines)]),
            ["03-28T08:00", "03-30T07:00"],
            "{excluded}"
        );
    }
    // 09:00 in Berlin is no instance of 28 March in any other zone of the event.
    let lines = format!("{SERIES}\nEXDATE:20260328T090000Z");
    assert_eq!(starts(Tz::UTC, DAY, &[("s", &lines)]).len(), 3);
}

#[test]
fn extra_dates_are_times_days_and_periods() {
    let once = "DTSTART;TZID=Europe/Berlin:20260320T090000\nDTEND;TZID=Europe/Berlin:20260320T100000";
    for (extra, expected) in [
        (
            "RDATE;TZID=Europe/Berlin:20260329T110000",
            [("09:00", 60)].as_slice(),
        ),
        (
            "RDATE:20260329T110000Z,20260329T130000",
            &[("11:00", 60), ("11:00", 60)],
        ),
        // A day: at the event's own time.
        ("RDATE;VALUE=DATE:20260329", &[("07:00", 60)]),
        ("RDATE;TZID=America/New_York:20260329T040000", &[("08:00", 60)]),
        // Periods last what they say: to an end, or for a while.
        (
            "RDATE;VALUE=PERIOD:20260329T090000Z/20260329T113000Z,20260329T140000Z/PT15M",
            &[("09:00", 150), ("14:00", 15)],
        ),
        (
            "RDATE;VALUE=PERIOD;TZID=Europe/Berlin:20260329T090000/20260329T113000",
            &[("07:00", 150)],
        ),
    ] {
        let lines = format!("{once}\n{extra}");
        let mut setup = setup();
        setup.owner.zone = Tz::UTC;
        let mut agent = CalendarAgent::new(setup);
        assert_eq!(post(&mut agent, "c-1", t(DAY), &ics(&[("s", &lines)])).skips, []);
        let mut found: Vec<(String, i64)> = agent
            .instances()
            .iter()
            .map(|i| {
                (
                    i.start.to_string()[11..16].to_owned(),
                    i.end.since(i.start) / 60_000,
                )
            })
            .collect();
        found.sort();
        let mut expected: Vec<(String, i64)> = expected
            .iter()
            .map(|(start, min)| ((*start).to_owned(), *min))
            .collect();
        // The same start twice is one instance.
        expected.dedup();
        assert_eq!(found, expected, "{extra}");
    }
}

#[test]
fn a_date_that_cannot_be_read_is_left_out_and_named_while_its_event_is_read() {
    for bad in [
        "EXDATE:soon",
        "RDATE;VALUE=PERIOD:20260329T090000Z/20260328T090000Z",
        "EXRULE:FREQ=WEEKLY",
    ] {
        let lines = format!("{SERIES}\nEXDATE;VALUE=DATE:20260328\n{bad}");
        let mut agent = calendar();
        let answer = post(&mut agent, "c-1", t(DAY), &ics(&[("s", &lines)]));
        let skips: Vec<_> = answer.skips.iter().map(|s| (s.code.as_str(), s.line)).collect();
        assert_eq!(skips, [("AGENT-031", Some(3))], "{bad}");
        assert_eq!(short(&agent), ["03-29T07:00", "03-30T07:00"], "{bad}");
    }
}

#[test]
fn a_cancelled_series_takes_its_changes_with_it_and_a_declined_one_leaves_what_was_accepted() {
    let gone = format!("{SERIES}\nSEQUENCE:2\nSTATUS:CANCELLED");
    let accepted = "RECURRENCE-ID;TZID=Europe/Berlin:20260329T090000\nDTSTART;TZID=Europe/Berlin:20260329T090000\nATTENDEE;PARTSTAT=ACCEPTED:mailto:rohan@example.org";
    assert_eq!(starts(Tz::UTC, DAY, &[("s", &gone), ("s", accepted)]), [""; 0]);
    let declined = format!("{SERIES}\nATTENDEE;PARTSTAT=DECLINED:mailto:rohan@example.org");
    assert_eq!(
        starts(Tz::UTC, DAY, &[("s", &declined), ("s", accepted)]),
        ["03-29T07:00"]
    );
}

/// What a series and a message of some method about it come to.
fn after(method: &str, lines: &str) -> Vec<String> {
    let mut setup = setup();
    setup.owner.zone = Tz::UTC;
    let mut agent = CalendarAgent::new(setup);
    post(&mut agent, "c-1", t(DAY), &ics(&[("s", SERIES)]));
    let message = ics(&[("s", lines)]).replace("VERSION:2.0", &format!("METHOD:{method}\r\nVERSION:2.0"));
    assert_eq!(post(&mut agent, "c-2", t(DAY), &message).skips, []);
    short(&agent)
}

#[test]
fn a_message_does_what_its_method_says() {
    let all = ["03-28T08:00", "03-29T07:00", "03-30T07:00"];
    let at_noon = "SEQUENCE:1\nDTSTART;TZID=Europe/Berlin:20260329T120000";
    let one = "SEQUENCE:1\nRECURRENCE-ID;TZID=Europe/Berlin:20260329T090000\nDTSTART;TZID=Europe/Berlin:20260329T120000";
    for (method, lines, expected) in [
        ("REQUEST", at_noon, ["03-29T10:00"].as_slice()),
        ("PUBLISH", one, &["03-28T08:00", "03-29T10:00", "03-30T07:00"]),
        ("CANCEL", at_noon, &[]),
        ("CANCEL", one, &["03-28T08:00", "03-30T07:00"]),
        // One more beside the series, which stays.
        (
            "ADD",
            at_noon,
            &["03-28T08:00", "03-29T07:00", "03-29T10:00", "03-30T07:00"],
        ),
        // What others answer and propose changes nothing.
        ("REPLY", at_noon, &all),
        ("reply", one, &all),
        ("COUNTER", one, &all),
        ("REFRESH", at_noon, &all),
    ] {
        assert_eq!(after(method, lines), expected, "{method} {lines}");
    }
}

#[test]
fn two_calendars_in_one_file_have_a_method_each() {
    let first = ics(&[("a", "DTSTART:20261103T040000Z")]).replace("VERSION:2.0", "METHOD:CANCEL");
    let second = ics(&[("b", "DTSTART:20261103T050000Z")]);
    let mut agent = calendar();
    post(&mut agent, "c-1", t(MORNING), &(first + &second));
    assert_eq!(short(&agent), ["11-03T05:00"]);
}

#[test]
fn an_event_without_a_name_is_itself_and_cannot_be_answered() {
    let long = format!("UID:{}\r\n", "u".repeat(600));
    for uid in ["", "UID:\r\n", &long] {
        let file = ics(&[(
            "x",
            "DTSTART:20261103T040000Z\nSUMMARY:One\nORGANIZER:mailto:a@b.test\nATTENDEE:mailto:rohan@example.org",
        )]) + &ics(&[("x", "DTSTART:20261103T040000Z\nSUMMARY:Two")]);
        let file = file.replace("UID:x\r\n", uid);
        let mut agent = calendar();
        assert_eq!(post(&mut agent, "c-1", t(MORNING), &file).skips, []);
        // Two names for two events, the same ones when they are read again.
        let ids: Vec<EventId> = agent.instances().iter().map(|i| i.id.clone()).collect();
        assert_eq!(ids.len(), 2);
        assert!(agent.instances().iter().all(|i| !i.unanswered));
        post(&mut agent, "c-2", t(MORNING), &file);
        let again: Vec<EventId> = agent.instances().iter().map(|i| i.id.clone()).collect();
        assert_eq!(again, ids);
    }
}

#[test]
fn tentative_meetings_conflict_and_are_not_free_but_nothing_is_declined_for_them() {
    let invited = "CREATED:20261102T080000Z\nDTSTART:20261103T100000Z\nDTEND:20261103T110000Z\nORGANIZER:mailto:a@b.test\nATTENDEE:mailto:rohan@example.org";
    for (first, declined) in [
        ("STATUS:CONFIRMED", 1),
        ("STATUS:TENTATIVE", 0),
        ("X-MICROSOFT-CDO-BUSYSTATUS:TENTATIVE", 0),
        ("ATTENDEE;PARTSTAT=TENTATIVE:mailto:rohan@example.org", 0),
    ] {
        let first =
            format!("CREATED:20261020T080000Z\nDTSTART:20261103T093000Z\nDTEND:20261103T103000Z\n{first}");
        let (agent, _) = with(&[("first", &first), ("later", invited)], t(MORNING));
        let answer = agent.tick(&question(t(MORNING)), t(MORNING));
        let proposed = answer
            .candidates
            .iter()
            .filter(|c| c.kind == ActionKind::DeclineEvent);
        assert_eq!(
            (answer.readings[1].value, proposed.count()),
            (1.0, declined),
            "{first}"
        );
    }
}
