//! The three walks of `ARCHITECTURE.md`, against the code.
//!
//! What: how many files each walk opens, each once, within what was promised; and that what it names stands in the file. Why: a map that nobody compares leads
//! astray. Not here: whether a walk leaves a file out, which only somebody who goes there sees.

use super::{read, root};
use std::collections::BTreeSet;

/// A walk by its heading, and how many files it may open.
const WALKS: [(&str, usize); 3] = [("**A tool call", 8), ("**A signal", 15), ("**A confirmation", 8)];

/// What stands between backticks.
fn code_spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Whether a file defines what a walk names in it: a function, a type, or what an actor does with a message.
fn defines(code: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    [
        "fn ",
        "function ",
        "struct ",
        "enum ",
        "trait ",
        "class ",
        "const ",
        "impl Handler<",
    ]
    .iter()
    .flat_map(|keyword| code.split(keyword).skip(1))
    .any(|rest| {
        rest.strip_prefix(name)
            .is_some_and(|rest| !rest.starts_with(is_part))
    })
}

#[test]
fn only_a_definition_is_what_a_walk_names() {
    let code = "fn call_all() {}\nimpl Handler<SubmitCard> for Me {}\n// call\nlet call = 1;";
    assert!(defines(code, "SubmitCard") && defines(code, "call_all"));
    assert!(!defines(code, "call") && !defines(code, "Submit"));
}

#[test]
fn each_walk_opens_as_many_files_as_it_says_and_they_hold_what_it_names() {
    let map = read("ARCHITECTURE.md");
    let (_, walks) = map.split_once("## Three walks").unwrap();
    let (walks, _) = walks.split_once("\n## ").unwrap();
    for (heading, most) in WALKS {
        let (_, walk) = walks.split_once(heading).unwrap();
        let (walk, _) = walk.split_once("\n**").unwrap_or((walk, ""));
        let (_, count) = walk.split_once("** (").unwrap();
        let says: usize = count.split(' ').next().unwrap().parse().unwrap();
        let steps = walk
            .lines()
            .filter(|line| line.starts_with(|start: char| start.is_ascii_digit()));
        let mut opened = BTreeSet::new();
        for step in steps {
            let path = code_spans(step).find(|name| root().join(name).is_file()).unwrap();
            assert!(opened.insert(path), "{heading}: {path} twice");
            let code = read(path);
            // What has a dot is another file, or another type's own function, in which the walk goes on.
            let named = code_spans(step).filter(|name| !name.contains(['/', '.']));
            for name in named {
                assert!(defines(&code, name), "{heading}: no `{name}` in {path}");
            }
        }
        assert_eq!(opened.len(), says, "{heading}");
        assert!(
            says <= most,
            "{heading}: {says} files, at most {most} are promised"
        );
    }
}
