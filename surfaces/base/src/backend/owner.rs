//! What the owner's sections need beside the card.
//!
//! What: the trait [`OwnerBackend`] and the plain values that cross it: settings in force, what is kept, what was shown, and
//! names for ids. Why: the card and the day come from [`super::Backend`]; what stands around them is asked here. Not here: how it is
//! laid out (`render`), pages (`web`).
//!
//! Names come from outside. They are asked for one page and live no longer than that page is being made: nothing here keeps them.

use super::{
    deliveries::DeliveryView,
    money_terms::MoneyTerms,
    types::{BackendError, BackendFuture, DisplayNames},
};
use chrono::NaiveDate;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::{
    ActionKind, RetentionHold, Surface, Timestamp, WellnessState,
    catalogue::{
        allowed_spending::AllowedSpendingList,
        comms::TriageResult,
        learning::LearnedList,
        money_questions::{DescribedMoney, MoneyQuestions},
        shared::ThingId,
        wellness::LoadScored,
    },
    ids::{ChannelHash, TraceId},
    rule::{DailyWindow, RuleName},
    tick::Subject,
    trace::Trace,
};

/// What the owner's pages need from the rest of Aura.
pub trait OwnerBackend: Send + Sync + 'static {
    /// The settings and state in force.
    fn status(&self) -> BackendFuture<Result<OwnerStatus, BackendError>>;

    /// What drives the load score now; `None` when Wellness has nothing, or does not say within [`SOON_MS`].
    fn load(&self) -> BackendFuture<Option<LoadScored>>;

    /// What Comms learned; `None` when it does not say within [`SOON_MS`].
    fn learned(&self) -> BackendFuture<Option<LearnedList>>;

    /// What Finance asks, with the texts and names for one page; `None` when it does not say within [`SOON_MS`].
    fn money_questions(&self) -> BackendFuture<Option<MoneyInquiry>>;

    /// What the owner's file says of her money: balance, budgets, accounts.
    fn money_terms(&self) -> BackendFuture<MoneyTerms>;

    /// How much a day the owner calls usual; `None` when Finance does not say within [`SOON_MS`].
    fn allowed_spending(&self) -> BackendFuture<Option<AllowedSpendingList>>;

    /// What was sent to other machines since midnight, as the audit log has it, by machine.
    fn sent_today(&self) -> BackendFuture<Result<Vec<SentNotifications>, BackendError>>;

    /// The messages of a day that wait for the owner's answer; `None` when there are none, or Comms does not say within [`SOON_MS`].
    fn waiting(&self) -> BackendFuture<Option<TriageResult>>;

    /// What the owner had done in the last [`ACTS_DAYS`] days: traces of calls and of cards that were confirmed, in any order.
    fn acts(&self) -> BackendFuture<Result<Vec<Trace>, BackendError>>;

    /// How acts stand that a server is to have as well.
    fn deliveries(&self) -> BackendFuture<Vec<DeliveryView>>;

    /// What the owner had forgotten or copied, drafts and settings that they changed, in the last [`ACTS_DAYS`] days, as the audit log has it.
    fn recorded_acts(&self) -> BackendFuture<Result<Vec<AuditAct>, BackendError>>;

    /// Keeps what the owner calls a thing, or takes the name away; done when it is on disk.
    fn name_thing(&self, thing: ThingId, name: Option<String>) -> BackendFuture<Result<(), BackendError>>;

    /// Keeps what the owner says of a local day of hers, or takes it away; done when it is on disk.
    fn tag_day(&self, day: NaiveDate, tag: Option<DayTag>) -> BackendFuture<Result<(), BackendError>>;

    /// Statistics of the kept data.
    fn kept(&self) -> BackendFuture<Result<KeptSummary, BackendError>>;

    /// What was put on a surface in the last [`SHOWN_DAYS`] days, newest first.
    fn recent_cards(&self) -> BackendFuture<Result<RecentCards, BackendError>>;

    /// Names for ids, for one page: what the owner calls them, else what their agent does. An agent that does not say within [`SOON_MS`] names nothing.
    fn names(&self, ids: BTreeSet<ThingId>) -> BackendFuture<DisplayNames>;
}

/// Why a day of the owner's body is not as usual.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DayTag {
    Travel,
    Ill,
    Other,
}

impl DayTag {
    pub const ALL: [Self; 3] = [Self::Travel, Self::Ill, Self::Other];

    /// As it is kept.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Travel => "travel",
            Self::Ill => "ill",
            Self::Other => "other",
        }
    }
}

/// Notifications that were sent to one machine, or tried to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentNotifications {
    /// Its name or address; absent: the audit log does not say it any more.
    pub host: Option<String>,
    /// How many.
    pub count: u32,
}

/// What Finance asks its owner. The texts are for one page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoneyInquiry {
    pub questions: MoneyQuestions,
    pub described: DescribedMoney,
}

