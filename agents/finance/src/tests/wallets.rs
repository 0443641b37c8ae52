//! Exports of programs that hold money in several currencies: rows that were made up, in the columns of each. What is expected is worked out from the rows
//! by hand.

use super::{
    statements::{importing, lines, skips},
    *,
};
use agents_base::contract::CsvQuestion;
use chrono_tz::Tz;

const REVOLUT: &str = "Type,Product,Started Date,Completed Date,Description,Amount,Fee,Currency,State,Balance\n\
    TOPUP,Current,2026-11-01 09:00:00,2026-11-01 09:00:05,Top-up by *1234,500.00,0.00,EUR,COMPLETED,500.00\n\
    CARD_PAYMENT,Current,2026-11-02 21:00:00,2026-11-03 09:00:00,Baker,-4.95,0.00,EUR,COMPLETED,495.05\n\
    EXCHANGE,Current,2026-11-04 10:00:00,2026-11-04 10:00:01,Exchanged to GBP,-100.00,0.50,EUR,COMPLETED,394.55\n\
    EXCHANGE,Current,2026-11-04 10:00:00,2026-11-04 10:00:01,Exchanged to GBP,85.00,0.00,GBP,COMPLETED,85.00\n\
    ATM,Current,2026-11-05 11:00:00,2026-11-05 11:00:00,Machine,-50.00,1.00,EUR,COMPLETED,343.55\n\
    Card Payment,Current,2026-11-06 11:00:00,2026-11-06 11:00:00,Machine,-20.00,0.00,GBP,COMPLETED,65.00\n\
    FEE,Current,2026-11-07 11:00:00,2026-11-07 11:00:00,Premium plan,0.00,7.99,EUR,COMPLETED,335.56\n\
    Exchange,Current,2026-11-08 10:00:00,2026-11-08 10:00:01,Exchanged to EUR,-65.00,0.00,GBP,COMPLETED,0.00\n\
    Exchange,Current,2026-11-08 10:00:00,2026-11-08 10:00:01,Exchanged to EUR,75.00,0.00,EUR,COMPLETED,410.56\n\
    CARD_PAYMENT,Current,2026-11-09 09:00:00,2026-11-09 09:00:00,Museum,-9.00,0.00,EUR,REVERTED,\n\
    CARD_PAYMENT,Current,2026-11-09 09:00:00,2026-11-09 09:00:00,Museum,-9.00,much,EUR,COMPLETED,\n";

#[test]
fn of_revolut_a_fee_is_paid_beside_the_amount_and_an_exchange_is_no_spending() {
    let (_folder, mut agent) = importing(&[("a.csv", REVOLUT.as_bytes())], "");
    let answer = ingest(&mut agent, t(NOW));
    let expected = [
        "2026-11-01 credit 500 EUR 0000 other",
        "2026-11-03 debit 4.95 EUR 0000 other",
        // What the exchange cost.
        "2026-11-04 fee 0.5 EUR 0000 other",
        "2026-11-05 fee 1 EUR 0000 other",
        "2026-11-05 debit 50 EUR 0000 other",
        "2026-11-06 debit 20 GBP 0000 other",
        "2026-11-07 fee 7.99 EUR 0000 other",
    ];
    assert_eq!(lines(&agent), expected);
    assert_eq!(
        skips(&answer),
        [
            ("AGENT-121", "a.csv", Some(4)),
            ("AGENT-121", "a.csv", Some(5)),
            ("AGENT-121", "a.csv", Some(9)),
            ("AGENT-121", "a.csv", Some(10)),
            ("AGENT-121", "a.csv", Some(11)),
            ("AGENT-103", "a.csv", Some(12)),
        ]
    );
    // 500 - 4.95 - 100.50 - 51 - 7.99 + 75, and 85 - 20 - 65.
    let balances: Vec<_> = agent.book.balances().map(|row| (row.1, row.2)).collect();
    assert_eq!(
        balances,
        [("EUR".to_owned(), dec("410.56")), ("GBP".to_owned(), dec("0"))]
    );
    // The newest first, as other exports are sorted, and once more.
    let (header, rows) = REVOLUT.split_once('\n').unwrap();
    let mut newest: Vec<&str> = rows.lines().collect();
    newest.reverse();
    let newest = format!("{header}\n{}\n", newest.join("\n"));
    let files: [(&str, &[u8]); 2] = [("a.csv", REVOLUT.as_bytes()), ("b.csv", newest.as_bytes())];
    let (_folder, mut agent) = importing(&files, "");
    ingest(&mut agent, t(NOW));
    assert_eq!(lines(&agent), expected);
    // What is shown before the file is allowed.
    let shown = recognise_csv(REVOLUT.as_bytes(), true, None, Tz::Europe__Berlin).unwrap();
    assert_eq!(shown.bank.as_deref(), Some("Revolut"));
    let amounts: Vec<_> = shown
        .rows
        .iter()
        .map(|row| (row.line, row.amount.to_string()))
        .collect();
    let first = [(2, "500"), (3, "4.95"), (4, "0.5"), (6, "50"), (6, "1")];
    assert_eq!(amounts, first.map(|(line, amount)| (line, amount.to_owned())));
}

