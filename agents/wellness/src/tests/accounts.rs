//! What Fitbit, Garmin, Whoop, Oura, Polar, `HRV4Training`, Health Connect and Health Auto Export hand out: files, folders and archives.

use super::{
    exports::{archive, skips},
    *,
};
use rusqlite::Connection;
use std::{fs, path::Path};

type Nights = Vec<(String, f64)>;
type Skips = Vec<(String, String)>;

/// The nights that memory is told, as day and minutes, and what was left out.
fn nights(path: &Path) -> (Nights, Skips) {
    let mut agent = WellnessAgent::new(setup(vec![path.to_owned()]));
    let answer = ingest(&mut agent, Vec::new(), "12:00:00");
    let told = answer.seen.iter().filter_map(|seen| {
        let GraphObservation::Body { day, sleep_min, .. } = seen else {
            panic!("{seen:?}")
        };
        Some((day.to_string(), (*sleep_min)?))
    });
    let skips = skips(&answer);
    let skips = skips
        .into_iter()
        .map(|(code, item)| (code.to_owned(), item.to_owned()));
    let mut told: Vec<_> = told.collect();
    told.sort_by(|one, other| one.0.cmp(&other.0));
    (told, skips.collect())
}

fn told(expected: &[(&str, f64)]) -> Nights {
    expected
        .iter()
        .map(|(day, minutes)| ((*day).to_owned(), *minutes))
        .collect()
}

/// Two nights of Fitbit, in Kolkata: 402 of 475 minutes to 06:50 on the 5th, and 60 minutes to 16:00 on the 4th, which is a nap.
const FITBIT: &str = r#"[{"logId":2,"dateOfSleep":"2026-11-05","startTime":"2026-11-04T22:55:00.000",
    "endTime":"2026-11-05T06:50:00.000","duration":28500000,"minutesAsleep":402,"minutesAwake":73,"type":"stages",
    "levels":{"data":[{"dateTime":"2026-11-04T22:55:00.000","level":"light","seconds":960}]},"mainSleep":true},
    {"logId":1,"dateOfSleep":"2026-11-04","endTime":"2026-11-04T16:00:00.000","minutesAsleep":60,"type":"classic"},
    {"logId":0,"dateOfSleep":"2026-11-04","endTime":"2026-11-04T07:00:30.000","minutesAsleep":380,"type":"classic"}]"#;

/// 6300 + 14700 + 5400 s are 440 min, to 00:20 UTC, which is 05:50 in Kolkata; the other day the watch was not worn.
const GARMIN: &str = r#"[{"sleepStartTimestampGMT":"2026-11-04T16:40:00.0","sleepEndTimestampGMT":"2026-11-05T00:20:00.0",
    "calendarDate":"2026-11-05","deepSleepSeconds":6300,"lightSleepSeconds":14700,"remSleepSeconds":5400,"awakeSleepSeconds":1200},
    {"sleepStartTimestampGMT":"2026-11-03T16:40:00.0","sleepEndTimestampGMT":"2026-11-04T00:20:00.0","calendarDate":"2026-11-04",
    "sleepWindowConfirmationType":"OFF_WRIST"}]"#;

/// 7 h 41 min to 06:30 at +02:00, which is 10:00 in Kolkata.
const POLAR: &str = r#"[{"night":"2026-11-05","evaluation":{"sleepType":"SLEEP_PLUS_STAGES","sleepSpan":"PT8H10M",
    "asleepDuration":"PT7H41M","phaseDurations":{"wake":"PT29M"}},"sleepResult":{"hypnogram":{
    "sleepStart":"2026-11-04T22:20:00.000+02:00","sleepEnd":"2026-11-05T06:30:00.000+02:00"}}}]"#;

/// 6.5 hours to 06:15 at +05:30; the figure of heart rates is SDNN.
const AUTO: &str = r#"{"data":{"metrics":[{"name":"sleep_analysis","units":"hr","data":[{"date":"2026-11-05 00:00:00 +0530",
    "totalSleep":6.5,"asleep":0,"core":4.0,"deep":1.0,"rem":1.5,"awake":0.5,"sleepStart":"2026-11-04 23:15:00 +0530",
    "sleepEnd":"2026-11-05 06:15:00 +0530","source":"Watch"}]},{"name":"heart_rate_variability","units":"ms",
    "data":[{"date":"2026-11-05 03:00:00 +0530","qty":41.5}]}],"workouts":[]}}"#;

