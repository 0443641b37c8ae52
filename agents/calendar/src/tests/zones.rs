//! Zones: by name, as files define them, and what the clocks do to events in them.

use super::{reading::read, *};
use chrono_tz::Tz;

/// A calendar with a definition and an event in it.
fn defined(definition: &str, event: &str) -> String {
    format!(
        "BEGIN:VCALENDAR\nVERSION:2.0\n{definition}BEGIN:VEVENT\nUID:x\n{event}\nEND:VEVENT\nEND:VCALENDAR\n"
    )
    .replace('\n', "\r\n")
}

/// The instants at which a file's events start.
fn starts_of(file: &str) -> Result<Vec<String>, Vec<&'static str>> {
    let read = read(file);
    let starts = |event: &CalendarEvent| Timestamp::from(event.start.instant(Tz::UTC)).to_string();
    if read.skips.is_empty() {
        Ok(read.events.iter().map(starts).collect())
    } else {
        Err(read.skips.iter().map(|skip| skip.code.code).collect())
    }
}

/// As Exchange writes a zone: it begins in 1601 and its rules hold for all years.
fn exchange(tzid: &str) -> String {
    format!(
        "BEGIN:VTIMEZONE\nTZID:{tzid}\nBEGIN:STANDARD\nDTSTART:16010101T030000\nTZOFFSETFROM:+0200\nTZOFFSETTO:+0100\nRRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10\nEND:STANDARD\nBEGIN:DAYLIGHT\nDTSTART:16010101T020000\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0200\nRRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3\nEND:DAYLIGHT\nEND:VTIMEZONE\n"
    )
}

#[test]
fn a_zone_is_known_by_iana_alias_vendor_prefix_and_windows_name() {
    // 09:00 on 3 November 2026, when the north has winter time.
    for (tzid, utc) in [
        ("Europe/Berlin", "08:00"),
        ("Asia/Calcutta", "03:30"),
        ("US/Eastern", "14:00"),
        ("GMT", "09:00"),
        ("/freeassociation.sourceforge.net/Europe/Berlin", "08:00"),
        ("/softwarestudio.org/Olson_20011030_5/America/New_York", "14:00"),
        ("/citadel.org/20210210_1/America/Argentina/Ushuaia", "12:00"),
        ("W. Europe Standard Time", "08:00"),
        ("Romance Standard Time", "08:00"),
        ("Central European Standard Time", "08:00"),
        ("GMT Standard Time", "09:00"),
        ("India Standard Time", "03:30"),
        ("Eastern Standard Time", "14:00"),
        ("Pacific Standard Time", "17:00"),
        ("US Mountain Standard Time", "16:00"),
        ("AUS Eastern Standard Time", "-22:00"),
        ("Lord Howe Standard Time", "-22:00"),
        ("Nepal Standard Time", "03:15"),
        ("Tokyo Standard Time", "00:00"),
        ("Morocco Standard Time", "08:00"),
        ("UTC", "09:00"),
        ("UTC-11", "20:00"),
        ("\"Europe/Berlin\"", "08:00"),
        // In any case, with spaces for underscores.
        ("europe/berlin", "08:00"),
        ("EUROPE/BERLIN", "08:00"),
        ("America/New York", "14:00"),
        ("/freeassociation.sourceforge.net/europe/berlin", "08:00"),
        ("w. europe standard time", "08:00"),
        // The names of Outlook's list, as CLDR has them, and older spellings.
        (
            "\"(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna\"",
            "08:00",
        ),
        (
            "\"(GMT+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna\"",
            "08:00",
        ),
        ("\"Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna\"", "08:00"),
        ("\"(UTC+05:30) Chennai, Kolkata, Mumbai, New Delhi\"", "03:30"),
        ("(UTC-05:00) Eastern Time (US & Canada)", "14:00"),
        ("(GMT-08:00) Pacific Time (US & Canada)", "17:00"),
        ("Central Time (US and Canada)", "15:00"),
        (
            "\"(UTC+02:00) Helsinki, Kyiv, Riga, Sofia, Tallinn, Vilnius\"",
            "07:00",
        ),
        (
            "\"(UTC+02:00) Helsinki, Kiev, Riga, Sofia, Tallinn, Vilnius\"",
            "07:00",
        ),
        ("\"(UTC+10:00) Canberra, Melbourne, Sydney\"", "-22:00"),
        ("(UTC) Coordinated Universal Time", "09:00"),
        (
            "\"(GMT) Greenwich Mean Time : Dublin, Edinburgh, Lisbon, London\"",
            "09:00",
        ),
        ("(UTC+06:30) Yangon (Rangoon)", "02:30"),
        // As Windows calls them in summer, and CLDR and Lotus Notes in any season.
        ("W. Europe Daylight Time", "08:00"),
        ("Eastern Daylight Time", "14:00"),
        ("Central European Summer Time", "08:00"),
        ("Central European Time", "08:00"),
        ("British Summer Time", "09:00"),
        ("Western/Central Europe", "08:00"),
        ("W. Europe", "08:00"),
        // Exchange.
        ("tzone://Microsoft/Utc", "09:00"),
        // Offsets: a plus is east, but for the tz database's own names.
        ("UTC+2", "07:00"),
        ("UTC+02", "07:00"),
        ("utc+02:00", "07:00"),
        ("GMT+0530", "03:30"),
        ("GMT+530", "03:30"),
        ("GMT +5:30", "03:30"),
        ("GMT-3", "12:00"),
        ("(UTC-03:00)", "12:00"),
        ("+05:30", "03:30"),
        ("-0800", "17:00"),
        ("UTC+14", "-19:00"),
        ("Etc/GMT+5", "14:00"),
    ] {
        let tzid = if tzid.contains(':') && !tzid.starts_with('"') {
            format!("\"{tzid}\"")
        } else {
            tzid.to_owned()
        };
        let file = defined("", &format!("DTSTART;TZID={tzid}:20261103T090000"));
        let (day, utc) = utc.strip_prefix('-').map_or(("03", utc), |utc| ("02", utc));
        let expected = format!("2026-11-{day}T{utc}:00.000Z");
        assert_eq!(starts_of(&file), Ok(vec![expected]), "{tzid}");
    }
}

