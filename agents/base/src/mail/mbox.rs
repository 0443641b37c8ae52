//! Many mails in one file: mbox, however its writer quoted.
//!
//! What: [`MboxReader`], mail after mail out of a reader, in flat memory. Why: Thunderbird, Takeout and old archives are single files of
//! gigabytes. Not here: what a mail says (`eml`), which part of a file was read before (`mod`).
//!
//! | Variant | A mail ends at | A line `From ` of its body stands as |
//! |---|---|---|
//! | mboxo | a separator after an empty line | `>From ` |
//! | mboxrd | the same | `>From `, and `>From ` as `>>From ` |
//! | mboxcl | the length in `Content-Length`, checked against what follows | `>From ` |
//! | mboxcl2 | the same | `From ` |
//!
//! RFC 4155 describes the first; what is taken for a separator is in [`is_separator`].

use super::listing::is_left_out_name;
use mail_parser::MessageParser;
use std::io::{self, BufRead, Seek, SeekFrom};

/// So much of a mail is kept; what follows is read over.
pub const KEPT_BYTES: usize = 1 << 20;

/// A longer line is read in pieces.
const LINE_BYTES: u64 = 64 << 10;

/// A mail of a file.
#[derive(Clone, PartialEq, Eq)]
pub struct MboxEntry {
    /// Where its separator begins, in bytes from the begin of the file.
    pub at: u64,
    /// The line of its separator, from 1 where reading began.
    pub line: u64,
    /// The mail, at most [`KEPT_BYTES`] of it, with one `>` less on each quoted line.
    pub bytes: Vec<u8>,
}

/// The mails of a file, from where the reader stands: at a separator, or at the begin of something that is no mbox.
pub struct MboxReader<R> {
    reader: R,
    /// Bytes and lines so far.
    offset: u64,
    lines: u64,
    line: Vec<u8>,
    /// A separator that was read and whose mail is next.
    next: Option<(u64, u64)>,
}

impl<R: BufRead + Seek> MboxReader<R> {
    /// Begins at the reader's place, which is `offset` bytes and `lines` lines into the file.
    pub fn new(reader: R, offset: u64, lines: u64) -> Self {
        Self {
            reader,
            offset,
            lines,
            line: Vec::new(),
            next: None,
        }
    }

    /// Where the next mail's separator begins, and its line, when it was seen already.
    pub(crate) fn next_begins(&self) -> Option<(u64, u64)> {
        self.next
    }

    /// Reads on to the end of a line, or of a piece of one. Whether there was anything.
    fn read_line(&mut self) -> io::Result<bool> {
        self.line.clear();
        let mut piece = io::Read::take(&mut self.reader, LINE_BYTES);
        let count = piece.read_until(b'\n', &mut self.line)?;
        self.offset += count as u64;
        self.lines += u64::from(self.line.ends_with(b"\n"));
        Ok(count > 0)
    }

    /// The next mail; `None` at the end of the file, and for a file that does not begin with a separator.
    ///
    /// # Errors
    /// What the reader says.
    pub(crate) fn next_mail(&mut self) -> io::Result<Option<MboxEntry>> {
        if self.next.is_none() {
            let (at, line) = (self.offset, self.lines + 1);
            if !self.read_line()? || !is_separator(&self.line) {
                return Ok(None);
            }
            self.next = Some((at, line));
        }
        let Some((at, line)) = self.next.take() else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        let (mut in_headers, mut length) = (true, None);
        // The separator before stands for the empty line, and ends with one line.
        let (mut after_empty, mut whole_before) = (true, true);
        loop {
            let (begins, number) = (self.offset, self.lines + 1);
            if !self.read_line()? {
                break;
            }
            let (begins_line, empty) = (whole_before, is_empty(&self.line));
            whole_before = self.line.ends_with(b"\n");
            if begins_line && after_empty && !bytes.is_empty() && is_separator(&self.line) {
                self.next = Some((begins, number));
                break;
            }
            let quoted = begins_line && !in_headers && is_quoted(&self.line);
            keep(
                &mut bytes,
                self.line.get(usize::from(quoted)..).unwrap_or_default(),
            );
            if in_headers {
                length = length.or_else(|| content_length(&self.line));
                if empty {
                    in_headers = false;
                    if let Some(length) = length
                        && self.skip_body(length, &mut bytes)?
                    {
                        after_empty = true;
                        continue;
                    }
                }
            }
            after_empty = begins_line && empty;
        }
        Ok(Some(MboxEntry { at, line, bytes }))
    }