#[test]
fn the_sleep_of_each_account_is_read_from_its_json() {
    for (name, text, expected, noted) in [
        (
            "sleep-2026-11-01.json",
            FITBIT,
            &[("2026-11-04", 380.0), ("2026-11-05", 402.0)][..],
            &[][..],
        ),
        (
            "2026-08_2026-11_1_sleepData.json",
            GARMIN,
            &[("2026-11-05", 440.0)],
            &[],
        ),
        ("sleep_result_1.json", POLAR, &[("2026-11-05", 461.0)], &[]),
        (
            "HealthAutoExport-2026-11-05.json",
            AUTO,
            &[("2026-11-05", 390.0)],
            &["AGENT-216"],
        ),
        // Another element than the broken one is kept; 1201 minutes are none.
        (
            "sleep-2026-11-02.json",
            r#"[{"dateOfSleep":"x","endTime":"yesterday","minutesAsleep":400},
                {"endTime":"2026-11-05T06:00:00.000","minutesAsleep":1201},
                {"endTime":"2026-11-05T06:00:00.000","minutesAsleep":300}]"#,
            &[("2026-11-05", 300.0)],
            &["AGENT-206", "AGENT-201"],
        ),
        (
            "sleep-2026-11-03.json",
            r#"[{"dateOfSleep":"2026-11-05","endTime":"2026-11-05T06:00"#,
            &[],
            &["AGENT-207"],
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        for source in [folder.path(), &path] {
            let (found, skips) = nights(source);
            assert_eq!(found, told(expected), "{name}");
            let codes: Vec<&str> = skips.iter().map(|(code, _)| code.as_str()).collect();
            assert_eq!(codes, noted, "{name}");
        }
    }
}

const WHOOP: &str = "Cycle start time,Cycle end time,Cycle timezone,Sleep onset,Wake onset,Sleep performance %,Asleep duration (min),Deep (SWS) duration (min),Heart rate variability (ms),Nap\n\
    2026-11-04 22:10:00,,UTC+05:30,2026-11-04 23:10:00,2026-11-05 06:40:00,88,431,95,61,false\n\
    2026-11-03 22:10:00,,UTC+01:00,2026-11-03 23:00:00,2026-11-04 06:00:00,70,390,80,55,false\n\
    2026-11-02 22:10:00,,UTC+01:00,,,,,,,\n";

#[test]
fn the_tables_of_apps_are_read_in_their_units_and_zones() {
    for (name, text, expected, noted) in [
        // 06:00 at +01:00 is 10:30 in Kolkata, the same day.
        (
            "sleeps.csv",
            WHOOP,
            &[("2026-11-04", 390.0), ("2026-11-05", 431.0)][..],
            &["AGENT-216"][..],
        ),
        (
            "oura.csv",
            "date,Sleep Score,Total Sleep Duration,Deep Sleep Duration,Bedtime Start,Bedtime End,Average HRV\n\
             2026-11-05,80,26100,5400,2026-11-04T23:12:00+05:30,2026-11-05T07:00:00+05:30,44\n\
             2026-11-04,,,,,,\n",
            // 26100 s are 435 min.
            &[("2026-11-05", 435.0)],
            &["AGENT-216"],
        ),
        (
            "fitbit.csv",
            "Activities\nDate,Calories Burned,Steps\n2026-11-05,\"2,310\",\"11,204\"\n\nSleep\n\
             Start Time,End Time,Minutes Asleep,Minutes Awake,Number of Awakenings,Time in Bed,Minutes REM Sleep,Minutes Light Sleep,Minutes Deep Sleep\n\
             \"2026-11-04 11:05PM\",\"2026-11-05 6:50AM\",\"410\",\"55\",\"18\",\"465\",\"95\",\"240\",\"75\"\n\
             \"2026-11-03 11:05PM\",\"2026-11-04 6:50\",\"4x0\",\"55\",\"18\",\"465\",\"95\",\"240\",\"75\"\n\nFood Log\nDaily Totals\n",
            &[("2026-11-05", 410.0)],
            &["AGENT-204"],
        ),
        (
            "summary.csv",
            "timestamp,rmssd,nremhr,entropy\n2026-11-05T00:00:00,29.2,49.6,2.4\n",
            &[],
            &["AGENT-216"],
        ),
        // The last line has no end: it counts when it has all its columns.
        (
            "torn.csv",
            "Sleep onset;Wake onset;Asleep duration (min);Nap\n2026-11-04 23:10:00;2026-11-05 06:40:00;431;false",
            &[("2026-11-05", 431.0)],
            &[],
        ),
        (
            "torn-number.csv",
            "Sleep onset;Wake onset;Asleep duration (min);Nap\n2026-11-04 23:10:00;2026-11-05 06:40:00;43",
            &[],
            &[],
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(name), text).unwrap();
        let (found, skips) = nights(folder.path());
        assert_eq!(found, told(expected), "{name}");
        let codes: Vec<&str> = skips.iter().map(|(code, _)| code.as_str()).collect();
        assert_eq!(codes, noted, "{name}");
    }
}

