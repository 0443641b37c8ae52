//! Words about the owner's accounts on servers.
//!
//! What: how an account stands, why it cannot be read, and what she can do. Why: each way a server can fail has one sentence. Not here: the rows
//! (`web::accounts_page`).

use crate::{
    backend::accounts::{AccountProblem, AccountView},
    language::{Text, say, text},
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
    let words = match problem {
        AccountProblem::Elsewhere(host) => return say!("accounts-problem-elsewhere", host = host.as_str()),
        AccountProblem::Refused(status) => {
            return say!("accounts-problem-refused", status = status.to_string());
        }
        AccountProblem::UnknownHost => text("accounts-problem-unknown-host"),
        AccountProblem::Unreachable => text("accounts-problem-unreachable"),
        AccountProblem::NotPublic => text("accounts-problem-not-public"),
        AccountProblem::OtherName => text("accounts-problem-other-name"),
        AccountProblem::Untrusted => text("accounts-problem-untrusted"),
        AccountProblem::OutOfDate => text("accounts-problem-out-of-date"),
        AccountProblem::NotPinned => text("accounts-problem-not-pinned"),
        AccountProblem::NoTls => text("accounts-problem-no-tls"),
        AccountProblem::LoginRefused => text("accounts-problem-login-refused"),
        AccountProblem::LoginMissing => text("accounts-problem-login-missing"),
        AccountProblem::Silent => text("accounts-problem-silent"),
        AccountProblem::TooLarge => text("accounts-problem-too-large"),
        AccountProblem::Broken => text("accounts-problem-broken"),
        AccountProblem::NoCalendar => text("accounts-problem-no-calendar"),
        AccountProblem::TooOften => text("accounts-problem-too-often"),
        AccountProblem::WorkerEnded => text("accounts-problem-worker-ended"),
        AccountProblem::NoMemory => text("accounts-problem-no-memory"),
    };
    words.to_owned()
}

/// What she can do about it.
pub fn account_remedy(problem: &AccountProblem, name: &str) -> String {
    let words = match problem {
        AccountProblem::LoginRefused | AccountProblem::LoginMissing => {
            return say!("accounts-remedy-login", name);
        }
        AccountProblem::WorkerEnded => return say!("accounts-remedy-test", name),
        AccountProblem::UnknownHost
        | AccountProblem::Unreachable
        | AccountProblem::Silent
        | AccountProblem::Refused(_)
        | AccountProblem::Broken => text("accounts-remedy-again"),
        AccountProblem::NotPublic => text("accounts-remedy-private"),
        AccountProblem::Elsewhere(_) => text("accounts-remedy-elsewhere"),
        AccountProblem::OtherName | AccountProblem::Untrusted | AccountProblem::OutOfDate => {
            text("accounts-remedy-certificate")
        }
        AccountProblem::NotPinned => text("accounts-remedy-pin"),
        AccountProblem::NoTls => text("accounts-remedy-port"),
        AccountProblem::TooLarge => text("accounts-remedy-smaller"),
        AccountProblem::NoCalendar => text("accounts-remedy-address"),
        AccountProblem::TooOften => text("accounts-remedy-less-often"),
        AccountProblem::NoMemory => text("accounts-remedy-memory"),
    };
    words.to_owned()
}
