//! The JSON of account exports.
//!
//! What: [`AccountFile`], which of them a file is by its first bytes, and [`read_account`], its sleep. Why: Fitbit (in Google Takeout), Garmin and
//! Polar hand out what they hold of a person as JSON, and each writes instants and lengths its own way. Not here: archives of them
//! (`account_archive`), their tables (`tables`), what Health Auto Export says (`auto_export`).
//!
//! | File | Read of each element |
//! |---|---|
//! | Fitbit `sleep-*.json` | `endTime` (local), `minutesAsleep`; stages where `type` is `stages` |
//! | Garmin `*_sleepData.json` | `sleepEndTimestampGMT`; seconds of deep, light and REM sleep |
//! | Polar `sleep_result_*.json` | `sleepResult.hypnogram.sleepEnd` with its offset, `evaluation.asleepDuration` |
//!
//! The names are facts from the packages `fitout` 0.3.1 and `fitbit-to-sqlite` 0.6, and from public readers of Garmin's and Polar's files,
//! seen 2026-11-24.

use super::{
    super::{code, sleep::SleepStretch},
    SourceReading, auto_export, counted_sleep,
    health::ReadingSink,
    times,
};
use agents_base::{shared::SkipCode, zone};
use chrono::NaiveDateTime;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::path::Path;
use toolcall_schema::Timestamp;

/// So much of a file says which it is.
pub(super) const HEAD_BYTES: u64 = 4096;
/// Commas in a file: where there are more, fewer than 16 bytes of 64 MiB stand between two.
const MAX_COMMAS: usize = 4 * 1024 * 1024;

/// Folders of accounts: most files in them hold nothing that is read.
const FOLDERS: [&str; 4] = ["Takeout", "Fitbit", "Global Export Data", "DI_CONNECT"];

/// A file of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AccountFile {
    FitbitSleep,
    GarminSleep,
    PolarSleep,
    HealthAutoExport,
}

impl AccountFile {
    /// Which it is; `None`: nothing in it is read.
    pub(super) fn from_head(head: &[u8]) -> Option<Self> {
        let begins = |mark: &[u8]| head.trim_ascii_start().starts_with(mark);
        let names = |name: &str| memchr::memmem::find(head, name.as_bytes()).is_some();
        if begins(b"{") {
            let is_auto = names("\"data\"") && (names("\"metrics\"") || names("\"workouts\""));
            return is_auto.then_some(Self::HealthAutoExport);
        }
        if !begins(b"[") {
            return None;
        }
        if names("\"dateOfSleep\"") {
            Some(Self::FitbitSleep)
        } else if names("\"sleepStartTimestampGMT\"") || names("\"sleepEndTimestampGMT\"") {
            Some(Self::GarminSleep)
        } else if names("\"sleepResult\"") || names("\"asleepDuration\"") {
            Some(Self::PolarSleep)
        } else {
            None
        }
    }
}

/// Whether JSON is a health export that is read, by its first bytes.
pub fn is_health_json(head: &[u8]) -> bool {
    AccountFile::from_head(head).is_some()
}

/// Whether a path lies among the files of an account.
pub(super) fn is_in_account(path: &Path) -> bool {
    path.components()
        .any(|part| FOLDERS.iter().any(|folder| part.as_os_str() == *folder))
}

/// Reads the sleep in a file.
///
/// # Errors
/// The code of the skip: it is not whole.
pub(super) fn read_account(
    bytes: &[u8],
    format: AccountFile,
    out: &mut ReadingSink<'_>,
) -> Result<(), SkipCode> {
    if format == AccountFile::HealthAutoExport {
        auto_export::parse(bytes, out.key)?.tell(out);
        return Ok(());
    }
    // Each element is remembered: a file of commas alone would fill the process's memory.
    if memchr::memchr_iter(b',', bytes).count() > MAX_COMMAS {
        return Err(code::BROKEN);
    }
    let elements: Vec<&RawValue> = serde_json::from_slice(bytes).map_err(|error| broken(&error))?;
    for element in elements {
        let read = match format {
            AccountFile::FitbitSleep => fitbit(element, out),
            AccountFile::GarminSleep => garmin(element, out),
            AccountFile::PolarSleep => polar(element, out),
            AccountFile::HealthAutoExport => Ok(None),
        };
        tell(read, out);
    }
    Ok(())
}

