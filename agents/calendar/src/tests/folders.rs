//! Folders of calendars: one event a file, files that are being written, files that come and go.

use super::*;
use std::{fs, path::Path};

/// A calendar folder as synchronising programs leave it: an event a file, files about the folder beside them.
fn vdir(events: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let work = dir.path().join("work");
    fs::create_dir(&work).unwrap();
    fs::write(work.join("displayname"), "Work").unwrap();
    fs::write(work.join("color"), "#1155cc").unwrap();
    for (uid, lines) in events {
        fs::write(work.join(format!("{uid}.ics")), ics(&[(uid, lines)])).unwrap();
    }
    dir
}

fn reading(dir: &Path) -> CalendarAgent {
    let mut setup = setup();
    setup.sources.calendar = vec![dir.to_owned()];
    CalendarAgent::new(setup)
}

fn starts(agent: &CalendarAgent) -> Vec<String> {
    times(agent)
        .into_iter()
        .map(|(start, _)| start[11..16].to_owned())
        .collect()
}

#[test]
fn files_about_a_folder_hidden_ones_and_unfinished_ones_are_no_calendars() {
    let dir = vdir(&[
        ("a", "DTSTART:20261103T040000Z"),
        ("b", "DTSTART:20261103T050000Z"),
    ]);
    let other = dir.path().join("home");
    fs::create_dir(&other).unwrap();
    let event = |hour: &str| ics(&[(hour, &format!("DTSTART:20261103T{hour}0000Z"))]);
    fs::write(other.join("c.ics"), event("06")).unwrap();
    for name in [".d.ics", "e.ics.tmp", "f.tmp", "displayname", "g.ics~"] {
        fs::write(other.join(name), event("07")).unwrap();
    }
    let mut agent = reading(dir.path());
    let answer = ingest(&mut agent, t(MORNING));
    assert_eq!((answer.read, answer.skips), (3, vec![]));
    assert_eq!(starts(&agent), ["04:00", "05:00", "06:00"]);
    // What was written is moved into place.
    fs::rename(other.join("e.ics.tmp"), other.join("e.ics")).unwrap();
    ingest(&mut agent, t(MORNING));
    assert_eq!(starts(&agent), ["04:00", "05:00", "06:00", "07:00"]);
}

#[test]
fn a_file_that_is_cut_off_leaves_what_was_known_of_it_until_it_is_whole_or_gone() {
    let dir = vdir(&[
        ("a", "DTSTART:20261103T040000Z"),
        ("b", "DTSTART:20261103T050000Z"),
    ]);
    let file = dir.path().join("work/a.ics");
    let mut agent = reading(dir.path());
    ingest(&mut agent, t(MORNING));
    let moved = ics(&[
        ("a", "DTSTART:20261103T0730000Z\nSEQUENCE:1"),
        ("more", "DTSTART:20261103T080000Z"),
    ]);
    let moved = moved.replace("T0730000Z", "T073000Z");
    // Cut at its second event: the first is complete, and still not taken for the whole.
    let cut = moved.find("UID:more").unwrap() + 12;
    for half in ["", "noise", &moved[..cut], &moved[..moved.len() - 17]] {
        fs::write(&file, half).unwrap();
        let answer = ingest(&mut agent, t(MORNING));
        let skips: Vec<_> = answer
            .skips
            .iter()
            .map(|s| (s.code.as_str(), s.item.as_str()))
            .collect();
        assert_eq!(skips, [("AGENT-032", "work/a.ics")], "{half}");
        assert_eq!(starts(&agent), ["04:00", "05:00"], "{half}");
        // Said once, kept on.
        assert_eq!(ingest(&mut agent, t(MORNING)).skipped, 0);
        assert_eq!(starts(&agent), ["04:00", "05:00"], "{half}");
    }
    fs::write(&file, &moved).unwrap();
    assert_eq!(ingest(&mut agent, t(MORNING)).skips, []);
    assert_eq!(starts(&agent), ["05:00", "07:30", "08:00"]);
    fs::write(&file, "").unwrap();
    ingest(&mut agent, t(MORNING));
    fs::remove_file(&file).unwrap();
    ingest(&mut agent, t(MORNING));
    assert_eq!(starts(&agent), ["05:00"]);
}

#[test]
fn a_new_file_that_is_cut_off_gives_what_is_complete_and_the_rest_when_it_is() {
    let dir = vdir(&[]);
    let file = dir.path().join("work/two.ics");
    let whole = ics(&[
        ("a", "DTSTART:20261103T040000Z"),
        ("b", "DTSTART:20261103T050000Z"),
    ]);
    fs::write(&file, &whole[..whole.find("UID:b").unwrap() + 10]).unwrap();
    let mut agent = reading(dir.path());
    assert_eq!(ingest(&mut agent, t(MORNING)).skips[0].code, "AGENT-013");
    assert_eq!(starts(&agent), ["04:00"]);
    fs::write(&file, &whole).unwrap();
    assert_eq!(ingest(&mut agent, t(MORNING)).skips, []);
    assert_eq!(starts(&agent), ["04:00", "05:00"]);
}

