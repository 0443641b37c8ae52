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
        "working_days": ["sun", "mon"],
    }))
    .unwrap();
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
    let mut host = crate::host::AgentHost::new(Box::new(agent));
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
