//! Files and samples: what is read, what is skipped, how long it counts.

use super::*;
use std::fs;

#[test]
fn csv_files_are_read_by_the_names_of_their_columns() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("a-steps.csv", "date,steps\n2026-11-05,4000\n");
    write(
        "b-mixed.csv",
        "\u{feff}device, at ,asleep_min,rmssd_ms\n\
         band,2026-11-05T06:50:00+05:30,280,\n\
         band,yesterday,400,\n\
         band,2026-11-05T07:40:00+05:30,,26.5\n\
         band,2026-11-05T07:41:00+05:30,,many\n\
         band,2026-11-05T07:42:00+05:30,,900\n\
         band,2026-11-05T09:00:00+05:30,,30\n\
         band,2026-11-05T09:01:00+05:30,,3",
    );
    write(
        "c.jsonl",
        "{\"id\":\"a1\",\"at\":\"2026-11-05T07:43:00+05:30\",\"source\":\"p\",\"kind\":\"activity\",\"payload\":{\"typing_entropy\":3.2}}\n",
    );
    let mut agent = WellnessAgent::new(setup(vec![folder.path().to_owned()]));
    let answer = ingest(&mut agent, Vec::new(), "07:45:00");
    let skips: Vec<(&str, &str, Option<u64>)> = answer
        .skips
        .iter()
        .map(|s| (s.code.as_str(), s.item.as_str(), s.line))
        .collect();
    assert_eq!(
        skips,
        [
            ("AGENT-203", "a-steps.csv", Some(1)),
            ("AGENT-204", "b-mixed.csv", Some(3)),
            ("AGENT-204", "b-mixed.csv", Some(5)),
            ("AGENT-201", "b-mixed.csv", Some(6)),
        ]
    );
    assert_eq!(answer.read, 3, "a night, an RMSSD, an activity");
    // 38 + 16 * 15.5/18 + 0.06 * 140 + 4.5 * 0.2 = 38 + 13.778 + 8.4 + 0.9 = 61.08.
    let score = |answer: &IngestResult| {
        answer
            .facts
            .iter()
            .map(|fact| matches!(fact, IngestFact::Load { score: 61, .. }))
            .collect::<Vec<_>>()
    };
    assert_eq!(score(&answer), [true]);
    // Nothing changed: nothing is read, nothing told twice.
    let answer = ingest(&mut agent, Vec::new(), "07:50:00");
    assert_eq!((answer.read, answer.skipped, answer.facts), (0, 0, Vec::new()));
    // The row of 09:00 is due now; the torn last line never is.
    let answer = ingest(&mut agent, Vec::new(), "09:05:00");
    assert_eq!((answer.read, answer.skipped), (1, 0));
}

#[test]
fn a_table_of_beats_gives_an_rmssd_for_each_five_minutes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("beats.csv");
    // A beat a second from 11:58:00 to 12:00:59, of 1000 and 1010 ms; then eight more after two minutes of nothing.
    let row = |s: i64| {
        let at = at("11:58:00").plus_ms(s * 1000).utc().to_rfc3339();
        format!("{at},{}\n", 1000 + s % 2 * 10)
    };
    let rows: Vec<String> = (0..180).chain(300..308).map(row).collect();
    fs::write(&path, format!("at,rr_ms\n{}", rows.concat())).unwrap();
    let mut agent = WellnessAgent::new(setup(vec![path]));
    let answer = ingest(&mut agent, Vec::new(), "12:03:30");
    assert_eq!(
        (answer.read, answer.skipped),
        (2, 0),
        "to 12:00 and from 12:00 on"
    );
    assert_eq!(
        agent.newest.fresh(model::WellnessFeature::Rmssd, at("12:03:30")),
        Some(10.0)
    );
}

