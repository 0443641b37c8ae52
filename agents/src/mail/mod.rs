//! Mail as it lies in folders: `.eml`, Maildir, mbox.
//!
//! What: [`Mailboxes`], which finds the mails of a source that were not read yet and whose time has come. Why: a folder that did not
//! change costs a walk, and an mbox of gigabytes that grew is read from where it grew. Not here: one format (`eml`, `mbox`),
//! what a mail means (each agent that reads mail).

pub mod eml;
pub mod mbox;

use crate::shared::{Changed, Report, SOURCE_UNREADABLE, SkipCode, SourceFile, read_whole, walked};
use eml::{Mail, NO_DATE};
use mbox::{Entry, Messages, is_separator};
use memchr::memmem;
use serde::{Deserialize, Serialize};
use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::{self, BufReader, Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
};
use toolcall_schema::{
    Timestamp,
    ids::{Key, hex, sha256_hex},
};

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

/// So much of a file of one mail is read to see how old the mail is.
const HEAD_BYTES: u64 = 16 << 10;

/// What opening a file counts as, in bytes of an ingest's slice.
const FILE_BYTES: u64 = 4 << 10;

/// A mail that was not read before. Not `Debug`: nothing of it may be logged.
pub(crate) struct Found {
    pub(crate) mail: Mail,
    /// When it was sent.
    pub(crate) sent: Timestamp,
    /// A hash of its head: its name when it has none, the same while the mail still grows.
    pub(crate) content: String,
    /// Its mailbox says that the owner replied.
    pub(crate) answered: bool,
}

/// What was read of all mailboxes. Files of one mail are in memory only: after a restart their heads are looked at once more.
pub(crate) struct Mailboxes {
    /// Mails older than this, in milliseconds before the ingest, are left out.
    window_ms: i64,
    /// For the hashes of marks.
    key: Option<Key>,
    files: Changed,
    /// Files with a mail that is dated after the ingest that read them.
    later: BTreeMap<PathBuf, Timestamp>,
    /// How far each mbox was read, by the file's key.
    places: BTreeMap<String, Place>,
    /// Files that had no room in the last ingest, or not all of them.
    unfinished: BTreeSet<PathBuf>,
}

/// A separator in an mbox: before it everything was read, and its mail may still have been growing. Holds no text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Place {
    /// Bytes before it.
    offset: u64,
    /// Lines before it.
    lines: u64,
    /// How many bytes from there on were hashed, to see that it is still the same file.
    length: u64,
    /// Their hash, 16 hexadecimal digits.
    mark: String,
    /// Bytes and lines before the first mail that is dated later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    waits: Option<(u64, u64)>,
}

/// What decides whether a mail is taken now.
#[derive(Clone, Copy)]
struct Look {
    at: Timestamp,
    window_ms: i64,
}

impl Look {
    /// Whether a mail with this head is older than the window.
    fn is_old(self, head: &[u8]) -> bool {
        eml::sent(head).is_some_and(|sent| self.at.since(sent) >= self.window_ms)
    }
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
            key: None,
            files: Changed::default(),
            later: BTreeMap::new(),
            places: BTreeMap::new(),
            unfinished: BTreeSet::new(),
        }
    }

    /// The same, with places whose hashes are keyed, so that they may stand in an agent's state.
    pub(crate) fn keyed(mut self, key: Key) -> Self {
        self.key = Some(key);
        self
    }

    /// How far each mbox was read, by the file's key: for the agent's state.
    pub(crate) fn places(&self) -> BTreeMap<String, Place> {
        self.places.clone()
    }

    /// Goes on where [`Mailboxes::places`] was. A mail that is dated later is found anew: reading begins before it.
    pub(crate) fn restore(&mut self, places: BTreeMap<String, Place>) {
        self.places = places;
    }

    /// Gives `take` each mail of a source that is new and not older than the window, and returns the source's files. What has no
    /// room in this ingest is left to the next.
    pub(crate) fn read(
        &mut self,
        source: &Path,
        at: Timestamp,
        report: &mut Report,
        take: &mut impl FnMut(Found),
    ) -> Vec<SourceFile> {
        let forms = Forms::of(source);
        let mail_folder = |folder: &Path| folder.join("cur").is_dir();
        let present = walked(source, &|path| forms.form(path).is_some(), &mail_folder, report);
        let look = Look {
            at,
            window_ms: self.window_ms,
        };
        for file in &present {
            let due = self.later.get(&file.path).is_some_and(|later| *later <= at);
            let unfinished = self.unfinished.remove(&file.path);
            if !(self.files.is(file) | due | unfinished) {
                continue;
            }
            if !report.has_room() {
                let read = self.places.get(&file.key).map_or(0, |place| place.offset);
                report.leave(file.len.saturating_sub(read).max(1));
                self.unfinished.insert(file.path.clone());
                continue;
            }
            match forms.form(&file.path) {
                Some(Form::One { answered }) => {
                    match one(file, answered, look, report, take) {
                        Some(later) => self.later.insert(file.path.clone(), later),
                        None => self.later.remove(&file.path),
                    };
                }
                Some(Form::Mbox) => {
                    if self.many(file, due, look, report, take).is_err() {
                        report.skip(SOURCE_UNREADABLE, &file.name, None);
                    }
                }
                // It was one when the folder was walked.
                None => {}
            }
        }
        present
    }

    /// Reads a file of many mails from where it was left, or where one waits that is due. It is left between two mails when there
    /// is no room.
    fn many(
        &mut self,
        file: &SourceFile,
        due: bool,
        look: Look,
        report: &mut Report,
        take: &mut impl FnMut(Found),
    ) -> io::Result<()> {
        let key = self.key.clone();
        let mut place = self.places.get(&file.key).cloned().unwrap_or_default();
        let mut later = self.later.remove(&file.path).filter(|later| *later > look.at);
        let mut reader = File::open(&file.path)?;
        if mark(&mut reader, place.offset, place.length, key.as_ref())? != place.mark {
            // Compacted or another file: everything anew. The agent knows what it has.
            place = Place::default();
        }
        if due || later.is_none() {
            // What waited is read now, or was not read by this process.
            (place.offset, place.lines) = place.waits.take().unwrap_or((place.offset, place.lines));
        }
        let begin = place.offset;
        reader.seek(SeekFrom::Start(begin))?;
        let reader = BufReader::with_capacity(256 << 10, reader);
        let mut messages = Messages::new(reader, begin, place.lines);
        // The last mail is read again when the file grows: it may not have been whole.
        let mut stop = None;
        let mut counted = begin;
        while let Some(Entry {
            at: begins,
            line,
            bytes,
        }) = messages.next_mail()?
        {
            stop = Some((begins, line));
            match judged(&bytes, false, look) {
                Ok(Read::Now(found)) => take(*found),
                Ok(Read::Later(sent)) => {
                    place.waits = place.waits.or(Some((begins, line - 1)));
                    later = Some(later.map_or(sent, |first| first.min(sent)));
                }
                Ok(Read::Old) => {}
                Err(code) => report.skip(code, &file.name, Some(line)),
            }
            let next = messages.next_begins();
            let end = next.map_or(file.len, |(next, _)| next);
            report.take(end.saturating_sub(counted));
            counted = end;
            if next.is_some() && !report.has_room() {
                stop = next;
                report.leave(file.len.saturating_sub(end));
                self.unfinished.insert(file.path.clone());
                break;
            }
        }
        if let Some((offset, line)) = stop {
            let mut reader = File::open(&file.path)?;
            place.offset = offset;
            place.lines = line - 1;
            place.length = MARK_BYTES.min(file.len.saturating_sub(offset));
            place.mark = mark(&mut reader, offset, place.length, key.as_ref())?;
        }
        if let Some(later) = later {
            self.later.insert(file.path.clone(), later);
        }
        self.places.insert(file.key.clone(), place);
        Ok(())
    }

    /// Forgets what is not there any more.
    pub(crate) fn keep(&mut self, present: &[SourceFile]) {
        for path in self.files.gone(present) {
            self.later.remove(&path);
            self.unfinished.remove(&path);
        }
        let keys: BTreeSet<&String> = present.iter().map(|file| &file.key).collect();
        self.places.retain(|key, _| keys.contains(key));
    }
}

