//! People of several addresses, put together for a page by the owner's word.
//!
//! What: [`other_addresses`], [`combine_senders`], [`combine_ways`]. Why: what was kept before two were one person stays under either id, and a page
//! tells of both as one. Not here: who is one person (Comms), what is kept (the backend).

use std::collections::BTreeSet;
use surfaces_base::backend::people::{KeptSender, SenderWays};
use toolcall_schema::{
    catalogue::{
        correspondent::{SamePeopleList, SamePeopleRow},
        learning::LearnedThing,
    },
    ids::PersonHash,
};

/// What the owner said of somebody, by the address that stands for them.
pub fn rows_about<'a>(
    list: &'a SamePeopleList,
    about: &'a LearnedThing,
) -> impl Iterator<Item = &'a SamePeopleRow> {
    list.rows.iter().filter(move |row| match about {
        LearnedThing::Person(person) => row.first == *person,
        LearnedThing::Channel(_) => false,
    })
}

/// The other addresses of somebody.
pub fn other_addresses(list: &SamePeopleList, about: &LearnedThing) -> BTreeSet<PersonHash> {
    let all = rows_about(list, about).flat_map(|row| [&row.person, &row.other]);
    all.filter(|one| one.as_str() != about.as_str())
        .cloned()
        .collect()
}

/// The address that stands for somebody who has another.
fn first_of<'a>(list: &'a SamePeopleList, about: &LearnedThing) -> Option<&'a PersonHash> {
    let LearnedThing::Person(person) = about else {
        return None;
    };
    let names = |row: &&SamePeopleRow| row.person == *person || row.other == *person;
    let row = list.rows.iter().find(names)?;
    (row.first != *person).then_some(&row.first)
}

/// Each person once, with the messages of all their addresses.
pub(crate) fn combine_senders(all: Vec<KeptSender>, list: &SamePeopleList) -> Vec<KeptSender> {
    let has_first = |sender: &KeptSender| first_of(list, &sender.about).is_some();
    let (others, mut firsts): (Vec<KeptSender>, Vec<KeptSender>) = all.into_iter().partition(has_first);
    for other in others {
        let Some(first) = first_of(list, &other.about) else {
            continue;
        };
        let about = LearnedThing::Person(first.clone());
        match firsts.iter_mut().find(|sender| sender.about == about) {
            Some(known) => {
                known.messages = known.messages.saturating_add(other.messages);
                known.at = known.at.max(other.at);
                if known.own_name.is_none() {
                    known.own_name = other.own_name;
                }
            }
            None => firsts.push(KeptSender { about, ..other }),
        }
    }
    firsts
}

/// The ways of each person's addresses as theirs.
pub(crate) fn combine_ways(ways: SenderWays, list: &SamePeopleList) -> SenderWays {
    let mut out = SenderWays::new();
    for (about, ways) in ways {
        let about = match first_of(list, &about) {
            Some(first) => LearnedThing::Person(first.clone()),
            None => about,
        };
        let known = out.entry(about).or_default();
        for way in ways {
            if !known.contains(&way) {
                known.push(way);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use surfaces_base::backend::people::MessageWay;
    use toolcall_schema::Timestamp;

    const WORK: &str = "pe_0000000000000001";
    const HOME: &str = "pe_0000000000000002";
    const CHAT: &str = "pe_0000000000000003";
    const BO: &str = "pe_0000000000000004";

    fn person(id: &str) -> PersonHash {
        PersonHash::parse(id).unwrap()
    }

    fn about(id: &str) -> LearnedThing {
        LearnedThing::parse(id).unwrap()
    }

    fn kept(id: &str, messages: u64, minute: i64, own_name: Option<&str>) -> KeptSender {
        KeptSender {
            about: about(id),
            messages,
            at: Timestamp::from_ms(minute * 60_000),
            own_name: own_name.map(str::to_owned),
            wrote_in: None,
        }
    }

    /// Work is home and work is the chat's.
    fn list() -> SamePeopleList {
        let row = |other: &str| SamePeopleRow {
            person: person(WORK),
            other: person(other),
            first: person(WORK),
        };
        SamePeopleList {
            rows: vec![row(HOME), row(CHAT)],
        }
    }

    #[test]
    fn each_person_is_one_with_the_sum_the_newest_and_a_name() {
        let all = vec![
            kept(HOME, 3, 9, Some("Mum")),
            kept(BO, 4, 1, None),
            kept(WORK, 2, 5, None),
            kept(CHAT, 5, 7, None),
        ];
        assert_eq!(
            combine_senders(all.clone(), &list()),
            [kept(BO, 4, 1, None), kept(WORK, 10, 9, Some("Mum"))]
        );
        assert_eq!(combine_senders(all.clone(), &SamePeopleList::default()), all);
        // Of the address that stands for them nothing was kept.
        assert_eq!(
            combine_senders(vec![kept(HOME, 3, 9, None)], &list()),
            [kept(WORK, 3, 9, None)]
        );
    }

    #[test]
    fn other_addresses_are_those_of_the_same_person() {
        let others = [person(HOME), person(CHAT)];
        assert_eq!(other_addresses(&list(), &about(WORK)), others.into());
        assert!(other_addresses(&list(), &about(BO)).is_empty());
        assert!(other_addresses(&list(), &about("ch_0000000000000001")).is_empty());
    }

    #[test]
    fn ways_of_all_addresses_are_theirs_each_once() {
        let ways: SenderWays = [
            (about(WORK), vec![MessageWay::Mail]),
            (about(HOME), vec![MessageWay::Mail]),
            (about(CHAT), vec![MessageWay::Program("WhatsApp")]),
        ]
        .into();
        let together = vec![MessageWay::Mail, MessageWay::Program("WhatsApp")];
        assert_eq!(combine_ways(ways, &list()), [(about(WORK), together)].into());
    }
}
