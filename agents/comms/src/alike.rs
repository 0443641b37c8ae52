//! People and chats of one name, told apart.
//!
//! What: [`CommsAgent::names_apart`], the names of what is asked for together, and beside them the address, the program, the end of the number, the chat or the hour where two are called the same. Why: a page
//! asks for the names of its rows at once, and whoever reads it has to know which Asha waits. Not here: where names stand (`names`); an address is in
//! memory alone, as names are.

use super::{CommsAgent, MessageRecord, contacts::phone_number};
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::{
    catalogue::{learning::LearnedThing, shared::ThingId},
    ids::{ItemId, PersonHash},
};

/// What things are called, or what stands beside that.
type TextOfThing<'a> = BTreeMap<&'a ThingId, String>;

/// What is called the same, in small letters, by whom it is: one person at several addresses is called so once.
type AlikeNames = BTreeMap<String, BTreeSet<LearnedThing>>;

/// What may tell people or chats of one name apart, in the order in which it is looked at.
#[derive(Debug, Clone, Copy)]
enum MarkKind {
    /// The address that somebody writes from, else the program that posts it.
    Address,
    /// The end of the number that somebody writes from, as the source says it.
    Number,
    /// The chat in which somebody wrote.
    Chat,
    /// When the last message came.
    LastHour,
}

impl MarkKind {
    const ALL: [Self; 4] = [Self::Address, Self::Number, Self::Chat, Self::LastHour];
}

/// Digits of a number that are shown.
const NUMBER_END: usize = 4;

