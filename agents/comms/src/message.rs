//! A message as Comms judges it, and what it may ask for.

use serde::{Deserialize, Serialize};

/// What a message asks for, as far as the rules recognise it. For the draft of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestVerb {
    /// Hand something in.
    Submit,
    /// Send something.
    Send,
    /// Look something over.
    Review,
    Reply,
    /// Confirm something.
    Confirm,
    Call,
    Pay,
    /// Share a document.
    Share,
    Sign,
    /// Bring something up to date.
    Update,
    Join,
    /// Check something.
    Check,
    /// Nothing more exact was recognised.
    FollowUp,
}

/// A message as the rules see it.
#[derive(Debug, Clone, Copy)]
pub struct JudgedMessage<'a> {
    /// Subject and body of a mail, or the text of a notification.
    pub text: &'a str,
    /// The sender: a display name, a bank's code.
    pub sender: &'a str,
    /// The sender's mail host, when it is a mail.
    pub sender_host: Option<&'a str>,
    /// The chat or folder.
    pub channel: &'a str,
    /// A mail that names the owner in `To`.
    pub to_owner: bool,
    /// A mail that says how to unsubscribe.
    pub bulk: bool,
}
