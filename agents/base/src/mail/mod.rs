//! Mail in folders: `.eml`, Maildir, mbox.
//!
//! What: [`MailboxReader`], which finds the mails of a source that were not read yet and whose time has come. Why: a folder that did not
//! change costs a walk, and an mbox of gigabytes that grew is read from where it grew. Not here: one format (`eml`, `mbox`),
//! what a mail means (each agent that reads mail).

mod counting;
pub mod eml;
mod fetched;
pub mod headers;
mod html;
mod listing;
mod local_parts;
pub mod mbox;
mod own;
#[cfg(test)]
mod tests;
pub mod zones;

use crate::shared::{
    ChangeTracker, IngestReport, SOURCE_UNREADABLE, SkipCode, SourceFile, SourceLocator, paths_of, read_whole,
};
pub use counting::{MailCount, count_mails};
pub use eml::LocatedSender;
use eml::{NO_DATE, ParsedMail};
pub use fetched::{
    FETCHED_AGAIN, FETCHED_FILE, FETCHED_GONE, FETCHED_HEADS, fetched_folder, fetched_folder_number,
};
pub use fetched::{bytes_beside_fetched, gone_of_fetched, look_at_fetched, look_at_fetched_again};
use fetched::{paths_of_fetched, place_of_fetched};
pub use listing::MailListing;
use listing::{MailFormat, MailFormats};
pub use listing::{is_drafts_folder, is_left_out_folder};
use mbox::{MboxEntry, MboxReader, WrittenStatus};
use memchr::memmem;
pub use own::OwnMailHead;
pub use own::is_sent_folder;
use own::{OwnMailFinder, is_in_sent_folder};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::{self, BufReader, Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
    sync::Arc,
};
use toolcall_schema::{
    Timestamp,
    ids::{SecretKey, hex, sha256_hex},
};

/// So much of a place in an mbox is compared to see that it is still the same.
const MARK_BYTES: u64 = 256;

/// So much of a file of one mail is read to see how old the mail is.
const HEAD_BYTES: u64 = 16 << 10;

/// So much of a mail is read to find its sender's name again.
const LOCATED_BYTES: u64 = 64 << 10;

/// What opening a file counts as, in bytes of an ingest's slice.
const FILE_BYTES: u64 = 4 << 10;

/// A mail that was not read before. Not `Debug`: nothing of it may be logged.
pub struct FoundMail {
    pub mail: ParsedMail,
    /// The file relative to its source, and the line where it begins in a file of many.
    pub place: (String, Option<u64>),
    /// When it was sent.
    pub sent: Timestamp,
    /// A hash of its head: its name when it has none, the same while the mail still grows.
    pub content: String,
    /// Its mailbox says that the owner replied.
    pub answered: bool,
    /// Its mailbox says that the owner opened it.
    pub read: bool,
    /// It lies in a folder of sent mail.
    pub in_sent_folder: bool,
    /// Where to find it again.
    pub locator: Option<SourceLocator>,
}

/// What was read of all mailboxes. Files of one mail are in memory only: after a restart their heads are looked at once more.
pub struct MailboxReader {
    /// Mails older than this, in milliseconds before the ingest, are left out.
    window_ms: i64,
    /// Mails older than this are looked at for who wrote them, whether they are left out or not.
    judged_ms: i64,
    /// For the hashes of marks.
    key: Option<SecretKey>,
    files: ChangeTracker,
    /// What was found in each source.
    listings: BTreeMap<PathBuf, Arc<MailListing>>,
    /// Files with a mail that is dated after the ingest that read them.
    later: BTreeMap<PathBuf, Timestamp>,
    /// How far each mbox was read, by the file's key.
    places: BTreeMap<String, MboxPosition>,
    /// Files that had no room in the last ingest, or not all of them.
    unfinished: BTreeSet<PathBuf>,
    /// The owner's own among mails that are too old to be judged.
    own: OwnMailFinder,
    /// What was there when [`MailboxReader::keep`] was last told.
    kept: Vec<Arc<MailListing>>,
}

/// A separator in an mbox: before it everything was read, and its mail may still have been growing. Holds no text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MboxPosition {
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
struct MailWindow {
    at: Timestamp,
    /// Up to when ages count.
    aged: Timestamp,
    window_ms: i64,
    judged_ms: i64,
}

/// How old a mail is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MailAge {
    /// It is judged as any mail, or its head does not say when it was sent.
    Judged,
    /// It is given, and its owner's own are found by their heads as well.
    Between,
    /// It is left out.
    Old,
}

