//! Meetings: who is invited, when to prepare for one, and what is said of it.

use super::*;
use toolcall_schema::{
    catalogue::calendar::{
        DescribeMeeting, MEETING_PEOPLE_MAX, MeetingDescription, PrepareMeeting, PreparedMeeting,
    },
    ids::PersonHash,
    tick::{Trigger, TriggerSource},
};

/// 15:00 to 15:30 in Kolkata, with two others.
const TEAM: (&str, &str) = (
    "team",
    "DTSTART;TZID=Asia/Kolkata:20261103T150000\nDTEND;TZID=Asia/Kolkata:20261103T153000\nSUMMARY:Loom demo\n\
     LOCATION:Studio 4\\, Hauptstr. 9\nX-AURA-TRAVEL-MIN:22\nORGANIZER;CN=\"Asha Rao\":mailto:Asha@Example.net\n\
     ATTENDEE;CN=Asha Rao;PARTSTAT=ACCEPTED:mailto:asha@example.net\nATTENDEE:mailto:rohan@example.org\n\
     ATTENDEE:mailto:jonas@example.net",
);
const TEAM_START: &str = "2026-11-03T09:30:00Z";
const TEAM_END: &str = "2026-11-03T10:00:00Z";

/// As Comms names whoever writes from an address.
fn key_of(address: &str) -> PersonHash {
    setup().key.person(address)
}

fn agent_that(prepares: bool, events: &[(&str, &str)]) -> (CalendarAgent, IngestResult) {
    let mut setup = setup();
    setup.owner.calendar = serde_json::from_value(json!({"before_meetings": prepares})).unwrap();
    let mut agent = CalendarAgent::new(setup);
    let answer = post(&mut agent, "c-1", t(MORNING), &ics(events));
    (agent, answer)
}

fn told(answer: &IngestResult) -> Vec<&IngestFact> {
    let facts = answer.facts.iter();
    facts
        .filter(|fact| matches!(fact, IngestFact::Meeting { .. }))
        .collect()
}

fn proposals(agent: &CalendarAgent, at: &str) -> Vec<Candidate> {
    let mut candidates = agent.tick(&question(t(at)), t(at)).candidates;
    candidates.retain(|one| one.kind == ActionKind::PrepareMeeting);
    candidates
}

fn describe(agent: &mut CalendarAgent, event: &EventId) -> Result<MeetingDescription, ToolErrorCode> {
    let args = DescribeMeeting {
        event_id: event.clone(),
    };
    let tool = Tool::Calendar(CalendarTool::DescribeMeeting(args));
    let (result, effects) = agent.act(&tool, t(MORNING))?;
    assert_eq!(effects, []);
    Ok(serde_json::from_value(result).unwrap())
}

/// The names of who is invited to one event with these lines, and how many others there are.
fn invited(lines: &str) -> (Vec<String>, u32) {
    let event = ("x", format!("DTSTART:20261103T093000Z\n{lines}"));
    let (mut agent, _) = agent_that(true, &[(event.0, &event.1)]);
    let said = describe(&mut agent, &id("x", TEAM_START)).unwrap();
    let names = said.people.iter().map(|one| one.name.as_str().to_owned());
    (names.collect(), said.others)
}

#[test]
fn ten_minutes_before_a_meeting_it_is_proposed_until_it_starts() {
    let (agent, answer) = agent_that(true, &[TEAM]);
    let fact = IngestFact::Meeting {
        event: id("team", TEAM_START),
        prepare_at: t("2026-11-03T09:20:00Z"),
        start: t(TEAM_START),
    };
    assert_eq!(told(&answer), [&fact]);
    let candidate = Candidate {
        kind: ActionKind::PrepareMeeting,
        subject: Subject::from(&id("team", TEAM_START)),
        confidence: Milli(900),
        args: json!({"event_id": id("team", TEAM_START)}),
        valid_until: Some(t(TEAM_START)),
        evidence: vec![],
        let_through: false,
    };
    for (at, offered) in [
        ("2026-11-03T09:19:59.999Z", false),
        ("2026-11-03T09:20:00Z", true),
        ("2026-11-03T09:29:59.999Z", true),
        (TEAM_START, false),
        ("2026-11-03T09:45:00Z", false),
    ] {
        let expected = if offered { vec![candidate.clone()] } else { vec![] };
        assert_eq!(proposals(&agent, at), expected, "{at}");
    }
}

#[test]
fn nothing_is_told_or_proposed_when_it_was_not_asked_for() {
    let (agent, answer) = agent_that(false, &[TEAM]);
    assert_eq!(told(&answer), Vec::<&IngestFact>::new());
    assert_eq!(proposals(&agent, "2026-11-03T09:25:00Z"), []);
}

