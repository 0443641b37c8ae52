//! Kept bytes of what was refused, with the place that was wrong.
//!
//! What: JSON line by line with the leaf a pointer names marked; what is no JSON with the first byte that is not. Why: a pointer
//! into two kilobytes on one line is no help. Not here: markup (`web`), what was wrong (the refusal's own sentence).
//!
//! Nothing is read into numbers and written again: members keep their order, their repetitions and their spelling.

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::{Value, value::RawValue};
use std::{fmt, iter};
use surfaces_base::visible::json_visible;

/// Deeper than this a value stays on one line. The gate refuses what is deeper than 32.
const DEPTH_MAX: usize = 48;

/// What is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum KeptContent {
    /// JSON, and whether the place was found in it.
    Json {
        /// As it is written out.
        lines: Vec<KeptLine>,
        /// A part of the pointer is not there: its nearest holder is marked.
        nearest: bool,
    },
    /// Text that is no JSON.
    Text {
        /// Up to the place.
        before: String,
        /// The character there; empty: the text ends too soon.
        bad: String,
        /// What follows.
        after: String,
        /// From 1.
        line: usize,
        /// In bytes, from 1.
        column: usize,
    },
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeptLine {
    /// How deep, from 0.
    pub depth: usize,
    /// What stands there, with control characters made visible.
    pub text: String,
    /// Whether it is the place.
    pub marked: bool,
}

/// Writes out what is kept.
pub(crate) fn kept(raw: &str, pointer: &str) -> KeptContent {
    let value = match serde_json::from_str::<&RawValue>(raw) {
        Ok(value) => value,
        Err(skipped) => {
            // Skipping over a value and reading it count the place in two ways: the reader's is that of the bad byte.
            let error = serde_json::from_str::<Value>(raw).err().unwrap_or(skipped);
            return text(raw, error.line(), error.column());
        }
    };
    let place: Vec<String> = pointer
        .split('/')
        .skip(1)
        .map(|part| part.replace("~1", "/").replace("~0", "~"))
        .collect();
    let mut writer = LineWriter {
        lines: Vec::new(),
        nearest: false,
    };
    let toward = (!place.is_empty()).then_some(place.as_slice());
    writer.value("", value, "", 0, toward);
    KeptContent::Json {
        lines: writer.lines,
        nearest: writer.nearest,
    }
}

/// A reader says where it stopped: the character before that place is the one it did not want.
fn text(raw: &str, line: usize, column: usize) -> KeptContent {
    let begins: usize = raw
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    let mut at = (begins + column.saturating_sub(1)).min(raw.len());
    while !raw.is_char_boundary(at) {
        at -= 1;
    }
    let (before, rest) = raw.split_at(at);
    let (bad, after) = rest.split_at(rest.chars().next().map_or(0, char::len_utf8));
    KeptContent::Text {
        before: json_visible(before).into_owned(),
        bad: json_visible(bad).into_owned(),
        after: json_visible(after).into_owned(),
        line,
        column,
    }
}

struct LineWriter {
    lines: Vec<KeptLine>,
    nearest: bool,
}

impl LineWriter {
    fn line(&mut self, depth: usize, text: &str, marked: bool) {
        self.lines.push(KeptLine {
            depth,
            text: json_visible(text).into_owned(),
            marked,
        });
    }

    /// A value behind its `name: `, before its comma. `toward`: the rest of the way to the place, if it is in here.
    fn value(&mut self, name: &str, value: &RawValue, comma: &str, depth: usize, toward: Option<&[String]>) {
        let children = if depth < DEPTH_MAX { children(value) } else { None };
        let here = toward.is_some_and(<[String]>::is_empty);
        let Some(JsonChildren {
            members,
            open,
            close,
            named,
        }) = children.filter(|children| !children.members.is_empty())
        else {
            self.nearest |= toward.is_some() && !here;
            return self.line(depth, &format!("{name}{}{comma}", value.get()), toward.is_some());
        };
        let next = toward.and_then(<[String]>::split_first);
        // Of repeated members the last counts, as for most readers.
        let on = next.and_then(|(part, _)| members.iter().rposition(|(name, _)| name == part));
        let lost = next.is_some() && on.is_none();
        self.nearest |= lost;
        self.line(depth, &format!("{name}{open}"), here || lost);
        let commas = iter::repeat_n(",", members.len() - 1).chain([""]);
        for ((n, (name, child)), comma) in members.iter().enumerate().zip(commas) {
            let label = if named {
                format!("{}: ", Value::from(name.as_str()))
            } else {
                String::new()
            };
            let toward = next.filter(|_| on == Some(n)).map(|(_, rest)| rest);
            self.value(&label, child, comma, depth + 1, toward);
        }
        self.line(depth, &format!("{close}{comma}"), false);
    }
}

