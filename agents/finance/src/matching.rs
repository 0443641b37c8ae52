//! Which claims are one payment, and which payments only went between the owner's own accounts.
//!
//! What: [`payments`] and [`transfers`], pure in the set they are given. Why: the same payment comes by message at once, by
//! statement weeks later and by journal at any time, and has to count once. The rules and why they are so: ADR 0036. Not
//! here: what a payment takes from which claim (`book`).

use super::{
    category,
    claim::{BookedPayment, NO_ACCOUNT, PaymentClaim, PaymentSource},
};
use agents_base::zone;
use chrono::NaiveDate;
use chrono_tz::Tz;
use rust_decimal::Decimal;
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::{
    Category,
    ids::{MerchantHash, SecretKey, TxnId},
    signal::Direction,
};

/// Days that a bank books after a payment, that two people's notes of one payment differ, and that a transfer takes.
const WINDOW_DAYS: i64 = 3;
/// Days that a bank may seem to book before a payment: two zones.
const EARLY_DAYS: i64 = 1;
/// Payments that a claim is compared with, of those of its amount within the window.
const MAX_COMPARED: usize = 128;

/// What hashes of merchants' names can still be told from each other.
#[derive(Debug)]
pub(super) struct MerchantMatcher {
    listed: BTreeSet<MerchantHash>,
    nobody: MerchantHash,
}

impl MerchantMatcher {
    /// Under the key of the installation.
    pub(super) fn new(key: &SecretKey) -> Self {
        Self {
            listed: category::merchants().map(|name| key.merchant(name)).collect(),
            nobody: key.merchant(""),
        }
    }

    /// Whether it is a merchant of the table.
    pub(super) fn listed(&self, merchant: &MerchantHash) -> bool {
        self.listed.contains(merchant)
    }

    /// Whether no merchant was named.
    pub(super) fn nobody(&self, merchant: &MerchantHash) -> bool {
        *merchant == self.nobody
    }

    /// Whether two claims may be of one merchant: not two different ones of the table, nor of two different categories.
    fn compatible(&self, a: &PaymentClaim, b: &PaymentClaim) -> bool {
        let listed = self.listed(&a.merchant) && self.listed(&b.merchant);
        let sorted = |category: Category| !matches!(category, Category::Other | Category::P2pTransfer);
        // A journal's category is the owner's word, not a guess from the name.
        let journal = a.source == PaymentSource::Journal || b.source == PaymentSource::Journal;
        let differ = !journal && sorted(a.category) && sorted(b.category) && a.category != b.category;
        a.merchant == b.merchant || !(listed || differ)
    }
}

/// A claim as it is compared.
#[derive(Clone, Copy)]
struct DatedClaim<'a> {
    id: &'a TxnId,
    claim: &'a PaymentClaim,
    day: NaiveDate,
}

/// The claims of one payment so far, at most one of each source, but for repeated messages.
struct ClaimGroup<'a>(Vec<DatedClaim<'a>>);

/// Claims in groups of one payment each.
///
/// Within claims of one currency, amount and way, source by source, each claim of a source is assigned to one payment that
/// no other claim of that source has, or becomes a payment of its own: first by reference, then by merchant, then by the
/// nearest day.
pub(super) fn payments(
    claims: &BTreeMap<TxnId, PaymentClaim>,
    names: &MerchantMatcher,
    zone: Tz,
) -> Vec<Vec<TxnId>> {
    let mut groups: BTreeMap<(&str, Decimal, bool), Vec<DatedClaim<'_>>> = BTreeMap::new();
    for (id, claim) in claims {
        let out = match claim.direction {
            Direction::Debit | Direction::Fee => true,
            Direction::Credit | Direction::Refund => false,
        };
        let day = zone::local_date(claim.ts, zone);
        groups
            .entry((&claim.currency, claim.amount, out))
            .or_default()
            .push(DatedClaim { id, claim, day });
    }
    let mut all = Vec::new();
    for mut group in groups.into_values() {
        group.sort_by_key(|item| (item.day, item.claim.ts, item.id));
        let mut payments: Vec<ClaimGroup<'_>> = Vec::new();
        for source in PaymentSource::ALL {
            let items: Vec<DatedClaim<'_>> = group
                .iter()
                .filter(|item| item.claim.source == source)
                .copied()
                .collect();
            if items.is_empty() {
                continue;
            }
            let (items, repeated) = are_distinct(items);
            assign(&mut payments, items, names);
            add_repeated(&mut payments, repeated, source);
        }
        all.extend(
            payments
                .into_iter()
                .map(|payment| payment.0.into_iter().map(|item| item.id.clone()).collect()),
        );
    }
    all
}

