//! OFX and QFX statements of banks and cards, versions 1 (SGML) and 2 (XML).
//!
//! What: [`OfxStatement`], an iterator over what a statement tells. Why: version 1 leaves out the end of its fields, so no reader of
//! XML reads it; one scanner of tags reads both, and forgives what banks do to either. Not here:
//! bills, and what an investment account does but for its cash: that is named and counted.

use super::{
    END_OF_DAY, EntryCounter, FoundPayment, KnownBalance, NOON, SourceLocation, StatementItem,
    amount::{DecimalMark, NumberStyle, written},
    believable,
    currency::is_currency,
    dates::booked_at,
    lines::{PieceReader, text},
    narration, on_day,
};
use crate::{
    claim::{NO_ACCOUNT, PaymentSource},
    code,
};
use agents_base::shared::{SOURCE_UNREADABLE, SkipCode};
use chrono::{NaiveDate, NaiveTime, TimeDelta};
use chrono_tz::Tz;
use rust_decimal::Decimal;
use std::io::BufRead;
use toolcall_schema::{Timestamp, signal::Direction};

/// The longest field that is believed, in bytes.
const MAX_FIELD: usize = 1024;

/// The parts of a statement in which a field means something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OfxSection {
    None,
    Account,
    Entry,
    /// Within an entry: the other side's account.
    Other,
    /// Within an entry: the currency of its amount.
    Currency,
    Balance,
}

/// An entry, as written.
#[derive(Debug, Default)]
struct OfxEntry {
    line: u64,
    kind: String,
    posted: String,
    amount: String,
    id: String,
    name: String,
    memo: String,
    currency: String,
}

/// A statement that is read.
pub(crate) struct OfxStatement<R> {
    input: PieceReader<R>,
    zone: Tz,
    piece: Vec<u8>,
    part: OfxSection,
    currency: String,
    account: String,
    is_bank: bool,
    entry: Option<OfxEntry>,
    balance: (String, String),
    made: EntryCounter,
    seen: bool,
    over: bool,
}

impl<R: BufRead> OfxStatement<R> {
    /// A statement of an owner in `zone`.
    pub(super) fn new(input: R, zone: Tz) -> Self {
        Self {
            input: PieceReader::new(input),
            zone,
            piece: Vec::new(),
            part: OfxSection::None,
            currency: String::new(),
            account: NO_ACCOUNT.to_owned(),
            is_bank: false,
            entry: None,
            balance: (String::new(), String::new()),
            made: EntryCounter::default(),
            seen: false,
            over: false,
        }
    }

    /// Bytes that were read.
    pub(super) fn read(&self) -> u64 {
        self.input.read
    }

    /// The next tag in capitals, and the text behind it. `None` at the end.
    fn tag(&mut self) -> std::io::Result<Option<(String, String)>> {
        if !self.input.until(b'>', &mut self.piece)?.ended {
            return Ok(None);
        }
        let name = text(&self.piece).trim().to_ascii_uppercase();
        if name.starts_with("![CDATA[") {
            // The rest of it ends at the same byte; it is text, and belongs to the field before.
            let inner = name.trim_start_matches("![CDATA[").trim_end_matches("]]");
            let inner = decoded(inner);
            self.input.until(b'<', &mut self.piece)?;
            return Ok(Some((String::new(), inner)));
        }
        self.input.until(b'<', &mut self.piece)?;
        let value = self
            .piece
            .get(..self.piece.len().min(MAX_FIELD))
            .unwrap_or_default();
        Ok(Some((name, decoded(&text(value)))))
    }

    fn take(
        &mut self,
        name: &str,
        value: String,
    ) -> Option<(SourceLocation, Result<StatementItem, SkipCode>)> {
        let (closing, name) = match name.strip_prefix('/') {
            Some(name) => (true, name),
            None => (false, name.trim_end_matches('/')),
        };
        match (name, closing) {
            ("OFX", false) => self.seen = true,
            ("STMTRS" | "CCSTMTRS" | "INVSTMTRS", false) => {
                self.currency.clear();
                NO_ACCOUNT.clone_into(&mut self.account);
                self.is_bank = name == "STMTRS";
            }
            ("BANKACCTFROM" | "CCACCTFROM" | "INVACCTFROM", false) => self.part = OfxSection::Account,
            ("STMTTRN", false) => {
                let last = self.entry.replace(OfxEntry {
                    line: self.input.line,
                    ..OfxEntry::default()
                });
                self.part = OfxSection::Entry;
                return last.map(|entry| self.payment(&entry));
            }
            ("BANKACCTTO" | "CCACCTTO", false) if self.entry.is_some() => self.part = OfxSection::Other,
            ("CURRENCY", false) if self.entry.is_some() => self.part = OfxSection::Currency,
            ("ORIGCURRENCY", false) if self.entry.is_some() => self.part = OfxSection::Other,
            ("BANKACCTTO" | "CCACCTTO" | "CURRENCY" | "ORIGCURRENCY", true) if self.entry.is_some() => {
                self.part = OfxSection::Entry;
            }
            (_, false) if is_trade(name) => {
                let place = SourceLocation::line(self.input.line);
                return Some((place, Err(code::INVESTMENT)));
            }
            ("STMTTRN" | "BANKTRANLIST", true) => {
                self.part = OfxSection::None;
                return self.entry.take().map(|entry| self.payment(&entry));
            }
            ("LEDGERBAL", false) => {
                self.balance = (String::new(), String::new());
                self.part = OfxSection::Balance;
            }
            ("LEDGERBAL", true) => {
                self.part = OfxSection::None;
                return self.ledger();
            }
            ("BANKACCTFROM" | "CCACCTFROM" | "INVACCTFROM", true) => self.part = OfxSection::None,
            ("CURDEF", false) => self.currency = value,
            (field, false) => self.field(field, value),
            (_, true) => {}
        }
        None
    }

