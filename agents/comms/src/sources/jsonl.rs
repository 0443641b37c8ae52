//! Notifications and mails that come as signals, from JSONL files or handed over.
//!
//! What: [`message`], from a signal to what Comms judges. Why: files and posts are read the same way. Not here: reading
//! lines (`shared`), judging (`intent`).

use agents_base::{
    mail::eml,
    shared::{SkipCode, WRONG_PAYLOAD},
};
use toolcall_schema::signal::{NotificationData, Signal, SignalPayload};

/// What a signal of Comms holds. Not `Debug`: nothing of it may be logged.
pub(crate) enum SignalMessage {
    /// A notification.
    Notification(NotificationData),
    /// A mail.
    Mail(Box<eml::ParsedMail>),
}

/// The message of a signal.
///
/// # Errors
/// [`WRONG_PAYLOAD`] for another kind or a payload that does not fit, the codes of [`eml::parse`] for a mail.
pub(crate) fn message(signal: &Signal) -> Result<SignalMessage, SkipCode> {
    match signal.payload().map_err(|_| WRONG_PAYLOAD)? {
        SignalPayload::Notification(notification) => Ok(SignalMessage::Notification(notification)),
        SignalPayload::Mail(mail) => {
            eml::parse(mail.message.as_bytes()).map(|mail| SignalMessage::Mail(Box::new(mail)))
        }
        SignalPayload::Calendar(_)
        | SignalPayload::BankSms(_)
        | SignalPayload::Transaction(_)
        | SignalPayload::Hrv(_)
        | SignalPayload::Sleep(_)
        | SignalPayload::Activity(_)
        | SignalPayload::PhoneUnlock
        | SignalPayload::Location(_)
        | SignalPayload::Dnd(_) => Err(WRONG_PAYLOAD),
    }
}
