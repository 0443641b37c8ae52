//! Drafts of replies for the pages: listing them, and changing one as its owner says.
//!
//! What: [`DraftBackend`] for [`ServiceBackend`]. Why: one thread changes the outbox, so that an edit, a discard and a turn that is done again cannot meet.
//! Not here: the files (`aura_memory::outbox`), drafting and discarding (`calls`).

use super::{ServiceBackend, blocking};
use agents::comms::{draft_file, drafted_item};
use aura_memory::outbox::{self, DraftEdit, DraftEditOutcome};
use surfaces::backend::{
    BackendError, BackendFuture,
    drafts::{DraftBackend, DraftRefusal, ReplyDraft, ReplyEdit},
};
use toolcall_schema::ids::sha256_hex;

/// How the names of drafts of replies begin.
const REPLIES: &str = "reply-";

impl DraftBackend for ServiceBackend {
    fn drafts(&self) -> BackendFuture<Result<Vec<ReplyDraft>, BackendError>> {
        let vault = self.vault.clone();
        blocking(move || {
            let drafts = outbox::list(vault.dir(), REPLIES)?.into_iter();
            let reply = drafts.filter_map(|draft| {
                Some(ReplyDraft {
                    item: drafted_item(&draft.name)?,
                    shown: draft.hash(),
                    text: draft.text,
                })
            });
            Ok::<_, aura_memory::StoreError>(reply.collect())
        })
    }

    fn edit_draft(
        &self,
        edit: ReplyEdit,
    ) -> BackendFuture<Result<Result<String, DraftRefusal>, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let shown = sha256_hex(edit.text.as_bytes());
            let edit = DraftEdit {
                name: draft_file(&edit.item),
                shown: edit.shown,
                text: edit.text,
            };
            let done = me.reads.edit_draft(edit).await.map_err(|error| {
                // The code and the place alone: the draft names somebody.
                tracing::error!(%error, "a draft could not be changed");
                BackendError::Store
            })?;
            Ok(match done {
                DraftEditOutcome::Kept => Ok(shown),
                DraftEditOutcome::Changed => Err(DraftRefusal::Changed),
                DraftEditOutcome::Gone => Err(DraftRefusal::Gone),
            })
        })
    }
}
