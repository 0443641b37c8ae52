//! Exports of known banks and brokers: rows that were made up, in each bank's own columns. What is expected is worked out from the rows by
//! hand.

use super::{
    statements::{importing, lines, skips},
    *,
};
use chrono_tz::Tz;

/// A bank, its export and what is read of it.
type BankCase = (&'static str, &'static str, &'static [&'static str]);

const CASES: &[BankCase] = &[
    (
        "N26",
        "\"Booking Date\",\"Value Date\",\"Partner Name\",\"Partner Iban\",Type,\"Payment Reference\",\"Account Name\",\"Amount (EUR)\",\"Original Amount\",\"Original Currency\",\"Exchange Rate\"\n\
         2026-11-03,2026-11-03,\"Kiosk am Ring\",,Presentment,-,\"Main Account\",-4.5,4.5,EUR,1\n\
         2026-11-04,2026-11-04,Werkstatt,DE00123,\"Credit Transfer\",Lohn,\"Main Account\",1500.25,,,\n",
        &[
            "2026-11-03 debit 4.5 EUR 0000 other",
            "2026-11-04 credit 1500.25 EUR 0000 other",
        ],
    ),
    (
        "N26",
        "\"Date\",\"Payee\",\"Account number\",\"Transaction type\",\"Payment reference\",\"Amount (EUR)\",\"Amount (Foreign Currency)\",\"Type Foreign Currency\",\"Exchange Rate\"\n\
         \"2026-11-03\",\"Kiosk\",\"\",\"MasterCard Payment\",\"\",\"-4.5\",\"-4.5\",\"EUR\",\"1.0\"\n",
        &["2026-11-03 debit 4.5 EUR 0000 other"],
    ),
    (
        "N26",
        "\"Datum\",\"Empfänger\",\"Kontonummer\",\"Transaktionstyp\",\"Verwendungszweck\",\"Betrag (EUR)\",\"Betrag (Fremdwährung)\",\"Fremdwährung\",\"Wechselkurs\"\n\
         \"2026-11-03\",\"Kiosk\",\"\",\"MasterCard Zahlung\",\"\",\"-4.5\",\"\",\"\",\"\"\n",
        &["2026-11-03 debit 4.5 EUR 0000 other"],
    ),
    (
        "DKB",
        "\"Girokonto\";\"DE02120300000000202051\"\n\"\"\n\"Kontostand vom 05.11.2026:\";\"1.000,00 €\"\n\"\"\n\
         \"Buchungsdatum\";\"Wertstellung\";\"Status\";\"Zahlungspflichtige*r\";\"Zahlungsempfänger*in\";\"Verwendungszweck\";\"Umsatztyp\";\"IBAN\";\"Betrag (€)\";\"Gläubiger-ID\";\"Mandatsreferenz\";\"Kundenreferenz\"\n\
         \"04.11.26\";\"04.11.26\";\"Gebucht\";\"Ich\";\"Laden\";\"Einkauf\";\"Ausgang\";\"DE00\";\"-1.012,30 €\";\"\";\"\";\"\"\n\
         \"05.11.26\";\"\";\"Vorgemerkt\";\"Ich\";\"Kino\";\"Karten\";\"Ausgang\";\"DE00\";\"-20,00 €\";\"\";\"\";\"\"\n",
        &["2026-11-04 debit 1012.3 EUR 2051 other"],
    ),
    (
        "DKB",
        "\"Kontonummer:\";\"DE02120300000000202051 / Girokonto\";\n\n\"Von:\";\"01.11.2026\";\n\n\
         \"Buchungstag\";\"Wertstellung\";\"Buchungstext\";\"Auftraggeber / Begünstigter\";\"Verwendungszweck\";\"Kontonummer\";\"BLZ\";\"Betrag (EUR)\";\"Gläubiger-ID\";\"Mandatsreferenz\";\"Kundenreferenz\";\n\
         \"04.11.2026\";\"04.11.2026\";\"Lastschrift\";\"Laden\";\"Einkauf\";\"DE00\";\"X\";\"-12,30\";\"\";\"\";\"\";\n",
        &["2026-11-04 debit 12.3 EUR 2051 other"],
    ),
    (
        "ING Germany",
        "Umsatzanzeige;Datei erstellt am: 05.11.2026 10:00\n\nIBAN;DE02 5001 0517 0000 7890\nKontoname;Girokonto\nBank;ING\n\n\
         Buchung;Valuta;Auftraggeber/Empfänger;Buchungstext;Verwendungszweck;Saldo;Währung;Betrag;Währung\n\
         05.11.2026;05.11.2026;Laden;Lastschrift;Einkauf;87,50;EUR;-12,50;EUR\n04.11.2026;04.11.2026;Werk;Gehalt;November;100,00;EUR;50,00;EUR\n",
        &[
            "2026-11-04 credit 50 EUR 7890 other",
            "2026-11-05 debit 12.5 EUR 7890 other",
        ],
    ),
    (
        "Commerzbank",
        "Buchungstag;Wertstellung;Umsatzart;Buchungstext;Betrag;Währung;Auftraggeberkonto;Bankleitzahl Auftraggeberkonto;IBAN Auftraggeberkonto;Kategorie\n\
         04.11.2026;04.11.2026;Lastschrift;Laden an der Ecke;-12,30;EUR;0001111;50040000;DE02500400000000001111;\n",
        &["2026-11-04 debit 12.3 EUR 1111 other"],
    ),
    (
        "Sparkasse",
        "\"Auftragskonto\";\"Buchungstag\";\"Valutadatum\";\"Buchungstext\";\"Verwendungszweck\";\"Glaeubiger ID\";\"Mandatsreferenz\";\"Kundenreferenz (End-to-End)\";\"Beguenstigter/Zahlungspflichtiger\";\"Kontonummer/IBAN\";\"BIC (SWIFT-Code)\";\"Betrag\";\"Waehrung\";\"Info\"\n\
         \"DE02100500000000002222\";\"04.11.26\";\"04.11.26\";\"KARTENZAHLUNG\";\"Einkauf\";\"\";\"\";\"\";\"Laden\";\"DE00\";\"X\";\"-12,30\";\"EUR\";\"Umsatz gebucht\"\n\
         \"DE02100500000000002222\";\"05.11.26\";\"05.11.26\";\"KARTENZAHLUNG\";\"Kino\";\"\";\"\";\"\";\"Kino\";\"DE00\";\"X\";\"-20,00\";\"EUR\";\"Umsatz vorgemerkt\"\n",
        &["2026-11-04 debit 12.3 EUR 2222 other"],
    ),
    (
        "Rabobank",
        "\"IBAN/BBAN\",\"Munt\",\"BIC\",\"Volgnr\",\"Datum\",\"Rentedatum\",\"Bedrag\",\"Saldo na trn\",\"Tegenrekening IBAN/BBAN\",\"Naam tegenpartij\",\"Omschrijving-1\"\n\
         \"NL00RABO0000003333\",\"EUR\",\"RABONL2U\",\"000000000000000001\",\"2026-11-03\",\"2026-11-03\",\"-12,30\",\"+87,70\",\"\",\"Winkel\",\"Pas\"\n",
        &["2026-11-03 debit 12.3 EUR 3333 other"],
    ),
    (
        "Rabobank",
        "\"IBAN/BBAN\",\"Ccy\",\"BIC\",\"Seq No\",\"Date\",\"Value Date\",\"Amount\",\"Bal After Bkng\",\"Counterpty IBAN/BBAN\",\"Name Counterpty\",\"Description-1\"\n\
         \"NL00RABO0000003333\",\"EUR\",\"RABONL2U\",\"000000000000000001\",\"2026-11-03\",\"2026-11-03\",\"+12,30\",\"+87,70\",\"\",\"Winkel\",\"Pas\"\n",
        &["2026-11-03 credit 12.3 EUR 3333 other"],
    ),
    (
        "ING Netherlands",
        "\"Datum\",\"Naam / Omschrijving\",\"Rekening\",\"Tegenrekening\",\"Code\",\"Af Bij\",\"Bedrag (EUR)\",\"Mutatiesoort\",\"Mededelingen\"\n\
         \"20261103\",\"Bakker\",\"NL20INGB0000004444\",\"\",\"BA\",\"Af\",\"4,95\",\"Betaalautomaat\",\"Pas\"\n\
         \"20261104\",\"Werk\",\"NL20INGB0000004444\",\"\",\"OV\",\"Bij\",\"1500,00\",\"Overschrijving\",\"Loon\"\n",
        &[
            "2026-11-03 debit 4.95 EUR 4444 other",
            "2026-11-04 credit 1500 EUR 4444 other",
        ],
    ),
    (
        "Société Générale",
        "\"0000111\";\"01/11/2026\";\"05/11/2026\";\n\nDate de l'opération;Libellé;Détail de l'écriture;Montant de l'opération;Devise\n\
         03/11/2026;CARTE X1;CARTE X1 BOULANGER;-4,95;EUR\n04/11/2026;VIR RECU;VIR RECU DE ATELIER;1500,00;EUR\n",
        &[
            "2026-11-03 debit 4.95 EUR 0000 other",
            "2026-11-04 credit 1500 EUR 0000 other",
        ],
    ),
    (
        "Boursorama",
        "dateOp;dateVal;label;category;categoryParent;amount;accountNum;accountLabel;accountbalance\n\
         2026-11-03;2026-11-03;\"CARTE BOULANGER\";Pain;Vie;\"-1 204,95\";00001234;Compte;100.00\n",
        &["2026-11-03 debit 1204.95 EUR 1234 other"],
    ),
    (
        "mBank",
        "mBank S.A. Bankowość Detaliczna;\n#Waluta;\nPLN;\n\n\
         #Data operacji;#Data księgowania;#Opis operacji;#Tytuł;#Nadawca/Odbiorca;#Numer konta;#Kwota;#Saldo po operacji;\n\
         2026-11-03;2026-11-03;ZAKUP;Zakup;SKLEP;'';-12,30;87,70;\n2026-11-04;2026-11-04;PRZELEW;Pensja;PRACA;'';1 500,00;1 587,70;\n",
        &[
            "2026-11-03 debit 12.3 PLN 0000 other",
            "2026-11-04 credit 1500 PLN 0000 other",
        ],
    ),
    (
        "UBS",
        "Valuation date;Banking relationship;Portfolio;Product;IBAN;Ccy.;Date from;Date to;Description;Trade date;Booking date;Value date;Description 1;Description 2;Description 3;Transaction no.;Debit;Credit\n\
         05.11.2026;0;;P;CH00;CHF;01.11.2026;05.11.2026;Konto;03.11.2026;03.11.2026;03.11.2026;Card;Kiosk;;T1;1'012.30;\n",
        &["2026-11-03 debit 1012.3 CHF 0000 other"],
    ),
    (
        "PayPal",
        "\"Date\",\"Time\",\"Time Zone\",\"Description\",\"Currency\",\"Gross\",\"Fee\",\"Net\",\"Balance\",\"Transaction ID\",\"From Email Address\",\"Name\",\"Bank Name\",\"Bank Account\"\n\
         \"13/11/2026\",\"09:00:00\",\"Europe/London\",\"Express Checkout Payment\",\"GBP\",\"-5.00\",\"0.00\",\"-5.00\",\"-5.00\",\"T1\",\"a@example.com\",\"Shop\",\"\",\"\"\n\
         \"13/11/2026\",\"09:00:01\",\"Europe/London\",\"Bank Deposit to PP Account\",\"GBP\",\"5.00\",\"0.00\",\"5.00\",\"0.00\",\"T2\",\"\",\"\",\"Bank\",\"x-5678\"\n",
        &["2026-11-13 debit 5 GBP 0000 other"],
    ),
    (
        "Revolut",
        "Type,Product,Started Date,Completed Date,Description,Amount,Fee,Currency,State,Balance\n\
         CARD_PAYMENT,Current,2026-11-02 21:00:00,2026-11-03 09:00:00,Baker,-4.95,0.00,GBP,COMPLETED,95.05\n\
         CARD_PAYMENT,Current,2026-11-04 21:00:00,,Cinema,-9.00,0.00,GBP,PENDING,\n",
        &["2026-11-03 debit 4.95 GBP 0000 other"],
    ),
    (
        "Trading 212",
        "Action,Time,ISIN,Ticker,Name,No. of shares,Price / share,Currency (Price / share),Exchange rate,Total,Currency (Total),Notes,ID\n\
         Deposit,2026-11-03 09:00:00,,,,,,,,100.00,GBP,Bank,D1\n\
         Market buy,2026-11-03 10:00:00,US000,ABC,Abc Inc,1.0,50.00,USD,1.2,41.60,GBP,,B1\n\
         Withdrawal,2026-11-04 09:00:00,,,,,,,,-20.00,GBP,Bank,W1\n",
        &[
            "2026-11-03 credit 100 GBP 0000 other",
            "2026-11-04 debit 20 GBP 0000 other",
        ],
    ),
    (
        "Starling",
        "Date,Counter Party,Reference,Type,Amount (GBP),Balance (GBP),Spending Category,Notes\n\
         03/11/2026,Corner Shop,MILK,CONTACTLESS,-3.20,96.80,GROCERIES,\n04/11/2026,Work,PAY,FASTER PAYMENT,1500.00,1596.80,INCOME,\n",
        &[
            "2026-11-03 debit 3.2 GBP 0000 other",
            "2026-11-04 credit 1500 GBP 0000 other",
        ],
    ),
    (
        "Monzo",
        "Transaction ID,Date,Time,Type,Name,Emoji,Category,Amount,Currency,Local amount,Local currency,Notes and #tags,Address,Receipt,Description,Category split,Money Out,Money In\n\
         tx_1,03/11/2026,09:12:00,Card payment,Corner Shop,,Groceries,-3.20,GBP,-3.70,EUR,,,,CORNER SHOP,,-3.20,\n",
        &["2026-11-03 debit 3.2 GBP 0000 other"],
    ),
    (
        "Lloyds",
        "Transaction Date,Transaction Type,Sort Code,Account Number,Transaction Description,Debit Amount,Credit Amount,Balance,\n\
         04/11/2026,FPI,'00-00-00,00005555,WORK,,1500.00,1496.80\n03/11/2026,DEB,'00-00-00,00005555,CORNER SHOP,3.20,,-3.20\n",
        &[
            "2026-11-03 debit 3.2 GBP 5555 other",
            "2026-11-04 credit 1500 GBP 5555 other",
        ],
    ),
    (
        "Barclays",
        "Number,Date,Account,Amount,Subcategory,Memo\n \t,03/11/2026,00-00-00 00006666,-3.20,PAYMENT,CORNER SHOP    \t ON 02 NOV\n",
        &["2026-11-03 debit 3.2 GBP 6666 other"],
    ),
    (
        "NatWest",
        "\nDate, Type, Description, Value, Balance, Account Name, Account Number\n\n\
         03/11/2026,POS,\"'CORNER SHOP\",-3.20,96.80,\"'SAVER\",\"'000000-00007777\",\n",
        &["2026-11-03 debit 3.2 GBP 7777 other"],
    ),
    (
        "Chase",
        "Details,Posting Date,Description,Amount,Type,Balance,Check or Slip #\n\
         DEBIT,11/04/2026,CORNER SHOP,-3.20,DEBIT_CARD,96.80,,\nCREDIT,11/03/2026,WORK,50.00,ACH_CREDIT,100.00,,\n",
        &[
            "2026-11-03 credit 50 USD 0000 other",
            "2026-11-04 debit 3.2 USD 0000 other",
        ],
    ),
    (
        "Chase card",
        "Transaction Date,Post Date,Description,Category,Type,Amount,Memo\n11/03/2026,11/04/2026,CORNER SHOP,Groceries,Sale,-3.20,\n\
         11/05/2026,11/05/2026,Payment Thank You,,Payment,50.00,\n",
        &[
            "2026-11-03 debit 3.2 USD 0000 other",
            "2026-11-05 credit 50 USD 0000 other",
        ],
    ),
    (
        "Bank of America",
        "Description,,Summary Amt.\nBeginning balance as of 11/01/2026,,\"100.00\"\n\nDate,Description,Amount,Running Bal.\n\
         11/01/2026,Beginning balance as of 11/01/2026,,\"100.00\"\n11/03/2026,\"CORNER SHOP\",\"-3.20\",\"96.80\"\n\
         11/04/2026,\"WORK\",\"1,500.00\",\"1,596.80\"\n",
        &[
            "2026-11-03 debit 3.2 USD 0000 other",
            "2026-11-04 credit 1500 USD 0000 other",
        ],
    ),
    (
        "Bank of America card",
        "Posted Date,Reference Number,Payee,Address,Amount\n11/03/2026,24000000000000000000001,\"CORNER SHOP\",\"TOWN CA\",-3.20\n",
        &["2026-11-03 debit 3.2 USD 0000 other"],
    ),
    (
        "Capital One card",
        "Transaction Date,Posted Date,Card No.,Description,Category,Debit,Credit\n2026-11-03,2026-11-04,8888,CORNER SHOP,Groceries,3.20,\n\
         2026-11-05,2026-11-05,8888,CAPITAL ONE MOBILE PYMT,Payment/Credit,,50.00\n",
        &[
            "2026-11-03 debit 3.2 USD 8888 other",
            "2026-11-05 credit 50 USD 8888 other",
        ],
    ),
    (
        "Discover card",
        "Trans. Date,Post Date,Description,Amount,Category\n11/03/2026,11/04/2026,\"CORNER SHOP\",3.20,\"Supermarkets\"\n\
         11/05/2026,11/05/2026,\"INTERNET PAYMENT\",-50.00,\"Payments and Credits\"\n",
        &[
            "2026-11-03 debit 3.2 USD 0000 other",
            "2026-11-05 credit 50 USD 0000 other",
        ],
    ),
    (
        "Charles Schwab",
        "\"Date\",\"Status\",\"Type\",\"CheckNumber\",\"Description\",\"Withdrawal\",\"Deposit\",\"RunningBalance\"\n\
         \"11/04/2026\",\"Posted\",\"VISA\",\"\",\"CORNER SHOP\",\"$3.20\",\"\",\"$1,496.80\"\n\
         \"11/03/2026\",\"Posted\",\"ACH\",\"\",\"WORK\",\"\",\"$1,500.00\",\"$1,500.00\"\n",
        &[
            "2026-11-03 credit 1500 USD 0000 other",
            "2026-11-04 debit 3.2 USD 0000 other",
        ],
    ),
    (
        "Charles Schwab brokerage",
        "\"Date\",\"Action\",\"Symbol\",\"Description\",\"Quantity\",\"Price\",\"Fees & Comm\",\"Amount\"\n\
         \"11/04/2026\",\"Buy\",\"ABC\",\"ABC FUND\",\"2\",\"$10.00\",\"\",\"-$20.00\"\n\
         \"11/03/2026\",\"MoneyLink Transfer\",\"\",\"Tfr BANK\",\"\",\"\",\"\",\"$100.00\"\n",
        &["2026-11-03 credit 100 USD 0000 other"],
    ),
    (
        "DCU",
        "\"DATE\",\"TRANSACTION TYPE\",\"DESCRIPTION\",\"AMOUNT\",\"ID\",\"MEMO\",\"CURRENT BALANCE\"\n\
         \"11/03/2026\",\"DEBIT\",\"CORNER SHOP\",\"-3.20\",\"1\",\"\",\"96.80\"\n",
        &["2026-11-03 debit 3.2 USD 0000 other"],
    ),
    (
        "HDFC Bank",
        "HDFC BANK Ltd.,,,,,,\nAccount No : 00000000009999,,,,,,\n\nDate,Narration,Chq./Ref.No.,Value Dt,Withdrawal Amt.,Deposit Amt.,Closing Balance\n\
         03/11/26,UPI-CORNER SHOP-shop@ybl-YESB0000001-431200100201-MILK,0000431200100201,03/11/26,32.00,,\"1,23,456.00\"\n\
         04/11/26,NEFT CR-WORK,N001,04/11/26,,\"85,000.00\",\"2,08,456.00\"\n",
        &[
            "2026-11-03 debit 32 INR 9999 other",
            "2026-11-04 credit 85000 INR 9999 other",
        ],
    ),
    (
        "ICICI Bank",
        "S No.,Value Date,Transaction Date,Cheque Number,Transaction Remarks,Withdrawal Amount(INR),Deposit Amount(INR),Balance(INR)\n\
         1,03/11/2026,03/11/2026,-,UPI/431200100201/CORNER SHOP,32.00,0.00,\"1,23,456.00\"\n\
         2,04/11/2026,04/11/2026,-,NEFT-WORK,0.00,\"85,000.00\",\"2,08,456.00\"\n",
        &[
            "2026-11-03 debit 32 INR 0000 other",
            "2026-11-04 credit 85000 INR 0000 other",
        ],
    ),
    (
        "State Bank of India",
        "Account Number\t:\t_00000000001212\nTxn Date\tValue Date\tDescription\tRef No./Cheque No.\t        Debit\tCredit\tBalance\n\
         3 Nov 2026\t3 Nov 2026\tCORNER SHOP\tX\t32.00\t \t1,23,456.00\n",
        &["2026-11-03 debit 32 INR 1212 other"],
    ),
    (
        "Axis Bank",
        "Statement of Account No :000000001313\n\nTran Date,Chq No,Particulars,Debit,Credit,Balance,Init. br\n\
         03-11-2026,,UPI/P2M/431200100201/CORNER SHOP,32.00,,1234.00,100\n04-11-2026,,NEFT/WORK,,850.00,2084.00,100\n",
        &[
            "2026-11-03 debit 32 INR 1313 other",
            "2026-11-04 credit 850 INR 1313 other",
        ],
    ),
];

