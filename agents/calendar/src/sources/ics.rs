//! iCalendar objects: from bytes to [`CalendarEvent`]s and busy times.
//!
//! What: [`read`]. Why: every export of a calendar comes down to VEVENTs. Not here: cutting a file into components
//! (`lines`), recurrence (`recurrence`), what an event says about its owner (`owned`), tasks (`vtodo`). VJOURNAL is left out.

use super::{
    lines::{BAD_LINE, BROKEN_EVENT, ComponentBlock, ComponentKind, ItipMethod, blocks, mended, utf8},
    owned::{Invitees, OpenInvitation, focus, invitation, invitees, location, travel},
    tasks::ReadTask,
    values::{BAD_TIME, EventDuration, EventTime, duration, is_for_ever, when},
    vtodo,
    zones::{CalendarZones, EventZone, UNKNOWN_ZONE, ZoneContext},
};
use crate::{
    model::{BusyTime, TravelTime},
    rrule::{BAD_RULE, EventRecurrence, RecurrenceRule},
};
use agents_base::{
    contract::CalendarPreferences,
    shared::{PARSER_GAVE_UP, SkipCode, guarded},
};
use chrono::{DateTime, NaiveDate, NaiveTime, TimeDelta, Utc};
use chrono_tz::Tz;
use icalendar::parser::{Component, Property, read_calendar_simple};
use std::{collections::HashMap, sync::Arc};
use toolcall_schema::{
    Timestamp,
    catalogue::shared::DisplayLabel,
    ids::{SecretKey, sha256_hex},
};

/// A date beside the rule cannot be read.
pub(crate) const BAD_DATE: SkipCode = SkipCode {
    code: "AGENT-031",
    message: "an extra or excluded date of this event cannot be read, is beyond the 4096th, or is given by an EXRULE: only that is left out",
};

/// Extra and excluded dates that are read of one event, each.
const MAX_DATES: usize = 4096;
/// Rules of one event.
const MAX_RULES: usize = 16;
/// Characters of a UID, a summary or an organizer's address.
const MAX_TEXT: usize = 512;

/// Which instance of a series is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RecurrenceId {
    /// The one that starts at this instant.
    At(DateTime<Utc>),
    /// The one that starts on this date, in the zone of the series.
    On(NaiveDate),
}

impl RecurrenceId {
    pub(super) fn from_time(when: &EventTime, owner: Tz) -> Self {
        match when {
            EventTime::Day(date) => Self::On(*date),
            EventTime::Time(..) => Self::At(when.instant(owner)),
        }
    }

    /// What an event that starts at `start` replaces: a midnight beside a day is a day as well, whose zone the instant alone does not tell.
    pub(super) fn replaced(when: &EventTime, start: &EventTime, owner: Tz) -> Self {
        match (when, start) {
            (EventTime::Time(local, _), EventTime::Day(_)) if local.time() == NaiveTime::MIN => {
                Self::On(day_meant(when.instant(owner), local.date(), owner))
            }
            (EventTime::Day(_) | EventTime::Time(..), _) => Self::from_time(when, owner),
        }
    }

    /// The instant, in a series that starts at `start`.
    pub(crate) fn instant(self, start: &EventTime, owner: Tz) -> DateTime<Utc> {
        let date = match (self, start) {
            (Self::At(at), EventTime::Time(..)) => return at,
            (Self::At(at), EventTime::Day(_)) => day_meant(at, at.date_naive(), owner),
            (Self::On(date), _) => date,
        };
        start.zone().resolve(date.and_time(start.local().time()), owner)
    }
}

/// The day that an instant means where one should stand: the owner's, when it begins then, else the day as it is `written`.
fn day_meant(at: DateTime<Utc>, written: NaiveDate, owner: Tz) -> NaiveDate {
    let here = at.with_timezone(&owner).naive_local();
    if here.time() == NaiveTime::MIN {
        here.date()
    } else {
        written
    }
}

/// What an event replaces in its series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OverrideTarget {
    /// The instance.
    pub(crate) original: RecurrenceId,
    /// And all after it (`RANGE=THISANDFUTURE`).
    pub(crate) following: bool,
}

