//! Today as a strip: events with the way there, what was shown, and every silence.
//!
//! What: [`picture`]. Why: one look tells how full the day is and how quiet Aura was. Not here: the list of decisions
//! (`render::row`).

use super::{DayRange, PictureShape, PictureView, ShapeRole, TextAnchor, midnight};
use chrono::NaiveTime;
use chrono_tz::Tz;
use surfaces_base::language::{say, text};
use surfaces_base::{
    backend::{DisplayNames, EventTimes, WeekView},
    format, words,
};
use toolcall_schema::{Outcome, ids::EventId, trace::Trace};

/// The height of the sheet.
const HEIGHT: f64 = 120.0;
/// The rows: events, cards, silences.
const EVENTS: (f64, f64) = (14.0, 26.0);
const CARDS: f64 = 58.0;
const SILENCES: (f64, f64) = (74.0, 86.0);
/// Hours that are named below.
const HOURS: [u32; 5] = [0, 6, 12, 18, 24];
/// From this length on an event is about days, in milliseconds.
const DAY_MS: i64 = 24 * 60 * 60_000;
/// An event without length is still seen.
const LEAST: f64 = 2.0;

/// The strip of the local day of `view.at`.
pub(super) fn picture(view: &WeekView, names: &DisplayNames, zone: Tz) -> PictureView {
    let today = DayRange::days(view.at, zone, 1);
    let of_day = |trace: &&Trace| trace.decision.ts >= today.from && trace.decision.ts < today.to;
    let traces: Vec<&Trace> = view.traces.iter().filter(of_day).collect();
    let (silent, spoke): (Vec<&Trace>, Vec<&Trace>) = traces
        .into_iter()
        .partition(|trace| trace.outcome == Outcome::Silent);
    // What lasts a day or longer would cover the hours of all others: it stands in the table.
    let (long, events): (Vec<&EventTimes>, Vec<&EventTimes>) = view
        .events
        .iter()
        .filter(|event| event.start < today.to && event.end >= today.from && event.start < event.end)
        .partition(|event| event.end.since(event.start) >= DAY_MS);
    let name = |event: &EventTimes| match names.get(event.id.as_str()) {
        None if event.focus => words::FOCUS_BLOCK.say().to_owned(),
        named => named.unwrap_or(words::UNTITLED_EVENT.say()).to_owned(),
    };
    let mut shapes = hours(today, zone);
    // What stands in the table, and the event that it is about.
    let mut rows: Vec<(Vec<String>, Option<EventId>)> = Vec::new();
    let mut told = Vec::new();
    for event in &long {
        let when = words::ON_WHOLE_DAYS.say().to_owned();
        rows.push((vec![when, name(event)], Some(event.id.clone())));
    }
    for event in &events {
        let from = today.x(event.start);
        if let Some(leave_by) = event.leave_by {
            let begins = today.x(leave_by);
            shapes.push(PictureShape::Box(
                ShapeRole::Way,
                [begins, EVENTS.0, from - begins, EVENTS.1],
            ));
            let between = format!(
                "{}–{}",
                format::clock(leave_by, zone),
                format::clock(event.start, zone)
            );
            rows.push((
                vec![between, text("picture-day-picture-on-the-way").to_owned()],
                None,
            ));
        }
        let ink = if event.focus {
            ShapeRole::Focus
        } else {
            ShapeRole::Event
        };
        let width = (today.x(event.end) - from).max(LEAST);
        let box_at = [from, EVENTS.0, width, EVENTS.1];
        shapes.push(PictureShape::Event(ink, box_at, event.id.clone(), name(event)));
        let between = format!(
            "{}–{}",
            format::clock(event.start, zone),
            format::clock(event.end, zone)
        );
        rows.push((vec![between, name(event)], Some(event.id.clone())));
    }
    for trace in &silent {
        let x = today.x(trace.decision.ts);
        shapes.push(PictureShape::Line(
            ShapeRole::Silent,
            vec![(x, SILENCES.0), (x, SILENCES.1)],
        ));
    }
    for trace in &spoke {
        shapes.push(PictureShape::Dot(
            ShapeRole::Spoke,
            (today.x(trace.decision.ts), CARDS),
        ));
        let said = crate::render::row(trace);
        let what = format!("{}: {}", said.what, said.ended);
        told.push((format!("{} {what}", said.time), said.trace_id));
        rows.push((vec![said.time, what], None));
    }
    told.sort();
    let silences = say!("picture-day-silences", count = silent.len());
    rows.sort();
    rows.push((
        vec![text("picture-day-picture-all-day").to_owned(), silences.clone()],
        None,
    ));
    let of_event = |(row, (_, event)): (usize, &(Vec<String>, Option<EventId>))| Some((row, event.clone()?));
    let events_of_rows = rows.iter().enumerate().filter_map(of_event).collect();
    PictureView {
        name: "day",
        title: words::TODAY_BY_HOURS.say(),
        says: says_of_day(events.len(), silent.len()),
        spoke: told,
        height: HEIGHT,
        shapes,
        head: vec![text("picture-day-picture-when"), text("picture-day-picture-what")],
        rows: rows.into_iter().map(|(row, _)| row).collect(),
        events: events_of_rows,
    }
}

/// Events, and how often nothing was said; of what did not happen only that there is no event. What was said or done stands below, each a thing that opens.
fn says_of_day(events: usize, silent: usize) -> String {
    let mut says = vec![say!("picture-day-events", count = events)];
    if silent > 0 {
        says.push(say!("picture-day-held-back", count = silent));
    }
    says.join(" ")
}

/// The hours as lines, named below.
fn hours(today: DayRange, zone: Tz) -> Vec<PictureShape> {
    HOURS
        .into_iter()
        .flat_map(|hour| {
            let x = match hour {
                0 => today.x(today.from),
                24 => today.x(today.to),
                _ => local(today, hour, zone),
            };
            [
                PictureShape::Line(ShapeRole::Grid, vec![(x, 8.0), (x, HEIGHT - 26.0)]),
                PictureShape::Text(TextAnchor::Middle, (x, HEIGHT - 8.0), format!("{hour:02}")),
            ]
        })
        .collect()
}

/// A local hour of a day with 23, 24 or 25 of them.
fn local(today: DayRange, hour: u32, zone: Tz) -> f64 {
    use chrono::TimeZone as _;
    let time = NaiveTime::from_hms_opt(hour, 0, 0).unwrap_or(NaiveTime::MIN);
    let at = zone.from_local_datetime(&today.first.and_time(time)).earliest();
    let at = at.map_or_else(|| midnight(today.first, zone), |at| at.to_utc().into());
    today.x(at)
}
