//! Logistic regression of few features.
//!
//! What: [`fit`]: Newton steps, one feature after the other, with a bound for the sign of each weight. Why: a scorer of some dozen facts
//! has one best answer, and this finds it in the same way on every machine. Not here: texts (`logistic`).

/// Times each weight is looked at.
const SWEEPS: usize = 60;
/// The most that a slight weight may be, in logits.
const SLIGHT: f64 = 1.5;

/// Which weights a feature may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WeightSign {
    Positive,
    /// Positive, and at most [`SLIGHT`].
    Slight,
    Negative,
}

/// Fits weights, the constant last. Each example: its features, whether it is positive, how much it counts. `ridge` draws weights to nought.
pub(crate) fn fit(examples: &[(Vec<f64>, bool, f64)], signs: &[WeightSign], ridge: f64) -> Vec<f64> {
    let columns = (0..signs.len())
        .map(|at| {
            let values = examples
                .iter()
                .map(|(features, ..)| features.get(at).copied().unwrap_or(0.0));
            values.enumerate().filter(|(_, x)| *x != 0.0).collect()
        })
        .collect::<Vec<_>>();
    let told: Vec<(bool, f64)> = examples
        .iter()
        .map(|(_, positive, counts)| (*positive, *counts))
        .collect();
    fit_columns(&columns, &told, signs, ridge)
}

/// The same from the examples that have a feature, by feature, with what it is in each. Features without a sign may have any weight.
pub(crate) fn fit_columns(
    columns: &[Vec<(usize, f64)>],
    told: &[(bool, f64)],
    signs: &[WeightSign],
    ridge: f64,
) -> Vec<f64> {
    let constant: Vec<(usize, f64)> = (0..told.len()).map(|row| (row, 1.0)).collect();
    let mut weights = vec![0.0; columns.len() + 1];
    let mut logits = vec![0.0_f64; told.len()];
    for _ in 0..SWEEPS {
        for (at, weight) in weights.iter_mut().enumerate() {
            let (column, mut slope, mut bend) = match columns.get(at) {
                Some(column) => (column, ridge * *weight, ridge),
                None => (&constant, 0.0, 1e-9),
            };
            for (row, x) in column {
                let (Some((positive, counts)), Some(logit)) = (told.get(*row), logits.get(*row)) else {
                    continue;
                };
                let likely = 1.0 / (1.0 + libm::exp(-logit));
                slope += counts * x * (likely - f64::from(u8::from(*positive)));
                bend += counts * x * x * (likely * (1.0 - likely)).max(0.02);
            }
            let wanted = *weight - (slope / bend).clamp(-1.0, 1.0);
            let bounded = match signs.get(at) {
                Some(WeightSign::Positive) => wanted.max(0.0),
                Some(WeightSign::Slight) => wanted.clamp(0.0, SLIGHT),
                Some(WeightSign::Negative) => wanted.min(0.0),
                None => wanted,
            };
            for (row, x) in column {
                if let Some(logit) = logits.get_mut(*row) {
                    *logit += (bounded - *weight) * x;
                }
            }
            *weight = bounded;
        }
    }
    weights
}

/// What weights say of features.
pub(crate) fn logit(weights: &[f64], features: &[f64]) -> f64 {
    let constant = weights.last().copied().unwrap_or(0.0);
    constant
        + weights
            .iter()
            .zip(features)
            .map(|(weight, x)| weight * x)
            .sum::<f64>()
}

/// A number in 65536ths, as it stands in a file.
#[expect(clippy::cast_possible_truncation, reason = "clamped to the range of the type")]
pub(crate) fn fixed(x: f64) -> i32 {
    (x * 65_536.0)
        .round()
        .clamp(f64::from(i32::MIN), f64::from(i32::MAX)) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_the_logits_of_the_shares() {
        // Without the feature one of four is positive, with it three of four: -ln 3, and 2 ln 3 more.
        let example = |x: f64, positive: bool, times: usize| vec![(vec![x], positive, 1.0); times];
        let examples = [
            example(0.0, true, 10),
            example(0.0, false, 30),
            example(1.0, true, 30),
            example(1.0, false, 10),
        ]
        .concat();
        let column = examples.iter().enumerate().filter(|(_, (x, ..))| x[0] != 0.0);
        let column: Vec<(usize, f64)> = column.map(|(row, (x, ..))| (row, x[0])).collect();
        let told: Vec<(bool, f64)> = examples
            .iter()
            .map(|(_, positive, counts)| (*positive, *counts))
            .collect();
        let weights = fit_columns(&[column], &told, &[], 0.0);
        let third = libm::log(3.0);
        assert!(
            (weights[1] + third).abs() < 1e-3 && (weights[0] - 2.0 * third).abs() < 1e-3,
            "{weights:?}"
        );
        let bounded = fit(&examples, &[WeightSign::Negative], 0.0);
        // The feature says nothing then, and half are positive.
        assert!(bounded[0] == 0.0 && bounded[1].abs() < 1e-3, "{bounded:?}");
    }
}
