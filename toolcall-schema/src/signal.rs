//! `signal.v1`: what the outside tells us.
//!
//! What: the envelope of one signal and the typed payload of each kind. Why: text from outside enters here and goes
//! to one agent only. Not here: the journal's view of a signal, which holds no payload (`orchestrator-machine`).

use crate::{
    ids::SignalId,
    names::{AgentName, closed_enum},
    time::Timestamp,
};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

closed_enum!(
    /// The eleven kinds of signal.
    SignalKind {
        /// A notification of a chat or mail program.
        Notification = "notification",
        /// A mail.
        Mail = "mail",
        /// Calendar data (one iCalendar object).
        Calendar = "calendar",
        /// A bank's SMS.
        BankSms = "bank_sms",
        /// A transaction that some other program already parsed.
        Transaction = "transaction",
        /// Heart-rate variability.
        Hrv = "hrv",
        /// Last night's sleep.
        Sleep = "sleep",
        /// Typing, switching, screen time.
        Activity = "activity",
        /// The phone was unlocked.
        PhoneUnlock = "phone_unlock",
        /// Where the owner is.
        Location = "location",
        /// Do not disturb was switched.
        Dnd = "dnd",
    }
);

impl SignalKind {
    /// The agent that reads signals of this kind; `Orchestrator` for those that carry no text and go to the machine.
    pub fn reader(self) -> AgentName {
        match self {
            SignalKind::Notification | SignalKind::Mail => AgentName::Comms,
            SignalKind::Calendar | SignalKind::Location => AgentName::Calendar,
            SignalKind::BankSms | SignalKind::Transaction => AgentName::Finance,
            SignalKind::Hrv | SignalKind::Sleep | SignalKind::Activity => AgentName::Wellness,
            SignalKind::PhoneUnlock | SignalKind::Dnd => AgentName::Orchestrator,
        }
    }
}

/// One signal. `payload` is checked against the schema of its kind and read with [`Signal::payload`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signal {
    /// Given by the source; the same id twice is one signal.
    pub id: SignalId,
    /// When it happened.
    pub at: Timestamp,
    /// Which program sent it, 1 to 40 of `a-z0-9_-`.
    pub source: String,
    /// What it is.
    pub kind: SignalKind,
    /// The kind's own fields.
    pub payload: serde_json::Value,
}

/// The typed payload of a signal.
#[derive(Debug, Clone, PartialEq)]
pub enum SignalPayload {
    /// Of `notification`.
    Notification(NotificationData),
    /// Of `mail`.
    Mail(MailData),
    /// Of `calendar`.
    Calendar(CalendarData),
    /// Of `bank_sms`.
    BankSms(BankSms),
    /// Of `transaction`.
    Transaction(TransactionData),
    /// Of `hrv`.
    Hrv(HrvData),
    /// Of `sleep`.
    Sleep(SleepData),
    /// Of `activity`.
    Activity(ActivityData),
    /// Of `phone_unlock`: nothing.
    PhoneUnlock,
    /// Of `location`.
    Location(LocationData),
    /// Of `dnd`.
    Dnd(DndData),
}

