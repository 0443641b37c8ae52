//! The agent as a whole, and its formulas against figures worked out by hand.

use super::*;
use crate::agent::{Owner, Sources};
use chrono_tz::Tz;
use model::{Condition, Feature, Sample, Standing};
use proptest::prelude::*;
use serde_json::json;
use std::fs;
use toolcall_schema::{
    ActionKind, WellnessState,
    catalogue::{WellnessTool, wellness::GuideBreathing, wellness::PermitLeisure, wellness::StartNapTimer},
    ids::{OwnerSeed, SignalId},
    milli::Milli,
    tick::{
        ActiveRule, Candidate, Reading, ReadingKey, Subject, TickStatus, Trigger, TriggerSource, UserState,
    },
};

fn setup(wellness: Vec<std::path::PathBuf>) -> Setup {
    Setup {
        key: OwnerSeed::of_day("wellness").key("test"),
        owner: owner((42.0, 24.0)),
        sources: Sources {
            wellness,
            ..Sources::default()
        },
    }
}

fn owner(rmssd_p50_p10: (f64, f64)) -> Owner {
    Owner {
        zone: Tz::Asia__Kolkata,
        addresses: Vec::new(),
        names: Vec::new(),
        home: None,
        buffer_min: 15,
        sleep_target_min: 420,
        rmssd_p50_p10,
        balance: None,
    }
}

/// A local time of 2026-11-05 in Kolkata.
fn at(time: &str) -> Timestamp {
    Timestamp::parse(&format!("2026-11-05T{time}+05:30")).unwrap()
}

fn signal(kind: SignalKind, time: &str, payload: Value) -> Signal {
    Signal {
        id: SignalId::parse(&format!("{kind}-{}", time.replace(':', ""))).unwrap(),
        at: at(time),
        source: "band".to_owned(),
        kind,
        payload,
    }
}

fn hrv(time: &str, rmssd_ms: f64) -> Signal {
    signal(SignalKind::Hrv, time, json!({ "rmssd_ms": rmssd_ms }))
}

fn sleep(time: &str, asleep_min: u32) -> Signal {
    signal(SignalKind::Sleep, time, json!({ "asleep_min": asleep_min }))
}

fn activity(time: &str, entropy: f64, switches: f64, dismissed: f64, screen: f64) -> Signal {
    let payload = json!({ "typing_entropy": entropy, "app_switch_rate": switches, "notif_dismiss_rate": dismissed, "screen_on_min": screen });
    signal(SignalKind::Activity, time, payload)
}

fn ingest(agent: &mut Wellness, signals: Vec<Signal>, time: &str) -> IngestResult {
    agent.accept(signals);
    let args = IngestArgs {
        cursor: agent.cursor,
        signal_ids: Vec::new(),
    };
    agent.ingest(&args, at(time))
}

fn tick_args(channel: Option<&str>, rules: Vec<ActiveRule>) -> TickArgs {
    TickArgs {
        tick: 1,
        trigger: Trigger {
            source: TriggerSource::Owner,
            subject: None,
            at: at("00:00:00"),
            valid_until: at("23:59:59"),
        },
        user: UserState {
            load_score: None,
            state: WellnessState::Unknown,
            in_focus: false,
            in_meeting: false,
            dnd: false,
            active_channel: channel.map(|name| setup(Vec::new()).key.channel(name)),
            brief_due: false,
            zone: "Asia/Kolkata".to_owned(),
        },
        rules,
    }
}

/// `rmssd, sleep, entropy, switches, dismissed, screen` measured at the instant of the score.
fn score(values: [Option<f64>; 6], baseline: (f64, f64), hour: f64) -> u8 {
    let features = [
        Feature::Rmssd,
        Feature::Asleep,
        Feature::TypingEntropy,
        Feature::AppSwitchRate,
        Feature::DismissRate,
        Feature::ScreenOn,
    ];
    let mut newest = Newest::default();
    for (feature, value) in features.into_iter().zip(values) {
        if let Some(sample) = value.and_then(|value| Sample::new(feature, value, at("12:00:00"))) {
            newest.take(sample, at("12:00:00"));
        }
    }
    model::load_score(&newest, at("12:00:00"), hour, &owner(baseline))
}

