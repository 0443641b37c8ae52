//! Bank messages inside public packages.
//!
//! What: [`messages`], of each package that `scripts/judge-data.sh` has fetched, its test messages with what they are to be read as. Why: they were written by
//! people who never saw Aura; they are read where they lie and copied nowhere. Not here: judging them (the parent).
//!
//! A package that is not there is left out: the script has said so.

use super::{BankMessage, ExpectedPayment, PaymentSuite, python, yaml};
use chrono::NaiveDate;
use rust_decimal::Decimal;
use serde_json::Value;
use std::{fs, path::Path, str::FromStr as _};

/// Banks that Aura knew before these packages were looked at, by the beginning of what the package calls an account.
const SUPPORTED: [&str; 12] = [
    "HDFC", "SBI", "ICICI", "AXIS", "KOTAK", "PNB", "INDUS", "BOB", "YES", "IDFC", "AU", "RBL",
];

/// The messages of all packages below `data`.
pub fn messages(data: &Path) -> Vec<BankMessage> {
    let text = |path: &str| fs::read_to_string(data.join("packages").join(path)).ok();
    let mut out = Vec::new();
    if let Some(text) = text("txn-msg-parser-0.2.0/txn_msg_parser/training_data/sms_training.py") {
        out.extend(txn_msg_parser(&text));
    }
    if let Some(text) = text("transaction-sms-parser-3.3.0/README.md") {
        out.extend(transaction_sms_parser(&text));
    }
    for (file, genuine) in [("genuine", true), ("scam", false)] {
        let path = format!("cedikit-1.3.0/tests/fixtures/sample_messages/{file}.yaml");
        out.extend(text(&path).into_iter().flat_map(|text| cedikit(&text, genuine)));
    }
    for file in ["test_parser.py", "test_cli.py"] {
        if let Some(text) = text(&format!("recu-momo-0.1.0/tests/{file}")) {
            out.extend(recu_momo(file, &text));
        }
    }
    out
}

fn day(text: &str) -> Option<NaiveDate> {
    NaiveDate::from_str(text.get(..10)?).ok()
}

/// The day for messages whose source names none: `d` of 2026.
fn some_day() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 1, 20).unwrap_or_default()
}

/// Examples for a language model, with what it is to answer. `(smsft)` behind a sender is the exporting program's, and no part of the header.
fn txn_msg_parser(text: &str) -> Vec<BankMessage> {
    let Ok(Value::Array(examples)) = serde_json::from_str(&python::as_json(text)) else {
        return Vec::new();
    };
    let message = |(number, example): (usize, &Value)| {
        let (input, output) = (example.get("input")?, example.get("output")?);
        let field = |of: &Value, name: &str| Some(of.get(name)?.as_str()?.to_owned());
        let account = field(output, "account")?.to_uppercase();
        let payee = field(output, "payee").or_else(|| field(output, "payer"));
        let body = field(input, "text")?;
        // What stands in no message is the package's own word for a kind of payment.
        let named = payee.filter(|name| body.to_lowercase().contains(&name.to_lowercase()));
        Some(BankMessage {
            source: "txn-msg-parser",
            suite: if SUPPORTED.iter().any(|bank| account.starts_with(bank)) {
                PaymentSuite::Supported
            } else {
                PaymentSuite::UnseenIndia
            },
            id: format!("example {}", number + 1),
            from: field(input, "sender")?.split('(').next()?.to_owned(),
            // A spreadsheet's number of days is left as it is: those messages name no day but one.
            received: day(&field(input, "date")?).or_else(|| NaiveDate::from_ymd_opt(2025, 11, 20))?,
            currency: "INR".to_owned(),
            body,
            expected: Some(ExpectedPayment {
                amount: Decimal::from_str(&output.get("amount")?.to_string()).ok()?,
                currency: "INR".to_owned(),
                debit: field(output, "txn_type")? == "debit",
                account: None,
                payee: named,
                date: None,
            }),
        })
    };
    examples.iter().enumerate().filter_map(message).collect()
}

