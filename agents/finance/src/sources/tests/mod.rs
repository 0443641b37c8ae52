//! What each bank's messages are read as. All messages are invented.

mod bytes;

use super::*;
use proptest::prelude::*;
use serde_json::json;
use toolcall_schema::{ids::SignalId, signal::SignalKind};

/// 2026-11-03, 18:30 in Kolkata: the time of every message here.
const SENT: &str = "2026-11-03T18:30:00+05:30";

fn signal(from: &str, body: &str) -> Signal {
    Signal {
        id: SignalId::parse("s1").unwrap(),
        at: Timestamp::parse(SENT).unwrap(),
        source: "sms".to_owned(),
        kind: SignalKind::BankSms,
        payload: json!({ "from": from, "body": body }),
    }
}

/// direction, amount, account, merchant, reference and local time in one line.
fn told(from: &str, body: &str) -> String {
    match read(&signal(from, body), Tz::Asia__Kolkata, "INR").map(|read| read.payment) {
        Ok(f) => format!(
            "{} {} {} {} [{}] {} {}",
            f.direction,
            f.amount,
            f.currency,
            f.account_last4,
            &*f.merchant,
            f.reference.as_deref().unwrap_or("-"),
            f.ts.utc()
                .with_timezone(&Tz::Asia__Kolkata)
                .format("%Y-%m-%d %H:%M"),
        ),
        Err(unread) => unread.code.code.to_owned(),
    }
}

