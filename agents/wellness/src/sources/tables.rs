//! Tables as the apps of bands and rings export them.
//!
//! What: [`LocatedTable`], a file whose header is one of `health_tables.json`, and its rows as readings. Why: these apps write no column `at`,
//! and each writes instants and lengths in its own units. The names of columns are facts taken from public importers; each entry names its
//! source and the day on which it was seen. Not here: tables with a column `at` (`csv`), JSON (`accounts`).

use super::{
    super::{
        code,
        model::{FeatureSample, WellnessFeature},
        sleep::SleepStretch,
    },
    SourceReading, counted_sleep,
    times::offset_of,
};
use agents_base::{shared::SkipCode, zone};
use chrono::NaiveDateTime;
use chrono_tz::Tz;
use csv::StringRecord;
use serde::Deserialize;
use std::sync::LazyLock;
use toolcall_schema::{Timestamp, ids::SecretKey};

/// Lines in which the header must come: an export of several parts has one before each.
const HEADER_LINES: usize = 4096;
/// A longer line is no header.
const HEADER_BYTES: usize = 16 * 1024;
/// What may stand between two fields.
const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];

/// A table that an app exports.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HealthTable {
    pub app: String,
    /// The file or the part of it.
    pub table: String,
    /// The public importer that names these columns.
    pub source: String,
    /// When that was seen.
    pub seen: String,
    /// Columns that tell it from others.
    pub header: Vec<String>,
    reads: TableReading,
    /// How its local times are written, in the notation of `strftime`; RFC 3339 is read everywhere.
    times: Vec<String>,
    /// Columns of body data that are not read, of which the owner is told.
    pub unread: Vec<String>,
}

/// What its rows are.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum TableReading {
    /// A sleep that the app adds up.
    Sleep {
        until: String,
        asleep: String,
        unit: SleepUnit,
        /// The column of the offset of its local times.
        zone: Option<String>,
        /// A column that is there when the app tells stages apart.
        stages: String,
    },
    /// An RMSSD of some minutes, in milliseconds.
    Rmssd { at: String, value: String },
    /// Known, and nothing that is read.
    Nothing,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SleepUnit {
    Minutes,
    Seconds,
}

static TABLES: LazyLock<Vec<HealthTable>> =
    LazyLock::new(|| serde_json::from_str(include_str!("health_tables.json")).unwrap_or_default());

/// All of them, for a page that lists which exports are read.
pub(crate) fn health_tables() -> &'static [HealthTable] {
    &TABLES
}

/// Whether a file is such a table, by its first bytes.
pub fn is_health_table(head: &[u8]) -> bool {
    LocatedTable::find(head).is_some()
}

/// A table in a file.
#[derive(Debug)]
pub(super) struct LocatedTable<'a> {
    pub(super) table: &'static HealthTable,
    pub(super) delimiter: u8,
    /// The rows below the header.
    pub(super) rows: &'a [u8],
    /// The line of the first of them, from 1.
    pub(super) line: u64,
    header: Vec<String>,
}

fn same_name(column: &str, name: &str) -> bool {
    column.eq_ignore_ascii_case(name)
}

/// The names in a line.
fn names(line: &str, delimiter: u8) -> Vec<String> {
    line.split(char::from(delimiter))
        .map(|name| name.trim().trim_matches('"').trim().to_owned())
        .collect()
}

impl<'a> LocatedTable<'a> {
    /// The first known header of a file, with the rows that belong to it.
    pub(super) fn find(bytes: &'a [u8]) -> Option<Self> {
        let mut from = 0;
        for line in 0..HEADER_LINES {
            let rest = bytes.get(from..).filter(|rest| !rest.is_empty())?;
            let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
            let (text, below) = rest.split_at_checked(end)?;
            let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
            let text = Some(text).filter(|text| text.len() <= HEADER_BYTES);
            let text = text.and_then(|text| std::str::from_utf8(text).ok());
            if let Some((table, delimiter, header)) = text.and_then(known_header) {
                // Of an export of several parts an empty line ends each.
                let rows = if line == 0 { below } else { until_empty_line(below) };
                return Some(Self {
                    table,
                    delimiter,
                    rows,
                    line: line as u64 + 2,
                    header,
                });
            }
            from += end;
        }
        None
    }

    /// How many columns its header has.
    pub(super) fn columns(&self) -> usize {
        self.header.len()
    }

