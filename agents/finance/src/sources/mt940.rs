//! Statements of SWIFT's MT940, as banks of Germany and its neighbours give them.
//!
//! What: [`Mt940Statement`], an iterator over what such a file tells. Why: it is what many banks give beside CAMT, and what older programs keep. Not here:
//! the text about an entry (`mt940_text`), lines (`lines`).

use super::{
    END_OF_DAY, EntryCounter, FoundPayment, KnownBalance, NOON, PaymentOrdinal, SourceLocation,
    StatementItem,
    amount::{DecimalMark, NumberStyle, number},
    believable,
    currency::is_currency,
    fields,
    lines::{PieceReader, text},
    mt940_text::EntryText,
    narration,
    ofx::last4,
    on_day,
};
use crate::{
    claim::{NO_ACCOUNT, PaymentSource},
    code,
};
use agents_base::shared::{SOURCE_UNREADABLE, SkipCode};
use chrono::{Datelike, NaiveDate};
use chrono_tz::Tz;
use rust_decimal::Decimal;
use std::{collections::VecDeque, io::BufRead};
use toolcall_schema::signal::Direction;

/// The longest field that is believed, in bytes: the text about an entry has six lines of 65 letters.
const MAX_FIELD: usize = 4096;
/// Lines before the first message: headers of what carried it.
const MAX_BEFORE: u64 = 64;
/// Types of transaction of what a bank takes for itself: charges and commission.
const FEES: [&str; 2] = ["CHG", "COM"];

/// An entry, as written.
#[derive(Default)]
struct Mt940Entry {
    line: u64,
    /// The field `:61:`.
    stated: String,
    /// The field `:86:` that follows it.
    about: String,
}

/// A file that is read.
pub(crate) struct Mt940Statement<R> {
    input: PieceReader<R>,
    zone: Tz,
    piece: Vec<u8>,
    /// The tag whose lines are being read, and its text so far.
    tag: String,
    field: String,
    /// On which line it began.
    line: u64,
    account: String,
    currency: String,
    entry: Option<Mt940Entry>,
    /// Whether a message was found, and whether its closing balance is still to come.
    seen: bool,
    is_open: bool,
    made: EntryCounter,
    out: VecDeque<(SourceLocation, Result<StatementItem, SkipCode>)>,
    over: bool,
}

impl<R: BufRead> Mt940Statement<R> {
    /// A file of an owner in `zone`.
    pub(super) fn new(input: R, zone: Tz) -> Self {
        Self {
            input: PieceReader::new(input),
            zone,
            piece: Vec::new(),
            tag: String::new(),
            field: String::new(),
            line: 1,
            account: NO_ACCOUNT.to_owned(),
            currency: String::new(),
            entry: None,
            seen: false,
            is_open: false,
            made: EntryCounter::default(),
            out: VecDeque::new(),
            over: false,
        }
    }

    /// Bytes that were read.
    pub(super) fn read(&self) -> u64 {
        self.input.read
    }

    /// Takes the next line. False at the end of the file.
    fn step(&mut self) -> Result<bool, SkipCode> {
        if self.input.read == 0 {
            self.input.find_line_end().map_err(|_| SOURCE_UNREADABLE)?;
        }
        let begun = self.input.line;
        let end = self.input.line_end;
        let piece = self
            .input
            .until(end, &mut self.piece)
            .map_err(|_| SOURCE_UNREADABLE)?;
        if !piece.ended && self.piece.is_empty() {
            return Ok(false);
        }
        if !piece.whole {
            return Err(code::ROW_TOO_LONG);
        }
        let line = text(&self.piece).trim_end().to_owned();
        // The block of the text, where what carried the message was kept.
        let line = line.split_once("{4:").map_or(line.as_str(), |(_, text)| text);
        if is_end(line) {
            self.end_field();
            self.end_entry();
        } else if let Some((tag, value)) = tagged(line) {
            self.end_field();
            self.line = begun;
            tag.clone_into(&mut self.tag);
            value.clone_into(&mut self.field);
            self.seen |= tag == "20";
        } else if self.field.len() + line.len() < MAX_FIELD {
            self.field.push('\n');
            self.field.push_str(line);
        }
        if !self.seen && begun > MAX_BEFORE {
            return Err(code::NOT_A_STATEMENT);
        }
        Ok(true)
    }

