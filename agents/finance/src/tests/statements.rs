//! Statements, journals and receipts as programs write them; all invented. Sums are worked out by hand, those of the journals too.

use super::*;
use agents_base::contract::{FinancePreferences, SourcePaths};
use std::{fs, path::Path};
use tempfile::TempDir;

/// An agent that reads a folder of these files now, and wishes this.
pub(super) fn importing(files: &[(&str, &[u8])], wishes: &str) -> (TempDir, FinanceAgent) {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    let agent = with_sources(
        SourcePaths {
            finance: vec![folder.path().to_owned()],
            ..SourcePaths::default()
        },
        wishes,
    );
    (folder, agent)
}

pub(super) fn with_sources(sources: SourcePaths, wishes: &str) -> FinanceAgent {
    let finance = toml(wishes);
    FinanceAgent::new(AgentSetup {
        owner: OwnerProfile {
            finance,
            ..owner(None)
        },
        sources,
        ..setup()
    })
}

/// The owner's preferences as they stand in `home.toml`, in JSON.
pub(super) fn toml(wishes: &str) -> FinancePreferences {
    if wishes.is_empty() {
        FinancePreferences::default()
    } else {
        serde_json::from_str(wishes).unwrap()
    }
}

/// The payments, oldest first: day, direction, amount, currency, account, category.
pub(super) fn lines(agent: &FinanceAgent) -> Vec<String> {
    let mut txns: Vec<_> = agent.book.iter().map(|(_, txn)| txn).collect();
    txns.sort_by_key(|txn| (txn.ts, txn.amount));
    txns.into_iter()
        .map(|txn| {
            let day = zone::local_date(txn.ts, agent.setup.owner.zone);
            let own = if txn.transfer { " own" } else { "" };
            format!(
                "{day} {} {} {} {} {}{own}",
                txn.direction, txn.amount, txn.currency, txn.account_last4, txn.category
            )
        })
        .collect()
}

pub(super) fn skips(answer: &IngestResult) -> Vec<(&str, &str, Option<u64>)> {
    let skips = answer.skips.iter();
    skips
        .map(|skip| (skip.code.as_str(), skip.item.as_str(), skip.line))
        .collect()
}

const OFX_1: &str = "OFXHEADER:100\r
DATA:OFXSGML\r
VERSION:102\r
SECURITY:NONE\r
ENCODING:USASCII\r
CHARSET:1252\r
COMPRESSION:NONE\r
OLDFILEUID:NONE\r
NEWFILEUID:NONE\r
\r
<OFX><SIGNONMSGSRSV1><SONRS><STATUS><CODE>0<SEVERITY>INFO</STATUS><DTSERVER>20261118120000[-5:EST]<LANGUAGE>ENG</SONRS></SIGNONMSGSRSV1>\r
<BANKMSGSRSV1><STMTTRNRS><TRNUID>0<STATUS><CODE>0<SEVERITY>INFO</STATUS>\r
<STMTRS><CURDEF>INR\r
<BANKACCTFROM><BANKID>HDFC0000001<ACCTID>0012345678841<ACCTTYPE>SAVINGS</BANKACCTFROM>\r
<BANKTRANLIST><DTSTART>20261101<DTEND>20261118\r
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20261103<TRNAMT>-320.00<FITID>A1<NAME>UPI/P2M/431200100200/SWIGGY/ybl</STMTTRN>\r
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20261104<TRNAMT>-45,50<FITID>A2<NAME>Sri Sai Caf\u{e9} &amp; Sons<MEMO>POS</STMTTRN>\r
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20261105<TRNAMT>-20.00<FITID>A3<NAME>CHAI</STMTTRN>\r
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20261105<TRNAMT>-20.00<FITID>A4<NAME>CHAI</STMTTRN>\r
<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20261106<TRNAMT>+85,000.00<FITID>A5<NAME>ACME WORKS SALARY</STMTTRN>\r
<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20261107<TRNAMT>100.00<FITID>A6<NAME>MYNTRA REFUND</STMTTRN>\r
<STMTTRN><TRNTYPE>SRVCHG<DTPOSTED>20261108<TRNAMT>-590.00<FITID>A7<NAME>DEBIT CARD CHARGES</STMTTRN>\r
<STMTTRN><TRNTYPE>POS<DTPOSTED>20261109<TRNAMT>-11.80<FITID>A8<NAME>CLOUD HOST<CURRENCY><CURRATE>88.0<CURSYM>USD</CURRENCY></STMTTRN>\r
<STMTTRN><TRNTYPE>POS<DTPOSTED>20261110<TRNAMT>-900.00<FITID>A9<NAME>HOTEL ROMA<ORIGCURRENCY><CURRATE>90.0<CURSYM>EUR</ORIGCURRENCY></STMTTRN>\r
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20261131<TRNAMT>-1.00<FITID>B1<NAME>NO SUCH DAY</STMTTRN>\r
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20261111<TRNAMT>zero<FITID>B2<NAME>NO AMOUNT</STMTTRN>\r
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20261112033000[-5:EST]<TRNAMT>-7.00<FITID>B3<NAME>DMART<BANKACCTTO><BANKID>X<ACCTID>999999<ACCTTYPE>CHECKING</BANKACCTTO></STMTTRN>\r
</BANKTRANLIST>\r
<LEDGERBAL><BALAMT>12000.00<DTASOF>20261118</LEDGERBAL><AVAILBAL><BALAMT>1.00<DTASOF>20261118</AVAILBAL>\r
</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\r
";

