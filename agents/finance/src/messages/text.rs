//! A message's letters as one alphabet, and its tokens.
//!
//! What: [`normalized`], NFKC with look-alike letters, digits and signs of other scripts as the plain ones; [`MessageText`], the
//! tokens with their sentences. Why: a slot is a place among tokens, and whoever writes `Rs` in mathematical letters means `Rs`.
//! Not here: what the tokens mean (`words`, `money`, `accounts`, `dates`, `payee`).

use super::word_lists::BEHIND_DIGITS;
use super::words::{currency_capital, currency_word};
use unicode_normalization::UnicodeNormalization;

/// The most characters of a message that are looked at, after NFKC, which can make one character eighteen.
const MAX_CHARS: usize = 4096;

/// A part of the normalized text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextSpan {
    /// Of the first byte.
    pub start: usize,
    /// Behind the last byte.
    pub end: usize,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// Letters, with an apostrophe or `&` between them, and `a/c`.
    Word,
    /// Digits with groups and decimals.
    Number,
    /// Letters and digits: `XX8841`, `03NOV26`.
    Mixed,
    /// `name@host`.
    Address,
    /// The address of a page.
    Link,
    /// One other sign.
    Sign(char),
    /// A new line.
    Line,
}

/// A token of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: TextSpan,
    /// Whether white space stands before it.
    pub(super) spaced: bool,
    /// The number of its sentence; a new line begins one.
    pub(super) sentence: usize,
    /// Whether it belongs to what any message of a bank says: whom to call, what never to share.
    pub(super) cut: bool,
}

/// A message's text and tokens.
pub(super) struct MessageText {
    /// As written, normalized.
    pub(super) written: String,
    /// In small letters, of the same bytes.
    lower: String,
    pub(super) tokens: Vec<Token>,
}

impl MessageText {
    pub(super) fn new(body: &str) -> Self {
        let written = normalized(body);
        let lower: String = written.chars().map(small).collect();
        let mut tokens = tokens(&written, &lower);
        number_sentences(&written, &lower, &mut tokens);
        Self {
            written,
            lower,
            tokens,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// A token's text in small letters; empty where there is none.
    pub(super) fn low(&self, at: usize) -> &str {
        let span = self.tokens.get(at).map(|token| token.span);
        span.and_then(|span| self.lower.get(span.start..span.end))
            .unwrap_or_default()
    }

    /// A token's text as written.
    pub(super) fn raw(&self, at: usize) -> &str {
        let span = self.tokens.get(at).map(|token| token.span);
        span.and_then(|span| self.written.get(span.start..span.end))
            .unwrap_or_default()
    }

    pub(super) fn kind(&self, at: usize) -> TokenKind {
        self.tokens.get(at).map_or(TokenKind::Line, |token| token.kind)
    }

    pub(super) fn is_sign(&self, at: usize, signs: &[char]) -> bool {
        match self.kind(at) {
            TokenKind::Sign(sign) => signs.contains(&sign),
            TokenKind::Word
            | TokenKind::Number
            | TokenKind::Mixed
            | TokenKind::Address
            | TokenKind::Link
            | TokenKind::Line => false,
        }
    }

    pub(super) fn is_spaced(&self, at: usize) -> bool {
        self.tokens.get(at).is_none_or(|token| token.spaced)
    }

    pub(super) fn sentence(&self, at: usize) -> usize {
        self.tokens.get(at).map_or(usize::MAX, |token| token.sentence)
    }

    pub(super) fn is_cut(&self, at: usize) -> bool {
        self.tokens.get(at).is_none_or(|token| token.cut)
    }

    /// The bytes from one token to before another.
    pub(super) fn span(&self, from: usize, to: usize) -> TextSpan {
        let start = self.tokens.get(from).map_or(0, |token| token.span.start);
        let last = self.tokens.get(to.saturating_sub(1));
        TextSpan {
            start,
            end: last.map_or(start, |token| token.span.end).max(start),
        }
    }

    pub(super) fn written_at(&self, span: TextSpan) -> &str {
        self.written.get(span.start..span.end).unwrap_or_default()
    }

    pub(super) fn lower_at(&self, span: TextSpan) -> &str {
        self.lower.get(span.start..span.end).unwrap_or_default()
    }

    /// All of it in small letters.
    pub(super) fn lower(&self) -> &str {
        &self.lower
    }

    /// Where a phrase ends that begins with this token; signs between its words do not count. `None` when another stands there.
    pub(super) fn phrase(&self, at: usize, phrase: &str) -> Option<usize> {
        let first = self.low(at);
        if first.is_empty() || !phrase.starts_with(first) {
            return None;
        }
        let mut words = phrase.split(' ');
        if words.next()? != first {
            return None;
        }
        let mut at = at + 1;
        for word in words {
            while matches!(self.kind(at), TokenKind::Sign(_)) {
                at += 1;
            }
            if self.low(at) != word {
                return None;
            }
            at += 1;
        }
        Some(at)
    }

    /// Whether one of the phrases begins with this token.
    pub(super) fn is_phrase(&self, at: usize, phrases: &[&str]) -> bool {
        // Most phrases begin with another letter, and this is asked for each phrase at each token.
        let Some(first) = self.low(at).as_bytes().first() else {
            return false;
        };
        phrases
            .iter()
            .any(|phrase| phrase.as_bytes().first() == Some(first) && self.phrase(at, phrase).is_some())
    }
}

/// A letter in small; one whose small form has other bytes stays.
fn small(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) if one.len_utf8() == c.len_utf8() => one,
        _ => c,
    }
}

