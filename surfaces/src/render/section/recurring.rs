//! Payments that come again, and when they come next.
//!
//! What: [`recurring`], a pure function over the payments that memory keeps. Why: rent and salary are known before they come. Not here: what is left until then
//! (`safe_to_spend`), markup (`web::ahead_page`). Finance looks at months alone, for its forecast (`agents`).

use chrono::{Datelike, Days, Months, NaiveDate};
use chrono_tz::Tz;
use rust_decimal::Decimal;
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
};
use surfaces_base::{backend::KeptPayment, format, words};
use toolcall_schema::{Category, ids::MerchantHash, money::MoneyFlow};

/// Days of payments in which two of a yearly one lie, with what may be late.
pub(crate) const LOOKED_AT_DAYS: u64 = 810;
/// Amounts that tell what is usual: a change of price is forgotten after so many.
const AMOUNTS_MAX: usize = 6;
/// How far an amount may be from the median of those before: a quarter of it.
const SPREAD: Decimal = Decimal::from_parts(25, 0, 0, false, 2);
/// How far beyond the least and the most of those before the newest may be, of their median, and count as unchanged.
const CHANGED: Decimal = Decimal::from_parts(5, 0, 0, false, 2);
/// Payments that tell what comes next: one unusual one of three does not.
const NEWEST: usize = 3;
/// 10^15: what is more is no payment of a household.
const AMOUNT_MAX: Decimal = Decimal::from_parts(2_764_472_320, 232_830, 0, false, 0);
/// How far each amount of a habit may be from the others, of their median, where it counts as a bill after all.
const FIXED: Decimal = CHANGED;
/// Payments that make a bill of a habit.
const FIXED_LEAST: usize = 4;
/// Times that one series is expected within a span.
const EXPECTED_MAX: usize = 60;

/// How often a payment comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PaymentRhythm {
    Weekly,
    Monthly,
    Quarterly,
    Yearly,
}

impl PaymentRhythm {
    const ALL: [Self; 4] = [Self::Weekly, Self::Monthly, Self::Quarterly, Self::Yearly];

    /// The days from one payment to the next.
    const fn gap(self) -> RangeInclusive<i64> {
        match self {
            Self::Weekly => 6..=8,
            Self::Monthly => 25..=35,
            Self::Quarterly => 80..=100,
            Self::Yearly => 350..=380,
        }
    }

    /// Payments that make a rhythm.
    const fn least(self) -> usize {
        match self {
            Self::Weekly | Self::Monthly | Self::Quarterly => 3,
            Self::Yearly => 2,
        }
    }

    /// Days after which a payment is late, and after which it is no longer expected.
    const fn patience(self) -> (i64, i64) {
        match self {
            Self::Weekly => (1, 7),
            Self::Monthly => (5, 31),
            Self::Quarterly => (10, 45),
            Self::Yearly => (15, 45),
        }
    }

    /// Months from one to the next; `None`: it is a week.
    const fn months(self) -> Option<u32> {
        match self {
            Self::Weekly => None,
            Self::Monthly => Some(1),
            Self::Quarterly => Some(3),
            Self::Yearly => Some(12),
        }
    }

    /// How often that is, in words.
    #[must_use]
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Weekly => words::EVERY_WEEK.say(),
            Self::Monthly => words::EVERY_MONTH.say(),
            Self::Quarterly => words::EVERY_QUARTER.say(),
            Self::Yearly => words::EVERY_YEAR.say(),
        }
    }

    /// When the one after `last` is due. `anchor`: the day of the month on which it usually is.
    fn due_from(self, last: NaiveDate, anchor: u32) -> Option<NaiveDate> {
        let Some(months) = self.months() else {
            return last.checked_add_days(Days::new(7));
        };
        let target = last.checked_add_months(Months::new(months))?;
        let near = [
            target.checked_sub_months(Months::new(1)),
            Some(target),
            target.checked_add_months(Months::new(1)),
        ];
        near.into_iter()
            .flatten()
            .map(|month| on_day_of_month(month, anchor))
            .filter(|day| *day > last)
            .min_by_key(|day| (*day - target).num_days().abs())
    }
}

/// Whether a category is what somebody does again and again, and no bill: at one place, at one sum, on one day of the week by chance.
const fn is_habit(category: Category) -> bool {
    match category {
        Category::FoodDelivery
        | Category::Groceries
        | Category::Transport
        | Category::Shopping
        | Category::Entertainment
        | Category::Travel => true,
        Category::BillsUtilities
        | Category::Rent
        | Category::Education
        | Category::Health
        | Category::P2pTransfer
        | Category::Subscriptions
        | Category::Investment
        | Category::Other => false,
    }
}

/// Whether a habit at one sum in that rhythm is a bill after all: a pass for the bus each month is one. Food is none, and what is done every week is none: a shop,
/// a tank or a table at one sum.
fn may_be_bill(category: Category, rhythm: PaymentRhythm) -> bool {
    match category {
        Category::FoodDelivery | Category::Groceries => false,
        Category::Transport
        | Category::Shopping
        | Category::Entertainment
        | Category::Travel
        | Category::BillsUtilities
        | Category::Rent
        | Category::Education
        | Category::Health
        | Category::P2pTransfer
        | Category::Subscriptions
        | Category::Investment
        | Category::Other => rhythm != PaymentRhythm::Weekly,
    }
}

