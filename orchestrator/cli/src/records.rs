//! Traces as the store keeps them, read for the commands.
//!
//! What: [`StoreAccess`], the store opened read-only with the few questions that several commands ask. Why: a record that
//! cannot be read is one error everywhere, and the owner's zone comes from the newest decision. Not here: what is said
//! about a trace (`trace`, `why`).

use super::{error::CliError, trace_ref::TraceRef};
use aura_memory::{
    StoreError, StoreReader, TraceRow, Vault,
    audit::{AuditSubject, Op, pending},
};
use aura_runtime::reads::{self, NotRecorded};
use chrono_tz::Tz;
use surfaces_base::{
    format,
    language::{say, text},
};
use toolcall_schema::{Timestamp, trace::Trace};

/// How many traces are read at a time.
const PAGE: usize = 256;

/// The store of a data folder, beside a running service or on a stopped folder.
pub(crate) struct StoreAccess {
    /// For the questions that only one command asks.
    pub reader: StoreReader,
    vault: Vault,
}

impl StoreAccess {
    /// Opens the store of a folder of which something is to be shown, which is recorded first: [`Self::shows`].
    ///
    /// # Errors
    /// AUDIT-001 where nothing can be recorded; as [`StoreReader::open`].
    pub(crate) fn open_to_show(vault: &Vault) -> Result<Self, CliError> {
        pending::check_writable(vault).map_err(NotRecorded::from)?;
        Self::open(vault)
    }

    /// Opens the store of a folder; takes no lock and writes nothing.
    ///
    /// # Errors
    /// As [`StoreReader::open`].
    pub(crate) fn open(vault: &Vault) -> Result<Self, CliError> {
        Ok(Self {
            reader: StoreReader::open(vault)?,
            vault: vault.clone(),
        })
    }

    /// Records that something is read, before it is shown.
    ///
    /// # Errors
    /// AUDIT-001: it is not to be shown.
    pub(crate) fn shows(&self, meaning: AuditSubject) -> Result<(), CliError> {
        Ok(reads::record(&self.vault, Op::Read, meaning)?)
    }

    /// The trace of a row.
    ///
    /// # Errors
    /// STORE-003 when it is not `trace.v1`.
    pub(crate) fn parse(&self, row: &TraceRow) -> Result<Trace, CliError> {
        serde_json::from_str(&row.json).map_err(|_| {
            let what = format!("trace {} is not trace.v1", row.trace_id);
            StoreError::Damaged {
                file: self.vault.dir().join("aura.db"),
                what,
            }
            .into()
        })
    }

    /// One stored trace.
    ///
    /// # Errors
    /// [`CliError::NotThere`] when there is none of that id, or more than one begins so.
    pub(crate) fn row(&self, id: &TraceRef) -> Result<TraceRow, CliError> {
        let Some(beginning) = id.beginning() else {
            let last = self.newest_first().next().transpose()?;
            return last.ok_or_else(|| CliError::NotThere(text("cli-common-no-decision").to_owned()));
        };
        let ids = self.reader.trace_ids(beginning, 2)?;
        let row = match ids.as_slice() {
            [id] => self.reader.trace(id)?,
            [] => None,
            [one, other, ..] => {
                return Err(CliError::NotThere(say!(
                    "cli-common-several-traces",
                    beginning,
                    one = one.to_string(),
                    other = other.to_string()
                )));
            }
        };
        let missing = || CliError::NotThere(say!("cli-common-no-trace", beginning));
        row.ok_or_else(missing)
    }

    /// The traces from the newest on, read as they are asked for.
    pub(crate) fn newest_first(&self) -> impl Iterator<Item = Result<TraceRow, CliError>> {
        let mut page = Vec::new().into_iter();
        let mut before = None;
        let mut over = false;
        std::iter::from_fn(move || {
            if page.len() == 0 && !over {
                match self.reader.traces_and_calls(PAGE, before) {
                    Ok(rows) => {
                        over = rows.len() < PAGE;
                        before = rows.last().map(|row| row.tick);
                        page = rows.into_iter();
                    }
                    Err(error) => {
                        over = true;
                        return Some(Err(error.into()));
                    }
                }
            }
            page.next().map(Ok)
        })
    }

    /// The newest trace that can be read.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(crate) fn newest(&self) -> Result<Option<Trace>, CliError> {
        for row in self.newest_first() {
            if let Ok(trace) = self.parse(&row?) {
                return Ok(Some(trace));
            }
        }
        Ok(None)
    }
}

/// The zone that the owner had when it was decided.
pub(crate) fn zone(trace: &Trace) -> Tz {
    format::zone(&trace.decision.user.zone)
}

/// Date and time in a zone: `2026-11-03 07:45:00`.
pub(crate) fn local(at: Timestamp, zone: Tz) -> String {
    at.utc()
        .with_timezone(&zone)
        .format("%Y-%m-%d %H:%M:%S")
        .to_string()
}