/// What a repeated message has in common with the one it repeats, besides the amount.
type RepeatKey<'a> = (NaiveDate, &'a str, &'a MerchantHash, &'static str);

fn repeat<'a>(item: &DatedClaim<'a>) -> RepeatKey<'a> {
    let claim = item.claim;
    (
        item.day,
        &claim.account_last4,
        &claim.merchant,
        claim.direction.as_str(),
    )
}

/// Messages without a reference that repeat one with a reference are no payments of their own. Lines of a statement are.
fn are_distinct(items: Vec<DatedClaim<'_>>) -> (Vec<DatedClaim<'_>>, Vec<DatedClaim<'_>>) {
    let known: BTreeSet<RepeatKey<'_>> = items
        .iter()
        .filter(|item| item.claim.reference.is_some())
        .map(repeat)
        .collect();
    items.into_iter().partition(|item| {
        item.claim.source.is_statement() || item.claim.reference.is_some() || !known.contains(&repeat(item))
    })
}

/// Adds repeated messages to the first payment that they repeat.
fn add_repeated<'a>(
    payments: &mut Vec<ClaimGroup<'a>>,
    repeated: Vec<DatedClaim<'a>>,
    source: PaymentSource,
) {
    let mut known: BTreeMap<RepeatKey<'a>, usize> = BTreeMap::new();
    if !repeated.is_empty() {
        for (p, payment) in payments.iter().enumerate() {
            for item in payment.0.iter().filter(|item| item.claim.source == source) {
                known.entry(repeat(item)).or_insert(p);
            }
        }
    }
    for item in repeated {
        match known.get(&repeat(&item)).and_then(|p| payments.get_mut(*p)) {
            Some(payment) => payment.0.push(item),
            None => payments.push(ClaimGroup(vec![item])),
        }
    }
}

/// Assigns the claims of one source, the best pairs first.
fn assign<'a>(payments: &mut Vec<ClaimGroup<'a>>, items: Vec<DatedClaim<'a>>, names: &MerchantMatcher) {
    payments.sort_by_key(|payment| payment.0.first().map(|item| (item.day, item.claim.ts, item.id)));
    let first_day = |payment: &ClaimGroup<'_>| payment.0.first().map(|item| item.day);
    let mut pairs: Vec<(bool, bool, u64, usize, usize)> = Vec::new();
    for (i, item) in items.iter().enumerate() {
        // A payment's first claim may itself be a window away from the one that fits.
        let near = payments.partition_point(|payment| {
            first_day(payment).is_some_and(|day| (item.day - day).num_days() > 2 * WINDOW_DAYS)
        });
        let within = |payment: &&ClaimGroup<'_>| {
            first_day(payment).is_some_and(|day| (day - item.day).num_days() <= 2 * WINDOW_DAYS)
        };
        for (p, payment) in payments.iter().enumerate().skip(near).take(MAX_COMPARED) {
            if !within(&payment) {
                break;
            }
            if let Some((reference, merchant, lag)) = fit(item, payment, names) {
                pairs.push((!reference, !merchant, lag, i, p));
            }
        }
    }
    pairs.sort_unstable();
    let mut assigned: BTreeMap<usize, usize> = BTreeMap::new();
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    for (_, _, _, i, p) in pairs {
        if !assigned.contains_key(&i) && taken.insert(p) {
            assigned.insert(i, p);
        }
    }
    for (i, item) in items.into_iter().enumerate() {
        match assigned.get(&i).and_then(|p| payments.get_mut(*p)) {
            Some(payment) => payment.0.push(item),
            None => payments.push(ClaimGroup(vec![item])),
        }
    }
}

