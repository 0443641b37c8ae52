//! Messages that no bank sent, one for each thing that is asked of the reader.

use super::*;
use AmountRole::{Balance, Fee, Limit, Transaction};

/// 2026-11-04.
pub(super) fn context(currency: &str) -> MessageContext<'_> {
    MessageContext {
        received: NaiveDate::from_ymd_opt(2026, 11, 4).unwrap(),
        currency,
    }
}

/// `debit 5 INR 2207 [payee] 2026-11-03 ref channel`, with `-` for what is missing; else the verdict.
pub(super) fn told(from: &str, body: &str) -> String {
    let read = read_message(from, body, &context("INR"));
    if read.verdict != MessageVerdict::Payment {
        return format!("{:?}", read.verdict);
    }
    let amount = read.amount().unwrap();
    format!(
        "{} {} {} {} [{}] {} {} {}",
        read.direction.unwrap(),
        amount.value.unwrap(),
        amount.currency,
        read.own_account.as_ref().map_or("-", |slot| &slot.digits),
        read.payee.as_ref().map_or("", |slot| &slot.name),
        read.date.map_or("-".to_owned(), |date| date.to_string()),
        read.reference.as_ref().map_or("-", |slot| &slot.number),
        read.channel
            .map_or("-".to_owned(), |channel| format!("{channel:?}")),
    )
}

fn all_are(rows: &[(&str, &str, &str)]) {
    for (from, body, expected) in rows {
        assert_eq!(told(from, body), *expected, "{body}");
    }
}

#[test]
fn accounts_are_found_with_any_mask_any_word_or_none() {
    all_are(&[
        (
            "AX-ICICIT-S",
            "ICICI Bank Acct XX051 debited for Rs 240.00 on 03-Nov-26; MUTHU STORES credited. UPI:430912345678.",
            "debit 240 INR 051 [MUTHU STORES] 2026-11-03 430912345678 Upi",
        ),
        (
            "VM-HDFCBK-S",
            "UPDATE: INR 45,000.00 debited from HDFC Bank XX7788 on 02-NOV-26. Info: ACH D- TP ACH BAJAJ FINANCE-123456. Avl bal:INR 1,02,334.22",
            "debit 45000 INR 7788 [BAJAJ FINANCE] 2026-11-02 - StandingOrder",
        ),
        (
            "AX-BOBTXN-S",
            "BOBCARD ending 1234 used for Rs 640.00 at BIG BAZAAR on 03-11-2026. Avl lmt Rs 45,000.",
            "debit 640 INR 1234 [BIG BAZAAR] 2026-11-03 - Card",
        ),
        (
            "VM-SBIINB-S",
            "Rs 320.00 debited via UPI on 03-11-2026 19:02:11 to VPA paytmqr281@paytm. Ref No 430955512345.",
            "debit 320 INR - [paytmqr281@paytm] 2026-11-03 430955512345 Upi",
        ),
        (
            "VM-KOTAKB-S",
            "INR 120 debited from A/c SBXXX12345 on 03-11-26 to dev@ybl",
            "debit 120 INR 12345 [dev@ybl] 2026-11-03 - Upi",
        ),
        (
            "VM-YESBNK-S",
            "INR 899.00 is paid from A/c 051-XXXXXX-006 to SPOTIFY INDIA on 03NOV with ref 430988887777.",
            "debit 899 INR 051 [SPOTIFY INDIA] 2026-11-03 430988887777 -",
        ),
    ]);
}

