//! What went from one own account to another.
//!
//! What: [`split_transfers`], which takes such pairs out of payments. Why: what stays the owner's is neither spent nor earned. Not here: Finance's own, which also knows the
//! accounts of statements (`agents`); memory keeps both sides of a transfer like any payment.

use super::spending;
use chrono::NaiveDate;
use chrono_tz::Tz;
use rust_decimal::Decimal;
use std::collections::{BTreeMap, BTreeSet};
use surfaces_base::{backend::KeptPayment, format};
use toolcall_schema::money::MoneyFlow;

/// Days between the two sides of a transfer.
pub(crate) const TRANSFER_DAYS: i64 = 3;
/// Sides that are compared with one other.
const COMPARED_MAX: usize = 64;

/// Payments and transfers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SplitPayments {
    /// In the order in which they came, without the transfers between own accounts.
    pub payments: Vec<KeptPayment>,
    pub transfers: Vec<OwnTransfer>,
    /// Pairs that look like one, where the owner did not say that both accounts are hers; these are among the payments.
    pub likely: Vec<OwnTransfer>,
}

/// A sum that left one account and came to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OwnTransfer {
    /// When it left.
    pub out: KeptPayment,
    /// When it came.
    pub into: KeptPayment,
}

/// Takes the transfers out: of one amount and currency, out of one account and into another, at most three days apart, the nearest first, each payment in one
/// transfer at most. `own`: the last four digits of the owner's accounts.
#[must_use]
pub(crate) fn split_transfers(payments: Vec<KeptPayment>, own: &BTreeSet<String>, zone: Tz) -> SplitPayments {
    let day = |payment: &KeptPayment| format::local_date(payment.at, zone);
    let is_named = |payment: &KeptPayment| {
        spending::is_named(&payment.account_last4) && !payment.amount.size().is_zero()
    };
    let mut groups: BTreeMap<(&str, Decimal), TransferSides> = BTreeMap::new();
    for (place, payment) in payments.iter().enumerate().filter(|(_, one)| is_named(one)) {
        let sides = groups
            .entry((&payment.currency, payment.amount.size().normalize()))
            .or_default();
        match payment.amount.flow() {
            Some(MoneyFlow::Out) => sides.out.push((day(payment), place)),
            Some(MoneyFlow::In) => sides.into.push((day(payment), place)),
            None => {}
        }
    }
    let account = |place: usize| payments.get(place).map_or("", |one| one.account_last4.as_str());
    let is_own = |place: usize| own.contains(account(place));
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for sides in groups.into_values() {
        // What is known to be a transfer is taken before what only looks like one.
        pairs.extend(
            sides.pairs(|out, into| (account(out) != account(into)).then(|| !(is_own(out) && is_own(into)))),
        );
    }
    let taken: BTreeSet<usize> = pairs
        .iter()
        .filter(|(out, into)| is_own(*out) && is_own(*into))
        .flat_map(|(out, into)| [*out, *into])
        .collect();
    let mut found = SplitPayments::default();
    for (out, into) in pairs {
        let known = is_own(out) && is_own(into);
        let pair = payments.get(out).zip(payments.get(into));
        let Some((out, into)) = pair.map(|(out, into)| (out.clone(), into.clone())) else {
            continue;
        };
        let transfer = OwnTransfer { out, into };
        if known {
            found.transfers.push(transfer);
        } else {
            found.likely.push(transfer);
        }
    }
    for list in [&mut found.transfers, &mut found.likely] {
        list.sort_by_key(|one| std::cmp::Reverse(one.out.at));
    }
    let rest = payments.into_iter().enumerate();
    found.payments = rest
        .filter(|(place, _)| !taken.contains(place))
        .map(|(_, payment)| payment)
        .collect();
    found
}

/// What left and what came of one amount, by day and place.
#[derive(Default)]
struct TransferSides {
    out: Vec<(NaiveDate, usize)>,
    into: Vec<(NaiveDate, usize)>,
}

