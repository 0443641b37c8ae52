//! iCalendar objects: from bytes to [`Event`]s.
//!
//! What: [`read`]. Why: every export of a calendar comes down to VEVENTs. Not here: cutting a file into components
//! (`lines`), recurrence (`recur`), VTODO, VFREEBUSY and VTIMEZONE (left out: zones go by IANA name).

use super::{
    lines::{BROKEN_EVENT, Block, blocks},
    values::{When, duration, geo, when},
};
use crate::{
    calendar::model::Travel,
    shared::{PARSER_GAVE_UP, SkipCode, guarded},
};
use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use icalendar::parser::{Component, Property, read_calendar_simple};
use std::sync::Arc;
use toolcall_schema::Timestamp;

/// A time of the event cannot be read.
pub const BAD_TIME: SkipCode = SkipCode {
    code: "AGENT-014",
    message: "this event has no UID, or a time that cannot be read: dates need an IANA time zone and a year from 1900 to 2200",
};

/// Extra and excluded dates that are read of one event.
const MAX_DATES: usize = 1024;
/// Characters of a UID or an organizer's address.
const MAX_TEXT: usize = 512;
/// Minutes of travel that are believed.
const MAX_TRAVEL_MIN: u32 = 24 * 60;

/// One VEVENT. Not `Debug`: it holds text from outside, which stays in this agent's memory.
#[derive(Clone, PartialEq)]
pub struct Event {
    /// The file or signal it came from, for skips.
    pub item: Arc<str>,
    /// The line of its `BEGIN`, from 1.
    pub line: u64,
    /// The series it belongs to.
    pub uid: String,
    /// What it is called.
    pub summary: Option<String>,
    /// The instance of the series that it replaces.
    pub replaces: Option<DateTime<Utc>>,
    /// Its (first) start.
    pub start: When,
    /// From start to end, not negative.
    pub lasts: TimeDelta,
    /// `RRULE` without `UNTIL`.
    pub rule: Option<String>,
    /// The last instant at which an instance may start.
    pub until: Option<DateTime<Utc>>,
    /// Extra starts.
    pub extra: Vec<DateTime<Utc>>,
    /// Starts that are left out.
    pub excluded: Vec<DateTime<Utc>>,
    /// Marked as a focus block.
    pub focus: bool,
    /// Does not make the owner busy.
    pub transparent: bool,
    /// Cancelled, or declined by the owner.
    pub cancelled: bool,
    /// How to get there.
    pub travel: Option<Travel>,
    /// When it was made: `CREATED`, else `DTSTAMP`.
    pub created: Option<Timestamp>,
    /// The owner's address, when the owner is invited and has not answered and there is somebody to answer.
    pub invited: Option<String>,
    /// The organizer's address as it stands in the file, e.g. `mailto:a@example.org`.
    pub organizer: Option<String>,
    /// The version, `SEQUENCE`.
    pub sequence: u32,
    /// `DTSTAMP`: breaks ties between copies of one version.
    pub stamp: Option<Timestamp>,
}

/// What was read: events, and what was left out with its line.
pub struct Read {
    /// In the order of the file.
    pub events: Vec<Event>,
    /// Line from 1.
    pub skips: Vec<(SkipCode, u64)>,
}

/// Reads a file or a posted object; `item` names it in skips. `owner` is the zone of floating times; `addresses` are the owner's, lower case.
pub fn read(bytes: &[u8], item: &str, owner: Tz, addresses: &[String]) -> Read {
    let blocks = blocks(bytes);
    let item: Arc<str> = item.into();
    let mut out = Read {
        events: Vec::new(),
        skips: blocks.skips,
    };
    for block in &blocks.events {
        match guarded(|| event(block, &item, owner, addresses)).unwrap_or(Err(PARSER_GAVE_UP)) {
            Ok(mut event) => {
                event.cancelled |= blocks.cancel;
                out.events.push(event);
            }
            Err(code) => out.skips.push((code, block.line)),
        }
    }
    out
}