impl MailWindow {
    /// How old a mail with this head is.
    fn age_of(self, head: &[u8]) -> MailAge {
        match eml::sent(head).map(|sent| self.aged.since(sent)) {
            Some(age) if age >= self.window_ms => MailAge::Old,
            Some(age) if age >= self.judged_ms => MailAge::Between,
            Some(_) | None => MailAge::Judged,
        }
    }
}

impl MailboxReader {
    /// Reads mails that are younger than `window_ms` milliseconds.
    pub fn of_last(window_ms: i64) -> Self {
        Self {
            window_ms,
            judged_ms: window_ms,
            key: None,
            files: ChangeTracker::default(),
            listings: BTreeMap::new(),
            later: BTreeMap::new(),
            places: BTreeMap::new(),
            unfinished: BTreeSet::new(),
            own: OwnMailFinder::default(),
            kept: Vec::new(),
        }
    }

    /// The same, and it gives older mails too, up to this age: of those that are the owner's it finds the heads all the same, and what is no mail among them is
    /// left out in silence.
    #[must_use]
    pub fn reaching_back(mut self, window_ms: i64) -> Self {
        self.window_ms = window_ms;
        self
    }

    /// The same, with places whose hashes are keyed, so that they may stand in an agent's state.
    #[must_use]
    pub fn keyed(mut self, key: SecretKey) -> Self {
        self.key = Some(key);
        self
    }

    /// The same, and of mails that are too old it finds those that the owner wrote from one of these addresses, in lower case.
    #[must_use]
    pub fn with_own_mail(mut self, addresses: Vec<String>) -> Self {
        self.own.addresses = addresses;
        self
    }

    /// The owner's own old mails that were found since this was last asked.
    pub fn take_own(&mut self) -> Vec<OwnMailHead> {
        std::mem::take(&mut self.own.found)
    }

    /// How far each mbox was read, by the file's key: for the agent's state.
    pub fn places(&self) -> BTreeMap<String, MboxPosition> {
        self.places.clone()
    }

    /// Goes on where [`MailboxReader::places`] was. A mail that is dated later is found anew: reading begins before it.
    pub fn restore(&mut self, places: BTreeMap<String, MboxPosition>) {
        self.places = places;
    }

    /// Gives `take` each mail of a source that is new and by `aged` not older than the window, and returns what the source holds. What has
    /// no room in this ingest is left to the next.
    pub fn read(
        &mut self,
        source: &Path,
        (at, aged): (Timestamp, Timestamp),
        report: &mut IngestReport,
        take: &mut impl FnMut(FoundMail),
    ) -> Vec<Arc<MailListing>> {
        let forms = MailFormats::new(source);
        // While it is read in slices it is not walked for each of them.
        let unfinished = self.unfinished.iter().any(|path| path.starts_with(source));
        let known = self
            .listings
            .get(source)
            .filter(|listing| unfinished || listing.is_current());
        let stood = known.is_some();
        let listing = known.cloned().unwrap_or_else(|| {
            let listing = Arc::new(MailListing::walk(source, &forms, at, report));
            self.listings.insert(source.to_owned(), Arc::clone(&listing));
            listing
        });
        let look = MailWindow {
            at,
            aged,
            window_ms: self.window_ms,
            judged_ms: self.judged_ms,
        };
        // Nothing is new in a listing that stands: what is left is what had no room, and what is due.
        let waits =
            |file: &SourceFile| self.unfinished.contains(&file.path) || self.later.contains_key(&file.path);
        let files: Vec<&SourceFile> = if stood && self.unfinished.is_empty() && self.later.is_empty() {
            Vec::new()
        } else {
            listing
                .files
                .iter()
                .filter(|file| !stood || waits(file))
                .collect()
        };
        for file in files {
            let due = self.later.get(&file.path).is_some_and(|later| *later <= at);
            let unfinished = self.unfinished.remove(&file.path);
            if !(self.files.note_change(file) | due | unfinished) {
                continue;
            }
            if !report.has_room() {
                let read = self.places.get(&file.key).map_or(0, |place| place.offset);
                report.leave(file, file.len.saturating_sub(read).max(1));
                self.unfinished.insert(file.path.clone());
                continue;
            }
            match forms.form(&file.path) {
                Some(MailFormat::One { answered, read }) => {
                    let flags = MailFlags {
                        answered,
                        read,
                        in_sent_folder: is_in_sent_folder(source, Path::new(&file.name)),
                    };
                    match one(file, flags, look, &mut self.own, report, take) {
                        Some(later) => self.later.insert(file.path.clone(), later),
                        None => self.later.remove(&file.path),
                    };
                }
                Some(MailFormat::Mbox) => {
                    let sent_folder = is_in_sent_folder(source, Path::new(&file.name));
                    let read = self.many(file, (due, sent_folder), look, report, take);
                    read.unwrap_or_else(|_| report.skip(SOURCE_UNREADABLE, &file.name, None));
                }
                // It was one when the folder was walked.
                None => {}
            }
        }
        vec![listing]
    }

