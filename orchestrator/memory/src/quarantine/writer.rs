//! Writing the quarantine.
//!
//! What: [`QuarantineWriter`], a bounded queue and the one thread that writes, seals and purges. Why: who refuses a call never
//! waits for the disk, and a file has one writer. Not here: one file (`line_file`), what goes when purging (`purge`).

use super::{
    CAPACITY, LINE_BYTES_MAX, LostEntries, ONE_WRITER, PurgeCounts, QuarantineEntry, QuarantineKind,
    QuarantineLimits, file_path, folder,
    line_file::LineFile,
    messages,
    mirrored::{LineMirror, MIRRORED_BYTES_MAX},
    parts,
    purge::{self, PurgeTask},
};
use crate::{
    ageing::{AgeReference, ExpiredRanges},
    error::StoreError,
    files,
};
use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread::JoinHandle,
};
use toolcall_schema::{Timestamp, forget::ErasureScope};

/// So many entries share one sync of the disk.
const BATCH: usize = 64;

/// Counters for health, since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct QuarantineHealth {
    /// Entries on disk.
    pub written: u64,
    /// Entries lost because too many waited.
    pub overflowed: u64,
    /// Entries lost because they could not be written.
    pub failed: u64,
    /// Lines that were purged.
    pub purged: u64,
    /// Whether the last attempt to write failed: the disk is full, say.
    pub failing: bool,
}

/// Told what was purged.
pub type PurgeAck = Box<dyn FnOnce(Result<PurgeCounts, StoreError>) + Send>;

/// Told how many lines were forgotten.
pub(super) type ForgetAck = Box<dyn FnOnce(Result<u64, StoreError>) + Send>;

enum QuarantineMessage {
    Line(QuarantineKind, Box<QuarantineEntry>),
    Flush(Box<dyn FnOnce() + Send>),
    Purge(PurgeTask, PurgeAck),
    Forget(ErasureScope, ForgetAck),
}

#[derive(Default)]
struct QuarantineCounters {
    written: AtomicU64,
    overflowed: AtomicU64,
    failed: AtomicU64,
    purged: AtomicU64,
    /// Whose last attempt to write failed.
    failing: Mutex<BTreeSet<QuarantineKind>>,
    /// What the next line of a file has to say about entries that were lost.
    lost: Mutex<BTreeMap<QuarantineKind, (Timestamp, u64)>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl QuarantineCounters {
    /// Notes whether something reached the disk; said once when it no longer does.
    fn reached(&self, kind: QuarantineKind, written: Result<(), &StoreError>) {
        let mut failing = lock(&self.failing);
        match written {
            Ok(()) => {
                failing.remove(&kind);
            }
            Err(error) => {
                if failing.insert(kind) {
                    tracing::warn!(code = error.code(), kind = ?kind, %error, "quarantine lines are lost");
                }
            }
        }
    }

    fn lose(&self, kind: QuarantineKind, ts: Timestamp, count: u64) {
        let mut lost = lock(&self.lost);
        let entry = lost.entry(kind).or_insert((ts, 0));
        *entry = (entry.0.max(ts), entry.1 + count);
    }
}

/// The quarantine, opened for writing. One per data folder. Dropping it writes what waits.
pub struct QuarantineWriter {
    sender: Option<Sender<QuarantineMessage>>,
    shared: Arc<QuarantineCounters>,
    limits: QuarantineLimits,
    writer: Option<JoinHandle<()>>,
}

impl std::fmt::Debug for QuarantineWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QuarantineWriter").finish_non_exhaustive()
    }
}

impl QuarantineWriter {
    /// Opens the three files of a data folder that have one writer, making what is missing. A last line that a crash left unfinished is set
    /// aside as `<file>.torn-<n>`.
    ///
    /// # Errors
    /// STORE-007 when they cannot be opened. To be called by the one who holds the folder's lock.
    pub fn open(data_dir: &Path) -> Result<Self, StoreError> {
        Self::open_with(data_dir, QuarantineLimits::DEFAULT)
    }

