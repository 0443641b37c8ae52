//! How well bank messages are read, on messages of a generator that no code of the agent knows.
//!
//! What: a corpus of 12 banks, precision and recall per bank and per field, and the table of them in docs/agents/finance.md. Why:
//! the tests beside the reader show one thing each; this shows volume. Not here: the reader. All messages are synthetic: no bank
//! sent any of them.
//!
//! `UPDATE_TABLES=1 cargo test -p agents-finance --test bank_messages` writes the table; without it a table that is not true fails.

#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "a test fails by panicking; all numbers are small"
)]

mod corpus;
mod odd;
mod unseen;

use agents_base::contract::{
    Agent, AgentSetup, CalendarPreferences, FinancePreferences, OwnerProfile, SourcePaths,
};
use agents_finance::{
    FinanceAgent,
    messages::{MessageContext, MessageVerdict, read_message},
};
use chrono::{Days, NaiveDate};
use chrono_tz::Tz;
use corpus::{Bank, Kind};
use rust_decimal::Decimal;
use serde_json::{Value, json};
use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};
use toolcall_schema::{
    Timestamp, Tool,
    catalogue::FinanceTool,
    ids::{OwnerSeed, SecretKey},
    signal::Signal,
    tick::IngestArgs,
};

/// Messages of each bank that tell of a payment, and of those that do not.
const PAYMENTS: usize = 240;
const OTHERS: usize = 80;

/// `SplitMix64` (public domain, Sebastiano Vigna).
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    fn of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    fn digits(&mut self, n: usize) -> String {
        (0..n)
            .map(|i| {
                char::from(
                    b'0' + u8::try_from(if i == 0 { 1 + self.below(9) } else { self.below(10) }).unwrap(),
                )
            })
            .collect()
    }
}

/// Wordings and payees.
struct Corpus {
    banks: &'static [Bank],
    others: &'static [&'static str],
    payees: &'static [(&'static str, &'static str, &'static str, &'static str)],
}

/// Written first.
const SEEN: Corpus = Corpus {
    banks: corpus::BANKS,
    others: corpus::NO_PAYMENTS,
    payees: corpus::PAYEES,
};

/// Written later.
const UNSEEN: Corpus = Corpus {
    banks: unseen::BANKS,
    others: unseen::NO_PAYMENTS,
    payees: unseen::PAYEES,
};

/// Written last, deliberately odd.
const ODD: Corpus = Corpus {
    banks: odd::BANKS,
    ..UNSEEN
};

/// What a message is to be read as.
struct Expected {
    amount: Decimal,
    account: String,
    direction: &'static str,
    merchant: String,
    category: &'static str,
    day: NaiveDate,
}

struct Message {
    body: String,
    at: Timestamp,
    expected: Option<Expected>,
}

fn grouped(paise: usize, rng: &mut Rng) -> String {
    let (whole, rest) = ((paise / 100).to_string(), paise % 100);
    let group = |digits: &str, first: usize, then: usize| {
        let split = digits.len().saturating_sub(first);
        let (mut head, tail) = (digits[..split].to_owned(), &digits[split..]);
        let mut parts = vec![tail.to_owned()];
        while !head.is_empty() {
            let at = head.len().saturating_sub(then);
            parts.insert(0, head.split_off(at));
        }
        parts.join(",")
    };
    let whole = match rng.below(3) {
        0 => whole,
        1 => group(&whole, 3, 2),
        _ => group(&whole, 3, 3),
    };
    if rest == 0 && rng.below(2) == 0 {
        whole
    } else {
        format!("{whole}.{rest:02}")
    }
}

fn written(day: NaiveDate, rng: &mut Rng) -> String {
    let format = rng.of(&[
        "%d-%m-%y", "%d-%m-%Y", "%d/%m/%y", "%d/%m/%Y", "%d-%b-%y", "%d-%b-%Y", "%d%b%y", "%d.%m.%Y",
        "%Y-%m-%d",
    ]);
    let text = day.format(format).to_string();
    if rng.below(2) == 0 {
        text.to_uppercase()
    } else {
        text
    }
}