/// A message as one alphabet: NFKC; no signs without width; digits of other scripts, dashes, quotation marks and bullets as the
/// plain ones; look-alike letters within Latin words as Latin; a space for any white space, a new line for any that has one.
pub(super) fn normalized(body: &str) -> String {
    let mut out: Vec<char> = Vec::with_capacity(body.len());
    for c in body.nfkc().take(MAX_CHARS) {
        if is_blank(c) {
            continue;
        }
        let c = plain(c);
        if c.is_whitespace() {
            let line = matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}');
            match out.last_mut() {
                Some(last) if *last == '\n' => {}
                Some(last) if *last == ' ' && line => {
                    *last = '\n';
                }
                Some(_) => out.push(if line { '\n' } else { ' ' }),
                None => {}
            }
        } else if !c.is_control() {
            out.push(c);
        }
    }
    while out.last().is_some_and(|c| c.is_whitespace()) {
        out.pop();
    }
    latinize(&mut out);
    out.into_iter().collect()
}

/// Signs that take no place, and those that only change the direction of writing.
fn is_blank(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

fn plain(c: char) -> char {
    let digit = |zero: u32| char::from_digit(u32::from(c).wrapping_sub(zero), 10).unwrap_or(c);
    match c {
        '‘' | '’' | '‛' | 'ʼ' | '`' | '´' => '\'',
        '“' | '”' | '„' | '«' | '»' => '"',
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' => '-',
        '•' | '●' | '∙' | '·' | '■' | '▪' | '×' => '*',
        '\u{660}'..='\u{669}' => digit(0x660),
        '\u{6f0}'..='\u{6f9}' => digit(0x6f0),
        '\u{966}'..='\u{96f}' => digit(0x966),
        '\u{9e6}'..='\u{9ef}' => digit(0x9e6),
        _ => c,
    }
}

/// Letters of Cyrillic and Greek that look like these.
const LOOK_ALIKES: &[(char, char)] = &[
    ('А', 'A'),
    ('В', 'B'),
    ('С', 'C'),
    ('Е', 'E'),
    ('Н', 'H'),
    ('І', 'I'),
    ('Ј', 'J'),
    ('К', 'K'),
    ('М', 'M'),
    ('О', 'O'),
    ('Р', 'P'),
    ('Ѕ', 'S'),
    ('Т', 'T'),
    ('Х', 'X'),
    ('У', 'Y'),
    ('а', 'a'),
    ('с', 'c'),
    ('е', 'e'),
    ('һ', 'h'),
    ('і', 'i'),
    ('ј', 'j'),
    ('о', 'o'),
    ('р', 'p'),
    ('ѕ', 's'),
    ('х', 'x'),
    ('у', 'y'),
    ('ԁ', 'd'),
    ('ɡ', 'g'),
    ('ո', 'n'),
    ('ս', 'u'),
    ('Α', 'A'),
    ('Β', 'B'),
    ('Ε', 'E'),
    ('Ζ', 'Z'),
    ('Η', 'H'),
    ('Ι', 'I'),
    ('Κ', 'K'),
    ('Μ', 'M'),
    ('Ν', 'N'),
    ('Ο', 'O'),
    ('Ρ', 'P'),
    ('Τ', 'T'),
    ('Υ', 'Y'),
    ('Χ', 'X'),
    ('ο', 'o'),
    ('ν', 'v'),
    ('ι', 'i'),
    ('α', 'a'),
    ('ρ', 'p'),
    ('ı', 'i'),
];

/// Puts Latin letters for look-alikes, in words that have Latin letters, and in others of look-alikes alone where most of the
/// message is Latin. A name in another script stays.
fn latinize(text: &mut [char]) {
    let latin = text.iter().filter(|c| c.is_ascii_alphabetic()).count();
    let other = text.iter().filter(|c| c.is_alphabetic() && !c.is_ascii()).count();
    if other == 0 {
        return;
    }
    let like = |c: char| LOOK_ALIKES.iter().find(|(from, _)| *from == c).map(|(_, to)| *to);
    for word in text.split_mut(|c| !c.is_alphabetic()) {
        let mixed = word.iter().any(char::is_ascii_alphabetic);
        let all = word.iter().all(|c| c.is_ascii() || like(*c).is_some());
        if mixed || (all && latin > other) {
            for c in word {
                *c = like(*c).unwrap_or(*c);
            }
        }
    }
}

/// Currencies that may stand before or behind digits without a space.
fn joins_digits(letters: &str) -> bool {
    currency_word(letters).is_some()
}

/// Letters that may stand behind a number without a space and are not of it.
fn ends_digits(letters: &str) -> bool {
    joins_digits(letters) || BEHIND_DIGITS.contains(&letters.to_ascii_lowercase().as_str())
}

fn tokens(written: &str, lower: &str) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::with_capacity(written.len() / 4);
    let mut at = 0;
    let mut spaced = true;
    while let Some(c) = written.get(at..).and_then(|rest| rest.chars().next()) {
        if c == ' ' {
            spaced = true;
            at += 1;
            continue;
        }
        let rest = written.get(at..).unwrap_or_default();
        let low = lower.get(at..).unwrap_or_default();
        let behind_letter = !spaced
            && out
                .last()
                .is_some_and(|t| t.kind == TokenKind::Word && t.span.end == at);
        let (kind, len) = if c == '\n' {
            (TokenKind::Line, 1)
        } else if let Some(len) = link(low).filter(|len| !is_shouted_host(rest, *len)) {
            (TokenKind::Link, len)
        } else if let Some(len) = address(rest).filter(|_| !behind_letter) {
            (TokenKind::Address, len)
        } else if c.is_ascii_digit() {
            digits(rest)
        } else if c.is_alphabetic() {
            letters(rest, low)
        } else {
            (TokenKind::Sign(c), c.len_utf8())
        };
        out.push(Token {
            kind,
            span: TextSpan {
                start: at,
                end: at + len,
            },
            spaced,
            sentence: 0,
            cut: false,
        });
        spaced = kind == TokenKind::Line;
        at += len;
    }
    out
}

