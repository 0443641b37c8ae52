//! What the columns of a bank's CSV export hold, without a mapping of the owner's.
//!
//! What: [`recognise`], a file's first bytes to a [`CsvMapping`] and to what must be asked. Why: nobody should write a mapping for a file
//! that says itself what it is; what it does not say is asked and never guessed. Not here: reading by a mapping (`csv`).

pub(crate) mod banks;
mod chosen;
mod columns;
mod header_words;
mod headless;
mod signs;
mod table;
mod values;

use super::{
    amount::{DecimalMark, WrittenAmount},
    csv_rows::utf16_of,
    currency::is_currency,
    ofx::last4,
};
use crate::claim::NO_ACCOUNT;
use agents_base::contract::{
    AmountColumns, ColumnRole, CsvCharset, CsvMapping, CsvQuestion, DecimalSeparator, FixedOrColumn,
    RecognisedColumn, RowCondition, TextEncoding,
};
pub(crate) use chosen::choose;
use columns::Columns;
pub(super) use header_words::fold;
use rust_decimal::Decimal;
use signs::{AmountSign, SignedRow};
use std::borrow::Cow;
use table::Table;
pub(super) use table::is_header;
use toolcall_schema::ids::sha256_hex;
use values::DateColumn;

/// Below this the owner is asked.
const SURE: u8 = 60;
/// Columns that may name the payee.
const MAX_TOLD: usize = 4;

/// What a file was recognised as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecognisedCsv {
    pub(crate) bank: Option<String>,
    pub(crate) header_line: u64,
    pub(crate) shape: String,
    pub(crate) confidence: u8,
    pub(crate) columns: Vec<RecognisedColumn>,
    pub(crate) mapping: CsvMapping,
    pub(crate) questions: Vec<CsvQuestion>,
}

/// A file's first bytes as UTF-8, or as its code page.
pub(crate) fn encoding_of(head: &[u8]) -> (Cow<'_, [u8]>, TextEncoding) {
    if let Some(encoding) = utf16_of(head) {
        let even = head.get(..head.len() & !1).unwrap_or_default();
        let text = encoding.decode(even).0.into_owned();
        return (Cow::Owned(text.into_bytes()), TextEncoding::Utf16);
    }
    let encoding = match charset_of(head) {
        CsvCharset::Utf8 => TextEncoding::Utf8,
        CsvCharset::Windows1252 | CsvCharset::Windows1250 => TextEncoding::Windows1252,
    };
    (Cow::Borrowed(head), encoding)
}

fn charset_of(head: &[u8]) -> CsvCharset {
    match std::str::from_utf8(head) {
        Ok(_) => CsvCharset::Utf8,
        // The last letter may be cut.
        Err(error) if error.error_len().is_none() => CsvCharset::Utf8,
        Err(_) => CsvCharset::Windows1252,
    }
}

