//! What waits for the owner's answer, as rows of a card.
//!
//! What: [`block`], a row for each message, who has waited longest first; [`ids`], what has to be named for it. Why: a count leads nowhere, a
//! name does. Not here: which messages want an answer (`agents`), all of them with what can be done (`answers`), markup (`web::pages`).

use super::{SectionBlock, SectionItem};
use crate::{backend::DisplayNames, format, words};
use chrono_tz::Tz;
use std::collections::BTreeSet;
use toolcall_schema::{
    Timestamp,
    catalogue::{
        comms::{TriageResult, TriagedItem},
        shared::ThingId,
    },
};

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

/// One message as a row.
pub(super) fn row(item: &TriagedItem, now: Timestamp, zone: Tz, names: &DisplayNames) -> SectionItem {
    let who = names.get(item.item_id.as_str()).unwrap_or(words::SOMEBODY_WROTE);
    let chat = names.get(item.channel_hash.as_str()).filter(|chat| *chat != who);
    SectionItem {
        about: Some(ThingId::Item(item.item_id.clone())),
        ..SectionItem::new(who, words::since(&format::clock_on(item.at, now, zone)))
            .note(words::written_in(chat, item.class))
    }
}

/// A row for each of at most `most`, in the order of their time. `None`: nothing was read, or Comms is busy.
pub fn block(
    waiting: Option<&TriageResult>,
    most: usize,
    now: Timestamp,
    zone: Tz,
    names: &DisplayNames,
) -> SectionBlock {
    let mut items: Vec<&TriagedItem> = waiting.into_iter().flat_map(|triage| &triage.urgent).collect();
    items.sort_by_key(|item| (item.at, &item.item_id));
    let rows: Vec<SectionItem> = items
        .iter()
        .take(most)
        .map(|item| row(item, now, zone, names))
        .collect();
    let all = waiting.map_or(0, |triage| triage.urgent_count);
    let more = all.saturating_sub(u32::try_from(rows.len()).unwrap_or(u32::MAX));
    SectionBlock {
        id: "waits",
        title: words::WAITS_FOR_YOU,
        says: match (rows.is_empty(), more) {
            (true, _) if waiting.is_none() => vec![words::WAITING_NOT_READ.to_owned()],
            (true, _) => vec![words::NOTHING_WAITS.to_owned()],
            (false, 0) => Vec::new(),
            (false, more) => vec![words::more_wait(more)],
        },
        items: rows,
    }
}
