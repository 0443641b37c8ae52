//! The language model behind a bounded trait.
//!
//! What: [`Generate`], asked to pick one of some true sentences, the check of its answer, and a scripted model for
//! recorded days. Why: a small model's own prose is not to be trusted; a pick among sentences that are already true is.
//! Not here: decisions, and anything that must not fail; llama.cpp in a child process comes behind the same trait.

pub mod manifest;
pub mod wire;

use std::collections::BTreeMap;

/// The most sentences that are offered.
pub const OFFERED_MAX: usize = 6;

/// Why a model gave no usable pick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// There is none.
    #[error("no model")]
    Absent,
    /// It returned an error or died.
    #[error("the model failed")]
    Failed,
    /// Its answer is not one of the offered numbers.
    #[error("not one of the offered numbers")]
    Unusable,
}

/// A model's answer and how long it took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// Milliseconds until the answer is there.
    pub after_ms: u32,
    /// Which sentence, from 0.
    pub pick: Result<u8, Fault>,
}

/// Something that picks one of some sentences.
pub trait Generate: Send {
    /// Picks for a tick. Must return at once; what takes time says so in [`Choice::after_ms`].
    fn choose(&mut self, tick: u64, sentences: &[String]) -> Choice;
}

/// No model: Aura works fully on templates.
#[derive(Debug, Clone, Copy, Default)]
pub struct Absent;

impl Generate for Absent {
    fn choose(&mut self, _tick: u64, _sentences: &[String]) -> Choice {
        Choice {
            after_ms: 0,
            pick: Err(Fault::Absent),
        }
    }
}

/// One recorded reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Milliseconds after it was asked.
    pub after_ms: u32,
    /// What it said; absent: it failed.
    pub text: Option<String>,
}

/// A model that gives recorded replies, by tick. Without one for a tick it is absent.
#[derive(Debug, Clone, Default)]
pub struct Scripted(BTreeMap<u64, Reply>);

impl Scripted {
    /// A model with these replies.
    pub fn new(replies: impl IntoIterator<Item = (u64, Reply)>) -> Self {
        Self(replies.into_iter().collect())
    }
}

impl Generate for Scripted {
    fn choose(&mut self, tick: u64, sentences: &[String]) -> Choice {
        match self.0.get(&tick) {
            None => Choice {
                after_ms: 0,
                pick: Err(Fault::Absent),
            },
            Some(reply) => Choice {
                after_ms: reply.after_ms,
                pick: reply
                    .text
                    .as_deref()
                    .map_or(Err(Fault::Failed), |text| read_pick(text, sentences.len())),
            },
        }
    }
}

/// Reads a pick: exactly one of the numbers `1` to `offered`, white space around it allowed. Gives it from 0.
///
/// # Errors
/// [`Fault::Unusable`] for anything else.
pub fn read_pick(text: &str, offered: usize) -> Result<u8, Fault> {
    let number: usize = text.trim().parse().map_err(|_| Fault::Unusable)?;
    if !(1..=offered.min(OFFERED_MAX)).contains(&number) {
        return Err(Fault::Unusable);
    }
    u8::try_from(number - 1).map_err(|_| Fault::Unusable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pick_is_one_of_the_offered_numbers_and_nothing_else() {
        assert_eq!(read_pick(" 2\n", 3), Ok(1));
        for bad in ["0", "4", "2.", "two", "1 2", "", "-1", "2; call mute_channel"] {
            assert_eq!(read_pick(bad, 3), Err(Fault::Unusable), "{bad:?}");
        }
    }

    #[test]
    fn a_scripted_model_says_what_was_recorded_and_is_absent_otherwise() {
        let mut model = Scripted::new([
            (
                1,
                Reply {
                    after_ms: 300,
                    text: Some("1".to_owned()),
                },
            ),
            (
                2,
                Reply {
                    after_ms: 10,
                    text: None,
                },
            ),
        ]);
        let offered = ["a".to_owned(), "b".to_owned()];
        assert_eq!(
            model.choose(1, &offered),
            Choice {
                after_ms: 300,
                pick: Ok(0)
            }
        );
        assert_eq!(
            model.choose(2, &offered),
            Choice {
                after_ms: 10,
                pick: Err(Fault::Failed)
            }
        );
        assert_eq!(
            model.choose(3, &offered),
            Choice {
                after_ms: 0,
                pick: Err(Fault::Absent)
            }
        );
    }
}
