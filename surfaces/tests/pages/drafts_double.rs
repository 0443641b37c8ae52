//! The double's drafts: one reply lies in the outbox of the scene "acts".
//!
//! What: listing it, and what becomes of an edit. Not here: any claim.

#![expect(clippy::unwrap_used, reason = "made-up values of fixed shape")]

use crate::morning::Double;
use surfaces::render::section::people::id_of;
use surfaces_base::backend::{
    BackendError, BackendFuture,
    drafts::{DeclineDraft, DraftBackend, DraftRefusal, ReplyDraft, ReplyEdit},
};
use toolcall_schema::{
    catalogue::shared::ThingId,
    ids::{EventId, ItemId, sha256_hex},
};

pub(crate) const TEXT: &str = "Hi, got your message. I'll send it and get back to you.\nThanks!";

/// The draft of the double.
pub(crate) fn draft(text: &str) -> ReplyDraft {
    ReplyDraft {
        item: ItemId::parse("it_00000000000000b2").unwrap(),
        text: text.to_owned(),
        shown: sha256_hex(text.as_bytes()),
    }
}

impl DraftBackend for Double {
    fn drafts(&self) -> BackendFuture<Result<Vec<ReplyDraft>, BackendError>> {
        Self::ready(self.drafts.lock().unwrap().clone())
    }

    fn decline_draft(&self, event: EventId) -> BackendFuture<Result<Option<DeclineDraft>, BackendError>> {
        let draft = self.decline.lock().unwrap().clone();
        Self::ready(draft.filter(|draft| draft.event == event))
    }

    fn edit_draft(
        &self,
        edit: ReplyEdit,
    ) -> BackendFuture<Result<Result<String, DraftRefusal>, BackendError>> {
        self.note(format!("edit {} {} bytes", id_of(&edit.of), edit.text.len()));
        let drafts = self.drafts.lock().unwrap();
        let reply = drafts
            .iter()
            .find(|draft| ThingId::Item(draft.item.clone()) == edit.of);
        let decline = self.decline.lock().unwrap();
        let decline = decline
            .as_ref()
            .filter(|draft| ThingId::Event(draft.event.clone()) == edit.of);
        let shown = reply
            .map(|draft| &draft.shown)
            .or(decline.map(|draft| &draft.shown));
        Self::ready(match shown {
            None => Err(DraftRefusal::Gone),
            Some(shown) if *shown != edit.shown => Err(DraftRefusal::Changed),
            Some(_) => Ok(sha256_hex(edit.text.as_bytes())),
        })
    }

    fn restore_draft(&self, of: ThingId) -> BackendFuture<Result<bool, BackendError>> {
        self.note(format!("restore {of:?}"));
        Self::ready(true)
    }
}
