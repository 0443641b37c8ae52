//! What Comms proposes: from the window and the owner's state to candidates and readings.
//!
//! What: [`tick`], pure. Why: the same window and the same question give the same answer. Not here: what a candidate is
//! worth (the machine), carrying it out (`tools`).

use super::{
    contacts::MergedPeople,
    history::SenderHistory,
    learning::{CARD_MUTE_SECONDS, judged_subject, keys_of},
    let_through::LetThroughRules,
    model::{BURST, MessageWindow},
    record::MessageRecord,
};
use agents_base::zone::local_date;
use chrono_tz::Tz;
use serde_json::{Value, json};
use std::cmp::Reverse;
use toolcall_schema::{
    ActionKind, Timestamp,
    catalogue::{
        comms::{DRAFT_CHARS_MAX, EVIDENCE_MAX},
        learning::LearnedThing,
    },
    ids::{ChannelHash, PersonHash},
    milli::Milli,
    tick::{
        ActiveRule, Candidate, ReadingKey, SignalReading, Subject, TickArgs, TickResult, TickStatus,
        TriggerSource,
    },
};

/// Replies that are proposed because their senders or chats are let through, beside the most urgent of all.
const LET_THROUGH_DRAFTS: usize = 8;

/// What a tick looks at.
#[derive(Clone, Copy)]
pub(crate) struct KnownMessages<'a> {
    pub(super) window: &'a MessageWindow,
    pub(super) history: &'a SenderHistory,
    pub(super) let_through: &'a LetThroughRules,
    pub(super) merged: &'a MergedPeople,
}

impl KnownMessages<'_> {
    /// Whether a message is let through now: a mute of its chat, and a rule against it, win.
    fn lets(self, item: &MessageRecord, args: &TickArgs, at: Timestamp) -> bool {
        self.let_through.lets(item, self.merged)
            && !muted(args, &item.channel, at)
            && !self.is_forbidden(item, args)
    }

    /// Whether a rule of the owner's stands against what is about a message's chat or who wrote it, at whichever address: the machine cannot tell,
    /// because it knows neither of a message.
    fn is_forbidden(self, item: &MessageRecord, args: &TickArgs) -> bool {
        args.rules.iter().any(|rule| match rule {
            ActiveRule::Forbidden { channel } => {
                item.channel == *channel || item.list.as_ref() == Some(channel)
            }
            ActiveRule::ForbiddenPerson { person } => {
                let wrote = |one: &PersonHash| item.person.as_ref() == Some(one);
                self.merged.all(person).any(wrote)
            }
            ActiveRule::Mute { .. } => false,
        })
    }

    /// Whether somebody of whom something may be said wants something in a chat since then. Who is muted is counted, and no reason to speak.
    fn is_wanted(
        self,
        channel: &ChannelHash,
        since: Option<Timestamp>,
        args: &TickArgs,
        at: Timestamp,
    ) -> bool {
        let silences = |rule: &ActiveRule| matches!(rule, ActiveRule::ForbiddenPerson { .. });
        !args.rules.iter().any(silences)
            || self.window.wanting(at).any(|item| {
                item.channel == *channel
                    && since.is_none_or(|since| item.at >= since)
                    && !self.is_forbidden(item, args)
            })
    }
}

/// Candidates and readings at `at`. `zone` is the owner's.
pub(crate) fn tick(known: KnownMessages<'_>, args: &TickArgs, zone: Tz, at: Timestamp) -> TickResult {
    let (window, history) = (known.window, known.history);
    if window.is_empty() {
        return TickResult {
            candidates: Vec::new(),
            readings: Vec::new(),
            status: TickStatus::NoData,
        };
    }
    let total = window.day(at).len();
    let (actionable, important) = (window.waiting(at).count(), window.important(at));
    let mut candidates = Vec::new();
    let taught = |candidate| learned(candidate, (window, history), zone, at);
    // The digest that ends a mute was promised.
    let promised = args.trigger.source != TriggerSource::CommsBurst;
    candidates.extend(digest(known, args, at).map(|digest| if promised { digest } else { taught(digest) }));
    candidates.extend(mute(window, args, at));
    if args.user.brief_due && (actionable > 0 || important > 0) {
        candidates.push(candidate(
            ActionKind::ShowBrief,
            Subject::date(local_date(at, zone)),
            850,
            json!({"sections": [{"section": "messages", "total": total, "actionable": actionable}]}),
        ));
    }
    candidates.extend(drafts(known, args, zone, at).into_iter().map(taught));
    let mut readings = vec![
        reading(ReadingKey::Messages, total),
        reading(ReadingKey::Actionable, actionable),
    ];
    let busiest = busiest(window, args, at);
    if busiest > 0 {
        readings.push(reading(ReadingKey::BusiestChannel, busiest));
    }
    readings.push(reading(ReadingKey::ImportantMail, important));
    TickResult {
        candidates,
        readings,
        status: TickStatus::Ok,
    }
}

fn candidate(kind: ActionKind, subject: Subject, confidence: i64, args: Value) -> Candidate {
    Candidate {
        kind,
        subject,
        confidence: Milli(confidence),
        args,
        valid_until: None,
        evidence: vec![],
        let_through: false,
    }
}

fn reading(key: ReadingKey, count: usize) -> SignalReading {
    SignalReading::new(key, count as f64)
}

