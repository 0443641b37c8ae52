//! Drafts of replies, on their way to a folder of drafts.
//!
//! What: [`LiveAccounts::change_drafts`], one order, and the message that is put. Why: the worker of mail stays, and is asked in another way than one
//! that lives for a change. Not here: putting it (`aura_process::source`), what becomes of the delivery (`record`).

use super::{
    super::live::{LiveAccount, LiveAccounts},
    record::{DeliveryWish, ServerDelivery},
};
use aura_memory::outbox;
use aura_process::source::{ChangeEnd, ChangeOutcome, LookFailure, MailBytes, MailOrder, OrderOutcome};
use toolcall_schema::{Timestamp, delivery::ChangeRefusal, ids::ItemId};

/// Which mail a draft answers, as far as the agent that read it can say.
pub(super) struct AnsweredMail {
    pub(super) item: ItemId,
    pub(super) message_id: Option<String>,
}

impl LiveAccounts {
    /// Has the worker of an account put a draft, unless one of its id lies there, or take it away. What the draft answers is named by its own id, and
    /// the worker adds to whom that leads.
    pub(super) fn change_drafts(
        &self,
        account: &LiveAccount,
        delivery: &ServerDelivery,
        answers: Option<&str>,
        now: Timestamp,
    ) -> ChangeEnd {
        let message_id = format!("<aura-{}@aura.invalid>", delivery.trace_id);
        let ordered = if delivery.wish == DeliveryWish::There {
            let login = account.server_request(now).login;
            let user = login.as_ref().map(|login| login.user.as_str());
            let message = message(&message_id, user, &self.text_of(delivery), now);
            account.mail_worker.order(|number| MailOrder::PutDraft {
                number,
                message_id,
                // The agent names it without its brackets.
                answers: answers.map(|id| format!("<{id}>")),
                message: MailBytes(message.into_bytes()),
            })
        } else {
            account
                .mail_worker
                .order(|number| MailOrder::RemoveDraft { number, message_id })
        };
        end_of(ordered)
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
