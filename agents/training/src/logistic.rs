//! Multinomial logistic regression.
//!
//! What: [`train`]: unit vectors of inverse document frequencies, stochastic gradient descent with one rate a weight, weights
//! rounded to bytes. Why: a linear model can be read, is small and is right often enough. Not here: judging with it
//! (`agents::comms::classifier`).
//!
//! Only sums, products, square roots and `libm` are used, one after the other, so every machine comes to the same bytes.

use crate::{SplitMix64, TrainingExample};
use agents::comms::{
    classifier::{CLASSES, MAGIC},
    features::FEATURES,
    intent::features_of,
};

/// Times each message is looked at.
const ROUNDS: usize = 12;
/// The first step of a weight.
const RATE: f64 = 0.5;
/// How strongly weights are drawn to zero.
const DECAY: f64 = 2e-6;
/// Messages that must have a feature for it to count.
const RARE: u32 = 2;
/// The part of all messages above which a feature says nothing.
const COMMON: f64 = 0.95;

/// A message to be trained on.
pub(crate) struct TrainingRow {
    /// Its features with their parts of a unit vector.
    pub(crate) parts: Vec<(usize, f64)>,
    /// The place of its class.
    pub(crate) class: usize,
    /// How much it counts.
    pub(crate) counts: f64,
}

/// Trains on messages and gives the bytes of a model (`agents::comms::classifier::ClassifierModel`).
pub fn train(examples: &[TrainingExample], seed: u64) -> Vec<u8> {
    let names = ["rohan".to_owned()];
    let found: Vec<Vec<u16>> = examples
        .iter()
        .map(|example| features_of(&example.message(), &names))
        .collect();
    let frequencies = frequencies(&found);
    let rows: Vec<TrainingRow> = found
        .iter()
        .zip(examples)
        .map(|(found, example)| {
            let class = CLASSES.iter().position(|class| *class == example.class);
            TrainingRow {
                parts: unit(found, &frequencies),
                class: class.unwrap_or_default(),
                counts: 1.0,
            }
        })
        .collect();
    let (weights, biases) = descend::<4>(&rows, seed);
    model_bytes(MAGIC, &frequencies, &weights, biases)
}

/// `1 + ln(n / df)` of each feature as a byte, the rarest 255; 0 for those that are too rare or too common.
fn frequencies(found: &[Vec<u16>]) -> Vec<u8> {
    let mut counts = vec![0_u32; FEATURES];
    for feature in found.iter().flatten() {
        if let Some(count) = counts.get_mut(usize::from(*feature)) {
            *count += 1;
        }
    }
    weigh(&counts, found.len(), RARE)
}

/// `1 + ln(n / df)` of each count as a byte, that of `rare` 255; 0 below it and where nearly all have it.
pub(crate) fn weigh(counts: &[u32], all: usize, rare: u32) -> Vec<u8> {
    let all = all as f64;
    let weigh = |count: u32| 1.0 + libm::log(all / f64::from(count));
    let top = weigh(rare);
    counts
        .iter()
        .map(|count| {
            let counts = *count >= rare && f64::from(*count) <= COMMON * all;
            byte(if counts { 255.0 * weigh(*count) / top } else { 0.0 })
        })
        .collect()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to the range of a byte"
)]
fn byte(x: f64) -> u8 {
    x.clamp(0.0, 255.0).round() as u8
}

pub(crate) fn unit(found: &[u16], frequencies: &[u8]) -> Vec<(usize, f64)> {
    let parts: Vec<(usize, f64)> = found
        .iter()
        .map(|feature| usize::from(*feature))
        .filter_map(|place| Some((place, f64::from(*frequencies.get(place)?))))
        .filter(|(_, part)| *part > 0.0)
        .collect();
    let length = parts.iter().map(|(_, part)| part * part).sum::<f64>().sqrt();
    parts
        .into_iter()
        .map(|(place, part)| (place, part / length))
        .collect()
}

/// Adagrad (Duchi, Hazan and Singer 2011): each weight's steps shrink with the root of the squares of its own.
pub(crate) fn descend<const N: usize>(rows: &[TrainingRow], seed: u64) -> (Vec<[f64; N]>, [f64; N]) {
    let (mut weights, mut squares) = (vec![[0.0; N]; FEATURES], vec![[1e-6; N]; FEATURES]);
    let (mut biases, mut bias_squares) = ([0.0; N], [1e-6; N]);
    let mut chance = SplitMix64::new(seed);
    let mut order: Vec<usize> = (0..rows.len()).collect();
    for _ in 0..ROUNDS {
        for last in (1..order.len()).rev() {
            order.swap(last, chance.below(last + 1));
        }
        for TrainingRow { parts, class, counts } in order.iter().filter_map(|place| rows.get(*place)) {
            let mut logits = biases;
            for (place, part) in parts {
                let weights = weights.get(*place).into_iter().flatten();
                for (logit, weight) in logits.iter_mut().zip(weights) {
                    *logit += part * weight;
                }
            }
            let top = logits.into_iter().fold(f64::MIN, f64::max);
            let likely = logits.map(|logit| libm::exp(logit - top));
            let all: f64 = likely.iter().sum();
            let mut errors = likely.map(|one| one / all);
            if let Some(error) = errors.get_mut(*class) {
                *error -= 1.0;
            }
            let errors = errors.map(|error| error * counts);
            step(&mut biases, &mut bias_squares, errors);
            for (place, part) in parts {
                if let (Some(weights), Some(squares)) = (weights.get_mut(*place), squares.get_mut(*place)) {
                    let mut slopes = errors.map(|error| error * part);
                    for (slope, weight) in slopes.iter_mut().zip(&*weights) {
                        *slope += DECAY * weight;
                    }
                    step(weights, squares, slopes);
                }
            }
        }
    }
    (weights, biases)
}

fn step<const N: usize>(weights: &mut [f64; N], squares: &mut [f64; N], slopes: [f64; N]) {
    for ((weight, square), slope) in weights.iter_mut().zip(squares).zip(slopes) {
        *square += slope * slope;
        *weight -= RATE * slope / square.sqrt();
    }
}

/// The file. Weights are rounded to steps of the greatest's 127th part.
#[expect(clippy::cast_possible_truncation, reason = "rounded values within the range")]
pub(crate) fn model_bytes<const N: usize>(
    magic: [u8; 8],
    frequencies: &[u8],
    weights: &[[f64; N]],
    biases: [f64; N],
) -> Vec<u8> {
    let greatest = weights.iter().flatten().fold(1e-9_f64, |top, w| top.max(w.abs()));
    let width = greatest / 127.0;
    let mut out = magic.to_vec();
    for bias in biases {
        out.extend(((bias * 65_536.0).round() as i32).to_le_bytes());
    }
    out.extend(((width * 16_777_216.0).round() as i32).to_le_bytes());
    out.extend(frequencies);
    for weight in weights.iter().flatten() {
        out.extend(((weight / width).round() as i8).to_le_bytes());
    }
    out
}