/// Recognises a file by its first bytes, in UTF-8 or a code page. `complete`: it ends with them. `currency`: the owner's, where
/// the file names none. `None`: it is no statement, or its columns are not known.
pub(crate) fn recognise(head: &[u8], complete: bool, currency: Option<&str>) -> Option<RecognisedCsv> {
    if let Some((bank, table, (mapping, question))) = banks::find(head, complete) {
        let columns = Columns::identify(&table);
        return Some(RecognisedCsv {
            bank: Some(bank.bank.clone()),
            header_line: table.header.line,
            shape: shape_of(&table.header.fields),
            confidence: 100,
            columns: recognised(&columns, &table.names()),
            mapping,
            questions: question.into_iter().collect(),
        });
    }
    let (table, columns, sides_open) = if let Some(table) = Table::find(head, complete) {
        let columns = Columns::identify(&table);
        (table, columns, false)
    } else {
        let table = Table::find_headless(head, complete)?;
        let found = headless::identify(&table)?;
        (table, found.columns, found.sides_open)
    };
    let without_header = table.header.line == 0;
    let names = table.names();
    let name = |i: usize| names.get(i).cloned().unwrap_or_default();
    let mut questions = Vec::new();

    let (date, date_sure) = columns.best(ColumnRole::Date)?;
    let dates = DateColumn::from_cells(&table.cells(date).collect::<Vec<_>>())?;
    questions.extend(dates.question());
    let (amount, decimal, amount_sure) = amounts(&table, &columns, &names, &mut questions)?;
    if let (true, Some((debit, _))) = (sides_open, columns.best(ColumnRole::Debit)) {
        questions.push(money_out(&table, &columns, debit, decimal.into())?);
    }
    let told: Vec<String> = [ColumnRole::Payee, ColumnRole::Narration]
        .into_iter()
        .flat_map(|role| columns.all(role))
        .map(|(i, _)| name(i))
        .take(MAX_TOLD)
        .collect();
    let reference = columns.best(ColumnRole::Reference).map(|(i, _)| name(i));
    let currency = if let Some((i, _)) = columns.best(ColumnRole::Currency) {
        FixedOrColumn::Column { column: name(i) }
    } else {
        let known = currency_of(&table, &columns).or_else(|| currency.map(str::to_owned));
        if known.is_none() {
            questions.push(CsvQuestion::Currency);
        }
        FixedOrColumn::Always(known.unwrap_or_default())
    };
    let account = match columns.best(ColumnRole::Account) {
        Some((i, _)) => FixedOrColumn::Column { column: name(i) },
        None => FixedOrColumn::Always(account_of(&table).unwrap_or_else(|| NO_ACCOUNT.to_owned())),
    };
    let mapping = CsvMapping {
        name: String::new(),
        header: if without_header {
            names.last().cloned().into_iter().collect()
        } else {
            let named = names.iter().filter(|name| !name.starts_with('#'));
            named.cloned().collect()
        },
        without_header,
        delimiter: table.delimiter,
        decimal,
        date: name(date),
        date_formats: dates.day_first,
        amount,
        payee: told,
        payer: Vec::new(),
        reference,
        currency,
        account,
        charset: charset_of(head),
        balance: columns.best(ColumnRole::Balance).map(|(i, _)| name(i)),
        only: completed(&table, &columns, &names),
        except: None,
        fee: None,
    };
    Some(RecognisedCsv {
        bank: None,
        header_line: table.header.line,
        shape: shape_of(&table.header.fields),
        confidence: [date_sure, dates.confidence, amount_sure].into_iter().min()?,
        columns: recognised(&columns, &names),
        mapping,
        questions,
    })
}

fn recognised(columns: &Columns, names: &[String]) -> Vec<RecognisedColumn> {
    let named = |(name, guess): (&String, &Option<columns::ColumnGuess>)| RecognisedColumn {
        name: name.clone(),
        role: guess.map_or(ColumnRole::Other, |guess| guess.role),
        confidence: guess.map_or(0, |guess| guess.confidence),
    };
    names.iter().zip(&columns.0).map(named).collect()
}

/// Sixteen digits of the hash of a header; without one, of as many empty names.
fn shape_of(fields: &[String]) -> String {
    let names: Vec<String> = fields.iter().map(|name| header_words::fold(name)).collect();
    sha256_hex(names.join("|").as_bytes()).chars().take(16).collect()
}