#[test]
fn an_ingest_reads_a_slice_and_leaves_the_rest_to_the_next() {
    let dir = vdir(&[]);
    // Three files of five eighths of a slice: it holds two, because the second begins while there is room.
    let lines = usize::try_from(agents_base::shared::SLICE / 1024 * 5 / 8).unwrap();
    let filler = format!("X-FILL:{}\r\n", "x".repeat(1015)).repeat(lines);
    for (name, hour) in [("a", "04"), ("b", "05"), ("c", "06")] {
        let event = ics(&[(name, &format!("DTSTART:20261103T{hour}0000Z"))]);
        let text = event.replace("END:VCALENDAR", &format!("{filler}END:VCALENDAR"));
        fs::write(dir.path().join(format!("work/{name}.ics")), text).unwrap();
    }
    let size = fs::metadata(dir.path().join("work/a.ics")).unwrap().len();
    let mut agent = reading(dir.path());
    let first = ingest(&mut agent, t(MORNING));
    assert_eq!((first.taken, first.left), (2 * size, size));
    assert_eq!(starts(&agent), ["04:00", "05:00"]);
    let second = ingest(&mut agent, t(MORNING));
    assert_eq!((second.taken, second.left), (size, 0));
    assert_eq!(starts(&agent), ["04:00", "05:00", "06:00"]);
    let third = ingest(&mut agent, t(MORNING));
    assert_eq!((third.taken, third.left, third.read), (0, 0, 0));
}

#[test]
fn all_line_ends_quoted_parameters_and_other_components_are_read() {
    let file = ics(&[(
        "x",
        "DTSTART;TZID=\"Asia/Kolkata\":20261103T093000\nDURATION:PT30M\nORGANIZER;CN=\"Desk: first; second, third\";SENT-BY=\"mailto:c@d.test\":mailto:a@b.test\nATTENDEE;CN=\"R; S:T\";X-NOTE=\"a:b\":mailto:rohan@example.org\nX-ANY;VALUE=TEXT:one;two:three\nBEGIN:VALARM\nACTION:DISPLAY\nTRIGGER:-PT15M\nDTSTART:20200101T000000Z\nEND:VALARM\nDESCRIPTION:one\nand a line that nobody folded\nCLASS:PUBLIC",
    )]);
    let todo = "BEGIN:VTODO\r\nUID:t\r\nDTSTART:20261103T100000Z\r\nEND:VTODO\r\nBEGIN:VJOURNAL\r\nUID:j\r\nDTSTART:20261103T100000Z\r\nEND:VJOURNAL\r\n";
    let file = file.replace("BEGIN:VEVENT", &format!("{todo}BEGIN:VEVENT"));
    for (name, text) in [
        ("CRLF", file.clone()),
        ("LF", file.replace("\r\n", "\n")),
        ("CR", file.replace("\r\n", "\r")),
        ("mixed", file.replacen("\r\n", "\n", 9)),
        ("byte order mark", format!("\u{feff}{file}")),
        (
            "lower case",
            file.replace("BEGIN:", "begin:")
                .replace("END:", "end:")
                .replace("DTSTART", "dtstart"),
        ),
    ] {
        let mut agent = calendar();
        let answer = post(&mut agent, "c-1", t(MORNING), &text);
        assert_eq!(answer.skips, [], "{name}");
        let [instance] = agent.instances() else {
            panic!("{name}: one instance")
        };
        assert_eq!(
            (instance.start, instance.end, instance.unanswered),
            (t("2026-11-03T04:00:00Z"), t("2026-11-03T04:30:00Z"), true),
            "{name}"
        );
    }
}

#[test]
fn broken_lines_are_named_by_their_number_whatever_ends_them() {
    let file = ics(&[("a", "DTSTART:20261103T040000Z"), ("b", "DTSTART:soon")]);
    // Two lines of head, five of the first event: the second begins in line 8.
    for end in ["\r\n", "\n", "\r"] {
        let mut agent = calendar();
        let answer = post(&mut agent, "c-1", t(MORNING), &file.replace("\r\n", end));
        let skips: Vec<_> = answer.skips.iter().map(|s| (s.code.as_str(), s.line)).collect();
        assert_eq!(skips, [("AGENT-014", Some(8))], "{end:?}");
    }
}