#[test]
fn a_zone_that_nobody_knows_is_read_as_the_owners_and_said_to_be_uncertain() {
    let event = "SUMMARY:Visit\nDTSTART;TZID=Customized Time Zone:20260601T090000\nDTEND;TZID=Customized Time Zone:20260601T100000\nX-AURA-TRAVEL-MIN:30\nORGANIZER:mailto:a@b.test\nATTENDEE:mailto:rohan@example.org";
    for definition in [
        "",
        // Of another name; without an observance; with one that says no offset; cut off.
        &exchange("Another"),
        "BEGIN:VTIMEZONE\nTZID:Customized Time Zone\nEND:VTIMEZONE\n",
        "BEGIN:VTIMEZONE\nTZID:Customized Time Zone\nBEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETFROM:soon\nTZOFFSETTO:+0100\nEND:STANDARD\nEND:VTIMEZONE\n",
        "BEGIN:VTIMEZONE\nTZID:Customized Time Zone\nBEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETFROM:+0200\nTZOFFSETTO:+2500\nEND:STANDARD\nEND:VTIMEZONE\n",
    ] {
        let mut setup = setup();
        setup.owner.addresses = vec!["rohan@example.org".to_owned()];
        let mut agent = CalendarAgent::new(setup);
        let at = t("2026-06-01T02:00:00Z");
        let answer = post(&mut agent, "c-1", at, &defined(definition, event));
        let skips: Vec<_> = answer
            .skips
            .iter()
            .map(|s| (s.code.as_str(), s.item.as_str()))
            .collect();
        assert_eq!(skips, [("AGENT-030", "c-1")], "{definition}");
        assert!(answer.skips[0].line.is_some());
        assert_eq!((answer.read, answer.skipped), (1, 1), "{definition}");
        // 09:00 in Kolkata. No way begins at it, nothing is declined for it, it is not declined.
        assert_eq!(times(&agent)[0].0, "2026-06-01T03:30:00.000Z", "{definition}");
        let instance = &agent.instances()[0];
        let marked = (instance.uncertain, instance.travel, instance.unanswered);
        assert_eq!(marked, (true, None, false), "{definition}");
        assert!(matches!(
            answer.facts.as_slice(),
            [IngestFact::EventChanged { .. }]
        ));
        assert_eq!(agent.tick(&question(at), at).candidates, [], "{definition}");
        // Its name says so wherever it is shown.
        let asked = json!({"ids": [instance.id]});
        let mut host = agents_base::host::AgentHost::new(Box::new(agent));
        let tool = toolcall_schema::ToolName::CalendarDescribe;
        let named = crate::testing::ask(&mut host, tool, &asked, at).unwrap();
        assert_eq!(named["labels"][0]["label"], "Visit (time zone unknown)");
    }
    // Also one date of a series in such a zone makes its event uncertain, once.
    let series =
        "DTSTART:20260601T090000Z\nRRULE:FREQ=DAILY\nEXDATE;TZID=Moon/Base:20260602T090000,20260603T090000";
    assert_eq!(starts_of(&defined("", series)), Err(vec!["AGENT-030"]));
}

