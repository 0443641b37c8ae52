//! What the agenda, the card before a meeting, the page about an event and the days of the brief ask, answered over Calendar, Comms and the store.
//!
//! What: [`MeetingBackend`] for [`ServiceBackend`]. Why: who is invited and what of theirs waits meet on the page that asked and nowhere else: neither agent
//! learns of the other's, and nothing is kept. Not here: names (`owner`), how it is said (`surfaces`).

use super::{ServiceBackend, decisions::trace_of, read};
use aura_memory::{
    StoreError, StoreReader,
    audit::{AuditSubject, Kind},
};
use chrono::{Days, NaiveDate};
use std::collections::BTreeMap;
use surfaces_base::{
    backend::{
        BackendError, BackendFuture,
        meetings::{EVENT_DAYS, MeetingBackend, MeetingPerson, MeetingView, PlannedEvent, TwoDays},
        owner::OwnerBackend as _,
        people::PeopleBackend as _,
    },
    format::{local_date, midnight},
    visible::visible,
};
use toolcall_schema::{
    Timestamp, ToolName,
    catalogue::{
        calendar::{
            DescribeMeeting, DetectConflicts, DetectConflictsResult, EventConflict, EventList, InvitedPerson,
            ListEvents, ListTasks, ListedEvent, MeetingDescription, TaskList,
        },
        comms::TriagedItem,
        correspondent::Correspondent,
        learning::LearnedThing,
        shared::{DisplayLabel, ThingId},
    },
    ids::{EventId, PersonHash},
    trace::Trace,
};

/// Traces that are read at a time, and decisions about one event that a page shows.
const TRACES_PAGE: usize = 512;
const DECISIONS_MAX: usize = 64;

impl MeetingBackend for ServiceBackend {
    fn meeting(&self, event: EventId) -> BackendFuture<Option<MeetingView>> {
        let me = self.clone();
        Box::pin(async move {
            let mut said = me.described(event).await?;
            let (people, waits) = me.guests(&mut said).await;
            let waiting = me.messages_of(&people, waits).await;
            let mut people: Vec<(usize, MeetingPerson)> = people.into_values().collect();
            people.sort_by_key(|(place, _)| *place);
            Some(MeetingView {
                said,
                people: people.into_iter().map(|(_, one)| one).collect(),
                waiting,
            })
        })
    }

    fn agenda(&self, first: NaiveDate, days: u32) -> BackendFuture<Option<EventList>> {
        let me = self.clone();
        Box::pin(async move {
            let args = serde_json::to_value(ListEvents { first, days }).ok()?;
            let mut list: EventList = me.ask(ToolName::ListEvents, args).await?;
            for event in &mut list.events {
                show_steering(&mut event.title);
                show_steering(&mut event.place);
            }
            for event in &mut list.cancelled {
                show_steering(&mut event.title);
            }
            Some(list)
        })
    }

    fn tasks(&self, first: NaiveDate, days: u32) -> BackendFuture<Option<TaskList>> {
        let me = self.clone();
        Box::pin(async move {
            let args = serde_json::to_value(ListTasks { first, days }).ok()?;
            let mut list: TaskList = me.ask(ToolName::ListTasks, args).await?;
            for task in &mut list.tasks {
                show_steering(&mut task.title);
                show_steering(&mut task.list);
            }
            Some(list)
        })
    }

    fn two_days(&self) -> BackendFuture<Result<TwoDays, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let look = me.look().await?;
            let (at, zone) = (look.state.wall(look.at), look.env.settings.zone);
            let today = local_date(at, zone);
            let tomorrow = today.checked_add_days(Days::new(1)).unwrap_or(today);
            let after = tomorrow.checked_add_days(Days::new(1)).unwrap_or(tomorrow);
            let (from, to) = (midnight(today, zone), midnight(after, zone));
            let mut events: Vec<PlannedEvent> = if let Some(list) = me.agenda(today, 2).await {
                list.events.into_iter().map(planned_event).collect()
            } else {
                // Calendar is busy: when each is, is known all the same.
                let ahead = look.state.known.events_wall.iter();
                let planned = ahead.map(|(id, times)| PlannedEvent {
                    id: id.clone(),
                    start: times.start,
                    end: times.end,
                    all_day: false,
                    place: None,
                });
                planned.collect()
            };
            events.retain(|event| event.start < to && event.end > from);
            events.sort_by(|a, b| (a.start, a.end, &a.id).cmp(&(b.start, b.end, &b.id)));
            let mut conflicts = me.conflicts_on(today).await;
            conflicts.extend(me.conflicts_on(tomorrow).await);
            Ok(TwoDays {
                at,
                events,
                conflicts,
            })
        })
    }

    fn clashes(&self, event: EventId, start: Timestamp) -> BackendFuture<Vec<EventId>> {
        let me = self.clone();
        Box::pin(async move {
            let Ok(look) = me.look().await else {
                return Vec::new();
            };
            let day = local_date(start, look.env.settings.zone);
            let pairs = me.conflicts_on(day).await.into_iter();
            let other = |pair: EventConflict| match (pair.earlier == event, pair.later == event) {
                (true, _) => Some(pair.later),
                (_, true) => Some(pair.earlier),
                (false, false) => None,
            };
            pairs.filter_map(other).collect()
        })
    }

    fn event_decisions(&self, event: EventId) -> BackendFuture<Result<Vec<Trace>, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            me.shows(AuditSubject::all_of(Kind::Traces)).await?;
            let since = me.clock.wall().plus_min(-EVENT_DAYS * 24 * 60);
            read(me.readers.clone(), move |reader| {
                decisions_about(reader, &event, since)
            })
            .await
        })
    }
}