    fn end_field(&mut self) {
        let field = std::mem::take(&mut self.field);
        let tag = std::mem::take(&mut self.tag);
        match tag.as_str() {
            "20" => {
                self.end_entry();
                NO_ACCOUNT.clone_into(&mut self.account);
                self.currency.clear();
                self.is_open = true;
            }
            "25" | "25P" => self.account = last4(&field),
            "60F" | "60M" => self.currency = field.get(7..10).unwrap_or_default().to_ascii_uppercase(),
            "61" => {
                self.end_entry();
                self.entry = Some(Mt940Entry {
                    line: self.line,
                    stated: field,
                    about: String::new(),
                });
            }
            "86" => {
                if let Some(entry) = &mut self.entry {
                    entry.about = field;
                }
            }
            "62F" | "62M" => {
                self.end_entry();
                self.is_open = false;
                if tag == "62F" && self.account != NO_ACCOUNT {
                    let known = self.known_balance(&field).map(StatementItem::Balance);
                    let place = SourceLocation::line(self.line);
                    self.out.push_back((place, known.ok_or(code::STATEMENT_ENTRY)));
                }
            }
            _ => {}
        }
    }

    fn end_entry(&mut self) {
        if let Some(entry) = self.entry.take() {
            let found = self.payment(&entry);
            let item = found.map(|found| StatementItem::Payment(self.made.numbered(found, self.zone)));
            self.out.push_back((SourceLocation::line(entry.line), item));
        }
    }

    /// `C261118EUR1200,50`.
    fn known_balance(&self, field: &str) -> Option<KnownBalance> {
        let date = day(field.get(1..7)?)?;
        let currency = field.get(7..10)?.to_ascii_uppercase();
        let size = plain_amount(field.get(10..)?.trim())?;
        let size = if size.is_zero() { size } else { believable(size)? };
        let amount = match field.get(..1)? {
            "C" => size,
            "D" => -size,
            _ => return None,
        };
        is_currency(&currency).then_some(KnownBalance {
            account_last4: self.account.clone(),
            currency,
            amount,
            as_of: on_day(date, END_OF_DAY, self.zone),
        })
    }

    fn payment(&self, entry: &Mt940Entry) -> Result<FoundPayment, SkipCode> {
        let (first, more) = entry.stated.split_once('\n').unwrap_or((&entry.stated, ""));
        let stated = StatedEntry::parse(first).ok_or(code::STATEMENT_ENTRY)?;
        if stated.is_expected {
            return Err(code::NOT_COMPLETED);
        }
        let amount = plain_amount(stated.amount)
            .and_then(believable)
            .ok_or(code::AMOUNT)?;
        if !is_currency(&self.currency) {
            return Err(code::STATEMENT_ENTRY);
        }
        let about = EntryText::parse(&entry.about).or_stated(more);
        let told = about.payee(stated.is_credit);
        let (payee, in_name) = narration::read(told);
        let direction = if stated.is_credit {
            let is_refund = stated.is_reversal || fields::speaks_of_refund(told);
            if is_refund {
                Direction::Refund
            } else {
                Direction::Credit
            }
        } else if FEES.contains(&stated.kind) {
            Direction::Fee
        } else {
            Direction::Debit
        };
        Ok(FoundPayment {
            amount,
            currency: self.currency.clone(),
            account_last4: self.account.clone(),
            direction,
            merchant: payee,
            ts: on_day(stated.booked, NOON, self.zone),
            // Its references are often those of many entries.
            which: PaymentOrdinal::Nth(0),
            reference: about.number().or(in_name),
            categorized: true,
            source: PaymentSource::Mt940,
            category: None,
        })
    }
}

/// Whether a line ends a statement.
fn is_end(line: &str) -> bool {
    // Behind the text's block stands what the network added, "-}{5:{CHK:…}}", or the sign that ends a file of old.
    line.strip_prefix('-')
        .is_some_and(|rest| rest.starts_with('}') || rest.chars().all(char::is_control))
}

/// Whether a file is one, by its first bytes.
pub(super) fn begins_mt940(head: &[u8]) -> bool {
    let begins = |tag: &[u8]| {
        memchr::memmem::find_iter(head, tag)
            .any(|at| at == 0 || head.get(at - 1).is_some_and(|before| b"\r\n".contains(before)))
    };
    begins(b":20:") && (begins(b":25:") || begins(b":25P:"))
}

