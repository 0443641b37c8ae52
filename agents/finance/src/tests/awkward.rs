//! Awkward files: what has one reading is read, the rest is named. All invented; sums are worked out by hand.

use super::{
    statements::{importing, lines, skips},
    *,
};

/// One column of amounts with a point, one with a comma; two columns; a column that says which way.
const MAPPINGS: &str = r#"{ "csv": [
    { "name": "point", "date": "Date", "date_formats": ["%Y-%m-%d"], "amount": "Point", "payee": ["Text"],
      "currency": "USD", "account": "1111" },
    { "name": "comma", "delimiter": ";", "decimal": ",", "date": "Date", "date_formats": ["%Y-%m-%d"], "amount": "Komma",
      "payee": ["Text"], "currency": { "column": "Cur" }, "account": "2222" },
    { "name": "apart", "date": "Date", "date_formats": ["%Y-%m-%d"], "amount": { "debit": "Out", "credit": "In" },
      "payee": ["Text"], "currency": "INR", "account": "3333" },
    { "name": "said", "date": "Date", "date_formats": ["%Y-%m-%d"],
      "amount": { "column": "Sum", "way": "Way", "debit": "DR" }, "payee": ["Text"], "currency": "INR",
      "account": "4444" } ] }"#;

/// The lines of a file that could not be read, all with one code.
fn named(answer: &IngestResult, code: &str) -> Vec<u64> {
    let skips = skips(answer).into_iter();
    skips
        .map(|(found, _, line)| {
            assert_eq!(found, code);
            line.unwrap()
        })
        .collect()
}

#[test]
fn a_csv_with_a_point_is_never_a_hundred_times_too_large() {
    let csv = "Date,Text,Point\n\
        2026-11-02,a,-3.50\n\
        2026-11-03,b,\"-3,50\"\n\
        2026-11-04,c,1e3\n\
        2026-11-05,d,\"1,5000\"\n\
        2026-11-06,e,\"12,34,56\"\n\
        2026-11-07,f,\"-12,34,567.00\"\n\
        2026-11-08,g,3.50-CR\n\
        2026-11-09,h,(7.25)\n\
        2026-11-10,i,1.234\n\
        2026-11-11,j,\"-$1,234.50\"\n\
        2026-11-12,k,-5.00 EUR\n\
        2026-11-13,l,-5.00 USD\n\
        2026-11-14,m,3.50 Dr\n\
        2026-11-15,n,0.00\n";
    let (_folder, mut agent) = importing(&[("a.csv", csv.as_bytes())], MAPPINGS);
    let answer = ingest(&mut agent, t(NOW));
    assert_eq!(
        lines(&agent),
        [
            "2026-11-02 debit 3.5 USD 1111 other",
            "2026-11-07 debit 1234567 USD 1111 other",
            "2026-11-09 debit 7.25 USD 1111 other",
            "2026-11-11 debit 1234.5 USD 1111 other",
            "2026-11-13 debit 5 USD 1111 other",
            "2026-11-14 debit 3.5 USD 1111 other",
        ]
    );
    assert_eq!(named(&answer, "AGENT-103"), [3, 4, 5, 6, 8, 10, 12, 15]);
    assert_eq!((answer.read, answer.skipped), (6, 8));
}

#[test]
fn a_csv_with_a_comma_is_never_a_hundred_times_too_large() {
    let csv = "Date;Text;Komma;Cur\n\
        2026-11-02;a;-3,50;EUR\n\
        2026-11-03;b;-3.50;EUR\n\
        2026-11-04;c;1.234,50-;EUR\n\
        2026-11-05;d;1,234;EUR\n\
        2026-11-06;e;-1,234;KWD\n\
        2026-11-07;f;-1.234;EUR\n\
        2026-11-08;g;-66,00;GLD\n\
        2026-11-09;h;-66,00;XAU\n";
    let (_folder, mut agent) = importing(&[("a.csv", csv.as_bytes())], MAPPINGS);
    let answer = ingest(&mut agent, t(NOW));
    assert_eq!(
        lines(&agent),
        [
            "2026-11-02 debit 3.5 EUR 2222 other",
            "2026-11-04 debit 1234.5 EUR 2222 other",
            "2026-11-06 debit 1.234 KWD 2222 other",
            "2026-11-07 debit 1234 EUR 2222 other",
        ]
    );
    assert_eq!(
        skips(&answer),
        [
            ("AGENT-103", "a.csv", Some(3)),
            ("AGENT-103", "a.csv", Some(5)),
            // A ticker and a metal are no currencies.
            ("AGENT-106", "a.csv", Some(8)),
            ("AGENT-106", "a.csv", Some(9)),
        ]
    );
}

