//! What the owner sets: speeds, working time; and what is refused.

use super::*;
use toolcall_schema::signal::LocationData;

fn preferences(table: &Value) -> Result<CalendarPreferences, String> {
    serde_json::from_value(table.clone()).map_err(|error| error.to_string())
}

#[test]
fn nothing_said_is_the_default_and_comes_through_a_frame_as_it_was() {
    let default = preferences(&json!({})).unwrap();
    assert_eq!(default, CalendarPreferences::default());
    let set = preferences(&json!({
        "speeds_kmh": {"walk": 5, "metro": 40.5}, "default_mode": "bike", "working_hours": ["07:30", "16:15"],
        "working_days": ["sun", "mon"], "before_meetings": true,
    }))
    .unwrap();
    assert!(set.prepares_meetings() && !default.prepares_meetings());
    for known in [default, set] {
        assert_eq!(preferences(&serde_json::to_value(&known).unwrap()), Ok(known));
    }
}

#[test]
fn what_is_out_of_bounds_is_refused_with_what_it_must_be() {
    let speed = "a speed in speeds_kmh is not from 0.5 to 1000 km/h";
    let hours = "working_hours are not two times like";
    let days = "working_days are not one to seven different days like";
    for (table, problem) in [
        (json!({"speeds_kmh": {"walk": 0.4}}), speed),
        (json!({"speeds_kmh": {"car": 1000.1}}), speed),
        (json!({"speeds_kmh": {"boat": 10}}), "unknown field `boat`"),
        (json!({"default_mode": "boat"}), "unknown variant `boat`"),
        (json!({"working_hours": ["18:00", "09:00"]}), hours),
        (json!({"working_hours": ["09:00", "09:00"]}), hours),
        (json!({"working_hours": ["9", "18"]}), hours),
        (json!({"working_hours": ["09:00", "24:00"]}), hours),
        (json!({"working_days": []}), days),
        (json!({"working_days": ["mon", "monday"]}), days),
        (json!({"working_days": ["someday"]}), days),
        (json!({"lunch": true}), "unknown field `lunch`"),
        (json!({"places": {"the inn": 20}}), "places are not at most 512"),
        (
            json!({"places": {"lo_0123456789abcdef": 1441}}),
            "places are not at most 512",
        ),
    ] {
        let refused = preferences(&table).unwrap_err();
        assert!(refused.contains(problem), "{table}: {refused}");
    }
}

/// Minutes of travel from the origin to 0.1 degrees of longitude at the equator, 11.119 km.
fn way(table: &Value, lines: &str) -> u32 {
    let mut setup = setup();
    setup.owner.calendar = preferences(table).unwrap();
    setup.owner.home = Some(LocationData { lat: 0.0, lon: 0.0 });
    let mut agent = CalendarAgent::new(setup);
    post(
        &mut agent,
        "c-1",
        t(MORNING),
        &ics(&[("x", &format!("DTSTART:20261103T060000Z\n{lines}"))]),
    );
    travel_min(agent.instances()[0].travel, agent.place())
}

#[test]
fn the_way_is_what_the_event_says_then_the_owners_speed_of_its_mode() {
    let fast = json!({"speeds_kmh": {"walk": 6, "metro": 60, "bike": 24, "car": 30}, "default_mode": "bike"});
    let place = "GEO:0.0;0.1";
    for (table, lines, minutes) in [
        // 11.119 km: at 6 km/h 111.2, at 60 11.1, at 24 27.8, at 30 22.2 min.
        (&fast, format!("{place}\nX-AURA-MODE:walk"), 111),
        (&fast, format!("{place}\nX-AURA-MODE:METRO"), 11),
        (&fast, format!("{place}\nX-AURA-MODE:cab"), 22),
        // No mode, or one that nobody knows: the owner's.
        (&fast, place.to_owned(), 28),
        (&fast, format!("{place}\nX-AURA-MODE:boat"), 28),
        (&json!({}), place.to_owned(), 30),
        (&fast, format!("{place}\nX-AURA-TRAVEL-MIN:7"), 7),
        (
            &fast,
            format!("{place}\nX-APPLE-TRAVEL-DURATION;VALUE=DURATION:PT1H5M"),
            65,
        ),
        (&fast, format!("{place}\nX-AURA-TRAVEL-MIN:99999"), 1440),
        // A name is no place, and half a place is none.
        (&fast, "LOCATION:Main Street 1".to_owned(), 0),
        (&fast, "LOCATION:Main Street 1\nGEO:91;0".to_owned(), 0),
    ] {
        assert_eq!(way(table, &lines), minutes, "{lines}");
    }
}

