//! What other people's programs need: to propose a call, to look up what came of it, and to read a little.
//!
//! What: [`AskBackend`] and what crosses it. Why: every protocol is a translator over these five verbs, so that none has a way of its own to
//! the machine. Not here: who a program is (`devices`), routes and bodies (`web::asks_api`), what waits and when the owner is asked
//! (`orchestrator_machine::asks`). No value here carries the capability of a card: nobody but the owner's own surfaces is given one.

use super::{BackendError, BackendFuture};
use crate::devices::DeviceId;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;
use toolcall_schema::{AskReport, AskState, ToolName, ids::RequestId};

/// An ask's state is held back for its next change no longer than this.
pub const ASK_HELD_MAX: Duration = Duration::from_secs(25);

/// Characters of an idempotency key.
pub const ASK_KEY_MAX: usize = 64;

/// Reads of one device in an hour.
pub const READS_PER_HOUR: usize = 60;

/// New asks of one device in an hour. A repeat is none, however often it comes.
pub const ASKS_PER_HOUR: usize = 300;

/// What programs need from the rest of Aura. Each call says which device asks: what it may is looked up anew each time, so that one that is
/// revoked gets nothing more.
pub trait AskBackend: Send + Sync + 'static {
    /// What this device may ask for and read, in the order of the catalogue; empty when it may nothing.
    fn tools_for(&self, device: DeviceId) -> BackendFuture<Result<Vec<AskableTool>, BackendError>>;

    /// Proposes a call. Answered when the request is on disk, or from memory where this device gave the same key before. Never waits for the
    /// owner.
    fn ask(
        &self,
        client: ProgramClient,
        proposal: AskProposal,
    ) -> BackendFuture<Result<Result<AskView, AskRefusal>, BackendError>>;

    /// How far an ask of this device is. Held back until it is over or no longer as `wait.seen` says, [`ASK_HELD_MAX`] at most.
    fn ask_state(
        &self,
        device: DeviceId,
        ask: RequestId,
        wait: AskWait,
    ) -> BackendFuture<Result<Result<AskView, AskRefusal>, BackendError>>;

    /// Takes an ask of this device back. Answered when that is on disk: `cancelled`, or what it has come to where the owner was faster.
    fn cancel_ask(
        &self,
        client: ProgramClient,
        ask: RequestId,
    ) -> BackendFuture<Result<Result<AskView, AskRefusal>, BackendError>>;

    /// Calls a tool that changes nothing. That it was read is on disk, in the audit log, before anything is answered; the answer has passed
    /// the gate.
    fn read(
        &self,
        device: DeviceId,
        tool: ToolName,
        args: Value,
    ) -> BackendFuture<Result<Result<Value, AskRefusal>, BackendError>>;

    /// A device was shut out: what it asked for and is not over is taken back.
    fn device_revoked(&self, device: DeviceId) -> BackendFuture<()>;

    /// What this device may name in arguments: the chats that the owner has named and allowed for it, with ids that are good for this device
    /// alone. Recorded and counted as any read.
    fn askable_things(
        &self,
        device: DeviceId,
    ) -> BackendFuture<Result<Result<Vec<AskableThing>, AskRefusal>, BackendError>>;
}

/// Which device, and through which protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramClient {
    pub device: DeviceId,
    pub door: AskDoor,
}

/// The protocol that an ask came by. It is in the journal, and nothing depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskDoor {
    /// `POST /v1/asks`.
    Api,
    /// The Model Context Protocol, over HTTP or standard input.
    Mcp,
}

impl AskDoor {
    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            AskDoor::Api => "api",
            AskDoor::Mcp => "mcp",
        }
    }
}

/// What becomes of a tool when a program names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskKind {
    /// It is called at once, and changes nothing: [`AskBackend::read`].
    Read,
    /// It waits for the owner: [`AskBackend::ask`].
    Propose,
}

