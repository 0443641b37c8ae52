//! Bringing a raw export back.
//!
//! What: [`import()`], one transaction over a folder on which nobody works. Why: all of it is taken in or none; what is there
//! already stays as it is, so that doing it twice changes nothing. Not here: writing exports (`super`).
//!
//! The document is read row by row. Each row is read into the closed type of what it becomes, and a trace has to be `trace.v1`
//! and to say in its columns what it says itself.

use super::{
    Profile, VERSION,
    import_rows::{CounterIn, EdgeIn, ImportRow, ImportStop, LabelIn, LedgerIn, NodeIn, TraceIn},
};
use crate::{
    audit::{AuditEntry, AuditKeys, AuditLog, AuditSubject, Kind, Op, SignedTreeHead},
    database,
    error::StoreError,
    files, folder_lock, remote_log, schema,
    vault::Vault,
};
use rusqlite::{Connection, TransactionBehavior};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use std::{fmt, io::Read, path::Path};
use toolcall_schema::Timestamp;

/// Why nothing was imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The folder cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It is not an export of this version, or one of its rows is none.
    #[error(
        "EXPORT-001: line {line}, column {column} of the export ({section}): {what}; nothing was imported"
    )]
    Shape {
        /// In which section.
        section: &'static str,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// It was made for somebody else.
    #[error(
        "EXPORT-002: this export is not of the profile raw, so things are missing in it; nothing was imported"
    )]
    Profile,
    /// The folder's past is another one.
    #[error(
        "EXPORT-003: the folder has another trace of tick {tick}: import into an empty folder; nothing was imported"
    )]
    Conflict {
        /// Which tick.
        tick: u64,
    },
}

/// What was imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, Deserialize)]
pub struct ImportCounts {
    /// Rows that are new.
    pub rows: u64,
    /// Rows that were there.
    pub known: u64,
}

/// Takes a raw export in. `at`: now.
///
/// # Errors
/// [`ImportError`]; the folder is as it was.
pub fn import(
    vault: &Vault,
    input: impl Read,
    at: Timestamp,
    progress: &mut dyn FnMut(u64),
) -> Result<ImportCounts, ImportError> {
    let _lock = folder_lock::lock(vault.dir())?;
    let file = vault.dir().join(schema::FILE);
    if !files::is_there(&file)? {
        let dir = vault.dir().to_owned();
        return Err(StoreError::Missing { dir }.into());
    }
    let mut conn = database::open_for_writing(&vault.database_key(schema::FILE), &file)?;
    remote_log::check_follows_none(&conn, vault, false)?;
    let sql = |e| ImportError::Store(StoreError::sql(&file, e));
    let mut log = AuditLog::open(&conn, &file, AuditKeys::derive(vault.seed()))?;
    let tx = conn
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(sql)?;
    let imported = read(Some(&tx), input, progress, &file)?;
    let meaning = AuditSubject::all_of(Kind::Memory).with_count(imported.rows);
    let entry = AuditEntry {
        at_ms: at.ms(),
        op: Op::Import,
        meaning,
    };
    log.append(&tx, &entry).map_err(sql)?;
    tx.commit().map_err(sql)?;
    Ok(imported)
}

/// Reads a raw export without taking anything in: whether it is one, with every row of its type.
///
/// # Errors
/// [`ImportError::Shape`] or [`ImportError::Profile`].
pub fn check(input: impl Read) -> Result<(), ImportError> {
    read(None, input, &mut |_| {}, Path::new(schema::FILE)).map(drop)
}

/// Reads the document; where there is a database, into its tables.
fn read(
    conn: Option<&Connection>,
    input: impl Read,
    progress: &mut dyn FnMut(u64),
    file: &Path,
) -> Result<ImportCounts, ImportError> {
    let mut taking = DocumentImporter {
        conn,
        progress,
        section: "the beginning",
        imported: ImportCounts::default(),
        stopped: None,
    };
    let mut json = serde_json::Deserializer::from_reader(std::io::BufReader::new(input));
    let read = (&mut taking).deserialize(&mut json).and_then(|()| json.end());
    let (section, imported, stopped) = (taking.section, taking.imported, taking.stopped);
    read.map(|()| imported).map_err(|error| match stopped {
        Some(ImportStop::Sql(error)) => StoreError::sql(file, error).into(),
        Some(ImportStop::Import(error)) => error,
        Some(ImportStop::Row(what)) => shape(section, &error, what),
        None => shape(section, &error, "not a document of export.v1"),
    })
}

/// Serde's own words may quote the document; its place does not.
fn shape(section: &'static str, error: &serde_json::Error, what: &'static str) -> ImportError {
    ImportError::Shape {
        section,
        line: error.line(),
        column: error.column(),
        what,
    }
}

