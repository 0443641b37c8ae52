//! Columns of a CSV export that its owner chose. All invented; what is expected is worked out from the rows by hand.

use super::*;
use crate::contract::{
    AmountColumns, CsvAnswers, CsvColumnChoice, CsvPreviewRow, CsvQuestion, CsvRecognition,
};
use chrono_tz::Tz;
use toolcall_schema::signal::Direction;

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
        |choice: &CsvColumnChoice| chosen_csv((TWISTED.as_bytes(), true), Tz::UTC, found.clone(), choice);
    let rows = |csv: &CsvRecognition| -> Vec<(String, Decimal, Direction, String)> {
        let row = |row: &CsvPreviewRow| (row.day.clone(), row.amount, row.direction, row.payee.clone());
        csv.rows.iter().map(row).collect()
    };
    // Nothing was changed, so nothing changes.
    assert_eq!(chosen(&used).mapping, found.mapping);
    // Whom she paid stands under Details; where that is not known, under Payee.
    let by_details = chosen(&CsvColumnChoice {
        payee: named("Details"),
        text: named("Payee"),
        ..used.clone()
    });
    assert_eq!(by_details.mapping.payee, ["Details", "Payee"]);
    let payees: Vec<_> = by_details.rows.iter().map(|row| row.payee.as_str()).collect();
    assert_eq!(payees, ["corner shop", "girokarte"]);
    assert_eq!(by_details.mapping.date, found.mapping.date);
    // The other date, of which the day cannot be a month; amounts in two columns, then in one; no balance.
    let by_value = chosen(&CsvColumnChoice {
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
        &CsvColumnChoice {
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
        CsvColumnChoice {
            date: "Details".to_owned(),
            ..used.clone()
        },
        CsvColumnChoice {
            payee: named("Nowhere"),
            ..used.clone()
        },
        CsvColumnChoice {
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
    let choice = CsvColumnChoice {
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