/// One VEVENT. Not `Debug`: it holds text from outside, which stays in this agent's memory.
#[derive(Clone, PartialEq)]
pub(crate) struct CalendarEvent {
    /// The file or signal it came from, for skips.
    pub(crate) item: Arc<str>,
    /// The line of its `BEGIN`, from 1.
    pub(crate) line: u64,
    /// The series it belongs to.
    pub(crate) uid: String,
    /// What it is called.
    pub(crate) summary: Option<String>,
    /// What of the series it replaces.
    pub(crate) replaces: Option<OverrideTarget>,
    /// Its (first) start.
    pub(crate) start: EventTime,
    /// Whether one of its times is in a zone that nobody knows: it is read in the owner's.
    pub(crate) uncertain: bool,
    /// From start to end.
    pub(crate) lasts: EventDuration,
    /// How it repeats; mostly by one rule, RFC 5545 allows more.
    pub(crate) rules: Vec<EventRecurrence>,
    /// Extra starts, some with a length of their own.
    pub(crate) extra: Vec<(EventTime, Option<EventDuration>)>,
    /// Starts that are left out.
    pub(crate) excluded: Vec<RecurrenceId>,
    /// Marked as a focus block.
    pub(crate) focus: bool,
    /// Does not make the owner busy.
    pub(crate) transparent: bool,
    /// Not certain to happen, or to be attended.
    pub(crate) tentative: bool,
    /// Cancelled: with a series all of it.
    pub(crate) cancelled: bool,
    /// Declined by the owner: with a series all that is not replaced.
    pub(crate) declined: bool,
    /// How to get there.
    pub(crate) travel: Option<TravelTime>,
    /// What its place is called, where nothing in the event says how far it is.
    pub(crate) place: Option<Box<str>>,
    /// What `LOCATION` says, be it a place or a call.
    pub(crate) location: Option<Box<str>>,
    /// Who else is invited.
    pub(crate) invitees: Option<Box<Invitees>>,
    /// When it was made: `CREATED`, else `DTSTAMP`.
    pub(crate) created: Option<Timestamp>,
    /// The open invitation, where there is somebody to answer.
    pub(crate) invited: Option<Box<OpenInvitation>>,
    /// The version, `SEQUENCE`.
    pub(crate) sequence: u32,
    /// `DTSTAMP`: breaks ties between copies of one version.
    pub(crate) stamp: Option<Timestamp>,
}

/// How a component repeats.
#[derive(Clone, PartialEq, Default)]
pub(crate) struct RepeatedTimes {
    /// Mostly one rule, RFC 5545 allows more.
    pub(crate) rules: Vec<EventRecurrence>,
    /// Extra starts, some with a length of their own.
    pub(crate) extra: Vec<(EventTime, Option<EventDuration>)>,
    /// Starts that are left out.
    pub(crate) excluded: Vec<RecurrenceId>,
}

/// What was left out of a component, or is not certain in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SkippedPart {
    pub(crate) code: SkipCode,
    /// The line of the component's `BEGIN`, from 1.
    pub(crate) line: u64,
    /// How many such parts.
    pub(crate) count: u32,
}

/// What was read: events, busy times, and what was left out.
#[derive(Default)]
pub(crate) struct ParsedCalendar {
    /// In the order of the file.
    pub(crate) events: Vec<CalendarEvent>,
    /// Of VFREEBUSY components.
    pub(crate) busy: Vec<BusyTime>,
    /// Of VTODO components, in the order of the file.
    pub(crate) tasks: Vec<ReadTask>,
    /// In the order of the file.
    pub(crate) skips: Vec<SkippedPart>,
    /// Whether it is a calendar to its end.
    pub(crate) whole: bool,
}

impl ParsedCalendar {
    /// Counts parts that were left out.
    pub(super) fn skip(&mut self, code: SkipCode, line: u64, count: usize) {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        if count > 0 {
            self.skips.push(SkippedPart { code, line, count });
        }
    }
}