#[test]
fn the_morning_of_the_demo_household_is_as_its_readme_says_and_passes_the_gate() {
    let home = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/home/wellness");
    // Named one by one, as in the household's home.toml: each goes to the reader of its format only.
    let files = ["hrv.jsonl", "activity.jsonl", "sleep.csv"].map(|name| home.join(name));
    let mut setup = setup(files.into());
    setup.owner.rmssd_p50_p10 = (38.2, 22.1);
    let mut agent = WellnessAgent::new(setup);
    let now = Timestamp::parse("2026-11-03T07:44:50+05:30").unwrap();
    let args = IngestArgs {
        cursor: 0,
        signal_ids: Vec::new(),
    };
    let answer = agent.ingest(&args, now);
    // 38 + 16 * 0.724 + 0.06 * 140 + 4.5 * 0.6 = 60.69.
    let load = IngestFact::Load {
        score: 61,
        state: WellnessState::Baseline,
        entered_at: now,
        at: now,
    };
    assert_eq!((&answer.facts, answer.skipped), (&vec![load], 0));
    admitted(
        ToolName::WellnessIngest,
        &serde_json::to_value(&answer).unwrap(),
        &[],
    );
    let found = agent.tick(&tick_args(None, Vec::new()), now);
    admitted(
        ToolName::WellnessTick,
        &serde_json::to_value(&found).unwrap(),
        &[],
    );
    assert_eq!(
        found.candidates,
        vec![Candidate {
            kind: ActionKind::Nap15,
            subject: Subject::of_self(),
            confidence: Milli(400),
            args: json!({ "duration_min": 15 }),
            valid_until: None,
            evidence: vec![],
            let_through: false,
        }]
    );
}

#[test]
fn what_cannot_be_is_named_and_counted() {
    for (signal, code) in [
        (hrv("12:00:00", 2.9), "AGENT-201"),
        (hrv("12:00:00", 250.1), "AGENT-201"),
        (sleep("12:00:00", 0), "AGENT-201"),
        (sleep("12:00:00", 1201), "AGENT-201"),
        (
            signal(SignalKind::Activity, "12:00:00", json!({ "typing_entropy": 8.1 })),
            "AGENT-201",
        ),
        (
            signal(SignalKind::Activity, "12:00:00", json!({ "screen_on_min": -1 })),
            "AGENT-201",
        ),
        (signal(SignalKind::Activity, "12:00:00", json!({})), "AGENT-202"),
        (signal(SignalKind::Hrv, "12:00:00", json!({})), "AGENT-202"),
        // RR intervals win over a stated RMSSD, also when they are worthless.
        (
            signal(
                SignalKind::Hrv,
                "12:00:00",
                json!({ "rr_ms": [0, 0], "rmssd_ms": 40 }),
            ),
            "AGENT-202",
        ),
        (
            signal(SignalKind::Hrv, "12:00:00", json!({ "rmssd": 40 })),
            "AGENT-005",
        ),
        (
            signal(SignalKind::Mail, "12:00:00", json!({ "message": "hello" })),
            "AGENT-005",
        ),
    ] {
        let mut agent = WellnessAgent::new(setup(Vec::new()));
        let answer = ingest(&mut agent, vec![signal.clone()], "12:00:00");
        let codes: Vec<&str> = answer.skips.iter().map(|skip| skip.code.as_str()).collect();
        assert_eq!(
            (codes, answer.skipped, answer.facts),
            (vec![code], 1, Vec::new()),
            "{signal:?}"
        );
    }
}

#[test]
fn samples_count_as_long_as_they_are_fresh() {
    // RMSSD 15 min, activity 60 min, sleep 20 h: the last instant counts, the next does not.
    for (name, signal, last, over) in [
        ("hrv", hrv("01:00:00", 24.0), "01:15:00", "01:15:01"),
        (
            "activity",
            activity("01:00:00", 5.0, 4.0, 0.3, 20.0),
            "02:00:00",
            "02:00:01",
        ),
        ("sleep", sleep("01:00:00", 320), "21:00:00", "21:00:01"),
    ] {
        let mut agent = WellnessAgent::new(setup(Vec::new()));
        assert_eq!(
            ingest(&mut agent, vec![signal.clone()], last).facts.len(),
            1,
            "{name}"
        );
        let mut agent = WellnessAgent::new(setup(Vec::new()));
        let late = ingest(&mut agent, vec![signal], over);
        assert_eq!(
            (late.facts, late.read),
            (Vec::new(), 1),
            "{name}: read, but it says nothing about now"
        );
    }
}

/// Seven in the morning so many days before.
fn morning(days_back: i64) -> Timestamp {
    at("07:00:00").plus_min(-days_back * 24 * 60)
}

/// A table of a value at each of these mornings.
fn mornings(column: &str, days_back: impl Iterator<Item = i64>) -> String {
    let row = |back| format!("{},40\n", morning(back).utc().to_rfc3339());
    format!("at,{column}\n") + &days_back.map(row).collect::<String>()
}