#[test]
fn reads_both_directions_of_six_banks() {
    for (from, body, expected) in [
        (
            "VK-HDFCBK",
            "Sent Rs.212.50 from HDFC Bank A/C *8841 To VPA chaipoint@ybl On 03-11-26",
            "debit 212.5 INR 8841 [chaipoint] - 2026-11-03 18:30",
        ),
        (
            "VK-HDFCBK",
            "Sent Rs.1,250.00\nFrom HDFC Bank A/C *8841\nTo APOLLO PHARMACY INDIRANAGAR\nOn 03/11/26\nRef 900100200301\nNot You? Call 18002586161",
            "debit 1250 INR 8841 [apollo pharmacy indiranagar] 900100200301 2026-11-03 18:30",
        ),
        (
            "VK-HDFCBK",
            "Received Rs.6,400.00 from TUTORIAL-CLIENT in A/c **8841 via UPI on 03-NOV",
            "credit 6400 INR 8841 [tutorial client] - 2026-11-03 18:30",
        ),
        (
            "AD-HDFCBK",
            "Spent Rs.899 On HDFC Bank Card 7712 At BOOK MY SHOW On 2026-11-02:21:10:05 Not You?",
            "debit 899 INR 7712 [book my show] - 2026-11-02 12:00",
        ),
        (
            "AX-SBIINB",
            "Dear Customer, Rs.89.00 debited from A/c X2207 on 03-11-26 to VPA rapido@okaxis Ref 900112. -SBI",
            "debit 89 INR 2207 [rapido] 900112 2026-11-03 18:30",
        ),
        (
            "AX-SBIINB",
            "Dear Customer, Rs.1,23,456.78 credited to A/c X2207 on 02-11-26 from ACME WORKS PVT LTD Ref 900113. -SBI",
            "credit 123456.78 INR 2207 [acme works pvt ltd] 900113 2026-11-02 12:00",
        ),
        (
            "JD-SBIUPI",
            "Dear UPI user A/C X2207 debited by Rs.40.0 on date 03Nov26 trf to RAM STORES Refno 900114. If not u? call 1800111109. -SBI",
            "debit 40 INR 2207 [ram stores] 900114 2026-11-03 18:30",
        ),
        (
            "VK-ICICIB",
            "INR 1,499.00 spent on ICICI Bank Card XX5530 at MYNTRA on 03-Nov-26",
            "debit 1499 INR 5530 [myntra] - 2026-11-03 18:30",
        ),
        (
            "VK-ICICIB",
            "INR 2,099.50 spent using ICICI Bank Card XX5530 on 03-Nov-26 on THE GREEN CAFE. Avl Limit: INR 1,00,000.00.",
            "debit 2099.5 INR 5530 [the green cafe] - 2026-11-03 18:30",
        ),
        (
            "VK-ICICIB",
            "Dear Customer, Acct XX5530 debited with INR 320.00 on 03-Nov-26; UPI:900100200300; toward zepto@icici.",
            "debit 320 INR 5530 [zepto] 900100200300 2026-11-03 18:30",
        ),
        (
            "VK-ICICIB",
            "ICICI Bank Acct XX5530 debited for Rs 75.00 on 03-Nov-26; NAMMA YATRI credited. UPI:900100200302.",
            "debit 75 INR 5530 [namma yatri] 900100200302 2026-11-03 18:30",
        ),
        (
            "VK-ICICIB",
            "Dear Customer, Acct XX5530 is credited with Rs 5,000.00 on 03-Nov-26 from ANU K. UPI:900100200303-ICICI Bank.",
            "credit 5000 INR 5530 [anu k] 900100200303 2026-11-03 18:30",
        ),
        (
            "VM-AXISBK",
            "INR 76 debited A/c no. XX6612 03-11-26 09:05 UPI/P2M/ola@axis/Ola",
            "debit 76 INR 6612 [ola] - 2026-11-03 18:30",
        ),
        (
            "VM-AXISBK",
            "INR 1 234.50 debited\nA/c no. XX6612\n03-11-26, 09:05:11\nUPI/P2M/431200100200/DMART READY\nNot you? SMS BLOCKUPI",
            "debit 1234.5 INR 6612 [dmart ready] 431200100200 2026-11-03 18:30",
        ),
        (
            "VM-AXISBK",
            "INR 12,000.00 credited to A/c no. XX6612 on 03-11-26 at 10:22:10 IST. Info - UPI/P2A/431200100201/MEERA",
            "credit 12000 INR 6612 [meera] 431200100201 2026-11-03 18:30",
        ),
        (
            "AD-KOTAKB",
            "Sent Rs.145.00 to BLINKIT from Kotak Bank A/c x3398. UPI Ref 771. 03-NOV-26",
            "debit 145 INR 3398 [blinkit] 771 2026-11-03 18:30",
        ),
        (
            "AD-KOTAKB",
            "Sent Rs.60.00 from Kotak Bank AC X3398 to fresh.juice@ybl on 03-11-26.UPI Ref 900100200304. Not you, call",
            "debit 60 INR 3398 [fresh juice] 900100200304 2026-11-03 18:30",
        ),
        (
            "AD-KOTAKB",
            "Rs.649.00 debited from Kotak A/c x3398 to spotify@kotak on 03-NOV-2026. -Kotak",
            "debit 649 INR 3398 [spotify] - 2026-11-03 18:30",
        ),
        (
            "AD-KOTAKB",
            "Rs.12,34,567.00 credited to Kotak A/c x3398 from SALE OF FLAT on 01/11/2026. -Kotak",
            "credit 1234567 INR 3398 [sale of flat] - 2026-11-01 12:00",
        ),
        (
            "AD-KOTAKB",
            "Received Rs.250.00 in your Kotak Bank AC X3398 from dev@ybl on 03-11-26.UPI Ref:900100200305.",
            "credit 250 INR 3398 [dev] 900100200305 2026-11-03 18:30",
        ),
        (
            "AY-PNBSMS",
            "Rs.58.00 debited Ac XXXX4410 on 03-11-26 to DMART. UPI/Ref119. PNB",
            "debit 58 INR 4410 [dmart] 119 2026-11-03 18:30",
        ),
        (
            "AY-PNBSMS",
            "Ac XX4410 debited by Rs.410.00 on 03/11/2026 at APOLLO. PNB",
            "debit 410 INR 4410 [apollo] - 2026-11-03 18:30",
        ),
        (
            "AY-PNBSMS",
            "Rs.900 credited Ac XXXX4410 on 03-11-26 from RAVI AND SONS. UPI/Ref120. PNB",
            "credit 900 INR 4410 [ravi and sons] 120 2026-11-03 18:30",
        ),
        // Nobody is named, another currency, a sign.
        (
            "AX-SBIINB",
            "Your A/c X2207 debited by Rs.2,000.00 on 03-11-26. Avl Bal Rs.9,100.00",
            "debit 2000 INR 2207 [] - 2026-11-03 18:30",
        ),
        (
            "VK-ICICIB",
            "USD 11.80 spent on ICICI Bank Card XX5530 at CLOUD HOST on 03-Nov-26",
            "debit 11.8 USD 5530 [cloud host] - 2026-11-03 18:30",
        ),
        (
            "VM-IDFCFB",
            "₹300 debited from IDFC A/c XX1188 on 03-11-26 to METRO RECHARGE. Ref 900115",
            "debit 300 INR 1188 [metro recharge] 900115 2026-11-03 18:30",
        ),
    ] {
        assert_eq!(told(from, body), expected, "{body}");
    }
}