/// The one example of its page. What the page prints as its amount is the balance, by mistake: 2000 is what the message says.
fn transaction_sms_parser(text: &str) -> Option<BankMessage> {
    let (_, rest) = text.split_once("const sms =")?;
    let body = python::strings(rest).into_iter().next()?;
    let expected = ExpectedPayment {
        amount: Decimal::from(2000),
        currency: "INR".to_owned(),
        debit: true,
        account: Some("3423".to_owned()),
        payee: None,
        date: NaiveDate::from_ymd_opt(2019, 2, 5),
    };
    body.contains("INR 2000").then(|| BankMessage {
        source: "transaction-sms-parser",
        suite: PaymentSuite::Supported,
        id: "README".to_owned(),
        from: "AX-AXISBK".to_owned(),
        received: NaiveDate::from_ymd_opt(2019, 2, 5).unwrap_or_default(),
        currency: "INR".to_owned(),
        body,
        expected: Some(expected),
    })
}

/// Mobile money of Ghana: wording of real messages and of scams that pretend to be some, every name and number changed by the package's author.
fn cedikit(text: &str, genuine: bool) -> Vec<BankMessage> {
    let message = |record: yaml::YamlRecord| {
        let of = |name: &str| record.get(name).cloned();
        let expected = |name: &str| of(&format!("expected.{name}"));
        let named_day = expected("timestamp").as_deref().and_then(day);
        let moved = expected("affects_wallet").as_deref() != Some("false");
        let payment = || {
            Some(ExpectedPayment {
                amount: Decimal::from_str(&expected("amount")?).ok()?,
                currency: "GHS".to_owned(),
                debit: !matches!(expected("type")?.as_str(), "RECEIVED" | "CASH_IN" | "REVERSAL"),
                account: None,
                payee: expected("counterparty_name"),
                date: named_day,
            })
        };
        Some(BankMessage {
            source: "cedikit",
            suite: PaymentSuite::Abroad,
            id: of("id")?,
            from: of("sender").unwrap_or_default(),
            received: named_day.unwrap_or_else(some_day),
            currency: "GHS".to_owned(),
            body: of("text")?,
            expected: if genuine && moved { Some(payment()?) } else { None },
        })
    };
    yaml::records(text).into_iter().filter_map(message).collect()
}

/// A form of a message: what stands before the amount, before the payee and behind the payee. `""`: nobody is named.
type MessageForm = (&'static str, &'static str, &'static str, &'static str, bool);

/// The forms of the package's tests, with the currency behind the amount; the last member: money went out.
#[rustfmt::skip] // A line is a form.
const FORMS: [MessageForm; 9] = [
    ("Vous avez reçu ", "FCFA", " de ", " (", false),
    ("Vous avez reçu ", "F", " de ", " (", false),
    ("Vous avez envoyé ", "FCFA", " à ", " (", true),
    ("Vous avez envoyé ", "F", " à ", " (", true),
    ("TRANSFERT ", "F", " DE ", " (", false),
    ("TRANSFERT ", "F", " A ", " (", true),
    ("Dépôt de ", "F", "", "", false),
    ("Retrait de ", "F", " chez l'agent ", ".", true),
    ("Payment made for GHS ", "", " to ", ".", true),
];

/// What begins like this tells of no payment: the package's tests expect nothing of it.
const NONE: [&str; 6] = [
    "Rechargez ",
    "Gagnez ",
    "Retrait gratuit ",
    "Recevez un transfert",
    "Votre code est ",
    "Vous avez reçu un colis",
];

/// Tests of mobile money in West Africa, most of them in French. Their expected values follow from the few forms in which they are written; what the
/// package itself calls ambiguous is in none of them.
fn recu_momo(file: &str, text: &str) -> Vec<BankMessage> {
    let mut out: Vec<BankMessage> = Vec::new();
    for body in python::strings(text) {
        let expected = FORMS.iter().find_map(|form| of_form(&body, form));
        let none = NONE.iter().any(|begin| body.starts_with(begin));
        let known = out.iter().any(|message| message.body == body);
        if known || (expected.is_none() && !none) {
            continue;
        }
        let english = body.starts_with("Payment");
        out.push(BankMessage {
            source: "recu-momo",
            suite: if english {
                PaymentSuite::Abroad
            } else {
                PaymentSuite::French
            },
            id: format!("{file} {}", out.len() + 1),
            from: "MobileMoney".to_owned(),
            received: NaiveDate::from_ymd_opt(2024, 12, 31).unwrap_or_default(),
            currency: if english { "GHS" } else { "XOF" }.to_owned(),
            body,
            expected,
        });
    }
    out
}