/// A payment in dollars from an account of pounds, what `PayPal` did for it, and others.
const ACTIVITY: &str = "\u{feff}\"Date\",\"Time\",\"TimeZone\",\"Name\",\"Type\",\"Status\",\"Currency\",\"Gross\",\"Fee\",\"Net\",\"From Email Address\",\"To Email Address\",\"Transaction ID\",\"Reference Txn ID\",\"Balance\",\"Balance Impact\"\n\
    \"05/11/2026\",\"09:00:00\",\"GMT\",\"Small Shop\",\"Website Payment\",\"Completed\",\"GBP\",\"-5.00\",\"0.00\",\"-5.00\",\"me@example.com\",\"a@example.com\",\"T1\",\"\",\"0.00\",\"Debit\"\n\
    \"06/11/2026\",\"09:00:00\",\"GMT\",\"Some Buyer\",\"General Payment\",\"Completed\",\"GBP\",\"100.00\",\"-3.20\",\"96.80\",\"b@example.com\",\"me@example.com\",\"T2\",\"\",\"96.80\",\"Credit\"\n\
    \"13/11/2026\",\"12:00:01\",\"GMT\",\"Far Shop\",\"Express Checkout Payment\",\"Completed\",\"USD\",\"-1,212.00\",\"0.00\",\"-1,212.00\",\"me@example.com\",\"c@example.com\",\"T3\",\"\",\"-1,212.00\",\"Debit\"\n\
    \"13/11/2026\",\"12:00:01\",\"GMT\",\"\",\"General Currency Conversion\",\"Completed\",\"GBP\",\"-1,000.00\",\"0.00\",\"-1,000.00\",\"\",\"\",\"T4\",\"T3\",\"-903.20\",\"Debit\"\n\
    \"13/11/2026\",\"12:00:01\",\"GMT\",\"\",\"General Currency Conversion\",\"Completed\",\"USD\",\"1,212.00\",\"0.00\",\"1,212.00\",\"\",\"\",\"T5\",\"T3\",\"0.00\",\"Credit\"\n\
    \"13/11/2026\",\"12:00:01\",\"GMT\",\"\",\"Bank Deposit to PP Account\",\"Completed\",\"GBP\",\"1,000.00\",\"0.00\",\"1,000.00\",\"\",\"\",\"T6\",\"T3\",\"96.80\",\"Credit\"\n\
    \"14/11/2026\",\"09:00:00\",\"GMT\",\"Slow Shop\",\"Website Payment\",\"Pending\",\"GBP\",\"-9.00\",\"0.00\",\"-9.00\",\"me@example.com\",\"d@example.com\",\"T7\",\"\",\"96.80\",\"Memo\"\n\
    \"14/11/2026\",\"09:00:00\",\"GMT\",\"Some Buyer\",\"Payment Hold\",\"Completed\",\"GBP\",\"-96.80\",\"0.00\",\"-96.80\",\"\",\"\",\"T8\",\"T2\",\"0.00\",\"Debit\"\n\
    \"14/11/2026\",\"10:00:00\",\"GMT\",\"Some Buyer\",\"Payment Release\",\"Completed\",\"GBP\",\"96.80\",\"0.00\",\"96.80\",\"\",\"\",\"T9\",\"T2\",\"96.80\",\"Credit\"\n\
    \"14/11/2026\",\"11:00:00\",\"GMT\",\"\",\"User Initiated Currency Conversion\",\"Completed\",\"GBP\",\"-50.00\",\"0.00\",\"-50.00\",\"\",\"\",\"T10\",\"\",\"46.80\",\"Debit\"\n";

