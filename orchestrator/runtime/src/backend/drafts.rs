//! Drafts of replies and of declines for the pages: listing them, and changing one as its owner says.
//!
//! What: [`DraftBackend`] for [`ServiceBackend`]. Why: one thread changes the outbox, so that an edit, a discard and a turn that is done again cannot meet.
//! Not here: the files (`aura_memory::outbox`), drafting and discarding (`calls`).

use super::{ServiceBackend, blocking};
use crate::accounts::REPLIES;
use agents::{
    calendar::{decline_address, decline_comment, decline_file, decline_saying, declined_event},
    comms::{draft_file, drafted_item},
};
use aura_memory::{
    StoreError,
    audit::{AuditSubject, Kind, Op},
    outbox::{self, DraftChange, DraftEdit, DraftEditOutcome},
};
use std::{collections::BTreeSet, path::Path, time::Duration};
use surfaces::render::section::people::id_of;
use surfaces_base::backend::{
    BackendError, BackendFuture,
    drafts::{
        DISCARDED_FOR, DRAFT_BYTES_MAX, DeclineDraft, DraftBackend, DraftRefusal, OutboxDrafts, ReplyDraft,
        ReplyEdit,
    },
};
use toolcall_schema::{
    catalogue::shared::ThingId,
    ids::{EventId, sha256_hex},
};

/// What a draft says now; `None`: there is none.
fn draft_named(dir: &Path, name: &str) -> Result<Option<String>, StoreError> {
    let mut drafts = outbox::list(dir, name)?.into_iter();
    Ok(drafts.find(|draft| draft.name == name).map(|draft| draft.text))
}

/// The file of the draft about a thing; `None`: it has none.
fn file_of(thing: &ThingId) -> Option<String> {
    match thing {
        ThingId::Item(item) => Some(draft_file(item)),
        ThingId::Event(event) => Some(decline_file(event)),
        ThingId::Channel(_) | ThingId::Person(_) | ThingId::Txn(_) | ThingId::Merchant(_) => None,
    }
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

    /// Lets go of what was discarded or changed and cannot be brought back any more.
    pub(crate) async fn let_go_of_discarded(&self) {
        let vault = self.vault.clone();
        let now = Duration::from_millis(u64::try_from(self.clock.wall().ms()).unwrap_or_default());
        // What cannot be removed is told there; the next look tries again.
        let _ = blocking(move || outbox::remove_discarded(vault.dir(), now, DISCARDED_FOR)).await;
        if let Some(editor) = &self.settings {
            editor.let_go_of_earlier(self.clock.wall());
        }
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

    fn decline_draft(&self, event: EventId) -> BackendFuture<Result<Option<DeclineDraft>, BackendError>> {
        let vault = self.vault.clone();
        blocking(move || {
            let file = draft_named(vault.dir(), &decline_file(&event))?;
            let draft = file.and_then(|file| {
                Some(DeclineDraft {
                    event,
                    text: decline_comment(&file)?,
                    shown: sha256_hex(file.as_bytes()),
                    address: decline_address(&file),
                    file,
                })
            });
            Ok::<_, StoreError>(draft)
        })
    }

    fn edit_draft(
        &self,
        edit: ReplyEdit,
    ) -> BackendFuture<Result<Result<String, DraftRefusal>, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let Some(name) = file_of(&edit.of) else {
                return Ok(Err(DraftRefusal::Gone));
            };
            // What would be refused, or changes nothing, is no edit to record; what another one changes meanwhile is refused all the same.
            let (dir, file) = (me.vault.dir().to_owned(), name.clone());
            let now = blocking(move || draft_named(&dir, &file)).await?;
            // Of a decline one line is the owner's.
            let text = match (&edit.of, &now) {
                (ThingId::Event(_), Some(now)) => match decline_saying(now, &edit.text) {
                    Some(text) if text.len() > DRAFT_BYTES_MAX => return Ok(Err(DraftRefusal::TooLong)),
                    Some(text) => text,
                    None => return Ok(Err(DraftRefusal::Changed)),
                },
                _ => edit.text,
            };
            let shown = sha256_hex(text.as_bytes());
            match now.map(|now| sha256_hex(now.as_bytes())) {
                Some(now) if now == shown => return Ok(Ok(shown)),
                Some(now) if now != edit.shown => return Ok(Err(DraftRefusal::Changed)),
                Some(_) => {
                    let subject = AuditSubject::one(Kind::Draft, id_of(&edit.of));
                    me.record_act(Op::Write, subject).await?;
                }
                // Gone, or no text of a draft any more: it is not changed either.
                None => {}
            }
            let edit = DraftEdit {
                name,
                shown: edit.shown,
                text,
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
                DraftEditOutcome::Kept => {
                    me.accounts.tell_draft_edited();
                    Ok(shown)
                }
                DraftEditOutcome::Changed => Err(DraftRefusal::Changed),
                DraftEditOutcome::Gone => Err(DraftRefusal::Gone),
            })
        })
    }

    fn restore_draft(&self, of: ThingId) -> BackendFuture<Result<bool, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let Some(name) = file_of(&of) else {
                return Ok(false);
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
