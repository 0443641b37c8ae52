//! CSV exports that nobody wrote a mapping for. All invented; what is expected is worked out from the rows by hand.

use super::{
    statements::{importing, lines, skips},
    *,
};
use agents_base::contract::{AmountColumns, CsvAnswers, CsvQuestion, CsvRecognition, TextEncoding};
use chrono_tz::Tz;
use toolcall_schema::signal::Direction;

fn recognised(text: &str) -> CsvRecognition {
    recognise_csv(text.as_bytes(), true, None, Tz::Europe__Berlin).unwrap()
}

fn utf16(text: &str) -> Vec<u8> {
    let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
    units.flat_map(u16::to_le_bytes).collect()
}

/// As Windows-1252, for letters that it has where Latin-1 has them.
fn windows(text: &str) -> Vec<u8> {
    text.chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap())
        .collect()
}

const GIRO: &str = "\"Umsätze\";\"vom 01.11.2026\"\n\"Konto\";\"DE02 1234 0000 7890\"\n\nBuchungstag;Wertstellung;Empfänger;Verwendungszweck;Betrag (EUR);Saldo\n\
    13.11.2026;13.11.2026;Kölner Café;Rechnung 4;-1.234,50;765,50\n\
    12.11.2026;12.11.2026;Arbeit;Lohn;2.000,00;2.000,00\n\
    ;;;Summe;765,50;\n";
const SAVINGS: &str = "Statement of account XX8841,,,,,,\nTxn Date,Value Date,Particulars,Chq./Ref.No.,Withdrawal Amt (INR),Deposit Amt (INR),Closing Balance\n\
    03/11/26,03/11/26,UPI-CHAI POINT-chai@ybl-YESB0000001-431200100201-tea,R1,20.00,,\"1,23,456.00\"\n\
    14/11/26,14/11/26,ACME SALARY,R2,,\"85,000.00\",\"2,08,456.00\"\n";
const TABS: &str = "Date\tDescription\tMoney out\tMoney in\tBalance (£)\r\n\
    3 Nov 2026\tCORNER SHOP\t12.00\t\t88.00\r\n4 Nov 2026\tREFUND CORNER SHOP\t\t12.00\t100.00\r\n";
const WAYS: &str = "\"Datum\",\"Naam / Omschrijving\",\"Rekening\",\"Tegenrekening\",\"Af Bij\",\"Bedrag (EUR)\",\"Mededelingen\"\n\
    \"20261113\",\"Bakker\",\"NL20INGB0001235530\",\"\",\"Af\",\"4,95\",\"Pas\"\n\
    \"20261112\",\"Werk\",\"NL20INGB0001235530\",\"NL00\",\"Bij\",\"1500,00\",\"Loon\"\n";
const STATES: &str = "Type,Started Date,Completed Date,Description,Amount,Currency,State\n\
    CARD_PAYMENT,2026-11-03 09:00:00,2026-11-04 10:00:00,Bakery,-3.20,EUR,COMPLETED\n\
    CARD_PAYMENT,2026-11-05 09:00:00,,Cinema,-11.00,EUR,PENDING\n\
    TOPUP,2026-11-06 09:00:00,2026-11-06 09:00:01,Top-up,50.00,EUR,COMPLETED\n\
    CARD_PAYMENT,2026-11-07 09:00:00,2026-11-07 10:00:00,Museum,-9.00,EUR,REVERTED\n";

