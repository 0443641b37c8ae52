//! A call's envelope, read from its bytes without a tree.
//!
//! What: [`read`], which makes an [`AdmittedCall`] of bytes that are certainly to be admitted; only the arguments become a tree, for their schema. Why: a tree of
//! the envelope was a third of the gate. Every member is looked at while it is read: what is written in another form than Aura's own, stands twice, or is
//! unknown ends the reading, which refuses nothing: the schema is asked then, and says what is wrong. Not here: the refusals.

use super::{GateClock, MAX_CALL_BYTES, confirm_rule, deadline, surface_rule, tools};
use crate::{
    call::{AdmittedCall, ArgsHash, DEFAULT_DEADLINE_MS},
    catalogue::ToolName,
    ids::CallId,
    names::{AgentName, Surface},
    strict::{DocumentBuffer, MAX_DEPTH},
    time::Timestamp,
};
use serde::{
    Deserializer,
    de::{DeserializeSeed, Error, MapAccess, Visitor},
};
use std::fmt;

/// The limits of `deadline_ms`.
const DEADLINE_MS: std::ops::RangeInclusive<u32> = 50..=10_000;

/// Reads a call; its arguments take the memory of the call before it. `None`: the schema has to judge.
pub(super) fn read(bytes: &[u8], args: &mut DocumentBuffer, clock: GateClock) -> Option<AdmittedCall> {
    if bytes.len() > MAX_CALL_BYTES {
        return None;
    }
    let mut json = serde_json::Deserializer::from_str(std::str::from_utf8(bytes).ok()?);
    let envelope = json.deserialize_map(EnvelopeVisitor { args }).ok()?;
    json.end().ok()?;
    let args = args.value();
    let deadline_ms = envelope.deadline_ms.unwrap_or(DEFAULT_DEADLINE_MS);
    if !args.is_object() || !DEADLINE_MS.contains(&deadline_ms) {
        return None;
    }
    confirm_rule(envelope.tool, envelope.confirm_required).ok()?;
    surface_rule(envelope.tool, envelope.expected_surface).ok()?;
    deadline(envelope.ts, deadline_ms, clock).ok()?;
    Some(AdmittedCall {
        call_id: envelope.call_id,
        tool: tools::arguments(envelope.tool, args).ok()?,
        ts: envelope.ts,
        confirm_required: envelope.confirm_required,
        expected_surface: envelope.expected_surface,
        deadline_ms,
        args_hash: ArgsHash::default(),
    })
}

/// All of a call but its arguments.
struct CallEnvelope {
    call_id: CallId,
    tool: ToolName,
    ts: Timestamp,
    confirm_required: bool,
    expected_surface: Option<Surface>,
    deadline_ms: Option<u32>,
}

/// The members of the envelope.
#[derive(Clone, Copy)]
enum CallMember {
    CallId,
    Agent,
    Tool,
    Args,
    Ts,
    ConfirmRequired,
    ExpectedSurface,
    DeadlineMs,
}

impl CallMember {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "call_id" => Self::CallId,
            "agent" => Self::Agent,
            "tool" => Self::Tool,
            "args" => Self::Args,
            "ts" => Self::Ts,
            "confirm_required" => Self::ConfirmRequired,
            "expected_surface" => Self::ExpectedSurface,
            "deadline_ms" => Self::DeadlineMs,
            _ => return None,
        })
    }
}

struct EnvelopeVisitor<'a> {
    args: &'a mut DocumentBuffer,
}

impl<'de> Visitor<'de> for EnvelopeVisitor<'_> {
    type Value = CallEnvelope;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a call")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<CallEnvelope, A::Error> {
        let (mut call_id, mut agent, mut tool, mut ts) = (None, None, None, None);
        let (mut confirm_required, mut expected_surface, mut deadline_ms) = (None, None, None);
        let mut has_args = false;
        while let Some(member) = members.next_key_seed(TextSeed(CallMember::parse))? {
            match member {
                CallMember::CallId => {
                    once(
                        &mut call_id,
                        members.next_value_seed(TextSeed(|id: &str| CallId::parse(id).ok()))?,
                    )?;
                }
                CallMember::Agent => once(&mut agent, members.next_value_seed(TextSeed(AgentName::parse))?)?,
                // Whose tool it is has to be known before.
                CallMember::Tool => {
                    let agent = agent.ok_or_else(unsure)?;
                    once(
                        &mut tool,
                        members.next_value_seed(TextSeed(|name: &str| ToolName::find(agent, name)))?,
                    )?;
                }
                CallMember::Args => {
                    if std::mem::replace(&mut has_args, true) {
                        return Err(unsure());
                    }
                    members.next_value_seed(self.args.seed(MAX_DEPTH - 1))?;
                }
                CallMember::Ts => once(
                    &mut ts,
                    members.next_value_seed(TextSeed(Timestamp::parse_printed))?,
                )?,
                CallMember::ConfirmRequired => once(&mut confirm_required, members.next_value()?)?,
                CallMember::ExpectedSurface => once(
                    &mut expected_surface,
                    members.next_value_seed(TextSeed(|name: &str| {
                        Surface::parse(name).filter(|surface| *surface != Surface::Push)
                    }))?,
                )?,
                CallMember::DeadlineMs => once(&mut deadline_ms, members.next_value()?)?,
            }
        }
        match (call_id, tool, ts, confirm_required, has_args) {
            (Some(call_id), Some(tool), Some(ts), Some(confirm_required), true) => Ok(CallEnvelope {
                call_id,
                tool,
                ts,
                confirm_required,
                expected_surface,
                deadline_ms,
            }),
            _ => Err(unsure()),
        }
    }
}

/// Takes a member that has not come before.
fn once<T, E: Error>(slot: &mut Option<T>, value: T) -> Result<(), E> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(unsure()),
    }
}

fn unsure<E: Error>() -> E {
    E::custom("not sure")
}

/// Reads a text that is one of those known.
struct TextSeed<F>(F);

impl<'de, T, F: Fn(&str) -> Option<T>> DeserializeSeed<'de> for TextSeed<F> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<T, D::Error> {
        d.deserialize_str(self)
    }
}

impl<T, F: Fn(&str) -> Option<T>> Visitor<'_> for TextSeed<F> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        (self.0)(text).ok_or_else(unsure)
    }
}
