//! Total and pure: any calendar, any time, any arguments that a schema admits.

use super::*;
use toolcall_schema::{
    catalogue::{
        calendar::{
            AutoDecline, DescribeMeeting, DetectConflicts, PrepareMeeting, SuggestSlots, TravelAwareAlert,
        },
        shared::{DescribeArgs, ParseArgs, ThingId},
    },
    ids::SignalId,
};

/// A local time within some days of the tests' Tuesday, mostly; at the edges of what is read, sometimes.
fn any_time() -> impl Strategy<Value = String> {
    let near = (28..=36_u32, 0..24_u32, 0..60_u32).prop_map(|(day, hour, minute)| {
        let (month, day) = if day > 31 { (11, day - 31) } else { (10, day) };
        format!("2026{month:02}{day:02}T{hour:02}{minute:02}00")
    });
    prop_oneof![8 => near, 1 => "(19|20|21|22)[0-9]{2}(0[1-9]|1[0-2])[0-3][0-9]T[012][0-9][0-5][0-9]00", 1 => "[0-9TZ]{0,16}"]
}

fn any_zoned(name: &'static str) -> impl Strategy<Value = String> {
    let zone = prop_oneof![
        Just(""),
        Just(";TZID=Europe/Berlin"),
        Just(";TZID=Lord Howe Standard Time"),
        Just(";TZID=Own"),
        Just(";TZID=None"),
        Just(";RANGE=THISANDFUTURE"),
    ];
    let form = prop_oneof![6 => Just(""), 3 => Just("Z"), 1 => Just("day")];
    (zone, any_time(), form).prop_map(move |(zone, time, form)| match form {
        "day" => format!("{name}{zone};VALUE=DATE:{}\n", time.get(..8).unwrap_or(&time)),
        _ => format!("{name}{zone}:{time}{form}\n"),
    })
}

fn any_rule() -> impl Strategy<Value = String> {
    let freq = prop_oneof![6 => "DAILY|WEEKLY|MONTHLY|YEARLY|HOURLY", 1 => "MINUTELY|SECONDLY|NEVER"];
    let part = "(;(COUNT|INTERVAL|BYMONTHDAY|BYMONTH|BYSETPOS|BYWEEKNO|BYYEARDAY|BYHOUR|BYMINUTE)=-?[0-9]{1,2}){0,2}";
    (
        freq,
        part,
        "(;BYDAY=(MO|2TU|-1FR|SA,SU))?",
        "(;UNTIL=20(26|27)110[1-9])?",
        "(;WKST=SU)?",
    )
        .prop_map(|(freq, parts, days, until, wkst)| format!("RRULE:FREQ={freq}{parts}{days}{until}{wkst}\n"))
}

fn any_event() -> impl Strategy<Value = String> {
    let length = prop_oneof![
        any_zoned("DTEND"),
        "DURATION:P([0-9]{1,2}D)?(T[0-9]{1,3}M)?\n",
        Just(String::new())
    ];
    let rest = "(STATUS:(TENTATIVE|CANCELLED|CONFIRMED)\n)?(TRANSP:TRANSPARENT\n)?(CATEGORIES:FOCUS\n)?(SEQUENCE:[0-9]\n)?(CREATED:2026101[0-9]T000000Z\n)?(ORGANIZER:mailto:a@b.test\nATTENDEE:mailto:rohan@example.org\n)?(X-AURA-TRAVEL-MIN:[0-9]{1,4}\n)?(GEO:[0-9]{1,2}[.]5;[0-9]{1,2}[.]5\n)?";
    (
        "[ab]",
        any_zoned("DTSTART"),
        length,
        proptest::option::weighted(0.5, any_rule()),
        proptest::option::weighted(0.2, any_zoned("RECURRENCE-ID")),
        proptest::option::weighted(0.2, any_zoned("EXDATE")),
        proptest::option::weighted(0.2, any_zoned("RDATE")),
        rest,
    )
        .prop_map(|(uid, start, length, rule, replaces, excluded, extra, rest)| {
            let parts = [rule, replaces, excluded, extra]
                .map(Option::unwrap_or_default)
                .concat();
            format!("BEGIN:VEVENT\nUID:{uid}\n{start}{length}{parts}{rest}SUMMARY:x\nEND:VEVENT\n")
        })
}

const OWN: &str = "BEGIN:VTIMEZONE\nTZID:Own\nBEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0130\nRRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU\nEND:STANDARD\nEND:VTIMEZONE\n";

