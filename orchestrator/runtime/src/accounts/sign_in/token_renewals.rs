//! Renewed tokens between machines.
//!
//! What: [`TokenRenewals`], a slot for each account of one owner. Why: a machine that ends while a provider answers leaves the new token to the
//! next, and to nobody else's. Not here: renewing (`renewal`).

use super::kept::KeptSignIn;
use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

/// The newest tokens of an account where they could not be written.
pub(super) type RenewalSlot = Arc<Mutex<Option<KeptSignIn>>>;

/// One slot for each account of one owner, held while it is renewed. They outlive the machine: one that ends while a provider answers leaves the new
/// token to the next. Another owner of the process may have an account of the same name at the same provider, with slots of her own.
#[derive(Clone, Default)]
pub(crate) struct TokenRenewals(Arc<Mutex<BTreeMap<String, RenewalSlot>>>);

impl fmt::Debug for TokenRenewals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenRenewals(..)")
    }
}

impl TokenRenewals {
    pub(super) fn slot(&self, account: &str, identity: &str) -> RenewalSlot {
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(slots.entry(format!("{account} {identity}")).or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_with_the_same_account_at_the_same_provider_share_no_token() {
        let (asha, jonas) = (TokenRenewals::default(), TokenRenewals::default());
        let slot = |of: &TokenRenewals| of.slot("work", "https://mail.example.org client");
        let next_machine = asha.clone();
        assert!(Arc::ptr_eq(&slot(&asha), &slot(&next_machine)));
        assert!(!Arc::ptr_eq(&slot(&asha), &slot(&jonas)));
        assert!(!Arc::ptr_eq(
            &slot(&asha),
            &asha.slot("home", "https://mail.example.org client")
        ));
    }
}