fn event(block: &Block, item: &Arc<str>, owner: Tz, addresses: &[String]) -> Result<Event, SkipCode> {
    let components = read_calendar_simple(&block.text).map_err(|_| BROKEN_EVENT)?;
    let [component] = components.as_slice() else {
        return Err(BROKEN_EVENT);
    };
    let has = |name| text(component, name).is_some();
    let time = |name| prop(component, name).and_then(|p| time_of(p, owner));
    let instant = |name| time(name).map(|t| Timestamp::from(t.instant(owner)));
    let uid = text(component, "UID").ok_or(BAD_TIME)?;
    let start = time("DTSTART").ok_or(BAD_TIME)?;
    let replaces = time("RECURRENCE-ID").map(|t| t.instant(owner));
    if has("RECURRENCE-ID") && replaces.is_none() {
        return Err(BAD_TIME);
    }
    let lasts = match (time("DTEND"), text(component, "DURATION")) {
        (Some(end), _) => end.instant(owner) - start.instant(owner),
        (None, Some(value)) => duration(value).ok_or(BAD_TIME)?,
        (None, None) if has("DTEND") => return Err(BAD_TIME),
        (None, None) => TimeDelta::zero(),
    };
    if lasts < TimeDelta::zero() || lasts > TimeDelta::days(400) {
        return Err(BAD_TIME);
    }
    let (rule, until) = match text(component, "RRULE") {
        Some(value) => rule(value, start, owner)?,
        None => (None, None),
    };
    let organizer = text(component, "ORGANIZER").map(clipped);
    let (invited, declined) = invitation(component, addresses);
    let is = |name, value: &str| text(component, name).is_some_and(|t| t.eq_ignore_ascii_case(value));
    Ok(Event {
        item: item.clone(),
        line: block.line,
        uid: clipped(uid),
        summary: text(component, "SUMMARY").map(|summary| clipped(&unescaped(summary))),
        replaces,
        start,
        lasts,
        rule,
        until,
        extra: dates(component, "RDATE", owner),
        excluded: dates(component, "EXDATE", owner),
        focus: focus(component),
        transparent: is("TRANSP", "TRANSPARENT"),
        cancelled: is("STATUS", "CANCELLED") || declined,
        travel: travel(component),
        created: instant("CREATED").or_else(|| instant("DTSTAMP")),
        invited: invited.filter(|_| organizer.is_some()),
        organizer,
        sequence: text(component, "SEQUENCE")
            .and_then(|t| t.parse().ok())
            .unwrap_or(0),
        stamp: instant("DTSTAMP"),
    })
}

fn prop<'a>(component: &'a Component<'_>, name: &'a str) -> Option<&'a Property<'a>> {
    props(component, name).next()
}

fn props<'a>(component: &'a Component<'_>, name: &'a str) -> impl Iterator<Item = &'a Property<'a>> {
    component
        .properties
        .iter()
        .filter(move |p| p.name.as_str().eq_ignore_ascii_case(name))
}

fn text<'a>(component: &'a Component<'_>, name: &'a str) -> Option<&'a str> {
    prop(component, name)
        .map(|p| p.val.as_str().trim())
        .filter(|t| !t.is_empty())
}

fn param<'a>(property: &'a Property<'_>, name: &str) -> Option<&'a str> {
    property
        .params
        .iter()
        .find(|p| p.key.as_str().eq_ignore_ascii_case(name))
        .and_then(|p| p.val.as_ref())
        .map(icalendar::parser::ParseString::as_str)
}

fn time_of(property: &Property<'_>, owner: Tz) -> Option<When> {
    when(property.val.as_str(), param(property, "TZID"), owner)
}

/// A TEXT value without its escapes (RFC 5545, 3.3.11).
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n' | 'N') => out.push('\n'),
            Some(escaped) => out.push(escaped),
            None => {}
        }
    }
    out
}

fn clipped(text: &str) -> String {
    text.chars().take(MAX_TEXT).collect()
}

