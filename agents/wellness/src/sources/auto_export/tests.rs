//! What the app sends, and what is made of it: each expected value is worked out beside it.

use super::{
    super::{HealthPost, health_post::stretch_of},
    *,
};
use serde_json::json;
use std::collections::BTreeMap;
use toolcall_schema::{
    ids::{OwnerSeed, SignalId},
    signal::{Signal, SignalKind, SleepData},
};

fn key() -> SecretKey {
    OwnerSeed::from_day_seed("wellness").key("test")
}

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn watch() -> String {
    SleepStretch::source(&key(), b"Health Auto Export Watch")
}

/// A post as of noon in Kolkata on the 5th.
fn posted(text: &str) -> Option<HealthPost> {
    HealthPost::from_auto_export(text.as_bytes(), &key(), at("2026-11-05T12:00:00+05:30"))
}

fn sleep(units: &str, elements: &str) -> String {
    format!(r#"{{"data":{{"metrics":[{{"name":"sleep_analysis","units":"{units}","data":[{elements}]}}]}}}}"#)
}

fn stage(value: &str, from: &str, until: &str) -> String {
    format!(
        r#"{{"startDate":"2026-11-05 {from} +0530","endDate":"2026-11-05 {until} +0530","qty":1,"value":"{value}","source":"Watch"}}"#
    )
}

/// Of each signal its begin in minutes before its end, its end, and the minutes of REM and deep sleep.
fn told(post: &HealthPost) -> Vec<(u32, Timestamp, Option<u32>, Option<u32>)> {
    let of = |signal: &Signal| {
        let sleep: SleepData = serde_json::from_value(signal.payload.clone()).unwrap();
        (sleep.asleep_min, signal.at, sleep.rem_min, sleep.deep_min)
    };
    post.signals.iter().map(of).collect()
}

#[test]
fn a_night_and_stages_become_stretches_of_whole_minutes() {
    let night = |fields: &str| {
        format!(
            r#"{{"date":"2026-11-05 00:00:00 +0530","sleepEnd":"2026-11-05 06:15:00 +0530","source":"Watch",{fields}}}"#
        )
    };
    let end = at("2026-11-05T00:45:00Z");
    for (name, text, expected) in [
        // 4 + 1 + 1.5 hours are 390 minutes: 90 of REM, 60 deep.
        (
            "hours with stages",
            sleep("hr", &night(r#""totalSleep":6.5,"asleep":0,"core":4.0,"deep":1.0,"rem":1.5"#)),
            vec![(390, end, Some(90), Some(60))],
        ),
        (
            "minutes",
            sleep("min", &night(r#""totalSleep":400.0"#)),
            vec![(400, end, None, None)],
        ),
        // 6.1083 h are 366.5 min: from 00:08:30, so from 00:08.
        (
            "an earlier version without stages",
            sleep("hr", &night(r#""asleep":6.108333333333333,"inBed":6.8"#)),
            vec![(367, end, None, None)],
        ),
        ("in bed alone", sleep("hr", &night(r#""inBed":7.0,"asleep":0"#)), vec![]),
        // 01:00 to 03:30 and 04:00 to 06:00 without a gap in either; half a minute at a seam is lost nowhere.
        (
            "stages that touch are one",
            sleep(
                "hr",
                &[
                    stage("REM", "03:00:00", "03:30:00"),
                    stage("Core", "01:00:00", "02:00:30"),
                    stage("Deep", "02:00:30", "03:00:00"),
                    stage("Awake", "03:30:00", "04:00:00"),
                    stage("Core", "04:00:00", "06:00:00"),
                    stage("In Bed", "00:00:00", "07:00:00"),
                ]
                .join(","),
            ),
            vec![
                (150, at("2026-11-04T22:00:00Z"), Some(30), Some(60)),
                (120, at("2026-11-05T00:30:00Z"), Some(0), Some(0)),
            ],
        ),
        // The name behind the data, and a clock of 12 hours.
        (
            "another order",
            r#"{"data":{"metrics":[{"data":[{"startDate":"2026-11-04 11:00:00 PM +0530","endDate":"2026-11-05 6:00:00 a.m. +0530",
                "value":"Asleep","source":"Watch"}],"units":"hr","name":"sleep_analysis"}]}}"#
                .to_owned(),
            vec![(420, at("2026-11-05T00:30:00Z"), None, None)],
        ),
        ("nothing", r#"{"data":{}}"#.to_owned(), vec![]),
        ("null", r#"{"data":{"metrics":null}}"#.to_owned(), vec![]),
        ("an empty list", sleep("hr", ""), vec![]),
    ] {
        let post = posted(&text).unwrap();
        assert_eq!(told(&post), expected, "{name}");
        assert_eq!((post.broken, post.too_old, post.ahead), (0, 0, 0), "{name}");
        for signal in &post.signals {
            assert_eq!(signal.source, format!("health-auto-export-{}", watch()), "{name}");
            let bytes = serde_json::to_vec(signal).unwrap();
            let admitted = toolcall_schema::gate::admit_signal(&bytes).unwrap();
            let SleepData { asleep_min, .. } = serde_json::from_value(signal.payload.clone()).unwrap();
            let back = stretch_of(admitted.signal(), &serde_json::from_value(signal.payload.clone()).unwrap());
            let back = back.unwrap();
            assert_eq!((back.source, back.until), (watch(), signal.at), "{name}");
            assert_eq!(back.until.since(back.from), i64::from(asleep_min) * 60_000, "{name}");
        }
    }
}

#[test]
fn what_is_wrong_or_not_used_is_counted() {
    let times = |n: usize, element: &str| vec![element; n].join(",");
    let heart = times(
        1440,
        r#"{"date":"2026-11-05 00:00:00 +0530","Min":50,"Avg":55.5,"Max":61,"source":"Watch"}"#,
    );
    let sdnn = times(3, r#"{"date":"2026-11-05 03:00:00 +0530","qty":41.5}"#);
    let text = format!(
        r#"{{"data":{{"workouts":[{{"name":"Run"}},{{"name":"Run"}}],"ecg":[{{}}],"novel":[1,2],"stateOfMind":null,"metrics":[
            {{"name":"heart_rate","units":"count/min","data":[{heart}]}},
            {{"name":"heart_rate_variability","units":"ms","data":[{sdnn}]}},
            {{"name":"resting_heart_rate","units":"count/min","data":[
                {{"qty":52,"date":"2026-11-05 00:00:00 +0530"}}, {{"qty":300,"date":"2026-11-05 00:00:00 +0530"}}, {{"qty":52}}]}},
            {{"name":"step_count","units":"count","data":[{{"qty":12}},{{"qty":0}}]}},
            {{"name":"a_thing_of_later","units":"","data":[{{}},{{}},{{}}]}},
            {{"name":"sleep_analysis","units":"fortnight","data":[{{}},{{}}]}},
            {{"name":"sleep_analysis","units":"hr","data":[
                7, {{"sleepEnd":"2026-11-05 06:15:00 +0530","totalSleep":"six"}},
                {{"sleepEnd":"yesterday","totalSleep":6}}, {{"totalSleep":6}},
                {{"sleepEnd":"2026-11-05 06:15:00 +0530","totalSleep":20.5}},
                {{"sleepEnd":"2026-11-05 12:00:01 +0530","totalSleep":6}},
                {{"sleepEnd":"2026-08-01 06:15:00 +0530","totalSleep":6}},
                {{"startDate":"2026-11-05 06:15:00 +0530","endDate":"2026-11-05 05:15:00 +0530","value":"Deep"}},
                {{"startDate":"2026-11-05 05:15:00 +0530","endDate":"2026-11-05 06:15:00 +0530","value":"Floating"}}]}}]}}}}"#
    );
    let post = posted(&text).unwrap();
    let [resting] = post.signals.as_slice() else {
        panic!("{:?}", post.signals)
    };
    let bytes = serde_json::to_vec(resting).unwrap();
    assert_eq!(
        (resting.at, &resting.payload),
        (at("2026-11-04T18:30:00Z"), &json!({ "resting_bpm": 52.0 }))
    );
    assert!(toolcall_schema::gate::admit_signal(&bytes).is_ok());
    // Two of an unknown unit; 7, "six", yesterday, no end, Floating; 20.5 hours and a stage that ends before it begins; 300 beats, and a day without a date.
    assert_eq!((post.broken, post.too_old, post.ahead), (11, 1, 1));
    let unused = [
        ("ecg", 1),
        ("heart_rate", 1440),
        ("heart_rate_variability", 3),
        ("step_count", 2),
        ("unknown", 5),
        ("workouts", 2),
    ];
    assert_eq!(post.unused, BTreeMap::from(unused));
}

#[test]
fn what_is_no_export_is_none() {
    let metrics = vec![r#"{"name":"x","data":[]}"#; MAX_METRICS + 1].join(",");
    for text in [
        "",
        "[]",
        "{}",
        r#"{"data":[]}"#,
        r#"{"data":{"metrics":[{"name":"sleep_analysis","#,
        r#"{"data":{"metrics":[{"units":"hr","data":[]}]}}"#,
        r#"{"data":{"metrics":"none"}}"#,
        &format!(r#"{{"data":{{"metrics":[{metrics}]}}}}"#),
    ] {
        assert_eq!(posted(text), None, "{text:.60}");
    }
    // A list that is none counts as one broken thing.
    let odd = r#"{"data":{"metrics":[{"name":"sleep_analysis","units":"hr","data":{}}]}}"#;
    assert_eq!(posted(odd).map(|post| post.broken), Some(1));
}

#[test]
fn a_signal_of_another_source_is_a_whole_night() {
    let signal = |source: &str| Signal {
        id: SignalId::parse("a").unwrap(),
        at: at("2026-11-05T00:45:00Z"),
        source: source.to_owned(),
        kind: SignalKind::Sleep,
        payload: json!({ "asleep_min": 400 }),
    };
    let sleep: SleepData = serde_json::from_value(json!({ "asleep_min": 400 })).unwrap();
    for source in [
        "band",
        "health-auto-export-",
        "health-auto-export-0123456",
        "health-auto-export-zzzzzzzz",
    ] {
        assert_eq!(stretch_of(&signal(source), &sleep), None, "{source}");
    }
    assert!(stretch_of(&signal("health-auto-export-0123abcd"), &sleep).is_some());
}
