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
    let mut agent = Wellness::new(setup(vec![folder.path().to_owned()]));
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
            .map(|fact| matches!(fact, Fact::Load { score: 61, .. }))
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
    let mut agent = Wellness::new(setup(vec![path]));
    let answer = ingest(&mut agent, Vec::new(), "12:03:30");
    assert_eq!(
        (answer.read, answer.skipped),
        (2, 0),
        "to 12:00 and from 12:00 on"
    );
    assert_eq!(
        agent.newest.fresh(model::Feature::Rmssd, at("12:03:30")),
        Some(10.0)
    );
}

#[test]
fn the_morning_of_the_demo_household_is_as_its_readme_says_and_passes_the_gate() {
    let home = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/home/wellness");
    // Named one by one, as in the household's home.toml: each goes to the reader of its format only.
    let files = ["hrv.jsonl", "activity.jsonl", "sleep.csv"].map(|name| home.join(name));
    let mut setup = setup(files.into());
    setup.owner.rmssd_p50_p10 = (38.2, 22.1);
    let mut agent = Wellness::new(setup);
    let now = Timestamp::parse("2026-11-03T07:44:50+05:30").unwrap();
    let args = IngestArgs {
        cursor: 0,
        signal_ids: Vec::new(),
    };
    let answer = agent.ingest(&args, now);
    // 38 + 16 * 0.724 + 0.06 * 140 + 4.5 * 0.6 = 60.69.
    let load = Fact::Load {
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
        let mut agent = Wellness::new(setup(Vec::new()));
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
        let mut agent = Wellness::new(setup(Vec::new()));
        assert_eq!(
            ingest(&mut agent, vec![signal.clone()], last).facts.len(),
            1,
            "{name}"
        );
        let mut agent = Wellness::new(setup(Vec::new()));
        let late = ingest(&mut agent, vec![signal], over);
        assert_eq!(
            (late.facts, late.read),
            (Vec::new(), 1),
            "{name}: read, but it says nothing about now"
        );
    }
}
