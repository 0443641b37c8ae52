//! Wordings and payees that were written after those of `corpus`.
//!
//! What: templates of twelve banks, of messages that tell of no payment, and payees, as in `corpus`. Why: other sentences for the
//! same things. Not here: a gate.

use super::corpus::{
    Bank,
    Kind::{Credit, Debit, Fee, Refund},
};

#[rustfmt::skip] // A line of the table is a message.
pub(crate) const BANKS: &[Bank] = &[
    ("HDFC", "AX-HDFCBK-S", &[
        (Debit, "PAYMENT ALERT! INR {m} deducted from HDFC Bank A/C No {a} towards {p} UMRN: HDFC{r}"),
        (Debit, "Alert: You've spent Rs.{m} via Debit Card {c} at {p} on {d}. Avl bal: Rs.{b}. HDFC Bank"),
        (Debit, "Amt Sent Rs.{m} From HDFC Bank A/C {a} To {p} On {d} Ref {r}"),
        (Credit, "Update! INR {m} deposited in HDFC Bank A/c {a} on {d} for NEFT Cr-{r}-{p}. Avl bal INR {b}"),
        (Fee, "Dear Customer, Rs.{f} has been charged to A/C {a} on {d} as Low Balance charges. HDFC Bank"),
    ]),
    ("SBI", "VM-SBIUPI-S", &[
        (Debit, "Dear Customer, your A/c {a} is debited for Rs.{m} on {d} by transfer to {p}. -SBI"),
        (Debit, "Transaction of Rs.{m} done using SBI Debit Card {c} at {p} on {d}. -SBI"),
        (Debit, "Rs {m} transferred from A/c {a} to {v} on {d} via UPI (Ref {r}). SBI"),
        (Credit, "Your A/C {a} Credited INR {m} on {d} -Deposit by transfer from {p}. Avl Bal INR {b}-SBI"),
        (Refund, "Reversal: Rs.{m} paid to {p} has been returned to A/c {a} on {d}. -SBI"),
    ]),
    ("ICICI", "AD-ICICIT-S", &[
        (Debit, "Rs.{m} debited from A/c {a} on {d} and {p} credited. UPI Ref {r}. ICICI Bank"),
        (Debit, "Transaction alert: INR {m} on ICICI Bank Credit Card {c} at {p}, {d}."),
        (Debit, "Your ICICI Bank Account {a} has been debited with INR {m} on {d}. Info: BIL*{p}."),
        (Credit, "We have credited your ICICI Bank Account {a} with INR {m} on {d}. Info: {p}."),
        (Fee, "INR {f} has been recovered from ICICI Bank Acct {a} on {d} as quarterly charges"),
    ]),
    ("Axis", "JM-AXISBK-S", &[
        (Debit, "Rs {m} paid from Axis Bank A/c {a} to {p} on {d}. UPI Ref {r}."),
        (Debit, "Debit INR {m} Axis Bank A/c {a} {d} {t} UPI/P2M/{r}/{p}"),
        (Debit, "Card {c} used for INR {m} at {p} on {d}. Axis Bank"),
        (Credit, "Axis Bank: A/c {a} credited with INR {m} on {d} by {p}."),
        (Fee, "Axis Bank A/c {a} debited INR {f} on {d} - consolidated charges"),
    ]),
    ("Kotak", "VM-KOTAKB-S", &[
        (Debit, "Payment of Rs.{m} to {p} from Kotak Bank A/c {a} on {d} is successful."),
        (Debit, "Rs {m} was debited from your Kotak A/c {a} on {d} for payment to {v}."),
        (Debit, "Your Kotak Credit Card {c} was used at {p} for INR {m} on {d}."),
        (Credit, "Kotak Bank A/c {a} is credited with Rs {m} on {d} from {p}."),
        (Refund, "{p} has refunded Rs.{m} to your Kotak Card {c} on {d}."),
    ]),
    ("PNB", "AX-PNBSMS-S", &[
        (Debit, "Your a/c {a} is debited for Rs.{m} on {d} {t} by UPI to {p}. Ref {r}. PNB"),
        (Debit, "PNB: INR {m} paid to {v} from Ac {a} on {d}."),
        (Debit, "Txn of Rs {m} at {p} with PNB card {c} on {d}."),
        (Credit, "INR {m} received in Ac {a} from {p} on {d}. PNB"),
        (Fee, "Ac {a} charged Rs.{f} on {d} for locker charges. PNB"),
    ]),
    ("IndusInd", "AD-INDUSB-S", &[
        (Debit, "Rs {m} paid to {p} from IndusInd A/C {a} on {d}. UPI Ref {r}"),
        (Debit, "IndusInd Bank: your card {c} was charged INR {m} at {p} on {d}."),
        (Debit, "A/C {a} debited INR {m} {d} UPI/{r}/{p}. IndusInd"),
        (Credit, "INR {m} received in your IndusInd A/C {a} from {p} on {d}."),
        (Refund, "IndusInd: INR {m} refunded by {p} to card {c} on {d}"),
    ]),
    ("BoB", "VM-BOBSMS-S", &[
        (Debit, "Dear Customer, INR {m} has been debited from account {a} on {d} for payment to {p}. -Bank of Baroda"),
        (Debit, "BOB: paid Rs.{m} from A/c {a} to {v} on {d}, Ref {r}"),
        (Debit, "Rs.{m} used at {p} on {d} with your BOB card {c}."),
        (Credit, "Account {a} credited Rs.{m} on {d} by {p}. -BOB"),
        (Fee, "Rs.{f} levied on A/c {a} on {d} as SMS charges -BOB"),
    ]),
    ("Yes", "JD-YESBNK-S", &[
        (Debit, "Paid INR {m} to {p} from YES BANK A/c {a} on {d}."),
        (Debit, "YES BANK A/c {a}: INR {m} debited {d}, UPI:{r}, {v}"),
        (Debit, "INR {m} charged on YES BANK Card {c} by {p} on {d}"),
        (Credit, "You received INR {m} from {p} in YES BANK A/c {a} on {d}"),
        (Fee, "YES BANK A/c {a} debited with INR {f} on {d} being cheque book charges"),
    ]),
    ("IDFC First", "AX-IDFCFB-S", &[
        (Debit, "You've paid INR {m} to {p} from IDFC FIRST Bank A/C {a} on {d}. UPI Ref {r}"),
        (Debit, "INR {m} debited via UPI from A/C {a} on {d} to {v}. IDFC FIRST Bank"),
        (Debit, "Purchase of INR {m} at {p} on {d} with IDFC FIRST card {c}"),
        (Credit, "Money received! INR {m} from {p} in IDFC FIRST A/C {a} on {d}"),
        (Refund, "INR {m} reversed to IDFC FIRST card {c} by {p} on {d}"),
    ]),
    ("AU", "BZ-AUBANK-S", &[
        (Debit, "AU Bank: INR {m} sent from A/c {a} to {p} on {d}. UPI Ref {r}"),
        (Debit, "Your AU card {c} paid INR {m} to {p} on {d}"),
        (Debit, "A/c {a} Dr INR {m} {d} to {v} AU Bank"),
        (Credit, "A/c {a} Cr INR {m} {d} from {p} AU Bank"),
        (Fee, "INR {f} deducted from AU Bank A/c {a} on {d} as annual fee"),
    ]),
    ("RBL", "TX-RBLBNK-S", &[
        (Debit, "RBL Bank: Rs.{m} paid from A/c {a} to {p} on {d}"),
        (Debit, "Your RBL Bank card {c} has been charged Rs.{m} at {p} on {d}"),
        (Debit, "INR {m} transferred from RBL Bank A/c {a} to {v} on {d}. Ref {r}"),
        (Credit, "RBL Bank A/c {a} has received Rs.{m} from {p} on {d}"),
        (Refund, "Rs.{m} refunded by {p} to your RBL Bank card {c} on {d}"),
    ]),
];

