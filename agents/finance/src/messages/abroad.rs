//! Messages as banks abroad, in German and in Hindi write them: all invented from general knowledge, in two halves.
//!
//! The first was looked at while the reader was mended; of the second only the number that is read right is told, and it may only grow.

use super::{
    MessageVerdict, read_message,
    tests::{context, told},
};
use rust_decimal::Decimal;

/// From, text, and `direction amount currency account [payee]`, or the verdict, each worked out from the text by hand.
type Row = (&'static str, &'static str, &'static str);

#[rustfmt::skip] // A row fills a line.
const LOOKED_AT: &[Row] = &[
    ("ADCBAlert", "Your Cr.Card XX4821 was used for AED 87.50 at LULU HYPERMARKET, DUBAI on 03/11/2026 18:22. Available limit is AED 11,240.00", "debit 87.5 AED 4821 [LULU HYPERMARKET]"),
    ("QNB", "QAR 250.000 has been withdrawn from your account ***7712 at ATM AL SADD on 03-11-2026. Avl Bal QAR 4,120.55", "Question"),
    ("AlRajhi", "POS Purchase\nAmount: SAR 64.25\nAt: PANDA\nCard: *3318 mada\nOn: 03-11-2026 20:14", "debit 64.25 SAR 3318 [PANDA]"),
    ("MPESA", "SKJ4X1Y2Z3 Confirmed. Ksh1,250.00 paid to NAIVAS SUPERMARKET. on 3/11/26 at 4:12 PM. New M-PESA balance is Ksh3,400.20. Transaction cost, Ksh0.00.", "debit 1250 KES - [NAIVAS SUPERMARKET]"),
    ("GTBank", "Acct: ****4432 Amt: NGN15,000.00 DR Desc: TRF TO ADEBAYO OKAFOR Avail Bal: NGN82,310.11 Date: 03-Nov-2026 09:21", "debit 15000 NGN 4432 [ADEBAYO OKAFOR]"),
    ("Monzo", "You paid Tesco £23.40 from your account ending 6610 on 3 Nov. Your balance is £410.02.", "debit 23.4 GBP 6610 [Tesco]"),
    ("Chase", "Chase: You made a $54.18 transaction with TRADER JOE'S on Nov 3, 2026 with card ending in 9021.", "debit 54.18 USD 9021 [TRADER JOE'S]"),
    ("Sparkasse", "Kartenzahlung 31,90 EUR bei REWE MARKT am 03.11.2026, Karte *7745. Kontostand 1.204,11 EUR.", "debit 31.9 EUR 7745 [REWE MARKT]"),
    ("VM-SBIUPI-S", "Aapke khate XX4410 se Rs 350 kata gaya, RAMESH KIRANA ko bheja gaya 03-11-26. Ref 430911112222", "debit 350 INR 4410 [RAMESH KIRANA]"),
    ("AX-HDFCBK-S", "Rs.500.00 debited from a/c XX2210 to SWIGGY and Rs.200.00 debited from a/c XX2210 to UBER on 03-11-26", "Question"),
    ("FNB", "FNB :-) R149.90 reserved for purchase @ WOOLWORTHS from cheque a/c..773344 using card..1182. Avail R2310. 3Nov 14:02", "debit 149.9 ZAR 773344 [WOOLWORTHS]"),
    ("Mashreq", "AED 1,250.00 was transferred from your account xxxx8830 to FATIMA NOOR on 03-Nov-2026. Your available balance is AED 6,010.25.", "debit 1250 AED 8830 [FATIMA NOOR]"),
    ("BankMuscat", "Dear Customer, your Debit card # 4481 was used for OMR 12.350 at AL FAIR SEEB on 03/11/2026 14:20:11.", "debit 12.35 OMR 4481 [AL FAIR SEEB]"),
    ("SABB", "Salary credited\nAmount SAR 9,400.00\nAccount **2217\nDate 01/11/2026", "credit 9400 SAR 2217 []"),
    ("MPESA", "SKK2P0Q1R9 Confirmed. You have received Ksh2,300.00 from PETER OTIENO 0722000111 on 2/11/26 at 9:05 AM New M-PESA balance is Ksh5,700.00.", "credit 2300 KES - [PETER OTIENO]"),
    ("AirtelMoney", "Sent UGX 25,000 to NAKATO SARAH 0750111222. Fee UGX 500. Bal UGX 61,200. TID 88123456789. Date 03-Nov-2026 10:11.", "debit 25000 UGX - [NAKATO SARAH]"),
    ("Zenith", "Acct:***3391 DT:03/11/2026:10:12 POS Buy @ JUSTRITE STORES DR Amt:NGN7,450.00 Bal:NGN31,020.66", "debit 7450 NGN 3391 [JUSTRITE STORES]"),
    ("Opay", "Your transfer of ₦5,000.00 to CHIDINMA EZE was successful. Transaction fee ₦10.00. Balance: ₦12,430.00", "debit 5000 NGN - [CHIDINMA EZE]"),
    ("VodaCash", "Cash Out made for GHS 200.00 to AKOSUA VENTURES. Current Balance: GHS 88.40. Fee: GHS 2.00. Trans ID: 41200998877", "debit 200 GHS - [AKOSUA VENTURES]"),
    ("Starling", "Card payment: £8.75 at Pret A Manger just now. Balance £301.22", "debit 8.75 GBP - [Pret A Manger]"),
    ("Nationwide", "Direct Debit of £42.50 to SEVERN TRENT taken from your account ending 0187 today.", "debit 42.5 GBP 0187 [SEVERN TRENT]"),
    ("Lloyds", "£950.00 was paid into your account ending 4410 by ORBIT HOUSING on 03 Nov.", "credit 950 GBP 4410 [ORBIT HOUSING]"),
    ("CapitalOne", "Capital One: Your card ending in 3380 was charged $42.10 at SHELL OIL on November 3, 2026.", "debit 42.1 USD 3380 [SHELL OIL]"),
    ("USAA", "Direct deposit of $1,812.40 from ACME LOGISTICS posted to your checking account *6612 on 11/02/2026.", "credit 1812.4 USD 6612 [ACME LOGISTICS]"),
    ("Volksbank", "Ihr Konto ****8812 wurde am 03.11.2026 mit 27,40 EUR von PENNY MARKT belastet.", "debit 27.4 EUR 8812 [PENNY MARKT]"),
    ("INGDiBa", "Geldeingang: 1.850,00 EUR von Musterwerk AG auf Ihr Konto ...4471 am 02.11.2026", "credit 1850 EUR 4471 [Musterwerk AG]"),
    ("JD-CENTBK-S", "Aapke khata XX9012 mein Rs 1,500 jama kiye gaye hain, bhejne wale: KAVITA RANI. 03-11-26", "credit 1500 INR 9012 [KAVITA RANI]"),
    ("DBS", "SGD 18.90 was charged to your DBS card ending 7712 at NTUC FAIRPRICE on 03 Nov 18:02 SGT.", "debit 18.9 SGD 7712 [NTUC FAIRPRICE]"),
    ("GCash", "You have sent PHP 750.00 to MARIA SANTOS on Nov 3, 2026 2:11 PM. Ref No 9011223344.", "debit 750 PHP - [MARIA SANTOS]"),
    ("Capitec", "Capitec: You spent R89.99 at CHECKERS HYPER from Main Acc ..5512 on 03 Nov. Avail R1 204.10", "debit 89.99 ZAR 5512 [CHECKERS HYPER]"),
];

#[rustfmt::skip] // A row fills a line.
const HELD_BACK: &[Row] = &[
    ("ENBD", "Purchase of AED 212.00 with Debit Card ending 5590 at CARREFOUR MOE on 03 Nov 2026. Avl balance is AED 3,018.77.", "debit 212 AED 5590 [CARREFOUR MOE]"),
    ("NBK", "KWD 12.750 spent on your card 4412 at SULTAN CENTER on 03/11/26. Available KWD 640.125", "debit 12.75 KWD 4412 [SULTAN CENTER]"),
    ("MTNMoMo", "Payment made for GHS 45.00 to AMA BOATENG. Current Balance: GHS 120.50. Transaction Id: 30911228877. Fee charged: GHS 0.00", "debit 45 GHS - [AMA BOATENG]"),
    ("EQUITY", "Dear customer, KES 3,000.00 has been sent to JOHN MWANGI from your account 0170****8821 on 03-11-2026. Ref XZ99112.", "debit 3000 KES 8821 [JOHN MWANGI]"),
    ("Barclays", "Barclays: a payment of GBP 60.00 to THAMES WATER left your account ending 3307 on 03/11/26.", "debit 60 GBP 3307 [THAMES WATER]"),
    ("WellsFargo", "Wells Fargo: Purchase of $18.75 at STARBUCKS 0221 with card ending 7714 on 11/03/2026.", "debit 18.75 USD 7714 [STARBUCKS 0221]"),
    ("BofA", "BofA: Zelle payment of $120.00 sent to Maria Lopez from account ending 0091 on 11/03/26.", "debit 120 USD 0091 [Maria Lopez]"),
    ("DKB", "Lastschrift über 49,99 EUR von Telekom Deutschland GmbH wurde am 03.11.26 von Ihrem Konto *2210 eingezogen.", "debit 49.99 EUR 2210 [Telekom Deutschland GmbH]"),
    ("N26", "Du hast 15,00 € an Lukas Meier gesendet.", "debit 15 EUR - [Lukas Meier]"),
    ("BT-PNBSMS-S", "Aapke PNB khate XX7781 mein Rs 2,000 SUNITA DEVI se 03-11-2026 ko jama hua. Shesh Rs 9,310.", "credit 2000 INR 7781 [SUNITA DEVI]"),
    ("VM-KOTAKB-S", "Sent Rs.90.00 from Kotak Bank AC X5521 to chai.point@okaxis on 03-11-26.UPI Ref 430977778888. Not you, https://kotak.com/KBANKT/Fr", "debit 90 INR 5521 [chai.point@okaxis]"),
    ("AX-AXISBK-S", "INR 1,000.00 debited A/c no. XX3120 03-11-26 10:10 ATM-WDL. INR 23.60 charges debited A/c no. XX3120. SMS BLOCKCARD", "Question"),
    ("DIB", "You have spent AED 45.50 at CAFE NERO using your card ending with 2291 on 03/11/2026 09:20.", "debit 45.5 AED 2291 [CAFE NERO]"),
    ("Boubyan", "A transfer of KWD 50.000 has been received in your account ending 8873 from HUDA SALEM on 03-11-2026.", "credit 50 KWD 8873 [HUDA SALEM]"),
    ("CBQ", "Your account 4400***712 has been credited with QAR 7,200.00 on 01-11-2026 by GULF FALCON TRADING.", "credit 7200 QAR 712 [GULF FALCON TRADING]"),
    ("MPESA", "SKL9A8B7C6 Confirmed. Ksh850.00 sent to KPLC PREPAID for account 14123456789 on 3/11/26 at 7:45 PM New M-PESA balance is Ksh1,020.00. Transaction cost, Ksh10.00.", "debit 850 KES - [KPLC PREPAID]"),
    ("MixxYas", "You have received TZS 40,000 from JUMA HASSAN on 03/11/2026 12:30. New balance TZS 61,500. TxnID 7H12AB34.", "credit 40000 TZS - [JUMA HASSAN]"),
    ("FirstBank", "Debit: 123XXXX441 Amt: NGN3,200.00 Date: 03-NOV-2026 17:44 Desc: POS PURCHASE AT EBEANO MARKET. Bal: NGN18,004.10", "debit 3200 NGN 441 [EBEANO MARKET]"),
    ("Kuda", "You just sent ₦2,500 to Tunde Bakare. Your balance is ₦9,110.45", "debit 2500 NGN - [Tunde Bakare]"),
    ("TelecelCash", "You have paid GHS 32.50 to MELCOM LTD on 2026-11-03 at 11:22:10. Your new balance is GHS 74.10. Reference: 55.", "debit 32.5 GHS - [MELCOM LTD]"),
    ("HSBCUK", "HSBC: £1,200.00 was sent to J OKORO from your account ending 9914 on 3 November.", "debit 1200 GBP 9914 [J OKORO]"),
    ("NatWest", "You withdrew £40.00 from a cash machine using your card ending 7701 on 3 Nov.", "debit 40 GBP 7701 []"),
    ("Citi", "Citi Alert: A $129.99 transaction was made at BEST BUY on card ending in 4455.", "debit 129.99 USD 4455 [BEST BUY]"),
    ("Venmo", "You paid Jordan Lee $25.00. Your Venmo balance is $40.15.", "debit 25 USD - [Jordan Lee]"),
    ("Postbank", "Bargeldauszahlung 200,00 EUR am 03.11.2026 mit Karte *5519 am Geldautomaten Hauptstrasse.", "debit 200 EUR 5519 []"),
    ("comdirect", "Dauerauftrag ausgeführt: 650,00 EUR an Hausverwaltung Krause von Konto *1207 am 02.11.2026.", "debit 650 EUR 1207 [Hausverwaltung Krause]"),
    ("VD-UNIONB-S", "Aapke account XX3344 se Rs 240 MEENA GENERAL STORE ko UPI dwara bhuktan kiya gaya. 03-11-26 Ref 430900112233", "debit 240 INR 3344 [MEENA GENERAL STORE]"),
    ("OCBC", "OCBC: PayNow transfer of S$60.00 to TAN WEI LING from account ending 3318 completed on 03 Nov 2026.", "debit 60 SGD 3318 [TAN WEI LING]"),
    ("BPI", "BPI: Php 1,980.00 was charged to your card ending 6621 at PUREGOLD on 11/03/26.", "debit 1980 PHP 6621 [PUREGOLD]"),
    ("Absa", "Absa: Pmt R2,500.00 to LANDLORD MOKOENA from acc ...4402 on 2026-11-03. Bal R6,118.40", "debit 2500 ZAR 4402 [LANDLORD MOKOENA]"),
];

/// Two payments, each worked out by hand: half of them may not be lost.
const TWO_PAYMENTS: &[(&str, &str)] = &[
    (
        "Rs 500 debited from a/c XX1234 to SWIGGY and Rs 300 debited from a/c XX1234 to UBER on 03-11-26",
        "Question",
    ),
    (
        "Rs 500 debited from a/c XX1234 on 03-11-26 and Rs 300 credited to a/c XX1234 on 03-11-26",
        "Question",
    ),
    (
        "Rs 500 debited from a/c XX1234; Rs 300 credited to a/c XX1234 on 03-11-26.",
        "Question",
    ),
    (
        "Rs 500 debited from a/c XX1234 to SWIGGY on 03-11-26. Rs 300 credited to a/c XX1234 from RAVI.",
        "Question",
    ),
    (
        "Rs 500 to SWIGGY and Rs 300 to UBER debited from a/c XX1234 on 03-11-26",
        "Question",
    ),
    (
        "You paid Rs 500 to SWIGGY and Rs 300 to UBER from a/c XX1234 on 03-11-26",
        "Question",
    ),
    (
        "A/c XX1234 debited by Rs 500 and credited by Rs 300 on 03-11-26",
        "Question",
    ),
    (
        "A/c XX1234 debited for Rs 500 to SWIGGY & debited for Rs 300 to UBER on 03-11-26",
        "Question",
    ),
    (
        "Rs 500 debited from a/c XX1234 to SWIGGY and Rs 500 debited from a/c XX1234 to UBER on 03-11-26",
        "Question",
    ),
    // One payment, told from both ends or with what belongs to it.
    (
        "Rs 500 debited from a/c XX1234 on 03-11-26 and credited to a/c XX9988",
        "debit 500 INR 1234",
    ),
    (
        "Your a/c XX1234 is debited for Rs 500 on 03-11-26 and a/c XX9988 credited",
        "debit 500 INR 1234",
    ),
    (
        "Rs 500 debited from a/c XX1234 and Rs 500 credited to a/c XX9988 on 03-11-26",
        "debit 500 INR 1234",
    ),
    (
        "Rs 500 debited from a/c XX1234 on 03-11-26 incl. Rs 5 charges",
        "debit 500 INR 1234",
    ),
    (
        "Rs 500 debited from a/c XX1234 on 03-11-26 and Rs 4,300 is your available balance",
        "debit 500 INR 1234",
    ),
    (
        "Rs 500 spent on card XX1234 at BIG BAZAAR on 03-11-26, Rs 20 cashback earned",
        "debit 500 INR 1234 [BIG BAZAAR]",
    ),
    (
        "Rs 200 credited to a/c XX1234 on 03-11-26 as refund for Rs 700 debited on 01-11-26",
        "refund 200 INR 1234",
    ),
];

#[test]
fn of_two_payments_none_is_taken_and_of_one_nothing_is_lost() {
    let wrong: Vec<String> = TWO_PAYMENTS
        .iter()
        .map(|(body, expected)| (told("VM-HDFCBK-S", body), body, expected))
        .filter(|(told, _, expected)| !told.starts_with(*expected))
        .map(|(told, body, expected)| format!("{body}\n  {told}\n  not {expected}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// "12,34" of a balance of 12,345.60 is no balance: a message of 160 letters that ends in a digit may have lost some.
#[test]
fn an_amount_at_which_a_message_was_cut_is_not_read() {
    let head = "Rs 500.00 debited from a/c XX1234 on 03-11-26 to BIG BAZAAR";
    let cut = |tail: &str| format!("{head}{:.<1$}{tail}", " ", 160 - head.len() - tail.len());
    let balance = |body: &str| {
        let read = read_message("VM-HDFCBK-S", body, &context("INR"));
        assert_eq!(
            read.amount().and_then(|slot| slot.value),
            Some(Decimal::from(500)),
            "{body}"
        );
        read.balance().map(|(value, _)| value)
    };
    assert_eq!(balance(&cut(" Avl Bal Rs 12,34")), None);
    assert_eq!(balance(&cut(" Avl Bal Rs 12")), None);
    assert_eq!(balance(&cut(" Avl Bal Rs 123.40")), Some(Decimal::new(1234, 1)));
    assert_eq!(
        balance(&format!("{head}. Avl Bal Rs 12,340")),
        Some(Decimal::from(12340))
    );
    let (begin, end) = (
        "A/c XX1234 of yours at our branch of the old town",
        "debited with Rs 25",
    );
    let main = format!("{begin}{:.<1$}{end}", " ", 160 - begin.len() - end.len());
    assert_ne!(
        told("VM-HDFCBK-S", &main).split(' ').next(),
        Some("debit"),
        "{main}"
    );
}

#[test]
fn forty_digits_are_no_amount() {
    let digits = "1234567890".repeat(4);
    for body in [
        format!("Rs {digits} debited from a/c XX1234 on 03-11-26 to BIG BAZAAR"),
        format!("Rs {digits}.50 debited from a/c XX1234 on 03-11-26 to BIG BAZAAR"),
    ] {
        assert_eq!(told("VM-HDFCBK-S", &body), "Question");
    }
    let beside = format!("Rs 500 debited from a/c XX1234 on 03-11-26 to BIG BAZAAR. Avl Bal Rs {digits}");
    let read = read_message("VM-HDFCBK-S", &beside, &context("INR"));
    assert_eq!((read.verdict, read.balance()), (MessageVerdict::Payment, None));
}

fn wrong(rows: &[Row]) -> Vec<String> {
    let told = rows
        .iter()
        .map(|(from, body, expected)| (told(from, body), *expected));
    told.filter(|(told, expected)| !told.starts_with(expected))
        .map(|(told, expected)| format!("{told}\n  not {expected}"))
        .collect()
}

#[test]
fn forms_of_many_countries_are_read() {
    let wrong = wrong(LOOKED_AT);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// 27 of 30.
#[test]
fn as_many_are_read_that_nobody_looked_at() {
    assert!(wrong(HELD_BACK).len() <= 3, "{}", wrong(HELD_BACK).len());
}
