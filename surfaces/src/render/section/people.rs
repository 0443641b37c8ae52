//! People and chats: the list, and all that is said of one.
//!
//! What: [`find_senders`], who is listed in which order; [`counts`], how loud one is and how they are answered; [`places`], where somebody writes or who
//! writes there. Why: who somebody is to the owner is said in one place. Not here: every kept row as a sentence (`known_rows`), markup
//! (`web::people_page`, `web::person_page`), what is kept (the backend).

use super::{SectionItem, waiting};
use chrono::NaiveDate;
use chrono_tz::Tz;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};
use surfaces_base::{
    backend::{
        DisplayNames,
        people::{KeptAbout, KeptFact, KeptSender, SenderWays},
    },
    format, words,
};
use toolcall_schema::{
    Timestamp,
    catalogue::{
        comms::{MessageClass, TriagedItem},
        correspondent::Correspondent,
        learning::{LearnedRow, LearnedThing},
        shared::ThingId,
    },
    ids::{ChannelHash, PersonHash},
};

/// People or chats in one answer.
pub const SHOWN_MAX: usize = 50;
/// Kept rows of a sort on a page.
pub const ROWS_MAX: usize = 60;
/// Where somebody writes, or who writes there, on a page.
const PLACES_MAX: usize = 20;

/// In which order people and chats are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SenderOrder {
    #[default]
    Loudest,
    MostRecent,
}

/// Who is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ListedKind {
    #[default]
    Both,
    People,
    Chats,
}

impl ListedKind {
    fn covers(self, about: &LearnedThing) -> bool {
        match about {
            LearnedThing::Person(_) => self != ListedKind::Chats,
            LearnedThing::Channel(_) => self != ListedKind::People,
        }
    }
}

/// One of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedSender {
    pub about: LearnedThing,
    /// May be a name from outside.
    pub name: String,
    /// Which of several of that name.
    pub told_apart: String,
    pub value: String,
    pub note: String,
}

/// Who was found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FoundSenders {
    pub rows: Vec<ListedSender>,
    /// More that fit.
    pub more: usize,
    /// Those that no name finds, because nobody names them now.
    pub unnamed: usize,
}

/// Those of a kind, in their order.
pub(crate) fn sort_senders(
    mut all: Vec<KeptSender>,
    kind: ListedKind,
    order: SenderOrder,
) -> Vec<KeptSender> {
    all.retain(|sender| kind.covers(&sender.about));
    all.sort_by_key(|sender| {
        let by = match order {
            SenderOrder::Loudest => (Reverse(sender.messages), Reverse(sender.at)),
            SenderOrder::MostRecent => (Reverse(u64::MAX), Reverse(sender.at)),
        };
        (by, sender.about.clone())
    });
    all
}

/// What has to be named in a list of these: each of them, and where they wrote.
pub(crate) fn ids_of_list<'a>(senders: impl Iterator<Item = &'a KeptSender>) -> BTreeSet<ThingId> {
    let of = |sender: &KeptSender| {
        let chat = sender.wrote_in.clone().map(ThingId::Channel);
        [thing_of(&sender.about)].into_iter().chain(chat)
    };
    senders.flat_map(of).collect()
}

