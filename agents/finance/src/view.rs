//! What Finance computes from the payments it knows.
//!
//! What: [`SpendingView`], sums by local day and category in one currency, with what comes again and what is left. Why: a tick must
//! not walk through every payment. Not here: the payments (`book`), statistics (`stats`).

use super::{
    book::PaymentBook,
    claim::{BalanceRow, BookedPayment},
};
use agents_base::{contract::OwnerProfile, currency::is_currency, zone};
use chrono::{Datelike, Days, Months, NaiveDate};
use rust_decimal::Decimal;
use std::collections::BTreeMap;
use toolcall_schema::{
    Category, Timestamp,
    ids::{MerchantHash, TxnId},
    money::AccountBalance,
    signal::Direction,
    spending_anomaly::{known_days_before, median},
};

/// Uncategorized payments that are offered at once. A tick clones its proposals, so that 512, which the schema admits, would
/// cost it more than everything else.
const MAX_UNCATEGORIZED: usize = 64;
/// Days in which a rent or subscription must have been paid twice to be expected again.
const RECURRING_DAYS: u64 = 60;
/// Payments of a rhythm from which any other merchant is expected again.
const RHYTHM_MIN: usize = 3;
/// The days from one payment of a monthly rhythm to the next.
const RHYTHM_DAYS: std::ops::RangeInclusive<i64> = 25..=35;
/// Days that a payment of a rhythm may be late before it is no longer expected.
const LATE_DAYS: u64 = 7;
/// Days that a day may be compared with.
pub(super) const MAX_WINDOW_DAYS: u32 = 90;
/// The currency when the owner named no balance and nothing was spent yet.
const DEFAULT_CURRENCY: &str = "INR";

/// Currencies beside the first in which a day is looked at: each costs a walk through the book.
const OTHER_CURRENCIES_MAX: usize = 4;

/// The transactions by local day, in the currency of the view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SpendingView {
    /// The balance's currency, else the most frequent.
    pub(super) currency: String,
    /// The local day of the first transaction of those days that the book knows whole.
    pub(super) first_day: Option<NaiveDate>,
    /// Spending by local day and category.
    pub(super) spend: BTreeMap<NaiveDate, BTreeMap<Category, Decimal>>,
    /// How many payments that is, by category and local day.
    payments: BTreeMap<Category, BTreeMap<NaiveDate, u32>>,
    /// Spending by local day without what recurs.
    daily: BTreeMap<NaiveDate, Decimal>,
    /// Uncategorized payments of any currency: the oldest 64, and how many there are.
    pub(super) uncategorized: (Vec<TxnId>, usize),
    /// What comes again every month: to whom what was paid on which days, oldest first.
    recurring: BTreeMap<MerchantHash, RecurringPayment>,
    /// The balance now, with what was paid since it was known. `None` when there is none.
    pub(super) balance: Option<Decimal>,
    /// The same of other currencies that something was spent in, the most frequent first: without a balance, and without others.
    others: Vec<SpendingView>,
}

/// Payments to one merchant, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct RecurringPayment {
    paid: Vec<(NaiveDate, Decimal)>,
    /// Rents and subscriptions are known to come again.
    contract: bool,
}

impl RecurringPayment {
    /// Whether these payments follow a monthly rhythm.
    fn is_rhythm(&self) -> bool {
        let gaps = self.paid.windows(2).filter_map(|pair| match pair {
            [(a, _), (b, _)] => Some((*b - *a).num_days()),
            _ => None,
        });
        let recur =
            |count: usize| self.paid.len() >= count && gaps.clone().all(|days| RHYTHM_DAYS.contains(&days));
        self.contract || recur(RHYTHM_MIN)
    }

