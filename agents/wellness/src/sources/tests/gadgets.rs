//! Gadgetbridge's database as it exports it, and as it goes wrong.

use super::{
    super::{super::sleep::SleepLog, account_archive, health::ReadingSink},
    *,
};
use rusqlite::Connection;
use std::{fs, io::Write as _, path::Path};

const GENERIC: &str = "CREATE TABLE GENERIC_HRV_VALUE_SAMPLE (TIMESTAMP INTEGER NOT NULL, DEVICE_ID INTEGER NOT NULL, \
    USER_ID INTEGER NOT NULL, VALUE INTEGER NOT NULL, PRIMARY KEY (TIMESTAMP, DEVICE_ID)) WITHOUT ROWID;";
const HUAMI: &str = "CREATE TABLE HUAMI_EXTENDED_ACTIVITY_SAMPLE (TIMESTAMP INTEGER NOT NULL, DEVICE_ID INTEGER NOT NULL, \
    USER_ID INTEGER NOT NULL, RAW_INTENSITY INTEGER NOT NULL, STEPS INTEGER NOT NULL, RAW_KIND INTEGER NOT NULL, \
    HEART_RATE INTEGER NOT NULL, UNKNOWN1 INTEGER, SLEEP INTEGER, DEEP_SLEEP INTEGER, REM_SLEEP INTEGER, \
    PRIMARY KEY (TIMESTAMP, DEVICE_ID)) WITHOUT ROWID;";

/// A database with these statements run in it.
pub(in super::super::super) fn database(path: &Path, sql: &str) {
    let database = Connection::open(path).unwrap();
    database
        .execute_batch("BEGIN; CREATE TABLE DEVICE (_id INTEGER PRIMARY KEY, NAME TEXT);")
        .unwrap();
    database.execute_batch(sql).unwrap();
    database.execute_batch("COMMIT").unwrap();
}

fn ms(time: &str) -> i64 {
    at(time).ms()
}

/// What a database tells: samples, minutes slept by source, skips.
fn told(sql: &str) -> (Vec<SourceReading>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("Gadget bridge%20.db");
    database(&path, sql);
    told_of(&path)
}

fn told_of(path: &Path) -> (Vec<SourceReading>, Vec<String>) {
    let (mut told, mut report, key) = (Vec::new(), IngestReport::default(), setup(Vec::new()).key);
    let read = exports::read_database(
        path,
        at("09:00:00"),
        &mut ReadingSink {
            key: &key,
            name: "g.db",
            zone: Tz::UTC,
            report: &mut report,
            each: &mut |thing| told.push(thing),
        },
    );
    let mut skips: Vec<String> = report.skips.into_iter().map(|skip| skip.code).collect();
    skips.extend(read.err().map(|code| code.code.to_owned()));
    (told, skips)
}

fn rmssd(value: f64, time: &str) -> SourceReading {
    SourceReading::Sample(FeatureSample::new(WellnessFeature::Rmssd, value, at(time)).unwrap())
}

fn slept(told: Vec<SourceReading>) -> Option<(f64, Timestamp)> {
    let mut sleep = SleepLog::default();
    for thing in told {
        let SourceReading::Asleep(stretch) = thing else {
            panic!("{thing:?}")
        };
        sleep.take(stretch);
    }
    sleep.last(Tz::UTC)
}

#[test]
fn variability_is_read_and_what_a_band_off_the_wrist_writes_is_not() {
    let rows: Vec<String> = [
        ("06:00:00", "41"),
        ("06:05:00", "0"),
        ("06:10:00", "-1"),
        ("06:15:00", "38"),
        ("06:20:00", "'x'"),
        ("06:25:00", "999"),
    ]
    .iter()
    .map(|(time, value)| {
        format!(
            "INSERT INTO GENERIC_HRV_VALUE_SAMPLE VALUES ({}, 1, 1, {value});",
            ms(time)
        )
    })
    .collect();
    assert_eq!(
        told(&format!("{GENERIC}{}", rows.concat())),
        (
            vec![rmssd(41.0, "06:00:00"), rmssd(38.0, "06:15:00")],
            vec!["AGENT-201".to_owned(); 4]
        )
    );
}

#[test]
fn intervals_of_each_device_are_a_series_of_its_own() {
    let table = "CREATE TABLE HEART_RR_INTERVAL_SAMPLE (TIMESTAMP INTEGER, DEVICE_ID INTEGER, USER_ID INTEGER, SEQ INTEGER, RR_MILLIS INTEGER);";
    let row = |i: i64| {
        // One device alternates 1000 and 1010, the other stands still at 700: RMSSD 10, and 0, which is not plausible.
        let (time, rr) = (ms("06:00:00") + i * 1000, 1000 + i % 2 * 10);
        format!(
            "INSERT INTO HEART_RR_INTERVAL_SAMPLE VALUES ({time}, 1, 1, 0, {rr}), ({time}, 2, 1, 0, 700);"
        )
    };
    let rows: Vec<String> = (0..60).map(row).collect();
    let sql = format!("{table}{}", rows.concat());
    assert_eq!(
        told(&sql),
        (vec![rmssd(10.0, "06:00:59")], vec!["AGENT-201".to_owned()])
    );
}

