//! Chats: what is quiet, what was loud, what was summed up.
//!
//! What: [`blocks`]. Why: a muted chat is never a riddle: until when, and what came of it. Not here: messages; no text of one reaches a
//! page.

use super::{SectionBlock, SectionItem, SectionReason, chat, waiting::has_own_name, waiting::may_be_program};
use crate::render::body::digest_said;
use std::collections::BTreeSet;
use surfaces_base::{
    backend::DisplayNames,
    backend::{owner::OwnerStatus, people::SenderWays},
    format::{self, clock},
    words,
};
use toolcall_schema::{
    ActionKind, ReasonCode,
    catalogue::{comms::TriageResult, learning::LearnedThing, shared::ThingId},
    ids::ChannelHash,
    rule::OwnerRule,
    tick::{ReadingKey, TriggerSource},
    trace::Trace,
};

/// Mutes, today's bursts and the newest digest, from today's decisions, newest first.
pub(crate) fn blocks(
    traces: &[Trace],
    (standing, rules): (&OwnerStatus, &[OwnerRule]),
    labels: &DisplayNames,
    ways: &SenderWays,
) -> Vec<SectionBlock> {
    let nameless = |chat: &ChannelHash| (!has_own_name(chat, labels, ways)).then(|| chat.clone());
    let zone = format::zone(&standing.settings.zone);
    let until = |at| words::until(&format::clock_on(at, standing.at, zone));
    let people = rules.iter().filter_map(|rule| {
        let (person, end) = rule.muted_person().filter(|(_, end)| *end > standing.at)?;
        Some(SectionItem {
            unmute: Some(LearnedThing::Person(person.clone())),
            about: Some(ThingId::Person(person.clone())),
            ..SectionItem::new(
                labels.get(person.as_str()).unwrap_or(words::SOMEBODY_WROTE.say()),
                until(end),
            )
        })
    });
    let muted: Vec<SectionItem> = standing
        .mutes
        .iter()
        .filter(|(_, end)| **end > standing.at)
        .map(|(channel, end)| SectionItem {
            unmute: Some(LearnedThing::Channel(channel.clone())),
            chat: nameless(channel),
            about: Some(ThingId::Channel(channel.clone())),
            ..SectionItem::new(chat(channel.as_str(), labels), until(*end))
        })
        .chain(people)
        .collect();
    let loud: Vec<SectionItem> = traces
        .iter()
        .filter(|trace| trace.decision.trigger.source == TriggerSource::CommsBurst)
        .filter_map(|trace| {
            let subject = trace.decision.trigger.subject.as_ref()?;
            let mut readings = trace.decision.signals.values().flatten();
            let busiest = readings.find(|reading| reading.key == ReadingKey::BusiestChannel);
            let chosen = trace.decision.chosen.as_ref();
            let came = chosen.map_or_else(
                || words::outcome(trace.outcome),
                |chosen| words::action(chosen.kind),
            );
            Some(SectionItem {
                trace: Some(trace.trace_id.clone()),
                chat: ChannelHash::parse(subject.as_str())
                    .ok()
                    .and_then(|chat| nameless(&chat)),
                mute: ChannelHash::parse(subject.as_str())
                    .ok()
                    .filter(|chat| !is_muted(chat, standing)),
                because: kept_quiet(trace, (standing, rules), zone),
                about: ChannelHash::parse(subject.as_str()).ok().map(ThingId::Channel),
                ..SectionItem::new(
                    chat(subject.as_str(), labels),
                    busiest.map_or_else(String::new, |reading| {
                        words::loud_messages(&format::reading_value(reading, reading.value), reading.value)
                    }),
                )
                .note(words::at_time(&clock(trace.decision.trigger.at, zone), came))
            })
        })
        .collect();
    vec![
        SectionBlock {
            id: "muted",
            title: words::MUTED_NOW.say(),
            says: none(&muted, words::NO_MUTE.say()),
            items: muted,
        },
        SectionBlock {
            id: "loud",
            title: words::LOUD_TODAY.say(),
            says: none(&loud, words::NO_BURST.say()),
            items: loud,
        },
        digest(traces, zone, labels),
    ]
}