#[test]
fn a_calendar_that_names_its_zone_means_it_where_its_events_do_not() {
    let event = |lines: &str| format!("BEGIN:VEVENT\nUID:x\n{lines}\nEND:VEVENT\n");
    for (calendar, lines, utc) in [
        ("X-WR-TIMEZONE:Europe/Berlin", "DTSTART:20261103T090000", "08:00"),
        (
            "X-WR-TIMEZONE;VALUE=TEXT:Europe/Berlin",
            "DTSTART:20261103T090000",
            "08:00",
        ),
        (
            "X-WR-TIMEZONE:W. Europe Standard Time",
            "DTSTART:20261103T090000",
            "08:00",
        ),
        (
            "x-wr-timezone: europe/berlin",
            "DTSTART;TZID=Moon/Base:20261103T090000",
            "08:00",
        ),
        // What an event says itself counts for more; so does UTC.
        (
            "X-WR-TIMEZONE:Europe/Berlin",
            "DTSTART;TZID=Asia/Tokyo:20261103T090000",
            "00:00",
        ),
        ("X-WR-TIMEZONE:Europe/Berlin", "DTSTART:20261103T090000Z", "09:00"),
        // One that nobody knows says nothing; the owner is in UTC.
        ("X-WR-TIMEZONE:Moon/Base", "DTSTART:20261103T090000", "09:00"),
        ("X-WR-TIMEZONES:Europe/Berlin", "DTSTART:20261103T090000", "09:00"),
    ] {
        let file = format!("BEGIN:VCALENDAR\n{calendar}\n{}END:VCALENDAR\n", event(lines));
        let expected = Ok(vec![format!("2026-11-03T{utc}:00.000Z")]);
        assert_eq!(starts_of(&file), expected, "{calendar} {lines}");
        // It is over with its calendar.
        let after = format!(
            "{file}BEGIN:VCALENDAR\n{}END:VCALENDAR\n",
            event("DTSTART:20261103T090000")
        );
        let both = starts_of(&after).unwrap();
        assert_eq!(both[1], "2026-11-03T09:00:00.000Z", "{calendar} {lines}");
    }
}

#[test]
fn a_zone_of_the_file_follows_its_rules_at_both_edges() {
    let zone = exchange("(UTC+01:00) Home\\, sweet home");
    // The last Sundays: 29 March and 25 October 2026; 28 March and 31 October 2100 are the last that are worked out.
    for (local, utc) in [
        ("20260101T090000", "2026-01-01T08:00:00.000Z"),
        ("20260329T015959", "2026-03-29T00:59:59.000Z"),
        // Left out: read with the offset before.
        ("20260329T023000", "2026-03-29T01:30:00.000Z"),
        ("20260329T030000", "2026-03-29T01:00:00.000Z"),
        ("20260701T090000", "2026-07-01T07:00:00.000Z"),
        // Twice: the first.
        ("20261025T023000", "2026-10-25T00:30:00.000Z"),
        ("20261025T030000", "2026-10-25T02:00:00.000Z"),
        ("19751001T090000", "1975-10-01T07:00:00.000Z"),
        ("21000701T090000", "2100-07-01T07:00:00.000Z"),
    ] {
        let event = format!("DTSTART;TZID=\"(UTC+01:00) Home, sweet home\":{local}");
        assert_eq!(
            starts_of(&defined(&zone, &event)),
            Ok(vec![utc.to_owned()]),
            "{local}"
        );
    }
}

