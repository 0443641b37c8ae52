//! Recurrence: both edges of daylight saving, overrides, exceptions, ends.

use super::*;
use chrono_tz::Tz;

/// The starts of an owner's instances in the window around `at`.
fn starts(zone: Tz, at: &str, events: &[(&str, &str)]) -> Vec<String> {
    let mut setup = setup();
    setup.owner.zone = zone;
    let mut agent = CalendarAgent::new(setup);
    let answer = post(&mut agent, "c-1", t(at), &ics(events));
    assert_eq!(answer.skips, []);
    times(&agent).into_iter().map(|(start, _)| start).collect()
}

fn one(zone: Tz, at: &str, lines: &str) -> Vec<String> {
    starts(zone, at, &[("x", lines)])
}

#[test]
fn a_daily_event_keeps_its_wall_clock_time_over_both_edges() {
    for (zone, tzid, at, expected) in [
        // Berlin goes from +01:00 to +02:00 on 2026-03-29: 09:00 is 08:00 UTC, then 07:00 UTC.
        (
            Tz::Europe__Berlin,
            "Europe/Berlin",
            "2026-03-28T12:00:00Z",
            [
                "2026-03-27T08:00:00.000Z",
                "2026-03-28T08:00:00.000Z",
                "2026-03-29T07:00:00.000Z",
            ],
        ),
        // And back on 2026-10-25.
        (
            Tz::Europe__Berlin,
            "Europe/Berlin",
            "2026-10-24T12:00:00Z",
            [
                "2026-10-23T07:00:00.000Z",
                "2026-10-24T07:00:00.000Z",
                "2026-10-25T08:00:00.000Z",
            ],
        ),
        // Kolkata has no daylight saving.
        (
            Tz::Asia__Kolkata,
            "Asia/Kolkata",
            "2026-03-28T12:00:00Z",
            [
                "2026-03-27T03:30:00.000Z",
                "2026-03-28T03:30:00.000Z",
                "2026-03-29T03:30:00.000Z",
            ],
        ),
    ] {
        let lines = format!("DTSTART;TZID={tzid}:20200101T090000\nRRULE:FREQ=DAILY");
        assert_eq!(one(zone, at, &lines), expected, "{tzid} {at}");
    }
}

#[test]
fn a_time_in_the_gap_falls_after_it_and_a_time_in_the_fold_is_the_first() {
    let lines = "DTSTART;TZID=Europe/Berlin:20260320T023000\nRRULE:FREQ=DAILY";
    assert_eq!(
        one(Tz::Europe__Berlin, "2026-03-29T12:00:00Z", lines),
        [
            "2026-03-28T01:30:00.000Z",
            "2026-03-29T01:30:00.000Z",
            "2026-03-30T00:30:00.000Z"
        ]
    );
    assert_eq!(
        one(Tz::Europe__Berlin, "2026-10-25T12:00:00Z", lines),
        [
            "2026-10-24T00:30:00.000Z",
            "2026-10-25T00:30:00.000Z",
            "2026-10-26T01:30:00.000Z"
        ]
    );
}