#[test]
fn wordings_of_banks_that_nobody_knows_are_read() {
    all_are(&[
        (
            "JK-KVRBNK-S",
            "ATM WDL of Rs.4000/- done on A/c **3390 on 03.11.2026 14:22. Clr Bal Rs.6712.00",
            "debit 4000 INR 3390 [] 2026-11-03 - CashMachine",
        ),
        (
            "JK-KVRBNK-S",
            "Cheque no 004512 for Rs 25,000.00 drawn on your a/c XXXX3390 in favour of S K BUILDERS has been cleared on 03-11-2026.",
            "debit 25000 INR 3390 [S K BUILDERS] 2026-11-03 004512 Cheque",
        ),
        (
            "Sidra",
            "QAR 320.00 has been charged on your Sidra credit card ****4407 by TALABAT QATAR, 3 Nov 2026. Available credit: QAR 9,680.00",
            "debit 320 QAR 4407 [TALABAT QATAR] 2026-11-03 - Card",
        ),
        (
            "Tuwaiq",
            "Incoming Transfer\nAmount: SAR 700\nTo: *8890\nFrom: NASSER OMAR\nDate: 3/11/26 12:01",
            "credit 700 SAR 8890 [NASSER OMAR] 2026-11-03 - -",
        ),
        (
            "Tuwaiq",
            "Online Purchase\nBy: 4471;visa\nAmount: SR 219.00\nAt: NOON.COM\nDate: 3/11/26 11:20",
            "debit 219 SAR 4471 [NOON.COM] 2026-11-03 - Card",
        ),
        (
            "KarooBank",
            "KarooBank: Payment received of R3 000.00 into Savings ..3317, ref MOM NOV. Bal R8102.11",
            "credit 3000 ZAR 3317 [] - - -",
        ),
        (
            "Nilepay",
            "You have withdrawn UGX 80,000 from agent 112233 - MUKASA STORES on 03-11-2026 at 11:20. Fee: UGX 1,500.",
            "debit 80000 UGX - [MUKASA STORES] 2026-11-03 - -",
        ),
        (
            "Hartwell",
            "Your standing order of £300 to A RAHMAN went out of account ending 512 this morning.",
            "debit 300 GBP 512 [A RAHMAN] - - StandingOrder",
        ),
        (
            "Cairn",
            "Good news! £1,640.20 from DUNMORE COUNCIL just landed in your current account ending 8802.",
            "credit 1640.2 GBP 8802 [DUNMORE COUNCIL] - - -",
        ),
        (
            "Alpenkasse",
            "Lastschrift über 59,90 EUR von Stadtwerke Lindau wurde am 03.11. von Ihrem Konto *3021 abgebucht.",
            "debit 59.9 EUR 3021 [Stadtwerke Lindau] 2026-11-03 - StandingOrder",
        ),
        (
            "Rheinbank",
            "Soeben wurden 75,20 EUR von Ihrem Girokonto (Endziffern 4419) an Deutsche Bahn gezahlt.",
            "debit 75.2 EUR 4419 [Deutsche Bahn] - - -",
        ),
        (
            "Sparbank",
            "Ihre Echtzeitüberweisung über 55,00 EUR an Lena Brandt ist erfolgt. 03.11.2026",
            "debit 55 EUR - [Lena Brandt] 2026-11-03 - -",
        ),
        (
            "Alpenkasse",
            "Gutschrift 89,00 EUR von Zalando SE am 03.11.2026 auf Konto *3021.",
            "credit 89 EUR 3021 [Zalando SE] 2026-11-03 - -",
        ),
        (
            "VM-GRMBNK-S",
            "Bijli bill ka Rs 870 ka bhugtan safal raha. Khata XX6610 se rashi kaati gayi. 03-11-2026",
            "debit 870 INR 6610 [] 2026-11-03 - -",
        ),
        (
            "VM-GRMBNK-S",
            "Rs 2000 aapke khate XX6610 me aaye hain Mohan Lal ki taraf se. UPI 632499887711",
            "credit 2000 INR 6610 [Mohan Lal] - 632499887711 Upi",
        ),
        (
            "VM-SATPBK-S",
            "Priya Verma ne aapko Rs 750 bheje hain. Khata XX1190",
            "credit 750 INR 1190 [Priya Verma] - - -",
        ),
        (
            "AD-CHOLBK-S",
            "Reversal: Rs 90.00 for failed UPI txn 628112341234 has been credited back to A/c XX4411 on 03-11-26",
            "refund 90 INR 4411 [] 2026-11-03 628112341234 Upi",
        ),
    ]);
    for (from, body) in [
        (
            "Elbebank",
            "Am 10.11.2026 buchen wir 480,00 EUR Miete per Dauerauftrag von Konto 8812 ab.",
        ),
        (
            "NorthQuay",
            "You've set up a standing order of £40 to OXFAM from account ending 2291, starting 1 Nov.",
        ),
        (
            "VM-GRMBNK-S",
            "Rs 870 ka bhugtan asafal raha. Rashi 48 ghante mein wapas aayegi.",
        ),
    ] {
        assert_ne!(
            read_message(from, body, &context("INR")).verdict,
            MessageVerdict::Payment,
            "{body}"
        );
    }
}

