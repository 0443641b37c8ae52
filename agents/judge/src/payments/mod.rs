//! The suites of bank messages.
//!
//! What: [`measure`], recall, precision, the whole payment and the payee by suite and by source. Why: messages inside public packages, which are read
//! where they lie, and messages written by somebody who sees neither code nor generator say more than our own generator. Not here: reading
//! messages (`agents::finance::messages`), the packages' formats (`packages`).
//!
//! *Read* is a message that comes out as a payment with the amount and direction it has. A message is read alone, by an owner whose accounts are in the
//! currency of the message.

pub mod packages;
mod python;
pub mod written;
mod yaml;

use crate::{
    estimate::FigureEstimate,
    record::{FigureForm, RecordedFigure},
};
use agents::finance::messages::{MessageContext, MessageVerdict, read_message};
use chrono::NaiveDate;
use rust_decimal::Decimal;
use std::collections::BTreeSet;
use toolcall_schema::signal::Direction;

/// Which kind of bank wrote a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PaymentSuite {
    Supported,
    UnseenIndia,
    Abroad,
    French,
    German,
    HindiLatin,
}

impl PaymentSuite {
    pub const ALL: [Self; 6] = [
        Self::Supported,
        Self::UnseenIndia,
        Self::Abroad,
        Self::French,
        Self::German,
        Self::HindiLatin,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Supported => "supported banks",
            Self::UnseenIndia => "unseen Indian banks",
            Self::Abroad => "abroad, in English",
            Self::French => "in French",
            Self::German => "in German",
            Self::HindiLatin => "in Hindi, Latin script",
        }
    }
}

/// What a payment is to be read as. `None`: the source does not say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedPayment {
    pub amount: Decimal,
    pub currency: String,
    /// Money went out.
    pub debit: bool,
    pub account: Option<String>,
    /// Empty: nobody is named.
    pub payee: Option<String>,
    pub date: Option<NaiveDate>,
}

/// A message of a bank with what it tells. Not `Debug`: its text goes nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct BankMessage {
    /// A package, or the written messages.
    pub source: &'static str,
    pub suite: PaymentSuite,
    /// Its place in the source.
    pub id: String,
    pub from: String,
    pub received: NaiveDate,
    /// Of the owner's accounts, ISO 4217.
    pub currency: String,
    pub body: String,
    /// `None`: it tells of no payment.
    pub expected: Option<ExpectedPayment>,
}

/// What was said of a message.
struct MessageOutcome {
    is: bool,
    /// Called a payment.
    called: bool,
    /// As a payment of the right amount and direction.
    read: bool,
    /// All that is known of it is right.
    whole: bool,
    /// Whether the payee is; `None` where nobody is named or it was not read.
    payee: Option<bool>,
}

/// A message that was not read as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageMiss {
    pub source: &'static str,
    pub suite: &'static str,
    pub id: String,
    /// What was wrong, in one word.
    pub what: &'static str,
}

fn outcome(message: &BankMessage) -> (MessageOutcome, Option<&'static str>) {
    let context = MessageContext {
        received: message.received,
        currency: &message.currency,
    };
    let reading = read_message(&message.from, &message.body, &context);
    let called = reading.verdict == MessageVerdict::Payment;
    let mut out = MessageOutcome {
        is: message.expected.is_some(),
        called,
        read: false,
        whole: false,
        payee: None,
    };
    let Some(expected) = &message.expected else {
        return (out, called.then_some("no payment"));
    };
    if !called {
        return (out, Some("not read"));
    }
    let amount = reading.amount();
    let debit = reading
        .direction
        .map(|way| matches!(way, Direction::Debit | Direction::Fee));
    out.read = amount.and_then(|slot| slot.value) == Some(expected.amount) && debit == Some(expected.debit);
    let named = expected.payee.as_deref().map(comparable);
    let called_payee = reading
        .payee
        .as_ref()
        .map_or_else(String::new, |slot| comparable(&slot.name));
    let payee = named.as_ref().is_none_or(|named| *named == called_payee);
    out.payee = named.filter(|named| out.read && !named.is_empty()).map(|_| payee);
    let account = reading
        .own_account
        .as_ref()
        .map_or("", |slot| slot.digits.as_str());
    let wrong = [
        (out.read, "amount or direction"),
        (
            amount.is_some_and(|slot| slot.currency == expected.currency),
            "currency",
        ),
        (
            expected.account.as_deref().is_none_or(|known| known == account),
            "account",
        ),
        (
            expected
                .date
                .is_none_or(|day| reading.date.unwrap_or(message.received) == day),
            "date",
        ),
        (payee, "payee"),
    ];
    let wrong = wrong.into_iter().find(|(right, _)| !right).map(|(_, what)| what);
    out.whole = wrong.is_none();
    (out, wrong)
}

