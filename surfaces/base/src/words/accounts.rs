//! Words about the owner's accounts on servers.
//!
//! What: how an account stands, why it cannot be read, and what she can do. Why: each way a server can fail has one sentence. Not here: the rows
//! (`web::accounts_page`).

use crate::{
    backend::accounts::AccountView,
    language::{Text, say, text},
};
use toolcall_schema::accounts::{LookFailure, ServerAccountKind};

/// What a network answers in the place of the server (RFC 6585, 6).
const NETWORK_WANTS_LOGIN: u16 = 511;
/// Of a login that is right and may not do this (RFC 9110, 15.5.4).
const FORBIDDEN: u16 = 403;

/// Heading of the accounts.
pub const ACCOUNTS: Text = Text("accounts-accounts");
/// Under them.
pub const ACCOUNTS_MEAN: Text = Text("accounts-accounts-mean");
/// Under those of which nothing is kept.
pub const MEMORY_ACCOUNTS_MEAN: Text = Text("accounts-memory-mean");
/// It is read for the first time since the start.
pub const ACCOUNT_READING: Text = Text("accounts-reading");
/// It is not looked at for now.
pub const ACCOUNT_PAUSED: Text = Text("accounts-paused");

/// What an account is.
pub fn account_kind(kind: ServerAccountKind) -> &'static str {
    match kind {
        ServerAccountKind::CalDav => text("accounts-kind-caldav"),
        ServerAccountKind::CalendarAddress => text("accounts-kind-address"),
        ServerAccountKind::CardDav => text("accounts-kind-carddav"),
        ServerAccountKind::Imap => text("mail-accounts-kind"),
        ServerAccountKind::Jmap => text("mail-accounts-kind-jmap"),
        ServerAccountKind::SimpleFin => text("accounts-kind-simplefin"),
        ServerAccountKind::HomeAssistant => text("home-assistant-kind"),
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
    if account.kind.is_mail() {
        return super::mail_account_holds(account);
    }
    let count = account.entries;
    let entries = match account.kind {
        ServerAccountKind::CardDav => say!("accounts-people", count),
        ServerAccountKind::SimpleFin => say!("accounts-payments", count),
        ServerAccountKind::HomeAssistant => say!("accounts-nights", count),
        ServerAccountKind::CalDav
        | ServerAccountKind::CalendarAddress
        | ServerAccountKind::Imap
        | ServerAccountKind::Jmap => say!("accounts-entries", count),
    };
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
pub(crate) fn account_problem(problem: &LookFailure) -> String {
    let words = match problem {
        LookFailure::Elsewhere { host, path: _ } => {
            return say!("accounts-problem-elsewhere", host = host.as_str());
        }
        LookFailure::Refused {
            status: NETWORK_WANTS_LOGIN,
        } => text("accounts-problem-portal"),
        LookFailure::Refused { status } => {
            return say!("accounts-problem-refused", status = status.to_string());
        }
        LookFailure::UnknownHost => text("accounts-problem-unknown-host"),
        LookFailure::Unreachable => text("accounts-problem-unreachable"),
        LookFailure::NotPublic => text("accounts-problem-not-public"),
        LookFailure::OtherName => text("accounts-problem-other-name"),
        LookFailure::Untrusted => text("accounts-problem-untrusted"),
        LookFailure::OutOfDate => text("accounts-problem-out-of-date"),
        LookFailure::NotPinned => text("accounts-problem-not-pinned"),
        LookFailure::NoTls => text("accounts-problem-no-tls"),
        LookFailure::LoginRefused => text("accounts-problem-login-refused"),
        LookFailure::LoginMissing => text("accounts-problem-login-missing"),
        LookFailure::Silent => text("accounts-problem-silent"),
        LookFailure::TooLarge | LookFailure::AnswerTooLarge => text("accounts-problem-too-large"),
        LookFailure::Broken => text("accounts-problem-broken"),
        LookFailure::NoCalendar => text("accounts-problem-no-calendar"),
        LookFailure::NoAddressBook => text("accounts-problem-no-address-book"),
        LookFailure::NoMoney => text("accounts-problem-no-money"),
        LookFailure::NoJmap => text("mail-accounts-problem-no-jmap"),
        LookFailure::NoSensor => text("home-assistant-problem-no-sensor"),
        LookFailure::TooOften { after_s: _ } => text("accounts-problem-too-often"),
        LookFailure::WorkerEnded => text("accounts-problem-worker-ended"),
        LookFailure::NoMemory => text("accounts-problem-no-memory"),
        LookFailure::TooManyFolders => text("mail-accounts-problem-folders"),
        LookFailure::NotSealed => text("mail-accounts-problem-not-sealed"),
        LookFailure::NoPasswords => text("mail-accounts-problem-no-passwords"),
        LookFailure::SaysNo => text("mail-accounts-problem-says-no"),
    };
    words.to_owned()
}

/// What she can do about it.
pub(crate) fn account_remedy(problem: &LookFailure) -> &'static str {
    match problem {
        LookFailure::LoginRefused | LookFailure::LoginMissing => text("accounts-remedy-login"),
        LookFailure::WorkerEnded => text("accounts-remedy-test"),
        LookFailure::Refused {
            status: NETWORK_WANTS_LOGIN,
        } => text("accounts-remedy-portal"),
        LookFailure::Refused { status: FORBIDDEN } => text("accounts-remedy-forbidden"),
        LookFailure::UnknownHost
        | LookFailure::Unreachable
        | LookFailure::Silent
        | LookFailure::Refused { status: _ }
        | LookFailure::Broken => text("accounts-remedy-again"),
        LookFailure::SaysNo | LookFailure::AnswerTooLarge => text("accounts-remedy-ask"),
        LookFailure::NotPublic => text("accounts-remedy-private"),
        LookFailure::Elsewhere { .. } => text("accounts-remedy-elsewhere"),
        // Accepting its fingerprint does not help: that counts for the name in the address as well.
        LookFailure::OtherName => text("accounts-remedy-other-name"),
        LookFailure::Untrusted | LookFailure::OutOfDate => text("accounts-remedy-certificate"),
        LookFailure::NotPinned => text("accounts-remedy-pin"),
        LookFailure::NoTls => text("accounts-remedy-port"),
        LookFailure::TooLarge => text("accounts-remedy-smaller"),
        LookFailure::NoCalendar | LookFailure::NoAddressBook => text("accounts-remedy-address"),
        LookFailure::NoMoney => text("accounts-remedy-money"),
        LookFailure::NoJmap => text("mail-accounts-remedy-no-jmap"),
        LookFailure::NoSensor => text("home-assistant-remedy-sensor"),
        LookFailure::TooOften { after_s: _ } => text("accounts-remedy-less-often"),
        LookFailure::NoMemory => text("accounts-remedy-memory"),
        LookFailure::TooManyFolders => text("mail-accounts-remedy-folders"),
        LookFailure::NotSealed => text("mail-accounts-remedy-not-sealed"),
        LookFailure::NoPasswords => text("mail-accounts-remedy-no-passwords"),
    }
}
