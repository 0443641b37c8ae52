//! What the page Money asks.
//!
//! What: the sentences about senders that wait and messages that could not be read. Why: the owner decides whose word counts, and says once
//! what a message means. Not here: markup (`web::money_page`), what is read (`agents`).

use crate::format;
use chrono_tz::Tz;
use toolcall_schema::{
    Timestamp,
    catalogue::money_questions::{PaymentSenderRow, SenderAcceptance},
};

/// The heading of messages that could not be read.
pub const UNREAD_MONEY: &str = "Messages about money that I could not read";
/// What to do with them.
pub const MARK_BOTH: &str = "Tap the amount, then tap who was paid or who paid you. If the name has more words, tap the last one too. \
     I forget these texts after a day.";
/// Where the marked amount is repeated.
pub const AMOUNT: &str = "Amount";
/// Where the marked name is repeated.
pub const OTHER_SIDE: &str = "To or from";
/// Nothing was marked yet.
pub const NOT_MARKED: &str = "not marked";
/// Money went.
pub const I_PAID: &str = "I paid this";
/// Money came.
pub const I_RECEIVED: &str = "I received this";
/// No money went or came.
pub const NOTHING_PAID: &str = "Nothing was paid";
/// The heading of senders.
pub const SENDERS: &str = "Who tells me about payments";
/// Accepts a sender.
pub const COUNT_SENDER: &str = "Count this sender";
/// Refuses a sender.
pub const NOT_A_BANK: &str = "Not a bank";
/// Takes a decision about a sender back.
pub const ASK_AGAIN: &str = "Ask me again";
/// Unlearns the forms of a sender's messages.
pub const UNLEARN_FORMS: &str = "Forget its forms";
/// A sender whose name is not in memory.
pub const SENDER_NAMELESS: &str = "A sender whose name I have forgotten; its next message tells me";
/// A sender whose name is not in memory, of a message.
pub const SOME_SENDER: &str = "a sender";
/// The agent is busy.
pub const SENDERS_NOT_READ: &str = "Finance is busy. Look again in a moment.";

/// From whom and when a message is.
pub fn unread_from(name: &str, at: Timestamp, zone: Tz) -> String {
    format!(
        "From {name}, {} at {}",
        format::date(format::local_date(at, zone)),
        format::clock(at, zone)
    )
}

/// What is known of a sender.
pub fn sender(row: &PaymentSenderRow, zone: Tz) -> String {
    let mut parts = Vec::new();
    match (row.standing, row.waiting) {
        (SenderAcceptance::Undecided, 0) => {
            parts.push("You have not said whether its payments count.".to_owned());
        }
        (SenderAcceptance::Undecided | SenderAcceptance::NotABank, waiting) => {
            if row.standing == SenderAcceptance::NotABank {
                parts.push("You said it is not a bank: I count nothing it tells.".to_owned());
            }
            if waiting > 0 {
                parts.push(waits(row, zone));
            }
        }
        (SenderAcceptance::Counts, 0) => parts.push("Its payments count.".to_owned()),
        (SenderAcceptance::Counts, _) => {
            parts.push("Its payments count in a moment.".to_owned());
        }
    }
    match row.forms {
        0 => {}
        1 => parts.push("You taught me one form of its messages.".to_owned()),
        more => parts.push(format!("You taught me {more} forms of its messages.")),
    }
    parts.join(" ")
}

fn waits(row: &PaymentSenderRow, zone: Tz) -> String {
    let payments = match row.waiting {
        1 => "One payment waits".to_owned(),
        more => format!("{more} payments wait"),
    };
    let currencies = if row.currencies.is_empty() {
        String::new()
    } else {
        format!(" in {}", row.currencies.join(", "))
    };
    let newest = row.newest.map_or_else(String::new, |at| {
        let day = format::date(format::local_date(at, zone));
        match row.waiting {
            1 => format!(", of {day}"),
            _ => format!(", the newest of {day}"),
        }
    });
    format!("{payments}{currencies}{newest}. None of it counts yet.")
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