/// A line that begins a field: `:61:…`.
fn tagged(line: &str) -> Option<(&str, &str)> {
    let (tag, value) = line.strip_prefix(':')?.split_once(':')?;
    let is_tag = matches!(tag.len(), 2 | 3) && tag.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_tag.then_some((tag, value))
}

/// What the first line of `:61:` states.
struct StatedEntry<'a> {
    booked: NaiveDate,
    is_credit: bool,
    is_reversal: bool,
    /// Not booked yet.
    is_expected: bool,
    amount: &'a str,
    /// Three letters.
    kind: &'a str,
}

impl<'a> StatedEntry<'a> {
    /// `YYMMDD[MMDD]` the mark, a letter of the currency or none, the amount, and the type with its leading letter.
    fn parse(field: &'a str) -> Option<Self> {
        let valued = day(field.get(..6)?)?;
        let rest = field.get(6..)?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (booked, rest) = match digits {
            4 => (day_near(rest.get(..4)?, valued)?, rest.get(4..)?),
            0 => (valued, rest),
            _ => return None,
        };
        let (mark, rest) = ["RC", "RD", "EC", "ED", "C", "D"]
            .into_iter()
            .find_map(|mark| Some((mark, rest.strip_prefix(mark)?)))?;
        let rest = rest
            .strip_prefix(|c: char| c.is_ascii_alphabetic())
            .unwrap_or(rest);
        let end = rest.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let (amount, rest) = rest.split_at(end);
        Some(Self {
            booked,
            is_credit: matches!(mark, "C" | "RD" | "EC"),
            is_reversal: mark.starts_with('R'),
            is_expected: mark.starts_with('E'),
            amount,
            kind: rest.get(1..4).unwrap_or_default(),
        })
    }
}

/// `YYMMDD`.
fn day(text: &str) -> Option<NaiveDate> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    NaiveDate::parse_from_str(&format!("20{text}"), "%Y%m%d").ok()
}

/// `MMDD` in that year which is nearest to another day: a booking of January may have its value in December.
fn day_near(text: &str, other: NaiveDate) -> Option<NaiveDate> {
    let month = text.get(..2)?.parse().ok()?;
    let of_month = text.get(2..)?.parse().ok()?;
    let years = [other.year() - 1, other.year(), other.year() + 1];
    years
        .into_iter()
        .filter_map(|year| NaiveDate::from_ymd_opt(year, month, of_month))
        .min_by_key(|day| (*day - other).num_days().abs())
}

/// Digits with one comma, which stands before decimals.
fn plain_amount(text: &str) -> Option<Decimal> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b',');
    let style = NumberStyle::plain(DecimalMark::Comma);
    if is_plain { number(text, style) } else { None }
}

impl<R: BufRead> Iterator for Mt940Statement<R> {
    type Item = (SourceLocation, Result<StatementItem, SkipCode>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(told) = self.out.pop_front() {
                return Some(told);
            }
            if self.over {
                return None;
            }
            let line = self.input.line;
            let code = match self.step() {
                Ok(true) => continue,
                // Of a longer line reading goes on with the next.
                Err(code) if code == code::ROW_TOO_LONG && self.seen => {
                    return Some((SourceLocation::line(line), Err(code)));
                }
                Err(code) if code == SOURCE_UNREADABLE => Some(code),
                Err(_) => Some(code::NOT_A_STATEMENT),
                Ok(false) if !self.seen => Some(code::NOT_A_STATEMENT),
                Ok(false) if self.tag.starts_with("62") => None,
                Ok(false) if self.is_open => Some(code::BREAKS_OFF),
                Ok(false) => None,
            };
            self.over = true;
            match code {
                Some(code) => {
                    // The entry in which the file ends may be cut, the one before it is whole.
                    let line = if self.tag == "61" {
                        self.end_entry();
                        self.line
                    } else {
                        self.entry.take().map_or(line, |entry| entry.line)
                    };
                    self.out.push_back((SourceLocation::line(line), Err(code)));
                }
                None => self.end_field(),
            }
        }
    }
}