/// The reader's zone, addresses and preferences, on which the meaning of an event depends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IcsContext<'a> {
    /// The zone of floating times.
    pub(crate) zone: Tz,
    /// The owner's addresses, lower case.
    pub(crate) addresses: &'a [String],
    /// How fast the owner is.
    pub(crate) preferences: &'a CalendarPreferences,
    /// Names places.
    pub(crate) key: &'a SecretKey,
}

/// Reads a file or a posted object; `item` names it in skips.
pub(crate) fn read(bytes: &[u8], item: &str, reader: IcsContext<'_>) -> ParsedCalendar {
    let bytes = utf8(bytes);
    let found = blocks(&bytes);
    let item: Arc<str> = item.into();
    let mut out = ParsedCalendar {
        whole: found.whole,
        ..ParsedCalendar::default()
    };
    for (code, line) in found.skips {
        out.skip(code, line, 1);
    }
    // A calendar's own definitions of zones count before those of others in its file.
    let everywhere = CalendarZones::from_blocks(&found.blocks);
    for calendar in found.blocks.chunk_by(|a, b| a.calendar == b.calendar) {
        let own = CalendarZones::from_blocks(calendar);
        for block in calendar.iter().filter(|block| block.method != ItipMethod::Answer) {
            let zones = ZoneContext::new((&own, &everywhere), block.calendar_zone);
            let result = guarded(|| match block.kind {
                ComponentKind::Event => event(block, &item, &zones, reader, &mut out),
                ComponentKind::Task => vtodo::task(block, &zones, reader, &mut out),
                ComponentKind::Busy => busy(block, &zones, reader, &mut out),
                ComponentKind::Zone => Ok(()),
            });
            if let Err(code) = result.unwrap_or(Err(PARSER_GAVE_UP)) {
                out.skip(code, block.line, 1);
            }
        }
    }
    tell_apart(&mut out.events);
    out
}

/// Gives events of one file a name of their own that share a UID and are no versions of each other: they differ in start and title, and
/// say that they were written at once.
fn tell_apart(events: &mut [CalendarEvent]) {
    let mut first: HashMap<String, usize> = HashMap::new();
    for at in 0..events.len() {
        let (before, rest) = events.split_at_mut(at);
        let Some(event) = rest.first_mut().filter(|event| event.replaces.is_none()) else {
            continue;
        };
        let Some(same) = first.get(&event.uid).and_then(|at| before.get(*at)) else {
            first.insert(event.uid.clone(), at);
            continue;
        };
        let is_version = (same.sequence, same.stamp) != (event.sequence, event.stamp);
        if !is_version && same.start != event.start && same.summary != event.summary {
            let said = [&event.uid, event.summary.as_deref().unwrap_or_default()];
            let start = event.start.local();
            event.uid = format!(
                "alike-{}",
                sha256_hex(format!("{start}\n{}", said.join("\n")).as_bytes())
            );
        }
    }
}

