//! Calendar's rules, one table per promise.

mod acting;
mod days;
mod folders;
mod looking;
mod meetings;
mod oracle;
mod overrides;
mod preferred;
mod reading;
mod recurring;
mod tasks;
mod total;
mod zones;

use super::*;
use crate::testing::{ingest, question, setup, signal, t};
use agents_base::contract::CalendarPreferences;
use model::{TravelTime, conflicts, travel_min};
use proptest::prelude::*;
use serde_json::json;
use std::path::PathBuf;
use toolcall_schema::{
    ActionKind,
    milli::Milli,
    tick::{Candidate, IngestFact, ReadingKey, SignalReading, Subject, TickStatus},
};

/// The eve of the tests' Tuesday, and its morning (07:45 in Kolkata).
const MORNING: &str = "2026-11-03T02:15:00Z";

fn calendar() -> CalendarAgent {
    CalendarAgent::new(setup())
}

/// A VCALENDAR around VEVENTs; each is given by its lines after `UID`.
fn ics(events: &[(&str, &str)]) -> String {
    let event = |(uid, lines): &(&str, &str)| {
        format!("BEGIN:VEVENT\nUID:{uid}\nDTSTAMP:20261101T000000Z\n{lines}\nEND:VEVENT\n")
    };
    let events = events.iter().map(event).collect::<Vec<_>>().concat();
    format!("BEGIN:VCALENDAR\nVERSION:2.0\n{events}END:VCALENDAR\n").replace('\n', "\r\n")
}

fn post(agent: &mut CalendarAgent, id: &str, at: Timestamp, ics: &str) -> IngestResult {
    agent.accept(vec![signal(id, at, "calendar", &json!({"ics": ics}))]);
    ingest(agent, at)
}

/// An agent that was posted these events at `at`.
fn with(events: &[(&str, &str)], at: Timestamp) -> (CalendarAgent, IngestResult) {
    let mut agent = calendar();
    let answer = post(&mut agent, "c-1", at, &ics(events));
    (agent, answer)
}

/// Start and end of every instance.
fn times(agent: &CalendarAgent) -> Vec<(String, String)> {
    agent
        .instances()
        .iter()
        .map(|i| (i.start.to_string(), i.end.to_string()))
        .collect()
}

/// The name of an instance that has not been moved.
fn id(uid: &str, start: &str) -> EventId {
    setup().key.event(uid, &t(start).to_string())
}

const REVIEW: (&str, &str) = (
    "review",
    "DTSTART;TZID=Asia/Kolkata:20261103T090000\nDTEND;TZID=Asia/Kolkata:20261103T100000\nX-AURA-TRAVEL-MIN:22",
);
const REVIEW_START: &str = "2026-11-03T03:30:00Z";

#[test]
fn without_a_calendar_says_so_and_an_empty_day_is_data() {
    assert_eq!(
        calendar().tick(&question(t(MORNING)), t(MORNING)).status,
        TickStatus::NoData
    );
    let (agent, _) = with(&[("old", "DTSTART:20200101T000000Z")], t(MORNING));
    let answer = agent.tick(&question(t(MORNING)), t(MORNING));
    let nothing = vec![
        SignalReading::new(ReadingKey::EventsToday, 0.0),
        SignalReading::new(ReadingKey::Conflicts, 0.0),
    ];
    assert_eq!(
        (answer.status, answer.candidates, answer.readings),
        (TickStatus::Ok, vec![], nothing)
    );
}

#[test]
fn tells_each_instance_and_its_alert_once_and_a_cancelled_one_as_empty() {
    let (mut agent, answer) = with(&[REVIEW], t(MORNING));
    let changed = IngestFact::EventChanged {
        event: id("review", REVIEW_START),
        start: t(REVIEW_START),
        end: t("2026-11-03T04:30:00Z"),
        focus: false,
    };
    // 09:00 - (22 + 15) min = 08:23; 15 min before it 08:08 (local).
    let schedule = IngestFact::Schedule {
        event: id("review", REVIEW_START),
        alert_at: t("2026-11-03T02:38:00Z"),
        leave_by: t("2026-11-03T02:53:00Z"),
    };
    assert_eq!(answer.facts, [changed, schedule]);
    assert_eq!(ingest(&mut agent, t(MORNING).plus_min(1)).facts, []);
    let cancelled = ics(&[(
        "review",
        "SEQUENCE:1\nSTATUS:CANCELLED\nDTSTART;TZID=Asia/Kolkata:20261103T090000",
    )]);
    let gone = IngestFact::EventChanged {
        event: id("review", REVIEW_START),
        start: t(REVIEW_START),
        end: t(REVIEW_START),
        focus: false,
    };
    assert_eq!(
        post(&mut agent, "c-2", t(MORNING).plus_min(2), &cancelled).facts,
        [gone]
    );
    assert_eq!(agent.instances(), []);
}