/// The caf\u{e9} in the code page that the file says it has.
fn ofx_1() -> Vec<u8> {
    OFX_1
        .chars()
        .map(|c| {
            if c == '\u{e9}' {
                0xE9
            } else {
                u8::try_from(c).unwrap()
            }
        })
        .collect()
}

#[test]
fn ofx_of_version_1_is_read_with_its_unclosed_fields() {
    let (_folder, mut agent) = importing(&[("november.ofx", &ofx_1())], "");
    let answer = ingest(&mut agent, t(NOW));
    assert_eq!(
        lines(&agent),
        [
            "2026-11-03 debit 320 INR 8841 food_delivery",
            "2026-11-04 debit 45.5 INR 8841 food_delivery",
            "2026-11-05 debit 20 INR 8841 other",
            "2026-11-05 debit 20 INR 8841 other",
            "2026-11-06 credit 85000 INR 8841 other",
            "2026-11-07 refund 100 INR 8841 shopping",
            "2026-11-08 fee 590 INR 8841 other",
            // The amount is in the currency that CURRENCY names, and in the account's where ORIGCURRENCY tells of another.
            "2026-11-09 debit 11.8 USD 8841 other",
            "2026-11-10 debit 900 INR 8841 travel",
            // 03:30 five hours west of Greenwich is 14:00 in Kolkata.
            "2026-11-12 debit 7 INR 8841 groceries",
        ]
    );
    // The line is that of the entry: 16 lines before the first, then one each.
    assert_eq!(
        skips(&answer),
        [
            ("AGENT-106", "november.ofx", Some(25)),
            ("AGENT-103", "november.ofx", Some(26))
        ]
    );
    assert_eq!((answer.read, answer.skipped, answer.left), (10, 2, 0));
    // 12 000 at the end of the 18th, and nothing since.
    assert_eq!(agent.view.balance, Some(dec("12000")));
    let balances: Vec<_> = agent.book.balances().map(|row| (row.0, row.1, row.2)).collect();
    assert_eq!(balances, [("8841".to_owned(), "INR".to_owned(), dec("12000"))]);
}

