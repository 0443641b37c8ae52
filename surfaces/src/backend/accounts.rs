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
    pub content: AccountContent,
    /// Its host, with the port where that is an unusual one.
    pub server: String,
    pub is_paused: bool,
    /// When it was reached last (wall clock).
    pub reached_at: Option<Timestamp>,
    /// Entries that were new or others, and that went, when it was looked at last. Of mail: messages.
    pub new: usize,
    pub gone: usize,
    /// Entries that are known.
    pub entries: usize,
    /// How many calendars, or folders of mail, there are.
    pub calendars: usize,
    /// Why it cannot be read now.
    pub problem: Option<AccountProblem>,
}

/// What lies on the server, and how it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountContent {
    /// One calendar at an address.
    CalendarAddress,
    /// Calendars by `CalDAV`.
    CalDav,
    /// Mail by IMAP.
    Mail,
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
    /// More folders of mail than are read.
    TooManyFolders,
    /// A server of mail that seals nothing.
    NotSealed,
    /// A server of mail that takes logins in no way that is spoken here.
    NoPasswords,
    /// A server of mail that says no to what is asked, in a word of its own that is not told on.
    SaysNo,
    /// One answer of a server of mail is larger than any that is asked for.
    AnswerTooLarge,
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
    /// It goes, with all that is known of it and its login.
    Remove,
}

/// An account as the file is to name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccountDraft {
    /// `caldav`, `calendar address` or `imap`
    pub kind: String,
    pub address: String,
    pub user: Option<String>,
    #[serde(default)]
    pub private: bool,
    pub every: Option<u32>,
    /// Days of mail that are read at first.
    #[serde(default)]
    pub days: Option<u32>,
    pub certificate: Option<String>,
}

impl AccountChange {
    /// Its texts, for a bound on each.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let draft = match &self.act {
            AccountAct::Add(draft) => Some(draft),
            AccountAct::Pause | AccountAct::Resume | AccountAct::Remove => None,
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
