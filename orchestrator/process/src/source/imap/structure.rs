//! Which parts of a mail are its text.
//!
//! What: [`TextParts`], from what a server says of a mail's structure (RFC 9051, `BODYSTRUCTURE`), and the mail that is put together from them.
//! Why: attachments never pass; what an agent reads is a mail like any other. Not here: fetching (`fetch`), what a mail means (the agent).

use super::answer::ImapValue;
use std::fmt::Write as _;

/// Bytes of a part that are fetched.
pub(super) const PART_MAX: usize = 64 << 10;
/// Bytes of a head that are fetched.
pub(super) const HEAD_MAX: usize = 64 << 10;
/// Parts of a mail that are looked at.
const PARTS_MAX: usize = 200;

/// A part that is text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextPart {
    /// `1.2`
    pub(super) section: String,
    is_html: bool,
    /// Its parameters and its encoding, as far as they are plain words.
    parameters: Vec<(String, String)>,
    encoding: String,
}

/// The parts of a mail that are read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TextParts {
    pub(super) plain: Option<TextPart>,
    pub(super) html: Option<TextPart>,
    /// What a calendar program wants with it: `REQUEST`, `REPLY`. Its part stays where it is.
    method: Option<String>,
    looked_at: usize,
}

impl TextParts {
    /// Of a structure; of one that makes no sense, nothing.
    pub(super) fn of_structure(structure: &ImapValue) -> Self {
        let mut parts = Self::default();
        parts.look("", structure);
        parts
    }

    /// The sections to be fetched, for mails that have the same.
    pub(super) fn sections(&self) -> Vec<&str> {
        let parts = [&self.plain, &self.html];
        parts
            .into_iter()
            .flatten()
            .map(|part| part.section.as_str())
            .collect()
    }

    fn look(&mut self, section: &str, structure: &ImapValue) {
        self.looked_at += 1;
        let Some(values) = structure.as_list().filter(|_| self.looked_at <= PARTS_MAX) else {
            return;
        };
        // A mail of several parts begins with them.
        if matches!(values.first(), Some(ImapValue::List(_))) {
            let parts = values.iter().take_while(|value| value.as_list().is_some());
            for (number, part) in (1..).zip(parts) {
                let dot = if section.is_empty() { "" } else { "." };
                self.look(&format!("{section}{dot}{number}"), part);
            }
            return;
        }
        let section = if section.is_empty() { "1" } else { section };
        self.look_at_one(section, values);
    }

    fn look_at_one(&mut self, section: &str, values: &[ImapValue]) {
        let [kind, subtype, parameters, _id, _description, encoding, ..] = values else {
            return;
        };
        if !kind.is("text") {
            return;
        }
        let parameters = plain_pairs(parameters);
        if subtype.is("calendar") {
            let method = parameters.into_iter().find(|(name, _)| name == "method");
            self.method = self.method.take().or(method.map(|(_, method)| method));
            return;
        }
        // Size and lines, then what may follow: a hash, how it is to be shown.
        let is_attached = values
            .iter()
            .skip(8)
            .filter_map(|value| value.as_list()?.first())
            .any(|first| first.is("attachment"));
        let part = TextPart {
            section: section.to_owned(),
            is_html: subtype.is("html"),
            parameters,
            encoding: encoding
                .as_text()
                .map(str::to_ascii_lowercase)
                .filter(|encoding| ENCODINGS.contains(&encoding.as_str()))
                .unwrap_or_else(|| "8bit".to_owned()),
        };
        let place = if part.is_html {
            &mut self.html
        } else if subtype.is("plain") {
            &mut self.plain
        } else {
            return;
        };
        if !is_attached {
            place.get_or_insert(part);
        }
    }
}

const ENCODINGS: [&str; 5] = ["7bit", "8bit", "binary", "base64", "quoted-printable"];

