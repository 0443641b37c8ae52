//! A mail that is put together from what was fetched of it.
//!
//! What: [`TextParts`], the parts that are read, and the mail or the head that is made of them. Why: attachments never pass; what an agent reads is a
//! mail like any other, whoever fetched it. Not here: fetching (`imap`, `jmap`), what a mail means (the agent).

use std::fmt::Write as _;

/// Bytes of a part that are fetched.
pub(super) const PART_MAX: usize = 64 << 10;
/// Bytes of a head that are fetched.
pub(super) const HEAD_MAX: usize = 64 << 10;
/// Bytes of an old mail's lines.
pub(super) const OLD_HEAD_MAX: usize = 16 << 10;

/// A part that is text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextPart {
    /// By which its bytes are asked for: `1.2`
    pub(super) section: String,
    pub(super) is_html: bool,
    /// Its parameters and its encoding, as far as they are plain words.
    pub(super) parameters: Vec<(String, String)>,
    pub(super) encoding: String,
}

/// The parts of a mail that are read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TextParts {
    pub(super) plain: Option<TextPart>,
    pub(super) html: Option<TextPart>,
    /// What a calendar program wants with it: `REQUEST`, `REPLY`. Its part stays where it is.
    pub(super) method: Option<String>,
}

impl TextParts {
    /// The sections to be fetched, for mails that have the same.
    pub(super) fn sections(&self) -> Vec<&str> {
        let parts = [&self.plain, &self.html];
        parts
            .into_iter()
            .flatten()
            .map(|part| part.section.as_str())
            .collect()
    }
}

impl TextPart {
    /// Of a text that the server has decoded already.
    pub(super) fn decoded(section: String, is_html: bool) -> Self {
        Self {
            section,
            is_html,
            parameters: vec![("charset".to_owned(), "utf-8".to_owned())],
            encoding: "8bit".to_owned(),
        }
    }

    fn lines(&self) -> String {
        let subtype = if self.is_html { "html" } else { "plain" };
        let mut lines = format!("Content-Type: text/{subtype}");
        for (name, value) in &self.parameters {
            // Writing to a text does not fail.
            let _ = write!(lines, "; {name}=\"{value}\"");
        }
        let _ = write!(lines, "\r\nContent-Transfer-Encoding: {}\r\n", self.encoding);
        lines
    }
}

/// Lines of a head that the parts say anew.
const SAID_ANEW: [&str; 5] = [
    "content-type",
    "content-transfer-encoding",
    "content-disposition",
    "content-length",
    "mime-version",
];

/// A mail of a head and the bytes of its parts.
pub(super) fn put_together(
    head: &[u8],
    parts: &TextParts,
    plain: Option<&[u8]>,
    html: Option<&[u8]>,
) -> Vec<u8> {
    let mut mail = head_without_parts(head);
    let mut pieces: Vec<(String, &[u8])> = Vec::new();
    for (part, bytes) in [(&parts.plain, plain), (&parts.html, html)] {
        if let (Some(part), Some(bytes)) = (part, bytes) {
            pieces.push((part.lines(), whole_lines(bytes)));
        }
    }
    if let Some(method) = &parts.method {
        pieces.push((format!("Content-Type: text/calendar; method={method}\r\n"), b""));
    }
    mail.extend_from_slice(b"MIME-Version: 1.0\r\n");
    if pieces.is_empty() {
        mail.extend_from_slice(b"Content-Type: text/plain\r\n\r\n");
        return mail;
    }
    if let [(lines, bytes)] = pieces.as_slice() {
        mail.extend_from_slice(lines.as_bytes());
        mail.extend_from_slice(b"\r\n");
        mail.extend_from_slice(bytes);
        return mail;
    }
    let boundary = boundary_for(&pieces);
    let kind = format!("Content-Type: multipart/alternative; boundary=\"{boundary}\"\r\n\r\n");
    mail.extend_from_slice(kind.as_bytes());
    for (lines, bytes) in pieces {
        mail.extend_from_slice(format!("--{boundary}\r\n{lines}\r\n").as_bytes());
        mail.extend_from_slice(bytes);
        mail.extend_from_slice(b"\r\n");
    }
    mail.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    mail
}