/// Splits `UNTIL` off a rule: exports write it as a date, a local or a UTC time, and each is taken as what it says. A
/// date means the end of that day.
fn rule(value: &str, start: When, owner: Tz) -> Result<(Option<String>, Option<DateTime<Utc>>), SkipCode> {
    let value = value.to_ascii_uppercase();
    let zone = match start {
        When::Day(_) => owner,
        When::Time(_, zone) => zone,
    };
    let mut until = None;
    let mut rest = Vec::new();
    for part in value.split(';').filter(|part| !part.is_empty()) {
        match part.split_once('=') {
            Some(("UNTIL", text)) => {
                let last = when(text, None, zone).ok_or(BAD_TIME)?;
                until = Some(match last {
                    When::Day(_) => last.instant(zone) + TimeDelta::hours(24) - TimeDelta::seconds(1),
                    When::Time(..) => last.instant(zone),
                });
            }
            Some(_) | None => rest.push(part),
        }
    }
    Ok((Some(rest.join(";")), until))
}

/// The instants of all `RDATE` or `EXDATE` properties; of a period its start. What cannot be read is left out.
fn dates(component: &Component<'_>, name: &str, owner: Tz) -> Vec<DateTime<Utc>> {
    props(component, name)
        .flat_map(|p| {
            let tzid = param(p, "TZID");
            p.val
                .as_str()
                .split(',')
                .filter_map(move |one| when(one.split('/').next()?, tzid, owner))
                .map(|t| t.instant(owner))
                .collect::<Vec<_>>()
        })
        .take(MAX_DATES)
        .collect()
}

/// Category `FOCUS`, or a summary that begins with "Focus".
fn focus(component: &Component<'_>) -> bool {
    let category = props(component, "CATEGORIES")
        .flat_map(|p| p.val.as_str().split(','))
        .any(|c| c.trim().eq_ignore_ascii_case("focus"));
    let summary = text(component, "SUMMARY")
        .and_then(|s| s.get(..5))
        .is_some_and(|s| s.eq_ignore_ascii_case("focus"));
    category || summary
}

/// `X-AURA-TRAVEL-MIN`, else `X-APPLE-TRAVEL-DURATION`, else `GEO` with the speed of `X-AURA-MODE`.
fn travel(component: &Component<'_>) -> Option<Travel> {
    let minutes = text(component, "X-AURA-TRAVEL-MIN").and_then(|t| t.parse::<u32>().ok());
    let apple = || {
        let lasts = duration(text(component, "X-APPLE-TRAVEL-DURATION")?)?;
        u32::try_from(lasts.num_minutes()).ok()
    };
    if let Some(min) = minutes.or_else(apple) {
        return Some(Travel::Minutes {
            min: min.min(MAX_TRAVEL_MIN),
        });
    }
    let place = geo(text(component, "GEO")?)?;
    let mode = text(component, "X-AURA-MODE")
        .unwrap_or_default()
        .to_ascii_lowercase();
    Some(Travel::Place {
        place,
        tenth_kmh: match mode.as_str() {
            "walk" => 45,
            "metro" => 280,
            "bike" => 180,
            // Cab, car and unknown.
            _ => 220,
        },
    })
}

/// Whether the owner is an attendee who has not answered (that address), and whether the owner declined. A missing
/// `PARTSTAT` is `NEEDS-ACTION` (RFC 5545, 3.2.12).
fn invitation(component: &Component<'_>, addresses: &[String]) -> (Option<String>, bool) {
    let mut invited = None;
    let mut declined = false;
    for attendee in props(component, "ATTENDEE") {
        let value = attendee.val.as_str().trim().to_ascii_lowercase();
        let address = value.strip_prefix("mailto:").unwrap_or(&value);
        if addresses.iter().any(|own| own == address) {
            let answer = param(attendee, "PARTSTAT").unwrap_or("NEEDS-ACTION");
            declined |= answer.eq_ignore_ascii_case("DECLINED");
            if answer.eq_ignore_ascii_case("NEEDS-ACTION") {
                invited = Some(address.to_owned());
            }
        }
    }
    (invited, declined)
}