/// The address of a page: `https://…`, `www.…`, or a host with a path.
fn link(low: &str) -> Option<usize> {
    let end = low.find([' ', '\n']).unwrap_or(low.len());
    let word = low.get(..end)?;
    if word.starts_with("http:") || word.starts_with("https:") || word.starts_with("www.") {
        return Some(end);
    }
    let (host, path) = word.split_once('/')?;
    let (name, zone) = host.rsplit_once('.')?;
    let plain = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'))
    };
    let is_zone = zone.len() >= 2 && zone.bytes().all(|b| b.is_ascii_lowercase());
    let is_name = name.bytes().any(|b| b.is_ascii_alphabetic());
    (plain(name)
        && is_name
        && is_zone
        && !path.is_empty()
        && zone != "no"
        && !matches!(name, "a" | "rs" | "upi" | "ref"))
    .then_some(end)
}

/// Whether a host with a path stands in capitals, as merchants write themselves: `PEAR.COM/BILL`.
fn is_shouted_host(rest: &str, len: usize) -> bool {
    let word = rest.get(..len).unwrap_or_default();
    !word.starts_with("WWW.")
        && !word.contains(':')
        && word.bytes().any(|b| b.is_ascii_uppercase())
        && !word.bytes().any(|b| b.is_ascii_lowercase())
}

