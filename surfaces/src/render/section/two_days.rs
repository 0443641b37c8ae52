//! Today and tomorrow as a calendar has them.
//!
//! What: [`blocks`]: each event by its title, time and place, which of them clash, and what begins the next day. Why: an event is asked about where it is
//! seen. Not here: the page about one (`meeting`), what the brief said (`brief`).

use super::{SectionBlock, SectionItem};
use chrono_tz::Tz;
use std::collections::BTreeSet;
use surfaces_base::{
    backend::{
        DisplayNames,
        meetings::{PlannedEvent, TwoDays},
    },
    format, words,
};
use toolcall_schema::{catalogue::shared::ThingId, ids::EventId};

/// Events of a day that are listed.
const LISTED_MAX: usize = 24;
/// Pairs that are named.
const CLASHES_MAX: usize = 3;

/// What has to be named for it.
pub fn ids(days: &TwoDays) -> BTreeSet<ThingId> {
    let ids = days.events.iter().map(|event| &event.id);
    ids.cloned().map(ThingId::Event).collect()
}

/// The events of today, and those of tomorrow.
fn split(days: &TwoDays, zone: Tz) -> (Vec<&PlannedEvent>, Vec<&PlannedEvent>) {
    let today = format::local_date(days.at, zone);
    let begun = |event: &&PlannedEvent| format::local_date(event.start, zone) <= today;
    days.events.iter().partition(begun)
}

fn count(events: &[&PlannedEvent]) -> u32 {
    u32::try_from(events.len()).unwrap_or(u32::MAX)
}

/// How many events today has, and which of them clash.
pub(crate) fn today_says(days: &TwoDays, names: &DisplayNames, zone: Tz) -> Vec<String> {
    let (today, _) = split(days, zone);
    if today.is_empty() {
        return vec![words::NO_EVENT_TODAY.say().to_owned()];
    }
    let mut says = vec![words::things_today(count(&today))];
    says.extend(clashes(days, &today, names, zone));
    says
}

/// Two events of today that overlap and are not over, the one that begins first before the other.
pub(crate) fn clash_of_today<'a>(days: &'a TwoDays, zone: Tz) -> Option<[&'a PlannedEvent; 2]> {
    let (today, _) = split(days, zone);
    let of = |id: &EventId| -> Option<&'a PlannedEvent> {
        today
            .iter()
            .copied()
            .find(|event| event.id == *id && event.end > days.at)
    };
    days.conflicts
        .iter()
        .find_map(|pair| Some([of(&pair.earlier)?, of(&pair.later)?]))
}

/// A block for each of the two days.
pub fn blocks(days: &TwoDays, names: &DisplayNames, zone: Tz) -> Vec<SectionBlock> {
    let (today, tomorrow) = split(days, zone);
    let of_today = today_says(days, names, zone);
    // What lasts all day begins at no hour.
    let of_tomorrow = match (tomorrow.iter().find(|event| !event.all_day), tomorrow.is_empty()) {
        (None, true) => vec![words::NO_EVENT_TOMORROW.say().to_owned()],
        (None, false) => vec![words::all_day_tomorrow(count(&tomorrow))],
        (Some(first), _) => {
            let at = format::clock(first.start, zone);
            let mut says = vec![words::things_tomorrow(
                count(&tomorrow),
                names.get(first.id.as_str()),
                &at,
            )];
            says.extend(clashes(days, &tomorrow, names, zone));
            says
        }
    };
    let rows = |events: &[&PlannedEvent]| -> Vec<SectionItem> {
        let listed = events.iter().take(LISTED_MAX);
        listed.map(|event| row(event, days, names, zone)).collect()
    };
    vec![
        SectionBlock {
            id: "today",
            title: words::TODAY.say(),
            says: of_today,
            items: rows(&today),
        },
        SectionBlock {
            id: "tomorrow",
            title: words::TOMORROW_DAY.say(),
            says: of_tomorrow,
            items: rows(&tomorrow),
        },
    ]
}

/// What an event is called.
pub fn title<'a>(event: &EventId, names: &'a DisplayNames) -> &'a str {
    names.get(event.as_str()).unwrap_or(words::UNTITLED_EVENT.say())
}

fn row(event: &PlannedEvent, days: &TwoDays, names: &DisplayNames, zone: Tz) -> SectionItem {
    // The heading says which day it is; of what began before it, the end alone is news.
    let began = format::local_date(event.start, zone);
    let today = format::local_date(days.at, zone);
    let times = if event.all_day {
        words::ON_WHOLE_DAYS.say().to_owned()
    } else if began < today {
        words::until(&format::clock_on(event.end, days.at, zone))
    } else {
        let until = format::clock_on(event.end, event.start, zone);
        words::span(&format::clock(event.start, zone), &until)
    };
    SectionItem {
        note: event.place.clone(),
        about: Some(ThingId::Event(event.id.clone())),
        ..SectionItem::new(title(&event.id, names), times)
    }
}

/// Which events of a day overlap, those that are over left out.
fn clashes(days: &TwoDays, of_day: &[&PlannedEvent], names: &DisplayNames, zone: Tz) -> Vec<String> {
    let of = |id: &EventId| of_day.iter().find(|event| event.id == *id && event.end > days.at);
    let pairs: Vec<String> = days
        .conflicts
        .iter()
        .filter_map(|pair| {
            let (first, second) = (of(&pair.earlier)?, of(&pair.later)?);
            let at = format::clock(second.start, zone);
            Some(words::they_clash(
                title(&first.id, names),
                title(&second.id, names),
                &at,
            ))
        })
        .collect();
    let more = u32::try_from(pairs.len().saturating_sub(CLASHES_MAX)).unwrap_or(u32::MAX);
    let more = (more > 0).then(|| words::more_clash(more));
    pairs.into_iter().take(CLASHES_MAX).chain(more).collect()
}
