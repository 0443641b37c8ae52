//! People and chats of one name, told apart.
//!
//! What: [`CommsAgent::names_apart`], the names of what is asked for together, with the address or the program where two would be called the same. Why: a page
//! asks for the names of its rows at once, and whoever reads it has to know which Asha waits. Not here: where names stand (`names`); an address is in
//! memory alone, as names are.

use super::{CommsAgent, model::MessageRecord};
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::{
    catalogue::{learning::LearnedThing, shared::ThingId},
    ids::{AppHash, ItemId, PersonHash},
};

/// What is called the same, in small letters, by whom it is: one person at several addresses is called so once.
type AlikeNames = BTreeMap<String, BTreeSet<LearnedThing>>;

impl CommsAgent {
    /// What these are called, as far as it is in memory or where it stands.
    pub(super) fn names_apart<'a>(&mut self, ids: &'a [ThingId]) -> BTreeMap<&'a ThingId, String> {
        self.read_names(ids);
        let mut names = self.names_of(ids);
        let alike: Vec<&ThingId> = self.alike(&names);
        if alike.is_empty() {
            return names;
        }
        self.read_addresses(&alike);
        let mut marks: BTreeMap<String, BTreeMap<&ThingId, Option<String>>> = BTreeMap::new();
        for id in alike {
            let of_name = marks.entry(names.get(id).map_or_else(String::new, |name| key_of(id, name)));
            of_name.or_default().insert(id, self.mark_of(id));
        }
        for of_name in marks.into_values() {
            let different: BTreeSet<&Option<String>> = of_name.values().collect();
            // What all of them have in common tells nothing.
            if different.len() < 2 {
                continue;
            }
            for (id, mark) in of_name {
                if let (Some(name), Some(mark)) = (names.get_mut(id), mark)
                    && *name != mark
                {
                    *name = format!("{name} ({mark})");
                }
            }
        }
        names
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

    /// What tells it apart: the address that somebody writes from, else the program that posts it.
    fn mark_of(&self, id: &ThingId) -> Option<String> {
        let address = self
            .person_of(id)
            .and_then(|person| self.written_from.get(person));
        if let Some(address) = address {
            return Some(address.clone());
        }
        let newest = |is: &dyn Fn(&MessageRecord) -> bool| {
            let mut items = self.window.items().iter().rev();
            items.find(|item| is(item)).and_then(|item| item.app.as_ref())
        };
        let app: Option<&AppHash> = match id {
            ThingId::Item(item) => self.window.get(item)?.app.as_ref(),
            ThingId::Person(person) => newest(&|item| item.person.as_ref() == Some(person)),
            ThingId::Channel(channel) => newest(&|item| item.channel == *channel),
            ThingId::Event(_) | ThingId::Txn(_) | ThingId::Merchant(_) => None,
        };
        self.program_of(app?).map(str::to_owned)
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
