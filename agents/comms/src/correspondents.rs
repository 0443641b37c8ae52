//! What can be said of one sender or chat.
//!
//! What: `comms.describe_correspondent`: counts of the last day and since they are counted, who waits, what was learned, whether they are always let
//! through, and where the name comes from.
//! Why: somebody who wants to know of Miriam asks one question. Not here: her name (`names`), what was learned of all (`learning`).

use super::{CommsAgent, MessageRecord};
use toolcall_schema::{
    Timestamp,
    catalogue::{
        correspondent::{Correspondent, DescribeCorrespondent, NameSource},
        learning::LearnedThing,
        shared::ThingId,
    },
    ids::{ChannelHash, PersonHash},
    result::ToolErrorCode,
};

impl CommsAgent {
    /// Carries out `comms.describe_correspondent`.
    ///
    /// # Errors
    /// `not_found` for a message that is not known any more, and for what is no sender and no chat.
    pub(super) fn describe_correspondent(
        &mut self,
        args: &DescribeCorrespondent,
        at: Timestamp,
    ) -> Result<Correspondent, ToolErrorCode> {
        // Who is one person at several addresses is read with them.
        self.read_contacts_early();
        let about = self.correspondent(&args.about).ok_or(ToolErrorCode::NotFound)?;
        self.read_names(&[ThingId::from(&about)]);
        let theirs: Vec<&MessageRecord> = self
            .window
            .due(at)
            .filter(|item| self.is_from(item, &about))
            .collect();
        let waits: Vec<&MessageRecord> = self
            .window
            .waiting_longest(at)
            .filter(|item| self.is_from(item, &about))
            .collect();
        let counted = self.history.counted_of(&about).unwrap_or_default();
        let learned = self.history.treated_as(&about);
        let (addresses, named_by) = match &about {
            LearnedThing::Person(person) => (self.merged.all(person).count(), self.person_source(person)),
            LearnedThing::Channel(channel) => (1, self.channel_source(channel)),
        };
        Ok(Correspondent {
            addresses: count(addresses),
            named_by,
            day: count(theirs.len()),
            waiting: count(waits.len()),
            waits_since: waits.iter().map(|item| item.at).min(),
            received: counted.received,
            answered: counted.answered,
            minutes: counted.minutes.checked_div(counted.timed),
            wrote_to: counted.wrote_to,
            class: learned.map(|(class, _)| class),
            why: learned.map(|(_, why)| why),
            corrected: self.history.correction(&about).is_some(),
            let_through: self.is_let_through(&about),
            about,
        })
    }

    /// Whom an id is of: a message is its sender's, else its chat's.
    fn correspondent(&self, thing: &ThingId) -> Option<LearnedThing> {
        match thing {
            ThingId::Person(person) => Some(LearnedThing::Person(self.merged.first(person).clone())),
            ThingId::Channel(channel) => Some(LearnedThing::Channel(channel.clone())),
            ThingId::Item(item) => {
                let item = self.window.get(item)?;
                let person = item.person.as_ref();
                let person = person.map(|person| LearnedThing::Person(self.merged.first(person).clone()));
                Some(person.unwrap_or_else(|| LearnedThing::Channel(item.channel.clone())))
            }
            ThingId::Event(_) | ThingId::Txn(_) | ThingId::Merchant(_) => None,
        }
    }

    fn is_from(&self, item: &MessageRecord, about: &LearnedThing) -> bool {
        match about {
            LearnedThing::Person(person) => {
                let who = item.person.as_ref();
                who.is_some_and(|who| self.merged.first(who) == self.merged.first(person))
            }
            LearnedThing::Channel(channel) => item.channel == *channel || item.list.as_ref() == Some(channel),
        }
    }

    fn person_source(&self, person: &PersonHash) -> Option<NameSource> {
        if self
            .merged
            .all(person)
            .any(|one| self.contacts.name(one).is_some())
        {
            return Some(NameSource::Contacts);
        }
        let called = self.merged.all(person).any(|one| self.people.contains_key(one));
        called.then_some(NameSource::Sender)
    }

    fn channel_source(&self, channel: &ChannelHash) -> Option<NameSource> {
        let Some(name) = self.channels.get(channel) else {
            return self.by_program(channel).map(|_| NameSource::Program);
        };
        if self.is_mail_folder(channel) {
            return Some(NameSource::Folder);
        }
        let contact = self.contact_of_number(name);
        Some(contact.map_or(NameSource::Sender, |_| NameSource::Contacts))
    }
}

fn count(many: usize) -> u32 {
    u32::try_from(many).unwrap_or(u32::MAX)
}