#[test]
fn letters_and_digits_that_look_alike_are_read_as_what_they_look_like() {
    let plain = "Rs.500.00 debited from A/c XX1234 on 03-11-26 to VPA shop@ybl";
    let expected = "debit 500 INR 1234 [shop@ybl] 2026-11-03 - Upi";
    for body in [
        plain,
        "𝐑𝐬.𝟓𝟎𝟎.𝟎𝟎 debited from 𝐀/𝐜 XX1234 on 03-11-26 to VPA shop@ybl",
        // Cyrillic letters, a space without width, full-width digits, a no-break space.
        "Rs.500.00 dеbitеd frоm А/с ХХ1234 on 03-11-26 to VPA shop@ybl",
        "Rs.5\u{200b}00.00 debi\u{200d}ted from A/c XX1234 on 03-11-26 to VPA shop@ybl",
        "Rs.５００.００ debited\u{a0}from A/c XX１２３４ on 03-11-26 to VPA shop@ybl",
        "Rs.५००.०० debited from A/c XX1234 on 03-11-26 to VPA shop@ybl",
    ] {
        assert_eq!(told("VM-HDFCBK-S", body), expected, "{body}");
    }
    // A name in another script stays.
    let read = read_message(
        "VM-HDFCBK-S",
        "Rs.5.00 debited from A/c XX1234 to Москва Кафе on 03-11-26",
        &context("INR"),
    );
    assert_eq!(read.payee.unwrap().name, "Москва Кафе");
}

#[test]
fn nobody_is_paid_who_stands_in_boilerplate_or_within_a_word() {
    all_are(&[
        (
            "VM-SBICRD-S",
            "Rs.1,234.00 spent on your SBI Credit Card ending with 7788 at TotalEnergies on 03-11-26. Not done by you? Report to registered mobile or report issue at https://sbicard.com/Dispute",
            "debit 1234 INR 7788 [TotalEnergies] 2026-11-03 - Card",
        ),
        (
            "VM-HDFCBK-S",
            "Rs 1,499.00 debited from HDFC Bank A/c **1234 on 03-11-26 to VPA films@hdfcbank (RIVER FILMS) Ref 430912345678",
            "debit 1499 INR 1234 [RIVER FILMS] 2026-11-03 430912345678 Upi",
        ),
        (
            "VM-HDFCBK-S",
            "Rs.120.00 debited from A/c XX1234 on 03-11-26 to CHAI ON WHEELS. UPI Ref 430912345678",
            "debit 120 INR 1234 [CHAI ON WHEELS] 2026-11-03 430912345678 Upi",
        ),
        (
            "VM-YESBNK-S",
            "INR 230.00 debited from YES BANK A/c XX991 on 03-Nov-26. Info: UPI-RIVER FILMS-films@ybl-YESB0000001-431200100201",
            "debit 230 INR 991 [RIVER FILMS] 2026-11-03 - Upi",
        ),
        (
            "VM-YESBNK-S",
            "INR 1,100 paid from YES BANK A/c XX991 in favour of Dr. S. K. Menon on 03-Nov-26",
            "debit 1100 INR 991 [Dr. S. K. Menon] 2026-11-03 - -",
        ),
        (
            "VM-PNBSMS-S",
            "Your a/c XX2207 is debited for Rs 60.00 towards Edwards Bakery on 03-11-26. PNB",
            "debit 60 INR 2207 [Edwards Bakery] 2026-11-03 - -",
        ),
        (
            "AX-AXISBK-S",
            "INR 250.00 debited A/c no. XX7788 03-11-26, 18:22:09 UPI/P2M/430912345678/TOTAL GAS AGENCY Not you? SMS BLOCKUPI Cust ID to 919951860002 Axis Bank",
            "debit 250 INR 7788 [TOTAL GAS AGENCY] 2026-11-03 430912345678 Upi",
        ),
        (
            "VM-SBIINB-S",
            "Your A/c X2207 debited by Rs.2,000.00 on 03-11-26. Never share your OTP. Call 1800111109 to report.",
            "debit 2000 INR 2207 [] 2026-11-03 - -",
        ),
    ]);
}

