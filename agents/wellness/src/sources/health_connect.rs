//! Health Connect's exported database.
//!
//! What: [`read`], its sleep, RMSSD and rate at rest. Why: it is where the apps of an Android phone put what they measured. Not here: the archive it comes in
//! (`account_archive`), Gadgetbridge's database (`gadgetbridge`).
//!
//! | Table | Read as |
//! |---|---|
//! | `sleep_stages_table` | sleep where the stage is 2 (sleeping), 4 (light), 5 (deep) or 6 (REM), as in Android's `SleepSessionRecord` |
//! | `sleep_session_record_table` | a session without stages, from its begin to its end |
//! | `heart_rate_variability_rmssd_record_table` | RMSSD, ms |
//! | `resting_heart_rate_record_table` | beats a minute at rest |
//!
//! Instants are in milliseconds. The names are facts of Android's own code (`SleepSessionRecordHelper`) and of public readers, seen 2026-11-24.

use super::{
    super::{
        code,
        model::{FeatureSample, WellnessFeature},
        sleep::SleepStretch,
    },
    RestingRate, SourceReading,
    database::{self, BACK_MS, DAY_MS, MAX_ROWS, ROW_BYTES},
    health::ReadingSink,
};
use agents_base::shared::SkipCode;
use rusqlite::Connection;
use toolcall_schema::Timestamp;

const SESSIONS: &str = "sleep_session_record_table";
const STAGES: &str = "sleep_stages_table";
const VARIABILITY: &str = "heart_rate_variability_rmssd_record_table";
const RESTING: &str = "resting_heart_rate_record_table";

/// Reads the tables that are there, up to a day after `at`; false when there is none of them.
///
/// # Errors
/// The code of the skip: it is damaged.
pub(super) fn read(
    database: &Connection,
    at: Timestamp,
    out: &mut ReadingSink<'_>,
) -> Result<bool, SkipCode> {
    let has = |table| database::has_table(database, table).map_err(|_| code::DATABASE);
    let (sessions, stages) = (has(SESSIONS)?, has(STAGES)?);
    let (variability, resting) = (has(VARIABILITY)?, has(RESTING)?);
    let mut sleep = |sql: &str, staged| stretches(database, sql, staged, at, out).map_err(|_| code::DATABASE);
    if sessions && stages {
        sleep(
            "SELECT s.app_info_id, t.stage_start_time, t.stage_end_time FROM sleep_session_record_table s \
             JOIN sleep_stages_table t ON t.parent_key = s.row_id \
             WHERE t.stage_type IN (2, 4, 5, 6) AND s.end_time BETWEEN ?1 AND ?2 ORDER BY s.end_time DESC LIMIT ?3",
            true,
        )?;
        sleep(
            "SELECT app_info_id, start_time, end_time FROM sleep_session_record_table \
             WHERE end_time BETWEEN ?1 AND ?2 AND row_id NOT IN (SELECT parent_key FROM sleep_stages_table) \
             ORDER BY end_time DESC LIMIT ?3",
            false,
        )?;
    } else if sessions {
        sleep(
            "SELECT app_info_id, start_time, end_time FROM sleep_session_record_table \
             WHERE end_time BETWEEN ?1 AND ?2 ORDER BY end_time DESC LIMIT ?3",
            false,
        )?;
    }
    if variability {
        measured(
            database,
            "SELECT time, heart_rate_variability_millis FROM heart_rate_variability_rmssd_record_table \
             WHERE time BETWEEN ?1 AND ?2 ORDER BY time DESC LIMIT ?3",
            at,
            out,
            |ms, at| {
                let sample = FeatureSample::new(WellnessFeature::Rmssd, ms, at).ok_or(code::RANGE)?;
                Ok(SourceReading::Sample(sample))
            },
        )
        .map_err(|_| code::DATABASE)?;
    }
    if resting {
        measured(
            database,
            "SELECT time, beats_per_minute FROM resting_heart_rate_record_table \
             WHERE time BETWEEN ?1 AND ?2 ORDER BY time DESC LIMIT ?3",
            at,
            out,
            |bpm, at| RestingRate::new(bpm, at).map(SourceReading::Resting),
        )
        .map_err(|_| code::DATABASE)?;
    }
    Ok(sessions || variability || resting)
}

/// The newest rows that are looked at: of the days that memory keeps, before the newest of the table.
fn stretches(
    database: &Connection,
    sql: &str,
    staged: bool,
    at: Timestamp,
    out: &mut ReadingSink<'_>,
) -> rusqlite::Result<()> {
    let latest = at.ms() + DAY_MS;
    let newest = "SELECT max(end_time) FROM sleep_session_record_table WHERE end_time <= ?1";
    let Some(newest) = database.query_row(newest, [latest], |row| row.get::<_, Option<i64>>(0))? else {
        return Ok(());
    };
    let mut query = database.prepare(sql)?;
    let mut rows = query.query((newest.saturating_sub(BACK_MS), newest, MAX_ROWS))?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        count += 1;
        out.report.take(ROW_BYTES);
        let app: i64 = row.get::<_, Option<i64>>(0)?.unwrap_or(0);
        let stretch = SleepStretch {
            from: Timestamp::from_ms(row.get(1)?),
            until: Timestamp::from_ms(row.get(2)?),
            source: SleepStretch::source(out.key, format!("Health Connect {app}").as_bytes()),
            staged,
        };
        if stretch.plausible() {
            (out.each)(SourceReading::Asleep(stretch));
        } else {
            out.report.skip(code::RANGE, out.name, None);
        }
    }
    if count == MAX_ROWS {
        out.report.skip(code::ROWS, out.name, None);
    }
    Ok(())
}

/// A value an instant, the newest first.
fn measured(
    database: &Connection,
    sql: &str,
    at: Timestamp,
    out: &mut ReadingSink<'_>,
    reading: impl Fn(f64, Timestamp) -> Result<SourceReading, SkipCode>,
) -> rusqlite::Result<()> {
    let latest = at.ms() + DAY_MS;
    let mut query = database.prepare(sql)?;
    let mut rows = query.query((latest.saturating_sub(BACK_MS), latest, MAX_ROWS))?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        count += 1;
        out.report.take(ROW_BYTES);
        match reading(row.get(1)?, Timestamp::from_ms(row.get(0)?)) {
            Ok(told) => (out.each)(told),
            Err(code) => out.report.skip(code, out.name, None),
        }
    }
    if count == MAX_ROWS {
        out.report.skip(code::ROWS, out.name, None);
    }
    Ok(())
}
