//! The owner's accounts on servers, as rows of the page Settings.
//!
//! What: a row each, with when it was reached, what was new, what fails and what to do, and the ways to look at it now, to give it another password
//! and to stop. Why: what is read on a server stands beside what is read on this computer. Not here: adding one (`account_forms`), changing the
//! file (`settings_page`), the words (`words`).

use super::{account_writes, sign_in_page};
use chrono_tz::Tz;
use maud::{Markup, html};
use surfaces_base::{backend::accounts::AccountView, format, words};
use toolcall_schema::{SourceKind, Timestamp};

/// The rows; nothing where there is no account.
pub(super) fn rows(accounts: &[AccountView], shown: &str, at: (Timestamp, Tz), may_add: bool) -> Markup {
    html! {
        @if !accounts.is_empty() {
            h3 #accounts-title tabindex="-1" { (words::ACCOUNTS) }
            ul.rows #accounts { @for account in accounts { (row(account, shown, at, may_add)) } }
            @let are = |list: &[SourceKind]| accounts.iter().any(|account| list.contains(&account.kind.list()));
            @if are(&[SourceKind::Calendar]) { p.note { (words::ACCOUNTS_MEAN) } }
            @if are(&[SourceKind::Mail]) { p.note { (words::MAIL_ACCOUNTS_MEAN) } }
            @if are(&[SourceKind::Contacts, SourceKind::Finance]) { p.note { (words::MEMORY_ACCOUNTS_MEAN) } }
        }
    }
}

fn row(account: &AccountView, shown: &str, at: (Timestamp, Tz), may_add: bool) -> Markup {
    let name = &account.name;
    html! {
        li {
            p.head {
                span.what { (words::account_kind(account.kind)) }
                button.plain type="button" data-account=(name) data-account-act=(if account.is_paused { "resume" } else { "pause" })
                    data-shown=(shown)
                    aria-label=(if account.is_paused { words::resume_account(name) } else { words::pause_account(name) }) {
                    (if account.is_paused { words::RESUME_SOURCE } else { words::PAUSE_SOURCE })
                }
            }
            (standing(account, at))
            form.row-buttons data-says="/form/accounts/test" {
                input type="hidden" name="name" value=(name);
                button.plain type="submit" aria-label=(words::account_test_of(name)) { (words::ACCOUNT_TEST) }
            }
            @if may_add {
                @if let Some(standing) = account.sign_in { (sign_in_page::ways_in(account, standing)) } @else { (new_login(account)) }
            }
            details.stop {
                summary aria-label=(words::remove_account(name)) { (words::FORGET_SOURCE) "…" }
                p.note { (words::account_stop(account.entries)) }
                p.buttons {
                    button.main type="button" data-account=(name) data-account-act="remove" data-shown=(shown) { (words::FORGET_SOURCE) }
                }
            }
            @if may_add { (account_writes::row(account, shown)) }
        }
    }
}

/// Where it is, when it was reached, what was new, and what fails.
pub(super) fn standing(account: &AccountView, (now, zone): (Timestamp, Tz)) -> Markup {
    let reached = account.reached_at.map(|at| format::clock_on(at, now, zone));
    html! {
        p.note dir="auto" { bdi { (account.name) } " · " bdi { (account.server) } }
        @if account.is_paused { p.note { (words::ACCOUNT_PAUSED) } }
        @else {
            p.note { (words::account_reached(reached.as_deref())) }
            @if let Some(problem) = &account.problem {
                @let (problem, remedy) = words::problem_and_remedy(problem, account.sign_in);
                p.note { b { (problem) } " " (remedy) }
            }
        }
        @if account.is_known { p.note { (words::account_holds(account)) } }
        // It goes on by itself, or stopped at what is said above.
        @else if account.reached_at.is_some() && !account.is_paused && account.problem.is_none() {
            p.note { (words::ACCOUNT_READING) }
        }
    }
}

/// Another password, or another secret address.
fn new_login(account: &AccountView) -> Markup {
    let name = &account.name;
    let kind = account.kind;
    html! {
        details.stop {
            summary aria-label=(words::account_new_login_of(kind, name)) { (words::account_new_login(kind)) "…" }
            form.settings data-says="/form/accounts/login" {
                input type="hidden" name="name" value=(name);
                label { (words::account_new_login(kind))
                    input name="password" type="password" required autocomplete="off" maxlength="1000";
                }
                p.buttons { button.side type="submit" { (words::ACCOUNT_KEEP) } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolcall_schema::accounts::{LookFailure, ServerAccountKind};

    #[test]
    fn row_says_what_fails_and_what_to_do_and_shows_text_of_a_server_as_text() {
        let at = Timestamp::parse("2026-11-03T08:15:00Z").unwrap();
        let account = |problem| AccountView {
            name: "work".to_owned(),
            kind: ServerAccountKind::CalDav,
            server: "dav.example.org".to_owned(),
            is_paused: false,
            is_writable: Some(false),
            reached_at: Some(at),
            new: 2,
            gone: 0,
            entries: 1,
            is_known: true,
            calendars: 1,
            event_calendars: Vec::new(),
            missing_calendar: None,
            problem,
            sign_in: None,
        };
        let shown = |account: AccountView| rows(&[account], "5", (at, Tz::UTC), true).into_string();
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
        assert!(
            well.contains("One entry and the login are forgotten on this computer."),
            "{well}"
        );
        let away = shown(account(Some(LookFailure::Elsewhere {
            host: "<b>evil</b>".to_owned(),
            path: String::new(),
        })));
        assert!(
            away.contains("&lt;b&gt;evil") && away.contains("If you trust that server"),
            "{away}"
        );
        let paused = AccountView {
            is_paused: true,
            ..account(Some(LookFailure::Silent))
        };
        let paused = shown(paused);
        assert!(
            paused.contains("data-account-act=\"resume\"") && !paused.contains("in time"),
            "{paused}"
        );
        assert_eq!(rows(&[], "5", (at, Tz::UTC), true).into_string(), "");
        let mail = AccountView {
            kind: ServerAccountKind::Imap,
            gone: 1,
            ..account(Some(LookFailure::TooManyFolders))
        };
        let mail = shown(mail);
        assert!(
            mail.contains("1 message. 2 new and 1 gone the last time."),
            "{mail}"
        );
        assert!(
            mail.contains("Mail by IMAP")
                && mail.contains("512 folders")
                && !mail.contains("Calendars of these"),
            "{mail}"
        );
    }
}
