//! CSV exports of banks, each by the owner's mapping.
//!
//! What: [`CsvStatement`], an iterator over the rows of an export. Why: no two banks name their columns alike; nothing is guessed.
//! Not here: what a mapping is (`contract`).

use super::{
    EntryCounter, FoundPayment, SourceLocation, StatementItem,
    amount::{DecimalMark, NumberStyle, WrittenAmount, written},
    believable,
    currency::is_currency,
    fields,
    lines::{MAX_PIECE, PieceReader, text},
    narration,
    ofx::last4,
    on_day,
};
use crate::{
    contract::{AmountColumns, CsvCharset, CsvMapping, DecimalSeparator, FixedOrColumn},
    finance::{
        claim::{NO_ACCOUNT, PaymentSource},
        code,
    },
    shared::{SOURCE_UNREADABLE, SkipCode},
    zone,
};
use chrono::{Datelike, NaiveDate, NaiveDateTime};
use chrono_tz::Tz;
use csv::ByteRecord;
use rust_decimal::Decimal;
use std::{borrow::Cow, io::BufRead};
use toolcall_schema::{Timestamp, signal::Direction};

/// Lines in which the header must come: exports begin with names and addresses.
const HEADER_LINES: usize = 40;

/// The places of a mapping's columns in a file.
struct CsvColumns {
    mapping: CsvMapping,
    date: usize,
    amount: AmountColumn,
    payee: Vec<usize>,
    reference: Option<usize>,
    currency: Option<usize>,
    account: Option<usize>,
}

enum AmountColumn {
    Signed(usize),
    Apart {
        debit: usize,
        credit: usize,
    },
    Said {
        column: usize,
        way: usize,
        debit: String,
    },
    Charged(usize),
}

impl AmountColumn {
    /// Whether it went out, and how much. `None` when a cell cannot be read, or two contradict each other: also a cell that is
    /// not looked at otherwise.
    fn read<'a>(
        &self,
        field: &dyn Fn(usize) -> Cow<'a, str>,
        decimals: DecimalSeparator,
        currency: &str,
    ) -> Option<(bool, Decimal)> {
        let mark = match decimals {
            DecimalSeparator::Point => DecimalMark::Point,
            DecimalSeparator::Comma => DecimalMark::Comma,
        };
        let amount = |i: usize| {
            let read = written(&field(i), NumberStyle::statement(mark, currency))?;
            read.symbol
                .as_ref()
                .is_none_or(|symbol| symbol.fits(currency))
                .then_some(read)
        };
        match self {
            Self::Signed(i) => amount(*i).map(|WrittenAmount { negative, size, .. }| (negative, size)),
            Self::Charged(i) => amount(*i).map(|WrittenAmount { negative, size, .. }| (!negative, size)),
            Self::Said { column, way, debit } => {
                let WrittenAmount { negative, size, .. } = amount(*column)?;
                let said = field(*way);
                let said = said.trim();
                let debit = said.eq_ignore_ascii_case(debit.trim());
                // A credit below 0 may be either.
                (!said.is_empty() && (debit || !negative)).then_some((debit, size))
            }
            Self::Apart { debit, credit } => {
                let is_nothing = |i: usize| field(i).chars().all(|c| c.is_whitespace() || "-–—".contains(c));
                let amount = |i: usize| {
                    if is_nothing(i) {
                        return Some(None);
                    }
                    amount(i).map(|read| (!read.size.is_zero()).then_some(read))
                };
                match (amount(*debit)?, amount(*credit)?) {
                    (Some(out), None) => Some((true, out.size)),
                    (None, Some(back)) if !back.negative => Some((false, back.size)),
                    (Some(_) | None, Some(_)) | (None, None) => None,
                }
            }
        }
    }
}

