//! Files: zones, broken and cut ones, values.

use super::*;
use crate::sources::{
    ics::{self, IcsContext, ParsedCalendar},
    lines::blocks,
    values::{EventTime, duration, geo, when},
    zones::{CalendarZones, EventZone, ZoneContext},
};
use chrono_tz::Tz;
use toolcall_schema::ids::OwnerSeed;

/// A file as an owner in UTC without addresses reads it.
pub(super) fn read(file: &str) -> ParsedCalendar {
    let reader = IcsContext {
        zone: Tz::UTC,
        addresses: &[],
        preferences: &CalendarPreferences::default(),
        key: &OwnerSeed::from_day_seed("places").key("test"),
    };
    ics::read(file.as_bytes(), "f", reader)
}

#[test]
fn times_are_read_in_their_zone_and_floating_ones_in_the_owners() {
    let berlin = Tz::Europe__Berlin;
    let zones = CalendarZones::default();
    let context = ZoneContext::new((&zones, &zones), None);
    for (value, tzid, utc) in [
        ("20261103T090000Z", None, Some("2026-11-03T09:00:00.000Z")),
        ("20261103T090000", None, Some("2026-11-03T08:00:00.000Z")),
        (
            "20261103T090000",
            Some("Asia/Kolkata"),
            Some("2026-11-03T03:30:00.000Z"),
        ),
        (
            "20261103T090000",
            Some("/freeassociation.sourceforge.net/Asia/Kolkata"),
            Some("2026-11-03T03:30:00.000Z"),
        ),
        (
            "20261103T090000",
            Some("/x/America/Argentina/Salta"),
            Some("2026-11-03T12:00:00.000Z"),
        ),
        (
            "20261103T090000Z",
            Some("Asia/Kolkata"),
            Some("2026-11-03T09:00:00.000Z"),
        ),
        ("20261103", None, Some("2026-11-02T23:00:00.000Z")),
        // Nobody knows it: the owner's.
        (
            "20261103T090000",
            Some("Moon/Base"),
            Some("2026-11-03T08:00:00.000Z"),
        ),
        ("20260231T090000Z", None, None),
        ("20261103T250000Z", None, None),
        ("18001103T090000Z", None, None),
        ("", None, None),
    ] {
        let read = when(value, tzid, &context, &EventZone::Owner).ok();
        let read = read.map(|w| Timestamp::from(w.instant(berlin)).to_string());
        assert_eq!(read.as_deref(), utc, "{value} {tzid:?}");
    }
    assert_eq!(
        when("20261103", None, &context, &EventZone::Owner),
        Ok(EventTime::Day("2026-11-03".parse().unwrap()))
    );
}

#[test]
fn durations_and_places_are_read_or_refused() {
    for (value, seconds) in [
        ("PT30M", Some(1800)),
        ("P1DT2H", Some(93_600)),
        ("P2W", Some(1_209_600)),
        ("-PT15M", Some(-900)),
        ("+PT1H30M10S", Some(5410)),
        ("P", None),
        ("PT", None),
        ("PT5", None),
        ("P5M", None),
        ("P999999999999999999999D", None),
        ("P500D", None),
    ] {
        assert_eq!(
            duration(value).map(|d| d.days * 86_400 + d.exact.num_seconds()),
            seconds,
            "{value}"
        );
    }
    assert_eq!(geo("12.5;-77.25").map(|p| (p.lat, p.lon)), Some((12.5, -77.25)));
    for value in ["91;0", "0;181", "NaN;0", "1,2", ""] {
        assert_eq!(geo(value), None, "{value}");
    }
}