fn message(corpus: &Corpus, template: &str, kind: Option<Kind>, rng: &mut Rng) -> Message {
    let day = NaiveDate::from_ymd_opt(2026, 9, 1).unwrap() + Days::new(rng.below(70) as u64);
    let paise = match rng.below(3) {
        0 => 100 * (1 + rng.below(5000)),
        1 => 10_100 + rng.below(900_000),
        _ => 100_000 + rng.below(30_000_000),
    };
    let fee = 100 + rng.below(9800);
    let (text, address, merchant, category) = *rng.of(corpus.payees);
    let (account, card) = (rng.digits(4), rng.digits(4));
    let mask = rng.of(&["XX", "X", "XXXXXX", "*", "**", "xx", "x"]);
    let values = [
        ("{m}", grouped(paise, rng)),
        ("{f}", grouped(fee, rng)),
        ("{a}", format!("{mask}{account}")),
        ("{c4}", card.clone()),
        ("{c}", format!("{mask}{card}")),
        ("{p}", text.to_owned()),
        ("{v}", address.to_owned()),
        ("{d}", written(day, rng)),
        ("{r}", rng.digits(12)),
        ("{b}", grouped(100 * (100 + rng.below(90_000)), rng)),
        (
            "{t}",
            format!("{:02}:{:02}:{:02}", rng.below(24), rng.below(60), rng.below(60)),
        ),
        ("{o}", rng.digits(6)),
    ];
    let body = values.iter().fold(template.to_owned(), |text, (name, value)| {
        text.replace(name, value)
    });
    let names = |what: &str| template.contains(what);
    let expected = kind.map(|kind| {
        let by_address = names("{v}");
        let named = if by_address {
            let local = address.split('@').next().unwrap().replace('.', " ");
            // What the table knows stands in the address too, but for one that writes it together.
            if local.split(' ').any(|word| word == merchant) || local == merchant {
                merchant.to_owned()
            } else {
                local
            }
        } else {
            merchant.to_owned()
        };
        Expected {
            amount: Decimal::new(
                i64::try_from(if kind == Kind::Fee { fee } else { paise }).unwrap(),
                2,
            ),
            account: if names("{c}") || names("{c4}") {
                card
            } else {
                account
            },
            direction: match kind {
                Kind::Debit => "debit",
                Kind::Credit => "credit",
                Kind::Refund => "refund",
                Kind::Fee => "fee",
            },
            merchant: if kind == Kind::Fee || names("{p} ATM") {
                String::new()
            } else {
                named
            },
            category,
            day,
        }
    });
    let noon = Timestamp::parse(&format!("{day}T12:30:00+05:30")).unwrap();
    Message {
        body,
        at: noon,
        expected,
    }
}

fn agent() -> (FinanceAgent, SecretKey) {
    let key = OwnerSeed::from_day_seed("held out").key("agents");
    let owner = OwnerProfile {
        zone: Tz::Asia__Kolkata,
        addresses: Vec::new(),
        names: Vec::new(),
        home: None,
        buffer_min: 15,
        sleep_target_min: 420,
        rmssd_p50_p10: (42.0, 24.0),
        balance: None,
        calendar: CalendarPreferences::default(),
        finance: FinancePreferences::default(),
    };
    let setup = AgentSetup {
        key: key.clone(),
        owner,
        sources: SourcePaths::default(),
    };
    (FinanceAgent::new(setup), key)
}

/// What the agent made of each message.
fn read(sender: &str, messages: &[Message]) -> Vec<Option<Value>> {
    let (mut agent, _) = agent();
    let now = Timestamp::parse("2026-11-20T12:00:00+05:30").unwrap();
    let mut out = Vec::new();
    for message in messages {
        let id = format!("s{}", out.len());
        let signal = json!({"id": id, "at": message.at, "source": "sms", "kind": "bank_sms",
            "payload": {"from": sender, "body": message.body}});
        let signal: Signal = serde_json::from_value(signal).unwrap();
        agent.accept(vec![signal]);
        out.push(id);
    }
    agent.ingest(
        &IngestArgs {
            cursor: 0,
            signal_ids: Vec::new(),
        },
        now,
    );
    out.into_iter()
        .map(|id| {
            let args = serde_json::from_value(json!({ "source_id": id })).unwrap();
            let tool = Tool::Finance(FinanceTool::ParseSms(args));
            agent.act(&tool, now).ok().map(|(found, _)| found)
        })
        .collect()
}