const ACTIVITY_GERMAN: &str = "\"Datum\",\"Uhrzeit\",\"Zeitzone\",\"Name\",\"Typ\",\"Status\",\"Währung\",\"Brutto\",\"Gebühr\",\"Netto\",\"Absender E-Mail-Adresse\",\"Empfänger E-Mail-Adresse\",\"Transaktionscode\"\n\
    \"05.11.2026\",\"10:12:00\",\"Europe/Berlin\",\"Laden\",\"Handyzahlung\",\"Abgeschlossen\",\"EUR\",\"-5,00\",\"0,00\",\"-5,00\",\"ich@example.com\",\"a@example.com\",\"1AB\"\n\
    \"05.11.2026\",\"10:12:01\",\"Europe/Berlin\",\"\",\"Bankgutschrift auf PayPal-Konto\",\"Abgeschlossen\",\"EUR\",\"5,00\",\"0,00\",\"5,00\",\"\",\"ich@example.com\",\"2CD\"\n\
    \"06.11.2026\",\"10:12:00\",\"Europe/Berlin\",\"Fern\",\"Handyzahlung\",\"Abgeschlossen\",\"USD\",\"-1.010,60\",\"0,00\",\"-1.010,60\",\"ich@example.com\",\"b@example.com\",\"3EF\"\n\
    \"06.11.2026\",\"10:12:00\",\"Europe/Berlin\",\"\",\"Allgemeine Währungsumrechnung\",\"Abgeschlossen\",\"EUR\",\"-909,15\",\"0,00\",\"-909,15\",\"\",\"\",\"4GH\"\n\
    \"06.11.2026\",\"10:12:00\",\"Europe/Berlin\",\"\",\"Allgemeine Währungsumrechnung\",\"Abgeschlossen\",\"USD\",\"1.010,60\",\"0,00\",\"1.010,60\",\"\",\"\",\"5IJ\"\n\
    \"07.11.2026\",\"10:12:00\",\"Europe/Berlin\",\"Langsam\",\"Handyzahlung\",\"Ausstehend\",\"EUR\",\"-7,00\",\"0,00\",\"-7,00\",\"ich@example.com\",\"c@example.com\",\"6KL\"\n";

/// The statement, which names no status.
const STATEMENT_GERMAN: &str = "\"Datum\",\"Uhrzeit\",\"Zeitzone\",\"Beschreibung\",\"Währung\",\"Brutto\",\"Entgelt\",\"Netto\",\"Guthaben\",\"Transaktionscode\",\"Absender E-Mail-Adresse\",\"Name\",\"Name der Bank\",\"Bankkonto\",\"Versandkosten\",\"Umsatzsteuer\",\"Rechnungsnummer\",\"Zugehöriger Transaktionscode\"\n\
    \"05.11.2026\",\"10:12:00\",\"Europe/Berlin\",\"Spendenzahlung\",\"EUR\",\"-1,00\",\"0,00\",\"-1,00\",\"-1,00\",\"1AB\",\"a@example.com\",\"Verein\",\"\",\"\",\"0,00\",\"0,00\",\"\",\"\"\n\
    \"05.11.2026\",\"10:12:00\",\"Europe/Berlin\",\"Bankgutschrift auf PayPal-Konto\",\"EUR\",\"1,00\",\"0,00\",\"1,00\",\"0,00\",\"2CD\",\"\",\"\",\"\",\"\",\"0,00\",\"0,00\",\"\",\"1AB\"\n";

