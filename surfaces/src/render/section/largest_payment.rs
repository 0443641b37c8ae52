//! A payment of the last seven days that is far above all others.
//!
//! What: [`largest_payments`], of each currency one at most, whatever it was for. Why: what was paid for on few days has no usual day to be compared with, and
//! must not hide a payment that is far outside of everything; nor must a rent, which is as large and comes every month. Not here: days by category (`unusual_known`), what Finance proposes.

use chrono::{Days, NaiveDate};
use chrono_tz::Tz;
use rust_decimal::{Decimal, RoundingStrategy};
use std::collections::{BTreeMap, BTreeSet};
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

/// Whoever is paid no more often than this, about the same each time, is paid a bill.
const BILL_DAYS: i64 = 25;
/// About the same: the largest is at most so many times the smallest.
const SAME_TIMES: Decimal = Decimal::from_parts(15, 0, 0, false, 1);

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
    /// Whether bills were left aside.
    pub(crate) is_beside_bills: bool,
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

/// Who was paid twice or more, each time [`BILL_DAYS`] or more after the time before, and about the same.
fn find_billers(spent: &[(NaiveDate, &KeptPayment)]) -> BTreeSet<MerchantHash> {
    let mut paid: BTreeMap<&MerchantHash, Vec<(NaiveDate, Decimal)>> = BTreeMap::new();
    for (day, payment) in spent {
        let paid = paid.entry(&payment.merchant).or_default();
        paid.push((*day, payment.amount.size()));
    }
    let is_bill = |paid: &mut Vec<(NaiveDate, Decimal)>| {
        paid.sort_unstable();
        let mut gaps = paid.iter().zip(paid.iter().skip(1));
        let sums = || paid.iter().map(|(_, sum)| *sum);
        let is_same = sums().max() <= sums().min().and_then(|least| least.checked_mul(SAME_TIMES));
        paid.len() > 1 && is_same && gaps.all(|((one, _), (next, _))| (*next - *one).num_days() >= BILL_DAYS)
    };
    paid.into_iter()
        .filter_map(|(merchant, mut paid)| is_bill(&mut paid).then(|| merchant.clone()))
        .collect()
}

/// That of one currency.
fn largest_of(spent: &[(NaiveDate, &KeptPayment)], today: NaiveDate) -> Option<LargestPayment> {
    let before = |day: NaiveDate, days: u64| day.checked_sub_days(Days::new(days)).unwrap_or(day);
    let lately = before(today, TOLD_DAYS - 1);
    let size = |(_, payment): &&(NaiveDate, &KeptPayment)| payment.amount.size();
    let billers = find_billers(spent);
    let is_bill = |(_, payment): &&(NaiveDate, &KeptPayment)| billers.contains(&payment.merchant);
    let told = spent.iter().filter(|(day, _)| (lately..=today).contains(day));
    let (day, payment) = *told.filter(|one| !is_bill(one)).max_by_key(size)?;
    let known = || {
        let others = spent
            .iter()
            .filter(move |(_, other)| !std::ptr::eq(*other, payment));
        others.filter(move |(on, _)| *on >= before(day, BEFORE_DAYS))
    };
    let recent = known().filter(|(on, _)| (before(day, KNOWN_IN_DAYS)..day).contains(on));
    let next = known()
        .filter(|one| !is_bill(one))
        .map(|other| size(&other))
        .max()?;
    let times = payment.amount.size().checked_div(next)?;
    if recent.count() < MIN_KNOWN || times < MIN_TIMES {
        return None;
    }
    let first = known().map(|(on, _)| *on).min()?;
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
        is_beside_bills: known().any(|one| is_bill(&one)),
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

    #[test]
    fn a_rent_of_every_month_hides_nothing_and_is_not_told_itself() {
        let today = NaiveDate::from_ymd_opt(2026, 11, 30).unwrap();
        let back = |days| today - Days::new(days);
        let to = |merchant: &str, payment: KeptPayment| KeptPayment {
            merchant: MerchantHash::parse(merchant).unwrap(),
            ..payment
        };
        let (landlord, jeweller) = ("mh_0000000000000002", "mh_0000000000000003");
        let mut all: Vec<KeptPayment> = (3..23)
            .map(|days| paid(back(days), "-40", Category::Groceries))
            .collect();
        // The 1st of October and of November.
        for days in [60, 29] {
            all.push(to(landlord, paid(back(days), "-890", Category::Rent)));
        }
        all.push(to(jeweller, paid(back(1), "-900", Category::Other)));
        let found = largest_payments(&all, today, Tz::UTC);
        let told: Vec<_> = found
            .iter()
            .map(|one| (one.day, one.times.to_string(), one.is_beside_bills))
            .collect();
        assert_eq!(told, [(back(1), "22.5".to_owned(), true)]);
        // Nor is a shop where little was bought before.
        let mut shop = all.clone();
        shop.push(to(jeweller, paid(back(40), "-20", Category::Other)));
        assert_eq!(largest_payments(&shop, today, Tz::UTC).len(), 1);
        // Paid today, the third time.
        all.push(to(landlord, paid(today, "-890", Category::Rent)));
        assert_eq!(largest_payments(&all, today, Tz::UTC).len(), 1);
        // Twice within three weeks: no bill, but another one as large.
        all.push(to(landlord, paid(back(8), "-890", Category::Rent)));
        assert_eq!(largest_payments(&all, today, Tz::UTC), []);
    }
}
