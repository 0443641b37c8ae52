//! Words about the owner's accounts of mail.
//!
//! What: what such an account holds. Why: messages in folders are no entries of calendars. Not here: what all accounts have in common (`accounts`).

use crate::{
    backend::accounts::AccountView,
    language::{Text, say, text},
};

/// Under the accounts.
pub const MAIL_ACCOUNTS_MEAN: Text = Text("mail-accounts-mean");

/// What is known of it, and what was new.
pub(super) fn mail_account_holds(account: &AccountView) -> String {
    let messages = say!("mail-accounts-messages", count = account.entries);
    let (new, gone) = (account.new, account.gone);
    let news = match (new, gone) {
        (0, 0) => text("mail-accounts-nothing-new").to_owned(),
        (_, 0) => say!("mail-accounts-new", count = new),
        (0, _) => say!("mail-accounts-gone", count = gone),
        (_, _) => say!("mail-accounts-new-and-gone", new, gone),
    };
    format!("{messages} {news}")
}
