//! What was read of calendars: the events and tasks of each file, and the events that were posted.
//!
//! What: [`EventIndex`]. Why: which copy of an event counts is decided over all sources, and a file that is being written must
//! not take away what was known of it. Not here: formats (`sources`), expanding series (`series`).

use super::{
    model::BusyTime,
    series::EventCopy,
    sources::{
        ics::{self, CalendarEvent, IcsContext, OverrideTarget},
        lines,
        tasks::{MAX_TASKS, ReadTask, TOO_MANY_TASKS, TaskFile, TaskState, short_text},
        values::EventTime,
    },
};
use agents_base::shared::{
    ChangeTracker, IngestReport, SkipCode, SourceFile, files_where, has_extension, read_whole,
};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
};
use toolcall_schema::{Timestamp, catalogue::calendar::TaskFormat};

/// More events than are kept.
pub(crate) const TOO_MANY_EVENTS: SkipCode = SkipCode {
    code: "AGENT-016",
    message: "more than 131072 events, or more than 1024 in four days: those furthest from today are left out, name fewer calendars",
};
/// A file that was read before is not whole any more.
pub(crate) const HALF_WRITTEN: SkipCode = SkipCode {
    code: "AGENT-032",
    message: "this file is cut off or unreadable now: what was read of it before is kept until it changes again",
};

/// Events kept of all sources, and busy times too.
pub(crate) const MAX_EVENTS: usize = 131_072;

/// Bytes of a folder's `displayname` that are read.
const DISPLAY_NAME: u64 = 512;

/// Which VEVENT: the series and what it replaces.
type EventKey = (String, Option<OverrideTarget>);

/// What one file holds.
#[derive(Default)]
struct FileContents {
    events: Vec<CalendarEvent>,
    busy: Vec<BusyTime>,
    tasks: Vec<ReadTask>,
    /// Whether the file was a calendar to its end.
    whole: bool,
}

/// What each file holds, and how much that is in all: of ten thousand files it is not counted anew for each.
#[derive(Default)]
struct FiledCalendars {
    files: BTreeMap<PathBuf, FileContents>,
    /// Events and busy times.
    entries: usize,
    tasks: usize,
}

impl FiledCalendars {
    fn get(&self, path: &Path) -> Option<&FileContents> {
        self.files.get(path)
    }

    fn values(&self) -> impl Iterator<Item = &FileContents> {
        self.files.values()
    }

    /// Files what is in a file, which is not filed yet.
    fn add(&mut self, path: &Path, contents: FileContents) {
        self.entries += contents.events.len() + contents.busy.len();
        self.tasks += contents.tasks.len();
        self.files.insert(path.to_owned(), contents);
    }

    /// Whether the file was there.
    fn remove(&mut self, path: &Path) -> bool {
        let Some(gone) = self.files.remove(path) else {
            return false;
        };
        self.entries -= gone.events.len() + gone.busy.len();
        self.tasks -= gone.tasks.len();
        true
    }
}

/// All events that were read. They hold text and stay in memory.
#[derive(Default)]
pub(crate) struct EventIndex {
    seen: ChangeTracker,
    files: FiledCalendars,
    posted: BTreeMap<EventKey, CalendarEvent>,
    busy: Vec<BusyTime>,
}

impl EventIndex {
    /// A shelf with busy times that were posted before a restart.
    pub(crate) fn with_busy(busy: Vec<BusyTime>) -> Self {
        Self {
            busy,
            ..Self::default()
        }
    }

    /// Reads the files that changed and forgets those that went. Whether anything did, and whether there is any calendar.
    pub(crate) fn refresh(
        &mut self,
        sources: &[PathBuf],
        reader: IcsContext<'_>,
        report: &mut IngestReport,
    ) -> (bool, bool) {
        let present = files_in(sources, report);
        let mut changed = false;
        // What is gone leaves its room to what came.
        for path in self.seen.remove_missing(&present) {
            changed |= self.files.remove(&path);
        }
        for file in &present {
            if self.seen.is_unchanged(file) {
                continue;
            }
            if !report.has_room() {
                report.leave(file, file.len);
                continue;
            }
            report.take(file.len);
            self.seen.note_change(file);
            let known = self.files.get(&file.path).is_some_and(|filed| filed.whole);
            match read_whole(file) {
                Ok(bytes) => {
                    let read = match task_file(&file.path) {
                        // A calendar may be called anything.
                        Some(kind) if !lines::is_calendar(&bytes) => {
                            kind.read(bytes, &file.name, reader.zone)
                        }
                        Some(_) | None => ics::read(&bytes, &file.name, reader),
                    };
                    if known && !read.whole {
                        report.skip(HALF_WRITTEN, &file.name, read.skips.first().map(|skip| skip.line));
                        continue;
                    }
                    self.file(&file.path, &file.name, read, report);
                    changed = true;
                }
                Err(_) if known => report.skip(HALF_WRITTEN, &file.name, None),
                Err(code) => {
                    changed |= self.files.remove(&file.path);
                    report.skip(code, &file.name, None);
                }
            }
        }
        let has_calendar = present.iter().any(|file| task_file(&file.path).is_none());
        (changed, has_calendar)
    }

