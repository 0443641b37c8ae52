//! Where a repository is tested, and where it is not.
//!
//! What: [`tests`]: tests by language, and packages without any. Why: what nothing tries is what breaks. Not here: running them.

use crate::{
    SurveyFindings,
    files::{RepositoryFile, RepositoryTree},
};
use regex::Regex;
use serde_json::json;
use std::collections::BTreeMap;

/// How a test begins, by language.
const BEGINNINGS: &[(&str, &str)] = &[
    (
        "Rust",
        r"(?m)^[ \t]*#\[(?:tokio::|actix::|async_std::)?test\b[^\]]*\]|^[ \t]*proptest! \{",
    ),
    ("Python", r"(?m)^[ \t]*(?:async )?def test\w*\("),
    ("JavaScript", r#"(?m)^[ \t]*(?:it|test)(?:\.\w+)?\(\s*["'`]"#),
    ("TypeScript", r#"(?m)^[ \t]*(?:it|test)(?:\.\w+)?\(\s*["'`]"#),
    ("Go", r"(?m)^func (?:Test|Fuzz)\w*\("),
    ("Java", r"(?m)^[ \t]*@(?:Test|ParameterizedTest)\b"),
];

/// What makes a folder a package.
const MANIFESTS: &[&str] = &["Cargo.toml", "package.json", "pyproject.toml", "go.mod"];

/// The findings of task type `test`.
pub(crate) fn tests(tree: &RepositoryTree) -> SurveyFindings {
    let mut found = SurveyFindings::default();
    let patterns: Vec<(&str, Regex)> = BEGINNINGS
        .iter()
        .filter_map(|(language, pattern)| Some((*language, Regex::new(pattern).ok()?)))
        .collect();
    let packages: Vec<&str> = tree
        .files
        .iter()
        .filter(|file| MANIFESTS.contains(&file.name()))
        .map(RepositoryFile::folder)
        .collect();
    let mut by_language: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut by_package: BTreeMap<&str, (usize, usize)> =
        packages.iter().map(|folder| (*folder, (0, 0))).collect();
    for file in &tree.files {
        let Some((language, pattern)) = patterns
            .iter()
            .find(|(language, _)| file.language == Some(language))
        else {
            continue;
        };
        let count = pattern.find_iter(&file.text).count();
        let (files, tests) = by_language.entry(language).or_default();
        *files += usize::from(count > 0);
        *tests += count;
        // The package is the nearest folder above that has a manifest.
        let own = packages.iter().filter(|package| contains(package, &file.path));
        if let Some((tests, lines)) = own
            .max_by_key(|package| package.len())
            .and_then(|package| by_package.get_mut(package))
        {
            *tests += count;
            *lines += file.text.lines().count();
        }
    }
    for (language, (files, tests)) in &by_language {
        found
            .findings
            .push(json!({"kind": "tests", "language": language, "files": files, "tests": tests}));
    }
    let bare = by_package
        .iter()
        .filter(|(_, (tests, lines))| *tests == 0 && *lines > 0);
    let bare: Vec<_> = bare
        .map(|(folder, (_, lines))| {
            let path = if folder.is_empty() { "." } else { folder };
            json!({"kind": "untested_package", "path": path, "lines": lines})
        })
        .collect();
    let tests: usize = by_language.values().map(|(_, tests)| tests).sum();
    found.summary = format!(
        "{}; {} of {} packages with code without any.",
        crate::count(tests, "test", "tests"),
        bare.len(),
        by_package.values().filter(|(_, lines)| *lines > 0).count()
    );
    found.next_context.insert("tests".to_owned(), json!(tests));
    found
        .next_context
        .insert("untested_packages".to_owned(), json!(bare.len()));
    found.findings.extend(bare);
    found
}

fn contains(folder: &str, path: &str) -> bool {
    folder.is_empty()
        || path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod own_tests {
    use super::*;
    use crate::languages;

    #[test]
    fn tests_are_counted_for_the_nearest_package_above_them() {
        let source = |(path, text): &(&str, &str)| RepositoryFile {
            path: (*path).to_owned(),
            text: (*text).to_owned(),
            bytes: 0,
            language: languages::language_of(path, ""),
        };
        let files = [
            ("Cargo.toml", "[workspace]"),
            ("a/Cargo.toml", "[package]"),
            (
                "a/src/lib.rs",
                "#[test]\nfn x() {}\n#[tokio::test]\nasync fn y() {}\n",
            ),
            ("ab/src/lib.rs", "// no package of its own: the workspace's\n"),
            ("web/package.json", "{}"),
            ("web/a.test.js", "test('it works', () => {})\n"),
            ("py/pyproject.toml", ""),
            ("py/x.py", "def testing(): pass\ndef helper(): pass\n"),
            ("none/go.mod", ""),
            ("none/main.go", "package main\n"),
        ];
        let found = tests(&RepositoryTree {
            files: files.iter().map(source).collect(),
            left_out: 0,
        });
        assert_eq!(found.summary, "4 tests; 2 of 5 packages with code without any.");
        assert_eq!(
            found.findings,
            [
                json!({"kind": "tests", "language": "Go", "files": 0, "tests": 0}),
                json!({"kind": "tests", "language": "JavaScript", "files": 1, "tests": 1}),
                json!({"kind": "tests", "language": "Python", "files": 1, "tests": 1}),
                json!({"kind": "tests", "language": "Rust", "files": 1, "tests": 2}),
                json!({"kind": "untested_package", "path": ".", "lines": 1}),
                json!({"kind": "untested_package", "path": "none", "lines": 1}),
            ]
        );
    }
}