#[test]
fn ofx_of_version_2_is_read_and_a_card_has_no_balance_to_spend() {
    let ofx = r#"<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<?OFX OFXHEADER="200" VERSION="211" SECURITY="NONE" OLDFILEUID="NONE" NEWFILEUID="NONE"?>
<OFX>
  <CREDITCARDMSGSRSV1><CCSTMTTRNRS><CCSTMTRS>
    <CURDEF>EUR</CURDEF>
    <CCACCTFROM><ACCTID>4111-XXXX-XXXX-5530</ACCTID></CCACCTFROM>
    <BANKTRANLIST>
      <STMTTRN>
        <TRNTYPE>DEBIT</TRNTYPE><DTPOSTED>20261102120000.000[+1:CET]</DTPOSTED><TRNAMT>-12.50</TRNAMT>
        <FITID>1</FITID><PAYEE><NAME>B&#228;ckerei</NAME><CITY>Berlin</CITY></PAYEE>
      </STMTTRN>
      <STMTTRN>
        <TRNTYPE>DEBIT</TRNTYPE><DTPOSTED>20261103</DTPOSTED><TRNAMT>-9.99</TRNAMT><FITID>2</FITID>
        <MEMO><![CDATA[Spotify & Co]]></MEMO>
      </STMTTRN>
    </BANKTRANLIST>
    <LEDGERBAL><BALAMT>-22.49</BALAMT><DTASOF>20261110</DTASOF></LEDGERBAL>
  </CCSTMTRS></CCSTMTTRNRS></CREDITCARDMSGSRSV1>
</OFX>"#;
    let (_folder, mut agent) = importing(&[("card.qfx", ofx.as_bytes())], "");
    assert_eq!(ingest(&mut agent, t(NOW)).skips, []);
    assert_eq!(
        lines(&agent),
        [
            "2026-11-02 debit 12.5 EUR 5530 food_delivery",
            "2026-11-03 debit 9.99 EUR 5530 subscriptions",
        ]
    );
    assert_eq!((agent.view.currency.as_str(), agent.view.balance), ("EUR", None));
}

/// Two mappings: a bank in India with two columns of amounts, one in Germany.
const MAPPINGS: &str = r#"{ "accounts": ["5530"], "csv": [
    { "name": "giro", "header": ["Buchungstag"], "delimiter": ";", "decimal": ",", "charset": "windows-1252",
      "date": "Buchungstag", "date_formats": ["%d.%m.%Y", "%d.%m.%y"], "amount": "Betrag",
      "payee": ["Empf\u00e4nger", "Verwendungszweck"], "currency": { "column": "W\u00e4hrung" },
      "account": { "column": "Konto" } },
    { "name": "savings", "date": "Date", "date_formats": ["%d/%m/%y"],
      "amount": { "debit": "Withdrawal", "credit": "Deposit" }, "payee": ["Narration"], "reference": "Ref",
      "currency": "INR", "account": "8841" },
    { "name": "card", "date": "Posted", "date_formats": ["%Y-%m-%d"], "amount": { "charged": "Amount" },
      "payee": ["Description"], "currency": "INR", "account": "5530" },
    { "name": "said", "date": "Day", "date_formats": ["%Y-%m-%d %H:%M"],
      "amount": { "column": "Sum", "way": "Dr/Cr", "debit": "DR" }, "payee": ["Text"], "currency": "INR", "account": "8841" } ] }"#;