fn of_form(body: &str, (before, currency, to, end, debit): &MessageForm) -> Option<ExpectedPayment> {
    let rest = body.strip_prefix(before)?;
    let length = rest
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '.' | ',')))
        .unwrap_or(rest.len());
    let (digits, rest) = if currency.is_empty() {
        rest.split_once(' ')?
    } else {
        rest.split_at(length)
    };
    let rest = if currency.is_empty() {
        ["", " ", rest].concat()
    } else {
        rest.strip_prefix(currency)?.to_owned()
    };
    // A franc has no smaller coin: every sign among its digits groups them. A cedi of the tests has two digits behind a point.
    let amount: String = if currency.is_empty() {
        digits.to_owned()
    } else {
        digits.chars().filter(char::is_ascii_digit).collect()
    };
    let payee = if to.is_empty() {
        String::new()
    } else {
        let (between, behind) = rest.split_once(to)?;
        // Between currency and payee stands at most that it is done.
        if between.len() > 12 {
            return None;
        }
        behind.split(end).next()?.to_owned()
    };
    Some(ExpectedPayment {
        amount: Decimal::from_str(&amount)
            .ok()
            .filter(|_| !amount.contains(','))?,
        currency: if currency.is_empty() { "GHS" } else { "XOF" }.to_owned(),
        debit: *debit,
        account: None,
        payee: Some(payee),
        date: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(amount: i64, currency: &str, debit: bool, payee: &str) -> ExpectedPayment {
        ExpectedPayment {
            amount: Decimal::from(amount),
            currency: currency.to_owned(),
            debit,
            account: None,
            payee: Some(payee.to_owned()),
            date: None,
        }
    }

    #[test]
    fn an_example_for_a_language_model_is_a_message() {
        let text = "x = [\n  {\n    \"input\": {\"sender\": \"ZZBANK-S(smsft)\", \"text\": \"Rs.40 paid to Loom\", \"date\": \"2025-11-19 15:14:09\",},\n    \
                    \"output\": {\"account\": \"HDFC\", \"amount\": 40, \"txn_type\": \"debit\", \"payee\": \"Loom\", \"payer\": None,},\n  },\n]\n";
        let found = txn_msg_parser(text);
        let [message] = found.as_slice() else {
            panic!("{} messages", found.len());
        };
        assert_eq!(
            (message.from.as_str(), message.suite),
            ("ZZBANK-S", PaymentSuite::Supported)
        );
        assert_eq!(message.received, NaiveDate::from_ymd_opt(2025, 11, 19).unwrap());
        assert_eq!(message.expected, Some(expected(40, "INR", true, "Loom")));
    }

    #[test]
    fn a_record_of_mobile_money_is_a_message() {
        let text = "- id: a\n  sender: Cash\n  text: |-\n    GHS25.00 sent\n  expected:\n    type: SENT\n    amount: \"25\"\n    counterparty_name: KO LO\n\
                    - id: b\n  sender: null\n  text: |-\n    a bundle\n  expected:\n    type: AIRTIME\n    amount: \"5\"\n    affects_wallet: false\n";
        let found = cedikit(text, true);
        let told: Vec<_> = found
            .iter()
            .map(|message| (message.id.as_str(), message.expected.clone()))
            .collect();
        assert_eq!(
            told,
            [("a", Some(expected(25, "GHS", true, "KO LO"))), ("b", None)]
        );
    }

    #[test]
    fn a_form_says_what_is_expected() {
        let text = "a = [\n\"Vous avez reçu 5 000 FCFA de ZOE LUME (229). Solde: 1 F.\",\n\"Retrait de 5.000 F effectué chez l'agent KOKO. Frais: 50 F.\",\n\
                    \"Payment made for GHS 50.25 to KO LO. Balance: GHS 4.\",\n\"Payment made for GHS 1,234 to KO LO. Balance: GHS 4.\",\n\
                    \"Rechargez 1 000 F et gagnez\",\n\"Opération 1 000 F de JEAN.\",\n]\n";
        let found = recu_momo("t.py", text);
        let cedis = ExpectedPayment {
            amount: Decimal::new(5025, 2),
            ..expected(0, "GHS", true, "KO LO")
        };
        let told: Vec<_> = found
            .iter()
            .map(|message| (message.suite, message.expected.clone()))
            .collect();
        assert_eq!(
            told,
            [
                (
                    PaymentSuite::French,
                    Some(expected(5000, "XOF", false, "ZOE LUME"))
                ),
                (PaymentSuite::French, Some(expected(5000, "XOF", true, "KOKO"))),
                (PaymentSuite::Abroad, Some(cedis)),
                (PaymentSuite::French, None)
            ]
        );
    }
}
