//! What the tools of Calendar that only look do: conflicts, free times, what a source holds.
//!
//! What: one function a tool, pure. Why: they are asked for any day, not only for those that a tick looks at. Not here:
//! tools that carry out an action (`tools`), expanding rules (`model`).

use super::{
    model::{BusyTime, EventInstance, conflicts, instance_id, leave_by, nearest, travel_min},
    sources::{ics::CalendarEvent, values::EventTime},
};
use agents_base::{
    contract::CalendarPreferences,
    zone::{day_start, local_date, resolve},
};
use chrono::{DateTime, Datelike, Days, NaiveDate, NaiveTime, Utc};
use chrono_tz::Tz;
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::{
    Timestamp,
    catalogue::{
        calendar::{
            CANCELLED_MAX, CancelledEvent, DetectConflictsResult, EventConflict, EventList, FreeSlot,
            LISTED_MAX, ListedEvent, MeetingDescription, ParsedEvent, ParsedEvents, SuggestSlots,
            SuggestSlotsResult,
        },
        shared::DisplayLabel,
    },
    ids::{EventId, SecretKey},
    result::ToolErrorCode,
    signal::LocationData,
};

/// Pairs, or events, that one answer names.
const MAX_NAMED: usize = 256;
/// Local days in which a free time is looked for, the first included.
pub(crate) const SLOT_DAYS: Days = Days::new(7);
/// Free times that are suggested.
const MAX_SLOTS: usize = 3;
/// A suggestion starts at a quarter of an hour, in milliseconds.
const QUARTER_MS: i64 = 15 * 60 * 1000;
/// Free times shorter than half an hour are not listed, in milliseconds.
const FREE_MS: i64 = 30 * 60 * 1000;

/// Who is invited to an event, where it is and when to leave. `event` is what its text is in; absent of what was posted before a restart.
/// `place` is where the owner is, `buffer_min` what is kept free before leaving.
pub(crate) fn describe_meeting(
    instance: &EventInstance,
    event: Option<&CalendarEvent>,
    place: Option<LocationData>,
    buffer_min: u32,
) -> MeetingDescription {
    let travel = travel_min(instance.travel, place);
    let invitees = event.and_then(|event| event.invitees.as_deref());
    let label = |text: Option<&str>| text.and_then(DisplayLabel::sanitize);
    MeetingDescription {
        event_id: instance.id.clone(),
        title: label(event.and_then(|event| event.summary.as_deref())),
        start: instance.start,
        end: instance.end,
        all_day: instance.all_day,
        people: invitees
            .map(|invitees| invitees.people.clone())
            .unwrap_or_default(),
        others: instance.others,
        place: label(event.and_then(|event| event.location.as_deref())),
        travel_min: travel,
        leave_by: (travel > 0 && !instance.all_day).then(|| leave_by(instance.start, travel, buffer_min)),
    }
}

/// The overlapping pairs of a day's instances; those that were over when the day began are left out.
pub(crate) fn detect_conflicts(mut instances: Vec<EventInstance>, begin: Timestamp) -> DetectConflictsResult {
    instances.retain(|i| i.end > begin);
    let all = instances.len();
    let instances = nearest(instances, begin);
    let pairs = conflicts(&instances);
    let named = pairs.iter().take(MAX_NAMED).filter_map(|(a, b)| {
        let (earlier, later) = (instances.get(*a)?, instances.get(*b)?);
        let overlap_ms = earlier.end.min(later.end).since(later.start);
        Some(EventConflict {
            earlier: earlier.id.clone(),
            later: later.id.clone(),
            overlap_min: u32::try_from(overlap_ms / 60_000).unwrap_or(0),
        })
    });
    DetectConflictsResult {
        conflicts: named.collect(),
        truncated: pairs.len() > MAX_NAMED || instances.len() < all,
    }
}