const PERSONAL: &str = "\"Date\",\"Time\",\"TimeZone\",\"Name\",\"Type\",\"Status\",\"Currency\",\"Amount\",\"Fees\",\"Total\",\"Exchange Rate\",\"Receipt ID\",\"Balance\",\"Transaction ID\",\"Item Title\"\n\
    \"11/13/2026\",\"03:22:45\",\"PST\",\"Some Vendor\",\"PreApproved Payment Bill User Payment\",\"Completed\",\"USD\",\"-17.99\",\"0\",\"-17.99\",\"\",\"\",\"\",\"T1\",\"\"\n\
    \"11/05/2026\",\"03:22:45\",\"PST\",\"Some Vendor\",\"PreApproved Payment Bill User Payment\",\"Completed\",\"USD\",\"-17.99\",\"0\",\"-17.99\",\"\",\"\",\"\",\"T2\",\"\"\n";

#[test]
fn of_paypal_a_conversion_is_no_payment_and_the_payment_in_a_foreign_currency_is_one() {
    let cases: [(&str, &[&str], &[u64]); 4] = [
        (
            ACTIVITY,
            &[
                "2026-11-05 debit 5 GBP 0000 other",
                "2026-11-06 credit 96.8 GBP 0000 other",
                "2026-11-13 debit 1212 USD 0000 other",
            ],
            &[5, 6, 7, 8, 9, 10, 11],
        ),
        (
            ACTIVITY_GERMAN,
            &[
                "2026-11-05 debit 5 EUR 0000 other",
                "2026-11-06 debit 1010.6 USD 0000 other",
            ],
            &[3, 5, 6, 7],
        ),
        (STATEMENT_GERMAN, &["2026-11-05 debit 1 EUR 0000 other"], &[3]),
        (
            PERSONAL,
            &[
                "2026-11-05 debit 17.99 USD 0000 other",
                "2026-11-13 debit 17.99 USD 0000 other",
            ],
            &[],
        ),
    ];
    for (text, expected, left_out) in cases {
        let (_folder, mut agent) = importing(&[("a.csv", text.as_bytes())], "");
        let answer = ingest(&mut agent, t(NOW));
        assert_eq!(lines(&agent), expected);
        let codes: Vec<_> = answer
            .skips
            .iter()
            .map(|skip| (&*skip.code, skip.line.unwrap()))
            .collect();
        let told: Vec<_> = left_out.iter().map(|line| ("AGENT-121", *line)).collect();
        assert_eq!(codes, told);
        let shown = recognise_csv(text.as_bytes(), true, None, Tz::Europe__Berlin).unwrap();
        assert_eq!(
            (shown.bank.as_deref(), shown.questions),
            (Some("PayPal"), Vec::new())
        );
    }
}

#[test]
fn in_which_order_paypal_writes_day_and_month_is_asked_where_nothing_tells() {
    let rows: Vec<&str> = ACTIVITY.lines().take(2).collect();
    let text = rows.join("\n") + "\n";
    let shown = recognise_csv(text.as_bytes(), true, None, Tz::Europe__Berlin).unwrap();
    assert_eq!(shown.bank.as_deref(), Some("PayPal"));
    assert!(matches!(
        shown.questions.as_slice(),
        [CsvQuestion::DayFirst { .. }]
    ));
    let (_folder, mut agent) = importing(&[("a.csv", text.as_bytes())], "");
    let answer = ingest(&mut agent, t(NOW));
    assert_eq!(skips(&answer), [("AGENT-120", "a.csv", Some(1))]);
    // What the answer makes of it still knows which rows are no payments.
    let answers = agents_base::contract::CsvAnswers {
        day_first: Some(true),
        ..agents_base::contract::CsvAnswers::default()
    };
    let mapping = shown.answered(&answers).unwrap();
    assert_eq!(mapping.date_formats, ["%d/%m/%Y"]);
    assert!(mapping.except.is_some() && mapping.only.is_some());
}
