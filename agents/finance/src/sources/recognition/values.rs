//! What the cells of a column look like.
//!
//! What: [`date_formats`], the ways in which a text is a date; [`DateColumn`], the one way of a whole column; [`mark_of`], which sign stands
//! before decimals. Why: a column is what its cells are, whatever it is called. Not here: names of columns (`header_words`).

use super::super::{
    amount::{DecimalMark, NumberStyle, WrittenAmount, written},
    dates::instant,
};
use agents_base::contract::CsvQuestion;
use chrono_tz::Tz;

/// The longest date that is looked at, in bytes.
const MAX_DATE: usize = 40;

/// Days, in the notation of `strftime`, with their separator.
const DAYS: &[(char, &str)] = &[
    ('-', "%Y-%m-%d"),
    ('/', "%Y/%m/%d"),
    ('.', "%Y.%m.%d"),
    ('.', "%d.%m.%Y"),
    ('.', "%d.%m.%y"),
    ('/', "%d/%m/%Y"),
    ('/', "%d/%m/%y"),
    ('/', "%m/%d/%Y"),
    ('/', "%m/%d/%y"),
    ('-', "%d-%m-%Y"),
    ('-', "%d-%m-%y"),
    ('-', "%m-%d-%Y"),
    ('-', "%m-%d-%y"),
    ('-', "%d-%b-%Y"),
    ('-', "%d-%b-%y"),
    ('/', "%d/%b/%Y"),
    (' ', "%d %b %Y"),
    (' ', "%d %b %y"),
    (',', "%b %d, %Y"),
    (',', "%d %b, %Y"),
    (' ', "%b %d %Y"),
    ('\0', "%Y%m%d"),
];

/// Times that may follow a day; of each the first sign behind the day.
const TIMES: &[&str] = &[
    " %H:%M:%S",
    " %H:%M",
    ", %H:%M:%S",
    ", %H:%M",
    "T%H:%M:%S",
    "T%H:%M:%SZ",
    "T%H:%M:%S%.fZ",
    "T%H:%M:%S%:z",
    "T%H:%M:%S%.f%:z",
    "T%H:%M:%S%.f",
    " %H:%M:%S%.f",
    " %I:%M %p",
    " %I:%M:%S %p",
];

/// Every format that a text has.
pub(super) fn date_formats(text: &str) -> Vec<String> {
    let text = text.trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-/. ,:+".contains(c);
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    if !(6..=MAX_DATE).contains(&text.len()) || digits < 3 || !text.chars().all(plain) {
        return Vec::new();
    }
    let times: &[&str] = if text.contains(':') { TIMES } else { &[""] };
    let separated = |separator: char| match separator {
        '\0' => !text.contains(['/', ' ']),
        separator => text.contains(separator),
    };
    let mut out = Vec::new();
    for (separator, day) in DAYS {
        if !separated(*separator) {
            continue;
        }
        for time in times {
            let format = format!("{day}{time}");
            if instant(text, &format, Tz::UTC).is_some() {
                out.push(format);
            }
        }
    }
    out
}

/// How the dates of a column are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DateColumn {
    /// The format, or the formats between which nothing decides.
    pub(super) day_first: Vec<String>,
    /// The same with the month first; empty when it is clear.
    pub(super) month_first: Vec<String>,
    /// 0 to 100.
    pub(super) confidence: u8,
    /// A date that can be read either way.
    pub(super) example: String,
}

impl DateColumn {
    /// What is open: in which order day and month stand.
    pub(super) fn question(&self) -> Option<CsvQuestion> {
        (!self.month_first.is_empty()).then(|| CsvQuestion::DayFirst {
            text: self.example.clone(),
            day_first: self.day_first.clone(),
            month_first: self.month_first.clone(),
        })
    }

