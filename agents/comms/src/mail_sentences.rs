//! A text as words and sentences.
//!
//! What: [`MailWords`], the words of a folded text with the ends of its sentences and paragraphs, and whether it names an amount, a time of
//! day or a code. Why: it is split once. Not here: cutting a text at white space (`mail_pieces`), what is counted in the sentences (`mail_text`).

use super::{
    mail_pieces::{MailPiece, MailPieces, PieceSigns},
    mail_vocabulary::{MailVocabulary, VOCABULARY, WordTrait},
};

/// The end of a sentence.
#[derive(Debug, Clone, Copy)]
pub(super) struct MailSentence {
    /// How many words of the text stand before it.
    pub(super) end: usize,
    pub(super) asks: bool,
    /// It ends a paragraph.
    pub(super) closes: bool,
    /// It ends with several signs.
    pub(super) loud: bool,
    /// It ends within quotation marks.
    pub(super) cited: bool,
    /// A smile stands in it, or behind it.
    pub(super) jests: bool,
}

/// A text as words, with the ends of its sentences.
pub(super) struct MailWords<'a> {
    pub(super) words: Vec<&'a MailPiece<'a>>,
    pub(super) sentences: Vec<MailSentence>,
    pub(super) links: usize,
    /// Smiles, and words that trail off in dots.
    pub(super) jests: usize,
    pub(super) trails: usize,
    pub(super) amount: bool,
    pub(super) clock: bool,
    pub(super) digits: bool,
    /// A smile stands behind the last end of a sentence.
    smiles: bool,
}

impl<'a> MailWords<'a> {
    pub(super) fn split(text: &'a MailPieces<'a>, most: usize) -> Self {
        let known = &*VOCABULARY;
        let mut found = Self {
            words: Vec::with_capacity(most.min(text.pieces.len())),
            sentences: Vec::new(),
            links: 0,
            jests: 0,
            trails: 0,
            smiles: false,
            amount: false,
            clock: false,
            digits: false,
        };
        let mut currency = false;
        for (line, pieces) in text.lines() {
            if line.trim().is_empty() {
                found.close();
            }
            for piece in pieces {
                if found.words.len() >= most {
                    found.close();
                    return found;
                }
                if piece.is_link() {
                    found.links += 1;
                    continue;
                }
                if is_smile(piece.text) {
                    found.smile();
                    continue;
                }
                let names_currency = is_currency(piece, known);
                if piece.signs.holds(PieceSigns::DIGIT) {
                    found.figure(piece, currency);
                    currency = false;
                } else {
                    found.amount |= names_currency && found.words.last().is_some_and(|word| is_sum(word));
                    currency = names_currency;
                }
                if !piece.word.is_empty() {
                    found.words.push(piece);
                } else if matches!(piece.text, "--" | "—" | "–" | "---") {
                    found.end(false);
                }
                // Most words end no sentence.
                if !piece.ends_bare() {
                    found.signs(piece);
                }
            }
            // A greeting stands on a line of its own.
            if found.sentences.is_empty() && line.trim_end().ends_with(',') {
                found.end(false);
            }
        }
        found.close();
        found
    }

    /// What a piece with digits says; `currency`: one stands before it.
    fn figure(&mut self, piece: &MailPiece<'_>, currency: bool) {
        let word = piece.word;
        self.amount |= currency
            || piece.text.contains(['$', '€', '£', '₹', '¥'])
            || CURRENCIES
                .iter()
                .any(|code| word.starts_with(code) || word.ends_with(code));
        self.clock |= is_clock(word);
        self.digits |= is_code(word);
    }

    /// What the signs at the end of a piece say.
    fn signs(&mut self, piece: &MailPiece<'_>) {
        let text = piece.text;
        self.trails += usize::from(text.ends_with("..") || text.ends_with('…'));
        let end = text.trim_end_matches(['"', '\'', ')', ']', '*', '_', '”', '»']);
        if end.ends_with(['?', '？', '‽']) || end.ends_with("?!") || text == "?" {
            self.end(true);
            if let Some(sentence) = self.sentences.last_mut() {
                sentence.loud |= end.ends_with("??") || end.ends_with("?!") || end.ends_with("!?");
                sentence.cited |= text.ends_with(['"', '”', '»', '\'']);
            }
        } else if end.ends_with(['.', '!', '。', ':', ';']) && piece.word.len() > 2 {
            self.end(false);
        }
    }

    fn smile(&mut self) {
        self.jests += 1;
        match self.sentences.last_mut() {
            Some(last) if last.end == self.words.len() => last.jests = true,
            _ => self.smiles = true,
        }
    }

    fn end(&mut self, asks: bool) {
        let end = self.words.len();
        let jests = std::mem::take(&mut self.smiles);
        match self.sentences.last_mut() {
            // "really?!"
            Some(known) if known.end == end => known.asks |= asks,
            _ if end > 0 => self.sentences.push(MailSentence {
                end,
                asks,
                closes: false,
                loud: false,
                cited: false,
                jests,
            }),
            _ => {}
        }
    }