    /// What is still to be paid from `day` to the end of its month.
    fn expected(&self, day: NaiveDate) -> Option<Decimal> {
        let since = day.checked_sub_days(Days::new(RECURRING_DAYS))?;
        let paid: Vec<&(NaiveDate, Decimal)> = self.paid.iter().filter(|(on, _)| *on <= day).collect();
        let (last_on, last) = paid.last()?;
        let this_month = last_on.year() == day.year() && last_on.month() == day.month();
        if this_month {
            return None;
        }
        if self.contract {
            let recent = paid.iter().filter(|(on, _)| *on > since).count();
            return (recent >= 2).then_some(*last);
        }
        let mut gaps: Vec<i64> = paid
            .windows(2)
            .filter_map(|pair| match pair {
                [(a, _), (b, _)] => Some((*b - *a).num_days()),
                _ => None,
            })
            .collect();
        gaps.sort_unstable();
        let gap = u64::try_from(*gaps.get(gaps.len() / 2)?).ok()?;
        let due = last_on.checked_add_days(Days::new(gap))?;
        let month_end = day.with_day(1)?.checked_add_months(Months::new(1))?;
        let expected = paid.len() >= RHYTHM_MIN
            && due < month_end
            && due
                .checked_add_days(Days::new(LATE_DAYS))
                .is_some_and(|late| late >= day);
        let mut amounts: Vec<Decimal> = paid.iter().map(|(_, amount)| *amount).collect();
        expected.then(|| median(&mut amounts))
    }
}

impl SpendingView {
    /// The view of a book.
    pub(super) fn new(book: &PaymentBook, owner: &OwnerProfile) -> Self {
        let mut currencies = currencies_by_frequency(book);
        let currency = currency_of(&currencies, owner);
        currencies.retain(|other| *other != currency);
        let others = currencies.iter().take(OTHER_CURRENCIES_MAX);
        SpendingView {
            uncategorized: uncategorized(book),
            balance: balance_now(book, owner, &currency),
            others: others
                .map(|other| Self::in_currency(book, owner, (*other).to_owned()))
                .collect(),
            ..Self::in_currency(book, owner, currency)
        }
    }

    /// What was spent in one currency.
    fn in_currency(book: &PaymentBook, owner: &OwnerProfile, currency: String) -> Self {
        let mut view = SpendingView {
            first_day: None,
            spend: BTreeMap::new(),
            uncategorized: (Vec::new(), 0),
            payments: BTreeMap::new(),
            daily: BTreeMap::new(),
            recurring: BTreeMap::new(),
            balance: None,
            others: Vec::new(),
            currency,
        };
        let first_whole_day = book.first_whole_day();
        for (_, txn) in book.iter().filter(|(_, txn)| txn.currency == view.currency) {
            let day = zone::local_date(txn.ts, owner.zone);
            if first_whole_day.is_some_and(|first| day < first) {
                continue;
            }
            view.first_day = Some(view.first_day.map_or(day, |first| first.min(day)));
            if !txn.is_spend() {
                continue;
            }
            // Some 23 000 amounts of at most 10^12: no sum comes near the limit of the decimals.
            *view
                .spend
                .entry(day)
                .or_default()
                .entry(txn.category)
                .or_default() += txn.amount;
            *view
                .payments
                .entry(txn.category)
                .or_default()
                .entry(day)
                .or_default() += 1;
            *view.daily.entry(day).or_default() += txn.amount;
            if !book.is_nobody(&txn.merchant) {
                let known = view.recurring.entry(txn.merchant.clone()).or_default();
                known.paid.push((day, txn.amount));
                known.contract |= matches!(txn.category, Category::Rent | Category::Subscriptions);
            }
        }
        for known in view.recurring.values_mut() {
            known.paid.sort_unstable();
        }
        view.recurring.retain(|_, known| known.is_rhythm());
        for (day, amount) in view.recurring.values().flat_map(|known| &known.paid) {
            if let Some(daily) = view.daily.get_mut(day) {
                *daily -= amount;
            }
        }
        view
    }