    /// The same; `mirror` hears of each line, where other hosts have to have it.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_mirrored(data_dir: &Path, mirror: Option<LineMirror>) -> Result<Self, StoreError> {
        Self::open_as(data_dir, QuarantineLimits::DEFAULT, mirror)
    }

    /// The same with other limits.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_with(data_dir: &Path, limits: QuarantineLimits) -> Result<Self, StoreError> {
        Self::open_as(data_dir, limits, None)
    }

    fn open_as(
        data_dir: &Path,
        limits: QuarantineLimits,
        mirror: Option<LineMirror>,
    ) -> Result<Self, StoreError> {
        let dir = folder(data_dir);
        files::private_dir(&dir)?;
        purge::remove_unfinished(data_dir)?;
        let slots = ONE_WRITER
            .into_iter()
            .map(|kind| {
                let path = file_path(kind, data_dir);
                let file = LineFile::open(&path).map_err(StoreError::file("open", &path))?;
                Ok((kind, PartSlot::new(file)))
            })
            .collect::<Result<_, StoreError>>()?;
        files::sync_dir(&dir)?;
        let (sender, queue) = bounded(CAPACITY);
        let shared = Arc::new(QuarantineCounters::default());
        let thread = WriterThread {
            data_dir: data_dir.to_owned(),
            limits,
            queue,
            slots,
            shared: Arc::clone(&shared),
            mirror,
        };
        let writer = std::thread::Builder::new()
            .name("aura-quarantine".to_owned())
            .spawn(move || thread.run())
            .map_err(StoreError::file("start the writer of", &dir))?;
        Ok(Self {
            sender: Some(sender),
            shared,
            limits,
            writer: Some(writer),
        })
    }

    /// Keeps an entry; never waits. One that finds the queue full is lost, counted, and named by a line `QUAR-001`.
    pub fn record(&self, kind: QuarantineKind, entry: QuarantineEntry) {
        let ts = entry.ts;
        if self.send(QuarantineMessage::Line(kind, Box::new(entry))).is_err() {
            self.lose(kind, ts);
        }
    }

    /// Counts an entry that was lost on the way here; it is named like one that found the queue full.
    pub fn lose(&self, kind: QuarantineKind, ts: Timestamp) {
        self.shared.overflowed.fetch_add(1, Ordering::Relaxed);
        self.shared.lose(kind, ts, 1);
    }

    /// Calls `ack`, on the writer's thread, when all that was recorded before is on disk or lost.
    ///
    /// # Errors
    /// STORE-006 when the queue is full, STORE-009 when the writer is gone; `ack` is then dropped.
    pub fn flush(&self, ack: Box<dyn FnOnce() + Send>) -> Result<(), StoreError> {
        self.send(QuarantineMessage::Flush(ack))
    }

    /// Removes what was kept as long as the limits say, behind what was recorded before.
    ///
    /// # Errors
    /// As [`Self::flush`].
    pub fn retain(&self, ageing: &AgeReference, ack: PurgeAck) -> Result<(), StoreError> {
        let task = PurgeTask {
            expired: ageing.expired(self.limits.keep_ms),
            keep_bytes: self.limits.keep_bytes,
            dry: false,
        };
        self.send(QuarantineMessage::Purge(task, ack))
    }

    /// Removes what has these dates; `dry`: only counts it.
    ///
    /// # Errors
    /// As [`Self::flush`].
    pub fn purge(
        &self,
        expired: impl Into<ExpiredRanges>,
        dry: bool,
        ack: PurgeAck,
    ) -> Result<(), StoreError> {
        self.send(QuarantineMessage::Purge(PurgeTask::new(expired.into(), dry), ack))
    }

    /// Removes the lines that were written in the span or that name a thing.
    ///
    /// # Errors
    /// As [`Self::flush`].
    pub fn forget(&self, forget: ErasureScope, ack: ForgetAck) -> Result<(), StoreError> {
        self.send(QuarantineMessage::Forget(forget, ack))
    }

    /// Counters for health.
    pub fn health(&self) -> QuarantineHealth {
        let shared = &self.shared;
        QuarantineHealth {
            written: shared.written.load(Ordering::Relaxed),
            overflowed: shared.overflowed.load(Ordering::Relaxed),
            failed: shared.failed.load(Ordering::Relaxed),
            purged: shared.purged.load(Ordering::Relaxed),
            failing: !lock(&shared.failing).is_empty(),
        }
    }

    fn send(&self, message: QuarantineMessage) -> Result<(), StoreError> {
        let sender = self.sender.as_ref().ok_or(StoreError::Stopped)?;
        sender.try_send(message).map_err(|error| match error {
            TrySendError::Full(_) => StoreError::QueueFull {
                waiting: sender.len(),
                limit: CAPACITY,
            },
            TrySendError::Disconnected(_) => StoreError::Stopped,
        })
    }
}