#[test]
fn csv_is_read_by_the_mapping_whose_columns_it_has() {
    let giro = b"\"Umsaetze\";;;;;\n\nKonto;Buchungstag;Empf\xE4nger;Verwendungszweck;Betrag;W\xE4hrung\n\
        DE001234567890;02.11.2026;\"K\xF6lner Caf\xE9; Ring\";Rechnung;-1.234,50;EUR\n\
        DE001234567890;03.11.26;;DMART 12;\"-9,99\";EUR\n\
        DE001234567890;04.11.2026;Arbeit;Lohn;2.000,00;EUR\n";
    let savings = "\u{feff}Date,Narration,Ref,Withdrawal,Deposit\n\
        03/11/26,UPI-CHAI POINT-chai@ybl-YESB0000001-431200100201-tea,R1,20.00,\n\
        03/11/26,UPI-CHAI POINT-chai@ybl-YESB0000001-431200100202-tea,R2,20.00,\n\
        04/11/26,\"LANDLORD\nNOVEMBER\",R3,\"15,000.00\",0.00\n\
        05/11/26,ACME SALARY,R4,,\"85,000.00\"\n\
        05/11/26,NOTHING,R5,,\n\
        35/11/26,NO DAY,R6,1.00,\n\
        ,,,,\n";
    let card = "Posted,Description,Amount\n2026-11-06,NETFLIX.COM,649.00\n2026-11-07,PAYMENT,-649.00\n";
    let said =
        "Day,Text,Sum,Dr/Cr\n2026-11-08 09:15,UBER TRIP,Rs. 210.00,DR\n2026-11-09 10:00,Interest,3.50,CR\n";
    let (_folder, mut agent) = importing(
        &[
            ("a-giro.csv", giro),
            ("b-savings.csv", savings.as_bytes()),
            ("c-card.csv", card.as_bytes()),
            ("d-said.csv", said.as_bytes()),
            ("e-other.csv", b"Alpha,Beta\n1,2\n"),
        ],
        MAPPINGS,
    );
    let answer = ingest(&mut agent, t(NOW));
    assert_eq!(
        lines(&agent),
        [
            "2026-11-02 debit 1234.5 EUR 7890 food_delivery",
            "2026-11-03 debit 9.99 EUR 7890 groceries",
            "2026-11-03 debit 20 INR 8841 food_delivery",
            "2026-11-03 debit 20 INR 8841 food_delivery",
            "2026-11-04 credit 2000 EUR 7890 other",
            "2026-11-04 debit 15000 INR 8841 rent",
            "2026-11-05 credit 85000 INR 8841 other",
            "2026-11-06 debit 649 INR 5530 subscriptions",
            "2026-11-07 credit 649 INR 5530 other",
            "2026-11-08 debit 210 INR 8841 transport",
            "2026-11-09 credit 3.5 INR 8841 other",
        ]
    );
    assert_eq!(
        skips(&answer),
        [
            ("AGENT-103", "b-savings.csv", Some(7)),
            ("AGENT-106", "b-savings.csv", Some(8)),
            ("AGENT-107", "e-other.csv", Some(1)),
        ]
    );
    let told = serde_json::to_string(&answer).unwrap().to_lowercase();
    for text in ["alpha", "landlord", "netflix", "narration", "giro"] {
        assert!(!told.contains(text), "{text} in {told}");
    }
}

