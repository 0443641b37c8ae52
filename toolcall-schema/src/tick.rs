//! What the orchestrator asks in a tick and what an agent answers: `tick_args.v1`, `tick_result.v1`,
//! `ingest_result.v1`.
//!
//! What: triggers, the owner's state, candidates, readings; and what is read between ticks (`ingest`). Why: agents and orchestrator exchange these and
//! nothing else; there is no free text in them. Not here: what a candidate is worth (`orchestrator-machine`).

use crate::{
    ids::{ChannelHash, EventId, MerchantHash, PersonHash, TxnId},
    message_class::EvidenceCode,
    milli::Milli,
    names::{ActionKind, AgentName, WellnessState, closed_enum},
    time::Timestamp,
};
use chrono::NaiveDate;
use serde::{Deserialize, Deserializer, Serialize};
use smol_str::{SmolStr, format_smolstr};
use std::fmt;

mod ingest;

pub use ingest::{
    GraphObservation, IngestArgs, IngestFact, IngestResult, RESTS_MAX, SEEN_MAX, SkippedItem, SourceRest,
    source_key,
};

/// What a candidate or trigger is about: an event id, a channel hash, a category, a date, `self` or `all`.
/// 1 to 40 of `a-z0-9_:-`; never text from outside.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Subject(SmolStr);

impl Subject {
    /// Parses a subject.
    ///
    /// # Errors
    /// [`crate::ids::IdError`] when it has another shape.
    pub fn parse(text: &str) -> Result<Self, crate::ids::IdError> {
        let ok = (1..=40).contains(&text.len())
            && text
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b':' | b'-'));
        if ok {
            Ok(Self(SmolStr::new(text)))
        } else {
            Err(crate::ids::IdError {
                what: "subject",
                shape: "^[a-z0-9_:-]{1,40}$",
            })
        }
    }

    /// About the owner.
    pub fn of_self() -> Self {
        Self(SmolStr::new_static("self"))
    }

    /// About everything of the kind.
    pub fn all() -> Self {
        Self(SmolStr::new_static("all"))
    }

    /// About a local date.
    pub fn date(date: NaiveDate) -> Self {
        Self(format_smolstr!("{date}"))
    }

    /// The subject as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Subject {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        crate::ids::parsed(d, Self::parse)
    }
}

macro_rules! subject_from_id {
    ($($id:ty),+) => { $(impl From<&$id> for Subject {
        fn from(id: &$id) -> Self { Self(SmolStr::new(id.as_str())) }
    })+ };
}
subject_from_id!(
    ChannelHash,
    EventId,
    TxnId,
    crate::ids::ItemId,
    MerchantHash,
    PersonHash
);

closed_enum!(
    /// What can start a tick.
    TriggerSource {
        /// The phone was unlocked.
        PhoneUnlock = "phone_unlock",
        /// At least 30 messages in 10 minutes in one channel.
        CommsBurst = "comms_burst",
        /// A transaction arrived.
        Transaction = "transaction",
        /// The load score crossed 70 upwards.
        LoadCrossed = "load_crossed",
        /// The owner's brief time.
        BriefTime = "brief_time",
        /// An event's alert time.
        AlertAt = "alert_at",
        /// A channel's mute ended.
        MuteEnded = "mute_ended",
        /// A pause or a rule of the owner ended.
        RuleEnded = "rule_ended",
        /// The window ended while a leave-by, or the digest that ends a mute, waited for it.
        WindowEnded = "window_ended",
        /// The time came to which the owner had put a card off.
        Later = "later",
        /// Every 15 minutes.
        Interval = "interval",
        /// The owner asked (`aura tick`, or the page's button).
        Owner = "owner",
        /// Somebody had a tool called: no tick, only in traces.
        Call = "call",
    }
);

/// The signal or timer that starts a tick.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trigger {
    /// What it was.
    pub source: TriggerSource,
    /// What it was about: the channel of a burst or mute, the event of an alert, the transaction, what was put off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<Subject>,
    /// When it happened.
    pub at: Timestamp,
    /// Until when it still makes sense.
    pub valid_until: Timestamp,
}