fn counted(answer: &IngestResult) -> Vec<(&str, &str, Option<u64>, u32)> {
    let skips = answer.skips.iter();
    skips
        .map(|skip| (skip.code.as_str(), skip.item.as_str(), skip.line, skip.count))
        .collect()
}

/// The days that memory is told of, the oldest first, with what it is told.
fn days_told(answer: &IngestResult) -> Vec<(NaiveDate, Option<f64>, Option<f64>)> {
    let day = |seen: &GraphObservation| match seen {
        GraphObservation::Body {
            day,
            rmssd_ms,
            sleep_min,
            ..
        } => (*day, *rmssd_ms, *sleep_min),
        GraphObservation::Talk { .. } | GraphObservation::Payment { .. } | GraphObservation::Place { .. } => {
            panic!("{seen:?}")
        }
    };
    answer.seen.iter().rev().map(day).collect()
}

#[test]
fn memory_is_told_of_90_days_and_what_is_older_is_named_by_file_with_its_number() {
    // At noon the mornings of 0 to 89 days before are less than 90 days old. 120 - 90 are older, and 700 - 90.
    let local = |back| zone::local_date(morning(back), Tz::Asia__Kolkata);
    let expected: Vec<_> = (0..90)
        .rev()
        .map(|back| (local(back), Some(40.0), Some(40.0)))
        .collect();
    // The first that is too old is in the line after the head, or after 90 others.
    for (name, line) in [("oldest first", 2), ("newest first", 92)] {
        let days = |n: i64| -> Box<dyn Iterator<Item = i64>> {
            if line == 2 {
                Box::new((0..n).rev())
            } else {
                Box::new(0..n)
            }
        };
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.csv"), mornings("rmssd_ms", days(120))).unwrap();
        fs::write(folder.path().join("b.csv"), mornings("asleep_min", days(700))).unwrap();
        let mut agent = WellnessAgent::new(setup(vec![folder.path().to_owned()]));
        let answer = ingest(&mut agent, Vec::new(), "12:00:00");
        assert_eq!(
            counted(&answer),
            [
                ("AGENT-215", "a.csv", Some(line), 30),
                ("AGENT-215", "b.csv", Some(line), 610)
            ],
            "{name}"
        );
        assert_eq!(answer.skipped, 640, "{name}");
        assert_eq!(days_told(&answer), expected, "{name}");
        // A file that grows names what is too old once.
        let grown = mornings("rmssd_ms", days(120)) + "2026-11-05T11:00:00+05:30,40\n";
        fs::write(folder.path().join("a.csv"), grown).unwrap();
        let answer = ingest(&mut agent, Vec::new(), "12:01:00");
        assert_eq!((answer.read, counted(&answer)), (1, vec![]), "{name}");
    }
}

#[test]
fn signals_that_are_too_old_are_named_by_id_and_ages_count_up_to_what_is_borne_out() {
    let old = |id: &str, days_back| Signal {
        id: SignalId::parse(id).unwrap(),
        at: morning(days_back),
        ..hrv("12:00:00", 40.0)
    };
    let mut agent = WellnessAgent::new(setup(Vec::new()));
    let answer = ingest(&mut agent, vec![old("a", 100), old("b", 80)], "12:00:00");
    assert_eq!(counted(&answer), [("AGENT-215", "a", None, 1)]);
    assert_eq!((answer.read, answer.seen.len()), (1, 1));
    // By a clock that is 30 days ahead it is 70 days old.
    let mut agent = WellnessAgent::new(setup(Vec::new()));
    agent.count_ages(Some(morning(30)));
    let answer = ingest(&mut agent, vec![old("a", 100)], "12:00:00");
    assert_eq!((counted(&answer), answer.seen.len()), (vec![], 1));
    // Beside one of now its day is too far back to be worked out.
    let mut agent = WellnessAgent::new(setup(Vec::new()));
    agent.count_ages(Some(morning(30)));
    let answer = ingest(&mut agent, vec![old("a", 100), old("b", 0)], "12:00:00");
    assert_eq!(counted(&answer), [("AGENT-215", "days", None, 1)]);
    assert_eq!(answer.seen.len(), 1);
}