/// How the files of one source hold mail. Which folders are Maildirs is looked up once each.
struct Forms<'a> {
    source: &'a Path,
    maildirs: RefCell<BTreeMap<PathBuf, bool>>,
}

impl<'a> Forms<'a> {
    fn of(source: &'a Path) -> Self {
        Self {
            source,
            maildirs: RefCell::default(),
        }
    }

    fn form(&self, path: &Path) -> Option<Form> {
        form(self.source, path, |folder| {
            if let Some(known) = self.maildirs.borrow().get(folder) {
                return *known;
            }
            let is = is_maildir(folder);
            self.maildirs.borrow_mut().insert(folder.to_owned(), is);
            is
        })
    }
}

/// How a file of a source holds mail; `None`: it does not, or its mail is left out.
fn form(source: &Path, path: &Path, is_maildir: impl Fn(&Path) -> bool) -> Option<Form> {
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
    // The head alone tells that a mail is old, and in an archive nearly all are.
    let head = head(file, HEAD_BYTES);
    report.take(head.as_ref().map_or(0, |head| head.len() as u64).max(FILE_BYTES));
    if head.is_ok_and(|head| whole_head(&head).is_some_and(|head| look.is_old(head))) {
        return None;
    }
    let read = read_whole(file).and_then(|bytes| {
        report.take(bytes.len() as u64);
        judged(&bytes, answered, look)
    });
    match read {
        Ok(Read::Now(found)) => take(*found),
        Ok(Read::Later(sent)) => return Some(sent),
        Ok(Read::Old) => {}
        Err(code) => report.skip(code, &file.name, None),
    }
    None
}

fn head(file: &SourceFile, most: u64) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    File::open(&file.path)?.take(most).read_to_end(&mut head)?;
    Ok(head)
}

/// The head of a mail, when all of it is there: up to the first empty line.
fn whole_head(bytes: &[u8]) -> Option<&[u8]> {
    let end = memmem::find(bytes, b"\n\n")
        .into_iter()
        .chain(memmem::find(bytes, b"\n\r\n"))
        .min()?;
    bytes.get(..=end)
}

/// What is to be done with a mail.
enum Read {
    Now(Box<Found>),
    Later(Timestamp),
    /// Older than the window.
    Old,
}

fn judged(bytes: &[u8], answered: bool, look: Look) -> Result<Read, SkipCode> {
    let head = whole_head(bytes).unwrap_or(bytes);
    // The head alone is a fraction of the work, and in an archive nearly all mails are old.
    if look.is_old(head) {
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
        content: sha256_hex(head),
        answered,
    })))
}

/// A hash of `length` bytes of a file from `offset` on; nothing for none.
fn mark(reader: &mut File, offset: u64, length: u64, key: Option<&Key>) -> io::Result<String> {
    if length == 0 {
        return Ok(String::new());
    }
    let mut bytes = Vec::new();
    reader.seek(SeekFrom::Start(offset))?;
    reader.take(length).read_to_end(&mut bytes)?;
    let hash = key.map_or_else(|| sha256_hex(&bytes), |key| hex(&key.mac(&[b"mbox", &bytes])));
    Ok(hash.chars().take(16).collect())
}
