//! Frames between the supervisor and an agent's process.
//!
//! What: `u32` length (big endian), then JSON `{"v":1,"frame":…}`; encoding, decoding and an incremental reader. Why: raw
//! calls travel, and the gate runs again on the far side. Not here: pipes and processes (`orchestrator::process`).

#[cfg(test)]
mod tests;

use crate::{call::Authority, gate, names::closed_enum, rejection::SchemaError, signal::Signal};
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

/// The version that both sides speak.
pub const VERSION: u32 = 1;

/// The largest body of a frame: the largest result and 4 KiB around it.
pub const MAX_FRAME_BYTES: usize = gate::MAX_RESULT_BYTES + 4 * 1024;

/// The bytes of the length before a body.
const HEADER_BYTES: usize = 4;

closed_enum!(
    /// The codes of frames. Each has a page `docs/errors/<code>.md`.
    WireCode {
        /// The body is longer than [`MAX_FRAME_BYTES`].
        Wire001 = "WIRE-001",
        /// The stream ended within a frame.
        Wire002 = "WIRE-002",
        /// The frame is of another version.
        Wire003 = "WIRE-003",
        /// Not a frame.
        Wire004 = "WIRE-004",
        /// A signal in the frame does not satisfy `signal.v1`.
        Wire005 = "WIRE-005",
    }
);

/// A frame that cannot be sent or read. The stream is not to be used any further, because its framing is in doubt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// `WIRE-001`
    #[error("WIRE-001: a frame of {bytes} bytes, at most {MAX_FRAME_BYTES} are allowed; send less at once")]
    TooLarge {
        /// Bytes of the body.
        bytes: usize,
    },
    /// `WIRE-002`
    #[error("WIRE-002: the stream ended within a frame, {missing} bytes or more are missing")]
    Torn {
        /// Bytes that are missing at least.
        missing: usize,
    },
    /// `WIRE-003`
    #[error(
        "WIRE-003: a frame of version {found}, this program speaks {VERSION}; run one build on both sides"
    )]
    Version {
        /// The version that was read.
        found: u64,
    },
    /// `WIRE-004`
    #[error("WIRE-004: not a frame (line {line}, column {column} of its body)")]
    Malformed {
        /// From 1; 0 where unknown.
        line: usize,
        /// From 1; 0 where unknown.
        column: usize,
    },
    /// `WIRE-005`
    #[error("WIRE-005: signal {index} of the frame is refused: {source}")]
    Signal {
        /// From 0.
        index: usize,
        /// Why.
        source: SchemaError,
    },
}

impl WireError {
    /// The code.
    pub fn code(&self) -> WireCode {
        match self {
            WireError::TooLarge { .. } => WireCode::Wire001,
            WireError::Torn { .. } => WireCode::Wire002,
            WireError::Version { .. } => WireCode::Wire003,
            WireError::Malformed { .. } => WireCode::Wire004,
            WireError::Signal { .. } => WireCode::Wire005,
        }
    }
}

/// What the supervisor sends to an agent.
#[derive(Debug, Clone)]
pub enum ToAgent {
    /// First of all: the `agent_state` of the agent's last ingest, `null` when there is none. No answer.
    Restore {
        /// As the agent gave it.
        state: Value,
    },
    /// Signals for the next ingest, which names them by id. No answer.
    Signals {
        /// Of the kinds that this agent reads.
        signals: Vec<Signal>,
    },
    /// A raw call. Answered by one [`FromAgent::Result`], unless the agent's own gate refuses it.
    Call {
        /// On whose word it may run.
        authority: Authority,
        /// The bytes that passed the supervisor's gate.
        call: Box<RawValue>,
    },
}

/// What an agent sends to the supervisor.
#[derive(Debug, Clone)]
pub enum FromAgent {
    /// The raw result of a call (`toolresult.v1`). The supervisor's gate checks it.
    Result {
        /// The bytes.
        result: Box<RawValue>,
    },
    /// "Something came in": asks for an ingest. Holds nothing.
    Poke,
}

closed_enum!(
    /// The name of a frame.
    FrameName {
        /// [`ToAgent::Restore`]
        Restore = "restore",
        /// [`ToAgent::Signals`]
        Signals = "signals",
        /// [`ToAgent::Call`]
        Call = "call",
        /// [`FromAgent::Result`]
        Result = "result",
        /// [`FromAgent::Poke`]
        Poke = "poke",
    }
);