/// Those whose name holds the words, whatever their case; without words all of them. `senders` stand in their order.
pub(crate) fn find_senders(
    senders: &[KeptSender],
    names: &DisplayNames,
    wanted: &str,
    muted: &BTreeMap<ChannelHash, Timestamp>,
    (now, zone): (Timestamp, Tz),
) -> FoundSenders {
    let wanted = wanted.trim().to_lowercase();
    let name_of = |sender: &KeptSender| {
        sender
            .own_name
            .clone()
            .or_else(|| known_name(&sender.about, names))
    };
    let named = senders.iter().map(|sender| (sender, name_of(sender)));
    let (fits, rest): (Vec<_>, Vec<_>) = named.partition(|(_, name)| {
        let holds = |name: &String| name.to_lowercase().contains(&wanted);
        wanted.is_empty() || name.as_ref().is_some_and(holds)
    });
    let mut rows: Vec<ListedSender> = fits
        .iter()
        .take(SHOWN_MAX)
        .map(|(sender, name)| {
            let is_muted = matches!(&sender.about, LearnedThing::Channel(chat) if muted.get(chat).is_some_and(|until| *until > now));
            let seen = words::seen_last(&format::clock_on(sender.at, now, zone));
            let name = name.clone().unwrap_or_else(|| {
                let chat = sender.wrote_in.clone().map(LearnedThing::Channel);
                nameless_in(&sender.about, chat.and_then(|chat| place_name(&chat, names)))
            });
            ListedSender {
                about: sender.about.clone(),
                told_apart: name.clone(),
                name,
                value: if sender.messages == 0 {
                    words::WAITS_FOR_YOU.say().to_owned()
                } else {
                    words::messages_in_all(sender.messages)
                },
                note: if is_muted {
                    format!("{seen}. {}", words::IS_MUTED.say())
                } else {
                    format!("{seen}.")
                },
            }
        })
        .collect();
    tell_apart(&mut rows);
    FoundSenders {
        more: fits.len().saturating_sub(rows.len()),
        unnamed: rest.iter().filter(|(_, name)| name.is_none()).count(),
        rows,
    }
}

/// Says by what each of them writes, and of a chat that it is one, which tells apart two of one name.
pub(crate) fn say_ways(found: &mut FoundSenders, ways: &SenderWays) {
    for row in &mut found.rows {
        let said = ways.get(&row.about).and_then(|ways| match row.about {
            LearnedThing::Person(_) => words::by_ways(ways),
            LearnedThing::Channel(_) => words::chat_by_ways(ways),
        });
        if let Some(said) = said {
            row.note = format!("{said} {}", row.note);
        }
        row.told_apart.clone_from(&row.name);
    }
    tell_apart(&mut found.rows);
}

/// Two of one name are told apart by what is said beside it.
fn tell_apart(rows: &mut [ListedSender]) {
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for row in rows.iter() {
        *count.entry(row.name.clone()).or_default() += 1;
    }
    for row in rows.iter_mut() {
        if count.get(&row.name).is_some_and(|same| *same > 1) {
            row.told_apart = format!("{}, {}, {}", row.name, row.value, row.note);
        }
    }
}

/// What one is called by others, as it is shown: a folder of mail by its folder.
pub(crate) fn known_name(about: &LearnedThing, names: &DisplayNames) -> Option<String> {
    let name = names.get(about.as_str())?;
    Some(match about {
        LearnedThing::Person(_) => name.to_owned(),
        LearnedThing::Channel(_) => words::chat_name(name),
    })
}

/// The same, as whoever has no name there is called by it.
pub(crate) fn place_name(about: &LearnedThing, names: &DisplayNames) -> Option<String> {
    match about {
        LearnedThing::Person(_) => known_name(about, names),
        LearnedThing::Channel(chat) => waiting::place_name(chat.as_str(), names),
    }
}

/// What one is called whom nobody names.
pub fn nameless(about: &LearnedThing) -> &'static str {
    match about {
        LearnedThing::Person(_) => words::SOMEBODY_WROTE.say(),
        LearnedThing::Channel(_) => words::ONE_CHAT.say(),
    }
}

/// The same, by the chat where somebody writes.
pub(crate) fn nameless_in(about: &LearnedThing, chat: Option<String>) -> String {
    match (about, chat) {
        (LearnedThing::Person(_), Some(chat)) => words::somebody_in(&chat),
        (LearnedThing::Person(_) | LearnedThing::Channel(_), _) => nameless(about).to_owned(),
    }
}

