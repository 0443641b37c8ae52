//! CSV exports of banks, each by a mapping: the owner's, else the one it is recognised by.
//!
//! What: [`CsvStatement`], an iterator over the rows of an export. Why: no two banks name their columns alike; a row that is not as its
//! header says is left out. Not here: what a mapping is (`contract`), recognising one (`recognition`).

use super::{
    END_OF_DAY, EntryCounter, FoundPayment, KnownBalance, SourceLocation, StatementItem,
    amount::{DecimalMark, NumberStyle, WrittenAmount, written},
    believable,
    csv_balances::BalanceTrail,
    csv_rows::CsvRowReader,
    currency::is_currency,
    dates::instant,
    fields,
    lines::text,
    narration,
    ofx::last4,
    on_day, recognition,
};
use crate::{
    claim::{CsvReading, MAX_AMOUNT, NO_ACCOUNT, PaymentSource},
    code,
    merchant_name::MerchantName,
};
use agents_base::{
    contract::{AmountColumns, CsvCharset, CsvMapping, DecimalSeparator, FixedOrColumn, RowCondition},
    shared::{SOURCE_UNREADABLE, SkipCode},
    zone,
};
use chrono_tz::Tz;
use rust_decimal::Decimal;
use std::{
    borrow::Cow,
    collections::VecDeque,
    io::{self, BufRead, Read as _},
};
use toolcall_schema::{Timestamp, signal::Direction};

/// So many whole rows say that all rows have all columns.
const ENOUGH_ROWS: u32 = 3;
/// Lines in which the header must come: exports begin with names and addresses.
const HEADER_LINES: usize = 40;

