//! Statements of ISO 20022 as banks of Europe write them; all invented. What is expected is worked out from the format by hand.

use super::{
    statements::{importing, lines, skips},
    *,
};

const NAMESPACE: &str = "urn:iso:std:iso:20022:tech:xsd:camt.053.001.02";

/// A statement of version 2, as German banks give it: an account, a balance, and these entries from the tenth line on.
fn camt(entries: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<Document xmlns=\"{NAMESPACE}\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">
<BkToCstmrStmt><GrpHdr><MsgId>M1</MsgId><CreDtTm>2026-11-19T06:00:00+01:00</CreDtTm></GrpHdr>
<Stmt><Id>S1</Id><ElctrncSeqNb>7</ElctrncSeqNb>
<Acct><Id><IBAN>DE02123456780000008841</IBAN></Id><Ccy>EUR</Ccy>
<Ownr><Nm>Meera Example</Nm></Ownr><Svcr><FinInstnId><Othr><Id>999999</Id></Othr></FinInstnId></Svcr></Acct>
<Bal><Tp><CdOrPrtry><Cd>PRCD</Cd></CdOrPrtry></Tp><Amt Ccy=\"EUR\">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-11-01</Dt></Dt></Bal>
<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy=\"EUR\">1200.50</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-11-18</Dt></Dt></Bal>
<Bal><Tp><CdOrPrtry><Cd>CLAV</Cd></CdOrPrtry></Tp><Amt Ccy=\"EUR\">9200.50</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-11-18</Dt></Dt></Bal>
{entries}</Stmt></BkToCstmrStmt></Document>
"
    )
}

