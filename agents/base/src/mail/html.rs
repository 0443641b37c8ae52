//! The text of an HTML body, with its quotations marked as in plain text.
//!
//! What: [`text_of_html`]: text with a line for each block, `> ` before what a program quoted, and the hosts of its links. Why: the zones
//! of a mail are found in one way for HTML and plain text. Not here: zones (`zones`), what a page looks like.
//!
//! One pass over the bytes; a tag, a comment or a script that never ends hides what follows it, as in a browser.

use memchr::{memchr, memmem};

/// Bytes of a name of a character (`&eacute;`).
const ENTITY: usize = 12;
/// Links that are looked at.
const LINKS: usize = 64;

/// An HTML body as text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct HtmlText {
    pub text: String,
    /// The targets of its links, the first 64.
    pub links: Vec<String>,
}

/// Tags that begin a new line.
const BLOCKS: &[&str] = &[
    "br",
    "p",
    "div",
    "tr",
    "li",
    "ul",
    "ol",
    "table",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "blockquote",
    "hr",
    "pre",
    "center",
    "section",
    "article",
    "header",
    "footer",
    "dt",
    "dd",
    "option",
];
/// Tags whose content is not shown.
const HIDDEN: &[&str] = &["script", "style", "title", "head", "template", "noscript"];

/// The text of an HTML body, at most `most` bytes of it.
pub(crate) fn text_of_html(html: &str, most: usize) -> HtmlText {
    let mut writer = HtmlWriter::default();
    let mut rest = html;
    while let Some(open) = memchr(b'<', rest.as_bytes()) {
        let (before, tag) = rest.split_at(open);
        writer.text(before);
        if writer.out.text.len() >= most {
            break;
        }
        if let Some(comment) = tag.strip_prefix("<!--") {
            rest = memmem::find(comment.as_bytes(), b"-->")
                .and_then(|end| comment.get(end + 3..))
                .unwrap_or_default();
            continue;
        }
        // In a script `<` is a sign like others; what ends it begins with `</`.
        if writer.hidden.is_some() && !tag.starts_with("</") && !begins_body(tag) {
            rest = tag.get(1..).unwrap_or_default();
            continue;
        }
        let Some(end) = memchr(b'>', tag.as_bytes()) else {
            rest = "";
            break;
        };
        writer.tag(tag.get(1..end).unwrap_or_default());
        rest = tag.get(end + 1..).unwrap_or_default();
    }
    if writer.out.text.len() < most {
        writer.text(rest);
    }
    writer.out
}

fn begins_body(tag: &str) -> bool {
    tag.get(..5)
        .is_some_and(|begin| begin.eq_ignore_ascii_case("<body"))
}

#[derive(Default)]
struct HtmlWriter {
    out: HtmlText,
    /// The tag whose content is left out until it closes.
    hidden: Option<&'static str>,
    /// How many open `blockquote` there are since the first that quotes.
    quoted: usize,
    /// A blank is due before the next word.
    blank: bool,
}

impl HtmlWriter {
    fn text(&mut self, text: &str) {
        if self.hidden.is_some() {
            return;
        }
        for piece in text.split_inclusive([' ', '\t', '\r', '\n']) {
            let word = piece.trim_end_matches([' ', '\t', '\r', '\n']);
            if !word.is_empty() {
                self.word(word);
            }
            self.blank |= word.len() < piece.len();
        }
    }

