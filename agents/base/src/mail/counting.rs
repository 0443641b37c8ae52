//! How many mails a source holds, and from when to when.
//!
//! What: [`count_mails`], by heads alone, and of a file of many by its separators. Why: before the owner allows a mailbox she sees what is in it,
//! and fifty thousand mails are counted while she looks. Not here: reading them (`mail`), which files hold mail (`listing`).

use super::{HEAD_BYTES, MailFormat, MailFormats, eml, mbox::is_separator, whole_head};
use crate::shared::{IngestReport, SOURCE_UNREADABLE, display_path, walk_paths};
use memchr::{memchr, memmem};
use std::{
    collections::VecDeque,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};
use toolcall_schema::{Timestamp, tick::SkippedItem};

/// Files of many mails are counted as far as this; nobody waits for more.
const MBOX_BYTES_MAX: u64 = 1 << 30;

/// So much of a file of many is looked at in one piece.
const PIECE_BYTES: u64 = 1 << 20;

/// So much of a mail is read at first: nearly every head says its date in there.
const FIRST_BYTES: u64 = 4 << 10;

/// Clocks that were never set date mails before this, 1 January 1980.
const FIRST_BELIEVED_MS: i64 = 315_532_800_000;

const DAY_MS: i64 = 24 * 3600 * 1000;

/// What a mailbox holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MailCount {
    pub mails: u32,
    /// Those of the last day, which Comms counts.
    pub lately: u32,
    /// When the oldest and the newest were sent, as far as their heads can be believed.
    pub first: Option<Timestamp>,
    pub newest: Option<Timestamp>,
    pub skipped: u32,
    pub skips: Vec<SkippedItem>,
    /// Whether all were counted.
    pub complete: bool,
}

impl MailCount {
    fn add(&mut self, sent: Option<Timestamp>, at: Timestamp) {
        self.mails = self.mails.saturating_add(1);
        let believed = sent.filter(|sent| sent.ms() >= FIRST_BELIEVED_MS && *sent <= at);
        let Some(sent) = believed else { return };
        self.first = Some(self.first.map_or(sent, |first| first.min(sent)));
        self.newest = Some(self.newest.map_or(sent, |newest| newest.max(sent)));
        if at.since(sent) < DAY_MS {
            self.lately = self.lately.saturating_add(1);
        }
    }
}

/// What a source holds at `at`. Reads no mail's text and keeps nothing of a head but its date. Once `is_over` says that time is up, mails are
/// still counted where each is a file of its own, and no more dates are read.
pub fn count_mails(source: &Path, at: Timestamp, is_over: &dyn Fn() -> bool) -> MailCount {
    let forms = MailFormats::new(source);
    let mut report = IngestReport::default();
    let mail_folder = |folder: &Path| folder.join("cur").is_dir();
    let mut files: Vec<(PathBuf, MailFormat)> = walk_paths(source, &mail_folder, &mut report)
        .into_iter()
        .filter_map(|path| forms.form(&path).map(|form| (path, form)))
        .collect();
    let mut count = MailCount {
        complete: report.skipped == 0,
        ..MailCount::default()
    };
    alternate_ends(&mut files);
    let mut room = MBOX_BYTES_MAX;
    for (path, form) in &files {
        if is_over() {
            count.complete = false;
            if matches!(form, MailFormat::One { .. }) {
                count.mails = count.mails.saturating_add(1);
            }
            continue;
        }
        let read = match form {
            MailFormat::One { .. } => date_of(path).map(|sent| count.add(sent, at)),
            MailFormat::Mbox => regular_file(path).and_then(|(len, file)| {
                let mut in_time = true;
                each_date(file.take(room), &mut |sent| {
                    count.add(sent, at);
                    in_time = !is_over();
                    in_time
                })?;
                count.complete &= in_time && len <= room;
                room = room.saturating_sub(len);
                Ok(())
            }),
        };
        if read.is_err() {
            report.skip(SOURCE_UNREADABLE, &display_path(source, path), None);
        }
    }
    count.skipped = report.skipped;
    count.skips = report.skips;
    count
}

