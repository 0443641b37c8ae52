//! Words of the forms that add an account and keep it in order.
//!
//! What: what is typed, what a look found or did not, what is allowed, and what becomes of an account. Why: a server is named, and each permission
//! said in plain words, before anything is connected to. Not here: how an account stands (`accounts`), the forms (`web::account_forms`).

use super::{account_problem, account_remedy, problem_and_remedy};
use crate::{
    backend::accounts::{AccountContents, AccountMistake, AccountView},
    language::{Text, say, text},
};
use toolcall_schema::accounts::{LookFailure, ServerAccountKind};

/// Heading of the forms.
pub const ACCOUNT_ADD: Text = Text("account-forms-title");
/// What holds for all of it.
pub const ACCOUNT_ADD_SAYS: Text = Text("account-forms-says");
/// Calendars, or mail, with a login.
pub const ACCOUNT_BY_LOGIN: Text = Text("account-forms-caldav");
/// For whom that is.
pub const ACCOUNT_BY_LOGIN_MEANS: Text = Text("account-forms-caldav-means");
/// Bank accounts with a setup token.
pub const ACCOUNT_BY_TOKEN: Text = Text("account-forms-token");
/// For whom that is.
pub const ACCOUNT_BY_TOKEN_MEANS: Text = Text("account-forms-token-means");
/// A calendar by its secret address.
pub const ACCOUNT_BY_LINK: Text = Text("account-forms-link");
/// For whom that is.
pub const ACCOUNT_BY_LINK_MEANS: Text = Text("account-forms-link-means");
/// What lies there.
pub const ACCOUNT_WHAT: Text = Text("account-forms-what");
pub const ACCOUNT_CALENDARS: Text = Text("account-forms-what-calendars");
pub const ACCOUNT_MAIL: Text = Text("account-forms-what-mail");
/// The same, of a provider that speaks JMAP.
pub const ACCOUNT_MAIL_JMAP: Text = Text("account-forms-what-mail-jmap");
pub const ACCOUNT_NAMES: Text = Text("account-forms-what-names");
/// What is typed: an address,
pub const ACCOUNT_ADDRESS: Text = Text("account-forms-address");
/// a token,
pub const ACCOUNT_TOKEN: Text = Text("account-forms-token-field");
/// a link,
pub const ACCOUNT_LINK: Text = Text("account-forms-link-address");
/// who she is there,
pub const ACCOUNT_USER: Text = Text("account-forms-user");
pub const ACCOUNT_USER_MEANS: Text = Text("account-forms-user-means");
/// and a password.
pub const ACCOUNT_PASSWORD: Text = Text("account-forms-password");
pub const ACCOUNT_PASSWORD_MEANS: Text = Text("account-forms-password-means");
/// Where well-known providers make one.
pub const ACCOUNT_PASSWORD_WHERE: Text = Text("account-forms-where");
pub const ACCOUNT_PASSWORD_PLACES: [Text; 6] = [
    Text("account-forms-where-apple"),
    Text("account-forms-where-fastmail"),
    Text("account-forms-where-gmx"),
    Text("account-forms-where-google"),
    Text("account-forms-where-yahoo"),
    Text("account-forms-where-nextcloud"),
];
/// What only a server of one's own needs.
pub const ACCOUNT_OWN_SERVER: Text = Text("account-forms-more");
pub const ACCOUNT_PRIVATE: Text = Text("account-forms-private");
pub const ACCOUNT_CERTIFICATE: Text = Text("account-forms-certificate");
pub const ACCOUNT_CERTIFICATE_MEANS: Text = Text("account-forms-certificate-means");
/// Begins a look of which nothing is kept.
pub const ACCOUNT_LOOK: Text = Text("account-forms-look");
/// Another try, with what a server in one's own network needs.
pub const ACCOUNT_OWN_NETWORK: Text = Text("account-forms-own-network");
/// Providers that give calendars by a link alone.
pub const ACCOUNT_GOOGLE: Text = Text("account-forms-google");
pub const ACCOUNT_MICROSOFT: Text = Text("account-forms-microsoft");
/// and what is given by no password.
pub const ACCOUNT_NO_PASSWORD: Text = Text("account-forms-no-password");
/// What she calls it.
pub const ACCOUNT_NAME: Text = Text("account-forms-name");
pub const ACCOUNT_NAME_MEANS: Text = Text("account-forms-name-means");
/// Heading of what the button allows.
pub const ACCOUNT_ALLOW: Text = Text("account-forms-allow");
/// Adds it.
pub const ACCOUNT_READ: Text = Text("account-forms-read");
/// One look at a time.
pub const ACCOUNT_BUSY: Text = Text("account-forms-busy");
/// Looks at one that is read.
pub const ACCOUNT_TEST: Text = Text("account-forms-test");
/// Its login was not changed.
pub const ACCOUNT_NOT_KEPT: Text = Text("account-forms-not-kept");
/// Keeps a new login.
pub const ACCOUNT_KEEP: Text = Text("account-forms-keep");

