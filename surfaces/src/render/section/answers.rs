//! Everybody whom the owner has to answer, as rows.
//!
//! What: [`rows`], whom the owner promised an answer, then who waits, each with the draft that lies there; [`waited_for`], for whom the owner waits;
//! [`MailLink`], a draft for a mail program. Why: one place where answering begins and ends. Not here: three of them on a card (`waiting`), markup
//! (`web::answers_page`), which messages want an answer (`agents`).
//!
//! A promise is a draft that its owner confirmed: it says that they will see to the matter.

use super::people::sender_of;
use crate::render::acts::{ActContext, ActKind, DoneAct, UndoState};
use chrono_tz::Tz;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};
use surfaces_base::{
    backend::{
        DisplayNames,
        drafts::{OutboxDrafts, ReplyDraft},
        people::SenderWays,
    },
    format, words,
};
use toolcall_schema::{
    Timestamp,
    catalogue::{
        comms::{MessageClass, TriageResult, TriagedItem},
        learning::{LearnedList, LearnedRow},
        shared::ThingId,
    },
    ids::{ChannelHash, ItemId, TraceId},
};

/// What RFC 6068 leaves as it is in every part of a link.
const MAIL_LINK: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');
/// The same, and what parts and joins the words of a Message-ID.
const MESSAGE_ID: &AsciiSet = &MAIL_LINK.remove(b'@').remove(b'+').remove(b'=').remove(b'$');
/// A link that is longer is cut by some systems: the text of the draft is left out of it.
const MAIL_LINK_MAX: usize = 2000;

/// Somebody whom the owner has to answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerRow {
    pub item: ItemId,
    /// May be a name from outside.
    pub name: String,
    /// Which of several of that name.
    pub told_apart: String,
    /// Since when; or when the owner promised.
    pub since: String,
    pub note: String,
    /// Whether the message is known and waits, so that something can be done with it.
    pub waits: bool,
    /// The chat that a form on the row names.
    pub chat: Option<ChannelHash>,
    /// Whether it is a mail that lies where it was read, so that a mail program can open it.
    pub is_mail: bool,
    pub draft: Option<DraftRow>,
    /// Whether it waits, has no draft and is what a reply can be drafted for.
    pub may_be_drafted: bool,
}

/// The draft beside somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftRow {
    pub draft: ReplyDraft,
    /// The link that hands it to a mail program; `None`: it is for a chat.
    pub mail: Option<MailTo>,
    /// The act that drafted it, by which it is discarded.
    pub act: Option<TraceId>,
}

/// To whom a draft goes in a mail program, as far as that is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MailTo {
    pub address: Option<String>,
    pub subject: Option<String>,
}

/// A row for each: whom the owner promised an answer, the oldest promise first; then the others, who has waited longest first.
pub fn rows(
    (waiting, drafts): (Option<&TriageResult>, &[ReplyDraft]),
    acts: &[DoneAct],
    (now, zone): (Timestamp, Tz),
    names: &DisplayNames,
    ways: &SenderWays,
) -> Vec<AnswerRow> {
    // A draft that was discarded and brought back lies there.
    let outbox = OutboxDrafts {
        there: drafts
            .iter()
            .map(|draft| ThingId::Item(draft.item.clone()))
            .collect(),
        ..OutboxDrafts::default()
    };
    let context = ActContext {
        outbox: &outbox,
        ..ActContext::of_messages(now, zone)
    };
    let waiting: BTreeMap<&ItemId, &TriagedItem> = waiting
        .into_iter()
        .flat_map(|triage| &triage.urgent)
        .map(|item| (&item.item_id, item))
        .collect();
    let promised: BTreeMap<&ItemId, &DoneAct> = acts
        .iter()
        .rev()
        .filter_map(|act| Some((drafted_by(act)?, act)))
        .filter(|(_, act)| act.undo(acts, &context) == UndoState::Offered)
        .collect();
    let drafts: BTreeMap<&ItemId, &ReplyDraft> = drafts.iter().map(|draft| (&draft.item, draft)).collect();
    let kept = drafts
        .keys()
        .filter(|item| promised.contains_key(*item) && !is_set_aside(item, acts, &context));
    let items: BTreeSet<&ItemId> = waiting.keys().chain(kept).copied().collect();
    let mut found: Vec<(bool, Timestamp, AnswerRow)> = items
        .into_iter()
        .map(|item| {
            let (waits, draft) = (waiting.get(item).copied(), drafts.get(item).copied());
            let act = promised.get(item).copied().filter(|_| draft.is_some());
            let at = act.map_or_else(|| waits.map_or(now, |waits| waits.at), |act| act.at);
            let row = row(
                item,
                waits,
                draft.map(|draft| (draft, act)),
                (now, zone),
                (names, ways),
            );
            (act.is_none(), at, row)
        })
        .collect();
    found.sort_by(|(a, a_at, a_row), (b, b_at, b_row)| (a, a_at, &a_row.item).cmp(&(b, b_at, &b_row.item)));
    let mut rows: Vec<AnswerRow> = found.into_iter().map(|(_, _, row)| row).collect();
    tell_apart(&mut rows);
    rows
}

