//! Which addresses are one person's.
//!
//! What: [`group_people`], from cards to people; [`MergedPeople`], the same as keyed hashes, as it stands in the state. Why: what is kept of messages
//! stays by address, and is put together where it is looked at: so a contact that is gone merges nothing any more, and nothing has to be
//! undone. Not here: cards (`card`), what is counted of people (`history`).

use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use toolcall_schema::{forget::ErasureScope, ids::PersonHash};

/// A card with its addresses as keyed hashes. Not `Debug`: it holds text from outside.
#[derive(Clone)]
pub(super) struct HashedCard {
    pub(super) name: Option<Arc<str>>,
    pub(super) people: Vec<PersonHash>,
}

impl HashedCard {
    /// Two cards are of one person when they share an address and are called the same, but for case.
    fn is_called_as(&self, other: &Self) -> bool {
        match (&self.name, &other.name) {
            (Some(one), Some(other)) => one.to_lowercase() == other.to_lowercase(),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        }
    }
}

/// What cards say of people.
#[derive(Default)]
pub(super) struct GroupedPeople {
    /// What each address's person is called.
    pub(super) names: BTreeMap<PersonHash, Arc<str>>,
    /// The addresses of each person who has several.
    pub(super) groups: Vec<Vec<PersonHash>>,
    /// How many people there are.
    pub(super) people: u32,
    /// How many addresses stand in cards of different names: they are nobody's.
    pub(super) shared: u32,
}

/// Puts cards together: those that share an address and have one name are one person. An address that stands under two names, as a family's or
/// a firm's does, is nobody's: it would make one person of all.
pub(super) fn group_people<'a>(cards: impl IntoIterator<Item = &'a HashedCard>) -> GroupedPeople {
    let cards: Vec<&HashedCard> = cards.into_iter().collect();
    let mut holders: BTreeMap<&PersonHash, Vec<usize>> = BTreeMap::new();
    for (card, place) in cards.iter().zip(0..) {
        for person in &card.people {
            holders.entry(person).or_default().push(place);
        }
    }
    // The first card of each person; a card points to an earlier one, or to itself.
    let mut first_card: Vec<usize> = (0..cards.len()).collect();
    let mut shared: BTreeSet<&PersonHash> = BTreeSet::new();
    for (person, places) in &holders {
        let held: Vec<(usize, &&HashedCard)> = places
            .iter()
            .filter_map(|place| Some((*place, cards.get(*place)?)))
            .collect();
        let Some((first, rest)) = held.split_first() else {
            continue;
        };
        if rest.iter().any(|(_, card)| !card.is_called_as(first.1)) {
            shared.insert(*person);
            continue;
        }
        for (place, _) in rest {
            let (one, other) = (root(&first_card, first.0), root(&first_card, *place));
            if let Some(of) = first_card.get_mut(one.max(other)) {
                *of = one.min(other);
            }
        }
    }
    let mut people: BTreeMap<usize, (Option<Arc<str>>, Vec<PersonHash>)> = BTreeMap::new();
    let mut taken: BTreeSet<&PersonHash> = BTreeSet::new();
    for (card, place) in cards.iter().zip(0..) {
        let (name, addresses) = people.entry(root(&first_card, place)).or_default();
        if name.is_none() {
            name.clone_from(&card.name);
        }
        for person in &card.people {
            if !shared.contains(person) && taken.insert(person) {
                addresses.push(person.clone());
            }
        }
    }
    let mut out = GroupedPeople {
        people: u32::try_from(people.len()).unwrap_or(u32::MAX),
        shared: u32::try_from(shared.len()).unwrap_or(u32::MAX),
        ..GroupedPeople::default()
    };
    for (name, addresses) in people.into_values() {
        if let Some(name) = name {
            out.names
                .extend(addresses.iter().map(|person| (person.clone(), name.clone())));
        }
        if addresses.len() > 1 {
            out.groups.push(addresses);
        }
    }
    out
}

