//! The agent as a whole: what it reads, keeps and gives back.

mod allowed;
mod awkward;
mod banks;
mod bounds;
mod camt;
mod chosen_columns;
mod figures;
mod forgotten;
mod journals;
mod looking;
mod mt940;
mod payees;
mod receipts;
mod recognition;
mod rhythm;
mod same;
mod senders;
mod shops;
mod statements;
mod taught;
mod told;
mod wallets;
mod zipped;

use super::*;
use crate::testing::{ingest, question, setup, signal, t};
use agents_base::contract::OwnerProfile;
use chrono::{Days, NaiveDate};
use rust_decimal::Decimal;
use serde_json::json;
use toolcall_schema::{
    ActionKind, Category, Severity, ToolName,
    catalogue::finance::{AnomalyFlag, CategorizeArgs, PredictEomBalance},
    gate,
    ids::{CallId, TxnId},
    milli::Milli,
    money::AccountBalance,
    tick::{Candidate, ReadingKey, SignalReading, Subject, TickStatus},
};

/// 2026-11-20, 20:00 in Kolkata: now, in these tests.
const NOW: &str = "2026-11-20T20:00:00+05:30";

fn today() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 11, 20).unwrap()
}

fn dec(text: &str) -> Decimal {
    Decimal::from_str_exact(text).unwrap()
}

/// A payment at noon, `back` days before today.
fn paid(back: u64, amount: &str, merchant: &str, direction: &str) -> Signal {
    let day = today() - Days::new(back);
    let id = format!(
        "{back}-{amount}-{direction}-{}",
        merchant.replace(|c: char| !c.is_alphanumeric(), "")
    );
    let payload = json!({ "amount": amount, "currency": "INR", "direction": direction, "merchant": merchant, "account_last4": "8841" });
    signal(&id, t(&format!("{day}T12:00:00+05:30")), "transaction", &payload)
}

fn sms(id: &str, at: &str, body: &str) -> Signal {
    signal(
        id,
        t(at),
        "bank_sms",
        &json!({ "from": "AX-SBIINB", "body": body }),
    )
}

fn owner(balance: Option<&str>) -> OwnerProfile {
    OwnerProfile {
        balance: balance.map(|amount| AccountBalance {
            amount: dec(amount),
            currency: "INR".to_owned(),
            as_of: t("2026-11-20T00:00:00+05:30"),
        }),
        ..setup().owner
    }
}

/// An agent that has read these, and is asked now.
fn agent(balance: Option<&str>, signals: Vec<Signal>) -> FinanceAgent {
    let mut agent = FinanceAgent::new(AgentSetup {
        owner: owner(balance),
        ..setup()
    });
    agent.accept(signals);
    ingest(&mut agent, t(NOW));
    agent
}

fn tick(agent: &FinanceAgent) -> TickResult {
    agent.tick(&question(t(NOW)), t(NOW))
}

/// Groceries of the days before today, nearest first, and of today.
fn groceries(before: &[&str], now: &str) -> Vec<Signal> {
    let mut signals: Vec<Signal> = (1..)
        .zip(before)
        .map(|(back, amount)| paid(back, amount, "dmart", "debit"))
        .collect();
    signals.push(paid(0, now, "dmart", "debit"));
    signals
}

#[test]
fn a_payment_is_entered_once() {
    let body = |tail: &str| format!("Rs.89.00 debited from A/c X2207 on 20-11-26 to VPA rapido@okaxis{tail}");
    let read = |bodies: &[String]| {
        let signals = bodies
            .iter()
            .zip(10..)
            .map(|(body, min)| sms(&format!("s{min}"), &format!("2026-11-20T19:{min}:00+05:30"), body))
            .collect();
        let agent = agent(None, signals);
        agent.view.spent(today())
    };
    for (name, bodies, expected) in [
        ("twice the same", vec![body(""), body("")], "89"),
        (
            "two with their own references",
            vec![body(" Ref 100001"), body(" Ref 100002")],
            "178",
        ),
        (
            "twice the same reference",
            vec![body(" Ref 100001"), body(" Ref 100001")],
            "89",
        ),
        ("one of them without", vec![body(""), body(" Ref 100001")], "89"),
        ("the other without", vec![body(" Ref 100001"), body("")], "89"),
    ] {
        assert_eq!(read(&bodies), dec(expected), "{name}");
    }
}

