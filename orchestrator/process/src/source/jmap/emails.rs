//! Mails of an account (RFC 8621, 4).
//!
//! What: which mails there are ([`find_emails`]), which changed ([`changed_emails`]), and the mail or the head that is made of what the server says of one. Why:
//! nothing is marked, attachments never pass, and a server that says more than it was asked is not listened to. Not here: which of them are wanted (the parent module).

use super::{
    super::{
        mail_text::{
            HEAD_MAX, OLD_HEAD_MAX, PART_MAX, TextPart, TextParts, old_head, put_together, whole_head,
        },
        mail_wire::{MailBytes, MailMarks},
        uid_set::UIDS_MAX,
        wire::{LookFailure, MARK_MAX},
    },
    session::{JmapSession, MethodAnswer, is_id},
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::ids::sha256_hex;

/// Mails that are asked for at once: with their text, and without.
const TEXTS_AT_ONCE: usize = 12;
const HEADS_AT_ONCE: usize = 250;
/// Ids that are asked for at once.
const IDS_AT_ONCE: usize = 5000;
/// Answers that say more of one question, and lists that are begun anew because they changed.
const CHANGES_MAX: usize = 500;
const PAGES_MAX: usize = 1000;
const AGAIN_MAX: usize = 3;

/// What is asked of a mail whose text is read.
const TEXT_PROPERTIES: [&str; 9] = [
    "id",
    "mailboxIds",
    "keywords",
    "receivedAt",
    "headers",
    "textBody",
    "htmlBody",
    "attachments",
    "bodyValues",
];
/// What is asked of an older one: by these the agent knows whose it is, to whom, when, and whether it travelled.
const HEAD_PROPERTIES: [&str; 10] = [
    "id",
    "mailboxIds",
    "keywords",
    "receivedAt",
    "header:Date",
    "header:From",
    "header:To",
    "header:Cc",
    "header:Message-ID",
    "header:Received:all",
];
/// What is asked of one that is known, or that may be new.
const PLACE_PROPERTIES: [&str; 4] = ["id", "mailboxIds", "keywords", "receivedAt"];
/// By these it is known whose a mail is that was read before.
const SENDER_PROPERTIES: [&str; 3] = ["id", "header:From", "header:Message-ID"];

#[derive(Debug, Deserialize)]
struct HeaderField {
    name: String,
    value: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct BodyPart {
    part_id: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    disposition: Option<String>,
    #[serde(rename = "header:Content-Type")]
    content_type: Option<String>,
}

#[derive(Debug, Deserialize)]
struct BodyValue {
    value: String,
}

/// What a server says of one mail.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EmailObject {
    pub(super) id: String,
    mailbox_ids: Option<BTreeMap<String, bool>>,
    keywords: Option<BTreeMap<String, bool>>,
    received_at: Option<String>,
    headers: Option<Vec<HeaderField>>,
    text_body: Option<Vec<BodyPart>>,
    html_body: Option<Vec<BodyPart>>,
    attachments: Option<Vec<BodyPart>>,
    body_values: Option<BTreeMap<String, BodyValue>>,
    pub(super) message_id: Option<Vec<String>>,
    #[serde(rename = "header:Date")]
    date: Option<String>,
    #[serde(rename = "header:From")]
    from: Option<String>,
    #[serde(rename = "header:Reply-To")]
    reply_to: Option<String>,
    #[serde(rename = "header:Subject")]
    subject: Option<String>,
    #[serde(rename = "header:References")]
    references: Option<String>,
    #[serde(rename = "header:To")]
    to: Option<String>,
    #[serde(rename = "header:Cc")]
    cc: Option<String>,
    #[serde(rename = "header:Message-ID")]
    message_id_line: Option<String>,
    #[serde(rename = "header:Received:all")]
    received: Option<Vec<String>>,
}

impl EmailObject {
    /// The number by which it is called from here on: the same at each start, made of its id. Two mails of a folder hardly ever share one; of two that do the second
    /// is passed over.
    pub(super) fn uid(&self) -> u32 {
        uid_of(&self.id)
    }

    pub(super) fn lies_in(&self, mailbox: &str) -> bool {
        let mailboxes = self.mailbox_ids.as_ref();
        mailboxes.is_some_and(|all| all.get(mailbox).copied().unwrap_or(false))
    }

    /// When it came (RFC 3339, UTC).
    pub(super) fn received_at(&self) -> &str {
        self.received_at.as_deref().unwrap_or_default()
    }

    pub(super) fn marks(&self) -> MailMarks {
        let has = |keyword: &str| {
            let mut set = self.keywords.iter().flatten().filter(|(_, is_set)| **is_set);
            set.any(|(name, _)| name.eq_ignore_ascii_case(keyword))
        };
        MailMarks {
            answered: has("$answered"),
            seen: has("$seen"),
            deleted: false,
            draft: has("$draft"),
        }
    }

    /// The mail that is made of its head and its text.
    pub(super) fn text(&self) -> MailBytes {
        let (head, parts) = self.head_and_parts();
        let bytes_of = |part: Option<&TextPart>| {
            let value = self.body_values.as_ref()?.get(&part?.section)?;
            let end = value.value.floor_char_boundary(PART_MAX);
            value.value.get(..end).map(str::as_bytes)
        };
        let (plain, html) = (bytes_of(parts.plain.as_ref()), bytes_of(parts.html.as_ref()));
        MailBytes(put_together(head.as_bytes(), &parts, plain, html))
    }

    /// The head that it has among mails with their text: without a Message-ID it is known by that.
    pub(super) fn whole_head(&self) -> MailBytes {
        let (head, parts) = self.head_and_parts();
        MailBytes(whole_head(head.as_bytes(), &parts))
    }

    fn head_and_parts(&self) -> (String, TextParts) {
        let mut head = String::new();
        for field in self.headers.iter().flatten() {
            push_line(&mut head, &field.name, &field.value, HEAD_MAX);
        }
        let parts = TextParts {
            plain: Self::part(self.text_body.as_ref(), "text/plain"),
            html: Self::part(self.html_body.as_ref(), "text/html"),
            method: self.method(),
        };
        (head, parts)
    }

    /// Whether it can be known by its Message-ID.
    pub(super) fn has_message_id(&self) -> bool {
        self.message_id_line.is_some()
    }

    fn part(body: Option<&Vec<BodyPart>>, kind: &str) -> Option<TextPart> {
        let is_it = |part: &&BodyPart| {
            let is_attached = part.disposition.as_deref() == Some("attachment");
            !is_attached
                && part
                    .kind
                    .as_deref()
                    .is_some_and(|said| said.eq_ignore_ascii_case(kind))
        };
        let part = body?.iter().find(is_it)?;
        Some(TextPart::decoded(part.part_id.clone()?, kind == "text/html"))
    }

    /// What a calendar program wants with it. Its part stays where it is.
    fn method(&self) -> Option<String> {
        let parts = [&self.text_body, &self.html_body, &self.attachments];
        let mut all = parts.into_iter().flatten().flatten();
        let part = all.find(|part| part.kind.as_deref() == Some("text/calendar"))?;
        let line = part
            .content_type
            .as_deref()
            .unwrap_or_default()
            .to_ascii_lowercase();
        let (_, rest) = line.split_once("method=")?;
        let word: String = rest
            .trim_start_matches('"')
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .take(32)
            .collect();
        (!word.is_empty()).then(|| word.to_ascii_uppercase())
    }

    /// The lines of an older one, or of who wrote it.
    pub(super) fn head(&self) -> MailBytes {
        let lines = Self::lines(&[
            ("Date", &self.date),
            ("From", &self.from),
            ("To", &self.to),
            ("Cc", &self.cc),
            ("Message-ID", &self.message_id_line),
        ]);
        let mut head = String::new();
        for line in self.received.iter().flatten() {
            push_line(&mut head, "Received", line, OLD_HEAD_MAX / 2);
        }
        MailBytes(old_head((head + &lines).as_bytes()))
    }

    /// By these an answer to it is made.
    pub(super) fn answer_fields(&self) -> String {
        Self::lines(&[
            ("From", &self.from),
            ("Reply-To", &self.reply_to),
            ("Subject", &self.subject),
            ("References", &self.references),
        ])
    }

    fn lines(fields: &[(&str, &Option<String>)]) -> String {
        fields.iter().fold(String::new(), |mut lines, (name, value)| {
            if let Some(value) = value {
                push_line(&mut lines, name, value, OLD_HEAD_MAX);
            }
            lines
        })
    }
}

/// The number of a mail by its id.
pub(super) fn uid_of(id: &str) -> u32 {
    let hash = sha256_hex(id.as_bytes());
    let bits = hash.get(..8).and_then(|bits| u32::from_str_radix(bits, 16).ok());
    bits.unwrap_or(1).max(1)
}

/// Adds a line of a head, whatever stands in it: no value ends the head or begins another line. Lines beyond `most` bytes are left out.
fn push_line(head: &mut String, name: &str, value: &str, most: usize) {
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b':');
    if !is_name || head.len() + name.len() + value.len() > most {
        return;
    }
    head.push_str(name);
    head.push(':');
    let pieces = value.split(['\r', '\n']).filter(|piece| !piece.trim().is_empty());
    for (number, piece) in pieces.enumerate() {
        if number > 0 {
            head.push_str("\r\n");
        }
        if !piece.starts_with([' ', '\t']) {
            head.push(' ');
        }
        head.push_str(piece);
    }
    head.push_str("\r\n");
}