#[test]
fn a_series_ends_where_until_or_count_say() {
    let at = "2026-11-03T12:00:00Z";
    for (rule, expected) in [
        ("FREQ=DAILY;UNTIL=20261103T090000Z", vec!["02", "03"]),
        ("FREQ=DAILY;UNTIL=20261103T085959Z", vec!["02"]),
        // A date means the end of that day in the event's zone.
        ("FREQ=DAILY;UNTIL=20261103", vec!["02", "03"]),
        ("FREQ=DAILY;UNTIL=20261102T200000", vec!["02"]),
        ("FREQ=DAILY;COUNT=307", vec!["02", "03"]),
        ("FREQ=DAILY;COUNT=306", vec!["02"]),
        // DTSTART counts as the first, whether its rule names it or not (RFC 5545, 3.3.10): 1 January, then the Mondays from 5 January on;
        // 2 November is the 44th of them.
        ("FREQ=WEEKLY;BYDAY=MO;COUNT=45", vec!["02"]),
        ("FREQ=WEEKLY;BYDAY=MO;COUNT=44", vec![]),
        // The Thursdays: the first is DTSTART itself, 5 November is the 45th.
        ("FREQ=WEEKLY;COUNT=44", vec![]),
        ("FREQ=DAILY;INTERVAL=2", vec!["03"]),
        ("FREQ=WEEKLY;BYDAY=MO,WE", vec!["02", "04"]),
        // The week of 2 November is 44 weeks after the first one.
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=WE", vec!["04"]),
        ("FREQ=WEEKLY;INTERVAL=3;BYDAY=WE", vec![]),
        ("FREQ=MONTHLY;BYDAY=1TU", vec!["03"]),
        ("FREQ=MONTHLY;BYMONTHDAY=-27", vec!["04"]),
        ("FREQ=YEARLY;BYMONTH=11;BYMONTHDAY=4", vec!["04"]),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", vec![]),
        // The fifth last Monday of a month with five: 2 November is the first of 2, 9, 16, 23 and 30.
        ("FREQ=MONTHLY;BYDAY=-5MO", vec!["02"]),
        ("FREQ=MONTHLY;BYDAY=-5TU", vec![]),
        // 2 November begins week 45 of 2026, which has 53 weeks.
        ("FREQ=YEARLY;BYWEEKNO=45;BYDAY=MO,WE", vec!["02", "04"]),
        ("FREQ=YEARLY;BYWEEKNO=-9;BYDAY=TU", vec!["03"]),
        ("FREQ=YEARLY;BYYEARDAY=307", vec!["03"]),
        ("FREQ=YEARLY;BYYEARDAY=-59", vec!["03"]),
        ("FREQ=YEARLY;BYDAY=44MO", vec!["02"]),
        (
            "RSCALE=GREGORIAN;FREQ=DAILY;SKIP=OMIT;UNTIL=20261102T200000",
            vec!["02"],
        ),
    ] {
        // Of 2026: 1 January is a Thursday; 3 November is its 307th day.
        let lines = format!("DTSTART:20260101T090000Z\nRRULE:{rule}");
        let expected: Vec<String> = expected
            .iter()
            .map(|d| format!("2026-11-{d}T09:00:00.000Z"))
            .collect();
        assert_eq!(one(Tz::UTC, at, &lines), expected, "{rule}");
    }
}

#[test]
fn years_of_weeks_are_counted_by_their_weeks() {
    // Mondays of first weeks (ISO 8601): 30 December 2024 (of 2025), 29 December 2025 (2026), 4 January 2027, 3 January 2028. From 2025 on, every
    // second year of weeks: those of 2025, 2027, 2029 (1 January 2029 is a Monday).
    let lines = "DTSTART:20241230T090000Z\nRRULE:FREQ=YEARLY;INTERVAL=2;BYWEEKNO=1;BYDAY=MO";
    for (at, expected) in [
        ("2024-12-30T12:00:00Z", 1),
        ("2025-12-29T12:00:00Z", 0),
        ("2027-01-04T12:00:00Z", 1),
        ("2028-01-03T12:00:00Z", 0),
        ("2029-01-01T12:00:00Z", 1),
    ] {
        assert_eq!(one(Tz::UTC, at, lines).len(), expected, "{at}");
    }
    // The last week of the year of weeks 2026 is its 53rd, from 28 December; its Sunday is 3 January 2027.
    let lines = "DTSTART:20260104T090000Z\nRRULE:FREQ=YEARLY;BYWEEKNO=53;BYDAY=SU";
    assert_eq!(
        one(Tz::UTC, "2027-01-03T12:00:00Z", lines),
        ["2027-01-03T09:00:00.000Z"]
    );
}

