//! Taking what is kept away, and bringing it back.
//!
//! What: [`json`], the whole of it as one document (`export.v1`) by a [`Profile`]; other formats where there are standard ones
//! ([`formats`]); [`import()`] of what was exported raw. Why: it is the owner's, and somebody who is shown a part of it is shown
//! that part. Not here: sealed copies of the folder for keeping.
//!
//! Everything is read and written row by row, in one view of the store, so memory stays flat whatever there is.

mod censor;
mod class;
pub mod formats;
mod import;
mod import_rows;
mod rows;
#[cfg(test)]
mod tests;
mod view;

pub use censor::RedactionCount;
pub use class::{Action, Class, Profile, ProfileRules};
pub use import::{ImportCounts, ImportError, check, import};

use crate::{audit::AuditKeys, error::StoreError, reader::StoreReader};
use censor::{FieldRedactor, NestedFields, RedactField as _};
use chrono::NaiveDate;
use serde::Serialize;
use std::{
    collections::BTreeMap,
    io::{self, Write},
    path::PathBuf,
};
use toolcall_schema::Timestamp;
use view::ReadTransaction;

/// The version of the document.
pub const VERSION: &str = "export.v1";

/// Why an export ended early. What was written of it is no export.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its file cannot be written.
    #[error("the export could not be written: check the space on its disk")]
    Write(#[from] io::Error),
    /// An export never overwrites.
    #[error("{} is there already and stays as it is: name another file, or remove it", .0.display())]
    Taken(PathBuf),
}

/// What an export holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExportSummary {
    /// How many rows of the store were looked at.
    pub rows: u64,
    /// What was removed or coarsened.
    pub removed: Vec<RedactionCount>,
}

/// Writes everything as one JSON document, a row a line.
///
/// # Errors
/// [`ExportError`]
pub fn json(
    reader: &StoreReader,
    keys: &AuditKeys,
    profile: Profile,
    at: Timestamp,
    out: &mut dyn Write,
    progress: &mut dyn FnMut(u64),
) -> Result<ExportSummary, ExportError> {
    by_table(
        reader,
        keys,
        (profile.as_str(), profile.table()),
        at,
        out,
        progress,
    )
}

fn by_table(
    reader: &StoreReader,
    keys: &AuditKeys,
    (profile, table): (&str, &ProfileRules),
    at: Timestamp,
    out: &mut dyn Write,
    progress: &mut dyn FnMut(u64),
) -> Result<ExportSummary, ExportError> {
    let mut censor = FieldRedactor::new(table);
    let view = ReadTransaction::open(reader)?;
    let mut days: BTreeMap<(NaiveDate, &'static str), u64> = BTreeMap::new();
    let mut doc = DocumentWriter {
        out,
        progress,
        shows_rows: table.rows,
        rows: 0,
        first: true,
    };
    let exported_at = censor::TimeField(at).redacted(&mut censor).unwrap_or_default();
    write!(
        doc.out,
        "{{\"version\":\"{VERSION}\",\"exported_at\":{exported_at},\"profile\":\"{profile}\""
    )?;
    // First, because a trace's node is found by its trace's sentence.
    doc.begin("traces")?;
    view.traces(|line| doc.row(&rows::trace(&line, &mut censor)))?;
    doc.begin("nodes")?;
    view.nodes(|line| {
        let day = (line.at.utc().date_naive(), line.data.node_type().as_str());
        if !table.rows {
            *days.entry(day).or_default() += 1;
        }
        // With keys, a label is a row of its own: it can belong to many nodes.
        doc.row(&rows::node(line, !table.keys, &mut censor))
    })?;
    doc.begin("edges")?;
    view.edges(|line| doc.row(&rows::edge(&line, &mut censor)))?;
    doc.begin("labels")?;
    view.labels(|line| match rows::label(&line, &mut censor) {
        Some(row) => doc.row(&row),
        None => Ok(()),
    })?;
    doc.begin("ledger")?;
    view.ledger(|line| doc.row(&rows::ledger(&line, &mut censor)))?;
    doc.begin("heads")?;
    if table.keys {
        for head in reader.heads(keys)? {
            doc.row(&NestedFields(censor::json(&head)))?;
        }
    }
    // Counts of days are shown to everybody.
    doc.shows_rows = true;
    doc.begin("counters")?;
    view.counters(|line| doc.row(&rows::counter(&line, &mut censor)))?;
    doc.begin("days")?;
    for ((day, node_type), count) in &days {
        let row = serde_json::json!({ "day": day, "type": node_type, "count": count });
        doc.row(&NestedFields(row.to_string()))?;
    }
    let removed = censor.removed();
    writeln!(doc.out, "],\n\"removed\":{}}}", censor::json(&removed))?;
    doc.out.flush()?;
    let rows = doc.rows;
    Ok(ExportSummary { rows, removed })
}

/// The document as it is written.
struct DocumentWriter<'a> {
    out: &'a mut dyn Write,
    progress: &'a mut dyn FnMut(u64),
    /// Whether rows are written, or only counted.
    shows_rows: bool,
    rows: u64,
    first: bool,
}

impl DocumentWriter<'_> {
    /// Ends the section before, if there was one, and begins another.
    fn begin(&mut self, name: &str) -> Result<(), ExportError> {
        let end = if name == "traces" { "" } else { "]" };
        write!(self.out, "{end},\n\"{name}\":[")?;
        self.first = true;
        Ok(())
    }

    fn row(&mut self, row: &NestedFields) -> Result<(), ExportError> {
        if self.shows_rows {
            let comma = if self.first { "" } else { "," };
            write!(self.out, "{comma}\n{}", row.0)?;
            self.first = false;
        }
        self.rows += 1;
        (self.progress)(self.rows);
        Ok(())
    }
}