#[test]
fn what_is_no_meeting_with_others_is_not_prepared_for() {
    let others = "\nATTENDEE:mailto:asha@example.net";
    let at_three = "DTSTART:20261103T093000Z\nDTEND:20261103T100000Z";
    for lines in [
        // Nobody, the owner alone, who declined, a room.
        at_three.to_owned(),
        format!("{at_three}\nORGANIZER:mailto:rohan@example.org\nATTENDEE:mailto:ROHAN@example.org"),
        format!("{at_three}\nATTENDEE;PARTSTAT=DECLINED:mailto:asha@example.net"),
        format!("{at_three}\nATTENDEE;CUTYPE=ROOM:mailto:room4@example.net"),
        format!("{at_three}\nTRANSP:TRANSPARENT{others}"),
        format!("{at_three}\nSTATUS:CANCELLED{others}"),
        format!("DTSTART;VALUE=DATE:20261103{others}"),
        format!("DTSTART;TZID=Nowhere/Known:20261103T150000{others}"),
    ] {
        let (agent, answer) = agent_that(true, &[("x", &lines)]);
        assert_eq!(told(&answer), Vec::<&IngestFact>::new(), "{lines}");
        assert_eq!(proposals(&agent, "2026-11-03T09:25:00Z"), [], "{lines}");
    }
}

#[test]
fn a_meeting_that_moved_is_told_anew_and_one_that_was_cancelled_is_gone() {
    let (mut agent, _) = agent_that(true, &[TEAM]);
    let moved = TEAM.1.replace("T150000", "T180000").replace("T153000", "T183000");
    let answer = post(
        &mut agent,
        "c-2",
        t(MORNING).plus_min(1),
        &ics(&[("team", &format!("SEQUENCE:1\n{moved}"))]),
    );
    let fact = IngestFact::Meeting {
        event: id("team", "2026-11-03T12:30:00Z"),
        prepare_at: t("2026-11-03T12:20:00Z"),
        start: t("2026-11-03T12:30:00Z"),
    };
    assert_eq!(told(&answer), [&fact]);
    assert_eq!(proposals(&agent, "2026-11-03T09:25:00Z"), []);
    let cancelled = format!("SEQUENCE:2\nSTATUS:CANCELLED\n{moved}");
    let answer = post(
        &mut agent,
        "c-3",
        t(MORNING).plus_min(2),
        &ics(&[("team", &cancelled)]),
    );
    assert_eq!(told(&answer), Vec::<&IngestFact>::new());
    assert_eq!(proposals(&agent, "2026-11-03T12:25:00Z"), []);
}

#[test]
fn what_was_put_off_into_the_meeting_is_proposed_while_it_lasts() {
    let (agent, _) = agent_that(true, &[TEAM]);
    let asked_again = |at: &str, source| {
        let mut question = question(t(at));
        question.trigger = Trigger {
            source,
            subject: Some(Subject::from(&id("team", TEAM_START))),
            ..question.trigger
        };
        let candidates = agent.tick(&question, t(at)).candidates;
        let found = candidates
            .into_iter()
            .find(|one| one.kind == ActionKind::PrepareMeeting);
        found.map(|one| one.valid_until)
    };
    let during = "2026-11-03T09:35:00Z";
    assert_eq!(asked_again(during, TriggerSource::Later), Some(Some(t(TEAM_END))));
    assert_eq!(asked_again(during, TriggerSource::AlertAt), None);
    assert_eq!(asked_again(TEAM_END, TriggerSource::Later), None);
    assert_eq!(
        asked_again("2026-11-03T09:25:00Z", TriggerSource::Later),
        Some(Some(t(TEAM_START)))
    );
}