#[test]
fn each_known_bank_is_named_and_read_in_its_own_columns() {
    let mut wrong = Vec::new();
    for (bank, text, expected) in CASES {
        let found = recognise_csv(text.as_bytes(), true, None, Tz::Asia__Kolkata);
        let told = found.as_ref().map(|found| {
            let name = found.bank.as_deref().unwrap_or_default();
            (name, found.questions.len(), found.confidence)
        });
        let (_folder, mut agent) = importing(&[("a.csv", text.as_bytes())], "");
        let answer = ingest(&mut agent, t(NOW));
        let read = lines(&agent);
        if told != Some((*bank, 0, 100)) || read != *expected {
            wrong.push(format!("{bank}: {told:?} {read:?} {:?}", skips(&answer)));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn of_money_that_came_in_whoever_paid_it_is_named() {
    let text = "\"Buchungsdatum\";\"Wertstellung\";\"Status\";\"Zahlungspflichtige*r\";\"Zahlungsempfänger*in\";\"Verwendungszweck\";\"Umsatztyp\";\"IBAN\";\"Betrag (€)\"\n\
         \"04.11.26\";\"04.11.26\";\"Gebucht\";\"Robin Beispiel\";\"Laden\";\"Einkauf\";\"Ausgang\";\"DE00\";\"-12,30 €\"\n\
         \"05.11.26\";\"05.11.26\";\"Gebucht\";\"Werkstatt Nord\";\"Robin Beispiel\";\"Lohn\";\"Eingang\";\"DE00\";\"2.800,10 €\"\n\
         \"06.11.26\";\"06.11.26\";\"Gebucht\";\"\";\"Robin Beispiel\";\"Zinsen\";\"Eingang\";\"DE00\";\"0,10 €\"\n";
    let found = recognise_csv(text.as_bytes(), true, None, Tz::Europe__Berlin).unwrap();
    let named: Vec<&str> = found.rows.iter().map(|row| row.payee.as_str()).collect();
    assert_eq!(named, ["Laden", "Werkstatt Nord", "Zinsen"]);
}

#[test]
fn every_bank_of_the_list_has_an_export_here_a_source_and_a_day() {
    let named: std::collections::BTreeSet<&str> = CASES.iter().map(|(bank, ..)| *bank).collect();
    let listed: std::collections::BTreeSet<&str> = crate::sources::recognition::banks::known_banks()
        .iter()
        .map(|bank| bank.bank.as_str())
        .collect();
    assert_eq!(named, listed);
    assert!(listed.len() >= 20, "{}", listed.len());
    for bank in crate::sources::recognition::banks::known_banks() {
        let source = bank.source.starts_with("PyPI ") || bank.source.starts_with("github.com/");
        assert!(
            source && bank.seen.starts_with("2026-") && bank.country.len() == 2,
            "{}",
            bank.bank
        );
        assert_eq!(bank.reads.name, bank.bank);
        assert!(bank.reads.header.len() >= 3, "{}", bank.bank);
        let mut preferences = agents_base::contract::FinancePreferences::default();
        preferences.csv.push(bank.reads.clone());
        assert_eq!(preferences.problem(), None, "{}", bank.bank);
    }
    let kinds: std::collections::BTreeSet<_> = crate::sources::recognition::banks::known_banks()
        .iter()
        .map(|bank| bank.kind)
        .collect();
    assert_eq!(kinds.len(), 3);
}
