//! Bank messages that were written for the judge.
//!
//! What: [`messages`], the lines of `agents/judge/messages/written.jsonl`. Why: the packages hold few messages; these are invented, by somebody who saw neither
//! Aura's code nor its generator. Not here: judging them (the parent).

use super::{BankMessage, ExpectedPayment, PaymentSuite};
use chrono::NaiveDate;
use rust_decimal::Decimal;
use serde::Deserialize;
use std::{fs, path::Path};

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

/// The messages of a file, or the number of the first line that is none. A file that is not there has no messages.
///
/// # Errors
/// The line.
pub fn messages(file: &Path) -> Result<Vec<BankMessage>, usize> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let line = |(number, line): (usize, &str)| message(number + 1, line).ok_or(number + 1);
    text.lines().enumerate().map(line).collect()
}

fn message(number: usize, line: &str) -> Option<BankMessage> {
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
        source: "invented, written apart from the code",
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
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("messages/written.jsonl");
        assert!(messages(&file).is_ok_and(|found| found.is_empty() != file.exists()));
    }

    #[test]
    fn a_line_is_a_message_or_none() {
        let line = r#"{"suite":"german","from":"Bank","at":"2026-05-14T18:22:00+02:00","body":"12,50 EUR an Loom","kind":"payment","amount":"12.50","currency":"EUR","direction":"debit","account":"","payee":"Loom","date":"2026-05-14","balance":"","note":""}"#;
        let found = message(3, line).unwrap();
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
            assert!(message(1, broken).is_none());
        }
        assert!(
            message(1, &line.replace("payment", "none"))
                .unwrap()
                .expected
                .is_none()
        );
    }
}