/// Why a chat that was loud was kept quiet, with where that can be changed. What time alone ends leads to its decision.
fn kept_quiet(
    trace: &Trace,
    (standing, rules): (&OwnerStatus, &[OwnerRule]),
    zone: chrono_tz::Tz,
) -> Option<SectionReason> {
    let reason = trace.reason_code.filter(|_| trace.decision.chosen.is_none())?;
    let says = words::reason(reason);
    let subject = trace.decision.trigger.subject.as_ref()?;
    let with = |more: &str, leads: String| SectionReason {
        says: format!("{says} {more}").trim_end().to_owned(),
        leads,
    };
    let muted = ChannelHash::parse(subject.as_str()).ok();
    let muted = muted.and_then(|chat| standing.mutes.get(&chat));
    let muted = muted.filter(|until| **until > standing.at);
    let about = rules.iter().find(|rule| rule.subject.as_ref() == Some(subject));
    Some(if reason == ReasonCode::CapDaily {
        with("", "/settings#ceiling".to_owned())
    } else if reason == ReasonCode::CapDnd {
        with("", "/settings#quiet".to_owned())
    } else if reason != ReasonCode::Rule {
        with("", format!("/trace/{}", trace.trace_id))
    } else if let Some(rule) = about {
        let rule_says = words::full_stop(&words::rule(rule, None, (standing.at, zone)));
        with(&rule_says, format!("/settings#rule-{}", rule.name))
    } else if let Some(until) = muted {
        let until = words::muted_until(&format::clock_on(*until, standing.at, zone));
        with(&until, format!("/people/{}", subject.as_str()))
    } else {
        with("", "/settings#rules".to_owned())
    })
}

/// The chats of the blocks that may be called by their program: whether they are, how they are written in says.
pub(crate) fn unclear(traces: &[Trace], standing: &OwnerStatus, labels: &DisplayNames) -> Vec<LearnedThing> {
    let loud = traces
        .iter()
        .filter(|trace| trace.decision.trigger.source == TriggerSource::CommsBurst)
        .filter_map(|trace| ChannelHash::parse(trace.decision.trigger.subject.as_ref()?.as_str()).ok());
    let chats: BTreeSet<ChannelHash> = standing.mutes.keys().cloned().chain(loud).collect();
    let may_be = |chat: &ChannelHash| may_be_program(chat.as_str(), labels);
    chats
        .into_iter()
        .filter(may_be)
        .map(LearnedThing::Channel)
        .collect()
}

fn is_muted(chat: &ChannelHash, standing: &OwnerStatus) -> bool {
    standing.mutes.get(chat).is_some_and(|until| *until > standing.at)
}

/// A chat that can be muted where it stands, and unmuted in the same place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MutableChat {
    pub chat: ChannelHash,
    pub name: String,
    /// Until when it is muted, in words.
    pub muted: Option<String>,
}

/// Chats that the page names where they ask something: from here they can be muted. One that is stays in its place, so that no other comes under the finger. A
/// folder of mail is none, and one that was muted before stands among the muted alone.
pub(crate) fn mutable(
    waiting: Option<&TriageResult>,
    standing: &OwnerStatus,
    labels: &DisplayNames,
    just_muted: &BTreeSet<ChannelHash>,
) -> Vec<MutableChat> {
    let zone = format::zone(&standing.settings.zone);
    let items = waiting.into_iter().flat_map(|triage| &triage.urgent);
    let chats: BTreeSet<&ChannelHash> = items.map(|item| &item.channel_hash).collect();
    chats
        .into_iter()
        .filter_map(|chat| Some((chat, labels.get(chat.as_str())?)))
        .filter(|(chat, name)| {
            !name.starts_with("mail:") && (!is_muted(chat, standing) || just_muted.contains(*chat))
        })
        .map(|(chat, name)| MutableChat {
            chat: chat.clone(),
            name: name.to_owned(),
            muted: standing
                .mutes
                .get(chat)
                .filter(|until| **until > standing.at)
                .map(|until| words::muted_until(&format::clock_on(*until, standing.at, zone))),
        })
        .collect()
}

fn none(items: &[SectionItem], sentence: &str) -> Vec<String> {
    if items.is_empty() {
        vec![sentence.to_owned()]
    } else {
        Vec::new()
    }
}

fn digest(traces: &[Trace], zone: chrono_tz::Tz, labels: &DisplayNames) -> SectionBlock {
    let newest = traces.iter().find_map(|trace| {
        let chosen = trace.decision.chosen.as_ref()?;
        (chosen.kind == ActionKind::BatchDigest).then_some(())?;
        let said = digest_said(trace.tool_calls.first()?, labels)?;
        Some((trace, said))
    });
    let (says, items) = match newest {
        None => (vec![words::NO_DIGEST.say().to_owned()], Vec::new()),
        Some((trace, said)) => {
            let link = SectionItem {
                trace: Some(trace.trace_id.clone()),
                ..SectionItem::new(words::WHY_THIS.say(), clock(trace.decision.ts, zone))
            };
            (said, vec![link])
        }
    };
    SectionBlock {
        id: "digest",
        title: words::LAST_DIGEST.say(),
        says,
        items,
    }
}
