//! Drafts of replies, on their way to a folder of drafts.
//!
//! What: [`change_drafts`], one order, and the message that is put. Why: the worker of mail stays, and is asked in another way than one
//! that lives for a change. Not here: putting it (`aura_process::source`), what becomes of the delivery (`record`).

use super::{
    super::live::{LiveAccount, LiveAccounts},
    record::{DeliveryEvent, DeliveryKind, DeliveryState, DeliveryWish, ServerDelivery},
};
use aura_memory::{StoreError, outbox};
use aura_process::source::{ChangeEnd, ChangeOutcome, LookFailure, MailBytes, MailOrder, OrderOutcome};
use std::collections::BTreeMap;
use toolcall_schema::{
    Timestamp,
    delivery::ChangeRefusal,
    ids::{ItemId, TraceId},
};

/// How the names of drafts of replies begin in the outbox.
pub(crate) const REPLIES: &str = "reply-";

/// Which mail a draft answers, as far as the agent that read it can say.
pub(super) struct AnsweredMail {
    pub(super) item: ItemId,
    pub(super) message_id: Option<String>,
}

/// Has the worker of an account put a draft, unless one of its id lies there, put another text in its place, or take it away. What the draft answers is named by its
/// own id, and the worker adds to whom that leads.
pub(super) fn change_drafts(
    account: &LiveAccount,
    delivery: &ServerDelivery,
    answers: Option<&str>,
    now: Timestamp,
) -> ChangeEnd {
    let message_id = format!("<aura-{}@aura.invalid>", delivery.trace_id);
    let version = match &delivery.state {
        DeliveryState::Delivered { version, .. } => version.clone(),
        DeliveryState::Pending
        | DeliveryState::Unknown
        | DeliveryState::Failed { .. }
        | DeliveryState::Removed
        | DeliveryState::Stays { .. } => None,
    };
    if delivery.wish == DeliveryWish::Gone {
        let removed = account.mail_worker.order(|number| MailOrder::RemoveDraft {
            number,
            message_id,
            version,
        });
        return match removed {
            Ok(OrderOutcome::WasGone) => ChangeEnd::Answered(change_done(None)),
            removed => end_of(removed),
        };
    }
    let login = account.server_request(now).login;
    let user = login.as_ref().map(|login| login.user.as_str());
    let message = message(&message_id, user, &delivery.text, now);
    let message = MailBytes(message.into_bytes());
    end_of(account.mail_worker.order(|number| match version {
        Some(version) => MailOrder::ReplaceDraft {
            number,
            message_id,
            version,
            message,
        },
        None => MailOrder::PutDraft {
            number,
            message_id,
            // The agent names it without its brackets.
            answers: answers.map(|id| format!("<{id}>")),
            message,
        },
    }))
}

impl LiveAccounts {
    /// The owner changed a draft of the outbox: its server is to have that as well.
    pub(crate) fn tell_draft_edited(&self) {
        self.0.deliveries.wake.notify_one();
    }

    /// Notes what drafts of the outbox say now, where their owner changed them.
    pub(super) fn note_edits(&self, now: Timestamp) -> Result<(), StoreError> {
        let (vault, _) = self.vault_and_store()?;
        // Of a reply that was drafted twice the newer draft is the one in the outbox.
        let mut newest: BTreeMap<String, (Timestamp, TraceId, String)> = BTreeMap::new();
        for one in self.0.deliveries.records().values() {
            let is_newer = newest.get(&one.name).is_none_or(|(at, ..)| *at <= one.asked_at);
            if one.kind == DeliveryKind::Draft && one.wish == DeliveryWish::There && is_newer {
                let known = (one.asked_at, one.trace_id.clone(), one.text.clone());
                newest.insert(one.name.clone(), known);
            }
        }
        if newest.is_empty() {
            return Ok(());
        }
        for draft in outbox::list(vault.dir(), REPLIES)? {
            if let Some((_, id, known)) = newest.get(&draft.name)
                && draft.text != *known
            {
                self.apply(id, DeliveryEvent::Edited { text: draft.text }, now)?;
            }
        }
        Ok(())
    }
}

fn change_done(version: Option<String>) -> ChangeOutcome {
    ChangeOutcome::Done {
        version,
        part_before: None,
    }
}

fn end_of(ordered: Result<OrderOutcome, LookFailure>) -> ChangeEnd {
    match ordered {
        Ok(OrderOutcome::Put { version } | OrderOutcome::WasThere { version }) => {
            ChangeEnd::Answered(change_done(version))
        }
        // Of one that is only marked: programs show it no more.
        Ok(OrderOutcome::Removed | OrderOutcome::OnlyMarked) => ChangeEnd::Answered(change_done(None)),
        Ok(OrderOutcome::WasGone) => ChangeEnd::Answered(ChangeOutcome::Refused(ChangeRefusal::Gone)),
        Ok(OrderOutcome::Changed) => ChangeEnd::Answered(ChangeOutcome::Refused(ChangeRefusal::DraftChanged)),
        Ok(OrderOutcome::NoDrafts) => ChangeEnd::Answered(ChangeOutcome::Refused(ChangeRefusal::NoDrafts)),
        Ok(OrderOutcome::Full) => ChangeEnd::Answered(ChangeOutcome::Refused(ChangeRefusal::Full)),
        Ok(OrderOutcome::Refused) => ChangeEnd::Answered(ChangeOutcome::Refused(ChangeRefusal::SaysNo)),
        Ok(OrderOutcome::Unknown { failure }) => ChangeEnd::Failed {
            failure,
            is_perhaps_made: true,
        },
        // It answers another order.
        Ok(OrderOutcome::FetchedAgain) => ChangeEnd::Failed {
            failure: LookFailure::WorkerEnded,
            is_perhaps_made: true,
        },
        Err(failure) => ChangeEnd::Failed {
            failure,
            is_perhaps_made: false,
        },
    }
}

/// A draft as a mail, without what it answers.
fn message(message_id: &str, user: Option<&str>, text: &str, now: Timestamp) -> String {
    let is_address = |user: &&str| user.contains('@') && user.bytes().all(|byte| byte.is_ascii_graphic());
    let from = user.filter(is_address).map(|user| format!("From: <{user}>\r\n"));
    let body: String = text.lines().flat_map(|line| [line, "\r\n"]).collect();
    format!(
        "{}Date: {}\r\nMessage-ID: {message_id}\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\
         Content-Transfer-Encoding: 8bit\r\n\r\n{body}",
        from.unwrap_or_default(),
        now.utc().to_rfc2822(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draft_is_a_mail_of_the_owners_with_an_id_of_its_act() {
        let now = Timestamp::parse("2026-11-03T08:15:00Z").unwrap();
        let id = "<aura-tr_000000000001@aura.invalid>";
        let mail = message(id, Some("kim@example.org"), "Hello Asha,\n\nthank you.\n", now);
        assert_eq!(
            mail,
            "From: <kim@example.org>\r\nDate: Tue, 3 Nov 2026 08:15:00 +0000\r\nMessage-ID: <aura-tr_000000000001@aura.invalid>\r\n\
             MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n\
             Hello Asha,\r\n\r\nthank you.\r\n"
        );
        for user in ["kim", "kim@example.org\r\nBcc: x@example.org"] {
            assert!(message(id, Some(user), "Hi", now).starts_with("Date:"));
        }
    }
}
