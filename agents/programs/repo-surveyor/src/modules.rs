//! Which files of a repository use which others.
//!
//! What: [`architect`]: modules with who uses them, and cycles, for Rust, Python, JavaScript and TypeScript. Why: how the parts hang
//! together is seen before they are read. Not here: what comes from packages (`dependencies`).

use crate::{
    SurveyFindings,
    files::{RepositoryFile, RepositoryTree},
};
use petgraph::{algo::tarjan_scc, graphmap::DiGraphMap};
use regex::Regex;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// The most modules that are listed; those with most users come first.
const MOST_MODULES: usize = 100;

/// The findings of task type `architect`.
pub(crate) fn architect(tree: &RepositoryTree) -> SurveyFindings {
    let mut found = SurveyFindings::default();
    let edges = edges(tree, &mut found);
    let (mut uses, mut used): (BTreeMap<&str, usize>, BTreeMap<&str, usize>) = Default::default();
    for (from, to) in &edges {
        *uses.entry(from).or_default() += 1;
        *used.entry(to).or_default() += 1;
    }
    let graph: DiGraphMap<&str, ()> = edges.iter().copied().collect();
    let mut cycles: Vec<Vec<&str>> = tarjan_scc(&graph)
        .into_iter()
        .filter(|part| part.len() > 1)
        .collect();
    for cycle in &mut cycles {
        cycle.sort_unstable();
    }
    cycles.sort_unstable();

    let lines = |path: &str| {
        let file = tree.files.iter().find(|file| file.path == path);
        file.map_or(0, |file| file.text.lines().count())
    };
    let mut modules: Vec<&str> = graph.nodes().collect();
    let count = |table: &BTreeMap<&str, usize>, path: &str| table.get(path).copied().unwrap_or(0);
    modules.sort_by_key(|path| (std::cmp::Reverse(count(&used, path)), *path));
    let listed = modules.iter().take(MOST_MODULES).map(|path| {
        json!({
            "kind": "module", "path": path, "lines": lines(path), "uses": count(&uses, path),
            "used_by": count(&used, path),
        })
    });
    found.findings = listed.collect();
    found.findings.extend(
        cycles
            .iter()
            .map(|members| json!({"kind": "cycle", "members": members})),
    );
    found.summary = format!(
        "{} that use each other in {}, {}.",
        crate::count(modules.len(), "module", "modules"),
        crate::count(edges.len(), "way", "ways"),
        crate::count(cycles.len(), "cycle", "cycles")
    );
    found
        .next_context
        .insert("modules".to_owned(), json!(modules.len()));
    found
        .next_context
        .insert("cycles".to_owned(), json!(cycles.len()));
    found
}

/// Who uses whom, each pair once.
fn edges<'a>(tree: &'a RepositoryTree, found: &mut SurveyFindings) -> BTreeSet<(&'a str, &'a str)> {
    let there = tree.by_path();
    let patterns = ImportPatterns::new();
    if patterns.is_none() {
        found
            .unread
            .push("imports cannot be found: a pattern is broken".to_owned());
    }
    let mut edges = BTreeSet::new();
    for (file, patterns) in tree
        .files
        .iter()
        .filter_map(|file| Some((file, patterns.as_ref()?)))
    {
        let candidates: Vec<Vec<String>> = match file.language {
            Some("Rust") => rust(file, patterns),
            Some("Python") => python(file, patterns),
            Some("JavaScript" | "TypeScript") => script(file, patterns),
            Some(_) | None => continue,
        };
        for names in candidates {
            // The first of the names that is a file is the one that is meant.
            let target = names.iter().find_map(|name| there.get(name.as_str()));
            if let Some(target) = target.filter(|target| target.path != file.path) {
                edges.insert((file.path.as_str(), target.path.as_str()));
            }
        }
    }
    edges
}

struct ImportPatterns {
    rust_path: Regex,
    python_import: Regex,
    python_from: Regex,
    script_import: Regex,
}

impl ImportPatterns {
    fn new() -> Option<Self> {
        Some(Self {
            rust_path: Regex::new(r"\b(?:crate|super|self)(?:::\w+)+(?:::\{[^;]*?\})?").ok()?,
            python_import: Regex::new(r"(?m)^[ \t]*import[ \t]+([\w., \t]+)").ok()?,
            python_from: Regex::new(
                r"(?m)^[ \t]*from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(\([\w., \t\n]+|[\w., \t]+)",
            )
            .ok()?,
            script_import: Regex::new(
                r#"(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)["'](\.{1,2}/[^"']+)["']"#,
            )
            .ok()?,
        })
    }
}

