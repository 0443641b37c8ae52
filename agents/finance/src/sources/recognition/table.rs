//! The first rows of an export, with its header.
//!
//! What: [`Table`], found by trying each usual separator and looking for rows with a date and an amount. Why: whatever the columns are called,
//! a statement is a list of those. Not here: what the columns hold (`columns`).

use super::{
    super::{csv_rows::CsvRowReader, lines::text},
    header_words, values,
};
use agents_base::contract::ColumnRole;

/// What may stand between two fields.
pub(super) const DELIMITERS: [char; 4] = [',', ';', '\t', '|'];
/// Rows that are looked at.
const MAX_ROWS: usize = 400;
/// Columns of a file; a row with more is none of a statement.
const MAX_COLUMNS: usize = 100;
/// Lines in which the header must come.
pub(super) const HEADER_ROWS: usize = 40;

/// A row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TableRow {
    pub(super) line: u64,
    pub(super) fields: Vec<String>,
}

/// The first rows of a file.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) delimiter: char,
    pub(super) header: TableRow,
    /// What stands above the header: names, addresses, the account.
    pub(super) above: Vec<TableRow>,
    /// The rows below it with a date and an amount.
    pub(super) rows: Vec<TableRow>,
}

impl TableRow {
    /// A field; empty where the row has none.
    pub(super) fn field(&self, i: usize) -> &str {
        self.fields.get(i).map_or("", |field| field.trim())
    }

    fn filled_cells(&self) -> usize {
        self.fields
            .iter()
            .filter(|field| !field.trim().is_empty())
            .count()
    }

    fn is_entry(&self) -> bool {
        let is_date = |field: &&String| !values::date_formats(field).is_empty();
        let dates = self.fields.iter().filter(is_date).count();
        let amounts = self
            .fields
            .iter()
            .filter(|field| !is_date(field) && values::is_amount(field));
        dates > 0 && amounts.count() > 0
    }
}

/// The rows of a file by a separator. `complete`: the file ends with these bytes.
pub(super) fn rows(head: &[u8], complete: bool, delimiter: char) -> Vec<TableRow> {
    let head = if complete {
        head
    } else {
        let end = memchr::memrchr(b'\n', head).or_else(|| memchr::memrchr(b'\r', head));
        let end = end.map_or(0, |end| end + 1);
        head.get(..end).unwrap_or_default()
    };
    let mut reader = CsvRowReader::new(head);
    let mut out = Vec::new();
    while out.len() < MAX_ROWS {
        let line = reader.line();
        match reader.row() {
            Ok(Ok(true)) => {}
            Ok(Ok(false)) | Err(_) => break,
            Ok(Err(_)) => continue,
        }
        if reader.split(delimiter) && reader.record.len() <= MAX_COLUMNS {
            let fields = reader.record.iter().map(|field| text(field).into_owned());
            let row = TableRow {
                line,
                fields: fields.collect(),
            };
            if row.filled_cells() > 0 {
                out.push(row);
            }
        }
    }
    out
}

impl Table {
    /// The table of a file. `None` when no separator makes rows with a date and an amount below a header.
    pub(super) fn find(head: &[u8], complete: bool) -> Option<Self> {
        let tables = DELIMITERS
            .into_iter()
            .filter_map(|delimiter| Self::from_rows(rows(head, complete, delimiter), delimiter));
        tables.max_by_key(|table| (table.rows.len(), table.header.fields.len()))
    }

    fn from_rows(rows: Vec<TableRow>, delimiter: char) -> Option<Self> {
        let first = rows.iter().position(TableRow::is_entry)?;
        let head: Vec<&TableRow> = rows.iter().take(first.min(HEADER_ROWS)).collect();
        let last = head
            .iter()
            .enumerate()
            .filter(|(_, row)| row.filled_cells() >= 2)
            .max_by_key(|(i, row)| (names(&row.fields), *i))?;
        let at = last.0;
        Self::with_header(rows, at, delimiter)
    }

    /// The table with its header in a row.
    pub(super) fn with_header(mut rows: Vec<TableRow>, header: usize, delimiter: char) -> Option<Self> {
        let mut below = rows.split_off(header);
        let header = (!below.is_empty()).then(|| below.remove(0))?;
        // What stands below another header is of another table.
        let same = |row: &TableRow| row.fields == header.fields;
        let other = below.iter().position(|row| !same(row) && is_header(&row.fields));
        below.truncate(other.unwrap_or(below.len()));
        // A row with more columns is refused when it is read, and says nothing of the others.
        let columns = header.fields.len();
        let fits = |row: &TableRow| {
            row.fields
                .iter()
                .skip(columns)
                .all(|field| field.trim().is_empty())
        };
        below.retain(|row| row.is_entry() && fits(row));
        Some(Self {
            delimiter,
            header,
            above: rows,
            rows: below,
        })
    }

    /// The table of a file that begins with a payment and has nothing above it. `None`: by no separator are nine in ten rows payments of as many
    /// columns as the first.
    pub(super) fn find_headless(head: &[u8], complete: bool) -> Option<Self> {
        let tables = DELIMITERS.into_iter().filter_map(|delimiter| {
            let rows = rows(head, complete, delimiter);
            let columns = rows.first().filter(|row| row.is_entry())?.fields.len();
            let all = rows.len();
            let rows: Vec<TableRow> = rows
                .into_iter()
                .filter(|row| row.fields.len() == columns && row.is_entry())
                .collect();
            let is_statement = columns >= 3 && rows.len() >= 2 && rows.len() * 10 >= all * 9;
            is_statement.then(|| Self {
                delimiter,
                header: TableRow {
                    line: 0,
                    fields: vec![String::new(); columns],
                },
                above: Vec::new(),
                rows,
            })
        });
        tables.max_by_key(|table| (table.rows.len(), table.header.fields.len()))
    }

    /// The filled cells of a column.
    pub(super) fn cells(&self, column: usize) -> impl Iterator<Item = &str> + Clone {
        self.rows
            .iter()
            .map(move |row| row.field(column))
            .filter(|cell| !cell.is_empty())
    }

    /// The names of the columns as a mapping writes them: one that is empty or stands twice is named by its place.
    pub(super) fn names(&self) -> Vec<String> {
        let fields = &self.header.fields;
        let same = |a: &str, b: &str| a.trim().eq_ignore_ascii_case(b.trim());
        let named = |(i, name): (usize, &String)| {
            let first = fields.iter().position(|other| same(other, name)) == Some(i);
            if first && !name.trim().is_empty() {
                name.trim().to_owned()
            } else {
                format!("#{}", i + 1)
            }
        };
        fields.iter().enumerate().map(named).collect()
    }
}

/// How many kinds of columns a row names.
fn names(fields: &[String]) -> usize {
    let mut roles: Vec<ColumnRole> = fields
        .iter()
        .filter_map(|name| header_words::roles_of(name).first().map(|(role, _)| *role))
        .filter(|role| *role != ColumnRole::Other)
        .collect();
    roles.sort_unstable();
    roles.dedup();
    roles.len()
}

/// Whether a row names columns: at least three kinds of them, and holds neither date nor amount.
pub(in crate::sources) fn is_header(fields: &[String]) -> bool {
    let is_value = |field: &String| !values::date_formats(field).is_empty() || values::is_amount(field);
    fields.len() <= MAX_COLUMNS && !fields.iter().any(is_value) && names(fields) >= 3
}