#[test]
fn an_event_that_is_over_is_not_told_as_cancelled() {
    let (mut agent, _) = with(&[REVIEW], t(MORNING));
    // Two days later it is outside the window.
    assert_eq!(ingest(&mut agent, t("2026-11-06T02:15:00Z")).facts, []);
}

#[test]
fn a_new_place_of_the_owner_changes_the_schedule() {
    // 0.1 degrees of longitude at the equator: 6371 * 0.1 * pi / 180 = 11.119 km; by bike (18 km/h) 37.06 -> 37 min.
    let event = ("far", "DTSTART:20261103T060000Z\nGEO:0.0;0.1\nX-AURA-MODE:bike");
    let (mut agent, answer) = with(&[event], t(MORNING));
    assert_eq!(answer.facts.len(), 1, "no place known, no way: no schedule");
    let place = json!({"lat": 0.0, "lon": 0.0});
    agent.accept(vec![signal("l-1", t(MORNING), "location", &place)]);
    let schedule = IngestFact::Schedule {
        event: id("far", "2026-11-03T06:00:00Z"),
        alert_at: t("2026-11-03T04:53:00Z"),
        leave_by: t("2026-11-03T05:08:00Z"),
    };
    assert_eq!(ingest(&mut agent, t(MORNING)).facts, [schedule]);
}

#[test]
fn a_place_leaves_the_agent_as_its_cell_and_is_known_to_the_metre_for_an_hour() {
    let (lat, lon) = (12.971_600_1, 77.594_600_1);
    let cell = GridCell::of(lat, lon).unwrap();
    let (middle_lat, middle_lon) = cell.middle();
    let mut agent = calendar();
    agent.accept(vec![signal(
        "l-1",
        t(MORNING),
        "location",
        &json!({"lat": lat, "lon": lon}),
    )]);
    let answer = ingest(&mut agent, t(MORNING));
    assert_eq!(answer.seen, [GraphObservation::Place { cell, at: t(MORNING) }]);
    let kept = &answer.agent_state["place"][1];
    assert_eq!(*kept, json!({"lat": middle_lat, "lon": middle_lon}));
    let here = |agent: &CalendarAgent| agent.place().map(|place| (place.lat, place.lon));
    ingest(&mut agent, t(MORNING).plus_min(59));
    assert_eq!(here(&agent), Some((lat, lon)));
    ingest(&mut agent, t(MORNING).plus_min(60));
    assert_eq!(here(&agent), Some((middle_lat, middle_lon)));
}

#[test]
fn travel_is_what_the_event_says_or_the_distance_over_the_speed() {
    let place = |lat, lon| toolcall_schema::signal::LocationData { lat, lon };
    let way = |tenth_kmh| {
        Some(TravelTime::Place {
            place: place(0.0, 0.1),
            tenth_kmh,
        })
    };
    let origin = Some(place(0.0, 0.0));
    // 11.119 km: walk 4.5 -> 148.3, metro 28 -> 23.8, bike 18 -> 37.1, cab 22 -> 30.3.
    for (travel, from, minutes) in [
        (Some(TravelTime::Minutes { min: 22 }), None, 22),
        (way(45), origin, 148),
        (way(280), origin, 24),
        (way(180), origin, 37),
        (way(220), origin, 30),
        (way(220), None, 0),
        (None, origin, 0),
        // Half the earth around is capped at a day.
        (way(45), Some(place(0.0, -179.9)), 1440),
    ] {
        assert_eq!(travel_min(travel, from), minutes, "{travel:?}");
    }
}

fn alert() -> Candidate {
    Candidate {
        kind: ActionKind::LeaveByAlert,
        subject: Subject::from(&id("review", REVIEW_START)),
        confidence: Milli(850),
        args: json!({"event_id": id("review", REVIEW_START), "buffer_min": 15}),
        valid_until: Some(t("2026-11-03T02:53:00Z")),
        evidence: vec![],
        let_through: false,
    }
}

