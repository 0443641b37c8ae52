//! What is said of a decision in the order in which it came about.
//!
//! What: what it was taken for, what was weighed beside it, what was decided. Why: one place, ready for another language. Not here: what came in, reasons and
//! ends (`why`), their order (`render::course`).

use crate::language::{Text, say};

/// It came back because the owner had put it off.
pub const COURSE_PUT_OFF: Text = Text("course-put-off");
/// It came because a program asks.
pub const COURSE_PROGRAM: Text = Text("course-program");
/// It was done without a card.
pub const DECIDED_QUIETLY: Text = Text("course-decided-quietly");
/// Nothing was said.
pub const DECIDED_NOTHING: Text = Text("course-decided-nothing");

/// What seemed right.
pub fn taken_for(what: &str) -> String {
    say!("course-taken-for", what)
}

/// What was chosen: what asks for nothing may stand before what was weighed higher.
pub fn chosen(what: &str) -> String {
    say!("course-chosen", what)
}

/// What was proposed beside it, and how many more.
pub fn also_weighed(what: &str, more: usize) -> String {
    if more == 0 {
        say!("course-also-weighed", what)
    } else {
        say!("course-also-weighed-more", what, more)
    }
}

/// The owner was asked there.
pub fn decided_to_ask(surface: &str) -> String {
    say!("course-decided-to-ask", surface)
}

/// It was shown there, and asked nothing.
pub fn decided_to_show(surface: &str) -> String {
    say!("course-decided-to-show", surface)
}
