//! Words about the owner's accounts on servers.
//!
//! What: how an account stands, why it cannot be read, and what she can do. Why: each way a server can fail has one sentence. Not here: the rows
//! (`web::accounts_page`).

use crate::backend::accounts::{AccountProblem, AccountView};

/// Heading of the accounts.
pub const ACCOUNTS: &str = "Calendars on servers";
/// Under them.
pub const ACCOUNTS_MEAN: &str =
    "Their calendars are kept sealed on this computer, and go when you stop reading.";
/// Nobody looked yet.
pub const ACCOUNT_NOT_REACHED: &str = "Not reached yet.";
/// It is not looked at for now.
pub const ACCOUNT_PAUSED: &str = "Paused: what is known stays.";

/// What an account is.
pub fn account_kind(account: &AccountView) -> &'static str {
    if account.is_caldav {
        "Calendars by CalDAV"
    } else {
        "Calendar at an address"
    }
}

/// When it was reached last.
pub fn account_reached(when: Option<&str>) -> String {
    when.map_or_else(
        || ACCOUNT_NOT_REACHED.to_owned(),
        |when| format!("Last reached {when}."),
    )
}

/// What is known of it, and what was new.
pub fn account_holds(account: &AccountView) -> String {
    let entries = match account.entries {
        1 => "One entry".to_owned(),
        count => format!("{count} entries"),
    };
    let calendars = match account.calendars {
        0 | 1 => String::new(),
        count => format!(" in {count} calendars"),
    };
    let news = match (account.new, account.gone) {
        (0, 0) => "nothing new the last time".to_owned(),
        (new, 0) => format!("{new} new or changed the last time"),
        (0, gone) => format!("{gone} gone the last time"),
        (new, gone) => format!("{new} new or changed and {gone} gone the last time"),
    };
    format!("{entries}{calendars}, {news}.")
}

/// The name of its buttons.
pub fn pause_account(name: &str) -> String {
    format!("Pause reading {name}")
}

pub fn resume_account(name: &str) -> String {
    format!("Go on reading {name}")
}

pub fn remove_account(name: &str) -> String {
    format!("Stop reading {name}")
}

/// Why it cannot be read.
pub fn account_problem(problem: &AccountProblem) -> String {
    match problem {
        AccountProblem::UnknownHost => "Nobody knows a server of that name.".to_owned(),
        AccountProblem::Unreachable => "The server cannot be reached.".to_owned(),
        AccountProblem::NotPublic => {
            "The name leads to this computer or into your own network, and you have not allowed that.".to_owned()
        }
        AccountProblem::Elsewhere(host) => {
            format!("The server sends me on to {host}, which you have not named. I did not go there.")
        }
        AccountProblem::OtherName => "The server's certificate is for another name.".to_owned(),
        AccountProblem::Untrusted => {
            "The server's certificate comes from nobody whom this computer trusts.".to_owned()
        }
        AccountProblem::OutOfDate => "The server's certificate is out of date.".to_owned(),
        AccountProblem::NotPinned => "The server's certificate is not the one that you accepted.".to_owned(),
        AccountProblem::NoTls => "The server does not speak TLS there.".to_owned(),
        AccountProblem::LoginRefused => "The server refuses the login.".to_owned(),
        AccountProblem::LoginMissing => "The server wants a login.".to_owned(),
        AccountProblem::Silent => "The server did not answer in time.".to_owned(),
        AccountProblem::TooLarge => "The server sends more than I take.".to_owned(),
        AccountProblem::Broken => "What the server sends breaks off or makes no sense.".to_owned(),
        AccountProblem::NoCalendar => "There is no calendar at this address.".to_owned(),
        AccountProblem::Refused(status) => format!("The server refuses the request ({status})."),
        AccountProblem::TooOften => "The server wants to be asked less often.".to_owned(),
        AccountProblem::WorkerEnded => "Reading it was broken off.".to_owned(),
        AccountProblem::NoMemory => "This computer has no memory where the calendars could lie.".to_owned(),
    }
}

/// What she can do about it.
pub fn account_remedy(problem: &AccountProblem, name: &str) -> String {
    match problem {
        AccountProblem::UnknownHost
        | AccountProblem::Unreachable
        | AccountProblem::Silent
        | AccountProblem::Refused(_)
        | AccountProblem::Broken => "I try again. See that the server runs and that its address is right.".to_owned(),
        AccountProblem::NotPublic => {
            "Write `private = true` to the account if the server is in your own network.".to_owned()
        }
        AccountProblem::Elsewhere(_) => {
            "Put the new address into the account if you trust that server.".to_owned()
        }
        AccountProblem::OtherName | AccountProblem::Untrusted | AccountProblem::OutOfDate => {
            "Ask whoever runs the server, or write its fingerprint as `certificate` to the account.".to_owned()
        }
        AccountProblem::NotPinned => {
            "Ask whoever runs the server whether it is new, then write the new fingerprint to the account.".to_owned()
        }
        AccountProblem::NoTls => "See that the port in the address is right.".to_owned(),
        AccountProblem::LoginRefused | AccountProblem::LoginMissing => {
            format!("Log in again: `aura source login {name}`.")
        }
        AccountProblem::TooLarge => "Choose a smaller calendar, or its address alone.".to_owned(),
        AccountProblem::NoCalendar => "See that the address is that of a calendar, not of a page.".to_owned(),
        AccountProblem::TooOften => "I wait longer. Choose more minutes as `every` of the account.".to_owned(),
        AccountProblem::WorkerEnded => format!("I try again. `aura source test {name}` tries at once."),
        AccountProblem::NoMemory => "Mount a file system in memory, such as /dev/shm, and start again.".to_owned(),
    }
}