    /// Ends a paragraph.
    fn close(&mut self) {
        self.end(false);
        if let Some(last) = self.sentences.last_mut() {
            last.closes = true;
        }
    }
}

/// `:-)` and its like, or a face.
fn is_smile(piece: &str) -> bool {
    // Most pieces begin as words do.
    if piece
        .as_bytes()
        .first()
        .is_some_and(|first| first.is_ascii_alphanumeric() && *first != b'8')
    {
        return false;
    }
    let bare = piece.trim_matches(['.', ',', '!', '?']);
    let is_sign = matches!(
        bare,
        ":)" | ":-)"
            | ";)"
            | ";-)"
            | ":-))"
            | ":))"
            | ":p"
            | ":-p"
            | ";p"
            | ";-p"
            | ":d"
            | ":-d"
            | ":>"
            | ":->"
            | ";>"
            | ";->"
            | "(:"
            | "(-:"
            | "(;"
            | "(;-"
            | "=)"
            | ":o)"
            | ";o)"
            | "8-)"
            | "8)"
            | "^_^"
            | "*g*"
            | "<g>"
            | "<grin>"
            | "*grin*"
            | ":-/"
            | ":/"
            | ":("
            | ":-("
    );
    is_sign
        || piece
            .chars()
            .next()
            .is_some_and(|c| matches!(c, '\u{1f600}'..='\u{1f64f}' | '\u{1f910}'..='\u{1f92f}' | '\u{263a}'))
}

pub(super) const CURRENCIES: [&str; 14] = [
    "usd", "eur", "gbp", "chf", "inr", "rs", "euro", "euros", "franken", "francs", "dollars", "rupees",
    "cad", "aud",
];

/// Whether a piece names a currency by itself.
fn is_currency(piece: &MailPiece<'_>, known: &MailVocabulary) -> bool {
    known.is(piece.number, WordTrait::Currency) || matches!(piece.text, "$" | "€" | "£" | "₹" | "fr.")
}

impl MailPiece<'_> {
    /// Whether it is a time of day.
    pub(super) fn names_clock(&self) -> bool {
        self.signs.holds(PieceSigns::DIGIT) && is_clock(self.word)
    }
}

/// Whether a word is digits with points or commas.
fn is_sum(word: &MailPiece<'_>) -> bool {
    word.word
        .bytes()
        .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b','))
}

/// `10:30`, `8.20`, `6pm`, `14h`.
fn is_clock(word: &str) -> bool {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let (hour, rest) = word.split_at(digits);
    let small = (1..=2).contains(&digits) && hour.parse::<u8>().is_ok_and(|hour| hour < 25);
    small
        && (matches!(rest, "am" | "pm" | "h" | "uhr" | "a.m" | "p.m")
            || rest.strip_prefix([':', '.', 'h']).is_some_and(|minutes| {
                let minutes = minutes.trim_end_matches("pm").trim_end_matches("am");
                minutes.len() == 2 && minutes.parse::<u8>().is_ok_and(|minutes| minutes < 60)
            }))
}

/// Four to eight digits, no year; or letters and digits in capitals are folded, so `g-123456` too.
fn is_code(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let year = word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
    let plain = word.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    (3..=8).contains(&digits)
        && !year
        && (plain
            || (word.len() <= 12
                && word.contains('-')
                && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of each sentence, `?` for a question, `.` for another, `|` behind it when it ends a paragraph.
    fn told(text: &str) -> String {
        let pieces = MailPieces::split(text);
        let found = MailWords::split(&pieces, 100);
        let mut begin = 0;
        let mut out = String::new();
        for sentence in &found.sentences {
            let count = sentence.end - begin;
            begin = sentence.end;
            out.push_str(&count.to_string());
            out.push(if sentence.asks { '?' } else { '.' });
            out.push_str(if sentence.closes { "|" } else { "" });
        }
        out
    }

    #[test]
    fn sentences_end_with_their_signs_and_paragraphs_with_an_empty_line() {
        for (text, expected) in [
            ("", ""),
            ("hello there", "2.|"),
            ("did it come? it did. thanks", "3?2.1.|"),
            ("did it come?\n\nit did.", "3?|2.|"),
            ("hi bo,\ndid it come?", "2.3?|"),
            ("it came -- or did it?", "2.3?|"),
            ("really?!\n\nyes", "1?|1.|"),
        ] {
            assert_eq!(told(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_question_is_loud_with_two_signs_and_cited_in_quotation_marks() {
        for (text, loud, cited) in [
            ("what is that?", false, false),
            ("what is that??", true, false),
            ("what is that?!", true, false),
            ("he said \"what is that?\"", false, true),
        ] {
            let pieces = MailPieces::split(text);
            let found = MailWords::split(&pieces, 100);
            let last = found.sentences.last().unwrap();
            assert_eq!((last.asks, last.loud, last.cited), (true, loud, cited), "{text}");
        }
    }
}