fn root(first_card: &[usize], place: usize) -> usize {
    let mut at = place;
    while let Some(of) = first_card.get(at).filter(|of| **of != at) {
        at = *of;
    }
    at
}

/// People with several addresses, by keyed hashes: no name, no address. In the state stand those of whom something is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<Vec<PersonHash>>", into = "Vec<Vec<PersonHash>>")]
pub(crate) struct MergedPeople {
    /// Of each address of a person the one that stands for them.
    first_of: BTreeMap<PersonHash, PersonHash>,
    /// All addresses of a person by the one that stands for them, which is the first.
    all_of: BTreeMap<PersonHash, Vec<PersonHash>>,
}

impl From<Vec<Vec<PersonHash>>> for MergedPeople {
    fn from(groups: Vec<Vec<PersonHash>>) -> Self {
        let mut merged = Self::default();
        for group in groups {
            let mut of: Vec<PersonHash> = Vec::new();
            for person in group {
                if !merged.first_of.contains_key(&person) && !of.contains(&person) {
                    of.push(person);
                }
            }
            let Some(first) = of.first().filter(|_| of.len() > 1).cloned() else {
                continue;
            };
            merged
                .first_of
                .extend(of.iter().map(|person| (person.clone(), first.clone())));
            merged.all_of.insert(first, of);
        }
        merged
    }
}

impl From<MergedPeople> for Vec<Vec<PersonHash>> {
    fn from(merged: MergedPeople) -> Self {
        merged.all_of.into_values().collect()
    }
}

impl MergedPeople {
    /// These people; whoever was known by one of their addresses goes on standing under it.
    pub(crate) fn keeping_firsts(groups: Vec<Vec<PersonHash>>, known: &Self) -> Self {
        let with_first = groups.into_iter().map(|mut group| {
            let first = group.iter().find_map(|person| known.first_of.get(person));
            let place = first.and_then(|first| group.iter().position(|person| person == first));
            if let Some(place) = place {
                group.swap(0, place);
            }
            group
        });
        with_first.collect::<Vec<_>>().into()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all_of.is_empty()
    }

    /// The address that stands for somebody: their own, unless they have several.
    pub(crate) fn first<'a>(&'a self, person: &'a PersonHash) -> &'a PersonHash {
        self.first_of.get(person).unwrap_or(person)
    }

    /// All addresses of somebody.
    pub(crate) fn all<'a>(&'a self, person: &'a PersonHash) -> impl Iterator<Item = &'a PersonHash> {
        let group = self.all_of.get(self.first(person));
        let alone = group.is_none().then_some(person);
        group.into_iter().flatten().chain(alone)
    }

    /// Those of whom something is kept at two addresses at least, the one that stands for them among these.
    pub(crate) fn of_whom_is_kept(&self, is_kept: impl Fn(&PersonHash) -> bool) -> Self {
        let groups = self.all_of.iter().filter_map(|(first, all)| {
            let kept = all.iter().filter(|person| *person == first || is_kept(person));
            let kept: Vec<PersonHash> = kept.cloned().collect();
            (kept.len() > 1).then_some(kept)
        });
        groups.collect::<Vec<_>>().into()
    }

    /// The same with all addresses of each person whom it names.
    pub(crate) fn widen(&self, what: &ErasureScope) -> ErasureScope {
        let mut what = what.clone();
        let named = self.all_of.values().filter(|all| is_named(all, &what));
        let more: Vec<String> = named.flatten().map(|person| person.as_str().to_owned()).collect();
        what.things.extend(more);
        what
    }

    /// Removes the people whom the owner wants forgotten.
    pub(crate) fn forget(&mut self, what: &ErasureScope) {
        let all = std::mem::take(self);
        let stay = all
            .all_of
            .into_values()
            .filter(|all| !is_named(all, what) && !what.is_everything());
        *self = stay.collect::<Vec<_>>().into();
    }
}

fn is_named(all: &[PersonHash], what: &ErasureScope) -> bool {
    all.iter().any(|person| what.covers_thing(person.as_str()))
}
