//! What Finance keeps, and what it computes from it.
//!
//! What: [`Book`], the transactions of the last 120 days without a word of text; [`View`], the same by local day.
//! Why: a tick must not walk through every transaction. Not here: statistics (`stats`), reading (`sources`).

use super::{category, sources};
use crate::{
    agent::{Balance, Owner},
    zone,
};
use chrono::{Datelike, Days, NaiveDate};
use chrono_tz::Tz;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::{
    Category, Timestamp,
    forget::Forget,
    ids::{Key, MerchantHash, TxnId},
    signal::Direction,
};

/// Days a transaction is kept.
const KEEP_DAYS: i64 = 120;
/// Transactions that are kept; beyond it the oldest go.
const MAX_TXNS: usize = 20_000;
/// Uncategorized transactions that one `categorize` call may name (its schema).
const MAX_UNCATEGORIZED: usize = 512;
/// Days in which a rent or subscription must have been paid twice to be expected again.
const RECURRING_DAYS: u64 = 60;
/// Days that a day may be compared with.
const MAX_WINDOW_DAYS: u32 = 90;
/// The currency when the owner named no balance and nothing was spent yet.
const DEFAULT_CURRENCY: &str = "INR";

/// One transaction: the six fields that may be kept, its direction, and whether its category was given out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Txn {
    pub(super) merchant: MerchantHash,
    /// More than 0.
    pub(super) amount: Decimal,
    pub(super) currency: String,
    pub(super) account_last4: String,
    pub(super) ts: Timestamp,
    /// By the table of merchants.
    pub(super) category: Category,
    /// Whether `categorize` gave the category out, or a program sorted it before us.
    pub(super) categorized: bool,
    pub(super) direction: Direction,
}

impl Txn {
    /// Debits and fees are spending; credits and refunds are not.
    pub(super) fn is_spend(&self) -> bool {
        match self.direction {
            Direction::Debit | Direction::Fee => true,
            Direction::Credit | Direction::Refund => false,
        }
    }
}

/// A transaction in the state: (id, merchant, amount, currency, account, milliseconds, category, categorized, direction).
/// A row without names, because thousands of them must fit into 1 MiB.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Row(
    TxnId,
    MerchantHash,
    #[serde(with = "rust_decimal::serde::str")] Decimal,
    String,
    String,
    i64,
    Category,
    bool,
    Direction,
);

impl Row {
    /// Whether it has to be forgotten.
    pub(super) fn goes(&self, what: &Forget) -> bool {
        let Row(id, merchant, _, _, _, ms, ..) = self;
        what.time(Timestamp::from_ms(*ms)) || what.thing(id.as_str()) || what.thing(merchant.as_str())
    }
}

/// The transactions, by id.
#[derive(Debug, Default)]
pub(super) struct Book {
    txns: BTreeMap<TxnId, Txn>,
    /// The identity of each transaction without the bank's reference.
    plain: BTreeSet<TxnId>,
}

/// What [`Book::enter`] did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Entered {
    /// It is new.
    New(TxnId),
    /// It was known already, by this id: nothing changed.
    Known(TxnId),
    /// It is older than what is kept.
    TooOld,
}

impl Book {
    /// Enters a payment, once. Its identity is (account, amount, currency, direction, local date, merchant) and the
    /// bank's reference; one of two that has no reference is the same payment as the other.
    pub(super) fn enter(&mut self, found: sources::Found, key: &Key, zone: Tz, at: Timestamp) -> Entered {
        if found.ts < oldest(at) {
            return Entered::TooOld;
        }
        let txn = Txn {
            merchant: key.merchant(&found.merchant),
            category: category::category(&found.merchant, found.amount),
            amount: found.amount,
            currency: found.currency,
            account_last4: found.account_last4,
            ts: found.ts,
            categorized: found.categorized,
            direction: found.direction,
        };
        let base = identity(&txn, zone);
        let plain = key.txn(&base);
        let (id, known) = match found.reference {
            None => (plain.clone(), self.plain.contains(&plain)),
            Some(reference) => {
                let id = key.txn(&format!("{base}|{reference}"));
                let known = self.txns.contains_key(&id) || self.txns.contains_key(&plain);
                (id, known)
            }
        };
        if known {
            let by = if self.txns.contains_key(&id) { id } else { plain };
            return Entered::Known(by);
        }
        self.plain.insert(plain);
        self.txns.insert(id.clone(), txn);
        Entered::New(id)
    }

