//! The text about an entry of MT940.
//!
//! What: [`EntryText`], who was paid and the payment's number, of the fields of German banks (`?20`), of words between slashes (`/NAME/`), or of free
//! text. Why: the standard leaves this field to the banks. Not here: the entry (`mt940`).

use super::narration;

/// The letters of a line in the fields of German banks; a longer text goes on in the next.
const LINE_LETTERS: usize = 27;
/// Characters in a line of the field; a longer text goes on in the next.
const LINE_CHARS: usize = 65;
/// What stands before the number of each part: the standard of German banks has the first.
const SIGNS: [char; 3] = ['?', '^', '>'];
/// Words that part the remittance of a payment by SEPA.
const PARTS: [&str; 11] = [
    "EREF+", "KREF+", "MREF+", "CRED+", "DEBT+", "COAM+", "OAMT+", "SVWZ+", "ABWA+", "ABWE+", "IBAN+",
];

/// Words behind which the next part of a text stands, where a name stood before them.
const NEXT_WORDS: [&str; 9] = [
    "OMSCHRIJVING:",
    "KENMERK:",
    "BETALINGSKENM.:",
    "MACHTIGING:",
    "INCASSANT:",
    "IBAN:",
    "BIC:",
    "VOOR:",
    "/",
];

/// What is known of an entry.
#[derive(Debug, Default)]
pub(super) struct EntryText {
    name: String,
    /// For whom somebody else paid or was paid.
    paid_for: String,
    collected_for: String,
    remittance: String,
    end_to_end: String,
    /// What the bank calls it.
    kind: String,
}

impl EntryText {
    /// The field `:86:`.
    pub(super) fn parse(field: &str) -> Self {
        let field = field.trim_start();
        let is_coded = field.len() > 4 && field.bytes().take(3).all(|byte| byte.is_ascii_digit());
        let sign = field.chars().nth(3).filter(|sign| SIGNS.contains(sign));
        if let Some(sign) = sign.filter(|_| is_coded) {
            return Self::coded(field, sign);
        }
        let line = one_line(field);
        let name = between_slashes(&line)
            .or_else(|| behind_its_word(&line))
            .map(str::to_owned)
            .or_else(|| at_a_till(field));
        if let Some(name) = name {
            return Self {
                name,
                ..Self::default()
            };
        }
        Self {
            remittance: line,
            ..Self::default()
        }
    }

    /// The same, with what the entry itself says where the field says nothing.
    pub(super) fn or_stated(mut self, stated: &str) -> Self {
        // Between slashes stand sums and codes, as in "/OCMT/EUR2000,/".
        if self.payee(true).is_empty() && self.payee(false).is_empty() && !stated.contains('/') {
            stated.trim().clone_into(&mut self.remittance);
        }
        self
    }

    /// `106?00KARTENZAHLUNG?20…?32…`: a number of two digits before each part.
    fn coded(field: &str, sign: char) -> Self {
        let mut out = Self::default();
        let mut remittance = String::new();
        for part in field.replace('\n', "").split(sign).skip(1) {
            let (Some(number), Some(value)) = (part.get(..2), part.get(2..)) else {
                continue;
            };
            match number {
                "00" => value.clone_into(&mut out.kind),
                "20" | "21" | "22" | "23" | "24" | "25" | "26" | "27" | "28" | "29" | "60" | "61" | "62"
                | "63" => {
                    add_line(&mut remittance, value);
                }
                "32" | "33" => add_line(&mut out.name, value),
                _ => {}
            }
        }
        // What stands before the first word belongs to none of them.
        let mut rest = remittance.as_str();
        let mut word = "SVWZ+";
        loop {
            let next = PARTS
                .into_iter()
                .filter_map(|part| Some((rest.find(part)?, part)))
                .min();
            let (value, behind) = match next {
                Some((at, part)) => (rest.get(..at), rest.get(at + part.len()..)),
                None => (Some(rest), None),
            };
            let value = value.unwrap_or_default().trim();
            let text = match word {
                "SVWZ+" => Some(&mut out.remittance),
                "EREF+" => Some(&mut out.end_to_end),
                "ABWA+" => Some(&mut out.paid_for),
                "ABWE+" => Some(&mut out.collected_for),
                _ => None,
            };
            if let Some(text) = text.filter(|_| !value.is_empty()) {
                value.clone_into(text);
            }
            let (Some((_, part)), Some(behind)) = (next, behind) else {
                return out;
            };
            (word, rest) = (part, behind);
        }
    }

    /// Who was paid, of money that came who paid; without a name its text.
    pub(super) fn payee(&self, is_credit: bool) -> &str {
        let other = if is_credit {
            &self.paid_for
        } else {
            &self.collected_for
        };
        let told = [other, &self.name, &self.remittance, &self.kind];
        told.into_iter()
            .find(|text| !narration::is_nothing(text))
            .map_or("", String::as_str)
    }

    /// The number that a message of the same payment shows too.
    pub(super) fn number(&self) -> Option<String> {
        narration::number(&self.end_to_end).or_else(|| narration::number(&self.remittance))
    }
}

/// `/TRTP/SEPA OVERBOEKING/NAME/Corner Bakery/REMI/bread`.
fn between_slashes(line: &str) -> Option<&str> {
    let mut words = line.split('/').map(str::trim);
    words.find(|word| *word == "NAME")?;
    words.next()
}

/// `SEPA OVERBOEKING IBAN: NL00XXXX BIC: XXXX NAAM: Corner Bakery OMSCHRIJVING: bread`.
fn behind_its_word(line: &str) -> Option<&str> {
    let (_, behind) = line.split_once("NAAM:")?;
    let end = NEXT_WORDS.iter().filter_map(|word| behind.find(word)).min();
    Some(behind.get(..end.unwrap_or(behind.len()))?.trim())
}

/// What Dutch banks write of a card at a till or a machine: `BEA   NR:A1B2C3   23.12.26/13.05 SHOP 12,PAS123 TOWN`, or since some years
/// `BEA, Betaalpas      SHOP 12,PAS123      NR:A1B2C3, 23.12.26/13:05      TOWN`. Columns stand two spaces apart at least, or on lines of
/// their own.
fn at_a_till(field: &str) -> Option<String> {
    let is_card = ["BEA", "GEA"].iter().any(|how| field.starts_with(how));
    let (before, _) = field.split_once(",PAS").filter(|_| is_card)?;
    let columns = before.replace('\n', "  ");
    let name = columns.rsplit("  ").next()?.trim();
    let is_moment = |word: &str| word.contains('/') && word.starts_with(|first: char| first.is_ascii_digit());
    let name = match name.split_once(' ') {
        Some((moment, rest)) if is_moment(moment) => rest,
        _ => name,
    };
    Some(name.trim().to_owned())
}

/// A text that was broken into lines: one that was full goes on without a space.
fn one_line(field: &str) -> String {
    let mut text = String::new();
    let mut is_full = true;
    for line in field.lines() {
        if !is_full {
            text.push(' ');
        }
        text.push_str(line);
        is_full = line.chars().count() >= LINE_CHARS;
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Adds the next line of a text: one that was full goes on without a space.
fn add_line(text: &mut String, line: &str) {
    let is_full = text.chars().count().is_multiple_of(LINE_LETTERS);
    if !text.is_empty() && !is_full && !PARTS.iter().any(|part| text.ends_with(part)) {
        text.push(' ');
    }
    text.push_str(line);
}
