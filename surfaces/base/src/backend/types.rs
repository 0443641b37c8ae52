//! The plain values that cross [`super::Backend`], and its errors.

use super::drafts::OutboxDrafts;
use crate::visible::{plain_name, visible};
use chrono::NaiveDate;
use serde::Serialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
};
use toolcall_schema::{
    AgentName, Category, Code, DeclineReason, Outcome, ReasonCode, SubmitAct, Surface, Timestamp,
    catalogue::{
        comms::MessageClass,
        learning::LearnedThing,
        money_questions::{AnswerQuestion, SenderAcceptance},
    },
    ids::{CardId, ChannelHash, EventId, ItemId, MerchantHash, PersonHash, TraceId},
    money::SignedAmount,
    rule::{GivenInstruction, OwnerRule, RuleError, RuleName},
    trace::{Card, Decision, LedgerView, NextPossible, Trace},
};

/// A boxed answer that may be awaited on any thread.
pub type BackendFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Names for ids, for the screen and the memory only: they come from outside, so they are never logged, printed by
/// `Debug`, serialized or stored.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct DisplayNames {
    names: BTreeMap<String, String>,
    /// Names to which a mark was added, without it.
    unmarked: BTreeMap<String, String>,
    /// Mails that lie no longer where they were read.
    gone: BTreeSet<ItemId>,
    /// The addresses that mails were written from.
    addresses: BTreeMap<ItemId, String>,
}

impl DisplayNames {
    /// The name of an id, if there is one.
    pub fn get(&self, id: &str) -> Option<&str> {
        self.names.get(id).map(String::as_str)
    }

    /// The name of an id without what tells it apart from another of that name.
    pub fn unmarked(&self, id: &str) -> Option<&str> {
        self.unmarked.get(id).map(String::as_str).or_else(|| self.get(id))
    }

    /// The same with what tells some apart who have one name: it stands behind the name.
    #[must_use]
    pub fn with_marks(mut self, marks: impl IntoIterator<Item = (String, String)>) -> Self {
        for (id, mark) in marks {
            if let Some(name) = self.names.get_mut(&id) {
                let marked = format!("{name} ({})", plain_name(&mark));
                self.unmarked.insert(id, std::mem::replace(name, marked));
            }
        }
        self
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Whether a mail lies no longer where it was read.
    pub fn is_gone(&self, item: &ItemId) -> bool {
        self.gone.contains(item)
    }

    /// The address that a mail was written from, where it was asked for.
    pub fn address(&self, item: &ItemId) -> Option<&str> {
        self.addresses.get(item).map(String::as_str)
    }

    /// The same with addresses that mails were written from.
    #[must_use]
    pub fn with_addresses(mut self, addresses: impl IntoIterator<Item = (ItemId, String)>) -> Self {
        self.addresses.extend(addresses);
        self
    }

    /// The same with mails that lie no longer where they were read.
    #[must_use]
    pub fn with_gone(mut self, gone: impl IntoIterator<Item = ItemId>) -> Self {
        self.gone.extend(gone);
        self
    }

    /// The same with what one is called whom nobody names.
    #[must_use]
    pub fn with_nameless(mut self, called: impl IntoIterator<Item = (String, String)>) -> Self {
        for (id, name) in called {
            self.names
                .entry(id)
                .or_insert_with(|| plain_name(&name).into_owned());
        }
        self
    }

    /// The same with what the owner calls those who ask for what a decision's card asks, under the decision's own id.
    #[must_use]
    pub fn with_askers(mut self, now: &NowView) -> Self {
        let card = now.card.as_ref().filter(|_| !now.asked_by.is_empty());
        if let Some(card) = card {
            let id = card.decision.trace_id.as_str().to_owned();
            self.names
                .insert(id, visible(&now.asked_by.join(", ")).into_owned());
        }
        self
    }
}

impl FromIterator<(String, String)> for DisplayNames {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(pairs: I) -> Self {
        let plain = |(id, name): (String, String)| (id, plain_name(&name).into_owned());
        Self {
            names: pairs.into_iter().map(plain).collect(),
            unmarked: BTreeMap::new(),
            gone: BTreeSet::new(),
            addresses: BTreeMap::new(),
        }
    }
}

impl fmt::Debug for DisplayNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DisplayNames({})", self.names.len())
    }
}

/// A health problem. The pages show one line for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "flag", content = "agent", rename_all = "snake_case")]
pub enum HealthFlag {
    /// Not all parts are up yet.
    Starting,
    /// An agent is down or being restarted.
    AgentDown(AgentName),
    /// The kernel enforces no sandbox on the agents.
    NoSandbox,
    /// It enforces part of it.
    PartSandbox,
    /// The journal cannot be written: nothing surfaces and nothing is carried out.
    JournalDown,
    /// The earbud's program is missing or fails: nothing is said aloud.
    SpeechFailing,
    /// The owner's push server does not answer, or refuses: nothing is pushed, or no answer is heard.
    PushFailing,
    /// The push service of one of the owner's browsers does not answer, or refuses: that browser is told nothing.
    WebPushFailing,
    /// What is refused cannot be kept: the disk is full, say. It is refused all the same.
    QuarantineDown,
}