impl TransferSides {
    /// The pairs. `rank`: `None`, these are none; else the lesser comes first.
    fn pairs<R: Ord>(mut self, rank: impl Fn(usize, usize) -> Option<R>) -> Vec<(usize, usize)> {
        self.out.sort_unstable();
        self.into.sort_unstable();
        let mut near = Vec::new();
        for (day, out) in &self.out {
            let from = self
                .into
                .partition_point(|(on, _)| (*day - *on).num_days() > TRANSFER_DAYS);
            let within = self.into.iter().skip(from).take(COMPARED_MAX);
            for (on, into) in within.take_while(|(on, _)| (*on - *day).num_days() <= TRANSFER_DAYS) {
                if let Some(rank) = rank(*out, *into) {
                    near.push((rank, (*on - *day).num_days().abs(), *out, *into));
                }
            }
        }
        near.sort_unstable();
        let (mut gone, mut come) = (BTreeSet::new(), BTreeSet::new());
        let mut pairs = Vec::new();
        for (.., out, into) in near {
            if !gone.contains(&out) && !come.contains(&into) {
                gone.insert(out);
                come.insert(into);
                pairs.push((out, into));
            }
        }
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolcall_schema::{Category, Timestamp, ids::MerchantHash};

    fn payment(on: &str, amount: &str, account: &str) -> KeptPayment {
        KeptPayment {
            at: Timestamp::parse(&format!("{on}T12:00:00Z")).unwrap(),
            amount: amount.parse().unwrap(),
            currency: "EUR".to_owned(),
            merchant: MerchantHash::parse("mh_0000000000000001").unwrap(),
            category: Category::Other,
            account_last4: account.to_owned(),
        }
    }

    /// How many are left, are transfers, and look like one.
    fn count(payments: &[KeptPayment], own: &[&str]) -> [usize; 3] {
        let own = own.iter().map(|one| (*one).to_owned()).collect();
        let found = split_transfers(payments.to_vec(), &own, Tz::UTC);
        [found.payments.len(), found.transfers.len(), found.likely.len()]
    }

    #[test]
    fn own_account_to_own_account_within_three_days_is_no_payment() {
        let own = &["1122", "3344"];
        for (out, into, expected) in [
            (
                ("2026-11-02", "-500", "1122"),
                ("2026-11-05", "+500.00", "3344"),
                [0, 1, 0],
            ),
            (
                ("2026-11-05", "-500", "1122"),
                ("2026-11-02", "+500", "3344"),
                [0, 1, 0],
            ),
            // A day too many, another amount, the same account, the same way, an account of somebody else, one that was not named.
            (
                ("2026-11-02", "-500", "1122"),
                ("2026-11-06", "+500", "3344"),
                [2, 0, 0],
            ),
            (
                ("2026-11-02", "-500", "1122"),
                ("2026-11-02", "+500.01", "3344"),
                [2, 0, 0],
            ),
            (
                ("2026-11-02", "-500", "1122"),
                ("2026-11-02", "+500", "1122"),
                [2, 0, 0],
            ),
            (
                ("2026-11-02", "-500", "1122"),
                ("2026-11-02", "-500", "3344"),
                [2, 0, 0],
            ),
            (
                ("2026-11-02", "-500", "1122"),
                ("2026-11-02", "+500", "9999"),
                [2, 0, 1],
            ),
            (
                ("2026-11-02", "-500", "1122"),
                ("2026-11-02", "+500", "0000"),
                [2, 0, 0],
            ),
            (
                ("2026-11-02", "-500", "1122"),
                ("2026-11-02", "500", "3344"),
                [2, 0, 0],
            ),
        ] {
            let payments = [out, into].map(|(on, amount, account)| payment(on, amount, account));
            assert_eq!(count(&payments, own), expected, "{out:?} {into:?}");
        }
        let mut foreign = [
            payment("2026-11-02", "-500", "1122"),
            payment("2026-11-02", "+500", "3344"),
        ];
        foreign[1].currency = "USD".to_owned();
        assert_eq!(count(&foreign, own), [2, 0, 0]);
    }

    #[test]
    fn each_side_is_in_one_transfer_and_the_nearest_goes_with_it() {
        let payments = [
            payment("2026-11-01", "+500", "3344"),
            payment("2026-11-02", "-500", "1122"),
            payment("2026-11-02", "+500", "3344"),
        ];
        let own = ["1122", "3344"].map(str::to_owned).into();
        let found = split_transfers(payments.to_vec(), &own, Tz::UTC);
        assert_eq!(found.payments, payments[..1]);
        assert_eq!(
            found.transfers,
            [OwnTransfer {
                out: payments[1].clone(),
                into: payments[2].clone()
            }]
        );
        // A stranger's on the same day does not take it.
        let mut stranger = payments.clone();
        stranger[2].account_last4 = "9999".to_owned();
        assert_eq!(count(&stranger, &["1122", "3344"]), [1, 1, 0]);
    }

    #[test]
    fn ten_thousand_of_one_day_are_paired_once_each() {
        let mut payments: Vec<KeptPayment> =
            (0..5_000).map(|_| payment("2026-11-02", "-5", "1122")).collect();
        payments.extend((0..5_000).map(|_| payment("2026-11-02", "+5", "3344")));
        let [left, transfers, likely] = count(&payments, &["1122", "3344"]);
        assert_eq!(left + 2 * transfers, 10_000);
        assert_eq!(likely, 0);
        assert!(transfers > 0);
    }
}