/// That day of a month, or the last where there is none.
fn on_day_of_month(month: NaiveDate, day: u32) -> NaiveDate {
    (28..=day)
        .rev()
        .chain([day])
        .find_map(|day| month.with_day(day))
        .unwrap_or(month)
}

/// A payment that comes again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecurringSeries {
    /// To or from whom.
    pub merchant: MerchantHash,
    pub currency: String,
    pub flow: MoneyFlow,
    /// What the last one was for.
    pub category: Category,
    pub rhythm: PaymentRhythm,
    /// What it will probably be: the median of the newest three, or after a change the newest.
    pub amount: Decimal,
    /// What it was before it changed; `None`: it did not.
    pub was: Option<Decimal>,
    /// When it was paid last.
    pub last: NaiveDate,
    /// When it is due next; before today where it did not come yet.
    pub next: NaiveDate,
    /// By how many days it is late; `None`: it is not.
    pub late_days: Option<i64>,
    /// In how many payments the rhythm was seen.
    pub seen: usize,
    /// The day of the month on which it usually comes.
    anchor: u32,
}

impl RecurringSeries {
    /// The days from `today` on and before `until` on which it is expected. What is due already is expected today.
    #[must_use]
    pub(crate) fn expected(&self, today: NaiveDate, until: NaiveDate) -> Vec<NaiveDate> {
        let later = std::iter::successors(Some(self.next), |day| self.rhythm.due_from(*day, self.anchor));
        let mut days: Vec<NaiveDate> = Vec::new();
        for day in later.take(EXPECTED_MAX).map(|day| day.max(today)) {
            if day >= until {
                break;
            }
            // Two that are overdue are one: nobody knows whether the first will still come.
            if days.last() != Some(&day) {
                days.push(day);
            }
        }
        days
    }

    /// The first day after `today` on which it is due.
    #[must_use]
    pub(crate) fn due_after(&self, today: NaiveDate) -> Option<NaiveDate> {
        std::iter::successors(Some(self.next), |day| self.rhythm.due_from(*day, self.anchor))
            .take(EXPECTED_MAX)
            .find(|day| *day > today)
    }
}

/// What comes again, the next one first.
///
/// Payments of one payee, one currency and one way belong together: those that all follow a rhythm, else those of one exact amount. A rhythm is a gap of 6 to 8,
/// 25 to 35, 80 to 100 or 350 to 380 days, seen in at least three payments (of a yearly one in two) that reach to the newest, with no other payment between
/// them. What is a habit by its category is none: eating out and groceries never are, getting around, shopping, entertainment and travel only where all payments of the
/// payee follow a rhythm of a month or longer, four at least, each within 5 % of their median: a pass for the bus. The newest amounts, at most six, are within a quarter of their median, and the last one between half and double of it. What comes from somebody who is
/// also paid is a refund and no income. A payment without a direction or a payee is in no series. One that did not come for 7 days (weekly), 31 (monthly) or 45
/// is over.
#[must_use]
pub(crate) fn recurring<'a>(
    payments: impl IntoIterator<Item = &'a KeptPayment>,
    nameless: Option<&MerchantHash>,
    today: NaiveDate,
    zone: Tz,
) -> Vec<RecurringSeries> {
    let mut groups: BTreeMap<(&str, &MerchantHash, MoneyFlow), Vec<PaidOn>> = BTreeMap::new();
    for payment in payments {
        let Some(flow) = payment.amount.flow() else {
            continue;
        };
        let day = format::local_date(payment.at, zone);
        let size = payment.amount.size();
        if nameless == Some(&payment.merchant) || size.is_zero() || size > AMOUNT_MAX || day > today {
            continue;
        }
        let key = (payment.currency.as_str(), &payment.merchant, flow);
        groups.entry(key).or_default().push(PaidOn {
            day,
            amount: size,
            category: payment.category,
        });
    }
    let paid: BTreeSet<(&str, &MerchantHash)> = groups
        .keys()
        .filter(|(.., flow)| *flow == MoneyFlow::Out)
        .map(|(currency, merchant, _)| (*currency, *merchant))
        .collect();
    let mut all = Vec::new();
    for ((currency, merchant, flow), mut group) in groups {
        if flow == MoneyFlow::In && paid.contains(&(currency, merchant)) {
            continue;
        }
        group.sort_unstable();
        let of = |found: FoundRhythm| found.series(merchant, currency, flow, today);
        if group.last().is_some_and(|last| is_habit(last.category)) && flow == MoneyFlow::Out {
            all.extend(
                rhythm_of(&group)
                    .filter(|found| {
                        may_be_bill(found.last.category, found.rhythm) && is_fixed(&group, found.seen)
                    })
                    .and_then(of),
            );
        } else if let Some(found) = rhythm_of(&group) {
            all.extend(of(found));
        } else {
            let mut by_amount: BTreeMap<Decimal, Vec<PaidOn>> = BTreeMap::new();
            for one in group {
                by_amount.entry(one.amount).or_default().push(one);
            }
            all.extend(
                by_amount
                    .values()
                    .filter_map(|same| rhythm_of(same))
                    .filter_map(of),
            );
        }
    }
    all.sort_by(|a, b| (a.next, b.amount, &a.merchant).cmp(&(b.next, a.amount, &b.merchant)));
    all
}

