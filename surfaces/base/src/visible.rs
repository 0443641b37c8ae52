//! Text from outside, made harmless to look at.
//!
//! What: characters that steer a terminal, turn text around or hide are written as escapes. Why: what was refused is shown
//! to people, on a terminal and on a page, and must not act there. Not here: HTML, which the pages' templates escape.

use std::{borrow::Cow, fmt::Write as _};

/// Characters that steer a terminal or hide: controls, and those that turn or break text without a trace.
fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{061c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}')
        || matches!(c, '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// Text with every character that steers a terminal escaped.
pub fn visible(text: &str) -> Cow<'_, str> {
    replaced(text, |c, out| out.extend(c.escape_unicode()))
}

/// The same for JSON text, where such characters stand inside strings only, with JSON's own escapes.
pub fn json_visible(json: &str) -> Cow<'_, str> {
    replaced(json, |c, out| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\u{unit:04x}");
        }
    })
}

/// A name without these characters: code amid a name reads worse, and the name is no evidence. One of nothing else has them escaped.
pub fn plain_name(name: &str) -> Cow<'_, str> {
    if !name.contains(steers) {
        return Cow::Borrowed(name);
    }
    let plain: String = name.chars().filter(|c| !steers(*c)).collect();
    if plain.trim().is_empty() {
        visible(name)
    } else {
        Cow::Owned(plain)
    }
}

/// A line of an error is cut in its middle where it is longer than so many bytes, and these are left of it.
const LINE_MAX: usize = 1200;
const HEAD: usize = 300;
const END: usize = 600;

/// Text without the middle of its long lines: an error quotes what a file holds, of whatever length.
pub fn shortened(text: &str) -> Cow<'_, str> {
    if text.lines().all(|line| line.len() <= LINE_MAX) {
        return Cow::Borrowed(text);
    }
    let lines = text.split('\n').map(|line| {
        if line.len() <= LINE_MAX {
            return Cow::Borrowed(line);
        }
        let (head, rest) = line.split_at(line.floor_char_boundary(HEAD));
        let (cut, end) = rest.split_at(rest.ceil_char_boundary(rest.len() - END));
        Cow::Owned(format!("{head}[… {} bytes …]{end}", cut.len()))
    });
    Cow::Owned(lines.collect::<Vec<_>>().join("\n"))
}

fn replaced(text: &str, escape: impl Fn(char, &mut String)) -> Cow<'_, str> {
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if steers(c) {
            escape(c, &mut out);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_of_an_error_keeps_its_ends_however_long_it_is() {
        let line = "é".repeat(LINE_MAX / 2);
        assert_eq!(shortened(&line), line);
        // 300 bytes of its head, 600 of its end; é has two bytes, so that none is cut in two.
        let long = format!("2 | {}\nand b", "é".repeat(1000));
        let cut = format!(
            "2 | {}[… 1104 bytes …]{}\nand b",
            "é".repeat(148),
            "é".repeat(300)
        );
        assert_eq!(shortened(&long), cut);
        let odd = format!("x{}y", "é".repeat(1000));
        // 1 + 149 × 2 = 299 bytes are the last end of a character before 300; 299 × 2 + 1 = 599 the first behind the middle.
        let cut = format!("x{}[… 1104 bytes …]{}y", "é".repeat(149), "é".repeat(299));
        assert_eq!(shortened(&odd), cut);
    }

    #[test]
    fn what_steers_or_hides_is_written_as_an_escape_and_the_rest_stays() {
        for (text, shown, json) in [
            (
                "plain \u{e9} \u{20b9}",
                "plain \u{e9} \u{20b9}",
                "plain \u{e9} \u{20b9}",
            ),
            ("\u{1b}[2J", r"\u{1b}[2J", r"\u001b[2J"),
            ("a\u{202e}b\u{2066}", r"a\u{202e}b\u{2066}", r"a\u202eb\u2066"),
            ("\r\n\0", r"\u{d}\u{a}\u{0}", r"\u000d\u000a\u0000"),
            // Beyond the first plane JSON writes two units.
            ("\u{e0041}", r"\u{e0041}", r"\udb40\udc41"),
        ] {
            assert_eq!((&*visible(text), &*json_visible(text)), (shown, json), "{text:?}");
        }
    }
}
