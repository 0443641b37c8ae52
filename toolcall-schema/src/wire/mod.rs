//! Frames between the supervisor and an agent's process.
//!
//! What: `u32` length (big endian), then JSON `{"v":1,"frame":…}`; encoding, decoding and an incremental reader. Why: raw
//! calls travel, and the gate runs again on the far side. Not here: sockets and processes (`aura_process`).
//!
//! The supervisor speaks first (`begin`), the agent says `ready`. From then on the supervisor asks one thing at a time: a
//! `call` or a `ping` is answered, with its number, before anything else is sent; the other frames have no answer.

mod framing;
#[cfg(test)]
mod tests;

pub use framing::{FrameDecoder, HEADER_BYTES, decode_frame, encode_frame};

use crate::{
    call::Authority,
    catalogue::shared::ThingNames,
    gate,
    names::closed_enum,
    rejection::SchemaError,
    signal::{AdmittedSignal, Signal},
    time::Timestamp,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

/// The version that both sides speak, of frames to and from an agent and the model.
pub const VERSION: u32 = 1;

/// The largest body of a frame: the largest result and 4 KiB around it.
pub const MAX_FRAME_BYTES: usize = gate::MAX_RESULT_BYTES + 4 * 1024;

closed_enum!(
    /// The codes of frames. Each has a page `docs/errors/<code>.md`.
    WireCode {
        /// The body is longer than may be: [`MAX_FRAME_BYTES`] to and from an agent.
        Wire001 = "WIRE-001",
        /// The stream ended within a frame.
        Wire002 = "WIRE-002",
        /// The frame is of another version.
        Wire003 = "WIRE-003",
        /// Not a frame.
        Wire004 = "WIRE-004",
        /// A signal in the frame does not satisfy `signal.v1`.
        Wire005 = "WIRE-005",
        /// A frame that is not its turn.
        Wire006 = "WIRE-006",
        /// The other side is another build.
        Wire007 = "WIRE-007",
    }
);

/// A frame that cannot be sent or read. The stream is not to be used any further, because its framing is in doubt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// `WIRE-001`
    #[error("WIRE-001: a frame of {bytes} bytes, at most {limit} are allowed; send less at once")]
    TooLarge {
        /// Bytes of the body.
        bytes: usize,
        /// Bytes that a body may have.
        limit: usize,
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
        source: SchemaError,
    },
    /// `WIRE-006`
    #[error("WIRE-006: a frame `{found}`, where only {expected} may come")]
    OutOfOrder {
        /// The frame's name.
        found: FrameName,
        /// What may come, in words.
        expected: &'static str,
    },
    /// `WIRE-007`
    #[error("WIRE-007: the other side has another catalogue; run one build on both sides")]
    OtherBuild,
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
            WireError::OutOfOrder { .. } => WireCode::Wire006,
            WireError::OtherBuild => WireCode::Wire007,
        }
    }
}

/// What the supervisor sends to an agent.
#[derive(Debug, Clone)]
pub enum ToAgent {
    /// First of all: what the agent is given at its start. Answered by [`FromAgent::Ready`].
    Begin {
        /// Of a shape that the agents know. Holds the key of the agents' hashes: goes to an own process only.
        setup: Box<RawValue>,
    },
    /// The agent's last journalled `agent_state`, `null` when there is none. No answer.
    Restore {
        /// As the agent gave it.
        state: Value,
    },
    /// What are those called whom this state knows, as far as that stands nowhere? Answered by [`FromAgent::Names`], and nothing follows but
    /// the end: another process goes on from that state.
    TellNames {
        n: u64,
        /// Of an `agent_state`.
        state: Value,
    },
    /// What an earlier process of this agent called things. No answer.
    Names {
        /// As that one told them.
        names: ThingNames,
    },
    /// Signals for the next ingest, which names them by id. No answer.
    Signals {
        /// Of the kinds that this agent reads.
        signals: Vec<Signal>,
    },
    /// A raw call. Answered by [`FromAgent::Result`] or [`FromAgent::Refused`].
    Call {
        n: u64,
        /// The wall clock of the supervisor, for the agent's gate.
        at: Timestamp,
        /// On whose word it may run.
        authority: Authority,
        /// Up to when ages of what an ingest reads count; absent: up to the call's own time.
        ages_upto: Option<Timestamp>,
        /// The bytes that passed the supervisor's gate.
        call: Box<RawValue>,
    },
    /// "Are you there?" Answered by [`FromAgent::Pong`].
    Ping { n: u64 },
    /// End. No answer.
    Stop,
}