#[test]
fn the_load_score_is_the_sum_of_its_terms() {
    let mira = (38.2, 22.1);
    let all = |rmssd, sleep, entropy, switches, dismissed, screen| {
        [rmssd, sleep, entropy, switches, dismissed, screen].map(Some)
    };
    for (name, values, baseline, hour, expected) in [
        // 38 + 16 * 9.8/16.1 + 0.06 * 108 + 4.5 * 1.91 + 1.6 * 8 + 12 * 0.48 + 0.15 * 27
        // = 38 + 9.739 + 6.48 + 8.595 + 12.8 + 5.76 + 4.05 = 85.42; cos(210°) < 0 adds nothing (the unrepaired sign: 88.89).
        (
            "an afternoon",
            all(28.4, 312.0, 4.91, 14.0, 0.78, 47.0),
            mira,
            14.0,
            85,
        ),
        // 38 + 16 * 14.1/16.1 + 6.48 + 4.5 * 1.92 + 1.6 * 10 + 12 * 0.51 + 4.05
        // = 38 + 14.012 + 6.48 + 8.64 + 16 + 6.12 + 4.05 = 93.30; + 4 cos(330°) = 3.464: 96.77.
        (
            "a late evening",
            all(24.1, 312.0, 4.92, 16.0, 0.81, 47.0),
            mira,
            22.0,
            97,
        ),
        // 38 + 16 * 11.7/16.1 + 0.06 * 140 + 4.5 * 0.2 = 38 + 11.627 + 8.4 + 0.9 = 58.93 (unrepaired: 59.96).
        (
            "a short night",
            all(26.5, 280.0, 3.2, 4.0, 0.2, 5.0),
            mira,
            7.0,
            59,
        ),
        // 38 - 16 * (50 - 42)/18 = 30.89; 4.5 * (2 - 3) = -4.5: 26.39.
        (
            "rested",
            all(50.0, 420.0, 2.0, 0.0, 0.0, 0.0),
            (42.0, 24.0),
            12.0,
            26,
        ),
        // p50 - p10 below 1 counts as 1: 38 - 16 * 0.5 = 30.
        (
            "a narrow baseline",
            all(42.5, 420.0, 3.0, 4.0, 0.3, 20.0),
            (42.0, 41.9),
            12.0,
            30,
        ),
        ("nothing at noon", [None; 6], mira, 12.0, 38),
        ("nothing at midnight", [None; 6], mira, 0.0, 42),
        // 38 + 25.14 + 22.5 + 182.4 + ... is far above; without RMSSD it stops at 70.
        (
            "no RMSSD",
            [None, Some(1.0), Some(8.0), Some(120.0), Some(1.0), Some(60.0)],
            mira,
            12.0,
            70,
        ),
        (
            "everything",
            all(3.0, 1.0, 8.0, 120.0, 1.0, 60.0),
            mira,
            12.0,
            100,
        ),
        (
            "very rested",
            all(250.0, 600.0, 0.0, 0.0, 0.0, 0.0),
            mira,
            12.0,
            0,
        ),
        // A baseline that is none: the population's. z = (24 - 42)/18 = -1: 38 + 16 = 54.
        (
            "no baseline",
            all(24.0, 420.0, 3.0, 4.0, 0.3, 20.0),
            (f64::NAN, 0.0),
            12.0,
            54,
        ),
    ] {
        assert_eq!(score(values, baseline, hour), expected, "{name}");
    }
}

