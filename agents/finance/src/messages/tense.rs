//! Whether a sentence says that something happened.
//!
//! What: [`not_past`], a verb of what may come or did not; [`is_told_done`] and [`is_processed`], a noun of which the sentence says that it is done. Why: "will
//! be debited" and "was debited" differ by a word. Not here: what a verb weighs (`score`).

use super::{text::MessageText, word_lists::MODALS};

/// Whether a sentence goes on to say that it was made: "purchase of Rs 5 at NAME was made".
pub(super) fn is_told_done(text: &MessageText, at: usize) -> bool {
    matches!(text.low(at + 1), "successful" | "completed" | "approved")
        || is_made_by_owner(text, at)
        // "Trxn of Rs 5 done on".
        || (at + 2..at + 6)
            .take_while(|next| text.sentence(*next) == text.sentence(at))
            .any(|next| text.low(next) == "done" && matches!(text.low(next + 1), "on" | "at" | "using" | "via"))
        || (at + 2..text.len())
            .take_while(|next| text.sentence(*next) == text.sentence(at))
            .any(|next| {
                matches!(text.low(next), "made" | "done" | "successful" | "completed")
                    && matches!(text.low(next - 1), "been" | "was" | "is")
                    && !not_past(text, next)
            })
}

/// Whether the owner made it: "You've made a cash withdrawal of".
fn is_made_by_owner(text: &MessageText, at: usize) -> bool {
    let made = (1..=3)
        .filter_map(|back| at.checked_sub(back))
        .find(|at| text.low(*at) == "made");
    made.and_then(|made| made.checked_sub(1))
        .is_some_and(|before| matches!(text.low(before), "you" | "you've" | "have"))
}

/// Whether a cheque came back unpaid: "cheque 5600 for Rs 5 deposited on … returned - SIGNATURE DIFFERS".
pub(super) fn is_cheque_returned(text: &MessageText) -> bool {
    let cheque = (0..text.len()).find(|at| matches!(text.low(*at), "cheque" | "chq" | "check"));
    cheque.is_some_and(|cheque| {
        (cheque..text.len()).any(|at| {
            text.low(at) == "returned"
                && (text.is_sign(at + 1, &['-', ':', '.'])
                    || matches!(text.low(at + 1), "unpaid" | "due" | "with" | "as" | "for"))
        })
    })
}

/// Whether a sentence goes on to say that something is done: "refund of Rs 5 has been processed".
pub(super) fn is_processed(text: &MessageText, at: usize) -> bool {
    (at + 2..text.len())
        .take_while(|next| text.sentence(*next) == text.sentence(at))
        .any(|next| {
            matches!(text.low(next), "processed" | "issued" | "posted" | "completed")
                && matches!(text.low(next - 1), "been" | "was" | "is" | "successfully")
                && !not_past(text, next)
        })
}

/// Whether words before a verb make it one of what may come, or did not.
pub(super) fn not_past(text: &MessageText, at: usize) -> bool {
    let back = |n: usize| {
        at.checked_sub(n)
            .filter(|b| text.sentence(*b) == text.sentence(at))
            .map_or("", |at| text.low(at))
    };
    let modal = |word: &str| MODALS.contains(&word);
    // German says what will be with the same participle: "werden abgebucht".
    let from = (0..at)
        .rev()
        .take_while(|back| text.sentence(*back) == text.sentence(at))
        .last()
        .unwrap_or(at);
    if (from..at).any(|back| matches!(text.low(back), "werden" | "wird")) {
        return true;
    }
    (back(1) == "be" && (modal(back(2)) || modal(back(3))))
        || matches!(
            back(1),
            "will" | "shall" | "can" | "cannot" | "not" | "never" | "being" | "won't" | "didn't" | "hasn't"
        )
        || (matches!(back(1), "been") && back(2) == "not")
        || (back(1) == "get" && back(2) != "you've")
}