#[test]
fn exports_without_a_mapping_are_read_by_their_columns() {
    let (_folder, mut agent) = importing(
        &[
            ("a.csv", &windows(GIRO)),
            ("b.csv", SAVINGS.as_bytes()),
            ("c.csv", &utf16(TABS)),
            ("d.csv", WAYS.as_bytes()),
            ("e.csv", STATES.as_bytes()),
        ],
        "",
    );
    let answer = ingest(&mut agent, t(NOW));
    assert_eq!(
        lines(&agent),
        [
            "2026-11-03 debit 12 GBP 0000 other",
            "2026-11-03 debit 20 INR 8841 food_delivery",
            // 10:00 on the day when it was completed.
            "2026-11-04 debit 3.2 EUR 0000 food_delivery",
            "2026-11-04 refund 12 GBP 0000 other",
            "2026-11-06 credit 50 EUR 0000 other",
            "2026-11-12 credit 1500 EUR 5530 other",
            "2026-11-12 credit 2000 EUR 7890 other",
            "2026-11-13 debit 4.95 EUR 5530 other",
            "2026-11-13 debit 1234.5 EUR 7890 food_delivery",
            "2026-11-14 credit 85000 INR 8841 other",
        ]
    );
    assert_eq!(
        skips(&answer),
        [
            // A line of sums has no date.
            ("AGENT-106", "a.csv", Some(7)),
            ("AGENT-121", "e.csv", Some(3)),
            ("AGENT-121", "e.csv", Some(5)),
        ]
    );
    // The newest of each account, whichever end of the file it stands at.
    let balances: Vec<_> = agent
        .book
        .balances()
        .map(|row| format!("{} {} {}", row.0, row.1, row.2.normalize()))
        .collect();
    assert_eq!(balances, ["0000 GBP 100", "7890 EUR 765.5", "8841 INR 208456"]);
    let told = serde_json::to_string(&answer).unwrap().to_lowercase();
    for text in ["bäcker", "cinema", "salary", "chai", "summe"] {
        assert!(!told.contains(text), "{text} in {told}");
    }
}

