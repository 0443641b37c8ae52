//! Is today unusual, and how far does the money reach?
//!
//! What: [`anomaly`], a leave-one-out robust z-score, and [`forecast`], the balance at the month's end. Why: both are
//! formulas that must be checkable by hand; money and z-scores are exact decimals. Not here: what is done about it
//! (`tick`, `tools`). Left to a later issue: velocity (whether spending speeds up over weeks).

use super::model::View;
use chrono::{Datelike, Days, Months, NaiveDate};
use rust_decimal::{Decimal, prelude::ToPrimitive};
use toolcall_schema::{Category, Severity, milli::Milli};

/// Days of history below which nothing is called unusual.
pub(super) const MIN_HISTORY: usize = 7;
/// Days of spending that the burn rate averages, today included.
const BURN_DAYS: u32 = 7;
/// Days of history below which nothing is forecast.
const MIN_BURN_DAYS: usize = 5;
/// The square of the coefficient of variation (0.6) above which spending is too unsteady to forecast.
const CV_SQUARED_MAX: Decimal = Decimal::from_parts(36, 0, 0, false, 2);
/// Balances from 10^15 on, in either direction, are not forecast (the result's schema).
const MAX_BALANCE: Decimal = Decimal::from_parts(2_764_472_320, 232_830, 0, false, 0);
/// z-scores are cut here, so that they fit their type.
const Z_MAX: Decimal = Decimal::from_parts(1_000_000, 0, 0, false, 0);

/// Makes the median absolute deviation comparable to a standard deviation (the normal distribution's 0.75 quantile).
const MAD_FACTOR: Decimal = Decimal::from_parts(6745, 0, 0, false, 4);
/// The same for the mean absolute deviation (the square root of pi / 2).
const MEAN_AD_FACTOR: Decimal = Decimal::from_parts(12_533, 0, 0, false, 4);

/// How one category's day stands against the days before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unusual {
    pub(super) category: Category,
    /// Spent on the day.
    pub(super) total: Decimal,
    /// The median of the days before.
    pub(super) median: Decimal,
    /// Leave-one-out robust z-score, at most ±10^6.
    pub(super) z: Decimal,
}

impl Unusual {
    /// How unusual: only upwards, z from 2.5 low, from 3.5 medium, from 6 high.
    pub(super) fn severity(&self) -> Option<Severity> {
        let tenths = |n: i64| Decimal::new(n, 1);
        if self.total <= self.median || self.z < tenths(25) {
            None
        } else if self.z < tenths(35) {
            Some(Severity::Low)
        } else if self.z < tenths(60) {
            Some(Severity::Medium)
        } else {
            Some(Severity::High)
        }
    }

    /// z in thousandths.
    pub(super) fn z_milli(&self) -> Milli {
        Milli((self.z * Decimal::ONE_THOUSAND).round().to_i64().unwrap_or(0))
    }
}

/// How a category's `day` stands against the `window` days before it, days without spending included.
/// `None` with fewer than 7 of them, or when they do not differ at all.
pub(super) fn anomaly(view: &View, category: Category, day: NaiveDate, window: u32) -> Option<Unusual> {
    let mut before: Vec<Decimal> = view
        .days_before(day, window)
        .map(|date| view.spent_in(category, date))
        .collect();
    if before.len() < MIN_HISTORY {
        return None;
    }
    let total = view.spent_in(category, day);
    let median = median(&mut before);
    let z = robust_z(total, median, &before)?;
    Some(Unusual {
        category,
        total,
        median,
        z,
    })
}

/// The category whose day is the most unusual (highest z, then the first by name), among those with spending.
pub(super) fn strongest(view: &View, day: NaiveDate, window: u32) -> Option<Unusual> {
    let mut found: Vec<Unusual> = view
        .spend
        .get(&day)?
        .keys()
        .filter_map(|category| anomaly(view, *category, day, window))
        .collect();
    found.sort_by_key(|unusual| (std::cmp::Reverse(unusual.z), unusual.category.as_str()));
    found.first().copied()
}

/// `0.6745 * (total - median) / MAD`; where MAD is 0, `(total - median) / (1.2533 * mean absolute deviation)`.
fn robust_z(total: Decimal, median: Decimal, before: &[Decimal]) -> Option<Decimal> {
    let mut off: Vec<Decimal> = before.iter().map(|x| (x - median).abs()).collect();
    let mad = self::median(&mut off);
    let over = total - median;
    let (above, below) = if mad.is_zero() {
        let count = Decimal::from(off.len());
        (
            over,
            MEAN_AD_FACTOR * off.iter().sum::<Decimal>().checked_div(count)?,
        )
    } else {
        (MAD_FACTOR * over, mad)
    };
    if below.is_zero() {
        return None;
    }
    let z = above
        .checked_div(below)
        .unwrap_or(if over.is_sign_negative() { -Z_MAX } else { Z_MAX });
    Some(z.clamp(-Z_MAX, Z_MAX))
}

