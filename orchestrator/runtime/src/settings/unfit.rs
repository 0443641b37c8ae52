//! What a form says that cannot be.
//!
//! What: [`unfit_value`], the first value of a change that makes no sense, in words. Why: a balance without its currency adds up with nothing, and what
//! is no address is nobody's. Not here: what the file as a whole may say (`config`).

use agents::is_currency;
use surfaces_base::{
    backend::settings::HomeFileChange,
    language::{say, text},
};

/// Why a change cannot be made; `None`: its values can stand in the file.
pub(super) fn unfit_value(change: &HomeFileChange) -> Option<String> {
    let mut addresses = change.addresses.iter().flatten();
    if let Some(other) = addresses.find(|address| !is_address(address)) {
        return Some(say!("control-no-address", address = other.as_str()));
    }
    let balance = change.balance.as_ref()?;
    (!is_currency(&balance.currency)).then(|| text("control-no-currency").to_owned())
}

/// Whether a text has the form of a mail address.
fn is_address(address: &str) -> bool {
    let odd = |c: char| c.is_whitespace() || c.is_control() || "<>,;\"".contains(c);
    address
        .split_once('@')
        .is_some_and(|(name, host)| !name.is_empty() && !host.is_empty() && !host.contains('@'))
        && !address.contains(odd)
}

#[cfg(test)]
mod tests {
    use super::*;
    use surfaces_base::backend::settings::BalanceView;

    #[test]
    fn a_balance_names_its_currency_and_an_address_is_one() {
        let balance = |currency: &str| HomeFileChange {
            balance: Some(BalanceView {
                amount: "1234.5".to_owned(),
                currency: currency.to_owned(),
            }),
            ..HomeFileChange::default()
        };
        let addresses = |address: &str| HomeFileChange {
            addresses: Some(vec!["robin@example.org".to_owned(), address.to_owned()]),
            ..HomeFileChange::default()
        };
        for fits in [
            HomeFileChange::default(),
            balance("EUR"),
            addresses("r.b+aura@xn--bcher-kva.example"),
        ] {
            assert_eq!(unfit_value(&fits), None);
        }
        for unfit in [balance(""), balance("QQQ"), balance("eur")] {
            assert!(unfit_value(&unfit).is_some_and(|why| why.contains("currency")));
        }
        for other in [
            "not an address",
            "@example.org",
            "robin@",
            "a@b@c",
            "Robin <r@example.org>",
        ] {
            assert!(
                unfit_value(&addresses(other)).is_some_and(|why| why.contains(other)),
                "{other}"
            );
        }
    }
}