impl Signal {
    /// The typed payload.
    ///
    /// # Errors
    /// serde's reason when the payload has other fields than its kind.
    pub fn payload(&self) -> Result<SignalPayload, serde_json::Error> {
        let value = &self.payload;
        Ok(match self.kind {
            SignalKind::Notification => SignalPayload::Notification(NotificationData::deserialize(value)?),
            SignalKind::Mail => SignalPayload::Mail(MailData::deserialize(value)?),
            SignalKind::Calendar => SignalPayload::Calendar(CalendarData::deserialize(value)?),
            SignalKind::BankSms => SignalPayload::BankSms(BankSms::deserialize(value)?),
            SignalKind::Transaction => SignalPayload::Transaction(TransactionData::deserialize(value)?),
            SignalKind::Hrv => SignalPayload::Hrv(HrvData::deserialize(value)?),
            SignalKind::Sleep => SignalPayload::Sleep(SleepData::deserialize(value)?),
            SignalKind::Activity => SignalPayload::Activity(ActivityData::deserialize(value)?),
            SignalKind::PhoneUnlock => {
                EmptyPayload::deserialize(value)?;
                SignalPayload::PhoneUnlock
            }
            SignalKind::Location => SignalPayload::Location(LocationData::deserialize(value)?),
            SignalKind::Dnd => SignalPayload::Dnd(DndData::deserialize(value)?),
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EmptyPayload {}

/// A signal that passed the gate, with its payload read: [`crate::gate::admit_signal`] alone makes one, so nobody parses it again.
#[derive(Debug, Clone, PartialEq)]
pub struct AdmittedSignal {
    signal: Signal,
    payload: SignalPayload,
    bytes: usize,
}

impl AdmittedSignal {
    /// `signal` was admitted from `bytes` bytes of JSON.
    pub(crate) fn new(signal: Signal, bytes: usize) -> Result<Self, serde_json::Error> {
        let payload = signal.payload()?;
        Ok(Self {
            signal,
            payload,
            bytes,
        })
    }

    pub fn signal(&self) -> &Signal {
        &self.signal
    }

    pub fn payload(&self) -> &SignalPayload {
        &self.payload
    }

    /// The length of the JSON it came as.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn into_signal(self) -> Signal {
        self.signal
    }
}

/// A notification. `text` stays with Comms; only hashes and counts leave it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotificationData {
    /// The program, e.g. `org.example.chat`.
    pub app: String,
    /// The chat, group or folder it belongs to.
    pub channel: String,
    /// Who wrote it.
    pub sender: String,
    /// What it says; may be empty.
    #[serde(default)]
    pub text: String,
}

impl NotificationData {
    /// What its chat is called: a program without chats has one.
    pub fn chat(&self) -> &str {
        if self.channel.is_empty() {
            &self.app
        } else {
            &self.channel
        }
    }
}

/// A mail as a whole message (RFC 5322). Files in a folder of `.eml` are read the same way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MailData {
    /// The message with its headers, at most 48 KiB here (files may be larger).
    pub message: String,
}

/// An iCalendar object with one or more VEVENTs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CalendarData {
    /// The text of the `.ics`.
    pub ics: String,
}

/// A bank's message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BankSms {
    /// The sender's code, e.g. `VK-HDFCBK`.
    pub from: String,
    /// The message.
    pub body: String,
}

/// A parsed transaction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransactionData {
    /// More than zero, in `currency`.
    pub amount: Decimal,
    /// ISO 4217, three letters.
    pub currency: String,
    /// Which way the money went.
    pub direction: Direction,
    /// To or from whom.
    pub merchant: String,
    /// The last four digits of the account.
    pub account_last4: String,
}

closed_enum!(
    /// Which way money went.
    Direction {
        Debit = "debit",
        Credit = "credit",
        /// Given back.
        Refund = "refund",
        /// Charged by the bank.
        Fee = "fee",
    }
);

/// Heart-rate variability over a window: RR intervals, or an RMSSD some other program computed; or the heart rate of a day at rest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HrvData {
    /// Milliseconds between beats, in order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rr_ms: Option<Vec<f64>>,
    /// Root mean square of successive differences, milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rmssd_ms: Option<f64>,
    /// Beats a minute at rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resting_bpm: Option<f64>,
}

/// Last night's sleep, minutes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SleepData {
    /// Minutes asleep.
    pub asleep_min: u32,
    /// Minutes in REM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rem_min: Option<u32>,
    /// Minutes in deep sleep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deep_min: Option<u32>,
    /// Asleep over in bed, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub efficiency: Option<f64>,
}

/// Typing, switching and screen time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActivityData {
    /// Bits over the last 60 s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typing_entropy: Option<f64>,
    /// Switches of program in the last 60 s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app_switch_rate: Option<f64>,
    /// Share of notifications dismissed in the last 60 min, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notif_dismiss_rate: Option<f64>,
    /// Minutes of screen in the last 60 min.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screen_on_min: Option<f64>,
}

/// A place, WGS 84 degrees.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocationData {
    /// Latitude, -90 to 90.
    pub lat: f64,
    /// Longitude, -180 to 180.
    pub lon: f64,
}

/// Do not disturb.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DndData {
    /// On or off.
    pub active: bool,
    /// When it ends by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}