/// An address such as `name@bank`.
fn address(rest: &str) -> Option<usize> {
    let name = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')))?;
    let local = rest.get(..name)?;
    let host = rest.get(name..)?.strip_prefix('@')?;
    if local.is_empty() || !host.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    // An amount or a date before "@SHOP" is none.
    let lower = local.to_ascii_lowercase();
    let digits = |text: &str| {
        text.bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-'))
    };
    let money = ["rs", "inr", "aed", "usd"]
        .iter()
        .any(|sign| lower.strip_prefix(sign).is_some_and(digits));
    let number = digits(local) && !local.bytes().all(|b| b.is_ascii_digit());
    if money || number {
        return None;
    }
    let len = host
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '.'))
        .unwrap_or(host.len());
    let host = host.get(..len)?;
    // A host ends before a full stop, and before a sentence that follows one without a space.
    let host = host.split_once('.').map_or(host, |(bank, behind)| {
        let domain = behind
            .split('.')
            .all(|part| (2..=4).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_lowercase()));
        if domain { host } else { bank }
    });
    Some(name + 1 + host.trim_end_matches(['.', '-']).len())
}

/// Digits with groups and decimals; with letters, a mixed token.
fn digits(rest: &str) -> (TokenKind, usize) {
    let plain = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let behind = rest.get(plain..).unwrap_or_default();
    if behind.starts_with(|c: char| c.is_ascii_alphabetic()) {
        let end = behind
            .find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(behind.len());
        let tail = behind.get(..end).unwrap_or_default();
        if ends_digits(tail) {
            return (TokenKind::Number, plain);
        }
        return (TokenKind::Mixed, plain + end);
    }
    let mut end = plain;
    let whole = rest;
    loop {
        let rest = whole.get(end..).unwrap_or_default();
        let mut signs = rest.chars();
        let joins = matches!(signs.next(), Some('.' | ',' | '\''))
            && signs.next().is_some_and(|c| c.is_ascii_digit());
        if !joins {
            return (TokenKind::Number, end);
        }
        let group = rest.get(1..).unwrap_or_default();
        let len = group.find(|c: char| !c.is_ascii_digit()).unwrap_or(group.len());
        // "12000.00,16-11-2026": a date behind the decimals.
        let decimals = whole.get(..end).and_then(|number| number.rsplit_once('.'));
        let dated = rest.starts_with(',')
            && decimals.is_some_and(|(_, decimals)| decimals.len() == 2)
            && group.get(len..).is_some_and(|rest| rest.starts_with(['-', '/']));
        if dated {
            return (TokenKind::Number, end);
        }
        end += 1 + len;
    }
}

/// Whether digits behind a capital look like an amount: groups, also by a space, decimals, or three digits and more, and no letter.
fn looks_paid(digits: &str) -> bool {
    let (kind, len) = self::digits(digits);
    let number = digits.get(..len).unwrap_or_default();
    let grouped = digits
        .get(len..)
        .and_then(|rest| rest.strip_prefix(' '))
        .is_some_and(|rest| {
            let group = rest.bytes().take_while(u8::is_ascii_digit).count();
            group == 3
                && !rest
                    .get(group..)
                    .unwrap_or_default()
                    .starts_with(char::is_alphabetic)
        });
    kind == TokenKind::Number && (number.contains([',', '.']) || number.len() >= 3 || grouped)
}