#[test]
fn offers_the_alert_from_an_hour_before_leaving_to_leaving() {
    let (agent, _) = with(&[REVIEW], t(MORNING));
    for (at, offered) in [
        ("2026-11-03T01:52:59.999Z", false),
        ("2026-11-03T01:53:00Z", true),
        ("2026-11-03T02:53:00Z", true),
        ("2026-11-03T02:53:00.001Z", false),
    ] {
        let candidates = agent.tick(&question(t(at)), t(at)).candidates;
        let expected = if offered { vec![alert()] } else { vec![] };
        assert_eq!(candidates, expected, "{at}");
    }
}

#[test]
fn a_short_way_and_a_running_meeting_give_no_alert() {
    let near = ("near", "DTSTART:20261103T033000Z\nX-AURA-TRAVEL-MIN:9");
    let running = (
        "on",
        "DTSTART:20261103T020000Z\nDTEND:20261103T030000Z\nX-AURA-TRAVEL-MIN:22",
    );
    let (agent, _) = with(&[near, running], t(MORNING));
    assert_eq!(agent.tick(&question(t(MORNING)), t(MORNING)).candidates, []);
}

#[test]
fn the_readings_name_the_way_and_when_to_leave() {
    let (agent, _) = with(&[REVIEW], t(MORNING));
    // 08:23 - 07:45 = 38 min.
    let readings = vec![
        SignalReading::new(ReadingKey::EventsToday, 1.0),
        SignalReading::new(ReadingKey::Conflicts, 0.0),
        SignalReading::new(ReadingKey::TravelMin, 22.0),
        SignalReading::new(ReadingKey::BufferMin, 15.0),
        SignalReading::new(ReadingKey::LeaveInMin, 38.0),
    ];
    assert_eq!(agent.tick(&question(t(MORNING)), t(MORNING)).readings, readings);
}

#[test]
fn the_brief_counts_what_is_left_of_the_local_day() {
    let events = [
        ("early", "DTSTART:20261103T000000Z\nDTEND:20261103T010000Z"),
        ("running", "DTSTART:20261103T020000Z\nDTEND:20261103T023000Z"),
        ("a", "DTSTART:20261103T040000Z\nDTEND:20261103T050000Z"),
        ("b", "DTSTART:20261103T043000Z\nDTEND:20261103T053000Z"),
        ("all-day", "DTSTART;VALUE=DATE:20261103"),
        // 18:30 UTC is midnight in Kolkata: tomorrow.
        ("tomorrow", "DTSTART:20261103T183000Z\nDTEND:20261103T190000Z"),
    ];
    let (agent, _) = with(&events, t(MORNING));
    let mut args = question(t(MORNING));
    args.user.brief_due = true;
    let brief = Candidate {
        kind: ActionKind::ShowBrief,
        subject: Subject::parse("2026-11-03").unwrap(),
        confidence: Milli(850),
        args: json!({"sections": [{
            "section": "day", "events": 4, "conflicts": 1,
            "next_event": id("a", "2026-11-03T04:00:00Z"), "next_start": "2026-11-03T04:00:00.000Z",
        }]}),
        valid_until: None,
        evidence: vec![],
        let_through: false,
    };
    assert_eq!(agent.tick(&args, t(MORNING)).candidates, [brief]);
    // In the evening nothing starts any more today, but the day is still what it is all day.
    let evening = t("2026-11-03T18:00:00Z");
    let sections = |agent: &CalendarAgent| {
        let candidates = agent.tick(&args, evening).candidates;
        candidates.into_iter().map(|c| c.args).collect::<Vec<_>>()
    };
    let all_day = json!({"sections": [{"section": "day", "events": 1, "conflicts": 0}]});
    assert_eq!(sections(&agent), [all_day]);
    let (agent, _) = with(&[events[2], events[5]], t(MORNING));
    assert_eq!(sections(&agent), Vec::<Value>::new());
}

#[test]
fn a_posted_event_is_there_after_a_restart_and_its_state_holds_no_text() {
    let (agent, answer) = with(
        &[
            REVIEW,
            ("Secret name", "SUMMARY:Secret\nDTSTART:20261103T060000Z"),
        ],
        t(MORNING),
    );
    assert!(!answer.agent_state.to_string().contains("Secret"));
    let mut restored = calendar();
    restored.restore(&answer.agent_state).unwrap();
    let args = IngestArgs {
        cursor: answer.cursor,
        signal_ids: vec![],
    };
    assert_eq!(restored.ingest(&args, t(MORNING)).facts, []);
    assert_eq!(times(&restored), times(&agent));
    let at = t(MORNING);
    assert_eq!(restored.tick(&question(at), at).candidates, [alert()]);
    // Posted again and moved: the old instance is not kept beside it.
    let moved = ics(&[("review", "SEQUENCE:2\nDTSTART;TZID=Asia/Kolkata:20261103T110000")]);
    post(&mut restored, "c-2", at, &moved);
    assert!(
        !times(&restored)
            .iter()
            .any(|(start, _)| start == "2026-11-03T03:30:00.000Z")
    );
    assert!(calendar().restore(&json!([])).is_err());
}

