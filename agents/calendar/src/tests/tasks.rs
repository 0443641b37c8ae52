//! Tasks beside the agenda: three formats, what is due, done and overdue. All files are invented.

use super::*;
use crate::testing::ask;
use agents_base::host::AgentHost;
use chrono_tz::Tz;
use sources::{
    ics::ParsedCalendar,
    tasks::{ReadTask, TaskFile, TaskState},
    values::EventTime,
};
use std::{fs, path::Path};
use toolcall_schema::{
    ToolName,
    catalogue::calendar::{TaskFormat, TaskPriority},
};

/// Title, day, time, and the day on which it was done.
type Listed = (String, Option<String>, Option<String>, Option<String>);

fn host_of(dir: &Path) -> AgentHost {
    let mut setup = setup();
    setup.sources.calendar = vec![dir.to_owned()];
    let mut agent = CalendarAgent::new(setup);
    ingest(&mut agent, t(MORNING));
    AgentHost::new(Box::new(agent))
}

fn ask_days(host: &mut AgentHost, first: &str, days: u32) -> Value {
    let args = json!({"first": first, "days": days});
    ask(host, ToolName::ListTasks, &args, t(MORNING)).unwrap()
}

fn rows(host: &mut AgentHost, first: &str, days: u32) -> Vec<Listed> {
    let said = ask_days(host, first, days);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let tasks = said["tasks"].as_array().unwrap().iter();
    tasks
        .map(|task| {
            (
                text(&task["title"]).unwrap_or_default(),
                text(&task["due_day"]),
                text(&task["due_at"]),
                text(&task["done_on"]),
            )
        })
        .collect()
}

fn row(title: &str, day: &str, at: &str, done: &str) -> Listed {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    (title.to_owned(), some(day), some(at), some(done))
}

/// A folder with a file for each task, by the lines after its `UID`.
fn todos(tasks: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    fs::create_dir(&home).unwrap();
    for (uid, lines) in tasks {
        let todo = format!(
            "BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VTODO\nUID:{uid}\nDTSTAMP:20261101T000000Z\n{lines}\nEND:VTODO\nEND:VCALENDAR\n"
        );
        let name = format!("{}.ics", uid.len() + lines.len());
        fs::write(home.join(format!("{uid}-{name}")), todo.replace('\n', "\r\n")).unwrap();
    }
    dir
}

#[test]
fn todos_stand_on_the_owners_day_in_whatever_zone_they_are_written() {
    let dir = todos(&[
        ("a", "SUMMARY:Whole day\nDUE;VALUE=DATE:20261103"),
        // 9:00 in Berlin is 8:00 UTC.
        ("b", "SUMMARY:In Berlin\nDUE;TZID=Europe/Berlin:20261103T090000"),
        // 20:00 UTC on Monday is 1:30 on Tuesday in Kolkata.
        ("c", "SUMMARY:At night\nDUE:20261102T200000Z"),
        (
            "d",
            "SUMMARY:Done at night\nSTATUS:COMPLETED\nCOMPLETED:20261102T200000Z",
        ),
        ("e", "SUMMARY:Some time"),
        (
            "f",
            "SUMMARY:By length\nDTSTART;VALUE=DATE:20261101\nDURATION:P2D",
        ),
        (
            "g",
            "SUMMARY:Cancelled\nSTATUS:CANCELLED\nDUE;VALUE=DATE:20261103",
        ),
        ("h", "SUMMARY:Late\nDUE;VALUE=DATE:20261030\nPRIORITY:1"),
        ("i", "SUMMARY:Later\nDUE;VALUE=DATE:20261105"),
        (
            "j",
            "SUMMARY:Taken back\nSTATUS:NEEDS-ACTION\nPERCENT-COMPLETE:100\nDUE;VALUE=DATE:20261105",
        ),
        ("k", "SUMMARY:Bad\nDUE:soon"),
        ("l", "SUMMARY:Only begins\nDTSTART:20261103T040000Z"),
    ]);
    let mut host = host_of(dir.path());
    let today = [
        row("Late", "2026-10-30", "", ""),
        row("Whole day", "2026-11-03", "", ""),
        row("By length", "2026-11-03", "", ""),
        row("At night", "2026-11-03", "2026-11-02T20:00:00.000Z", ""),
        row("In Berlin", "2026-11-03", "2026-11-03T08:00:00.000Z", ""),
        row("Some time", "", "", ""),
        row("Only begins", "", "", ""),
        row("Done at night", "", "", "2026-11-03"),
    ];
    assert_eq!(rows(&mut host, "2026-11-03", 1), today);
    let later = ["Later", "Taken back"].map(|title| row(title, "2026-11-05", "", ""));
    // What is overdue and what has no date belongs to today alone.
    assert_eq!(rows(&mut host, "2026-11-05", 3), later);
    assert_eq!(
        rows(&mut host, "2026-10-30", 1),
        [row("Late", "2026-10-30", "", "")]
    );
    // The folder is the list; nothing is posted, so nothing is skipped but the bad date.
    let all = ask_days(&mut host, "2026-11-03", 7);
    assert!(
        all["tasks"]
            .as_array()
            .unwrap()
            .iter()
            .all(|task| task["list"] == "home")
    );
    assert_eq!(all["tasks"][0]["priority"], "high");
}