impl Drop for QuarantineWriter {
    fn drop(&mut self) {
        self.sender = None;
        if self.writer.take().is_some_and(|writer| writer.join().is_err()) {
            tracing::error!(code = "STORE-009", "the quarantine's writer panicked");
        }
    }
}

/// The file of a kind that is written now.
struct PartSlot {
    /// `None` after an error: the next line opens it again.
    file: Option<LineFile>,
    /// The number under which the last file was sealed since the start, so that none comes twice.
    sealed: u64,
    /// Entries since the last sync, with the time of the last one.
    pending: Option<(Timestamp, u64)>,
}

impl PartSlot {
    fn new(file: LineFile) -> Self {
        Self {
            file: Some(file),
            sealed: 0,
            pending: None,
        }
    }
}

struct WriterThread {
    data_dir: PathBuf,
    limits: QuarantineLimits,
    queue: Receiver<QuarantineMessage>,
    slots: BTreeMap<QuarantineKind, PartSlot>,
    shared: Arc<QuarantineCounters>,
    mirror: Option<LineMirror>,
}

impl WriterThread {
    fn run(mut self) {
        while let Ok(first) = self.queue.recv() {
            self.handle(first);
            for _ in 1..BATCH {
                let Ok(next) = self.queue.try_recv() else { break };
                self.handle(next);
            }
            self.sync();
            // One line for a whole overflow: when what was waiting is through.
            if self.queue.is_empty() {
                self.tell_lost();
            }
        }
        self.tell_lost();
    }

    fn handle(&mut self, message: QuarantineMessage) {
        match message {
            QuarantineMessage::Line(kind, entry) => self.keep(kind, &entry),
            QuarantineMessage::Flush(ack) => {
                self.sync();
                self.tell_lost();
                ack();
            }
            QuarantineMessage::Purge(task, ack) => {
                self.sync();
                ack(self.purge(&task));
            }
            QuarantineMessage::Forget(forget, ack) => {
                self.sync();
                ack(self.forget(&forget));
            }
        }
    }

    fn keep(&mut self, kind: QuarantineKind, entry: &QuarantineEntry) {
        if !self.append(kind, entry) {
            return self.fail(kind, entry.ts, 1);
        }
        if let Some(slot) = self.slots.get_mut(&kind) {
            let (last, count) = slot.pending.unwrap_or((entry.ts, 0));
            slot.pending = Some((last.max(entry.ts), count + 1));
        }
    }

    fn tell_lost(&mut self) {
        let lost = std::mem::take(&mut *lock(&self.shared.lost));
        for (kind, (ts, dropped)) in lost {
            let told = self.append(kind, &LostEntries::new(ts, dropped)) && self.sync_kind(kind);
            if !told {
                self.shared.lose(kind, ts, dropped);
            }
        }
    }

    /// Waits until what was appended is on disk.
    fn sync(&mut self) {
        for kind in ONE_WRITER {
            self.sync_kind(kind);
        }
    }

    /// The same for one kind; `false`: it is not, and what it was is counted as lost.
    fn sync_kind(&mut self, kind: QuarantineKind) -> bool {
        let Some(slot) = self.slots.get_mut(&kind) else {
            return false;
        };
        let pending = slot.pending.take();
        let Some(file) = &mut slot.file else {
            return pending.is_none();
        };
        if file.is_synced() {
            return pending.is_none();
        }
        let path = file_path(kind, &self.data_dir);
        let synced = file.sync().map_err(StoreError::file("sync", &path));
        // That a short line about lost ones found room says nothing about the next entry.
        if pending.is_some() || synced.is_err() {
            self.shared.reached(kind, synced.as_ref().copied());
        }
        let (ts, count) = pending.unwrap_or_default();
        if synced.is_ok() {
            self.shared.written.fetch_add(count, Ordering::Relaxed);
        } else {
            slot.file = None;
            self.fail(kind, ts, count);
        }
        synced.is_ok()
    }

    fn fail(&self, kind: QuarantineKind, ts: Timestamp, count: u64) {
        if count > 0 {
            self.shared.failed.fetch_add(count, Ordering::Relaxed);
            self.shared.lose(kind, ts, count);
        }
    }