/// The places of a mapping's columns in a file.
struct CsvColumns {
    mapping: CsvMapping,
    date: usize,
    amount: AmountColumn,
    payee: Vec<usize>,
    payer: Vec<usize>,
    reference: Option<usize>,
    currency: Option<usize>,
    account: Option<usize>,
    balance: Option<usize>,
    only: Option<usize>,
    except: Option<usize>,
    fee: Option<usize>,
    /// The header, to notice another one.
    header: Vec<String>,
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
        credit: Option<String>,
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
        let mark = DecimalMark::from(decimals);
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
            Self::Said {
                column,
                way,
                debit,
                credit,
            } => {
                let WrittenAmount { negative, size, .. } = amount(*column)?;
                let said = field(*way);
                let said = said.trim();
                let debit = said.eq_ignore_ascii_case(debit.trim());
                let known = debit
                    || credit
                        .as_ref()
                        .is_none_or(|credit| said.eq_ignore_ascii_case(credit.trim()));
                // A credit below 0 may be either.
                (!said.is_empty() && known && (debit || !negative)).then_some((debit, size))
            }
            Self::Apart { debit, credit } => {
                let amount = |i: usize| {
                    if is_blank(&field(i)) {
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

impl AmountColumn {
    /// Its last column, of those that every row has.
    fn last(&self) -> usize {
        match self {
            Self::Signed(i) | Self::Charged(i) => *i,
            Self::Apart { debit, credit } => *debit.min(credit),
            Self::Said { column, way, .. } => *column.max(way),
        }
    }
}

fn same_name(column: &str, name: &str) -> bool {
    column.trim().eq_ignore_ascii_case(name.trim())
}

/// The column that a name such as `#3` means, from 0.
fn by_place(name: &str) -> Option<usize> {
    let place: usize = name.trim().strip_prefix('#')?.parse().ok()?;
    place.checked_sub(1)
}

impl CsvColumns {
    /// Where the mapping's columns are in this header. `None` when one is missing.
    fn locate(mapping: &CsvMapping, header: &[String]) -> Option<Self> {
        let at = |name: &str| {
            let named = header.iter().position(|column| same_name(column, name));
            named.or_else(|| by_place(name).filter(|place| *place < header.len()))
        };
        let optional = |name: &Option<String>| match name {
            Some(name) => at(name).map(Some),
            None => Some(None),
        };
        let condition = |rows: Option<&RowCondition>| match rows {
            Some(rows) => at(&rows.column).map(Some),
            None => Some(None),
        };
        let given = |given: &FixedOrColumn| match given {
            FixedOrColumn::Always(_) => Some(None),
            FixedOrColumn::Column { column } => Some(Some(at(column)?)),
        };
        let all = |names: &[String]| names.iter().map(|name| at(name)).collect::<Option<Vec<usize>>>();
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
                AmountColumns::Said {
                    column,
                    way,
                    debit,
                    credit,
                } => AmountColumn::Said {
                    column: at(column)?,
                    way: at(way)?,
                    debit: debit.clone(),
                    credit: credit.clone(),
                },
                AmountColumns::Charged { charged } => AmountColumn::Charged(at(charged)?),
            },
            payee: all(&mapping.payee)?,
            payer: all(&mapping.payer)?,
            reference: optional(&mapping.reference)?,
            balance: optional(&mapping.balance)?,
            only: condition(mapping.only.as_ref())?,
            except: condition(mapping.except.as_ref())?,
            fee: optional(&mapping.fee)?,
            currency: given(&mapping.currency)?,
            account: given(&mapping.account)?,
            header: header.to_vec(),
            mapping: mapping.clone(),
        })
    }

    /// The last column that is read.
    fn last(&self) -> usize {
        let amount = match &self.amount {
            AmountColumn::Apart { debit, credit } => *debit.max(credit),
            AmountColumn::Signed(_) | AmountColumn::Said { .. } | AmountColumn::Charged(_) => {
                self.amount.last()
            }
        };
        let others = [
            self.reference,
            self.currency,
            self.account,
            self.balance,
            self.only,
            self.except,
            self.fee,
        ];
        let named = self.payee.iter().chain(&self.payer).copied();
        let others = others.into_iter().flatten().chain(named);
        others.fold(amount.max(self.date), usize::max)
    }

    /// Whether a balance is money that can be spent: not that of a card.
    fn holds_money(&self) -> bool {
        !matches!(self.amount, AmountColumn::Charged(_))
    }

    /// A cell of balances or fees, below 0 where it says so.
    fn signed_amount(&self, cell: &str, currency: &str) -> Option<Decimal> {
        let style = NumberStyle::statement(self.mapping.decimal.into(), currency);
        let read = written(cell, style).filter(|read| read.size <= MAX_AMOUNT)?;
        Some(if read.negative { -read.size } else { read.size })
    }
}

/// What a row says.
struct CsvRow {
    /// A payment, a fee beside it, or that it is no payment.
    told: Vec<Result<FoundPayment, SkipCode>>,
    /// What it changes of the balance.
    change: Decimal,
    balance: Option<KnownBalance>,
}

/// Whether a cell says that there is nothing.
fn is_blank(cell: &str) -> bool {
    cell.chars().all(|c| c.is_whitespace() || "-–—".contains(c))
}

/// What an export is read with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CsvReadingContext<'a> {
    /// The owner's mappings; the first that fits is taken.
    pub(crate) mappings: &'a [CsvMapping],
    /// The currency of a recognised export that names none.
    pub(crate) currency: Option<&'a str>,
    /// The owner's zone.
    pub(crate) zone: Tz,
}

/// An export that is read.
pub(crate) struct CsvStatement<R> {
    rows: CsvRowReader<io::Chain<io::Cursor<Vec<u8>>, R>>,
    zone: Tz,
    /// The one mapping that is used; an error is told once.
    mapping: Result<CsvMapping, SkipCode>,
    /// It is the owner's.
    is_written: bool,
    columns: Option<CsvColumns>,
    /// Below another header than the first.
    astray: bool,
    /// Rows that had all columns that are read, until one had not.
    whole_rows: Option<u32>,
    made: EntryCounter,
    balances: BalanceTrail,
    /// What the row that was read tells.
    told: VecDeque<(SourceLocation, Result<StatementItem, SkipCode>)>,
    /// What is told at the end.
    last: Vec<Result<StatementItem, SkipCode>>,
    over: bool,
}

