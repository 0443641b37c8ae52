//! What is read, recorded before it is shown.
//!
//! What: [`ReadRecorder`], which a running service records reads through, and [`record`], with which a command does, through the service
//! or into a file beside a stopped store. Why: a read whose record cannot be written is refused, whoever asks. Not here: the log
//! (`aura_memory::audit`), what the records of writing say (`writes`, and the writer itself).

use crate::control::{self, ControlError, ControlReply, ControlRequest};
use aura_memory::{
    CommitError, Store, StoreError, StoreOptions, StoreWrite, Vault,
    audit::{AuditEntry, AuditSubject, Kind, Op, pending},
    outbox::{DraftChange, DraftEditOutcome},
};
use aura_platform::clock::Clock;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError, Weak, mpsc},
};
use tokio::sync::oneshot;
use toolcall_schema::Timestamp;

/// A record that could not be written. What was to be read is not shown.
#[derive(Debug, thiserror::Error)]
pub enum NotRecorded {
    /// The store takes nothing.
    #[error("AUDIT-001: what was asked for is not shown, because the read could not be recorded")]
    Store(#[from] StoreError),
    /// The disk takes nothing.
    #[error("AUDIT-001: what was asked for is not shown, because the read could not be recorded")]
    Commit(#[from] CommitError),
    /// The running service cannot be asked.
    #[error("AUDIT-001: what was asked for is not shown: the service did not answer that it was recorded")]
    Service(#[from] ControlError),
    /// The running service cannot now.
    #[error("AUDIT-001: what was asked for is not shown: {0}")]
    Busy(String),
    /// The running service could not.
    #[error("AUDIT-001: what was asked for is not shown: {0}")]
    Said(String),
}

impl NotRecorded {
    /// Whether it may be recorded later although nobody repairs anything.
    pub fn is_temporary(&self) -> bool {
        match self {
            NotRecorded::Store(error) => error.is_temporary() || matches!(error, StoreError::Stopped),
            NotRecorded::Commit(error) => error.cause.is_temporary(),
            NotRecorded::Service(_) | NotRecorded::Busy(_) => true,
            NotRecorded::Said(_) => false,
        }
    }
}

/// That something is sent to this machine is on disk, in the audit log: whoever sends needs it.
#[derive(Debug, Clone)]
pub struct RecordedSend(String);

impl RecordedSend {
    /// The machine.
    pub(crate) fn host(&self) -> &str {
        &self.0
    }
}

/// A minute.
const MINUTE_MS: i64 = 60_000;

/// Records reads for the pages of a running service.
#[derive(Clone)]
pub struct ReadRecorder {
    /// Weak: who serves a page that is still open must not keep the folder.
    store: Weak<Store>,
    /// What was recorded in which minute, so that a page that asks again and again does not fill the log.
    minutes: Arc<Mutex<BTreeMap<String, i64>>>,
}

impl ReadRecorder {
    /// Over a store.
    pub fn new(store: &Arc<Store>) -> Self {
        Self {
            store: Arc::downgrade(store),
            minutes: Arc::default(),
        }
    }

    /// Records; done when it is on disk.
    ///
    /// # Errors
    /// [`NotRecorded`]
    pub async fn record(&self, entry: AuditEntry) -> Result<(), NotRecorded> {
        self.write(vec![StoreWrite::Audit(entry)]).await
    }

    /// Writes; done when it is on disk.
    ///
    /// # Errors
    /// [`NotRecorded`]
    pub async fn write(&self, writes: Vec<StoreWrite>) -> Result<(), NotRecorded> {
        self.store.upgrade().ok_or(StoreError::Stopped)?.write(writes)?;
        self.flush().await
    }

    /// Done when everything that was handed to the store so far is on disk.
    ///
    /// # Errors
    /// [`NotRecorded`]
    pub(crate) async fn flush(&self) -> Result<(), NotRecorded> {
        let (told, heard) = oneshot::channel();
        let store = self.store.upgrade().ok_or(StoreError::Stopped)?;
        // The requester may be gone.
        store.commit(Box::new(move |done| drop(told.send(done))))?;
        drop(store);
        heard.await.map_err(|_| StoreError::Stopped)??;
        Ok(())
    }

    /// Records that a notification is sent to a machine, before it is; done when it is on disk. Blocks.
    ///
    /// # Errors
    /// [`NotRecorded`]
    pub(crate) fn record_send(&self, at: Timestamp, host: &str) -> Result<RecordedSend, NotRecorded> {
        self.record_sent_kind(at, host, Kind::Notification)
    }

    /// The same of ticks and figures for the owner's collector.
    ///
    /// # Errors
    /// [`NotRecorded`]
    pub(crate) fn record_telemetry(&self, at: Timestamp, host: &str) -> Result<RecordedSend, NotRecorded> {
        self.record_sent_kind(at, host, Kind::Telemetry)
    }

    fn record_sent_kind(&self, at: Timestamp, host: &str, kind: Kind) -> Result<RecordedSend, NotRecorded> {
        let store = self.store.upgrade().ok_or(StoreError::Stopped)?;
        let entry = AuditEntry {
            at_ms: at.ms(),
            op: Op::Send,
            meaning: AuditSubject::one(kind, host),
        };
        write(&store, vec![StoreWrite::Audit(entry)])?;
        Ok(RecordedSend(host.to_owned()))
    }

    /// Changes a draft of the outbox as its owner says; done when it is on disk.
    ///
    /// # Errors
    /// The store takes nothing, or the file cannot be written.
    pub async fn change_draft(&self, change: DraftChange) -> Result<DraftEditOutcome, StoreError> {
        let store = self.store.upgrade().ok_or(StoreError::Stopped)?;
        let (told, heard) = oneshot::channel();
        // The requester may be gone.
        store.change_draft(change, Box::new(move |done| drop(told.send(done))))?;
        drop(store);
        heard.await.map_err(|_| StoreError::Stopped)?
    }

    /// Records that a page showed something, once a minute for each thing.
    ///
    /// # Errors
    /// [`NotRecorded`]
    pub async fn by_page(&self, at: Timestamp, meaning: AuditSubject) -> Result<(), NotRecorded> {
        let minute = at.ms().div_euclid(MINUTE_MS);
        let what = format!("{meaning:?}");
        if self.minutes().get(&what) == Some(&minute) {
            return Ok(());
        }
        self.record(AuditEntry {
            at_ms: at.ms(),
            op: Op::Read,
            meaning,
        })
        .await?;
        let mut minutes = self.minutes();
        minutes.retain(|_, recorded| *recorded == minute);
        minutes.insert(what, minute);
        Ok(())
    }

    fn minutes(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, i64>> {
        self.minutes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Records what a command is about to show: the service that runs on the folder does it, or it becomes a file that the next writer takes
/// into the log. Whoever reads takes no lock.
///
/// # Errors
/// [`NotRecorded`]
pub fn record(vault: &Vault, op: Op, meaning: AuditSubject) -> Result<(), NotRecorded> {
    if !by_service(vault, op, &meaning)? {
        pending::write_pending(vault, entry(op, meaning))?;
    }
    Ok(())
}

/// Records what a command that works on the whole folder has done: at once.
///
/// # Errors
/// [`NotRecorded`]
pub fn record_done(vault: &Vault, op: Op, meaning: AuditSubject) -> Result<(), NotRecorded> {
    if by_service(vault, op, &meaning)? {
        return Ok(());
    }
    record_alone(vault, StoreOptions::default(), op, meaning)
}

/// The same for who has the folder alone, and opens its store so.
///
/// # Errors
/// [`NotRecorded`]
pub fn record_alone(
    vault: &Vault,
    options: StoreOptions,
    op: Op,
    meaning: AuditSubject,
) -> Result<(), NotRecorded> {
    let (store, _) = Store::open(vault, options)?;
    write(&store, vec![StoreWrite::Audit(entry(op, meaning))])
}

fn entry(op: Op, meaning: AuditSubject) -> AuditEntry {
    let at_ms = Clock::real(None).wall().ms();
    AuditEntry { at_ms, op, meaning }
}

/// Whether a service runs on the folder and has recorded it.
fn by_service(vault: &Vault, op: Op, meaning: &AuditSubject) -> Result<bool, NotRecorded> {
    let request = ControlRequest::Record {
        op,
        meaning: meaning.clone(),
    };
    match control::ask(vault.dir(), &request)? {
        None => Ok(false),
        Some(ControlReply::Recorded) => Ok(true),
        Some(ControlReply::Busy(why)) => Err(NotRecorded::Busy(why)),
        Some(ControlReply::Error(why)) => Err(NotRecorded::Said(why)),
        Some(_) => Err(NotRecorded::Said(
            "the service answered something else".to_owned(),
        )),
    }
}

/// Writes to a store and waits until it is on disk.
///
/// # Errors
/// [`NotRecorded`]
pub fn write(store: &Store, writes: Vec<StoreWrite>) -> Result<(), NotRecorded> {
    let (tell, told) = mpsc::channel();
    store.write(writes)?;
    store.commit(Box::new(move |done| drop(tell.send(done))))?;
    told.recv().map_err(|_| StoreError::Stopped)??;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use aura_memory::{CommitFaults, StoreReader};
    use std::sync::atomic::{AtomicBool, Ordering};

    #[derive(Default)]
    struct Full(AtomicBool);

    impl CommitFaults for Full {
        fn before_commit(&self) -> Result<(), StoreError> {
            if self.0.load(Ordering::Relaxed) {
                return Err(StoreError::disk_full(std::path::Path::new("aura.db")));
            }
            Ok(())
        }
    }

    #[test]
    fn a_page_is_recorded_once_a_minute_and_refused_while_the_disk_takes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let vault = Vault::ephemeral(dir.path()).unwrap();
        let full = Arc::new(Full::default());
        let faults: Option<Arc<dyn CommitFaults>> = Some(full.clone());
        let (store, _) = Store::open(
            &vault,
            StoreOptions {
                faults,
                ..StoreOptions::default()
            },
        )
        .unwrap();
        let store = Arc::new(store);
        let reads = ReadRecorder::new(&store);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let page = |second: i64, kind| {
            let at = Timestamp::from_ms(second * 1000);
            runtime
                .block_on(reads.by_page(at, AuditSubject::all_of(kind)))
                .is_ok()
        };
        let size = || StoreReader::open(&vault).unwrap().audit_size().unwrap();
        // (second, kind, disk is full, shown, records then)
        for (second, kind, is_full, shown, records) in [
            (0, Kind::Traces, false, true, 1),
            (59, Kind::Traces, false, true, 1),
            (59, Kind::Ledger, false, true, 2),
            // What was recorded in this minute may be shown; nothing else.
            (59, Kind::Traces, true, true, 2),
            (60, Kind::Traces, true, false, 2),
            // The record of the read that was refused is kept for the next commit, and stays: it was asked for.
            (61, Kind::Traces, false, true, 4),
            (62, Kind::Traces, false, true, 4),
        ] {
            full.0.store(is_full, Ordering::Relaxed);
            assert_eq!(
                (page(second, kind), size()),
                (shown, records),
                "{second} {kind} {is_full}"
            );
        }
        drop(store);
        assert!(!page(200, Kind::Traces), "a store that is gone records nothing");
    }
}