/// What a list of events depends on beside them.
pub(crate) struct ListContext<'a> {
    /// Where the owner is.
    pub(crate) place: Option<LocationData>,
    /// Minutes kept free before leaving.
    pub(crate) buffer_min: u32,
    pub(crate) zone: Tz,
    pub(crate) preferences: &'a CalendarPreferences,
    /// What was called off, with its id and when it would begin.
    pub(crate) cancelled: &'a [(EventId, DateTime<Utc>, &'a CalendarEvent)],
}

/// The events of the days from `first` to `last`, which is one of them, and the free times between them. `texts` are those in memory.
pub(crate) fn list_events(
    mut instances: Vec<EventInstance>,
    texts: &BTreeMap<EventId, &CalendarEvent>,
    mut taken: Vec<BusyTime>,
    (first, last): (NaiveDate, NaiveDate),
    owner: &ListContext<'_>,
) -> EventList {
    let begin = day_start(first, owner.zone);
    // What ended as the first day began is not of it.
    instances.retain(|i| i.end > begin || i.start >= begin);
    let days = first.iter_days().take_while(|day| *day <= last);
    // Nobody leaves for what lasts all day, or for an hour that is not known.
    let leaves = |instance: &EventInstance| {
        let goes = !instance.all_day && !instance.uncertain;
        let travel = if goes {
            travel_min(instance.travel, owner.place)
        } else {
            0
        };
        (travel > 0).then(|| (travel, leave_by(instance.start, travel, owner.buffer_min)))
    };
    // Who is on the way is not free.
    taken.extend(instances.iter().filter_map(|instance| {
        let (_, start) = leaves(instance)?;
        let end = instance.start;
        Some(BusyTime { start, end })
    }));
    let free = free_times(&instances, taken, begin, days, owner.zone, owner.preferences);
    let clashing: BTreeSet<usize> = conflicts(&instances)
        .into_iter()
        .flat_map(|(a, b)| [a, b])
        .collect();
    let label = |text: Option<&str>| text.and_then(DisplayLabel::sanitize);
    let truncated = instances.len() > LISTED_MAX;
    let listed = instances
        .iter()
        .take(LISTED_MAX)
        .enumerate()
        .map(|(at, instance)| {
            let event = texts.get(&instance.id);
            let way = leaves(instance);
            ListedEvent {
                event_id: instance.id.clone(),
                title: label(event.and_then(|event| event.summary.as_deref())),
                start: instance.start,
                end: instance.end,
                all_day: instance.all_day,
                uncertain: instance.uncertain,
                tentative: instance.tentative,
                unanswered: instance.unanswered,
                clashes: clashing.contains(&at),
                others: instance.others,
                place: label(event.and_then(|event| event.location.as_deref())),
                travel_min: way.map_or(0, |(travel, _)| travel),
                leave_by: way.map(|(_, leave)| leave),
            }
        });
    EventList {
        events: listed.collect(),
        free: free
            .into_iter()
            .filter(|slot| slot.end.since(slot.start) >= FREE_MS)
            .take(LISTED_MAX)
            .collect(),
        truncated,
        cancelled: owner
            .cancelled
            .iter()
            .take(CANCELLED_MAX)
            .map(|(id, start, event)| CancelledEvent {
                event_id: id.clone(),
                title: label(event.summary.as_deref()),
                start: Timestamp::from(*start),
                end: Timestamp::from(event.lasts.end(*start, event.start.zone(), owner.zone)),
                all_day: matches!(event.start, EventTime::Day(_)),
            })
            .collect(),
    }
}

/// The first free times of a length within the owner's working hours of seven local days, each at the start of its gap.
pub(crate) fn suggest_slots(
    instances: &[EventInstance],
    taken: Vec<BusyTime>,
    args: &SuggestSlots,
    zone: Tz,
    preferences: &CalendarPreferences,
) -> SuggestSlotsResult {
    let length = i64::from(args.duration_min) * 60_000;
    let first = local_date(args.after, zone);
    let end = first.checked_add_days(SLOT_DAYS).unwrap_or(first);
    let days = first.iter_days().take_while(|day| *day < end);
    let free = free_times(instances, taken, args.after, days, zone, preferences);
    let slots = free
        .into_iter()
        .filter(|free| free.end.since(free.start) >= length);
    SuggestSlotsResult {
        slots: slots
            .take(MAX_SLOTS)
            .map(|free| FreeSlot {
                start: free.start,
                end: free.start.plus_ms(length),
            })
            .collect(),
    }
}