    /// Forgets what is older than 120 days, and the oldest above 20 000. True when something went.
    pub(super) fn prune(&mut self, at: Timestamp, key: &Key, zone: Tz) -> bool {
        let before = self.txns.len();
        let oldest = oldest(at);
        self.txns.retain(|_, txn| txn.ts >= oldest);
        if self.txns.len() > MAX_TXNS {
            let kept: BTreeSet<TxnId> = self.newest().take(MAX_TXNS).map(|(id, _)| id.clone()).collect();
            self.txns.retain(|id, _| kept.contains(id));
        }
        let gone = self.txns.len() != before;
        if gone {
            self.plain = plain_of(&self.txns, key, zone);
        }
        gone
    }

    /// Every transaction with its id.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&TxnId, &Txn)> {
        self.txns.iter()
    }

    /// One transaction.
    pub(super) fn get(&self, id: &TxnId) -> Option<&Txn> {
        self.txns.get(id)
    }

    /// Gives a transaction's category out. `None` when it is not known.
    pub(super) fn categorize(&mut self, id: &TxnId) -> Option<Category> {
        let txn = self.txns.get_mut(id)?;
        txn.categorized = true;
        Some(txn.category)
    }

    fn newest(&self) -> impl Iterator<Item = (&TxnId, &Txn)> {
        let mut all: Vec<_> = self.txns.iter().collect();
        all.sort_by_key(|(id, txn)| (std::cmp::Reverse(txn.ts), *id));
        all.into_iter()
    }

    /// The newest transactions as rows of the state, whose JSON is at most `max_bytes` long.
    pub(super) fn rows(&self, max_bytes: usize) -> Vec<Row> {
        let mut left = max_bytes;
        self.newest()
            .map(|(id, txn)| {
                Row(
                    id.clone(),
                    txn.merchant.clone(),
                    txn.amount,
                    txn.currency.clone(),
                    txn.account_last4.clone(),
                    txn.ts.ms(),
                    txn.category,
                    txn.categorized,
                    txn.direction,
                )
            })
            .take_while(|row| {
                let bytes = serde_json::to_vec(row).map_or(usize::MAX, |json| json.len() + 1);
                let fits = bytes <= left;
                left = left.saturating_sub(bytes);
                fits
            })
            .collect()
    }

    /// The book of some rows; those with an amount that no source could have given are left out.
    pub(super) fn of_rows(rows: Vec<Row>, key: &Key, zone: Tz) -> Self {
        let txns: BTreeMap<TxnId, Txn> = rows
            .into_iter()
            .filter(|row| sources::believable(row.2).is_some())
            .map(
                |Row(id, merchant, amount, currency, account_last4, ms, category, categorized, direction)| {
                    let txn = Txn {
                        merchant,
                        amount,
                        currency,
                        account_last4,
                        ts: Timestamp::from_ms(ms),
                        category,
                        categorized,
                        direction,
                    };
                    (id, txn)
                },
            )
            .collect();
        let plain = plain_of(&txns, key, zone);
        Self { txns, plain }
    }
}

fn oldest(at: Timestamp) -> Timestamp {
    at.plus_min(-KEEP_DAYS * 24 * 60)
}

fn plain_of(txns: &BTreeMap<TxnId, Txn>, key: &Key, zone: Tz) -> BTreeSet<TxnId> {
    txns.values().map(|txn| key.txn(&identity(txn, zone))).collect()
}

/// What a payment is known by, without the bank's reference.
fn identity(txn: &Txn, zone: Tz) -> String {
    format!(
        "{}|{}|{}|{}|{}|{}",
        txn.account_last4,
        txn.amount.normalize(),
        txn.currency,
        txn.direction,
        zone::local_date(txn.ts, zone),
        txn.merchant
    )
}

