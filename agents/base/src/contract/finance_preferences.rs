//! What the owner says about accounts and statements: the table `[finance]` of `home.toml`.
//!
//! What: [`FinancePreferences`] with a [`CsvMapping`] for each bank's export. Why: every bank names and writes its columns in its own
//! way, and only the owner knows which accounts are their own. Not here: reading by them (`finance::sources`).

use crate::currency::is_currency;
use chrono::format::{Item, StrftimeItems};
use serde::{Deserialize, Serialize};

/// Accounts, mappings, and formats of a mapping.
const MAX_LISTED: usize = 64;

/// What the owner says about accounts and statements.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FinancePreferences {
    /// The last four digits of the owner's accounts and cards: what goes from one to the other is a transfer. Accounts of
    /// statements are added by themselves.
    pub accounts: Vec<String>,
    /// Senders of messages, besides the banks that are known, whose payments count: of an operator's header its name alone
    /// (`CANBNK` of `VM-CANBNK-S`), else the whole sender (`MPESA`, `24273`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub senders: Vec<String>,
    /// How the banks' CSV exports are read; the first whose columns are all there is taken. An export that none of them fits is
    /// recognised by its columns.
    pub csv: Vec<CsvMapping>,
    /// The currency of a recognised CSV export that names none (ISO 4217). Default: the balance's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
}

impl FinancePreferences {
    /// What is wrong with them, in words that name the setting; `None`: nothing.
    pub fn problem(&self) -> Option<String> {
        let last4 = |account: &String| account.len() == 4 && account.bytes().all(|b| b.is_ascii_digit());
        if self.accounts.len() > MAX_LISTED || self.csv.len() > MAX_LISTED || self.senders.len() > MAX_LISTED
        {
            return Some(format!(
                "`accounts`, `senders` and `csv` have at most {MAX_LISTED} entries each"
            ));
        }
        let sender =
            |sender: &String| (1..=64).contains(&sender.trim().len()) && !sender.contains(char::is_control);
        if let Some(wrong) = self.senders.iter().find(|name| !sender(name)) {
            return Some(format!(
                "`senders`: {wrong:?} is no sender of messages, such as \"MPESA\" or \"CANBNK\""
            ));
        }
        if let Some(account) = self.accounts.iter().find(|account| !last4(account)) {
            return Some(format!(
                "`accounts`: {account:?} is not the last four digits of one, such as \"8841\""
            ));
        }
        if let Some(code) = self.currency.as_ref().filter(|code| !is_currency(code)) {
            return Some(format!(
                "`currency`: {code:?} is no currency of ISO 4217, such as \"INR\""
            ));
        }
        self.csv
            .iter()
            .find_map(|mapping| Some(format!("`csv` {:?}: {}", mapping.name, mapping.problem()?)))
    }
}

/// How one bank's CSV export is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CsvMapping {
    /// What the owner calls it.
    pub name: String,
    /// Columns that tell this export from others; those named below must be there too.
    #[serde(default)]
    pub header: Vec<String>,
    /// The file has no header: its first row is a payment, and all columns are named by their places. `header` then names the last one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_header: bool,
    /// What stands between two fields. Default `,`.
    #[serde(default = "comma")]
    pub delimiter: char,
    /// What stands before the decimals. Default `.`.
    #[serde(default)]
    pub decimal: DecimalSeparator,
    /// The column of the date. Any column may be named by its place, `#3` for the third.
    pub date: String,
    /// How dates are written, in the notation of `strftime`, e.g. `%d/%m/%Y`; the first that fits is taken.
    pub date_formats: Vec<String>,
    /// The column or columns of the amount.
    pub amount: AmountColumns,
    /// The columns that name the payee, or tell of the payment; the first that is not empty is taken.
    pub payee: Vec<String>,
    /// The columns that name who paid, of money that came in; where none says something, those of `payee` are taken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub payer: Vec<String>,
    /// The column of the bank's own number of a payment, which tells equal ones apart.
    #[serde(default)]
    pub reference: Option<String>,
    /// The currency: of all rows, or a column of it.
    pub currency: FixedOrColumn,
    /// The last four digits of the account: of all rows, or a column of the account's number.
    pub account: FixedOrColumn,
    /// How the file is encoded. Default `utf-8`; UTF-16 is noticed.
    #[serde(default)]
    pub charset: CsvCharset,
    /// The column of what the account held after the payment. Taken when it adds up with the payments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balance: Option<String>,
    /// Which rows are payments; of a file that also has pending ones, or trades.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<RowCondition>,
    /// Which rows are no payments though they are completed: the owner's money changed its currency, came from the own bank, or was only held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub except: Option<RowCondition>,
    /// The column of a fee that was paid beside the amount.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fee: Option<String>,
}

/// Some of the rows of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowCondition {
    /// A column.
    pub column: String,
    /// What it says in these rows; capitals do not matter.
    pub is: Vec<String>,
}