/// What the pages show now.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NowView {
    /// When this was put together (wall clock).
    pub at: Timestamp,
    /// The owner's time zone, an IANA name.
    pub zone: String,
    /// The card that is worth showing, with its open prompts; absent: nothing is.
    pub card: Option<Card>,
    /// What the owner calls the devices that ask for what the card asks; empty: none does.
    #[serde(skip)]
    pub asked_by: Vec<String>,
    /// Whether the owner called the card useful and got its interruption back.
    #[serde(skip)]
    pub is_refunded: bool,
    /// The attention ledger.
    pub ledger: LedgerView,
    /// How many interruptions the next day has, where that is not as many as today.
    #[serde(skip)]
    pub ceiling_from_midnight: Option<u8>,
    /// Whether do not disturb is on.
    pub dnd: bool,
    /// Until when the owner paused Aura.
    pub paused_until: Option<Timestamp>,
    /// The owner's rules, oldest first.
    pub rules: Vec<OwnerRule>,
    /// What the owner did that no trace tells of, as much as is remembered.
    #[serde(skip)]
    pub untraced: UntracedActs,
    /// Why the newest silent tick stayed silent.
    pub last_silent: Option<ReasonCode>,
    /// When it could speak next, and what has to change until then.
    pub next_possible: Option<NextPossible>,
    /// When it looks by itself next; what comes in is looked at sooner.
    pub looks_again: Timestamp,
    /// The machine that is asked for the owner's answers; absent: none is.
    pub listens_at: Option<String>,
    /// The machine outside to which ticks and figures were sent since the start; absent: none.
    #[serde(skip)]
    pub collector: Option<String>,
    /// Health problems; empty: healthy.
    pub health: Vec<HealthFlag>,
}

/// What the owner did that no trace tells of, oldest first: cards that were put away, pauses and rules.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UntracedActs {
    /// The decisions whose cards were dismissed.
    pub dismissed: Vec<TraceId>,
    /// The decisions whose cards were put off, and until when.
    pub put_off: Vec<(TraceId, Timestamp)>,
    /// Those of them that wait for their hour, and when it is.
    pub waiting: Vec<(TraceId, Timestamp)>,
    /// When each was answered, where that is known.
    pub at: BTreeMap<TraceId, Timestamp>,
    /// What was instructed in the last week, oldest first.
    pub instructed: Vec<GivenInstruction>,
    /// Rules that were removed lately, oldest first: what each said.
    pub removed: Vec<OwnerRule>,
    /// What drafts became.
    pub outbox: OutboxDrafts,
}

/// What the pictures of a week are made from.
#[derive(Debug, Clone, PartialEq)]
pub struct WeekView {
    /// When this was put together (wall clock).
    pub at: Timestamp,
    /// The owner's time zone, an IANA name.
    pub zone: String,
    /// The decisions of seven local days at least, newest first. Of those that are older than today's and yesterday's only what was read and done.
    pub traces: Arc<[Trace]>,
    /// The events that are known around now.
    pub events: Vec<EventTimes>,
    /// The payments that memory keeps.
    pub money: KeptMoney,
    /// What memory keeps of the owner's heart and sleep.
    pub body: KeptBody,
}

/// How far something that is kept has changed: equal means unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KeptVersion {
    /// Of the store as a whole.
    pub opening: u64,
    pub number: u64,
}

/// The payments that memory keeps.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KeptMoney {
    /// Those of seven local days at least.
    pub payments: Arc<[KeptPayment]>,
    /// How many are kept in all.
    pub all: u64,
    /// When the newest of all was made.
    pub newest: Option<Timestamp>,
}

/// A payment as memory keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptPayment {
    pub at: Timestamp,
    /// How much, and which way.
    pub amount: SignedAmount,
    /// ISO 4217.
    pub currency: String,
    /// To or from whom.
    pub merchant: MerchantHash,
    /// What for.
    pub category: Category,
    /// The last digits of the account; empty where none was named.
    pub account_last4: String,
}

/// What memory keeps of the owner's heart and sleep.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KeptBody {
    /// The days of seven local days at least, oldest first.
    pub days: Vec<KeptBodyDay>,
    /// How many days are kept in all.
    pub all: u64,
    /// When the newest of all was measured.
    pub newest: Option<Timestamp>,
    /// Load scores, 0 to 100, oldest first; for a week none, whose decisions tell them.
    pub loads: Vec<(Timestamp, u8)>,
    /// What the owner said of a local day, such as `ill`: it is no day as usual.
    pub tags: BTreeMap<NaiveDate, String>,
}

