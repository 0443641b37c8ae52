//! What waits for the owner's answer, as rows of a card.
//!
//! What: a row for one message, [`rest`] for those without one; [`ids`], what has to be named for them; [`page_of`] and [`named_like`], some of them. Why: a count leads nowhere, a
//! name does. Not here: which messages want an answer (`agents`), all of them with what can be done (`answers`), markup (`web::card_things`).

use super::{SectionItem, people::sender_of};
use chrono_tz::Tz;
use std::collections::BTreeSet;
use surfaces_base::{
    backend::{
        DisplayNames,
        drafts::ReplyDraft,
        people::{MessageWay, SenderWays},
    },
    format, words,
};
use toolcall_schema::{
    Timestamp,
    catalogue::{
        comms::{TriageResult, TriagedItem, WaitingPlace},
        correspondent::PROGRAM_CHAT,
        learning::LearnedThing,
        shared::ThingId,
    },
    ids::{ChannelHash, ItemId},
};

/// Messages on one page.
pub const ON_A_PAGE: usize = 32;

/// Senders and chats of it.
pub fn ids(waiting: Option<&TriageResult>) -> BTreeSet<ThingId> {
    let items = waiting.into_iter().flat_map(|triage| &triage.urgent);
    items.flat_map(ids_of).collect()
}

/// Sender and chat of one message.
pub(super) fn ids_of(item: &TriagedItem) -> [ThingId; 2] {
    [
        ThingId::Item(item.item_id.clone()),
        ThingId::Channel(item.channel_hash.clone()),
    ]
}

/// The chats that are called as whoever writes in them, as their program, or not at all: there the program tells a message apart from a mail of the same
/// person, and whether the chat has a name of its own.
pub fn unclear(waiting: Option<&TriageResult>, names: &DisplayNames) -> BTreeSet<LearnedThing> {
    let items = waiting.into_iter().flat_map(|triage| &triage.urgent);
    let is_unclear = |item: &&TriagedItem| {
        let chat = item.channel_hash.as_str();
        let is_its_only = |name| names.get(item.item_id.as_str()) == Some(name);
        names
            .get(chat)
            .is_none_or(|name| is_its_only(name) || may_be_program(chat, names))
    };
    items
        .filter(is_unclear)
        .map(|item| LearnedThing::Channel(item.channel_hash.clone()))
        .collect()
}

/// Whether a chat may be called by its program.
pub(super) fn may_be_program(chat: &str, names: &DisplayNames) -> bool {
    names
        .unmarked(chat)
        .is_some_and(|name| name.ends_with(PROGRAM_CHAT))
}

/// What somebody without a name is called by: their chat; one that may be called by its program without the hour that tells it from another, where the hour
/// stands beside it.
pub(super) fn place_name(chat: &str, names: &DisplayNames) -> Option<String> {
    let name = if may_be_program(chat, names) {
        names.unmarked(chat)
    } else {
        names.get(chat)
    };
    name.map(words::chat_name)
}

/// Whether a chat has a name of its own: its owner's, or the one that its program gives it. Else a form on its row names it.
pub(crate) fn has_own_name(chat: &ChannelHash, names: &DisplayNames, ways: &SenderWays) -> bool {
    let Some(name) = names.unmarked(chat.as_str()) else {
        return false;
    };
    let ways = ways.get(&LearnedThing::Channel(chat.clone()));
    let program_of = name.strip_suffix(PROGRAM_CHAT);
    let is_program =
        |way: &MessageWay| matches!(way, MessageWay::Program(program) if program_of == Some(*program));
    !ways.is_some_and(|ways| ways.iter().any(is_program))
}

/// What a message asks and where; in a chat that is called as its only other person, in which program.
pub(super) fn written_in(item: &TriagedItem, who: &str, names: &DisplayNames, ways: &SenderWays) -> String {
    // Who has no name is called by it already.
    let place = place_name(item.channel_hash.as_str(), names);
    let place = place.map(|place| words::somebody_in(&place));
    let is_called_by_it = |chat: &str| chat == who || place.as_deref() == Some(who);
    let named = names.get(item.channel_hash.as_str());
    let chat = named.filter(|chat| !is_called_by_it(chat));
    let said = words::written_in(chat, item.class);
    let about = LearnedThing::Channel(item.channel_hash.clone());
    let way = ways.get(&about).filter(|_| chat.is_none());
    match way.and_then(|ways| words::by_ways(ways)) {
        Some(way) => format!("{said} {way}"),
        None => said,
    }
}

/// One message as a row.
pub(super) fn row(
    item: &TriagedItem,
    now: Timestamp,
    zone: Tz,
    names: &DisplayNames,
    ways: &SenderWays,
) -> SectionItem {
    let who = &sender_of(item, names);
    let said = written_in(item, who, names, ways);
    let said = if names.is_gone(&item.item_id) {
        format!("{} {said}", words::MAIL_MOVED_HERE)
    } else {
        said
    };
    SectionItem {
        about: Some(ThingId::Item(item.item_id.clone())),
        ..SectionItem::new(who, words::since(&format::clock_on(item.at, now, zone))).note(said)
    }
}

/// Those of one chat alone.
pub(crate) fn only_of(triage: TriageResult, chat: &ChannelHash) -> TriageResult {
    counted(triage, |item| item.channel_hash == *chat)
}

/// Those whose sender or chat has a name that holds the words, whatever their case.
pub fn named_like(triage: TriageResult, names: &DisplayNames, wanted: &str) -> TriageResult {
    let wanted = wanted.trim().to_lowercase();
    let holds = |id: &str| {
        // A folder of mail has its name from the configuration.
        let name = names.get(id).filter(|name| !name.starts_with("mail:"));
        name.is_some_and(|name| name.to_lowercase().contains(&wanted))
    };
    counted(triage, |item| {
        holds(item.item_id.as_str()) || holds(item.channel_hash.as_str())
    })
}