#[test]
fn busy_times_are_not_free_and_nothing_else() {
    let free_busy = "BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VFREEBUSY\nUID:fb\nDTSTAMP:20261101T000000Z\nFREEBUSY;FBTYPE=BUSY:20261103T033000Z/PT2H,20261103T060000Z/20261103T063000Z\nFREEBUSY;FBTYPE=FREE:20261103T070000Z/PT5H\nFREEBUSY:20261103T063000Z/PT1H\nEND:VFREEBUSY\nEND:VCALENDAR\n";
    let mut agent = calendar();
    let answer = post(&mut agent, "c-1", t(MORNING), free_busy);
    assert_eq!((answer.read, answer.facts.len(), times(&agent).len()), (3, 0, 0));
    let at = t(MORNING);
    assert_eq!(
        agent.tick(&question(at), at).readings[0],
        SignalReading::new(ReadingKey::EventsToday, 0.0)
    );
    let first = |agent: CalendarAgent, min: u32| {
        let mut host = agents_base::host::AgentHost::new(Box::new(agent));
        let args = json!({"duration_min": min, "after": MORNING});
        let tool = toolcall_schema::ToolName::SuggestSlots;
        let found = crate::testing::ask(&mut host, tool, &args, t(MORNING)).unwrap();
        found["slots"][0]["start"].as_str().unwrap().to_owned()
    };
    // Busy 09:00 to 11:00 and 11:30 to 13:00 in Kolkata: half an hour at 11:00, three quarters at 13:00. After a restart too.
    for (min, expected) in [(30, "2026-11-03T05:30:00.000Z"), (45, "2026-11-03T07:30:00.000Z")] {
        let mut restored = calendar();
        restored.restore(&answer.agent_state).unwrap();
        assert_eq!(first(restored, min), expected);
    }
    assert_eq!(first(agent, 45), "2026-11-03T07:30:00.000Z");
    // What others answer about their time is not the owner's.
    let mut other = calendar();
    let reply = free_busy.replace("VERSION:2.0", "METHOD:REPLY");
    post(&mut other, "c-1", t(MORNING), &reply);
    assert_eq!(first(other, 45), "2026-11-03T03:30:00.000Z");
}

#[test]
fn a_busy_time_that_cannot_be_read_is_named_and_the_others_count() {
    let free_busy = "BEGIN:VCALENDAR\nBEGIN:VFREEBUSY\nFREEBUSY:soon,20261103T033000Z/PT2H,20261103T060000Z/20261103T053000Z\nFREEBUSY:20261103T063000Z/PT1H\nEND:VFREEBUSY\nEND:VCALENDAR\n";
    let answer = post(&mut calendar(), "c-1", t(MORNING), free_busy);
    let skips: Vec<_> = answer.skips.iter().map(|s| (s.code.as_str(), s.line)).collect();
    assert_eq!((answer.read, skips), (2, vec![("AGENT-014", Some(2)); 2]));
}

#[test]
fn a_state_of_before_is_taken_up() {
    // As it was written before there were busy times and tentative events.
    let id = id("x", "2026-11-03T09:00:00Z");
    let old = json!({
        "cursor": 3, "told": {}, "declined": [], "any": true,
        "posted": [{
            "id": id, "series": id, "start": "2026-11-03T09:00:00.000Z", "end": "2026-11-03T10:00:00.000Z",
            "focus": false, "transparent": false, "unanswered": true, "posted": true,
        }],
    });
    let mut agent = calendar();
    agent.restore(&old).unwrap();
    ingest(&mut agent, t(MORNING));
    assert_eq!(starts(&agent), ["09:00"]);
}

#[test]
fn an_event_is_named_before_the_first_reading_after_a_restart_and_that_tells_the_rest() {
    let dir = vdir(&[("a", "DTSTART:20261103T040000Z\nSUMMARY:Dentist \u{1f9b7}")]);
    fs::write(dir.path().join("work/bad.ics"), "no calendar").unwrap();
    let mut first = reading(dir.path());
    let state = ingest(&mut first, t(MORNING)).agent_state;
    let event = first.instances()[0].id.clone();
    let mut again = reading(dir.path());
    again.restore(&state).unwrap();
    let describe = CalendarTool::Describe(toolcall_schema::catalogue::shared::DescribeArgs {
        ids: vec![ThingId::Event(event.clone())],
    });
    let (named, _) = again.act(&Tool::Calendar(describe), t(MORNING)).unwrap();
    assert_eq!(
        named["labels"],
        serde_json::json!([{"id": event, "label": "Dentist \u{1f9b7}"}])
    );
    let mut plain = reading(dir.path());
    plain.restore(&state).unwrap();
    let (told, expected) = (ingest(&mut again, t(MORNING)), ingest(&mut plain, t(MORNING)));
    assert_eq!((told.read, told.skips), (expected.read, expected.skips));
    assert_eq!(told.facts, expected.facts);
}
