//! Taskwarrior: its own files up to version 2, and what `task export` writes.
//!
//! What: [`read_data`] for `pending.data` and `completed.data`, [`read_export`] for JSON, both over [`from_fields`], which the database of version 3 uses too
//! (`taskchampion`). Why: one task has the same fields in all three. Not here: urgency, which is the program's own figure.

use super::{
    ics::ParsedCalendar,
    tasks::{
        BAD_TASK_DATE, MAX_RECORD, MAX_TASKS, NOT_A_TASK, ReadTask, TOO_MANY_TASKS, TaskState, list_of,
        short_text,
    },
    values::EventTime,
    zones::EventZone,
};
use chrono::{DateTime, Datelike as _, NaiveDateTime, Timelike as _, Utc};
use chrono_tz::Tz;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use toolcall_schema::{
    Timestamp,
    catalogue::calendar::{TaskFormat, TaskPriority},
};

/// Attributes of one task.
const MAX_FIELDS: usize = 512;

/// Attributes by their names, as text.
pub(super) type TaskFields = BTreeMap<String, String>;

/// Reads `pending.data` or `completed.data`: a task a line, `[name:"value" …]`.
pub(super) fn read_data(bytes: &[u8], zone: Tz) -> ParsedCalendar {
    let mut out = ParsedCalendar {
        whole: true,
        ..ParsedCalendar::default()
    };
    for (line, bytes) in (1_u64..).zip(bytes.split(|b| *b == b'\n')) {
        let bytes = bytes.trim_ascii();
        if bytes.is_empty() {
            continue;
        }
        // A file that is being written ends within a line.
        out.whole = bytes.ends_with(b"]");
        let text = (bytes.len() <= MAX_RECORD).then(|| String::from_utf8_lossy(bytes));
        match text.as_deref().and_then(fields_of_line) {
            Some(fields) => add(&mut out, line, &fields, zone),
            None => out.skip(NOT_A_TASK, line, 1),
        }
    }
    out
}

/// Reads an export: a list of objects, or as older versions wrote it an object a line.
pub(super) fn read_export(bytes: &[u8], zone: Tz) -> ParsedCalendar {
    let mut out = ParsedCalendar {
        whole: true,
        ..ParsedCalendar::default()
    };
    if let Ok(tasks) = serde_json::from_slice::<Vec<Value>>(bytes) {
        for (place, task) in (1_u64..).zip(&tasks) {
            add_object(&mut out, place, task, zone);
        }
        return out;
    }
    for (line, bytes) in (1_u64..).zip(bytes.split(|b| *b == b'\n')) {
        let text = bytes.trim_ascii();
        let text = text.strip_suffix(b",").unwrap_or(text);
        if matches!(text, b"" | b"[" | b"]") {
            continue;
        }
        match serde_json::from_slice::<Value>(text) {
            Ok(task) if text.len() <= MAX_RECORD => add_object(&mut out, line, &task, zone),
            Ok(_) | Err(_) => {
                out.whole = false;
                out.skip(NOT_A_TASK, line, 1);
            }
        }
    }
    out
}

fn add_object(out: &mut ParsedCalendar, line: u64, task: &Value, zone: Tz) {
    match task.as_object() {
        Some(task) => add(out, line, &fields_of_object(task), zone),
        None => out.skip(NOT_A_TASK, line, 1),
    }
}

/// The attributes of an object; of a list each entry is a tag of its own.
pub(super) fn fields_of_object(task: &Map<String, Value>) -> TaskFields {
    let mut fields = TaskFields::new();
    for (name, value) in task.iter().take(MAX_FIELDS) {
        match value {
            Value::String(text) => {
                fields.insert(name.clone(), text.clone());
            }
            Value::Array(tags) if name == "tags" => {
                let tags: Vec<&str> = tags.iter().filter_map(Value::as_str).collect();
                fields.insert(name.clone(), tags.join(","));
            }
            Value::Number(number) => {
                fields.insert(name.clone(), number.to_string());
            }
            Value::Array(_) | Value::Object(_) | Value::Bool(_) | Value::Null => {}
        }
    }
    fields
}

/// Takes a task in. What is no task of its own, a template, is neither read nor counted.
pub(super) fn add(out: &mut ParsedCalendar, line: u64, fields: &TaskFields, zone: Tz) {
    if fields.get("status").map(String::as_str) == Some("recurring") {
        return;
    }
    if out.tasks.len() >= MAX_TASKS {
        return out.skip(TOO_MANY_TASKS, line, 1);
    }
    match from_fields(fields, zone) {
        Some((task, bad_dates)) => {
            out.skip(BAD_TASK_DATE, line, bad_dates);
            out.tasks.push(task);
        }
        None => out.skip(NOT_A_TASK, line, 1),
    }
}

