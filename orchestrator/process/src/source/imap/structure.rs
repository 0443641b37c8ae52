//! Which parts of a mail are its text.
//!
//! What: [`text_of_structure`], which finds them in what a server says of a mail's structure (RFC 9051, `BODYSTRUCTURE`). Why: attachments never pass. Not
//! here: fetching (`fetch`), the mail that is put together from them (`mail_text`).

use super::{
    super::mail_text::{TextPart, TextParts},
    answer::ImapValue,
};

/// Parts of a mail that are looked at.
const PARTS_MAX: usize = 200;

/// The text of a structure; of one that makes no sense, nothing.
pub(super) fn text_of_structure(structure: &ImapValue) -> TextParts {
    let mut look = TextPartsLook::default();
    look.look("", structure);
    look.parts
}

/// The parts that are found, and how many were looked at.
#[derive(Default)]
struct TextPartsLook {
    parts: TextParts,
    looked_at: usize,
}

impl TextPartsLook {
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
            self.parts.method = self.parts.method.take().or(method.map(|(_, method)| method));
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
            &mut self.parts.html
        } else if subtype.is("plain") {
            &mut self.parts.plain
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

#[cfg(test)]
mod tests {
    use super::{super::answer::ImapAnswer, *};

    fn parts(structure: &str) -> TextParts {
        let answer = format!("* 1 FETCH (BODYSTRUCTURE {structure})\r\n");
        let Ok(ImapAnswer::Data(data)) = ImapAnswer::parse(answer.as_bytes()) else {
            panic!("{answer}")
        };
        text_of_structure(&data[2].as_list().unwrap()[1])
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
    fn charset_that_would_end_the_line_is_no_word() {
        let evil = parts(&PLAIN.replace("utf-8", "x\\\""));
        assert!(evil.plain.unwrap().parameters.is_empty());
    }
}