#[test]
fn new_transactions_of_a_day_are_told_and_later_ones_wait() {
    let mut agent = FinanceAgent::new(setup());
    let signals = vec![
        paid(1, "10", "dmart", "debit"),
        paid(2, "20", "dmart", "debit"),
        paid(121, "30", "dmart", "debit"),
    ];
    let later = signal(
        "later",
        t("2026-11-20T21:00:00+05:30"),
        "transaction",
        &signals[0].payload,
    );
    agent.accept([signals, vec![later]].concat());
    // Yesterday noon is 32 hours ago; asked at 11:59 it is not yet 24.
    let early = t("2026-11-20T11:59:59+05:30");
    let answer = ingest(&mut agent, early);
    let facts: Vec<Timestamp> = answer
        .facts
        .iter()
        .map(|f| {
            if let IngestFact::Transaction { at, .. } = f {
                *at
            } else {
                early
            }
        })
        .collect();
    assert_eq!(facts, [t("2026-11-19T12:00:00+05:30")]);
    // One is older than what is kept.
    assert_eq!((answer.read, answer.skipped, answer.cursor), (2, 1, 1));
    let answer = ingest(&mut agent, t("2026-11-20T21:00:00+05:30"));
    assert_eq!((answer.facts.len(), answer.read, answer.cursor), (1, 1, 2));
}

#[test]
fn what_is_skipped_is_named_and_its_text_forgotten() {
    let mut agent = FinanceAgent::new(setup());
    agent.accept(vec![
        sms(
            "bad-date",
            NOW,
            "Rs.89.00 debited from A/c X2207 on 31-02-26 to VPA rapido@okaxis",
        ),
        sms("strange", NOW, "Meet me at the harbour"),
        signal("mail", t(NOW), "mail", &json!({ "message": "x" })),
        sms(
            "good",
            NOW,
            "Rs.89.00 debited from A/c X2207 on 20-11-26 to VPA rapido@okaxis",
        ),
    ]);
    let answer = ingest(&mut agent, t(NOW));
    let skips: Vec<(&str, &str)> = answer
        .skips
        .iter()
        .map(|s| (s.code.as_str(), s.item.as_str()))
        .collect();
    assert_eq!(
        skips,
        [
            ("AGENT-005", "mail"),
            ("AGENT-102", "bad-date"),
            ("AGENT-101", "strange")
        ]
    );
    assert_eq!((answer.read, answer.skipped), (1, 3));
    let told = serde_json::to_string(&answer).unwrap().to_lowercase();
    for text in ["harbour", "rapido", "okaxis"] {
        assert!(!told.contains(text), "{text} in {told}");
    }
    admitted(
        ToolName::FinanceIngest,
        &serde_json::to_value(&answer).unwrap(),
        &[],
    );
}

/// Whether the gate admits a result.
fn admitted(tool: ToolName, result: &Value, effects: &[ToolEffect]) {
    let call_id = CallId::parse("t_abcdefghij").unwrap();
    let bytes =
        serde_json::to_vec(&json!({ "call_id": call_id, "result": result, "effects": effects })).unwrap();
    let answer = gate::admit_result(&bytes, tool, &call_id);
    assert!(answer.is_ok(), "{answer:?}");
}

