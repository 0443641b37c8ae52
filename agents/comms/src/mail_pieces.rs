//! A text cut at white space, once for all who read it.
//!
//! What: [`MailPieces`], the lines and pieces of a folded text, each piece with its word, the word's hash and its place in the vocabulary. Why:
//! the spam gate, the scorer of requests and the rules look at the same words, and cutting is most of what a mail costs. Not here: what a
//! word means (`mail_vocabulary`), sentences (`mail_sentences`).

use super::{
    features::{BASIS, bare_word, hashed, is_link, normalize_char, step},
    mail_vocabulary::{VOCABULARY, WordNumber},
};

/// Characters of a word that are hashed; more is no word of anybody's.
const HASHED: usize = 48;

/// What stands in a piece, a bit each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct PieceSigns(u8);

impl PieceSigns {
    pub(super) const DIGIT: Self = Self(1);
    pub(super) const COLON: Self = Self(2);
    pub(super) const DOT: Self = Self(4);
    pub(super) const AT: Self = Self(8);
    /// What joins words in names of programs and files: `/`, `_`, `=`.
    pub(super) const JOINT: Self = Self(16);
    /// What is not ASCII, and white space that only Unicode knows as such.
    pub(super) const WIDE: Self = Self(32);
    const LETTER: Self = Self(64);
    const BLANK: Self = Self(128);

    /// Whether one of these stands in it.
    pub(super) const fn holds(self, signs: Self) -> bool {
        self.0 & signs.0 != 0
    }

    const fn and(self, signs: Self) -> Self {
        Self(self.0 | signs.0)
    }

    const fn of_byte(byte: u8) -> Self {
        match byte {
            b'0'..=b'9' => Self::DIGIT,
            b'a'..=b'z' | b'A'..=b'Z' => Self::LETTER,
            b':' => Self::COLON,
            b'.' => Self::DOT,
            b'@' => Self::AT,
            b'/' | b'_' | b'=' => Self::JOINT,
            b' ' | b'\t' | b'\r' | b'\n' | 0x0c => Self::BLANK,
            0x0b | 0x80.. => Self::WIDE,
            _ => Self(0),
        }
    }
}

/// What each byte is.
static SIGNS: [PieceSigns; 256] = {
    let mut signs = [PieceSigns(0); 256];
    let mut byte = 0_u8;
    loop {
        signs[byte as usize] = PieceSigns::of_byte(byte);
        if byte == u8::MAX {
            break signs;
        }
        byte += 1;
    }
};

/// What stands between ASCII white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MailPiece<'a> {
    pub(super) text: &'a str,
    /// The same without the signs around it.
    pub(super) word: &'a str,
    /// Of the word: any digit is one digit.
    pub(super) hash: u32,
    pub(super) number: WordNumber,
    pub(super) signs: PieceSigns,
}

impl<'a> MailPiece<'a> {
    /// One piece, whatever its letters.
    pub(super) fn new(text: &'a str) -> Self {
        let word = bare_word(text);
        let hash = word_hash(word);
        let signs = text.bytes().fold(PieceSigns::default(), |signs, byte| {
            signs.and(PieceSigns::of_byte(byte))
        });
        Self {
            text,
            word,
            hash,
            number: VOCABULARY.number(word),
            signs,
        }
    }

    /// Whether it is an address of the web.
    pub(super) fn is_link(&self) -> bool {
        (self.signs.holds(PieceSigns::COLON) || self.text.starts_with("www.")) && is_link(self.text)
    }

    /// Whether it ends as a word does: no sign of a sentence stands behind it.
    pub(super) fn ends_bare(&self) -> bool {
        self.text.as_bytes().last().is_some_and(u8::is_ascii_alphanumeric)
    }
}

/// The hash of a word.
pub(super) fn word_hash(word: &str) -> u32 {
    hashed(word.chars().take(HASHED).map(normalize_char))
}

/// A line without its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PieceLine<'a> {
    pub(super) text: &'a str,
    /// How many pieces of the text stand before its end.
    end: usize,
}

/// A text in pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MailPieces<'a> {
    pub(super) text: &'a str,
    pub(super) pieces: Vec<MailPiece<'a>>,
    lines: Vec<PieceLine<'a>>,
}

impl<'a> MailPieces<'a> {
    pub(super) fn split(text: &'a str) -> Self {
        let mut found = Self {
            text,
            pieces: Vec::with_capacity(text.len() / 5 + 1),
            lines: Vec::with_capacity(text.len() / 64 + 1),
        };
        for line in text.split('\n') {
            found.line(line);
            found.lines.push(PieceLine {
                text: line,
                end: found.pieces.len(),
            });
        }
        found
    }

