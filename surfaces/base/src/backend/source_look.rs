//! What the pages show of a source before it is allowed.
//!
//! What: [`SourceContents`], counts and a span; [`CsvStatementView`], an export as it would be read with what only the owner can say;
//! [`FolderView`], the names in a folder. Why: she sees what she allows. Not here: looking (`orchestrator`), sentences (`words`).

use super::settings::SourceRef;
use rust_decimal::Decimal;
use serde::Deserialize;
use toolcall_schema::{
    Timestamp,
    preview::{SourceFigures, StatementColumns, StatementRow},
};

/// What came of a look at a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceLookReply {
    Holds(Box<SourceContents>),
    /// The look ended without an answer: the file ended it, or it took too much.
    Ended,
    /// Nothing in it can be read as it is.
    Unfit(UnfitFile),
}

/// A file that people try first and that holds nothing readable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnfitFile {
    Spreadsheet,
    Picture,
    /// A PDF or a letter.
    Document,
    /// An archive with a password.
    LockedArchive,
}

/// What a source holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceContents {
    pub figures: SourceFigures,
    pub csv: Option<CsvStatementView>,
    /// Of a calendar: the places that it names without saying how far they are, the most frequent first.
    pub places: Vec<PlaceView>,
    /// When the look was taken, and where its owner is.
    pub at: Timestamp,
    pub zone: String,
}

/// A place that a calendar names, and what its owner said of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceView {
    /// How the owner's file knows it.
    pub place: String,
    pub name: String,
    /// Minutes from home; 0: there is no way.
    pub minutes: Option<u32>,
    /// The town that it names, where that is another than home.
    pub town: Option<FarTown>,
}

/// A town and how far it is from home, as the crow flies, rounded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FarTown {
    pub town: String,
    pub km: u32,
}

/// What its owner says of a place.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlaceAnswer {
    pub place: String,
    /// `None`: nothing any more.
    pub minutes: Option<u32>,
}

/// A bank's CSV export as it would be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CsvStatementView {
    /// What it was recognised as, or what its owner calls it.
    pub name: Option<String>,
    pub rows: Vec<StatementRow>,
    pub questions: Vec<CsvQuestionView>,
    /// The names of its columns, `#3` of one without a name, and which of them are read.
    pub names: Vec<String>,
    pub columns: StatementColumns,
}

/// What only the owner can say of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CsvQuestionView {
    MoneyOut {
        amount: Decimal,
        payee: String,
    },
    DayFirst {
        /// As it is written.
        text: String,
        /// What it is with the day first, and with the month first: `2026-04-03`, or as it is written.
        day_first: String,
        month_first: String,
    },
    Currency,
}

/// What its owner said of an export.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CsvAnswer {
    pub path: String,
    pub money_out: Option<bool>,
    pub day_first: Option<bool>,
    /// ISO 4217.
    pub currency: Option<String>,
    /// The columns that she chose herself.
    pub columns: Option<StatementColumns>,
}

/// What came of asking for the names in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FolderReply {
    Names(FolderView),
    /// It is not there, not below the owner's folder, or cannot be looked into.
    NotThere,
    /// Asked too often.
    TooOften,
}

/// What came of naming a source by its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamedPathReply {
    Source(SourceRef),
    /// Nothing is there, or it cannot be looked at.
    NotThere,
    /// Its name and its first bytes do not say what it holds.
    Unclear,
    /// Asked too often.
    TooOften,
}

/// The names in a folder below the owner's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FolderView {
    /// `~/Documents`
    pub place: String,
    /// The folder around it, below the owner's; `None`: this is the owner's.
    pub up: Option<String>,
    /// What the folder itself is, when all in it is of one kind.
    pub whole: Option<SourceRef>,
    pub entries: Vec<ListedName>,
    /// Files that their owner may have come for and that hold nothing readable, a row for each sort of them.
    pub unfit: Vec<UnfitNames>,
    /// Names that are not shown.
    pub more: usize,
}

/// Files of one sort that hold nothing readable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfitNames {
    pub file: UnfitFile,
    /// The name of the first, and how many more there are.
    pub first: String,
    pub more: usize,
}

/// A name in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedName {
    pub name: String,
    pub is: ListedNameKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListedNameKind {
    /// A folder, by its path below the owner's.
    Folder(String),
    /// A file that can be read.
    File(SourceRef),
}
