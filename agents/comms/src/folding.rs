//! A text as it is compared: the disguises of letters taken off.
//!
//! What: [`fold`]: NFKC, lower case, without letters of no width, with look-alikes of other scripts as the Latin letters they imitate, and
//! whether any of that was found inside words. Why: a word that a person reads is the word that is judged, and who hides words
//! has a reason. Not here: which words matter (`spam_gate`, `mail_class`).

use unicode_normalization::UnicodeNormalization as _;

/// A text to compare.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FoldedText {
    pub(crate) text: String,
    /// How many places are disguised: letters of no width inside a word, words of two scripts, letters drawn as symbols.
    pub(crate) disguises: usize,
}

/// Folds at most `most` bytes of a text.
pub(crate) fn fold(text: &str, most: usize) -> FoldedText {
    let text = text.get(..text.floor_char_boundary(most)).unwrap_or_default();
    if text.is_ascii() {
        return FoldedText {
            text: text.to_ascii_lowercase(),
            disguises: 0,
        };
    }
    let mut folded = FoldedText {
        text: String::with_capacity(text.len()),
        disguises: 0,
    };
    let mut drawn = 0;
    let mut letters = Vec::new();
    let mut rest = text;
    // What stands before the piece of the next letter that is not ASCII needs its case changed, and nothing else.
    while let Some(wide) = rest.bytes().position(|byte| !byte.is_ascii()) {
        let (plain, _) = rest.split_at(wide);
        let begin = plain.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let (plain, piece) = rest.split_at(begin);
        push_lower(&mut folded.text, plain);
        let end = piece
            .char_indices()
            .find(|(_, c)| c.is_whitespace())
            .map_or(piece.len(), |(at, c)| at + c.len_utf8());
        let (piece, after) = piece.split_at(end);
        drawn += piece.chars().filter(|c| is_drawn(*c)).count();
        fold_piece(piece, &mut folded, &mut letters);
        rest = after;
    }
    push_lower(&mut folded.text, rest);
    // A single one may be a sign of mathematics or a bullet.
    folded.disguises += drawn / 4;
    folded
}

/// Appends a text of ASCII in lower case.
fn push_lower(to: &mut String, text: &str) {
    let begin = to.len();
    to.push_str(text);
    if let Some(pushed) = to.get_mut(begin..) {
        pushed.make_ascii_lowercase();
    }
}

/// Folds what stands between two blanks. `word` is room for its letters.
fn fold_piece(piece: &str, folded: &mut FoldedText, word: &mut Vec<char>) {
    word.clear();
    let mut hidden = false;
    let mut waits = false;
    for c in piece.nfkc().flat_map(char::to_lowercase) {
        if has_no_width(c) {
            // Indic and Arabic scripts need joiners; between letters of these scripts nothing does.
            waits = word.last().is_some_and(|before| is_western(*before));
            continue;
        }
        hidden |= waits && is_western(c);
        waits = false;
        word.push(match c {
            '\u{2018}' | '\u{2019}' | '\u{02bc}' => '\'',
            '\u{2010}'..='\u{2012}' => '-',
            c => c,
        });
    }
    let latin = word.iter().filter(|c| c.is_ascii_alphabetic()).count();
    let alike = word.iter().filter(|c| looks_like(**c).is_some()).count();
    let letters = word.iter().filter(|c| c.is_alphabetic()).count();
    // A word of one other script is a word of that language.
    let mixed = latin > 0 && alike > 0 && letters >= 4 && latin + alike == letters;
    folded.disguises += usize::from(hidden) + usize::from(mixed);
    folded.text.extend(
        word.iter()
            .copied()
            .map(|c| if mixed { looks_like(c).unwrap_or(c) } else { c }),
    );
}

fn has_no_width(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// A letter of the Latin, Greek or Cyrillic script.
fn is_western(c: char) -> bool {
    c.is_alphabetic() && c < '\u{530}'
}

/// A letter drawn as a symbol: mathematical, or in a circle.
fn is_drawn(c: char) -> bool {
    matches!(c, '\u{1d400}'..='\u{1d7ff}' | '\u{24b6}'..='\u{24e9}' | '\u{1f130}'..='\u{1f189}')
}

/// The Latin letter that a Cyrillic or Greek one looks like.
fn looks_like(c: char) -> Option<char> {
    Some(match c {
        'а' | 'α' => 'a',
        'с' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'є' | 'ε' => 'e',
        'һ' => 'h',
        'і' | 'ι' => 'i',
        'ј' => 'j',
        'к' | 'κ' => 'k',
        'ӏ' => 'l',
        'о' | 'ο' => 'o',
        'р' | 'ρ' => 'p',
        'ԛ' => 'q',
        'ѕ' => 's',
        'т' | 'τ' => 't',
        'υ' => 'u',
        'ν' => 'v',
        'ԝ' => 'w',
        'х' | 'χ' => 'x',
        'у' => 'y',
        'в' => 'b',
        'н' => 'h',
        'м' => 'm',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disguised_word_is_the_word_it_looks_like() {
        for (text, expected, disguised) in [
            ("Hello World", "hello world", false),
            (
                "v\u{200b}er\u{200b}ify your acc\u{200b}ount",
                "verify your account",
                true,
            ),
            // Cyrillic а and о among Latin letters.
            ("p\u{430}yp\u{430}l acc\u{43e}unt", "paypal account", true),
            ("𝐟𝐫𝐞𝐞 𝐦𝐨𝐧𝐞𝐲", "free money", true),
            ("ＦＲＥＥ", "free", false),
            ("ﬁne", "fine", false),
            // Words of other languages, units, emoji, a soft hyphen at an end, joiners that a script needs.
            ("Привет, как дела", "привет, как дела", false),
            ("5 μs, Δt", "5 μs, δt", false),
            ("don\u{2019}t", "don't", false),
            ("क्\u{200d}ष", "क्ष", false),
            ("ok 👩\u{200d}🔬", "ok 👩🔬", false),
            ("café \u{200b}\u{200b} soup", "café  soup", false),
        ] {
            let folded = fold(text, 999);
            assert_eq!(
                (folded.text.as_str(), folded.disguises > 0),
                (expected, disguised),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_cut_is_cut_between_letters() {
        assert_eq!(fold("ééé", 3).text, "é");
    }
}