    fn file(&mut self, path: &Path, name: &str, mut read: ics::ParsedCalendar, report: &mut IngestReport) {
        self.files.remove(path);
        let mut tasks = std::mem::take(&mut read.tasks);
        name_lists(&mut tasks, path);
        let mut filed = FileContents {
            whole: read.whole,
            tasks: self.tasks_within_limit(tasks, name, report),
            ..FileContents::default()
        };
        (filed.events, filed.busy) = self.within_limit(read, name, report);
        self.files.add(path, filed);
    }

    /// The tasks that still fit, what is open before what is done, counted as read.
    fn tasks_within_limit(
        &self,
        mut tasks: Vec<ReadTask>,
        name: &str,
        report: &mut IngestReport,
    ) -> Vec<ReadTask> {
        let room = MAX_TASKS.saturating_sub(self.files.tasks);
        let over = tasks.len().saturating_sub(room);
        if over > 0 {
            let done = |task: &ReadTask| match &task.state {
                TaskState::Open => None,
                TaskState::Done(at) => Some(Reverse(at.as_ref().map(EventTime::local))),
                TaskState::Dropped => Some(Reverse(None)),
            };
            tasks.sort_by_key(done);
            tasks.truncate(room);
            report.skip_many(
                TOO_MANY_TASKS,
                name,
                None,
                u32::try_from(over).unwrap_or(u32::MAX),
            );
        }
        tasks.shrink_to_fit();
        for _ in &tasks {
            report.keep();
        }
        tasks
    }

    /// How many events and tasks are kept.
    pub(crate) fn item_count(&self) -> usize {
        self.files.entries + self.files.tasks + self.posted.len() + self.busy.len()
    }

    /// How many tasks are kept, done ones included.
    pub(crate) fn task_count(&self) -> usize {
        self.files.tasks
    }

    /// One copy of each task, by UID, a series before what replaces its occurrences: of copies the highest `SEQUENCE`, then the last changed.
    pub(crate) fn merged_tasks(&self) -> Vec<&ReadTask> {
        let mut all: Vec<&ReadTask> = self.files.values().flat_map(|filed| &filed.tasks).collect();
        // Stable, so that of equals the last one stays the last.
        all.sort_by(|a, b| {
            (a.uid.as_str(), a.replaces, a.sequence, a.stamp).cmp(&(
                b.uid.as_str(),
                b.replaces,
                b.sequence,
                b.stamp,
            ))
        });
        let mut best: Vec<&ReadTask> = Vec::with_capacity(all.len());
        for task in all {
            match best.last_mut() {
                Some(last) if last.uid == task.uid && last.replaces == task.replaces => *last = task,
                Some(_) | None => best.push(task),
            }
        }
        best
    }

    /// Takes in what a signal brought; the UIDs of its events. A task that is posted is not taken: after a restart no file would tell it again.
    pub(crate) fn post(
        &mut self,
        bytes: &[u8],
        name: &str,
        reader: IcsContext<'_>,
        report: &mut IngestReport,
    ) -> Vec<String> {
        let read = ics::read(bytes, name, reader);
        let (events, busy) = self.within_limit(read, name, report);
        self.busy.extend(busy);
        let uids = events.iter().map(|event| event.uid.clone()).collect();
        for event in events {
            let key = (event.uid.clone(), event.replaces);
            let known = self.posted.get(&key);
            if known.is_none_or(|known| version(&event) >= version(known)) {
                self.posted.insert(key, event);
            }
        }
        uids
    }

    /// What still fits, counted as read; the skips are told.
    fn within_limit(
        &mut self,
        read: ics::ParsedCalendar,
        name: &str,
        report: &mut IngestReport,
    ) -> (Vec<CalendarEvent>, Vec<BusyTime>) {
        for skip in read.skips {
            report.skip_many(skip.code, name, Some(skip.line), skip.count);
        }
        let (mut events, mut busy) = (read.events, read.busy);
        let room = MAX_EVENTS.saturating_sub(self.files.entries + self.posted.len() + self.busy.len());
        let over = (events.len() + busy.len()).saturating_sub(room);
        report.skip_many(
            TOO_MANY_EVENTS,
            name,
            None,
            u32::try_from(over).unwrap_or(u32::MAX),
        );
        events.truncate(room);
        busy.truncate(room - events.len());
        events.shrink_to_fit();
        busy.shrink_to_fit();
        for _ in 0..events.len() + busy.len() {
            report.keep();
        }
        (events, busy)
    }