    /// Of the filled cells of a column. `None` when fewer than four in five are dates of one format.
    pub(super) fn from_cells(cells: &[&str]) -> Option<Self> {
        let mut counts: Vec<(String, usize)> = Vec::new();
        let mut filled = 0_usize;
        for cell in cells {
            filled += 1;
            for format in date_formats(cell) {
                match counts.iter_mut().find(|(known, _)| *known == format) {
                    Some((_, count)) => *count += 1,
                    None => counts.push((format, 1)),
                }
            }
        }
        let most = counts.iter().map(|(_, count)| *count).max()?;
        if most * 5 < filled * 4 {
            return None;
        }
        let best: Vec<String> = counts
            .into_iter()
            .filter(|(_, count)| *count == most)
            .map(|(format, _)| format)
            .collect();
        let is_month_first = |format: &String| format.starts_with("%m");
        let (months, days): (Vec<String>, Vec<String>) = best.into_iter().partition(is_month_first);
        let first = |formats: Vec<String>| formats.into_iter().take(1).collect::<Vec<_>>();
        let (days, months) = (first(days), first(months));
        let (Some(day), Some(month)) = (days.first(), months.first()) else {
            let sure = if most == filled { 100 } else { 90 };
            return Some(Self {
                day_first: if days.is_empty() { months } else { days },
                month_first: Vec::new(),
                confidence: sure,
                example: String::new(),
            });
        };
        let example = cells.iter().find(|cell| date_formats(cell).len() > 1);
        let (in_days, in_months) = (is_ordered(cells, day), is_ordered(cells, month));
        let (day_first, month_first, confidence) = match (in_days, in_months) {
            (true, false) => (days, Vec::new(), 80),
            (false, true) => (months, Vec::new(), 80),
            (true, true) | (false, false) => (days, months, 50),
        };
        Some(Self {
            day_first,
            month_first,
            confidence,
            example: example.map_or_else(String::new, |cell| cell.trim().to_owned()),
        })
    }
}

/// Whether at least three different dates stand in one order, read by a format: a statement is sorted by its dates.
fn is_ordered(cells: &[&str], format: &str) -> bool {
    let dates: Vec<_> = cells
        .iter()
        .filter_map(|cell| instant(cell.trim(), format, Tz::UTC))
        .collect();
    let mut different = dates.clone();
    different.sort_unstable();
    different.dedup();
    different.len() >= 3 && (dates.is_sorted() || dates.iter().rev().is_sorted())
}

/// A cell as an amount, with a mark before its decimals.
pub(super) fn amount(cell: &str, mark: DecimalMark) -> Option<WrittenAmount> {
    written(cell, NumberStyle::statement(mark, "XXX"))
}

/// Whether a cell is an amount, by either mark.
pub(super) fn is_amount(cell: &str) -> bool {
    amount(cell, DecimalMark::Point).is_some() || amount(cell, DecimalMark::Comma).is_some()
}

/// Whether a cell has decimals or a sign, as amounts have and numbers of accounts have not.
pub(super) fn is_like_money(cell: &str) -> bool {
    let decimals = |text: &str| text.len() == 2 && text.bytes().all(|b| b.is_ascii_digit());
    let digits = cell.trim_end_matches(|c: char| !c.is_ascii_digit());
    let signed = cell.trim_start().starts_with(['-', '+', '−', '(']);
    signed
        || digits
            .rsplit_once(['.', ','])
            .is_some_and(|(_, last)| decimals(last))
}

/// Whether a cell is below 0 or has a currency beside it, as distances and temperatures have not.
pub(super) fn is_surely_money(cell: &str) -> bool {
    let read = amount(cell, DecimalMark::Point).or_else(|| amount(cell, DecimalMark::Comma));
    read.is_some_and(|read| read.symbol.is_some() || (read.negative && is_like_money(cell)))
}

/// The mark before decimals of some cells, and how sure that is. Whole numbers without groups read the same by either.
pub(super) fn mark_of<'a>(cells: impl Iterator<Item = &'a str>) -> (DecimalMark, u8) {
    let (mut point, mut comma) = (0_usize, 0_usize);
    for cell in cells {
        let by_point = amount(cell, DecimalMark::Point).is_some();
        let by_comma = amount(cell, DecimalMark::Comma).is_some();
        point += usize::from(by_point && !by_comma);
        comma += usize::from(by_comma && !by_point);
    }
    let (mark, more, fewer) = if comma > point {
        (DecimalMark::Comma, comma, point)
    } else {
        (DecimalMark::Point, point, comma)
    };
    let confidence = match (more, fewer) {
        (0, _) => 80,
        (_, 0) => 100,
        (more, fewer) if more >= fewer * 9 => 85,
        _ => 20,
    };
    (mark, confidence)
}
