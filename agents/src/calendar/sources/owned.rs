//! What an event says about its owner: focus, the way there, the invitation.
//!
//! What: one function each, on a parsed component. Why: they decide what is proposed, and none of them is a time. Not
//! here: times and names (`ics`), minutes from a place (`model`).

use super::{
    ics::{clipped, param, props, text},
    values::{duration, geo},
};
use crate::{
    calendar::model::TravelTime,
    contract::{CalendarPreferences, TravelMode, place_key},
};
use icalendar::parser::Component;
use toolcall_schema::ids::SecretKey;

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
        let value = attendee.val.as_str().trim().to_ascii_lowercase();
        let address = value.strip_prefix("mailto:").unwrap_or(&value);
        if !addresses.iter().any(|own| own == address) {
            continue;
        }
        let answer = param(attendee, "PARTSTAT").unwrap_or("NEEDS-ACTION");
        answered.declined |= answer.eq_ignore_ascii_case("DECLINED");
        answered.tentative |= answer.eq_ignore_ascii_case("TENTATIVE");
        if answer.eq_ignore_ascii_case("NEEDS-ACTION") {
            invited = organizer.clone().map(|organizer| OpenInvitation {
                owner: address.to_owned(),
                organizer,
            });
        }
    }
    (invited, answered)
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
    let name = text(component, "LOCATION")
        .map(plain_place)
        .filter(|name| is_somewhere(name));
    let told = name
        .as_ref()
        .and_then(|name| preferences.minutes_to(&place_key(key, name)));
    (
        told.map(|min| TravelTime::Minutes { min }),
        name.map(String::into_boxed_str),
    )
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