#[test]
fn hours_over_both_edges_of_daylight_saving_are_those_on_the_wall() {
    // Berlin leaves out 02:00 to 03:00 on 29 March: what falls there is what comes at 03:30, once, and counts once.
    let lines = "DTSTART;TZID=Europe/Berlin:20260329T003000\nRRULE:FREQ=HOURLY;COUNT=5";
    let hours = |expected: [&str; 5]| expected.map(|time| format!("2026-{time}:00.000Z"));
    assert_eq!(
        one(Tz::UTC, "2026-03-29T12:00:00Z", lines),
        hours([
            "03-28T23:30",
            "03-29T00:30",
            "03-29T01:30",
            "03-29T02:30",
            "03-29T03:30"
        ])
    );
    // On 25 October 02:00 to 03:00 comes twice: the first.
    let lines = "DTSTART;TZID=Europe/Berlin:20261025T003000\nRRULE:FREQ=HOURLY;COUNT=5";
    assert_eq!(
        one(Tz::UTC, "2026-10-25T12:00:00Z", lines),
        hours([
            "10-24T22:30",
            "10-24T23:30",
            "10-25T00:30",
            "10-25T02:30",
            "10-25T03:30"
        ])
    );
}

#[test]
fn several_rules_join_each_with_its_own_end() {
    // 3 November 2026 is a Tuesday.
    for (rules, expected) in [
        (
            "RRULE:FREQ=WEEKLY;BYDAY=MO\nRRULE:FREQ=WEEKLY;BYDAY=WE",
            vec!["02", "04"],
        ),
        // The first has ended, the second has not.
        (
            "RRULE:FREQ=DAILY;UNTIL=20261031T090000Z\nRRULE:FREQ=WEEKLY;BYDAY=WE;UNTIL=20261104T090000Z",
            vec!["04"],
        ),
        // Both give Tuesday: it is one.
        (
            "RRULE:FREQ=DAILY\nRRULE:FREQ=WEEKLY;BYDAY=TU",
            vec!["02", "03", "04"],
        ),
        (
            "RRULE:FREQ=DAILY;COUNT=3\nRRULE:FREQ=MONTHLY;BYMONTHDAY=3\nEXDATE:20261103T090000Z",
            vec![],
        ),
        // An extra date after the end of the rule, and one after the end of its count.
        (
            "RRULE:FREQ=WEEKLY;UNTIL=20261008T090000Z\nRDATE:20261103T090000Z",
            vec!["03"],
        ),
        (
            "RRULE:FREQ=WEEKLY;COUNT=2\nRDATE:20261103T090000Z,20261202T090000Z",
            vec!["03"],
        ),
    ] {
        let lines = format!("DTSTART:20261001T090000Z\n{rules}");
        let expected: Vec<String> = expected
            .iter()
            .map(|d| format!("2026-11-{d}T09:00:00.000Z"))
            .collect();
        assert_eq!(one(Tz::UTC, "2026-11-03T12:00:00Z", &lines), expected, "{rules}");
    }
    // As the defect was found: 9 June lies after the rule's end.
    let lines = "DTSTART:20260601T070000Z\nRRULE:FREQ=WEEKLY;UNTIL=20260608T070000Z\nRDATE:20260609T070000Z";
    assert_eq!(
        one(Tz::UTC, "2026-06-09T12:00:00Z", lines),
        ["2026-06-08T07:00:00.000Z", "2026-06-09T07:00:00.000Z"]
    );
    // The 17th rule is named; the others count.
    let many = "RRULE:FREQ=WEEKLY;BYDAY=TU\n".repeat(16);
    let lines = format!("DTSTART:20261001T090000Z\n{many}RRULE:FREQ=DAILY");
    let (agent, answer) = with(&[("x", &lines)], t(MORNING));
    assert_eq!((answer.skips[0].code.as_str(), answer.skipped), ("AGENT-015", 1));
    assert_eq!(times(&agent).len(), 1);
}