#[test]
fn tools_compute_again_from_what_is_known_now() {
    let even: Vec<&str> = (0..30)
        .map(|i| if i % 2 == 0 { "32.55" } else { "167.45" })
        .collect();
    let flag = |category, day, window_days| AnomalyFlag {
        category,
        severity: Severity::Low,
        day,
        window_days,
    };
    let mut signals = groceries(&even, "450");
    signals.extend(
        [(0, "600"), (2, "300"), (6, "300"), (7, "9000")]
            .map(|(back, amount)| paid(back, amount, "swiggy", "debit")),
    );
    let mut agent = agent(Some("100000"), signals);
    let mut act = |tool| agent.act(&Tool::Finance(tool), t(NOW));
    let (result, effects) = act(FinanceTool::AnomalyFlag(flag(Category::Groceries, today(), 30))).unwrap();
    admitted(ToolName::AnomalyFlag, &result, &effects);
    assert_eq!(
        (result, effects),
        (
            json!({ "category": "groceries", "severity": "medium", "z_score": 3.5, "spent_today": "450.00", "usual": "100.00",
                    "could_save": "150.00", "currency": "INR" }),
            vec![ToolEffect::CardShow]
        )
    );
    // 27 of 30 days without: MAD 0, the mean distance (300 + 300 + 9000) / 30 = 320, z = 600 / 401.056 = 1.496: usual.
    assert_eq!(
        act(FinanceTool::AnomalyFlag(flag(
            Category::FoodDelivery,
            today(),
            30
        ))),
        Err(ToolErrorCode::NotFound)
    );
    // 7 days back there is 9000; the days before are all 0.
    assert_eq!(
        act(FinanceTool::AnomalyFlag(flag(
            Category::FoodDelivery,
            today() - Days::new(28),
            30
        ))),
        Err(ToolErrorCode::NotEnoughData)
    );
    // Spending of this week is too uneven to forecast: the result says so.
    let (result, effects) = act(FinanceTool::PredictEomBalance(PredictEomBalance { day: today() })).unwrap();
    admitted(ToolName::PredictEomBalance, &result, &effects);
    assert_eq!(result, json!({ "confidence": 0.2, "currency": "INR" }));
}

#[test]
fn three_deliveries_in_a_week_suggest_cooking_one() {
    let order = |back, amount| paid(back, amount, "swiggy@ybl", "debit");
    // 20 days of 10 and 10 of 0 besides: 6 orders of this week make the mean.
    let usual = |n: u64| {
        (8..=30)
            .map(move |back| {
                paid(
                    back,
                    if back % 2 == 0 { "10" } else { "30" },
                    "corner cafe",
                    "debit",
                )
            })
            .chain((0..n).map(move |i| order(i * 2, "600")))
    };
    for (n, expected) in [(2, "220.00"), (3, "600.00")] {
        let mut agent = agent(None, usual(n).collect());
        let args = AnomalyFlag {
            category: Category::FoodDelivery,
            severity: Severity::High,
            day: today(),
            window_days: 30,
        };
        let (result, _) = agent
            .act(&Tool::Finance(FinanceTool::AnomalyFlag(args)), t(NOW))
            .unwrap();
        assert_eq!(result["could_save"], json!(expected), "{n} orders");
    }
}

#[test]
fn categories_are_given_out_once_and_survive_a_restart() {
    let body = "Rs.89.00 debited from A/c X2207 on 20-11-26 to VPA rapido@okaxis";
    let mut agent = agent(None, vec![sms("s1", NOW, body)]);
    let categorize = tick(&agent).candidates.remove(0);
    let ids: Vec<TxnId> = serde_json::from_value(categorize.args["txn_ids"].clone()).unwrap();
    assert_eq!(
        categorize,
        Candidate {
            kind: ActionKind::CategorizeTxn,
            subject: Subject::of_self(),
            confidence: Milli(850),
            args: json!({ "txn_ids": ids }),
            valid_until: None,
            evidence: vec![],
            let_through: false,
        }
    );
    assert!(gate::pre_admit(ToolName::Categorize, &categorize.args, false).is_ok());
    let unknown = setup().key.txn("unknown");
    let asked = FinanceTool::Categorize(CategorizeArgs {
        txn_ids: vec![ids[0].clone(), unknown.clone(), ids[0].clone()],
    });
    let (result, effects) = agent.act(&Tool::Finance(asked), t(NOW)).unwrap();
    admitted(ToolName::Categorize, &result, &effects);
    assert_eq!(
        (result, effects),
        (
            json!({ "categories": [{ "txn_id": ids[0], "category": "transport" }] }),
            Vec::new()
        )
    );
    let asked = FinanceTool::Categorize(CategorizeArgs {
        txn_ids: vec![unknown],
    });
    assert_eq!(
        agent.act(&Tool::Finance(asked), t(NOW)),
        Err(ToolErrorCode::NotFound)
    );
    assert_eq!(tick(&agent).candidates, Vec::new());

    // The next answer tells the mark, and the one after it that nothing changed.
    let ask = |agent: &mut FinanceAgent, cursor| {
        agent.ingest(
            &IngestArgs {
                cursor,
                signal_ids: Vec::new(),
            },
            t(NOW),
        )
    };
    let answer = ask(&mut agent, 1);
    assert_eq!(answer.cursor, 2);
    assert_eq!(ask(&mut agent, 2).agent_state, Value::Null);
    let mut again = FinanceAgent::new(setup());
    again.restore(&answer.agent_state).unwrap();
    assert_eq!((tick(&again), &again.view), (tick(&agent), &agent.view));
    // The same message after the restart is known.
    again.accept(vec![sms("s1", NOW, body)]);
    assert_eq!((ask(&mut again, 2).read, again.view.uncategorized.1), (0, 0));
    assert!(
        again
            .restore(&json!({ "version": "finance.v4", "txns": [], "files": {} }))
            .is_err()
    );
}

