//! Statements of MT940 as banks write them; all invented. What is expected is worked out from the format by hand.

use super::{
    statements::{importing, lines, skips, with_sources},
    *,
};
use agents_base::contract::SourcePaths;

/// The entries begin on line 6.
fn mt940(entries: &str) -> String {
    format!(
        "{{1:F01EXAMPLEXXXX0000000000}}{{2:O9400600261118EXAMPLEXXXX00000000002611180600N}}{{4:\r\n:20:STARTUMS\r\n:25:12345678/0000008841\r\n\
         :28C:00007/001\r\n:60F:C261101EUR1,00\r\n{entries}:62F:C261118EUR1200,50\r\n:64:C261118EUR9200,50\r\n:86:not of an entry\r\n-}}\r\n"
    )
}

/// The names of those that were paid, oldest first.
fn payees(agent: &FinanceAgent) -> Vec<String> {
    let mut txns: Vec<_> = agent.book.iter().map(|(_, txn)| txn).collect();
    txns.sort_by_key(|txn| (txn.ts, txn.amount));
    let names = txns.into_iter().map(|txn| agent.heard.name(&txn.merchant));
    names
        .map(|name| name.unwrap_or_default().to_lowercase())
        .collect()
}

fn read(name: &str, text: &str) -> (FinanceAgent, IngestResult) {
    let (_folder, mut agent) = importing(&[(name, text.as_bytes())], "");
    let answer = ingest(&mut agent, t(NOW));
    (agent, answer)
}

#[test]
fn entries_with_their_texts_are_read_and_the_closing_balance() {
    let text = mt940(
        ":61:2611031103DR320,NDDTNONREF//B1\r\n:86:105?00FOLGELASTSCHRIFT?109248?20EREF+431299100200?21MREF+M1?22CRED+DE98ZZZ09999999999?23SVWZ\r\n+Order 4?30EXAMPLEXXX?31DE02000000000000000000?32Swiggy\r\n\
         :61:2611041104D45,50NDDTNONREF\r\n:86:105?00LASTSCHRIFT?20SVWZ+Film?21ABWE+Netflix.com?32Collecting Company of a ver?33y long name\r\n\
         :61:2611051105C2000,NTRFNONREF\r\n/OCMT/EUR2000,/\r\n:86:166?00GUTSCHRIFT?20SVWZ+Lohn November?32Acme W\r\norks\r\n\
         :61:2611061106D9,9NMSCNONREF\r\n:86:DMART 12\r\nsecond line\r\n\
         :61:261107D4,20NTRFNONREF\r\n:86:/TRTP/SEPA OVERBOEKING/IBAN/NL00/BIC/X/NAME/Corner Bakery/REMI/bread/EREF/NOTPROVIDED\r\n\
         :61:2611081108RDR45,50NRTINONREF\r\n:86:109?00RETOURE?20SVWZ+Film?32Netflix.com\r\n\
         :61:2611091109D5,90NCHGNONREF\r\n:86:808?00ENTGELT\r\n\
         :61:2611101110RC7,NRTINONREF\r\n\
         :61:2611111111ED70,NTRFNONREF\r\n",
    );
    let expected = [
        "2026-11-03 debit 320 EUR 8841 food_delivery",
        "2026-11-04 debit 45.5 EUR 8841 subscriptions",
        "2026-11-05 credit 2000 EUR 8841 other",
        "2026-11-06 debit 9.9 EUR 8841 groceries",
        "2026-11-07 debit 4.2 EUR 8841 food_delivery",
        "2026-11-08 refund 45.5 EUR 8841 subscriptions",
        "2026-11-09 fee 5.9 EUR 8841 other",
        // A credit that was taken back went out.
        "2026-11-10 debit 7 EUR 8841 other",
    ];
    for (name, text) in [
        ("a.sta", text.clone()),
        ("a.940", text.replace("\r\n", "\n")),
        ("a.MT940", text.replace("\r\n", "\r")),
    ] {
        let (agent, answer) = read(name, &text);
        assert_eq!(lines(&agent), expected, "{name}");
        let names = [
            "swiggy",
            "netflix",
            "acme works",
            "dmart",
            "corner bakery",
            "netflix",
            "entgelt",
            "",
        ];
        assert_eq!(payees(&agent), names);
        // The eight entries before it have nineteen lines.
        assert_eq!(skips(&answer), [("AGENT-121", name, Some(25))]);
        let balances: Vec<_> = agent.book.balances().map(|row| (row.0, row.1, row.2)).collect();
        assert_eq!(balances, [("8841".to_owned(), "EUR".to_owned(), dec("1200.50"))]);
    }
}