/// The candidate with the confidence that the owner's acts on messages like it leave, and why.
fn learned(
    mut candidate: Candidate,
    (window, history): (&MessageWindow, &SenderHistory),
    zone: Tz,
    at: Timestamp,
) -> Candidate {
    let (shift, why) = judged_subject(history, window, &candidate.subject, at, zone);
    candidate.confidence = Milli((candidate.confidence.0 + i64::from(shift)).clamp(0, 1000));
    let told = candidate.evidence.clone();
    candidate
        .evidence
        .extend(why.into_iter().filter(|code| !told.contains(code)));
    candidate.evidence.truncate(EVIDENCE_MAX);
    candidate
}

/// The channel that the trigger is about, when it is about one.
fn trigger_channel(args: &TickArgs) -> Option<ChannelHash> {
    let subject = || {
        args.trigger
            .subject
            .as_ref()
            .and_then(|s| ChannelHash::parse(s.as_str()).ok())
    };
    match args.trigger.source {
        TriggerSource::CommsBurst
        | TriggerSource::MuteEnded
        | TriggerSource::WindowEnded
        | TriggerSource::Later => subject(),
        TriggerSource::PhoneUnlock
        | TriggerSource::Transaction
        | TriggerSource::LoadCrossed
        | TriggerSource::BriefTime
        | TriggerSource::AlertAt
        | TriggerSource::RuleEnded
        | TriggerSource::Interval
        | TriggerSource::Owner
        | TriggerSource::Call => None,
    }
}

fn muted(args: &TickArgs, channel: &ChannelHash, at: Timestamp) -> bool {
    args.rules.iter().any(|rule| match rule {
        ActiveRule::Mute {
            channel: muted,
            until,
        } => muted == channel && *until > at,
        ActiveRule::Forbidden { .. } | ActiveRule::ForbiddenPerson { .. } => false,
    })
}

/// A digest of the channel that burst, or whose mute ended: at least 30 messages since the burst began, at least one
/// of them actionable and by somebody who is not muted, not muted now.
fn digest(known: KnownMessages<'_>, args: &TickArgs, at: Timestamp) -> Option<Candidate> {
    let channel = trigger_channel(args)?;
    let burst = known.window.since_burst(&channel, at);
    let wanted = burst.wanted && known.is_wanted(&channel, burst.since, args, at);
    (burst.count >= BURST && wanted && !muted(args, &channel, at)).then(|| Candidate {
        let_through: known
            .let_through
            .names(&LearnedThing::Channel(channel.clone()), known.merged),
        ..candidate(
            ActionKind::BatchDigest,
            Subject::from(&channel),
            800,
            json!({"channel_hash": channel, "since": burst.since}),
        )
    })
}

/// Muting the channel that bursts, while the owner's load is 70 or more.
fn mute(window: &MessageWindow, args: &TickArgs, at: Timestamp) -> Option<Candidate> {
    let burst = args.trigger.source == TriggerSource::CommsBurst;
    let channel = if burst {
        trigger_channel(args)?
    } else {
        args.user.active_channel.clone()?
    };
    let count = window.since_burst(&channel, at).count;
    let loaded = args.user.load_score.is_some_and(|score| score >= 70);
    (count >= BURST && loaded && !muted(args, &channel, at)).then(|| {
        candidate(
            ActionKind::MuteGroup30,
            Subject::from(&channel),
            600,
            json!({"channel_hash": channel, "ttl_seconds": CARD_MUTE_SECONDS}),
        )
    })
}

/// A reply to the most urgent message that speaks to the owner and waits for an answer, the newest of equals; what the owner's acts
/// taught counts as urgency. Not in a channel that bursts: the digest is for that; nor where a rule of the owner's forbids it. Then replies to what else wants an answer and is let through.
fn drafts(known: KnownMessages<'_>, args: &TickArgs, zone: Tz, at: Timestamp) -> Vec<Candidate> {
    let (window, history) = (known.window, known.history);
    let rank =
        |item: &MessageRecord| Reverse(item.urgency.0 + i64::from(history.shift(&keys_of(item, zone))));
    let waits = |item: &&MessageRecord| {
        !item.answered
            && !item.drafted
            && !item.no_draft
            && !window.is_snoozed(&item.item_id, at)
            && window.rate(&item.channel, at) < BURST
            && !known.is_forbidden(item, args)
    };
    let first = window.mentions(at).filter(waits).min_by_key(|item| rank(item));
    let is_first = |item: &MessageRecord| first.is_some_and(|first| first.item_id == item.item_id);
    let mut others: Vec<&MessageRecord> = if known.let_through.is_empty() {
        Vec::new()
    } else {
        let passing = window.wanting(at).filter(waits);
        passing
            .filter(|item| known.lets(item, args, at) && !is_first(item))
            .collect()
    };
    others.sort_by_key(|item| (rank(item), Reverse(item.at)));
    others.truncate(LET_THROUGH_DRAFTS);
    let reply = |item: &MessageRecord| Candidate {
        evidence: item.evidence.clone(),
        let_through: known.lets(item, args, at),
        ..candidate(
            ActionKind::DraftReply,
            Subject::from(&item.item_id),
            850,
            json!({"item_id": item.item_id, "tone": "casual", "length_max": DRAFT_CHARS_MAX}),
        )
    };
    first.into_iter().chain(others).map(reply).collect()
}

/// Messages of the trigger's channel since its burst began, else of the one that would be muted, else of the channel with most in the last 10
/// minutes: a card that asks for a mute says how loud the chat is that it names.
fn busiest(window: &MessageWindow, args: &TickArgs, at: Timestamp) -> usize {
    let active = || {
        args.user
            .active_channel
            .clone()
            .filter(|_| mute(window, args, at).is_some())
    };
    if let Some(channel) = trigger_channel(args).or_else(active) {
        let count = window.since_burst(&channel, at).count;
        if count > 0 {
            return count;
        }
    }
    window.top_rate(at)
}
