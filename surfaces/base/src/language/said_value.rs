//! A value within a sentence.
//!
//! What: [`SaidValue`], a word or a count, from whatever a caller has. Why: a count is chosen by and written as its language does, a word stays. Not here: sentences
//! (`language`).

use super::Text;
use fluent_bundle::FluentValue;
use std::borrow::Cow;

/// A value within a sentence.
#[derive(Debug, Clone)]
pub enum SaidValue<'a> {
    Word(Cow<'a, str>),
    /// How many there are: chooses between one and many, and is written with its thousands apart.
    Count(u64),
}

impl SaidValue<'_> {
    /// As a text takes it.
    pub(super) fn fluent(&self) -> FluentValue<'_> {
        match self {
            Self::Word(word) => FluentValue::from(word.as_ref()),
            #[expect(clippy::cast_precision_loss, reason = "no list of ours holds 2^53 things")]
            Self::Count(count) => FluentValue::from(*count as f64),
        }
    }
}

impl<'a> From<&'a str> for SaidValue<'a> {
    fn from(word: &'a str) -> Self {
        Self::Word(Cow::Borrowed(word))
    }
}

impl<'a> From<&&'a str> for SaidValue<'a> {
    fn from(word: &&'a str) -> Self {
        Self::Word(Cow::Borrowed(word))
    }
}

impl<'a> From<&'a String> for SaidValue<'a> {
    fn from(word: &'a String) -> Self {
        Self::Word(Cow::Borrowed(word))
    }
}

impl From<String> for SaidValue<'_> {
    fn from(word: String) -> Self {
        Self::Word(Cow::Owned(word))
    }
}

impl From<Text> for SaidValue<'_> {
    fn from(text: Text) -> Self {
        Self::Word(Cow::Borrowed(text.say()))
    }
}

impl From<&Text> for SaidValue<'_> {
    fn from(text: &Text) -> Self {
        Self::from(*text)
    }
}

impl<'a> From<Cow<'a, str>> for SaidValue<'a> {
    fn from(word: Cow<'a, str>) -> Self {
        Self::Word(word)
    }
}

macro_rules! said_counts {
    ($($number:ty),*) => {
        $(impl From<$number> for SaidValue<'_> {
            fn from(count: $number) -> Self {
                // A negative count is a fault of who counts; it is said as none.
                Self::Count(u64::try_from(count).unwrap_or(0))
            }
        })*
    };
}

said_counts!(u8, u16, u32, u64, usize, i32, i64);