/// What has to be named for the rows.
pub fn ids(waiting: Option<&TriageResult>, drafts: &[ReplyDraft]) -> BTreeSet<ThingId> {
    let drafted = drafts.iter().map(|draft| ThingId::Item(draft.item.clone()));
    super::waiting::ids(waiting).into_iter().chain(drafted).collect()
}

/// To which message an act drafted a reply.
fn drafted_by(act: &DoneAct) -> Option<&ItemId> {
    if let ActKind::DraftedReply(item) = &act.act {
        Some(item)
    } else {
        None
    }
}

/// Whether the owner put the message off or let it go since.
fn is_set_aside(item: &ItemId, acts: &[DoneAct], context: &ActContext<'_>) -> bool {
    acts.iter().any(|act| {
        let put_off = matches!(&act.act, ActKind::PutOff(other, _) if other == item);
        (put_off || act.act.let_go() == Some(item))
            && match act.undo(acts, context) {
                UndoState::Offered => true,
                // A message is known for a day; what was let go stays so.
                UndoState::Over => act.act.let_go().is_some(),
                UndoState::Undone(_) | UndoState::Nothing => false,
            }
    })
}

fn row(
    item: &ItemId,
    waits: Option<&TriagedItem>,
    draft: Option<(&ReplyDraft, Option<&DoneAct>)>,
    (now, zone): (Timestamp, Tz),
    (names, ways): (&DisplayNames, &SenderWays),
) -> AnswerRow {
    let kept_name = || names.get(item.as_str()).unwrap_or(words::SOMEBODY_WROTE.say());
    let name = waits.map_or_else(|| kept_name().to_owned(), |waits| sender_of(waits, names));
    let name = name.as_str();
    let chat = waits.and_then(|waits| names.get(waits.channel_hash.as_str()));
    let in_mail = chat.is_some_and(|chat| chat.starts_with("mail:"));
    let clock = |at| format::clock_on(at, now, zone);
    let promise = draft.and_then(|(_, act)| act).map(|act| act.at);
    let asks = waits.map(|waits| super::waiting::written_in(waits, name, names, ways));
    let is_gone = names.is_gone(item);
    let gone = (is_gone && waits.is_some()).then(|| words::MAIL_MOVED_HERE.say().to_owned());
    let said = [gone, asks, promise.map(|at| words::promised(&clock(at)))];
    AnswerRow {
        item: item.clone(),
        name: name.to_owned(),
        told_apart: name.to_owned(),
        since: waits.map_or_else(String::new, |waits| words::since(&clock(waits.at))),
        note: said.into_iter().flatten().collect::<Vec<_>>().join(" "),
        waits: waits.is_some(),
        // A folder of mail has its name from the owner.
        chat: waits
            .filter(|waits| !in_mail && !super::waiting::has_own_name(&waits.channel_hash, names, ways))
            .map(|waits| waits.channel_hash.clone()),
        is_mail: in_mail && !is_gone,
        may_be_drafted: draft.is_none() && waits.is_some_and(|waits| is_answerable(waits.class)),
        draft: draft.map(|(draft, act)| DraftRow {
            draft: draft.clone(),
            // Of a message that is not known any more it is not known whether it was a mail.
            mail: (in_mail || chat.is_none()).then(|| MailTo {
                // A name is whatever its sender wrote, another address too.
                address: names
                    .address(item)
                    .filter(|address| is_address(address))
                    .map(str::to_owned),
                subject: waits.map(|waits| words::reply_subject(&format::day(waits.at, zone))),
            }),
            act: act.and_then(|act| act.id.trace().cloned()),
        }),
    }
}

