//! Columns of a CSV export that its owner chose. All invented; what is expected is worked out from the rows by hand.

use super::{
    statements::{lines, with_sources},
    *,
};
use crate::FinanceAgentState;
use crate::withdrawn_in;
use agents_base::contract::KeptState as _;
use agents_base::contract::{AmountColumns, CsvAnswers, CsvQuestion, CsvRecognition, SourcePaths};
use chrono_tz::Tz;
use std::collections::BTreeSet;
use toolcall_schema::{
    forget::ErasureScope,
    preview::{StatementColumns, StatementRow},
    signal::Direction,
};

/// A statement whose first column of text is not whom the owner paid.
const TWISTED: &str = "Booked,Value,Payee,Details,Sum,Out,In,Left\n\
    03/11/2026,13/11/2026,Girokarte,CORNER SHOP,-3.20,3.20,,96.80\n\
    04/11/2026,14/11/2026,Girokarte,N/A,10.00,,10.00,106.80\n";

#[test]
fn each_column_can_be_chosen_and_what_is_left_as_it_was_stays() {
    let found = recognise_csv(TWISTED.as_bytes(), true, Some("EUR"), Tz::UTC).unwrap();
    let used = found.columns_in_use();
    let named = |name: &str| Some(name.to_owned());
    assert_eq!((used.date.as_str(), &used.payee), ("Booked", &named("Payee")));
    let chosen =
        |choice: &StatementColumns| chosen_csv((TWISTED.as_bytes(), true), Tz::UTC, found.clone(), choice);
    let rows = |csv: &CsvRecognition| -> Vec<(String, Decimal, Direction, String)> {
        let row = |row: &StatementRow| (row.day.clone(), row.amount, row.direction, row.payee.clone());
        csv.rows.iter().map(row).collect()
    };
    // Nothing was changed, so nothing changes.
    assert_eq!(chosen(&used).mapping, found.mapping);
    // Whom she paid stands under Details; where that is not known, under Payee.
    let by_details = chosen(&StatementColumns {
        payee: named("Details"),
        text: named("Payee"),
        ..used.clone()
    });
    assert_eq!(by_details.mapping.payee, ["Details", "Payee"]);
    let payees: Vec<_> = by_details.rows.iter().map(|row| row.payee.as_str()).collect();
    assert_eq!(payees, ["Corner Shop", "Girokarte"]);
    assert_eq!(by_details.mapping.date, found.mapping.date);
    // The other date, of which the day cannot be a month; amounts in two columns, then in one; no balance.
    let by_value = chosen(&StatementColumns {
        date: "Value".to_owned(),
        amount: None,
        money_out: named("Out"),
        money_in: named("In"),
        payee: None,
        text: None,
        balance: None,
    });
    assert_eq!(by_value.questions, []);
    assert_eq!(
        rows(&by_value),
        [
            (
                "2026-11-13".to_owned(),
                dec("3.2"),
                Direction::Debit,
                String::new()
            ),
            (
                "2026-11-14".to_owned(),
                dec("10"),
                Direction::Credit,
                String::new()
            ),
        ]
    );
    assert_eq!(by_value.mapping.balance, None);
    let by_sum = chosen_csv(
        (TWISTED.as_bytes(), true),
        Tz::UTC,
        by_value.clone(),
        &StatementColumns {
            amount: named("Sum"),
            money_out: None,
            money_in: None,
            ..by_value.columns_in_use()
        },
    );
    assert_eq!(by_sum.mapping.amount, AmountColumns::Signed("Sum".to_owned()));
    let ways: Vec<_> = by_sum.rows.iter().map(|row| row.direction).collect();
    assert_eq!(ways, [Direction::Debit, Direction::Credit]);
    // What cannot be so is shown by no row, and asks nothing.
    for wrong in [
        StatementColumns {
            date: "Details".to_owned(),
            ..used.clone()
        },
        StatementColumns {
            payee: named("Nowhere"),
            ..used.clone()
        },
        StatementColumns {
            amount: None,
            money_out: named("Out"),
            money_in: None,
            ..used.clone()
        },
    ] {
        let none = chosen(&wrong);
        assert_eq!((none.rows, none.questions), (vec![], vec![]), "{wrong:?}");
    }
}