/// What of a mail is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EmailAsk {
    Text,
    Head,
    Place,
    Sender,
    /// Its head, with what its parts are.
    WholeHead,
    /// Its id, as it stands in it.
    MessageId,
    /// What an answer to it is made of.
    Answer,
}

impl EmailAsk {
    fn properties(self) -> &'static [&'static str] {
        match self {
            Self::Text => &TEXT_PROPERTIES,
            Self::Head => &HEAD_PROPERTIES,
            Self::Place => &PLACE_PROPERTIES,
            Self::Sender => &SENDER_PROPERTIES,
            Self::WholeHead => &["id", "headers", "textBody", "htmlBody", "attachments"],
            Self::MessageId => &["id", "mailboxIds", "messageId"],
            Self::Answer => &[
                "id",
                "messageId",
                "header:From",
                "header:Reply-To",
                "header:Subject",
                "header:References",
            ],
        }
    }

    /// How many are asked for at once.
    pub(super) fn at_once(self, session: &JmapSession<'_>) -> usize {
        session.at_once(if matches!(self, Self::Text | Self::WholeHead) {
            TEXTS_AT_ONCE
        } else {
            HEADS_AT_ONCE
        })
    }

    fn arguments(self, ids: &[String]) -> Value {
        let mut arguments = json!({ "ids": ids, "properties": self.properties() });
        let Some(more) = arguments.as_object_mut() else {
            return arguments;
        };
        if matches!(self, Self::Text | Self::WholeHead) {
            let of_part = ["partId", "type", "disposition", "header:Content-Type"];
            more.insert("bodyProperties".to_owned(), json!(of_part));
        }
        if self == Self::Text {
            for name in ["fetchTextBodyValues", "fetchHTMLBodyValues"] {
                more.insert(name.to_owned(), json!(true));
            }
            more.insert("maxBodyValueBytes".to_owned(), json!(PART_MAX));
        }
        arguments
    }
}

