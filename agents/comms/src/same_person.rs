//! Who is one person by the owner's word.
//!
//! What: [`SamePeople`], pairs of senders, with `comms.same_person` and `comms.list_same_people`. Why: contacts do not know every address and no account
//! of a chat; what the owner says is put together with them, so that one mechanism merges (`contacts`). Not here: what is counted of a person (`history`).

use super::{CommsAgent, contacts::MergedPeople};
use serde::{Deserialize, Serialize};
use toolcall_schema::{
    catalogue::correspondent::{SAME_PEOPLE_MAX, SamePeopleList, SamePeopleRow, SamePerson},
    forget::ErasureScope,
    ids::PersonHash,
    result::ToolErrorCode,
};

/// Pairs, in the order in which the owner said so: no name, no address.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct SamePeople(Vec<(PersonHash, PersonHash)>);

impl SamePeople {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Everybody whom the owner named.
    pub(super) fn people(&self) -> impl Iterator<Item = &PersonHash> {
        self.0.iter().flat_map(|(person, other)| [person, other])
    }

    /// The people of contacts with those whom the owner put together. Who has no group is one alone.
    pub(crate) fn added_to(&self, mut groups: Vec<Vec<PersonHash>>) -> Vec<Vec<PersonHash>> {
        for (person, other) in &self.0 {
            let of = take_group(&mut groups, person);
            let rest = if of.contains(other) {
                Vec::new()
            } else {
                take_group(&mut groups, other)
            };
            groups.push(of.into_iter().chain(rest).collect());
        }
        groups
    }

    /// Removes the pairs that name whom the owner wants forgotten.
    pub(crate) fn forget(&mut self, what: &ErasureScope) {
        let goes = |person: &PersonHash| what.covers_thing(person.as_str());
        self.0
            .retain(|(person, other)| !what.is_everything() && !goes(person) && !goes(other));
    }

    fn list(&self, merged: &MergedPeople) -> SamePeopleList {
        let row = |(person, other): &(PersonHash, PersonHash)| SamePeopleRow {
            person: person.clone(),
            other: other.clone(),
            first: merged.first(person).clone(),
        };
        SamePeopleList {
            rows: self.0.iter().take(SAME_PEOPLE_MAX).map(row).collect(),
        }
    }

    /// Whether anything was taken away.
    fn remove(&mut self, one: &PersonHash, two: &PersonHash) -> bool {
        let before = self.0.len();
        self.0
            .retain(|(person, other)| (person, other) != (one, two) && (person, other) != (two, one));
        self.0.len() != before
    }
}

/// Takes out the group of somebody.
fn take_group(groups: &mut Vec<Vec<PersonHash>>, person: &PersonHash) -> Vec<PersonHash> {
    match groups.iter().position(|group| group.contains(person)) {
        Some(place) => groups.remove(place),
        None => vec![person.clone()],
    }
}

impl CommsAgent {
    /// Carries out `comms.same_person`.
    ///
    /// # Errors
    /// `not_found` for somebody and themselves, `unavailable` when there are as many pairs as may be.
    pub(super) fn same_person(&mut self, args: &SamePerson) -> Result<SamePerson, ToolErrorCode> {
        // Who is one person by contacts is read with them.
        self.read_contacts_early();
        if args.person == args.other {
            return Err(ToolErrorCode::NotFound);
        }
        if !args.same {
            if self.same.remove(&args.person, &args.other) {
                self.merge_again();
            }
        } else if self.merged.first(&args.person) != self.merged.first(&args.other) {
            if self.same.0.len() >= SAME_PEOPLE_MAX {
                return Err(ToolErrorCode::Unavailable);
            }
            self.same.0.push((args.person.clone(), args.other.clone()));
            self.merge_again();
        }
        Ok(args.clone())
    }

    /// Carries out `comms.list_same_people`.
    pub(super) fn list_same_people(&mut self) -> SamePeopleList {
        self.read_contacts_early();
        self.same.list(&self.merged)
    }

    fn merge_again(&mut self) {
        self.merge_contacts();
        self.changed = true;
    }
}
