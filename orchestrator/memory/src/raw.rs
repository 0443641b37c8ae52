//! Traces that could not be stored in time, as files of their own.
//!
//! What: `traces/raw/<trace_id>.json`, sealed, written when the store does not answer, taken in by the next commit that succeeds.
//! Why: a trace is never lost. Not here: when to give up on the store (the machine, 1000 ms).

use crate::{
    error::StoreError,
    files::{self, Existing},
    rows::{TraceRow, Write},
    vault::{Vault, keys::Secret},
};
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};
use toolcall_schema::{ids::TraceId, trace::Trace};

/// What the files' key is for.
pub(crate) const KEY: &str = "raw traces v1";
/// How many files one commit takes in; the others follow with the next.
const AT_ONCE: usize = 256;

/// The folder of raw traces.
pub(crate) struct RawTraces {
    dir: PathBuf,
    key: Secret,
    /// Whether there may be files, so that a commit need not look.
    waiting: AtomicBool,
}

/// What one look found.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) rows: Vec<Write>,
    files: Vec<PathBuf>,
    more: bool,
}

impl RawTraces {
    /// Makes the folder.
    pub(crate) fn open(vault: &Vault) -> Result<Self, StoreError> {
        let dir = vault.dir().join("traces").join("raw");
        files::private_dir(&dir)?;
        Ok(Self {
            dir,
            key: vault.key_of(KEY),
            waiting: AtomicBool::new(true),
        })
    }

    /// Keeps a trace as a file; it is on disk when this returns.
    pub(crate) fn put(&self, trace_id: &TraceId, json: &str) -> Result<(), StoreError> {
        let sealed = self.key.seal(trace_id.as_str().as_bytes(), json.as_bytes())?;
        files::write_atomic(&self.dir, &format!("{trace_id}.json"), &sealed, Existing::Replace)?;
        self.waiting.store(true, Ordering::Release);
        Ok(())
    }

    /// The last tick that has a file here; 0 when there is none, or none that can be read.
    pub(crate) fn last_tick(&self) -> u64 {
        let files = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let ticks = files.filter_map(|entry| {
            let path = entry.path();
            let id = trace_of(&path)?;
            let (trace, _) = self.unseal(&id, &fs::read(path).ok()?)?;
            Some(trace.decision.tick)
        });
        ticks.max().unwrap_or(0)
    }

    pub(crate) fn unseal(&self, id: &TraceId, sealed: &[u8]) -> Option<(Trace, String)> {
        let plain = self.key.unseal(id.as_str().as_bytes(), sealed)?;
        let json = std::str::from_utf8(&plain).ok()?.to_owned();
        Some((serde_json::from_str(&json).ok()?, json))
    }

    /// The traces that wait. To be followed by [`Self::stored`] or [`Self::not_stored`].
    pub(crate) fn find(&self) -> Found {
        if !self.waiting.swap(false, Ordering::Acquire) {
            return Found::default();
        }
        self.read().unwrap_or_else(|error| {
            tracing::warn!(code = "STORE-007", kind = %error.kind(), "raw traces could not be listed");
            Found {
                more: true,
                ..Found::default()
            }
        })
    }

    fn read(&self) -> io::Result<Found> {
        let mut found = Found::default();
        for entry in fs::read_dir(&self.dir)? {
            let path = entry?.path();
            let Some(id) = trace_of(&path) else { continue };
            if found.rows.len() == AT_ONCE {
                found.more = true;
                break;
            }
            match self.unseal(&id, &fs::read(&path)?) {
                Some((trace, json)) if trace.trace_id == id => {
                    found.rows.push(Write::Trace(TraceRow::of(&trace, json)));
                    found.files.push(path);
                }
                Some(_) | None => {
                    tracing::warn!(code = "STORE-003", trace_id = %id, "raw trace is not a trace of that id: left alone");
                }
            }
        }
        Ok(found)
    }

    /// The traces are committed: their files go. One that stays is taken in again, which changes nothing.
    pub(crate) fn stored(&self, found: &Found) {
        for path in &found.files {
            if let Err(error) = fs::remove_file(path) {
                tracing::warn!(code = "STORE-007", kind = %error.kind(), "a stored raw trace could not be removed");
            }
        }
        if found.more {
            self.not_stored();
        }
    }

    /// The commit failed: the files are looked for again.
    pub(crate) fn not_stored(&self) {
        self.waiting.store(true, Ordering::Release);
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
