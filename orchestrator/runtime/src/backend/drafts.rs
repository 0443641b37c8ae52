//! Drafts of replies for the pages: listing them, and changing one as its owner says.
//!
//! What: [`DraftBackend`] for [`ServiceBackend`]. Why: one thread changes the outbox, so that an edit, a discard and a turn that is done again cannot meet.
//! Not here: the files (`aura_memory::outbox`), drafting and discarding (`calls`).

use super::{ServiceBackend, blocking};
use agents::{
    calendar::{decline_file, declined_event},
    comms::{draft_file, drafted_item},
};
use aura_memory::{
    StoreError,
    audit::{AuditSubject, Kind, Op},
    outbox::{self, DraftChange, DraftEdit, DraftEditOutcome},
};
use std::{collections::BTreeSet, path::Path, time::Duration};
use surfaces::backend::{
    BackendError, BackendFuture,
    drafts::{DISCARDED_FOR, DraftBackend, DraftRefusal, OutboxDrafts, ReplyDraft, ReplyEdit},
};
use toolcall_schema::{catalogue::shared::ThingId, ids::sha256_hex};

/// How the names of drafts of replies begin.
const REPLIES: &str = "reply-";

/// The hash of what a draft says now; `None`: there is none.
fn draft_named(dir: &Path, name: &str) -> Result<Option<String>, StoreError> {
    let mut drafts = outbox::list(dir, REPLIES)?.into_iter();
    Ok(drafts.find(|draft| draft.name == name).map(|draft| draft.hash()))
}

/// Which message or event a file of the outbox is about.
fn thing_of(name: &str) -> Option<ThingId> {
    let item = drafted_item(name).map(ThingId::Item);
    item.or_else(|| declined_event(name).map(ThingId::Event))
}

impl ServiceBackend {
    /// Which drafts lie in the outbox, and which were discarded and can be brought back; none where the folder cannot be read.
    pub(super) async fn outbox_drafts(&self) -> OutboxDrafts {
        let vault = self.vault.clone();
        let named = blocking(move || outbox::names(vault.dir())).await;
        let (there, discarded) = named.unwrap_or_default();
        let things = |names: &[String]| -> BTreeSet<ThingId> {
            names.iter().filter_map(|name| thing_of(name)).collect()
        };
        OutboxDrafts {
            there: things(&there),
            discarded: things(&discarded),
        }
    }

    /// Lets go of what was discarded and cannot be brought back any more.
    pub(crate) async fn let_go_of_discarded(&self) {
        let vault = self.vault.clone();
        let now = Duration::from_millis(u64::try_from(self.clock.wall().ms()).unwrap_or_default());
        // What cannot be removed is told there; the next look tries again.
        let _ = blocking(move || outbox::remove_discarded(vault.dir(), now, DISCARDED_FOR)).await;
    }
}

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
            Ok::<_, StoreError>(reply.collect())
        })
    }

    fn edit_draft(
        &self,
        edit: ReplyEdit,
    ) -> BackendFuture<Result<Result<String, DraftRefusal>, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            // What would be refused, or changes nothing, is no edit to record; what another one changes meanwhile is refused all the same.
            let (dir, name) = (me.vault.dir().to_owned(), draft_file(&edit.item));
            let now = blocking(move || draft_named(&dir, &name)).await?;
            let shown = sha256_hex(edit.text.as_bytes());
            match now {
                Some(now) if now == shown => return Ok(Ok(shown)),
                Some(now) if now != edit.shown => return Ok(Err(DraftRefusal::Changed)),
                Some(_) => {
                    let subject = AuditSubject::one(Kind::Draft, edit.item.as_str());
                    me.record_act(Op::Write, subject).await?;
                }
                // Gone, or no text of a draft any more: it is not changed either.
                None => {}
            }
            let edit = DraftEdit {
                name: draft_file(&edit.item),
                shown: edit.shown,
                text: edit.text,
            };
            let done = me
                .reads
                .change_draft(DraftChange::Edit(edit))
                .await
                .map_err(|error| {
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

    fn restore_draft(&self, of: ThingId) -> BackendFuture<Result<bool, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let name = match &of {
                ThingId::Item(item) => draft_file(item),
                ThingId::Event(event) => decline_file(event),
                ThingId::Channel(_) | ThingId::Person(_) | ThingId::Txn(_) | ThingId::Merchant(_) => {
                    return Ok(false);
                }
            };
            let done = me.reads.change_draft(DraftChange::Restore(name)).await;
            let done = done.map_err(|error| {
                tracing::error!(%error, "a draft could not be brought back");
                BackendError::Store
            })?;
            Ok(done == DraftEditOutcome::Kept)
        })
    }
}
