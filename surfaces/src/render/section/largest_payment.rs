//! A payment of the last seven days that is far above all others.
//!
//! What: [`largest_payments`], of each currency one at most, whatever it was for. Why: what was paid for on few days has no usual day to be compared with, and
//! must not hide a payment that is far outside of everything. Not here: days by category (`unusual_known`), what Finance proposes.

use chrono::{Days, NaiveDate};
use chrono_tz::Tz;
use rust_decimal::{Decimal, RoundingStrategy};
use std::collections::BTreeMap;
use surfaces_base::{backend::KeptPayment, format};
use toolcall_schema::{Category, ids::MerchantHash, money::MoneyFlow};

/// The days that are told of.
const TOLD_DAYS: u64 = 7;
/// Days before a payment that it is compared with.
const BEFORE_DAYS: u64 = 90;
/// So many others have to be known in so many days before it.
const MIN_KNOWN: usize = 20;
const KNOWN_IN_DAYS: u64 = 30;
/// It is so many times the next largest.
const MIN_TIMES: Decimal = Decimal::from_parts(3, 0, 0, false, 0);

/// The days whose payments are wanted, with today.
pub(crate) const COMPARED_DAYS: u64 = BEFORE_DAYS + TOLD_DAYS;

/// A payment that is far above all others of its currency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LargestPayment {
    pub(crate) day: NaiveDate,
    pub(crate) amount: Decimal,
    pub(crate) currency: String,
    pub(crate) category: Category,
    pub(crate) merchant: MerchantHash,
    /// How many days before it are known, of [`BEFORE_DAYS`].
    pub(crate) days: u32,
    /// How many times the next largest it is, to a tenth.
    pub(crate) times: Decimal,
}

/// Those of the last seven days, the newest first, by the payments of the last [`COMPARED_DAYS`].
pub(crate) fn largest_payments(payments: &[KeptPayment], today: NaiveDate, zone: Tz) -> Vec<LargestPayment> {
    let mut spent: BTreeMap<&str, Vec<(NaiveDate, &KeptPayment)>> = BTreeMap::new();
    let is_out = |payment: &&KeptPayment| payment.amount.flow() == Some(MoneyFlow::Out);
    for payment in payments.iter().filter(is_out) {
        let day = format::local_date(payment.at, zone);
        spent.entry(&payment.currency).or_default().push((day, payment));
    }
    let largest = spent.values().filter_map(|spent| largest_of(spent, today));
    let mut largest: Vec<LargestPayment> = largest.collect();
    largest.sort_by_key(|one| std::cmp::Reverse(one.day));
    largest
}

/// That of one currency.
fn largest_of(spent: &[(NaiveDate, &KeptPayment)], today: NaiveDate) -> Option<LargestPayment> {
    let before = |day: NaiveDate, days: u64| day.checked_sub_days(Days::new(days)).unwrap_or(day);
    let lately = before(today, TOLD_DAYS - 1);
    let size = |(_, payment): &&(NaiveDate, &KeptPayment)| payment.amount.size();
    let told = spent.iter().filter(|(day, _)| (lately..=today).contains(day));
    let (day, payment) = *told.max_by_key(size)?;
    let compared = || {
        let others = spent
            .iter()
            .filter(move |(_, other)| !std::ptr::eq(*other, payment));
        others.filter(move |(on, _)| *on >= before(day, BEFORE_DAYS))
    };
    let known = compared().filter(|(on, _)| (before(day, KNOWN_IN_DAYS)..day).contains(on));
    let next = compared().map(|other| size(&other)).max()?;
    let times = payment.amount.size().checked_div(next)?;
    if known.count() < MIN_KNOWN || times < MIN_TIMES {
        return None;
    }
    let first = compared().map(|(on, _)| *on).min()?;
    Some(LargestPayment {
        day,
        amount: payment.amount.size(),
        currency: payment.currency.clone(),
        category: payment.category,
        merchant: payment.merchant.clone(),
        days: u32::try_from((day - first).num_days()).unwrap_or_default(),
        times: times
            .round_dp_with_strategy(1, RoundingStrategy::MidpointAwayFromZero)
            .normalize(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolcall_schema::Timestamp;

    fn paid(on: NaiveDate, amount: &str, category: Category) -> KeptPayment {
        KeptPayment {
            at: Timestamp::parse(&format!("{on}T06:30:00Z")).unwrap(),
            amount: amount.parse().unwrap(),
            currency: "EUR".to_owned(),
            merchant: MerchantHash::parse("mh_0000000000000001").unwrap(),
            category,
            account_last4: String::new(),
        }
    }

    #[test]
    fn a_payment_far_above_all_others_is_told_whatever_it_was_for() {
        let today = NaiveDate::from_ymd_opt(2026, 11, 10).unwrap();
        let back = |days| today - Days::new(days);
        // On each of the days 3 to 22 before today 80, a rent of 1,100 on the 92nd, 90 days before the dentist's.
        let usual = |count: u64| {
            let mut all: Vec<KeptPayment> = (3..3 + count)
                .map(|days| paid(back(days), "-80", Category::Groceries))
                .collect();
            all.push(paid(back(92), "-1100", Category::Rent));
            all
        };
        let found = |payments: &[KeptPayment]| {
            let found = largest_payments(payments, today, Tz::UTC);
            found
                .iter()
                .map(|one| (one.day, one.times.to_string(), one.days))
                .collect::<Vec<_>>()
        };
        let with = |count, others: &[KeptPayment]| {
            let mut all = usual(count);
            all.extend(others.iter().cloned());
            found(&all)
        };
        let dentist = |amount: &str| paid(back(2), amount, Category::Health);
        // 6,000 / 1,100 = 5.4545…
        assert_eq!(with(20, &[dentist("-6000")]), [(back(2), "5.5".to_owned(), 90)]);
        assert_eq!(with(20, &[dentist("-3300")]), [(back(2), "3".to_owned(), 90)]);
        assert_eq!(with(20, &[dentist("-3299.99")]), []);
        // Too little is known, it came in, or it was eight days ago.
        assert_eq!(with(19, &[dentist("-6000")]), []);
        assert_eq!(with(20, &[dentist("+6000")]), []);
        assert_eq!(with(20, &[paid(back(7), "-6000", Category::Health)]), []);
        // Another one as large, also after it.
        assert_eq!(
            with(20, &[dentist("-6000"), paid(today, "-2100", Category::Travel)]),
            []
        );
        // One of another currency is compared with its own alone.
        let dollars = KeptPayment {
            currency: "USD".to_owned(),
            ..dentist("-9000")
        };
        assert_eq!(with(20, &[dentist("-6000"), dollars]).len(), 1);
        // Older than 90 days before it.
        let mut older = usual(20);
        older.push(dentist("-6000"));
        older.push(paid(back(93), "-5900", Category::Travel));
        assert_eq!(found(&older), [(back(2), "5.5".to_owned(), 90)]);
        assert_eq!(found(&[]), []);
    }
}
