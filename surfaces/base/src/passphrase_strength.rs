//! How hard a passphrase is to guess.
//!
//! What: [`PassphraseStrength`], by a rough count of what somebody would have to try. Why: whoever has the disk may try as often as they like, and a
//! person cannot tell by looking; pages and commands take the same ones. Not here: what a try costs (argon2id, `aura_memory`).

use crate::{language::Text, words};

/// Letters, below which a passphrase is not taken.
const LEAST_LETTERS: usize = 12;

/// What is tried first, also inside of longer ones.
const USUAL: [&str; 12] = [
    "password", "passwort", "qwerty", "qwertz", "azerty", "iloveyou", "letmein", "welcome", "admin", "aura",
    "1q2w3e", "abc123",
];
/// Bits of one word, of some eight thousand that people think of.
const WORD_BITS: f64 = 13.0;
/// Letters of such a word: a longer run of letters is several of them without a space.
const WORD_LETTERS: f64 = 6.0;
/// Below, it is guessed within days, whatever a try costs.
const FAIR_BITS: f64 = 28.0;
/// From there on nobody tries.
const STRONG_BITS: f64 = 45.0;

/// How hard it is to guess.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PassphraseStrength {
    /// Fewer than twelve letters.
    Short,
    Weak,
    Fair,
    Strong,
}

impl PassphraseStrength {
    pub fn rate(passphrase: &str) -> Self {
        let bits = bits(passphrase);
        if passphrase.chars().count() < LEAST_LETTERS {
            Self::Short
        } else if bits < FAIR_BITS {
            Self::Weak
        } else if bits < STRONG_BITS {
            Self::Fair
        } else {
            Self::Strong
        }
    }

    /// Whether a new key may be made from it.
    pub fn is_enough(self) -> bool {
        self >= Self::Fair
    }

    /// What is said of it.
    pub fn verdict_text(self) -> Text {
        match self {
            Self::Short => words::PASSPHRASE_SHORT,
            Self::Weak => words::PASSPHRASE_WEAK,
            Self::Fair => words::PASSPHRASE_FAIR,
            Self::Strong => words::PASSPHRASE_STRONG,
        }
    }
}

fn bits(passphrase: &str) -> f64 {
    let mut text = passphrase.to_lowercase();
    for usual in USUAL {
        text = text.replace(usual, " ");
    }
    let text: Vec<char> = without_repeats(&text.chars().collect::<Vec<_>>());
    let words = text.split(|letter| letter.is_whitespace() || *letter == '-');
    let mut known: Vec<&[char]> = Vec::new();
    let mut sum = 0.0;
    for word in words.filter(|word| !word.is_empty()) {
        if !known.contains(&word) {
            sum += word_bits(word);
            known.push(word);
        }
    }
    sum
}

/// The part that is said over and over, once.
fn without_repeats(text: &[char]) -> Vec<char> {
    let repeats = |part: &usize| text.chunks(*part).all(|chunk| text.starts_with(chunk));
    let part = (1..=text.len() / 2).find(repeats).unwrap_or(text.len());
    text.iter().take(part).copied().collect()
}

fn word_bits(word: &[char]) -> f64 {
    let is_word = word.iter().all(|letter| letter.is_alphabetic());
    let per_letter: f64 = if is_word {
        4.7
    } else if word.iter().all(char::is_ascii_digit) {
        3.3
    } else {
        5.5
    };
    let letters = f64::from(u32::try_from(unforeseen(word)).unwrap_or(u32::MAX));
    let bits = letters * per_letter;
    if is_word {
        bits.min(WORD_BITS * (letters / WORD_LETTERS).ceil())
    } else {
        bits
    }
}

/// Letters that do not go on as the two before them do: `aaa`, `123`, `cba`.
fn unforeseen(word: &[char]) -> usize {
    let step = |one: char, next: char| i64::from(u32::from(next)) - i64::from(u32::from(one));
    let goes_on = |three: &[char]| match three {
        [one, two, three] => {
            let step_now = step(*two, *three);
            step_now.abs() <= 1 && step_now == step(*one, *two)
        }
        _ => false,
    };
    word.len() - word.windows(3).filter(|three| goes_on(three)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_type_is_told_from_what_nobody_tries() {
        use PassphraseStrength::{Fair, Short, Strong, Weak};
        for (passphrase, strength) in [
            // Nothing, one letter, one step, what everybody takes.
            ("", Short),
            ("k7#qd0!", Short),
            ("green oven", Short),
            ("aaaaaaaaaaaaaaaaaaaa", Weak),
            ("123456789012", Weak),
            ("abcdefghijklmnop", Weak),
            ("passwordpassword", Weak),
            ("Welcome12345", Weak),
            // One long word, two words, the same word often.
            ("unbelievable", Weak),
            ("green garden", Weak),
            ("tulip tulip tulip tulip", Weak),
            ("tulip-oven-tulip-oven", Weak),
            // Three words.
            ("green garden oven", Fair),
            ("a long passphrase", Fair),
            // Four words, also without spaces.
            ("correct horse battery staple", Strong),
            ("correcthorsebatterystaple", Strong),
            ("Grün-Ofen-Tulpe-Anker", Strong),
            // Twelve signs that are no word.
            ("k7#qd0!vz4+w", Strong),
        ] {
            assert_eq!(PassphraseStrength::rate(passphrase), strength, "{passphrase}");
        }
    }
}
