//! VTODO: tasks of iCalendar files, as vdirsyncer, Evolution, Thunderbird, Nextcloud and Tasks.org leave them.
//!
//! What: [`task`]. Why: tasks lie in the same folders as events. Not here: components and their properties (`ics`), which day of a series is meant
//! (`task_list`).

use super::{
    ics::{
        IcsContext, ParsedCalendar, RecurrenceId, component, instant, nameless, prop, props, read_repetition,
        readable_text, text, time,
    },
    lines::{ComponentBlock, ItipMethod},
    tasks::{ReadTask, TaskSeries, TaskState, list_of, short_text},
    values::{BAD_TIME, EventDuration, EventTime, duration},
    zones::{EventZone, UNKNOWN_ZONE, ZoneContext},
};
use agents_base::shared::SkipCode;
use chrono_tz::Tz;
use icalendar::parser::Component;
use toolcall_schema::catalogue::calendar::{TaskFormat, TaskPriority};

/// Characters of a UID.
const MAX_UID: usize = 512;

/// Reads one VTODO.
///
/// # Errors
/// The code of the skip: a time of it cannot be read, or the component itself.
pub(super) fn task(
    block: &ComponentBlock<'_>,
    zones: &ZoneContext<'_>,
    reader: IcsContext<'_>,
    out: &mut ParsedCalendar,
) -> Result<(), SkipCode> {
    let block_text = readable_text(block, out)?;
    let component = &component(&block_text)?;
    let owner = reader.zone;
    let floating = zones.floating();
    let start = time(component, "DTSTART", zones, &floating)?;
    let here = start.as_ref().map_or(&floating, EventTime::zone);
    let due = due_time(component, zones, start.as_ref(), here, owner)?;
    let replaces = time(component, "RECURRENCE-ID", zones, here)?;
    let replaces = replaces.map(|when| match &start {
        Some(start) => RecurrenceId::replaced(&when, start, owner),
        None => RecurrenceId::from_time(&when, owner),
    });
    let series = if replaces.is_none() {
        series(
            component,
            block.line,
            zones,
            (start.as_ref(), due.as_ref()),
            owner,
            out,
        )?
    } else {
        None
    };
    let uid = text(component, "UID").filter(|uid| uid.chars().count() <= MAX_UID);
    let uid = uid.map_or_else(|| nameless(component), str::to_owned);
    let categories: Vec<&str> = props(component, "CATEGORIES")
        .flat_map(|property| property.val.as_str().split(','))
        .collect();
    let is_dropped = block.method == ItipMethod::Cancel;
    let state = if is_dropped {
        TaskState::Dropped
    } else {
        state(component, zones)?
    };
    let stamp = |name| instant(component, name, zones, owner);
    let list = block.calendar_name.map(|name| name.replace('\\', ""));
    let uncertain = zones.has_met_unknown();
    out.skip(UNKNOWN_ZONE, block.line, usize::from(uncertain));
    out.tasks.push(ReadTask {
        title: text(component, "SUMMARY").and_then(short_text),
        list: list_of(list.as_deref(), categories),
        priority: text(component, "PRIORITY").and_then(priority),
        due,
        state,
        repeats: series.is_some(),
        series: series.map(Box::new),
        replaces,
        uncertain,
        sequence: text(component, "SEQUENCE")
            .and_then(|t| t.parse().ok())
            .unwrap_or(0),
        stamp: stamp("LAST-MODIFIED").or_else(|| stamp("DTSTAMP")),
        ..ReadTask::new(uid, TaskFormat::Icalendar)
    });
    Ok(())
}

/// `DUE`, else `DTSTART` and `DURATION` (RFC 5545, 3.6.2). A task that only begins is due at no time.
fn due_time(
    component: &Component<'_>,
    zones: &ZoneContext<'_>,
    start: Option<&EventTime>,
    here: &EventZone,
    owner: Tz,
) -> Result<Option<EventTime>, SkipCode> {
    if let Some(due) = time(component, "DUE", zones, here)? {
        return Ok(Some(due));
    }
    let Some((start, value)) = start.zip(text(component, "DURATION")) else {
        return Ok(None);
    };
    let lasts = duration(value).and_then(EventDuration::checked).ok_or(BAD_TIME)?;
    let end = lasts.end(start.instant(owner), start.zone(), owner);
    let local = start.zone().local(end, owner);
    Ok(Some(match start {
        EventTime::Day(_) => EventTime::Day(local.date()),
        EventTime::Time(_, zone) => EventTime::Time(local, zone.clone()),
    }))
}

/// How it repeats. Rules count from `DTSTART`; programs that write none count from `DUE`.
fn series(
    component: &Component<'_>,
    line: u64,
    zones: &ZoneContext<'_>,
    (start, due): (Option<&EventTime>, Option<&EventTime>),
    owner: Tz,
    out: &mut ParsedCalendar,
) -> Result<Option<TaskSeries>, SkipCode> {
    let Some(first) = start.or(due) else {
        return Ok(None);
    };
    let times = read_repetition(component, line, zones, first, owner, out);
    if times.rules.is_empty() && times.extra.is_empty() {
        return Ok(None);
    }
    let due_after = match (start, due) {
        (Some(start), Some(due)) => EventDuration::between(start, due, owner)?,
        (Some(_) | None, _) => EventDuration::default(),
    };
    Ok(Some(TaskSeries {
        start: first.clone(),
        due_after,
        times,
    }))
}

fn state(component: &Component<'_>, zones: &ZoneContext<'_>) -> Result<TaskState, SkipCode> {
    let status = text(component, "STATUS").unwrap_or_default();
    if status.eq_ignore_ascii_case("CANCELLED") {
        return Ok(TaskState::Dropped);
    }
    let is_done = status.eq_ignore_ascii_case("COMPLETED")
        || prop(component, "COMPLETED").is_some()
        || text(component, "PERCENT-COMPLETE") == Some("100");
    // A program that takes a tick back writes the status anew and may leave the rest.
    let is_open = ["NEEDS-ACTION", "IN-PROCESS"]
        .iter()
        .any(|open| status.eq_ignore_ascii_case(open));
    if !is_done || is_open {
        return Ok(TaskState::Open);
    }
    Ok(TaskState::Done(time(
        component,
        "COMPLETED",
        zones,
        &EventZone::Owner,
    )?))
}

/// 1 to 4 is high, 5 medium, 6 to 9 low (RFC 5545, 3.8.1.9); 0 says nothing.
fn priority(value: &str) -> Option<TaskPriority> {
    match value.parse().ok()? {
        1..=4_u8 => Some(TaskPriority::High),
        5 => Some(TaskPriority::Medium),
        6..=9 => Some(TaskPriority::Low),
        _ => None,
    }
}
