//! What the agenda, the card before a meeting and the page about an event ask, answered over Calendar and Comms.
//!
//! What: [`MeetingBackend`] for [`ServiceBackend`]. Why: who is invited and what of theirs waits meet on the page that asked and nowhere else: neither agent
//! learns of the other's, and nothing is kept. Not here: names (`owner`), how it is said (`surfaces`).

use super::ServiceBackend;
use chrono::NaiveDate;
use std::collections::BTreeMap;
use surfaces::backend::{
    BackendFuture,
    meetings::{MeetingBackend, MeetingPerson, MeetingView},
    owner::OwnerBackend as _,
    people::PeopleBackend as _,
};
use toolcall_schema::{
    ToolName,
    catalogue::{
        calendar::{DescribeMeeting, EventList, InvitedPerson, ListEvents, MeetingDescription},
        comms::TriagedItem,
        correspondent::Correspondent,
        learning::LearnedThing,
        shared::ThingId,
    },
    ids::{EventId, PersonHash},
};

impl MeetingBackend for ServiceBackend {
    fn meeting(&self, event: EventId) -> BackendFuture<Option<MeetingView>> {
        let me = self.clone();
        Box::pin(async move {
            let args = serde_json::to_value(DescribeMeeting { event_id: event }).ok()?;
            let mut said: MeetingDescription = me.ask(ToolName::DescribeMeeting, args).await?;
            let (people, waits) = me.guests(&mut said).await;
            let waiting = if waits {
                me.messages_of(&people).await
            } else {
                Vec::new()
            };
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
            me.ask(ToolName::ListEvents, args).await
        })
    }
}

/// People by the id that stands for them, each with their place in the invitation.
type Guests = BTreeMap<PersonHash, (usize, MeetingPerson)>;

impl ServiceBackend {
    /// Who is invited, as Comms knows them, and whether anything of theirs waits. Who is invited at two addresses is counted once.
    async fn guests(&self, said: &mut MeetingDescription) -> (Guests, bool) {
        let (mut guests, mut waits, mut is_there) = (Guests::new(), false, true);
        for (place, invited) in said.people.iter().enumerate() {
            // Of somebody who never wrote Comms says so; silence means that it is busy, for the others as well.
            let known = if is_there {
                self.correspondent(ThingId::Person(invited.person.clone())).await
            } else {
                None
            };
            is_there = known.is_some();
            waits |= known.as_ref().is_some_and(|known| known.waiting > 0);
            let one = guest(invited, known);
            guests.entry(one.person.clone()).or_insert((place, one));
        }
        let twice = said.people.len().saturating_sub(guests.len());
        said.others = said
            .others
            .saturating_sub(u32::try_from(twice).unwrap_or(u32::MAX));
        (guests, waits)
    }

    /// The messages of these people that wait for the owner's answer.
    async fn messages_of(&self, guests: &Guests) -> Vec<TriagedItem> {
        let mut theirs = Vec::new();
        let urgent = self.waiting().await.map(|triage| triage.urgent);
        for item in urgent.unwrap_or_default() {
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
        invited_as: invited.name.as_str().to_owned(),
        is_known,
    }
}