#[test]
fn what_the_network_added_behind_the_text_is_no_part_of_a_balance() {
    let text = mt940(":61:2611061106D9,9NMSCNONREF\r\n:86:DMART 12\r\n")
        .replace(":64:C261118EUR9200,50\r\n:86:not of an entry\r\n", "");
    for end in ["-}{5:{CHK:0123456789AB}}\r\n", "-}\u{3}\r\n", "-\u{3}", "-"] {
        let (agent, answer) = read("a.sta", &text.replace("-}\r\n", end));
        assert_eq!(answer.skips, [], "{end:?}");
        let balances: Vec<_> = agent.book.balances().map(|row| row.2).collect();
        assert_eq!(balances, [dec("1200.50")], "{end:?}");
    }
}

#[test]
fn names_are_found_behind_other_signs_and_over_the_end_of_a_line() {
    let wrapped = "/TRTP/SEPA OVERBOEKING/IBAN/NL00XXXX0000000000/BIC/XXX/NAME/J Jan";
    assert_eq!(wrapped.len(), 65);
    let text = mt940(&format!(
        ":61:2611061106D1,NMSCNONREF\r\n:86:000^20CV 1^32Dante Shop\r\n:61:2611071106D2,NMSCNONREF\r\n:86: 020>00Card>20Rent>32Owner Ltd\r\n\
         :61:2611081106D3,NMSCNONREF\r\n:86:BETALING/NAAM: Picq/OMSCHRIJVING: x\r\n:61:2611091106D4,NMSCNONREF\r\n:86:{wrapped}\r\nsen/REMI/x\r\n"
    ));
    let (agent, _) = read("a.sta", &text);
    assert_eq!(payees(&agent), ["dante shop", "owner ltd", "picq", "j jansen"]);
}

#[test]
fn a_card_at_a_till_and_a_text_of_the_entry_name_who_was_paid() {
    let text = mt940(
        ":61:2611061106D1,NMSCNONREF\r\n:86:BEA   NR:A1B2C3   06.11.26/13.05\r\nCORNER BAKERY 12,PAS123\r\nUTRECHT\r\n\
         :61:2611071107D2,NMSCNONREF\r\n:86:BEA   NR:A1B2C3   07.11.26/13.05 DANTE SHOP,PAS123 UTRECHT\r\n\
         :61:2611081108D3,NMSCNONREF\r\n:86:BEA, Betaalpas                   PICQ BOOKS,PAS123\r\nNR:A1B2C3, 08.11.26/13:05      UTRECHT\r\n\
         :61:2611091109D4,NMSCNONREF\r\n:86:SEPA OVERBOEKING                 IBAN: NL00XXXX0000000000        BIC: XXXXNL2A                  \r\n\
         NAAM: J JANSEN                   OMSCHRIJVING: rent\r\n\
         :61:2611101110D5,NTRFNONREF\r\nSome Garage\r\n\
         :61:2611111111D6,NTRFNONREF\r\n/OCMT/EUR6,/\r\n\
         :61:2611121112D7,NTRFNONREF\r\nSome Garage\r\n:86:Other Shop\r\n",
    );
    let (agent, answer) = read("a.sta", &text);
    assert_eq!(answer.skips, []);
    assert_eq!(
        payees(&agent),
        [
            "corner bakery 12",
            "dante shop",
            "picq books",
            "j jansen",
            "some garage",
            "",
            "other shop"
        ]
    );
}

#[test]
fn a_file_that_the_owner_named_is_known_by_what_is_in_it() {
    let text = mt940(":61:2611061106D9,9NMSCNONREF\r\n:86:DMART 12\r\n");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("statement.txt");
    std::fs::write(&file, text).unwrap();
    let sources = SourcePaths {
        finance: vec![file],
        ..SourcePaths::default()
    };
    let mut agent = with_sources(sources, "");
    let answer = ingest(&mut agent, t(NOW));
    assert_eq!(skips(&answer), []);
    assert_eq!(lines(&agent), ["2026-11-06 debit 9.9 EUR 8841 groceries"]);
}

