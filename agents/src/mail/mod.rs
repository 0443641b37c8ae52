//! Mail as it lies in folders: `.eml`, Maildir, mbox.
//!
//! What: `Mailboxes`, which finds the mails of a source that were not read yet and whose time has come. Why: a folder that did not
//! change costs a walk, and an mbox of gigabytes that grew is read from where it grew. Not here: one format (`eml`, `mbox`),
//! what a mail means (each agent that reads mail).

pub mod eml;
pub mod mbox;

use crate::shared::{Changed, Report, SOURCE_UNREADABLE, SkipCode, SourceFile, read_whole, walked};
use eml::{Mail, NO_DATE};
use mbox::{Entry, Messages, is_separator};
use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufReader, Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
};
use toolcall_schema::{Timestamp, ids::sha256_hex};

/// Folders and files whose mail wants nothing of anybody, whatever their case, with or without a point before them.
const LEFT_OUT: [&str; 9] = [
    "trash",
    "deleted messages",
    "deleted items",
    "junk",
    "spam",
    "drafts",
    "templates",
    "unsent messages",
    "outbox",
];

/// So much of a place in an mbox is compared to see that it is still the same.
const MARK_BYTES: u64 = 256;

/// A mail that was not read before. Not `Debug`: nothing of it may be logged.
pub(crate) struct Found {
    pub(crate) mail: Mail,
    /// When it was sent.
    pub(crate) sent: Timestamp,
    /// A hash of its bytes: its name when it has none.
    pub(crate) content: String,
    /// Its mailbox says that the owner replied.
    pub(crate) answered: bool,
}

/// What was read of all mailboxes. In memory only: after a restart everything is looked at once more.
pub(crate) struct Mailboxes {
    /// Mails older than this, in milliseconds before the ingest, are left out.
    window_ms: i64,
    files: Changed,
    /// Files with a mail that is dated after the ingest that read them.
    later: BTreeMap<PathBuf, Timestamp>,
    /// How far each mbox was read.
    places: BTreeMap<PathBuf, Place>,
}

/// A separator in an mbox: before it everything was read, and its mail may still have been growing.
#[derive(Default)]
struct Place {
    offset: u64,
    lines: u64,
    /// The bytes from there on, as they were.
    mark: Vec<u8>,
}

/// What decides whether a mail is taken now.
#[derive(Clone, Copy)]
struct Look {
    at: Timestamp,
    window_ms: i64,
}

/// How a file holds mail.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// One mail.
    One { answered: bool },
    /// Many.
    Mbox,
}

impl Mailboxes {
    /// Reads mails that are younger than `window_ms` milliseconds.
    pub(crate) fn of_last(window_ms: i64) -> Self {
        Self {
            window_ms,
            files: Changed::default(),
            later: BTreeMap::new(),
            places: BTreeMap::new(),
        }
    }

    /// Gives `take` each mail of a source that is new and not older than the window, and returns the source's files.
    pub(crate) fn read(
        &mut self,
        source: &Path,
        at: Timestamp,
        report: &mut Report,
        take: &mut impl FnMut(Found),
    ) -> Vec<SourceFile> {
        let mail_folder = |folder: &Path| folder.join("cur").is_dir();
        let wanted = |path: &Path| form(source, path).is_some();
        let present = walked(source, &wanted, &mail_folder, report);
        let look = Look {
            at,
            window_ms: self.window_ms,
        };
        for file in &present {
            let due = self.later.get(&file.path).is_some_and(|later| *later <= at);
            if !self.files.is(file) && !due {
                continue;
            }
            self.later.remove(&file.path);
            let later = match form(source, &file.path) {
                Some(Form::One { answered }) => one(file, answered, look, report, take),
                Some(Form::Mbox) => {
                    let place = self.places.entry(file.path.clone()).or_default();
                    many(file, place, look, report, take).unwrap_or_else(|_| {
                        report.skip(SOURCE_UNREADABLE, &file.name, None);
                        None
                    })
                }
                // It was one when the folder was walked.
                None => None,
            };
            if let Some(later) = later {
                self.later.insert(file.path.clone(), later);
            }
        }
        present
    }

    /// Forgets what is not there any more.
    pub(crate) fn keep(&mut self, present: &[SourceFile]) {
        for path in self.files.gone(present) {
            self.later.remove(&path);
            self.places.remove(&path);
        }
    }
}

