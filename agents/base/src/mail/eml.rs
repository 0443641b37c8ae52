//! A mail as RFC 5322 bytes: any charset, encoded words, nested MIME, broken dates.
//!
//! What: [`parse`] to the few fields that agents judge. Why: everything else of a mail stays unread. Not here: the head's meaning
//! (`headers`), the zones of a text (`zones`), HTML (`html`), judging (each agent that reads mail), folders (`mail`).

use super::{
    headers::{self, HeadSign, MailOrigin},
    html::{HtmlText, text_of_html},
    zones::{MailZone, split_zones},
};
use crate::shared::{PARSER_GAVE_UP, SkipCode, guarded};
use chrono::NaiveDate;
use mail_parser::{
    Addr, DateTime, HeaderName, Message, MessageParser, MessagePart, MimeHeaders as _, PartType,
};
use memchr::memmem;
use std::{borrow::Cow, sync::LazyLock};
use toolcall_schema::{Timestamp, ids::sha256_hex};

/// Characters of a body that are kept for judging.
const MAX_TEXT: usize = 8192;

/// Bytes of text that are made of an HTML body.
const MAX_HTML: usize = 256 << 10;

/// A plain body with fewer letters is empty, and its HTML twin is read.
const EMPTY: usize = 40;

/// The bytes are not a mail.
pub const NOT_A_MAIL: SkipCode = SkipCode {
    code: "AGENT-010",
    message: "this is not a mail: RFC 5322 asks for a From header with an address",
};
/// The mail has no date that can be read.
pub const NO_DATE: SkipCode = SkipCode {
    code: "AGENT-011",
    message: "this mail has no date that can be read, neither in Date nor in Received",
};

/// The fields of a mail that are judged. Not `Debug`: nothing of it may be logged.
#[derive(Clone, PartialEq, Eq)]
pub struct ParsedMail {
    /// `Message-ID` without the angle brackets.
    pub message_id: Option<String>,
    /// The sender's address, lower case.
    pub from: String,
    /// The sender's display name, or the address where there is none.
    pub sender: String,
    /// The addresses of `To`, lower case.
    pub to: Vec<String>,
    /// Subject and the start of the body.
    pub text: String,
    pub subject: String,
    /// What its writer wrote for it, without quotation, signature and footer; the start of it.
    pub new_text: String,
    /// It quotes an earlier mail.
    pub quotes: bool,
    /// It holds a mail that was sent on.
    pub forwards: bool,
    /// It holds an invitation of a calendar program.
    pub invites: bool,
    /// It holds a calendar program's answer to an invitation.
    pub accepts: bool,
    /// Where it comes from.
    pub origin: MailOrigin,
    /// `Date`, else the newest `Received`; `None` when neither can be read.
    pub at: Option<Timestamp>,
    /// The ids of the mails it answers (`In-Reply-To`).
    pub answers: Vec<String>,
    /// A server handed it over: it came from somewhere.
    pub travelled: bool,
}

impl ParsedMail {
    /// The start of the body, whatever its zones.
    pub fn body(&self) -> &str {
        self.text.get(self.subject.len()..).unwrap_or_default()
    }

    /// The host of the sender's address.
    pub fn host(&self) -> Option<&str> {
        self.from.rsplit_once('@').map(|(_, host)| host)
    }
}

/// Reads a mail.
///
/// # Errors
/// [`NOT_A_MAIL`] without a sender, [`PARSER_GAVE_UP`] when the parser panicked.
pub fn parse(bytes: &[u8]) -> Result<ParsedMail, SkipCode> {
    guarded(|| read(bytes)).ok_or(PARSER_GAVE_UP)?.ok_or(NOT_A_MAIL)
}

/// When a mail was sent, as [`parse`] would say, from its head alone.
pub fn sent(bytes: &[u8]) -> Option<Timestamp> {
    /// Reads dates and nothing else: in an archive this is done for every mail.
    static DATES: LazyLock<MessageParser> = LazyLock::new(|| {
        MessageParser::new()
            .header_date(HeaderName::Date)
            .header_received(HeaderName::Received)
            .default_header_ignore()
    });
    guarded(|| date_of(&DATES.parse_headers(bytes)?)).flatten()
}