/// None of these was ever sent: constructed after the six banks above.
#[test]
fn reads_the_constructed_messages_of_six_more_banks() {
    let today = "2026-11-03 18:30";
    for (from, body, expected) in [
        (
            "AD-INDUSB",
            "A/C *XX4455 debited by Rs 1,250.00 towards swiggy@ybl. RRN:900100200401. Avl Bal:1,234.00. Not you? call - IndusInd Bank",
            "debit 1250 INR 4455 [swiggy] 900100200401",
        ),
        (
            "AD-INDUSB",
            "A/C *XX4455 credited by Rs 2,500.00 from anu.k@okicici. RRN:900100200402. Avl Bal:9,734.00 - IndusInd Bank",
            "credit 2500 INR 4455 [anu k] 900100200402",
        ),
        (
            "AD-INDUSB",
            "INR 1,250.00 spent on IndusInd Bank Card XX7788 on 03.11.2026 at BIG BASKET. Avl Lmt INR 45,000.00",
            "debit 1250 INR 7788 [big basket] -",
        ),
        (
            "AD-INDUSB",
            "Rs.5,000.00 withdrawn from IndusInd A/C XX4455 on 03-11-26 at ATM KORAMANGALA. Avl Bal Rs.12,300",
            "debit 5000 INR 4455 [atm koramangala] -",
        ),
        (
            "VM-BOBTXN",
            "Rs.250.00 Dr. from A/C XXXXXX3412 and Cr. to zomato@hdfcbank. Ref:900100200403. AvlBal:Rs5432.10(2026:11:03 10:22:11). Not you? Call -BOB",
            "debit 250 INR 3412 [zomato] 900100200403",
        ),
        (
            "VM-BOBTXN",
            "Rs.2,500.00 Credited to A/c ...3412 thru UPI/900100200404 by anu_okaxis. Total Bal:Rs.7,932.10CR-Bank of Baroda",
            "credit 2500 INR 3412 [anu okaxis] 900100200404",
        ),
        (
            "VM-BOBTXN",
            "Your A/c XX3412 is debited with INR 59.00 on 03-11-2026 towards SMS charges. -BOB",
            "fee 59 INR 3412 [] -",
        ),
        (
            "JD-YESBNK",
            "INR 340.00 debited from Yes Bank A/C XX9911 on 03-NOV-26 to ola@axl UPI Ref 900100200405",
            "debit 340 INR 9911 [ola] 900100200405",
        ),
        (
            "JD-YESBNK",
            "YES BANK Card XX2233 used for INR 899.00 at ZARA on 03-11-2026. Avl Lmt INR 9,000",
            "debit 899 INR 2233 [zara] -",
        ),
        (
            "JD-YESBNK",
            "INR 5,000.00 spent on YES BANK Card X2233 @UPI_FLIPKART 03-11-2026 10:22:10 am. Avl Lmt INR 4,000",
            "debit 5000 INR 2233 [flipkart] -",
        ),
        (
            "VM-IDFCFB",
            "Your A/C XX1188 is debited by INR 410.00 on 03/11/26 10:22 for UPI txn to METRO RECHARGE. RRN 900100200406",
            "debit 410 INR 1188 [metro recharge] 900100200406",
        ),
        (
            "VM-IDFCFB",
            "Rs 649.00 has been debited from your IDFC FIRST Bank Card XX7712 towards NETFLIX on 03-Nov-26 by AutoPay.",
            "debit 649 INR 7712 [netflix] -",
        ),
        (
            "AX-AUBANK",
            "Debited INR 75.00 from A/c X5566 on 03-NOV-2026 UPI/DR/900100200407/RAM TEA STALL/ybl. Bal INR 4,100.00 -AU Bank",
            "debit 75 INR 5566 [ram tea stall] 900100200407",
        ),
        (
            "AX-AUBANK",
            "Credited INR 900.00 to A/c X5566 on 03-NOV-2026 UPI/CR/900100200408/ANU/oksbi. Bal INR 5,000.00 -AU Bank",
            "credit 900 INR 5566 [anu] 900100200408",
        ),
        (
            "BP-RBLBNK",
            "Your a/c XX6677 is debited by Rs. 310.00 on 03-11-2026 to Info: UPI/900100200409/Apollo Pharmacy. -RBL Bank",
            "debit 310 INR 6677 [apollo pharmacy] 900100200409",
        ),
        (
            "BP-RBLBNK",
            "Rs.999.00 spent on RBL Bank credit card (4455) at AMAZON on 03-11-2026",
            "debit 999 INR 4455 [amazon] -",
        ),
        (
            "BP-RBLBNK",
            "Refund of Rs.310.00 from MYNTRA has been credited to your RBL Bank Card XX4455 on 03-Nov-26",
            "refund 310 INR 4455 [myntra] -",
        ),
        (
            "AX-AUBANK",
            "Rs.75.00 credited to A/c X5566 on 03-11-26: reversal of UPI 900100200407 to RAM TEA STALL. -AU Bank",
            "refund 75 INR 5566 [ram tea stall] 900100200407",
        ),
    ] {
        let told = told(from, body);
        assert_eq!(told, format!("{expected} {today}"), "{body}");
    }
}