/// The decisions since then in which an event is named, newest first.
fn decisions_about(
    reader: &StoreReader,
    event: &EventId,
    since: Timestamp,
) -> Result<Vec<Trace>, StoreError> {
    // What does not name it is not parsed.
    let named = format!("\"{event}\"");
    let (mut found, mut before) = (Vec::new(), None);
    loop {
        let rows = reader.traces(TRACES_PAGE, before)?;
        before = rows.last().map(|row| row.tick);
        let is_last = rows.len() < TRACES_PAGE || rows.last().is_some_and(|row| row.at_ms < since.ms());
        let about = rows.iter().filter(|row| row.json.contains(&named));
        let traces = about.filter_map(|row| trace_of(&row.json));
        found.extend(traces.filter(|trace| trace.decision.ts >= since));
        if is_last || found.len() >= DECISIONS_MAX {
            found.truncate(DECISIONS_MAX);
            return Ok(found);
        }
    }
}

/// A text from outside as names are shown: what steers or hides is shown, not obeyed.
fn show_steering(label: &mut Option<DisplayLabel>) {
    *label = label
        .take()
        .and_then(|label| DisplayLabel::sanitize(&visible(label.as_str())));
}

fn planned_event(event: ListedEvent) -> PlannedEvent {
    PlannedEvent {
        id: event.event_id,
        start: event.start,
        end: event.end,
        all_day: event.all_day,
        place: event.place.map(|place| place.as_str().to_owned()),
    }
}

/// People by the id that stands for them, each with their place in the invitation.
type Guests = BTreeMap<PersonHash, (usize, MeetingPerson)>;

impl ServiceBackend {
    async fn described(&self, event: EventId) -> Option<MeetingDescription> {
        let args = serde_json::to_value(DescribeMeeting { event_id: event }).ok()?;
        let mut said: MeetingDescription = self.ask(ToolName::DescribeMeeting, args).await?;
        show_steering(&mut said.title);
        show_steering(&mut said.place);
        Some(said)
    }

    /// The pairs that overlap on a local day; none also when Calendar does not say soon.
    async fn conflicts_on(&self, day: NaiveDate) -> Vec<EventConflict> {
        let Ok(args) = serde_json::to_value(DetectConflicts { day }) else {
            return Vec::new();
        };
        let found: Option<DetectConflictsResult> = self.ask(ToolName::DetectConflicts, args).await;
        found.map(|found| found.conflicts).unwrap_or_default()
    }

    /// Who is invited, as Comms knows them, and how much of theirs waits. Who is invited at two addresses is one guest.
    async fn guests(&self, said: &mut MeetingDescription) -> (Guests, usize) {
        let (mut guests, mut waits, mut is_there) = (Guests::new(), 0, true);
        for (place, invited) in said.people.iter().enumerate() {
            // Of somebody who never wrote Comms says so; silence means that it is busy, for the others as well.
            let known = if is_there {
                self.correspondent(ThingId::Person(invited.person.clone())).await
            } else {
                None
            };
            is_there = known.is_some();
            let waiting = known.as_ref().map_or(0, |known| known.waiting);
            waits += usize::try_from(waiting).unwrap_or(usize::MAX);
            let one = guest(invited, known);
            guests.entry(one.person.clone()).or_insert((place, one));
        }
        let twice = said.people.len().saturating_sub(guests.len());
        said.others = said
            .others
            .saturating_sub(u32::try_from(twice).unwrap_or(u32::MAX));
        (guests, waits)
    }

    /// The messages of these people that wait for the owner's answer, `most` of them.
    async fn messages_of(&self, guests: &Guests, most: usize) -> Vec<TriagedItem> {
        let mut theirs = Vec::new();
        if most == 0 {
            return theirs;
        }
        let urgent = self.waiting().await.map(|triage| triage.urgent);
        for item in urgent.unwrap_or_default() {
            if theirs.len() >= most {
                break;
            }
            let Some(sender) = self.correspondent(ThingId::Item(item.item_id.clone())).await else {
                // It is known no longer, or Comms is busy.
                continue;
            };
            if let LearnedThing::Person(person) = sender.about
                && guests.contains_key(&person)
            {
                theirs.push(item);
            }
        }
        theirs
    }
}

fn guest(invited: &InvitedPerson, known: Option<Correspondent>) -> MeetingPerson {
    let is_known = known
        .as_ref()
        .is_some_and(|known| known.day > 0 || known.received > 0 || known.wrote_to);
    let stands_for = known.and_then(|known| match known.about {
        LearnedThing::Person(person) => Some(person),
        LearnedThing::Channel(_) => None,
    });
    MeetingPerson {
        person: stands_for.unwrap_or_else(|| invited.person.clone()),
        invited_as: visible(invited.name.as_str()).into_owned(),
        is_known,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_turns_a_title_around_is_shown() {
        let shown = |text: &str| {
            let mut label = DisplayLabel::sanitize(text);
            show_steering(&mut label);
            label.map(|label| label.as_str().to_owned())
        };
        assert_eq!(shown("Loom"), Some("Loom".to_owned()));
        assert_eq!(shown("Loom\u{202e}evil"), Some("Loom\\u{202e}evil".to_owned()));
        assert_eq!(shown(""), None);
    }
}
