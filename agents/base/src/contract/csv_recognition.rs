//! What a bank's CSV export is recognised as, for the owner to look at before it is read.
//!
//! What: [`CsvRecognition`] with the mapping, the first rows as they would be read and the [`CsvQuestion`]s that the file itself does not
//! answer. Why: the page that shows an export and the reader that takes it use the same recognition. Not here: recognising
//! (`finance::sources::recognition`).

use super::{AmountColumns, CsvMapping, FixedOrColumn};
use crate::currency::is_currency;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use toolcall_schema::preview::{StatementColumns, StatementRow};

/// What a CSV export was recognised as.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CsvRecognition {
    /// The bank or broker whose exports have these columns; `None`: the columns were recognised one by one.
    pub bank: Option<String>,
    /// The line of the header, from 1; 0: the file has none.
    pub header_line: u64,
    /// Sixteen digits of the hash of the header: exports of one shape are read by one mapping.
    pub shape: String,
    pub encoding: TextEncoding,
    /// How sure the recognition is, 0 to 100: that of its least sure part.
    pub confidence: u8,
    /// What the columns hold, in the order of the file.
    pub columns: Vec<RecognisedColumn>,
    /// How the file is read. Where a question is open, by its likelier answer.
    pub mapping: CsvMapping,
    /// What only the owner can say. While there is one, the file is not read.
    pub questions: Vec<CsvQuestion>,
    /// The first payments, as they would be read.
    pub rows: Vec<StatementRow>,
    /// Rows within the looked-at part that would be left out.
    pub skipped: Vec<CsvSkippedRow>,
}

/// How the bytes of a file are letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TextEncoding {
    #[serde(rename = "utf-8")]
    Utf8,
    #[serde(rename = "utf-16")]
    Utf16,
    #[serde(rename = "windows-1252")]
    Windows1252,
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnRole {
    /// The day of the payment.
    Date,
    /// The day from which it bears interest.
    ValueDate,
    Amount,
    Debit,
    Credit,
    /// Which way the money went.
    Way,
    Payee,
    /// What the bank or the payer wrote about it.
    Narration,
    /// The bank's number of the entry.
    Reference,
    Balance,
    Currency,
    /// The owner's account.
    Account,
    /// The account of the other side.
    CounterAccount,
    /// Whether it is booked, pending, sent back.
    State,
    /// In another currency, a fee, a category: not read.
    Other,
}

/// A column that was recognised.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecognisedColumn {
    /// Its name as a mapping writes it.
    pub name: String,
    pub role: ColumnRole,
    /// 0 to 100.
    pub confidence: u8,
}

/// What only the owner can say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum CsvQuestion {
    /// Whether this row is money out.
    MoneyOut {
        line: u64,
        /// As it is written, above 0.
        amount: Decimal,
        payee: String,
    },
    /// Whether the day stands before the month in this date.
    DayFirst {
        text: String,
        day_first: Vec<String>,
        month_first: Vec<String>,
    },
    /// The currency of all amounts.
    Currency,
}

/// The owner's answers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CsvAnswers {
    pub money_out: Option<bool>,
    pub day_first: Option<bool>,
    /// ISO 4217.
    pub currency: Option<String>,
    /// The last four digits of the account, where the file does not name it.
    pub account: Option<String>,
    /// What the owner calls this export.
    pub name: Option<String>,
}

/// A row that would be left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CsvSkippedRow {
    pub line: u64,
    /// A page of `docs/errors`.
    pub code: String,
    pub message: String,
}

impl CsvRecognition {
    /// Which columns the mapping reads.
    pub fn columns_in_use(&self) -> StatementColumns {
        let known = |name: &String| {
            let same = |column: &&RecognisedColumn| column.name.eq_ignore_ascii_case(name.trim());
            let place = || {
                name.trim()
                    .strip_prefix('#')?
                    .parse::<usize>()
                    .ok()?
                    .checked_sub(1)
            };
            let found = self.columns.iter().find(same);
            let found = found.or_else(|| self.columns.get(place()?));
            found.map(|column| column.name.clone())
        };
        let (amount, money_out, money_in) = match &self.mapping.amount {
            AmountColumns::Signed(column)
            | AmountColumns::Charged { charged: column }
            | AmountColumns::Said { column, .. } => (known(column), None, None),
            AmountColumns::Apart { debit, credit } => (None, known(debit), known(credit)),
        };
        let told: Vec<String> = self.mapping.payee.iter().filter_map(known).collect();
        StatementColumns {
            date: known(&self.mapping.date).unwrap_or_default(),
            amount,
            money_out,
            money_in,
            payee: told.first().cloned(),
            text: told.get(1).cloned(),
            balance: self.mapping.balance.as_ref().and_then(known),
        }
    }

    /// The mapping with the owner's answers, to be kept for this export and the next ones of its shape.
    ///
    /// # Errors
    /// The first question that is still open.
    pub fn answered(&self, answers: &CsvAnswers) -> Result<CsvMapping, CsvQuestion> {
        let mut mapping = self.mapping.clone();
        for question in &self.questions {
            let open = || question.clone();
            match question {
                CsvQuestion::MoneyOut { .. } => {
                    let out = answers.money_out.ok_or_else(open)?;
                    if let AmountColumns::Apart { debit, credit } = &mut mapping.amount {
                        // The row has its amount in the column taken for what went out.
                        if !out {
                            std::mem::swap(debit, credit);
                        }
                        continue;
                    }
                    let (AmountColumns::Signed(column) | AmountColumns::Charged { charged: column }) =
                        &mapping.amount
                    else {
                        continue;
                    };
                    let column = column.clone();
                    mapping.amount = if out {
                        AmountColumns::Charged { charged: column }
                    } else {
                        AmountColumns::Signed(column)
                    };
                }
                CsvQuestion::DayFirst {
                    day_first,
                    month_first,
                    ..
                } => {
                    mapping.date_formats = if answers.day_first.ok_or_else(open)? {
                        day_first.clone()
                    } else {
                        month_first.clone()
                    };
                }
                CsvQuestion::Currency => {
                    let named = answers.currency.as_ref().filter(|code| is_currency(code));
                    mapping.currency = FixedOrColumn::Always(named.ok_or_else(open)?.clone());
                }
            }
        }
        if let (Some(account), FixedOrColumn::Always(_)) = (&answers.account, &mapping.account) {
            mapping.account = FixedOrColumn::Always(account.clone());
        }
        if let Some(name) = &answers.name {
            mapping.name.clone_from(name);
        }
        Ok(mapping)
    }
}
