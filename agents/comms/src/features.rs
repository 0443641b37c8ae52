//! What the classifier sees of a message: a set of small numbers.
//!
//! What: [`features`], from a message to the distinct hashed features of its text: words, pairs of words, runs of three to five
//! characters, and six facts about it. Why: training and judging see exactly the same. Not here: what a feature weighs
//! (`classifier`), rules (`intent`).

use super::message::JudgedMessage;

/// How many features there are. Each is a number of 16 bits, by a hash.
pub const FEATURES: usize = 1 << 16;

/// Bytes of the text that are looked at: what a message wants stands at its begin.
const READ: usize = 512;
/// Characters of one piece between white space; more is no word of anybody's.
const PIECE: usize = 48;

/// Stand for what every link, and every name behind an `@`, has in common.
const LINK: u32 = 0xE000;
const AT: u32 = 0xE001;

/// What a message is beside its text. Hashed like words that no text can contain.
#[derive(Clone, Copy)]
enum MessageTrait {
    Mail = 0xE010,
    ToOwner = 0xE011,
    Bulk = 0xE012,
    Mention = 0xE013,
    Question = 0xE014,
    Link = 0xE015,
}

/// The features of a message whose text, in lower case, is `text`; `mention`: it names the owner by `@`. Distinct, in the order
/// of the text. Digits count as one another; links and names behind an `@` are one word each.
pub fn features(message: &JudgedMessage<'_>, text: &str, mention: bool) -> Vec<u16> {
    let text = text.get(..text.floor_char_boundary(READ)).unwrap_or_default();
    let mut found = FeatureSet::new(text.len());
    let mut before = 0;
    let mut linked = false;
    for piece in text.split_whitespace() {
        let word = if is_link(piece) {
            linked = true;
            hashed([LINK])
        } else if piece.starts_with('@') {
            hashed([AT])
        } else {
            found.runs(piece);
            let bare = bare_word(piece);
            if bare.is_empty() {
                continue;
            }
            hashed(bare.chars().take(PIECE).map(normalize_char))
        };
        found.add(word);
        found.add(hashed([before, word]));
        before = word;
    }
    for (is, what) in [
        (message.sender_host.is_some(), MessageTrait::Mail),
        (message.to_owner, MessageTrait::ToOwner),
        (message.bulk, MessageTrait::Bulk),
        (mention, MessageTrait::Mention),
        (text.contains('?'), MessageTrait::Question),
        (linked, MessageTrait::Link),
    ] {
        if is {
            found.add(hashed([what as u32]));
        }
    }
    found.list
}

/// Whether a piece between white space is an address of the web.
pub(super) fn is_link(piece: &str) -> bool {
    // A search for one byte costs a fraction of one for three.
    piece.starts_with("www.") || (piece.as_bytes().contains(&b':') && piece.contains("://"))
}

/// A piece between white space without the signs around it.
pub(super) fn bare_word(piece: &str) -> &str {
    let is_plain = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    // Most pieces are words already.
    if is_plain(piece.as_bytes().first()) && is_plain(piece.as_bytes().last()) {
        return piece;
    }
    piece.trim_matches(|c: char| !c.is_alphanumeric())
}

/// A digit as any digit, else the character.
pub(super) fn normalize_char(c: char) -> u32 {
    if c.is_numeric() {
        u32::from('0')
    } else {
        u32::from(c)
    }
}

/// What a hash begins with.
pub(super) const BASIS: u32 = 0x811C_9DC5;

/// FNV-1a over whole characters.
pub(super) fn hashed(codes: impl IntoIterator<Item = u32>) -> u32 {
    codes.into_iter().fold(BASIS, step)
}

pub(super) const fn step(hash: u32, code: u32) -> u32 {
    (hash ^ code).wrapping_mul(0x0100_0193)
}

/// Features, each once.
pub(super) struct FeatureSet {
    pub(super) list: Vec<u16>,
    seen: Box<[u64; FEATURES / 64]>,
}

impl FeatureSet {
    pub(super) fn new(bytes: usize) -> Self {
        Self {
            list: Vec::with_capacity(4 * bytes + 16),
            seen: Box::new([0; FEATURES / 64]),
        }
    }

    pub(super) fn add(&mut self, hash: u32) {
        // The upper bits of a product are the mixed ones: 16 of them.
        let feature = (hash.wrapping_mul(0x9E37_79B1) >> 16) as u16;
        let (place, bit) = (usize::from(feature) / 64, 1 << (feature % 64));
        if let Some(seen) = self.seen.get_mut(place)
            && *seen & bit == 0
        {
            *seen |= bit;
            self.list.push(feature);
        }
    }

    /// All runs of three to five characters of a piece with a blank before and behind it.
    fn runs(&mut self, piece: &str) {
        let mut codes = [u32::from(' '); PIECE + 2];
        let mut length = 1;
        for (code, c) in codes.iter_mut().skip(1).take(PIECE).zip(piece.chars()) {
            *code = normalize_char(c);
            length += 1;
        }
        let codes = codes.get(..=length).unwrap_or_default();
        for start in 0..codes.len() {
            // Apart from the words, which begin at another number.
            let mut hash = 0x1234_5677;
            for (count, code) in codes.iter().skip(start).take(5).enumerate() {
                hash = step(hash, *code);
                if count >= 2 {
                    self.add(hash);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<u16> {
        let message = JudgedMessage {
            text,
            sender: "",
            sender_host: None,
            channel: "",
            to_owner: false,
            bulk: false,
        };
        features(&message, text, false)
    }

    #[test]
    fn a_word_gives_itself_its_pair_and_its_runs() {
        // " ok ": " ok", "ok ", " ok ", and the word, and the pair with nothing before.
        assert_eq!(of("ok").len(), 5);
        assert_eq!(of("").len(), 0);
        // "ok" again: only the pair "ok ok" is new.
        assert_eq!(of("ok ok").len(), 6);
    }

    #[test]
    fn digits_links_and_names_are_alike() {
        for (a, b) in [
            ("pay 450", "pay 981"),
            ("see https://a.test/x", "see www.b.test"),
            ("@asha come", "@bo come"),
        ] {
            assert_eq!(of(a), of(b), "{a}");
        }
        assert_ne!(of("pay 450"), of("pay 45"));
    }

    #[test]
    fn what_stands_behind_the_first_512_bytes_is_not_seen() {
        let long = "x ".repeat(256);
        assert_eq!(of(&format!("{long}submit it today")), of(&long));
    }
}