/// What an agent sends to the supervisor.
#[derive(Debug, Clone)]
pub enum FromAgent {
    /// The agent is built and reads from now on.
    Ready {
        /// The hash of its catalogue: the same on both sides, or they are two builds.
        catalogue: String,
        /// What it says of its sandbox, in a few words.
        sandbox: String,
    },
    /// The raw result of a call (`toolresult.v1`). The supervisor's gate checks it.
    Result {
        /// Of the call.
        n: u64,
        /// The bytes.
        result: Box<RawValue>,
        /// What a call that carried something out changed in the `agent_state`, as a JSON merge patch of at most 1 MiB; an ingest's stands
        /// in its result.
        state: Option<Value>,
    },
    /// The agent's own gate refused the call.
    Refused {
        /// Of the call.
        n: u64,
    },
    /// What things are called.
    Names {
        /// Of the question.
        n: u64,
        /// None where they do not fit into a frame.
        names: ThingNames,
    },
    /// "I am."
    Pong {
        /// Of the ping.
        n: u64,
    },
}

closed_enum!(
    /// The name of a frame.
    FrameName {
        /// [`ToAgent::Begin`]
        Begin = "begin",
        /// [`ToAgent::Restore`]
        Restore = "restore",
        /// [`ToAgent::TellNames`]
        TellNames = "tell_names",
        /// [`FromAgent::Names`], [`ToAgent::Names`]
        Names = "names",
        /// [`ToAgent::Signals`]
        Signals = "signals",
        /// [`ToAgent::Call`]
        Call = "call",
        /// [`ToAgent::Ping`]
        Ping = "ping",
        /// [`ToAgent::Stop`]
        Stop = "stop",
        /// [`FromAgent::Ready`]
        Ready = "ready",
        /// [`FromAgent::Result`]
        Result = "result",
        /// [`FromAgent::Refused`]
        Refused = "refused",
        /// [`FromAgent::Pong`]
        Pong = "pong",
    }
);

/// Every member that a frame may have. A tagged enum would read a raw value into a tree first.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFrame<'a> {
    v: u64,
    #[serde(rename = "frame")]
    name: FrameName,
    #[serde(skip_serializing_if = "Option::is_none")]
    n: Option<u64>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    setup: Option<&'a RawValue>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    state: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    names: Option<ThingNames>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    signals: Option<Vec<&'a RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    authority: Option<Authority>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ages_upto: Option<Timestamp>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    call: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    catalogue: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sandbox: Option<String>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    result: Option<&'a RawValue>,
}

impl RawFrame<'_> {
    fn named(name: FrameName) -> Self {
        RawFrame {
            v: u64::from(VERSION),
            name,
            n: None,
            setup: None,
            state: None,
            names: None,
            signals: None,
            at: None,
            authority: None,
            ages_upto: None,
            call: None,
            catalogue: None,
            sandbox: None,
            result: None,
        }
    }

    /// Whether it has nothing but its version and name.
    fn is_empty(&self) -> bool {
        let RawFrame {
            v: _,
            name: _,
            n,
            setup,
            state,
            names,
            signals,
            at,
            authority,
            ages_upto,
            call,
            catalogue,
            sandbox,
            result,
        } = self;
        (n.is_none() && names.is_none() && at.is_none() && authority.is_none() && signals.is_none())
            && (ages_upto.is_none() && catalogue.is_none() && sandbox.is_none())
            && [setup, state, call, result].iter().all(|raw| raw.is_none())
    }

    /// Length and body.
    fn to_bytes(&self) -> Result<Vec<u8>, WireError> {
        encode_frame(self, MAX_FRAME_BYTES)
    }
}