/// What stands in none of the pieces: a count is added until it does.
fn boundary_for(pieces: &[(String, &[u8])]) -> String {
    let stands_in = |boundary: &str| {
        let wanted = boundary.as_bytes();
        pieces
            .iter()
            .any(|(_, bytes)| bytes.windows(wanted.len()).any(|part| part == wanted))
    };
    let mut count = 0_u32;
    loop {
        let boundary = format!("aura-part-{count}-of-a-mail");
        if !stands_in(&boundary) {
            return boundary;
        }
        count += 1;
    }
}

/// The lines of a head up to its end, without those that speak of parts; a last line that is cut goes.
fn head_without_parts(head: &[u8]) -> Vec<u8> {
    let head = head.get(..HEAD_MAX).unwrap_or(head);
    let mut kept = Vec::with_capacity(head.len());
    let mut is_left_out = false;
    for line in head.split_inclusive(|byte| *byte == b'\n') {
        if line.last() != Some(&b'\n') || matches!(line, b"\n" | b"\r\n") {
            break;
        }
        if !matches!(line.first(), Some(b' ' | b'\t')) {
            let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
            let name = String::from_utf8_lossy(name).trim().to_ascii_lowercase();
            // A line that begins as an mbox divides its mails is no line of a head.
            is_left_out = SAID_ANEW.contains(&name.as_str()) || line.starts_with(b"From ");
        }
        if !is_left_out {
            kept.extend_from_slice(line);
        }
    }
    kept
}

/// An old mail's lines, as a piece of an mbox.
pub(super) fn old_head(head: &[u8]) -> Vec<u8> {
    let mut kept = head_without_parts(head);
    kept.extend_from_slice(b"\r\n");
    kept
}

/// The head that a mail of these parts is given, whatever stands in them: one without a Message-ID is known by it.
pub(super) fn whole_head(head: &[u8], parts: &TextParts) -> Vec<u8> {
    let mut mail = put_together(head, parts, Some(b""), Some(b""));
    let end = mail.windows(4).position(|bytes| bytes == b"\r\n\r\n");
    mail.truncate(end.map_or(mail.len(), |end| end + 4));
    mail
}

/// What was cut at the bound ends with a line, so that no sign is torn.
fn whole_lines(bytes: &[u8]) -> &[u8] {
    if bytes.len() < PART_MAX {
        return bytes;
    }
    // A server may send more than it was asked for.
    let bytes = bytes.get(..PART_MAX).unwrap_or(bytes);
    let end = bytes.iter().rposition(|byte| *byte == b'\n');
    end.and_then(|end| bytes.get(..=end)).unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(is_html: bool, charset: &str, encoding: &str) -> TextPart {
        TextPart {
            section: "1".to_owned(),
            is_html,
            parameters: vec![("charset".to_owned(), charset.to_owned())],
            encoding: encoding.to_owned(),
        }
    }

    #[test]
    fn mail_is_put_together_with_what_its_parts_say_and_nothing_else() {
        let head = b"Subject: Hi\r\nContent-Type: multipart/alternative;\r\n boundary=old\r\nFrom x Mon Jan 1 00:00:00 2026\r\nTo: kim@example.org\r\nCut";
        let plain = TextParts {
            plain: Some(part(false, "utf-8", "quoted-printable")),
            ..TextParts::default()
        };
        let both = TextParts {
            html: Some(part(true, "iso-8859-1", "base64")),
            ..plain.clone()
        };
        let one = put_together(head, &plain, Some(b"Hello=\r\n"), None);
        assert_eq!(
            String::from_utf8(one).unwrap(),
            "Subject: Hi\r\nTo: kim@example.org\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=\"utf-8\"\r\n\
             Content-Transfer-Encoding: quoted-printable\r\n\r\nHello=\r\n"
        );
        let two = put_together(head, &both, Some(b"Hello"), Some(b"aura-part-0-of-a-mail"));
        let two = String::from_utf8(two).unwrap();
        assert!(
            two.contains("boundary=\"aura-part-1-of-a-mail\"") && !two.contains("old"),
            "{two}"
        );
        assert!(
            two.contains("text/html; charset=\"iso-8859-1\"\r\nContent-Transfer-Encoding: base64"),
            "{two}"
        );
        assert_eq!(
            whole_head(head, &both),
            two.split_inclusive("\r\n\r\n")
                .next()
                .unwrap()
                .replace("part-1", "part-0")
                .as_bytes()
        );
        let long = [b"a\n".as_slice(), &vec![b'b'; PART_MAX]].concat();
        assert_eq!(whole_lines(&long), b"a\n");
        assert_eq!(old_head(b"Date: x\r\n\r\nbody"), b"Date: x\r\n\r\n");
    }
}