    /// Reads a file of many mails from where it was left, or where one waits that is due. It is left between two mails when there
    /// is no room.
    fn many(
        &mut self,
        file: &SourceFile,
        (due, in_sent_folder): (bool, bool),
        look: MailWindow,
        report: &mut IngestReport,
        take: &mut impl FnMut(FoundMail),
    ) -> io::Result<()> {
        let key = self.key.clone();
        let mut place = self.places.get(&file.key).cloned().unwrap_or_default();
        let mut later = self.later.remove(&file.path).filter(|later| *later > look.at);
        let mut reader = File::open(&file.path)?;
        if mark(&mut reader, place.offset, place.length, key.as_ref())? != place.mark {
            // Compacted or another file: everything anew. The agent knows what it has.
            place = MboxPosition::default();
        }
        if due || later.is_none() {
            // What waited is read now, or was not read by this process.
            (place.offset, place.lines) = place.waits.take().unwrap_or((place.offset, place.lines));
        }
        let begin = place.offset;
        reader.seek(SeekFrom::Start(begin))?;
        let reader = BufReader::with_capacity(256 << 10, reader);
        let mut messages = MboxReader::new(reader, begin, place.lines);
        // The last mail is read again when the file grows: it may not have been whole.
        let mut stop = None;
        let mut counted = begin;
        while let Some(MboxEntry {
            at: begins,
            line,
            bytes,
        }) = messages.next_mail()?
        {
            stop = Some((begins, line));
            let written = WrittenStatus::from_head(&bytes);
            let flags = MailFlags {
                answered: written.answered,
                read: written.read,
                in_sent_folder,
            };
            let head = whole_head(&bytes).unwrap_or(&bytes);
            let age = look.age_of(head);
            if age != MailAge::Judged && !written.deleted {
                self.own.look_at(head, in_sent_folder);
            }
            let is_read = age != MailAge::Old && !written.deleted;
            match is_read.then(|| judged(&bytes, flags, look.at)) {
                None => {}
                Some(Ok(MailVerdict::Now(mut found))) => {
                    found.place = (file.name.clone(), Some(line));
                    found.locator = SourceLocator::new(file.inode, begins);
                    report.note_judged();
                    take(*found);
                }
                Some(Ok(MailVerdict::Later(sent))) => {
                    place.waits = place.waits.or(Some((begins, line - 1)));
                    later = Some(later.map_or(sent, |first| first.min(sent)));
                }
                Some(Err(code)) if age == MailAge::Judged => report.skip(code, &file.name, Some(line)),
                Some(Err(_)) => {}
            }
            let next = messages.next_begins();
            let end = next.map_or(file.len, |(next, _)| next);
            report.take(end.saturating_sub(counted));
            counted = end;
            if next.is_some() && !report.has_room() {
                stop = next;
                report.leave(file, file.len.saturating_sub(end));
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

    /// Forgets files that no longer exist.
    pub fn keep(&mut self, present: &[Arc<MailListing>]) {
        if self.kept.len() == present.len() && self.kept.iter().zip(present).all(|(a, b)| Arc::ptr_eq(a, b)) {
            return;
        }
        self.kept = present.to_vec();
        let present: Vec<&SourceFile> = present.iter().flat_map(|listing| &listing.files).collect();
        for path in self.files.remove_missing(present.iter().copied()) {
            self.later.remove(&path);
            self.unfinished.remove(&path);
        }
        let keys: BTreeSet<&String> = present.iter().map(|file| &file.key).collect();
        self.places.retain(|key, _| keys.contains(key));
    }
}

/// What a mailbox says of a mail.
#[derive(Clone, Copy, Default)]
struct MailFlags {
    answered: bool,
    read: bool,
    in_sent_folder: bool,
}

/// A file that is one mail. Returns when it is to be read again, if it is dated later.
fn one(
    file: &SourceFile,
    flags: MailFlags,
    look: MailWindow,
    own: &mut OwnMailFinder,
    report: &mut IngestReport,
    take: &mut impl FnMut(FoundMail),
) -> Option<Timestamp> {
    // The head alone tells that a mail is old, and in an archive nearly all are.
    let head = head(file, HEAD_BYTES);
    report.take(head.as_ref().map_or(0, |head| head.len() as u64).max(FILE_BYTES));
    let known = head.as_ref().ok().and_then(|head| whole_head(head));
    let mut age = known.map(|head| look.age_of(head));
    if let (Some(head), Some(MailAge::Between | MailAge::Old)) = (known, age) {
        own.look_at(head, flags.in_sent_folder);
    }
    if age == Some(MailAge::Old) {
        return None;
    }
    let read = read_whole(file).and_then(|bytes| {
        report.take(bytes.len() as u64);
        let age = *age.get_or_insert_with(|| look.age_of(whole_head(&bytes).unwrap_or(&bytes)));
        if age == MailAge::Old {
            Ok(None)
        } else {
            judged(&bytes, flags, look.at).map(Some)
        }
    });
    match read {
        Ok(Some(MailVerdict::Now(mut found))) => {
            found.place.0.clone_from(&file.name);
            found.locator = place_of_fetched(&file.path).or_else(|| SourceLocator::new(file.inode, 0));
            report.note_judged();
            take(*found);
        }
        Ok(Some(MailVerdict::Later(sent))) => return Some(sent),
        Err(code) if age != Some(MailAge::Between) => report.skip(code, &file.name, None),
        Ok(None) | Err(_) => {}
    }
    None
}

fn head(file: &SourceFile, most: u64) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    File::open(&file.path)?.take(most).read_to_end(&mut head)?;
    Ok(head)
}

/// The head of a mail if it is complete: up to the first empty line.
fn whole_head(bytes: &[u8]) -> Option<&[u8]> {
    let end = memmem::find(bytes, b"\n\n")
        .into_iter()
        .chain(memmem::find(bytes, b"\n\r\n"))
        .min()?;
    bytes.get(..=end)
}

/// What is to be done with a mail.
enum MailVerdict {
    Now(Box<FoundMail>),
    Later(Timestamp),
}

fn judged(bytes: &[u8], flags: MailFlags, at: Timestamp) -> Result<MailVerdict, SkipCode> {
    let head = whole_head(bytes).unwrap_or(bytes);
    let mail = eml::parse(bytes)?;
    let sent = mail.at.ok_or(NO_DATE)?;
    if sent > at {
        return Ok(MailVerdict::Later(sent));
    }
    Ok(MailVerdict::Now(Box::new(FoundMail {
        mail,
        place: (String::new(), None),
        sent,
        content: sha256_hex(head),
        answered: flags.answered,
        read: flags.read,
        in_sent_folder: flags.in_sent_folder,
        locator: None,
    })))
}

/// Where mails of these places are in a source of mail: their files.
pub fn mail_paths_of(wanted: &BTreeSet<SourceLocator>, source: &Path) -> BTreeMap<SourceLocator, PathBuf> {
    let mut found = paths_of_fetched(wanted, source);
    let of_files = wanted.iter().filter(|place| place.as_fetched().is_none());
    let inodes: BTreeSet<u64> = of_files.map(|place| place.inode()).collect();
    if !inodes.is_empty() {
        let paths = paths_of(&inodes, source, &|folder| folder.join("cur").is_dir());
        found.extend(
            wanted
                .iter()
                .filter_map(|place| Some((*place, paths.get(&place.inode())?.clone()))),
        );
    }
    found
}

/// Who wrote the mail that begins at `offset` of a file: its head alone is read.
pub fn sender_at(mut file: File, offset: u64) -> Option<LocatedSender> {
    file.seek(SeekFrom::Start(offset)).ok()?;
    let mut bytes = Vec::new();
    file.take(LOCATED_BYTES).read_to_end(&mut bytes).ok()?;
    let line = memchr::memchr(b'\n', &bytes).map_or(0, |end| end + 1);
    let is_mbox = bytes.get(..line).is_some_and(mbox::is_separator);
    sender_of_head(bytes.get(if is_mbox { line } else { 0 }..)?)
}

/// Who wrote a mail, by its whole head.
fn sender_of_head(mail: &[u8]) -> Option<LocatedSender> {
    let head = whole_head(mail)?;
    eml::sender(head)
}

/// A hash of `length` bytes of a file from `offset` on; nothing for none.
fn mark(reader: &mut File, offset: u64, length: u64, key: Option<&SecretKey>) -> io::Result<String> {
    if length == 0 {
        return Ok(String::new());
    }
    let mut bytes = Vec::new();
    reader.seek(SeekFrom::Start(offset))?;
    reader.take(length).read_to_end(&mut bytes)?;
    let hash = key.map_or_else(|| sha256_hex(&bytes), |key| hex(&key.mac(&[b"mbox", &bytes])));
    Ok(hash.chars().take(16).collect())
}