/// What was measured on one local day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KeptBodyDay {
    /// The last measurement.
    pub at: Timestamp,
    /// The median RMSSD, milliseconds.
    pub rmssd_ms: Option<f64>,
    /// Beats a minute at rest.
    pub resting_bpm: Option<f64>,
    /// Minutes asleep in the sleep that ended on this day.
    pub sleep_min: Option<f64>,
}

/// When an event runs (wall clock).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventTimes {
    pub id: EventId,
    pub start: Timestamp,
    pub end: Timestamp,
    /// Whether the owner marked it as a focus block.
    pub focus: bool,
    /// The last moment to leave for it, where there is a way.
    pub leave_by: Option<Timestamp>,
}

/// Why a tool that the owner asked for was not called or failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OwnerCallError {
    /// The arguments do not pass, or the tool is not called on request.
    #[error("CALL-001: this cannot be asked for")]
    NotAskable,
    /// The idempotency key stands for something else.
    #[error("CALL-002: this idempotency key came before with something else: choose another one")]
    OtherRequest,
    /// Too many are under way.
    #[error("CALL-003: too much is being done already: try again in a few seconds")]
    TooMany,
    /// It ran into an error, or nobody knows whether it ran.
    #[error("CALL-004: it could not be done, or nobody knows whether it was: `aura trace list` shows why")]
    Failed,
    /// Its agent did not answer, hung say: it is started again, and the same can be asked for once more.
    #[error("CALL-004: it could not be done, or nobody knows whether it was: `aura trace list` shows why")]
    NoAnswer,
    /// That chat is not muted.
    #[error("CALL-005: this chat is not muted: `aura mute list` shows those that are")]
    NotMuted,
    /// Nothing is paused.
    #[error("CALL-006: Aura is not paused: there is nothing to end")]
    NotPaused,
    /// It ended by itself before it was taken back.
    #[error("CALL-007: this is over already: there is nothing left to take back")]
    UndoTooLate,
    /// What was done cannot be taken back.
    #[error("CALL-008: this cannot be taken back")]
    NothingToUndo,
    /// There is no such rule.
    #[error(transparent)]
    NoRule(RuleError),
}

impl OwnerCallError {
    /// Its code.
    pub fn code(self) -> &'static str {
        match self {
            OwnerCallError::NotAskable => "CALL-001",
            OwnerCallError::OtherRequest => "CALL-002",
            OwnerCallError::TooMany => "CALL-003",
            OwnerCallError::Failed | OwnerCallError::NoAnswer => "CALL-004",
            OwnerCallError::NotMuted => "CALL-005",
            OwnerCallError::NotPaused => "CALL-006",
            OwnerCallError::UndoTooLate => "CALL-007",
            OwnerCallError::NothingToUndo => "CALL-008",
            OwnerCallError::NoRule(error) => error.code(),
        }
    }
}

/// Who puts a message off for so long lets it go: it does not come back (`comms.snooze`).
pub const LET_GO_SECONDS: u32 = 24 * 60 * 60;

/// What the owner asks for outside of a card, from a page or a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnerCall {
    /// Mutes a chat from now on, for so many seconds.
    Mute(ChannelHash, u32),
    /// Ends a chat's mute.
    Unmute(ChannelHash),
    /// Ends the pause.
    EndPause,
    /// Removes a rule.
    RemoveRule(RuleName),
    /// Says what a sender's, a list's or a chat's messages are.
    Correct(LearnedThing, MessageClass),
    /// Has what was learned of one unlearned, or everything.
    Unlearn(Option<LearnedThing>),
    /// Always lets a person or a chat through, or no longer.
    LetThrough(LearnedThing, bool),
    /// Takes the second sender as the same person as the first, or no longer.
    SamePerson(PersonHash, PersonHash, bool),
    /// Calls what a day in a category cost usual, or takes that back.
    AllowSpending(Category, NaiveDate, bool),
    /// Counts a shop's payments in a category; without one, where they counted before.
    SortShop(MerchantHash, Option<Category>),
    /// Says whether what a sender tells of payments counts.
    JudgeSender(ChannelHash, SenderAcceptance),
    /// Says what a message about money means.
    AnswerQuestion(AnswerQuestion),
    /// Puts a message that waits for the owner off until six in the morning.
    PutOffToMorning(ItemId),
    /// Lets a message go: the owner answered elsewhere.
    MarkAnswered(ItemId),
    /// Lets a message go that was not for the owner.
    MarkNotForOwner(ItemId),
    /// Takes back that a message was put off.
    UndoPutOff(ItemId),
    /// Takes back that the card of a decision was put off.
    UndoLater(TraceId),
    /// Drafts a reply to a message.
    DraftReply(ItemId),
    /// Discards the draft of a reply to a message.
    DiscardReply(ItemId),
    /// Says that this draft lies there again.
    RestoreReply(ItemId),
    /// Drafts a decline of an invitation, for that reason.
    Decline(EventId, DeclineReason),
    /// Discards the draft of a decline of an event.
    DiscardDecline(EventId),
    /// Keeps so many minutes from then on free, or no longer.
    HoldTime(Timestamp, u32, bool),
}