    fn word(&mut self, word: &str) {
        let begins = self.out.text.is_empty() || self.out.text.ends_with('\n');
        if begins && self.quoted > 0 {
            self.out.text.push_str("> ");
        } else if self.blank && !begins {
            self.out.text.push(' ');
        }
        self.blank = false;
        let mut rest = word;
        while let Some(at) = memchr(b'&', rest.as_bytes()) {
            let (before, entity) = rest.split_at(at);
            self.out.text.push_str(before);
            let end = entity.bytes().take(ENTITY).position(|b| b == b';');
            let (entity, after) = entity.split_at(end.map_or(1, |end| end + 1));
            match entity.strip_prefix('&').and_then(|name| name.strip_suffix(';')) {
                Some("nbsp") => self.out.text.push(' '),
                Some("") | None => self.out.text.push_str(entity),
                Some(name) if name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'#') => {
                    mail_parser::decoders::html::add_html_token(&mut self.out.text, entity.as_bytes(), false);
                }
                Some(_) => self.out.text.push_str(entity),
            }
            rest = after;
        }
        self.out.text.push_str(rest);
    }

    fn line(&mut self) {
        if !self.out.text.is_empty() && !self.out.text.ends_with("\n\n") {
            self.out.text.push('\n');
        }
        self.blank = false;
    }

    /// A tag without its brackets.
    fn tag(&mut self, tag: &str) {
        let closes = tag.starts_with('/');
        let tag = tag.trim_start_matches('/');
        let length = tag.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let (name, attributes) = tag.split_at(length);
        let is = |known: &&&'static str| name.eq_ignore_ascii_case(known);
        if let Some(hidden) = self.hidden {
            // A body begins even where a head was left open.
            if (closes && name.eq_ignore_ascii_case(hidden))
                || (hidden == "head" && name.eq_ignore_ascii_case("body"))
            {
                self.hidden = None;
            }
            return;
        }
        if !closes {
            self.hidden = HIDDEN.iter().find(is).copied();
        }
        if name.eq_ignore_ascii_case("blockquote") {
            if closes {
                self.quoted = self.quoted.saturating_sub(1);
            } else if self.quoted > 0 || quotes(attributes) || self.attributed() {
                self.quoted += 1;
            }
        }
        if BLOCKS.iter().any(|known| name.eq_ignore_ascii_case(known)) {
            self.line();
        } else if name.eq_ignore_ascii_case("td") || name.eq_ignore_ascii_case("th") {
            self.blank = true;
        } else if !closes && name.eq_ignore_ascii_case("a") && self.out.links.len() < LINKS {
            self.out.links.extend(target(attributes));
        }
        if !closes && begins_earlier_mail(name, attributes) {
            self.line();
            self.out.text.push_str("-----Original Message-----\n");
        } else if !closes && names(attributes, "gmail_signature") {
            self.line();
            self.out.text.push_str("-- \n");
        }
    }

    /// Whether what was written last introduces a quotation.
    fn attributed(&self) -> bool {
        self.out.text.trim_end().ends_with(':')
    }
}

/// Whether a `blockquote` is a mail program's quotation; layout uses it too.
fn quotes(attributes: &str) -> bool {
    names(attributes, "cite") || names(attributes, "quote")
}

/// What Outlook, its web page and Hotmail write above the mail that is answered.
fn begins_earlier_mail(name: &str, attributes: &str) -> bool {
    let one_of = |marks: &[&str]| marks.iter().any(|mark| names(attributes, mark));
    (name.eq_ignore_ascii_case("div")
        && one_of(&[
            "divrplyfwdmsg",
            "appendonsend",
            "outlookmessageheader",
            "yahoo_quoted",
        ]))
        || (name.eq_ignore_ascii_case("hr") && names(attributes, "stopspelling"))
}

/// Whether the attributes hold a word, whatever its case.
fn names(attributes: &str, word: &str) -> bool {
    let short = attributes
        .as_bytes()
        .get(..attributes.len().min(512))
        .unwrap_or_default();
    short
        .windows(word.len())
        .any(|window| window.eq_ignore_ascii_case(word.as_bytes()))
}

/// The target of a link.
fn target(attributes: &str) -> Option<String> {
    let short = attributes.get(..attributes.floor_char_boundary(2048))?;
    let at = short.to_ascii_lowercase().find("href")?;
    let value = short.get(at + 4..)?.trim_start().strip_prefix('=')?.trim_start();
    let value = match value.chars().next()? {
        quote @ ('"' | '\'') => value.get(1..)?.split(quote).next()?,
        _ => value.split([' ', '\t', '\n', '\r']).next()?,
    };
    Some(value.trim().chars().take(300).collect())
}
