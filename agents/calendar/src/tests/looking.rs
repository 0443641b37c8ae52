//! Tools that only look: conflicts, free times, what a source holds, names.

use super::*;
use crate::testing::ask;
use agents_base::host::AgentHost;
use toolcall_schema::ToolName;

fn local(uid: &'static str, lines: &str) -> (&'static str, String) {
    (uid, lines.replace('@', ";TZID=Asia/Kolkata:"))
}

fn reading(events: &[(&'static str, String)]) -> AgentHost {
    let events: Vec<(&str, &str)> = events.iter().map(|(uid, lines)| (*uid, lines.as_str())).collect();
    AgentHost::new(Box::new(with(&events, t(MORNING)).0))
}

/// Tuesday afternoon: 15:30 to 16:30, within it 15:45 to 16:00, and 16:00 to 16:45.
fn afternoon() -> Vec<(&'static str, String)> {
    vec![
        local("x", "DTSTART@20261103T153000\nDTEND@20261103T163000"),
        local("y", "DTSTART@20261103T154500\nDTEND@20261103T160000"),
        local("z", "DTSTART@20261103T160000\nDTEND@20261103T164500"),
    ]
}

/// Started again in the middle of a tick, it knows no event before it has read: that is not a day without events.
#[test]
fn a_tick_between_a_start_and_the_first_reading_is_not_answered() {
    let (mut agent, answer) = with(
        &[("x", "DTSTART:20261103T120000Z\nDTEND:20261103T130000Z")],
        t(MORNING),
    );
    let mut again = CalendarAgent::new(agent.setup.clone());
    again.restore(&answer.agent_state).unwrap();
    let asked = serde_json::to_value(question(t(MORNING))).unwrap();
    let answered = |host: &mut AgentHost| {
        let raw = crate::testing::called("calendar", "tick", &asked, false, t(MORNING));
        let served = host
            .call(&raw, toolcall_schema::Authority::Auto, t(MORNING))
            .unwrap();
        serde_json::from_slice::<serde_json::Value>(&served.result).unwrap()
    };
    assert_eq!(
        answered(&mut AgentHost::new(Box::new(again)))["error"],
        "unavailable"
    );
    // With what it read, and where it never read anything.
    ingest(&mut agent, t(MORNING));
    let readings = &answered(&mut AgentHost::new(Box::new(agent)))["result"]["readings"];
    assert!(readings.to_string().contains("events_today"), "{readings}");
    let nothing = answered(&mut AgentHost::new(Box::new(CalendarAgent::new(setup()))));
    assert_eq!(nothing["result"]["status"], "no_data");
}

#[test]
fn conflicts_of_any_local_day_with_their_minutes() {
    let mut events = afternoon();
    // Every Tuesday, beside one four weeks later.
    events.push(local(
        "w",
        "DTSTART@20261103T100000\nDTEND@20261103T110000\nRRULE:FREQ=WEEKLY",
    ));
    events.push(local("late", "DTSTART@20261201T103000\nDTEND@20261201T120000"));
    let mut host = reading(&events);
    let mut on = |day: &str| {
        ask(
            &mut host,
            ToolName::DetectConflicts,
            &json!({"day": day}),
            t(MORNING),
        )
    };
    let x = id("x", "2026-11-03T10:00:00Z");
    assert_eq!(
        on("2026-11-03"),
        Ok(json!({"conflicts": [
            {"earlier": x, "later": id("y", "2026-11-03T10:15:00Z"), "overlap_min": 15},
            {"earlier": x, "later": id("z", "2026-11-03T10:30:00Z"), "overlap_min": 30},
        ], "truncated": false}))
    );
    assert_eq!(
        on("2026-12-01"),
        Ok(json!({"conflicts": [
            {"earlier": id("w", "2026-12-01T04:30:00Z"), "later": id("late", "2026-12-01T05:00:00Z"), "overlap_min": 30},
        ], "truncated": false}))
    );
    assert_eq!(on("2026-11-04"), Ok(json!({"conflicts": [], "truncated": false})));
    let mut empty = AgentHost::new(Box::new(calendar()));
    let nothing = ask(
        &mut empty,
        ToolName::DetectConflicts,
        &json!({"day": "2026-11-03"}),
        t(MORNING),
    );
    assert_eq!(nothing, Err(ToolErrorCode::NotEnoughData));
}

fn slots(host: &mut AgentHost, duration_min: u32, after: &str) -> Vec<(String, String)> {
    let args = json!({"duration_min": duration_min, "after": after});
    let answer = ask(host, ToolName::SuggestSlots, &args, t(MORNING)).unwrap();
    let text = |slot: &Value, key: &str| slot[key].as_str().unwrap().replace(":00.000Z", "Z");
    let found = answer["slots"].as_array().unwrap().iter();
    found
        .map(|slot| (text(slot, "start"), text(slot, "end")))
        .collect()
}

#[test]
fn free_times_are_the_first_long_enough_gap_of_each_kind() {
    let mut host = reading(&afternoon());
    let pair = |start: &str, end: &str| (start.to_owned(), end.to_owned());
    // 16:45 on Tuesday, then 9:00 on Wednesday and Thursday, in Kolkata.
    let (wednesday, thursday) = ("2026-11-04T03:30Z", "2026-11-05T03:30Z");
    assert_eq!(
        slots(&mut host, 30, "2026-11-03T15:30:00+05:30"),
        [
            pair("2026-11-03T11:15Z", "2026-11-03T11:45Z"),
            pair(wednesday, "2026-11-04T04:00Z"),
            pair(thursday, "2026-11-05T04:00Z")
        ]
    );
    // 16:45 to 18:00 are 75 minutes.
    assert_eq!(
        slots(&mut host, 75, "2026-11-03T15:30:00+05:30")[0],
        pair("2026-11-03T11:15Z", "2026-11-03T12:30Z")
    );
    assert_eq!(
        slots(&mut host, 76, "2026-11-03T15:30:00+05:30")[0],
        pair(wednesday, "2026-11-04T04:46Z")
    );
}

#[test]
fn no_free_time_lies_inside_a_longer_meeting_a_focus_block_or_a_weekend() {
    let mut host = reading(&[
        local("long", "DTSTART@20261106T090000\nDTEND@20261106T171000"),
        local("short", "DTSTART@20261106T100000\nDTEND@20261106T103000"),
        local(
            "focus",
            "DTSTART@20261109T090000\nDTEND@20261109T120000\nTRANSP:TRANSPARENT\nCATEGORIES:FOCUS",
        ),
        local(
            "free",
            "DTSTART@20261110T090000\nDTEND@20261110T120000\nTRANSP:TRANSPARENT",
        ),
    ]);
    // Friday 17:15, the quarter after 17:10; Monday noon; Tuesday 9:00.
    let starts: Vec<String> = slots(&mut host, 30, "2026-11-06T09:05:00+05:30")
        .into_iter()
        .map(|(start, _)| start)
        .collect();
    assert_eq!(
        starts,
        ["2026-11-06T11:45Z", "2026-11-09T06:30Z", "2026-11-10T03:30Z"]
    );
    // Asked on Saturday; and a free Tuesday asked at 9:05 begins at 9:15.
    assert_eq!(
        slots(&mut host, 30, "2026-11-07T09:05:00+05:30")[0].0,
        "2026-11-09T06:30Z"
    );
    assert_eq!(
        slots(&mut host, 30, "2026-11-10T09:05:00+05:30")[0].0,
        "2026-11-10T03:45Z"
    );
}

#[test]
fn what_lasts_a_day_or_longer_overlaps_nothing_and_leaves_its_hours_free() {
    let events = |until: &str| {
        let mut events = afternoon();
        // Away from Monday noon on.
        let lines = format!("DTSTART@20261102T120000\nDTEND@{until}\nSUMMARY:Away");
        events.push(local("away", &lines));
        events
    };
    let args = json!({"first": "2026-11-03", "days": 1});
    let morning = t("2026-11-03T08:00:00+05:30");
    let gap = |from: &str| json!({"start": from, "end": "2026-11-03T10:00:00.000Z"});
    for until in ["20261103T120000", "20261123T120000"] {
        let mut host = reading(&events(until));
        let said = ask(&mut host, ToolName::ListEvents, &args, morning).unwrap();
        let told = said["events"].as_array().unwrap().iter();
        let told: Vec<Value> = told.map(|event| event["clashes"].clone()).collect();
        assert_eq!(told, [false, true, true, true].map(Value::from), "{until}");
        // Tuesday is free from 9:00 to 15:30, in Kolkata.
        assert_eq!(
            said["free"][0],
            gap("2026-11-03T03:30:00.000Z"),
            "{until}: {said}"
        );
    }
    // An hour less than a day takes its hours: until 11:00 nothing is free.
    let mut host = reading(&events("20261103T110000"));
    let said = ask(&mut host, ToolName::ListEvents, &args, morning).unwrap();
    assert_eq!(said["free"][0], gap("2026-11-03T05:30:00.000Z"), "{said}");
}

#[test]
fn days_are_listed_with_titles_clashes_ways_and_free_times() {
    let mut events = afternoon();
    events.push(local(
        "weekly",
        "DTSTART@20261103T090000\nDTEND@20261103T100000\nRRULE:FREQ=WEEKLY\nSUMMARY:Review\nLOCATION:Room 2\nX-AURA-TRAVEL-MIN:22",
    ));
    events.push(local("holiday", "DTSTART;VALUE=DATE:20261104\nSUMMARY:Diwali"));
    events.push(local("late", "DTSTART@20261210T093000\nDTEND@20261210T103000"));
    let mut host = reading(&events);
    let mut of = |first: &str, days: u32| {
        let args = json!({"first": first, "days": days});
        ask(&mut host, ToolName::ListEvents, &args, t(MORNING)).unwrap()
    };
    let said = of("2026-11-03", 2);
    let of_each = |key: &str| -> Vec<Value> {
        let events = said["events"].as_array().unwrap().iter();
        events.map(|event| event[key].clone()).collect()
    };
    // 9:00, 15:30, 15:45, 16:00 in Kolkata, and the whole of Wednesday.
    assert_eq!(
        of_each("start"),
        [
            "2026-11-03T03:30:00.000Z",
            "2026-11-03T10:00:00.000Z",
            "2026-11-03T10:15:00.000Z",
            "2026-11-03T10:30:00.000Z",
            "2026-11-03T18:30:00.000Z"
        ]
        .map(Value::from)
    );
    assert_eq!(
        of_each("all_day"),
        [false, false, false, false, true].map(Value::from)
    );
    assert_eq!(
        of_each("clashes"),
        [false, true, true, true, false].map(Value::from)
    );
    assert_eq!(
        said["events"][0],
        json!({
            "event_id": id("weekly", "2026-11-03T03:30:00Z"), "title": "Review", "start": "2026-11-03T03:30:00.000Z",
            "end": "2026-11-03T04:30:00.000Z", "all_day": false, "uncertain": false, "tentative": false,
            "unanswered": false, "clashes": false, "others": 0, "place": "Room 2", "travel_min": 22,
            // 22 minutes of way and what the owner keeps free before it.
            "leave_by": t("2026-11-03T03:08:00Z").plus_min(-i64::from(setup().owner.buffer_min)).to_string(),
        })
    );
    assert_eq!(said["events"][4]["title"], "Diwali");
    // Tuesday 10:00 to 15:30 and 16:45 to 18:00; Wednesday from 9:00 to 18:00, a holiday or not.
    assert_eq!(
        said["free"],
        json!([
            {"start": "2026-11-03T04:30:00.000Z", "end": "2026-11-03T10:00:00.000Z"},
            {"start": "2026-11-03T11:15:00.000Z", "end": "2026-11-03T12:30:00.000Z"},
            {"start": "2026-11-04T03:30:00.000Z", "end": "2026-11-04T12:30:00.000Z"},
        ])
    );
    assert_eq!(said["truncated"], false);

    // Five weeks on, far beyond the window: the series goes on, and its event can be opened.
    let later = of("2026-12-08", 3);
    let ids: Vec<&Value> = later["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| &event["event_id"])
        .collect();
    let (weekly, late) = (
        id("weekly", "2026-12-08T03:30:00Z"),
        id("late", "2026-12-10T04:00:00Z"),
    );
    assert_eq!(ids, [weekly.as_str(), late.as_str()]);
    let opened = ask(
        &mut host,
        ToolName::DescribeMeeting,
        &json!({"event_id": weekly}),
        t(MORNING),
    );
    assert_eq!(opened.unwrap()["title"], "Review");
    let mut empty = AgentHost::new(Box::new(calendar()));
    let nothing = ask(
        &mut empty,
        ToolName::ListEvents,
        &json!({"first": "2026-11-03", "days": 1}),
        t(MORNING),
    );
    assert_eq!(nothing, Err(ToolErrorCode::NotEnoughData));
}

#[test]
fn free_time_ends_when_the_owner_has_to_leave() {
    let lunch = local(
        "lunch",
        "DTSTART@20261103T130000\nDTEND@20261103T140000\nLOCATION:Cafe\nX-AURA-TRAVEL-MIN:22",
    );
    let mut host = reading(&[lunch]);
    let args = json!({"first": "2026-11-03", "days": 1});
    let said = ask(&mut host, ToolName::ListEvents, &args, t(MORNING)).unwrap();
    // 22 minutes of way to 13:00 in Kolkata and what the owner keeps free before it.
    let leave_by = t("2026-11-03T07:08:00Z").plus_min(-i64::from(setup().owner.buffer_min));
    assert_eq!(
        said["free"],
        json!([
            {"start": "2026-11-03T03:30:00.000Z", "end": leave_by.to_string()},
            {"start": "2026-11-03T08:30:00.000Z", "end": "2026-11-03T12:30:00.000Z"},
        ])
    );
}

#[test]
fn a_list_of_days_holds_512_events_and_says_that_there_are_more() {
    let mut host = reading(&[local(
        "often",
        "DTSTART@20261103T000000\nDTEND@20261103T001000\nRRULE:FREQ=HOURLY",
    )]);
    let mut of = |days: u32| {
        let args = json!({"first": "2026-11-03", "days": days});
        ask(&mut host, ToolName::ListEvents, &args, t(MORNING)).unwrap()
    };
    // 24 a day: 21 days have 504, 22 have 528.
    let (few, many) = (of(21), of(22));
    assert_eq!(
        (few["events"].as_array().unwrap().len(), &few["truncated"]),
        (504, &json!(false))
    );
    assert_eq!(
        (many["events"].as_array().unwrap().len(), &many["truncated"]),
        (512, &json!(true))
    );
}

#[test]
fn what_was_called_off_is_listed_apart_and_takes_no_time() {
    let mut host = reading(&[
        local(
            "dentist",
            "DTSTART@20261103T110000\nDTEND@20261103T113000\nSTATUS:CANCELLED\nSUMMARY:Dentist",
        ),
        local(
            "walk",
            "DTSTART@20261103T090000\nDTEND@20261103T093000\nRRULE:FREQ=DAILY\nSUMMARY:Walk",
        ),
        local(
            "walk",
            "RECURRENCE-ID@20261104T090000\nSTATUS:CANCELLED\nDTSTART@20261104T090000\nDTEND@20261104T093000\nSUMMARY:Walk",
        ),
        local(
            "club",
            "DTSTART@20261103T180000\nRRULE:FREQ=DAILY\nSTATUS:CANCELLED\nSUMMARY:Club",
        ),
        local("later", "DTSTART;VALUE=DATE:20261105\nSTATUS:CANCELLED"),
        local("before", "DTSTART@20261102T100000\nSTATUS:CANCELLED"),
    ]);
    let args = json!({"first": "2026-11-03", "days": 3});
    let list = ask(&mut host, ToolName::ListEvents, &args, t(MORNING)).unwrap();
    // Kolkata is 5:30 ahead of UTC.
    let off = |event_id: EventId, title: Option<&str>, (start, end): (&str, &str), all_day: bool| {
        let mut event = json!({"event_id": event_id, "start": start, "end": end, "all_day": all_day});
        if let Some(title) = title {
            event["title"] = json!(title);
        }
        event
    };
    assert_eq!(
        list["cancelled"],
        json!([
            off(
                id("dentist", "2026-11-03T05:30:00Z"),
                Some("Dentist"),
                ("2026-11-03T05:30:00.000Z", "2026-11-03T06:00:00.000Z"),
                false
            ),
            off(
                id("walk", "2026-11-04T03:30:00Z"),
                Some("Walk"),
                ("2026-11-04T03:30:00.000Z", "2026-11-04T04:00:00.000Z"),
                false
            ),
            off(
                id("later", "2026-11-04T18:30:00Z"),
                None,
                ("2026-11-04T18:30:00.000Z", "2026-11-05T18:30:00.000Z"),
                true
            ),
        ])
    );
    let walks = list["events"].as_array().unwrap().iter();
    let begin: Vec<&str> = walks.map(|event| event["start"].as_str().unwrap()).collect();
    assert_eq!(begin, ["2026-11-03T03:30:00.000Z", "2026-11-05T03:30:00.000Z"]);
}

#[test]
fn a_source_tells_its_events_without_their_text() {
    let mut host = reading(&[
        local(
            "weekly",
            "DTSTART@20261103T100000\nDTEND@20261103T110000\nRRULE:FREQ=WEEKLY\nSUMMARY:Secret",
        ),
        local("off", "DTSTART@20261104T100000\nSTATUS:CANCELLED"),
        local("day", "DTSTART;VALUE=DATE:20261105"),
    ]);
    let mut from = |source: &str| {
        ask(
            &mut host,
            ToolName::ParseIcsAttachment,
            &json!({"source_id": source}),
            t(MORNING),
        )
    };
    let event = |event_id: EventId, start: &str, end: &str, flags: [bool; 3]| json!({"event_id": event_id, "start": start, "end": end, "all_day": flags[0], "repeats": flags[1], "cancelled": flags[2]});
    assert_eq!(
        from("c-1"),
        Ok(json!({"events": [
            event(id("weekly", "2026-11-03T04:30:00Z"), "2026-11-03T04:30:00.000Z", "2026-11-03T05:30:00.000Z", [false, true, false]),
            event(id("off", "2026-11-04T04:30:00Z"), "2026-11-04T04:30:00.000Z", "2026-11-04T04:30:00.000Z", [false, false, true]),
            event(id("day", "2026-11-04T18:30:00Z"), "2026-11-04T18:30:00.000Z", "2026-11-05T18:30:00.000Z", [true, false, false]),
        ], "truncated": false}))
    );
    assert_eq!(from("c-2"), Err(ToolErrorCode::TextUnknown));
}

#[test]
fn events_are_named_by_their_summary_while_it_is_in_memory() {
    let (agent, answer) = with(
        &[
            (
                "weekly",
                "DTSTART:20261103T043000Z\nRRULE:FREQ=DAILY\nSUMMARY:Design\\, review\\nof it",
            ),
            ("plain", "DTSTART:20261103T043000Z"),
        ],
        t(MORNING),
    );
    let mut again = calendar();
    again.restore(&answer.agent_state).unwrap();
    ingest(&mut again, t(MORNING));
    // The second day of the series, which stands in the window, and one without a summary.
    let (second, plain) = (
        id("weekly", "2026-11-04T04:30:00Z"),
        id("plain", "2026-11-03T04:30:00Z"),
    );
    let described = |agent: CalendarAgent| {
        let mut host = AgentHost::new(Box::new(agent));
        ask(
            &mut host,
            ToolName::CalendarDescribe,
            &json!({"ids": [second, plain]}),
            t(MORNING),
        )
        .unwrap()
    };
    assert_eq!(
        described(agent),
        json!({"labels": [{"id": second, "label": "Design, review of it"}], "unknown": [plain]})
    );
    assert_eq!(described(again)["labels"], json!([]));
}

#[test]
fn the_edges_of_time_are_days_like_others() {
    let mut host = reading(&[
        local(
            "hourly",
            "DTSTART@20261103T100000\nDTEND@20261103T103000\nRRULE:FREQ=HOURLY",
        ),
        local(
            "daily",
            "DTSTART@20261103T100000\nDTEND@20261103T110000\nRRULE:FREQ=DAILY",
        ),
    ]);
    for day in ["0000-01-01", "1969-12-31", "9999-12-31"] {
        let answer = ask(
            &mut host,
            ToolName::DetectConflicts,
            &json!({"day": day}),
            t(MORNING),
        );
        assert!(answer.is_ok(), "{day}: {answer:?}");
    }
    for after in ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"] {
        let args = json!({"duration_min": 5, "after": after});
        let answer = ask(&mut host, ToolName::SuggestSlots, &args, t(MORNING));
        assert!(answer.is_ok(), "{after}: {answer:?}");
    }
    for first in ["0000-01-01", "1969-12-31", "9999-12-31"] {
        let args = json!({"first": first, "days": 42});
        let answer = ask(&mut host, ToolName::ListEvents, &args, t(MORNING));
        assert!(answer.is_ok(), "{first}: {answer:?}");
    }
}