/// The document on its way into the tables.
struct DocumentImporter<'a> {
    /// Absent: rows are only read.
    conn: Option<&'a Connection>,
    progress: &'a mut dyn FnMut(u64),
    section: &'static str,
    imported: ImportCounts,
    /// Why serde was told to stop.
    stopped: Option<ImportStop>,
}

impl<'de> DeserializeSeed<'de> for &mut DocumentImporter<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut DocumentImporter<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an export")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen = Vec::new();
        while let Some(part) = map.next_key::<ImportSection>()? {
            if seen.contains(&part) {
                return Err(self.stop(ImportStop::Row("a section that is there twice")));
            }
            // Rows may only come when it is known whose they are.
            if seen.len() < HEADER.len() && !HEADER.contains(&part) {
                return Err(self.stop(ImportStop::Row("version, exported_at and profile come first")));
            }
            seen.push(part);
            self.part(part, &mut map)?;
        }
        if seen.len() == PARTS {
            Ok(())
        } else {
            Err(self.stop(ImportStop::Row("a section is missing")))
        }
    }
}

const HEADER: [ImportSection; 3] = [
    ImportSection::Version,
    ImportSection::ExportedAt,
    ImportSection::Profile,
];

/// A member of the document.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ImportSection {
    Version,
    ExportedAt,
    Profile,
    Traces,
    Nodes,
    Edges,
    Labels,
    Ledger,
    Heads,
    Counters,
    Days,
    Removed,
}

/// How many there are.
const PARTS: usize = 12;

impl ImportSection {
    fn name(self) -> &'static str {
        match self {
            ImportSection::Version => "version",
            ImportSection::ExportedAt => "exported_at",
            ImportSection::Profile => "profile",
            ImportSection::Traces => "traces",
            ImportSection::Nodes => "nodes",
            ImportSection::Edges => "edges",
            ImportSection::Labels => "labels",
            ImportSection::Ledger => "ledger",
            ImportSection::Heads => "heads",
            ImportSection::Counters => "counters",
            ImportSection::Days => "days",
            ImportSection::Removed => "removed",
        }
    }
}

impl DocumentImporter<'_> {
    fn part<'de, A: MapAccess<'de>>(&mut self, part: ImportSection, map: &mut A) -> Result<(), A::Error> {
        self.section = part.name();
        match part {
            ImportSection::Version => {
                if map.next_value::<String>()? != VERSION {
                    return Err(self.stop(ImportStop::Row("another version than export.v1")));
                }
            }
            ImportSection::ExportedAt => drop(map.next_value::<Timestamp>()?),
            ImportSection::Profile => {
                if map.next_value::<Profile>()? != Profile::Raw {
                    return Err(self.stop(ImportStop::Import(ImportError::Profile)));
                }
            }
            ImportSection::Traces => self.rows::<TraceIn, A>(map)?,
            ImportSection::Nodes => self.rows::<NodeIn, A>(map)?,
            ImportSection::Edges => self.rows::<EdgeIn, A>(map)?,
            ImportSection::Labels => self.rows::<LabelIn, A>(map)?,
            ImportSection::Ledger => self.rows::<LedgerIn, A>(map)?,
            ImportSection::Counters => self.rows::<CounterIn, A>(map)?,
            // They belong to the log of the folder they were made in.
            ImportSection::Heads => drop(map.next_value::<Vec<SignedTreeHead>>()?),
            ImportSection::Days | ImportSection::Removed => drop(map.next_value::<Vec<IgnoredAny>>()?),
        }
        Ok(())
    }

    fn rows<'de, T: ImportRow, A: MapAccess<'de>>(&mut self, map: &mut A) -> Result<(), A::Error> {
        map.next_value_seed(SectionRows(self, std::marker::PhantomData::<T>))
    }

    /// Tells serde to stop, and keeps why.
    fn stop<E: serde::de::Error>(&mut self, why: ImportStop) -> E {
        self.stopped = Some(why);
        E::custom("stopped")
    }
}

/// A section, row by row.
struct SectionRows<'t, 'a, T>(&'t mut DocumentImporter<'a>, std::marker::PhantomData<T>);

impl<'de, T: ImportRow> DeserializeSeed<'de> for SectionRows<'_, '_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_seq(self)
    }
}

impl<'de, T: ImportRow> Visitor<'de> for SectionRows<'_, '_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("rows")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(row) = seq.next_element::<T>()? {
            match self.0.conn.map_or(Ok(true), |conn| row.take(conn)) {
                Ok(true) => self.0.imported.rows += 1,
                Ok(false) => self.0.imported.known += 1,
                Err(why) => return Err(self.0.stop(why)),
            }
            let ImportCounts { rows, known } = self.0.imported;
            (self.0.progress)(rows + known);
        }
        Ok(())
    }
}