#[test]
fn order_of_day_and_month_is_asked_of_the_date_that_was_chosen() {
    let text =
        "Date,Value Date,Payee,Amount\n13/11/2026,03/04/2026,shop,-1.00\n14/11/2026,04/04/2026,baker,-2.00\n";
    let found = recognise_csv(text.as_bytes(), true, Some("EUR"), Tz::UTC).unwrap();
    assert_eq!(found.questions, []);
    let choice = StatementColumns {
        date: "Value Date".to_owned(),
        ..found.columns_in_use()
    };
    let chosen = chosen_csv((text.as_bytes(), true), Tz::UTC, found, &choice);
    assert!(
        matches!(chosen.questions.as_slice(), [CsvQuestion::DayFirst { .. }]),
        "{:?}",
        chosen.questions
    );
    let answers = CsvAnswers {
        day_first: Some(true),
        ..CsvAnswers::default()
    };
    assert_eq!(chosen.answered(&answers).unwrap().date, "Value Date");
    let days: Vec<_> = chosen.rows.iter().map(|row| row.day.as_str()).collect();
    let others: Vec<_> = chosen
        .rows
        .iter()
        .filter_map(|row| row.other_day.as_deref())
        .collect();
    assert_eq!(
        (days, others),
        (vec!["2026-04-03", "2026-04-04"], vec!["2026-03-04"])
    );
}

/// Two exports of one account, which overlap: whom she paid stands under Details.
const OCTOBER: &str = "Date,Description,Details,Amount,Currency\n\
    2026-11-18,CARD 7,NETFLIX,-649.00,INR\n\
    2026-11-19,CARD 7,DMART,-2.00,INR\n";
const NOVEMBER: &str = "Date,Description,Details,Amount,Currency\n\
    2026-11-19,CARD 7,DMART,-2.00,INR\n\
    2026-11-20,CARD 7,ZOMATO,-101.00,INR\n";
const BY_DETAILS: &str = r#"{ "csv": [ { "name": "bank", "header": ["Date", "Description", "Details", "Amount", "Currency"],
    "date": "Date", "date_formats": ["%Y-%m-%d"], "amount": "Amount", "payee": ["Details"],
    "currency": { "column": "Currency" }, "account": "0000" } ] }"#;

#[test]
fn other_columns_of_a_read_folder_take_the_place_of_what_was_read_and_memory_lets_go_of_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("october.csv"), OCTOBER).unwrap();
    std::fs::write(folder.path().join("november.csv"), NOVEMBER).unwrap();
    let fresh = |wishes: &str| {
        let finance = vec![folder.path().to_owned()];
        with_sources(
            SourcePaths {
                finance,
                ..SourcePaths::default()
            },
            wishes,
        )
    };
    let told = |answer: &IngestResult| -> BTreeSet<TxnId> {
        let txn = |seen: &GraphObservation| match seen {
            GraphObservation::Payment { txn, .. } => Some(txn.clone()),
            GraphObservation::Talk { .. }
            | GraphObservation::Place { .. }
            | GraphObservation::Body { .. } => None,
        };
        answer.seen.iter().filter_map(txn).collect()
    };
    let mut agent = fresh("");
    let message = json!({ "from": "VK-HDFCBK", "body": "Sent Rs.101.00 from A/c **1234 to ZOMATO via UPI" });
    agent.accept(vec![signal(
        "m1",
        t("2026-11-20T10:00:00+05:30"),
        "bank_sms",
        &message,
    )]);
    let first = ingest(&mut agent, t(NOW));
    let mut known = told(&first);
    let mut state = agent.state();
    // By Details three payments, of which the message tells one; then by what is recognised again; and once more.
    for (wishes, payments) in [(BY_DETAILS, 3), ("", known.len()), (BY_DETAILS, 3)] {
        let mut next = fresh(wishes);
        next.restore(&state).unwrap();
        known.extend(told(&ingest(&mut next, t(NOW))));
        assert_eq!(lines(&next).len(), payments, "{wishes}: {:?}", lines(&next));
        let booked: BTreeSet<TxnId> = next.book.iter().map(|(id, _)| id.clone()).collect();
        let withdrawn = next.book.withdrawn.clone();
        assert!(!withdrawn.is_empty() && withdrawn.is_disjoint(&booked));
        known.retain(|id| !withdrawn.contains(id));
        assert_eq!(known, booked, "{wishes}: memory knows each payment once");
        // As the store keeps it, and after memory let go.
        state = next.state();
        let kept = withdrawn_in(&state.to_string()).unwrap().unwrap_or_default();
        assert_eq!(BTreeSet::from_iter(kept), withdrawn);
        let gone = ErasureScope::naming(withdrawn.iter().map(|id| id.as_str().to_owned()));
        let rows = state["txns"].clone();
        state = FinanceAgentState::json_without(&state, &gone).unwrap();
        assert_eq!((&state["txns"], state.get("withdrawn")), (&rows, None));
    }
    // A file that only grows, or is read again, takes nothing back.
    std::fs::write(
        folder.path().join("november.csv"),
        format!("{NOVEMBER}2026-11-20,CARD 7,CHAI,-9.00,INR\n"),
    )
    .unwrap();
    let mut grown = fresh(BY_DETAILS);
    grown.restore(&state).unwrap();
    ingest(&mut grown, t(NOW));
    assert_eq!((lines(&grown).len(), grown.book.withdrawn.len()), (4, 0));
}