#[test]
fn an_unchanged_folder_is_not_read_again_also_after_a_restart_and_a_changed_one_is() {
    let (folder, mut agent) = importing(&[("november.ofx", &ofx_1())], "");
    let first = ingest(&mut agent, t(NOW));
    assert_eq!((first.read, first.taken), (10, ofx_1().len() as u64));
    let again = ingest(&mut agent, t(NOW));
    assert_eq!(
        (again.read, again.taken, again.skipped, again.seen.len()),
        (0, 0, 0, 0)
    );
    let restarted = |wishes: &str, state: &Value| {
        let sources = SourcePaths {
            finance: vec![folder.path().to_owned()],
            ..SourcePaths::default()
        };
        let mut agent = with_sources(sources, wishes);
        agent.restore(state).unwrap();
        let answer = ingest(&mut agent, t(NOW));
        (answer.taken, answer.read, answer.seen.len(), lines(&agent).len())
    };
    assert_eq!(restarted("", &first.agent_state), (0, 0, 0, 10));
    // Other wishes may read it otherwise.
    let whole = ofx_1().len() as u64;
    assert_eq!(
        restarted(r#"{ "accounts": ["1111"] }"#, &first.agent_state),
        (whole, 0, 0, 10)
    );
    // The next export overlaps, and writes a name otherwise: the bank's number of the entry is the same.
    let more = String::from_utf8_lossy(&ofx_1()).replace(
        "</BANKTRANLIST>",
        "<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20261119<TRNAMT>-5<FITID>C1<NAME>CHAI</STMTTRN></BANKTRANLIST>",
    );
    fs::write(folder.path().join("december.ofx"), more).unwrap();
    let next = ingest(&mut agent, t(NOW));
    assert_eq!((next.read, lines(&agent).len()), (1, 11));
}

#[test]
fn one_number_is_one_entry_with_and_without_a_time() {
    let posted = [
        "20261103",
        "20261103120000",
        "20261103120000.000",
        "20261103233000",
        "20261103120000[-5:EST]",
        // The owner's day is the next one, the bank's is the same.
        "20261103233000[-5:EST]",
        "20261103233000.000[-5.0:EST]",
    ];
    let ofx = |account: &str, posted: &str, amount: &str, id: &str| {
        format!(
            "<OFX><STMTRS><CURDEF>INR<BANKACCTFROM><ACCTID>{account}</BANKACCTFROM><STMTTRN><TRNTYPE>DEBIT<DTPOSTED>{posted}\
             <TRNAMT>{amount}<FITID>{id}<NAME>CHAI</STMTTRN></STMTRS></OFX>"
        )
    };
    let read = |files: &[String]| {
        let names: Vec<String> = (0..files.len()).map(|i| format!("{i}.ofx")).collect();
        let files: Vec<(&str, &[u8])> = names
            .iter()
            .zip(files)
            .map(|(name, text)| (name.as_str(), text.as_bytes()))
            .collect();
        let (_folder, mut agent) = importing(&files, "");
        assert_eq!(ingest(&mut agent, t(NOW)).skips, []);
        lines(&agent)
    };
    let one = ["2026-11-03 debit 20 INR 8841 other"];
    for other in posted {
        let mut files = vec![
            ofx("8841", posted[0], "-20", "A1"),
            ofx("8841", other, "-20", "A1"),
        ];
        assert_eq!(read(&files), one, "{other}");
        files.reverse();
        assert_eq!(read(&files), one, "{other}");
    }
    let all: Vec<String> = posted
        .iter()
        .map(|posted| ofx("8841", posted, "-20", "A1"))
        .collect();
    assert_eq!(read(&all), one);
    // Another account, number, amount or day of the bank's is another payment: some banks count anew in each statement.
    let late = "20261103233000[-5:EST]";
    for other in [
        ofx("5530", late, "-20", "A1"),
        ofx("8841", late, "-20", "A2"),
        ofx("8841", late, "-21", "A1"),
        ofx("8841", "20261104", "-20", "A1"),
    ] {
        assert_eq!(
            read(&[ofx("8841", late, "-20", "A1"), other.clone()]).len(),
            2,
            "{other}"
        );
    }
}

#[test]
fn a_large_export_is_read_in_slices_and_each_row_once() {
    let row = |i: u32| {
        format!(
            "{:02}/11/26,SHOP NUMBER {i},R{i},{}.00,{}\n",
            1 + i % 19,
            1 + i % 97,
            " ".repeat(448)
        )
    };
    let mut text = "Date,Narration,Ref,Withdrawal,Deposit\n".to_owned();
    let mut rows = 0;
    // One slice and a half.
    while (text.len() as u64) < agents_base::shared::SLICE / 2 * 3 {
        // Most of it is older than what is kept.
        let year = if rows % 1000 == 0 { "/11/26" } else { "/11/24" };
        text.push_str(&row(rows).replace("/11/26", year));
        rows += 1;
    }
    let (_folder, mut agent) = importing(&[("large.csv", text.as_bytes())], MAPPINGS);
    let first = ingest(&mut agent, t(NOW));
    assert!(
        first.left > 0 && first.taken >= agents_base::shared::SLICE,
        "{} {}",
        first.taken,
        first.left
    );
    let second = ingest(&mut agent, t(NOW));
    assert_eq!(second.left, 0);
    assert_eq!(first.taken + second.taken, text.len() as u64);
    assert_eq!(first.read + second.read, rows.div_ceil(1000));
    assert_eq!(lines(&agent).len(), rows.div_ceil(1000) as usize);
}

#[test]
fn what_is_dated_later_waits_for_its_day() {
    let journal = "2026-11-21 Corner shop\n    expenses:groceries  5 INR\n    assets:cash\n";
    let (folder, mut agent) = importing(&[("main.journal", journal.as_bytes())], "");
    assert_eq!(ingest(&mut agent, t(NOW)).read, 0);
    assert_eq!(ingest(&mut agent, t("2026-11-20T23:59:00+05:30")).read, 0);
    assert_eq!(ingest(&mut agent, t("2026-11-21T00:01:00+05:30")).read, 1);
    assert!(Path::exists(folder.path()));
}

#[test]
fn money_between_own_accounts_is_not_spent_and_the_accounts_sum_up() {
    let savings = String::from_utf8_lossy(&ofx_1()).replace(
        "</BANKTRANLIST>",
        "<STMTTRN><TRNTYPE>XFER<DTPOSTED>20261115<TRNAMT>-649.00<FITID>C1<NAME>CARD PAYMENT</STMTTRN></BANKTRANLIST>",
    );
    let card = "Posted,Description,Amount\n2026-11-17,PAYMENT RECEIVED,-649.00\n";
    let (_folder, mut agent) = importing(
        &[("s.ofx", savings.as_bytes()), ("c.csv", card.as_bytes())],
        MAPPINGS,
    );
    // After the statement's last day.
    agent.accept(vec![sms(
        "s1",
        "2026-11-19T13:31:00+05:30",
        "Rs.100.00 debited from A/c X8841 on 19-11-26 to VPA dmart@icici Ref 900112",
    )]);
    ingest(&mut agent, t(NOW));
    let own: Vec<String> = lines(&agent)
        .into_iter()
        .filter(|line| line.ends_with("own"))
        .collect();
    assert_eq!(
        own,
        [
            "2026-11-15 debit 649 INR 8841 other own",
            "2026-11-17 credit 649 INR 5530 other own",
        ]
    );
    let day = |day| NaiveDate::from_ymd_opt(2026, 11, day).unwrap();
    assert_eq!(agent.view.spent(day(15)), dec("0"));
    assert_eq!(agent.view.balance, Some(dec("11900")));
}

#[test]
fn a_newer_statement_replaces_the_configured_balance_and_an_older_one_does_not() {
    // The configured balance is of 2026-11-20, the statement's of the end of the 18th.
    for (as_of, expected) in [("20261118", "500"), ("20261120", "12000")] {
        let ofx = String::from_utf8_lossy(&ofx_1()).replace("<DTASOF>20261118", &format!("<DTASOF>{as_of}"));
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("s.ofx"), ofx).unwrap();
        let mut agent = FinanceAgent::new(AgentSetup {
            owner: owner(Some("500")),
            sources: SourcePaths {
                finance: vec![folder.path().to_owned()],
                ..SourcePaths::default()
            },
            ..setup()
        });
        ingest(&mut agent, t(NOW));
        assert_eq!(agent.view.balance, Some(dec(expected)), "{as_of}");
    }
}