#[test]
fn a_refund_is_no_income_and_a_small_charge_is_a_fee() {
    for (body, expected) in [
        (
            "Rs.310.00 credited to A/c X2207 on 03-11-26 from SWIGGY REFUND Ref 900116. -SBI",
            "refund 310",
        ),
        (
            "Rs.99.99 debited from A/c X2207 on 03-11-26 to SMS CHARGES Ref 900117. -SBI",
            "fee 99.99",
        ),
        // 100 is not below 100.
        (
            "Rs.100.00 debited from A/c X2207 on 03-11-26 to SMS CHARGES Ref 900118. -SBI",
            "debit 100",
        ),
        (
            "Rs.50.00 debited from A/c X2207 on 03-11-26 to FEEDING HANDS Ref 900119. -SBI",
            "debit 50",
        ),
    ] {
        let told = told("AX-SBIINB", body);
        assert!(told.starts_with(&format!("{expected} ")), "{told}");
    }
}

#[test]
fn what_is_no_payment_or_cannot_be_is_a_skip_with_its_code() {
    for (from, body, code) in [
        (
            "VK-HDFCBK",
            "Sent Rs.10.00 from HDFC Bank A/C *8841 To dev@ybl On 31-02-26",
            "AGENT-102",
        ),
        (
            "VK-HDFCBK",
            "Sent Rs.10.00 from HDFC Bank A/C *8841 To dev@ybl On 05-11-26",
            "AGENT-102",
        ),
        (
            "VK-HDFCBK",
            "Sent Rs.0.00 from HDFC Bank A/C *8841 To dev@ybl On 03-11-26",
            "AGENT-103",
        ),
        (
            "VK-HDFCBK",
            "Sent Rs.1.234 from HDFC Bank A/C *8841 To dev@ybl On 03-11-26",
            "AGENT-103",
        ),
        (
            "VK-HDFCBK",
            "Sent Rs.10,00,00,00,00,00,001 from HDFC Bank A/C *8841 To dev@ybl On 03-11-26",
            "AGENT-103",
        ),
        (
            "VK-HDFCBK",
            "Rs.10.00 debited from A/c *8841 on 03-11-26 to dev@ybl. Rs.20.00 debited from A/c *8841 on 03-11-26 to tea@ybl.",
            "AGENT-118",
        ),
        (
            "VK-HDFCBK",
            "123456 is the OTP for Rs.10.00 debited from A/c *8841 on 03-11-26 to dev",
            "AGENT-101",
        ),
        (
            "VK-HDFCBK",
            "Rs.10.00 debited from A/c *8841 on 03-11-26 to dev was declined",
            "AGENT-101",
        ),
        (
            "VK-HDFCBK",
            "Rs.10.00 will be debited from A/c *8841 on 03-11-26 to dev",
            "AGENT-101",
        ),
        (
            "JD-YESBNK",
            "Rs.10.00 debited from A/c *8841 on 03-11-26 to dev has been reversed.",
            "AGENT-101",
        ),
        (
            "AX-AUBANK",
            "Avl Bal in A/c X5566 as on 03-11-26 is INR 4,100.00 -AU Bank",
            "AGENT-101",
        ),
        (
            "AD-INDUSB",
            "Your UPI mandate has been created for Rs.649.00 from A/C *XX4455 towards NETFLIX",
            "AGENT-101",
        ),
        (
            "VM-BOBTXN",
            "Txn of Rs.250.00 from A/C XX3412 failed due to insufficient balance. -BOB",
            "AGENT-101",
        ),
        ("VK-HDFCBK", "Your loan is waiting!", "AGENT-101"),
        ("VK-HDFCBK", "", "AGENT-101"),
    ] {
        assert_eq!(told(from, body), code, "{body}");
    }
}