#[test]
fn a_list_is_called_as_its_program_calls_it() {
    let dir = todos(&[
        ("a", "SUMMARY:Water"),
        ("b", "SUMMARY:Plant\nCATEGORIES:Garden,Spring"),
    ]);
    fs::write(dir.path().join("home/displayname"), "Our house\n").unwrap();
    let two = "BEGIN:VTODO\nUID:c\nSUMMARY:Read\nEND:VTODO\nBEGIN:VTODO\nUID:d\nSUMMARY:Write\nEND:VTODO\n";
    let file = format!("BEGIN:VCALENDAR\n{two}END:VCALENDAR\n");
    fs::write(dir.path().join("Study.ics"), file).unwrap();
    let said = ask_days(&mut host_of(dir.path()), "2026-11-03", 1);
    let lists: Vec<(&str, &str)> = said["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| (task["title"].as_str().unwrap(), task["list"].as_str().unwrap()))
        .collect();
    let expected = [
        ("Water", "Our house"),
        ("Plant", "Garden · Spring"),
        ("Read", "Study"),
        ("Write", "Study"),
    ];
    assert_eq!(lists, expected);
}

#[test]
fn of_a_series_the_first_that_is_not_done_stands_for_it() {
    let weekly = "SUMMARY:Bins\nDTSTART;VALUE=DATE:20261026\nDUE;VALUE=DATE:20261028\n";
    let done = |day: &str| {
        format!("SUMMARY:Bins\nRECURRENCE-ID;VALUE=DATE:{day}\nSTATUS:COMPLETED\nCOMPLETED:20261029T060000Z")
    };
    let open = |day: &str| row("Bins", day, "", "");
    let was_done = row("Bins", "", "", "2026-10-29");
    for (name, lines, others, expected) in [
        (
            "nothing done",
            "RRULE:FREQ=WEEKLY",
            vec![],
            vec![open("2026-10-28")],
        ),
        (
            "the first done",
            "RRULE:FREQ=WEEKLY",
            vec![done("20261026")],
            vec![open("2026-11-04"), was_done.clone()],
        ),
        (
            "the first left out",
            "RRULE:FREQ=WEEKLY\nEXDATE;VALUE=DATE:20261026",
            vec![],
            vec![open("2026-11-04")],
        ),
        (
            "all done",
            "RRULE:FREQ=WEEKLY;COUNT=2",
            vec![done("20261026"), done("20261102")],
            vec![was_done.clone(), was_done],
        ),
        (
            "the series done",
            "RRULE:FREQ=WEEKLY\nSTATUS:COMPLETED\nCOMPLETED:20261103T010000Z",
            vec![],
            vec![row("Bins", "2026-10-28", "", "2026-11-03")],
        ),
    ] {
        let master = format!("{weekly}{lines}");
        let mut tasks = vec![("bins", master.as_str())];
        tasks.extend(others.iter().map(|lines| ("bins", lines.as_str())));
        let dir = tempfile::tempdir().unwrap();
        let components: Vec<String> = tasks
            .iter()
            .map(|(uid, lines)| {
                format!("BEGIN:VTODO\nUID:{uid}\nDTSTAMP:20261101T000000Z\n{lines}\nEND:VTODO\n")
            })
            .collect();
        let file = format!(
            "BEGIN:VCALENDAR\nVERSION:2.0\nX-WR-CALNAME:House\n{}END:VCALENDAR\n",
            components.concat()
        );
        fs::write(dir.path().join("tasks.ics"), file).unwrap();
        let mut host = host_of(dir.path());
        assert_eq!(rows(&mut host, "2026-10-27", 14), expected, "{name}");
        let said = ask_days(&mut host, "2026-10-27", 14);
        assert_eq!(said["tasks"][0]["list"], "House", "{name}");
    }
}

#[test]
fn a_time_of_a_series_keeps_its_hour_when_the_clocks_change() {
    // 8:00 in Berlin is 6:00 UTC on 24 October and 7:00 UTC on 31 October; the first is done.
    let dir = tempfile::tempdir().unwrap();
    let file = "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:w\nSUMMARY:Pills\nDUE;TZID=Europe/Berlin:20261024T080000\nRRULE:FREQ=WEEKLY\nEND:VTODO\nBEGIN:VTODO\nUID:w\nSUMMARY:Pills\nRECURRENCE-ID;TZID=Europe/Berlin:20261024T080000\nSTATUS:COMPLETED\nEND:VTODO\nEND:VCALENDAR\n";
    fs::write(dir.path().join("a.ics"), file).unwrap();
    let mut host = host_of(dir.path());
    assert_eq!(
        rows(&mut host, "2026-11-03", 1),
        [row("Pills", "2026-10-31", "2026-10-31T07:00:00.000Z", "")]
    );
}

fn read(kind: TaskFile, text: &str) -> ParsedCalendar {
    kind.read(text.as_bytes().to_vec(), "file", Tz::Asia__Kolkata)
}

fn day(date: &str) -> EventTime {
    EventTime::Day(chrono::NaiveDate::parse_from_str(date, "%Y-%m-%d").unwrap())
}

/// Title, list, priority, due, hidden until, state.
type Parts<'a> = (
    &'a str,
    &'a str,
    Option<TaskPriority>,
    Option<EventTime>,
    Option<EventTime>,
    TaskState,
);