/// A path with `.` and `..` taken out; `None` when it leaves the repository.
fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// `crate::a::b` is `src/a/b.rs`, `src/a/b/mod.rs`, or what stands in `src/a.rs`. The longest path that is a file counts.
fn rust(file: &RepositoryFile, patterns: &ImportPatterns) -> Vec<Vec<String>> {
    let Some(root) = file.path.rfind("src/").map(|at| &file.path[..at + 4]) else {
        return vec![];
    };
    // Where `self::` begins: `a/mod.rs` and `a.rs` are both the module `a`.
    let own = file.path.trim_end_matches(".rs");
    let own = own
        .strip_suffix("/mod")
        .or_else(|| own.strip_suffix("/lib"))
        .or_else(|| own.strip_suffix("/main"));
    let own = own.unwrap_or(file.path.trim_end_matches(".rs"));
    let parent = own.rsplit_once('/').map_or("", |(parent, _)| parent);
    let mut found = vec![];
    for path in patterns.rust_path.find_iter(&file.text) {
        let (head, group) = path.as_str().split_once("::{").unwrap_or((path.as_str(), ""));
        let mut parts = head.split("::").peekable();
        let mut folder = match parts.next() {
            Some("crate") => root.trim_end_matches('/'),
            Some("self") => own,
            Some(_) | None => parent,
        };
        while parts.next_if_eq(&"super").is_some() {
            folder = folder.rsplit_once('/').map_or("", |(parent, _)| parent);
        }
        let parts: Vec<&str> = parts.collect();
        let group = group.trim_end_matches('}').split(',').map(|member| {
            let member = member.trim().split("::").next().unwrap_or_default();
            member.split_whitespace().next().unwrap_or_default()
        });
        for member in group {
            let parts = parts
                .iter()
                .copied()
                .chain(Some(member).filter(|m| !m.is_empty()));
            let parts: Vec<&str> = parts.collect();
            let names = (1..=parts.len()).rev().flat_map(|length| {
                let path = format!("{folder}/{}", parts[..length].join("/"));
                [format!("{path}.rs"), format!("{path}/mod.rs")]
            });
            found.push(names.collect());
        }
    }
    found
}

/// `import a.b` is `a/b.py` or `a/b/__init__.py`, beside the file, in `src` or from the repository's folder.
fn python(file: &RepositoryFile, patterns: &ImportPatterns) -> Vec<Vec<String>> {
    let mut found = vec![];
    let mut add = |folder: &str, dotted: &str| {
        let path = dotted.replace('.', "/");
        let at = |folder: &str| joined(folder, &path);
        let places = [at(folder), at(""), at("src")];
        let names = places
            .into_iter()
            .flatten()
            .filter(|path| !path.is_empty())
            .flat_map(|path| [format!("{path}.py"), format!("{path}/__init__.py")]);
        found.push(names.collect::<Vec<_>>());
    };
    for import in patterns.python_import.captures_iter(&file.text) {
        for name in import[1].split(',') {
            add(file.folder(), name.split_whitespace().next().unwrap_or_default());
        }
    }
    for import in patterns.python_from.captures_iter(&file.text) {
        let (dots, module) = import[1].split_at(import[1].len() - import[1].trim_start_matches('.').len());
        let up = "../".repeat(dots.len().saturating_sub(1));
        let Some(folder) = joined(file.folder(), &up) else {
            continue;
        };
        add(&folder, module);
        for name in import[2].trim_start_matches('(').split(',') {
            let name = name.split_whitespace().next().unwrap_or_default();
            add(&folder, format!("{module}.{name}").trim_start_matches('.'));
        }
    }
    found
}

