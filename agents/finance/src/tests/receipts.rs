//! Receipts as shops send them; all invented.

use super::{
    statements::{lines, skips, with_sources},
    *,
};
use agents_base::contract::SourcePaths;
use std::fs;

/// A mail of a shop.
fn mail(from: &str, subject: &str, body: &str) -> Vec<u8> {
    format!(
        "From: Shop <{from}>\r\nTo: rohan@example.org\r\nSubject: {subject}\r\nMessage-ID: <{}@example>\r\n\
         Date: Tue, 03 Nov 2026 13:30:00 +0530\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{body}\r\n",
        subject.len()
    )
    .into_bytes()
}

#[test]
fn receipts_of_shops_are_payments_once_and_other_mail_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let mails = [
        (
            "1",
            mail(
                "noreply@swiggy.in",
                "Your Swiggy order #1234567890 was delivered",
                "Item total Rs. 280.00\nGrand total: Rs. 320.00",
            ),
        ),
        (
            "2",
            mail(
                "noreply@swiggy.in",
                "Invoice for order #1234567890",
                "Grand total: Rs. 320.00",
            ),
        ),
        (
            "3",
            mail(
                "auto@mail.amazon.in",
                "Your order 402-1234567-1234567: Rs. 1,499.00",
                "Thanks",
            ),
        ),
        (
            "4",
            mail("receipts@uber.com", "Your Tuesday trip with Uber", "Total $12.40"),
        ),
        (
            "5",
            mail(
                "no-reply@flipkart.com",
                "Big sale: order now for Rs. 99",
                "Total Rs. 99",
            ),
        ),
        (
            "6",
            mail("friend@example.org", "Your order Rs. 500", "Total Rs. 500"),
        ),
        (
            "7",
            mail(
                "noreply@myntra.com",
                "Refund for order 77001122 is on its way",
                "Refund amount: Rs. 310",
            ),
        ),
        (
            "8",
            mail("noreply@zomato.com", "Your Zomato order receipt", "See the app"),
        ),
        ("9", mail("evil@notswiggy.in", "Your order Rs. 9", "Total Rs. 9")),
    ];
    for (name, bytes) in &mails {
        fs::write(folder.path().join(format!("{name}.eml")), bytes).unwrap();
    }
    let receipts = SourcePaths {
        receipts: vec![folder.path().to_owned()],
        ..SourcePaths::default()
    };
    let mut agent = with_sources(receipts, "");
    agent.accept(vec![sms(
        "s1",
        "2026-11-03T13:31:00+05:30",
        "Rs.320.00 debited from A/c X2207 on 03-11-26 to VPA bundl@icici Ref 900112",
    )]);
    let answer = ingest(&mut agent, t(NOW));
    assert_eq!(
        lines(&agent),
        [
            "2026-11-03 debit 12.4 USD 0000 transport",
            "2026-11-03 refund 310 INR 0000 shopping",
            "2026-11-03 debit 1499 INR 0000 shopping",
            // The bank named a company that nobody knows; the receipt says which shop it is.
            "2026-11-03 debit 320 INR 2207 food_delivery",
        ]
    );
    assert_eq!(skips(&answer), [("AGENT-111", "8.eml", None)]);
}
