//! What the owner sees of a source before she allows it.
//!
//! What: a look into one file or folder, which a process of its own takes; an export's mapping with her answers; the names in a folder below hers.
//! Why: she allows what she has seen, and what is looked at reaches nothing before that. Not here: the process (`aura_process::source_preview`),
//! what a file is (`sources`), changing the owner's file (`settings`).

use crate::{
    config::{HomeConfig, look_at},
    gazetteer::far_towns,
    settings::{SettingsEditor, from_home, source_ref},
    sources::{self, place_below},
};
use agents::{
    contract::{
        AgentSetup, CalendarPlace, CsvAnswers, CsvMapping, CsvQuestion, CsvRecognition, OwnerProfile,
        SourcePaths, place_key,
    },
    source_preview::SourcePreview,
};
use aura_platform::user_folders;
use aura_process::{
    WorkerProgram,
    source_preview::{PreviewError, preview_in_child},
};
use chrono::{NaiveDate, NaiveDateTime};
use rustix::rand::{GetRandomFlags, getrandom};
use std::{
    collections::{BTreeMap, VecDeque},
    fs, io,
    path::{Component, Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use surfaces_base::backend::{
    BackendError,
    settings::{AskedStatement, SourceRef},
    source_look::{
        CsvAnswer, CsvQuestionView, CsvStatementView, FarTown, FolderReply, FolderView, ListedName,
        ListedNameKind, NamedPathReply, PlaceView, SourceContents, SourceLookReply, UnfitNames,
    },
};
use tokio::sync::Semaphore;
use toolcall_schema::{
    SourceKind, Timestamp,
    ids::{OwnerSeed, SecretKey},
    preview::StatementColumns,
};

/// Looks at once; each is a process of up to 768 MiB.
const AT_ONCE: usize = 2;

/// Looks into folders within [`MINUTE`].
const FOLDERS_A_MINUTE: usize = 60;
const MINUTE: Duration = Duration::from_mins(1);

/// Names of a folder that are shown.
const NAMES_MAX: usize = 200;

/// Characters of a mapping's name.
const NAME_MAX: usize = 40;

/// What bounds the looks.
#[derive(Debug, Clone)]
pub(crate) struct SourceLooks {
    at_once: Arc<Semaphore>,
    folders: Arc<Mutex<VecDeque<Instant>>>,
}

impl Default for SourceLooks {
    fn default() -> Self {
        Self {
            at_once: Arc::new(Semaphore::new(AT_ONCE)),
            folders: Arc::default(),
        }
    }
}

impl SourceLooks {
    /// Whether another folder may be looked into now.
    fn may_open(&self, now: Instant) -> bool {
        let mut times = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        while times
            .front()
            .is_some_and(|time| now.saturating_duration_since(*time) >= MINUTE)
        {
            times.pop_front();
        }
        let may = times.len() < FOLDERS_A_MINUTE;
        if may {
            times.push_back(now);
        }
        may
    }
}

impl SettingsEditor {
    /// What a source holds, as of `at`, an export by the columns that its owner chose. `key`: the agents', by which the owner's file knows places.
    ///
    /// # Errors
    /// Busy, or the owner's file cannot be used.
    pub async fn look_at(
        &self,
        (source, columns): (SourceRef, Option<StatementColumns>),
        at: Timestamp,
        key: &SecretKey,
    ) -> Result<SourceLookReply, BackendError> {
        let path = PathBuf::from(&source.path);
        let unfit = tokio::task::spawn_blocking(move || sources::unfit(&path));
        if let Some(unfit) = unfit.await.map_err(|_| BackendError::Busy)? {
            return Ok(SourceLookReply::Unfit(unfit));
        }
        let (preview, owner) = self.preview(source, columns, at).await?;
        Ok(match preview {
            Some(preview) => SourceLookReply::Holds(Box::new(contents(preview, &owner, at, key))),
            None => SourceLookReply::Ended,
        })
    }

    /// A look into a source; `None`: it came to nothing.
    async fn preview(
        &self,
        source: SourceRef,
        columns: Option<StatementColumns>,
        at: Timestamp,
    ) -> Result<(Option<SourcePreview>, OwnerProfile), BackendError> {
        let _permit = self
            .looks
            .at_once
            .acquire()
            .await
            .map_err(|_| BackendError::Stopping)?;
        let file = self.file.clone();
        let looked = tokio::task::spawn_blocking(move || {
            let text = file.read().map_err(|_| BackendError::Store)?.text;
            let mut home = HomeConfig::from_text(&file.path, &text).map_err(|_| BackendError::Store)?;
            home.sources = SourcePaths::default();
            home.sources
                .list_mut(source.list)
                .push(PathBuf::from(&source.path));
            if let Err(error) = home.fits(&file.path, &file.data) {
                tracing::warn!(%error, "a source could not be looked into");
                return Ok((None, home.owner));
            }
            let preview = preview(source.list, Path::new(&source.path), &home.owner, (columns, at))
                .inspect_err(|error| tracing::warn!(%error, "a source could not be looked into"));
            Ok((preview.ok().flatten(), home.owner))
        });
        looked.await.map_err(|_| BackendError::Busy)?
    }

    /// How an export is read, with what its owner said of it; in words why not.
    pub(crate) async fn answered_mapping(
        &self,
        answer: &CsvAnswer,
        at: Timestamp,
    ) -> Result<Result<CsvMapping, &'static str>, BackendError> {
        let Some(source) = source_ref(SourceKind::Finance, Path::new(&answer.path)) else {
            return Ok(Err("the file's name is no text"));
        };
        let columns = answer.columns.clone();
        let is_chosen = columns.is_some();
        let (preview, _) = self.preview(source, columns, at).await?;
        let recognition = preview.and_then(|preview| preview.csv);
        if is_chosen && recognition.as_ref().is_some_and(|csv| csv.rows.is_empty()) {
            return Ok(Err("no row can be read with these columns"));
        }
        Ok(
            recognition.map_or(Err("the file is no statement that I know how to read"), |csv| {
                mapping_of(&csv, answer)
            }),
        )
    }

    /// Where files of these names are among the statements that are read, each name once. Blocks.
    pub(crate) fn asked_statements(&self, names: &[String]) -> Vec<AskedStatement> {
        let text = self.file.read().ok();
        let home = text.and_then(|now| HomeConfig::from_text(&self.file.path, &now.text).ok());
        home.map_or_else(Vec::new, |home| asked_in(&home.sources.finance, names))
    }

    /// The names in a folder below the owner's. Blocks.
    pub(crate) fn list_folder(&self, below: &str) -> FolderReply {
        if !self.looks.may_open(Instant::now()) {
            return FolderReply::TooOften;
        }
        let names = user_folders::home().and_then(|home| names_in(&home, Path::new(below)));
        names.map_or(FolderReply::NotThere, FolderReply::Names)
    }

    /// The source that a path names, as `list` or as what it holds. Blocks.
    pub(crate) fn name_source(&self, path: &str, list: Option<SourceKind>) -> NamedPathReply {
        if !self.looks.may_open(Instant::now()) {
            return NamedPathReply::TooOften;
        }
        source_at(&from_home(path), list)
    }
}

/// The source at a path, as `list` or as what it holds.
fn source_at(path: &Path, list: Option<SourceKind>) -> NamedPathReply {
    if !path.is_absolute() || fs::metadata(path).is_err() {
        return NamedPathReply::NotThere;
    }
    let source = list
        .or_else(|| sources::kind_of(path))
        .and_then(|list| source_ref(list, path));
    source.map_or(NamedPathReply::Unclear, NamedPathReply::Source)
}

/// Those of the names that are there: a source itself, or in it. An agent names a file by its place in its source.
fn asked_in(sources: &[PathBuf], names: &[String]) -> Vec<AskedStatement> {
    let places = |name: &String| {
        let named = sources.iter().map(|source| {
            let is_it = source.file_name().is_some_and(|known| known == name.as_str());
            let path = if is_it { source.clone() } else { source.join(name) };
            (source.clone(), path, name.clone())
        });
        named.collect::<Vec<_>>()
    };
    let places: Vec<(PathBuf, PathBuf, String)> = names.iter().flat_map(places).collect();
    let paths: Vec<PathBuf> = places.iter().map(|(_, path, _)| path.clone()).collect();
    let there: BTreeMap<PathBuf, bool> = look_at(&paths, Path::is_file).into_iter().collect();
    let is_there = |(_, path, _): &(PathBuf, PathBuf, String)| there.get(path) == Some(&true);
    let asked = places
        .into_iter()
        .filter(is_there)
        .filter_map(|(source, path, name)| {
            let name = Path::new(&name).file_name()?.to_str()?.to_owned();
            let (source, path) = (source.to_str()?.to_owned(), path.to_str()?.to_owned());
            Some(AskedStatement { source, path, name })
        });
    let mut asked: Vec<AskedStatement> = asked.collect();
    asked.dedup_by(|a, b| a.path == b.path);
    asked
}

fn mapping_of(csv: &CsvRecognition, answer: &CsvAnswer) -> Result<CsvMapping, &'static str> {
    let stem = Path::new(&answer.path)
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default();
    let name = csv.bank.as_deref().unwrap_or(stem);
    let answers = CsvAnswers {
        money_out: answer.money_out,
        day_first: answer.day_first,
        currency: answer.currency.clone(),
        account: None,
        name: Some(name.chars().filter(|c| !c.is_control()).take(NAME_MAX).collect()),
    };
    csv.answered(&answers).map_err(|open| match open {
        CsvQuestion::MoneyOut { .. } => "it is not said whether the amount is money out",
        CsvQuestion::DayFirst { .. } => "it is not said which day the date is",
        CsvQuestion::Currency => "the currency is not one of three letters that banks use, such as EUR",
    })
}