#[test]
fn heart_rate_variability_is_read_where_it_is_of_minutes() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder
            .path()
            .join("Heart Rate Variability Details - 2026-11-05.csv"),
        "timestamp,rmssd,coverage,low_frequency,high_frequency\n2026-11-05T07:05:00,38.2,0.93,512,301\n",
    )
    .unwrap();
    fs::write(
        folder.path().join("hrv4training.csv"),
        "date,timestamp_measurement,HR,rMSSD,SDNN\n2026-11-05,2026-11-05 07:10:00,52,41.5,60\n2026-11-04,2026-11-04 07:10:00,52,-,-\n",
    )
    .unwrap();
    let mut agent = WellnessAgent::new(setup(vec![folder.path().to_owned()]));
    let answer = ingest(&mut agent, Vec::new(), "07:15:00");
    assert_eq!((answer.read, answer.skipped), (2, 0));
    assert_eq!(
        agent.newest.fresh(model::WellnessFeature::Rmssd, at("07:15:00")),
        Some(41.5)
    );
}

#[test]
fn an_account_comes_as_a_folder_or_as_an_archive_and_twice_is_once() {
    let summary = "timestamp,rmssd,nremhr,entropy\n2026-11-05T00:00:00,29.2,49.6,2.4\n";
    let entries: [(&str, &[u8]); 5] = [
        (
            "Takeout/Fitbit/Global Export Data/steps-2026-11-01.json",
            b"[{\"value\":\"1\"}]",
        ),
        (
            "Takeout/Fitbit/Global Export Data/sleep-2026-11-01.json",
            FITBIT.as_bytes(),
        ),
        (
            "Takeout/Fitbit/Heart Rate Variability/Daily.csv",
            summary.as_bytes(),
        ),
        ("Takeout/Fitbit/Other/other.csv", b"a,b\n1,2\n"),
        ("Takeout/archive_browser.html", b"<html>"),
    ];
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in entries {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let both = told(&[("2026-11-04", 380.0), ("2026-11-05", 402.0)]);
    let (found, skips) = nights(folder.path());
    assert_eq!(found, both);
    let codes: Vec<&str> = skips.iter().map(|(code, _)| code.as_str()).collect();
    // The tables first; of files that hold nothing the first are named and none is counted.
    assert_eq!(codes, ["AGENT-216", "AGENT-214", "AGENT-214"]);

    let zipped = tempfile::tempdir().unwrap();
    archive(&zipped.path().join("takeout.zip"), &entries);
    let (found, skips) = nights(zipped.path());
    assert_eq!(found, both);
    assert_eq!(skips, [("AGENT-216".to_owned(), "takeout.zip: rmssd".to_owned())]);
    // The same account once more, with a day of later.
    archive(&zipped.path().join("takeout-2.zip"), &entries);
    assert_eq!(nights(zipped.path()).0, both);
    // Whoop's archive holds its tables at the top.
    let whoop = tempfile::tempdir().unwrap();
    let tables: [(&str, &[u8]); 2] = [
        ("sleeps.csv", WHOOP.as_bytes()),
        ("journal_entries.csv", b"a,b\n"),
    ];
    archive(&whoop.path().join("my_whoop_data.zip"), &tables);
    let (found, _) = nights(whoop.path());
    assert_eq!(found, told(&[("2026-11-04", 390.0), ("2026-11-05", 431.0)]));
}

#[test]
fn archives_of_accounts_that_are_wrong_say_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let sleep = "Takeout/Fitbit/Global Export Data/sleep-2026-11-01.json";
    // The flag of a file that is locked with a password, in both of its heads.
    archive(&path("a-locked.zip"), &[(sleep, FITBIT.as_bytes())]);
    let mut bytes = fs::read(path("a-locked.zip")).unwrap();
    let table = bytes.windows(4).rposition(|w| w == b"PK\x01\x02").unwrap();
    (bytes[6], bytes[table + 8]) = (bytes[6] | 1, bytes[table + 8] | 1);
    fs::write(path("a-locked.zip"), &bytes).unwrap();
    let much = [&b"[{\"dateOfSleep\":1}"[..], &vec![b' '; 8 << 20], b"]"].concat();
    archive(&path("b-bomb.zip"), &[(sleep, &much)]);
    archive(&path("c-none.zip"), &[("a.csv", b"a,b\n1,2\n")]);
    let (found, skips) = nights(folder.path());
    assert_eq!(found, []);
    let skips: Vec<(&str, &str)> = skips
        .iter()
        .map(|(code, item)| (code.as_str(), item.as_str()))
        .collect();
    assert_eq!(
        skips,
        [
            ("AGENT-208", "a-locked.zip: sleep-2026-11-01.json"),
            ("AGENT-209", "b-bomb.zip: sleep-2026-11-01.json"),
            ("AGENT-205", "c-none.zip"),
        ]
    );
}