/// The transactions by local day, in the one currency that is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct View {
    /// The balance's currency, else the most frequent.
    pub(super) currency: String,
    /// The local day of the first transaction that is kept.
    pub(super) first_day: Option<NaiveDate>,
    /// Spending by local day and category.
    pub(super) spend: BTreeMap<NaiveDate, BTreeMap<Category, Decimal>>,
    /// Uncategorized transactions of any currency: the oldest 512, and how many there are.
    pub(super) uncategorized: (Vec<TxnId>, usize),
    /// Rents and subscriptions: what was paid to whom on which days, oldest first.
    recurring: BTreeMap<MerchantHash, Vec<(NaiveDate, Decimal)>>,
    /// The balance now: the owner's, with the transactions after it applied. `None` when there is none.
    pub(super) balance: Option<Decimal>,
}

impl View {
    /// The view of a book.
    pub(super) fn of(book: &Book, owner: &Owner) -> Self {
        let currency = currency_of(book, owner);
        let mut view = View {
            first_day: None,
            spend: BTreeMap::new(),
            uncategorized: uncategorized(book),
            recurring: BTreeMap::new(),
            balance: balance_of(owner).map(|balance| balance.amount),
            currency,
        };
        for (_, txn) in book.iter().filter(|(_, txn)| txn.currency == view.currency) {
            let day = zone::local_date(txn.ts, owner.zone);
            view.first_day = Some(view.first_day.map_or(day, |first| first.min(day)));
            let signed = if txn.is_spend() { -txn.amount } else { txn.amount };
            if balance_of(owner).is_some_and(|balance| txn.ts > balance.as_of) {
                view.balance = view.balance.and_then(|balance| balance.checked_add(signed));
            }
            if !txn.is_spend() {
                continue;
            }
            // At most 20 000 amounts of at most 10^12: no sum comes near the limit of the decimals.
            *view
                .spend
                .entry(day)
                .or_default()
                .entry(txn.category)
                .or_default() += txn.amount;
            if matches!(txn.category, Category::Rent | Category::Subscriptions) {
                view.recurring
                    .entry(txn.merchant.clone())
                    .or_default()
                    .push((day, txn.amount));
            }
        }
        for paid in view.recurring.values_mut() {
            paid.sort_unstable();
        }
        view
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
        let first = self.first_day;
        (1..=u64::from(window.min(MAX_WINDOW_DAYS)))
            .map_while(move |back| day.checked_sub_days(Days::new(back)))
            .take_while(move |date| first.is_some_and(|first| *date >= first))
    }

    /// Rents and subscriptions that are still to be paid in the month of `day`: seen at least twice in 60 days, not yet
    /// in this month; each at its last amount.
    pub(super) fn scheduled(&self, day: NaiveDate) -> Decimal {
        let since = day.checked_sub_days(Days::new(RECURRING_DAYS)).unwrap_or(day);
        self.recurring
            .values()
            .filter_map(|paid| {
                let recent: Vec<&(NaiveDate, Decimal)> =
                    paid.iter().filter(|(on, _)| *on > since && *on <= day).collect();
                let (last_on, last) = recent.last()?;
                let this_month = last_on.year() == day.year() && last_on.month() == day.month();
                (recent.len() >= 2 && !this_month).then_some(*last)
            })
            .sum()
    }
}

/// The owner's balance. A currency of another shape would fail every result that names it.
fn balance_of(owner: &Owner) -> Option<&Balance> {
    owner
        .balance
        .as_ref()
        .filter(|balance| sources::is_currency(&balance.currency))
}

fn currency_of(book: &Book, owner: &Owner) -> String {
    if let Some(balance) = balance_of(owner) {
        return balance.currency.clone();
    }
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, txn) in book.iter().filter(|(_, txn)| txn.is_spend()) {
        *count.entry(&txn.currency).or_default() += 1;
    }
    // Of equally frequent ones the first by name.
    count
        .into_iter()
        .max_by_key(|(name, n)| (*n, std::cmp::Reverse(*name)))
        .map_or_else(|| DEFAULT_CURRENCY.to_owned(), |(name, _)| name.to_owned())
}

fn uncategorized(book: &Book) -> (Vec<TxnId>, usize) {
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
