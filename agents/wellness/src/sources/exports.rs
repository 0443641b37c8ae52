//! Files that health apps export, and how far each was read.
//!
//! What: [`ExportReader`], which finds the exports of some sources and reads what is new. Why: one file can take many ingests, may still
//! be written, and a second look at it must cost nothing. Not here: the formats (`health`, `archive`, `fit`, `gadgetbridge`, `accounts`).

use super::{
    super::{code, novelty::ReadingNovelty},
    SourceReading, account_archive,
    accounts::{self, AccountFile},
    archive::{self, UnpackedExport},
    database, fit, gadgetbridge,
    health::{HealthExport, ReadStop, ReadingSink},
    health_connect,
};
use agents_base::shared::{self, IngestReport, ReadMark, SOURCE_UNREADABLE, SkipCode, SourceFile};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
};
use toolcall_schema::{
    Timestamp,
    ids::{SecretKey, hex},
};

/// Things that may wait because they are dated after the ingest that read them.
const MAX_WAITING: usize = 4096;
/// Files whose progress is kept.
const MAX_KEPT: usize = 256;
/// So many bytes before the place where reading stopped must be the same for it to go on there.
const SEAM_BYTES: u64 = 256;

/// A format, by the file's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExportFormat {
    Xml,
    Zip,
    Fit,
    Database,
    /// JSON of an account; of any other nothing is read, and that is said once for each file.
    Json,
}

impl ExportFormat {
    fn from_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        match name.rsplit_once('.').unwrap_or(("", name.as_str())) {
            // What Apple writes for physicians beside the export.
            (stem, "xml") => (!stem.ends_with("_cda")).then_some(Self::Xml),
            (_, "zip") => Some(Self::Zip),
            (_, "fit") => Some(Self::Fit),
            (_, "db" | "sqlite" | "sqlite3") | ("", "gadgetbridge") => Some(Self::Database),
            (_, "json") => Some(Self::Json),
            (_, _) => None,
        }
    }
}

/// How far a file was read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct ExportProgress {
    len: u64,
    modified_ms: i64,
    /// Of the export inside of an archive, unpacked.
    mark: ReadMark,
    /// All that there was.
    done: bool,
    /// A keyed hash of the bytes before the mark.
    seam: String,
    /// How much was too old so far, reported once at the end of the file.
    #[serde(default, skip_serializing_if = "is_zero")]
    too_old: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Reads exports. Not `Debug`: measurements wait in it.
#[derive(Default)]
pub(in super::super) struct ExportReader {
    files: BTreeMap<String, ExportProgress>,
    /// The archive that is being unpacked. After a restart it is unpacked again up to the mark.
    open: Option<(String, HealthExport<UnpackedExport>)>,
    /// What is dated later, with the file that told it.
    waiting: BTreeMap<(Timestamp, u64), (String, SourceReading)>,
    told: u64,
}

/// Whether a file is read here. JSON that the owner names as a source is taken for JSONL, unless it is that of an account.
pub(in super::super) fn is_export(path: &Path) -> bool {
    ExportFormat::from_path(path).is_some_and(|format| {
        format != ExportFormat::Json || account_file(path).is_ok_and(|file| file.is_some())
    })
}

/// Which file of an account one is, by its first bytes.
fn account_file(path: &Path) -> io::Result<Option<AccountFile>> {
    let mut head = Vec::new();
    // A pipe would be waited for.
    if path.is_file() {
        File::open(path)?
            .take(accounts::HEAD_BYTES)
            .read_to_end(&mut head)?;
    }
    Ok(AccountFile::from_head(&head))
}

/// Reads a database of an app.
///
/// # Errors
/// The code of the skip: it cannot be opened, or has none of the known tables.
pub(super) fn read_database(path: &Path, at: Timestamp, out: &mut ReadingSink<'_>) -> Result<(), SkipCode> {
    let database = database::open(path)?;
    let known = gadgetbridge::read(&database, at, out)? | health_connect::read(&database, at, out)?;
    if known { Ok(()) } else { Err(code::DATABASE) }
}

fn json(file: &SourceFile, out: &mut ReadingSink<'_>) -> Result<(), SkipCode> {
    match account_file(&file.path).map_err(|_| SOURCE_UNREADABLE)? {
        Some(format) => {
            let bytes = shared::read_whole(file)?;
            out.report.take(bytes.len() as u64);
            accounts::read_account(&bytes, format, out)
        }
        // Most files of an account hold nothing that is read.
        None if accounts::is_in_account(&file.path) => {
            out.report.note(code::NOTHING_READ, out.name);
            Ok(())
        }
        None => Err(code::NOTHING_READ),
    }
}