#[test]
fn a_booking_of_january_may_have_its_value_in_december() {
    let text = mt940(":61:2512310102D1,NTRFNONREF\r\n:61:2601021231D2,NTRFNONREF\r\n");
    let (_folder, mut agent) = importing(&[("a.sta", text.as_bytes())], "");
    ingest(&mut agent, t("2026-01-10T12:00:00+05:30"));
    assert_eq!(
        lines(&agent),
        [
            "2025-12-31 debit 2 EUR 8841 other",
            "2026-01-02 debit 1 EUR 8841 other"
        ]
    );
}

#[test]
fn equal_entries_are_two_and_the_same_file_or_camt_tells_them_again() {
    let text = mt940(&":61:2611031103D20,NTRFNONREF//POS\r\n:86:106?00KARTE?32Chai\r\n".repeat(2));
    let camt = "<Document><BkToCstmrStmt><Stmt><Acct><Id><IBAN>DE02123456780000008841</IBAN></Id></Acct><Ntry><Amt Ccy='EUR'>20</Amt>\
        <CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-11-03</Dt></BookgDt></Ntry></Stmt></BkToCstmrStmt></Document>";
    let two = text.replace("8841", "5530");
    let files: [(&str, &[u8]); 4] = [
        ("a.sta", text.as_bytes()),
        ("b.sta", text.as_bytes()),
        ("c.xml", camt.as_bytes()),
        // Two messages in one file.
        ("d.sta", &[text.as_bytes(), two.as_bytes()].concat()),
    ];
    let (_folder, mut agent) = importing(&files, "");
    assert_eq!(ingest(&mut agent, t(NOW)).skips, []);
    let mut read = lines(&agent);
    read.sort();
    let [other, own] = ["5530", "8841"].map(|account| format!("2026-11-03 debit 20 EUR {account} other"));
    assert_eq!(read, [&other, &other, &own, &own].map(String::clone));
}

#[test]
fn what_cannot_be_read_is_named_and_a_file_that_breaks_off_is_read_as_far_as_it_is_whole() {
    let digits = "1".repeat(40);
    let text = mt940(&format!(
        ":61:2611031103D{digits},NTRFNONREF\r\n:61:2611031103D1.50NTRFNONREF\r\n:61:2611031103D0,NTRFNONREF\r\n\
         :61:2611311131D3,NTRFNONREF\r\n:61:2611031103X3,NTRFNONREF\r\n:61:2611031103D2,NTRFNONREF\r\n"
    ));
    let (agent, answer) = read("a.sta", &text);
    assert_eq!(
        skips(&answer),
        [
            ("AGENT-103", "a.sta", Some(6)),
            ("AGENT-103", "a.sta", Some(7)),
            ("AGENT-103", "a.sta", Some(8)),
            ("AGENT-106", "a.sta", Some(9)),
            ("AGENT-106", "a.sta", Some(10)),
        ]
    );
    assert_eq!(lines(&agent), ["2026-11-03 debit 2 EUR 8841 other"]);
    let good =
        mt940(":61:2611031103D1,NTRFNONREF\r\n:86:first\r\n:61:2611041104D222,NTRFNONREF\r\n:86:second\r\n");
    // Within an amount, within a text, behind an entry.
    for (end, line) in [("22,NTRF", 8), ("cond", 8), (":62F", 8)] {
        let (agent, answer) = read("a.sta", good.get(..good.find(end).unwrap()).unwrap());
        assert_eq!(skips(&answer), [("AGENT-123", "a.sta", Some(line))], "{end}");
        assert_eq!(lines(&agent), ["2026-11-03 debit 1 EUR 8841 other"], "{end}");
    }
    let unnamed = good.replace(":60F:C261101EUR1,00", ":60F:C261101XAU1,00");
    assert_eq!(read("a.sta", &unnamed).1.skips.len(), 2);
    // No statement at all, in a large file too.
    for text in ["", "Some letter\n:61:x\n", &"line\n".repeat(1 << 20)] {
        let (agent, answer) = read("a.sta", text);
        let codes: Vec<_> = answer.skips.iter().map(|skip| &*skip.code).collect();
        assert_eq!((codes, lines(&agent).len()), (vec!["AGENT-105"], 0));
        assert!(answer.taken < 1 << 20);
    }
}