fn parts(task: &ReadTask) -> Parts<'_> {
    (
        task.title.as_deref().unwrap_or_default(),
        task.list.as_deref().unwrap_or_default(),
        task.priority,
        task.due.clone(),
        task.hidden_until.clone(),
        task.state.clone(),
    )
}

#[test]
fn todo_txt_is_read_by_its_rules() {
    let (high, open) = (Some(TaskPriority::High), TaskState::Open);
    let done = |date: &str| TaskState::Done(Some(day(date)));
    let plain = |title| (title, "", None, None, None, TaskState::Open);
    let table: Vec<(&str, Parts<'_>)> = vec![
        (
            "(A) 2026-11-01 Thank Mom for the meatballs @phone",
            (
                "Thank Mom for the meatballs",
                "@phone",
                high,
                None,
                None,
                open.clone(),
            ),
        ),
        (
            "Really gotta call Mom (A) @phone @someday",
            (
                "Really gotta call Mom (A)",
                "@phone · @someday",
                None,
                None,
                None,
                open.clone(),
            ),
        ),
        ("(b) Get back to the boss", plain("(b) Get back to the boss")),
        ("(B)->Submit TPS report", plain("(B)->Submit TPS report")),
        (
            "x 2026-11-02 2026-11-01 Review Tim's pull request +TodoTxtTouch @github",
            (
                "Review Tim's pull request",
                "TodoTxtTouch · @github",
                None,
                None,
                None,
                done("2026-11-02"),
            ),
        ),
        ("xylophone lesson", plain("xylophone lesson")),
        (
            "X 2026-11-02 Make resolutions",
            plain("X 2026-11-02 Make resolutions"),
        ),
        (
            "(A) x Find ticket prices",
            ("x Find ticket prices", "", high, None, None, open.clone()),
        ),
        (
            "x Undated",
            ("Undated", "", None, None, None, TaskState::Done(None)),
        ),
        (
            "2026-11-01 Plan due:2026-11-09 t:2026-11-05 see https://example.org/a:b at 10:30",
            (
                "Plan see https://example.org/a:b at 10:30",
                "",
                None,
                Some(day("2026-11-09")),
                Some(day("2026-11-05")),
                open.clone(),
            ),
        ),
        ("Learn how to add 2+2", plain("Learn how to add 2+2")),
        ("Email me@example.com", plain("Email me@example.com")),
        (
            "Call +family about the trip",
            (
                "Call +family about the trip",
                "family",
                None,
                None,
                None,
                open.clone(),
            ),
        ),
        ("@phone", ("@phone", "@phone", None, None, None, open.clone())),
        (
            "Pay rent rec:1m due:2026-11-05 pri:A",
            ("Pay rent", "", high, Some(day("2026-11-05")), None, open),
        ),
        ("Hidden h:1", ("Hidden", "", None, None, None, TaskState::Dropped)),
    ];
    for (line, expected) in table {
        let read = read(TaskFile::TodoTxt, line);
        assert_eq!((read.tasks.len(), read.skips.len()), (1, 0), "{line}");
        assert_eq!(parts(&read.tasks[0]), expected, "{line}");
    }
    // No words; a day that does not exist, with its task; empty lines are nothing.
    let bad = read(
        TaskFile::TodoTxt,
        "\u{feff}due:2026-11-09\r\n\r\nBad due:2026-02-30\r\n  \n",
    );
    let skips: Vec<(&str, u64)> = bad.skips.iter().map(|skip| (skip.code.code, skip.line)).collect();
    assert_eq!(skips, [("AGENT-034", 1), ("AGENT-035", 3)]);
    assert_eq!(parts(&bad.tasks[0]), plain("Bad"));
    // Two equal lines are two tasks.
    let twice = read(TaskFile::TodoTxt, "Buy milk\nBuy milk\n");
    assert_ne!(twice.tasks[0].uid, twice.tasks[1].uid);
}

