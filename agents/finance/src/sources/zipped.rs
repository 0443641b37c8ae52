//! Statements in an archive, as banks hand out a month or a year of CAMT.
//!
//! What: [`ZippedStatements`], an iterator over what the statements in a ZIP tell, one after the other. Why: nobody should have to unpack what the bank
//! gives. Not here: the formats (`statement`). Exports of CSV and journals in an archive are not read: the one may have to be asked about, the
//! other names files beside it.

use super::{
    SourceLocation, StatementItem,
    statement::{StatementContent, StatementFile},
};
use crate::code;
use agents_base::shared::{SOURCE_UNREADABLE, SkipCode, open_archive};
use chrono_tz::Tz;
use std::{
    collections::VecDeque,
    fs::File,
    io::{self, BufReader, Cursor, Read as _},
    path::Path,
};
use zip::ZipArchive;

/// One statement may unpack to so many bytes, as large as any file that is read as a whole.
const MAX_STATEMENT: u64 = 64 * 1024 * 1024;
/// Statements that are read of one archive.
const MAX_STATEMENTS: usize = 4096;

/// An archive that is read.
pub(crate) struct ZippedStatements {
    /// `None`: it is none, or damaged.
    archive: Option<ZipArchive<BufReader<File>>>,
    /// What the archive is called.
    name: String,
    /// Statements that are still to be read: place and name.
    left: VecDeque<(usize, String)>,
    now: Option<(String, StatementFile)>,
    zone: Tz,
    /// Bytes of the statements that were read.
    read: u64,
    /// What is wrong with the whole of it.
    told: Option<SkipCode>,
}

impl ZippedStatements {
    /// Opens an archive. `named`: by the owner, so that one without a statement is said.
    ///
    /// # Errors
    /// It cannot be opened.
    pub(super) fn open(path: &Path, named: bool, zone: Tz) -> io::Result<Self> {
        let mut archive = open_archive(path)?;
        let mut left: VecDeque<(usize, String)> = archive.iter().flat_map(names).collect();
        left.retain(|(at, name)| {
            // Health exports and feeds are XML as well.
            let archive = archive.as_mut();
            !StatementFile::may_be_another(Path::new(name))
                || archive.is_some_and(|archive| begins_statement(archive, *at))
        });
        let told = if archive.is_none() || left.len() > MAX_STATEMENTS {
            Some(code::ARCHIVE)
        } else {
            (left.is_empty() && named).then_some(code::NOT_A_STATEMENT)
        };
        left.truncate(MAX_STATEMENTS);
        Ok(Self {
            archive,
            name: path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            left,
            now: None,
            zone,
            read: 0,
            told,
        })
    }

    /// Bytes that were read, unpacked.
    pub(super) fn read(&mut self) -> u64 {
        let now = self.now.as_mut().map_or(0, |(_, statement)| statement.read());
        self.read.saturating_add(now)
    }

    /// One statement, unpacked into memory.
    fn unpack(&mut self, at: usize, name: &str) -> Result<StatementFile, SkipCode> {
        let archive = self.archive.as_mut().ok_or(code::ARCHIVE)?;
        let entry = archive.by_index(at).map_err(|_| code::ARCHIVE)?;
        let mut bytes = Vec::new();
        let read = entry.take(MAX_STATEMENT + 1).read_to_end(&mut bytes);
        if read.is_err() || bytes.len() as u64 > MAX_STATEMENT {
            return Err(code::ARCHIVE);
        }
        let content: StatementContent = Box::new(Cursor::new(bytes));
        StatementFile::of_bank(Path::new(name), content, self.zone).map_err(|_| SOURCE_UNREADABLE)
    }

    /// Where in the archive something is.
    fn place(&self, name: &str, line: u64) -> SourceLocation {
        SourceLocation {
            line,
            name: Some(format!("{}/{name}", self.name)),
        }
    }
}

/// The statements of a bank in an archive, by their names.
fn names(archive: &ZipArchive<BufReader<File>>) -> impl Iterator<Item = (usize, String)> + '_ {
    (0..archive.len()).filter_map(|at| {
        let name = archive.name_for_index(at)?.ok()?.into_owned();
        // What a Mac packs beside each file.
        let is_shadow = name.starts_with("__MACOSX/");
        (!is_shadow && StatementFile::is_of_bank(Path::new(&name))).then_some((at, name))
    })
}

/// Whether what is unpacked begins as a statement does.
fn begins_statement(archive: &mut ZipArchive<BufReader<File>>, at: usize) -> bool {
    const HEAD: u64 = 4096;
    let mut head = Vec::new();
    // What cannot be unpacked is named where it is read.
    match archive.by_index(at) {
        Ok(entry) => {
            entry.take(HEAD).read_to_end(&mut head).is_err() || super::statement::is_xml_statement(&head)
        }
        Err(_) => true,
    }
}

/// Whether an archive holds statements, by the names in it; one of XML is told by its name alone.
pub fn holds_statements(path: &Path) -> bool {
    let Ok(Some(archive)) = open_archive(path) else {
        return false;
    };
    let is_told = |name: &str| {
        !StatementFile::may_be_another(Path::new(name)) || name.to_ascii_lowercase().contains("camt")
    };
    names(&archive).any(|(_, name)| is_told(&name))
}

impl Iterator for ZippedStatements {
    type Item = (SourceLocation, Result<StatementItem, SkipCode>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(code) = self.told.take() {
                return Some((SourceLocation::line(0), Err(code)));
            }
            if let Some((name, statement)) = &mut self.now {
                if let Some((place, item)) = statement.next() {
                    let name = name.clone();
                    return Some((self.place(&name, place.line), item));
                }
                self.read = self.read.saturating_add(statement.read());
                self.now = None;
            }
            let (at, name) = self.left.pop_front()?;
            match self.unpack(at, &name) {
                Ok(statement) => self.now = Some((name, statement)),
                Err(code) => return Some((self.place(&name, 0), Err(code))),
            }
        }
    }
}
