//! Wordings that were written last, deliberately odd.
//!
//! What: templates of twelve banks, as in `corpus`. Why: a reader of sentences read next to nothing of them. Not here:
//! payees and messages that tell of no payment, which are those of `unseen`.

use super::corpus::{
    Bank,
    Kind::{Credit, Debit},
};

#[rustfmt::skip] // A line of the table is a message.
pub(crate) const BANKS: &[Bank] = &[
    ("HDFC", "AX-HDFCBK-S", &[
        (Debit, "HDFC Bank: Rs {m} auto-debited from A/c {a} for {p} SIP on {d}"),
        (Debit, "You made a purchase worth Rs.{m} on HDFC Bank Card {c} on {d}. Merchant: {p}"),
        (Credit, "Salary/NEFT of INR {m} by {p} is now in your HDFC Bank A/c {a} ({d})"),
    ]),
    ("SBI", "VM-SBIUPI-S", &[
        (Debit, "A/C {a}: Rs {m} given to {p} via YONO on {d}. SBI"),
        (Debit, "E-com txn Rs.{m} SBI Card {c} {p} {d}"),
        (Credit, "Cash deposit of Rs.{m} by {p} to A/C {a} on {d}. SBI"),
    ]),
    ("ICICI", "AD-ICICIT-S", &[
        (Debit, "iMobile: Rs {m} moved from Acct {a} to {p} on {d}. ICICI Bank"),
        (Debit, "ICICI Bank FASTag: Rs {m} toll at {p} on {d}, Acct {a}"),
        (Credit, "{p} paid you Rs {m} on {d}. ICICI Bank Acct {a}"),
    ]),
    ("Axis", "JM-AXISBK-S", &[
        (Debit, "Axis Bank: EMI of INR {m} for {p} collected from A/c {a} on {d}"),
        (Debit, "Contactless spend INR {m} {p} {d} Axis Card {c}"),
        (Credit, "INR {m} from {p} added to Axis A/c {a} on {d}"),
    ]),
    ("Kotak", "VM-KOTAKB-S", &[
        (Debit, "Bill paid: {p}, Rs {m}, Kotak A/c {a}, {d}"),
        (Debit, "Kotak: you scanned and paid {v} Rs.{m} on {d} from A/c {a}"),
        (Credit, "Rs {m} landed in Kotak A/c {a} on {d}, sender {p}"),
    ]),
    ("PNB", "AX-PNBSMS-S", &[
        (Debit, "PNB ONE: Rs.{m} sent to {p}, Ac {a}, {d}"),
        (Debit, "RuPay card {c} swiped Rs {m} {p} {d} PNB"),
        (Credit, "PNB Ac {a} gets Rs.{m} from {p} {d}"),
    ]),
    ("IndusInd", "AD-INDUSB-S", &[
        (Debit, "INR {m} gone from IndusInd A/C {a} to {p} ({d})"),
        (Debit, "IndusInd Debit Card {c}: INR {m}, {p}, {d}"),
        (Credit, "IndusInd A/C {a} topped up with INR {m} by {p} on {d}"),
    ]),
    ("BoB", "VM-BOBSMS-S", &[
        (Debit, "bob World: Rs.{m} transferred to {p} from A/c {a} on {d}"),
        (Debit, "POS Rs.{m} {p} card {c} {d} -BOB"),
        (Credit, "bob A/c {a}: Rs.{m} in, from {p}, {d}"),
    ]),
    ("Yes", "JD-YESBNK-S", &[
        (Debit, "YES PAY: INR {m} to {p} from A/c {a} done on {d}"),
        (Debit, "Tap and pay INR {m} at {p} {d} YES BANK Card {c}"),
        (Credit, "YES BANK: INR {m} has arrived from {p} in A/c {a} on {d}"),
    ]),
    ("IDFC First", "AX-IDFCFB-S", &[
        (Debit, "IDFC FIRST: standing instruction INR {m} to {p} executed from A/C {a} on {d}"),
        (Debit, "INR {m} was used on IDFC FIRST card {c} by {p} on {d}"),
        (Credit, "INR {m} from {p} is in IDFC FIRST A/C {a} as of {d}"),
    ]),
    ("AU", "BZ-AUBANK-S", &[
        (Debit, "AU 0101: INR {m} paid to {v} on {d} from A/c {a}"),
        (Debit, "INR {m} swipe at {p} AU card {c} {d}"),
        (Credit, "AU Bank A/c {a} received INR {m} by NEFT from {p} on {d}"),
    ]),
    ("RBL", "TX-RBLBNK-S", &[
        (Debit, "MoBank: Rs.{m} sent to {p} on {d}, RBL A/c {a}"),
        (Debit, "RBL card {c}: purchase Rs.{m}, {p}, {d}"),
        (Credit, "RBL A/c {a} credited, Rs.{m}, {p}, {d}"),
    ]),
];