/// How long a page waits for an agent: it is shown without rather than late.
pub const SOON_MS: u32 = 300;

/// Days of acts.
pub const ACTS_DAYS: i64 = 7;

/// Days over which a rule is tried before it is made.
pub const SHOWN_DAYS: i64 = 30;

/// The settings and state in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnerStatus {
    /// When this was put together (wall clock).
    pub at: Timestamp,
    /// The owner's settings.
    pub settings: SettingsInForce,
    /// The state as Wellness sees it, and the last load score, 0 to 100.
    pub state: WellnessState,
    /// See [`Self::state`].
    pub load_score: Option<u8>,
    /// Until when Aura is quiet because the owner recovers.
    pub recovering_until: Option<Timestamp>,
    /// Muted chats and until when.
    pub mutes: BTreeMap<ChannelHash, Timestamp>,
    /// When the next morning brief comes.
    pub brief: NextBrief,
    /// Which surfaces are connected.
    pub surfaces: BTreeSet<Surface>,
    /// Whether the language model can be used.
    pub model: ModelAvailability,
}

/// When the next morning brief comes (wall clock).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextBrief {
    /// The hour that is set, on the day that comes next.
    pub due: Timestamp,
    /// What the owner said that stands against it then.
    pub against: Option<BriefObstacle>,
    /// The first moment at which nothing does; `None`: there is none within [`BRIEF_DAYS`] days.
    pub comes: Option<Timestamp>,
}

/// Days in which a moment for the brief is looked for.
pub const BRIEF_DAYS: u32 = 8;

/// What the owner said that stands against the morning brief.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BriefObstacle {
    Pause,
    /// A rule of that name.
    Rule(RuleName),
    QuietHours,
    /// No interruption a day is allowed.
    NoInterruption,
}

/// The owner's settings in force, with what the owner's file says itself; all else is the default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsInForce {
    /// An IANA name.
    pub zone: String,
    /// Interruptions a day.
    pub ceiling: u8,
    /// The first and the last local time of the morning brief, `07:30`.
    pub brief: (String, String),
    /// Local times between which nothing disturbs.
    pub dnd: Vec<DailyWindow>,
    /// Which keys the file sets; `None`: it is not known, because no file is read or it cannot be.
    pub given: Option<BTreeSet<String>>,
}

/// Whether the language model can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelAvailability {
    /// None was chosen: sentences are templates.
    Off,
    /// It answers.
    Ready,
    /// It is being loaded.
    Starting,
    /// One was chosen and cannot be used; `aura model list` says why.
    Unusable,
}

/// Statistics of the kept data.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeptSummary {
    /// By sort, as `aura memory stats` names it.
    pub sorts: Vec<KeptSortCount>,
    /// Decisions with their traces.
    pub traces: u64,
    /// Events of the journal.
    pub events: u64,
    /// Names that the owner gave.
    pub names: u64,
    /// What it takes on disk.
    pub bytes: u64,
    /// Days for which traces are kept; `None`: always.
    pub trace_days: Option<u32>,
    /// What was done with it today: reading, writing, …, and how often.
    pub audit: BTreeMap<String, u64>,
    /// What was done with it last, newest first, at most [`ACTS_MAX`].
    pub acts: Vec<AuditAct>,
    /// Why nothing more is deleted by its age for now, and what the clock shows; `None`: it is, as usual.
    pub waits: Option<(RetentionHold, Timestamp)>,
}

/// Acts of the audit log on a page.
pub const ACTS_MAX: u32 = 20;

/// Something that was done with what is kept, as the audit log names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditAct {
    /// When (wall clock).
    pub at: Timestamp,
    /// `read`, `delete`, …
    pub op: String,
    /// `graph`, `traces`, …; `None`: that was forgotten.
    pub kind: Option<String>,
    /// How many rows it touched, where that is known.
    pub count: Option<u64>,
    /// Which one; of settings, which and what it says now.
    pub id: Option<String>,
}

/// One sort of what is remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptSortCount {
    /// `conversation`, `transaction`, …
    pub name: String,
    /// How many.
    pub count: u64,
    /// The oldest (wall clock).
    pub oldest: Timestamp,
    /// For how many days; `None`: always.
    pub days: Option<u32>,
}

/// What was put on a surface lately.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecentCards {
    /// From when on this is complete (wall clock).
    pub since: Timestamp,
    /// Newest first.
    pub cards: Vec<ShownCard>,
}

/// A card that was put on a surface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownCard {
    /// Its decision.
    pub trace_id: TraceId,
    /// When it was decided (wall clock).
    pub at: Timestamp,
    /// What it was, and about what.
    pub kind: ActionKind,
    /// See [`Self::kind`].
    pub subject: Subject,
}
