//! vCards: from bytes to names with addresses and numbers.
//!
//! What: [`read_cards`], of vCard 2.1, 3.0 and 4.0. Why: what people are called, and which addresses are one person's, is all that is wanted, so
//! pictures and every other property are dropped before anything is parsed. Not here: which files there are (`mod`), who is one person
//! (`people`), the grammar of a property (`calcard`).

use agents_base::shared::{PARSER_GAVE_UP, SkipCode, guarded};
use calcard::{
    Entry, Parser,
    vcard::{VCard, VCardEntry, VCardKind, VCardProperty, VCardValue},
};
use encoding_rs::{Encoding, WINDOWS_1252};
use memchr::memchr;
use std::{borrow::Cow, collections::BTreeSet};
use toolcall_schema::catalogue::shared::DisplayLabel;

/// A card that cannot be read.
pub(crate) const BROKEN_CARD: SkipCode = SkipCode {
    code: "AGENT-040",
    message: "this card has no end, more than 64 KiB without its pictures, or neither a name nor an address: it is left out",
};
/// More cards than are kept.
pub(crate) const TOO_MANY_CARDS: SkipCode = SkipCode {
    code: "AGENT-041",
    message: "there are more than 20000 contacts: the rest is left out, allow fewer address books",
};
/// A mail address or a number that is none, or one too many.
pub(crate) const BAD_ADDRESS: SkipCode = SkipCode {
    code: "AGENT-042",
    message: "an address or a number of this card cannot be read or is beyond the 32nd: only that is left out",
};
/// A card that is a list of people.
pub(crate) const LIST_OF_PEOPLE: SkipCode = SkipCode {
    code: "AGENT-044",
    message: "this card is a list of people, not a person: it is left out, its members are read from their own cards",
};

/// Cards that are kept of all sources together.
pub(crate) const MAX_CARDS: usize = 20_000;
/// Bytes of a card without its pictures.
const MAX_CARD: usize = 64 * 1024;
/// Addresses and numbers of one card.
const MAX_ADDRESSES: usize = 32;
/// Characters of an address (RFC 5321).
const MAX_ADDRESS: usize = 254;
/// Digits of a number (E.164); fewer are an extension or a service.
const DIGITS: std::ops::RangeInclusive<usize> = 5..=15;
/// The properties that are looked at; a worker that reads cards on a server lets nothing else of them pass.
pub const CARD_PROPERTIES: [&str; 9] = [
    "VERSION",
    "FN",
    "N",
    "NICKNAME",
    "ORG",
    "EMAIL",
    "TEL",
    "KIND",
    "X-ADDRESSBOOKSERVER-KIND",
];

/// One person. Not `Debug`: it holds text from outside, which stays in this agent's memory.
#[derive(Clone, PartialEq, Eq, Default)]
pub(super) struct ParsedCard {
    /// What the owner calls them.
    pub(super) name: Option<String>,
    /// Mail addresses in lower case, then numbers as [`phone_number`] writes them, each in the card's order and once.
    pub(super) addresses: Vec<String>,
}

/// What was read of one file.
#[derive(Default)]
pub(super) struct ParsedCards {
    pub(super) cards: Vec<ParsedCard>,
    /// Code, line of the card's `BEGIN`, how many.
    pub(super) skips: Vec<(SkipCode, u64, u32)>,
}

/// Reads the cards of a file; at most `most` of them.
pub(super) fn read_cards(bytes: &[u8], most: usize) -> ParsedCards {
    let mut out = ParsedCards::default();
    let bytes = as_lines(bytes);
    let mut open: Option<UnfinishedCard> = None;
    let mut over = 0;
    let mut over_at = 0;
    for (line, number) in lines(&bytes).zip(1..) {
        let says = |what: &str| line.trim_ascii_end().eq_ignore_ascii_case(what.as_bytes());
        if says("BEGIN:VCARD") {
            match &mut open {
                // An agent's card within a card (2.1).
                Some(card) if card.in_agent => card.depth += 1,
                Some(_) | None => {
                    if let Some(card) = open.replace(UnfinishedCard::new(number)) {
                        out.skips.push((BROKEN_CARD, card.line, 1));
                    }
                }
            }
        } else if says("END:VCARD") {
            match &mut open {
                Some(card) if card.depth > 0 => {
                    card.depth -= 1;
                    card.in_agent = card.depth > 0;
                }
                Some(_) => {
                    let Some(card) = open.take() else { continue };
                    if out.cards.len() >= most {
                        over += 1;
                        over_at = if over_at == 0 { card.line } else { over_at };
                    } else {
                        card.close(&mut out);
                    }
                }
                None => {}
            }
        } else if let Some(card) = open.as_mut().filter(|card| card.depth == 0) {
            card.add(line);
        }
    }
    if let Some(card) = open {
        out.skips.push((BROKEN_CARD, card.line, 1));
    }
    if over > 0 {
        out.skips.push((TOO_MANY_CARDS, over_at, over));
    }
    out
}