#[test]
fn the_card_holds_numbers_and_the_description_who_is_there() {
    let (mut agent, _) = agent_that(true, &[TEAM]);
    let args = |event: &EventId| {
        Tool::Calendar(CalendarTool::PrepareMeeting(PrepareMeeting {
            event_id: event.clone(),
        }))
    };
    let team = id("team", TEAM_START);
    let (result, effects) = agent.act(&args(&team), t("2026-11-03T09:20:00Z")).unwrap();
    let numbers = PreparedMeeting {
        event_id: team.clone(),
        start: t(TEAM_START),
        end: t(TEAM_END),
        others: 2,
        travel_min: 22,
    };
    assert_eq!(
        serde_json::from_value::<PreparedMeeting>(result).unwrap(),
        numbers
    );
    assert_eq!(effects, [ToolEffect::CardShow]);
    for (event, at, why) in [
        (&team, TEAM_END, ToolErrorCode::TooLate),
        (&id("other", TEAM_START), MORNING, ToolErrorCode::NotFound),
    ] {
        assert_eq!(agent.act(&args(event), t(at)), Err(why));
    }

    let said = describe(&mut agent, &team).unwrap();
    let people: Vec<(&str, &str)> = said
        .people
        .iter()
        .map(|one| (one.person.as_str(), one.name.as_str()))
        .collect();
    let (asha, jonas) = (key_of("asha@example.net"), key_of("jonas@example.net"));
    // 15:00 - (22 + 15) min.
    let leave_by = Some(t("2026-11-03T08:53:00Z"));
    assert_eq!(
        people,
        [(asha.as_str(), "Asha Rao"), (jonas.as_str(), "jonas@example.net")]
    );
    assert_eq!((said.others, said.travel_min, said.leave_by), (2, 22, leave_by));
    assert_eq!(said.title.unwrap().as_str(), "Loom demo");
    assert_eq!(said.place.unwrap().as_str(), "Studio 4, Hauptstr. 9");
    assert_eq!(
        describe(&mut agent, &id("other", TEAM_START)),
        Err(ToolErrorCode::NotFound)
    );
}

#[test]
fn an_address_is_one_person_whatever_its_case_and_wherever_it_stands() {
    for (lines, names, others) in [
        ("", vec![], 0),
        (
            "ATTENDEE;CN=Asha:MAILTO:asha@example.net\nATTENDEE;CN=A:mailto:ASHA@example.net",
            vec!["Asha"],
            1,
        ),
        // Not an address, but Apple says which.
        (
            "ATTENDEE;CN=Bo;EMAIL=bo@example.net:/aBc/principal/",
            vec!["Bo"],
            1,
        ),
        // Who declined as attendee does not come back as organizer.
        (
            "ORGANIZER:mailto:asha@example.net\nATTENDEE;PARTSTAT=declined:mailto:asha@example.net",
            vec![],
            0,
        ),
        ("ORGANIZER:mailto:asha@example.net", vec!["asha@example.net"], 1),
        ("ATTENDEE;CN=\"\":mailto:\nATTENDEE:", vec![], 0),
        (
            "ATTENDEE;CN=\u{5d0}\u{5e1}\u{5ea}\u{5e8}:mailto:ester@example.net",
            vec!["\u{5d0}\u{5e1}\u{5ea}\u{5e8}"],
            1,
        ),
    ] {
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        assert_eq!(invited(lines), (names, others), "{lines}");
    }
    let person = key_of("bo@example.net");
    let (mut agent, _) = agent_that(
        true,
        &[(
            "x",
            "DTSTART:20261103T093000Z\nATTENDEE;EMAIL=bo@example.net:/aBc/principal/",
        )],
    );
    let said = describe(&mut agent, &id("x", TEAM_START)).unwrap();
    assert_eq!(said.people.first().unwrap().person, person);
}

#[test]
fn three_hundred_people_are_counted_and_some_of_them_named() {
    let lines: Vec<String> = (0..300)
        .map(|n| format!("ATTENDEE;CN=Guest {n}:mailto:guest{n}@example.net"))
        .collect();
    let (names, others) = invited(&lines.join("\n"));
    assert_eq!((names.len(), others), (MEETING_PEOPLE_MAX, 300));
    assert_eq!(names.first().unwrap(), "Guest 0");
    // A name without end is cut, one of control characters is the address.
    let (names, _) = invited(&format!(
        "ATTENDEE;CN={}:mailto:long@example.net",
        "L".repeat(300)
    ));
    assert_eq!(names.first().unwrap().chars().count(), 120);
}

#[test]
fn an_event_without_a_title_and_one_from_before_a_restart_are_described_as_far_as_they_are_known() {
    let (mut agent, answer) = agent_that(
        true,
        &[("x", "DTSTART:20261103T093000Z\nATTENDEE:mailto:asha@example.net")],
    );
    let event = id("x", TEAM_START);
    let said = describe(&mut agent, &event).unwrap();
    assert_eq!((said.title, said.place, said.leave_by), (None, None, None));

    let mut after = CalendarAgent::new(setup());
    after.restore(&answer.agent_state).unwrap();
    ingest(&mut after, t(MORNING).plus_min(1));
    let said = describe(&mut after, &event).unwrap();
    assert_eq!((said.people, said.others), (vec![], 1));
    assert!(
        !answer.agent_state.to_string().contains("asha"),
        "no address is kept"
    );
}