#[test]
fn cells_that_contradict_each_other_are_named() {
    let apart = "Date,Text,Out,In\n\
        2026-11-02,a,5.00,\n\
        2026-11-03,b,,6.00\n\
        2026-11-04,c,7.00,0.00\n\
        2026-11-05,d,-8.00,-\n\
        2026-11-06,e,,-9.00\n\
        2026-11-07,f,n/a,10.00\n\
        2026-11-08,g,1.00,2.00\n\
        2026-11-09,h,,\n";
    let said = "Date,Text,Sum,Way\n\
        2026-11-10,a,5.00,DR\n\
        2026-11-11,b,6.00,CR\n\
        2026-11-12,c,-7.00,DR\n\
        2026-11-13,d,-8.00,CR\n\
        2026-11-14,e,9.00,\n";
    let files = [("a.csv", apart.as_bytes()), ("b.csv", said.as_bytes())];
    let (_folder, mut agent) = importing(&files, MAPPINGS);
    let answer = ingest(&mut agent, t(NOW));
    assert_eq!(
        lines(&agent),
        [
            "2026-11-02 debit 5 INR 3333 other",
            "2026-11-03 credit 6 INR 3333 other",
            "2026-11-04 debit 7 INR 3333 other",
            "2026-11-05 debit 8 INR 3333 other",
            "2026-11-10 debit 5 INR 4444 other",
            "2026-11-11 credit 6 INR 4444 other",
            "2026-11-12 debit 7 INR 4444 other",
        ]
    );
    assert_eq!(named(&answer, "AGENT-103"), [6, 7, 8, 9, 5, 6]);
}

/// A brokerage account between two of a bank: each has its own number and currency.
const INVESTMENTS: &str = "<OFX>
<BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>INR<BANKACCTFROM><ACCTID>0011</BANKACCTFROM><BANKTRANLIST>
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20261102<TRNAMT>-1.00<FITID>A1<NAME>CHAI</STMTTRN>
</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1>
<INVSTMTMSGSRSV1><INVSTMTTRNRS><INVSTMTRS><DTASOF>20261118<CURDEF>USD
<INVACCTFROM><BROKERID>example.org<ACCTID>Z-777123</INVACCTFROM>
<INVTRANLIST><DTSTART>20261101<DTEND>20261118
<BUYSTOCK><INVBUY><INVTRAN><FITID>T1<DTTRADE>20261103</INVTRAN><UNITS>6<UNITPRICE>83.00<TOTAL>-498.00<CURRENCY><CURSYM>USD</CURRENCY></INVBUY></BUYSTOCK>
<INCOME><INVTRAN><FITID>T2<DTTRADE>20261104</INVTRAN><TOTAL>12.00</INCOME>
<INVBANKTRAN><STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20261105<TRNAMT>-40.00<FITID>C1<NAME>DEBIT CARD CAFE</STMTTRN><SUBACCTFUND>CASH</INVBANKTRAN>
<INVBANKTRAN><STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20261106<TRNAMT>1.234<FITID>C2<NAME>INTEREST</STMTTRN><SUBACCTFUND>CASH</INVBANKTRAN>
</INVTRANLIST></INVSTMTRS></INVSTMTTRNRS></INVSTMTMSGSRSV1>
<BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>KWD<BANKACCTFROM><ACCTID>0022</BANKACCTFROM><BANKTRANLIST>
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20261107<TRNAMT>-1.234<FITID>B1<NAME>SOUK</STMTTRN>
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20261108<TRNAMT>-1,234,56<FITID>B2<NAME>SOUK</STMTTRN>
</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>
";

#[test]
fn the_cash_of_an_investment_account_is_its_own_and_its_trades_are_named() {
    let (_folder, mut agent) = importing(&[("all.ofx", INVESTMENTS.as_bytes())], "");
    let answer = ingest(&mut agent, t(NOW));
    assert_eq!(
        lines(&agent),
        [
            "2026-11-02 debit 1 INR 0011 other",
            "2026-11-05 debit 40 USD 7123 food_delivery",
            "2026-11-07 debit 1.234 KWD 0022 other",
        ]
    );
    assert_eq!(
        skips(&answer),
        [
            ("AGENT-113", "all.ofx", Some(8)),
            ("AGENT-113", "all.ofx", Some(9)),
            ("AGENT-103", "all.ofx", Some(11)),
            ("AGENT-103", "all.ofx", Some(15)),
        ]
    );
}

