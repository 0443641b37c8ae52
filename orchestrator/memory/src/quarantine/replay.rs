//! What a kept line would be today.
//!
//! What: [`replay`], the refused bytes again through today's gate, without the deadline and without doing anything. Why:
//! after a change of the catalogue or of a schema the operator sees what would pass now. Not here: which lines, and how it
//! is shown (the command line).

use super::{QuarantineEntry, QuarantineKind};
use toolcall_schema::{
    Code, SchemaError, ToolName,
    gate::{self, GateClock},
    protocol::{self, BaseResponse, EnvelopeOutput, manifest::Protocol},
    trace::Trace,
};

/// What a kept line would be today.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplayVerdict {
    /// It would pass.
    Passes,
    /// What refused it then is no part of a dry run (its deadline, the owner's confirmation; of a message, what was asked and when it
    /// came); all the rest passes.
    PassesOtherwise,
    /// It would be refused, and why.
    Refused(SchemaError),
    /// It cannot be said truthfully.
    NotReplayable(NotReplayable),
}

/// Why a line cannot be replayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotReplayable {
    /// The line does not hold the bytes that were refused: private leaves were hidden.
    Redacted,
    /// A result whose call is not named on the line.
    NoCall,
    /// Only the beginning of what was refused is kept.
    Cut,
}

impl ReplayVerdict {
    /// Whether it is refused today for the reason of then: the same code at the same place.
    pub fn is_as_before(&self, entry: &QuarantineEntry) -> bool {
        match self {
            Self::Refused(error) => error.code.as_str() == entry.code && error.pointer == entry.pointer,
            Self::PassesOtherwise => true,
            Self::Passes | Self::NotReplayable(_) => false,
        }
    }
}

/// Judges a line anew. Pure.
pub fn replay(kind: QuarantineKind, entry: &QuarantineEntry) -> ReplayVerdict {
    let Some(bytes) = entry.verbatim() else {
        return ReplayVerdict::NotReplayable(match kind {
            QuarantineKind::Calls | QuarantineKind::Results | QuarantineKind::Traces => {
                NotReplayable::Redacted
            }
            QuarantineKind::Messages => NotReplayable::Cut,
        });
    };
    let judged = match kind {
        QuarantineKind::Calls => gate::admit(&bytes, GateClock::Skip)
            .map(|_| ())
            .map_err(|refusal| refusal.error),
        QuarantineKind::Results => {
            let named = entry.agent.zip(entry.tool.as_deref());
            let tool = named.and_then(|(agent, tool)| ToolName::find(agent, tool));
            let Some((tool, call_id)) = tool.zip(entry.call_id.as_ref()) else {
                return ReplayVerdict::NotReplayable(NotReplayable::NoCall);
            };
            gate::admit_result(&bytes, tool, call_id).map(|_| ())
        }
        QuarantineKind::Traces => trace(&bytes),
        QuarantineKind::Messages => match entry.protocol {
            Some(Protocol::Envelope) => protocol::parse_message::<EnvelopeOutput>(&bytes).map(|_| ()),
            Some(Protocol::Base) => protocol::parse_message::<BaseResponse>(&bytes).map(|_| ()),
            None => return ReplayVerdict::NotReplayable(NotReplayable::NoCall),
        },
    };
    // The first four and the last of the protocol are judged by the message alone.
    let by_itself = [
        Code::Proto001,
        Code::Proto002,
        Code::Proto003,
        Code::Proto004,
        Code::Proto007,
    ];
    let then = Code::parse(&entry.code);
    let elsewhere = match kind {
        QuarantineKind::Calls | QuarantineKind::Results | QuarantineKind::Traces => {
            matches!(then, Some(Code::Gate011 | Code::Gate012))
        }
        QuarantineKind::Messages => !then.is_some_and(|code| by_itself.contains(&code)),
    };
    match judged {
        Err(error) => ReplayVerdict::Refused(error),
        Ok(()) if elsewhere => ReplayVerdict::PassesOtherwise,
        Ok(()) => ReplayVerdict::Passes,
    }
}

fn trace(bytes: &[u8]) -> Result<(), SchemaError> {
    match serde_json::from_slice::<Trace>(bytes) {
        Ok(trace) => gate::check_trace(&trace),
        Err(_) => Err(SchemaError {
            code: Code::Trace001,
            pointer: String::new(),
            keyword: "type".to_owned(),
            limit: None,
            message: "not a trace of this version".to_owned(),
        }),
    }
}
