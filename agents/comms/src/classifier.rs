//! The trained classifier: what a message is where no rule says it.
//!
//! What: [`classify`], from features to a class and how sure it is, and [`ClassifierModel`], the committed weights. Why: most messages
//! that want something use none of the words of a list. Not here: what is seen of a message (`features`), the training
//! (`agents/training`), rules (`intent`).
//!
//! Multinomial logistic regression over unit vectors of inverse document frequencies. Everything is whole numbers, so that the class of a
//! message does not depend on the machine: see `docs/adr/0034-the-classifier.md`.

use super::features::FEATURES;
use toolcall_schema::{catalogue::comms::Intent, milli::Milli};

/// The classes, in the order of the model's numbers.
pub const CLASSES: [Intent; 4] = [
    Intent::Actionable,
    Intent::Social,
    Intent::Broadcast,
    Intent::Spam,
];

/// From this on a class counts: 0.6. Below it a message is SOCIAL.
const SURE: Milli = Milli(600);
/// From this on SPAM counts: 0.7, for what is taken for SPAM is seen by nobody.
const SURE_OF_SPAM: Milli = Milli(700);

/// What stands first in a model.
pub const MAGIC: [u8; 8] = *b"auracl01";

/// The model of this build, `agents/comms/src/classifier.bin`: written by `agents-training`, never by hand.
pub static MODEL: ClassifierModel<'static, 4> =
    match ClassifierModel::parse(include_bytes!("classifier.bin"), MAGIC) {
        Some(model) => model,
        None => ClassifierModel::EMPTY,
    };

/// A trained model of `N` classes, as it lies in its file: eight bytes that name it, a bias a class and a scale (`i32`, little endian),
/// then [`FEATURES`] inverse document frequencies (`u8`), then a weight (`i8`) a class for each feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassifierModel<'a, const N: usize> {
    /// What a class has before any feature, in 65536ths of a logit.
    biases: [i32; N],
    /// What a step of a weight is worth, in 2^-24 of a logit.
    scale: i32,
    frequencies: &'a [u8],
    weights: &'a [[u8; N]],
}

/// What the classifier says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassifierVerdict {
    /// The likeliest class; of equals the first of [`CLASSES`].
    pub class: Intent,
    /// How likely, 0.25 to 1.
    pub confidence: Milli,
}

impl ClassifierVerdict {
    /// Whether the class counts.
    pub fn is_sure(&self) -> bool {
        let from = match self.class {
            Intent::Spam => SURE_OF_SPAM,
            Intent::Actionable | Intent::Social | Intent::Broadcast => SURE,
        };
        self.confidence >= from
    }
}

impl<'a, const N: usize> ClassifierModel<'a, N> {
    /// To it everything is as likely as everything else, so nothing is sure.
    pub const EMPTY: ClassifierModel<'static, N> = ClassifierModel {
        biases: [0; N],
        scale: 0,
        frequencies: &[],
        weights: &[],
    };

    /// Reads a model that begins with `magic`. `None` when it is of another version or size.
    pub const fn parse(bytes: &'a [u8], magic: [u8; 8]) -> Option<Self> {
        let Some((begin, rest)) = bytes.split_first_chunk::<8>() else {
            return None;
        };
        let Some((numbers, rest)) = rest.split_at_checked(4 * N) else {
            return None;
        };
        let Some((scale, rest)) = rest.split_first_chunk::<4>() else {
            return None;
        };
        let Some((frequencies, weights)) = rest.split_at_checked(FEATURES) else {
            return None;
        };
        let (numbers, _) = numbers.as_chunks::<4>();
        let (weights, over) = weights.as_chunks::<N>();
        if u64::from_le_bytes(*begin) != u64::from_le_bytes(magic)
            || weights.len() != FEATURES
            || !over.is_empty()
        {
            return None;
        }
        let mut biases = [0; N];
        let mut at = 0;
        while at < N {
            biases[at] = i32::from_le_bytes(numbers[at]);
            at += 1;
        }
        Some(Self {
            biases,
            scale: i32::from_le_bytes(*scale),
            frequencies,
            weights,
        })
    }

    /// How many of these features the model knows.
    pub(super) fn known(&self, features: &[u16]) -> usize {
        let knows = |feature: &&u16| {
            self.frequencies
                .get(usize::from(**feature))
                .is_some_and(|known| *known > 0)
        };
        features.iter().filter(knows).count()
    }

    /// The logit of each class for a message of these features, in 65536ths. Total, and the same on every machine.
    pub fn logits(&self, features: &[u16]) -> [i64; N] {
        let mut sums = [0_i64; N];
        let mut square = 0_u64;
        for feature in features {
            let place = usize::from(*feature);
            let (Some(frequency), Some(weights)) = (self.frequencies.get(place), self.weights.get(place))
            else {
                continue;
            };
            square += u64::from(*frequency).pow(2);
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum += i64::from(*frequency) * i64::from(weight.cast_signed());
            }
        }
        // 256 times the length of the vector of frequencies.
        let length = i64::try_from((square << 16).isqrt()).unwrap_or(i64::MAX).max(1);
        let mut logits = [0_i64; N];
        for ((logit, sum), bias) in logits.iter_mut().zip(sums).zip(self.biases) {
            *logit = i64::from(bias) + i64::from(self.scale) * sum / length;
        }
        logits
    }
}

