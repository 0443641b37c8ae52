//! Drafts of replies, on their way to a folder of drafts.
//!
//! What: [`LiveAccounts::deliver_draft`], one try, and the message that is put. Why: the worker of mail stays, and is asked in another way than one
//! that lives for a change. Not here: putting it (`aura_process::source`), what becomes of the delivery (`record`).

use super::{
    super::live::LiveAccounts,
    record::{DeliveryEvent, DeliveryState, DeliveryWish, ServerDelivery},
};
use agents::comms::drafted_item;
use aura_memory::{StoreError, outbox};
use aura_process::source::{ChangeEnd, ChangeOutcome, ChangeRefusal, LookFailure, OrderOutcome};
use surfaces::backend::BackendFuture;
use toolcall_schema::{
    Timestamp,
    ids::{ItemId, TraceId},
};

impl LiveAccounts {
    /// Has the worker of its account put a draft, or take it away.
    pub(super) async fn deliver_draft(
        &self,
        id: &TraceId,
        mail_id: &impl Fn(ItemId) -> BackendFuture<Option<String>>,
    ) -> Result<(), StoreError> {
        let record = self.0.deliveries.records().get(id).cloned();
        let Some((before, now)) = record.zip(self.now()) else {
            return Ok(());
        };
        let (Some(place), Some(item)) = (&before.place, drafted_item(&before.name)) else {
            return self.apply(id, DeliveryEvent::NoServer, now);
        };
        let Some(account) = self.allowed(place) else {
            return self.apply(id, DeliveryEvent::NotAllowed, now);
        };
        if account.config.is_paused {
            return self.apply(id, DeliveryEvent::NotYet, now);
        }
        let is_put = before.wish == DeliveryWish::There;
        let answers = if is_put { mail_id(item).await } else { None };
        // The agent names it without its brackets.
        let answers = answers.map(|id| format!("<{id}>"));
        if is_put && answers.is_none() && before.state == DeliveryState::Pending {
            // Of a chat, or of a message that is gone: the draft stays in the outbox.
            return self.apply(id, DeliveryEvent::NoServer, now);
        }
        let (me, begun) = (self.clone(), id.clone());
        let begun = tokio::task::spawn_blocking(move || me.begin(&begun, now)).await;
        begun.map_err(|_| StoreError::Stopped)??;
        let message_id = format!("<aura-{id}@aura.invalid>");
        let name = &account.config.name;
        let ordered = if is_put {
            let user = account.server_request(now).login.map(|login| login.user.clone());
            let text = self.text_of(&before);
            let message = message(&message_id, user.as_deref(), &text, now);
            self.put_draft(name, &message_id, answers, message.into_bytes())
                .await
        } else {
            self.remove_draft(name, &message_id).await
        };
        if self.is_over() {
            return Ok(());
        }
        let before = Box::new(before);
        let end = end_of(ordered);
        tracing::info!(account = name, ?end, "a draft was asked for on a server");
        self.apply(
            id,
            DeliveryEvent::Answered { before, end },
            self.now().unwrap_or(now),
        )
    }

    /// What the draft says now: its owner may have changed it.
    fn text_of(&self, delivery: &ServerDelivery) -> String {
        let found = self
            .0
            .vault
            .get()
            .and_then(|vault| outbox::list(vault.dir(), &delivery.name).ok());
        let draft = found
            .into_iter()
            .flatten()
            .find(|draft| draft.name == delivery.name);
        draft.map_or_else(|| delivery.text.clone(), |draft| draft.text)
    }
}

fn end_of(ordered: Result<OrderOutcome, LookFailure>) -> ChangeEnd {
    let done = ChangeOutcome::Done {
        version: None,
        part_before: None,
    };
    match ordered {
        Ok(OrderOutcome::Put | OrderOutcome::WasThere | OrderOutcome::Removed | OrderOutcome::WasGone) => {
            ChangeEnd::Answered(done)
        }
        // Programs show it no more.
        Ok(OrderOutcome::OnlyMarked) => ChangeEnd::Answered(done),
        Ok(OrderOutcome::NoDrafts) => ChangeEnd::Answered(ChangeOutcome::Refused(ChangeRefusal::NoDrafts)),
        Ok(OrderOutcome::Refused) => ChangeEnd::Answered(ChangeOutcome::Refused(ChangeRefusal::SaysNo)),
        Ok(OrderOutcome::Unknown { failure }) => ChangeEnd::Failed {
            failure,
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