/// A tool that a device may name. Its schemas are the catalogue's (`ToolName::columns`).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AskableTool {
    pub tool: ToolName,
    pub kind: AskKind,
    /// Arguments that have one value only, because the card names it: an object, `{"ttl_seconds": 1800}` for a chat that is muted. What is
    /// not in it is the asker's to choose.
    pub fixed: Value,
}

/// What a program proposes.
#[derive(Debug, Clone, PartialEq)]
pub struct AskProposal {
    pub tool: ToolName,
    /// Its arguments, with the ids of [`AskBackend::askable_things`].
    pub args: Value,
    /// The program's own name for this ask, 1 to [`ASK_KEY_MAX`] characters: the same from the same device is the same ask. Kept as a keyed
    /// hash.
    pub key: String,
    /// How long it may wait for the owner, in minutes, 1 to 1440; absent: an hour.
    pub wait_min: Option<u16>,
}

/// How long somebody waits for the state of an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AskWait {
    /// At most so long; zero: the state as it is.
    pub up_to: Duration,
    /// What the asker knows already: any other state is answered at once. Absent: only the end is.
    pub seen: Option<AskState>,
}

/// An ask as a program sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AskView {
    pub ask: RequestId,
    #[serde(flatten)]
    pub report: AskReport,
}

/// Something that a device may name in arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AskableThing {
    /// Of the form of the catalogue's ids; means nothing to any other device, and nothing to Aura's other doors.
    pub id: String,
    /// What the owner calls it, with no character that steers or hides.
    pub label: String,
}

/// Why nothing was asked, read or taken back. Each is an answer, and nothing is left half done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AskRefusal {
    /// The tool is nothing that programs may name, or the owner did not allow this device that.
    #[error("ASK-001: this device may not ask for that: `aura device list` shows what it may")]
    NotAllowed,
    /// The arguments do not pass the tool's schema, are not those that its card names, or name something that this device may not.
    #[error(
        "ASK-002: these arguments cannot be asked for: see the tool's schema, and take ids from the list of chats"
    )]
    Arguments,
    /// The same key came with another tool or other arguments.
    #[error("ASK-003: this idempotency key came before with something else: choose another one")]
    OtherRequest,
    /// Too many wait for the owner, of this device or of all.
    #[error(
        "ASK-004: too many asks wait for the owner already: take one back, or come again when one is over"
    )]
    TooMany,
    /// The device has no such ask, or it is forgotten.
    #[error("ASK-005: this device has no such ask, or it ended long ago")]
    NoSuchAsk,
    /// The device has read [`READS_PER_HOUR`] times within an hour, or asked [`ASKS_PER_HOUR`] times: so many seconds until the next.
    #[error("ASK-006: this device has read 60 times or asked 300 times within an hour")]
    TooOften(u64),
    /// That it was read could not be recorded, so nothing is shown; or the request could not be written, so nothing was asked.
    #[error("ASK-007: nothing was asked or shown, because that could not be written to the disk")]
    NotRecorded,
    /// The agent did not answer, or what it answered did not pass the gate.
    #[error("ASK-008: the part of Aura that knows this does not answer now")]
    NoAnswer,
    /// The agent answered that it has read too little to say, or nothing of what is asked about.
    #[error("ASK-009: Aura has not read enough to say that")]
    NotKnown,
}

impl AskRefusal {
    /// Its code.
    pub fn code(self) -> &'static str {
        match self {
            AskRefusal::NotAllowed => "ASK-001",
            AskRefusal::Arguments => "ASK-002",
            AskRefusal::OtherRequest => "ASK-003",
            AskRefusal::TooMany => "ASK-004",
            AskRefusal::NoSuchAsk => "ASK-005",
            AskRefusal::TooOften(_) => "ASK-006",
            AskRefusal::NotRecorded => "ASK-007",
            AskRefusal::NoAnswer => "ASK-008",
            AskRefusal::NotKnown => "ASK-009",
        }
    }
}