/// Has a process of its own look at one source, with that path alone and a key that is forgotten with it.
fn preview(
    kind: SourceKind,
    path: &Path,
    owner: &OwnerProfile,
    (columns, at): (Option<StatementColumns>, Timestamp),
) -> Result<Option<SourcePreview>, PreviewError> {
    let mut sources = SourcePaths::default();
    sources.list_mut(kind).push(path.to_owned());
    let mut key = [0; 32];
    getrandom(&mut key[..], GetRandomFlags::empty()).map_err(io::Error::from)?;
    let setup = AgentSetup {
        key: OwnerSeed::from_bytes(key).key("preview"),
        owner: owner.clone(),
        sources,
    };
    preview_in_child(&WorkerProgram::default(), kind.agent(), &setup, at, columns)
}

fn contents(preview: SourcePreview, owner: &OwnerProfile, at: Timestamp, key: &SecretKey) -> SourceContents {
    let names: Vec<&str> = preview.places.iter().map(|named| &*named.name).collect();
    let towns = match owner.home {
        Some(home) if !names.is_empty() => far_towns(&names, home),
        _ => vec![None; names.len()],
    };
    let place = |(named, town): (CalendarPlace, Option<FarTown>)| {
        let place = place_key(key, &named.name);
        PlaceView {
            minutes: owner.calendar.minutes_to(&place),
            place,
            name: named.name,
            town,
        }
    };
    SourceContents {
        places: preview.places.into_iter().zip(towns).map(place).collect(),
        figures: preview.figures,
        csv: preview.csv.map(statement),
        at,
        zone: owner.zone.name().to_owned(),
    }
}

