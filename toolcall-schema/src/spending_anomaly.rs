//! How unusual a day's spending is.
//!
//! What: [`SpendingAnomaly`], a leave-one-out robust z-score, and [`spending_velocity`], whether spending speeds up over weeks. Why: Finance proposes by it and a
//! page tells by it, of the same payments; money and z-scores are exact decimals, so that both can be checked by hand. Not here: whose payments these are.

use crate::{Category, Severity, milli::Milli};
use chrono::{Days, NaiveDate};
use rust_decimal::{Decimal, prelude::ToPrimitive};

/// Days of history below which nothing is called unusual.
pub const MIN_HISTORY_DAYS: usize = 7;
/// Days with spending below which a category in which money is spent on fewer than half of the days has no usual day.
pub const MIN_SPENDING_DAYS: usize = 5;
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

/// What was spent in one category by local day.
pub trait SpendingHistory {
    /// The first day of which anything is known, of whichever category.
    fn first_day(&self) -> Option<NaiveDate>;
    /// How much on a day, in how many payments.
    fn spent_on(&self, day: NaiveDate) -> (Decimal, u32);
}

/// How one category's day stands against the days before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpendingAnomaly {
    /// What for.
    pub category: Category,
    /// Spent on the day.
    pub total: Decimal,
    /// The median of the days before.
    pub median: Decimal,
    /// Leave-one-out robust z-score, at most ±10^6.
    pub z: Decimal,
    /// Whether spending in the category sped up over the weeks before the day.
    pub speeding: bool,
}

impl SpendingAnomaly {
    /// How unusual: only upwards, z from 2.5 low, from 3.5 medium, from 6 high; one step more while spending speeds up.
    #[must_use]
    pub fn severity(&self) -> Option<Severity> {
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
    #[must_use]
    pub fn z_milli(&self) -> Milli {
        Milli((self.z * Decimal::ONE_THOUSAND).round().to_i64().unwrap_or(0))
    }
}

/// The `window` days before `day`, nearest first, from `first` on: days without spending count.
pub fn known_days_before(
    first: Option<NaiveDate>,
    day: NaiveDate,
    window: u32,
) -> impl Iterator<Item = NaiveDate> {
    (1..=u64::from(window))
        .map_while(move |back| day.checked_sub_days(Days::new(back)))
        .take_while(move |date| first.is_some_and(|first| *date >= first))
}

/// How a category's `day` stands against the `window` days before it, days without spending included. Where these are more
/// than half (the median is 0), against the days with spending alone, at least 5: an ordinary weekly purchase is usual.
/// `None` with fewer days, or when they do not differ at all.
pub fn spending_anomaly(
    spending: &impl SpendingHistory,
    category: Category,
    day: NaiveDate,
    window: u32,
) -> Option<SpendingAnomaly> {
    let mut before: Vec<Decimal> = known_days_before(spending.first_day(), day, window)
        .map(|date| spending.spent_on(date).0)
        .collect();
    if before.len() < MIN_HISTORY_DAYS {
        return None;
    }
    let (total, _) = spending.spent_on(day);
    let mut median = self::median(&mut before);
    if median.is_zero() {
        before.retain(|spent| !spent.is_zero());
        if before.len() < MIN_SPENDING_DAYS {
            return None;
        }
        median = self::median(&mut before);
    }
    let z = robust_z(total, median, &before)?;
    let speeding = spending_velocity(spending, day).is_some_and(|ratio| ratio >= VELOCITY_RATIO);
    Some(SpendingAnomaly {
        category,
        total,
        median,
        z,
        speeding,
    })
}

/// How much faster money is spent: the 14 days before `day` against the 14 days before those. Steady spending
/// gives 1. `None` with less than 28 days of history, or fewer than 5 payments in either window.
pub fn spending_velocity(spending: &impl SpendingHistory, day: NaiveDate) -> Option<Decimal> {
    let days: Vec<NaiveDate> = known_days_before(spending.first_day(), day, 2 * VELOCITY_DAYS).collect();
    let (recent, earlier) = days.split_at_checked(usize::try_from(VELOCITY_DAYS).ok()?)?;
    if earlier.len() < recent.len() {
        return None;
    }
    let sum = |days: &[NaiveDate]| {
        days.iter().fold((Decimal::ZERO, 0), |(sum, count), day| {
            let (spent, payments) = spending.spent_on(*day);
            (sum + spent, count + payments)
        })
    };
    let ((recent, now), (before, then)) = (sum(recent), sum(earlier));
    (now >= VELOCITY_MIN && then >= VELOCITY_MIN)
        .then(|| recent.checked_div(before))
        .flatten()
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
pub fn median(values: &mut [Decimal]) -> Decimal {
    values.sort_unstable();
    let n = values.len();
    let at = |i: usize| values.get(i).copied().unwrap_or_default();
    if n % 2 == 1 {
        at(n / 2)
    } else {
        (at((n / 2).saturating_sub(1)) + at(n / 2)) / Decimal::TWO
    }
}