#[test]
fn a_file_cut_in_half_loses_its_last_event_only_and_other_files_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let whole = ics(&[
        ("a", "DTSTART:20261103T040000Z"),
        ("b", "DTSTART:20261103T050000Z"),
    ]);
    let cut = whole.find("UID:b").unwrap() + 20;
    std::fs::write(dir.path().join("cut.ics"), &whole[..cut]).unwrap();
    std::fs::write(
        dir.path().join("good.ics"),
        ics(&[("c", "DTSTART:20261103T060000Z")]),
    )
    .unwrap();
    std::fs::write(dir.path().join("noise.ics"), b"\x00\xff").unwrap();
    let mut setup = setup();
    setup.sources.calendar = vec![dir.path().to_owned(), dir.path().join("missing.ics")];
    let mut agent = CalendarAgent::new(setup);
    let answer = ingest(&mut agent, t(MORNING));
    let starts: Vec<String> = times(&agent).into_iter().map(|(start, _)| start).collect();
    assert_eq!(starts, ["2026-11-03T04:00:00.000Z", "2026-11-03T06:00:00.000Z"]);
    let skips: Vec<_> = answer
        .skips
        .iter()
        .map(|s| (s.code.as_str(), s.item.as_str(), s.line))
        .collect();
    // The second event begins in line 8: two lines of head, five of the first event.
    assert_eq!(
        skips,
        [
            ("AGENT-001", "missing.ics", None),
            ("AGENT-013", "cut.ics", Some(8)),
            ("AGENT-012", "noise.ics", Some(1)),
        ]
    );
    assert_eq!((answer.read, answer.skipped), (2, 3));
    // Only the missing one is said again while nothing changes.
    assert_eq!(ingest(&mut agent, t(MORNING)).skipped, 1);
    std::fs::remove_file(dir.path().join("good.ics")).unwrap();
    let gone = ingest(&mut agent, t(MORNING)).facts;
    assert_eq!(gone.len(), 1);
    assert_eq!(times(&agent).len(), 1);
}

#[test]
fn one_broken_event_is_skipped_with_its_line_and_the_others_are_read() {
    for (lines, code) in [
        ("DTSTART:tomorrow", "AGENT-014"),
        ("SUMMARY:no start", "AGENT-014"),
        ("DTSTART:20261103T040000Z\nRECURRENCE-ID:x", "AGENT-014"),
        ("DTSTART;X-A=\"b\" c:20261103T040000Z", "AGENT-013"),
    ] {
        let (agent, answer) = with(
            &[("bad", lines), ("good", "DTSTART:20261103T050000Z")],
            t(MORNING),
        );
        let skips: Vec<_> = answer
            .skips
            .iter()
            .map(|s| (s.code.as_str(), s.item.as_str(), s.line))
            .collect();
        assert_eq!(skips, [(code, "c-1", Some(3))], "{lines}");
        assert_eq!(times(&agent).len(), 1, "{lines}");
    }
}

#[test]
fn what_cannot_be_read_of_an_event_is_left_out_alone() {
    for (lines, named) in [
        // Street and town as iPhones write them.
        (
            "X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-TITLE=Lab Street 5\\; 4041 Linz;X-APPLE-RADIUS=70:geo:48.3,14.2",
            None,
        ),
        // A description that goes on without a fold.
        ("DESCRIPTION:Come early\nParking; ring twice", None),
        ("DESCRIPTION:Come early\nParking; ring: twice", None),
        ("ATTENDEE;CN=\"Tom\" Miller:mailto:tom@example.org", Some(1)),
        ("ORGANIZER;CN=Joe", None),
        ("GEO;X=1", None),
        ("BEGIN:VALARM\nTRIGGER:-PT15M", None),
        (
            "BEGIN:VALARM\nX-A;B=\"c\" d:e\nTRIGGER;B=\"c\" d:-PT15M\nEND:VALARM",
            Some(2),
        ),
        ("DTEND:20261103T030000Z", Some(1)),
        ("DTEND:20281103T040000Z", Some(1)),
        ("DURATION:soon", Some(1)),
    ] {
        let lines = format!("SUMMARY:Dinner\nDTSTART:20261103T040000Z\n{lines}");
        let (agent, answer) = with(
            &[("bad", &lines), ("good", "DTSTART:20261103T050000Z")],
            t(MORNING),
        );
        let skips: Vec<_> = answer
            .skips
            .iter()
            .map(|s| (s.code.as_str(), s.line, s.count))
            .collect();
        let expected: Vec<_> = named.map(|n| ("AGENT-038", Some(3), n)).into_iter().collect();
        assert_eq!(skips, expected, "{lines}");
        let starts: Vec<String> = times(&agent).into_iter().map(|(start, _)| start).collect();
        assert_eq!(
            starts,
            ["2026-11-03T04:00:00.000Z", "2026-11-03T05:00:00.000Z"],
            "{lines}"
        );
    }
}

