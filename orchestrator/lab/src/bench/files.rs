//! Large files as their programs write them, for `aura bench import`.
//!
//! What: an mbox, a journal, a folder of mails, of any size, the same for the same seed. Why: a figure about gigabytes wants
//! gigabytes that nobody wrote. All of it is made up. Not here: reading them.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::Path,
};

/// A sequence of numbers that is the same for the same seed (Knuth's MMIX constants).
pub(crate) struct SeededNumbers(u64);

impl SeededNumbers {
    /// From a seed.
    pub(crate) fn from_seed(seed: u64) -> Self {
        Self(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// The next one, below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end.max(1)
    }
}

const WORDS: [&str; 24] = [
    "meeting", "report", "please", "tomorrow", "river", "invoice", "garden", "about", "because", "with",
    "seminar", "window", "travel", "the", "and", "of", "kettle", "draft", "budget", "photo", "song", "bread",
    "question", "answer",
];

/// A mail of about four thousand bytes, sent at this second since 1970; every third one has a part in base64.
fn mail(n: u64, seconds: i64, numbers: &mut SeededNumbers, out: &mut Vec<u8>) -> io::Result<()> {
    let at = chrono::DateTime::from_timestamp(seconds, 0).unwrap_or_default();
    let date = at.to_rfc2822();
    let person = numbers.below(200);
    write!(
        out,
        "Return-Path: <person{person}@example.net>\r\nReceived: from relay.example.net by mx.example.org; {date}\r\n\
         Message-ID: <{n}.{person}@example.net>\r\nFrom: Person {person} <person{person}@example.net>\r\n\
         To: Kavin <kavin@example.org>\r\nSubject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?= number {n}\r\nDate: {date}\r\n\
         MIME-Version: 1.0\r\n"
    )?;
    let binary = n.is_multiple_of(3);
    if binary {
        write!(
            out,
            "Content-Type: multipart/mixed; boundary=\"b{n}\"\r\n\r\n--b{n}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"
        )?;
    } else {
        write!(out, "Content-Type: text/plain; charset=utf-8\r\n\r\n")?;
    }
    for _ in 0..30 {
        for _ in 0..10 {
            let word = usize::try_from(numbers.below(WORDS.len() as u64)).unwrap_or(0);
            out.extend_from_slice(WORDS.get(word).unwrap_or(&"word").as_bytes());
            out.push(b' ');
        }
        out.extend_from_slice(b"\r\n");
    }
    if binary {
        write!(
            out,
            "--b{n}\r\nContent-Type: image/jpeg\r\nContent-Transfer-Encoding: base64\r\n\r\n"
        )?;
        for _ in 0..40 {
            for _ in 0..76 {
                out.push(b'A' + u8::try_from(numbers.below(26)).unwrap_or(0));
            }
            out.extend_from_slice(b"\r\n");
        }
        write!(out, "--b{n}--\r\n")?;
    }
    Ok(())
}

/// When an archive begins, in seconds since 1970 (the first of January 2021), and the seconds between two of its mails: some seventy
/// a day.
pub(crate) const ARCHIVE: (i64, i64) = (1_609_459_200, 1200);

/// When mail `n` of a sequence was sent.
fn sent((first, between): (i64, i64), n: u64) -> i64 {
    first.saturating_add(between.saturating_mul(i64::try_from(n).unwrap_or(i64::MAX)))
}

/// An mbox (mboxrd) of at least so many bytes; `when`: the first mail's second since 1970, and the seconds between two. Returns how many
/// they are.
///
/// # Errors
/// The disk's.
pub(crate) fn mbox(path: &Path, bytes: u64, when: (i64, i64), seed: u64) -> io::Result<u64> {
    let mut numbers = SeededNumbers::from_seed(seed);
    let mut file = BufWriter::new(File::create(path)?);
    let (mut written, mut n) = (0, 0);
    let mut one = Vec::new();
    while written < bytes {
        one.clear();
        one.extend_from_slice(b"From person@example.net Fri Jan  1 00:00:00 2021\n");
        mail(n, sent(when, n), &mut numbers, &mut one)?;
        one.extend_from_slice(b"\n");
        file.write_all(&one)?;
        written += one.len() as u64;
        n += 1;
    }
    file.flush()?;
    Ok(n)
}

/// A Maildir of so many mails.
///
/// # Errors
/// The disk's.
pub(crate) fn maildir(folder: &Path, mails: u64, seed: u64) -> io::Result<()> {
    let mut numbers = SeededNumbers::from_seed(seed);
    for part in ["cur", "new", "tmp"] {
        fs::create_dir_all(folder.join(part))?;
    }
    let mut one = Vec::new();
    for n in 0..mails {
        one.clear();
        mail(n, sent(ARCHIVE, n), &mut numbers, &mut one)?;
        fs::write(folder.join(format!("cur/{n}.M1P1.example:2,S")), &one)?;
    }
    Ok(())
}

/// An hledger journal of at least so many bytes.
///
/// # Errors
/// The disk's.
pub(crate) fn journal(path: &Path, bytes: u64, seed: u64) -> io::Result<u64> {
    const ACCOUNTS: [&str; 5] = ["groceries", "rent", "transport", "shopping", "health"];
    let mut numbers = SeededNumbers::from_seed(seed);
    let mut file = BufWriter::new(File::create(path)?);
    let (mut written, mut n) = (0, 0);
    while written < bytes {
        let day = chrono::NaiveDate::default() + chrono::Days::new(18_628 + n / 8);
        let account = ACCOUNTS
            .get(usize::try_from(numbers.below(5)).unwrap_or(0))
            .unwrap_or(&"other");
        let (rupees, paise) = (numbers.below(3000) + 10, numbers.below(100));
        let one = format!(
            "{day} * shop {} | number {n}\n    expenses:{account}    INR {rupees}.{paise:02}\n    assets:bank:1234\n\n",
            numbers.below(60)
        );
        file.write_all(one.as_bytes())?;
        written += one.len() as u64;
        n += 1;
    }
    file.flush()?;
    Ok(n)
}