/// A booked entry in euros with what stands in its `TxDtls`.
fn entry(amount: &str, way: &str, day: u32, details: &str) -> String {
    let details = if details.is_empty() {
        String::new()
    } else {
        format!("<NtryDtls><TxDtls>{details}</TxDtls></NtryDtls>")
    };
    format!(
        "<Ntry><Amt Ccy=\"EUR\">{amount}</Amt><CdtDbtInd>{way}</CdtDbtInd><Sts>BOOK</Sts>\
         <BookgDt><Dt>2026-11-{day:02}</Dt></BookgDt>{details}</Ntry>\n"
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

fn read(name: &str, text: &str) -> (tempfile::TempDir, FinanceAgent, IngestResult) {
    let (folder, mut agent) = importing(&[(name, text.as_bytes())], "");
    let answer = ingest(&mut agent, t(NOW));
    (folder, agent, answer)
}

#[test]
fn a_statement_of_version_2_is_read_with_its_parties_and_its_balance() {
    let booked = [
        // Who was paid is the creditor; the owner is the debtor.
        entry(
            "320.00",
            "DBIT",
            3,
            "<Refs><EndToEndId>NOTPROVIDED</EndToEndId></Refs><RltdPties><Dbtr><Nm>Meera Example</Nm></Dbtr>\
             <Cdtr><Nm>Swiggy</Nm></Cdtr></RltdPties><RmtInf><Ustrd>Order 4</Ustrd></RmtInf>",
        ),
        // The last one who is paid stands before the one who collects.
        entry(
            "45.50",
            "DBIT",
            4,
            "<RltdPties><Cdtr><Nm>Collecting Company</Nm></Cdtr><UltmtCdtr><Nm>Netflix.com</Nm></UltmtCdtr></RltdPties>",
        ),
        entry(
            "2000",
            "CRDT",
            5,
            "<RltdPties><Dbtr><Nm>Acme Works</Nm></Dbtr><Cdtr><Nm>Meera Example</Nm></Cdtr></RltdPties>",
        ),
        // Without a name its text is all there is.
        entry("9.99", "DBIT", 6, "<RmtInf><Ustrd>DMART</Ustrd><Ustrd>12</Ustrd></RmtInf>"),
        // A day that a purchase was is the booking's, at any time of it.
        "<Ntry><Amt Ccy=\"EUR\">4.20</Amt><CdtDbtInd>DBIT</CdtDbtInd><RvslInd>false</RvslInd><Sts>BOOK</Sts>\
         <BookgDt><DtTm>2026-11-07T00:00:00+01:00</DtTm></BookgDt><ValDt><Dt>2026-11-09</Dt></ValDt></Ntry>\n"
            .to_owned(),
        // A direct debit that came back: still between the same two, and no income.
        "<Ntry><Amt Ccy=\"EUR\">45.50</Amt><CdtDbtInd>CRDT</CdtDbtInd><RvslInd>true</RvslInd><Sts>BOOK</Sts>\
         <ValDt><Dt>2026-11-08</Dt></ValDt><NtryDtls><TxDtls><RltdPties><Dbtr><Nm>Meera Example</Nm></Dbtr>\
         <Cdtr><Nm>Netflix.com</Nm></Cdtr></RltdPties></TxDtls></NtryDtls></Ntry>\n"
            .to_owned(),
        "<Ntry><Amt Ccy=\"EUR\">5.90</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-11-09</Dt></BookgDt>\
         <BkTxCd><Domn><Cd>ACMT</Cd><Fmly><Cd>MDOP</Cd><SubFmlyCd>CHRG</SubFmlyCd></Fmly></Domn></BkTxCd>\
         <AddtlNtryInf>ENTGELT</AddtlNtryInf></Ntry>\n"
            .to_owned(),
        // What is not booked yet is no payment.
        entry("70.00", "DBIT", 10, "").replace("BOOK", "PDNG"),
        entry("71.00", "DBIT", 10, "").replace("BOOK", "INFO"),
    ];
    let (_folder, agent, answer) = read("a.xml", &camt(&booked.concat()));
    assert_eq!(
        lines(&agent),
        [
            "2026-11-03 debit 320 EUR 8841 food_delivery",
            "2026-11-04 debit 45.5 EUR 8841 subscriptions",
            "2026-11-05 credit 2000 EUR 8841 other",
            "2026-11-06 debit 9.99 EUR 8841 groceries",
            "2026-11-07 debit 4.2 EUR 8841 other",
            "2026-11-08 refund 45.5 EUR 8841 subscriptions",
            "2026-11-09 fee 5.9 EUR 8841 other",
        ]
    );
    assert_eq!(
        payees(&agent),
        [
            "swiggy",
            "netflix",
            "acme works",
            "dmart",
            "",
            "netflix",
            "entgelt"
        ]
    );
    // The eighth and ninth entry, the first of which is on line 10.
    assert_eq!(
        skips(&answer),
        [("AGENT-121", "a.xml", Some(17)), ("AGENT-121", "a.xml", Some(18))]
    );
    let balances: Vec<_> = agent.book.balances().map(|row| (row.0, row.1, row.2)).collect();
    assert_eq!(balances, [("8841".to_owned(), "EUR".to_owned(), dec("1200.50"))]);
}

#[test]
fn later_versions_reports_and_notifications_are_read_alike() {
    // Version 8: a status is a code, a name stands under `Pty`. With a prefix, as some programs write it.
    let statement = "<x:Document xmlns:x=\"urn:iso:std:iso:20022:tech:xsd:camt.NAME.001.08\"><x:MESSAGE><x:PART>\
        <x:Acct><x:Id><x:Othr><x:Id>0012345678841</x:Id></x:Othr></x:Id></x:Acct>\
        <x:Bal><x:Tp><x:CdOrPrtry><x:Cd>CLAV</x:Cd></x:CdOrPrtry></x:Tp><x:Amt Ccy='CHF'>10.05</x:Amt>\
        <x:CdtDbtInd>DBIT</x:CdtDbtInd><x:Dt><x:DtTm>2026-11-18T17:00:00</x:DtTm></x:Dt></x:Bal>\
        <x:Ntry><x:Amt Ccy='CHF'>12.50000</x:Amt><x:CdtDbtInd>DBIT</x:CdtDbtInd><x:Sts>\n<x:Cd>BOOK</x:Cd>\n</x:Sts>\
        <x:BookgDt><x:DtTm>2026-11-03T23:30:00+01:00</x:DtTm></x:BookgDt><x:NtryDtls><x:TxDtls><x:RltdPties>\
        <x:Cdtr><x:Pty><x:Nm>B&#228;ckerei <![CDATA[K & Co]]> &amp; S&#xF6;hne</x:Nm></x:Pty></x:Cdtr></x:RltdPties></x:TxDtls></x:NtryDtls></x:Ntry>\
        <x:Ntry><x:Amt Ccy='CHF'>1</x:Amt><x:CdtDbtInd>DBIT</x:CdtDbtInd><x:Sts><x:Cd>PDNG</x:Cd></x:Sts>\
        <x:BookgDt><x:Dt>2026-11-03</x:Dt></x:BookgDt></x:Ntry>\
        </x:PART></x:MESSAGE></x:Document>";
    for (name, message, part) in [
        ("053", "BkToCstmrStmt", "Stmt"),
        ("052", "BkToCstmrAcctRpt", "Rpt"),
        ("054", "BkToCstmrDbtCdtNtfctn", "Ntfctn"),
    ] {
        let text = statement
            .replace("NAME", name)
            .replace("MESSAGE", message)
            .replace("PART", part);
        let (_folder, agent, answer) = read("a.camt", &text);
        assert_eq!((answer.read, answer.skipped), (1, 1), "{name}");
        // 23:30 in Berlin is four in the morning of the next day in Kolkata.
        assert_eq!(
            lines(&agent),
            ["2026-11-04 debit 12.5 CHF 8841 food_delivery"],
            "{name}"
        );
        assert_eq!(payees(&agent), ["bäckerei k & co & söhne"], "{name}");
        let balances: Vec<_> = agent.book.balances().map(|row| row.2).collect();
        assert_eq!(balances, [dec("-10.05")], "{name}");
    }
}

#[test]
fn a_batch_is_its_payments_where_they_are_its_sum() {
    let part = |amount: &str, name: &str| {
        format!(
            "<TxDtls><Refs><EndToEndId>E-{name}</EndToEndId></Refs><AmtDtls><TxAmt><Amt Ccy=\"EUR\">{amount}</Amt></TxAmt></AmtDtls>\
             <RltdPties><Cdtr><Nm>{name}</Nm></Cdtr></RltdPties></TxDtls>"
        )
    };
    let batch = |day: u32, amount: &str, parts: &[String]| {
        format!(
            "<Ntry><Amt Ccy=\"EUR\">{amount}</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-11-{day:02}</Dt></BookgDt>\
             <AcctSvcrRef>B{day}</AcctSvcrRef><NtryDtls><Btch><NbOfTxs>2</NbOfTxs></Btch>{}</NtryDtls></Ntry>",
            parts.concat()
        )
    };
    // 10 and 20.50 are 30.50, twice 5 is 10; 1 and 2 are no 4. A payment back within a batch counts against it.
    let back = part("3.00", "Myntra")
        .replace("<AmtDtls><TxAmt>", "")
        .replace("</TxAmt></AmtDtls>", "<CdtDbtInd>CRDT</CdtDbtInd>")
        .replace("Cdtr>", "Dbtr>");
    let text = camt(
        &[
            batch(3, "30.50", &[part("10.00", "Swiggy"), part("20.50", "Dmart")]),
            batch(4, "10.00", &[part("5", "Chai"), part("5", "Chai")]),
            batch(5, "4.00", &[part("1", "Swiggy"), part("2", "Dmart")]),
            batch(6, "6.00", &[part("9", "Dmart"), back]),
            batch(7, "8.00", &[part("8", "Dmart").replace("TxAmt", "PrtryAmt")]),
        ]
        .concat(),
    );
    let (folder, mut agent, answer) = read("a.xml", &text);
    let expected = [
        "2026-11-03 debit 10 EUR 8841 food_delivery",
        "2026-11-03 debit 20.5 EUR 8841 groceries",
        "2026-11-04 debit 5 EUR 8841 other",
        "2026-11-04 debit 5 EUR 8841 other",
        "2026-11-05 debit 4 EUR 8841 other",
        "2026-11-06 credit 3 EUR 8841 shopping",
        "2026-11-06 debit 9 EUR 8841 groceries",
        "2026-11-07 debit 8 EUR 8841 groceries",
    ];
    assert_eq!((answer.read, answer.skipped), (8, 0));
    assert_eq!(lines(&agent), expected);
    // The report of the day before told the same.
    let report = text
        .replace("BkToCstmrStmt", "BkToCstmrAcctRpt")
        .replace("Stmt>", "Rpt>");
    std::fs::write(folder.path().join("b.xml"), report).unwrap();
    assert_eq!(ingest(&mut agent, t(NOW)).skips, []);
    assert_eq!(lines(&agent), expected);
}

#[test]
fn several_statements_of_one_file_have_their_own_accounts() {
    let one = camt(&entry("1.00", "DBIT", 3, ""));
    let two = one.replace("8841", "5530").replace("1.00", "2.00");
    let inner = |text: &str| {
        let from = text.find("<Stmt>").unwrap();
        let until = text.find("</Stmt>").unwrap();
        text.get(from..until).unwrap().to_owned() + "</Stmt>"
    };
    let expected = [
        "2026-11-03 debit 1 EUR 8841 other",
        "2026-11-03 debit 2 EUR 5530 other",
    ];
    // In one message; and two documents one behind the other, as some programs put them.
    let within = one.replace("</BkToCstmrStmt>", &(inner(&two) + "</BkToCstmrStmt>"));
    for text in [within, format!("{one}{two}")] {
        let (_folder, agent, answer) = read("a.xml", &text);
        assert_eq!(answer.skips, []);
        assert_eq!(lines(&agent), expected);
        assert_eq!(agent.book.balances().count(), 2);
    }
}

#[test]
fn numbered_entries_are_known_again_and_equal_ones_are_two() {
    let text = camt(
        &[
            entry(
                "20.00",
                "DBIT",
                3,
                "<Refs><AcctSvcrRef>R1</AcctSvcrRef></Refs><RltdPties><Cdtr><Nm>Chai</Nm></Cdtr></RltdPties>",
            ),
            entry(
                "20.00",
                "DBIT",
                3,
                "<Refs><AcctSvcrRef>R2</AcctSvcrRef></Refs><RltdPties><Cdtr><Nm>Chai</Nm></Cdtr></RltdPties>",
            ),
            // The bank says that it has none.
            entry(
                "7.00",
                "DBIT",
                4,
                "<Refs><AcctSvcrRef>NONREF</AcctSvcrRef></Refs>",
            ),
            entry(
                "7.00",
                "DBIT",
                4,
                "<Refs><AcctSvcrRef>NONREF</AcctSvcrRef></Refs>",
            ),
        ]
        .concat(),
    );
    // The next statement writes a name otherwise, and is of OFX in a third.
    let again = text.replace("Chai", "CHAI POINT GMBH");
    let ofx = "<OFX><STMTRS><CURDEF>EUR<BANKACCTFROM><ACCTID>1234567800000088 41</BANKACCTFROM>\
        <STMTTRN><DTPOSTED>20261103<TRNAMT>-20<FITID>1<NAME>Chai</STMTTRN></STMTRS></OFX>";
    let files: [(&str, &[u8]); 3] = [
        ("a.xml", text.as_bytes()),
        ("b.xml", again.as_bytes()),
        ("c.ofx", ofx.as_bytes()),
    ];
    let (_folder, mut agent) = importing(&files, "");
    ingest(&mut agent, t(NOW));
    assert_eq!(
        lines(&agent),
        [
            "2026-11-03 debit 20 EUR 8841 other",
            "2026-11-03 debit 20 EUR 8841 other",
            "2026-11-04 debit 7 EUR 8841 other",
            "2026-11-04 debit 7 EUR 8841 other",
        ]
    );
}

#[test]
fn a_number_joins_a_message_of_the_same_payment() {
    let text = camt(&entry(
        "100.00",
        "DBIT",
        19,
        "<Refs><EndToEndId>431299100200</EndToEndId></Refs><RltdPties><Cdtr><Nm>Some Name</Nm></Cdtr></RltdPties>",
    ));
    let (_folder, mut agent) = importing(&[("a.xml", text.as_bytes())], "");
    agent.accept(vec![sms(
        "s1",
        "2026-11-19T13:31:00+05:30",
        "EUR 100.00 debited from A/c X8841 on 19-11-26 to VPA rosewater@icici Ref 431299100200",
    )]);
    ingest(&mut agent, t(NOW));
    assert_eq!(lines(&agent).len(), 1);
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_is_kept() {
    let digits = "1".repeat(40);
    let good = entry("1.00", "DBIT", 3, "");
    let entries = [
        good.clone(),
        // 40 digits, a comma, a sign, nothing, more decimals than any currency has.
        entry(&digits, "DBIT", 3, ""),
        entry("1,50", "DBIT", 3, ""),
        entry("1,234", "DBIT", 3, ""),
        entry("-2.00", "DBIT", 3, ""),
        entry("", "DBIT", 3, ""),
        entry("0.00001", "DBIT", 3, ""),
        entry("0.00", "DBIT", 3, ""),
        // No currency, no such day, no way.
        entry("3.00", "DBIT", 3, "").replace("EUR", "XAU"),
        entry("3.00", "DBIT", 3, "").replace("2026-11-03", "2026-11-31"),
        entry("3.00", "BOTH", 3, ""),
        entry("2.00", "DBIT", 3, ""),
    ];
    let (_folder, agent, answer) = read("a.xml", &camt(&entries.concat()));
    let at = |line| Some(line);
    assert_eq!(
        skips(&answer),
        [
            ("AGENT-103", "a.xml", at(11)),
            ("AGENT-103", "a.xml", at(12)),
            ("AGENT-103", "a.xml", at(13)),
            ("AGENT-103", "a.xml", at(14)),
            ("AGENT-103", "a.xml", at(15)),
            ("AGENT-103", "a.xml", at(16)),
            ("AGENT-103", "a.xml", at(17)),
            ("AGENT-106", "a.xml", at(18)),
            ("AGENT-106", "a.xml", at(19)),
            ("AGENT-106", "a.xml", at(20)),
        ]
    );
    assert_eq!(
        lines(&agent),
        [
            "2026-11-03 debit 1 EUR 8841 other",
            "2026-11-03 debit 2 EUR 8841 other"
        ]
    );
}

#[test]
fn a_file_that_breaks_off_is_read_as_far_as_it_is_whole() {
    let whole = camt(&(entry("1.00", "DBIT", 3, "") + &entry("2.00", "DBIT", 4, "")));
    // Within the second entry, which begins on line 11; and behind it.
    for (end, line, payments) in [
        (
            "<CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-11-04",
            11,
            1,
        ),
        ("</Stmt>", 12, 2),
    ] {
        let text = whole.get(..whole.find(end).unwrap()).unwrap();
        let (_folder, agent, answer) = read("a.xml", text);
        assert_eq!(skips(&answer), [("AGENT-123", "a.xml", Some(line))], "{end}");
        assert_eq!(lines(&agent).len(), payments, "{end}");
    }
    // A tag that ends another.
    let wrong = whole.replacen("</Ntry>\n<Ntry>", "</Ntyr>\n<Ntry>", 1);
    let (_folder, agent, answer) = read("a.xml", &wrong);
    assert_eq!(skips(&answer), [("AGENT-123", "a.xml", Some(10))]);
    assert_eq!(lines(&agent).len(), 0);
    // A text of a megabyte is not held.
    let long = whole.replace(
        "</Stmt>",
        &format!("<AddtlStmtInf>{}</AddtlStmtInf></Stmt>", "x".repeat(1 << 20)),
    );
    let (_folder, agent, answer) = read("a.xml", &long);
    assert_eq!(skips(&answer), [("AGENT-108", "a.xml", Some(12))]);
    assert_eq!(lines(&agent).len(), 2);
    // Nor are elements within each other.
    let deep = whole.replace("</Stmt>", &"<a>".repeat(100_000));
    assert_eq!(skips(&read("a.xml", &deep).2), [("AGENT-123", "a.xml", Some(12))]);
}

#[test]
fn what_is_no_statement_is_told_once_and_read_no_further() {
    let good = camt(&entry("1.00", "DBIT", 3, ""));
    let large = format!(
        "<HealthData>{}</HealthData>",
        "<Record type=\"x\"/>".repeat(200_000)
    );
    for (name, text) in [
        ("health.xml", large.as_str()),
        ("empty.xml", ""),
        ("page.xml", "<html><head><meta charset=utf-8><p>Sign in</html>"),
        (
            "orders.xml",
            &good
                .replace("camt.053", "pain.001")
                .replace("BkToCstmrStmt", "CstmrCdtTrfInitn"),
        ),
        ("other.xml", &good.replace(NAMESPACE, "urn:example:other")),
        // The statement is quoted in another document.
        (
            "quoted.xml",
            &format!("<mail><![CDATA[{}]]></mail>", good.replace("]]>", "")),
        ),
    ] {
        let (_folder, agent, answer) = read(name, text);
        let codes: Vec<_> = answer.skips.iter().map(|skip| skip.code.as_str()).collect();
        assert_eq!(codes, ["AGENT-105"], "{name}");
        assert_eq!(lines(&agent).len(), 0, "{name}");
        assert!(answer.taken < 1 << 20, "{name}: {}", answer.taken);
    }
}

#[test]
fn entities_of_a_document_are_never_expanded() {
    let bomb = "<!DOCTYPE Document [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">\
        <!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\"><!ENTITY f SYSTEM \"file:///etc/hostname\"><!ENTITY n \"5\">]>\n<Document";
    let party = "<RltdPties><Cdtr><Nm>Shop &c;&f; One</Nm></Cdtr></RltdPties>";
    let text = camt(&(entry("1.00", "DBIT", 3, party) + &entry("&n;.00", "DBIT", 3, ""))).replacen(
        "<Document",
        bomb,
        1,
    );
    let (_folder, agent, answer) = read("a.xml", &text);
    assert_eq!(payees(&agent), ["shop &c;&f; one"]);
    // An amount that is an entity has no reading. The line that the document type takes comes before.
    assert_eq!(skips(&answer), [("AGENT-103", "a.xml", Some(12))]);
}

#[test]
fn other_encodings_are_read_and_an_ofx_by_the_same_ending() {
    let text = camt(&entry(
        "1.00",
        "DBIT",
        3,
        "<RltdPties><Cdtr><Nm>Kölner Café</Nm></Cdtr></RltdPties>",
    ));
    let latin: Vec<u8> = text
        .replace("UTF-8", "ISO-8859-1")
        .chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap())
        .collect();
    let wide: Vec<u8> = std::iter::once(0xFEFF)
        .chain(text.replace("UTF-8", "UTF-16").encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let marked = format!("\u{feff}{text}").into_bytes();
    for bytes in [latin, wide, marked] {
        let (_folder, mut agent) = importing(&[("a.XML", &bytes)], "");
        assert_eq!(ingest(&mut agent, t(NOW)).skips, []);
        assert_eq!(payees(&agent), ["kölner café"]);
    }
    let ofx = "<?xml version=\"1.0\"?>\n<?OFX OFXHEADER=\"200\" VERSION=\"211\"?>\n<OFX><STMTRS><CURDEF>EUR</CURDEF>\
        <STMTTRN><DTPOSTED>20261103</DTPOSTED><TRNAMT>-20</TRNAMT></STMTTRN></STMTRS></OFX>";
    let (_folder, agent, answer) = read("a.xml", ofx);
    assert_eq!(answer.skips, []);
    assert_eq!(lines(&agent), ["2026-11-03 debit 20 EUR 0000 other"]);
}

#[test]
fn a_card_has_no_balance_to_spend_and_foreign_elements_say_nothing() {
    let card = camt("").replace("</IBAN></Id>", "</IBAN></Id><Tp><Cd>CARD</Cd></Tp>");
    assert_eq!(read("a.xml", &card).1.book.balances().count(), 0);
    // A page that is not the last one's.
    let page = camt("").replace(
        "<Cd>CLBD</Cd></CdOrPrtry>",
        "<Cd>CLBD</Cd></CdOrPrtry><SubTp><Cd>INTM</Cd></SubTp>",
    );
    let balances: Vec<_> = read("a.xml", &page).1.book.balances().map(|row| row.2).collect();
    assert_eq!(balances, [dec("9200.50")]);
    let foreign = camt(&entry("1.00", "DBIT", 3, "")).replace(
        "</Ntry>",
        "<y:Amt xmlns:y=\"urn:y\" Ccy=\"INR\">900</y:Amt><SplmtryData><Envlp><Ntry><Amt Ccy=\"EUR\">4</Amt></Ntry></Envlp></SplmtryData></Ntry>",
    );
    let (_folder, agent, answer) = read("a.xml", &foreign);
    assert_eq!(answer.skips, []);
    assert_eq!(lines(&agent), ["2026-11-03 debit 1 EUR 8841 other"]);
}

#[test]
fn a_long_statement_is_read_in_slices_and_each_entry_once() {
    let entries: String = (0..9000)
        .map(|i| entry(&format!("{i}.50"), "DBIT", 1 + i % 18, "<RltdPties><Cdtr><Nm>Shop</Nm><PstlAdr><AdrLine>xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx</AdrLine></PstlAdr></Cdtr></RltdPties>"))
        .collect();
    let text = camt(&entries);
    let (_folder, mut agent) = importing(&[("a.xml", text.as_bytes())], "");
    let (mut taken, mut looks) = (0, 0);
    loop {
        let answer = ingest(&mut agent, t(NOW));
        assert_eq!(answer.skips, []);
        taken += answer.taken;
        looks += 1;
        if answer.left == 0 {
            break;
        }
    }
    assert!(looks > 1);
    assert_eq!(taken, text.len() as u64);
    assert_eq!(lines(&agent).len(), 9000);
}
