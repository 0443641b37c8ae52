//! A mail as RFC 5322 bytes: any charset, encoded words, nested MIME, broken dates.
//!
//! What: [`parse`] to the few fields that agents judge. Why: everything else of a mail stays unread. Not here: judging
//! (each agent that reads mail), folders (`mail`).

use crate::shared::{PARSER_GAVE_UP, SkipCode, guarded};
use chrono::NaiveDate;
use mail_parser::{DateTime, HeaderName, Message, MessageParser, MimeHeaders as _};
use std::sync::LazyLock;
use toolcall_schema::Timestamp;

/// Characters of a body that are kept for judging.
const MAX_TEXT: usize = 8192;

/// The bytes are not a mail.
pub(crate) const NOT_A_MAIL: SkipCode = SkipCode {
    code: "AGENT-010",
    message: "this is not a mail: RFC 5322 asks for a From header with an address",
};
/// The mail has no date that can be read.
pub(crate) const NO_DATE: SkipCode = SkipCode {
    code: "AGENT-011",
    message: "this mail has no date that can be read, neither in Date nor in Received",
};

/// The fields of a mail that are judged. Not `Debug`: nothing of it may be logged.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ParsedMail {
    /// `Message-ID` without the angle brackets.
    pub(crate) message_id: Option<String>,
    /// The sender's address, lower case.
    pub(crate) from: String,
    /// The sender's display name, or the address where there is none.
    pub(crate) sender: String,
    /// The addresses of `To`, lower case.
    pub(crate) to: Vec<String>,
    /// Subject and the start of the body.
    pub(crate) text: String,
    /// `Date`, else the newest `Received`; `None` when neither can be read.
    pub(crate) at: Option<Timestamp>,
    /// The ids of the mails it answers (`In-Reply-To`).
    pub(crate) answers: Vec<String>,
    /// Whether it says how to unsubscribe from a list.
    pub(crate) bulk: bool,
}

impl ParsedMail {
    /// The host of the sender's address.
    pub(crate) fn host(&self) -> Option<&str> {
        self.from.rsplit_once('@').map(|(_, host)| host)
    }
}

/// Reads a mail.
///
/// # Errors
/// [`NOT_A_MAIL`] without a sender, [`PARSER_GAVE_UP`] when the parser panicked.
pub(crate) fn parse(bytes: &[u8]) -> Result<ParsedMail, SkipCode> {
    guarded(|| read(bytes)).ok_or(PARSER_GAVE_UP)?.ok_or(NOT_A_MAIL)
}

/// When a mail was sent, as [`parse`] would say, from its head alone.
pub(crate) fn sent(bytes: &[u8]) -> Option<Timestamp> {
    /// Reads dates and nothing else: in an archive this is done for every mail.
    static DATES: LazyLock<MessageParser> = LazyLock::new(|| {
        MessageParser::new()
            .header_date(HeaderName::Date)
            .header_received(HeaderName::Received)
            .default_header_ignore()
    });
    guarded(|| date_of(&DATES.parse_headers(bytes)?)).flatten()
}

/// `Date`, else the newest `Received`.
fn date_of(message: &Message<'_>) -> Option<Timestamp> {
    let received = || message.received().and_then(|r| r.date).and_then(|d| instant(&d));
    // Without a zone it is taken for UTC.
    let zoneless = || {
        let raw = message.header_raw(HeaderName::Date)?.trim();
        DateTime::parse_rfc822(&format!("{raw} +0000"))
            .as_ref()
            .and_then(instant)
    };
    message
        .date()
        .and_then(instant)
        .or_else(zoneless)
        .or_else(received)
}

fn read(bytes: &[u8]) -> Option<ParsedMail> {
    let message = MessageParser::default().parse(bytes)?;
    match cut(&message) {
        // The parser drops a part that never ends.
        Some(boundary) => fields(
            &MessageParser::default().parse(&[bytes, b"\r\n--", boundary.as_bytes(), b"--\r\n"].concat())?,
        ),
        None => fields(&message),
    }
}

/// The boundary of a mail of parts in which no text was found: its end may be missing.
fn cut<'a>(message: &'a Message<'_>) -> Option<&'a str> {
    let found = message.body_text(0).is_some_and(|text| !text.trim().is_empty());
    let boundary = || message.content_type().and_then(|kind| kind.attribute("boundary"));
    if found { None } else { boundary() }
}

fn fields(message: &Message<'_>) -> Option<ParsedMail> {
    let sender = message.from()?.first()?;
    let from = sender
        .address()
        .filter(|a| a.contains('@'))?
        .trim()
        .to_lowercase();
    let body = message.body_text(0).unwrap_or_default();
    let text = [message.subject().unwrap_or_default(), "\n", &body]
        .concat()
        .chars()
        .take(MAX_TEXT)
        .collect();
    let answers = message.in_reply_to();
    let answers = answers
        .as_text_list()
        .map(|list| list.iter().map(ToString::to_string).collect())
        .or_else(|| answers.as_text().map(|one| vec![one.to_owned()]))
        .unwrap_or_default();
    Some(ParsedMail {
        message_id: message.message_id().map(str::to_owned),
        sender: sender.name().unwrap_or(&from).to_owned(),
        to: message
            .all_to()
            .flat_map(|to| to.iter())
            .filter_map(|a| a.address())
            .map(str::to_lowercase)
            .collect(),
        text,
        at: date_of(message),
        answers,
        bulk: message.header(HeaderName::ListUnsubscribe).is_some(),
        from,
    })
}

/// The instant of a date that exists: the parser takes 31 February and the hour 25.
fn instant(date: &DateTime) -> Option<Timestamp> {
    NaiveDate::from_ymd_opt(i32::from(date.year), u32::from(date.month), u32::from(date.day))?;
    (date.is_valid() && date.year >= 1970)
        .then(|| Timestamp::from_ms(date.to_timestamp().saturating_mul(1000)))
}