proptest! {
    #[test]
    fn tick_and_every_tool_are_pure_and_total(
        events in proptest::collection::vec(any_event(), 0..6),
        minutes in prop_oneof![8 => -3000..3000_i64, 1 => any::<i32>().prop_map(i64::from)],
        brief_due in any::<bool>(), buffer_min in any::<u32>(), duration_min in any::<u32>(), day in -500..500_i64,
    ) {
        let at = t(MORNING);
        let then = at.plus_min(minutes);
        let file = format!("BEGIN:VCALENDAR\n{OWN}{}END:VCALENDAR\n", events.concat());
        let mut agent = calendar();
        agent.accept(vec![signal("l-1", at, "location", &json!({"lat": 12.0, "lon": 77.0}))]);
        post(&mut agent, "c-1", at, &file);
        let mut asked = question(then);
        asked.user.brief_due = brief_due;
        let before = agent.state(at);
        prop_assert_eq!(agent.tick(&asked, then), agent.tick(&asked, then));
        let starts: Vec<Timestamp> = agent.instances().iter().map(|i| i.start).collect();
        prop_assert!(starts.is_sorted());
        let ids: Vec<EventId> = agent.instances().iter().map(|i| i.id.clone()).collect();
        let known = ids.first().cloned().unwrap_or_else(|| id("?", MORNING));
        let only_look = [
            CalendarTool::DetectConflicts(DetectConflicts { day: chrono::NaiveDate::default() + chrono::TimeDelta::days(20_760 + day) }),
            CalendarTool::SuggestSlots(SuggestSlots { duration_min, after: then }),
            CalendarTool::ParseIcsAttachment(ParseArgs { source_id: SignalId::parse("c-1").unwrap() }),
            CalendarTool::Describe(DescribeArgs { ids: ids.iter().cloned().map(ThingId::Event).collect() }),
            CalendarTool::PrepareMeeting(PrepareMeeting { event_id: known.clone() }),
            CalendarTool::DescribeMeeting(DescribeMeeting { event_id: known.clone() }),
            CalendarTool::TravelAwareAlert(TravelAwareAlert { event_id: known.clone(), user_loc: None, buffer_min }),
        ];
        for tool in only_look {
            let tool = Tool::Calendar(tool);
            prop_assert_eq!(agent.act(&tool, then), agent.act(&tool, then));
        }
        prop_assert_eq!(agent.state(at), before);
        for event_id in ids {
            let args = AutoDecline { event_id, reason_template: toolcall_schema::DeclineReason::Focus };
            let tool = Tool::Calendar(CalendarTool::AutoDecline(args));
            prop_assert_eq!(agent.act(&tool, then), agent.act(&tool, then));
        }
        agent.tick(&asked, then);
    }

    #[test]
    fn any_bytes_are_a_calendar_or_a_skip(bytes in proptest::collection::vec(any::<u8>(), 0..200), cut in 0..400_usize) {
        let mut file = format!("BEGIN:VCALENDAR\r\n{OWN}BEGIN:VEVENT\r\nUID:x\r\nDTSTART:20261103T090000Z\r\nRRULE:FREQ=DAILY\r\nEND:VEVENT\r\n").into_bytes();
        let at = cut.min(file.len());
        file.splice(at..at, bytes);
        let reader = sources::ics::IcsContext { zone: chrono_tz::Tz::UTC, addresses: &[], preferences: &CalendarPreferences::default(), key: &toolcall_schema::ids::OwnerSeed::from_day_seed("places").key("test") };
        let read = sources::ics::read(&file, "f", reader);
        prop_assert!(!read.whole || read.skips.iter().all(|skip| skip.line > 0));
    }

    #[test]
    fn any_lines_are_a_calendar_or_a_skip(text in "(BEGIN:VCALENDAR\n)?(BEGIN:V(EVENT|TIMEZONE|FREEBUSY)\n|END:V(EVENT|TIMEZONE|FREEBUSY|CALENDAR)\n|BEGIN:STANDARD\n|TZOFFSET(FROM|TO):[+-][0-9]{4}\n|TZID:Own\n|UID:x\n|DTSTART(;TZID=Own)?:20261103T090000Z?\n|RRULE:FREQ=[A-Z;=0-9,-]{0,30}\n|FREEBUSY:[0-9TZ/P,]{0,40}\n|[ -~\u{fc}]{0,20}\n| ){0,30}") {
        let mut agent = calendar();
        post(&mut agent, "c-1", t(MORNING), &text);
        agent.tick(&question(t(MORNING)), t(MORNING));
    }
}

/// Rules of one event each, the names in order.
fn rules(rules: &[&str]) -> String {
    let events: Vec<(String, String)> = rules
        .iter()
        .enumerate()
        .map(|(n, rule)| {
            (
                format!("r{n:02}"),
                format!("DTSTART:20261001T090000Z\nRRULE:{rule}"),
            )
        })
        .collect();
    let events: Vec<(&str, &str)> = events
        .iter()
        .map(|(uid, lines)| (uid.as_str(), lines.as_str()))
        .collect();
    ics(&events)
}

