//! A list of records in YAML, as far as one package needs it.
//!
//! What: [`records`]: lines `- name: value`, values on one line or below `|-`, and one level of names within a name. Why: that is all there is, and a reader
//! of all of YAML would be a dependency. Not here: what the values mean (`packages`).

use std::collections::BTreeMap;

/// A record's values by name; a name within a name is `outer.inner`. `null` and an empty value are no value.
pub(super) type YamlRecord = BTreeMap<String, String>;

pub(super) fn records(text: &str) -> Vec<YamlRecord> {
    let mut out: Vec<YamlRecord> = Vec::new();
    let mut outer = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let bare = line.trim_start();
        if bare.is_empty() || bare.starts_with('#') {
            continue;
        }
        let (bare, depth) = match bare.strip_prefix("- ") {
            Some(rest) => {
                out.push(YamlRecord::new());
                (rest, 2)
            }
            None => (bare, line.len() - bare.len()),
        };
        let (Some((name, value)), Some(record)) = (bare.split_once(':'), out.last_mut()) else {
            continue;
        };
        let name = if depth > 2 {
            format!("{outer}.{name}")
        } else {
            name.to_owned()
        };
        let value = value.trim();
        if value == "|-" {
            let mut block: Vec<&str> = Vec::new();
            while let Some(next) = lines.next_if(|next| next.trim().is_empty() || next.starts_with("    ")) {
                block.push(next.get(4..).unwrap_or_default());
            }
            record.insert(name, block.join("\n").trim_end().to_owned());
        } else if value.is_empty() {
            outer = name;
        } else if let Some(value) = scalar(value) {
            record.insert(name, value);
        }
    }
    out
}

fn scalar(value: &str) -> Option<String> {
    let value = match value.strip_prefix('"') {
        Some(rest) => rest.split('"').next().unwrap_or_default(),
        None => value.split(" #").next().unwrap_or_default().trim(),
    };
    (value != "null").then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_has_its_values_by_name() {
        let text = "# c\n\n- id: one\n  from: null\n  text: |-\n    a: b\n\n    - c\n  expected:\n    amount: \"2.50\"\n    name: A # why\n    none: null  # x\n- id: two\n";
        let record = |pairs: &[(&str, &str)]| -> YamlRecord {
            pairs
                .iter()
                .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
                .collect()
        };
        assert_eq!(
            records(text),
            [
                record(&[
                    ("id", "one"),
                    ("text", "a: b\n\n- c"),
                    ("expected.amount", "2.50"),
                    ("expected.name", "A")
                ]),
                record(&[("id", "two")])
            ]
        );
    }
}
