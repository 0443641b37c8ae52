//! Rows of the attention ledger.

use serde::{Deserialize, Serialize};

/// What a row of the attention ledger does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum LedgerEntry {
    /// Tokens are held for a card.
    Reserve,
    /// A card was shown: held tokens are spent.
    Settle,
    /// A card was never shown: held tokens are free again.
    Release,
    /// "Useful" gave tokens back.
    Refund,
    /// Free tokens were lost to a lower ceiling.
    Forfeit,
    /// The ceiling of the day was set to `tokens`.
    Ceiling,
}

impl LedgerEntry {
    /// Every entry, in declaration order.
    pub const ALL: &'static [Self] = &[
        Self::Reserve,
        Self::Settle,
        Self::Release,
        Self::Refund,
        Self::Forfeit,
        Self::Ceiling,
    ];

    /// The name in the table.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reserve => "reserve",
            Self::Settle => "settle",
            Self::Release => "release",
            Self::Refund => "refund",
            Self::Forfeit => "forfeit",
            Self::Ceiling => "ceiling",
        }
    }

    /// The entry of a name, if there is one.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|entry| entry.as_str() == text)
    }
}