/// Who wrote a mail, as its head says where it lies. Not `Debug`: nothing of it may be logged.
pub struct LocatedSender {
    pub message_id: Option<String>,
    /// As `FoundMail::content`.
    pub content: String,
    /// The address, lower case.
    pub from: String,
    /// The display name, or the address where there is none.
    pub sender: String,
    /// To whom it went: each address, lower case, and its display name, or the address where there is none.
    pub to: Vec<(String, String)>,
}

/// Who wrote a mail and to whom it went, as [`parse`] would say, from its head alone.
pub fn sender(head: &[u8]) -> Option<LocatedSender> {
    guarded(|| {
        let message = MessageParser::default().parse_headers(head)?;
        let (from, sender) = address_and_name(message.from()?.first()?)?;
        let to = message.to().into_iter().flat_map(|to| to.iter());
        Some(LocatedSender {
            message_id: message.message_id().map(str::to_owned),
            content: sha256_hex(head),
            from,
            sender,
            to: to.filter_map(address_and_name).collect(),
        })
    })
    .flatten()
}

/// The address, in lower case, and the display name, or the address where there is none.
fn address_and_name(one: &Addr<'_>) -> Option<(String, String)> {
    let address = one.address().filter(|a| a.contains('@'))?.trim().to_lowercase();
    let name = one.name().unwrap_or(&address).to_owned();
    Some((address, name))
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
    let boundary = message.content_type()?.attribute("boundary")?;
    let found = message.body_text(0).is_some_and(|text| !text.trim().is_empty());
    (!found).then_some(boundary)
}

fn fields(message: &Message<'_>) -> Option<ParsedMail> {
    let (from, sender) = address_and_name(message.from()?.first()?)?;
    let named = message.from()?.first()?.name();
    let subject = message.subject().unwrap_or_default();
    let mut origin = headers::origin_of(message, &from, named.is_some_and(|name| !name.trim().is_empty()));
    let body = MailBody::of_message(message);
    let links = links_of(&body.text);
    let all = links.iter().copied().chain(body.links.iter().map(String::as_str));
    headers::note_links(all, &from, &mut origin);
    origin.linked = links.len() + body.links.len() > 0;
    origin.set(HeadSign::Form, body.form);
    let laid_out = body.tables && !origin.has(HeadSign::Answers);
    origin.template = laid_out && origin.business;
    origin.business |= laid_out;
    let zones = split_zones(&body.text);
    let text = begin_of(subject, &body.text);
    Some(ParsedMail {
        message_id: message.message_id().map(str::to_owned),
        sender,
        to: headers::addresses(message.all_to()),
        text,
        subject: subject.to_owned(),
        new_text: zones.passages(MailZone::New, MAX_TEXT),
        quotes: zones.has(MailZone::Quotation),
        invites: message.parts.iter().any(|part| is_calendar(part, "request")),
        accepts: message.parts.iter().any(|part| is_calendar(part, "reply")),
        forwards: zones.has(MailZone::Forwarded),
        at: date_of(message),
        answers: headers::texts(message.in_reply_to()),
        travelled: origin.received,
        origin,
        from,
    })
}

/// Subject and body, divided by the end of a line: the first [`MAX_TEXT`] characters.
fn begin_of(subject: &str, body: &str) -> String {
    let mut text = String::with_capacity(MAX_TEXT);
    let mut left = MAX_TEXT;
    for part in [subject, "\n", body] {
        let part = first_chars(part, left);
        text.push_str(part);
        left = left.saturating_sub(part.chars().count());
    }
    text
}

/// At most so many characters of a text.
fn first_chars(text: &str, most: usize) -> &str {
    // No text has more characters than bytes.
    if text.len() <= most {
        return text;
    }
    let mut chars = text.chars();
    if let Some(last) = most.checked_sub(1) {
        chars.nth(last);
    }
    let over = chars.as_str().len();
    text.get(..text.len() - over).unwrap_or_default()
}