#[derive(Deserialize)]
struct EmailsAnswer {
    state: String,
    list: Vec<EmailObject>,
}

/// How far the marks and moves of all mails are by now.
///
/// # Errors
/// [`LookFailure`]
pub(super) async fn email_state(session: &mut JmapSession<'_>) -> Result<String, LookFailure> {
    let found: EmailsAnswer = session
        .call("Email/get", json!({ "ids": [] }))
        .await?
        .or_failure()?;
    checked_state(found.state)
}

fn checked_state(state: String) -> Result<String, LookFailure> {
    if (1..=MARK_MAX).contains(&state.len()) {
        Ok(state)
    } else {
        Err(LookFailure::Broken)
    }
}

/// What is asked of some mails, each that was asked for once. Where all of them are too large for one answer, fewer are asked for at once.
///
/// # Errors
/// [`LookFailure`]
pub(super) async fn fetch_emails(
    session: &mut JmapSession<'_>,
    ids: &[String],
    ask: EmailAsk,
) -> Result<Vec<EmailObject>, LookFailure> {
    let mut left = vec![ids];
    let mut found: Vec<EmailObject> = Vec::new();
    let mut wanted: BTreeSet<&str> = ids.iter().map(String::as_str).collect();
    while let Some(some) = left.pop() {
        if some.is_empty() {
            continue;
        }
        let answer = session
            .call::<EmailsAnswer>("Email/get", ask.arguments(some))
            .await;
        match answer {
            Err(LookFailure::TooLarge) if some.len() > 1 => {
                let (first, rest) = some.split_at(some.len() / 2);
                left.extend([rest, first]);
            }
            Err(LookFailure::TooLarge) => return Err(LookFailure::AnswerTooLarge),
            answer => {
                let list = answer?.or_failure()?.list;
                found.extend(list.into_iter().filter(|email| wanted.remove(email.id.as_str())));
            }
        }
    }
    Ok(found)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct QueryAnswer {
    query_state: String,
    ids: Vec<String>,
}

/// Mails that meet these conditions, the newest first, until `is_enough`. `None`: the server cannot look so.
///
/// # Errors
/// [`LookFailure`]
pub(super) async fn find_emails(
    session: &mut JmapSession<'_>,
    filter: &Value,
    mut is_enough: impl FnMut(&[String]) -> bool,
) -> Result<Option<Vec<String>>, LookFailure> {
    let mut begun = 0;
    'anew: loop {
        begun += 1;
        let (mut ids, mut seen, mut state) = (Vec::new(), BTreeSet::new(), None);
        for _ in 0..PAGES_MAX {
            let arguments = json!({
                "filter": filter,
                "sort": [{ "property": "receivedAt", "isAscending": false }],
                "position": ids.len(),
                "limit": IDS_AT_ONCE,
            });
            let page: QueryAnswer = match session.call("Email/query", arguments).await? {
                MethodAnswer::Done(page) => page,
                MethodAnswer::Refused(why) if why == "unsupportedFilter" => return Ok(None),
                refused @ MethodAnswer::Refused(_) => refused.or_failure()?,
            };
            let has_moved = state
                .replace(page.query_state.clone())
                .is_some_and(|before| before != page.query_state);
            if has_moved && begun < AGAIN_MAX {
                continue 'anew;
            }
            let before = ids.len();
            ids.extend(
                page.ids
                    .into_iter()
                    .filter(|id| is_id(id) && seen.insert(id.clone())),
            );
            ids.truncate(UIDS_MAX);
            if ids.len() == before || ids.len() == UIDS_MAX || is_enough(&ids) {
                break;
            }
        }
        return Ok(Some(ids));
    }
}