impl CsvColumns {
    /// Where the mapping's columns are in this header. `None` when one is missing.
    fn locate(mapping: &CsvMapping, header: &[String]) -> Option<Self> {
        let at = |name: &str| {
            header
                .iter()
                .position(|column| column.trim().eq_ignore_ascii_case(name.trim()))
        };
        let given = |given: &FixedOrColumn| match given {
            FixedOrColumn::Always(_) => Some(None),
            FixedOrColumn::Column { column } => Some(Some(at(column)?)),
        };
        if !mapping.header.iter().all(|name| at(name).is_some()) {
            return None;
        }
        Some(Self {
            date: at(&mapping.date)?,
            amount: match &mapping.amount {
                AmountColumns::Signed(column) => AmountColumn::Signed(at(column)?),
                AmountColumns::Apart { debit, credit } => AmountColumn::Apart {
                    debit: at(debit)?,
                    credit: at(credit)?,
                },
                AmountColumns::Said { column, way, debit } => AmountColumn::Said {
                    column: at(column)?,
                    way: at(way)?,
                    debit: debit.clone(),
                },
                AmountColumns::Charged { charged } => AmountColumn::Charged(at(charged)?),
            },
            payee: mapping.payee.iter().map(|name| at(name)).collect::<Option<_>>()?,
            reference: match &mapping.reference {
                Some(name) => Some(at(name)?),
                None => None,
            },
            currency: given(&mapping.currency)?,
            account: given(&mapping.account)?,
            mapping: mapping.clone(),
        })
    }
}

/// An export that is read.
pub(in crate::finance) struct CsvStatement<R> {
    input: PieceReader<R>,
    zone: Tz,
    mappings: Vec<CsvMapping>,
    columns: Option<CsvColumns>,
    piece: Vec<u8>,
    row: Vec<u8>,
    record: ByteRecord,
    made: EntryCounter,
    over: bool,
}

impl<R: BufRead> CsvStatement<R> {
    /// An export of an owner in `zone`.
    pub(super) fn new(input: R, mappings: &[CsvMapping], zone: Tz) -> Self {
        Self {
            input: PieceReader::new(input),
            zone,
            mappings: mappings.to_vec(),
            columns: None,
            piece: Vec::new(),
            row: Vec::new(),
            record: ByteRecord::new(),
            made: EntryCounter::default(),
            over: false,
        }
    }

    /// Bytes that were read.
    pub(super) fn read(&self) -> u64 {
        self.input.read
    }

    /// Reads the next row, with the line breaks within its quotes. False at the end; an error for one that is too long.
    fn row(&mut self) -> std::io::Result<Result<bool, SkipCode>> {
        self.row.clear();
        let mut open = false;
        loop {
            let piece = self.input.until(b'\n', &mut self.piece)?;
            if !piece.ended && self.piece.is_empty() {
                return Ok(Ok(!self.row.is_empty()));
            }
            if !piece.whole || self.row.len() + self.piece.len() > MAX_PIECE {
                return Ok(Err(code::ROW_TOO_LONG));
            }
            open ^= memchr::memchr_iter(b'"', &self.piece).count() % 2 == 1;
            self.row.extend_from_slice(&self.piece);
            if !open || !piece.ended {
                return Ok(Ok(true));
            }
            self.row.push(b'\n');
        }
    }