#[test]
fn nights_of_each_kind_of_band_come_to_their_minutes() {
    let minutes = |table: &str, kinds: &[(i64, i64, i64)]| -> String {
        let row = |minute: i64, kind: i64| {
            let rest = if table.starts_with("HUAMI") {
                ", NULL, 0, 0, 0"
            } else {
                ""
            };
            let time = ms("00:00:00") / 1000 + minute * 60;
            format!("INSERT INTO {table} VALUES ({time}, 1, 1, 0, 0, {kind}, 255{rest});")
        };
        kinds
            .iter()
            .flat_map(|(from, until, kind)| (*from..*until).map(move |minute| row(minute, *kind)))
            .collect()
    };
    let mi_band = "CREATE TABLE MI_BAND_ACTIVITY_SAMPLE (TIMESTAMP INTEGER, DEVICE_ID INTEGER, USER_ID INTEGER, RAW_INTENSITY INTEGER, \
        STEPS INTEGER, RAW_KIND INTEGER, HEART_RATE INTEGER);";
    let garmin = "CREATE TABLE GARMIN_SLEEP_STAGE_SAMPLE (TIMESTAMP INTEGER, DEVICE_ID INTEGER, USER_ID INTEGER, STAGE INTEGER); \
        CREATE TABLE GARMIN_EVENT_SAMPLE (TIMESTAMP INTEGER, DEVICE_ID INTEGER, USER_ID INTEGER, EVENT INTEGER, EVENT_TYPE INTEGER, DATA INTEGER);";
    let stage = |time: &str, stage: i64| {
        format!(
            "INSERT INTO GARMIN_SLEEP_STAGE_SAMPLE VALUES ({}, 1, 1, {stage});",
            ms(time)
        )
    };
    let event = |time: &str, kind: i64| {
        format!(
            "INSERT INTO GARMIN_EVENT_SAMPLE VALUES ({}, 1, 1, 74, {kind}, NULL);",
            ms(time)
        )
    };
    let xiaomi = "CREATE TABLE XIAOMI_SLEEP_TIME_SAMPLE (TIMESTAMP INTEGER, DEVICE_ID INTEGER, USER_ID INTEGER, WAKEUP_TIME INTEGER, \
        IS_AWAKE INTEGER, TOTAL_DURATION INTEGER, DEEP_SLEEP_DURATION INTEGER, LIGHT_SLEEP_DURATION INTEGER, REM_SLEEP_DURATION INTEGER, AWAKE_DURATION INTEGER);";
    for (name, sql, expected) in [
        // 60 light, 30 deep, 20 awake (123), 200 light, 90 dreaming; then not worn (115).
        (
            "Huami",
            format!(
                "{HUAMI}{}",
                minutes(
                    "HUAMI_EXTENDED_ACTIVITY_SAMPLE",
                    &[
                        (0, 60, 120),
                        (60, 90, 121),
                        (90, 110, 123),
                        (110, 310, 120),
                        (310, 400, 122),
                        (400, 420, 115)
                    ]
                )
            ),
            Some((380.0, "06:40:00")),
        ),
        // 0x79 is light, 0x7b deep, 0x50 and 0x0a as before, 0x01 active.
        (
            "Mi Band",
            format!(
                "{mi_band}{}",
                minutes(
                    "MI_BAND_ACTIVITY_SAMPLE",
                    &[
                        (0, 100, 0x79),
                        (100, 110, 0x50),
                        (110, 200, 0x7b),
                        (200, 210, 0x0a),
                        (210, 240, 0x01),
                        (240, 300, 0x50)
                    ]
                )
            ),
            Some((210.0, "03:30:00")),
        ),
        // Fell asleep at 00:10; awake from 02:00 to 02:20; 110 + 160.
        (
            "Garmin",
            [
                garmin.to_owned(),
                event("00:10:00", 0),
                stage("02:00:00", 2),
                stage("02:20:00", 1),
                stage("05:00:00", 4),
                event("05:00:00", 1),
            ]
            .concat(),
            Some((270.0, "05:00:00")),
        ),
        // 60 + 200 + 70 before waking at 06:00.
        (
            "Xiaomi",
            format!(
                "{xiaomi}INSERT INTO XIAOMI_SLEEP_TIME_SAMPLE VALUES ({}, 1, 1, {}, 1, 360, 60, 200, 70, 30);",
                ms("00:00:00"),
                ms("06:00:00")
            ),
            Some((330.0, "06:00:00")),
        ),
    ] {
        let (told, skips) = told(&sql);
        assert_eq!(skips, [""; 0], "{name}");
        assert_eq!(
            slept(told),
            expected.map(|(minutes, end)| (minutes, at(end))),
            "{name}"
        );
    }
}