impl CommsAgent {
    /// What these are called, as far as it is in memory or where it stands, and what tells those apart who have one name.
    pub(super) fn names_apart<'a>(&mut self, ids: &'a [ThingId]) -> (TextOfThing<'a>, TextOfThing<'a>) {
        self.read_names(ids);
        let names = self.names_of(ids);
        let alike: Vec<&ThingId> = self.alike(&names);
        if alike.is_empty() {
            return (names, TextOfThing::new());
        }
        self.read_addresses(&alike);
        let mut of_names: BTreeMap<String, Vec<&ThingId>> = BTreeMap::new();
        for id in alike {
            let key = names.get(id).map_or_else(String::new, |name| key_of(id, name));
            of_names.entry(key).or_default().push(id);
        }
        let mut marks: BTreeMap<&ThingId, Vec<String>> = BTreeMap::new();
        for of_name in of_names.values() {
            self.add_marks(of_name, &MarkKind::ALL, &mut marks);
        }
        let told = marks.into_iter().filter_map(|(id, marks)| {
            let name = names.get(id)?;
            let marks: Vec<String> = marks.into_iter().filter(|mark| mark != name).collect();
            (!marks.is_empty()).then(|| (id, marks.join(", ")))
        });
        let told = told.collect();
        (names, told)
    }

    /// Adds what tells these apart who have one name, the first that does; then within those who have that in common.
    fn add_marks<'a>(
        &self,
        ids: &[&'a ThingId],
        kinds: &[MarkKind],
        marks: &mut BTreeMap<&'a ThingId, Vec<String>>,
    ) {
        let people: BTreeSet<Option<LearnedThing>> = ids.iter().map(|id| self.who_is(id)).collect();
        let [kind, rest @ ..] = kinds else { return };
        if people.len() < 2 {
            return;
        }
        let mut by_mark: BTreeMap<Option<String>, Vec<&ThingId>> = BTreeMap::new();
        for id in ids {
            by_mark.entry(self.mark_of(id, *kind)).or_default().push(id);
        }
        // What all of them have in common tells nothing.
        let tells = by_mark.len() > 1;
        for (mark, ids) in by_mark {
            if let Some(mark) = mark.filter(|_| tells) {
                for id in &ids {
                    marks.entry(id).or_default().push(mark.clone());
                }
            }
            self.add_marks(&ids, rest, marks);
        }
    }

    /// Those whose name somebody else has too.
    fn alike<'a>(&self, names: &BTreeMap<&'a ThingId, String>) -> Vec<&'a ThingId> {
        let mut by_name = AlikeNames::new();
        let called = |id: &ThingId, name: &str| Some((key_of(id, name), self.who_is(id)?));
        for (key, who) in names.iter().filter_map(|(id, name)| called(id, name)) {
            by_name.entry(key).or_default().insert(who);
        }
        by_name.retain(|_, who| who.len() > 1);
        let is_one = |(id, name): &(&&ThingId, &String)| by_name.contains_key(&key_of(id, name));
        names.iter().filter(is_one).map(|(id, _)| *id).collect()
    }

    /// Who or what chat it is.
    fn who_is(&self, id: &ThingId) -> Option<LearnedThing> {
        if let ThingId::Channel(channel) = id {
            return Some(LearnedThing::Channel(channel.clone()));
        }
        let person = self.person_of(id)?;
        Some(LearnedThing::Person(self.merged.first(person).clone()))
    }

    fn person_of<'a>(&'a self, id: &'a ThingId) -> Option<&'a PersonHash> {
        match id {
            ThingId::Item(item) => self.window.get(item)?.person.as_ref(),
            ThingId::Person(person) => Some(person),
            ThingId::Channel(_) | ThingId::Event(_) | ThingId::Txn(_) | ThingId::Merchant(_) => None,
        }
    }

    /// What it has of a kind that may tell it apart.
    fn mark_of(&self, id: &ThingId, kind: MarkKind) -> Option<String> {
        let person = self.person_of(id);
        match kind {
            MarkKind::Address => {
                let address = person.and_then(|person| self.written_from.get(person));
                address.cloned().or_else(|| {
                    let app = self.newest_of(id)?.app.as_ref()?;
                    self.program_of(app).map(str::to_owned)
                })
            }
            MarkKind::Number => {
                let called = if let ThingId::Channel(channel) = id {
                    self.channels.get(channel)
                } else {
                    self.people.get(person?)
                };
                let number = phone_number(called?)?;
                let digits = number.get(number.len().checked_sub(NUMBER_END)?..)?;
                Some(format!("…{digits}"))
            }
            MarkKind::Chat => {
                let chat = self.channels.get(&person.and(self.newest_of(id))?.channel)?;
                // Who writes to the owner alone writes in a chat of their own name or number.
                let is_own = phone_number(chat).is_some()
                    || person.and_then(|person| self.people.get(person)) == Some(chat);
                (!is_own).then(|| chat.clone())
            }
            MarkKind::LastHour => {
                let who = self.who_is(id)?;
                let is_theirs = |item: &&MessageRecord| match &who {
                    LearnedThing::Channel(channel) => item.channel == *channel,
                    LearnedThing::Person(person) => item
                        .person
                        .as_ref()
                        .is_some_and(|one| self.merged.first(one) == person),
                };
                let mut items = self.window.all_items().rev();
                let at = items
                    .find(is_theirs)?
                    .at
                    .utc()
                    .with_timezone(&self.setup.owner.zone);
                Some(at.format("%H:%M").to_string())
            }
        }
    }

    /// The message itself, else the newest of somebody or of a chat.
    fn newest_of(&self, id: &ThingId) -> Option<&MessageRecord> {
        let newest =
            |is: &dyn Fn(&MessageRecord) -> bool| self.window.all_items().rev().find(|item| is(item));
        match id {
            ThingId::Item(item) => self.window.get(item),
            ThingId::Person(person) => newest(&|item| item.person.as_ref() == Some(person)),
            ThingId::Channel(channel) => newest(&|item| item.channel == *channel),
            ThingId::Event(_) | ThingId::Txn(_) | ThingId::Merchant(_) => None,
        }
    }

    /// Reads the addresses of these that are not in memory, where their mail still lies.
    fn read_addresses(&mut self, ids: &[&ThingId]) {
        let unknown = ids.iter().filter(|id| {
            self.person_of(id)
                .is_some_and(|person| !self.written_from.contains_key(person))
        });
        let places = unknown.filter_map(|id| self.place_of_mail(id));
        let places: BTreeMap<_, ItemId> = places.map(|(place, item)| (place, item.clone())).collect();
        if !places.is_empty() {
            self.read_places(places);
        }
    }
}

/// A chat may be called as who wrote last in it.
fn key_of(id: &ThingId, name: &str) -> String {
    let kind = if matches!(id, ThingId::Channel(_)) {
        "chat"
    } else {
        "person"
    };
    format!("{kind} {}", name.trim().to_lowercase())
}
