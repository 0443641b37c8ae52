//! What an event says about its owner: focus, the way there, the invitation, and who else is invited.
//!
//! What: one function each, on a parsed component. Why: they decide what is proposed, and none of them is a time. Not
//! here: times and names (`ics`), minutes from a place (`model`).

use super::{
    ics::{clipped, param, props, text},
    values::{duration, geo},
};
use crate::model::TravelTime;
use agents_base::contract::{CalendarPreferences, TravelMode, place_key};
use icalendar::parser::{Component, Property};
use std::collections::BTreeSet;
use toolcall_schema::{
    catalogue::{
        calendar::{InvitedPerson, MEETING_PEOPLE_MAX},
        shared::DisplayLabel,
    },
    ids::{PersonHash, SecretKey},
};

/// Characters of a place's name.
const MAX_PLACE: usize = 120;
/// Minutes of travel that are believed.
const MAX_TRAVEL_MIN: u32 = 24 * 60;

/// An invitation that the owner has not answered. Not `Debug`: it holds addresses.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct OpenInvitation {
    /// The owner's address as the invitation has it, without `mailto:`, lower case.
    pub(crate) owner: String,
    /// The organizer's address as it stands in the file, e.g. `mailto:a@example.org`.
    pub(crate) organizer: String,
}

/// Who else is invited. Not `Debug`: it holds names.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Invitees {
    /// The first of them, at most [`MEETING_PEOPLE_MAX`].
    pub(crate) people: Vec<InvitedPerson>,
    /// All of them.
    pub(crate) others: u32,
}

/// What the owner has answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct OwnerParticipation {
    /// Will not come.
    pub(crate) declined: bool,
    /// May come.
    pub(crate) tentative: bool,
}

/// The open invitation, where there is somebody to answer, and what the owner has answered. A missing `PARTSTAT` is
/// `NEEDS-ACTION` (RFC 5545, 3.2.12).
pub(crate) fn invitation(
    component: &Component<'_>,
    addresses: &[String],
) -> (Option<OpenInvitation>, OwnerParticipation) {
    let organizer = text(component, "ORGANIZER").map(clipped);
    let mut invited = None;
    let mut answered = OwnerParticipation::default();
    for attendee in props(component, "ATTENDEE") {
        let address = calendar_address(attendee);
        if !addresses.contains(&address) {
            continue;
        }
        let answer = param(attendee, "PARTSTAT").unwrap_or("NEEDS-ACTION");
        answered.declined |= answer.eq_ignore_ascii_case("DECLINED");
        answered.tentative |= answer.eq_ignore_ascii_case("TENTATIVE");
        if answer.eq_ignore_ascii_case("NEEDS-ACTION") {
            invited = organizer.clone().map(|organizer| OpenInvitation {
                owner: address.clone(),
                organizer,
            });
        }
    }
    (invited, answered)
}

/// Who else will be there, the organizer included: who declined, rooms and resources do not count, and each address counts once.
/// `None`: nobody.
pub(crate) fn invitees(
    component: &Component<'_>,
    addresses: &[String],
    key: &SecretKey,
) -> Option<Box<Invitees>> {
    let mut met: BTreeSet<PersonHash> = BTreeSet::new();
    let mut people = Vec::new();
    for property in props(component, "ATTENDEE").chain(props(component, "ORGANIZER")) {
        let address = calendar_address(property);
        if address.is_empty() || addresses.contains(&address) {
            continue;
        }
        // As Comms names whoever writes from there.
        let person = key.person(&address);
        let will_come = !has_param(property, "PARTSTAT", &["DECLINED"])
            && !has_param(property, "CUTYPE", &["ROOM", "RESOURCE"]);
        // An organizer who declined as attendee was met before.
        if !met.insert(person.clone()) || !will_come {
            continue;
        }
        let called = param(property, "CN").map(|name| name.trim_matches('"'));
        let name = called.and_then(DisplayLabel::sanitize);
        people.extend(
            name.or_else(|| DisplayLabel::sanitize(&address))
                .map(|name| InvitedPerson { person, name }),
        );
    }
    let others = u32::try_from(people.len()).unwrap_or(u32::MAX);
    people.truncate(MEETING_PEOPLE_MAX);
    people.shrink_to_fit();
    (others > 0).then(|| Box::new(Invitees { people, others }))
}

