//! A statement or journal of any format.
//!
//! What: [`StatementFile`], which format a file has by its name or its first bytes, and its items. Why: whoever reads files need not know the formats.
//! Not here: the formats (`ofx`, `camt`, `mt940`, `csv`, `journal`, `beancount`).

use super::{
    SourceLocation, StatementItem,
    beancount::BeancountJournal,
    camt::{CamtStatement, begins_camt},
    csv::{CsvReadingContext, CsvStatement},
    csv_rows::as_utf8,
    inputs::JournalInput,
    journal::HledgerJournal,
    mt940::{Mt940Statement, begins_mt940},
    ofx::OfxStatement,
    xml_input::as_utf8_xml,
    zipped::ZippedStatements,
};
use crate::claim::CsvReading;
use agents_base::{contract::FinancePreferences, shared::SkipCode};
use chrono_tz::Tz;
use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    path::Path,
};

/// Bytes that are read from a file at once.
const BUFFER: usize = 256 * 1024;

pub(super) type StatementContent = Box<dyn BufRead + Send>;

/// A file that is read.
pub(crate) enum StatementFile {
    Ofx(Box<OfxStatement<StatementContent>>),
    Camt(Box<CamtStatement<StatementContent>>),
    Mt940(Box<Mt940Statement<StatementContent>>),
    Csv(Box<CsvStatement<StatementContent>>),
    Journal(Box<HledgerJournal>),
    Beancount(Box<BeancountJournal>),
    Zipped(Box<ZippedStatements>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StatementFormat {
    Ofx,
    /// Statements of ISO 20022, or of OFX 2.
    Xml,
    Mt940,
    Csv,
    Journal,
    Beancount,
    /// An archive of a bank's statements.
    Zip,
}

fn format(path: &Path) -> Option<StatementFormat> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    match ending.as_str() {
        "ofx" | "qfx" => Some(StatementFormat::Ofx),
        "xml" | "camt" => Some(StatementFormat::Xml),
        "sta" | "940" | "mt940" => Some(StatementFormat::Mt940),
        "csv" => Some(StatementFormat::Csv),
        "journal" | "hledger" | "ledger" | "j" => Some(StatementFormat::Journal),
        "beancount" | "bean" => Some(StatementFormat::Beancount),
        "zip" => Some(StatementFormat::Zip),
        _ => None,
    }
}

/// Whether an XML file is a statement, by its first bytes; health exports and feeds have the same ending.
pub fn is_xml_statement(head: &[u8]) -> bool {
    begins_ofx(head) || begins_camt(head)
}

fn begins_ofx(head: &[u8]) -> bool {
    memchr::memmem::find(head, b"<OFX").is_some() || memchr::memmem::find(head, b"<?OFX").is_some()
}

impl StatementFile {
    /// Whether a file of this name is one.
    pub(crate) fn reads(path: &Path) -> bool {
        format(path).is_some()
    }

    /// Opens a file. `currency`: the owner's, for a CSV file that names none. What it includes is read with it when the owner named it; of a folder every file is read by itself.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub(crate) fn open(
        path: &Path,
        named: bool,
        (preferences, currency): (&FinancePreferences, Option<&str>),
        zone: Tz,
    ) -> io::Result<Self> {
        if format(path) == Some(StatementFormat::Zip) {
            let zipped = ZippedStatements::open(path, named, zone)?;
            return Ok(Self::Zipped(Box::new(zipped)));
        }
        let content: StatementContent = Box::new(BufReader::with_capacity(BUFFER, File::open(path)?));
        let input = |content| JournalInput {
            content,
            path: named.then(|| path.to_owned()),
        };
        Ok(match format(path) {
            Some(StatementFormat::Csv) => {
                let context = CsvReadingContext {
                    mappings: &preferences.csv,
                    currency,
                    zone,
                };
                Self::Csv(Box::new(CsvStatement::new(as_utf8(content)?, context)?))
            }
            Some(StatementFormat::Journal) => {
                Self::Journal(Box::new(HledgerJournal::new(input(content), zone)))
            }
            Some(StatementFormat::Beancount) => {
                Self::Beancount(Box::new(BeancountJournal::new(input(content), zone)))
            }
            Some(
                StatementFormat::Ofx | StatementFormat::Xml | StatementFormat::Mt940 | StatementFormat::Zip,
            )
            | None => Self::of_bank(path, content, zone)?,
        })
    }