impl<R: BufRead> CsvStatement<R> {
    /// An export, in UTF-8 or in the code page of its mapping.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn new(mut input: R, context: CsvReadingContext<'_>) -> io::Result<Self> {
        let mut head = Vec::new();
        input.by_ref().take(CSV_HEAD).read_to_end(&mut head)?;
        let complete = (head.len() as u64) < CSV_HEAD;
        let written = written_mapping(&head, context.mappings);
        let mapping = match written {
            Some(mapping) => Ok(mapping.clone()),
            None => match recognition::recognise(&head, complete, context.currency) {
                Some(recognised) if recognised.questions.is_empty() => Ok(recognised.mapping),
                Some(_) => Err(code::QUESTION),
                None => Err(code::UNMAPPED),
            },
        };
        Ok(Self {
            rows: CsvRowReader::new(io::Cursor::new(head).chain(input)),
            zone: context.zone,
            mapping,
            is_written: written.is_some(),
            columns: None,
            astray: false,
            whole_rows: Some(0),
            made: EntryCounter::default(),
            balances: BalanceTrail::default(),
            told: VecDeque::new(),
            last: Vec::new(),
            over: false,
        })
    }

    /// Bytes that were read.
    pub(super) fn read(&self) -> u64 {
        self.rows.bytes()
    }

    /// How the file `key` is read, once its header was found.
    pub(super) fn reading(&self, key: &str) -> Option<CsvReading> {
        let columns = self.columns.as_ref()?;
        let written = self.is_written.then_some(&columns.mapping);
        Some(CsvReading::new(key, &columns.header, written))
    }

    /// Looks for the header of the mapping.
    fn header(&mut self, mapping: &CsvMapping) -> io::Result<bool> {
        self.columns =
            find_header(&mut self.rows, std::slice::from_ref(mapping))?.map(|(_, columns)| columns);
        Ok(self.columns.is_some())
    }

    /// Whether the row stands below another header, or is one. A row that repeats the header's names starts again.
    fn is_astray(&mut self) -> Result<bool, SkipCode> {
        let Some(columns) = &self.columns else {
            return Ok(false);
        };
        let mapping = &columns.mapping;
        let field = |i: usize| read(self.rows.record.get(i).unwrap_or_default(), mapping.charset);
        if dated(&field(columns.date), mapping, self.zone).is_none() {
            let row: Vec<String> = self
                .rows
                .record
                .iter()
                .map(|field| read(field, mapping.charset).into_owned())
                .collect();
            let own = columns
                .header
                .iter()
                .zip(&row)
                .all(|(name, cell)| same_name(name, cell));
            if !mapping.without_header && (own || CsvColumns::locate(mapping, &row).is_some()) {
                self.columns = CsvColumns::locate(mapping, &row);
                self.astray = false;
                return Ok(true);
            }
            if recognition::is_header(&row) {
                self.astray = true;
            }
        }
        if self.astray {
            return Err(code::COLUMNS);
        }
        Ok(false)
    }

    /// Whether a row lacks columns that are read, which all rows before had: from there on the file has others.
    fn is_cut_short(&mut self) -> bool {
        let Some(columns) = &self.columns else {
            return false;
        };
        let is_whole = self.rows.record.len() > columns.last();
        match (&mut self.whole_rows, is_whole) {
            (Some(count), true) => {
                *count = count.saturating_add(1);
                false
            }
            (Some(count), false) if *count >= ENOUGH_ROWS => true,
            // An export that leaves out what is empty at the end of a row.
            (whole, false) => {
                *whole = None;
                false
            }
            (None, true) => false,
        }
    }

    fn found(&self, columns: &CsvColumns) -> Result<CsvRow, SkipCode> {
        let mapping = &columns.mapping;
        let record = &self.rows.record;
        let field = |i: usize| read(record.get(i).unwrap_or_default(), mapping.charset);
        let further = record.iter().skip(columns.header.len());
        if further.into_iter().any(|field| !field.trim_ascii().is_empty()) {
            return Err(code::COLUMNS);
        }
        let is_one_of = |column: Option<usize>, rows: &Option<RowCondition>| {
            let said = field(column?);
            Some(rows.as_ref()?.is.iter().any(|is| same_name(is, &said)))
        };
        if is_one_of(columns.only, &mapping.only) == Some(false) {
            return Err(code::NOT_COMPLETED);
        }
        let is_excepted = is_one_of(columns.except, &mapping.except) == Some(true);
        let (ts, timed) = dated(&field(columns.date), mapping, self.zone).ok_or(code::STATEMENT_ENTRY)?;
        if record.len() <= columns.amount.last() {
            return Err(code::COLUMNS);
        }
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
        let fee = match columns.fee.map(field) {
            Some(fee) if !is_blank(&fee) => columns.signed_amount(&fee, &currency).ok_or(code::AMOUNT)?,
            Some(_) | None => Decimal::ZERO,
        };
        // A row may tell of a fee alone.
        let is_paid = fee.is_zero() || !size.is_zero();
        if size > MAX_AMOUNT || (is_paid && believable(size).is_none()) {
            return Err(code::AMOUNT);
        }
        let amount = size.normalize();
        let account = match (&mapping.account, columns.account) {
            (FixedOrColumn::Always(account), _) => last4(account),
            (FixedOrColumn::Column { .. }, Some(i)) => last4(&field(i)),
            (FixedOrColumn::Column { .. }, None) => NO_ACCOUNT.to_owned(),
        };
        let payer: &[usize] = if debit { &[] } else { &columns.payer };
        let told = payer
            .iter()
            .chain(&columns.payee)
            .map(|i| field(*i))
            .find(|text| !narration::is_nothing(text))
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
        let balance = columns
            .balance
            .and_then(|i| columns.signed_amount(&field(i), &currency))
            .map(|held| KnownBalance {
                account_last4: account.clone(),
                currency: currency.clone(),
                amount: held,
                as_of: if timed {
                    ts
                } else {
                    on_day(zone::local_date(ts, self.zone), END_OF_DAY, self.zone)
                },
            });
        let day = zone::local_date(ts, self.zone);
        let payment = FoundPayment {
            amount,
            currency,
            account_last4: account,
            direction: super::refined(direction, &told, amount),
            merchant: payee,
            ts,
            which: narration::which(&own, day),
            reference: reference.or_else(|| narration::number(&own)),
            categorized: true,
            source: PaymentSource::Csv,
            category: None,
        };
        let fee_paid = believable(fee.abs()).map(|amount| FoundPayment {
            amount,
            direction: if fee.is_sign_positive() {
                Direction::Fee
            } else {
                Direction::Refund
            },
            merchant: MerchantName::default(),
            which: narration::which(&own, day),
            reference: None,
            ..payment.clone()
        });
        let mut told = Vec::new();
        if is_excepted {
            told.push(Err(code::NOT_COMPLETED));
        } else if is_paid {
            told.push(Ok(payment));
        }
        told.extend(fee_paid.map(Ok));
        Ok(CsvRow {
            told,
            change: if debit { -amount } else { amount } - fee,
            balance,
        })
    }
}

