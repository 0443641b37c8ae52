//! What was spent in a day, a week or a month, by what for, where and from which account.
//!
//! What: [`spending`], sums of payments as memory keeps them, one block a currency. Why: sums of two currencies are no sum. Not here: bars (`picture`), markup
//! (`web::spending_page`), what a payment is for (Finance).

use rust_decimal::{Decimal, prelude::ToPrimitive};
use std::{cmp::Reverse, collections::BTreeMap};
use surfaces_base::{
    backend::{DisplayNames, KeptPayment},
    format, words,
};
use toolcall_schema::{Category, Timestamp, catalogue::shared::ThingId, ids::MerchantHash, money::MoneyFlow};

/// Shops that are named; the others are one line.
pub(crate) const MERCHANTS_MAX: usize = 12;

/// What was paid in one currency.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CurrencySpending {
    pub currency: String,
    pub out: String,
    /// Absent: nothing came in.
    pub came_in: Option<String>,
    /// What went out in the time before; absent: nothing.
    pub before: Option<String>,
    /// The part of it up to the day that corresponds to today; absent: the time is over, or nothing went out before.
    pub before_by_now: Option<String>,
    /// How many payments went out.
    pub payments: usize,
    pub categories: Vec<SpendingPart>,
    pub merchants: Vec<SpendingPart>,
    /// Empty where there is one account.
    pub accounts: Vec<SpendingPart>,
}

/// A part of what went out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SpendingPart {
    /// May be a name from outside.
    pub name: String,
    pub sum: String,
    /// Of the largest part, 0 to 1.
    pub share: f64,
}

/// The shops that are named on the page: those where most was spent in each currency.
pub(crate) fn merchants(payments: &[KeptPayment]) -> impl Iterator<Item = ThingId> {
    let by_currency = by_currency(payments);
    let ids: Vec<MerchantHash> = by_currency
        .into_values()
        .flat_map(|of| {
            let sums = sums(&of, |payment| payment.merchant.clone());
            sums.into_iter().take(MERCHANTS_MAX).map(|(merchant, _)| merchant)
        })
        .collect();
    ids.into_iter().map(ThingId::Merchant)
}

/// A block for each currency, the one with most payments (of now and of the time before) first; and how many payments have no known direction, which no sum holds. `by_now`: where the time goes on, when
/// as much of the time before was over as is of it now.
pub(crate) fn spending(
    payments: &[KeptPayment],
    (before, by_now): (&[KeptPayment], Option<Timestamp>),
    names: &DisplayNames,
) -> (Vec<CurrencySpending>, usize) {
    let earlier = by_currency(before);
    let mut blocks: Vec<_> = by_currency(payments).into_iter().collect();
    let count = |currency: &str, of: &[&KeptPayment]| of.len() + earlier.get(currency).map_or(0, Vec::len);
    blocks.sort_by_key(|(currency, of)| (Reverse(count(currency, of)), *currency));
    let unclear = payments
        .iter()
        .filter(|payment| payment.amount.flow().is_none())
        .count();
    let blocks = blocks.into_iter().map(|(currency, of)| {
        let before = earlier.get(currency).map(Vec::as_slice).unwrap_or_default();
        let until_then = |until: Timestamp| -> Decimal {
            let of = before.iter().copied().filter(|payment| payment.at < until);
            total(&of.collect::<Vec<_>>(), MoneyFlow::Out)
        };
        let before = (total(before, MoneyFlow::Out), by_now.map(until_then));
        block(currency, &of, before, names)
    });
    (blocks.collect(), unclear)
}

fn block(
    currency: &str,
    of: &[&KeptPayment],
    (before, by_now): (Decimal, Option<Decimal>),
    names: &DisplayNames,
) -> CurrencySpending {
    let shown = |sum: Decimal| format::money(sum, currency);
    let unless_nothing = |sum: Decimal| (!sum.is_zero()).then(|| shown(sum));
    let accounts = sums(of, |payment| payment.account_last4.clone());
    CurrencySpending {
        out: shown(total(of, MoneyFlow::Out)),
        came_in: unless_nothing(total(of, MoneyFlow::In)),
        before: unless_nothing(before),
        before_by_now: by_now.filter(|_| !before.is_zero()).map(shown),
        currency: currency.to_owned(),
        payments: of
            .iter()
            .filter(|payment| payment.amount.flow() == Some(MoneyFlow::Out))
            .count(),
        categories: parts(
            &sums(of, |payment| payment.category),
            |category: &Category| words::category(*category).to_owned(),
            currency,
        ),
        merchants: parts(
            &name_merchants(sums(of, |payment| payment.merchant.clone()), names),
            String::clone,
            currency,
        ),
        accounts: if accounts.len() > 1 {
            parts(&accounts, |last4| account(last4), currency)
        } else {
            Vec::new()
        },
    }
}