#[test]
fn observances_may_end_come_by_date_and_stand_after_the_event() {
    // Summer time in 2025 only, by a rule that ends; in 2026 by a date; and the country moves east on 1 January 2027.
    let zone = "BEGIN:VTIMEZONE\nTZID:Own\nBEGIN:DAYLIGHT\nTZOFFSETFROM:+0300\nTZOFFSETTO:+0430\nDTSTART:20250401T000000\nRRULE:FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=1;UNTIL=20250401T000000Z\nRDATE:20260501T000000\nEND:DAYLIGHT\nBEGIN:STANDARD\nTZOFFSETFROM:+0430\nTZOFFSETTO:+0300\nDTSTART:20251001T000000\nRDATE:20261001T000000\nEND:STANDARD\nBEGIN:STANDARD\nTZOFFSETFROM:+0300\nTZOFFSETTO:+034530\nDTSTART:20270101T000000\nEND:STANDARD\nEND:VTIMEZONE\n";
    for (local, utc) in [
        ("20240701T090000", "2024-07-01T06:00:00.000Z"),
        ("20250701T090000", "2025-07-01T04:30:00.000Z"),
        ("20260415T090000", "2026-04-15T06:00:00.000Z"),
        ("20260501T013000", "2026-04-30T21:00:00.000Z"),
        ("20261101T090000", "2026-11-01T06:00:00.000Z"),
        ("20270601T090000", "2027-06-01T05:14:30.000Z"),
    ] {
        let file = format!(
            "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:x\nDTSTART;TZID=Own:{local}\nEND:VEVENT\n{zone}END:VCALENDAR\n"
        );
        assert_eq!(starts_of(&file), Ok(vec![utc.to_owned()]), "{local}");
    }
}

#[test]
fn a_known_name_counts_for_more_than_the_files_definition() {
    // A definition that would put Kolkata at +01:00, and one that names the place its zone stands for.
    let wrong = exchange("Asia/Kolkata");
    let event = "DTSTART;TZID=Asia/Kolkata:20260601T090000";
    assert_eq!(
        starts_of(&defined(&wrong, event)),
        Ok(vec!["2026-06-01T03:30:00.000Z".to_owned()])
    );
    let named = "BEGIN:VTIMEZONE\nTZID:Here\nX-LIC-LOCATION:Asia/Kolkata\nBEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0100\nEND:STANDARD\nEND:VTIMEZONE\n";
    assert_eq!(
        starts_of(&defined(named, "DTSTART;TZID=Here:20260601T090000")),
        Ok(vec!["2026-06-01T03:30:00.000Z".to_owned()])
    );
}

#[test]
fn a_series_in_a_zone_of_the_file_keeps_its_wall_clock_time() {
    let file = defined(
        &exchange("Customized Time Zone"),
        "DTSTART;TZID=Customized Time Zone:20260320T090000\nDURATION:PT1H\nRRULE:FREQ=DAILY",
    );
    let mut agent = calendar();
    // Kolkata's days: 28 March (18:30 UTC on the 27th) to the end of the 30th.
    post(&mut agent, "c-1", t("2026-03-29T06:00:00Z"), &file);
    let starts: Vec<String> = times(&agent).into_iter().map(|(start, _)| start).collect();
    assert_eq!(
        starts,
        [
            "2026-03-28T08:00:00.000Z",
            "2026-03-29T07:00:00.000Z",
            "2026-03-30T07:00:00.000Z"
        ]
    );
}