#[test]
fn a_tick_speaks_of_its_own_day_and_of_what_was_read_last() {
    let mut agent = agent(None, vec![paid(0, "450", "dmart", "debit")]);
    let spent = |agent: &FinanceAgent, at: &str| {
        let readings = agent.tick(&question(t(at)), t(at)).readings;
        readings.first().map(|reading| (reading.key, reading.value))
    };
    let midnight = "2026-11-21T00:00:00+05:30";
    assert_eq!(spent(&agent, NOW), Some((ReadingKey::SpentToday, 450.0)));
    // Nothing was read since, but it is another day.
    assert_eq!(spent(&agent, midnight), Some((ReadingKey::SpentToday, 0.0)));
    agent.accept(vec![paid(0, "50", "dmart", "debit")]);
    ingest(&mut agent, t(NOW));
    assert_eq!(spent(&agent, NOW), Some((ReadingKey::SpentToday, 500.0)));
    ingest(&mut agent, t(midnight));
    assert_eq!(spent(&agent, midnight), Some((ReadingKey::SpentToday, 0.0)));
    assert_eq!(spent(&agent, NOW), Some((ReadingKey::SpentToday, 500.0)));
}

#[test]
fn a_payment_stays_120_days_and_the_state_stays_below_its_limit() {
    let mut old = agent(
        None,
        vec![paid(100, "10", "dmart", "debit"), paid(0, "20", "dmart", "debit")],
    );
    assert_eq!(old.book.iter().count(), 2);
    let answer = ingest(&mut old, t("2026-12-11T12:00:00+05:30"));
    assert_eq!(old.book.iter().count(), 1, "121 days after the first");
    assert_eq!(
        answer.agent_state["txns"].as_object().map(serde_json::Map::len),
        Some(1)
    );

    let many = (0..600)
        .map(|i| paid(i % 100, &format!("{}.5", 1 + i), "dmart", "debit"))
        .collect();
    let full = agent(None, many);
    let rows = |bytes, untold: &[_]| full.book.rows(bytes, untold);
    let (all, cut) = rows(usize::MAX, &[]);
    let whole = serde_json::to_vec(&all).unwrap().len();
    assert_eq!(cut, None);
    let (half, cut) = rows(whole / 2, &[]);
    let bytes = serde_json::to_vec(&half).unwrap().len();
    assert!(
        bytes <= whole / 2 + 1 && half.len() >= 290,
        "{bytes} of {whole} for {} rows",
        half.len()
    );
    // Payments of 100 days, 6 a day: the newer half is there, and it is known where it begins.
    assert!(
        cut.is_some_and(|cut| (48..=52).contains(&(t(NOW).since(cut) / (24 * 3600 * 1000)))),
        "{cut:?}"
    );
    // What memory was not told of is there whatever its age.
    let oldest = full.book.iter().min_by_key(|(_, txn)| txn.ts).unwrap().0.clone();
    let has = |rows: &[claim::ClaimRow]| serde_json::to_string(rows).unwrap().contains(oldest.as_str());
    assert!(!has(&half) && has(&rows(whole / 2, std::slice::from_ref(&oldest)).0));
}