#[test]
fn money_that_comes_is_no_debit_and_a_limit_is_not_spent() {
    all_are(&[
        (
            "VM-KOTAKB-S",
            "Cashback of Rs.25 has been sent to your Kotak Bank A/c XX3412. Keep using Kotak811!",
            "credit 25 INR 3412 [] - - -",
        ),
        (
            "VM-KOTAKB-S",
            "UPI-Mandate for Rs.75000.00 is successfully created towards NETFLIX from A/c No: XX3412. UMN: 12abcd@kotak",
            "Nothing",
        ),
        (
            "VM-SBIINB-S",
            "Your e-mandate for SPOTIFY of max Rs 15000 has been registered on A/c XX2207 from 03-11-26",
            "Nothing",
        ),
        (
            "VM-HDFCBK-S",
            "Payment of Rs.15,000.00 towards your credit card ending 7788 has been received through NetBanking on 02-NOV-26",
            "credit 15000 INR 7788 [] 2026-11-02 - Card",
        ),
        (
            "MTN MoMo",
            "Payment received for GHS 75.00 from KWAME MENSAH. Current Balance: GHS 320.10. Reference: rent. Transaction ID: 40112233445.",
            "credit 75 GHS - [KWAME MENSAH] - 40112233445 -",
        ),
        (
            "VM-HDFCBK-S",
            "Cashback of Rs 50 will be credited to your card XX7788 within 90 days.",
            "Nothing",
        ),
    ]);
}

#[test]
fn other_countries_and_languages_are_read_with_their_currency_date_and_decimals() {
    all_are(&[
        (
            "EmiratesNBD",
            "Purchase of AED 250.00 with Debit Card ending 1234 at CARREFOUR, DUBAI. Avl Balance is AED 3,400.50.",
            "debit 250 AED 1234 [CARREFOUR] - - Card",
        ),
        (
            "NBK",
            "KWD 12.500 has been debited from your account 123***456 on 03/11/2026 at SULTAN CENTER. Balance KWD 540.250",
            "debit 12.5 KWD 456 [SULTAN CENTER] 2026-11-03 - -",
        ),
        (
            "SNB",
            "Online Purchase\nCard: *7788\nAmount: 120 SAR\nAt: NOON.COM\nOn: 26-11-03 12:11",
            "debit 120 SAR 7788 [NOON.COM] 2026-11-03 - Card",
        ),
        (
            "MPESA",
            "QK31AB2CD4 Confirmed. Ksh500.00 sent to JOHN KAMAU 0712345678 on 3/11/26 at 2:30 PM. New M-PESA balance is Ksh1,234.00. Transaction cost, Ksh7.00. Amount you can transact within the day is 499,500.00.",
            "debit 500 KES - [JOHN KAMAU] 2026-11-03 QK31AB2CD4 Wallet",
        ),
        (
            "GTBank",
            "Acct: ******4567\nAmt: NGN5,000.00 DR\nDesc: POS/WEB PMT SHOPRITE IKEJA\nAvail Bal: NGN 45,210.11\nDate: 03-11-2026 14:02",
            "debit 5000 NGN 4567 [SHOPRITE IKEJA] 2026-11-03 - -",
        ),
        (
            "Monzo",
            "You spent £12.50 at TESCO STORES 3 Nov. Your balance is £220.11",
            "debit 12.5 GBP - [TESCO STORES] 2026-11-03 - -",
        ),
        (
            "73981",
            "A purchase of $56.12 at TRADER JOES was made with your debit card ending in 7788 on 11/03/2026.",
            "debit 56.12 USD 7788 [TRADER JOES] 2026-11-03 - Card",
        ),
        (
            "Sparkasse",
            "Kartenzahlung 1.223,90 EUR bei REWE MARKT am 03.11.2026 mit Karte ...1234. Kontostand: 1.204,55 EUR",
            "debit 1223.9 EUR 1234 [REWE MARKT] 2026-11-03 - Card",
        ),
        (
            "VM-SBIUPI-S",
            "Aapke khate XX2207 se Rs 150 kat gaye hain, SHARMA KIRANA ko UPI se bheje gaye. Ref 430912345678. 03-11-26",
            "debit 150 INR 2207 [SHARMA KIRANA] 2026-11-03 430912345678 Upi",
        ),
        (
            "DKB",
            "Am 05.11.2026 werden 49,99 EUR von Ihrem Konto *4411 abgebucht.",
            "Nothing",
        ),
        (
            "DKB",
            "Ihre TAN für die Überweisung von 100,00 EUR an Max Muster lautet 123456.",
            "Nothing",
        ),
    ]);
    // What `Rs` and `$` are, the owner's own currency says, where the sender does not.
    for (currency, body, expected) in [
        ("PKR", "Rs 500 debited from your a/c XX1234 on 03-11-26", "PKR"),
        (
            "AUD",
            "You spent $23.00 at COLES 0443 with card ending 4411.",
            "AUD",
        ),
        (
            "INR",
            "You spent $23.00 at COLES 0443 with card ending 4411.",
            "USD",
        ),
    ] {
        let read = read_message("MyBank", body, &context(currency));
        assert_eq!(
            (read.verdict, read.amount().unwrap().currency.as_str()),
            (MessageVerdict::Payment, expected),
            "{body}"
        );
    }
}