impl ExportReader {
    /// Hands each thing that is new and not dated after `at` to `each`, which says whether it was news.
    pub(in super::super) fn read(
        &mut self,
        sources: &[PathBuf],
        (key, zone): (&SecretKey, Tz),
        at: Timestamp,
        report: &mut IngestReport,
        each: &mut dyn FnMut(SourceReading) -> ReadingNovelty,
    ) {
        let later = self.waiting.split_off(&(at.plus_ms(1), 0));
        for (_, told) in std::mem::replace(&mut self.waiting, later).into_values() {
            if each(told) == ReadingNovelty::News {
                report.keep();
            }
        }
        let mut present = Vec::new();
        for source in sources {
            let wanted =
                |path: &Path| path != source && ExportFormat::from_path(path).is_some() || is_export(path);
            present.extend(shared::walk_sources(source, &wanted, &|_| false, report));
        }
        let keys: BTreeSet<&str> = present.iter().map(|file| file.key.as_str()).collect();
        self.files.retain(|key, _| keys.contains(key.as_str()));
        for file in &present {
            let Some(format) = ExportFormat::from_path(&file.path) else {
                continue;
            };
            let mut progress = self.files.remove(&file.key).unwrap_or_default();
            if !progress.is_of(file) {
                progress = progress.after_change(file, format, key);
                self.open.take_if(|(open, _)| *open == file.key);
            }
            if !progress.done {
                if report.has_room() {
                    self.read_on(file, format, &mut progress, (key, zone, at), report, each);
                } else {
                    report.leave(file, file.len.saturating_sub(progress.mark.offset).max(1));
                }
            }
            self.files.insert(file.key.clone(), progress);
        }
    }

    fn read_on(
        &mut self,
        file: &SourceFile,
        format: ExportFormat,
        progress: &mut ExportProgress,
        (key, zone, at): (&SecretKey, Tz, Timestamp),
        report: &mut IngestReport,
        each: &mut dyn FnMut(SourceReading) -> ReadingNovelty,
    ) {
        let Self {
            open,
            waiting,
            told: number,
            ..
        } = self;
        let (mut kept, mut lost, mut too_old) = (0_u32, 0, progress.too_old);
        let mut sort = |told: SourceReading| {
            if told.at() <= at {
                let outcome = each(told);
                kept = kept.saturating_add(u32::from(outcome == ReadingNovelty::News));
                too_old = too_old.saturating_add(u32::from(outcome == ReadingNovelty::TooOld));
            } else if waiting.len() < MAX_WAITING {
                *number += 1;
                waiting.insert((told.at(), *number), (file.key.clone(), told));
            } else {
                lost += 1;
            }
        };
        let mut out = ReadingSink {
            key,
            name: &file.name,
            zone,
            report,
            each: &mut sort,
        };
        progress.done = true;
        let read = match format {
            ExportFormat::Xml => xml(file, progress, &mut out),
            ExportFormat::Zip => zip(file, at, progress, open, &mut out),
            ExportFormat::Fit => shared::read_whole(file).map(|bytes| {
                out.report.take(bytes.len() as u64);
                fit::read(&bytes, &mut out);
            }),
            ExportFormat::Database => read_database(&file.path, at, &mut out),
            ExportFormat::Json => json(file, &mut out),
        };
        if let Err(code) = read {
            let line = (progress.mark.line > 0).then_some(progress.mark.line + 1);
            report.skip(code, &file.name, line);
        }
        report.skip_many(code::LATER, &file.name, None, lost);
        progress.too_old = too_old;
        if progress.done {
            report.skip_many(
                code::TOO_OLD,
                &file.name,
                None,
                std::mem::take(&mut progress.too_old),
            );
        }
        report.read = report.read.saturating_add(kept);
    }

    /// How far the large files were read, by the file's key: for the agent's state. One of which something waits is read again after a
    /// restart, so that nothing is lost; so are small ones, which tell nothing new.
    pub(in super::super) fn marks(&self) -> BTreeMap<String, ExportProgress> {
        let waits = |key: &String| self.waiting.values().any(|(file, _)| file == key);
        let large = self
            .files
            .iter()
            .filter(|(key, progress)| progress.mark.offset > 0 && !waits(key));
        large
            .take(MAX_KEPT)
            .map(|(key, progress)| (key.clone(), progress.clone()))
            .collect()
    }