#[test]
fn taskwarriors_three_forms_say_the_same() {
    // 18:30 UTC on 4 November is midnight of 5 November in Kolkata, and the last second of that day is 18:29:59: both are the day.
    let data = concat!(
        r#"[description:"Fix \"the\" &open;old&close; tap" due:"1793817000" entry:"1793000000" priority:"H" project:"Home.Garden" status:"pending" tags:"next,soon" uuid:"00000000-0000-4000-8000-000000000001"]"#,
        "\n",
        r#"[description:"Every week" recur:"weekly" status:"recurring" uuid:"00000000-0000-4000-8000-000000000002"]"#,
        "\n",
        r#"[description:"Gone" status:"deleted" uuid:"00000000-0000-4000-8000-000000000003"]"#,
        "\n",
        r#"[description:"Call" due:"1793903399" end:"1793649600" status:"completed" uuid:"00000000-0000-4000-8000-000000000004"]"#,
        "\n",
    );
    let export = r#"[
        {"id":1,"description":"Fix \"the\" [old] tap","due":"20261104T183000Z","entry":"20261026T073320Z","priority":"H","project":"Home.Garden","status":"pending","tags":["next","soon"],"urgency":9.1,"uuid":"00000000-0000-4000-8000-000000000001"},
        {"id":0,"description":"Every week","recur":"weekly","status":"recurring","uuid":"00000000-0000-4000-8000-000000000002"},
        {"id":0,"description":"Gone","status":"deleted","uuid":"00000000-0000-4000-8000-000000000003"},
        {"id":0,"description":"Call","due":"20261105T182959Z","end":"20261102T200000Z","status":"completed","uuid":"00000000-0000-4000-8000-000000000004"}
    ]"#;
    // Before version 2.4 an export had no brackets.
    let lines: String = export
        .lines()
        .filter(|line| line.contains('{'))
        .flat_map(|line| [line.trim(), "\n"])
        .collect();
    let read = |kind, text: &str| {
        let read = read(kind, text);
        assert!(read.skips.is_empty() && read.whole, "{text}");
        read.tasks
    };
    let tasks = read(TaskFile::Taskwarrior, data);
    let end = "2026-11-02T20:00:00Z"
        .parse::<chrono::DateTime<chrono::Utc>>()
        .unwrap();
    assert_eq!(
        tasks.iter().map(parts).collect::<Vec<_>>(),
        [
            (
                "Fix \"the\" [old] tap",
                "Home.Garden · next · soon",
                Some(TaskPriority::High),
                Some(day("2026-11-05")),
                None,
                TaskState::Open
            ),
            ("Gone", "", None, None, None, TaskState::Dropped),
            (
                "Call",
                "",
                None,
                Some(day("2026-11-05")),
                None,
                TaskState::Done(Some(EventTime::Time(
                    end.naive_utc(),
                    sources::zones::EventZone::Known(Tz::UTC)
                )))
            ),
        ]
    );
    assert!(tasks == read(TaskFile::TaskwarriorExport, export));
    assert!(tasks == read(TaskFile::TaskwarriorExport, &lines));
    assert!(tasks.iter().all(|task| task.format == TaskFormat::Taskwarrior));
    // What is cut off is not whole, and the line is named.
    let cut = data.trim_end().strip_suffix("4\"]").unwrap();
    let cut = read_any(cut);
    assert_eq!((cut.tasks.len(), cut.whole), (2, false));
    assert_eq!((cut.skips[0].code.code, cut.skips[0].line), ("AGENT-034", 4));
}