#[test]
fn an_alert_is_offered_while_it_helps_and_moves_with_the_owner() {
    let mut agent = calendar();
    let event = "DTSTART:20261103T060000Z\nGEO:0.0;0.1";
    post(&mut agent, "c-1", t(MORNING), &ics(&[("x", event)]));
    let offered = |agent: &CalendarAgent, at: &str| {
        let candidates = agent.tick(&question(t(at)), t(at)).candidates;
        candidates.iter().any(|c| c.kind == ActionKind::LeaveByAlert)
    };
    assert!(!offered(&agent, "2026-11-03T05:00:00Z"), "no place, no way");
    // From 0, 0: 30 min, the buffer is 15: leave by 05:15. From half way: 15 min, 05:30. From a tenth of it: 3 min, no alert.
    for (n, lon, times) in [
        (
            1,
            0.0,
            [
                ("04:14:59", false),
                ("04:15:00", true),
                ("05:15:00", true),
                ("05:15:01", false),
            ],
        ),
        (
            2,
            0.05,
            [
                ("04:29:59", false),
                ("04:30:00", true),
                ("05:30:00", true),
                ("05:30:01", false),
            ],
        ),
        (
            3,
            0.09,
            [
                ("04:30:00", false),
                ("05:00:00", false),
                ("05:30:00", false),
                ("05:45:00", false),
            ],
        ),
    ] {
        let place = json!({"lat": 0.0, "lon": lon});
        agent.accept(vec![signal(
            &format!("l-{n}"),
            t(MORNING).plus_ms(n),
            "location",
            &place,
        )]);
        ingest(&mut agent, t(MORNING).plus_ms(n));
        for (time, expected) in times {
            assert_eq!(
                offered(&agent, &format!("2026-11-03T{time}Z")),
                expected,
                "{lon} {time}"
            );
        }
    }
}

#[test]
fn free_times_lie_in_the_owners_working_time() {
    let mut setup = setup();
    setup.owner.calendar =
        preferences(&json!({"working_days": ["sat"], "working_hours": ["06:10", "08:00"]})).unwrap();
    let mut agent = CalendarAgent::new(setup);
    post(
        &mut agent,
        "c-1",
        t(MORNING),
        &ics(&[("x", "DTSTART:20200101T000000Z")]),
    );
    let mut host = agents_base::host::AgentHost::new(Box::new(agent));
    let args = json!({"duration_min": 60, "after": MORNING});
    let found = crate::testing::ask(
        &mut host,
        toolcall_schema::ToolName::SuggestSlots,
        &args,
        t(MORNING),
    )
    .unwrap();
    // Saturday, 7 November, in Kolkata: the quarter after 06:10 is 06:15 = 00:45 UTC.
    assert_eq!(
        found,
        json!({"slots": [{"start": "2026-11-07T00:45:00.000Z", "end": "2026-11-07T01:45:00.000Z"}]})
    );
}

