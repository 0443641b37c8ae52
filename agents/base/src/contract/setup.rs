//! What an agent is given at start.
//!
//! What: [`AgentSetup`] with the owner's settings and the files that the agent reads. Not here: the configuration that it is made from
//! (the orchestrator).

use super::{CalendarPreferences, FinancePreferences};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use toolcall_schema::{AgentName, SourceKind, ids::SecretKey, money::AccountBalance, signal::LocationData};

/// What an agent is given at start. Travels in the first frame to its process.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentSetup {
    /// For the keyed hashes of channels, items, events, transactions, merchants.
    pub key: SecretKey,
    /// The owner.
    pub owner: OwnerProfile,
    /// Where to read.
    pub sources: SourcePaths,
}

/// What the agents know about the owner (from the configuration).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnerProfile {
    /// The owner's time zone.
    pub zone: Tz,
    /// The owner's mail addresses, for mentions, attendance and answers.
    pub addresses: Vec<String>,
    /// Names by which others mention the owner, e.g. `rohan`.
    pub names: Vec<String>,
    /// Where the owner is when no location signal said otherwise.
    pub home: Option<LocationData>,
    /// Minutes kept free before leaving. Default 15.
    pub buffer_min: u32,
    /// Minutes of sleep the owner wants. Default 420.
    pub sleep_target_min: u32,
    /// Median and 10th percentile of the owner's RMSSD in milliseconds, until the history knows better.
    /// Default 42 and 24 (population).
    pub rmssd_p50_p10: (f64, f64),
    /// The account's balance at an instant, for the forecast.
    pub balance: Option<AccountBalance>,
    /// For Calendar.
    pub calendar: CalendarPreferences,
    /// For Finance.
    pub finance: FinancePreferences,
}

/// The files and folders an agent reads. Each entry may be a file or a folder; a missing one is a counted skip.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SourcePaths {
    /// Mail: folders of `.eml` files, Maildirs, mbox files, or folders of all of these.
    pub mail: Vec<PathBuf>,
    /// Notification JSONL: one `signal.v1` of kind `notification` a line.
    pub notifications: Vec<PathBuf>,
    /// Address books: vCard files, or folders of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contacts: Vec<PathBuf>,
    /// `.ics` files, or folders of them.
    pub calendar: Vec<PathBuf>,
    /// Bank SMS JSONL: one `signal.v1` of kind `bank_sms` or `transaction` a line.
    pub sms: Vec<PathBuf>,
    /// Statements (OFX, QFX, CAMT, MT940, CSV) and journals (hledger, beancount), or folders of them.
    pub finance: Vec<PathBuf>,
    /// Mail in which shops send receipts: as `mail`.
    pub receipts: Vec<PathBuf>,
    /// JSONL (`hrv`, `sleep`, `activity` signals) and CSV.
    pub wellness: Vec<PathBuf>,
}

impl SourcePaths {
    /// Those of one kind.
    pub fn list(&self, kind: SourceKind) -> &Vec<PathBuf> {
        match kind {
            SourceKind::Mail => &self.mail,
            SourceKind::Notifications => &self.notifications,
            SourceKind::Contacts => &self.contacts,
            SourceKind::Calendar => &self.calendar,
            SourceKind::Sms => &self.sms,
            SourceKind::Finance => &self.finance,
            SourceKind::Receipts => &self.receipts,
            SourceKind::Wellness => &self.wellness,
        }
    }

    /// Those of one kind, to be changed.
    pub fn list_mut(&mut self, kind: SourceKind) -> &mut Vec<PathBuf> {
        match kind {
            SourceKind::Mail => &mut self.mail,
            SourceKind::Notifications => &mut self.notifications,
            SourceKind::Contacts => &mut self.contacts,
            SourceKind::Calendar => &mut self.calendar,
            SourceKind::Sms => &mut self.sms,
            SourceKind::Finance => &mut self.finance,
            SourceKind::Receipts => &mut self.receipts,
            SourceKind::Wellness => &mut self.wellness,
        }
    }

    /// Only what one agent reads: the others' files are none of its business.
    #[must_use]
    pub fn only_for(&self, agent: AgentName) -> Self {
        let mut only = Self::default();
        for &kind in SourceKind::ALL.iter().filter(|kind| kind.agent() == agent) {
            only.list_mut(kind).clone_from(self.list(kind));
        }
        only
    }

    /// All of them.
    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        SourceKind::ALL.iter().flat_map(|kind| self.list(*kind))
    }
}