#[test]
fn calendars_of_one_file_define_their_own_zones() {
    let calendar = |offset: &str, uid: &str| {
        format!(
            "BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VTIMEZONE\nTZID:Custom\nBEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETFROM:{offset}\nTZOFFSETTO:{offset}\nEND:STANDARD\nEND:VTIMEZONE\n\
             BEGIN:VEVENT\nUID:{uid}\nDTSTART;TZID=Custom:20260720T120000\nEND:VEVENT\nEND:VCALENDAR\n"
        )
    };
    let read = read(&[calendar("+0100", "a"), calendar("-0500", "b")].concat());
    let starts: Vec<String> = read
        .events
        .iter()
        .map(|event| Timestamp::from(event.start.instant(Tz::UTC)).to_string())
        .collect();
    assert_eq!(starts, ["2026-07-20T11:00:00.000Z", "2026-07-20T17:00:00.000Z"]);
}

#[test]
fn a_midnight_of_any_zone_replaces_or_leaves_out_its_day() {
    // In Kolkata, where the owner is, a day begins at 18:30 of UTC the day before.
    let day = |n: u32| format!("2026-11-0{n}T18:30:00.000Z");
    let series = "DTSTART;VALUE=DATE:20261102\nRRULE:FREQ=DAILY;COUNT=3";
    let starts = |events: &[(&str, &str)]| -> Vec<String> {
        let (agent, answer) = with(events, t(MORNING));
        assert_eq!(answer.skips, []);
        times(&agent).into_iter().map(|(start, _)| start).collect()
    };
    for id in [
        "RECURRENCE-ID;TZID=Asia/Tokyo:20261103T000000",
        "RECURRENCE-ID:20261102T183000Z",
        "RECURRENCE-ID;TZID=America/New_York:20261103T000000",
        "RECURRENCE-ID;VALUE=DATE:20261103",
    ] {
        let other = format!("{id}\nDTSTART;VALUE=DATE:20261103\nSUMMARY:Other");
        assert_eq!(
            starts(&[("s", series), ("s", &other)]),
            [day(1), day(2), day(3)],
            "{id}"
        );
    }
    for left_out in [
        "EXDATE;TZID=Asia/Tokyo:20261103T000000",
        "EXDATE:20261102T183000Z",
        "EXDATE:20261103T000000Z",
    ] {
        let series = format!("{series}\n{left_out}");
        assert_eq!(starts(&[("s", &series)]), [day(1), day(3)], "{left_out}");
    }
}

#[test]
fn two_events_of_one_uid_are_two_unless_one_is_a_version_of_the_other() {
    let first = ("same", "DTSTART:20261103T040000Z\nSUMMARY:Dentist");
    for (second, count) in [
        ("DTSTART:20261104T040000Z\nSUMMARY:Parents' evening", 2),
        // Moved, renamed, and both in a later version.
        ("DTSTART:20261104T040000Z\nSUMMARY:Dentist", 1),
        ("DTSTART:20261103T040000Z\nSUMMARY:Parents' evening", 1),
        (
            "DTSTART:20261104T040000Z\nSUMMARY:Parents' evening\nSEQUENCE:1",
            1,
        ),
    ] {
        let (agent, _) = with(&[first, ("same", second)], t(MORNING));
        assert_eq!(times(&agent).len(), count, "{second}");
    }
}

#[test]
fn letters_of_older_programs_are_read() {
    let reader = IcsContext {
        zone: Tz::UTC,
        addresses: &[],
        preferences: &CalendarPreferences::default(),
        key: &OwnerSeed::from_day_seed("places").key("test"),
    };
    let bytes = b"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:a\r\nSUMMARY:M\xfcller \x80 5\r\nDTSTART:20261103T040000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    let read = ics::read(bytes, "f", reader);
    assert_eq!(read.events[0].summary.as_deref(), Some("Müller € 5"));
}