    /// Takes a body by its stated length, if the file ends there or a separator follows. Many writers state a wrong one.
    fn skip_body(&mut self, length: u64, bytes: &mut Vec<u8>) -> io::Result<bool> {
        let begin = self.offset;
        let Some(end) = begin.checked_add(length) else {
            return Ok(false);
        };
        let is_right = self.reader.seek(SeekFrom::Start(end))? == end && self.stands_at_an_end()?;
        self.reader.seek(SeekFrom::Start(begin))?;
        if !is_right {
            return Ok(false);
        }
        while self.offset < end {
            let left = end - self.offset;
            let mut body = io::Read::take(&mut self.reader, left.min(LINE_BYTES));
            self.line.clear();
            let count = body.read_until(b'\n', &mut self.line)?;
            if count == 0 {
                return Ok(true);
            }
            self.offset += count as u64;
            self.lines += u64::from(self.line.ends_with(b"\n"));
            keep(bytes, &self.line);
        }
        Ok(true)
    }

    /// Whether nothing, or an empty line or none and then a separator, follows.
    fn stands_at_an_end(&mut self) -> io::Result<bool> {
        let mut line = Vec::new();
        for _ in 0..2 {
            line.clear();
            let count = io::Read::take(&mut self.reader, LINE_BYTES).read_until(b'\n', &mut line)?;
            if count == 0 || is_separator(&line) {
                return Ok(true);
            }
            if !is_empty(&line) {
                return Ok(false);
            }
        }
        Ok(false)
    }
}

fn keep(bytes: &mut Vec<u8>, line: &[u8]) {
    let room = KEPT_BYTES.saturating_sub(bytes.len());
    bytes.extend_from_slice(line.get(..room.min(line.len())).unwrap_or_default());
}

fn is_empty(line: &[u8]) -> bool {
    matches!(line, b"\n" | b"\r\n")
}

/// `>From `, `>>From `, …: the line `From ` of a body with one `>` more than it had.
fn is_quoted(line: &[u8]) -> bool {
    let bare = line.iter().position(|byte| *byte != b'>').unwrap_or(line.len());
    bare > 0 && line.get(bare..).is_some_and(|rest| rest.starts_with(b"From "))
}

/// What the program that keeps a file of many mails wrote into the head of one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WrittenStatus {
    pub answered: bool,
    pub read: bool,
    /// Its owner deleted it; the program has not yet written the file anew.
    pub deleted: bool,
}

impl WrittenStatus {
    /// By Thunderbird's line, which stands above all that a server or a sender wrote, of an account of POP below two more of its own; else by the `Status` and `X-Status` of mutt, Dovecot and others.
    pub fn from_head(mail: &[u8]) -> Self {
        let mut found = Self::default();
        let lines = mail.split(|byte| *byte == b'\n');
        let head = lines.take_while(|line| !matches!(**line, [] | [b'\r']));
        let mut above = true;
        for line in head {
            let is_above = above;
            above = is_above && is_above_status(line);
            // Most lines are told apart by their first letter.
            if !matches!(line.first(), Some(b's' | b'S' | b'x' | b'X')) {
                continue;
            }
            let Some((name, value)) = std::str::from_utf8(line)
                .ok()
                .and_then(|line| line.split_once(':'))
            else {
                continue;
            };
            let value = value.trim();
            if is_above
                && name.eq_ignore_ascii_case("x-mozilla-status")
                && let Ok(bits) = u16::from_str_radix(value, 16)
            {
                return Self {
                    read: bits & 1 != 0,
                    answered: bits & 2 != 0,
                    deleted: bits & 8 != 0,
                };
            } else if is_above && name.eq_ignore_ascii_case("x-gmail-labels") {
                found.deleted |= labels(value)
                    .split(',')
                    .any(|label| is_left_out_name(label.trim()));
            } else if name.eq_ignore_ascii_case("status") {
                found.read |= value.contains('R');
            } else if name.eq_ignore_ascii_case("x-status") {
                found.answered |= value.contains('A');
                found.deleted |= value.contains('D');
            }
        }
        found
    }
}

/// The labels that a Takeout of Gmail wrote, which are encoded where they have other letters than those of ASCII.
fn labels(value: &str) -> String {
    if !value.contains("=?") {
        return value.to_owned();
    }
    let head = format!("Subject: {value}\r\n\r\n");
    let read = MessageParser::default().parse(head.as_bytes());
    let decoded = read.and_then(|mail| mail.subject().map(str::to_owned));
    decoded.unwrap_or_default()
}