/// A database as Android exports it: a night of stages (60 light, 200 deep and REM, 30 awake minutes), one of a phone without stages.
fn health_connect(path: &Path) {
    let database = Connection::open(path).unwrap();
    database
        .execute_batch(
            "PRAGMA journal_mode = WAL; \
             CREATE TABLE sleep_session_record_table (row_id INTEGER PRIMARY KEY, uuid BLOB, start_time INTEGER, \
             start_zone_offset INTEGER, end_time INTEGER, end_zone_offset INTEGER, app_info_id INTEGER, title TEXT); \
             CREATE TABLE sleep_stages_table (parent_key INTEGER, stage_start_time INTEGER, stage_end_time INTEGER, stage_type INTEGER); \
             CREATE TABLE heart_rate_variability_rmssd_record_table (row_id INTEGER PRIMARY KEY, time INTEGER, \
             heart_rate_variability_millis REAL, app_info_id INTEGER); \
             CREATE TABLE resting_heart_rate_record_table (row_id INTEGER PRIMARY KEY, time INTEGER, beats_per_minute INTEGER);",
        )
        .unwrap();
    let min = |minute: i64| at("00:00:00").plus_min(minute).ms();
    // From 00:00: light to 01:00, awake to 01:30, deep to 03:00, REM to 04:50.
    database
        .execute(
            "INSERT INTO sleep_session_record_table VALUES (1, x'01', ?1, 19800, ?2, 19800, 7, 'night'), (2, x'02', ?3, 19800, ?4, 19800, 8, NULL)",
            (min(0), min(290), min(-1440), min(-1030)),
        )
        .unwrap();
    for (from, until, stage) in [(0, 60, 4), (60, 90, 1), (90, 180, 5), (180, 290, 6)] {
        database
            .execute(
                "INSERT INTO sleep_stages_table VALUES (1, ?1, ?2, ?3)",
                (min(from), min(until), stage),
            )
            .unwrap();
    }
    database
        .execute(
            "INSERT INTO heart_rate_variability_rmssd_record_table VALUES (1, ?1, 44.5, 7)",
            [min(280)],
        )
        .unwrap();
    database
        .execute(
            "INSERT INTO resting_heart_rate_record_table VALUES (1, ?1, 57)",
            [min(281)],
        )
        .unwrap();
    database
        .execute_batch("PRAGMA wal_checkpoint(TRUNCATE);")
        .unwrap();
}