#[test]
fn a_database_that_is_wrong_says_so_and_does_nothing_else() {
    for (name, sql, expected) in [
        ("nothing of Gadgetbridge", "CREATE TABLE NOTES (A TEXT);".to_owned(), "AGENT-211"),
        ("a view in place of the table", "CREATE VIEW GENERIC_HRV_VALUE_SAMPLE AS SELECT 1 AS TIMESTAMP, 1 AS DEVICE_ID, 50 AS VALUE;".to_owned(), "AGENT-211"),
        ("columns that are missing", "CREATE TABLE GENERIC_HRV_VALUE_SAMPLE (TIMESTAMP INTEGER, VALUE INTEGER); INSERT INTO GENERIC_HRV_VALUE_SAMPLE VALUES (1, 2);".to_owned(), "AGENT-211"),
        ("instants that are none", format!("{} INSERT INTO GENERIC_HRV_VALUE_SAMPLE VALUES ({}, 'x', 1, 40);", GENERIC.replace("DEVICE_ID INTEGER", "DEVICE_ID"), ms("06:00:00")), "AGENT-211"),
    ] {
        assert_eq!(told(&sql), (vec![], vec![expected.to_owned()]), "{name}");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g.db");
    for bytes in [
        &b""[..],
        b"SQLite format 3\0 and nothing",
        b"some text that is no database at all",
    ] {
        fs::write(&path, bytes).unwrap();
        assert_eq!(told_of(&path), (vec![], vec!["AGENT-211".to_owned()]));
    }
    assert_eq!(
        told_of(&folder.path().join("none.db")),
        (vec![], vec!["AGENT-001".to_owned()])
    );
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        1,
        "no journal, no lock"
    );
}

#[test]
fn a_database_with_pages_that_are_damaged_is_read_as_far_as_it_goes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g.db");
    let rows: Vec<String> = (0..3000)
        .map(|i| {
            format!(
                "INSERT INTO GENERIC_HRV_VALUE_SAMPLE VALUES ({}, 1, 1, 40);",
                ms("06:00:00") - i * 300_000
            )
        })
        .collect();
    database(&path, &format!("{GENERIC}{}", rows.concat()));
    let whole = fs::read(&path).unwrap();
    assert_eq!(told_of(&path).0.len(), 3000);
    for page in 1..whole.len() / 4096 {
        let mut bytes = whole.clone();
        bytes[page * 4096..page * 4096 + 4096].fill(0xA5);
        fs::write(&path, &bytes).unwrap();
        let (told, skips) = told_of(&path);
        assert!(told.len() <= 3000, "page {page}");
        assert!(
            told.len() == 3000 || skips.contains(&"AGENT-211".to_owned()),
            "page {page}: {skips:?}"
        );
    }
}

#[test]
fn the_archive_that_gadgetbridge_makes_is_read_as_its_database_is() {
    let folder = tempfile::tempdir().unwrap();
    let (plain, zipped) = (folder.path().join("g.db"), folder.path().join("g.zip"));
    let row = format!(
        "INSERT INTO GENERIC_HRV_VALUE_SAMPLE VALUES ({}, 1, 1, 41);",
        ms("06:00:00")
    );
    database(&plain, &format!("{GENERIC}{row}"));
    let mut zip = zip::ZipWriter::new(fs::File::create(&zipped).unwrap());
    for (name, bytes) in [
        ("gadgetbridge.json", b"{}".to_vec()),
        ("preferences/global.json", b"{}".to_vec()),
        ("database/Gadgetbridge", fs::read(&plain).unwrap()),
    ] {
        zip.start_file(name, zip::write::SimpleFileOptions::default())
            .unwrap();
        zip.write_all(&bytes).unwrap();
    }
    zip.finish().unwrap();
    let (mut told, mut report, key) = (Vec::new(), IngestReport::default(), setup(Vec::new()).key);
    let rest = account_archive::read_archive(
        &zipped,
        0,
        at("09:00:00"),
        &mut ReadingSink {
            key: &key,
            name: "g.zip",
            zone: Tz::UTC,
            report: &mut report,
            each: &mut |thing| told.push(thing),
        },
    );
    assert_eq!(rest.ok().map(|rest| (rest.done, rest.left)), Some((1, 0)));
    assert_eq!(told, vec![rmssd(41.0, "06:00:00")]);
    assert_eq!(told_of(&plain), (told, vec![]));
}
