//! What an agent is asked to read and what it answers: `ingest_result.v1`.
//!
//! What: the arguments of an ingest; its facts for the machine, its observations for the graph, and what could not be read. Why: whatever an
//! agent reads leaves it as this, without text from outside. Not here: ticks (the parent module).

use crate::{
    cell::GridCell,
    ids::{AppHash, ChannelHash, EventId, MerchantHash, PersonHash, SignalId, TxnId, sha256_hex},
    money::SignedAmount,
    names::{Category, WellnessState},
    time::Timestamp,
};
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The arguments of every agent's `ingest`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IngestArgs {
    /// The cursor of the agent's last answer; 0 at first.
    pub cursor: u64,
    /// Signals handed over since, at most 256. Empty: look at the folders only.
    pub signal_ids: Vec<SignalId>,
}

/// What an agent tells the orchestrator after reading, without text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fact", deny_unknown_fields, rename_all = "snake_case")]
pub enum IngestFact {
    /// At least 30 messages in 10 minutes in one channel.
    Burst {
        /// The channel.
        channel: ChannelHash,
        /// Messages in the window.
        count: u32,
        /// When the window was full.
        at: Timestamp,
    },
    /// A new transaction.
    Transaction { txn: TxnId, at: Timestamp },
    /// The load score was computed anew.
    Load {
        /// 0 to 100.
        score: u8,
        /// The state.
        state: WellnessState,
        /// When that state was entered.
        entered_at: Timestamp,
        /// When it was measured.
        at: Timestamp,
    },
    /// An event came, changed or went: its running times. A cancelled event has `start` equal to `end`.
    EventChanged {
        /// Which instance.
        event: EventId,
        /// Its start.
        start: Timestamp,
        /// Its end.
        end: Timestamp,
        /// Whether the owner marked it as a focus block.
        focus: bool,
    },
    /// When to think of leaving for an event.
    Schedule {
        /// Which instance.
        event: EventId,
        /// 15 minutes before `leave_by`.
        alert_at: Timestamp,
        /// The last moment to leave.
        leave_by: Timestamp,
    },
    /// When to prepare for an event with others in it; told only when the owner wants that.
    Meeting {
        /// Which instance.
        event: EventId,
        /// 10 minutes before `start`.
        prepare_at: Timestamp,
        /// Its start.
        start: Timestamp,
    },
}

/// What an agent noticed that is worth remembering. For the graph alone: the machine decides nothing by it, and the journal
/// does not hold it. Hashes, numbers and closed names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "seen", deny_unknown_fields, rename_all = "snake_case")]
pub enum GraphObservation {
    /// Somebody wrote in a chat or a mail folder: all of one local day so far, so that saying it again changes nothing.
    Talk {
        /// The chat, group or mail folder.
        channel: ChannelHash,
        /// The program; absent for mail.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        app: Option<AppHash>,
        /// Who wrote.
        person: PersonHash,
        /// The owner's local day.
        day: NaiveDate,
        /// The last of them.
        at: Timestamp,
        /// This person's messages.
        messages: u32,
        /// Messages of everybody.
        all: u32,
        /// Of those, what wants something of the owner.
        actionable: u32,
    },
    /// A payment.
    Payment {
        txn: TxnId,
        at: Timestamp,
        /// To or from whom.
        merchant: MerchantHash,
        /// How much, and which way it went.
        amount: SignedAmount,
        /// ISO 4217.
        currency: String,
        /// The last four digits of the account.
        account_last4: String,
        /// What for.
        category: Category,
    },
    /// The owner was somewhere.
    Place {
        /// Within this cell.
        cell: GridCell,
        at: Timestamp,
    },
    /// What was measured of the owner's body on one local day so far, so that saying it again changes nothing.
    Body {
        /// The owner's local day.
        day: NaiveDate,
        /// The last measurement that counts here.
        at: Timestamp,
        /// The median of the day's RMSSD, one value an hour, in milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rmssd_ms: Option<f64>,
        /// The day's heart rate at rest, in beats a minute.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resting_bpm: Option<f64>,
        /// Minutes asleep in the sleep that ended on this day.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sleep_min: Option<f64>,
    },
}

/// At most so many of them in one answer; the newest.
pub const SEEN_MAX: usize = 512;

/// One thing that could not be read. Names the thing and the place, never what it said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SkippedItem {
    /// `AGENT-0nn` (shared, Comms, Calendar), `AGENT-1nn` (Finance) or `AGENT-2nn` (Wellness), see `docs/errors`.
    pub code: String,
    /// The file relative to its source folder, or the signal id.
    pub item: String,
    /// Line from 1, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// How many items it stands for; 1 where absent, 0 where nothing was left out.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub count: u32,
    /// A fixed sentence of the code, with the limit and the remedy.
    pub message: String,
}

fn one() -> u32 {
    1
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
fn is_one(count: &u32) -> bool {
    *count == 1
}

/// At most so many sources are named with what is left of them.
pub const RESTS_MAX: usize = 64;

/// How much of a source is still to be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceRest {
    /// [`source_key`] of its path.
    pub source: String,
    /// Bytes of its files.
    pub left: u64,
}

/// A name for a source or a file that says nothing of where it is: the first 16 hexadecimal digits of the SHA-256 of its path.
pub fn source_key(path: &Path) -> String {
    let mut key = sha256_hex(path.as_os_str().as_encoded_bytes());
    key.truncate(16);
    key
}

/// `ingest_result.v1`: what an agent answers to an ingest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IngestResult {
    /// To be given back in the next ingest.
    pub cursor: u64,
    /// At most 512.
    pub facts: Vec<IngestFact>,
    /// For the graph, at most [`SEEN_MAX`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<GraphObservation>,
    /// Items read and kept.
    pub read: u32,
    /// Items skipped, all of them.
    pub skipped: u32,
    /// The first 16 of them.
    pub skips: Vec<SkippedItem>,
    /// Bytes of files that were read now; absent when none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub taken: u64,
    /// Bytes of files that are still to be read: the next ingest goes on. Absent when none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left: u64,
    /// The sources that they are of; absent when none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rests: Vec<SourceRest>,
    /// Items that it has now, whenever they were read; absent where it does not count them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holds: Option<u32>,
    /// `agent_state.v1`: what the agent needs to go on after a restart. No text; at most 1 MiB of JSON. An agent gives it whole; what
    /// travels is what changed since its last answer, as a JSON merge patch ([`crate::agent_state`]). `null`: nothing.
    pub agent_state: serde_json::Value,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
fn is_zero(bytes: &u64) -> bool {
    *bytes == 0
}
