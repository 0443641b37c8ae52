//! The banks and brokers whose exports are known by their header.
//!
//! What: [`KnownBankExport`], one of `banks.json`; [`find`], whose header a file has. Why: a bank's own columns need no guess about signs or the order of
//! day and month. The names of columns are facts taken from public importers; each entry names its source and the day on which it was
//! seen. Not here: files of other banks (`columns`).

use super::{
    super::amount::DecimalMark,
    DateColumn, header_words, separator,
    table::{self, Table},
    values,
};
use agents_base::contract::{
    AmountColumns, CsvCharset, CsvMapping, CsvQuestion, DecimalSeparator, FixedOrColumn,
};
use serde::Deserialize;
use std::sync::LazyLock;

/// An export of a bank or broker.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownBankExport {
    /// Its name, as it is shown.
    pub bank: String,
    /// ISO 3166.
    pub country: String,
    pub kind: BankKind,
    /// The public importer that names these columns.
    pub source: String,
    /// When that was seen.
    pub seen: String,
    /// How it is read; `header` has the columns that tell it from others.
    pub reads: CsvMapping,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BankKind {
    Account,
    Card,
    Broker,
}

static BANKS: LazyLock<Vec<KnownBankExport>> =
    LazyLock::new(|| serde_json::from_str(include_str!("banks.json")).unwrap_or_default());

/// All of them, for a page that lists which exports need no answer.
pub(crate) fn known_banks() -> &'static [KnownBankExport] {
    &BANKS
}

/// How a file is read, and what it leaves open: of a program that writes days as its user's country does, their order.
type FittedMapping = (CsvMapping, Option<CsvQuestion>);

/// The bank whose header a file has, with the table and the mapping. Of several the one of which most columns are there.
pub(super) fn find(head: &[u8], complete: bool) -> Option<(&'static KnownBankExport, Table, FittedMapping)> {
    table::DELIMITERS.into_iter().find_map(|delimiter| {
        let rows = table::rows(head, complete, delimiter);
        let mut headers = rows.iter().enumerate().take(table::HEADER_ROWS);
        let (at, bank) = headers.find_map(|(at, row)| {
            let fits = known_banks()
                .iter()
                .filter(|bank| has_all(&row.fields, &bank.reads.header));
            fits.max_by_key(|bank| bank.reads.header.len())
                .map(|bank| (at, bank))
        })?;
        let table = Table::with_header(rows, at, delimiter)?;
        let mapping = fitted(bank, &table, head)?;
        Some((bank, table, mapping))
    })
}

fn has_all(fields: &[String], names: &[String]) -> bool {
    names.iter().all(|name| place(fields, name).is_some())
}

fn place(fields: &[String], name: &str) -> Option<usize> {
    fields
        .iter()
        .position(|field| field.trim().eq_ignore_ascii_case(name.trim()))
        .or_else(|| {
            fields
                .iter()
                .position(|field| header_words::fold(field) == header_words::fold(name))
        })
}