/// Parameters by which a text is read, of plain words alone.
fn plain_pairs(parameters: &ImapValue) -> Vec<(String, String)> {
    let values = parameters.as_list().unwrap_or_default();
    let pairs = values.chunks(2).filter_map(|pair| {
        let [name, value] = pair else { return None };
        let name = name.as_text()?.to_ascii_lowercase();
        let value = value.as_text()?;
        let is_known = ["charset", "format", "delsp", "method"].contains(&name.as_str());
        let is_word = (1..=64).contains(&value.len())
            && value
                .bytes()
                .all(|c| c.is_ascii_alphanumeric() || b"-_.:+".contains(&c));
        (is_known && is_word).then(|| (name, value.to_owned()))
    });
    pairs.collect()
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

impl TextPart {
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
    use super::{super::answer::ImapAnswer, *};

    fn parts(structure: &str) -> TextParts {
        let answer = format!("* 1 FETCH (BODYSTRUCTURE {structure})\r\n");
        let Ok(ImapAnswer::Data(data)) = ImapAnswer::parse(answer.as_bytes()) else {
            panic!("{answer}")
        };
        TextParts::of_structure(&data[2].as_list().unwrap()[1])
    }

    const PLAIN: &str =
        r#"("text" "plain" ("charset" "utf-8" "x" "y") NIL NIL "QUOTED-PRINTABLE" 100 4 NIL NIL NIL NIL)"#;
    const HTML: &str = r#"("TEXT" "HTML" ("CHARSET" "iso-8859-1") NIL NIL "base64" 900 12)"#;

    #[test]
    fn text_is_found_wherever_it_stands_and_what_is_attached_is_not() {
        let pdf = r#"("application" "pdf" ("name" "a.pdf") NIL NIL "base64" 100000 NIL ("attachment" ("filename" "a.pdf")) NIL NIL)"#;
        let log =
            r#"("text" "plain" NIL NIL NIL "7bit" 9 1 NIL ("attachment" ("filename" "a.log")) NIL NIL)"#;
        let invitation =
            r#"("text" "calendar" ("method" "REQUEST" "charset" "utf-8") NIL NIL "7bit" 900 20)"#;
        for (structure, sections, method) in [
            (PLAIN.to_owned(), vec!["1"], None),
            (
                format!(r#"({PLAIN}{HTML} "alternative" ("boundary" "x") NIL NIL NIL)"#),
                vec!["1", "2"],
                None,
            ),
            (
                format!(r#"(({PLAIN}{HTML} "alternative"){pdf} "mixed")"#),
                vec!["1.1", "1.2"],
                None,
            ),
            (format!(r#"({log}{HTML} "mixed")"#), vec!["2"], None),
            (
                format!(r#"({PLAIN}{invitation} "alternative")"#),
                vec!["1"],
                Some("REQUEST"),
            ),
            (pdf.to_owned(), vec![], None),
            ("NIL".to_owned(), vec![], None),
            ("(())".to_owned(), vec![], None),
            (r#"("text")"#.to_owned(), vec![], None),
        ] {
            let found = parts(&structure);
            assert_eq!(
                (found.sections(), found.method.as_deref()),
                (sections, method),
                "{structure}"
            );
        }
        let many = format!("({} \"mixed\")", HTML.repeat(5000));
        assert_eq!(parts(&many).sections(), ["1"]);
    }

    #[test]
    fn mail_is_put_together_with_what_its_parts_say_and_nothing_else() {
        let head = b"Subject: Hi\r\nContent-Type: multipart/alternative;\r\n boundary=old\r\nFrom x Mon Jan 1 00:00:00 2026\r\nTo: kim@example.org\r\nCut";
        let both = parts(&format!(r#"({PLAIN}{HTML} "alternative")"#));
        let one = put_together(head, &parts(PLAIN), Some(b"Hello=\r\n"), None);
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
        // A charset that would end the line is no word.
        let evil = PLAIN.replace("utf-8", "x\\\"");
        let evil = put_together(b"", &parts(&evil), Some(b""), None);
        assert!(!String::from_utf8(evil).unwrap().contains("charset"));
        let long = [b"a\n".as_slice(), &vec![b'b'; PART_MAX]].concat();
        assert_eq!(whole_lines(&long), b"a\n");
        assert_eq!(old_head(b"Date: x\r\n\r\nbody"), b"Date: x\r\n\r\n");
    }
}
