//! The closed vocabularies: agents, surfaces, action kinds, states, outcomes, reasons.
//!
//! What: the enums of `docs/vocabulary` in code, with their wire names. Why: one place per name. Not here: what a kind
//! costs or scores (the policy, `orchestrator-machine`), which tool carries it out (`catalogue`).

/// Declares a closed vocabulary: an enum without data with a wire name for each value (`ALL`, `as_str`, `parse`). The crate that
/// uses it depends on serde.
#[macro_export]
macro_rules! closed_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name { $($(#[$vdoc])* #[serde(rename = $text)] $variant),+ }

        impl $name {
            /// Every value, in declaration order.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The name on the wire.
            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $text),+ }
            }

            /// The value of a wire name, if there is one.
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some($name::$variant),)+ _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}
pub(crate) use closed_enum;

closed_enum!(
    /// The four agents that propose, and the orchestrator's own tools.
    AgentName {
        /// Mail and notifications.
        Comms = "comms",
        /// Events, travel, conflicts.
        Calendar = "calendar",
        /// Bank messages and spending.
        Finance = "finance",
        /// Heart rate, sleep, load.
        Wellness = "wellness",
        /// The orchestrator itself (it carries out `show_brief`).
        Orchestrator = "orchestrator",
    }
);

impl AgentName {
    /// The four that take part in a tick, in the order in which they are asked and listed.
    pub const FOUR: [AgentName; 4] = [
        AgentName::Comms,
        AgentName::Calendar,
        AgentName::Finance,
        AgentName::Wellness,
    ];
}

closed_enum!(
    /// One of the lists of `[sources]` in `home.toml`, in the order of the file.
    SourceKind {
        /// Mail, as programs keep it.
        Mail = "mail",
        /// Notifications, a signal a line.
        Notifications = "notifications",
        /// Address books.
        Contacts = "contacts",
        /// Calendar files.
        Calendar = "calendar",
        /// Bank messages, a signal a line.
        Sms = "sms",
        /// Statements and journals.
        Finance = "finance",
        /// Mail with receipts of shops.
        Receipts = "receipts",
        /// Measurements of watches and bands.
        Wellness = "wellness",
    }
);

impl SourceKind {
    /// The agent that reads it.
    pub fn agent(self) -> AgentName {
        match self {
            Self::Mail | Self::Notifications | Self::Contacts => AgentName::Comms,
            Self::Calendar => AgentName::Calendar,
            Self::Sms | Self::Finance | Self::Receipts => AgentName::Finance,
            Self::Wellness => AgentName::Wellness,
        }
    }
}

closed_enum!(
    /// Why nothing more is removed by its age for now.
    RetentionHold {
        /// The clock is days ahead; a later day will confirm it.
        LaterDay = "later_day",
        /// The clock is too far ahead: it has to be synchronised, or the owner has to say that it is right.
        Ahead = "ahead",
        /// The clock is behind what was confirmed before.
        Behind = "behind",
    }
);

closed_enum!(
    /// What the quarantine keeps.
    QuarantineKind {
        /// A tool call, refused by the gate.
        Calls = "calls",
        /// A tool's result, refused by its schema.
        Results = "results",
        /// A trace, refused by `trace.v1`.
        Traces = "traces",
        /// What a program of the owner's said, refused by its protocol.
        Messages = "messages",
    }
);

closed_enum!(
    /// Where something can be shown.
    Surface {
        /// One line and one haptic; confirm and dismiss only; accepts for 8 s.
        Watch = "WATCH",
        /// The full card with its drawer; accepts for 60 s.
        PhoneCard = "PHONE_CARD",
        /// Announces a shown phone card; says the action kind only.
        EarbudTts = "EARBUD_TTS",
        /// A notification on the phone through the owner's own server; accepts for 60 s. Stands in for the phone's page, and is in
        /// no tool call.
        Push = "PUSH",
        /// Writes the trace only.
        Silent = "SILENT",
    }
);

closed_enum!(
    /// What an agent can propose. `do_nothing` is not a kind: it is the absence of one.
    ActionKind {
        /// Mute one channel for 30 minutes.
        MuteGroup30 = "MUTE_GROUP_30",
        /// Guide a 4-7-8 breathing course.
        Breathe478 = "BREATHE_478",
        /// A 15-minute nap timer.
        Nap15 = "NAP_15",
        /// Say that a break is fine now.
        PermitLeisure = "PERMIT_LEISURE",
        /// A digest of many messages.
        BatchDigest = "BATCH_DIGEST",
        /// The morning brief.
        ShowBrief = "SHOW_BRIEF",
        /// When to leave for the next event.
        LeaveByAlert = "LEAVE_BY_ALERT",
        /// Who is there, what they wait for, and where a meeting is that begins soon.
        PrepareMeeting = "PREPARE_MEETING",
        /// Give categories to new transactions.
        CategorizeTxn = "CATEGORIZE_TXN",
        /// Unusual spending.
        SurfaceAnomaly = "SURFACE_ANOMALY",
        /// The balance at the end of the month.
        ProjectBalance = "PROJECT_BALANCE",
        /// Draft a reply to one message.
        DraftReply = "DRAFT_REPLY",
        /// Draft a decline of one event.
        DeclineEvent = "DECLINE_EVENT",
    }
);