#[test]
fn a_named_place_is_as_far_as_the_owner_told_and_is_asked_for_until_then() {
    let key = setup().key;
    let told = json!({"places": {
        agents_base::contract::place_key(&key, "Dr. Weiss, Lindenstr. 5"): 20,
        agents_base::contract::place_key(&key, "home"): 0,
    }});
    // (what stands in the event, minutes, the name that is asked about or was told)
    for (lines, minutes, name) in [
        (
            "LOCATION:Dr. Weiss\\, Lindenstr. 5",
            20,
            Some("Dr. Weiss, Lindenstr. 5"),
        ),
        (
            "LOCATION:  dr. WEISS\\,\\n Lindenstr. 5 ",
            20,
            Some("dr. WEISS, Lindenstr. 5"),
        ),
        ("LOCATION:Home", 0, Some("Home")),
        ("LOCATION:Town hall", 0, Some("Town hall")),
        // Measured, or no place: not asked.
        ("LOCATION:Town hall\nGEO:0.0;0.1", 30, None),
        ("LOCATION:Dr. Weiss\\, Lindenstr. 5\nX-AURA-TRAVEL-MIN:7", 7, None),
        ("LOCATION:https://meet.example.org/abc", 0, None),
        ("LOCATION:Microsoft Teams Meeting", 0, None),
        ("LOCATION:", 0, None),
        ("SUMMARY:nowhere", 0, None),
    ] {
        let mut setup = setup();
        setup.owner.calendar = preferences(&told).unwrap();
        setup.owner.home = Some(LocationData { lat: 0.0, lon: 0.0 });
        let mut agent = CalendarAgent::new(setup);
        let events = [("x", format!("DTSTART:20261103T060000Z\n{lines}"))];
        let events: Vec<(&str, &str)> = events.iter().map(|(uid, lines)| (*uid, lines.as_str())).collect();
        post(&mut agent, "c-1", t(MORNING), &ics(&events));
        assert_eq!(
            travel_min(agent.instances()[0].travel, agent.place()),
            minutes,
            "{lines}"
        );
        let named: Vec<String> = agent
            .named_places(t(MORNING))
            .into_iter()
            .map(|place| place.name)
            .collect();
        assert_eq!(named.first().map(String::as_str), name, "{lines}");
    }
}

#[test]
fn places_of_what_comes_are_named_the_most_frequent_first() {
    let mut agent = calendar();
    let events = [
        ("a", "DTSTART:20261103T060000Z\nLOCATION:Inn"),
        ("b", "DTSTART:20261104T060000Z\nLOCATION:Hall"),
        ("c", "DTSTART:20261105T060000Z\nLOCATION:hall"),
        ("d", "DTSTART:20200101T060000Z\nLOCATION:Old inn"),
        ("e", "DTSTART:20200101T060000Z\nRRULE:FREQ=WEEKLY\nLOCATION:Choir"),
        ("f", "DTSTART:20261105T060000Z\nSTATUS:CANCELLED\nLOCATION:Nobody"),
    ];
    post(&mut agent, "c-1", t(MORNING), &ics(&events));
    let named = agent.named_places(t(MORNING));
    let named: Vec<(&str, u32)> = named
        .iter()
        .map(|place| (place.name.as_str(), place.events))
        .collect();
    assert_eq!(named, [("Hall", 2), ("Choir", 1), ("Inn", 1)]);
}

#[test]
fn a_told_way_is_what_the_alert_to_leave_rests_on() {
    let mut setup = setup();
    setup.owner.calendar =
        preferences(&json!({"places": { agents_base::contract::place_key(&setup.key, "Inn"): 30 }})).unwrap();
    let mut agent = CalendarAgent::new(setup);
    // 02:15 now; at 03:10, 30 minutes and the buffer of 15: leave by 02:25.
    let event = [("a", "DTSTART:20261103T031000Z\nLOCATION:Inn")];
    post(&mut agent, "c-1", t(MORNING), &ics(&event));
    let told = agent.tick(&question(t(MORNING)), t(MORNING));
    let kinds: Vec<ActionKind> = told.candidates.iter().map(|c| c.kind).collect();
    assert!(kinds.contains(&ActionKind::LeaveByAlert), "{kinds:?}");
}