/// The column or columns of amounts, the mark before their decimals, and how sure they are.
fn amounts(
    table: &Table,
    columns: &Columns,
    names: &[String],
    questions: &mut Vec<CsvQuestion>,
) -> Option<(AmountColumns, DecimalSeparator, u8)> {
    let name = |i: usize| names.get(i).cloned().unwrap_or_default();
    let pair = columns
        .best(ColumnRole::Debit)
        .zip(columns.best(ColumnRole::Credit))
        .filter(|((debit, _), (credit, _))| are_apart(table, *debit, *credit));
    if let Some(((debit, debit_sure), (credit, credit_sure))) = pair {
        let (mark, mark_sure) = values::mark_of(table.cells(debit).chain(table.cells(credit)));
        let amount = AmountColumns::Apart {
            debit: name(debit),
            credit: name(credit),
        };
        return Some((
            amount,
            separator(mark),
            mark_sure.min(debit_sure).min(credit_sure),
        ));
    }
    let single = [ColumnRole::Amount, ColumnRole::Debit, ColumnRole::Credit];
    let (column, sure) = single.into_iter().find_map(|role| columns.best(role))?;
    let (mark, mark_sure) = values::mark_of(table.cells(column));
    let sure = sure.min(mark_sure);
    if let Some((way, _)) = columns.best(ColumnRole::Way) {
        let (debit, credit) = signs::way_of(table.cells(way))?;
        let amount = AmountColumns::Said {
            column: name(column),
            way: name(way),
            debit,
            credit: Some(credit),
        };
        return Some((amount, separator(mark), sure));
    }
    let rows = signed_rows(table, columns, column, mark);
    let (sign, sign_sure) = signs::sign_of(&rows);
    if sign_sure < SURE {
        questions.push(money_out(table, columns, column, mark)?);
    }
    let amount = match sign {
        AmountSign::Signed => AmountColumns::Signed(name(column)),
        AmountSign::Charged => AmountColumns::Charged {
            charged: name(column),
        },
    };
    Some((amount, separator(mark), sure.min(sign_sure)))
}

/// Whether two columns exclude each other: of twenty rows at most one has an amount in both, of four at least three have one.
fn are_apart(table: &Table, debit: usize, credit: usize) -> bool {
    let has = |cell: &str| cell.bytes().any(|b| (b'1'..=b'9').contains(&b));
    let filled = |row: &table::TableRow| [debit, credit].map(|column| has(row.field(column)));
    let both = table
        .rows
        .iter()
        .filter(|row| filled(row) == [true, true])
        .count();
    let one = table
        .rows
        .iter()
        .filter(|row| matches!(filled(row), [true, false] | [false, true]))
        .count();
    both * 20 <= table.rows.len() && one * 4 >= table.rows.len() * 3
}

fn separator(mark: DecimalMark) -> DecimalSeparator {
    match mark {
        DecimalMark::Comma => DecimalSeparator::Comma,
        DecimalMark::Point | DecimalMark::Unsaid => DecimalSeparator::Point,
    }
}

fn with_sign(read: &WrittenAmount) -> Decimal {
    if read.negative { -read.size } else { read.size }
}

fn signed_rows(table: &Table, columns: &Columns, amount: usize, mark: DecimalMark) -> Vec<SignedRow> {
    let balance = columns.best(ColumnRole::Balance).map(|(i, _)| i);
    let read = |cell: &str| values::amount(cell, mark).map(|read| with_sign(&read));
    let row = |row: &table::TableRow| {
        Some(SignedRow {
            amount: read(row.field(amount))?,
            balance: balance.and_then(|i| read(row.field(i))),
            text: header_words::fold_all(&row.fields),
        })
    };
    table.rows.iter().filter_map(row).collect()
}

/// The question whether an amount above 0 is money out.
fn money_out(table: &Table, columns: &Columns, amount: usize, mark: DecimalMark) -> Option<CsvQuestion> {
    table.rows.iter().find_map(|row| {
        let read = values::amount(row.field(amount), mark)?;
        let told = [ColumnRole::Payee, ColumnRole::Narration]
            .into_iter()
            .flat_map(|role| columns.all(role))
            .map(|(i, _)| row.field(i))
            .find(|text| !text.is_empty());
        (!read.negative && !read.size.is_zero()).then(|| CsvQuestion::MoneyOut {
            line: row.line,
            amount: read.size,
            payee: told.unwrap_or_default().chars().take(80).collect(),
        })
    })
}