#[test]
fn the_state_is_null_while_nothing_changes() {
    let (mut agent, answer) = with(&[REVIEW], t(MORNING));
    let args = IngestArgs {
        cursor: answer.cursor,
        signal_ids: vec![],
    };
    let quiet = agent.ingest(&args, t(MORNING).plus_min(1));
    assert_eq!((quiet.cursor, quiet.agent_state), (answer.cursor, Value::Null));
}

#[test]
fn reads_the_demo_household() {
    let mut setup = setup();
    setup.owner.addresses = vec!["kavin@example.org".to_owned()];
    setup.owner.home = Some(LocationData {
        lat: 12.9352,
        lon: 77.6245,
    });
    setup.sources.calendar =
        vec![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/home/calendar")];
    let mut agent = CalendarAgent::new(setup);
    let at = t("2026-11-03T07:45:00+05:30");
    assert_eq!(ingest(&mut agent, at).skips, []);
    let mut args = question(at);
    args.user.brief_due = true;
    let answer = agent.tick(&args, at);
    let kinds: Vec<ActionKind> = answer.candidates.iter().map(|c| c.kind).collect();
    let all = [
        ActionKind::LeaveByAlert,
        ActionKind::ShowBrief,
        ActionKind::DeclineEvent,
    ];
    assert_eq!(kinds, all);
    // Review, writing, lunch, grant call, demo, piano, Hamburg, and Harvest day; the demo overlaps the grant call.
    let day = [answer.readings[0].value, answer.readings[1].value];
    assert_eq!((day, answer.readings[4].value), ([8.0, 1.0], 38.0));
}

fn any_instance() -> impl Strategy<Value = EventInstance> {
    (
        0..300_i64,
        0..60_i64,
        any::<bool>(),
        any::<bool>(),
        proptest::option::of(0..5_i64),
    )
        .prop_map(|(start, lasts, transparent, unanswered, created)| {
            let start = t(MORNING).plus_min(start);
            let id = setup()
                .key
                .event(&format!("{lasts}-{transparent}-{unanswered}"), &start.to_string());
            EventInstance {
                series: id.clone(),
                id,
                start,
                end: start.plus_min(lasts),
                focus: false,
                transparent,
                all_day: false,
                uncertain: false,
                tentative: false,
                travel: None,
                created: created.map(|c| t(MORNING).plus_min(c)),
                unanswered,
                others: 0,
                posted: true,
            }
        })
}

proptest! {
    #[test]
    fn the_sweep_finds_exactly_the_overlapping_pairs(mut instances in proptest::collection::vec(any_instance(), 0..40)) {
        instances.sort_by_key(|i| i.start);
        let mut expected = Vec::new();
        for (j, b) in instances.iter().enumerate() {
            for (i, a) in instances.iter().enumerate().take(j) {
                let both = [a, b].iter().all(|x| !x.transparent && x.end > x.start);
                if both && a.start < b.end && b.start < a.end {
                    expected.push((i, j));
                }
            }
        }
        let mut found = conflicts(&instances);
        found.sort_by_key(|(i, j)| (*j, *i));
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn every_code_has_its_page_and_a_message_that_the_schema_admits() {
    for skip in [
        sources::lines::NOT_ICALENDAR,
        sources::lines::BROKEN_EVENT,
        sources::values::BAD_TIME,
        rrule::BAD_RULE,
        event_index::TOO_MANY_EVENTS,
        sources::zones::UNKNOWN_ZONE,
        sources::ics::BAD_DATE,
        event_index::HALF_WRITTEN,
        rrule::OUT_OF_STEPS,
    ] {
        let page =
            PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/errors/{}.md", skip.code));
        let text = std::fs::read_to_string(&page).unwrap_or_default();
        assert!(text.starts_with(&format!("# {}: ", skip.code)), "{}", skip.code);
        assert!((1..=200).contains(&skip.message.len()), "{}", skip.code);
    }
}