fn read(body: &[u8]) -> Result<RawFrame<'_>, WireError> {
    decode_frame(body, MAX_FRAME_BYTES, |frame: &RawFrame<'_>| frame.v)
}

/// What of a body could not be read or written.
fn malformed(e: &serde_json::Error) -> WireError {
    WireError::Malformed {
        line: e.line(),
        column: e.column(),
    }
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
    /// Its name.
    pub fn name(&self) -> FrameName {
        match self {
            ToAgent::Begin { .. } => FrameName::Begin,
            ToAgent::Restore { .. } => FrameName::Restore,
            ToAgent::TellNames { .. } => FrameName::TellNames,
            ToAgent::Names { .. } => FrameName::Names,
            ToAgent::Signals { .. } => FrameName::Signals,
            ToAgent::Call { .. } => FrameName::Call,
            ToAgent::Ping { .. } => FrameName::Ping,
            ToAgent::Stop => FrameName::Stop,
        }
    }

    /// The frame with its length.
    ///
    /// # Errors
    /// `WIRE-001` when it is too large: hand signals over in several frames.
    pub fn encode(&self) -> Result<Vec<u8>, WireError> {
        let named = RawFrame::named(self.name());
        match self {
            ToAgent::Begin { setup } => RawFrame {
                setup: Some(setup),
                ..named
            }
            .to_bytes(),
            ToAgent::Restore { state } => RawFrame {
                state: Some(&raw_of(state)?),
                ..named
            }
            .to_bytes(),
            ToAgent::TellNames { n, state } => RawFrame {
                n: Some(*n),
                state: Some(&raw_of(state)?),
                ..named
            }
            .to_bytes(),
            ToAgent::Names { names } => RawFrame {
                names: Some(names.clone()),
                ..named
            }
            .to_bytes(),
            ToAgent::Signals { signals } => {
                let raws = signals.iter().map(raw_of).collect::<Result<Vec<_>, _>>()?;
                RawFrame {
                    signals: Some(raws.iter().map(AsRef::as_ref).collect()),
                    ..named
                }
                .to_bytes()
            }
            ToAgent::Call {
                n,
                at,
                authority,
                ages_upto,
                call,
            } => RawFrame {
                n: Some(*n),
                at: Some(*at),
                authority: Some(*authority),
                ages_upto: *ages_upto,
                call: Some(call),
                ..named
            }
            .to_bytes(),
            ToAgent::Ping { n } => RawFrame { n: Some(*n), ..named }.to_bytes(),
            ToAgent::Stop => named.to_bytes(),
        }
    }

    /// Reads a body, without its length. Signals pass `signal.v1` again.
    ///
    /// # Errors
    /// `WIRE-001`, `WIRE-003`, `WIRE-004` or `WIRE-005`.
    pub fn decode(body: &[u8]) -> Result<Self, WireError> {
        let mut frame = read(body)?;
        // What a frame of that name has is taken out; anything that is left does not belong to it.
        let read = match frame.name {
            FrameName::Begin => ToAgent::Begin {
                setup: frame.setup.take().ok_or(MISFIT)?.to_owned(),
            },
            // `null` reads as absent, and is what an agent without a state is restored with.
            FrameName::Restore => {
                let text = frame.state.take().map_or("null", RawValue::get);
                let state = serde_json::from_str(text).map_err(|e| malformed(&e))?;
                ToAgent::Restore { state }
            }
            FrameName::TellNames => {
                let state = frame.state.take().ok_or(MISFIT)?;
                ToAgent::TellNames {
                    n: frame.n.take().ok_or(MISFIT)?,
                    state: serde_json::from_str(state.get()).map_err(|e| malformed(&e))?,
                }
            }
            FrameName::Names => ToAgent::Names {
                names: frame.names.take().ok_or(MISFIT)?,
            },
            FrameName::Signals => {
                let raws = frame.signals.take().ok_or(MISFIT)?;
                let admit = |(index, raw): (usize, &&RawValue)| {
                    let admitted = gate::admit_signal(raw.get().as_bytes());
                    admitted
                        .map(AdmittedSignal::into_signal)
                        .map_err(|source| WireError::Signal { index, source })
                };
                let signals = raws.iter().enumerate().map(admit).collect::<Result<_, _>>()?;
                ToAgent::Signals { signals }
            }
            FrameName::Call => ToAgent::Call {
                n: frame.n.take().ok_or(MISFIT)?,
                at: frame.at.take().ok_or(MISFIT)?,
                authority: frame.authority.take().ok_or(MISFIT)?,
                ages_upto: frame.ages_upto.take(),
                call: frame.call.take().ok_or(MISFIT)?.to_owned(),
            },
            FrameName::Ping => ToAgent::Ping {
                n: frame.n.take().ok_or(MISFIT)?,
            },
            FrameName::Stop => ToAgent::Stop,
            FrameName::Ready | FrameName::Result | FrameName::Refused | FrameName::Pong => {
                return Err(MISFIT);
            }
        };
        if frame.is_empty() { Ok(read) } else { Err(MISFIT) }
    }
}