/// How well a claim fits a payment: by reference, by merchant, and how many days apart. `None`: not at all.
fn fit(
    item: &DatedClaim<'_>,
    payment: &ClaimGroup<'_>,
    names: &MerchantMatcher,
) -> Option<(bool, bool, u64)> {
    let accounts = payment.0.iter().all(|of| {
        let (a, b) = (&item.claim.account_last4, &of.claim.account_last4);
        a == b || a == NO_ACCOUNT || b == NO_ACCOUNT
    });
    let both =
        |of: &DatedClaim<'_>| item.claim.reference.is_some() && item.claim.reference == of.claim.reference;
    let reference = payment.0.iter().any(both);
    let merchant = payment
        .0
        .iter()
        .any(|of| of.claim.merchant == item.claim.merchant && !names.nobody(&of.claim.merchant));
    let compatible = payment.0.iter().all(|of| names.compatible(item.claim, of.claim));
    let lag = payment.0.iter().filter_map(|of| days_apart(item, of)).min()?;
    (accounts && (reference || merchant || compatible)).then_some((reference, merchant, lag))
}

/// The days between two claims of one payment, where it can be one. A bank books up to three days after the payment, not
/// before it.
fn days_apart(a: &DatedClaim<'_>, b: &DatedClaim<'_>) -> Option<u64> {
    let lag = match (a.claim.source.is_statement(), b.claim.source.is_statement()) {
        (true, false) => (a.day - b.day).num_days(),
        (false, true) => (b.day - a.day).num_days(),
        (true, true) | (false, false) => (a.day - b.day).num_days().abs(),
    };
    (-EARLY_DAYS..=WINDOW_DAYS).contains(&lag).then_some(if lag < 0 {
        WINDOW_DAYS.unsigned_abs() + lag.unsigned_abs()
    } else {
        lag.unsigned_abs()
    })
}

/// One side of what may be a transfer.
type TransferLeg<'a> = (NaiveDate, &'a TxnId, &'a BookedPayment);

/// The payments that went from one own account to another: a debit of the one and a credit of the other, of one amount,
/// within three days; the nearest first.
pub(super) fn transfers(txns: &BTreeMap<TxnId, BookedPayment>, own: &BTreeSet<&str>, zone: Tz) -> Vec<TxnId> {
    let mut groups: BTreeMap<(&str, Decimal), [Vec<TransferLeg<'_>>; 2]> = BTreeMap::new();
    for (id, txn) in txns
        .iter()
        .filter(|(_, txn)| own.contains(txn.account_last4.as_str()))
    {
        let [out, back] = groups.entry((&txn.currency, txn.amount)).or_default();
        let day = zone::local_date(txn.ts, zone);
        match txn.direction {
            Direction::Debit => out.push((day, id, txn)),
            Direction::Credit => back.push((day, id, txn)),
            Direction::Refund | Direction::Fee => {}
        }
    }
    let mut found = Vec::new();
    for [mut out, mut back] in groups.into_values() {
        // By what they are first: which of two equal ones has the lesser id depends on what was told when.
        let order = |(day, id, txn): &TransferLeg<'_>| {
            let BookedPayment {
                ts,
                merchant,
                account_last4,
                category,
                categorized,
                ..
            } = txn;
            (
                *day,
                *ts,
                merchant.clone(),
                account_last4.clone(),
                *category,
                *categorized,
                (*id).clone(),
            )
        };
        out.sort_by_cached_key(order);
        back.sort_by_cached_key(order);
        let mut pairs = Vec::new();
        for (o, (day, _, txn)) in out.iter().enumerate() {
            let near = back.partition_point(|(on, ..)| (*day - *on).num_days() > WINDOW_DAYS);
            for (b, (on, _, to)) in back.iter().enumerate().skip(near).take(MAX_COMPARED) {
                let lag = (*on - *day).num_days().abs();
                if lag <= WINDOW_DAYS && txn.account_last4 != to.account_last4 {
                    pairs.push((lag, o, b));
                }
            }
        }
        pairs.sort_unstable();
        let (mut gone, mut come) = (BTreeSet::new(), BTreeSet::new());
        for (_, o, b) in pairs {
            if !gone.contains(&o) && !come.contains(&b) {
                gone.insert(o);
                come.insert(b);
            }
        }
        let ids = |side: &[TransferLeg<'_>], chosen: &BTreeSet<usize>| -> Vec<TxnId> {
            chosen
                .iter()
                .filter_map(|i| side.get(*i).map(|(_, id, _)| (*id).clone()))
                .collect()
        };
        found.extend(ids(&out, &gone));
        found.extend(ids(&back, &come));
    }
    found
}