    /// A statement in one of the banks' own formats: by its name, or by how it begins.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn of_bank(path: &Path, mut content: StatementContent, zone: Tz) -> io::Result<Self> {
        Ok(match format(path) {
            Some(StatementFormat::Mt940) => Self::Mt940(Box::new(Mt940Statement::new(content, zone))),
            Some(StatementFormat::Xml) if !begins_ofx(content.fill_buf()?) => Self::camt(content, zone)?,
            Some(StatementFormat::Ofx | StatementFormat::Xml) => {
                Self::Ofx(Box::new(OfxStatement::new(content, zone)))
            }
            // A file that the owner named, whatever it is called.
            _ if begins_camt(content.fill_buf()?) => Self::camt(content, zone)?,
            _ if begins_mt940(content.fill_buf()?) => {
                Self::Mt940(Box::new(Mt940Statement::new(content, zone)))
            }
            _ => Self::Ofx(Box::new(OfxStatement::new(content, zone))),
        })
    }

    /// Whether a file of this name is a statement in one of the banks' own formats.
    pub(super) fn is_of_bank(path: &Path) -> bool {
        let of_banks = [StatementFormat::Ofx, StatementFormat::Xml, StatementFormat::Mt940];
        format(path).is_some_and(|format| of_banks.contains(&format))
    }

    /// Whether a file of this name may be something else as well.
    pub(super) fn may_be_another(path: &Path) -> bool {
        format(path) == Some(StatementFormat::Xml)
    }

    fn camt(content: StatementContent, zone: Tz) -> io::Result<Self> {
        Ok(Self::Camt(Box::new(CamtStatement::new(
            as_utf8_xml(content)?,
            zone,
        ))))
    }

    /// Bytes that were read.
    pub(crate) fn read(&mut self) -> u64 {
        match self {
            Self::Ofx(ofx) => ofx.read(),
            Self::Camt(camt) => camt.read(),
            Self::Mt940(mt940) => mt940.read(),
            Self::Csv(csv) => csv.read(),
            Self::Journal(journal) => journal.read(),
            Self::Beancount(beancount) => beancount.read(),
            Self::Zipped(zipped) => zipped.read(),
        }
    }

    /// How an export is read, once its header was found. `key`: the file's.
    pub(crate) fn reading(&self, key: &str) -> Option<CsvReading> {
        match self {
            Self::Csv(csv) => csv.reading(key),
            Self::Ofx(_)
            | Self::Camt(_)
            | Self::Mt940(_)
            | Self::Journal(_)
            | Self::Beancount(_)
            | Self::Zipped(_) => None,
        }
    }

    /// Whether it is a journal that included another.
    pub(crate) fn has_included(&self) -> bool {
        match self {
            Self::Ofx(_) | Self::Camt(_) | Self::Mt940(_) | Self::Csv(_) | Self::Zipped(_) => false,
            Self::Journal(journal) => journal.has_included(),
            Self::Beancount(beancount) => beancount.has_included(),
        }
    }
}

impl Iterator for StatementFile {
    type Item = (SourceLocation, Result<StatementItem, SkipCode>);

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Ofx(ofx) => ofx.next(),
            Self::Camt(camt) => camt.next(),
            Self::Mt940(mt940) => mt940.next(),
            Self::Csv(csv) => csv.next(),
            Self::Journal(journal) => journal.next(),
            Self::Beancount(beancount) => beancount.next(),
            Self::Zipped(zipped) => zipped.next(),
        }
    }
}