/// The last first, then the first, and so on to the middle: names of mails begin with when they came, so that the newest and the oldest are
/// among those whose dates are read, however few that are.
fn alternate_ends<T>(sorted: &mut Vec<T>) {
    let mut rest: VecDeque<T> = sorted.drain(..).collect();
    while let Some(last) = rest.pop_back() {
        sorted.push(last);
        sorted.extend(rest.pop_front());
    }
}

/// A regular file and its length; a pipe would be waited for.
fn regular_file(path: &Path) -> io::Result<(u64, File)> {
    let meta = fs::metadata(path)?;
    if meta.is_file() {
        Ok((meta.len(), File::open(path)?))
    } else {
        Err(io::ErrorKind::InvalidInput.into())
    }
}

/// When the mail of a file was sent.
fn date_of(path: &Path) -> io::Result<Option<Timestamp>> {
    let (len, mut reader) = regular_file(path)?;
    let mut head = Vec::with_capacity(1 << 12);
    for most in [FIRST_BYTES, HEAD_BYTES - FIRST_BYTES] {
        reader.by_ref().take(most).read_to_end(&mut head)?;
        if let Some(whole) = whole_head(&head) {
            return Ok(eml::sent(whole));
        }
        if len <= FIRST_BYTES {
            break;
        }
    }
    Ok(eml::sent(&head))
}