    /// Goes on where [`ExportReader::marks`] was.
    pub(in super::super) fn restore(&mut self, marks: BTreeMap<String, ExportProgress>) {
        *self = Self {
            files: marks,
            ..Self::default()
        };
    }
}

impl ExportProgress {
    fn is_of(&self, file: &SourceFile) -> bool {
        (self.len, self.modified_ms) == (file.len, file.modified_ms)
    }

    /// Of a file that changed: where reading goes on in one that grew, the begin of another one.
    fn after_change(self, file: &SourceFile, format: ExportFormat, key: &SecretKey) -> Self {
        let grew = format == ExportFormat::Xml
            && self.mark.offset > 0
            && file.len >= self.mark.offset
            && File::open(&file.path)
                .and_then(|mut file| seam(&mut file, self.mark.offset, key))
                .is_ok_and(|seam| seam == self.seam);
        let from = if grew { self } else { Self::default() };
        Self {
            len: file.len,
            modified_ms: file.modified_ms,
            done: false,
            ..from
        }
    }
}

/// A keyed hash of the bytes before a place.
fn seam(file: &mut File, offset: u64, key: &SecretKey) -> io::Result<String> {
    let mut bytes = Vec::new();
    let from = offset.saturating_sub(SEAM_BYTES);
    file.seek(SeekFrom::Start(from))?;
    file.take(offset - from).read_to_end(&mut bytes)?;
    Ok(hex(key.mac(&[b"seam", &bytes]).get(..8).unwrap_or_default()))
}

fn xml(file: &SourceFile, progress: &mut ExportProgress, out: &mut ReadingSink<'_>) -> Result<(), SkipCode> {
    let unreadable = |_: io::Error| SOURCE_UNREADABLE;
    let mut input = File::open(&file.path).map_err(unreadable)?;
    input
        .seek(SeekFrom::Start(progress.mark.offset))
        .map_err(unreadable)?;
    let mut export = HealthExport::new(input, progress.mark);
    let read = export.read(out);
    progress.mark = export.resume_at();
    let stop = read.map_err(unreadable)?;
    let mut input = File::open(&file.path).map_err(unreadable)?;
    progress.seam = seam(&mut input, progress.mark.offset, out.key).map_err(unreadable)?;
    stopped_at(stop, progress, (file, file.len), out.report)
}

fn zip(
    file: &SourceFile,
    at: Timestamp,
    progress: &mut ExportProgress,
    open: &mut Option<(String, HealthExport<UnpackedExport>)>,
    out: &mut ReadingSink<'_>,
) -> Result<(), SkipCode> {
    let mut export = match open.take() {
        Some((key, export)) if key == file.key => export,
        Some(_) | None => match archive::open(&file.path) {
            Ok(unpacked) => HealthExport::resuming(unpacked, progress.mark),
            Err(code) if code == code::NOT_HEALTH => {
                let read = account_archive::read_archive(&file.path, progress.mark.offset, at, out);
                // Among an account's files lie archives of other things.
                if read.as_ref().is_err_and(|code| *code == code::NOT_HEALTH)
                    && accounts::is_in_account(&file.path)
                {
                    out.report.note(code::NOTHING_READ, out.name);
                    return Ok(());
                }
                let rest = read?;
                progress.mark.offset = rest.done;
                progress.done = rest.left == 0;
                out.report.leave(file, rest.left);
                return Ok(());
            }
            Err(code) => return Err(code),
        },
    };
    let read = export.read(out);
    progress.mark = export.resume_at();
    let stop = read.map_err(|error| {
        if error.kind() == io::ErrorKind::FileTooLarge {
            code::BOMB
        } else {
            code::ZIP
        }
    })?;
    let len = export.source().len;
    if stop == ReadStop::Slice {
        *open = Some((file.key.clone(), export));
    }
    stopped_at(stop, progress, (file, len), out.report)
}

fn stopped_at(
    stop: ReadStop,
    progress: &mut ExportProgress,
    (file, len): (&SourceFile, u64),
    report: &mut IngestReport,
) -> Result<(), SkipCode> {
    match stop {
        ReadStop::End => Ok(()),
        ReadStop::Cut => Err(code::CUT),
        ReadStop::Other => Err(code::NOT_HEALTH),
        ReadStop::Slice => {
            progress.done = false;
            report.leave(file, len.saturating_sub(progress.mark.offset).max(1));
            Ok(())
        }
    }
}