/// Every member that a frame may have. A tagged enum would read a raw value into a tree first.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Frame<'a> {
    v: u64,
    #[serde(rename = "frame")]
    name: FrameName,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    state: Option<&'a RawValue>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    signals: Option<Vec<&'a RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    authority: Option<Authority>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    call: Option<&'a RawValue>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    result: Option<&'a RawValue>,
}

impl Frame<'_> {
    fn named(name: FrameName) -> Self {
        Frame {
            v: u64::from(VERSION),
            name,
            state: None,
            signals: None,
            authority: None,
            call: None,
            result: None,
        }
    }

    /// Length and body.
    fn to_bytes(&self) -> Result<Vec<u8>, WireError> {
        let mut bytes = vec![0; HEADER_BYTES];
        serde_json::to_writer(&mut bytes, self).map_err(|e| malformed(&e))?;
        let body = bytes.len() - HEADER_BYTES;
        let length = u32::try_from(body).ok().filter(|_| body <= MAX_FRAME_BYTES);
        let length = length.ok_or(WireError::TooLarge { bytes: body })?;
        for (slot, byte) in bytes.iter_mut().zip(length.to_be_bytes()) {
            *slot = byte;
        }
        Ok(bytes)
    }
}

/// Only the version, of a frame that cannot be read otherwise.
#[derive(Deserialize)]
struct Version {
    v: u64,
}

fn read(body: &[u8]) -> Result<Frame<'_>, WireError> {
    if body.len() > MAX_FRAME_BYTES {
        return Err(WireError::TooLarge { bytes: body.len() });
    }
    let frame = serde_json::from_slice::<Frame<'_>>(body);
    let found = match &frame {
        Ok(frame) => Some(frame.v),
        Err(_) => serde_json::from_slice::<Version>(body).ok().map(|v| v.v),
    };
    match found.filter(|found| *found != u64::from(VERSION)) {
        Some(found) => Err(WireError::Version { found }),
        None => frame.map_err(|e| malformed(&e)),
    }
}

fn malformed(e: &serde_json::Error) -> WireError {
    WireError::Malformed {
        line: e.line(),
        column: e.column(),
    }
}

/// The body of exactly one whole frame.
///
/// # Errors
/// `Torn` when bytes are missing, `TooLarge` when there are more than its length says or than a frame may have.
pub fn body(frame: &[u8]) -> Result<&[u8], WireError> {
    let (header, rest) = frame
        .split_first_chunk::<HEADER_BYTES>()
        .ok_or_else(|| WireError::Torn {
            missing: HEADER_BYTES.saturating_sub(frame.len()),
        })?;
    // A length of four bytes fits into a usize here; on a smaller machine it is too large anyway.
    let length = usize::try_from(u32::from_be_bytes(*header)).unwrap_or(usize::MAX);
    if rest.len() < length && length <= MAX_FRAME_BYTES {
        return Err(WireError::Torn {
            missing: length - rest.len(),
        });
    }
    if rest.len() != length || length > MAX_FRAME_BYTES {
        return Err(WireError::TooLarge {
            bytes: rest.len().max(length),
        });
    }
    Ok(rest)
}

/// A frame with members that its name does not have, or without those that it has.
const MISFIT: WireError = WireError::Malformed { line: 0, column: 0 };

/// Checks that some bytes are JSON, so that they can travel in a frame. Whether they are a call or a result is the gate's
/// business.
///
/// # Errors
/// `WIRE-004`.
pub fn raw(bytes: &[u8]) -> Result<Box<RawValue>, WireError> {
    serde_json::from_slice(bytes).map_err(|e| malformed(&e))
}

fn raw_of<T: Serialize>(value: &T) -> Result<Box<RawValue>, WireError> {
    serde_json::value::to_raw_value(value).map_err(|e| malformed(&e))
}

impl ToAgent {
    /// The frame with its length.
    ///
    /// # Errors
    /// `WIRE-001` when it is too large: hand signals over in several frames.
    pub fn encode(&self) -> Result<Vec<u8>, WireError> {
        match self {
            ToAgent::Restore { state } => Frame {
                state: Some(&raw_of(state)?),
                ..Frame::named(FrameName::Restore)
            }
            .to_bytes(),
            ToAgent::Signals { signals } => {
                let raws = signals.iter().map(raw_of).collect::<Result<Vec<_>, _>>()?;
                Frame {
                    signals: Some(raws.iter().map(AsRef::as_ref).collect()),
                    ..Frame::named(FrameName::Signals)
                }
                .to_bytes()
            }
            ToAgent::Call { authority, call } => Frame {
                authority: Some(*authority),
                call: Some(call),
                ..Frame::named(FrameName::Call)
            }
            .to_bytes(),
        }
    }

