//! Parses a recorded day.
//!
//! What: [`load`], from the texts of the files to typed values. Why: the first mistake is named by file and line. Not here:
//! the types (the parent module).

use super::{
    DayCode, DayError, DayFile, DayHeader, ExpectedTrace, InjectedFault, OwnerAct, ReplyError, ScriptedReply,
};
use crate::{
    gate,
    rejection::{Code, SchemaError},
    signal::AdmittedSignal,
    time::Timestamp,
};
use chrono_tz::Tz;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use toolcall_validators as schemas;

/// The largest `expected.json`: 16 MiB.
const MAX_EXPECTED_BYTES: usize = 16 * 1024 * 1024;

/// The largest line of the other files: a raw call of 128 KiB, escaped.
const MAX_LINE_BYTES: usize = 256 * 1024;

/// The texts of a day's files.
#[derive(Debug, Clone, Copy, Default)]
pub struct DayTexts<'a> {
    /// `day.toml`
    pub day: &'a str,
    /// `signals.jsonl`
    pub signals: &'a str,
    /// `owner.jsonl`; empty when there is none.
    pub owner: &'a str,
    /// `replies.jsonl`; empty when there is none.
    pub replies: &'a str,
    /// `faults.jsonl`; empty when there is none.
    pub faults: &'a str,
    /// `expected.json`, when there is one.
    pub expected: Option<&'a str>,
}

/// A recorded day.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedDay {
    /// The frame of it.
    pub day: DayHeader,
    /// What the outside tells, in time order.
    pub signals: Vec<AdmittedSignal>,
    /// What the owner does, in time order.
    pub owner: Vec<OwnerAct>,
    /// What the model answers, in tick order.
    pub replies: Vec<ScriptedReply>,
    /// What goes wrong, in tick order.
    pub faults: Vec<InjectedFault>,
    /// What must come of it.
    pub expected: Option<Vec<ExpectedTrace>>,
}

/// A line of `replies.jsonl` as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReplyLine {
    tick: u64,
    after_ms: u32,
    text: Option<String>,
    error: Option<ReplyError>,
}

/// Something with the line (or entry) that it stands in, from 1.
type NumberedLine<T> = (usize, T);

/// Reads a day from the texts of its files.
///
/// # Errors
/// The first mistake, with its file and line.
pub fn load(parts: &DayTexts<'_>) -> Result<RecordedDay, DayError> {
    let day = day(parts.day)?;
    let signals = lines(DayFile::Signals, parts.signals, gate::admit_signal)?;
    let owner = lines(DayFile::Owner, parts.owner, |text| {
        let value = gate::read(text, MAX_LINE_BYTES, schemas::OwnerAct::check)?;
        known_zone(&value)?;
        let (at, act) = split_member(value, "at")?;
        Ok(OwnerAct { at, act })
    })?;
    let replies = lines(DayFile::Replies, parts.replies, |text| {
        let line: ReplyLine = gate::typed_as(gate::read(text, MAX_LINE_BYTES, schemas::Reply::check)?)?;
        Ok(ScriptedReply {
            tick: line.tick,
            after_ms: line.after_ms,
            // The schema lets exactly one of the two through.
            answer: line.text.ok_or(line.error.unwrap_or(ReplyError::Unavailable)),
        })
    })?;
    let faults = lines(DayFile::Faults, parts.faults, |text| {
        let (tick, fault) = split_member(gate::read(text, MAX_LINE_BYTES, schemas::Fault::check)?, "tick")?;
        Ok(InjectedFault { tick, fault })
    })?;
    let expected = parts.expected.map(expected).transpose()?;

    ascending(DayFile::Signals, &signals, |a, b| a.signal().at <= b.signal().at)?;
    ascending(DayFile::Owner, &owner, |a, b| a.at <= b.at)?;
    ascending(DayFile::Replies, &replies, |a, b| a.tick <= b.tick)?;
    ascending(DayFile::Faults, &faults, |a, b| a.tick <= b.tick)?;
    if let Some(entries) = &expected {
        ascending(DayFile::Expected, entries, |a, b| a.tick < b.tick)?;
    }
    not_before(
        day.start,
        DayFile::Signals,
        signals.first().map(|(line, it)| (*line, it.signal().at)),
    )?;
    not_before(
        day.start,
        DayFile::Owner,
        owner.first().map(|(line, it)| (*line, it.at)),
    )?;
    Ok(RecordedDay {
        day,
        signals: without_numbers(signals),
        owner: without_numbers(owner),
        replies: without_numbers(replies),
        faults: without_numbers(faults),
        expected: expected.map(without_numbers),
    })
}