#[test]
fn what_is_no_payment_is_none_whoever_sends_it() {
    for body in [
        "123456 is OTP for txn of INR 2,500.00 at AMAZON on HDFC Bank card ending 7788. Valid till 18:22.",
        "Txn of Rs 450 on HDFC Bank Card 7788 at SWIGGY declined due to insufficient funds on 03-11-26.",
        "ZOMATO has requested Rs 350.00 from you. On approving, Rs 350.00 will be debited from your A/c.",
        "Your Credit Card XX7788 statement is generated. Total due Rs 12,345.00, min due Rs 620. Pay by 20-11-26.",
        "Rs 499.00 will be auto-debited from A/c XX7788 on 05-11-26 towards NETFLIX.",
        "Your Airtel bill of Rs 599.00 is due on 10-Nov-26. Pay now to avoid late fee.",
        "Avl Bal in your A/c XX3412 on 03-11-26 is Rs 12,200.00",
        "Your scheduled payment of £50.00 to J SMITH will leave your account tomorrow.",
        "Did you attempt a $500.00 purchase at BEST BUY? Reply YES or NO",
        "Failed. You do not have enough money in your M-PESA account to send Ksh500.00.",
        "Flat Rs 300 off on orders above Rs 999! Shop now. Sale ends tonight.",
        "Rs 500 debited from A/c X2207 on 03Nov26 has been reversed due to failure of UPI txn 430912345678.",
        "Your credit limit on card xx7788 has been increased to Rs 2,00,000.",
        "Your card ending 5512 payment of £19.99 at AMAZON was refused on 03/11/26.",
        "Your a/c XX0913 minimum balance is Rs 1,000. Non maintenance attracts charges of Rs 59.",
        "You have earned 150 points worth Rs 30 on your Card XX7788 for spends of Rs 7,500.",
        "Your EMI of Rs 2,300 for loan XX1234 is presented on 05-11-26. Keep balance in A/c XX8877.",
        "Your transfer of NGN5,000.00 to ADA OBI was not successful. Your account has not been debited.",
    ] {
        for from in ["VM-HDFCBK-S", "Monzo", "MPESA", ""] {
            let read = read_message(from, body, &context("INR"));
            assert_ne!(read.verdict, MessageVerdict::Payment, "{from}: {body}");
        }
    }
}

