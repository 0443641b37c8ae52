//! The lines that a change of the owner's file would change.
//!
//! What: [`changed_lines`], what goes and what comes in its place, without secrets. Why: what saving does is seen before. Not here: making the change
//! (`home_file`).

use similar::{ChangeTag, TextDiff};
use std::time::Duration;
use surfaces_base::backend::settings::ChangedLine;

/// A line as any browser of the owner's may show it.
fn without_secret(line: &str) -> String {
    const SECRETS: [&str; 4] = ["topic", "answers", "token", "address"];
    // The name may stand in an address before it: what counts is the one with a value.
    let end = |key: &&str| {
        let mut ends = line.match_indices(*key).map(|(at, key)| at + key.len());
        ends.find(|end| {
            let value = line.get(*end..).unwrap_or_default();
            value
                .trim_start_matches(['"', '\''])
                .trim_start()
                .starts_with('=')
        })
    };
    let shown = SECRETS
        .iter()
        .filter_map(end)
        .min()
        .and_then(|end| line.get(..end));
    shown.map_or_else(|| line.to_owned(), |shown| format!("{shown} = \"\u{2026}\""))
}

/// The lines that differ, in the order of the file: what goes before what comes in its place.
pub(crate) fn changed_lines(before: &str, after: &str) -> Vec<ChangedLine> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let diff = TextDiff::configure()
        // Past it what is shown is correct and not the shortest.
        .timeout(Duration::from_secs(1))
        .diff_slices(&old, &new);
    let changed = diff.iter_all_changes().filter_map(|change| {
        let is_new = match change.tag() {
            ChangeTag::Equal => return None,
            ChangeTag::Delete => false,
            ChangeTag::Insert => true,
        };
        Some(ChangedLine {
            is_new,
            text: without_secret(change.value()),
        })
    });
    changed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_is_shown_however_it_is_written() {
        for (line, shown) in [
            ("token = \"s3cret\" # mine", "token = \"…\""),
            ("\"token\" = 's3cret'", "\"token = \"…\""),
            (
                "ntfy = { server = \"https://token.example.org\", token = \"s3cret\" }",
                "ntfy = { server = \"https://token.example.org\", token = \"…\"",
            ),
            (
                "ntfy = { topic = \"a\", answers = \"b\" }",
                "ntfy = { topic = \"…\"",
            ),
            ("ceiling = 2 # no token", "ceiling = 2 # no token"),
        ] {
            assert_eq!(without_secret(line), shown);
        }
    }
}
