//! What was unusual in the last seven days, and how far that can be told.
//!
//! What: [`UnusualKnown`], by currency and category, from payments alone. Why: a statement tells of days that nobody looked at as they went, and where too little is
//! known, "nothing unusual" would claim what nobody can know. Not here: the formula (`toolcall_schema::spending_anomaly`), which Finance proposes by as well.

use chrono::{Days, NaiveDate};
use chrono_tz::Tz;
use rust_decimal::Decimal;
use std::{cmp::Reverse, collections::BTreeMap};
use surfaces_base::{backend::KeptPayment, format, words};
use toolcall_schema::{
    Category, Severity,
    money::MoneyFlow,
    spending_anomaly::{
        MIN_HISTORY_DAYS, MIN_SPENDING_DAYS, SpendingAnomaly, SpendingHistory, spending_anomaly,
    },
};

/// Days that one is compared with.
const WINDOW_DAYS: u32 = 30;
/// The days that are told of.
const TOLD_DAYS: u64 = 7;
/// Categories that are named; of more only how many.
const NAMED_MAX: usize = 3;

/// The days whose payments are wanted, with today.
pub(crate) const KNOWN_DAYS: u64 = WINDOW_DAYS as u64 + TOLD_DAYS;

/// What can be told of the last seven days.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct UnusualKnown {
    /// Currencies of which too few days are known, and how many are.
    early: Vec<(String, u64)>,
    /// Categories with too few days of spending, and how many there are; most first.
    rare: Vec<(Category, String, usize)>,
    /// Whether there is one with enough.
    is_enough: bool,
    /// How many days before today are known of a currency with enough, where those are fewer than it could be compared with; the fewest.
    few_days: Option<u64>,
    /// Whether the owner pays in several currencies.
    is_mixed: bool,
    /// What was clearly unusual, the newest day first, on it the most unusual.
    pub(crate) found: Vec<UnusualDay>,
}

/// A day on which clearly more than usual was spent in a category.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnusualDay {
    pub(crate) day: NaiveDate,
    pub(crate) currency: String,
    pub(crate) severity: Severity,
    pub(crate) anomaly: SpendingAnomaly,
}

/// How much in how many payments, by day.
type DaySums = BTreeMap<NaiveDate, (Decimal, u32)>;

/// Spent in one category by day, of a currency that is known from `first` on.
struct SpentByDay<'a> {
    first: NaiveDate,
    days: &'a DaySums,
}

impl SpendingHistory for SpentByDay<'_> {
    fn first_day(&self) -> Option<NaiveDate> {
        Some(self.first)
    }

    fn spent_on(&self, day: NaiveDate) -> (Decimal, u32) {
        self.days.get(&day).copied().unwrap_or_default()
    }
}

impl UnusualKnown {
    /// By the payments of the last [`KNOWN_DAYS`].
    pub(crate) fn from_payments(payments: &[KeptPayment], today: NaiveDate, zone: Tz) -> Self {
        let before = |day: NaiveDate, days: u64| day.checked_sub_days(Days::new(days)).unwrap_or(day);
        let mut first: BTreeMap<&str, NaiveDate> = BTreeMap::new();
        let mut spent: BTreeMap<&str, BTreeMap<Category, DaySums>> = BTreeMap::new();
        for payment in payments {
            let day = format::local_date(payment.at, zone);
            let first = first.entry(&payment.currency).or_insert(day);
            *first = day.min(*first);
            if payment.amount.flow() == Some(MoneyFlow::Out) {
                let of_currency = spent.entry(&payment.currency).or_default();
                let by_day = of_currency.entry(payment.category).or_default();
                let (sum, count) = by_day.entry(day).or_default();
                // Amounts have at most 12 digits before the point: no sum comes near the limit of the decimals.
                *sum += payment.amount.size();
                *count += 1;
            }
        }
        let mut known = Self {
            is_mixed: spent.len() > 1,
            ..Self::default()
        };
        let lately = before(today, TOLD_DAYS - 1);
        for (currency, categories) in &spent {
            let lately_spent = |days: &&DaySums| days.range(lately..).next().is_some();
            if !categories.values().any(|days| lately_spent(&days)) {
                continue;
            }
            let first = first.get(currency).copied().unwrap_or(today);
            let history = u64::try_from((today - first).num_days()).unwrap_or_default();
            for (category, days) in categories {
                let spent = SpentByDay { first, days };
                let unusual = days.range(lately..).filter_map(|(day, _)| {
                    let anomaly = spending_anomaly(&spent, *category, *day, WINDOW_DAYS)?;
                    let severity = anomaly.severity().filter(|severity| *severity != Severity::Low)?;
                    Some(UnusualDay {
                        day: *day,
                        currency: (*currency).to_owned(),
                        severity,
                        anomaly,
                    })
                });
                known.found.extend(unusual);
            }
            if history < MIN_HISTORY_DAYS as u64 {
                known.early.push(((*currency).to_owned(), history));
                continue;
            }
            let window = history.min(u64::from(WINDOW_DAYS));
            for (category, days) in categories.iter().filter(|(_, days)| lately_spent(days)) {
                let count = days.range(before(today, window)..today).count();
                // On more than half of the days nothing was spent: the middle of them is 0.
                let is_rare = window - u64::try_from(count).unwrap_or(window).min(window) > window / 2;
                if is_rare && count < MIN_SPENDING_DAYS {
                    known.rare.push((*category, (*currency).to_owned(), count));
                } else {
                    known.is_enough = true;
                    let few = (window < u64::from(WINDOW_DAYS)).then_some(window);
                    known.few_days = known.few_days.into_iter().chain(few).min();
                }
            }
        }
        known.rare.sort_by_key(|(_, _, count)| Reverse(*count));
        known
            .found
            .sort_by_key(|found| Reverse((found.day, found.anomaly.z)));
        known
    }