/// `./a` is `a.js`, `a.ts`, … or `a/index.js`, ….
fn script(file: &RepositoryFile, patterns: &ImportPatterns) -> Vec<Vec<String>> {
    const ENDINGS: [&str; 6] = ["ts", "tsx", "js", "jsx", "mjs", "cjs"];
    let imports = patterns.script_import.captures_iter(&file.text);
    let names = imports.filter_map(|import| {
        let path = joined(file.folder(), &import[1])?;
        let with_ending = ENDINGS.iter().map(|ending| format!("{path}.{ending}"));
        let index = ENDINGS.iter().map(|ending| format!("{path}/index.{ending}"));
        Some(
            std::iter::once(path.clone())
                .chain(with_ending)
                .chain(index)
                .collect(),
        )
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::languages;

    fn of(files: &[(&str, &str)]) -> Vec<(String, String)> {
        let source = |(path, text): &(&str, &str)| RepositoryFile {
            path: (*path).to_owned(),
            text: (*text).to_owned(),
            bytes: 0,
            language: languages::language_of(path, ""),
        };
        let tree = RepositoryTree {
            files: files.iter().map(source).collect(),
            left_out: 0,
        };
        let mut found = SurveyFindings::default();
        let edges = edges(&tree, &mut found);
        assert!(found.unread.is_empty());
        edges
            .into_iter()
            .map(|(from, to)| (from.to_owned(), to.to_owned()))
            .collect()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        let own = |(from, to): &(&str, &str)| ((*from).to_owned(), (*to).to_owned());
        expected.iter().map(own).collect()
    }

    #[test]
    fn rust_paths_lead_to_the_file_that_holds_them() {
        let found = of(&[
            (
                "src/lib.rs",
                "mod a;\nuse crate::a::b::Thing;\nuse crate::c::{self, d, E};\n",
            ),
            ("src/a.rs", "pub mod b;\n"),
            ("src/a/b.rs", "use super::super::c::E;\nuse super::x;\n"),
            ("src/c/mod.rs", "use self::d::F;\n"),
            ("src/c/d.rs", ""),
        ]);
        assert_eq!(
            found,
            pairs(&[
                ("src/a/b.rs", "src/c/mod.rs"),
                ("src/c/mod.rs", "src/c/d.rs"),
                ("src/lib.rs", "src/a/b.rs"),
                ("src/lib.rs", "src/c/d.rs"),
                ("src/lib.rs", "src/c/mod.rs"),
            ])
        );
    }

    #[test]
    fn python_imports_are_found_beside_the_file_and_from_the_top() {
        let found = of(&[
            (
                "app/main.py",
                "import app.store as s, sys\nfrom . import view\nfrom .model import Row\nfrom ..tool import x\n",
            ),
            ("app/store.py", "from app.model import (\n    Row,\n)\n"),
            ("app/view/__init__.py", "import json\n"),
            ("app/model.py", ""),
            ("tool.py", ""),
        ]);
        assert_eq!(
            found,
            pairs(&[
                ("app/main.py", "app/model.py"),
                ("app/main.py", "app/store.py"),
                ("app/main.py", "app/view/__init__.py"),
                ("app/main.py", "tool.py"),
                ("app/store.py", "app/model.py"),
            ])
        );
    }

    #[test]
    fn script_imports_are_found_with_and_without_endings() {
        let found = of(&[
            (
                "web/index.ts",
                "import { a } from './a';\nimport('./lazy/')\nimport x from 'react';\n",
            ),
            ("web/a.js", "const b = require(\"../b.js\")\n"),
            ("web/lazy/index.tsx", ""),
            ("b.js", "import '../../outside'\n"),
        ]);
        assert_eq!(
            found,
            pairs(&[
                ("web/a.js", "b.js"),
                ("web/index.ts", "web/a.js"),
                ("web/index.ts", "web/lazy/index.tsx"),
            ])
        );
    }

    #[test]
    fn a_cycle_is_named_with_its_members_in_order() {
        let file = |path: &str, text: &str| RepositoryFile {
            path: path.to_owned(),
            text: text.to_owned(),
            bytes: 0,
            language: Some("Python"),
        };
        let tree = RepositoryTree {
            files: vec![
                file("a.py", "import b\n"),
                file("b.py", "import a\nimport c\n"),
                file("c.py", ""),
            ],
            left_out: 0,
        };
        let found = architect(&tree);
        assert_eq!(found.summary, "3 modules that use each other in 3 ways, 1 cycle.");
        assert_eq!(
            found.findings.last(),
            Some(&json!({"kind": "cycle", "members": ["a.py", "b.py"]}))
        );
    }
}
