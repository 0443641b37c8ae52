//! What is said of spending that the owner calls usual.
//!
//! What: the two answers to a card about unusual spending with their effects, what stands, and what was done. Why: an effect is named before it is
//! chosen, and taken back where it stands. Not here: markup (`web::usual_spending`), the other answers (`feedback`).

/// The spending was meant: nothing changes.
pub const SPENDING_FINE: &str = "That's fine";
/// What that does.
pub const SPENDING_FINE_DOES: &str = "You know about it. I go on telling you of unusual spending.";
/// Heading of what is usual.
pub const USUAL_SPENDING: &str = "Spending that is usual to you";
/// Takes it back.
pub const USUAL_SPENDING_END: &str = "Take back";
/// Finance does not say.
pub const USUAL_SPENDING_NOT_READ: &str =
    "Finance is busy, so I cannot say which spending you call usual. I look again in a moment.";

/// What calling it wrong does.
pub fn will_call_usual(category: &str) -> String {
    format!("So much in a day is usual. I speak about {category} only when a day costs more than that one.")
}

/// The rule, read back.
pub fn is_usual(category: &str, upto: &str) -> String {
    format!("Up to {upto} a day for {category} is usual to you.")
}

/// It was said.
pub fn called_usual(category: &str, upto: &str) -> String {
    format!("From now on I take up to {upto} a day for {category} as usual.")
}

/// It was said, and is over.
pub fn was_usual(category: &str, upto: &str) -> String {
    format!("I took up to {upto} a day for {category} as usual.")
}

/// It was taken back.
pub fn usual_no_longer(category: &str) -> String {
    format!("I judge spending on {category} by what is unusual again.")
}