/// The median; 0 of nothing. Sorts.
fn median(values: &mut [Decimal]) -> Decimal {
    values.sort_unstable();
    let n = values.len();
    let at = |i: usize| values.get(i).copied().unwrap_or_default();
    if n % 2 == 1 {
        at(n / 2)
    } else {
        (at((n / 2).saturating_sub(1)) + at(n / 2)) / Decimal::TWO
    }
}

/// An amount as it is shown: two decimals, halves to the even digit.
pub(super) fn money(amount: Decimal) -> Decimal {
    let mut shown = amount.round_dp(2);
    shown.rescale(2);
    shown
}

/// The mean of the spending of the `window` days before `day`; `None` without history.
pub(super) fn usual_day(view: &View, day: NaiveDate, window: u32) -> Option<Decimal> {
    let before: Vec<Decimal> = view
        .days_before(day, window)
        .map(|date| view.spent(date))
        .collect();
    before
        .iter()
        .sum::<Decimal>()
        .checked_div(Decimal::from(before.len()))
}

/// How far the money reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Forecast {
    /// At the first of the next month, two decimal places.
    pub(super) balance_eom: Decimal,
    /// Whole days after the day until the balance is used up; 0 when it is.
    pub(super) days_to_zero: u32,
    /// The day on which it is used up, when before the month's end.
    pub(super) hits_zero: Option<NaiveDate>,
    /// 0 to 0.85.
    pub(super) confidence: Milli,
}

/// `balance_eom = balance - burn * days - scheduled`, with burn the mean spending of the last 7 local days (`day` and
/// days without spending included, from the first transaction's day on), days those to the first of the next month.
///
/// `None` without a balance, when the result is 10^15 or more, with fewer than 5 days of history, without spending, or when the coefficient of variation
/// of those days (population) is above 0.6.
pub(super) fn forecast(view: &View, day: NaiveDate) -> Option<Forecast> {
    let balance = view.balance?;
    let first = view.first_day.filter(|first| *first <= day)?;
    let spent: Vec<Decimal> = (0..u64::from(BURN_DAYS))
        .map_while(|back| day.checked_sub_days(Days::new(back)))
        .take_while(|date| *date >= first)
        .map(|date| view.spent(date))
        .collect();
    let n = Decimal::from(spent.len());
    let burn = spent.iter().sum::<Decimal>().checked_div(n)?;
    if spent.len() < MIN_BURN_DAYS || burn.is_zero() {
        return None;
    }
    // Each share is at most n, so the squares stay small whatever the amounts.
    let cv_squared = spent
        .iter()
        .map(|x| {
            x.checked_div(burn)
                .map(|share| (share - Decimal::ONE) * (share - Decimal::ONE))
        })
        .sum::<Option<Decimal>>()?
        .checked_div(n)?;
    if cv_squared > CV_SQUARED_MAX {
        return None;
    }
    let month_end = day.with_day(1)?.checked_add_months(Months::new(1))?;
    let days = Decimal::from((month_end - day).num_days());
    let left = balance.checked_sub(burn.checked_mul(days)?)?;
    let balance_eom = money(left.checked_sub(view.scheduled(day))?);
    if balance_eom.abs() >= MAX_BALANCE {
        return None;
    }
    // Further than a century is as good as never.
    let days_to_zero = balance
        .max(Decimal::ZERO)
        .checked_div(burn)
        .and_then(|d| d.ceil().to_u32())
        .unwrap_or(u32::MAX)
        .min(36_525);
    let hits_zero = day
        .checked_add_days(Days::new(u64::from(days_to_zero)))
        .filter(|date| *date < month_end);
    let steadiness = (1.0 - cv_squared.to_f64()?.sqrt()).max(0.0);
    let seen = (spent.len() as f64 / f64::from(BURN_DAYS)).min(1.0);
    let confidence = Milli::from_f64((0.4 + 0.45 * seen * steadiness).min(0.85))?;
    Some(Forecast {
        balance_eom,
        days_to_zero,
        hits_zero,
        confidence,
    })
}