impl ClassifierModel<'_, 4> {
    /// What a message of these features is.
    pub fn classify(&self, features: &[u16]) -> ClassifierVerdict {
        let logits = self.logits(features);
        let top = logits.into_iter().max().unwrap_or_default();
        let class = CLASSES
            .into_iter()
            .zip(logits)
            .find_map(|(class, logit)| (logit == top).then_some(class));
        let all: u64 = logits.into_iter().map(|logit| falling(top - logit)).sum();
        ClassifierVerdict {
            class: class.unwrap_or(Intent::Social),
            confidence: Milli(i64::try_from(1000 * ONE / all.max(1)).unwrap_or(0)),
        }
    }
}

/// One, as a number of [`FALLING`].
const ONE: u64 = 1 << 32;

/// `e^-(k/64)` in 2^-32, for k up to 767: from one to a hundred-thousandth.
static FALLING: [u64; 768] = {
    let mut table = [ONE; 768];
    let mut k = 1;
    while k < table.len() {
        // 2^32 e^(-1/64), to the nearest.
        table[k] = (table[k - 1] * 4_228_380_000) >> 32;
        k += 1;
    }
    table
};

/// How likely a logit in 65536ths is, in thousandths.
pub(super) fn likelihood(logit: i64) -> Milli {
    let other = falling(logit.saturating_abs());
    let likely = if logit < 0 { other } else { ONE };
    Milli(i64::try_from(1000 * likely / (ONE + other)).unwrap_or(0))
}

/// `e^-x` of an `x` in 65536ths, in 2^-32.
fn falling(x: i64) -> u64 {
    let step = usize::try_from(x >> 10).unwrap_or(usize::MAX);
    FALLING.get(step).copied().unwrap_or(0)
}

/// What a message of these features is, by the model of this build.
pub fn classify(features: &[u16]) -> ClassifierVerdict {
    MODEL.classify(features)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A model in which feature 0 speaks for SPAM and feature 1 for ACTIONABLE, each with one logit a step.
    fn bytes() -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for number in [0_i32, 0, 0, 0, 1 << 24] {
            bytes.extend(number.to_le_bytes());
        }
        let mut frequencies = vec![0_u8; FEATURES];
        frequencies[0] = 3;
        frequencies[1] = 4;
        bytes.extend(frequencies);
        let mut weights = vec![0_u8; 4 * FEATURES];
        weights[3] = 5;
        weights[4] = 2;
        weights[5] = (-1_i8).cast_unsigned();
        bytes.extend(weights);
        bytes
    }

    #[test]
    fn confidence_is_the_softmax_of_the_logits() {
        let bytes = bytes();
        let model = ClassifierModel::<4>::parse(&bytes, MAGIC).unwrap();
        for (features, class, confidence) in [
            // Nothing seen: all equal.
            (vec![], Intent::Actionable, 250),
            // One feature has the length 1: logits 0 0 0 5, so 1 / (1 + 3 e^-5) = 0.980.
            (vec![0], Intent::Spam, 980),
            // 2 -1 0 0: 1 / (1 + e^-3 + 2 e^-2) = 0.757.
            (vec![1], Intent::Actionable, 757),
            // Frequencies 3 and 4 have the length 5: ACTIONABLE 2 * 4/5 = 1.6, SOCIAL -0.8, SPAM 5 * 3/5 = 3:
            // 1 / (1 + e^-1.4 + e^-3.8 + e^-3) = 0.758.
            (vec![0, 1], Intent::Spam, 758),
            // Unknown to the model.
            (vec![u16::MAX], Intent::Actionable, 250),
        ] {
            let verdict = model.classify(&features);
            assert_eq!(verdict.class, class, "{features:?}");
            // The table has steps of 1/64.
            assert!(
                (verdict.confidence.0 - confidence).abs() <= 8,
                "{features:?} {verdict:?}"
            );
        }
    }

    #[test]
    fn a_file_of_another_version_or_size_is_no_model() {
        let good = bytes();
        for bad in [
            good[1..].to_vec(),
            good[..good.len() - 1].to_vec(),
            [good.clone(), vec![0]].concat(),
            [b"auracl02", &good[8..]].concat(),
            vec![],
        ] {
            assert!(ClassifierModel::<4>::parse(&bad, MAGIC).is_none());
        }
    }

    #[test]
    fn this_build_has_a_model() {
        assert_ne!(MODEL, ClassifierModel::EMPTY);
    }
}