#[test]
fn hours_and_shares_in_an_entry_do_not_cost_its_money() {
    let journal = r#"2026-11-06 * "Hoolie" "Payroll"
  Assets:Bank:Checking-8841     1350.60 USD
  Assets:Broker:Cash            1200.00 USD
  Income:Salary                -3000.00 USD
  Expenses:Taxes                 449.40 USD
  Assets:Pretax               -1200.00 IRAUSD
  Expenses:Taxes:Pretax        1200.00 IRAUSD
  Assets:Vacation                   5 VACHR
  Income:Vacation                  -5 VACHR

2026-11-09 * "Bought gold"
  Assets:Broker:GLD                 6 GLD {83.00 USD}
  Assets:Broker:Cash          -506.95 USD
  Expenses:Commissions           8.95 USD

2026-11-10 * "Sold gold"
  Assets:Broker:GLD                -6 GLD {83.00 USD} @ 90.00 USD
  Assets:Broker:Cash           540.00 USD
  Income:Gains                 -42.00 USD

2026-11-11 * "Gave gold"
  Assets:Broker:GLD               -66 GLD
  Expenses:Gifts                   66 GLD

2026-11-12 * "A day off"
  Assets:Vacation                  -8 VACHR
  Expenses:Vacation                 8 VACHR
"#;
    let (_folder, mut agent) = importing(&[("mine.beancount", journal.as_bytes())], "");
    let answer = ingest(&mut agent, t(NOW));
    assert_eq!(
        lines(&agent),
        [
            "2026-11-06 credit 1200 USD 0000 other",
            "2026-11-06 credit 1350.6 USD 8841 other",
            // What was bought is still there: only the fee was spent, and only the gain came in.
            "2026-11-09 debit 8.95 USD 0000 other",
            "2026-11-10 credit 42 USD 0000 other",
        ]
    );
    assert_eq!(named(&answer, "AGENT-109"), [21, 25]);
}

