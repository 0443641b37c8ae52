//! The lines that a change of the owner's file would change.
//!
//! What: [`changed_lines`], what goes and what comes in its place, without secrets. Why: what saving does is seen before. Not here: making the change
//! (`home_file`).

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
    // How many lines both have in common from each pair of places on.
    let width = new.len() + 1;
    let mut common = vec![0_usize; (old.len() + 1) * width];
    let at = |i: usize, j: usize| i * width + j;
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[at(i, j)] = if old[i] == new[j] {
                common[at(i + 1, j + 1)] + 1
            } else {
                common[at(i + 1, j)].max(common[at(i, j + 1)])
            };
        }
    }
    let line = |is_new: bool, text: &str| ChangedLine {
        is_new,
        text: without_secret(text),
    };
    let (mut i, mut j, mut lines) = (0, 0, Vec::new());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            (i, j) = (i + 1, j + 1);
        } else if j == new.len() || (i < old.len() && common[at(i + 1, j)] >= common[at(i, j + 1)]) {
            lines.push(line(false, old[i]));
            i += 1;
        } else {
            lines.push(line(true, new[j]));
            j += 1;
        }
    }
    lines
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
