//! What was spent in a day, a week or a month, by what for, where and from which account.
//!
//! What: [`spending`], sums of payments as memory keeps them, one block a currency. Why: sums of two currencies are no sum. Not here: bars (`picture`), markup
//! (`web::spending_page`), what a payment is for (Finance).

use crate::{
    backend::{DisplayNames, KeptPayment},
    format, words,
};
use rust_decimal::{Decimal, prelude::ToPrimitive};
use std::{cmp::Reverse, collections::BTreeMap};
use toolcall_schema::{Category, catalogue::shared::ThingId, ids::MerchantHash, money::MoneyFlow};

/// Shops that are named; the others are one line.
pub(crate) const MERCHANTS_MAX: usize = 12;

/// What was paid in one currency.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CurrencySpending {
    pub out: String,
    /// Absent: nothing came in.
    pub came_in: Option<String>,
    /// What went out in the time before; absent: nothing.
    pub before: Option<String>,
    /// How many payments are in the sums.
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

/// A block for each currency, the one with most payments first; and how many payments have no known direction, which no sum holds.
pub(crate) fn spending(
    payments: &[KeptPayment],
    before: &[KeptPayment],
    names: &DisplayNames,
) -> (Vec<CurrencySpending>, usize) {
    let earlier = by_currency(before);
    let mut blocks: Vec<_> = by_currency(payments).into_iter().collect();
    blocks.sort_by_key(|(currency, of)| (Reverse(of.len()), *currency));
    let unclear = payments
        .iter()
        .filter(|payment| payment.amount.flow().is_none())
        .count();
    let blocks = blocks.into_iter().map(|(currency, of)| {
        let before = earlier.get(currency).map(|of| total(of, MoneyFlow::Out));
        block(currency, &of, before.unwrap_or_default(), names)
    });
    (blocks.collect(), unclear)
}

fn block(currency: &str, of: &[&KeptPayment], before: Decimal, names: &DisplayNames) -> CurrencySpending {
    let shown = |sum: Decimal| format::money(sum, currency);
    let unless_nothing = |sum: Decimal| (!sum.is_zero()).then(|| shown(sum));
    let accounts = sums(of, |payment| payment.account_last4.clone());
    CurrencySpending {
        out: shown(total(of, MoneyFlow::Out)),
        came_in: unless_nothing(total(of, MoneyFlow::In)),
        before: unless_nothing(before),
        payments: of.len(),
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
