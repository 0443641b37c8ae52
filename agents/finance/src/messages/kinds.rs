//! Kinds of messages that were read wrongly once, a few of each: of banks that do not exist.
//!
//! What: a table for each kind. Why: a mend holds for the kind, not for one bank's wording. Not here: whole countries (`abroad`).

use super::{
    MessageVerdict, read_message,
    tests::{context, told},
};
use rust_decimal::Decimal;

/// From, text, and how the reading begins: `direction amount currency account [payee]`, or the verdict.
type Row = (&'static str, &'static str, &'static str);

fn all_begin(rows: &[Row]) {
    for (from, body, expected) in rows {
        let told = told(from, body);
        assert!(told.starts_with(expected), "{body}\n  {told}\n  not {expected}");
    }
}

#[test]
#[rustfmt::skip] // A row fills a line.
fn a_cash_machine_and_the_number_of_a_loan_are_nobody() {
    all_begin(&[
        ("VM-KVRBNK-S", "Dear Customer, Rs.6000 withdrawn at SBI ATM S1NW000777 from A/cX4410 on 03Nov26 Transaction Number 8821. Available Balance Rs.9,231.50.", "debit 6000 INR 4410 []"),
        ("Mashreq", "Dear Customer, you have withdrawn AED 700.00 from Mashreq ATM using card ending 2207 on 03-NOV-2026 06:02 PM.", "debit 700 AED 2207 []"),
        ("Velvet", "Velvet Bank: R900.00 withdrawn from acc. no. ..5512 at ATM V1CPT042 2026-11-03 17:45.", "debit 900 ZAR 5512 []"),
        ("VM-KVRBNK-S", "Your Account 15XXXXXX4410 has been debited for Rs 8,150/- towards EMI for loan KVR00912345 on 03-Nov-26. Avl Bal: Rs 31,008.12", "debit 8150 INR 4410 []"),
        // A shop may have a number, and stand at a machine of its own.
        ("VM-KVRBNK-S", "Rs.450 debited from a/c XX4410 on 03-11-26 at GREENMART 4471 ATM ROAD", "debit 450 INR 4410 [GREENMART 4471 ATM ROAD]"),
    ]);
}

#[test]
#[rustfmt::skip] // A row fills a line.
fn what_the_owner_may_do_next_is_no_name() {
    all_begin(&[
        ("VM-KVRBNK-S", "Rs 299.00 debited from Credit Card XX0931 via mandate for TUNEWELL INDIA on 03-11-26. SI Hub ID: AbCd12. To manage, visit kvrb.io/k/abc", "debit 299 INR 0931 [TUNEWELL INDIA]"),
        ("AX-KVRPAY-S", "Your a/c was used to pay Rs. 88.00 to Irani Corner on 03-Nov-26, 08:41 am. UPI ref 632012341234", "debit 88 INR - [Irani Corner]"),
        ("Kanda", "Kanda: £800.00 sent to a new payee, R SIDHU, on 03NOV26.", "debit 800 GBP - [R SIDHU]"),
    ]);
}

#[test]
#[rustfmt::skip] // A row fills a line.
fn names_end_where_the_narration_or_the_language_goes_on() {
    all_begin(&[
        ("Okobank", "Acct: ******4412\nAmt: NGN9,000.00 DR\nDesc: TRANSFER TO ADAMU BELLO-OUTWARD TRANSFER\nAvail Bal: NGN12,340.55", "debit 9000 NGN 4412 [ADAMU BELLO]"),
        ("Hausbank", "Geldeingang: 1.250,00 EUR von Uferwerk GmbH auf deinem Girokonto ...5567.", "credit 1250 EUR 5567 [Uferwerk GmbH]"),
        ("RUPEEPAY", "Aapko Suresh Gupta se Rs.750 mile hain RupeePay par. Txn T2611030912345678", "credit 750 INR - [Suresh Gupta]"),
        ("Kapstadt", "Kapstadt: Purchase R128.50 from account ending 6612; GROCER SEA POINT; Avail R3 402.11", "debit 128.5 ZAR 6612 [GROCER SEA POINT]"),
        ("PESAWELL", "SKB2E5A2TV Confirmed.on 3/11/26 at 1:12 PMWithdraw Ksh3,000.00 from 098123 - Mama Zuri Shop New M-PESA balance is Ksh4,953.10. Transaction cost, Ksh29.00.", "debit 3000 KES - [Mama Zuri Shop]"),
    ]);
}

#[test]
#[rustfmt::skip] // A row fills a line.
fn a_merchant_may_write_itself_as_a_page_in_capitals() {
    all_begin(&[
        ("Tuwaiq", "Online Purchase (Internet)\nCard: Visa XX2204\nAmount: SAR 38.20\nMerchant: PEAR.COM/BILL\nCountry: US\nBalance: SAR 4,120.11\n2026-11-03 03:12", "debit 38.2 SAR 2204 [PEAR.COM/BILL]"),
        ("Northwell", "Your card ending 9021 was charged $2.99 at PEAR.COM/BILL on Nov 3, 2026.", "debit 2.99 USD 9021 [PEAR.COM/BILL]"),
    ]);
}

#[test]
#[rustfmt::skip] // A row fills a line.
fn a_notification_names_the_shop_in_its_title() {
    all_begin(&[
        ("Monza", "☕ Gail's Ovens\nYou spent £6.85. Balance: £402.13", "debit 6.85 GBP - [Gail's Ovens]"),
        ("Monza", "Card payment\nYou spent £6.85. Balance: £402.13", "debit 6.85 GBP - []"),
        ("Monza", "Monza\nYou spent £6.85 at Gail's Ovens. Balance: £402.13", "debit 6.85 GBP - [Gail's Ovens]"),
    ]);
}

#[test]
#[rustfmt::skip] // A row fills a line.
fn an_amount_ends_before_a_date_that_is_glued_to_it() {
    all_begin(&[
        ("VM-KVRBNK-S", "Ac XXXXXXXX0187 Credited with Rs.12000.00,03-11-2026 15:31:09 by NEFT from SHREE TEXTILES. Aval Bal Rs.34310.40 CR", "credit 12000 INR 0187 [SHREE TEXTILES] 2026-11-03"),
        ("VM-KVRBNK-S", "Ac XXXXXXXX0187 Debited with Rs.1,200.00,03/11/2026 15:31:09 thru UPI. Aval Bal Rs.34310.40 CR", "debit 1200 INR 0187 [] 2026-11-03"),
        // No date: an amount without a reading.
        ("VM-KVRBNK-S", "Ac XXXXXXXX0187 Debited with Rs.1.20,345 on 03/11/2026 15:31:09 thru UPI.", "Question"),
    ]);
}

#[test]
#[rustfmt::skip] // A row fills a line.
fn the_sum_from_which_the_owner_is_warned_is_not_what_was_paid() {
    all_begin(&[
        ("BoNorth", "BoNorth: Credit card ending in 3319: a charge of $1,029.00 at BEST DEALS exceeds your alert amount of $500 on 11/03/2026.", "debit 1029 USD 3319 [BEST DEALS]"),
        ("BoNorth", "Your $86.12 purchase at GREENMART on card ending 3319 exceeds the $50.00 you set on 11/03/2026.", "debit 86.12 USD 3319 [GREENMART]"),
    ]);
}

/// What stands before the colon of a balance is not the balance.
#[test]
fn an_amount_before_a_labelled_balance_is_none() {
    let balance = |body: &str| {
        let read = read_message("Revolve", body, &context("GBP"));
        assert_eq!(read.verdict, MessageVerdict::Payment, "{body}");
        read.balance().map(|(value, _)| value)
    };
    let expected = Some(Decimal::new(2331, 1));
    assert_eq!(
        balance("Paid €18.40 at Café Kranz\n£15.52 · Balance: £233.10"),
        expected
    );
    assert_eq!(balance("Paid £15.52 at Café Kranz · Balance £233.10"), expected);
}

#[test]
#[rustfmt::skip] // A row fills a line.
fn a_refund_that_was_processed_came_and_a_hold_is_no_payment() {
    all_begin(&[
        ("AX-KVRBNK-S", "Refund of INR 1,299.00 from BAZAARO has been processed to your Credit Card xx8812 on 03-NOV-26. It will reflect in your statement.", "refund 1299 INR 8812 [BAZAARO]"),
        ("AX-KVRBNK-S", "Refund of INR 1,299.00 from BAZAARO has been initiated to your Credit Card xx8812 on 03-NOV-26.", "Nothing"),
        ("AX-KVRBNK-S", "Refund of INR 1,299.00 from BAZAARO will be processed to your Credit Card xx8812 in 5 days.", "Nothing"),
        ("Northwell", "Northwell: Your Card ending 3104 was used at HILLTOP INN for a pre-authorization of $250.00 on 11/03. Final amount may differ.", "Nothing"),
        ("Kanda", "A pre-authorisation of £60.00 was made at FUELWELL on your card ending 3104.", "Nothing"),
    ]);
}

#[test]
#[rustfmt::skip] // A row fills a line.
fn an_account_may_stand_alone_behind_from_and_to() {
    all_begin(&[
        ("Tuwaiq", "Internal Transfer Incoming\nAmount: SR 1200\nTo: 8830\nFrom: FAISAL OMAR\n26/11/03 17:40", "credit 1200 SAR 8830 [FAISAL OMAR]"),
        ("Tuwaiq", "Local Transfer Outgoing\nFrom: 8830\nAmount: SAR 700\nTo: NOURA SALEH\nFees: SAR 0.58\n26/11/03 21:11", "debit 700 SAR 8830 [NOURA SALEH]"),
        ("Tuwaiq", "Transfer between your accounts\nAmount: SAR 90\nFrom: 8830\nTo: 4417\n26/11/03 21:11", "debit 90 SAR 8830 []"),
    ]);
}

#[test]
#[rustfmt::skip] // A row fills a line.
fn how_it_was_paid_is_no_part_of_a_name() {
    all_begin(&[
        ("Kanda", "Your Kanda Credit Card XX0931 has been charged USD 9.00 on 02-11-26 for Tunewell standing instruction.", "debit 9 USD 0931 [Tunewell]"),
        ("Savanna", "Debit\nAmt:NGN4,100.00\nAcc:006****5512\nDesc:USSD-NIP TO TUNDE BELLO\nDate:02/11/2026", "debit 4100 NGN 5512 [TUNDE BELLO]"),
        ("Velvet", "Acct:221****8811 DT:02/11/2026:02:11:20 PM POS PUR GREENMART LEKKI DR Amt:1,700.00 Bal:9,000.00", "debit 1700 INR 8811 [GREENMART LEKKI]"),
        ("Velvet", "Velvet: CHEQ5512, Pur, 02/11/26 SETTLEMENT/C - POS PURCHASE, GREENMART PAARL, R-88.50, Total Avail Bal R900.00.", "debit 88.5 ZAR 5512 [GREENMART PAARL]"),
        ("VM-KVRBNK-S", "A/c XX4410 debited INR 700.00 Dt 02-11-26 09:14 ATM KVR0231 ERODE. Aval Bal INR 1100.30 CR.", "debit 700 INR 4410 [ERODE]"),
        ("VM-KVRBNK-S", "Dear Customer, Your Account XX441 has been debited by INR 900.00 on 02-Nov-26. Info: NFS*CASH WDL*02-11.", "debit 900 INR 441 []"),
        ("VM-KVRBNK-S", "INR 450.00 debited from KVR Bank XX4410 on 02-NOV-26. Info: ACH D- OAKLEAF FINANCE LTD-P400PPS112. Avl bal:INR 61,004.19", "debit 450 INR 4410 [OAKLEAF FINANCE LTD]"),
        ("VM-KVRBNK-S", "KVR Bank Account XX441 credited:Rs. 8,000.00 on 31-Oct-26. Info INF*INFT*0341*Salary Oct. Available Balance is Rs. 9,340.90.", "credit 8000 INR 441 []"),
    ]);
}

#[test]
#[rustfmt::skip] // A row fills a line.
fn a_name_stands_before_an_amount_behind_a_time_and_before_a_colon() {
    all_begin(&[
        ("Kanda", "Kanda: You sent Tessa Quill $70.00 with Zelle. Reply STOP to end these alerts.", "debit 70 USD - [Tessa Quill]"),
        ("VM-KVRBNK-S", "Spent INR 75.5 KVR Bank Card no. XX0931 02-11-26 12:40:01 IST SKYHOP AIR Avl Limit: INR 88124.5", "debit 75.5 INR 0931 [SKYHOP AIR]"),
        ("VM-KVRBNK-S", "Debited INR 199.00 from A/c X4410 on 02-NOV-2026 RINGTEL RECHARGE UPI/DR/632199887711. Bal INR 4,301.00.", "debit 199 INR 4410 [RINGTEL RECHARGE]"),
        ("Kanda", "Corner Grocer: You spent £7.80. Balance £142.19", "debit 7.8 GBP - [Corner Grocer]"),
        // The sender is nobody whom it pays.
        ("Kanda", "Kanda: You spent £7.80. Balance £142.19", "debit 7.8 GBP - []"),
        ("Kanda", "Kanda Bank: You spent £7.80. Balance £142.19", "debit 7.8 GBP - []"),
        ("Sparbank", "12,40 EUR wurden von deinem Konto *4410 an Kiosk am Markt gezahlt.", "debit 12.4 EUR 4410 [Kiosk am Markt]"),
        ("Sparbank", "Du hast 12,40 EUR an Lena Brandt von deinem Konto am Montag gesendet.", "debit 12.4 EUR - [Lena Brandt]"),
    ]);
}

#[test]
fn a_balance_and_what_may_be_avoided_are_no_payment() {
    for body in [
        "Available Bal in KVR Bank A/c XX4410 as on yesterday:03-NOV-26 is INR 61,004.19. Cheques are subject to clearing.",
        "Balance in A/c XX4410 is below minimum average Rs.2000. Maintain to avoid charges of Rs.150 -KVR",
    ] {
        let read = read_message("VM-KVRBNK-S", body, &context("INR"));
        assert_ne!(read.verdict, MessageVerdict::Payment, "{body}");
    }
}

#[test]
#[rustfmt::skip] // A row fills a line.
fn a_day_may_begin_with_its_year_and_money_put_away_went() {
    let rows = [
        ("Tuwaiq", "PoS\nBy:2204;mada-Apple Pay\nAmount:SAR 89\nAt:JARRAH BOOKS\n26-10-20 21:10", "debit 89 SAR 2204 [JARRAH BOOKS] 2026-10-20"),
        ("VM-KVRBNK-S", "Rs.1200.00 Dr. from A/C XXXXXX4410 and Cr. to corner-11@okbiz. Ref:632733112244. AvlBal:Rs8120.45(2026:11:02 10:11:12)", "debit 1200 INR 4410 [corner-11@okbiz] 2026-11-02"),
        ("VM-KVRBNK-S", "Fixed Deposit of Rs 1,01,000.00 booked on 02-11-26 by debit to A/C *XX4410. FD no. 300122334455.", "debit 101000 INR 4410 [] 2026-11-02"),
    ];
    all_begin(&rows);
}

#[test]
#[rustfmt::skip] // A row fills a line.
fn what_is_held_due_or_only_sent_for_clearing_is_no_payment() {
    for (from, body) in [
        ("VM-KVRBNK-S", "Balance in A/c *4410 as on 03-11-2026 10:58 is Rs:2310.09 CR. Last txn: Dr Rs:90.00. -KVR Bank"),
        ("VM-KVRBNK-S", "Daily limit on your KVR Bank Debit Card XX4410 has been set to INR 40,000 for ATM and INR 1,00,000 for POS on 03-11-26."),
        ("VM-KVRBNK-S", "Your KVR A/c XX4410 does not have the monthly avg balance of Rs.5000. Charges of Rs.295 may be levied if not restored by 30-11-26."),
        ("VM-KVRBNK-S", "Cheque no. 330128 of Rs.25,000/- deposited in your A/c XX4410 on 03/11/26 has been sent for clearing. Credit subject to realisation."),
        ("VM-KVRBNK-S", "KVR Bank: Stop payment for cheque 100232 amt Rs 15,000 registered on A/c XX4410 on 03/11/26."),
        ("VM-KVRBNK-S", "Soochna: Rs.2,750 ki EMI 05-11-26 ko khate XX4410 se kategi. Kripya balance banaye rakhein"),
        ("Kassenbank", "Kontowecker: Ihr Kontostand auf *4410 hat 100,00 EUR unterschritten: 71,15 EUR (03.11.2026 07:58)"),
        ("Okobank", "NGN0.00 OKO: TAC 221908 for Transfer NGN500.00 to acc 5140****22. DO NOT share TAC."),
    ] {
        assert_ne!(read_message(from, body, &context("INR")).verdict, MessageVerdict::Payment, "{body}");
    }
}

#[test]
#[rustfmt::skip] // A row fills a line.
fn money_that_is_loaded_lodged_or_in_came_in_and_an_instalment_that_is_received_went() {
    all_begin(&[
        ("VM-MEALCD-S", "Rs.2200.00 loaded on your Meal Card 7056 by your employer MERIDIAN WORKS on 02-Nov-2026.", "credit 2200 INR 7056"),
        ("Corrib", "Corrib: €2,310.55 was lodged to your current account *4410 on 03/11/26 from ATLANTIC DEVICES.", "credit 2310.55 EUR 4410 [ATLANTIC DEVICES]"),
        ("Kapstadt", "Kapstadt: Money In R18 250.00 SAL Mzansi Carriers; Cheque a/c 1188; 03/11/26; Avail R18 402.17", "credit 18250 ZAR 1188 [Mzansi Carriers]"),
        ("VM-KVRBNK-S", "Dear Member, we have recd Rs 2,480 towards your group loan instalment no 14 of 24 on 03 Nov 2026 for loan XX0931.", "debit 2480 INR 0931 []"),
        ("Northwell", "Northwell Alert: A purchase of $9.41 at BURGERHAUS was made on your card ending in 5530. Msg & data rates may apply", "debit 9.41 USD 5530 [BURGERHAUS]"),
    ]);
}

#[test]
#[rustfmt::skip] // A row fills a line.
fn who_stands_behind_an_account_a_number_or_a_banks_letters_is_named() {
    all_begin(&[
        ("JK-KVRBNK-S", "Your a/c no. XXXXXXXX4410 is debited by Rs.12,000.00 on 03-11-26 by transfer to A/c XX7781 of MALATI TRADERS thru NEFT UTR KVRN426050123456", "debit 12000 INR 4410 [MALATI TRADERS]"),
        ("VM-KVRBNK-S", "KVR: Rs.5000 sent to Ac XX7210 (RAMESHWAR SAH) via DMT. Charge Rs.50. Your a/c XX3312 bal Rs.1,004.00 Date 03.11.26", "debit 5000 INR 3312 [RAMESHWAR SAH]"),
        ("VM-KVRBNK-S", "A/c X4410 is debited with Rs.430.00 Info: UPI/KVRB/533198771200/KOTTAYAM BAKERS /UPI on 03-11-26 16:28:44.", "debit 430 INR 4410 [KOTTAYAM BAKERS]"),
        ("VM-KVRBNK-S", "Your KVR Bank a/c XX4410 has been credited by Rs. 1,10,250.00 on 03-Nov-26 by way of RTGS from VERMA AND SONS REALTY. Bal: 1,44,902.", "credit 110250 INR 4410 [VERMA AND SONS REALTY]"),
        ("Rift", "Dear Brian, KES 48,200.00 has been credited to your account 0180****4471 by SALARY MAY ZURI TEAS LTD on 03-11-2026 10:22.", "credit 48200 KES 4471 [ZURI TEAS LTD]"),
        ("Kapstadt", "Kapstadt: Debit order R649.00 VIGOUR GYMS from A/C..4471 on 2026-11-03.", "debit 649 ZAR 4471 [VIGOUR GYMS]"),
        ("Hausbank", "Du hast 35 € von Jannik Holm erhalten. Verwendungszweck: Geschenk Oma 80", "credit 35 EUR - [Jannik Holm]"),
        ("CP-KVRBNK-S", "KVR: Ur AcXXXX3519 credited Rs 2,400.00 from GRAMIN SEVA 03NOV26 AvBal Rs 2,911.00", "credit 2400 INR 3519 [GRAMIN SEVA]"),
        ("Pesawell", "You have received Ksh2,500.00 from GRACE OTIENO 0711XXX902 on 3/11/26 at 8:09 AM New balance is Ksh5,955.80. Dial *334#", "credit 2500 KES - [GRACE OTIENO]"),
    ]);
}

#[test]
fn the_day_that_a_period_ended_on_is_not_the_day_of_the_payment() {
    let body =
        "Rs.236.00 has been debited from A/c XX618 towards SMS CHGS FOR QTR ENDED 30/09/2026 on 03-NOV-26.";
    let reading = read_message("CP-KVRBNK-S", body, &context("INR"));
    assert_eq!(
        reading.date.map(|day| day.to_string()).as_deref(),
        Some("2026-11-03")
    );
    assert_eq!(reading.payee, None);
}

#[test]
#[rustfmt::skip] // A row fills a line.
fn what_is_presented_booked_set_up_or_only_promised_is_no_payment() {
    for (from, body) in [
        ("VM-KVRBNK-S", "Chq no 004417 of Rs 12,000.00 favouring S K TRADERS is presented in your A/c XX4410 today. If not issued by you, call 1800."),
        ("VM-KVRCRD-S", "Card XX0931: EMI conversion of Rs.18,400 at BAZAARO is booked subject to approval of the bank."),
        ("VM-KVRBNK-S", "Standing instruction set: INR 2,000.00 to OAKLEAF FUND from A/c XX4410, first debit on 05-DEC-2026."),
        ("Northwell", "Northwell: your dispute is open. A temporary credit of $41.20 will post to acct -3317 in two days."),
        ("Hausbank", "Hausbank: Ihr Zugang wird gesperrt! Abbuchung EUR 310,00 an SHOP77 stoppen: hausbank.example/x"),
        ("Hausbank", "Hausbank: Zahlung EUR 640,00 an Uferwerk GmbH per 05.12.2026 erfasst (Konto *4410)."),
    ] {
        let read = read_message(from, body, &context(if from == "Northwell" { "USD" } else { "EUR" }));
        assert_ne!(read.verdict, MessageVerdict::Payment, "{body}");
    }
}

#[test]
#[rustfmt::skip] // A row fills a line.
fn a_heading_and_what_the_owner_made_say_which_way() {
    all_begin(&[
        ("VM-KVRBNK-S", "Your A/C XX4410 has a credit of Rs 7,500.00 by transfer on 03/11/26 by OAKLEAF MILLS. Avl Bal Rs 9,120.40", "credit 7500 INR 4410 [OAKLEAF MILLS]"),
        ("Tuwaiq", "Credit Transfer Local\nAmount:SR 900\nTo:8830\nFrom:FAISAL OMAR\n26-11-03 10:01", "credit 900 SAR 8830 [FAISAL OMAR]"),
        ("Kanda", "Kanda: You've made a cash withdrawal of GBP 60.00 at HIGH STREET 12 with card ending 9184 on 3 Nov. A fee of GBP 2.00 may apply.", "debit 60 GBP 9184"),
        ("Northwell", "Large Purchase Approved\n$310.55 at SKYHOP AIR\nAccount ending 3317.", "debit 310.55 USD 3317 [SKYHOP AIR]"),
        ("GWallet", "Cash-in of PHP 800.00 at Corner Mart successful. Your new GWallet balance: PHP 841.70", "credit 800 PHP"),
        ("VM-KVRCRD-S", "Thank you for your payment of INR 4,110.66 on 03/11/2026 for your Card ending 3100.", "credit 4110.66 INR 3100 []"),
        ("VM-KVRBNK-S", "Chq No 004520 for INR 4,500.00 in favour of OAK STEEL has been passed in your A/c XX4410 on 06-11-26.", "debit 4500 INR 4410 [OAK STEEL]"),
        ("Sidra", "Sidra: QAR 900.00 transfer rec'd into account ending 4407 from NASSER OMAR.", "credit 900 QAR 4407 [NASSER OMAR]"),
    ]);
}

#[test]
#[rustfmt::skip] // A row fills a line.
fn of_several_sums_the_one_that_the_account_paid_is_taken() {
    all_begin(&[
        // What it came to in the account's currency stands behind it.
        ("VM-KVRBNK-S", "You've spent THB 220.00 (INR 548.20) at NIGHT MARKET using KVR card XX0931. Bal INR 4,616.05", "debit 548.2 INR 0931 [NIGHT MARKET]"),
        ("VM-KVRBNK-S", "You've spent INR 548.20 (THB 220.00) at NIGHT MARKET using KVR card XX0931. Bal INR 4,616.05", "debit 548.2 INR 0931 [NIGHT MARKET]"),
        // Parts of a sum stand in parentheses.
        ("VM-KVRPAY-S", "Settlement of Rs 2,310.20 (9 txns, less fee Rs 12.00, loan ded. Rs 80.00) credited to a/c XX4410 on 03-11-26", "credit 2310.2 INR 4410"),
        // What was taken for it is no second payment, nor is what was spent all day.
        ("TCoin", "Confirmed. You have sent GHS40.00 to AMA OWUSU on 2026-11-03 at 17:55. Your balance is GHS14.10. You were charged GHS0.40.", "debit 40 GHS - [AMA OWUSU]"),
        ("Monza", "🍔 Corner Grill\nYou spent £8.35. Spent today: £21.20", "debit 8.35 GBP - [Corner Grill]"),
    ]);
}

#[test]
#[rustfmt::skip] // A row fills a line.
fn a_name_may_hold_a_small_word_and_is_not_how_or_what_for() {
    all_begin(&[
        ("VM-KVRBNK-S", "Sent Rs.140.00\nFrom KVR Bank A/C *4410\nTo OAK BHAVAN TO GO\nOn 03/11/26\nRef 507334129811", "debit 140 INR 4410 [OAK BHAVAN TO GO]"),
        ("Inselbank", "Inselbank: You transacted EUR 41.20 with card *0715 on 03/11/26 at TAVERNA TO NEON.", "debit 41.2 EUR 0715 [TAVERNA TO NEON]"),
        ("Sparbank", "Du hast gerade 31,50 € bei Gasthof Zum Adler ausgegeben.", "debit 31.5 EUR - [Gasthof Zum Adler]"),
        ("GPay", "OAK SUPER BAZAR has been paid ₹76.00\nFrom KVR Bank ••4410", "debit 76 INR 4410 [OAK SUPER BAZAR]"),
        ("VM-KVRBNK-S", "Acct XX441 is credited with Rs 127.00 on 30-Sep-26 by Account linked to Int.Pd:01-07-2026 to 30-09-2026.", "credit 127 INR 441 []"),
        ("VM-KVRBNK-S", "INR 590.00 has been debited from A/c no. XX4410 on 31-07-26 towards consolidated charges for Jul.", "debit 590 INR 4410 []"),
        ("VM-KVRBNK-S", "INR 203.00 debited from A/c XX4410 on 05-Nov-26 for Loan EMI mandate OAKLEAF CREDIT, UMRN KVRB70211XXXX.", "debit 203 INR 4410 [OAKLEAF CREDIT]"),
        ("Kanda", "Kanda: D/D RIVER WATER GBP 38.50 taken from a/c *2261 on 01Nov.", "debit 38.5 GBP 2261 [RIVER WATER]"),
        ("Southbank", "Southbank: Dividend ORE GROUP AUD 212.30 credited to acct ..5508", "credit 212.3 AUD 5508 [ORE GROUP]"),
        ("VM-MEALS", "Rs. 200.00 credited by your employer ZENITH MILLS to Meals card 80-xxxx-0529 for May.", "credit 200 INR 0529 [ZENITH MILLS]"),
        ("Hausbank", "Dauerauftrag über 720,00 EUR an Hausverwaltung Lind & Sohn ausgeführt. Kto. *5502", "debit 720 EUR 5502 [Hausverwaltung Lind & Sohn]"),
    ]);
}

#[test]
#[rustfmt::skip] // A row fills a line.
fn a_masked_number_behind_a_name_is_not_the_owners() {
    all_begin(&[
        ("TCoin", "You have sent UGX 5,000 to NAKATO RUTH, 25677xxxx118 on 2026-11-03 14:22:01. New balance: UGX 21,400.", "debit 5000 UGX - [NAKATO RUTH]"),
        ("TCoin", "TZS 3,000.00 sent to LUKU for account 5421xxxx889 on 3/11/26 at 12:10 PM. New balance is TZS 18,400.00.", "debit 3000 TZS - [LUKU]"),
        // Behind a comma the owner's own account has its word.
        ("VM-KVRBNK-S", "Dear Customer, Acct XX441 is credited with Rs 150.00 on 02-Nov-26 from ASHA IYER.", "credit 150 INR 441 [ASHA IYER]"),
    ]);
}

#[test]
#[rustfmt::skip] // A row fills a line.
fn what_stands_around_a_name_is_no_part_of_it() {
    all_begin(&[
        ("VM-KVRBNK-S", "Your A/C XX441 Debited INR 204.00 on 05/02/26 -Debit by ACH of OAKLEAF LIFE. Avl Bal INR 765.09", "debit 204 INR 441 [OAKLEAF LIFE]"),
        ("VM-KVRBNK-S", "KVR Bank Acc XX441 debited Rs. 300.00 on 02-Nov-26 InfoACH*OAKLEAF FUND*.Avl Bal Rs. 118.90.", "debit 300 INR 441 [OAKLEAF FUND]"),
        ("VM-KVRBNK-S", "Sent Rs.101.00 from KVR Bank AC X4410 to SHRI OAK TRUST oaktrust@kvr on 02-11-26.UPI Ref 622730257529.", "debit 101 INR 4410 [SHRI OAK TRUST]"),
        // Only the address is there.
        ("VM-KVRBNK-S", "Sent Rs.101.00 from KVR Bank AC X4410 to VPA oaktrust@kvr on 02-11-26.UPI Ref 622730257529.", "debit 101 INR 4410 [oaktrust@kvr]"),
        ("Okobank", "Acct: ******4412\nAmt: NGN12,500.00 DR\nDesc: NIP TRANSFER TO ADAMU BELLO\nAvail Bal: NGN48,216.33", "debit 12500 NGN 4412 [ADAMU BELLO]"),
        ("PESAWELL", "TJM8QX41LK Confirmed. Ksh350.00 sent to ASHA  MWANGI 0722****14 on 2/11/26 at 1:24 PM. New M-PESA balance is Ksh2,118.00.", "debit 350 KES - [ASHA  MWANGI]"),
        ("Kanda", "Refund received\nPINE.COM refunded $84.95 to your Kanda Card ending in 4106", "refund 84.95 USD 4106 [PINE.COM]"),
    ]);
}

#[test]
#[rustfmt::skip] // A row fills a line.
fn cash_a_month_a_zone_and_the_bank_itself_are_nobody() {
    all_begin(&[
        ("VM-KVRBNK-S", "Update! INR 20,000.00 deposited in KVR Bank A/c XX4410 on 02-NOV-26 for Cash Dep-ERODE-MAIN RD 0612.Avl bal INR 71,338.20.", "credit 20000 INR 4410 []"),
        ("VM-KVRBNK-S", "Cash deposit of Rs.500 by ASHA IYER to A/C X4410 on 02-11-26.", "credit 500 INR 4410 [ASHA IYER]"),
        ("VM-KVRBNK-S", "Interest of INR 231.00 for Oct-2026 has been credited to your KVR Bank A/C XX4410 on 31/10/26.", "credit 231 INR 4410 []"),
        ("Northwell", "Northwell: $200.00 ATM withdrawal from acct *7743 on 11/02 at 1:04PM PT. Bal $688.19.", "debit 200 USD 7743 []"),
        ("VM-OAKSFB-S", "Dear Customer, your loan EMI of Rs.2,860 has been debited from Oakleaf SFB A/c XX7750 on 02/11/2026. Avl Bal Rs.1,214.08.", "debit 2860 INR 7750 []"),
        ("TCoin", "WITHDRAWN. TID 120488713320. UGX 50,000 with Agent ID: 611207. Fee UGX 1,500. Bal UGX 8,730. 02-Nov-2026 18:14", "debit 50000 UGX - []"),
    ]);
}

#[test]
#[rustfmt::skip] // A row fills a line.
fn more_ways_to_say_that_money_went_or_came() {
    all_begin(&[
        ("VM-KVRBNK-S", "Alert!\nINR 540.00 reversed to KVR Bank A/c XX4410 on 02-11-26 for UPI txn 614338982905 to RAIL TICKETS.\nThe transaction stands cancelled.", "refund 540 INR 4410 [RAIL TICKETS]"),
        ("VM-KVRCRD-S", "Trxn of Rs.199.00 done on 02/11/26 at TUNEWELL on your KVR Credit Card ending 4188 basis the Standing Instruction registered.", "debit 199 INR 4188 [TUNEWELL]"),
        // A mandate alone is none.
        ("VM-KVRCRD-S", "Standing Instruction registered on your KVR Credit Card ending 4188 for TUNEWELL up to Rs.199.00.", "Nothing"),
        ("Northwell", "Northwell: A pending charge of $129.99 was made at BEST DEALS on your card ending in 3057 on Nov 2, 2026.", "debit 129.99 USD 3057 [BEST DEALS]"),
        ("Northwell", "Northwell: A charge of $129.99 at BEST DEALS is pending on your card ending in 3057.", "Nothing"),
        ("OakPay", "You got ₹900.00 from Asha Iyer in your KVR Bank a/c ending 6041", "credit 900 INR 6041 [Asha Iyer]"),
        ("VM-KVRBNK-S", "KVR Bank: Rs 500 added to your FASTag (KA05MX4821) from Acct XX082 on 02-Nov-26. Ref 627528792979.", "debit 500 INR 082"),
        ("Inselbank", "Inselbank: A lodgement of €1,904.18 from UFER PAYROLL was made to your a/c ~6630 on 2 Nov 2026.", "credit 1904.18 EUR 6630 [UFER PAYROLL]"),
        ("Revolve", "Paid €24.00 at Zara (₹2,061.20). Your INR balance is ₹14,803.10", "debit 2061.2 INR - [Zara]"),
        ("VM-KVRBNK-S", "A/c *8846: cheque 560014 for Rs. 9,000.00 deposited on 02-11-26 returned - SIGNATURE DIFFERS.", "Nothing"),
    ]);
}