#[test]
fn a_day_ahead_of_the_message_is_the_message_and_an_earlier_day_is_noon() {
    for (date, expected) in [
        ("04-11-26", "2026-11-03 18:30"),
        ("03-11-26", "2026-11-03 18:30"),
        ("02-11-26", "2026-11-02 12:00"),
        ("31-DEC", "2025-12-31 12:00"),
    ] {
        let told = told(
            "AX-SBIINB",
            &format!("Rs.5.00 debited from A/c X2207 on {date} to dev Ref 900120"),
        );
        assert_eq!(told, format!("debit 5 INR 2207 [dev] 900120 {expected}"));
    }
}

#[test]
fn a_parsed_transaction_is_taken_as_it_is_or_skipped() {
    let read = |payload| {
        let signal = Signal {
            kind: SignalKind::Transaction,
            payload,
            ..signal("", "")
        };
        super::read(&signal, Tz::Asia__Kolkata, "INR")
            .map_err(|unread| unread.code)
            .map(|read| read.payment)
            .map_err(|code| code.code)
    };
    let data = |amount: &str, currency: &str, account: &str| json!({ "amount": amount, "currency": currency, "direction": "debit", "merchant": "Blue Tokai", "account_last4": account });
    assert_eq!(
        read(data("450.00", "INR", "8841")),
        Ok(FoundPayment {
            amount: Decimal::from(450),
            currency: "INR".to_owned(),
            account_last4: "8841".to_owned(),
            direction: Direction::Debit,
            merchant: MerchantName::new("Blue Tokai"),
            ts: Timestamp::parse(SENT).unwrap(),
            reference: None,
            categorized: true,
            source: PaymentSource::Program,
            category: None,
            which: PaymentOrdinal::Nth(0),
        })
    );
    for (payload, code) in [
        (data("0", "INR", "8841"), "AGENT-103"),
        (data("-3", "INR", "8841"), "AGENT-103"),
        (data("1.00001", "INR", "8841"), "AGENT-103"),
        (data("1000000000001", "INR", "8841"), "AGENT-103"),
        (data("1", "inr", "8841"), "AGENT-104"),
        (data("1", "INR", "88412"), "AGENT-104"),
        (data("1", "INR", "88४1"), "AGENT-104"),
        (json!({ "amount": "1" }), "AGENT-005"),
        (json!(null), "AGENT-005"),
    ] {
        assert_eq!(read(payload), Err(code));
    }
}

#[test]
fn every_pattern_compiles_and_the_largest_amount_is_ten_to_the_twelfth() {
    assert!(receipt::all_compile());
    assert_eq!(crate::claim::MAX_AMOUNT, Decimal::from(1_000_000_000_000_i64));
}

proptest! {
    #[test]
    fn no_message_panics(body in r"(?s).{0,200}") {
        let _ = told("VK-HDFCBK", &body);
    }

    #[test]
    fn no_message_made_of_the_banks_own_words_panics(
        words in proptest::collection::vec(
            prop_oneof![
                Just("Sent"), Just("Rs.1,2,3.4"), Just("INR 99999999999999999999999999999999"), Just("debited"),
                Just("credited"), Just("from"), Just("to"), Just("A/c X1234"), Just("on"), Just("99-99-9999"),
                Just("0-0-0"), Just("29-feb"), Just("UPI/P2M/1/२"), Just("."), Just("₹1.2.3"), Just("Ref 1"),
            ],
            0..20,
        )
    ) {
        let _ = told("VK-HDFCBK", &words.join(" "));
    }
}