fn read_any(text: &str) -> ParsedCalendar {
    read(TaskFile::Taskwarrior, text)
}

/// A database of Taskwarrior 3 with these tasks, by the attributes of each.
fn database(path: &Path, tasks: &[(&str, Value)]) {
    let database = rusqlite::Connection::open(path).unwrap();
    database
        .execute_batch("CREATE TABLE tasks (uuid STRING PRIMARY KEY, data STRING); \
             CREATE TABLE operations (data STRING, uuid GENERATED ALWAYS AS (json_extract(data, '$.Create.uuid')) VIRTUAL); \
             CREATE INDEX by_uuid ON operations (uuid);")
        .unwrap();
    for (uuid, data) in tasks {
        database
            .execute("INSERT INTO tasks VALUES (?1, ?2)", (uuid, data.to_string()))
            .unwrap();
    }
}

#[test]
fn the_database_of_version_three_counts_before_the_files_that_it_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let one = "00000000-0000-4000-8000-000000000001";
    let old = format!("[description:\"Old\" status:\"pending\" uuid:\"{one}\"]\n");
    fs::write(dir.path().join("pending.data"), &old).unwrap();
    database(
        &dir.path().join("taskchampion.sqlite3"),
        &[
            (
                one,
                json!({"description": "New", "status": "pending", "due": "1793817000", "tag_next": "", "project": "Home"}),
            ),
            (
                "00000000-0000-4000-8000-000000000005",
                json!({"description": "Waits", "status": "pending", "wait": "1795132800"}),
            ),
        ],
    );
    let mut host = host_of(dir.path());
    let said = ask_days(&mut host, "2026-11-03", 7);
    // 20 November has not come: what waits for it is not shown.
    assert_eq!(
        rows(&mut host, "2026-11-03", 7),
        [row("New", "2026-11-05", "", "")]
    );
    assert_eq!(
        (&said["tasks"][0]["list"], &said["tasks"][0]["source"]),
        (&json!("Home · next"), &json!("taskwarrior"))
    );
    // Without it the older files count.
    fs::remove_file(dir.path().join("taskchampion.sqlite3")).unwrap();
    let mut host = host_of(dir.path());
    assert_eq!(rows(&mut host, "2026-11-03", 1), [row("Old", "", "", "")]);
    // What is no database is named.
    fs::write(
        dir.path().join("taskchampion.sqlite3"),
        "SQLite format 3\0 and no more",
    )
    .unwrap();
    let mut setup = setup();
    setup.sources.calendar = vec![dir.path().to_owned()];
    let answer = ingest(&mut CalendarAgent::new(setup), t(MORNING));
    let skips: Vec<&str> = answer.skips.iter().map(|skip| skip.code.as_str()).collect();
    assert_eq!(skips, ["AGENT-037"]);
}

