//! Gadgetbridge's exported database.
//!
//! What: [`read`], the heartbeats and the sleep of one. Why: it is where bands without a cloud put what they measured. Not here: which
//! files are such databases (`exports`).
//!
//! | Table | Read as |
//! |---|---|
//! | `HEART_RR_INTERVAL_SAMPLE` | RR intervals, ms |
//! | `GENERIC_HRV_VALUE_SAMPLE`, `GARMIN_HRV_VALUE_SAMPLE` | RMSSD, ms |
//! | `GARMIN_SLEEP_STAGE_SAMPLE`, `GARMIN_EVENT_SAMPLE` | stages until their instant: 2, 3, 4 are sleep; event 74 begins and ends it |
//! | `XIAOMI_SLEEP_TIME_SAMPLE` | light, deep and dream minutes before waking |
//! | `HUAMI_EXTENDED_ACTIVITY_SAMPLE` | a minute of sleep where the kind is 120, 121 or 122 |
//! | `MI_BAND_ACTIVITY_SAMPLE` | a minute of sleep where the kind's last four bits are 9 or 11; 0 and 10 are as before |
//!
//! Instants are in milliseconds, in the last two tables in seconds. Heart rates (255, -1 and 0 when not worn) are not needed.

use super::{
    super::{code, sleep::SleepStretch},
    SourceReading,
    database::{self, BACK_MS, DAY_MS, MAX_ROWS, ROW_BYTES},
    fit::{self, SleepStages},
    health::ReadingSink,
    rmssd::RmssdWindows,
};
use agents_base::shared::SkipCode;
use rusqlite::Connection;
use std::collections::BTreeMap;
use toolcall_schema::Timestamp;

/// Devices in one table.
const MAX_DEVICES: usize = 64;

/// Reads the tables that are there, each up to the newest row that is not later than a day after `at`; false when there is none of them.
///
/// # Errors
/// The code of the skip: it is damaged.
pub(super) fn read(
    database: &Connection,
    at: Timestamp,
    out: &mut ReadingSink<'_>,
) -> Result<bool, SkipCode> {
    let mut known = false;
    for table in GadgetTable::ALL {
        if !database::has_table(database, table.name()).map_err(|_| code::DATABASE)? {
            continue;
        }
        known = true;
        if rows(database, table, at, out).is_err() {
            out.report.skip(code::DATABASE, out.name, None);
        }
    }
    Ok(known)
}

/// A table that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GadgetTable {
    Intervals,
    Generic,
    Garmin,
    GarminStages,
    Xiaomi,
    Huami,
    MiBand,
}

impl GadgetTable {
    const ALL: [Self; 7] = [
        Self::Intervals,
        Self::Generic,
        Self::Garmin,
        Self::GarminStages,
        Self::Xiaomi,
        Self::Huami,
        Self::MiBand,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Intervals => "HEART_RR_INTERVAL_SAMPLE",
            Self::Generic => "GENERIC_HRV_VALUE_SAMPLE",
            Self::Garmin => "GARMIN_HRV_VALUE_SAMPLE",
            Self::GarminStages => "GARMIN_SLEEP_STAGE_SAMPLE",
            Self::Xiaomi => "XIAOMI_SLEEP_TIME_SAMPLE",
            Self::Huami => "HUAMI_EXTENDED_ACTIVITY_SAMPLE",
            Self::MiBand => "MI_BAND_ACTIVITY_SAMPLE",
        }
    }

    /// A number, and another where there are two; and in what order rows of the same instant are.
    fn columns(self) -> (&'static str, &'static str) {
        match self {
            Self::Intervals => ("RR_MILLIS, 0", ", SEQ"),
            Self::Generic | Self::Garmin => ("VALUE, 0", ""),
            // A stage that ends with the sleep ends before it.
            Self::GarminStages => ("STAGE, 0", ", 3 DESC"),
            Self::Xiaomi => (
                "WAKEUP_TIME, coalesce(DEEP_SLEEP_DURATION, 0) + coalesce(LIGHT_SLEEP_DURATION, 0) + coalesce(REM_SLEEP_DURATION, 0)",
                "",
            ),
            Self::Huami | Self::MiBand => ("RAW_KIND, 0", ""),
        }
    }

    /// Milliseconds of one unit of its instants.
    fn unit(self) -> i64 {
        match self {
            Self::Intervals | Self::Generic | Self::Garmin | Self::GarminStages | Self::Xiaomi => 1,
            Self::Huami | Self::MiBand => 1000,
        }
    }
}

/// Event 74 of Garmin's events among its stages, as stages that do not exist.
const BEGINS: f64 = -1.0;
const ENDS: f64 = -2.0;