/// The instances of a daily series at a local time, over a day on which the clocks change, for an owner in UTC.
fn daily(tzid: &str, local: &str, day: &str) -> Vec<String> {
    let mut setup = setup();
    setup.owner.zone = Tz::UTC;
    let mut agent = CalendarAgent::new(setup);
    let lines = format!("DTSTART;TZID={tzid}:20260101T{local}00\nRRULE:FREQ=DAILY");
    let at = t(&format!("{day}T12:00:00Z"));
    assert_eq!(post(&mut agent, "c-1", at, &ics(&[("x", &lines)])).skips, []);
    let starts = times(&agent)
        .into_iter()
        .map(|(start, _)| start.replace(":00.000Z", ""));
    starts.collect()
}

#[test]
fn gaps_and_folds_of_the_worlds_clocks() {
    // From the tz database: when each zone changes in 2026, and by how much.
    for (tzid, local, day, expected) in [
        // Berlin leaves out 02:00 to 03:00 on 29 March (+1 to +2), repeats it on 25 October.
        (
            "Europe/Berlin",
            "0230",
            "2026-03-29",
            ["03-28T01:30", "03-29T01:30", "03-30T00:30"],
        ),
        (
            "Europe/Berlin",
            "0230",
            "2026-10-25",
            ["10-24T00:30", "10-25T00:30", "10-26T01:30"],
        ),
        // New York on 8 March (-5 to -4) and 1 November.
        (
            "America/New_York",
            "0230",
            "2026-03-08",
            ["03-07T07:30", "03-08T07:30", "03-09T06:30"],
        ),
        (
            "America/New_York",
            "0130",
            "2026-11-01",
            ["10-31T05:30", "11-01T05:30", "11-02T06:30"],
        ),
        // Lord Howe repeats 01:30 to 02:00 on 5 April (+11 to +10:30), leaves out 02:00 to 02:30 on 4 October.
        (
            "Australia/Lord_Howe",
            "0145",
            "2026-04-04",
            ["04-03T14:45", "04-04T14:45", "04-05T15:15"],
        ),
        (
            "Australia/Lord_Howe",
            "0215",
            "2026-10-03",
            ["10-02T15:45", "10-03T15:45", "10-04T15:15"],
        ),
        // Kolkata knows neither.
        (
            "Asia/Kolkata",
            "0230",
            "2026-03-29",
            ["03-28T21:00", "03-29T21:00", "03-30T21:00"],
        ),
        // Cairo leaves out 00:00 to 01:00 on 24 April (+2 to +3), repeats 23:00 to 24:00 on 29 October.
        (
            "Africa/Cairo",
            "0030",
            "2026-04-23",
            ["04-22T22:30", "04-23T22:30", "04-24T21:30"],
        ),
        (
            "Africa/Cairo",
            "2330",
            "2026-10-29",
            ["10-28T20:30", "10-29T20:30", "10-30T21:30"],
        ),
        // Morocco goes back to +0 for Ramadan: from 15 February 03:00 to 22 March 02:00.
        (
            "Africa/Casablanca",
            "0900",
            "2026-02-15",
            ["02-14T08:00", "02-15T09:00", "02-16T09:00"],
        ),
        (
            "Africa/Casablanca",
            "0900",
            "2026-03-22",
            ["03-21T09:00", "03-22T08:00", "03-23T08:00"],
        ),
    ] {
        let expected = expected.map(|time| format!("2026-{time}"));
        assert_eq!(daily(tzid, local, day), expected, "{tzid} {local} {day}");
    }
}

/// The length of the one instance of an owner in Berlin around a day, in minutes.
fn minutes(at: &str, lines: &str) -> Vec<i64> {
    let mut setup = setup();
    setup.owner.zone = Tz::Europe__Berlin;
    let mut agent = CalendarAgent::new(setup);
    assert_eq!(post(&mut agent, "c-1", t(at), &ics(&[("x", lines)])).skips, []);
    let instances = agent.instances().iter();
    instances.map(|i| i.end.since(i.start) / 60_000).collect()
}