#[test]
fn states_have_hysteresis_and_a_recovery_is_an_hour_once_a_peak() {
    use Condition::{Baseline, Recovering, Stressed};
    // (time, score, condition, entered)
    let day = [
        ("17:01:00", 50, Baseline, "17:01:00"),
        ("17:04:00", 78, Stressed, "17:04:00"),
        // 65 to 69 stays stressed, below is not.
        ("17:07:00", 65, Stressed, "17:04:00"),
        ("17:10:00", 64, Baseline, "17:10:00"),
        // 60 is not below 60; 59 is, and the highest of the last 6 is 78.
        ("17:12:00", 60, Baseline, "17:10:00"),
        ("17:13:00", 59, Recovering, "17:13:00"),
        ("17:20:00", 69, Recovering, "17:13:00"),
        ("18:12:59", 40, Recovering, "17:13:00"),
        // Over at 18:13:00. The peak of 69 is below 70.
        ("18:14:00", 40, Baseline, "18:13:00"),
        // Stressed ends a recovery at once; and again below 60 after a new peak.
        ("18:20:00", 70, Stressed, "18:20:00"),
        ("18:21:00", 59, Recovering, "18:21:00"),
        ("18:22:00", 71, Stressed, "18:22:00"),
        ("18:23:00", 41, Recovering, "18:23:00"),
        // An hour later the peak of 18:22 is still among the last 6: it had its recovery.
        ("19:23:00", 41, Baseline, "19:23:00"),
        ("19:24:00", 41, Baseline, "19:23:00"),
    ];
    let mut history = History::default();
    for (time, score, condition, entered) in day {
        let date = at(time).utc().date_naive();
        let expected = Standing {
            condition,
            entered_at: at(entered),
        };
        assert_eq!(history.add(score, at(time), date), expected, "{time}");
        assert_eq!(history.standing(at(time)), Some(expected));
    }
    let mut short = History::default();
    for (time, score) in [("10:00:00", 78), ("10:01:00", 64), ("10:02:00", 50)] {
        short.add(score, at(time), at(time).utc().date_naive());
    }
    assert_eq!(
        short.standing(at("10:02:00")).map(|s| s.condition),
        Some(Baseline),
        "three scores are too few to believe a recovery"
    );
}

#[test]
fn it_is_as_sure_as_it_has_days_of_data() {
    let day = |n: u32| chrono::NaiveDate::from_ymd_opt(2026, 11, n).unwrap();
    for (name, scores, days, strong, expected) in [
        ("a first score", 1, 1, false, 400),
        ("a first score, but strong", 1, 1, true, 650),
        ("six scores", 6, 1, false, 400),
        // 7 scores of one day: 0.50 + 0.05 * 1, strong or not.
        ("seven scores", 7, 1, false, 550),
        ("seven scores, strong", 7, 1, true, 550),
        ("a thousand scores of one day", 1000, 1, false, 550),
        ("three days", 9, 3, false, 650),
        ("seven days", 7, 7, false, 850),
        ("twenty days", 20, 20, false, 850),
    ] {
        let mut history = History::default();
        for i in 0..scores {
            history.add(50, at("12:00:00"), day(1 + i % days));
        }
        assert_eq!(history.confidence(strong), Milli(expected), "{name}");
    }
}