struct JsonChildren<'a> {
    members: Vec<(String, &'a RawValue)>,
    open: char,
    close: char,
    /// Whether the names are shown.
    named: bool,
}

/// Members of an object or an array; `None`: neither.
fn children(value: &RawValue) -> Option<JsonChildren<'_>> {
    let text = value.get();
    match text.as_bytes().first()? {
        b'{' => {
            let mut reader = serde_json::Deserializer::from_str(text);
            let members = reader.deserialize_map(MembersVisitor).ok()?;
            Some(JsonChildren {
                members,
                open: '{',
                close: '}',
                named: true,
            })
        }
        b'[' => {
            let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
            let members = items.into_iter().enumerate();
            Some(JsonChildren {
                members: members.map(|(n, item)| (n.to_string(), item)).collect(),
                open: '[',
                close: ']',
                named: false,
            })
        }
        _ => None,
    }
}

/// All members in their order, repeated ones too.
struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two spaces a level; the marked lines begin with `>`.
    fn shown(raw: &str, pointer: &str) -> (String, bool) {
        match kept(raw, pointer) {
            KeptContent::Json { lines, nearest } => {
                let line = |line: &KeptLine| {
                    format!(
                        "{}{}{}",
                        if line.marked { ">" } else { "" },
                        "  ".repeat(line.depth),
                        line.text
                    )
                };
                (lines.iter().map(line).collect::<Vec<_>>().join("\n"), nearest)
            }
            KeptContent::Text { .. } => panic!("no JSON: {raw}"),
        }
    }

    #[test]
    fn the_leaf_that_a_pointer_names_is_marked_and_nothing_else_changes() {
        let raw = r#"{"b":{"a/b":[1.50,1E2,{}]},"a":"x","a":"y"}"#;
        let plain = "{\n  \"b\": {\n    \"a/b\": [\n      1.50,\n      1E2,\n      {}\n    ]\n  },\n  \"a\": \"x\",\n  \"a\": \"y\"\n}";
        for (pointer, marked, nearest) in [
            ("", None, false),
            ("/b/a~1b/1", Some("      1E2,"), false),
            ("/b/a~1b/2", Some("      {}"), false),
            ("/b/a~1b", Some("    \"a/b\": ["), false),
            // Of a repeated member the last counts.
            ("/a", Some("  \"a\": \"y\""), false),
            // What is missing stands in nobody's place: its holder is marked.
            ("/b/c", Some("  \"b\": {"), true),
            ("/b/a~1b/7/x", Some("    \"a/b\": ["), true),
            ("/a/0", Some("  \"a\": \"y\""), true),
        ] {
            let wanted: Vec<String> = plain
                .lines()
                .map(|line| {
                    if Some(line) == marked {
                        format!(">{line}")
                    } else {
                        line.to_owned()
                    }
                })
                .collect();
            assert_eq!(shown(raw, pointer), (wanted.join("\n"), nearest), "{pointer}");
        }
    }

    #[test]
    fn what_is_no_json_is_cut_at_the_first_byte_that_is_not() {
        for (raw, before, bad, after, line, column) in [
            (r#"{"a":1,}"#, r#"{"a":1,"#, "}", "", 1, 8),
            ("{\"a\":\n ?\u{202e}}", "{\"a\":\\u000a ", "?", r"\u202e}", 2, 2),
            ("[1] x", "[1] ", "x", "", 1, 5),
            ("\"a\u{1}b\"", "\"a", r"\u0001", "b\"", 1, 3),
        ] {
            let wanted = KeptContent::Text {
                before: before.to_owned(),
                bad: bad.to_owned(),
                after: after.to_owned(),
                line,
                column,
            };
            assert_eq!(kept(raw, "/a"), wanted, "{raw}");
        }
        // What ends too soon has nothing to mark.
        assert!(matches!(kept(r#"{"a":"#, ""), KeptContent::Text { after, .. } if after.is_empty()));
        assert!(
            matches!(kept("", ""), KeptContent::Text { before, bad, .. } if before.is_empty() && bad.is_empty())
        );
    }

    #[test]
    fn nesting_is_written_out_to_a_depth_and_then_kept_on_one_line() {
        let deep = format!("{}{}", "[".repeat(3000), "]".repeat(3000));
        let KeptContent::Json { lines, .. } = kept(&deep, "") else {
            panic!("it is JSON")
        };
        assert_eq!(lines.len(), 2 * DEPTH_MAX + 1);
    }
}
