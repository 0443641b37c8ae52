//! The owner's accounts on servers, as pages show and change them.
//!
//! What: [`AccountBackend`] and what crosses it: a row, an account that is tried before it is kept, and what her file is to say. Why: what is read
//! on a server stands beside what is read on this computer. Not here: kinds of accounts and why one cannot be read (`toolcall_schema::accounts`),
//! the rows and forms (`web::accounts_page`, `web::account_forms`), reading (`orchestrator`).

use super::{
    BackendError, BackendFuture,
    settings::HomeChangeReply,
    sign_in::{SignInBegun, SignInDraft, SignInFailure, SignInRedirect, SignInStanding, SignInWay},
};
use serde::{Deserialize, Serialize};
use std::fmt;
use toolcall_schema::{
    Timestamp,
    accounts::{LookFailure, ServerAccountKind},
};

/// What pages need from the rest of Aura about accounts.
pub trait AccountBackend: Send + Sync + 'static {
    /// Looks at an account that is not kept: neither what it finds nor the login is. Takes as long as a server may.
    fn try_account(&self, wish: AccountWish) -> BackendFuture<Result<AccountTrial, BackendError>>;

    /// Reads an account from now on: it stands in the owner's file, its login is sealed. `None`: it makes no sense.
    fn add_account(&self, wish: AccountWish) -> BackendFuture<Result<Option<HomeChangeReply>, BackendError>>;

    /// Keeps another login of an account, and looks with it. `None`: there is no such account, or that is no login of its server.
    fn set_account_login(
        &self,
        name: String,
        login: TypedLogin,
    ) -> BackendFuture<Result<Option<AccountView>, BackendError>>;

    /// Begins to sign in to an account by its provider. The password is what some providers demand of the owner's client.
    fn begin_sign_in(
        &self,
        name: String,
        way: SignInWay,
        secret: TypedLogin,
    ) -> BackendFuture<Result<SignInBegun, SignInFailure>>;

    /// Takes what a browser comes back with, once.
    fn finish_sign_in(&self, redirect: SignInRedirect) -> BackendFuture<Result<(), SignInFailure>>;

    /// Looks at an account now. `None`: there is none of that name.
    fn look_at_account(&self, name: String) -> BackendFuture<Result<Option<AccountView>, BackendError>>;
}

/// One account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountView {
    pub name: String,
    pub kind: ServerAccountKind,
    /// Its host, with the port where that is an unusual one.
    pub server: String,
    pub is_paused: bool,
    /// Whether what the owner confirms is written there too; `None`: it can only be read.
    pub is_writable: Option<bool>,
    /// When it was reached last (wall clock).
    pub reached_at: Option<Timestamp>,
    /// Entries that were new or others, and that went, when it was looked at last. Of mail: messages.
    pub new: usize,
    pub gone: usize,
    /// Entries that are known.
    pub entries: usize,
    /// Whether what lies there is known: it was kept, or read since the start.
    pub is_known: bool,
    /// How many calendars, or folders of mail, there are.
    pub calendars: usize,
    /// Those that take events, where what the owner confirms is written.
    pub event_calendars: Vec<EventCalendar>,
    /// The calendar that she chose for time that is kept free, where it is not among them.
    pub missing_calendar: Option<String>,
    /// Why it cannot be read now.
    pub problem: Option<LookFailure>,
    /// How far the owner is with signing in; `None`: she has a password there.
    pub sign_in: Option<SignInStanding>,
}

/// A calendar that takes events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventCalendar {
    /// Its path there.
    pub id: String,
    /// As the server has it; where that is empty, a page shows the end of the path.
    pub name: String,
    /// Whether time that is kept free goes there.
    pub is_for_free_time: bool,
}

/// How the owner logs in, as she typed it. Never shown.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TypedLogin {
    /// Empty: as the file says.
    pub user: String,
    /// A password; of a calendar that is read at its address, the whole address; of bank accounts a token, or an address with a login in it.
    pub password: String,
}

impl fmt::Debug for TypedLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TypedLogin(..)")
    }
}

/// An account as the owner describes it. Its address may be a secret one: never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct AccountWish {
    pub kind: ServerAccountKind,
    pub address: String,
    pub login: TypedLogin,
    /// Whether it may be on this computer or in a network of one's own.
    pub is_private: bool,
    /// SHA-256 of the one certificate to trust; empty: those that this computer trusts.
    pub certificate: String,
    /// What the owner calls it; empty: by its host.
    pub name: String,
    /// The host that she accepted by name, where she did not type it.
    pub accepted: String,
    /// How she signs in by her provider; absent: with a password.
    pub sign_in: Option<SignInDraft>,
}

impl fmt::Debug for AccountWish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccountWish")
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

/// What came of a look at an account that is not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccountTrial {
    Found(AccountContents),
    Failed(LookFailure),
    /// Nothing was connected to: this makes no sense,
    Mistake(AccountMistake),
    /// or leads to a host that the owner has not accepted by name.
    LeadsTo(String),
}

/// What lies there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AccountContents {
    /// What it would be called.
    pub name: String,
    /// Its host, with the port where that is an unusual one.
    pub server: String,
    /// The calendars, address books, folders of mail or bank accounts by their names, as the server has them.
    pub calendars: Vec<String>,
    pub events: usize,
    pub tasks: usize,
    /// Of the last two days.
    pub messages: usize,
    pub people: usize,
    pub payments: usize,
    pub nights: usize,
}

/// What of an account makes no sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountMistake {
    /// It is no address of a server.
    Address,
    /// It would be spoken to in the clear, outside of the owner's network.
    NotSealed,
    /// It is no fingerprint.
    Certificate,
    /// It is no name, or another account has it.
    Name,
    /// It is no setup token, nor an address with a login in it.
    Token,
    /// What is said of signing in is not whole.
    SignIn,
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
    Add(Box<AccountDraft>),
    /// It is not looked at for now; what is known of it stays.
    Pause,
    Resume,
    /// What the owner confirms is written there too, or no longer.
    AllowWrite,
    ForbidWrite,
    /// Time that is kept free goes to this calendar of it, by its name or its path there, and to no other account's.
    KeepFree(String),
    /// It goes, with all that is known of it and its login.
    Remove,
}

/// An account as the file is to name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccountDraft {
    pub kind: ServerAccountKind,
    pub address: String,
    pub user: Option<String>,
    #[serde(default)]
    pub private: bool,
    pub every: Option<u32>,
    /// Days of mail that are read at first.
    #[serde(default)]
    pub days: Option<u32>,
    pub certificate: Option<String>,
    #[serde(default)]
    pub write: bool,
    #[serde(default)]
    pub sign_in: Option<SignInDraft>,
}

impl AccountChange {
    /// Its texts, for a bound on each.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let (draft, calendar) = match &self.act {
            AccountAct::Add(draft) => (Some(draft), None),
            AccountAct::KeepFree(calendar) => (None, Some(calendar.as_str())),
            AccountAct::Pause
            | AccountAct::Resume
            | AccountAct::AllowWrite
            | AccountAct::ForbidWrite
            | AccountAct::Remove => (None, None),
        };
        let more = draft.into_iter().flat_map(|draft| {
            let optional = [draft.user.as_deref(), draft.certificate.as_deref()];
            let sign_in = draft.sign_in.iter().flat_map(SignInDraft::texts);
            std::iter::once(draft.address.as_str())
                .chain(optional.into_iter().flatten())
                .chain(sign_in)
        });
        std::iter::once(self.name.as_str()).chain(more).chain(calendar)
    }
}