    /// Reads a body, without its length. Signals pass `signal.v1` again.
    ///
    /// # Errors
    /// `WIRE-001`, `WIRE-003`, `WIRE-004` or `WIRE-005`.
    pub fn decode(body: &[u8]) -> Result<Self, WireError> {
        let frame = read(body)?;
        match (
            frame.name,
            frame.state,
            frame.signals,
            frame.authority,
            frame.call,
            frame.result,
        ) {
            // `null` reads as absent, and is what an agent without a state is restored with.
            (FrameName::Restore, state, None, None, None, None) => {
                let text = state.map_or("null", RawValue::get);
                let state = serde_json::from_str(text).map_err(|e| malformed(&e))?;
                Ok(ToAgent::Restore { state })
            }
            (FrameName::Signals, None, Some(raws), None, None, None) => {
                let admit = |(index, raw): (usize, &&RawValue)| {
                    let admitted = gate::admit_signal(raw.get().as_bytes());
                    admitted
                        .map(|(signal, _)| signal)
                        .map_err(|source| WireError::Signal { index, source })
                };
                let signals = raws.iter().enumerate().map(admit).collect::<Result<_, _>>()?;
                Ok(ToAgent::Signals { signals })
            }
            (FrameName::Call, None, None, Some(authority), Some(call), None) => Ok(ToAgent::Call {
                authority,
                call: call.to_owned(),
            }),
            _ => Err(MISFIT),
        }
    }
}

impl FromAgent {
    /// The frame with its length.
    ///
    /// # Errors
    /// `WIRE-001` when it is too large.
    pub fn encode(&self) -> Result<Vec<u8>, WireError> {
        match self {
            FromAgent::Result { result } => Frame {
                result: Some(result),
                ..Frame::named(FrameName::Result)
            }
            .to_bytes(),
            FromAgent::Poke => Frame::named(FrameName::Poke).to_bytes(),
        }
    }

    /// Reads a body, without its length.
    ///
    /// # Errors
    /// `WIRE-001`, `WIRE-003` or `WIRE-004`.
    pub fn decode(body: &[u8]) -> Result<Self, WireError> {
        let frame = read(body)?;
        let foreign = frame.state.is_some()
            || frame.signals.is_some()
            || frame.authority.is_some()
            || frame.call.is_some();
        match (frame.name, frame.result) {
            (FrameName::Result, Some(result)) if !foreign => Ok(FromAgent::Result {
                result: result.to_owned(),
            }),
            (FrameName::Poke, None) if !foreign => Ok(FromAgent::Poke),
            _ => Err(MISFIT),
        }
    }
}

/// Cuts a stream of bytes into bodies. Holds at most one frame and what was pushed last.
#[derive(Debug, Default)]
pub struct Decoder {
    bytes: Vec<u8>,
    /// Bytes at the front that were given out.
    done: usize,
}

impl Decoder {
    /// Takes in what was read.
    pub fn push(&mut self, read: &[u8]) {
        self.bytes.drain(..self.done.min(self.bytes.len()));
        self.done = 0;
        self.bytes.extend_from_slice(read);
    }

    /// The next whole body; `None`: read more. A refusal stays: the stream is over.
    ///
    /// # Errors
    /// `WIRE-001`, before the body is waited for.
    pub fn next_body(&mut self) -> Result<Option<&[u8]>, WireError> {
        let rest = self.bytes.get(self.done..).unwrap_or_default();
        let Some((header, rest)) = rest.split_first_chunk::<HEADER_BYTES>() else {
            return Ok(None);
        };
        let length = usize::try_from(u32::from_be_bytes(*header)).unwrap_or(usize::MAX);
        if length > MAX_FRAME_BYTES {
            return Err(WireError::TooLarge { bytes: length });
        }
        let body = rest.get(..length);
        if body.is_some() {
            self.done += HEADER_BYTES + length;
        }
        Ok(body)
    }

    /// To be called at the end of the stream.
    ///
    /// # Errors
    /// `WIRE-002` when a frame was begun and not ended.
    pub fn finish(&self) -> Result<(), WireError> {
        let rest = self.bytes.get(self.done..).unwrap_or_default();
        if rest.is_empty() {
            return Ok(());
        }
        let missing = match rest.split_first_chunk::<HEADER_BYTES>() {
            None => HEADER_BYTES - rest.len(),
            Some((header, rest)) => {
                let length = usize::try_from(u32::from_be_bytes(*header)).unwrap_or(usize::MAX);
                length.saturating_sub(rest.len())
            }
        };
        Err(WireError::Torn { missing })
    }
}
