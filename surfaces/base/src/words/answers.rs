//! What is said where the owner answers.
//!
//! What: headings, buttons and sentences of *Answer these*. Why: one place, ready for another language. Not here: who is listed
//! (`render::section::answers`), refusals (`web::error`).

use crate::language::{Text, say};
use toolcall_schema::catalogue::{
    comms::WAITING_DAYS,
    learning::{ASKED_DAYS, GIVEN_UP_DAYS},
};

/// The heading.
pub const ANSWER_THESE: Text = Text("answers-answer-these");
/// Who stands there, and in which order.
pub fn answer_these_says() -> String {
    say!("answers-answer-these-says", days = WAITING_DAYS)
}

/// Heading of what the buttons of a message do, and that.
pub const ANSWER_BUTTONS: Text = Text("answers-buttons");
pub const ANSWER_BUTTONS_SAY: Text = Text("answers-buttons-say");
/// The page with all of them.
pub const WHO_WAITS: Text = Text("answers-who-waits");
/// Nobody who waits is called so.
pub const NOBODY_OF_THAT_NAME_WAITS: Text = Text("answers-nobody-of-that-name");

/// How many stand on the next pages.
pub fn more_behind(more: usize) -> String {
    say!("answers-more-behind", more)
}

/// The list of those for whom the owner waits.
pub const YOU_WAIT_FOR: Text = Text("answers-you-wait-for");

/// Who stands there; `is_empty`: nobody does now.
pub fn you_wait_for_says(is_empty: bool) -> String {
    let (first, last) = (ASKED_DAYS, GIVEN_UP_DAYS);
    if is_empty {
        say!("answers-you-wait-for-nobody", first, last)
    } else {
        say!("answers-you-wait-for-says", first, last)
    }
}

/// Has a reply drafted.
pub const DRAFT_ANSWER: Text = Text("answers-draft-answer");
/// The owner answered elsewhere.
pub const ANSWERED_ELSEWHERE: Text = Text("answers-answered-elsewhere");
/// The message was not for the owner.
pub const NOT_FOR_ME: Text = Text("answers-not-for-me");
/// The field with the draft.
pub const YOUR_DRAFT: Text = Text("answers-your-draft");
/// Keeps the draft as it stands in the field.
pub const SAVE_DRAFT: Text = Text("answers-save-draft");
/// Copies the draft.
pub const COPY_DRAFT: Text = Text("answers-copy-draft");
/// Takes the draft beside it away.
pub const DISCARD_IT: Text = Text("answers-discard-it");
/// Before the programs that a draft is handed to, each by its kind.
pub const OPEN_IN: Text = Text("answers-open-in");
pub const MAIL_PROGRAM: Text = Text("answers-mail-program");
pub const CALENDAR_PROGRAM: Text = Text("answers-calendar-program");
/// Hands the draft to a mail program.
pub const OPEN_IN_MAIL: Text = Text("answers-open-in-mail");
/// Hands the draft of a decline to a calendar program.
pub const OPEN_IN_CALENDAR: Text = Text("answers-open-in-calendar");
/// Opens a mail where its owner reads mail.
pub const OPEN_MAIL: Text = Text("answers-open-mail");
/// The mail is not there.
pub const MAIL_GONE: Text = Text("answers-mail-gone");

/// Why that may be.
pub fn mail_gone_says() -> String {
    say!("answers-mail-gone-says", days = WAITING_DAYS)
}

/// A mail that waits lies no longer where it was.
pub const MAIL_MOVED: Text = Text("answers-mail-moved");
/// The same in a row, whose *Done* is beside it.
pub const MAIL_MOVED_HERE: Text = Text("answers-mail-moved-here");
/// What can be done.
pub const MAIL_MOVED_SAYS: Text = Text("answers-mail-moved-says");
/// The link cannot hold the draft.
pub const TOO_LONG_FOR_MAIL: Text = Text("answers-too-long-for-mail");

/// Somebody who has the same name as another.
pub fn told_apart(who: &str, since: &str) -> String {
    format!("{who}, {since}")
}

/// When the owner confirmed a draft, which promises an answer.
pub fn promised(at: &str) -> String {
    say!("answers-promised", at)
}

/// The subject of a reply, where that of the message is kept nowhere.
pub fn reply_subject(day: &str) -> String {
    say!("answers-reply-subject", day)
}