/// The bank's mapping as this file needs it: with its separator and letters, without columns that it lacks. `None` when its cells are not
/// what the bank writes, so that they are looked at anew.
fn fitted(bank: &KnownBankExport, table: &Table, head: &[u8]) -> Option<FittedMapping> {
    let fields = &table.header.fields;
    let names = table.names();
    let named = |name: &str| place(fields, name).and_then(|i| names.get(i)).cloned();
    let mut mapping = bank.reads.clone();
    mapping.delimiter = table.delimiter;
    if mapping.charset == CsvCharset::Utf8 {
        mapping.charset = super::charset_of(head);
    }
    mapping.header = mapping
        .header
        .iter()
        .map(|name| named(name))
        .collect::<Option<_>>()?;
    mapping.date = named(&mapping.date)?;
    mapping.amount = match &mapping.amount {
        AmountColumns::Signed(column) => AmountColumns::Signed(named(column)?),
        AmountColumns::Charged { charged } => AmountColumns::Charged {
            charged: named(charged)?,
        },
        AmountColumns::Apart { debit, credit } => AmountColumns::Apart {
            debit: named(debit)?,
            credit: named(credit)?,
        },
        AmountColumns::Said {
            column,
            way,
            debit,
            credit,
        } => AmountColumns::Said {
            column: named(column)?,
            way: named(way)?,
            debit: debit.clone(),
            credit: credit.clone(),
        },
    };
    for names in [&mut mapping.payee, &mut mapping.payer] {
        *names = names.iter().filter_map(|name| named(name)).collect();
    }
    mapping.reference = mapping.reference.as_deref().and_then(named);
    mapping.balance = mapping.balance.as_deref().and_then(named);
    for rows in [&mut mapping.only, &mut mapping.except] {
        *rows = rows.take().and_then(|mut rows| {
            rows.column = named(&rows.column)?;
            Some(rows)
        });
    }
    mapping.fee = mapping.fee.as_deref().and_then(named);
    for given in [&mut mapping.currency, &mut mapping.account] {
        if let FixedOrColumn::Column { column } = given {
            *column = named(column)?;
        }
    }
    let question;
    (mapping.date_formats, question) = dates(table, fields, &mapping)?;
    mapping.decimal = decimal(table, fields, &mapping)?;
    if let (FixedOrColumn::Always(_), Some(account)) = (&mapping.account, super::account_of(table)) {
        mapping.account = FixedOrColumn::Always(account);
    }
    Some((mapping, question))
}

/// The bank's formats where they fit four in five cells, else the one that does. One that has the day first and the month first as well is decided by the cells,
/// or asked.
fn dates(
    table: &Table,
    fields: &[String],
    mapping: &CsvMapping,
) -> Option<(Vec<String>, Option<CsvQuestion>)> {
    let cells: Vec<&str> = table.cells(column_of(fields, &mapping.date)?).collect();
    let has = |first: &str| {
        mapping
            .date_formats
            .iter()
            .any(|format| format.starts_with(first))
    };
    if has("%d") && has("%m") {
        let found = DateColumn::from_cells(&cells)?;
        let question = found.question();
        return Some((found.day_first, question));
    }
    let fits = |cell: &&&str| {
        let formats = values::date_formats(cell);
        formats.iter().any(|format| mapping.date_formats.contains(format))
    };
    if cells.iter().filter(fits).count() * 5 >= cells.len() * 4 {
        return Some((mapping.date_formats.clone(), None));
    }
    let found = DateColumn::from_cells(&cells)?;
    let formats = if has("%m") && !found.month_first.is_empty() {
        found.month_first
    } else {
        found.day_first
    };
    Some((formats, None))
}

/// The bank's mark before decimals where it reads three in four cells, else the one that does.
fn decimal(table: &Table, fields: &[String], mapping: &CsvMapping) -> Option<DecimalSeparator> {
    let columns: Vec<&String> = match &mapping.amount {
        AmountColumns::Signed(column) | AmountColumns::Charged { charged: column } => vec![column],
        AmountColumns::Apart { debit, credit } => vec![debit, credit],
        AmountColumns::Said { column, .. } => vec![column],
    };
    let cells: Vec<&str> = columns
        .into_iter()
        .filter_map(|name| column_of(fields, name))
        .flat_map(|i| table.cells(i))
        .collect();
    let reads = |decimal: DecimalSeparator| {
        let mark = DecimalMark::from(decimal);
        let read = cells.iter().filter(|cell| values::amount(cell, mark).is_some());
        read.count() * 4 >= cells.len() * 3
    };
    let found = separator(values::mark_of(cells.iter().copied()).0);
    [mapping.decimal, found]
        .into_iter()
        .find(|decimal| reads(*decimal))
}

fn column_of(fields: &[String], name: &str) -> Option<usize> {
    let by_place = name.strip_prefix('#').and_then(|n| n.parse::<usize>().ok());
    place(fields, name).or_else(|| by_place?.checked_sub(1))
}
