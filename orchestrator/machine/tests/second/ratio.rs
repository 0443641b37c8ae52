//! Fractions.
//!
//! What: [`Ratio`], exact. Why: the machine multiplies thousandths; a second model has its own arithmetic. Not here: what
//! is reckoned (`model`).

use std::{cmp::Ordering, ops};

/// `n / d`, with `d` above 0. Never reduced: scores have at most ten factors of ten.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ratio {
    n: i128,
    d: i128,
}

impl Ratio {
    pub(crate) fn new(n: i128, d: i128) -> Self {
        Self { n, d }
    }

    /// Hundredths, as the documents state them.
    pub(crate) fn percent(n: i128) -> Self {
        Self::new(n, 100)
    }

    pub(crate) fn times(self, n: usize) -> Self {
        Self::new(self.n * i128::try_from(n).unwrap(), self.d)
    }

    /// The nearest thousandth, half away from zero.
    pub(crate) fn thousandths(self) -> i64 {
        let doubled = (self.n * 2000).abs() + self.d;
        let rounded = doubled / (2 * self.d) * self.n.signum();
        i64::try_from(rounded).unwrap()
    }
}

impl ops::Mul for Ratio {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self::new(self.n * other.n, self.d * other.d)
    }
}

impl ops::Sub for Ratio {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self::new(self.n * other.d - other.n * self.d, self.d * other.d)
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.n * other.d).cmp(&(other.n * self.d))
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ratio {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ratio {}

#[test]
fn half_a_thousandth_is_rounded_away_from_zero() {
    // 0.85 × 0.85 − 0.20 = 0.5225; and the same below zero.
    let score = Ratio::percent(85) * Ratio::percent(85) - Ratio::percent(20);
    assert_eq!(score.thousandths(), 523);
    assert_eq!((Ratio::percent(0) - score).thousandths(), -523);
    assert_eq!(Ratio::new(4499, 10_000).thousandths(), 450);
    assert!(Ratio::new(4499, 10_000) < Ratio::percent(45) && Ratio::new(9, 20) == Ratio::percent(45));
}
