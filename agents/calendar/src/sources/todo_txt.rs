//! todo.txt: a task a line.
//!
//! What: [`read`], by the rules of the format (<https://github.com/todotxt/todo.txt>): `x` for done with its day, `(A)` for a priority, days of making, `+project`,
//! `@context`, and the keys `due:`, `t:` (not before), `rec:`, `h:1` (hidden) that programs agree on. Why: it is what people write by hand. Not here: writing.

use super::{
    ics::ParsedCalendar,
    tasks::{
        BAD_TASK_DATE, MAX_RECORD, MAX_TASKS, NOT_A_TASK, ReadTask, TOO_MANY_TASKS, TaskState, list_of,
        short_text,
    },
    values::EventTime,
};
use chrono::{Datelike as _, NaiveDate};
use std::collections::BTreeMap;
use toolcall_schema::{
    catalogue::calendar::{TaskFormat, TaskPriority},
    ids::sha256_hex,
};

/// Reads a file; `item` is its name in its source. A line that is no task is counted and left out.
pub(super) fn read(bytes: &[u8], item: &str) -> ParsedCalendar {
    let mut out = ParsedCalendar {
        whole: true,
        ..ParsedCalendar::default()
    };
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut seen: BTreeMap<Box<str>, u32> = BTreeMap::new();
    for (line, bytes) in (1_u64..).zip(bytes.split(|b| *b == b'\n')) {
        let bytes = bytes.trim_ascii();
        if bytes.is_empty() {
            continue;
        }
        if bytes.len() > MAX_RECORD || bytes.contains(&0) {
            out.skip(NOT_A_TASK, line, 1);
            continue;
        }
        if out.tasks.len() >= MAX_TASKS {
            out.skip(TOO_MANY_TASKS, line, 1);
            continue;
        }
        let text = String::from_utf8_lossy(bytes);
        let Some((task, bad_dates)) = task(&text) else {
            out.skip(NOT_A_TASK, line, 1);
            continue;
        };
        out.skip(BAD_TASK_DATE, line, bad_dates);
        // Nothing names a line: equal ones are told apart by their order.
        let before = seen.entry(Box::from(&*text)).or_insert(0);
        let name = format!("{item}\n{text}\n{before}");
        *before += 1;
        out.tasks.push(ReadTask {
            uid: format!("todo.txt-{}", sha256_hex(name.as_bytes())),
            ..task
        });
    }
    out
}

/// One line, and how many of its dates cannot be read; `None` without words.
fn task(line: &str) -> Option<(ReadTask, usize)> {
    let mut task = ReadTask::new(String::new(), TaskFormat::TodoTxt);
    let (is_done, rest) = match line.strip_prefix("x ") {
        Some(rest) => (true, rest.trim_start()),
        None => (false, line),
    };
    let (letter, rest) = priority(rest);
    // The first day of what is done is when; else, and after it, it is when it was made.
    let (first, rest) = leading_date(rest);
    let (_, rest) = if is_done { leading_date(rest) } else { (None, rest) };
    if is_done {
        task.state = TaskState::Done(first.map(EventTime::Day));
    }
    task.priority = letter.map(rank);
    let (mut words, mut groups, mut bad_dates) = (Vec::new(), Vec::new(), 0);
    for word in rest.split_whitespace() {
        if let Some(group) = group(word) {
            groups.push(group);
        }
        let Some((key, value)) = word.split_once(':').filter(|(_, value)| !value.is_empty()) else {
            words.push(word);
            continue;
        };
        match key {
            "due" | "t" => match date(value) {
                Some(day) if key == "due" => task.due = Some(EventTime::Day(day)),
                Some(day) => task.hidden_until = Some(EventTime::Day(day)),
                None => bad_dates += 1,
            },
            "rec" => task.repeats = true,
            "pri" => task.priority = value.chars().next().map(|c| rank(c.to_ascii_uppercase())),
            "h" if value == "1" => task.state = TaskState::Dropped,
            // A time, an address, or a key of one program alone.
            _ => words.push(word),
        }
    }
    // Where the project stands at the end it is no part of the sentence.
    while words.last().is_some_and(|word| group(word).is_some()) && words.len() > 1 {
        words.pop();
    }
    task.title = short_text(&words.join(" "));
    task.list = list_of(None, groups);
    task.title.is_some().then_some((task, bad_dates))
}

/// `(A) ` before the rest.
fn priority(text: &str) -> (Option<char>, &str) {
    let found = || {
        let rest = text.strip_prefix('(')?;
        let letter = rest.chars().next().filter(char::is_ascii_uppercase)?;
        let rest = rest.get(1..)?.strip_prefix(") ")?;
        Some((Some(letter), rest.trim_start()))
    };
    found().unwrap_or((None, text))
}

fn leading_date(text: &str) -> (Option<NaiveDate>, &str) {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    match date(word) {
        Some(day) => (Some(day), rest.trim_start()),
        None => (None, text),
    }
}

/// `2026-11-03`, of 1900 to 2200.
fn date(text: &str) -> Option<NaiveDate> {
    let day = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
    (text.len() == 10 && (1900..=2200).contains(&day.year())).then_some(day)
}

/// The name of a `+project`, or a `@context` as it is written.
fn group(word: &str) -> Option<&str> {
    match word.strip_prefix('+') {
        Some(project) => Some(project).filter(|name| !name.is_empty()),
        None => Some(word).filter(|word| word.starts_with('@') && word.len() > 1),
    }
}

/// A is high, B medium, all others low.
fn rank(letter: char) -> TaskPriority {
    match letter {
        'A' => TaskPriority::High,
        'B' => TaskPriority::Medium,
        _ => TaskPriority::Low,
    }
}