/// Lines of UTF-8 or of one byte a letter: UTF-16 is put into UTF-8, and lines that end in a carriage return alone into lines.
fn as_lines(bytes: &[u8]) -> Cow<'_, [u8]> {
    let bytes = match Encoding::for_bom(bytes) {
        Some((encoding, _)) => match encoding.decode(bytes).0 {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        },
        None => Cow::Borrowed(bytes),
    };
    if memchr(b'\n', &bytes).is_some() || memchr(b'\r', &bytes).is_none() {
        return bytes;
    }
    let newline = |byte: &u8| if *byte == b'\r' { b'\n' } else { *byte };
    Cow::Owned(bytes.iter().map(newline).collect())
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = bytes.split(|byte| *byte == b'\n');
    lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

/// A card whose end has not come yet.
struct UnfinishedCard {
    line: u64,
    /// Its wanted properties, a line each or folded as they were.
    kept: Vec<u8>,
    /// Whether the property that is open is wanted.
    wanted: bool,
    /// Whether the line before ended in a soft break of quoted-printable.
    soft: bool,
    quoted: bool,
    too_large: bool,
    /// Whether the property that is open is `AGENT`, and how many cards lie within this one.
    in_agent: bool,
    depth: u32,
}

impl UnfinishedCard {
    fn new(line: u64) -> Self {
        Self {
            line,
            kept: b"BEGIN:VCARD\r\n".to_vec(),
            wanted: false,
            soft: false,
            quoted: false,
            too_large: false,
            in_agent: false,
            depth: 0,
        }
    }

    fn add(&mut self, line: &[u8]) {
        let goes_on = self.soft || line.first().is_some_and(|first| matches!(first, b' ' | b'\t'));
        if !goes_on {
            let Some(head) = memchr(b':', line).and_then(|at| line.get(..at)) else {
                // Base64 that is not folded, or nothing.
                return;
            };
            let head = head.to_ascii_uppercase();
            let name = head.split(|byte| *byte == b';').next().unwrap_or_default();
            let name = name.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
            let name = name.trim_ascii();
            self.wanted = CARD_PROPERTIES.iter().any(|wanted| wanted.as_bytes() == name);
            self.in_agent = name == b"AGENT";
            self.quoted = memchr::memmem::find(&head, b"QUOTED-PRINTABLE").is_some();
        }
        self.soft = self.quoted && line.last() == Some(&b'=');
        if !self.wanted {
            return;
        }
        if self.kept.len() + line.len() > MAX_CARD {
            self.too_large = true;
            return;
        }
        if goes_on {
            self.kept.extend_from_slice(line);
        } else {
            self.kept.extend(with_named_encoding(line));
        }
        self.kept.extend_from_slice(b"\r\n");
    }

    fn close(self, out: &mut ParsedCards) {
        let mut skip = |code, count| out.skips.push((code, self.line, count));
        if self.too_large {
            return skip(BROKEN_CARD, 1);
        }
        let mut kept = self.kept;
        kept.extend_from_slice(b"END:VCARD\r\n");
        let text = text_of(&kept);
        let Some(entry) = guarded(|| Parser::new(&text).entry()) else {
            return skip(PARSER_GAVE_UP, 1);
        };
        let Entry::VCard(card) = entry else {
            return skip(BROKEN_CARD, 1);
        };
        if is_list(&card) {
            return skip(LIST_OF_PEOPLE, 1);
        }
        let (addresses, bad) = addresses_of(&card);
        let name = name_of(&card);
        if bad > 0 {
            skip(BAD_ADDRESS, bad);
        }
        if name.is_none() && addresses.is_empty() {
            return skip(BROKEN_CARD, 1);
        }
        out.cards.push(ParsedCard { name, addresses });
    }
}