/// What changed of all mails.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct EmailChanges {
    /// New, moved or marked.
    pub(super) touched: BTreeSet<String>,
    pub(super) destroyed: BTreeSet<String>,
    pub(super) state: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ChangesAnswer {
    new_state: String,
    has_more_changes: bool,
    created: Vec<String>,
    updated: Vec<String>,
    destroyed: Vec<String>,
}

/// What changed since a state; `None`: the server cannot say it any more, or more than is followed.
///
/// # Errors
/// [`LookFailure`]
pub(super) async fn changed_emails(
    session: &mut JmapSession<'_>,
    since: &str,
) -> Result<Option<EmailChanges>, LookFailure> {
    let mut changes = EmailChanges {
        state: since.to_owned(),
        ..EmailChanges::default()
    };
    loop {
        let arguments = json!({ "sinceState": changes.state, "maxChanges": session.at_once(CHANGES_MAX) });
        let answer: ChangesAnswer = match session.call("Email/changes", arguments).await? {
            MethodAnswer::Done(answer) => answer,
            MethodAnswer::Refused(why) if why == "cannotCalculateChanges" => return Ok(None),
            refused @ MethodAnswer::Refused(_) => refused.or_failure()?,
        };
        let state = checked_state(answer.new_state)?;
        let has_moved = state != changes.state;
        changes.state = state;
        let touched = answer
            .created
            .into_iter()
            .chain(answer.updated)
            .filter(|id| is_id(id));
        changes.touched.extend(touched);
        changes
            .destroyed
            .extend(answer.destroyed.into_iter().filter(|id| is_id(id)));
        if changes.touched.len() + changes.destroyed.len() > UIDS_MAX {
            return Ok(None);
        }
        if !answer.has_more_changes {
            return Ok(Some(changes));
        }
        if !has_moved {
            // It would say so for ever.
            return Err(LookFailure::Broken);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn email(value: Value) -> EmailObject {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn mail_is_made_of_its_lines_and_its_text_and_no_value_begins_a_line_of_its_own() {
        let mail = email(json!({
            "id": "M1",
            "mailboxIds": { "inbox": true, "other": false },
            "keywords": { "$seen": true, "$answered": false, "x": true },
            "receivedAt": "2026-11-27T16:25:27Z",
            "headers": [
                { "name": "From", "value": " Asha Rao\r\n <one@example.com>" },
                { "name": "Subject", "value": " Hi\r\n\r\nBcc: evil@example.com" },
                { "name": "X\r\nEvil", "value": " x" },
                { "name": "Content-Type", "value": " multipart/mixed; boundary=x" },
            ],
            "textBody": [
                { "partId": "9", "type": "text/plain", "disposition": "attachment" },
                { "partId": "1", "type": "text/plain" },
            ],
            "htmlBody": [{ "partId": "1", "type": "text/plain" }],
            "attachments": [{ "partId": "3", "type": "text/calendar", "header:Content-Type": " text/calendar; METHOD=\"REQUEST\"" }],
            "bodyValues": { "1": { "value": "Kim, kömmst du?" }, "9": { "value": "log" } },
        }));
        assert!(mail.lies_in("inbox") && !mail.lies_in("other") && !mail.lies_in("drafts"));
        let marks = MailMarks {
            seen: true,
            ..MailMarks::default()
        };
        assert_eq!(mail.marks(), marks);
        let text = String::from_utf8(mail.text().0).unwrap();
        assert_eq!(
            text,
            "From: Asha Rao\r\n <one@example.com>\r\nSubject: Hi\r\n Bcc: evil@example.com\r\nMIME-Version: 1.0\r\n\
             Content-Type: multipart/alternative; boundary=\"aura-part-0-of-a-mail\"\r\n\r\n--aura-part-0-of-a-mail\r\n\
             Content-Type: text/plain; charset=\"utf-8\"\r\nContent-Transfer-Encoding: 8bit\r\n\r\nKim, kömmst du?\r\n\
             --aura-part-0-of-a-mail\r\nContent-Type: text/calendar; method=REQUEST\r\n\r\n\r\n--aura-part-0-of-a-mail--\r\n"
        );
    }

    #[test]
    fn head_of_an_older_mail_has_what_it_is_known_by() {
        let mail = email(json!({
            "id": "M1",
            "header:Date": " Fri, 27 Nov 2026 16:25:27 +0000",
            "header:From": " one@example.com",
            "header:To": null,
            "header:Received:all": [" from a", " from b"],
            "header:Message-ID": " <a@example.com>",
        }));
        assert_eq!(
            String::from_utf8(mail.head().0).unwrap(),
            "Received: from a\r\nReceived: from b\r\nDate: Fri, 27 Nov 2026 16:25:27 +0000\r\nFrom: one@example.com\r\n\
             Message-ID: <a@example.com>\r\n\r\n"
        );
        assert_eq!(mail.marks(), MailMarks::default());
    }

    #[test]
    fn number_of_a_mail_is_the_same_at_each_start() {
        // SHA-256 of "M1" begins with these digits.
        let hash = sha256_hex(b"M1");
        assert_eq!(format!("{:08x}", uid_of("M1")), hash[..8]);
        assert_ne!(uid_of("M1"), uid_of("M2"));
    }
}
