//! Where a repository's programs begin.
//!
//! What: [`entry_points`]: binaries, scripts, pages and what runs in a container. Why: a reader starts there. Not here: what they do.

use crate::{
    dependencies::{parsed_json, parsed_toml},
    files::{RepositoryFile, RepositoryTree},
    languages::interpreter,
};
use std::collections::BTreeSet;

/// A place where something begins.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EntryPoint {
    /// The file.
    pub(crate) path: String,
    /// What it is, in words.
    pub(crate) what: String,
}

/// In order of paths, each once. `unread`: manifests that could not be read.
pub(crate) fn entry_points(tree: &RepositoryTree, unread: &mut Vec<String>) -> Vec<EntryPoint> {
    let mut found = BTreeSet::new();
    let mut add = |path: &str, what: String| {
        found.insert(EntryPoint {
            path: path.to_owned(),
            what,
        });
    };
    let there = tree.by_path();
    for file in &tree.files {
        match file.name() {
            "Cargo.toml" => {
                let Some(manifest) = parsed_toml(file, unread) else {
                    continue;
                };
                let package = manifest.get("package").and_then(|p| p.get("name")?.as_str());
                let main = below(file, "src/main.rs");
                if let (Some(package), true) = (package, there.contains_key(main.as_str())) {
                    add(&main, format!("binary {package}"));
                }
                let bins = manifest.get("bin").and_then(|bins| bins.as_array());
                for bin in bins.into_iter().flatten() {
                    let text = |member: &str| bin.get(member).and_then(|value| value.as_str());
                    if let (Some(name), Some(path)) = (text("name"), text("path")) {
                        add(&below(file, path), format!("binary {name}"));
                    }
                }
            }
            "package.json" => {
                let Some(manifest) = parsed_json(file, unread) else {
                    continue;
                };
                if let Some(main) = manifest["main"].as_str() {
                    add(&below(file, main), "main module".to_owned());
                }
                if let Some(bin) = manifest["bin"].as_str() {
                    add(&below(file, bin), "command".to_owned());
                }
                for (name, path) in manifest["bin"].as_object().into_iter().flatten() {
                    add(
                        &below(file, path.as_str().unwrap_or_default()),
                        format!("command {name}"),
                    );
                }
                for name in manifest["scripts"].as_object().into_iter().flatten() {
                    add(&file.path, format!("script {}", name.0));
                }
            }
            "pyproject.toml" => {
                let scripts =
                    parsed_toml(file, unread).and_then(|toml| toml.get("project")?.get("scripts").cloned());
                for (name, _) in scripts
                    .as_ref()
                    .and_then(|scripts| scripts.as_table())
                    .into_iter()
                    .flatten()
                {
                    add(&file.path, format!("command {name}"));
                }
            }
            "index.html" => add(&file.path, "page".to_owned()),
            "__main__.py" => add(&file.path, "module to run".to_owned()),
            "Dockerfile" => {
                let starts = |line: &&str| line.starts_with("ENTRYPOINT") || line.starts_with("CMD");
                if file.text.lines().any(|line| starts(&line)) {
                    add(&file.path, "container".to_owned());
                }
            }
            _ => by_text(file, &mut add),
        }
    }
    found.into_iter().collect()
}

fn by_text(file: &RepositoryFile, add: &mut impl FnMut(&str, String)) {
    let in_bin = file.folder().ends_with("src/bin") && file.language == Some("Rust");
    if in_bin {
        add(
            &file.path,
            format!("binary {}", file.name().trim_end_matches(".rs")),
        );
    }
    let guard = |line: &str| line.starts_with("if __name__ ==");
    if file.language == Some("Python") && file.text.lines().any(guard) {
        add(&file.path, "script".to_owned());
    } else if let Some(program) = interpreter(file.text.lines().next().unwrap_or_default()) {
        add(&file.path, format!("script for {program}"));
    }
    let is_go = file.language == Some("Go") && file.text.contains("package main\n");
    if is_go && file.text.contains("func main()") {
        add(&file.path, "binary".to_owned());
    }
}

/// A path beside a manifest.
pub(crate) fn below(manifest: &RepositoryFile, path: &str) -> String {
    let path = path.trim_start_matches("./");
    match manifest.folder() {
        "" => path.to_owned(),
        folder => format!("{folder}/{path}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::languages;

    fn tree(files: &[(&str, &str)]) -> RepositoryTree {
        let source = |(path, text): &(&str, &str)| RepositoryFile {
            path: (*path).to_owned(),
            text: (*text).to_owned(),
            bytes: text.len() as u64,
            language: languages::language_of(path, text.lines().next().unwrap_or_default()),
        };
        RepositoryTree {
            files: files.iter().map(source).collect(),
            left_out: 0,
        }
    }

    #[test]
    fn every_kind_of_beginning_is_found_where_it_is_named() {
        let tree = tree(&[
            ("Cargo.toml", "[workspace]\nmembers = [\"a\"]\n"),
            (
                "a/Cargo.toml",
                "[package]\nname = \"a\"\n[[bin]]\nname = \"b\"\npath = \"./src/b.rs\"\n",
            ),
            ("a/src/main.rs", "fn main() {}\n"),
            ("a/src/bin/extra.rs", "fn main() {}\n"),
            (
                "web/package.json",
                r#"{"main":"./index.js","bin":{"w":"cli.js"},"scripts":{"build":"x"}}"#,
            ),
            ("tool.py", "import sys\nif __name__ == '__main__':\n    pass\n"),
            ("lib.py", "x = 1\n"),
            ("go.sh", "#!/bin/sh\n"),
            ("cmd/main.go", "package main\n\nfunc main() {}\n"),
            ("Dockerfile", "FROM x\nCMD [\"y\"]\n"),
        ]);
        let mut unread = vec![];
        let found: Vec<_> = entry_points(&tree, &mut unread)
            .into_iter()
            .map(|entry| (entry.path, entry.what))
            .collect();
        let expected = [
            ("Dockerfile", "container"),
            ("a/src/b.rs", "binary b"),
            ("a/src/bin/extra.rs", "binary extra"),
            ("a/src/main.rs", "binary a"),
            ("cmd/main.go", "binary"),
            ("go.sh", "script for sh"),
            ("tool.py", "script"),
            ("web/cli.js", "command w"),
            ("web/index.js", "main module"),
            ("web/package.json", "script build"),
        ];
        assert_eq!(
            found,
            expected.map(|(path, what)| (path.to_owned(), what.to_owned()))
        );
        assert!(unread.is_empty());
    }
}