#[test]
fn a_journal_in_another_language_says_what_its_accounts_are() {
    let journal = "account Aktiva               ; type:A
account Aufwand              ; Ausgaben, type: X
account Ertrag
    ; type:R
alias giro = Aktiva:Giro 8841
alias /^kk:(.+)$/ = Aktiva:Karte \\1

2026-11-02 Markt
    Aufwand:Essen          EUR 5.00
    giro

2026-11-03 Lohn
    giro                EUR 2000.00
    Ertrag:Lohn

2026-11-04 Kino
    Aufwand:Freizeit      EUR 12.00
    kk:5530

apply account Ausland
2026-11-05 Hotel
    expenses:travel       EUR 90.00
    assets:cash
end apply account
end aliases

2026-11-06 Markt
    Aufwand:Essen          EUR 6.00
    giro

2026-11-07 Umbuchung
    Aktiva:Bar            EUR 50.00
    Aktiva:Giro 8841

alias broken
alias /(/ = x
2026-11-08 Unausgeglichen
    Aufwand:Essen          EUR 6.00
    Aktiva:Bar            EUR -7.00
";
    let (_folder, mut agent) = importing(&[("main.journal", journal.as_bytes())], "");
    let answer = ingest(&mut agent, t(NOW));
    assert_eq!(
        lines(&agent),
        [
            "2026-11-02 debit 5 EUR 8841 other",
            "2026-11-03 credit 2000 EUR 8841 other",
            "2026-11-04 debit 12 EUR 5530 entertainment",
        ]
    );
    assert_eq!(
        skips(&answer),
        [
            // Below "Ausland", and without its alias: nothing says what these accounts are.
            ("AGENT-112", "main.journal", Some(21)),
            ("AGENT-112", "main.journal", Some(27)),
            ("AGENT-114", "main.journal", Some(35)),
            ("AGENT-114", "main.journal", Some(36)),
            ("AGENT-109", "main.journal", Some(37)),
        ]
    );

    let journal = r#"option "name_assets" "Vermoegen"
option "name_liabilities" "Schulden"
option "name_expenses" "Ausgaben"
option "name_income" "Einnahmen"
option "name_equity" "Eigenkapital"
2026-11-02 * "Markt"
  Ausgaben:Essen           5.00 EUR
  Vermoegen:Giro-8841
2026-11-03 * "Lohn"
  Vermoegen:Giro-8841   2000.00 EUR
  Einnahmen:Lohn
2026-11-04 * "Anfang"
  Vermoegen:Giro-8841    100.00 EUR
  Eigenkapital:Anfang
2026-11-05 * "Fremd"
  Sonstiges:Essen          7.00 EUR
  Vermoegen:Giro-8841
"#;
    let (_folder, mut agent) = importing(&[("mine.beancount", journal.as_bytes())], "");
    let answer = ingest(&mut agent, t(NOW));
    assert_eq!(
        lines(&agent),
        [
            "2026-11-02 debit 5 EUR 8841 other",
            "2026-11-03 credit 2000 EUR 8841 other",
        ]
    );
    assert_eq!(skips(&answer), [("AGENT-112", "mine.beancount", Some(15))]);
}

#[test]
fn what_an_included_journal_says_of_names_ends_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let entry = |day: &str| format!("{day} Shop\n    expenses:groceries  1,000 INR\n    giro\n");
    write(
        "main.journal",
        &format!(
            "include accounts.journal\n{}alias giro = assets:giro 8841\ninclude years.journal\n{}",
            entry("2026-11-02"),
            entry("2026-11-04")
        ),
    );
    write(
        "accounts.journal",
        "commodity 1,000.00 INR\nalias giro = assets:giro 9999\n",
    );
    write(
        "years.journal",
        &format!("alias giro = assets:giro 7777\n{}", entry("2026-11-03")),
    );
    let named = agents_base::contract::SourcePaths {
        finance: vec![folder.path().join("main.journal")],
        ..agents_base::contract::SourcePaths::default()
    };
    let mut agent = statements::with_sources(named, "");
    let answer = ingest(&mut agent, t(NOW));
    assert_eq!(
        lines(&agent),
        [
            "2026-11-03 debit 1000 INR 7777 groceries",
            "2026-11-04 debit 1000 INR 8841 groceries",
        ]
    );
    assert_eq!(skips(&answer), [("AGENT-112", "main.journal", Some(2))]);
}

#[test]
fn only_a_banks_own_header_books_a_payment() {
    let body = "Sent Rs.10.00 from A/C *8841 To dev@ybl On 03-11-26";
    for (from, booked) in [
        ("VK-HDFCBK", true),
        ("VK-HDFCBK-S", true),
        ("VK-HDFCBK-T", true),
        ("VK-HDFCBK-P", false),
        ("Bob", false),
        ("Mrs Axis", false),
        ("industries", false),
        ("Kotaku News", false),
        ("XX-BOBCAT", false),
    ] {
        let payload = json!({ "from": from, "body": body });
        let mut agent = FinanceAgent::new(setup());
        agent.accept(vec![signal("s1", t(NOW), "bank_sms", &payload)]);
        let answer = ingest(&mut agent, t(NOW));
        assert_eq!(
            (lines(&agent).len(), answer.skipped),
            if booked { (1, 0) } else { (0, 1) },
            "{from}"
        );
    }
}

#[test]
fn what_is_older_than_what_is_kept_is_counted_by_file() {
    let csv = "Date,Text,Point\n2026-11-02,a,-1.00\n2025-11-02,b,-2.00\n2024-11-02,c,-3.00\n";
    let journal = "2020-01-01 * \"d\"\n  Expenses:Food  1 INR\n  Assets:Cash\n";
    let files = [("a.csv", csv.as_bytes()), ("b.beancount", journal.as_bytes())];
    let (_folder, mut agent) = importing(&files, MAPPINGS);
    let old = "2026-01-02T13:31:00+05:30";
    agent.accept(vec![sms(
        "s1",
        old,
        "Rs.5.00 debited from A/c X2207 on 02-01-26 to dev",
    )]);
    let answer = ingest(&mut agent, t(NOW));
    assert_eq!(
        skips(&answer),
        [
            ("AGENT-115", "s1", None),
            ("AGENT-115", "a.csv", None),
            ("AGENT-115", "b.beancount", None),
        ]
    );
    assert_eq!((answer.read, answer.skipped), (1, 4));
}