impl<R: BufRead> Iterator for CsvStatement<R> {
    type Item = (SourceLocation, Result<StatementItem, SkipCode>);

    fn next(&mut self) -> Option<Self::Item> {
        if !self.over && self.columns.is_none() {
            let found = match self.mapping.clone() {
                Ok(mapping) => match self.header(&mapping) {
                    Ok(true) => Ok(()),
                    Ok(false) => Err(code::UNMAPPED),
                    Err(_) => Err(SOURCE_UNREADABLE),
                },
                Err(code) => Err(code),
            };
            if let Err(code) = found {
                self.over = true;
                return Some((SourceLocation::line(1), Err(code)));
            }
        }
        if let Some(told) = self.told.pop_front() {
            return Some(told);
        }
        while !self.over {
            let place = SourceLocation::line(self.rows.line());
            match self.rows.row() {
                Ok(Ok(true)) => {}
                Ok(Ok(false)) => {
                    self.over = true;
                    self.last = std::mem::take(&mut self.balances).into_items();
                    break;
                }
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
            if !self.rows.split(delimiter) || self.rows.record.iter().all(<[u8]>::is_empty) {
                continue;
            }
            match self.is_astray() {
                Ok(true) => continue,
                Ok(false) if self.is_cut_short() => return Some((place, Err(code::COLUMNS))),
                Ok(false) => {}
                Err(code) => return Some((place, Err(code))),
            }
            if let Some(columns) = &self.columns {
                let row = match self.found(columns) {
                    Ok(row) => row,
                    Err(code) => return Some((place, Err(code))),
                };
                if let Some(known) = row.balance {
                    if self.balances.is_exchanged(row.change, &known) {
                        self.astray = true;
                        return Some((place, Err(code::COLUMNS)));
                    }
                    if columns.holds_money() {
                        self.balances.enter(row.change, known);
                    }
                }
                for found in row.told {
                    let item =
                        found.map(|found| StatementItem::Payment(self.made.numbered(found, self.zone)));
                    self.told.push_back((place.clone(), item));
                }
                if let Some(told) = self.told.pop_front() {
                    return Some(told);
                }
            }
        }
        let last = self.last.pop()?;
        Some((SourceLocation::line(0), last))
    }
}

/// The first bytes of an export in which its header stands and by which it is recognised.
pub(crate) const CSV_HEAD: u64 = 256 * 1024;

/// Looks for a header that has all columns of one of the mappings; after it the reader stands behind the header.
fn find_header<'m, R: BufRead>(
    rows: &mut CsvRowReader<R>,
    mappings: &'m [CsvMapping],
) -> io::Result<Option<(&'m CsvMapping, CsvColumns)>> {
    let mut is_first = true;
    for _ in 0..HEADER_LINES {
        match rows.row()? {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(_) => continue,
        }
        for mapping in mappings {
            if mapping.without_header {
                if is_first && let Some(columns) = headless(rows, mapping) {
                    rows.put_back();
                    return Ok(Some((mapping, columns)));
                }
            } else if rows.split(mapping.delimiter) {
                let header: Vec<String> = rows
                    .record
                    .iter()
                    .map(|field| read(field, mapping.charset).into_owned())
                    .collect();
                if let Some(columns) = CsvColumns::locate(mapping, &header) {
                    return Ok(Some((mapping, columns)));
                }
            }
        }
        is_first &= !rows.split(',') || rows.record.iter().all(<[u8]>::is_empty);
    }
    Ok(None)
}

