//! Drafts on a server that speaks JMAP.
//!
//! What: [`put_draft`], which looks for the message's id among the drafts before it makes one, and [`remove_draft`]. Why: what is tried again after any kill lies there
//! once; nothing but the one message is touched. Not here: what a draft says, and when it may be put (the runtime).

use super::{
    super::{
        mail_answer::{answer_lines, is_plain_id},
        mail_wire::OrderOutcome,
        wire::LookFailure,
    },
    emails::{EmailAsk, EmailObject, fetch_emails, find_emails},
    session::{JmapSession, MethodAnswer},
};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What the draft is called while it is made.
const DRAFT: &str = "d";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SetAnswer {
    created: Option<BTreeMap<String, Value>>,
    destroyed: Option<Vec<String>>,
    not_created: Option<BTreeMap<String, SetFailure>>,
}

#[derive(Deserialize)]
struct SetFailure {
    #[serde(rename = "type")]
    kind: String,
}

/// Puts a message among the drafts, unless one of that id lies there.
///
/// # Errors
/// [`LookFailure`]: it is not known whether it lies there.
pub(super) async fn put_draft(
    session: &mut JmapSession<'_>,
    mailbox: &str,
    message_id: &str,
    message: &str,
) -> Result<OrderOutcome, LookFailure> {
    if !is_plain_id(message_id) {
        return Ok(OrderOutcome::Refused);
    }
    let Some(there) = drafts_of(session, mailbox, message_id).await? else {
        return Ok(OrderOutcome::Refused);
    };
    if !there.is_empty() {
        return Ok(OrderOutcome::WasThere);
    }
    let mut draft = draft_object(message);
    draft.insert("mailboxIds".to_owned(), json!({ mailbox: true }));
    draft.insert("keywords".to_owned(), json!({ "$draft": true, "$seen": true }));
    let made = session
        .change::<SetAnswer>("Email/set", json!({ "create": { DRAFT: draft } }))
        .await?;
    let MethodAnswer::Done(made) = made else {
        return Ok(OrderOutcome::Refused);
    };
    if made.created.is_some_and(|created| created.contains_key(DRAFT)) {
        return Ok(OrderOutcome::Put);
    }
    let refused = made.not_created.and_then(|mut refused| refused.remove(DRAFT));
    // Neither made nor refused: nobody knows.
    let why = refused.ok_or(LookFailure::Broken)?.kind;
    tracing::debug!(why, "a draft was refused");
    Ok(if why == "overQuota" {
        OrderOutcome::Full
    } else {
        OrderOutcome::Refused
    })
}

/// The lines of a head that make a message the answer to the mail of this id; to whom it goes and what it is about where that lies in the inbox.
///
/// # Errors
/// [`LookFailure`]
pub(super) async fn answer_head(
    session: &mut JmapSession<'_>,
    inbox: Option<&str>,
    answers: &str,
) -> Result<String, LookFailure> {
    if !is_plain_id(answers) {
        return Ok(String::new());
    }
    let mut fields = String::new();
    if let Some(inbox) = inbox {
        let filter = json!({ "inMailbox": inbox, "header": ["Message-ID", answers] });
        let most = EmailAsk::Answer.at_once(session);
        let mut ids = find_emails(session, &filter, |ids| ids.len() >= most)
            .await?
            .unwrap_or_default();
        ids.truncate(most);
        let found = fetch_emails(session, &ids, EmailAsk::Answer).await?;
        let found = found.iter().find(|email| has_id(email, answers));
        fields = found.map(EmailObject::answer_fields).unwrap_or_default();
    }
    Ok(answer_lines(&fields, answers))
}

/// Takes the message of that id out of the drafts.
///
/// # Errors
/// [`LookFailure`]: it is not known whether it lies there.
pub(super) async fn remove_draft(
    session: &mut JmapSession<'_>,
    mailbox: &str,
    message_id: &str,
) -> Result<OrderOutcome, LookFailure> {
    if !is_plain_id(message_id) {
        return Ok(OrderOutcome::Refused);
    }
    let Some(there) = drafts_of(session, mailbox, message_id).await? else {
        return Ok(OrderOutcome::Refused);
    };
    if there.is_empty() {
        return Ok(OrderOutcome::WasGone);
    }
    let gone = session
        .change::<SetAnswer>("Email/set", json!({ "destroy": there }))
        .await?;
    let MethodAnswer::Done(gone) = gone else {
        return Ok(OrderOutcome::Refused);
    };
    let destroyed = gone.destroyed.unwrap_or_default();
    Ok(if there.iter().all(|id| destroyed.contains(id)) {
        OrderOutcome::Removed
    } else {
        OrderOutcome::Refused
    })
}