/// A payment of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PaidOn {
    day: NaiveDate,
    amount: Decimal,
    category: Category,
}

/// A rhythm with what it was found in.
struct FoundRhythm {
    rhythm: PaymentRhythm,
    last: PaidOn,
    amount: Decimal,
    was: Option<Decimal>,
    seen: usize,
    anchor: u32,
}

impl FoundRhythm {
    fn series(
        self,
        merchant: &MerchantHash,
        currency: &str,
        flow: MoneyFlow,
        today: NaiveDate,
    ) -> Option<RecurringSeries> {
        let next = self.rhythm.due_from(self.last.day, self.anchor)?;
        let (late, over) = self.rhythm.patience();
        let behind = (today - next).num_days();
        (behind <= over).then(|| RecurringSeries {
            merchant: merchant.clone(),
            currency: currency.to_owned(),
            flow,
            category: self.last.category,
            rhythm: self.rhythm,
            amount: self.amount,
            was: self.was,
            last: self.last.day,
            next,
            late_days: (behind > late).then_some(behind),
            seen: self.seen,
            anchor: self.anchor,
        })
    }
}

/// Whether all payments of a habit are of the rhythm and of one sum.
fn is_fixed(payments: &[PaidOn], seen: usize) -> bool {
    let mut amounts: Vec<Decimal> = payments.iter().map(|one| one.amount).collect();
    seen == payments.len()
        && seen >= FIXED_LEAST
        && median(&mut amounts).is_some_and(|middle| {
            let off = middle * FIXED;
            amounts.iter().all(|amount| (*amount - middle).abs() <= off)
        })
}

/// The rhythm of payments to one payee, the oldest first.
fn rhythm_of(payments: &[PaidOn]) -> Option<FoundRhythm> {
    let gap = |pair: &[PaidOn]| match pair {
        [a, b] => (b.day - a.day).num_days(),
        _ => 0,
    };
    let newest = payments.windows(2).next_back().map(gap)?;
    let rhythm = PaymentRhythm::ALL
        .into_iter()
        .find(|rhythm| rhythm.gap().contains(&newest))?;
    let range = rhythm.gap();
    let mut seen = 1;
    for days in payments.windows(2).rev().map(gap) {
        // Something in between: this payee is paid at other times as well.
        if days < *range.start() {
            return None;
        }
        if days > *range.end() {
            break;
        }
        seen += 1;
    }
    if seen < rhythm.least() {
        return None;
    }
    let run = payments.get(payments.len().checked_sub(seen)?..)?;
    let (last, earlier) = run.split_last()?;
    let (amount, was) = usual_amount(earlier, last.amount, rhythm.least() - 1)?;
    let mut days: Vec<u32> = run.iter().map(|one| one.day.day()).collect();
    days.sort_unstable();
    Some(FoundRhythm {
        rhythm,
        last: *last,
        amount,
        was,
        seen,
        anchor: *days.get(days.len() / 2)?,
    })
}

/// What is expected next, and what it was before it changed. `None`: the amounts differ too much.
fn usual_amount(earlier: &[PaidOn], last: Decimal, least: usize) -> Option<(Decimal, Option<Decimal>)> {
    let most = earlier.len().min(AMOUNTS_MAX);
    (least..=most).rev().find_map(|count| {
        let newest = earlier.get(earlier.len() - count..)?;
        let mut amounts: Vec<Decimal> = newest.iter().map(|one| one.amount).collect();
        let before = median(&mut amounts)?;
        let off = before * SPREAD;
        let steady = amounts.iter().all(|amount| (*amount - before).abs() <= off);
        let near = last * Decimal::TWO >= before && last <= before * Decimal::TWO;
        if !steady || !near {
            return None;
        }
        let slack = before * CHANGED;
        let (low, high) = (*amounts.first()? - slack, *amounts.last()? + slack);
        if last < low || last > high {
            return Some((last, Some(before)));
        }
        let newest = newest.iter().rev().map(|one| one.amount);
        let mut newest: Vec<Decimal> = std::iter::once(last).chain(newest).take(NEWEST).collect();
        Some((median(&mut newest)?, None))
    })
}

/// The middle one, or of an even number the mean of both; sorts them.
fn median(amounts: &mut [Decimal]) -> Option<Decimal> {
    amounts.sort_unstable();
    let upper = *amounts.get(amounts.len() / 2)?;
    if !amounts.len().is_multiple_of(2) {
        return Some(upper);
    }
    let lower = *amounts.get(amounts.len() / 2 - 1)?;
    (lower + upper).checked_div(Decimal::TWO)
}

#[cfg(test)]
mod tests;