/// The gaps within the owner's working hours of some days, not before `after`, each from a quarter of an hour on. What counts is the
/// furthest end so far, so no gap lies inside a longer meeting. Focus blocks, what is tentative and `taken` times
/// are not free; events of a day and longer leave the day free.
fn free_times(
    instances: &[EventInstance],
    taken: Vec<BusyTime>,
    after: Timestamp,
    days: impl Iterator<Item = NaiveDate>,
    zone: Tz,
    preferences: &CalendarPreferences,
) -> Vec<FreeSlot> {
    let meetings = instances
        .iter()
        .filter(|i| !i.spans_days() && (i.focus || !i.transparent));
    let mut busy = taken;
    busy.extend(meetings.map(|i| BusyTime {
        start: i.start,
        end: i.end,
    }));
    busy.retain(|b| b.end > b.start);
    busy.sort_unstable();
    let (opens, closes) = preferences.working_hours();
    let mut gaps = Vec::new();
    for day in days.filter(|day| preferences.works_on(day.weekday())) {
        let at = |time: NaiveTime| Timestamp::from(resolve(day.and_time(time), zone));
        let closes = at(closes);
        let mut free = quarter(at(opens).max(after));
        // The day's end stands for one more meeting, so that the last gap is looked at too.
        let end = BusyTime {
            start: closes,
            end: closes,
        };
        let meetings = busy.iter().filter(|b| b.start < closes);
        for taken in meetings.chain([&end]) {
            if taken.start > free {
                gaps.push(FreeSlot {
                    start: free,
                    end: taken.start,
                });
            }
            free = free.max(quarter(taken.end));
        }
    }
    gaps
}

/// The next quarter of an hour.
fn quarter(at: Timestamp) -> Timestamp {
    let over = at.ms().rem_euclid(QUARTER_MS);
    at.plus_ms(if over == 0 { 0 } else { QUARTER_MS - over })
}

/// The name of an event's instance: the one it replaces, else the first of its series.
pub(crate) fn event_id(event: &CalendarEvent, key: &SecretKey, zone: Tz) -> EventId {
    let original = event.replaces.map_or_else(
        || event.start.instant(zone),
        |replaces| replaces.original.instant(&event.start, zone),
    );
    instance_id(key, &event.uid, original)
}

/// What one file or signal holds, without its text.
///
/// # Errors
/// `not_found` when nothing that is still in memory came from it.
pub(crate) fn parsed(
    events: &[&CalendarEvent],
    key: &SecretKey,
    zone: Tz,
) -> Result<ParsedEvents, ToolErrorCode> {
    if events.is_empty() {
        return Err(ToolErrorCode::TextUnknown);
    }
    let mut out: Vec<ParsedEvent> = events
        .iter()
        .map(|event| {
            let start = event.start.instant(zone);
            let all_day = matches!(event.start, EventTime::Day(_));
            let end = event.lasts.end(start, event.start.zone(), zone);
            ParsedEvent {
                event_id: event_id(event, key, zone),
                start: Timestamp::from(start),
                end: Timestamp::from(end),
                all_day,
                repeats: !event.rules.is_empty() || !event.extra.is_empty(),
                cancelled: event.cancelled,
            }
        })
        .collect();
    out.sort_by(|a, b| (a.start, a.end, &a.event_id).cmp(&(b.start, b.end, &b.event_id)));
    let truncated = out.len() > MAX_NAMED;
    out.truncate(MAX_NAMED);
    Ok(ParsedEvents {
        events: out,
        truncated,
    })
}