/// The address of an attendee or organizer, lower case: what `EMAIL` says, else the value without `mailto:`.
fn calendar_address(property: &Property<'_>) -> String {
    let value = property.val.as_str();
    let written = param(property, "EMAIL").unwrap_or(value).trim_matches('"').trim();
    let address = written.to_lowercase();
    address.strip_prefix("mailto:").unwrap_or(&address).to_owned()
}

fn has_param(property: &Property<'_>, name: &str, values: &[&str]) -> bool {
    param(property, name).is_some_and(|said| values.iter().any(|value| said.eq_ignore_ascii_case(value)))
}

/// Category `FOCUS`, or a summary that begins with "Focus".
pub(crate) fn focus(component: &Component<'_>) -> bool {
    let category = props(component, "CATEGORIES")
        .flat_map(|p| p.val.as_str().split(','))
        .any(|c| c.trim().eq_ignore_ascii_case("focus"));
    let summary = text(component, "SUMMARY")
        .and_then(|s| s.get(..5))
        .is_some_and(|s| s.eq_ignore_ascii_case("focus"));
    category || summary
}

/// How to get there: what the event measures, else what the owner told of the place that it names. With the place's name, where it measures nothing.
pub(crate) fn travel(
    component: &Component<'_>,
    preferences: &CalendarPreferences,
    key: &SecretKey,
) -> (Option<TravelTime>, Option<Box<str>>) {
    if let Some(measured) = measured_travel(component, preferences) {
        return (Some(measured), None);
    }
    let name = location(component).filter(|name| is_somewhere(name));
    let told = name
        .as_ref()
        .and_then(|name| preferences.minutes_to(&place_key(key, name)));
    (
        told.map(|min| TravelTime::Minutes { min }),
        name.map(String::into_boxed_str),
    )
}

/// What `LOCATION` says, be it a place or a call.
pub(crate) fn location(component: &Component<'_>) -> Option<String> {
    text(component, "LOCATION")
        .map(plain_place)
        .filter(|name| !name.is_empty())
}

/// A place's name on one line, with the characters that iCalendar escapes.
fn plain_place(written: &str) -> String {
    let plain = written
        .replace("\\n", " ")
        .replace("\\N", " ")
        .replace("\\,", ",")
        .replace("\\;", ";");
    let words = plain.split(|c: char| c.is_whitespace() || c.is_control());
    let plain = words
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    plain.chars().take(MAX_PLACE).collect()
}

/// Whether one goes there: an address of the network and what meetings over it are called are no place.
fn is_somewhere(name: &str) -> bool {
    let lower = name.to_lowercase();
    let calls = [
        "zoom",
        "teams",
        "webex",
        "google meet",
        "jitsi",
        "skype",
        "online",
        "virtual",
        "telefon",
        "phone call",
        "video call",
    ];
    !name.is_empty() && !lower.contains("://") && !calls.iter().any(|call| lower.contains(call))
}

/// `X-AURA-TRAVEL-MIN`, else `X-APPLE-TRAVEL-DURATION`, else `GEO` at the owner's speed of `X-AURA-MODE`. A `LOCATION`
/// alone is a name, not a place: nothing is guessed from it.
fn measured_travel(component: &Component<'_>, preferences: &CalendarPreferences) -> Option<TravelTime> {
    let minutes = text(component, "X-AURA-TRAVEL-MIN").and_then(|t| t.parse::<u32>().ok());
    let apple = || {
        let lasts = duration(text(component, "X-APPLE-TRAVEL-DURATION")?)?;
        u32::try_from(lasts.days * 1440 + lasts.exact.num_minutes()).ok()
    };
    if let Some(min) = minutes.or_else(apple) {
        return Some(TravelTime::Minutes {
            min: min.min(MAX_TRAVEL_MIN),
        });
    }
    let place = geo(text(component, "GEO")?)?;
    let mode = text(component, "X-AURA-MODE").and_then(TravelMode::parse);
    Some(TravelTime::Place {
        place,
        tenth_kmh: preferences.tenth_kmh(mode),
    })
}