impl FromAgent {
    /// Its name.
    pub fn name(&self) -> FrameName {
        match self {
            FromAgent::Ready { .. } => FrameName::Ready,
            FromAgent::Result { .. } => FrameName::Result,
            FromAgent::Refused { .. } => FrameName::Refused,
            FromAgent::Names { .. } => FrameName::Names,
            FromAgent::Pong { .. } => FrameName::Pong,
        }
    }

    /// The frame with its length.
    ///
    /// # Errors
    /// `WIRE-001` when it is too large.
    pub fn encode(&self) -> Result<Vec<u8>, WireError> {
        let named = RawFrame::named(self.name());
        match self {
            FromAgent::Ready { catalogue, sandbox } => RawFrame {
                catalogue: Some(catalogue.clone()),
                sandbox: Some(sandbox.clone()),
                ..named
            }
            .to_bytes(),
            FromAgent::Result { n, result, state } => RawFrame {
                n: Some(*n),
                result: Some(result),
                state: state.as_ref().map(raw_of).transpose()?.as_deref(),
                ..named
            }
            .to_bytes(),
            FromAgent::Names { n, names } => RawFrame {
                n: Some(*n),
                names: Some(names.clone()),
                ..named
            }
            .to_bytes(),
            FromAgent::Refused { n } | FromAgent::Pong { n } => RawFrame { n: Some(*n), ..named }.to_bytes(),
        }
    }

    /// Reads a body, without its length.
    ///
    /// # Errors
    /// `WIRE-001`, `WIRE-003` or `WIRE-004`.
    pub fn decode(body: &[u8]) -> Result<Self, WireError> {
        let mut frame = read(body)?;
        let read = match frame.name {
            FrameName::Ready => FromAgent::Ready {
                catalogue: frame.catalogue.take().ok_or(MISFIT)?,
                sandbox: frame.sandbox.take().ok_or(MISFIT)?,
            },
            FrameName::Result => FromAgent::Result {
                n: frame.n.take().ok_or(MISFIT)?,
                result: frame.result.take().ok_or(MISFIT)?.to_owned(),
                state: match frame.state.take() {
                    Some(state) => Some(serde_json::from_str(state.get()).map_err(|e| malformed(&e))?),
                    None => None,
                },
            },
            FrameName::Refused => FromAgent::Refused {
                n: frame.n.take().ok_or(MISFIT)?,
            },
            FrameName::Names => FromAgent::Names {
                n: frame.n.take().ok_or(MISFIT)?,
                names: frame.names.take().ok_or(MISFIT)?,
            },
            FrameName::Pong => FromAgent::Pong {
                n: frame.n.take().ok_or(MISFIT)?,
            },
            FrameName::Begin
            | FrameName::Restore
            | FrameName::TellNames
            | FrameName::Signals
            | FrameName::Call
            | FrameName::Ping
            | FrameName::Stop => return Err(MISFIT),
        };
        if frame.is_empty() { Ok(read) } else { Err(MISFIT) }
    }
}