#[test]
fn an_evening_from_signals_to_proposals() {
    let mut agent = Wellness::new(setup(Vec::new()));
    let load = |time, score, state, entered| {
        vec![Fact::Load {
            score,
            state,
            entered_at: at(entered),
            at: at(time),
        }]
    };
    let first = vec![
        sleep("22:21:10", 372),
        hrv("22:21:10", 39.0),
        activity("22:21:10", 3.9, 8.0, 0.4, 25.0),
    ];
    let answer = ingest(&mut agent, first, "22:21:10");
    // 38 + 16 * 3/18 + 0.06 * 48 + 4.05 + 3.2 + 1.2 + 0.75 + 4 cos(2 pi 22.353/24) (3.634) = 56.38.
    assert_eq!(
        answer.facts,
        load("22:21:10", 56, WellnessState::Baseline, "22:21:10")
    );
    assert_eq!((answer.read, answer.skipped), (3, 0));
    let second = vec![hrv("22:31:30", 33.0), activity("22:31:30", 4.92, 14.0, 0.5, 30.0)];
    // 38 + 8 + 2.88 + 8.64 + 12.8 + 2.4 + 1.5 + 3.706 = 77.93.
    let answer = ingest(&mut agent, second, "22:31:30");
    assert_eq!(
        answer.facts,
        load("22:31:30", 78, WellnessState::Stressed, "22:31:30")
    );

    let key = setup(Vec::new()).key;
    let channel = key.channel("trip");
    let mute = Candidate {
        kind: ActionKind::MuteGroup30,
        subject: Subject::from(&channel),
        // 2 scores of one day, but 78, 14 switches and 4.92 bits.
        confidence: Milli(650),
        args: json!({ "channel_hash": channel, "ttl_seconds": 1800 }),
        valid_until: None,
    };
    let breathe = Candidate {
        kind: ActionKind::Breathe478,
        subject: Subject::of_self(),
        args: json!({ "cycles": 4 }),
        ..mute.clone()
    };
    let muted = |until| ActiveRule::Mute {
        channel: channel.clone(),
        until: at(until),
    };
    for (name, args, time, expected) in [
        (
            "a loud channel",
            tick_args(Some("trip"), Vec::new()),
            "22:31:47",
            vec![mute.clone()],
        ),
        (
            "muted already",
            tick_args(Some("trip"), vec![muted("23:00:00")]),
            "22:31:47",
            vec![breathe.clone()],
        ),
        (
            "muted until now",
            tick_args(Some("trip"), vec![muted("22:31:47")]),
            "22:31:47",
            vec![mute],
        ),
        (
            "no channel",
            tick_args(None, Vec::new()),
            "22:31:47",
            vec![breathe],
        ),
        (
            "a score older than an hour",
            tick_args(None, Vec::new()),
            "23:31:31",
            Vec::new(),
        ),
    ] {
        assert_eq!(agent.tick(&args, at(time)).candidates, expected, "{name}");
    }
    let reading = Reading::new;
    assert_eq!(
        agent.tick(&tick_args(None, Vec::new()), at("22:31:47")).readings,
        vec![
            reading(ReadingKey::LoadScore, 78.0),
            Reading {
                low: Some(24.0),
                high: Some(63.0),
                ..reading(ReadingKey::RmssdMs, 33.0)
            },
            // (33 - 42) / (42 - 24)
            reading(ReadingKey::RmssdZ, -0.5),
            reading(ReadingKey::SleepMin, 372.0),
            reading(ReadingKey::SleepDebtMin, 48.0),
            reading(ReadingKey::TypingEntropy, 4.92),
            reading(ReadingKey::AppSwitchRate, 14.0),
            reading(ReadingKey::DismissRate, 0.5),
            reading(ReadingKey::ScreenOnMin, 30.0),
        ]
    );
    let answer = ingest(&mut agent, vec![hrv("22:36:00", 36.0)], "22:36:00");
    // 78 - 16 * 3/18 = 75.27 and a little for the hour; the drop is 78 - 75.
    assert_eq!(
        answer.facts,
        load("22:36:00", 75, WellnessState::Stressed, "22:31:30")
    );
    let drop = agent
        .tick(&tick_args(None, Vec::new()), at("22:36:00"))
        .readings
        .pop();
    assert_eq!(drop, Some(reading(ReadingKey::LoadDrop, 3.0)));
}