#[test]
fn after_a_restart_tasks_have_their_names_before_anything_is_ingested() {
    let dir = todos(&[("a", "SUMMARY:Water the plants\nDUE;VALUE=DATE:20261103")]);
    fs::write(
        dir.path().join("todo.txt"),
        "Buy stamps due:2026-11-03\nx 2026-11-03 Done\n",
    )
    .unwrap();
    let before = ask_days(&mut host_of(dir.path()), "2026-11-03", 1);
    assert_eq!(before["tasks"].as_array().unwrap().len(), 3);
    let mut setup = setup();
    setup.sources.calendar = vec![dir.path().to_owned()];
    let mut agent = CalendarAgent::new(setup);
    let state = agent.state(t(MORNING)).to_string();
    assert!(!state.contains("plants") && !state.contains("stamps"), "{state}");
    let args = toolcall_schema::catalogue::calendar::ListTasks {
        first: chrono::NaiveDate::from_ymd_opt(2026, 11, 3).unwrap(),
        days: 1,
    };
    let tool = Tool::Calendar(CalendarTool::ListTasks(args));
    let (after, effects) = agent.act(&tool, t(MORNING)).unwrap();
    assert_eq!((after, effects.len()), (before, 0));
}

#[test]
fn a_list_of_tasks_alone_is_no_calendar() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("todo.txt"), "Buy stamps\n").unwrap();
    let mut host = host_of(dir.path());
    assert_eq!(rows(&mut host, "2026-11-03", 1), [row("Buy stamps", "", "", "")]);
    let args = json!({"first": "2026-11-03", "days": 1});
    assert_eq!(
        ask(&mut host, ToolName::ListEvents, &args, t(MORNING)),
        Err(ToolErrorCode::NotEnoughData)
    );
}

#[test]
fn a_list_holds_512_tasks_what_is_due_before_what_is_done() {
    let dir = tempfile::tempdir().unwrap();
    let long = "a".repeat(300);
    let mut lines = vec![format!("{long} due:2026-11-03")];
    lines.extend((0..300).map(|n| format!("x 2026-11-03 Done {n}")));
    lines.extend((0..300).map(|n| format!("Open {n}")));
    fs::write(dir.path().join("todo.txt"), lines.join("\n")).unwrap();
    let mut host = host_of(dir.path());
    let said = ask_days(&mut host, "2026-11-03", 1);
    let tasks = said["tasks"].as_array().unwrap();
    let done = tasks.iter().filter(|task| task["done_on"].is_string()).count();
    assert_eq!((tasks.len(), done, &said["truncated"]), (512, 211, &json!(true)));
    assert!(tasks[0]["title"].as_str().unwrap().starts_with("aaa"));
}

