//! A figure with its interval.
//!
//! What: [`FigureEstimate`], of a proportion (Wilson) or of any statistic of a sample (percentiles of resamples). Why: 18 mails say less than 1,400,
//! and a page that leaves this out says more than was seen. Not here: what is counted (`mail`, `payments`).

use crate::random::MmixRandom;

/// The normal quantile of a two-sided interval of 95 %.
const Z: f64 = 1.959_963_984_540_054;
/// Resamples of a bootstrap.
const RESAMPLES: usize = 1000;
/// The seed of the resampling.
const SEED: u64 = 95;

/// A figure between 0 and 1, its interval of 95 %, and what it was counted of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FigureEstimate {
    pub value: f64,
    pub low: f64,
    pub high: f64,
    pub n: usize,
}

impl FigureEstimate {
    /// `hits` of `n`, with Wilson's interval (E. B. Wilson, 1927). `None` of nothing.
    pub(crate) fn of_proportion(hits: usize, n: usize) -> Option<Self> {
        if n == 0 {
            return None;
        }
        let (count, share) = (n as f64, hits as f64 / n as f64);
        let spread = 1.0 + Z * Z / count;
        let middle = (share + Z * Z / (2.0 * count)) / spread;
        let half = Z / spread * (share * (1.0 - share) / count + Z * Z / (4.0 * count * count)).sqrt();
        Some(Self {
            value: share,
            low: (middle - half).max(0.0),
            high: (middle + half).min(1.0),
            n,
        })
    }

    /// A statistic of a sample, with the 2.5th and 97.5th percentile of 1,000 resamples (B. Efron, 1979). `None` where the whole sample has no
    /// such figure; resamples without one are left out.
    pub(crate) fn of_statistic<T>(
        sample: &[T],
        statistic: impl Fn(&mut dyn Iterator<Item = &T>) -> Option<f64>,
    ) -> Option<Self> {
        let value = statistic(&mut sample.iter())?;
        let mut dice = MmixRandom::new(SEED);
        let mut found: Vec<f64> = (0..RESAMPLES)
            .filter_map(|_| {
                let drawn: Vec<&T> = sample
                    .iter()
                    .filter_map(|_| sample.get(dice.roll(sample.len())))
                    .collect();
                statistic(&mut drawn.into_iter())
            })
            .collect();
        found.sort_by(f64::total_cmp);
        let percentile = |thousandths: usize| {
            let rank = (found.len() * thousandths).div_ceil(1000).max(1);
            found.get(rank - 1).copied().unwrap_or(value)
        };
        Some(Self {
            value,
            low: percentile(25),
            high: percentile(975),
            n: sample.len(),
        })
    }
}

/// The harmonic mean of precision and recall over pairs (is, was called). `None` when nothing is so and nothing was called so.
pub fn f1(pairs: &mut dyn Iterator<Item = &(bool, bool)>) -> Option<f64> {
    let (mut right, mut wrong) = (0_u32, 0_u32);
    for (is, called) in pairs {
        right += u32::from(*is && *called);
        wrong += u32::from(is != called);
    }
    (right + wrong > 0).then(|| f64::from(2 * right) / f64::from(2 * right + wrong))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilsons_interval_is_that_of_the_textbooks() {
        // 1 of 10: centre (0.1 + 0.19207) / 1.38415 = 0.21102, half 1.95996 / 1.38415 * sqrt(0.009 + 0.0096037) = 0.19313.
        let one = FigureEstimate::of_proportion(1, 10).unwrap();
        assert!(
            (one.low - 0.01788).abs() < 1e-4 && (one.high - 0.40415).abs() < 1e-4,
            "{one:?}"
        );
        // 0 of 268: the upper end is z² / (n + z²) = 3.84146 / 271.84146.
        let none = FigureEstimate::of_proportion(0, 268).unwrap();
        assert!(
            none.low.abs() < 1e-12 && (none.high - 0.014_131).abs() < 1e-5,
            "{none:?}"
        );
        assert_eq!(FigureEstimate::of_proportion(0, 0), None);
    }

    #[test]
    fn f1_is_of_what_is_and_what_was_called() {
        // Three right, one missed, two too many: 6 / (6 + 3).
        let pairs = [
            (true, true),
            (true, true),
            (true, true),
            (true, false),
            (false, true),
            (false, true),
            (false, false),
        ];
        let whole = f1(&mut pairs.iter()).unwrap();
        assert!((whole - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(f1(&mut [(false, false)].iter()), None);
    }

    #[test]
    fn resampling_is_the_same_each_time_and_narrows_with_more() {
        let few: Vec<(bool, bool)> = (0..20).map(|i| (i % 2 == 0, i % 2 == 0 || i % 5 == 0)).collect();
        let many: Vec<(bool, bool)> = few.iter().copied().cycle().take(2000).collect();
        let of = |sample: &[(bool, bool)]| FigureEstimate::of_statistic(sample, |pairs| f1(pairs)).unwrap();
        assert_eq!(of(&few), of(&few));
        let (wide, narrow) = (of(&few), of(&many));
        assert!((wide.value - narrow.value).abs() < 1e-12);
        assert!(wide.low < wide.value && wide.value < wide.high, "{wide:?}");
        assert!(
            wide.high - wide.low > 5.0 * (narrow.high - narrow.low),
            "{wide:?} {narrow:?}"
        );
        assert_eq!(
            of(&[(true, true); 5]),
            FigureEstimate {
                value: 1.0,
                low: 1.0,
                high: 1.0,
                n: 5
            }
        );
    }
}