fn day(text: &str) -> Result<DayHeader, DayError> {
    let value: Value = toml::from_str(text).map_err(|e| {
        let line = e
            .span()
            .and_then(|span| text.get(..span.start))
            .map(|before| before.lines().count().max(1));
        mistake(
            DayCode::Day001,
            DayFile::Day,
            line.unwrap_or(0),
            "this is not TOML; instants are texts in quotes",
        )
    })?;
    let admitted = gate::checked(value, schemas::Day::check).and_then(|value| {
        known_zone(&value)?;
        gate::typed_as(value)
    });
    admitted.map_err(|error| refused(DayFile::Day, 0, error))
}

/// The schema knows how a zone's name is written, not which there are.
fn known_zone(value: &Value) -> Result<(), SchemaError> {
    let zone = value.get("zone").and_then(Value::as_str);
    if zone.is_none_or(|zone| zone.parse::<Tz>().is_ok()) {
        return Ok(());
    }
    Err(gate::unusable(
        "/zone",
        "no such time zone; use an IANA name like Asia/Kolkata",
    ))
}

fn expected(text: &str) -> Result<Vec<NumberedLine<ExpectedTrace>>, DayError> {
    let entries: Result<Vec<ExpectedTrace>, SchemaError> =
        gate::read(text.as_bytes(), MAX_EXPECTED_BYTES, schemas::Expected::check).and_then(gate::typed_as);
    match entries {
        Ok(entries) => Ok(entries
            .into_iter()
            .enumerate()
            .map(|(i, entry)| (i + 1, entry))
            .collect()),
        Err(error) => Err(refused(DayFile::Expected, 0, error)),
    }
}

/// Every line that is not blank, read by `one`.
fn lines<T>(
    file: DayFile,
    text: &str,
    one: impl Fn(&[u8]) -> Result<T, SchemaError>,
) -> Result<Vec<NumberedLine<T>>, DayError> {
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(i, line)| match one(line.as_bytes()) {
            Ok(value) => Ok((i + 1, value)),
            Err(error) => Err(refused(file, i + 1, error)),
        })
        .collect()
}

/// One member of an object, and the rest of it.
fn split_member<A: DeserializeOwned, B: DeserializeOwned>(
    mut value: Value,
    key: &str,
) -> Result<(A, B), SchemaError> {
    let member = value.as_object_mut().and_then(|object| object.remove(key));
    Ok((
        gate::typed_as(member.unwrap_or_default())?,
        gate::typed_as(value)?,
    ))
}

fn ascending<T>(
    file: DayFile,
    items: &[NumberedLine<T>],
    in_order: impl Fn(&T, &T) -> bool,
) -> Result<(), DayError> {
    let pairs = items.iter().zip(items.iter().skip(1));
    match pairs.into_iter().find(|((_, a), (_, b))| !in_order(a, b)) {
        None => Ok(()),
        Some((_, (line, _))) => Err(mistake(
            DayCode::Day003,
            file,
            *line,
            "out of order; sort the file",
        )),
    }
}

fn not_before(
    start: Timestamp,
    file: DayFile,
    first: Option<NumberedLine<Timestamp>>,
) -> Result<(), DayError> {
    match first.filter(|(_, at)| *at < start) {
        None => Ok(()),
        Some((line, _)) => Err(mistake(
            DayCode::Day004,
            file,
            line,
            "before the day's start; move it, or start in day.toml",
        )),
    }
}

fn without_numbers<T>(numbered: Vec<NumberedLine<T>>) -> Vec<T> {
    numbered.into_iter().map(|(_, value)| value).collect()
}

fn mistake(code: DayCode, file: DayFile, line: usize, message: &str) -> DayError {
    DayError {
        code,
        file,
        line,
        pointer: String::new(),
        message: message.to_owned(),
    }
}

fn refused(file: DayFile, line: usize, error: SchemaError) -> DayError {
    let code = if error.code == Code::Signal001 {
        DayCode::Day001
    } else {
        DayCode::Day002
    };
    let limit = error.limit.map(|limit| format!(" {limit}")).unwrap_or_default();
    DayError {
        code,
        file,
        line,
        pointer: error.pointer,
        message: format!("{} ({}{limit})", error.message, error.keyword),
    }
}