#[test]
fn bad_input_is_read_or_left_never_guessed() {
    let digits = "9".repeat(40);
    let cut: String = "Dear Customer, Rs.4,200.00 debited from your HDFC Bank A/c XX1234 on 03-11-26 to VPA green.valley.farms@okhdfcbank for your order of vegetables and more from the far"
        .chars()
        .take(160)
        .collect();
    let long = format!("Rs.5.00 debited from A/c XX1234 {}", "to ".repeat(500));
    for (body, expected) in [
        (format!("Rs.{digits} debited from A/c XX1234 on 03-11-26 to dev@ybl"), "Question"),
        // Two payments: which one is meant?
        (
            "Rs.500.00 debited from a/c **1234 on 03-11-26 to VPA shop@ybl. Rs.200.00 debited from a/c **1234 on 03-11-26 to VPA tea@ybl.".to_owned(),
            "Question",
        ),
        (
            "Rs.500.00 and Rs.700.00 debited from HDFC Bank A/c XX1234 on 03-11-26 to CORNER STORE and TEA HOUSE.".to_owned(),
            "Question",
        ),
        (cut, "debit 4200 INR 1234 [green.valley.farms@okhdfcbank] 2026-11-03 - Upi"),
        // Cut within the amount of the balance.
        (
            "Rs.4,200.00 debited from HDFC Bank A/c XX1234 on 03-11-26 to MORE MART. Avl bal Rs.12,".to_owned(),
            "debit 4200 INR 1234 [MORE MART] 2026-11-03 - -",
        ),
        (String::new(), "Nothing"),
        (".".repeat(1600), "Nothing"),
        ("*".repeat(1600), "Nothing"),
        ("₹".repeat(533), "Nothing"),
        ("1,".repeat(800), "Nothing"),
        (long, "debit 5 INR 1234 [] - - -"),
        ("x".repeat(1601), "Nothing"),
    ] {
        assert_eq!(told("VM-HDFCBK-S", &body), expected, "{body}");
    }
}

#[test]
fn each_amount_has_its_role_and_its_place() {
    let body = "Confirmed. Ksh500.00 sent to A KAMAU on 3/11/26. New M-PESA balance is Ksh1,234.00. Transaction cost, Ksh7.00. Daily limit Ksh499,500.00";
    let read = read_message("MPESA", body, &context("KES"));
    let text = normalized(body);
    let slots: Vec<(&str, AmountRole)> = read
        .amounts
        .iter()
        .map(|slot| (&text[slot.place.start..slot.place.end], slot.role))
        .collect();
    assert_eq!(
        slots,
        [
            ("Ksh500.00", Transaction),
            ("Ksh1,234.00", Balance),
            ("Ksh7.00", Fee),
            ("Ksh499,500.00", Limit)
        ]
    );
    assert_eq!(read.balance(), Some((Decimal::from(1234), "KES")));
    let payee = read.payee.unwrap().place;
    assert_eq!(&text[payee.start..payee.end], "A KAMAU");
}