#[test]
fn exceptions_extras_and_overrides_are_applied() {
    let series = "DTSTART;TZID=Asia/Kolkata:20261001T090000\nRRULE:FREQ=DAILY\nEXDATE;TZID=Asia/Kolkata:20261102T090000,20261005T090000\nRDATE;TZID=Asia/Kolkata:20261103T200000";
    let moved = "RECURRENCE-ID;TZID=Asia/Kolkata:20261103T090000\nDTSTART;TZID=Asia/Kolkata:20261103T103000";
    let cancelled = "RECURRENCE-ID;TZID=Asia/Kolkata:20261104T090000\nSTATUS:CANCELLED\nDTSTART;TZID=Asia/Kolkata:20261104T090000";
    let events = [("s", series), ("s", moved), ("s", cancelled)];
    let mut expected = vec!["2026-11-03T05:00:00.000Z", "2026-11-03T14:30:00.000Z"];
    assert_eq!(starts(Tz::Asia__Kolkata, MORNING, &events), expected);
    // The order in the file does not matter.
    let events = [("s", cancelled), ("s", moved), ("s", series)];
    assert_eq!(starts(Tz::Asia__Kolkata, MORNING, &events), expected);
    expected = vec![
        "2026-11-03T03:30:00.000Z",
        "2026-11-03T14:30:00.000Z",
        "2026-11-04T03:30:00.000Z",
    ];
    assert_eq!(starts(Tz::Asia__Kolkata, MORNING, &[("s", series)]), expected);
}

#[test]
fn a_moved_instance_keeps_its_name() {
    let series = "DTSTART:20261101T090000Z\nRRULE:FREQ=DAILY";
    let moved = "RECURRENCE-ID:20261103T090000Z\nDTSTART:20261103T110000Z";
    let (agent, _) = with(&[("s", series), ("s", moved)], t(MORNING));
    let moved = agent
        .instances()
        .iter()
        .find(|i| i.start == t("2026-11-03T11:00:00Z"))
        .unwrap();
    assert_eq!(moved.id, id("s", "2026-11-03T09:00:00Z"));
}

#[test]
fn an_old_series_costs_no_more_than_a_new_one() {
    // 126 years of days: far more than the limit of 20000 instances, were they all counted.
    let lines = "DTSTART:19000101T090000Z\nRRULE:FREQ=DAILY";
    assert_eq!(one(Tz::UTC, "2026-11-03T12:00:00Z", lines).len(), 3);
    let lines = "DTSTART:19000101T090000Z\nRRULE:FREQ=WEEKLY;INTERVAL=3;BYDAY=TU;WKST=SU";
    // 1900-01-01 was a Monday; the Tuesdays of every third week from 1900-01-02 on: 2026-11-03 is 46327 days = 6618 weeks
    // and a day after it, 6618 = 3 * 2206.
    let all: Vec<String> = [
        "2026-11-03T12:00:00Z",
        "2026-11-10T12:00:00Z",
        "2026-11-17T12:00:00Z",
        "2026-11-24T12:00:00Z",
    ]
    .iter()
    .flat_map(|at| one(Tz::UTC, at, lines))
    .collect();
    assert_eq!(all, ["2026-11-03T09:00:00.000Z", "2026-11-24T09:00:00.000Z"]);
}

#[test]
fn the_newest_copy_of_an_event_wins_whatever_file_it_is_in() {
    let dir = tempfile::tempdir().unwrap();
    let at = |hour: u32, sequence: u32| {
        ics(&[(
            "x",
            &format!("SEQUENCE:{sequence}\nDTSTART:20261103T{hour:02}0000Z"),
        )])
    };
    std::fs::write(dir.path().join("a.ics"), at(10, 2)).unwrap();
    std::fs::write(dir.path().join("b.ics"), at(11, 1)).unwrap();
    let mut setup = setup();
    setup.sources.calendar = vec![dir.path().to_owned()];
    let mut agent = CalendarAgent::new(setup);
    ingest(&mut agent, t(MORNING));
    assert_eq!(times(&agent).len(), 1);
    assert_eq!(times(&agent)[0].0, "2026-11-03T10:00:00.000Z");
}

#[test]
fn a_meeting_that_began_yesterday_is_still_there() {
    let lines = "DTSTART:20261101T180000Z\nDURATION:PT20H\nRRULE:FREQ=WEEKLY";
    let (agent, _) = with(&[("night", lines)], t(MORNING));
    assert_eq!(
        times(&agent),
        [(
            "2026-11-01T18:00:00.000Z".to_owned(),
            "2026-11-02T14:00:00.000Z".to_owned()
        )]
    );
}