/// Gives the date of each mail of a file of many, as long as it is wanted: at a separator after an empty line, or at the file's begin.
fn each_date(mut reader: impl Read, tell: &mut dyn FnMut(Option<Timestamp>) -> bool) -> io::Result<()> {
    let head_bytes = usize::try_from(HEAD_BYTES).unwrap_or(usize::MAX);
    let separators = memmem::Finder::new(b"\nFrom ");
    // As if two empty lines stood before the first separator.
    let mut piece = b"\n\n".to_vec();
    let mut from = 1;
    loop {
        let more = reader.by_ref().take(PIECE_BYTES).read_to_end(&mut piece)?;
        let is_last = (more as u64) < PIECE_BYTES;
        // A head that begins in the last part may not be whole yet.
        let end = if is_last {
            piece.len()
        } else {
            piece.len().saturating_sub(head_bytes)
        };
        while let Some(found) = piece.get(from..).and_then(|rest| separators.find(rest)) {
            let newline = from + found;
            if newline >= end {
                break;
            }
            from = newline + 1;
            let before = piece.get(..newline).unwrap_or_default();
            let rest = piece.get(from..).unwrap_or_default();
            let line_end = memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
            let (line, mail) = rest.split_at_checked(line_end).unwrap_or((rest, &[]));
            if (before.ends_with(b"\n") || before.ends_with(b"\n\r")) && is_separator(line) {
                let head = mail.get(..head_bytes).unwrap_or(mail);
                if !tell(eml::sent(whole_head(head).unwrap_or(head))) {
                    return Ok(());
                }
            }
        }
        if is_last {
            return Ok(());
        }
        // Two bytes stay, to tell an empty line before a separator.
        let done = end.saturating_sub(2);
        piece.drain(..done);
        from = end - done;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{cell::Cell, fmt::Write as _};

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn mail(day: u32, text: &str) -> String {
        format!(
            "From: Kim <kim@example.org>\r\nDate: {day} Nov 2026 11:56:00 +0000\r\nSubject: x\r\n\r\n{text}\r\n"
        )
    }

    #[test]
    fn a_maildir_and_an_mbox_are_counted_by_their_heads() {
        let now = at("2026-11-20T12:00:00Z");
        let folder = tempfile::tempdir().unwrap();
        let maildir = folder.path().join("Maildir");
        for part in ["cur", "new", "tmp"] {
            fs::create_dir_all(maildir.join(part)).unwrap();
        }
        fs::write(maildir.join("cur/1:2,S"), mail(3, "a")).unwrap();
        fs::write(maildir.join("new/2"), mail(20, "b")).unwrap();
        // Not finished, thrown away, dated ahead: the first two are none, of the last only that it is there.
        fs::write(maildir.join("tmp/3"), mail(4, "c")).unwrap();
        fs::write(maildir.join("cur/4:2,T"), mail(1, "d")).unwrap();
        fs::write(maildir.join("new/5"), mail(25, "e")).unwrap();
        let count = count_mails(&maildir, now, &|| false);
        assert_eq!(
            (count.mails, count.lately, count.complete, count.skipped),
            (3, 1, true, 0)
        );
        assert_eq!(count.first, Some(at("2026-11-03T11:56:00Z")));
        assert_eq!(count.newest, Some(at("2026-11-20T11:56:00Z")));
        let gone = count_mails(&folder.path().join("gone"), now, &|| false);
        assert_eq!((gone.mails, gone.complete, gone.skipped), (0, false, 1));
    }

    #[test]
    fn when_time_is_up_mails_are_still_counted_and_the_ends_are_dated_first() {
        let now = at("2026-11-20T12:00:00Z");
        let folder = tempfile::tempdir().unwrap();
        let maildir = folder.path().join("Maildir");
        for part in ["cur", "new", "tmp"] {
            fs::create_dir_all(maildir.join(part)).unwrap();
        }
        for day in 1..=9 {
            fs::write(maildir.join(format!("cur/{day}:2,S")), mail(day, "x")).unwrap();
        }
        let asked = Cell::new(0);
        let count = count_mails(&maildir, now, &|| {
            asked.set(asked.get() + 1);
            asked.get() > 2
        });
        assert_eq!((count.mails, count.complete, count.skipped), (9, false, 0));
        assert_eq!(
            (count.first, count.newest),
            (Some(at("2026-11-01T11:56:00Z")), Some(at("2026-11-09T11:56:00Z")))
        );
        // Of a file of many as far as it was looked at.
        let path = folder.path().join("all.mbox");
        let many: Vec<String> = (1..=9)
            .map(|day| format!("From - Thu Nov 19 11:56:00 2026\r\n{}\r\n", mail(day, "x")))
            .collect();
        fs::write(&path, many.concat()).unwrap();
        asked.set(0);
        let count = count_mails(&path, now, &|| {
            asked.set(asked.get() + 1);
            asked.get() > 5
        });
        assert!((1..9).contains(&count.mails) && !count.complete, "{count:?}");
    }

    #[test]
    fn separators_are_found_wherever_a_piece_ends_and_sentences_are_none() {
        let now = at("2026-11-20T12:00:00Z");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("all.mbox");
        // Mails of 700 bytes and a few: their separators stand at every place of a piece of 1 MiB.
        let mut text = String::new();
        for i in 0..4000_u32 {
            let filler = "x".repeat(usize::try_from(500 + i % 97).unwrap());
            let body = format!(
                "{filler}\r\n\r\nFrom my window I see it.\r\nFrom kim@example.org Thu Nov 19 11:56:00 2026"
            );
            write!(
                text,
                "From kim@example.org Thu Nov 19 11:56:00 2026\r\n{}\r\n",
                mail(1 + i % 19, &body)
            )
            .unwrap();
        }
        assert!(text.len() > 2 << 20);
        fs::write(&path, &text).unwrap();
        let count = count_mails(&path, now, &|| false);
        assert_eq!((count.mails, count.lately, count.complete), (4000, 0, true));
        assert_eq!(count.first, Some(at("2026-11-01T11:56:00Z")));
        assert_eq!(count.newest, Some(at("2026-11-19T11:56:00Z")));
        // One mail whose head is longer than a piece, and a file that ends in a separator.
        let long = format!(
            "From - \nX-Long: {}\nDate: 2 Nov 2026 11:56:00 +0000\n\nhi\n\nFrom - ",
            "y".repeat(3 << 20)
        );
        fs::write(&path, long).unwrap();
        let count = count_mails(&path, now, &|| false);
        assert_eq!((count.mails, count.newest), (2, None));
    }
}