#[test]
fn the_state_holds_no_text_of_any_source() {
    let (_folder, mut agent) = importing(
        &[
            ("november.ofx", &ofx_1()),
            ("main.journal", journals::HLEDGER.as_bytes()),
        ],
        "",
    );
    agent.accept(vec![sms(
        "s1",
        "2026-11-19T13:31:00+05:30",
        "Rs.100.00 debited from A/c X8841 on 19-11-26 to VPA rosewater@icici Ref 431299100200",
    )]);
    let answer = ingest(&mut agent, t(NOW));
    let state = answer.agent_state.to_string().to_lowercase();
    for text in [
        "swiggy",
        "chai",
        "sai",
        "acme",
        "salary",
        "myntra",
        "hotel",
        "roma",
        "corner",
        "november",
        "main",
        "savings",
        "rosewater",
        "icici",
        "431299100200",
        "900112",
        "0012345678841",
        "hdfc",
        "a1\"",
        "s1\"",
    ] {
        assert!(!state.contains(text), "{text} in {state}");
    }
    // Every word of it is a hash, a number, a date or of a closed list.
    let words = regex::Regex::new(r#""([^"]*)""#).unwrap();
    let known = regex::Regex::new(
        r"^(?:[a-z]h_[0-9a-f]{16}|tx_[0-9a-f]{16}|[0-9a-f]{8}|[0-9a-f]{16}|-?[0-9.]+|[a-z]{3}|[mprxotcj]|debit|credit|refund|fee|[a-z_]+)$",
    )
    .unwrap();
    for word in words.captures_iter(&state).map(|found| found[1].to_owned()) {
        assert!(known.is_match(&word) || word == "finance.v3", "{word}");
    }
    let own: Vec<&str> = words
        .captures_iter(&state)
        .map(|found| found.get(1).unwrap().as_str())
        .filter(|word| word.len() > 3 && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'))
        .filter(|word| !Category::ALL.iter().any(|category| category.as_str() == *word))
        .filter(|word| !["debit", "credit", "refund"].contains(word))
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect();
    assert_eq!(
        own,
        ["balances", "files", "statements", "txns", "version", "wishes"]
    );
}