fn event(
    block: &ComponentBlock<'_>,
    item: &Arc<str>,
    zones: &ZoneContext<'_>,
    reader: IcsContext<'_>,
    out: &mut ParsedCalendar,
) -> Result<(), SkipCode> {
    let block_text = readable_text(block, out)?;
    let component = &component(&block_text)?;
    let owner = reader.zone;
    let start = time(component, "DTSTART", zones, &zones.floating())?.ok_or(BAD_TIME)?;
    // Times that name no zone beside a start that does are meant in the start's.
    let here = start.zone();
    let replaces = time(component, "RECURRENCE-ID", zones, here)?.map(|when| OverrideTarget {
        original: RecurrenceId::replaced(&when, &start, owner),
        following: prop(component, "RECURRENCE-ID")
            .and_then(|p| param(p, "RANGE"))
            .is_some_and(|range| range.eq_ignore_ascii_case("THISANDFUTURE")),
    });
    // What `METHOD:ADD` brings is an instance beside the series, never a new version of it.
    let added = (block.method == ItipMethod::Add).then(|| OverrideTarget {
        original: RecurrenceId::from_time(&start, owner),
        following: false,
    });
    let lasts = length(component, zones, &start, owner).unwrap_or_else(|| {
        out.skip(BAD_LINE, block.line, 1);
        untold(&start)
    });
    let RepeatedTimes {
        rules,
        extra,
        excluded,
    } = read_repetition(component, block.line, zones, &start, owner, out);
    let uid = text(component, "UID");
    let uid = uid.filter(|uid| uid.chars().count() <= MAX_TEXT);
    let (invited, partstat) = invitation(component, reader.addresses);
    let says = |name, value: &str| text(component, name).is_some_and(|t| t.eq_ignore_ascii_case(value));
    let outlook = |value| says("X-MICROSOFT-CDO-BUSYSTATUS", value);
    let stamp = instant(component, "DTSTAMP", zones, owner);
    let (travel, place) = travel(component, reader.preferences, reader.key);
    let uncertain = zones.has_met_unknown();
    out.skip(UNKNOWN_ZONE, block.line, usize::from(uncertain));
    out.events.push(CalendarEvent {
        item: item.clone(),
        line: block.line,
        uid: uid.map_or_else(|| nameless(component), str::to_owned),
        summary: text(component, "SUMMARY").map(|summary| title(summary, uncertain)),
        replaces: replaces.or(added),
        start,
        uncertain,
        lasts,
        rules,
        extra,
        excluded,
        focus: focus(component),
        transparent: says("TRANSP", "TRANSPARENT") || outlook("FREE"),
        tentative: says("STATUS", "TENTATIVE") || outlook("TENTATIVE") || partstat.tentative,
        cancelled: says("STATUS", "CANCELLED") || block.method == ItipMethod::Cancel,
        declined: partstat.declined,
        travel,
        place,
        location: location(component).map(String::into_boxed_str),
        invitees: invitees(component, reader.addresses, reader.key),
        created: instant(component, "CREATED", zones, owner).or(stamp),
        // Without its name nobody could tell what was answered.
        invited: invited.filter(|_| uid.is_some()).map(Box::new),
        sequence: text(component, "SEQUENCE")
            .and_then(|t| t.parse().ok())
            .unwrap_or(0),
        stamp,
    });
    Ok(())
}

/// How a component that starts at `start` repeats. What of it cannot be read is left out alone.
pub(super) fn read_repetition(
    component: &Component<'_>,
    line: u64,
    zones: &ZoneContext<'_>,
    start: &EventTime,
    owner: Tz,
    out: &mut ParsedCalendar,
) -> RepeatedTimes {
    let here = start.zone();
    let mut rules = Vec::new();
    for property in props(component, "RRULE").filter(|p| !p.val.as_str().trim().is_empty()) {
        match recurrence(property.val.as_str(), start, zones, owner) {
            Ok(rule) if rules.len() < MAX_RULES => rules.push(rule),
            Ok(_) | Err(_) => out.skip(BAD_RULE, line, 1),
        }
    }
    let (extra, spoilt) = dates(component, "RDATE", |one, tzid| {
        let (from, to) = one
            .split_once('/')
            .map_or((one, None), |(from, to)| (from, Some(to)));
        let from = when(from, tzid, zones, here)?;
        let lasts = match to.map(|to| (to, duration(to))) {
            None => None,
            Some((_, Some(lasts))) => Some(lasts.checked().ok_or(BAD_TIME)?),
            Some((to, None)) => Some(EventDuration::between(
                &from,
                &when(to, tzid, zones, here)?,
                owner,
            )?),
        };
        Ok((from, lasts))
    });
    let (excluded, spoilt_too) = dates(component, "EXDATE", |one, tzid| {
        let excluded = when(one, tzid, zones, here)?;
        Ok(match (&excluded, start) {
            // Of an all-day event its day, whatever time is written.
            (EventTime::Time(local, _), EventTime::Day(_)) => {
                RecurrenceId::On(day_meant(excluded.instant(owner), local.date(), owner))
            }
            (EventTime::Day(_) | EventTime::Time(..), _) => RecurrenceId::from_time(&excluded, owner),
        })
    });
    let spoilt = spoilt + spoilt_too + props(component, "EXRULE").count();
    out.skip(BAD_DATE, line, spoilt);
    RepeatedTimes {
        rules,
        extra,
        excluded,
    }
}