closed_enum!(
    /// What class an action is of; decides caps and tokens.
    Class {
        /// Costs a token, obeys every cap.
        Normal = "normal",
        /// Of the closed safety list and from Wellness: no token, not blocked by the window.
        Safety = "safety",
        /// Costs a token; full weight outside RECOVERING.
        TimeCritical = "time-critical",
    }
);

closed_enum!(
    /// Whether an action needs the owner's confirmation. A column of the catalogue, never of the policy.
    Confirm {
        /// The owner must confirm.
        Always = "always",
        /// Runs without asking.
        Never = "never",
    }
);

closed_enum!(
    /// The owner's state as Wellness sees it.
    WellnessState {
        /// Nothing unusual.
        Baseline = "BASELINE",
        /// Load score 70 or more.
        Stressed = "STRESSED",
        /// Coming down after stress: Aura is quiet for 60 minutes from entry.
        Recovering = "RECOVERING",
        /// In a focus block.
        Focused = "FOCUSED",
        /// Not known.
        Unknown = "UNKNOWN",
    }
);

closed_enum!(
    /// How an agent's part of a tick ended.
    AgentStatus {
        /// It answered in time and its answer was admitted.
        Answered = "answered",
        /// Nothing arrived before the deadline.
        Timeout = "timeout",
        /// It is down, or said that it could not.
        Failed = "failed",
        /// Its answer did not pass the result schema.
        Rejected = "rejected",
    }
);

closed_enum!(
    /// What of a language model's file is on this machine; lengths alone are looked at.
    ModelFileStatus {
        /// Nothing of it.
        Absent = "absent",
        /// A part: its download was cut.
        Part = "part",
        /// A file of another length.
        Wrong = "wrong",
        /// A file of the right length. Its hash was right when it was taken in.
        There = "there",
    }
);

closed_enum!(
    /// How a tick ended.
    Outcome {
        /// Nothing was done.
        Silent = "silent",
        /// Carried out without asking.
        ExecutedAuto = "executed_auto",
        /// Carried out after the owner confirmed.
        Confirmed = "confirmed",
        /// Shown and not confirmed.
        Dismissed = "dismissed",
        /// Chosen and not carried out.
        Failed = "failed",
    }
);

closed_enum!(
    /// Why a tick ended as it did, or why a candidate was removed.
    ReasonCode {
        /// No agent proposed anything.
        NoCandidate = "no_candidate",
        /// The best score was below the threshold.
        BelowThreshold = "below_threshold",
        /// Do not disturb.
        CapDnd = "cap_dnd",
        /// Within 60 minutes of entering RECOVERING.
        CapRecovering = "cap_recovering",
        /// Within 30 minutes of the last surface.
        CapWindow = "cap_window",
        /// No free attention token.
        CapDaily = "cap_daily",
        /// A rule of the owner, or an active mute.
        Rule = "rule",
        /// The owner paused Aura.
        Paused = "paused",
        /// No decision within 1500 ms.
        DeliberationTimeout = "deliberation_timeout",
        /// Nowhere to ask.
        NoSurface = "no_surface",
        /// The gate would refuse the call.
        GateRefused = "gate_refused",
        /// The owner said no.
        OwnerDismissed = "owner_dismissed",
        /// Nobody answered the prompt in time.
        ConfirmTimeout = "confirm_timeout",
        /// The owner corrected it.
        Edited = "edited",
        /// The tool failed or did not answer within 5000 ms.
        ToolFailed = "tool_failed",
        /// The tool's result did not pass its schema.
        ResultRejected = "result_rejected",
        /// A crash left it unknown whether the tool ran; it is not run again.
        UnknownAfterCrash = "unknown_after_crash",
        /// The policy or the catalogue changed while the prompt was open.
        Superseded = "superseded",
        /// The owner put it off.
        Later = "later",
    }
);

closed_enum!(
    /// The seven states of the orchestrator (ADR-0008).
    StateName {
        /// Waiting for a trigger.
        Idle = "Idle",
        /// Four agents were asked.
        Listening = "Listening",
        Deliberating = "Deliberating",
        /// A prompt is open.
        AwaitingConfirm = "AwaitingConfirm",
        /// A tool call is out.
        Executing = "Executing",
        /// The trace is being kept.
        LoggingTrace = "LoggingTrace",
        Cooldown = "Cooldown",
    }
);

closed_enum!(
    /// The fourteen spending categories.
    Category {
        /// Restaurants and delivery.
        FoodDelivery = "food_delivery",
        Groceries = "groceries",
        /// Getting around.
        Transport = "transport",
        Shopping = "shopping",
        Entertainment = "entertainment",
        /// Bills and utilities.
        BillsUtilities = "bills_utilities",
        Rent = "rent",
        Education = "education",
        Health = "health",
        Travel = "travel",
        /// To another person.
        P2pTransfer = "p2p_transfer",
        Subscriptions = "subscriptions",
        Investment = "investment",
        /// Anything else.
        Other = "other",
    }
);

