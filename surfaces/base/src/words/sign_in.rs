//! Words about signing in to an account by its provider.
//!
//! What: how it begins, stands, fails and ends, and what a provider is asked for. Why: a provider shows its own words for what it allows; these say
//! what is made of it. Not here: accounts with a password (`accounts`, `account_forms`), the forms (`web::sign_in_page`).

use super::{account_problem, account_remedy};
use crate::{
    backend::sign_in::{SignInFailure, SignInStanding},
    language::{Text, say, text},
};
use toolcall_schema::accounts::{LookFailure, ServerAccountKind};

/// An account whose provider is signed in to.
pub const SIGN_IN_ADD: Text = Text("sign-in-add");
/// For whom that is.
pub const SIGN_IN_ADD_MEANS: Text = Text("sign-in-add-means");
/// What is typed: the mail address,
pub const SIGN_IN_MAIL_ADDRESS: Text = Text("sign-in-mail-address");
/// what the provider calls this Aura,
pub const SIGN_IN_CLIENT: Text = Text("sign-in-client");
pub const SIGN_IN_CLIENT_MEANS: Text = Text("sign-in-client-means");
/// and where another provider is.
pub const SIGN_IN_OTHER: Text = Text("sign-in-other");
pub const SIGN_IN_SERVER: Text = Text("sign-in-server");
pub const SIGN_IN_ISSUER: Text = Text("sign-in-issuer");
pub const SIGN_IN_SCOPE: Text = Text("sign-in-scope");
pub const SIGN_IN_HOSTS: Text = Text("sign-in-hosts");
/// Shows what would be asked.
pub const SIGN_IN_SHOW: Text = Text("sign-in-show");
/// It is not known where, or what is typed is not whole.
pub const SIGN_IN_WHERE: Text = Text("sign-in-where");
/// After it is added.
pub const SIGN_IN_THEN: Text = Text("sign-in-then");
/// Nobody here tried a provider.
pub const SIGN_IN_UNTRIED: Text = Text("sign-in-untried");
/// Adds it.
pub const SIGN_IN_ADD_IT: Text = Text("sign-in-add-it");
/// The ways in.
pub const SIGN_IN: Text = Text("sign-in-button");
pub const SIGN_IN_HERE: Text = Text("sign-in-here");
pub const SIGN_IN_BY_CODE: Text = Text("sign-in-by-code");
/// What some providers demand.
pub const SIGN_IN_SECRET: Text = Text("sign-in-secret");
pub const SIGN_IN_SECRET_MEANS: Text = Text("sign-in-secret-means");
/// How it goes on in a browser.
pub const SIGN_IN_BROWSER_MEANS: Text = Text("sign-in-browser-means");
/// How it goes on by a code.
pub const SIGN_IN_CODE: Text = Text("sign-in-code");
pub const SIGN_IN_CODE_MEANS: Text = Text("sign-in-code-means");
/// The page at which a browser comes back.
pub const SIGN_IN_TITLE: Text = Text("sign-in-title");
pub const SIGN_IN_DONE: Text = Text("sign-in-done");
pub const SIGN_IN_BACK: Text = Text("sign-in-back");

/// How far it is.
pub fn sign_in_stands(standing: SignInStanding) -> &'static str {
    match standing {
        SignInStanding::NotYet => text("sign-in-stands-not-yet"),
        SignInStanding::Underway => text("sign-in-stands-underway"),
        SignInStanding::SignedIn => text("sign-in-stands-signed-in"),
        SignInStanding::Ended => text("sign-in-stands-ended"),
    }
}

/// The name of the way in to one account.
pub fn sign_in_of(name: &str) -> String {
    say!("sign-in-of", name)
}

/// The link to the provider.
pub fn sign_in_open(host: &str) -> String {
    say!("sign-in-open", host)
}

/// Where an account and its sign-in are.
pub fn sign_in_shown(address: &str, server: &str, provider: &str) -> String {
    say!("sign-in-shown", address, server, provider)
}

/// What is made of what the provider allows.
pub fn sign_in_asks(kind: ServerAccountKind) -> &'static str {
    match kind {
        ServerAccountKind::Imap | ServerAccountKind::Jmap => text("sign-in-asks-mail"),
        ServerAccountKind::CardDav => text("sign-in-asks-names"),
        ServerAccountKind::CalDav
        | ServerAccountKind::CalendarAddress
        | ServerAccountKind::SimpleFin
        | ServerAccountKind::HomeAssistant => text("sign-in-asks-calendars"),
    }
}

/// What the provider calls that.
pub fn sign_in_scope_is(scope: &str) -> String {
    say!("sign-in-scope-is", scope)
}

/// Who is shown the tokens.
pub fn sign_in_allows(server: &str, provider: &str) -> String {
    say!("sign-in-allows", server, provider)
}

/// Why nobody is signed in, and what to do.
pub fn sign_in_fails(failure: &SignInFailure) -> String {
    let words = match failure {
        SignInFailure::Refused { why } => return say!("sign-in-fails-refused", why = why.as_str()),
        SignInFailure::Unreachable { failure } => {
            let (problem, remedy) = (account_problem(failure), account_remedy(failure));
            return say!("sign-in-fails-unreachable", problem, remedy);
        }
        SignInFailure::NoAccount => text("sign-in-fails-no-account"),
        SignInFailure::ByPassword => text("sign-in-fails-by-password"),
        SignInFailure::NoWay => text("sign-in-fails-no-way"),
        SignInFailure::Denied => text("sign-in-fails-denied"),
        SignInFailure::Expired => text("sign-in-fails-expired"),
        SignInFailure::NotBegun => text("sign-in-fails-not-begun"),
        SignInFailure::NotKept => text("sign-in-fails-not-kept"),
    };
    words.to_owned()
}

/// Why an account cannot be read and what to do, by how the owner logs in there.
pub fn problem_and_remedy(problem: &LookFailure, sign_in: Option<SignInStanding>) -> (String, &'static str) {
    let is_login = matches!(problem, LookFailure::LoginRefused | LookFailure::LoginMissing);
    match sign_in.filter(|_| is_login) {
        None => (account_problem(problem), account_remedy(problem)),
        Some(SignInStanding::SignedIn) => {
            (text("sign-in-problem-refused").to_owned(), text("sign-in-remedy"))
        }
        Some(standing) => (sign_in_stands(standing).to_owned(), text("sign-in-remedy")),
    }
}
