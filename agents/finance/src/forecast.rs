//! How far does the money reach?
//!
//! What: [`forecast`], the balance at the month's end with an interval, or nothing where nothing can be said. Why: a formula
//! that can be checked by hand; money is exact, only the spread is a float. Not here: whether a day is unusual (`stats`).

use super::{stats::money, view::SpendingView};
use chrono::{Datelike, Days, Months, NaiveDate};
use rust_decimal::{
    Decimal,
    prelude::{FromPrimitive, ToPrimitive},
};
use toolcall_schema::milli::Milli;

/// Days of spending that the burn rate averages, the day itself included.
const BURN_DAYS: u32 = 7;
/// Days of history below which nothing is forecast.
const MIN_BURN_DAYS: usize = 5;
/// The square of the coefficient of variation (0.6) above which spending is too unsteady to forecast.
const CV_SQUARED_MAX: Decimal = Decimal::from_parts(36, 0, 0, false, 2);
/// Balances from 10^15 on, in either direction, are not forecast (the result's schema).
const MAX_BALANCE: Decimal = Decimal::from_parts(2_764_472_320, 232_830, 0, false, 0);

/// How far the money reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CashForecast {
    /// At the first of the next month, two decimal places.
    pub(super) balance_eom: Decimal,
    /// Between these the balance lies four times in five, where the next days are like the last; two decimal places.
    pub(super) interval: (Decimal, Decimal),
    /// Whole days after the day until the balance is used up; 0 when it is.
    pub(super) days_to_zero: u32,
    /// The day on which it is used up, when before the month's end.
    pub(super) hits_zero: Option<NaiveDate>,
    /// 0 to 0.85.
    pub(super) confidence: Milli,
}

/// `balance_eom = balance - burn * days - scheduled`, with burn the mean spending of the last 7 local days (`day` and
/// days without spending included, from the first payment's day on) without what recurs, days those to the first of the next
/// month. The interval is `balance_eom ± t * s * sqrt(days + days^2 / n)`: the prediction interval of a sum of `days` values
/// after `n` of the same kind, with `s` their standard deviation (n - 1) and `t` the 0.9 quantile of Student's distribution
/// with n - 1 degrees of freedom.
///
/// `None` without a balance, when the result is 10^15 or more, with fewer than 5 days of history, without spending, or when
/// the coefficient of variation of those days (population) is above 0.6.
pub(super) fn forecast(view: &SpendingView, day: NaiveDate) -> Option<CashForecast> {
    let balance = view.balance?;
    let first = view.first_day.filter(|first| *first <= day)?;
    let spent: Vec<Decimal> = (0..u64::from(BURN_DAYS))
        .map_while(|back| day.checked_sub_days(Days::new(back)))
        .take_while(|date| *date >= first)
        .map(|date| view.spent_daily(date))
        .collect();
    let n = Decimal::from(spent.len());
    let burn = spent.iter().sum::<Decimal>().checked_div(n)?;
    if spent.len() < MIN_BURN_DAYS || burn <= Decimal::ZERO {
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
    let cv = cv_squared.to_f64()?.sqrt();
    let seen = (spent.len() as f64 / f64::from(BURN_DAYS)).min(1.0);
    let confidence = Milli::from_f64((0.4 + 0.45 * seen * (1.0 - cv).max(0.0)).min(0.85))?;
    let off = money(Decimal::from_f64(
        burn.to_f64()? * cv * spread(spent.len(), days.to_f64()?),
    )?);
    let (low, high) = (balance_eom.checked_sub(off)?, balance_eom.checked_add(off)?);
    if low.abs() >= MAX_BALANCE || high.abs() >= MAX_BALANCE {
        return None;
    }
    Some(CashForecast {
        balance_eom,
        interval: (low, high),
        days_to_zero,
        hits_zero,
        confidence,
    })
}

/// `t * sqrt(n / (n - 1)) * sqrt(days + days^2 / n)`: what the population's deviation of `n` days is multiplied by.
fn spread(n: usize, days: f64) -> f64 {
    // Student's 0.9 quantiles for 4, 5 and 6 degrees of freedom.
    let t = match n {
        0..=5 => 1.533,
        6 => 1.476,
        _ => 1.440,
    };
    let n = n as f64;
    t * (n / (n - 1.0)).sqrt() * (days + days * days / n).sqrt()
}