/// The busy times of a VFREEBUSY: all but `FBTYPE=FREE`. One that cannot be read is left out alone.
fn busy(
    block: &ComponentBlock<'_>,
    zones: &ZoneContext<'_>,
    reader: IcsContext<'_>,
    out: &mut ParsedCalendar,
) -> Result<(), SkipCode> {
    let block_text = readable_text(block, out)?;
    let component = component(&block_text)?;
    let is_busy =
        |p: &&Property<'_>| !param(p, "FBTYPE").is_some_and(|kind| kind.eq_ignore_ascii_case("FREE"));
    for property in props(&component, "FREEBUSY").filter(is_busy) {
        for text in property.val.as_str().split(',') {
            match period(text, zones, reader.zone) {
                Ok(busy) => out.busy.push(busy),
                Err(code) => out.skip(code, block.line, 1),
            }
        }
    }
    Ok(())
}

/// A start, and an end or a length.
fn period(text: &str, zones: &ZoneContext<'_>, owner: Tz) -> Result<BusyTime, SkipCode> {
    let (from, to) = text.split_once('/').ok_or(BAD_TIME)?;
    let from = when(from, None, zones, &zones.floating())?;
    let lasts = match duration(to) {
        Some(lasts) => lasts.checked().ok_or(BAD_TIME)?,
        None => EventDuration::between(&from, &when(to, None, zones, &zones.floating())?, owner)?,
    };
    let start = from.instant(owner);
    Ok(BusyTime {
        start: start.into(),
        end: lasts.end(start, from.zone(), owner).into(),
    })
}

/// Reads the text of one component.
pub(super) fn component(block_text: &str) -> Result<Component<'_>, SkipCode> {
    let components = read_calendar_simple(block_text).map_err(|_| BROKEN_EVENT)?;
    <[Component<'_>; 1]>::try_from(components)
        .map(|[component]| component)
        .map_err(|_| BROKEN_EVENT)
}

/// The text of a component, without what makes the whole of it unreadable; that is counted.
pub(super) fn readable_text(
    block: &ComponentBlock<'_>,
    out: &mut ParsedCalendar,
) -> Result<String, SkipCode> {
    let text = block.text();
    if component(&text).is_ok() {
        return Ok(text);
    }
    let alone = |line: &str| component(&format!("BEGIN:X\r\n{line}\r\nEND:X\r\n")).is_ok();
    let (text, lost) = mended(&text, alone).ok_or(BROKEN_EVENT)?;
    out.skip(BAD_LINE, block.line, lost);
    Ok(text)
}

/// A time that a component gives, if it does.
pub(super) fn time(
    component: &Component<'_>,
    name: &str,
    zones: &ZoneContext<'_>,
    otherwise: &EventZone,
) -> Result<Option<EventTime>, SkipCode> {
    prop(component, name)
        .filter(|p| !p.val.as_str().trim().is_empty())
        .map(|p| when(p.val.as_str(), param(p, "TZID"), zones, otherwise))
        .transpose()
}

pub(super) fn instant(
    component: &Component<'_>,
    name: &str,
    zones: &ZoneContext<'_>,
    owner: Tz,
) -> Option<Timestamp> {
    let when = time(component, name, zones, &EventZone::Owner).ok().flatten()?;
    Some(Timestamp::from(when.instant(owner)))
}

/// From start to end: `DTEND` is an exact length, `DURATION` counts its days on the wall (RFC 5545, 3.8.5.3). Without
/// either a day lasts a day, and anything else nothing. `None`: what is written is no length that an event can have.
fn length(
    component: &Component<'_>,
    zones: &ZoneContext<'_>,
    start: &EventTime,
    owner: Tz,
) -> Option<EventDuration> {
    let end = time(component, "DTEND", zones, start.zone()).ok()?;
    let lasts = match (end, text(component, "DURATION")) {
        (Some(end), _) => EventDuration::between(start, &end, owner).ok()?,
        (None, Some(value)) => duration(value).and_then(EventDuration::checked)?,
        (None, None) => EventDuration::default(),
    };
    Some(if lasts == EventDuration::default() {
        untold(start)
    } else {
        lasts
    })
}

/// How long an event lasts that does not say it.
fn untold(start: &EventTime) -> EventDuration {
    EventDuration {
        days: i64::from(matches!(start, EventTime::Day(_))),
        exact: TimeDelta::zero(),
    }
}

