//! Any bytes at all, as each kind of file.

use super::*;

fn as_csv(
    bytes: &[u8],
    mappings: &[agents_base::contract::CsvMapping],
) -> csv::CsvStatement<Box<dyn std::io::BufRead + Send>> {
    let content = csv_rows::as_utf8(Box::new(std::io::Cursor::new(bytes.to_vec()))).unwrap();
    let context = csv::CsvReadingContext {
        mappings,
        currency: Some("EUR"),
        zone: Tz::Asia__Kolkata,
    };
    csv::CsvStatement::new(content, context).unwrap()
}

/// Every item of some bytes as each kind of file.
fn read_as_everything(bytes: &[u8]) {
    use std::io::Cursor;
    let mappings: Vec<agents_base::contract::CsvMapping> = serde_json::from_value(json!([
        { "name": "a", "date": "Date", "date_formats": ["%d/%m/%y", "%Q%"], "amount": { "debit": "Out", "credit": "In" },
          "payee": ["Text"], "reference": "Ref", "currency": { "column": "Cur" }, "account": { "column": "Acc" } },
        { "name": "b", "delimiter": ";", "decimal": ",", "date": "Date", "date_formats": ["%d.%m.%Y"], "amount": "Sum",
          "payee": [], "currency": "EUR", "account": "", "charset": "windows-1252" } ]))
    .unwrap();
    let zone = Tz::Asia__Kolkata;
    let input = || inputs::JournalInput {
        content: Box::new(Cursor::new(bytes.to_vec())),
        path: None,
    };
    let most = bytes.len() + 2;
    for items in [
        ofx::OfxStatement::new(Cursor::new(bytes.to_vec()), zone)
            .take(most + 1)
            .count(),
        camt::CamtStatement::new(Cursor::new(bytes.to_vec()), zone)
            .take(most + 1)
            .count(),
        mt940::Mt940Statement::new(Cursor::new(bytes.to_vec()), zone)
            .take(most + 1)
            .count(),
        as_csv(bytes, &mappings).take(most + 1).count(),
        as_csv(bytes, &[]).take(most + 1).count(),
        journal::HledgerJournal::new(input(), zone).take(most + 1).count(),
        beancount::BeancountJournal::new(input(), zone)
            .take(most + 1)
            .count(),
    ] {
        assert!(items <= most, "{items} items of {} bytes", bytes.len());
    }
}

proptest! {
    #[test]
    fn no_bytes_make_a_reader_panic_or_go_on_for_ever(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        read_as_everything(&bytes);
    }

    #[test]
    fn no_words_of_the_formats_make_a_reader_panic_or_go_on_for_ever(
        words in proptest::collection::vec(
            prop_oneof![
                Just("<OFX>"), Just("<STMTTRN>"), Just("</STMTTRN>"), Just("<TRNAMT>-1.5"), Just("<DTPOSTED>2026110300[+99:X]"),
                Just("<DTPOSTED>20261103120000.000[-5:EST]"), Just("<![CDATA["), Just("]]>"), Just("<LEDGERBAL>"), Just("</LEDGERBAL>"),
                Just("<BALAMT>9999999999999999999999999999"), Just("&#x110000;"), Just("<STMTRS><CURDEF>INR"), Just("<ACCTID>\u{e9}"),
                Just("<Document><BkToCstmrStmt><Stmt>"), Just("<Ntry>"), Just("</Ntry>"), Just("<Amt Ccy='EUR'>1</Amt>"), Just("<Sts>BOOK</Sts>"),
                Just("<NtryDtls><TxDtls>"), Just("</TxDtls>"), Just("<CdtDbtInd>DBIT</CdtDbtInd>"), Just("<BookgDt><Dt>2026-11-03"), Just("<!DOCTYPE a ["),
                Just(":20:A\n"), Just(":60F:C261101EUR1,\n"), Just(":61:2611031103D1,5NTRF"), Just(":86:106?00A?20B?32"), Just(":62F:C261118EUR9,9\n"),
                Just("-}"), Just("\r"), Just("Date,Text,Ref,Out,In,Cur,Acc\n"), Just("Date;Sum\n"), Just("\""), Just(","), Just(";"), Just("03/11/26"), Just("-1.2.3"),
                Just("2026-11-03 * x\n"), Just("2026-11-03 * \"x\n"), Just(" expenses:a  "), Just(" assets:b\n"), Just("1,00 EUR @ 2 INR"),
                Just("{{"), Just("}}"), Just("@@"), Just("= 3\n"), Just("include x\n"), Just("comment\n"), Just("Y2026\n"), Just("D 1,0 EUR\n"),
                Just("99999999999999999999999999999 INR"), Just(" Expenses:A  1 INR @@ -9\n"), Just("-"), Just("\u{20b9}"), Just("\n"), Just(" "),
            ],
            0..60,
        )
    ) {
        read_as_everything(words.concat().as_bytes());
    }
}