    /// Whether "nothing" may be said: of something enough is known, or nothing was spent.
    pub(crate) fn is_any_told(&self) -> bool {
        self.is_enough || (self.early.is_empty() && self.rare.is_empty())
    }

    /// What "nothing" rests on, where that is little.
    pub(crate) fn rests_on(&self) -> Option<String> {
        let days = u32::try_from(self.few_days?).ok()?;
        Some(words::unusual_few_days(days))
    }

    /// What cannot be told yet, a sentence each.
    pub(crate) fn untold(&self) -> Vec<String> {
        let early = self.early.iter().map(|(currency, days)| {
            let days = u32::try_from(*days).unwrap_or(u32::MAX);
            if self.is_mixed {
                words::unusual_too_early_in(currency, days)
            } else {
                words::unusual_too_early(days)
            }
        });
        let name = |(category, currency, count): &(Category, String, usize)| {
            let in_what = if self.is_mixed {
                format!("{} ({currency})", words::category(*category))
            } else {
                words::category(*category).to_owned()
            };
            words::unusual_rare_one(&in_what, *count)
        };
        let named: Vec<String> = self.rare.iter().take(NAMED_MAX).map(name).collect();
        let more = self.rare.len().saturating_sub(NAMED_MAX);
        let rare = (!named.is_empty()).then(|| words::unusual_rare(&named.join(", "), more));
        early.chain(rare).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolcall_schema::{Timestamp, ids::MerchantHash};

    fn paid(day: &str, currency: &str, category: Category) -> KeptPayment {
        KeptPayment {
            at: Timestamp::parse(&format!("{day}T06:30:00Z")).unwrap(),
            amount: "-5".parse().unwrap(),
            currency: currency.to_owned(),
            merchant: MerchantHash::parse("mh_0000000000000001").unwrap(),
            category,
            account_last4: String::new(),
        }
    }

    fn said(payments: &[(&str, &str, Category)]) -> (bool, Vec<String>) {
        let payments: Vec<KeptPayment> = payments
            .iter()
            .map(|(day, currency, category)| paid(day, currency, *category))
            .collect();
        let today = NaiveDate::from_ymd_opt(2026, 11, 10).unwrap();
        let known = UnusualKnown::from_payments(&payments, today, chrono_tz::UTC);
        (known.is_any_told(), known.untold())
    }

    #[test]
    fn a_currency_is_known_after_seven_days() {
        use Category::Groceries;
        assert_eq!(said(&[]), (true, vec![]));
        let (told, says) = said(&[("2026-11-04", "INR", Groceries)]);
        assert!(!told && says.concat().ends_with("So far I know 6."), "{says:?}");
        let (told, says) = said(&[("2026-11-10", "INR", Groceries)]);
        assert!(
            !told && says.concat().ends_with("So far I know none."),
            "{says:?}"
        );
        // Of another currency it is said in which.
        let (_, says) = said(&[("2026-11-04", "INR", Groceries), ("2026-11-09", "EUR", Groceries)]);
        assert_eq!(
            says,
            [
                "EUR: too few days to tell yet, 1 of 7.",
                "INR: too few days to tell yet, 6 of 7."
            ]
        );
    }

    #[test]
    fn a_day_is_judged_by_the_days_before_it_however_late_it_becomes_known() {
        use Category::Groceries;
        let today = NaiveDate::from_ymd_opt(2026, 11, 10).unwrap();
        // From 30 days before the 8th: 32.55 and 167.45 by turns, the median 100, MAD 67.45, z = (T - 100) / 100. The 9th and 10th are compared with the 8th as
        // well, which changes neither: nothing was spent on them.
        let on_the_eighth = |spent: &str, count: usize| {
            let mut payments: Vec<KeptPayment> = (1..=30)
                .map(|back| {
                    let day = today - Days::new(2 + back);
                    let amount = if back % 2 == 0 { "-32.55" } else { "-167.45" };
                    KeptPayment {
                        amount: amount.parse().unwrap(),
                        ..paid(&day.to_string(), "EUR", Groceries)
                    }
                })
                .collect();
            payments.extend((0..count).map(|_| KeptPayment {
                amount: spent.parse().unwrap(),
                ..paid("2026-11-08", "EUR", Groceries)
            }));
            let known = UnusualKnown::from_payments(&payments, today, chrono_tz::UTC);
            let found = known.found.iter();
            found
                .map(|found| {
                    let anomaly = found.anomaly;
                    (
                        found.day.to_string(),
                        anomaly.total.to_string(),
                        anomaly.z.normalize().to_string(),
                        found.severity,
                    )
                })
                .collect::<Vec<_>>()
        };
        for (spent, count, expected) in [
            // z 3.49: slightly unusual is for a card to weigh.
            ("-449", 1, None),
            ("-450", 1, Some(("450", "3.5", Severity::Medium))),
            ("-700", 1, Some(("700", "6", Severity::High))),
            // 10,000 payments of 10.40: (104,000 - 100) / 100.
            ("-10.40", 10_000, Some(("104000.00", "1039", Severity::High))),
            // Money that came in is not spent.
            ("+700", 1, None),
        ] {
            let found: Vec<_> = on_the_eighth(spent, count);
            let expected: Vec<_> = expected
                .map(|(total, z, severity)| {
                    ("2026-11-08".to_owned(), total.to_owned(), z.to_owned(), severity)
                })
                .into_iter()
                .collect();
            assert_eq!(found, expected, "{spent} {count}");
        }
    }

    #[test]
    fn a_category_that_is_rarely_spent_on_is_not_called_usual() {
        use Category::{Groceries, Shopping};
        // Known for 30 days and more; shopping on 2 of the 30 before today, groceries on 5 of them: enough.
        let mut payments = vec![
            ("2026-10-01", "INR", Groceries),
            ("2026-11-02", "INR", Shopping),
            ("2026-11-09", "INR", Shopping),
        ];
        let (told, says) = said(&payments);
        assert!(!told);
        assert_eq!(
            says,
            ["Too few days of spending to tell yet: shopping 2 of 5 days."]
        );
        for day in [
            "2026-11-03",
            "2026-11-04",
            "2026-11-05",
            "2026-11-06",
            "2026-11-07",
        ] {
            payments.push((day, "INR", Groceries));
        }
        let (told, says) = said(&payments);
        assert!(told, "of groceries enough is known");
        assert_eq!(
            says,
            ["Too few days of spending to tell yet: shopping 2 of 5 days."]
        );
        // A week of a journal, on whose each day something was spent: its middle is not 0.
        let daily: Vec<(&str, &str, Category)> = ["2026-11-03", "2026-11-04", "2026-11-05", "2026-11-06"]
            .map(|day| (day, "INR", Groceries))
            .to_vec();
        assert_eq!(said(&daily), (true, vec![]));
        // From the 3rd to the 10th: seven days before today, of the thirty that a day is compared with.
        let rests_on = |payments: &[(&str, &str, Category)]| {
            let payments: Vec<KeptPayment> = payments
                .iter()
                .map(|(day, currency, category)| paid(day, currency, *category))
                .collect();
            let today = NaiveDate::from_ymd_opt(2026, 11, 10).unwrap();
            UnusualKnown::from_payments(&payments, today, chrono_tz::UTC).rests_on()
        };
        assert_eq!(rests_on(&daily).unwrap(), "I know the 7 days before today.");
        assert_eq!(rests_on(&payments), None);
        assert_eq!(rests_on(&[]), None);
    }
}
