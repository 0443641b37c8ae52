//! The owner's accounts on servers, as rows of the page Settings.
//!
//! What: a row each, with when it was reached, what was new, what fails and what to do. Why: what is read on a server stands beside what is read
//! on this computer. Not here: changing the file (`settings_page`), the words (`words`).

use super::account_writes;
use crate::{backend::accounts::AccountView, format, words};
use chrono_tz::Tz;
use maud::{Markup, html};
use toolcall_schema::Timestamp;

/// The rows; nothing where there is no account.
pub(super) fn rows(accounts: &[AccountView], shown: &str, at: (Timestamp, Tz)) -> Markup {
    html! {
        @if !accounts.is_empty() {
            h3 { (words::ACCOUNTS) }
            ul.rows #accounts { @for account in accounts { (row(account, shown, at)) } }
            p.note { (words::ACCOUNTS_MEAN) }
        }
    }
}

fn row(account: &AccountView, shown: &str, (now, zone): (Timestamp, Tz)) -> Markup {
    let name = &account.name;
    let reached = account.reached_at.map(|at| format::clock_on(at, now, zone));
    html! {
        li {
            p.head {
                span.what { (words::account_kind(account)) }
                button.plain type="button" data-account=(name) data-account-act=(if account.is_paused { "resume" } else { "pause" })
                    data-shown=(shown)
                    aria-label=(if account.is_paused { words::resume_account(name) } else { words::pause_account(name) }) {
                    (if account.is_paused { words::RESUME_SOURCE } else { words::PAUSE_SOURCE })
                }
                button.plain type="button" data-account=(name) data-account-act="remove" data-shown=(shown)
                    aria-label=(words::remove_account(name)) { (words::FORGET_SOURCE) }
            }
            p.note dir="auto" { bdi { (name) } " · " bdi { (account.server) } }
            @if account.is_paused { p.note { (words::ACCOUNT_PAUSED) } }
            @else {
                p.note { (words::account_reached(reached.as_deref())) }
                @if let Some(problem) = &account.problem {
                    p.note { b { (words::account_problem(problem)) } " " (words::account_remedy(problem, name)) }
                }
            }
            (account_writes::row(account, shown))
            @if account.reached_at.is_some() { p.note { (words::account_holds(account)) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::accounts::AccountProblem;

    #[test]
    fn row_says_what_fails_and_what_to_do_and_shows_text_of_a_server_as_text() {
        let at = Timestamp::parse("2026-11-03T08:15:00Z").unwrap();
        let account = |problem| AccountView {
            name: "work".to_owned(),
            is_caldav: true,
            server: "dav.example.org".to_owned(),
            is_paused: false,
            is_writable: Some(false),
            reached_at: Some(at),
            new: 2,
            gone: 0,
            entries: 1,
            calendars: 1,
            problem,
        };
        let shown = |account: AccountView| rows(&[account], "5", (at, Tz::UTC)).into_string();
        let well = shown(account(None));
        assert!(
            well.contains("1 entry. 2 new or changed the last time."),
            "{well}"
        );
        assert!(
            well.contains("data-account=\"work\" data-account-act=\"pause\""),
            "{well}"
        );
        assert!(
            well.contains("I only read it.") && well.contains("data-account-act=\"allow_write\""),
            "{well}"
        );
        let away = shown(account(Some(AccountProblem::Elsewhere("<b>evil</b>".to_owned()))));
        assert!(
            away.contains("&lt;b&gt;evil") && away.contains("if you trust that server"),
            "{away}"
        );
        let paused = AccountView {
            is_paused: true,
            ..account(Some(AccountProblem::Silent))
        };
        let paused = shown(paused);
        assert!(
            paused.contains("data-account-act=\"resume\"") && !paused.contains("in time"),
            "{paused}"
        );
        assert_eq!(rows(&[], "5", (at, Tz::UTC)).into_string(), "");
    }
}