/// Who sent a message: by their name, else by the chat where they wrote it. When it was sent stands beside it.
pub(crate) fn sender_of(item: &TriagedItem, names: &DisplayNames) -> String {
    if let Some(name) = names.get(item.item_id.as_str()) {
        return name.to_owned();
    }
    waiting::place_name(item.channel_hash.as_str(), names).map_or_else(
        || words::SOMEBODY_WROTE.say().to_owned(),
        |chat| words::somebody_in(&chat),
    )
}

/// A thing's id as a form sends it.
pub fn id_of(thing: &ThingId) -> &str {
    match thing {
        ThingId::Item(id) => id.as_str(),
        ThingId::Channel(id) => id.as_str(),
        ThingId::Event(id) => id.as_str(),
        ThingId::Txn(id) => id.as_str(),
        ThingId::Merchant(id) => id.as_str(),
        ThingId::Person(id) => id.as_str(),
    }
}

/// The thing that names and deletes one.
pub fn thing_of(about: &LearnedThing) -> ThingId {
    ThingId::from(about)
}

/// How loud one is, who waits, and how they are answered.
pub fn counts(
    kept: &KeptAbout,
    said: Option<&Correspondent>,
    (now, zone): (Timestamp, Tz),
) -> Vec<SectionItem> {
    // Every row is there from the beginning, so that none comes between buttons and who reaches for them; one may go once it is known that nothing was asked.
    let until_said = |value: Option<String>| value.unwrap_or_else(|| words::NOT_SAID_YET.say().to_owned());
    let (all, first) = kept_messages(kept);
    let mut kept_row = SectionItem::new(words::KEPT_MESSAGES.say(), words::messages(all));
    if let Some(first) = first {
        let today = format::local_date(now, zone);
        kept_row = kept_row.note(words::since_day(&format::date_near(first, today)));
    }
    let waiting = said.map(|said| {
        let since = said.waits_since.map(|at| format::clock_on(at, now, zone));
        words::waiting_count(said.waiting, since.as_deref())
    });
    let answered =
        said.map(|said| words::answered_of(said.answered, said.received.max(said.answered), said.minutes));
    // Whoever asks nothing is owed no answer.
    let asks = said.is_none_or(|said| said.waiting > 0 || said.answered > 0);
    let of_day = said.map(|said| words::messages(u64::from(said.day)));
    let mut waits = SectionItem::new(words::WAITING_NOW.say(), until_said(waiting));
    if said.is_some_and(|said| said.waiting > 0) {
        waits = waits.leading_to("/chats#waits");
    }
    let answered = asks.then(|| SectionItem::new(words::YOU_ANSWER.say(), until_said(answered)));
    let rows = [
        SectionItem::new(words::LAST_DAY.say(), until_said(of_day)),
        kept_row,
        waits,
    ];
    rows.into_iter().chain(answered).collect()
}

/// Messages that are kept as counts, and the first day of them: of a chat all of its days, of a person what they wrote.
fn kept_messages(kept: &KeptAbout) -> (u64, Option<NaiveDate>) {
    let days: Vec<(NaiveDate, u32)> = kept
        .things
        .iter()
        .filter_map(|row| match row.fact {
            KeptFact::ChatDay(day, messages, _) => Some((day, messages)),
            KeptFact::Writes
            | KeptFact::Wrote(..)
            | KeptFact::CameThrough(..)
            | KeptFact::Action(..)
            | KeptFact::ActionOnDay(_)
            | KeptFact::Other => None,
        })
        .collect();
    let days = if days.is_empty() {
        written_counts(kept)
            .map(|(_, _, day, messages)| (day, messages))
            .collect()
    } else {
        days
    };
    let all = days.iter().map(|(_, messages)| u64::from(*messages)).sum();
    (all, days.iter().map(|(day, _)| *day).min())
}

