//! Formats that other programs read.
//!
//! What: events as iCalendar, payments as a journal for hledger, every node as CSV, one file a type. Why: where there is a
//! standard, what is the owner's can be used elsewhere without a program of ours. Not here: which field is shown (`rows`,
//! `censor`): all of these are made from the rows of the JSON export, so no field gets past the profile.

use super::{ExportError, ExportSummary, Profile, censor::FieldRedactor, rows, view::ReadTransaction};
use crate::{files, graph::NodeType, reader::StoreReader};
use chrono::{DateTime, Days, NaiveDate, Utc};
use icalendar::{Component as _, Event, EventLike as _, EventStatus};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufWriter, Write},
    path::Path,
};
use toolcall_schema::{
    Timestamp,
    money::{MoneyFlow, SignedAmount},
};

/// Walks all nodes as a profile shows them.
fn nodes(
    reader: &StoreReader,
    profile: Profile,
    progress: &mut dyn FnMut(u64),
    mut each: impl FnMut(NodeType, &Value) -> Result<(), ExportError>,
) -> Result<ExportSummary, ExportError> {
    let table = profile.table();
    let mut censor = FieldRedactor::new(table);
    let mut seen = 0;
    ReadTransaction::open(reader)?.nodes(|line| {
        let node_type = line.data.node_type();
        let row = rows::node(line, true, &mut censor);
        seen += 1;
        progress(seen);
        if !table.rows {
            return Ok(());
        }
        // What was just written is read: it is JSON.
        let row = serde_json::from_str(&row.0).unwrap_or_default();
        each(node_type, &row)
    })?;
    let (rows, removed) = (seen, censor.removed());
    Ok(ExportSummary { rows, removed })
}

fn text<'v>(row: &'v Value, pointer: &str) -> Option<&'v str> {
    row.pointer(pointer).and_then(Value::as_str)
}

/// A moment, or a day, as the profile shows times.
enum DisplayTime {
    Moment(DateTime<Utc>),
    Day(NaiveDate),
}

fn when(row: &Value, pointer: &str) -> Option<DisplayTime> {
    let text = text(row, pointer)?;
    Timestamp::parse(text)
        .map(|at| DisplayTime::Moment(at.utc()))
        .or_else(|_| text.parse().map(DisplayTime::Day))
        .ok()
}