fn statement(csv: CsvRecognition) -> CsvStatementView {
    let columns = csv.columns_in_use();
    let question = |question: CsvQuestion| match question {
        CsvQuestion::MoneyOut { amount, payee, .. } => CsvQuestionView::MoneyOut { amount, payee },
        CsvQuestion::DayFirst {
            text,
            day_first,
            month_first,
        } => CsvQuestionView::DayFirst {
            day_first: day_by(&text, &day_first),
            month_first: day_by(&text, &month_first),
            text,
        },
        CsvQuestion::Currency => CsvQuestionView::Currency,
    };
    CsvStatementView {
        name: csv.bank,
        rows: csv.rows,
        questions: csv.questions.into_iter().map(question).collect(),
        names: csv.columns.into_iter().map(|column| column.name).collect(),
        columns,
    }
}

/// A date as one of these formats reads it, `2026-04-03`.
fn day_by(text: &str, formats: &[String]) -> String {
    let day = formats.iter().find_map(|format| {
        let date = NaiveDate::parse_from_str(text, format);
        date.or_else(|_| NaiveDateTime::parse_from_str(text, format).map(|at| at.date()))
            .ok()
    });
    day.map_or_else(|| text.to_owned(), |day| day.to_string())
}

/// The names in the folder at `below`; hidden ones are left out, and a link leads nowhere outside. `None`: it is not there.
fn names_in(home: &Path, below: &Path) -> Option<FolderView> {
    let is_plain = below
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    let home = fs::canonicalize(home).ok()?;
    let folder = fs::canonicalize(home.join(below)).ok()?;
    if !is_plain || !folder.starts_with(&home) {
        return None;
    }
    let mut found: Vec<PathBuf> = fs::read_dir(&folder)
        .ok()?
        .flatten()
        .filter(|entry| !entry.file_name().as_encoded_bytes().starts_with(b"."))
        .map(|entry| entry.path())
        .collect();
    found.sort();
    let (mut entries, mut others) = (Vec::new(), Vec::new());
    for path in &found {
        match entry(&home, path) {
            Some(entry) => entries.push(entry),
            None => others.push(path.as_path()),
        }
    }
    // Folders first, as file managers have them; each part stays in its order.
    entries.sort_by_key(|entry| matches!(entry.is, ListedNameKind::File(_)));
    let more = entries.len().saturating_sub(NAMES_MAX);
    entries.truncate(NAMES_MAX);
    let shown = folder.strip_prefix(&home).ok()?;
    let up = shown.parent().and_then(Path::to_str).map(str::to_owned);
    let place = if shown.as_os_str().is_empty() {
        "~".to_owned()
    } else {
        place_below(&folder, &home)
    };
    let whole = up
        .is_some()
        .then(|| sources::kind_of(&folder).and_then(|kind| source_ref(kind, &folder)))
        .flatten();
    Some(FolderView {
        place,
        up,
        whole,
        entries,
        unfit: unfit_names(others),
        more,
    })
}