/// Reads a table.
fn rows(
    database: &Connection,
    table: GadgetTable,
    at: Timestamp,
    out: &mut ReadingSink<'_>,
) -> rusqlite::Result<()> {
    let unit = table.unit();
    let (columns, order) = table.columns();
    let name = table.name();
    let latest = (at.ms() + DAY_MS) / unit;
    let span = "SELECT max(TIMESTAMP), min(TIMESTAMP), count(*) FROM \
        (SELECT TIMESTAMP FROM {name} WHERE TIMESTAMP <= ?1 ORDER BY TIMESTAMP DESC LIMIT ?2)";
    let (newest, oldest, count): (Option<i64>, Option<i64>, u32) =
        database.query_row(&span.replace("{name}", name), (latest, MAX_ROWS), |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?;
    let Some((newest, oldest)) = newest.zip(oldest) else {
        return Ok(());
    };
    let mut from = newest.saturating_sub(BACK_MS / unit);
    if count == MAX_ROWS && oldest > from {
        out.report.skip(code::ROWS, out.name, None);
        from = oldest;
    }
    let events =
        if table == GadgetTable::GarminStages && database::has_table(database, "GARMIN_EVENT_SAMPLE")? {
            "UNION ALL SELECT TIMESTAMP, DEVICE_ID, -1 - EVENT_TYPE, 0 FROM GARMIN_EVENT_SAMPLE \
         WHERE EVENT = 74 AND EVENT_TYPE IN (0, 1) AND TIMESTAMP BETWEEN ?1 AND ?2"
        } else {
            ""
        };
    // In the order of the tables' keys, so that nothing has to be sorted.
    let sql = format!(
        "SELECT TIMESTAMP, DEVICE_ID, {columns} FROM {name} WHERE TIMESTAMP BETWEEN ?1 AND ?2 {events} ORDER BY TIMESTAMP{order}"
    );
    let mut query = database.prepare(&sql)?;
    let mut rows = query.query([from, newest])?;
    let mut devices = BTreeMap::<i64, DeviceSeries>::new();
    while let Some(row) = rows.next()? {
        out.report.take(ROW_BYTES);
        let id: i64 = row.get(1)?;
        if devices.len() >= MAX_DEVICES && !devices.contains_key(&id) {
            continue;
        }
        let device = devices
            .entry(id)
            .or_insert_with(|| DeviceSeries::new(id, table, out));
        // A column may hold anything; what is no number is no value.
        let number = |column| match row.get_ref(column) {
            Ok(rusqlite::types::ValueRef::Integer(value)) => value as f64,
            Ok(rusqlite::types::ValueRef::Real(value)) => value,
            Ok(_) | Err(_) => f64::NAN,
        };
        let instant = Timestamp::from_ms(row.get::<_, i64>(0)?.saturating_mul(unit));
        device.row(table, instant, (number(2), number(3)), out);
    }
    for device in devices.values_mut() {
        device.finish(out);
    }
    Ok(())
}

/// What is known between two rows of a device.
#[derive(Default)]
struct DeviceSeries {
    source: String,
    windows: RmssdWindows,
    levels: SleepStages,
    was_asleep: bool,
}

impl DeviceSeries {
    fn new(id: i64, table: GadgetTable, out: &ReadingSink<'_>) -> Self {
        let name = [table.name().as_bytes(), &id.to_be_bytes()].concat();
        Self {
            source: SleepStretch::source(out.key, &name),
            ..Self::default()
        }
    }

    fn row(
        &mut self,
        table: GadgetTable,
        at: Timestamp,
        (first, second): (f64, f64),
        out: &mut ReadingSink<'_>,
    ) {
        let kind = KindCode::from_value(first);
        let slept = match table {
            GadgetTable::Intervals => {
                if let Some(window) = self.windows.beat(at, first) {
                    fit::report_window(window, out);
                }
                None
            }
            GadgetTable::Generic | GadgetTable::Garmin => {
                fit::report_window((at, Some(first)), out);
                None
            }
            GadgetTable::GarminStages if kind.is_code(BEGINS) || kind.is_code(ENDS) => {
                self.levels.sleep(at, kind.is_code(BEGINS));
                None
            }
            GadgetTable::GarminStages => self.levels.until(at, kind.among(&[2, 3, 4])),
            GadgetTable::Xiaomi => {
                let woke = kind.0.map(Timestamp::from_ms);
                let minutes = KindCode::from_value(second).0.filter(|minutes| *minutes > 0);
                woke.zip(minutes)
                    .map(|(woke, minutes)| (woke.plus_min(minutes.saturating_neg()), woke))
            }
            GadgetTable::Huami => kind.among(&[120, 121, 122]).then(|| (at, at.plus_min(1))),
            GadgetTable::MiBand => {
                self.was_asleep = match kind.0.map(|kind| kind & 15) {
                    Some(0 | 10) => self.was_asleep,
                    Some(9 | 11) => true,
                    Some(_) | None => false,
                };
                self.was_asleep.then(|| (at, at.plus_min(1)))
            }
        };
        if let Some((from, until)) = slept {
            let stretch = SleepStretch {
                from,
                until,
                source: self.source.clone(),
                staged: matches!(table, GadgetTable::GarminStages | GadgetTable::Huami),
            };
            if stretch.plausible() {
                (out.each)(SourceReading::Asleep(stretch));
            } else {
                out.report.skip(code::RANGE, out.name, None);
            }
        }
    }

    fn finish(&mut self, out: &mut ReadingSink<'_>) {
        if let Some(window) = self.windows.close() {
            fit::report_window(window, out);
        }
    }
}

/// A whole number of a column.
#[derive(Clone, Copy)]
struct KindCode(Option<i64>);

impl KindCode {
    fn from_value(value: f64) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "saturates; nothing that large is a known kind"
        )]
        Self(value.is_finite().then_some(value as i64))
    }

    #[expect(clippy::cast_possible_truncation, reason = "of two constants")]
    fn is_code(self, value: f64) -> bool {
        self.0 == Some(value as i64)
    }

    fn among(self, kinds: &[i64]) -> bool {
        self.0.is_some_and(|kind| kinds.contains(&kind))
    }
}
