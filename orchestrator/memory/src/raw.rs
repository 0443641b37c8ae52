//! Traces that could not be stored in time, as files of their own.
//!
//! What: `traces/raw/<trace_id>.json`, sealed, written when the store does not answer: the trace, and the groups of writes that were not
//! committed then and are in no earlier file. Why: a trace is never lost, and never there without the events it came from. Not here: when
//! to give up on the store (the machine, 1000 ms).
//!
//! A file goes when what it holds is committed: by the process that wrote it, or at the next opening, which takes it in. Later ones no
//! longer do: what was written since does not follow from it.

use crate::{
    apply::{GraphPart, apply},
    audit::AuditLog,
    committed::{CommitChange, CommitCounters},
    error::StoreError,
    files::{self, IfExists},
    outbox,
    recover::recover,
    rows::{StoreWrite, TraceRow},
    store::seq_after,
    uncommitted::UncommittedGroups,
    vault::{Vault, keys::SecretBytes},
};
use rusqlite::{Connection, Transaction, TransactionBehavior};
use serde::{Deserialize, Serialize};
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};
use toolcall_schema::{ids::TraceId, trace::Trace};
use zeroize::Zeroizing;

/// What the files' key is for.
pub(crate) const KEY: &str = "raw traces v1";
/// How many files one commit takes in; the others follow with the next.
const AT_ONCE: usize = 256;

/// The folder of raw traces.
pub(crate) struct RawTraces {
    data_dir: PathBuf,
    dir: PathBuf,
    key: SecretBytes,
    /// The last group that is in a file. Held while a file is written.
    spilled: Mutex<u64>,
    /// The files of this process that are still there.
    files: Mutex<Vec<RawFile>>,
}

/// One file of this process.
struct RawFile {
    path: PathBuf,
    trace_id: TraceId,
    /// The last group that its trace needs.
    last: u64,
}

/// What one look found.
#[derive(Default)]
pub(crate) struct CommittedTraces {
    pub(crate) rows: Vec<StoreWrite>,
    files: Vec<RawFile>,
}

impl CommittedTraces {
    /// The traces are committed: their files go. One that stays is taken in at the next opening, which changes nothing.
    pub(crate) fn stored(&self) {
        for file in &self.files {
            removed(&file.path);
        }
    }
}

/// What a file holds, sealed.
#[derive(Serialize)]
struct RawTraceBody<'a> {
    trace: &'a str,
    opening: u64,
    first: u64,
    groups: Vec<&'a [StoreWrite]>,
}

/// The same as it is read. An Aura of before this kept the trace alone, as its JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTraceDocument {
    /// `trace.v1`
    trace: String,
    /// The opening of the store that wrote it; 0: an Aura of before this.
    opening: u64,
    /// The number of the first group; the others follow it.
    first: u64,
    /// The groups that were not committed and are in no file before this one.
    groups: Vec<Vec<StoreWrite>>,
}

/// A document with its trace.
struct RawTrace {
    row: TraceRow,
    opening: u64,
    first: u64,
    groups: Vec<Vec<StoreWrite>>,
}

impl RawTraces {
    /// Makes the folder.
    pub(crate) fn open(vault: &Vault) -> Result<Self, StoreError> {
        let dir = vault.dir().join("traces").join("raw");
        files::private_dir(&dir)?;
        Ok(Self {
            data_dir: vault.dir().to_owned(),
            dir,
            key: vault.key_of(KEY),
            spilled: Mutex::default(),
            files: Mutex::default(),
        })
    }

    /// Keeps a trace as a file, with what is uncommitted; it is on disk when this returns.
    pub(crate) fn put(
        &self,
        trace_id: &TraceId,
        json: &str,
        opening: u64,
        uncommitted: &UncommittedGroups,
    ) -> Result<(), StoreError> {
        let mut spilled = self.spilled.lock().unwrap_or_else(PoisonError::into_inner);
        let groups = uncommitted.after(*spilled);
        let written = RawTraceBody {
            trace: json,
            opening,
            first: groups.first().map_or(*spilled + 1, |group| group.number),
            groups: groups.iter().map(|group| group.writes.as_slice()).collect(),
        };
        // Names and numbers: serializing cannot fail; a file without a document would be named when it is read.
        let plain = Zeroizing::new(serde_json::to_vec(&written).unwrap_or_default());
        let sealed = self.key.seal(trace_id.as_str().as_bytes(), &plain)?;
        let name = format!("{trace_id}.json");
        files::write_atomic(&self.dir, &name, &sealed, IfExists::Replace)?;
        *spilled = groups.last().map_or(*spilled, |group| group.number);
        self.files().push(RawFile {
            path: self.dir.join(name),
            trace_id: trace_id.clone(),
            last: *spilled,
        });
        Ok(())
    }

    /// What a file says; `None` when it is not sealed by this folder.
    pub(crate) fn unseal(&self, id: &TraceId, sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        self.key.unseal(id.as_str().as_bytes(), sealed)
    }