/// Where what belongs to a mail address probably is.
pub fn account_suggestion(kind: ServerAccountKind, address: &str, host: &str) -> String {
    match kind {
        ServerAccountKind::Imap | ServerAccountKind::Jmap => {
            say!("account-forms-suggestion-mail", address, host)
        }
        ServerAccountKind::CardDav => say!("account-forms-suggestion-names", address, host),
        ServerAccountKind::CalDav
        | ServerAccountKind::CalendarAddress
        | ServerAccountKind::SimpleFin
        | ServerAccountKind::HomeAssistant => {
            say!("account-forms-suggestion", address, host)
        }
    }
}

/// What to do where that is wrong.
pub fn account_suggestion_means(kind: ServerAccountKind) -> &'static str {
    match kind {
        ServerAccountKind::Imap => text("account-forms-suggestion-mail-means"),
        ServerAccountKind::Jmap => text("account-forms-suggestion-jmap-means"),
        ServerAccountKind::CardDav => text("account-forms-suggestion-names-means"),
        ServerAccountKind::CalDav
        | ServerAccountKind::CalendarAddress
        | ServerAccountKind::SimpleFin
        | ServerAccountKind::HomeAssistant => text("account-forms-suggestion-means"),
    }
}

/// Whose a token is.
pub fn account_leads_to(host: &str) -> String {
    say!("account-forms-leads-to", host)
}

/// The button that connects to a host.
pub fn account_ask(host: &str) -> String {
    say!("account-forms-ask", host)
}

/// What a look found.
pub fn account_found(kind: ServerAccountKind, contents: &AccountContents) -> String {
    let count = contents.calendars.len();
    let (places, things) = match kind {
        ServerAccountKind::Imap | ServerAccountKind::Jmap => (
            say!("account-forms-folders", count),
            say!("account-forms-messages", count = contents.messages),
        ),
        ServerAccountKind::CardDav => (
            say!("account-forms-books", count),
            say!("account-forms-people", count = contents.people),
        ),
        ServerAccountKind::SimpleFin => (
            say!("account-forms-banks", count),
            say!("account-forms-payments", count = contents.payments),
        ),
        ServerAccountKind::HomeAssistant => (
            say!("home-assistant-sensors", count),
            say!("home-assistant-nights", count = contents.nights),
        ),
        ServerAccountKind::CalDav | ServerAccountKind::CalendarAddress => (
            say!("account-forms-calendars", count),
            say!("account-forms-events", count = contents.events),
        ),
    };
    if contents.tasks == 0 {
        return say!("account-forms-found", places, things);
    }
    let tasks = say!("account-forms-tasks", count = contents.tasks);
    say!("account-forms-found-with-tasks", places, things, tasks)
}