closed_enum!(
    /// How unusual spending is.
    Severity {
        Low = "low",
        Medium = "medium",
        /// Far out.
        High = "high",
    }
);

closed_enum!(
    /// The tone of a drafted reply.
    Tone {
        /// As to a friend.
        Casual = "casual",
        /// As to an office.
        Formal = "formal",
        /// As few words as possible.
        Brief = "brief",
    }
);

closed_enum!(
    /// Why an event is declined.
    DeclineReason {
        /// It overlaps an earlier one.
        Conflict = "conflict",
        /// It cannot be reached in time.
        Travel = "travel",
        /// It falls into a focus block.
        Focus = "focus",
    }
);

closed_enum!(
    /// What the owner can do with a card.
    SubmitAct {
        /// Do it.
        Confirm = "confirm",
        /// No, or: away with it.
        Dismiss = "dismiss",
        /// That was useful.
        Useful = "useful",
        /// Not like this: a dismissal with a correction.
        Edit = "edit",
        /// Again in 15 minutes.
        LaterQuarter = "later_15_min",
        /// Again in an hour.
        LaterHour = "later_1_hour",
        /// Again at 18:00.
        LaterEvening = "later_evening",
        /// Again on the next day, at the hour of the brief.
        LaterTomorrow = "later_tomorrow",
    }
);

/// How often the same thing may be put off in a row.
pub const LATER_IN_A_ROW: u8 = 3;

impl SubmitAct {
    /// The four that put a card off.
    pub const LATER: [SubmitAct; 4] = [
        SubmitAct::LaterQuarter,
        SubmitAct::LaterHour,
        SubmitAct::LaterEvening,
        SubmitAct::LaterTomorrow,
    ];

    /// Whether it puts the card off.
    pub fn is_later(self) -> bool {
        Self::LATER.contains(&self)
    }
}

closed_enum!(
    /// Why no sentence and no pick of a language model was used: the template stays.
    ModelFault {
        /// There is none.
        Absent = "absent",
        /// It crashed, hung or said that it could not.
        Failed = "failed",
        /// It did not answer within its budget.
        Late = "late",
        /// A newer question took the place of this one.
        Superseded = "superseded",
        /// It is not one of the offered numbers.
        Unusable = "unusable",
        /// It is not one plain sentence of at most 500 characters.
        Form = "form",
        /// A placeholder that was not offered.
        Placeholder = "placeholder",
        /// A number without its words in the signals.
        Number = "number",
        /// A name that is in no signal.
        Entity = "entity",
        /// Words of another action than the chosen one.
        Kind = "kind",
        /// It negates something.
        Negation = "negation",
        /// It says done what has not happened, or promises it.
        Done = "done",
        /// It compares or explains what no signal says.
        Claim = "claim",
        /// It names no signal at all.
        NoFact = "no_fact",
    }
);

impl ModelFault {
    /// In words, at most 80 characters, for `rationale_rejected`.
    pub fn words(self) -> &'static str {
        match self {
            ModelFault::Absent => "no model",
            ModelFault::Failed => "the model failed",
            ModelFault::Late => "no answer in time",
            ModelFault::Superseded => "a newer question took its place",
            ModelFault::Unusable => "not one of the offered numbers",
            ModelFault::Form => "not one plain sentence",
            ModelFault::Placeholder => "a placeholder that was not offered",
            ModelFault::Number => "a number that is not in the signals",
            ModelFault::Entity => "a name that is not in the signals",
            ModelFault::Kind => "words of another action than the chosen one",
            ModelFault::Negation => "it negates something",
            ModelFault::Done => "it says done what has not happened",
            ModelFault::Claim => "it compares or explains what no signal says",
            ModelFault::NoFact => "it names no signal",
        }
    }
}

closed_enum!(
    /// How far an ask of a program is, as everybody tells it.
    AskState {
        /// It waits for a tick that may show it.
        Queued = "queued",
        /// It is on a card, or about to be.
        Asking = "asking",
        /// The owner said yes, and the tool did it.
        Done = "done",
        /// The owner said yes, and the tool did not.
        Refused = "refused",
        /// The owner said no.
        Dismissed = "dismissed",
        /// Its time is over, on a card or waiting.
        Expired = "expired",
        /// Who asked took it back.
        Cancelled = "cancelled",
        /// The owner said yes, and a crash left it unknown whether the tool ran. It is not run again.
        Unknown = "unknown",
    }
);

impl AskState {
    /// Whether nothing more becomes of it.
    pub fn is_over(self) -> bool {
        match self {
            AskState::Queued | AskState::Asking => false,
            AskState::Done
            | AskState::Refused
            | AskState::Dismissed
            | AskState::Expired
            | AskState::Cancelled
            | AskState::Unknown => true,
        }
    }
}