#[test]
fn dates_exist_and_are_not_after_the_latest_day() {
    let latest = NaiveDate::from_ymd_opt(2026, 11, 4).unwrap();
    for (text, currency, expected) in [
        ("03-11-26", "INR", Some("2026-11-03")),
        ("03/11/2026", "INR", Some("2026-11-03")),
        ("03.11.2026", "INR", Some("2026-11-03")),
        ("3-Nov-26", "INR", Some("2026-11-03")),
        ("03NOV26", "INR", Some("2026-11-03")),
        ("03 November 2026", "INR", Some("2026-11-03")),
        ("3rd Nov 2026", "INR", Some("2026-11-03")),
        ("Nov 3, 2026", "USD", Some("2026-11-03")),
        ("11/03/2026", "USD", Some("2026-11-03")),
        // Whatever the country: eight months ago, or yesterday?
        ("11/03/2026", "INR", Some("2026-11-03")),
        ("03/11/2026", "USD", Some("2026-11-03")),
        ("11/03/2025", "INR", Some("2025-03-11")),
        ("26-11-03", "SAR", Some("2026-11-03")),
        ("03-NOV", "INR", Some("2026-11-03")),
        // Without a year: the latest that is not after the message.
        ("05-NOV", "INR", Some("2025-11-05")),
        ("29-FEB", "INR", Some("2024-02-29")),
        ("2026-11-03", "INR", Some("2026-11-03")),
        ("2026-11-03T10:00", "INR", Some("2026-11-03")),
        ("31-02-26", "INR", None),
        ("29-02-2025", "INR", None),
        ("05-11-26", "INR", None),
        ("10-Foo-26", "INR", None),
        ("00-11-26", "INR", None),
    ] {
        let text = MessageText::new(&format!("on {text}"));
        let found = dates::find_dates(&text);
        let day = found
            .first()
            .and_then(|(_, parts)| parts.resolved(DateOrder::of_currency(currency), latest));
        assert_eq!(
            day.map(|day| day.to_string()).as_deref(),
            expected,
            "{} {currency}",
            text.written
        );
    }
}

proptest::proptest! {
    #[test]
    fn no_message_makes_the_reader_panic(body in "(?s).{0,400}", from in ".{0,20}") {
        let read = read_message(&from, &body, &context("INR"));
        let text = normalized(&body);
        for slot in &read.amounts {
            proptest::prop_assert!(text.get(slot.place.start..slot.place.end).is_some());
        }
    }

    #[test]
    fn no_words_of_banks_make_the_reader_panic(words in proptest::collection::vec("(Rs\\.|INR|5|1,000\\.00|A/c|XX1234|\\*|debited|credited|from|to|UPI/|-|\\.|:|@ybl|03-11-26|\n|not you\\?|ß|₹|İ)", 0..80)) {
        let body = words.join(" ");
        read_message("VM-HDFCBK-S", &body, &context("INR"));
        read_message("VM-HDFCBK-S", &words.concat(), &context("INR"));
    }
}

#[test]
fn each_phrase_is_words_with_one_blank_between_them() {
    let lists = phrases::REFUSALS.iter().map(|(_, list)| *list);
    let lists = lists.chain([phrases::CUT_FROM, phrases::CUT_SENTENCE, phrases::DONE]);
    for phrase in lists.flatten() {
        let plain: Vec<&str> = phrase.split_whitespace().collect();
        assert_eq!(plain.join(" "), *phrase);
        assert_eq!(phrase.to_lowercase(), *phrase);
    }
}

#[test]
fn what_came_back_and_what_is_offered_is_no_payment() {
    all_are(&[
        (
            "Hausbank",
            "Die Lastschrift ueber 95,00 EUR von Vodafone wurde zurueckgegeben.",
            "Nothing",
        ),
        (
            "Hausbank",
            "Rücklastschrift: 42,10 EUR Stadtwerke Lindau vom 02.11. wurde mangels Deckung zurückgegeben.",
            "Nothing",
        ),
        (
            "VM-KOTAKB-S",
            "Spend $87 at HOME DEPOT and get $10 back with your card ending 4412",
            "Nothing",
        ),
        (
            "Northwell",
            "Use your card ending 9021 for $40 at any grocery store and earn $5.",
            "Nothing",
        ),
        (
            "VM-HDFCBK-S",
            "Get a pre-approved Personal Loan of Rs.5,00,000 credited to your A/c XX4411 in 10 seconds! Apply: hdfcbk.io/x",
            "Nothing",
        ),
        (
            "AX-AXISBK-S",
            "Avail an Instant Loan up to Rs 3,00,000 disbursed to A/c no. XX2210 within 5 minutes. Apply now.",
            "Nothing",
        ),
    ]);
}

#[test]
fn internal_transfer_names_its_own_account() {
    all_are(&[(
        "Tuwaiq",
        "Internal Transfer SAR 111.00 to Ali From 5521 28/10/26",
        "debit 111 SAR 5521 [Ali] 2026-10-28 - -",
    )]);
}
