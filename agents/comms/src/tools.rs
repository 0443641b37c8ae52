//! What the tools of Comms do: arguments and window to a result and effects.
//!
//! What: one function a tool. Why: tools are functions; what they want done is data. Not here: performing effects (the
//! supervisor), checking arguments (the gate).

use super::{
    intent::Intent, message::RequestVerb, model::MessageWindow, older::WAITING_MS, record::MessageRecord,
};
use agents_base::zone::{day_start, local_date};
use chrono_tz::Tz;
use std::cmp::Reverse;
use toolcall_schema::{
    Timestamp, Tone,
    catalogue::comms::{
        BatchSummarize, ClassifyArgs, ClassifyResult, DigestResult, DraftReply, DraftResult, MuteChannel,
        MuteResult, SnoozeArgs, SnoozeResult, TakeBack, TakenBackAct, TriageAction, TriageInbox,
        TriageResult, TriageScope, TriagedItem, UnmuteChannel, UnmuteResult, UrgentItem, UrgentReason,
        WAITING_MAX, WaitingPlace,
    },
    ids::ItemId,
    milli::Milli,
    result::{ToolEffect, ToolErrorCode},
};

/// Most urgent messages that a digest names.
const NAMED: usize = 3;
/// Messages that a triage names where it is asked for the most urgent.
const TRIAGED: usize = 32;
/// Messages from which a triage suggests a digest.
const MANY: usize = 30;
/// Stands in the greeting of a draft for a name that was not read since the agent started.
const NO_NAME: &str = "[name no longer known]";
/// Characters of a sender's name in a draft.
const MAX_NAME: usize = 40;
/// Who puts a message off for so long, the longest that can be asked for, lets it go.
const LET_GO_SECONDS: u32 = 24 * 60 * 60;

/// Mutes a channel from `at` on. Needs no data: a channel that went quiet can be muted too.
pub(crate) fn mute_channel(args: &MuteChannel, at: Timestamp) -> (MuteResult, Vec<ToolEffect>) {
    let until = at.plus_ms(i64::from(args.ttl_seconds) * 1000);
    let effect = ToolEffect::RuleSet {
        channel: args.channel_hash.clone(),
        until,
    };
    let result = MuteResult {
        channel_hash: args.channel_hash.clone(),
        until,
    };
    (result, vec![effect])
}

/// Ends a mute. Needs no data, and says nothing about whether there was one: the machine keeps the mutes.
pub(crate) fn unmute_channel(args: &UnmuteChannel) -> (UnmuteResult, Vec<ToolEffect>) {
    let channel = args.channel_hash.clone();
    let result = UnmuteResult {
        channel_hash: channel.clone(),
    };
    (result, vec![ToolEffect::RuleCleared { channel }])
}

/// Counts the messages from `since` on, and names the three most urgent of those that want something.
///
/// # Errors
/// `not_enough_data` when there is no message.
pub(crate) fn batch_summarize(
    window: &MessageWindow,
    args: &BatchSummarize,
    at: Timestamp,
) -> Result<(DigestResult, Vec<ToolEffect>), ToolErrorCode> {
    let items: Vec<&MessageRecord> = window
        .between(args.since.plus_ms(-1), at)
        .iter()
        .filter(|item| args.channel_hash.as_ref().is_none_or(|c| item.channel == *c))
        .collect();
    if items.is_empty() {
        return Err(ToolErrorCode::NotEnoughData);
    }
    let mut wanting: Vec<&&MessageRecord> = items.iter().filter(|i| i.intent == Intent::Actionable).collect();
    wanting.sort_by_key(|item| (Reverse(item.urgency), Reverse(item.at), &item.item_id));
    let digest = DigestResult {
        actionable: wanting
            .iter()
            .filter(|item| !window.is_snoozed(&item.item_id, at))
            .take(NAMED)
            .map(|item| UrgentItem {
                item_id: item.item_id.clone(),
                urgency: item.urgency,
            })
            .collect(),
        actionable_count: count(wanting.len()),
        muted_count: count(items.len() - wanting.len()),
        total: count(items.len()),
    };
    Ok((digest, vec![ToolEffect::CardShow]))
}