fn recurrence(
    value: &str,
    start: &EventTime,
    zones: &ZoneContext<'_>,
    owner: Tz,
) -> Result<EventRecurrence, SkipCode> {
    let (rule, until) = RecurrenceRule::read(value)?;
    // Programs that know no rule without an end write one that nobody lives to see.
    let until = until.filter(|text| !is_for_ever(text));
    let until = until
        .map(|text| until_of(&text, start, zones, owner))
        .transpose()?;
    Ok(EventRecurrence { rule, until })
}

/// What `UNTIL` says: a date means the end of that day in the event's zone. Of an all-day event it is a date: exports that write an
/// instant mean its date in UTC, or the midnight of the owner's day.
fn until_of(
    value: &str,
    start: &EventTime,
    zones: &ZoneContext<'_>,
    owner: Tz,
) -> Result<DateTime<Utc>, SkipCode> {
    let until = when(value, None, zones, start.zone())?;
    let date = match (&until, start) {
        (EventTime::Day(date), _) => *date,
        (EventTime::Time(local, _), EventTime::Day(_)) => {
            day_meant(until.instant(owner), local.date(), owner)
        }
        (EventTime::Time(..), EventTime::Time(..)) => return Ok(until.instant(owner)),
    };
    let next = date.succ_opt().ok_or(BAD_TIME)?.and_time(NaiveTime::MIN);
    Ok(start.zone().resolve(next, owner) - TimeDelta::seconds(1))
}

/// What `one` makes of all `RDATE` or `EXDATE` values, and how many were left out.
fn dates<T>(
    component: &Component<'_>,
    name: &str,
    one: impl Fn(&str, Option<&str>) -> Result<T, SkipCode>,
) -> (Vec<T>, usize) {
    let mut out = Vec::new();
    let mut spoilt = 0;
    for property in props(component, name) {
        let tzid = param(property, "TZID");
        for value in property.val.as_str().split(',') {
            match one(value, tzid) {
                Ok(read) if out.len() < MAX_DATES => out.push(read),
                Ok(_) | Err(_) => spoilt += 1,
            }
        }
    }
    (out, spoilt)
}

/// What stands for the `UID` that RFC 5545 asks for and Apple's and handwritten files lack, or for one that is too long:
/// the same text, the same name.
pub(super) fn nameless(component: &Component<'_>) -> String {
    let said = ["UID", "DTSTART", "SUMMARY"].map(|name| text(component, name).unwrap_or_default());
    format!("nameless-{}", sha256_hex(said.join("\n").as_bytes()))
}

pub(super) fn prop<'a>(component: &'a Component<'_>, name: &'a str) -> Option<&'a Property<'a>> {
    props(component, name).next()
}

pub(super) fn props<'a>(
    component: &'a Component<'_>,
    name: &'a str,
) -> impl Iterator<Item = &'a Property<'a>> {
    component
        .properties
        .iter()
        .filter(move |p| p.name.as_str().eq_ignore_ascii_case(name))
}

pub(super) fn text<'a>(component: &'a Component<'_>, name: &'a str) -> Option<&'a str> {
    prop(component, name)
        .map(|p| p.val.as_str().trim())
        .filter(|t| !t.is_empty())
}

pub(super) fn param<'a>(property: &'a Property<'_>, name: &str) -> Option<&'a str> {
    property
        .params
        .iter()
        .find(|p| p.key.as_str().eq_ignore_ascii_case(name))
        .and_then(|p| p.val.as_ref())
        .map(icalendar::parser::ParseString::as_str)
}

/// What an event is called; where its time is not certain, the name says so wherever it is shown.
fn title(summary: &str, uncertain: bool) -> String {
    const MARK: &str = " (time zone unknown)";
    if !uncertain {
        return clipped(summary);
    }
    let room = DisplayLabel::MAX - MARK.len();
    let mut out: String = summary.chars().take(room).collect();
    out.push_str(MARK);
    out
}

pub(super) fn clipped(text: &str) -> String {
    text.chars().take(MAX_TEXT).collect()
}
