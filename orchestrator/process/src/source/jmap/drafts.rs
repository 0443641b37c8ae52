//! Drafts on a server that speaks JMAP.
//!
//! What: [`put_draft`], which looks for the message's id among the drafts before it makes one, [`replace_draft`] and [`remove_draft`]. Why: what is tried again after any kill lies there
//! once; nothing but the one message is touched. A message never changes there (RFC 8621, 4.1): whoever edits a draft makes another one, so its id says whether it is still
//! ours. Not here: what a draft says, and when it may be put (the runtime).

use super::{
    super::{
        mail_answer::{answer_lines, is_plain_id, kept_lines},
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
    let Some(there) = drafts_of(session, mailbox, message_id).await? else {
        return Ok(OrderOutcome::Refused);
    };
    if let Some(version) = there.into_iter().next() {
        return Ok(OrderOutcome::WasThere {
            version: Some(version),
        });
    }
    make(session, mailbox, message).await
}

/// Puts another text in the place of a message, unless another program did.
///
/// # Errors
/// [`LookFailure`]: it is not known whether it lies there.
pub(super) async fn replace_draft(
    session: &mut JmapSession<'_>,
    mailbox: &str,
    message_id: &str,
    version: &str,
    message: &str,
) -> Result<OrderOutcome, LookFailure> {
    let Some(there) = drafts_of(session, mailbox, message_id).await? else {
        return Ok(OrderOutcome::Refused);
    };
    if let Some(outcome) = not_there(&there, version) {
        return Ok(outcome);
    }
    let ours = [version.to_owned()];
    // Another one beside ours is what an earlier try made.
    let made = if let Some(made) = there.iter().find(|id| *id != version) {
        OrderOutcome::Put {
            version: Some(made.clone()),
        }
    } else {
        let found = fetch_emails(session, &ours, EmailAsk::WholeHead).await?;
        let head = found.first().map(EmailObject::whole_head);
        let head = head.as_ref().and_then(|head| str::from_utf8(&head.0).ok());
        let message = kept_lines(head.unwrap_or_default()) + message;
        make(session, mailbox, &message).await?
    };
    if matches!(made, OrderOutcome::Put { .. }) {
        remove(session, &ours).await?;
    }
    Ok(made)
}

/// Makes a draft.
async fn make(
    session: &mut JmapSession<'_>,
    mailbox: &str,
    message: &str,
) -> Result<OrderOutcome, LookFailure> {
    let mut draft = draft_object(message);
    draft.insert("mailboxIds".to_owned(), json!({ mailbox: true }));
    draft.insert("keywords".to_owned(), json!({ "$draft": true, "$seen": true }));
    let made = session
        .change::<SetAnswer>("Email/set", json!({ "create": { DRAFT: draft } }))
        .await?;
    let MethodAnswer::Done(made) = made else {
        return Ok(OrderOutcome::Refused);
    };
    if let Some(created) = made.created.and_then(|mut created| created.remove(DRAFT)) {
        let version = created.get("id").and_then(Value::as_str).map(str::to_owned);
        return Ok(OrderOutcome::Put { version });
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

/// Whether there is no such message at all, or others alone.
fn not_there(there: &[String], version: &str) -> Option<OrderOutcome> {
    if there.is_empty() {
        Some(OrderOutcome::WasGone)
    } else {
        (!there.iter().any(|id| id == version)).then_some(OrderOutcome::Changed)
    }
}

/// Takes the message of that id out of the drafts; of a version that one alone.
///
/// # Errors
/// [`LookFailure`]: it is not known whether it lies there.
pub(super) async fn remove_draft(
    session: &mut JmapSession<'_>,
    mailbox: &str,
    message_id: &str,
    version: Option<&str>,
) -> Result<OrderOutcome, LookFailure> {
    let Some(mut there) = drafts_of(session, mailbox, message_id).await? else {
        return Ok(OrderOutcome::Refused);
    };
    if let Some(version) = version {
        if let Some(outcome) = not_there(&there, version) {
            return Ok(outcome);
        }
        there = vec![version.to_owned()];
    }
    if there.is_empty() {
        return Ok(OrderOutcome::WasGone);
    }
    remove(session, &there).await
}

async fn remove(session: &mut JmapSession<'_>, there: &[String]) -> Result<OrderOutcome, LookFailure> {
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

/// The messages of exactly that id among the drafts, one by one: an index of the server may not know yet what was just put there. `None`: the server says no, or
/// it is no id to ask for.
async fn drafts_of(
    session: &mut JmapSession<'_>,
    mailbox: &str,
    message_id: &str,
) -> Result<Option<Vec<String>>, LookFailure> {
    if !is_plain_id(message_id) {
        return Ok(None);
    }
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