    fn field(&mut self, field: &str, value: String) {
        match (self.part, field, &mut self.entry) {
            (OfxSection::Account, "ACCTID", _) => self.account = last4(&value),
            (OfxSection::Balance, "BALAMT", _) => self.balance.0 = value,
            (OfxSection::Balance, "DTASOF", _) => self.balance.1 = value,
            (OfxSection::Currency, "CURSYM", Some(entry)) => entry.currency = value,
            (OfxSection::Entry, _, Some(entry)) => match field {
                "TRNTYPE" => entry.kind = value,
                "DTPOSTED" => entry.posted = value,
                "TRNAMT" => entry.amount = value,
                "FITID" => entry.id = value,
                "NAME" => entry.name = value,
                "MEMO" => entry.memo = value,
                _ => {}
            },
            (
                OfxSection::None
                | OfxSection::Account
                | OfxSection::Entry
                | OfxSection::Other
                | OfxSection::Currency
                | OfxSection::Balance,
                _,
                _,
            ) => {}
        }
    }

    fn payment(&mut self, entry: &OfxEntry) -> (SourceLocation, Result<StatementItem, SkipCode>) {
        let place = SourceLocation::line(entry.line);
        (place, self.found(entry).map(StatementItem::Payment))
    }

    fn found(&mut self, entry: &OfxEntry) -> Result<FoundPayment, SkipCode> {
        let currency = if entry.currency.is_empty() {
            &self.currency
        } else {
            &entry.currency
        };
        let currency = currency.to_ascii_uppercase();
        if !is_currency(&currency) {
            return Err(code::STATEMENT_ENTRY);
        }
        let (negative, size) = signed(&entry.amount, &currency).ok_or(code::AMOUNT)?;
        let amount = believable(size).ok_or(code::AMOUNT)?;
        let day = day(&entry.posted).ok_or(code::STATEMENT_ENTRY)?;
        let ts = instant(&entry.posted, self.zone, NOON).ok_or(code::STATEMENT_ENTRY)?;
        let told = if entry.name.trim().is_empty() {
            &entry.memo
        } else {
            &entry.name
        };
        let (payee, reference) = narration::read(told);
        let direction = match entry.kind.as_str() {
            "FEE" | "SRVCHG" if negative => Direction::Fee,
            _ if negative => Direction::Debit,
            _ if super::fields::speaks_of_refund(told) => Direction::Refund,
            _ => Direction::Credit,
        };
        let reference = reference.or_else(|| narration::read(&entry.memo).1);
        Ok(self.made.numbered(
            FoundPayment {
                amount,
                currency,
                account_last4: self.account.clone(),
                direction,
                merchant: payee,
                ts,
                // The bank's own number tells equal entries apart; only a number of the payment is known elsewhere too.
                which: narration::which(&entry.id, day),
                reference,
                categorized: true,
                source: PaymentSource::Ofx,
                category: None,
            },
            self.zone,
        ))
    }

    fn ledger(&mut self) -> Option<(SourceLocation, Result<StatementItem, SkipCode>)> {
        let place = SourceLocation::line(self.input.line);
        let (amount, as_of) = &self.balance;
        let currency = self.currency.to_ascii_uppercase();
        if !self.is_bank || self.account == NO_ACCOUNT {
            return None;
        }
        if !is_currency(&currency) {
            return Some((place, Err(code::STATEMENT_ENTRY)));
        }
        let known = signed(amount, &currency).and_then(|(negative, size)| {
            let size = if size.is_zero() { size } else { believable(size)? };
            Some(KnownBalance {
                account_last4: self.account.clone(),
                currency,
                amount: if negative { -size } else { size },
                as_of: instant(as_of, self.zone, END_OF_DAY)?,
            })
        });
        Some((
            place,
            known.map(StatementItem::Balance).ok_or(code::STATEMENT_ENTRY),
        ))
    }
}