    /// Columns with body data of this file that are not read.
    pub(super) fn unread(&self) -> impl Iterator<Item = &'static str> {
        let named = |name: &&'static String| self.header.iter().any(|column| same_name(column, name));
        let table = self.table;
        let found: Vec<&'static str> = table.unread.iter().filter(named).map(String::as_str).collect();
        found.into_iter()
    }

    fn cell<'r>(&self, row: &'r StringRecord, name: &str) -> Option<&'r str> {
        let place = self.header.iter().position(|column| same_name(column, name))?;
        // Apps write a stroke, or `null`, for what was not measured.
        row.get(place)
            .map(str::trim)
            .filter(|cell| !["", "-", "null", "None", "NaN", "nan"].contains(cell))
    }

    /// What a row says, and when; nothing where its cells are empty.
    ///
    /// # Errors
    /// The code of the skip.
    pub(super) fn reading(
        &self,
        row: &StringRecord,
        zone: Tz,
        key: &SecretKey,
    ) -> Result<Option<SourceReading>, SkipCode> {
        match &self.table.reads {
            TableReading::Nothing => Ok(None),
            TableReading::Rmssd { at, value } => {
                let (Some(at), Some(value)) = (self.cell(row, at), self.cell(row, value)) else {
                    return Ok(None);
                };
                let at = self.instant(at, None, zone).ok_or(code::ROW)?;
                let value = number(value).ok_or(code::ROW)?;
                let sample = FeatureSample::new(WellnessFeature::Rmssd, value, at).ok_or(code::RANGE)?;
                Ok(Some(SourceReading::Sample(sample)))
            }
            TableReading::Sleep {
                until,
                asleep,
                unit,
                zone: offset,
                stages,
            } => {
                let (Some(until), Some(asleep)) = (self.cell(row, until), self.cell(row, asleep)) else {
                    return Ok(None);
                };
                let offset = offset.as_ref().and_then(|name| self.cell(row, name));
                let until = self.instant(until, offset, zone).ok_or(code::ROW)?;
                let asleep = number(asleep).ok_or(code::ROW)?;
                let minutes = match unit {
                    SleepUnit::Minutes => asleep,
                    SleepUnit::Seconds => asleep / 60.0,
                };
                let stretch = SleepStretch {
                    staged: self.cell(row, stages).is_some(),
                    ..counted_sleep(key, self.table.app.as_bytes(), until, minutes)?
                };
                Ok(Some(SourceReading::Asleep(stretch)))
            }
        }
    }

    /// An instant; of a local time by its offset, or else in the owner's zone.
    fn instant(&self, text: &str, offset: Option<&str>, zone: Tz) -> Option<Timestamp> {
        if let Ok(at) = Timestamp::parse(text) {
            return Some(at);
        }
        let read = |format: &String| NaiveDateTime::parse_from_str(text, format).ok();
        let local = self.table.times.iter().find_map(read)?;
        Some(match offset {
            Some(offset) => Timestamp::from(local.and_utc()).plus_ms(-offset_of(offset)?),
            None => Timestamp::from(zone::resolve(local, zone)),
        })
    }
}

/// The table whose header a line is.
fn known_header(line: &str) -> Option<(&'static HealthTable, u8, Vec<String>)> {
    DELIMITERS.into_iter().find_map(|delimiter| {
        let header = names(line, delimiter);
        let has_all = |table: &&HealthTable| {
            let mut columns = table.header.iter();
            columns.all(|name| header.iter().any(|column| same_name(column, name)))
        };
        let table = health_tables().iter().find(has_all)?;
        Some((table, delimiter, header))
    })
}

fn until_empty_line(rows: &[u8]) -> &[u8] {
    let ends = [&b"\n\n"[..], b"\n\r\n"];
    let end = ends
        .iter()
        .filter_map(|end| memchr::memmem::find(rows, end))
        .min()
        .map_or(rows.len(), |end| end + 1);
    rows.get(..end).unwrap_or(rows)
}

/// A number, with a comma between its thousands or before its decimals.
fn number(text: &str) -> Option<f64> {
    let plain = match text.rsplit_once(',') {
        Some((_, after)) if after.len() == 3 || text.contains('.') => text.replace(',', ""),
        Some(_) => text.replace(',', "."),
        None => text.to_owned(),
    };
    plain.parse().ok().filter(|value: &f64| value.is_finite())
}