/// A file that ends too early, or one that is broken.
fn broken(error: &serde_json::Error) -> SkipCode {
    if error.is_eof() { code::CUT } else { code::BROKEN }
}

fn tell(read: Result<Option<SleepStretch>, SkipCode>, out: &mut ReadingSink<'_>) {
    match read {
        Ok(Some(stretch)) => (out.each)(SourceReading::Asleep(stretch)),
        Ok(None) => {}
        Err(code) => out.report.skip(code, out.name, None),
    }
}

/// An element as its fields; broken ones are skipped, the others kept.
fn fields<'a, T: Deserialize<'a>>(element: &'a RawValue) -> Result<T, SkipCode> {
    serde_json::from_str(element.get()).map_err(|_| code::BROKEN)
}

/// A local time without an offset, as `2026-11-03T06:55:30.000`.
fn naive(text: &str) -> Option<NaiveDateTime> {
    NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f").ok()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FitbitSleepLog {
    end_time: String,
    minutes_asleep: f64,
    #[serde(default, rename = "type")]
    kind: Option<String>,
}

fn fitbit(element: &RawValue, out: &ReadingSink<'_>) -> Result<Option<SleepStretch>, SkipCode> {
    let log: FitbitSleepLog = fields(element)?;
    let until = naive(&log.end_time).ok_or(code::BROKEN)?;
    let until = Timestamp::from(zone::resolve(until, out.zone));
    // The same app as its tables, so that two exports of one account are one source.
    let stretch = counted_sleep(out.key, b"Fitbit", until, log.minutes_asleep)?;
    Ok(Some(SleepStretch {
        staged: log.kind.as_deref() == Some("stages"),
        ..stretch
    }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GarminSleep {
    #[serde(rename = "sleepEndTimestampGMT")]
    end: Option<String>,
    deep_sleep_seconds: Option<f64>,
    light_sleep_seconds: Option<f64>,
    rem_sleep_seconds: Option<f64>,
}

/// A day on which the watch was not worn has no lengths.
fn garmin(element: &RawValue, out: &ReadingSink<'_>) -> Result<Option<SleepStretch>, SkipCode> {
    let sleep: GarminSleep = fields(element)?;
    let lengths = [
        sleep.deep_sleep_seconds,
        sleep.light_sleep_seconds,
        sleep.rem_sleep_seconds,
    ];
    let seconds: f64 = lengths.iter().flatten().sum();
    let Some(end) = sleep.end.filter(|_| seconds > 0.0) else {
        return Ok(None);
    };
    let until = Timestamp::from(naive(&end).ok_or(code::BROKEN)?.and_utc());
    let stretch = counted_sleep(out.key, b"Garmin", until, seconds / 60.0)?;
    Ok(Some(SleepStretch {
        staged: true,
        ..stretch
    }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PolarNight {
    sleep_result: PolarResult,
    evaluation: PolarEvaluation,
}

#[derive(Deserialize)]
struct PolarResult {
    hypnogram: PolarHypnogram,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PolarHypnogram {
    sleep_end: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PolarEvaluation {
    asleep_duration: String,
    #[serde(default)]
    phase_durations: Option<serde::de::IgnoredAny>,
}

fn polar(element: &RawValue, out: &ReadingSink<'_>) -> Result<Option<SleepStretch>, SkipCode> {
    let night: PolarNight = fields(element)?;
    let until = Timestamp::parse(&night.sleep_result.hypnogram.sleep_end).map_err(|_| code::BROKEN)?;
    let minutes = times::duration_min(&night.evaluation.asleep_duration).ok_or(code::BROKEN)?;
    let stretch = counted_sleep(out.key, b"Polar", until, minutes)?;
    Ok(Some(SleepStretch {
        staged: night.evaluation.phase_durations.is_some(),
        ..stretch
    }))
}
