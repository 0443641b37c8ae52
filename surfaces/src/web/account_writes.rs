//! Whether what the owner confirms is written to an account.
//!
//! What: a line of its row, with the button that changes it. Why: an account is only read until its owner says otherwise, and what that means stands
//! beside it; so does which calendar takes time that is kept free. Not here: the row (`accounts_page`), what is written (`deliveries`).

use maud::{Markup, html};
use surfaces_base::{
    backend::accounts::{AccountView, EventCalendar},
    visible::visible,
    words,
};

/// Calendars that are offered.
const CALENDARS_MAX: usize = 64;

/// Nothing for an account that can only be read.
pub(super) fn row(account: &AccountView, shown: &str) -> Markup {
    let Some(is_writable) = account.is_writable else {
        return html! {};
    };
    let name = &account.name;
    let (says, act, label, button) = if is_writable {
        (
            words::ACCOUNT_WRITTEN,
            "forbid_write",
            words::only_read_account(name),
            words::ONLY_READ,
        )
    } else {
        (
            words::ACCOUNT_ONLY_READ,
            "allow_write",
            words::write_account(name),
            words::ALLOW_WRITE,
        )
    };
    html! {
        p.note { (says) }
        p.row-buttons {
            button.plain type="button" data-account=(name) data-account-act=(act) data-shown=(shown) aria-label=(label) { (button) }
        }
        @if is_writable { (for_free_time(account, shown)) }
    }
}

/// Which calendar takes time that is kept free, and the ways to choose another.
fn for_free_time(account: &AccountView, shown: &str) -> Markup {
    let (chosen, others): (Vec<&EventCalendar>, Vec<&EventCalendar>) = account
        .event_calendars
        .iter()
        .partition(|calendar| calendar.is_for_free_time);
    html! {
        @if let Some(missing) = &account.missing_calendar { p.note dir="auto" { (words::free_time_has_no_place(missing)) } }
        @for calendar in chosen { p.note dir="auto" { (words::free_time_goes_to(&calendar.name)) } }
        @if !others.is_empty() {
            details.stop {
                summary { (words::CHOOSE_FREE_TIME_CALENDAR) "…" }
                p.row-buttons {
                    @for calendar in others.iter().take(CALENDARS_MAX) {
                        button.plain type="button" dir="auto" data-account=(account.name) data-keep-free=(calendar.id) data-shown=(shown)
                            aria-label=(words::send_free_time_to(&calendar.name)) { (visible(&calendar.name)) }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolcall_schema::accounts::ServerAccountKind;

    #[test]
    fn calendar_for_free_time_is_said_and_others_are_a_tap_away() {
        let calendar = |id: &str, name: &str, is_for_free_time| EventCalendar {
            id: id.to_owned(),
            name: name.to_owned(),
            is_for_free_time,
        };
        let mut account = AccountView {
            name: "work".to_owned(),
            kind: ServerAccountKind::CalDav,
            server: "dav.example.org".to_owned(),
            is_paused: false,
            is_writable: Some(true),
            reached_at: None,
            new: 0,
            gone: 0,
            entries: 0,
            is_known: true,
            calendars: 2,
            event_calendars: vec![calendar("/a/", "Work", true), calendar("/b/", "<b>Home", false)],
            missing_calendar: None,
            problem: None,
            sign_in: None,
        };
        let page = row(&account, "5").into_string();
        assert!(page.contains("Time that you keep free goes to Work."), "{page}");
        assert!(
            page.contains("data-keep-free=\"/b/\"") && page.contains("&lt;b&gt;Home"),
            "{page}"
        );
        assert!(!page.contains("data-keep-free=\"/a/\""), "{page}");
        account.is_writable = Some(false);
        assert!(!row(&account, "5").into_string().contains("keep-free"));
        account.is_writable = Some(true);
        account.event_calendars.clear();
        account.missing_calendar = Some("Gone".to_owned());
        let page = row(&account, "5").into_string();
        assert!(page.contains("Gone, which you chose"), "{page}");
    }
}