    /// This one, then those of the other currencies.
    pub(super) fn each_currency(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.others)
    }

    /// Spent in a category on a day.
    pub(super) fn spent_in(&self, category: Category, day: NaiveDate) -> Decimal {
        self.spend
            .get(&day)
            .and_then(|by_category| by_category.get(&category))
            .copied()
            .unwrap_or_default()
    }

    /// Spent on a day.
    pub(super) fn spent(&self, day: NaiveDate) -> Decimal {
        self.spend
            .get(&day)
            .map(|by_category| by_category.values().sum())
            .unwrap_or_default()
    }

    /// The `window` (at most 90) days before `day`, nearest first, from the first transaction's day on: days without spending count.
    pub(super) fn days_before(&self, day: NaiveDate, window: u32) -> impl Iterator<Item = NaiveDate> + use<> {
        known_days_before(self.first_day, day, window.min(MAX_WINDOW_DAYS))
    }

    /// Spent on a day, without what recurs.
    pub(super) fn spent_daily(&self, day: NaiveDate) -> Decimal {
        self.daily.get(&day).copied().unwrap_or_default()
    }

    /// In how many payments something was spent in a category on a day.
    pub(super) fn paid_in(&self, category: Category, day: NaiveDate) -> u32 {
        let by_day = self.payments.get(&category);
        by_day
            .and_then(|by_day| by_day.get(&day))
            .copied()
            .unwrap_or_default()
    }

    /// What is still to be paid in the month of `day`. Rents and subscriptions paid at least twice in 60 days and not yet in
    /// this month, each at its last amount; anybody else who was paid at least three times, each 25 to 35 days after the time
    /// before, and is due before the month ends (the median of those days after the last), at the median amount, until 7 days
    /// after it was due.
    pub(super) fn scheduled(&self, day: NaiveDate) -> Decimal {
        self.recurring
            .values()
            .filter_map(|known| known.expected(day))
            .sum()
    }
}

/// What the owner has now.
///
/// The configured balance with every payment after it; or, when a statement told a newer one, the sum of the accounts whose
/// balance a statement told, each with its own later payments.
fn balance_now(book: &PaymentBook, owner: &OwnerProfile, currency: &str) -> Option<Decimal> {
    let told: Vec<BalanceRow> = book.balances().filter(|row| row.1 == currency).collect();
    let newest = told.iter().map(|row| Timestamp::from_ms(row.3)).max();
    let configured = balance_of(owner).filter(|balance| newest.is_none_or(|at| at <= balance.as_of));
    let paid = |since: Timestamp, account: Option<&str>| -> Option<Decimal> {
        if !book.is_whole_since(since) {
            return None;
        }
        book.iter()
            .map(|(_, txn)| txn)
            .filter(|txn| txn.currency == currency && txn.ts > since)
            .filter(|txn| account.is_none_or(|account| txn.account_last4 == account))
            .try_fold(Decimal::ZERO, |sum, txn| sum.checked_add(signed(txn)))
    };
    match configured {
        Some(balance) => balance.amount.checked_add(paid(balance.as_of, None)?),
        None if told.is_empty() => None,
        None => told.iter().try_fold(Decimal::ZERO, |sum, row| {
            let since = paid(Timestamp::from_ms(row.3), Some(&row.0))?;
            sum.checked_add(row.2)?.checked_add(since)
        }),
    }
}

/// What a payment adds to its account.
fn signed(txn: &BookedPayment) -> Decimal {
    match txn.direction {
        Direction::Debit | Direction::Fee => -txn.amount,
        Direction::Credit | Direction::Refund => txn.amount,
    }
}

/// The owner's balance. A currency of another shape would fail every result that names it.
fn balance_of(owner: &OwnerProfile) -> Option<&AccountBalance> {
    owner
        .balance
        .as_ref()
        .filter(|balance| is_currency(&balance.currency))
}

/// That of the balance, else the most frequent.
fn currency_of(by_frequency: &[&str], owner: &OwnerProfile) -> String {
    let of_balance = balance_of(owner).map(|balance| balance.currency.as_str());
    let currency = of_balance.or_else(|| by_frequency.first().copied());
    currency.unwrap_or(DEFAULT_CURRENCY).to_owned()
}

/// What was spent in, the most frequent first; of equally frequent ones the first by name.
fn currencies_by_frequency(book: &PaymentBook) -> Vec<&str> {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, txn) in book.iter().filter(|(_, txn)| txn.is_spend()) {
        *count.entry(&txn.currency).or_default() += 1;
    }
    let mut names: Vec<(&str, usize)> = count.into_iter().collect();
    names.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    names.into_iter().map(|(name, _)| name).collect()
}

fn uncategorized(book: &PaymentBook) -> (Vec<TxnId>, usize) {
    let mut open: Vec<(Timestamp, &TxnId)> = book
        .iter()
        .filter(|(_, txn)| !txn.categorized)
        .map(|(id, txn)| (txn.ts, id))
        .collect();
    open.sort_unstable();
    let ids = open
        .iter()
        .take(MAX_UNCATEGORIZED)
        .map(|(_, id)| (*id).clone())
        .collect();
    (ids, open.len())
}
