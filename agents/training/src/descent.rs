//! Logistic regression of few features.
//!
//! What: [`fit`]: Newton steps, one feature after the other, with a bound for the sign of each weight. Why: a scorer of some dozen facts
//! has one best answer, and this finds it in the same way on every machine. Not here: texts (`logistic`).

/// Times each weight is looked at.
const SWEEPS: usize = 60;

/// Which weights a feature may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WeightSign {
    Any,
    Positive,
    Negative,
}

/// Fits weights, the constant last. Each example: its features, whether it is positive, how much it counts. `ridge` draws weights to nought.
pub(crate) fn fit(examples: &[(Vec<f64>, bool, f64)], signs: &[WeightSign], ridge: f64) -> Vec<f64> {
    let mut weights = vec![0.0; signs.len() + 1];
    let mut logits = vec![0.0_f64; examples.len()];
    for _ in 0..SWEEPS {
        for at in 0..weights.len() {
            let constant = at == signs.len();
            let value = |features: &[f64]| {
                if constant {
                    1.0
                } else {
                    features.get(at).copied().unwrap_or(0.0)
                }
            };
            let weight = weights.get(at).copied().unwrap_or(0.0);
            let (mut slope, mut bend) = if constant {
                (0.0, 1e-9)
            } else {
                (ridge * weight, ridge)
            };
            for ((features, positive, counts), logit) in examples.iter().zip(&logits) {
                let x = value(features);
                if x != 0.0 {
                    let likely = 1.0 / (1.0 + libm::exp(-logit));
                    slope += counts * x * (likely - f64::from(u8::from(*positive)));
                    bend += counts * x * x * (likely * (1.0 - likely)).max(0.02);
                }
            }
            let wanted = weight - (slope / bend).clamp(-1.0, 1.0);
            let bounded = match signs.get(at) {
                Some(WeightSign::Positive) => wanted.max(0.0),
                Some(WeightSign::Negative) => wanted.min(0.0),
                Some(WeightSign::Any) | None => wanted,
            };
            for ((features, _, _), logit) in examples.iter().zip(&mut logits) {
                *logit += (bounded - weight) * value(features);
            }
            if let Some(weight) = weights.get_mut(at) {
                *weight = bounded;
            }
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
        let weights = fit(&examples, &[WeightSign::Any], 0.0);
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
