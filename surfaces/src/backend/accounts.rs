//! The owner's accounts on servers, as pages show and change them.
//!
//! What: [`AccountView`], a row; [`AccountChange`], what her file is to say of one. Why: what is read on a server stands beside what is read on
//! this computer. Not here: the rows (`web::accounts_page`), reading (`orchestrator`).

use serde::{Deserialize, Serialize};
use toolcall_schema::Timestamp;

/// One account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountView {
    pub name: String,
    pub is_caldav: bool,
    /// Its host, with the port where that is an unusual one.
    pub server: String,
    pub is_paused: bool,
    /// Whether what the owner confirms is written there too; `None`: it can only be read.
    pub is_writable: Option<bool>,
    /// When it was reached last (wall clock).
    pub reached_at: Option<Timestamp>,
    /// Entries that were new or others, and that went, when it was looked at last.
    pub new: usize,
    pub gone: usize,
    /// Entries that are known.
    pub entries: usize,
    /// How many calendars there are.
    pub calendars: usize,
    /// Why it cannot be read now.
    pub problem: Option<AccountProblem>,
}

/// Why an account cannot be read. What was known of it stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccountProblem {
    UnknownHost,
    Unreachable,
    NotPublic,
    /// It sends to that host.
    Elsewhere(String),
    OtherName,
    Untrusted,
    OutOfDate,
    NotPinned,
    NoTls,
    LoginRefused,
    LoginMissing,
    Silent,
    TooLarge,
    Broken,
    NoCalendar,
    /// By a status of HTTP.
    Refused(u16),
    TooOften,
    WorkerEnded,
    /// This computer has no memory in which the calendars could lie.
    NoMemory,
}

/// What the owner's file is to say of an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccountChange {
    pub name: String,
    pub act: AccountAct,
}

/// What becomes of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccountAct {
    /// It is read from now on.
    Add(AccountDraft),
    /// It is not looked at for now; what is known of it stays.
    Pause,
    Resume,
    /// What the owner confirms is written there too, or no longer.
    AllowWrite,
    ForbidWrite,
    /// It goes, with all that is known of it and its login.
    Remove,
}

/// An account as the file is to name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccountDraft {
    /// `caldav` or `calendar address`
    pub kind: String,
    pub address: String,
    pub user: Option<String>,
    #[serde(default)]
    pub private: bool,
    pub every: Option<u32>,
    pub certificate: Option<String>,
    #[serde(default)]
    pub write: bool,
}

impl AccountChange {
    /// Its texts, for a bound on each.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let draft = match &self.act {
            AccountAct::Add(draft) => Some(draft),
            AccountAct::Pause
            | AccountAct::Resume
            | AccountAct::AllowWrite
            | AccountAct::ForbidWrite
            | AccountAct::Remove => None,
        };
        let more = draft.into_iter().flat_map(|draft| {
            let optional = [draft.user.as_deref(), draft.certificate.as_deref()];
            [draft.kind.as_str(), draft.address.as_str()]
                .into_iter()
                .chain(optional.into_iter().flatten())
        });
        std::iter::once(self.name.as_str()).chain(more)
    }
}
