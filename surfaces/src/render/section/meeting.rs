//! What one wants to know before a meeting: who is there, what they wait for, where it is.
//!
//! What: [`block`], from what Calendar and Comms say; [`ids`], what has to be named for it. Why: the card and the page about the event say the same. Not
//! here: markup (`web::meeting_page`), whether there is a card (the machine).

use super::{SectionItem, waiting};
use chrono_tz::Tz;
use std::collections::BTreeSet;
use surfaces_base::{
    backend::{
        DisplayNames,
        meetings::{MeetingPerson, MeetingView},
    },
    format, words,
};
use toolcall_schema::{Timestamp, catalogue::shared::ThingId, ids::PersonHash};

/// People that are named; how many more there are is said.
pub(crate) const NAMED_MAX: usize = 12;

/// What is shown of an event.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MeetingBlock {
    /// May be a name from outside.
    pub title: String,
    pub when: String,
    pub people: Vec<MeetingGuest>,
    /// Others who are not named.
    pub more: u32,
    /// Their messages that wait, the longest first.
    pub waiting: Vec<SectionItem>,
    /// From outside.
    pub place: Option<String>,
    pub way: Option<String>,
}

/// Somebody who will be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MeetingGuest {
    /// May be a name from outside.
    pub name: String,
    /// Whose page the name leads to.
    pub page: Option<PersonHash>,
}

/// The event, its people, and the messages that wait.
pub(crate) fn ids(view: &MeetingView) -> BTreeSet<ThingId> {
    let people = view.people.iter().take(NAMED_MAX);
    people
        .map(|one| ThingId::Person(one.person.clone()))
        .chain(view.waiting.iter().flat_map(waiting::ids_of))
        .chain([ThingId::Event(view.said.event_id.clone())])
        .collect()
}

/// All of it at `now`.
pub(crate) fn block(view: &MeetingView, names: &DisplayNames, now: Timestamp, zone: Tz) -> MeetingBlock {
    let said = &view.said;
    let title = names.get(said.event_id.as_str()).map(str::to_owned);
    let title = title.or_else(|| said.title.as_ref().map(|title| title.as_str().to_owned()));
    let people: Vec<MeetingGuest> = view
        .people
        .iter()
        .take(NAMED_MAX)
        .map(|one| guest(one, names))
        .collect();
    let shown = u32::try_from(people.len()).unwrap_or(u32::MAX);
    let mut items: Vec<_> = view.waiting.iter().collect();
    items.sort_by_key(|item| (item.at, &item.item_id));
    let leave_by = said.leave_by.filter(|at| *at >= now);
    MeetingBlock {
        title: title.unwrap_or_else(|| words::UNTITLED_EVENT.say().to_owned()),
        when: if said.all_day {
            format::day(said.start, zone)
        } else {
            let end = format::clock_on(said.end, said.start, zone);
            words::from_to(&format::clock_on(said.start, now, zone), &end)
        },
        people,
        more: said.others.saturating_sub(shown),
        waiting: items
            .into_iter()
            .map(|item| {
                waiting::row(
                    item,
                    now,
                    zone,
                    names,
                    &surfaces_base::backend::people::SenderWays::new(),
                )
            })
            .collect(),
        place: said.place.as_ref().map(|place| place.as_str().to_owned()),
        way: (said.travel_min > 0).then(|| {
            let travel = format::minutes(i64::from(said.travel_min));
            words::meeting_way(&travel, leave_by.map(|at| format::clock(at, zone)).as_deref())
        }),
    }
}

/// What the owner or Comms calls somebody, else what the invitation does.
fn guest(one: &MeetingPerson, names: &DisplayNames) -> MeetingGuest {
    let name = names.get(one.person.as_str()).unwrap_or(&one.invited_as);
    MeetingGuest {
        name: name.to_owned(),
        page: one.is_known.then(|| one.person.clone()),
    }
}
