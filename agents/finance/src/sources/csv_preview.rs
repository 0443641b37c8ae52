//! A CSV export as it would be read, for the owner to look at.
//!
//! What: [`recognise_csv`], a file's first bytes to a [`CsvRecognition`]; [`preview_rows`], its first payments by a mapping. Why: what is
//! shown is made by the reader itself. Nothing is kept. Not here: the page that shows it (`surfaces`).

use super::{
    StatementItem,
    csv::{CSV_HEAD, CsvReadingContext, CsvStatement, written_mapping},
    recognition::{choose, encoding_of, recognise},
};
use agents_base::{
    contract::{CsvMapping, CsvQuestion, CsvRecognition, CsvSkippedRow, FixedOrColumn},
    zone,
};
use chrono_tz::Tz;
use toolcall_schema::preview::{StatementColumns, StatementRow};

/// Bytes of a file by which it is recognised; more are not looked at.
pub const CSV_HEAD_BYTES: u64 = CSV_HEAD;
/// One with two decimals, as most have.
const ANY_CURRENCY: &str = "EUR";
/// Payments that are shown.
const SHOWN: usize = 5;
/// Rows that are shown as left out.
const SHOWN_SKIPPED: usize = 5;

/// What a CSV export is recognised as. `head`: its first bytes, at most [`CSV_HEAD_BYTES`]; `complete`: it has no more. `currency`: of
/// the owner's accounts, ISO 4217. `None`: it is no statement, or its columns are not known.
pub fn recognise_csv(
    head: &[u8],
    complete: bool,
    currency: Option<&str>,
    zone: Tz,
) -> Option<CsvRecognition> {
    let (utf8, encoding) = encoding_of(head);
    let found = recognise(&utf8, complete, currency)?;
    let recognition = CsvRecognition {
        bank: found.bank,
        header_line: found.header_line,
        shape: found.shape,
        encoding,
        confidence: found.confidence,
        columns: found.columns,
        mapping: found.mapping,
        questions: found.questions,
        rows: Vec::new(),
        skipped: Vec::new(),
    };
    Some(with_rows(&utf8, recognition, zone))
}

/// The recognition with the first rows as it reads them.
fn with_rows(utf8: &[u8], mut recognition: CsvRecognition, zone: Tz) -> CsvRecognition {
    let mut shown = recognition.mapping.clone();
    let unnamed = recognition.questions.contains(&CsvQuestion::Currency);
    if unnamed {
        // Rows can be shown before their currency is known.
        shown.currency = FixedOrColumn::Always(ANY_CURRENCY.to_owned());
    }
    (recognition.rows, recognition.skipped) = preview_rows(utf8, &shown, zone);
    let month_first = recognition.questions.iter().find_map(|question| match question {
        CsvQuestion::DayFirst { month_first, .. } => Some(month_first.clone()),
        CsvQuestion::MoneyOut { .. } | CsvQuestion::Currency => None,
    });
    if let Some(date_formats) = month_first {
        // Neither reading is shown as if it were the right one.
        shown.date_formats = date_formats;
        for other in preview_rows(utf8, &shown, zone).0 {
            let row = recognition.rows.iter_mut().find(|row| row.line == other.line);
            if let Some(row) = row.filter(|row| row.day != other.day) {
                row.other_day = Some(other.day);
            }
        }
    }
    if unnamed {
        recognition.rows.iter_mut().for_each(|row| row.currency.clear());
    }
    recognition
}

/// The same, read by the owner's mapping where one fits: nothing is asked that she answered before.
pub fn written_csv(
    head: &[u8],
    mappings: &[CsvMapping],
    zone: Tz,
    recognition: CsvRecognition,
) -> CsvRecognition {
    let utf8 = encoding_of(head).0;
    let Some(mapping) = written_mapping(&utf8, mappings) else {
        return recognition;
    };
    let (rows, skipped) = preview_rows(&utf8, mapping, zone);
    CsvRecognition {
        bank: Some(mapping.name.clone()),
        confidence: 100,
        mapping: mapping.clone(),
        questions: Vec::new(),
        rows,
        skipped,
        ..recognition
    }
}

/// The same with the columns that the owner chose. Where they cannot be what she says, there are no rows and no questions.
pub fn chosen_csv(
    (head, complete): (&[u8], bool),
    zone: Tz,
    recognition: CsvRecognition,
    chosen: &StatementColumns,
) -> CsvRecognition {
    let utf8 = encoding_of(head).0;
    match choose(&utf8, complete, &recognition, chosen) {
        Some(found) => with_rows(&utf8, found, zone),
        None => CsvRecognition {
            questions: Vec::new(),
            rows: Vec::new(),
            skipped: Vec::new(),
            ..recognition
        },
    }
}

/// The first payments of an export, in UTF-8 or the code page of the mapping, and the first rows that are left out.
pub(crate) fn preview_rows(
    head: &[u8],
    mapping: &CsvMapping,
    zone: Tz,
) -> (Vec<StatementRow>, Vec<CsvSkippedRow>) {
    let context = CsvReadingContext {
        mappings: std::slice::from_ref(mapping),
        currency: None,
        zone,
    };
    let (mut rows, mut skipped) = (Vec::new(), Vec::new());
    let Ok(statement) = CsvStatement::new(head, context) else {
        return (rows, skipped);
    };
    for (place, item) in statement {
        match item {
            Ok(StatementItem::Payment(found)) => rows.push(StatementRow {
                line: place.line,
                day: zone::local_date(found.ts, zone).to_string(),
                other_day: None,
                amount: found.amount,
                currency: found.currency,
                direction: found.direction,
                payee: found.merchant.display_name().to_owned(),
            }),
            Ok(StatementItem::Balance(_)) => {}
            Err(code) if skipped.len() < SHOWN_SKIPPED => skipped.push(CsvSkippedRow {
                line: place.line,
                code: code.code.to_owned(),
                message: code.message.to_owned(),
            }),
            Err(_) => {}
        }
        if rows.len() >= SHOWN {
            break;
        }
    }
    (rows, skipped)
}