/// The events of the calendar.
///
/// # Errors
/// [`ExportError`]
pub fn ics(
    reader: &StoreReader,
    profile: Profile,
    at: Timestamp,
    out: &mut dyn Write,
    progress: &mut dyn FnMut(u64),
) -> Result<ExportSummary, ExportError> {
    out.write_all(b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Aura//memory//EN\r\nCALSCALE:GREGORIAN\r\n")?;
    let exported = nodes(reader, profile, progress, |node_type, row| {
        if node_type == NodeType::Event {
            out.write_all(event(row, at).as_bytes())?;
        }
        Ok(())
    })?;
    out.write_all(b"END:VCALENDAR\r\n")?;
    out.flush()?;
    Ok(exported)
}

fn event(row: &Value, at: Timestamp) -> String {
    let mut event = Event::new();
    event.uid(&format!("{}@aura", text(row, "/id").unwrap_or_default()));
    event.timestamp(at.utc());
    let focus = row.pointer("/data/focus").and_then(Value::as_bool) == Some(true);
    event.summary(text(row, "/label").unwrap_or(if focus { "Focus" } else { "Event" }));
    match (when(row, "/at"), when(row, "/data/end")) {
        (Some(DisplayTime::Moment(start)), Some(DisplayTime::Moment(end))) => {
            event.starts(start).ends(end);
        }
        (Some(DisplayTime::Day(first)), Some(DisplayTime::Day(last))) => {
            // The end of days is the day after the last.
            let after = last.checked_add_days(Days::new(1)).unwrap_or(last);
            event.starts(first).ends(after);
        }
        (Some(DisplayTime::Moment(start)), _) => drop(event.starts(start)),
        (Some(DisplayTime::Day(day)), _) => drop(event.starts(day)),
        (None, _) => {}
    }
    if row.pointer("/data/cancelled").and_then(Value::as_bool) == Some(true) {
        event.status(EventStatus::Cancelled);
    }
    event.done().to_string()
}

/// The payments, each between an account and what it was for. A payment whose direction is not known is a comment; one whose
/// amount is not shown is left out.
///
/// # Errors
/// [`ExportError`]
pub fn hledger(
    reader: &StoreReader,
    profile: Profile,
    out: &mut dyn Write,
    progress: &mut dyn FnMut(u64),
) -> Result<ExportSummary, ExportError> {
    writeln!(out, "; days are those of UTC")?;
    let exported = nodes(reader, profile, progress, |node_type, row| {
        let shown = (node_type == NodeType::Transaction).then(|| entry(row)).flatten();
        if let Some(entry) = shown {
            out.write_all(entry.as_bytes())?;
        }
        Ok(())
    })?;
    out.flush()?;
    Ok(exported)
}

fn entry(row: &Value) -> Option<String> {
    let day = match when(row, "/at")? {
        DisplayTime::Moment(at) => at.date_naive(),
        DisplayTime::Day(day) => day,
    };
    let amount: SignedAmount = text(row, "/data/amount")?.parse().ok()?;
    let (size, currency) = (amount.size(), text(row, "/data/currency")?);
    let payee = text(row, "/label").or_else(|| text(row, "/data/merchant"));
    let payee = payee.map_or_else(|| "payment".to_owned(), word);
    let category = text(row, "/data/category").unwrap_or("unknown");
    let account = text(row, "/data/account_last4").unwrap_or("unknown");
    let id = text(row, "/id").unwrap_or_default();
    Some(match amount.flow() {
        Some(MoneyFlow::Out) => format!(
            "\n{day} {payee}  ; id:{id}\n    expenses:{category}  {currency} {size}\n    assets:bank:{account}\n"
        ),
        Some(MoneyFlow::In) => format!(
            "\n{day} {payee}  ; id:{id}\n    assets:bank:{account}  {currency} {size}\n    income:{category}\n"
        ),
        // A comment is in no sum.
        None => format!("\n; {day} {payee}  {currency} {size}, direction not known  ; id:{id}\n"),
    })
}

/// A text that cannot end a description or begin a comment.
fn word(text: &str) -> String {
    let plain = |c: char| {
        if c.is_control() || matches!(c, ';' | '|') {
            ' '
        } else {
            c
        }
    };
    let words: String = text.chars().map(plain).collect();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The fields of a type's data, in the order of its columns.
fn columns(node_type: NodeType) -> &'static [&'static str] {
    match node_type {
        NodeType::User | NodeType::App => &[],
        NodeType::Event => &["end", "focus", "cancelled"],
        NodeType::Person => &["merchant"],
        NodeType::Place => &["cell"],
        NodeType::Transaction => &["merchant", "amount", "currency", "account_last4", "category"],
        NodeType::Conversation => &["channel", "day", "messages", "actionable"],
        NodeType::HealthSnapshot => &["score", "state", "rmssd_ms", "resting_bpm", "sleep_min"],
        NodeType::Action => &["kind", "subject", "surface", "outcome"],
        NodeType::Trace => &["tick", "outcome", "reason", "chosen"],
    }
}

/// Every node, one file a type, into a folder that is made.
///
/// # Errors
/// [`ExportError`], also when the folder is there.
pub fn csv(
    reader: &StoreReader,
    profile: Profile,
    dir: &Path,
    progress: &mut dyn FnMut(u64),
) -> Result<ExportSummary, ExportError> {
    if dir.exists() {
        return Err(ExportError::Taken(dir.to_owned()));
    }
    files::private_dir(dir)?;
    let mut open: BTreeMap<NodeType, csv::Writer<BufWriter<File>>> = BTreeMap::new();
    let exported = nodes(reader, profile, progress, |node_type, row| {
        let columns = columns(node_type);
        if let std::collections::btree_map::Entry::Vacant(place) = open.entry(node_type) {
            let file = files::private_file()
                .write(true)
                .open(dir.join(format!("{node_type}.csv")))?;
            let mut writer = csv::Writer::from_writer(BufWriter::new(file));
            let head = ["id", "at", "label"].into_iter().chain(columns.iter().copied());
            writer.write_record(head).map_err(io::Error::from)?;
            place.insert(writer);
        }
        let Some(writer) = open.get_mut(&node_type) else {
            return Ok(());
        };
        let cell = |value: Option<&Value>| match value {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        let first = ["id", "at", "label"].map(|name| cell(row.get(name)));
        let data = columns
            .iter()
            .map(|name| cell(row.get("data").and_then(|data| data.get(name))));
        writer
            .write_record(first.into_iter().chain(data))
            .map_err(io::Error::from)?;
        Ok(())
    })?;
    for writer in open.values_mut() {
        writer.flush()?;
    }
    Ok(exported)
}