#[test]
fn an_event_without_a_calendar_around_it_is_read() {
    let file = "BEGIN:VEVENT\nUID:a\nDTSTART:20261103T040000Z\nEND:VEVENT\n";
    let read = read(file);
    assert_eq!((read.events.len(), read.skips.len(), read.whole), (1, 0, false));
}

#[test]
fn a_birthday_whose_year_nobody_said_is_on_its_day() {
    let (agent, answer) = with(
        &[("b", "DTSTART;VALUE=DATE:16041103\nRRULE:FREQ=YEARLY")],
        t(MORNING),
    );
    assert_eq!(answer.skips, []);
    let starts: Vec<String> = times(&agent).into_iter().map(|(start, _)| start).collect();
    assert_eq!(starts, ["2026-11-02T18:30:00.000Z"]);
}

#[test]
fn a_rule_that_cannot_be_expanded_is_named_and_its_events_other_dates_count() {
    let start = "2026-11-03T04:00:00.000Z";
    let extra = "2026-11-04T04:00:00.000Z";
    for rule in [
        "FREQ=NEVER",
        "FREQ=SECONDLY",
        "FREQ=MINUTELY",
        "INTERVAL=2",
        "FREQ=DAILY;COUNT=5;UNTIL=soon",
        "FREQ=DAILY;COUNT=0",
        "FREQ=DAILY;COUNT=5;COUNT=6",
        "FREQ=DAILY;BYMONTHDAY=0",
        "FREQ=DAILY;BYMONTH=13",
        "FREQ=DAILY;BYDAY=2MO",
        "FREQ=DAILY;BYSETPOS=1",
        "FREQ=DAILY;BYYEARDAY=1",
        "FREQ=WEEKLY;BYMONTHDAY=1",
        "FREQ=MONTHLY;BYWEEKNO=1",
        "FREQ=YEARLY;BYWEEKNO=1;BYDAY=1MO",
        "FREQ=YEARLY;RSCALE=HEBREW",
        "FREQ=YEARLY;BYEASTER=0",
    ] {
        let lines = format!("DTSTART:20261103T040000Z\nRRULE:{rule}\nRDATE:20261104T040000Z");
        let (agent, answer) = with(&[("x", &lines)], t(MORNING));
        let skips: Vec<_> = answer.skips.iter().map(|s| (s.code.as_str(), s.line)).collect();
        assert_eq!(skips, [("AGENT-015", Some(3))], "{rule}");
        assert_eq!((answer.read, answer.skipped), (1, 1), "{rule}");
        let starts: Vec<String> = times(&agent).into_iter().map(|(start, _)| start).collect();
        assert_eq!(starts, [start, extra], "{rule}");
    }
}

#[test]
fn folds_inside_a_character_and_a_byte_order_mark_are_read() {
    let text = "\u{feff}BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:ü\r\nDTSTART:2026\r\n 1103T040000Z\r\nEND:VEVENT\r\nEND:VCALENDAR";
    let split = text.find('ü').unwrap() + 1;
    let bytes = [&text.as_bytes()[..split], b"\r\n ", &text.as_bytes()[split..]].concat();
    let blocks = blocks(&bytes);
    assert_eq!(blocks.skips, []);
    let [event] = blocks.blocks.as_slice() else {
        panic!("one event")
    };
    assert_eq!(
        event.text(),
        "BEGIN:VEVENT\r\nUID:ü\r\nDTSTART:20261103T040000Z\r\nEND:VEVENT\r\n"
    );
}