fn written_counts(kept: &KeptAbout) -> impl Iterator<Item = (&PersonHash, &ChannelHash, NaiveDate, u32)> {
    kept.links.iter().filter_map(|row| match &row.fact {
        KeptFact::Wrote(person, chat, day, messages) => Some((person, chat, *day, *messages)),
        KeptFact::Writes
        | KeptFact::ChatDay(..)
        | KeptFact::CameThrough(..)
        | KeptFact::Action(..)
        | KeptFact::ActionOnDay(_)
        | KeptFact::Other => None,
    })
}

/// Where somebody writes, or who writes in a chat, with how many messages, the most first.
pub fn places(about: &LearnedThing, kept: &KeptAbout) -> Vec<(LearnedThing, u64)> {
    let mut all: BTreeMap<LearnedThing, u64> = BTreeMap::new();
    for (person, chat, _, messages) in written_counts(kept) {
        let other = match about {
            LearnedThing::Person(_) => LearnedThing::Channel(chat.clone()),
            LearnedThing::Channel(_) => LearnedThing::Person(person.clone()),
        };
        let count = all.entry(other).or_default();
        *count = count.saturating_add(u64::from(messages));
    }
    let mut all: Vec<(LearnedThing, u64)> = all.into_iter().collect();
    all.sort_by_key(|(other, messages)| (Reverse(*messages), other.clone()));
    all.truncate(PLACES_MAX);
    all
}

/// What has to be named on a page about one.
pub fn ids(about: &LearnedThing, kept: &KeptAbout) -> BTreeSet<ThingId> {
    let shown = written_counts(kept)
        .take(ROWS_MAX)
        .map(|(person, chat, ..)| match about {
            LearnedThing::Person(_) => ThingId::Channel(chat.clone()),
            LearnedThing::Channel(_) => ThingId::Person(person.clone()),
        });
    let others = places(about, kept).into_iter().map(|(other, _)| thing_of(&other));
    shown.chain(others).chain([thing_of(about)]).collect()
}