/// A name as it is compared: letters and digits in lower case, one space between words; of `name@bank` the name.
fn comparable(name: &str) -> String {
    let name = name.trim();
    let name = match name.split_once('@') {
        Some((local, bank)) if !local.contains(' ') && !bank.contains(' ') => local,
        _ => name,
    };
    let words = name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// Every figure of bank messages, by suite and, where a suite has several, by source; and what was missed.
pub fn measure(messages: &[BankMessage]) -> (Vec<RecordedFigure>, Vec<MessageMiss>) {
    let (mut figures, mut misses) = (Vec::new(), Vec::new());
    let outcomes: Vec<(&BankMessage, MessageOutcome)> = messages
        .iter()
        .map(|message| {
            let (outcome, wrong) = outcome(message);
            misses.extend(wrong.map(|what| MessageMiss {
                source: message.source,
                suite: message.suite.name(),
                id: message.id.clone(),
                what,
            }));
            (message, outcome)
        })
        .collect();
    let mut sources: Vec<&str> = Vec::new();
    for message in messages {
        if !sources.contains(&message.source) {
            sources.push(message.source);
        }
    }
    for suite in PaymentSuite::ALL {
        let of_suite: BTreeSet<&str> = messages
            .iter()
            .filter(|message| message.suite == suite)
            .map(|message| message.source)
            .collect();
        for source in sources.iter().filter(|source| of_suite.contains(**source)) {
            let of_source = outcomes
                .iter()
                .filter(|(message, _)| message.suite == suite && message.source == *source)
                .map(|(_, outcome)| outcome);
            let name = format!("payments: {} ({source})", suite.name());
            count(&name, &of_source.collect::<Vec<_>>(), &mut figures);
        }
    }
    (figures, misses)
}

fn count(suite: &str, outcomes: &[&MessageOutcome], figures: &mut Vec<RecordedFigure>) {
    let of = |so: fn(&MessageOutcome) -> bool| outcomes.iter().filter(|it| so(it)).count();
    let payments = of(|it| it.is);
    let read = of(|it| it.read);
    let rows = [
        ("recall", read, payments),
        ("precision", read, of(|it| it.called)),
        ("whole payment right", of(|it| it.whole), payments),
        (
            "payee exact",
            of(|it| it.payee == Some(true)),
            of(|it| it.payee.is_some()),
        ),
    ];
    for (figure, hits, n) in rows {
        let estimate = FigureEstimate::of_proportion(hits, n);
        figures.push(RecordedFigure::new(suite, figure, FigureForm::Whole, estimate));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_by_letters_and_digits() {
        for (one, other, same) in [
            ("Loom & Leaf", "LOOM  LEAF", true),
            ("loom.leaf@okbank", "Loom.Leaf", true),
            ("Loom Leaf", "Loom Leaf Pvt", false),
            ("a b@c", "a b c", true),
        ] {
            assert_eq!(comparable(one) == comparable(other), same, "{one} {other}");
        }
    }

    #[test]
    fn a_suite_counts_what_was_read() {
        let outcome = |is, called, read, whole, payee| MessageOutcome {
            is,
            called,
            read,
            whole,
            payee,
        };
        // Four payments, three called so, two of them with the right amount; one message of another kind called a payment.
        let outcomes = [
            outcome(true, true, true, true, Some(true)),
            outcome(true, true, true, false, Some(false)),
            outcome(true, true, false, false, None),
            outcome(true, false, false, false, None),
            outcome(false, true, false, false, None),
            outcome(false, false, false, false, None),
        ];
        let mut figures = Vec::new();
        count("payments", &outcomes.iter().collect::<Vec<_>>(), &mut figures);
        let found: Vec<(&str, usize, f64)> = figures
            .iter()
            .map(|it| {
                let estimate = it.estimate.unwrap();
                (it.figure.as_str(), estimate.n, estimate.value)
            })
            .collect();
        assert_eq!(
            found,
            [
                ("recall", 4, 0.5),
                ("precision", 4, 0.5),
                ("whole payment right", 4, 0.25),
                ("payee exact", 2, 0.5)
            ]
        );
    }
}