    /// Writes one line; `false`: it is not there.
    fn append(&mut self, kind: QuarantineKind, line: &impl Serialize) -> bool {
        let written = serde_json::to_vec(line)
            .map_err(|error| StoreError::file("write", Path::new(""))(error.into()))
            .and_then(|line| {
                self.try_append(kind, &line)?;
                self.mirror(kind, &line);
                Ok(())
            });
        if let Err(error) = &written {
            // What was appended before it still counts.
            self.sync_kind(kind);
            if let Some(slot) = self.slots.get_mut(&kind) {
                slot.file = None;
            }
            self.shared.reached(kind, Err(error));
        }
        written.is_ok()
    }

    fn mirror(&self, kind: QuarantineKind, line: &[u8]) {
        let Some(mirror) = &self.mirror else { return };
        match std::str::from_utf8(line) {
            Ok(line) if line.len() <= MIRRORED_BYTES_MAX => mirror(kind, line),
            Ok(_) | Err(_) => tracing::warn!("a long line of the quarantine stays on this host"),
        }
    }

    fn try_append(&mut self, kind: QuarantineKind, line: &[u8]) -> Result<(), StoreError> {
        let path = file_path(kind, &self.data_dir);
        let wrong = |doing: &'static str| StoreError::file(doing, &path);
        if line.len() >= LINE_BYTES_MAX {
            return Err(wrong("write a line of more than 8 MiB to")(
                ErrorKind::FileTooLarge.into(),
            ));
        }
        // Somebody removed or moved the file: what follows goes into a new one.
        if self.file(kind).is_some_and(|file| file.is_removed()) {
            self.sync_kind(kind);
            self.reopen(kind)?;
        }
        let full = |file: &LineFile| file.len() + line.len() as u64 + 1 > self.limits.part_bytes;
        if self
            .slots
            .get(&kind)
            .and_then(|slot| slot.file.as_ref())
            .is_some_and(|file| file.len() > 0 && full(file))
        {
            self.seal(kind)?;
        }
        if self.file(kind).is_none() {
            self.reopen(kind)?;
        }
        match self.file(kind) {
            Some(file) => file.append(line).map_err(wrong("write")),
            None => Err(wrong("open")(ErrorKind::NotFound.into())),
        }
    }

    fn file(&mut self, kind: QuarantineKind) -> Option<&mut LineFile> {
        self.slots.get_mut(&kind)?.file.as_mut()
    }

    fn reopen(&mut self, kind: QuarantineKind) -> Result<(), StoreError> {
        let path = file_path(kind, &self.data_dir);
        let file = LineFile::open(&path).map_err(StoreError::file("open", &path))?;
        files::sync_dir(&folder(&self.data_dir))?;
        if let Some(slot) = self.slots.get_mut(&kind) {
            slot.file = Some(file);
        }
        Ok(())
    }

    /// Ends the file that is written now; the next line begins a new one.
    fn seal(&mut self, kind: QuarantineKind) -> Result<(), StoreError> {
        self.sync_kind(kind);
        let Some(slot) = self.slots.get_mut(&kind) else {
            return Ok(());
        };
        slot.sealed = parts::seal(&self.data_dir, kind, slot.sealed)?;
        slot.file = None;
        self.reopen(kind)
    }

    /// The files are rewritten under their names, so what is written now is closed before and opened after.
    fn forget(&mut self, forget: &ErasureScope) -> Result<u64, StoreError> {
        let data_dir = self.data_dir.clone();
        for kind in ONE_WRITER {
            if let Some(slot) = self.slots.get_mut(&kind) {
                slot.file = None;
            }
        }
        let removed = super::forget(&data_dir, forget, false);
        for kind in ONE_WRITER {
            self.reopen(kind)?;
        }
        removed
    }

    fn purge(&mut self, task: &PurgeTask) -> Result<PurgeCounts, StoreError> {
        let mut sum = PurgeCounts::default();
        let data_dir = self.data_dir.clone();
        for kind in ONE_WRITER {
            if !task.dry && purge::current_has_old(&data_dir, kind, &task.expired)? {
                self.seal(kind)?;
            }
            sum.add(purge::sealed_files(&data_dir, kind, task)?);
        }
        sum.add(messages::purge(&data_dir, task)?);
        if !task.dry {
            self.shared.purged.fetch_add(sum.lines, Ordering::Relaxed);
        }
        Ok(sum)
    }
}
