//! What is said where the owner answers.
//!
//! What: headings, buttons and sentences of *Answer these*. Why: one place, ready for another language. Not here: who is listed
//! (`render::section::answers`), refusals (`web::error`).

/// The heading.
pub const ANSWER_THESE: &str = "Answer these";
/// What each button does.
pub const ANSWER_THESE_SAYS: &str = "Messages of the last day: promised answers first, then who waits longest. Done: you answered elsewhere. Tomorrow: I ask again at six in the morning. Not for me: off the list, and I offer such messages a little less.";
/// The list of those for whom the owner waits.
pub const YOU_WAIT_FOR: &str = "You wait for";
/// The owner answered elsewhere.
pub const ANSWERED_ELSEWHERE: &str = "Done";
/// The message was not for the owner.
pub const NOT_FOR_ME: &str = "Not for me";
/// The field with the draft.
pub const YOUR_DRAFT: &str = "Your draft";
/// Keeps the draft as it stands in the field.
pub const SAVE_DRAFT: &str = "Save";
/// Copies the draft.
pub const COPY_DRAFT: &str = "Copy";
/// Hands the draft to a mail program.
pub const OPEN_IN_MAIL: &str = "Open in mail program";
/// Opens a mail where its owner reads mail.
pub const OPEN_MAIL: &str = "Open the mail";
/// The mail is not there.
pub const MAIL_GONE: &str = "I cannot find this mail now";
/// Why that may be.
pub const MAIL_GONE_SAYS: &str = "It was moved or deleted since I read it, it is older than a day, or Comms is busy. Your mail program may still find it by its sender.";
/// The link cannot hold the draft.
pub const TOO_LONG_FOR_MAIL: &str =
    "This draft is too long for a link: copy it, and paste it in your mail program.";

/// Somebody who has the same name as another.
pub fn told_apart(who: &str, since: &str) -> String {
    format!("{who}, {since}")
}

/// When the owner confirmed a draft, which promises an answer.
pub fn promised(at: &str) -> String {
    format!("Draft of {at}. I sent nothing.")
}

/// The subject of a reply, where that of the message is kept nowhere.
pub fn reply_subject(day: &str) -> String {
    format!("Your message of {day}")
}