/// How a file of a source holds mail; `None`: it does not, or its mail is left out.
fn form(source: &Path, path: &Path) -> Option<Form> {
    let name = path.file_name()?.to_str()?;
    let below = path.strip_prefix(source).ok()?;
    let left_out = |part: &str| {
        let part = part.trim_start_matches('.');
        let part = part.rsplit_once('.').map_or(part, |(_, last)| last);
        LEFT_OUT.iter().any(|name| part.eq_ignore_ascii_case(name))
    };
    // A subfolder of Maildir++ is `.Archive.Trash`; a file's ending is no name.
    let bare = name.split_once('.').map_or(name, |(bare, _)| bare);
    let mut folders = below.parent().into_iter().flat_map(Path::components);
    if folders.any(|part| part.as_os_str().to_str().is_some_and(left_out))
        || (!below.as_os_str().is_empty() && left_out(bare))
    {
        return None;
    }
    if let Some(folder) = path.parent().filter(|folder| is_maildir(folder)) {
        let flags = name.rsplit_once([':', ';', '!']).map_or("", |(_, info)| info);
        let flags = flags.strip_prefix("2,").unwrap_or_default();
        let gone = flags.contains(['T', 'D']) || folder.ends_with("tmp");
        return (!gone).then_some(Form::One {
            answered: flags.contains('R'),
        });
    }
    match path.extension().and_then(|ending| ending.to_str()) {
        Some(ending) if ending.eq_ignore_ascii_case("eml") => Some(Form::One { answered: false }),
        Some(ending) if ending.eq_ignore_ascii_case("mbox") => Some(Form::Mbox),
        None if begins_with_a_separator(path) => Some(Form::Mbox),
        // A file that the owner named is a mail, whatever it is called.
        Some(_) | None if below.as_os_str().is_empty() => Some(if begins_with_a_separator(path) {
            Form::Mbox
        } else {
            Form::One { answered: false }
        }),
        Some(_) | None => None,
    }
}

/// Whether a folder is one of the three of a Maildir.
fn is_maildir(folder: &Path) -> bool {
    let is_part = ["cur", "new", "tmp"].iter().any(|name| folder.ends_with(name));
    let beside = |name| folder.with_file_name(name).is_dir();
    is_part && beside("cur") && beside("new")
}

fn begins_with_a_separator(path: &Path) -> bool {
    // A pipe would be waited for.
    if !path.is_file() {
        return false;
    }
    let mut line = Vec::new();
    let read = File::open(path).and_then(|file| file.take(512).read_to_end(&mut line));
    let end = line
        .iter()
        .position(|byte| *byte == b'\n')
        .map_or(line.len(), |at| at + 1);
    read.is_ok() && is_separator(line.get(..end).unwrap_or_default())
}

/// A file that is one mail. Returns when it is to be read again, if it is dated later.
fn one(
    file: &SourceFile,
    answered: bool,
    look: Look,
    report: &mut Report,
    take: &mut impl FnMut(Found),
) -> Option<Timestamp> {
    let read = read_whole(file).and_then(|bytes| judged(&bytes, answered, look));
    match read {
        Ok(Read::Now(found)) => take(*found),
        Ok(Read::Later(sent)) => return Some(sent),
        Ok(Read::Old) => {}
        Err(code) => report.skip(code, &file.name, None),
    }
    None
}

/// What is to be done with a mail.
enum Read {
    Now(Box<Found>),
    Later(Timestamp),
    /// Older than the window.
    Old,
}

fn judged(bytes: &[u8], answered: bool, look: Look) -> Result<Read, SkipCode> {
    // The head alone is a fraction of the work, and in an archive nearly all mails are old.
    if eml::sent(bytes).is_some_and(|sent| look.at.since(sent) >= look.window_ms) {
        return Ok(Read::Old);
    }
    let mail = eml::parse(bytes)?;
    let sent = mail.at.ok_or(NO_DATE)?;
    if sent > look.at {
        return Ok(Read::Later(sent));
    }
    Ok(Read::Now(Box::new(Found {
        mail,
        sent,
        content: sha256_hex(bytes),
        answered,
    })))
}

/// A file of many mails, from where it was left. Returns when the first mail that is dated later is to be read.
fn many(
    file: &SourceFile,
    place: &mut Place,
    look: Look,
    report: &mut Report,
    take: &mut impl FnMut(Found),
) -> io::Result<Option<Timestamp>> {
    let mut reader = File::open(&file.path)?;
    if mark(&mut reader, place.offset, place.mark.len() as u64)? != place.mark {
        // Compacted or another file: everything anew. The window knows what it has.
        *place = Place::default();
    }
    reader.seek(SeekFrom::Start(place.offset))?;
    let reader = BufReader::with_capacity(256 << 10, reader);
    let mut messages = Messages::new(reader, place.offset, place.lines);
    let (mut last, mut first_later, mut later) = (None, None, None::<Timestamp>);
    while let Some(Entry {
        at: begins,
        line,
        bytes,
    }) = messages.next_mail()?
    {
        last = Some((begins, line));
        match judged(&bytes, false, look) {
            Ok(Read::Now(found)) => take(*found),
            Ok(Read::Later(sent)) => {
                first_later = first_later.or(last);
                later = Some(later.map_or(sent, |first| first.min(sent)));
            }
            Ok(Read::Old) => {}
            Err(code) => report.skip(code, &file.name, Some(line)),
        }
    }
    // The last mail is read again when the file grows: it may not have been whole.
    if let Some((offset, line)) = first_later.or(last) {
        let mut reader = File::open(&file.path)?;
        *place = Place {
            offset,
            lines: line - 1,
            mark: mark(&mut reader, offset, MARK_BYTES)?,
        };
    }
    Ok(later)
}

fn mark(reader: &mut File, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut mark = Vec::new();
    reader.seek(SeekFrom::Start(offset))?;
    reader.take(length).read_to_end(&mut mark)?;
    Ok(mark)
}
