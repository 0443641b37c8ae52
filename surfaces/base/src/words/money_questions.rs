//! What the page Money asks.
//!
//! What: the sentences about senders that wait and messages that could not be read. Why: the owner decides whose word counts, and says once
//! what a message means. Not here: markup (`web::money_page`), what is read (`agents`).

use crate::format;
use crate::language::{Text, say, text};
use chrono_tz::Tz;
use toolcall_schema::{
    Timestamp,
    catalogue::money_questions::{PaymentSenderRow, SenderAcceptance},
};

/// The heading of messages that could not be read.
pub const UNREAD_MONEY: Text = Text("money-questions-unread-money");
/// What to do with them.
pub const MARK_BOTH: Text = Text("money-questions-mark-both");
/// Where the marked amount is repeated.
pub const AMOUNT: Text = Text("money-questions-amount");
/// Where the marked name is repeated.
pub const OTHER_SIDE: Text = Text("money-questions-other-side");
/// Nothing was marked yet.
pub const NOT_MARKED: Text = Text("money-questions-not-marked");
/// Money went.
pub const I_PAID: Text = Text("money-questions-i-paid");
/// Money came.
pub const I_RECEIVED: Text = Text("money-questions-i-received");
/// No money went or came.
pub const NOTHING_PAID: Text = Text("money-questions-nothing-paid");
/// The heading of senders.
pub const SENDERS: Text = Text("money-questions-senders");
/// Accepts a sender.
pub const COUNT_SENDER: Text = Text("money-questions-count-sender");
/// Refuses a sender.
pub const NOT_A_BANK: Text = Text("money-questions-not-a-bank");
/// Takes a decision about a sender back.
pub const ASK_AGAIN: Text = Text("money-questions-ask-again");
/// Unlearns the forms of a sender's messages.
pub const UNLEARN_FORMS: Text = Text("money-questions-unlearn-forms");
/// A sender whose name is not in memory.
pub const SENDER_NAMELESS: Text = Text("money-questions-sender-nameless");
/// A sender whose name is not in memory, of a message.
pub const SOME_SENDER: Text = Text("money-questions-some-sender");
/// The agent is busy.
pub const SENDERS_NOT_READ: Text = Text("money-questions-senders-not-read");

/// From whom and when a message is.
pub fn unread_from(name: &str, at: Timestamp, zone: Tz) -> String {
    say!(
        "money-questions-unread-from",
        name,
        date = format::date(format::local_date(at, zone)),
        clock = format::clock(at, zone)
    )
}

/// What is known of a sender.
pub fn sender(row: &PaymentSenderRow, zone: Tz) -> String {
    let mut parts = Vec::new();
    match (row.standing, row.waiting) {
        (SenderAcceptance::Undecided, 0) => {
            parts.push(text("money-questions-sender-you-have-not").to_owned());
        }
        (SenderAcceptance::Undecided | SenderAcceptance::NotABank, waiting) => {
            if row.standing == SenderAcceptance::NotABank {
                parts.push(text("money-questions-sender-you-said-it").to_owned());
            }
            if waiting > 0 {
                parts.push(waits(row, zone));
            }
        }
        (SenderAcceptance::Counts, 0) => {
            parts.push(text("money-questions-sender-its-payments-count").to_owned());
        }
        (SenderAcceptance::Counts, _) => {
            parts.push(text("money-questions-sender-its-payments-count-2").to_owned());
        }
    }
    match row.forms {
        0 => {}
        1 => parts.push(text("money-questions-sender-you-taught-me").to_owned()),
        more => parts.push(say!("money-questions-sender-you-taught-me-2", more)),
    }
    parts.join(" ")
}

fn waits(row: &PaymentSenderRow, zone: Tz) -> String {
    let payments = match row.waiting {
        1 => text("money-questions-waits-one-payment-waits").to_owned(),
        more => say!("money-questions-waits-payments-wait", more),
    };
    let currencies = if row.currencies.is_empty() {
        String::new()
    } else {
        say!("money-questions-waits-in", currencies = row.currencies.join(", "))
    };
    let newest = row.newest.map_or_else(String::new, |at| {
        let day = format::date(format::local_date(at, zone));
        match row.waiting {
            1 => say!("money-questions-waits-of", day),
            _ => say!("money-questions-waits-the-newest-of", day),
        }
    });
    say!("money-questions-waits-none-of-it", payments, currencies, newest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolcall_schema::ids::ChannelHash;

    fn row(standing: SenderAcceptance, waiting: u32, forms: u32) -> PaymentSenderRow {
        PaymentSenderRow {
            channel_hash: ChannelHash::parse("ch_0000000000000001").unwrap(),
            standing,
            waiting,
            currencies: if waiting > 0 {
                vec!["KES".to_owned()]
            } else {
                vec![]
            },
            newest: (waiting > 0).then(|| Timestamp::parse("2026-11-03T12:00:00Z").unwrap()),
            forms,
        }
    }

    #[test]
    fn a_sender_is_said_with_what_waits_and_what_was_taught() {
        use SenderAcceptance::{Counts, NotABank, Undecided};
        for (said, sentence) in [
            (
                row(Undecided, 3, 0),
                "3 payments wait in KES, the newest of Tue 3 Nov. None of it counts yet.",
            ),
            (
                row(Undecided, 1, 1),
                "One payment waits in KES, of Tue 3 Nov. None of it counts yet. You taught me one form of its messages.",
            ),
            (row(Counts, 0, 0), "Its payments count."),
            (
                row(Counts, 2, 2),
                "Its payments count in a moment. You taught me 2 forms of its messages.",
            ),
            (
                row(NotABank, 0, 0),
                "You said it is not a bank: I count nothing it tells.",
            ),
            (
                row(Undecided, 0, 1),
                "You have not said whether its payments count. You taught me one form of its messages.",
            ),
        ] {
            assert_eq!(sender(&said, chrono_tz::UTC), sentence);
        }
    }
}