/// A property whose encoding is named as 2.1 may: `;QUOTED-PRINTABLE` is `;ENCODING=QUOTED-PRINTABLE`.
fn with_named_encoding(line: &[u8]) -> Vec<u8> {
    const BARE: &[u8] = b";QUOTED-PRINTABLE";
    let head = memchr(b':', line)
        .and_then(|at| line.get(..at))
        .unwrap_or_default();
    let bare = memchr::memmem::find(&head.to_ascii_uppercase(), BARE);
    match bare.and_then(|at| line.split_at_checked(at)) {
        Some((before, rest)) => [
            before,
            b";ENCODING=QUOTED-PRINTABLE",
            rest.get(BARE.len()..).unwrap_or_default(),
        ]
        .concat(),
        None => line.to_vec(),
    }
}

/// A card's text: UTF-8, else in the charset that it names, else in that of western Windows.
fn text_of(card: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(card) {
        return Cow::Borrowed(text);
    }
    const CHARSET: &[u8] = b"CHARSET=";
    let upper = card.to_ascii_uppercase();
    let named = memchr::memmem::find(&upper, CHARSET).and_then(|at| {
        let rest = upper.get(at + CHARSET.len()..)?;
        let label = rest.split(|byte| matches!(byte, b';' | b':' | b'\r')).next()?;
        Encoding::for_label(label)
    });
    named.unwrap_or(WINDOWS_1252).decode(card).0
}

fn is_list(card: &VCard) -> bool {
    card.entries.iter().any(|entry| {
        let apple = matches!(&entry.name, VCardProperty::Other(name) if name.eq_ignore_ascii_case("X-ADDRESSBOOKSERVER-KIND"));
        match entry.values.first() {
            Some(VCardValue::Kind(kind)) => *kind == VCardKind::Group,
            Some(VCardValue::Text(text)) => apple && text.trim().eq_ignore_ascii_case("group"),
            Some(_) | None => false,
        }
    })
}

fn entries<'a>(card: &'a VCard, name: &'a VCardProperty) -> impl Iterator<Item = &'a VCardEntry> {
    card.entries.iter().filter(move |entry| entry.name == *name)
}

/// The parts of a value, each as text.
fn parts(entry: &VCardEntry) -> impl Iterator<Item = String> {
    entry.values.iter().map(|value| match value {
        VCardValue::Text(text) => mended(text),
        VCardValue::Component(texts) => mended(&texts.join(" ")),
        // A name that looks like a number or a date is still a name; calcard reads none of these properties so.
        VCardValue::Integer(_)
        | VCardValue::Float(_)
        | VCardValue::Boolean(_)
        | VCardValue::PartialDateTime(_)
        | VCardValue::Binary(_)
        | VCardValue::Sex(_)
        | VCardValue::GramGender(_)
        | VCardValue::Kind(_) => String::new(),
    })
}

/// What a person is called: as the card is shown (`FN`), else by the parts of the name, the nickname, the firm.
fn name_of(card: &VCard) -> Option<String> {
    let shown = entries(card, &VCardProperty::Fn).flat_map(parts);
    let by_parts = entries(card, &VCardProperty::N).map(|entry| {
        let mut parts = parts(entry);
        let family = parts.next().unwrap_or_default();
        let given = parts.next().unwrap_or_default();
        let more = parts.next().unwrap_or_default();
        [given, more, family].join(" ")
    });
    let others = [VCardProperty::Nickname, VCardProperty::Org];
    let others = others.iter().flat_map(|name| entries(card, name)).flat_map(parts);
    shown
        .chain(by_parts)
        .chain(others)
        .find_map(|text| clean_name(&text))
}

