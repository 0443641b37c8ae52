//! The double's answers to what the page Memory asks beside figures.
//!
//! What: two people, one chat and one shop, and a copy of two pieces. Not here: any claim.

#![expect(clippy::unwrap_used, reason = "made-up values of fixed shape")]

use crate::morning::{Double, ts};
use surfaces_base::backend::{
    BackendError, BackendFuture,
    memory::{CopyChoice, CopyPreview, CopyStream, KeptKind, KeptThing, MemoryBackend},
};
use toolcall_schema::catalogue::shared::ThingId;

impl MemoryBackend for Double {
    fn kept_things(&self, kind: KeptKind) -> BackendFuture<Result<Vec<KeptThing>, BackendError>> {
        self.note(format!("kept {kind:?}"));
        let kept = |id: &str, at: &str, own_name: Option<&str>| KeptThing {
            thing: ThingId::parse(id).unwrap(),
            at: ts(at),
            own_name: own_name.map(str::to_owned),
        };
        Self::ready(match kind {
            KeptKind::People => vec![
                kept("pe_0000000000000001", "2026-11-02T15:00:00Z", None),
                kept("pe_0000000000000002", "2026-10-30T08:00:00Z", Some("My dentist")),
            ],
            KeptKind::Chats => vec![kept("ch_00000000000000c3", "2026-11-03T02:00:00Z", None)],
            KeptKind::Shops => vec![kept("mh_00000000000000e5", "2026-11-01T10:00:00Z", None)],
            KeptKind::Events => vec![kept(crate::people_double::MEETING, "2026-11-03T03:30:00Z", None)],
            KeptKind::Payments => vec![],
        })
    }

    fn preview_copy(&self, choice: CopyChoice) -> BackendFuture<Result<CopyPreview, BackendError>> {
        self.note(format!("preview {choice:?}"));
        Self::ready(CopyPreview {
            rows: 1341,
            bytes: 2_300_000,
            removed: vec![
                ("person".to_owned(), "remove".to_owned(), 31),
                ("money".to_owned(), "coarsen".to_owned(), 1),
            ],
            begins: vec!["{\"version\":\"export.v1\"".to_owned()],
        })
    }

    fn write_copy(&self, choice: CopyChoice) -> BackendFuture<Result<CopyStream, BackendError>> {
        self.note(format!("copy {choice:?}"));
        let (pieces, copy) = tokio::sync::mpsc::channel(2);
        for piece in ["{\"version\":", "\"export.v1\"}"] {
            pieces.try_send(Ok(piece.as_bytes().to_vec())).unwrap();
        }
        Self::ready(copy)
    }

    fn confirm_clock(&self) -> BackendFuture<Result<(), BackendError>> {
        self.note("clock".to_owned());
        Self::ready(())
    }
}