/// Whether Thunderbird, or a Takeout of Gmail, wrote this line above its own of the status.
fn is_above_status(line: &[u8]) -> bool {
    ["x-account-key:", "x-uidl:", "x-gm-thrid:"].iter().any(|name| {
        line.get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
    })
}

fn content_length(line: &[u8]) -> Option<u64> {
    // Called for each line of a head: most are told apart by their first letter.
    if !line
        .first()
        .is_some_and(|first| first.eq_ignore_ascii_case(&b'c'))
    {
        return None;
    }
    let (name, value) = std::str::from_utf8(line).ok()?.split_once(':')?;
    name.eq_ignore_ascii_case("content-length")
        .then(|| value.trim().parse().ok())?
}

/// Whether a line separates mails: `From `, then an address and a date as `asctime` writes it (a time with colons and a year of
/// four digits, wherever the zone stands), or `-` with or without a date, or nothing (both Thunderbird's). A sentence of a body that
/// begins with "From " and was not quoted is none.
pub(crate) fn is_separator(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"From ") else {
        return false;
    };
    let Ok(rest) = std::str::from_utf8(rest) else {
        return false;
    };
    let mut words = rest.split_whitespace();
    match words.next() {
        None => true,
        Some("-") if words.clone().next().is_none() => true,
        Some(_) => {
            let words: Vec<&str> = words.collect();
            let digits = |word: &&str| word.bytes().all(|b| b.is_ascii_digit());
            let is_year = |word: &&str| word.len() == 4 && digits(word);
            let is_time = |word: &&str| {
                let parts: Vec<&str> = word.split(':').collect();
                (2..=3).contains(&parts.len()) && parts.iter().all(|part| part.len() == 2 && digits(part))
            };
            let is_day = |word: &&str| matches!(word.len(), 1 | 2) && digits(word);
            words.len() <= 9
                && words.iter().any(is_year)
                && words.iter().any(is_time)
                && words.iter().any(is_day)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_mail_program_wrote_of_a_mail_is_read_where_it_writes_it() {
        let status = |answered, read, deleted| WrittenStatus {
            answered,
            read,
            deleted,
        };
        for (head, expected) in [
            (
                "X-Mozilla-Status: 0000\r\nX-Mozilla-Status2: 00000000\r\nFrom: a@b",
                status(false, false, false),
            ),
            ("X-Mozilla-Status: 0001\nFrom: a@b", status(false, true, false)),
            // Read, replied to, starred (4): Thunderbird's bits.
            ("X-Mozilla-Status: 0007\nFrom: a@b", status(true, true, false)),
            ("X-Mozilla-Status: 0009\nFrom: a@b", status(false, true, true)),
            // Of an account of POP.
            (
                "X-Account-Key: account2\nX-UIDL: 00000a1b\nX-Mozilla-Status: 0009\nFrom: a@b",
                status(false, true, true),
            ),
            // Of a sender.
            ("From: a@b\nX-Mozilla-Status: 0009", status(false, false, false)),
            (
                "X-UIDL: 1\nFrom: a@b\nX-Account-Key: account2\nX-Mozilla-Status: 0009",
                status(false, false, false),
            ),
            // A Takeout of Gmail, in the owner's language.
            (
                "X-GM-THRID: 18\nX-Gmail-Labels: Spam,Unread\nFrom: a@b",
                status(false, false, true),
            ),
            (
                "X-GM-THRID: 18\nX-Gmail-Labels: Papierkorb,Ungelesen\nFrom: a@b",
                status(false, false, true),
            ),
            (
                "X-GM-THRID: 18\nX-Gmail-Labels: =?UTF-8?Q?Entw=C3=BCrfe,Wichtig?=\nFrom: a@b",
                status(false, false, true),
            ),
            (
                "X-GM-THRID: 18\nX-Gmail-Labels: Inbox,Spam filter talk\nFrom: a@b",
                status(false, false, false),
            ),
            ("From: a@b\nX-Gmail-Labels: Spam", status(false, false, false)),
            ("From: a@b\nStatus: RO\nX-Status: AF", status(true, true, false)),
            ("From: a@b\nStatus: O\nX-Status: D", status(false, false, true)),
            ("From: a@b\n\nX-Status: D", status(false, false, false)),
            ("X-Mozilla-Status: what\nFrom: a@b", status(false, false, false)),
        ] {
            assert_eq!(WrittenStatus::from_head(head.as_bytes()), expected, "{head}");
        }
    }
    use std::io::Cursor;

    fn mails(text: &str) -> Vec<(u64, u64, String)> {
        let mut messages = MboxReader::new(Cursor::new(text.as_bytes()), 0, 0);
        let mut out = vec![];
        while let Some(entry) = messages.next_mail().unwrap() {
            out.push((entry.at, entry.line, String::from_utf8(entry.bytes).unwrap()));
        }
        out
    }

    fn bodies(text: &str) -> Vec<String> {
        let body = |text: &str| text.split_once("\n\n").map_or("", |(_, body)| body).to_owned();
        mails(text).iter().map(|(.., text)| body(text)).collect()
    }

    const FROM: &str = "From bo@example.net Tue Nov  3 10:00:00 2026\n";

    #[test]
    fn a_separator_is_told_from_a_sentence() {
        for (line, is) in [
            ("From bo@example.net Tue Nov  3 10:00:00 2026\n", true),
            ("From MAILER-DAEMON Tue Nov  3 10:00:00 2026\r\n", true),
            ("From bo@example.net Tue Nov  3 10:00 IST 2026\n", true),
            ("From 1784@xxx Tue Nov 03 10:00:00 +0000 2026\n", true),
            ("From - Tue Nov 03 10:00:00 2026\n", true),
            ("From - \n", true),
            ("From \r\n", true),
            ("From here on it rains.\n", false),
            ("From 10:00 we meet in 2026 at the gate\n", false),
            ("From: bo@example.net\n", false),
            (">From bo@example.net Tue Nov  3 10:00:00 2026\n", false),
            ("from bo@example.net Tue Nov  3 10:00:00 2026\n", false),
        ] {
            assert_eq!(is_separator(line.as_bytes()), is, "{line}");
        }
    }

    #[test]
    fn each_variant_gives_the_bodies_that_were_sent() {
        let said = "From here\n>From there\n\nFrom now on\n";
        let rd = "A: b\n\n>From here\n>>From there\n\n>From now on\n";
        let raw = format!("Content-Length: {}\n\n{said}", said.len());
        let wrong = "Content-Length: 5\n\nlonger than that\n";
        for (text, expected) in [
            // mboxrd: everything comes back.
            (
                format!("{FROM}{rd}\n{FROM}A: b\n\nx\n"),
                vec![format!("{said}\n"), "x\n".to_owned()],
            ),
            // mboxcl2: by its length, with a body that would end it otherwise.
            (
                format!(
                    "{FROM}Content-Length: {}\n\n{said}\n{FROM}\n{FROM}A: b\n\nx\n",
                    said.len() + 1 + FROM.len()
                ),
                vec![format!("{said}\n{FROM}\n"), "x\n".to_owned()],
            ),
            (format!("{FROM}{raw}"), vec![said.to_owned()]),
            // A wrong length is not believed.
            (
                format!("{FROM}{wrong}\n{FROM}A: b\n\nx\n"),
                vec!["longer than that\n\n".to_owned(), "x\n".to_owned()],
            ),
            // No empty line before it: part of the body.
            (
                format!("{FROM}A: b\n\nx\n{FROM}y\n"),
                vec![format!("x\n{FROM}y\n")],
            ),
        ] {
            assert_eq!(bodies(&text), expected, "{text}");
        }
    }

    #[test]
    fn where_each_mail_begins_is_told_and_reading_can_begin_there() {
        let text = format!("{FROM}A: b\n\nx\n\n{FROM}A: c\n\ny\n");
        let all = mails(&text);
        let second = (FROM.len() + "A: b\n\nx\n\n".len()) as u64;
        assert_eq!(
            all.iter().map(|(at, line, _)| (*at, *line)).collect::<Vec<_>>(),
            [(0, 1), (second, 6)]
        );
        let mut reader = Cursor::new(text.as_bytes());
        reader.set_position(second);
        let mut messages = MboxReader::new(reader, second, 5);
        let entry = messages.next_mail().unwrap().unwrap();
        assert_eq!(
            (entry.at, entry.line, entry.bytes),
            (second, 6, b"A: c\n\ny\n".to_vec())
        );
        assert!(messages.next_mail().unwrap().is_none());
    }

    #[test]
    fn a_mail_without_lines_or_end_is_cut_and_what_follows_is_read() {
        let long = "x".repeat(KEPT_BYTES + 200_000);
        let text = format!("{FROM}A: b\n\n{long}\n\n{FROM}A: c\n\ny\n");
        let all = mails(&text);
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].2.len(), KEPT_BYTES);
        assert_eq!(all[1].2, "A: c\n\ny\n");
    }

    #[test]
    fn what_is_no_mbox_has_no_mails() {
        for text in ["", "A: b\n\nx\n", "\u{0}\u{1}\u{2}"] {
            assert_eq!(mails(text), vec![], "{text:?}");
        }
    }
}