/// Whether somebody asks what a reply promises to see to: a bill is paid, a code is used.
fn is_answerable(class: MessageClass) -> bool {
    match class {
        MessageClass::NeedsYou | MessageClass::Date | MessageClass::Group => true,
        MessageClass::Bill
        | MessageClass::Code
        | MessageClass::News
        | MessageClass::Talk
        | MessageClass::Spam
        | MessageClass::Waiting => false,
    }
}

/// Who has the same name as another is told apart by the time.
fn tell_apart(rows: &mut [AnswerRow]) {
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for row in rows.iter() {
        *count.entry(row.name.clone()).or_default() += 1;
    }
    for row in rows.iter_mut().filter(|row| !row.since.is_empty()) {
        if count.get(&row.name).is_some_and(|same| *same > 1) {
            row.told_apart = words::told_apart(&row.name, &row.since);
        }
    }
}

/// Whether a text is one mail address and nothing else.
fn is_address(name: &str) -> bool {
    let plain = |b: u8, more: &[u8]| b.is_ascii_alphanumeric() || more.contains(&b);
    name.split_once('@').is_some_and(|(local, host)| {
        !local.is_empty()
            && host.contains('.')
            && local.bytes().all(|b| plain(b, b".!#$%&'*+/=?^_`{|}~-"))
            && host.bytes().all(|b| plain(b, b".-"))
    })
}

/// A draft as a link that a mail program opens (RFC 6068).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailLink {
    /// With the draft in it; `None`: it would be too long.
    pub whole: Option<String>,
    /// The link without the draft.
    pub bare: String,
}

impl MailLink {
    /// Of that text. Line breaks are those of mail.
    pub fn new(to: &MailTo, text: &str) -> Self {
        let encoded = |text: &str| utf8_percent_encode(text, MAIL_LINK).to_string();
        let address = to.address.as_deref().and_then(|address| address.split_once('@'));
        let address = address.map(|(local, host)| format!("{}@{host}", encoded(local)));
        let start = format!("mailto:{}", address.unwrap_or_default());
        let subject = to.subject.as_deref();
        let bare = subject.map_or_else(
            || start.clone(),
            |subject| format!("{start}?subject={}", encoded(subject)),
        );
        let mark = if subject.is_some() { '&' } else { '?' };
        let body = encoded(&text.replace("\r\n", "\n").replace('\n', "\r\n"));
        let whole = format!("{bare}{mark}body={body}");
        Self {
            whole: (whole.len() <= MAIL_LINK_MAX).then_some(whole),
            bare,
        }
    }
}

/// A mail as a link that opens it in a mail program (RFC 2392). `id`: its Message-ID without angle brackets.
pub(crate) fn mail_by_id(id: &str) -> String {
    format!("mid:{}", utf8_percent_encode(id, MESSAGE_ID))
}

/// For whom the owner waits, who has been asked longest first: what is learned of them, and since when.
pub fn waited_for(
    learned: Option<&LearnedList>,
    now: Timestamp,
    zone: Tz,
) -> Vec<(&LearnedRow, Option<String>)> {
    let rows = learned.into_iter().flat_map(|list| &list.rows);
    let mut rows: Vec<&LearnedRow> = rows
        .filter(|row| row.class == MessageClass::Waiting && !row.corrected)
        .collect();
    rows.sort_by_key(|row| Reverse(row.minutes));
    let since = |row: &LearnedRow| {
        let minutes = row.minutes?;
        Some(words::since(&format::clock_on(
            now.plus_min(-i64::from(minutes)),
            now,
            zone,
        )))
    };
    rows.into_iter().map(|row| (row, since(row))).collect()
}