/// The currency that the name of an amount's column, a sign beside an amount or a line above the header tells.
fn currency_of(table: &Table, columns: &Columns) -> Option<String> {
    let roles = [
        ColumnRole::Amount,
        ColumnRole::Debit,
        ColumnRole::Credit,
        ColumnRole::Balance,
    ];
    let money: Vec<usize> = roles
        .into_iter()
        .filter_map(|role| columns.best(role))
        .map(|(i, _)| i)
        .collect();
    let named = |i: &usize| header_words::currency_in(table.header.field(*i));
    let sign = |i: &usize| {
        let symbol = |cell: &str| {
            let read =
                values::amount(cell, DecimalMark::Point).or_else(|| values::amount(cell, DecimalMark::Comma));
            read?.symbol?.usual()
        };
        table.cells(*i).find_map(symbol)
    };
    let above = || {
        let mut codes: Vec<String> = table
            .above
            .iter()
            .flat_map(|row| &row.fields)
            .flat_map(|field| field.split(|c: char| !c.is_alphanumeric()))
            .filter(|word| is_currency(word))
            .map(str::to_owned)
            .collect();
        codes.sort_unstable();
        codes.dedup();
        match codes.as_slice() {
            [one] => Some(one.clone()),
            _ => None,
        }
    };
    money
        .iter()
        .find_map(named)
        .or_else(|| money.iter().find_map(sign))
        .or_else(above)
}

/// The last four digits of the account that a line above the header names.
fn account_of(table: &Table) -> Option<String> {
    table.above.iter().find_map(|row| {
        let whole = row.fields.join(" ");
        let named = whole.split([':', ' ']).any(|word| {
            let roles = header_words::roles_of(word);
            roles
                .first()
                .is_some_and(|(role, _)| *role == ColumnRole::Account)
        });
        // "DE02 1234 …" is written in groups; in a sentence it is one word.
        let is_sign = |c: char| c.is_ascii_alphanumeric() || " -*•_".contains(c);
        let is_number = |text: &&str| {
            let digits = text.bytes().filter(u8::is_ascii_digit).count();
            let is_year = text.len() == 4 && (text.starts_with("19") || text.starts_with("20"));
            digits >= 4 && !is_year && text.chars().all(is_sign) && values::date_formats(text).is_empty()
        };
        let is_grouped = |text: &&str| {
            let letters = text.chars().filter(|c| c.is_alphabetic() && !"xX".contains(*c));
            letters.count() <= 6
        };
        let parts = row
            .fields
            .iter()
            .flat_map(|field| field.split(':'))
            .map(str::trim);
        let number = parts
            .clone()
            .filter(is_grouped)
            .find(is_number)
            .or_else(|| whole.split([' ', ':', '"', '/', '=']).find(is_number))?;
        (named || is_iban(number)).then(|| last4(number))
    })
}

/// Whether a text has the shape of an IBAN (ISO 13616): a country, two digits, fifteen to thirty-four letters and digits.
fn is_iban(text: &str) -> bool {
    let plain: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    let shape = plain.iter().enumerate().all(|(i, c)| match i {
        0 | 1 => c.is_ascii_uppercase(),
        2 | 3 => c.is_ascii_digit(),
        _ => c.is_ascii_alphanumeric(),
    });
    shape && (15..=34).contains(&plain.len())
}

/// What a state says of a payment that is complete, and of one that is not.
const COMPLETED: [&str; 14] = [
    "completed",
    "complete",
    "booked",
    "settled",
    "gebucht",
    "posted",
    "success",
    "successful",
    "executed",
    "cleared",
    "abgerechnet",
    "paid",
    "verbucht",
    "completado",
];
const OPEN: [&str; 13] = [
    "pending",
    "reverted",
    "declined",
    "failed",
    "cancelled",
    "canceled",
    "vorgemerkt",
    "rejected",
    "reversed",
    "on hold",
    "processing",
    "denied",
    "expired",
];

/// The rows that are payments, where a column says which are complete and nothing else.
fn completed(table: &Table, columns: &Columns, names: &[String]) -> Option<RowCondition> {
    let (column, _) = columns.best(ColumnRole::State)?;
    let mut is: Vec<String> = Vec::new();
    for cell in table.cells(column) {
        let small = cell.to_lowercase();
        if COMPLETED.contains(&small.as_str()) {
            if !is.iter().any(|known| known.eq_ignore_ascii_case(cell)) {
                is.push(cell.to_owned());
            }
        } else if !OPEN.contains(&small.as_str()) {
            return None;
        }
    }
    (!is.is_empty()).then(|| RowCondition {
        column: names.get(column).cloned().unwrap_or_default(),
        is,
    })
}