#[test]
fn days_of_a_duration_are_days_on_the_wall_and_hours_are_exact() {
    let spring = "2026-03-28T12:00:00Z";
    for (lines, expected) in [
        // Noon to noon over the night with 23 hours.
        ("DURATION:P1D", 23 * 60),
        ("DURATION:PT24H", 24 * 60),
        ("DURATION:P1DT1H", 24 * 60),
        ("DURATION:P1W", 7 * 24 * 60 - 60),
        ("DTEND;TZID=Europe/Berlin:20260329T120000", 23 * 60),
        ("DTEND:20260329T110000Z", 24 * 60),
        // A way east: the end is in another zone (+05:30).
        ("DTEND;TZID=Asia/Kolkata:20260328T213000", 5 * 60),
    ] {
        let lines = format!("DTSTART;TZID=Europe/Berlin:20260328T120000\n{lines}");
        assert_eq!(minutes(spring, &lines), [expected], "{lines}");
    }
    // Of a series an end is exact for all, a duration of days is what its days are: Friday's and Saturday's.
    let series = "DTSTART;TZID=Europe/Berlin:20260327T120000\nRRULE:FREQ=DAILY;COUNT=2";
    let exact = format!("{series}\nDTEND;TZID=Europe/Berlin:20260328T120000");
    assert_eq!(minutes(spring, &exact), [24 * 60, 24 * 60]);
    assert_eq!(
        minutes(spring, &format!("{series}\nDURATION:P1D")),
        [24 * 60, 23 * 60]
    );
}

#[test]
fn a_day_lasts_as_long_as_the_owners_clocks_say() {
    let file = |lines: &str| ics(&[("d", lines)]);
    for (lines, expected) in [
        // 29 March has 23 hours in Berlin, 25 October 25.
        (
            "DTSTART;VALUE=DATE:20260329",
            ("2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z"),
        ),
        (
            "DTSTART;VALUE=DATE:20261025",
            ("2026-10-24T22:00:00.000Z", "2026-10-25T23:00:00.000Z"),
        ),
        (
            "DTSTART;VALUE=DATE:20260328\nDTEND;VALUE=DATE:20260330",
            ("2026-03-27T23:00:00.000Z", "2026-03-29T22:00:00.000Z"),
        ),
        // An end on the day itself is an empty day to nobody.
        (
            "DTSTART;VALUE=DATE:20260601\nDTEND;VALUE=DATE:20260601",
            ("2026-05-31T22:00:00.000Z", "2026-06-01T22:00:00.000Z"),
        ),
    ] {
        let mut setup = setup();
        setup.owner.zone = Tz::Europe__Berlin;
        let mut agent = CalendarAgent::new(setup);
        post(&mut agent, "c-1", t("2026-03-28T12:00:00Z"), &file(lines));
        assert!(agent.instances().iter().all(|i| i.all_day), "no meeting");
        let mut host = agents_base::host::AgentHost::new(Box::new(agent));
        let asked = json!({"source_id": "c-1"});
        let tool = toolcall_schema::ToolName::ParseIcsAttachment;
        let parsed = crate::testing::ask(&mut host, tool, &asked, t("2026-03-28T12:00:00Z")).unwrap();
        let event = &parsed["events"][0];
        let found = (event["start"].as_str().unwrap(), event["end"].as_str().unwrap());
        assert_eq!(found, expected, "{lines}");
    }
}

#[test]
fn a_floating_time_is_the_owners_wherever_the_owner_is() {
    let lines = "DTSTART:20261103T090000\nDURATION:PT1H\nEXDATE:20261104T090000\nRRULE:FREQ=DAILY;COUNT=3";
    for (zone, expected) in [
        (
            Tz::Asia__Kolkata,
            ["2026-11-03T03:30:00.000Z", "2026-11-05T03:30:00.000Z"],
        ),
        (
            Tz::America__New_York,
            ["2026-11-03T14:00:00.000Z", "2026-11-05T14:00:00.000Z"],
        ),
    ] {
        let mut setup = setup();
        setup.owner.zone = zone;
        let mut agent = CalendarAgent::new(setup);
        post(
            &mut agent,
            "c-1",
            t("2026-11-04T12:00:00Z"),
            &ics(&[("x", lines)]),
        );
        let starts: Vec<String> = times(&agent).into_iter().map(|(start, _)| start).collect();
        assert_eq!(starts, expected);
    }
}