/// A name in one line, without marks that turn the direction of what stands around it.
fn clean_name(text: &str) -> Option<String> {
    let plain: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .filter(|c| !turns_direction(*c))
        .collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    // Cut as every other name is.
    DisplayLabel::sanitize(&words.join(" ")).map(|name| name.as_str().to_owned())
}

fn turns_direction(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Addresses and numbers, and how many could not be read or are too many.
fn addresses_of(card: &VCard) -> (Vec<String>, u32) {
    let mails =
        entries(card, &VCardProperty::Email).map(|entry| value_of(entry).map(|text| mail_address(&text)));
    let numbers =
        entries(card, &VCardProperty::Tel).map(|entry| value_of(entry).map(|text| phone_number(&text)));
    let (mut addresses, mut known, mut bad) = (Vec::new(), BTreeSet::new(), 0_u32);
    // An empty value is no address that could be left out.
    for found in mails.chain(numbers).flatten() {
        match found {
            Some(address) if known.contains(&address) => {}
            Some(address) if addresses.len() < MAX_ADDRESSES => {
                known.insert(address.clone());
                addresses.push(address);
            }
            Some(_) | None => bad += 1,
        }
    }
    (addresses, bad)
}

fn value_of(entry: &VCardEntry) -> Option<String> {
    let text = parts(entry).next()?;
    (!text.trim().is_empty()).then_some(text)
}

/// A mail address in lower case; `None`: it is none.
fn mail_address(text: &str) -> Option<String> {
    let text: String = text.chars().filter(|c| !turns_direction(*c)).collect();
    let text = text.trim();
    // Some write the name beside it.
    let inner = text.rsplit_once('<').and_then(|(_, rest)| rest.split_once('>'));
    let text = inner.map_or(text, |(address, _)| address.trim());
    let text = text
        .get(..7)
        .filter(|head| head.eq_ignore_ascii_case("mailto:"))
        .map_or(text, |head| text.strip_prefix(head).unwrap_or(text));
    let (local, host) = text.rsplit_once('@')?;
    let fits = !local.is_empty()
        && !host.is_empty()
        && text.chars().count() <= MAX_ADDRESS
        && !text.chars().any(|c| c.is_whitespace() || c.is_control());
    fits.then(|| text.to_lowercase())
}

/// A number with digits alone, `+` before one that names its country; `None`: it is none. Nothing is guessed: `07700 900123` is not taken for
/// `+44 7700 900123`.
pub(crate) fn phone_number(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text
        .get(..4)
        .filter(|head| head.eq_ignore_ascii_case("tel:"))
        .map_or(text, |head| text.strip_prefix(head).unwrap_or(text));
    let text = text.split(';').next().unwrap_or_default();
    let mut number = String::new();
    let abroad = text.starts_with(['+', '\u{ff0b}']) || text.starts_with("00");
    let text = if abroad {
        text.replacen("(0)", "", 1)
    } else {
        text.to_owned()
    };
    for c in text.chars() {
        match c {
            '0'..='9' => number.push(c),
            '+' | '\u{ff0b}' if number.is_empty() => number.push('+'),
            ' '
            | '\u{a0}'
            | '\u{202f}'
            | '\u{2009}'
            | '-'
            | '.'
            | '/'
            | '('
            | ')'
            | '\u{2010}'..='\u{2015}' => {}
            c if turns_direction(c) => {}
            _ => return None,
        }
    }
    let number = match number.strip_prefix("00") {
        Some(rest) => format!("+{rest}"),
        None => number,
    };
    let digits = number.trim_start_matches('+').len();
    DIGITS.contains(&digits).then_some(number)
}

/// Text that was UTF-8 and was read as a charset of one byte a letter: quoted-printable that names none is read so.
fn mended(text: &str) -> String {
    let byte = |c: char| {
        u8::try_from(u32::from(c)).ok().or_else(|| {
            let letter = c.to_string();
            let (bytes, _, lost) = WINDOWS_1252.encode(&letter);
            match bytes.as_ref() {
                [byte] if !lost => Some(*byte),
                _ => None,
            }
        })
    };
    if text.is_ascii() {
        return text.to_owned();
    }
    let bytes: Option<Vec<u8>> = text.chars().map(byte).collect();
    bytes
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .unwrap_or_else(|| text.to_owned())
}