    /// What a file holds, when it is a raw trace of that id.
    fn read(&self, id: &TraceId, path: &Path) -> io::Result<Option<RawTrace>> {
        let sealed = fs::read(path)?;
        let read = || {
            let plain = self.unseal(id, &sealed)?;
            let document = serde_json::from_slice(&plain).ok().or_else(|| {
                Some(RawTraceDocument {
                    trace: std::str::from_utf8(&plain).ok()?.to_owned(),
                    opening: 0,
                    first: 0,
                    groups: Vec::new(),
                })
            })?;
            let trace: Trace = serde_json::from_str(&document.trace).ok()?;
            (trace.trace_id == *id).then(|| RawTrace {
                row: TraceRow::from_trace(&trace, document.trace),
                opening: document.opening,
                first: document.first,
                groups: document.groups,
            })
        };
        let found = read();
        if found.is_none() {
            tracing::warn!(code = "STORE-003", trace_id = %id, "raw trace is not a trace of that id: left alone");
        }
        Ok(found)
    }

    /// The traces of this process whose groups are committed when those up to `group` are. To be followed by [`CommittedTraces::stored`] or
    /// [`Self::not_stored`].
    pub(crate) fn find(&self, group: u64) -> CommittedTraces {
        let mut waiting = self.files();
        if waiting.is_empty() {
            return CommittedTraces::default();
        }
        let files: Vec<RawFile> = waiting
            .extract_if(.., |file| file.last <= group)
            .take(AT_ONCE)
            .collect();
        drop(waiting);
        let mut found = CommittedTraces::default();
        for file in files {
            match self.read(&file.trace_id, &file.path) {
                Ok(Some(raw)) => {
                    found.rows.push(StoreWrite::Trace(raw.row));
                    found.files.push(file);
                }
                Ok(None) => {}
                Err(error) => {
                    tracing::warn!(code = "STORE-007", kind = %error.kind(), "a raw trace could not be read");
                    self.files().push(file);
                }
            }
        }
        found
    }

    /// The commit failed: the files stay.
    pub(crate) fn not_stored(&self, found: CommittedTraces) {
        self.files().extend(found.files);
    }

    /// Takes in what earlier processes left: the groups that follow the last one committed, and the traces that came of them.
    ///
    /// # Errors
    /// STORE-003 or STORE-007; nothing was taken in then.
    pub(crate) fn take_in(
        &self,
        conn: &mut Connection,
        file: &Path,
        audit: &mut AuditLog,
    ) -> Result<(), StoreError> {
        let mut waiting = self.all()?;
        if waiting.is_empty() {
            return Ok(());
        }
        waiting.sort_by_key(|(_, raw)| raw.first);
        let next_seq = recover(conn, file)?.next_seq;
        let sql = |e| StoreError::sql(file, e);
        let mut log = audit.clone();
        let tx = conn
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(sql)?;
        let committed = CommitCounters::read(&tx).map_err(sql)?;
        let mut end = StoreEnd {
            opening: committed.opening,
            group: committed.groups,
            next_seq,
            data_dir: self.data_dir.clone(),
        };
        let mut taken = Vec::new();
        for (path, raw) in waiting {
            if end.take(&tx, &mut log, raw).map_err(sql)? {
                taken.push(path);
            } else {
                tracing::warn!(
                    code = "STORE-003",
                    file = %path.display(),
                    "a raw trace does not follow what is stored: left alone"
                );
            }
        }
        committed
            .after(end.group, CommitChange::ANY)
            .write(&tx)
            .map_err(sql)?;
        tx.commit().map_err(sql)?;
        *audit = log;
        let groups = end.group - committed.groups;
        tracing::warn!(
            traces = taken.len(),
            groups,
            "what an earlier run could not store was taken in"
        );
        for path in taken {
            removed(&path);
        }
        Ok(())
    }

    fn all(&self) -> Result<Vec<(PathBuf, RawTrace)>, StoreError> {
        let wrong = || StoreError::file("read", &self.dir);
        let mut all = Vec::new();
        for entry in fs::read_dir(&self.dir).map_err(wrong())? {
            let path = entry.map_err(wrong())?.path();
            let Some(id) = trace_of(&path) else { continue };
            let read = self.read(&id, &path).map_err(StoreError::file("read", &path))?;
            all.extend(read.map(|raw| (path, raw)));
        }
        Ok(all)
    }

    fn files(&self) -> MutexGuard<'_, Vec<RawFile>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Up to where a store holds everything, while files are taken in.
struct StoreEnd {
    opening: u64,
    group: u64,
    next_seq: u64,
    data_dir: PathBuf,
}

impl StoreEnd {
    /// Writes what is not there yet. `false`: something before it is missing, and its trace is not taken in.
    fn take(&mut self, tx: &Transaction<'_>, log: &mut AuditLog, raw: RawTrace) -> rusqlite::Result<bool> {
        if raw.opening != 0 && !self.reach(tx, log, &raw)? {
            // One that is there could not be removed.
            let there = "SELECT 1 FROM traces WHERE trace_id = ?1 AND json = ?2";
            return tx
                .prepare(there)?
                .exists([raw.row.trace_id.as_str(), &raw.row.json]);
        }
        apply(
            tx,
            log,
            &StoreWrite::Trace(raw.row),
            &mut GraphPart::Now { searchable: true },
        )?;
        Ok(true)
    }