#[test]
fn an_agent_without_transactions_says_so() {
    let nothing = TickResult {
        candidates: Vec::new(),
        readings: Vec::new(),
        status: TickStatus::NoData,
    };
    assert_eq!(tick(&FinanceAgent::new(setup())), nothing);
}

/// What recorded messages are read as.
fn recorded(sms: &str, at: Timestamp) -> (FinanceAgent, IngestResult) {
    let mut setup = setup();
    setup.sources.sms = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(sms)];
    let mut agent = FinanceAgent::new(setup);
    let answer = ingest(&mut agent, at);
    (agent, answer)
}

#[test]
fn every_payment_of_the_demo_household_is_read_and_its_answers_pass_the_gate() {
    let at = t("2026-11-03T07:45:00+05:30");
    let (mut agent, answer) = recorded("../../fixtures/home/sms.jsonl", at);
    // 74 lines, one of them a one-time password; the newest payment is of yesterday 07:10, more than 24 hours ago.
    let skips: Vec<(&str, Option<u64>)> = answer.skips.iter().map(|s| (s.code.as_str(), s.line)).collect();
    assert_eq!(
        (answer.read, skips, answer.facts.len()),
        (73, vec![("AGENT-101", Some(53))], 0)
    );
    admitted(
        ToolName::FinanceIngest,
        &serde_json::to_value(&answer).unwrap(),
        &[],
    );
    let found = agent.tick(&question(at), at);
    admitted(ToolName::FinanceTick, &serde_json::to_value(&found).unwrap(), &[]);
    let kinds: Vec<ActionKind> = found.candidates.iter().map(|c| c.kind).collect();
    assert_eq!(kinds, [ActionKind::CategorizeTxn]);
    let args = serde_json::from_value(found.candidates[0].args.clone()).unwrap();
    let (result, effects) = agent
        .act(&Tool::Finance(FinanceTool::Categorize(args)), at)
        .unwrap();
    admitted(ToolName::Categorize, &result, &effects);
    // Of 73 the 64 oldest are offered at once.
    assert_eq!(result["categories"].as_array().map(Vec::len), Some(64));
}

#[test]
fn the_evening_of_the_recorded_day_is_as_unusual_as_its_readme_says() {
    let at = t("2026-11-03T20:01:00+05:30");
    let (mut agent, _) = recorded("../../fixtures/days/spend-mirror/home/sms.jsonl", at);
    let body = "INR 4,500.00 spent on ICICI Bank Card XX5530 at SAFFRON STOVE RESTAURANT on 03-Nov-26";
    let dinner = json!({ "from": "VK-ICICIB", "body": body });
    agent.accept(vec![signal("bank-sms-1", at, "bank_sms", &dinner)]);
    assert_eq!(ingest(&mut agent, at).facts.len(), 1);
    let found = agent.tick(&question(at), at);
    let args =
        json!({ "category": "food_delivery", "severity": "high", "day": "2026-11-03", "window_days": 30 });
    assert_eq!(
        (found.candidates[0].kind, &found.candidates[0].args),
        (ActionKind::SurfaceAnomaly, &args)
    );
    // z = 0.6745 * (4500 - 220) / 80 = 36.086
    assert!(
        found
            .readings
            .contains(&SignalReading::new(ReadingKey::ZScore, 36.086))
    );
}

#[test]
fn every_code_has_its_page_and_fits_the_schema_of_an_answer() {
    for skip in [
        code::NOT_A_PAYMENT,
        code::DATE,
        code::AMOUNT,
        code::FIELDS,
        code::NOT_A_STATEMENT,
        code::STATEMENT_ENTRY,
        code::UNMAPPED,
        code::ROW_TOO_LONG,
        code::JOURNAL_ENTRY,
        code::INCLUDE,
        code::RECEIPT,
    ] {
        let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(format!("../../docs/errors/{}.md", skip.code));
        assert!(page.exists() && skip.message.len() <= 200, "{}", skip.code);
    }
}