const FIELDS: [&str; 6] = ["amount", "account", "direction", "merchant", "date", "category"];

#[derive(Default)]
struct Score {
    payments: usize,
    read: usize,
    right: usize,
    /// Payments that were read, and of them how often each field was right.
    told: usize,
    fields: BTreeMap<&'static str, usize>,
}

impl Score {
    fn precision(&self) -> f64 {
        self.right as f64 / self.read.max(1) as f64
    }

    fn recall(&self) -> f64 {
        self.right as f64 / self.payments as f64
    }

    fn field(&self, name: &str) -> f64 {
        self.fields.get(name).copied().unwrap_or(0) as f64 / self.told.max(1) as f64
    }
}

fn score(corpus: &Corpus, bank: &Bank, wrong: &mut Vec<String>) -> Score {
    let (name, sender, templates) = bank;
    let mut rng = Rng(name.bytes().fold(7, |sum, byte| sum * 31 + u64::from(byte)));
    let mut messages: Vec<Message> = (0..PAYMENTS)
        .map(|i| {
            let (kind, template) = templates[i % templates.len()];
            message(corpus, template, Some(kind), &mut rng)
        })
        .collect();
    messages
        .extend((0..OTHERS).map(|i| message(corpus, corpus.others[i % corpus.others.len()], None, &mut rng)));
    let (_, key) = agent();
    let mut score = Score::default();
    for (message, found) in messages.iter().zip(read(sender, &messages)) {
        score.read += usize::from(found.is_some());
        let Some(expected) = &message.expected else {
            if found.is_some() {
                wrong.push(format!("{name}: no payment: {}", message.body));
            }
            continue;
        };
        score.payments += 1;
        let Some(found) = found else {
            wrong.push(format!("{name}: not read: {}", message.body));
            continue;
        };
        score.told += 1;
        let day = found["at"]
            .as_str()
            .and_then(|at| Timestamp::parse(at).ok())
            .map(|at| at.utc().with_timezone(&Tz::Asia__Kolkata).date_naive());
        let amount: Option<Decimal> = found["amount"].as_str().and_then(|amount| amount.parse().ok());
        let unnamed = expected.merchant.is_empty();
        let right = [
            amount == Some(expected.amount) && found["currency"] == "INR",
            found["account_last4"] == expected.account.as_str(),
            found["direction"] == expected.direction,
            // Whatever a cash machine or a fee is called.
            unnamed || found["merchant_hash"] == key.merchant(&expected.merchant).as_str(),
            day == Some(expected.day),
            unnamed || found["category"] == expected.category,
        ];
        for (field, right) in FIELDS.iter().zip(right) {
            *score.fields.entry(field).or_default() += usize::from(right);
        }
        // The category follows from the merchant; it is counted, and no part of reading the message.
        if right[..5].iter().all(|right| *right) {
            score.right += 1;
        } else {
            wrong.push(format!(
                "{name}: {right:?}: {} -> {found}",
                message.body.replace('\n', " | ")
            ));
        }
    }
    score
}

/// The table of a corpus, the banks below the gate, and what was not read as it should be.
fn table(corpus: &Corpus) -> (String, Vec<&'static str>, Vec<String>) {
    let (mut wrong, mut low) = (Vec::new(), Vec::new());
    let mut table = format!(
        "{PAYMENTS} payments and {OTHERS} other messages of each bank, synthetic.\n\n| Bank | precision | recall |{}\n|---|---|---|{}\n",
        FIELDS.map(|field| format!(" {field} |")).concat(),
        "---|".repeat(FIELDS.len()),
    );
    for bank in corpus.banks {
        let score = score(corpus, bank, &mut wrong);
        let fields = FIELDS
            .map(|field| format!(" {:.3} |", score.field(field)))
            .concat();
        writeln!(
            table,
            "| {} | {:.3} | {:.3} |{fields}",
            bank.0,
            score.precision(),
            score.recall()
        )
        .unwrap();
        if score.precision() < 0.95 || score.recall() < 0.95 || score.field("category") < 0.9 {
            low.push(bank.0);
        }
    }
    (table, low, wrong)
}