/// What the owner did with a card, as submitted: the backend checks it.
#[derive(Clone, PartialEq, Eq)]
pub struct AnswerSubmission {
    /// Which card.
    pub card_id: CardId,
    /// What they did.
    pub act: SubmitAct,
    /// Where: [`Surface::Watch`] or [`Surface::PhoneCard`].
    pub surface: Surface,
    /// The capability of the prompt, as the page got it; not needed for a card that asked nothing.
    pub capability: Option<String>,
}

impl fmt::Debug for AnswerSubmission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnswerSubmission")
            .field("card_id", &self.card_id)
            .field("act", &self.act)
            .field("surface", &self.surface)
            .field("capability", &self.capability.as_ref().map(|_| ".."))
            .finish()
    }
}

/// The answer to a submission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "reply", rename_all = "snake_case")]
pub enum AnswerReply {
    /// It was taken.
    Accepted {
        /// How the tick ended, when it already did.
        outcome: Option<Outcome>,
        /// When the card comes back that was put off.
        #[serde(skip_serializing_if = "Option::is_none")]
        again_at: Option<Timestamp>,
    },
    /// It was not taken.
    Refused {
        /// One of `CONFIRM-00n`.
        code: Code,
        /// The code's own sentence with the remedy.
        message: String,
    },
}

/// The answer to posted signals.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct SignalReply {
    /// How many were read, with that on disk (or had been before).
    pub accepted: usize,
    /// Those that are never read, by their place in the request.
    pub refused: Vec<RejectedSignal>,
    /// The indices of the others, which must be sent again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub again: Vec<usize>,
    /// Whether the queue was full; else they were not read in time.
    #[serde(skip)]
    pub full: bool,
}

/// A signal that was not taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RejectedSignal {
    /// Its place in the list that was handed over, from 0.
    pub index: usize,
    /// A code with a page in `docs/errors`.
    pub code: String,
    /// The code's own sentence: names the field and the limit, never a value.
    pub message: String,
}

/// A health app that posts in a form of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HealthApp {
    /// Health Auto Export, on an iPhone.
    AutoExport,
    /// HC Webhook, on an Android phone: what Health Connect has.
    HealthConnect,
}

/// The answer to a post of a health app.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct HealthPostReply {
    /// Stretches of sleep that were read, with that on disk (or had been before).
    pub read: usize,
    /// Those that are never read: reading them ended the agent.
    pub refused: usize,
    /// Elements of sleep that cannot be read or are not plausible, end after now, or are older than what is kept.
    pub broken: u32,
    pub ahead: u32,
    pub too_old: u32,
    /// What is not used, by its name in the export; `unknown` for other names.
    pub unused: BTreeMap<&'static str, u32>,
    /// Stretches that were not read in time: the whole post must be sent again, and what was read is known.
    #[serde(skip_serializing_if = "is_none_left")]
    pub again: usize,
    /// Whether the queue was full.
    #[serde(skip)]
    pub full: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_none_left(count: &usize) -> bool {
    *count == 0
}

/// A change that pages must show. Carries ids only; the page reads the fragment again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UiEvent {
    /// Rises by one with each event of this process.
    pub id: u64,
    /// What changed.
    pub what: UiEventKind,
}

/// What came of deciding a moment once more.
#[derive(Debug, Clone, PartialEq)]
pub enum DecidedAgain {
    /// What would have been decided.
    Decided(Box<Decision>),
    /// What was known then is not kept any more.
    NotKept,
    /// It took too long.
    TooLong,
}

/// What changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UiEventKind {
    /// A card is to be shown, or what is on it changed.
    Card(CardId),
    /// A card is over: answered, expired or withdrawn.
    Closed(CardId),
    /// A tick ended, and its trace is kept; or the disk did not take it.
    Tick(TraceId),
    /// The ledger, a pause, do not disturb or the health changed.
    Status,
    /// Something happened in a run of a workflow.
    Runs,
    /// The owner tries whether the watch's page is told.
    Trial,
}

/// Why the backend did not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BackendError {
    /// A mailbox is full or a deadline passed: try again shortly.
    #[error("aura is busy")]
    Busy,
    /// The service is draining.
    #[error("aura is stopping")]
    Stopping,
    /// What was asked for cannot be read or kept (a locked or damaged store).
    #[error("the store did not answer")]
    Store,
}