/// Text that is nearly a task of some program.
fn any_line() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => "[a-z+@:()\"&;\\\\\\[\\]{},=]{0,12}",
        2 => "(due|t|rec|pri|h|uuid|status|description|wait|end|tags):\"?[0-9A-Za-z-]{0,24}\"?",
        1 => "20[0-9]{2}-[01][0-9]-[0-3][0-9]",
        1 => "(x|\\(A\\)|\\[|\\]|\\{|\\}|BEGIN:VTODO|END:VTODO)",
        1 => any::<String>(),
    ];
    proptest::collection::vec(word, 0..12).prop_map(|words| words.join(" "))
}

fn any_todo() -> impl Strategy<Value = String> {
    let time = prop_oneof![
        "(;TZID=(Europe/Berlin|None))?:2026(10|11)[0-3][0-9]T[0-2][0-9]0000Z?",
        "(;VALUE=DATE)?:2026(10|11)[0-3][0-9]",
    ];
    let line = (
        prop_oneof![
            Just("DUE"),
            Just("DTSTART"),
            Just("COMPLETED"),
            Just("RECURRENCE-ID"),
            Just("EXDATE"),
            Just("RDATE")
        ],
        time,
    )
        .prop_map(|(name, time)| format!("{name}{time}\n"));
    let rest = "(RRULE:FREQ=(DAILY|WEEKLY|HOURLY)(;COUNT=[1-9])?\n)?(STATUS:(COMPLETED|NEEDS-ACTION|CANCELLED)\n)?(PRIORITY:[0-9]{1,3}\n)?(DURATION:-?P[0-9]{1,3}D\n)?(SEQUENCE:[0-9]\n)?(CATEGORIES:[a-z,]{0,9}\n)?";
    ("[ab]", proptest::collection::vec(line, 0..5), rest)
        .prop_map(|(uid, lines, rest)| format!("BEGIN:VTODO\nUID:{uid}\n{}{rest}END:VTODO\n", lines.concat()))
}

proptest! {
    #[test]
    fn any_file_is_read_without_a_panic(
        lines in proptest::collection::vec(any_line(), 0..20), bytes in proptest::collection::vec(any::<u8>(), 0..200),
    ) {
        for kind in [TaskFile::TodoTxt, TaskFile::Taskwarrior, TaskFile::TaskwarriorExport, TaskFile::Taskchampion] {
            for input in [lines.join("\n").into_bytes(), bytes.clone()] {
                let read = kind.read(input, "file", Tz::Asia__Kolkata);
                prop_assert!(read.skips.iter().all(|skip| skip.code.code != "AGENT-008"));
                prop_assert!(read.tasks.iter().all(|task| task.title.as_ref().is_some_and(|title| title.chars().count() <= 120)));
            }
        }
    }

    #[test]
    fn lists_are_pure_total_and_bounded(
        todos in proptest::collection::vec(any_todo(), 0..8), first in -60..60_i64, days in 1..=42_u32,
    ) {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a.ics"), format!("BEGIN:VCALENDAR\n{}END:VCALENDAR\n", todos.concat())).unwrap();
        let mut setup = setup();
        setup.sources.calendar = vec![dir.path().to_owned()];
        let mut agent = CalendarAgent::new(setup);
        ingest(&mut agent, t(MORNING));
        let first = local_date(t(MORNING), Tz::Asia__Kolkata) + chrono::TimeDelta::days(first);
        let args = toolcall_schema::catalogue::calendar::ListTasks { first, days };
        let list = agent.list_tasks(&args, t(MORNING));
        prop_assert_eq!(&list, &agent.list_tasks(&args, t(MORNING)));
        let last = first + chrono::TimeDelta::days(i64::from(days) - 1);
        let today = local_date(t(MORNING), Tz::Asia__Kolkata);
        for task in &list.tasks {
            let fits = match (task.done_on, task.due_day) {
                (Some(done), _) => (first..=last).contains(&done),
                (None, Some(due)) if (first..=last).contains(&due) => true,
                (None, due) => (first..=last).contains(&today) && due.is_none_or(|due| due < today),
            };
            prop_assert!(fits, "{:?}", task);
        }
    }
}
