//! What the page Memory asks, answered over the store.
//!
//! What: [`MemoryBackend`] for [`ServiceBackend`]: the things that are remembered, and copies to take along. Why: beside the owner's other questions
//! (`owner`), in a file of its own. Not here: which nodes a kind is (`crate::kept_things`), what a profile leaves out (`aura_memory::export`).

use super::{ServiceBackend, read};
use crate::kept_things;
use aura_memory::{
    StoreReader, Vault,
    audit::{AuditKeys, AuditSubject, Kind, Op},
    export::{self, ExportError, ExportSummary, Profile},
};
use std::{
    io::{self, Write},
    time::Duration,
};
use surfaces_base::backend::{
    BackendError, BackendFuture,
    memory::{CopyChoice, CopyForm, CopyPreview, CopyReader, CopyStream, KeptKind, KeptThing, MemoryBackend},
};
use tokio::{runtime::Handle, sync::mpsc};
use toolcall_schema::Timestamp;

/// Bytes of a piece of a copy, and pieces that wait for the browser.
const PIECE_BYTES: usize = 64 * 1024;
const PIECES_MAX: usize = 4;
/// How long a browser may leave a piece.
const PIECE_WITHIN: Duration = Duration::from_secs(30);

/// Lines of a copy's beginning, and characters of one.
const LINES_MAX: usize = 6;
const LINE_CHARS_MAX: usize = 160;

fn profile(reader: CopyReader) -> Profile {
    match reader {
        CopyReader::Myself => Profile::Raw,
        CopyReader::Friend => Profile::Friend,
        CopyReader::Clinician => Profile::Clinician,
        CopyReader::Anybody => Profile::Minimal,
    }
}

/// Writes a copy. Blocks.
fn write(
    vault: &Vault,
    choice: CopyChoice,
    at: Timestamp,
    out: &mut dyn Write,
) -> Result<ExportSummary, ExportError> {
    let (reader, profile) = (StoreReader::open(vault)?, profile(choice.reader));
    match choice.form {
        CopyForm::Whole => {
            let keys = AuditKeys::derive(vault.seed());
            export::json(&reader, &keys, profile, at, out, &mut |_| {})
        }
        CopyForm::Calendar => export::formats::ics(&reader, profile, at, out, &mut |_| {}),
        CopyForm::Journal => export::formats::hledger(&reader, profile, out, &mut |_| {}),
    }
}

/// Counts what is written, and keeps how it begins.
#[derive(Default)]
struct CopyCounter {
    bytes: u64,
    begins: Vec<u8>,
}

impl Write for CopyCounter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = (LINES_MAX * LINE_CHARS_MAX * 4).saturating_sub(self.begins.len());
        self.begins.extend(bytes.iter().take(room));
        self.bytes = self.bytes.saturating_add(bytes.len() as u64);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl CopyCounter {
    fn lines(&self) -> Vec<String> {
        let text = String::from_utf8_lossy(&self.begins);
        let lines = text.lines().take(LINES_MAX);
        lines
            .map(|line| line.chars().take(LINE_CHARS_MAX).collect())
            .collect()
    }
}

/// Hands what is written to the browser, a piece at a time; ends where nobody reads any more.
struct CopySender(mpsc::Sender<Result<Vec<u8>, BackendError>>);

impl Write for CopySender {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = Handle::current().block_on(self.0.send_timeout(Ok(bytes.to_vec()), PIECE_WITHIN));
        sent.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MemoryBackend for ServiceBackend {
    fn kept_things(&self, kind: KeptKind) -> BackendFuture<Result<Vec<KeptThing>, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            me.shows(AuditSubject::all_of(Kind::Graph)).await?;
            read(me.readers.clone(), move |reader| {
                kept_things::newest(reader, kind)
            })
            .await
        })
    }

    fn preview_copy(&self, choice: CopyChoice) -> BackendFuture<Result<CopyPreview, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            me.shows(AuditSubject::all_of(Kind::Memory)).await?;
            let (vault, at) = (me.vault.clone(), me.clock.wall());
            super::blocking(move || {
                let mut counter = CopyCounter::default();
                let summary = write(&vault, choice, at, &mut counter)?;
                let removed = summary.removed.iter().map(|removed| {
                    (
                        removed.class.to_string(),
                        removed.action.to_string(),
                        removed.count,
                    )
                });
                Ok::<_, ExportError>(CopyPreview {
                    rows: summary.rows,
                    bytes: counter.bytes,
                    removed: removed.collect(),
                    begins: counter.lines(),
                })
            })
            .await
        })
    }

    fn write_copy(&self, choice: CopyChoice) -> BackendFuture<Result<CopyStream, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            me.record_act(Op::Export, Kind::Memory).await?;
            let (vault, at) = (me.vault.clone(), me.clock.wall());
            let (pieces, copy) = mpsc::channel(PIECES_MAX);
            tokio::task::spawn_blocking(move || {
                let mut out = io::BufWriter::with_capacity(PIECE_BYTES, CopySender(pieces.clone()));
                let written = write(&vault, choice, at, &mut out).and_then(|_| Ok(out.flush()?));
                if let Err(error) = written {
                    tracing::warn!(%error, "a copy could not be written to its end");
                    // Nobody may be there who reads it.
                    let told = pieces.send_timeout(Err(BackendError::Store), PIECE_WITHIN);
                    let _ = Handle::current().block_on(told);
                }
            });
            Ok(copy)
        })
    }

    fn confirm_clock(&self) -> BackendFuture<Result<(), BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            me.retention.confirm();
            // Done when it is on disk.
            me.reads.write(vec![]).await.map_err(|_| BackendError::Store)
        })
    }
}