/// Reads the trigger of a tick, which a call that was asked for never is.
fn trigger_of_a_tick<'de, D: Deserializer<'de>>(d: D) -> Result<Trigger, D::Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum SourceTag {
        PhoneUnlock,
        CommsBurst,
        Transaction,
        LoadCrossed,
        BriefTime,
        AlertAt,
        MuteEnded,
        RuleEnded,
        WindowEnded,
        Later,
        Interval,
        Owner,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct OfTick {
        source: SourceTag,
        #[serde(default)]
        subject: Option<Subject>,
        at: Timestamp,
        valid_until: Timestamp,
    }
    let read = OfTick::deserialize(d)?;
    let source = match read.source {
        SourceTag::PhoneUnlock => TriggerSource::PhoneUnlock,
        SourceTag::CommsBurst => TriggerSource::CommsBurst,
        SourceTag::Transaction => TriggerSource::Transaction,
        SourceTag::LoadCrossed => TriggerSource::LoadCrossed,
        SourceTag::BriefTime => TriggerSource::BriefTime,
        SourceTag::AlertAt => TriggerSource::AlertAt,
        SourceTag::MuteEnded => TriggerSource::MuteEnded,
        SourceTag::RuleEnded => TriggerSource::RuleEnded,
        SourceTag::WindowEnded => TriggerSource::WindowEnded,
        SourceTag::Later => TriggerSource::Later,
        SourceTag::Interval => TriggerSource::Interval,
        SourceTag::Owner => TriggerSource::Owner,
    };
    Ok(Trigger {
        source,
        subject: read.subject,
        at: read.at,
        valid_until: read.valid_until,
    })
}

/// What the orchestrator knows about the owner, from the last answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserState {
    /// 0 to 100; absent until Wellness has said one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_score: Option<u8>,
    /// As Wellness sees it; FOCUSED while the calendar has a focus block.
    pub state: WellnessState,
    /// Whether a focus block is on now.
    pub in_focus: bool,
    /// Whether an event is on now.
    pub in_meeting: bool,
    /// Whether do not disturb is on (a window of the owner, or a live signal).
    pub dnd: bool,
    /// The channel of the newest burst of the last 30 minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_channel: Option<ChannelHash>,
    /// Whether the morning brief may be offered now (from the brief time to noon, owner's zone).
    pub brief_due: bool,
    /// The owner's time zone, an IANA name.
    pub zone: String,
}

/// A rule that is in force and that an agent must know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "rule", deny_unknown_fields, rename_all = "snake_case")]
pub enum ActiveRule {
    /// This channel is muted.
    Mute {
        channel: ChannelHash,
        /// Until when.
        until: Timestamp,
    },
    /// A rule of the owner's stands now by which nothing is said about this channel's messages: what is always let through is not let through there.
    Forbidden { channel: ChannelHash },
    /// The same about the messages of a person, wherever they write.
    ForbiddenPerson { person: PersonHash },
}

/// `tick_args.v1`: the arguments of every agent's `tick`. The time of the question is the call's `ts`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TickArgs {
    /// The number of the tick, from 1.
    pub tick: u64,
    /// Why it started.
    #[serde(deserialize_with = "trigger_of_a_tick")]
    pub trigger: Trigger,
    /// The owner's state.
    pub user: UserState,
    /// Rules in force: at most 64 mutes, and at most 64 chats and people that rules forbid.
    pub rules: Vec<ActiveRule>,
}

/// What an agent proposes. Priority, surface, class and confirm are never an agent's to say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Candidate {
    /// What to do.
    pub kind: ActionKind,
    /// About what.
    pub subject: Subject,
    /// How sure the agent is, 0 to 1, three decimals.
    pub confidence: Milli,
    /// Arguments of the kind's tool, checked against its schema before anything is shown.
    pub args: serde_json::Value,
    /// Until when it still makes sense; absent: 4 hours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<Timestamp>,
    /// Why the agent is this sure, the strongest first; at most [`crate::catalogue::comms::EVIDENCE_MAX`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<EvidenceCode>,
    /// Whether the owner always lets through whom or what it is about: then its score does not matter the first time that day.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub let_through: bool,
}