#[test]
fn health_connect_is_read_from_its_database_alone_and_in_its_archive() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("health_connect_export.db");
    health_connect(&path);
    // 60 + 90 + 110 minutes; and 410 of the phone, which ended on the 4th at 06:50.
    let expected = told(&[("2026-11-04", 410.0), ("2026-11-05", 260.0)]);
    assert_eq!(nights(folder.path()), (expected.clone(), Vec::new()));
    let mut agent = WellnessAgent::new(setup(vec![path.clone()]));
    let rates: Vec<Option<f64>> = ingest(&mut agent, Vec::new(), "12:00:00")
        .seen
        .iter()
        .map(|seen| match seen {
            GraphObservation::Body { resting_bpm, .. } => *resting_bpm,
            other @ (GraphObservation::Talk { .. }
            | GraphObservation::Payment { .. }
            | GraphObservation::Place { .. }) => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(rates, [Some(57.0), None]);
    let zipped = tempfile::tempdir().unwrap();
    let bytes = fs::read(&path).unwrap();
    archive(
        &zipped.path().join("Health Connect.zip"),
        &[("health_connect_export.db", &bytes)],
    );
    assert_eq!(nights(zipped.path()), (expected, Vec::new()));
    archive(
        &zipped.path().join("Health Connect.zip"),
        &[("health_connect_export.db", &bytes[..bytes.len() / 2])],
    );
    let (found, skips) = nights(zipped.path());
    assert_eq!(found, []);
    assert_eq!(skips[0].0, "AGENT-211");
}

#[test]
fn each_known_table_names_its_app_its_source_and_the_day_it_was_seen() {
    let tables = sources::tables::health_tables();
    assert_eq!(tables.len(), 7);
    for table in tables {
        assert!(
            !table.app.is_empty() && !table.table.is_empty() && !table.source.is_empty(),
            "{table:?}"
        );
        assert!(
            chrono::NaiveDate::parse_from_str(&table.seen, "%Y-%m-%d").is_ok(),
            "{table:?}"
        );
        let header = format!("{}\n", table.header.join(","));
        assert!(sources::tables::is_health_table(header.as_bytes()), "{header}");
    }
}

#[test]
fn a_file_of_commas_alone_is_refused_before_its_elements_are_remembered() {
    let folder = tempfile::tempdir().unwrap();
    // One comma more than is taken, in some 8 MiB.
    let json = folder.path().join("sleep-2026-11-01.json");
    let ones = "1,".repeat(4 * 1024 * 1024);
    fs::write(&json, format!(r#"[{{"dateOfSleep":"2026-11-05"}},{ones}1]"#)).unwrap();
    let (found, skips) = nights(&json);
    let codes: Vec<&str> = skips.iter().map(|(code, _)| code.as_str()).collect();
    assert_eq!((found, codes), (vec![], vec!["AGENT-206"]));
}

#[test]
fn a_line_longer_than_a_header_is_no_header() {
    use super::sources::tables::is_health_table;
    assert!(is_health_table(WHOOP.as_bytes()));
    // The same with columns behind it, in more than 16 KiB.
    let (header, rows) = WHOOP.split_once('\n').unwrap();
    let long = format!("{header}{}\n{rows}", ",x".repeat(10_000));
    assert!(!is_health_table(long.as_bytes()));
}

/// Two stages of a watch and a phone's whole night, and what is not used.
const STAGES: &str = r#"{"data":{"metrics":[{"name":"sleep_analysis","units":"hr","data":[
    {"startDate":"2026-11-04 23:00:00 +0530","endDate":"2026-11-05 02:00:00 +0530","value":"Core","source":"Watch"},
    {"startDate":"2026-11-05 02:30:00 +0530","endDate":"2026-11-05 06:00:00 +0530","value":"Deep","source":"Watch"},
    {"startDate":"2026-11-04 22:00:00 +0530","endDate":"2026-11-05 07:00:00 +0530","value":"Asleep","source":"Phone"}]},
    {"name":"heart_rate","units":"count/min","data":[{"Min":50,"Avg":55,"Max":60,"date":"2026-11-05 00:00:00 +0530"}]},
    {"name":"later","data":[1,2]}]}}"#;

#[test]
fn a_post_and_a_file_of_one_night_are_one_night() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("HealthAutoExport-2026-11-05.json");
    fs::write(&path, STAGES).unwrap();
    // The watch tells stages apart and is believed: 180 and 210 minutes.
    let expected = told(&[("2026-11-05", 390.0)]);
    let (found, skips) = nights(&path);
    assert_eq!(found, expected);
    let named = |item: &str| {
        (
            "AGENT-217".to_owned(),
            format!("HealthAutoExport-2026-11-05.json{item}"),
        )
    };
    assert_eq!(skips, [named(": 1 heart_rate"), named("")]);

    let mut agent = WellnessAgent::new(setup(Vec::new()));
    let key = setup(Vec::new()).key;
    let post = |text: &str| HealthPost::from_auto_export(text.as_bytes(), &key, at("12:00:00")).unwrap();
    assert_eq!(post(STAGES).signals.len(), 3);
    // The first half at three in the morning, then all of it.
    let half = STAGES.replace(
        "02:30:00 +0530\",\"endDate\":\"2026-11-05 06:00:00",
        "02:30:00 +0530\",\"endDate\":\"2026-11-05 03:00:00",
    );
    let minutes = |answer: &IngestResult| {
        let told = answer.seen.iter().filter_map(|seen| {
            let GraphObservation::Body { sleep_min, .. } = seen else {
                panic!("{seen:?}")
            };
            *sleep_min
        });
        told.collect::<Vec<_>>()
    };
    let first = ingest(&mut agent, post(&half).signals, "12:00:00");
    assert_eq!((minutes(&first), first.skipped), (vec![210.0], 0));
    let second = ingest(&mut agent, post(STAGES).signals, "12:05:00");
    assert_eq!(minutes(&second), [390.0]);
    let debt = agent.newest.fresh(model::WellnessFeature::Asleep, at("12:05:00"));
    assert_eq!(debt, Some(390.0));
    // And the file beside it says nothing new.
    agent.setup.sources.wellness.push(path);
    let third = ingest(&mut agent, Vec::new(), "12:10:00");
    assert_eq!((minutes(&third), third.read), (vec![], 0));
}
