//! The owner's accounts on servers, as rows of the page Settings.
//!
//! What: a row each, with when it was reached, what was new, what fails and what to do. Why: what is read on a server stands beside what is read
//! on this computer. Not here: changing the file (`settings_page`), the words (`words`).

use crate::{
    backend::{accounts::AccountView, settings::HomeFileView},
    format, words,
};
use chrono_tz::Tz;
use maud::{Markup, html};
use toolcall_schema::Timestamp;

/// The rows; nothing where there is no account.
pub(super) fn rows(view: &HomeFileView, at: (Timestamp, Tz)) -> Markup {
    html! {
        @if !view.accounts.is_empty() {
            h3 { (words::ACCOUNTS) }
            ul.rows #accounts { @for account in &view.accounts { (row(account, &view.shown, at)) } }
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
            @if account.reached_at.is_some() { p.note { (words::account_holds(account)) } }
        }
    }
}
