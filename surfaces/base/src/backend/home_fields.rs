//! Settings that a form shows one field each.
//!
//! What: [`HomeFieldView`], a key of the owner's file with its limits and its value as a text. Why: a key more is a row in one table and two phrases, not a
//! form. Not here: the table and what a text becomes in the file (`orchestrator`), the phrases (`words`).

/// A key of the owner's file that has a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HomeFieldView {
    /// With dots: `calendar.default_mode`.
    pub key: &'static str,
    pub group: HomeFieldGroup,
    pub kind: HomeFieldKind,
    /// What is in force; a list with commas.
    pub value: String,
}

/// Where a field stands on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HomeFieldGroup {
    Language,
    Days,
    Money,
    Budgets,
    /// Kinds of cards that are wanted more or less.
    Kinds,
    Body,
    Keeping,
    Speaking,
    Phone,
    ModelProgram,
    OtherDevices,
    /// Where ticks and figures are sent.
    Collector,
    /// Stands with the notifications, not with the further settings.
    Browsers,
}

impl HomeFieldGroup {
    /// Those of the further settings, as a page lists them.
    pub const ALL: [Self; 12] = [
        Self::Language,
        Self::Days,
        Self::Money,
        Self::Budgets,
        Self::Kinds,
        Self::Body,
        Self::Keeping,
        Self::Speaking,
        Self::Phone,
        Self::ModelProgram,
        Self::OtherDevices,
        Self::Collector,
    ];

    /// Whether its fields start programs or open addresses: these are shown and changed in the browser that Aura opened, and nowhere else.
    pub const fn needs_proof(self) -> bool {
        match self {
            Self::Speaking
            | Self::Phone
            | Self::ModelProgram
            | Self::OtherDevices
            | Self::Collector
            | Self::Browsers => true,
            Self::Language
            | Self::Days
            | Self::Money
            | Self::Budgets
            | Self::Kinds
            | Self::Body
            | Self::Keeping => false,
        }
    }
}

/// What a field takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HomeFieldKind {
    /// A whole number within limits.
    Whole { min: i64, max: i64 },
    /// A number within limits, in tenths.
    Tenths { min: i64, max: i64 },
    /// A sum of money, more than 0, with a point before the decimals; empty: none.
    Amount,
    /// One of these.
    Choice(&'static [&'static str]),
    /// Some of these, at least one.
    Choices(&'static [&'static str]),
    /// Texts with commas.
    Texts,
    /// A text that may be empty.
    Text,
    /// Days, or `always`.
    Keep,
    /// Two times with a line between: `09:00-18:00`.
    Hours,
    /// Degrees north and east with a comma; empty: not said.
    Place,
    /// `yes` or `no`.
    Switch,
    /// A text that is never shown again; its value is empty where there is none.
    Secret,
    /// What Aura made: it is shown and not typed.
    Made,
}