/// The pieces of a text that hold a link, the first [`MAX_LINKS`].
fn links_of(text: &str) -> Vec<&str> {
    static SIGN: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new("://"));
    let mut links = Vec::new();
    let mut rest = text;
    while let Some(at) = SIGN.find(rest.as_bytes()).filter(|_| links.len() < MAX_LINKS) {
        let (before, behind) = rest.split_at(at);
        let begin = before
            .char_indices()
            .rfind(|(_, c)| c.is_whitespace())
            .map_or(0, |(at, c)| at + c.len_utf8());
        let end = behind
            .find(char::is_whitespace)
            .map_or(rest.len(), |end| at + end);
        links.extend(rest.get(begin..end));
        rest = rest.get(end..).unwrap_or_default();
    }
    links
}

/// Whether a part is a calendar program's, `text/calendar` with a method: REQUEST invites, REPLY answers.
fn is_calendar(part: &MessagePart<'_>, wanted: &str) -> bool {
    part.content_type().is_some_and(|kind| {
        kind.ctype().eq_ignore_ascii_case("text")
            && kind
                .subtype()
                .is_some_and(|of| of.eq_ignore_ascii_case("calendar"))
            && kind
                .attribute("method")
                .is_some_and(|method| method.eq_ignore_ascii_case(wanted))
    })
}

/// Links of a text that are looked at.
const MAX_LINKS: usize = 64;

/// The text of a mail, whatever its form.
struct MailBody<'a> {
    text: Cow<'a, str>,
    links: Vec<String>,
    /// Its HTML holds a form to fill in.
    form: bool,
    /// It is laid out in tables.
    tables: bool,
}

impl<'a> MailBody<'a> {
    fn of_message(message: &'a Message<'_>) -> Self {
        let html = message.html_bodies().find_map(|part| match &part.body {
            PartType::Html(html) => Some(html.as_ref()),
            PartType::Text(_)
            | PartType::Binary(_)
            | PartType::InlineBinary(_)
            | PartType::Message(_)
            | PartType::Multipart(_) => None,
        });
        let plain = message.text_bodies().find_map(|part| match &part.body {
            PartType::Text(text) => Some(text.as_ref()),
            PartType::Html(_)
            | PartType::Binary(_)
            | PartType::InlineBinary(_)
            | PartType::Message(_)
            | PartType::Multipart(_) => None,
        });
        let holds = |tag: &[u8]| html.is_some_and(|html| memmem::find(html.as_bytes(), tag).is_some());
        let form = holds(b"<form") || holds(b"<FORM");
        let tables = holds(b"<table") || holds(b"<TABLE");
        let written = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).take(EMPTY).count() == EMPTY;
        match (plain, html) {
            (Some(text), None) if is_html(text) => Self::of_html(text, form, tables),
            (Some(text), html) if html.is_none() || written(text) => {
                let links = html
                    .map(|html| text_of_html(html, MAX_HTML).links)
                    .unwrap_or_default();
                Self {
                    text: Cow::Borrowed(text),
                    links,
                    form,
                    tables,
                }
            }
            (_, Some(html)) => Self::of_html(html, form, tables),
            (_, None) => Self {
                text: Cow::Borrowed(""),
                links: Vec::new(),
                form,
                tables,
            },
        }
    }

    fn of_html(html: &str, form: bool, tables: bool) -> Self {
        let HtmlText { text, links } = text_of_html(html, MAX_HTML);
        Self {
            text: Cow::Owned(text),
            links,
            form,
            tables,
        }
    }
}

/// HTML that calls itself plain.
fn is_html(text: &str) -> bool {
    let begin = text.trim_start();
    ["<html", "<!doctype html"].iter().any(|tag| {
        begin
            .get(..tag.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(tag))
    })
}

/// The instant of a date that exists: the parser takes 31 February and the hour 25.
fn instant(date: &DateTime) -> Option<Timestamp> {
    NaiveDate::from_ymd_opt(i32::from(date.year), u32::from(date.month), u32::from(date.day))?;
    (date.is_valid() && date.year >= 1970)
        .then(|| Timestamp::from_ms(date.to_timestamp().saturating_mul(1000)))
}