/// A task, and how many of its dates cannot be read; `None` when it has no words or no name.
fn from_fields(fields: &TaskFields, zone: Tz) -> Option<(ReadTask, usize)> {
    let field = |name: &str| {
        fields
            .get(name)
            .map(String::as_str)
            .filter(|text| !text.is_empty())
    };
    let uuid = field("uuid").filter(|uuid| uuid.len() <= 64)?;
    let mut task = ReadTask::new(format!("taskwarrior-{uuid}"), TaskFormat::Taskwarrior);
    task.title = short_text(field("description")?);
    task.title.as_ref()?;
    let mut bad_dates = 0;
    let mut time = |name: &str| {
        let text = field(name)?;
        let time = instant(text);
        bad_dates += usize::from(time.is_none());
        time
    };
    task.due = time("due").map(|at| day_or_time(at, zone));
    task.hidden_until = time("wait").map(|at| EventTime::Time(at.naive_utc(), EventZone::Known(Tz::UTC)));
    task.stamp = time("modified").map(Timestamp::from);
    let end = time("end").map(|at| EventTime::Time(at.naive_utc(), EventZone::Known(Tz::UTC)));
    task.state = match field("status")? {
        "completed" => TaskState::Done(end),
        "deleted" => TaskState::Dropped,
        _ => TaskState::Open,
    };
    task.priority = match field("priority") {
        Some("H") => Some(TaskPriority::High),
        Some("M") => Some(TaskPriority::Medium),
        Some("L") => Some(TaskPriority::Low),
        Some(_) | None => None,
    };
    task.repeats = field("recur").is_some();
    // Version 3 keeps each tag under a name of its own.
    let of_names = fields.keys().filter_map(|name| name.strip_prefix("tag_"));
    let tags: Vec<&str> = match field("tags") {
        Some(tags) => tags.split(',').collect(),
        None => of_names.collect(),
    };
    task.list = list_of(field("project"), tags);
    Some((task, bad_dates))
}

/// Seconds since 1970, or `20261103T090000Z`, of 1900 to 2200.
fn instant(text: &str) -> Option<DateTime<Utc>> {
    let at = match text.parse::<i64>() {
        Ok(seconds) => DateTime::from_timestamp(seconds, 0)?,
        Err(_) => NaiveDateTime::parse_from_str(text, "%Y%m%dT%H%M%SZ")
            .ok()?
            .and_utc(),
    };
    (1900..=2200).contains(&at.year()).then_some(at)
}

/// When it is due. Taskwarrior has times alone: who says a day gets its first or its last second.
fn day_or_time(at: DateTime<Utc>, zone: Tz) -> EventTime {
    let local = at.with_timezone(&zone).naive_local();
    if matches!(
        (local.hour(), local.minute(), local.second()),
        (0, 0, 0) | (23, 59, 59)
    ) {
        return EventTime::Day(local.date());
    }
    EventTime::Time(at.naive_utc(), EventZone::Known(Tz::UTC))
}

/// The attributes of `[name:"value" name:"value"]`.
fn fields_of_line(line: &str) -> Option<TaskFields> {
    let mut rest = line.strip_prefix('[')?.strip_suffix(']')?.trim_start();
    let mut fields = TaskFields::new();
    while !rest.is_empty() {
        let (name, value) = rest.split_once(":\"")?;
        let end = closing_quote(value)?;
        let (text, after) = value.split_at_checked(end)?;
        if fields.len() >= MAX_FIELDS {
            return None;
        }
        fields.insert(name.trim().to_owned(), decoded(text));
        rest = after.get(1..)?.trim_start();
    }
    Some(fields)
}

/// Where the quote stands that no backslash is before.
fn closing_quote(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let is_end = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end.then_some(at)
    })
}

/// A value as it was written down: JSON's escapes, and names for what would end a line's parts.
fn decoded(text: &str) -> String {
    let plain = serde_json::from_str::<String>(&format!("\"{text}\"")).unwrap_or_else(|_| text.to_owned());
    let mut out = plain;
    for (name, means) in [
        ("&open;", "["),
        ("&close;", "]"),
        ("&dquot;", "\""),
        ("&tab;", " "),
    ] {
        if out.contains(name) {
            out = out.replace(name, means);
        }
    }
    out
}
