//! Words about the owner's accounts on servers.
//!
//! What: how an account stands, why it cannot be read, and what she can do. Why: each way a server can fail has one sentence. Not here: the rows
//! (`web::accounts_page`).

use crate::{
    backend::accounts::{AccountProblem, AccountView},
    words::language::{Text, say, text},
};

/// Heading of the accounts.
pub const ACCOUNTS: Text = Text("accounts-accounts");
/// Under them.
pub const ACCOUNTS_MEAN: Text = Text("accounts-accounts-mean");
/// It is not looked at for now.
pub const ACCOUNT_PAUSED: Text = Text("accounts-paused");

/// What an account is.
pub fn account_kind(account: &AccountView) -> &'static str {
    if account.is_caldav {
        text("accounts-kind-caldav")
    } else {
        text("accounts-kind-address")
    }
}

/// When it was reached last.
pub fn account_reached(when: Option<&str>) -> String {
    when.map_or_else(
        || text("accounts-reached-not").to_owned(),
        |when| say!("accounts-reached", when),
    )
}

/// What is known of it, and what was new.
pub fn account_holds(account: &AccountView) -> String {
    let entries = say!("accounts-entries", count = account.entries);
    let (new, gone) = (account.new, account.gone);
    let news = match (new, gone) {
        (0, 0) => text("accounts-nothing-new").to_owned(),
        (_, 0) => say!("accounts-new", count = new),
        (0, _) => say!("accounts-gone", count = gone),
        (_, _) => say!("accounts-new-and-gone", new, gone),
    };
    format!("{entries} {news}")
}

/// The name of its buttons.
pub fn pause_account(name: &str) -> String {
    say!("accounts-pause", name)
}

pub fn resume_account(name: &str) -> String {
    say!("accounts-resume", name)
}

pub fn remove_account(name: &str) -> String {
    say!("accounts-remove", name)
}

/// Why it cannot be read.
pub fn account_problem(problem: &AccountProblem) -> String {
    let id = match problem {
        AccountProblem::Elsewhere(host) => return say!("accounts-problem-elsewhere", host = host.as_str()),
        AccountProblem::Refused(status) => return say!("accounts-problem-refused", status = status.to_string()),
        AccountProblem::UnknownHost => "accounts-problem-unknown-host",
        AccountProblem::Unreachable => "accounts-problem-unreachable",
        AccountProblem::NotPublic => "accounts-problem-not-public",
        AccountProblem::OtherName => "accounts-problem-other-name",
        AccountProblem::Untrusted => "accounts-problem-untrusted",
        AccountProblem::OutOfDate => "accounts-problem-out-of-date",
        AccountProblem::NotPinned => "accounts-problem-not-pinned",
        AccountProblem::NoTls => "accounts-problem-no-tls",
        AccountProblem::LoginRefused => "accounts-problem-login-refused",
        AccountProblem::LoginMissing => "accounts-problem-login-missing",
        AccountProblem::Silent => "accounts-problem-silent",
        AccountProblem::TooLarge => "accounts-problem-too-large",
        AccountProblem::Broken => "accounts-problem-broken",
        AccountProblem::NoCalendar => "accounts-problem-no-calendar",
        AccountProblem::TooOften => "accounts-problem-too-often",
        AccountProblem::WorkerEnded => "accounts-problem-worker-ended",
        AccountProblem::NoMemory => "accounts-problem-no-memory",
    };
    text(id).to_owned()
}

/// What she can do about it.
pub fn account_remedy(problem: &AccountProblem, name: &str) -> String {
    let id = match problem {
        AccountProblem::LoginRefused | AccountProblem::LoginMissing => return say!("accounts-remedy-login", name),
        AccountProblem::WorkerEnded => return say!("accounts-remedy-test", name),
        AccountProblem::UnknownHost | AccountProblem::Unreachable | AccountProblem::Silent | AccountProblem::Refused(_) | AccountProblem::Broken => "accounts-remedy-again",
        AccountProblem::NotPublic => "accounts-remedy-private",
        AccountProblem::Elsewhere(_) => "accounts-remedy-elsewhere",
        AccountProblem::OtherName | AccountProblem::Untrusted | AccountProblem::OutOfDate => "accounts-remedy-certificate",
        AccountProblem::NotPinned => "accounts-remedy-pin",
        AccountProblem::NoTls => "accounts-remedy-port",
        AccountProblem::TooLarge => "accounts-remedy-smaller",
        AccountProblem::NoCalendar => "accounts-remedy-address",
        AccountProblem::TooOften => "accounts-remedy-less-often",
        AccountProblem::NoMemory => "accounts-remedy-memory",
    };
    text(id).to_owned()
}