impl<R: BufRead> Iterator for OfxStatement<R> {
    type Item = (SourceLocation, Result<StatementItem, SkipCode>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.input.read == 0 && !self.over && self.input.until(b'<', &mut self.piece).is_err() {
            self.over = true;
            return Some((SourceLocation::line(1), Err(SOURCE_UNREADABLE)));
        }
        while !self.over {
            match self.tag() {
                Ok(Some((name, value))) if name.is_empty() => {
                    // The text of a CDATA section belongs to the last field of the entry that is a text.
                    if let Some(entry) = &mut self.entry {
                        let field = if entry.name.is_empty() {
                            &mut entry.name
                        } else {
                            &mut entry.memo
                        };
                        if field.is_empty() {
                            *field = value;
                        }
                    }
                }
                Ok(Some((name, value))) => {
                    if let Some(told) = self.take(&name, value) {
                        return Some(told);
                    }
                }
                Ok(None) => {
                    self.over = true;
                    let place = SourceLocation::line(self.input.line);
                    if !self.seen {
                        return Some((place, Err(code::NOT_A_STATEMENT)));
                    }
                    if let Some(entry) = self.entry.take() {
                        return Some(self.payment(&entry));
                    }
                }
                Err(_) => {
                    self.over = true;
                    return Some((SourceLocation::line(self.input.line), Err(SOURCE_UNREADABLE)));
                }
            }
        }
        None
    }
}

/// Whether a tag begins a transaction of an investment account that is no cash entry (OFX 13.9.2.4.3).
fn is_trade(tag: &str) -> bool {
    matches!(
        tag,
        "BUYDEBT"
            | "BUYMF"
            | "BUYOPT"
            | "BUYOTHER"
            | "BUYSTOCK"
            | "CLOSUREOPT"
            | "INCOME"
            | "INVEXPENSE"
            | "JRNLFUND"
            | "JRNLSEC"
            | "MARGININTEREST"
            | "REINVEST"
            | "RETOFCAP"
            | "SELLDEBT"
            | "SELLMF"
            | "SELLOPT"
            | "SELLOTHER"
            | "SELLSTOCK"
            | "SPLIT"
            | "TRANSFER"
    )
}

/// The last four digits of an account's number, with zeros before them when there are fewer.
pub(super) fn last4(number: &str) -> String {
    let digits: Vec<char> = number.chars().filter(char::is_ascii_digit).collect();
    let last: String = digits.iter().skip(digits.len().saturating_sub(4)).collect();
    format!("{last:0>4}")
}

/// An amount of a currency. One mark is the decimals' (OFX 3.2.9.1); of two kinds the last. A currency that stands with it has
/// to be that one.
fn signed(text: &str, currency: &str) -> Option<(bool, Decimal)> {
    let read = written(text, NumberStyle::statement(DecimalMark::Unsaid, currency))?;
    let fits = read.symbol.as_ref().is_none_or(|symbol| symbol.fits(currency));
    fits.then_some((read.negative, read.size))
}

/// The day as it is written.
fn day(text: &str) -> Option<NaiveDate> {
    NaiveDate::parse_from_str(text.trim().get(..8)?, "%Y%m%d").ok()
}

/// The instant of `YYYYMMDD[HHMMSS[.XXX]][[offset:name]]`. Without an offset it is the day that counts, at `usual`: banks
/// write a time there that is none.
fn instant(text: &str, zone: Tz, usual: NaiveTime) -> Option<Timestamp> {
    let text = text.trim();
    let date = day(text)?;
    let Some((stamp, offset)) = text.split_once('[') else {
        return Some(on_day(date, usual, zone));
    };
    let time = stamp
        .get(8..14)
        .and_then(|time| NaiveTime::parse_from_str(time, "%H%M%S").ok());
    let hours = offset.split([':', ']']).next()?.trim();
    let minutes = (hours.parse::<f64>().ok()? * 60.0).round();
    // No place is further from Greenwich.
    if !(-900.0..=900.0).contains(&minutes) {
        return None;
    }
    let Some(time) = time else {
        return Some(on_day(date, usual, zone));
    };
    #[expect(clippy::cast_possible_truncation, reason = "between -900 and 900")]
    let ahead = TimeDelta::minutes(minutes as i64);
    booked_at(date.and_time(time), ahead, (usual, zone))
}

/// Text without the entities of SGML and XML.
fn decoded(text: &str) -> String {
    let text = text.trim();
    if !text.contains('&') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('&') {
        out.push_str(before);
        let named = behind
            .split_once(';')
            .and_then(|(name, after)| Some((entity(name)?, after)));
        // One that a bank forgot to write as an entity is a sign like any other.
        let (sign, after) = named.unwrap_or(('&', behind));
        out.push(sign);
        rest = after;
    }
    out.push_str(rest);
    out
}

fn entity(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some(' '),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}