/// Says what a message is, as the rules judged it when it was read.
///
/// # Errors
/// `not_found` for an unknown message.
pub(crate) fn classify(window: &MessageWindow, args: &ClassifyArgs) -> Result<ClassifyResult, ToolErrorCode> {
    let item = window.get(&args.item_id).ok_or(ToolErrorCode::NotFound)?;
    Ok(ClassifyResult {
        item_id: item.item_id.clone(),
        intent: item.intent,
        urgency: item.urgency,
        self_relevance: match (item.mention, item.intent) {
            (true, _) => Milli(950),
            (false, Intent::Actionable) => Milli(700),
            (false, Intent::Social | Intent::Broadcast | Intent::Spam) => Milli(200),
        },
        class: item.class,
        evidence: item.evidence.clone(),
    })
}

/// Puts a message off from `at` on: it is not proposed, and neither a digest nor a triage names it. For a whole day it is let go, and does not
/// come back.
///
/// # Errors
/// `not_found` for an unknown message.
pub(crate) fn snooze(
    window: &mut MessageWindow,
    args: &SnoozeArgs,
    at: Timestamp,
) -> Result<SnoozeResult, ToolErrorCode> {
    if !window.knows(&args.item_id) {
        return Err(ToolErrorCode::NotFound);
    }
    let until = at.plus_ms(i64::from(args.ttl_seconds) * 1000);
    if args.ttl_seconds >= LET_GO_SECONDS {
        window.let_go(args.item_id.clone(), at);
    } else {
        window.snooze(args.item_id.clone(), until);
    }
    Ok(SnoozeResult {
        item_id: args.item_id.clone(),
        until,
    })
}

/// Takes back what was done with a message: it need not be known any more, and what was taken back already stays so. Since when it was let go,
/// if it was.
pub(crate) fn take_back(
    window: &mut MessageWindow,
    args: &TakeBack,
) -> (TakeBack, Vec<ToolEffect>, Option<Timestamp>) {
    let (effects, since) = match args.what {
        TakenBackAct::PutOff => (Vec::new(), window.take_back_snooze(&args.item_id)),
        TakenBackAct::Draft => {
            window.mark_drafted(&args.item_id, false);
            let removed = ToolEffect::OutboxRemoved {
                name: draft_file(&args.item_id),
            };
            (vec![removed], None)
        }
        TakenBackAct::Discard => {
            window.mark_drafted(&args.item_id, true);
            (Vec::new(), None)
        }
    };
    (args.clone(), effects, since)
}

/// The file of the draft of a reply to a message, in the outbox.
pub fn draft_file(item: &ItemId) -> String {
    format!("reply-{item}.txt")
}

/// To which message a file of the outbox is the draft of a reply; `None`: to none.
pub fn drafted_item(file: &str) -> Option<ItemId> {
    ItemId::parse(file.strip_prefix("reply-")?.strip_suffix(".txt")?).ok()
}

/// Sorts the messages of a scope. `zone` is the owner's.
///
/// # Errors
/// `not_enough_data` when nothing was read yet.
pub(crate) fn triage_inbox(
    window: &MessageWindow,
    args: &TriageInbox,
    zone: Tz,
    at: Timestamp,
) -> Result<TriageResult, ToolErrorCode> {
    let is_longest = args.longest.is_some();
    if window.is_empty() && (window.has_no_older() || !is_longest) {
        return Err(ToolErrorCode::NotEnoughData);
    }
    let items: Vec<&MessageRecord> = match args.scope {
        TriageScope::Unread24h if is_longest => {
            // Whoever waits for longer than a day is no part of that day's messages.
            let others = window
                .due(at)
                .filter(|item| !item.answered && !waits(window, item, at));
            window.waiting_longest(at).chain(others).collect()
        }
        TriageScope::Unread24h => window.due(at).filter(|item| !item.answered).collect(),
        TriageScope::AllToday => {
            let midnight = day_start(local_date(at, zone), zone);
            window.between(midnight.plus_ms(-1), at).iter().collect()
        }
    };
    let mut urgent: Vec<&&MessageRecord> = items.iter().filter(|item| waits(window, item, at)).collect();
    let wanted = urgent.len();
    let most = if let Some(longest) = &args.longest {
        urgent.retain(|item| longest.after.as_ref().is_none_or(|after| place(item) > *after));
        urgent.sort_by_key(|item| (item.at, &item.item_id));
        WAITING_MAX
    } else {
        urgent.sort_by_key(|item| (Reverse(item.urgency), Reverse(item.at), &item.item_id));
        TRIAGED
    };
    Ok(TriageResult {
        scope: args.scope,
        urgent: urgent
            .iter()
            .take(most)
            .map(|item| TriagedItem {
                item_id: item.item_id.clone(),
                urgency: item.urgency,
                reason: if item.mention {
                    UrgentReason::SelfMention
                } else {
                    UrgentReason::Actionable
                },
                at: item.at,
                channel_hash: item.channel.clone(),
                class: item.class,
            })
            .collect(),
        urgent_count: count(wanted),
        muted_count: count(items.len() - wanted),
        total: count(items.len()),
        suggested: (wanted > 0).then_some(if items.len() >= MANY {
            TriageAction::BatchDigest
        } else {
            TriageAction::ShowBrief
        }),
    })
}

