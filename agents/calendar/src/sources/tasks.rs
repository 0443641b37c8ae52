//! Tasks as files have them, whatever wrote them.
//!
//! What: [`ReadTask`], and which files hold tasks alone ([`TaskFile`]). Why: the agenda shows one list, whichever program each is kept in. Not here: the formats
//! (`vtodo`, `todo_txt`, `taskwarrior`, `taskchampion`), which of a repeating task's days is meant (`task_list`).

use super::{
    ics::{ParsedCalendar, RecurrenceId, RepeatedTimes},
    taskchampion, taskwarrior, todo_txt,
    values::{EventDuration, EventTime},
};
use agents_base::shared::{PARSER_GAVE_UP, SkipCode, guarded};
use chrono_tz::Tz;
use std::path::Path;
use toolcall_schema::{
    Timestamp,
    catalogue::{
        calendar::{TaskFormat, TaskPriority},
        shared::DisplayLabel,
    },
};

/// A line or record is no task.
pub(crate) const NOT_A_TASK: SkipCode = SkipCode {
    code: "AGENT-034",
    message: "this is no task that can be read: it has no words, is longer than 64 KiB, or is not as its program writes it",
};
/// A date of a task cannot be read.
pub(crate) const BAD_TASK_DATE: SkipCode = SkipCode {
    code: "AGENT-035",
    message: "a date of this task cannot be read: it is listed without that date",
};
/// More tasks than are kept.
pub(crate) const TOO_MANY_TASKS: SkipCode = SkipCode {
    code: "AGENT-036",
    message: "more than 32768 tasks: those done longest ago are left out, name fewer files",
};
/// A database of tasks cannot be read.
pub(crate) const NO_TASK_DATABASE: SkipCode = SkipCode {
    code: "AGENT-037",
    message: "this is no database of Taskwarrior 3, or it is damaged: let Taskwarrior open it once, then it is read again",
};

/// Tasks kept of all sources.
pub(crate) const MAX_TASKS: usize = 32_768;
/// The longest line or record, in bytes.
pub(super) const MAX_RECORD: usize = 64 * 1024;
/// Categories of one task that are told.
const MAX_CATEGORIES: usize = 3;
/// Characters of a title or list: more is never shown.
const MAX_SHOWN: usize = DisplayLabel::MAX;

/// Whether something is to be done.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TaskState {
    Open,
    /// Done, on a day that is known or not.
    Done(Option<EventTime>),
    /// Cancelled, deleted or hidden: it is kept only so that no older copy of it counts.
    Dropped,
}

/// How a task repeats.
#[derive(Clone, PartialEq)]
pub(crate) struct TaskSeries {
    /// What its rules count from.
    pub(crate) start: EventTime,
    /// From each start to when that occurrence is due.
    pub(crate) due_after: EventDuration,
    pub(crate) times: RepeatedTimes,
}

/// One task. Not `Debug`: it holds text from outside, which stays in this agent's memory.
#[derive(Clone, PartialEq)]
pub(crate) struct ReadTask {
    /// What it is named by, with its occurrence.
    pub(crate) uid: String,
    pub(crate) title: Option<Box<str>>,
    /// The list, project and categories that it is in.
    pub(crate) list: Option<Box<str>>,
    pub(crate) format: TaskFormat,
    pub(crate) priority: Option<TaskPriority>,
    pub(crate) due: Option<EventTime>,
    /// Before it the owner does not want to see it.
    pub(crate) hidden_until: Option<EventTime>,
    pub(crate) state: TaskState,
    /// Whether another one follows; with `series` by its rules, else as its program says.
    pub(crate) repeats: bool,
    pub(crate) series: Option<Box<TaskSeries>>,
    /// Which occurrence of its series it stands for.
    pub(crate) replaces: Option<RecurrenceId>,
    /// Whether one of its times is in a zone that nobody knows.
    pub(crate) uncertain: bool,
    pub(crate) sequence: u32,
    /// When it was last changed: breaks ties between copies.
    pub(crate) stamp: Option<Timestamp>,
}

impl ReadTask {
    /// An open task without a date.
    pub(super) fn new(uid: String, format: TaskFormat) -> Self {
        Self {
            uid,
            title: None,
            list: None,
            format,
            priority: None,
            due: None,
            hidden_until: None,
            state: TaskState::Open,
            repeats: false,
            series: None,
            replaces: None,
            uncertain: false,
            sequence: 0,
            stamp: None,
        }
    }
}

/// A title as it may be shown: nothing where there are no words.
pub(crate) fn short_text(text: &str) -> Option<Box<str>> {
    let text = text.trim();
    let cut: String = text.chars().take(MAX_SHOWN).collect();
    (!cut.is_empty()).then(|| cut.into_boxed_str())
}

/// A list with the first categories, as one text.
pub(super) fn list_of<'a>(
    list: Option<&'a str>,
    categories: impl IntoIterator<Item = &'a str>,
) -> Option<Box<str>> {
    let list = list.map(str::trim).filter(|list| !list.is_empty());
    let categories = categories
        .into_iter()
        .map(str::trim)
        .filter(|category| !category.is_empty() && Some(*category) != list)
        .take(MAX_CATEGORIES);
    let all: Vec<&str> = list.into_iter().chain(categories).collect();
    short_text(&all.join(" · "))
}

/// A file that holds tasks alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskFile {
    /// Lines of todo.txt.
    TodoTxt,
    /// `pending.data` or `completed.data` of Taskwarrior 2.
    Taskwarrior,
    /// What `task export` writes.
    TaskwarriorExport,
    /// The database of Taskwarrior 3.
    Taskchampion,
}

impl TaskFile {
    /// A file that is found in a folder: its name has to say all of it.
    pub(crate) fn in_folder(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        match name.as_str() {
            "todo.txt" | "done.txt" => Some(Self::TodoTxt),
            "pending.data" | "completed.data" => Some(Self::Taskwarrior),
            "taskchampion.sqlite3" => Some(Self::Taskchampion),
            _ => None,
        }
    }

    /// A file that the owner named, by its ending.
    pub(crate) fn by_ending(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "txt" => Some(Self::TodoTxt),
            "data" => Some(Self::Taskwarrior),
            "json" => Some(Self::TaskwarriorExport),
            "sqlite3" | "sqlite" | "db" => Some(Self::Taskchampion),
            _ => None,
        }
    }

    /// Reads it; `item` is its name in its source.
    pub(crate) fn read(self, bytes: Vec<u8>, item: &str, zone: Tz) -> ParsedCalendar {
        let read = guarded(|| match self {
            Self::TodoTxt => todo_txt::read(&bytes, item),
            Self::Taskwarrior => taskwarrior::read_data(&bytes, zone),
            Self::TaskwarriorExport => taskwarrior::read_export(&bytes, zone),
            Self::Taskchampion => taskchampion::read(bytes, zone),
        });
        read.unwrap_or_else(|| {
            let mut out = ParsedCalendar::default();
            out.skip(PARSER_GAVE_UP, 1, 1);
            out
        })
    }
}
