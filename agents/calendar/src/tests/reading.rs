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
    let context = ZoneContext::new(&zones, None);
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
        ("DTSTART:20261103T040000Z\nDTEND:20261103T030000Z", "AGENT-014"),
        ("DTSTART:20261103T040000Z\nDURATION:soon", "AGENT-014"),
        ("DTSTART:20261103T040000Z\nRECURRENCE-ID:x", "AGENT-014"),
        ("DTSTART:20261103T040000Z\nBEGIN:VALARM", "AGENT-013"),
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
        "FREQ=DAILY;BYDAY=",
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