/// The messages of exactly that id among the drafts, one by one: an index of the server may not know yet what was just put there. `None`: the server says no.
async fn drafts_of(
    session: &mut JmapSession<'_>,
    mailbox: &str,
    message_id: &str,
) -> Result<Option<Vec<String>>, LookFailure> {
    let filter = json!({ "inMailbox": mailbox });
    let ids = match find_emails(session, &filter, |_| false).await {
        Ok(Some(ids)) => ids,
        Ok(None) | Err(LookFailure::SaysNo) => return Ok(None),
        Err(failure) => return Err(failure),
    };
    let most = EmailAsk::MessageId.at_once(session);
    let mut same = Vec::new();
    for some in ids.chunks(most) {
        let found = fetch_emails(session, some, EmailAsk::MessageId).await?;
        let found = found
            .into_iter()
            .filter(|email| email.lies_in(mailbox) && has_id(email, message_id));
        same.extend(found.map(|email| email.id));
    }
    Ok(Some(same))
}

/// Whether a mail has this id, which stands between angle brackets.
fn has_id(email: &EmailObject, message_id: &str) -> bool {
    let ids = email.message_id.as_deref().unwrap_or_default();
    matches!(ids, [id] if id == without_brackets(message_id))
}

fn without_brackets(id: &str) -> &str {
    id.trim_start_matches('<').trim_end_matches('>')
}

/// A message as `Email/set` takes it: its lines, ids apart, and its text.
fn draft_object(message: &str) -> Map<String, Value> {
    let (head, text) = message.split_once("\r\n\r\n").unwrap_or((message, ""));
    let mut draft = Map::new();
    let unfolded = head.replace("\r\n ", " ").replace("\r\n\t", " ");
    for (name, value) in unfolded.lines().filter_map(|line| line.split_once(':')) {
        let value = value.trim();
        let ids = || {
            value
                .split_ascii_whitespace()
                .map(without_brackets)
                .collect::<Vec<_>>()
        };
        let (name, value) = match name.to_ascii_lowercase().as_str() {
            "message-id" => ("messageId".to_owned(), json!(ids())),
            "in-reply-to" => ("inReplyTo".to_owned(), json!(ids())),
            "references" => ("references".to_owned(), json!(ids())),
            // The server says these of the parts.
            "mime-version" | "content-type" | "content-transfer-encoding" => continue,
            _ => (format!("header:{name}"), json!(format!(" {value}"))),
        };
        draft.insert(name, value);
    }
    draft.insert(
        "textBody".to_owned(),
        json!([{ "partId": "t", "type": "text/plain" }]),
    );
    draft.insert(
        "bodyValues".to_owned(),
        json!({ "t": { "value": text.replace("\r\n", "\n") } }),
    );
    draft
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_is_what_the_server_takes_it_as() {
        let message = "To: Asha Rao <one@example.com>\r\nSubject: Re: Visit\r\n on Friday\r\nIn-Reply-To: <b@example.com>\r\n\
                       References: <a@example.com>\r\n <b@example.com>\r\nDate: Tue, 3 Nov 2026 08:15:00 +0000\r\n\
                       Message-ID: <aura-tr_1@aura.invalid>\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\
                       Content-Transfer-Encoding: 8bit\r\n\r\nHello Asha,\r\n\r\nthank you.\r\n";
        assert_eq!(
            Value::Object(draft_object(message)),
            json!({
                "header:To": " Asha Rao <one@example.com>",
                "header:Subject": " Re: Visit on Friday",
                "header:Date": " Tue, 3 Nov 2026 08:15:00 +0000",
                "inReplyTo": ["b@example.com"],
                "references": ["a@example.com", "b@example.com"],
                "messageId": ["aura-tr_1@aura.invalid"],
                "textBody": [{ "partId": "t", "type": "text/plain" }],
                "bodyValues": { "t": { "value": "Hello Asha,\n\nthank you.\n" } },
            })
        );
    }
}