/// Of files that cannot be read, those that say what should be chosen in their place.
fn unfit_names(others: Vec<&Path>) -> Vec<UnfitNames> {
    let mut found: BTreeMap<_, UnfitNames> = BTreeMap::new();
    let may_be = others.into_iter().filter(|path| sources::may_be_unfit(path));
    for path in may_be.take(NAMES_MAX) {
        let name = path.file_name().and_then(|name| name.to_str());
        let Some((file, name)) = sources::unfit(path).zip(name) else {
            continue;
        };
        let first = || UnfitNames {
            file,
            first: name.to_owned(),
            more: 0,
        };
        found
            .entry(file)
            .and_modify(|names| names.more += 1)
            .or_insert_with(first);
    }
    found.into_values().collect()
}

/// A name that can be opened or read; `None`: neither.
fn entry(home: &Path, path: &Path) -> Option<ListedName> {
    let name = path.file_name()?.to_str()?.to_owned();
    let real = fs::canonicalize(path)
        .ok()
        .filter(|real| real.starts_with(home))?;
    let is = if real.is_dir() {
        ListedNameKind::Folder(real.strip_prefix(home).ok()?.to_str()?.to_owned())
    } else if real.is_file() {
        let is_table = path
            .extension()
            .is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
        // A table that no rule knows may be a statement: the look tells.
        let kind = sources::kind_of(path).or(is_table.then_some(SourceKind::Finance))?;
        ListedNameKind::File(source_ref(kind, path)?)
    } else {
        return None;
    };
    Some(ListedName { name, is })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use surfaces_base::backend::source_look::UnfitFile;

    #[test]
    fn names_below_the_owners_folder_are_listed_and_nothing_above_or_hidden() {
        let (outside, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let home = fs::canonicalize(dir.path()).unwrap();
        for folder in ["Bank", "Pictures", ".secret", "Bank/old"] {
            fs::create_dir(home.join(folder)).unwrap();
        }
        for file in [
            "Bank/a.ofx",
            "Bank/b.csv",
            "Bank/photo.jpg",
            "Bank/.hidden.ofx",
            "note.txt",
        ] {
            fs::write(home.join(file), "").unwrap();
        }
        for name in ["old sheet.xls", "older sheet.xls"] {
            fs::write(home.join("Bank").join(name), b"\xD0\xCF\x11\xE0").unwrap();
        }
        symlink(outside.path(), home.join("Away")).unwrap();
        let top = names_in(&home, Path::new("")).unwrap();
        let names = |view: &FolderView| {
            view.entries
                .iter()
                .map(|entry| entry.name.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!((top.place.as_str(), &top.up, &top.whole), ("~", &None, &None));
        assert_eq!(names(&top), ["Bank", "Pictures"]);
        let bank = names_in(&home, Path::new("Bank")).unwrap();
        assert_eq!((bank.place.as_str(), bank.up.as_deref()), ("~/Bank", Some("")));
        assert_eq!(names(&bank), ["old", "a.ofx", "b.csv"]);
        // The picture is empty, so nothing is known against it.
        let sheets = UnfitNames {
            file: UnfitFile::Spreadsheet,
            first: "old sheet.xls".to_owned(),
            more: 1,
        };
        assert_eq!(bank.unfit, [sheets]);
        let source = |name: &str| SourceRef {
            list: SourceKind::Finance,
            path: home.join("Bank").join(name).to_str().unwrap().to_owned(),
        };
        assert_eq!(bank.entries[0].is, ListedNameKind::Folder("Bank/old".to_owned()));
        assert_eq!(bank.entries[1].is, ListedNameKind::File(source("a.ofx")));
        // The table is empty, so only the statement says what the folder is.
        assert_eq!(
            bank.whole,
            Some(source("")).map(|mut whole| {
                whole.path = home.join("Bank").to_str().unwrap().to_owned();
                whole
            })
        );
        for refused in ["..", "Bank/../..", "/etc", "Away", "gone", "note.txt"] {
            assert_eq!(names_in(&home, Path::new(refused)), None, "{refused}");
        }
    }

    #[test]
    fn a_statement_that_asks_is_found_as_a_source_and_in_one_while_it_is_there() {
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str| dir.path().join(path);
        fs::create_dir_all(at("Bank/old")).unwrap();
        for file in ["Bank/old/SPAREN.csv", "single.csv"] {
            fs::write(at(file), "").unwrap();
        }
        let names = ["old/SPAREN.csv", "single.csv", "gone.csv"].map(str::to_owned);
        let asked = asked_in(&[at("Bank"), at("single.csv")], &names);
        let text = |path: &str| at(path).to_str().unwrap().to_owned();
        let expected = [
            ("Bank", "Bank/old/SPAREN.csv", "SPAREN.csv"),
            ("single.csv", "single.csv", "single.csv"),
        ];
        let expected = expected.map(|(source, path, name)| AskedStatement {
            source: text(source),
            path: text(path),
            name: name.to_owned(),
        });
        assert_eq!(asked, expected);
    }

    #[test]
    fn a_path_is_a_source_as_what_it_holds_or_as_its_owner_says() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let bank = file(
            "umsaetze.csv",
            "Buchungstag;Empfänger;Betrag (EUR)\n29.08.2026;Bäcker;-20,29\n",
        );
        let notes = file("notes.csv", "a,b\n1,2\n");
        let source = |list, path: &Path| NamedPathReply::Source(source_ref(list, path).unwrap());
        for (path, list, expected) in [
            (&bank, None, source(SourceKind::Finance, &bank)),
            (&notes, None, NamedPathReply::Unclear),
            (
                &notes,
                Some(SourceKind::Wellness),
                source(SourceKind::Wellness, &notes),
            ),
            (&folder.path().join("gone.csv"), None, NamedPathReply::NotThere),
            (
                &folder.path().join("gone"),
                Some(SourceKind::Mail),
                NamedPathReply::NotThere,
            ),
            (&PathBuf::from("umsaetze.csv"), None, NamedPathReply::NotThere),
        ] {
            assert_eq!(source_at(path, list), expected, "{path:?}");
        }
    }

    #[test]
    fn folders_are_opened_sixty_times_a_minute() {
        let looks = SourceLooks::default();
        let begin = Instant::now();
        assert!((0..60).all(|_| looks.may_open(begin)));
        assert!(!looks.may_open(begin + Duration::from_secs(59)));
        assert!(looks.may_open(begin + MINUTE));
    }

    #[test]
    fn a_date_is_shown_by_both_readings() {
        let formats = |format: &str| vec![format.to_owned()];
        assert_eq!(day_by("03/04/2026", &formats("%d/%m/%Y")), "2026-04-03");
        assert_eq!(day_by("03/04/2026", &formats("%m/%d/%Y")), "2026-03-04");
        assert_eq!(
            day_by("03/04/2026 08:15", &formats("%d/%m/%Y %H:%M")),
            "2026-04-03"
        );
        assert_eq!(day_by("?", &formats("%d/%m/%Y")), "?");
    }
}