    /// The fields of the row that was read.
    fn split(&mut self, delimiter: char) -> bool {
        let delimiter = u8::try_from(delimiter).unwrap_or(b',');
        let row = self.row.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&self.row);
        csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .buffer_capacity(row.len().max(1))
            .from_reader(row)
            .read_byte_record(&mut self.record)
            .unwrap_or(false)
    }

    /// Looks for the header of one of the mappings.
    fn header(&mut self) -> std::io::Result<bool> {
        for _ in 0..HEADER_LINES {
            match self.row()? {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(_) => continue,
            }
            for i in 0..self.mappings.len() {
                let Some(mapping) = self.mappings.get(i).cloned() else {
                    continue;
                };
                if self.split(mapping.delimiter) {
                    let header: Vec<String> = self
                        .record
                        .iter()
                        .map(|field| read(field, mapping.charset).into_owned())
                        .collect();
                    if let Some(columns) = CsvColumns::locate(&mapping, &header) {
                        self.columns = Some(columns);
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    fn found(&self, columns: &CsvColumns) -> Result<FoundPayment, SkipCode> {
        let mapping = &columns.mapping;
        let field = |i: usize| read(self.record.get(i).unwrap_or_default(), mapping.charset);
        let ts = mapping
            .date_formats
            .iter()
            .find_map(|format| instant(field(columns.date).trim(), format, self.zone))
            .ok_or(code::STATEMENT_ENTRY)?;
        let currency = match (&mapping.currency, columns.currency) {
            (FixedOrColumn::Always(currency), _) => currency.clone(),
            (FixedOrColumn::Column { .. }, Some(i)) => field(i).trim().to_ascii_uppercase(),
            (FixedOrColumn::Column { .. }, None) => String::new(),
        };
        if !is_currency(&currency) {
            return Err(code::STATEMENT_ENTRY);
        }
        let (debit, size) = columns
            .amount
            .read(&field, mapping.decimal, &currency)
            .ok_or(code::AMOUNT)?;
        let amount = believable(size).ok_or(code::AMOUNT)?;
        let account = match (&mapping.account, columns.account) {
            (FixedOrColumn::Always(account), _) => last4(account),
            (FixedOrColumn::Column { .. }, Some(i)) => last4(&field(i)),
            (FixedOrColumn::Column { .. }, None) => NO_ACCOUNT.to_owned(),
        };
        let told = columns
            .payee
            .iter()
            .map(|i| field(*i))
            .find(|text| !text.trim().is_empty())
            .unwrap_or_default();
        let (payee, reference) = narration::read(&told);
        let own = columns
            .reference
            .map(|i| field(i).trim().to_owned())
            .unwrap_or_default();
        let direction = if debit {
            Direction::Debit
        } else if fields::speaks_of_refund(&told) {
            Direction::Refund
        } else {
            Direction::Credit
        };
        Ok(FoundPayment {
            amount,
            currency,
            account_last4: account,
            direction: super::refined(direction, &told, amount),
            merchant: payee,
            ts,
            which: narration::which(&own),
            reference: reference.or_else(|| narration::number(&own)),
            categorized: true,
            source: PaymentSource::Csv,
            category: None,
        })
    }
}

impl<R: BufRead> Iterator for CsvStatement<R> {
    type Item = (SourceLocation, Result<StatementItem, SkipCode>);

    fn next(&mut self) -> Option<Self::Item> {
        if !self.over && self.columns.is_none() {
            let found = self.header();
            let refused = match found {
                Ok(true) => None,
                Ok(false) => Some(code::UNMAPPED),
                Err(_) => Some(SOURCE_UNREADABLE),
            };
            if let Some(code) = refused {
                self.over = true;
                return Some((SourceLocation::line(1), Err(code)));
            }
        }
        while !self.over {
            let place = SourceLocation::line(self.input.line);
            match self.row() {
                Ok(Ok(true)) => {}
                Ok(Ok(false)) => self.over = true,
                Ok(Err(code)) => return Some((place, Err(code))),
                Err(_) => {
                    self.over = true;
                    return Some((place, Err(SOURCE_UNREADABLE)));
                }
            }
            let delimiter = self
                .columns
                .as_ref()
                .map_or(',', |columns| columns.mapping.delimiter);
            if self.over || !self.split(delimiter) || self.record.iter().all(<[u8]>::is_empty) {
                continue;
            }
            if let Some(columns) = &self.columns {
                let found = self.found(columns);
                return Some((
                    place,
                    found.map(|found| StatementItem::Payment(self.made.numbered(found, self.zone))),
                ));
            }
        }
        None
    }
}

fn read(field: &[u8], charset: CsvCharset) -> Cow<'_, str> {
    match charset {
        CsvCharset::Utf8 => text(field),
        CsvCharset::Windows1252 => encoding_rs::WINDOWS_1252.decode_without_bom_handling(field).0,
    }
}

/// A date, with a time where the format has one.
fn instant(text: &str, format: &str, zone: Tz) -> Option<Timestamp> {
    // `%Y` takes "26" for the year 26.
    let recent = |date: NaiveDate| (date.year() >= 1970).then_some(date);
    if let Ok(at) = NaiveDateTime::parse_from_str(text, format) {
        return recent(at.date()).map(|_| Timestamp::from(zone::resolve(at, zone)));
    }
    let date = NaiveDate::parse_from_str(text, format).ok().and_then(recent)?;
    Some(on_day(date, super::NOON, zone))
}