#[test]
fn files_in_utf16_are_read() {
    let text = ics(&[
        ("ü", "SUMMARY:Über den Dächern\nDTSTART:20261103T040000Z"),
        ("bad", "DTSTART:tomorrow"),
    ]);
    let units: Vec<u16> = text.encode_utf16().collect();
    let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
    for bytes in [
        [b"\xff\xfe", little.as_slice()].concat(),
        [b"\xfe\xff", big.as_slice()].concat(),
        little,
        big,
    ] {
        let reader = IcsContext {
            zone: Tz::UTC,
            addresses: &[],
            preferences: &CalendarPreferences::default(),
            key: &OwnerSeed::from_day_seed("places").key("test"),
        };
        let read = ics::read(&bytes, "f", reader);
        assert_eq!(read.events[0].summary.as_deref(), Some("Über den Dächern"));
        assert_eq!((read.events[0].uid.as_str(), read.events.len()), ("ü", 1));
        // Two lines of head, six of the first event.
        let skips: Vec<_> = read
            .skips
            .iter()
            .map(|skip| (skip.code.code, skip.line))
            .collect();
        assert_eq!((skips, read.whole), (vec![("AGENT-014", 9)], true));
        // Cut off within a character.
        let half = ics::read(&bytes[..bytes.len() - 7], "f", reader);
        assert_eq!((half.events.len(), half.whole), (1, false));
    }
}

#[test]
fn a_deeply_nested_or_huge_event_is_skipped() {
    let deep = "BEGIN:X\n".repeat(5000) + &"END:X\n".repeat(5000);
    let huge = format!("DESCRIPTION:{}", "x".repeat(1024 * 1024));
    for lines in [&deep, &huge] {
        let file = ics(&[("bad", lines), ("good", "DTSTART:20261103T050000Z")]);
        let read = read(&file);
        let codes: Vec<_> = read
            .skips
            .iter()
            .map(|skip| (skip.code.code, skip.line))
            .collect();
        assert_eq!((codes, read.events.len()), (vec![("AGENT-013", 3)], 1));
    }
}

#[test]
fn more_events_than_the_limit_are_counted_and_left_out() {
    let many: Vec<(String, &str)> = (0..event_index::MAX_EVENTS + 3)
        .map(|n| (format!("e{n}"), "DTSTART:20200101T000000Z"))
        .collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(uid, lines)| (uid.as_str(), *lines)).collect();
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("many.ics"), ics(&many)).unwrap();
    let mut setup = setup();
    setup.sources.calendar = vec![dir.path().to_owned()];
    let mut agent = CalendarAgent::new(setup);
    let answer = ingest(&mut agent, t(MORNING));
    assert_eq!((answer.read, answer.skipped), (131_072, 3));
    // A file that takes its place, or grows, finds the room that the others left.
    let two = |uids: [&str; 2]| ics(&uids.map(|uid| (uid, "DTSTART:20200101T000000Z")));
    std::fs::remove_file(dir.path().join("many.ics")).unwrap();
    std::fs::write(dir.path().join("two.ics"), two(["a", "b"])).unwrap();
    let answer = ingest(&mut agent, t(MORNING));
    assert_eq!((answer.read, answer.skipped, answer.holds), (2, 0, Some(2)));
    std::fs::write(
        dir.path().join("two.ics"),
        ics(&[("long-name-of-another", "DTSTART:20200101T000000Z")]),
    )
    .unwrap();
    let answer = ingest(&mut agent, t(MORNING));
    assert_eq!((answer.read, answer.skipped, answer.holds), (1, 0, Some(1)));
}

#[test]
fn focus_blocks_are_known_by_category_or_name_and_transparent_events_do_not_run() {
    for (lines, focus, told) in [
        ("CATEGORIES:Work,FOCUS", true, 1),
        ("SUMMARY:focus: writing", true, 1),
        ("SUMMARY:Refocus", false, 1),
        ("TRANSP:TRANSPARENT", false, 0),
        ("TRANSP:TRANSPARENT\nCATEGORIES:Focus", true, 1),
    ] {
        let event = format!("DTSTART:20261103T040000Z\nDTEND:20261103T050000Z\n{lines}");
        let (agent, answer) = with(&[("x", &event)], t(MORNING));
        assert_eq!(agent.instances()[0].focus, focus, "{lines}");
        assert_eq!(answer.facts.len(), told, "{lines}");
    }
}