/// Letters; with digits behind them a mixed token, unless the letters are a currency.
fn letters(rest: &str, low: &str) -> (TokenKind, usize) {
    for short in ["a/cct", "a/ct", "a/c", "m/s"] {
        if let Some(behind) = low.strip_prefix(short)
            && !behind.starts_with(|c: char| c.is_alphabetic() && c != 'x')
        {
            return (TokenKind::Word, short.len());
        }
    }
    // M-Pesa writes the next word directly behind the time.
    let mut head = rest.chars().skip(2);
    let glued = head.next().is_some_and(char::is_uppercase) && head.next().is_some_and(char::is_lowercase);
    if (rest.starts_with("AM") || rest.starts_with("PM")) && glued {
        return (TokenKind::Word, 2);
    }
    let mut end = 0;
    let mut mixed = false;
    let mut chars = rest.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c.is_alphabetic() {
            end = at + c.len_utf8();
        } else if c.is_ascii_digit() {
            let head = rest.get(..at).unwrap_or_default();
            if !mixed
                && (joins_digits(head)
                    || (currency_capital(head).is_some() && looks_paid(rest.get(at..).unwrap_or_default())))
            {
                break;
            }
            mixed = true;
            end = at + 1;
        } else if matches!(c, '\'' | '&') && chars.peek().is_some_and(|(_, c)| c.is_alphabetic()) && !mixed {
            end = at + 1;
        } else {
            break;
        }
    }
    let kind = if mixed { TokenKind::Mixed } else { TokenKind::Word };
    (kind, end.max(rest.chars().next().map_or(1, char::len_utf8)))
}

/// Words whose point ends no sentence.
const SHORT: &[&str] = &[
    "rs", "no", "a/c", "ac", "acct", "acc", "ref", "avl", "avbl", "aval", "avail", "bal", "dr", "cr", "mr",
    "mrs", "ms", "m/s", "st", "inr", "amt", "dt", "ltd", "pvt", "co", "inc", "txn", "trxn", "trx", "tel",
    "sr", "jr", "min", "max", "nr", "bzgl", "ca", "tot", "ksh", "tsh", "ush", "sh", "dhs", "dh", "tk", "ghs",
    "nos", "approx", "cust", "lmt", "a", "u", "shs", "kto", "betr", "kt", "incl",
];

/// Numbers the sentences: one ends at `.`, `!` or `?` before a space, a line or a capital letter, and at each new line.
fn number_sentences(written: &str, lower: &str, tokens: &mut [Token]) {
    let mut sentence = 0;
    for at in 0..tokens.len() {
        let Some(token) = tokens.get(at).copied() else {
            break;
        };
        let next = tokens.get(at + 1);
        let before = at.checked_sub(1).and_then(|before| tokens.get(before)).copied();
        let ends = match token.kind {
            TokenKind::Line => true,
            TokenKind::Sign('!' | '?') => true,
            TokenKind::Sign('.') => {
                let word = before
                    .filter(|_| !token.spaced)
                    .and_then(|token| lower.get(token.span.start..token.span.end))
                    .unwrap_or_default();
                let short = SHORT.contains(&word)
                    || (word.len() == 1 && word.bytes().all(|b| b.is_ascii_alphabetic()));
                let capital = next
                    .and_then(|next| written.get(next.span.start..)?.chars().next())
                    .is_some_and(char::is_uppercase);
                let masked = before.is_some_and(|b| b.kind == TokenKind::Sign('.'))
                    || next.is_some_and(|n| n.kind == TokenKind::Sign('.'));
                let number = before.is_some_and(|b| {
                    matches!(
                        b.kind,
                        TokenKind::Number | TokenKind::Mixed | TokenKind::Address | TokenKind::Sign(')')
                    )
                });
                let apart = next.is_none_or(|next| next.spaced || next.kind == TokenKind::Line);
                !short && !masked && (apart || (capital && number))
            }
            TokenKind::Word
            | TokenKind::Number
            | TokenKind::Mixed
            | TokenKind::Address
            | TokenKind::Link
            | TokenKind::Sign(_) => false,
        };
        if let Some(token) = tokens.get_mut(at) {
            token.sentence = sentence;
        }
        sentence += usize::from(ends);
    }
}