#[test]
fn what_is_shown_is_what_is_read() {
    let found = recognise_csv(&windows(GIRO), true, None, Tz::Europe__Berlin).unwrap();
    assert_eq!(
        (found.encoding, found.header_line),
        (TextEncoding::Windows1252, 4)
    );
    assert_eq!(found.questions, []);
    assert_eq!(
        found.mapping.amount,
        AmountColumns::Signed("Betrag (EUR)".to_owned())
    );
    let rows: Vec<_> = found
        .rows
        .iter()
        .map(|row| {
            (
                row.line,
                row.day.as_str(),
                row.amount,
                row.direction,
                row.payee.as_str(),
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            (5, "2026-11-13", dec("1234.5"), Direction::Debit, "Kölner Café"),
            (6, "2026-11-12", dec("2000"), Direction::Credit, "Arbeit"),
        ]
    );
    assert_eq!(
        (found.skipped[0].line, found.skipped[0].code.as_str()),
        (7, "AGENT-106")
    );
    // The same shape from another month has the same name; other columns another.
    let next = GIRO.replace("13.11.2026", "14.12.2026");
    assert_eq!(recognised(&next).shape, found.shape);
    assert_ne!(recognised(TABS).shape, found.shape);
    let encodings = [TABS.as_bytes().to_vec(), utf16(TABS)]
        .map(|bytes| recognise_csv(&bytes, true, None, Tz::UTC).unwrap().encoding);
    assert_eq!(encodings, [TextEncoding::Utf8, TextEncoding::Utf16]);
}

/// Amounts above 0 alone say nothing; beside a balance they do.
#[test]
fn whether_money_went_out_is_told_by_balances_signs_and_words_or_asked() {
    let file = |rows: &[&str]| format!("Date,Description,Amount,Currency,Balance\n{}\n", rows.join("\n"));
    let signed = AmountColumns::Signed("Amount".to_owned());
    let charged = AmountColumns::Charged {
        charged: "Amount".to_owned(),
    };
    for (rows, amount, asked) in [
        // 100, then 12 more, then 8 more: the balance grows by what is above 0.
        (
            &["2026-11-13,a,12.00,EUR,112.00", "2026-11-14,b,8.00,EUR,120.00"][..],
            &signed,
            false,
        ),
        // 100, then 88, then 80: it shrinks.
        (
            &["2026-11-13,a,12.00,EUR,88.00", "2026-11-14,b,8.00,EUR,80.00"],
            &charged,
            false,
        ),
        // The newer row first: 80 came after 88.
        (
            &["2026-11-14,b,8.00,EUR,80.00", "2026-11-13,a,12.00,EUR,88.00"],
            &charged,
            false,
        ),
        (
            &["2026-11-13,a,-12.00,EUR,", "2026-11-14,b,-8.00,EUR,"],
            &signed,
            false,
        ),
        (
            &["2026-11-13,a,-12.00,EUR,", "2026-11-14,b,8.00,EUR,"],
            &signed,
            false,
        ),
        (
            &[
                "2026-11-13,a,12.00,EUR,",
                "2026-11-14,PAYMENT RECEIVED,-8.00,EUR,",
            ],
            &charged,
            false,
        ),
        (
            &[
                "2026-11-13,ACME SALARY,12.00,EUR,",
                "2026-11-14,x,9,EUR,",
                "2026-11-15,b,-8.00,EUR,",
            ],
            &signed,
            false,
        ),
        (
            &["2026-11-13,a,12.00,EUR,", "2026-11-14,b,8.00,EUR,"],
            &charged,
            true,
        ),
        (
            &[
                "2026-11-13,a,12.00,EUR,",
                "2026-11-14,x,9,EUR,",
                "2026-11-15,b,-8.00,EUR,",
            ],
            &signed,
            true,
        ),
    ] {
        let found = recognised(&file(rows));
        let question = CsvQuestion::MoneyOut {
            line: 2,
            amount: dec("12.00"),
            payee: "a".to_owned(),
        };
        assert_eq!(&found.mapping.amount, amount, "{rows:?}");
        assert_eq!(
            found.questions,
            if asked { vec![question] } else { vec![] },
            "{rows:?}"
        );
    }
}

#[test]
fn the_order_of_day_and_month_is_told_by_a_day_over_12_or_by_the_order_of_the_rows_or_asked() {
    let file = |dates: &[&str]| {
        let rows: Vec<String> = dates.iter().map(|date| format!("{date},shop,-1.00")).collect();
        format!("Date,Payee,Amount USD\n{}\n", rows.join("\n"))
    };
    for (dates, format, asked) in [
        (&["03/11/2026", "13/11/2026"][..], "%d/%m/%Y", false),
        (&["11/03/2026", "11/13/2026"], "%m/%d/%Y", false),
        // 3, 4 and 5 November; with the month first they would be in March, April and May, in order too.
        (&["03/11/2026", "04/11/2026", "05/11/2026"], "%d/%m/%Y", true),
        // 2 September, 3 August, 4 July: in no order but by the month first, where they are 9 February, 8 March, 7 April.
        (&["02/09/2026", "01/08/2026", "03/07/2026"], "%d/%m/%Y", false),
        (&["09/02/2026", "08/01/2026", "07/03/2026"], "%m/%d/%Y", false),
        (&["03/11/2026", "04/11/2026"], "%d/%m/%Y", true),
        (&["03.11.2026", "04.11.2026"], "%d.%m.%Y", false),
        (&["2026-11-03", "2026-11-04"], "%Y-%m-%d", false),
        (&["3-Nov-26", "4-Nov-26"], "%d-%b-%y", false),
        (
            &["2026-11-03T10:00:00Z", "2026-11-04T10:00:00Z"],
            "%Y-%m-%dT%H:%M:%SZ",
            false,
        ),
    ] {
        let found = recognised(&file(dates));
        assert_eq!(found.mapping.date_formats, [format], "{dates:?}");
        let question = CsvQuestion::DayFirst {
            text: dates[0].to_owned(),
            day_first: vec!["%d/%m/%Y".to_owned()],
            month_first: vec!["%m/%d/%Y".to_owned()],
        };
        assert_eq!(
            found.questions,
            if asked { vec![question] } else { vec![] },
            "{dates:?}"
        );
    }
}

#[test]
fn a_file_with_an_open_question_is_not_read_until_it_is_answered_and_then_each_of_its_shape() {
    let text = "Date,Payee,Amount\n03/11/2026,shop,1.00\n04/11/2026,baker,2.00\n";
    let (_folder, mut agent) = importing(&[("a.csv", text.as_bytes())], "");
    let answer = ingest(&mut agent, t(NOW));
    assert_eq!(skips(&answer), [("AGENT-120", "a.csv", Some(1))]);
    assert_eq!(lines(&agent), [""; 0]);
    // Told once a start: who shows it does not keep it.
    assert_eq!(skips(&ingest(&mut agent, t(NOW))), []);
    let state = agent.state();
    agent.restore(&state).unwrap();
    assert_eq!(
        skips(&ingest(&mut agent, t(NOW))),
        [("AGENT-120", "a.csv", Some(1))]
    );

    let found = recognised(text);
    assert_eq!(found.questions.len(), 3);
    let shown: Vec<_> = found
        .rows
        .iter()
        .map(|row| (row.amount, row.currency.as_str()))
        .collect();
    assert_eq!(shown, [(dec("1"), ""), (dec("2"), "")]);
    let all = CsvAnswers {
        money_out: Some(true),
        day_first: Some(true),
        currency: Some("GBP".to_owned()),
        account: Some("8841".to_owned()),
        name: Some("card".to_owned()),
    };
    let without: [fn(&mut CsvAnswers); 4] = [
        |answers| answers.money_out = None,
        |answers| answers.day_first = None,
        |answers| answers.currency = None,
        |answers| answers.currency = Some("pound".to_owned()),
    ];
    for (change, open) in without.into_iter().zip([1, 0, 2, 2]) {
        let mut answers = all.clone();
        change(&mut answers);
        assert_eq!(found.answered(&answers), Err(found.questions[open].clone()));
    }
    let kept = found.answered(&all).unwrap();
    let wishes = json!({ "accounts": [], "csv": [kept] }).to_string();
    let next = "Date,Payee,Amount\n05/11/2026,shop,4.00\n";
    let (_folder, mut agent) = importing(&[("a.csv", text.as_bytes()), ("b.csv", next.as_bytes())], &wishes);
    assert_eq!(ingest(&mut agent, t(NOW)).skips, []);
    assert_eq!(
        lines(&agent),
        [
            "2026-11-03 debit 1 GBP 8841 other",
            "2026-11-04 debit 2 GBP 8841 other",
            "2026-11-05 debit 4 GBP 8841 other",
        ]
    );
    // The other answers: 3 and 4 November become 11 March and 11 April, money that came in.
    let other = CsvAnswers {
        money_out: Some(false),
        day_first: Some(false),
        ..all
    };
    let rows =
        sources::csv_preview::preview_rows(text.as_bytes(), &found.answered(&other).unwrap(), Tz::UTC).0;
    let rows: Vec<_> = rows.iter().map(|row| (row.day.as_str(), row.direction)).collect();
    assert_eq!(
        rows,
        [
            ("2026-03-11", Direction::Credit),
            ("2026-04-11", Direction::Credit)
        ]
    );
}

#[test]
fn rows_below_another_header_or_with_other_columns_are_left_out_and_named() {
    let text = "Date,Payee,Debit EUR,Credit EUR\n\
        11/11/2026,shop,0.50,\n\
        12/11/2026,shop,0.75,\n\
        13/11/2026,shop,1.00,\n\
        14/11/2026,baker, and son,,2.00\n\
        Date,Payee,Debit EUR,Credit EUR\n\
        15/11/2026,inn,3.00,\n\
        Date,Payee,Credit,Debit\n\
        16/11/2026,work,4.00,\n\
        17/11/2026,shop,,5.00\n\
        Date,Payee,Credit EUR,Debit EUR\n\
        18/11/2026,work,6.00,\n\
        19/11/2026,shop\n";
    let (_folder, mut agent) = importing(&[("a.csv", text.as_bytes())], "");
    let answer = ingest(&mut agent, t(NOW));
    assert_eq!(
        lines(&agent),
        [
            "2026-11-11 debit 0.5 EUR 0000 other",
            "2026-11-12 debit 0.75 EUR 0000 other",
            "2026-11-13 debit 1 EUR 0000 other",
            "2026-11-15 debit 3 EUR 0000 other",
            // The same names in another order are found again.
            "2026-11-18 credit 6 EUR 0000 other",
        ]
    );
    let expected = [5, 8, 9, 10, 13].map(|line| ("AGENT-119", "a.csv", Some(line)));
    assert_eq!(skips(&answer), expected);
}

#[test]
fn the_account_is_a_number_above_the_header_and_no_year() {
    for (above, account) in [
        ("Account No : 0000123499", "3499"),
        ("Konto,DE02 1234 0000 7890", "7890"),
        ("DE02120300000000202051", "2051"),
        (
            "Transactions for account Sam's savings as of 05/03/2026 02:21:05 PM",
            "0000",
        ),
        ("Statement of November 2026", "0000"),
    ] {
        let text = format!("{above}\nDate,Payee,Debit EUR,Credit EUR\n13/11/2026,shop,1.00,\n");
        let expected = agents_base::contract::FixedOrColumn::Always(account.to_owned());
        assert_eq!(recognised(&text).mapping.account, expected, "{above}");
    }
}

#[test]
fn balances_that_do_not_add_up_are_named_and_not_used() {
    let text = "Date,Payee,Debit EUR,Credit EUR,Balance\n\
        13/11/2026,shop,1.00,,99.00\n14/11/2026,inn,2.00,,50.00\n15/11/2026,inn,3.00,,20.00\n";
    let (_folder, mut agent) = importing(&[("a.csv", text.as_bytes())], "");
    let answer = ingest(&mut agent, t(NOW));
    assert_eq!(skips(&answer), [("AGENT-122", "a.csv", None)]);
    assert_eq!((lines(&agent).len(), agent.book.balances().count()), (3, 0));
}

#[test]
fn what_is_no_statement_is_not_taken_for_one() {
    for text in [
        "",
        "\n\n\n",
        "Alpha,Beta\n1,2\n",
        "at,rmssd_ms\n2026-11-03T07:00:00Z,42.0\n",
        "First name,Last name,Phone\nKim,Lee,+49 30 1234567\n",
        "Date,Payee,Amount\n",
        "Date,Steps,Distance\n2026-11-03,9000,6.20\n2026-11-04,8000,5.10\n",
        // Without a header: no text, no date, two readings of two columns of money, one row alone, rows of different lengths.
        "2026-11-03,9000,6.20\n2026-11-04,8000,5.10\n",
        "shop,-1.00,a\ninn,-2.00,b\n",
        "13/11/2026,shop,1.00,5.00\n14/11/2026,inn,2.00,9.00\n",
        "2026-11-03,shop,-1.00\n",
        "2026-11-03,shop,-1.00\n2026-11-04,inn,x,-2.00\n2026-11-05,inn,y,-2.00\n",
    ] {
        let found = recognise_csv(text.as_bytes(), true, Some("EUR"), Tz::UTC);
        assert!(found.is_none(), "{text:?}: {found:?}");
    }
}

#[test]
fn a_statement_without_a_header_is_recognised_by_its_cells() {
    let signed = |column: &str| AmountColumns::Signed(column.to_owned());
    let apart = |debit: &str, credit: &str| AmountColumns::Apart {
        debit: debit.to_owned(),
        credit: credit.to_owned(),
    };
    let asked = |line, amount, payee: &str| CsvQuestion::MoneyOut {
        line,
        amount: dec(amount),
        payee: payee.to_owned(),
    };
    for (text, amount, balance, questions) in [
        (
            "2026-11-03,shop,-1.00\n2026-11-04,shop,-2.00\n",
            signed("#3"),
            None,
            vec![],
        ),
        // 87.50 + 100.00 is 187.50, and - 7.50 is 180.00: the fourth column is the balance.
        (
            "13.11.2026;Caf\u{e9} Mitte;-12,50;87,50\n14.11.2026;Lohn;100,00;187,50\n15.11.2026;Bahn;-7,50;180,00\n",
            signed("#3"),
            Some("#4"),
            vec![],
        ),
        // The balance stands before the amount.
        (
            "2026-11-13,99.00,shop,-1.00\n2026-11-14,97.00,inn,-2.00\n",
            signed("#4"),
            Some("#2"),
            vec![],
        ),
        (
            "13/11/2026,shop,1.00\n14/11/2026,inn,2.50\n",
            AmountColumns::Charged {
                charged: "#3".to_owned(),
            },
            None,
            vec![asked(1, "1.00", "shop")],
        ),
        // Two columns that exclude each other: which is which is asked.
        (
            "13/11/2026,shop,1.00,\n14/11/2026,work,,2000.00\n",
            apart("#3", "#4"),
            None,
            vec![asked(1, "1.00", "shop")],
        ),
        // 2100 - 50 is 2050, - 25 is 2025: the fourth is what went out.
        (
            "13/11/2026,work,2000.00,,2100.00\n14/11/2026,shop,,50.00,2050.00\n15/11/2026,inn,,25.00,2025.00\n",
            apart("#4", "#3"),
            Some("#5"),
            vec![],
        ),
        (
            "20261113;Bakker;Af;4,95\n20261112;Werk;Bij;1500,00\n",
            AmountColumns::Said {
                column: "#4".to_owned(),
                way: "#3".to_owned(),
                debit: "Af".to_owned(),
                credit: Some("Bij".to_owned()),
            },
            None,
            vec![],
        ),
    ] {
        let found = recognise_csv(text.as_bytes(), true, Some("EUR"), Tz::UTC);
        let found = found.unwrap_or_else(|| panic!("{text:?}"));
        let mapping = &found.mapping;
        assert_eq!((found.header_line, mapping.without_header), (0, true), "{text:?}");
        assert_eq!(
            (&mapping.amount, mapping.balance.as_deref(), &found.questions),
            (&amount, balance, &questions),
            "{text:?}"
        );
        assert_eq!(found.rows.len(), text.lines().count(), "{text:?}");
    }
}

#[test]
fn the_answer_for_a_file_without_a_header_is_kept_and_read_from_its_first_row() {
    let text = "13/11/2026,shop,1.00,\n14/11/2026,work,,2000.00\n15/11/2026,inn,2.00,\n";
    let (_folder, mut agent) = importing(&[("a.csv", text.as_bytes())], "");
    assert_eq!(
        skips(&ingest(&mut agent, t(NOW))),
        [("AGENT-120", "a.csv", Some(1))]
    );
    let found = recognised(text);
    let answers = CsvAnswers {
        money_out: Some(true),
        currency: Some("EUR".to_owned()),
        ..CsvAnswers::default()
    };
    let kept = found.answered(&answers).unwrap();
    assert_eq!(kept.header, ["#4"]);
    let other = CsvAnswers {
        money_out: Some(false),
        ..answers
    };
    assert_eq!(
        found.answered(&other).unwrap().amount,
        AmountColumns::Apart {
            debit: "#4".to_owned(),
            credit: "#3".to_owned()
        }
    );
    let wishes = json!({ "accounts": [], "csv": [kept] }).to_string();
    // One of the same shape is read; of other columns, and with a header, it is not taken for one.
    let next = "16/11/2026,tram,3.00,\n17/11/2026,tram,4.00,,note\n";
    let five = "16/11/2026,tram,ride,1.00,\n17/11/2026,tram,ride,2.00,\n";
    let headed = "Date,Payee,Debit EUR,Credit EUR\n18/11/2026,kiosk,5.00,\n";
    let files = [
        ("a.csv", text),
        ("b.csv", next),
        ("c.csv", five),
        ("d.csv", headed),
    ];
    let files = files.map(|(name, text)| (name, text.as_bytes()));
    let (_folder, mut agent) = importing(&files, &wishes);
    let answer = ingest(&mut agent, t(NOW));
    assert_eq!(
        lines(&agent),
        [
            "2026-11-13 debit 1 EUR 0000 other",
            "2026-11-14 credit 2000 EUR 0000 other",
            "2026-11-15 debit 2 EUR 0000 other",
            "2026-11-16 debit 3 EUR 0000 other",
            "2026-11-18 debit 5 EUR 0000 other",
        ]
    );
    assert_eq!(
        skips(&answer),
        [("AGENT-119", "b.csv", Some(2)), ("AGENT-120", "c.csv", Some(1))]
    );
}

#[test]
fn a_file_whose_columns_change_half_way_is_refused_from_that_row() {
    for (name, header, rows, kept, refused) in [
        (
            "amount and balance change places",
            "Date,Payee,Amount EUR,Balance",
            &[
                "11/11/2026,a,-1.00,99.00",
                "12/11/2026,b,-2.00,97.00",
                "13/11/2026,c,-3.00,94.00",
                "14/11/2026,d,-4.00,90.00",
                "15/11/2026,e,85.00,-5.00",
                "16/11/2026,f,79.00,-6.00",
            ][..],
            4,
            &[6, 7][..],
        ),
        (
            "a column goes",
            "Date,Amount EUR,Payee,Balance",
            &[
                "11/11/2026,-1.00,a,",
                "12/11/2026,-2.00,b,",
                "13/11/2026,-3.00,c,",
                "14/11/2026,-4.00",
                "15/11/2026,-5.00",
            ],
            3,
            &[5, 6],
        ),
        (
            "a column comes",
            "Date,Payee,Amount EUR",
            &[
                "13/11/2026,a,-1.00",
                "14/11/2026,b,-2.00",
                "15/11/2026,c,x,-3.00",
                "16/11/2026,d,y,-4.00",
            ],
            2,
            &[4, 5],
        ),
        // An export that leaves out what is empty at the end of a row is read whole.
        (
            "ragged from the begin",
            "Date,Amount EUR,Payee,Reference",
            &[
                "11/11/2026,-1.00,a",
                "12/11/2026,-2.00,b,r2",
                "13/11/2026,-3.00",
                "14/11/2026,-4.00,d,r4",
            ],
            4,
            &[],
        ),
    ] {
        let text = format!("{header}\n{}\n", rows.join("\n"));
        let (_folder, mut agent) = importing(&[("a.csv", text.as_bytes())], "");
        let answer = ingest(&mut agent, t(NOW));
        assert_eq!(lines(&agent).len(), kept, "{name}");
        let expected: Vec<_> = refused
            .iter()
            .map(|line| ("AGENT-119", "a.csv", Some(*line)))
            .collect();
        assert_eq!(skips(&answer), expected, "{name}");
    }
}

#[test]
fn while_the_order_of_day_and_month_is_asked_both_days_are_shown() {
    let found = recognised("Date,Payee,Amount USD\n03/11/2026,shop,-1.00\n04/04/2026,inn,-2.00\n");
    assert_eq!(found.questions.len(), 1);
    let days: Vec<_> = found
        .rows
        .iter()
        .map(|row| (row.day.as_str(), row.other_day.as_deref()))
        .collect();
    assert_eq!(days, [("2026-11-03", Some("2026-03-11")), ("2026-04-04", None)]);
}