    /// Each line with its pieces.
    pub(super) fn lines(&self) -> impl Iterator<Item = (&'a str, &[MailPiece<'a>])> {
        let mut begin = 0;
        self.lines.iter().map(move |line| {
            let pieces = self.pieces.get(begin..line.end).unwrap_or_default();
            begin = line.end;
            (line.text, pieces)
        })
    }

    fn line(&mut self, line: &'a str) {
        let mut cut = PieceCut::default();
        for (at, byte) in line.bytes().enumerate() {
            let signs = SIGNS.get(usize::from(byte)).copied().unwrap_or_default();
            if signs.holds(PieceSigns::BLANK) {
                self.pieces.extend(cut.piece(line, at));
                cut = PieceCut {
                    begin: at + 1,
                    ..PieceCut::default()
                };
            } else {
                cut.add(at, byte, signs);
            }
        }
        self.pieces.extend(cut.piece(line, line.len()));
    }
}

/// A piece that is being read.
#[derive(Clone, Copy)]
struct PieceCut {
    begin: usize,
    /// Where its word begins and ends; it has none before both are known.
    from: usize,
    to: usize,
    /// Of what was read of the word, and of that up to its last letter or digit.
    running: u32,
    hash: u32,
    signs: PieceSigns,
}

impl Default for PieceCut {
    fn default() -> Self {
        Self {
            begin: 0,
            from: 0,
            to: 0,
            running: BASIS,
            hash: BASIS,
            signs: PieceSigns::default(),
        }
    }
}

impl PieceCut {
    fn add(&mut self, at: usize, byte: u8, signs: PieceSigns) {
        self.signs = self.signs.and(signs);
        let plain = signs.holds(PieceSigns::LETTER.and(PieceSigns::DIGIT));
        if self.to == 0 {
            if !plain {
                return;
            }
            self.from = at;
        }
        let digit = signs.holds(PieceSigns::DIGIT);
        self.running = step(self.running, u32::from(if digit { b'0' } else { byte }));
        if plain {
            self.hash = self.running;
            self.to = at + 1;
        }
    }

    /// The piece that ends here; none when nothing was read.
    fn piece<'a>(&self, line: &'a str, end: usize) -> Option<MailPiece<'a>> {
        let text = line.get(self.begin..end).filter(|text| !text.is_empty())?;
        let word = line.get(self.from..self.to).unwrap_or_default();
        if self.signs.holds(PieceSigns::WIDE) || word.len() > HASHED {
            return Some(MailPiece::new(text));
        }
        Some(MailPiece {
            text,
            word,
            hash: self.hash,
            number: VOCABULARY.number(word),
            signs: self.signs,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn pieces_stand_between_white_space_and_words_between_signs() {
        let pieces = MailPieces::split("\"Hello\", 24:30\n\n(it's) ... o\u{fc}");
        let told: Vec<_> = pieces
            .pieces
            .iter()
            .map(|piece| (piece.text, piece.word))
            .collect();
        assert_eq!(
            told,
            [
                ("\"Hello\",", "Hello"),
                ("24:30", "24:30"),
                ("(it's)", "it's"),
                ("...", ""),
                ("o\u{fc}", "o\u{fc}"),
            ]
        );
        let lines: Vec<_> = pieces
            .lines()
            .map(|(text, pieces)| (text.len(), pieces.len()))
            .collect();
        assert_eq!(lines, [(14, 2), (0, 0), (14, 3)]);
    }

    proptest! {
        /// One pass says what cutting, trimming and hashing one after the other say.
        #[test]
        fn one_pass_sees_what_several_see(text in "([a-z0-9 .,:/@_='\"!?\n\t\r\u{b}\u{85}\u{a0}\u{2028}é²٣ß\u{1f600}-]|www\\.|://|you|monday ){0,60}") {
            let pieces = MailPieces::split(&text);
            let told: Vec<MailPiece<'_>> = text.split('\n').flat_map(str::split_ascii_whitespace).map(MailPiece::new).collect();
            prop_assert_eq!(&pieces.pieces, &told);
            let lines: Vec<&str> = pieces.lines().map(|(line, _)| line).collect();
            prop_assert_eq!(lines, text.split('\n').collect::<Vec<_>>());
        }
    }
}