/// What is believed of one, as a row of what was learned; `None`: nothing was.
pub(crate) fn learned_row(said: &Correspondent) -> Option<LearnedRow> {
    let class = said.class?;
    Some(LearnedRow {
        about: said.about.clone(),
        class,
        why: said.why?,
        corrected: said.corrected,
        received: said.received,
        answered: said.answered,
        minutes: said.minutes,
        // Which way it moves: who is treated as news was not wanted.
        shift: if class == MessageClass::News { -1 } else { 1 },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::section::known_rows::known_sorts;
    use surfaces_base::backend::people::KeptRow;
    use toolcall_schema::{ActionKind, Outcome, catalogue::comms::EvidenceCode, ids::TraceId};

    const ASHA: &str = "pe_0000000000000001";
    const KIM: &str = "pe_0000000000000002";
    const OTHER_KIM: &str = "pe_0000000000000003";
    /// Somebody in the lab's chat.
    const NAMELESS: &str = "pe_0000000000000009";
    const LAB: &str = "ch_000000000000000a";

    fn about(id: &str) -> LearnedThing {
        LearnedThing::parse(id).unwrap()
    }

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn sender(id: &str, messages: u64, seen: &str, own_name: Option<&str>) -> KeptSender {
        KeptSender {
            about: about(id),
            messages,
            at: at(seen),
            own_name: own_name.map(str::to_owned),
            wrote_in: (id == NAMELESS).then(|| ChannelHash::parse(LAB).unwrap()),
        }
    }

    fn names() -> DisplayNames {
        [(ASHA, "Asha Rao"), (KIM, "Kim"), (OTHER_KIM, "Kim"), (LAB, "Lab")]
            .into_iter()
            .map(|(id, name)| (id.to_owned(), name.to_owned()))
            .collect()
    }

    fn all() -> Vec<KeptSender> {
        vec![
            sender(ASHA, 4, "2026-11-03T09:00:00Z", None),
            sender(KIM, 40, "2026-11-01T09:00:00Z", None),
            sender(OTHER_KIM, 7, "2026-11-02T09:00:00Z", None),
            sender(LAB, 40, "2026-11-03T08:00:00Z", Some("My lab")),
            sender(NAMELESS, 1, "2026-10-20T08:00:00Z", None),
        ]
    }

    fn listed(kind: ListedKind, order: SenderOrder, wanted: &str) -> (Vec<String>, usize) {
        let muted = BTreeMap::from([(ChannelHash::parse(LAB).unwrap(), at("2026-11-03T13:00:00Z"))]);
        let sorted = sort_senders(all(), kind, order);
        let now = (at("2026-11-03T12:00:00Z"), chrono_tz::UTC);
        let found = find_senders(&sorted, &names(), wanted, &muted, now);
        (
            found.rows.into_iter().map(|row| row.told_apart).collect(),
            found.unnamed,
        )
    }

    #[test]
    fn the_loudest_or_the_most_recent_come_first_and_two_of_a_name_are_told_apart() {
        let kims = [
            "Kim, 40 messages counted, Last seen Sun 1 Nov, 09:00.",
            "Kim, 7 messages counted, Last seen Mon 2 Nov, 09:00.",
        ];
        let (loud, _) = listed(ListedKind::Both, SenderOrder::Loudest, "");
        assert_eq!(loud, ["My lab", kims[0], kims[1], "Asha Rao", "Somebody in Lab"]);
        let (recent, _) = listed(ListedKind::People, SenderOrder::MostRecent, "");
        assert_eq!(recent, ["Asha Rao", kims[1], kims[0], "Somebody in Lab"]);
        assert_eq!(listed(ListedKind::Chats, SenderOrder::Loudest, "").0, ["My lab"]);
    }

    #[test]
    fn two_of_a_name_are_told_apart_by_what_they_write() {
        use surfaces_base::backend::people::MessageWay::{Mail, Other, Program};
        let now = (at("2026-11-03T12:00:00Z"), chrono_tz::UTC);
        let sorted = sort_senders(all(), ListedKind::People, SenderOrder::Loudest);
        let mut found = find_senders(&sorted, &names(), "kim", &BTreeMap::new(), now);
        let ways = SenderWays::from([
            (about(KIM), vec![Mail]),
            (about(OTHER_KIM), vec![Program("Signal"), Other, Mail]),
        ]);
        say_ways(&mut found, &ways);
        let said: Vec<&str> = found.rows.iter().map(|row| row.told_apart.as_str()).collect();
        assert_eq!(
            said,
            [
                "Kim, 40 messages counted, By mail. Last seen Sun 1 Nov, 09:00.",
                "Kim, 7 messages counted, On Signal and by mail. Last seen Mon 2 Nov, 09:00.",
            ]
        );
    }

    #[test]
    fn a_name_is_found_by_any_part_and_the_owners_own_counts_first() {
        for (wanted, found, unnamed) in [
            ("RAO", vec!["Asha Rao"], 1),
            ("my", vec!["My lab"], 1),
            ("miriam", vec![], 1),
            ("  ", vec!["My lab", "Asha Rao", "Somebody in Lab"], 0),
        ] {
            let (rows, without) = listed(ListedKind::Both, SenderOrder::Loudest, wanted);
            let rows: Vec<String> = rows.into_iter().filter(|row| !row.starts_with("Kim")).collect();
            assert_eq!(
                (rows, without),
                (found.iter().map(|name| (*name).to_owned()).collect(), unnamed),
                "{wanted:?}"
            );
        }
    }

    fn day(n: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 11, n).unwrap()
    }

    fn wrote(who: &str, n: u32, messages: u32) -> KeptRow {
        KeptRow {
            at: at("2026-11-01T00:00:00Z"),
            fact: KeptFact::Wrote(
                PersonHash::parse(who).unwrap(),
                ChannelHash::parse(LAB).unwrap(),
                day(n),
                messages,
            ),
        }
    }

    /// A loud day and a quiet one, two people, a program, an action on the loud day.
    fn lab() -> KeptAbout {
        let row = |fact| KeptRow {
            at: at("2026-11-03T08:00:00Z"),
            fact,
        };
        KeptAbout {
            own_name: Some("My lab".to_owned()),
            things: vec![
                row(KeptFact::ChatDay(day(3), 39, 4)),
                row(KeptFact::ChatDay(day(1), 1, 1)),
                row(KeptFact::Action(
                    ActionKind::MuteGroup30,
                    Outcome::Dismissed,
                    TraceId::parse("tr_0123456789ab").ok(),
                )),
            ],
            links: vec![
                wrote(ASHA, 3, 30),
                wrote(KIM, 3, 9),
                wrote(ASHA, 1, 1),
                row(KeptFact::CameThrough(day(3), 39)),
                row(KeptFact::ActionOnDay(day(3))),
            ],
            traces: vec![],
            traces_all: 0,
        }
    }

    #[test]
    fn every_kept_row_is_a_sentence_and_the_total_counts_them() {
        let (kept, now) = (lab(), (at("2026-11-03T12:00:00Z"), chrono_tz::UTC));
        let sorts = known_sorts(&about(LAB), &kept, &names(), now);
        let says: Vec<&str> = sorts
            .iter()
            .flat_map(|sort| &sort.rows)
            .map(|row| row.says.as_str())
            .collect();
        assert_eq!(
            says,
            [
                "You call it My lab.",
                "Tue 3 Nov: 39 messages, 4 wanted something of you.",
                "Sun 1 Nov: 1 message, one wanted something of you.",
                "08:00: Mute a chat for 30 minutes (dismissed).",
                "Asha Rao: 30 messages on Tue 3 Nov.",
                "Kim: 9 messages on Tue 3 Nov.",
                "Asha Rao: 1 message on Sun 1 Nov.",
                "39 messages came through one program on Tue 3 Nov.",
                "Something above was about Tue 3 Nov.",
            ]
        );
        assert_eq!(kept.total(), says.len() as u64);
        assert_eq!(
            words::known_total(&about(LAB), &kept),
            "9 entries name it: 3 notes, 5 counts of who wrote, your name for it. If you take a copy of everything, they are in it."
        );
        assert_eq!(places(&about(LAB), &kept), [(about(ASHA), 31), (about(KIM), 9)]);
    }

    #[test]
    fn how_loud_somebody_is_and_how_they_are_answered_is_said_in_rows() {
        let now = (at("2026-11-03T12:00:00Z"), chrono_tz::UTC);
        let kept = KeptAbout {
            links: vec![wrote(ASHA, 3, 30), wrote(ASHA, 1, 1)],
            ..KeptAbout::default()
        };
        let mut said = Correspondent {
            about: about(ASHA),
            addresses: 2,
            named_by: None,
            day: 30,
            waiting: 2,
            waits_since: Some(at("2026-11-03T09:30:00Z")),
            received: 31,
            answered: 9,
            minutes: Some(20),
            wrote_to: true,
            class: Some(MessageClass::NeedsYou),
            why: Some(EvidenceCode::OftenAnswered),
            corrected: false,
            let_through: Some(false),
        };
        let values = |said: Option<&Correspondent>| -> Vec<String> {
            counts(&kept, said, now)
                .into_iter()
                .map(|row| row.value)
                .collect()
        };
        assert_eq!(
            values(Some(&said)),
            [
                "30 messages",
                "31 messages",
                "2, the oldest since 09:30",
                "9 of the 31 messages that I have counted, within 20 minutes as a rule"
            ]
        );
        // What Comms has not said yet has its row.
        assert_eq!(values(None), ["…", "31 messages", "…", "…"]);
        assert_eq!(
            words::learned(&learned_row(&said).unwrap()),
            "I treat this sender as something that needs you: you answered 9 of 31 messages, within 20 minutes."
        );
        said.class = None;
        assert_eq!(learned_row(&said), None);
    }
}