fn counted(mut triage: TriageResult, keep: impl FnMut(&TriagedItem) -> bool) -> TriageResult {
    triage.urgent.retain(keep);
    triage.urgent_count = u32::try_from(triage.urgent.len()).unwrap_or(u32::MAX);
    triage
}

/// The first `most` of them: `lead`, then who has waited longest. How many there are is said as before.
pub fn first_of(mut triage: TriageResult, most: usize, lead: Option<&str>) -> TriageResult {
    triage
        .urgent
        .sort_by_key(|item| (Some(item.item_id.as_str()) != lead, WaitingPlace::of_item(item)));
    triage.urgent.truncate(most);
    triage
}

/// Some of those who wait, with where they end.
pub struct WaitingPage {
    pub triage: TriageResult,
    /// Where the next page begins, and how many stand behind; `None`: nobody does.
    pub next: Option<(WaitingPlace, usize)>,
}

/// The page behind that place, who has waited longest first. Whoever has a draft stands on the first.
pub fn page_of(triage: TriageResult, drafts: &[ReplyDraft], after: Option<&WaitingPlace>) -> WaitingPage {
    let count = triage.urgent.len();
    let mut triage = first_of(triage, count, None);
    let is_drafted = |item: &TriagedItem| drafts.iter().any(|draft| draft.item == item.item_id);
    let (drafted, others): (Vec<_>, Vec<_>) = triage.urgent.into_iter().partition(is_drafted);
    let mut others: Vec<TriagedItem> = match after {
        Some(after) => others
            .into_iter()
            .filter(|item| WaitingPlace::of_item(item) > *after)
            .collect(),
        None => others,
    };
    let behind = others.len().saturating_sub(ON_A_PAGE);
    others.truncate(ON_A_PAGE);
    let last = others.last().map(WaitingPlace::of_item).filter(|_| behind > 0);
    triage.urgent = if after.is_none() { drafted } else { Vec::new() };
    triage.urgent.extend(others);
    WaitingPage {
        triage,
        next: last.map(|last| (last, behind)),
    }
}

/// Those that have no row of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingRest {
    pub says: String,
    /// The message, where it is one.
    pub only: Option<ItemId>,
}

/// What is said of those that have no row of their own among the first `most`, in their order; `None`: all have one.
pub fn rest(waiting: &TriageResult, most: usize, names: &DisplayNames) -> Option<WaitingRest> {
    let shown = u32::try_from(waiting.urgent.len().min(most)).unwrap_or(u32::MAX);
    match waiting.urgent_count.saturating_sub(shown) {
        0 => None,
        1 => {
            let item = waiting.urgent.get(most);
            let chat = item.and_then(|item| names.get(item.channel_hash.as_str()));
            Some(WaitingRest {
                says: words::one_more_waits(chat),
                only: item.map(|item| item.item_id.clone()),
            })
        }
        more => Some(WaitingRest {
            says: words::more_also_wait(more),
            only: None,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_goes_where_the_hour_stands_beside_it_and_a_name_that_looks_like_one_stays() {
        let chat = "ch_00000000000000c3";
        let named = |name: &str| DisplayNames::from_iter([(chat.to_owned(), name.to_owned())]);
        let marked = |name: &str, mark: &str| named(name).with_marks([(chat.to_owned(), mark.to_owned())]);
        for (names, shown, place) in [
            (
                marked("Telegram chat", "16:34"),
                "Telegram chat (16:34)",
                "Telegram chat",
            ),
            (
                named("Family chat (16:34)"),
                "Family chat (16:34)",
                "Family chat (16:34)",
            ),
            (named("Book chat (Tue)"), "Book chat (Tue)", "Book chat (Tue)"),
            // Two chats of one name in two programs stay two.
            (
                marked("Lab 4", "WhatsApp"),
                "Lab 4 (WhatsApp)",
                "Lab 4 (WhatsApp)",
            ),
            (marked("Chat (a)", "x\u{202e}y"), "Chat (a) (xy)", "Chat (a) (xy)"),
        ] {
            assert_eq!(names.get(chat), Some(shown));
            assert_eq!(place_name(chat, &names).as_deref(), Some(place));
        }
    }

    #[test]
    fn only_a_chat_without_a_name_of_its_own_is_offered_one() {
        let chat = ChannelHash::parse("ch_00000000000000c3").unwrap();
        let named = |name: &str| DisplayNames::from_iter([(chat.as_str().to_owned(), name.to_owned())]);
        let ways = |way| SenderWays::from([(LearnedThing::Channel(chat.clone()), vec![way])]);
        let telegram = || ways(MessageWay::Program("Telegram"));
        let marked = |name: &str| named(name).with_marks([(chat.as_str().to_owned(), "16:34".to_owned())]);
        for (names, ways, has_name) in [
            (named("Lab 4"), SenderWays::new(), true),
            (named("Telegram chat"), telegram(), false),
            // Two of them, told apart by the hour.
            (marked("Telegram chat"), telegram(), false),
            (marked("Lab 4"), telegram(), true),
            // A name that looks as if it were marked is a name.
            (named("Telegram chat (16:34)"), telegram(), true),
            // A chat that somebody called so.
            (named("Family chat"), telegram(), true),
            (named("Telegram chat"), ways(MessageWay::Other), true),
            (DisplayNames::default(), telegram(), false),
        ] {
            assert_eq!(has_own_name(&chat, &names, &ways), has_name, "{names:?} {ways:?}");
        }
    }
}