/// Whether a message that was not answered wants something, and is neither put off nor let go.
fn waits(window: &MessageWindow, item: &MessageRecord, at: Timestamp) -> bool {
    item.intent == Intent::Actionable && !window.is_snoozed(&item.item_id, at)
}

fn place(item: &MessageRecord) -> WaitingPlace {
    WaitingPlace {
        at: item.at,
        item_id: item.item_id.clone(),
    }
}

/// Writes a draft for one message into the outbox. `sender` is the display name; `None`: it is no longer known, which the draft says.
///
/// # Errors
/// `not_found` for an unknown message, `too_late` when it was answered or is older than 14 days.
pub(crate) fn draft_reply(
    window: &MessageWindow,
    args: &DraftReply,
    sender: Option<&str>,
    at: Timestamp,
) -> Result<(DraftResult, Vec<ToolEffect>), ToolErrorCode> {
    let item = window.get(&args.item_id).ok_or(ToolErrorCode::NotFound)?;
    if item.answered || at.since(item.at) >= WAITING_MS {
        return Err(ToolErrorCode::TooLate);
    }
    let limit = usize::try_from(args.length_max).unwrap_or(usize::MAX);
    let text = draft(
        args.tone,
        sender
            .map_or_else(|| Some(NO_NAME.to_owned()), given_name)
            .as_deref(),
        item.verb,
        limit,
    );
    let result = DraftResult {
        item_id: item.item_id.clone(),
        tone: args.tone,
        chars: count(text.chars().count()),
    };
    let effect = ToolEffect::OutboxFile {
        name: draft_file(&item.item_id),
        text,
    };
    Ok((result, vec![effect]))
}

/// The longest of the tone's wordings that fits; the shortest, cut, when none does. A draft promises to look at the
/// matter and never says that it was done.
fn draft(tone: Tone, name: Option<&str>, verb: RequestVerb, limit: usize) -> String {
    let what = promise(verb);
    let wordings = match tone {
        Tone::Casual => [
            format!(
                "Hi{}, got your message. I'll {what} and get back to you. Thanks!",
                name.map(|n| format!(" {n}")).unwrap_or_default()
            ),
            format!("Got it, I'll {what}."),
            "Got it!".to_owned(),
        ],
        Tone::Formal => [
            format!(
                "{},\n\nThank you for your message. I will {what} and reply to you.\n\nKind regards",
                name.map_or("Hello".to_owned(), |n| format!("Dear {n}"))
            ),
            format!("Thank you. I will {what}."),
            "Thank you.".to_owned(),
        ],
        Tone::Brief => [format!("Will {what}."), "Noted.".to_owned(), "OK".to_owned()],
    };
    wordings
        .iter()
        .find(|text| text.chars().count() <= limit)
        .or(wordings.last())
        .map(|text| text.chars().take(limit).collect())
        .unwrap_or_default()
}

fn promise(verb: RequestVerb) -> &'static str {
    match verb {
        RequestVerb::Submit => "complete it",
        RequestVerb::Send => "send it",
        RequestVerb::Review => "look it over",
        RequestVerb::Reply => "answer properly",
        RequestVerb::Confirm => "check and confirm",
        RequestVerb::Call => "call you",
        RequestVerb::Pay => "see to the payment",
        RequestVerb::Share => "share it",
        RequestVerb::Sign => "see to the form",
        RequestVerb::Update => "see to the change",
        RequestVerb::Join => "see whether I can join",
        RequestVerb::Check => "check it",
        RequestVerb::FollowUp => "follow up",
    }
}

/// The first word of a display name, when it is a name: letters, `'`, `.` and `-`, at most 40 characters.
fn given_name(sender: &str) -> Option<String> {
    let first = sender.split_whitespace().next()?.trim_matches(['"', ',', '\'']);
    let good = (1..=MAX_NAME).contains(&first.chars().count())
        && first.chars().any(char::is_alphabetic)
        && first
            .chars()
            .all(|c| c.is_alphabetic() || matches!(c, '\'' | '.' | '-'));
    good.then(|| first.to_owned())
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
