//! What is said of spending that the owner calls usual.
//!
//! What: the two answers to a card about unusual spending with their effects, what stands, and what was done. Why: an effect is named before it is
//! chosen, and taken back where it stands. Not here: markup (`web::usual_spending`), the other answers (`feedback`).

use crate::language::{Text, say};

/// The spending was meant: nothing changes.
pub const SPENDING_FINE: Text = Text("usual-spending-spending-fine");
/// What that does.
pub const SPENDING_FINE_DOES: Text = Text("usual-spending-spending-fine-does");
/// Heading of what is usual.
pub const USUAL_SPENDING: Text = Text("usual-spending-usual-spending");
/// Takes it back.
pub const USUAL_SPENDING_END: Text = Text("usual-spending-usual-spending-end");
/// Finance does not say.
pub const USUAL_SPENDING_NOT_READ: Text = Text("usual-spending-usual-spending-not-read");

/// What calling it wrong does.
pub fn will_call_usual(category: &str) -> String {
    say!("usual-spending-will-call-usual", category)
}

/// The rule, read back.
pub fn is_usual(category: &str, upto: &str) -> String {
    say!("usual-spending-is-usual", upto, category)
}

/// It was said.
pub fn called_usual(category: &str, upto: &str) -> String {
    say!("usual-spending-called-usual", upto, category)
}

/// It was said, and is over.
pub fn was_usual(category: &str, upto: &str) -> String {
    say!("usual-spending-was-usual", upto, category)
}

/// It was taken back.
pub fn usual_no_longer(category: &str) -> String {
    say!("usual-spending-usual-no-longer", category)
}