#[test]
fn rules_that_never_come_cost_no_more_than_the_days_that_are_asked_for() {
    let never = [
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=MONTHLY;BYDAY=6MO",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30,31",
        "FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=YEARLY;BYWEEKNO=1;BYMONTH=6;COUNT=3",
        "FREQ=WEEKLY;INTERVAL=4000000000",
    ];
    let mut agent = calendar();
    let all = [never.repeat(40).as_slice(), &["FREQ=DAILY"]].concat();
    let answer = post(&mut agent, "c-1", t(MORNING), &rules(&all));
    assert_eq!(answer.skips, []);
    // Yesterday, today and tomorrow in Kolkata.
    assert_eq!(times(&agent).len(), 3);
}

#[test]
fn rules_that_take_too_long_together_are_counted_and_the_others_come() {
    // From 1900 to the window's end these are 46 333 days, each with its time: 43 of them take less than four million steps, 44 more.
    let counted: Vec<(String, &str)> = (0..45)
        .map(|n| {
            (
                format!("r{n:02}"),
                "DTSTART:19000101T090000Z\nRRULE:FREQ=DAILY;COUNT=90000",
            )
        })
        .collect();
    let counted: Vec<(&str, &str)> = counted
        .iter()
        .map(|(uid, lines)| (uid.as_str(), *lines))
        .collect();
    let mut agent = calendar();
    let answer = post(&mut agent, "c-1", t(MORNING), &ics(&counted));
    assert_eq!((answer.skips[0].code.as_str(), answer.skipped), ("AGENT-033", 2));
    assert_eq!(times(&agent).len(), 43 * 3);
    // It is not worked out again while nothing changes.
    assert_eq!(ingest(&mut agent, t(MORNING).plus_min(1)).skipped, 0);
    // One alone may not take a quarter of a million: hours since 1900.
    let hours = "DTSTART:19000101T090000Z\nRRULE:FREQ=HOURLY;COUNT=2000000";
    let (_, answer) = with(&[("h", hours)], t(MORNING));
    assert_eq!((answer.skips[0].code.as_str(), answer.skipped), ("AGENT-015", 1));
}

#[test]
fn parts_of_a_rule_that_say_nothing_change_nothing() {
    for rule in [
        "FREQ=DAILY;UNTIL=99991231T000000Z",
        "FREQ=DAILY;UNTIL=22010101",
        "FREQ=DAILY;COUNT=-1",
        "FREQ=DAILY;FREQ=DAILY",
        "FREQ=DAILY; INTERVAL=1",
        "FREQ=DAILY;UNTIL=;BYDAY=;WKST=",
        "FREQ=DAILY;X-OWN=1",
    ] {
        let mut agent = calendar();
        let answer = post(&mut agent, "c-1", t(MORNING), &rules(&[rule]));
        assert_eq!((answer.skips.len(), times(&agent).len()), (0, 3), "{rule}");
    }
}

#[test]
fn what_would_take_too_long_is_refused_when_it_is_read() {
    let minutes: Vec<String> = (0..60).map(|n: u32| n.to_string()).collect();
    let often = format!(
        "FREQ=YEARLY;BYDAY=MO,TU;BYMINUTE={0};BYSECOND={0}",
        minutes.join(",")
    );
    let hours = "FREQ=DAILY;BYHOUR=1,2,3,4,5;BYMINUTE=1,2,3,4,5,6,7,8,9,10,11,12,13";
    let long = format!("FREQ=DAILY;BYMONTHDAY={}", ["1"; 300].join(","));
    for rule in [
        "FREQ=SECONDLY",
        "FREQ=MINUTELY",
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=DAILY;COUNT=x",
        &often,
        hours,
        &long,
    ] {
        let mut agent = calendar();
        let answer = post(&mut agent, "c-1", t(MORNING), &rules(&[rule, "FREQ=DAILY"]));
        // The first events, on 1 October, are behind the window.
        let codes: Vec<&str> = answer.skips.iter().map(|s| s.code.as_str()).collect();
        assert_eq!((codes, times(&agent).len()), (vec!["AGENT-015"], 3), "{rule}");
    }
}

#[test]
fn a_hundred_thousand_excluded_dates_are_a_few_thousand() {
    // As many as fit into the largest component: the first 4096 count, among them the 2nd and the 4th.
    let dates = "20261102T090000Z,20261104T090000Z,".repeat(25_000);
    let file = rules(&["FREQ=DAILY"]).replace("RRULE", &format!("EXDATE:{dates}20300101T090000Z\r\nRRULE"));
    let mut agent = calendar();
    let answer = post(&mut agent, "c-1", t(MORNING), &file);
    // 50 001 dates, of which 4096 are read: each of the others is counted.
    let (read, skipped, code) = (answer.read, answer.skipped, answer.skips[0].code.as_str());
    assert_eq!((read, skipped, code), (1, 50_001 - 4096, "AGENT-031"));
    let starts: Vec<String> = times(&agent).into_iter().map(|(start, _)| start).collect();
    assert_eq!(starts, ["2026-11-03T09:00:00.000Z"]);
}
