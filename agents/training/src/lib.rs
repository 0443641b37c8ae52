//! Training what Comms has learned.
//!
//! What: the classifier of chats, [`model`], from invented messages; the spam gate, [`gate_model`], and the scorers of what a mail wants, [`scorer_model`],
//! from a corpus of real mail that lies outside the repository and from invented mails. Why: whoever doubts a committed model makes it again: same text, same
//! seed, same bytes. Not here: judging (`agents::comms`), how good it is (`agents/judge`, which this package does not know).

mod compact;
pub mod corpus;
mod descent;
mod figures;
mod gate;
pub mod invented;
mod logistic;
mod made_head;
mod measured;
mod messages;
pub mod scorers;

pub use corpus::TrainingCorpus;
pub use figures::print_figures;
pub use gate::{GateScore, MailForm, cross_validate_gate, gate_model};
pub use logistic::train;
pub use measured::print_measured;
pub use messages::{TrainingExample, messages};
pub use scorers::{CrossValidation, scorer_model};

/// Messages that the committed model is trained on.
pub const COUNT: usize = 48_000;
/// The seed of both the messages and the order in which they are looked at.
pub const SEED: u64 = 42;

/// The committed model, made again.
pub fn model() -> Vec<u8> {
    train(&messages(COUNT, SEED), SEED)
}

/// `SplitMix64` of Steele, Lea and Flood: short, and the same everywhere.
pub(crate) struct SplitMix64(u64);

impl SplitMix64 {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`; 0 when there is none.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        match u64::try_from(n) {
            Ok(n @ 1..) => usize::try_from(self.next() % n).unwrap_or(0),
            Ok(0) | Err(_) => 0,
        }
    }

    /// True in `percent` of a hundred.
    pub(crate) fn in_hundred(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of a list.
    pub(crate) fn one<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list.get(self.below(list.len())).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_committed_model_is_what_the_training_makes() {
        let committed = include_bytes!("../../comms/src/classifier.bin");
        // Not assert_eq: a third of a megabyte twice is no message.
        assert!(
            super::model() == committed,
            "cargo run --locked -p agents-training writes it"
        );
    }

    /// Where the corpus is: the folder of `easy-ham-1` and `spam-1`. Without it nothing is compared here; `make judge` has it.
    #[test]
    fn the_committed_models_of_mail_are_what_the_corpus_makes() {
        let Some(folder) = std::env::var_os("AURA_MAIL_CORPUS") else {
            return;
        };
        let corpus = super::TrainingCorpus::read(folder.as_ref()).expect("the corpus is there");
        assert!(super::gate_model(&corpus) == include_bytes!("../../comms/src/spam.bin"));
        assert!(super::scorer_model(&corpus) == include_bytes!("../../comms/src/scorers.bin"));
    }
}