impl CsvMapping {
    fn problem(&self) -> Option<String> {
        if !self.delimiter.is_ascii() || self.delimiter.is_ascii_alphanumeric() || self.delimiter == '"' {
            return Some("`delimiter` is one sign such as \",\" or \";\" or a tab".to_owned());
        }
        let wrong = |format: &&String| StrftimeItems::new(format).any(|item| item == Item::Error);
        if let Some(format) = self.date_formats.iter().find(wrong) {
            return Some(format!(
                "`date_formats`: {format:?} is no format such as \"%d/%m/%Y\""
            ));
        }
        if self.date_formats.is_empty() || self.date_formats.len() > MAX_LISTED {
            return Some(format!("`date_formats` has 1 to {MAX_LISTED} formats"));
        }
        if self.without_header && self.header.iter().any(|name| !name.starts_with('#')) {
            return Some("`header` of a file `without_header` is its last column, such as \"#7\"".to_owned());
        }
        match &self.currency {
            FixedOrColumn::Always(code) if !is_currency(code) => Some(format!(
                "`currency`: {code:?} is no currency of ISO 4217, such as \"INR\""
            )),
            FixedOrColumn::Always(_) | FixedOrColumn::Column { .. } => None,
        }
    }
}

fn comma() -> char {
    ','
}

/// What stands before the decimals of an amount.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum DecimalSeparator {
    /// `1,234.56`
    #[default]
    #[serde(rename = ".")]
    Point,
    /// `1.234,56`
    #[serde(rename = ",")]
    Comma,
}

/// How a file is encoded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CsvCharset {
    /// UTF-8, with or without a byte order mark.
    #[default]
    #[serde(rename = "utf-8")]
    Utf8,
    /// The usual one of old programs of western Europe.
    #[serde(rename = "windows-1252")]
    Windows1252,
    /// The same of central Europe.
    #[serde(rename = "windows-1250")]
    Windows1250,
}

/// Where an amount stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum AmountColumns {
    /// One column; below 0 is a debit.
    Signed(String),
    /// Two columns, one of them empty or 0.
    Apart {
        /// The column of what went out.
        debit: String,
        /// The column of what came in.
        credit: String,
    },
    /// One column, and another that says which way.
    Said {
        /// The column of the amount.
        column: String,
        /// The column that says which way.
        way: String,
        /// What it says of a debit, e.g. `DR`.
        debit: String,
        /// What it says of a credit; a row that says neither is left out. Without it anything else is a credit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        credit: Option<String>,
    },
    /// One column; above 0 is a debit, as cards' statements do.
    Charged {
        /// The column of the amount.
        charged: String,
    },
}

/// Something that is the same in all rows, or has a column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum FixedOrColumn {
    /// The same in all rows.
    Always(String),
    /// A column.
    Column {
        /// Its name.
        column: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPPING: &str = r#"{ "name": "savings", "date": "Date", "date_formats": ["%d/%m/%Y"], "amount": "Amount", "payee": ["Text"],
        "currency": "INR", "account": "8841" }"#;

    fn problem(change: impl Fn(&mut FinancePreferences)) -> Option<String> {
        let mut wishes = FinancePreferences {
            accounts: vec!["5530".to_owned()],
            csv: vec![serde_json::from_str(MAPPING).unwrap()],
            senders: vec!["MPESA".to_owned()],
            currency: None,
        };
        change(&mut wishes);
        wishes.problem()
    }

    #[test]
    fn what_cannot_be_is_named() {
        assert_eq!(problem(|_| ()), None);
        type Change = fn(&mut FinancePreferences);
        let cases: [(Change, &str); 9] = [
            (|p| p.currency = Some("euro".to_owned()), "`currency`: \"euro\""),
            (|p| p.accounts.push("88412".to_owned()), "\"88412\""),
            (|p| p.senders.push(" ".to_owned()), "`senders`"),
            (|p| p.senders.push("A\u{7}".to_owned()), "`senders`"),
            (|p| p.csv[0].delimiter = 'x', "`csv` \"savings\": `delimiter`"),
            (|p| p.csv[0].date_formats = Vec::new(), "`date_formats` has"),
            (|p| p.csv[0].date_formats.push("%Q".to_owned()), "\"%Q\""),
            (
                |p| p.csv[0].currency = FixedOrColumn::Always("rupee".to_owned()),
                "\"rupee\"",
            ),
            (|p| p.csv = vec![p.csv[0].clone(); 65], "64"),
        ];
        for (change, named) in cases {
            let told = problem(change).unwrap_or_default();
            assert!(told.contains(named), "{named}: {told}");
        }
    }

    #[test]
    fn the_four_ways_of_writing_an_amount_are_told_apart() {
        let read = |amount: &str| serde_json::from_str::<AmountColumns>(amount).ok();
        let text = ToOwned::to_owned;
        assert_eq!(read(r#""A""#), Some(AmountColumns::Signed(text("A"))));
        let apart = AmountColumns::Apart {
            debit: text("A"),
            credit: text("B"),
        };
        assert_eq!(read(r#"{ "debit": "A", "credit": "B" }"#), Some(apart));
        let said = AmountColumns::Said {
            column: text("A"),
            way: text("B"),
            debit: text("DR"),
            credit: None,
        };
        assert_eq!(
            read(r#"{ "column": "A", "way": "B", "debit": "DR" }"#),
            Some(said)
        );
        assert_eq!(
            read(r#"{ "charged": "A" }"#),
            Some(AmountColumns::Charged { charged: text("A") })
        );
        assert_eq!(read(r#"{ "charged": "A", "credit": "B" }"#), None);
        assert_eq!(read(r#"{ "debit": "A" }"#), None);
    }
}