/// Shops by their names: those beyond the first, and those that nobody names now, are one line each.
fn name_merchants(sums: Vec<(MerchantHash, Decimal)>, names: &DisplayNames) -> Vec<(String, Decimal)> {
    let mut out: Vec<(String, Decimal)> = Vec::new();
    for (place, (merchant, sum)) in sums.into_iter().enumerate() {
        let name = match names.get(merchant.as_str()) {
            _ if place >= MERCHANTS_MAX => words::OTHER_MERCHANTS.say(),
            Some(name) => name,
            None => words::UNNAMED_MERCHANT.say(),
        };
        match out.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known += sum,
            None => out.push((name.to_owned(), sum)),
        }
    }
    out
}

/// What an account is called.
pub(crate) fn account(last4: &str) -> String {
    if is_named(last4) {
        words::account(last4)
    } else {
        words::NO_ACCOUNT.say().to_owned()
    }
}

/// Whether a source named the account: four zeros stand for none.
pub(crate) fn is_named(last4: &str) -> bool {
    !last4.is_empty() && last4 != "0000"
}

fn by_currency(payments: &[KeptPayment]) -> BTreeMap<&str, Vec<&KeptPayment>> {
    let mut of: BTreeMap<&str, Vec<&KeptPayment>> = BTreeMap::new();
    for payment in payments.iter().filter(|payment| payment.amount.flow().is_some()) {
        of.entry(&payment.currency).or_default().push(payment);
    }
    of
}

fn total(of: &[&KeptPayment], flow: MoneyFlow) -> Decimal {
    let payments = of.iter().filter(|payment| payment.amount.flow() == Some(flow));
    payments.map(|payment| payment.amount.size()).sum()
}

/// What went out by a key, the largest sum first.
fn sums<K: Ord>(of: &[&KeptPayment], key: impl Fn(&KeptPayment) -> K) -> Vec<(K, Decimal)> {
    let mut sums: BTreeMap<K, Decimal> = BTreeMap::new();
    for payment in of
        .iter()
        .filter(|payment| payment.amount.flow() == Some(MoneyFlow::Out))
    {
        *sums.entry(key(payment)).or_default() += payment.amount.size();
    }
    let mut sums: Vec<(K, Decimal)> = sums.into_iter().collect();
    // Stable: of equal sums the first key comes first.
    sums.sort_by_key(|(_, sum)| Reverse(*sum));
    sums
}

fn parts<K>(sums: &[(K, Decimal)], name: impl Fn(&K) -> String, currency: &str) -> Vec<SpendingPart> {
    let most = sums.iter().map(|(_, sum)| *sum).max().unwrap_or_default();
    let share = |sum: Decimal| {
        sum.checked_div(most)
            .and_then(|share| share.to_f64())
            .unwrap_or(0.0)
    };
    sums.iter()
        .map(|(key, sum)| SpendingPart {
            name: name(key),
            sum: format::money(*sum, currency),
            share: share(*sum),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_goes_on_stands_beside_as_much_of_the_one_before() {
        let paid = |at: &str, amount: &str| KeptPayment {
            at: Timestamp::parse(at).unwrap(),
            amount: amount.parse().unwrap(),
            currency: "INR".to_owned(),
            merchant: MerchantHash::parse("mh_0000000000000001").unwrap(),
            category: Category::Other,
            account_last4: String::new(),
        };
        let now = [paid("2026-11-03T08:00:00Z", "-10")];
        let before = [
            paid("2026-10-30T12:00:00Z", "-900"),
            paid("2026-10-03T23:59:59Z", "-100"),
            // Came in: in no sum of what went out.
            paid("2026-10-01T08:00:00Z", "+70"),
        ];
        let names = DisplayNames::default();
        let until = Timestamp::parse("2026-10-04T00:00:00Z").unwrap();
        for (earlier, by_now, all, part) in [
            (&before[..], Some(until), Some("₹1,000.00"), Some("₹100.00")),
            (&before[..1], Some(until), Some("₹900.00"), Some("₹0.00")),
            (&before[..], None, Some("₹1,000.00"), None),
            (&[][..], Some(until), None, None),
        ] {
            let (blocks, _) = spending(&now, (earlier, by_now), &names);
            let [block] = blocks.as_slice() else {
                panic!("one currency: {blocks:?}")
            };
            assert_eq!(
                (block.before.as_deref(), block.before_by_now.as_deref()),
                (all, part),
                "{} before",
                earlier.len()
            );
        }
    }
}