pub(crate) const NO_PAYMENTS: &[&str] = &[
    "OTP is {o} for your purchase of Rs.{m} at {p}. Never share it.",
    "Your account {a} balance is Rs.{b} as of {d}.",
    "Payment of Rs.{m} to {p} could not be completed. No money was taken from A/c {a}.",
    "Reminder: EMI of Rs.{m} on A/c {a} falls due on {d}.",
    "Statement for card {c}: total due INR {m}, minimum due INR {f}, pay by {d}.",
    "Win cashback up to Rs.{m} when you pay {p} with card {c}!",
    "Limit on card {c} was changed to INR {b} on {d}.",
    "Cheque {o} for Rs.{m} from A/c {a} was returned unpaid on {d}.",
];

pub(crate) const PAYEES: &[(&str, &str, &str, &str)] = &[
    (
        "Sunrise Cafe",
        "sunrise.cafe@ybl",
        "sunrise cafe",
        "food_delivery",
    ),
    (
        "Anand Pharmacy",
        "anand.pharmacy@oksbi",
        "anand pharmacy",
        "health",
    ),
    ("RAPIDO", "rapido@okaxis", "rapido", "transport"),
    ("MYNTRA DESIGNS", "myntra.designs@axl", "myntra", "shopping"),
    ("NETFLIX", "netflix@hdfc", "netflix", "subscriptions"),
    ("Rukmini Iyer", "rukmini.iyer@okicici", "rukmini iyer", "other"),
    ("BLINKIT", "blinkit@ybl", "blinkit", "groceries"),
    ("Patel Traders", "patel.traders@okaxis", "patel traders", "other"),
];