/// Holds the page against a table, or writes it there.
fn stands_on_the_page(name: &str, table: &str) {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/agents/finance.md");
    let text = fs::read_to_string(&page).unwrap();
    let (begin, end) = (
        format!("<!-- {name}: begin -->\n"),
        format!("<!-- {name}: end -->"),
    );
    let (before, rest) = text.split_once(&begin).unwrap();
    let (old, after) = rest.split_once(&end).unwrap();
    if std::env::var_os("UPDATE_TABLES").is_some() {
        fs::write(&page, format!("{before}{begin}{table}{end}{after}")).unwrap();
    } else {
        assert_eq!(
            old, table,
            "write it anew: UPDATE_TABLES=1 cargo test -p agents-finance --test bank_messages"
        );
    }
}

#[test]
fn each_bank_is_read_as_well_as_the_page_says() {
    let (seen, low, wrong) = table(&SEEN);
    let wrong: std::collections::BTreeSet<&String> = wrong.iter().collect();
    let shown: Vec<&str> = wrong
        .iter()
        .map(|line| line.as_str())
        .step_by(wrong.len() / 60 + 1)
        .collect();
    assert!(
        low.is_empty(),
        "below the gate: {low:?}\n{seen}\n{}",
        shown.join("\n")
    );
    stands_on_the_page("bank messages", &seen);
    stands_on_the_page("unseen bank messages", &table(&UNSEEN).0);
    stands_on_the_page("odd bank messages", &table(&ODD).0);
}

/// Each bank left out: its header is one that nobody knows. Nothing else is known of any bank, so that a header is all there is to
/// leave out.
#[test]
fn a_bank_whose_header_is_unknown_is_read_as_well() {
    let mut table = String::from(
        "| Bank | read, header known | read, header unknown | taken for a payment wrongly, known and unknown |\n|---|---|---|---|\n",
    );
    for (i, bank) in SEEN.banks.iter().enumerate() {
        let (name, sender, templates) = bank;
        let mut rng = Rng(name.bytes().fold(11, |sum, byte| sum * 31 + u64::from(byte)));
        let (mut read, mut wrong) = ([0; 2], [0; 2]);
        for n in 0..PAYMENTS + OTHERS {
            let payment = n < PAYMENTS;
            let (kind, template) = if payment {
                let (kind, template) = templates[n % templates.len()];
                (Some(kind), template)
            } else {
                (None, SEEN.others[n % SEEN.others.len()])
            };
            let message = message(&SEEN, template, kind, &mut rng);
            let context = MessageContext {
                received: message.at.utc().with_timezone(&Tz::Asia__Kolkata).date_naive(),
                currency: "INR",
            };
            let unknown = format!("VM-BANK{i:02}-S");
            for (place, from) in [*sender, &unknown].into_iter().enumerate() {
                let taken = read_message(from, &message.body, &context).verdict == MessageVerdict::Payment;
                read[place] += usize::from(payment && taken);
                wrong[place] += usize::from(!payment && taken);
            }
        }
        assert!(read[1] * 100 >= 97 * PAYMENTS, "{name}: {read:?}");
        assert!(wrong[0] + wrong[1] == 0, "{name}: {wrong:?}");
        let share = |read: usize| read as f64 / PAYMENTS as f64;
        writeln!(
            table,
            "| {name} | {:.3} | {:.3} | {}, {} |",
            share(read[0]),
            share(read[1]),
            wrong[0],
            wrong[1]
        )
        .unwrap();
    }
    stands_on_the_page("banks left out", &table);
}
