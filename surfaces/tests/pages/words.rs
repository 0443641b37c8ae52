//! All sentences of the pages stand in one place.
//!
//! What: no sentence in the markup (`src/web`) and none in the scripts. Why: who translates Aura looks in `src/words` and finds all that a
//! page says beside its figures. Not here: sentences made around a figure (`src/render`), refusals (`src/web/error.rs`).

use std::{fs, path::Path};

/// Two words of letters, one after the other.
fn is_sentence(literal: &str) -> bool {
    let words: Vec<&str> = literal.split(' ').collect();
    let plain =
        |word: &&str| word.len() >= 2 && word.chars().all(|c| c.is_alphabetic() || ",.:'".contains(c));
    words.windows(2).any(|pair| pair.iter().all(plain))
}

/// The string literals of a line, without those that are an attribute's value.
fn literals(line: &str) -> Vec<String> {
    let pieces: Vec<&str> = line.split('"').collect();
    let inside = pieces.iter().enumerate().skip(1).step_by(2);
    inside
        .filter(|(n, _)| !pieces[n - 1].ends_with('='))
        .map(|(_, text)| (*text).to_owned())
        .collect()
}

fn sentences(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]").next().unwrap();
    code.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        // For the log, for the compiler, for the style, for the worker.
        .filter(|line| {
            !["tracing::", "reason =", "class=(", "const VERSION"]
                .iter()
                .any(|part| line.contains(part))
        })
        .flat_map(literals)
        .filter(|literal| is_sentence(literal))
        .map(|literal| format!("{}: {literal}", path.display()))
        .collect()
}

#[test]
fn no_sentence_stands_in_the_markup_or_in_a_script() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for name in [
        "src/web/drawer_page.rs",
        "src/web/events.rs",
        "src/web/figure.rs",
        "src/web/owner.rs",
        "src/web/pages.rs",
        "src/web/runs_page.rs",
        "src/web/sections.rs",
        "src/web/shell.rs",
        "src/web/palette.rs",
        "src/web/next_event.rs",
        "src/web/watch_idle.rs",
        "assets/aura.js",
        "assets/phone.js",
        "assets/sw.js",
    ] {
        found.extend(sentences(&root.join(name)));
    }
    // What a script begins with, and what a browser calls a system.
    found.retain(|line| ![": use strict", ": Mac OS"].iter().any(|end| line.ends_with(end)));
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn the_search_finds_what_it_looks_for() {
    for (line, found) in [
        (r#"h2 { "Nothing to say yet" }"#, true),
        (r#"p { "Paused until " (at) }"#, true),
        ("p { (words::NOTHING_WORTH) }", false),
        (r#"nav aria-current="two words" {}"#, false),
        (r#"const NAME = "data-left-ms";"#, false),
    ] {
        assert_eq!(literals(line).iter().any(|one| is_sentence(one)), found, "{line}");
    }
}