    /// Whether all that a trace needs is there, once the groups are written that follow.
    fn reach(&mut self, tx: &Transaction<'_>, log: &mut AuditLog, raw: &RawTrace) -> rusqlite::Result<bool> {
        if raw.opening != self.opening || raw.first > self.group + 1 {
            return Ok(false);
        }
        for (number, group) in (raw.first..).zip(&raw.groups) {
            if number <= self.group {
                continue;
            }
            let Ok(next_seq) = seq_after(self.next_seq, group) else {
                return Ok(false);
            };
            outbox::change(&self.data_dir, group);
            for write in group {
                apply(tx, log, write, &mut GraphPart::Now { searchable: true })?;
            }
            (self.group, self.next_seq) = (number, next_seq);
        }
        Ok(true)
    }
}

fn removed(path: &Path) {
    if let Err(error) = files::remove(path) {
        tracing::warn!(code = error.code(), %error, "a stored raw trace could not be removed");
    }
}

/// The raw traces of a data folder.
pub(crate) fn files(data_dir: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let dir = data_dir.join("traces").join("raw");
    let entries = match fs::read_dir(&dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(StoreError::file("read", &dir)(error)),
    };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| trace_of(path).is_some())
        .collect();
    files.sort();
    Ok(files)
}

/// The trace a file name stands for; `None` for other files, e.g. a temporary one.
pub(crate) fn trace_of(path: &Path) -> Option<TraceId> {
    let name = path.file_name()?.to_str()?;
    TraceId::parse(name.strip_suffix(".json")?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Store, StoreOptions, StoreReader, uncommitted::WriteGroup};
    use serde_json::json;
    use std::sync::Arc;
    use tempfile::TempDir;
    use toolcall_schema::ids::OwnerSeed;

    fn trace() -> (TraceId, String) {
        let id = OwnerSeed::from_day_seed("raw").trace_id(1);
        let at = "2026-11-03T09:00:00.000Z";
        let ledger =
            json!({"day": "2026-11-03", "ceiling": 3, "free": 3, "reserved": 0, "settled": 0, "refunded": 0});
        let trace = json!({
            "trace_id": id, "ts": at, "outcome": "silent", "reason_code": "no_candidate", "tool_calls": [],
            "ledger_after": ledger, "state_path": [], "rationale": "nothing to say", "rationale_source": "template",
            "decision": {
                "trace_id": id, "tick": 1, "ts": at, "trigger": {"source": "interval", "at": at, "valid_until": at},
                "user": {"state": "UNKNOWN", "in_focus": false, "in_meeting": false, "dnd": false, "brief_due": false,
                    "zone": "UTC"},
                "agent_status": {}, "signals": {}, "candidates": [], "reason_code": "no_candidate",
                "rationale": "nothing to say", "ledger_before": ledger, "policy_hash": "", "catalogue_hash": "",
                "stale_triggers": [],
            },
        });
        (id, trace.to_string())
    }

    #[test]
    fn a_trace_that_an_earlier_aura_kept_is_taken_in() {
        let dir = TempDir::new().unwrap();
        let vault = Vault::ephemeral(dir.path()).unwrap();
        let (id, json) = trace();
        let raw = RawTraces::open(&vault).unwrap();
        let sealed = raw.key.seal(id.as_str().as_bytes(), json.as_bytes()).unwrap();
        let path = raw.dir.join(format!("{id}.json"));
        fs::write(&path, sealed).unwrap();
        let (_store, recovered) = Store::open(&vault, StoreOptions::default()).unwrap();
        assert_eq!((recovered.kept_ticks, path.exists()), (1, false));
        let kept = StoreReader::open(&vault).unwrap().trace(&id).unwrap().unwrap();
        assert_eq!(kept.json, json);
    }

    #[test]
    fn a_commit_takes_no_trace_in_whose_groups_are_not_in_it() {
        let dir = TempDir::new().unwrap();
        let raw = RawTraces::open(&Vault::ephemeral(dir.path()).unwrap()).unwrap();
        let (id, json) = trace();
        let uncommitted = UncommittedGroups::default();
        for number in 1..=2 {
            let writes = vec![StoreWrite::Event {
                seq: number,
                at_ms: 0,
                json: "{}".to_owned(),
            }];
            uncommitted.add(Arc::new(WriteGroup { number, writes }));
        }
        raw.put(&id, &json, 1, &uncommitted).unwrap();
        assert!(raw.find(1).rows.is_empty());
        let found = raw.find(2);
        assert_eq!(found.rows.len(), 1);
        raw.not_stored(found);
        let found = raw.find(2);
        found.stored();
        assert_eq!((found.rows.len(), raw.find(2).rows.len()), (1, 0));
        assert!(!raw.dir.join(format!("{id}.json")).exists());
    }
}
