//! Bank messages that were written for the judge.
//!
//! What: [`messages`], the lines of the files in `agents/judge/messages`: [`FILES`]. Why: the packages hold few messages; these are invented, by somebody who saw neither
//! Aura's code nor its generator. Not here: judging them (the parent).

use super::{BankMessage, ExpectedPayment, PaymentSuite};
use chrono::NaiveDate;
use rust_decimal::Decimal;
use serde::Deserialize;
use std::{fs, path::Path};

/// The files with what each is called. `written.jsonl` seeks what is hard; `everyday.jsonl` is what a telephone gets in a year.
pub const FILES: [(&str, &str); 2] = [
    ("written.jsonl", "invented, written apart from the code"),
    (
        "everyday.jsonl",
        "invented, an everyday mix, written apart from the code",
    ),
];

/// A line as it is written.
#[derive(Deserialize)]
struct WrittenMessage {
    suite: String,
    from: String,
    at: String,
    body: String,
    kind: String,
    #[serde(default)]
    amount: String,
    #[serde(default)]
    currency: String,
    #[serde(default)]
    direction: String,
    #[serde(default)]
    account: String,
    #[serde(default)]
    payee: String,
    #[serde(default)]
    date: String,
}

/// The messages of a file under what it is called, or the number of the first line that is none. A file that is not there has no messages.
///
/// # Errors
/// The line.
pub fn messages(file: &Path, source: &'static str) -> Result<Vec<BankMessage>, usize> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let line = |(number, line): (usize, &str)| message(source, number + 1, line).ok_or(number + 1);
    text.lines().enumerate().map(line).collect()
}

fn message(source: &'static str, number: usize, line: &str) -> Option<BankMessage> {
    let it: WrittenMessage = serde_json::from_str(line).ok()?;
    let suite = match it.suite.as_str() {
        "supported" => PaymentSuite::Supported,
        "unseen_india" => PaymentSuite::UnseenIndia,
        "abroad" => PaymentSuite::Abroad,
        "german" => PaymentSuite::German,
        "hindi_latin" => PaymentSuite::HindiLatin,
        _ => return None,
    };
    let home = match suite {
        PaymentSuite::Supported | PaymentSuite::UnseenIndia | PaymentSuite::HindiLatin => "INR",
        PaymentSuite::German => "EUR",
        PaymentSuite::French => "XOF",
        // What tells of no payment abroad names no currency for certain.
        PaymentSuite::Abroad if it.currency.is_empty() => "USD",
        PaymentSuite::Abroad => &it.currency,
    };
    let received = NaiveDate::parse_from_str(it.at.get(..10)?, "%Y-%m-%d").ok()?;
    let expected = match it.kind.as_str() {
        "none" => None,
        "payment" => Some(ExpectedPayment {
            amount: it.amount.parse::<Decimal>().ok()?,
            currency: it.currency.clone(),
            debit: match it.direction.as_str() {
                "debit" => true,
                "credit" => false,
                _ => return None,
            },
            account: Some(it.account),
            payee: Some(it.payee),
            date: match it.date.as_str() {
                "" => None,
                date => Some(NaiveDate::parse_from_str(date, "%Y-%m-%d").ok()?),
            },
        }),
        _ => return None,
    };
    Some(BankMessage {
        source,
        suite,
        id: format!("line {number}"),
        from: it.from,
        received,
        currency: home.to_owned(),
        body: it.body,
        expected,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_written_message_is_read() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("messages");
        for (file, source) in FILES {
            assert!(
                messages(&folder.join(file), source).is_ok_and(|found| found.len() >= 200),
                "{file}"
            );
        }
    }

    #[test]
    fn a_line_is_a_message_or_none() {
        let line = r#"{"suite":"german","from":"Bank","at":"2026-05-14T18:22:00+02:00","body":"12,50 EUR an Loom","kind":"payment","amount":"12.50","currency":"EUR","direction":"debit","account":"","payee":"Loom","date":"2026-05-14","balance":"","note":""}"#;
        let found = message(FILES[0].1, 3, line).unwrap();
        assert_eq!(
            (found.suite, found.id.as_str(), found.currency.as_str()),
            (PaymentSuite::German, "line 3", "EUR")
        );
        let expected = found.expected.unwrap();
        assert_eq!(
            (expected.amount, expected.debit, expected.account.as_deref()),
            (Decimal::new(1250, 2), true, Some(""))
        );
        for broken in [
            "",
            "{}",
            &line.replace("german", "dutch"),
            &line.replace("debit", "up"),
        ] {
            assert!(message(FILES[0].1, 1, broken).is_none());
        }
        assert!(
            message(FILES[0].1, 1, &line.replace("payment", "none"))
                .unwrap()
                .expected
                .is_none()
        );
    }
}
