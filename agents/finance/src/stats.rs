//! Is today unusual?
//!
//! What: [`anomaly`], a leave-one-out robust z-score, and [`velocity`], whether spending speeds up over weeks. Why: both are
//! formulas that must be checkable by hand; money and z-scores are exact decimals. Not here: how far the money reaches
//! (`forecast`), what is done about it (`tick`, `tools`).

use super::{allowed::AllowedAmounts, view::SpendingView};
use chrono::{Days, NaiveDate};
use rust_decimal::{Decimal, prelude::ToPrimitive};
use toolcall_schema::{Category, Severity, milli::Milli};

/// Days of history below which nothing is called unusual.
pub(super) const MIN_HISTORY: usize = 7;
/// Days with spending below which a category in which money is spent on fewer than half of the days has no usual day.
pub(super) const MIN_SPENDING_DAYS: usize = 5;
/// Days of each of the two windows that velocity compares.
const VELOCITY_DAYS: u32 = 14;
/// Payments in each of them below which nothing is said.
const VELOCITY_MIN: u32 = 5;
/// How many times as much is speeding up.
const VELOCITY_RATIO: Decimal = Decimal::TWO;
/// z-scores are cut here, so that they fit their type.
const Z_MAX: Decimal = Decimal::from_parts(1_000_000, 0, 0, false, 0);

/// Makes the median absolute deviation comparable to a standard deviation (the normal distribution's 0.75 quantile).
const MAD_FACTOR: Decimal = Decimal::from_parts(6745, 0, 0, false, 4);
/// The same for the mean absolute deviation (the square root of pi / 2).
const MEAN_AD_FACTOR: Decimal = Decimal::from_parts(12_533, 0, 0, false, 4);

/// How one category's day stands against the days before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SpendingAnomaly {
    pub(super) category: Category,
    /// Spent on the day.
    pub(super) total: Decimal,
    /// The median of the days before.
    pub(super) median: Decimal,
    /// Leave-one-out robust z-score, at most ±10^6.
    pub(super) z: Decimal,
    /// Whether spending in the category sped up over the weeks before the day.
    pub(super) speeding: bool,
}

impl SpendingAnomaly {
    /// How unusual: only upwards, z from 2.5 low, from 3.5 medium, from 6 high; one step more while spending speeds up.
    pub(super) fn severity(&self) -> Option<Severity> {
        let tenths = |n: i64| Decimal::new(n, 1);
        let (low, medium, high) = (tenths(25), tenths(35), tenths(60));
        if self.total <= self.median || self.z < low {
            None
        } else if self.z >= high || (self.speeding && self.z >= medium) {
            Some(Severity::High)
        } else if self.z >= medium || self.speeding {
            Some(Severity::Medium)
        } else {
            Some(Severity::Low)
        }
    }

    /// z in thousandths.
    pub(super) fn z_milli(&self) -> Milli {
        Milli((self.z * Decimal::ONE_THOUSAND).round().to_i64().unwrap_or(0))
    }
}

/// How a category's `day` stands against the `window` days before it, days without spending included. Where these are more
/// than half (the median is 0), against the days with spending alone, at least 5: an ordinary weekly purchase is usual.
/// `None` with fewer days, or when they do not differ at all.
pub(super) fn anomaly(
    view: &SpendingView,
    category: Category,
    day: NaiveDate,
    window: u32,
) -> Option<SpendingAnomaly> {
    let mut before: Vec<Decimal> = view
        .days_before(day, window)
        .map(|date| view.spent_in(category, date))
        .collect();
    if before.len() < MIN_HISTORY {
        return None;
    }
    let total = view.spent_in(category, day);
    let mut median = self::median(&mut before);
    if median.is_zero() {
        before.retain(|spent| !spent.is_zero());
        if before.len() < MIN_SPENDING_DAYS {
            return None;
        }
        median = self::median(&mut before);
    }
    let z = robust_z(total, median, &before)?;
    let speeding = velocity(view, category, day).is_some_and(|ratio| ratio >= VELOCITY_RATIO);
    Some(SpendingAnomaly {
        category,
        total,
        median,
        z,
        speeding,
    })
}

/// How much faster money is spent in a category: the 14 days before `day` against the 14 days before those. Steady spending
/// gives 1. `None` with less than 28 days of history, or fewer than 5 payments in either window.
pub(super) fn velocity(view: &SpendingView, category: Category, day: NaiveDate) -> Option<Decimal> {
    let days = u64::from(VELOCITY_DAYS);
    if view.days_before(day, 2 * VELOCITY_DAYS).count() < 28 {
        return None;
    }
    let (recent, now) = view.spent_before(category, day, days);
    let earlier = day.checked_sub_days(Days::new(days))?;
    let (before, then) = view.spent_before(category, earlier, days);
    (now >= VELOCITY_MIN && then >= VELOCITY_MIN)
        .then(|| recent.checked_div(before))
        .flatten()
}

/// The same in the currency in which it is the most unusual (highest z, then that of the view), each by its own days.
pub(super) fn anomaly_in_any_currency(
    view: &SpendingView,
    category: Category,
    day: NaiveDate,
    window: u32,
) -> Option<(&SpendingView, SpendingAnomaly)> {
    view.each_currency()
        .filter_map(|view| Some((view, anomaly(view, category, day, window)?)))
        .reduce(|most, next| if next.1.z > most.1.z { next } else { most })
}

/// The category whose day is the most unusual (highest z, then the first by name), among those with spending that the owner does not call usual;
/// in each currency by its own days.
pub(super) fn strongest(
    view: &SpendingView,
    allowed: &AllowedAmounts,
    day: NaiveDate,
    window: u32,
) -> Option<SpendingAnomaly> {
    let in_one = |view: &SpendingView| -> Vec<SpendingAnomaly> {
        let spent_on = view.spend.get(&day).into_iter().flat_map(|spent| spent.keys());
        spent_on
            .filter_map(|category| anomaly(view, *category, day, window))
            .filter(|found| !allowed.allows(found.category, found.total, &view.currency))
            .collect()
    };
    let mut found: Vec<SpendingAnomaly> = view.each_currency().flat_map(in_one).collect();
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
pub(super) fn median(values: &mut [Decimal]) -> Decimal {
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
pub(super) fn usual_day(view: &SpendingView, day: NaiveDate, window: u32) -> Option<Decimal> {
    let before: Vec<Decimal> = view
        .days_before(day, window)
        .map(|date| view.spent(date))
        .collect();
    before
        .iter()
        .sum::<Decimal>()
        .checked_div(Decimal::from(before.len()))
}