closed_enum!(
    /// What an agent can measure. The unit is [`ReadingKey::unit`].
    ReadingKey {
        /// Messages seen in the window.
        Messages = "messages",
        /// Of them, those that want something of the owner.
        Actionable = "actionable",
        /// Of them, those in the busiest channel.
        BusiestChannel = "busiest_channel",
        /// Mails that matter and are unread.
        ImportantMail = "important_mail",
        /// Events left today.
        EventsToday = "events_today",
        /// Overlapping pairs today.
        Conflicts = "conflicts",
        /// Minutes to the next event.
        TravelMin = "travel_min",
        /// Minutes kept free before leaving.
        BufferMin = "buffer_min",
        /// Minutes until one has to leave; negative when late.
        LeaveInMin = "leave_in_min",
        /// Spent today.
        SpentToday = "spent_today",
        /// Today against the usual day, percent.
        VersusUsualPct = "versus_usual_pct",
        /// The robust z-score of today's spending.
        ZScore = "z_score",
        /// Transactions without a category.
        Uncategorized = "uncategorized",
        /// The balance expected at the end of the month.
        BalanceEndOfMonth = "balance_end_of_month",
        /// Days until the balance reaches zero.
        DaysToZero = "days_to_zero",
        /// Load score, 0 to 100.
        LoadScore = "load_score",
        /// RMSSD, milliseconds.
        RmssdMs = "rmssd_ms",
        /// RMSSD against the owner's median.
        RmssdZ = "rmssd_z",
        /// Minutes asleep last night.
        SleepMin = "sleep_min",
        /// Minutes of sleep missing.
        SleepDebtMin = "sleep_debt_min",
        /// Typing entropy, bits a minute.
        TypingEntropy = "typing_entropy",
        /// Switches of program a minute.
        AppSwitchRate = "app_switch_rate",
        /// Share of notifications dismissed.
        DismissRate = "dismiss_rate",
        /// Minutes of screen in the last hour.
        ScreenOnMin = "screen_on_min",
        /// Fall of the load score from its recent peak.
        LoadDrop = "load_drop",
    }
);

impl ReadingKey {
    /// The unit of the value, for people: empty for plain counts and scores, `currency` for money (see
    /// [`SignalReading::currency`]).
    pub fn unit(self) -> &'static str {
        match self {
            ReadingKey::Messages
            | ReadingKey::Actionable
            | ReadingKey::BusiestChannel
            | ReadingKey::ImportantMail
            | ReadingKey::EventsToday
            | ReadingKey::Conflicts
            | ReadingKey::Uncategorized
            | ReadingKey::ZScore
            | ReadingKey::RmssdZ
            | ReadingKey::LoadScore
            | ReadingKey::LoadDrop
            | ReadingKey::DismissRate => "",
            ReadingKey::TravelMin
            | ReadingKey::BufferMin
            | ReadingKey::LeaveInMin
            | ReadingKey::SleepMin
            | ReadingKey::SleepDebtMin
            | ReadingKey::ScreenOnMin => "min",
            ReadingKey::SpentToday | ReadingKey::BalanceEndOfMonth => "currency",
            ReadingKey::VersusUsualPct => "%",
            ReadingKey::DaysToZero => "days",
            ReadingKey::RmssdMs => "ms",
            ReadingKey::TypingEntropy => "bits/min",
            ReadingKey::AppSwitchRate => "per min",
        }
    }
}

/// One measured value: a typed signal of a trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignalReading {
    /// What was measured.
    pub key: ReadingKey,
    /// The value, in the key's unit.
    pub value: f64,
    /// The lower end of the usual range, where one is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// The upper end of the usual range, where one is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// ISO 4217, for money only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
}

impl SignalReading {
    /// A reading without range or currency.
    pub fn new(key: ReadingKey, value: f64) -> Self {
        Self {
            key,
            value,
            low: None,
            high: None,
            currency: None,
        }
    }

    /// The value as people write it: at most three decimals, no trailing zeros.
    pub fn shown(&self) -> String {
        let text = format!("{:.3}", self.value);
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

closed_enum!(
    /// Whether an agent had anything to look at.
    TickStatus {
        /// It looked at data.
        Ok = "ok",
        /// It has no data yet.
        NoData = "no_data",
    }
);

/// `tick_result.v1`: what an agent answers to a tick.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TickResult {
    /// At most 16.
    pub candidates: Vec<Candidate>,
    /// At most 32.
    pub readings: Vec<SignalReading>,
    /// Whether it had data.
    pub status: TickStatus,
}

/// The agents a tick waits for, by name: used where a map over the four is wanted.
pub type PerAgent<T> = std::collections::BTreeMap<AgentName, T>;
