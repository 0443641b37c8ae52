//! Whether what the owner confirms is written to an account.
//!
//! What: a line of its row, with the button that changes it. Why: an account is only read until its owner says otherwise, and what that means stands
//! beside it. Not here: the row (`accounts_page`), what is written (`deliveries`).

use crate::{backend::accounts::AccountView, words};
use maud::{Markup, html};

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
    }
}