    /// One copy of each event over all sources, by UID, a series before what replaces its instances: of copies the highest
    /// `SEQUENCE`, then `DTSTAMP`; of equals the posted one.
    pub(crate) fn merged(&self) -> Vec<EventCopy<'_>> {
        self.merged_where(&|_| true)
    }

    /// The copies of one series, as [`EventIndex::merged`].
    pub(crate) fn series(&self, uid: &str) -> Vec<EventCopy<'_>> {
        self.merged_where(&|event| event.uid == uid)
    }

    fn merged_where(&self, wanted: &dyn Fn(&CalendarEvent) -> bool) -> Vec<EventCopy<'_>> {
        let filed = self.files.values().flat_map(|filed| &filed.events);
        let posted = self.posted.values().map(|event| (event, true));
        let mut all: Vec<EventCopy<'_>> = filed.map(|event| (event, false)).chain(posted).collect();
        all.retain(|(event, _)| wanted(event));
        // Stable, so that of equals the last one stays the last.
        all.sort_by(|(a, _), (b, _)| {
            (a.uid.as_str(), a.replaces, version(a)).cmp(&(b.uid.as_str(), b.replaces, version(b)))
        });
        let mut best: Vec<EventCopy<'_>> = Vec::with_capacity(all.len());
        for copy in all {
            match best.last_mut() {
                Some(last) if last.0.uid == copy.0.uid && last.0.replaces == copy.0.replaces => *last = copy,
                Some(_) | None => best.push(copy),
            }
        }
        best
    }

    /// The events that came from one file or signal.
    pub(crate) fn of_source(&self, name: &str) -> Vec<&CalendarEvent> {
        let filed = self.files.values().flat_map(|filed| &filed.events);
        filed
            .chain(self.posted.values())
            .filter(|event| *event.item == *name)
            .collect()
    }

    /// All busy times.
    pub(crate) fn busy(&self) -> Vec<BusyTime> {
        let filed = self.files.values().flat_map(|filed| &filed.busy);
        filed.chain(&self.busy).copied().collect()
    }

    /// The busy times that were posted and are not over, for the state: no file will tell them again.
    pub(crate) fn posted_busy(&self, at: Timestamp) -> Vec<BusyTime> {
        self.busy.iter().filter(|busy| busy.end > at).copied().collect()
    }
}

fn version(event: &CalendarEvent) -> (u32, Option<Timestamp>) {
    (event.sequence, event.stamp)
}

/// The files of the sources. Beside the database of Taskwarrior 3 the files of version 2 are what it was taken over from.
fn files_in(sources: &[PathBuf], report: &mut IngestReport) -> Vec<SourceFile> {
    let wanted = |path: &Path| has_extension(path, &["ics", "ical"]) || TaskFile::in_folder(path).is_some();
    let mut present = files_where(sources, &wanted, report);
    let folders: BTreeSet<PathBuf> = present
        .iter()
        .filter(|file| task_file(&file.path) == Some(TaskFile::Taskchampion))
        .filter_map(|file| file.path.parent().map(Path::to_owned))
        .collect();
    let is_old = |file: &SourceFile| {
        let folder = file.path.parent();
        task_file(&file.path) == Some(TaskFile::Taskwarrior)
            && folder.is_some_and(|folder| folders.contains(folder))
    };
    present.retain(|file| !is_old(file));
    present
}

/// What a file holds tasks in; `None`: it is a calendar.
fn task_file(path: &Path) -> Option<TaskFile> {
    TaskFile::by_ending(path)
}

/// Calls a list that has no name as its folder is called, where each task lies in a file of its own, else as its file.
fn name_lists(tasks: &mut [ReadTask], path: &Path) {
    let is_alone = tasks.len() == 1;
    let mut untold = tasks
        .iter_mut()
        .filter(|task| task.format == TaskFormat::Icalendar && task.list.is_none())
        .peekable();
    if untold.peek().is_none() {
        return;
    }
    let named = if is_alone {
        path.parent().and_then(folder_name)
    } else {
        path.file_stem()
            .and_then(|name| name.to_str())
            .and_then(short_text)
    };
    for task in untold {
        task.list.clone_from(&named);
    }
}

/// What a folder's `displayname` says, which programs that synchronise leave there, else its own name.
fn folder_name(folder: &Path) -> Option<Box<str>> {
    let mut said = String::new();
    let read = File::open(folder.join("displayname"))
        .and_then(|file| file.take(DISPLAY_NAME).read_to_string(&mut said));
    let said = read.ok().and_then(|_| short_text(&said));
    said.or_else(|| folder.file_name()?.to_str().and_then(short_text))
}