/// The columns of a file without a header, where its first row is a payment of as many columns as the mapping's.
fn headless<R: BufRead>(rows: &mut CsvRowReader<R>, mapping: &CsvMapping) -> Option<CsvColumns> {
    let is_split = rows.split(mapping.delimiter);
    let last = mapping.header.iter().filter_map(|name| by_place(name)).max()?;
    if !is_split || rows.record.len() != last + 1 {
        return None;
    }
    let columns = CsvColumns::locate(mapping, &vec![String::new(); rows.record.len()])?;
    let field = |i: usize| read(rows.record.get(i).unwrap_or_default(), mapping.charset);
    let is_payment = dated(&field(columns.date), mapping, Tz::UTC).is_some()
        && columns.amount.read(&field, mapping.decimal, "XXX").is_some();
    is_payment.then_some(columns)
}

/// The owner's mapping that fits a file by its first bytes.
pub(super) fn written_mapping<'m>(head: &[u8], mappings: &'m [CsvMapping]) -> Option<&'m CsvMapping> {
    let found = find_header(&mut CsvRowReader::new(head), mappings).ok()?;
    found.map(|(mapping, _)| mapping)
}

/// When a row was, and whether it says the time.
fn dated(text: &str, mapping: &CsvMapping, zone: Tz) -> Option<(Timestamp, bool)> {
    let read = |format: &String| Some((instant(text.trim(), format, zone)?, format.contains(['H', 'I'])));
    mapping.date_formats.iter().find_map(read)
}

fn read(field: &[u8], charset: CsvCharset) -> Cow<'_, str> {
    match charset {
        CsvCharset::Utf8 => text(field),
        CsvCharset::Windows1252 => encoding_rs::WINDOWS_1252.decode_without_bom_handling(field).0,
        CsvCharset::Windows1250 => encoding_rs::WINDOWS_1250.decode_without_bom_handling(field).0,
    }
}