#[test]
fn an_agent_without_data_says_so() {
    let agent = Wellness::new(setup(Vec::new()));
    let nothing = TickResult {
        candidates: Vec::new(),
        readings: Vec::new(),
        status: TickStatus::NoData,
    };
    assert_eq!(
        agent.tick(&tick_args(Some("trip"), Vec::new()), at("12:00:00")),
        nothing
    );
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

#[test]
fn a_signal_of_later_is_left_for_later_and_an_older_one_changes_nothing() {
    let mut agent = Wellness::new(setup(Vec::new()));
    let early = ingest(&mut agent, vec![hrv("12:05:00", 30.0)], "12:00:00");
    assert_eq!((early.facts, early.read), (Vec::new(), 0));
    assert_eq!(ingest(&mut agent, Vec::new(), "12:05:00").read, 1);
    let old = ingest(
        &mut agent,
        vec![hrv("12:04:00", 90.0), hrv("12:05:00", 91.0)],
        "12:06:00",
    );
    assert_eq!(
        (old.facts, old.read, old.agent_state),
        (Vec::new(), 0, Value::Null)
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
fn the_state_goes_on_where_it_was() {
    let mut agent = Wellness::new(setup(Vec::new()));
    ingest(
        &mut agent,
        vec![sleep("10:00:00", 300), hrv("10:00:00", 20.0)],
        "10:00:00",
    );
    let state = ingest(
        &mut agent,
        vec![activity("10:05:00", 5.0, 20.0, 0.9, 50.0)],
        "10:05:00",
    )
    .agent_state;
    let mut again = Wellness::new(setup(Vec::new()));
    again.restore(&state).unwrap();
    let args = tick_args(Some("trip"), Vec::new());
    assert_eq!(
        again.tick(&args, at("10:06:00")),
        agent.tick(&args, at("10:06:00"))
    );
    // It was asked with another cursor than it knows: it says all it knows again, and goes on from there.
    let answer = again.ingest(
        &IngestArgs {
            cursor: 2,
            signal_ids: Vec::new(),
        },
        at("10:07:00"),
    );
    assert_eq!((answer.cursor, &answer.agent_state), (2, &state));
    let answer = again.ingest(
        &IngestArgs {
            cursor: 2,
            signal_ids: Vec::new(),
        },
        at("10:07:00"),
    );
    assert_eq!((answer.cursor, answer.agent_state), (2, Value::Null));
    assert!(again.restore(&json!({ "version": "wellness.v2" })).is_err());
}

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
fn tools_say_when_their_course_ends() {
    for (tool, ends) in [
        // 4 rounds of 19 s
        (
            WellnessTool::GuideBreathing(GuideBreathing { cycles: 4 }),
            "12:01:16",
        ),
        (
            WellnessTool::StartNapTimer(StartNapTimer { duration_min: 15 }),
            "12:15:00",
        ),
        (
            WellnessTool::PermitLeisure(PermitLeisure { window_min: 90 }),
            "13:30:00",
        ),
    ] {
        let mut agent = Wellness::new(setup(Vec::new()));
        assert_eq!(
            agent.act(&Tool::Wellness(tool), at("12:00:00")),
            Ok((
                json!({ "ends_at": at(ends) }),
                vec![ToolEffect::TimerSet { at: at(ends) }]
            ))
        );
    }
    let ingest = WellnessTool::Ingest(IngestArgs {
        cursor: 0,
        signal_ids: Vec::new(),
    });
    let mut agent = Wellness::new(setup(Vec::new()));
    assert_eq!(
        agent.act(&Tool::Wellness(ingest), at("12:00:00")),
        Err(ToolErrorCode::Unavailable)
    );
}

/// Any JSON, shallow: also the fields of our payloads with anything in them.
fn payload() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<f64>().prop_map(|x| json!(x)),
        any::<i64>().prop_map(|x| json!(x)),
        (0.0..1500.0).prop_map(|x: f64| json!(x)),
        ".{0,8}".prop_map(|x| json!(x)),
        proptest::collection::vec(any::<f64>(), 0..60).prop_map(|x| json!(x)),
    ];
    let names = prop_oneof![
        Just("rr_ms"),
        Just("rmssd_ms"),
        Just("asleep_min"),
        Just("typing_entropy"),
        Just("app_switch_rate"),
        Just("notif_dismiss_rate"),
        Just("screen_on_min"),
        Just("other"),
    ];
    proptest::collection::btree_map(names, leaf, 0..4).prop_map(|fields| json!(fields))
}

fn any_kind() -> impl Strategy<Value = SignalKind> {
    proptest::sample::select(SignalKind::ALL)
}

/// A signal whose value is out of range, missing, or of a band off the wrist.
fn bad() -> impl Strategy<Value = Signal> {
    prop_oneof![
        prop_oneof![-1e9..2.99, 250.01..1e9].prop_map(|x| hrv("12:01:00", x)),
        (0..200_usize).prop_map(|n| signal(SignalKind::Hrv, "12:01:00", json!({ "rr_ms": vec![0; n] }))),
        Just(signal(SignalKind::Hrv, "12:01:00", json!({}))),
        prop_oneof![Just(0), 1201..u32::MAX].prop_map(|x| sleep("12:01:00", x)),
        (8.01..1e9, 120.01..1e9, 1.01..1e9, 60.01..1e9)
            .prop_map(|(a, b, c, d)| activity("12:01:00", a, b, c, d)),
    ]
}

proptest! {
    #[test]
    fn nothing_that_comes_in_panics(
        signals in proptest::collection::vec((any_kind(), payload()), 0..8),
        cursor: u64,
        now in 0_i64..i64::MAX,
        number: u32,
    ) {
        let mut agent = Wellness::new(setup(Vec::new()));
        agent.accept(signals.into_iter().map(|(kind, payload)| signal(kind, "12:00:00", payload)).collect());
        let now = Timestamp::from_ms(now);
        agent.ingest(&IngestArgs { cursor, signal_ids: Vec::new() }, at("12:00:00"));
        agent.ingest(&IngestArgs { cursor, signal_ids: Vec::new() }, now);
        agent.tick(&tick_args(Some("x"), Vec::new()), now);
        for tool in [
            WellnessTool::GuideBreathing(GuideBreathing { cycles: number }),
            WellnessTool::StartNapTimer(StartNapTimer { duration_min: number }),
            WellnessTool::PermitLeisure(PermitLeisure { window_min: number }),
        ] {
            prop_assert!(agent.act(&Tool::Wellness(tool), now).is_ok());
        }
    }

    #[test]
    fn a_missing_or_impossible_value_never_raises_the_score(
        (rmssd, asleep, entropy) in (3.0..250.0, 1..1200_u32, 0.0..8.0),
        bad in proptest::collection::vec(bad(), 1..4),
    ) {
        let good = || vec![hrv("12:00:00", rmssd), sleep("12:00:00", asleep), activity("12:00:00", entropy, 9.0, 0.5, 30.0)];
        let mut plain = Wellness::new(setup(Vec::new()));
        let expected = ingest(&mut plain, good(), "12:02:00").facts;
        // In one batch: as if the bad ones were not there.
        let mut mixed = Wellness::new(setup(Vec::new()));
        prop_assert_eq!(&ingest(&mut mixed, [good(), bad.clone()].concat(), "12:02:00").facts, &expected);
        // Alone: no score at all.
        prop_assert_eq!(ingest(&mut plain, bad, "12:03:00").facts, Vec::new());
    }

    #[test]
    fn what_is_missing_adds_nothing_to_the_score(
        values in (3.0..250.0, 1.0..1200.0, 0.0..8.0, 0.0..120.0, 0.0..1.0, 0.0..60.0),
        without in 0..6_usize,
    ) {
        let (rmssd, asleep, entropy, switches, dismissed, screen) = values;
        let mut all = [rmssd, asleep, entropy, switches, dismissed, screen].map(Some);
        // The value that adds nothing, by the formula.
        let mut neutral = all;
        neutral[without] = Some([42.0, 420.0, 3.0, 4.0, 0.3, 20.0][without]);
        all[without] = None;
        prop_assert!(score(all, (42.0, 24.0), 12.0) <= score(neutral, (42.0, 24.0), 12.0));
    }

    #[test]
    fn a_state_that_was_tampered_with_is_refused_or_bounded(score in any::<u8>(), value: f64, n in 0..300_usize) {
        let mut agent = Wellness::new(setup(Vec::new()));
        let scores = vec![json!([at("11:59:00"), score]); n];
        let state = json!({
            "version": "wellness.v1", "files": {},
            "newest": { "rmssd": [value, at("11:59:00")] },
            "history": { "scores": scores, "days": ["2026-11-05"], "standing": null, "recovered_at": null },
        });
        let _ = agent.restore(&state);
        agent.tick(&tick_args(Some("x"), Vec::new()), at("12:00:00"));
        let answer = ingest(&mut agent, vec![hrv("12:00:00", 40.0)], "12:00:00");
        prop_assert_eq!(answer.facts.len(), 1);
    }
}