/// What is read and how often, what is kept, and who is shown the login.
pub fn account_allows(kind: ServerAccountKind, host: &str) -> [String; 3] {
    let kept_not = || text("account-forms-allow-kept-not").to_owned();
    match kind {
        ServerAccountKind::CalDav => [
            say!("account-forms-allow-read", host),
            text("account-forms-allow-kept").to_owned(),
            say!("account-forms-allow-login", host),
        ],
        ServerAccountKind::CalendarAddress => [
            say!("account-forms-allow-read-link", host),
            text("account-forms-allow-kept-link").to_owned(),
            say!("account-forms-allow-link", host),
        ],
        ServerAccountKind::CardDav => [
            say!("account-forms-allow-read-names", host),
            kept_not(),
            say!("account-forms-allow-login", host),
        ],
        ServerAccountKind::Imap | ServerAccountKind::Jmap => [
            say!("account-forms-allow-read-mail", host),
            kept_not(),
            say!("account-forms-allow-login", host),
        ],
        ServerAccountKind::HomeAssistant => [
            say!("home-assistant-allow-read", host),
            kept_not(),
            say!("home-assistant-allow-token", host),
        ],
        ServerAccountKind::SimpleFin => [
            say!("account-forms-allow-read-money", host),
            kept_not(),
            say!("account-forms-allow-token", host),
        ],
    }
}

/// What of an account makes no sense.
pub fn account_mistake(mistake: AccountMistake) -> &'static str {
    match mistake {
        AccountMistake::Address => text("account-forms-mistake-address"),
        AccountMistake::NotSealed => text("account-forms-mistake-not-sealed"),
        AccountMistake::Certificate => text("account-forms-mistake-certificate"),
        AccountMistake::Name => text("account-forms-mistake-name"),
        AccountMistake::Token => text("account-forms-mistake-token"),
        AccountMistake::SignIn => text("sign-in-where"),
    }
}

/// What a look that was asked for came to.
pub fn account_tested(account: &AccountView) -> String {
    if let Some(problem) = &account.problem {
        let (problem, remedy) = problem_and_remedy(problem, account.sign_in);
        return say!("account-forms-fails", problem, remedy);
    }
    let (name, holds) = (account.name.as_str(), super::account_holds(account));
    say!("account-forms-works", name, holds)
}

/// What fails in a look that nobody repeats, and what to do.
pub fn trial_fails(problem: &LookFailure) -> String {
    let remedy = account_remedy(problem);
    let remedy = if remedy == text("accounts-remedy-again") {
        text("account-forms-see-server")
    } else if remedy == text("accounts-remedy-ask") {
        text("account-forms-ask-who-runs-it")
    } else if remedy == text("accounts-remedy-test") || remedy == text("accounts-remedy-less-often") {
        text("account-forms-look-later")
    } else {
        remedy
    };
    say!("account-forms-fails", problem = account_problem(problem), remedy)
}

/// The name of the button that looks.
pub fn account_test_of(name: &str) -> String {
    say!("account-forms-test-of", name)
}

/// The way to a new password, link or token, and its name.
pub fn account_new_login(kind: ServerAccountKind) -> &'static str {
    match kind {
        ServerAccountKind::CalendarAddress => text("account-forms-new-link"),
        ServerAccountKind::SimpleFin => text("account-forms-new-token"),
        ServerAccountKind::HomeAssistant => text("home-assistant-new-token"),
        ServerAccountKind::CalDav
        | ServerAccountKind::CardDav
        | ServerAccountKind::Imap
        | ServerAccountKind::Jmap => text("account-forms-login"),
    }
}

pub fn account_new_login_of(kind: ServerAccountKind, name: &str) -> String {
    match kind {
        ServerAccountKind::CalendarAddress => say!("account-forms-new-link-of", name),
        ServerAccountKind::SimpleFin => say!("account-forms-new-token-of", name),
        ServerAccountKind::HomeAssistant => say!("home-assistant-new-token-of", name),
        ServerAccountKind::CalDav
        | ServerAccountKind::CardDav
        | ServerAccountKind::Imap
        | ServerAccountKind::Jmap => {
            say!("account-forms-login-of", name)
        }
    }
}

/// What goes with an account.
pub fn account_stop(entries: usize) -> String {
    if entries == 0 {
        return text("account-forms-stop-login").to_owned();
    }
    let entries = say!("accounts-known", count = entries);
    say!("account-forms-stop", entries)
}
